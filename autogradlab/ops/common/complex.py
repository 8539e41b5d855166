"""Complex numbers: made of two real ones, conjugates, parts, angles, and the views between complex and real tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.recording.record import RAW, TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.types.return_types import named
from ...core.values.promotion import broadcast_error
from ..first.kinds import floated, in_both_worlds
from ..table.factories import unary
from ..table.families import attach
from ..table.opdef import OPS, composite, op, publish

F = TENSORS
_REAL_OF = {np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)}
_COMPLEX_OF = {real: whole for whole, real in _REAL_OF.items()}
_PARTS = ("float16", "float32", "float64")


def _check_parts(first: np.ndarray, second: np.ndarray) -> None:
    a, b = (dtypes.from_numpy(x.dtype) for x in (first, second))
    if a.name not in _PARTS or b.name not in _PARTS:
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{dtypes._scalar_name(a)} and {dtypes._scalar_name(b)}"
        )
    if a is not b:
        raise RuntimeError(
            f"Expected object of scalar type {dtypes._scalar_name(a)} but got scalar type "
            f"{dtypes._scalar_name(b)} for second argument"
        )
    if a.itemsize == 2:
        raise NotImplementedError("autogradlab has no complex numbers of 16-bit parts")
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        broadcast_error(first.shape, second.shape)


@op(
    "complex",
    "real imag",
    method=False,
    vjp={
        "real": lambda F, grad: grad.real,
        "imag": lambda F, grad: grad.imag,
    },
)
def complex_(real, imag):  # type: ignore[no-untyped-def]
    """complex(real, imag): the complex tensor of two parts.

    >>> import autogradlab as torch
    >>> torch.complex(torch.tensor([1.]), torch.tensor([2.]))
    tensor([1.+2.j])
    """
    _check_parts(real, imag)
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), _COMPLEX_OF[real.dtype])
    result.real, result.imag = real, imag
    return result


@op(
    "polar",
    "abs angle",
    method=False,
    vjp={
        "abs angle": lambda F, grad, angle, result: (
            (grad.conj() * F.polar(F.ones_like(angle), angle)).real,
            (grad.conj() * (result * 1j)).real,
        ),
    },
)
def polar(abs, angle):  # type: ignore[no-untyped-def]
    """polar(abs, angle): the complex tensor of lengths and angles.

    >>> import autogradlab as torch
    >>> torch.polar(torch.tensor([2.]), torch.tensor([0.]))
    tensor([2.+0.j])
    """
    _check_parts(abs, angle)
    result = np.empty(np.broadcast_shapes(abs.shape, angle.shape), _COMPLEX_OF[abs.dtype])
    result.real, result.imag = abs * np.cos(angle), abs * np.sin(angle)
    return result


@op("_conj", method=False, function=False, node="ConjBackward0", vjp={"input": lambda F, grad: F.conj(grad)})
def _conj(input):  # type: ignore[no-untyped-def]
    return np.conjugate(input)


@composite(name="conj")
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is. The values are computed at once, not marked for later."""
    if not isinstance(input, Tensor):
        from ..table.arguments import reject

        reject("conj", (input,), {})
    if input._array.dtype.kind != "c":
        return input
    t: Tensor = F._conj(input)
    if not is_conj(input):
        t.__dict__["_conjugated"] = True
    return t


@composite()
def is_conj(input: Tensor) -> bool:
    """Whether a tensor came from `conj()`."""
    return "_conjugated" in input.__dict__


@composite()
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, its values conjugated already."""
    return F.clone(input) if is_conj(input) else input  # type: ignore[no-any-return]


@composite()
def is_neg(input: Tensor) -> bool:
    """Whether values are stored with the other sign: they never are."""
    return False


@composite()
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself."""
    return input


unary(
    "conj_physical",
    lambda x: np.conjugate(x) if x.dtype.kind == "c" else x.copy(),
    lambda F, grad: F.conj(grad),
    promotes=False,
    doc="The complex conjugate, in memory of its own.",
)
_conj_physical = F.conj_physical
OPS["conj_physical"].overload_in_place()


def _physical(input: Any = None, *args: Any, **options: Any) -> Any:
    if isinstance(input, Tensor) and input._array.dtype.kind != "c" and not args and not options:
        return input
    return _conj_physical(input, *args, **options)


publish("conj_physical", _physical, None, True, True, "The complex conjugate, in memory of its own.")


@op("view_as_real", view=True, method=False, vjp={"input": lambda F, grad: F.view_as_complex(F.contiguous(grad))})
def view_as_real(input):  # type: ignore[no-untyped-def]
    """A complex tensor as a real one with a last dimension of 2: real and imaginary part, the same memory."""
    real = _REAL_OF.get(input.dtype)
    if real is None:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    parts = input.real  # NumPy's view of the real parts has the strides; the imaginary ones follow
    return np.lib.stride_tricks.as_strided(parts, (*input.shape, 2), (*input.strides, real.itemsize))


@op("view_as_complex", view=True, method=False, vjp={"input": lambda F, grad: F.view_as_real(F.resolve_conj(grad))})
def view_as_complex(input):  # type: ignore[no-untyped-def]
    """A real tensor with a last dimension of 2 as a complex one: the same memory."""
    whole = _COMPLEX_OF.get(input.dtype)
    if whole is None:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
            f"scalar type: {_name(input)}"
        )
    if not input.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    size = input.itemsize
    if not input.size:
        return np.empty(input.shape[:-1], whole)
    if input.strides[-1] != size:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % (2 * size) for s in input.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return input.view(whole)[..., 0]


def _name(x: np.ndarray) -> str:
    from ..first.kinds import name_of

    return name_of(x)


def _raw_view_as_complex(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).view(_COMPLEX_OF[x.dtype])[..., 0]


RAW.view_as_complex = _raw_view_as_complex
RAW.contiguous = np.ascontiguousarray
RAW.resolve_conj = lambda x: x


@composite(method=False)
def real(input: Tensor) -> Tensor:
    """The real part, a view; a real tensor is returned as it is."""
    if input._array.dtype.kind != "c":
        return input
    return F.select(F.view_as_real(input), input._array.ndim, 0)  # type: ignore[no-any-return]


@composite(method=False)
def imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor, a view."""
    if input._array.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return F.select(F.view_as_real(input), input._array.ndim, 1)  # type: ignore[no-any-return]


def _set_real(self: Tensor, value: Any) -> None:
    real(self).copy_(value)


def _set_imag(self: Tensor, value: Any) -> None:
    imag(self).copy_(value)


attach("real", property(real, _set_real))
attach("imag", property(imag, _set_imag))


@in_both_worlds
def angle_backward(F, grad, input):  # type: ignore[no-untyped-def]
    if not F.is_complex(input):
        return F.nought(grad)
    return F.only(input != 0, grad * input / F.square(F.abs(input)) * 1j)


def _angle(x):  # type: ignore[no-untyped-def]
    x = floated(x)
    if x.dtype.kind == "c":
        return np.angle(x)
    return np.where(np.isnan(x), x, np.where(x < 0, np.asarray(np.pi, x.dtype), np.zeros((), x.dtype)))


unary(
    "angle",
    _angle,
    lambda F, grad, input: F.angle_backward(grad, input),
    inplace=False,
    doc="The angle of a complex number; of a real one 0 or pi.",
)


@op(
    "frexp",
    outputs=("mantissa", "exponent"),
    differentiable=1,
    returns=named("frexp", ("mantissa", "exponent")),
    vjp={
        "input": lambda F, grad, exponent: grad / F.exp2(F.floats_like(exponent, grad)),
    },
)
def frexp(input):  # type: ignore[no-untyped-def]
    """input as mantissa * 2**exponent, the mantissa from 0.5 to 1."""
    if input.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(input)
    return np.asarray(mantissa), np.asarray(exponent).astype(np.int32)


RAW.floats_like = lambda x, grad: x.astype(grad.dtype)
TENSORS.floats_like = lambda x, grad: F.to(x, grad.dtype)
RAW.square = np.square
RAW.ones_like = np.ones_like
