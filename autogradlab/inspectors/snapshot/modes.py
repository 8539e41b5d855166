"""Whether autograd records at all: what was switched off stays off until somebody switches it on."""

from __future__ import annotations

import ast

from .cuts import Diagnosis
from .failing import statements
from .kinds import attribute, is_tensor, library
from .names import Space

__all__ = ["switched_off"]


def switched_off(space: Space) -> Diagnosis | None:
    """That nothing is recorded now, of the library whose tensors the code holds; and the last line that says so."""
    held = next((thing for thing in space.values() if is_tensor(thing)), None)
    asked = attribute(library(held), "is_grad_enabled")
    if asked is None or asked():
        return None
    for node, where, _ in statements(space):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="set_grad_enabled"), args=[given])) if (
                not isinstance(given, ast.Constant) or not given.value
            ):
                return Diagnosis("switched_off", {}, where)
    return Diagnosis("switched_off", {})
