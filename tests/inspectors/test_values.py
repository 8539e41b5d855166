"""Numbers as text and as grids: the forms in which tensors print them, at no cost that grows with the tensor."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from autogradlab.inspectors.values import grid, numbers, short
from tests.conftest import need


@pytest.mark.parametrize(
    "data",
    [
        3.0,
        5,
        True,
        1.5,
        -0.0,
        float("nan"),
        [1.0, 2.0],
        [1.5, 2.0],
        [1e-8, 1.0],
        [1e9, 1.0],
        [1.0, 1001.0],
        [0.00002, 0.00001],
        [0.0, 5e8],
        [float("nan"), 1.0, float("inf"), float("-inf")],
        [[1, 20], [300, -4]],
        [[True], [False]],
        [1 + 2j, 3.5 - 4j],
        [0.1, 0.25],
        [1000.5, 1.0],
        [99999.0, 0.5],
    ],
)
def test_numbers_are_those_that_the_tensor_prints(torch: Any, data: Any):
    tensor = torch.tensor(data)
    printed = " ".join(repr(tensor).removeprefix("tensor(").removesuffix(")").split())
    for gap in ("[ ", "  "):
        printed = printed.replace(gap, gap[:-1])
    assert numbers(tensor).replace(" ", "") == printed.replace(" ", "")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (3.0, "3."),
        ([1.0, 2.0], "[1., 2.]"),
        ([1.25, 2.0, 3.0, 4.0, 5.0, 6.0], "(6,) float32"),
        ([[1, 2, 3, 4], [1, 2, 3, 4]], "(2, 4) int64"),
        ([], "[]"),
    ],
)
def test_short(torch: Any, data: Any, words: str):
    assert short(torch.tensor(data)) == words
    assert short(torch.tensor(data).numpy()) == words
    assert short(None) == "None"


def test_short_of_what_requires_grad(torch: Any):
    assert short(torch.ones(2, requires_grad=True) * 2) == "[2., 2.]"
    assert short(torch.nn.Parameter(torch.ones(1))) == "[1.]"


def test_small_grids(torch: Any):
    made = grid(torch.tensor([[1.0, -2.0], [0.0, float("nan")]]), "values", "gradient")
    assert (made.caption, made.tone, made.more, made.heads) == ("values", "gradient", "", ())
    assert made.rows == (("1.", "-2."), ("0.", "nan"))
    assert made.heat[0] == (0.5, 1.0)
    assert made.heat[1][0] == 0.0
    assert made.heat[1][1] != made.heat[1][1]
    assert grid(torch.tensor(7), "").rows == (("7",),)
    assert grid(torch.ones(2, 2), "").heat == ()


def test_what_is_left_out_is_said(torch: Any):
    made = grid(torch.arange(100).reshape(10, 10), "")
    assert made.more == "7 of 10 rows, 7 of 10 columns"
    assert made.rows[0] == ("0", "1", "2", "3", "4", "…", "8", "9")
    assert made.rows[5] == ("…",) * 8
    assert made.rows[7] == ("90", "91", "92", "93", "94", "…", "98", "99")
    assert [len(row) for row in made.heat] == [8] * 8
    assert grid(torch.arange(9), "").more == "7 of 9 elements"
    assert grid(torch.zeros(2, 0), "").more == "no elements: the shape is (2, 0)"
    assert grid(torch.zeros(2, 0), "").rows == ()


def test_more_than_two_dimensions(torch: Any):
    made = grid(torch.arange(8).reshape(2, 2, 2), "")
    assert made.heads == ("[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]")
    assert made.rows == (("0", "1"), ("2", "3"), ("4", "5"), ("6", "7"))
    assert grid(torch.zeros(10, 10, 2), "").heads[4:] == ("[0, 4]", "…", "[9, 8]", "[9, 9]")


def test_arrays_of_other_things():
    assert grid(np.array(["a", "b" * 99]), "").rows == (("a", "b" * 23 + "…"),)
    assert grid(np.array([None, 10**400], dtype=object), "").rows[0][0] == "None"
    assert grid(np.arange(3.0)[::-1], "").rows == (("2.", "1.", "0."),)


def test_ten_million_elements_cost_as_much_as_ten(torch: Any):
    large = torch.zeros(2, 5_000_000)
    grid(torch.zeros(10, 10), "")
    start = time.process_time()
    made = grid(large, "")
    assert time.process_time() - start < 0.1
    assert made.more == "7 of 5000000 columns"


def test_nothing_is_changed_by_looking(torch: Any):
    t = torch.ones(2, requires_grad=True)
    y = t * 2
    grid(t, ""), grid(y, ""), short(y)
    assert (t._version, t.grad, y._version) == (0, None, 0)


@pytest.mark.parity
def test_a_tensor_without_numbers():
    """Only the real PyTorch has tensors on the meta device."""
    torch = need("torch")
    assert grid(torch.zeros(2, device="meta"), "").more == "the numbers cannot be read"
    assert short(torch.zeros(2, device="meta")) == "(2,) float32"


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ([[1.5, -0.0004], [0.25, 2e-6]], [["1.5000", "-0.0004"], ["0.2500", "2e-06"]]),
        ([1.0, 2000.0], [["1.", "2000."]]),
        ([1e-5, 2e-5], [["1.0000e-05", "2.0000e-05"]]),
        ([1e7, 0.5], [["1.0000e+07", "5.0000e-01"]]),
        ([float("nan"), 0.5, 1e-9], [["nan", "0.5000", "1e-09"]]),
    ],
)
def test_one_tiny_number_makes_no_exponents_of_a_grid(torch: Any, data: Any, rows: list[list[str]]):
    assert [list(row) for row in grid(torch.tensor(data), "").rows] == rows
