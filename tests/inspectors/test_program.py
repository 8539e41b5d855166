"""The learner's lines behind a graph: which line, which part of it, which turn of a loop, which Module made a Node."""

from __future__ import annotations

import re
from typing import Any

import pytest

from autogradlab.inspectors.parts import Drawing, Program, Row
from autogradlab.inspectors.snapshot.graph import Holders, Walk
from autogradlab.inspectors.snapshot.lines import note_of, unwatch, watch
from autogradlab.inspectors.snapshot.names import Place, Space
from autogradlab.inspectors.snapshot.program import Source, source_of
from autogradlab.inspectors.stored import packed
from tests.conftest import need


def source(shell: Any, *cells: str, root: str = "y") -> Source:
    for cell in cells:
        shell.run(cell)
    names = dict(shell.user_ns)
    space = Space({}, names, Place("", 10**6), list(shell.user_ns["In"]))
    found = source_of(Walk([names[root]]), Holders(space))
    assert found is not None
    return found


def rows(program: Program) -> list[tuple[int, str]]:
    """The rows with their depth."""
    by_id = {row.id: row for row in program.rows}

    def depth(row: Row) -> int:
        return 1 + depth(by_id[row.parent]) if row.parent else 0

    return [(depth(row), " ".join(filter(None, [row.tag, row.text]))) for row in program.rows]


def marks(found: Source) -> list[str]:
    """The letters of each Node, in the order in which the Nodes were made."""
    texts = {row.id: row.text for row in found.program.rows}
    order = {node: place for place, node in enumerate(found.spoken)}
    made = sorted(found.program.marks, key=lambda mark: order[mark.node])
    return [texts[mark.row][mark.first : mark.last] for mark in made]


def test_lines_and_the_letters_of_each_node(shell: Any):
    found = source(
        shell,
        "w = torch.tensor([1.], requires_grad=True)\nx = torch.tensor([2.], requires_grad=True)",
        "a = torch.mul(w, x)\ny = (a *\n     (w + 1)).sum()",
    )
    assert [text for _, text in rows(found.program)][4:] == ["a = torch.mul(w, x)", "y = (a * (w + 1)).sum()"]
    assert marks(found) == ["torch.mul(w, x)", "w + 1", "a * (w + 1)", "sum()"]  # Python's own span
    values = {row.text[0]: row.value.rows for row in found.program.rows if row.name and row.value is not None}
    assert values == {"w": (("1.",),), "x": (("2.",),), "a": (("2.",),), "y": (("4.",),)}
    assert found.program.complete
    assert found.program.of == "y"
    assert list(found.spoken.values()) == ["Line 1", "Line 2", "Line 2", "Line 2"]


def test_names_that_take_several_bytes(shell: Any):
    found = source(shell, "权重 = torch.ones(2, requires_grad=True)\ny = (权重 * 3).sum()  # 求和")
    assert marks(found) == ["权重 * 3", "(权重 * 3).sum()"]


def test_turns_of_loops(shell: Any):
    found = source(
        shell,
        "w = torch.ones(1, requires_grad=True)\nh = w * 1\n"
        "for t in range(3):\n    h = h * w\n"
        "for a in (1, 2):\n    for b in 'xy':\n        u = h * a\n        h = u + w\n"
        "k = 0\nwhile k < 2:\n    k += 1\n    h = h * w\ny = h",
    )
    text = rows(found.program)
    assert [r for r in text if r[1].startswith("t = ")] == [(2, f"t = {t} h = h * w") for t in range(3)]
    nested = [r for r in text if r[1].startswith(("a = ", "b = "))]
    inner = [(4, "b = 'x' · h"), (4, "b = 'y' · h")]  # whose value it is that stands there: u is another
    assert nested == [(2, "a = 1"), *inner, (2, "a = 2"), *inner]
    assert [r for r in text if r[1].startswith("turn")] == [(2, "turn 1 h = h * w"), (2, "turn 2 h = h * w")]
    assert {"h, t = 0", "h, t = 2", "u, a = 1, b = 'x'", "h, a = 2, b = 'y'", "h, turn 1"} <= set(found.names.values())
    ways = {tuple(label for _, label in way) for way in found.groups.values()}
    assert {("t = 1",), ("a = 2", "b = 'y'"), ("turn 2",)} <= ways


def test_a_turn_of_several_results_says_whose_value_it_shows(shell: Any):
    found = source(
        shell,
        "w = torch.ones(1, requires_grad=True)\npast = late = w * 1\nparts = []\n"
        "for t in range(2):\n    past = past * w\n    late = late + w\n"
        "for t in range(2):\n    past = past * 2\n    parts.append(past + late)\n"
        "y = parts[0] * parts[1]",
    )
    assert [row.text for row in found.program.rows if row.kind == "turn"] == [
        "t = 0 · late",
        "t = 1 · late",
        "t = 0 · line 9",
        "t = 1 · line 9",
    ]


def test_calls_comprehensions_and_modules(shell: Any):
    found = source(
        shell,
        "nn = torch.nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc1 = nn.Linear(2, 2)\n        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(2, 1))\n"
        "    def forward(self, x):\n        h = self.fc1(x)\n        return self.rest(h)\n"
        "def twice(v):\n    return v + v\nnet = Net()",
        "parts = [twice(net(torch.ones(1, 2))) for i in range(2)]\ny = (parts[0] * parts[1]).sum()",
    )
    text = rows(found.program)
    assert [r for r in text if r[1].startswith("i = ")] == [(2, "i = 0"), (2, "i = 1")]
    assert [r[1] for r in text if "Net.forward" in r[1]] == ["net · Net.forward(…)"] * 2
    assert [r[1] for r in text if r[1].startswith("twice")] == ["twice(…)"] * 2
    assert {"fc1", "rest", "rest[0]", "rest[1]"} <= {r[1] for r in text}
    assert "h" in {row.name for row in found.program.rows}
    leaves = {row.text for row in found.program.rows if row.kind == "leaf"}
    assert leaves == {"fc1.weight", "fc1.bias", "rest[1].weight", "rest[1].bias"}


def test_a_name_is_given_to_the_whole_value_only(shell: Any):
    found = source(
        shell, "w = torch.ones(2, requires_grad=True)\nkept = []\nkept.append(w * 2)\ny, z = (kept[0] + w).sum(), 1"
    )
    named = {row.text: row.name for row in found.program.rows if row.kind == "line"}
    assert named["kept.append(w * 2)"] == ""
    assert {"kept[0]", "y"} <= set(found.names.values())


def test_nothing_is_kept_and_nothing_noted_without_a_notebook(shell: Any):
    import gc
    import weakref

    shell.run(
        "w = torch.ones(2, requires_grad=True)\ndef f(v):\n    for i in range(2):\n        held = v * 2\n"
        "    return held\ny = f(w)"
    )
    assert len(note_of(shell.user_ns["y"].grad_fn)) == 2
    there = weakref.ref(shell.user_ns["w"])
    del shell.user_ns["w"], shell.user_ns["y"]
    gc.collect()
    assert there() is None
    unwatch()
    shell.run("w = torch.ones(2, requires_grad=True)\ny = w * 2")
    assert note_of(shell.user_ns["y"].grad_fn) == ()
    watch()
    watch()
    callbacks = [c for c in shell.events.callbacks["pre_run_cell"] if c.__module__.endswith("snapshot.lines")]
    assert len(callbacks) == 1


def test_thousands_of_nodes_are_stepped_through_where_lines_fold_them(shell: Any):
    shell.run("from autogradlab import inspectors as lab")
    shell.run("w = torch.ones(1, requires_grad=True)\ny = w * 1\nfor i in range(1500):\n    y = y * w")
    view = shell.run("lab.step(y)")
    program = next(block for block in view.card.blocks if isinstance(block, Program))
    tags = [row.tag for row in program.rows if row.tag]
    assert tags == [f"i = {i}" for i in range(1500 - len(tags), 1500)] and 100 < len(tags) < 400
    (left,) = [row for row in program.rows if row.kind == "left"]
    assert left.text == f"{1500 - len(tags)} more, which these steps do not reach"
    drawings = [block for block in view.card.blocks if isinstance(block, Drawing)]
    assert [len(drawing.groups) > 0 for drawing in drawings] == [False, True]
    drawn = sum(item.id.startswith("n") for item in drawings[0].items)
    assert f"The graph has 1502 Nodes; the {drawn + 1} that these steps are about are drawn." in view.text
    assert len(view.card.frames) > 100
    assert len(packed(view.card)) < 160_000, "as much as a graph of 300 Nodes"
    unwatch()
    shell.run("w = torch.ones(1, requires_grad=True)\ny = w * 1\nfor i in range(1500):\n    y = y * w")
    card = shell.run("lab.step(y)").card
    (drawing,) = [block for block in card.blocks if isinstance(block, Drawing)]
    assert len(card.frames) > 100
    assert len(card.frames) < len(drawing.items) < 1500, "the part that runs: a picture of all of them would be none"


def test_parameters_of_modules_without_a_variable(shell: Any):
    """They are named after the Module that was called, while it lives and afterwards."""
    shell.run("from autogradlab import inspectors as lab\nnn = torch.nn\nx = torch.ones(1, 2)")
    shell.run("y = (nn.Linear(2, 2)(x) + nn.Sequential(nn.Linear(2, 2), nn.Tanh())(x)).sum()")
    view = shell.run("lab.step(y)")
    leaves = {row.name for block in view.card.blocks if isinstance(block, Program) for row in block.rows}
    assert {"Linear.weight", "Linear.bias", "Linear₂.weight", "Linear₂.bias"} <= leaves
    assert "Linear₂.weight.grad = " in view.text and "a leaf of shape" not in view.text
    shell.run("class Holder: pass\nkept = Holder()\nkept.inner = Holder()")
    shell.run("kept.inner.model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())\ny = kept.inner.model(x).sum()")
    assert "Sequential[0].weight" in shell.run("lab.graph(y)").text
    assert "Sequential[0].bias.grad = " in shell.run("lab.step(y)").text


@pytest.mark.parametrize("library", ["autogradlab", "torch"])
def test_parameters_stand_as_the_forward_takes_them(shell: Any, library: str):
    need(library)
    shell.run(f"import {library} as torch\nfrom autogradlab import inspectors as lab\nnn = torch.nn")
    shell.run("model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))")
    view = shell.run("y = model(torch.ones(2, 3)).sum()\nlab.step(y)")
    rows = [row for block in view.card.blocks if isinstance(block, Program) for row in block.rows]
    leaves = [row.name for row in rows if row.kind == "leaf"]
    assert leaves == ["model[0].weight", "model[0].bias", "model[2].weight", "model[2].bias"]


def test_a_view_that_is_changed_in_place_has_its_line(shell: Any):
    shell.run("from autogradlab import inspectors as lab\nx = torch.ones(3, requires_grad=True)")
    shell.run("z = x * 2\nz[1:].mul_(3)\ny = z.sum()")
    said = [frame.said for frame in shell.run("lab.step(y)").card.frames]
    assert any(one.startswith("**Line 2 runs backwards:** `z[1:].mul_(3)`") for one in said)


def test_inspectors_that_were_imported_before_the_notebook(shell: Any):
    unwatch()  # as if nobody had noticed that there is a shell
    shell.run("from autogradlab import inspectors as lab")
    shell.run("w = torch.ones(2, requires_grad=True)\nlab.show(w)")
    view = shell.run("y = (w * 3).sum()\nlab.step(y)")
    assert any(frame.said.startswith("**Line 1 runs backwards:**") for frame in view.card.frames)


def test_what_a_line_hands_on_is_said(shell: Any):
    """Unchanged, by a short rule, or how many; of several Nodes of an expression or Module, which of them it is. Only
    the last one made what the expression is."""
    shell.run("from autogradlab import inspectors as lab\nnn = torch.nn\nx = torch.tensor([[1.], [2.]])")
    shell.run("net = nn.Sequential(nn.Linear(1, 2), nn.Tanh(), nn.Linear(2, 1))\nb = torch.ones(1, requires_grad=True)")
    shell.run("y = ((net(x) + b) * b).unbind()[0].sum() + 3")
    frames = shell.run("lab.step(y)").card.frames
    said = [frame.said.split("backwards:** ")[1] for frame in frames if "runs backwards" in frame.said]
    shapes = [re.sub(r"g = \*\*.*\*\*", "g", one).replace(" takes the gradient", ":") for one in said]
    assert shapes == [
        "`((net(x) + b) * b).unbind()[0].sum() + 3`: **1.** and hands it on as it is.",
        "`((net(x) + b) * b).unbind()[0].sum()`: g and hands on `g.expand(1)`.",
        "`((net(x) + b) * b).unbind()`: **[1.]** and works out the next one from it.",
        "`(net(x) + b) * b`: g and hands on `g·b` and `g·(net(x) + b)` summed to (1,).",
        "`net(x) + b`: g and hands on `g` and `g` summed to (1,).",
        "AddmmBackward0 of `net[2]`: g and hands on `g` summed to (1,), `g @ net[2].weight` and `tanhᵀ @ g`.",
        "TBackward0 of `net[2]`: g and hands on `gᵀ`.",
        "TanhBackward0 of `net[1]`: g and hands on `g·(1-result²)`.",
        "AddmmBackward0 of `net[0]`: g and hands on `g` summed to (2,) and `xᵀ @ g`.",
        "TBackward0 of `net[0]`: g and hands on `gᵀ`.",
    ]
    reached = [one.to for frame in frames for one in frame.worked]
    assert reached.count("net(x)") == 1, "the sum of it alone, no Node within"
    assert {"net[0](…)", "net[1](…)"} <= set(reached)


def test_a_name_that_means_another_tensor_now_is_not_used(shell: Any):
    """An expression stands for a value where its names still mean what they meant there: a function has variables of
    its own, and a variable may have been given another value since."""
    found = source(
        shell,
        "x = torch.tensor([1., 2.], requires_grad=True)\nw = torch.tensor([3., 4.], requires_grad=True)",
        "def f(x):\n    x = torch.exp(x * w)\n    return x * w\ndef k(v): return (v - w) * v",
        "h = x * 2\nh = torch.relu(h)\nh = h + w",
        "y = (f(h) + k(x)).sum()",
    )
    called = [found.bare.get((node, 0), "") for node in found.spoken]
    # x * 2, relu, +; x * w, exp, x * w in f; (v - w), * v in k; f(h) + k(x), sum
    assert called == ["x * 2", "", "h", "", "", "", "v - w", "(v - w) * v", "f(h) + k(x)", "y"]


def test_a_name_that_nobody_means_to_use_is_one_where_there_is_no_other(shell: Any):
    found = source(
        shell,
        "_ = torch.tensor([1.], requires_grad=True)\nw = torch.tensor([3.], requires_grad=True)\n__ = w",
        "y = (_ * __).sum()",
    )
    assert [row.name for row in found.program.rows if row.kind == "line"][:3] == ["_", "w", "y"]


def test_a_line_that_makes_a_container_has_no_value_of_one_in_it(shell: Any):
    shell.run("w = torch.tensor([1., 2.], requires_grad=True)\ndef pieces():\n    for k in range(2): yield w * k")
    shell.run("parts = list(pieces())\none = parts[1] * 3\ny = one.sum()")
    program = shell.run("lab_ = __import__('autogradlab.inspectors').inspectors\nlab_.step(y)").card.blocks[0]
    values = {row.text: row.value and row.value.rows for row in program.rows}
    assert values["parts = list(pieces())"] is None
    assert values["one = parts[1] * 3"] == (("3.", "6."),)


def shown(found: Source) -> dict[str, tuple[str, ...]]:
    """The first row of numbers that stands beside each row with a value, by its text."""
    return {row.text: row.value.rows[0] for row in found.program.rows if row.value is not None}


def test_each_result_of_a_line_has_a_row(shell: Any):
    found = source(
        shell,
        "x = torch.tensor([1., 2., 3., 4.], requires_grad=True)\np, q = x.split(2)\ny = (p * q).sum()",
    )
    assert [text for _, text in rows(found.program)][2:] == ["p, q = x.split(2)", "p", "q", "y = (p * q).sum()"]
    values = shown(found)
    assert "p, q = x.split(2)" not in values
    assert (values["p"], values["q"]) == (("1.", "2."), ("3.", "4."))
    names = {row.text: row.id for row in found.program.rows}
    assert {found.names[at]: found.rows[at] for at in found.names if found.names[at] in "pq"} == {
        "p": [names["p"]],
        "q": [names["q"]],
    }


def test_one_result_of_a_node_that_has_several(shell: Any):
    found = source(
        shell,
        "x = torch.tensor([[1., 5.], [4., 2.]], requires_grad=True)\nm, i = x.max(dim=1)",
        "y = (m * x.split(1)[1]).sum()",
    )
    assert shown(found)["m, i = x.max(dim=1)"] == ("5.", "4.")
    assert "x.split(1)[1]" in found.names.values()


def test_results_of_a_function_of_the_learner(shell: Any):
    found = source(
        shell,
        "def two(t):\n    a, b = t * 2, t * 3\n    return b, a",
        "x = torch.tensor([1.], requires_grad=True)\nfor k in range(2):\n    u, v = two(x)\n    x = u * v",
        "y = x.sum()",
    )
    texts = [(row.text, row.value.rows[0] if row.value is not None else None) for row in found.program.rows]
    assert texts.count(("u, v = two(x)", None)) == 2
    assert [text for text in texts if text[0] in "abuv"] == [
        ("a", ("2.",)),
        ("b", ("3.",)),
        ("a", ("12.",)),
        ("b", ("18.",)),
        ("u", ("18.",)),
        ("v", ("12.",)),
    ]


def test_a_call_that_leaves_something_beside_its_result(shell: Any):
    found = source(
        shell,
        "kept = []\ndef noted(t):\n    h = t * 2\n    kept.append(h.sum())\n    return h",
        "x = torch.tensor([1., 2.], requires_grad=True)\nh = noted(x)\ny = h.sum() + kept[0]",
    )
    assert shown(found)["h = noted(x)"] == ("2.", "4.")  # and not the sum, which was made last
    assert "noted(…)" not in shown(found)


def test_many_results_are_not_all_shown(shell: Any):
    found = source(
        shell, "x = torch.arange(20., requires_grad=True)\nparts = x.split(2)\ny = sum(p.prod() for p in parts)"
    )
    texts = [text for _, text in rows(found.program)]
    assert texts[texts.index("parts[7]") + 1] == "parts[8] … parts[9]"


TIMES = """from autogradlab import inspectors as lab
class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a if ctx.needs_input_grad[1] else None
a = torch.tensor([2., 3.], requires_grad=True)"""


def test_whose_backward_is_called_is_said(shell: Any):
    shell.run(TIMES)
    told = {
        "torch.ones(2)": "`Times.apply(a, torch.ones(2))` takes the gradient **[1., 1.]** and calls your "
        "`Times.backward`, which makes **[1., 1.]** of it.",
        "a": "`Times.apply(a, a)` takes the gradient **[1., 1.]** and calls your `Times.backward`, which works out 2 "
        "gradients from it.",
    }
    for other, said in told.items():
        frames = shell.run(f"y = Times.apply(a, {other}).sum()\nlab.step(y)").card.frames
        assert f"**Line 1 runs backwards:** {said}" in [frame.said for frame in frames]
