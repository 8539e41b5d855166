"""PyTorch itself beside autogradlab in one program: neither computes with tensors of the other, and errors say so."""

from __future__ import annotations

from typing import Any

import pytest

import autogradlab as a
from tests.conftest import need

SAID = r"^{}\(\): PyTorch and autogradlab cannot compute with tensors of each other\. Take all of it from one library"

#: an expression of `x`, autogradlab's, and `y`, PyTorch's; what the error calls its function
MIXED = [
    ("x + y", "add"),
    ("y + x", "add"),
    ("x @ y", "matmul"),
    ("y @ x", "__rmatmul__"),
    ("x ** y", "__pow__"),
    ("y ** x", "__rpow__"),
    ("x == y", "__eq__"),
    ("y == x", "__eq__"),
    ("x < y", "lt"),
    ("2 / x - y", "sub"),
    ("x.add_(y)", "add_"),
    ("y.add_(x)", "add_"),
    ("p + y", "add"),
    ("q + x", "add"),
    ("y[x]", "__getitem__"),
    ("t.relu(x)", "relu"),
    ("t.relu(p)", "relu"),
    ("a.relu(y)", "relu"),
    ("a.relu(q)", "relu"),
    ("t.stack([x, x])", "stack"),
    ("a.stack([x, y])", "stack"),
    ("t.nn.functional.relu(x)", "relu"),
    ("a.nn.functional.relu(y)", "relu"),
    ("t.nn.functional.dropout(x)", "dropout"),
    ("t.nn.functional.mse_loss(x, y)", "mse_loss"),
    ("a.nn.functional.mse_loss(x, y)", "mse_loss"),
    ("t.nn.Linear(2, 2)(x)", "linear"),
    ("a.nn.Linear(2, 2)(y)", "linear"),
    ("x.copy_(y)", "copy_"),
    ("x.to(y)", "to"),
]


@pytest.mark.parametrize(("written", "called"), MIXED)
def test_neither_computes_with_tensors_of_the_other(written: str, called: str) -> None:
    t = need("torch")
    x, y = a.ones(2), t.ones(2)
    space = {"a": a, "t": t, "x": x, "y": y, "p": a.nn.Parameter(x), "q": t.nn.Parameter(y)}
    with pytest.raises(TypeError, match=SAID.format(called)) as failed:
        eval(written, space)
    assert len(failed.traceback) < 12
    assert (x.tolist(), y.tolist()) == ([1, 1], [1, 1])


def test_numbers_still_go_from_one_to_the_other() -> None:
    t = need("torch")
    assert t.tensor(a.tensor([1.0, 2.0])).tolist() == a.tensor(t.tensor([1.0, 2.0])).tolist() == [1, 2]


def test_subclasses_are_asked_as_before() -> None:
    class Logged(a.Tensor):
        """A subclass that answers as tensors do, also where asking is off."""

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            with a._C.DisableTorchFunctionSubclass():
                return super().__torch_function__(func, types, args, kwargs)

    assert type(a.ones(2).as_subclass(Logged) + 1) is Logged


class Both:
    """An object that is no tensor, and says what operations give for it."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> str:
        return str(func.__name__)


def test_the_power_asks_as_the_others_do() -> None:
    assert (a.ones(2) ** Both(), a.ones(2) + Both()) == ("pow", "add")
