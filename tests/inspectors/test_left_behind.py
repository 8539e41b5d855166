"""Inspectors leave nothing behind: closed, deleted or run again, their hooks, callbacks and widgets are gone."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from autogradlab.inspectors import cells as inspector_cells
from tests.conftest import need

ROUNDS = 20
START = "w = torch.tensor([1., 2.], requires_grad=True); y = (w * w).sum()"


def counts(shell: Any) -> dict[str, int]:
    """What is there now: widgets, callbacks, hooks on `w`."""
    widgets = need("ipywidgets.widgets.widget")._instances
    gc.collect()
    w = shell.user_ns["w"]
    hooks = [getattr(w, name, None) or {} for name in ("_backward_hooks", "_post_accumulate_grad_hooks")]
    callbacks = shell.events.callbacks
    return {
        "widgets": len(widgets),
        "callbacks": sum(len(found) for found in callbacks.values()),
        "hooks": sum(map(len, hooks)),
    }


@pytest.fixture
def cells(shell: Any) -> Any:
    for widget in list(need("ipywidgets.widgets.widget")._instances.values()):  # of other tests
        widget.close()
    inspector_cells._runs.clear()
    shell.run("from autogradlab import inspectors as lab")
    shell.run(START)
    return shell


CALLS = [
    "lab.show(w)",
    "lab.graph(y)",
    "lab.step(y)",
    "lab.watch(w)",
    "lab.accumulation(w, y)",
    "lab.hooks(w)",
    "lab.training(w)",
    "lab.receipt(w, y)",
    "lab.what_if(y, cut=w)",
    "a, b = lab.accumulation(w), lab.hooks(w)",
]


@pytest.mark.parametrize("call", CALLS)
def test_running_the_cell_again(cells: Any, call: str):
    cells.run(call)
    once = counts(cells)
    for _ in range(ROUNDS if "a, b" in call else 3):
        cells.run(call)
    assert counts(cells) == once


@pytest.mark.parametrize("call", CALLS)
def test_closing(cells: Any, call: str):
    before = counts(cells)
    cells.run(f"view = {call.rpartition('= ')[2]}" if "a, b" not in call else call)
    cells.run("view.close()" if "a, b" not in call else "a.close(); b.close()")
    assert counts(cells) == before


@pytest.mark.parametrize("call", ["lab.accumulation(w, y)", "lab.hooks(w)", "lab.training(w)"])
def test_deleting(cells: Any, call: str):
    before = counts(cells)
    for i in range(ROUNDS):
        cells.run(f"view = {call}  # {i}")
        cells.run("del view")
        cells.run("pass")
    assert counts(cells) == before


@pytest.mark.parametrize("call", ["lab.accumulation(w, y)", "lab.hooks(w)", "lab.training(w)"])
def test_another_thing_in_its_variable(cells: Any, call: str):
    cells.run(f"view = {call}")
    once = counts(cells)
    for i in range(ROUNDS):
        cells.run(f"view = {call}  # {i}")
    assert counts(cells) == once


def test_what_a_list_holds_goes_on(cells: Any):
    cells.run("kept = [lab.accumulation(w, y)]")
    cells.run("view = kept[0]")
    cells.run("del view")
    cells.run("y.backward()")
    assert len(cells.user_ns["kept"][0].entries) == 1


def test_an_inspector_that_no_cell_made_is_collected(torch: Any):
    from autogradlab import inspectors as lab

    w = torch.tensor([1.0], requires_grad=True)
    view: Any = lab.accumulation(w)
    assert len(w._backward_hooks) == 1
    view.close()
    assert not w._backward_hooks
