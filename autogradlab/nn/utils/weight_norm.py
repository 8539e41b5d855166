"""Weights as a direction and a length."""

from __future__ import annotations

import warnings
from typing import Any

from ...core.recording.record import TENSORS
from ...core.runtime.naming import by_name
from ...core.tensor.tensor import Tensor
from ..functions.weights import norm_except
from ..parameter import Parameter, is_lazy

__all__ = ["remove_weight_norm", "weight_norm", "weight_of"]


def weight_of(v: Any, g: Any, dim: int) -> Any:
    """The weight of this direction and length: by one Node where `dim` is the first dimension or the last."""
    if dim in (0, v.ndim - 1):
        return TENSORS._weight_norm_interface(v, g, dim)[0]
    return v * (g / norm_except(v, dim))


class WeightNorm:
    """The forward pre-hook that computes the weight from its direction and length."""

    __reduce_ex__ = by_name
    __module__ = "torch.nn.utils.weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Tensor:
        """The weight of this length and direction."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return weight_of(v, g, self.dim)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Replace a module's weight by its direction (weight_v) and length (weight_g). Deprecated.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.utils.weight_norm(nn.Linear(2, 1))
        >>> sorted(name for name, _ in layer.named_parameters())
        ['bias', 'weight_g', 'weight_v']

    Mirrors `torch.nn.utils.weight_norm`.
    """
    warnings.warn(  # PyTorch's warning names its own line, too
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=1,
    )
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy forward "
            "before applying weight normalization"
        )
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(norm_except(weight, hook.dim).data))
    module.register_parameter(name + "_v", Parameter(weight.data))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Undo weight_norm: one weight again.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Linear(2, 1)))
        >>> sorted(name for name, _ in layer.named_parameters())
        ['bias', 'weight']

    Mirrors `torch.nn.utils.remove_weight_norm`.
    """
    for k, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            weight = hook.compute_weight(module)
            delattr(module, name)
            del module._parameters[name + "_g"], module._parameters[name + "_v"]
            setattr(module, name, Parameter(weight.data))
            del module._forward_pre_hooks[k]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
