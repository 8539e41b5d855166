"""Inspectors as widgets, where anywidget is installed; nothing of it is imported before the first one is made."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

__all__ = ["available"]


@cache
def available() -> bool:
    """Whether widgets can be made here."""
    return find_spec("anywidget") is not None
