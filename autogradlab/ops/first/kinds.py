"""What kernels ask of dtypes: which are refused and in which words, which are computed in a wider one,
what they share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from ...core.graph.backend import HELPERS, RAW, TENSORS
from ...core.memory.casting import HALF_INFINITE, HALF_MAGNITUDE, widened
from ...core.memory.layout import like
from ...core.memory.rows import Rows, plain_rows
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, wrap
from ...core.types import dtypes
from ...core.types.dims import all_dims
from ...core.types.dtypes import from_numpy, get_default_dtype, unsupported
from ...core.values.promotion import broadcast_shapes, is_number, number, result_dtype
from ..kernels.limits import clip
from ..table.asking import at, options_of, unseen
from ..table.factories import by_kind

#: dtype kinds by what PyTorch's kernels leave out; "V" is bfloat16
BOOL, INTEGERS, FLOATS, COMPLEX = "b", "iu", "fV", "c"
#: and parts of such kinds: floats of 16 bits, integers that are shorter than int64, unsigned ones of more than 8 bits
HALF, SHORT, UNSIGNED = "h", "s", "w"
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
Kernel = Callable[..., Any]
#: gives a result, the first array, the strides of PyTorch's
Layout = Callable[[np.ndarray, np.ndarray], np.ndarray]


def is_among(d: np.dtype[Any], kinds: str) -> bool:
    """Whether a dtype is of one of these kinds."""
    if d.kind in kinds:
        return True
    if d.kind in FLOATS:
        return HALF in kinds and d.itemsize == 2
    if d.kind == "u" and d.itemsize > 1 and UNSIGNED in kinds:
        return True
    return SHORT in kinds and d.kind in INTEGERS and d.itemsize < 8


def refuse(x: np.ndarray, name: str, kinds: str = COMPLEX) -> None:
    """PyTorch's error if no kernel `name` was written for this dtype."""
    d = x.dtype
    if d.kind == "f" and d.itemsize > 2 and "f" not in kinds:  # the usual case
        return
    if is_among(d, kinds):
        raise unsupported(name, x)


def refusing(kinds: str, name: str) -> Callable[[Any, Any], None]:
    """A check of both operands for `binary`."""

    def check(x: np.ndarray, y: np.ndarray) -> None:
        if x.dtype.kind in kinds:
            broadcast_shapes(x.shape, y.shape)
            refuse(x, name, kinds)

    return by_kind(kinds)(check)


def no_complex(message: str, error: type[Exception] = RuntimeError) -> Callable[[Any, Any], None]:
    """A check for `binary`: complex operands are refused with a message of their own."""

    def check(x: np.ndarray, y: np.ndarray) -> None:
        if x.dtype.kind == COMPLEX:
            raise error(message)

    return by_kind(COMPLEX)(check)


def is_half(x: Any) -> bool:
    return x.dtype.itemsize == 2 and x.dtype.kind in FLOATS


def in_single(compute: Callable[..., Any], x: Any, *others: Any, **options: Any) -> Any:
    """What is computed of an array of a half type, and others of its dtype, in float32 and rounded once."""
    d = x.dtype
    wide = [widened(o) if isinstance(o, (np.ndarray, Rows)) and o.dtype == d else o for o in others]
    r = compute(widened(x), *wide, **options)
    if isinstance(r, tuple):
        return tuple(a.astype(d) if a.dtype == _SINGLE else a for a in r)
    return (np.asarray(r) if isinstance(r, np.generic) else r).astype(d)


def limited(x: np.ndarray, low: Any, high: Any) -> Any:
    """`x`, but not below `low` nor above `high`, arrays of one number of its dtype or None, and no NaN; where low is
    above high, high it is. NaN stays NaN and a zero keeps its sign (not in NumPy 2.0, where the limit's counts).

    Of floats by the ufunc that `np.clip` calls: with a number beside an array, `np.maximum` takes three times as long.
    """
    d = x.dtype
    if d.kind == "f":
        if d.itemsize == 2 and x.size >= _MANY and (r := _limited_halves(x, low, high)) is not None:
            return r
        end = _ENDS[d.itemsize]
        return clip(x, end[0] if low is None else low, end[1] if high is None else high)
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


_ENDS = {n: (np.array(-np.inf, f"f{n}"), np.array(np.inf, f"f{n}")) for n in (2, 4, 8)}


#: from how many elements on numbers of float16 are compared by their bits: NumPy converts each one first
_MANY = 1 << 10


def half_keys(x: Any) -> Any:
    """Integers in the order of many numbers of float16, of which -0 is less than 0, and what makes bits of keys and
    keys of bits; None where there is a NaN."""
    if type(x) is not np.ndarray or x.size < _MANY:
        return None
    bits = x.view(np.int16)
    if np.maximum.reduce(bits & HALF_MAGNITUDE, None) > HALF_INFINITE:
        return None
    return _turned(bits)


def _turned(bits: Any) -> Any:
    """The keys of bits, and the bits of keys: negative numbers are the other way round."""
    return bits ^ ((bits >> 15) & HALF_MAGNITUDE)


def extreme_half(ufunc: Any, x: Any) -> Any:
    """np.maximum.reduce or np.minimum.reduce of all numbers of float16; None where that is to be asked."""
    keys = half_keys(x)
    found = None if keys is None else _turned(ufunc.reduce(keys, None))
    return None if found is None or not found & HALF_MAGNITUDE else np.asarray(found).view(np.float16)


def _limited_halves(x: Any, low: Any, high: Any) -> Any:
    keys = half_keys(x)
    if keys is None or not (low is None or low == low) or not (high is None or high == high):
        return None
    if low is not None and high is not None and low > high:
        return None
    r = x.view(np.int16).copy("K")
    for limit, beyond, zero in ((low, np.less, -1), (high, np.greater, 0)):
        if limit is not None:
            bits = np.asarray(limit, np.float16).view(np.int16)
            change = bits - r
            change *= beyond(keys, _turned(bits) if bits & HALF_MAGNITUDE else zero)
            r += change
    return r.view(np.float16)


def floated(x: np.ndarray) -> np.ndarray:
    """Integers and bools as numbers of the default dtype."""
    return x.astype(get_default_dtype().numpy) if x.dtype.kind in "biu" else x


def magnitude(x: Any) -> Any:
    """The absolute value; that of complex numbers rounded once, as PyTorch has it, which `np.abs` is not."""
    return np.hypot(x.real, x.imag) if x.dtype.kind == "c" else np.abs(x)


def single(kernel: Kernel) -> Kernel:
    """A kernel of several steps: half types are computed in float32 and rounded once, as PyTorch does."""

    @wraps(kernel)
    def run(x: Any, *others: Any) -> Any:
        d = x.dtype
        if d.itemsize == 2 and d.kind in FLOATS:
            return in_single(kernel, x, *others)
        return kernel(x, *others)

    return run


def _refuse_shapes(kernel: Kernel, x: np.ndarray, others: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raise what `kernel` says of the shapes and options of a call with a dtype that PyTorch has no kernel for: there
    it is looked for when all else is known. It gets copies, since running statistics are written to."""
    single = [np.ones(x.shape, np.float32)]
    whole = x.dtype.kind in "iu"  # others of that dtype may be indices
    for o in others:
        array = isinstance(o, np.ndarray)
        alike = array and o.dtype == x.dtype and not whole
        single.append(np.ones(o.shape, np.float32) if alike else o.copy() if array else o)
    try:
        kernel(*single, **options)
    except (RuntimeError, TypeError) as error:
        if "type" not in str(error):  # which may be but that of the stand-in
            raise


def typed(
    name: str, without: str = BOOL + INTEGERS + COMPLEX, half: bool = True, layout: Layout | None = None
) -> Callable[[Kernel], Kernel]:
    """Decorator for a kernel of an op entry: dtypes for which PyTorch has no kernel `name` are refused, half types
    computed in float32 and rounded once. The name may be a function of the array; it counts for the first array.

    layout: see `laid_out`."""

    usual = "f" not in without

    def decorate(kernel: Kernel) -> Kernel:
        @wraps(kernel)
        def run(x: Any, *others: Any, **options: Any) -> Any:
            d = x.dtype
            plain = usual and (d is _SINGLE or d is _DOUBLE)
            if not plain:
                try:
                    refuse(x, name, without)
                except NotImplementedError:
                    _refuse_shapes(kernel, x, others, options)
                    raise
            if not plain and half and d.itemsize == 2 and d.kind in FLOATS:
                r = in_single(kernel, x, *others, **options)
                if isinstance(r, tuple):
                    return r
            else:
                r = kernel(x, *others, **options)
            return layout(r, x) if layout is not None and _forgets(r.shape, x) else r

        return run

    return decorate


def _forgets(shape: tuple[int, ...], x: np.ndarray) -> bool:
    """Whether NumPy gives a result of that shape other strides than PyTorch: for sizes of 0 and 1, for half types,
    since an array that is cast is no longer expanded, and where strides of the operand are 0 or the same."""
    if 1 in shape or 0 in shape or x.itemsize == 2:
        return True
    return not x.flags.c_contiguous and (0 in x.strides or len({*x.strides}) < x.ndim)


def like_input(r: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A result in memory that PyTorch makes with empty_like()."""
    made = like(x, r.dtype, zero=False)
    made[...] = r
    return made


def laid_out(layout: Layout) -> Callable[[Kernel], Kernel]:
    """Decorator for an elementwise kernel of one array: `layout`, which is `iterated` or `like_input`, places results
    to which NumPy gives other strides than PyTorch."""

    def decorate(kernel: Kernel) -> Kernel:
        @wraps(kernel)
        def run(x: Any, *others: Any, **options: Any) -> Any:
            r = plain_rows(kernel(x, *others, **options))
            return layout(r, x) if type(r) is Rows or (r.ndim and _forgets(r.shape, x)) else r

        return run

    return decorate


def double(kernel: Kernel) -> Kernel:
    """A kernel that is computed in float64 and rounded to the dtype of its (floated) operands."""

    @wraps(kernel)
    def run(x: Any, *others: Any) -> Any:
        x = floated(x)
        wide = [o.astype(np.float64) if isinstance(o, np.ndarray) else o for o in others]
        # a ufunc makes the memory order of its result PyTorch's, also of an expanded tensor, but takes longer
        ordered = x.flags.c_contiguous or x.dtype.kind != "f"
        y = np.asarray(x.astype(np.float64) if ordered else np.positive(x, dtype=np.float64))
        r = np.asarray(kernel(y, *wide))
        if r.shape == y.shape and r.strides != y.strides:
            made = np.empty_like(y)
            made[...] = r
            r = made
        return r.astype(x.dtype)

    return run


#: up to how many elements products and sums are rounded together; more of them would cost more than last digits tell
FEW = 1 << 14
#: from how many on an array for what lies between costs more than NumPy's look at one that is read and written
_SOME = 1 << 11
_FLOAT32 = np.dtype(np.float32)
_ONE = np.array(1.0)


def few_singles(x: Any) -> bool:
    """Whether x is an array of so few numbers of float32 that they are rounded as PyTorch's kernels round them."""
    return type(x) is np.ndarray and x.dtype == _FLOAT32 and x.size <= FEW


def fused(x: Any, y: Any, z: Any) -> Any:
    """x * y + z of one dtype, rounded once as PyTorch's kernels round it: float32 by way of float64, where a product
    is exact."""
    if z.dtype == _FLOAT32 and x.size <= FEW and z.size <= FEW:
        shape = x.shape
        if (
            type(x) is np.ndarray
            and (z.shape == shape or not z.ndim)
            and (not y.ndim or (x.size <= _SOME and y.shape == shape))
        ):
            wide = x.astype(_DOUBLE)  # with all of one dtype NumPy takes its shortest way
            np.multiply(wide, np.array(y, _DOUBLE), wide)
            return np.add(wide, np.array(z, _DOUBLE), wide).astype(_FLOAT32)
        if x.size > _SOME and type(x) is type(y) is type(z) is np.ndarray and x.flags.c_contiguous:
            wide = x.astype(_DOUBLE)
            try:  # in its memory, which fits unless the others have sizes where that of x is 1
                return np.add(np.multiply(wide, y.astype(_DOUBLE), wide), z.astype(_DOUBLE), wide).astype(_FLOAT32)
            except ValueError:
                pass
        return np.asarray(x.astype(_DOUBLE) * y.astype(_DOUBLE) + z.astype(_DOUBLE)).astype(_FLOAT32)
    return np.asarray(x * y + z)


def multiply_add(F: Any, x: Any, y: Any, z: Any) -> Any:
    """z + x * y in a formula; of arrays as `fused`, with numbers of their dtype."""
    if F is not RAW or type(x) is Rows:
        return z + x * y
    kind = x.dtype.type
    return fused(x, kind(y) if isinstance(y, float) else y, kind(z) if isinstance(z, int) else z)


def less_square(F: Any, x: Any) -> Any:
    """1 - x * x in a formula; of a few numbers of float32 rounded once, as by `fused`."""
    if F is not RAW or not few_singles(x):
        return 1 - x * x
    wide = x.astype(_DOUBLE)
    wide *= wide
    return (_ONE - wide).astype(_FLOAT32)


def shared(*arrays: np.ndarray) -> np.dtype[Any]:
    """The common dtype of arrays, 0-dim ones counting less, as of tensors."""
    first = arrays[0].dtype
    for a in arrays:
        if a.dtype is not first and a.dtype != first:
            break
    else:
        return first
    dims = [from_numpy(a.dtype) for a in arrays if a.ndim]
    zeros = [from_numpy(a.dtype) for a in arrays if not a.ndim]
    return dtypes.combine(dims, zeros, []).numpy


def align(*arrays: np.ndarray) -> list[np.ndarray]:
    """Arrays in their common dtype, after a check that their shapes broadcast."""
    numpy, shape = arrays[0].dtype, arrays[0].shape
    for a in arrays:
        if a.dtype is not numpy or a.shape != shape:
            break
    else:
        return [*arrays]
    numpy = shared(*arrays)
    broadcast_shapes(*[a.shape for a in arrays])
    return [a if a.dtype is numpy else a.astype(numpy) for a in arrays]


def into(input: Tensor, *others: Any) -> Tensor:
    """The tensor in the dtype that it has together with other operands."""
    wanted = result_dtype((input, *others))
    return input if wanted is input.dtype else TENSORS.to(input, wanted)


def numbered(x: Any, value: Any) -> Any:
    """A Python number as a 0-d array of an array's dtype, wrapped around where it does not fit."""
    return number(value, x.dtype) if is_number(value) else value


def on_both_backends(fn: Any) -> Any:
    """A helper of formulas, written once for every backend: `F.name(...)` calls `fn(F, ...)`."""
    HELPERS[fn.__name__] = fn
    setattr(RAW, fn.__name__, partial(fn, RAW))
    setattr(TENSORS, fn.__name__, partial(fn, TENSORS))
    return fn


#: a gradient of zeros that depends on nothing, laid out as the gradient that came: in a size of 1 with its stride, be
#: it 0, which keeps a leaf from taking the zeros over
RAW.nought = lambda x: like(x, x.dtype) if x.size else np.zeros(x.shape, x.dtype)


@instead(lambda call, args, kwargs: at("zeros_like", input=args[0]))
def _nought(x: Tensor) -> Tensor:
    return wrap(RAW.nought(x._array))


TENSORS.nought = _nought
#: the integers whose bits floats of so many bytes have
BITS: dict[int, Any] = {2: np.int16, 4: np.int32, 8: np.int64}
_UNSIGNED_BITS: dict[int, Any] = {2: np.uint16, 4: np.uint32, 8: np.uint64}


#: from how many elements on an irregular mask makes np.where slow
_LONG = 1 << 13


def chosen(mask: Any, x: Any, y: Any) -> np.ndarray:
    """np.where: `x` where a mask holds, `y` elsewhere. Long arrays of one dtype by the difference of their bits, for
    to choose element by element costs ten times that as soon as the mask is irregular.

    >>> chosen(np.array([True, False]), np.array([1.0, 2.0]), np.array(0.0))
    array([1., 0.])
    """
    if type(mask) is np.ndarray and mask.size >= _LONG and mask.dtype == bool and mask.flags.c_contiguous:
        kind = BITS.get(getattr(x, "itemsize", 0))
        if kind and getattr(y, "dtype", None) == x.dtype and _lies_like(x, mask) and _lies_like(y, mask):
            r, other = np.empty(mask.shape, x.dtype), y.view(kind)
            bits = r.view(kind)
            if not (other.ndim or other):  # 0 elsewhere
                bits[...] = mask
                bits *= x.view(kind)
            elif not (x.ndim or x.view(kind)):
                bits[...] = ~mask
                bits *= other
            else:
                np.subtract(x.view(kind), other, bits)
                bits *= mask
                bits += other
            return r
    return np.where(mask, x, y)


def _lies_like(x: Any, mask: np.ndarray) -> bool:
    """Whether `x` is one number, or an array that lies in memory as the mask does."""
    if not isinstance(x, (np.ndarray, np.generic)):
        return False
    return x.shape == () or (x.shape == mask.shape and x.flags.c_contiguous)


def signed_as(x: Any, r: Any) -> Any:
    """`r` with the signs of `x`, where it is zero or has them already: likewise, by bits, in a third of the time of
    np.copysign.

    >>> signed_as(np.array([-2.0, 3.0]), np.array([0.0, 1.0]))
    array([-0.,  1.])
    """
    kind = _UNSIGNED_BITS.get(r.itemsize) if type(r) is np.ndarray and x.dtype == r.dtype else None
    if kind is None:
        return np.copysign(r, x)
    sign = kind(1 << (8 * r.itemsize - 1))
    return np.bitwise_or(np.bitwise_and(x.view(kind), sign), r.view(kind)).view(r.dtype)


def kept(mask: np.ndarray, x: np.ndarray) -> np.ndarray:
    """`x` where a mask holds, zero elsewhere: likewise, by its bits times 1 or 0."""
    if x.size >= 256 and x.dtype.kind == "f" and mask.shape == x.shape and mask.flags.c_contiguous:
        r = np.empty(x.shape, x.dtype)
        bits = r.view(BITS[x.itemsize])
        bits[...] = mask
        np.multiply(bits, x.view(bits.dtype), bits)
        return r
    return np.where(mask, x, np.zeros((), x.dtype))


def replace(x: np.ndarray, by: np.ndarray, mask: np.ndarray) -> None:
    """Write the elements of `by` over those of `x` where a mask holds: likewise, by the difference of their bits."""
    kind = BITS.get(x.itemsize)
    if kind is None or x.dtype.kind == "c" or x.size < 256:
        np.copyto(x, by, where=mask)
        return
    bits = x.view(kind)
    change = np.subtract(by.view(kind), bits)
    change *= mask
    bits += change


#: gradient where a mask holds, zero elsewhere
RAW.only = RAW.kept = kept


@instead(unseen)
def _only(mask: Tensor, grad: Tensor) -> Tensor:
    found: Tensor = TENSORS.masked_fill(grad, wrap(~mask._array), 0)
    return found


TENSORS.only = _only
#: the same where PyTorch's formula chooses instead of filling


@instead(lambda call, args, kwargs: TENSORS.where(args[0], args[1], at("scalar_tensor", s=0, **options_of(args[1]))))
def _kept(mask: Tensor, grad: Tensor) -> Tensor:
    found: Tensor = TENSORS.where(mask, grad, wrap(np.zeros((), grad._array.dtype)))
    return found


TENSORS.kept = _kept


@on_both_backends
def over_size(F: Any, grad: Any, by: Any, size: Any) -> Any:
    """grad / by where a size is not 0, else 0."""
    return F.only(size != 0, grad / by)


def along(F: Any, slope: Any, tangent: Any, dim: Any, keepdim: bool) -> Any:
    """The tangent of a real result of the dimensions `dim`, None for all, given the gradients of each element in
    them."""
    total = F.real_part(F.conj(slope) * tangent)
    return F.sum(total, all_dims(dim, len(total.shape)), keepdim)


#: indices, for a formula
RAW.places = lambda x: x
TENSORS.places = wrap
#: dtypes and constants of a formula's values, on both backends
RAW.is_complex = lambda x: x.dtype.kind == "c"
TENSORS.is_complex = lambda x: x._array.dtype.kind == "c"
RAW.real_part = lambda x: x.real
TENSORS.real_part = lambda x: x.real if x._array.dtype.kind == "c" else x
