"""Batch dimensions as event dimensions (mirrors `torch.distributions.independent`)."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .distribution import Distribution, Shape
from .utils import _sum_rightmost

__all__ = ["Independent"]


D = TypeVar("D", bound=Distribution)


class Independent(Distribution, Generic[D]):
    """A distribution whose last batch dimensions are treated as event dimensions: log_prob sums over them.

    Example:
        >>> import autogradlab as torch
        >>> normal = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
        >>> torch.distributions.Independent(normal, 1)
        Independent(Normal(loc: torch.Size([3]), scale: torch.Size([3])), 1)

    Mirrors `torch.distributions.Independent`.
    """

    arg_constraints: Any = {}

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch, event = base_distribution.batch_shape, base_distribution.event_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(batch)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape, cut = batch + event, len(batch) - reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Independent, _instance)
        batch = Size(batch_shape)
        new.base_dist = self.base_dist.expand(batch + self.event_shape[: self.reinterpreted_batch_ndims])
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        Distribution.__init__(new, batch, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    has_rsample: Any = property(lambda self: self.base_dist.has_rsample)
    has_enumerate_support: Any = property(
        lambda self: self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support
    )
    mean: Any = property(lambda self: self.base_dist.mean)
    mode: Any = property(lambda self: self.base_dist.mode)
    variance: Any = property(lambda self: self.base_dist.variance)

    @constraints.dependent_property
    def support(self) -> Any:
        """The support of the base, of events."""
        base = self.base_dist.support
        return constraints.independent(base, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else base

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
