"""`hooks`: what fires, in order, with what it got and gave; and afterwards everything is as it was."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from autogradlab.inspectors import accumulation, hooks, set_language
from autogradlab.inspectors.parts import Table


def told(log: Any) -> list[tuple[str, str, str, str, str]]:
    return [(f.hook.kind, f.hook.owner, f.given, f.returned, f.effect) for f in log.firings]


def test_the_mock(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab\na = torch.tensor([2.5, 1.25], requires_grad=True)")
    shell.run("loss2 = (a.sum() - 2.75) ** 2 / 2")
    shell.run("handle = loss2.register_hook(lambda g: None)")
    shell.run("def double(g):\n    return g * 2\nanother = a.register_hook(double)")
    shell.run("log = lab.hooks(loss2, a)")
    log = shell.user_ns["log"]
    assert log.text == (
        "Hooks that are registered · 2 registered\n"
        "when                   kind    hook              written in\n"
        "before DivBackward0    tensor  loss2 · <lambda>  cell [3], line 1\n"
        "before AccumulateGrad  tensor  a · double        cell [4], line 1\n"
        "None of them has fired since this was called: they fire when a backward passes."
    )
    shell.run("loss2.backward()")
    assert log.text.splitlines() == [
        "Hooks in the order in which they fired · 2 fired",
        "#  when                   kind    hook              written in        gradient before  gradient after  effect",
        (
            "1  before DivBackward0    tensor  loss2 · <lambda>  cell [3]"
            ", line 1  1.               1.              unchanged"
        ),
        (
            "2  before AccumulateGrad  tensor  a · double        cell [4]"
            ", line 1  [1., 1.]         [2., 2.]        replaced"
        ),
    ]
    shell.run("log.close()")
    assert shell.left_behind() == []


def test_all_kinds_in_the_order_of_the_engine(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = a * a
    loss = y.sum()
    node = y.grad_fn.next_functions[0][0]
    node.register_hook(lambda grads, outs: None)
    node.register_prehook(lambda grads: (grads[0] + 1,))

    def empty(p: Any) -> None:
        p.grad = None

    a.register_post_accumulate_grad_hook(empty)
    a.register_hook(lambda g: g * 10)
    y.grad_fn.register_hook(lambda grads, outs: None)
    y.grad_fn.register_prehook(lambda grads: None)
    y.register_hook(lambda g: None)
    with hooks(y, a) as log:
        loss.backward()
    assert told(log) == [
        ("tensor", "y", "[1., 1.]", "None", "unchanged"),
        ("pre", "MulBackward0", "[1., 1.]", "None", "unchanged"),
        ("node", "MulBackward0", "([1., 2.], [1., 2.])", "None", "unchanged"),
        ("tensor", "a", "[2., 4.]", "[20., 40.]", "replaced"),
        ("pre", "AccumulateGrad", "[20., 40.]", "[21., 41.]", "replaced"),
        ("accumulated", "a", "`.grad` = [21., 41.]", "`.grad` = None", "replaced"),
        ("node", "AccumulateGrad", "[21., 41.]", "None", "unchanged"),
    ]
    assert [f.hook.node for f in log.firings] == ["MulBackward0"] * 3 + ["AccumulateGrad"] * 4


def test_nodes_can_be_given(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = a * a
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 3,))
    log = hooks(y.grad_fn)
    y.sum().backward()
    assert told(log) == [("pre", "MulBackward0", "[1., 1.]", "[3., 3.]", "replaced")]
    assert a.grad.tolist() == [6.0, 12.0]


def test_in_place(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = a * a

    def change(g: Any) -> None:
        g.mul_(2)

    def change_unseen(g: Any) -> None:
        g.data.add_(1)

    y.register_hook(change)
    y.register_hook(change_unseen)
    log = hooks(y)
    (y * 1).sum().backward()
    assert [f.effect for f in log.firings] == ["in_place", "in_place"]
    assert [f.after for f in log.firings] != [f.given for f in log.firings]
    assert log.firings[1].given == "[2., 2.]"


def test_saved_tensor_hooks(torch: Any):
    saving = torch.autograd.graph.saved_tensors_hooks(lambda t: t * 10, lambda t: t)
    pack, unpack = saving.pack_hook, saving.unpack_hook
    x = torch.ones(1, requires_grad=True)
    log = hooks(saving)
    assert "at saving" in log.text
    with saving:
        y = x.exp()
    y.backward()
    assert told(log) == [
        ("pack", "saving", "[2.7183]", "[27.1828]", "replaced"),
        ("unpack", "saving", "[27.1828]", "[27.1828]", "unchanged"),
    ]
    log.close()
    assert (saving.pack_hook, saving.unpack_hook) == (pack, unpack)


def test_hooks_that_come_later_are_watched(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = a * a
    log = hooks(y, a)
    a.register_hook(lambda g: g * 2)  # y's gradient passes first, and then this one is watched
    y.sum().backward(retain_graph=True)
    assert told(log) == [("tensor", "a", "[2., 4.]", "[4., 8.]", "replaced")]
    handle = y.register_hook(lambda g: g * 5)  # nothing passes before this one
    y.sum().backward(retain_graph=True)
    assert told(log)[1] == ("tensor", "y", "[1., 1.]", "", "changed")
    assert log.firings[1].after == "[5., 5.]"  # seen where the Node gets it
    y.sum().backward(retain_graph=True)
    assert told(log)[3] == ("tensor", "y", "[1., 1.]", "[5., 5.]", "replaced")
    handle.remove()
    y.sum().backward()
    assert len(log.firings) == 6
    assert log.record.trouble == ""


def test_each_hook_that_comes_later_is_listed(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = a * a
    y.register_hook(lambda g: g * 2)
    log = hooks(y)
    y.register_hook(lambda g: g + 1)
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    y.sum().backward(retain_graph=True)
    seen = [(f.hook.kind, f.given, f.after, f.effect) for f in log.firings]
    assert seen == [
        ("tensor", "[1., 1.]", "[2., 2.]", "replaced"),
        ("tensor", "[2., 2.]", "[3., 3.]", "changed"),
        ("pre", "[3., 3.]", "[30., 30.]", "replaced"),
    ]
    for _ in range(2):
        y.register_hook(lambda g: g - 1)
    y.sum().backward(retain_graph=True)
    assert [f.effect for f in log.firings[3:]] == ["replaced", "replaced", "unseen", "unseen", "replaced"]
    assert "not seen: registered after this card was made" in log.text


def test_handles_and_order_stay(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    order: list[str] = []
    first = a.register_hook(lambda g: order.append("first"))
    a.register_hook(lambda g: order.append("second"))
    log = hooks(a)
    a.register_hook(lambda g: order.append("third"))
    a.sum().backward()
    assert order == ["first", "second", "third"]
    first.remove()
    a.sum().backward()
    assert order == ["first", "second", "third", "second", "third"]
    before = list(a._backward_hooks.values())
    log.close()
    log.close()
    after = list(a._backward_hooks.values())
    assert len(before) == 3
    assert [type(h).__name__ for h in after] == ["function", "function"]
    a.sum().backward()
    assert order[-2:] == ["second", "third"]
    assert len(log.firings) == 5


def test_two_logs_of_one_tensor(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)

    def twice(g: Any) -> Any:
        return g * 2

    a.register_hook(twice)
    one, two = hooks(a), hooks(a)
    a.sum().backward()
    one.close()
    a.sum().backward()
    two.close()
    assert (len(one.firings), len(two.firings)) == (1, 2)
    assert list(a._backward_hooks.values()) == [twice]


def test_exceptions_pass_through(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)

    def fail(g: Any) -> None:
        raise ValueError("<img src=x onerror=alert(1)>")

    a.register_hook(fail)
    log = hooks(a)
    with pytest.raises(ValueError, match="onerror"):
        a.sum().backward()
    assert log.firings[0].effect == "raised"
    assert "raised ValueError: <img src=x onerror=alert(1)>" in log.text
    assert "<img src=x" not in log.html()
    assert "<img src=x" not in log.svg()


def test_errors_of_the_engine_name_the_hook_itself(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)

    def grow(g: Any) -> Any:
        return torch.ones(3)

    a.register_hook(grow)
    log = hooks(a)
    with pytest.raises(RuntimeError, match="hook 'grow' has changed the size of value"):
        a.sum().backward()
    assert log.firings[0].returned == "[1., 1., 1.]"


def test_gradients_stay_what_they_are(torch: Any):
    def run(watch: bool) -> list[float]:
        torch.manual_seed(0)
        w = torch.randn(4, requires_grad=True)
        y = (w * w).tanh()
        y.register_hook(lambda g: g * 0.3)
        w.register_post_accumulate_grad_hook(lambda p: None)
        log = hooks(y, w) if watch else None
        y.sum().backward()
        y2 = (w.exp() * y.detach()).sum()
        y2.backward()
        assert log is None or len(log.firings) == 3
        return list(w.grad.tolist())

    assert run(True) == run(False)


def test_it_keeps_nothing_alive(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = a * a
    y.register_hook(lambda g: g * 2)
    log = hooks(y, a)
    y.sum().backward()
    gone = [weakref.ref(a), weakref.ref(y), weakref.ref(a.grad)]
    del a, y
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]
    assert len(log.firings) == 1
    log.close()


def test_without_arguments_all_tensors_of_the_caller(torch: Any):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = a * a
    y.register_hook(lambda g: None)
    a.register_hook(lambda g: None)
    log = hooks()
    assert [h.owner for h in log.registered] == ["a", "y"]
    log.close()


def test_hooks_of_other_inspectors_are_not_the_users(torch: Any):
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    w.register_hook(lambda g: g * 2)
    with accumulation(w, y) as ledger, hooks(w, y) as log:
        y.sum().backward()
        assert [h.name for h in log.registered] == ["<lambda>"]
    assert [f.hook.name for f in log.firings] == ["<lambda>"]
    assert [e.added.tolist() for e in ledger.entries] == [[4.0, 4.0]]


def test_what_has_no_hooks(torch: Any):
    x = torch.ones(1)
    assert "`x` does not require grad, so it can have no hooks." in hooks(x).text
    assert "not objects of type list" in hooks([1]).text
    w = torch.ones(1, requires_grad=True)
    assert "No hooks are registered here." in hooks(w).text


def test_in_chinese(torch: Any):
    w = torch.ones(1, requires_grad=True)
    w.register_hook(lambda g: None)
    log = hooks(w)
    w.sum().backward()
    set_language("zh")
    assert "张量" in log.text
    assert "AccumulateGrad 之前" in log.text


def test_of_a_module_the_hooks_of_its_parameters(torch: Any):
    layer = torch.nn.Linear(2, 1)
    handle = layer.weight.register_hook(lambda grad: grad * 2)
    with hooks(layer) as log:
        layer(torch.ones(2)).sum().backward()
    assert [(firing.hook.owner, firing.effect) for firing in log.firings] == [("layer.weight", "replaced")]
    handle.remove()
    layer.register_full_backward_hook(lambda module, gone, came: None)
    with hooks(layer) as log:
        assert "`layer` has backward hooks of its own (`<lambda>`)" in log.text
    with hooks(3) as log:
        assert "not objects of type int" in log.text
        assert "No hooks are registered" not in log.text


def test_of_many_firings_the_last_ones_are_seen(torch: Any):
    """A card stays on one screen: what fired before is folded, none is lost."""
    w = torch.ones(2, requires_grad=True)
    handle = w.register_hook(lambda grad: grad * 2)
    log = hooks(w)
    for _ in range(12):
        w.sum().backward()
    handle.remove()
    earlier, last = (block for block in log.make().blocks if isinstance(block, Table))
    assert earlier.folded == "6 firings before these" and not last.folded
    assert [row[0] for row in (*earlier.rows, *last.rows)] == [str(k) for k in range(1, 13)]
    assert len(last.rows) == len(last.tones) == len(last.tensors) == 6
    set_language("zh")
    assert [block.folded for block in log.make().blocks if isinstance(block, Table)] == ["之前的 6 次触发", ""]
