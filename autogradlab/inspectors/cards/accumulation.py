"""`accumulation`: the ledger of a leaf's `.grad`, every backward an entry."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..live import Live, live
from ..parts import Badge, Block, Card, Drawing, Item, Note, Path, Rect, Shape, Table, Text, Tone
from ..prose import width
from ..snapshot.callers import space_now
from ..snapshot.calls import arguments
from ..snapshot.identity import mark
from ..snapshot.kinds import is_tensor, type_name
from ..snapshot.ledger import Entry, Ledger
from ..snapshot.names import Names, names_of
from ..snapshot.origins import place
from ..snapshot.reasons import advice, grad_reason
from ..snapshot.samples import KEPT
from ..values import FEW, brief, grid, numbers, told
from ..words import language, say

__all__ = ["Accumulation", "accumulation"]

#: entries that the picture and the table show, and paths that one entry names
BARS, ROWS, PARTS = 7, 60, 6
#: bars that leave room for words beside them; the height of more of them, and where there is none to be seen
BESIDE, LOW, FLAT = 4, 84.0, 30.0
#: entries of a long list that are not folded; below the numbers of a tensor, all are
LAST = 3
#: rows and columns of the numbers
SEEN = 6
#: runs of backwards that are named
NAMED = 4
#: what stands in front of the norm of a tensor
NORM = "‖·‖ "

#: letters of the numbers that came from Nodes of one kind
LONG = 60

#: of many bars the least width of each, and how far apart the lines above them are
NARROW, LINE = 70.0, 15.0
WIDE, HIGH, TOP, BAR, SIZE = 120.0, 130.0, 34.0, 62.0, 13.0


def accumulation(tensor: Any, *roots: Any, element: Any = None) -> Accumulation:
    """Follow the `.grad` of a leaf from now on: each `backward()` is an entry, and so is whatever else changes it.

    What met at the leaf is told apart by Node where these could be watched: for `roots` (results on which `backward()`
    will be called) and for results that variables hold when a cell starts. `element` is the index of one element for
    the bars to show. It follows until `close()`, or to the end of a `with` block, and keeps no tensor alive.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> w = torch.tensor(1., requires_grad=True)
    >>> with lab.accumulation(w) as ledger:
    ...     for _ in range(2):
    ...         (3 * w).backward()
    >>> [(entry.kind, entry.total) for entry in ledger.entries]
    [('backward', tensor(3.)), ('backward', tensor(6.))]
    """
    written = arguments()
    return live(Accumulation)(tensor, roots, element, space_now(), written[0] if written else "t")


class Accumulation(Live):
    """The ledger as an inspector: made anew after each cell, and when it is looked at."""

    def __init__(self, tensor: Any, roots: Any, element: Any, space: Mapping[str, Any], written: str) -> None:
        names = names_of(space)
        self._name = (names.of(tensor) if is_tensor(tensor) else None) or written
        self._element = element
        self.ledger: Ledger | None = None
        self._refused = _refusal(tensor, self._name, names, space)
        if not self._refused:
            self.ledger = Ledger(tensor, roots, space)
        super().__init__(self._compose(names))
        if self.ledger is not None:
            self.on_close(self.ledger.close)
            self.watch_cells()

    @property
    def entries(self) -> list[Entry]:
        """The entries so far; their gradients are copies."""
        if self.ledger is None:
            return []
        self.ledger.look()
        return list(self.ledger.entries)

    def total(self) -> Any:
        """What the entries add up to."""
        return None if self.ledger is None else self.ledger.total()

    def make(self) -> Card:
        space = space_now()
        if self.ledger is not None and self.ledger.open:
            self.ledger.follow((), space)
        return self._compose(names_of(space))

    def _compose(self, names: Names) -> Card:
        if self.ledger is None:
            return Card("accumulation", "lab.accumulation", blocks=(Note(self._refused, "warning"),), lang=language())
        if self.ledger.open:
            self.ledger.look()
        leaf = self.ledger.leaf()
        rebound = leaf is not None and names.of(leaf) is None and any(n == self._name for n, _ in names)
        if leaf is not None and not rebound:
            self._name = names.of(leaf) or self._name
        return _card(self.ledger, self._name, rebound, self._element)


def _refusal(tensor: Any, name: str, names: Names, space: Mapping[str, Any]) -> str:
    """Why this has no ledger; empty if it can have one."""
    if not is_tensor(tensor):
        return say("accumulation.no_tensor", type=type_name(tensor))
    if not tensor.is_leaf:
        return say("accumulation.no_leaf", name=name, node=tensor.grad_fn.name())
    if not tensor.requires_grad:
        return advice(grad_reason(tensor, names, space, name))
    return ""


def _card(ledger: Ledger, name: str, rebound: bool, element: Any) -> Card:
    leaf, entries = ledger.leaf(), ledger.entries
    blocks: list[Block] = []
    if leaf is None:
        blocks.append(Note(say("accumulation.gone"), "warning"))
    if rebound:
        blocks.append(Note(say("accumulation.rebound", name=name), "warning"))
    if ledger.trouble:
        blocks.append(Note(say("accumulation.trouble", error=ledger.trouble), "warning"))
    if not entries:
        blocks.append(Note(say("accumulation.empty", name=name), "muted"))
    else:
        blocks += _body(entries, name, element, None if leaf is None else leaf.grad)
    badges: list[Badge] = []
    if leaf is not None and ledger.open and entries:
        badges.append(_verdict(ledger))
    if not ledger.open:
        badges.append(Badge(say("accumulation.closed"), "muted"))
    title = say("accumulation.title", name=name)
    tensor = "" if rebound else mark(leaf, name)
    return Card("accumulation", title, badges=tuple(badges), blocks=tuple(blocks), lang=language(), tensor=tensor)


def _verdict(ledger: Ledger) -> Badge:
    """Whether the entries add up to `.grad`; NaN adds up to nothing."""
    total = ledger.total()
    if total is not None and bool((total != total).any()):
        return Badge(say("accumulation.nan"), "warning")
    up = ledger.adds_up()
    return Badge(say("accumulation.adds_up" if up else "accumulation.differs"), "good" if up else "warning")


@dataclass(frozen=True, slots=True)
class _At:
    """The element that stands for a tensor: its number in the sample that entries keep, and of how many elements it is
    the largest: of those that are never NaN."""

    number: int
    among: int


def _largest(entries: list[Entry]) -> _At:
    """The element that was the largest in any entry: signs cancel in a sum, but not in one element. One that is NaN
    somewhere is as large as nothing, and stands for the tensor only where there is no other."""
    best: Any = None
    for entry in entries:
        for tensor in (entry.total, entry.added):
            if tensor is not None and tensor.numel():
                sizes = tensor.reshape(-1).abs().double()
                best = sizes if best is None else best.maximum(sizes)  # NaN stays NaN
    if best is None:
        return _At(0, 0)
    ever = best == best
    return _At(int(best.where(ever, best.new_full((), -1.0)).argmax().item()), int(ever.sum().item()))


#: the words where some elements, or all, are NaN at one time or another
_NUMBERS = {"sampled": "sampled_number", "largest": "largest_number"}
_NANS = {"sampled": "sampled_nan", "largest": "largest_nan"}


def _index(number: int, count: int, shape: Sequence[int]) -> str:
    """The index of an element of a sample in the tensor itself: "[0, 2]"."""
    flat, parts = number * -(-count // KEPT) if count > KEPT else number, []
    for size in reversed(shape):
        parts.append(str(flat % size))
        flat //= size
    return f"[{', '.join(reversed(parts))}]"


def _body(entries: list[Entry], name: str, chosen: Any, grad: Any) -> list[Block]:
    shown = entries[-BARS:]
    blocks: list[Block] = []
    largest = max((e.total.numel() for e in entries if e.total is not None), default=1)
    element = _largest(entries) if chosen is None and largest > 1 else chosen
    heights = [_height(e, element) for e in entries]
    if largest:  # what has no elements has no heights
        before = [_totals(entries, i)[0] for i in range(len(entries))]
        blocks.append(_drawing(shown, before[-BARS:], heights[-BARS:], element))
    last = LAST
    if grad is not None and grad.numel() > FEW:
        blocks.append(grid(grad, say("accumulation.now", name=name), "gradient", most=SEEN))
        last = 0
    blocks += _lessons(entries, name)
    said = [say("accumulation.earlier", shown=BARS, count=len(entries))] if len(entries) > BARS else []
    if isinstance(element, _At):
        like = grad if grad is not None else next(e.total for e in reversed(entries) if e.total is not None)
        count = like.numel()
        key = "sampled" if count > KEPT else "largest"
        if element.among < largest:
            key = _NUMBERS[key] if element.among else _NANS[key]
        place_ = _index(element.number, count, tuple(like.shape))
        fields = {"count": count, "kept": largest, "among": element.among, "element": place_}
        said.append(say(f"accumulation.{key}", **fields))
    elif largest > 1:
        said.append(say("accumulation.chosen", element=element))
    if largest > FEW:
        said.append(say("accumulation.norm"))
    if said:
        blocks.append(Note(say("common.sentences").join(said), "muted"))
    return [*blocks, *_tables(entries, last)]


def _lessons(entries: list[Entry], name: str) -> list[Block]:
    found: list[Block] = []
    grown = [e for i, e in enumerate(entries) if e.kind == "backward" and i and _lay_there(entries[i - 1].total)]
    if grown:
        which = _runs([e.number for e in grown])
        found.append(Note(say("accumulation.grows", which=which, name=name), "plain"))
    if any(len(e.parts) > 1 and e.parts[0].value is None for e in entries):
        found.append(Note(say("accumulation.unseen_hint", name=name), "muted"))
    return found


def _runs(numbers_: list[int]) -> str:
    """Which backwards: `#1–#3, #5`, those in between all or none."""
    runs: list[list[int]] = []
    for number in numbers_:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    said = [f"#{run[0]}–#{run[-1]}" if len(run) > 2 else say("common.list").join(f"#{n}" for n in run) for run in runs]
    names, more = say("common.list").join(said[:NAMED]), sum(map(len, runs[NAMED:]))
    return say("common.names_more", names=names, count=more) if more else names


def _lay_there(total: Any) -> bool:
    """Whether there was something to add to."""
    return total is not None and bool((total != 0).any())


def _event(entry: Entry) -> str:
    if entry.kind == "backward":
        return say("accumulation.backward", number=entry.number)
    if entry.kind == "zeroed" and entry.in_place:
        return say("accumulation.zeroed_in_place")
    return say(f"accumulation.{entry.kind}")


# -- the table ---------------------------------------------------------------------------------------------------------


def _tables(entries: list[Entry], last: int) -> list[Table]:
    """The entries as they are listed; of many, those before the last ones folded."""
    whole = _table(entries)
    if len(whole.rows) <= LAST + 2:
        return [whole]
    earlier = len(whole.rows) - last
    folded = say("accumulation.before" if last else "accumulation.all", count=earlier)
    before = replace(whole, rows=whole.rows[:earlier], tones=whole.tones[:earlier], folded=folded)
    return [before] if not last else [before, replace(whole, rows=whole.rows[earlier:], tones=whole.tones[earlier:])]


def _table(entries: list[Entry]) -> Table:
    columns = tuple(say(f"accumulation.{c}") for c in ("number", "event", "added", "after", "by", "where"))
    rows, tones = [], []
    first = max(0, len(entries) - ROWS)
    for number, entry in enumerate(entries[first:], first + 1):
        added = "" if entry.added is None else _plus(_said(entry.added))
        total = "None" if entry.total is None else _said(entry.total)
        where = "" if entry.place is None else place(entry.place)
        rows.append((str(number), _event(entry), added, total, _ways(entry), where))
        tones.append(_tone(entry))
    return Table(columns, tuple(rows), tuple(tones))


def _tone(entry: Entry) -> Tone:
    tones: Mapping[str, Tone] = {
        "backward": "gradient",
        "set": "warning",
        "edited": "warning",
        "by_hook": "warning",
        "found": "plain",
    }
    return tones.get(entry.kind, "node")


def _ways(entry: Entry) -> str:
    """Which path brought what: `1. from AddBackward0 (b) + 2. from MulBackward0 (a)`."""
    if entry.altered:
        text = say("accumulation.unseen_hooked", nodes=_few([p.node for p in entry.parts]))
    elif entry.parts and entry.parts[0].value is None and len(entry.parts) > 1:
        text = say("accumulation.unseen", nodes=_few([p.node for p in entry.parts]))
    else:
        alike: dict[tuple[str, str | None], list[Any]] = {}
        for part in entry.parts:
            value = entry.arrived if part.value is None else part.value
            alike.setdefault((part.node, part.name), []).append(value)
        said = []
        for (node, name), values in alike.items():
            key = "accumulation.part" if name is None else "accumulation.part_named"
            said.append(say(key, value=_several(values), node=node, name=name))
        text = _few(said)
    if entry.hooked:
        text += ("; " if text else "") + say(
            "accumulation.hooked", added=_said(entry.added), arrived=_said(entry.arrived)
        )
    return text


def _several(values: Sequence[Any]) -> str:
    """What came from Nodes of one kind: the numbers, added up; of larger tensors the norms, which do not add up."""
    said = [_said(value) for value in values[:PARTS]]
    norms = values[0].numel() > FEW
    if norms:
        said = [said[0], *(text.removeprefix(NORM) for text in said[1:])]
    joint = ", " if norms else " + "
    while len(said) > 1 and len(joint.join(said)) > LONG:
        said.pop()
    text = joint.join(said)
    more = len(values) - len(said)
    return say("accumulation.more_parts", parts=text, count=more) if more > 0 else text


def _few(said: list[str]) -> str:
    """Summands, the first of them where there are many."""
    more = len(said) - PARTS
    return " + ".join(said) if more <= 1 else say("accumulation.more_parts", parts=" + ".join(said[:PARTS]), count=more)


def _said(tensor: Any) -> str:
    """The numbers of a small tensor; of another its norm, in which nothing cancels."""
    text = told(tensor)
    return text if tensor.numel() <= FEW else f"{NORM}{_words(_norm(tensor))}"


def _norm(tensor: Any) -> float:
    return float((tensor.abs() ** 2).sum().item()) ** 0.5


def _plus(text: str) -> str:
    return text if text.startswith("-") else f"+ {text}"


# -- the picture -------------------------------------------------------------------------------------------------------


def _number(tensor: Any, element: Any) -> float:
    """The height that stands for a tensor: its one element, or the chosen one. Complex numbers: the real part."""
    if tensor is None or not tensor.numel():
        return 0.0
    if element is None or tensor.numel() == 1:
        chosen = tensor.reshape(-1)[0]
    elif isinstance(element, _At):
        chosen = tensor.reshape(-1)[element.number]
    else:
        try:
            chosen = tensor[element]
            chosen = chosen.reshape(-1)[_largest_of(chosen)]
        except Exception:  # an index that does not fit
            chosen = tensor.reshape(-1)[_largest_of(tensor)]
    value = chosen.item()
    return float(value.real if isinstance(value, complex) else value)


def _largest_of(tensor: Any) -> int:
    return int(tensor.reshape(-1).abs().argmax().item())


def _height(entry: Entry, element: Any) -> float:
    return _number(entry.total, element)


def _totals(entries: list[Entry], i: int) -> tuple[Any, Any]:
    """`.grad` before and after entry i."""
    return (entries[i - 1].total if i else None), entries[i].total


def _words(value: float) -> str:
    """A number as a tensor prints it."""
    return numbers(_Scalar(value))


class _Scalar:
    """Enough of a tensor for `values.numbers`."""

    def __init__(self, value: float) -> None:
        self.value = value

    def tolist(self) -> float:
        return self.value


#: the zeros and the plus of an exponent
_EXPONENT = re.compile(r"e(?:\+0*|(-)0*)")
_BARS = ("backward", "found")  # kinds of entries that are drawn as bars


def _drawing(entries: list[Entry], before: list[Any], heights: list[float], element: Any) -> Drawing:
    starts = [_number(b, element) for b in before]
    finite = [h for h in [*heights, *starts, 0.0] if math.isfinite(h)]
    high, low = max(finite), min(finite)
    span = (high - low) or 1.0
    many = len(entries) > BESIDE
    bars = [(e, h) for e, h in zip(entries, heights, strict=True) if e.kind in _BARS]
    above = [_above(entry, height, element) for entry, height in bars]
    beside = [" ".join(lines) for lines in above]
    crowded = many or any(width(text, SIZE, mono=True, bold=True) > WIDE - 10 for text in beside)
    tall = FLAT if high == low else LOW if many else HIGH
    zero = TOP + crowded * LINE + tall * (high / span if high - low else 1.0)

    def y(value: float) -> float:
        return zero - value * tall / span

    brief = [say("accumulation.by_hook_bar") if e.kind == "by_hook" else _event(e) for e in entries]
    named = [_lines(text) if many else [text] for text in brief]
    wide = max([NARROW, *(width(line, SIZE) + 6 for lines in named for line in lines)]) if many else WIDE
    tight = many and any(width(line, SIZE, mono=True, bold=True) > wide - 2 for lines in above for line in lines)
    ticks = sorted({low, 0.0, high})
    left = max(width(_label(tick), SIZE, mono=True) for tick in ticks) + 16
    whole = left + wide * len(entries) + 12
    axis: list[Shape] = []
    for tick in ticks:
        axis.append(
            Path(
                ((left - 6, y(tick)), (whole - 6, y(tick))),
                "muted",
                dashed=tick != 0.0,
                width=1.0 if tick == 0.0 else 0.6,
            )
        )
        axis.append(Text(left - 12, y(tick) + 4, _label(tick), "muted", "end", SIZE, mono=True))
    bottom = max(y(low), zero)
    items = [Item("axis", tuple(axis))]
    for i, entry in enumerate(entries):
        middle = left + wide * (i + 0.5)
        shapes = (
            _bar(entry, middle, starts[i], heights[i], y, element, crowded, tight)
            if entry.kind in _BARS
            else _mark(entry, middle, heights[i], y, bottom)
        )
        tone: Tone = _tone(entry) if entry.kind != "backward" else "plain"
        shapes += [Text(middle, bottom + 22 + LINE * k, line, tone, size=SIZE) for k, line in enumerate(named[i])]
        total = "None" if entry.total is None else _words(heights[i])
        added = _words(_number(entry.added, element))
        key = "accumulation.bar" if entry.kind == "backward" else "accumulation.mark"
        items.append(Item(f"e{i + 1}", tuple(shapes), say(key, event=_event(entry), added=added, total=total)))
    return Drawing(whole, bottom + 21 + LINE * max(map(len, named)), tuple(items), (), say("accumulation.label"))


def _lines(text: str) -> list[str]:
    """A few words in two lines."""
    first, _, last = text.rpartition(" ")
    return [first, last] if first else [last]


def _above(entry: Entry, end: float, element: Any, tight: bool = False) -> list[str]:
    """What stands above a bar; where there is little room, without an arrow and what is not needed of exponents."""
    if entry.kind == "found":
        return [_label(end)]
    added, total = _signed(_number(entry.added, element)), _label(end)
    return [_EXPONENT.sub(r"e\1", text) for text in (added, total)] if tight else [added, f"→ {total}"]


def _bar(
    entry: Entry, middle: float, start: float, end: float, y: Any, element: Any, crowded: bool, tight: bool
) -> list[Shape]:
    """What was there pale, what came on top of it solid, path by path; what goes the other way as an outline. Where it
    is crowded, what was added stands above what it makes."""
    left = middle - BAR / 2
    shapes: list[Shape] = []
    added = _number(entry.added, element)
    said = _above(entry, end, element, tight)
    said = said if crowded else [" ".join(said)]

    def labels(base: float, tone: Tone) -> list[Shape]:
        bases = [base - LINE * k for k in reversed(range(len(said)))]
        pairs = zip(bases, said, strict=True)
        return [Text(middle, at, text, tone, size=SIZE, mono=True, bold=True) for at, text in pairs]

    if not (math.isfinite(start) and math.isfinite(end)):
        shapes.append(Path(((left, y(0.0)), (left + BAR, y(0.0))), "warning", width=4.0))
        return [*shapes, *labels(y(0.0) - 8, "warning")]
    if entry.kind == "found":
        shapes += _box(left, 0.0, end, y, "gradient", fill=True)
    elif start == 0.0 or (start > 0) == (added > 0):
        shapes += _box(left, 0.0, start, y, "gradient", fill=True)
        at = start
        for step in _steps(entry, added, element):
            shapes += _box(left, at, at + step, y, "gradient", solid=True)
            at += step
    else:  # it takes away from what was there
        shapes += _box(left, 0.0, start, y, "gradient", fill=True)
        shapes += _box(left + BAR * 0.25, start, end, y, "gradient", solid=True, width=BAR * 0.5)
    top = min(y(max(start, end, 0.0)), y(0.0))
    return [*shapes, *labels(top - 8, "gradient")]


def _steps(entry: Entry, added: float, element: Any) -> list[float]:
    """The parts of what was added, if they were seen and all point the same way; else the whole."""
    steps = [_number(p.value, element) for p in entry.parts if p.value is not None]
    alike = all(s >= 0 for s in steps) or all(s <= 0 for s in steps)
    return steps if len(steps) > 1 and alike and not entry.hooked and all(map(math.isfinite, steps)) else [added]


def _box(
    left: float, a: float, b: float, y: Any, tone: Tone, fill: bool = False, solid: bool = False, width: float = BAR
) -> list[Shape]:
    """A box from a to b, a hair apart from the one that it stands on."""
    top, bottom = sorted((y(a), y(b)))
    return (
        []
        if bottom - top < 0.01
        else [Rect(left, top + 1.5, width, max(bottom - top - 3.0, 0.5), 1.0, tone, fill, solid)]
    )


def _mark(entry: Entry, middle: float, height: float, y: Any, bottom: float) -> list[Shape]:
    """A dashed line: somebody changed `.grad` by hand; what it is then stands below."""
    tone = _tone(entry)
    if entry.kind not in ("set", "edited", "by_hook"):
        return [Path(((middle, TOP - 14), (middle, bottom)), tone, dashed=True, width=1.6)]
    shapes: list[Shape] = []
    at = min(y(height), y(0.0)) if math.isfinite(height) else y(0.0)
    if at > TOP + 12:
        shapes.append(Path(((middle, TOP - 14), (middle, at - 24)), tone, dashed=True, width=1.6))
    if math.isfinite(height):
        shapes += _box(middle - BAR / 2, 0.0, height, y, tone, fill=True)
    shapes.append(Text(middle, at - 8, f"→ {_label(height)}", tone, size=SIZE, mono=True, bold=True))
    return shapes


def _label(value: float) -> str:
    """A number beside a bar: three digits of a long one, since the table has them all."""
    text = _words(value)
    return text if len(text) <= 6 else brief(value)


def _signed(value: float) -> str:
    return _label(value) if value < 0 else f"+{_label(value)}"
