"""The base of exponential families (mirrors `torch.distributions.exp_family`)."""

from __future__ import annotations

from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The base of exponential families, whose entropy and divergence follow from the log normaliser of their natural
    parameters and its gradient.

    Example:
        >>> import autogradlab as torch
        >>> issubclass(torch.distributions.Normal, torch.distributions.ExponentialFamily)
        True

    Mirrors `torch.distributions.ExponentialFamily`.
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, by the Bregman divergence of the log normaliser."""
        result: Any = -self._mean_carrier_measure
        natural = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        gradients = torch.autograd.grad(normalizer.sum(), natural, create_graph=True)
        result += normalizer
        for parameter, gradient in zip(natural, gradients, strict=True):
            result -= (parameter * gradient).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
