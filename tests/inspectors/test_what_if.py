"""`lab.what_if`: what it says is what PyTorch does when the program is changed so, on both libraries."""

from __future__ import annotations

from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.parts import Drawing, Path, Table, Text


def rows(view: Any) -> dict[str, tuple[str, ...]]:
    """What is said of each leaf; where leaves share a row, what each gets is in a second table."""
    table, *apart = [block for block in view.card.blocks if isinstance(block, Table)]
    each = {row[0]: row[1:] for folded in apart for row in folded.rows}
    return {name.strip("`"): (*each.get(name, row[1:3]), row[3]) for row in table.rows for name in row[0].split(", ")}


def first(torch: Any) -> tuple[Any, ...]:
    w, x = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
    a = w * x
    b = w + 1
    return w, x, a, b, a * b


def test_a_detached_tensor(torch: Any) -> None:
    w, x, a, b, y = first(torch)
    found = rows(lab.what_if(y, cut=a))
    assert found["w"] == (
        "[6.]",
        "[2.]",
        "[4.] of it came through `a`; the rest still comes by way of AddBackward0 (`b`).",
    )
    assert found["x"][:2] == ("[2.]", "nothing")
    (a.detach() * b).backward()
    assert (w.grad.tolist(), x.grad) == ([2.0], None)


@pytest.mark.parametrize("how", ["zero", "cut"])
def test_a_way_around_is_one_even_if_zeros_come_along_it(torch: Any, how: str) -> None:
    w = torch.tensor([1.0], requires_grad=True)
    a = w * 2
    y = a + w.exp() * torch.tensor([0.0])
    why = "[2.] of it came through `a`; the rest still comes by way of ExpBackward0."
    assert rows(lab.what_if(y, **{how: a}))["w"] == ("[2.]", "[0.]", why)


def test_a_zero_gradient(torch: Any) -> None:
    w, x, a, _b, y = first(torch)
    found = rows(lab.what_if(y, zero=a))
    assert [found[name][:2] for name in "wx"] == [("[6.]", "[2.]"), ("[2.]", "[0.]")]
    assert "zeros arrive" in found["x"][2] and "AddBackward0" in found["w"][2] and "MulBackward0" not in found["w"][2]
    a.register_hook(lambda grad: grad * 0)
    y.backward()
    assert (w.grad.tolist(), x.grad.tolist()) == ([2.0], [0.0])


def test_a_frozen_leaf(torch: Any) -> None:
    w, x, _a, _b, y = first(torch)
    found = rows(lab.what_if(y, frozen=w))
    assert [found[name][:2] for name in "wx"] == [("[6.]", "nothing"), ("[2.]", "[2.]")]
    assert found["x"][2] == "No path to it goes through `w`."
    assert x.grad is None and w.requires_grad


def test_a_frozen_module_is_what_pytorch_does(torch: Any) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    x = torch.randn(4, 2)
    loss = model(x).pow(2).mean()
    found = rows(lab.what_if(loss, frozen=model[0]))
    assert found["model[0].weight"][1] == found["model[0].bias"][1] == "nothing"
    assert found["model[2].weight"][0] == found["model[2].weight"][1]
    assert "They are the ones that are frozen" in lab.what_if(loss, frozen=model).text
    model[0].requires_grad_(False)
    model(x).pow(2).mean().backward()
    assert model[0].weight.grad is None and model[2].weight.grad is not None


def test_a_reason_that_leaves_share_is_said_once(torch: Any) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    w = torch.ones(4, 1, requires_grad=True)
    out = model(torch.randn(4, 2))
    view = lab.what_if((out * w).mean(), cut=out)
    table, apart = [block for block in view.card.blocks if isinstance(block, Table)]
    whole = {f"`model[{k}].{part}`" for k in (0, 2) for part in ("weight", "bias")}
    (shared,) = [row for row in table.rows if row[0] != "`w`"]
    assert set(shared[0].split(", ")) == {row[0] for row in apart.rows} == whole
    assert shared[3].startswith("All paths to them lead through `out`")
    assert shared[1:3] == ("4 gradients", "nothing") and apart.folded and len(table.tones) == len(table.rows) == 2
    assert all(row[1] in view.text for row in apart.rows)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_cut_in_the_middle(torch: Any, seed: int) -> None:
    """Every leaf gets what a program with detach() brings it."""

    def run(detached: bool) -> tuple[Any, Any, list[Any]]:
        torch.manual_seed(seed)
        leaves = [torch.randn(3, 3, requires_grad=True) for _ in range(3)]
        h = (leaves[0] @ leaves[1]).tanh()
        used = h.detach() if detached else h
        y = (used * leaves[2] + leaves[seed % 3].exp()).sum() + (used**2).mean()
        return h, y, leaves

    h, y, leaves = run(False)
    p, q, r = leaves
    found = rows(lab.what_if(y, cut=h))
    _, other, others = run(True)
    other.backward()
    for name, leaf in zip("pqr", others, strict=True):
        if name in found:
            expected = "nothing" if leaf.grad is None else str(round(leaf.grad.reshape(-1)[0].item(), 4))
            assert found[name][1] == expected or found[name][1].startswith(f"[[{leaf.grad.reshape(-1)[0].item():.4f}")
    assert p.grad is None and q.grad is None and r.grad is None


def test_zeros_do_not_stop_nan(torch: Any) -> None:
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    root = w.sqrt()
    y = root.sum()
    assert "is NaN" in rows(lab.what_if(y, zero=root))["w"][2]
    assert rows(lab.what_if(y, cut=root))["w"][1] == "nothing"


def test_the_picture_shows_where_it_is_cut(torch: Any) -> None:
    _w, _x, a, _b, y = first(torch)
    view = lab.what_if(y, cut=a)
    (drawing,) = [block for block in view.card.blocks if isinstance(block, Drawing)]
    cut = [i for i in drawing.items for s in i.shapes if isinstance(s, Path) and s.tone == "warning" and s.dashed]
    assert len(cut) == 1 and "✂" in view.svg() and "6. → 2." in view.svg() and "2. → —" in view.svg()


def test_what_is_not_on_the_way(torch: Any) -> None:
    _w, _x, _a, _b, y = first(torch)
    other = torch.tensor([1.0], requires_grad=True)
    assert "nothing changes" in lab.what_if(y, cut=other).text
    assert "raises an error" in lab.what_if(y, cut=y).text


@pytest.mark.parametrize("how", ["cut", "zero"])
def test_a_view_that_was_written_in_place_is_asked_of_at_its_base(torch: Any, how: str) -> None:
    a = torch.zeros(2, 3, requires_grad=True)
    b = a * 1
    v = b[0]
    v.mul_(3)
    y = (b**2 + b).sum()
    view: Any = lab.what_if(y, **{how: v})
    assert "`v` is a view of `b`, which was written in place" in view.text
    assert "changes nothing" not in view.text and not any(isinstance(block, Table) for block in view.card.blocks)
    later = b[1]
    assert rows(lab.what_if((later * 2).sum(), cut=later))["a"][1] == "nothing"
    other = a * 2
    row = other[0]
    assert "nothing changes" in lab.what_if(other.sum(), cut=row).text


def test_what_cannot_be_asked(torch: Any) -> None:
    _w, _x, a, _b, y = first(torch)
    assert "Only leaves can be frozen" in lab.what_if(y, frozen=a).text
    assert "Say what is to be changed" in lab.what_if(y).text
    assert "has 2 elements" in lab.what_if(torch.ones(2, requires_grad=True) * 2, cut=a).text
    assert "no backward starts from it" in lab.what_if(torch.ones(1), cut=a).text
    with pytest.raises(TypeError, match="cut= takes tensors or Modules, not int"):
        lab.what_if(y, cut=3)
    y.backward()
    assert "has let go of what its Nodes saved" in lab.what_if(y, cut=a).text


def test_nothing_is_changed_and_no_hook_fires(torch: Any) -> None:
    w, x, a, _b, y = first(torch)
    fired: list[Any] = []
    a.register_hook(lambda grad: fired.append(grad))
    text = lab.what_if(y, cut=a).text
    assert fired == [] and "There are hooks on the path" in text and w.grad is None and x.grad is None
    y.backward()
    assert w.grad.tolist() == [6.0] and len(fired) == 1


def test_large_graphs_and_many_leaves(torch: Any) -> None:
    y = w = torch.tensor(1.0, requires_grad=True)
    for _ in range(60):
        y = y * 1.01
    middle = y
    for _ in range(60):
        y = y + 1
    view = lab.what_if(y, cut=middle)
    assert "is not drawn" in view.text and rows(view)["w"][1] == "nothing" and w.grad is None


def test_of_many_leaves_each_is_told_and_what_changes_stands_first(torch: Any) -> None:
    many = [torch.tensor([1.0 + k], requires_grad=True) for k in range(60)]
    y = sum(leaf * leaf for leaf in many).sum()
    table = next(b for b in lab.what_if(y, frozen=many[0]).card.blocks if isinstance(b, Table))
    assert [(row[0][:9], row[1]) for row in table.rows] == [("`many[0]`", "[2.]"), ("`many[59]", "59 gradients")]
    assert table.rows[1][0].endswith(" and 53 more")


def test_of_many_that_get_less_some_are_listed_and_the_rest_is_counted(torch: Any) -> None:
    many = [torch.tensor([1.0 + k], requires_grad=True) for k in range(50)]
    a = sum(k * leaf for k, leaf in enumerate(many))
    shown = lab.what_if((a * a).sum() + sum(leaf * leaf for leaf in many).sum(), cut=a)
    assert len(next(b for b in shown.card.blocks if isinstance(b, Table)).rows) == 40
    assert "10 more rows are not listed." in shown.text


def test_both_languages(torch: Any) -> None:
    _w, _x, a, _b, y = first(torch)
    lab.set_language("zh")
    view = lab.what_if(y, cut=a)
    assert "没有梯度到达" in view.text and view.card.lang == "zh" and view.html()


def test_odd_and_hostile_things(torch: Any) -> None:
    evil = "<img src=x onerror=alert(1)>"
    held = {evil: torch.tensor([float("nan"), float("inf")], requires_grad=True)}
    bad = type(
        evil,
        (torch.autograd.Function,),
        {"forward": staticmethod(lambda ctx, x: x * 2), "backward": staticmethod(lambda ctx, g: 1 / 0)},
    )
    y = (held[evil] * held[evil]).sum()
    number = torch.tensor(1 + 2j, requires_grad=True)
    real = (number * number.conj()).real
    for view in (
        lab.what_if(y, cut=held[evil]),
        lab.what_if(y, zero=[held[evil]]),
        lab.what_if(bad.apply(held[evil]).sum(), cut=held[evil]),
        lab.what_if(real, cut=number),
        lab.what_if(y, cut=torch.ones(2)),
        lab.what_if(y, cut=torch.zeros(0, requires_grad=True) * 2),
        lab.receipt(held[evil], y),
        lab.receipt(held[evil], bad.apply(held[evil]).sum()),
    ):
        assert view.text and "<img src=x" not in view.svg() + view.html()


def test_what_has_no_name_is_called_as_it_was_written(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    held = {"a": {"b": [w * 2]}}
    y = (held["a"]["b"][0] * w).sum()
    view = lab.what_if(y, cut=held["a"]["b"][0])
    assert view.card.title == """What if `held["a"]["b"][0]` were detached?"""
    assert lab.what_if(y, zero=[w, held["a"]["b"][0]]).card.title.startswith("What if the gradient of `w`, `held[")


def test_a_node_of_several_results_is_named_by_those_that_bring_something(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = w.chunk(2)
    y = (a * b).sum()
    assert rows(lab.what_if(y, cut=a))["w"][2].endswith("the rest still comes by way of SplitBackward0 (`b`).")


def test_a_module_that_is_frozen_is_named_as_it_was_written(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\nnn = torch.nn")
    shell.run("net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))\ny = net(torch.ones(1, 2)).sum()")
    text = shell.run("lab.what_if(y, frozen=net[0])").text
    assert text.startswith("What if `net[0]` were frozen?") and "`requires_grad_(False)` on `net[0]` before" in text
    text = shell.run("w = net[1].bias\nlab.what_if(y, frozen=[net[0], w])").text
    assert text.startswith("What if `net[0]`, `w` were frozen?") and "`net[0].weight`" in text
    assert "`net[0].weight`" in shell.run("lab.what_if(y, zero=net[0])").text.splitlines()[0]


def test_what_a_backward_within_a_backward_brings_is_said_to_be_missing(torch: Any) -> None:
    """A leaf that only it reaches is not said to change nothing."""
    from importlib import import_module

    checkpoint = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    layer, x = torch.nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    y = checkpoint(lambda v: layer(v).tanh(), x, use_reentrant=True).sum()
    text = lab.what_if(y, frozen=layer.weight).text
    assert "CheckpointFunctionBackward starts a backward of its own, as checkpoints do" in text
    assert "nothing changes" not in text


def test_a_number_with_a_long_name_stands_in_the_picture_and_not_its_empty_shape(torch: Any) -> None:
    layer, fake = torch.nn.Linear(2, 1), torch.ones(3, 2, requires_grad=True) * 1
    generator_loss = (layer(fake) * 0 + 0.25).mean()
    view = lab.what_if(generator_loss, cut=fake)
    picture = next(block for block in view.card.blocks if isinstance(block, Drawing))
    texts = [mark.text for item in picture.items for mark in item.shapes if isinstance(mark, Text)]
    assert "0.2500" in texts and "()" not in texts
