"""Embeddings, the bilinear product, and rearrangements of channels and pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory.layout import keeping_channels
from ...core.memory.places import PLACES, add_at, inside
from ...core.memory.together import stacked
from ...core.recording.record import RAW, says, sizes_of
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import from_numpy, promote, tensor_type
from ..common.blas import lift
from ..first.kinds import FLOATS, is_half
from ..table.asking import Operator
from ..table.opdef import op


def _where_added(padding_idx: int) -> tuple[str, str]:
    """What the gradient of the rows is, in words."""
    if padding_idx < 0:
        return "g added at the rows that were looked up", "在被查到的行上累加的 g"
    return (
        f"g added at the rows that were looked up, but for row {padding_idx} (`padding_idx`)",
        f"在被查到的行上累加的 g，第 {padding_idx} 行（`padding_idx`）除外",
    )


@op(
    """
    embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False,
        bool sparse=False) -> Tensor
    """,
    method=False,
    vjp={
        "weight": says(_where_added)(
            lambda F, grad, weight_shape, indices, padding_idx, scale_grad_by_freq: F.embedding_dense_backward(
                grad, indices, weight_shape[0], padding_idx, scale_grad_by_freq
            )
        ),
    },
    shown={"weight_shape": ""},
    constants={**sizes_of("weight_shape", 0), "sparse": False},
    real=True,
    together=stacked(1),
)
def embedding(
    weight: np.ndarray,
    indices: np.ndarray,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> np.ndarray:
    """The rows of weight at the indices in input.

    Shapes: input (*), weight (n, d) give (*, d).
    Dtypes: input int64 or int32; the result has weight's.
    Errors: IndexError for a number outside of [0, n).

    >>> table = torch.tensor([[0., 0.], [1., 10.], [2., 20.]])
    >>> F.embedding(torch.tensor([2, 1]), table)
    tensor([[ 2., 20.],
            [ 1., 10.]])
    """
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.dtype.char not in "ilq":
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{tensor_type(indices)} instead (while checking arguments for embedding)"
        )
    if indices.size and not inside(indices, weight.shape[0]):
        RAW.index_select(weight, 0, indices.reshape(-1))  # raises
    return weight.take(indices if indices.dtype is PLACES else indices.astype(PLACES), 0)


@op(
    "embedding_dense_backward",
    "grad_output indices",
    vjp={
        "grad_output": lambda F, grad, indices, padding_idx, scale_grad_by_freq: F.embedding_gather(
            grad, indices, padding_idx, scale_grad_by_freq
        ),
    },
    shown={"scale_grad_by_freq": ""},
    operator=Operator(
        "(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool "
        "scale_grad_by_freq) -> Tensor",
        names={"num_weights": "rows"},
    ),
)
def embedding_dense_backward(
    grad_output: Any, indices: np.ndarray, rows: int, padding_idx: int, scale_grad_by_freq: bool
) -> np.ndarray:
    flat = indices.reshape(-1).astype(np.intp, copy=False)
    g = grad_output.reshape(flat.size, grad_output.shape[-1])
    out = np.zeros((rows, g.shape[1]), grad_output.dtype)
    if scale_grad_by_freq and flat.size:
        g = g / np.bincount(flat, minlength=rows)[flat][:, None].astype(g.dtype)
    add_at(out, (flat,), g)
    if padding_idx >= 0:
        out[padding_idx] = 0
    return out


@op(
    "embedding_gather",
    "input indices",
    vjp={
        "input": lambda F, grad, input_shape, indices, padding_idx, scale_grad_by_freq: F.embedding_dense_backward(
            grad, indices, input_shape[0], padding_idx, scale_grad_by_freq
        ),
    },
)
def embedding_gather(input: np.ndarray, indices: np.ndarray, padding_idx: int, scale_grad_by_freq: bool) -> np.ndarray:
    g = input[indices]
    if scale_grad_by_freq:
        flat = indices.reshape(-1).astype(np.intp, copy=False)
        counts = np.bincount(flat, minlength=input.shape[0])[flat].reshape(indices.shape)
        g = g / counts[..., None].astype(g.dtype)
    if padding_idx >= 0:
        g[indices == padding_idx] = 0
    return g


# -- bags: rows summed, averaged or compared by groups of indices ------------------------------------------------------


def array_of(x: Any) -> Any:
    return x._array if isinstance(x, Tensor) else x


def _members(offsets: Any, count: int, last: bool) -> np.ndarray:
    """The number of the bag to which each of `count` indices belongs."""
    starts = np.minimum(array_of(offsets)[: -1 if last else None], count)
    return np.searchsorted(starts, np.arange(count), "right") - 1


def _shares(indices: Any, bags: np.ndarray, n: int, mode: int, padding_idx: int) -> np.ndarray:
    """What each index counts for in its bag: 1 or 1 / size, 0 for padding."""
    kept = (array_of(indices) != padding_idx).astype(np.float64)
    if mode == 1:
        kept /= np.maximum(np.bincount(bags, kept, n), 1)[bags]
    return kept


def _bag_rows(F: Any, grad: Any, offsets: Any, indices: Any, mode: int, last: bool, padding_idx: int) -> Any:
    bags = _members(offsets, indices.shape[0], last)
    shares = _shares(indices, bags, grad.shape[0], mode, padding_idx)
    rows = F.index_select(grad, 0, lift(F, bags))
    return rows if mode == 0 and padding_idx < 0 else rows * lift(F, shares.astype(array_of(grad).dtype)[:, None])


#: words for the gradient of the rows by how a bag is made of them: their sum, mean or largest elements
_OF_BAGS = (
    ("g of each bag at its rows", "放在各袋的行上的 g"),
    ("g of each bag, shared equally among its rows", "平分给各袋的行的 g"),
    ("g of each bag at its largest elements", "放在各袋最大元素处的 g"),
)


def _bag_weight(
    F: Any,
    grad: Any,
    weight_shape: tuple[int, ...],
    indices: Any,
    offsets: Any,
    result3: Any,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int,
) -> Any:
    if mode == 2:
        wide = F.pick(result3 < 0, 0.0 * grad, grad)
        places = lift(F, np.maximum(array_of(result3), 0))
        return F.scatter_add(lift(F, np.zeros(weight_shape, array_of(wide).dtype)), 0, places, wide)
    rows = _bag_rows(F, grad, offsets, indices, mode, include_last_offset, padding_idx)
    if per_sample_weights is not None:
        rows = rows * F.reshape(per_sample_weights, (-1, 1))
    return F.embedding_dense_backward(rows, indices, weight_shape[0], padding_idx, scale_grad_by_freq)


def _bag_samples(
    F: Any, grad: Any, weight: Any, indices: Any, offsets: Any, mode: int, include_last_offset: bool, padding_idx: int
) -> Any:
    rows = _bag_rows(F, grad, offsets, indices, mode, include_last_offset, padding_idx)
    return F.sum(rows * F.index_select(weight, 0, indices), (1,), False)


@op(
    """
    embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse,
        Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> Tensor|.padding_idx
    embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0,
        bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> Tensor
    """,
    method=False,
    outputs=("result0", "result1", "result2", "result3"),
    differentiable=1,
    also=("result1", "result2"),
    shown={"weight": "weight", "weight_shape": "", "include_last_offset": ""},
    constants={**sizes_of("weight_shape", 0), "sparse": False},
    forwardless="_embedding_bag",
    vjp={
        "weight": says(lambda mode, per_sample_weights: _OF_BAGS[mode] if per_sample_weights is None else None)(
            _bag_weight
        ),
        "per_sample_weights": says(
            ("g of each bag times the row of {weight}, summed", "各袋的 g 与 {weight} 的行之积的和")
        )(_bag_samples),
    },
)
def embedding_bag(
    weight: np.ndarray,
    indices: np.ndarray,
    offsets: np.ndarray,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: np.ndarray | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sums, means or maxima of the rows of weight at bags of indices; offsets says where bags begin in a flat input.

    Shapes: input (b, n), or (n,) with offsets (b,); weight (m, d) gives (b, d).
    Dtypes: input int64 or int32; the result has weight's.

    >>> table = torch.tensor([[0., 0.], [1., 10.], [2., 20.]])
    >>> F.embedding_bag(torch.tensor([[1, 2]]), table, mode='sum')
    tensor([[ 3., 30.]])
    """
    count = indices.size
    padding_idx = -1 if padding_idx is None else padding_idx
    if indices.dtype is not offsets.dtype:
        shared = promote(from_numpy(indices.dtype), from_numpy(offsets.dtype)).numpy
        indices, offsets = indices.astype(shared), offsets.astype(shared)
    _check_bags(weight, indices, offsets, per_sample_weights, include_last_offset, mode, padding_idx >= 0)
    n = offsets.size - include_last_offset
    if not n:
        none = np.zeros(0, np.int64)
        return np.zeros((0, weight.shape[1]), weight.dtype), none, none.copy(), none.copy()
    bags = _members(offsets, count, include_last_offset)
    kept = indices != padding_idx
    sizes = np.bincount(bags[kept], minlength=n).astype(np.int64, copy=False)
    found = weight.take(indices.astype(PLACES, copy=False), 0)
    if per_sample_weights is not None:
        found = found * per_sample_weights[:, None]
    plain = mode == 0
    tops = np.zeros(n, np.int64)
    out: Any = np.zeros((n, weight.shape[1]), weight.dtype)
    if mode == 2:
        tops = np.full(out.shape, -1, np.int64)
        rows = np.flatnonzero(kept)
        if rows.size:
            _largest_of_bags(found, rows, indices, bags, out, tops)
    else:
        added = kept
        if (
            include_last_offset and padding_idx < 0 and weight.dtype.itemsize < 8
        ):  # PyTorch's kernel for these ends there
            added = kept & (np.arange(count) < offsets[-1])
        add_at(out, (bags[added],), found[added])
        if mode == 1:
            out /= np.maximum(sizes, 1)[:, None].astype(out.dtype)
            tops = sizes
    if plain:
        return out, np.zeros(0, np.int64), np.zeros(n, np.int64), tops
    return out, bags.astype(np.int64, copy=False), sizes, tops


def _largest_of_bags(
    found: np.ndarray, rows: np.ndarray, indices: np.ndarray, bags: np.ndarray, out: np.ndarray, tops: np.ndarray
) -> None:
    """Write the largest elements of each bag that has some of these rows, and the indices that they come from: the
    first of several, and a NaN only where the first row has it, since nothing is larger than that."""
    order = rows[bags[rows].argsort(kind="stable")]
    member = bags[order]
    begins = np.concatenate(([True], member[1:] != member[:-1]))
    starts = np.flatnonzero(begins)
    values = found[order]
    compared = values.astype(np.float32) if is_half(values) else values
    bad = np.isnan(compared)
    any_bad = bool(bad.any())
    if any_bad:
        compared = np.where(bad, compared.dtype.type(-np.inf), compared)
    top = np.maximum.reduceat(compared, starts, 0)
    places = np.arange(len(order))[:, None]
    at = np.minimum.reduceat(np.where(compared == top[begins.cumsum() - 1], places, len(order)), starts, 0)
    if any_bad:
        at = np.where(bad[starts], starts[:, None], at)
    having = member[starts]
    out[having] = values[at, np.arange(values.shape[1])]
    tops[having] = indices[order][at]


def _check_bags(
    weight: np.ndarray,
    indices: np.ndarray,
    offsets: np.ndarray,
    per_sample_weights: np.ndarray | None,
    last: bool,
    mode: int,
    padded: bool,
) -> None:
    if indices.dtype.char not in "ilq":
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{tensor_type(indices)} instead (while checking arguments for embedding_bag)"
        )
    if weight.dtype.kind not in FLOATS:
        scalar = tensor_type(weight)
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {scalar} instead (while checking arguments for embedding_bag)"
        )
    if last and not offsets.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if offsets.size and offsets[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {offsets[0]}\n"
            f"[ torch.LongTensor{{}} ]"
        )
    if offsets.size and offsets[-1] > indices.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {indices.size} but got offsets[-1] of {offsets[-1]}"
        )
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {tensor_type(weight)} does not equal {tensor_type(per_sample_weights)} "
            "(while checking arguments for embedding_bag)"
        )
    wrong = (indices < 0) | (indices >= weight.shape[0])
    if wrong.any():
        at = int(np.argmax(wrong))
        whole = weight.dtype == np.float32 or is_half(weight)
        if mode == 2 or padded or not whole:  # where PyTorch has no kernel for whole bags
            raise RuntimeError(
                f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {indices[at]}"
            )
        raise RuntimeError(
            f"Index {at} of input takes value {indices[at]} which is not in the valid range [0, {weight.shape[0]})"
        )


def _up(input: Any, r: int) -> np.ndarray:
    *lead, c, h, w = input.shape
    n = len(lead)
    x = input.reshape(*lead, c // (r * r), r, r, h, w)
    x = x.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return np.array(x, order="C").reshape(*lead, c // (r * r), h * r, w * r)


def _down(input: Any, r: int) -> np.ndarray:
    *lead, c, h, w = input.shape
    n = len(lead)
    x = input.reshape(*lead, c, h // r, r, w // r, r)
    x = x.transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return np.array(x, order="C").reshape(*lead, c * r * r, h // r, w // r)


@op(
    "pixel_shuffle(Tensor input, int upscale_factor) -> Tensor|uint_pixel_shuffle",
    method=False,
    vjp={"input": lambda F, grad, upscale_factor: F.pixel_unshuffle(grad, upscale_factor)},
)
@keeping_channels
def pixel_shuffle(input: Any, upscale_factor: int) -> np.ndarray:
    """Groups of r² channels rearranged into an image with r times the height and width.

    Shapes: (..., C r², H, W) gives (..., C, H r, W r).
    Dtypes: any.

    >>> F.pixel_shuffle(torch.arange(4.).reshape(1, 4, 1, 1), 2)
    tensor([[[[0., 1.],
              [2., 3.]]]])
    """
    r = upscale_factor
    if input.ndim < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    c = input.shape[-3]
    if c % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={c} is not divisible by {r * r}"
        )
    return _up(input, r)


@op(
    "pixel_unshuffle(Tensor input, int downscale_factor) -> Tensor|uint_pixel_unshuffle",
    method=False,
    vjp={"input": lambda F, grad, downscale_factor: F.pixel_shuffle(grad, downscale_factor)},
)
@keeping_channels
def pixel_unshuffle(input: Any, downscale_factor: int) -> np.ndarray:
    """An image rearranged into r² times the channels: the reverse of pixel_shuffle.

    Shapes: (..., C, H r, W r) gives (..., C r², H, W).
    Dtypes: any.

    >>> F.pixel_unshuffle(torch.arange(4.).reshape(1, 1, 2, 2), 2).shape
    torch.Size([1, 4, 1, 1])
    """
    r = downscale_factor
    if input.ndim < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    for name, n in (("height", input.shape[-2]), ("width", input.shape[-1])):
        if n % r:
            at = -2 if name == "height" else -1
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({at})={n} is not "
                f"divisible by {r}"
            )
    return _down(input, r)


@op(
    "channel_shuffle(Tensor input, SymInt groups) -> Tensor|uint_channel_shuffle",
    method=False,
    vjp={
        "input": lambda F, grad, input_shape, groups: F.channel_shuffle(grad, input_shape[1] // groups),
    },
    shown={"input_shape": ""},
)
@keeping_channels
def channel_shuffle(input: Any, groups: int) -> np.ndarray:
    """The channels of all groups interleaved.

    Shapes: (N, C, …); groups divides C.
    Dtypes: any.

    >>> F.channel_shuffle(torch.arange(4.).reshape(1, 4, 1, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    if input.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    n, c = input.shape[:2]
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    x = input.reshape(n, groups, c // groups, *input.shape[2:])
    return np.array(x.swapaxes(1, 2), order="C").reshape(input.shape)
