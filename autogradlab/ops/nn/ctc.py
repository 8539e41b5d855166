"""CTC loss and the multilabel margin loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.recording.record import no_derivative
from ...core.types.dtypes import scalar_name
from ..first.kinds import BOOL, COMPLEX, HALF, INTEGERS, typed
from ..table.opdef import op
from .loss import reduced, scale

Array = Any


def _log_add(*terms: Array) -> Array:
    return np.logaddexp.reduce(terms)


def _labels(targets: Array, lengths: Any, blank: int) -> list[Array]:
    """Each sample's labels with blanks between and around them."""
    found = []
    start = 0
    for b, n in enumerate(lengths):
        row = targets[start : start + n] if targets.ndim == 1 else targets[b, :n]
        start += n
        whole = np.full(2 * n + 1, blank, np.int64)
        whole[1::2] = row
        found.append(whole)
    return found


def _skips(labels: Array) -> Array:
    """Where a path may step over what lies between: from a label to a different one."""
    skips = np.zeros(labels.size, bool)
    skips[2:] = labels[2:] != labels[:-2]
    return skips


def _forward(logs: Array, labels: Array, skips: Array) -> Array:
    """alpha[t, s]: the logarithm of the probability of all paths that are at label s after step t."""
    steps, n = logs.shape[0], labels.size
    alpha = np.full((steps, n), -np.inf)
    if steps:
        alpha[0, : min(2, n)] = logs[0, labels[: min(2, n)]]
    for t in range(1, steps):
        before = alpha[t - 1]
        one = np.concatenate([[-np.inf], before[:-1]])
        two = np.where(skips, np.concatenate([[-np.inf, -np.inf], before[:-2]])[:n], -np.inf)
        alpha[t] = _log_add(before, one, two) + logs[t, labels]
    return alpha


def _total(alpha: Array) -> Any:
    if not alpha.shape[0]:
        return 0.0 if alpha.shape[1] == 1 else -np.inf
    return np.logaddexp.reduce(alpha[-1, -2:])


def _ctc_backward(
    F: Any,
    grad: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any,
    zero_infinity: Any,
) -> Any:
    return F._ctc_loss_backward(grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)


@op(
    "_ctc_loss",
    "log_probs targets",
    forwardless="_ctc_loss",
    node="CtcLossBackward0",
    vjp={
        "log_probs": lambda F, grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity: (
            _ctc_backward(F, grad, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
        ),
    },
)
@typed("ctc_loss_cpu", BOOL + INTEGERS + COMPLEX + HALF, half=False)
def _ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any, zero_infinity: Any
) -> Any:
    """-log of the probability of each target, for logarithms of probabilities (T, N, C)."""
    out = np.empty(log_probs.shape[1], log_probs.dtype)
    for b, labels in enumerate(_labels(targets, target_lengths, blank)):
        logs = log_probs[: input_lengths[b], b].astype(np.float64)
        out[b] = -_total(_forward(logs, labels, _skips(labels)))
    return out


@op(
    "_ctc_loss_backward",
    "grad_output log_probs targets",
    vjp={
        "grad_output": no_derivative("_ctc_loss_backward"),
        "log_probs": no_derivative("_ctc_loss_backward"),
    },
)
def _ctc_loss_backward(
    grad_output: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any,
    zero_infinity: Any,
) -> Any:
    out = np.zeros_like(log_probs)
    for b, labels in enumerate(_labels(targets, target_lengths, blank)):
        steps = input_lengths[b]
        logs = log_probs[:steps, b].astype(np.float64)
        skips = _skips(labels)
        alpha = _forward(logs, labels, skips)
        total = _total(alpha)
        if not steps or (zero_infinity and np.isinf(total)):
            continue
        back = _forward(logs[::-1], labels[::-1], _skips(labels[::-1]))[::-1, ::-1]
        both = alpha + back  # the step's own probability is in it twice
        collected = np.full((steps, log_probs.shape[2]), -np.inf)
        for s, label in enumerate(labels):
            collected[:, label] = np.logaddexp(collected[:, label], both[:, s])
        out[:steps, b] = (np.exp(logs) - np.exp(collected - logs - total)) * grad_output[b]
    return out


# -- margins of sets of classes ----------------------------------------------------------------------------------------


def _sets(target: Array, width: int) -> tuple[Array, list[Array]]:
    """Which classes each row's target holds (up to the first -1), as a mask and as lists."""
    mask = np.zeros(target.shape, target.dtype)
    lists = []
    for b, row in enumerate(target):
        end = np.flatnonzero(row < 0)
        chosen = row[: end[0]] if end.size else row
        mask[b, chosen] = 1
        lists.append(chosen)
    return mask, lists


def _check_sets(input: Array, target: Array) -> None:
    shape = list(input.shape)
    if input.ndim > 2 or (input.ndim and not input.shape[-1]):
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape}")
    if target.shape != input.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {shape}")
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(target)}")
    if target.size and (target.min() < -1 or target.max() >= (input.shape or (1,))[-1]):
        raise RuntimeError("argument #2 'target' is out of range")


@op(
    "multilabel_margin_loss_forward",
    "input target",
    forwardless="multilabel_margin_loss_forward",
    node="MultilabelMarginLossBackward0",
    outputs=("output", "is_target"),
    differentiable=1,
    vjp={
        "input": lambda F, grad, input, target, reduction, is_target: F.multilabel_margin_loss_backward(
            grad, input, target, reduction, is_target
        ),
    },
)
@typed("multilabel_margin_loss_forward_out_frame", BOOL + INTEGERS + COMPLEX + HALF)
def multilabel_margin_loss_forward(
    input: np.ndarray, target: np.ndarray, reduction: int
) -> tuple[np.ndarray, np.ndarray]:
    """For each class of the target, how much closer than 1 the others come to it: the sum over both,
    divided by the classes."""
    _check_sets(input, target)
    x, t = np.atleast_2d(input), np.atleast_2d(target)
    mask, lists = _sets(t, x.shape[1])
    out = np.zeros(x.shape[0], x.dtype)
    for b, chosen in enumerate(lists):
        others = x[b, mask[b] == 0]
        out[b] = np.maximum(1 - x[b, chosen][:, None] + others[None], 0).sum() / x.shape[1]
    found = reduced(out, reduction)
    loss = np.asarray(found).reshape(() if input.ndim < 2 else np.shape(found))
    return loss, mask.reshape(target.shape).astype(input.dtype)


@op(
    "multilabel_margin_loss_backward",
    "grad_output input target is_target",
    vjp={
        "grad_output": no_derivative("multilabel_margin_loss_backward"),
        "input": no_derivative("multilabel_margin_loss_backward"),
    },
)
def multilabel_margin_loss_backward(
    grad_output: Any, input: np.ndarray, target: np.ndarray, reduction: int, is_target: np.ndarray
) -> np.ndarray:
    x, t = np.atleast_2d(input), np.atleast_2d(target)
    mask, lists = _sets(t, x.shape[1])
    out = np.zeros_like(x)
    g = np.broadcast_to(grad_output.reshape(-1), x.shape[:1]) * x.dtype.type(scale(reduction, x.shape[0]) / x.shape[1])
    for b, chosen in enumerate(lists):
        others = np.flatnonzero(mask[b] == 0)
        near = (1 - x[b, chosen][:, None] + x[b, others][None]) > 0
        np.add.at(out[b], chosen, -near.sum(1).astype(x.dtype) * g[b])
        out[b, others] += near.sum(0).astype(x.dtype) * g[b]
    return out.reshape(input.shape)
