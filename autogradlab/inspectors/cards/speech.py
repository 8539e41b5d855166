"""The sentence beside a program: what happens in a step, said of the learner's own lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..snapshot.events import Accumulated, Amount, Event, NodeRan, RootEnters, Summed
from ..snapshot.program import Source
from ..words import say

__all__ = ["Speech"]

#: letters of an expression that a sentence quotes, and of a value that stands in it
LONG, SHORT = 40, 24
#: letters of what a Node hands on, in a sentence: of symbols, and of words
RULES, WORDS = 56, 96


class Speech:
    """Sentences for events; of those that have no line, nothing is said here."""

    def __init__(
        self, source: Source, name: Callable[[str, int], str], cls: Callable[[str], str], function: Callable[[str], str]
    ) -> None:
        self.source = source
        self._plain = name
        self.cls = cls
        self.function = function
        self.targets: dict[str, list[tuple[str, int]]] = {}

    def name(self, node: str, number: int) -> str:
        return self.source.names.get((node, number)) or self._plain(node, number)

    def start(self) -> str:
        return say("step.code_start")

    def of(self, event: Event, rules: Sequence[str] = (), sign: str = "g") -> str:
        """`rules` are what a Node hands on, along each edge; "" where it cannot be written. `sign` stands in them for
        what came in."""
        match event:
            case RootEnters():
                return say("step.code_root", name=self.name(event.node, event.number), g=event.amount.text)
            case NodeRan():
                return self._node(event, rules, sign)
            case Summed():
                parts = " + ".join(p.text for p in event.parts) if _short(*event.parts) else ""
                key = "step.code_sum" if parts else "step.code_sum_long"
                name = self.name(event.node, event.number)
                return say(key, name=name, all=_all(len(event.parts)), parts=parts, total=event.total.text)
            case Accumulated():
                return self._accumulated(event)
        return ""

    def _node(self, event: NodeRan, rules: Sequence[str], sign: str) -> str:
        where = self.source.spoken.get(event.node, "")
        if not where:
            return ""
        part = self.source.part.get(event.node, "")
        who = say("step.code_part", cls=self.cls(event.node), code=_cut(part)) if part else ""
        who = who or f"`{_cut(self.source.code.get(event.node, ''))}`"
        incoming = [a for a in event.incoming if a is not None]
        outs = [a for a in event.outgoing if a is not None]
        words = {"where": where, "who": who, "g": incoming[0].text if len(incoming) == 1 else "", "sign": sign}
        if len(incoming) != 1:
            return say("step.code_outputs" if outs else "step.code_outputs_nothing", **words)
        if not outs:
            return say("step.code_nothing", **words)
        if all(rule == f"`{sign}`" for rule in rules):
            return say("step.code_same", **words)
        if function := self.function(event.node):
            made = outs[0].text if len(outs) == 1 else ""
            key = "step.code_function_one" if made else "step.code_function"
            return say(key, function=function, made=made, count=len(outs), **words)
        shown = say("common.list").join(rules[:-1])
        shown = say("step.code_and", rules=shown, last=rules[-1]) if shown else "".join(rules)
        room = WORDS if len(rules) == 1 and not shown.startswith("`") else RULES
        if all(rules) and len(shown) <= room and len(event.incoming) == 1:  # rules of others name which gradient
            return say("step.code_rules", rules=shown, **words)
        return say("step.code_node" if len(outs) > 1 else "step.code_node_one", count=len(outs), **words)

    def _accumulated(self, event: Accumulated) -> str:
        if event.after is None or event.incoming is None:
            return ""
        name = self.name(event.node, event.number)
        before, incoming = event.before, event.incoming
        if before is None or incoming is None or not _short(before, incoming, event.after):
            now = say("step.code_new" if before is None else "step.code_grown", name=name, after=event.after.text)
            return now
        return say("step.code_added", name=name, before=before.text, incoming=incoming.text, after=event.after.text)


def _cut(code: str) -> str:
    return code if len(code) <= LONG else code[: LONG - 1] + "…"


def _all(count: int) -> str:
    return say("step.both") if count == 2 else say("step.all", count=count)


def _short(*amounts: Amount) -> bool:
    return sum(len(amount.text) for amount in amounts) <= SHORT * 2
