"""The same operation on each tensor of a list: `torch._foreach_add(parameters, 1)`, as optimizers and averages use it.

PyTorch runs them as one kernel on a GPU; on the CPU, and here, they are loops. The Nodes are those of the operations.
Operations of one tensor have such a function, and one that works in place, if their declaration is marked `|foreach`;
those with more arguments are declared here.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from itertools import repeat
from typing import Any, NamedTuple

from ..core.arguments.declared import marked, name_of
from ..core.arguments.signature import Signatures
from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor
from .table.families import operation
from .table.signatures import lines

__all__ = ["find"]

_PREFIX = "_foreach_"
#: arguments by name, in the order of the signature
Values = dict[str, Any]


class _Entry(NamedTuple):
    """A function for lists."""

    #: its signatures in PyTorch's order; `|function` ones are not those of the form in place
    text: str
    #: whether it has a form in place
    in_place: bool
    #: the operation that stands for it where the second argument is a number, and in place
    bound: str
    #: the argument of the operation that takes the last one of the list's function
    last: str
    #: is called with the arguments before anything is computed, and may raise
    check: Callable[[Values], None] | None
    #: what is called with the arguments for each tensor, if it is not the operation of that name
    each: Callable[..., Any] | None


#: what is declared here, by name
_ENTRIES: dict[str, _Entry] = {}
#: the functions that have been asked for
_made: dict[str, Callable[..., Any]] = {}


def _declare(
    text: str,
    in_place: bool = True,
    *,
    bound: str = "",
    last: str = "",
    check: Callable[[Values], None] | None = None,
    each: Callable[..., Any] | None = None,
) -> None:
    _ENTRIES[name_of(text)] = _Entry(text, in_place, bound, last, check, each)


def _refuse_norm(values: Values) -> None:
    if isinstance(values["ord"], (bool, complex)):
        raise RuntimeError("foreach_tensor_norm_slow expects ord to be integer or float")
    if values["ord"] == float("inf") and not all(t._array.size for t in values["self"]):
        raise RuntimeError(
            "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does not have an "
            "identity"
        )


def _refuse_empty_max(values: Values) -> None:
    if not all(t._array.size for t in values["self"]):
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )


def _refuse_unequal_products(values: Values) -> None:
    if not values["self"]:
        raise RuntimeError("_foreach_mm requires non-empty tensor lists")
    if len(values["self"]) != len(values["mat2"]):
        raise RuntimeError("_foreach_mm: self and mat2 must have the same number of tensors")


def _refuse_packed(values: Values) -> None:
    """The errors for numbers that come as one tensor."""
    packed, count = values.get("scalars"), len(values["self"])
    if isinstance(packed, Tensor):
        if not packed.is_contiguous():
            raise RuntimeError("Expected scalars to be contiguous.")
        if packed.dim() != 1:
            raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {packed.dim()} instead.")
        if len(packed) != count:
            raise RuntimeError(
                f"Expected length of scalars to match input of length {count} but got {len(packed)} instead."
            )
        values["scalars"] = packed.tolist()


def _norm(t: Tensor, ord: Any, dtype: Any) -> Tensor:
    norm: Tensor = TENSORS.linalg_vector_norm(t, ord, dtype=dtype)
    return norm


def _power_sum(t: Tensor, ord: Any, dtype: Any) -> Tensor:
    total: Tensor = TENSORS.sum(TENSORS.pow(TENSORS.abs(t), ord), dtype=dtype)
    return total


_declare("""
    _foreach_add(Tensor[] self, Scalar scalar)
    _foreach_add(Tensor[] self, Scalar[] scalars)
    _foreach_add(Tensor[] self, Tensor other, *, Scalar alpha=1)
    _foreach_add(Tensor[] self, Tensor[] other, *, Scalar alpha=1)
""")
_declare("""
    _foreach_sub(Tensor[] self, Scalar scalar)
    _foreach_sub(Tensor[] self, Scalar[] scalars)
    _foreach_sub(Tensor[] self, Tensor[] other, *, Scalar alpha=1)
""")
_declare("""
    _foreach_mul(Tensor[] self, Scalar[] scalars)
    _foreach_mul(Tensor[] self, Tensor other)
    _foreach_mul(Tensor[] self, Tensor[] other)
    _foreach_mul(Tensor[] self, Scalar scalar)
""")
_declare("""
    _foreach_div(Tensor[] self, Scalar[] scalars)
    _foreach_div(Tensor[] self, Tensor other)
    _foreach_div(Tensor[] self, Tensor[] other)
    _foreach_div(Tensor[] self, Scalar scalar)
""")
_declare(
    """
    _foreach_maximum(Tensor[] self, Scalar scalar)
    _foreach_maximum(Tensor[] self, Scalar[] scalars)
    _foreach_maximum(Tensor[] self, Tensor[] other)
    """,
    bound="clamp_min",
)
_declare(
    """
    _foreach_minimum(Tensor[] self, Scalar scalar)
    _foreach_minimum(Tensor[] self, Scalar[] scalars)
    _foreach_minimum(Tensor[] self, Tensor[] other)
    """,
    bound="clamp_max",
)
_declare("""
    _foreach_clamp_min(Tensor[] self, Scalar scalar)
    _foreach_clamp_min(Tensor[] self, Scalar[] scalars)
    _foreach_clamp_min(Tensor[] self, Tensor[] other)
""")
_declare("""
    _foreach_clamp_max(Tensor[] self, Scalar scalar)
    _foreach_clamp_max(Tensor[] self, Scalar[] scalars)
    _foreach_clamp_max(Tensor[] self, Tensor[] other)
""")
_declare("""
    _foreach_pow(Scalar self, Tensor[] exponent)|function
    _foreach_pow(Tensor[] self, Scalar exponent)
    _foreach_pow(Tensor[] self, Scalar[] exponent)
    _foreach_pow(Tensor[] self, Tensor[] exponent)
""")
_declare(
    """
    _foreach_addcmul(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars)
    _foreach_addcmul(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars)
    _foreach_addcmul(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1)
    """,
    last="value",
    check=_refuse_packed,
)
_declare(
    """
    _foreach_addcdiv(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars)
    _foreach_addcdiv(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars)
    _foreach_addcdiv(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1)
    """,
    last="value",
    check=_refuse_packed,
)
_declare("""
    _foreach_lerp(Tensor[] self, Tensor[] tensors1, Scalar weight)
    _foreach_lerp(Tensor[] self, Tensor[] tensors1, Scalar[] weight)
    _foreach_lerp(Tensor[] self, Tensor[] tensors1, Tensor[] weights)
""")
_declare("_foreach_norm(Tensor[] self, Scalar ord=2, ScalarType? dtype=None)", False, check=_refuse_norm, each=_norm)
_declare("_foreach_powsum(Tensor[] self, Scalar ord=2, ScalarType? dtype=None)", False, each=_power_sum)
_declare("_foreach_mm(Tensor[] self, Tensor[] mat2)", False, check=_refuse_unequal_products)
_declare("_foreach_max(Tensor[] self)", False, check=_refuse_empty_max)
_declare("_foreach_clone(Tensor[] self, *, MemoryFormat? memory_format=None)", False)
_declare("_foreach_zero_(Tensor[] self)", False)
_declare("_foreach_copy_(Tensor[] self, Tensor[] src, bool non_blocking=False)", False)


def find(published: str) -> Callable[..., Any] | None:
    """The function for lists of that name, `_foreach_exp_`; None if PyTorch has none."""
    if published not in _made:
        entry = _entry(published)
        if entry is None:
            return None
        _made[published] = _function(published, entry)
    return _made[published]


def _entry(published: str) -> _Entry | None:
    if published in _ENTRIES:
        return _ENTRIES[published]
    name = published.removesuffix("_")
    if name in _ENTRIES:
        return _ENTRIES[name] if _ENTRIES[name].in_place else None
    single = name.removeprefix(_PREFIX)
    if single in TENSORS.__dict__:
        operation(single)  # which loads what declares it
        if marked(single, "foreach"):
            return _Entry(f"{name}(Tensor[] self)", True, "", "", None, None)
    return None


def _function(published: str, entry: _Entry) -> Callable[..., Any]:
    name, in_place = published.removeprefix(_PREFIX), published.endswith("_")
    overloads = [line.signature for line in lines(entry.text) if not (in_place and "|function" in line.marks)]
    signatures = Signatures(published, *(published + text[text.index("(") :] for text in overloads))
    keywords = [[p.name for p in overload.params if p.keyword_only] for overload in signatures.overloads]
    numbers = [{p.name for p in overload.params if p.kind == "Scalar[]"} for overload in signatures.overloads]

    def foreach(*args: Any, **kwargs: Any) -> Any:
        index, values = signatures.bind(args, kwargs)
        if entry.check is not None:
            entry.check(values)
        count = _count(values, numbers[index])
        options = {keyword: values.pop(keyword) for keyword in keywords[index]}
        given = list(values.values())
        if len(given) == 2 and isinstance(given[1], Tensor) and given[1].dim():
            sizes = f"{given[1].dim()} dimensions and {given[1].numel()} elements"
            raise RuntimeError(f"scalar tensor expected to be 0 dim but it has {sizes}.")
        call = entry.each
        if call is None:
            bound = entry.bound and (in_place or not isinstance(_first(given[1]), Tensor))
            called = entry.bound + "_" * in_place if bound else name
            call = _method(called) if in_place else getattr(TENSORS, called)
        rows = zip(*(v if isinstance(v, (list, tuple)) else repeat(v, count) for v in given), strict=True)
        if entry.last:
            found = [call(*row, **{entry.last: last}) for *row, last in rows]
        else:
            found = [call(*row, **options) for row in rows]
        return values["self"] if in_place else tuple(found)

    foreach.__name__ = foreach.__qualname__ = published
    foreach.__doc__ = f"`{name.removesuffix('_')}` of each tensor of a list{', in place' if in_place else ''}."
    return foreach


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, (list, tuple)) and value else value


def _method(name: str) -> Callable[..., Any]:
    return lambda t, *args, **kwargs: getattr(t, name)(*args, **kwargs)


def _count(values: Values, numbers: Set[str]) -> int:
    """How long the lists are; PyTorch's errors if they are empty or do not match."""
    count = 0
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            if not count:
                count = len(value)
                if not count:
                    raise RuntimeError("Tensor list must have at least one tensor.")
            elif len(value) != count:
                if name in numbers:
                    raise RuntimeError("Tensor list must have same number of elements as scalar list.")
                raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(value)}")
    return count
