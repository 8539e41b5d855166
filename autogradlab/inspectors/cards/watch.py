"""`watch`: several tensors side by side, refreshed after every cell; what changed since the last one is said."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..inspector import Inspector, present
from ..live import after_each_cell
from ..parts import Block, Card, Facts, Grid, Note, Table
from ..snapshot.calls import arguments
from ..snapshot.kinds import is_a, is_tensor, type_name
from ..snapshot.names import Names, Place, Space, names_of, namespace, notebook
from ..values import FEW
from ..words import language, say
from .show import card_of, title_of
from .tensor import code

__all__ = ["changes", "watch"]

#: cards and changes that are shown at most
MANY, SAID = 12, 6

_MISSING = object()


def watch(*things: Any) -> Inspector:
    """The cards of several tensors side by side. In a notebook they are refreshed after every cell that runs.

        lab.watch(w, x, loss)
        lab.watch("w", "model.weight")      # by name: it may be deleted, come back, name another tensor
        lab.watch()                         # all variables that hold tensors
        lab.watch(w).close()                # stops

    It is the *name* that is watched; no tensor is kept alive.
    """
    space = namespace()
    names = names_of(space)
    written = arguments()
    titles = [t if is_a(t, str) else title_of(t, written, k, names) for k, t in enumerate(things)]
    watched = [_Watched(title, _MISSING if is_a(t, str) else t, space) for title, t in zip(titles, things, strict=True)]
    board = _Board(watched, everything=not things)
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
        self.held = _weakly(None if thing is _MISSING else thing)
        self.before: Card | None = None
        self.ever = thing is not _MISSING

    def look(self, space: Mapping[str, Any], names: Names) -> Card:
        """The card of what the name holds now, with a note of what changed."""
        first = self.before is None
        thing = _lookup(self.name, space) if self.named else self.held() if self.held is not None else _MISSING
        if thing is _MISSING or (thing is None and not self.named):
            card = self._gone()
        else:
            card = card_of(thing, self.name, names, space, brief=True)
            notes = [] if first else self._notes(thing, card)
            self.before, self.held, self.ever = card, _weakly(thing), True
            card = replace(card, blocks=(*notes, *card.blocks))
        return card

    def _gone(self) -> Card:
        key = "watch.unknown" if not self.ever else "watch.deleted" if self.named else "watch.collected"
        card = Card("show", code(self.name), blocks=(Note(say(key, name=code(self.name)), "warning"),), lang=language())
        self.before, self.held = card, None
        return card

    def _notes(self, thing: Any, card: Card) -> list[Note]:
        assert self.before is not None
        old = self.held() if self.held is not None else None
        said = []
        if self.held is None and _weakly(thing) is not None:
            said.append(say("watch.back" if self.ever else "watch.appeared", name=code(self.name)))
        elif self.held is not None and old is not thing:
            kind = say("watch.another_tensor") if is_tensor(thing) else code(type_name(thing))
            said.append(say("watch.rebound", name=code(self.name), kind=kind))
        if not said or self.held is not None:
            said += changes(self.before, card)
        return [Note(say("watch.joint").join(said), "accent", say("watch.changed"))] if said else []


def _weakly(thing: Any) -> weakref.ref[Any] | None:
    try:
        return None if thing is None else weakref.ref(thing)
    except TypeError:
        return None


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
        cards = tuple(w.look(space, names) for w in self.watched[:MANY])
        if self.everything:  # a deleted one has said so once
            self.watched = [w for w in self.watched if _lookup(w.name, space) is not _MISSING]
        blocks: list[Block] = []
        if not live:
            blocks.append(Note(say("watch.static"), "muted"))
        if not cards:
            blocks.append(Note(say("watch.nothing"), "warning"))
        if len(self.watched) > MANY:
            blocks.append(Note(say("watch.more", shown=MANY, all=len(self.watched)), "muted"))
        number = len(space.cells) - 1
        subtitle = say("watch.after", cell=number) if live and number > 0 else ""
        return Card("watch", say("watch.title"), subtitle, blocks=tuple(blocks), cards=cards, lang=language())


# -- what changed between two cards ------------------------------------------------------------------------------------


def changes(before: Card, after: Card) -> list[str]:
    """What differs, in words: "version 0 → 1". Cards are plain data, so nothing has to be kept for it but the card."""
    found = []
    old, new = _badges(before), _badges(after)
    found += [
        f"{key} {old.get(key, '—')} → {new.get(key, '—')}" for key in {**old, **new} if old.get(key) != new.get(key)
    ]
    rows, then = _rows(before), _rows(after)
    found += [f"{key} {rows.get(key, '—')} → {then[key]}" for key in then if rows.get(key) != then[key]]
    grids = {b.caption: b for b in before.blocks if isinstance(b, Grid)}
    for block in after.blocks:
        if isinstance(block, Grid) and (was := grids.pop(block.caption, None)) != block:
            if was is None or (was.rows, was.more) != (block.rows, block.more):
                found.append(_moved(was, block))
    found += [f"{caption} {_numbers(grid) or '…'} → None" for caption, grid in grids.items()]
    found += _table_changes(before.blocks, after.blocks)
    more = len(found) - SAID
    return found if more <= 0 else [*found[:SAID], say("watch.more_changes", count=more)]


def _badges(card: Card) -> dict[str, str]:
    parts = [badge.text.partition(" ") for badge in card.badges]
    return {key: value for key, _, value in parts if value}


def _rows(card: Card) -> dict[str, str]:
    """Facts by label, but for where it was made, which says nothing about the tensor."""
    left_out = (say("show.made_at"), say("show.made_by"), say("show.hooks"))
    return {
        label: value for b in card.blocks if isinstance(b, Facts) for label, value in b.rows if label not in left_out
    }


def _moved(was: Grid | None, now: Grid) -> str:
    old, new = "None" if was is None else _numbers(was), _numbers(now)
    return f"{now.caption} {old} → {new}" if old and new else say("watch.other_numbers", what=now.caption)


def _numbers(grid: Grid) -> str:
    """The numbers of a small grid in a line."""
    if not grid.rows or grid.more or sum(map(len, grid.rows)) > FEW:
        return ""
    lines = ["[" + ", ".join(row) + "]" for row in grid.rows]
    if len(lines) > 1:
        return "[" + ", ".join(lines) + "]"
    return lines[0] if len(grid.rows[0]) > 1 else grid.rows[0][0]


def _table_changes(before: Sequence[Block], after: Sequence[Block]) -> list[str]:
    old = {row[0]: row for b in before if isinstance(b, Table) for row in b.rows}
    found = []
    for table in (b for b in after if isinstance(b, Table)):
        for row in table.rows:
            was = old.get(row[0])
            cells = zip(table.columns, was, row, strict=False) if was is not None else ()
            found += [f"{row[0]} {column} {a} → {b}" for column, a, b in cells if a != b]
    return found
