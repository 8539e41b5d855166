"""What is declared of the functions and methods that a call can reach: their signatures and their help texts.

A declaration is written where the operation is defined. It holds one line for each overload, in PyTorch's schema
notation and in the order in which PyTorch tries them, with what the overload gives::

    sum(Tensor input, *, ScalarType? dtype=None) -> Tensor
    sum(Tensor input, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor out=None) -> Tensor

``type?`` admits None; ``int[2]`` takes a single int for both; ``$options`` stands for dtype, layout, device, pin_memory
and requires_grad. A line that is indented more goes on with the one before it. Marks may follow a bar: ``|deprecated``
overloads come last and are not listed in errors, ``|function`` ones are not those of the method, ``|method`` ones not
those of the function, ``|numbers`` ones take Python numbers for their tensors. Of torch.ops (`ops/operators`) tell
``|.name``, the overload if it is not "default", a second one like it, the overload with out= if it is not "out" or
"name_out", and ``|_name`` that of the form in place if it has another one; ``|input``, that the first tensor is not
called self there, and ``|view``, that the result may share its memory although the kernel is not marked so.
``|uint_name`` names the kernel that PyTorch lacks for uint16, uint32 and uint64 (`ops/table/kernelless.py`),
``|looped`` and ``|looped_alone`` say that its vmap has no rule (`ops/table/looped.py`).
``|python`` lines are not there, ``|aten`` ones nowhere else. Two kinds of marks are of the whole
declaration, on any of its lines: ``|lower_precision``, ``|fp32`` and ``|promote`` say what autocast does
(`amp/autocast_mode.py`), ``|foreach`` that lists of tensors can be given to ``_foreach_name`` (`ops/foreach.py`). A
name of `torch.nn.functional` that stands in no other namespace is written ``nn.name(...)``.

From these lines the signatures of the other forms are made: the method has no ``Tensor input`` and no ``out``, the
in-place method ``name_`` neither, its function no ``out``. Declaring only stores strings; `lookup.py` reads them when
somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "ALIASES",
    "DECLARED",
    "OUT",
    "PLAIN",
    "UNNAMED",
    "Declaration",
    "cast_of",
    "casting",
    "declare",
    "marked",
    "name_of",
    "signatures",
]

F = TypeVar("F", bound=Callable[..., Any])


class Declaration:
    """What is declared of a name: its lines and its help text, as they are written."""

    __slots__ = ("help", "text")

    def __init__(self, text: str, help: str) -> None:
        self.text = text
        self.help = help


#: every declaration, by the name that it begins with
DECLARED: dict[str, Declaration] = {}
#: second names, and what they are names of
ALIASES: dict[str, str] = {}
#: those of which errors say the other name
UNNAMED: set[str] = set()
#: what an operation asks of its out= tensors, where that is more than usual (`ops/table/outputs.py`)
OUT: dict[str, Any] = {}
#: declared functions that are not operations of the table
PLAIN: set[str] = set()
#: what autocast does with the arguments of functions that call what they declare by another name
_CASTS: dict[str, str] = {}


def name_of(text: str) -> str:
    """The name that a declaration begins with."""
    name = text.lstrip().partition("(")[0].partition(" ")[0]
    return name[3:] if name.startswith("nn.") else name


def declare(text: str, help: str = "", out: Any = None) -> str:
    """Note what is declared of a name, and the rules of its out= tensors; returns the name.

    A bare name declares nothing. The help text ``Another name of other.`` stands for that of `other`.
    """
    name = name_of(text)
    if out is not None:
        OUT[name] = out
    if "(" in text or " " in text:
        DECLARED[name] = Declaration(text, help)
        if help.lstrip().startswith("Another name of "):
            ALIASES[name] = help.split(".", 1)[0].rpartition(" ")[2]
    return name


def signatures(text: str, method: bool = False, out: Any = None) -> Callable[[Any], Any]:
    """Decorator that declares the signatures of a function, or of a method, that is not an operation of the table."""

    def keep(function: Any) -> Any:
        doc = function.__doc__ or ""
        name = declare(text, "" if "Mirrors `torch." in doc else doc, out)  # which is a whole help text already
        if not method:
            PLAIN.add(name)
        return function

    return keep


def casting(policy: str) -> Callable[[F], F]:
    """Decorator that says what autocast does with the arguments of a function whose name is not declared."""

    def keep(function: F) -> F:
        _CASTS[function.__name__] = policy
        return function

    return keep


def marked(name: str, *marks: str) -> str | None:
    """Which of these marks a declaration has; None if none of them, or nothing is declared."""
    declared = DECLARED.get(name)
    found = declared and re.search(rf"\|({'|'.join(marks)})\b", declared.text)
    return found[1] if found else None


def cast_of(name: str) -> str | None:
    """What autocast does with the arguments of a function or method, in the words of the marks; None if nothing."""
    policy = marked(name, "lower_precision", "fp32", "promote")
    if policy:
        return policy
    return cast_of(ALIASES[name]) if name in ALIASES else _CASTS.get(name)
