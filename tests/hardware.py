"""Whose kernels are at work on this processor: last digits of PyTorch's and NumPy's elementary functions depend on
it."""

from __future__ import annotations

from typing import Any


def numpy_level() -> str:
    """What NumPy's kernels are written for here: "AVX512", "AVX2" or "baseline"."""
    from numpy._core._multiarray_umath import __cpu_features__ as has

    if has.get("X86_V4", has.get("AVX512_SKX", False)):
        return "AVX512"
    return "AVX2" if has.get("X86_V3", has.get("AVX2", False)) else "baseline"


def torch_level(torch: Any) -> str:
    """The same of PyTorch: "AVX512", "AVX2", "DEFAULT", or the name of another processor's kernels."""
    return str(torch.backends.cpu.get_cpu_capability())


def same_kernels(torch: Any) -> bool:
    """Whether logarithms and exponentials are those that give both libraries the same bits: the C library's in NumPy,
    which for float64 has kernels of its own only for AVX-512, and PyTorch's for AVX2 or AVX-512."""
    return numpy_level() == "AVX2" and torch_level(torch) in ("AVX2", "AVX512")


def fused(torch: Any) -> bool:
    """Whether PyTorch's vector kernels multiply and add in one rounding, as they do for AVX2 and AVX-512."""
    return torch_level(torch) in ("AVX2", "AVX512")
