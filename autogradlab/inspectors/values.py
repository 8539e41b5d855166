"""Numbers as inspectors show them: formatted in one place, for tensors of autogradlab and of PyTorch alike."""

from __future__ import annotations

from typing import Any

__all__ = ["numbers", "short"]

#: elements beyond which values are summarised
FEW = 6


def numbers(tensor: Any) -> str:
    """The numbers of a small tensor as its own repr prints them, without `tensor(...)` around: `[1., 2.]`, `3.`."""
    printed = repr(tensor.detach())
    inside = printed[printed.index("(") + 1 : printed.rindex(")")]
    for mark in (", dtype=", ", size=", ", device=", ", requires_grad=", ", grad_fn="):
        inside = inside.split(mark)[0]
    return " ".join(inside.split())


def short(tensor: Any, limit: int = 28) -> str:
    """The value in one short line: the numbers if they are few, else shape and range."""
    if tensor is None:
        return "None"
    if tensor.numel() <= FEW:
        text = numbers(tensor)
        if len(text) <= limit:
            return text
    return f"({', '.join(map(str, tensor.shape))}) {str(tensor.dtype).removeprefix('torch.')}"
