"""The rules of a step are those of the op table, on both libraries: what they say of a Node at hand is what it does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.snapshot.graph import NodeFact
from autogradlab.inspectors.snapshot.recording import record
from autogradlab.inspectors.snapshot.rules import Plain, op_name, written
from tests.conftest import ROOT

PROGRAMS: dict[str, tuple[Callable[[Any, Any, Any], Any], list[str]]] = {
    "add": (lambda torch, x, y: x + y, ["g", "g"]),
    "add alpha": (lambda torch, x, y: x.add(y, alpha=3), ["g", "g·3"]),
    "sub alpha": (lambda torch, x, y: x.sub(y, alpha=3), ["g", "-g·3"]),
    "mul": (lambda torch, x, y: x * y, ["g·other", "g·x"]),
    "mul number": (lambda torch, x, y: x * 2, ["g·other", None]),
    "div": (lambda torch, x, y: x / y, ["g/other", "-g·x/other²"]),
    "pow": (lambda torch, x, y: x**3, ["g·3·x²"]),
    "pow 2": (lambda torch, x, y: x**2, ["g·2·x"]),
    "pow -1": (lambda torch, x, y: x**-1, ["-g·x⁻²"]),
    "pow -1.5": (lambda torch, x, y: x**-1.5, ["-g·1.5·x^(-2.5)"]),
    "pow tensor": (lambda torch, x, y: x**y, ["g·exponent·x^(exponent-1)", "g·result·log(x)"]),
    "sin": (lambda torch, x, y: x.sin(), ["g·cos(x)"]),
    "relu": (lambda torch, x, y: x.relu(), ["g·[result>0]"]),
    "clamp": (lambda torch, x, y: x.clamp(0, 1), ["g·[0≤x≤1]"]),
    "clamp min": (lambda torch, x, y: x.clamp(min=1), ["g·[x≥1]"]),
    "softmax": (lambda torch, x, y: x.softmax(0), ["(g-(g·result).sum(0, True))·result"]),
    "sum": (lambda torch, x, y: x.sum(), ["g.expand(3)"]),
    "sum dim": (lambda torch, x, y: x.sum(0), ["g.unsqueeze(0).expand(3)"]),
    "mean": (lambda torch, x, y: x.mean(), ["g.expand(3)/3"]),
    "max": (lambda torch, x, y: x.max(), ["g shared equally among the elements that equal result"]),
    "max dim": (lambda torch, x, y: x.max(0)[0], ["g at indices"]),
    "slice": (lambda torch, x, y: x[1:], ["g at [1:]"]),
    "select": (lambda torch, x, y: x[1], ["g at [1]"]),
    "index": (lambda torch, x, y: x[[0, 2]], ["g added at [[0, 2]]"]),
    "cat": (lambda torch, x, y: torch.cat([x, y]), ["g[0:3]", "g[3:6]"]),
    "stack": (lambda torch, x, y: torch.stack([x, y]), ["g.select(0, 0)", "g.select(0, 1)"]),
    "split": (lambda torch, x, y: x.split([1, 2])[0], ["cat([g[0], g[1]], 0)"]),
    "matrix": (lambda torch, x, y: x.expand(2, 3) @ torch.ones(3, 2), ["g @ mat2ᵀ", None]),
    "view": (lambda torch, x, y: x.view(3, 1), ["g.reshape(3)"]),
    "clone": (lambda torch, x, y: x.clone(), ["g"]),
    "where": (lambda torch, x, y: torch.where(x > 0, x, y), ["g·[condition]", "g·[¬condition]"]),
    "index put": (
        lambda torch, x, y: torch.index_put(x, (torch.tensor([0, 2]),), y[:2]),
        ["g, 0 where values were written", "the elements of g where values were written"],
    ),
    "in place": (lambda torch, x, y: x.clone().mul_(2), ["g·other", None]),
    "prod": (lambda torch, x, y: x.prod(), ["g·result/x"]),
    "norm": (lambda torch, x, y: x.norm(), ["g·x/result"]),
    "std": (lambda torch, x, y: x.std(), ["g·(x-mean)/((n-1)·result)"]),
    "mse": (lambda torch, x, y: torch.nn.functional.mse_loss(x, y), ["(x-target)·(2/3)·g", "(target-x)·(2/3)·g"]),
    "gelu": (
        lambda torch, x, y: torch.nn.functional.gelu(x),
        ["g·(Φ(x)+x·φ(x)), Φ and φ of the normal distribution"],
    ),
    "weighed classes": (
        lambda torch, x, y: torch.nn.functional.nll_loss(x[None], torch.tensor([1]), torch.tensor([1.0, 2.0, 3.0])),
        ["-g·w/Σw at each target class, 0 elsewhere (w: its weight)"],
    ),
    "pool": (
        lambda torch, x, y: torch.nn.functional.max_pool2d(x.expand(1, 3, 3), 2),
        ["g at the largest element of each window, 0 elsewhere"],
    ),
    "rows": (
        lambda torch, x, y: torch.nn.functional.embedding(torch.tensor([1, 1]), x[:, None]),
        ["g added at the rows that were looked up"],
    ),
    "rows but one": (
        lambda torch, x, y: torch.nn.functional.embedding(torch.tensor([1, 2]), x[:, None], padding_idx=2),
        ["g added at the rows that were looked up, but for row 2 (`padding_idx`)"],
    ),
    "solve": (
        lambda torch, x, y: torch.linalg.solve(torch.diag(x), y),
        ["worked out from g, A, result", "worked out from g, A, result"],
    ),
}


def last(torch: Any, program: Callable[[Any, Any, Any], Any]) -> NodeFact:
    """The fact about the Node that a program makes last."""
    x = torch.tensor([0.7, 1.5, 2.0], requires_grad=True)
    other = torch.tensor([1.3, 0.5, 1.0], requires_grad=True)
    made = program(torch, x, other)
    root = made.sum() if made.dim() else made * 1
    recording = record([root], {"x": x})
    return next(node for node in recording.graph.nodes if node.cls == type(made.grad_fn).__name__)


@pytest.mark.parametrize("name", PROGRAMS)
def test_rules_of_a_node(torch: Any, name: str):
    program, words = PROGRAMS[name]
    fact = last(torch, program)
    holders = {s.name: s.holder for s in fact.saved if s.holder == "x"}
    assert [rule and written(rule, holders) for rule in fact.rules] == words


def test_places_are_told_in_chinese_too(torch: Any):
    lab.set_language("zh")
    for name, words in (
        ("select", "放在 [1] 处的 g"),
        ("max dim", "放在 indices 处的 g"),
        ("index", "在 [[0, 2]] 处累加的 g"),
    ):
        (rule,) = last(torch, PROGRAMS[name][0]).rules
        assert written(rule, {}) == words
        assert isinstance(written(rule, {}), Plain)


@pytest.mark.parametrize("training", [True, False])
def test_words_follow_what_a_node_saved(torch: Any, training: bool):
    """A formula chooses among its words by the arguments of the operation, and each language has them."""
    norm = torch.nn.BatchNorm1d(3).train(training)
    with_words = last(torch, lambda torch, x, y: norm(x.expand(2, 3)))
    without_mean = ", without its mean and its part along the normalized input" if training else ""
    others = ["g times the normalized input, summed", "g, summed in each channel"]
    said = [rule and written(rule, {"weight": "norm.weight"}) for rule in with_words.rules]
    assert said == [f"g·norm.weight/σ{without_mean}", *others]
    lab.set_language("zh")
    assert with_words.rules[2] is not None
    assert written(with_words.rules[2], {}) == "g 在各通道上的和"


def test_no_rule_for_what_the_table_has_not(torch: Any):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    assert last(torch, lambda torch, x, y: Twice.apply(x)).rules == (None,)


def test_what_is_freed_has_a_rule_too(torch: Any):
    x = torch.tensor([0.7, 1.5], requires_grad=True)
    y = x.sin().sum()
    y.backward()
    recording = record([y], {"x": x})
    fact = next(node for node in recording.graph.nodes if node.cls == "SinBackward0")
    assert fact.rules[0] is not None
    assert fact.rules[0].text() == "g·cos(self)"


def test_the_formula_can_be_read(torch: Any):
    fact = last(torch, PROGRAMS["sin"][0])
    assert fact.rules[0] is not None
    lines = Path(fact.rules[0].file).read_text(encoding="utf-8").splitlines()
    assert "F.cos(input)" in lines[fact.rules[0].line - 1]


def test_names_of_operations():
    names = {
        "MulBackward0": "mul",
        "LogSoftmaxBackward0": "log_softmax",
        "TBackward0": "t",
        "Log1PBackward0": "log1p",
        "MaxPool2DWithIndicesBackward0": "max_pool2d_with_indices",
        "CopySlices": "copy_slices",
        "MyFunctionBackward": "my_function",
    }
    assert {name: op_name(name) for name in names} == names


def test_the_formula_that_a_rule_came_from_can_be_read(torch: Any):
    """It is the function in the op table: file and text are those of the entry."""
    x = torch.ones(2, 3, requires_grad=True)
    card = lab.step(torch.tanh(x @ torch.ones(3, 2)).sum()).card
    read = {edge.formula: card.formulas[edge.source - 1] for f in card.frames for edge in f.worked if edge.source}
    assert len(read) == len(card.formulas) == 3
    called = {"expand": "expand(grad, ", "²": "tanh_backward(grad, result)", "@": "_grad_left(F, grad, mat2"}
    for sign, code in called.items():
        (found,) = (made for rule, made in read.items() if sign in rule)
        assert code in found.code
        ast.parse(found.code)
        tree = ast.parse((ROOT / found.file).read_text(encoding="utf-8"))
        made = [ast.unparse(n) for n in ast.walk(tree) if isinstance(n, (ast.Lambda, ast.FunctionDef))]
        assert ast.unparse(ast.parse(found.code)) in made


#: programs whose y = ... has a product in its rule, and what its factors are called
PRODUCTS = {
    "square of an expression": ("y = ((w - 0.5) ** 2).sum()", "g·2·(w - 0.5)", ["g", "2", "w - 0.5"]),
    "tanh": ("h = torch.tanh(w); y = h.sum()", "g·(1-h²)", ["g", "1-h²"]),
    "sigmoid": ("h = torch.sigmoid(w); y = h.sum()", "g·h·(1-h)", ["g", "h", "1-h"]),
    "relu": ("h = torch.relu(w); y = h.sum()", "g·[h>0]", ["g", "h>0"]),
    "sqrt": ("r = torch.sqrt(w * w); y = r.sum()", "g/(2·r)", ["g", "2·r"]),
    "negative": ("a = w * w; y = (a / w).sum()", "-g·a/w²", ["-g", "a", "w²"]),
    "cosine": ("y = w.sin().sum()", "g·cos(w)", ["g", "cos(w)"]),
    "mean": ("y = w.mean()", "g.expand(2, 3)/6", ["g.expand(2, 3)", "6"]),
    "matrix": ("y = (w @ torch.ones(3, 2)).sum()", "g @ mat2ᵀ", ["g", "mat2ᵀ"]),
    "weight": ("y = torch.nn.functional.linear(torch.ones(1, 3), w).sum()", "selfᵀ @ g", ["selfᵀ", "g"]),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_each_factor_of_a_rule_has_its_numbers(shell: Any, name: str):
    """They are calculated from the formula, and multiply to what the engine gave."""
    program, rule, names = PRODUCTS[name]
    shell.run("w = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], requires_grad=True)")
    shell.run(program)
    shell.run("from autogradlab import inspectors as lab")
    card = shell.run("lab.step(y)").card
    edges = {edge.formula: edge for frame in card.frames for edge in frame.worked}
    edge = edges[rule]
    assert [name for name, _ in edge.operands] == names
    assert edge.how == ("matmul" if "@" in rule else "each")
    made = [np.array([[float(cell) for cell in row] for row in grid.rows]) for _, grid in edge.operands]
    result = made[0]
    for sign, factor in zip(edge.signs, made[1:], strict=True):
        result = {"·": np.multiply, "÷": np.divide, "@": np.matmul}[sign](result, factor)
    assert np.allclose(result, [[float(cell) for cell in row] for row in edge.out.rows], atol=2e-3)


def test_a_weight_that_a_layer_turns_has_its_own_name(shell: Any):
    shell.run("net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))")
    shell.run("y = net(torch.ones(4, 2)).sum()")
    shell.run("from autogradlab import inspectors as lab")
    edges = [(edge.formula, edge.to) for frame in shell.run("lab.step(y)").card.frames for edge in frame.worked]
    assert ("g @ net[2].weight", "net[1](…)") in edges
    assert ("tanhᵀ @ g", "net[2].weight.T") in edges


def test_what_no_variable_holds_is_told_by_its_expression_or_operation(shell: Any):
    """In the sentences of the graph too, where a Node's saved `self` would say nothing."""
    shell.run("w = torch.tensor([1.0, 2.0], requires_grad=True)\nfrom autogradlab import inspectors as lab")
    shell.run("y = torch.sin(torch.exp(w * w).reciprocal().neg()).pow(2).sum()")
    told = " ".join(frame.sentence for frame in shell.run("lab.step(y)").card.frames)
    assert "NegBackward0 gets g·cos(neg) = " in told, "its expression is too long"
    assert "MulBackward0 gets g·torch.exp(w * w) = " in told
    assert "self" not in told.replace("It frees what it saved: self", "")
    shell.run("first, second = (w.select(0, k).reshape(1) for k in (0, 1))\nz = first * second\ndel first, second")
    two = next(frame for frame in shell.run("lab.step(z)").card.frames if frame.sentence.startswith("MulBackward0"))
    assert [edge.formula for edge in two.worked] == ["g·other", "g·self"], "both are what a reshape gave"
    assert [[cells for _, cells in edge.operands][1].rows for edge in two.worked] == [(("2.",),), (("1.",),)]
    assert [edge.formula for frame in shell.run("lab.step((w * w).pow(2).sum())").card.frames for edge in frame.worked][
        1
    ] == "g·2·(w * w)"


def test_the_mask_that_a_dropout_makes_is_called_so(shell: Any):
    """Be it a function or a Module; what a line multiplies the result of a dropout by is no mask."""
    shell.run("from autogradlab import inspectors as lab\nnn = torch.nn")
    shell.run("x = torch.ones(4, requires_grad=True)\ndrop = nn.Dropout(0.5)")
    shell.run("y = (drop(x) * torch.rand(4)).sum() + nn.functional.dropout(x, 0.2).sum()")
    sentences = [frame.sentence for frame in shell.run("lab.step(y)").card.frames]
    masks = [sentence for sentence in sentences if "MulBackward0 runs" in sentence]
    assert ["g·mask" in sentence for sentence in masks] == [True, False, True]


def test_a_variable_called_g_is_not_the_gradient_that_comes_in(shell: Any):
    shell.run("x = torch.tensor([2.0], requires_grad=True)")
    shell.run("g, = torch.autograd.grad(x ** 3, x, create_graph=True)\ny = g ** 2")
    shell.run("from autogradlab import inspectors as lab")
    view = shell.run("lab.step(y)")
    frame = view.card.frames[2]
    assert "takes the gradient grad = **[1.]** and hands on `grad·2·g`" in frame.said
    assert "g gets grad·2·g = [24.]" in frame.sentence
    assert [name for name, _ in frame.worked[0].operands] == ["grad", "2", "g"]
    assert frame.panel[0].rows[0] == ("grad", "[1.]")
    assert "takes the gradient grad = **[24.]**" in view.card.frames[3].said, "nor in a step that does not name it"
    assert [name for edge in view.card.frames[-2].worked for name, _ in edge.operands] == ["grad"]


def test_nor_is_a_number_called_g(shell: Any):
    shell.run("t = torch.tensor(2.0, requires_grad=True)\ng = 9.81")
    shell.run("y = g * t ** 2 / 2\nfrom autogradlab import inspectors as lab")
    said = [frame.said for frame in shell.run("lab.step(y)").card.frames]
    assert not any("g =" in one for one in said)
    assert "takes the gradient grad = **1.**" in said[2]


def test_the_last_frame_has_the_gradients_in_numbers(torch: Any):
    w = torch.ones(2, 3, requires_grad=True)
    v = torch.ones(3, requires_grad=True)
    last = lab.step(((w * 2) @ v).sum()).card.frames[-1]
    assert [(one.to.rpartition(".")[2], len(one.out.rows)) for one in last.worked] == [("grad", 1), ("grad", 2)]


def test_words_write_the_gradient_as_formulas_do(torch: Any):
    """Where a variable is called g, the gradient is not, in symbols and in words."""
    g = torch.tensor([3.0, 4.0], requires_grad=True)
    y = g.norm() + torch.nn.functional.cross_entropy(g[None], torch.tensor([0]))
    frames = [frame.sentence for frame in lab.step(y).card.frames]
    assert any("g gets grad·g/result = [0.6000, 0.8000]" in text for text in frames)
    assert any("gets -grad/n at each target class" in text for text in frames)


def test_a_rule_that_is_a_number_is_said_once(torch: Any):
    x = torch.tensor(2.5, requires_grad=True)
    assert "RoundBackward0 runs: x gets 0." in [f.sentence for f in lab.step(x.round()).card.frames]
