"""`what_if`: the same backward with something detached, frozen or made zero: who still gets what, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..inspector import Inspector, present
from ..layout.folded import folded
from ..layout.picture import Labels, draw
from ..parts import Badge, Block, Card, Drawing, Item, Note, Path, Shape, Table, Text, Tone
from ..prose import code, columns
from ..snapshot.calls import arguments, elements, keywords
from ..snapshot.events import amount
from ..snapshot.flows import Flows, Place, in_short, untouched
from ..snapshot.graph import Graph, Holders, Walk, class_name, describe, edge_of, hooks_on, runs_backward
from ..snapshot.kinds import is_a, is_module, is_tensor, type_name
from ..snapshot.names import namespace
from ..snapshot.owners import modules_of
from ..snapshot.program import source_of
from ..values import brief, shape
from ..words import language, say
from .graph import details_of

__all__ = ["what_if"]

#: pixels that the table leaves a folded graph on a projector's page
BESIDE = 200.0

#: Nodes that are drawn, and where they can be folded; rows that are listed, leaves that one of them names, and
#: gradients that are listed apart
DRAWN, FOLDED, LISTED, NAMED, APART = 40, 150, 40, 6, 100
#: from how many leaves on a reason that they share is said once; of two a long one
SHARED, LINE = 3, 110
#: letters below a leaf, and of an expression that stands for a tensor
LONG, SPELLED = 20, 60
#: the order of what is told of many leaves
_FIRST: tuple[Tone, ...] = ("warning", "gradient", "muted")
#: what is said of a leaf that is itself what is asked about
ITSELF = {"cut": "is_cut", "frozen": "is_frozen", "zero": "is_zero"}


def what_if(y: Any, cut: Any = None, frozen: Any = None, zero: Any = None) -> Inspector:
    """The backward of `y` beside one that does not happen: with a tensor detached, a leaf or Module frozen, or a
    gradient made zero. Who still gets what, and why.

    `cut`, `frozen` and `zero` take a tensor, a Module or a list of them. No engine runs, no hook fires and nothing is
    changed: the Nodes are asked one by one, so `y` must not have been backward through already (or only with
    `retain_graph=True`).

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> w, x = torch.tensor([1.], requires_grad=True), torch.tensor([2.], requires_grad=True)
    >>> a = w * x
    >>> b = w + 1
    >>> y = a * b
    >>> print("\\n".join(lab.what_if(y, cut=a).text.splitlines()[2:5]))
    leaf  gets now  would get  why
    `w`   [6.]      [2.]       [4.] of it came through `a`; the rest still comes by way of AddBackward0 (`b`).
    `x`   [2.]      nothing    All paths to it lead through `a`: nothing arrives, its `.grad` stays as it is.
    """
    spelled = arguments()
    asked = {"cut": cut, "frozen": frozen, "zero": zero}
    found = {key: list(_tensors(key, thing)) for key, thing in asked.items() if thing is not None}
    words = dict(zip(("y", *asked), spelled, strict=False)) | keywords()
    written = {id(one): word for key, thing in asked.items() for one, word in _spelled(thing, words.get(key, ""))}
    modules = {frozenset(map(id, m.parameters())): w for m, w in _spelled(frozen, words.get("frozen", ""), is_module)}
    return present(_WhatIf(y, found, namespace(), words.get("y", "y"), written, modules).card())


def _spelled(thing: Any, word: str, meant: Callable[[Any], bool] = is_tensor) -> Iterator[tuple[Any, str]]:
    """Tensors (or what is meant), and what was written for each."""
    if meant(thing):
        yield thing, word
    elif is_a(thing, (list, tuple)):
        yield from ((one, said) for one, said in zip(thing, elements(word), strict=False) if meant(one))


def _tensors(key: str, thing: Any) -> Iterator[Any]:
    """The tensors that are meant: themselves, or the parameters of Modules."""
    for one in thing if is_a(thing, (list, tuple)) else [thing]:
        if is_module(one):
            yield from one.parameters()
        elif is_tensor(one):
            yield one
        else:
            raise TypeError(say("what_if.what_type", key=key, type=type_name(one)))


@dataclass(slots=True)
class _Leaf:
    """A leaf, and what arrives at it in both backwards (None: nothing)."""

    name: str
    place: Place
    now: Any
    then: Any


#: a leaf's name, what it gets now and what it would get, in words
_Row = tuple[str, str, str]


class _WhatIf:
    def __init__(
        self,
        y: Any,
        asked: Mapping[str, list[Any]],
        space: Mapping[str, Any],
        written: str,
        spelled: Mapping[int, str],
        modules: Mapping[frozenset[int], str],
    ) -> None:
        self.root = y
        self.asked = asked
        self.holders = Holders(space)
        self.spelled = {ident: word for ident, word in spelled.items() if 0 < len(word) <= SPELLED}
        self.modules = {ids: word for ids, word in modules.items() if 0 < len(word) <= SPELLED}
        self.written = (self.holders.name(y) if is_tensor(y) else None) or written

    def card(self) -> Card:
        problem = self._problem()
        if not problem:
            self.walk = Walk([self.root])
            self.places = {key: frozenset(map(edge_of, found)) for key, found in self.asked.items()}
            stopped = self.places.get("cut", frozenset()) | self.places.get("frozen", frozenset())
            try:
                with untouched(self.walk) as inner:
                    self.now = Flows(self.walk)
                    self.inner = inner() or list(map(class_name, filter(runs_backward, self.walk.nodes)))
                    self.then = Flows(self.walk, cut=stopped, zero=self.places.get("zero", frozenset()))
            except Exception as error:  # a Node that has been freed, or that cannot be run alone
                key = "what_if.freed" if "second time" in str(error) else "what_if.failed"
                problem = say(key, root=self.written, error=in_short(error))
        if problem:
            return Card("what_if", "lab.what_if", blocks=(Note(problem, "warning"),), lang=language())
        self.stopped = stopped
        self.count = sum(not hasattr(node, "variable") for node in self.walk.nodes)
        self.facts = describe(self.walk, self.holders, None if self.count <= FOLDED else ())
        self.leaves = list(self._leaves())
        subtitle = say("what_if.subtitle", root=self.written)
        badge = Badge(say("step.preview"), "muted")
        return Card("what_if", self._title(), subtitle, (badge,), tuple(self._blocks()), lang=language())

    def _problem(self) -> str:
        if not is_tensor(self.root):
            return say("what_if.root_type", type=type_name(self.root))
        if not self.root.requires_grad:
            return say("what_if.no_graph", root=self.written)
        if self.root.numel() != 1:
            return say("what_if.not_scalar", root=self.written, count=self.root.numel())
        if not any(self.asked.values()):
            return say("what_if.none")
        for t in (t for found in self.asked.values() for t in found):
            if (base := self._written_base(t)) is not None:
                named = self.holders.name(base) is not None
                names = {"name": self._named([t]), "base": self._named([base]) if named else ""}
                return say("what_if.of_base" if named else "what_if.of_memory", root=self.written, **names)
        results = [t for t in self.asked.get("frozen", []) if not t.is_leaf]
        if results:
            return say("what_if.not_leaf", names=self._named(results))
        return ""

    def _written_base(self, tensor: Any) -> Any:
        """The base of a view, where the graph goes through the base, because views or base were written in place."""
        base = tensor._base if tensor._is_view() else None
        if base is None or not base.requires_grad or not tensor._version:
            return None
        nodes = {node: set(nexts) for node, nexts in self._graph()}
        on_way = {place for places in nodes.values() for place in places} | {edge_of(self.root)}
        if edge_of(tensor) in on_way:
            return None
        below, waiting = set(), [base.grad_fn]
        while waiting:
            node = waiting.pop()
            if node in nodes and node not in below:
                below.add(node)
                waiting += [to for to, _ in nodes[node]]
        return base if any(node.name().endswith("CopySlices") for node in below) else None

    def _graph(self) -> Iterator[tuple[Any, tuple[Any, ...]]]:
        walk = Walk([self.root])
        return zip(walk.nodes, walk.nexts, strict=False)

    # -- words ---------------------------------------------------------------------------------------------------------

    def _title(self) -> str:
        if len(self.asked) > 1:
            return say("what_if.several")
        ((key, found),) = self.asked.items()
        return say(f"what_if.{key}", names=self._named(found))

    def _named(self, tensors: Sequence[Any], most: int = 4) -> str:
        left = {id(t): t for t in tensors}
        names = []
        for ids, word in self.modules.items():  # a Module stands for its parameters
            if ids and ids <= left.keys():
                names.append(code(word))
                left = {ident: t for ident, t in left.items() if ident not in ids}
        names += [code(self.holders.name(t) or self.spelled.get(id(t)) or shape(t)) for t in left.values()]
        return say("common.list").join(names[:most]) + (" …" if len(names) > most else "")

    def _blocks(self) -> Iterator[Block]:
        off = [t for found in self.asked.values() for t in found if edge_of(t) not in self.now.at]
        if off:
            one = len(off) == 1 or frozenset(map(id, off)) in self.modules
            key = "what_if.off_way" if one else "what_if.off_way_all"
            if not self.inner:
                yield Note(say(key, names=self._named(off), root=self.written), "warning")
        codes = [say(f"what_if.code_{key}", names=self._named(found)) for key, found in self.asked.items()]
        if all(leaf.then is None for leaf in self.leaves):
            alone = say("what_if.nobody", root=self.written)
            yield Note(say("common.sentences").join([alone, *codes]), "warning")
        else:
            yield from map(Note, codes)
        yield from self._tables()
        hooks = [hook.name for value in self.facts.values for hook in value.hooks]
        hooks += [name for node in self.walk.nodes for name in hooks_on(node)]
        if hooks:
            names = say("common.list").join(list(dict.fromkeys(hooks))[:6])
            yield Note(say("what_if.hooks", names=names), "warning")
        if self.inner:
            yield Note(
                say("what_if.inner", nodes=say("common.list").join(list(dict.fromkeys(self.inner))[:6])), "warning"
            )
        drawings = list(self._drawings())
        yield from drawings
        key = "what_if.key" if drawings else "what_if.large"
        yield Note(say(key, count=len(self.facts.nodes)), "muted")

    def _tables(self) -> Iterator[Block]:
        """A row for each reason, of many leaves what changes first; where several leaves share it, their gradients are
        in a second table."""
        heads = tuple(say(f"what_if.{key}") for key in ("leaf", "now", "then", "why"))
        found: dict[tuple[Tone, str, str], list[_Row]] = {}
        verdicts = [(leaf, *self._verdict(leaf)) for leaf in self.leaves]
        long = len(verdicts) > LISTED
        verdicts.sort(key=lambda verdict: _FIRST.index(verdict[2]) if long else verdict[2] == "muted")
        for leaf, key, tone in verdicts:
            row = code(leaf.name), _said(leaf.now), _said(leaf.then)
            why = self._why(leaf, key)
            of_many = why if key == "less" else say(f"what_if.{key}_all", cut=self._through())
            found.setdefault((tone, why, of_many), []).append(row)
        rows: list[tuple[str, ...]] = []
        tones: list[Tone] = []
        apart: list[_Row] = []
        for (tone, why, of_many), alike in found.items():
            shared = len(alike) >= (SHARED if columns(why) <= LINE else 2)
            said = [(*_together(alike), of_many)] if shared else [(*row, why) for row in alike]
            rows += said
            tones += [tone] * len(said)
            apart += alike if shared else []
        yield Table(heads, tuple(rows[:LISTED]), tuple(tones[:LISTED]))
        if len(rows) > LISTED:
            yield Note(say("what_if.left_out", count=len(rows) - LISTED), "muted")
        if apart:
            rest = [("…", "…", "…")] if len(apart) > APART else []
            yield Table(heads[:3], (*apart[:APART], *rest), folded=say("what_if.each"))

    def _leaves(self) -> Iterator[_Leaf]:
        leaves = (node for node in self.walk.nodes if hasattr(node, "variable"))
        for number, node in enumerate(leaves, 1):
            name = self.holders.name(node.variable)
            key = "nameless" if node.variable.dim() else "nameless_number"
            name = name or say(f"what_if.{key}", number=number, shape=shape(node.variable))
            yield _Leaf(name, (node, 0), self.now.at.get((node, 0)), self.then.at.get((node, 0)))

    def _verdict(self, leaf: _Leaf) -> tuple[str, Tone]:
        """What happens to a leaf, as a key of the words."""
        for key, said in ITSELF.items():
            if leaf.place in self.places.get(key, ()) and leaf.now is not None:
                return said, "warning"
        if leaf.now is None or not self._behind(leaf.place[0]):
            return "untouched", "muted"
        if leaf.then is None:
            return "gone", "warning"
        if not leaf.now.numel():
            return "empty", "muted"
        if _nan(leaf.then) and not _nan(leaf.now):
            return "nan", "warning"
        if bool((leaf.now == leaf.then).all()):
            return "same", "muted"
        return ("less", "gradient") if self._into(leaf.place) else ("zeros", "warning")

    def _why(self, leaf: _Leaf, key: str) -> str:
        fields = {"cut": self._through(), "lost": "", "nodes": ""}
        if key == "less":
            fields["lost"] = _said(leaf.now - leaf.then)
            fields["nodes"] = say("common.list").join(dict.fromkeys(self._source(p) for p in self._into(leaf.place)))
            key = "less" if bool((leaf.then == leaf.then).all()) else "less_nan"  # NaN less NaN is not a number
        return say(f"what_if.{key}", **fields)

    def _through(self) -> str:
        return self._named([t for found in self.asked.values() for t in found])

    def _into(self, place: Place) -> list[Place]:
        """The edges along which a place still gets something that did not go through what is made zero, be it zeros."""
        pairs = zip(self.walk.nodes, self.walk.nexts, strict=False)
        edges = [(node, index) for node, nexts in pairs for index, to in enumerate(nexts) if to == place]
        return [edge for edge in edges if edge in self.then.on and edge[0] in self._open()]

    def _open(self) -> set[Any]:
        """The Nodes to which a way leads that does not go through what is made zero."""
        if not hasattr(self, "_opened"):
            nexts = dict(zip(self.walk.nodes, self.walk.nexts, strict=False))
            zero = self.places.get("zero", frozenset())
            waiting = [node for node, number in self.walk.starts if (node, number) not in zero]
            self._opened = set(waiting)
            while waiting:
                node = waiting.pop()
                for index, to in enumerate(nexts.get(node, ())):
                    if (node, index) in self.then.on and to not in zero and to[0] not in self._opened:
                        self._opened.add(to[0])
                        waiting.append(to[0])
        return self._opened

    def _source(self, edge: Place) -> str:
        """A Node, and those of its results by whose gradients it is reached."""
        ident = self.walk.ids[edge[0]]
        cls = next(n.cls for n in self.facts.nodes if n.id == ident)
        zero = self.places.get("zero", frozenset())
        reached = {number for node, number in self.then.at if node is edge[0] and (node, number) not in zero}
        names = [v.name for v in self.facts.values if v.of and v.of[0] == ident and v.of[1] in reached and v.name]
        return f"{cls} ({say('common.list').join(map(code, names))})" if names else cls

    def _after(self) -> set[Any]:
        """The Nodes that lie behind what is cut, frozen or made zero."""
        if not hasattr(self, "_found"):
            nexts = dict(zip(self.walk.nodes, self.walk.nexts, strict=False))
            places = [place for found in self.places.values() for place in found if place in self.now.at]
            waiting = [node for node, _ in places]
            self._found = set(waiting)
            while waiting:
                for follower, _ in nexts.get(waiting.pop(), ()):
                    if follower is not None and follower not in self._found:
                        self._found.add(follower)
                        waiting.append(follower)
        return self._found

    def _behind(self, node: Any) -> bool:
        return node in self._after()

    # -- the picture ---------------------------------------------------------------------------------------------------

    def _drawings(self) -> Iterator[Drawing]:
        """The whole graph, and the folded one, where there is one; none of what is too large."""
        facts, label = self.facts, say("what_if.picture")
        if self.count > FOLDED:
            return
        texts, looks = self._texts(), self._looks(facts)
        drawn = draw(facts, (), label, details_of(facts), Labels(texts))
        source = source_of(self.walk, self.holders)
        groups = (source.groups if source else {}) or modules_of(facts)
        small = folded(facts, groups, drawn, label, Labels(texts, brief=True), BESIDE)
        if small is not None:
            yield _all_dressed(drawn, looks, texts)
            yield self._dressed_small(small, looks, texts)
        elif self.count <= DRAWN:
            yield _all_dressed(drawn, looks, texts)

    def _dressed_small(self, small: Drawing, looks: Mapping[str, str], texts: Mapping[str, str]) -> Drawing:
        """The folded drawing: boxes and edges between them are cut where anything in them is, still where all is."""
        shown = {value.of[0]: value.id for value in self.facts.values if value.of is not None and value.kind == "leaf"}
        edges = {
            f"e{number}": (edge.source, shown.get(edge.target, edge.target))
            for number, edge in enumerate(self.facts.edges, 1)
        }
        found = dict(looks)
        said = {slot: text for slot, text in texts.items() if slot.startswith("g")}
        for at, members in ((group.at, group.items) for group in small.groups):
            of_members = {looks.get(item, "") for item in members}
            of_members |= {looks[e] for e, ends in edges.items() if looks.get(e) == "cut" and set(ends) <= set(members)}
            if "cut" in of_members:
                found[at] = "cut"
                said[f"in {at}"] = "✂"
            elif of_members == {"still"}:
                found[at] = "still"
        return _all_dressed(small, found, said)

    def _texts(self) -> dict[str, str]:
        """What stands beside edges and below leaves: "4. → 2."; what has not changed, once."""
        found: dict[str, str] = {}
        live = {ident: node for node, ident in self.walk.ids.items()}
        for number, edge in enumerate(self.facts.edges, 1):
            key = live[edge.source], edge.index
            if (live[edge.target], edge.number) in self.stopped and key in self.now.on:
                found[f"e{number}"] = f"{_few(_short(self.now.on[key]))} ✂".strip()
            else:
                found[f"e{number}"] = _few(_both(self.now.on.get(key), self.then.on.get(key)))
        for value in self.facts.values:
            if value.of is not None and value.kind == "leaf":
                place = live[value.of[0]], value.of[1]
                found[f"g{value.id[1:]}"] = _below(self.now.at.get(place), self.then.at.get(place))
        return found

    def _looks(self, facts: Graph) -> dict[str, str]:
        """Which items are cut, and along which nothing runs any more."""
        live = {ident: node for node, ident in self.walk.ids.items()}
        looks: dict[str, str] = {}
        for number, edge in enumerate(facts.edges, 1):
            key = live[edge.source], edge.index
            if key in self.now.on and key not in self.then.on:
                stopped = (live[edge.target], edge.number) in self.stopped and live[edge.source] in self._running()
                looks[f"e{number}"] = "cut" if stopped else "still"
        for node in facts.nodes:
            if live[node.id] not in self._running():
                looks[node.id] = "still"
        for value in facts.values:
            if value.of is not None and (live[value.of[0]], value.of[1]) not in self.then.at:
                looks[value.id] = looks[f"o{value.id[1:]}"] = "still"
        return looks

    def _running(self) -> set[Any]:
        return {node for node, _ in self.then.at}


def _all_dressed(drawing: Drawing, looks: Mapping[str, str], texts: Mapping[str, str]) -> Drawing:
    return replace(drawing, items=tuple(_dressed(item, looks.get(item.id, ""), texts) for item in drawing.items))


def _dressed(item: Item, look: str, texts: Mapping[str, str]) -> Item:
    """An item with its texts filled in, and as it looks where it is cut or still."""

    def dress(part: Shape) -> Shape:
        if isinstance(part, Text):
            text = texts.get(part.slot, part.text) if part.slot else part.text
            tone: Tone = "warning" if look == "cut" else "muted" if look == "still" else part.tone
            return replace(part, text=text, tone=tone)
        if look == "still":
            muted = replace(part, tone="muted")
            return replace(muted, dashed=True) if isinstance(muted, Path) else replace(muted, fill=False)
        return (
            replace(part, tone="warning", dashed=True, width=2.4) if look == "cut" and isinstance(part, Path) else part
        )

    shapes = tuple(map(dress, item.shapes))
    line = shapes[0]
    if look == "cut" and isinstance(line, Path) and len(shapes) == 1:  # of a folded drawing
        x, y = line.points[0]
        shapes = (line, Text(x - 4, y - 5, "✂", "warning", "end", bold=True))
    return replace(item, shapes=shapes)


def _short(tensor: Any) -> str:
    text = amount(tensor).text
    return text[1:-1] if tensor.numel() == 1 and text.startswith("[") and "[" not in text[1:] else text


def _few(text: str) -> str:
    """Numbers beside an edge, where they are short."""
    return text if len(text) <= 16 else ""


def _both(now: Any, then: Any, arriving: bool = False) -> str:
    if now is None:
        return ""
    before, after = _short(now), "✂" if then is None and not arriving else "—" if then is None else _short(then)
    if then is None and not arriving:
        return ""
    return before if before == after else f"{before} → {after}"


def _below(now: Any, then: Any) -> str:
    """What stands below a leaf: the gradients, or how large they are; their numbers are in the table."""
    both = _both(now, then, True)
    if len(both) <= LONG:
        return both
    before, after = (brief(float(t.abs().square().sum()) ** 0.5) if t is not None else "—" for t in (now, then))
    return f"‖·‖ {before}" if before == after else f"‖·‖ {before} → {after}"


def _said(tensor: Any) -> str:
    return say("what_if.nothing") if tensor is None else amount(tensor).text


def _together(alike: Sequence[_Row]) -> _Row:
    """Leaves of which the same is to be said, as one row: what differs from leaf to leaf is counted."""
    names, now, then = zip(*alike, strict=True)
    counted = say("what_if.gradients", count=len(alike))
    before = now[0] if len(set(now)) == 1 else counted
    after = then[0] if len(set(then)) == 1 else say("what_if.unchanged") if now == then else counted
    listed = say("common.list").join(names[:NAMED])
    more = len(names) - NAMED
    return say("common.names_more", names=listed, count=more) if more > 0 else listed, before, after


def _nan(tensor: Any) -> bool:
    return bool((tensor != tensor).any())
