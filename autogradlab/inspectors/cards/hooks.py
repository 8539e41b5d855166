"""`hooks`: the log of hooks, in the order in which they fire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..live import Live, live
from ..parts import Badge, Block, Card, Note, Table, Tone
from ..prose import code
from ..snapshot.callers import space_now
from ..snapshot.calls import arguments
from ..snapshot.firing import Firing, Hook, Log, is_saving
from ..snapshot.graph import hook_name
from ..snapshot.identity import mark
from ..snapshot.kinds import is_a, is_module, is_node, is_tensor, type_name
from ..snapshot.names import dotted, names_of
from ..snapshot.names import tensors as tensors_in
from ..snapshot.origins import place
from ..snapshot.tensors import hook_names
from ..words import language, say

__all__ = ["Hooks", "hooks"]

#: firings that the table shows, and of many those that are not folded; names that a sentence lists at most
ROWS, LAST, FEW = 200, 6, 4


def hooks(*tensors_or_nodes: Any) -> Hooks:
    """Watch the hooks of these tensors, Nodes and `saved_tensors_hooks`: what each gets, returns and changes.

    Of a tensor its own hooks and those of its Node are watched, of a Module those of its parameters; without arguments,
    those of all tensors that variables hold. Before anything fired the hooks that are registered are listed. `close()`
    puts everything back.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> handle = w.register_hook(lambda grad: grad * 10)
    >>> with lab.hooks(w) as log:
    ...     (w * w).sum().backward()
    >>> [(firing.given, firing.returned, firing.effect) for firing in log.firings]
    [('[2., 4.]', '[20., 40.]', 'replaced')]
    """
    return live(Hooks)(tensors_or_nodes, space_now(), arguments())


class Hooks(Live):
    """The log as an inspector: made anew after each cell, and when it is looked at."""

    def __init__(self, things: tuple[Any, ...], space: Mapping[str, Any], written: tuple[str, ...]) -> None:
        names = names_of(space)
        self._notes: list[Note] = []
        chosen: list[tuple[str, Any]] = []
        if not things:
            found = {id(t): (name, t) for name, t in reversed(list(tensors_in(space))) if t.requires_grad}
            saving = [(name, thing) for name, thing in space.items() if not is_a(thing, type) and is_saving(thing)]
            chosen = [*reversed(found.values()), *saving]
        for number, thing in enumerate(things):
            spelled = written[number] if number < len(written) else f"t{number + 1}"
            if is_tensor(thing):
                name = names.of(thing) or spelled
                if not thing.requires_grad:
                    self._notes.append(Note(say("hooks.no_grad", name=name), "warning"))
                else:
                    chosen.append((name, thing))
            elif is_node(thing):
                chosen.append((thing.name().rsplit("::", 1)[-1], thing))
            elif is_saving(thing) and not is_a(thing, type):
                chosen.append((next((n for n, v in space.items() if v is thing), spelled), thing))
            elif is_module(thing):
                name = next((n for n, v in space.items() if v is thing), spelled)
                chosen += [(dotted(name, path), p) for path, p in thing.named_parameters() if p.requires_grad]
                tables = [table for m in thing.modules() for table in (m._backward_pre_hooks, m._backward_hooks)]
                own = dict.fromkeys(code(hook_name(hook)) for table in tables for hook in table.values())
                if own:
                    listed = say("common.list").join(own)
                    self._notes.append(Note(say("hooks.of_module", name=name, hooks=listed), "muted"))
            else:
                self._notes.append(Note(say("hooks.strange", type=type_name(thing)), "warning"))
        self._watching = bool(chosen)
        watched = [thing for _, thing in chosen]
        held = {id(t): name for name, t in reversed(list(tensors_in(space))) if hook_names(t)}
        self._others = [name for key, name in reversed(held.items()) if all(id(thing) != key for thing in watched)]
        self.record = Log(chosen)
        self._marks = {name: mark(thing, name) for name, thing in chosen if is_tensor(thing)}
        super().__init__(self.make())
        self.on_close(self.record.close)
        self.watch_cells()

    @property
    def firings(self) -> list[Firing]:
        """What fired so far."""
        return list(self.record.firings)

    @property
    def registered(self) -> list[Hook]:
        """The hooks that are registered now."""
        return self.record.registered()

    def make(self) -> Card:
        self.record.look()
        firings = self.record.firings
        blocks: list[Block] = list(self._notes)
        if self.record.trouble:
            blocks.append(Note(say("hooks.trouble", error=self.record.trouble), "warning"))
        badges: list[Badge] = []
        if firings:
            title = say("hooks.title")
            badges.append(Badge(say("hooks.fired", count=len(firings)), "hook"))
            blocks += _tables(_fired(firings, self._marks))
        else:
            title = say("hooks.title_waiting")
            waiting = self.record.registered()
            if waiting:
                badges.append(Badge(say("hooks.waiting", count=len(waiting)), "hook"))
                blocks += [_registered(waiting, self._marks), Note(say("hooks.not_fired"), "muted")]
            elif self._watching or not self._notes:
                blocks.append(Note(say("hooks.none"), "muted"))
            if self._others and not waiting:
                listed = say("common.list").join(map(code, self._others[:FEW]))
                blocks.append(Note(say("hooks.others", names=listed, given=", ".join(self._others[:FEW]))))
        if not self.record.open:
            badges.append(Badge(say("hooks.closed"), "muted"))
        return Card("hooks", title, badges=tuple(badges), blocks=tuple(blocks), lang=language())


def _when(hook: Hook) -> str:
    if hook.kind in ("pack", "unpack"):
        return say("hooks.at_save" if hook.kind == "pack" else "hooks.at_use")
    return say("hooks.before" if hook.kind in ("tensor", "pre") else "hooks.after", node=hook.node)


def _named(hook: Hook) -> tuple[str, str]:
    """The hook by its owner and name, and where it was written. Of a Node's hooks, `when` says the Node."""
    name = hook.name if hook.kind in ("pre", "node") else f"{hook.owner} · {hook.name}"
    return name, "" if hook.place is None else place(hook.place)


def _registered(found: list[Hook], marks: Mapping[str, str]) -> Table:
    columns = tuple(say(f"hooks.{c}") for c in ("when", "kind", "hook", "where"))
    rows = tuple((_when(h), say(f"hooks.{h.kind}"), *_named(h)) for h in found)
    tones: list[Tone] = ["hook" for _ in rows]
    return Table(columns, rows, tuple(tones), tensors=tuple(marks.get(h.owner, "") for h in found), named=2)


def _fired(firings: list[Firing], marks: Mapping[str, str]) -> Table:
    columns = tuple(
        say(f"hooks.{c}") for c in ("number", "when", "kind", "hook", "where", "given", "after_it", "effect")
    )
    first = max(0, len(firings) - ROWS)
    rows, tones = [], []
    for number, firing in enumerate(firings[first:], first + 1):
        effect = say(f"hooks.{firing.effect}", error=firing.error) if firing.error else say(f"hooks.{firing.effect}")
        hook = firing.hook
        rows.append(
            (str(number), _when(hook), say(f"hooks.{hook.kind}"), *_named(hook), firing.given, firing.after, effect)
        )
        tones.append(_tone(firing))
    more = say("hooks.more", count=first) if first else ""
    tensors = tuple(marks.get(firing.hook.owner, "") for firing in firings[first:])
    return Table(columns, tuple(rows), tuple(tones), more, tensors, named=3)


def _tables(whole: Table) -> list[Table]:
    """The firings as they are listed; of many, those before the last ones folded."""
    earlier = len(whole.rows) - LAST
    if earlier <= 2:
        return [whole]
    first, last = slice(earlier), slice(earlier, None)
    parts = [replace(whole, rows=whole.rows[s], tones=whole.tones[s], tensors=whole.tensors[s]) for s in (first, last)]
    return [replace(parts[0], folded=say("hooks.earlier", count=earlier)), replace(parts[1], caption="")]


def _tone(firing: Firing) -> Tone:
    if firing.effect == "raised":
        return "warning"
    return "gradient" if firing.effect in ("replaced", "in_place", "changed") else "hook"
