"""What flows through a graph in a backward, as its Nodes calculate it: no engine runs, no hook fires, nothing is
changed.

Each Node is called with the gradients of its outputs, as the engine would call it. Flows can be stopped at a place, or
made zero there: that is how a backward is seen that does not happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .graph import Walk, class_name
from .keeping import Keeper, preview
from .kinds import library, living
from .samples import same, sample

__all__ = ["Flows", "Place", "in_short", "metadata", "untouched"]

#: letters of an error's message in a sentence
LONG = 200

#: a Node and which of its outputs (of an AccumulateGrad, the leaf): where gradients are added up
Place = tuple[Any, int]


class Flows:
    """The gradients of the roots of a walk at each place, and on each edge (a Node and its input).

    only: the Nodes that are asked (all, where it is None). cut: places that nothing passes; zero: places where what
    arrives is made zero.
    """

    def __init__(
        self,
        walk: Walk,
        only: set[Any] | None = None,
        cut: frozenset[Place] = frozenset(),
        zero: frozenset[Place] = frozenset(),
    ) -> None:
        self.walk = walk
        self.only = set(walk.nodes) if only is None else only
        self.cut = cut
        self.zero = zero
        self.at: dict[Place, Any] = {}
        self.on: dict[tuple[Any, int], Any] = {}
        self.starts: dict[Place, list[tuple[int, Any]]] = {}
        self.calls = 0
        if walk.roots:
            with library(walk.roots[0]).no_grad():
                self._flow()

    def _flow(self) -> None:
        walk = self.walk
        for number, (root, start) in enumerate(zip(walk.roots, walk.starts, strict=True)):
            if start[0] in self.only:
                one = root.detach().new_ones(root.shape)
                self._add(start, one)
                self.starts.setdefault(start, []).append((number, one.reshape(-1)[0].item()))
        nexts = {node: found for node, found in zip(walk.nodes, walk.nexts, strict=False) if node in self.only}
        for node in self._ordered(nexts):
            grads = {number: flow for (one, number), flow in self._of(node)}
            if not grads or hasattr(node, "variable"):
                continue
            gone = self.run(node, grads)
            for index, (follower, number) in enumerate(nexts[node]):
                if follower in self.only and index < len(gone) and gone[index] is not None:
                    if (follower, number) not in self.cut:
                        self.on[node, index] = gone[index]
                    self._add((follower, number), gone[index])

    def _ordered(self, nexts: dict[Any, tuple[tuple[Any, int], ...]]) -> Iterator[Any]:
        """Nodes so that each comes after all that bring something to it."""
        waiting = dict.fromkeys(nexts, 0)
        for found in nexts.values():
            for follower, _ in found:
                if follower in waiting:
                    waiting[follower] += 1
        ready = [node for node in nexts if not waiting[node]]
        for node in ready:  # grows while it is walked
            yield node
            for follower, _ in nexts[node]:
                if follower in waiting:
                    waiting[follower] -= 1
                    if not waiting[follower]:
                        ready.append(follower)

    def _of(self, node: Any) -> list[tuple[Place, Any]]:
        places = [(node, number) for number in range(max(1, len(metadata(node))))]
        return [(place, self.at[place]) for place in places if place in self.at]

    def _add(self, place: Place, grad: Any) -> None:
        if place in self.cut:
            return
        if place in self.zero:
            grad = grad.new_zeros(grad.shape)
        known = self.at.get(place)
        self.at[place] = grad if known is None else known + grad

    def run(self, node: Any, grads: dict[int, Any]) -> tuple[Any, ...]:
        """What a Node makes of gradients of its outputs: one for each input, in its shape and dtype."""
        self.calls += 1
        count = max(len(metadata(node)), max(grads) + 1)
        given = [grads.get(number) for number in range(count)]
        if hasattr(type(node), "run_recorded"):  # ours: the engine knows of hidden Nodes and of vmaps
            from ...core.backward.alone import alone

            return alone(node, given)
        call = node.apply if hasattr(type(node), "_forward_cls") else node
        if call is not node:  # the backward of a Function of the user's gets zeros, not None
            given = [
                g if g is not None else _zeros(meta, next(iter(grads.values())))
                for g, meta in zip(given, metadata(node), strict=True)
            ]
        made = call(*given)
        made = made if isinstance(made, tuple) else (made,)
        if call is not node:
            if len(made) < (wanted := len(node.needs_input_grad)):  # what the engine says of it
                said = f"returned an incorrect number of gradients (expected {wanted}, got {len(made)})"
                raise RuntimeError(f"function {class_name(node)} {said}")
            made = _for_tensors(node, made)
        fitted = []
        for grad, (follower, number) in zip(made, node.next_functions, strict=False):
            fitted.append(None if grad is None or follower is None else _fit(grad, metadata(follower)[number]))
        return tuple(fitted)


def _for_tensors(node: Any, made: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the backward of a Function returns is one for each argument of its forward; edges stand for tensors only."""
    wanted = iter([grad for grad, wants in zip(made, node.needs_input_grad, strict=False) if wants])
    return tuple(None if follower is None else next(wanted, None) for follower, _ in node.next_functions)


@contextmanager
def untouched(walk: Walk) -> Iterator[Callable[[], list[str]]]:
    """What Functions of the user's do to tensors while their Nodes are asked is put back. Whether they have run a
    backward of their own, as a checkpoint does, what is yielded tells: their names, where it has reached a leaf."""
    theirs = [node for node in walk.nodes if hasattr(type(node), "_forward_cls")]
    if not theirs:
        yield list
        return
    leaves = [node.variable for node in walk.nodes if hasattr(node, "variable")]
    kept = [None if leaf.grad is None else sample(leaf.grad) for leaf in leaves]

    def inner() -> list[str]:
        now = [None if leaf.grad is None else sample(leaf.grad) for leaf in leaves]
        wrote = not all(map(same, now, kept))
        return list(dict.fromkeys(map(class_name, theirs))) if wrote else []

    keeper = Keeper(walk.roots[0], living(library(walk.roots[0]).Tensor))
    try:
        with preview():
            yield inner
    finally:
        keeper.put_back(())


def in_short(error: Exception) -> str:
    """What an error says, without the hint that it gives to who can trace it."""
    said = " ".join(str(error).split()).partition(" Hint: ")[0]
    return said if len(said) <= LONG else f"{said[:LONG].rpartition(' ')[0]} …"


def metadata(node: Any) -> list[Any]:
    """Shape and dtype of each gradient that a Node takes."""
    try:
        return list(node._input_metadata)
    except Exception:  # a Node of another kind
        return []


def _zeros(meta: Any, like: Any) -> Any:
    return like.new_zeros(tuple(meta.shape), dtype=meta.dtype)


def _fit(grad: Any, meta: Any) -> Any:
    """As the engine does: summed to the input's shape, in its dtype."""
    shape: Sequence[int] = tuple(meta.shape)
    if str(grad.layout) != "torch.strided":
        grad = grad.to_dense()
    if tuple(grad.shape) != tuple(shape):
        grad = grad.sum_to_size(shape)
    if grad.is_complex() and not meta.dtype.is_complex:
        grad = grad.real
    return grad.to(meta.dtype)
