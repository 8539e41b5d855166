"""Samples of gradients: copies of tensors, or of some elements of large ones, and whether two hold the same numbers."""

from __future__ import annotations

from typing import Any

__all__ = ["KEPT", "same", "sample"]

#: elements of a gradient that an entry keeps; of more, evenly spaced ones
KEPT = 4096


def sample(tensor: Any) -> Any:
    """A copy of the tensor without history; of a large one, of `KEPT` evenly spaced elements."""
    plain = tensor.detach()
    if str(plain.layout) != "torch.strided":
        plain = plain.to_dense()
    if plain.numel() > KEPT:
        plain = plain.reshape(-1)[:: -(-plain.numel() // KEPT)]
    return plain.clone()


def same(a: Any, b: Any) -> bool:
    """Whether two tensors hold the same numbers; NaN is the same as NaN."""
    if a is None or b is None:
        return a is b
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    equal = (a == b) | ((a != a) & (b != b))
    return bool(equal.all())
