"""The Fisher-Snedecor distribution (mirrors `torch.distributions.fishersnedecor`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Distribution, Shape
from .gamma import Gamma

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """Fisher's F: the ratio of two chi-squared variables, each divided by its degrees of freedom.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.FisherSnedecor(torch.tensor([1.0]), torch.tensor([4.0])).mean
        tensor([2.])

    Mirrors `torch.distributions.FisherSnedecor`.
    """

    arg_constraints: Any = {"df1": constraints.positive, "df2": constraints.positive}
    support: Any = constraints.positive
    has_rsample = True
    df1: Any
    df2: Any
    _expanded: ClassVar[dict[str, int]] = {"df1": 0, "df2": 0}

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        shape = self._spread(df1=df1, df2=df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._gamma1 = self._gamma1.expand(batch_shape)
        new._gamma2 = self._gamma2.expand(batch_shape)
        return new

    @property
    def mean(self) -> Tensor:
        df2 = self.df2.clone(memory_format=torch.contiguous_format)
        df2[df2 <= 2] = math.nan
        mean: Tensor = df2 / (df2 - 2)
        return mean

    @property
    def mode(self) -> Tensor:
        mode: Any = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        result: Tensor = mode
        return result

    @property
    def variance(self) -> Tensor:
        df2 = self.df2.clone(memory_format=torch.contiguous_format)
        df2[df2 <= 4] = math.nan
        above = 2 * df2.pow(2) * (self.df1 + df2 - 2)
        variance: Tensor = above / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))
        return variance

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        above: Any = self._gamma1.rsample(sample_shape).view(shape)
        below: Any = self._gamma2.rsample(sample_shape).view(shape)
        tiny = torch.finfo(below.dtype).tiny
        below.clamp_(min=tiny)
        quotient = above / below
        quotient.clamp_(min=tiny)
        result: Tensor = quotient
        return result

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        constant = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        powers = half1 * ratio.log() + (half1 - 1) * torch.log(value)
        logarithm: Tensor = constant + powers - (half1 + half2) * torch.log1p(ratio * value)
        return logarithm
