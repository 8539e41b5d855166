"""Norms: see `linalg_norms`."""

from __future__ import annotations

from . import linalg_norms

__all__ = ["linalg_norms"]
