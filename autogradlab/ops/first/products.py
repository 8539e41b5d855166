"""Products of vectors, matrices and batches of them: mm, mv, dot, bmm, addmm and matmul, which chooses among them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.graph.node import NO_EDGE, freed_error, leads
from ...core.memory.rows import Rows
from ...core.memory.together import beside
from ...core.memory.versions import UNSHARED
from ...core.recording.record import RAW, TENSORS, OpNode, changed
from ...core.runtime import errors, modes
from ...core.runtime.modes import FLAGS, LOCAL, QUIET
from ...core.tensor.tensor import INFERENCE, Tensor, gradient_edge, operand_edge
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import cxx_name, from_numpy, scalar_name, unsupported
from ...core.values.promotion import can_cast
from ..table.arguments import reject
from ..table.calls import record, save_first
from ..table.opdef import Op, alias, composite, op
from ..table.outputs import EXPECTED, Composed, Out, refuse_to_record, resize_out, same_dtype, write
from .kinds import is_half, refuse
from .shape import _expand

_new = object.__new__
_dot = np.ndarray.dot
_ndarray = np.ndarray
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_SINGLES = frozenset((_FLOAT32, _FLOAT64))


def _x(a: np.ndarray) -> str:
    return "x".join(map(str, a.shape))


def _column_by_row(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape[-1] == 1 and a.ndim == b.ndim == 2 and b.shape[0] == 1 and a.shape[0] > 1 < b.shape[1]


#: from how many summands on NumPy's BLAS adds them up in several strands, when they lie one behind the other
_LONG = 32
#: from how many multiplications on it does not
_MANY = 1 << 20
#: from how many multiplications of integers on it pays to look whether floats hold their sums
_MANY_INTEGERS = 1 << 14
#: how many summands PyTorch's BLAS adds up at once; the last ones, of fewer than twice as many, it halves
_BLOCK = 384


def _of_long_sums(a: np.ndarray, b: np.ndarray, start: Any = None) -> np.ndarray:
    """start plus the product of two matrices of float32, in PyTorch's order: one summand after the other."""
    count = a.shape[1]
    plain = a.shape[0] < 2 or b.shape[1] < 2 or type(a) is not np.ndarray or type(b) is not np.ndarray
    plain = plain or b.shape[0] != count  # which NumPy refuses
    if not plain and a.shape[0] * count * b.shape[1] <= _MANY:
        a, b = np.asfortranarray(a), np.ascontiguousarray(b)
    if plain or count <= _BLOCK:
        r = a.dot(b)
        return r if start is None else np.add(r, start, r)
    at, r = 0, start
    while at < count:
        left = count - at
        end = at + (_BLOCK if left > 2 * _BLOCK else (left + 1) // 2 if left > _BLOCK else left)
        part = a[:, at:end].dot(b[at:end])
        r = part if r is None else np.add(r, part, part)
        at = end
    return r


def product(a: np.ndarray, b: np.ndarray, kernel: str = "addmm_impl_cpu_") -> np.ndarray:
    """The matrix product of two arrays of one dtype. Half types are summed in float32, as PyTorch does.

    Where nothing is summed, a column times a row, PyTorch's product of -1 and 0 is -0.0; a sum begins with 0.0, and so
    do products with rows of matrices.
    """
    d = a.dtype
    if (d is _FLOAT32 or d is _FLOAT64) and a.ndim <= 2:
        if a.shape[-1] == 1 and _column_by_row(a, b):
            return np.matmul(a, b) if isinstance(b, Rows) else np.multiply(a, b, order="C")
        # an array's own method would not ask rows
        if type(b) is not _ndarray and isinstance(b, Rows) and not isinstance(a, Rows):
            return np.matmul(a, b)
        if d is _FLOAT32 and a.ndim == b.ndim == 2 and a.shape[1] >= _LONG:
            return _of_long_sums(a, b)
        r: np.ndarray = a.dot(b)  # for small matrices in half the time of np.matmul
        return r
    if d.itemsize == 2 and d.kind in "fV":
        return np.asarray(np.matmul(a.astype(np.float32), b.astype(np.float32))).astype(d)
    if d.kind == "b" and not (kernel != "dot" and 0 in (a.size, b.size)):
        raise unsupported(kernel, a)
    if d.kind == "c" and _column_by_row(a, b):
        return np.multiply(a, b, order="C")
    if d.kind in "iu" and a.ndim > 1 < b.ndim and a.size * b.shape[-1] >= _MANY_INTEGERS and _exact_in_floats(a, b):
        return np.matmul(a.astype(_FLOAT64), b.astype(_FLOAT64)).astype(np.int64).astype(d, copy=False)
    return np.matmul(a, b)


def _exact_in_floats(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether all sums of a product of integers are so small that BLAS, which has none of them, gives them exactly."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray or not b.size:
        return False
    return a.shape[-1] * math.prod(max(int(x.max()), -int(x.min())) for x in (a, b)) < 1 << 53


#: what tensordot says of an out= tensor of another dtype
DOT_DTYPE = "tensordot: Expected the output tensor to have dtype {0}, but got an output tensor with dtype {1}"
#: what operations of linear algebra say of an out= tensor that their result cannot be cast to
UNSAFE = "{name}: Expected result to be safely castable from {0} dtype, but got result with dtype {1}"


def written(
    r: Tensor, out: Any, name: str = "out", *, exact: str = "", unsafe: str = "", copied: bool = False
) -> Tensor:
    """What an operation made of others does with `out`: resizes and fills it. exact: the message if its dtype is not
    that of the result; unsafe: the message if the result cannot be cast to it. copied: the result is copied into it,
    which autograd records."""
    if not copied:
        refuse_to_record(name, (r, out))
    wanted, found = r._array.dtype, out._array.dtype
    message = exact if wanted != found else ""
    if unsafe and not can_cast(wanted, found):
        message = unsafe
    if message:
        names = [from_numpy(d) for d in (wanted, found)]
        raise RuntimeError(message.format(*map(scalar_name, names), *map(cxx_name, names), name=name))
    if copied:
        if out._array.shape != r._array.shape:
            resize_out(out, r._array.shape)
        return TENSORS.copy_(out, r)
    result: Tensor = write(Composed(name), out, r._array, ())
    return result


def refuse_into(name: str, out: Any, *inputs: Tensor) -> None:
    """Raise, before anything is computed, if an input or `out`, which may be several tensors, requires grad: `name` is
    the operation that PyTorch asks for the result."""
    refuse_to_record(name, (*inputs, *((out,) if isinstance(out, Tensor) else out)))


def written_all(r: Any, out: Any) -> Any:
    """The same for several results with names, as linear algebra returns them."""
    refuse_to_record(type(r).__name__, (*r, *out))
    return write(Composed(type(r).__name__, type(r)), out, [t._array for t in r], ())


# -- matrix times matrix -----------------------------------------------------------------------------------------------


def _grad_left(F: Any, grad: Any, right: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """The gradient of a in a @ b, laid out as a is: so that a transposed weight's gradient needs no copy."""
    if strides[0] == 1 and strides[1] == shape[0]:  # column by column in memory, as the transpose of a weight
        return F.t(F.mm(F.conj(right), F.t(grad)))
    return F.mm(grad, F.conj(F.t(right)))


def _grad_right(F: Any, grad: Any, left: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    if strides[0] == 1 and strides[1] == shape[0]:
        return F.t(F.mm(F.t(grad), F.conj(left)))
    return F.mm(F.conj(F.t(left)), grad)


def _grads(
    node: Any,
    grad: Any,
    F: Any,
    right: Tensor | None,
    v_right: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    left: Tensor | None,
    v_left: int,
    shape2: tuple[int, ...],
    strides2: tuple[int, ...],
) -> Any:
    """The gradients of both factors, of which one is saved, with its version, if that of the other one is wanted."""
    first = second = None
    if right is not None:
        if right._counter[0] != v_right:
            raise changed(node, right, v_right)
        first = _grad_left(F, grad, right._array, shape, strides)
    if left is not None:
        if left._counter[0] != v_left:
            raise changed(node, left, v_left)
        second = _grad_right(F, grad, left._array, shape2, strides2)
    return first, second


def _run_mm(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
    """`Node.run` of mm: its formulas, without the search for what they need."""
    saved = self.saved
    if saved is None:
        raise freed_error()
    if grad is None:
        return (None, None)
    right, shape, strides, left, shape2, strides2, v_right, _, _, v_left, _, _ = saved
    return _grads(self, grad, F, right, v_right, shape, strides, left, v_left, shape2, strides2)


def _result(r: np.ndarray) -> Tensor:
    # unrolled: t = wrap(r)
    t = _new(Tensor)
    t._array = r
    t._edge = NO_EDGE
    t._counter = UNSHARED
    t._grad = t._view = t._storage = t._meta = None
    # end
    if FLAGS.inference and LOCAL.state.inference:
        t._counter = INFERENCE
    return t


def _short_mm(entry: Op, call: Callable[..., Any]) -> Callable[..., Any]:
    """mm, for two float matrices in half the time that the general way takes."""

    def short_mm(*args: Any, **options: Any) -> Any:
        if options or len(args) != 2:
            return call(*args, **options)
        input, mat2 = args
        try:
            x, y = input._array, mat2._array
        except AttributeError:
            return call(*args)
        d = x.dtype
        if d is not y.dtype or not (d is _FLOAT32 or d is _FLOAT64) or x.ndim != 2 or y.ndim != 2:
            return call(input, mat2)
        try:
            r = QUIET(_dot if 1 < x.shape[1] < _LONG else product, x, y)
        except (RuntimeError, MemoryError, TypeError, ValueError):  # TypeError: an array with the negative bit
            save_first(entry, (input, mat2))
            r = modes.quiet(mm, x, y)
        t = _result(r)
        # unrolled: a = known_edge(input)
        a = input._edge
        if a is None and input._view is None and (input._meta is not None) and (input._counter is not INFERENCE):
            accumulate = input._meta.accumulate
            a = accumulate()
        # end
        if a is None:
            a = gradient_edge(input) if input._counter is not INFERENCE else operand_edge(input, (mat2,))
        # unrolled: b = known_edge(mat2)
        b = mat2._edge
        if b is None and mat2._view is None and (mat2._meta is not None) and (mat2._counter is not INFERENCE):
            accumulate = mat2._meta.accumulate
            b = accumulate()
        # end
        if b is None:
            b = gradient_edge(mat2) if mat2._counter is not INFERENCE else operand_edge(mat2, (input,))
        if (a is NO_EDGE and b is NO_EDGE) or (FLAGS.unusual and not LOCAL.state.record):
            return t
        s1, s2 = x.strides
        z1, z2 = y.strides
        n = d.itemsize
        left, v_left = (None, None) if b is NO_EDGE else (input, input._counter[0])
        right, v_right = (None, None) if a is NO_EDGE else (mat2, mat2._counter[0])
        return record(
            t,
            entry.new_node,
            (a, b),
            (
                right,
                x.shape,
                (s1 // n, s2 // n),
                left,
                y.shape,
                (z1 // n, z2 // n),
                v_right,
                None,
                None,
                v_left,
                None,
                None,
            ),
        )

    return short_mm


@op(
    """
    mm(Tensor input, Tensor mat2, *, Tensor out=None) -> Tensor|lower_precision|uint_addmm_impl_cpu_
    mm(Tensor input, Tensor mat2, ScalarType out_dtype, *, Tensor out=None) -> Tensor|function|.dtype
    """,
    vjp={
        "input": lambda F, grad, mat2, input_shape, input_strides: _grad_left(
            F, grad, mat2, input_shape, input_strides
        ),
        "mat2": lambda F, grad, input, mat2_shape, mat2_strides: _grad_right(F, grad, input, mat2_shape, mat2_strides),
    },
    fast={"run": _run_mm},
    short=_short_mm,
    out=Out(exact=EXPECTED),
    reads="late",
)
def mm(input: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    """The product of two matrices.

    Shapes: (m, k) and (k, n) give (m, n).
    ~one-dtype

    >>> torch.mm(torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]]))
    tensor([[11.]])
    """
    if input.ndim != 2 or mat2.ndim != 2:
        refuse_shapes("mm", input, mat2, 2, 2)
    if input.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if input.shape[1] != mat2.shape[0]:
        refuse_rows_inner(input, mat2)
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_x(input)} and {_x(mat2)})")
    if input.dtype != mat2.dtype:
        names = [cxx_name(a) for a in (input, mat2)]
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}")
    return product(input, mat2)


RAW.mm = product  # matrices in formulas fit


# -- input + matrix times matrix ---------------------------------------------------------------------------------------


def scaled(x: np.ndarray, factor: float) -> np.ndarray:
    """x times a number, in the dtype of x: integers take the integer part of the number."""
    if factor == 1:
        return x
    return x * np.asarray(int(factor) if x.dtype.kind in "iu" else factor, x.dtype)


def added(input: np.ndarray, r: np.ndarray, beta: Any) -> np.ndarray:
    """beta * input + r, where input must expand to the shape of r; beta 0 leaves even NaNs out."""
    if input.shape != r.shape:
        input = _expand(input, r.shape)
    return r if beta == 0 else r + scaled(input, beta)


def combined(multiply: Any, input: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """beta * input + alpha * multiply(a, b); half types are computed in float32 and rounded once."""
    d = input.dtype
    if is_half(input):
        input, a, b = (x.astype(np.float32) for x in (input, a, b))
    r = added(input, scaled(multiply(a, b), alpha), beta)
    return r if r.dtype is d else r.astype(d, copy=False)


def times(grad: Any, factor: Any) -> Any:
    """The gradient through a product with a number, which is conjugated if it is complex."""
    return grad if factor == 1 else grad * (factor.conjugate() if isinstance(factor, complex) else factor)


def _run_addmm(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
    """The same of addmm."""
    saved = self.saved
    if saved is None:
        return OpNode.run(self, grad, F)
    if grad is None:
        return (None, None, None)
    beta, right, shape, strides, alpha, left, shape2, strides2, _, v_right, _, _, _, v_left, _, _ = saved
    first, second = _grads(self, grad, F, right, v_right, shape, strides, left, v_left, shape2, strides2)
    if alpha != 1:
        first = None if first is None else times(first, alpha)
        second = None if second is None else times(second, alpha)
    if not leads(self._edges[0]):
        return (None, first, second)
    return (grad if beta == 1 else times(grad, beta), first, second)


def _plain_addmm(input: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    count = x.shape[1]
    if count == 1 and x.dtype is _FLOAT32 and x.shape[0] > 1 < y.shape[1]:  # multiplied and added with one rounding
        wide = x.astype(_FLOAT64).dot(y)
        wide += input
        return wide.astype(_FLOAT32)
    if count >= _LONG and x.dtype is _FLOAT32:
        return _of_long_sums(x, y, input)
    r: np.ndarray = x.dot(y)
    r += input
    return r


def _short_addmm(entry: Op, call: Callable[..., Any]) -> Callable[..., Any]:
    """addmm, for float matrices without factors in a third of the time that the general way takes."""

    def short_addmm(*args: Any, **options: Any) -> Any:
        if options or len(args) != 3:
            return call(*args, **options)
        input, mat1, mat2 = args
        try:
            z, x, y = input._array, mat1._array, mat2._array
        except AttributeError:
            return call(*args)
        d = x.dtype
        if d is not y.dtype or d is not z.dtype or not (d is _FLOAT32 or d is _FLOAT64) or x.ndim != 2 or y.ndim != 2:
            return call(*args)
        try:
            r = QUIET(_plain_addmm, z, x, y)
        except (RuntimeError, MemoryError, ValueError):
            save_first(entry, (input, mat1, mat2))
            r = modes.quiet(addmm, z, x, y)
        t = _result(r)
        # unrolled: c = known_edge(input)
        c = input._edge
        if c is None and input._view is None and (input._meta is not None) and (input._counter is not INFERENCE):
            accumulate = input._meta.accumulate
            c = accumulate()
        # end
        if c is None:
            c = gradient_edge(input) if input._counter is not INFERENCE else operand_edge(input, (mat1, mat2))
        # unrolled: a = known_edge(mat1)
        a = mat1._edge
        if a is None and mat1._view is None and (mat1._meta is not None) and (mat1._counter is not INFERENCE):
            accumulate = mat1._meta.accumulate
            a = accumulate()
        # end
        if a is None:
            a = gradient_edge(mat1) if mat1._counter is not INFERENCE else operand_edge(mat1, (input, mat2))
        # unrolled: b = known_edge(mat2)
        b = mat2._edge
        if b is None and mat2._view is None and (mat2._meta is not None) and (mat2._counter is not INFERENCE):
            accumulate = mat2._meta.accumulate
            b = accumulate()
        # end
        if b is None:
            b = gradient_edge(mat2) if mat2._counter is not INFERENCE else operand_edge(mat2, (input, mat1))
        if (a is NO_EDGE and b is NO_EDGE and c is NO_EDGE) or (FLAGS.unusual and not LOCAL.state.record):
            return t
        s1, s2 = x.strides
        z1, z2 = y.strides
        n = d.itemsize
        left, v_left = (None, None) if b is NO_EDGE else (mat1, mat1._counter[0])
        right, v_right = (None, None) if a is NO_EDGE else (mat2, mat2._counter[0])
        return record(
            t,
            entry.new_node,
            (c, a, b),
            (
                1,
                right,
                x.shape,
                (s1 // n, s2 // n),
                1,
                left,
                y.shape,
                (z1 // n, z2 // n),
                None,
                v_right,
                None,
                None,
                None,
                v_left,
                None,
                None,
            ),
        )

    return short_addmm


@op(
    """
    addmm(Scalar beta, Tensor input, Scalar alpha, Tensor mat1, Tensor mat2, *, Tensor out=None) -> Tensor|deprecated
    addmm(Scalar beta, Tensor input, Tensor mat1, Tensor mat2, *, Tensor out=None) -> Tensor|deprecated
    addmm(Tensor input, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1,
        Tensor out=None) -> Tensor|lower_precision|uint_addmm_impl_cpu_
    addmm(Tensor input, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1,
        Tensor out=None) -> Tensor|function|.dtype
    """,
    inplace=True,
    overlap="",
    vjp={
        "input": lambda F, grad, beta: times(grad, beta),
        "mat1": lambda F, grad, mat2, mat1_shape, mat1_strides, alpha: times(
            _grad_left(F, grad, mat2, mat1_shape, mat1_strides), alpha
        ),
        "mat2": lambda F, grad, mat1, mat2_shape, mat2_strides, alpha: times(
            _grad_right(F, grad, mat1, mat2_shape, mat2_strides), alpha
        ),
    },
    fast={"run": _run_addmm},
    out=Out(exact=EXPECTED, overlap="part"),
    fits=lambda mat1, mat2: (mat1.shape[0], mat2.shape[1]),
    inplace_function=False,
    short=_short_addmm,
    reads="late",
    inner_writes=1,
)
def addmm(input: np.ndarray, mat1: np.ndarray, mat2: np.ndarray, *, beta: Any = 1, alpha: Any = 1) -> np.ndarray:
    """beta * input + alpha * (mat1 @ mat2).

    Shapes: (m, k) and (k, n) give (m, n), to which input broadcasts.
    ~one-dtype

    >>> torch.addmm(torch.ones(2), torch.eye(2), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[2., 3.],
            [4., 5.]])

    In place:
    >>> x = torch.ones(2, 2)
    >>> x.addmm_(torch.eye(2), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[2., 3.],
            [4., 5.]])
    >>> x
    tensor([[2., 3.],
            [4., 5.]])
    """
    if input.dtype != mat2.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {scalar_name(input)} and {scalar_name(mat2)}"
        )
    if mat1.dtype != mat2.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {scalar_name(mat1)} and {scalar_name(mat2)}"
        )
    for name, m in (("mat1", mat1), ("mat2", mat2)):
        if m.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {m.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        refuse_rows_inner(mat1, mat2)
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_x(mat1)} and {_x(mat2)})")
    if input.dtype.kind == "b":  # PyTorch spreads the input before it finds that there is no kernel
        _expand(input, (mat1.shape[0], mat2.shape[1]))
    return combined(product, input, mat1, mat2, beta, alpha)


# -- vectors -----------------------------------------------------------------------------------------------------------


@op(
    "mv(Tensor input, Tensor vec, *, Tensor out=None) -> Tensor|uint_addmv_impl_cpu",
    vjp={
        "input": lambda F, grad, vec: F.reshape(grad, (*grad.shape, 1)) * F.conj(vec),
        "vec": lambda F, grad, input: F.mv(F.conj(F.t(input)), grad),
    },
    out=Out(exact="addmv input tensors must have the same dtype, but got {1}, {0}, and {0}"),
    reads="late",
    inner_writes=1,
)
def mv(input: np.ndarray, vec: np.ndarray) -> np.ndarray:
    """The product of a matrix and a vector.

    Shapes: (m, n) and (n,) give (m,).
    ~one-dtype

    >>> torch.mv(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
    """
    wrap_dim(0, input.ndim, scalar_ok=False)
    if input.ndim != 2 or vec.ndim != 1:
        refuse_shapes("mv", input, vec, 2, 1)
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    if input.shape[1] != vec.shape[0]:
        refuse_rows_inner(input, vec)
        raise RuntimeError(f"size mismatch, got input ({input.shape[0]}), mat ({_x(input)}), vec ({vec.shape[0]})")
    if input.dtype != vec.dtype:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {scalar_name(vec)}, {scalar_name(input)}, and "
            f"{scalar_name(vec)}"
        )
    return product(input, vec, "addmv_impl_cpu")


def refuse_shapes(name: str, a: np.ndarray, b: np.ndarray, first: int, second: int) -> None:
    """Refuse operands with other numbers of dimensions, where one of them is of many rows."""
    if isinstance(a, Rows) or isinstance(b, Rows):
        raise RuntimeError(errors.ROWS_SHAPES.format(name, a.ndim, b.ndim, first, second))


def refuse_rows_inner(input: np.ndarray, other: np.ndarray) -> None:
    """Refuse operands whose inner sizes differ, where one of them is of many rows, in the words of the product of whole
    arrays by which PyTorch gets those of all rows."""
    sizes = {
        level: n for x in (input, other) if isinstance(x, Rows) for level, n in zip(x.levels, x.lanes, strict=True)
    }
    if not sizes:
        return
    lanes = math.prod(sizes.values())
    k, other_k = input.shape[-1], other.shape[0 if other.ndim == 1 else -2]
    rows = math.prod(input.shape[:-1])
    if other.ndim < 3 and not isinstance(other, Rows):
        rows *= lanes
        if other.ndim == 1:
            raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{k}), vec ({other_k})")
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{k} and {_x(other)})")
    if other.ndim == 1 and not isinstance(input, Rows):
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{k} and {other_k}x{lanes})")
    lanes *= math.prod(other.shape[:-2])
    raise RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{lanes}, {k}] but got: [{lanes}, {other_k}]."
    )


def _vectors(input: np.ndarray, other: np.ndarray) -> None:
    if input.ndim != 1 or other.ndim != 1:
        if isinstance(input, Rows) or isinstance(other, Rows):
            raise RuntimeError(errors.ROWS_DOT)
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {other.ndim}D tensors")
    if input.dtype != other.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {scalar_name(input)} and {scalar_name(other)}"
        )
    if input.shape != other.shape:
        refuse_rows_inner(input, other)
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{input.size}] and src [{other.size}] to have the same number "
            f"of elements, but got {input.size} and {other.size} elements respectively"
        )


def _dots_together(run: Any, args: Any, levels: Any, lanes: Any) -> Any:
    """The products of many rows, as those of matrices of one row and one column."""
    if any(x.ndim != 1 or x.dtype not in _SINGLES or x.dtype != args[0].dtype for x in args):
        return None
    if args[0].shape != args[1].shape or args[0].size < 2:
        return None
    x, y = beside(args, 1, levels)
    return Rows(np.matmul(x[..., None, :], y[..., None])[..., 0, 0], levels)


@op(
    "dot(Tensor input, Tensor tensor, *, Tensor out=None) -> Tensor|uint_dot",
    vjp={
        "input": lambda F, grad, tensor: grad * F.conj(tensor),
        "tensor": lambda F, grad, input: grad * F.conj(input),
    },
    check_out=same_dtype("result dtype {1} does not match input dtype {0}"),
    reads="late",
    inner_writes=1,
    together=_dots_together,
)
def dot(input: np.ndarray, tensor: np.ndarray) -> np.ndarray:
    """The sum of the products of two vectors.

    Shapes: (n,) and (n,) give 0-dim.
    ~one-dtype

    >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    _vectors(input, tensor)
    r = np.asarray(product(input, tensor, "dot"))
    return r + r.dtype.type(0) if input.size == 1 and r.dtype.kind == "f" and r.itemsize > 2 else r


@op(
    "vdot(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_dot",
    vjp={
        "input": lambda F, grad, other: F.conj(grad) * other,
        "other": lambda F, grad, input: grad * input,
    },
    check_out=same_dtype("result dtype {1} does not match input dtype {0}"),
    reads="late",
    inner_writes=1,
)
def vdot(input: np.ndarray, other: np.ndarray) -> np.ndarray:
    """dot with the conjugate of the first vector.

    Shapes: (n,) and (n,) give 0-dim.
    ~one-dtype

    >>> torch.vdot(torch.tensor([1j, 2.]), torch.tensor([1j, 1.]))
    tensor(3.+0.j)
    """
    _vectors(input, other)
    return np.asarray(product(input.conjugate() if input.dtype.kind == "c" else input, other, "dot"))


@composite("outer(Tensor input, Tensor vec2, *, Tensor out=None) -> Tensor")
def outer(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """The products of each element of one vector with each of another.

    Shapes: (m,) and (n,) give (m, n).
    Dtypes: any two; the result has the promoted one.

    >>> torch.outer(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    for name, v in (("self", input), ("vec2", vec2)):
        if not isinstance(v, Tensor):
            reject("outer", (input, vec2), {})
        if v._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {v._array.ndim}-D")
    column = TENSORS.reshape(input, (input._array.shape[0], 1))
    return TENSORS.mul(column, vec2) if out is None else TENSORS.mul(column, vec2, out=out)


alias("ger", "outer")


# -- batches -----------------------------------------------------------------------------------------------------------


@op(
    """
    bmm(Tensor input, Tensor mat2, *, Tensor out=None) -> Tensor|lower_precision|uint_bmm
    bmm(Tensor input, Tensor mat2, ScalarType out_dtype, *, Tensor out=None) -> Tensor|function|.dtype
    """,
    vjp={
        "input": lambda F, grad, mat2: F.bmm(grad, F.conj(F.transpose(mat2, 1, 2))),
        "mat2": lambda F, grad, input: F.bmm(F.conj(F.transpose(input, 1, 2)), grad),
    },
    out=Out(exact=EXPECTED),
    reads="late",
)
def bmm(input: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    """The products of matrices in a batch, without broadcasting.

    Shapes: (b, m, k) and (b, k, n) give (b, m, n).
    ~one-dtype

    >>> torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[[3.]],

            [[3.]]])
    """
    if not mat2.ndim == input.ndim == 3:
        refuse_shapes("bmm", input, mat2, 3, 3)
    if input.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    want = [input.shape[0], input.shape[2]]
    if [*mat2.shape[:2]] != want:
        if mat2.shape[0] == want[0]:
            refuse_rows_inner(input, mat2)
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {want} but got: {[*mat2.shape[:2]]}."
        )
    if input.dtype != mat2.dtype:
        refuse(input, "bmm", "b")
        raise RuntimeError(f"expected scalar type {scalar_name(input)} but found {scalar_name(mat2)}")
    return product(input, mat2, "bmm")
