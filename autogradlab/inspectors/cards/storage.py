"""`storage`: memory as a strip of cells, and tensors and NumPy arrays as windows on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..inspector import Inspector, present
from ..parts import Block, Card, Drawing, Facts, Item, Note, Path, Rect, Shape, Table, Text, Tone
from ..prose import code, fit, fit_within, width
from ..snapshot.calls import arguments
from ..snapshot.identity import mark
from ..snapshot.kinds import is_array, is_tensor, type_name
from ..snapshot.memory import Strip, Window, contents, contiguous, sharing, strips, turned
from ..snapshot.names import Names, names_of, namespace
from ..values import GAP, brief, texts
from ..words import language, say
from .show import title_of
from .tensor import yes

__all__ = ["storage"]

ROOM = 700.0  #: pixels of a drawing
CELL, LANE, TOP = 30.0, 26.0, 20.0
SIZE = 13.0
SKIP = 26.0  #: where cells are left out
LISTED = 16  #: cells that are named in words
ELSE = 4  #: names that share the memory and were not asked about


def storage(*things: Any) -> Inspector:
    """The memory under tensors and NumPy arrays: one strip for each piece of it, and who looks at which cells.

    The numbers above the cells count them from the start of the memory; those in a window are the element's indices
    there. `×3` marks a cell that is three elements at once, as `expand` makes them. What has no memory to show is
    named in the card.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> x = torch.arange(6.).reshape(2, 3)
    >>> print("\\n".join(lab.storage(x, x.t()).text.splitlines()[1:5]))
    memory 1: 24 B, 6 cells of 4 B
    cells: 0.  1.  2.  3.  4.  5.
    `x`: cells 0 1 2 3 4 5
    `x.t()`: cells 0 3 1 4 2 5
    """
    space = namespace()
    names = names_of(space)
    written = arguments()
    named = [(title_of(thing, written, number, names), thing) for number, thing in enumerate(things)]
    return present(_card(named, names))


def _card(named: Sequence[tuple[str, Any]], known: Names) -> Card:
    blocks: list[Block] = []
    usable = [(name, thing) for name, thing in named if is_tensor(thing) or is_array(thing)]
    found = strips(usable)
    held = {member for strip in found for member in strip.members}
    if found:
        names = [w.name for strip in found for w in strip.windows]
        margin = (
            max(
                [*(min(156.0, width(name, SIZE, True)) for name in names), width(say("storage.memory", number=9), SIZE)]
            )
            + 16
        )
        drawn = [_drawing(number, strip, usable, margin) for number, strip in enumerate(found, 1)]
        wide = max(d.width for d in drawn)
        blocks += [replace(d, width=wide) for d in drawn]
        blocks += [_legend(found)] if any(strip.nbytes for strip in found) else []
        blocks += [_table(found, usable), *_notes(found, usable), *_beyond(usable, known)]
    for name, thing in named:
        if not (is_tensor(thing) or is_array(thing)):
            blocks.append(Note(say("storage.no_memory", name=code(name), type=code(type_name(thing))), "warning"))
    for number, (name, _) in enumerate(usable):
        if number not in held:
            blocks.append(Note(say("storage.cannot_ask", name=code(name)), "warning"))
    if not named:
        blocks.append(Note(say("storage.nothing"), "warning"))
    title = ", ".join(code(fit_within(name, 150, SIZE, True)) for name, _ in named[:4]) + (
        f", {GAP}" if len(named) > 4 else ""
    )
    subtitle = say("storage.one" if len(found) == 1 else "storage.many", count=len(found)) if found else ""
    return Card("storage", title or "storage", subtitle, blocks=tuple(blocks), lang=language())


# -- which cells are drawn ---------------------------------------------------------------------------------------------


def _chosen(strip: Strip, room: int) -> list[int]:
    """The cells to draw, in order: all if there is room, else both ends and where the windows begin and end."""
    count = strip.nbytes // strip.unit
    if count <= room:
        return list(range(count))
    wanted = [0, 1, count - 1]
    for window in strip.windows:
        first, last = window.span()
        begin, end = first // strip.unit, max(first, last - 1) // strip.unit
        wanted += [begin, begin + 1, begin + 2, end - 1, end]
    kept = set([cell for cell in dict.fromkeys(wanted) if 0 <= cell < count][: room - 2])
    more = 2
    while len(kept) < room - 2:  # what is left of the room goes to the beginning
        kept.add(more)
        more += 1
    return sorted(kept)


class _Row:
    """Where the drawn cells are, from left to right."""

    def __init__(self, cells: Sequence[int], left: float, wide: float) -> None:
        self.wide = wide
        self.x: dict[int, float] = {}
        self.gaps: list[float] = []
        for before, cell in zip([None, *cells], cells, strict=False):
            if before is not None and cell != before + 1:
                self.gaps.append(left + SKIP / 2)
                left += SKIP
            self.x[cell] = left
            left += wide
        self.end = left


# -- the picture -------------------------------------------------------------------------------------------------------


def _drawing(number: int, strip: Strip, things: Sequence[tuple[str, Any]], margin: float) -> Drawing:
    cells = _chosen(strip, int((ROOM - margin) // 36))
    said = _said(strip, things, cells)
    marks = [
        _mark(window, cell * strip.unit) for window in strip.windows if window.itemsize == strip.unit for cell in cells
    ]
    cell_width = max([34.0, *(width(text, SIZE, True) + 12 for text in [*said.values(), *marks])])
    if (room := int((ROOM - margin) // cell_width)) < len(cells):
        cells = _chosen(strip, max(6, room))
    row = _Row(cells, margin, cell_width)
    seen = {cell for window in strip.windows for cell in cells if window.at(cell * strip.unit)[1]}
    items = [_memory(number, strip, row, said, seen)]
    top = TOP + CELL + 12 if cells else CELL
    for order, (window, member) in enumerate(zip(strip.windows, strip.members, strict=True)):
        lane = _lane(f"m{number}w{order + 1}", window, strip, row, top)
        items.append(replace(lane, tensor=mark(things[member][1], window.name)))
        top += LANE + 8
    words = _words(number, strip, cells, said)
    label = say("storage.label", names=say("common.list").join(w.name for w in strip.windows))
    return Drawing(max(row.end, margin) + 2, top, tuple(items), words, label)


def _said(strip: Strip, things: Sequence[tuple[str, Any]], cells: Sequence[int]) -> dict[int, str]:
    held = contents(strip, things, cells)
    said = texts(list(held.values()))
    return {cell: _fitting(text, held[cell]) for cell, text in zip(held, said, strict=True)}


def _fitting(text: str, value: Any) -> str:
    """A number in a cell: where it is too long, in three digits, but with its exponent."""
    if width(text, SIZE, True) > 78.0 and isinstance(value, float):
        text = brief(value)
    return fit(text, 78.0, SIZE, True)


def _memory(number: int, strip: Strip, row: _Row, said: dict[int, str], seen: set[int]) -> Item:
    name = say("storage.memory", number=number)
    shapes: list[Shape] = [Text(0, TOP + 19 if row.x else 19, name, "muted", "start", SIZE)]
    for cell, x in row.x.items():
        tone: Tone = "plain" if cell in seen else "muted"
        shapes.append(Text(x + row.wide / 2, TOP - 6, str(cell), "muted", size=SIZE, mono=True))
        shapes.append(Rect(x, TOP, row.wide, CELL, 0, tone))
        shapes.append(Text(x + row.wide / 2, TOP + 19, said.get(cell, "·"), tone, size=SIZE, mono=True))
    shapes += [Text(x, TOP + 19, GAP, "muted", size=SIZE) for x in row.gaps]
    label = _sized(strip)
    return Item(f"m{number}", tuple(shapes), label)


def _mark(window: Window, byte: int) -> str:
    """What stands in the window's box at a byte: the index of the element, or how many elements it is;
    empty if none."""
    indices, count = window.at(byte)
    return f"×{count:,}" if count > 1 else (",".join(map(str, indices[0])) or "()") if count else ""


def _lane(item: str, window: Window, strip: Strip, row: _Row, top: float) -> Item:
    tone: Tone = "accent" if window.array else "node"
    middle = top + LANE / 2
    shapes: list[Shape] = [
        Text(0, middle + 4, fit_within(window.name, 150, SIZE, True), tone, "start", SIZE, True, True)
    ]
    boxes: list[Shape] = []
    span = max(1, window.itemsize // strip.unit)
    for cell, x in row.x.items():
        if not (text := _mark(window, cell * strip.unit)):
            continue
        end = max((row.x[c] + row.wide for c in range(cell, cell + span) if c in row.x), default=x + row.wide)
        boxes.append(Rect(x + 2, top, end - x - 4, LANE, 4, tone, True))
        boxes.append(Text((x + end) / 2, middle + 4, fit(text, end - x - 6, SIZE, True), "plain", size=SIZE, mono=True))
    rects = [b for b in boxes if isinstance(b, Rect)]
    if rects:
        shapes.append(Path(((rects[0].x, middle), (rects[-1].x + rects[-1].width, middle)), tone, width=1.2))
    else:
        shapes.append(
            Text(next(iter(row.x.values()), 190.0), middle + 4, say("storage.no_elements"), "muted", "start", SIZE)
        )
    return Item(item, tuple(shapes + boxes), _order(window, strip), (Facts(tuple(_facts(window, strip))),), window.name)


def _order(window: Window, strip: Strip) -> str:
    """The cells in the order of the window's elements: "`x.t()`: cells 0 3 1 4 2 5"."""
    places = [str(place // strip.unit) for _, place in window.places(LISTED)]
    if not places:
        return say("storage.lane_empty", name=code(window.name))
    more = f" {GAP}" if window.size() > len(places) else ""
    key = "storage.lane_one" if len(places) == 1 and not more else "storage.lane"
    return say(key, name=code(window.name), cells=" ".join(places) + more)


def _sized(strip: Strip) -> str:
    """How large a piece of memory is: "24 B, 6 cells of 4 B"."""
    cells = strip.nbytes // strip.unit
    key = "storage.size_one" if cells == 1 else "storage.size"
    return say(key, bytes=f"{strip.nbytes:,}", cells=f"{cells:,}", unit=strip.unit)


def _words(number: int, strip: Strip, cells: Sequence[int], said: dict[int, str]) -> tuple[str, ...]:
    size = _sized(strip)
    shown = []
    for before, cell in zip([-1, *cells], cells, strict=False):
        if cell != before + 1:
            shown.append(GAP)
        shown.append(said.get(cell, "·"))
    head = say("storage.head", number=number, size=size)
    return (
        head,
        *([say("storage.cells", values="  ".join(shown))] if shown else []),
        *(_order(w, strip) for w in strip.windows),
    )


# -- facts and sentences -----------------------------------------------------------------------------------------------


def _strides(window: Window) -> str:
    """In elements, as tensors have them; in bytes, as NumPy has them."""
    if window.array:
        return f"{window.strides} B"
    return str(tuple(s // window.itemsize for s in window.strides))


def _facts(window: Window, strip: Strip) -> list[tuple[str, str]]:
    return [
        (say("show.shape"), str(window.shape)),
        (say("show.stride"), _strides(window)),
        (say("storage.column_first"), str(window.offset // strip.unit)),
        (say("show.dtype"), window.dtype),
    ]


def _version(thing: Any) -> str:
    if is_array(thing):
        return "—"
    try:
        return str(thing._version)
    except RuntimeError:  # made in inference mode
        return "—"


def _table(found: Sequence[Strip], things: Sequence[tuple[str, Any]]) -> Table:
    rows, marks = [], list[str]()
    for number, strip in enumerate(found, 1):
        for window, member in zip(strip.windows, strip.members, strict=True):
            thing = things[member][1]
            kind = "NumPy" if window.array else type(thing).__name__
            rows.append(
                (
                    code(window.name),
                    kind,
                    window.dtype,
                    str(window.shape),
                    _strides(window),
                    str(window.offset // strip.unit),
                    yes(contiguous(thing)),
                    _version(thing),
                    str(number),
                )
            )
            marks.append(mark(thing, window.name))
    columns = ("name", "kind", "dtype", "shape", "stride", "first", "contiguous", "version", "memory")
    return Table(tuple(say(f"storage.column_{c}") for c in columns), tuple(rows), tensors=tuple(marks))


def _legend(found: Sequence[Strip]) -> Note:
    windows = [w for strip in found for w in strip.windows]
    most = max((w.at(place)[1] for w in windows for _, place in w.places(LISTED)), default=0)
    several = say("storage.legend_several", count=f"{most:,}") if most > 1 else ""
    return Note(say("common.sentences").join(filter(None, [say("storage.legend"), several])), "muted")


def _notes(found: Sequence[Strip], things: Sequence[tuple[str, Any]]) -> list[Note]:
    notes = []
    for thing in {id(thing): thing for _, thing in things}.values():
        names = list(dict.fromkeys(code(name) for name, other in things if other is thing))
        if len(names) > 1:
            said = "storage.same_array" if is_array(thing) else "storage.same_object"
            notes.append(Note(say(said, names=say("common.list").join(names)), "accent"))
    for strip in found:
        names = list(dict.fromkeys(code(w.name) for w in strip.windows if w.size()))
        if len(names) > 1:
            notes.append(Note(say("storage.shared", names=say("common.list").join(names)), "node"))
        for window, member in zip(strip.windows, strip.members, strict=True):
            if way := turned(things[member][1]):
                notes.append(Note(say(f"storage.{way}", name=code(window.name)), "accent"))
        if any(w.array for w in strip.windows) and not all(w.array for w in strip.windows):
            notes.append(Note(say("storage.numpy_writes"), "accent"))
    firsts = [code(strip.windows[0].name) for strip in found if strip.nbytes]
    if len(firsts) > 1:
        notes.append(Note(say("storage.apart", names=say("common.list").join(firsts)), "muted"))
    return notes


def _beyond(things: Sequence[tuple[str, Any]], names: Names) -> list[Note]:
    """Who else looks at the memory, by name, that was not asked about."""
    given = {known for _, thing in things for known in names.all(thing)}
    notes, said = [], set[tuple[str, ...]]()
    for name, thing in things:
        others = tuple(code(other) for other in sharing(thing, names) if other not in given)
        if others and others not in said:
            said.add(others)
            listed = [*others[:ELSE], GAP] if len(others) > ELSE else others
            notes.append(Note(say("storage.beyond", name=code(name), names=say("common.list").join(listed)), "muted"))
    return notes
