"""The sentence beside a program: what happens in a step, said of the learner's own lines."""

from __future__ import annotations

from collections.abc import Callable

from ..snapshot.events import Accumulated, Amount, Event, NodeRan, RootEnters, Summed
from ..snapshot.program import Source
from ..words import say

__all__ = ["Speech"]

#: letters of an expression that a sentence quotes, and of a value that stands in it
LONG, SHORT = 40, 24


class Speech:
    """Sentences for events; of those that have no line, nothing is said here."""

    def __init__(self, source: Source, name: Callable[[str, int], str]) -> None:
        self.source = source
        self._plain = name
        self.targets: dict[str, list[tuple[str, int]]] = {}

    def name(self, node: str, number: int) -> str:
        return self.source.names.get((node, number)) or self._plain(node, number)

    def start(self) -> str:
        return say("step.code_start")

    def of(self, event: Event) -> str:
        match event:
            case RootEnters():
                return say("step.code_root", name=self.name(event.node, event.number), g=event.amount.text)
            case NodeRan():
                return self._node(event)
            case Summed():
                parts = " + ".join(p.text for p in event.parts) if _short(*event.parts) else ""
                key = "step.code_sum" if parts else "step.code_sum_long"
                name = self.name(event.node, event.number)
                return say(key, name=name, all=_all(len(event.parts)), parts=parts, total=event.total.text)
            case Accumulated():
                return self._accumulated(event)
        return ""

    def _node(self, event: NodeRan) -> str:
        where = self.source.spoken.get(event.node, "")
        if not where:
            return ""
        code = self.source.code.get(event.node, "")
        code = code if len(code) <= LONG else code[: LONG - 1] + "…"
        incoming = [a for a in event.incoming if a is not None]
        given = incoming[0].text if len(incoming) == 1 else "…"
        said = say("step.code_node", where=where, code=code, g=given)
        outs = [a for a in event.outgoing if a is not None]
        return said if outs else said + say("step.code_nothing")

    def _accumulated(self, event: Accumulated) -> str:
        if event.after is None or event.incoming is None:
            return ""
        name = self.name(event.node, event.number)
        before, incoming = event.before, event.incoming
        if before is None or incoming is None or not _short(before, incoming, event.after):
            now = say("step.code_new" if before is None else "step.code_grown", name=name, after=event.after.text)
            return now
        return say("step.code_added", name=name, before=before.text, incoming=incoming.text, after=event.after.text)


def _all(count: int) -> str:
    return say("step.both") if count == 2 else say("step.all", count=count)


def _short(*amounts: Amount) -> bool:
    return sum(len(amount.text) for amount in amounts) <= SHORT * 2
