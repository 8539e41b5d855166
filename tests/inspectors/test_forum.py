"""Wrong programs of the kinds that people ask about: what `why` and `explain` say, and that the cure works.

Where a card says "Write instead", the program is run again with just that in the place of the line that is wrong.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

import autogradlab
from autogradlab.inspectors import set_language
from tests.conftest import need

START = "from autogradlab import inspectors as lab\nnn, F = torch.nn, torch.nn.functional\ntorch.manual_seed(0)"
NET = "net = nn.Linear(2, 1)\nx = torch.ones(3, 2)\n"
LEAF = "w = torch.tensor([1., 2., 3.], requires_grad=True)\n"
LOOP = "opt = torch.optim.SGD(net.parameters(), lr=.1)\nfor _ in range(4):\n    opt.zero_grad()\n"

#: a program, the question, what is said, the line that is wrong and whether the program is right without it
WRITE_INSTEAD = {
    "a list of losses": (
        NET + "losses = [net(row).pow(2).sum() for row in x]\nloss = torch.tensor(losses).mean()\nloss.backward()",
        "lab.explain()",
        "`loss` comes from `torch.tensor(losses).mean()`: `torch.tensor(...)` takes plain numbers out of the tensor",
        "loss = torch.tensor(losses).mean()",
        "net.weight.grad is not None",
    ),
    "a list that is written out": (
        NET + "loss = torch.tensor([net(row).sum() for row in x]).mean()\nloss.backward()",
        "lab.explain()",
        "`torch.tensor(...)` takes plain numbers out of the tensor",
        "loss = torch.tensor([net(row).sum() for row in x]).mean()",
        "net.weight.grad is not None",
    ),
    "numbers put into a tensor": (
        LEAF
        + "out = torch.zeros(3)\nfor i in range(3):\n    out[i] = (w[i] * 2).item()\nloss = out.sum()\nloss.backward()",
        "lab.explain()",
        "`out` comes from `(w[i] * 2).item()`",
        "out[i] = (w[i] * 2).item()",
        "w.grad.tolist() == [2., 2., 2.]",
    ),
    "frozen": (
        NET + "for p in net.parameters(): p.requires_grad = False\nloss = net(x).sum()\nloss.backward()",
        "lab.explain()",
        "`loss` was computed by `net`, whose parameters are all frozen (`requires_grad=False`)",
        "for p in net.parameters(): p.requires_grad = False",
        "net.weight.grad is not None",
    ),
    "zeros for None": (
        LEAF + "for _ in range(2):\n    w.grad.zero_()\n    (w * 2).sum().backward()",
        "lab.explain()",
        "`w.grad` is None here, so there is nothing to fill with zeros",
        "w.grad.zero_()",
        "w.grad.tolist() == [2., 2., 2.]",
    ),
    "a list of losses that backward is called on": (
        LEAF + "losses = [w.sum(), (w * w).sum()]\nlosses.backward()",
        "lab.explain()",
        "`losses` is a list of losses, not a tensor",
        "losses.backward()",
        "w.grad.tolist() == [3., 5., 7.]",
    ),
    "a hook on data": (
        "x = torch.ones(2)\nx.register_hook(print)",
        "lab.explain()",
        "`x` does not require grad: requires_grad=True was forgotten",
        "x = torch.ones(2)",
        "x.requires_grad",
    ),
    "losses added up, graphs and all": (
        NET
        + LOOP.replace("for", "total = 0\nfor")
        + "    loss = (net(x) - 5).pow(2).mean()\n    loss.backward()\n    opt.step()\n    total += loss",
        "lab.why(net)",
        "`total` keeps the graph of every round of the loop",
        "total += loss",
        "total.grad_fn is None and total.item() > 0",
    ),
    "losses kept, graphs and all": (
        NET
        + LOOP.replace("for", "kept = []\nfor")
        + "    loss = (net(x) - 5).pow(2).mean()\n    loss.backward()\n    opt.step()\n    kept.append(loss)",
        "lab.why(net.weight)",
        "`kept` keeps the graph of every round of the loop",
        "kept.append(loss)",
        "not any(t.requires_grad for t in kept)",
    ),
}


def asked(shell: Any, program: str, question: str) -> str:
    shell.run(START)
    try:
        shell.run(program)
    except Exception:  # explain() knows it
        assert "explain" in question
    return str(shell.run(question).text)


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad=True to a scalar")
@pytest.mark.parametrize("case", WRITE_INSTEAD)
def test_what_is_to_be_written_instead_works(torch: Any, shell: Any, case: str) -> None:
    program, question, said, wrong, right = WRITE_INSTEAD[case]
    text = asked(shell, program, question)
    assert said in text
    found = re.search(r"Write instead: `(.+)`", text)
    assert found is not None and wrong in program
    cure = found[1].partition("  #")[0]
    set_language("zh")
    assert f"改成：`{cure}" in shell.run(question).text
    shell.run(program.replace(wrong, cure))
    assert shell.run(right) is True


#: a program, the question, what is said, what is to be done, and a program that does it
WHAT_TO_DO = {
    "one class": (
        (
            "net = nn.Linear(2, 1)\nx, y = torch.randn(4, 2), torch.zeros(4, dtype=torch.long)\n"
            "loss = F.cross_entropy(net(x), y)\nloss.backward()"
        ),
        "lab.why(net)",
        "gives the same result here whatever its input is (`LogSoftmaxBackward0`), as a softmax over a single class",
        "for one score and yes or no, `F.binary_cross_entropy_with_logits` is the loss",
        "F.binary_cross_entropy_with_logits(net(x)[:, 0], y.float()).backward()",
        "bool((net.weight.grad != 0).any())",
    ),
    "softmax twice": (
        (
            "net = nn.Linear(2, 3)\nx, y = torch.ones(4, 2), torch.tensor([0, 1, 2, 0])\n"
            "p = F.softmax(net(x), dim=1)\nloss = F.cross_entropy(p, y)\nloss.backward()\n"
            "before = net.weight.grad.norm()"
        ),
        "lab.why(net.weight)",
        (
            "The loss makes probabilities of scores itself (`LogSoftmaxBackward0`), and here it is given what is a "
            "probability already (`SoftmaxBackward0`)"
        ),
        "Give the loss the scores as they are in front of that",
        "net.zero_grad()\nF.cross_entropy(net(x), y).backward()",
        "bool(net.weight.grad.norm() > before)",
    ),
    "sigmoid twice": (
        (
            "net = nn.Linear(2, 1)\nx = torch.ones(4, 2)\np = torch.sigmoid(net(x))\n"
            "loss = F.binary_cross_entropy_with_logits(p, torch.ones(4, 1))\nloss.backward()"
        ),
        "lab.why(net.weight)",
        "itself (`BinaryCrossEntropyWithLogitsBackward0`), and here it is given what is a probability already (`S",
        "Give the loss the scores as they are",
        "net.zero_grad()\nF.binary_cross_entropy_with_logits(net(x), torch.ones(4, 1)).backward()",
        "bool((net.weight.grad != 0).any())",
    ),
    "overwritten": (
        LEAF + "y = w * 2\ny[:] = 0.\nloss = y.sum()\nloss.backward()",
        "lab.why(w)",
        "on every path from `loss` to `w` a line overwrites in place what was computed",
        "overwrite only elements through which `w` is not to learn",
        "w.grad = None\ny = w * 2\ny[1:] = 0.\ny.sum().backward()",
        "w.grad.tolist() == [2., 0., 0.]",
    ),
    "a list of layers, asked of the optimizer": (
        (
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.layers = [nn.Linear(2, 2)]\n        self.out = nn.Linear(2, 1)\n"
            "    def forward(self, x): return self.out(self.layers[0](x))\n"
            "net = Net()\nopt = torch.optim.SGD(net.parameters(), lr=.1)\nnet(torch.ones(1, 2)).sum().backward()"
        ),
        "lab.why(opt)",
        "What learns in `net.layers` is not among `net.parameters()`",
        "Keep layers in an `nn.ModuleList`",
        "net.layers = nn.ModuleList(net.layers)\nopt = torch.optim.SGD(net.parameters(), lr=.1)",
        "len(opt.param_groups[0]['params']) == 4",
    ),
    "a tensor that is no Parameter": (
        (
            "class Scale(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.a = torch.ones(1, requires_grad=True)\n    def forward(self, x): return self.a * x\n"
            "m = Scale()\nm(torch.ones(2)).sum().backward()"
        ),
        "lab.why(m.a)",
        "What learns in `m.a` is not among `m.parameters()`",
        "make tensors an `nn.Parameter`",
        "a = m.a\ndel m.a\nm.a = nn.Parameter(a.detach())",
        "[n for n, _ in m.named_parameters()] == ['a']",
    ),
    "a buffer": (
        (
            "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.register_buffer('w', torch.ones(2))\n    def forward(self, x): return (self.w * x).sum()\n"
            "m = M()\nloss = m(torch.ones(2))\nloss.backward()"
        ),
        "lab.explain()",
        "`loss` was computed by `m`, which has no parameters",
        "What is to learn in a Module is an `nn.Parameter`",
        "del m.w\nm.w = nn.Parameter(torch.ones(2))\nm(torch.ones(2)).backward()",
        "m.w.grad is not None",
    ),
    "a Function that returns nothing": (
        "class Sq(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a):\n"
        "        ctx.save_for_backward(a)\n        return a * a\n    @staticmethod\n    def backward(ctx, g):\n"
        "        2 * ctx.saved_tensors[0] * g\n" + LEAF + "Sq.apply(w).sum().backward()",
        "lab.why(w)",
        (
            "every path from `Sq.apply(w).sum()` to `w` leads through `Sq.backward`, which returns None there: no "
            "gradient goes on.\n"
        ),
        "Return the gradient instead of None",
        "Sq.backward = staticmethod(lambda ctx, g: 2 * ctx.saved_tensors[0] * g)\nSq.apply(w).sum().backward()",
        "w.grad.tolist() == [2., 4., 6.]",
    ),
    "a gradient of the wrong shape": (
        (
            "class Mul(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a, b):\n"
            "        ctx.save_for_backward(a, b)\n        return a @ b\n    @staticmethod\n    def backward(ctx, g):\n"
            "        a, b = ctx.saved_tensors\n        return a.t() @ g, g @ b.t()\n"
            "a, b = torch.ones(2, 3, requires_grad=True), torch.ones(3, 4, requires_grad=True)\n"
            "Mul.apply(a, b).sum().backward()"
        ),
        "lab.explain()",
        (
            "`Mul.backward` returned a gradient of shape (3, 4) for tensor 1 that `forward` was given, and that tensor "
            "has shape (2, 3)"
        ),
        "Return one gradient for each argument of `forward`, in the same order",
        (
            "Mul.backward = staticmethod(lambda ctx, g: (g @ ctx.saved_tensors[1].t(), ctx.saved_tensors[0].t() @ g))\n"
            "Mul.apply(a, b).sum().backward()"
        ),
        "a.grad.tolist() == [[4.] * 3] * 2 and b.grad.tolist() == [[2.] * 4] * 3",
    ),
    "what an LSTM returns": (
        "rnn = nn.LSTM(2, 3)\nout = rnn(torch.ones(4, 1, 2))\nout.backward()",
        "lab.explain()",
        "`out` is a tuple of tensors, not a tensor",
        "`out[0].sum().backward()`",
        "out[0].sum().backward()",
        "rnn.weight_ih_l0.grad is not None",
    ),
    "a hook for accumulated gradients on a result": (
        LEAF + "y = w * 2\ny.register_post_accumulate_grad_hook(print)",
        "lab.explain()",
        "`y` is a non-leaf: no backward accumulates into its `.grad`",
        "`y.register_hook(...)` runs when the gradient of `y` has been computed",
        "seen = []\ny.register_hook(seen.append)\ny.sum().backward()",
        "seen[0].tolist() == [1., 1., 1.]",
    ),
    "a hook that returns a list": (
        LEAF + "w.register_hook(lambda g: g.tolist())\n(w * 2).sum().backward()",
        "lab.explain()",
        "A hook returned something of type list",
        "Return a tensor of the same shape, or None",
        "v = torch.ones(2, requires_grad=True)\nv.register_hook(lambda g: g * 3)\n(v * 2).sum().backward()",
        "v.grad.tolist() == [6., 6.]",
    ),
    "func.grad of several numbers": (
        "def f(x): return x * 2\ntorch.func.grad(f)(torch.ones(3))",
        "lab.explain()",
        "`torch.func.grad` takes the gradient of a single number, and `f` returns a tensor whose `.dim()` is 1, not 0.",
        "`torch.func.jacrev(f)`",
        "j = torch.func.jacrev(f)(torch.ones(3))",
        "j.diagonal().tolist() == [2., 2., 2.]",
    ),
    "func.grad of a number": (
        "def f(x): return (x ** 2).sum().item()\nd = torch.func.grad(f)\nd(torch.ones(3))",
        "lab.explain()",
        "`f` returns a plain float: no graph leads through that",
        "Return the tensor itself, without `.item()`",
        "g = torch.func.grad(lambda x: (x ** 2).sum())(torch.ones(3))",
        "g.tolist() == [2., 2., 2.]",
    ),
    "vmap with item": (
        "def f(x): return x.sum().item()\ntorch.func.vmap(f)(torch.ones(3, 2))",
        "lab.explain()",
        "`.item()` would have to be a number for each of them",
        "take numbers out of what `vmap` returns",
        "n = torch.func.vmap(lambda x: x.sum())(torch.ones(3, 2))",
        "n.tolist() == [2., 2., 2.]",
    ),
    "vmap with a condition": (
        "def f(x):\n    if x.sum() > 0: return x\n    return -x\ntorch.func.vmap(f)(torch.ones(3, 2))",
        "lab.explain()",
        "this condition may be true for some rows and false for others",
        "`torch.where(condition, a, b)`",
        "a = torch.func.vmap(lambda x: torch.where(x.sum() > 0, x, -x))(torch.tensor([[1., 2.], [-1., -2.]]))",
        "a.tolist() == [[1., 2.], [1., 2.]]",
    ),
    "vmap with random numbers": (
        "def f(x): return x + torch.randn(2)\ntorch.func.vmap(f)(torch.ones(3, 2))",
        "lab.explain()",
        "it has to be said whether its random numbers are the same for all rows",
        "`vmap(..., randomness='different')`",
        "r = torch.func.vmap(f, randomness='different')(torch.ones(3, 2))",
        "tuple(r.shape) == (3, 2)",
    ),
}


@pytest.mark.parametrize("case", WHAT_TO_DO)
def test_what_is_to_be_done_works(torch: Any, shell: Any, case: str) -> None:
    program, question, said, todo, cure, right = WHAT_TO_DO[case]
    text = asked(shell, program, question)
    assert said in text and todo in text
    set_language("zh")
    assert re.search(r"[\u4e00-\u9fff]", shell.run(question).text)
    shell.run(cure)
    assert shell.run(right) is True


DETACHED = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 1)
    def forward(self, x):
        h = self.a(x).detach()
        return self.b(h)
"""
UNRECORDED = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 1)
    @torch.no_grad()
    def forward(self, x):
        return self.a(x)
"""


@pytest.mark.parametrize("around", ["Net()", "nn.Sequential(Net(), nn.Tanh())"])
def test_what_a_forward_detaches_is_named(torch: Any, shell: Any, around: str) -> None:
    shell.run(START + "\n" + DETACHED + f"net = {around}\nloss = net(torch.ones(1, 2)).sum()\nloss.backward()")
    text = shell.run("lab.why(net)").text
    assert "leaves here  h = self.a(x).detach()\nat           cell [1], line 9" in text
    assert "no gradient goes back through its `.detach()`" in text and "Use `net" not in text


def test_a_forward_that_records_nothing_is_named(torch: Any, shell: Any) -> None:
    shell.run(START + "\n" + UNRECORDED + "net = Net()\nloss = net(torch.ones(1, 2)).sum()")
    text = shell.run("lab.why(net)").text
    assert "its result has no graph all the same: in `forward` stands `@torch.no_grad()`" in text
    assert "Compute something from" not in text


def test_a_block_in_a_forward_that_records_nothing_is_named(torch: Any, shell: Any) -> None:
    within = DETACHED.replace("h = self.a(x).detach()", "with torch.no_grad():\n            h = self.a(x)")
    shell.run(START + "\n" + within + "net = Net()\nloss = net(torch.ones(1, 2)).sum()\nloss.backward()")
    assert (
        "In `forward` stands `with torch.no_grad():`: what is computed there has no graph."
        in shell.run("lab.why(net)").text
    )


def test_numbers_that_are_added_up_are_the_reason(torch: Any, shell: Any) -> None:
    shell.run(START + "\n" + LEAF + "total = 0\nfor i in range(3):\n    total += (w[i] ** 2).item()")
    shell.run("loss = torch.tensor(total, requires_grad=True)\nloss.backward()")
    text = shell.run("lab.why(w)").text
    assert "no gradient goes back through its `.item()`" in text and "total += (w[i] ** 2).item()" in text


def test_what_set_a_gradient_to_none_comes_first(torch: Any, shell: Any) -> None:
    """And what else might have been the reason is not listed."""
    shell.run(
        START + "\n" + NET + LOOP + "    loss = net(x).sum()\n    loss.backward()\n    opt.zero_grad()\n    opt.step()"
    )
    text = shell.run("lab.why(net.weight)").text
    assert (
        "After the last backward, `opt.zero_grad()` sets gradients back to None." in text
        and "an error stopped" not in text
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("(w * 2).sum().backward()\nw.grad = None", "`w.grad = None` sets gradients back to None"),
        ("(w * 2).sum().backward()\ndel w.grad", "Write `loss = (w * 2).sum()` and `loss.backward()`, and ask again"),
    ],
)
def test_a_backward_of_an_expression_has_run_all_the_same(torch: Any, shell: Any, code: str, said: str) -> None:
    shell.run(START + "\n" + LEAF + code)
    text = shell.run("lab.why(w)").text
    assert "`(w * 2).sum().backward()` has run, and no gradient is stored here now." in text and said in text


def test_an_average_of_nothing_is_not_flat(torch: Any, shell: Any) -> None:
    shell.run(START + "\nx = torch.tensor([-1., -2.], requires_grad=True)\nloss = x[x > 0].mean()\nloss.backward()")
    assert "derivative at the values here" not in shell.run("lab.why(x)").text


def test_one_that_is_started_from_keeps_its_rounds_on_purpose(torch: Any, shell: Any) -> None:
    shell.run(
        START + "\n" + LEAF + "total = 0\nfor i in range(3):\n    total = total + (w * w * i).sum()\ntotal.backward()"
    )
    assert "keeps the graph" not in shell.run("lab.why(w)").text


def test_a_shared_parameter_has_the_name_that_was_asked_for(torch: Any, shell: Any) -> None:
    shell.run(
        START
        + "\na, b = nn.Linear(2, 2), nn.Linear(2, 2)\nb.weight = a.weight\nb(a(torch.ones(1, 2))).sum().backward()"
    )
    assert "Why `b.weight.grad`?\n`b.weight.grad` is there" in shell.run("lab.why(b.weight)").text


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("loss.backward()\nloss = 1", "`loss` has no value yet: the line that gives it one has not run"),
        (
            "def train():\n    loss = torch.ones(1)\ntrain()\nloss.backward()",
            "it stands in a function, whose names are its own",
        ),
        (
            "loss = torch.ones(1, requires_grad=True)\nlos.backward()",
            "No line that is known here gives `los` a value; there is `loss`.",
        ),
        ("los.backward()", "No line that is known here gives `los` a value.\nWhat to do: Compute it first"),
        ("prnt(1)", "I cannot tell"),
    ],
)
def test_names_without_a_value(torch: Any, shell: Any, program: str, said: str) -> None:
    assert said in asked(shell, program, "lab.explain()")


@pytest.mark.parametrize(
    "program",
    [
        "import torch.nn.functional as G\nG.relu(w)",
        "import torch.nn as layers\nlayers.Linear(3, 1)(w)",
        "import torch as t\nw + t.ones(3)",
        "import torch as t\nt.ones(3) + w",
        "import torch.optim as ways\nways.SGD([w], lr=.1)",
    ],
)
def test_two_libraries_do_not_compute_with_each_other(torch: Any, shell: Any, program: str) -> None:
    need("torch")
    shell.user_ns["torch"] = autogradlab
    text = asked(shell, LEAF + program, "lab.explain()")
    assert "Functions and tensors of two libraries meet here" in text and "`F = torch.nn.functional`" in text


def test_a_function_that_calls_itself_is_another_matter(torch: Any, shell: Any) -> None:
    assert "I cannot tell" in asked(shell, "def f(x): return f(x)\nf(1)", "lab.explain()")
