"""Attention as one operation: what PyTorch records where all inputs have four dimensions and no dropout is asked
for."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.memory.layout import like
from ...core.memory.rows import Rows
from ...core.recording.record import NOT_IMPLEMENTED, RAW, no_derivative, says
from ...core.runtime.warn import warn_of_slow_rows
from ..first.kinds import BOOL, COMPLEX, INTEGERS, typed
from ..kernels.rounded import exp, log
from ..table.asking import Operator
from ..table.opdef import op
from .activation import largest_of_lines

Array = Any
_NAME = "_scaled_dot_product_flash_attention_for_cpu"


#: exp of it, and of all below, is 0 in float32; of infinities NumPy's takes several times as long
_LEAST = np.array(-105, np.float32)
#: so many keys, or values, are copied before they are multiplied with
_FEW = 1 << 13


@lru_cache(maxsize=4)
def _later(rows: int, columns: int, kind: np.dtype[Any]) -> Array:
    """-inf where a key comes later than the query, elsewhere NaN, which `np.fmin` passes over: passes and layers ask
    for the same again."""
    return np.where(np.arange(columns) > np.arange(rows)[:, None], -np.inf, np.nan).astype(kind)


def _scores(query: Array, key: Array, is_causal: bool, attn_mask: Array, scale: float | None) -> Array:
    scores = _by_turned(query, key)
    if is_causal:  # before the scale, as in PyTorch: one that is not positive makes NaN of them
        np.fmin(scores, _later(*scores.shape[-2:], scores.dtype), out=scores)
    scores *= np.array(1.0 / math.sqrt(query.shape[-1]) if scale is None else scale, query.dtype)
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == np.bool_ else scores + attn_mask
        scores = scores.astype(query.dtype, copy=False)
    return scores


def _by_turned(a: Array, b: Array) -> Array:
    """a @ b with the matrices of b transposed: small ones are copied for it, which takes BLAS less time than to read
    them so."""
    turned = b.swapaxes(-1, -2)
    return np.matmul(a, turned.copy() if b.size <= _FEW else turned)


def _finite(x: Array) -> Array:
    """What is subtracted before exp: nothing where a row has no score at all."""
    return x if np.minimum.reduce(x, None) > -np.inf else np.where(x == -np.inf, 0, x)


def _exp(scores: Array, hidden: bool) -> Array:
    """exp of scores, in their place; hidden: whether some of them may be -inf."""
    if hidden and scores.dtype == np.float32:
        np.maximum(scores, _LEAST, out=scores)
    return exp(scores, scores)


def _by_rows(a: Array, b: Array) -> Array:
    """a @ b, of shape (N, H, L, E), laid out as (N, L, H, E)."""
    n, heads, length, _ = a.shape
    out = np.empty((n, length, heads, b.shape[-1]), a.dtype).swapaxes(1, 2)
    return np.matmul(a, b, out=out)


@op(
    _NAME,
    "query key value attn_mask",
    method=False,
    function=False,
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    forwardless=_NAME,
    outputs=("output", "logsumexp"),
    differentiable=1,
    vjp={
        "query key value": says(
            (
                "g @ {value}ᵀ back through the softmax, times {key}, scaled",
                "g @ {value}ᵀ 经 softmax 往回，乘以 {key} 并缩放",
            ),
            (
                "g @ {value}ᵀ back through the softmax, times {query}, scaled",
                "g @ {value}ᵀ 经 softmax 往回，乘以 {query} 并缩放",
            ),
            ("the weights of attention, transposed, @ g", "注意力权重的转置 @ g"),
        )(
            lambda F, grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale, needs: (
                F._scaled_dot_product_flash_attention_for_cpu_backward(
                    grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale
                )
            )
        ),
    },
    shown={"query": "query", "key": "key", "value": "value", "attn_mask": "attn_mask", "output": "output"},
    operator=Operator(
        "(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, "
        "Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)"
    ),
)
@typed("flash_attention", half=True)
def _attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    attn_mask: np.ndarray | None = None,
    scale: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """softmax(query @ key.T * scale + mask) @ value, and the logarithms of the sums that softmax divides by."""
    if Rows in map(type, (query, key, value)):
        warn_of_slow_rows(_NAME)
    scores = _scores(query, key, is_causal, attn_mask, scale)
    top = largest_of_lines(scores)
    base = _finite(top)
    scores -= base
    weights = _exp(scores, is_causal or attn_mask is not None)
    total = np.add.reduce(weights, -1, keepdims=True)
    out = np.matmul(weights, value, out=like(query, query.dtype, zero=False))
    out /= total if base is top else total + (total == 0)
    return out, (log(total) + top)[..., 0]


@op(
    _NAME + "_backward",
    "grad_out query key value output logsumexp attn_mask",
    method=False,
    function=False,
    node=NOT_IMPLEMENTED,
    outputs=("grad_query", "grad_key", "grad_value"),
    vjp={
        name: no_derivative(_NAME + "_backward")
        for name in ("grad_out", "query", "key", "value", "output", "logsumexp")
    },
    operator=Operator(
        "(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, "
        "bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, "
        "Tensor grad_value)",
        names={"out": "output"},
    ),
)
@typed("flash_attention", half=True)
def _attention_backward(
    grad_out: Any,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    output: np.ndarray,
    logsumexp: np.ndarray,
    dropout_p: float,
    is_causal: bool,
    attn_mask: np.ndarray | None,
    scale: float | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if Rows in map(type, (grad_out, query, key, value)):
        warn_of_slow_rows(_NAME + "_backward")
    scores = _scores(query, key, is_causal, attn_mask, scale)
    sums = logsumexp[..., None]
    scores -= _finite(sums)
    weights = _exp(scores, is_causal or attn_mask is not None)
    slope = _by_turned(grad_out, value)
    slope -= np.add.reduce(grad_out * output, -1, keepdims=True)
    slope *= weights
    slope *= np.array(1.0 / math.sqrt(query.shape[-1]) if scale is None else scale, query.dtype)
    return (
        _by_rows(slope, key),
        _by_rows(slope.swapaxes(-1, -2), query),
        _by_rows(weights.swapaxes(-1, -2), grad_out),
    )


def _for_input(input: np.ndarray, mask: np.ndarray, mask_type: int | None) -> np.ndarray:
    """A mask in the shape of the input. Of a matrix, for an input of four dimensions, its type says which dimensions it
    has; PyTorch's errors."""
    if mask.dtype != np.bool_:
        raise RuntimeError("Mask should be a boolean tensor")
    kind = mask_type if mask.ndim == 2 and input.ndim == 4 else 2
    if kind is None:
        raise RuntimeError("Mask Type should be defined")
    if kind in (0, 1):
        batch, length = input.shape[0], input.shape[2]
        shape, word = ((length, length), "(L, L)") if kind == 0 else ((batch, length), "(B, L)")
        if mask.shape != shape:
            raise RuntimeError(f"For mask_type == {kind} mask shape should be {word}")
        return np.broadcast_to(mask if kind == 0 else mask[:, None, None], input.shape)
    if mask.shape != input.shape:
        raise RuntimeError(f"For mask_type == {kind} mask shape should match input shape")
    return mask


@op(
    "_masked_softmax(Tensor input, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor",
    method=False,
    vjp={
        "input": lambda F, grad, result, mask, dim: F._masked_softmax_backward(grad, result, mask, dim),
    },
)
@typed("masked_softmax", BOOL + INTEGERS + COMPLEX)
def _masked_softmax(
    input: np.ndarray, mask: np.ndarray, dim: int | None = None, mask_type: int | None = None
) -> np.ndarray:
    """softmax of the elements where mask is False; the others are 0, or nan where no element is left. mask_type says
    what mask has the shape of: 0 two sequences (L, L), 1 the sequences of a batch (B, L), 2 the input.

    Shapes: input's.
    Dtypes: float.

    >>> x, mask = torch.tensor([1., 2., 3.]), torch.tensor([False, True, False])
    >>> torch._masked_softmax(x, mask, 0, 2)
    tensor([0.1192, 0.0000, 0.8808])
    """
    hidden = _for_input(input, mask, mask_type)
    d = -1 if dim is None else dim
    found = RAW._softmax(np.where(hidden, input.dtype.type(-np.inf), input), d)
    return np.where(hidden & ~hidden.all(d, keepdims=True), found.dtype.type(0), found)


@op(
    "_masked_softmax_backward",
    "grad_output output mask",
    method=False,
    function=False,
    node=NOT_IMPLEMENTED,
    vjp={name: no_derivative("_masked_softmax_backward") for name in ("grad_output", "output")},
)
@typed("masked_softmax", "")
def _masked_softmax_backward(grad_output: Any, output: np.ndarray, mask: np.ndarray, dim: int | None) -> np.ndarray:
    if mask.shape != output.shape:
        raise RuntimeError("Mask shape should match grad shape")
    found = RAW._softmax_backward_data(grad_output, output, -1 if dim is None else dim)
    return np.where(mask, found.dtype.type(0), found)
