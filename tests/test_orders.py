"""Derivatives of a derivative do not depend on which of them are taken forward and which backward."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import autogradlab as torch
from autogradlab.func import grad, jacfwd, jacrev, jvp, vjp, vmap

F = torch.nn.functional
A = torch.tensor([[0.5, -1.0], [0.25, 2.0]], dtype=torch.float64)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "product": lambda t: (t.sin() * t * t.sum()).sum(),
    "quotient": lambda t: (t / (1 + t * t)).sum(),
    "scan": lambda t: t.cumprod(0).sum(),
    "matrix": lambda t: ((A @ t) ** 3).sum(),
    "softmax": lambda t: F.softmax(t * t, 0)[0],
    "in place": lambda t: t.clone().mul_(t).mul_(t).sum(),
    "picked": lambda t: t[torch.tensor([0, 1, 0])].prod(),
    "mapped": lambda t: vmap(lambda s: s * s * t.prod())(t).sum(),
    "gradients of rows": lambda t: vmap(grad(lambda s: s**4 * t.prod()))(t).sum(),
    "a tangent": lambda t: jvp(lambda s: s**3 * t, (t,), (t * t,))[1].sum(),
    "a cotangent": lambda t: vjp(lambda s: s * s * t, t)[1](t)[0].sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_of_three(name: str):
    x = torch.tensor([0.5, -1.25], dtype=torch.float64)
    found = []
    for first, second, third in product((jacrev, jacfwd), repeat=3):
        found.append(third(second(first(FUNCTIONS[name])))(x))
    assert found[0].any()
    for other in found[1:]:
        torch.testing.assert_close(other, found[0])
