"""Losses as layers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .._reduction import legacy_get_string
from .distance import PairwiseDistance
from .linear import Linear
from .linear_cross_entropy_options import LinearCrossEntropyOptions
from .module import Module

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class _Loss(Module):
    reduction: str

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = legacy_get_string(size_average, reduce, reduction=reduction)


class _WeightedLoss(_Loss):
    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.weight: Tensor | None


class L1Loss(_Loss):
    """nn.functional.l1_loss as a layer: the absolute differences.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.L1Loss()(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(1.)

    Mirrors `torch.nn.L1Loss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """nn.functional.mse_loss as a layer: the squared differences.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(2.)

    Mirrors `torch.nn.MSELoss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """nn.functional.smooth_l1_loss as a layer: squared differences near 0, absolute ones elsewhere.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.SmoothL1Loss()(torch.tensor([0.5, 3.]), torch.zeros(2))
        tensor(1.3125)

    Mirrors `torch.nn.SmoothL1Loss`.
    """

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.smooth_l1_loss(input, target, beta=self.beta, reduction=self.reduction)


class HuberLoss(_Loss):
    """nn.functional.huber_loss as a layer: squared differences up to delta, absolute ones beyond.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.HuberLoss(delta=2.)(torch.tensor([0.5, 3.]), torch.zeros(2))
        tensor(2.0625)

    Mirrors `torch.nn.HuberLoss`.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.huber_loss(input, target, delta=self.delta, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """nn.functional.nll_loss as a layer: for log-probabilities, as LogSoftmax gives them, with class indices.

    Shapes: input (N, C, …) or (C,); target (N, …).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.NLLLoss()(torch.log(torch.tensor([[0.5, 0.5], [0.1, 0.9]])), torch.tensor([0, 1]))
        tensor(0.3993)

    Mirrors `torch.nn.NLLLoss`.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """The old name of NLLLoss; it warns.

    Shapes: as for NLLLoss.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.NLLLoss2d()(torch.log(torch.tensor([[0.5, 0.5]])), torch.tensor([1]))
        tensor(0.6931)

    Mirrors `torch.nn.NLLLoss2d`.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is NLLLoss2d:
            warnings.warn(
                "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
                "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
                FutureWarning,
                stacklevel=2,
            )
        return super().__new__(cls)

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """nn.functional.cross_entropy as a layer: for logits, with class indices or probabilities.

    Shapes: input (N, C, …) or (C,); target (N, …), or input's shape for probabilities.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> loss = nn.CrossEntropyLoss()
        >>> loss(torch.tensor([[2., 0., 0.], [0., 0., 2.]]), torch.tensor([0, 2]))
        tensor(0.2395)

    Mirrors `torch.nn.CrossEntropyLoss`.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            reduction=self.reduction,
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """A Linear layer and the cross entropy of what it gives: nn.functional.linear_cross_entropy with a weight of its own.
    With `options`, nn.LinearCrossEntropyOptions, it is computed in pieces to save memory.

    Shapes: input (N, in_features) or (in_features,); target (N, *out_features) with class numbers, or
    (N, num_classes, *out_features) with probabilities.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LinearCrossEntropyLoss(2, 3)
        LinearCrossEntropyLoss(
          in_features=2, num_classes=3, out_features=(), bias=False, reduction=mean, ignore_index=None, label_smoothing=0.0, options=None
          (linear): Linear(in_features=2, out_features=3, bias=False)
        )

    Mirrors `torch.nn.LinearCrossEntropyLoss`.
    """  # noqa: E501 what it prints

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if label_smoothing < 0 or label_smoothing > 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, None, None, reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        outputs = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, outputs, bias=bias, device=device, dtype=dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        shape = (self.num_classes, *self.out_features)
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*shape, self.linear.in_features)),
            target,
            linear_bias=None if self.linear.bias is None else self.linear.bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """How the layer was made."""
        shown = {
            "in_features": self.linear.in_features,
            "num_classes": self.num_classes,
            "out_features": self.out_features,
            "bias": self.linear.bias is not None,
            "reduction": self.reduction,
            "ignore_index": self.ignore_index,
            "label_smoothing": self.label_smoothing,
            "options": self.options,
        }
        return ", ".join(f"{name}={value}" for name, value in shown.items())


class BCELoss(_WeightedLoss):
    """nn.functional.binary_cross_entropy as a layer: for probabilities.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.BCELoss()(torch.tensor([0.9, 0.2]), torch.tensor([1., 0.]))
        tensor(0.1643)

    Mirrors `torch.nn.BCELoss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """nn.functional.binary_cross_entropy_with_logits as a layer: for logits.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.BCEWithLogitsLoss()(torch.tensor([2., -3.]), torch.tensor([1., 0.]))
        tensor(0.0878)

    Mirrors `torch.nn.BCEWithLogitsLoss`.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """nn.functional.kl_div as a layer: for log-probabilities and the probabilities they should have.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> loss = nn.KLDivLoss(reduction='batchmean')
        >>> loss(torch.tensor([[0.9, 0.1]]).log(), torch.tensor([[0.5, 0.5]]))
        tensor(0.5108)

    Mirrors `torch.nn.KLDivLoss`.
    """

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.kl_div(input, target, log_target=self.log_target, reduction=self.reduction)


class PoissonNLLLoss(_Loss):
    """nn.functional.poisson_nll_loss as a layer: for counts.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.PoissonNLLLoss()(torch.tensor([0., 1.]), torch.tensor([1., 3.]))
        tensor(0.3591)

    Mirrors `torch.nn.PoissonNLLLoss`.
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Any = None,
        eps: float = 1e-8,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """nn.functional.gaussian_nll_loss as a layer: for means and variances.

    Shapes: input and target of the same shape; var too, or with last size 1.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.GaussianNLLLoss()(torch.tensor([0., 1.]), torch.tensor([0., 3.]), torch.tensor([1., 4.]))
        tensor(0.5966)

    Mirrors `torch.nn.GaussianNLLLoss`.
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Any) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """nn.functional.cosine_embedding_loss as a layer: the cosine of two vectors should be 1 where the
    target is 1, at most margin where it is -1.

    Shapes: input1 and input2 (N, d), target (N,).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> x = torch.tensor([[1., 0.]])
        >>> nn.CosineEmbeddingLoss()(x, torch.tensor([[0., 1.]]), torch.tensor([1.]))
        tensor(1.)

    Mirrors `torch.nn.CosineEmbeddingLoss`.
    """

    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """nn.functional.hinge_embedding_loss as a layer: for distances, with targets 1 and -1.

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.HingeEmbeddingLoss()(torch.tensor([0.5, 0.2]), torch.tensor([1., -1.]))
        tensor(0.6500)

    Mirrors `torch.nn.HingeEmbeddingLoss`.
    """

    def __init__(
        self, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """nn.functional.margin_ranking_loss as a layer: which of two inputs should be larger.

    Shapes: all three with the same number of dimensions.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.MarginRankingLoss()(torch.tensor([1., 2.]), torch.tensor([2., 1.]), torch.tensor([1., 1.]))
        tensor(0.5000)

    Mirrors `torch.nn.MarginRankingLoss`.
    """

    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """nn.functional.multi_margin_loss as a layer: the score of the right class should exceed the others by a margin.

    Shapes: input (N, C) or (C,); target (N,) or ().

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.9]]), torch.tensor([2]))
        tensor(0.1667)

    Mirrors `torch.nn.MultiMarginLoss`.
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.ndim != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.ndim}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.multi_margin_loss(
            input, target, weight=self.weight, p=self.p, margin=self.margin, reduction=self.reduction
        )


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """nn.functional.multilabel_soft_margin_loss as a layer: several classes may be right.

    Shapes: input and target (N, C).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.MultiLabelSoftMarginLoss()(torch.tensor([[2., -3.]]), torch.tensor([[1., 0.]]))
        tensor(0.0878)

    Mirrors `torch.nn.MultiLabelSoftMarginLoss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """nn.functional.multilabel_margin_loss as a layer: the target lists the right classes, ended by -1.

    Shapes: input and target (N, C).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.MultiLabelMarginLoss()(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]]))
        tensor(0.8500)

    Mirrors `torch.nn.MultiLabelMarginLoss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class CTCLoss(_Loss):
    """nn.functional.ctc_loss as a layer: for sequences whose alignment is not known.

    Shapes: log_probs (T, N, C), targets (N, S), lengths (N).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.CTCLoss()(torch.zeros(4, 1, 3).log_softmax(2), torch.tensor([[1, 2]]), (4,), (2,))
        tensor(0.8432)

    Mirrors `torch.nn.CTCLoss`.
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


class SoftMarginLoss(_Loss):
    """nn.functional.soft_margin_loss as a layer: log(1 + exp(-target * input)).

    Shapes: input and target of the same shape; the loss is 0-dim, or has that shape with reduction='none'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.SoftMarginLoss()(torch.tensor([2., -1.]), torch.tensor([1., 1.]))
        tensor(0.7201)

    Mirrors `torch.nn.SoftMarginLoss`.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """nn.functional.triplet_margin_loss as a layer: the anchor should be nearer to the positive than to the
    negative, by a margin.

    Shapes: all three (N, d) or (d,).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> a = torch.tensor([[0., 0.]])
        >>> nn.TripletMarginLoss()(a, torch.tensor([[1., 0.]]), torch.tensor([[1.5, 0.]]))
        tensor(0.5000)

    Mirrors `torch.nn.TripletMarginLoss`.
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with a distance function of the caller.

    Shapes: all three with the same number of dimensions.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> loss = nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(-1))
        >>> loss(torch.zeros(1, 2), torch.tensor([[1., 0.]]), torch.tensor([[3., 0.]]))
        tensor(0.)

    Mirrors `torch.nn.TripletMarginWithDistanceLoss`.
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss, reduced as the layer says."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
