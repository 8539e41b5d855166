"""Checks on the gradients passed between Nodes (shape, dtype, number) and on what hooks return."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..arguments.mismatch import typename
from ..graph.backend import TENSORS
from ..graph.node import NO_EDGE, Node, pair
from ..memory.adding import added
from ..memory.rows import Rows, levels_of
from ..runtime import modes
from ..tensor.tensor import Tensor
from ..types import dtypes

__all__ = ["cast_to", "check_hook_result", "checked", "expandable", "reduce_to", "validate"]

_ndarray = np.ndarray


def expandable(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether `shape` broadcasts to `target`."""
    lead = len(target) - len(shape)
    if lead < 0:
        return False
    return target[lead:] == shape or _spreads(shape, target)


@lru_cache(maxsize=1024)
def _spreads(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """The same for shapes of which the second is as long."""
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(target), strict=False))


@lru_cache(maxsize=1024)
def _summed_dims(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    lead = len(shape) - len(target)
    return (*range(lead), *(i + lead for i, n in enumerate(target) if n == 1 and shape[i + lead] != 1))


def reduce_to(g: Any, shape: tuple[int, ...]) -> Any:
    """Undo a broadcast: sum an array or a Tensor over the dimensions along which `shape` was repeated."""
    if isinstance(g, Tensor):
        if not shape:
            return g.sum()
        dims = _summed_dims(tuple(g.shape), shape)
        if dims:
            g = g.sum(dims, keepdim=True)
        return g.view(shape) if len(g.shape) != len(shape) else g
    lead = g.ndim - len(shape)
    if lead and g.shape[lead:] == shape:  # a bias: only leading dimensions were repeated
        total = added(g, 0 if lead == 1 else tuple(range(lead)))
        if isinstance(total, np.generic):
            total = np.asarray(total)
        return total.reshape(shape) if shape else total  # the dimensions that are kept at first are taken off by a view
    dims = _summed_dims(g.shape, shape)
    if dims:
        g = added(g, dims, True)
    return g if g.shape == shape else g.reshape(shape)


def cast_to(g: Any, numpy: np.dtype[Any]) -> Any:
    """A gradient in the dtype of what it is the gradient of: a complex one of a real input loses its imaginary part."""
    complex_to_real = g.is_complex() if isinstance(g, Tensor) else g.dtype.kind == "c"
    if complex_to_real and numpy.kind != "c":
        g = g.real
    if isinstance(g, Tensor):
        return g.to(dtypes.from_numpy(numpy))
    return g.astype(numpy)


def checked(node: Node | None, index: int, g: Any, shape: tuple[int, ...], numpy: np.dtype[Any]) -> Any:
    """A gradient summed and cast to the shape and dtype that are expected; an error if its shape does not allow it."""
    if type(g) is np.ndarray and g.dtype is numpy:  # the usual case
        if shape and g.shape[1:] == shape:  # what `reduce_to` does for a bias
            return added(g, 0).reshape(shape)
        if expandable(shape, g.shape):
            return reduce_to(g, shape)
    array = g._array if isinstance(g, Tensor) else g
    if type(array) is Rows and isinstance(g, Tensor):
        array = (g := _left(TENSORS, g, levels_of(shape)))._array
    if array.shape == shape and array.dtype is numpy:
        return g
    if array.dtype.kind == "c" and numpy is not None and numpy.kind != "c":  # formulas take the real part themselves
        g = g.real
    if array.shape != shape:
        if not expandable(shape, tuple(g.shape)):
            who = "invalid" if node is None else f"Function {node.name()} returned an invalid"
            raise RuntimeError(
                f"{who} gradient at index {index} - got {list(g.shape)} but expected shape compatible "
                f"with {list(shape)}"
            )
        g = reduce_to(g, shape)
    found = g._array.dtype if isinstance(g, Tensor) else g.dtype
    return g if numpy is None or found is numpy or found == numpy else cast_to(g, numpy)


def _left(F: Any, g: Tensor, levels: tuple[int, ...]) -> Tensor:
    """A gradient summed over the rows of each vmap that was left, where what it is the gradient of has no such rows."""
    kept = {*levels, *modes.current().levels}
    rows: Any = g._array
    for level in rows.levels:
        if level not in kept:
            g = F._sum_batch_dim(g, level)
    return g


def validate(node: Node, outs: tuple[Any, ...]) -> tuple[Any, ...]:
    """All gradients that a Node returned, against its edges."""
    edges: Any = node._edges
    if len(outs) != len(edges):
        if len(outs) > len(edges) and all(g is None for g in outs[len(edges) :]):
            outs = outs[: len(edges)]
        else:
            raise RuntimeError(
                f"Function {node.name()} returned an invalid number of gradients - expected "
                f"{len(edges)}, but got {len(outs)}"
            )
    i = -1
    for edge in edges:
        i += 1
        g = outs[i]
        if g is not None and edge is not NO_EDGE:
            array = g._array if type(g) is Tensor else g
            if (type(array) is not _ndarray and type(g) is not Rows) or type(edge) is tuple:
                break
            if array.shape != edge.shape or array.dtype is not edge.dtype:
                break
    else:
        return outs
    results = []
    for i, (g, edge) in enumerate(zip(outs, edges, strict=True)):
        target, nr = pair(edge)
        if g is not None and target is not None:
            shape, numpy = (target.shape[nr], target.dtype[nr]) if target.multi else (target.shape, target.dtype)
            args = node, i, g, shape, numpy
            g = checked(*args) if isinstance(g, Tensor) else modes.quiet(checked, *args)
        results.append(g)
    return tuple(results)


#: tensor types that PyTorch's engine calls by the name of their Python type; others by the name they have in C++
_NAMED_TYPES = frozenset(("Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double"))


def _type_name(tensor: Tensor) -> str:
    """torch.FloatTensor, but CPUBoolType, in the message about a hook's result."""
    python: str = tensor.type()
    name = python.removeprefix("torch.").removesuffix("Tensor")
    return python if name in _NAMED_TYPES else f"CPU{name}Type"


def check_hook_result(hook: Any, given: Any, result: Any) -> None:
    """A tensor hook must return a Tensor of the type, dtype and size that it got."""
    name = getattr(hook, "__name__", "<unknown>")
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{typename(result)}'")
    if given is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(given, Tensor):
        return
    if result._array.dtype is not given._array.dtype:
        was, got = _type_name(given), _type_name(result)
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {was} got {got})")
    if result.shape != given.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
