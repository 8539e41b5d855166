"""CTC loss and the multilabel margin loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.recording.record import NOT_IMPLEMENTED, no_derivative
from ...core.types.dtypes import scalar_name
from ..first.kinds import BOOL, COMPLEX, HALF, INTEGERS, typed
from ..table.opdef import op
from .loss import reduced, scale

Array = Any


def _labels(targets: Array, lengths: Any, blank: int) -> tuple[Array, Array]:
    """Each sample's labels with blanks between and around them, (N, S), and how many these are, (N,); then blanks."""
    counts = np.array([2 * n + 1 for n in lengths], np.int64)
    found = np.full((counts.size, counts.max(initial=1)), blank, np.int64)
    start = 0
    for b, n in enumerate(lengths):
        found[b, 1 : 2 * n : 2] = targets[start : start + n] if targets.ndim == 1 else targets[b, :n]
        start += n
    return found, counts


def _skips(labels: Array) -> Array:
    """Where a path may step over what lies between: from a label to a different one."""
    skips = np.zeros(labels.shape, bool)
    skips[:, 2:] = labels[:, 2:] != labels[:, :-2]
    return skips


def _seen(log_probs: Array, labels: Array, counts: Array) -> Array:
    """The logarithms of the probabilities of each sample's labels: (T, N, S)."""
    logs = log_probs[:, np.arange(counts.size)[:, None], labels].astype(np.float64)
    return np.where(np.arange(labels.shape[1]) < counts[:, None], logs, -np.inf)


#: what is subtracted where all logarithms are -inf: any number does
_LOWEST = np.array(np.finfo(np.float64).min)


def _log_sum(logs: Array) -> Array:
    """The logarithm of the sum, over the first axis, of what is given as logarithms, as PyTorch computes it."""
    largest = np.maximum.reduce(logs, 0)
    np.maximum(largest, _LOWEST, out=largest)
    each = logs - largest
    np.exp(each, each)
    total = np.log(np.add.reduce(each, 0))
    total += largest
    return total


def _forward(logs: Array, skips: Array) -> Array:
    """alpha[t, b, s]: the logarithm of the probability of all paths that are at label s after step t."""
    alpha = np.full(logs.shape, -np.inf)
    alpha[:1, :, :2] = logs[:1, :, :2]
    ways = np.full((3, *logs.shape[1:]), -np.inf)  # the same label as before, the next one, and the one after that
    same, one, two, may = ways[0], ways[1, :, 1:], ways[2, :, 2:], skips[:, 2:]
    for t in range(1, len(logs)):
        before = alpha[t - 1]
        same[...] = before
        one[...] = before[:, :-1]
        np.copyto(two, before[:, :-2], where=may)
        np.add(_log_sum(ways), logs[t], alpha[t])
    return alpha


def _totals(alpha: Array, steps: Array, counts: Array) -> Array:
    """The logarithm of the probability of each sample's target, where its steps end."""
    none = np.where(counts == 1, 0.0, -np.inf)
    if not len(alpha):
        return none
    end, sample = np.maximum(steps - 1, 0), np.arange(counts.size)
    before = np.where(counts == 1, -np.inf, alpha[end, sample, np.maximum(counts - 2, 0)])
    return np.where(steps == 0, none, np.logaddexp(before, alpha[end, sample, counts - 1]))


def _turning(length: int, width: int, steps: Array, counts: Array) -> tuple[Any, Array]:
    """Where each sample of (T, N, S) has what it reads from its last step and its last label backwards, and which of
    that is there."""
    t, s = steps - 1 - np.arange(length)[:, None], counts[:, None] - 1 - np.arange(width)
    where = np.maximum(t, 0)[:, :, None], np.arange(counts.size)[:, None], np.maximum(s, 0)
    return where, (t >= 0)[:, :, None] & (s >= 0)


def _ctc_backward(
    F: Any,
    grad: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any,
    zero_infinity: Any,
    result: Any,
) -> Any:
    return F._ctc_loss_backward(grad, log_probs, targets, input_lengths, target_lengths, result, blank, zero_infinity)


@op(
    "_ctc_loss",
    "log_probs targets",
    forwardless="_ctc_loss",
    node="CtcLossBackward0",
    vjp={
        "log_probs": _ctc_backward,
    },
)
@typed("ctc_loss_cpu", BOOL + INTEGERS + COMPLEX + HALF, half=False)
def _ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any, zero_infinity: Any
) -> Any:
    """-log of the probability of each target, for logarithms of probabilities (T, N, C)."""
    labels, counts = _labels(targets, target_lengths, blank)
    alpha = _forward(_seen(log_probs, labels, counts), _skips(labels))
    return (-_totals(alpha, np.array(input_lengths, np.int64), counts)).astype(log_probs.dtype)


@op(
    "_ctc_loss_backward",
    "grad_output log_probs targets neg_log_likelihood",
    node=NOT_IMPLEMENTED,
    vjp={x: no_derivative("_ctc_loss_backward") for x in ("grad_output", "log_probs", "neg_log_likelihood")},
)
def _ctc_loss_backward(
    grad_output: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    neg_log_likelihood: Any,
    blank: Any,
    zero_infinity: Any,
) -> Any:
    labels, counts = _labels(targets, target_lengths, blank)
    steps = np.array(input_lengths, np.int64)
    seen, n = _seen(log_probs, labels, counts), counts.size
    where, there = _turning(len(seen), labels.shape[1], steps, counts)
    turned = np.where(there, seen[where], -np.inf)
    reversed_labels = labels[where[1:]]
    # forwards and backwards side by side
    ways = _forward(np.concatenate((seen, turned), 1), np.concatenate((_skips(labels), _skips(reversed_labels))))
    alpha = ways[:, :n]
    totals = _totals(alpha, steps, counts)
    both = alpha + np.where(there, ways[:, n:][where], -np.inf)  # the step's own probability is in it twice
    collected, samples = np.full(log_probs.shape, -np.inf), np.arange(n)
    for s in range(labels.shape[1]):
        at = slice(None), samples, labels[:, s]
        collected[at] = _log_sum(np.stack((collected[at], both[:, :, s])))
    logs = log_probs.astype(np.float64)
    found = (np.exp(logs) - np.exp(collected - logs - totals[:, None])) * grad_output[:, None]
    counted = np.arange(len(logs))[:, None] < steps
    if zero_infinity:
        counted &= ~np.isinf(totals)
    return np.where(counted[:, :, None], found, 0).astype(log_probs.dtype)


# -- margins of sets of classes ----------------------------------------------------------------------------------------


def _sets(target: Array) -> tuple[Array, Array]:
    """Which classes each row's target holds (up to the first -1), and which of the target's places count."""
    counts = np.logical_and.accumulate(target >= 0, axis=1)
    mask = np.zeros(target.shape, bool)
    rows, places = counts.nonzero()
    mask[rows, target[rows, places]] = True
    return mask, counts[:, : int(counts.sum(1).max(initial=0))]


#: how many distances are computed at a time
_AT_ONCE = 1 << 18


def _distances(x: Array, target: Array, mask: Array, counts: Array) -> Iterator[tuple[slice, Array]]:
    """Some rows at a time: for each class of their targets, how much closer than 1 each of the others comes to it."""
    rows, classes = counts.shape[1], x.shape[1]
    step = max(_AT_ONCE // max(rows * classes, 1), 1)
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        chosen = np.take_along_axis(x[part], np.where(counts[part], target[part, :rows], 0), 1)
        z = 1 - chosen[:, :, None] + x[part, None]
        yield part, np.where((z > 0) & counts[part, :, None] & ~mask[part, None], z, 0)


def _check_sets(input: Array, target: Array) -> None:
    shape = list(input.shape)
    if input.ndim > 2 or (input.ndim and not input.shape[-1]):
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape}")
    if target.shape != input.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {shape}")
    if target.size and (target.min() < -1 or target.max() >= (input.shape or (1,))[-1]):
        raise RuntimeError("argument #2 'target' is out of range")
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(target)}")


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
    mask, counts = _sets(t)
    out = np.zeros(x.shape[0], x.dtype)
    for part, z in _distances(x, t, mask, counts) if counts.size else ():
        out[part] = np.add.accumulate(z.reshape(len(z), -1), axis=1)[:, -1] / x.shape[1]  # one after the other
    found = reduced(out, reduction)
    loss = np.asarray(found).reshape(() if input.ndim < 2 else np.shape(found))
    return loss, mask.reshape(target.shape).astype(input.dtype)


@op(
    "multilabel_margin_loss_backward",
    "grad_output input target is_target",
    node=NOT_IMPLEMENTED,
    vjp={x: no_derivative("multilabel_margin_loss_backward") for x in ("grad_output", "input")},
)
def multilabel_margin_loss_backward(
    grad_output: Any, input: np.ndarray, target: np.ndarray, reduction: int, is_target: np.ndarray
) -> np.ndarray:
    x, t = np.atleast_2d(input), np.atleast_2d(target)
    mask, counts = _sets(t)
    out = np.zeros_like(x)
    g = np.broadcast_to(grad_output.reshape(-1), x.shape[:1]) * x.dtype.type(scale(reduction, x.shape[0]) / x.shape[1])
    for part, z in _distances(x, t, mask, counts) if counts.size else ():
        near = z > 0
        share = g[part, None]
        out[part] = near.sum(1, x.dtype) * share
        lost = near.sum(2, x.dtype) * share
        rows, places = counts[part].nonzero()
        np.subtract.at(out[part], (rows, t[part][rows, places]), lost[rows, places])
    return out.reshape(input.shape)
