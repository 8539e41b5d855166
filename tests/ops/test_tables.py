"""Special functions of many elements, by tables, are what they are of a few."""

from __future__ import annotations

import numpy as np
import pytest

import autogradlab as torch

CORNERS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, np.inf, -np.inf, np.nan, 0.5, 30.0, -30.0, 1e30, -1e30, 1e-30, 1e-45, 17.0]
NAMES = ["erfc", "erfinv", "lgamma", "digamma", "i0", "special.i0e", "special.i1", "special.i1e", "special.ndtri"]
NAMES += ["special.bessel_j0", "special.bessel_j1", "special.bessel_y0", "special.bessel_y1", "special.airy_ai"]


@pytest.mark.parametrize("name", NAMES)
def test_many_elements_are_as_a_few(name: str):
    function = torch
    for part in name.split("."):
        function = getattr(function, part)
    rng = np.random.default_rng(0)
    x = np.concatenate([CORNERS, rng.standard_normal(400) * 8, rng.random(400), rng.standard_normal(200) * 1e-3 + 1])
    t = torch.from_numpy(x.astype(np.float32))
    many = function(t).numpy()
    few = np.concatenate([function(part).numpy() for part in t.split(100)])
    np.testing.assert_array_equal(np.isnan(many), np.isnan(few))
    assert (np.signbit(many) == np.signbit(few))[~np.isnan(few)].all()
    np.testing.assert_allclose(many, few, rtol=1.2e-7, atol=1.5e-45)  # one unit of the last place at most
    assert ((many == few) | np.isnan(few)).mean() > 0.97


@pytest.mark.parity
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_trigamma_takes_torchs_steps(kind: type):
    import torch as real

    x = np.concatenate([CORNERS, np.random.default_rng(0).random(2000) * 20 - 4]).astype(kind)
    ours, theirs = (t.polygamma(1, t.from_numpy(x)).numpy() for t in (torch, real))
    np.testing.assert_allclose(ours, theirs, rtol=100 * np.finfo(kind).eps)
    assert ((ours == theirs) | np.isnan(theirs)).mean() > 0.97


@pytest.mark.parity
def test_segments_are_added_up_in_torchs_order():
    import torch as real

    x, lengths = np.random.default_rng(0).standard_normal(999).astype(np.float32), np.array([99, 0, 400, 500])
    ours, theirs = (
        t.segment_reduce(t.from_numpy(x), "sum", lengths=t.from_numpy(lengths)).tolist() for t in (torch, real)
    )
    assert ours == theirs


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_parts_of_incomplete_gamma_functions_are_as_each_alone(name: str):
    a, x = np.random.default_rng(0).random((2, 9000)) * 20
    many = getattr(torch, name)(torch.from_numpy(a), torch.from_numpy(x)).tolist()
    for i in range(0, 9000, 500):
        assert getattr(torch, name)(*torch.from_numpy(np.stack([a[i : i + 1], x[i : i + 1]]))).item() == many[i]
