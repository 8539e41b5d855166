"""The functions of PyTorch's C++ module that its own Python code calls (mirrors `torch._VF`): those of torch."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch._VF' has no attribute '{name}'")
    return getattr(import_module(__name__.rpartition(".")[0]), name)
