"""The whole help of a name: its signatures, its text, its derivative and an example, put together."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import Any

from ...core.tensor.tensor import Tensor
from ..table.families import OPS
from .signing import overloads, shown, signature, source
from .texts import WIDTH, base, canonical, find

__all__ = ["describe", "imports", "signature", "source"]

_IN_PLACE = (
    "In place: the tensor itself gets the values of `{}`, keeps its shape and dtype, and is returned. "
    "Errors: RuntimeError for a leaf that requires grad."
)


def _filled(text: str) -> str:
    out = []
    for paragraph in text.split("\n"):
        label = re.match(r"(Shapes|Dtypes|Errors|Result|Note): ", paragraph)
        indent = " " * 8 if label else ""
        out.append(
            paragraph
            if not paragraph or paragraph.startswith(" ")
            else textwrap.fill(paragraph, WIDTH, subsequent_indent=indent)
        )
    return "\n".join(out)


def _gradient(path: str) -> str:
    """What the op table knows of the derivative."""
    name = path.removeprefix("Tensor.").replace(".", "_")
    entry = OPS.get(name) or OPS.get(name.removesuffix("_"))
    if entry is None or not entry.tensor_names:
        return ""
    if not entry.differentiates:
        return "Gradient: none."
    places = {i for formula in entry.formulas for i in formula.edges}
    if entry.list_place is None:
        kept = [entry.names[entry.edge_places[i]] for i in sorted(places)]
    else:
        kept = list(entry.tensor_names)
    return (
        f"Gradient: for {' and '.join([', '.join(kept[:-1]), kept[-1]] if len(kept) > 1 else kept)}, by "
        f"{entry.node_name}."
    )


_IMPORTS = (
    ("F.", "from autogradlab.nn import functional as F"),
    ("nn.", "from autogradlab import nn"),
    ("optim.", "from autogradlab import optim"),
    ("np.", "import numpy as np"),
)


def imports(example: str) -> list[str]:
    """The imports that an example needs."""
    code = "\n".join(line for line in example.split("\n") if line.startswith((">>>", "...")))
    needed = [line for word, line in _IMPORTS if re.search(rf"(?<![\w.]){re.escape(word)}", code)]
    return ["import autogradlab as torch", *needed]


@cache
def describe(path: str, plain: str = "") -> str:
    """The whole help of a name; `plain` stands where there is no entry."""
    path = canonical(path)
    space, _, name = path.rpartition(".")
    entry, of = find(path), base(path)
    owner = "Tensor." if space == "Tensor" else ""
    heads = [f"{owner}{name}{without_self(signature, space)}" for signature in shown(path)]
    if not space:
        heads += _method_heads(path)
    prose = entry.text if entry is not None else plain if of is None else ""
    if of is not None and not prose:
        prose = _IN_PLACE.format(of.names[0]) + "\n\n" + of.text
    parts = ["\n".join(heads), _filled(prose.strip()), _gradient(path)]
    example = entry.example if entry is not None else of.example if of is not None else ""
    if example:
        lines = [">>> " + line for line in imports(example)] + example.split("\n")
        parts.append("Example:\n" + "\n".join("    " + line if line else "" for line in lines))
    others = [other for other in (entry.names if entry is not None else ()) if other.rpartition(".")[2] != name]
    if others:
        parts.append("Other names: " + ", ".join(others) + ".")
    parts.append(f"Mirrors `torch.{path}`.")
    return "\n\n".join(part for part in parts if part)


def without_self(signature: Any, space: str) -> Any:
    """The signature of a method as it is called."""
    parameters = list(signature.parameters.values())
    if space != "Tensor" or not parameters or parameters[0].name not in ("self", "input"):
        return signature
    return signature.replace(parameters=parameters[1:])


def _method_heads(path: str) -> list[str]:
    if not hasattr(Tensor, path) or not overloads("Tensor." + path):
        return []
    return [f"Tensor.{path}{without_self(signature, 'Tensor')}" for signature in shown("Tensor." + path)]
