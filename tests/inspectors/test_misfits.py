"""`explain` on what learners meet daily: shapes, dtypes, indices, targets of losses and Modules that do not fit. Each
sentence is about the tensors in the line that failed, on both libraries, in both languages."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from autogradlab.inspectors import explain, set_language
from autogradlab.inspectors.snapshot.misfits import MISFITS
from autogradlab.inspectors.words import LANGUAGES, catalogue

START = """import copy
import numpy as np
x = torch.arange(6.).reshape(2, 3)
w = torch.ones(3, requires_grad=True)
n = torch.arange(3)
pred = torch.zeros(2, 3, requires_grad=True)
target = torch.tensor([0, 1])
s = torch.tensor(2.)
nothing = None
three = torch.tensor([0, 1, 3])
net = nn.Linear(3, 2)
image = torch.ones(1, 1, 28, 28)"""
BROKEN = """class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(2, 2)
Net()"""
LISTED = """class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2)]
torch.optim.SGD(Listed().parameters(), lr=0.1)"""
MISSPELLED = "class Spelled(nn.Module):\n    def froward(self, x): return x\nSpelled()(x)"
INSIDE = """class Asks(nn.Module):
    def forward(self, a):
        if a > 0:
            return a
Asks()(w)"""

#: the line that fails; what is said; what to write or do
CASES = (
    ("x.T.view(6)", "the elements of `x.T` do not lie in the order that this shape needs", "`x.T.reshape(6)`"),
    ("x.view(4, 2)", "`x` has 6 elements, and the shape (4, 2) holds 8.", "multiply to 6"),
    ("x.reshape(4, -1)", "stand for -1 in (4, -1) gives that number: the other sizes multiply to 4", "a divisor of 6"),
    ("w.item()", "`w` has 3 elements, and only a tensor with exactly one", "`.tolist()`"),
    ("torch.ones(0).item()", "`torch.ones(0)` has no elements, so there is no number", "tells its shape"),
    ("float(w)", "`float(...)` makes one Python number, and `w` does not have exactly one element.", "`.mean()`"),
    ("torch.tensor([w * 1, w * 2])", "`[w * 1, w * 2]` holds tensors with more than one", "`torch.stack(...)` joins"),
    ("if x > 2: pass", "`x > 2` has several elements, so it is neither true nor false", "`.any()` or `.all()`"),
    ("while s and w: pass", "`w` has several elements", "`torch.where(...)` instead of `if`"),
    (INSIDE, "`a > 0` has several elements", "`.any()` or `.all()`"),
    ("bool(torch.ones(0))", "`torch.ones(0)` has no elements, so it is neither true nor false.", "`.numel() == 0`"),
    ("nn.CrossEntropyLoss(pred, target)", "is a class: it is made first", "`nn.CrossEntropyLoss()(pred, target)`"),
    ("F.cross_entropy(pred, target.float())", "`target.float()` holds float32 numbers, and this loss", ".long()"),
    ("F.cross_entropy(pred[0], three[2])", "`three[2]` asks for class 3, and there are not so many", "from 0"),
    (
        "F.cross_entropy(pred, three[1:])",
        "`three[1:]` asks for class 3, and `pred` has 3 classes",
        "Count classes from 0",
    ),
    ("F.cross_entropy(pred, three)", "`pred` has 2 rows and `three` 3: the loss takes one target", "both shapes"),
    ("column = target[:, None]\nF.cross_entropy(pred, column)", "has the shape (2, 1)", "`column.squeeze(1)`"),
    ("two = n[:2].expand(2, 2)\nF.cross_entropy(pred, two)", "has the shape (2, 2)", "`two.argmax(dim=1)`"),
    ("F.cross_entropy(pred, target[:, None])", "`target[:, None]` has too many dimensions", "`.squeeze(1)`"),
    ("F.cross_entropy(pred, pred.long())", "has the shape of `pred`, so it is taken for prob", "`pred.long().float()`"),
    (
        "F.cross_entropy(pred[..., None], target)",
        "has the shape (2,), and for this input it would have to be (2, 1)",
        "",
    ),
    ("F.binary_cross_entropy(x.sigmoid(), s)", "`s` has the shape () and `x.sigmoid()` (2, 3)", "view_as"),
    ("nn.BCEWithLogitsLoss()(x, w)", "`w` has the shape (3,) and `x` (2, 3): this loss compares", "`w.view_as(x)`"),
    ("F.binary_cross_entropy(x, x)", "`x` has numbers below 0 or above 1 (or nan)", "`torch.sigmoid(...)` first"),
    ("x @ x.double().T", "the left one is float32 and the right one float64", "Convert one of them"),
    (
        "net(x.double())",
        "`x.double()` is float64, and the parameters of `net` are float32",
        "`x.double().to(torch.float32)`",
    ),
    (
        "torch.manual_seed(0)\nhalf = torch.nn.Linear(4, 2).half()\nhalf(x)",
        "`x` is float32, and the parameters of `half` are float16",
        "`x.to(torch.float16)`",
    ),
    ("nn.Conv2d(1, 8, 3)(image.double())", "`image.double()` is float64", "Convert the input"),
    ("F.binary_cross_entropy(w * 1, w.long())", "one is int64, and float32 was expected", "`.to(torch.float32)`"),
    ("net(np.ones((2, 3)))", "`np.ones((2, 3))` is of the type numpy.ndarray", "from_numpy(np.ones((2, 3))).float()`"),
    ("torch.exp(2.)", "`exp` takes a tensor for `input`, and `2.0` is of the type float.", "`torch.tensor(2.0)`"),
    ("torch.relu(nothing)", "`nothing` is of the type NoneType", "Look at where `nothing` is made"),
    ("torch.cat([w, x])", "one has 1 and another 2", "`.unsqueeze(0)`"),
    ("torch.cat([x, x.T])", "size 3 was expected, and number 1 (counted from 0) has 2", "dim=..."),
    ("torch.stack([w, w[:2]])", "the first has (3,), and number 1 (counted from 0) has (2,)", "`torch.cat(...)`"),
    ("w.sum(1)", "`w` has no dimension 1: it has 1, counted from 0", "`dim=-1` is the last one"),
    ("torch.softmax(s, dim=1)", "`s` is a single number, without dimensions", "has lost its dimensions"),
    ("x[0, 5]", "`x` has size 3 in dimension 1, so indices there go from 0 to 2", "The last one is [-1]"),
    ("x[2:][0]", "`x[2:]` has size 0 in dimension 0: there is nothing to choose from", ""),
    ("w[1, 2]", "more indices here than `w` has dimensions: it has 1", "One index (or slice) for each"),
    ("w[torch.tensor([0.])]", "here it holds others", "`.long()`"),
    ("w[w[:2] > 0]", "it has the shape (2,), and `w` (3,)", "`w[w > 0]`"),
    ("len(s)", "`s` is a single number, without dimensions", "`.reshape(1)`"),
    ("conv = nn.Conv2d(3, 8, 3)\nconv(image)", "`conv` takes inputs of 3 channels, and `image` has 1", "`in_channels`"),
    (
        "conv = nn.Conv2d(1, 8, 3)\nconv(x)",
        "`x` has the shape (2, 3), and `conv` takes 3 dimensions",
        "`.unsqueeze(0)`",
    ),
    ("conv(image[..., :2, :2])", "`image[..., :2, :2]` is smaller than the kernel", "padding=..."),
    ("norm = nn.BatchNorm1d(3)\nnorm(x[:1])", "in the shape (1, 3) there is one value for each channel", "`.eval()`"),
    ("rnn = nn.RNN(3, 4)\nrnn(torch.ones(5, 2, 2))", "`rnn` takes inputs of 3 features (`input_size`)", "batch_first"),
    ("n *= 0.5", "The result would be float32, and it is to be written into a tensor of int64", "`x = x * 0.5`"),
    ("s += x", "would have the shape (2, 3), and it is to be written into a tensor of shape ()", "`x = x + y`"),
    ("x @ torch.ones(4)", "here there are 3 columns and 4 numbers", "a vector of 3 numbers"),
    ("torch.dot(x, w)", "here they have 2 and 1", "Use `@`"),
    ("torch.bmm(x[None], x[None])", "has 3 columns and each on the right 2 rows", "`.transpose(-2, -1)`"),
    ("torch.bmm(x[None], x.T[None].expand(2, 3, 2))", "there are 1 on the left and 2 on the right", "the same first"),
    ("w.expand(2)", "A tensor of size 3 in dimension 0 cannot be spread over size 2", "`.repeat(...)`"),
    ("d = torch.ones(3)\nd[:2] = w", "has size 2 in dimension 0, and what is to be written has size 3", "on the left"),
    ("torch.tensor([[1, 2], [3]])", "different lengths: 2 and 1 (in dimension 1)", "all lists one length"),
    (LISTED, "The optimizer was given no parameters", "`nn.ModuleList`"),
    ("torch.optim.SGD(w, lr=0.1)", "`w` is a tensor itself", "`[w]`"),
    ("n.mean()", "`n` holds int64 numbers, and `mean` gives numbers with a fraction", "`.float()`"),
    ("torch.softmax(n, 0)", "`torch.softmax` does not take int64 numbers, which `n` holds", "`.float()`"),
    ("y = w * 2\ncopy.deepcopy(y)", "`y` is a non-leaf, and a copy of it would need", "`y.detach().clone()`"),
    ("copy.deepcopy([w * 2])", "Something in it is a tensor that is a non-leaf", "`.detach()` of them"),
    ("y.requires_grad = False", "`y` is a non-leaf: it requires grad since", "`y.detach()`"),
    (
        "emb = nn.Embedding(3, 2)\nemb(w)",
        "`emb` looks rows up by their numbers, which have to be integers",
        "`w.long()`",
    ),
    ("w.half() @ w", "here the left one is float16 and the right one float32", "Convert one of them"),
    ("emb = nn.Embedding(3, 2)\nemb(three)", "`emb` has 3 rows, with the numbers 0 to 2, and `three` asks", "larger"),
    ("net.weight = torch.ones(2, 3)", "`net.weight` is a parameter", "`net.weight = nn.Parameter(torch.ones(2, 3))`"),
    ("x.double() @ w", "here the left one is float64 and the right one float32", "Convert one of them"),
    ("torch.addmv(s.double(), x, w)", "one is float64, and float32 was expected", "`.to(torch.float32)`"),
    ("torch.addmm(s.double(), x, x.T)", "one is float64, and float32 was expected", "`.to(torch.float32)`"),
    ("torch.bmm(x[None], x.T[None].double())", "one is float64, and float32 was expected", "Convert it"),
    ("net.load_state_dict({})", "`net` looks for the keys `weight`, `bias`, which are not there.", "`state_dict()`"),
    (
        "net.load_state_dict(nn.Sequential(net).state_dict())",
        "All keys begin with `0.`, and those of `net` do not: it looks for `weight`, `bias`",
        '`key.removeprefix("0.")`',
    ),
    (
        "net.load_state_dict({'weight': x, 'model': x})",
        "looks for the keys `bias`, which are not there, and has no place for `model`",
        "`strict=False`",
    ),
    ("net.load_state_dict(net.state_dict() | {'epoch': s})", "`net` has no place for: `epoch`.", "leaves these keys"),
    (
        "net.load_state_dict(nn.Linear(3, 4).state_dict())",
        "`weight` of `net` has the shape (2, 3), and what is loaded has (4, 3) there.",
        "when it was saved",
    ),
    (BROKEN, "A Module keeps its parts in places that `nn.Module.__init__` makes", "`super().__init__()`"),
    (MISSPELLED, "`Spelled` has no method `forward`", "how `forward` is spelled"),
    ("x.shape()", "`x.shape` is an attribute, not a method", "`x.shape`"),
    ("w + [1, 2, 3]", "`+` takes a tensor or a number beside a tensor, and `[1, 2, 3]` is a list", "torch.tensor("),
    ("w * nothing", "`*` takes a tensor or a number beside a tensor, and `nothing` is None", "without `return`"),
    ("w + 'a'", "and `'a'` is a text", '`print("loss", loss.item())`'),
    ("'loss ' + s", "`+` joins a text only with another text", '`print("loss", loss.item())`'),
)


@pytest.fixture
def failing(torch: Any, shell: Any) -> Iterator[Any]:
    shell.showtraceback = lambda *args, **named: None
    shell.run(f"from {torch.__name__} import nn\nfrom {torch.__name__}.nn import functional as F")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a target that broadcasts, before it fails
        yield lambda cell: shell.run_cell(cell, store_history=True).error_in_exec


def test_what_does_not_fit_is_said_of_the_learner_s_tensors(failing: Any) -> None:
    said = {lang: set[str]() for lang in LANGUAGES}
    for code, sentence, cure in CASES:
        assert failing(START) is None
        error = failing(code)
        assert error is not None, code
        lines = explain(error).text.splitlines()
        told, words = " ".join(lines[1:]), re.split("failed at|the line", " ".join(lines[1:]))[0]
        assert sentence in told and cure in words, (code, words)
        set_language("zh")
        chinese = explain(error).text.splitlines()
        assert any("\u4e00" <= c <= "\u9fff" for c in chinese[1]), code
        set_language("en")
        said["en"].add(lines[1]), said["zh"].add(chinese[1])
    # every sentence of the catalogue was said: its words, whatever its fields held
    for lang, sentences in said.items():
        for key, entry in catalogue("misfits").items():
            if not key.endswith("_cure"):
                pattern = ".*".join(re.escape(piece) for piece in re.split(r"\{\w+\}", entry[lang]))
                assert any(re.fullmatch(pattern, s) for s in sentences), (lang, key)


def test_each_kind_has_its_words() -> None:
    words = catalogue("misfits")
    assert {kind for kind, _, _ in MISFITS} <= set(words)


def test_what_only_looks_alike_is_left_alone(failing: Any) -> None:
    """Errors of Python and NumPy that nothing is known of."""
    failing(START)
    for code in ("[1, 2][3]", "np.ones(3)[5]", "'a' + 1", "[1] + None", "w + None", "len(3)"):
        assert "I cannot tell" in explain(failing(code)).text, code


def test_cards_are_made_beside_a_module_that_is_not_ready(failing: Any, shell: Any) -> None:
    """`self` of an `__init__` that failed before it called `super().__init__()` can be asked for nothing."""
    assert failing(START) is None
    failing("half = nn.Module.__new__(nn.Module)\nfrom autogradlab import inspectors as lab")
    assert "`.grad` is None" in shell.run("lab.why(w).text")
