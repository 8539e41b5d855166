"""A softmax over many classes, the rare ones in clusters: cheaper where few classes are frequent."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from ...core.recording.record import TENSORS
from ...core.runtime.naming import by_name
from ...core.tensor.tensor import Tensor
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])
_ASMoutput.__reduce_ex__ = by_name  # type: ignore[method-assign]
_CUTOFFS = (
    "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
    "between 1 and n_classes-1"
)


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of targets, and their mean loss: classes below the first of `cutoffs` have weights of their
    own, the others are in clusters, each with a smaller projection.

    Shapes: input (N, in_features) or (in_features,), target (N,) or (); output as the target.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[3, 6])
        >>> layer(torch.zeros(2, 4), torch.tensor([0, 9])).output.shape
        torch.Size([2])

    Mirrors `torch.nn.AdaptiveLogSoftmaxWithLoss`.
    """

    head: Linear
    tail: ModuleList

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = list(cutoffs)
        if not given:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        wrong = given != sorted(given) or min(given) <= 0 or max(given) > n_classes - 1
        if wrong or len(set(given)) != len(given) or any(int(c) != c for c in given):
            raise ValueError(_CUTOFFS)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*given, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        options = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            inner = int(in_features // div_value ** (i + 1))
            outer = self.cutoffs[i + 1] - self.cutoffs[i]
            first = Linear(in_features, inner, bias=False, **options)
            self.tail.append(Sequential(first, Linear(inner, outer, bias=False, **options)))

    def reset_parameters(self) -> None:
        """Give all parameters new initial values."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> Any:
        """The log-probability of each target, and the mean of their negatives."""
        batched = target_.dim() > 0
        self._check(input_, target_)
        rows: Any = input_ if batched else input_.unsqueeze(0)
        target: Any = target_ if batched else target_.unsqueeze(0)
        output, places = rows.new_zeros(target.shape[0]), target.new_empty(target.shape[0])
        used = 0
        for i, (low, high) in enumerate(zip([0, *self.cutoffs], self.cutoffs, strict=False)):
            mask = (target >= low) & (target < high)
            indices = mask.nonzero().squeeze()
            if indices.numel() == 0:
                continue
            if i == 0:
                places.index_copy_(0, indices, target[mask])
            else:
                found = F.log_softmax(self.tail[i - 1](rows.index_select(0, indices)), dim=1)
                places.index_fill_(0, indices, self.shortlist_size + i - 1)
                chosen = found.gather(1, (target[mask] - low).unsqueeze(1))
                output.index_copy_(0, indices, chosen.squeeze(1))
            used += indices.numel()
        if used != target.shape[0]:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        output += F.log_softmax(self.head(rows), dim=1).gather(1, places.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    @staticmethod
    def _check(input_: Tensor, target: Tensor) -> None:
        dims = target.dim()
        if dims > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if dims == 1 and input_.shape[0] != target.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != dims + 1:
            raise RuntimeError(
                f"{dims}D target tensor expects {dims + 1}D input tensors, but found inputs with size {input_.size()}"
            )

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        """The log-probabilities of all classes."""
        out: Any = TENSORS.new_empty(input, (head_output.shape[0], self.n_classes))
        head: Any = F.log_softmax(head_output, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (start, stop) in enumerate(zip(self.cutoffs, self.cutoffs[1:], strict=False)):
            found = F.log_softmax(self.tail[i](input), dim=1)
            out[:, start:stop] = found + head[:, self.shortlist_size + i].unsqueeze(1)
        result: Tensor = out
        return result

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes: (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most likely class of each row."""
        head: Any = self.head(input)
        output = TENSORS.argmax(head, dim=1)
        rare = output >= self.shortlist_size
        if rare.all():
            output = TENSORS.argmax(self._get_full_log_prob(input, head), dim=1)
        elif rare.any():
            rows: Any = input
            output[rare] = TENSORS.argmax(self._get_full_log_prob(rows[rare], head[rare]), dim=1)
        result: Tensor = output
        return result
