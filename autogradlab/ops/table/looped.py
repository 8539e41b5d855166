"""Operations that PyTorch's vmap carries out row by row, for want of a rule, and warns of.

The mark ``|looped`` on a line of a declaration says so; ``|looped_alone`` of an operation that is made of others, which
PyTorch takes apart where another transform lies within the vmap. How the operation is computed here is another matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...core.arguments.declared import DECLARED
from ...core.memory.layout import contiguous
from ...core.memory.rows import Rows
from ...core.runtime.modes import LOCAL
from ...core.runtime.warn import warn_of_slow_rows
from ...core.tensor.overriding import spread
from ...core.tensor.tensor import Tensor
from .signatures import lookup, space_of

__all__ = ["looped"]


def looped(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function, or a method, that warns when tensors of rows come; the function itself, if its declaration does not
    say so. PyTorch stacks the rows: they lie one after the other.
    """
    if name not in DECLARED or "|looped" not in DECLARED[name].text:
        return function

    def warning(*args: Any, **kwargs: Any) -> Any:
        state = LOCAL.state
        if state.mapped and any(type(getattr(x, "_array", None)) is Rows for x in spread((*args, *kwargs.values()))):
            line = _line(name, args, kwargs)
            found = re.search(r"\|looped(_alone)?\b", line)
            if found is not None and (found[1] is None or state.mapped[-1][3] == state.entered()):
                overload = re.search(r"\|\.(\w+)", line)
                warn_of_slow_rows(name if overload is None else f"{name}.{overload[1]}")
                found = function(*args, **kwargs)
                for t in spread((found,)):
                    if isinstance(t, Tensor) and t._view is None and all(t is not x for x in args):
                        t._array = contiguous(t._array)
                return found
        return function(*args, **kwargs)

    return warning


def _line(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The line of the declaration that a call means; none for a call that fits none, which the operation refuses."""
    signatures = lookup(name, space_of(name))
    if signatures is None:
        return ""
    try:
        return signatures.texts[signatures.bind(args, kwargs)[0]]
    except TypeError:
        return ""
