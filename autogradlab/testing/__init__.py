"""Comparing and making tensors in tests (mirrors `torch.testing`)."""

from __future__ import annotations

from . import _utils as _utils
from .comparison import assert_allclose, assert_close
from .creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
