"""Ctrl-C, and other failures, wherever a check, a prediction or a puzzle is: what they change for the learner's code
is as it was afterwards, and the next one is right."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autogradlab as torch
from autogradlab.lab import check, parsons, predict, running
from tests.interrupts import traced
from tests.test_interrupts import modes_now

MOST = 80


def world() -> dict[str, Any]:
    """All that running code aside changes for a while."""
    return {
        **modes_now(),
        "numbers": torch.get_rng_state().tolist(),
        "dtype": torch.get_default_dtype(),
        "printing": dict(vars(sys.modules[torch.set_printoptions.__module__].PRINT_OPTS)),
        "random": random.getstate(),
        "arrays": np.random.get_state()[1].tolist(),
        "stdout": sys.stdout,
        "filters": list(warnings.filters),
        "trace": sys.gettrace(),
    }


def changing(w: Any) -> None:
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)
    torch.set_printoptions(precision=9)
    torch.autograd.set_detect_anomaly(True)
    torch.set_grad_enabled(False)
    random.seed(1)
    np.random.seed(1)
    if w.grad is not None:
        w.grad.zero_()


def arranged() -> Any:
    puzzle = parsons("descend")
    return puzzle.arrange(*puzzle.known)


ACTS: dict[str, tuple[Callable[[], Any], str]] = {
    "check": (lambda: check("zero-it", changing), "done"),
    "parsons": (arranged, "done"),
    "predict": (lambda: predict("doubled", guess="b"), "right"),
}


@pytest.mark.turns(4)
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RecursionError])
@pytest.mark.parametrize("name", ACTS)
def test_wherever_it_stops(sample: Path, name: str, error: type[BaseException]):
    act, state = ACTS[name]
    assert act().state == state
    before = world()
    points, _ = traced(act, 0, ("/lab/running.py", "/core/runtime/", "/core/random/", "/autograd/grad_mode.py"), error)
    assert points > 20
    assert world() == before
    for at in range(1, points + 1, max(1, points // MOST)):
        traced(act, at, ("/lab/running.py", "/core/runtime/", "/core/random/", "/autograd/grad_mode.py"), error)
        now = world()
        assert {k: v for k, v in now.items() if v != before[k]} == {}, at
    assert act().state == state


def test_ctrl_c_in_the_learners_code_is_the_learners(sample: Path):
    def stopped(w: Any) -> None:
        changing(w)
        raise KeyboardInterrupt

    before = world()
    with pytest.raises(KeyboardInterrupt):
        check("zero-it", stopped)
    assert world() == before


@pytest.mark.parametrize("times", [1, 2])
def test_what_fails_while_things_are_put_back_waits_for_the_rest(monkeypatch: pytest.MonkeyPatch, times: int):
    before, real, left = world(), random.setstate, [KeyboardInterrupt] * times

    def setstate(state: Any) -> None:
        if left:
            raise left.pop()
        real(state)

    with monkeypatch.context() as patch:
        patch.setattr(random, "setstate", setstate)
        with pytest.raises(KeyboardInterrupt), running.aside(torch):
            changing(torch.tensor([1.0]))
    after = world()
    real(before["random"])
    assert {k for k in after if after[k] != before[k]} == ({"random"} if times == 2 else set())


@pytest.mark.parametrize(
    "overwritten",
    [{"torch": None}, {"torch": 3, "autogradlab": "x"}, {"sum": 3, "print": None, "len": 0}, {"np": None, "zip": []}],
    ids=lambda names: "-".join(names),
)
def test_names_that_the_learner_has_overwritten(sample: Path, overwritten: dict[str, Any]):
    def zero(w: Any) -> None:
        w.grad.zero_()

    assert check("zero-it", {**overwritten, "zero": zero}).state == "done"
    made = exec_in(overwritten, "from autogradlab.lab import predict\nmade = predict('doubled', guess='b')")
    assert made["made"].state == "right"


def test_functions_that_use_an_overwritten_name_say_so(sample: Path):
    space = exec_in({"sum": 3}, "def zero(w):\n    w.grad.copy_(sum([w.grad, -w.grad]))")
    assert "TypeError: 'int' object is not callable" in check("zero-it", space).text


def exec_in(names: dict[str, Any], source: str) -> dict[str, Any]:
    space = {"__name__": "__main__", **names}
    exec(source, space)
    return space
