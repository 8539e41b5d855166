"""Complex numbers: made of two real ones, conjugates, parts, angles, and the views between complex and real tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.arguments.mismatch import typename
from ...core.memory import strided
from ...core.memory.layout import contiguous, iterated
from ...core.memory.lazy import as_lazy_as, bits, conjugated, memory_of, negated
from ...core.memory.rows import laid_by
from ...core.recording.record import RAW, TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.types.return_types import named
from ...core.values.promotion import broadcast_error
from ..first.kinds import floated, on_both_backends
from ..table.arguments import reject
from ..table.asking import Operator
from ..table.calls import ByOut
from ..table.factories import unary
from ..table.families import attach
from ..table.opdef import OPS, composite, op, publish
from ..table.outputs import FOUND, Out

F = TENSORS
_REAL_OF = {np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)}
_COMPLEX_OF = {real: whole for whole, real in _REAL_OF.items()}
_PARTS = ("float16", "float32", "float64")


def _check_parts(first: np.ndarray, second: np.ndarray) -> None:
    a, b = (dtypes.from_numpy(x.dtype) for x in (first, second))
    if a.name not in _PARTS or b.name not in _PARTS:
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{dtypes.scalar_name(a)} and {dtypes.scalar_name(b)}"
        )
    if a is not b:
        raise RuntimeError(
            f"Expected object of scalar type {dtypes.scalar_name(a)} but got scalar type "
            f"{dtypes.scalar_name(b)} for second argument"
        )
    if a.itemsize == 2:
        raise NotImplementedError("autogradlab has no complex numbers of 16-bit parts")
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        broadcast_error(first.shape, second.shape)


@op(
    "complex(Tensor real, Tensor imag, *, Tensor out=None) -> Tensor",
    method=False,
    vjp={
        "real": lambda F, grad: grad.real,
        "imag": lambda F, grad: grad.imag,
    },
    also=("real", "imag"),
    inner_writes=ByOut("complex"),
    out=Out(exact="Expected object of scalar type {0} but got scalar type {1} for argument 'out'"),
)
@laid_by(iterated)
def complex_(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """Complex numbers with the given real and imaginary parts.

    Shapes: both broadcast.
    Dtypes: float32 gives complex64, float64 complex128; both the same.

    >>> torch.complex(torch.tensor([1., 2.]), torch.tensor([3., -4.]))
    tensor([1.+3.j, 2.-4.j])
    """
    _check_parts(real, imag)
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), _COMPLEX_OF[real.dtype])
    result.real, result.imag = real, imag
    return iterated(result, real, imag) if result.ndim > 1 else result


def _polar_back(F: Any, conjugate: Any, result: Any) -> tuple[Any, Any]:
    return F.real_part(conjugate * F.sgn(result)), F.real_part(conjugate * F.mul_number(result, 1j))


@op(
    "polar(Tensor abs, Tensor angle, *, Tensor out=None) -> Tensor|fp32",
    method=False,
    vjp={
        "abs angle": lambda F, grad, result: _polar_back(F, F.conj(grad), result),
    },
    inner_writes=ByOut("polar"),
    out=Out(exact="Expected object of scalar type {0} but got scalar type {1} for argument 'out'"),
)
@laid_by(iterated)
def polar(abs: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Complex numbers with the given absolute values and angles.

    Shapes: both broadcast.
    Dtypes: float32 gives complex64, float64 complex128; both the same.

    >>> torch.polar(torch.tensor([1., 2.]), torch.tensor([0., torch.pi / 2]))
    tensor([ 1.0000e+00+0.j, -8.7423e-08+2.j])
    """
    _check_parts(abs, angle)
    result = np.empty(np.broadcast_shapes(abs.shape, angle.shape), _COMPLEX_OF[abs.dtype])
    result.real, result.imag = abs * np.cos(angle), abs * np.sin(angle)
    return iterated(result, abs, angle) if result.ndim > 1 else result


@op(
    "_conj",
    view=True,
    node="ConjBackward0",
    vjp={"input": lambda F, grad: F._conj(grad)},
    operator=Operator("(Tensor(a) self) -> Tensor(a)"),
)
def _conj(input: np.ndarray) -> Any:
    return conjugated(input)


@op(
    "_neg_view(Tensor input) -> Tensor",
    view=True,
    node="NegViewBackward0",
    vjp={"input": lambda F, grad: -grad},
)
def _neg_view(input: np.ndarray) -> np.ndarray:
    """The negative, as a view that changes signs when it is read.

    Shapes: input's.
    Dtypes: any but bool.

    >>> torch._neg_view(torch.tensor([1., -2.])).is_neg()
    True
    """
    return negated(input)


@composite("conj(Tensor input) -> Tensor|view")
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; real tensors are returned as they are. A view that conjugates when it is read.

    ~elementwise

    >>> torch.conj(torch.tensor([1 + 2j, 3 - 1j]))
    tensor([1.-2.j, 3.+1.j])
    """
    if not isinstance(input, Tensor):
        reject("conj", (input,), {})
    return F._conj(input) if input._array.dtype.kind == "c" else input


@composite("is_conj(Tensor input) -> bool")
def is_conj(input: Tensor) -> bool:
    """Whether the conjugate bit is set: the conjugation has not been carried out yet.

    >>> torch.tensor([1j]).conj().is_conj()
    True
    """
    return bits(input._array)[0]


@composite("resolve_conj(Tensor input) -> Tensor|view")
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor with a pending conjugation carried out; otherwise itself.

    ~elementwise

    >>> torch.tensor([1 + 2j]).conj().resolve_conj().is_conj()
    False
    """
    return F.clone(input) if is_conj(input) else input


@composite("is_neg(Tensor input) -> bool")
def is_neg(input: Tensor) -> bool:
    """Whether the negative bit is set: the change of sign has not been carried out yet.

    >>> torch.tensor([1.]).is_neg()
    False
    >>> torch.tensor([1j]).conj().imag.is_neg()
    True
    """
    return bits(input._array)[1]


@composite("resolve_neg(Tensor input) -> Tensor|view")
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor with a pending change of sign carried out; otherwise itself.

    ~elementwise

    >>> x = torch.ones(2)
    >>> x.resolve_neg() is x
    True
    """
    return F.clone(input) if is_neg(input) else input


unary(
    "conj_physical(Tensor input, *, Tensor out=None) -> Tensor",
    lambda x: np.conjugate(x) if x.dtype.kind == "c" else x.copy(),
    lambda F, grad: F.conj_physical(grad),
    promotes=False,
    doc="""
    The complex conjugate as a tensor of its own.

    ~elementwise

    >>> torch.conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])

    In place:
    >>> x = torch.tensor([1 + 2j])
    >>> x.conj_physical_()
    tensor([1.-2.j])
    >>> x
    tensor([1.-2.j])
    """,
    out=Out(exact=FOUND, unknown=True),
)
_conj_physical = F.conj_physical
OPS["conj_physical"].overload_in_place()


def _physical(input: Any = None, *args: Any, **options: Any) -> Any:
    if isinstance(input, Tensor) and input._array.dtype.kind != "c" and not args and not options:
        return input
    return _conj_physical(input, *args, **options)


publish("conj_physical", _physical, True, True, "The complex conjugate, in memory of its own.")


@op(
    "view_as_real(Tensor input) -> Tensor",
    view=True,
    method=False,
    vjp={"input": lambda F, grad: F.view_as_complex(F.contiguous(grad))},
)
def view_as_real(input: Any) -> np.ndarray:
    """A complex tensor as real numbers, the two parts in a new last dimension. A view.

    Shapes: (...) gives (..., 2).
    Dtypes: complex; complex64 gives float32.

    >>> torch.view_as_real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([[ 1.,  2.],
            [ 3., -4.]])
    """
    if input.dtype not in _REAL_OF:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if bits(input)[0]:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return as_lazy_as(input, strided.parts(memory_of(input)))


@op(
    "view_as_complex(Tensor input) -> Tensor|fp32",
    view=True,
    method=False,
    vjp={"input": lambda F, grad: F.view_as_real(F.resolve_conj(grad))},
)
def view_as_complex(input: np.ndarray) -> np.ndarray:
    """Pairs of real numbers as complex ones. A view.

    Shapes: (..., 2) gives (...).
    Dtypes: float32 gives complex64, float64 complex128.
    Errors: RuntimeError if the last dimension has another size, or its elements are not side by side.

    >>> torch.view_as_complex(torch.tensor([[1., 2.], [3., -4.]]))
    tensor([1.+2.j, 3.-4.j])
    """
    whole = _COMPLEX_OF.get(input.dtype)
    if whole is None:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
            f"scalar type: {dtypes.scalar_name(input)}"
        )
    if not input.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    size = input.itemsize
    if input.strides[-1] != size and input.size:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % (2 * size) for s in input.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return as_lazy_as(input, memory_of(input).view(whole)[..., 0])


_as_complex = F.view_as_complex


def _view_as_complex(input: Any) -> Tensor:
    found: Tensor = _as_complex(input)
    if TENSORS.storage_offset(input) % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return found


publish("view_as_complex", _view_as_complex, False, True, "Pairs of real numbers as complex ones. A view.")


def _raw_view_as_complex(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).view(_COMPLEX_OF[x.dtype])[..., 0]


RAW.view_as_complex = _raw_view_as_complex
RAW.contiguous = contiguous
RAW.resolve_conj = lambda x: x


@composite("real(Tensor input) -> Tensor|function|view", method=False)
def real(input: Tensor) -> Tensor:
    """The real parts, as a view of the same memory; a real tensor is returned as it is.

    Shapes: any; the result has input's shape.
    Dtypes: any; complex64 gives float32.

    >>> torch.real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1., 3.])
    """
    if input._array.dtype.kind != "c":
        return input
    physical = F._conj(input) if is_conj(input) else input
    return F.select(F.view_as_real(physical), input._array.ndim, 0)


@composite("imag(Tensor input) -> Tensor|function|view", method=False)
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, as a view of the same memory.

    Shapes: any; the result has input's shape.
    Dtypes: complex; complex64 gives float32.
    Errors: RuntimeError for a real tensor.

    >>> torch.imag(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([ 2., -4.])
    """
    if input._array.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    conjugate = is_conj(input)
    parts = F.view_as_real(F._conj(input) if conjugate else input)
    return F.select(F._neg_view(parts) if conjugate else parts, input._array.ndim, 1)


def _set_real(self: Tensor, value: Any) -> None:
    _written(real(self), value)


def _set_imag(self: Tensor, value: Any) -> None:
    _written(imag(self), value)


def _written(part: Tensor, value: Any) -> None:
    if not isinstance(value, (Tensor, int, float, complex)):
        raise TypeError(f"can't assign a {typename(value)} to a {part.type()}")
    if isinstance(value, complex) and value.imag:
        kind = "double" if part.dtype is dtypes.float64 else "float"
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    part.copy_(value)


attach("real", property(real, _set_real))
attach("imag", property(imag, _set_imag))


@on_both_backends
def angle_backward(F: Any, grad: Any, input: Any) -> Any:
    if not F.is_complex(input):
        return F.nought(grad)
    return F.where(input == 0, F.zero_dim(grad), grad * input / F.square(F.abs(input)) * 1j)


def _angle(x: np.ndarray) -> np.ndarray:
    x = floated(x)
    if x.dtype.kind == "c":
        return np.angle(x)
    r = (x < 0) * np.asarray(np.pi, x.dtype)
    bad = np.isnan(x)
    return r if type(bad) is np.ndarray and not bad.any() else np.where(bad, x, r)


unary(
    "angle(Tensor input, *, Tensor out=None) -> Tensor",
    _angle,
    lambda F, grad, input: F.angle_backward(grad, input),
    inplace=False,
    out=Out(once=True),
    doc="""
    The angle of a complex number in radians, in (-pi, pi]; of a real number 0, or pi if it is negative.

    Shapes: any; the result has input's shape.
    Dtypes: any; the result is real.

    >>> torch.angle(torch.tensor([1 + 1j, -1 + 0j]))
    tensor([0.7854, 3.1416])
    """,
)


def _mantissa_and_exponent(input: Tensor, outs: Sequence[Tensor]) -> None:
    if not input.is_floating_point():
        return
    mantissa, exponent = outs
    if mantissa.dtype is not input.dtype:
        raise RuntimeError(
            f"torch.frexp() expects mantissa to have dtype {dtypes.cxx_name(input.dtype)} but got "
            f"{dtypes.cxx_name(mantissa.dtype)}"
        )
    if exponent.dtype is not dtypes.int32:
        raise RuntimeError(
            f"torch.frexp() expects exponent to have int dtype but got {dtypes.cxx_name(exponent.dtype)}"
        )


@op(
    "frexp(Tensor input, *, Tensor[2] out=None) -> (Tensor mantissa, Tensor exponent)|.Tensor",
    outputs=("mantissa", "exponent"),
    differentiable=1,
    returns=named("frexp", ("mantissa", "exponent")),
    vjp={
        "input": lambda F, grad, exponent: grad / F.exp2(F.floats_like(exponent, grad)),
    },
    check_out=_mantissa_and_exponent,
    out=Out(overlap="part"),
)
def frexp(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mantissa and exponent: input = mantissa * 2**exponent, with the mantissa in [0.5, 1).

    Shapes: any; both results have input's shape.
    Dtypes: float; the exponent is int32.

    >>> torch.frexp(torch.tensor([8., 3.]))
    torch.return_types.frexp(
    mantissa=tensor([0.5000, 0.7500]),
    exponent=tensor([4, 2], dtype=torch.int32))
    """
    if input.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(input)
    return iterated(np.asarray(mantissa), input), iterated(np.asarray(exponent).astype(np.int32), input)


RAW.floats_like = lambda x, grad: x.astype(grad.dtype)
TENSORS.floats_like = lambda x, grad: F.to(x, grad.dtype)
RAW.square = np.square
RAW.ones_like = np.ones_like
