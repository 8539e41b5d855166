"""The story of a backward pass: for each event a frame with its sentence, and what it changes in the picture."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..parts import Ask, Block, Facts, Formula, Frame, Grid, State, Tone, Worked
from ..snapshot.events import Accumulated, Amount, Event, Failed, HookRan, NodeRan, RootEnters, Summed
from ..snapshot.formulas import formula_at
from ..snapshot.graph import NodeFact
from ..snapshot.names import VARIABLE
from ..snapshot.program import Source
from ..snapshot.recording import Recording
from ..snapshot.rules import Plain, Rule, Vague, inner_of, inputs_of, written
from ..words import say, unmarked
from .questions import asked_edge, asked_grad, asked_next
from .speech import Speech
from .worked import summed, worked

__all__ = ["Story"]

#: a variable, no attribute
_TWO_POINTS = re.compile(r"(\d\.(?:\*\*)?)[.。](?=\s|$)")
_INNER_POINTS = re.compile(r"(\d\.(?:\*\*)?)。(?=\S)")

#: letters of a name or expression that a formula can hold
OPERAND = 22

#: letters of a value on an edge
SHORT = 16

#: letters below a leaf
BELOW = 20

#: gradients of which the last sentence tells, and letters of it
SHOWN, ENDED = 8, 240


#: the sentence before the first event, for a live pass or not, committed or not
_START = {
    (False, False): "step.start",
    (False, True): "step.start_commit",
    (True, True): "step.start_live",
}


class Story:
    """Turns a recording into frames; each frame holds only what differs from the one before.

    `source` are the learner's lines, where they are known; `kept` what Nodes saved, by Node and name.
    """

    def __init__(
        self, recording: Recording, source: Source | None = None, kept: Mapping[str, Mapping[str, Amount]] | None = None
    ) -> None:
        self.recording = recording
        self.source = source
        self.kept = kept or {}
        facts = recording.graph
        self.nodes = nodes = {node.id: node for node in facts.nodes}
        if source is None:
            self.speech = None
        else:
            self.speech = Speech(source, self._name, lambda node: nodes[node].cls, lambda node: nodes[node].function)
        self.values = {value.id: value for value in facts.values}
        self.at = {value.of: value for value in facts.values if value.of is not None}
        self.edges: dict[tuple[str, int], tuple[str, tuple[str, int]]] = {}
        for number, edge in enumerate(facts.edges, 1):
            self.edges[edge.source, edge.index] = edge.item or f"e{number}", (edge.target, edge.number)
        self.here: dict[tuple[str, int], int] = {}
        self.came: dict[tuple[str, int], list[Amount]] = {}
        self.states: dict[str, State] = {}
        self.lit: list[str] = []  # what is active
        self.now: dict[str, State] = {}
        self.texts: dict[str, str] = {}
        self.nan = False
        self.grids: dict[str, Grid] = {}
        self.worked: list[Worked] = []
        self.handed: list[str] = []  # what a Node hands on, in symbols
        self.sign = self._sign()  # how these write what came in
        self.asks: list[Ask] = []
        self.formulas: dict[Formula, int] = {}
        self.left: dict[str, int] = {}
        for row in (source.row_of if source is not None else {}).values():
            self.left[row] = self.left.get(row, 0) + 1
        self.ran: set[str] = set()
        self.flag = ""

    def frames(self) -> list[Frame]:
        lines = [item for item, _ in self.edges.values()]
        lines += [
            f"o{value.id[1:]}" for value in self.values.values() if value.of is not None and value.kind == "value"
        ]
        self.states = dict.fromkeys(lines, "idle")
        begins = self.speech.start() if self.speech is not None else ""
        made = [Frame(say(self._before()), say("step.start_head"), tuple(self.states.items()), said=begins)]
        for event in self.recording.events:
            made.append(self._frame(event))
        over = self.recording.live in ("", "over")
        if over and not any(isinstance(event, Failed) for event in self.recording.events):
            self._fresh()
            shown = [summed(f"{self._spoken(*place)}.grad", [], now) for place, now in self._grads()[:SHOWN]]
            worked = tuple(one for one in shown if one is not None)
            end = _ended(self._end()), say("step.done_head"), self._states()
            made.append(Frame(*end, tone=self._verdict(), worked=worked))
        return made

    def _before(self) -> str:
        """The key of the sentence before the first event."""
        live, committed = bool(self.recording.live), self.recording.committed
        if committed and not live and any(isinstance(event, Failed) for event in self.recording.events):
            return "step.start_stopped"
        return _START[live, committed] if self.nodes or live else "step.start_nowhere"

    def _fresh(self) -> None:
        self.now, self.texts, self.grids, self.flag = {}, {}, {}, ""
        self.worked, self.handed, self.asks = [], [], []

    def _frame(self, event: Event) -> Frame:
        self._fresh()
        sentence, heading, panel, tone = self._told(event)
        said = _ended(self.speech.of(event, self.handed, self.sign)) if self.speech is not None else ""
        said += self.flag if said else ""
        states, texts, grids = self._states(), tuple(self.texts.items()), tuple(self.grids.items())
        return Frame(
            _ended(sentence), heading, states, texts, panel, tone, said, grids, tuple(self.asks), tuple(self.worked)
        )

    def _states(self) -> tuple[tuple[str, State], ...]:
        """What is active now, and what was and is done; only what changed."""
        wanted = {item: self._after(item) for item in self.lit} | self.now
        changed = tuple((item, state) for item, state in wanted.items() if self.states.get(item) != state)
        self.states.update(changed)
        self.lit = [item for item, state in self.now.items() if state == "active"]
        return changed

    def _after(self, item: str) -> State:
        """What was active becomes when another has its turn: a row is done when everything in it has run."""
        return "waiting" if self.left.get(item, 0) > 0 else "done"

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _runs(self, node: str) -> None:
        """The row of a Node (or leaf) has its turn."""
        row = self.source.row_of.get(node) if self.source is not None else None
        if row is not None:
            self.now[row] = "active"
            if node not in self.ran:
                self.left[row] -= 1
                self.ran.add(node)

    def _runs_row(self, node: str, number: int) -> None:
        """Something happens at a tensor: the row that shows it is lit."""
        if rows := self._rows(node, number):
            self.now[rows[-1]] = "active"

    def _rows(self, node: str, number: int) -> Sequence[str]:
        """The rows that show the gradient of an output."""
        return self.source.rows.get((node, number), ()) if self.source is not None else ()

    def _known(self, node: str, number: int, amount: Amount | None) -> None:
        """The whole gradient of an output is there: it stands in each row that shows it."""
        if amount is not None and amount.grid is not None:
            for row in self._rows(node, number):
                self.grids[row] = amount.grid
                self.texts[row] = ""

    def _end(self) -> str:
        parts = self._grads()
        each = [f"{self._owner(*place)}.grad = {now.text if now is not None else 'None'}" for place, now in parts]
        told = next((k for k in range(1, len(each)) if k == SHOWN or sum(map(len, each[: k + 1])) > ENDED), len(each))
        said = say("step.and").join(each[:told])
        said += say("step.and_more", count=len(each) - told) if told < len(each) else ""
        text = say("step.done", grads=said) if parts else say("step.done_nothing")
        left = self.recording.left_out
        return text + (say("step.left_out", count=left) if left else "")

    def _grads(self) -> list[tuple[tuple[str, int], Amount | None]]:
        """What is in `.grad` at the end, for each tensor that got something: hooks may have changed or cleared it."""
        final = {(node, number): now for node, number, now in self.recording.final}
        stored = {  # the last, where a backward within this one has been there before
            (e.node, e.number): e.after
            for e in self.recording.events
            if isinstance(e, Accumulated) and e.after is not None
        }
        return [(place, final.get(place, after)) for place, after in stored.items()]

    def _verdict(self) -> Tone:
        """Nothing is well where a NaN came out."""
        return "warning" if self.nan or any(now is not None and now.nan for _, now in self._grads()) else "good"

    def _nan(self, came: Iterable[Amount | None], goes: Iterable[Amount | None], fact: NodeFact | None = None) -> str:
        """What is said where the first NaN of the pass appears; it is made here unless one came in, be it as a gradient
        or as what the Node saved in the forward."""
        if self.nan or not any(a is not None and a.nan for a in goes):
            return ""
        self.nan = True
        saved = None
        if fact is not None:
            kept = self.kept.get(fact.id, {})
            saved = next((self._operands(fact, kept)[name] for name, amount in kept.items() if amount.nan), None)
        if any(a is not None and a.nan for a in came):
            self.flag = say("step.nan_came")
        else:
            self.flag = say("step.nan_made") if saved is None else say("step.nan_saved", name=saved)
        return self.flag

    # -- events --------------------------------------------------------------------------------------------------------

    def _told(self, event: Event) -> tuple[str, str, tuple[Block, ...], Tone]:
        match event:
            case RootEnters():
                return self._root(event)
            case HookRan():
                return self._hook(event)
            case NodeRan():
                return self._node(event)
            case Summed():
                return self._sum(event)
            case Accumulated():
                return self._accumulate(event)
            case Failed():
                return self._failed(event)

    def _name(self, node: str, number: int) -> str:
        """What the tensor is called whose gradient this is: its variable, else the output of its Node."""
        value = self.at.get((node, number))
        if value is not None and value.name:
            return value.name
        fact = self.nodes[node]
        if fact.accumulates:
            return say("step.unnamed_leaf", shape=value.shape if value is not None else "")
        return fact.cls if fact.outputs == 1 else say("step.output", cls=fact.cls, number=number)

    def _owner(self, node: str, number: int) -> str:
        """The same in front of `.grad`."""
        value, name = self.at.get((node, number)), self._name(node, number)
        return name if value is not None and value.name else f"({name})" if " " in name else name

    def _arrive(self, node: str, number: int, amount: Amount) -> str:
        """A gradient comes to a tensor; what the sentence says if others are still missing."""
        place = node, number
        self.here[place] = count = self.here.get(place, 0) + 1
        expected = self.recording.arriving.get(place, 1)
        value = self.at.get(place)
        item = value.id if value is not None else node
        self.came.setdefault(place, []).append(amount)
        waits = count < expected
        if self.source is not None and expected > 1:
            for row in self._rows(*place):
                self.texts[row] = say("step.here", count=count, all=expected)
        elif not waits:
            self._known(*place, amount)
        self.now[item] = "waiting" if waits else "active" if value is not None else "waiting"
        if value is not None and value.kind == "leaf" and expected > 1:
            self.texts[f"g{value.id[1:]}"] = say("step.here", count=count, all=expected)
        return self._waits(*place)

    def _waits(self, node: str, number: int) -> str:
        """What is said of a tensor that some of its gradients have not come to."""
        count, expected = self.here[node, number], self.recording.arriving.get((node, number), 1)
        return say("step.waits", name=self._name(node, number), count=count, all=expected) if count < expected else ""

    def _root(self, event: RootEnters) -> tuple[str, str, tuple[Block, ...], Tone]:
        key = (
            "step.root"
            if event.given or event.amount.text not in ("1.", "[1.]", "[[1.]]", "1")
            else "step.root_implicit"
        )
        name = self.values[event.root].name or say("step.the_root")
        text = say(key, g=event.amount.text, name=name) + self._nan([event.amount], [event.amount])
        text += self._arrive(event.node, event.number, event.amount)
        self.now[event.root] = "active"
        self._runs_row(event.node, event.number)
        self._enters(event.node, event.number, event.amount)
        return text, say("step.root_head"), (), "gradient"

    def _enters(self, node: str, number: int, amount: Amount) -> None:
        """Write the gradient of a tensor on the line from it to the Node that made it."""
        value = self.at.get((node, number))
        if value is None:
            self.texts[node] = self._short(amount)
        elif value.kind != "leaf":
            self.texts[f"o{value.id[1:]}"] = self._short(amount)

    def _short(self, amount: Amount) -> str:
        if len(amount.text) <= SHORT:
            return amount.text
        return f"{amount.shape} nan" if amount.nan else amount.shape

    def _label(self, symbols: str, out: Amount) -> str:
        """What stands beside an edge: rule and value, or what of them is short."""
        if isinstance(symbols, Plain):
            return self._short(out)
        both = _equated(symbols, out.text)
        if len(both) <= SHORT:
            return both
        return symbols if symbols and len(symbols) <= SHORT < len(out.text) else self._short(out)

    def _below(self, before: Amount | None, after: Amount | None) -> str:
        """What stands below a leaf: its `.grad`, what it was too if both are short, or its shape."""
        was, now = ("None" if amount is None else amount.text for amount in (before, after))
        for text in (f".grad: {was} → {now}" if before is not after else "", f".grad: {now}"):
            if text and len(text) <= BELOW:
                return text
        assert after is not None  # "None" is short
        return f".grad: {after.shape} nan" if after.nan else f".grad: {after.shape}"

    def _hook(self, event: HookRan) -> tuple[str, str, tuple[Block, ...], Tone]:
        before = event.before.text if event.before is not None else "None"
        after = event.after.text if event.after is not None else "None"
        if event.kind == "post":
            return self._hook_after(event, before, after)
        name = event.owner or self._name(event.node, event.number)
        value = self.at.get((event.node, event.number))
        self.now[value.id if value is not None else event.node] = "active"
        if event.kind in ("node", "pre"):
            key = "step.hook_node" if event.kind == "node" else "step.hook_pre"
            name = self.nodes[event.node].cls
        elif event.kind in ("post_accumulate", "post_leaf"):
            changed = event.after is not None or event.cleared
            key = "step.hook_post_changed" if changed else "step.hook_post"
            key = "step.hook_leaf" if event.kind == "post_leaf" else key
            if changed and value is not None:
                self.texts[f"g{value.id[1:]}"] = self._below(event.after, event.after)
            for row in self._rows(event.node, event.number) if changed else ():
                self.texts[row] = f".grad = {after}"  # no longer what stands in front of it
        else:
            key = "step.hook_alike" if event.alike else "step.hook_changed"
            key = "step.hook_same" if event.after is None else key
        self._runs_row(event.node, event.number)
        if event.after is not None and event.kind not in ("post_accumulate", "post_leaf"):
            self._enters(event.node, event.number, event.after)
            self._known(event.node, event.number, event.after)
        text = say(key, hook=event.name, name=name, before=before, after=after)
        nan = self._nan([event.before], [event.after])
        return text + nan, say("step.hook_head", name=name), (), "warning" if nan else "hook"

    def _hook_after(self, event: HookRan, before: str, after: str) -> tuple[str, str, tuple[Block, ...], Tone]:
        """A hook that changes what a Node has given to one of its edges."""
        item, place = self.edges[event.node, event.number]
        self.now[item] = self.now[event.node] = "active"
        came = self.came.get(place, [])
        if event.before in came:
            came.remove(event.before)
        if event.after is not None:
            came.append(event.after)
            self.texts[item] = self._short(event.after)
        if len(came) == 1 and self.here.get(place, 0) >= self.recording.arriving.get(place, 1):
            self._known(*place, came[0])
        cls = self.nodes[event.node].cls
        to = self._name(*place)
        text = say("step.hook_after", hook=event.name, name=cls, to=to, before=before, after=after)
        nan = self._nan([event.before], [event.after])
        return text + nan, say("step.hook_head", name=cls), (), "warning" if nan else "hook"

    def _node(self, event: NodeRan) -> tuple[str, str, tuple[Block, ...], Tone]:
        fact = self.nodes[event.node]
        self.now[event.node] = "active"
        self._runs(event.node)
        left = len(self.nodes) - len(self.ran)
        self.asks += asked_next(event.node, self._items(event.node), fact.cls, left + 1)
        for number, incoming in enumerate(event.incoming):
            if incoming is not None:
                self._line_in(event.node, number, incoming)
        outs: list[str] = []
        waits: dict[tuple[str, int], str] = {}  # where two edges lead to one tensor, both gradients arrive at once
        rows: list[tuple[str, str]] = []
        for index, out in enumerate(event.outgoing):
            if (event.node, index) not in self.edges:
                continue
            item, (target, number) = self.edges[event.node, index]
            if out is None:
                if (target, number) in self.recording.arriving:
                    outs.append(say("step.node_out", name=self._name(target, number), value="None"))
                    self._missing(target, number)
                    waits[target, number] = self._waits(target, number)
                continue
            symbols, numbers = self._rule(fact, index, event, out)
            name = self._name(target, number)
            self.now[item] = "active"
            value = _equated(symbols, out.text)
            value = say("step.plain_value", rule=symbols, value=out.text) if isinstance(symbols, Plain) else value
            outs.append(say("step.node_out", name=name, value=value))
            self.texts[item] = self._label(symbols, out)
            waits[target, number] = self._arrive(target, number, out)
            self._work(event, index, out, self._spoken(target, number))
            if numbers and len(numbers) <= 60:
                rows.append((str(unmarked(f"{name}: {symbols}")), _equated(numbers, out.text)))
        text = (
            say("step.node", cls=fact.cls, outs=say("step.and").join(outs))
            if outs
            else say("step.node_nothing", cls=fact.cls)
        )
        nan = self._nan(event.incoming, event.outgoing, fact)
        if event.frees:
            self.texts[f"s{event.node[1:]}"] = say("step.freed_line")
            if not nan:  # which is what this step is about
                text += say("step.frees", names=say("common.list").join(event.frees))
        text += nan + "".join(waits.values())
        return text, say("step.node_head", cls=fact.cls), self._panel(event, rows), "warning" if nan else "gradient"

    def _line_in(self, node: str, number: int, incoming: Amount) -> None:
        value = self.at.get((node, number))
        if value is not None:
            self.now[f"o{value.id[1:]}"] = "active"
            self._enters(node, number, incoming)
        elif self.recording.arriving.get((node, number), 1) > 1:
            self._enters(node, number, incoming)

    def _missing(self, target: str, number: int) -> None:
        """An edge along which no gradient came: it no longer is waited for."""
        place = target, number
        self.here[place] = self.here.get(place, 0) + 1
        came = self.came.get(place, [])
        if len(came) == 1 and self.here[place] == self.recording.arriving.get(place, 1):
            self._known(target, number, came[0])

    def _rule(self, fact: NodeFact, index: int, event: NodeRan, out: Amount) -> tuple[str, str]:
        """The local rule of an edge: in symbols, and with numbers where they are few."""
        rule = fact.rules[index] if index < len(fact.rules) else None
        g = next((a for a in event.incoming if a is not None), None)
        if rule is None or g is None:
            return "", ""
        plain = self._operands(fact, [s.name for s in fact.saved])
        symbols = written(rule, plain)
        if isinstance(symbols, Plain):
            return "" if isinstance(symbols, Vague) else symbols, ""
        symbols = self._summed(fact, rule, symbols, g, out)
        values = {s.name: s.text for s in fact.saved if s.state == "kept"}
        long = any("float" in text or "int" in text for text in (*values.values(), g.text))
        if long or symbols == self.sign or not rule.in_numbers or len(event.incoming) > 1:
            return symbols, ""
        if "·[" in symbols and re.search("inf|nan", g.text):  # a condition that is not met gives 0, whatever came
            return symbols, ""
        return symbols, self._summed(fact, rule, written(rule, {**plain, **values, "g": g.text}), g, out)

    def _summed(
        self, fact: NodeFact, rule: Rule, symbols: str, g: Amount, out: Amount, key: str = "step.summed_to"
    ) -> str:
        """A rule for an input that was broadcast: what it gives is summed to the input's shape. Of a Node of a vmap,
        what is not taken element by element is the rule of one row."""
        if fact.dims is not None and g.rank > fact.dims and not (rule.elementwise or symbols == self.sign):
            return say("step.each_row", rule=symbols)
        if rule.elementwise and out.shape != g.shape and (out.count <= g.count or not g.count) and out.rank <= g.rank:
            return say(key, rule=symbols, shape=out.shape)
        return symbols

    def _spoken(self, node: str, number: int) -> str:
        """What a tensor is called beside the learner's lines."""
        return (self.source.names.get((node, number)) if self.source is not None else None) or self._name(node, number)

    def _items(self, node: str) -> list[str]:
        """What may be clicked to mean a Node: itself, its row, the values that it made."""
        rows = [self.source.row_of[node]] if self.source is not None and node in self.source.row_of else []
        return [node, *rows, *(value.id for (of, _), value in self.at.items() if of == node)]

    def _work(self, event: NodeRan, index: int, out: Amount, to: str) -> None:
        """An edge with all its numbers, and what a learner may be asked of it."""
        g = next((a for a in event.incoming if a is not None), None)
        if g is None:
            return
        fact = self.nodes[event.node]
        rule = fact.rules[index] if index < len(fact.rules) else None
        kept = self.kept.get(fact.id, {})
        words = self._operands(fact, kept)
        symbols = written(rule, words) if rule is not None else ""
        quoted = symbols if isinstance(symbols, Plain) else f"`{symbols}`"
        told = (
            ""
            if rule is None or isinstance(symbols, Vague)
            else self._summed(fact, rule, quoted, g, out, "step.code_summed")
        )
        self.handed.append(told)
        shown = worked(to, symbols, g, kept, out, rule, words)
        if shown is not None:
            self.worked.append(replace(shown, source=self._formula(rule), plain=isinstance(symbols, Plain)))
        if not any(ask.kind == "edge" for ask in self.asks):
            named = {words.get(saved, saved): amount for saved, amount in kept.items()}
            changed = shown is not None and shown.formula != self.sign
            self.asks += asked_edge(to, g, named, out, self.worked[-1].formula if changed else "")

    def _formula(self, rule: Rule | None) -> int:
        """The number of the formula that a rule came from."""
        if rule is None or not rule.file:
            return 0
        return self.formulas.setdefault(Formula(*formula_at(rule.file, rule.line)), len(self.formulas) + 1)

    def _operands(self, fact: NodeFact, kept: Iterable[str]) -> dict[str, str]:
        """How a rule writes what a Node saved: as the learner's variable, as the expression that gave it, or as the
        operation that made it."""
        words = {s.name: s.written for s in fact.saved}
        inner = inner_of(self.source.by.get(fact.id, ""), fact.cls) if self.source is not None else {}
        words |= {saved: name for saved, name in inner.items() if words.get(saved) == saved}
        for saved in kept:
            place = self._input(fact, saved)
            name = self.source.bare.get(place, "") if self.source is not None and place is not None else ""
            if name and "…" not in name and len(name) <= OPERAND and words.get(saved, saved) == saved:
                words[saved] = name
        return self._made(fact, words) | {"g": self.sign}

    def _made(self, fact: NodeFact, words: dict[str, str]) -> dict[str, str]:
        """The same with operations in place of `self` and its like, unless they stand for something else as well:
        `cos(div)` for the cosine of a quotient, but `self` and `other` of two of them."""
        made: dict[str, str] = {}
        for index, saved in enumerate(inputs_of(fact.cls)):
            edge = self.edges.get((fact.id, index))
            maker = self.nodes[edge[1][0]] if edge is not None else fact
            alone = maker.outputs == 1 and not maker.accumulates
            if words.get(saved) == saved and maker is not fact and alone:
                made[saved] = maker.op
        known = [*words.values(), *made.values()]
        return words | {saved: op for saved, op in made.items() if known.count(op) == 1}

    def _input(self, fact: NodeFact, saved: str) -> tuple[str, int] | None:
        """Which output a saved value is: the Node's own, or the one at the end of an edge."""
        if saved == "result":
            return fact.id, 0
        names = inputs_of(fact.cls)
        edge = self.edges.get((fact.id, names.index(saved))) if saved in names else None
        return (
            edge[1] if edge is not None and edge[1] in (self.source.bare if self.source is not None else ()) else None
        )

    def _sign(self) -> str:
        """How the gradient that comes to a Node is written: g, but where the learner has a variable of this name."""
        taken = {value.name for value in self.values.values()}
        taken |= {saved.written for fact in self.nodes.values() for saved in fact.saved}
        if self.source is not None:
            taken.update(*(VARIABLE.findall(row.text) for row in self.source.program.rows))
        return next(name for name in ("g", "grad", "ḡ") if name not in taken)

    def _panel(self, event: NodeRan, rows: list[tuple[str, str]]) -> tuple[Block, ...]:
        """The rules in numbers, where they are few."""
        if not rows:
            return ()
        g = ", ".join(a.text for a in event.incoming if a is not None)
        return (Facts(((self.sign, g), *rows)),)

    def _sum(self, event: Summed) -> tuple[str, str, tuple[Block, ...], Tone]:
        name = self._name(event.node, event.number)
        value = self.at.get((event.node, event.number))
        self.now[value.id if value is not None else event.node] = "active"
        self._enters(event.node, event.number, event.total)
        self._runs_row(event.node, event.number)
        self._known(event.node, event.number, event.total)
        made = summed(self._spoken(event.node, event.number), [(self.sign, part) for part in event.parts], event.total)
        self.worked += [made] if made is not None and len(event.parts) <= 6 else []
        shown = [part.text for part in event.parts]
        parts = " + ".join(shown if len(shown) <= 6 else [*shown[:3], "…", shown[-1]])
        key = "step.sum_both" if len(event.parts) == 2 else "step.sum"
        text = say(key, name=name, all=len(event.parts), parts=parts, total=event.total.text)
        nan = self._nan(event.parts, [event.total])
        return text + nan, say("step.sum_head", name=name), (), "warning" if nan else "gradient"

    def _accumulate(self, event: Accumulated) -> tuple[str, str, tuple[Block, ...], Tone]:
        name = self._name(event.node, event.number)
        value = self.at.get((event.node, event.number))
        self.now[value.id if value is not None else event.node] = "active"
        before = event.before.text if event.before is not None else "None"
        after = event.after.text if event.after is not None else "None"
        incoming = event.incoming.text if event.incoming is not None else "None"
        if value is not None:
            self.texts[f"g{value.id[1:]}"] = self._below(event.before, event.after)
        if self.nodes[event.node].accumulates:
            self._runs(event.node)
            for row in self._rows(event.node, event.number):
                self.texts[row] = ".grad" if event.before is None else f".grad = {after}"
        else:
            self._runs_row(event.node, event.number)
        adds: list[tuple[str, Amount | None]] = [(".grad", event.before)] if event.before is not None else []
        made = summed(
            f"{self._spoken(event.node, event.number)}.grad", [*adds, (self.sign, event.incoming)], event.after
        )
        self.worked += [made] if made is not None else []
        self.asks += asked_grad(self._spoken(event.node, event.number), event.after)
        key = "step.accumulate" if event.before is None else "step.accumulate_add"
        key = "step.accumulate_none" if event.incoming is None else key
        if event.retained:
            key = "step.retain" if event.before is None else "step.retain_add"
        owner = self._owner(event.node, event.number)
        text = say(key, name=owner, before=before, incoming=incoming, after=after)
        nan = self._nan([event.before, event.incoming], [event.after])
        return text + nan, say("step.accumulate_head", name=name), (), "warning" if nan else "gradient"

    def _failed(self, event: Failed) -> tuple[str, str, tuple[Block, ...], Tone]:
        words = {"error": event.error, "message": event.message}
        if event.node is None:
            for root in self.recording.graph.roots:
                self.now[root] = "failed"
            text = say("step.fail_start", **words)
        else:
            value = (
                self.at.get((event.node, 0)) if self.nodes[event.node].accumulates or event.during == "hook" else None
            )
            self.now[value.id if value is not None else event.node] = "failed"
            if self.source is not None and event.node in self.source.row_of:
                self.now[self.source.row_of[event.node]] = "failed"
            name = self._name(event.node, 0)
            key = "step.fail_hook" if event.during == "hook" else "step.fail_node"
            text = say(key, cls=self.nodes[event.node].cls, name=name, hook=event.hook, **words)
        return text, say("step.fail_head"), (), "warning"


def _equated(rule: str, value: str) -> str:
    """A rule and what it gives: "g·x = 2."; of a rule that is but a number, this number."""
    return value if not rule or rule == value.rstrip(".") else f"{rule} = {value}"


def _ended(sentence: str) -> str:
    """A number that ends in a point is its sentence's full stop, too; in Chinese, a blank follows it then."""
    return _INNER_POINTS.sub(r"\1 ", _TWO_POINTS.sub(r"\1", sentence))
