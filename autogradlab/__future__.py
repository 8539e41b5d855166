"""What modules will do one day, and can be told to do today (mirrors `torch.__future__`)."""

from __future__ import annotations

from .nn.modules.convert import CONVERSION

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether converting a module gives it new parameters, instead of new memory to those that it has.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> torch.__future__.set_overwrite_module_params_on_conversion(True)
        >>> layer = nn.Linear(1, 1)
        >>> before = layer.weight
        >>> layer.double().weight is before
        False
        >>> torch.__future__.set_overwrite_module_params_on_conversion(False)

    Mirrors `torch.__future__.set_overwrite_module_params_on_conversion`.
    """
    CONVERSION.overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """What `set_overwrite_module_params_on_conversion` was told.

    Mirrors `torch.__future__.get_overwrite_module_params_on_conversion`.
    """
    return CONVERSION.overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether parameters change places with those that are converted or loaded (`torch.utils.swap_tensors`).

    Mirrors `torch.__future__.set_swap_module_params_on_conversion`.
    """
    CONVERSION.swap = value


def get_swap_module_params_on_conversion() -> bool:
    """What `set_swap_module_params_on_conversion` was told.

    Mirrors `torch.__future__.get_swap_module_params_on_conversion`.
    """
    return CONVERSION.swap
