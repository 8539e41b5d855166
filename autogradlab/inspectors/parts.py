"""The parts of which every inspector's picture consists: plain frozen data, the same for text, SVG, HTML and widget.

A `Card` has a heading, badges, blocks from top to bottom and, if something happens in it, frames. Who makes a card
knows tensors and graphs; who renders one knows neither. Everything in a card is a string, a number or a tuple of parts,
so `to_json` is all that a widget needs, and no card keeps a tensor alive.

Text in parts is plain text of unknown origin (names of variables, reprs, messages): renderers escape it. Two marks are
understood in sentences: `code` between backquotes, and **strong** between double asterisks.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

__all__ = [
    "Ask",
    "Badge",
    "Block",
    "Card",
    "Choice",
    "Drawing",
    "Ellipse",
    "Facts",
    "Fold",
    "Formula",
    "Frame",
    "Grid",
    "Group",
    "Item",
    "Mark",
    "Moment",
    "Note",
    "Path",
    "Program",
    "Rect",
    "Row",
    "Shape",
    "Sum",
    "Table",
    "Text",
    "Timeline",
    "Worked",
    "stilled",
    "to_json",
]

#: What something is, for colour, weight and dash; always said in words or by form too.
Tone = Literal["plain", "muted", "leaf", "node", "gradient", "hook", "saved", "warning", "good", "accent"]

#: What is happening to an item in a frame.
State = Literal["idle", "waiting", "active", "done", "failed", "hidden"]


@dataclass(frozen=True, slots=True)
class Badge:
    """A word or two in the heading: `is_leaf ✓`."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph. With `lead` its first words stand out: **`.grad` is None:** ..."""

    text: str
    tone: Tone = "plain"
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels and values, two columns of them where there is room."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers in rows and columns, as text. `heat` (0 to 1, NaN for none) shades the cells where it is given.

    `more` says what is not shown ("10 of 4096 rows"). `heads` gives each row its heading in front, or there are none:
    the leading indices of a row of a tensor with three dimensions or more ("[0, 1]").
    """

    caption: str
    rows: tuple[tuple[str, ...], ...]
    tone: Tone = "plain"
    heat: tuple[tuple[float, ...], ...] = ()
    more: str = ""
    heads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a heading for each column; `tones` gives one for each row, or none at all.

    Cells are sentences: `code` between backquotes is set as code. `tensors` has the mark of the tensor that each row is
    about, "" for none; the cell of column `named` is its name. `folded`: what stands on a page until it is opened.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    tones: tuple[Tone, ...] = ()
    caption: str = ""
    tensors: tuple[str, ...] = ()
    named: int = 0
    folded: str = ""


# -- drawings ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rect:
    x: float
    y: float
    width: float
    height: float
    radius: float = 4.0
    tone: Tone = "plain"
    fill: bool = False  #: a pale ground in the tone's hue, on which text is read; else the card's own ground
    solid: bool = False  #: the tone itself as the ground, for bars; write beside it, not on it


@dataclass(frozen=True, slots=True)
class Ellipse:
    x: float
    y: float
    rx: float
    ry: float
    tone: Tone = "plain"
    fill: bool = False
    solid: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points: `curve` makes each three further points a cubic Bézier; `arrow` puts a head at its end."""

    points: tuple[tuple[float, float], ...]
    tone: Tone = "plain"
    curve: bool = False
    arrow: bool = False
    dashed: bool = False
    width: float = 1.4


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text at (x, y), its baseline. A text with a `slot` may be changed by frames."""

    x: float
    y: float
    text: str
    tone: Tone = "plain"
    anchor: Literal["start", "middle", "end"] = "middle"
    size: float = 13.0
    mono: bool = False
    bold: bool = False
    slot: str = ""


Shape = Rect | Ellipse | Path | Text


@dataclass(frozen=True, slots=True)
class Item:
    """Shapes that are one thing: a Node, a variable, an edge with its label.

    id: unique in the drawing, by order of appearance ("n3", "v1", "e7").
    label: what a screen reader says, and the tooltip. With `details` it can be focused, clicked, opened with Enter.
    find: what a search should match (names, Node class).
    """

    id: str
    shapes: tuple[Shape, ...]
    label: str = ""
    details: tuple[Block, ...] = ()
    find: str = ""
    tensor: str = ""  #: the mark of the tensor that it shows: cards light up what is the same


@dataclass(frozen=True, slots=True)
class Fold:
    """Items that can be folded away behind the item `at`; `label` then says what is hidden ("12 Nodes")."""

    at: str
    items: tuple[str, ...]
    label: str
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """The item `at` stands for several items of another drawing of the same thing, and has their state."""

    at: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of items in a box of `width` by `height` pixels. `words` says the same, a line each.

    groups: of a folded drawing, what stands for what; `named` says what its hidden Nodes are called, while one runs.
    """

    width: float
    height: float
    items: tuple[Item, ...]
    words: tuple[str, ...]
    label: str = ""
    folds: tuple[Fold, ...] = ()
    zoom: bool = False
    groups: tuple[Group, ...] = ()
    named: tuple[tuple[str, str], ...] = ()


# -- programs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a program: a line, what is called in it, a turn of a loop, a leaf, one of several results of a line.

    kind: "cell", "line", "loop", "turn", "call", "module", "leaf", "result", "left" (what is left out). `parent` is the
    row that it stands in. `name` says whose value and gradient stand beside it; frames fill in the gradient (`grids`)
    and what is to be said of it (`texts`).
    """

    id: str
    text: str
    kind: str
    parent: str = ""
    line: int = 0
    cell: int = 0
    name: str = ""
    value: Grid | None = None
    tag: str = ""  #: of a turn that is one line: which turn
    tensor: str = ""  #: as an item's


@dataclass(frozen=True, slots=True)
class Mark:
    """The row of a Node, and the letters of its text from which it came; none of what a Module calls."""

    node: str
    row: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Program:
    """The learner's own lines. `complete`: every Node's line is known. `of`: what the gradients are gradients of."""

    rows: tuple[Row, ...]
    marks: tuple[Mark, ...] = ()
    complete: bool = True
    of: str = ""


@dataclass(frozen=True, slots=True)
class Worked:
    """A gradient worked out: `formula` in symbols (or `plain` words), its operands and what they give, as numbers.

    how: "matmul" (rows times columns: an element of `out` lights a row of the first and a column of the second
    operand), "each" (element by element), "same" (an element comes of those at its place), "columns" (each column added
    up), "" (nothing is said of single elements). `signs` stand between the operands.
    """

    to: str
    formula: str
    how: str
    operands: tuple[tuple[str, Grid], ...]
    signs: tuple[str, ...]
    out: Grid
    source: int = 0  #: which of the card's formulas it is, counted from 1; 0 for none
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Formula:
    """A derivative formula of the op table as it is written, and in which file: what "read the formula" opens.

    Its line is left out: notebooks keep cards, and would change with every line that is added above it.
    """

    file: str
    code: str


# -- what is looked at piece by piece ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sum:
    """What one step did to a `.grad`, in its first numbers: `left` lay there (empty: it was None), `added` came to it,
    `now` is there (empty: the same as `added`). up: it adds up; odd: some of it is not finite, and adds up to
    nothing."""

    left: tuple[tuple[str, ...], ...]
    added: tuple[tuple[str, ...], ...]
    now: tuple[tuple[str, ...], ...]
    up: bool
    odd: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of a training: its place in the picture, its sentence, what is to be noticed in it, the size of each
    gradient, and what was left over, added and is there now (None where that was not kept)."""

    x: float
    sentence: str
    said: tuple[str, ...]
    sizes: tuple[str, ...]
    sums: tuple[Sum | None, ...]
    step: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """A training to go through. `drawing` has an item "cursor" at the moment `at`, and slots "r0", "r1", … for sizes.

    names: of the parameters, with their shapes. marks: the moments at which something is to be noticed. backwards: the
    moments whose backward is held here as a card; `known` those for which the kernel can be asked. words: what is
    written around the numbers. still: the moment `at` as blocks, where nothing moves.
    """

    drawing: Drawing
    moments: tuple[Moment, ...]
    at: int
    names: tuple[str, ...]
    marks: tuple[int, ...]
    known: tuple[int, ...]
    backwards: tuple[tuple[int, Card], ...]
    words: tuple[tuple[str, str], ...]
    still: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Numbers of which some can be chosen: `cells` (row and column) have each a name and blocks of their own, of which
    those of number `at` are shown to begin with."""

    grid: Grid
    cells: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    options: tuple[tuple[Block, ...], ...]
    at: int
    help: str


Block = Note | Facts | Grid | Table | Drawing | Program | Timeline | Choice


# -- frames ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """What a learner may be asked before a frame is shown, and the answer that the engine gave.

    kind: "next" (which item runs: `answers` are ids), "edge" (what goes on: a number, or a factor of `choices`), "grad"
    (what `.grad` is now). `answers` are right.
    """

    kind: str
    text: str
    answers: tuple[str, ...]
    choices: tuple[tuple[str, bool], ...] = ()
    shown: str = ""  #: how the answer is said
    start: str = ""  #: what stands in front of the box: "2. ×"


@dataclass(frozen=True, slots=True)
class Frame:
    """One step: a sentence, and what differs from the frame before.

    states: item id -> state, for items whose state changes in this frame; until then they are idle.
    texts: slot -> new text, for `Text` shapes with that slot.
    panel: blocks beside the drawing while this frame is shown, such as the gradients on the Node's edges in numbers.
    heading: the few words of the title bar ("step 3 of 5 · MulBackward0 runs").
    said: the sentence beside a program, which speaks of lines; without it, `sentence`.
    grids: row of a program -> the gradient that has arrived there.
    asks: what a learner may be asked before this frame is shown. worked: gradients on edges with all their numbers.
    """

    sentence: str
    heading: str = ""
    states: tuple[tuple[str, State], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    panel: tuple[Block, ...] = ()
    tone: Tone = "plain"
    said: str = ""
    grids: tuple[tuple[str, Grid], ...] = ()
    asks: tuple[Ask, ...] = ()
    worked: tuple[Worked, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """Everything an inspector shows.

    kind: the call that made it ("show", "graph", "step"). frames: empty where nothing moves; the first is the start.
    """

    kind: str
    title: str
    subtitle: str = ""
    badges: tuple[Badge, ...] = ()
    blocks: tuple[Block, ...] = ()
    frames: tuple[Frame, ...] = ()
    lang: str = "en"
    cards: tuple[Card, ...] = ()  #: cards side by side, as `watch` has them
    tensor: str = ""  #: of a card about one tensor: as an item's
    predict: bool = False  #: the learner is asked before each step
    formulas: tuple[Formula, ...] = ()
    live: bool = False  #: a pass that pauses: the kernel can be asked for the next step


def stilled(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks as they are shown where nothing moves."""
    shown: list[Block] = []
    for block in blocks:
        if isinstance(block, Timeline):
            shown += block.still
        elif isinstance(block, Choice):
            shown += block.options[block.at]
            shown.append(block.grid)
        else:
            shown.append(block)
    return tuple(shown)


@cache
def _fields(kind: type) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in dataclasses.fields(kind))


def to_json(part: Any) -> Any:
    """Plain dictionaries, lists, strings and numbers; a part's class becomes its `is`; defaults are left out."""
    kind = type(part)
    if part is None or kind is str or kind is int or kind is bool:
        return part
    if kind is float:
        return round(part, 2) if math.isfinite(part) else None  # JSON has no NaN
    if kind is tuple or kind is list:
        return [to_json(p) for p in part]
    if dataclasses.is_dataclass(kind):
        made: dict[str, Any] = {"is": kind.__name__.lower()}
        for name, default in _fields(kind):
            value = getattr(part, name)
            if value is not default and value != default:
                made[name] = to_json(value)
        return made
    for plain in (str, bool, int, float):
        if isinstance(part, plain):  # a subclass, such as NumPy's float64
            return to_json(plain(part))
    raise TypeError(f"to_json: a card holds no {kind.__name__}")
