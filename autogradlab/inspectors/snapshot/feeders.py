"""The Nodes whose gradients meet at a leaf, and what each of them sends there."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .firing import of_inspectors
from .keeping import previewing
from .kinds import is_tensor
from .names import tensors
from .samples import same, sample

__all__ = ["Feeders", "Part", "nodes_below"]

#: Nodes that are looked at in search of those that lead to a leaf
FAR = 20_000


@dataclass(frozen=True, slots=True)
class Part:
    """What one edge brings to a leaf: the Node it comes from, the variables that this Node made and got gradients for,
    the gradient if seen."""

    node: str
    name: str | None
    value: Any = None


def nodes_below(root: Any, far: int = FAR) -> Iterator[Any]:
    """The Node and all that its backward can reach, nearest first, at most `far` of them."""
    if root is None:
        return
    seen, row = {root}, [root]
    for node in row:
        yield node
        for below, _ in node.next_functions:
            if below is not None and below not in seen and len(seen) < far:
                seen.add(below)
                row.append(below)


class Feeders:
    """Hooks on the Nodes that lead directly to a leaf; what they brought is fetched with `take`."""

    def __init__(self, leaf: Any) -> None:
        self.leaf = weakref.ref(leaf)
        self.pending: list[Part] = []
        self.unclaimed: list[Part] = []  # what was sent and does not add up to what arrived
        self.handles: list[Any] = []
        self.known: list[weakref.ref[Any]] = []  # the tensors whose graphs were searched

    def follow(self, roots: Iterable[Any], space: Mapping[str, Any]) -> None:
        """Put hooks on the Nodes that lead to the leaf in the graphs of these tensors and of those in variables."""
        named = [(name, t) for name, t in tensors(space) if t.grad_fn is not None]
        names: dict[Any, dict[int, str]] = {}  # of each Node, by output
        for name, t in reversed(named):
            if t is not self.leaf():
                names.setdefault(t.grad_fn, {})[t.output_nr] = name
        self.known = [ref for ref in self.known if ref() is not None]
        seen = {id(ref()) for ref in self.known}
        for tensor in [*roots, *(t for _, t in named)]:
            if is_tensor(tensor) and tensor.grad_fn is not None and id(tensor) not in seen:
                seen.add(id(tensor))
                self.known.append(weakref.ref(tensor))
                for node, edges in self._leading(tensor.grad_fn):
                    self._hook(node, edges, names.get(node, {}))

    def _leading(self, root: Any) -> Iterator[tuple[Any, list[int]]]:
        leaf = self.leaf()
        for node in nodes_below(root):
            edges = [i for i, (n, _) in enumerate(node.next_functions) if getattr(n, "variable", None) is leaf]
            if edges:
                yield node, edges

    def _hook(self, node: Any, edges: list[int], names: Mapping[int, str]) -> None:
        me, title = weakref.ref(self), node.name()

        def on_node(grads: Any, came: Any) -> None:
            feeders = me()
            if feeders is not None and not previewing():
                reached = [name for output, name in sorted(names.items()) if came[output] is not None]
                feeders._sent(title, ", ".join(reached) or None, [grads[i] for i in edges])

        handle = node.register_hook(on_node)
        vars(on_node)["feeders"] = me
        if any(h is not on_node and getattr(h, "feeders", None) == me for h in handle.hooks_dict_ref().values()):
            handle.remove()  # it has one already, from another root
        else:
            self.handles.append(handle)

    def _sent(self, node: str, name: str | None, grads: list[Any]) -> None:
        leaf = self.leaf()
        for grad in grads:
            if grad is not None and leaf is not None:
                if grad.shape != leaf.shape:
                    grad = grad.sum_to_size(leaf.shape)
                self.pending.append(Part(node, name, grad.detach().clone()))

    def take(self, arrived: Any) -> tuple[Part, ...]:
        """What was sent since the last call and adds up to what arrived; nothing if it does not."""
        parts, self.pending = self.pending, []
        parts = [replace(part, value=sample(part.value)) for part in parts]
        self.unclaimed = list(parts)
        while parts:
            total = parts[0].value.clone()
            for part in parts[1:]:
                total = total.add_(part.value)
            if same(total.to(arrived.dtype), arrived):
                return tuple(parts)
            del parts[0]  # left over from a call of autograd.grad
        return ()

    def changed(self, named: tuple[Part, ...]) -> tuple[Part, ...]:
        """What was sent last by just these Nodes, where it does not add up to what arrived because hooks of the leaf
        had been at it before; nothing where the leaf has no hooks of the user's."""
        sent = self.unclaimed[-len(named) :] if named else []
        theirs = sorted(part.node for part in sent) == sorted(part.node for part in named)
        return tuple(sent) if theirs and self.hooked() else ()

    def hooked(self) -> bool:
        """Whether the leaf has hooks of the user's."""
        return not all(map(of_inspectors, (getattr(self.leaf(), "_backward_hooks", None) or {}).values()))

    def names_from(self, frame: Any) -> tuple[Part, ...]:
        """The Nodes that lead to the leaf, found from the arguments of the `backward` that is running;
        values unseen."""
        values = [] if frame is None else list(frame.f_locals.values())
        values += [t for v in values if type(v) in (list, tuple) for t in v]
        roots = [v for v in values if is_tensor(v) and v.grad_fn is not None]
        found: dict[Any, int] = {}
        for root in roots:
            found.update({node: len(edges) for node, edges in self._leading(root.grad_fn)})
        parts = [Part(node.name(), None) for node, count in found.items() for _ in range(count)]
        return tuple(parts)

    def close(self) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles.clear()
