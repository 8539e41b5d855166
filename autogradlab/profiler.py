"""Labels for a profiler; there is none here (mirrors `torch.profiler`)."""

from __future__ import annotations

from .autograd.profiler import record_function

__all__ = ["record_function"]
