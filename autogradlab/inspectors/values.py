"""Numbers as inspectors show them: formatted in one place, for tensors of autogradlab and of PyTorch alike.

The forms are those that tensors print: `1.`, `0.5000`, `1.0000e-08`, `nan`, `True`, `1.+2.j`. Only the numbers that are
shown are looked at, so a tensor of any size costs the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from .parts import Grid, Tone
from .words import say

__all__ = [
    "brief",
    "corner",
    "dtype",
    "glimpse",
    "grid",
    "numbers",
    "plain_repr",
    "readable",
    "rounded",
    "shape",
    "short",
    "texts",
    "told",
    "unaddressed",
]

#: elements beyond which values are summarised
FEW = 6

#: rows and columns of a grid, the last of them in front of a gap and behind it
ROWS, TAIL = 8, 2

GAP = "…"

#: letters of an element that is not a number
LONG = 24


def numbers(tensor: Any) -> str:
    """The numbers of a small tensor as it prints them, without `tensor(...)` around: `[1., 2.]`, `3.`."""
    if not readable(tensor):
        return GAP
    try:
        listed = tensor.detach().tolist() if hasattr(tensor, "detach") else tensor.tolist()
    except Exception:  # what has no numbers to give (meta, sparse, inside of vmap)
        return GAP
    flat: list[Any] = []
    _flatten(listed, flat)
    return _nested(listed, iter(texts(flat)))


def short(tensor: Any, limit: int = 28) -> str:
    """The value in one short line: the numbers if they are few, else shape and dtype."""
    if tensor is None:
        return "None"
    if _few(tensor):
        text = numbers(tensor)
        if len(text) <= limit and text != GAP:
            return text
    return f"{shape(tensor)} {dtype(tensor)}"


def told(tensor: Any) -> str:
    """The value in one line: the numbers if they are few, else the first of them and the shape."""
    text = short(tensor)
    if tensor is None or not text.startswith(shape(tensor)) or 0 in tuple(tensor.shape):
        return text
    return corner(grid(tensor, "", heated=False), text, len(tensor.shape))


def corner(rows: Grid, otherwise: str, depth: int) -> str:
    """The first numbers of a larger tensor of `depth` dimensions and its shape: `[[0.1200, -0.0300, …], …] (4, 3)`."""
    if not rows.rows or depth == 0:
        return otherwise
    first = [cell for cell in rows.rows[0][:2] if cell != GAP]
    more = len(rows.rows[0]) > len(first)
    brackets = depth if len(rows.rows) > 1 or depth > 1 else 1
    text = "[" * brackets + ", ".join([*first, GAP] if more else first) + "]"
    for level in range(brackets - 1):
        text += (f", {GAP}" if len(rows.rows) > 1 and level == 0 else "") + "]"
    return f"{text} {otherwise.rpartition(' ')[0]}"


def glimpse(tensor: Any) -> str:
    """The numbers of a small tensor; of a larger one the first of them: `[[0.1200, -0.0300, …], …]`."""
    text = numbers(tensor) if _few(tensor) else GAP
    return text if text != GAP else corner(grid(tensor, "", heated=False), " ", len(tensor.shape)).rstrip() or GAP


def shape(tensor: Any) -> str:
    """`(2, 3)`, `(3,)`, `()`; of a nested tensor, what it says itself."""
    try:
        return str(tuple(int(n) for n in tensor.shape))
    except Exception:  # sizes that are symbols, a parameter that has none yet
        return _own_words(tensor)


def _own_words(tensor: Any) -> str:
    try:
        return str(tuple(tensor.shape))
    except Exception:
        return "?"


def _few(tensor: Any) -> bool:
    try:
        return math.prod(int(n) for n in tensor.shape) <= FEW
    except Exception:
        return False


def readable(tensor: Any) -> bool:
    """Whether its numbers are there: a storage that was resized away is not to be read from."""
    try:
        kept, size = tensor.untyped_storage().nbytes(), tensor.element_size()
        reach = sum((int(n) - 1) * int(s) for n, s in zip(tensor.shape, tensor.stride(), strict=True))
        empty = 0 in tuple(tensor.shape)
        return empty or kept >= (int(tensor.storage_offset()) + reach + 1) * size
    except Exception:  # a NumPy array; or a tensor that will say itself that it cannot be read
        return True


def has_nan(tensor: Any) -> bool:
    """Whether a NaN is among its numbers."""
    try:
        return bool((tensor != tensor).any())
    except Exception:  # sparse and the like
        return False


def dtype(tensor: Any) -> str:
    """`float32`."""
    return str(tensor.dtype).removeprefix("torch.")


def _flatten(listed: Any, into: list[Any]) -> None:
    if isinstance(listed, list):
        for part in listed:
            _flatten(part, into)
    else:
        into.append(listed)


def _nested(listed: Any, said: Any) -> str:
    if isinstance(listed, list):
        return "[" + ", ".join(_nested(part, said) for part in listed) + "]"
    return str(next(said))


# -- numbers to text ---------------------------------------------------------------------------------------------------


def texts(values: Sequence[Any]) -> list[str]:
    """Numbers in the form in which a tensor prints them: one format for all, chosen by the largest and the smallest."""
    if not all(isinstance(v, (bool, int, float, complex)) for v in values):
        values = [str(v) for v in values]  # arrays of words or objects
    if any(isinstance(v, complex) for v in values):
        real, imaginary = _floats([v.real for v in values]), _floats([abs(v.imag) for v in values])
        signs = ["-" if math.copysign(1.0, v.imag) < 0 else "+" for v in values]
        return [f"{r}{s}{i}j" for r, s, i in zip(real, signs, imaginary, strict=True)]
    if any(isinstance(v, float) for v in values):
        return _floats([float(v) for v in values])
    return [
        text if len(text := unaddressed(" ".join(str(v).split()))) <= LONG else text[: LONG - 1] + GAP for v in values
    ]


#: beyond these sizes of their largest, numbers of a grid are written with exponents
LEAST, LARGEST = 1e-3, 1e6


def _legible(values: Sequence[Any]) -> list[str]:
    """Numbers of a grid: as tensors print them, but those far smaller than the largest make no exponents of all."""
    if any(isinstance(v, complex) for v in values) or not any(isinstance(v, float) for v in values):
        return texts(values)
    sizes = [abs(v) for v in values if math.isfinite(v) and v != 0]
    if not sizes or not LEAST <= max(sizes) < LARGEST:
        return texts(values)
    if all(v == math.floor(v) for v in sizes):
        return [f"{v:.0f}." if math.isfinite(v) else str(v) for v in values]
    said = [f"{v:.4f}" if math.isfinite(v) else str(v) for v in values]
    return [f"{v:.0e}" if v and not text.strip("-0.") else text for v, text in zip(values, said, strict=True)]


def brief(value: float) -> str:
    """A size in three digits: `0.0315`, `12`, `1.2e-07`, `nan`."""
    return f"{value:.3g}"


def rounded(values: Sequence[Any]) -> list[str]:
    """Numbers with the decimals of which the largest needs three digits; smaller ones keep one digit."""
    if any(isinstance(v, complex) for v in values):
        return texts(values)
    sizes = [abs(v) for v in values if math.isfinite(v) and v != 0]
    digits = 2 - math.floor(math.log10(max(sizes))) if sizes else 0
    if not 0 <= digits <= 6:
        return [f"{v:.2e}" if v else "0" for v in values]
    said = [f"{v:.{digits}f}" for v in values]
    return [f"{v:.0e}" if v and not text.strip("-0.") else text for v, text in zip(values, said, strict=True)]


def unaddressed(text: str) -> str:
    """Without addresses of objects, which are others at every run."""
    return re.sub(r"\b0x[0-9a-fA-F]{6,}\b", "0x…", text)


def plain_repr(thing: Any) -> str:
    """The repr of any object in one line, the same at every run and on every machine; an object's own may fail."""
    if issubclass(type(thing), ModuleType):
        return f"<module {thing.__name__!r}>"  # not where it was installed
    try:
        return unaddressed(" ".join(repr(thing).split()))
    except Exception as error:
        return type(error).__name__


def _floats(values: Sequence[float]) -> list[str]:
    sizes = [abs(v) for v in values if math.isfinite(v) and v != 0]
    if not sizes:
        form = "{:.0f}."
    else:
        large, small = max(sizes), min(sizes)
        whole = all(v == math.floor(v) for v in sizes)
        if large / small > 1000.0 or large > 1.0e8 or (not whole and small < 1.0e-4):
            form = "{:.4e}"
        else:
            form = "{:.0f}." if whole else "{:.4f}"
    return [form.format(v) if math.isfinite(v) else str(v) for v in values]


# -- grids -------------------------------------------------------------------------------------------------------------


def grid(tensor: Any, caption: str, tone: Tone = "plain", most: int = ROWS, heated: bool = True) -> Grid:
    """The numbers of a tensor or NumPy array in rows and columns, shaded by their size; the middle of large ones left
    out: `most` rows and columns are kept.

    Three dimensions and more are shown matrix by matrix, each row headed by its leading indices.
    """
    try:
        sizes = tuple(int(n) for n in tensor.shape)
    except Exception:  # sizes that are symbols
        sizes = ()
    if not readable(tensor) or len(sizes) != len(tensor.shape):
        return Grid(caption, (), tone, more=say("values.none"))
    if 0 in sizes:
        return Grid(caption, (), tone, more=say("values.empty", shape=str(sizes)))
    plain = tensor.detach() if hasattr(tensor, "detach") else tensor
    matrices = (1,) * (2 - len(sizes)) + sizes
    rows, columns = math.prod(matrices[:-1]), matrices[-1]
    down, across = _kept(rows, most), _kept(columns, most)
    try:
        listed = [_row(plain, matrices[:-1], number, across) if number is not None else [] for number in down]
    except Exception:  # what has no numbers to give (meta, sparse, inside of vmap)
        return Grid(caption, (), tone, more=say("values.none"))
    said = iter(_legible([v for row in listed for v in row]))
    cells = []
    for row in listed:
        shown = [next(said) for _ in row] or [GAP] * len(_used(across))
        cut = across.index(None) if None in across and row else None
        cells.append(tuple(shown if cut is None else [*shown[:cut], GAP, *shown[cut:]]))
        if not row and None in across:
            cells[-1] = (GAP,) * len(across)
    heads = tuple(_head(matrices[:-1], n) for n in down) if len(sizes) > 2 else ()
    heat = _heat(listed, across) if heated else ()
    return Grid(caption, tuple(cells), tone, heat, _more(sizes, rows, columns, down, across), heads)


def _kept(count: int, most: int) -> list[int | None]:
    """The indices that are shown, None where the others are left out."""
    if count <= most:
        return list(range(count))
    return [*range(most - TAIL - 1), None, *range(count - TAIL, count)]


def _used(kept: list[int | None]) -> list[int]:
    return [k for k in kept if k is not None]


def _row(plain: Any, leading: tuple[int, ...], number: int, across: list[int | None]) -> list[Any]:
    if len(plain.shape) == 0:
        return [plain.item()]
    if len(plain.shape) > 1:
        for index in _indices(leading, number):
            plain = plain[index]
    used = _used(across)
    if None not in across:
        return list(plain.tolist())
    cut = across.index(None)
    return [*plain[:cut].tolist(), *plain[used[-1] + 1 - (len(used) - cut) :].tolist()]


def _indices(leading: tuple[int, ...], number: int) -> list[int]:
    found = []
    for size in reversed(leading):
        number, index = divmod(number, size)
        found.append(index)
    return found[::-1]


def _head(leading: tuple[int, ...], number: int | None) -> str:
    return GAP if number is None else str(_indices(leading, number))


def _size(value: Any) -> float:
    try:
        return float(abs(value))
    except OverflowError:  # a Python integer of an object array
        return math.inf
    except (TypeError, ValueError):
        return math.nan


def _heat(listed: list[list[Any]], across: list[int | None]) -> tuple[tuple[float, ...], ...]:
    """Magnitudes relative to the largest, from 0 to 1; empty if all are the same."""
    sizes = [_size(v) for row in listed for v in row]
    finite = [s for s in sizes if math.isfinite(s)]
    if len(set(sizes)) < 2 or not finite:
        return ()
    top = max(finite)
    heats = []
    for row in listed:
        shown = [math.nan if s != s else 1.0 if s == math.inf else s / top if top else 0.0 for s in map(_size, row)]
        cut = across.index(None) if None in across else None
        shown = shown if cut is None or not row else [*shown[:cut], math.nan, *shown[cut:]]
        heats.append(tuple(shown or [math.nan] * len(across)))
    return tuple(heats)


def _more(sizes: tuple[int, ...], rows: int, columns: int, down: list[int | None], across: list[int | None]) -> str:
    parts = []
    if None in down:
        parts.append(say("values.rows", shown=len(_used(down)), all=rows))
    if None in across:
        key = "values.columns" if len(sizes) > 1 else "values.elements"
        parts.append(say(key, shown=len(_used(across)), all=columns))
    return ", ".join(parts) if len(parts) < 2 else say("values.both", rows=parts[0], columns=parts[1])
