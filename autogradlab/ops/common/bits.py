"""Operations on integers: bitwise logic, shifts, common divisors; and tests of numbers that give bools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.layout import iterated
from ...core.recording.record import TENSORS as F
from ...core.tensor.tensor import Tensor
from ..first.kinds import laid_out, like_input, refuse, refusing
from ..table.factories import binary
from ..table.opdef import op
from ..table.outputs import FOUND, Out
from ..table.overloads import Arguments, Called, Overload

binary(
    """
    bitwise_and(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor
    bitwise_and(Scalar self, Tensor other) -> Tensor|.Scalar_Tensor
    bitwise_and(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar
    """,
    np.bitwise_and,
    check=refusing("fVc", "bitwise_and_cpu"),
    out=Out(unknown=True),
    in_rows="broadcast",
    doc="""
    The bits that both have; of bools, whether both are True. The operator &.

    ~pair-bits

    >>> torch.bitwise_and(torch.tensor([6, 12]), torch.tensor([3, 10]))
    tensor([2, 8])
    >>> (torch.tensor([True, True]) & torch.tensor([True, False]))
    tensor([ True, False])

    In place:
    >>> x = torch.tensor([6, 12])
    >>> x.bitwise_and_(torch.tensor([3, 10]))
    tensor([2, 8])
    >>> x
    tensor([2, 8])
    """,
)
binary(
    """
    bitwise_or(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor
    bitwise_or(Scalar self, Tensor other) -> Tensor|.Scalar_Tensor
    bitwise_or(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar
    """,
    np.bitwise_or,
    check=refusing("fVc", "bitwise_or_cpu"),
    out=Out(unknown=True),
    in_rows="broadcast",
    doc="""
    The bits that one of the two has. The operator |.

    ~pair-bits

    >>> torch.bitwise_or(torch.tensor([6, 12]), torch.tensor([3, 10]))
    tensor([ 7, 14])

    In place:
    >>> x = torch.tensor([6, 12])
    >>> x.bitwise_or_(torch.tensor([3, 10]))
    tensor([ 7, 14])
    >>> x
    tensor([ 7, 14])
    """,
)
binary(
    """
    bitwise_xor(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor
    bitwise_xor(Scalar self, Tensor other) -> Tensor|.Scalar_Tensor
    bitwise_xor(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar
    """,
    np.bitwise_xor,
    check=refusing("fVc", "bitwise_xor_cpu"),
    out=Out(unknown=True),
    in_rows="broadcast",
    doc="""
    The bits in which the two differ. The operator ^.

    ~pair-bits

    >>> torch.bitwise_xor(torch.tensor([6, 12]), torch.tensor([3, 10]))
    tensor([5, 6])

    In place:
    >>> x = torch.tensor([6, 12])
    >>> x.bitwise_xor_(torch.tensor([3, 10]))
    tensor([5, 6])
    >>> x
    tensor([5, 6])
    """,
)


def _left(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Shifts by a negative number or by all bits give 0."""
    bits = 8 * x.dtype.itemsize
    fits = (y >= 0) & (y < bits)
    return np.where(fits, np.left_shift(x, np.where(fits, y, 0).astype(x.dtype)), np.zeros((), x.dtype))


def _right(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    signed = x.dtype.kind == "i"
    bits = 8 * x.dtype.itemsize - signed
    fits = (y >= 0) & (y < bits)
    if signed:
        return np.right_shift(x, np.where(fits, y, bits).astype(x.dtype))
    return np.where(fits, np.right_shift(x, np.minimum(y, bits - 1)), 0).astype(x.dtype)


binary(
    """
    bitwise_left_shift(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|uint_lshift_cpu
    bitwise_left_shift(Scalar self, Tensor other) -> Tensor|.Scalar_Tensor|uint_lshift_cpu
    bitwise_left_shift(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Tensor_Scalar|uint_lshift_cpu
    """,
    _left,
    check=refusing("bfVc", "lshift_cpu"),
    out=Out(unknown=True),
    in_rows="broadcast",
    doc="""
    The bits moved to the left: input * 2**other. The operator <<.

    ~pair-bits

    >>> torch.bitwise_left_shift(torch.tensor([1, 3]), 2)
    tensor([ 4, 12])

    In place:
    >>> x = torch.tensor([1, 3])
    >>> x.bitwise_left_shift_(2)
    tensor([ 4, 12])
    >>> x
    tensor([ 4, 12])
    """,
)
binary(
    """
    bitwise_right_shift(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|uint_rshift_cpu
    bitwise_right_shift(Scalar self, Tensor other) -> Tensor|.Scalar_Tensor|uint_rshift_cpu
    bitwise_right_shift(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Tensor_Scalar|uint_rshift_cpu
    """,
    _right,
    check=refusing("bfVc", "rshift_cpu"),
    out=Out(unknown=True),
    in_rows="broadcast",
    doc="""
    The bits moved to the right, rounding downwards. The operator >>.

    ~pair-bits

    >>> torch.bitwise_right_shift(torch.tensor([8, -3]), 1)
    tensor([ 4, -2])

    In place:
    >>> x = torch.tensor([8, -3])
    >>> x.bitwise_right_shift_(1)
    tensor([ 4, -2])
    >>> x
    tensor([ 4, -2])
    """,
)
binary(
    "gcd(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_gcd_cpu",
    np.gcd,
    check=refusing("bfVc", "gcd_cpu"),
    out=Out(unknown=True),
    inplace_function=True,
    in_rows="broadcast",
    doc="""
    The greatest common divisor, not negative.

    Shapes: both broadcast together.
    Dtypes: integers.

    >>> torch.gcd(torch.tensor([12, 7]), torch.tensor([18, 21]))
    tensor([6, 7])

    In place:
    >>> x = torch.tensor([12, 7])
    >>> x.gcd_(torch.tensor([18, 21]))
    tensor([6, 7])
    >>> x
    tensor([6, 7])
    """,
)
binary(
    "lcm(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_lcm_cpu",
    np.lcm,
    check=refusing("bfVc", "lcm_cpu"),
    out=Out(unknown=True),
    inplace_function=True,
    in_rows="broadcast",
    doc="""
    The least common multiple, not negative.

    Shapes: both broadcast together.
    Dtypes: integers.

    >>> torch.lcm(torch.tensor([4, 6]), torch.tensor([6, 8]))
    tensor([12, 24])

    In place:
    >>> x = torch.tensor([4, 6])
    >>> x.lcm_(torch.tensor([6, 8]))
    tensor([12, 24])
    >>> x
    tensor([12, 24])
    """,
)


@op(
    "bitwise_not(Tensor input, *, Tensor out=None) -> Tensor|uint_bitwise_not_cpu",
    inplace=True,
    out=Out(exact=FOUND, overlap="part", unknown=True),
    inplace_function=False,
)
def bitwise_not(input: np.ndarray) -> Any:
    """Every bit inverted: -x - 1 for signed integers, the negation of bools. The operator ~.

    Shapes: any; the result has input's shape.
    Dtypes: integers and bool.

    >>> torch.bitwise_not(torch.tensor([0, 1, -5]))
    tensor([-1, -2,  4])
    >>> ~torch.tensor([True, False])
    tensor([False,  True])

    In place:
    sig: (self)
    >>> x = torch.tensor([0, 1, -5])
    >>> x.bitwise_not_()
    tensor([-1, -2,  4])
    >>> x
    tensor([-1, -2,  4])
    """
    refuse(input, "bitwise_not_cpu", "fVc")
    return np.invert(input)


def _test(
    declaration: str,
    kernel: Any,
    doc: str,
    message: str | None = None,
    error: type[Exception] = RuntimeError,
    out: Any = None,
    layout: Any = iterated,
    inner_writes: Any = 0,
    overloads: Sequence[Overload] = (),
) -> None:
    name = declare(declaration, doc, out)

    def test(input: np.ndarray) -> Any:
        if message is not None and input.dtype.kind == "c":
            raise error(message)
        return kernel(input)

    test.__name__ = name
    op(name, doc=doc, inner_writes=inner_writes, overloads=list(overloads))(laid_out(layout)(test))


_floats = "fVc"


_NUMBER = np.array(0)


def _known(answer: bool, x: np.ndarray) -> np.ndarray:
    """What is the same of all elements, in memory that empty_like() makes."""
    return like_input(np.array(answer), x)


def _if_known(r: np.ndarray, x: np.ndarray) -> np.ndarray:
    """What is known of all integers lies as `_known` has made it."""
    return iterated(r, x) if x.dtype.kind in _floats else r


def _of_both(r: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A product of two answers about the elements; of integers it is known."""
    return iterated(answer := iterated(r, x), answer) if x.dtype.kind in _floats else r


def _of_parts(r: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A part of complex numbers compared with a number; of others it is known."""
    return iterated(r, x, _NUMBER) if x.dtype.kind == "c" else r


_test(
    "isnan(Tensor input) -> Tensor",
    lambda x: np.isnan(x) if x.dtype.kind in _floats else x != x,
    """
    Whether an element is not a number.

    ~elementwise-bool

    >>> torch.isnan(torch.tensor([1., float('nan')]))
    tensor([False,  True])
    >>> torch.tensor(float('nan')) == torch.tensor(float('nan'))
    tensor(False)
    """,
)
_test(
    "isinf(Tensor input) -> Tensor",
    lambda x: np.isinf(x) if x.dtype.kind in _floats else _known(False, x),
    """
    Whether an element is inf or -inf.

    ~elementwise-bool

    >>> torch.isinf(torch.tensor([1., float('inf'), float('-inf')]))
    tensor([False,  True,  True])
    """,
    layout=_if_known,
    inner_writes=lambda x: x.dtype.kind not in "fV",
)


def _complex(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
    input = args[0] if args else kwargs.get("input")
    return (args, kwargs) if isinstance(input, Tensor) and input._array.dtype.kind == "c" else None


def _both_parts(input: Tensor) -> Tensor:
    """Of complex numbers, PyTorch writes what it finds of the imaginary parts into what it found of the real ones."""
    found: Tensor = F.bitwise_and_(F.isfinite(F.real(input)), F.isfinite(F.imag(input)))
    return found


_test(
    "isfinite(Tensor input) -> Tensor",
    lambda x: np.isfinite(x) if x.dtype.kind in _floats else _known(True, x),
    """
    Whether an element is neither infinite nor nan.

    ~elementwise-bool

    >>> torch.isfinite(torch.tensor([1., float('inf'), float('nan')]))
    tensor([ True, False, False])
    """,
    layout=_of_both,
    inner_writes=lambda x: x.dtype.kind not in "fV",
    overloads=[Overload(_both_parts, takes=_complex)],
)
_test(
    "isposinf(Tensor input, *, Tensor out=None) -> Tensor",
    lambda x: x == np.inf,
    """
    Whether an element is inf.

    ~elementwise-bool

    >>> torch.isposinf(torch.tensor([float('-inf'), float('inf')]))
    tensor([False,  True])
    """,
    "isposinf does not support complex inputs.",
    out=Out(exact="isposinf does not support non-boolean outputs."),
)
_test(
    "isneginf(Tensor input, *, Tensor out=None) -> Tensor",
    lambda x: x == -np.inf,
    """
    Whether an element is -inf.

    ~elementwise-bool

    >>> torch.isneginf(torch.tensor([float('-inf'), float('inf')]))
    tensor([ True, False])
    """,
    "isneginf does not support complex inputs.",
    out=Out(exact="isneginf does not support non-boolean outputs."),
)
_test(
    "isreal(Tensor input) -> Tensor",
    lambda x: x.imag == 0 if x.dtype.kind == "c" else _known(True, x),
    """
    Whether an element has no imaginary part.

    ~elementwise-bool

    >>> torch.isreal(torch.tensor([1 + 0j, 1j]))
    tensor([ True, False])
    """,
    layout=_of_parts,
    inner_writes=lambda x: x.dtype.kind != "c",
)
_test(
    "signbit(Tensor input, *, Tensor out=None) -> Tensor",
    lambda x: np.signbit(x) if x.dtype.kind in "fV" else x < 0,
    """
    Whether the sign is minus; True for -0. too.

    ~elementwise-bool

    >>> torch.signbit(torch.tensor([-1., 0., -0.]))
    tensor([ True, False,  True])
    """,
    "signbit is not implemented for complex tensors.",
    NotImplementedError,
    out=Out(exact="signbit does not support non-boolean outputs."),
)


@op(
    "logical_not(Tensor input, *, Tensor out=None) -> Tensor|uint_logical_not_cpu",
    inplace=True,
    inplace_function=False,
    cuts=False,
    inner_writes=1,
    out=Out(overlap="part"),
)
@laid_out(iterated)
def logical_not(input: np.ndarray) -> Any:
    """Whether an element is 0 or False.

    ~elementwise-bool

    >>> torch.logical_not(torch.tensor([0., 2., -1.]))
    tensor([ True, False, False])

    In place:
    sig: (self)
    >>> x = torch.tensor([0., 2., -1.])
    >>> x.logical_not_()
    tensor([1., 0., 0.])
    >>> x
    tensor([1., 0., 0.])
    """
    return np.logical_not(input)


def _truth(ufunc: Any) -> Any:
    return lambda x, y: ufunc(x != 0, y != 0)


binary(
    "logical_and(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_logical_and_cpu",
    _truth(np.logical_and),
    result="bool",
    out=Out(once=True),
    in_rows="arithmetic",
    inner_writes=1,
    doc="""
    Whether both elements are not 0.

    ~pair-bool

    >>> torch.logical_and(torch.tensor([0., 1., 2.]), torch.tensor([1., 0., 3.]))
    tensor([False, False,  True])

    In place:
    >>> x = torch.tensor([0., 1., 2.])
    >>> x.logical_and_(torch.tensor([1., 0., 3.]))
    tensor([0., 0., 1.])
    >>> x
    tensor([0., 0., 1.])
    """,
    cuts=False,
)
binary(
    "logical_or(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_logical_or_cpu",
    _truth(np.logical_or),
    result="bool",
    out=Out(once=True),
    in_rows="arithmetic",
    inner_writes=1,
    doc="""
    Whether one of the elements is not 0.

    ~pair-bool

    >>> torch.logical_or(torch.tensor([0., 1., 0.]), torch.tensor([0., 0., 3.]))
    tensor([False,  True,  True])

    In place:
    >>> x = torch.tensor([0., 1., 0.])
    >>> x.logical_or_(torch.tensor([0., 0., 3.]))
    tensor([0., 1., 1.])
    >>> x
    tensor([0., 1., 1.])
    """,
    cuts=False,
)
binary(
    "logical_xor(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_logical_xor_cpu",
    _truth(np.logical_xor),
    result="bool",
    out=Out(once=True),
    in_rows="arithmetic",
    inner_writes=1,
    doc="""
    Whether exactly one of the elements is not 0.

    ~pair-bool

    >>> torch.logical_xor(torch.tensor([0., 1., 2.]), torch.tensor([1., 0., 3.]))
    tensor([ True,  True, False])

    In place:
    >>> x = torch.tensor([0., 1., 2.])
    >>> x.logical_xor_(torch.tensor([1., 0., 3.]))
    tensor([1., 1., 0.])
    >>> x
    tensor([1., 1., 0.])
    """,
    cuts=False,
)
