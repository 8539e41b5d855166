"""The `reduction` argument of losses, by name and by PyTorch's old pair of flags (mirrors `torch.nn._reduction`)."""

from __future__ import annotations

import warnings
from typing import Any

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction: Any) -> int:
    """0 none, 1 mean, 2 sum. Errors: ValueError for any other word."""
    found = _NUMBERS.get(reduction) if isinstance(reduction, str) else None
    if found is None:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=3)
    return found


def legacy_get_string(size_average: Any, reduce: Any, emit_warning: bool = True, *, reduction: str = "mean") -> str:
    """The word for the old flags `size_average` and `reduce`, with PyTorch's warning if they are given."""
    if size_average is None and reduce is None:
        return reduction
    average = True if size_average is None else size_average
    whole = True if reduce is None else reduce
    word = "mean" if average and whole else "sum" if whole else "none"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{word}' instead.", stacklevel=4
        )
    return word


def legacy_get_enum(size_average: Any, reduce: Any, emit_warning: bool = True) -> int:
    """The number for the old flags `size_average` and `reduce`."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning=emit_warning))
