"""Kernels that go another way for some shapes give what they give the other way."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import autogradlab as torch
from autogradlab.core.memory import adding, casting, layout, places
from autogradlab.core.memory.places import places_of_classes
from autogradlab.core.random import normals
from autogradlab.core.random.generator import Generator
from autogradlab.core.runtime import modes
from autogradlab.ops.breadth import segments
from autogradlab.ops.common import order, pairs, sorting, take
from autogradlab.ops.first import kinds, products, quotients, selecting
from autogradlab.ops.kernels.rounded import MANY
from autogradlab.ops.nn import activation, attention, conv_maps, grid, pool
from autogradlab.ops.nn import loss as nn_loss
from autogradlab.ops.table.opdef import OPS


@pytest.mark.parametrize("shape", [(16, 3), (32, 10), (64, 1), (2, 20, 20), (17, 16), (40, 32), (8, 2, 16, 5)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_short_lines(name: str, dtype: torch.dtype, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    x = (torch.randn(*shape) * 4).to(dtype)
    for row, number in zip(x.view(-1, shape[-1]), ("nan", "inf", "-inf"), strict=False):
        row[0] = float(number)
    g = torch.randn(*shape).to(dtype)

    def both(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        t = t.clone().requires_grad_()
        y = getattr(torch, name)(t, -1)
        y.backward(g)
        assert t.grad is not None
        return y.detach(), t.grad

    across = [both(t) for t in (x, x.transpose(0, -2).contiguous().transpose(0, -2))]
    for module in (activation, adding):
        monkeypatch.setattr(module, "as_columns", lambda x: None)
    y, grad = both(x)
    for found, slope in across:
        assert found.stride() == y.stride() and found.dtype is dtype
        np.testing.assert_array_equal(found.numpy(), y.numpy())
        np.testing.assert_array_equal(slope.numpy(), grad.numpy())


@pytest.mark.parametrize("dim", [0, 1])
def test_few_places_of_a_matrix(dim: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).random((5, 4), np.float32)
    lines, every = x.argmax(dim), np.ascontiguousarray(x.argsort(dim))

    def found() -> list[bytes]:
        written = [np.zeros_like(x) for _ in range(2)]
        for r, where in zip(written, (lines, every), strict=True):
            places.put_at_places(r, where, 1 + where, dim)
        return [a.tobytes() for a in (places.at_places(x, lines, dim), places.at_places(x, every, dim), *written)]

    few = found()
    monkeypatch.setattr(places, "_few_of_matrix", lambda x, places: False)
    assert found() == few


def test_places_of_classes() -> None:
    found = places_of_classes((3, 4), np.array([0, 3, 1]))
    assert found is not None and found.tolist() == [0, 7, 9]
    assert places_of_classes((3, 4), np.array([0, 4, 1])) is None
    assert places_of_classes((3, 4), np.array([0, -1, 1])) is None
    planes = places_of_classes((2, 3, 2), np.array([[0, 2], [1, 0]]))
    assert planes is not None and planes.tolist() == [[0, 5], [8, 7]]
    assert places_of_classes((2, 3, 2), np.array([[0, 3], [1, 0]])) is None


def test_places_of_classes_that_change() -> None:
    """What was found last is found again, and no longer where the classes have changed."""
    for shape, classes in (((1, 3, 1), np.array([[2]])), ((2, 3), np.array([1, 0])), ((1, 3), np.array([2]))):
        first = places_of_classes(shape, classes)
        assert first is places_of_classes(shape, classes) and first is not None
        before = first.tolist()
        classes[0] = 0
        again = places_of_classes(shape, classes)
        assert again is not None and first.tolist() == before != again.tolist()


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
        for a in (x.reshape(m.shape), x.reshape(m.shape[::-1]).T, x[0, 0], x[0, :1], np.zeros((), dtype)):
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


def test_gelu_of_many_numbers() -> None:
    """Their erf is a quotient, which leaves gelu as exact as PyTorch's kernel, and its derivative too."""
    x = torch.linspace(-6, 6, 1 << 11, requires_grad=True)
    found = torch.nn.functional.gelu(x)
    found.sum().backward()
    at = x.detach().double().requires_grad_()
    wanted = torch.nn.functional.gelu(at)
    wanted.sum().backward()
    assert x.grad is not None and at.grad is not None
    assert (found - wanted).abs().max() < 1.1e-6 and (x.grad - at.grad).abs().max() < 4e-7
    assert torch.nn.functional.gelu(torch.full_like(x, math.inf)).isnan().all()


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


@pytest.mark.parametrize("n", [16, 100, 4096, 5000, 8000, 8191])
def test_normals_made_ahead_are_those_of_one_call(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = Generator().manual_seed(1)
    kinds_of = [np.dtype(np.float32)] * 5 + [np.dtype(np.float16)] * (n % 16 == 0)
    found = [normals.normal_values(n, d, 1.5, 0.25, ahead, True).tobytes() for d in kinds_of]
    monkeypatch.setattr(normals, "_AHEAD", 0)
    alone = Generator().manual_seed(1)
    assert found == [normals.normal_values(n, d, 1.5, 0.25, alone, True).tobytes() for d in kinds_of]
    assert ahead.position() == alone.position()


def test_sums_of_short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """np.einsum adds them up in the order of np.add.reduce, to the last bit."""
    rng = np.random.default_rng(0)
    arrays = []
    for numpy in (np.float32, np.float64):
        for shape in ((100, 100), (40, 64), (3, 1000), (1, 5000), (300, 10, 5), (8, 3, 70)):
            x = rng.standard_normal(shape).astype(numpy)
            x.flat[[0, 5]] = -0.0, np.inf
            arrays += [x, x.T, x[:, :7].copy()]

    def found() -> list[tuple[tuple[int, ...], bytes]]:
        sums = []
        for x in arrays:
            for axes in ((0,), (x.ndim - 1,), tuple(range(x.ndim))):
                sums += [adding.added(x, axes), adding.in_lanes(x, axes, True)]
            sums += [adding.in_halves(x), adding.total(x, x.dtype)]
        return [(np.asarray(r).strides, np.asarray(r).tobytes()) for r in sums]

    short = modes.quiet(found)  # as kernels run: a library may set the flag of an invalid value beside inf
    monkeypatch.setattr(adding, "_LINES", 1 << 60)
    assert short == modes.quiet(found)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_additions_at_places(dim: int, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    x, index, source = torch.randn(5, 6, 7), torch.randint(5, (5, 6, 7)), torch.randn(5, 6, 8)
    for i in (index, index.int(), index.transpose(0, 2).contiguous().transpose(0, 2), index[:, :, :1]):
        many = x.scatter_add(dim, i, source)
        with monkeypatch.context() as patch:
            patch.setattr(places, "_MANY", 1 << 60)
            assert torch.equal(many, x.scatter_add(dim, i, source))
    with pytest.raises(RuntimeError, match="out of bounds"):
        x.scatter_add(dim, index.fill_(9), source)


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "int64"])
def test_rows_added_in_rounds(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    index, values = rng.integers(0, 6, (5, 8)), (rng.standard_normal((5, 8, 3, 4)) * 3).astype(dtype)
    before = (rng.standard_normal((6, 3, 4)) * 3).astype(dtype)

    def found() -> bytes:
        target = before.copy()
        places.add_at(target, (index,), values)
        return target.tobytes()

    one_by_one = found()
    monkeypatch.setattr(places, "_ROUND", 1)
    assert found() == one_by_one


def test_many_places_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    x, index = torch.randn(6, 5), torch.randint(-30, 30, (8, 5))
    for t in (x, x.t().contiguous().t(), x[:, :3]):
        places_of = index % t.numel() - t.numel() * (index % 2)
        alone = torch.stack([t.take(i) for i in places_of.view(-1)]).view(8, 5)
        assert torch.equal(t.take(places_of), alone)
        added = t.clone()
        for i in places_of.view(-1):
            added.put_(i, torch.tensor(1.5), accumulate=True)
        assert torch.equal(t.put(places_of, torch.full((8, 5), 1.5), accumulate=True), added)
    index[1, 2], index[3, 0] = -31, 40
    for few in (0, 1000):
        monkeypatch.setattr(take, "_FEW", few)
        with pytest.raises(IndexError, match="access index -31 on a tensor of 30"):
            x.take(index)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "int8", "uint8"])
def test_many_integers(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """BLAS has floats alone: it multiplies integers whose sums these hold, and others go by NumPy's own loop."""
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    for most in (7, int(info.max)):
        a, b = (rng.integers(max(-most, info.min), most, (30, 30), endpoint=True).astype(dtype) for _ in range(2))
        wanted = np.matmul(a, b)
        for x in (a, a.T.copy().T, np.stack([a, a])):
            found = torch.from_numpy(x) @ torch.from_numpy(b)
            assert found.is_contiguous() and found.numpy().dtype == wanted.dtype
            assert (found.numpy() == wanted).all()
    few = torch.from_numpy(a) @ torch.from_numpy(b)
    monkeypatch.setattr(products, "_MANY_INTEGERS", 1 << 60)
    assert torch.equal(few, torch.from_numpy(a) @ torch.from_numpy(b))


@pytest.mark.parametrize("far", [False, True])
def test_remainders_of_many_floats(far: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Float64 holds quotient and remainder of float32; where they are too far apart C's function is called."""
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((50, 60), np.float32) for _ in range(2))
    x[:10] = (rng.integers(-9, 9, (10, 60)) * y[:10]).astype(np.float32)
    x[10:20] = np.nextafter(x[:10], np.float32(0))
    x[20, :5], x[21, :5], y[21, :3], y[22, :2] = -0.0, 0.0, -3.0, 0.0 if far else 1.0
    if far:
        x[30, :4], y[31, :4], x[32, :4] = np.inf, -np.inf, 1e30
    pairs = [(x, y), (x, y[:, :1]), (x.T, y.T), (x, np.array(0.3, np.float32)), (np.array(7.25, np.float32), y)]

    def found() -> list[bytes]:
        results = []
        for a, b in pairs:
            s, t = torch.from_numpy(a), torch.from_numpy(b)
            results += [torch.fmod(s, t), s % t, s // t]
        return [np.where(np.isnan(r), 9, r).tobytes() for r in (t.numpy() for t in results)]

    many = found()
    monkeypatch.setattr(quotients, "_MANY", 1 << 60)
    assert many == found()


@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "float32", "complex64", "complex128"])
def test_transposed_matrices_in_strips(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = (np.arange(100 * 2048) % 1009).reshape(100, 2048).astype(dtype)
    views = [x.T, x[:91, :1000].T, x[1:, 3:].T, np.broadcast_to(x[0], (50, 2048)).T]
    strips = [layout.row_by_row(v) for v in views]
    assert torch.equal(torch.from_numpy(x).t().contiguous(), torch.from_numpy(strips[0]))
    monkeypatch.setattr(layout, "_MANY", 1 << 60)
    for found, v in zip(strips, views, strict=True):
        assert found.flags.c_contiguous and found.tobytes() == layout.row_by_row(v).tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_long_parts_are_divided_as_short_ones(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, (2, 9, 60, 900)[seed], 900)
    lines: list[np.ndarray] = [
        x,
        np.sort(x),
        np.sort(x)[::-1].copy(),
        np.concatenate((np.sort(x), np.sort(x)[::-1])),
        x.astype(np.float32),
    ]

    def found() -> list[list[int]]:
        tops = [selecting.top_order(a, k, way) for a in lines for k in (40, 450, 900) for way in (True, False)]
        return [list(p) for p in (*map(selecting.sort_order, lines), *tops)]

    at_once = found()
    monkeypatch.setattr(selecting, "_LONG", 1 << 20)
    assert found() == at_once


def test_an_element_of_sorted_lines_is_found_without_sorting() -> None:
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.int64):
        x = rng.integers(0, 9, (30, 80)).astype(dtype)
        if dtype is np.float32:
            x[rng.random(x.shape) < 0.2] = np.nan
        for k in (0, 40, 79):
            assert sorting.ranked(x, k).tolist() == x.argsort(-1, kind="stable")[:, k].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_of_many_floats(dtype: type) -> None:
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 5e-46, np.finfo(dtype).max, np.finfo(dtype).tiny])
    x, y = (a.reshape(-1).astype(dtype) for a in np.meshgrid(np.tile(special, 3), np.tile(special, 3)))
    assert x.size > pairs._MANY
    with np.errstate(all="ignore"):
        assert pairs._nextafter(x, y).tobytes() == np.nextafter(x, y).tobytes()


@pytest.mark.parametrize("seed", range(6))
def test_segments_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (2, 9) if seed % 2 else 9)
    counts = np.sort(counts)[..., ::-1].copy() if seed < 4 else counts
    if seed % 2:
        counts[1] = counts[0]
    rest = [(), (3,), (0,)][seed % 3]
    x = rng.standard_normal((*counts.shape[:-1], int(counts.sum(-1).max()), *rest)).astype(np.float32)
    bounds = np.concatenate((np.zeros((*counts.shape[:-1], 1), np.int64), counts.cumsum(-1)), -1)
    for reduce in ("sum", "prod", "max"):
        found = torch.segment_reduce(torch.tensor(x), reduce, lengths=torch.tensor(counts), axis=counts.ndim - 1)
        ufunc, start = segments._REDUCTIONS[reduce]
        for place, part in segments._segments(bounds):
            total = np.full(rest, start, np.float32)
            for row in x[part]:
                total = ufunc(total, row)
            assert found[place].numpy().tobytes() == total.tobytes()


def test_maxima_without_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randn(2, 3, 50)
    x[:, :, ::9], x[0, 1, 7], x[1, 1, 1:9] = 0, float("nan"), float("-inf")
    signed = x.clone()
    signed[0, 0, ::6] = -0.0

    def found() -> list[bytes]:
        options = [(3, None, 0, 1, False), (2, 1, 1, 1, False), (3, 2, 1, 2, True), (5, 3, 2, 1, True)]
        made = [torch.nn.functional.max_pool1d(t, *o) for t in (x, x.double(), signed, x[0]) for o in options]
        return [m.numpy().tobytes() for m in made]

    alone = found()
    monkeypatch.setattr(pool, "maxima", lambda *args: None)
    assert found() == alone


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_a_grid_in_pieces(mode: str, padding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    x, places = torch.randn(3, 2, 5, 4), torch.randn(3, 6, 7, 2) * 1.2

    def found() -> bytes:
        made = torch.nn.functional.grid_sample(x, places, mode, padding, align_corners=False)
        return made.numpy().tobytes()

    whole = found()
    monkeypatch.setattr(grid, "_PIECE", 10)
    assert found() == whole


@pytest.mark.parametrize("dim", [None, 0, 1, -1])
@pytest.mark.parametrize("q", [0.0, 0.3, [0.2, 0.5, 1.0], [0.4]])
def test_quantiles_at_once(q: float | list[float], dim: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    x = torch.randn(5, 4).round()
    x[0, 1], x[2, 2] = float("nan"), float("inf")
    share = torch.tensor(q) if isinstance(q, list) else q

    def found() -> list[object]:
        made = [torch.quantile(x, share, dim, keepdim) for keepdim in (False, True)]
        return [(m.numpy().tobytes(), m.shape, m.stride(), m._version, m._base) for m in made]

    at_once = found()
    monkeypatch.setattr(order, "_at_once", lambda *args: None)
    assert found() == at_once


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_maxima_of_few_windows(dims: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    x = (torch.randn(2, *(6,) * dims) * 3).round().to(dtype)
    if dtype is torch.float32:
        x[0, 1], x[1, 2, 3] = float("nan"), float("-inf")

    def found() -> list[bytes]:
        run = getattr(torch.nn.functional, f"max_pool{dims}d")
        options = [(2, None, 0, 1, False), (3, 1, 1, 1, False), (3, 2, 1, 1, True), (2, 1, 1, 2, False)]
        made = [m for o in options for m in run(x, *o, return_indices=True)]
        if dtype is torch.float32:
            leaf = x.clone().requires_grad_()
            for o in options:
                y = run(leaf, *o)
                y.backward(torch.arange(1.0, y.numel() + 1).view_as(y))
            made.append(leaf.grad)
        return [m.numpy().tobytes() for m in made]

    few = found()
    monkeypatch.setattr(pool, "_FEW", -1)
    assert found() == few
    monkeypatch.setattr(pool, "_CACHED", 1)  # a plane at a time
    assert found() == few


def test_halves_are_widened_by_bits() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    for x in (every, finite, finite[: 1 << 14].reshape(-1, 8).T, finite[::2], finite[: casting._MANY - 1]):
        found, wanted = casting.widened(x), x.astype(np.float32)
        assert found.strides == wanted.strides and found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("nan", [False, True])
def test_halves_are_compared_by_bits(nan: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate((rng.choice(np.arange(1 << 16, dtype=np.uint16).view(np.float16), 3000), [0, -0.0] * 300))
    x = x.astype(np.float16) if nan else x[~np.isnan(x)].astype(np.float16)
    ends = [None, *np.array([0, -0.0, 1, -0.3, np.inf, -np.inf, np.nan], np.float16)]
    lines = x[: len(x) // 4 * 4].reshape(-1, 4).T

    def found() -> list[bytes]:
        with np.errstate(invalid="ignore"):  # the sign of a zero beside a limit of zero is another one in NumPy 2.0
            cut = [kinds.limited(a, low, high) + np.float16(0) for a in (x, lines) for low in ends for high in ends]
        return [a.tobytes() for a in (*cut, *(getattr(torch.tensor(x), name)().numpy() for name in ("max", "min")))]

    by_bits = found()
    monkeypatch.setattr(kinds, "_MANY", 1 << 20)
    assert found() == by_bits


@pytest.mark.parametrize("diagonal", [-(2**63), -50, -1, 0, 2, 60, 2**63 - 1])
def test_triangles(diagonal: int) -> None:
    x = torch.randn(2, 40, 30)
    x[0, :, ::7], x[1, ::3] = float("nan"), -0.0
    for name, keeps in (("tril", np.less_equal), ("triu", np.greater_equal)):
        mask = keeps(np.arange(30) - np.arange(40)[:, None], diagonal)
        assert getattr(x, name)(diagonal).numpy().tobytes() == np.where(mask, x.numpy(), np.float32(0)).tobytes()
        assert getattr(torch, name + "_indices")(40, 30, diagonal).tolist() == np.stack(mask.nonzero()).tolist()


@pytest.mark.parametrize("size", [3, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_and_sums_rounded_once_in_place(size: int, dtype: type) -> None:
    rng = np.random.default_rng(0)
    x, z = (rng.standard_normal((size, 2)).astype(dtype) for _ in range(2))
    y = dtype(0.1)
    np.testing.assert_array_equal(kinds.fused(x, y, z), kinds.fused(x, np.full_like(x, y), z))


@pytest.mark.parametrize(
    ("x", "y", "z"),
    [
        ((3, 4), (3, 1), (4,)),
        ((2, 3, 4), (3, 1), (2, 3, 4)),
        ((3, 1), (1, 2), (1,)),  # whose result is larger than the first
        ((2, 1), (), (1, 2)),
        ((1,), (1,), (4, 1)),
        ((0, 3), (3,), (0, 3)),
    ],
)
def test_products_and_sums_rounded_once_of_other_shapes(
    x: tuple[int, ...], y: tuple[int, ...], z: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(0)
    a, b, c = (np.asarray(rng.standard_normal(shape), np.float32) for shape in (x, y, z))
    before = a.copy()
    wanted = np.asarray(a.astype(np.float64) * b + c).astype(np.float32)
    np.testing.assert_array_equal(kinds.fused(a, b, c), wanted, strict=True)
    np.testing.assert_array_equal(a, before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.complex64])
@pytest.mark.parametrize("needs", [False, True])
def test_parts_are_the_same_on_both_ways(dtype: Any, needs: bool) -> None:
    long = OPS["unsafe_split"].call
    cases = [((7, 4), 3, 0), ((2, 6), 2, 1), ((5,), 9, 0), ((2, 3, 4), 1, 2), ((0, 4), 2, 1), ((4, 2), 2, -1)]
    for shape, size, dim in cases:
        found = []
        for split in (torch.unsafe_split, long):
            leaf = torch.arange(math.prod(shape)).reshape(shape).to(dtype).requires_grad_(needs)
            parts = split(leaf.t() if len(shape) == 2 else leaf, size, dim)
            node = parts[-1].grad_fn
            told: list[Any] = [[(p.tolist(), p.stride(), p._version, p.output_nr, p._is_view()) for p in parts]]
            if node is not None:
                told += [node.name(), node._saved_self_sym_sizes, node._saved_split_size, node._saved_dim]
                parts[-1].abs().sum().backward()
                told.append(leaf.grad.tolist())
            found.append(told)
        assert found[0] == found[1]


@pytest.mark.parametrize("groups", [1, 2])
def test_gradients_of_weights_over_all_samples(groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(5, 4, 3, 4), torch.randn(8, 4 // groups, 2, 3, requires_grad=True)
    g = torch.randn(5, 8, 1, 2)

    def found(x: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
        y = torch.nn.functional.conv2d(x, w, stride=2, padding=(0, 1), groups=groups)
        (grad,) = torch.autograd.grad(y, w, g)
        return grad

    one_by_one = sum(found(x[i : i + 1], g[i : i + 1]) for i in range(5))
    together = found(x, g)
    monkeypatch.setattr(conv_maps, "_CACHED", 1)  # a sample at a time
    for made in (together, found(x, g)):
        np.testing.assert_allclose(made.numpy(), one_by_one.numpy(), 1e-5, 1e-6)
    assert not found(x[:0], g[:0]).any()


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("padding", [0, 1])
def test_gradients_of_inputs_by_windows_and_by_adding(
    padding: int, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(2, 2, 6, 5, requires_grad=True), torch.randn(6, 2 // groups, 3, 2)

    def found() -> torch.Tensor:
        y = torch.nn.functional.conv2d(x, w, padding=padding, groups=groups)
        (grad,) = torch.autograd.grad(y, x, torch.arange(1.0, y.numel() + 1).view_as(y))
        return grad

    made = []
    for most in (0, math.inf):
        monkeypatch.setattr(conv_maps, "_MORE", most)
        made.append(found().numpy())
    np.testing.assert_allclose(*made, 1e-5, 1e-4)


def test_the_inverse_of_what_only_numpy_calls_singular():
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], dtype=torch.float64, requires_grad=True)
    torch.linalg.det(x).backward()  # NumPy's factors of it have a zero where those of `lu` have none
    assert np.isfinite(x.grad.numpy()).all()


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_exponentials_of_halves_are_those_of_float32_rounded(kind: str) -> None:
    """PyTorch, which has no bounds of norms for halves, gives noise."""
    x = torch.tensor([[0.1, 0.2], [0.3, -0.4]], dtype=getattr(torch, kind))
    found = torch.matrix_exp(x)
    assert found.dtype is x.dtype
    assert found.tolist() == torch.matrix_exp(x.float()).to(x.dtype).tolist()


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(3, 4), (17, 3), (33, 5), (2, 5, 4), (2, 3, 2, 2), (1, 3, 1, 1)])
def test_targets_that_all_count(shape: tuple[int, ...], reduction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    x = torch.from_numpy(generator.standard_normal(shape).astype(np.float32))
    target = torch.from_numpy(generator.integers(0, shape[1], (shape[0], *shape[2:])))
    weights = torch.from_numpy(generator.random(shape[1], np.float32))

    def found() -> list[bytes]:
        made = []
        for weight in (None, weights):
            t = x.clone().requires_grad_()
            loss = torch.nn.functional.nll_loss(t, target, weight, reduction=reduction)
            loss.sum().backward()
            assert t.grad is not None
            made += [loss.detach().numpy().tobytes(), t.grad.numpy().tobytes()]
        return made

    at_once = found()
    monkeypatch.setattr(nn_loss, "_each_counts", lambda *args: None)
    assert at_once == found()


@pytest.mark.parametrize("size", [1, 3, (2, 3), (5, 4), (7, 9)])
@pytest.mark.parametrize("bad", [(), ("nan",), ("nan", "nan", "inf")])
def test_maxima_of_few_parts(bad: tuple[str, ...], size: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.from_numpy(np.random.default_rng(0).integers(0, 4, (2, 3, 7, 9)).astype(np.float32))
    for place, number in enumerate(bad):
        x.view(-1)[5 * place + 3] = float(number)

    def found() -> list[Any]:
        pooled = torch.nn.functional.adaptive_max_pool2d(x.clone(), size, return_indices=True)
        return [(t.numpy().tobytes(), t.shape, t.is_contiguous()) for t in pooled]

    few = found()
    monkeypatch.setattr(pool, "_FEW", -1)
    assert few == found()


def test_strides_of_maxima_of_parts() -> None:
    pooled = torch.nn.functional.adaptive_max_pool2d(torch.rand(2, 3, 8, 8), (1, 4))
    assert pooled.stride() == (12, 4, 4, 1)


@pytest.mark.parametrize("size", [(8, 1), (1, 8), (3, 8), (8, 8)])
def test_means_of_parts_of_one_element(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """They are these elements, as by the matrix that takes their means; -0.0 and infinities among them."""
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype(np.float32))
    x[0, 0, 0, :4] = torch.tensor([-0.0, 0.0, -0.0, math.inf])
    x[1, 0] = -0.0

    def found() -> list[bytes]:
        t = x.clone().requires_grad_()
        y = torch.nn.functional.adaptive_avg_pool2d(t, size)
        y.backward(torch.full_like(y, -0.0))
        assert t.grad is not None
        return [y.detach().numpy().tobytes(), t.grad.numpy().tobytes()]

    without = found()
    means = pool._mean_matrix
    monkeypatch.setattr(
        pool, "_mean_matrix", lambda n, o, dtype: np.eye(n, dtype=dtype) if n == o else means(n, o, dtype)
    )
    assert without == found()


@pytest.mark.parametrize("padding", [None, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_largest_of_bags(dtype: torch.dtype, padding: int | None) -> None:
    """As by comparing one row after the other; a NaN stays where it comes first, and is passed over elsewhere."""
    indices, offsets = [3, 0, 2, 1, 1, 4, 0, 3], [0, 3, 3, 5]
    table = torch.from_numpy(np.random.default_rng(0).standard_normal((5, 6))).to(dtype)
    table[3, :2], table[0, 1:4], table[1, 0] = math.nan, math.nan, -math.inf
    table[4, 5] = table[0, 5] = 3
    weight = table.clone().requires_grad_()
    out = torch.nn.functional.embedding_bag(
        torch.tensor(indices), weight, torch.tensor(offsets), mode="max", padding_idx=padding
    )
    out.backward(torch.arange(1.0, 25.0).view(4, 6).to(dtype))
    best, grad = np.zeros((4, 6)), np.zeros((5, 6))
    for bag, (start, end) in enumerate(zip(offsets, [*offsets[1:], len(indices)], strict=True)):
        rows = [i for i in indices[start:end] if i != padding]
        for column in range(6) if rows else ():
            top = rows[0]
            for row in rows[1:]:
                if table[row, column] > table[top, column]:
                    top = row
            best[bag, column] = table[top, column].item()
            grad[top, column] += bag * 6 + column + 1
    np.testing.assert_array_equal(out.detach().double().numpy(), best)
    assert weight.grad is not None
    np.testing.assert_array_equal(weight.grad.double().numpy(), grad)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_with_few_keys(causal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    given = [torch.from_numpy(generator.standard_normal((2, 3, 5, 4)).astype(np.float32)) for _ in range(3)]

    def found() -> list[Any]:
        inputs = [t.clone().requires_grad_() for t in given]
        y = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal)
        y.sum().backward()
        return [y.detach().numpy(), *[t.grad.numpy() for t in inputs if t.grad is not None]]

    copied = found()
    monkeypatch.setattr(attention, "_FEW", 0)
    for a, b in zip(copied, found(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_gradients_around_few_points(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    image, points = (generator.standard_normal(n).astype(np.float32) for n in ((2, 3, 4, 5), (2, 3, 3, 2)))

    def found() -> list[bytes]:
        x, at = (torch.from_numpy(a.copy()).requires_grad_() for a in (image, points))
        torch.nn.functional.grid_sample(x, at, mode, align_corners=False).square().sum().backward()
        assert x.grad is not None and at.grad is not None
        return [x.grad.numpy().tobytes(), at.grad.numpy().tobytes()]

    together = found()
    monkeypatch.setattr(grid, "_PIECE", 1)
    assert together == found()


def test_ctc_is_that_of_all_paths() -> None:
    """Its loss is that of all paths, counted one by one; its gradient the slope of that."""
    logits = np.random.default_rng(0).standard_normal((4, 2, 3))
    targets, steps, lengths = [[1, 1], [2, 0]], [4, 3], [2, 1]

    def by_paths(x: torch.Tensor) -> torch.Tensor:
        logs, losses = torch.log_softmax(x, 2), []
        for n, (wanted, end) in enumerate(zip([[1, 1], [2]], steps, strict=True)):
            total = torch.zeros((), dtype=torch.float64)
            for path in itertools.product(range(3), repeat=end):
                if [k for k, _ in itertools.groupby(path) if k] == wanted:
                    total = total + torch.stack([logs[t, n, k] for t, k in enumerate(path)]).sum().exp()
            losses.append(-total.log())
        return torch.stack(losses).sum()

    found = []
    for loss_of in (
        by_paths,
        lambda x: torch.nn.functional.ctc_loss(
            torch.log_softmax(x, 2), torch.tensor(targets), steps, lengths, reduction="sum"
        ),
    ):
        x = torch.from_numpy(logits.copy()).requires_grad_()
        loss = loss_of(x)
        loss.backward()
        assert x.grad is not None
        found.append((loss.item(), x.grad.numpy()))
    np.testing.assert_allclose(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-12)
