"""`lab.graph` in all cases: details, hooks, origins, names that are strange, no graph,
graphs too large for a picture."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.parts import Drawing, Item, to_json


def drawing(view: Any) -> Drawing:
    (found,) = [block for block in view.card.blocks if isinstance(block, Drawing)]
    return found


def opened(view: Any, ident: str) -> dict[str, str]:
    """The facts that opening an item shows."""
    (item,) = [item for item in drawing(view).items if item.id == ident]
    return {label: value for block in item.details for label, value in block.rows}


def shown(item: Item) -> list[str]:
    return [shape.text for shape in item.shapes if hasattr(shape, "text") and shape.text]


def leaves(torch: Any) -> tuple[Any, Any]:
    return torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)


def test_details_of_a_node_and_of_values(torch: Any):
    w, x = leaves(torch)

    def double(g: Any) -> Any:
        return g * 2

    a = w * x
    a.retain_grad()
    a.register_hook(double)
    w.register_post_accumulate_grad_hook(double)
    y = a / x
    y.grad_fn.metadata["note"] = "mine"
    view = lab.graph(y)
    node = opened(view, "n1")
    assert node["Node"] == "DivBackward0"
    assert node["made by"].startswith("a / x, test_graph_cases.py, line ")
    assert (node["_saved_self"], node["_saved_other"]) == ("a = [2.], (1,) float32", "x = [2.], (1,) float32")
    assert node["next_functions[0]"] == "MulBackward0 (a): g/x"
    assert node["next_functions[1]"] == "AccumulateGrad (x): -g·a/x²"
    assert node["metadata['note']"] == "'mine'"
    items = {shown(item)[0]: item.id for item in drawing(view).items if item.id[0] == "v"}
    value = opened(view, items["a = [2.]"])
    assert value["grad_fn"] == "output 0 of MulBackward0"
    assert (value["kind"], value[".grad"]) == ("non-leaf", "None")
    assert value["tensor hook"].endswith("double")
    assert "retain_grad" in value
    leaf = opened(view, items["w = [1.]"])
    assert leaf["AccumulateGrad"] == "adds what arrives to .grad"
    assert leaf["post-accumulate-grad hook"].endswith("double")


def test_several_outputs(torch: Any):
    x = torch.tensor([[1.0, 5.0], [3.0, 2.0]], requires_grad=True)
    top, where = x.max(1)
    p, q = top.unbind()
    y = p * q
    assert lab.graph(y).text.split("\n")[1:-1] == [
        "x = [[1., 5.], [3., 2.]] · leaf, requires_grad, .grad: None",
        "top = max(x) = [5., 3.] · MaxBackward0, saved indices=where",
        "p, q = unbind(top) · UnbindBackward0",
        "y = mul(p, q) = 15. · MulBackward0, saved self=p other=q · the root",
    ]
    assert opened(lab.graph(y), "n1")["next_functions[1]"] == "UnbindBackward0 (q), as its input 1: g·p"
    assert where.tolist() == [1, 0]


def test_numbers_of_the_program_are_data(torch: Any):
    w, _ = leaves(torch)
    y = 2 * w
    assert "y = mul(w, 2) = [2.] · MulBackward0, saved other · the root" in lab.graph(y).text
    assert opened(lab.graph(y), "n1")["next_functions[0]"] == "AccumulateGrad (w): g·2"


def test_several_roots_and_a_leaf_that_is_one(torch: Any):
    w, x = leaves(torch)
    one = w * x
    two = one + x
    view = lab.graph([one, two, x])
    assert view.card.title == "Graph of one, two, x"
    roots = [item for item in drawing(view).items if any("root" in text for text in shown(item))]
    assert sorted(shown(item)[0] for item in roots) == ["one = [2.]", "two = [4.]", "x = [2.]"]


def test_nothing_to_look_at(torch: Any):
    w, _ = leaves(torch)
    assert "`w` is a leaf: you made it" in lab.graph(w).text
    data = torch.ones(2)
    assert "`data` has no graph" in lab.graph(data).text
    assert "looks at tensors; this is an object of type `int`" in lab.graph(3).text
    assert "looks at tensors; this is an object of type `NoneType`" in lab.graph([w, None]).text
    assert "the list is empty" in lab.graph([]).text


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "权重", "a" * 60])
def test_strange_names(torch: Any, name: str):
    space = {name: torch.tensor([1.0], requires_grad=True)}
    y = space[name] * 2
    view = lab.graph(y)
    assert f"space['{name}']" in view.text
    assert "<img" not in view.svg()
    assert "<img src=x" not in view.html()
    assert "<img" not in lab.step(y).svg()


def test_odd_tensors(torch: Any):
    empty, scalar = torch.ones(0, 3, requires_grad=True), torch.tensor(float("nan"), requires_grad=True)
    large = torch.zeros(10_000_000, requires_grad=True)
    y = empty.sum() * scalar + large.sum()
    start = time.process_time()
    text = lab.graph(y).text
    assert time.process_time() - start < 1.0
    assert "large = (10000000,) float32 · leaf" in text
    assert "scalar = nan · leaf" in text


def test_too_large_for_a_picture(torch: Any):
    w = torch.ones(1, requires_grad=True)
    y = w
    for _ in range(30_000):
        y = (y * w).sin()
    lines = lab.graph(y).text.split("\n")
    assert lines[1].startswith("This graph has more than 1000 Nodes")
    facts = {line.split("  ")[0]: line.split()[-1] for line in lines[2:]}
    assert "leaves        1: w" in lines
    if torch.__name__ == "torch":  # it would crash when y is freed, had Python seen all of it
        assert lines[2].startswith("Counted are only the 10000 Nodes nearest to the root")
        assert (facts["Nodes"], facts["depth"]) == ("10000", "9998")
    else:
        assert (facts["Nodes"], facts["depth"]) == ("60001", "60000")
        assert (facts["MulBackward0"], facts["SinBackward0"]) == ("30000", "30000")
    assert lab.graph(y * 2, max_nodes=10).card.blocks[0].text.startswith("This graph has more than 10 Nodes")


def test_unnamed_results_fold_behind_the_named_one(torch: Any):
    w, x = leaves(torch)
    a = ((w * 2).exp() + x).sin().cos()
    y = a * x
    (fold,) = drawing(lab.graph(y)).folds
    assert fold.label == "4 Nodes and their leaves (1)"
    items = {item.id for item in drawing(lab.graph(y)).items}
    assert set(fold.items) | {fold.at} <= items
    assert {"n1", fold.at}.isdisjoint(fold.items)


def test_ids_are_unique_and_the_state_is_small(torch: Any):
    from autogradlab.inspectors.stored import packed

    h = torch.ones(2, 2)
    for _ in range(20):
        h = torch.tanh(h @ torch.ones(2, 2, requires_grad=True) + torch.ones(2, requires_grad=True))
    loss = h.sum()
    for view in (lab.graph(loss), lab.step(loss)):
        ids = [item.id for item in drawing(view).items]
        assert len(ids) == len(set(ids)) > 150
        assert len(packed(view.card)) < 100_000
        assert json.loads(json.dumps(to_json(view.card), allow_nan=False))["kind"] == view.card.kind


def test_in_a_notebook_cells_are_named(torch: Any, shell: Any):
    shell.run("w = torch.tensor([1.], requires_grad=True)")
    shell.run("a = w * 3\ny = a.exp()")
    shell.run("from autogradlab import inspectors as lab; view = lab.graph(y)")
    view = shell.user_ns["view"]
    assert opened(view, "n1")["made by"] == "a.exp(), cell [2], line 2"
    assert opened(view, "n2")["made by"] == "w * 3, cell [2], line 1"


def test_chinese(torch: Any):
    lab.set_language("zh")
    w, x = leaves(torch)
    y = w * x
    assert lab.graph(y).text.split("\n")[:4] == [
        "y 的计算图 · 1 个节点，2 个叶子",
        "w = [1.] · 叶子，requires_grad，.grad：None",
        "x = [2.] · 叶子，requires_grad，.grad：None",
        "y = mul(w, x) = [2.] · MulBackward0，保存了 self=w other=x · 根",
    ]


def test_what_has_no_name_and_no_graph_is_called_by_its_expression(torch: Any):
    w, _ = leaves(torch)
    view = lab.graph((w * 2).detach())
    assert view.card.title == "Graph of (w * 2).detach()"
    assert "`(w * 2).detach()` has no graph" in view.text
    assert "(w * 2).detach() = [2.] · data, no gradient" in view.text
    assert "`torch.ones(1, requires_grad=True)` is a leaf" in lab.graph(torch.ones(1, requires_grad=True)).text
    assert lab.graph([w * 2, w + 1]).card.title == "Graph of w * 2, w + 1"
    pair = [w * 2, w + 1]
    assert lab.graph([*pair]).card.title == "Graph of pair[0], pair[1]"
    assert lab.graph([w * i for i in (1, 2)]).card.title == "Graph of a tensor, a tensor"
