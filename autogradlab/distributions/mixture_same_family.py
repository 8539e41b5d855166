"""Mixtures (mirrors `torch.distributions.mixture_same_family`)."""

from __future__ import annotations

from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Distribution, Shape

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture: a Categorical chooses one of the components along the last dimension of a distribution's batch.

    Example:
        >>> import autogradlab as torch
        >>> choice = torch.distributions.Categorical(torch.tensor([0.5, 0.5]))
        >>> parts = torch.distributions.Normal(torch.tensor([-1.0, 3.0]), 1.0)
        >>> torch.distributions.MixtureSameFamily(choice, parts).mean
        tensor(1.)

    Mirrors `torch.distributions.MixtureSameFamily`.
    """

    arg_constraints: Any = {}
    has_rsample = False

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        choices, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(i != 1 and j != 1 and i != j for i, j in zip(reversed(choices), reversed(batch), strict=False)):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({choices}) is not compatible with "
                f"`component_distribution.batch_shape`({batch})"
            )
        chosen, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if chosen != components:
            raise ValueError(
                f"`mixture_distribution component` ({chosen}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({components})"
            )
        self._num_component = chosen
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(batch, event, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        batch = Size(batch_shape)
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._component_distribution = self._component_distribution.expand(batch + (self._num_component,))
        new._mixture_distribution = self._mixture_distribution.expand(batch)
        new._num_component = self._num_component
        new._event_ndims = self._event_ndims
        Distribution.__init__(new, batch, new._component_distribution.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    mixture_distribution: Any = property(lambda self: self._mixture_distribution)
    component_distribution: Any = property(lambda self: self._component_distribution)

    @constraints.dependent_property
    def support(self) -> Any:
        """The support of every component."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    def _pad(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def _probs(self) -> Tensor:
        """The probabilities of the components, shaped to broadcast with their means."""
        probs = self.mixture_distribution.probs
        choices = len(self.mixture_distribution.batch_shape)
        missing = 0 if choices == 1 else len(self.batch_shape) - choices
        shape = probs.shape
        return probs.reshape(shape[:-1] + (1,) * missing + shape[-1:] + (1,) * self._event_ndims)

    @property
    def mean(self) -> Tensor:
        return torch.sum(self._probs() * self.component_distribution.mean, dim=-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        probs, dim, components = self._probs(), -1 - self._event_ndims, self.component_distribution
        within = torch.sum(probs * components.variance, dim=dim)
        return within + torch.sum(probs * (components.mean - self._pad(self.mean)).pow(2.0), dim=dim)

    def cdf(self, x: Any) -> Tensor:
        return torch.sum(self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x: Any) -> Tensor:
        self._check(x)
        components = self.component_distribution.log_prob(self._pad(x))
        choice = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(components + choice, dim=-1)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with torch.no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            index = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            index = index.repeat((1,) * len(chosen.shape) + (1,) + self.event_shape)
            return torch.gather(samples, dim, index).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
