"""Operations on tensors of uint16, uint32 and uint64, for which PyTorch has few kernels.

What a declaration lacks them for is said by the mark ``|uint_name`` on its lines: the kernel that PyTorch looks for and
does not find. Functions and methods ask for it in their gates (`core/tensor/overriding.py`), which they get when the
first of these dtypes is used: others pay nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ...core.arguments.declared import DECLARED
from ...core.tensor import overriding
from ...core.tensor.overriding import spread
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import BARE, dtype, from_numpy, unsupported
from ...core.values.promotion import is_number, result_dtype
from .families import OPS
from .signatures import lookup, source_of, space_of

__all__ = ["arm"]

_MARK = re.compile(r"\|uint_(\w+)")
_SPACES = ("linalg", "special", "fft")
#: operators, and the operations that they are; those that are not here have its name
_OPERATORS = {
    "and": "bitwise_and",
    "floordiv": "floor_divide",
    "invert": "bitwise_not",
    "lshift": "bitwise_left_shift",
    "matmul": "matmul",
    "mod": "remainder",
    "or": "bitwise_or",
    "pow": "pow",
    "rshift": "bitwise_right_shift",
    "xor": "bitwise_xor",
}


def through(name: str, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call gives; PyTorch's error if it has no kernel for its dtype, after those about shapes."""
    arrays = [t._array for t in spread((*args, *kwargs.values())) if isinstance(t, Tensor)]
    entry = OPS.get(_short(name))
    elementwise = entry is not None and entry.elementwise
    kind = _computed(arrays, elementwise, args, kwargs)
    if kind is None or kind.name not in BARE or (arrays and not elementwise and not arrays[0].size):
        return call(*args, **kwargs)  # of no elements, only the elementwise ones look for a kernel
    kernel = _lacking(name, args, kwargs)
    if kernel is None:
        return call(*args, **kwargs)
    if kwargs.get("out") is None and not name.endswith("_"):
        try:
            call(*args, **kwargs)
        except (IndexError, ZeroDivisionError):
            pass  # values are not looked at
        except RuntimeError as error:
            if str(error) != "ZeroDivisionError":
                raise
    raise unsupported(kernel, kind)


def _computed(arrays: Sequence[Any], elementwise: bool, args: Sequence[Any], kwargs: dict[str, Any]) -> dtype | None:
    """The dtype in which a call computes: that of its first tensor, or of all operands of an elementwise operation."""
    if not arrays:
        asked = kwargs.get("dtype")
        return asked if isinstance(asked, dtype) else None
    if not any(array.dtype.name in BARE for array in arrays):
        return None
    if not elementwise or len(args) < 2:
        return from_numpy(arrays[0].dtype)
    try:
        return result_dtype(tuple(value for value in args[:2] if isinstance(value, Tensor) or is_number(value)))
    except RuntimeError:  # which the operation raises itself
        return None


def _short(name: str) -> str:
    """The name under which a function, or a method, is declared."""
    space, _, short = name.rpartition(".")
    if short.startswith("__"):  # operators that have kept their names
        short = short.strip("_")
        return _OPERATORS.get(short, _OPERATORS.get(short[1:], short))
    space = space.rpartition(".")[2]
    return f"{space}_{short}" if space in _SPACES else short


def _lacking(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The kernel that PyTorch would look for."""
    short = _short(name)
    if short == "setitem":
        return _lacking_for_items(*args)
    declared = DECLARED.get(source_of(short)[0])
    if declared is None or _MARK.search(declared.text) is None:
        return None
    signatures = lookup(short, "Tensor") if name.startswith("torch.Tensor.") else None
    given = args if signatures is None else args[1:]
    signatures = signatures or lookup(short, space_of(short))
    text = declared.text
    if signatures is not None:
        with suppress(TypeError):  # written in Python, a function takes what the operation does not
            text = signatures.texts[signatures.bind(given, kwargs)[0]]
    found = _MARK.search(text)
    return found and found[1]


def _lacking_for_items(target: Tensor, index: Any, value: Any) -> str | None:
    """The kernel that writes elements which tensors name: views are copied to."""
    named = [i for i in (index if type(index) is tuple else (index,)) if isinstance(i, (Tensor, list))]
    if not named:
        return None
    first = named[0]
    mask = len(named) == 1 and isinstance(first, Tensor) and first._array.dtype.kind == "b"
    single = not isinstance(value, Tensor) or not value._array.ndim
    return "masked_fill" if mask and single else "index_put"


def arm() -> None:
    """From now on there are tensors of these dtypes."""
    overriding.have_few_kernels(through)
