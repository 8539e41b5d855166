"""Attention as functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...ops.nn import attention as _kernels  # noqa: F401 (fills the table)
from .linear import dropout, linear

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


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
    if not (a.size and b.size) or any(x.strides[-1] != x.itemsize for x in (a, b, c)):
        return False
    return mask is None or _fits(mask, (*a.shape[:3], b.shape[2]))


def _fits(mask: Tensor, shape: tuple[int, ...]) -> bool:
    m = mask._array
    return (
        m.ndim in (2, 4)
        and not mask.requires_grad
        and all(n in (1, s) for n, s in zip(m.shape, shape[-m.ndim :], strict=True))
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
    """softmax(query @ key^T * scale + mask) @ value: for each query, the values weighted by how well their
    keys fit.

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
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        times = q._array.shape[-3] // k._array.shape[-3]
        k, v = k.repeat_interleave(times, -3), v.repeat_interleave(times, -3)
    if _whole(q, k, v, attn_mask, dropout_p):
        return TENSORS._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, is_causal, attn_mask, scale)[0]
    factor = math.sqrt(1.0 / math.sqrt(q._array.shape[-1]) if scale is None else scale)
    scores = TENSORS.matmul(TENSORS.mul_number(q, factor), TENSORS.mul_number(TENSORS.transpose(k, -2, -1), factor))
    mask = attn_mask
    if is_causal:
        rows, cols = q._array.shape[-2], k._array.shape[-2]
        mask = TENSORS.from_numpy(np.tril(np.ones((rows, cols), np.bool_)))
    if mask is not None:
        if mask._array.dtype.kind == "b":
            added = np.zeros(mask._array.shape, q._array.dtype)
            added[~mask._array] = -np.inf
            mask = TENSORS.from_numpy(added)
        scores = scores + mask
    weights = TENSORS._safe_softmax(scores, -1)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p)
    return TENSORS.matmul(weights, v)


def _masked(mask: Any, like: Tensor) -> Any:
    """A bool mask as numbers to be added to the scores: -inf where it is True."""
    if mask is None or mask._array.dtype.kind != "b":
        return mask
    added = np.zeros(mask._array.shape, like._array.dtype)
    added[mask._array] = -np.inf
    return TENSORS.from_numpy(added)


def _projected(
    q: Any, k: Any, v: Any, weight: Any, bias: Any, embed: int, separate: tuple[Any, Any, Any] | None
) -> tuple[Any, Any, Any]:
    biases = (None,) * 3 if bias is None else tuple(bias[i * embed : (i + 1) * embed] for i in range(3))
    if separate is None:
        separate = tuple(weight[i * embed : (i + 1) * embed] for i in range(3))
    a, b, c = (linear(x, w, e) for x, w, e in zip((q, k, v), separate, biases, strict=True))
    return a, b, c


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
    batched = q.ndim == 3
    if not batched:
        q, k, v = (t.unsqueeze(1) for t in (q, k, v))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    long, n, embed = q._array.shape
    if embed != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed}")
    head = embed // num_heads
    if head * num_heads != embed:
        raise AssertionError(f"embed_dim {embed} not divisible by num_heads {num_heads}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected(q, k, v, in_proj_weight, in_proj_bias, embed, separate)
    mask: Any = _masked(attn_mask, query)
    padding: Any = _masked(key_padding_mask, query)
    if bias_k is not None and bias_v is not None:
        k = TENSORS.cat([k, TENSORS.repeat(bias_k, 1, n, 1)])
        v = TENSORS.cat([v, TENSORS.repeat(bias_v, 1, n, 1)])
        mask, padding = (None if m is None else TENSORS.constant_pad_nd(m, [0, 1], 0.0) for m in (mask, padding))
    q = q.view(long, n * num_heads, head).transpose(0, 1)
    k = k.view(k._array.shape[0], n * num_heads, head).transpose(0, 1)
    v = v.view(v._array.shape[0], n * num_heads, head).transpose(0, 1)
    if add_zero_attn:
        zero = q.new_zeros((n * num_heads, 1, head))
        k, v = TENSORS.cat([k, zero], 1), TENSORS.cat([v, zero], 1)
        mask, padding = (None if m is None else TENSORS.constant_pad_nd(m, [0, 1], 0.0) for m in (mask, padding))
    size = k._array.shape[1]
    if mask is not None and mask.ndim == 2:
        mask = mask.unsqueeze(0)
    if padding is not None:
        padding = padding.view(n, 1, 1, size).expand(-1, num_heads, -1, -1).reshape(n * num_heads, 1, size)
        mask = padding if mask is None else mask + padding
    p = dropout_p if training else 0.0
    scores = TENSORS.bmm(q * math.sqrt(1.0 / head), k.transpose(-2, -1))
    if mask is not None:
        scores = scores + mask
    weights = TENSORS.softmax(scores, -1)
    if p > 0.0:
        weights = dropout(weights, p)
    out = TENSORS.bmm(weights, v).transpose(0, 1).contiguous().view(long * n, embed)
    out = linear(out, out_proj_weight, out_proj_bias).view(long, n, embed)
    shown: Any = None
    if need_weights:
        shown = weights.view(n, num_heads, long, size)
        if average_attn_weights:
            shown = shown.mean(1)
    if not batched:
        out = out.squeeze(1)
        shown = None if shown is None else shown.squeeze(0)
    return out, shown
