"""The argument signatures of torch's functions and Tensor methods, by family, in a compact form.

Each module holds one text. ``[torch]``, ``[nn]``, ``[linalg]``, ``[special]`` and ``[fft]`` open the part of one
namespace; a line is one overload, in the order in which torch tries them; indented lines go on. The letters in front
say what the overload is for:

======  ==============================================================================
``f``   the function
``m``   the method: the same without ``Tensor input`` and ``out``
``i``   the in-place method ``name_``, arguments as the method's
``g``   the in-place function ``name_``: the same without ``out``
======  ==============================================================================

``type?`` admits None; ``int[2]`` takes a single int for both; ``$options`` stands for dtype, layout, device,
pin_memory and requires_grad; ``|deprecated`` overloads come last and are not listed in errors.
The texts are read at the first `lookup`, the signatures themselves when they are first bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from ....core.arguments.mismatch import types
from ....core.arguments.signature import Signatures, method_text

__all__ = ["explain", "lookup", "names"]

_METHODS: Final = "Tensor"


@cache
def _tables() -> dict[tuple[str, str], list[str]]:
    """{(namespace, name): overload texts}; methods are under the namespace "Tensor"."""
    from . import creation, indexing, linalg, nn, pointwise, reduction, shape, special

    found: dict[tuple[str, str], list[str]] = {}
    for module in (pointwise, reduction, shape, indexing, creation, linalg, nn, special):
        space = ""
        for line in module.TABLE.replace("\n    ", " ").split("\n"):
            if line.startswith("["):
                space = line[1:-1]
            elif line:
                _add(found, space, *line.split(" ", 1))
    for (space, _), texts in found.items():
        # a single overload without parameters is a C function that takes nothing, with Python's own errors
        if space == _METHODS and len(texts) == 1 and texts[0].endswith("()"):
            texts[0] += "|noargs"
    return found


def _add(found: dict[tuple[str, str], list[str]], space: str, letters: str, text: str) -> None:
    name = text.partition("(")[0]
    if "f" in letters:
        found.setdefault((space, name), []).append(text)
    method = text if "f" not in letters else method_text(text)
    in_place = f"{name}_("
    if method is not None:
        arguments = method.partition("(")[2]
        if "m" in letters:
            found.setdefault((_METHODS, name), []).append(method)
        if "i" in letters:
            found.setdefault((_METHODS, name + "_"), []).append(in_place + arguments)
        if "g" in letters:
            function = method_text(text, keep_input=True) or text
            found.setdefault((space, name + "_"), []).append(in_place + function.partition("(")[2])


@cache
def lookup(name: str, space: str = "torch") -> Signatures | None:
    """The signatures of a function (`space` torch, nn, linalg, special or fft) or, with "Tensor", of a method.

    None where the table does not know the name. Functions of linalg, special and fft have torch's internal names.

    >>> lookup("relu").bind((3,), {})
    Traceback (most recent call last):
    TypeError: relu(): argument 'input' (position 1) must be Tensor, not int
    """
    texts = _tables().get((space, name))
    return None if texts is None else Signatures(name, *texts)


def names(space: str = "torch") -> list[str]:
    """All names that `lookup` knows in a namespace, sorted."""
    return sorted(name for where, name in _tables() if where == space)


def explain(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], space: str | None = None) -> None:
    """Raises torch's TypeError for this call if torch's argument rules refuse it; otherwise returns.

    Without `space` the name is looked for among the functions, then among the methods, whose first argument is then
    taken for the tensor itself. Nothing happens for an unknown name, or before the core has set ``types.tensor``.

    >>> explain("a name that no table has", (3,), {})
    """
    if not types.tensor:
        return
    for where in ("torch", "nn", "linalg", "special", "fft", "Tensor") if space is None else (space,):
        signatures = lookup(name, where)
        if signatures is not None:
            signatures.bind(args[1:] if where == "Tensor" and space is None else args, kwargs)
            return
