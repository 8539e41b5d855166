"""matmul and the operator @: which product it is, by the dimensions of its operands, and how batches are folded."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.memory.rows import Rows, levels_of
from ...core.memory.versions import of_inference
from ...core.recording.record import RAW, TENSORS, start_node
from ...core.runtime.modes import FLAGS, LOCAL, quiet
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, gradient_edge
from ...core.tensor.tensor import requires_grad as wants_grad
from ...core.values.promotion import broadcast_shapes
from ..table.arguments import reject
from ..table.calls import record, unrecorded
from ..table.opdef import OPS, alias, composite
from ..table.outputs import EXPECTED, Out
from .products import _SINGLES, _result, product, refuse_into, written
from .shape import in_one_batch


@composite(
    "matmul(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|lower_precision|uint_addmm_impl_cpu_",
    out=Out(exact=EXPECTED),
    reads="late",
)
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The product that dimensions call for: of vectors the dot product, of matrices the matrix product, of more
    dimensions products of matrices in batches. The operator @.

    Shapes: (..., m, k) and (..., k, n) give (..., m, n), batches broadcast; a vector counts as a row in front, a
    column behind, and its dimension goes away.
    ~one-dtype
    Errors: RuntimeError where the inner sizes differ.

    >>> x = torch.tensor([[1., 2.], [3., 4.]])
    >>> torch.matmul(x, torch.tensor([1., 1.]))
    tensor([3., 7.])
    >>> x @ x
    tensor([[ 7., 10.],
            [15., 22.]])
    """
    try:
        a, b = input._array.ndim, other._array.ndim
    except AttributeError:
        reject("matmul", (input, other), {} if out is None else {"out": out})
    F = TENSORS
    options = {}
    if out is not None:
        refuse_into("matmul", out, input, other)
        options["out"] = out
    if a == 2:
        if b == 2:
            return _multiplied(F.mm, input, other) if out is None else F.mm(input, other, **options)
        if b == 1:
            return F.mv(input, other, **options)
    elif a == 1 and b == 1:
        return F.dot(input, other, **options)
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 2:
        row = _multiplied(F.mm, F.unsqueeze(input, 0), other)
        r: Tensor = F.squeeze_(row, (0,) if FLAGS.rows and isinstance(row._array, Rows) else 0)
    else:
        r = _folded(input, other) if _folds(input, other, out is not None) else _batched(input, other)
    if out is None:
        return r
    return written(r, out, "matmul")


def level_below(*tensors: Tensor) -> int:
    """The innermost vmap that counts rows of tensors whose history is recorded, if no transform within it
    differentiates: its Nodes are then those of the whole tensors. 0 if there is none."""
    if not (FLAGS.rows and any(isinstance(t._array, Rows) for t in tensors)):
        return 0
    local = LOCAL.state
    if not local.record or not any(map(wants_grad, tensors)):
        return 0
    level = max(level for t in tensors for level in levels_of(t._array.shape))
    within = [place for own, _, _, place in local.mapped if own >= level]
    return level if within and local.entered() - within[0] == len(within) - 1 else 0


def _multiplied(product: Callable[..., Tensor], input: Tensor, other: Tensor) -> Tensor:
    """A product of two matrices, or of batches; of rows it is `matmul` of the whole tensors that PyTorch records."""
    level = level_below(input, other)
    if not level:
        return product(input, other)
    F = TENSORS
    whole = [F._remove_batch_dim(t, level, 0, 0) if level in levels_of(t._array.shape) else t for t in (input, other)]
    found: Tensor = F._add_batch_dim(F.matmul(*whole), 0, level)
    return found


def _folds(input: Tensor, other: Tensor, has_out: bool) -> bool:
    """Whether a batch times one matrix is computed as one product, with the batch folded into rows."""
    a, b = input._array.ndim, other._array.ndim
    if not (max(a, b) >= 3 and min(a, b) <= 2):
        return False
    if LOCAL.state.dispatch_modes and a < b:
        TENSORS.transpose(other, -2, -1)  # by which PyTorch sees how it lies
    batch, one = (input._array, other) if a >= b else (other._array.swapaxes(-1, -2), input)
    if wants_grad(one) and not has_out:
        return True
    if a == 2:
        return False
    if not batch.size:
        return True
    shape, strides = batch.shape, batch.strides
    return all(strides[i] == strides[i + 1] * shape[i + 1] for i in range(batch.ndim - 2))


def _folded(input: Tensor, other: Tensor) -> Tensor:
    F = TENSORS
    turned = other._array.ndim > input._array.ndim
    batch = F.transpose(other, -2, -1) if turned else input
    one = (F.t(input) if input._array.ndim == 2 else input) if turned else other
    *lead, last = batch._array.shape
    count = 1
    for n in lead:
        count *= n
    rows = F.reshape(batch, (count, last))
    if one._array.ndim == 1:
        return F._unsafe_view(F.mv(rows, one), tuple(lead))
    r = F._unsafe_view(_multiplied(F.mm, rows, one), (*lead, one._array.shape[1]))
    return F.contiguous(F.transpose(r, -2, -1)) if turned else r


def _batched(input: Tensor, other: Tensor) -> Tensor:
    F = TENSORS
    left, right = input._array.shape, other._array.shape
    if len(left) == len(right) == 3 and left[0] != right[0]:
        asking = bool(LOCAL.state.dispatch_modes)
        if left[0] == 1 and (asking or wants_grad(input)):
            return F.matmul(F.squeeze(input, 0), other)
        if right[0] == 1 and (asking or wants_grad(other)):
            return F.matmul(input, F.squeeze(other, 0))
    vector, column = len(left) == 1, len(right) == 1
    rows = () if vector else left[-2:-1]
    columns = () if column else right[-1:]
    batch = broadcast_shapes(left[:-2], right[:-2])
    n = math.prod(batch)
    if not vector and not column:
        found = _of_batches(input, other, batch, n)
        if found is not None:
            return found
    x = F.reshape(F.expand(input, (*batch, *(rows or (1,)), left[-1])), (n, *(rows or (1,)), left[-1]))
    if column:
        y = F.unsqueeze(F.reshape(F.expand(other, (*batch, *right)), (n, *right)), 2)
        return F._unsafe_view(F.squeeze(_multiplied(F.bmm, x, y), 2), (*batch, *rows))
    y = F.reshape(F.expand(other, (*batch, *right[-2:])), (n, *right[-2:]))
    return F._unsafe_view(_multiplied(F.bmm, x, y), (*batch, *rows, *columns))


@instead(lambda call, args, kwargs: None)
def _of_batches(input: Tensor, other: Tensor, batch: tuple[int, ...], n: int) -> Tensor | None:
    """The same of two batches of matrices of floats where no mode is at work: by arrays, with Nodes for all that
    PyTorch records, and Tensors only for what a user may see. Else None."""
    x, y = input._array, other._array
    left, right = x.shape, y.shape
    if x.dtype not in _SINGLES or left[-1] != right[-2] or not n:
        return None
    shape = (*batch, left[-2], right[-1])
    if unrecorded((input, other)):
        if left[:-2] != batch:
            x = RAW.expand(x, (*batch, *left[-2:]))
        if right[:-2] != batch:
            y = RAW.expand(y, (*batch, *right[-2:]))
        r = quiet(product, x.reshape(n, *left[-2:]), y.reshape(n, *right[-2:]))
        return _result(r.reshape(shape))
    usual = type(x) is np.ndarray and type(y) is np.ndarray and x.dtype is y.dtype
    if not usual or FLAGS.unusual or of_inference(input) or of_inference(other):
        return None
    a, b = in_one_batch(input, batch, n), in_one_batch(other, batch, n)
    r = quiet(product, a._array, b._array)
    edges = (gradient_edge(a), gradient_edge(b))
    bmm, view = OPS["bmm"], OPS["_unsafe_view"]
    node = start_node(bmm.new_node, edges, r.shape, r.dtype, bmm.saves([a, b], edges, ()))
    return record(_result(r.reshape(shape)), view.new_node, (node,), (r.shape, None))


alias("linalg_matmul", "matmul", method=False, function=False)
