"""Many gradients in one backward pass: Jacobians, batches of grad_outputs, and what takes them apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autogradlab as torch
from autogradlab.autograd import functional
from autogradlab.core.backward.engine import Task
from autogradlab.core.backward.rows import Apart, Rows


def expected(x: torch.Tensor) -> Any:
    """The Jacobian of tanh(x) * x.sum()."""
    a = x.detach().numpy().astype(np.float64)
    return np.diag((1 - np.tanh(a) ** 2) * a.sum()) + np.tanh(a)[:, None]


def test_a_jacobian_takes_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    run = Task.run_together
    monkeypatch.setattr(Task, "run", lambda self: pytest.fail("row by row"))
    monkeypatch.setattr(Task, "run_together", lambda self, n, F: passes.append(n) or run(self, n, F))
    x = torch.linspace(-1, 2, 7)
    found = functional.jacobian(lambda v: torch.tanh(v) * v.sum(), x)
    np.testing.assert_allclose(found.numpy(), expected(x), rtol=1e-5, atol=1e-6)
    assert passes == [7]


def test_a_large_jacobian_goes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functional, "_MOST", 21)
    x = torch.linspace(-1, 2, 7)
    found = functional.jacobian(lambda v: torch.tanh(v) * v.sum(), x)
    np.testing.assert_allclose(found.numpy(), expected(x), rtol=1e-5, atol=1e-6)


def test_hooks_see_every_row() -> None:
    seen = []

    def f(v: Any) -> Any:
        y = v * 2
        y.register_hook(lambda g: seen.append(g.tolist()))
        return y * v

    x = torch.tensor([1.0, 2.0, 3.0])
    assert functional.jacobian(f, x).tolist() == [[4, 0, 0], [0, 8, 0], [0, 0, 12]]
    assert seen == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]


def test_functions_of_the_user_run_for_every_row() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            assert grad.shape == (2,)
            return 2 * grad * ctx.saved_tensors[0]

    assert functional.jacobian(Square.apply, torch.tensor([3.0, 5.0])).tolist() == [[6, 0], [0, 10]]


def test_history_of_others_is_kept() -> None:
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    x = torch.tensor([1.0, 5.0])
    slope = torch.func.grad(lambda v: (v * v * w).sum())(x)
    assert slope.tolist() == [4, 30] and slope.requires_grad
    (found,) = torch.autograd.grad(slope.sum(), w)
    assert found.tolist() == [2, 10]
    jacobian = torch.func.jacrev(lambda v: v * v * w)(x)
    assert jacobian.requires_grad
    assert not torch.func.jacrev(lambda v: v * v * w.detach())(x).requires_grad
    assert not torch.func.grad(lambda v: (v * v).sum())(x).requires_grad


def test_third_derivatives_nest() -> None:
    x = torch.tensor([2.0, 3.0])
    third = torch.func.jacrev(torch.func.hessian(lambda v: (v**4).sum()))(x)
    assert third.shape == (2, 2, 2)
    assert third[0, 0, 0] == 48 and third[1, 1, 1] == 72 and third.count_nonzero() == 2


def test_rows_are_no_array() -> None:
    """What would take them for one, or asks for a number, fails, so that it is done row by row."""
    rows = Rows(np.ones((3, 4)))
    assert rows.shape == (4,) and (rows * np.ones((2, 4))).shape == (2, 4)
    for use in (np.asarray, np.median, bool, float, list, np.nonzero, lambda r: np.ones(4)[r], lambda r: r[r]):
        with pytest.raises(Apart):
            use(rows)
