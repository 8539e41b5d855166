"""Attention as functions."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.runtime import modes
from ...core.runtime.settings import ATTENTION
from ...core.runtime.warn import warn_once
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, requires_grad
from ...core.types import dtypes
from ...core.types.dtypes import cxx_name
from ...core.values.building import scalar_array
from ...ops.nn import attention as _kernels  # noqa: F401 (fills the table)
from ...ops.table.asking import unseen
from ...ops.table.publishing import reading
from .linear import dropout, linear

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]

_FUSED = "aten/src/ATen/native/transformers/sdp_utils_cpp"


def _whole(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float) -> bool:
    """Whether PyTorch computes this attention as one operation."""
    a, b, c = q._array, k._array, v._array
    if (
        dropout_p
        or not a.ndim == b.ndim == c.ndim == 4
        or not a.dtype == b.dtype == c.dtype
        or a.dtype.kind not in "fV"
    ):
        return False
    if (
        not a.shape[:2] == b.shape[:2] == c.shape[:2]
        or not a.shape[3] == b.shape[3] == c.shape[3]
        or b.shape[2] != c.shape[2]
    ):
        return False
    step = a.itemsize
    if not (a.size and b.size) or not a.strides[3] == b.strides[3] == c.strides[3] == step:
        return False
    return mask is None or _fits(mask, (*a.shape[:3], b.shape[2]))


def _fits(mask: Tensor, shape: tuple[int, ...]) -> bool:
    m = mask._array
    return (
        m.ndim in (2, 4)
        and not mask.requires_grad
        and all(n in (1, s) for n, s in zip(m.shape, shape[-m.ndim :], strict=True))
    )


@reading(
    """
    nn.scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0,
        bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor|lower_precision
    """
)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key^T * scale + mask) @ value: for each query, the mean of the values weighted by how well
    their keys match.

    Shapes: query (..., L, E), key (..., S, E), value (..., S, Ev) give (..., L, Ev); attn_mask broadcasts
        to (..., L, S).
    Dtypes: float; attn_mask bool (True takes part) or float (added).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> q = torch.tensor([[1., 0.]])
        >>> k = torch.tensor([[10., 0.], [0., 10.]])
        >>> F.scaled_dot_product_attention(q, k, torch.tensor([[1.], [5.]]))
        tensor([[1.0034]])

    Mirrors `torch.nn.functional.scaled_dot_product_attention`.
    """
    q: Any = query
    k: Any = key
    v: Any = value
    _check_attention(q, k, v, attn_mask)
    if 0 in q._array.shape[:-1] or 0 in k._array.shape[:-1] or 0 in v._array.shape:
        return _of_nothing(q, k, v)
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        heads, of_keys, of_values = (t.size(-3) for t in (q, k, v))
        if heads % of_keys or heads % of_values:
            raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
        k, v = k.repeat_interleave(heads // of_keys, -3), v.repeat_interleave(heads // of_values, -3)
    fused = _whole(q, k, v, attn_mask, dropout_p)
    if not ATTENTION["math"]:
        _check_kernels(fused, dropout_p)
    if fused and ATTENTION["flash"]:
        if attn_mask is not None:
            _taken(attn_mask._array)
        return TENSORS._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, is_causal, attn_mask, scale)[0]
    kind = q.dtype
    q, k, v = (t.float() if t.dtype in (dtypes.float16, dtypes.bfloat16) else t for t in (q, k, v))
    features = q._array.shape[-1]
    wanted = scale if scale is not None else 1.0 / math.sqrt(features) if features else math.inf
    factor = math.sqrt(abs(wanted))
    scaled = TENSORS.mul_number(q, -factor if wanted < 0 else factor)
    scores = TENSORS.matmul(scaled, TENSORS.mul_number(TENSORS.transpose(k, -2, -1), factor))
    mask = attn_mask
    if is_causal:
        rows, cols = q._array.shape[-2], k._array.shape[-2]
        mask = _to_add(np.tril(np.ones((rows, cols), np.bool_)), scores)
    elif mask is not None and mask._array.dtype.kind == "b":
        mask = _to_add(mask._array, q)
    scores = scores if mask is None else scores + mask
    weights = TENSORS.safe_softmax(scores, -1)
    if dropout_p > 0.0:
        if dropout_p > 1.0:
            raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
        weights = dropout(weights, dropout_p)
    result: Tensor = TENSORS.matmul(weights, v)
    return result if q.dtype is kind else result.to(kind)


@instead(unseen)
def _to_add(mask: Any, like: Any) -> Any:
    """A mask of bools as what is added to scores, in the dtype of a tensor."""
    added = np.zeros(mask.shape, like._array.dtype)
    added[~mask] = scalar_array(-math.inf, like.dtype)
    return TENSORS.from_numpy(added)


@instead(lambda call, args, kwargs: unseen(call, args, kwargs) if args[0].dtype.kind == "b" else None)
def _taken(mask: Any) -> None:
    """Nothing: where a mode is to be asked, it cannot be told how a mask of bools is made one to add."""


def _check_kernels(fused: bool, dropout_p: float) -> None:
    """Refuse what no kernel can compute where the one of several operations is switched off."""
    if not ATTENTION["flash"]:
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the "
            "math kernel and the fused kernels."
        )
    if not fused:
        warn_once("Flash attention kernel not used because:", at=f"{_FUSED}.cpp:99")
        if dropout_p > 0.0:
            warn_once("Both fused kernels do not support non-zero dropout.", at=f"{_FUSED}.h:241")
        raise RuntimeError("No available kernel.  Aborting execution.")


def _of_nothing(q: Any, k: Any, v: Any) -> Tensor:
    """Zeros, which depend on the operands where that is recorded."""
    made = TENSORS.zeros((*q.shape[:-1], v.shape[-1]), dtype=q.dtype)
    if modes.current().grad and any(requires_grad(t) for t in (q, k, v)):
        made = made + (TENSORS.sum(q) + TENSORS.sum(k) + TENSORS.sum(v)) * 0
    return made


def _check_attention(q: Any, k: Any, v: Any, mask: Any) -> None:
    if not q.dtype is k.dtype is v.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{cxx_name(q)} key.dtype: {cxx_name(k)} and value.dtype: {cxx_name(v)} "
            "instead."
        )
    if q.ndim < 2 or k.ndim < 2 or v.ndim < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{q.ndim} key.dim: {k.ndim} and value.dim: {v.ndim} instead."
        )
    if mask is not None and mask._array.dtype.kind != "b" and mask.dtype is not q.dtype:
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{cxx_name(mask)} and  query.dtype: {cxx_name(q)} instead."
        )


def masked(mask: Any, name: str, like: Tensor, other: Any = None, other_name: str = "") -> Any:
    """A bool mask as numbers to be added to the scores: -inf where it is True."""
    if other is not None and not isinstance(other, Tensor):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    wanted = like.dtype
    if mask is None:
        return None
    bools = mask.dtype.name == "bool"
    if not (bools or mask.dtype.is_floating_point):
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=4,
        )
    if not bools:
        return mask
    added = np.zeros(mask._array.shape, wanted.numpy)
    added[mask._array] = -np.inf
    return TENSORS.from_numpy(added)


def _check_dims(query: Any, key: Any, value: Any, padding: Any, mask: Any, heads: int) -> bool:
    """Whether the query is a batch (3-D) and not one sequence (2-D); what goes with it has to fit."""
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor")
    given = f"For {'batched' if dims == 3 else 'unbatched'} ({dims}-D) `query`, expected"
    if key.ndim != dims or value.ndim != dims:
        raise AssertionError(
            f"{given} `key` and `value` to be {dims}-D but found {key.ndim}-D and {value.ndim}-D tensors respectively"
        )
    if padding is not None and padding.ndim != dims - 1:
        raise AssertionError(
            f"{given} `key_padding_mask` to be `None` or {dims - 1}-D but found {padding.ndim}-D tensor instead"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(f"{given} `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead")
    if dims == 2 and mask is not None and mask.ndim == 3:
        wanted = (heads, query.shape[0], key.shape[0])
        if tuple(mask.shape) != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {mask.shape}")
    return dims == 3


def _parts(x: Any, weight: Any, bias: Any, count: int, embed: int) -> tuple[Any, ...]:
    """One projection to `count` times the width, taken apart."""
    whole = linear(x, weight, bias)
    whole = whole.unflatten(-1, (count, embed)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(whole[i] for i in range(count))


def _projected(q: Any, k: Any, v: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
    """Query, key and value projected with the three parts of one weight; equal inputs are projected together."""
    embed = q.size(-1)
    if k is v and q is k:
        return _parts(q, weight, bias, 3, embed)
    if k is v:
        first, rest = weight.split([embed, 2 * embed])
        first_bias, rest_bias = (None, None) if bias is None else bias.split([embed, 2 * embed])
        return linear(q, first, first_bias), *_parts(k, rest, rest_bias, 2, embed)
    return _projected_apart((q, k, v), weight.chunk(3), bias)


def _projected_apart(inputs: tuple[Any, ...], weights: tuple[Any, ...], bias: Any) -> tuple[Any, ...]:
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True))


def _check_mask(mask: Any, long: int, batch: int, heads: int, size: int) -> Any:
    """The mask of scores with three dimensions."""
    if mask is None:
        return None
    flat = mask.ndim == 2
    wanted = (long, size) if flat else (batch * heads, long, size)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but should be {wanted}.")
    return mask.unsqueeze(0) if flat else mask


def _one_more(*masks: Any) -> tuple[Any, ...]:
    """The masks for one more key, which is not masked."""
    return tuple(None if m is None else TENSORS.constant_pad_nd(m, [0, 1], 0.0) for m in masks)


def _heads(x: Any, static: Any, name: str, count: int, head: int) -> Any:
    """(L, N, E) as (N * heads, L, E / heads); given static keys or values take its place."""
    if static is None:
        return x.view(x.shape[0], count, head).transpose(0, 1)
    for dim, wanted in ((0, count), (2, head)):
        if static.size(dim) != wanted:
            raise AssertionError(f"expecting {name}.size({dim}) of {wanted}, but got {static.size(dim)}")
    return static


def _attend_weighed(q: Any, k: Any, v: Any, mask: Any, p: float) -> tuple[Any, Any]:
    """What is attended to and with which weights, both for (N * heads, L, ...)."""
    scaled = q * math.sqrt(1.0 / q.shape[-1])
    turned = k.transpose(-2, -1)
    scores = TENSORS.bmm(scaled, turned) if mask is None else TENSORS.baddbmm(mask, scaled, turned)
    weights = TENSORS.softmax(scores, -1)
    if p > 0.0:
        weights = dropout(weights, p)
    return TENSORS.bmm(weights, v).transpose(0, 1), weights


def _attend(q: Any, k: Any, v: Any, mask: Any, p: float, causal: bool, batch: int, heads: int) -> Any:
    """What is attended to, without the weights, with its steps in front."""
    if mask is not None:
        whole = mask.size(0) == 1 and mask.ndim == 3
        mask = mask.unsqueeze(0) if whole else mask.view(batch, heads, -1, k.shape[1])
    q, k, v = (t.view(batch, heads, *t.shape[1:]) for t in (q, k, v))
    return scaled_dot_product_attention(q, k, v, mask, p, causal).permute(2, 0, 1, 3)


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """What nn.MultiheadAttention computes, with all its weights as arguments.

    Shapes: query (L, N, E), key and value (S, N, E) give (L, N, E) and the weights (N, L, S).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.ones(2, 1, 2)
        >>> eye = torch.eye(2)
        >>> out, weights = F.multi_head_attention_forward(x, x, x, 2, 1, torch.cat([eye, eye, eye]), None, None, None,
        ...     False, 0., eye, None)
        >>> weights
        tensor([[[0.5000, 0.5000],
                 [0.5000, 0.5000]]])

    Mirrors `torch.nn.functional.multi_head_attention_forward`.
    """
    q: Any = query
    k: Any = key
    v: Any = value
    batched = _check_dims(q, k, v, key_padding_mask, attn_mask, num_heads)
    if not batched:
        q, k, v = _unsqueezed(q, k, v)
        key_padding_mask = None if key_padding_mask is None else TENSORS.unsqueeze(key_padding_mask, 0)
    (long, n, embed), size = q.shape, k.shape[0]
    padding = masked(key_padding_mask, "key_padding_mask", query, attn_mask, "attn_mask")
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    hinted = is_causal and padding is None
    mask = None if hinted and not need_weights else masked(attn_mask, "attn_mask", query)
    _check_sizes(k, v, embed, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        q, k, v = _projected_apart((q, k, v), (q_proj_weight, k_proj_weight, v_proj_weight), in_proj_bias)
    else:
        q, k, v = _projected(q, k, v, in_proj_weight, in_proj_bias)
    mask = _check_mask(mask, long, n, num_heads, size)
    if bias_k is not None and bias_v is not None:
        if static_k is not None or static_v is not None:
            raise AssertionError(f"bias cannot be added to static {'value' if static_k is None else 'key'}.")
        k = TENSORS.cat([k, TENSORS.repeat(bias_k, 1, n, 1)])
        v = TENSORS.cat([v, TENSORS.repeat(bias_v, 1, n, 1)])
        mask, padding = _one_more(mask, padding)
    count, head = n * num_heads, embed // num_heads
    q = _heads(q, None, "", count, head)
    k, v = _heads(k, static_k, "static_k", count, head), _heads(v, static_v, "static_v", count, head)
    if add_zero_attn:
        zero = k.new_zeros((count, 1, head))
        k, v = TENSORS.cat([k, zero], 1), TENSORS.cat([v, zero], 1)
        mask, padding = _one_more(mask, padding)
    mask = _merged(mask, padding, n, num_heads, k.size(1))
    p = dropout_p if training else 0.0
    weights: Any = None
    if need_weights:
        out, weights = _attend_weighed(q, k, v, mask, p)
    else:
        out = _attend(q, k, v, mask, p, hinted, n, num_heads)
    out = linear(out.reshape(long * n, embed), out_proj_weight, out_proj_bias)
    out = out.view(long, n, out.size(1))
    if weights is not None:
        weights = weights.view(n, num_heads, long, k.size(1))
        if average_attn_weights:
            weights = weights.mean(1)
    if not batched:
        out = out.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return out, weights


def _unsqueezed(q: Any, k: Any, v: Any) -> tuple[Any, Any, Any]:
    return q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)


def _check_sizes(k: Any, v: Any, embed: int, wanted: int, heads: int, separate: bool) -> None:
    if embed != wanted:
        raise AssertionError(f"was expecting embedding dimension of {wanted}, but got {embed}")
    if embed // heads * heads != embed:
        raise AssertionError(f"embed_dim {embed} not divisible by num_heads {heads}")
    if separate and k.shape[:2] != v.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {k.shape[:2]} do not match value's {v.shape[:2]}")
    if not separate and k.shape != v.shape:
        raise AssertionError(f"key shape {k.shape} does not match value shape {v.shape}")


def _merged(mask: Any, padding: Any, batch: int, heads: int, size: int) -> Any:
    """Both masks in one."""
    if padding is None:
        return mask
    for dim, wanted in enumerate((batch, size)):
        if padding.shape[dim] != wanted:
            raise AssertionError(f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {padding.shape[dim]}")
    wide = padding.view(batch, 1, 1, size).expand(-1, heads, -1, -1).reshape(batch * heads, 1, size)
    return wide if mask is None else mask + wide
