"""`watch`: a table with a line for each tensor, refreshed after every cell; what changed since the last one is said."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inspector import Inspector, present
from ..live import after_each_cell
from ..parts import Block, Card, Facts, Grid, Note, Table, Tone
from ..prose import code
from ..snapshot.calls import arguments
from ..snapshot.identity import mark
from ..snapshot.kinds import attribute, is_a, is_array, is_module, is_tensor, type_name, version_of
from ..snapshot.names import Names, Place, Space, dotted, names_of, namespace, notebook
from ..snapshot.tensors import has_grad
from ..values import GAP, brief, dtype, glimpse, plain_repr, shape
from ..words import language, say
from .show import card_of, title_of

__all__ = ["changes", "watch"]

#: lines, and changes in a line, that are shown at most; letters of what is not a tensor
MANY, SAID, LONG = 40, 6, 40
#: elements beyond which the size of a tensor is measured of some of them
MEASURED = 2**22
#: what stands in a cell that says nothing
NOTHING = "—"

COLUMNS = ("name", "values", "grad", "changed", "version", "graph", "tensor")

#: what stands in a line, by what it is: as it is written, and how large it is
Numbers = Mapping[str, tuple[str, float | None]]

_MISSING = object()


def watch(*things: Any) -> Inspector:
    """Several tensors in a table, a line for each. In a notebook it is refreshed after every cell that runs, and says
    what changed.

        lab.watch(w, x, loss)
        lab.watch(model)                    # its parameters; of a list, its tensors
        lab.watch("w", "model.weight")      # by name: it may be deleted, come back, name another tensor
        lab.watch()                         # all variables that hold tensors
        lab.watch(w).close()                # stops

    It is the *name* that is watched; no tensor is kept alive.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> table = lab.watch(w)
    >>> print("\\n".join(line.rstrip() for line in table.text.splitlines()[1:3]))
    name  values    .grad  what changed  version  in the graph  what it is
    `w`   [1., 2.]  None                 0        leaf          float32 (2,)
    >>> table.close()
    """
    space = namespace()
    names = names_of(space)
    written = arguments()
    watched: dict[tuple[str, int], Any] = {}  # one line for what is given twice, as a weight and its model are
    for number, thing in enumerate(things):
        title = thing if is_a(thing, str) else title_of(thing, written, number, names)
        inner = [(title, _MISSING)] if is_a(thing, str) else _lines(title, thing)
        for name, held in inner:
            watched.setdefault((name, id(held)), held)
    board = _Board([_Watched(name, held, space) for (name, _), held in watched.items()], everything=not things)
    shell = notebook()
    live = (
        shell is not None
        and shell.user_ns is space.source
        and (space.place is None or space.place.function == "<module>")
    )
    view = present(board.card(space, live))
    if live:
        _refresh_after_cells(view, board, shell)
    return view


def _refresh_after_cells(view: Inspector, board: _Board, shell: Any) -> None:
    """Show the board anew after each cell, until the view is closed or gone."""
    seen = weakref.ref(view)

    def refresh() -> None:
        shown = seen()
        if shown is None:
            stop()
            return
        try:
            place = Place("", 2**31, "<module>")
            shown.show_card(board.card(Space({}, shell.user_ns, place, list(shell.user_ns.get("In", ()))), True))
        except Exception as error:  # the user's cell must not end in a traceback of ours
            note = Note(say("watch.failed", error=code(f"{type(error).__name__}: {error}")), "warning")
            shown.show_card(Card("watch", say("watch.title"), blocks=(note,), lang=language()))

    stop = after_each_cell(refresh)
    view.on_close(stop)


class _Watched:
    """One name: what it held when it was last looked at, weakly, and the card of that time."""

    def __init__(self, name: str, thing: Any, space: Mapping[str, Any]) -> None:
        self.name = name
        self.named = thing is _MISSING or _lookup(name, space) is thing
        self.nothing = thing is None
        self.held = _weakly(None if thing is _MISSING else thing)
        self.before: Card | None = None
        self.numbers: Numbers = {}
        self.ever = thing is not _MISSING

    def look(self, space: Mapping[str, Any], names: Names) -> _Line:
        """What the name holds now, in a line, and what changed."""
        first = self.before is None
        thing = _lookup(self.name, space) if self.named else self._still()
        if thing is _MISSING:
            return self._gone()
        card = card_of(thing, self.name, names, space, brief=True)
        values, grad, *facts = _facts(thing)
        gradient = attribute(thing, "grad") if is_tensor(thing) and has_grad(thing) else None
        numbers = {say("show.values"): (values, _size(thing)), say("show.grad"): (grad, _size(gradient))}
        changed = say("watch.joint").join([] if first else self._changed(thing, card, numbers))
        self.before, self.held, self.numbers, self.ever = card, _weakly(thing), numbers, True
        tone: Tone = "accent" if changed else "plain"
        return _Line((code(self.name), values, grad, changed, *facts), tone, mark(thing, self.name))

    def _still(self) -> Any:
        """What has no name of its own, for as long as something else holds it."""
        if self.held is None:
            return None if self.nothing else _MISSING
        held = self.held()
        return _MISSING if held is None else held

    def _gone(self) -> _Line:
        key = "watch.unknown" if not self.ever else "watch.deleted" if self.named else "watch.collected"
        said = say(key, name=code(self.name))
        self.before, self.held, self.numbers = Card("show", code(self.name)), None, {}
        return _Line((code(self.name), NOTHING, NOTHING, said, NOTHING, NOTHING, NOTHING), "warning", "")

    def _changed(self, thing: Any, card: Card, numbers: Numbers) -> list[str]:
        assert self.before is not None
        old = self.held() if self.held is not None else None
        if self.held is None and _weakly(thing) is not None:
            return [say("watch.back" if self.ever else "watch.appeared", name=code(self.name))]
        said = []
        if self.held is not None and old is not thing:
            kind = say("watch.another_tensor") if is_tensor(thing) else code(type_name(thing))
            said.append(say("watch.rebound", name=code(self.name), kind=kind))
        return said + changes(self.before, card, self.numbers, numbers)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the table, its tone, and the mark of the tensor that it is about."""

    cells: tuple[str, ...]
    tone: Tone
    tensor: str


def _facts(thing: Any) -> tuple[str, ...]:
    """Its numbers, its gradient, its version, where it stands in the graph, what it is: a cell each."""
    try:
        return _answers(thing)
    except Exception:  # a kind of tensor that refuses what tensors answer
        return GAP, NOTHING, NOTHING, NOTHING, type_name(thing)


def _answers(thing: Any) -> tuple[str, ...]:
    if is_array(thing):
        return glimpse(thing), NOTHING, NOTHING, NOTHING, f"numpy {dtype(thing)} {shape(thing)}"
    if not is_tensor(thing):
        return _cut(plain_repr(thing)), NOTHING, NOTHING, NOTHING, type_name(thing)
    kind = type(thing).__name__
    what = " ".join([*([] if kind == "Tensor" else [kind]), dtype(thing), shape(thing)])
    if not thing.requires_grad:
        known = "requires_grad ✗"
    else:
        known = say("watch.leaf") if thing.is_leaf else thing.grad_fn.name().rsplit("::", 1)[-1]
    version = version_of(thing)
    grad = glimpse(thing.grad) if has_grad(thing) else "None"
    return glimpse(thing), grad, NOTHING if version is None else str(version), known, what


def _size(thing: Any) -> float | None:
    """The norm of a tensor or array whose numbers are too many to be written; None of another thing."""
    if not (is_tensor(thing) or is_array(thing)):
        return None
    try:
        if GAP not in glimpse(thing):
            return None
        flat = thing.detach().reshape(-1) if is_tensor(thing) else thing.reshape(-1)
        flat = flat[:: -(-len(flat) // MEASURED)]
        flat = flat if is_array(thing) else flat.resolve_conj().resolve_neg().clone().numpy()
        return float(np.linalg.norm(flat.astype("complex128" if flat.dtype.kind == "c" else "float64")))
    except Exception:  # bfloat16, sparse, quantized and the like: what of them is seen has to do
        return None


def _cut(text: str) -> str:
    return text if len(text) <= LONG else text[: LONG - 1] + GAP


def _lines(title: str, thing: Any) -> list[tuple[str, Any]]:
    """The tensors that are meant: those of a Module or a list each by itself."""
    inner: list[tuple[str, Any]] = []
    if is_module(thing):
        inner = [(dotted(title, path), held) for path, held in thing.named_parameters()]
    elif is_a(thing, (list, tuple, dict)):
        pairs = thing.items() if is_a(thing, dict) else enumerate(thing)
        inner = [(f"{title}[{key!r}]", held) for key, held in pairs if is_tensor(held) or is_array(held)]
    return inner or [(title, thing)]


def _weakly(thing: Any) -> Callable[[], Any] | None:
    """What gives the thing for as long as it lives; of a number or a text, which nobody can follow, itself."""
    try:
        return None if thing is None else weakref.ref(thing)
    except TypeError:
        return lambda: thing


def _lookup(name: str, space: Mapping[str, Any]) -> Any:
    """What `w`, `model.weight`, `params[0]` or `table["a"]` is; nothing else is evaluated."""
    try:
        return _value(ast.parse(name, mode="eval").body, space)
    except Exception:  # a name that is none, or gone: what a user's own __getattr__ raises included
        return _MISSING


def _value(node: ast.expr, space: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name(id=name):
            return space[name]
        case ast.Attribute(value=inner, attr=name):
            return getattr(_value(inner, space), name)
        case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
            return _value(inner, space)[key]
    raise LookupError


class _Board:
    """What is watched, and what it looked like."""

    def __init__(self, watched: list[_Watched], everything: bool) -> None:
        self.watched = watched
        self.everything = everything

    def card(self, space: Space, live: bool) -> Card:
        names = names_of(space)
        if self.everything:
            known = {w.name for w in self.watched}
            self.watched += [_Watched(n, t, space) for n, t in space.items() if is_tensor(t) and n not in known]
        lines = [w.look(space, names) for w in self.watched[:MANY]]
        if self.everything:  # a deleted one has said so once
            self.watched = [w for w in self.watched if _lookup(w.name, space) is not _MISSING]
        blocks: list[Block] = []
        if lines:
            columns = tuple(say(f"watch.column_{c}") for c in COLUMNS)
            rows, tones = tuple(line.cells for line in lines), tuple(line.tone for line in lines)
            blocks.append(Table(columns, rows, tones, tensors=tuple(line.tensor for line in lines)))
        else:
            blocks.append(Note(say("watch.nothing"), "warning"))
        if not live:
            blocks.append(Note(say("watch.static"), "muted"))
        if len(self.watched) > MANY:
            blocks.append(Note(say("watch.more", shown=MANY, all=len(self.watched)), "muted"))
        number = len(space.cells) - 1
        subtitle = say("watch.after", cell=number) if live and number > 0 else ""
        return Card("watch", say("watch.title"), subtitle, blocks=tuple(blocks), lang=language())


# -- what changed between two cards ------------------------------------------------------------------------------------


def changes(before: Card, after: Card, old_numbers: Numbers, numbers: Numbers) -> list[str]:
    """What differs, in words: "version 0 → 1". Cards are plain data, so nothing has to be kept for it but the card, and
    the numbers in a line; of many numbers, their norm."""
    found = []
    old, new = _badges(before), _badges(after)
    found += [
        f"{key} {old.get(key, '—')} → {new.get(key, '—')}" for key in {**old, **new} if old.get(key) != new.get(key)
    ]
    rows, then = _rows(before), _rows(after)
    found += [f"{key} {rows.get(key, '—')} → {then[key]}" for key in then if rows.get(key) != then[key]]
    was, now = _grids(before), _grids(after)
    for caption in {**now, **was}:
        (first, small), (last, large) = old_numbers.get(caption, _NONE), numbers.get(caption, _NONE)
        if was.get(caption) == now.get(caption) and _alike(small, large):
            continue
        what = caption
        if small is not None and large is not None:  # too many to be written
            what, first, last = f"‖{caption}‖", brief(small), brief(large)
        else:
            first, last = (
                said if size is None else f"‖{caption}‖ {brief(size)}" for said, size in ((first, small), (last, large))
            )
        whole = GAP not in first + last and first != last
        found.append(f"{what} {first} → {last}" if whole else say("watch.other_numbers", what=caption))
    more = len(found) - SAID
    return found if more <= 0 else [*found[:SAID], say("watch.more_changes", count=more)]


_NONE: tuple[str, float | None] = ("None", None)


def _alike(one: float | None, other: float | None) -> bool:
    """Whether two sizes are the same; NaN is the same as NaN."""
    return one == other or (one != one and other != other)


def _grids(card: Card) -> dict[str, tuple[Any, ...]]:
    return {block.caption: (block.rows, block.more) for block in card.blocks if isinstance(block, Grid)}


def _badges(card: Card) -> dict[str, str]:
    parts = [badge.text.partition(" ") for badge in card.badges]
    return {key: value for key, _, value in parts if value}


def _rows(card: Card) -> dict[str, str]:
    """Facts by label, but for where it was made, which says nothing about the tensor."""
    left_out = (say("show.made_at"), say("show.made_by"), say("show.hooks"))
    return {
        label: value for b in card.blocks if isinstance(b, Facts) for label, value in b.rows if label not in left_out
    }
