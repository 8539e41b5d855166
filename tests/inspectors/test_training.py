"""`lab.training`: what a training loop did, on autogradlab and on PyTorch alike."""

from __future__ import annotations

import gc
import math
import weakref
from itertools import pairwise
from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.layout.timeline import Mark, _decades, timeline
from autogradlab.inspectors.parts import Timeline
from autogradlab.inspectors.snapshot import training as watching
from autogradlab.inspectors.stored import packed


def loop(torch: Any, rec: Any, leaf: Any, steps: int, zero: Any = lambda k: True, rate: float = 0.1) -> None:
    """Gradient descent on the sum of squares."""
    for k in range(steps):
        if zero(k):
            leaf.grad = None
        loss = (leaf * leaf).sum()
        assert rec.step(loss) is loss
        loss.backward()
        with torch.no_grad():
            leaf -= rate * leaf.grad


def told(rec: Any) -> list[tuple[int, str, tuple[str, ...]]]:
    return [(event.step, event.kind, event.names) for event in rec.events]


def network(torch: Any, between: str = "ReLU") -> Any:
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(2, 3), getattr(nn, between)(), nn.Linear(3, 1))


def test_losses_and_gradients(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    loop(torch, rec, w, 3)
    assert [step.loss for step in rec.steps] == pytest.approx([25.0, 16.0, 10.24])
    assert [step.grads[0].added.norm for step in rec.steps] == pytest.approx([10.0, 8.0, 6.4])
    assert all(step.grads[0].left is None and step.grads[0].adds_up for step in rec.steps)
    assert rec.events == []
    assert rec.text.startswith("Training of `w` · 3 steps · loss 25 → 10.2\n")


def test_the_loop_may_note_its_step_after_backward(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    for _ in range(3):
        w.grad = None
        loss = (w * w).sum()
        loss.backward()
        rec.step(loss)
        with torch.no_grad():
            w -= 0.1 * w.grad
    assert [step.grads[0].added.norm for step in rec.steps] == pytest.approx([10.0, 8.0, 6.4])
    with pytest.raises(ValueError, match="step 1 was not kept"):
        rec.backward(1)


def test_a_missing_zero_grad_is_seen_and_adds_up(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    loop(torch, rec, w, 6, zero=lambda k: k != 3)
    assert told(rec) == [(4, "left", ("w",))]
    grown = rec.steps[3].grads[0]
    assert grown.adds_up and grown.left is not None and grown.now is not None
    assert [a + b for a, b in zip(grown.left.rows[0], grown.added.rows[0], strict=True)] == pytest.approx(
        grown.now.rows[0]
    )
    assert (
        "Not zeroed before this backward (`zero_grad()` does that): the new gradient was added to what step 3 had"
        in rec.text
    )


def test_two_backwards_in_a_step_add_up(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    rec.step((w * w).sum())
    for _ in range(2):
        (w * w).sum().backward()
    grown = rec.steps[0].grads[0]
    assert grown.left is None and grown.adds_up and grown.now is not None
    assert grown.added.rows == grown.now.rows == ((12.0, 16.0),)


def test_hooks_that_change_what_is_there(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    w.register_hook(lambda grad: grad * 2)
    loop(torch, rec, w, 2)
    assert told(rec) == [(1, "hooked", ("w",))]


@pytest.mark.parametrize("when", ["loss", "gradient"])
def test_the_first_nan(torch: Any, when: str) -> None:
    w = torch.tensor([1.0, 0.0], requires_grad=True)
    rec = lab.training(w)
    for k in range(4):
        w.grad = None
        loss = (w * w).sum() if k < 2 else (w * float("nan")).sum() if when == "loss" else (w * 0).sqrt().sum()
        rec.step(loss)
        loss.backward()
    kinds = [(step, kind) for step, kind, _ in told(rec) if kind in ("nan", "loss")]
    assert kinds == ([(3, "loss"), (3, "nan")] if when == "loss" else [(3, "nan")])
    assert "adds up" not in rec.text
    if when == "gradient":
        assert "the first NaN comes out of MulBackward0" in rec.text or "SqrtBackward0" in rec.text


def test_relus_without_life(torch: Any) -> None:
    model = network(torch)
    with torch.no_grad():
        model[0].bias.copy_(torch.tensor([-100.0, 100.0, 100.0]))
    x = torch.randn(6, 2)
    rec = lab.training(model)
    for k in range(watching.DEAD + 1):
        model.zero_grad()
        loss = model(x).sum()
        rec.step(loss)
        loss.backward()
        if k == 3:
            assert "dead" not in [kind for _, kind, _ in told(rec)]
    assert (watching.DEAD, "dead", ("0.weight",)) in told(rec)
    assert "1 of 3 units of the ReLU behind `0.weight`" in rec.text
    with torch.no_grad():
        model[0].bias.fill_(-100.0)
    rec.step(model(x).sum()).backward()
    assert "all 3 units of the ReLU behind `0.weight`" in rec.text


def test_exploding_vanishing_and_zero(torch: Any) -> None:
    big, small, none = (torch.tensor([1.0], requires_grad=True) for _ in range(3))
    rec = lab.training({"big": big, "small": small, "none": none})
    for k in range(8):
        big.grad = small.grad = none.grad = None
        loss = (big * (1000 if k == 6 else 1) + small * 1e-7 + none * 0).sum()
        rec.step(loss).backward()
        with torch.no_grad():
            big.mul_(1.0)
    assert told(rec) == [
        *[(watching.LASTING, kind, (name,)) for kind, name in (("vanishing", "small"), ("zero", "none"))],
        (7, "exploding", ("big",)),
    ]


def test_a_row_shows_all_of_an_explosion() -> None:
    assert _decades([10.0**k for k in range(-3, 38)]) == (-1, 37)
    assert _decades([1.0, *[2.0] * 60, 1e-30]) == (0, 1)  # one that passes through zero does not stretch it


def test_parameters_that_do_not_learn(torch: Any) -> None:
    model = network(torch, "Tanh")
    model[0].bias.requires_grad_(False)
    spare = torch.nn.Linear(2, 2)
    named = {**dict(model.named_parameters()), "spare": spare.weight}
    optimizer = torch.optim.SGD([model[0].weight, model[2].bias, spare.weight], lr=0.1)
    rec = lab.training(named)
    for k in range(3):
        optimizer.zero_grad()
        model.zero_grad()
        rec.step(model(torch.ones(1, 2)).sum()).backward()
        if k != 1:
            optimizer.step()
    assert told(rec) == [
        (1, "optimizer", ("2.weight",)),
        (1, "frozen", ("0.bias",)),
        (1, "unreached", ("spare",)),
        (3, "still", ("weights",)),
    ]


def test_an_optimizer_of_another_model(torch: Any) -> None:
    model, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
    rec = lab.training(model, optimizer)
    rec.step(model(torch.ones(1, 2)).sum()).backward()
    assert "None of the parameters is in the optimizer" in rec.text


def test_a_second_model_is_no_optimizer(torch: Any) -> None:
    """`lab.training(D, G)` looks as if it followed both: nothing is claimed of optimizers then."""
    model, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    rec = lab.training(model, other)
    rec.step(model(torch.ones(1, 2)).sum()).backward()
    assert (
        "`optimizer=` takes an optimizer, or a list of them; this is an object of type torch.nn.modules.linear.Linear."
        in rec.text
    )


def test_two_models_and_their_optimizers(torch: Any) -> None:
    critic, generator = torch.nn.Linear(2, 1), torch.nn.Linear(2, 2)
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (critic, generator)]
    rec = lab.training([critic, generator], optimizers)
    rec.step(critic(generator(torch.ones(1, 2))).sum()).backward()
    names = [name for name, _ in rec.steps[0].grads.items()]
    assert len(names) == 4
    assert told(rec) == []
    assert "generator.weight" in rec.text


def test_rows_of_a_deep_model_are_spread_over_it(torch: Any) -> None:
    """Of 60 layers the first half gets no gradient: rows show both halves, names say which layer it is."""
    model = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(60)))
    rec = lab.training(model)
    h = torch.ones(1, 2)
    for k, layer in enumerate(model):
        h = layer(h.detach() if k == 30 else h)
    rec.step(h.sum()).backward()
    (line,) = (block for block in rec.make().blocks if isinstance(block, Timeline))
    layers = [int(name.split(".")[0]) for name in line.names]
    assert layers[0] == 0
    assert layers[-1] == 59
    assert 4 <= sum(layer < 30 for layer in layers) <= 6
    deep = torch.nn.Sequential(torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(1, 1)) for _ in range(3))))
    rec = lab.training(torch.nn.ModuleDict({"encoder_layers": deep}))
    rec.step(1.0)
    assert {"….0.2.0.weight", "….0.1.0.weight"} <= set(rec.svg().replace(">", "<").split("<"))


def test_the_backward_of_a_step_is_the_real_one(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    loop(torch, rec, w, 3, zero=lambda k: k == 0)
    card = rec.backward(2).card
    assert card.frames[-1].sentence.startswith("Done: leaf.grad = [10.8000, 14.4000]")
    assert "backward of step 2" in card.title
    assert "MulBackward0" in rec.backward(2).text


def test_learning_goes_on_as_without_it(torch: Any) -> None:
    """Same numbers, the same versions, the same tensors in `.grad`; the learner's hooks fire once."""

    def run(watched: bool) -> tuple[Any, ...]:
        model = network(torch)
        x, fired = torch.randn(4, 2), []
        model[0].weight.register_hook(lambda g: fired.append(1))
        rec = lab.training(model) if watched else None
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            loss = model(x).pow(2).mean()
            if rec is not None:
                rec.step(loss)
            loss.backward()
            optimizer.step()
        return [p.tolist() for p in model.parameters()], [p._version for p in model.parameters()], len(fired)

    assert run(True) == run(False)


def test_closed_it_leaves_nothing_behind(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    with lab.training(w) as rec:
        loop(torch, rec, w, 2)
        assert w._backward_hooks
    assert not w._backward_hooks and not w._post_accumulate_grad_hooks
    assert "closed" in rec.text and len(rec.steps) == 2
    rec.step((w * w).sum())
    assert len(rec.steps) == 2


def test_it_keeps_no_tensor_alive(torch: Any) -> None:
    model = network(torch)
    rec = lab.training(model)
    for _ in range(3):
        model.zero_grad()
        loss = model(torch.ones(1, 2)).sum()
        rec.step(loss).backward()
    assert len(rec.steps) == 3
    held = weakref.ref(model[0].weight)
    del model, loss
    gc.collect()
    assert held() is None
    assert "Training of `model`" in rec.text


def test_what_is_kept_is_bounded(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST", 20)
    monkeypatch.setattr(watching, "HEARD", 4)
    w = torch.tensor([3.0], requires_grad=True)
    rec = lab.training(w)
    loop(torch, rec, w, 150, zero=lambda k: k != 51, rate=0.01)
    numbers = [step.number for step in rec.steps]
    assert len(numbers) <= 21 and numbers[0] == 1 and numbers[-1] == 150 and 52 in numbers
    assert told(rec) == [(52, "left", ("w",))]
    assert rec.watch is not None and len(rec.watch.heard) <= 4 and 52 in rec.watch.heard
    assert "Of 150 steps every 16th is shown" in rec.text


def test_many_parameters_and_hostile_names(torch: Any) -> None:
    evil = "<img src=x onerror=alert(1)>"
    named = {f"{evil}{k}" if k else evil * 9: torch.ones(3, 300, requires_grad=True) for k in range(60)}
    rec = lab.training(named)
    rec.step(sum((p * p).sum() for p in named.values())).backward()
    assert "<img src=x" not in rec.svg() + rec.html()
    assert "50 more parameters are recorded and not drawn." in rec.text
    assert len(packed(rec.card)) < 60_000


def test_empty_sparse_and_complex_parameters(torch: Any) -> None:
    rec = lab.training([torch.zeros(0, 3, requires_grad=True), torch.tensor([1 + 2j], requires_grad=True)])
    rec.step(1.0)
    assert rec.text and rec.svg() and rec.html()
    empty, number = torch.zeros(0, requires_grad=True), torch.tensor(1 + 2j, requires_grad=True)
    rec = lab.training([empty, number])
    rec.step(empty.sum() + (number * number.conj()).real).backward()
    assert rec.steps[0].grads[1].added.norm == pytest.approx(2 * math.sqrt(5))
    assert rec.text and rec.svg() and rec.html()


def test_what_is_no_loss(torch: Any) -> None:
    w = torch.ones(2, requires_grad=True)
    rec = lab.training(w)
    for thing in (w, "loss", None, torch.tensor(1j)):
        with pytest.raises(TypeError, match="the loss is a tensor of one element, or a number"):
            rec.step(thing)


def test_before_the_first_step_it_says_what_to_write(torch: Any) -> None:
    assert "write `rec.step(loss)`" in lab.training(torch.ones(2, requires_grad=True)).text


def test_triangles_of_steps_that_are_close_are_one(torch: Any) -> None:
    losses = [float(k) for k in range(100)]
    marks = [Mark(k, f"{k}: said") for k in (10, 11, 12, 13, 14, 15, 16, 17, 60, 61, 90)]
    drawing, xs = timeline(losses, [], marks, 0, ())
    triangles = [item for item in drawing.items if item.id.startswith("m")]
    across = [[x for x, _ in item.shapes[0].points] for item in triangles]
    assert all(max(left) + 1 < min(right) for left, right in pairwise(across))
    assert [item.label for item in triangles] == [
        "10: said\n11: said\n12: said\n13: said\n…",
        "17: said",
        "60: said\n61: said",
        "90: said",
    ]
    assert [points[0] for points in across] == [xs[10], xs[17], xs[60], xs[90]]


def test_both_languages_say_the_same(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    loop(torch, rec, w, 3, zero=lambda k: k != 1)
    english = rec.text
    lab.set_language("zh")
    assert "反向传播之前没有清零" in rec.text and "Not zeroed before this backward" in english
    assert rec.card.lang == "zh"


def test_the_card_holds_the_telling_backwards(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    loop(torch, rec, w, 9, zero=lambda k: k != 4)
    rec.refresh()
    (line,) = [block for block in rec.card.blocks if isinstance(block, Timeline)]
    assert {line.moments[k].step for k, _ in line.backwards} == {1, 5, 9}
    rec.asked("backward 3")
    (line,) = [block for block in rec.card.blocks if isinstance(block, Timeline)]
    assert {line.moments[k].step for k, _ in line.backwards} == {1, 3, 5, 9}
    rec.asked("backward 77")
    rec.asked("anything")


def test_the_figure(torch: Any) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    loop(torch, rec, w, 3)
    left, right = rec.figure().axes
    assert left.lines[0].get_ydata() == pytest.approx([25.0, 16.0, 10.24])
    assert right.lines[0].get_ydata() == pytest.approx([10.0, 8.0, 6.4])
    assert right.get_yscale() == "log" and right.lines[0].get_label() == "w"


def test_a_preview_is_no_backward_of_the_learner(torch: Any) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    loss = (w * w).sum()
    rec.step(loss)
    lab.step(loss)
    assert rec.steps[0].grads == {}
    assert "0x" not in rec.text


def test_an_infinite_gradient_is_not_nan(torch: Any) -> None:
    x = torch.tensor([1e30, 1.0], requires_grad=True)
    record = lab.training(x)
    record.step(((x * 1e5) ** 2).sum()).backward()
    assert "‖gradient‖ added to x.grad: inf at step 1" in record.text


@pytest.mark.parametrize("how", ["w.data -= 0.1 * w.grad", "w.data = w.data - 0.1 * w.grad", "opt.step()", ""])
def test_weights_that_were_written_past_autograd_have_changed(torch: Any, how: str) -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    scope = {"w": w, "opt": torch.optim.SGD([w], lr=0.1)}
    for _ in range(3):
        w.grad = None
        rec.step((w * w).sum()).backward()
        exec(how, scope)
    assert ("No weight changed after step 1" in rec.text) is (how == "")


def test_a_search_that_is_over_changes_nothing(torch: Any) -> None:
    """LBFGS has run its step, and found that nothing is left to do."""
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([w])
    rec = lab.training(w)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((w - 1) ** 2).sum()
        rec.step(loss).backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    said = (
        "No weight changed after step 3: `optimizer.step()` did not run, has other weights, or found nothing to change."
    )
    assert said in rec.text


def test_a_relu_is_called_by_the_weight_before_it_even_where_that_is_frozen(torch: Any) -> None:
    torch.manual_seed(0)
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    with torch.no_grad():
        net[0].bias.fill_(100.0)
        net[2].weight.fill_(-1.0)
    net[2].requires_grad_(False)
    rec = lab.training(net)
    rec.step(net(torch.randn(5, 2)).sum()).backward()
    silent = [event for event in rec.events if event.kind == "silent"]
    assert [(event.names, event.number) for event in silent] == [(("2.weight",), 4.0)]


def test_what_was_frozen_when_a_step_began_is_no_weight_to_which_nothing_came(torch: Any) -> None:
    net, x = network(torch), torch.ones(4, 2)
    net[2].requires_grad_(False)
    rec = lab.training(net)
    for k in range(3):
        if k == 2:
            net[2].requires_grad_(True)
        net.zero_grad()
        rec.step(net(x).sum()).backward()
    assert {(step, kind) for step, kind, names in told(rec) if "2.bias" in names} == {(1, "frozen")}
    assert len(rec.steps[2].grads) == 4


def test_a_loss_that_is_nan_because_weights_were_is_not_laid_to_the_forward(torch: Any) -> None:
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    rec = lab.training(w)
    for _ in range(2):
        w.grad = None
        loss = (w[:1] * w[:1]).sqrt().sum() + w[1]
        rec.step(loss).backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    assert [pair[:2] for pair in told(rec)] == [(1, "nan"), (2, "loss_weights")]
    assert "The loss is nan, and there was NaN or infinity in weights before this step: `w`." in rec.text
