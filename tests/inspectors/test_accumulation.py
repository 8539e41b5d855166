"""`accumulation`: the entries are what happened to `.grad`, and they add up to it exactly."""

from __future__ import annotations

import copy
import gc
import re
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from autogradlab.inspectors import accumulation, set_language
from autogradlab.inspectors.labextension import CARD
from autogradlab.inspectors.snapshot.samples import KEPT, same, sample


def kinds(ledger: Any) -> list[str]:
    return [entry.kind for entry in ledger.entries]


def assert_adds_up(ledger: Any, leaf: Any) -> None:
    entries = ledger.entries
    total = ledger.total()
    assert ledger.ledger.trouble == ""
    assert ledger.ledger.adds_up()
    if leaf.grad is None:
        assert total is None
        return
    assert same(total, sample(leaf.grad))
    replayed = None
    for entry in entries:  # what each entry says comes after it is what the entries before it give
        if entry.kind == "backward":
            replayed = entry.added if replayed is None else replayed + entry.added
            assert same(entry.total, replayed)
        replayed = entry.total
    assert same(replayed, sample(leaf.grad))


def test_the_mock(torch: Any):
    b = torch.tensor(1.0, requires_grad=True)
    loss = 3 * b
    ledger = accumulation(b)
    loss.backward(retain_graph=True)
    loss.backward(retain_graph=True)
    b.grad.zero_()
    loss.backward()
    assert kinds(ledger) == ["backward", "backward", "zeroed", "backward"]
    assert [e.number for e in ledger.entries] == [1, 2, 0, 3]
    assert [float(e.total) for e in ledger.entries] == [3, 6, 0, 3]
    assert re.sub(r"line \d+", "line N", ledger.text) == (
        "`b.grad`, entry by entry · adds up ✓\n"
        "backward #2 added to what was there: `.grad` sums up until it is zeroed. For the gradient of the last loss "
        "alone, call `optimizer.zero_grad()` or write `b.grad = None` before each backward.\n"
        "#  what happened  added  `.grad` after it  by way of                      where\n"
        "1  backward #1    + 3.   3.                3. from MulBackward0 (`loss`)  test_accumulation.py, line N\n"
        "2  backward #2    + 3.   6.                3. from MulBackward0 (`loss`)  test_accumulation.py, line N\n"
        "3  zero_()               0.\n"
        "4  backward #3    + 3.   3.                3. from MulBackward0 (`loss`)  test_accumulation.py, line N"
    )
    assert_adds_up(ledger, b)
    ledger.close()


def test_paths_that_meet_at_the_leaf(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = w * w, w + 1
    y = (a + b).sum()
    with accumulation(w) as ledger:
        y.backward()
    (entry,) = ledger.entries
    assert [(p.node, p.name, p.value.tolist()) for p in entry.parts] == [
        ("AddBackward0", "b", [1.0, 1.0]),
        ("MulBackward0", "a", [1.0, 2.0]),
        ("MulBackward0", "a", [1.0, 2.0]),
    ]
    assert "[1., 1.] from AddBackward0 (`b`) + [1., 2.] + [1., 2.] from MulBackward0 (`a`)" in ledger.text
    assert entry.added.tolist() == [3.0, 5.0]


def test_a_path_is_named_after_the_result_that_got_a_gradient(torch: Any):
    w = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    p, q = w.split([2, 1])
    ledger = accumulation(w)
    (q * 3).sum().backward(retain_graph=True)
    (p.sum() + q.sum()).backward()
    assert [part.name for entry in ledger.entries for part in entry.parts] == ["q", "p, q"]


def test_paths_of_a_root_without_a_name(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    held = [{"deep": (w * w + w).sum()}]
    ledger = accumulation(w, held[0]["deep"])
    held[0]["deep"].backward()
    assert [p.node for p in ledger.entries[0].parts] == ["AddBackward0", "MulBackward0", "MulBackward0"]
    assert all(p.value is not None for p in ledger.entries[0].parts)


def test_paths_that_could_not_be_watched_are_named(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    ledger = accumulation(w)
    (w * w + w).sum().backward()
    assert [(p.node, p.value) for p in ledger.entries[0].parts] == [
        ("AddBackward0", None),
        ("MulBackward0", None),
        ("MulBackward0", None),
    ]
    assert "AddBackward0 + MulBackward0 + MulBackward0, together" in ledger.text
    assert "lab.accumulation(w, loss)" in ledger.text
    assert_adds_up(ledger, w)


def test_broadcast_leaf(torch: Any):
    w, x = torch.tensor(2.0, requires_grad=True), torch.arange(3.0)
    y = w + x
    ledger = accumulation(w, y)
    y.sum().backward()
    assert [float(p.value) for p in ledger.entries[0].parts] == [3.0]
    assert_adds_up(ledger, w)


def zero_to_none(torch: Any, w: Any) -> None:
    torch.optim.SGD([w], lr=0.1).zero_grad()


def zero_in_place(torch: Any, w: Any) -> None:
    torch.optim.SGD([w], lr=0.1).zero_grad(set_to_none=False)


def assign(torch: Any, w: Any) -> None:
    w.grad = torch.tensor([5.0, 7.0])


def edit(torch: Any, w: Any) -> None:
    w.grad[0] = 9.0


def edit_data(torch: Any, w: Any) -> None:
    w.grad.data.mul_(2)


def edit_numpy(torch: Any, w: Any) -> None:
    w.grad.numpy()[1] = 3.5


def make_nan(torch: Any, w: Any) -> None:
    w.grad.mul_(float("nan"))


def replace_by_equal(torch: Any, w: Any) -> None:
    w.grad = w.grad.clone()


def nothing(torch: Any, w: Any) -> None:
    torch.autograd.grad((w * w).sum(), w)


@pytest.mark.parametrize(
    ("act", "kind", "in_place"),
    [
        (zero_to_none, "none", False),
        (zero_in_place, "zeroed", True),
        (assign, "set", False),
        (edit, "edited", True),
        (edit_data, "edited", True),
        (edit_numpy, "edited", True),
        (make_nan, "edited", True),
        (replace_by_equal, "set", False),
        (nothing, None, False),
    ],
)
def test_what_is_done_by_hand(torch: Any, act: Callable[[Any, Any], None], kind: str | None, in_place: bool):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    ledger = accumulation(w)
    (w * w).sum().backward()
    act(torch, w)
    assert_adds_up(ledger, w)
    (w * w).sum().backward()
    assert_adds_up(ledger, w)
    assert kinds(ledger) == ["backward", *([kind] if kind else []), "backward"]
    if kind:
        assert ledger.entries[1].in_place is in_place
    assert ("NaN in .grad" if act is make_nan else "adds up ✓") in ledger.text
    assert ("adds up" in ledger.text) is (act is not make_nan)


def test_what_a_hook_does_after_the_accumulation_is_said_of_it(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)

    def halve(p: Any) -> None:
        p.grad.mul_(0.5)

    ledger = accumulation(w)
    (w * w).sum().backward()
    handle = w.register_post_accumulate_grad_hook(halve)
    (w * w).sum().backward()
    assert kinds(ledger) == ["backward", "backward", "by_hook"]
    assert [entry.total.tolist() for entry in ledger.entries] == [[2.0, 4.0], [4.0, 8.0], [2.0, 4.0]]
    assert "changed by a hook" in ledger.text
    assert_adds_up(ledger, w)
    handle.remove()

    def clear(p: Any) -> None:
        p.grad = None

    w.register_post_accumulate_grad_hook(clear)
    (w * w).sum().backward()
    assert kinds(ledger)[3:] == ["backward", "none"]
    assert ledger.entries[-1].total is None


def test_many_parts_are_counted(torch: Any):
    w = torch.tensor(1.0, requires_grad=True)
    y = w * 1
    for _ in range(20):
        y = y * w
    ledger = accumulation(w, y)
    y.backward()
    assert "1. from MulBackward0 (`y`) + 1. + 1. + 1. + 1. + 1. + 1. and 14 more from MulBackward0" in ledger.text


@pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph=True")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64"])
def test_many_steps_add_up_to_the_last_bit(torch: Any, dtype: str):
    torch.manual_seed(0)
    w = torch.randn(5, dtype=getattr(torch, dtype), requires_grad=True)
    ledger = accumulation(w)
    for step in range(7):
        loss = (w * w * 0.1 + w / 3).sum()
        if dtype == "complex64":
            loss = loss.abs()
        loss.backward(retain_graph=True)
        loss.backward(create_graph=step == 5)
        assert_adds_up(ledger, w)
        with torch.no_grad():
            w -= 0.1 * w.grad
    assert len(ledger.entries) == 14
    w.grad = None  # the graph of create_graph leads from .grad to w


def test_a_gradient_that_hooks_change(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    ledger = accumulation(w)
    w.register_hook(lambda g: g * 10)
    node = torch.autograd.graph.get_gradient_edge(w).node
    node.register_prehook(lambda gs: (gs[0] + 1,))
    (w * w).sum().backward()
    (entry,) = ledger.entries
    assert (entry.arrived.tolist(), entry.added.tolist(), entry.hooked) == ([2, 4], [21, 41], True)
    assert "hooks made [21., 41.] of [2., 4.]" in ledger.text
    assert_adds_up(ledger, w)


def test_a_hook_that_takes_the_gradient_away_at_once(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    ledger = accumulation(w)

    def step(p: Any) -> None:
        p.grad = None

    w.register_post_accumulate_grad_hook(step)
    (w * w).sum().backward()
    (w * w).sum().backward()
    assert kinds(ledger) == ["backward", "none", "backward", "none"]
    assert_adds_up(ledger, w)


def test_a_backward_that_fails_in_a_hook_after_ours(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    ledger = accumulation(w)

    def fail(grad: Any) -> None:
        raise ValueError("no")

    handle = w.register_hook(fail)
    with pytest.raises(ValueError, match="no"):
        (w * w).sum().backward()
    handle.remove()
    (w * w).sum().backward()
    assert kinds(ledger) == ["backward"]
    assert_adds_up(ledger, w)


def test_large_tensors_are_sampled(torch: Any):
    w = torch.ones(3, KEPT, requires_grad=True)
    ledger = accumulation(w)
    (w * 2).sum().backward()
    (w * 2).sum().backward()
    assert ledger.entries[0].added.numel() == KEPT
    assert_adds_up(ledger, w)
    assert f"Of {3 * KEPT} elements, the entries keep {KEPT} evenly spaced ones" in ledger.text


def test_an_element_for_the_bars(torch: Any):
    w = torch.arange(6.0).reshape(2, 3).requires_grad_()
    ledger = accumulation(w, element=(1, 2))
    (w * w).sum().backward()
    assert "Bars show element (1, 2)." in ledger.text
    assert "+10. → 10." in ledger.svg()


def test_it_keeps_nothing_alive(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    a = w * w
    ledger = accumulation(w, a)
    a.sum().backward()
    gone = [weakref.ref(w), weakref.ref(w.grad), weakref.ref(a)]
    del w, a
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]
    assert "This tensor no longer exists" in ledger.text
    assert kinds(ledger) == ["backward"]


def test_closing_takes_every_hook_away(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    a = w * w
    ledger = accumulation(w, a)
    a.sum().backward(retain_graph=True)
    ledger.close()
    ledger.close()
    a.sum().backward()
    assert kinds(ledger) == ["backward"]
    assert len(w._backward_hooks) == 0
    for node in (a.grad_fn, torch.autograd.graph.get_gradient_edge(w).node):
        handle = node.register_hook(lambda *grads: None)
        assert len(handle.hooks_dict_ref()) == 1
    assert "closed" in ledger.text


def test_a_leaf_that_is_followed_can_be_copied_and_saved(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    ledger = accumulation(w)
    assert copy.deepcopy(w).tolist() == [1, 2]
    ledger.close()


def test_a_name_that_is_bound_anew(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    kept = [w]
    ledger = accumulation(w)
    kept[0].sum().backward()
    w = (kept.pop() * 2).detach().requires_grad_()
    w.sum().backward()
    assert kinds(ledger) == ["backward"]
    assert "no longer exists" in ledger.text
    second = accumulation(w)
    w.sum().backward()
    w, kept = w * 2, [w]  # the leaf lives on inside of a tuple
    assert "`kept[0].grad`" in second.text


def test_a_gradient_that_was_there_before(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    w.sum().backward()
    ledger = accumulation(w)
    w.sum().backward()
    assert kinds(ledger) == ["found", "backward"]
    assert_adds_up(ledger, w)


def test_what_cannot_be_followed(torch: Any):
    y = torch.ones(1, requires_grad=True) * 2
    x = torch.ones(1)
    assert "`y` is a non-leaf (the result of MulBackward0)" in accumulation(y).text
    assert "`x` is a leaf that does not require grad" in accumulation(x).text
    assert "no tensor but an object of type list" in accumulation([1]).text
    assert accumulation(y).entries == []
    empty = torch.zeros(0, requires_grad=True)
    ledger = accumulation(empty)
    (empty * 2).sum().backward()
    assert_adds_up(ledger, empty)
    assert "backward #1" in ledger.text


def test_pictures_of_all_numbers(torch: Any):
    w = torch.tensor(1.0, requires_grad=True)
    ledger = accumulation(w)
    for factor in (1.0, -3.0, float("inf"), float("nan"), 1e-30, 1e30):
        (w * factor).backward()
    for value in (None, torch.tensor(-2.0), torch.tensor(0.0)):
        w.grad = value
        ledger.refresh()
    assert ledger.svg().startswith("<svg")
    coordinates = re.findall(r'(?:x|y|width|height|d)="([^"]*)"', ledger.svg())
    assert coordinates
    assert not [c for c in coordinates if "nan" in c or "inf" in c]


def test_in_chinese(torch: Any):
    w = torch.tensor(1.0, requires_grad=True)
    ledger = accumulation(w)
    (w * 2).backward()
    set_language("zh")
    assert "账目相符 ✓" in ledger.text
    assert "来自 MulBackward0" in ledger.text


def test_it_follows_from_cell_to_cell(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab")
    shell.run("w = torch.tensor([1., 2.], requires_grad=True)")
    shell.run("ledger = lab.accumulation(w)")
    shell.run("y = w * w\nz = (y + w).sum()")
    shell.run("z.backward()")
    ledger = shell.user_ns["ledger"]
    assert ledger.card.blocks[-1].rows[0] == (
        "1",
        "backward #1",
        "+ [3., 5.]",
        "[3., 5.]",
        "[1., 1.] from AddBackward0 + [1., 2.] + [1., 2.] from MulBackward0 (`y`)",
        "cell [5], line 1",
    )
    shell.run("w.grad = None")
    assert ledger.card.blocks[2].rows[1][1] == "= None"
    shell.run("del w")
    shell.run("ledger.close()")
    assert shell.left_behind() == []


def test_after_its_block_it_can_still_be_shown(torch: Any):
    a = torch.tensor(2.0, requires_grad=True)
    with accumulation(a) as ledger:
        (3 * a).backward()
    (3 * a).backward()  # no longer watched
    bundle = ledger._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in data and "<figure" in data["text/html"]
    assert data["text/plain"].count("backward #") == 1
    ledger.close()
    assert set(ledger._repr_mimebundle_()) == {"text/plain", "text/html", CARD}


def test_a_cure_is_code_that_runs(torch: Any) -> None:
    w = torch.ones(2)
    assert "`w.requires_grad_()` before it is used" in accumulation(w).text
    nameless = accumulation(w + 1).text
    assert "as in `t = w + 1`" in nameless and "`t.requires_grad_()`" in nameless
    whole = torch.arange(3)
    assert "requires_grad_" not in accumulation(whole).text.split("float")[0]


def test_backwards_that_added_to_nothing_are_not_named_among_those_that_did(torch: Any) -> None:
    w = torch.tensor([1.0], requires_grad=True)
    ledger = accumulation(w)
    for k in range(13):
        if k in (4, 6, 9):
            w.grad = None
        (w * 2).sum().backward()
        if k == 8:
            assert "backward #3, #4, #6, #8, #9 added to what was there" in ledger.text
        if k == 0:
            w.grad.zero_()
    assert "backward #3, #4, #6, #8, #9, #11–#13 added to what was there" in ledger.text
    for _ in range(2):
        w.grad = None
        (w * 2).sum().backward()
        (w * 2).sum().backward()
    assert "backward #3, #4, #6, #8, #9, #11–#13 and 2 more added to what was there" in ledger.text
