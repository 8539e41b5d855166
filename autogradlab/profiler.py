"""Labels for a profiler, which is not here (mirrors `torch.profiler`)."""

from __future__ import annotations

from .autograd.profiler import record_function

__all__ = ["record_function"]
