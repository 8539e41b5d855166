"""Sums along axes, and elements at places, beside NumPy's: shapes of all proportions, and how exact long sums are."""

from __future__ import annotations

import numpy as np
import pytest

import autogradlab as torch
from autogradlab.core.memory.adding import added, in_lanes, of_rows, stepwise, total
from autogradlab.core.memory.places import add_at, at_places, put_at_places


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_whole_numbers_are_numpys(seed: int) -> None:
    draws = np.random.default_rng(seed)
    for _ in range(60):
        ndim = int(draws.integers(1, 5))
        shape = tuple(int(n) for n in draws.choice([1, 2, 3, 7, 16, 17, 64, 100, 513, 1030], ndim))
        if np.prod(shape) > 1 << 20:
            continue
        x = draws.integers(-8, 8, shape).astype(draws.choice([np.float32, np.float64, np.int64]))
        axes = tuple(int(d) for d in draws.choice(np.arange(-ndim, 0), int(draws.integers(1, ndim + 1)), replace=False))
        keepdims = bool(draws.random() < 0.5)
        for given in (axes, axes[0]):
            found, wanted = added(x, given, keepdims), np.add.reduce(x, given, keepdims=keepdims)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted, strict=True)
        assert total(x, x.dtype) == x.sum()


def in_steps(x: np.ndarray) -> np.ndarray:
    """The sum over the first axis as PyTorch's loop makes it: 16 rows at a time, whose sums are added up like them."""
    sums = [x[0] * 0 for _ in range(4)]
    done = len(x) & ~15
    for i in range(done):
        sums[0] = sums[0] + x[i]
        for level in (1, 2, 3):
            if (i + 1) % 16**level:
                break
            sums[level], sums[level - 1] = sums[level] + sums[level - 1], x[0] * 0
    for row in x[done:]:
        sums[0] = sums[0] + row
    return ((sums[0] + sums[1]) + sums[2]) + sums[3]


@pytest.mark.parametrize("numpy", [np.float32, np.float64])
def test_sums_in_steps_are_those_of_the_loop(numpy: type) -> None:
    draws = np.random.default_rng(0)
    for n in (*range(1, 70), 255, 256, 257, 272, 273, 511, 512, 513, 1000, 4095, 4096, 4097, 4400, 8192, 9001):
        x = draws.standard_normal((n, 3)).astype(numpy)
        wanted = in_steps(x)
        np.testing.assert_array_equal(stepwise(x), wanted, strict=True)
        for column in range(3):
            assert stepwise(x[:, column]) == wanted[column]


@pytest.mark.parametrize("numpy", [np.float32, np.float64])
def test_a_line_is_added_up_in_lanes_and_strands(numpy: type) -> None:
    draws, lanes = np.random.default_rng(1), 32 // np.dtype(numpy).itemsize
    for n in (*range(5, 80), 129, 300, 1000):
        x = draws.standard_normal(n).astype(numpy)
        end = n - n % lanes
        if end:
            rows = x[:end].reshape(-1, lanes)
            whole = len(rows) - len(rows) % 4
            strands = [in_steps(rows[i:whole:4]) if whole else rows[0] * 0 for i in range(4)]
            for row in rows[whole:]:
                strands[0] = strands[0] + row
            order = [*x[end:], *(((strands[0] + strands[1]) + strands[2]) + strands[3])]
        else:
            order = [x[0], *x[4:], *x[1:4]]
        wanted = order[0]
        for value in order[1:]:
            wanted = wanted + value
        assert total(x, x.dtype) == wanted, n
        both = np.stack([x, x])
        np.testing.assert_array_equal(added(both, 1), [wanted, wanted])


@pytest.mark.parametrize("numpy", [np.float32, np.float64])
def test_many_rows_are_added_up_as_each_alone(numpy: type) -> None:
    """Of many short rows a number of each is added at a time, in the order in which one row is."""
    draws = np.random.default_rng(2)
    for rows, n in ((40, 3), (40, 8), (32, 64), (33, 65), (200, 77), (3, 700), (17, 520)):
        x = draws.standard_normal((rows, n)).astype(numpy)
        np.testing.assert_array_equal(in_lanes(x, (1,), False), [in_lanes(row[None], (1,), False)[0] for row in x])
        np.testing.assert_array_equal(added(x, 1), [total(row, row.dtype) for row in x])


@pytest.mark.parametrize("count", [33, 200, 384, 500, 1000])
def test_a_product_is_the_same_however_its_factors_lie(count: int) -> None:
    """BLAS may add up in strands what lies one behind the other."""
    draws = np.random.default_rng(count)
    a = torch.from_numpy(draws.standard_normal((16, count), np.float32))
    b = torch.from_numpy(draws.standard_normal((12, count), np.float32))
    lying, standing = b.T, b.T.contiguous()
    start = torch.ones(12)
    assert torch.equal(a @ lying, a @ standing)
    assert torch.equal(a.T.contiguous().T @ lying, a @ standing)
    assert torch.equal(torch.addmm(torch.zeros(12), a, lying), a @ standing)
    half = (count + 1) // 2
    if 384 < count <= 768:  # in two halves, each of which is added to what is there
        parts = a[:, :half] @ lying[:half], a[:, half:] @ lying[half:]
        assert torch.equal(a @ lying, parts[0] + parts[1])
        assert torch.equal(torch.addmm(start, a, lying), (start + parts[0]) + parts[1])
    for wrong in (count - 1, count + 1):
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            a @ torch.ones(wrong, 3)


def test_one_factor_is_multiplied_and_added_with_one_rounding() -> None:
    draws = np.random.default_rng(0)
    x, w, b = (draws.standard_normal(shape, np.float32) for shape in ((40, 1), (7, 1), (7,)))
    wanted = (x.astype(np.float64) * w[:, 0] + b).astype(np.float32)
    found = torch.nn.functional.linear(*map(torch.from_numpy, (x, w, b)))
    np.testing.assert_array_equal(found.numpy(), wanted)
    with pytest.raises(RuntimeError, match="expand"):
        torch.addmm(torch.ones(3, 40, 7), torch.from_numpy(x), torch.from_numpy(w).T)


def test_transposed_arrays_and_rows_without_elements() -> None:
    x = np.arange(8000.0).reshape(100, 80)
    np.testing.assert_array_equal(added(x.T, 0), x.sum(1))
    np.testing.assert_array_equal(added(np.ones((5000, 0)), 1), np.zeros(5000))
    np.testing.assert_array_equal(of_rows(np.ones((0, 3), np.float32)), np.zeros(0, np.float32))


def test_infinite_and_undefined_elements_reach_their_sums_alone() -> None:
    x = np.ones((3000, 10), np.float32)
    x[7, 3], x[2999, 5] = np.inf, np.nan
    rows, columns = added(x, 1), added(x, 0)
    assert np.isinf(rows[7]) and np.isnan(rows[2999]) and np.isfinite(np.delete(rows, [7, 2999])).all()
    assert np.isinf(columns[3]) and np.isnan(columns[5]) and np.isfinite(np.delete(columns, [3, 5])).all()


@pytest.mark.parametrize(("shape", "axis"), [((60_000, 10), 0), ((1000, 1000), 0), ((1000, 1000), 1), ((40_000, 8), 1)])
def test_long_sums_are_exact_to_a_few_last_places(shape: tuple[int, int], axis: int) -> None:
    """One number after the other, as NumPy adds columns, would be off by ten times as much."""
    x = np.random.default_rng(0).random(shape, np.float32)
    wanted = x.sum(axis, dtype=np.float64)
    np.testing.assert_allclose(added(x, axis), wanted, rtol=1e-6)


def test_a_gradient_of_fresh_memory_becomes_grad() -> None:
    given = torch.arange(6.0).reshape(2, 3)
    y = torch.zeros(2, 3, requires_grad=True)
    torch.nn.functional.layer_norm(y, (3,)).backward(given)
    assert y.grad is not None and y.grad.storage_offset() == 0 and y.grad.untyped_storage().nbytes() == 24


def test_places_along_a_dimension_are_numpys() -> None:
    draws = np.random.default_rng(0)
    for _ in range(300):
        x = draws.random(draws.integers(1, 6, draws.integers(1, 5)))
        x = x.T if draws.random() < 0.3 else x
        d = int(draws.integers(0, x.ndim))
        places = np.argsort(x, axis=d).take(np.arange(draws.integers(0, x.shape[d] + 1)), d)
        np.testing.assert_array_equal(at_places(x, places, d), np.take_along_axis(x, places, d), strict=True)
        np.testing.assert_array_equal(at_places(x, x.argmax(d), d), x.max(d))
        found, wanted = np.zeros(x.shape), np.zeros(x.shape)
        values = draws.random(places.shape)
        put_at_places(found, places, values, d)
        np.put_along_axis(wanted, places, values, d)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("numpy", [np.float32, np.float64, np.int64])
def test_elements_named_several_times_are_added_as_numpy_adds_them(numpy: type) -> None:
    draws = np.random.default_rng(1)
    for shape, d, count in (
        ((7, 40), 0, 30),
        ((4, 9, 11), 1, 25),
        ((30, 50), 1, 500),
        ((3, 4, 5), 2, 100),
        ((500,), 0, 900),
    ):
        index = draws.integers(0, shape[d], count)
        values = (draws.random((*shape[:d], count, *shape[d + 1 :])) * 100).astype(numpy)
        places = (*(slice(None),) * d, index)
        for given in (index, index.astype(np.int32), index - shape[d]):
            found, wanted = np.zeros(shape, numpy), np.zeros(shape, numpy)
            add_at(found, (*places[:-1], given), values)
            np.add.at(wanted, places, values)
            np.testing.assert_array_equal(found, wanted)
        with pytest.raises(IndexError):
            add_at(np.zeros(shape, numpy), (*places[:-1], index + shape[d]), values)


def test_places_in_several_dimensions_are_added_as_numpy_adds_them() -> None:
    draws = np.random.default_rng(2)
    for shape in ((20, 20), (40, 3), (5, 6, 30)):
        for d, n in enumerate(shape):
            places = np.ix_(*map(np.arange, shape[:d])) if d else ()
            index = draws.integers(0, n, shape)
            full = tuple(place.reshape(*place.shape, *(1,) * (len(shape) - d)) for place in places)
            rest = np.ix_(*map(np.arange, shape[d + 1 :])) if d + 1 < len(shape) else ()
            values = draws.random(shape)
            found, wanted = np.zeros(shape), np.zeros(shape)
            add_at(found, (*full, index, *rest), values)
            np.add.at(wanted, (*full, index, *rest), values)
            np.testing.assert_array_equal(found, wanted)
