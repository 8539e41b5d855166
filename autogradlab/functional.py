"""Functions that PyTorch has written in Python; all are found in the torch namespace too (mirrors `torch.functional`)."""

from __future__ import annotations

from typing import Any

from .ops.table.families import FUNCTIONS

__all__ = [
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
]


def __getattr__(name: str) -> Any:
    if name in __all__ and name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(f"module 'torch.functional' has no attribute '{name}'")
