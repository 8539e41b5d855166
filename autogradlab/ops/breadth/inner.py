"""Parts of which PyTorch makes its own functions and that have a name: elements where a mask says, dropout with its
mask, tensors joined in chunks, norms by their old names, as_strided as a copy; and the hash of elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.memory.places import add_at
from ...core.random import distributions as D
from ...core.recording.record import NOT_IMPLEMENTED, RAW, TENSORS, no_derivative
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.types.dims import all_dims, wrap_dim
from ...core.types.dtypes import scalar_name
from ..common.strided import copy_strided
from ..first.index import positions
from ..first.kinds import COMPLEX, FLOATS, INTEGERS, refuse, typed
from ..first.products import written
from ..table.opdef import composite, op
from ..table.outputs import COPIED, Out

Array = np.ndarray


@composite(
    """
    as_strided_copy(Tensor input, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None, *,
        Tensor out=None) -> Tensor
    """,
    out=COPIED,
    method=False,
)
def as_strided_copy(input: Tensor, size: Any, stride: Any, storage_offset: Any = None, **options: Any) -> Tensor:
    """as_strided as a copy.

    Shapes: the given size.
    ~same-dtype

    >>> torch.as_strided_copy(torch.arange(5), (2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    return copy_strided(input, size, stride, storage_offset, **options)


# -- the hash of elements ----------------------------------------------------------------------------------------------


def _bits(x: Array) -> Array:
    """Elements as numbers of 64 bits, and those as what their bits are without a sign."""
    wide = x.astype(np.float64 if x.dtype.kind in FLOATS else np.int64)
    return wide.view(dtypes.uint64.numpy)


@op(
    "hash_tensor(Tensor input, int[1] dim=None, *, bool keepdim=False, int mode=0, Tensor out=None) -> Tensor|looped",
    out=Out(exact="Expected result to be of dtype uint64, but got {1}"),
    vjp={},
)
def hash_tensor(input: Array, dim: Any = None, *, keepdim: bool = False, mode: int = 0) -> Array:
    """The exclusive or of the elements' bits, as 64-bit numbers, over everything or along dims.

    ~dims
    Dtypes: real numbers and bool; the result is uint64.
    Errors: RuntimeError for another mode than 0.

    >>> torch.hash_tensor(torch.tensor([1, 2, 4]))
    tensor(7, dtype=torch.uint64)
    """
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if not input.size and dim in (None, ()):
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    dims = all_dims(dim, input.ndim)
    for d in dims:
        if not input.shape[d]:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    if input.dtype.kind == "u" and input.dtype.itemsize > 1:
        refuse(input, "xor_sum_cpu", INTEGERS)
    refuse(input, "xor_sum_cpu")
    found: Array = np.bitwise_xor.reduce(_bits(input), axis=dims, keepdims=keepdim)
    return np.asarray(found)


# -- elements where a mask says ----------------------------------------------------------------------------------------


def _within(input: Array, indices: Any) -> tuple[Any, ...]:
    """Index tensors as arrays of places, those outside of input moved to its border."""
    found = []
    for p, n in zip(positions(indices), input.shape, strict=False):
        if not isinstance(p, slice) and p.dtype.kind in FLOATS + COMPLEX:
            raise RuntimeError(f"_unsafe_masked_index found unexpected index type {scalar_name(p)}")
        found.append(p if isinstance(p, slice) or p.dtype.kind == "b" else np.clip(p, -n, n - 1))
    return tuple(found)


@op(
    "_unsafe_masked_index(Tensor input, Tensor mask, Tensor[] indices, Scalar fill) -> Tensor",
    "input mask",
    method=False,
    vjp={
        "input": lambda F, grad, mask, indices, input_shape: F._unsafe_masked_index_put_accumulate(
            F.zeros_of(grad, input_shape), mask, indices, grad
        ),
    },
    shown={"input_shape": "self_sym_sizes"},
)
def _unsafe_masked_index(input: Array, mask: Array, indices: Any, fill: Any) -> Array:
    """The elements at a list of index tensors where mask is True, elsewhere fill; there indices may be anything.

    Shapes: the index tensors broadcast together; mask to what they select.
    ~same-dtype

    >>> x, mask = torch.tensor([1., 2., 3.]), torch.tensor([True, False])
    >>> torch._unsafe_masked_index(x, mask, [torch.tensor([1, 7])], 0)
    tensor([2., 0.])
    """
    if not input.size:
        shape = input[tuple(p if isinstance(p, slice) else np.zeros_like(p) for p in positions(indices))].shape
        return np.full(shape, fill, input.dtype)
    found: Array = RAW.masked_fill(input[_within(input, indices)], ~mask, fill)
    return found


@op(
    "_unsafe_masked_index_put_accumulate(Tensor input, Tensor mask, Tensor[] indices, Tensor values) -> Tensor",
    "input mask values",
    method=False,
    vjp={
        "input": lambda F, grad: grad,
        "values": lambda F, grad, mask, indices: F._unsafe_masked_index(grad, mask, indices, 0),
    },
)
def _unsafe_masked_index_put_accumulate(input: Array, mask: Array, indices: Any, values: Array) -> Array:
    """A copy of input with values added at a list of index tensors where mask is True.

    Shapes: as `torch._unsafe_masked_index` has them; values as its result.
    ~same-dtype

    >>> x, mask = torch.tensor([1., 2., 3.]), torch.tensor([True, False])
    >>> torch._unsafe_masked_index_put_accumulate(x, mask, [torch.tensor([1, 7])], torch.ones(2))
    tensor([1., 3., 3.])
    """
    r = input.copy()
    if r.size:
        add_at(r, _within(r, indices), RAW.masked_fill(values, ~mask, 0))
    return r


# -- dropout -----------------------------------------------------------------------------------------------------------


@op(
    "native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)|input",
    method=False,
    outputs=("result0", "result1"),
    differentiable=1,
    vjp={
        "input": lambda F, grad, result1, p, train: F.native_dropout_backward(
            grad, result1, 1.0 if not train else 0.0 if p == 1 else 1 / (1 - p)
        ),
    },
    shown={"train": ""},
)
@typed("native_dropout", "")
def native_dropout(input: Array, p: float, train: bool | None) -> tuple[Array, Array]:
    """dropout, with the mask of what is kept.

    Shapes: input's, both.
    Dtypes: float; the mask is bool.

    >>> torch.native_dropout(torch.tensor([1., 2.]), 0.5, False)
    (tensor([1., 2.]), tensor([True, True]))
    """
    if train is False:
        return input.copy(), np.ones(input.shape, np.bool_)
    mask = D.bernoulli_(np.empty(input.shape, np.bool_), 1 - p, None)
    return input * mask * input.dtype.type(0.0 if p == 1 else 1 / (1 - p)), mask


@op(
    "native_dropout_backward(Tensor grad_output, Tensor mask, float scale, *, Tensor out=None) -> Tensor|input",
    method=False,
    function=False,
    out=COPIED,
    vjp={
        "grad_output": lambda F, grad, mask, scale: F.native_dropout_backward(grad, mask, scale),
        "mask": no_derivative("native_dropout_backward"),
    },
    also=("grad_output",),
)
@typed("native_dropout_backward", "")
def native_dropout_backward(grad_output: Array, mask: Array, scale: float) -> Array:
    kind = np.float32 if grad_output.dtype.kind in "biu" else grad_output.dtype
    found: Array = grad_output * mask * np.asarray(scale, kind)
    return found


# -- chunks and channels -----------------------------------------------------------------------------------------------


def _chunked_from(tensors: list[Array], dim: int, num_chunks: int) -> int:
    """The dimension that is cut in chunks, after PyTorch's checks."""
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    if any(t.dtype != tensors[0].dtype for t in tensors):
        raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
    if dim < 0 and any(t.ndim != tensors[0].ndim for t in tensors):
        raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
    dim = wrap_dim(dim, tensors[0].ndim)
    if not all(t.size for t in tensors):
        raise RuntimeError("_chunk_cat expects non-empty tensor")
    if any(dim >= t.ndim for t in tensors):
        raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
    if any(t.shape[:dim] != tensors[0].shape[:dim] for t in tensors):
        raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
    return dim


@op(
    "_chunk_cat(Tensor[] tensors, int dim, int num_chunks, *, Tensor out=None) -> Tensor|input",
    method=False,
    node=NOT_IMPLEMENTED,
    out=Out(unknown=True),
    vjp={"tensors": no_derivative("_chunk_cat")},
)
def _chunk_cat(tensors: list[Array], dim: int, num_chunks: int) -> Array:
    """Tensors in so many chunks each, the first chunks of all side by side, then the second ones; what is missing of
    the last ones is 0.

    Shapes: the same sizes before dim; from dim on, (num_chunks, elements of all chunks of one row).
    Dtypes: any, the same for all.

    >>> torch._chunk_cat([torch.tensor([1, 2, 3]), torch.tensor([4, 5])], 0, 2)
    tensor([[1, 2, 4],
            [3, 0, 5]])
    """
    d = _chunked_from(tensors, dim, num_chunks)
    rows = []
    for t in tensors:
        more = -t.shape[d] % num_chunks
        whole = np.pad(t, [(0, more if i == d else 0) for i in range(t.ndim)])
        rows.append(whole.reshape(*t.shape[:d], num_chunks, math.prod(whole.shape[d:]) // num_chunks))
    return np.concatenate(rows, -1)


@op(
    "native_channel_shuffle(Tensor input, SymInt groups) -> Tensor|looped",
    method=False,
    node=NOT_IMPLEMENTED,
    vjp={"input": no_derivative("native_channel_shuffle")},
)
def native_channel_shuffle(input: Array, groups: int) -> Array:
    """channel_shuffle, without a derivative.

    Shapes: (N, C, …); groups divides C.
    Dtypes: any.

    >>> torch.native_channel_shuffle(torch.arange(4.).reshape(1, 4, 1, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    found: Array = RAW.channel_shuffle(input, groups)
    return found


# -- norms by their old names ------------------------------------------------------------------------------------------


@composite(
    "frobenius_norm(Tensor input, int[1] dim, bool keepdim=False, *, Tensor out=None) -> Tensor|.dim|.out",
    method=False,
)
def frobenius_norm(input: Tensor, dim: Any, keepdim: bool = False, *, out: Any = None) -> Tensor:
    """The norm 2 of all elements along one or two dimensions.

    ~dims
    Dtypes: float and complex.

    >>> torch.frobenius_norm(torch.tensor([[3., 4.], [0., 2.]]), 1)
    tensor([5., 2.])
    """
    warn_once(
        "at::frobenius_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
        "PyTorch release. Please use `linalg.vector_norm(A, 2., dim, keepdim)` instead",
        at="aten/src/ATen/native/LinearAlgebra.cpp:3175",
    )
    dims = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    if len(dims) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead.")
    if input._array.dtype.kind not in FLOATS + COMPLEX:
        kind = scalar_name(input)
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind} instead.")
    found: Tensor = TENSORS.norm_along(input, 2, dims, keepdim)
    return found if out is None else written(found, out, "frobenius_norm")


@composite(
    """
    nuclear_norm(Tensor input, int[2] dim, bool keepdim=False, *, Tensor out=None) -> Tensor|.dim
    nuclear_norm(Tensor input, bool keepdim=False, *, Tensor out=None) -> Tensor
    """,
    method=False,
)
def nuclear_norm(input: Tensor, dim: Any = None, keepdim: bool = False, **options: Any) -> Tensor:
    """The sum of the singular values of matrices.

    Shapes: the last two dimensions, or `dim`.
    Dtypes: float and complex.

    >>> torch.nuclear_norm(torch.tensor([[3., 0.], [0., 4.]]))
    tensor(7.)
    """
    warn_once(
        "at::nuclear_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
        "PyTorch release. Please use `linalg.matrix_norm(A, 'nuc', dim, keepdim)` instead",
        at="aten/src/ATen/native/LinearAlgebra.cpp:3229",
    )
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    elif isinstance(dim, int):
        dim = (dim, dim)
    found: Tensor = TENSORS.linalg_matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, **options)
    return found
