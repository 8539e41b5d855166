"""Functions that PyTorch implements in Python; all are in the torch namespace too (mirrors `torch.functional`)."""

from __future__ import annotations

from typing import Any

from .ops import inquiry
from .ops.table.families import FUNCTIONS

_NAMES = frozenset(
    {
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "block_diag",
        "broadcast_shapes",
        "broadcast_tensors",
        "cartesian_prod",
        "cdist",
        "chain_matmul",
        "einsum",
        "istft",
        "lu",
        "meshgrid",
        "norm",
        "pca_lowrank",
        "split",
        "stft",
        "svd_lowrank",
        "tensordot",
        "unique",
        "unique_consecutive",
        "unravel_index",
    }
)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_NAMES)
    if name in _NAMES:
        return FUNCTIONS[name] if name in FUNCTIONS else inquiry.PUBLIC[name]
    raise AttributeError(f"module 'torch.functional' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(_NAMES)
