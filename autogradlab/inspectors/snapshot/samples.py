"""Samples of gradients: copies of tensors, or of some elements of large ones, and whether two hold the same numbers."""

from __future__ import annotations

from typing import Any

__all__ = ["KEPT", "of_rows", "same", "sample", "whole"]

#: elements of a gradient that an entry keeps; of more, evenly spaced ones
KEPT = 4096


def of_rows(tensor: Any) -> bool:
    """Whether it stands for each of many rows: what Nodes get and give that autogradlab's `vmap` made. (PyTorch's are
    given whole tensors.)"""
    return hasattr(getattr(tensor, "_array", None), "whole")


def whole(tensor: Any) -> Any:
    """The tensor without history; of one that stands for many rows, all of them."""
    plain = tensor.detach()
    if not of_rows(plain):
        return plain
    from ...core.tensor.tensor import wrap

    return wrap(plain._array.whole)


def sample(tensor: Any) -> Any:
    """A copy of the tensor without history; of a large one, of `KEPT` evenly spaced elements."""
    plain = whole(tensor)
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
