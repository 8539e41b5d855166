"""What stands in the functions and Modules of the learner that an expression calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

from .callers import LIBRARIES
from .kinds import attribute, is_a, is_module
from .lines import functions_of

__all__ = ["Called", "called", "hooks_of"]

Body = ast.FunctionDef | ast.AsyncFunctionDef


class Called:
    """A function of the learner: its `def`, the file of it, and what it finds outside of itself by name."""

    def __init__(self, function: FunctionType, body: Body, owner: Any = None) -> None:
        self.body, self.file = body, function.__code__.co_filename
        self.name = function.__name__
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        around = {name: attribute(cell, "cell_contents") for name, cell in cells}
        written = {n.id for n in ast.walk(body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        written |= {a.arg for a in ast.walk(body.args) if isinstance(a, ast.arg)}
        named = {n.id for n in ast.walk(body) if isinstance(n, ast.Name)} - written
        self.outside = {name: around.get(name, function.__globals__.get(name)) for name in named}
        if owner is not None and (given := [*body.args.posonlyargs, *body.args.args]):
            self.outside[given[0].arg] = owner  # `self`


def called(thing: Any) -> Called | None:
    """What is run when this is called, if the learner wrote it: a function, a method, the forward of a Module."""
    owner = None
    if is_module(thing):
        owner, thing = thing, attribute(type(thing), "forward")
    if is_a(thing, MethodType):
        owner, thing = thing.__self__, thing.__func__
    while is_a(thing, FunctionType) and is_a(inner := attribute(thing, "__wrapped__"), FunctionType):
        thing = inner  # what decorates it
    if not is_a(thing, FunctionType) or str(thing.__module__).split(".")[0] in LIBRARIES:
        return None
    code = thing.__code__
    bodies = (f for f in functions_of(code.co_filename) if f.name == thing.__name__)
    first = (f for f in bodies if min([f.lineno, *(d.lineno for d in f.decorator_list)]) == code.co_firstlineno)
    body = next(first, None)
    return None if body is None else Called(thing, body, owner)


def hooks_of(module: Any) -> Iterator[Called]:
    """The forward hooks of a Module and of those in it, if the learner wrote them, that can put something in the place
    of an input or output: they return a value."""
    for inner in list(module.modules()):
        for kind in ("_forward_pre_hooks", "_forward_hooks"):
            for hook in list((attribute(inner, kind) or {}).values()):
                found = called(hook)
                if found is not None and any(isinstance(n, ast.Return) and n.value for n in ast.walk(found.body)):
                    yield found
