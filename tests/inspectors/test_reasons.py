"""Why `.grad` is None: each reason that there is, told apart, in words."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autogradlab.inspectors.words
from autogradlab.inspectors.snapshot.names import names_of, namespace
from autogradlab.inspectors.snapshot.reasons import KINDS, Reason, cure, grad_reason, lead, sentence


def why(tensor: Any) -> Reason:
    space = namespace()
    return grad_reason(tensor, names_of(space), space)


@pytest.mark.filterwarnings("error")
def test_leaves(torch: Any):
    w, u = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
    assert why(w) == Reason("unused", {"name": "w", "source": "torch.ones(2, requires_grad=True)"})
    y = w * w
    loss = y.sum()
    reason = why(w)
    assert (reason.kind, reason.fields["root"]) == ("no_backward", "loss")
    assert lead(reason) == "`.grad` is None:"
    assert sentence(reason) == "`loss` was computed from `w`, and a gradient comes here when backward runs from `loss`."
    assert cure(reason) == "Call `loss.backward()`."
    loss.backward()
    assert (why(w).kind, cure(why(w))) == ("present", "")
    assert (why(u).kind, why(u).fields["other"]) == ("off_path", "w")
    w.grad = None
    assert why(w).kind == "cleared"
    assert why(torch.ones(3, requires_grad=True)).fields["name"] == "t"


def test_gradients(torch: Any):
    x, a = torch.ones(2, requires_grad=True), np.zeros(2)
    (x * x).sum().backward()
    g = x.grad
    (h,) = torch.autograd.grad((x**3).sum(), x)
    assert [why(g).kind, why(h).kind] == ["gradient", "gradient"]
    assert "requires_grad_" not in cure(why(g))
    assert lead(why(g)) == "`g.grad` is None and stays None:"  # g is there
    assert why(x.detach() * a.size).kind == "not_required"


def test_numpy_arrays_have_names_too(torch: Any):
    a, w = np.zeros(2), torch.ones(1, requires_grad=True)
    assert why(w).kind == "unused"
    assert a.shape == (2,)


def test_leaves_that_do_not_require_grad(torch: Any):
    w = torch.ones(2, requires_grad=True)
    y = w.sum()
    x, i = torch.ones(1), torch.tensor([1])
    d, e, n = (y * 2).detach(), w.data * 2, torch.tensor(y.item() + 1)
    with torch.no_grad():
        q = w * 2
    with torch.inference_mode():
        z = x * 2
    assert [why(t).kind for t in (x, i, d, e, n, q, z)] == [
        "not_required",
        "integer",
        "detached",
        "detached",
        "numbers",
        "no_grad",
        "inference",
    ]
    assert why(d).fields["cut"] == ".detach()"
    assert why(e).fields["cut"] == ".data"
    assert why(n).fields["cut"] == ".item()"
    assert why(i).fields["dtype"] == "int64"
    assert lead(why(x)) == "`.grad` is None and stays None:"


@pytest.mark.filterwarnings("error")
def test_results(torch: Any):
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    loss = y.sum()
    assert (why(y).kind, why(y).fields["node"]) == ("nonleaf", "MulBackward0")
    y.retain_grad()
    assert (why(y).kind, why(y).fields["root"]) == ("retained", "loss")
    loss.backward()
    assert why(y).kind == "present"
    p = torch.ones(2, requires_grad=True) * 2
    assert why(p).kind == "wrapped"
    y = y + 1
    assert why(y).kind == "nonleaf"  # no leaf is lost: w has its name still
    for _ in range(2):
        w = w - 0.1
    assert why(w).kind == "rebound"


def test_what_has_no_name_needs_one_first(torch: Any):
    w = torch.ones(2, requires_grad=True)
    space = namespace()
    reason = grad_reason(w * 2, names_of(space), space, "w * 2")
    assert cure(reason).startswith("Give it a name first, as in `t = w * 2`. Call `t.retain_grad()` before backward")
    named = w * 2
    assert "Give it a name" not in cure(why(named))
    assert cure(Reason("nonleaf", {"name": "y", "node": "MulBackward0"})).startswith("Call `y.retain_grad()`")


def test_looking_changes_nothing(torch: Any):
    w = torch.ones(2, requires_grad=True)
    loss = (w * w).sum()
    why(w), why(loss)
    loss.backward()
    assert w.grad.tolist() == [2.0, 2.0]
    assert (w._version, w._backward_hooks) == (0, None)


def test_a_graph_of_a_hundred_thousand_nodes(torch: Any):
    w = torch.ones(1, requires_grad=True)
    y = w
    for _ in range(100_000):
        y = y + 1
    assert why(w).kind == "unused"  # it does not look that far down, and does not hang or overflow


def test_every_kind_has_its_words():
    entries = tomllib.loads((Path(autogradlab.inspectors.words.__file__).parent / "reasons.toml").read_text("utf-8"))
    wanted = (
        {"lead", "lead_stays", "lead_gradient", "name_first", "both", "hooked", "hooked_cure", "written", "handed_none"}
        | {"cleared_since", "gone", "gone_cure"}
        | set(KINDS)
        | {f"{kind}_cure" for kind in KINDS if kind != "present"}
    )
    assert set(entries) == wanted
    assert all(set(entry) == {"en", "zh"} for entry in entries.values())


def test_what_goes_through_integers_or_booleans_is_not_mended_by_requires_grad(torch: Any):
    logits = torch.tensor([[0.2, 0.9, -0.1]], requires_grad=True)
    data = torch.ones(3)
    best = logits.argmax(dim=1).float()
    hard = (logits == logits.max()).float()
    right = (torch.argmax(logits, 1) == 1).float().mean()
    seen = (data > 0).float()
    half = data.mean().float()
    through = {
        "best": "logits.argmax(dim=1)",
        "hard": "logits == logits.max()",
        "right": "torch.argmax(logits, 1) == 1",
    }
    for name, tensor in (("best", best), ("hard", hard), ("right", right)):
        reason = why(tensor)
        assert (reason.kind, reason.fields["counts"]) == ("through_counts", through[name])
        assert lead(reason) == "`.grad` is None and stays None:"
        assert "requires_grad_" not in cure(reason)
    assert [why(t).kind for t in (seen, half)] == ["not_required", "not_required"]


def test_what_was_computed_where_nothing_is_recorded_has_no_graph(torch: Any):
    w, u = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with torch.no_grad():
        feats = w * 2
    assert why(w).kind == "unused"
    assert "no result that has a name has a graph that leads back to `w`" in sentence(why(w))
    (feats * u).sum().backward()
    assert why(w).kind == "off_path"
    assert "computed from" not in sentence(why(w))


def test_what_a_write_into_a_view_has_saved_cannot_be_seen(torch: Any):
    base = torch.arange(6.0).requires_grad_()
    buf = base.clone().view(2, 3)
    row = buf[1]
    row.mul_(row.detach())  # which it saves, and changes
    loss = buf.mean()
    told = sentence(why(base))
    assert told.startswith("`loss` was computed from `base`")
    assert told.endswith(
        "A view was written in place on the way (CopySlices): if a value that this needs was changed later, that "
        "backward fails."
    )
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    plain = base.clone().mul_(2)
    loss = plain.mean()
    assert "written" not in why(base).fields


def test_the_result_that_was_computed_last_is_the_root(torch: Any):
    ws = [torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)]
    total = ws[0] * ws[1]
    parts = [total * 1, total * 2]
    loss = parts[0] * parts[1]
    assert why(ws[0]).fields["root"] == "loss"
    del loss


def test_a_hook_that_may_take_the_gradient_away_is_named(torch: Any):
    w = torch.ones(2, requires_grad=True)
    w.register_hook(lambda grad: None)
    y = (w * w).sum()
    assert "hook" not in sentence(why(w))

    def clear(p: Any) -> None:
        p.grad = None

    w.register_post_accumulate_grad_hook(clear)
    y.backward(retain_graph=True)
    told = sentence(why(w))
    assert told.endswith("The post-accumulate-grad hook `clear` runs once a gradient is stored, and can take it away.")
    assert "`y` was computed from `w`" in told


def test_a_backward_that_would_fail_is_not_advised(torch: Any):
    w = torch.ones(2, requires_grad=True)
    a = w * 2
    a.retain_grad()
    b = a.exp()
    y = b.sum()
    assert (why(w).kind, why(a).kind) == ("no_backward", "retained")
    b.mul_(2)
    assert sentence(why(w)) == (
        "`y` was computed from `w`, but a backward from it fails: ExpBackward0 had saved `result` at version 0, and it "
        "was changed in place since (version 1)."
    )
    assert why(a).kind == "retained_overwritten"
    assert "Call" not in cure(why(w)) + cure(why(a))
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        y.backward()


def test_a_backward_that_has_run_frees_what_another_would_need(torch: Any):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 2 * x

    w = torch.ones(2, requires_grad=True)
    a = w + 1
    y = Square.apply(a).sum()
    torch.autograd.grad(y, w)
    a.retain_grad()
    assert (why(w).kind, why(a).kind) == ("cleared", "retained_freed")
    y = (w * w).sum()
    assert (why(w).kind, why(a).fields["root"]) == ("no_backward", "a")


def test_a_backward_within_a_backward_may_come_to_a_leaf_that_no_graph_has(torch: Any) -> None:
    """As that of reentrant checkpointing does: then no result has a graph that leads to the leaf."""
    from importlib import import_module

    checkpoint = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    layer, x = torch.nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    y = checkpoint(lambda v: layer(v).tanh(), x, use_reentrant=True).sum()
    namespace = {"layer": layer, "x": x, "y": y}
    reason = grad_reason(layer.weight, names_of(namespace), namespace)
    assert reason.kind == "within"
    assert "in the graph of `y` the backward of `CheckpointFunctionBackward` runs" in sentence(reason)
    assert "Call `y.backward()`" in cure(reason)
    y.backward()
    assert grad_reason(layer.weight, names_of(namespace), namespace).kind == "present"
