"""The ledger of one leaf's `.grad`: what every backward added and what else was done to it, seen by public hooks.

The leaf itself is held weakly. What an entry keeps are copies of gradients, of at most `KEPT` elements each.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .callers import user_frame, user_place
from .feeders import Feeders, Part
from .keeping import previewing
from .kinds import library
from .origins import Origin
from .samples import KEPT, same, sample

__all__ = ["Entry", "Ledger"]


Kind = Literal["found", "backward", "zeroed", "none", "set", "edited", "by_hook"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger.

    kind: "backward" added `added`; "zeroed", "none" (set to None), "set" (another tensor) and "edited" are changes
    by hand, "by_hook" by a post-accumulate hook; "found" is what was there at the start. total: `.grad` after it
    (None: there is none). parts: the gradients that met at the leaf, and by which Nodes they came. arrived: their
    sum, before hooks of the leaf. altered: what arrived was seen after hooks of the leaf alone. number: counts the
    backwards. place: where backward was called. in_place: whether the tensor in `.grad` stayed the same.
    """

    kind: Kind
    total: Any
    added: Any = None
    arrived: Any = None
    parts: tuple[Part, ...] = ()
    number: int = 0
    place: Origin | None = None
    in_place: bool = False
    altered: bool = False

    @property
    def hooked(self) -> bool:
        """Whether hooks of the leaf changed the gradient on its way into `.grad`."""
        return self.arrived is not None and not same(self.arrived, self.added)


class Ledger:
    """Watches a leaf until `close()`. `look()` notices what was done to `.grad` by hand since the last event."""

    def __init__(self, leaf: Any, roots: Iterable[Any] = (), space: Mapping[str, Any] | None = None) -> None:
        self.entries: list[Entry] = []
        self.leaf = weakref.ref(leaf)
        self.trouble = ""
        self.feeders = Feeders(leaf)
        self.follow(roots, space or {})
        self._grad: weakref.ref[Any] | None = None  # the tensor that `.grad` was
        self._version = 0
        self._total: Any = None  # its numbers
        self._arriving: tuple[Any, tuple[Part, ...], Origin | None, bool] | None = None
        self._post: Any = None  # handle of the hook on AccumulateGrad, there while a gradient is on its way
        self._remember(leaf.grad)
        if leaf.grad is not None:
            self.entries.append(Entry("found", self._total))
        me = weakref.ref(self)

        def on_leaf(grad: Any) -> None:
            ledger = me()
            if ledger is not None and not previewing():
                ledger._quietly(ledger._arrives, grad)

        vars(on_leaf)["__torch_unserializable__"] = True  # no warning when the leaf is saved
        self._handle: Any = leaf.register_hook(on_leaf)

    # -- what happens --------------------------------------------------------------------------------------------------

    def follow(self, roots: Iterable[Any], space: Mapping[str, Any]) -> None:
        """See each path by itself from now on, in the graphs of these tensors and of those that variables hold."""
        self.feeders.follow(roots, space)

    def look(self) -> None:
        """Enter what was done to `.grad` since the last event."""
        leaf = self.leaf()
        if leaf is None or not self.open:
            return
        grad, before = leaf.grad, self._total
        if grad is None:
            if before is not None:
                self.entries.append(Entry("none", None))
                self._remember(None)
            return
        kept = self._grad is not None and self._grad() is grad
        if kept and grad._version == self._version and not _writable_elsewhere(grad):
            return
        now = sample(grad)
        if before is not None and same(now, before):
            if not kept:
                self.entries.append(Entry("set", now))
        elif before is not None and bool((now == 0).all()):
            self.entries.append(Entry("zeroed", now, in_place=kept))
        else:
            self.entries.append(Entry("edited" if kept and before is not None else "set", now, in_place=kept))
        self._remember(grad, now)

    def _quietly(self, act: Callable[[Any], None], grad: Any) -> None:
        """An error in here must not stop the user's backward; the card says that entries are missing."""
        try:
            act(grad)
        except Exception as error:
            self.trouble = f"{type(error).__name__}: {error}"

    def _remember(self, grad: Any, numbers: Any = None) -> None:
        self._grad = None if grad is None else weakref.ref(grad)
        self._version = 0 if grad is None else grad._version
        self._total = sample(grad) if numbers is None and grad is not None else numbers

    def _arrives(self, grad: Any) -> None:
        """A gradient is at the leaf. Only if AccumulateGrad runs too does it go into `.grad`:
        autograd.grad ends here."""
        leaf = self.leaf()
        if leaf is None or grad is None:
            return
        self.look()
        self._drop_post()
        arrived = sample(grad)
        place = user_place()
        parts = self.feeders.take(arrived)
        if not parts:
            named = self.feeders.names_from(user_frame_of_backward())
            parts = self.feeders.changed(named)
            if parts:  # hooks that came before this one have changed their sum
                arrived = sum((part.value for part in parts[1:]), parts[0].value).to(arrived.dtype)
            else:
                parts = named
        unseen = any(part.value is None for part in parts)
        self._arriving = (arrived, parts, place, unseen and self.feeders.hooked())
        me = weakref.ref(self)

        def on_accumulate(_: Any, grads: Any) -> None:
            ledger = me()
            if ledger is not None:
                ledger._quietly(ledger._accumulated, grads[0])

        self._post = library(leaf).autograd.graph.get_gradient_edge(leaf).node.register_hook(on_accumulate)

    def _accumulated(self, grad: Any) -> None:
        """AccumulateGrad ran with this gradient, which hooks may have changed on the way."""
        self._drop_post()
        leaf = self.leaf()
        if leaf is None or grad is None or self._arriving is None:
            return
        (arrived, parts, place, altered), self._arriving = self._arriving, None
        added = sample(grad)
        total = added.to(leaf.dtype) if self._total is None else self._total.clone().add_(added)
        number = sum(e.kind == "backward" for e in self.entries) + 1
        self.entries.append(Entry("backward", total, added, arrived, parts, number, place, altered=altered))
        now = leaf.grad
        if now is not None and same(sample(now), total):
            self._remember(now, total)
        else:  # a hook of the user has been at it already
            self._remember(now)
            self.entries.append(Entry("none" if now is None else "by_hook", self._total))

    def _drop_post(self) -> None:
        if self._post is not None:
            self._post.remove()
            self._post = None

    def total(self) -> Any:
        """What the entries add up to: a copy of what `.grad` must be, None if it must be None."""
        total = None
        for entry in self.entries:
            if entry.kind != "backward":
                total = entry.total
            elif total is None:
                total = entry.added
            else:
                total = total.clone().add_(entry.added)
        return total

    def adds_up(self) -> bool:
        """Whether the entries add up to `.grad`, to the last bit."""
        leaf = self.leaf()
        if leaf is None:
            return False
        total, grad = self.total(), leaf.grad
        return total is grad if total is None or grad is None else same(total, sample(grad))

    # -- the end -------------------------------------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        return self._handle is not None

    def close(self) -> None:
        """Remove every hook. The entries stay."""
        if self._handle is None:
            return
        self.look()
        self._drop_post()
        self._handle.remove()
        self._handle = None
        self.feeders.close()


def _writable_elsewhere(grad: Any) -> bool:
    """`.grad.data` and NumPy arrays of it change its numbers without counting versions: compare where that is cheap."""
    return bool(grad.numel() <= KEPT)


def user_frame_of_backward() -> Any:
    """The frame of the library's `backward`, called by the user, that is running now."""
    user = user_frame(sys._getframe(1))
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_back is not user:
        frame = frame.f_back
    return frame
