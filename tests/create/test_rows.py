"""arange, linspace and logspace to the last bit, over many ends and lengths, against live torch."""

from __future__ import annotations

import random
from typing import Any

import pytest

import autogradlab as ours
from tests.hardware import fused

FLOATS = ("float16", "float32", "float64")


def ends(seed: int) -> tuple[float, float, int]:
    r = random.Random(seed)
    return r.choice([0, 1, -1, 0.1, r.uniform(-9, 9)]), r.choice([0, 1, 10, 6.25, r.uniform(-9, 9)]), r.randint(2, 80)


def agree(torch: Any, found: Any, expected: Any) -> bool:
    """Whether rows are the same: to the last bit, but for a rounding more where PyTorch's kernels do not fuse."""
    ours, theirs = found.tolist(), expected.tolist()
    if ours == theirs or fused(torch):
        return bool(ours == theirs)
    if not expected.is_floating_point():  # a rounding more or less can lead to the next integer
        return all(abs(a - b) <= 1 for a, b in zip(ours, theirs, strict=True))
    largest = max(map(abs, theirs))
    return torch.allclose(
        torch.tensor(ours, dtype=expected.dtype), expected, rtol=0, atol=largest * 2 * torch.finfo(expected.dtype).eps
    )


@pytest.mark.parity
@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "int64", "uint8"])
def test_linspace(torch, dtype: str):
    for seed in range(100):
        a, b, n = ends(seed)
        if dtype == "uint8":
            a, b = abs(a), abs(b)
        expected = torch.linspace(a, b, n, dtype=getattr(torch, dtype))
        assert agree(torch, ours.linspace(a, b, n, dtype=getattr(ours, dtype)), expected), (a, b, n)


@pytest.mark.parity
@pytest.mark.parametrize("dtype", FLOATS)
def test_arange(torch, dtype: str):
    for seed in range(100):
        a, b, n = ends(seed)
        a, b = min(a, b), max(a, b) + 0.5
        step = (b - a) / n
        expected = torch.arange(a, b, step, dtype=getattr(torch, dtype))
        assert agree(torch, ours.arange(a, b, step, dtype=getattr(ours, dtype)), expected), (a, b, step)


@pytest.mark.parity
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logspace(torch, dtype: str):
    for seed in range(100):
        a, b, n = ends(seed)
        expected = torch.logspace(a / 5, b / 5, n, dtype=getattr(torch, dtype))
        found = ours.logspace(a / 5, b / 5, n, dtype=getattr(ours, dtype))
        torch.testing.assert_close(torch.tensor(found.tolist(), dtype=expected.dtype), expected, rtol=1e-15, atol=0)


@pytest.mark.parity
def test_like_keeps_the_order_in_memory(torch):
    for seed in range(60):
        r = random.Random(seed)
        sizes = [r.randint(1, 4) for _ in range(r.randint(1, 4))]
        order = r.sample(range(len(sizes)), len(sizes))
        step = r.choice([1, 1, 2])
        pair = [m.zeros(*sizes).permute(*order)[::step] for m in (ours, torch)]
        for name in ("zeros_like", "ones_like", "empty_like", "rand_like"):
            strides = [getattr(m, name)(t).stride() for m, t in zip((ours, torch), pair, strict=True)]
            assert strides[0] == strides[1], (name, sizes, order, step)
