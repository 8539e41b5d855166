"""Distributions of transformed variables (mirrors `torch.distributions.transformed_distribution`)."""

from __future__ import annotations

import math
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .distribution import Distribution, Shape
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of samples of a base distribution after one or several transforms.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.distributions import Normal, TransformedDistribution
        >>> from autogradlab.distributions.transforms import ExpTransform
        >>> TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).log_prob(torch.tensor(1.0))
        tensor(-0.9189)

    Mirrors `torch.distributions.TransformedDistribution`.
    """

    arg_constraints: Any = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        self._lay(base_distribution)
        super().__init__(self._batch_shape, self._event_shape, validate_args=validate_args)

    def _lay(self, base: Any) -> None:
        """Set the base distribution, expanded to the batch shape after the transforms, and the shapes."""
        shape, base_events = base.batch_shape + base.event_shape, len(base.event_shape)
        whole = ComposeTransform(self.transforms)
        domain, codomain = whole.domain.event_dim, whole.codomain.event_dim
        if len(shape) < domain:
            raise ValueError(f"base_distribution needs to have shape with size at least {domain}, but got {shape}.")
        forward = whole.forward_shape(shape)
        expanded = whole.inverse_shape(forward)
        if shape != expanded:
            base = base.expand(expanded[: len(expanded) - base_events])
        if domain > base_events:
            base = Independent(base, domain - base_events)
        self.base_dist = base
        events = max(codomain, base_events + codomain - domain)
        if len(forward) < events:
            raise AssertionError(f"forward_shape length {len(forward)} must be >= event_dim {events}")
        cut = len(forward) - events
        self._batch_shape, self._event_shape = Size(forward[:cut]), Size(forward[cut:])

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(TransformedDistribution, _instance)
        new.transforms = self.transforms
        batch = Size(batch_shape)
        whole = ComposeTransform(self.transforms)
        base = whole.inverse_shape(batch + self.event_shape)
        new.base_dist = self.base_dist.expand(base[: len(base) - len(self.base_dist.event_shape)])
        Distribution.__init__(new, batch, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    has_rsample: Any = property(lambda self: self.base_dist.has_rsample)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """The codomain of the last transform."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    def _forward(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with torch.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        events, y = len(self.event_shape), value
        result: Any = 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            events += transform.domain.event_dim - transform.codomain.event_dim
            jacobian = transform.log_abs_det_jacobian(x, y)
            result = result - _sum_rightmost(jacobian, events - transform.domain.event_dim)
            y = x
        base = self.base_dist
        return result + _sum_rightmost(base.log_prob(y), events - len(base.event_shape))

    def _monotone(self, value: Any) -> Any:
        """A cumulative probability, replaced by its complement where the transforms decrease."""
        sign = math.prod(transform.sign for transform in self.transforms)
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Tensor:
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotone(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Tensor:
        return self._forward(self.base_dist.icdf(self._monotone(value)))
