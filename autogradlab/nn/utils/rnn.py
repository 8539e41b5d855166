"""Sequences of different lengths in one tensor."""

from __future__ import annotations

from typing import Any

from ...record import TENSORS
from ...tensor import Tensor

__all__ = ["pad_sequence", "unpad_sequence"]


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right") -> Tensor:
    """Tensors (L_i, ...) in one (L, N, ...), or (N, L, ...) if batch_first, the shorter ones padded."""
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"expected padding_side to be either 'left' or 'right', but got {padding_side}")
    tensors = list(sequences)
    longest = max(t._array.shape[0] for t in tensors)
    parts = []
    for t in tensors:
        missing = longest - t._array.shape[0]
        sides = [0, missing] if padding_side == "right" else [missing, 0]
        parts.append(TENSORS.constant_pad_nd(t, [0, 0] * (t.ndim - 1) + sides, padding_value) if missing else t)
    return TENSORS.stack(parts, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences that `pad_sequence` put into one tensor."""
    x: Any = padded_sequences
    if not batch_first:
        x = x.transpose(0, 1)
    return [row[: int(n)] for row, n in zip(x, lengths.tolist(), strict=True)]
