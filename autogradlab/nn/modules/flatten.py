"""Flatten and Unflatten."""

from __future__ import annotations

from typing import Any

from ...core.tensor.tensor import Tensor
from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """The dimensions start_dim to end_dim merged into one: by default all but the first.

    Shapes: (N, a, b, …) gives (N, a*b*…).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Flatten()(torch.ones(2, 3, 4)).shape
        torch.Size([2, 12])

    Mirrors `torch.nn.Flatten`.
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input with dimensions merged or split."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One dimension split into several.

    Shapes: (…, n, …) gives (…, *unflattened_size, …).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Unflatten(1, (2, 3))(torch.ones(5, 6)).shape
        torch.Size([5, 2, 3])

    Mirrors `torch.nn.Unflatten`.
    """

    def __init__(self, dim: Any, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for i, n in enumerate(unflattened_size):
            if not isinstance(n, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(n).__name__} at pos {i}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The input with dimensions merged or split."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
