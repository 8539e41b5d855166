"""`why`: what there is to say about a gradient although nothing failed."""

from __future__ import annotations

import gc
import warnings
import weakref
from typing import Any

import pytest

from autogradlab.inspectors import set_language, why

W = "w = torch.ones(2, requires_grad=True)"
STOP = """class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b
    @staticmethod
    def backward(ctx, g):
        return g, None
"""
STEP = "loss = (w * w).sum()\n    loss.backward()"

CASES = {
    "cut in a function": (
        [
            W + "\nu = torch.ones(2, requires_grad=True)",
            "def half(x):\n    x = x * w\n    return x.detach()",
            "loss = (half(u) * u).sum()\nloss.backward()",
            "lab.why(w)",
        ],
        (
            "Why `w.grad`?\n"
            "`.grad` is None: `loss.backward()` has run, but no path leads from `loss` back to `w`: the gradients went "
            "to `u`.\n"
            "last backward  loss.backward()\n"
            "at             cell [4], line 2\n"
            "One line takes a tensor out of the graph: no gradient goes back through its `.detach()`. If `w` is used "
            "before that, this is the reason.\n"
            "What to do: Leave `.detach()` out there, if gradients are to go back to `w`.\n"
            "leaves here  return x.detach()\n"
            "at           cell [3], line 3"
        ),
    ),
    "cut in a forward hook": (
        [
            W + "\nnet = torch.nn.Sequential(torch.nn.Identity())\nkept = {}",
            "def keep(module, given, output):\n    kept[0] = output.detach()",
            "def cut(module, given, output):\n    return output.detach()",
            "net[0].register_forward_hook(keep)\nnet.register_forward_hook(cut)\nloss = (net(w) * 2).sum()",
            "lab.why(loss)",
        ],
        (
            "Why `loss.grad`?\n"
            "`.grad` is None and stays None: `(net(w) * 2).sum()` computes with what requires grad, and its result has "
            "no graph all the same: in `cut` stands `.detach()`.\n"
            "What to do: Leave `.detach()` out there, if gradients are to go through `cut`.\n"
            "made by  (net(w) * 2).sum()\n"
            "at       cell [5], line 3"
        ),
    ),
    "another of the same loop is cut off": (
        [W + "\ncut = w.detach() * 2", "for t in (torch.ones(2) * 1, cut):\n    break", "lab.why(t)"],
        (
            "Why `t.grad`?\n"
            "`.grad` is None and stays None: `t` is a leaf that does not require grad (`requires_grad=False`), so "
            "backward does not reach it.\n"
            "What to do: If its gradient is wanted: `t.requires_grad_()` before it is used, or `requires_grad=True` "
            "where it is made.\n"
            "made by  torch.ones(2) * 1\n"
            "at       cell [3], line 1"
        ),
    ),
    "another item of the same list is cut off": (
        [W + "\nL = [torch.ones(2) * 1, w.detach() * 2]\ny = L[0] * 3", "lab.why(y)"],
        (
            "Why `y.grad`?\n"
            "`.grad` is None and stays None: `y` is a leaf that does not require grad (`requires_grad=False`), so "
            "backward does not reach it.\n"
            "What to do: If its gradient is wanted: `y.requires_grad_()` before it is used, or `requires_grad=True` "
            "where it is made.\n"
            "made by  L[0] * 3\n"
            "at       cell [2], line 3"
        ),
    ),
    "the one of a loop that is cut off": (
        [
            W + "\ncut = w.detach() * 2",
            "for t in (torch.ones(2) * 1, cut):\n    y = t * 3",
            "lab.why(y)",
        ],
        (
            "Why `y.grad`?\n"
            "`.grad` is None and stays None: `y` was computed from `cut = w.detach() * 2`. `w.detach() * 2` is a "
            "tensor outside of the graph: `.detach()` cuts it off, and it does not require grad.\n"
            "What to do: Leave `.detach()` out, if gradients are to flow through `cut`; or make it a leaf of its own: "
            "`cut.requires_grad_()`.\n"
            "made by  t * 3\n"
            "at       cell [3], line 2"
        ),
    ),
    "non-leaf": (
        [W + "\ny = w * w\nloss = y.sum()\nloss.backward()", "lab.why(y)"],
        (
            "Why `y.grad`?\n"
            "`.grad` is None and stays None: `y` is a non-leaf (the result of MulBackward0), and a non-leaf's "
            "gradient is dropped once it has been used.\n"
            "What to do: Call `y.retain_grad()` before backward, register a hook, or ask `torch.autograd.grad`.\n"
            "made by  w * w\n"
            "at       cell [2], line 2"
        ),
    ),
    "lost leaf": (
        [W, "w = w * 2", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`.grad` is None and stays None: `w` is now the result of `w * 2`, a non-leaf; the leaf that had "
            "this name before has lost it.\n"
            "Write instead: `with torch.no_grad(): w *= 2`\n"
            "made by  w * 2\n"
            "at       cell [3], line 1"
        ),
    ),
    "never zeroed in a loop": (
        [W, f"for i in range(3):\n    {STEP}", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` may be a sum: backward is called in a loop, each time adds to `.grad`, and nothing in the "
            "code zeroes it in between.\n"
            "Write instead: `w.grad = None  # or optimizer.zero_grad(), before each backward`\n"
            "last backward  loss.backward()\n"
            "at             cell [3], line 3"
        ),
    ),
    "never zeroed in cells": (
        [W, "(w * w).sum().backward()", "(w * w).sum().backward()", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` may be a sum: the code calls backward in 2 places, each one that reaches it "
            "adds to `.grad`, and nothing in the code zeroes it in between.\n"
            "Write instead: `w.grad = None  # or optimizer.zero_grad(), before each backward`\n"
            "last backward  (w * w).sum().backward()\n"
            "at             cell [4], line 1"
        ),
    ),
    "zeroed": (
        [W, f"for i in range(3):\n    w.grad = None\n    {STEP}", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` holds a gradient. Whether it is of one backward or a sum of several cannot be told afterwards.\n"
            "What to do: `ledger = lab.accumulation(w)` before the backwards shows every one of them."
        ),
    ),
    "once": (
        [W, "(w * w).sum().backward()", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` is there, and the code calls backward once: it is the gradient of that.\n"
            "last backward  (w * w).sum().backward()\n"
            "at             cell [3], line 1"
        ),
    ),
    "nan": (
        ["w = torch.zeros(1, requires_grad=True)", "(w / w).sum().backward()", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` has elements that are nan: some step computed 0/0, inf - inf, 0 * inf or a function where it is "
            "not defined (the log or square root of a negative number), in the backward, or in the forward before it.\n"
            "What to do: `lab.step(loss)` of the loss computed anew shows the Node that makes the first nan; "
            "`torch.autograd.set_detect_anomaly(True)` gives the line of its forward in a traceback."
        ),
    ),
    "an optimizer with an old tensor": (
        [W + "\nopt = torch.optim.SGD([w], lr=0.1)", W + "\n(w * w).sum().backward()", "lab.why(opt)"],
        (
            "What does `opt` hold?\n"
            "`opt` holds an older tensor: `w` was bound anew after `opt` was made, so its steps no longer reach `w`.\n"
            "Write instead: `opt = torch.optim.SGD([w], lr=0.1)`\n"
            "made by  torch.ones(2, requires_grad=True)\n"
            "at       cell [3], line 1"
        ),
    ),
    "a number": (
        [W, "loss = (w * w).sum().item()", "lab.why(loss)"],
        (
            "Why `loss.grad`?\n"
            "`loss` comes from `(w * w).sum().item()`: `.item()` takes plain numbers out of the tensor, and no "
            "graph leads through numbers.\n"
            "Write instead: `loss = (w * w).sum()`\n"
            "made by  (w * w).sum().item()\n"
            "at       cell [3], line 1"
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_silent_mistakes(torch: Any, shell: Any, case: str):
    cells, text = CASES[case]
    shell.run("from autogradlab import inspectors as lab")
    for cell in cells:
        result = shell.run(cell)
    assert result.text == text
    set_language("zh")
    chinese = shell.run(cells[-1]).text
    assert len(chinese.splitlines()) == len(text.splitlines())
    assert any("\u4e00" <= c <= "\u9fff" for c in chinese)


@pytest.mark.parametrize("made", ["w > 1", "w.argmax()", "w.topk(1)[1]", "w.int()", "torch.tensor([1, 2])"])
def test_what_counts_has_no_derivative(torch: Any, shell: Any, made: str):
    shell.run("from autogradlab import inspectors as lab\n" + W + f"\nt = {made}")
    text = shell.run("lab.why(t)").text
    written = made.startswith("torch.tensor")
    assert ("integers and booleans have no derivative" in text) is not written
    assert ("write `1.` instead of `1`" in text) is written


def test_a_line_is_quoted_as_it_was_written(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab\n" + W)
    shell.run("(w * w).backward(torch.tensor([1., 0.]))")
    assert "(w * w).backward(torch.tensor([1., 0.]))\n" in shell.run("lab.why(w)").text


def test_a_tensor_that_an_optimizer_has_lost(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab\n" + W + "\nopt = torch.optim.SGD([w], lr=0.1)")
    shell.run(W + "\n(w * w).sum().backward()")
    assert "`opt` holds an older tensor: `w` was bound anew" in shell.run("lab.why(w)").text
    shell.run("opt = torch.optim.SGD([w], lr=0.1)")
    assert "`opt`" not in shell.run("lab.why(w)").text
    assert "What `opt` holds (tensors: 1) has names and gradients." in shell.run("lab.why(opt)").text


@pytest.mark.parametrize("thing", ["x", None, [1], object(), 3.5, {"a": 1}])
def test_no_tensor(torch: Any, thing: Any):
    assert "takes a tensor, a module, an optimizer or an error" in why(thing).text


def test_an_error(torch: Any):
    assert "this is the second one" in why(RuntimeError("Trying to backward through the graph a second time")).text


def test_large_and_empty(torch: Any):
    w = torch.ones(100_000, requires_grad=True)
    (w * 2).sum().backward()
    assert "`w.grad`" in why(w).text
    e = torch.zeros(0, requires_grad=True)
    (e * 2).sum().backward()
    assert "`e.grad`" in why(e).text


def test_it_keeps_nothing_alive(torch: Any):
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    card = why(y)
    gone = [weakref.ref(w), weakref.ref(y)]
    del w, y
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    assert "non-leaf" in card.text


def test_an_expression_was_assigned_nowhere(torch: Any) -> None:
    w = torch.ones(2, requires_grad=True)
    told = why(w.data + 1)
    assert told.text.splitlines()[0] == "Why `(w.data + 1).grad`?"
    assert "torch.ones" not in told.text  # which made w


LAB = "from autogradlab import inspectors as lab\n"


def test_a_backward_that_came_past_is_named(torch: Any, shell: Any):
    """What has run is said, not what could be run: the way back ends at the line that made what was used."""
    shell.run(LAB + "encoder = torch.ones(2, requires_grad=True)\ndecoder = torch.ones(2, requires_grad=True)")
    shell.run("z = encoder * 2\nseen = z.detach()\nother = decoder.clone().detach()\nloss = (seen * decoder).sum()")
    assert "Call `z.sum().backward()`." in shell.run("lab.why(encoder)").text  # nothing has run yet
    shell.run("loss.backward()")
    text = shell.run("lab.why(encoder)").text
    assert "`loss.backward()` has run, but no path leads from `loss` back to `encoder`" in text
    assert "leaves here  seen = z.detach()" in text and "Leave `.detach()` out there" in text
    assert "z.sum()" not in text and "other" not in text
    assert "it is the gradient of that" in shell.run("lab.why(decoder)").text


def test_numbers_that_were_taken_out_on_the_way(torch: Any, shell: Any):
    shell.run(LAB + "w = torch.tensor([2.], requires_grad=True)\ny = w * 3")
    shell.run("z = torch.tensor(y.item(), requires_grad=True) * 2\nz.backward()")
    text = shell.run("lab.why(w)").text
    assert "no path leads from `z` back to `w`" in text and "through its `.item()`" in text
    assert "Compute with tensors there, by functions of `torch` instead of NumPy and Python" in text


def test_a_module(torch: Any, shell: Any):
    """Once for all parameters of which the same can be said."""
    shell.run(LAB + "net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))")
    shell.run("net[0].bias.requires_grad_(False)")
    text = shell.run("lab.why(net)").text
    assert text.startswith("The gradients of `net`\n`net[0].weight.grad`\n`.grad` is None: no result that has a name")
    assert "The same holds for `net[1].weight`, `net[1].bias`." in text
    assert "`net[0].bias` is a parameter that is frozen" in text
    assert "If it is to learn: `net[0].bias.requires_grad_()` before it is used." in text
    shell.run("loss = net(torch.ones(1, 2)).sum()\nloss.backward()")
    assert "`net[0].weight.grad` is there, and the code calls backward once" in shell.run("lab.why(net)").text
    assert "`torch.nn.ReLU()` has no parameters" in shell.run("lab.why(torch.nn.ReLU())").text
    many = shell.run("deep = torch.nn.Sequential(*(torch.nn.Linear(1, 1) for _ in range(30)))\nlab.why(deep)").text
    assert "and 27 more." in many and "20 more parameters were not looked at" in many


def test_a_hook_and_a_hand_have_changed_it(torch: Any, shell: Any):
    shell.run(LAB + "w = torch.tensor([1., 2.], requires_grad=True)\ndef twice(g): return g * 2")
    shell.run("handle = w.register_hook(twice)\n(w * w).sum().backward()")
    assert "it is the gradient of that, as hooks left it (`twice`)." in shell.run("lab.why(w)").text
    shell.run("handle.remove()\nw.grad = None\n(w * w).sum().backward()\ntorch.nn.utils.clip_grad_norm_([w], .5)")
    assert "the code changes `.grad` by hand too" in shell.run("lab.why(w)").text


def test_infinite_and_sparse(torch: Any, shell: Any):
    shell.run(LAB + "w = torch.tensor([0., 1.], requires_grad=True)\nw.sqrt().sum().backward()")
    assert "`w.grad` has elements that are infinite" in shell.run("lab.why(w)").text
    shell.run("e = torch.nn.Embedding(4, 2, sparse=True)\ne(torch.tensor([1, 1])).sum().backward()")
    assert "`e.weight.grad`" in shell.run("lab.why(e.weight)").text


def test_a_hook_that_may_take_it_away_again(torch: Any, shell: Any):
    shell.run(LAB + "w = torch.tensor([1.], requires_grad=True)\ndef clear(p): p.grad = None")
    shell.run("w.register_post_accumulate_grad_hook(clear)\ny = w * 2\ny.backward(retain_graph=True)")
    assert "if `.grad` is None after that, a hook has taken it away: `lab.hooks(w)`" in shell.run("lab.why(w)").text


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("k = (w > 1).sum()", "the result of `(w > 1).sum()`"),
        ("v, k = w.sort()", "the result of `w.sort()`"),
        ("k = torch.tensor([1, 2])", "write `1.` instead of `1`"),
        ("n = torch.tensor([1, 2])\nk = n[0]", "the result of `n[0]`"),
    ],
)
def test_integers_that_were_computed_are_not_rewritten(torch: Any, shell: Any, code: str, said: str):
    shell.run(LAB + "w = torch.tensor([1., 2.], requires_grad=True)\n" + code)
    text = shell.run("lab.why(k)").text
    assert said in text and (("write `1.`" in text) is ("write" in said))


def test_what_was_written_in_place_last_is_where_it_comes_from(torch: Any, shell: Any):
    shell.run(
        LAB + "w = torch.tensor([1., 2.], requires_grad=True)\nbuf = torch.zeros(2)\nbuf[0] = w[1]\ny = buf.sum()"
    )
    for text in (shell.run("lab.why(buf)").text, shell.run("lab.show(buf)").text):
        assert "made by  buf[0] = w[1]\n" in text and "the leaf that had this name" not in text
    shell.run("with torch.no_grad(): w.mul_(2)")
    assert "made by  torch.tensor([1., 2.], requires_grad=True)" in shell.run("lab.show(w)").text
    shell.run("def look(given):\n    return lab.show(given)")
    assert "made by" not in shell.run("look(w * 2)").text  # an argument


def test_where_nothing_is_recorded_the_leaf_is_told_so(torch: Any, shell: Any):
    """Of the leaf, of what was computed there, and of what was computed from that."""
    shell.run(LAB + "w = torch.tensor(2., requires_grad=True)\nwith torch.no_grad():\n    pred = w * 3")
    shell.run("loss = (pred - 1) ** 2")
    text = shell.run("lab.why(w)").text
    assert "`pred` was computed from `w` within `with torch.no_grad():`, where nothing is recorded" in text
    assert "leaves here  w * 3" in text and "Compute something from `w`" not in text
    outside = "`loss` was computed from `pred`. `pred` was computed within `with torch.no_grad():`"
    assert outside in shell.run("lab.why(loss)").text and outside in shell.run("lab.show(loss)").text
    shell.run("data = torch.ones(2)\nbatch = data * 2")
    assert "`batch` is a leaf that does not require grad" in shell.run("lab.why(batch)").text
    shell.run("with torch.no_grad(): size = w.grad\nu = torch.ones(2, requires_grad=True)")
    assert "no result that has a name has a graph that leads back to `u`" in shell.run("lab.why(u)").text


#: backwards of a Function of two tensors, and whether what is written there says that the second gets None
RETURNED = {
    "    return g, None": True,
    "    if g.sum() > 0:\n            return g, None\n        return 2 * g, None": True,
    "    def inner(v):\n            return v, v\n        return g, None": True,
    "    other = None\n        return g, other": False,
    "    if g.sum() < 0:\n            return g, g\n        return g, None": False,
}


@pytest.mark.parametrize("body", RETURNED)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_function_that_returns_none_is_the_reason_where_its_backward_says_so(
    torch: Any, shell: Any, body: str, when: str
) -> None:
    stop = STOP.replace("    return g, None", body)
    shell.run(LAB + stop + "a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)")
    shell.run("y = Stop.apply(a, b * 2) * torch.tensor(3.)" + "\ny.backward()" * (when == "after"))
    text = shell.run("lab.why(b)").text
    proven = "stays None: every path from `y` to `b` leads through `Stop.backward`, which returns None there"
    assert (proven in text) == RETURNED[body]
    assert ("Return the gradient instead of None" in text) == RETURNED[body]
    if when == "after" and not RETURNED[body]:
        assert "Or a Function on the way handed on None: `Stop" in text
    assert "which returns None" not in shell.run("lab.why(a)").text
    shell.run("z = Stop.apply(a, b) + b")  # a path leads past it
    assert "which returns None" not in shell.run("lab.why(b)").text


def test_a_backward_that_returns_nothing_is_the_reason(torch: Any, shell: Any) -> None:
    double = "def forward(ctx, a, by):\n        return a * by"
    stop = STOP.replace("def forward(ctx, a, b):\n        return a + b", double).replace("return g, None", "g * 2")
    shell.run(LAB + stop + "a = torch.ones((), requires_grad=True)\ny = Stop.apply(a, 2) * torch.tensor(3.)")
    assert "every path from `y` to `a` leads through `Stop.backward`" in shell.run("lab.why(a)").text


def test_a_function_that_handed_on_none_may_be_the_reason(torch: Any, shell: Any):
    maybe = STOP.replace("return g, None", "return g, (None if g > 0 else g)")
    shell.run(LAB + maybe + "a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)")
    shell.run("y = Stop.apply(a, b) * torch.tensor(3.)\ny.backward()")
    assert "Or a Function on the way handed on None: `Stop" in shell.run("lab.why(b)").text
    assert "handed on None" not in shell.run("c = b * b\nc.backward()\nb.grad = None\ndel y\nlab.why(b)").text


def test_a_committed_step_is_a_backward(torch: Any, shell: Any):
    shell.run(LAB + "w = torch.tensor(2., requires_grad=True)\ny = w * w\nseen = lab.step(y, retain_graph=True)")
    shell.run("seen = lab.step(y, retain_graph=True, commit=True)")
    assert "the code calls backward once" in shell.run("lab.why(w)").text
    shell.run("y.backward()")
    assert "`w.grad` may be a sum: the code calls backward in 2 places" in shell.run("lab.why(w)").text


def test_in_a_functional_transform_no_backward_is_advised(torch: Any, shell: Any):
    shell.run(LAB + "seen = []\ndef f(x):\n    z = x ** 2\n    seen.append(lab.show(x).text + lab.why(z).text)")
    shell.run("def g(x):\n    f(x)\n    return (x * x).sum()")
    shell.run("torch.func.grad(g)(torch.ones(2))")
    shell.run("torch.func.grad(lambda x: torch.func.grad(g)(x).sum())(torch.ones(2))")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's vmap imports what warns that it is deprecated
        shell.run("torch.vmap(g)(torch.ones(3, 2))")
    for text in shell.run("seen"):
        assert "belongs to a functional transform" in text and "Call `" not in text and "requires_grad_()" not in text
    assert "functional transform" not in shell.run("x = torch.ones(2, requires_grad=True)\nlab.show(x)").text


def test_what_an_optimizer_holds_is_told_once(torch: Any, shell: Any):
    shell.run(LAB + "net = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=.1)")
    text = shell.run("lab.why(opt)").text
    assert text.count("`.grad` is None") == 1 and "The same holds for `net.bias`." in text


def test_the_assignment_that_ran_last_is_where_it_comes_from(torch: Any, shell: Any):
    shell.run(LAB + "w = torch.ones(1, requires_grad=True)\nh = torch.zeros(1)")
    shell.run("for t in range(3):\n    h = torch.tanh(h * w + 1)\n    if t == 0:\n        h = h.detach()")
    text = shell.run("lab.show(h)").text
    assert "made by  torch.tanh(h * w + 1)" in text and "at       cell [2], line 2" in text


def test_true_and_false_are_no_ones(torch: Any, shell: Any):
    shell.run(LAB + "mask = torch.tensor([True, False])")
    text = shell.run("lab.why(mask)").text
    assert "`mask` holds True and False" in text and "`mask = mask.float().requires_grad_()`" in text
    assert "`1.`" not in text


def test_a_backward_that_failed_is_none_that_ran(torch: Any, shell: Any):
    """A cell that an error has ended ran up to there."""
    shell.showtraceback = lambda *args, **named: None
    shell.run("import autogradlab.inspectors as lab\n" + W + "\nb = torch.ones(2, requires_grad=True)")
    shell.run("y = (w * w).sum()\nz = b * b")
    shell.run("y.backward()")
    for failing in ("y.backward()", "1 + 1; z.backward(); b.sum().backward()"):
        assert shell.run_cell(failing, store_history=True).error_in_exec is not None
    text = shell.run("lab.why(w)").text
    assert "the code calls backward once" in text and "cell [3], line 1" in text
    text = shell.run("lab.why(b)").text
    assert "`y.backward()` has run, but no path leads from `y` back to `b`" in text and "cell [3], line 1" in text
    assert shell.run_cell("w.sum().backward(); y.backward()", store_history=True).error_in_exec is not None
    assert "the code calls backward in 2 places" in shell.run("lab.why(w)").text


def test_an_error_may_have_stopped_it_on_its_way(torch: Any, shell: Any):
    shell.showtraceback = lambda *args, **named: None
    shell.run("import autogradlab.inspectors as lab\n" + W + "\nh = w * 2\ny = (h * h).sum()")
    shell.run("def bad(grad): raise ValueError\nhandle = h.register_hook(bad)")
    assert shell.run_cell("y.backward()", store_history=True).error_in_exec is not None
    assert "or an error stopped that backward on its way" in shell.run("lab.why(w)").text


def test_parameters_that_only_an_optimizer_holds(torch: Any, shell: Any):
    """They are named by what made them, or by where the optimizer has them."""
    shell.run("import autogradlab.inspectors as lab\nnet = torch.nn.Linear(2, 1)")
    shell.run("opt = torch.optim.SGD(net.parameters(), lr=.1)\nnet = torch.nn.Linear(2, 1)")
    assert "`net.weight` was bound anew after `opt` was made" in shell.run("lab.why(opt)").text
    shell.run("def made(): return torch.nn.Linear(3, 5)\nopt = torch.optim.SGD(made().parameters(), lr=.1)")
    text = shell.run("lab.why(opt)").text
    assert "`opt.param_groups[0]['params'][0]`" in text and "`t`" not in text


def test_a_module_whose_results_were_counted(torch: Any, shell: Any):
    """The largest of several has no derivative, so nothing leads back to the weights."""
    shell.run("import autogradlab.inspectors as lab\nnet = torch.nn.Linear(2, 3)\nx = torch.ones(4, 2)")
    shell.run("pred = net(x).argmax(1).float()\nloss = (pred - 1).pow(2).mean()")
    text = shell.run("lab.why(net.weight)").text
    assert "`pred` was computed by way of `net(x).argmax(1)`, which has no derivative" in text
    assert "Compute the loss from what stands in front of that" in text and "Compute something from" not in text
    set_language("zh")
    assert "`pred` 是经由 `net(x).argmax(1)` 算出来的" in shell.run("lab.why(net.weight)").text


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "i = (w * 10).long()\ns = i.float() * b\ns.sum().backward()",
            "`i` was computed by way of `(w * 10).long()`, which has no derivative: no graph leads from it back to `w`",
        ),
        (
            "s = (w > 1) * b\n(s * 2).mean().backward()",
            "`s` was computed by way of `w > 1`, which has no derivative: no graph leads from it back to `w`.",
        ),
        (
            "with torch.no_grad():\n    u = w * 2\n(u * b).sum().backward()",
            "`u` was computed from `w` within `with torch.no_grad():`",
        ),
        ("u = w.tolist()\nn = torch.tensor(u) * b\ntorch.sum(n).backward()", "goes back through its `.tolist()`"),
    ],
)
def test_the_last_backward_may_have_begun_at_an_expression(torch: Any, shell: Any, code: str, said: str) -> None:
    shell.run("from autogradlab import inspectors as lab\n" + W)
    shell.run("b = torch.ones(2, requires_grad=True)\nz = (b * 2).sum()\nz.backward()")
    shell.run(code)
    text = shell.run("lab.why(w)").text
    last = code.splitlines()[-1]
    assert f"`{last}` has run, but no path leads from `{last.removesuffix('.backward()')}` back to `w`" in text
    assert f"last backward  {last}" in text and said in text


def test_what_a_function_uses_cannot_be_told(torch: Any, shell: Any) -> None:
    """Whether the last backward has come past a leaf is not known, so the one before is not called the last."""
    shell.run("from autogradlab import inspectors as lab\n" + W + "\nb = torch.ones(2, requires_grad=True)")
    shell.run("z = (b * 2).sum()\nz.backward()\ndef loss_of(t):\n    return (t * w).sum()")
    shell.run("loss_of(b).backward()\nw.grad = None")
    text = shell.run("lab.why(w)").text
    assert text.startswith("Why `w.grad`?\n`.grad` is None:") and "has run" not in text


def test_what_was_computed_from_a_gradient_is_no_forgotten_leaf(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\n" + W)
    shell.run("(w ** 2).sum().backward()\npenalty = (w.grad ** 2).sum()")
    text = shell.run("lab.why(penalty)").text
    assert "`penalty` was computed from `w.grad`. `w.grad` is a gradient: numbers alone" in text
    assert "create_graph=True" in text and "requires_grad_()" not in text


def test_where_nothing_was_recorded_no_leaf_was_forgotten(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\n" + W)
    shell.run("@torch.no_grad()\ndef evaluate(v):\n    return (v * 2).sum()\ne = evaluate(w)\nz = torch.zeros_like(w)")
    for card in ("lab.why(e)", "lab.show(e)"):
        text = shell.run(card).text
        assert "`evaluate(w)` computes with what requires grad, and its result has no graph all the same" in text
        assert "requires_grad_()" not in text
    shell.run("for t in (torch.ones(2), w * 1): break\nu = torch.ones(w.shape[0]) + float(w.detach().sum() * 0)")
    for name in ("z", "t", "u"):
        assert "computes with what requires grad" not in shell.run(f"lab.why({name})").text
    assert "`z` is a leaf that does not require grad" in shell.run("lab.why(z)").text


ASTRAY = """class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.inner = torch.nn.Linear(2, 1), torch.nn.Identity()
        self.layers = [torch.nn.Linear(2, 2), (torch.nn.Linear(2, 2),)]
        self.scale = torch.ones(2, requires_grad=True)
        self.inner.by_name = {"a": torch.nn.Linear(2, 2)}
        self.kept = [self.head]
        self.last = self.scale * 2
        self.teacher = [torch.nn.Linear(2, 2).requires_grad_(False)]
net = Net()"""


def test_layers_that_a_module_does_not_know_of(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\n" + ASTRAY)
    said = "What learns in `net.layers`, `net.scale`, `net.inner.by_name` is not among `net.parameters()`"
    assert said in shell.run("lab.why(net)").text and said in shell.run("lab.show(net)").text
    shell.run("rec = lab.training(net)\nloss = net.head(net.scale).sum()\nrec.step(loss).backward()")
    assert said in shell.run("rec").text
    shell.run("net.layers = torch.nn.ModuleList(net.layers[:1])\ndel net.scale, net.inner.by_name")
    assert "What learns in" not in shell.run("lab.why(net)").text + shell.run("lab.show(net)").text


def test_a_recorded_step_starts_from_its_loss(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\n" + W + "\nb = torch.ones(2, requires_grad=True)")
    shell.run("rec = lab.training(b)\nloss = (b * 2).sum()\nrec.step(loss).backward()")
    text = shell.run("lab.why(w)").text
    assert "`rec.step(loss).backward()` has run, but no path leads from `loss` back to `w`" in text
    assert "lab.graph(loss)" in text and "lab.graph(rec" not in text


def test_parameters_that_no_optimizer_has(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\nnn = torch.nn")
    shell.run("net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))")
    assert "An optimizer has others" not in shell.run("lab.why(net)").text
    shell.run("optimizer = torch.optim.SGD(net[2].parameters(), lr=.1)")
    said = "An optimizer has others of these parameters, and none has `net[0].weight`, `net[0].bias`: no `step()` ever"
    assert said in shell.run("lab.why(net)").text
    shell.run("_ = net[0].requires_grad_(False)")
    assert "An optimizer has others" not in shell.run("lab.why(net)").text


def test_of_many_parameters_those_without_a_gradient_are_looked_at(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\nnn = torch.nn")
    shell.run("net = nn.Sequential(*[nn.Linear(1, 1) for _ in range(25)])\nx = torch.ones(1, 1)")
    shell.run("net[:24](x).sum().backward()")
    text = shell.run("lab.why(net)").text
    assert "`net[24].weight.grad`\n`.grad` is None" in text and "10 more parameters were not looked at" in text


def test_what_was_done_to_another_gradient_by_hand_is_no_doubt_of_this_one(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\n" + W + "\nb = torch.ones(2, requires_grad=True)")
    shell.run("net = torch.nn.Linear(2, 1)\n(w * b * net(b)).sum().backward()")
    shell.run("_ = torch.nn.utils.clip_grad_norm_([b], 1.)\nb.grad *= 2")
    shell.run("_ = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.)\nb.grad = b.grad * 2")
    assert "it is the gradient of that" in shell.run("lab.why(w)").text
    changed = "changes `.grad` by hand too"
    assert changed in shell.run("lab.why(b)").text and changed in shell.run("lab.why(net.bias)").text
    shell.run("for p in [w, b]:\n    p.grad.mul_(2)")
    assert changed in shell.run("lab.why(w)").text


def test_gradients_of_another_model_that_a_loop_clips_are_no_doubt_of_this_one(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab\n" + W + "\nnet = torch.nn.Linear(2, 1)")
    shell.run("(w * net(w)).sum().backward()\nnets = [net, torch.nn.Linear(2, 1)]")
    shell.run("for _ in range(2):\n    _ = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.)")
    changed = "changes `.grad` by hand too"
    assert changed not in shell.run("lab.why(w)").text and changed in shell.run("lab.why(net.bias)").text
    shell.run("for each in nets:\n    _ = torch.nn.utils.clip_grad_norm_(each.parameters(), 1.)")
    assert changed in shell.run("lab.why(nets[0].weight)").text


def test_what_was_switched_off_stays_off(torch: Any, shell: Any) -> None:
    shell.run(LAB + "torch.set_grad_enabled(False)")
    try:
        shell.run(W + "\nloss = (w * w).sum()")
        text = shell.run("lab.why(w)").text
        assert "Autograd records nothing now: `torch.is_grad_enabled()` is False." in text
        assert "the line  torch.set_grad_enabled(False)\nat        cell [1], line 2" in text
        with pytest.raises(RuntimeError):
            shell.run("loss.backward()")
        assert "`torch.is_grad_enabled()` is False" in shell.run("lab.explain()").text
    finally:
        torch.set_grad_enabled(True)
    assert "is_grad_enabled" not in shell.run("lab.why(w)").text


@pytest.mark.parametrize(
    ("code", "said", "cure"),
    [
        (
            "loss.backward(inputs=[v])",
            "`loss.backward(inputs=[v])` stores gradients in what `inputs=` names alone.",
            "`w`",
        ),
        (
            "g = torch.autograd.grad(loss, w)",
            "returns the gradients, and stores none",
            "`loss.backward()`, which stores",
        ),
        (
            "loss.backward()\nopt.zero_grad()",
            "`opt.zero_grad()` sets gradients back to None",
            "right before `backward()`",
        ),
        ("loss.backward()\nw.grad = None", "`w.grad = None` sets gradients back to None", "right before `backward()`"),
    ],
)
def test_what_took_a_gradient_away_is_named(torch: Any, shell: Any, code: str, said: str, cure: str) -> None:
    shell.run(LAB + W + "\nv = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=.1)")
    shell.run("loss = (w * v * w).sum()")
    shell.run(code)
    text = shell.run("lab.why(w)").text
    assert said in text and cure in text and "cell [3], line" in text


def test_a_zero_grad_of_others_takes_nothing_away(torch: Any, shell: Any) -> None:
    """Nor does it keep gradients from being added."""
    shell.run(LAB + W + "\nv = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([v], lr=.1)")
    shell.run("for _ in range(2):\n    opt.zero_grad()\n    (w * v).sum().backward()")
    assert "`w.grad` may be a sum" in shell.run("lab.why(w)").text
    assert "may be a sum" not in shell.run("lab.why(v)").text


@pytest.mark.parametrize("how", ["round", "sign", "floor"])
def test_what_has_the_derivative_0_everywhere_is_named(torch: Any, shell: Any, how: str) -> None:
    shell.run(LAB + W + f"\nh = w.{how}()\nloss = (h - 3).pow(2).sum()\nloss.backward()")
    text = shell.run("lab.why(w)").text
    assert f"leads through an operation whose derivative is 0 everywhere (`{how.title()}Backward0`)" in text
    assert f"the line  h = w.{how}()\nat        cell [1], line 3" in text
    shell.run(f"h = w + (w.{how}() - w).detach()\nloss = (h - 3).pow(2).sum()\nloss.backward()")  # the cure
    assert bool((shell.user_ns["w"].grad != 0).all())


def test_zeros_on_one_of_two_paths_are_not_the_reason(torch: Any, shell: Any) -> None:
    shell.run(LAB + W + "\nloss = (w.round() + w - 5).relu().sum()\nloss.backward()")
    assert "everywhere" not in (text := shell.run("lab.why(w)").text) and "clamp beyond its bounds" in text
    shell.run("loss = (w.round() + w.clamp(3, 4)).sum()\nloss.backward()")
    assert "at the values here is 0 for every element (" in (text := shell.run("w.grad.zero_()\nlab.why(w)").text)
    assert "`RoundBackward0`" in text and "`ClampBackward1`" in text


def test_hooks_on_the_way_are_named(torch: Any, shell: Any) -> None:
    shell.run(
        LAB + W + "\ndef stop(g): return g * 0\nh = w * 2\nh.register_hook(stop)\nloss = h.sum()\nloss.backward()"
    )
    text = shell.run("lab.why(w)").text
    assert "hooks on the way here, any of which may have returned zeros: `stop`" in text
    assert "`fired = lab.hooks(h)` before the backward" in text
    shell.run("h = w * 2\nh.register_hook(stop)\nfired = lab.hooks(h)\nh.sum().backward()")  # the cure
    assert "h · stop" in shell.run("fired").text


def test_a_gradient_is_as_hooks_on_the_way_left_it(torch: Any, shell: Any) -> None:
    shell.run(LAB + W + "\nh = w * 2\nh.register_hook(lambda g: g * 3)\nloss = h.sum()\nloss.backward()")
    assert "it is the gradient of that, as hooks left it (`<lambda>`)" in shell.run("lab.why(w)").text


def test_where_nans_come_up(torch: Any, shell: Any) -> None:
    shell.run(LAB + "x = torch.tensor([0., 4.], requires_grad=True)")
    shell.run("y = torch.where(x > 0, x.sqrt(), x * 0)\nloss = y.sum()\nloss.backward()")
    text = shell.run("lab.why(x)").text
    assert "elements that are nan, and `loss` has none: they came up in the backward" in text
    shell.run("x.grad = None\nloss = torch.sqrt(torch.where(x > 0, x, 1.)).sum()\nloss.backward()")  # the cure
    assert shell.user_ns["x"].grad.tolist() == [0.0, 0.25]
    shell.run("x.grad = None\nloss = (x - 1).log().mul(x).sum()\nloss.backward()")
    assert "are nan, and `loss` has too: they came up in the forward" in shell.run("lab.why(x)").text
    shell.run("with torch.no_grad(): x.div_(0.)")
    assert "`x` itself has elements that are nan" in shell.run("lab.why(x)").text


def test_a_copy_with_the_same_memory_is_another_tensor(torch: Any, shell: Any) -> None:
    shell.run(LAB + "net = torch.nn.Linear(2, 1)\nw = net.state_dict()['weight'].requires_grad_()")
    shell.run("loss = net(torch.ones(1, 2)).sum()\nloss.backward()")
    assert "the gradients went to `net.weight`, not to `w`: they have the same memory" in shell.run("lab.why(w)").text


def test_what_no_optimizer_holds(torch: Any, shell: Any) -> None:
    shell.run(LAB + "a, b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(a.parameters(), lr=.1)")
    shell.run("loss = b(torch.ones(1, 2)).sum()\nloss.backward()")
    said = "None of the optimizers that have a name here (`opt`) holds `b.weight`"
    assert said in shell.run("lab.why(b.weight)").text
    assert said + ", `b.bias`" in shell.run("lab.why(b)").text
    assert "None of the optimizers" not in shell.run("lab.why(a)").text
    assert "the gradients went to `b.weight`, `b.bias`" in shell.run("lab.why(opt)").text


def test_a_gradient_too_small_for_float16(torch: Any, shell: Any) -> None:
    shell.run(LAB + "w = torch.tensor([1e-3], requires_grad=True, dtype=torch.float16)")
    shell.run("(w * 1e-7).float().pow(2).sum().backward()")
    assert "smaller than float16 can hold" in shell.run("lab.why(w)").text


def test_a_leaf_that_was_bound_anew_where_nothing_is_recorded(torch: Any, shell: Any) -> None:
    shell.run(LAB + W + "\nwith torch.no_grad():\n    w = w - 1")
    text = shell.run("lab.why(w)").text
    assert "`w` was given another tensor within `with torch.no_grad():`, the result of `w - 1`" in text
    assert "Write instead: `with torch.no_grad(): w -= 1`" in text


def test_a_parameter_made_of_a_result_is_a_leaf_of_its_own(torch: Any, shell: Any) -> None:
    shell.run(LAB + W + "\np = torch.nn.Parameter(w * 2)\nloss = p.sum()\nloss.backward()")
    text = shell.run("lab.why(w)").text
    assert "the gradients went to `p`" in text and "through its `torch.nn.Parameter(...)`" in text


@pytest.mark.filterwarnings("ignore")
def test_numbers_that_were_copied_into_a_new_tensor(torch: Any, shell: Any) -> None:
    shell.run(LAB + W + "\nh = torch.tensor([w[0] * 2, 1.], requires_grad=True)\nloss = h.sum()\nloss.backward()")
    text = shell.run("lab.why(w)").text
    assert "One line makes a new tensor of the numbers of others" in text
    assert "Write instead: `h = torch.stack([w[0] * 2, torch.tensor(1.0)])`" in text
    shell.run("v = torch.tensor(w)")
    assert "is a new tensor of plain numbers: `torch.tensor(...)`" in shell.run("lab.why(v)").text


@pytest.mark.parametrize(
    ("made", "node"),
    [
        ("h = (w - 5).relu()", "ReluBackward0"),
        ("h = torch.relu((w - 5) * 2)", "ReluBackward0"),
        ("h = torch.sigmoid(w * 200)", "SigmoidBackward0"),
        ("h = torch.tanh(w * 90)", "TanhBackward0"),
        ("z = w * 3\nh = z.clamp(0., 1.)", "ClampBackward1"),
        ("h = w.clamp(2., 3.)", "ClampBackward1"),
    ],
)
def test_what_has_the_derivative_0_at_its_values_is_named(torch: Any, shell: Any, made: str, node: str) -> None:
    shell.run(LAB + W + f"\n{made}\nloss = (h - 3).pow(2).sum()\nloss.backward()")
    text = shell.run("lab.why(w)").text
    assert f"an operation whose derivative at the values here is 0 for every element (`{node}`)" in text
    assert made.rpartition(" = ")[2] in text  # the line
    shell.run("other = (w - w).sum() + loss")  # a path leads past it
    assert "at the values here" not in shell.run("w.grad.zero_()\nlab.why(w)").text


def test_what_is_flat_for_some_elements_alone_is_not_named(torch: Any, shell: Any) -> None:
    shell.run(LAB + "w = torch.tensor([1., -1.], requires_grad=True)\nh = (w * 2).relu()\nloss = h.sum()")
    shell.run("loss.backward()\nw.grad = torch.zeros(2)")
    assert "at the values here" not in shell.run("lab.why(w)").text
    shell.run("v = torch.tensor([-1., -1.], requires_grad=True)\nu = v.clamp(0., 1.)\nu.sum().backward()")
    shell.run("with torch.no_grad(): v += 1.5")  # what it saved is no longer known
    assert "at the values here" not in shell.run("lab.why(v)").text
