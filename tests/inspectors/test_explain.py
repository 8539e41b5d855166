"""`explain`: the classic mistakes as learners make them in notebook cells; the tensor, the reason, the cure,
the place."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest

from autogradlab.inspectors import explain, set_language

W = "w = torch.tensor([1., 2.], requires_grad=True)"
CUBE = """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x ** 2"""

FEW = """class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b
    @staticmethod
    def backward(ctx, g):
        return g
"""

#: what it saves is held by no variable when its backward fails; that of the same shape and version is another
INSIDE = """other = torch.zeros(2, requires_grad=True)
with torch.no_grad(): other += 1
def attend(q):
    s = torch.softmax(q, -1)
    {change}
    return s * q
attend(w).sum().backward()"""

SAVING = """class Net(torch.nn.Module):
    def forward(self, x):
        y = torch.sigmoid(x)
        y[0] = 0
        return y * 2"""

#: what is saved and changed is what the Module gives back
ADDING = """class Net(torch.nn.Module):
    def forward(self, x):
        y = torch.sigmoid(x)
        y += 1
        return y
out = Net()(w)"""

SWITCHED = """net, ones = torch.nn.Linear(2, 1), torch.ones(2)
_ = torch.set_grad_enabled(False)
q = net(ones)
_ = torch.set_grad_enabled(True)"""

STEPPED = """opt = torch.optim.SGD([w], lr=.1)
loss = (w * w).sum()
loss.backward(retain_graph=True)
opt.step()
loss.backward()"""

#: cells, the last of which fails; the sentence; what to write or do; where the cause is; where it failed
CASES = {
    "forgotten": (
        ["w = torch.tensor(1.)\nx = torch.tensor(2.)", "loss = (w * x - 1) ** 2", "loss.backward()"],
        "`loss` was computed from `w`, `x`, and none of them requires grad: requires_grad=True was forgotten.",
        "Write instead: `w = torch.tensor(1.0, requires_grad=True)`",
        "cell [1], line 1",
        "cell [3], line 1",
    ),
    "integer tensor": (
        ["w = torch.tensor([1, 2])", "loss = (w * 2).sum()", "loss.backward()"],
        "`w` holds int64 numbers, and only floating point and complex tensors can have gradients.",
        "Write instead: `w = torch.tensor([1.0, 2.0], requires_grad=True)`",
        "cell [1], line 1",
        "cell [3], line 1",
    ),
    "no graphics card": (
        ["x = torch.ones(2)", "x = x.cuda()"],
        "This line needs a graphics card (CUDA), and there is none here that can be used.",
        'Write instead: `device = "cuda" if torch.cuda.is_available() else "cpu"`',
        None,
        "cell [2], line 1",
    ),
    "integer tensor that asks": (
        ["w = torch.tensor([1, 2], requires_grad=True)"],
        "`w` holds integers; gradients need floating point numbers.",
        "Write instead: `w = torch.tensor([1.0, 2.0], requires_grad=True)`",
        None,
        "cell [1], line 1",
    ),
    "integer tensor asked later": (
        ["w = torch.arange(3)", "w.requires_grad_()"],
        "`w` holds integers; gradients need floating point numbers.",
        "Write instead: `w = w.float().requires_grad_()`",
        "cell [1], line 1",
        "cell [2], line 1",
    ),
    "gradient of another shape": (
        [W + "\ny = w * 2", "y.backward(torch.ones(3))"],
        (
            "The gradient that backward was given to start with has the shape (3,), and `y` has (2,): it takes one "
            "number for each element of `y`."
        ),
        (
            "What to do: Give it a gradient of that shape, such as `torch.ones_like(y)`; without any, call backward on "
            "a single number: `y.sum().backward()`."
        ),
        "cell [1], line 2",
        "cell [2], line 1",
    ),
    "gradient for a single number": (
        [W + "\ny = w.sum()", "torch.autograd.grad(y, w, torch.ones(2))"],
        (
            "The gradient that backward was given to start with has the shape (2,), and `y` is a single number: it "
            "takes a single number, and starts with 1 where none is given."
        ),
        "What to do: Leave it out, or give a single number such as `torch.ones_like(y)`.",
        "cell [1], line 2",
        "cell [2], line 1",
    ),
    "detach": (
        [W, "y = (w * 2).detach()\nloss = (y ** 2).sum()", "loss.backward()"],
        "`y` comes from `(w * 2).detach()`, and `.detach()` cuts it off from the graph.",
        "Write instead: `y = w * 2`",
        "cell [2], line 1",
        "cell [3], line 1",
    ),
    "data": (
        [W, "y = w.data * 2", "y.sum().backward()"],
        "`y` comes from `w.data * 2`, and `.data` cuts it off from the graph.",
        "Write instead: `y = w * 2`",
        "cell [2], line 1",
        "cell [3], line 1",
    ),
    "item": (
        [W, "loss = (w * 2).sum().item()", "loss.backward()"],
        (
            "`loss` comes from `(w * 2).sum().item()`: `.item()` takes plain numbers out of the tensor, and no graph "
            "leads through numbers."
        ),
        "Write instead: `loss = (w * 2).sum()`",
        "cell [2], line 1",
        "cell [3], line 1",
    ),
    "numpy": (
        [W, "a = w.detach().numpy() * 2\nloss = torch.from_numpy(a).sum()", "loss.backward()"],
        (
            "`a` comes from `w.detach().numpy() * 2`: `.numpy()` takes plain numbers out of the tensor, and no graph "
            "leads through numbers."
        ),
        "Write instead: `a = w * 2`",
        "cell [2], line 1",
        "cell [3], line 1",
    ),
    "no_grad": (
        [W, "with torch.no_grad():\n    y = w * 2", "loss = y.sum()", "loss.backward()"],
        "`y` was computed within `with torch.no_grad():`, where autograd records nothing.",
        "What to do: Move the computation of `y` out of `with torch.no_grad():`.",
        "cell [2], line 2",
        "cell [4], line 1",
    ),
    "second backward": (
        [W + "\nloss = (w * w).sum()", "loss.backward()", "loss.backward()"],
        (
            "The first backward through `loss` freed what its Nodes had saved; this is the second one through the "
            "same graph."
        ),
        (
            "What to do: Compute `loss` anew before each backward, or keep the graph the first time: "
            "`loss.backward(retain_graph=True)`."
        ),
        "cell [2], line 1",
        "cell [3], line 1",
    ),
    "second backward in a loop": (
        [
            W + "\nh = torch.zeros(2)",
            "for t in range(3):\n    h = torch.tanh(w * h + t)\n    loss = h.sum()\n    loss.backward()",
        ],
        (
            "`h` is carried from one round of the loop to the next with its whole history, and the backward of the "
            "round before has freed that."
        ),
        (
            "What to do: Cut the history off after each backward: `h = h.detach()`; or call backward once, after the "
            "loop, on the sum of the losses."
        ),
        "cell [2], line 2",
        "cell [2], line 4",
    ),
    "second backward of an expression": (
        [W, "y = w * w", "y.sum().backward()", "y.sum().backward()"],
        (
            "`y.sum()` is new, but it was computed from `y`, and an earlier backward has freed what the Nodes below "
            "`y` had saved."
        ),
        (
            "What to do: Compute `y` anew before each backward too; or keep its graph: "
            "`backward(retain_graph=True)` in all but the last one."
        ),
        "cell [2], line 1",
        "cell [4], line 1",
    ),
    "second backward below": (
        [W + "\ny = w * w", "for i in range(2):\n    loss = (y * 2).sum()\n    loss.backward()"],
        (
            "`loss` is new, but it was computed from `y`, and an earlier backward has freed what the Nodes below "
            "`y` had saved."
        ),
        (
            "What to do: Compute `y` anew before each backward too; or keep its graph: `backward(retain_graph=True)` "
            "in all but the last one."
        ),
        "cell [1], line 2",
        "cell [2], line 3",
    ),
    "in place on what a custom Function saved": (
        [f"{W}\n{CUBE}", "y = Cube.apply(w).sum()", "with torch.no_grad():\n    w.mul_(0.5)", "y.backward()"],
        (
            "An operation had saved `w` for its backward (version 0), and `w.mul_(0.5)` changed it in place since "
            "(version 1)."
        ),
        "Write instead: `w = w.mul(0.5)`",
        "cell [3], line 2",
        "cell [1], line 10",
    ),
    "in place on a saved value": (
        [W, "y = w * 2", "z = y * y", "y += 1", "z.sum().backward()"],
        "An operation had saved `y` for its backward (version 0), and `y += 1` changed it in place since (version 1).",
        "Write instead: `y = y + 1`",
        "cell [4], line 1",
        "cell [5], line 1",
    ),
    "an element of a saved value": (
        [W, "y = w.exp()\ny[0] = 0", "y.sum().backward()"],
        (
            "An operation had saved `y` for its backward (version 0), and `y[0] = 0` changed it in place since "
            "(version 1)."
        ),
        "Write instead: `y = y.clone(); y[0] = 0`",
        "cell [2], line 2",
        "cell [3], line 1",
    ),
    "data changed under the graph": (
        [W + "\nx = torch.ones(2)", "y = w * x", "x.add_(1)", "y.sum().backward()"],
        (
            "An operation had saved `x` for its backward (version 0), and `x.add_(1)` changed it in place since "
            "(version 1)."
        ),
        "Write instead: `x = x.add(1)`",
        "cell [3], line 1",
        "cell [4], line 1",
    ),
    "in place on a leaf": (
        [W + "\n(w * w).sum().backward()", "w -= 0.1 * w.grad"],
        (
            "`w` is a leaf that requires grad; `w -= 0.1 * w.grad` would change it in place while autograd records, "
            "and its gradient would lose its meaning."
        ),
        "Write instead: `with torch.no_grad(): w -= 0.1 * w.grad`",
        "cell [1], line 1",
        "cell [2], line 1",
    ),
    "an element of a leaf": (
        [W, "w[0] = 3"],
        (
            "`w` is a leaf that requires grad; `w[0] = 3` would change it in place while autograd records, and its "
            "gradient would lose its meaning."
        ),
        "Write instead: `with torch.no_grad(): w[0] = 3`",
        "cell [1], line 1",
        "cell [2], line 1",
    ),
    "not a scalar": (
        [W + "\ny = w * w", "y.backward()"],
        "`y` has shape (2,); without an argument backward starts only from a single number.",
        "Write instead: `y.sum().backward()`",
        "cell [1], line 2",
        "cell [2], line 1",
    ),
    "not a scalar, without a name": (
        [W, "(w * w).backward()"],
        (
            "`w * w` has more than one element (or complex numbers); without an argument backward starts only from a "
            "single real number."
        ),
        "Write instead: `(w * w).sum().backward()`",
        None,
        "cell [2], line 1",
    ),
    "unused input": (
        [W + "\nb = torch.ones(1, requires_grad=True)\ny = (w * w).sum()", "torch.autograd.grad(y, [w, b])"],
        "`y` was not computed from `b`: no path leads from it to `b`, so there is no gradient.",
        "What to do: Compute `y` from `b`; or accept None for it: `torch.autograd.grad(y, b, allow_unused=True)`.",
        "cell [1], line 2",
        "cell [2], line 1",
    ),
    "input bound anew": (
        [W + "\ny = (w * w).sum()", W, "g, = torch.autograd.grad(y, w)"],
        "`w` was bound anew after `y` had been computed; `y` comes from the tensor that had this name before.",
        "What to do: Compute `y` again from the new `w`, or give the new tensor another name.",
        "cell [2], line 1",
        "cell [3], line 1",
    ),
    "input without grad": (
        [W + "\nx = torch.ones(2)\ny = (w * x).sum()", "torch.autograd.grad(y, x)"],
        "`x` does not require grad, so there is no gradient with respect to it.",
        "Write instead: `x.requires_grad_()  # before it is used`",
        "cell [1], line 2",
        "cell [2], line 1",
    ),
    "optimizer of a non-leaf": (
        ["w = torch.ones(2, requires_grad=True) * 0.1", "opt = torch.optim.SGD([w], lr=0.1)"],
        (
            "`w` is a non-leaf, the result of `torch.ones(2, requires_grad=True) * 0.1`; an optimizer can only step "
            "leaves, whose `.grad` backward fills."
        ),
        (
            "Write instead: `w = (torch.ones(2, requires_grad=True) * 0.1).detach().requires_grad_()  # then give it "
            "to the optimizer`"
        ),
        "cell [1], line 1",
        "cell [2], line 1",
    ),
    "to numpy": (
        [W, "(w * 2).numpy()"],
        "`w * 2` requires grad, and NumPy arrays carry no graph; PyTorch wants you to say that you know this.",
        "Write instead: `(w * 2).detach().numpy()`",
        None,
        "cell [2], line 1",
    ),
    "lost leaf": (
        [W + "\n(w * w).sum().backward()", "w = w - 0.1 * w.grad", "(w * w).sum().backward()", "w = w - 0.1 * w.grad"],
        (
            "`.grad` is None and stays None: `w` is now the result of `w - 0.1 * w.grad`, a non-leaf; the leaf that "
            "had this name before has lost it."
        ),
        "Write instead: `with torch.no_grad(): w -= 0.1 * w.grad`",
        "cell [4], line 1",
        "cell [4], line 1",
    ),
    "lost by to()": (
        ["w = torch.tensor(1., requires_grad=True)\nw = w.to(torch.float64)", "w.grad.zero_()"],
        (
            "`.grad` is None and stays None: `w` is now the result of `w.to(torch.float64)`, a non-leaf; the leaf "
            "that had this name before has lost it."
        ),
        "Write instead: `w = w.to(torch.float64).detach().requires_grad_()`",
        "cell [1], line 2",
        "cell [2], line 1",
    ),
    "within a function": (
        ["def train(w):\n    loss = (w * 2).sum()\n    loss.backward()", "train(torch.ones(2))"],
        "`loss` was computed from `w`, which does not require grad: requires_grad=True was forgotten.",
        "Write instead: `w.requires_grad_()`",
        None,
        "cell [1], line 3",
    ),
}


def fail(shell: Any, cells: list[str]) -> BaseException:
    for cell in cells[:-1]:
        shell.run(cell)
    shell.showtraceback = lambda *args, **named: None  # it costs a second; test_extension looks at it
    error = shell.run_cell(cells[-1], store_history=True).error_in_exec
    assert error is not None
    return error


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
@pytest.mark.parametrize("case", CASES)
def test_classic_mistakes(torch: Any, shell: Any, case: str):
    cells, sentence, cure, cause, failed = CASES[case]
    error = fail(shell, cells)
    lines = explain(error).text.splitlines()
    assert lines[0].startswith("What this ")
    assert lines[1] == sentence
    assert lines[2] == cure
    facts = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in lines[3:]}
    assert facts.get("at") == cause
    assert facts["failed at"] == failed
    set_language("zh")
    chinese = explain(error).text.splitlines()
    assert chinese[0].endswith("在这里是什么意思")
    assert any("\u4e00" <= c <= "\u9fff" for c in chinese[1])


def test_the_cures_work(torch: Any, shell: Any):
    """What is to be written instead is written, and then it runs."""
    shell.run(
        "w = torch.tensor(1.0, requires_grad=True)\nx = torch.tensor(2.)\nloss = (w * x - 1) ** 2\nloss.backward()"
    )
    shell.run("w = torch.tensor([1.0, 2.0], requires_grad=True)\n(w * 2).sum().backward()")
    shell.run("y = w * 2\nz = y * y\ny = y + 1\nz.sum().backward()")
    shell.run("with torch.no_grad(): w -= 0.1 * w.grad")
    shell.run("(w * 2).detach().numpy()")
    shell.run(
        "w = w.to(torch.float64).detach().requires_grad_()\nw.sum().backward()\nassert w.is_leaf and w.grad is not None"
    )


def test_what_is_not_known(torch: Any, shell: Any):
    text = explain(fail(shell, ["1 / 0"])).text
    assert "I cannot tell: this ZeroDivisionError is none of the mistakes that are known here." in text
    assert "failed at  cell [1], line 1" in text


def test_errors_without_a_traceback_and_hostile_ones(torch: Any):
    bare = RuntimeError("Trying to backward through the graph a second time")
    assert "this is the second one" in explain(bare).text
    for message in (
        "element 7 of tensors does not require grad and does not have a grad_fn",
        "a leaf Variable that requires grad is being used in an in-place operation.",
        "<img src=x onerror=alert(1)> {0} {name} \x00",
        "",
        "can't optimize a non-leaf Tensor",
        "Can't call numpy() on Tensor that requires grad.",
        "One of the differentiated Tensors does not require grad",
        "grad can be implicitly created only for scalar outputs",
        "'NoneType'",
        "Only Tensors of floating point and complex dtype can require gradients",
        "'float' object has no attribute 'backward'",
        "One of the differentiated Tensors appears to not have been used in the graph",
        "modified by an inplace operation: [torch.FloatTensor [2]] is at version 2; expected version 1 instead.",
    ):
        card = explain(RuntimeError(message))
        assert card.text.startswith("What this RuntimeError means here")
        assert "<img src=x" not in card.html()


def test_in_a_plain_program(torch: Any):
    w = torch.ones(2)
    loss = (w * 3).sum()
    with pytest.raises(RuntimeError) as caught:
        loss.backward()
    text = explain(caught.value).text
    assert "`loss` was computed from `w`, which does not require grad" in text
    assert "test_explain.py, line" in text


def test_where_no_line_can_be_read_no_name_is_made_up(torch: Any) -> None:
    """Code that came from nowhere, as at Python's own prompt."""
    with pytest.raises(RuntimeError) as failed:
        exec("torch.ones(2).sum().backward()", {"torch": torch})
    told = {"en": "What `backward()` was called on does not require grad", "zh": "调用 `backward()` 的张量"}
    for lang, said in told.items():
        set_language(lang)
        text = explain(failed.value).text
        assert said in text and "root" not in text


@pytest.mark.parametrize(
    ("code", "said", "cure"),
    [
        ("x = torch.ones(2)\nx.backward()", "`x` does not require grad: requires_grad=True was forgotten.", "x = "),
        (
            "loss = float((w * w).sum())\nloss.backward()",
            "`loss` comes from `float((w * w).sum())`: `float(...)` takes plain numbers out of the tensor",
            "Write instead: `loss = (w * w).sum()`",
        ),
        ("(w > 1).sum().backward()", "`(w > 1).sum()` goes through `w > 1`, which has no derivative", "What to do:"),
        (
            "y = (w > 1).sum()\ny.backward()",
            "`y` goes through `w > 1`, which has no derivative",
            "let what is to be learned act by them",
        ),
        ("v = w.view(2)\nv[0] = 3.", "`v` is a view of a leaf that requires grad", "with torch.no_grad(): v[0] = 3.0"),
        ("torch.optim.SGD([w * 2], lr=.1)", "`w * 2` is the result of an operation, a non-leaf", "Give the optimizer"),
        (
            "a = torch.ones(2, 3)\na + w[:, None].T",
            "`a` and `w[:, None].T` do not fit together: in dimension 1 their sizes are 3 and 2",
            "`lab.broadcast(a, w[:, None].T)` shows how",
        ),
        (
            "torch.mul(w, torch.ones(3))",
            "`w` and `torch.ones(3)` do not fit together",
            "lab.broadcast(w, torch.ones(3))",
        ),
        ("torch.ones(2, 3) @ torch.ones(2, 3)", "here there are 3 columns and 2 rows", "(2, 3) meets (3, any number)"),
        (
            "with torch.inference_mode():\n    i = torch.ones(2)\n(i * w).sum().backward()",
            "A tensor that was made in inference mode would have to be saved",
            "`torch.no_grad()` instead of `torch.inference_mode()`",
        ),
        (
            STEPPED,
            "`opt.step()` changed it since (version 1): the graph of `loss` was computed with the weights before",
            "Compute `loss` anew after `opt.step()`, or call every backward that needs the old weights before it.",
        ),
        (
            FEW + "Product.apply(w, w).sum().backward()",
            "`Product.backward` returned too few gradients: 1, and `Product.forward` takes 2 arguments.",
            "Return 2 values from `backward`, such as `return grad, None`.",
        ),
        (
            FEW.replace("return g", "return g, g, g") + "Product.apply(w, w).sum().backward()",
            "`Product.backward` returned too many gradients: 3, and `Product.forward` takes 2 arguments.",
            "here 2.",
        ),
        (
            "h = w * 2\nhandle = h.register_hook(lambda grad: grad.sum())\nh.sum().backward()",
            "The hook `<lambda>` returned a gradient of another shape than the one that it was given.",
            "Return a gradient of the same shape, or None",
        ),
        (
            "h = w * 2\nhandle = h.register_hook(lambda grad: grad.double())\nh.sum().backward()",
            "The hook `<lambda>` returned a gradient of another kind (dtype, device or layout)",
            "of the same dtype on the same device",
        ),
        (
            "w.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2))\nw.sum().backward()",
            "A post-accumulate-grad hook returned something.",
            "Write it with `def`, without `return`.",
        ),
        (
            "hv, = torch.autograd.grad((w**3).sum(), w)\nhv.sum().backward()",
            "`hv.sum()` was computed from `hv`, a gradient: numbers alone, without a graph of how they came about.",
            "`torch.autograd.grad(…, create_graph=True)`",
        ),
        (
            "z = torch.ones(2, dtype=torch.complex64, requires_grad=True)\n(z * z).sum().backward()",
            "`(z * z).sum()` is complex; without an argument backward starts only from a real number",
            "`(z * z).sum().abs().backward()`",
        ),
        (
            "layer = torch.nn.Linear(4, 2)\nlayer(torch.ones(2, 3))",
            "`layer` takes inputs of 4 features (`in_features`), and `torch.ones(2, 3)` has 3 of them in its last",
            "Give it inputs of shape (any number, 4), or make the layer for 3 features.",
        ),
        (
            "torch.ones(2, 3) @ torch.ones(5, 7)",
            "here there are 3 columns and 5 rows",
            "Make one of them of another shape: (2, 3) meets (3, any number), and (5, 7) is met by (any number, 5).",
        ),
        (
            "h = torch.zeros(4, 2)\nfor t in range(1, 4):\n    h[t] = torch.tanh(h[t - 1] * w)\nh.sum().backward()",
            "An operation had saved a part of `h` for its backward (version 2), and `h[t] = torch.tanh(h[t - 1] * w)`",
            "`torch.stack(parts)`",
        ),
        (
            "total = 0\nfor k in range(2):\n    total += ((w - k) ** 2).sum().item()\ntotal.backward()",
            "`total` comes from `total += ((w - k) ** 2).sum().item()`: `.item()` takes plain numbers",
            "Write instead: `total += ((w - k) ** 2).sum()`",
        ),
        (
            "h = torch.zeros(2)\nfor t in range(2):\n    h = torch.tanh(h * w + 1)\n    h.sum().backward()",
            "`h` is carried from one round of the loop to the next with its whole history",
            "`h = h.detach()`",
        ),
        (
            "h = w * 2\na = h.sum()\nb = (h ** 2).sum()\na.backward()\nb.backward()",
            "`b` and `a` were both computed from `h`, and the backward of `a` has freed what the Nodes below `h`",
            "`(a + b).backward()`; or keep the graph the first time: `a.backward(retain_graph=True)`",
        ),
        (
            "h = w * 2\ng = h ** 2\nh[0] = 5.\n(g.sum() + h.sum()).backward()",
            "An operation had saved `h` for its backward (version 0), and `h[0] = 5.` changed it in place since",
            "`h = h.clone(); h[0] = 5.0`",
        ),
        (
            "losses = []\nfor k in range(3):\n    losses.append((w * k).sum().item())\nsum(losses).backward()",
            "`losses` comes from `(w * k).sum().item()`: `.item()` takes plain numbers out of the tensor",
            "Write instead: `losses.append((w * k).sum())`",
        ),
        (
            "net = torch.nn.Linear(2, 3)\nout = net(w)\nq = out.max(0).indices\n(q - 1).float().pow(2).backward()",
            "goes through `out.max(0).indices`, which has no derivative",
            "operations that have a derivative alone",
        ),
        (
            "net = torch.nn.Linear(2, 3)\nq = net(w).argmax(0).float()\nloss = (q - 1).pow(2)\nloss.backward()",
            "`loss` goes through `net(w).argmax(0)`, which has no derivative",
            "operations that have a derivative alone",
        ),
        (
            "g, = torch.autograd.grad((w ** 3).sum(), w)\ng.sum().backward()",
            "`g.sum()` was computed from `g`, a gradient: numbers alone",
            "create_graph=True",
        ),
        (
            "v = torch.tensor(2., requires_grad=True)\ng, = torch.autograd.grad(v ** 3, v)\ng.backward()",
            "`g` is a gradient: numbers alone, without a graph",
            "create_graph=True",
        ),
        (
            "@torch.no_grad()\ndef evaluate(v):\n    return (v * 2).sum()\nloss = evaluate(w)\nloss.backward()",
            (
                "`evaluate(w)` computes with what requires grad, and its result has no graph all the same: in "
                "`evaluate` stands `@torch.no_grad()`."
            ),
            "leaves here  @torch.no_grad()",
        ),
        (
            "def model(v):\n    h = (w * v).detach()\n    return h.sum()\nv = torch.ones(2)\nmodel(v).backward()",
            (
                "`model(v)` computes with what requires grad, and its result has no graph all the same: in "
                "`model` stands `.detach()`."
            ),
            "leaves here  h = (w * v).detach()",
        ),
        (
            "def norm():\n    with torch.no_grad():\n        return (w * w).sum()\nn = norm()\nn.backward()",
            "in `norm` stands `with torch.no_grad():`.",
            "Leave `with torch.no_grad():` out there",
        ),
        (
            "loss = (w * w).sum().backward()\nloss.backward()",
            "`loss` is None: it was given what `backward()` returns",
            "`loss = (w * w).sum(); loss.backward()`",
        ),
        (
            "def loss_of(v):\n    (v * v).sum()\nloss = loss_of(w)\nloss.backward()",
            "`loss` is None: `loss_of(w)` has returned nothing.",
            "ends with a `return`",
        ),
        (
            "import numpy as np\nloss = np.mean(w.detach().numpy() ** 2)\nloss.backward()",
            "`.numpy()` takes plain numbers out of the tensor",
            "functions of `torch` instead of NumPy's there",
        ),
        ("h = w.new_tensor(w * 2)\nh.sum().backward()", "`w.new_tensor(...)` takes plain numbers", "`h = w * 2`"),
        (
            "h = torch.FloatTensor([w[0], w[1]])\nh.sum().backward()",
            "`torch.FloatTensor(...)` takes plain numbers",
            "`h = torch.stack([w[0], w[1]])`",
        ),
        (
            "with torch.no_grad():\n    w = w + 1\n(w * w).sum().backward()",
            "`w` was given another tensor within `with torch.no_grad():`, the result of `w + 1`",
            "`with torch.no_grad(): w += 1`",
        ),
        (
            "total = 0\nfor _ in range(2):\n    total = total + (w * w).sum()\n    total.backward()",
            "`total` is carried from one round of the loop to the next with its whole history",
            "`total = total.detach()`",
        ),
        (
            "def half(v):\n    return v / 2\nv = torch.ones(2)\nh = half(v).sum()\nh.backward()",
            "`h` was computed from `v`, which does not require grad",
            "`v = torch.ones(2, requires_grad=True)`",
        ),
        (
            "h = torch.tensor([w[0] ** 2, w[1] * 3])\nh.sum().backward()",
            "`h` comes from `torch.tensor([w[0] ** 2, w[1] * 3])`: `torch.tensor(...)` takes plain numbers out",
            "`h = torch.stack([w[0] ** 2, w[1] * 3])`",
        ),
        (
            "h = torch.tensor([[w[0], 1.], [w[0], w[1]]])\nh.sum().backward()",
            "`torch.tensor(...)` takes plain numbers out",
            "`h = torch.stack([torch.stack([w[0], torch.tensor(1.0)]), torch.stack([w[0], w[1]])])`",
        ),
        (
            (
                "class Sq(torch.autograd.Function):\n    @staticmethod\n    def forward(x):\n        return x ** 2\n"
                "Sq.apply(w)"
            ),
            "`Sq.apply` calls `Sq.forward` with one argument more than it is given: the context, which comes first.",
            "`def forward(ctx, x):`\nthe line   def forward(x):\nat         cell [2], line 3",
        ),
        (
            (
                "class Sq(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
                "        return x ** 2\n"
                "y = Sq()(w)"
            ),
            "A Function is not instantiated, and not called itself",
            "`Sq.apply(w)`",
        ),
        (
            (
                "a = torch.nn.Linear(2, 2)\nopt = torch.optim.SGD(a.parameters(), lr=.1)\n"
                "u = a(a(w)).sum()\nu.backward(retain_graph=True)\nopt.step()\nu.backward()"
            ),
            "An operation had saved `a.weight` for its backward (version 1), and `opt.step()` changed it since",
            "Compute `u` anew after `opt.step()`",
        ),
        (
            "h = w.expand(3, 2)\nh += 1",
            "`h` is a view of a leaf that requires grad",
            "Make a new tensor of it: `h = h + 1`.",
        ),
        (
            f"{SWITCHED}\nq.backward()",
            "`net(ones)` computes with what requires grad, and its result has no graph all the same: nothing was",
            "in front of it, for `@torch.no_grad()`",
        ),
        (
            "v = torch.zeros_like(w)\n(v * 2).sum().backward()",
            "`(v * 2).sum()` was computed from `v`, which does not require grad: requires_grad=True was forgotten.",
            "`v.requires_grad_()`",
        ),
        (
            "held = {'a': w * 1}\nfor k in held:\n    held[k] = held[k] - held[k].grad",
            "`held['a']` is a non-leaf (the result of MulBackward0)",
            "`held['a'].retain_grad()`",
        ),
        (
            "(w ** 3).sum().backward()\nw.grad.sum().backward()",
            "`w.grad.sum()` was computed from `w.grad`, a gradient: numbers alone",
            "create_graph=True",
        ),
        (
            "(w ** 3).sum().backward()\npenalty = (w.grad ** 2).sum()\npenalty.backward()",
            "`penalty` was computed from `w.grad`, a gradient: numbers alone",
            "create_graph=True",
        ),
        (
            "v = torch.tensor(2., requires_grad=True)\n(v ** 3).backward()\nv.grad.backward()",
            "`v.grad` is a gradient: numbers alone",
            "create_graph=True",
        ),
        (
            INSIDE.format(change="s -= 1"),
            "An operation had saved `s` for its backward (version 0), and `s -= 1` changed it in place since",
            "Write instead: `s = s - 1`",
        ),
        (
            f"{SAVING}\nloss = Net()(w).sum()\nloss.backward()",
            "An operation had saved `y` for its backward (version 0), and `y[0] = 0` changed it in place since",
            "Write instead: `y = y.clone(); y[0] = 0`",
        ),
        (
            "nn = torch.nn\nnet = nn.Sequential(nn.Sigmoid(), nn.ReLU(True))\nq = net(w).sum()\nq.backward()",
            "An operation had saved a result of `q = net(w).sum()` for its backward (version 0)",
            "layers with `inplace=True`",
        ),
        (
            f"{ADDING}\nout.sum().backward()",
            "An operation had saved `y` for its backward (version 0), and `y += 1` changed it in place since",
            "Write instead: `y = y + 1`",
        ),
        (
            f"{ADDING}\nnn = torch.nn\nnn.Sequential(nn.Sigmoid(), nn.ReLU(True))(w).sum().backward()",
            "a result of `nn.Sequential(nn.Sigmoid(), nn.ReLU(True))(w).sum().backward()` for its backward (version 0)",
            "layers with `inplace=True`",
        ),
        (
            "with torch.autograd.set_detect_anomaly(True):\n    (w * 0).sqrt().mul(0).sum().backward()",
            "Anomaly mode stopped the backward at `SqrtBackward0`, the first Node that handed on a nan.",
            "its forward  (w * 0).sqrt().mul(0).sum().backward()",
        ),
        (
            "def clip(g):\n    g.clamp_(max=1)\nh = w * 2\nh.register_hook(clip)\nh.sum().backward()",
            "`g` cannot be changed in place: several of its elements are one and the same cell of memory",
            "`g * 2` (a hook returns it)",
        ),
        ("(w.detach() * 2).sum().backward()", "`.detach()` in `(w.detach() * 2).sum()` cuts it off", "`(w * 2).sum()`"),
    ],
)
def test_more_mistakes(torch: Any, shell: Any, code: str, said: str, cure: str):
    shell.run("from autogradlab import inspectors as lab\nw = torch.tensor([1., 2.], requires_grad=True)")
    with pytest.raises((RuntimeError, ValueError, AttributeError, TypeError)), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of float(w)
        shell.run(code)
    text = shell.run("lab.explain()").text
    assert said in text and cure in text
    set_language("zh")
    words = "".join(line for line in shell.run("lab.explain()").text.splitlines()[1:3])
    assert re.search("[\u4e00-\u9fff]", words)


def test_a_leaf_is_made_where_it_was_created(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab\nw = torch.tensor([1., 2.], requires_grad=True)")
    with pytest.raises(RuntimeError):
        shell.run("w += 1")
    with pytest.raises(RuntimeError):
        shell.run("w.numpy()")
    assert "made by    torch.tensor([1., 2.], requires_grad=True)" in shell.run("lab.explain()").text
