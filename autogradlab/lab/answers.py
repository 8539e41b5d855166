"""What an answer is: tensors, numbers and words as plain values; reading what a learner typed; comparing the two."""

from __future__ import annotations

import ast
import math
import re
from fractions import Fraction
from typing import Any

__all__ = ["Raised", "plain", "read", "same", "shown", "single"]

#: `tensor([1., 2.], dtype=torch.float64)`: the brackets are what counts in an answer.
TENSOR = re.compile(r"^(?:torch\.)?(?:tensor|Tensor|Size)\s*\(\s*(.*?)\s*(?:,\s*[a-z_]+\s*=.*)?\)$", re.DOTALL)


class Raised(str):
    """The answer of code that raised: "RuntimeError: a leaf Variable ..."."""


def plain(value: Any) -> Any:
    """Numbers, strings, booleans, None and lists of them: what there is to compare in a value."""
    if isinstance(value, Raised) or value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float, complex)):
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if "dtype" in type(value).__name__:
        return str(value)
    if hasattr(value, "next_functions"):
        return type(value).__name__
    return str(value)


def read(typed: Any) -> Any:
    """What a learner meant: `6`, `6.`, `1/2`, `[3, 6]`, `3 6`, `tensor([3., 6.])`, `None`, `(2, 3)`, or words."""
    if not isinstance(typed, str):
        return plain(typed)
    text = typed.strip().replace("−", "-").replace("，", ",").replace("（", "(").replace("）", ")")
    if found := TENSOR.match(text):
        text = found[1]
    if re.fullmatch(r"\d+(\s*[x×]\s*\d+)+", text):
        return [int(n) for n in re.findall(r"\d+", text)]
    if re.fullmatch(r"[-+\d.e]+([\s,]+[-+\d.e]+)+", text):  # numbers alone: brackets and commas may be left out
        text = "[" + ",".join(re.split(r"[\s,]+", text)) + "]"
    try:
        return plain(ast.literal_eval(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        pass
    try:
        return float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        return re.sub(r"\s+", " ", text)


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are the same answer: floats by closeness, `[6.]` is `6`,
    `torch.float32` is `float32`."""
    one, other = single(one), single(other)
    if isinstance(one, list) or isinstance(other, list):
        return (
            isinstance(one, list)
            and isinstance(other, list)
            and len(one) == len(other)
            and all(same(a, b) for a, b in zip(one, other, strict=True))
        )
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other or _word(one) == _word(other)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-6) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, complex) or isinstance(other, complex):
        return not isinstance(one, str) and not isinstance(other, str) and abs(one - other) < 1e-4
    return _word(one) == _word(other)


def shown(value: Any) -> str:
    """An answer as text."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else repr(value)


def single(value: Any) -> Any:
    """The only element of nested one-element lists."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def _word(value: Any) -> str:
    text = re.sub(r"\s+", " ", str(value)).strip().strip("'\"`").rstrip(".").casefold()
    return re.sub(r"^<?(?:torch\.)?|(?: object at 0x[0-9a-f]+)?>?$", "", text)
