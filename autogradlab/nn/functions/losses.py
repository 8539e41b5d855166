"""Losses as functions: reductions, broadcasting with PyTorch's warning, class indices and probabilities."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import casting
from ...core.recording.record import TENSORS
from ...core.runtime import errors
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import cxx_name, get_default_dtype, int64, scalar_name
from ...core.values.promotion import broadcast_shapes
from ...ops.nn import ctc as _sets  # noqa: F401 (fills the table)
from ...ops.nn import loss as _kernels  # noqa: F401 (fills the table)
from ...ops.table.asking import unseen
from ...ops.table.publishing import inner
from ...ops.table.signatures import explain
from .._reduction import get_enum, legacy_get_string
from .linear import linear

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cross_entropy",
    "ctc_loss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "linear_cross_entropy",
    "margin_ranking_loss",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]

_SIZES = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect results "
    "due to broadcasting. Please ensure they have the same size."
)

_REDUCTION = "int reduction=at::Reduction::Mean"
_nll_loss_nd = inner(
    f"nn.nll_loss_nd(Tensor input, Tensor target, Tensor? weight=None, {_REDUCTION}, SymInt ignore_index=-100) -> "
    "Tensor"
)
_cross_entropy_loss = inner(
    f"nn.cross_entropy_loss(Tensor input, Tensor target, Tensor? weight=None, {_REDUCTION}, SymInt ignore_index=-100, "
    "float label_smoothing=0.0) -> Tensor"
)
_kl_div = inner(
    f"kl_div(Tensor input, Tensor target, {_REDUCTION}, *, bool log_target=False) -> Tensor|fp32|looped_alone"
)
_poisson_nll_loss = inner(
    "poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, "
    "int reduction) -> Tensor|fp32|input"
)
_hinge_embedding_loss = inner(
    f"hinge_embedding_loss(Tensor input, Tensor target, float margin=1.0, {_REDUCTION}) -> Tensor|fp32"
)
_margin_ranking_loss = inner(
    f"margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, {_REDUCTION}) "
    "-> Tensor|fp32|looped_alone"
)
_cosine_embedding_loss = inner(
    f"cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, {_REDUCTION}) -> Tensor|fp32"
)
_triplet_margin_loss = inner(
    "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, "
    f"float eps=1e-06, bool swap=False, {_REDUCTION}) -> Tensor|fp32|looped_alone"
)
_multilabel_margin_loss = inner(
    f"nn.multilabel_margin_loss(Tensor input, Tensor target, {_REDUCTION}, *, Tensor out=None) "
    "-> Tensor|fp32|looped_alone"
)
_LENGTHS = (
    "ctc_loss(Tensor log_probs, Tensor targets, {0} input_lengths, {0} target_lengths, int blank=0, "
    f"{_REDUCTION}, bool zero_infinity=False) -> Tensor|fp32|.{{1}}"
)
_ctc_loss = inner("\n".join(_LENGTHS.format(*kind) for kind in (("int[]", "IntList"), ("Tensor", "Tensor"))))


def _pair(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target, broadcast to a common shape; warns if their shapes differ."""
    if isinstance(input, Tensor) and isinstance(target, Tensor) and target._array.shape == input._array.shape:
        return input, target
    if target.size() != input.size():
        warnings.warn(_SIZES.format(target.shape, input.shape), stacklevel=3)
        shape = broadcast_shapes(input._array.shape, target._array.shape)
        input, target = (t if t._array.shape == shape else TENSORS.expand(t, shape) for t in (input, target))
    return input, target


def _reduce(values: Any, reduction: str | int) -> Tensor:
    n = reduction if isinstance(reduction, int) else get_enum(reduction)
    return values.mean() if n == 1 else values.sum() if n == 2 else values


def _weighed(values: Any, weight: Any, shape: Any, reduction: str, whole: bool = True) -> Tensor:
    """The values times weights of the input's shape, reduced. The mean divides by the sum of the weights, or without
    `whole` by the number of values."""
    if weight.size() != shape:
        raise ValueError("Weights and input must have the same size.")
    values = values * weight
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
    return values.sum() / weight.sum() if whole and reduction == "mean" else _reduce(values, reduction)


def _named(reduction: str) -> str:
    """The reduction. Errors: ValueError for one that is not 'none', 'mean' or 'sum'."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return reduction


def _check_weights(given: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """Check that weights of one shape broadcast to another."""
    for at in range(1, min(len(given), len(wanted)) + 1):
        if given[-at] not in (1, wanted[-at]):
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {given[-at]} at -{at}! Mismatching argument at index 1 "
                f"had torch.Size({list(given)}); but expected shape should be broadcastable to {list(wanted)}"
            )
    if len(given) > len(wanted):
        raise RuntimeError(errors.OUT_BROADCAST.format(list(wanted), list(given[: -len(wanted)] + wanted)))


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared differences.

    Shapes: input and target of the same shape (others broadcast, with a warning); the loss
        is 0-dim, or has that shape with reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.mse_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(2.)
        >>> F.mse_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]), reduction='none')
        tensor([0., 4.])

    Mirrors `torch.nn.functional.mse_loss`.
    """
    shape = input.size()
    input, target = _pair(input, target)
    reduction = legacy_get_string(size_average, reduce, reduction=reduction)
    if weight is not None:
        return _weighed(TENSORS.pow(input - target, 2), weight, shape, reduction)
    return TENSORS.mse_loss(input, target, get_enum(reduction))


@casting("fp32")
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute differences.

    Shapes: input and target of the same shape (others broadcast, with a warning); the loss
        is 0-dim, or has that shape with reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.l1_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(1.)

    Mirrors `torch.nn.functional.l1_loss`.
    """
    shape = input.size()
    input, target = _pair(input, target)
    reduction = legacy_get_string(size_average, reduce, reduction=reduction)
    number = get_enum(reduction) if weight is None else 0
    values = TENSORS.abs(input - target)
    return _reduce(values, number) if weight is None else _weighed(values, weight, shape, reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Half the squared differences (over beta) where they are smaller than beta, the absolute ones less beta/2
    elsewhere.

    Shapes: input and target of the same shape (others broadcast, with a warning); the loss
        is 0-dim, or has that shape with reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.smooth_l1_loss(torch.tensor([0.5, 3.]), torch.zeros(2), reduction='none')
        tensor([0.1250, 2.5000])

    Mirrors `torch.nn.functional.smooth_l1_loss`.
    """
    input, target = _pair(input, target)
    reduction = legacy_get_string(size_average, reduce, reduction=reduction)
    number = get_enum(reduction)
    if beta == 0.0:
        return _reduce(TENSORS.abs(input - target), reduction)
    if type(beta) is not float:
        explain("smooth_l1_loss", (input, target, number, beta), {}, "nn")
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return TENSORS.smooth_l1_loss(input, target, number, float(beta))


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the squared differences where they are smaller than delta, delta times (the absolute ones less
    delta/2) elsewhere.

    Shapes: input and target of the same shape (others broadcast, with a warning); the loss
        is 0-dim, or has that shape with reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.huber_loss(torch.tensor([0.5, 3.]), torch.zeros(2), reduction='none', delta=2.)
        tensor([0.1250, 4.0000])

    Mirrors `torch.nn.functional.huber_loss`.
    """
    shape = input.size()
    input, target = _pair(input, target)
    number = get_enum(reduction) if weight is None else 0
    if type(delta) is not float:
        explain("huber_loss", (input, target, number, delta), {}, "nn")
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    found = TENSORS.huber_loss(input, target, number, float(delta))
    return found if weight is None else _weighed(found, weight, shape, reduction, whole=False)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-(t log(p) + (1 - t) log(1 - p)) for probabilities p.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form. weight broadcasts to the
        shape of target.
    Errors: ValueError for different shapes; RuntimeError for p outside of [0, 1].

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.binary_cross_entropy(torch.tensor([0.9, 0.2]), torch.tensor([1., 0.]))
        tensor(0.1643)

    Mirrors `torch.nn.functional.binary_cross_entropy`.
    """
    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if weight is not None:
        _check_weights(tuple(weight.size()), target._array.shape)
        weight = weight.expand(target._array.shape)
    return TENSORS.binary_cross_entropy(input, target, weight, n)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy of sigmoid(input), without overflow; pos_weight multiplies the terms of positive targets.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.
    Errors: ValueError for different shapes.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.binary_cross_entropy_with_logits(torch.tensor([2., -3.]), torch.tensor([1., 0.]))
        tensor(0.0878)

    Mirrors `torch.nn.functional.binary_cross_entropy_with_logits`.
    """
    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return TENSORS.binary_cross_entropy_with_logits(input, target, weight, pos_weight, n)


@casting("fp32")
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-input[class]: the negative log-likelihood, for log-probabilities.

    Shapes: input (N, C, …) or (C,); target (N, …) or (); the loss is 0-dim, or has target's shape with
        reduction='none'.
    Dtypes: input float; target int64.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> log_p = torch.log(torch.tensor([[0.5, 0.5], [0.1, 0.9]]))
        >>> F.nll_loss(log_p, torch.tensor([0, 1]))
        tensor(0.3993)

    Mirrors `torch.nn.functional.nll_loss`.
    """
    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    _nll_loss_nd(input, target, weight, n, ignore_index)
    return _nll(input, target, weight, n, ignore_index)


def _nll(input: Tensor, target: Tensor, weight: Tensor | None, n: int, ignore_index: int) -> Tensor:
    x, t = input._array.shape, target._array.shape
    if not x:
        raise ValueError(f"Expected 1 or more dimensions (got {len(x)})")
    if len(x) > 1 and x[0] != t[0] if t else len(x) > 1:
        raise ValueError(f"Expected input batch_size ({x[0]}) to match target batch_size ({t[0] if t else 0}).")
    if len(x) <= 2:
        return TENSORS.nll_loss_forward(input, target, weight, n, ignore_index)[0]
    if len(x) != 4:
        rest = (x[0], *x[2:])
        if t != rest:
            raise RuntimeError(f"Expected target size {list(rest)}, got {list(t)}")
        flat = (
            TENSORS.view(input, (x[0], x[1], 1, -1))
            if input._array.flags.c_contiguous
            else input.reshape(x[0], x[1], 1, -1)
        )
        found = TENSORS.nll_loss2d_forward(flat, target.reshape(x[0], 1, -1), weight, n, ignore_index)[0]
        return found.reshape(rest) if n == 0 else found
    if len(t) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(t)}"
        )
    if (x[0], *x[2:]) != t:
        raise RuntimeError(f"size mismatch (got input: {list(x)} , target: {list(t)}")
    return TENSORS.nll_loss2d_forward(input, target, weight, n, ignore_index)[0]


@casting("fp32")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """log_softmax over the classes, then nll_loss: input holds logits, target class numbers or probabilities.

    Shapes: input (N, C, …) or (C,); target (N, …) with class numbers, or input's shape with probabilities.
    Dtypes: input float; target int64, or float for probabilities.
    Note: weight has one number for each class; targets equal to ignore_index do not count; label_smoothing takes that
        share of the probability from the target and spreads it evenly over all classes.
    Errors: IndexError for a class outside of [0, C).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> logits = torch.tensor([[2., 0., 0.], [0., 0., 2.]])
        >>> F.cross_entropy(logits, torch.tensor([0, 2]))
        tensor(0.2395)
        >>> F.cross_entropy(logits, torch.tensor([1, 2]), reduction='none')
        tensor([2.2395, 0.2395])

    Mirrors `torch.nn.functional.cross_entropy`.
    """
    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    _cross_entropy_loss(input, target, weight, n, ignore_index, label_smoothing)
    axis = 0 if input.ndim == 1 else 1
    by_shares = input._array.shape == target._array.shape
    if by_shares:
        _check_shares(input, target, weight, ignore_index, axis)
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if by_shares:
        return _probabilities(TENSORS._log_softmax(input, axis), target, weight, n, label_smoothing, axis)
    logs = TENSORS._log_softmax(input, axis)
    if label_smoothing > 0.0:
        return _smoothed(logs, target, weight, n, ignore_index, label_smoothing, axis)
    return _nll(logs, target, weight, n, ignore_index)


def _check_shares(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, axis: int) -> None:
    """What PyTorch refuses where the target holds probabilities."""
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got " + scalar_name(target)
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    classes = input._array.shape[axis] if input.ndim else 1
    if weight is not None and weight._array.shape != (classes,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )


def _laid(weight: Tensor, axis: int, ndim: int) -> Tensor:
    """The weights of classes, shaped to broadcast along `axis`."""
    return TENSORS.view(weight, [-1 if i == axis else 1 for i in range(ndim)])


def _probabilities(logs: Any, target: Any, weight: Any, n: int, smoothing: float, axis: int) -> Tensor:
    if smoothing > 0.0:
        target = TENSORS.add_number(TENSORS.mul_number(target, 1 - smoothing), smoothing / logs._array.shape[axis])
    product = logs * target
    if weight is not None:
        product = product * _laid(weight, axis, logs.ndim)
    if n == 0:
        return -product.sum(axis)
    if n == 1 and not logs._array.size:
        return -product.sum().fill_(math.nan)
    total = -product.sum()
    return total if n == 2 else TENSORS.div_number(total, logs._array.size // logs._array.shape[axis])


@instead(unseen)
def _masked(smooth: Tensor, ignored: Tensor) -> Tensor:
    """The smoothed part of a loss without the targets that do not count."""
    return smooth.masked_fill(ignored, 0.0)


def _smoothed(logs: Any, target: Any, weight: Any, n: int, ignore_index: int, smoothing: float, axis: int) -> Tensor:
    hard = _nll(logs, target, weight, n, ignore_index)
    weighted = logs if weight is None else logs * _laid(weight, axis, logs.ndim)
    smooth = -weighted.sum(axis)
    ignored = target == ignore_index
    if ignored.ndim > smooth.ndim:
        raise RuntimeError(errors.OUT_BROADCAST.format(list(smooth.shape), list(ignored.shape)))
    smooth = _masked(smooth, ignored)
    if n == 1:
        if weight is None:
            smooth = smooth.sum() / (ignored._array.size - np.count_nonzero(ignored._array))
        else:
            safe = np.where(ignored._array, 0, target._array)
            kept = weight._array[safe] * ~ignored._array
            smooth = smooth.sum() / TENSORS.from_numpy(np.asarray(kept.sum(), kept.dtype))
    elif n == 2:
        smooth = smooth.sum()
    shared = TENSORS.mul_number(smooth, smoothing / logs._array.shape[axis])  # PyTorch makes this product first
    return TENSORS.mul_number(hard, 1 - smoothing) + shared


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """The cross entropy of logits that a linear map gives: cross_entropy(linear(input, linear_weight), target).
    With `options`, nn.LinearCrossEntropyOptions, it is computed in pieces to save memory.

    Shapes: input (N, in) or (in,); linear_weight (C, ..., in); target (N, ...) with class numbers or (N, C, ...) with
    probabilities; linear_bias (C, ...); weight (C,).
    Dtypes: float; class numbers int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.linear_cross_entropy(torch.tensor([[1., 2.]]), torch.eye(2), torch.tensor([1]))
        tensor(0.3133)

    Mirrors `torch.nn.functional.linear_cross_entropy`.
    """
    if input.dim() < 1 or input.dim() > 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}")
    features, (classes, *outputs) = input.shape[-1], linear_weight.shape[:-1]
    if features != linear_weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {features} and {linear_weight.shape[-1]}, respectively"
        )
    if linear_bias is not None and tuple(linear_bias.shape) != (classes, *outputs):
        raise RuntimeError(f"expected linear_bias shape {(classes, *outputs)}, got {tuple(linear_bias.shape)}")
    if outputs and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires"
            f" batched input, (N, {features}), got unbatched"
            f" input with shape {tuple(input.shape)}"
        )
    shape = (*input.shape[:-1], classes, *outputs)
    if target.shape == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    number = -100 if ignore_index is None else ignore_index
    if options is not None and _in_pieces(target, linear_bias, reduction, label_smoothing, tuple(outputs)):
        from .pieces import chunked  # a family of its own

        lone = input.dim() == 1
        rows, targets = (input.unsqueeze(0), target.unsqueeze(0)) if lone else (input, target)
        known = options._adjust(rows.shape[0], features, classes, dtype=input.dtype, device=input.device)
        how = {"reduction": reduction, "ignore_index": number, "options": known}
        found = chunked(rows, linear_weight, targets, linear_bias, weight, **how)
        return found.squeeze(0) if lone else found
    if outputs:
        linear_weight = linear_weight.reshape((math.prod(outputs, start=classes), features))
        linear_bias = linear_bias if linear_bias is None else linear_bias.reshape(linear_weight.shape[:1])
    return cross_entropy(
        linear(input, linear_weight, linear_bias).reshape(shape),
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=number,
        label_smoothing=label_smoothing,
    )


def _in_pieces(
    target: Tensor, bias: Tensor | None, reduction: str, label_smoothing: float, outputs: tuple[int, ...]
) -> bool:
    """Whether a loss can be computed in pieces; a warning says where not."""
    if not outputs and reduction in ("mean", "sum", "none") and label_smoothing == 0.0 and target.dtype == int64:
        return True
    shape = None if bias is None else tuple(bias.shape)
    warnings.warn(
        "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
        "label_smoothing == 0, target.dtype == int64, out_features == (). Got "
        f"reduction={reduction!r}, label_smoothing={label_smoothing}, target.dtype={target.dtype}, "
        f"out_features={outputs}, tracing=False, linear_bias.shape={shape}.",
        stacklevel=3,
    )
    return False


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target * (log(target) - input): the Kullback-Leibler divergence of distributions, with log-probabilities as input
    and probabilities as target.

    Shapes: input and target of the same shape (others broadcast); the loss is 0-dim, or has that shape with
        reduction='none'.
    Dtypes: float.
    Note: reduction is 'batchmean' (the sum over the size of the first dimension), 'mean', 'sum' or 'none'; size_average
        and reduce are its old form. With log_target, target holds log-probabilities too.
    Errors: RuntimeError for complex numbers and integers.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> p = torch.tensor([[0.5, 0.5]])
        >>> F.kl_div(torch.tensor([[0.9, 0.1]]).log(), p, reduction='batchmean')
        tensor(0.5108)

    Mirrors `torch.nn.functional.kl_div`.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_get_string(size_average, reduce, reduction=reduction)
    elif reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
            "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
            "behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    # PyTorch's C++ code has no 'batchmean'
    number = get_enum("sum" if reduction == "batchmean" else reduction)
    _kl_div(input, target, number, log_target=log_target)
    for t in (input, target):
        if t._array.dtype.kind == "c":
            raise RuntimeError("kl_div: Complex inputs not supported.")
    for t in (input, target):
        if t._array.dtype.kind in "biu":
            raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        gap = target - input
        values = TENSORS.exp(target) * gap
    else:
        product = target * input
        values = TENSORS.xlogy(target, target) - product
    if reduction == "batchmean":
        total = values.sum()
        return total / input._array.shape[0] if input.ndim else total
    return _reduce(values, number)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """exp(input) - target * input: the negative log-likelihood of counts whose rate is exp(input), or input with
    log_input=False.

    Shapes: input and target of the same shape (others broadcast); the loss is 0-dim, or has that shape with
        reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.poisson_nll_loss(torch.tensor([0., 1.]), torch.tensor([1., 3.]))
        tensor(0.3591)

    Mirrors `torch.nn.functional.poisson_nll_loss`.
    """
    reduction = legacy_get_string(size_average, reduce, reduction=reduction)
    x: Any = input
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    _poisson_nll_loss(input, target, log_input, full, eps, get_enum(reduction))
    if log_input:
        weighed = target * x  # before exp(x): backward goes through exp first, as in PyTorch
        loss = TENSORS.exp(x) - weighed
    else:
        loss = x - target * TENSORS.log(TENSORS.add_number(x, eps))
    if full:
        t: Any = target
        half = TENSORS.mul_number(TENSORS.log(TENSORS.mul_number(t, 2 * math.pi)), 0.5)
        stirling = t * TENSORS.log(t) - t + half
        loss += stirling.masked_fill(t <= 1, 0)
    return _reduce(loss, reduction)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """(log(var) + (input - target)² / var) / 2: the negative log-likelihood of normal distributions with mean input and
    variance var.

    Shapes: input and target of the same shape; var too, or with last size 1, or without the last dimension; or var
        is a number.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'.
    Errors: ValueError for a negative variance, a var of another shape, or an unknown reduction.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.gaussian_nll_loss(torch.tensor([0., 1.]), torch.tensor([0., 3.]), torch.tensor([1., 4.]))
        tensor(0.5966)

    Mirrors `torch.nn.functional.gaussian_nll_loss`.
    """
    x: Any = input
    v: Any = var
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        v = var * TENSORS.ones_like(input)
    elif TENSORS.any(v < 0):
        raise ValueError("var has negative entry/entries")
    if v.size() != x.size():
        if x.shape[:-1] == v.shape:
            v = TENSORS.unsqueeze(v, -1)
        elif x.ndim != v.ndim or sum(n for m, n in zip(x.shape, v.shape, strict=True) if m != n) != 1:
            raise ValueError("var is of incorrect size")
    _named(reduction)
    v = v.clone()
    if v._array.dtype.kind in "biu":
        raise RuntimeError(errors.CAST.format(scalar_name(get_default_dtype()), cxx_name(v)))
    if type(eps) is not float:
        explain("clamp_", (), {"min": eps}, "Tensor")
    low = v._array < eps
    np.putmask(v._array, low, eps)
    loss = 0.5 * (TENSORS.log(v) + (x - target) ** 2 / v)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return _reduce(loss, reduction)


def _less(number: float, t: Tensor) -> Tensor:
    """number - t, recorded as the difference of two tensors, as PyTorch's C++ code does."""
    return TENSORS.sub(TENSORS.scalar_tensor(number, dtype=t.dtype), t)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1.

    Shapes: input and target of the same shape (others broadcast); the loss is 0-dim, or has that shape with
        reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.hinge_embedding_loss(torch.tensor([0.5, 0.2]), torch.tensor([1., -1.]), reduction='none')
        tensor([0.5000, 0.8000])

    Mirrors `torch.nn.functional.hinge_embedding_loss`.
    """
    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    _hinge_embedding_loss(input, target, margin, n)
    t: Any = target
    zero = TENSORS.zeros_like(input)
    apart = TENSORS.where(t != 1, TENSORS.clamp_min(_less(margin, input), 0), zero)
    return _reduce(apart + TENSORS.where(t != -1, input, zero), n)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target * (input1 - input2) + margin): input1 should be larger where target is 1, input2 where it is -1.

    Shapes: all three with the same number of dimensions; they broadcast.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.
    Errors: RuntimeError for different numbers of dimensions.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.margin_ranking_loss(torch.tensor([1., 2.]), torch.tensor([2., 1.]), torch.tensor([1., 1.]))
        tensor(0.5000)

    Mirrors `torch.nn.functional.margin_ranking_loss`.
    """
    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    _margin_ranking_loss(input1, input2, target, margin, n)
    return ranked(input1, input2, target, margin, n)


def ranked(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: int = 0) -> Tensor:
    """margin_ranking_loss of tensors that broadcast, whatever their numbers of dimensions."""
    difference = input1 - input2  # before the sign changes, as C++ orders it
    return _reduce(TENSORS.add_number(-target * difference, margin).clamp_min_(0), reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos where target is 1, max(0, cos - margin) where it is -1.

    Shapes: input1 and input2 (N, D), target (N,); or (D,) and ().
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([[1., 0.], [1., 0.]])
        >>> F.cosine_embedding_loss(x, torch.tensor([[0., 1.], [1., 1.]]), torch.tensor([1., -1.]), reduction='none')
        tensor([1.0000, 0.7071])

    Mirrors `torch.nn.functional.cosine_embedding_loss`.
    """
    count = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    _cosine_embedding_loss(input1, input2, target, margin, count)
    a: Any = input1
    b: Any = input2
    t: Any = target
    if t.ndim not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    dim = t.ndim
    if not a.ndim == b.ndim == dim + 1:
        raise RuntimeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes {list(a.shape)} and "
            f"{list(b.shape)}."
        )
    top = (a * b).sum(dim)
    cos = top / TENSORS.sqrt(TENSORS.add_number((a * a).sum(dim), 1e-12) * TENSORS.add_number((b * b).sum(dim), 1e-12))
    zero = TENSORS.zeros_like(cos)
    together = TENSORS.where(t == 1, _less(1, cos), zero)
    apart = TENSORS.where(t == -1, TENSORS.clamp_min(TENSORS.sub_number(cos, margin), 0), zero)
    return _reduce(together + apart, count)


def _same_ndim(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    a, p, n = anchor.ndim, positive.ndim, negative.ndim
    if not a == p == n:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {a}D, positive {p}D, and negative {n}D inputs"
        )


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), with distances in the p-norm.

    Shapes: all three (N, D) or (D,).
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> a = torch.tensor([[0., 0.]])
        >>> F.triplet_margin_loss(a, torch.tensor([[1., 0.]]), torch.tensor([[1.5, 0.]]))
        tensor(0.5000)

    Mirrors `torch.nn.functional.triplet_margin_loss`.
    """
    from .linear import pairwise_distance

    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, n)
    _same_ndim(anchor, positive, negative)
    near: Any = pairwise_distance(anchor, positive, p, eps)
    far: Any = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = TENSORS.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduce(TENSORS.clamp_min(TENSORS.add_number(near, margin) - far, 0), n)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """triplet_margin_loss with a distance function of the caller, by default pairwise_distance.

    Shapes: all three with the same number of dimensions.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> a = torch.tensor([[0., 0.]])
        >>> F.triplet_margin_with_distance_loss(a, torch.tensor([[1., 0.]]), torch.tensor([[3., 0.]]),
        ...     distance_function=lambda x, y: (x - y).abs().sum(-1))
        tensor(0.)

    Mirrors `torch.nn.functional.triplet_margin_with_distance_loss`.
    """
    from .linear import pairwise_distance

    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _same_ndim(anchor, positive, negative)
    distance = distance_function or pairwise_distance
    near: Any = distance(anchor, positive)
    far: Any = distance(anchor, negative)
    if swap:
        far = TENSORS.minimum(far, distance(positive, negative))
    return _reduce(TENSORS.clamp_min(margin + near - far, 0), reduction)


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """log(1 + exp(-target * input)) for targets 1 and -1.

    Shapes: input and target of the same shape (others broadcast); the loss is 0-dim, or has that shape with
        reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.soft_margin_loss(torch.tensor([2., -1.]), torch.tensor([1., 1.]))
        tensor(0.7201)

    Mirrors `torch.nn.functional.soft_margin_loss`.
    """
    return TENSORS.soft_margin_loss(
        input, target, get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    )


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum over the wrong classes of max(0, margin - input[target] + input[class])**p, divided by the number of
    classes.

    Shapes: input (N, C) or (C,); target (N,) or ().
    Dtypes: input float; target int64.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.multi_margin_loss(torch.tensor([[0.1, 0.2, 0.9]]), torch.tensor([2]))
        tensor(0.1667)

    Mirrors `torch.nn.functional.multi_margin_loss`.
    """
    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    return TENSORS.multi_margin_loss(input, target, p, margin, weight, n)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over the classes of binary_cross_entropy_with_logits.

    Shapes: input and target (N, C); 0-dim, or (N,) with reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.multilabel_soft_margin_loss(torch.tensor([[2., -3.]]), torch.tensor([[1., 0.]]))
        tensor(0.0878)

    Mirrors `torch.nn.functional.multilabel_soft_margin_loss`.
    """
    reduction = legacy_get_string(size_average, reduce, reduction=reduction)
    x: Any = input
    t: Any = target
    values: Any = -(t * TENSORS.log_sigmoid(x) + (1 - t) * TENSORS.log_sigmoid(-x))
    if weight is not None:
        values = values * weight
    values = values.sum(x.ndim - 1) / x.size(x.ndim - 1)
    return _reduce(values, _named(reduction))


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """The sum over pairs of a right and a wrong class of max(0, 1 - (input[right] - input[wrong])), divided by the
    number of classes; target lists the right classes, up to the first -1.

    Shapes: input and target (N, C) or (C,).
    Dtypes: input float; target int64.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.multilabel_margin_loss(torch.tensor([0.1, 0.2, 0.4, 0.8]), torch.tensor([3, 0, -1, 1]))
        tensor(0.8500)

    Mirrors `torch.nn.functional.multilabel_margin_loss`.
    """
    n = get_enum(legacy_get_string(size_average, reduce, reduction=reduction))
    _multilabel_margin_loss(input, target, n)
    return TENSORS.multilabel_margin_loss_forward(input, target, n)[0]


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The negative log-likelihood of label sequences, given log-probabilities at each time, summed over all alignments
    with repeated labels and blanks in between (connectionist temporal classification).

    Shapes: log_probs (T, N, C), targets (N, S) or all sequences joined in one dimension, lengths (N,);
        without a batch (T, C), (S,), ().
    Dtypes: log_probs float; the rest int64.
    Note: reduction is 'mean', 'sum' or 'none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> log_p = torch.log(torch.tensor([[[0.5, 0.5]], [[0.5, 0.5]]]))
        >>> F.ctc_loss(log_p, torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1]), reduction='sum')
        tensor(0.2877)

    Mirrors `torch.nn.functional.ctc_loss`.
    """
    n = get_enum(reduction)
    _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, n, zero_infinity)
    batched = log_probs.ndim == 3
    probs = log_probs if batched else TENSORS.unsqueeze(log_probs, 1)
    if probs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {probs.ndim}-dimensional tensor for argument #1 'log_probs' "
            "(while checking arguments for ctc_loss_allocate_outputs)"
        )
    if not probs._array.size:
        raise RuntimeError("log_probs tensor must not be empty")
    labels = targets if batched or targets.ndim == 1 else TENSORS.unsqueeze(targets, 0)
    lengths = []
    for name, given in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if isinstance(given, Tensor):
            if given._array.dtype.kind not in "iu":
                raise RuntimeError(f"{name} must be integral")
            given = given._array.reshape(-1).tolist()
        lengths.append([int(v) for v in (given if isinstance(given, (tuple, list)) else [given])])
    steps, batch, classes = probs._array.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, values in zip(("input_lengths", "target_lengths"), lengths, strict=True):
        if len(values) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
    _check_lengths(steps, labels, *lengths)
    losses = TENSORS._ctc_loss(probs, labels, lengths[0], lengths[1], blank, zero_infinity)
    if zero_infinity:
        losses = TENSORS.where(losses == math.inf, TENSORS.scalar_tensor(0, dtype=losses.dtype), losses)
    if n == 1:
        count = TENSORS.from_numpy(np.maximum(np.asarray(lengths[1]), 1).astype(probs._array.dtype))
        return (losses / count).mean()
    if n == 2:
        return losses.sum()
    return losses if batched else TENSORS.squeeze(losses, 0)


def _check_lengths(steps: int, labels: Tensor, inputs: list[int], targets: list[int]) -> None:
    """No length is negative or longer than what it measures."""
    where = "(while checking arguments for ctc_loss_allocate_outputs)"
    for length in targets:
        if length < 0:
            raise RuntimeError(f"Expected target_lengths to have value at least 0, but got value {length} {where}")
    rows = labels._array.shape
    if len(rows) > 2:
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {len(rows)}-dimensional tensor for argument #2 'targets' {where}"
        )
    if len(rows) == 2 and rows[0] != len(targets):
        raise RuntimeError(
            f"Expected tensor to have size {len(targets)} at dimension 0, but got size {rows[0]} for argument #2 "
            f"'targets' {where}"
        )
    at, size, least = (0, sum(targets), "size") if len(rows) == 1 else (1, max(targets, default=0), "size at least")
    if labels.ndim == 1 and rows[0] != size or labels.ndim > 1 and rows[1] < size:
        raise RuntimeError(
            f"Expected tensor to have {least} {size} at dimension {at}, but got size {rows[at]} for argument #2 "
            f"'targets' {where}"
        )
    for length in inputs:
        if length < 0:
            raise RuntimeError(f"Expected input_lengths to have value at least 0, but got value {length} {where}")
        if length > steps:
            raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {length} {where}")
