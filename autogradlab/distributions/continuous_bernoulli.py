"""The continuous Bernoulli distribution (mirrors `torch.distributions.continuous_bernoulli`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .distribution import ProbsOrLogits, Shape
from .exp_family import ExponentialFamily
from .utils import Number, broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """Numbers between 0 and 1 whose density is proportional to probs ** x * (1 - probs) ** (1 - x). Where `probs` lies
    between the two `lims`, the first terms of Taylor series stand for formulas that divide by nearly zero.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.ContinuousBernoulli(torch.tensor([0.5, 0.9])).mean
        tensor([0.5000, 0.6699])

    Mirrors `torch.distributions.ContinuousBernoulli`.
    """

    arg_constraints: Any = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.unit_interval
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = ProbsOrLogits._expanded
    _mean_carrier_measure: Any = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        shape = self._take(probs, logits)
        if probs is not None:
            # clamped probabilities always pass, so they are checked before
            if validate_args is not None and not constraints.unit_interval.check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        given = logits if probs is None else probs
        super().__init__(Size() if isinstance(given, Number) else shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """The parameter between 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _far(self, x: Tensor, shift: float = 0.0) -> Tensor:
        """Where the formulas hold; elsewhere the series do."""
        low, high = (lim - shift for lim in self._lims)
        return torch.max(torch.le(x, low), torch.gt(x, high))

    def _cut(self) -> tuple[Tensor, Tensor]:
        """Where the formulas hold, and `probs` with a harmless number elsewhere."""
        far = self._far(self.probs)
        return far, torch.where(far, self.probs, self._lims[0] * torch.ones_like(self.probs))

    def _log_norm(self) -> Tensor:
        """The log of the constant that makes the density integrate to 1."""
        far, cut = self._cut()
        low = torch.where(torch.le(cut, 0.5), cut, torch.zeros_like(cut))
        high = torch.where(torch.ge(cut, 0.5), cut, torch.ones_like(cut))
        top = torch.log(torch.abs(torch.log1p(-cut) - torch.log(cut)))
        exact = top - torch.where(torch.le(cut, 0.5), torch.log1p(-2.0 * low), torch.log(2.0 * high - 1.0))
        x = torch.pow(self.probs - 0.5, 2)
        return torch.where(far, exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        far, cut = self._cut()
        exact = cut / (2.0 * cut - 1.0) + 1.0 / (torch.log1p(-cut) - torch.log(cut))
        x = self.probs - 0.5
        return torch.where(far, exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torch.pow(x, 2)) * x)

    @property
    def variance(self) -> Tensor:
        far, cut = self._cut()
        exact = cut * (cut - 1.0) / torch.pow(1.0 - 2.0 * cut, 2)
        exact = exact + 1.0 / torch.pow(torch.log1p(-cut) - torch.log(cut), 2)
        x = torch.pow(self.probs - 0.5, 2)
        return torch.where(far, exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    @property
    def stddev(self) -> Tensor:
        return torch.sqrt(self.variance)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(ContinuousBernoulli, _instance))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        uniform = torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype)
        with torch.no_grad():
            return self.icdf(uniform)

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._log_norm()

    def cdf(self, value: Any) -> Tensor:
        self._check(value)
        far, cut = self._cut()
        exact = torch.pow(cut, value) * torch.pow(1.0 - cut, 1.0 - value) + cut - 1.0
        inside = torch.where(far, exact / (2.0 * cut - 1.0), value)
        inside = torch.where(torch.ge(value, 1.0), torch.ones_like(value), inside)
        return torch.where(torch.le(value, 0.0), torch.zeros_like(value), inside)

    def icdf(self, value: Any) -> Tensor:
        far, cut = self._cut()
        top = torch.log1p(-cut + value * (2.0 * cut - 1.0)) - torch.log1p(-cut)
        return torch.where(far, top / (torch.log(cut) - torch.log1p(-cut)), value)

    def entropy(self) -> Tensor:
        no, yes = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (no - yes) - self._log_norm() - no

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        far = self._far(x, 0.5)
        cut = torch.where(far, x, (self._lims[0] - 0.5) * torch.ones_like(x))
        exact = torch.log(torch.abs(torch.special.expm1(cut))) - torch.log(torch.abs(cut))
        return torch.where(far, exact, 0.5 * x + torch.pow(x, 2) / 24.0 - torch.pow(x, 4) / 2880.0)
