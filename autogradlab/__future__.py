"""Future behaviour of modules, which can be switched on now (mirrors `torch.__future__`)."""

from __future__ import annotations

from .nn.modules.convert import CONVERSION

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Set whether converting a module gives it new parameters, instead of giving its parameters new memory.

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
    """The setting of `set_overwrite_module_params_on_conversion`.

    Mirrors `torch.__future__.get_overwrite_module_params_on_conversion`.
    """
    return CONVERSION.overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Set whether parameters are swapped with those that are converted or loaded (`torch.utils.swap_tensors`).

    Mirrors `torch.__future__.set_swap_module_params_on_conversion`.
    """
    CONVERSION.swap = value


def get_swap_module_params_on_conversion() -> bool:
    """The setting of `set_swap_module_params_on_conversion`.

    Mirrors `torch.__future__.get_swap_module_params_on_conversion`.
    """
    return CONVERSION.swap
