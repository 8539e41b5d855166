"""Gradients worked out in numbers: what a Node's rule says, with the numbers that came in and what they gave.

What is shown as a product, element by element or rows times columns, was calculated here and agrees with what the
engine gave; where it does not, the numbers stand beside the rule and nothing is claimed of single elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..parts import Grid, Worked
from ..snapshot.events import MOST, Amount
from ..snapshot.rules import Plain, Rule
from ..values import grid

__all__ = ["array", "close", "factors", "summed", "worked"]

#: the signs between factors: what they do, and how they are shown between matrices
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {"·": np.multiply, "/": np.true_divide, "@": np.matmul}
_SHOWN = {"·": "·", "/": "÷", "@": "@"}


def array(amount: Amount | None) -> np.ndarray | None:
    """The numbers of an amount as they were, if all were kept."""
    if amount is None or amount.numbers is None:
        return None
    try:
        sizes = tuple(int(n) for n in amount.shape.strip("(),").split(",") if n.strip())
        return np.asarray(amount.numbers).reshape(sizes)
    except (ValueError, TypeError):
        return None


def close(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    """Whether two arrays are the same, but for the last digits of float32."""
    if one is None or other is None or one.shape != other.shape or one.dtype.kind not in "fiub":
        return False
    return bool(np.allclose(one, other, rtol=1e-4, atol=1e-6, equal_nan=True))


def worked(
    to: str,
    formula: str,
    g: Amount,
    kept: Mapping[str, Amount],
    out: Amount,
    rule: Rule | None = None,
    words: Mapping[str, str] | None = None,
) -> Worked | None:
    """A rule with its numbers: `kept` has what the Node saved, `words` how it is written.

    A product is shown with each of its factors calculated, if these give what the engine gave.
    """
    if out.grid is None or g.grid is None:
        return None
    words = words or {}
    sign = words.get("g", "g")
    known = {"g": g, **kept}
    found = None if rule is None or isinstance(formula, Plain) else _product(to, formula, known, out, rule, words)
    if found is not None:
        return found
    started = array(g)
    if formula in (sign, "") and close(started, array(out)):
        return Worked(to, formula or sign, "each", ((sign, g.grid),), (), out.grid)
    if started is not None and started.ndim == 2 and close(started.sum(0), array(out)):
        return Worked(to, formula, "columns", ((sign, g.grid),), (), out.grid)
    written = [(words.get(name, name), amount) for name, amount in known.items()]
    named = [(name, amount) for name, amount in written if name == sign or _names(formula, name)]
    shown = tuple((name, amount.grid) for name, amount in named if amount.grid is not None)
    alike = all(amount.count in (1, out.count) for _, amount in named) and g.count == out.count
    how = "same" if alike and rule is not None and rule.elementwise else ""
    return Worked(to, formula, how, shown, ("",) * (len(shown) - 1), out.grid)


def _product(
    to: str, formula: str, known: Mapping[str, Amount], out: Amount, rule: Rule, words: Mapping[str, str]
) -> Worked | None:
    """A rule by its factors; None if it is no product, or its numbers are not those of the engine."""
    numbers = ((name, array(amount)) for name, amount in known.items())
    found = rule.parts(words, {name: value for name, value in numbers if value is not None})
    expected = array(out)
    if found is None or expected is None or out.grid is None:
        return None
    parts, signs = found
    if not signs and (len(formula) < 2 or not formula.endswith("ᵀ")):
        return None
    result = parts[0][1]
    try:
        with np.errstate(all="ignore"):
            for sign, (_, factor) in zip(signs, parts[1:], strict=True):
                result = _SIGNS[sign](result, factor)
    except ValueError:
        return None
    if not close(np.asarray(result), expected):
        return None
    amounts = {words.get(name, name): amount for name, amount in known.items()}
    grids = tuple((name, _grid(name, value, amounts)) for name, value in parts)
    if "@" in signs:
        lit = "matmul" if parts[0][1].ndim <= 2 == parts[1][1].ndim else ""
    else:
        lit = "each" if all(_aligned(value, expected) for _, value in parts) else ""
    return Worked(to, formula, lit, grids, tuple(_SHOWN[sign] for sign in signs), out.grid)


def _grid(name: str, value: np.ndarray, amounts: Mapping[str, Amount]) -> Grid:
    """The numbers of a factor: as they were kept, or as they were calculated."""
    amount = amounts.get(name)
    if amount is not None and amount.grid is not None:
        return replace(amount.grid, heads=())
    return replace(grid(value.astype(int) if value.dtype.kind == "b" else value, "", most=MOST, heated=False), heads=())


def _aligned(value: np.ndarray, out: np.ndarray) -> bool:
    """Whether an element of the result comes of the one at its place, or of the only one of a row or column."""
    (rows, columns), (all_rows, all_columns) = (_as_matrix(one) for one in (value, out))
    return rows in (1, all_rows) and columns in (1, all_columns)


def _as_matrix(value: np.ndarray) -> tuple[int, int]:
    """Rows and columns in which a grid shows an array."""
    columns = value.shape[-1] if value.ndim else 1
    return value.size // max(1, columns), columns


def summed(to: str, parts: Sequence[tuple[str, Amount | None]], total: Amount | None) -> Worked | None:
    """Gradients that add up, or one that is stored as it is."""
    if total is None or total.grid is None:
        return None
    shown = tuple((name, part.grid) for name, part in parts if part is not None and part.grid is not None)
    signs = ("+",) * max(0, len(shown) - 1)
    whole = [array(part) for _, part in parts if part is not None]
    known = [w for w in whole if w is not None]
    with np.errstate(all="ignore"):
        adds = bool(whole) and len(known) == len(whole) and close(np.asarray(sum(known)), array(total))
    return Worked(to, " + ".join(name for name, _ in shown), "each" if adds else "", shown, signs, total.grid)


def _names(formula: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![^\W²³ᵀ])", formula) is not None


def factors(g: Amount, kept: Mapping[str, Amount], out: Amount) -> Sequence[tuple[str, bool]]:
    """Factors to choose from for `g × ? = out`, and whether each is right; () where no factor is."""
    start, end = array(g), array(out)
    if start is None or end is None or start.size != 1 or end.size != 1:
        return ()
    candidates: dict[str, float] = {"1": 1.0, "0": 0.0, "-1": -1.0, "2": 2.0}
    values = {}
    for name, amount in kept.items():
        number = array(amount)
        if number is not None and number.size == 1 and number.dtype.kind in "fiub":
            values[name] = float(number.reshape(-1)[0])
    tried = {**values, **candidates}
    grown, wanted = float(start.reshape(-1)[0]), float(end.reshape(-1)[0])
    judged = [(name, bool(np.isclose(grown * value, wanted, rtol=1e-4))) for name, value in tried.items()]
    right = [pair for pair in judged if pair[1]]
    wrong = [pair for pair in judged if not pair[1]]
    if not right or not wrong:
        return ()
    return sorted([*right[:2], *wrong[: 4 - len(right[:2])]])
