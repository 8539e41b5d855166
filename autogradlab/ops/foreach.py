"""The same operation on each tensor of a list: `torch._foreach_add(parameters, 1)`, as optimizers and averages use it.

PyTorch runs them as one kernel on a GPU; on the CPU, and here, they are loops. The Nodes are those of the operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ..core.arguments.signature import Signatures
from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor

__all__ = ["FUNCTIONS"]

_UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal
round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"""
_SELF = "Tensor[] self"
_SCALAR, _SCALARS = f"{_SELF}, Scalar scalar", f"{_SELF}, Scalar[] scalars"
_LIST, _ALPHA = f"{_SELF}, Tensor[] other", f"{_SELF}, Tensor[] other, *, Scalar alpha=1"
#: the overloads of an operation of two, in PyTorch's order
_BINARY = {
    "add": (_SCALAR, _SCALARS, f"{_SELF}, Tensor other, *, Scalar alpha=1", _ALPHA),
    "sub": (_SCALAR, _SCALARS, _ALPHA),
    "mul": (_SCALARS, f"{_SELF}, Tensor other", _LIST, _SCALAR),
    "div": (_SCALARS, f"{_SELF}, Tensor other", _LIST, _SCALAR),
    **dict.fromkeys(("maximum", "minimum", "clamp_min", "clamp_max"), (_SCALAR, _SCALARS, _LIST)),
}
#: what bounds by numbers, and in place
_CLAMPS = {"maximum": "clamp_min", "minimum": "clamp_max"}
_POW = (
    "Scalar self, Tensor[] exponent",
    f"{_SELF}, Scalar exponent",
    f"{_SELF}, Scalar[] exponent",
    f"{_SELF}, Tensor[] exponent",
)
_THREE = f"{_SELF}, Tensor[] tensor1, Tensor[] tensor2"
_TERNARY = {
    "addcmul": (f"{_THREE}, Scalar[] scalars", f"{_THREE}, Tensor scalars", f"{_THREE}, Scalar value=1"),
    "addcdiv": (f"{_THREE}, Scalar[] scalars", f"{_THREE}, Tensor scalars", f"{_THREE}, Scalar value=1"),
    "lerp": (
        f"{_SELF}, Tensor[] tensors1, Scalar weight",
        f"{_SELF}, Tensor[] tensors1, Scalar[] weight",
        f"{_SELF}, Tensor[] tensors1, Tensor[] weights",
    ),
}


def _checked(*lists: Any) -> None:
    """PyTorch's errors for lists that are empty or do not match."""
    first = len(lists[0])
    if not first:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for other in lists[1:]:
        if isinstance(other, (list, tuple)) and len(other) != first:
            if other and not isinstance(other[0], Tensor):
                raise RuntimeError("Tensor list must have same number of elements as scalar list.")
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got {first} and {len(other)}")


def _each(value: Any, count: int) -> Sequence[Any]:
    """A value for each tensor: those of a list, or the same for all."""
    return value if isinstance(value, (list, tuple)) else [value] * count


def _run(self: Any, rows: Iterable[tuple[Any, ...]], call: Callable[..., Any], in_place: bool) -> Any:
    """What an operation gives for each row of arguments; in place, the list itself, changed."""
    found = [call(*row) for row in rows]
    return self if in_place else tuple(found)


def _operation(name: str, in_place: bool) -> Callable[..., Any]:
    """An operation on tensors, or the method that does it in place."""
    if in_place:
        method = f"{_CLAMPS.get(name, name)}_"
        return lambda self, *args, **kwargs: getattr(self, method)(*args, **kwargs)
    return lambda self, *args, **kwargs: getattr(TENSORS, name)(self, *args, **kwargs)


def _unary(name: str, in_place: bool, signatures: Signatures, args: Any, kwargs: Any) -> Any:
    tensors = signatures.bind(args, kwargs)[1]["self"]
    _checked(tensors)
    return _run(tensors, ((t,) for t in tensors), _operation(name, in_place), in_place)


def _binary(name: str, in_place: bool, signatures: Signatures, args: Any, kwargs: Any) -> Any:
    values = signatures.bind(args, kwargs)[1]
    tensors, other = values["self"], next(values[n] for n in ("scalar", "scalars", "other") if n in values)
    _checked(tensors, other)
    if isinstance(other, Tensor) and other.dim():
        raise RuntimeError(
            f"scalar tensor expected to be 0 dim but it has {other.dim()} dimensions and {other.numel()} elements."
        )
    call = _operation(name, in_place)
    options = {"alpha": values["alpha"]} if values.get("alpha", 1) != 1 else {}
    if not isinstance(_each(other, 1)[0], Tensor):
        call = _operation(_CLAMPS.get(name, name), in_place)
    rows = zip(tensors, _each(other, len(tensors)), strict=True)
    return _run(tensors, rows, partial(call, **options), in_place)


def _power(name: str, in_place: bool, signatures: Signatures, args: Any, kwargs: Any) -> Any:
    values = signatures.bind(args, kwargs)[1]
    base, exponent = values["self"], values["exponent"]
    many = base if isinstance(base, (list, tuple)) else exponent
    _checked(many, *(v for v in (base, exponent) if v is not many))
    rows = zip(_each(base, len(many)), _each(exponent, len(many)), strict=True)
    return _run(base, rows, _operation(name, in_place), in_place)


def _ternary(name: str, in_place: bool, signatures: Signatures, args: Any, kwargs: Any) -> Any:
    values = list(signatures.bind(args, kwargs)[1].values())
    tensors, *others = values
    last = others[-1]
    if isinstance(last, Tensor):
        others[-1] = last = last.tolist()
    _checked(tensors, *others)
    call = _operation(name, in_place)
    rows = zip(tensors, *(_each(other, len(tensors)) for other in others), strict=True)
    if name == "lerp":
        return _run(tensors, rows, call, in_place)
    return _run(tensors, rows, lambda t, first, second, value: call(t, first, second, value=value), in_place)


def _norm(name: str, in_place: bool, signatures: Signatures, args: Any, kwargs: Any) -> Any:
    values = signatures.bind(args, kwargs)[1]
    tensors = values["self"]
    _checked(tensors)
    if abs(values["ord"]) == float("inf") and not all(t._array.size for t in tensors):
        raise RuntimeError(
            "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does not have an "
            "identity"
        )
    norm = TENSORS.linalg_vector_norm
    return tuple(norm(t, values["ord"], dtype=values["dtype"]) for t in tensors)


def _largest(name: str, in_place: bool, signatures: Signatures, args: Any, kwargs: Any) -> Any:
    tensors = signatures.bind(args, kwargs)[1]["self"]
    if isinstance(tensors, (tuple, list)) and any(isinstance(t, Tensor) and not t._array.size for t in tensors):
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )
    return _unary("max", in_place, signatures, args, kwargs)


def _copied(name: str, in_place: bool, signatures: Signatures, args: Any, kwargs: Any) -> Any:
    values = signatures.bind(args, kwargs)[1]
    _checked(values["self"], values["src"])
    for target, source in zip(values["self"], values["src"], strict=True):
        target.copy_(source, values["non_blocking"])
    return values["self"]


def _made(name: str, forms: Sequence[str], run: Callable[..., Any], in_place: bool) -> Callable[..., Any]:
    published = f"_foreach_{name}{'_' if in_place else ''}"
    signatures = Signatures(published, *(f"{published}({form})" for form in forms))

    def foreach(*args: Any, **kwargs: Any) -> Any:
        return run(name, in_place, signatures, args, kwargs)

    foreach.__name__ = foreach.__qualname__ = published
    foreach.__doc__ = f"`{name}` of each tensor of a list{', in place' if in_place else ''}."
    return foreach


def _all() -> dict[str, Callable[..., Any]]:
    table: list[tuple[str, Sequence[str], Callable[..., Any]]]
    table = [(name, (_SELF,), _unary) for name in (*_UNARY.split(), "clone", "zero")]
    table += [(name, forms, _binary) for name, forms in _BINARY.items()]
    table += [(name, forms, _ternary) for name, forms in _TERNARY.items()]
    table += [
        ("pow", _POW, _power),
        ("norm", (f"{_SELF}, Scalar ord=2, *, ScalarType? dtype=None",), _norm),
        ("max", (_SELF,), _largest),
        ("copy", (f"{_SELF}, Tensor[] src, bool non_blocking=False",), _copied),
    ]
    only = {"clone": (False,), "zero": (True,), "norm": (False,), "max": (False,), "copy": (True,)}
    made = [_made(name, forms, run, way) for name, forms, run in table for way in only.get(name, (False, True))]
    return {function.__name__: function for function in made}


#: all of them by their names in the torch namespace
FUNCTIONS = _all()
