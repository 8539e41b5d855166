"""The table of local rules is true: what a rule says, calculated, is the gradient that the library gives."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from autogradlab.inspectors.snapshot.events import NodeRan
from autogradlab.inspectors.snapshot.graph import saved_live
from autogradlab.inspectors.snapshot.recording import record
from autogradlab.inspectors.snapshot.rules import filled, op_name, rule

UNARY = [
    "neg",
    "reciprocal",
    "square",
    "sqrt",
    "rsqrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "sigmoid",
    "relu",
    "abs",
    "erf",
    "clone",
]

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "add alpha": lambda x, y: x.add(y, alpha=3),
    "sub": lambda x, y: x - y,
    "sub alpha": lambda x, y: x.sub(y, alpha=3),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**3,
    "pow 2": lambda x, y: x**2,
    "pow -1.5": lambda x, y: x**-1.5,
    "pow tensor": lambda x, y: x**y,
    "atan2": lambda x, y: x.atan2(y),
    "max": lambda x, y: x.max() + 0 * y,
    "maximum": lambda x, y: x.maximum(y),
    "minimum": lambda x, y: x.minimum(y),
    "clamp": lambda x, y: x.clamp(0.1, 0.9) + y.clamp(0.1, 0.9),
    "clamp_min": lambda x, y: x.clamp(min=1.0) + y.clamp(min=1.0),
    "clamp_max": lambda x, y: x.clamp(max=1.0) + y.clamp(max=1.0),
    "dot": lambda x, y: x.reshape(1).dot(y.reshape(1)),
    "prod": lambda x, y: x.prod() * y.prod(),
}


def value(text: str) -> float:
    """Calculate a rule that has been filled with numbers."""
    code = text.replace("·", "*").replace("^", "**").replace("²", "**2").replace("³", "**3").replace("√π", "pi**0.5")
    code = re.sub(r"√\(", "sqrt(", code).replace("≤", "<=").replace("≥", ">=").replace("[", "(").replace("]", ")")
    code = re.sub(r"\(([^()]*(?:\([^()]*\)[^()]*)*)(?<![<>])=(?!=)([^()]*(?:\([^()]*\)[^()]*)*)\)", r"(\1==\2)", code)
    names = {name: getattr(math, name) for name in ("sin", "cos", "sinh", "cosh", "exp", "log", "pi", "sqrt")}
    return float(eval(code, {"__builtins__": {}}, {**names, "sign": lambda v: math.copysign(1.0, v)}))


def number(saved: Any) -> str:
    if hasattr(saved, "detach"):
        saved = saved.detach().item()
    return f"({float(saved)!r})" if isinstance(saved, (int, float)) else "None"


def checked(y: Any, x: Any, other: Any) -> int:
    """Calculate every rule of the graph; how many there were."""
    recording = record([y], {"x": x, "other": other, "y": y})
    live = {}
    pending = [y.grad_fn]
    for node in pending:
        live[f"n{len(live) + 1}"] = node
        pending += [t for t, _ in node.next_functions if t is not None and t not in pending]
    classes = {node.id: node.cls for node in recording.graph.nodes}
    count = 0
    for event in recording.events:
        if isinstance(event, NodeRan):
            saved = {name: number(v) for name, v, error in saved_live(live[event.node]) if error is None}
            exponent = saved.get("exponent", "").strip("()")
            saved |= {"exponent": exponent, "n": "1", "*": ""}
            (g,) = event.incoming
            for index, out in enumerate(event.outgoing):
                formula = rule(classes[event.node], index)
                if out is not None and formula is not None and "." not in formula:
                    text = filled(formula, saved, f"({g.numbers[0]!r})")
                    assert value(text) == pytest.approx(out.numbers[0], rel=1e-9), (classes[event.node], text)
                    count += 1
    return count


@pytest.mark.parametrize("op", UNARY)
def test_functions_of_one_number(torch: Any, op: str):
    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    y = getattr(torch, op)(x) * 2
    assert checked(y, x, x) >= 2


@pytest.mark.parametrize("op", BINARY)
def test_functions_of_two_numbers(torch: Any, op: str):
    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    other = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)
    y = BINARY[op](x, other) * 3
    assert checked(y, x, other) >= 2


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
    assert rule("NoSuchBackward0", 0) is None
    assert filled("g·{alpha}", {"alpha": "1"}) == "g"
    assert filled("g·{exponent}·{self}^{less}", {"exponent": "2", "self": "w"}) == "g·2·w"
    assert filled("-g·{other}", {"other": "gain"}, "[1.]") == "-[1.]·gain"
