"""backward, grad, Function, Variable and the tools around them (mirrors `torch.autograd`)."""

from __future__ import annotations

from .frontend import backward, grad

__all__ = ["backward", "grad"]
