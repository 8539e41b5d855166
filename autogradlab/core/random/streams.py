"""Uniform and normal numbers, integers and permutations, drawn as PyTorch draws them: same words, order and roundings.

A name that ends in `_` fills the array `out` in place, in the order of its memory, as PyTorch does; it may be any view.
The others return a new array. The generator comes last; None is the default one. Messages are PyTorch's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..memory.layout import memory_axes
from ..runtime import errors
from ..runtime.warn import warn
from ..types.dtypes import cxx_name, scalar_name, unsupported
from .generator import Generator, default_generator
from .normals import fma64, normal_values, round_to

__all__ = [
    "broadcast",
    "check_overlap",
    "fill",
    "normal",
    "normal_",
    "normal_tensor",
    "rand",
    "randint",
    "randn",
    "random_",
    "randperm",
    "uniform",
    "uniform_",
]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]

OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
OUT_OF_BOUNDS = "{} is out of bounds for {}"
UNIFORM_ORDER = "uniform_ expects to return a [from, to) range, but found from={:g} > to={:g}"
UNIFORM_WIDTH = (
    "uniform_ expects to-from <= std::numeric_limits<{}>::max(), but found to={:g} and from={:g} which result in "
    "to-from to exceed the limit"
)
NORMAL_STD = "normal expects std >= 0.0, but found std {:g}"
NORMAL_STDS = "normal expects all elements of std >= 0.0"
NORMAL_COMPLEX = "normal expects standard deviation to be non-complex"
RANDOM_ORDER = "random_ expects 'from' to be less than 'to', but got from={} >= to={}"
RANDOM_CAST = "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from={} >= to={}"
RANDOM_CAST_INC = (
    "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got from={} > "
    "to_inc={}"
)
RANDOM_DTYPE = "{} handles only integral, floating-point and boolean types"
RANDOM_FULL = "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"
RANDOM_PRECISION = (
    "{0} is out of bounds [-(2^{1}), 2^{1}]. Due to precision limitations {2} can support discrete uniform "
    "distribution only within this range. This warning will become an error in version 1.7 release, please fix the "
    "code in advance"
)
RANDPERM_NEGATIVE = "Trying to create tensor with negative dimension {0}: [{0}]"
RANDPERM_PRECISION = "n cannot be greater than {} for {} type."
RANDPERM_OVERFLOW = "value cannot be converted to type {} without overflow"

_LOW, _HIGH = -(1 << 63), (1 << 63) - 1
#: bits of precision of the floating types, by NumPy's character: half, bfloat16, float, double
DIGITS = {"e": 11, "E": 8, "f": 24, "d": 53}
_LARGEST = {"e": 65504.0, "E": 3.3895313892515355e38, "f": 3.4028234663852886e38, "d": 1.7976931348623157e308}
_FLOAT32, _FLOAT64, _INT64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)


def check_overlap(out: Array) -> None:
    """RuntimeError if elements of `out` share memory."""
    if not out.flags.c_contiguous and any(s == 0 and n > 1 for s, n in zip(out.strides, out.shape, strict=True)):
        raise RuntimeError(OVERLAP)


def fill(out: Array, values: Array) -> Array:
    """Write flat `values` to `out` in the order of its memory."""
    if not out.flags.c_contiguous:
        ordered = out.transpose(memory_axes(out))
        ordered[...] = values.reshape(ordered.shape)
    else:
        out[...] = values.reshape(out.shape)
    return out


def copy_to_fill(x: Array) -> Array:
    """An array that is filled as `x` is: in the same order of elements, and contiguous only if `x` is, since normal
    numbers go to contiguous memory in blocks."""
    if x.flags.c_contiguous and type(x) is np.ndarray:
        return np.empty(x.shape, x.dtype)
    copy = np.array(x, order="K")
    if copy.flags.c_contiguous and not x.flags.c_contiguous:
        copy = np.repeat(copy[..., None], 2, -1)[..., 0]
    return copy


def _parts(out: Array) -> Array:
    """A complex array as a real one with a last dimension of 2, sharing its memory."""
    real: DType = np.dtype(np.float32 if out.dtype == np.complex64 else np.float64)
    return out[..., None].view(real)


# -- uniform


def _uniform_values(n: int, dtype: DType, low: float, high: float, generator: Generator) -> Array:
    if dtype == _FLOAT64:
        values = generator.uniform53(n)
        if low == 0.0 and high == 1.0:
            return values
        values = fma64(values, high - low, low)
        end: Any = high
    else:
        if dtype == _FLOAT32 and low == 0.0 and high == 1.0:
            return generator.uniform24(n)
        start, end = np.float32(low), np.float32(high)
        wide = generator.uniform24(n, _FLOAT64)
        wide *= np.array(end - start, _FLOAT64)
        wide += np.array(start, _FLOAT64)
        values = round_to(wide.astype(_FLOAT32), dtype)
        end = dtype.type(end)
    if values.dtype.kind == "f" and not values.item(values.argmax()) >= end:
        return values
    reached = values == np.array(end, dtype)  # rounding may reach the end, which is not part of the range
    if np.count_nonzero(reached):
        values[reached] = low
    return values


def _check_uniform(dtype: DType, low: float, high: float) -> None:
    largest = _LARGEST.get(dtype.char)
    if largest is None:
        raise unsupported("check_uniform_bounds", dtype)
    for name, value in (("from", low), ("to", high)):
        if not -largest <= value <= largest:
            raise RuntimeError(OUT_OF_BOUNDS.format(name, cxx_name(dtype)))
    if not low <= high:
        raise RuntimeError(UNIFORM_ORDER.format(low, high))
    if not high - low <= largest:
        raise RuntimeError(UNIFORM_WIDTH.format(scalar_name(dtype), high, low))


def uniform_(out: Array, low: float = 0.0, high: float = 1.0, generator: Generator | None = None) -> Array:
    """Fill with numbers of [low, high) (mirrors `Tensor.uniform_`); complex types get both parts."""
    if out.dtype.kind == "c":
        if out.size:
            uniform_(_parts(out), low, high, generator)
        return out
    low, high = float(low), float(high)
    _check_uniform(out.dtype, low, high)
    if out.size == 0:
        return out
    check_overlap(out)
    return fill(out, _uniform_values(out.size, out.dtype, low, high, generator or default_generator))


def uniform(
    shape: Sequence[int], dtype: DType, low: float = 0.0, high: float = 1.0, generator: Generator | None = None
) -> Array:
    """A new array of numbers of [low, high); errors as `uniform_`."""
    if dtype.kind == "c":
        return uniform_(np.empty(shape, dtype), low, high, generator)
    if low != 0.0 or high != 1.0 or (dtype != _FLOAT32 and dtype != _FLOAT64):
        low, high = float(low), float(high)
        _check_uniform(dtype, low, high)
    return _uniform_values(math.prod(shape), dtype, low, high, generator or default_generator).reshape(shape)


def rand(shape: Sequence[int], dtype: DType = _FLOAT32, generator: Generator | None = None) -> Array:
    """Numbers of [0, 1) (mirrors `torch.rand`).

    >>> rand((2,), generator=Generator().manual_seed(0)).round(4)
    array([0.4963, 0.7682], dtype=float32)
    """
    return uniform(shape, dtype, 0.0, 1.0, generator)


# -- normal


def normal_(out: Array, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Array:
    """Fill with normal numbers (mirrors `Tensor.normal_`); a complex type shares the variance between its parts."""
    mean, std = float(mean), float(std)
    if not std >= 0.0:
        raise RuntimeError(NORMAL_STD.format(std))
    if out.size == 0:
        return out
    if out.dtype.kind == "c":
        check_overlap(out)
        normal_(_parts(out), mean, std / math.sqrt(2.0), generator)
        return out
    if out.dtype.char not in DIGITS:
        raise unsupported("normal_kernel_cpu", out.dtype)
    check_overlap(out)
    blocks = bool(out.flags.c_contiguous)
    return fill(out, normal_values(out.size, out.dtype, mean, std, generator or default_generator, blocks))


def normal(
    shape: Sequence[int],
    dtype: DType = _FLOAT32,
    mean: float = 0.0,
    std: float = 1.0,
    generator: Generator | None = None,
) -> Array:
    """A new array of normal numbers (mirrors `torch.normal` with a size); errors as `normal_`."""
    if dtype.char not in DIGITS or not std >= 0.0:
        return normal_(np.empty(shape, dtype), mean, std, generator)
    n = math.prod(shape)
    return normal_values(n, dtype, float(mean), float(std), generator or default_generator, True).reshape(shape)


def randn(shape: Sequence[int], dtype: DType = _FLOAT32, generator: Generator | None = None) -> Array:
    """Normal numbers of mean 0 and deviation 1 (mirrors `torch.randn`).

    >>> randn((3,), generator=Generator().manual_seed(0)).round(4)
    array([ 1.541 , -0.2934, -2.1788], dtype=float32)
    """
    return normal(shape, dtype, 0.0, 1.0, generator)


def check_deviation(std: Array | float) -> None:
    """Refuse deviations below 0, or complex ones."""
    if not isinstance(std, np.ndarray):
        if not float(std) >= 0.0:
            raise RuntimeError(NORMAL_STD.format(float(std)))
    elif std.dtype.kind == "c":
        raise RuntimeError(NORMAL_COMPLEX)
    elif std.size and not std.min() >= 0:
        raise RuntimeError(NORMAL_STDS)


def normal_tensor(mean: Array | float, std: Array | float, generator: Generator | None = None) -> Array:
    """Normal numbers, each with its own mean or deviation (mirrors `torch.normal` with tensors).

    The dtype is that of `mean` if it is an array, else that of `std`; the shape is the two broadcast together.
    """
    check_deviation(std)
    deviation = 1.0 if isinstance(std, np.ndarray) else float(std)
    like = mean if isinstance(mean, np.ndarray) else std
    assert isinstance(like, np.ndarray)
    out: Array = np.empty(broadcast(np.shape(mean), np.shape(std)), like.dtype)
    normal_(out, 0.0, deviation, generator)
    if isinstance(std, np.ndarray):
        np.multiply(out, _operand(std, out.dtype), out=out, casting="unsafe")
    np.add(out, _operand(mean, out.dtype), out=out, casting="unsafe")
    return out


def _operand(value: Any, dtype: DType) -> Any:
    """An operand that leaves the category of `dtype`: integers never widen a floating type."""
    if not isinstance(value, np.ndarray):
        return np.asarray(value, dtype)
    return value.astype(dtype) if value.dtype.kind in "biu" or value.ndim == 0 else value


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    n = max(len(a), len(b))
    left, right = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    for dim in range(n - 1, -1, -1):
        if left[dim] != right[dim] and 1 not in (left[dim], right[dim]):
            raise RuntimeError(errors.BROADCAST.format(left[dim], right[dim], dim))
    return tuple(y if x == 1 else x for x, y in zip(left, right, strict=True))


# -- integers


def _from_to_values(n: int, dtype: DType, span: int, base: int, generator: Generator) -> Array:
    """`base` + draw % `span`; wide spans take 64-bit draws, so that the remainder stays nearly uniform."""
    if span >= 1 << 28:
        values: Array = (generator.random64(n) % np.array(span, np.uint64)).view(_INT64)
    else:
        words = generator.random32(n)
        limit = np.array(span & (span - 1) and span or span - 1, np.uint32)
        values = (words % limit if span & (span - 1) else words & limit).astype(_INT64)
    if base:
        values += np.array(base, _INT64)
    return _from_int(values, dtype)


def _from_int(values: Array, dtype: DType) -> Array:
    return values if dtype == _INT64 else round_to(values, dtype)


def _cast_back(value: int, dtype: DType) -> int:
    """An integer through a floating type and back, as C++ does; what does not fit gives the lowest int64."""
    if abs(value) <= 1 << DIGITS[dtype.char]:
        return value
    there = float(round_to(np.array([value], _INT64), dtype)[0])
    return int(there) if abs(there) < 2.0**63 else _LOW


def _narrow_from(value: int, dtype: DType) -> int:
    nearest = _cast_back(min(value + 1, _HIGH), dtype)
    if nearest < value:
        value = nearest + (1 << max(abs(value + 1).bit_length() - DIGITS[dtype.char], 0))
    return value


def _narrow_to(value: int, dtype: DType) -> int:
    nearest = _cast_back(value - 1, dtype)
    if nearest >= value:
        value = nearest - (1 << max(abs(value - 1).bit_length() - DIGITS[dtype.char], 0))
    return value


def _check_range(low: int, last: int, dtype: DType) -> None:
    digits = DIGITS.get(dtype.char)
    if digits is not None:
        largest: float = _LARGEST[dtype.char]
        smallest = -largest
    elif dtype.kind == "b":
        smallest, largest = 0, 1
    elif dtype == _INT64:
        smallest, largest = _LOW, _HIGH
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        smallest, largest = int(info.min), min(int(info.max), _HIGH)
    else:
        raise RuntimeError(RANDOM_DTYPE.format("check_random_bounds"))
    for name, value in (("from", low), ("to - 1", last)):
        if not smallest <= value <= largest:
            raise RuntimeError(OUT_OF_BOUNDS.format(name, cxx_name(dtype)))
    if digits is not None:
        for name, value, line in (("from", low, 110), ("to - 1", last, 111)):
            if abs(value) > 1 << digits:
                told = RANDOM_PRECISION.format(name, digits, cxx_name(dtype))
                warn(told, at=f"aten/src/ATen/native/DistributionTemplates.h:{line}")


def _from_to(low: int, high: int | None, dtype: DType) -> tuple[int, int]:
    """The span and the base to draw from, after PyTorch's checks; `high` None means up to the dtype's largest."""
    for value in (low, high):
        if value is not None and not _LOW <= value <= _HIGH:
            raise ValueError(errors.LONG_OVERFLOW)
    floating = dtype.char in DIGITS
    if high is None:
        if floating:
            last = 1 << DIGITS[dtype.char]
            low = _narrow_from(low, dtype)
            if not low < last:
                raise RuntimeError(RANDOM_CAST_INC.format(low, last))
        elif dtype.kind in "biu":
            last = 1 if dtype.kind == "b" else min(int(np.iinfo(dtype).max), _HIGH)
        else:
            raise RuntimeError(RANDOM_DTYPE.format("random_from_to_impl"))
        _check_range(low, last, dtype)
        return last - low + 1, low
    if not low < high:
        raise RuntimeError(RANDOM_ORDER.format(low, high))
    if floating:
        low, high = _narrow_from(low, dtype), _narrow_to(high, dtype)
        if not low < high:
            raise RuntimeError(RANDOM_CAST.format(low, high))
    _check_range(low, high - 1, dtype)
    return high - low, low


def random_(out: Array, *bounds: int | None, generator: Generator | None = None) -> Array:
    """Fill with integers (mirrors `Tensor.random_`): `random_(out)`, `random_(out, to)`, `random_(out, from, to)`.

    Without bounds the numbers reach from 0 to the largest that the dtype holds exactly; `to` may be None.
    """
    source = generator or default_generator
    dtype, n = out.dtype, out.size
    if not bounds:
        if n == 0:
            return out
        check_overlap(out)
        return fill(out, _random_values(n, dtype, source))
    low, high = (0, bounds[0]) if len(bounds) == 1 else bounds
    assert low is not None
    if low == _LOW and high is None:  # all 64 bits
        if n == 0:
            return out
        if dtype.name not in ("int64", "float32", "float64", "bfloat16"):
            if dtype.name in ("float16", "bool", "uint16", "uint32", "uint64") or dtype.kind == "c":
                raise unsupported("random_full_64_bits_range_kernel_cpu", dtype)
            raise RuntimeError(RANDOM_FULL)
        check_overlap(out)
        return fill(out, _from_int(source.random64(n).view(_INT64), dtype))
    check_overlap(out)
    span, base = _from_to(low, high, dtype)
    return out if n == 0 else fill(out, _from_to_values(n, dtype, span, base, source))


def random_int(generator: Generator | None = None) -> int:
    """The number that `random_` writes into one int64."""
    high, low = (generator or default_generator).random32(2).tolist()
    return ((high << 32) | low) & _HIGH


def _random_values(n: int, dtype: DType, generator: Generator) -> Array:
    digits = DIGITS.get(dtype.char)
    if dtype in (_INT64, _FLOAT64):
        values = generator.random64(n)
        if digits is None:
            return (values & np.uint64(_HIGH)).view(_INT64)
        return (values % np.uint64((1 << digits) + 1)).astype(dtype)
    if digits is not None:
        return _from_int((generator.random32(n) % np.uint32((1 << digits) + 1)).astype(_INT64), dtype)
    if dtype.name in ("uint16", "uint32", "uint64") or dtype.kind == "c":
        raise unsupported("random_kernel_cpu", dtype)
    limit = 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)
    return (generator.random32(n) & np.uint32(limit)).astype(dtype)


def randint(
    low: int, high: int, shape: Sequence[int], dtype: DType = _INT64, generator: Generator | None = None
) -> Array:
    """Integers of [low, high) (mirrors `torch.randint`); errors as `random_`.

    >>> randint(0, 10, (4,), generator=Generator().manual_seed(0))
    array([4, 9, 3, 0])
    """
    span, base = _from_to(low, high, dtype)
    return _from_to_values(math.prod(shape), dtype, span, base, generator or default_generator).reshape(shape)


def randperm(n: int, dtype: DType = _INT64, generator: Generator | None = None) -> Array:
    """The numbers 0 … n-1 shuffled, shape (n,) (mirrors `torch.randperm`).

    Errors: RuntimeError if n is negative or too large for the dtype, NotImplementedError for bool and complex.

    >>> randperm(5, generator=Generator().manual_seed(0))
    array([4, 0, 1, 3, 2])
    """
    if dtype != _INT64 or n < 0:
        _check_randperm(n, dtype)
    if n < 2:
        return np.zeros(n, dtype)
    words = (generator or default_generator).random32(n - 1)
    if n <= 64:
        order = list(range(n))
        for i, word in enumerate(words.tolist()):
            j = i + word % (n - i)
            order[i], order[j] = order[j], order[i]
        return _from_int(np.array(order, _INT64), dtype)
    partner: Array = np.arange(n, dtype=np.intp)
    partner[:-1] += words % np.arange(n, 1, -1, dtype=np.uint32)
    return _from_int(_swapped(partner).astype(_INT64, copy=False), dtype)


def _check_randperm(n: int, dtype: DType) -> None:
    if n < 0:
        raise RuntimeError(RANDPERM_NEGATIVE.format(n))
    if dtype.name in ("float16", "float32", "float64") and n > (1 << DIGITS[dtype.char]) + 1:
        raise RuntimeError(RANDPERM_PRECISION.format((1 << DIGITS[dtype.char]) + 1, scalar_name(dtype)))
    if dtype.kind in "iu" and n - 1 > np.iinfo(dtype).max:
        raise RuntimeError(RANDPERM_OVERFLOW.format(f"{dtype.name}_t"))
    if dtype.kind in "bc":
        raise unsupported("randperm", dtype)


def _swapped(partner: Array) -> Array:
    """What is left of 0 … n-1 after place i has been swapped with `partner[i]` >= i for each i in turn.

    Place i ends with what stood at its partner: put there by the last earlier step with the same partner, which moved
    there what then stood at its own place; or, if there is none, the partner's own number. To ask what stood at place k
    at step k is to ask for the last step before k whose partner was k, and so on down a chain, followed by doubling.
    """
    n = len(partner)
    steps = np.arange(n, dtype=np.intp)
    # last[k]: the last step before k whose partner was k, or k itself. A step that swaps a place with itself is the
    # last one with that partner: it puts k itself there, which no chain reads.
    last = steps.copy()
    last[partner] = steps  # of several steps the last one stays
    further = last.take(last)
    further = further.take(further)
    while True:
        last = further.take(further)  # twice in a turn, since to compare takes longer than to follow
        further = last.take(last)
        if not np.count_nonzero(further != last):
            break
    # steps grouped by partner, in turn: numbers of 16 bits are counted, not sorted
    grouped = partner.astype(np.uint16)
    order = grouped.argsort(kind="stable")
    if n > 1 << 16:
        order = order.take((partner.take(order) >> 16).astype(np.uint16).argsort(kind="stable"))
        grouped = partner
    grouped = grouped.take(order)
    at = (grouped[1:] == grouped[:-1]).nonzero()[0]
    partner[order[1:].take(at)] = last.take(order.take(at))
    return partner
