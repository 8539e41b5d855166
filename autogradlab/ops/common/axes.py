"""Views named by dimensions: moved, swapped and transposed ones, diagonals, sliding windows, broadcasting together."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.arguments.mismatch import typename
from ...core.memory.rows import lanes_of
from ...core.memory.strided import placed, window
from ...core.recording.record import RAW, TENSORS, says
from ...core.runtime.warn import warn_once
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import scalar_name
from ...core.values.promotion import broadcast_shapes, can_cast
from ..first.shape import expand, permute, transpose, unsqueeze
from ..table.arguments import reject
from ..table.asking import Operator, whole
from ..table.calls import view_of
from ..table.creation import check_sizes
from ..table.families import attribute
from ..table.opdef import OPS, Op, alias, composite, op
from ..table.outputs import COPIED, EXPECTED, Out, refuse_recorded, write
from ..table.signatures import explain

# -- moving dimensions -------------------------------------------------------------------------------------------------


@composite(
    """
    movedim(Tensor input, int source, int destination) -> Tensor|.int|view
    movedim(Tensor input, int[] source, int[] destination) -> Tensor|.intlist|view
    """,
)
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other positions; the rest keep their order.

    Shapes: input's sizes in another order.
    ~view

    >>> torch.movedim(torch.zeros(2, 3, 4), 0, -1).shape
    torch.Size([3, 4, 2])
    """
    n = input._array.ndim
    if isinstance(source, (tuple, list)) != isinstance(destination, (tuple, list)):
        explain("movedim", (input, source, destination), {}, "torch")
    sources = tuple(source) if isinstance(source, (tuple, list)) else (operator.index(source),)
    places = tuple(destination) if isinstance(destination, (tuple, list)) else (operator.index(destination),)
    if len(sources) != len(places):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(sources)} dims) should contain the "
            f"same number of dims as destination ({list(places)} dims)"
        )
    taken = [wrap_dim(d, n) for d in sources]
    given = [wrap_dim(d, n) for d in places]
    for word, dims, shown in (("source", taken, sources), ("destination", given, places)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{word}` ({list(shown)})")
    if not n:
        return TENSORS.alias(input)
    rest = [d for d in range(n) if d not in taken]
    where = dict(zip(given, taken, strict=True))
    following = iter(rest)
    return permute(input, tuple(where[i] if i in where else next(following) for i in range(n)))


alias("moveaxis", "movedim", reads="late")


@composite("swapaxes(Tensor input, int axis0, int axis1) -> Tensor|view")
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Another name of transpose.

    In place:
    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> x.swapaxes_(0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    >>> x
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
    return transpose(input, axis0, axis1)


@composite("swapdims(Tensor input, int dim0, int dim1) -> Tensor|view", reads="late")
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Another name of transpose.

    In place:
    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> x.swapdims_(0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    >>> x
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
    return transpose(input, dim0, dim1)


@instead(lambda call, args, kwargs: TENSORS.transpose(*args, -2, -1))
def _swapped(input: Tensor) -> Tensor:
    return view_of(input, placed(input._array).swapaxes(-2, -1), OPS["transpose"], (-2, -1, None, None))


def _conjugate(input: Tensor) -> Tensor:
    return TENSORS.conj(input) if input._array.dtype.kind == "c" else input


@composite("adjoint(Tensor input) -> Tensor|view", reads="late")
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices.

    Shapes: (..., m, n) gives (..., n, m).
    ~view

    >>> torch.adjoint(torch.tensor([[1 + 2j, 3j]]))
    tensor([[1.-2.j],
            [0.-3.j]])
    """
    n = input._array.ndim
    if n == 1:
        raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if n == 0:
        warn_once(
            "adjoint() is deprecated on 0-D tensors. Consider using x.conj().",
            at="aten/src/ATen/native/TensorShape.cpp:4390",
        )
        return _conjugate(input)
    return _conjugate(_swapped(input))


def _asked_T(call: Any, self: Tensor) -> Tensor:
    call(self)  # which warns
    found: Tensor = TENSORS.permute(self, tuple(range(self._array.ndim - 1, -1, -1)))
    return found


@attribute("T -> Tensor")
@instead(lambda call, args, kwargs: _asked_T(call, *args))
def _T(self: Tensor) -> Tensor:
    """
    The tensor with its dimensions in reverse order: the transpose of a matrix.

    Shapes: (m, n) gives (n, m).
    ~view

    >>> torch.tensor([[1, 2], [3, 4]]).T
    tensor([[1, 3],
            [2, 4]])
    """
    x = self._array
    n = x.ndim
    if n != 2:
        if n == 0:
            message = "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
            warn_once(message, at="aten/src/ATen/native/TensorShape.cpp:4321")
        else:
            warn_once(
                "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
                "will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
                "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
                at="aten/src/ATen/native/TensorShape.cpp:4314",
            )
        dims = tuple(range(n - 1, -1, -1))
        return view_of(self, placed(x).T, OPS["permute"], (dims, None))
    return view_of(self, x.T if x.size else placed(x).T, OPS["permute"], ((1, 0), None))


@attribute("mT -> Tensor")
def _mT(self: Tensor) -> Tensor:
    """
    The transpose of the last two dimensions.

    Shapes: (..., m, n) gives (..., n, m).
    ~view

    >>> torch.zeros(5, 2, 3).mT.shape
    torch.Size([5, 3, 2])
    """
    return _matrix_like(self, "mT", "This function is the identity in these cases.", False)


@attribute("mH -> Tensor")
def _mH(self: Tensor) -> Tensor:
    """
    The conjugate transpose of the last two dimensions.

    Shapes: (..., m, n) gives (..., n, m).
    ~view

    >>> torch.tensor([[[1 + 2j, 3j]]]).mH.shape
    torch.Size([1, 2, 1])
    """
    return _matrix_like(self, "mH", "Consider using x.conj().", True)


def _matrix_like(self: Tensor, name: str, advice: str, conjugated: bool) -> Tensor:
    n = self._array.ndim
    if n == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if n == 0:
        line = 4382 if conjugated else 4373
        warn_once(
            f"Tensor.{name} is deprecated on 0-D tensors. {advice}", at=f"aten/src/ATen/native/TensorShape.cpp:{line}"
        )
        return _conjugate(self) if conjugated else self
    return _conjugate(_swapped(self)) if conjugated else _swapped(self)


@attribute("H -> Tensor")
def _H(self: Tensor) -> Tensor:
    """
    The conjugate transpose of a matrix.

    Shapes: (m, n) gives (n, m).
    ~view

    >>> torch.tensor([[1 + 2j, 3j]]).H
    tensor([[1.-2.j],
            [0.-3.j]])
    """
    n = self._array.ndim
    if n == 0:
        warn_once(
            "Tensor.H is deprecated on 0-D tensors. Consider using x.conj().",
            at="aten/src/ATen/native/TensorShape.cpp:4335",
        )
        return _conjugate(self)
    if n != 2:
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if n > 2 else "")
        )
    return _conjugate(_swapped(self))


# -- diagonals ---------------------------------------------------------------------------------------------------------


def _diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> np.ndarray:
    a, b = wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
    if a == b:
        front = len(lanes_of(input.shape))
        both = [front + d % input.ndim for d in (a, b)] if front else [dim1, dim2]
        raise RuntimeError(f"diagonal dimensions cannot be identical {both[0]}, {both[1]}")
    input = placed(input)
    shape, strides = list(input.shape), list(input.strides)
    if offset >= 0:
        count = min(shape[a], shape[b] - offset)
        shift = offset * strides[b]
    else:
        count = min(shape[a] + offset, shape[b])
        shift = -offset * strides[a]
    step = strides[a] + strides[b]
    for d in sorted((a, b), reverse=True):
        del shape[d], strides[d]
    return window(input, (*shape, max(count, 0)), (*strides, step), shift if count > 0 else 0)


_DIAGONAL_BACK = {
    "input": says(("g on the diagonal, 0 elsewhere", "放在对角线上的 g，其余为 0"))(
        lambda F, grad, input_shape, offset, dim1, dim2: F.diagonal_backward(grad, input_shape, offset, dim1, dim2)
    )
}
OPS["diagonal"] = Op("diagonal", _diagonal, view=True, vjp=_DIAGONAL_BACK)
RAW.diagonal = _diagonal


@composite("diagonal(Tensor input, int offset=0, int dim1=0, int dim2=1) -> Tensor")
@instead(whole(OPS["diagonal"]))
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonals of matrices as the last dimension. A view.

    Shapes: input's shape without dim1 and dim2, and the diagonal's length at the end.
    ~same-dtype

    >>> torch.diagonal(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    >>> torch.arange(8).reshape(2, 2, 2).diagonal(dim1=1, dim2=2)
    tensor([[0, 3],
            [4, 7]])
    """
    x = input._array
    saved = (x.shape, offset, dim1, dim2, None, None, None, None)
    return view_of(input, _diagonal(x, offset, dim1, dim2), OPS["diagonal"], saved)


@op(
    "diagonal_copy(Tensor input, int offset=0, int dim1=0, int dim2=1, *, Tensor out=None) -> Tensor",
    node="DiagonalBackward0_copy",
    method=False,
    vjp=_DIAGONAL_BACK,
    out=COPIED,
    inner_writes=1,
)
def diagonal_copy(input: np.ndarray, offset: int = 0, dim1: int = 0, dim2: int = 1) -> np.ndarray:
    """
    sig: (input, offset=0, dim1=0, dim2=1)
    diagonal as a copy: a change of it does not reach input.

    Shapes: as diagonal gives it.
    ~same-dtype

    >>> torch.diagonal_copy(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return np.array(_diagonal(input, offset, dim1, dim2), order="C")


@op(
    "diagonal_backward",
    "grad_output",
    vjp={
        "grad_output": lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
    },
    reads="itself",
    operator=Operator(
        "(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
        names={"input_sizes": "input_shape"},
    ),
)
def diagonal_backward(grad_output: Any, input_shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> np.ndarray:
    g = np.zeros(input_shape, grad_output.dtype)
    _diagonal(g, offset, dim1, dim2)[...] = grad_output
    return g


@op(
    "diag_embed(Tensor input, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
    vjp={"input": lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2)},
    out=Out(exact=EXPECTED, unknown=True),
    inner_writes=2,
)
def diag_embed(input: np.ndarray, offset: int = 0, dim1: int = -2, dim2: int = -1) -> np.ndarray:
    """Matrices with the last dimension of input on their diagonals.

    Shapes: (..., n) gives (..., n + |offset|, n + |offset|), the new dimensions at dim1 and dim2.
    ~same-dtype

    >>> torch.diag_embed(torch.tensor([[1, 2], [3, 4]]))
    tensor([[[1, 0],
             [0, 2]],

            [[3, 0],
             [0, 4]]])
    """
    n = input.ndim + 1
    a, b = wrap_dim(dim1, n), wrap_dim(dim2, n)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    count = (input.shape[-1] if input.ndim else 1) + abs(offset)
    shape = list(input.shape[:-1])
    for d in sorted((a, b)):
        shape.insert(d, count)
    r = np.zeros(check_sizes(tuple(shape)), input.dtype)
    _diagonal(r, offset, a, b)[...] = input
    return r


@composite("diag(Tensor input, int diagonal=0, *, Tensor out=None) -> Tensor")
def diag(input: Tensor, diagonal: int = 0, *, out: Any = None) -> Tensor:
    """The diagonal of a matrix as a vector, or the matrix with a vector on its diagonal.

    Shapes: (m, n) gives a vector, (n,) gives (n, n), larger by |diagonal|.
    ~same-dtype

    >>> torch.diag(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    >>> torch.diag(torch.tensor([[1, 2], [3, 4]]), 1)
    tensor([2])
    """
    n = input._array.ndim
    if n not in (1, 2):
        where = "diag(): " if out is None else ""
        raise RuntimeError(f"{where}Supports 1D or 2D tensors. Got {n}D")
    if out is not None:
        if n == 2:
            return OPS["diagonal_copy"].call_any(input, diagonal, out=out)
        if not can_cast(input._array.dtype, out._array.dtype):
            raise RuntimeError(
                f"diag: result type {scalar_name(input)} can't be cast to the desired out= type {scalar_name(out)}"
            )
        refuse_recorded(OPS["diag_embed"], (input,), out)
        return write(OPS["diag_embed"], out, diag_embed(input._array, diagonal), (input,))
    return TENSORS.diag_embed(input, diagonal) if n == 1 else TENSORS.diagonal_copy(input, diagonal)


@composite("diagflat(Tensor input, int offset=0) -> Tensor|looped_alone")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix with the elements of the flattened input on its diagonal.

    Shapes: n elements give (n + |offset|, n + |offset|).
    ~same-dtype

    >>> torch.diagflat(torch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return TENSORS.diag_embed(TENSORS.view(TENSORS.contiguous(input), -1), offset)


# -- sliding windows ---------------------------------------------------------------------------------------------------


def _unfold(input: Any, dimension: int, size: int, step: int) -> np.ndarray:
    d = wrap_dim(dimension, input.ndim)
    input = placed(input)
    shape, strides = input.shape, input.strides
    n = shape[d] if shape else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        d += len(lanes_of(shape))
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not shape:
        return window(input, (size,), (input.itemsize,))
    s = strides[d]
    return window(
        input,
        (*shape[:d], (n - size) // step + 1, *shape[d + 1 :], size),
        (*strides[:d], step * s, *strides[d + 1 :], s),
    )


OPS["unfold"] = Op(
    "unfold",
    _unfold,
    view=True,
    vjp={
        "input": says(("g of each window, added where windows overlap", "各窗口的 g，重叠处相加"))(
            lambda F, grad, input_shape, dimension, size, step: F.unfold_backward(
                grad, input_shape, dimension, size, step
            )
        ),
    },
)
RAW.unfold = _unfold


@composite("unfold(Tensor input, int dimension, int size, int step) -> Tensor", function=False)
@instead(whole(OPS["unfold"]))
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of a size along one dimension, `step` apart, as a new last dimension.

    Shapes: (…, n, …) gives (…, (n - size) // step + 1, …, size).
    ~view

    >>> torch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    x = input._array
    dimension, size, step = operator.index(dimension), operator.index(size), operator.index(step)
    saved = (x.shape, dimension, size, step, None, None, None, None)
    return view_of(input, _unfold(x, dimension, size, step), OPS["unfold"], saved)


@op(
    "unfold_backward",
    "grad_output",
    vjp={
        "grad_output": lambda F, grad, dimension, size, step: F.unfold(grad, dimension, size, step),
    },
    shown={"dimension": "dim"},
    reads="itself",
    operator=Operator(
        "(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor",
        names={"grad_in": "grad_output", "input_sizes": "input_shape", "dim": "dimension"},
    ),
)
def unfold_backward(grad_output: Any, input_shape: tuple[int, ...], dimension: int, size: int, step: int) -> np.ndarray:
    g = np.zeros(input_shape, grad_output.dtype)
    if not g.ndim:
        return np.array(grad_output.sum(), g.dtype)
    parts = _unfold(g, dimension, size, step)
    for i in range(size):  # windows overlap, one element of each at a time does not
        parts[..., i] += grad_output[..., i]
    return g


# -- broadcasting and more dimensions ----------------------------------------------------------------------------------


@composite("broadcast_tensors -> Tensor[]", method=False, reads="itself")
def broadcast_tensors(*tensors: Any) -> Any:
    """
    sig: (*tensors)
    All tensors expanded to their common shape.

    Shapes: from the last dimension on, sizes are equal or 1.
    ~view

    >>> a, b = torch.broadcast_tensors(torch.tensor([1, 2]), torch.tensor([[3], [4]]))
    >>> a
    tensor([[1, 2],
            [1, 2]])
    """
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {typename(t)}")
    shape = broadcast_shapes(*(tuple(t._array.shape) for t in tensors))  # of rows, in the words for one
    return tuple(expand(t, shape) if t._array.shape != shape else t for t in tensors)


def _each(name: str, tensors: tuple[Any, ...], one: Callable[[Tensor], Tensor]) -> Any:
    """What atleast_1d and its like give: of a tensor a tensor, of several, or a list of them, a tuple."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return one(tensors[0])
    given = tensors
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if not all(isinstance(t, Tensor) for t in tensors):
        reject(name, (given[0] if len(given) == 1 else given,), {})
    return tuple(one(t) for t in tensors)


def _one(t: Tensor) -> Tensor:
    return TENSORS.reshape(t, (1,)) if not t._array.ndim else t


def _two(t: Tensor) -> Tensor:
    n = t._array.ndim
    return TENSORS.reshape(t, (1, 1)) if n == 0 else unsqueeze(t, 0) if n == 1 else t


def _three(t: Tensor) -> Tensor:
    n = t._array.ndim
    if n == 0:
        return TENSORS.reshape(t, (1, 1, 1))
    return unsqueeze(unsqueeze(t, 0), -1) if n == 1 else unsqueeze(t, -1) if n == 2 else t


@composite(
    """
    atleast_1d(Tensor input) -> Tensor | Tensor[]
    atleast_1d(Tensor[] tensors) -> Tensor | Tensor[]|.Sequence
    """,
    method=False,
    reads="itself",
)
def atleast_1d(*tensors: Any) -> Any:
    """
    sig: (*tensors)
    The tensors with at least one dimension.

    Shapes: () gives (1,); others stay.
    ~view

    >>> torch.atleast_1d(torch.tensor(5))
    tensor([5])
    """
    return _each("atleast_1d", tensors, _one)


@composite(
    """
    atleast_2d(Tensor input) -> Tensor | Tensor[]
    atleast_2d(Tensor[] tensors) -> Tensor | Tensor[]|.Sequence
    """,
    method=False,
    reads="itself",
)
def atleast_2d(*tensors: Any) -> Any:
    """
    sig: (*tensors)
    The tensors with at least two dimensions; new ones are added in front.

    Shapes: () gives (1, 1), (n,) gives (1, n); others stay.
    ~view

    >>> torch.atleast_2d(torch.tensor([5, 6]))
    tensor([[5, 6]])
    """
    return _each("atleast_2d", tensors, _two)


@composite(
    """
    atleast_3d(Tensor input) -> Tensor | Tensor[]
    atleast_3d(Tensor[] tensors) -> Tensor | Tensor[]|.Sequence
    """,
    method=False,
    reads="itself",
)
def atleast_3d(*tensors: Any) -> Any:
    """
    sig: (*tensors)
    The tensors with at least three dimensions.

    Shapes: (n,) gives (1, n, 1), (m, n) gives (m, n, 1); others stay.
    ~view

    >>> torch.atleast_3d(torch.zeros(2, 3)).shape
    torch.Size([2, 3, 1])
    """
    return _each("atleast_3d", tensors, _three)


declare(
    """
    moveaxis(Tensor input, int source, int destination) -> Tensor|.int|view
    moveaxis(Tensor input, int[] source, int[] destination) -> Tensor|.intlist|view
    """,
    """Another name of movedim.""",
)
