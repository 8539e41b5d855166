"""Kernels that go another way for some shapes give what they give the other way."""

from __future__ import annotations

import numpy as np
import pytest

import autogradlab as torch
from autogradlab.core.memory.places import places_in_rows
from autogradlab.ops.nn import activation


@pytest.mark.parametrize("shape", [(16, 3), (32, 10), (64, 1), (2, 20, 20), (17, 16), (40, 32), (8, 2, 16, 5)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_short_lines(name: str, dtype: torch.dtype, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    x = (torch.randn(*shape) * 4).to(dtype)
    for row, number in zip(x.view(-1, shape[-1]), ("nan", "inf", "-inf"), strict=False):
        row[0] = float(number)
    across = [getattr(torch, name)(t, -1) for t in (x, x.transpose(0, -2).contiguous().transpose(0, -2))]
    monkeypatch.setattr(activation, "_SHORT", 0)
    along = getattr(torch, name)(x, -1)
    for found in across:
        assert found.stride() == along.stride() and found.dtype is dtype
        limit = float(torch.finfo(dtype).eps) * 4
        np.testing.assert_allclose(found.numpy(), along.numpy(), rtol=limit, atol=limit)


def test_places_in_rows() -> None:
    found = places_in_rows((3, 4), np.array([0, 3, 1]))
    assert found is not None and found.tolist() == [0, 7, 9]
    assert places_in_rows((3, 4), np.array([0, 4, 1])) is None
    assert places_in_rows((3, 4), np.array([0, -1, 1])) is None
