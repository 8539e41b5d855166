"""`lab.step` on everything that backward can be asked: roots, arguments, hooks, Functions, views, errors."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.parts import Drawing


def told(view: Any) -> list[str]:
    """What happens, without the start."""
    return [frame.sentence for frame in view.card.frames[1:]]


def leaves(torch: Any) -> tuple[Any, Any]:
    return torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)


ROOT = "The root gradient [1.] enters at y: backward() of one element starts with 1."


def test_several_roots(torch: Any):
    w, x = leaves(torch)
    a = w * x
    one = a.exp()
    two = a.sum()
    view = lab.step([one, two])
    assert view.card.title == "autograd.backward([one, two])"
    assert told(view) == [
        "The root gradient [1.] enters at one: backward() of one element starts with 1.",
        "The root gradient 1. enters at two: backward() of one element starts with 1.",
        "SumBackward0 runs: a gets g.expand(1) = [1.]. At a it waits: 1 of 2 gradients are here.",
        "ExpBackward0 runs: a gets g·one = [7.3891]. It frees what it saved: result.",
        "Both gradients of a are here and are summed: [1.] + [7.3891] = [8.3891].",
        "MulBackward0 runs: w gets g·x = [16.7781], x gets g·w = [8.3891]. It frees what it saved: self, other.",
        "AccumulateGrad: w.grad was None and becomes [16.7781].",
        "AccumulateGrad: x.grad was None and becomes [8.3891].",
        "Done: w.grad = [16.7781], x.grad = [8.3891].",
    ]
    same = lab.step([two, two])
    assert told(same)[:3] == [
        (
            "The root gradient 1. enters at two: backward() of one element starts with 1. At two it waits: 1 of 2 "
            "gradients are here."
        ),
        "The root gradient 1. enters at two: backward() of one element starts with 1.",
        "Both gradients of two are here and are summed: 1. + 1. = 2.",
    ]


def test_a_given_gradient(torch: Any):
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = w * w
    view = lab.step(y, gradient=torch.tensor([1.0, 10.0, 100.0]))
    assert view.card.title == "y.backward(gradient=[1., 10., 100.])"
    assert told(view) == [
        "The root gradient [1., 10., 100.] enters at y.",
        (
            "MulBackward0 runs: w gets g·w = [1., 20., 300.], w gets g·w = [1., 20., 300.]. It frees what it "
            "saved: self, other."
        ),
        "Both gradients of w are here and are summed: [1., 20., 300.] + [1., 20., 300.] = [2., 40., 600.].",
        "AccumulateGrad: w.grad was None and becomes [2., 40., 600.].",
        "Done: w.grad = [2., 40., 600.].",
    ]


def test_inputs(torch: Any):
    w, x = leaves(torch)
    a = w * x
    y = a * x
    assert told(lab.step(y, inputs=[w])) == [
        ROOT,
        "MulBackward0 runs: a gets g·x = [2.]. It frees what it saved: self, other.",
        "MulBackward0 runs: w gets g·x = [4.]. It frees what it saved: self, other.",
        "AccumulateGrad: w.grad was None and becomes [4.].",
        "Done: w.grad = [4.].",
    ]
    assert told(lab.step(y, inputs=a))[2:] == [
        "a retains its gradient: a.grad was None and becomes [2.].",
        "MulBackward0 runs and passes no gradient on. It frees what it saved: self, other.",
        "Done: a.grad = [2.].",
    ]
    assert not a.retains_grad  # as a real backward with inputs=[a] would have it


def test_retained_gradients(torch: Any):
    w, x = leaves(torch)
    a = w * x
    a.retain_grad()
    y = a * x
    view = lab.step(y)
    assert told(view)[2] == "a retains its gradient: a.grad was None and becomes [2.]."
    assert a.grad is None
    y.backward(retain_graph=True)
    kept = a.grad
    assert told(lab.step(y))[2] == "a retains its gradient: [2.] + [2.] = [4.], in a new tensor."
    assert a.grad is kept
    assert kept.tolist() == [2.0]


def test_create_graph_shows_the_second_graph(torch: Any):
    w, _ = leaves(torch)
    y = w**3
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing stays behind, so there is nothing to warn of
        view = lab.step(y, create_graph=True)
    assert told(view) == [
        ROOT,
        "PowBackward0 runs: w gets g·3·w² = [3.].",
        "AccumulateGrad: w.grad was None and becomes [3.].",
        "Done: w.grad = [3.].",
    ]
    (second,) = view.card.cards
    assert second.title == "The gradients' own graph (create_graph=True)"
    assert any(line.startswith("w.grad = ") and line.endswith("the root") for line in second.blocks[0].words)
    assert w.grad is None


def test_a_custom_function(torch: Any):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    class Wrong(Double):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, g

    w, x = leaves(torch)
    y = Double.apply(w) * x
    assert told(lab.step(y))[3] == "DoubleBackward runs: w gets [4.]. It frees what it saved: saved_tensors[0]."
    y = Wrong.apply(w) * x
    view = lab.step(y)
    assert told(view)[-1] == (
        "WrongBackward fails. RuntimeError: function WrongBackward returned an incorrect number of gradients "
        "(expected 1, got 2)"
    )
    assert ("n2", "failed") in view.card.frames[-1].states


def test_a_view_changed_in_place(torch: Any):
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    a = w * 2
    a[0].mul_(5)
    y = a.sum()
    assert told(lab.step(y)) == [
        "The root gradient 1. enters at y: backward() of one element starts with 1.",
        "SumBackward0 runs: a gets g.expand(3) = [1., 1., 1.].",
        "CopySlices runs: MulBackward0 gets [5., 1., 1.].",
        "MulBackward0 runs: w gets g·2 = [10., 2., 2.]. It frees what it saved: other.",
        "AccumulateGrad: w.grad was None and becomes [10., 2., 2.].",
        "Done: w.grad = [10., 2., 2.].",
    ]


def test_a_freed_graph(torch: Any):
    w, x = leaves(torch)
    y = (w * x).exp()
    y.backward()
    view = lab.step(y)
    assert told(view)[0] == ROOT
    assert told(view)[1].startswith(
        "ExpBackward0 fails. RuntimeError: Trying to backward through the graph a second time"
    )
    assert view.card.frames[-1].states[-1] == ("n1", "failed")
    graph = lab.graph(y)
    assert "saved: freed" in graph.text
    (node,) = [item for item in graph.card.blocks[0].items if item.id == "n1"]
    assert ("_saved_result", "freed by backward") in node.details[0].rows


def test_an_overwritten_value(torch: Any):
    w, x = leaves(torch)
    a = w * x
    y = a * a
    with torch.no_grad():
        a.add_(1)
    assert told(lab.step(y))[1].startswith(
        "MulBackward0 fails. RuntimeError: one of the variables needed for gradient computation has been "
        "modified by an "
        "inplace operation: [torch.FloatTensor [1]], which is output 0 of Mul"
    )
    (node,) = [item for item in lab.graph(y).card.blocks[0].items if item.id == "n1"]
    words = "overwritten: saved at version 0, now 1; backward will fail here"
    assert {("_saved_self", words), ("_saved_other", words)} <= set(node.details[0].rows)


def test_wrong_arguments(torch: Any):
    w = torch.ones(3, requires_grad=True)
    y = w * 2
    assert told(lab.step(y)) == [
        "Backward does not begin. RuntimeError: grad can be implicitly created only for scalar outputs"
    ]
    assert told(lab.step(y, gradient=torch.ones(2))) == [
        (
            "Backward does not begin. RuntimeError: Mismatch in shape: grad_output[0] has a shape of "
            "torch.Size([2]) and "
            "output[0] has a shape of torch.Size([3])."
        )
    ]
    data = torch.ones(1)
    assert told(lab.step(data)) == [
        "Backward does not begin. RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    ]
    y = w.sum()
    for arguments, words in (
        ({"inputs": []}, "RuntimeError: `inputs` argument to `backward()` cannot be empty."),
        ({"inputs": [data]}, "RuntimeError: can't retain_grad on Tensor that has requires_grad=False"),
        ({"inputs": 3}, "TypeError: 'int' object is not iterable"),
        ({"gradient": "x"}, "TypeError: gradients can be either Tensors or None, but got str"),
    ):
        assert told(lab.step(y, **arguments)) == [f"Backward does not begin. {words}"]
    assert told(lab.step(y, gradient=torch.tensor(2)))[-1] == "Done: w.grad = [2., 2., 2.]."
    assert "`lab.step` looks at tensors; this is an object of type `int`" in lab.step([y, 3]).text
    assert "looks at tensors; this is an object of type `str`" in lab.step("y").text
    assert "the list is empty" in lab.step([]).text


def test_a_leaf_is_a_root(torch: Any):
    w, _ = leaves(torch)
    assert told(lab.step(w))[1:] == ["AccumulateGrad: w.grad was None and becomes [1.].", "Done: w.grad = [1.]."]


def test_where_nothing_is_recorded(torch: Any):
    w, x = leaves(torch)
    y = w * x
    with torch.no_grad():
        assert told(lab.step(y))[-1] == "Done: w.grad = [2.], x.grad = [1.]."
        assert told(lab.step(w))[-1] == "Done: w.grad = [1.]."
        assert "`w` is a leaf" in lab.graph(w).text


def test_complex_numbers_and_other_dtypes(torch: Any):
    w = torch.tensor([1.0 + 2.0j], requires_grad=True)
    y = (w * w.conj()).real.sum()
    assert told(lab.step(y))[-1] == "Done: w.grad = [2.+4.j]."
    d = torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = d.float().sum()
    assert told(lab.step(y))[2] == "ToCopyBackward0 runs: d gets g.to(float64) = [1., 1.]."


def test_the_real_backward_can_keep_the_graph(torch: Any):
    w, _ = leaves(torch)
    y = w * 2
    view = lab.step(y, commit=True, retain_graph=True)
    assert "This was the real backward." in view.text
    assert view.card.title == "y.backward(retain_graph=True)"
    assert told(view)[1] == "MulBackward0 runs: w gets g·2 = [2.]."
    assert told(lab.step(y, commit=True))[2] == "AccumulateGrad adds to w.grad: [2.] + [2.] = [4.]."
    assert w.grad.tolist() == [4.0]


def test_hooks_one_by_one(torch: Any):
    w, x = leaves(torch)
    a = w * x
    y = a * x

    def look(g: Any) -> None: ...

    def ten(g: Any) -> Any:
        return g * 10

    def after(p: Any) -> None: ...

    a.register_hook(look)
    a.register_hook(ten)
    w.register_hook(ten)
    w.register_post_accumulate_grad_hook(after)
    a.grad_fn.register_prehook(lambda gs: (gs[0] + 1,))
    view = lab.step(y)
    assert told(view)[2:] == [
        "Hook `look` on a sees [2.] and returns None: the gradient is unchanged.",
        "Hook `ten` on a changes the gradient: [2.] → [20.].",
        "Hook `<lambda>` before MulBackward0 changes the gradient: [20.] → [21.].",
        "MulBackward0 runs: w gets g·x = [42.], x gets g·w = [21.]. It frees what it saved: self, other.",
        "Both gradients of x are here and are summed: [2.] + [21.] = [23.].",
        "Hook `ten` on w changes the gradient: [42.] → [420.].",
        "AccumulateGrad: w.grad was None and becomes [420.].",
        "Post-accumulate-grad hook `after` on w runs: `.grad` is already [420.].",
        "AccumulateGrad: x.grad was None and becomes [23.].",
        "Done: w.grad = [420.], x.grad = [23.].",
    ]
    assert list(a._backward_hooks.values()) == [look, ten]
    assert list(w._backward_hooks.values()) == [ten]
    assert "Your own hooks did run." in view.text


def test_a_hook_that_raises(torch: Any):
    w, x = leaves(torch)
    a = w * x
    y = a * x

    def bad(g: Any) -> Any:
        raise ValueError("no way")

    handle = a.register_hook(bad)
    view = lab.step(y)
    assert told(view)[-1] == "Hook `bad` on a fails. ValueError: no way"
    assert list(a._backward_hooks.values()) == [bad]
    handle.remove()
    assert told(lab.step(y))[-1] == "Done: w.grad = [4.], x.grad = [4.]."


def test_hooks_of_tensors_without_a_name(torch: Any):
    w, x = leaves(torch)
    kept = [[[w * x]]]
    kept[0][0][0].retain_grad()
    kept[0][0][0].register_hook(lambda g: g + 1)
    y = kept[0][0][0] * x
    assert told(lab.step(y))[2:4] == [
        "Hook `<lambda>` on MulBackward0 changes the gradient: [2.] → [3.].",
        "MulBackward0 retains its gradient: MulBackward0.grad was None and becomes [3.].",
    ]
    assert kept[0][0][0].grad is None


def test_everything_is_put_back(torch: Any):
    """The same objects, the same versions; the graph can still be walked, and gives the same as if nothing had been."""
    w, x = leaves(torch)
    (w * x).backward()
    a = w * x
    a.retain_grad()
    y = (a * w).exp()
    tensors = [w, x, a, y]
    grads = [w.grad, x.grad]
    before = [(t._version, t.tolist()) for t in [*tensors, *grads]]

    def stop(g: Any) -> Any:
        raise KeyboardInterrupt

    for failing in (None, stop, lambda g: 1 / 0):
        handle = a.register_hook(failing) if failing is not None else None
        if failing is stop:
            with pytest.raises(KeyboardInterrupt):
                lab.step(y)
        else:
            lab.step(y)
        if handle is not None:
            handle.remove()
        assert (w.grad is grads[0], x.grad is grads[1], a.grad) == (True, True, None)
        assert [(t._version, t.tolist()) for t in [*tensors, *grads]] == before
        assert not a._backward_hooks
        assert not w._backward_hooks
    lab.step(y, commit=True)
    one = [w.grad.tolist(), x.grad.tolist(), a.grad.tolist()]
    w.grad, x.grad = None, None
    (w * x).backward()
    a = w * x
    a.retain_grad()
    (a * w).exp().backward()
    assert [w.grad.tolist(), x.grad.tolist(), a.grad.tolist()] == one


def test_numbers_on_edges_add_up_to_grad(torch: Any):
    """What arrives along the edges of each leaf is its `.grad`, to the last bit where one order of sums is known."""
    from autogradlab.inspectors.snapshot.events import Accumulated, NodeRan
    from autogradlab.inspectors.snapshot.recording import record

    torch.manual_seed(0)
    w, b = torch.randn(3, requires_grad=True), torch.randn(1, requires_grad=True)
    h = torch.tanh(w * b + w)
    y = (h * w).sum() + b.exp().sum() * h.mean()
    recording = record([y], {"w": w, "b": b, "h": h, "y": y})
    y.backward()
    ids = {node.id for node in recording.graph.nodes if node.accumulates}
    arrived: dict[str, Any] = {}
    for event in recording.events:
        if isinstance(event, NodeRan):
            for edge in recording.graph.edges:
                amount = event.outgoing[edge.index] if edge.source == event.node else None
                if amount is not None and edge.target in ids:
                    new = torch.tensor(amount.numbers)
                    arrived[edge.target] = new if edge.target not in arrived else arrived[edge.target] + new
    grads = {v.name: v.of[0] for v in recording.graph.values if v.of is not None and v.kind == "leaf"}
    for name, leaf in (("w", w), ("b", b)):
        assert arrived[grads[name]].tolist() == leaf.grad.tolist()
    stored = {e.node: e.after.numbers for e in recording.events if isinstance(e, Accumulated) and e.after is not None}
    assert stored[grads["w"]] == tuple(w.grad.tolist())


def test_nothing_is_kept_alive(torch: Any):
    import gc
    import weakref

    w, x = leaves(torch)
    y = w * x
    view = lab.step(y)
    graph = lab.graph(y)
    references = [weakref.ref(t) for t in (w, x, y)]
    del w, x, y
    gc.collect()
    assert [r() for r in references] == [None, None, None]
    assert view.text and graph.text


def test_odd_values(torch: Any):
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    y = (w / w).sum()
    assert told(lab.step(y))[-1] == "Done: w.grad = [nan, 0.]."
    empty = torch.ones(0, requires_grad=True)
    y = empty.sum()
    assert told(lab.step(y))[-1] == "Done: empty.grad = []."
    large = torch.ones(1000, 1000, requires_grad=True)
    y = (large * large).sum()
    assert told(lab.step(y))[2] == (
        "MulBackward0 runs: large gets g·large = [[1., 1., …], …] (1000, 1000), large gets g·large = [[1., 1., "
        "…], …] (1000, 1000). "
        "It frees what it saved: self, other."
    )


def test_long_passes_keep_their_beginning(torch: Any):
    w, _ = leaves(torch)
    y = w
    for _ in range(400):
        y = y * w
    view = lab.step(y)
    assert len(view.card.frames) <= 305
    assert told(view)[-1].startswith("Done: w.grad = [401.]. ")
    assert told(view)[-1].endswith("further events are not shown one by one.")


def test_of_a_very_large_graph_the_part_is_drawn_that_runs(torch: Any):
    w, _ = leaves(torch)
    y = w * 1
    for _ in range(1400):
        y = y * w
    view = lab.step(y)
    assert told(view)[-1].startswith("Done: w.grad = [1401.]. ")
    drawing = next(block for block in view.card.blocks if isinstance(block, Drawing))
    drawn = {item.id for item in drawing.items}
    assert 150 < len(drawn) < 1000
    lit = {item for frame in view.card.frames for item, state in frame.states if state == "active" and item[0] in "ne"}
    assert len(lit) > 200 and lit <= drawn, "whatever runs is in the picture"
    assert "The graph has 1402 Nodes; the " in view.text
    assert view.svg(3).startswith("<svg")


def test_a_graph_of_more_than_ten_thousand_nodes_is_not_run(torch: Any):
    w, _ = leaves(torch)
    y = w * 1
    for _ in range(10_001):
        y = y * w
    assert "more than 10000 Nodes" in lab.step(y).text and w.grad is None


def test_both_languages_say_the_same_steps(torch: Any):
    w, x = leaves(torch)
    y = w * x
    english = lab.step(y)
    lab.set_language("zh")
    chinese = lab.step(y)
    assert (
        told(chinese)[1] == "MulBackward0 运行：w 得到 g·x = [2.]，x 得到 g·w = [1.]。它释放了保存的值：self、other。"
    )
    assert [f.states for f in chinese.card.frames] == [f.states for f in english.card.frames]


def test_a_backward_that_cannot_begin_is_told_of_what_was_written(torch: Any):
    w, _ = leaves(torch)
    view = lab.step(w.detach() + 1)
    assert view.card.title == "(w.detach() + 1).backward()"
    assert "`w.detach() + 1` has no graph, so backward has nowhere to go." in view.text
    assert view.card.frames[0].sentence == "Nothing has run yet."
    assert lab.step([w * 2, w + 1]).card.title == "autograd.backward([w * 2, w + 1])"
    stopped = lab.step(w.detach(), commit=True).card.frames[0].sentence
    assert stopped == "The backward was called, and an error stopped it. This is how it went."


def test_nodes_of_a_vmap_are_told_row_by_row(torch: Any):
    """Each knows the shape of one row alone; what is taken element by element holds for all of them."""
    w = torch.ones(3, 2, requires_grad=True)
    x = torch.arange(12.0).reshape(4, 3) / 12
    out = torch.func.vmap(lambda row: torch.tanh(row @ w).sum())(x)
    y = (out**2).mean()
    said = [sentence for sentence in told(lab.step(y)) if sentence.startswith(("Sum", "Tanh", "Squeeze"))]
    shown = [sentence.split(" = ")[0].split(" gets ")[1] for sentence in said]
    assert shown[1] == "g·(1-result²)"
    if torch.__name__ == "torch":
        assert shown == ["g.unsqueeze(1).expand(4, 2)", "g·(1-result²)", "g.unsqueeze(1)"]
    else:
        assert shown == ["g.unsqueeze(0).expand(2), row by row", "g·(1-result²)", "g.unsqueeze(0), row by row"]
    lab.set_language("zh")
    if torch.__name__ != "torch":
        assert "g.unsqueeze(0).expand(2)（逐行）" in lab.step(y).text


def test_beside_a_line_stands_what_a_hook_left_in_grad(torch: Any, shell: Any):
    """The gradient that came, and below it the `.grad` that a post-accumulate-grad hook has made of it."""
    shell.run("from autogradlab import inspectors as lab\ndef scale(p): p.grad.mul_(.1)")
    shell.run("w = torch.tensor([2.], requires_grad=True)\nv = torch.tensor([1.], requires_grad=True)")
    shell.run("h = w.register_post_accumulate_grad_hook(scale)\ny = (w * v * 5).sum()")
    frames = shell.run("lab.step(y)").card.frames
    rows: dict[str, str] = {}
    for frame in frames:
        rows |= dict(frame.texts)
    beside = {text for key, text in rows.items() if key.startswith("r") and text.startswith(".grad")}
    assert beside == {".grad", ".grad = [0.5000]"}


def test_asterisks_in_names_are_no_marks(torch: Any):
    """`**strong**` is a mark in our own words alone."""
    held = {name: torch.ones(2, requires_grad=True) for name in ("a**b", "**x**", "** y **")}
    y = (held["a**b"] * held["**x**"] * held["** y **"]).sum()
    for view in (lab.graph(y), lab.step(y), lab.what_if(y, frozen=held["**x**"])):
        text = view.text.replace("∗∗", "**")
        for name in held:
            assert f"held['{name}']" in text, (view.card.kind, name)
        assert "held['x']" not in text


def test_a_leaf_without_a_name_owns_its_grad(torch: Any):
    y = (torch.ones(2, requires_grad=True) * 3).sum()
    assert told(lab.step(y))[-2:] == [
        "AccumulateGrad: (a leaf of shape (2,)).grad was None and becomes [3., 3.].",
        "Done: (a leaf of shape (2,)).grad = [3., 3.].",
    ]


def test_a_chinese_sentence_has_one_point_behind_a_number(torch: Any):
    w = torch.tensor(3.0, requires_grad=True)
    y = w**2
    lab.set_language("zh")
    sentences = " ".join(frame.sentence + frame.said for frame in lab.step(y).card.frames)
    assert "= 6. 它释放了保存的值：self。" in sentences and ".。" not in sentences
