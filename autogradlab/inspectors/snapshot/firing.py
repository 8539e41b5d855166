"""Hooks as they fire: each of the user's hooks is called through a wrapper that notes what it got and what it gave.

Wrappers stand in the hook dictionaries in place of the hooks, under the same keys, so handles stay valid and the order
is kept; `Log.close` puts the hooks back. The dictionaries are found by the handle of a hook of our own, a `Marker`.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..values import told
from .callers import place_of_code
from .keeping import previewing
from .kinds import attribute, is_tensor, library, version_of
from .origins import Origin
from .samples import KEPT, same, sample

__all__ = ["Firing", "Hook", "Log", "is_saving", "of_inspectors"]

Kind = Literal["tensor", "pre", "node", "post", "accumulated", "pack", "unpack"]
Effect = Literal["running", "unchanged", "replaced", "in_place", "changed", "raised", "unseen"]


@dataclass(frozen=True, slots=True)
class Hook:
    """A registered hook: its kind, whose it is (a variable or a Node), the Node before or after which it fires."""

    kind: Kind
    owner: str
    node: str
    name: str
    place: Origin | None


@dataclass(frozen=True, slots=True)
class Firing:
    """One call of a hook: what it was given, what it returned, what that did, what there was after it. `error` is what
    it raised."""

    hook: Hook
    given: str
    returned: str = ""
    effect: Effect = "running"
    error: str = ""
    after: str = ""


class Marker:
    """Our own hook in a dictionary: it does nothing to gradients, but tells the log that they come this way."""

    __torch_unserializable__ = True

    def __init__(self, slot: Slot, log: weakref.ref[Log], leaf: weakref.ref[Any] | None, output: int) -> None:
        self.slot, self.log, self.leaf, self.output = slot, log, leaf, output
        self.__name__ = "inspector"

    def __call__(self, *args: Any) -> None:
        log = self.log()
        if log is not None and not previewing():
            log.passes(self, args)


@dataclass(slots=True)
class Slot:
    """A dictionary of hooks, held weakly; the marker's handle; what to say of the hooks in it."""

    kind: Kind
    owner: str
    node: str
    hooks: Any = None
    handle: Any = None

    def held(self) -> dict[Any, Any]:
        found = None if self.hooks is None else self.hooks()
        return {} if found is None else found

    def users(self) -> Iterator[tuple[Any, Any]]:
        return ((key, hook) for key, hook in list(self.held().items()) if not of_inspectors(hook))

    def describe(self, hook: Any) -> Hook:
        while isinstance(hook, Watched):
            hook = hook.hook
        return _described(hook, self)


class Watched:
    """A hook of the user's, as it stands in the dictionary while a log watches. It passes for the hook itself."""

    def __init__(self, hook: Any, slot: Slot, log: weakref.ref[Log]) -> None:
        self.hook, self.slot, self.log = hook, slot, log

    def __call__(self, *args: Any) -> Any:
        log = self.log()
        if log is None or not log.open or previewing():
            return self.hook(*args)
        note = log.starts(self.slot, self.hook, args)
        try:
            result = self.hook(*args)
        except BaseException as error:
            log.fails(note, error)
            raise
        log.ends(note, args, result)
        return result

    def by(self, log: weakref.ref[Log]) -> Watched | None:
        """The wrapper of this log, if one of those around the hook is: several logs may watch the same."""
        found: Any = self
        while isinstance(found, Watched) and found.log != log:
            found = found.hook
        return found if isinstance(found, Watched) else None

    def __getattr__(self, name: str) -> Any:
        if name == "hook":
            raise AttributeError(name)
        return getattr(self.hook, name)


def of_inspectors(hook: Any) -> bool:
    """Whether an inspector registered a hook, a marker or one of the ledger or of the stepper; or is one itself."""
    while isinstance(hook, Watched):
        hook = hook.hook
    return str(attribute(hook, "__module__")).startswith(__name__.partition(".snapshot")[0])


def _described(hook: Any, slot: Slot) -> Hook:
    plain = hook
    while isinstance(plain, functools.partial):
        plain = plain.func
    code = attribute(attribute(plain, "__func__") or plain, "__code__")
    name = attribute(plain, "__name__") or type(plain).__name__
    return Hook(slot.kind, slot.owner, slot.node, str(name), None if code is None else place_of_code(code))


def _short(node: Any) -> str:
    return str(node.name()).rsplit("::", 1)[-1]


def is_saving(thing: Any) -> bool:
    """Whether it is a `saved_tensors_hooks`, whose two functions can be watched."""
    return callable(attribute(thing, "pack_hook")) and callable(attribute(thing, "unpack_hook"))


class Log:
    """Watches the hooks of tensors, Nodes and `saved_tensors_hooks` until `close()`. None of them is kept alive."""

    def __init__(self, things: Iterable[tuple[str, Any]]) -> None:
        self.firings: list[Firing] = []
        self.slots: list[Slot] = []
        self.saving: list[tuple[weakref.ref[Any], Slot, Slot]] = []
        self.open = True
        self.trouble = ""
        #: a hook that nobody saw: its place among the firings, the gradient that it got, the output that this is of
        self._late: tuple[int, Any, int] | None = None
        me = weakref.ref(self)
        for name, thing in things:
            if is_tensor(thing):
                self._tensor(name, thing, me)
            elif is_saving(thing):
                pack, unpack = Slot("pack", name, ""), Slot("unpack", name, "")
                thing.pack_hook, thing.unpack_hook = (
                    Watched(thing.pack_hook, pack, me),
                    Watched(thing.unpack_hook, unpack, me),
                )
                self.saving.append((weakref.ref(thing), pack, unpack))
            else:
                self._node(name, thing, me)
        self.look()
        self._restore = weakref.finalize(self, _restore, self.slots, self.saving)
        self._restore.atexit = False

    # -- where hooks are -----------------------------------------------------------------------------------------------

    def _tensor(self, name: str, tensor: Any, me: weakref.ref[Log]) -> None:
        if not tensor.requires_grad:
            return
        leaf = weakref.ref(tensor) if tensor.is_leaf else None
        node = "AccumulateGrad" if leaf is not None else _short(tensor.grad_fn)
        self._mark(Slot("tensor", name, node), tensor.register_hook, me, leaf, tensor.output_nr)
        if leaf is None:
            self._node(node, tensor.grad_fn, me)
        else:
            self._mark(Slot("accumulated", name, node), tensor.register_post_accumulate_grad_hook, me)
            self._accumulator(tensor, me)

    def _accumulator(self, leaf: Any, me: weakref.ref[Log]) -> None:
        """The leaf's AccumulateGrad, which lives only as long as a graph does: asked anew in each backward."""
        self._node("AccumulateGrad", library(leaf).autograd.graph.get_gradient_edge(leaf).node, me)

    def _node(self, name: str, node: Any, me: weakref.ref[Log]) -> None:
        self._mark(Slot("pre", name, _short(node)), node.register_prehook, me)
        self._mark(Slot("node", name, _short(node)), node.register_hook, me)

    def _mark(
        self,
        slot: Slot,
        register: Any,
        me: weakref.ref[Log],
        leaf: weakref.ref[Any] | None = None,
        output: int = 0,
    ) -> None:
        marker = Marker(slot, me, leaf, output)
        slot.handle = register(marker)
        slot.hooks = slot.handle.hooks_dict_ref
        if any(isinstance(h, Marker) and h.log == me and h is not marker for h in slot.held().values()):
            slot.handle.remove()  # this dictionary is watched already
        else:
            self.slots[:] = [s for s in self.slots if s.hooks() is not None]
            self.slots.append(slot)

    def look(self, but: Slot | None = None) -> None:
        """Watch the hooks that were registered since; not in the dictionary whose hooks are being called, where those
        fire that were in it when that began."""
        if self.open:
            me = weakref.ref(self)
            for slot in self.slots:
                held = slot.held()
                late = [] if slot is but else [(key, hook) for key, hook in slot.users() if not _watched(hook, me)]
                for key, hook in late:
                    held[key] = Watched(hook, slot, me)
                if late:  # the marker stays behind what is watched, and in front of what comes later
                    held[slot.handle.id] = held.pop(slot.handle.id)

    def registered(self) -> list[Hook]:
        """The hooks that are there now."""
        found = [slot.describe(hook) for slot in self.slots for _, hook in slot.users()]
        for reference, pack, unpack in self.saving:
            thing = reference()
            if thing is not None:
                found += [pack.describe(thing.pack_hook), unpack.describe(thing.unpack_hook)]
        return found

    # -- what happens --------------------------------------------------------------------------------------------------

    def passes(self, marker: Marker, args: tuple[Any, ...]) -> None:
        """A gradient comes by a marker. Hooks registered since are watched from here on; those of this very dictionary
        fire unwatched once more: what the gradient is behind them is seen where the Node gets it."""
        if not self.open:
            return
        try:
            self._behind(marker.slot.kind, args)
            late = [hook for _, hook in marker.slot.users() if not _watched(hook, marker.log)]
            leaf = None if marker.leaf is None else marker.leaf()
            if leaf is not None and args[0] is not None:
                self._accumulator(leaf, weakref.ref(self))
            self.look()
            for number, hook in enumerate(late):
                given = self._said(marker.slot.kind, args) if number == 0 else "…"
                self.firings.append(Firing(marker.slot.describe(hook), given, "…", "unseen"))
            if marker.slot.kind == "tensor" and len(late) == 1 and is_tensor(args[0]):
                kept = sample(args[0]) if args[0].numel() <= KEPT else None
                self._late = len(self.firings) - 1, kept, marker.output
        except Exception as error:  # never the user's backward
            self.trouble = f"{type(error).__name__}: {error}"

    def _behind(self, kind: Kind, args: tuple[Any, ...]) -> None:
        """What an unseen hook made of the gradient, if the next that gets it is the Node."""
        late, self._late = self._late, None
        if late is None or kind != "pre":
            return
        number, kept, output = late
        now = args[0][output]
        if now is None or kept is None:
            return
        effect: Effect = "unchanged" if same(kept, sample(now)) else "changed"
        self.firings[number] = replace(self.firings[number], returned="", effect=effect, after=_text(now))

    def starts(self, slot: Slot, hook: Any, args: tuple[Any, ...]) -> tuple[int, list[Any]]:
        self._behind(slot.kind, args)
        self.look(slot)
        subjects = _subjects(slot.kind, args)
        before = [(t, version_of(t), sample(t) if t.numel() <= KEPT else None) for t in subjects]
        self.firings.append(Firing(slot.describe(hook), self._said(slot.kind, args)))
        return len(self.firings) - 1, before

    def fails(self, note: tuple[int, list[Any]], error: BaseException) -> None:
        said = f"{type(error).__name__}: {error}"
        self.firings[note[0]] = replace(self.firings[note[0]], effect="raised", error=said)

    def ends(self, note: tuple[int, list[Any]], args: tuple[Any, ...], result: Any) -> None:
        number, before = note
        kind = self.firings[number].hook.kind
        changed = any(
            version_of(t) != version or (kept is not None and not same(kept, sample(t))) for t, version, kept in before
        )
        effect: Effect = "in_place" if changed else "unchanged"
        returned = _text(result)
        if kind == "accumulated":
            now = args[0].grad
            if not any(now is t for t, _, _ in before):
                effect = "unchanged" if now is None and not before else "replaced"
                returned = f"`.grad` = {_text(now)}"
        elif kind in ("pack", "unpack"):
            effect = effect if result is args[0] else "replaced"
        elif result is not None and not _identical(result, args[0]):
            effect = "replaced"
        handed_on = result is None or kind == "accumulated"
        after = self._said(kind, args) if handed_on else _text(result)
        self.firings[number] = replace(self.firings[number], returned=returned, effect=effect, after=after)

    def _said(self, kind: Kind, args: tuple[Any, ...]) -> str:
        if kind == "accumulated":
            return f"`.grad` = {_text(args[0].grad)}"
        return _text(args[1] if kind == "node" and not args[0] else args[0])  # AccumulateGrad passes nothing on

    def close(self) -> None:
        """Put every hook back into its place."""
        self.open = False
        self._restore()


def _watched(hook: Any, log: weakref.ref[Log]) -> bool:
    return isinstance(hook, Watched) and hook.by(log) is not None


def _unwrapped(hook: Any, slot: Slot) -> Any:
    """The hook without the wrapper of this slot."""
    if not isinstance(hook, Watched):
        return hook
    if hook.slot is slot:
        return hook.hook
    hook.hook = _unwrapped(hook.hook, slot)
    return hook


def _restore(slots: list[Slot], saving: list[tuple[weakref.ref[Any], Slot, Slot]]) -> None:
    for slot in slots:
        held = slot.held()
        for key, hook in list(held.items()):
            held[key] = _unwrapped(hook, slot)
        slot.handle.remove()
    for reference, pack, unpack in saving:
        thing = reference()
        if thing is not None:
            thing.pack_hook, thing.unpack_hook = (
                _unwrapped(thing.pack_hook, pack),
                _unwrapped(thing.unpack_hook, unpack),
            )


def _subjects(kind: Kind, args: tuple[Any, ...]) -> list[Any]:
    """The tensors that a hook could change in place."""
    if kind == "accumulated":
        return [] if args[0].grad is None else [args[0].grad]
    given = args[0] if isinstance(args[0], tuple) else (args[0],)
    return [t for t in given if is_tensor(t)]


def _identical(result: Any, given: Any) -> bool:
    if isinstance(result, tuple) and isinstance(given, tuple) and len(result) == len(given):
        return all(a is b for a, b in zip(result, given, strict=True))
    return result is given


def _text(value: Any) -> str:
    """A gradient, or the tuple of them that Nodes' hooks get; of one gradient just that one."""
    if isinstance(value, tuple):
        return _text(value[0]) if len(value) == 1 else f"({', '.join(map(_text, value))})"
    if value is None or is_tensor(value):
        return told(value)
    text = " ".join(repr(value).split()) if type(value) in (int, float, str, bool) else type(value).__name__
    return text if len(text) <= 40 else text[:39] + "…"
