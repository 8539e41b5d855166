"""The words of a Node's rule are its formula: calculated with numbers, they give the gradient that the engine gives.

Every Node that the samples make is asked twice: the term is calculated on arrays, and where its text is made of signs
and functions of the library alone, the text is read again and calculated on tensors.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autogradlab
from autogradlab.core.graph.backend import RAW
from autogradlab.core.runtime import modes
from autogradlab.inspectors.snapshot.graph import class_name, saved_live
from autogradlab.inspectors.snapshot.rules import rules_of, written
from autogradlab.ops.table import symbols, terms
from autogradlab.ops.table.terms import Name, Number
from tests import ops
from tests.conftest import ROOT, need
from tests.ops.harness import REGISTRY, Failure, arguments, attempt, tensors

for _module in pkgutil.iter_modules(ops.__path__):
    if _module.name.startswith("samples_"):
        importlib.import_module(f"tests.ops.{_module.name}")

#: how often a Node that appears in many samples is asked
OFTEN = 25


# -- reading words -----------------------------------------------------------------------------------------------------

_RAISED = dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True))
_SIGNS = {"·": "*", "^": "**", "π": "pi"}


def split(text: str, sign: str) -> list[str]:
    """A text taken apart at a sign, outside brackets."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        depth += (text[i] in "([") - (text[i] in ")]")
        if not depth and text.startswith(sign, i):
            parts.append(text[start:i])
            start = i = i + len(sign)
        else:
            i += 1
    return [*parts, text[start:]]


def condition(text: str) -> str:
    """A condition as Python."""
    for sign, function in ((" ∨ ", "either"), (" ∧ ", "both")):
        parts = split(text, sign)
        if len(parts) > 1:
            return f"{function}({', '.join(map(condition, parts))})"
    found = re.split("([=≠≤≥<>])", text) if not re.search(r"[(\[].*[=≠≤≥<>]", text) else [text]
    for sign in "=≠≤≥<>":
        if len(found) == 1 and len(split(text, sign)) == 2:
            a, b = split(text, sign)
            found = [a, sign, b]
    names = {"=": "eq", "≠": "ne", "≤": "le", "≥": "ge", "<": "lt", ">": "gt"}
    if len(found) > 1:
        pairs = [
            f"{names[found[i]]}({python(found[i - 1])}, {python(found[i + 1])})" for i in range(1, len(found) - 1, 2)
        ]
        return f"both({', '.join(pairs)})" if len(pairs) > 1 else pairs[0]
    if text.startswith("¬"):
        return f"opposite({condition(text[1:])})"
    if text.startswith("(") and text.endswith(")"):
        return condition(text[1:-1])
    return python(text)


def bracket(inner: str, before: str) -> str:
    """What stands in square brackets: an index, a choice, or a condition as 1 or 0."""
    if before and (before[-1].isalnum() or before[-1] in "_)]"):
        return f"[{inner}]"
    parts = split(inner, " ? ")
    if len(parts) == 2:
        x, y = split(parts[1], " : ")
        return f"chosen({condition(parts[0])}, {python(x)}, {python(y)})"
    if re.search("[=≠≤≥<>∧∨¬]", inner) or inner.isidentifier():
        return f"({condition(inner)})"
    return f"[{', '.join(map(python, split(inner, ', ')))}]"


def python(text: str) -> str:
    """Words as Python on tensors."""
    made, i = "", 0
    while i < len(text):
        letter = text[i]
        if letter in "([":
            depth, end = 1, i + 1
            while depth:
                depth += (text[end] in "([") - (text[end] in ")]")
                end += 1
            inner = text[i + 1 : end - 1]
            made += f"({', '.join(map(python, split(inner, ', ')))})" if letter == "(" else bracket(inner, made)
            i = end
        elif letter == "|":
            end = text.index("|", i + 1)
            made += f"abs({python(text[i + 1 : end])})"
            i = end + 1
        elif letter == "√":
            known = re.match(r"√(\w+)", text[i:])
            made += f"sqrt({known[1]})" if known else "sqrt"
            i += known.end() if known else 1
        elif letter in _RAISED:
            end = i
            while end < len(text) and text[end] in _RAISED:
                end += 1
            made += f"**({''.join(_RAISED[c] for c in text[i:end])})"
            i = end
        elif letter == "ᵀ":
            made, i = made + ".mT", i + 1
        else:
            made, i = made + _SIGNS.get(letter, letter), i + 1
    return made.replace("sqrt(π)", "sqrt(pi)")


class Functions(dict[str, Any]):
    """The names that words use: values first, then functions of the library."""

    def __missing__(self, name: str) -> Any:
        if not hasattr(autogradlab, name):
            raise KeyError(name)
        return getattr(autogradlab, name)


def tensor(x: Any) -> Any:
    return x if isinstance(x, autogradlab.Tensor) else autogradlab.tensor(x)


def root(x: Any) -> Any:
    return autogradlab.sqrt(x) if isinstance(x, autogradlab.Tensor) else x**0.5


def joined(function: Any) -> Any:
    def run(first: Any, *others: Any) -> Any:
        for other in others:
            first = function(tensor(first), tensor(other))
        return first

    return run


def read(text: str, values: dict[str, Any]) -> Any:
    """Calculate words on tensors."""
    names = Functions(values)
    names |= {"sqrt": root, "pi": np.pi, "abs": abs, "nan": np.nan, "opposite": autogradlab.logical_not}
    names |= {"both": joined(autogradlab.logical_and), "either": joined(autogradlab.logical_or)}
    names |= {"chosen": lambda c, x, y: autogradlab.where(c, x, y)}
    return eval(python(text), {"__builtins__": {}}, names)


# -- Nodes of samples --------------------------------------------------------------------------------------------------


def nodes_of(key: str, library: Any = autogradlab) -> Iterator[Any]:
    """The Nodes that the samples of an operation make."""
    entry = REGISTRY[key]
    for case in entry.cases:
        args, kwargs = arguments(library, entry, case, [])
        function = attempt(entry.function, library)
        result = function if isinstance(function, Failure) else attempt(function, *args, **kwargs)
        if isinstance(result, Failure):
            continue
        nodes = list(dict.fromkeys(t.grad_fn for t in tensors(result) if t.grad_fn is not None))
        for node in nodes:  # grows while it is walked
            nodes += [f for f, _ in node.next_functions if f is not None and f not in nodes and not accumulates(f)]
        yield from (node for node in nodes if not accumulates(node))


def accumulates(node: Any) -> bool:
    """Whether it is an AccumulateGrad."""
    return hasattr(node, "variable")


def unseen(node: Any) -> dict[str, Any]:
    """What a Node keeps and PyTorch shows nowhere, eps of a norm say, by the names of the formula."""
    fields = zip(getattr(node, "fields", ()), getattr(node, "saved_names", ()), strict=True)
    return {name: plain(node.field(name)) for name, shown in fields if not shown}


def plain(value: Any) -> Any:
    if isinstance(value, autogradlab.Tensor):
        return value.detach()._array
    if isinstance(value, (tuple, list)) and any(isinstance(v, autogradlab.Tensor) for v in value):
        return [plain(v) for v in value]
    return value


def live(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return autogradlab.from_numpy(np.array(value))
    return [live(v) for v in value] if isinstance(value, list) else value


def drawn(rng: np.random.Generator, shape: Any, dtype: Any) -> np.ndarray:
    x = np.asarray(rng.standard_normal(shape))
    return (x + 1j * np.asarray(rng.standard_normal(shape)) if dtype.kind == "c" else x).astype(dtype)


class Census:
    """What came of every Node name: how often its words were calculated, read again, only named, or wrong."""

    def __init__(self) -> None:
        self.calculated: dict[str, int] = defaultdict(int)
        self.read: dict[str, int] = defaultdict(int)
        self.named: dict[str, str] = {}
        self.wrong: list[str] = []
        self.asked: dict[str, int] = defaultdict(int)

    def ask(self, node: Any) -> None:
        name = node.name()
        shapes, dtypes = (node.shape, node.dtype) if node.multi else ((node.shape,), (node.dtype,))
        if self.asked[name] >= OFTEN or any(d not in (np.float64, np.complex128) for d in dtypes):
            return
        self.asked[name] += 1
        saved = {key: plain(value) for key, value, error in saved_live(node) if error is None}
        rng = np.random.default_rng(7)
        grads = [drawn(rng, s, d) for s, d in zip(shapes, dtypes, strict=True)]
        like: list[Any] = []
        for target, i in node.next_functions:
            kind = None if target is None else (target.dtype, target.shape)
            if kind is not None and target.multi:
                kind = (kind[0][i], kind[1][i])
            like.append(None if kind is None else np.zeros(kind[1], kind[0]))
        wanted = [x is not None for x in like]
        found = symbols.rules(name, len(wanted), saved, grads, wanted, like)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                outs = modes.quiet(node.run, list(grads) if node.multi else grads[0], RAW)
            except RuntimeError as error:
                refused = [rule is None for rule, asked in zip(found, wanted, strict=True) if asked]
                if not any(refused) and "ill-defined" not in str(error):  # random gradients suit no phase
                    self.wrong.append(f"{name}: {error}, but there are words")
                return
            values = {**unseen(node), "g": grads if node.multi else grads[0], **saved}
            for rule, out in zip(found, outs, strict=True):
                if rule is not None and out is not None:
                    self.compare(name, rule, out, values)

    def compare(self, name: str, rule: Any, out: Any, values: dict[str, Any]) -> None:
        if not rule.complete:
            self.named[name] = rule.text()
            return
        names = {**values}
        for key, value in values.items():
            if isinstance(value, list):
                names |= {f"{key}[{i}]": one for i, one in enumerate(value)}
        try:
            self.check(name, rule.text(), terms.calculate(rule.term, names, symbols.value_of), out)
        except KeyError as error:  # a value that PyTorch keeps where one cannot see it
            self.named[name] = rule.text()
            if str(error).strip("'") not in ("base", "view"):
                self.wrong.append(f"{name}: {rule.text()} speaks of {error}")
            return
        self.calculated[name] += 1
        finite = all(
            np.isfinite(v).all() for v in (out, *values.values()) if isinstance(v, np.ndarray) and v.dtype.kind in "fc"
        )
        if finite and not re.search(r"_backward\(| at |_conv_|\bconstant\(", rule.text()):
            self.reread(name, rule, out, values)

    def reread(self, name: str, rule: Any, out: Any, values: dict[str, Any]) -> None:
        """The text, calculated on tensors."""
        try:
            again = read(rule.text(), {key: live(value) for key, value in values.items()})
        except (KeyError, NameError, AttributeError, TypeError, SyntaxError, RuntimeError, IndexError, ValueError):
            return  # a function that only formulas know, or arguments that only kernels take
        again = again.detach()._array if isinstance(again, autogradlab.Tensor) else np.asarray(again)
        if re.search(r"·\[[^?]*\]", rule.text()):  # nothing of what is not wanted counts, NaN neither
            again = np.where(np.isnan(again), 0, again)
        self.check(name, f"read again: {rule.text()}", again, out)
        self.read[name] += 1

    def check(self, name: str, words: str, said: Any, out: Any) -> None:
        said = np.asarray(said)
        if said.ndim < np.ndim(out):
            said = np.broadcast_to(said, np.shape(out))
        if (
            said.shape != np.shape(out)
            and said.size != np.size(out)
            or not np.allclose(said.reshape(np.shape(out)), out, rtol=1e-5, atol=1e-7, equal_nan=True)
        ):
            self.wrong.append(f"{name}: {words} is {said.ravel()[:4]} instead of {np.ravel(out)[:4]}")


@pytest.fixture(scope="module")
def census() -> Census:
    found = Census()
    for key in sorted(REGISTRY):
        for node in nodes_of(key):
            found.ask(node)
    return found


def test_the_words_are_the_gradient(census: Census):
    assert not census.wrong, "\n".join(census.wrong[:20])


def test_at_least_300_operations_have_words(census: Census):
    assert len(set(census.calculated) - set(census.named)) >= 300


def test_words_are_read_again(census: Census):
    assert len(census.read) >= 200, len(census.read)


def test_few_operations_are_only_named(census: Census):
    """Formulas that symbols do not pass say of what they are made, and there are few of them."""
    assert len(census.named) <= 8, census.named
    assert all("(g" in words for words in census.named.values()), census.named


@pytest.mark.parametrize(
    ("node", "saved", "words"),
    [
        ("SinBackward0", {}, ["g·cos(self)"]),
        ("MulBackward0", {}, ["g·other", "g·self"]),
        ("PowBackward0", {"exponent": 2}, ["g·2·self"]),
        ("PowBackward0", {"exponent": -1}, ["-g·self⁻²"]),
        ("PowBackward0", {"exponent": 0.5}, ["g·0.5·self^(-0.5)"]),
        ("AddBackward0", {"alpha": 3}, ["g", "g·3"]),
        ("SubBackward0", {"alpha": 1}, ["g", "-g"]),
        ("DivBackward0", {}, ["g/other", "-g·self/other²"]),
        ("ReluBackward0", {}, ["g·[result>0]"]),
        ("ClampBackward1", {"min": -1, "max": 1}, ["g·[-1≤self≤1]"]),
        ("WhereBackward0", {}, ["g·[condition]", "g·[¬condition]"]),
        ("AsinBackward0", {}, ["g/√(1-self²)"]),
        ("SumBackward0", {"self_sym_sizes": (2, 3)}, ["g.expand(2, 3)"]),
        ("LogSoftmaxBackward0", {"dim": 1, "result": np.zeros((2, 3))}, ["g-exp(result)·g.sum(1, True)"]),
        ("NoSuchBackward0", {}, [None]),
        ("IgammaBackward0", {}, [None]),
    ],
)
def test_words_of_a_node(node: str, saved: dict[str, Any], words: list[str | None]):
    found = symbols.rules(node, len(words), saved, (np.ones((2, 3)),))
    assert [r and r.text() for r in found] == words


def test_names_and_room():
    (rule,) = symbols.rules("SinBackward0", 1)
    assert rule is not None
    assert rule.text({"self": "x"}, spaced=True) == "g · cos(x)"
    minus = symbols.rules("MulBackward0", 2)[0]
    assert minus is not None
    assert minus.text({"g": "-2.", "other": "-3."}) == "-2.·(-3.)"
    assert minus.text({"other": "a + b"}) == "g·(a + b)"
    divided = symbols.rules("DivBackward0", 2)[1]
    assert divided is not None
    assert terms.mathml(divided.term).count("<mfrac>") == 1


def test_a_rule_says_where_its_formula_stands():
    (rule,) = symbols.rules("SinBackward0", 1)
    assert rule is not None
    line = Path(rule.file).read_text(encoding="utf-8").splitlines()[rule.line - 1]
    assert "F.cos(input)" in line


def test_a_formula_takes_the_way_that_it_takes_for_this_node():
    whole = {"self": np.array([2.0, 3.0]), "result": np.array(6.0)}
    assert symbols.rules("ProdBackward0", 1, whole, (np.ones(()),))[0].text().endswith("/self")  # type: ignore[union-attr]
    with_zero = {"self": np.array([2.0, 0.0]), "result": np.array(0.0)}
    assert "/" not in symbols.rules("ProdBackward0", 1, with_zero, (np.ones(()),))[0].text()  # type: ignore[union-attr]
    nan = {"result": np.array([1.0, np.nan])}
    assert symbols.rules("ReluBackward0", 1, nan, (np.ones(2),))[0].text() == "g·[¬(result≤0)]"  # type: ignore[union-attr]


def test_terms_are_simplified():
    x, y = Name("x"), Name("y")
    product, negative = terms.product, terms.negative
    assert terms.text(product(negative(x), negative(y))) == "x·y"
    assert terms.text(product(x, product(x, x))) == "x³"
    assert terms.text(terms.quotient(x, terms.quotient(Number(1), y))) == "x·y"
    assert terms.text(terms.difference(x, negative(y))) == "x+y"
    assert terms.text(terms.quotient(x, terms.total(x, y))) == "x/(x+y)"
    assert terms.text(terms.power(terms.total(x, y), Number(2))) == "(x+y)²"
    assert terms.text(terms.power(negative(x), Number(2))) == "(-x)²"
    assert terms.text(product(x, Number(1 / 3))) == "x/3"


#: Nodes of PyTorch of which some edge has no words: those without a derivative, and the engine's own
WITHOUT = {"NotImplemented", "CopySlices", "CopyBackwards", "LinalgQrBackward0", "GeqrfBackward0"}
WITHOUT |= {f"{name}Backward0" for name in ("Igamma", "Igammac", "Unique2", "UniqueConsecutive", "UniqueDim")}
WITHOUT |= {"SpecialZetaBackward0", "SpecialZetaBackward2"}


@pytest.mark.slow
def test_pytorch_s_nodes_have_words():
    torch = need("torch")
    silent: set[str] = set()
    for key in sorted(REGISTRY):
        for node in nodes_of(key, torch):
            saved = list(saved_live(node))
            said = rules_of(class_name(node), node, node.next_functions, saved)
            wanted = [target is not None for target, _ in node.next_functions]
            assert not any(rule and re.search(r"_backward\(", written(rule, {})) for rule in said)
            if any(asked and rule is None for asked, rule in zip(wanted, said, strict=True)):
                silent.add(class_name(node))
    assert silent <= WITHOUT


def test_every_family_is_loaded_by_who_asks_for_all():
    program = (
        "import sys\n"
        "from autogradlab.ops import LAZY\n"
        "from autogradlab.ops.table import symbols\n"
        "words = symbols.rules('AvgPool2DBackward0', 1)\n"
        "print(words[0] is not None, [f for f in LAZY if f'autogradlab.ops.{f}' not in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "True []"
