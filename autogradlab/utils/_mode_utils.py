"""What modes are asked about (mirrors this part of `torch.utils._mode_utils`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["all_same_mode"]


def all_same_mode(modes: Sequence[Any]) -> bool:
    """Whether all modes of a list are one.

    Example:
        >>> from autogradlab.utils._mode_utils import all_same_mode
        >>> all_same_mode(["a", "a"]), all_same_mode(["a", "b"])
        (True, False)

    Mirrors `torch.utils._mode_utils.all_same_mode`.
    """
    return all(mode == modes[0] for mode in modes)
