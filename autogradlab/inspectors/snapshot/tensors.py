"""Facts about one tensor or NumPy array, as frozen data: nothing in here keeps it alive."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..values import dtype, readable, shape
from .firing import of_inspectors
from .kinds import attribute
from .lines import lines_of
from .memory import contiguous, extent, sharing
from .names import Names
from .origins import Origin, origin
from .reasons import Reason, grad_reason

__all__ = ["ArrayFacts", "TensorFacts", "array_facts", "has_grad", "hook_names", "not_finite", "tensor_facts"]

#: elements up to which the numbers themselves are searched
SEARCHED = 1_000_000


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """What `show` says of a tensor, the numbers excepted. None: the tensor cannot say (it is sparse,
    has no memory, ...)."""

    name: str
    kind: str  #: "Tensor", "Parameter", ...
    shape: str
    dtype: str
    device: str
    is_leaf: bool
    requires_grad: bool
    node: str | None
    retains_grad: bool
    version: int | None
    strides: str | None
    contiguous: bool | None
    offset: int | None
    nbytes: int | None
    base: str | None  #: the name of the tensor that it is a view of; "" if that has no name
    shares: tuple[str, ...]
    hooks: tuple[str, ...]
    has_grad: bool
    reason: Reason
    made: Origin | None
    odd: tuple[tuple[str, int], ...]  #: "nan", "inf" and "-inf" among its elements, each with how many
    grad_odd: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """What `show` says of a NumPy array; strides are in bytes, as NumPy has them."""

    name: str
    shape: str
    dtype: str
    strides: str
    contiguous: bool
    nbytes: int
    owns: bool
    writeable: bool
    shares: tuple[str, ...]
    made: Origin | None


def _ask(question: Callable[[], Any]) -> Any:
    """The answer, or None from a tensor that has none: sparse, without memory, inside of vmap,
    made in inference mode."""
    try:
        return question()
    except Exception:  # each kind of tensor refuses in its own way
        return None


def has_grad(tensor: Any) -> bool:
    """Whether `.grad` is there, asked so that PyTorch does not warn about non-leaf tensors."""
    return (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None


def hook_names(tensor: Any) -> tuple[str, ...]:
    """The functions registered on the tensor, in order; not those by which other inspectors look at it."""
    tables = (getattr(tensor, "_backward_hooks", None), getattr(tensor, "_post_accumulate_grad_hooks", None))
    hooks = [hook for table in tables for hook in (table or {}).values() if not of_inspectors(hook)]
    return tuple(str(attribute(hook, "__name__") or type(hook).__name__) for hook in hooks)


def not_finite(tensor: Any) -> tuple[tuple[str, int], ...]:
    """How many nan, inf and -inf there are (of complex numbers, inf of any sign), kinds without any left out; large
    tensors are not searched."""
    count = _ask(lambda: int(tensor.numel()))
    if (
        not (tensor.is_floating_point() or tensor.is_complex())
        or count is None
        or count > SEARCHED
        or not readable(tensor)
    ):
        return ()
    plain = tensor.detach()
    below = None if tensor.is_complex() else _ask(lambda: int((plain == -math.inf).sum()))
    counts = (
        ("nan", _ask(lambda: int(plain.isnan().sum()))),
        ("inf", (_ask(lambda: int(plain.isinf().sum())) or 0) - (below or 0)),
        ("-inf", below),
    )
    return tuple((kind, count) for kind, count in counts if count)


def _bytes(thing: Any) -> int | None:
    span = extent(thing)
    return span[1] - span[0] if span is not None else None


def _made(thing: Any, name: str, names: Names, space: Mapping[str, Any] | None) -> Origin | None:
    """Where the variable of that name was assigned, if it holds this."""
    if space is None or name not in names.all(thing):
        return None
    computed = getattr(thing, "grad_fn", None) is not None  # w -= ... does not make the leaf w
    return origin(name, space, computed, computed, lines_of(thing.grad_fn) if computed else frozenset())


def tensor_facts(tensor: Any, name: str, names: Names, space: Mapping[str, Any] | None) -> TensorFacts:
    base = _ask(lambda: tensor._base)
    return TensorFacts(
        name=name,
        kind=type(tensor).__name__,
        shape=shape(tensor),
        dtype=dtype(tensor),
        device=str(tensor.device),
        is_leaf=tensor.is_leaf,
        requires_grad=tensor.requires_grad,
        node=tensor.grad_fn.name() if tensor.grad_fn is not None else None,
        retains_grad=bool(tensor.retains_grad),
        version=_ask(lambda: int(tensor._version)),
        strides=_ask(lambda: str(tuple(int(s) for s in tensor.stride()))),
        contiguous=_ask(lambda: contiguous(tensor)),
        offset=_ask(lambda: int(tensor.storage_offset())),
        nbytes=_bytes(tensor),
        base=None if base is None else names.of(base) or "",
        shares=tuple(sharing(tensor, names)),
        hooks=hook_names(tensor),
        has_grad=has_grad(tensor),
        reason=grad_reason(tensor, names, space, name),
        made=_made(tensor, name, names, space),
        odd=not_finite(tensor),
        grad_odd=not_finite(tensor.grad) if has_grad(tensor) else (),
    )


def array_facts(array: Any, name: str, names: Names, space: Mapping[str, Any] | None) -> ArrayFacts:
    return ArrayFacts(
        name=name,
        shape=shape(array),
        dtype=dtype(array),
        strides=str(tuple(int(s) for s in array.strides)),
        contiguous=contiguous(array),
        nbytes=_bytes(array) or 0,
        owns=bool(array.flags.owndata),
        writeable=bool(array.flags.writeable),
        shares=tuple(sharing(array, names)),
        made=_made(array, name, names, space),
    )
