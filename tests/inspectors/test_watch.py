"""`watch`: a table whose lines follow their names from cell to cell."""

from __future__ import annotations

import gc
import re
import weakref
from contextlib import closing
from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors import words
from autogradlab.inspectors.parts import Table


def table(view: Any) -> Table:
    """The one table."""
    (found,) = [block for block in view.card.blocks if isinstance(block, Table)]
    return found


def named(view: Any) -> list[str]:
    """The names in front of the lines."""
    return [row[0] for row in table(view).rows]


def said(view: Any, number: int = 0) -> str:
    """What the table says of a line that changed."""
    shown = table(view)
    changed = shown.rows[number][shown.columns.index("what changed")]
    assert shown.tones[number] == (
        "plain"
        if not changed
        else "warning"
        if "no variable" in changed or " is " in changed and "—" in shown.rows[number]
        else "accent"
    )
    return changed


@pytest.fixture
def live(shell: Any) -> Any:
    shell.user_ns["lab"] = lab
    shell.run("w = torch.tensor([1., 2.], requires_grad=True)\nx = torch.ones(2)")
    return shell


def test_it_is_refreshed_after_every_cell(live: Any):
    view = live.run("lab.watch(w, x)")
    assert named(view) == ["`w`", "`x`"]
    assert view.card.subtitle == "after cell [2]"
    assert not any(said(view, k) for k in range(len(named(view))))
    live.run("loss = (w * x).sum()\nloss.backward()")
    assert view.card.subtitle == "after cell [3]"
    assert said(view) == "grad None → [1., 1.]"
    assert said(view, 1) == ""
    live.run("with torch.no_grad():\n    w -= 0.5 * w.grad")
    assert said(view) == "version 0 → 1; values [1., 2.] → [0.5000, 1.5000]"
    live.run("1 + 1")
    assert not any(said(view, k) for k in range(len(named(view))))
    live.run("w.grad = None")
    assert said(view) == "grad [1., 1.] → None"
    assert table(view).rows[0] == (
        "`w`",
        "[0.5000, 1.5000]",
        "None",
        "grad [1., 1.] → None",
        "1",
        "leaf",
        "float32 (2,)",
    )
    view.close()


def test_names_that_go_and_come(live: Any):
    view = live.run("lab.watch('w', 'later')")
    assert said(view, 1) == "There is no variable `later` yet."
    live.run("del w\nlater = torch.zeros(1)")
    assert said(view) == "`w` is deleted: nothing has this name now."
    assert said(view, 1) == "`later` is there now"
    live.run("w = torch.zeros(2)")
    assert said(view) == "`w` is there again"
    live.run("w = w + 1")
    assert said(view).startswith("`w` now names another tensor; ")
    assert "values [0., 0.] → [1., 1.]" in said(view)
    live.run("w = 'text'")
    assert said(view).startswith("`w` now names `str`")
    assert table(view).rows[0][1] == "'text'"
    view.close()


def test_a_lost_leaf_is_seen(live: Any):
    view = live.run("lab.watch(w)")
    live.run("w = w * 2")
    assert said(view).startswith("`w` now names another tensor; is_leaf ✓ → ✗; grad_fn None → MulBackward0")
    view.close()


def test_closing_stops(live: Any):
    before = list(live.events.callbacks["post_run_cell"])
    view = live.run("lab.watch(w)")
    assert len(live.events.callbacks["post_run_cell"]) == len(before) + 1
    view.close()
    assert live.events.callbacks["post_run_cell"] == before
    shown = view.card
    live.run("w = 3")
    assert view.card is shown


def test_a_view_that_is_gone_stops_too(shell: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("autogradlab.inspectors.widgets.available", lambda: False)  # widgets live until they are closed
    before = list(shell.events.callbacks["post_run_cell"])
    shell.user_ns["lab"] = lab
    shell.run("w = torch.ones(1)\nview = lab.watch(w);")
    assert len(shell.events.callbacks["post_run_cell"]) == len(before) + 1
    shell.run("del view")
    gc.collect()
    shell.run("1;")
    assert shell.events.callbacks["post_run_cell"] == before


def test_nothing_is_kept_alive(live: Any):
    view = live.run("lab.watch(w, x)")
    reference = weakref.ref(live.user_ns["w"])
    live.run("del w;")
    gc.collect()
    assert reference() is None
    assert said(view) == "`w` is deleted: nothing has this name now."
    view.close()


def test_what_has_no_name(live: Any):
    view = live.run("lab.watch(w * 2)")
    assert named(view) == ["`w * 2`"]
    live.user_ns["Out"].clear()
    live.run("1;")
    gc.collect()
    live.run("2;")
    assert said(view) == "`w * 2` is gone: it had no name, and nothing else held it."
    view.close()


def test_items_and_attributes(live: Any):
    live.run("model = torch.nn.Linear(2, 1)\nparams = [torch.zeros(1)]")
    view = live.run("lab.watch(model.weight, params[0], model)")
    assert named(view) == ["`model.weight`", "`params[0]`", "`model.bias`"]
    live.run("params[0] = torch.ones(1)\nmodel(torch.ones(1, 2)).sum().backward();")
    assert said(view) == "grad None → [[1., 1.]]"
    assert said(view, 1).startswith("`params[0]` now names another tensor")
    assert said(view, 2) == "grad None → [1.]"
    view.close()


def test_everything(live: Any):
    view = live.run("lab.watch()")
    assert named(view) == ["`w`", "`x`"]
    live.run("del x\ny = w * 2")
    assert named(view) == ["`w`", "`x`", "`y`"]
    assert said(view, 1) == "`x` is deleted: nothing has this name now."
    live.run("1;")
    assert named(view) == ["`w`", "`y`"]
    live.run("for k in range(40): globals()[f't{k}'] = torch.ones(1)")
    assert "40 of 42 are shown." in view.text
    view.close()


def test_without_a_notebook(torch: Any):
    w = torch.ones(2)
    view = lab.watch(w)
    assert "A snapshot: it is refreshed only" in view.text
    assert named(view) == ["`w`"]


def test_in_a_function_it_is_a_snapshot(live: Any):
    live.run("def f(t):\n    return lab.watch(t)")
    view = live.run("f(w)")
    assert "A snapshot" in view.text


def test_a_cell_that_fails_refreshes_too(live: Any, capsys: pytest.CaptureFixture[str]):
    view = live.run("lab.watch(w)")
    live.run_cell("with torch.no_grad():\n    w.add_(1)\nraise ValueError('no')", store_history=True)
    assert "values [1., 2.] → [2., 3.]" in said(view)
    view.close()


def test_large_numbers_of_elements_are_not_listed(live: Any):
    view = live.run("big = torch.zeros(100, 100)\nlab.watch(big)")
    live.run("big.fill_(2);")
    assert said(view) == "version 0 → 1; ‖values‖ 0 → 200"
    live.run("big.requires_grad_(); big.sum().backward();")
    assert "grad None → ‖grad‖ 100" in said(view)
    live.run("big.data[50, 50] += 1;")
    assert said(view) == "values: other numbers", "an element that is not on the card, and no version counts it"
    live.run("big.data[50, 50] = float('nan');")
    assert said(view) == "‖values‖ 200 → nan"
    live.run("1;")
    assert said(view) == ""
    view.close()


def test_our_own_mistakes_do_not_reach_the_cell(live: Any, monkeypatch: pytest.MonkeyPatch):
    view = live.run("lab.watch(w)")

    def broken(*_: object) -> Any:
        raise RuntimeError("<b>broken</b>")

    monkeypatch.setattr("autogradlab.inspectors.cards.watch.names_of", broken)
    live.run("1;")
    assert "The table could not be refreshed: `RuntimeError: <b>broken</b>`" in view.text
    view.close()


def test_lists_are_taken_apart_and_numbers_are_said_as_they_are(live: Any):
    view = live.run("lab.watch({'a': w, 'b': x}, (w, 3), [1, 2])")
    assert named(view) == ["`{'a': w, 'b': x}['a']`", "`{'a': w, 'b': x}['b']`", "`(w, 3)[0]`", "`[1, 2]`"]
    assert table(view).rows[3][1] == "[1, 2]"
    live.run("1;")
    assert said(view, 3) == ""
    view.close()


def test_each_line_lights_its_tensor_in_other_cards(live: Any):
    view = live.run("lab.watch(w, 'later')")
    shown = live.run("lab.show(w)")
    assert table(view).tensors == (shown.card.tensor, "") and shown.card.tensor
    view.close()


def test_chinese(live: Any):
    lab.set_language("zh")
    view = live.run("lab.watch(w)")
    live.run("del w;")
    assert table(view).columns[3] == "变化"
    assert table(view).rows[0][3] == "`w` 已被删除：现在没有东西叫这个名字。"
    assert view.card.subtitle == "单元格 [3] 运行之后"
    view.close()


def test_both_languages_have_the_same_fields():
    for key, entry in words.catalogue("watch").items():
        assert set(entry) == {"en", "zh"}, key
        assert set(re.findall(r"{(\w+)}", entry["en"])) == set(re.findall(r"{(\w+)}", entry["zh"])), key


def test_none_is_not_gone() -> None:
    assert "gone" not in lab.watch(None).text
    assert "NoneType" in lab.watch(None).text


def test_a_name_that_is_given_twice_is_one_line(torch: Any):
    model = torch.nn.Linear(2, 1)
    with closing(lab.watch(model.weight, model, model.bias)) as table:
        assert [row[0] for row in table.card.blocks[0].rows] == ["`model.weight`", "`model.bias`"]
    with closing(lab.watch(model.weight * 2, model.weight * 2)) as table:  # these are two
        assert len(table.card.blocks[0].rows) == 2
