"""The learner's own lines behind a graph: each Node in the row of the statement that made it.

Rows form a tree: a cell has statements, a loop has turns, a turn statements again, a call of a function or Module the
lines inside of it. What was noted of Nodes (`lines`) says where they belong. Nothing alive remains.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ..parts import Grid, Mark, Program, Row
from ..values import grid, shape
from ..words import say
from .callers import cell_number
from .graph import Holders, Walk, class_name, edge_of, saved_live, where
from .identity import mark
from .kinds import is_module, is_tensor
from .lines import Spot, functions_of, note_of, source_tree
from .names import VARIABLE, Space
from .origins import Origin, place
from .rules import inputs_of

__all__ = ["Source", "source_of"]

_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})

#: rows and columns of a forward value that are kept
MOST = 12

#: results of one statement that have a row each
RESULTS = 8

Place = tuple[str, int]

#: where an expression begins and ends: lines, then columns in bytes
Span = tuple[int, int, int, int]


@dataclass(slots=True)
class Source:
    """The rows, and what the story of a backward pass needs to know of them."""

    program: Program
    rows: dict[Place, list[str]]  #: the rows that show the gradient of an output
    row_of: dict[str, str]  #: the row in which a Node runs
    names: dict[Place, str]  #: what the learner would call an output: "h, t = 3", "x @ W"
    bare: dict[Place, str]  #: the same without the turns of loops
    spoken: dict[str, str]  #: where a Node was made, as a sentence begins: "Line 4"
    code: dict[str, str]  #: the expression that made a Node
    by: dict[str, str]  #: what it was called by: a function's name, the class of a Module
    part: dict[str, str]  #: the same, or the Module in it that did, where it is one of several Nodes of that
    groups: dict[str, tuple[tuple[str, str], ...]]  #: turns, calls, Modules around a Node: id, label


@dataclass(slots=True)
class _Draft:
    """A row while the tree grows."""

    kind: str
    text: str
    line: int = 0
    file: str = ""
    name: str = ""
    several: tuple[str, ...] = ()  #: the names that `u, v = …` gives, if it gives several
    flat: bool = True  #: whether the first of them is the first result, and so on
    each: tuple[Span, ...] = ()  #: the expression of each of them, where there is one
    offsets: dict[int, int] = field(default_factory=dict)
    children: dict[Any, _Draft] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    nodes: list[tuple[str, int, int]] = field(default_factory=list)
    label: str = ""
    whole: Span | None = None  #: the expression whose value gets the name
    last: tuple[int, ...] = ()  #: of a loop: where its latest turn stood
    turn: int = 0


def source_of(walk: Walk, holders: Holders, told: Collection[Any] | None = None) -> Source | None:
    """The rows for a graph, of a large one those of the Nodes that are `told` of (None: all); None if no line is
    known."""
    return _Reading(walk, holders, told).source()


class _Reading:
    def __init__(self, walk: Walk, holders: Holders, told: Collection[Any] | None) -> None:
        self.walk = walk
        self.holders = holders
        self.told = None if told is None else frozenset(walk.ids[node] for node in told)
        holders.meet(walk)
        self.cells: dict[str, _Draft] = {}
        self.where: dict[str, _Draft] = {}  # Node -> its innermost row
        self.around: dict[str, list[_Draft]] = {}
        self.tops: dict[str, tuple[_Draft, Spot | None]] = {}
        self.leaf_rows: dict[Place, _Draft] = {}
        self.made: dict[str, list[tuple[int, Any]]] = {}
        for (node, number), held in holders.made.items():
            if node in walk.ids:
                self.made.setdefault(walk.ids[node], []).append((number, held[0]))
        self.modules = dict(_module_names(holders.space))
        self.code: dict[str, str] = {}
        self.by: dict[str, str] = {}
        self.mates: dict[tuple[Any, ...], list[str]] = {}  # Nodes that one expression has made, in that order
        self.unknown = 0
        self.rows: dict[Place, list[str]] = {}
        self.results: dict[Place, str] = {}  # what a statement with several results calls each
        self.takers: dict[Place, list[str]] = {}
        for edge in walk.edges():
            self.takers.setdefault((edge.target, edge.number), []).append(edge.source)
        self.outputs = self._outputs()

    def _outputs(self) -> dict[str, set[int]]:
        """Of each Node which of its outputs are used or held."""
        ids, found = self.walk.ids, dict[str, set[int]]()
        places = list(self.takers)
        places += [(ids[node], number) for node, number in self.walk.starts if node in ids]
        places += [(node, number) for node, outputs in self.made.items() for number, _ in outputs]
        for node, number in places:
            found.setdefault(node, set()).add(number)
        return found

    def source(self) -> Source | None:
        nodes = self._as_made()
        for node in nodes:
            note = note_of(node)
            if any(isinstance(step, Spot) for step in note):
                self._place(self.walk.ids[node], note)
            else:
                self.unknown += 1
        if not self.where:
            return None
        following = dict(zip(self.walk.nodes, self.walk.nexts, strict=False))
        used = [target for node in nodes for target, _ in following.get(node, ())]
        for node in dict.fromkeys([*used, *self.walk.nodes]):
            if node in self.walk.ids and hasattr(node, "variable"):
                self._leaf(self.walk.ids[node], node.variable)
        for row in list(self._all_rows()):
            self._part(row)
        return self._numbered()

    def _all_rows(self) -> Iterator[_Draft]:
        waiting = list(self.cells.values())
        while waiting:
            row = waiting.pop()
            yield row
            waiting += row.children.values()

    def _as_made(self) -> list[Any]:
        """The Nodes of operations in the order of the forward."""
        return sorted((n for n in self.walk.nodes if not hasattr(n, "variable")), key=lambda n: n._sequence_nr())

    # -- Nodes ---------------------------------------------------------------------------------------------------------

    def _place(self, node: str, note: tuple[Any, ...]) -> None:
        """Go down the tree along a note, growing it where it has not been, and put the Node there."""
        row: _Draft | None = None
        way: list[_Draft] = []
        spot: Spot | None = None
        pending: list[str] = []  # Modules called since the last line
        steps = list(note)
        for number, step in enumerate(steps):
            if not isinstance(step, Spot):
                called = step.module()
                pending.append(self.modules.get(id(called), step.kind) if called is not None else step.kind)
                continue
            inside = tuple(s.instruction for s in steps[number:] if isinstance(s, Spot))
            row, spot = self._down(row, step, spot, pending, inside, way), step
            pending = []
        assert row is not None
        assert spot is not None
        for name in pending:
            row = row.children.setdefault(("module", name), _Draft("module", name, label=name))
            way.append(row)
        self.where[node] = row
        self.around[node] = way
        row.places.append((node, 0))
        line = spot.span[0]
        if row.kind == "module":
            row.nodes.append((node, 0, 0))  # its row, and none of its letters
        elif line in row.offsets:
            self._mark(node, row, spot)
        self.code[node] = self._expression(spot)
        self.by[node] = _function(self.code[node]) if isinstance(steps[-1], Spot) else steps[-1].kind
        self.mates.setdefault(self._made_by(way, spot), []).append(node)
        for above in way:
            if above is not row:
                above.places.append((node, 0))
        self.tops[node] = row, spot

    @staticmethod
    def _made_by(way: list[_Draft], spot: Spot) -> tuple[Any, ...]:
        """Which expression, in which turn, a Node on this way comes from, be it inside of Modules or not."""
        return (*(id(above) for above in way if above.kind != "module"), spot.code, spot.span)

    def _down(
        self,
        row: _Draft | None,
        step: Spot,
        before: Spot | None,
        modules: list[str],
        inside: tuple[int, ...],
        way: list[_Draft],
    ) -> _Draft:
        code, file = step.code, step.code.co_filename
        line, _, start, _ = step.span
        name = code.co_name
        body: list[ast.stmt] = []
        if row is None or name == "<module>":
            row = self._cell(file)
            tree = source_tree(file)
            body = tree.body if tree is not None else []
        elif name in _COMPREHENSIONS:
            return self._turn(row, step, inside, None, way)
        else:
            label = modules[-1] if modules else ""
            shown = f"{label} · {_qualified(code)}" if label else _qualified(code)
            called = "call", code, before.instruction if before is not None else 0, label
            row = row.children.setdefault(called, _Draft("call", shown, code.co_firstlineno, file, label=label))
            way.append(row)
            body = _function_body(file, code.co_name, line)
        loops, statement = _statement(body, line, start)
        for loop in loops:
            row = row.children.setdefault(("line", loop.lineno), self._line(loop, file, "loop"))
            way.append(row)
            row = self._turn(row, step, inside, loop, way)
        if statement is None:
            key: tuple[Any, ...] = ("line", line)
            text = linecache.getline(file, line).strip()
            made = _Draft("line", text, line, file)
        else:
            key = ("line", statement.lineno, statement.col_offset)
            made = self._line(statement, file, "line")
        row = row.children.setdefault(key, made)
        way.append(row)
        if statement is not None and _inlined(statement, step.span):
            row = self._turn(row, step, inside, None, way)
        return row

    def _cell(self, file: str) -> _Draft:
        if file not in self.cells:
            number = cell_number(file)
            text = say("step.cell", cell=number) if number is not None else file.replace("\\", "/").rsplit("/", 1)[-1]
            self.cells[file] = _Draft("cell", text, 0, file)
        return self.cells[file]

    def _turn(
        self, row: _Draft, step: Spot, inside: tuple[int, ...], loop: ast.stmt | None, way: list[_Draft]
    ) -> _Draft:
        """The turn that a step stands in, of a loop or (None) of a comprehension: by what its variables hold, else it
        is a new one where the code has gone back."""
        pairs = [
            (name, value)
            for found, values in step.held
            if (found.inside if loop is None else not found.inside and found.first == _first(loop))
            for name, value in zip(found.names, values, strict=True)
            if value
        ]
        known = tuple(value for _, value in pairs)
        if not known:
            row.turn += bool(row.last) and inside[:1] <= row.last[:1] and inside <= row.last
            known = (str(row.turn),)
        row.last = inside
        if known not in row.children:
            shown = [f"{name} = {value}" for name, value in pairs if not value.startswith("@")]
            label = ", ".join(shown[:2]) or say("step.turn", number=len(row.children) + 1)
            row.children[known] = _Draft("turn", label, 0, step.code.co_filename, label=label)
        way.append(row.children[known])
        return row.children[known]

    def _line(self, statement: ast.stmt, file: str, kind: str) -> _Draft:
        text, offsets = _segment(statement, file)
        draft = _Draft(kind, text, statement.lineno, file, offsets=offsets)
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                draft.name, draft.whole = name, _span(value)
            case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)], value=value):
                names = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]
                draft.several, draft.flat, draft.whole = tuple(n.id for n in names), names == parts, _span(value)
                if isinstance(value, (ast.Tuple, ast.List)) and draft.flat and len(value.elts) == len(names):
                    draft.each = tuple(_span(part) for part in value.elts)
            case ast.AugAssign(target=ast.Name(id=name)):
                draft.name, draft.whole = name, _span(statement)
        return draft

    def _mark(self, node: str, row: _Draft, spot: Spot) -> None:
        line, last, start, end = spot.span
        first = _chars(spot.code.co_filename, line, start) + row.offsets[line]
        stop = _chars(spot.code.co_filename, last, end) + row.offsets.get(last, 0)
        row.nodes.append((node, first, min(stop, len(row.text)) if stop > first else len(row.text)))

    def _expression(self, spot: Spot) -> str:
        line, last, start, end = spot.span
        return " ".join(_cut(spot.code.co_filename, line, start, last, end).split())

    # -- leaves --------------------------------------------------------------------------------------------------------

    def _leaf(self, node: str, leaf: Any) -> None:
        name = self.holders.name(leaf)
        found = self.holders.origin(name)
        text = name or say("step.unnamed_leaf", shape=shape(leaf))
        top = self._leaf_line(found)
        if top is None:
            nowhere = self.cells.setdefault("", _Draft("cell", say("step.elsewhere")))
            row = nowhere.children.setdefault(("leaf", node), _Draft("leaf", text))
        elif top.name == name:
            row = top
        else:
            row = top.children.setdefault(("leaf", node), _Draft("leaf", text.removeprefix(f"{top.name}.")))
            row.name = text
        row.name = row.name or text
        self.leaf_rows[node, 0] = row
        row.places.append((node, 0))

    def _leaf_line(self, found: Origin | None) -> _Draft | None:
        if found is None:
            return None
        file = next((f for f in self.cells if f and _is_file(f, found)), None) or self._file_of(found)
        if not file:
            return None
        cell = self._cell(file)
        tree = source_tree(file)
        _, statement = _statement(tree.body if tree is not None else [], found.line, None)
        if statement is None:
            return None
        key = ("line", statement.lineno, statement.col_offset)
        return cell.children.setdefault(key, self._line(statement, file, "line"))

    def _file_of(self, found: Origin) -> str:
        """The file name under which a cell was compiled."""
        if found.cell is None:
            return found.file
        source = self.holders.space.cells[found.cell] if isinstance(self.holders.space, Space) else ""
        stripped = source.strip()
        for name, entry in list(linecache.cache.items()):
            if len(entry) > 2 and "".join(entry[2]).strip() == stripped and cell_number(name) == found.cell:
                return str(name)
        return ""

    # -- several results -----------------------------------------------------------------------------------------------

    def _part(self, row: _Draft) -> None:
        """Which value stands in a row: that of its last Node, unless it has others or several; these get a row each."""
        if not row.places or row.kind not in ("line", "call", "module", "turn"):
            return
        last = row.places[-1][0]
        if row.kind == "line":
            found = self._results(row, last)
        else:
            found = dict.fromkeys(self._handed_out(row), "") if row.kind != "turn" else {}
        if len(found) == 1:
            ((place, name),) = found.items()
            row.places.append(place)
            row.name = name if name in row.several else row.name
        elif found or row.several or self._several(row) or self.outputs.get(last, {0}) != {0}:
            row.places.clear()
        if row.kind == "line" and len(found) > 1:
            named = list(found.items())
            for place, name in named[:RESULTS]:
                row.children["result", place] = _Draft("result", name, 0, row.file, name, places=[place])
            if len(named) > RESULTS:
                row.children["results"] = _Draft("left", f"{named[RESULTS][1]} … {named[-1][1]}")

    def _handed_out(self, row: _Draft) -> Iterator[Place]:
        """What comes out of a call: outputs of its Nodes that Nodes outside of it take, or that variables hold."""
        here = {node for node, _ in row.places}
        for node in here:
            held = {number for number, _ in self.made.get(node, ())}
            for number in self.outputs.get(node, {0}):
                if number in held or any(taker not in here for taker in self.takers.get((node, number), ("",))):
                    yield node, number

    def _results(self, row: _Draft, last: str) -> dict[Place, str]:
        """The results of a statement, by what it calls them: what it has made of what its names hold; else the outputs
        of its last Node, where these are not its first alone."""
        here = {node for node, _ in row.places}
        found: dict[Place, str] = {}
        for number, name in enumerate(row.several or (row.name,)):
            tensor = self._held(name)
            place = (self.walk.ids.get(tensor.grad_fn, ""), tensor.output_nr) if tensor is not None else ("", 0)
            if place[0] not in here:
                place = self._in_order(row, number, last) if row.several else ("", 0)
                if not place[0]:
                    continue
                if tensor is not None and not self._in_turn(place[0]):  # the name is another's by now
                    found[place] = name
                    continue
            found[place] = name
            if row.several:
                self.results[place] = name
        used = sorted(self.outputs.get(last, {0}))
        if found or row.several or used == [0]:
            return found
        held = {number: self.holders.name(tensor) for number, tensor in self.made.get(last, ())}
        return {(last, number): held.get(number) or f"[{number}]" for number in used}

    def _in_order(self, row: _Draft, number: int, last: str) -> Place:
        """The result at a place of `u, v = …`: the value of the expression there, or this output of the one Node."""
        if row.each:
            wanted = row.each[number]
            made = [n for n, _ in row.places if any(_spans(s, wanted) for s in self._spans_in(n, row))]
            return (made[-1], 0) if made else ("", 0)
        if row.flat and number in self.outputs.get(last, ()) and self.where[last] is row:
            return (last, number) if self._is_named(row, (last, number)) else ("", 0)
        return "", 0

    def _spans_in(self, node: str, row: _Draft) -> Iterator[Span]:
        """The expressions in a row's file in which a Node was made, those of functions that call each other."""
        return (s.span for s in note_of(self._live(node)) if isinstance(s, Spot) and s.code.co_filename == row.file)

    @staticmethod
    def _of_several(turn: _Draft) -> str:
        """The words of a turn; where several of its lines have a value and a gradient, with whose stand there: a name,
        or the line."""
        lines = [line for line in turn.children.values() if line.kind == "line" and line.places]
        if len({line.name or line.line for line in lines}) < 2:
            return turn.text
        last = next((line for line in lines if turn.places[-1] in line.places), lines[-1])
        return f"{turn.text} · {last.name or say('common.at_line', line=last.line)}"

    # -- the end -------------------------------------------------------------------------------------------------------

    def _numbered(self) -> Source:
        rows: list[Row] = []
        marks: list[Mark] = []
        row_of: dict[str, str] = {}
        names: dict[Place, str] = {}
        bare: dict[Place, str] = {}
        groups: dict[str, tuple[tuple[str, str], ...]] = {}
        ids: dict[int, str] = {}
        values = _Values(self.walk, self.made, self.told)
        kept = self._kept()
        order = sorted(self.cells.values(), key=lambda c: (cell_number(c.file) or 0, c.file) if c.file else (-1, ""))
        pending = [(draft, "") for draft in reversed(order)]
        while pending:
            draft, parent = pending.pop()
            tag = ""
            if (
                draft.kind == "turn"
                and len(draft.children) == 1
                and (only := next(iter(draft.children.values()))).kind == "line"
            ):
                ids[id(draft)] = f"r{len(rows) + 1}"  # a turn of one line is a row
                tag, draft = draft.label, only
            ids[id(draft)] = name = f"r{len(rows) + 1}"
            value, called = None, draft.name if draft.places else ""
            if draft.places and draft.kind != "loop":
                at = draft.places[-1]
                value = values.of(at)
                if draft.kind in ("line", "leaf") and at not in self.leaf_rows and not self._is_named(draft, at):
                    called = ""
                self.rows.setdefault(at, []).append(name)
            cell = cell_number(draft.file) or 0
            same = mark(values.known.get(draft.places[-1]), called) if called and draft.kind != "loop" else ""
            text = self._of_several(draft) if draft.kind == "turn" and draft.places else draft.text
            rows.append(Row(name, text, draft.kind, parent, draft.line, cell, called, value, tag, same))
            marks += [Mark(node, name, *span) for node, *span in draft.nodes if self.told is None or node in self.told]
            inner = list(draft.children.values())
            inner = sorted(inner, key=lambda d: d.line) if draft.kind == "cell" else inner
            pending += [(child, name) for child in reversed(inner if kept is None else list(_shortened(inner, kept)))]
        named = self._named()
        ends = {nodes[-1] for nodes in self.mates.values()}
        for node, row in self.where.items():
            if id(row) in ids:
                row_of[node] = ids[id(row)]
            if named is not None and node not in named:
                continue
            around = [w for w in self.around[node] if w.kind in ("turn", "module", "call")]
            groups[node] = tuple((ids.get(id(w), ""), w.label or w.text) for w in around)
            for number in self.outputs.get(node, {0}):
                said, when = self._called((node, number), row, node in ends)
                if said:
                    names[node, number], bare[node, number] = said + when, said
        for at in self.leaf_rows:
            names[at] = bare[at] = self.leaf_rows[at].name
            row_of[at[0]] = ids[id(self.leaf_rows[at])]
        for edge in self.walk.edges():  # the weight of a Linear is turned before it multiplies
            leaf = self.leaf_rows.get((edge.target, edge.number))
            if leaf is not None and leaf.name and class_name(self._live(edge.source)) == "TBackward0":
                for known in (names, bare):
                    known.setdefault((edge.source, 0), f"{leaf.name}.T")
        spoken = {node: self._spoken(node) for node in self.where if named is None or node in named}
        part = {node: said for nodes in self.mates.values() for node, said in self._parts(nodes)}
        root = next((self.holders.name(t) for t in self.walk.roots[:1]), None) if len(self.walk.roots) == 1 else None
        program = Program(tuple(rows), tuple(marks), not self.unknown, root or "")
        return Source(program, self.rows, row_of, names, bare, spoken, self.code, self.by, part, groups)

    def _kept(self) -> set[int] | None:
        """Of a large graph the rows of what is told of, and of leaves; None: all."""
        if self.told is None:
            return None
        told = [row for node in self.told for row in self.around.get(node, ())]
        kept = {id(row) for row in told}
        kept |= {id(inner) for row in told for inner in row.children.values() if inner.kind == "result"}
        leaves = {id(row) for row in self.leaf_rows.values()}
        tops = [top for cell in self.cells.values() for top in cell.children.values()]
        return kept | leaves | {id(top) for top in tops if any(id(row) in leaves for row in top.children.values())}

    def _named(self) -> set[str] | None:
        """The Nodes that sentences name: those that are told of, and where they lead. None: all."""
        if self.told is None:
            return None
        return set(self.told) | {edge.target for edge in self.walk.edges() if edge.source in self.told}

    def _several(self, draft: _Draft) -> bool:
        """Whether the statement gives its name to a container: none of what is in it is the value of the line."""
        held = self.holders.space.get(draft.name) if draft.kind == "line" and draft.name else None
        if type(held) not in (list, tuple, dict):
            return False
        found = self.holders.origin(draft.name)
        return found is not None and (found.cell, found.line) == (cell_number(draft.file), draft.line)

    def _is_named(self, draft: _Draft, at: Place) -> bool:
        """Whether the value of this output is what the statement gives its name to."""
        if not (draft.name or draft.several) or draft.whole is None or at[0] not in self.tops:
            return False
        return any(_spans(span, draft.whole) for span in self._spans_in(at[0], draft))

    def _live(self, node: str) -> Any:
        return self.walk.nodes[int(node[1:]) - 1]

    def _called(self, at: Place, row: _Draft, ends: bool) -> tuple[str, str]:
        """What the learner would call an output, and in which turn of a loop; whether its Node `ends` an expression,
        whose value (or values) this is then."""
        node = at[0]
        held = [self.holders.name(t) for number, t in self.made.get(node, []) if number == at[1]]
        known = next((name for name in held if name), None)
        if known:
            return known, ""
        turns = [w.label for w in self.around[node] if w.kind == "turn"]
        when = ", ".join(["", *turns[-2:]])
        if at in self.results:
            return self.results[at], when
        line = next((w for w in reversed(self.around[node]) if w.kind == "line"), None)
        if line is not None and line.places and line.places[-1] == at and self._is_named(line, at):
            if self._in_turn(node) or self._held(line.name) is None:  # else it is now another's name
                return line.name, when
        code = self.code.get(node, "")
        if not ends:
            inner = row.kind == "module" and row.places[-1:] == [at]
            code = f"{row.label}(…)" if inner else ""
        elif self.outputs.get(node, {0}) != {0}:
            code += f"[{at[1]}]"
        return (code, when) if code and len(code) <= 32 and self._means(node, code) else ("", "")

    def _means(self, node: str, code: str) -> bool:
        """Whether each name in an expression means there what it means now: a function has variables of its own, and
        a name may have been given away since."""
        spot = self.tops[node][1]
        if spot is None or self._in_turn(node):
            return True
        for name in dict.fromkeys(VARIABLE.findall(code)):
            tensor = self._held(name)
            if tensor is None or self._works_on(node, tensor):
                continue
            if name in spot.code.co_varnames or (spot.code.co_name == "<module>" and self._given_later(name, node)):
                return False
        return True

    def _in_turn(self, node: str) -> bool:
        """Whether a Node stands in a turn of a loop over the learner's own variables: its row says which."""
        spot = self.tops[node][1]
        inner = [w.kind for w in self.around[node]]
        return "turn" in inner and (spot is None or "call" not in inner[inner.index("turn") :])

    def _held(self, name: str) -> Any:
        """The tensor that a variable holds, or None."""
        value = self.holders.space.get(name)
        return value if is_tensor(value) else None

    def _given_later(self, name: str, node: str) -> bool:
        """Whether a variable got its value in the line of a Node or after it."""
        found, row = self.holders.origin(name), self.where[node]
        if found is None:
            return False
        here = cell_number(row.file)
        if found.cell != here:
            return found.cell is not None and here is not None and found.cell > here
        return found.line >= row.line

    def _works_on(self, node: str, tensor: Any) -> bool:
        """Whether a tensor goes into a Node, or one below it in its row: by an edge, or as a value that it saved."""
        place, memory, row = edge_of(tensor) if tensor.requires_grad else None, where(tensor), self.where[node]
        seen = [self._live(node)]
        for one in seen:
            nexts = one.next_functions
            if place in nexts or any(is_tensor(v) and where(v) == memory for _, v, _ in saved_live(one)):
                return True
            for target, _ in nexts:
                if target in self.walk.ids and self.where.get(self.walk.ids[target]) is row and target not in seen:
                    seen.append(target)
        return False

    def _parts(self, nodes: list[str]) -> Iterator[tuple[str, str]]:
        """What made each of the Nodes of one expression, where it made several: the expression, or a Module in it."""
        inner: dict[int, list[str]] = {}
        for node in nodes:
            inner.setdefault(id(self.where[node]), []).append(node)
        for node in nodes:
            row = self.where[node]
            if row.kind == "module" and len(inner) > 1:
                yield node, row.label
            elif len(nodes) > 1:
                yield node, self.code[node]

    def _spoken(self, node: str) -> str:
        line = next((w for w in reversed(self.around[node]) if w.kind == "line"), None)
        turns = [w.label for w in self.around[node] if w.kind == "turn"]
        if line is None:
            return ""
        key = "step.spoken_turn" if turns else "step.spoken"
        return say(key, line=line.line, turn=", ".join(turns[-2:]))


class _Values:
    """What each output of a Node was in the forward: as its tensor lives, or as some Node saved it."""

    def __init__(self, walk: Walk, made: Mapping[str, list[tuple[int, Any]]], told: Collection[str] | None) -> None:
        self.known: dict[Place, Any] = {}
        for node in walk.nodes:
            name = walk.ids[node]
            if hasattr(node, "variable"):
                self.known[name, 0] = node.variable
        for name, outputs in made.items():
            for number, tensor in outputs:
                self.known.setdefault((name, number), tensor)
        for node, nexts in zip(walk.nodes, walk.nexts, strict=False):
            if hasattr(node, "variable") or (told is not None and walk.ids[node] not in told):
                continue
            inputs = inputs_of(class_name(node))
            for saved, value, error in saved_live(node):
                if error is not None or not is_tensor(value):
                    continue
                if saved == "result":
                    self.known.setdefault((walk.ids[node], 0), value)
                if saved in inputs and inputs.index(saved) < len(nexts):
                    target, number = nexts[inputs.index(saved)]
                    if target in walk.ids:
                        self.known.setdefault((walk.ids[target], number), value)

    def of(self, at: Place) -> Grid | None:
        tensor = self.known.get(at)
        return None if tensor is None else grid(tensor, "", most=MOST, heated=False)


def _shortened(rows: Iterable[_Draft], kept: Collection[int]) -> Iterator[_Draft]:
    """The rows that are kept; several between them as one."""
    for is_kept, run in groupby(rows, lambda row: id(row) in kept):
        found = list(run)
        if is_kept or len(found) == 1:
            yield from found
        else:
            yield _Draft("left", say("step.left_rows", count=len(found)))


# -- source ------------------------------------------------------------------------------------------------------------


def _function(code: str) -> str:
    """The name of the function that an expression calls; "" where it is no call."""
    try:
        called = ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return ""
    match called:
        case ast.Call(ast.Attribute(_, name)) | ast.Call(ast.Name(name)):
            return name
    return ""


def _module_names(space: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Each Module by the shortest way to say which: `fc1`, `model[0]`, `model`."""
    for name, value in list(space.items()):
        if is_module(value):
            for path, module in value.named_modules():
                parts = path.split(".") if path else []
                if not parts:
                    yield id(module), name
                elif parts[-1].isdigit():
                    yield id(module), f"{parts[-2] if len(parts) > 1 else name}[{parts[-1]}]"
                else:
                    yield id(module), parts[-1]


def _qualified(code: Any) -> str:
    name = str(getattr(code, "co_qualname", code.co_name)).rsplit("<locals>.", 1)[-1]
    return f"{name}(…)"


def _first(loop: ast.stmt) -> int:
    """The line at which the body of a loop begins."""
    body: list[ast.stmt] = getattr(loop, "body", [])
    return body[0].lineno if body else 0


def _function_body(file: str, name: str, line: int) -> list[ast.stmt]:
    around = [f for f in functions_of(file) if f.name == name and f.lineno <= line <= (f.end_lineno or 0)]
    return max(around, key=lambda function: function.lineno).body if around else []


def _statement(body: list[ast.stmt], line: int, column: int | None) -> tuple[list[ast.stmt], ast.stmt | None]:
    """The loops around a line and the innermost statement there; of a compound one its head."""
    loops: list[ast.stmt] = []
    while True:
        here = [s for s in body if s.lineno <= line <= (s.end_lineno or s.lineno)]
        if column is not None:
            here = [s for s in here if (s.lineno, s.col_offset) <= (line, column)] or here
        if not here:
            return loops, None
        found = here[-1]
        inner = [s for part in ("body", "orelse", "finalbody") for s in getattr(found, part, [])]
        inner += [s for handler in getattr(found, "handlers", []) for s in handler.body]
        inner += [s for case in getattr(found, "cases", []) for s in case.body]
        if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return loops, found
        if not inner or not any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in inner):
            return loops, found
        if isinstance(found, (ast.For, ast.AsyncFor, ast.While)):
            loops.append(found)
        body = inner


def _inlined(statement: ast.stmt, span: tuple[int, int, int, int]) -> bool:
    """Whether an expression is what a comprehension of a statement computes in each turn, in the frame of the statement
    itself: from Python 3.12 on only generator expressions have frames of their own."""
    if sys.version_info < (3, 12):
        return False
    for found in ast.walk(statement):
        if isinstance(found, (ast.ListComp, ast.SetComp, ast.DictComp)):
            turned = [found.key, found.value] if isinstance(found, ast.DictComp) else [found.elt]
            turned += [part for made in found.generators for part in made.ifs]
            turned += [made.iter for made in found.generators[1:]]
            line, last, start, end = span
            for e in turned:
                if (e.lineno, e.col_offset) <= (line, start) and (last, end) <= (e.end_lineno, e.end_col_offset):
                    return True
    return False


def _span(node: ast.stmt | ast.expr) -> Span:
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def _spans(span: Span, whole: Span) -> bool:
    """Whether an instruction made a whole expression. (Python says of a method's call on several lines where its name
    is.)"""
    line, last, _, end = span
    return span == whole or (whole[0] < line and (last, end) == (whole[1], whole[3]))


def _head_end(statement: ast.stmt) -> tuple[int, int]:
    """Where a statement's text ends: of a compound one, its head."""
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        if body[0].lineno > statement.lineno:
            return body[0].lineno - 1, 10**6
        return body[0].lineno, body[0].col_offset
    return statement.end_lineno or statement.lineno, statement.end_col_offset or 10**6


def _segment(statement: ast.stmt, file: str) -> tuple[str, dict[int, int]]:
    """A statement in one line, and for each line of the file what to add to a column there."""
    stop_line, stop = _head_end(statement)
    text, offsets = "", {}
    for line in range(statement.lineno, stop_line + 1):
        raw = linecache.getline(file, line).rstrip("\n")
        first = _chars(file, line, statement.col_offset) if line == statement.lineno else 0
        last = _chars(file, line, stop) if line == stop_line else len(raw)
        piece = raw[first:last]
        if line != stop_line and "#" not in piece:
            piece = piece.rstrip()
        left = len(piece) - len(piece.lstrip())
        piece = piece.strip()
        if not piece or piece.startswith("#"):
            continue
        if text and not text.endswith(("(", "[")):
            text += " "
        offsets[line] = len(text) - left - first
        text += piece
    return text, offsets


def _chars(file: str, line: int, column: int) -> int:
    """A column in bytes, as the compiler counts, in letters."""
    raw = linecache.getline(file, line).rstrip("\n")
    return len(raw) if column >= 10**6 else len(raw.encode()[:column].decode(errors="ignore"))


def _cut(file: str, line: int, start: int, last: int, end: int) -> str:
    parts = []
    for number in range(line, last + 1):
        raw = linecache.getline(file, number).rstrip("\n").encode()
        parts.append(raw[start if number == line else 0 : end if number == last else None].decode(errors="ignore"))
    return "\n".join(parts)


def _is_file(file: str, found: Origin) -> bool:
    return cell_number(file) == found.cell if found.cell is not None else file == found.file


def place_of(row: Row) -> str:
    """Where a row stands, in words."""
    return place(Origin(row.cell or None, "", row.line, ""))
