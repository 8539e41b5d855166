"""Rows: many arrays of one shape and dtype in one array, which stands for each of them.

`vmap` gives a function such an array in the place of a tensor's: it shows the shape of one row, and what is done to it
is done to all of them. So kernels and formulas need not know of it. NumPy asks it for the result of its functions,
which it gives for all rows at once; what it cannot do so raises `Apart`, and whoever called the kernel lets it run for
one row after the other (`each`). Levels tell apart the dimensions that count rows: each vmap that is entered has its
own, a number larger than those around it, and `whole` begins with a dimension for each, in that order.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..runtime import errors, modes
from ..types.dims import shape_arg, wrap_dim

__all__ = [
    "Apart",
    "RowShape",
    "Rows",
    "Rule",
    "all_rows",
    "each",
    "laid_by",
    "lay_rows",
    "lanes_of",
    "levels_of",
    "new_level",
    "one_by_one",
    "plain_rows",
    "refuse_among",
    "refuse_numbers",
    "repeated",
    "rule_rows",
    "with_levels",
]

_ndarray = np.ndarray
#: the anonymous level of many gradients in one plain backward pass
_SINGLE = (0,)
_numbers = itertools.count(1)
_function: Any
#: the tensor of an array, for kernels that take tensors; `core/tensor` sets it
wrapped: Callable[[Any], Any] = lambda array: array


def new_level() -> int:
    """The number of a vmap that is entered: larger than those of all before."""
    modes.FLAGS.rows = True
    return next(_numbers)


class Apart(RuntimeError):
    """Raised where something can be done to one row at a time only; where no kernel catches it, PyTorch's error."""

    #: whether each row is to lie in memory of its own
    alone = False

    def separately(self, run: Callable[..., Any], *args: Any) -> Any:
        """What a kernel gives for one row after the other."""
        if not any(type(x) is Rows or type(getattr(x, "_array", None)) is Rows for x in _flat(args)):
            raise self
        return each(run, args, self.alone)


Apart.__name__ = Apart.__qualname__ = "RuntimeError"  # all that a caller of the kernel needs to know
Apart.__module__ = "builtins"


def check_open(levels: tuple[int, ...], rule: str = "gen_vmap_plumbing") -> None:
    """Refuse rows that have escaped from the function: the vmap that counts them is over. rule: what PyTorch's message
    names."""
    state = modes.LOCAL.state
    if levels == state.levels or state.passing:
        return
    if any(level and level not in state.levels for level in levels):
        raise RuntimeError(errors.ROWS_ESCAPED.format(rule))


def refuse_numbers(*arrays: Any) -> None:
    """Refuse rows without dimensions, as rules do in PyTorch that count that of the rows among those of a row."""
    for x in arrays:
        if type(x) is Rows and not x.ndim:
            raise IndexError(errors.DIM_RANGE.format(-1, 0, 1))


class RowShape(tuple[int, ...]):
    """The shape of a row. It tells of which levels, and how many rows each counts: Nodes keep it, and so the engine and
    inspectors know of theirs."""

    levels: tuple[int, ...]
    lanes: tuple[int, ...]


def levels_of(shape: Any) -> tuple[int, ...]:
    """The levels of an array of this shape, or of the arrays of several."""
    if type(shape) is RowShape:
        return shape.levels
    if type(shape) is tuple and shape and isinstance(shape[0], tuple):
        return tuple(sorted({level for one in shape for level in levels_of(one)}))
    return ()


def lanes_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """How many rows each level of an array of this shape counts: sizes that come first where PyTorch's messages name
    those of all rows."""
    return shape.lanes if type(shape) is RowShape else ()


def _from_below(message: str) -> str:
    """A message of vmap, or the one where another transform inside of it has asked."""
    state = modes.LOCAL.state
    return errors.ROWS_NUMBER if state.mapped and state.mapped[-1][3] < state.entered() else message


class _Flags:
    """What kernels ask of an array's flags, of a row."""

    __slots__ = ("c_contiguous", "f_contiguous", "owndata", "writeable")

    def __init__(self, rows: Rows) -> None:
        self.c_contiguous = _in_order(rows.shape[::-1], rows.strides[::-1], rows.itemsize)
        self.f_contiguous = _in_order(rows.shape, rows.strides, rows.itemsize)
        self.writeable = rows.whole.flags.writeable
        self.owndata = False


def _in_order(shape: Sequence[int], strides: Sequence[int], step: int) -> bool:
    for n, stride in zip(shape, strides, strict=True):
        if n != 1 and stride != step and 0 not in shape:
            return False
        step *= n
    return True


class Rows(NDArrayOperatorsMixin):
    """Arrays of the same shape and dtype, in one: `whole`."""

    __slots__ = ("levels", "whole")

    def __init__(self, whole: Any, levels: tuple[int, ...] = _SINGLE) -> None:
        self.whole: np.ndarray = whole
        self.levels = levels

    def over(self, whole: Any) -> Rows:
        """Other rows of the same levels."""
        check_open(self.levels)
        return Rows(np.asarray(whole), self.levels)

    # -- attributes of an array --------------------------------------------------------------------------------

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # kernels ask with isinstance whether an argument is an array or a number
        return _ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a row."""
        sizes, count = self.whole.shape, len(self.levels)
        found = RowShape(sizes[count:])
        found.levels, found.lanes = self.levels, sizes[:count]
        return found

    @property
    def ndim(self) -> int:
        """The number of dimensions of a row."""
        return self.whole.ndim - len(self.levels)

    @property
    def size(self) -> int:
        """The number of elements of a row."""
        return math.prod(self.whole.shape[len(self.levels) :])

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides within a row."""
        return self.whole.strides[len(self.levels) :]

    @property
    def lanes(self) -> tuple[int, ...]:
        """How many rows each level counts."""
        return self.whole.shape[: len(self.levels)]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of a row."""
        return self.whole.dtype

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.whole.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of a row."""
        return self.size * self.whole.itemsize

    @property
    def flags(self) -> Any:
        """What is true of the memory of a row."""
        return _Flags(self)

    @property
    def base(self) -> np.ndarray:
        """The memory of all rows."""
        return self.whole

    @property
    def real(self) -> Rows:
        """The real part of each row."""
        return self.over(self.whole.real)

    @property
    def imag(self) -> Rows:
        """The imaginary part of each row."""
        return self.over(self.whole.imag)

    @property
    def T(self) -> Rows:
        """The transpose of each row."""
        return self.transpose()

    def __getattr__(self, name: str) -> Any:
        if hasattr(_ndarray, name) and not name.startswith("__"):
            raise Apart(errors.ROWS_POINTER)
        raise AttributeError(name)

    # -- the levels of several ----------------------------------------------------------------------------------------

    def beside(self, ndim: int, levels: tuple[int, ...] | None = None) -> np.ndarray:
        """All rows, with sizes of 1 in front of theirs: a row broadcasts as before against arrays of `ndim`; and with
        a size of 1 for each of the `levels` that these have not."""
        x, own = self.whole, self.levels
        if levels is None or levels == own:
            lanes = x.shape[: len(own)]
        else:
            sizes = dict(zip(own, x.shape, strict=False))
            lanes = tuple([sizes.get(level, 1) for level in levels])
        row = x.shape[len(own) :]
        missing = ndim - len(row)
        if missing <= 0 and len(lanes) == len(own):
            return x
        return x.reshape(*lanes, *(1,) * missing, *row)

    # -- what is done to all at once ----------------------------------------------------------------------------------

    def axes(self, axis: Any) -> tuple[int, ...]:
        """The dimensions of `whole` that dimensions of a row are."""
        first = len(self.levels)
        ndim = self.whole.ndim - first
        if type(axis) is int and -ndim <= axis < ndim:
            return (axis + first if axis >= 0 else axis + first + ndim,)
        if axis is None:
            return tuple(range(first, first + ndim))
        if not ndim:
            return ()
        return tuple([wrap_dim(d, ndim) + first for d in (axis if isinstance(axis, tuple) else (axis,))])

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "__call__" and not options and ufunc.signature is None:
            return _called(ufunc, inputs, options)
        out = options.pop("out", None)
        if method == "__call__":
            found = _called(ufunc, inputs, options)
        elif method == "reduce" and type(inputs[0]) is Rows and options.keys() <= {"axis", "dtype", "keepdims"}:
            x = inputs[0]
            check_open(x.levels, "boxed_reduction_batch_rule")
            options["axis"] = x.axes(options.get("axis", 0))
            found = ufunc.reduce(x.whole, **options)
            found = Rows(found if type(found) is _ndarray else np.asarray(found), x.levels)
        elif method == "accumulate" and type(inputs[0]) is Rows and options.keys() <= {"axis", "dtype"}:
            x = inputs[0]
            if not x.ndim:
                raise Apart(errors.ROWS_POINTER)
            options["axis"] = x.axes(options.get("axis", 0))[0]
            found = x.over(ufunc.accumulate(x.whole, **options))
        else:
            raise Apart(errors.ROWS_POINTER)
        if out is None:
            return found
        for target, made in zip(out, found if type(found) is tuple else (found,), strict=True):
            if type(target) is not Rows:
                raise Apart(errors.ROWS_INPLACE.format("inplace arithmetic", "in a vmap"))
            target[...] = made
        return out if len(out) > 1 else out[0]

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        rule = _RULES.get(func)
        if rule is None:
            raise Apart(errors.ROWS_POINTER)
        return rule(*args, **kwargs)

    def astype(
        self, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> Rows:
        """Each row in another dtype."""
        made = self.whole.astype(dtype, order="C" if order == "C" else "K", casting=casting, copy=copy)
        return self if made is self.whole else self.over(made)

    def copy(self, order: Any = "C") -> Rows:
        """Each row in memory of its own."""
        return self.over(self.whole.copy(order))

    def reshape(self, *size: Any, order: str = "C") -> Rows:
        """Each row in another shape."""
        sizes = list(shape_arg(size))
        if -1 in sizes:
            known = -math.prod(sizes)
            if not known or self.size % known:
                raise ValueError(f"cannot reshape array of size {self.size} into shape {tuple(sizes)}")
            sizes[sizes.index(-1)] = self.size // known
        elif math.prod(sizes) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {tuple(sizes)}")
        if order != "C":
            raise Apart(errors.ROWS_POINTER)
        return self.over(self.whole.reshape(*self.lanes, *sizes))

    def ravel(self, order: str = "C") -> Rows:
        """Each row in one dimension."""
        return self.reshape(self.size, order=order)

    def flatten(self, order: str = "C") -> Rows:
        """The same in memory of its own."""
        return self.ravel(order).copy()

    def transpose(self, *axes: Any) -> Rows:
        """Each row with its dimensions in another order."""
        first = len(self.levels)
        given = shape_arg(axes) if axes and axes[0] is not None else tuple(reversed(range(self.ndim)))
        if sorted([wrap_dim(d, self.ndim) for d in given]) != list(range(self.ndim)):
            raise ValueError("axes don't match array")
        return self.over(self.whole.transpose(*range(first), *[wrap_dim(d, self.ndim) + first for d in given]))

    def swapaxes(self, axis1: int, axis2: int) -> Rows:
        """Each row with two dimensions exchanged."""
        ndim = self.ndim
        if not (-ndim <= axis1 < ndim and -ndim <= axis2 < ndim):
            raise ValueError("axes are out of range")
        first = len(self.levels)
        return self.over(self.whole.swapaxes(axis1 % ndim + first, axis2 % ndim + first))

    def squeeze(self, axis: Any = None) -> Rows:
        """Each row without dimensions of size 1."""
        shape = self.shape
        if axis is None:
            dims = [d for d, n in enumerate(shape) if n == 1]
        else:
            dims = [d - len(self.levels) for d in self.axes(axis)]
        if any(shape[d] != 1 for d in dims):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return self.over(self.whole.squeeze(self.axes(tuple(dims))) if dims else self.whole)

    def spread(self, lanes: tuple[int, ...]) -> Rows:
        """The same where all levels were counted by one dimension."""
        return self.over(self.whole.reshape(*lanes, *self.whole.shape[1:]))

    def window(self, shape: tuple[int, ...], strides: tuple[int, ...], look: Callable[..., Any], shift: int) -> Rows:
        """A view of the memory of each row, which `look` takes of an array."""
        first = len(self.levels)
        return self.over(look(self.whole, (*self.lanes, *shape), (*self.whole.strides[:first], *strides), shift))

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Rows:
        """The diagonal of each row."""
        return self.over(self.whole.diagonal(offset, *self.axes((axis1, axis2))))

    def dot(self, other: Any) -> Any:
        """The product with another array, of at most two dimensions."""
        if min(self.ndim, getattr(other, "ndim", 0)) < 1 or other.ndim > 2:
            raise Apart(errors.ROWS_POINTER)
        return np.matmul(self, other)

    def conj(self) -> Any:
        """The conjugate of each row."""
        return np.conjugate(self)

    conjugate = conj

    def clip(self, low: Any = None, high: Any = None) -> Any:
        """Each element within limits."""
        found = self if low is None else np.maximum(self, low)
        return found if high is None else np.minimum(found, high)

    def fill(self, value: Any) -> None:
        """Give every element one value."""
        self[...] = value

    def view(self, dtype: Any = None) -> Rows:
        """The same memory."""
        if dtype is not None and np.dtype(dtype).itemsize != self.itemsize and not self.ndim:
            raise Apart(errors.ROWS_POINTER)
        return self.over(self.whole.view() if dtype is None else self.whole.view(dtype))

    # -- indices ------------------------------------------------------------------------------------------------------

    def _place(self, index: Any) -> tuple[Any, ...]:
        """The index of `whole` that an index of a row means."""
        places = index if type(index) is tuple else (index,)
        kinds = [type(p) for p in places]
        arrays = sum(k is _ndarray for k in kinds)
        known = {int, slice, type(None), type(...), _ndarray}
        if Rows in kinds or not known.issuperset(kinds) or arrays > 1 or (arrays and int in kinds):
            raise Apart(errors.ROWS_POINTER)
        return (*(slice(None),) * len(self.levels), *places)

    def __getitem__(self, index: Any) -> Rows:
        return self.over(self.whole[self._place(index)])

    def __setitem__(self, index: Any, values: Any) -> None:
        check_open(self.levels, "gen_vmap_inplace_plumbing")
        place = self._place(index)
        if type(values) is not Rows:
            self.whole[place] = values
            return
        if not set(values.levels) <= set(self.levels):
            raise Apart(errors.ROWS_INPLACE.format("inplace arithmetic", "in a vmap"))
        part = self.whole[place]
        self.whole[place] = values.beside(part.ndim - len(self.levels), self.levels)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    # -- what needs plain numbers ----------------------------------------------------------------------------

    def item(self, *args: Any) -> Any:
        raise Apart(_from_below(errors.ROWS_ITEM))

    __float__ = __int__ = __complex__ = __index__ = item

    def __bool__(self) -> bool:
        raise Apart(_from_below(errors.ROWS_BRANCH))

    def tolist(self) -> Any:
        raise Apart(errors.ROWS_POINTER)

    def __iter__(self) -> Any:
        raise Apart(errors.ROWS_POINTER)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise Apart(errors.ROWS_INPLACE.format("inplace arithmetic", "in a vmap"))


def plain_rows(x: Any) -> Any:
    """An array, or Rows, of what a kernel has given."""
    return x if type(x) is Rows else np.asarray(x)


def all_rows(x: Any) -> Any:
    """The array of all rows, for what is asked of all of them together; any other array as it is."""
    return x.whole if type(x) is Rows else x


def with_levels(x: Any, levels: tuple[int, ...]) -> Any:
    """Rows that were made again, by vmaps with other numbers, as rows of those that first made them."""
    return Rows(x.whole, levels) if type(x) is Rows else x


def copied(x: Any) -> Any:
    """An array, or Rows, in memory of its own that is laid out alike."""
    return x.copy("K") if type(x) is Rows else np.array(x)


def one_row(*arrays: Any) -> None:
    """Let a kernel that looks at memory run for one row after the other."""
    if any(type(x) is Rows for x in arrays):
        error = Apart(errors.ROWS_POINTER)
        error.alone = True
        raise error


def apart(run: Callable[..., Any], args: Sequence[Any]) -> Any:
    """What a kernel that failed gives with one row after the other; None if there are no rows, or it fails again."""
    if not modes.FLAGS.rows or not any(type(getattr(x, "_array", x)) is Rows for x in _flat(args)):
        return None
    try:
        return each(run, args)
    except (AttributeError, TypeError, ValueError):
        return None


def repeated(array: Any, *others: Any) -> Any:
    """An array in memory of its own for each row of other arrays, if they have rows."""
    rows = [x for x in others if type(x) is Rows]
    if not rows:
        return array
    lanes: dict[int, int] = {}
    for x in rows:
        lanes |= dict(zip(x.levels, x.lanes, strict=True))
    levels = tuple(sorted(lanes))
    check_open(levels)
    made = one_by_one(tuple([lanes[level] for level in levels]), array)
    made[...] = array
    return Rows(made, levels)


def one_by_one(lanes: tuple[int, ...], like: Any) -> np.ndarray:
    """Memory for so many rows, one after the other, each with its elements in the order that an array's have."""
    steps = like.strides
    order = sorted(range(like.ndim), key=lambda d: -abs(steps[d]))
    made = np.empty((*[n or 1 for n in lanes], *[like.shape[d] for d in order]), like.dtype)
    first = len(lanes)
    if 0 in lanes:  # no row at all: cut off, since NumPy gives empty arrays strides of 0, as if rows were expanded
        made = made[tuple([slice(n) for n in lanes])]
    return made.transpose(*range(first), *[first + order.index(d) for d in range(like.ndim)])


# -- NumPy's functions ------------------------------------------------------------------------------------------------


def _union(arrays: Sequence[Any]) -> tuple[int, ...]:
    """The levels of all Rows among arrays."""
    first: tuple[int, ...] = ()
    for x in arrays:
        if type(x) is Rows and x.levels != first:
            first = tuple(sorted({*first, *x.levels})) if first else x.levels
    check_open(first)
    return first


def _called(ufunc: np.ufunc, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    levels: tuple[int, ...] = ()
    most = 0
    for x in inputs:
        if type(x) is Rows:
            own = x.levels
            if own != levels:
                levels = tuple(sorted({*levels, *own})) if levels else own
            ndim = x.whole.ndim - len(own)
        else:
            ndim = getattr(x, "ndim", 0)
        if ndim > most:
            most = ndim
    check_open(levels)
    if ufunc.signature:
        if ufunc is not np.matmul:
            raise Apart(errors.ROWS_POINTER)
        return _product(inputs[0], inputs[1], levels, options)
    if "where" in options:
        raise Apart(errors.ROWS_POINTER)
    given: list[Any] = []
    for x in inputs:
        if type(x) is Rows:
            x = x.whole if x.levels == levels and x.whole.ndim - len(levels) == most else x.beside(most, levels)
        given.append(x)
    found = ufunc(*given, **options)
    if type(found) is tuple:
        return tuple([Rows(np.asarray(r), levels) for r in found])
    return Rows(found if type(found) is _ndarray else np.asarray(found), levels)


def _product(a: Any, b: Any, levels: tuple[int, ...], options: dict[str, Any]) -> Rows:
    """Of matrices, vectors, or stacks of them."""
    if a.ndim < 1 or b.ndim < 1:
        raise Apart(errors.ROWS_POINTER)
    if type(b) is not Rows and b.ndim == 2 and (a.ndim == 1 or a.whole.flags.c_contiguous):
        x = a.whole  # one product, of all rows
        if x.shape[-1] != b.shape[0]:
            raise ValueError("shapes do not fit")
        count = math.prod(x.shape[:-1])
        return Rows((x.reshape(count, x.shape[-1]) @ b).reshape(*x.shape[:-1], b.shape[1]), levels)
    if type(a) is not Rows and a.ndim == 2 and b.ndim == 1:
        if a.shape[1] != b.shape[0]:
            raise ValueError("shapes do not fit")
        return Rows(np.matmul(a, b.whole.swapaxes(-1, -2)).swapaxes(-1, -2), levels)  # each row is a column
    vectors = a.ndim == 1, b.ndim == 1
    a = a[None, :] if vectors[0] else a
    b = b[:, None] if vectors[1] else b
    most = max(a.ndim, b.ndim)
    found = np.matmul(*[x.beside(most, levels) if type(x) is Rows else x for x in (a, b)], order="C", **options)
    if vectors[0]:
        found = found[..., 0, :]
    if vectors[1]:
        found = found[..., 0]
    return Rows(np.asarray(found), levels)


def _spread(arrays: Sequence[Any]) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """Arrays with all levels, every row written out."""
    levels = _union(arrays)
    lanes: dict[int, int] = {}
    for x in arrays:
        if type(x) is Rows:
            lanes |= dict(zip(x.levels, x.lanes, strict=True))
    sizes = tuple([lanes[level] for level in levels])
    found = []
    for x in arrays:
        whole = x.beside(x.ndim, levels) if type(x) is Rows else np.asarray(x)
        shape = x.shape if type(x) is Rows else whole.shape
        found.append(np.broadcast_to(whole, (*sizes, *shape)))
    return found, levels


_RULES: dict[Any, Callable[..., Any]] = {}


def _rule(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: how functions of NumPy are carried out where arguments are Rows."""

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            _RULES[function] = rule
        return rule

    return register


@_rule(np.where)
def _where(condition: Any, *choices: Any) -> Any:
    if len(choices) != 2:
        raise Apart(errors.ROWS_POINTER)
    arrays = (condition, *choices)
    levels, most = _union(arrays), max([getattr(x, "ndim", 0) for x in arrays])
    return Rows(np.where(*[x.beside(most, levels) if type(x) is Rows else x for x in arrays]), levels)


@_rule(np.concatenate)
def _concatenate(arrays: Any, axis: Any = 0, **options: Any) -> Any:
    if axis is None or options.get("out") is not None or not all(np.ndim(x) for x in arrays):
        raise Apart(errors.ROWS_POINTER)
    wholes, levels = _spread(arrays)
    ndim = wholes[0].ndim - len(levels)
    return Rows(np.concatenate(wholes, wrap_dim(axis, ndim) + len(levels), **options), levels)


@_rule(np.stack)
def _stack(arrays: Any, axis: int = 0, **options: Any) -> Any:
    if options.get("out") is not None:
        raise Apart(errors.ROWS_POINTER)
    wholes, levels = _spread(arrays)
    ndim = wholes[0].ndim - len(levels)
    whole = np.stack(wholes, wrap_dim(axis, ndim + 1) + len(levels), **options)
    return Rows(np.ascontiguousarray(whole), levels)


@_rule(np.broadcast_to)
def _broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if array.ndim > len(sizes):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    whole = array.beside(len(sizes))
    target = (*array.lanes, *sizes)
    if whole.shape == target:  # a view that is written as before
        return array.over(whole.view())
    found = np.broadcast_to(whole, target)
    steps = tuple([s if n == m else 0 for n, m, s in zip(whole.shape, target, whole.strides, strict=True)])
    if steps != found.strides:  # NumPy forgets those of size 1
        found = np.lib.stride_tricks.as_strided(whole, target, steps, writeable=False)
    return array.over(found)


@_rule(np.broadcast_arrays)
def _broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    wholes, levels = _spread(args)
    shape = np.broadcast_shapes(*[x.shape for x in args])
    return [np.broadcast_to(Rows(x, levels), shape) for x in wholes]


@_rule(np.expand_dims)
def _expand_dims(a: Any, axis: Any) -> Any:
    axes = axis if isinstance(axis, tuple) else (axis,)
    first, ndim = len(a.levels), a.ndim + len(axes)
    return a.over(np.expand_dims(a.whole, tuple([wrap_dim(d, ndim) + first for d in axes])))


@_rule(np.moveaxis)
def _moveaxis(a: Any, source: Any, destination: Any) -> Any:
    there, here = (tuple(d) if isinstance(d, (tuple, list)) else (d,) for d in (source, destination))
    return a.over(np.moveaxis(a.whole, a.axes(there), a.axes(here)))


@_rule(np.flip)
def _flip(m: Any, axis: Any = None) -> Any:
    return m.over(np.flip(m.whole, m.axes(tuple(axis) if isinstance(axis, list) else axis)))


@_rule(np.roll)
def _roll(a: Any, shift: Any, axis: Any = None) -> Any:
    if axis is None:
        raise Apart(errors.ROWS_POINTER)
    return a.over(np.roll(a.whole, shift, a.axes(tuple(axis) if isinstance(axis, list) else axis)))


@_rule(np.take_along_axis)
def _take_along_axis(arr: Any, indices: Any, axis: int = -1) -> Any:
    wholes, levels = _spread((arr, indices))
    if not (arr.ndim == indices.ndim and arr.ndim):
        raise Apart(errors.ROWS_POINTER)
    return Rows(np.take_along_axis(wholes[0], wholes[1], wrap_dim(axis, arr.ndim) + len(levels)), levels)


@_rule(np.take)
def _take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    if axis is None or type(a) is not Rows or type(indices) is Rows or out is not None or not a.ndim:
        raise Apart(errors.ROWS_POINTER)
    take: Any = np.take
    return a.over(take(a.whole, indices, a.axes(axis)[0], mode=mode))


def _along(function: Any) -> None:
    """A function along one axis, which is the last one if it names none."""

    def rule(a: Any, axis: Any = -1, **options: Any) -> Any:
        if axis is None or not a.ndim:
            raise Apart(errors.ROWS_POINTER)
        return a.over(function(a.whole, a.axes(axis)[0], **options))

    _RULES[function] = rule


for _function in (np.sort, np.argsort, np.diff, np.partition):
    _along(_function)


def _reducing(function: Any, one: bool = False) -> Callable[..., Any]:
    """A function that reduces along axes, or along `one`."""

    def rule(a: Any, axis: Any = None, *args: Any, **options: Any) -> Any:
        if options.get("out") is not None or args or any(type(x) is Rows for x in options.values()):
            raise Apart(errors.ROWS_POINTER)
        check_open(a.levels, "boxed_reduction_batch_rule")
        if one and (axis is None or not a.ndim):
            if options.get("keepdims"):
                raise Apart(errors.ROWS_POINTER)
            return a.over(function(a.whole.reshape(*a.lanes, -1), axis=-1))
        axes = a.axes(axis)
        if not axes and axis is not None:
            axes = ()
        return a.over(function(a.whole, axis=axes[0] if one else axes, **options))

    _RULES[function] = rule
    return rule


for _function in (np.sum, np.prod, np.max, np.min, np.any, np.all, np.mean):
    setattr(Rows, _function.__name__, _reducing(_function))
for _function in (np.argmax, np.argmin):
    setattr(Rows, _function.__name__, _reducing(_function, one=True))
_reducing(np.count_nonzero)


def _accumulating(function: Any) -> Callable[..., Any]:
    def rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if axis is None or not a.ndim or out is not None:
            raise Apart(errors.ROWS_POINTER)
        return a.over(function(a.whole, a.axes(axis)[0], dtype))

    _RULES[function] = rule
    return rule


for _function in (np.cumsum, np.cumprod):
    setattr(Rows, _function.__name__, _accumulating(_function))


@_rule(np.zeros_like, np.empty_like)
def _zeros_like(a: Any, dtype: Any = None, **options: Any) -> Any:
    if options.get("shape") is not None:
        raise Apart(errors.ROWS_POINTER)
    return a.over(np.zeros(a.whole.shape, dtype or a.dtype))


@_rule(np.ones_like)
def _ones_like(a: Any, dtype: Any = None, **options: Any) -> Any:
    return a.over(np.ones(a.whole.shape, dtype or a.dtype))


@_rule(np.full_like)
def _full_like(a: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    if type(a) is not Rows or type(fill_value) is Rows:
        raise Apart(errors.ROWS_POINTER)
    return a.over(np.full(a.whole.shape, fill_value, dtype or a.dtype))


@_rule(np.copyto)
def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if where is not True:
        raise Apart(errors.ROWS_POINTER)
    dst[...] = src


@_rule(np.clip)
def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    if out is not None or options:
        raise Apart(errors.ROWS_POINTER)
    found = a if a_min is None else np.maximum(a, a_min)
    return found if a_max is None else np.minimum(found, a_max)


@_rule(np.tril)
def _tril(m: Any, k: int = 0) -> Any:
    return m.over(np.tril(m.whole, k)) if m.ndim > 1 else _refuse()


@_rule(np.triu)
def _triu(m: Any, k: int = 0) -> Any:
    return m.over(np.triu(m.whole, k)) if m.ndim > 1 else _refuse()


def _refuse() -> Any:
    raise Apart(errors.ROWS_POINTER)


@_rule(np.repeat)
def _repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    if axis is None or type(a) is not Rows or type(repeats) is Rows or not a.ndim:
        raise Apart(errors.ROWS_POINTER)
    return a.over(np.repeat(a.whole, repeats, a.axes(axis)[0]))


@_rule(np.pad)
def _pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    pairs = [tuple(p) for p in pad_width] if isinstance(pad_width, (list, tuple)) else []
    if len(pairs) != array.ndim or any(type(x) is Rows for x in options.values()):
        raise Apart(errors.ROWS_POINTER)
    return array.over(np.pad(array.whole, [(0, 0)] * len(array.levels) + pairs, mode, **options))


@_rule(np.dot)
def _dot(a: Any, b: Any, out: Any = None) -> Any:
    if out is not None or not 1 <= np.ndim(a) <= 2 or not 1 <= np.ndim(b) <= 2:
        raise Apart(errors.ROWS_POINTER)
    return np.matmul(a, b)


_RULES |= {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.size,
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.transpose: lambda a, axes=None: a.transpose(axes),
    np.reshape: lambda a, shape, order="C", **options: a.reshape(shape, order=order),
    np.ravel: lambda a, order="C": a.ravel(order),
    np.squeeze: lambda a, axis=None: a.squeeze(axis),
    np.atleast_1d: lambda a: a if a.ndim else a.reshape(1),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: a.diagonal(offset, axis1, axis2),
    np.copy: lambda a, order="K", subok=False: a.copy(),
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
    np.result_type: lambda *args: np.result_type(*[x.dtype if type(x) is Rows else x for x in args]),
    np.can_cast: lambda from_, to, casting="safe": np.can_cast(from_.dtype, to, casting),
    np.may_share_memory: lambda a, b, max_work=None: np.may_share_memory(all_rows(a), all_rows(b)),
    np.shares_memory: lambda a, b, max_work=None: np.may_share_memory(all_rows(a), all_rows(b)),
}


# -- one row after the other ------------------------------------------------------------------------------------------


def _row(x: Any, levels: tuple[int, ...], place: tuple[Any, ...]) -> Any:
    """One row, of what may be Rows or a list of them."""
    if type(x) is Rows:
        if x.levels != levels:
            place = tuple([i for level, i in zip(levels, place, strict=True) if level in x.levels])
        return x.whole[(*place, ...)]
    if type(x) in (list, tuple):
        return type(x)([_row(y, levels, place) for y in x])
    if type(getattr(x, "_array", None)) is Rows:
        return wrapped(_row(x._array, levels, place))
    return x


def _joined(found: Sequence[Any], levels: tuple[int, ...], lanes: tuple[int, ...]) -> Any:
    """The results of all rows in one."""
    if isinstance(found[0], (tuple, list)):
        return type(found[0])([_joined(part, levels, lanes) for part in zip(*found, strict=True)])
    if found[0] is None:
        return None
    if math.prod(lanes) == 0:
        one = np.asarray(found[0])
        return Rows(np.zeros((*lanes, *one.shape), one.dtype), levels)
    arrays = [np.asarray(r) for r in found]
    for i, r in enumerate(arrays):
        if r.shape != arrays[0].shape:
            raise RuntimeError(errors.STACK_SIZES.format([*arrays[0].shape], [*r.shape], i))
    whole = np.stack(arrays)
    return Rows(whole.reshape(*lanes, *whole.shape[1:]), levels)


def _flat(args: Sequence[Any]) -> list[Any]:
    return [x for arg in args for x in (arg if type(arg) in (list, tuple) else (arg,))]


#: kernels that are not to run for one row after the other, by the message that says so
_REFUSED: dict[Any, str] = {}
#: gives what a kernel gives of all rows at once, or None
Rule = Callable[[Any, Sequence[Any], tuple[int, ...], tuple[int, ...]], Any]
#: kernels for which there is such a rule
_RULED: dict[Any, Rule] = {}
#: kernels whose result is laid out in memory by their arguments, all rows of it by all of theirs, and what does so
_LAID: dict[Any, Callable[..., Any]] = {}


def refuse_among(name: str, tensors: Iterable[Any]) -> None:
    """Refuse tensors of rows, in the words about an operation of several for which PyTorch's vmap has no rule."""
    if modes.LOCAL.state.levels and any(type(t._array) is Rows for t in tensors):
        raise RuntimeError(errors.ROWS_NO_FALLBACK.format(name))


def refuse_rows(forms: Sequence[Callable[..., Any]], message: str) -> None:
    """Say of the forms of a kernel, if there is a message, that the shapes of its results depend on values."""
    if message:
        _REFUSED.update(dict.fromkeys(forms, message))


def rule_rows(forms: Sequence[Callable[..., Any]], rule: Rule | None) -> None:
    """Give the forms of a kernel, if there is one, a rule for all rows at once."""
    if rule is not None:
        _RULED.update(dict.fromkeys(forms, rule))


def lay_rows(forms: Sequence[Callable[..., Any]], layout: Callable[..., Any]) -> None:
    """Say of the forms of a kernel what lays out its result, which is given it and the arrays among the arguments."""
    _LAID.update(dict.fromkeys(forms, layout))


def laid_by(layout: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorator of a kernel: the same, said of it as it is."""

    def decorate(kernel: Any) -> Any:
        lay_rows((kernel,), layout)
        return kernel

    return decorate


def each(run: Callable[..., Any], args: Sequence[Any], alone: bool = False) -> Any:
    """What a function gives with one row after the other, as Rows; by its rule, if it has one, with all at once."""
    found, layout = _each(run, args, alone), _LAID.get(run)
    if layout is None or type(found) is not Rows:
        return found
    return layout(found, *[x for x in args if isinstance(x, _ndarray)])


def _each(run: Callable[..., Any], args: Sequence[Any], alone: bool) -> Any:
    message = _REFUSED.get(run)
    if message is not None:
        raise RuntimeError(message)
    rows = [y for x in _flat(args) if type(y := getattr(x, "_array", x)) is Rows]
    levels = _union(rows)
    sizes: dict[int, int] = {}
    for x in rows:
        sizes |= dict(zip(x.levels, x.lanes, strict=True))
    lanes = tuple([sizes[level] for level in levels])
    rule = None if alone or not math.prod(lanes) else _RULED.get(run)
    if rule is not None and (together := rule(run, args, levels, lanes)) is not None:
        return together
    if math.prod(lanes):
        places = itertools.product(*map(range, lanes))
        taken = ([_row(x, levels, place) for x in args] for place in places)
        found = [modes.quiet(run, *[np.array(x) if alone and type(x) is _ndarray else x for x in row]) for row in taken]
    else:  # a row of zeros tells the shapes of the results
        found = [modes.quiet(run, *[_none(x) for x in args])]
    return _joined(found, levels, lanes)


def _none(x: Any) -> Any:
    if type(x) is Rows:
        return np.zeros(x.shape, x.dtype)
    if type(getattr(x, "_array", None)) is Rows:
        return wrapped(_none(x._array))
    return type(x)(map(_none, x)) if type(x) in (list, tuple) else x


# -- random numbers ----------------------------------------------------------------------------------------------------


_NO_DRAWS = {"error": errors.ROWS_RANDOM, "never": errors.ROWS_RANDOM_NEVER}


def refuse_draws() -> None:
    """Refuse random numbers inside of a vmap that says so."""
    for _, _, randomness, _ in modes.LOCAL.state.mapped:
        if randomness in _NO_DRAWS:
            raise RuntimeError(_NO_DRAWS[randomness])


def _drawing() -> dict[int, int]:
    """The levels whose rows have numbers of their own, and how many rows each has."""
    refuse_draws()
    return {level: size for level, size, randomness, _ in modes.LOCAL.state.mapped if randomness == "different"}


def place_to_draw(shape: tuple[int, ...], numpy: np.dtype[Any], near: Any = None) -> Any:
    """Memory for new random numbers: a row for each draw. It is ordered as that of other rows, if there are as many."""
    lanes = _drawing()
    if type(near) is Rows and near.levels == tuple(lanes):
        return near.over(np.empty_like(near.whole, numpy))
    whole = np.empty((*lanes.values(), *shape), numpy)
    return Rows(whole, tuple(lanes)) if lanes else whole


def to_draw(x: Any) -> Any:
    """Parameters of random numbers, in as many rows as there are draws."""
    lanes = _drawing()
    levels = x.levels if type(x) is Rows else ()
    if not lanes.keys() >= set(levels):
        raise RuntimeError(errors.ROWS_RANDOM_SAME)
    if len(levels) == len(lanes):
        return x
    whole = x.beside(x.ndim, tuple(lanes)) if levels else x
    return Rows(np.array(np.broadcast_to(whole, (*lanes.values(), *x.shape)), order="C"), tuple(lanes))


def draw_into(fill: Callable[[Any], Any], array: Any) -> None:
    """Let `fill` give an array its random numbers: all rows at once, or one of those that share them."""
    if type(array) is not Rows and not modes.LOCAL.state.mapped:
        fill(array)
        return
    lanes = _drawing()
    levels = array.levels if type(array) is Rows else ()
    if not lanes.keys() <= set(levels):
        raise RuntimeError(errors.ROWS_RANDOM_PLAIN)
    if type(array) is not Rows:
        fill(array)
    elif len(lanes) == len(levels):
        fill(array.whole)
    else:
        fresh = place_to_draw(array.shape, array.dtype)
        fill(all_rows(fresh))
        array[...] = fresh


def drawing(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a kernel that draws from parameters: what it does inside of vmap."""

    @functools.wraps(kernel)
    def run(x: Any, *args: Any, **kwargs: Any) -> Any:
        if modes.LOCAL.state.mapped:
            x, args = to_draw(x), tuple([to_draw(y) if isinstance(y, np.ndarray) else y for y in args])
        if type(x) is not Rows:
            return kernel(x, *args, **kwargs)
        if x.ndim < 2 and not any(type(y) is Rows for y in args):
            return x.over(kernel(x.whole.reshape(-1, *x.shape), *args, **kwargs)).spread(x.lanes)
        return each(functools.partial(kernel, **kwargs), (x, *args))

    return run
