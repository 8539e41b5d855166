"""Kernels that go another way for some shapes give what they give the other way."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autogradlab as torch
from autogradlab.core.memory.places import places_in_rows
from autogradlab.core.random import normals
from autogradlab.core.random.generator import Generator
from autogradlab.ops.common import order
from autogradlab.ops.first import kinds
from autogradlab.ops.kernels.rounded import MANY
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


@pytest.mark.parametrize(
    "dtype", ["bool", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
)
def test_long_arrays_are_chosen_from_as_short_ones(dtype: str) -> None:
    rng = np.random.default_rng(0)
    shape = (96, 100)
    mask = rng.random(shape) < 0.5
    x, y = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
    if x.dtype.kind in "fc":
        x[0, :6] = y[1, :6] = [np.nan, np.inf, -np.inf, -0.0, 0.0, np.finfo(dtype).max]
    assert mask.size >= kinds._LONG
    for m in (mask, mask.T):
        for a in (x.reshape(m.shape), x.reshape(m.shape[::-1]).T, x[0, 0], x[0, :1]):
            for b in (y.reshape(m.shape), y[:1, :1], np.zeros((), dtype), y.reshape(m.shape).astype(np.complex128)):
                found, wanted = kinds.chosen(m, a, b), np.where(m, a, b)
                assert (found.dtype, found.strides, found.tobytes()) == (wanted.dtype, wanted.strides, wanted.tobytes())


def test_erf_of_many_numbers() -> None:
    x = np.linspace(-5, 5, MANY + 1, dtype=np.float32)
    ends = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0], np.float32)
    found = torch.erf(torch.from_numpy(np.concatenate((x, ends)))).numpy()
    wanted = np.array([math.erf(v) for v in x.tolist()])
    assert np.abs((found[: x.size] - wanted) / np.spacing(np.abs(found[: x.size]))).max() < 8
    assert (np.abs(found[: x.size][np.abs(x) > 4]) == 1).all()
    assert found[x.size :].tolist()[1:] == [1, -1, 0, 0]
    assert np.isnan(found[x.size]) and np.signbit(found[x.size + 3])


def test_rows_are_drawn_together_as_one_after_the_other() -> None:
    weights = torch.tensor([[1.0, 2.0, 0.0], [0.5, 0.0, 3.0], [2.0, 1.0, 1.0]])
    torch.manual_seed(3)
    together, after = torch.multinomial(weights, 5, True), torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(together, torch.stack([torch.multinomial(row, 5, True) for row in weights]))
    assert torch.equal(after, torch.rand(1))
    for bad in (-1.0, math.inf, math.nan):
        torch.manual_seed(3)
        with pytest.raises(RuntimeError):
            torch.multinomial(torch.cat([weights[:2], torch.tensor([[1.0, bad, 1.0]])]), 5, True)
        after = torch.rand(1)
        torch.manual_seed(3)
        torch.multinomial(weights[:2], 5, True)
        assert torch.equal(after, torch.rand(1))


@pytest.mark.parametrize("dim", [None, 0, -1])
@pytest.mark.parametrize("way", ["linear", "lower", "higher"])
def test_quantiles_of_numbers(way: str, dim: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places that depend on no gradient are found on arrays."""
    x = torch.tensor([[3.0, 1.0, 2.0, 5.0], [0.0, math.nan, 7.0, -1.0]], requires_grad=True)

    def found() -> list[str]:
        texts = []
        for q in (0.3, torch.tensor([0.1, 0.9, 0.5]), torch.tensor([0.25], requires_grad=True)):
            for t in (x, x[:1]):
                r = torch.quantile(t, q, dim, interpolation=way)
                texts.append(f"{r!r} {r.stride()} {torch.autograd.grad(r.sum(), x)}")
        return texts

    on_arrays = found()
    monkeypatch.setattr(order, "_neighbours", order._asked_neighbours)
    assert on_arrays == found()


def test_few_normals() -> None:
    few, many = (normals.standard_normals(n, Generator().manual_seed(0)) for n in (16, 30))
    np.testing.assert_allclose(few, many[:16], rtol=1e-15)


@pytest.mark.parametrize("step", [1, 2])
def test_gelu_of_zeros_and_infinity(step: int) -> None:
    """Floats in a row go another way than those with gaps, where infinity stays; zeros keep their signs in both."""
    x = torch.tensor([[-0.0, 9.0], [0.0, 9.0], [math.inf, 9.0]])
    column = x[:, 0].clone() if step == 1 else x[:, 0]
    found = torch.nn.functional.gelu(column).numpy()
    assert np.signbit(found[:2]).tolist() == [True, False] and not found[:2].any()
    assert np.isnan(found[2]) if step == 1 else np.isposinf(found[2])
