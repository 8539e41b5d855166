"""Parametrizations that texts use: weights as direction and length, and with a bounded largest singular value.

Mirrors `torch.nn.utils.parametrizations`.
"""

from __future__ import annotations

from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from .parametrize import register_parametrization
from .weight_norm import norm_except

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """g * v / |v|, with norms over all dimensions but one."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """The weight of this length and direction."""
        return weight_v * (weight_g / norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Length and direction of a weight."""
        return norm_except(weight, self.dim), weight


class _SpectralNorm(Module):
    """The weight over its largest singular value, which a step of the power method in each training pass follows."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            rows, columns = matrix.shape
            u, v = (TENSORS.normal_(matrix.new_empty(n), 0, 1) for n in (rows, columns))
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight: Tensor) -> Tensor:
        if self.dim:
            weight = TENSORS.permute(weight, [self.dim, *(d for d in range(weight.ndim) if d != self.dim)])
        return TENSORS.flatten(weight, 1)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                TENSORS.copy_(self._u, F.normalize(TENSORS.mv(matrix, self._v), dim=0, eps=self.eps))
                TENSORS.copy_(self._v, F.normalize(TENSORS.mv(matrix.T, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        """The weight with largest singular value 1."""
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = TENSORS.clone(self._u), TENSORS.clone(self._v)
        return weight / TENSORS.vdot(u, TENSORS.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """The value itself."""
        return value


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Have a module learn length (original0) and direction (original1) of a weight.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
        >>> [(name, tuple(p.shape)) for name, p in layer.named_parameters()][1:]
        [('parametrizations.weight.original0', (3, 1)), ('parametrizations.weight.original1', (3, 2))]

    Mirrors `torch.nn.utils.parametrizations.weight_norm`.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def old_names(state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(old_names)
    return module


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Have a module use a weight over its largest singular value.

    Errors: ValueError for a name that is no tensor of the module.

    Mirrors `torch.nn.utils.parametrizations.spectral_norm`.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = int(isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)))
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
