"""Gradients worked out in numbers: what a Node's rule says, with the numbers that came in and what they gave.

What is shown as a product, element by element or rows times columns, was calculated here and agrees with what the
engine gave; where it does not, the numbers stand beside the rule and nothing is claimed of single elements.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..parts import Grid, Worked
from ..snapshot.events import Amount

__all__ = ["array", "close", "factors", "summed", "worked"]

_FACTOR = r"(-?)(\(?(?:(?!ᵀ)[\w.\[\]'\"])+\)?)(ᵀ?)"  # ᵀ is a letter to Python
_MATMUL = re.compile(rf"^{_FACTOR} @ {_FACTOR}$")
_EACH = re.compile(rf"^{_FACTOR}([·/]){_FACTOR}$")


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
    to: str, formula: str, g: Amount, kept: Mapping[str, Amount], out: Amount, elementwise: bool = False
) -> Worked | None:
    """A rule with its numbers: `kept` has what the formula names; `elementwise`: each element comes of
    those at its place."""
    if out.grid is None or g.grid is None:
        return None
    known = {"g": g, **kept}
    for pattern, how in ((_MATMUL, "matmul"), (_EACH, "each")):
        found = pattern.match(formula)
        if found is None:
            continue
        parts = _factors(found, known)
        if parts is None:
            continue
        (one, first), (two, second) = parts
        sign = found[4] if how == "each" else "@"
        if close(_product(first, sign, second), array(out)):
            shown = tuple((name, _grid(known, name)) for name in (one, two))
            return Worked(to, formula, how, shown, ({"·": "·", "/": "÷", "@": "@"}[sign],), out.grid)
    if formula in ("g", "") and close(array(g), array(out)):
        return Worked(to, formula or "g", "each", (("g", g.grid),), (), out.grid)
    started = array(g)
    if formula == "gᵀ" and started is not None and close(started.T, array(out)):
        return Worked(to, formula, "each", ((formula, _grid(known, formula)),), (), out.grid)
    if started is not None and started.ndim == 2 and close(started.sum(0), array(out)):
        return Worked(to, formula, "columns", (("g", g.grid),), (), out.grid)
    named = [(name, amount.grid) for name, amount in kept.items() if _names(formula, name) and amount.grid is not None]
    shown = (("g", g.grid), *named)
    alike = all(
        amount.count in (1, out.count) for name, amount in known.items() if name == "g" or _names(formula, name)
    )
    how = "same" if alike and elementwise and g.count == out.count else ""
    return Worked(to, formula, how, shown, (",",) * (len(shown) - 1), out.grid)


def summed(to: str, parts: Sequence[tuple[str, Amount | None]], total: Amount | None) -> Worked | None:
    """Gradients that add up, or one that is stored as it is."""
    if total is None or total.grid is None:
        return None
    shown = tuple((name, part.grid) for name, part in parts if part is not None and part.grid is not None)
    signs = ("+",) * max(0, len(shown) - 1)
    whole = [array(part) for _, part in parts if part is not None]
    with np.errstate(all="ignore"):
        adds = bool(whole) and all(w is not None for w in whole) and close(np.asarray(sum(whole)), array(total))  # type: ignore[arg-type]
    return Worked(to, " + ".join(name for name, _ in shown), "each" if adds else "", shown, signs, total.grid)


def _names(formula: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![^\W²³ᵀ])", formula) is not None


def _factors(
    found: re.Match[str], known: Mapping[str, Amount]
) -> tuple[tuple[str, np.ndarray], tuple[str, np.ndarray]] | None:
    """The two factors of a product with the numbers that they stand for."""
    groups = found.groups()
    ends = (groups[:3], groups[3:] if len(groups) == 6 else groups[4:])
    made = []
    for sign, name, turned in ends:
        bare = name.strip("()")
        value = array(known.get(bare))
        if value is None:
            try:
                value = np.asarray(float(bare))
            except ValueError:
                return None
        value = -value if sign else value
        made.append((f"{sign}{name}{turned}", value.T if turned else value))
    return made[0], made[1]


def _product(one: np.ndarray, sign: str, two: np.ndarray) -> np.ndarray | None:
    try:
        with np.errstate(all="ignore"):
            return np.asarray(one @ two if sign == "@" else one * two if sign == "·" else one / two)
    except ValueError:
        return None


def _grid(known: Mapping[str, Amount], written: str) -> Grid:
    """The numbers of a factor as it is written: turned, if it is, and with its sign."""
    bare = written.strip("-ᵀ").strip("()")
    amount = known.get(bare)
    if amount is None or amount.grid is None:
        return Grid("", ((bare,),))
    rows = amount.grid.rows
    if written.endswith("ᵀ"):
        rows = tuple(zip(*rows, strict=True))
    if written.startswith("-"):
        rows = tuple(tuple(c[1:] if c.startswith("-") else c if c == "…" else "-" + c for c in row) for row in rows)
    return replace(amount.grid, rows=rows, heads=())


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
