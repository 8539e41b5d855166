"""Arrays with given strides over existing memory, and the gathers, scatters and sums that autograd does with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .lazy import as_lazy_as, bits, memory_of
from .rows import Rows
from .storage import address, dense, owner, strides

__all__ = [
    "Geometry",
    "Places",
    "dense",
    "geometries",
    "laid_out",
    "laid_out_anew",
    "overlapping",
    "parts",
    "placed",
    "strided_backward",
    "turned",
    "view_strides",
    "whole",
    "window",
]

_ndarray = np.ndarray


def window(x: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], shift: int = 0) -> np.ndarray:
    """A view of the memory of `x` with other sizes and strides, `shift` bytes from its first element on.

    `np.lib.stride_tricks.as_strided` does the same at ten times the cost, since it takes the array interface.
    """
    if type(x) is not _ndarray:
        if isinstance(x, Rows):
            return x.window(shape, strides, window, shift)
        return _lazy_window(x, shape, strides, shift)
    if shift >= 0:
        buffer = x
        if x.flags.c_contiguous or (buffer := x.T).flags.c_contiguous:
            try:
                return _ndarray(shape, x.dtype, buffer, shift, strides)
            except ValueError:  # reaches beyond `x`
                pass
    root = owner(x)
    if not root.flags.c_contiguous:
        flat = root.ravel("K")
        if not np.may_share_memory(flat, root):
            return _interfaced(x, shape, strides, shift)
        root = flat
    start = address(x) - address(root) + shift
    if 0 in shape and not 0 <= start <= root.nbytes:  # it has no elements, but an address
        return _ndarray((2, *shape), x.dtype, root, 0, (start, *strides))[1]
    return _ndarray(shape, x.dtype, root, start, strides)


def _lazy_window(x: Any, *place: Any) -> np.ndarray:
    found: np.ndarray = as_lazy_as(x, window(np.asarray(memory_of(x)), *place))
    return found


def placed(x: np.ndarray) -> np.ndarray:
    """The array with PyTorch's strides, where it is empty and NumPy has given it strides of 0."""
    if x.size or (type(x) is not _ndarray and isinstance(x, Rows)):
        return x
    found = strides(x)
    if found == x.strides:
        return x
    placed: np.ndarray = as_lazy_as(x, _ndarray(x.shape, x.dtype, memory_of(x), 0, found))
    return placed


def _interfaced(x: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], shift: int) -> np.ndarray:
    """The same for an array with gaps, which does not export a buffer."""
    assert not shift, "memory outside of the array"
    return np.lib.stride_tricks.as_strided(x, shape, strides)


def laid_out_anew(x: np.ndarray) -> bool:
    """Whether a contiguous array has the strides of a new one: where a size is 1, it may have any other."""
    shape = x.shape
    if 1 not in shape:
        return True
    steps, step = x.strides, x.itemsize
    for d in range(len(shape) - 1, -1, -1):
        if steps[d] != step:
            return False
        if shape[d] > 1:
            step *= shape[d]
    return True


def view_strides(x: np.ndarray, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Strides that give `x` another shape without a copy, or None if there are none."""
    old, steps, size = x.shape, x.strides, x.itemsize
    if not x.size:
        return placed(x).strides if old == shape else dense(shape, size)
    if old == shape and 1 not in old:
        return steps
    strides = [size] * len(shape)
    at = len(shape) - 1
    base = steps[-1] if old else size
    count = taken = 1
    for d in range(len(old) - 1, -1, -1):
        count *= old[d]
        if d == 0 or (
            old[d - 1] != 1 and steps[d - 1] != count * base
        ):  # a run of dimensions that lie in one line ends
            while at >= 0 and (taken < count or shape[at] == 1):
                strides[at] = taken * base
                taken *= shape[at]
                at -= 1
            if taken != count:
                return None
            if d:
                base = steps[d - 1]
                count = taken = 1
    if not old:
        return dense(shape, size)
    return tuple(strides) if at == -1 else None


class Geometry:
    """Where an array's elements lie, in elements from the start of a base array."""

    __slots__ = ("dense", "itemsize", "offset", "shape", "steps")

    def __init__(self, array: np.ndarray, base: np.ndarray | None = None) -> None:
        self.itemsize = size = array.itemsize
        self.shape = array.shape
        #: the strides in bytes
        self.steps = array.strides
        #: of a base: whether they lie row by row without gaps
        self.dense = base is None and array.flags.c_contiguous and 1 not in self.shape
        # an empty base has no place in memory
        self.offset = 0 if base is None or not base.size else (address(array) - address(base)) // size

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in elements."""
        size = self.itemsize
        return tuple([s // size for s in self.steps])

    def bounds(self) -> tuple[int, int]:
        """The lowest and the highest element touched, relative to the base's first."""
        low = high = 0
        for n, s in zip(self.shape, self.steps, strict=True):
            if n == 0:
                return self.offset, self.offset - 1
            if s < 0:
                low += (n - 1) * s
            else:
                high += (n - 1) * s
        return self.offset + low // self.itemsize, self.offset + high // self.itemsize

    def window(self, flat: np.ndarray, shift: int) -> np.ndarray:
        """This geometry laid over the flat array whose element `shift` is the base's first."""
        size, steps = flat.itemsize, self.steps
        if size != self.itemsize:
            steps = tuple([s * size for s in self.strides])
        return np.ndarray(self.shape, flat.dtype, flat, (self.offset + shift) * size, steps)

    def overlaps(self) -> bool:
        """Whether two indices may mean one element."""
        return overlapping(self.shape, self.steps)


def overlapping(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two indices of an array with these sizes and strides may mean one element."""
    reach = 0
    for stride, n in sorted((abs(s), n) for n, s in zip(shape, strides, strict=True) if n != 1):
        if stride <= reach:
            return True
        reach += stride * (n - 1)
    return False


def room(base: Geometry, view: Geometry) -> tuple[int, int]:
    """Size of a flat array that holds both geometries, and the place of the base's first element in it."""
    (low, high), (vlow, vhigh) = base.bounds(), view.bounds()
    low, high = min(low, vlow, 0), max(high, vhigh, 0)
    return high - low + 1, -low


def laid_out(values: np.ndarray, base: Geometry, view: Geometry) -> tuple[np.ndarray, np.ndarray]:
    """A copy of an array in memory laid out as `base`, and the elements of `view` in it."""
    if base.dense and type(values) is _ndarray:
        low, high = view.bounds()
        if low >= 0 and high < values.size:
            copy = np.array(values, order="C")
            return copy, view.window(copy, 0)
    size, first = room(base, view)
    flat = np.zeros(size, values.dtype)
    whole = base.window(flat, first)
    whole[...] = values
    return whole, view.window(flat, first)


def strided_backward(grad: np.ndarray, base: Geometry, view: Geometry) -> np.ndarray:
    """The gradient of a base, given that of a strided view of it; elements met twice are summed."""
    size, first = room(base, view)
    flat = np.zeros(size, grad.dtype)
    if view.overlaps():
        index = view.window(np.arange(size), first)
        np.add.at(flat, index.reshape(-1), grad.reshape(-1))
    else:
        view.window(flat, first)[...] = grad
    if base.overlaps():  # an element that the base shows several times shares its gradient among them
        count = np.zeros(size, np.int64)
        np.add.at(count, base.window(np.arange(size), first).reshape(-1), 1)
        flat /= np.maximum(count, 1).astype(flat.dtype)
    return base.window(flat, first)


#: what `geometries` gives
Places = tuple[Geometry, Geometry, str]


def geometries(base: np.ndarray, view: np.ndarray) -> Places:
    """Those of a base and of a view of it, and which of the two alone is complex ("base", "view" or ""): then both are
    told in real elements, a complex number as a last dimension of 2."""
    kinds = base.dtype.kind == "c", view.dtype.kind == "c"
    alone = "" if kinds[0] is kinds[1] else "base" if kinds[0] else "view"
    if alone:
        base, view = parts(base), parts(view)
    return Geometry(base), Geometry(view, base), alone


def turned(base: np.ndarray, view: np.ndarray) -> tuple[bool, bool] | None:
    """Whether the values of a view are the conjugates and the negatives of those of its base; None if neither."""
    if type(base) is _ndarray and type(view) is _ndarray:
        return None
    (conj, neg), (own_conj, own_neg) = bits(base), bits(view)
    if conj and view.dtype.kind != "c":  # the real parts or the imaginary ones
        neg ^= (address(view) - address(base)) // view.itemsize % 2 == 1
        conj = False
    found = conj is not own_conj, neg is not own_neg
    return found if any(found) else None


def parts(x: np.ndarray) -> np.ndarray:
    """A complex array as a real one with a last dimension of 2, in the same memory; a real one as it is."""
    if x.dtype.kind != "c":
        return x
    if type(x) is not _ndarray and isinstance(x, Rows):
        return x.over(parts(x.whole))
    memory: np.ndarray = memory_of(x)
    if not memory.size:
        real, memory = memory.real.dtype, placed(memory)
        return _ndarray((*memory.shape, 2), real, memory, 0, (*memory.strides, real.itemsize))
    return memory[..., None].view(memory.real.dtype)


def whole(x: np.ndarray) -> np.ndarray:
    """The complex array of which `x` holds the parts."""
    joined: np.ndarray = np.ascontiguousarray(x).view(np.result_type(x.dtype, np.complex64))[..., 0]
    return joined
