"""`broadcast`: how shapes meet, rule by rule, and how the gradient is summed back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..inspector import Inspector, present
from ..parts import Block, Card, Drawing, Frame, Grid, Item, Note, Path, Rect, Shape, State, Table, Text, Tone
from ..prose import code, fit, width
from ..snapshot.calls import arguments
from ..snapshot.kinds import is_a, is_array, is_tensor, type_name
from ..snapshot.names import names_of, namespace
from ..snapshot.shapes import Meeting, fits, insertions, meet, sum_back
from ..values import grid, plain_repr
from ..words import language, say
from .show import title_of

__all__ = ["broadcast"]

#: the height of a box, how far its number stands below its top, and how far rows are apart; where the first begins
HIGH, MIDDLE, PITCH, TOP = 30.0, 20.0, 50.0, 22.0
SMALL = 64  #: elements of a result whose operands are shown repeated


@dataclass(frozen=True, slots=True)
class _Operand:
    name: str
    shape: tuple[int, ...]
    value: Any = None  #: the tensor or array, during the call
    number: bool = False  #: a Python number: it has no gradient

    @property
    def kind(self) -> str:
        """What kind of numbers it holds, as far as is known: "float" and "complex" can have a gradient."""
        if self.number:
            return "number"
        if self.value is None:
            return ""  # a shape
        if is_array(self.value):
            return "array"
        dtype = self.value.dtype
        return "complex" if dtype.is_complex else "float" if dtype.is_floating_point else "integer"


def broadcast(*operands: Any) -> Inspector:
    """How the shapes of two or more operands meet, dimension by dimension, and how the gradient is summed back.

    An operand is a tensor, a NumPy array, a number or a shape. Where they do not fit, the card says in which dimension,
    and what to write instead; it raises nothing.

    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> print("\\n".join(lab.broadcast((2, 3), (3,)).text.splitlines()[7:11]))
    2. Dimension 1: 3 and 3 are equal, so the result has 3.
       The result so far: `(?, 3)`
    3. Dimension 0: 2 and 1: the 1 is repeated to 2.
       The result so far: `(2, 3)`
    """
    space = namespace()
    names = names_of(space)
    written = arguments()
    given: list[_Operand] = []
    wrong: list[Note] = []
    taken = {*space, *written}
    letters = (letter for letter in (*"abcdefgh", *(f"t{n}" for n in range(len(operands)))) if letter not in taken)
    for number, thing in enumerate(operands):
        shape = _shape(thing)
        if shape is None:
            name = title_of(thing, written, number, names) if written or names.of(thing) else plain_repr(thing)[:40]
            wrong.append(Note(say("broadcast.no_shape", name=code(name), type=code(type_name(thing))), "warning"))
        elif is_tensor(thing) or is_array(thing):
            given.append(
                _Operand(
                    title_of(thing, written, number, names) if written else names.of(thing) or next(letters),
                    shape,
                    thing,
                )
            )
        elif is_a(thing, (int, float, complex)):
            given.append(_Operand(str(thing), (), number=True))
        else:
            given.append(_Operand(next(letters), shape))
    return present(_card(given, wrong))


def _shape(thing: Any) -> tuple[int, ...] | None:
    """The shape of a tensor, of an array, of a number; or the shape that was given."""
    if is_tensor(thing) or is_array(thing):
        try:
            return tuple(int(n) for n in thing.shape)
        except Exception:  # sizes that are symbols
            return None
    if is_a(thing, (int, float, complex)):
        return ()
    if is_a(thing, (tuple, list)) and all(isinstance(n, int) and n >= 0 and not isinstance(n, bool) for n in thing):
        return tuple(int(n) for n in thing)
    return None


def _card(given: Sequence[_Operand], wrong: Sequence[Note]) -> Card:
    if not given:
        return Card(
            "broadcast", "broadcast", blocks=(*wrong, Note(say("broadcast.nothing"), "warning")), lang=language()
        )
    meeting = meet([o.shape for o in given])
    said = (say("broadcast.with") if len(given) == 2 else ", ").join(str(o.shape) for o in given)
    blocks: tuple[Block, ...] = (*wrong, _drawing(given, meeting))
    *frames, last = _frames(given, meeting)
    frames.append(replace(last, panel=tuple(_answer(given, meeting))))  # whether they meet is not told before
    title = ", ".join(code(o.name) for o in given)
    return Card("broadcast", title, said, blocks=blocks, frames=tuple(frames), lang=language())


def _answer(given: Sequence[_Operand], meeting: Meeting) -> list[Block]:
    """What follows from how they meet."""
    if meeting.result is None:
        return _clash(given, meeting)
    sums = _gradients(given, meeting.result)
    return [*([sums] if sums.rows else []), *_notes(given, meeting.result), *_grids(given, meeting.result)]


# -- the picture -------------------------------------------------------------------------------------------------------


def _drawing(given: Sequence[_Operand], meeting: Meeting) -> Drawing:
    rank = len(meeting.padded[0])
    wide = max(34.0, min(64.0, 400.0 / max(1, rank)))
    result_name = say("broadcast.result")
    margin = min(130.0, max(width(t, 13, True) for t in (*(o.name for o in given), result_name))) + 16
    items = [_header(rank, margin, wide)]
    for row, operand in enumerate(given):
        items.append(
            Item(
                f"o{row}",
                (Text(0, _y(row) + MIDDLE, fit(operand.name, 128, 13, True), "plain", "start", 13, True, True),),
            )
        )
        for k in range(rank):
            items += _box(given, meeting, row, k, margin + k * (wide + 6), wide)
        if rank == 0:
            items.append(Item(f"o{row}s", (Text(margin + 4, _y(row) + MIDDLE, "()", "muted", "start", 13, True),)))
    line = _y(len(given)) + 2
    items.append(Item("line", (Path(((0, line), (margin + max(1, rank) * (wide + 6), line)), "muted", width=1.0),)))
    items.append(Item("r", (Text(0, line + 10 + MIDDLE, result_name, "muted", "start", 13),)))
    for k in range(rank):
        items.append(_result(meeting, k, margin + k * (wide + 6), wide, line + 10))
    if rank == 0:
        items.append(Item("r0", (Text(margin + 4, line + 10 + MIDDLE, "()", "good", "start", 13, True, True),)))
    words = tuple(f"{code(o.name)}: {o.shape}" for o in given)
    label = say("broadcast.label", names=", ".join(o.name for o in given))
    return Drawing(margin + max(1, rank) * (wide + 6) + 4, line + 10 + HIGH + 8, tuple(items), words, label)


def _y(row: int) -> float:
    return TOP + row * PITCH


def _header(rank: int, margin: float, wide: float) -> Item:
    texts = tuple(Text(margin + k * (wide + 6) + wide / 2, 12, f"dim {k}", "muted", size=13) for k in range(rank))
    return Item("dims", texts)


def _box(given: Sequence[_Operand], meeting: Meeting, row: int, k: int, x: float, wide: float) -> list[Item]:
    """A size in its box; below it how often it is repeated, which is seen from its rule on: before, no box differs."""
    size, y = meeting.padded[row][k], _y(row)
    pad = k < len(meeting.padded[0]) - len(given[row].shape)
    to = None if meeting.result is None else meeting.result[k]
    repeated = _repeated(meeting, row, k)
    shapes: tuple[Shape, ...] = (
        Rect(x, y, wide, HIGH, 5, "muted" if pad else "node", not pad),
        Text(
            x + wide / 2,
            y + MIDDLE,
            str(size),
            "muted" if pad else "plain",
            size=14,
            mono=True,
            bold=not pad,
        ),
    )
    name = code(given[row].name)
    said = say("broadcast.box_pad" if pad else "broadcast.box_size", name=name, dim=k, size=size)
    box = Item(f"o{row}d{k}", shapes, said)
    again = say("broadcast.box_repeat", name=name, dim=k, to=to)
    times = Item(f"o{row}d{k}x", (Text(x + wide / 2, y + HIGH + 13, f"×{to}", "accent", size=13, mono=True),), again)
    return [box, times] if repeated else [box]


def _repeated(meeting: Meeting, row: int, k: int) -> bool:
    return meeting.result is not None and meeting.padded[row][k] == 1 and meeting.result[k] != 1


def _result(meeting: Meeting, k: int, x: float, wide: float, y: float) -> Item:
    column = {sizes[k] for sizes in meeting.padded} - {1}
    said = "✗" if len(column) > 1 else str(next(iter(column), 1))
    tone: Tone = "warning" if len(column) > 1 else "good"
    shapes = (
        Rect(x, y, wide, HIGH, 5, tone, True),
        Text(x + wide / 2, y + MIDDLE, said, tone, size=14, mono=True, bold=True),
    )
    return Item(f"r{k}", shapes, say("broadcast.box_result", dim=k, size=said))


# -- what happens, step by step ----------------------------------------------------------------------------------------


def _frames(given: Sequence[_Operand], meeting: Meeting) -> list[Frame]:
    rank = len(meeting.padded[0])
    pads = [(row, rank - len(o.shape)) for row, o in enumerate(given) if len(o.shape) < rank]
    hidden: list[tuple[str, State]] = [(f"o{row}d{k}", "hidden") for row, count in pads for k in range(count)]
    hidden += [(f"r{k}", "hidden") for k in range(rank)]
    times = {k: [f"o{row}d{k}x" for row in range(len(given)) if _repeated(meeting, row, k)] for k in range(rank)}
    hidden += [(item, "hidden") for items in times.values() for item in items]
    frames = [
        Frame(say("broadcast.align"), say("broadcast.align_title"), tuple(hidden), panel=(_so_far(meeting, rank),))
    ]
    if pads:
        parts = [
            say("broadcast.pad", name=code(given[row].name), shape=given[row].shape, padded=meeting.padded[row])
            for row, _ in pads
        ]
        shown: list[tuple[str, State]] = [(f"o{row}d{k}", "active") for row, count in pads for k in range(count)]
        words, so_far = say("broadcast.joint").join(parts), _so_far(meeting, rank)
        frames.append(Frame(words, say("broadcast.pad_title"), tuple(shown), panel=(so_far,)))
    last: list[tuple[str, State]] = [(f"o{row}d{k}", "done") for row, count in pads for k in range(count)]
    for k in reversed(range(rank)):
        sentence, tone = _verdict(meeting, k)
        state: State = "failed" if tone == "warning" else "active"
        column: list[tuple[str, State]] = [(f"o{row}d{k}", state) for row in range(len(given))]
        column += [(item, state) for item in times[k]]
        states, so_far = (*last, *column, (f"r{k}", state)), _so_far(meeting, k)
        frames.append(Frame(sentence, say("broadcast.dim_title", dim=k), states, panel=(so_far,), tone=tone))
        if tone == "warning":
            return frames
        last = [(item, "done") for item, _ in column] + [(f"r{k}", "done")]
    frames.append(
        Frame(say("broadcast.made", shape=meeting.result), say("broadcast.made_title"), tuple(last), tone="good")
    )
    return frames


def _so_far(meeting: Meeting, first: int) -> Note:
    """The shape of the result, of which the sizes from dimension `first` on are known."""
    columns = [sorted({sizes[k] for sizes in meeting.padded} - {1}) for k in range(len(meeting.padded[0]))]
    known = ["✗" if len(sizes) > 1 else str(*sizes or (1,)) for sizes in columns]
    shape = ", ".join("?" if k < first else size for k, size in enumerate(known))
    return Note(say("broadcast.so_far", shape=f"({shape}{',' if len(known) == 1 else ''})"), "muted")


def _verdict(meeting: Meeting, k: int) -> tuple[str, Tone]:
    sizes = [padded[k] for padded in meeting.padded]
    listed = say("broadcast.and").join(map(str, sizes)) if len(sizes) == 2 else ", ".join(map(str, sizes))
    wider = list(dict.fromkeys(size for size in sizes if size != 1))
    if len(wider) > 1:
        listed = say("broadcast.and").join(map(str, wider)) if len(wider) == 2 else ", ".join(map(str, wider))
        return say("broadcast.differ" if len(wider) == 2 else "broadcast.differ_all", dim=k, sizes=listed), "warning"
    if len(set(sizes)) == 1:
        return say(
            "broadcast.equal" if len(sizes) > 1 else "broadcast.alone", dim=k, sizes=listed, size=sizes[0]
        ), "plain"
    key = "broadcast.repeat" if sizes.count(1) == 1 else "broadcast.repeat_each"
    return say(key, dim=k, sizes=listed, size=wider[0]), "plain"


# -- what follows from it ----------------------------------------------------------------------------------------------


def _gradients(given: Sequence[_Operand], result: tuple[int, ...]) -> Table:
    rows = []
    of_complex = any(o.kind == "complex" or (o.number and o.name.strip("()").endswith("j")) for o in given)
    for operand in (o for o in given if o.kind in ("", "float", "complex")):
        extra = len(result) - len(operand.shape)
        repeated = [k for k in range(len(result)) if k < extra and result[k] != 1]
        repeated += [k + extra for k, n in enumerate(operand.shape) if n == 1 and result[k + extra] != 1]
        dims = ", ".join(map(str, repeated)) or "—"
        expression = sum_back(operand.shape, result)
        if of_complex and operand.kind == "float":
            expression += ".real"
        said = code(expression) if expression != "g" else say("broadcast.as_it_is")
        rows.append((code(operand.name), str(operand.shape), dims, said))
    columns = tuple(say(f"broadcast.column_{c}") for c in ("operand", "shape", "repeated", "gradient"))
    return Table(columns, tuple(rows), caption=say("broadcast.gradient", shape=result))


def _notes(given: Sequence[_Operand], result: tuple[int, ...]) -> list[Note]:
    notes = []
    grown = [o for o in given if o.shape != result and _repeats(o.shape, result)]
    if len(given) == 2 and len(grown) == 2 and math.prod(math.prod(o.shape) for o in given) == math.prod(result):
        notes.append(Note(say("broadcast.outer", a=code(given[0].name), b=code(given[1].name), shape=result), "accent"))
    if len(given) == 2 and given[0].shape != result and not given[0].number:
        first = given[0]
        notes.append(
            Note(
                say(
                    "broadcast.in_place",
                    code=code(f"{first.name} += {given[1].name}"),
                    a=code(first.name),
                    shape=first.shape,
                    result=result,
                ),
                "muted",
            )
        )
    return notes


def _repeats(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    padded = (1,) * (len(result) - len(shape)) + shape
    return any(a != b for a, b in zip(padded, result, strict=True))


def _grids(given: Sequence[_Operand], result: tuple[int, ...]) -> list[Grid]:
    """Small operands as the operation sees them: repeated."""
    count = 1
    for n in result:
        count *= n
    held = [o for o in given if o.value is not None]
    if len(held) < len(given) or not 0 < count <= SMALL or len(result) > 2 or all(o.shape == result for o in given):
        return []
    try:
        return [grid(_expanded(o.value, result), say("broadcast.seen", name=code(o.name))) for o in held]
    except Exception:  # a tensor that cannot be expanded (sparse, inside of vmap): the rules hold all the same
        return []


def _expanded(value: Any, result: tuple[int, ...]) -> Any:
    if is_array(value):
        import numpy as np

        return np.broadcast_to(value, result)
    return value.detach().expand(result)


def _clash(given: Sequence[_Operand], meeting: Meeting) -> list[Block]:
    """What PyTorch says, and what to write instead."""
    left, right = meeting.pair
    message = (
        f"The size of tensor a ({left}) must match the size of tensor b ({right}) at non-singleton dimension "
        f"{meeting.clash}"
    )
    blocks: list[Block] = [Note(code(message), "warning", say("broadcast.error_lead"))]
    cures = _cures(given) if len(given) == 2 else []
    blocks.append(
        Note(
            say("broadcast.joint").join(cures) if cures else say("broadcast.no_cure"),
            "good",
            say("broadcast.cure_lead"),
        )
    )
    return blocks


def _cures(given: Sequence[_Operand]) -> list[str]:
    a, b = given
    cures = []
    for one, other in ((b, a), (a, b)):
        index = next(insertions(one.shape, other.shape), None)
        if index is not None:
            extra = say(
                "broadcast.cure_insert",
                code=code(_indexed(one.name, index)),
                name=code(one.name),
                other=code(other.name),
            )
            cures.append(extra)
            break
    if len(b.shape) == 2 and fits(a.shape, b.shape[::-1]):
        cures.append(say("broadcast.cure_transpose", code=code(_indexed(b.name, ".T"))))
    if a.shape and b.shape and a.shape[-1] == (b.shape[-2] if len(b.shape) > 1 else b.shape[0]):
        cures.append(say("broadcast.cure_matmul", code=code(f"{a.name} @ {b.name}")))
    return cures


def _indexed(name: str, index: str) -> str:
    return f"{name}{index}" if name.replace(".", "").replace("_", "").isalnum() else f"({name}){index}"
