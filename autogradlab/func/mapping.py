"""vmap: a function applied to each slice (mirrors this part of `torch.func`)."""

from __future__ import annotations

import functools
import textwrap
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..autograd.function import transforms
from ..autograd.trees import flat, like, spread_over, structure
from ..core.graph.node import Node, reachable, sequence
from ..core.memory.rows import all_rows, levels_of, new_level
from ..core.random.generator import Generator, default_generator
from ..core.recording.record import TENSORS as F
from ..core.runtime import modes
from ..core.tensor import printing
from ..core.tensor.edges import made_by
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad, wrap
from ..core.types.dims import wrap_dim

__all__ = ["check_randomness", "end", "puts_back", "vmap"]

Function = Callable[..., Any]


def puts_back(run: Function) -> Function:
    """The function, after which all modes are as before, wherever it is interrupted."""

    @functools.wraps(run)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        local, level = modes.current(), transforms
        before = local.grad, local.record, local.captured, local.levels, local.mapped, level.depth, level.mapping
        stack, refusal, reverse = level.stack, local.saved_hooks_disabled, local.reverse
        changes = level.functionalizing
        try:
            return run(*args, **kwargs)
        finally:
            local.grad, local.record, local.captured, local.levels, local.mapped, level.depth, level.mapping = before
            level.stack, local.saved_hooks_disabled, local.reverse = stack, refusal, reverse
            level.functionalizing = changes
            local.refresh()

    return guarded


def vmap(
    func: Function, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: Any = None
) -> Function:
    """The function that applies a function to each slice along a dimension.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
        tensor([2., 2., 2.])

    Other names: vmap.

    Mirrors `torch.func.vmap`.
    """

    check_randomness(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @puts_back
    @functools.wraps(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        name = _name(func)
        check_out_dims(name, out_dims)
        spread, size = _spread(name, args, in_dims)
        step = size if chunk_size is None else chunk_size
        if step >= size:
            return _mapped(func, name, spread, size, out_dims, randomness, kwargs)[0]
        parts: list[list[Any]] = []
        state = Generator.get_state(default_generator) if randomness == "same" else None
        for start in range(0, size, step):
            if state is not None:
                Generator.set_state(default_generator, state)
            count = min(step, size - start)
            part = [(arg, [(_part(t, d, start, count), d) for t, d in leaves]) for arg, leaves in spread]
            result, places = _mapped(func, name, part, count, out_dims, randomness, kwargs)
            parts.append(flat(result))
        columns = zip(*parts, strict=True)
        return like(result, iter([_chained(list(c), d) for c, d in zip(columns, places, strict=True)]))

    return transformed


#: each argument with its leaves and the dimensions along which they are mapped
Spread = list[tuple[Any, list[tuple[Any, Any]]]]


def _mapped(
    func: Function, name: str, spread: Spread, size: int, out_dims: Any, randomness: str, kwargs: dict[str, Any]
) -> tuple[Any, list[Any]]:
    """What the function gives for all slices at once, and the dimension of each result that counts them."""
    with Mapping(size, randomness) as mapping:
        call = [like(arg, iter([t if d is None else mapping.enter(t, d) for t, d in parts])) for arg, parts in spread]
        result = func(*call, **kwargs)
        places = _places(name, out_dims, result)
        leaves = [mapping.leave(name, t, d) for t, d in zip(flat(result), places, strict=True)]
    return like(result, iter(leaves)), places


def _part(t: Any, dim: int | None, start: int, count: int) -> Any:
    return t if dim is None else F.narrow(t, dim, start, count)


def _chained(parts: list[Any], dim: int | None) -> Any:
    return parts[0] if dim is None else F.cat(parts, dim)


def check_randomness(randomness: str) -> None:
    """Refuse what is not a kind of randomness."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def check_out_dims(name: str, out_dims: Any) -> None:
    """Refuse what cannot say where the results are joined."""
    for d in flat(out_dims):
        if d is not None and not isinstance(d, int):
            raise ValueError(
                f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
                "ints representing where in the outputs the vmapped dimension should appear."
            )


def _places(name: str, out_dims: Any, result: Any) -> list[Any]:
    """For each leaf of the results the dimension along which they are joined."""
    found = spread_over(out_dims, result)
    if found is None and isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(result, Tensor):
        found = list(out_dims)
    if found is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {structure(out_dims)} but outputs has structure {structure(result)}."
        )
    return found


class Mapping:
    """A vmap that is entered: its level, how many rows it counts, and what it says of random numbers."""

    #: whether code is at work that lies beneath the transform
    hidden = False

    def __init__(self, size: int, randomness: str) -> None:
        self.level, self.size, self.randomness = new_level(), size, randomness
        #: by their ids tensors of rows, what they are outside, and the dimension of it that counts rows
        self.known: dict[int, tuple[Tensor, Tensor, int]] = {}

    def enter(self, t: Tensor, dim: int) -> Tensor:
        """A tensor of which each slice along a dimension is a row."""
        dim %= t._array.ndim
        made: Tensor = F._add_batch_dim(F.movedim(t, dim, 0) if dim else t, 0, self.level)
        made._stands_for = t
        self.known[id(made)] = made, t, dim
        return made

    def leave(self, name: str, t: Any, dim: int | None) -> Any:
        """A result, its rows along a dimension; an argument that comes back is the tensor that it stood for."""
        if dim is None:
            if isinstance(t, Tensor) and self.level in levels_of(t._array.shape):
                raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
            return t
        if not isinstance(t, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(t)}. Did you "
                "mean to set out_dims= to None for output?"
            )
        dim = wrap_dim(dim, t._array.ndim + 1)
        if self.level not in levels_of(t._array.shape):
            size = [*t.shape]
            size.insert(dim, self.size)
            return F.expand(t, size)
        if id(t) not in self.known:
            self.known[id(t)] = t, self._whole(t), 0
        _, whole, place = self.known[id(t)]
        return whole if place == dim else F.movedim(whole, place, dim)

    def _whole(self, t: Tensor) -> Tensor:
        """A tensor with its rows along the first dimension: in the place of one that is no view it is none itself."""
        made: Tensor = F._remove_batch_dim(t, self.level, self.size, 0)
        if t._view is None:
            edge = gradient_edge(made)
            made._view, made._edge = None, edge
        return made

    def __enter__(self) -> Mapping:
        transforms.depth += 1
        transforms.mapping += 1
        transforms.stack += (self,)
        local = modes.current()
        local.levels = (*local.levels, self.level)
        local.mapped = (*local.mapped, (self.level, self.size, self.randomness, local.entered() + 1))
        return self

    def around(self, t: Tensor) -> tuple[str, Tensor]:
        """How tensors print of which it counts the rows, and what they are outside; "" for others."""
        if self.level not in levels_of(t._array.shape):
            return "", t
        _, outside, dim = self.known.get(id(t), (t, t, 0))
        return _BATCHED.format("{}", dim, "{}"), outside

    def __exit__(self, *exc: object) -> None:
        local = modes.current()
        local.levels, local.mapped = local.levels[:-1], local.mapped[:-1]
        transforms.stack = transforms.stack[:-1]
        transforms.depth -= 1
        transforms.mapping -= 1


#: where the histories of tensors begin that transforms differentiated by, which are over, as long as something has
#: them; and the number, in the order in which Nodes are made, with which each transform ended
_ended: list[tuple[weakref.ref[Node], int]] = []


def end(starts: Iterable[Node]) -> None:
    """Note that a transform is over: what has escaped from it is known by where its history begins."""
    global _ended
    number = sequence()
    _ended = [*[(ref, n) for ref, n in _ended if ref() is not None], *[(weakref.ref(node), number) for node in starts]]


def _escaped(t: Tensor) -> tuple[int, bool]:
    """From how many transforms that are over a tensor has escaped, and whether it has a history in them; of a tensor
    that has one outside too, which may be a result, none."""
    over = {node: number for ref, number in _ended if (node := ref()) is not None}
    if not over and getattr(t, "_stands_for", None) is None:
        return 0, False
    try:
        if not requires_grad(t):
            return 0, False
        made = made_by(t)
    except RuntimeError:  # a view that may not be asked
        return 0, False
    if made is None:
        count, outside = 0, t
        while (under := getattr(outside, "_stands_for", None)) is not None:
            count += all(outside is not one for level in transforms.stack for one in getattr(level, "given", ()))
            outside = under
        return count, bool(count)
    found: set[int] = set()
    nodes: Iterator[Any] = reachable([made])
    for node in nodes:
        if (known := over.get(node)) is not None:
            found.add(known)
        elif node.accumulates:
            return 0, False
    return sum(made._seq < last for last in found), bool(found)


_ESCAPED = "GradTrackingTensor(lvl=-2, value=\n{}\n)"
_BATCHED = "BatchedTensor(lvl={}, bdim={}, value=\n{}\n)"


def _layers(t: Tensor) -> tuple[list[str], Tensor]:
    """What transforms have put around a tensor, the last first, and what it is outside of them; the same of one that
    has escaped from vmap."""
    array = getattr(t, "_array", None)  # one of PyTorch's, or one without contents, has none
    if array is None:
        return [], t
    levels = levels_of(array.shape)
    layers = []
    lvl = sum(not level.hidden for level in transforms.stack)
    for level in reversed(transforms.stack):
        around, t = level.around(t)
        if around:
            layers.append(around.format(lvl, "{}"))
        lvl -= not level.hidden
    dead = set(levels).difference(modes.current().levels)
    layers += [_BATCHED.format(lvl, 0, "{}") for lvl in range(len(dead), 0, -1)]
    return layers, t


def is_wrapped(t: Tensor, /) -> bool:
    """Whether transforms have put something around a tensor (`torch._C._functorch.is_functorch_wrapped_tensor`)."""
    return bool(_layers(t)[0])


def _show(t: Tensor) -> str | None:
    """The text of a tensor inside of transforms, or of one that has escaped from vmap; None for one that they do not
    concern."""
    layers, t = _layers(t)
    count, plain = (0, False) if transforms.stack else _escaped(t)
    layers += [_ESCAPED] * count
    if not layers and not plain and not any(level.hidden for level in transforms.stack):
        return None
    whole = all_rows(t._array)
    text = printing.tensor_repr(t if not plain and _differentiated_outside(t) else wrap(whole), whole)
    for layer in reversed(layers):
        text = layer.format(textwrap.indent(text, "    "))
    return text


def _differentiated_outside(t: Tensor) -> bool:
    """Whether a tensor has a history outside of all transforms: it leads to other leaves than theirs."""
    if not requires_grad(t) or not all(getattr(level, "recorded", True) for level in transforms.stack):
        return False
    own = {leaf for level in transforms.stack for leaf in getattr(level, "own", ())}
    made = made_by(t)
    if made is None:
        return id(t) not in own
    leaves: Iterator[Any] = (node for node in reachable([made]) if node.accumulates)
    return any(id(leaf.variable) not in own for leaf in leaves)


printing.transformed = _show


def _name(func: Any) -> str:
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return str(getattr(func, "__name__", None) or repr(func))


def _spread(name: str, args: tuple[Any, ...], in_dims: Any) -> tuple[list[tuple[Any, list[tuple[Any, Any]]]], int]:
    """Each argument with its leaves, those that are mapped over taken apart; and the number of elements."""
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            start + "expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
            f"inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    every = spread_over(in_dims, args)
    if every is None:
        raise ValueError(
            f"{start}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{structure(in_dims)} but inputs has structure {structure(args)}."
        )
    dims = iter(every)
    spread: list[tuple[Any, list[tuple[Any, Any]]]] = []
    sizes: list[int] = []
    for arg in args:
        parts: list[tuple[Any, Any]] = []
        for t in flat(arg):
            d = next(dims)
            if d is not None:
                _check_mapped(start, t, d)
                sizes.append(t._array.shape[d])
            parts.append((t, d))
        spread.append((arg, parts))
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) != 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return spread, sizes[0]


def _check_mapped(start: str, t: Any, dim: Any) -> None:
    """Refuse to map over what is not a tensor, or has no such dimension."""
    if not isinstance(dim, int):
        raise ValueError(
            f"{start}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not isinstance(t, Tensor):
        raise ValueError(
            f"{start}Got in_dim={dim} for an input but the input is of type {type(t)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    n = t._array.ndim
    if not -n <= dim < n:
        raise ValueError(
            f"{start}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {n} so "
            f"expected in_dim to satisfy -{n} <= in_dim < {n}."
        )
