"""Which variable holds a tensor."""

from __future__ import annotations

import builtins
import gc
import weakref
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from autogradlab.inspectors.snapshot.names import Space, names_of, namespace


def here() -> Space:
    """As an inspector call: the namespace of who calls."""
    return namespace()


def test_locals_come_before_globals(torch: Any):
    t = torch.ones(1)
    np_ = t.numpy()
    names = names_of(here())
    assert names.of(t) == "t"
    assert names.of(np_) == "np_"
    assert names.of(torch.ones(1)) is None
    assert here().place.function == "test_locals_come_before_globals"
    assert "weakref" in here()


def test_what_ipython_keeps_is_no_name():
    kept = {"_3": 1, "_i": 1, "_ii": 1, "_i3": 1, "_ih": 1, "_oh": 1, "__name__": 1, "In": 1, "Out": 1}
    space = Space({}, kept | {"_w": 2, "x": 3, "_i_mine": 4, "i3": 5}, None)
    assert dict(space) == {"_w": 2, "x": 3, "_i_mine": 4, "i3": 5}
    assert len(space) == 4


def test_a_name_of_underscores_is_one_where_the_learner_gave_it(monkeypatch: pytest.MonkeyPatch):
    shell = SimpleNamespace(user_ns_hidden={"_": 7, "__": 5})
    monkeypatch.setattr("autogradlab.inspectors.snapshot.names.notebook", lambda: shell)
    assert dict(Space({}, {"_": 7, "__": 8, "x": 3}, None, ["", "x"])) == {"__": 8, "x": 3}
    shell.user_ns_hidden = {}  # a builtin was named _ before IPython began
    assert dict(Space({}, {"__": "", "___": "", "x": ""}, None, ["", "x"])) == {"x": ""}


def test_one_level_deep(torch: Any):
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            self.extra = torch.ones(1)

    class Holder:
        @property
        def trap(self) -> Any:
            raise AssertionError("a property was run")

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(f"asked for {name}")

    model, plain, params, table = (
        Net(),
        Holder(),
        [torch.ones(1), torch.ones(2)],
        {"a": torch.ones(1), (1,): torch.ones(1)},
    )
    plain.w = torch.zeros(1)
    first = params[0]
    names = names_of(here())
    assert names.of(model.layers[1].weight) == "model.layers[1].weight"
    assert names.of(model.extra) == "model.extra"
    assert names.of(plain.w) == "plain.w"
    assert names.all(params[0]) == ["first", "params[0]"]
    assert names.of(params[1]) == "params[1]"
    assert names.of(table["a"]) == "table['a']"
    assert names.of(table[(1,)]) is None
    assert first is params[0]


@pytest.mark.filterwarnings("error")
def test_what_a_loop_left_in_its_variable_is_named_by_its_own_path(torch: Any):
    model = torch.nn.Linear(2, 1)
    params = [torch.ones(1), torch.zeros(1)]
    bias = model.bias
    for turned in model.parameters():
        turned.sum()
    assert names_of(here()).all(bias) == ["bias", "model.bias", "turned"]
    del bias
    assert names_of(here()).of(turned) == "model.bias"
    for left in params:
        left.sum()
    assert names_of(here()).of(left) == "params[1]"
    other = params[0] + 1
    for only in [other]:
        only.sum()
    assert names_of(here()).all(other) == ["other", "only"]


def test_gradients_are_named_after_their_tensor(torch: Any):
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    y.sum().backward()
    names = names_of(here())
    assert names.of(w.grad) == "w.grad"
    assert names.of(y) == "y"
    mine = w.grad
    assert names_of(here()).all(mine) == ["mine", "w.grad"]


def test_names_keep_nothing_alive(torch: Any):
    t = torch.ones(1)
    reference = weakref.ref(t)
    names = names_of({"t": t})
    assert [name for name, _ in names] == ["t"]
    del t
    gc.collect()
    assert reference() is None
    assert list(names) == []


def test_an_id_that_is_used_again_is_not_the_old_tensor(torch: Any):
    kept = torch.ones(1)
    names = names_of({"kept": kept, "gone": torch.zeros(1)})
    for _ in range(100):
        assert names.of(torch.zeros(1)) is None
    assert names.of(kept) == "kept"


def test_chinese_names(torch: Any):
    权重 = torch.ones(1)
    assert names_of(here()).of(权重) == "权重"


def test_in_a_notebook(shell: Any):
    shell.user_ns["here"] = here
    shell.user_ns["names_of"] = names_of
    shell.run("w = torch.ones(1)\nw")
    assert shell.run("[name for name, _ in names_of(here())]") == ["w"]
    assert shell.run("sorted(here())") == ["here", "names_of", "torch", "w"]
    with mock.patch.object(builtins, "_", str, create=True):  # then IPython leaves `_` and `__` as they are
        shell.run("w + 1")
        assert shell.run("sorted(here())") == ["here", "names_of", "torch", "w"]
    shell.run("_ = w * 2")
    assert "_" in shell.run("sorted(here())")
    assert shell.run("here().cells[1]") == "w = torch.ones(1)\nw"


def test_a_function_that_runs_on_does_not_keep_what_it_deleted(torch: Any):
    t = torch.ones(1)
    reference = weakref.ref(t)
    mine = locals()
    here()
    assert mine["t"] is t  # a dictionary that the user asked for is left alone
    del mine
    here()
    del t
    gc.collect()
    assert reference() is None


class _Kept:
    w: Any = None
    cache: dict[str, Any] = {}


def test_two_levels_deep(torch: Any, monkeypatch: pytest.MonkeyPatch):
    """Containers and Modules in a variable's own, and what the learner's classes hold; not what a Module keeps for
    itself, and no more than some of it."""
    params = {"layers": [torch.ones(1), torch.zeros(1)]}
    nets = [torch.nn.Linear(1, 1)]
    agent = SimpleNamespace(net=torch.nn.Linear(1, 1), _seen=[torch.ones(1)])
    far = {"a": {"b": [torch.ones(1)]}}
    many = [[torch.ones(1) for _ in range(600)] for _ in range(3)]
    names = names_of(here())
    assert names.of(params["layers"][1]) == "params['layers'][1]"
    assert names.all(nets[0].weight) == ["nets[0].weight"]
    assert names.of(agent.net.bias) == "agent.net.bias"
    assert names.of(agent._seen[0]) is None
    assert names.of(far["a"]["b"][0]) is None
    assert names.of(many[1][0]) == "many[1][0]" and names.of(many[2][0]) is None
    monkeypatch.setattr(_Kept, "w", torch.ones(1))
    monkeypatch.setitem(_Kept.cache, "h", torch.ones(1))
    assert names_of(here()).of(_Kept.w) is None  # a class of somebody's module
    monkeypatch.setattr(_Kept, "__module__", "__main__")
    names = names_of(here())
    assert names.of(_Kept.w) == "_Kept.w"
    assert names.of(_Kept.cache["h"]) == "_Kept.cache['h']"
