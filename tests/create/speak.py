"""What a module in torch's place answers to a list of expressions.

A file holds a setup, a line of dashes, and one expression a line (`!` in front: a statement). Printed are each result
with its type, or the error, and the warnings that were given.
"""

from __future__ import annotations

import importlib
import re
import warnings
from pathlib import Path
from typing import Any

ADDRESS = re.compile(r"0x[0-9a-f]+")


def clean(text: str) -> str:
    return ADDRESS.sub("0x…", text.replace("autogradlab", "torch"))


def answer(expression: str, names: dict[str, Any]) -> str:
    """One expression's answer."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if expression.startswith("!"):
                exec(expression[1:], names)
                text = "done"
            else:
                value = eval(expression, names)
                kind = type(value).__name__
                text = f"{value!r} of {value.dtype if kind == 'Tensor' else kind}"
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    said = [f"{w.category.__name__}: {w.message} [{Path(w.filename).name}]" for w in caught]
    return "\n    ".join([text, *said])


def speak(module: str, path: str) -> str:
    """The whole text."""
    setup, _, expressions = Path(path).read_text(encoding="utf-8").partition("----\n")
    names: dict[str, Any] = {"torch": importlib.import_module(module)}
    exec(setup, names)
    answers = [f">>> {line}\n{answer(line, names)}" for line in expressions.splitlines() if line]
    return clean("\n".join(answers)) + "\n"
