"""einsum and what is like it: tensordot, kron. Contractions become one batched matrix product a pair, as in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from ...core.arguments.mismatch import typename
from ...core.memory.overlap import check_written
from ...core.recording.record import RAW, TENSORS
from ...core.recording.views import share
from ...core.runtime.modes import LOCAL, quiet
from ...core.tensor.dispatching import instead
from ...core.tensor.overriding import cast_within
from ...core.tensor.tensor import Tensor
from ...core.types.dims import wrap_dim
from ..first.products import DOT_DTYPE, _result, bmm, written
from ..first.reduce import summed
from ..table.arguments import reject
from ..table.asking import unseen
from ..table.calls import unrecorded
from ..table.opdef import composite
from ..table.outputs import Out

_ELLIPSIS = -1


def _index(letter: str) -> int:
    """Subscripts in PyTorch's order: A to Z, then a to z."""
    return ord(letter) - 65 if letter <= "Z" else ord(letter) - 71


def _letter(index: int) -> str:
    return chr(65 + index) if index < 26 else chr(71 + index)


class Plan:
    """What an equation says for operands of given numbers of dimensions."""

    __slots__ = ("diagonals", "ellipsis", "labels", "missing", "orders", "out", "places", "total")

    def __init__(self, equation: str, ndims: tuple[int, ...]) -> None:
        #: for each operand its labels, _ELLIPSIS among them
        left, arrow, right = equation.partition("->")
        self.labels = _parse(left, len(ndims))
        #: how many dimensions the ellipsis stands for at most
        self.ellipsis = 0
        seen: dict[int, int] = {}
        for i, (labels, ndim) in enumerate(zip(self.labels, ndims, strict=True)):
            count = len(labels)
            if _ELLIPSIS in labels:
                count -= 1
                if count > ndim:
                    raise RuntimeError(
                        f"einsum(): the number of subscripts in the equation ({count}) is more "
                        f"than the number "
                        f"of dimensions ({ndim}) for operand {i}"
                    )
                self.ellipsis = max(self.ellipsis, ndim - count)
            elif count != ndim:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({count}) does not match "
                    f"the number of "
                    f"dimensions ({ndim}) for operand {i} and no ellipsis was given"
                )
            for label in labels:
                seen[label] = seen.get(label, 0) + 1
        has_ellipsis = seen.pop(_ELLIPSIS, 0) > 0
        if arrow:
            output = _parse_output(right, len(left) + 2, seen)
        else:
            output = [_ELLIPSIS] * has_ellipsis + sorted(n for n, times in seen.items() if times == 1)
        #: where each label stands in the common order: first the output's, then those to be summed
        self.places: dict[int, int] = {}
        place = 0
        for label in output:
            self.places[label] = place
            place += self.ellipsis if label == _ELLIPSIS else 1
        self.out = place
        if _ELLIPSIS not in output:
            self.places[_ELLIPSIS] = place
            place += self.ellipsis
        for label in sorted(seen):
            if label not in self.places:
                self.places[label] = place
                place += 1
        self.total = place
        self._orders(ndims)

    def _orders(self, ndims: tuple[int, ...]) -> None:
        """For each operand: its diagonals to take, dimensions to add, and the permutation into the common order."""
        self.diagonals: list[list[tuple[int, int]]] = []
        self.missing: list[int] = []
        self.orders: list[tuple[int, ...]] = []
        for labels, ndim in zip(self.labels, ndims, strict=True):
            order = [-1] * self.total
            at: dict[int, int] = {}
            diagonals = []
            j = 0
            for label in labels:
                if label == _ELLIPSIS:
                    count = ndim - (len(labels) - 1)
                    for k in range(self.ellipsis - count, self.ellipsis):
                        order[self.places[label] + k] = j
                        j += 1
                elif label in at:
                    diagonals.append((at[label], j))
                else:
                    at[label] = order[self.places[label]] = j
                    j += 1
            self.diagonals.append(diagonals)
            self.missing.append(order.count(-1))
            for place, dim in enumerate(order):
                if dim == -1:
                    order[place] = j
                    j += 1
            self.orders.append(tuple(order))


plan = lru_cache(512)(Plan)


def _parse(left: str, count: int) -> list[list[int]]:
    """The labels of each operand."""
    operands: list[list[int]] = [[]]
    i = 0
    while i < len(left):
        c = left[i]
        if c == ".":
            here = len(operands) - 1
            if _ELLIPSIS in operands[-1]:
                raise RuntimeError(f"einsum(): found '.' for operand {here} for which an ellipsis was already found")
            if left[i : i + 3] != "...":
                raise RuntimeError(f"einsum(): found '.' for operand {here} that is not part of any ellipsis")
            operands[-1].append(_ELLIPSIS)
            i += 2
        elif c == ",":
            operands.append([])
            if len(operands) > count:
                raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        elif c != " ":
            operands[-1].append(_subscript(c, i))
        i += 1
    if len(operands) < count:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return operands


def _parse_output(right: str, start: int, known: Mapping[int, int]) -> list[int]:
    """The labels of the output, which begins at `start` in the equation; `known` are those of the operands."""
    output: list[int] = []
    i = 0
    while i < len(right):
        c = right[i]
        if c == ".":
            if _ELLIPSIS in output:
                raise RuntimeError("einsum(): found '.' for output but an ellipsis (...) was already found")
            if right[i : i + 3] != "...":
                raise RuntimeError("einsum(): found '.' for output that is not part of any ellipsis (...)")
            output.append(_ELLIPSIS)
            i += 2
        elif c != " ":
            label = _subscript(c, start + i)
            if label not in known:
                raise RuntimeError(
                    f"einsum(): output subscript {c} does not appear in the equation for any input operand"
                )
            if label in output:
                raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
            output.append(label)
        i += 1
    return output


def _subscript(c: str, at: int) -> int:
    if not (c.isascii() and c.isalpha()):
        raise RuntimeError(
            f"einsum(): invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"
        )
    return _index(c)


@lru_cache(maxsize=256)
def _check_sizes(made: Plan, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Sizes of equal labels must agree or be 1."""
    known: dict[int, int] = {}
    ellipsis = [1] * made.ellipsis
    for i, (labels, shape) in enumerate(zip(made.labels, shapes, strict=True)):
        j = 0
        own: dict[int, int] = {}
        for label in labels:
            if label == _ELLIPSIS:
                count = len(shape) - len(labels) + 1
                for k in range(made.ellipsis - count, made.ellipsis):
                    if ellipsis[k] not in (1, shape[j]) and shape[j] != 1:
                        raise RuntimeError(
                            f"einsum(): dimension {j} covered by ellipsis in operand {i}has size {shape[j]} which "
                            f"does not "
                            f"broadcast with previously seen ellipsis with size {ellipsis[k]} for the respective "
                            f"dimension"
                        )
                    if shape[j] != 1:
                        ellipsis[k] = shape[j]
                    j += 1
                continue
            n = shape[j]
            j += 1
            if own.setdefault(label, n) != n:
                raise RuntimeError(
                    f"einsum(): subscript {_letter(label)} is repeated for operand {i} but the "
                    f"sizes don't match, "
                    f"{n} != {own[label]}"
                )
            if n != 1:
                if known.setdefault(label, n) != n:
                    raise RuntimeError(
                        f"einsum(): subscript {_letter(label)} has size {n} for operand {i} which "
                        f"does not "
                        f"broadcast with previously seen size {known[label]}"
                    )


#: the same contraction on arrays, for operands without history
_ARRAYS: Any = SimpleNamespace(
    permute=np.ndarray.transpose,
    reshape=np.ndarray.reshape,
    view=np.ndarray.reshape,
    mul=np.multiply,
    bmm=bmm,
    unsqueeze=lambda x, dim: x[..., None],
    sum=lambda x, dims, keepdim: np.asarray(summed(x, tuple(dims), keepdim, None)),
    diagonal=lambda x, offset, a, b: x.diagonal(offset, a, b),
)


_array_shape: Any = attrgetter("shape")
_tensor_shape: Any = attrgetter("_array.shape")


class Step(NamedTuple):
    """How two operands become one: sums along dimensions that only one of them has, then a product."""

    #: their places among the operands, and that of the product
    first: int
    second: int
    result: int
    #: what is summed of each before
    sums: tuple[tuple[int, ...], tuple[int, ...]]
    #: None where nothing is summed of the product; else whether they change places, and what is done to each to make it
    #: one batch of matrices: an order of its dimensions, and a shape
    product: tuple[bool, tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]] | None
    #: the shape of the product of matrices, and its order
    shape: tuple[int, ...] = ()
    order: tuple[int, ...] = ()


@lru_cache(maxsize=256)
def _steps(shapes: tuple[tuple[int, ...], ...], out: int, path: tuple[int, ...] | None) -> list[Step]:
    """The contraction of operands of these shapes, of whose dimensions the first `out` stay: pair by pair, in the order
    of a path if there is one; what is summed leaves as early as it can."""
    left = list(shapes)
    counts = [sum([n != 1 for n in sizes]) for sizes in zip(*shapes, strict=True)]
    pairs = list(path or ())
    found = []
    while len(left) > 1:
        i, j = sorted(pairs[:2]) or (0, 1)
        del pairs[:2]
        b, a = list(left.pop(j)), list(left.pop(i))
        together: list[int] = []
        sums: tuple[list[int], list[int]] = ([], [])
        for d in range(out, len(a)):
            if a[d] != 1 and b[d] != 1:
                counts[d] -= 1
                if counts[d] == 1:
                    together.append(d)
                    counts[d] = 0
            elif counts[d] == 1 and (a[d] != 1 or b[d] != 1):
                which = int(a[d] == 1)
                sums[which].append(d)
                (a, b)[which][d] = 1
                counts[d] = 0
        at = len(left) if path is not None else 0
        step = Step(i, j, at, (tuple(sums[0]), tuple(sums[1])), *_product(a, b, together))
        found.append(step)
        sizes = [m if n == 1 else n for n, m in zip(a, b, strict=True)]
        for d in together:
            sizes[d] = 1
        left.insert(at, tuple(sizes))
    return found


def _product(a: list[int], b: list[int], dims: list[int]) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
    """The product of operands of two shapes, summed over `dims`, which stay with size 1, as one batched product of
    matrices: the last three fields of a `Step`."""
    if not dims:
        return None, (), ()
    both: list[int] = []
    left: list[int] = []
    right: list[int] = []
    for d, (n, m) in enumerate(zip(a, b, strict=True)):
        if d not in dims:
            (both if n != 1 and m != 1 else left if n != 1 else right).append(d)
    swapped = bool(left and right and right[-1] < left[0])  # so that the result's dimensions are in their own order
    if swapped:
        a, b, left, right = b, a, right, left
    n_both, n_left, n_sum = (math.prod([a[d] for d in ds]) for ds in (both, left, dims))
    n_right = math.prod([b[d] for d in right])
    order = (*both, *left, *dims, *right)
    shape = (*[a[d] for d in (*both, *left)], *[1] * len(dims), *[b[d] for d in right])
    back = tuple(sorted(range(len(order)), key=order.__getitem__))
    orders = order, (*both, *dims, *right, *left)
    return (swapped, orders, ((n_both, n_left, n_sum), (n_both, n_sum, n_right))), shape, back


def _contract(F: Any, made: Plan, operands: list[Any], path: Any) -> Any:
    """Operands in the common order, then pair by pair into one."""
    shape_of = _array_shape if F is _ARRAYS else _tensor_shape
    ops = []
    for x, diagonals, missing, order in zip(operands, made.diagonals, made.missing, made.orders, strict=True):
        for a, b in diagonals:
            x = F.diagonal(x, 0, a, b)
            rest = list(range(len(shape_of(x)) - 1))
            x = F.permute(x, (*rest[:a], len(rest), *rest[a:]))
        known = len(shape_of(x))
        for d in range(known, known + missing):
            x = F.unsqueeze(x, d)
        ops.append(F.permute(x, order))
    out, total = made.out, made.total
    if len(ops) == 1:
        return ops[0] if total == out else F.sum(ops[0], tuple(range(out, total)), False)
    for step in _steps(tuple(map(shape_of, ops)), out, None if path is None else tuple(map(int, path))):
        right = ops.pop(step.second)
        left = ops.pop(step.first)
        if step.sums[0]:
            left = F.sum(left, step.sums[0], True)
        if step.sums[1]:
            right = F.sum(right, step.sums[1], True)
        ops.insert(step.result, _pair(F, left, right, step))
    if total == out:
        return ops[0]
    shape = shape_of(ops[0])[:out]
    if F is _ARRAYS and 1 in shape:  # NumPy gives dimensions of size 1 strides of its own
        return RAW._unsafe_view(ops[0], shape)
    return F.view(ops[0], shape)


def _pair(F: Any, a: Any, b: Any, step: Step) -> Any:
    """The product of two operands."""
    if step.product is None:
        return F.mul(a, b)
    swapped, orders, shapes = step.product
    if swapped:
        a, b = b, a
    x = F.reshape(F.permute(a, orders[0]), shapes[0])
    y = F.reshape(F.permute(b, orders[1]), shapes[1])
    return F.permute(F.view(F.bmm(x, y), step.shape), step.order)


_NOTHING = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts "
    "list"
)


def _equation(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The equation and operands, also from operands that alternate with lists of subscripts."""
    if len(args) < 2:
        raise ValueError(_NOTHING)
    if not isinstance(args[0], Tensor):
        operands = args[1:]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = tuple(operands[0])
            if not operands:
                raise ValueError(_NOTHING)
        return args[0], operands

    def text(subscripts: Any) -> str:
        letters = ""
        for s in subscripts:
            if s is Ellipsis:
                letters += "..."
            elif s >= 0 and s < 52:
                letters += _letter(s)
            else:
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return letters

    equation = ",".join(text(s) for s in args[1::2])
    if len(args) % 2 == 1:
        equation = ",".join(text(s) for s in args[1:-1:2]) + "->" + text(args[-1])
        return equation, args[:-1:2]
    return equation, args[::2]


@composite(
    """
    einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor|uint_bmm
    """,
    method=False,
    reads="itself",
)
@instead(unseen)
def einsum(*args: Any) -> Tensor:
    """
    sig: (equation, *operands)
    Sums of products in Einstein's notation: 'ik,kj->ij' is the matrix product; indices that the result does not
    name are summed.

    Shapes: a letter for each dimension; '...' for any number of them.
    ~one-dtype

    >>> x = torch.tensor([[1., 2.], [3., 4.]])
    >>> torch.einsum('ik,kj->ij', x, x)
    tensor([[ 7., 10.],
            [15., 22.]])
    >>> torch.einsum('ii', x)
    tensor(5.)
    """
    equation, operands = _equation(args)
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {typename(equation)}")
    for i, x in enumerate(operands):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {typename(x)}")
    arrays = [x._array for x in operands]
    made = plan(equation, tuple([x.ndim for x in arrays]))
    _check_sizes(made, tuple([x.shape for x in arrays]))
    found = _at_once(made, operands, arrays)
    return _contract(cast_within(TENSORS), made, list(operands), None) if found is None else found


@instead(lambda call, args, kwargs: None)
def _at_once(made: Any, operands: Any, arrays: list[Any]) -> Tensor | None:
    """The result by arrays, where nothing is recorded; else None."""
    if len(arrays) > 1 and LOCAL.state.casting is None and unrecorded(operands):
        return _tensor(np.asarray(quiet(_contract, _ARRAYS, made, arrays, None)))
    return None


def _tensor(r: np.ndarray) -> Tensor:
    """A result of matrix products is a view of the product."""
    return _result(r) if r.base is None else share(_result(r.base), r, None)


def _raw_einsum(equation: str, *arrays: np.ndarray) -> np.ndarray:
    made = plan(equation, tuple(x.ndim for x in arrays))
    return np.asarray(_contract(_ARRAYS, made, list(map(np.asarray, arrays)), None))


RAW.einsum = _raw_einsum


# -- tensordot, kron ---------------------------------------------------------------------------------------------------


@composite(
    "tensordot(Tensor input, Tensor other, int[] dims_self, int[] dims_other, *, Tensor out=None) -> Tensor|uint_dot",
    method=False,
    out=Out(exact="tensordot: Expected the output tensor to have dtype {0}, but got an output tensor with dtype {1}"),
    reads="itself",
)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Tensor:
    """
    sig: (a, b, dims=2, out=None)
    The sums of the products over some dimensions of both: the last of a with the first of b, or those that two
    lists name.

    Shapes: the remaining sizes of a, then those of b.
    ~one-dtype

    >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
    torch.Size([2, 4])
    >>> torch.tensordot(torch.tensor([1., 2.]), torch.tensor([3., 4.]), dims=([0], [0]))
    tensor(11.)
    """
    F = cast_within(TENSORS)
    first, second = _contracted(a, b, dims)
    x, y = a._array, b._array
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if x.dtype != y.dtype:
        raise RuntimeError("both inputs should have same dtype")
    count = 1
    for d, e in zip(first, second, strict=True):
        n, m = a._array.shape[wrap_dim(d, x.ndim)], b._array.shape[wrap_dim(e, y.ndim)]
        if m == 1:
            a = F.sum(a, wrap_dim(d, x.ndim), True, dtype=a.dtype)
        elif n == 1:
            b = F.sum(b, wrap_dim(e, y.ndim), True, dtype=b.dtype)
        elif n != m:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {d} and "
                f"second has size "
                f"{m} in dim {e}"
            )
        else:
            count *= n
    mine, other = [wrap_dim(d, x.ndim) for d in first], [wrap_dim(e, y.ndim) for e in second]
    for wrapped in (mine, other):
        for d in wrapped:
            if wrapped.count(d) > 1:
                raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    rows = [d for d in range(x.ndim) if d not in mine]
    columns = [e for e in range(y.ndim) if e not in other]
    shape = (*(x.shape[d] for d in rows), *(y.shape[e] for e in columns))
    n_rows = n_columns = 1
    for d in rows:
        n_rows *= x.shape[d]
    for e in columns:
        n_columns *= y.shape[e]
    if n_rows == n_columns == 1:
        left, right = F.permute(a, (*rows, *first)), F.permute(b, (*second, *columns))
        if left.is_contiguous() and right.is_contiguous():
            r = F.dot(F.flatten(left), F.flatten(right))
        else:
            r = F.sum(F.mul(F.squeeze(left), F.squeeze(right)), dtype=left.dtype)
    else:
        left = F.reshape(F.permute(a, (*rows, *first)), (n_rows, count))
        r = F.mm(left, F.reshape(F.permute(b, (*second, *columns)), (count, n_columns)))
    r = F.reshape(r, shape)
    return r if out is None else written(r, out, exact=DOT_DTYPE, copied=True)


def _contracted(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        if dims.numel() > 1 and len(dims) != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {len(dims)}")
        dims = dims.tolist()
    if isinstance(dims, (tuple, list)):
        first, second = dims
        if isinstance(first, int) or isinstance(second, int):
            reject("tensordot", (a, b, first, second), {})
        return list(first), list(second)
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-dims, 0)), list(range(dims))


@composite("kron(Tensor input, Tensor other, *, Tensor out=None) -> Tensor")
def kron(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The Kronecker product: the blocks input[i, j] * other.

    Shapes: the products of the sizes.
    Dtypes: any two; the result has the promoted one.

    >>> torch.kron(torch.eye(2), torch.tensor([[1., 2.]]))
    tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    if not isinstance(other, Tensor):
        reject("kron", (input, other), {} if out is None else {"out": out})
    F = TENSORS
    if isinstance(out, Tensor):
        check_written(out, (input, other), True)
    a, b = input._array.shape, other._array.shape
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    x = F._unsafe_view(input, tuple(m for size in a for m in (size, 1)))
    y = F._unsafe_view(other, tuple(m for size in b for m in (1, size)))
    r = F._unsafe_view(F.mul(x, y), tuple(p * q for p, q in zip(a, b, strict=True)))
    return r if out is None else written(r, out, "mul")
