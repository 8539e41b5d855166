"""A card never says a false word: what a step says at its end is what is there, on both libraries."""

from __future__ import annotations

import importlib
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.snapshot.recording import record
from autogradlab.inspectors.values import short


def told(view: Any) -> list[str]:
    return [frame.sentence for frame in view.card.frames]


def test_both_gradients_of_a_product_with_itself_arrive_at_once(torch: Any):
    w = torch.tensor([3.0], requires_grad=True)
    y = w * w
    frames = told(lab.step(y))
    assert not any("1 of 2" in text for text in frames)
    assert "Both gradients of w are here" in frames[3]
    assert frames[-1] == "Done: w.grad = [6.]."


def test_one_of_two_edges_of_different_nodes_waits(torch: Any):
    w = torch.tensor([3.0], requires_grad=True)
    y = w * 2 + w
    assert any("At w it waits: 1 of 2" in text for text in told(lab.step(y)))


def test_a_hook_that_clears_grad_has_the_last_word(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)

    def clear(p: Any) -> None:
        p.grad = None

    w.register_post_accumulate_grad_hook(clear)
    frames = told(lab.step((w * w).sum()))
    assert "changes `.grad`: [2., 4.] → None" in frames[-2]
    assert frames[-1] == "Done: w.grad = None."


def test_a_hook_that_changes_grad_has_the_last_word(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    w.register_post_accumulate_grad_hook(lambda p: (p.grad.mul_(10), None)[1])
    assert told(lab.step((w * w).sum(), commit=True))[-1] == "Done: w.grad = [20., 40.]."
    assert w.grad.tolist() == [20.0, 40.0]


def test_hooks_of_a_node_are_told_after_what_it_gave(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w * w
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    y.grad_fn.register_hook(lambda ins, outs: (ins[0] * 0, None))
    leaf = torch.autograd.graph.get_gradient_edge(w).node
    leaf.register_hook(lambda ins, outs: (w.grad.add_(1), None)[1])
    assert told(lab.step(y.sum()))[3:] == [
        "Hook `<lambda>` before MulBackward0 changes the gradient: [1., 1.] → [2., 2.].",
        "MulBackward0 runs: w gets g·w = [2., 4.], w gets g·w = [2., 4.]. It frees what it saved: self, other.",
        "Hook `<lambda>` after MulBackward0 changes what goes on to w: [2., 4.] → [0., 0.].",
        "Hook `<lambda>` after MulBackward0 changes what goes on to w: [2., 4.] → None.",
        "AccumulateGrad: w.grad was None and becomes [0., 0.].",
        "Hook `<lambda>` after AccumulateGrad changes w.grad: [0., 0.] → [1., 1.].",
        "Done: w.grad = [1., 1.].",
    ]


def test_a_function_that_gives_no_gradient(torch: Any):
    class First(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a + b

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    w, v = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
    v.grad = torch.tensor([5.0])
    view = lab.step(First.apply(w, v) + v * 0 + First.apply(v, w))
    assert view.card.title == "(First.apply(w, v) + v * 0 + First.apply(v, w)).backward()"
    frames = told(view)
    assert frames[3].startswith("FirstBackward runs: v gets [1.], w gets None. At v it waits: 1 of 3")
    assert frames[6] == "FirstBackward runs: w gets [1.], v gets None."
    frames = told(lab.step(First.apply(w, v)))
    assert "AccumulateGrad: no gradient arrives, v.grad stays [5.]." in frames
    assert frames[-1] == "Done: w.grad = [1.], v.grad = [5.]."


def test_what_a_hook_changes_where_it_is_not_seen(torch: Any):
    w = torch.ones(3000, requires_grad=True)
    w.register_hook(lambda g: g.clone())
    w.register_hook(lambda g: (g[1500:].zero_(), None)[1])
    frames = told(lab.step((w * 2).sum()))
    assert "the same numbers" in frames[-4]
    assert "changes the gradient" in frames[-3]


def test_hooks_that_write_leave_no_trace_in_a_preview(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = torch.zeros(2)
    other = torch.tensor([5.0], requires_grad=True)
    other.grad = torch.tensor([7.0])
    kept = other.grad

    def learn(p: Any) -> None:
        with torch.no_grad():
            p.sub_(p.grad)
        seen.add_(p.grad)
        other.data = torch.tensor([9.0])
        other.grad.zero_()
        p.grad = None

    w.register_post_accumulate_grad_hook(learn)
    y = (w * w).sum()
    versions = w._version, seen._version, other._version, kept._version
    view = lab.step(y)
    assert (w.tolist(), seen.tolist(), other.tolist(), w.grad) == ([1.0, 2.0], [0.0, 0.0], [5.0], None)
    assert other.grad is kept
    assert kept.tolist() == [7.0]
    assert (w._version, seen._version, other._version, kept._version) == versions
    assert [badge.text for badge in view.card.badges] == ["preview: put back"]
    assert "What they changed is put back: w, seen, other" in view.text
    y.backward()  # nothing that it saved was touched
    assert w.tolist() == [-1.0, -2.0]
    assert other.tolist() == [9.0]


def test_one_memory_that_is_read_in_several_ways_is_put_back(torch: Any):
    base, windows = torch.zeros(2), torch.arange(4.0).unfold(0, 2, 1)
    w = base.expand(3, 2).requires_grad_()
    c = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    conjugate = c.conj()
    imaginary = conjugate.detach().imag  # its memory holds the other sign
    w.register_hook(lambda g: (base.add_(1), windows[0].add_(1), None)[2])
    told = lab.step(((c * conjugate).real.sum() * w).sum()).text.splitlines()[1]
    assert "put back: w" in told
    assert "conjugate" not in told
    assert base.tolist() == [0.0, 0.0]
    assert windows.tolist() == [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    assert (c.tolist(), imaginary.tolist()) == ([1 + 2j, 3 - 1j], [-2.0, 1.0])


def test_nothing_is_changed_is_said_where_no_hook_ran(torch: Any):
    w = torch.tensor([1.0], requires_grad=True)
    assert [badge.text for badge in lab.step(w * 2).card.badges] == ["preview: nothing is changed"]
    w.register_hook(lambda g: None)
    assert [badge.text for badge in lab.step(w * 2).card.badges] == ["preview: put back"]


def test_what_is_too_large_to_be_put_back_is_told(torch: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("autogradlab.inspectors.snapshot.keeping.BUDGET", 0)
    w = torch.tensor([1.0], requires_grad=True)
    seen = torch.zeros(1)
    w.register_hook(lambda g: seen.add_(g) and None)
    view = lab.step(w * 2)
    assert view.card.badges[0].text == "preview, but your hooks changed something"
    assert "What they changed and is not put back: seen." in view.text


def test_the_first_nan_is_flagged_and_nothing_is_green(torch: Any):
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    view = lab.step((w.sqrt() * torch.tensor([0.0, 1.0])).sum())
    flagged = [frame for frame in view.card.frames if "NaN appears here first" in frame.sentence]
    assert [frame.sentence.split()[0] for frame in flagged] == ["SqrtBackward0"]
    assert flagged[0].tone == "warning"
    assert view.card.frames[-1].tone == "warning"


def test_a_nan_that_is_given_is_not_made_here(torch: Any):
    w = torch.tensor([1.0], requires_grad=True)
    texts = told(lab.step(w * 2, torch.tensor([float("nan")])))
    assert "A NaN comes in here" in texts[1]
    assert not any("appears here first" in text for text in texts)


def test_the_real_backward_does_not_say_that_nothing_has_run(torch: Any):
    w = torch.tensor([1.0], requires_grad=True)
    assert "Nothing has run" in told(lab.step(w * 2))[0]
    view = lab.step(w * 2, commit=True)
    assert not any("Nothing has run" in text for text in told(view))
    assert "nothing is changed" not in view.text


def test_inspectors_do_not_see_each_other(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).sum()
    with lab.accumulation(w, y) as ledger, lab.hooks(w) as log:
        texts = told(lab.step(y))
        assert not any("Hook" in text or "hook" in text for text in texts)
        assert ledger.entries == []
        assert log.firings == []
        lab.step(y, commit=True)
        assert [entry.kind for entry in ledger.entries] == ["backward"]
        assert log.firings == []


# -- random graphs, random hooks ---------------------------------------------------------------------------------------


def graph(torch: Any, rng: random.Random) -> tuple[list[Any], Any]:
    """A few leaves, and a root made of them."""
    leaves = [
        torch.tensor([rng.uniform(0.5, 2.0) for _ in range(2)], dtype=torch.float64, requires_grad=True)
        for _ in range(rng.randint(1, 3))
    ]
    made = list(leaves)
    steps: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a * b,
        lambda a, b: a + b,
        lambda a, b: a / b,
        lambda a, b: a.sin(),
        lambda a, b: a.sum() * b,
        lambda a, b: torch.stack([a, b]).max(0)[0],
        lambda a, b: (a * 1).unbind()[0] + b,
        lambda a, b: a.relu() - b.detach(),
    ]
    for _ in range(rng.randint(1, 7)):
        made.append(rng.choice(steps)(rng.choice(made), rng.choice(made)))
    root = sum(t.sum() for t in made[len(leaves) :])
    for t in made[len(leaves) :]:
        if rng.random() < 0.2:
            t.retain_grad()
    hook(torch, rng, leaves, made)
    return [*leaves, *(t for t in made[len(leaves) :] if t.retains_grad)], root


def hook(torch: Any, rng: random.Random, leaves: list[Any], made: list[Any]) -> None:
    """Hooks that scale, look, write, clear."""

    def clear(p: Any) -> None:
        p.grad = None

    def add(p: Any) -> None:
        if p.grad is not None:
            p.grad.add_(1)

    def swap(p: Any) -> None:
        p.grad = torch.full_like(p, 3.0)

    def another(p: Any) -> None:
        leaves[0].grad = torch.full_like(leaves[0], 5.0)

    for t in made:
        if rng.random() < 0.3 and t.requires_grad:
            t.register_hook(rng.choice([lambda g: g * 2, lambda g: None, lambda g: g + 1, lambda g: g.clone().zero_()]))
        if t.grad_fn is not None and rng.random() < 0.2:
            t.grad_fn.register_prehook(lambda grads: tuple(None if g is None else g * 3 for g in grads))
        if t.grad_fn is not None and rng.random() < 0.2:
            t.grad_fn.register_hook(lambda ins, outs: tuple(None if g is None else g - 1 for g in ins))
    for leaf in leaves:
        if rng.random() < 0.4:
            leaf.register_post_accumulate_grad_hook(rng.choice([clear, add, swap, another]))


@pytest.mark.parametrize("seed", range(40))
def test_the_last_sentence_is_the_real_grad(torch: Any, seed: int):
    """Of the preview and of the real backward; and the preview leaves everything as it was."""
    tensors, root = graph(torch, random.Random(seed))
    space = {f"t{i}": t for i, t in enumerate(tensors)} | {"root": root}
    before = [(str(t.tolist()), t._version, t.grad) for t in tensors]
    preview = record([root], space)
    assert [(str(t.tolist()), t._version, t.grad) for t in tensors] == before
    real = record([root], space, commit=True)
    assert repr(preview.events) == repr(real.events)  # NaN is not equal to itself
    assert repr(preview.final) == repr(real.final)
    assert real.committed
    told = {(node, number): now for node, number, now in real.final}
    ids = {value.name: value.of for value in real.graph.values}
    for i, t in enumerate(tensors):
        place = ids.get(f"t{i}")
        if place in told:
            now = told[place]  # type: ignore[index]
            assert (now and now.text) == (None if t.grad is None else short(t.grad))


@pytest.mark.parametrize("seed", range(10))
def test_the_sentence_itself(torch: Any, seed: int):
    tensors, root = graph(torch, random.Random(seed))
    named = {f"t{i}": t for i, t in enumerate(tensors)}
    locals().update(named)
    from autogradlab.inspectors.cards.step import step_card

    last = step_card(root, {**named, "root": root}, commit=True).frames[-1].sentence
    for name, t in named.items():
        if f"{name}.grad = " in last:
            words = "None" if t.grad is None else short(t.grad)
            assert f"{name}.grad = {words}"[:-1] in last, (name, words, last)


def test_nan_does_not_add_up(torch: Any):
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    with lab.accumulation(w) as ledger:
        (w.sqrt() * torch.tensor([0.0, 1.0])).sum().backward()
        assert [(badge.text, badge.tone) for badge in ledger.make().badges] == [("NaN in .grad", "warning")]


def test_bars_show_an_element_and_not_a_sum_in_which_signs_cancel(torch: Any):
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with lab.accumulation(w) as ledger:
        (w * torch.tensor([1.0, -5.0, 4.0])).sum().backward()  # the sum of the gradient is 0
        assert "Bars show element [1], of 3 the one farthest from zero" in ledger.text
        assert "-5." in ledger.svg()


def test_a_sum_over_no_rows_is_still_a_sum(torch: Any):
    bias, rows = torch.zeros(2, requires_grad=True), torch.zeros(0, 2)
    assert any("bias gets g, summed to (2,) = [0., 0.]" in text for text in told(lab.step((rows + bias).sum())))


def test_what_a_node_changes_beside_its_gradients(torch: Any):
    checkpoint = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    w, x = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    y = checkpoint(lambda t: t * w, x, use_reentrant=True).sum()
    view = lab.step(y)
    assert "A Node ran code of its own that changed more; it is put back: w." in view.text
    assert w.grad is None and x.grad is None


def test_what_a_real_backward_sets_beyond_its_graph_is_told(torch: Any):
    checkpoint = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    w, x = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    other = torch.tensor([1.0], requires_grad=True)
    other.grad = torch.tensor([5.0])
    y = checkpoint(lambda t: t * w, x, use_reentrant=True).sum()
    text = lab.step(y, commit=True, retain_graph=True).text
    assert "A Node ran a backward of its own, which set `.grad` of w too." in text
    assert (w.grad.tolist(), x.grad.tolist()) == ([3.0], [2.0])
    assert "set `.grad` of w too" in lab.step(y, commit=True, retain_graph=True).text  # it adds to what is there
    assert "of its own" not in lab.step((x * w).sum(), commit=True).text


def test_the_memory_that_a_node_works_in_is_not_told(torch: Any):
    cell = torch.nn.LSTM(2, 3)
    out, _ = cell(torch.randn(4, 1, 2))
    text = lab.step(out.sum()).text
    assert "preview: nothing is changed" in text and "put back" not in text


def test_a_backward_within_the_backward_is_told(torch: Any):
    """A checkpoint's Node starts a backward of its own: the leaf that it reaches gets two gradients, one after the
    other, and no bill counts the one that comes past it."""
    checkpoint = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = checkpoint(lambda x: x * w, w, use_reentrant=True).sum()
    frames = told(lab.step(y))
    assert frames[-4:] == [
        "AccumulateGrad: w.grad was None and becomes [1., 2.].",
        "CheckpointFunctionBackward runs: w gets [1., 2.]. It frees what it saved: saved_tensors[0].",
        "AccumulateGrad adds to w.grad: [1., 2.] + [1., 2.] = [2., 4.].",
        "Done: w.grad = [2., 4.].",
    ]
    for text in lab.receipt(w, y).text, lab.what_if(y, zero=w).text:
        assert "CheckpointFunctionBackward" in text
        assert "a backward of its own" in text
    assert lab.receipt(w, y, at=1).text.startswith("Receipt for `∂y/∂w[1]`")
    assert w.grad is None
    y.backward()
    assert w.grad.tolist() == [2.0, 4.0]


def test_a_nan_of_the_forward_is_not_made_in_the_backward(torch: Any):
    x = torch.tensor([-1.0, 1.0], requires_grad=True)
    logs = x.log()
    flagged = [text for text in told(lab.step((logs * x).sum())) if "NaN appears here first" in text]
    assert len(flagged) == 1
    assert "there has been one in logs since the forward" in flagged[0]


def test_an_element_that_is_nan_is_not_called_the_largest(torch: Any):
    """What bars show is the largest of those that are numbers; where there is none, it is not called so."""
    w = torch.tensor([0.0, 1.0, 9.0], requires_grad=True)
    with lab.accumulation(w) as ledger:
        (w.sqrt() * torch.tensor([0.0, 1.0, 0.5])).sum().backward()
        said = "Bars show element [1], the one farthest from zero among those that are never NaN (2 of 3)"
        assert said in ledger.text
        w.grad.mul_(float("nan"))
        assert "Bars show element [0]: each of the 3 is NaN in one entry or another." in ledger.text
        lab.set_language("zh")
        assert "3 个元素都在某一条记录中是 NaN" in ledger.make().blocks[1].text


def test_no_size_that_is_nan_is_the_largest(torch: Any):
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    rec = lab.training(w)
    for k in range(3):
        if k != 1:
            w.grad = None
        rec.step((w.sqrt() * torch.tensor([0.0, 1.0])).sum()).backward()
    assert "‖gradient‖ added to w.grad: nan at step 1, nan at step 3, never finite" in rec.text
    assert "2     Not zeroed before this backward" in rec.text


def test_what_came_before_a_hook_is_what_the_node_gave(torch: Any):
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    w.register_hook(lambda g: g * 10)
    h = w * torch.tensor([3.0, 4.0])
    with lab.accumulation(w, h) as ledger:
        h.sum().backward()
        assert "[3., 4.] from MulBackward0 (`h`); hooks made [30., 40.] of [3., 4.]" in ledger.text
        w.grad = None
        torch.autograd.grad((w * 5).sum(), w)
        (w * w + w * 3).sum().backward()
        assert "MulBackward0 + MulBackward0 + MulBackward0, as hooks left it" in ledger.text.splitlines()[-1]
        (w * 3).sum().backward()  # nobody watched this Node: what it gave is not known
        assert " MulBackward0, as hooks left it" in ledger.text.splitlines()[-1]


def test_a_backward_that_could_not_start_is_not_advised(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w * w
    assert "Call `y.sum().backward()`." in lab.show(w).text
    y.sum().backward()  # what is said works
    z = (w * 2j).sum()
    w.grad, y = None, None
    assert "Call `z.abs().backward()`." in lab.why(w).text
    z.abs().backward()


def test_what_is_cut_from_every_leaf_cannot_run_backward(torch: Any):
    w, v = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
    a = w * 2
    y = a * a
    said = "Then `y` does not require grad any more, and `y.backward()` raises an error."
    assert said in lab.what_if(y, cut=a).text and said in lab.what_if(y, frozen=w).text
    assert said not in lab.what_if(y, zero=a).text
    y = a * v
    assert said not in lab.what_if(y, cut=a).text


def test_what_is_made_zero_brings_nothing_of_the_rest(torch: Any):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a * 2, a * 3

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return g * 2 + h * 3

    a = torch.tensor([1.0], requires_grad=True)
    u, v = Both.apply(a)
    text = lab.what_if(u + v, zero=u).text
    assert "[2.] of it came through `u`; the rest still comes by way of BothBackward (`v`)." in text


def test_rounding_of_a_coarse_dtype_is_no_other_backward(torch: Any):
    torch.manual_seed(0)
    lin = torch.nn.Linear(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        s = torch.softmax(lin(torch.tensor([[1.0, 2.0]])), -1)
    text = lab.receipt(lin.weight, s.float().pow(2).sum()).text
    assert "another backward" not in text and "✗" not in text
    assert "no more than rounding can do" in text


def test_memory_that_others_share_is_not_ones_own(torch: Any):
    m = torch.ones(2, 3)
    row, other, last = m[0], torch.ones(2), m[1]
    text = lab.storage(row, other).text
    assert "`row`, `other` share no memory with each other" in text
    assert "`row` shares its memory with `m`, `last` too, which this picture leaves out." in text
    assert "leaves out" not in lab.storage(m, row, last).text


def test_infinity_that_a_condition_stops_is_not_multiplied_by_zero(torch: Any):
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    r = torch.sqrt(x)
    y = (torch.where(x > 0, r, torch.zeros(2)) / x).sum()
    (frame,) = (f for f in lab.step(y).card.frames if f.sentence.startswith("WhereBackward0"))
    assert "= [0.0000, 0.2500]" in frame.sentence and not frame.panel


def test_chinese_words_stand_without_blanks_between_them(torch: Any):
    lab.set_language("zh")
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    w.register_hook(lambda g: None)
    z = (w.expand(2, 2) * torch.tensor([[3.0], [4.0]]))[0].view(2).sum()
    chinese = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
    for text in (lab.step(z).text, lab.storage(w.expand(2, 2)).text, lab.graph(z).text):
        assert not re.search(f"{chinese} {chinese}", text)
    assert "MulBackward0，保存了" in lab.graph(z).text


def test_of_what_is_not_finite_only_what_there_is_is_said(torch: Any):
    x = torch.tensor([1.0, float("inf"), float("inf")])
    assert "Not finite: 2 × inf among the values." in lab.show(x).text
    lab.set_language("zh")
    assert "有非有限值：数值里有 2 个 inf。" in lab.show(x).text


def test_minus_infinity_is_called_so(torch: Any):
    assert "1 × inf, 2 × -inf among" in lab.show(torch.tensor([float("inf"), -float("inf"), -float("inf")])).text
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    y = (x.log() * x.sqrt()).sum()
    assert [b.text for b in lab.receipt(x, y, at=1).card.badges] == ["some elements: NaN"]  # of this one it adds up


def test_a_gradient_is_cast_back_to_the_dtype_that_came_in(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    half = w.to(torch.bfloat16)
    (into, back) = (f.sentence for f in lab.step(half.float().sum()).card.frames if f.sentence.startswith("ToCopy"))
    assert "gets g.to(bfloat16)" in into and "gets g.to(float32)" in back


def test_the_receipt_of_a_non_leaf_promises_no_grad(torch: Any):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    a = w * 3
    y = a.sum()
    text = lab.receipt(a, y).text
    assert "Receipt for `∂y/∂a[0]`" in text and "will get" not in text and "a.grad[" not in text
    a.retain_grad()
    assert "Receipt for `a.grad[0]`" in lab.receipt(a, y).text and "will put there" in lab.receipt(a, y).text


def test_several_that_are_on_no_path_are_several(torch: Any):
    w = torch.tensor([1.0], requires_grad=True)
    net = torch.nn.Linear(1, 1)
    y = (w * 2).sum()
    assert "`net` is not on any path back from" in lab.what_if(y, frozen=net).text
    text = lab.what_if(y, frozen=[net.weight, net.bias]).text
    assert "`net.weight`, `net.bias` are not on any path back from" in text and "cutting" not in text


def test_what_a_comparison_made_is_not_mended_by_a_point(shell: Any):
    shell.run("w = torch.tensor([1., 2.], requires_grad=True)\nfrom autogradlab import inspectors as lab")
    text = shell.run("i = (w > 1).long()\nlab.why(i)").text
    assert "integers and booleans have no derivative" in text and "write `1.`" not in text


def test_places_are_told_one_by_one(torch: Any):
    """Places that are all the same are as many, and a dimension that is taken whole is no new one."""
    x = torch.ones(4, requires_grad=True)
    m = torch.ones(2, 2, requires_grad=True)
    for y, rule in (
        (x[x > 5], "x gets g added at [[False, False, False, False]]"),
        (x[torch.tensor([2, 2])], "x gets g added at [[2, 2]]"),
        (m[:, torch.tensor([True, False])], "m gets g added at [:, [True, False]]"),
    ):
        assert rule in told(lab.step(y.sum()))[3]


def test_an_index_that_is_freed_is_still_told(torch: Any):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x[torch.tensor([0, 0])].sum()
    y.backward()
    assert "already been freed" in told(lab.step(y))[-1]
    assert "saved: freed" in lab.graph(y).text


def test_an_expression_in_a_formula_stands_in_brackets(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab")
    shell.run("x = torch.tensor([3., 4.], requires_grad=True)\ny = (x + 1).norm()")
    assert "gets g·(x + 1)/y" in told(shell.run("lab.step(y)"))[2]
