"""`receipt`: one number of `.grad` as an itemised bill, a line for each path from the root."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..inspector import Inspector, present
from ..layout.bill import Chip, Entry, bill, fitting
from ..parts import Badge, Block, Card, Choice, Facts, Note, Tone
from ..snapshot.calls import arguments, bracketed
from ..snapshot.flows import in_short, untouched
from ..snapshot.graph import Holders, NodeFact, Walk, class_name, describe, hooks_on, saved_live
from ..snapshot.identity import mark
from ..snapshot.kinds import is_tensor, type_name
from ..snapshot.names import namespace
from ..snapshot.origins import place
from ..snapshot.program import source_of
from ..snapshot.recording import WHOLE
from ..snapshot.rules import Rule, rules_of, written
from ..snapshot.ways import Factor, Local, Way, Ways
from ..values import dtype, grid, shape, texts
from ..words import language, say
from .graph import details_of

__all__ = ["receipt"]

#: paths that are listed, at most; elements that have a bill in a card, and rows and columns to choose from
LISTED, ELEMENTS, SIDE = 8, 12, 8
#: paths of more factors than this show Nodes that hand on what they get as one; of more chips, the middle as one
LONG, CHIPS = 4, 6
#: factors that are named where many stand together
ROWS = 12
#: letters of the sum of all paths, which has several lines
SUM = 200
#: calls of Nodes for one element from which on no other has a bill
SPENT = 3000
#: how many backwards of the same may have been added
TIMES = 64
#: Nodes beyond which nothing is searched
NODES = 5000


def receipt(tensor: Any, *roots: Any, at: Any = None) -> Inspector:
    """An itemised bill for one number of a gradient: a line for each path from the root, its factors the local
    derivatives of the Nodes along it; their sum is checked against `.grad`.

    `roots` are the results whose `backward()` is meant (the same one twice: two backwards); without them, the results
    of one element that variables hold. `at` is the index of an element; without it, the largest. It is asked before
    `backward()`, or after `backward(retain_graph=True)`; no engine runs, no hook fires, and nothing is changed. Where
    there are many paths, some are listed, and all others are one line, whose sum is known too.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> w, x = torch.tensor([1.], requires_grad=True), torch.tensor([2.])
    >>> a = w * x
    >>> b = w + 1
    >>> y = a * b
    >>> y.backward(retain_graph=True)
    >>> print(lab.receipt(w, y).text)
    Receipt for `w.grad` · from y · adds up ✓
    y → a → w: 1 × ∂y/∂a = b = 2. × ∂a/∂w = x = 2. = 4.
    y → b → w: 1 × ∂y/∂b = a = 2. × ∂b/∂w = 1. = 2.
    w.grad = 4. + 2. = 6.
    The lines add up to `w.grad`, to the last bit.
    """
    spelled = arguments()
    return present(_Receipt(tensor, roots, at, namespace(), spelled).card())


class _Receipt:
    def __init__(
        self, tensor: Any, roots: Sequence[Any], at: Any, space: Mapping[str, Any], spelled: Sequence[str]
    ) -> None:
        self.tensor = tensor
        self.roots = list(roots)
        self.at = at
        self.holders = Holders(space)
        self.space = space
        self.name = (self.holders.name(tensor) if is_tensor(tensor) else None) or (spelled[0] if spelled else "t")
        self.spelled = dict(zip(map(id, self.roots), spelled[1:], strict=False))  # of roots that no variable holds

    def card(self) -> Card:
        problem = self._problem()
        if problem:
            return Card("receipt", "lab.receipt", blocks=(Note(problem, "warning"),), lang=language())
        walk = Walk(self.roots)
        self.grad = self._stored()
        with untouched(walk) as self.inner_backwards:
            return self._card(walk)

    def _stored(self) -> Any:
        """What `.grad` holds, before any Node is asked: that of a checkpoint runs a backward of its own."""
        grad = self.tensor.grad if self.tensor.is_leaf or self.tensor.retains_grad else None
        if grad is None:
            return None
        return (grad.to_dense() if str(grad.layout) != "torch.strided" else grad).detach().clone()

    def _card(self, walk: Walk) -> Card:
        problem = ""
        try:
            self.ways = Ways(walk, self.tensor)
        except Exception as error:  # a Node that has been freed, or that cannot be called alone
            freed = "second time" in str(error)
            fields = {"roots": self._of(), "name": self.name, "error": in_short(error)}
            problem = say("receipt.freed" if freed else "receipt.failed", **fields)
        else:
            if not self.ways.reached:
                stops = dict.fromkeys(class_name(node) for node in self.ways.stops())
                key = "receipt.gives_none" if stops else "receipt.not_reached"
                fields = {"roots": self._of(), "nodes": say("common.list").join(stops)}
                problem = say(key, name=self.name, **fields)
        if problem:
            return Card("receipt", "lab.receipt", blocks=(Note(problem, "warning"),), lang=language())
        self.live = {ident: node for node, ident in walk.ids.items()}
        self.nexts = dict(zip(walk.nodes, walk.nexts, strict=False))
        self.rules: dict[Any, tuple[Rule | None, ...]] = {}
        self.ways.each = self._each
        return self._bill()

    def _each(self, node: Any, index: int) -> bool:
        """Whether a Node works on an input element by element."""
        if node not in self.rules:
            self.rules[node] = rules_of(class_name(node), node, self.nexts[node], list(saved_live(node)))
        found = self.rules[node]
        rule = found[index] if index < len(found) else None
        return rule is not None and rule.elementwise

    def _describe(self, found: Iterable[Way]) -> None:
        """The facts of the graph, and of the Nodes that stand in these ways, all that there is to know."""
        walk, told = self.ways.walk, None
        if len(walk.nodes) > WHOLE:
            told = {
                self.live[way.factors[i].node] for way in found for part in _parts(way.factors) for i in part[:ROWS]
            }
        self.facts = describe(walk, self.holders, told)
        self.source = source_of(walk, self.holders, told)
        self.nodes = {node.id: node for node in self.facts.nodes}
        shown = self.facts if told is None else self.facts.part({walk.ids[node] for node in told})
        self.details = details_of(shown)
        self.called = {value.of: value.name for value in self.facts.values if value.of is not None and value.name}
        between = {walk.ids[node] for node in self.ways.between}
        #: Functions on the path that start a backward of their own, which adds to `.grad` past these lines
        self.inner = self.inner_backwards()
        self.hooks = [h.name for value in self.facts.values if value.of and value.of[0] in between for h in value.hooks]
        self.hooks += [name for node in walk.nodes if node in self.ways.between for name in hooks_on(node)]
        self.hooks = list(dict.fromkeys(self.hooks))
        ends = [bracketed(self._root(root)) for root in self.roots]
        #: the number that is taken apart: of `.grad`, or the derivative that hooks will make another `.grad` of
        self.number = f"{self.name}.grad"
        self.kept = self.tensor.is_leaf or bool(self.tensor.retains_grad)
        if (self.hooks or self.inner or not self.kept) and self.grad is None:
            self.number = f"∂{ends[0] if len(ends) == 1 else '(' + ' + '.join(ends) + ')'}/∂{self.name}"
        #: the call that makes it
        self.call = f"{ends[0]}.backward()" if len(ends) == 1 else f"torch.autograd.backward([{', '.join(ends)}])"

    # -- what is asked -------------------------------------------------------------------------------------------------

    def _problem(self) -> str:
        tensor = self.tensor
        if not is_tensor(tensor):
            return say("receipt.none", type=type_name(tensor))
        if not tensor.requires_grad:
            return say("receipt.no_grad", name=self.name)
        if not tensor.numel():
            return say("receipt.empty", name=self.name)
        if not self.roots:
            self.roots = self._sent(self._ends())
        if not self.roots:
            return say("receipt.no_root", name=self.name)
        for root in self.roots:
            if not is_tensor(root):
                return say("receipt.root_type", type=type_name(root))
            if root.numel() != 1:
                return say("receipt.not_scalar", root=self._root(root), count=root.numel())
            if root.is_complex():
                return say("receipt.complex", root=self._root(root))
        if self.at is not None and self._flat(self.at) is None:
            raise IndexError(say("receipt.at", at=self.at, shape=shape(tensor)))
        return ""

    def _ends(self) -> list[Any]:
        """Results of one element that variables hold and that lead to the tensor, the last of each chain."""
        found: list[tuple[Any, Walk]] = []
        for _, tensor in self.holders.named.values():
            if tensor is self.tensor or tensor.is_leaf or tensor.numel() != 1 or tensor.is_complex():
                continue
            if any(tensor is t for t, _ in found):
                continue
            walk = Walk([tensor], NODES)
            if Walk([self.tensor]).starts[0][0] in walk.ids:
                found.append((tensor, walk))
        return [t for t, _ in found if not any(t.grad_fn in walk.ids for other, walk in found if other is not t)]

    def _sent(self, ends: list[Any]) -> list[Any]:
        """Those of several results whose backward gave what is in `.grad`: all of them, or else one alone."""
        grad = self.tensor.grad if self.tensor.is_leaf else None
        if grad is None or len(ends) < 2:
            return ends
        for roots in (ends, *([end] for end in reversed(ends))):
            try:
                walk = Walk(roots)
                with untouched(walk):
                    total = Ways(walk, self.tensor).total()
            except Exception:  # freed; what is wrong is said of all of them
                continue
            if total.shape == grad.shape and bool(((total - grad).abs() <= 1e-5 * (1 + grad.abs())).all()):
                return roots
        return ends

    def _root(self, root: Any) -> str:
        """A root by its variable, or by the expression that was written."""
        said = self.holders.name(root) or self.spelled.get(id(root), "")
        return said if said and len(said) <= 60 else shape(root)

    def _of(self) -> str:
        names = dict.fromkeys(map(self._root, self.roots))
        return say("common.list").join(names)

    def _flat(self, at: Any) -> int | None:
        """The number of an element in order; None if `at` is not an index of one."""
        sizes = tuple(self.tensor.shape)
        index = at if isinstance(at, (tuple, list)) else (at,)
        if not sizes and index in ((), (0,)):
            return 0
        if len(index) != len(sizes) or not all(
            isinstance(i, int) and -n <= i < n for i, n in zip(index, sizes, strict=True)
        ):
            return None
        flat = 0
        for i, n in zip(index, sizes, strict=True):
            flat = flat * n + i % n
        return flat

    # -- the bills -----------------------------------------------------------------------------------------------------

    def _bill(self) -> Card:
        tensor = self.tensor
        shown = self.ways.total() if self.grad is None else self.grad
        flat = shown.reshape(-1)
        chosen = self._flat(self.at) if self.at is not None else _largest(flat)
        assert chosen is not None
        found = {chosen: self.ways.of(chosen, LISTED)}
        few = self.ways.stream.calls <= SPENT
        elements = self._elements(flat, chosen) if few else [chosen]
        found |= {element: self.ways.of(element, LISTED) for element in elements if element != chosen}
        self._describe(way for ways, _ in found.values() for way in ways)
        bills = [self._one(element, flat[element].item(), *found[element]) for element in elements]
        at = elements.index(chosen)
        blocks: list[Block] = []
        if len(elements) > 1:
            key = (
                "receipt.grid"
                if self.grad is not None or ((self.inner or not self.kept) and not self.hooks)
                else "receipt.grid_nodes"
                if self.hooks
                else "receipt.grid_ahead"
            )
            caption = say(key, name=self.number)
            columns = tensor.shape[-1]
            cells = tuple((element // columns, element % columns) for element in elements)
            names = tuple(
                f"{self._element(self.number, tensor.shape, e)} = {texts([flat[e].item()])[0]}" for e in elements
            )
            key = "receipt.choose" if len(elements) == flat.numel() else "receipt.choose_some"
            numbers = grid(shown, caption, "gradient", heated=False)
            blocks.append(Choice(numbers, cells, names, tuple(tuple(b) for b, _ in bills), at, say(key)))
        else:
            blocks += bills[at][0]
        blocks += self._notes()
        name = self._element(self.number, tensor.shape, chosen)
        subtitle = say("receipt.subtitle", roots=self._of())
        badges = (bills[at][1],) if len(elements) == 1 else _common([badge for _, badge in bills])
        return Card(
            "receipt",
            say("receipt.title", name=name),
            subtitle,
            badges,
            tuple(blocks),
            lang=language(),
            tensor=mark(tensor, self.name),
        )

    def _elements(self, flat: Any, chosen: int) -> list[int]:
        """The elements that get a bill: all of a small tensor, else the chosen one and the largest that are seen."""
        sizes = tuple(self.tensor.shape)
        rows = math.prod(sizes[:-1])
        if flat.numel() == 1 or not sizes or rows > SIDE or sizes[-1] > SIDE:
            return [chosen]
        if flat.numel() <= ELEMENTS:
            return list(range(flat.numel()))
        order = sorted(range(flat.numel()), key=lambda k: (-_size(flat[k].item()), k))
        return sorted({chosen, *order[: ELEMENTS // 2]})

    def _one(self, element: int, number: Any, ways: list[Way], rest: list[Any]) -> tuple[list[Block], Badge]:
        """The bill of one element."""
        entries = [self._entry(way, element) for way in ways]
        count = fitting(entries)
        entries, ways, rest = entries[:count], ways[:count], [*(way.product for way in ways[count:]), *rest]
        products = [way.product for way in ways]
        left = _sum(rest)
        total = _sum([*products, *rest])
        if rest:
            entries.append(Entry(say("receipt.rest" if ways else "receipt.whole"), (), texts([left])[0]))
        name = self._element(self.number, self.tensor.shape, element)
        size = _sum(map(abs, [*products, *rest]))
        times, badge, sentence = self._verdict(name, total, number, len(ways) + len(rest), size)
        lines = [texts([product])[0] for product in (*products, *([left] if rest else []))]  # as they stand above
        said = _added(lines, SUM) if lines else "0."
        shown = texts([(number if times else total) or 0.0])[0]  # -0. is no other number
        equation = f"{name} = " if times else ""  # ways that are not all of it are summed for themselves
        summed = said if len(lines) == 1 and not {"-", "j"} & set(said) else f"({said})"
        equation += f"{times} × {summed}" if times > 1 else said
        if len(entries) < 2 and times < 2:  # one line is its own sum, and none is nothing
            equation = name if times else ""
        words = [*(_line(entry) for entry in entries), *([f"{equation} = {shown}"] if equation else [])]
        drawing = bill(entries, (equation, f"= {shown}"), tuple(words), say("receipt.label"))
        blocks: list[Block] = [drawing, Note(sentence, "plain" if badge.tone == "good" else "warning")]
        if not (ways or rest):
            blocks.append(Note(say("receipt.nothing"), "muted"))
        if rest:
            key = "receipt.some" if ways else "receipt.long" if math.isfinite(size) else "receipt.mixed"
            blocks.append(Note(say(key, shown=len(ways)), "muted"))
        return blocks, badge

    def _verdict(self, name: str, total: Any, number: Any, count: int, size: float) -> tuple[int, Badge, str]:
        """How many times the lines are the number (0: they are not), to the last bit or within what rounding can do."""
        like = self.ways.total()
        if not (_finite(total) and _finite(number)):
            badge = _badge("nan" if number != number or total != total else "infinite", "warning")
            if _finite(total) and number == number and abs(total) > self.ways.torch.finfo(like.dtype).max:
                fields = {"sum": texts([total])[0], "grad": texts([number])[0], "dtype": dtype(like)}
                return 0, badge, say("receipt.says_overflow", name=name, **fields)
            return 0, badge, say("receipt.says_nan", name=name)
        kinds = {flow.dtype for flow in self.ways.flows.values()}
        eps = max(float(self.ways.torch.finfo(kind).eps) for kind in kinds)  # the coarsest on the way rounds the most
        slack = eps * (count + len(self.nodes) + 4) * max(size, abs(total))
        for times in range(1, TIMES if self.grad is not None else 2):
            if like.new_tensor(total * times).item() == number or abs(total * times - number) <= slack * times:
                exact = like.new_tensor(total * times).item() == number
                if times > 1:
                    key = "receipt.says_times" if exact else "receipt.says_times_rounded"
                    return times, _badge("exact" if exact else "rounded"), say(key, name=name, times=times)
                sum_, grad, difference = texts([total])[0], texts([number])[0], f"{abs(total - number):.1e}"
                key = "receipt.says_exact" if exact else "receipt.says_rounded"
                if count < 2:
                    key = "receipt.says_exact_one" if exact else "receipt.says_rounded_one"
                said = say(key, name=name, sum=sum_, grad=grad, difference=difference)
                return times, _badge("exact" if exact else "rounded"), said
        sum_, grad = texts([total])[0], texts([number])[0]
        key = "receipt.says_differs" if self.grad is not None else "receipt.says_differs_ahead"
        return 0, _badge("differs", "warning"), say(key, name=name, sum=sum_, grad=grad)

    def _notes(self) -> list[Block]:
        blocks: list[Block] = []
        if self.grad is None and not self.kept:
            blocks.append(Note(say("receipt.non_leaf", name=self.name), "muted"))
        elif self.grad is None and not self.hooks and not self.inner:
            blocks.append(Note(say("receipt.ahead", name=self.name, call=self.call), "muted"))
        if self.hooks:
            names = say("common.list").join(self.hooks[:6])
            blocks.append(Note(say("receipt.hooks", names=names, name=self.name), "warning"))
        if self.inner:
            blocks.append(
                Note(say("receipt.inner", nodes=say("common.list").join(self.inner[:6]), name=self.name), "warning")
            )
        if any(flow.is_complex() for flow in self.ways.flows.values()):
            blocks.append(Note(say("receipt.conjugates"), "muted"))
        return blocks

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _entry(self, way: Way, element: int) -> Entry:
        root = self._root(self.roots[way.root])
        places = [self._place(f.node, f.output, f.at) for f in way.factors]
        end = self._element(self.name, self.tensor.shape, element)
        stations = [root, *places[1:], end]
        called = [root, *(self._station(f.node, f.output) for f in way.factors[1:]), self.name]
        start = texts([way.start])[0].rstrip(".") or "0"
        chips = [Chip(start, say("receipt.starts", value=start))]
        for part in _parts(way.factors):
            run = [way.factors[i] for i in part]
            if len(run) == 1:
                ends = slice(part[0], part[0] + 2)
                chips.append(self._chip(run[0], stations[ends], called[ends], brief=len(way.factors) > LONG))
            elif all(factor.local.plain for factor in run):
                text = say("receipt.ones_chip", count=len(run))
                rows = [(self.nodes[f.node].cls, self._where(self.nodes[f.node])) for f in run[:ROWS]]
                chips.append(Chip(text, say("receipt.ones", count=len(run)), (Facts(tuple(rows)), *_more(run))))
            else:
                chips.append(self._together(run))
        if not way.factors:
            stations = [root]
        return Entry(" → ".join(_short(stations)), tuple(chips), texts([way.product])[0])

    def _together(self, run: Sequence[Factor]) -> Chip:
        """Many factors in one chip: their product."""
        local = Local()
        for factor in run:
            local = factor.local.after(local)
        value, sign = _said(local)
        rows = [(self.nodes[f.node].cls, _said(f.local)[0]) for f in run[:ROWS]]
        fields = {"count": len(run), "value": value}
        return Chip(
            say("receipt.product_chip", **fields),
            say("receipt.product", **fields),
            (Facts(tuple(rows)), *_more(run)),
            sign,
        )

    def _chip(self, factor: Factor, ends: Sequence[str], called: Sequence[str], brief: bool) -> Chip:
        """A factor as a chip; of a long way with the operation alone, the rest is in its label and its details. `ends`
        are the elements, `called` the tensors that they are of."""
        node = self.nodes[factor.node]
        value, sign = _said(factor.local)
        if sign != "×" or isinstance(factor.local.straight, complex):  # no derivative, or its conjugate
            label = say("receipt.factor", name=node.op, value=value, cls=node.cls, index=factor.index)
            label = f"{label}, {self._where(node)}".rstrip(", ")
            return Chip(f"{node.op} {value}", label, self.details.get(node.id, ()), sign)
        name = "/".join(f"∂{end}" for end in ends)
        short = "/".join(f"∂{bracketed(end)}" for end in called) if len(name) > 14 else name
        word = self._word(node, factor)
        text = (
            f"{node.op} {value}"
            if brief
            else f"{short} = {word} = {value}"
            if word and word.rstrip(".") != value.rstrip(".")
            else f"{short} = {value}"
        )
        label = say("receipt.factor", name=name, value=value, cls=node.cls, index=factor.index)
        return Chip(text, f"{label}, {self._where(node)}".rstrip(", "), self.details.get(node.id, ()))

    def _where(self, node: NodeFact) -> str:
        if self.source is not None and node.id in self.source.spoken:
            spoken = self.source.spoken[node.id]  # it begins a sentence there
            return spoken[:1].lower() + spoken[1:]
        return place(node.origin) if node.origin is not None else ""

    def _word(self, node: NodeFact, factor: Factor) -> str:
        """The local derivative as the formula has it, where it is one name or number: the `x` of `g·x`."""
        rule = node.rules[factor.index] if factor.index < len(node.rules) else None
        if rule is None or not rule.elementwise:
            return ""
        single = {
            s.name
            for s in node.saved
            if s.written != s.name and (s.shape.startswith(("(1,) ", "() ")) or s.state == "plain" or not s.shape)
        }  # what no variable holds is told by its number alone
        words = {saved.name: saved.written for saved in node.saved}
        found = re.fullmatch(r"(-?)(?:g·([\w.\[\]]+)|([\w.\[\]]+)·g|g/([\w.\[\]]+))", written(rule, words))
        if found is None:
            return ""
        name = found[2] or found[3] or found[4]
        if not any(words[key] == name for key in single) and not name.replace(".", "").isdigit():
            return ""
        return f"{found[1]}{'1/' if found[4] else ''}{name}"

    def _place(self, node: str, output: int, at: int) -> str:
        """What the learner would call an element of an output."""
        return self._element(self._station(node, output), self.ways.flows[self.live[node], output].shape, at)

    def _station(self, node: str, output: int) -> str:
        """What the learner would call an output."""
        name = self.called.get((node, output))
        if name is None and self.source is not None:
            name = self.source.names.get((node, output), "").strip("`")
        return name if name and len(name) <= 24 else self.nodes[node].op

    @staticmethod
    def _element(name: str, sizes: Sequence[int], flat: int) -> str:
        name = bracketed(name) if not name.startswith("∂") else name  # `r * 0. / x[1]` would be an element of `x`
        if math.prod(sizes) == 1:
            return name
        parts = []
        for size in reversed(sizes):
            parts.append(str(flat % size))
            flat //= size
        return f"{name}[{', '.join(reversed(parts))}]"


def _parts(factors: Sequence[Factor]) -> list[list[int]]:
    """The factors of each chip, by number: one by one; of a long way, those that are exactly 1 and follow each other
    together, and of a very long one the middle."""
    runs: list[list[int]] = []
    for number, factor in enumerate(factors):
        if runs and len(factors) > LONG and factor.local.plain and factors[runs[-1][-1]].local.plain:
            runs[-1].append(number)
        else:
            runs.append([number])
    if len(runs) > CHIPS:
        first = CHIPS // 2
        runs[first:-2] = [[number for run in runs[first:-2] for number in run]]
    return runs


def _more(run: Sequence[Factor]) -> tuple[Block, ...]:
    """That not all of a chip's factors are listed in its details."""
    return (Note(say("receipt.rows", shown=ROWS, count=len(run)), "muted"),) if len(run) > ROWS else ()


def _short(stations: Sequence[str], most: int = 5) -> list[str]:
    """The stations of a way; of a long one the first and the last."""
    return list(stations) if len(stations) <= most else [*stations[:2], "…", *stations[-2:]]


def _added(numbers: Sequence[str], room: int = 36) -> str:
    """Numbers as a sum, as many as there is room for: `44. - 1. + …`; complex ones in brackets."""
    if len(numbers) > 1 and numbers[0].endswith("j"):
        numbers = [f"({number})" for number in numbers]
    text = numbers[0]
    for number in numbers[1:]:
        more = f" - {number[1:]}" if number.startswith("-") else f" + {number}"
        if len(text + more) > room:
            return text + " + …"
        text += more
    return text


def _line(entry: Entry) -> str:
    factors = "".join(f" {chip.sign} {chip.text}" if place else chip.text for place, chip in enumerate(entry.chips))
    return f"{entry.way}: {factors} = {entry.product}" if factors else f"{entry.way} = {entry.product}"


def _said(local: Local) -> tuple[str, str]:
    """A local derivative, and the sign in front of it: "×" for a factor, "→" for what is done to the gradient g."""
    straight, turned = local.straight, local.turned
    if not turned:
        return texts([straight])[0], "×"
    if not straight:
        return ("conj(g)" if turned == 1 else f"conj(g)·({texts([turned])[0]})"), "→"
    if turned == straight.conjugate():
        return {0.5: "Re(g)", -0.5j: "Im(g)"}.get(straight, f"Re(g·({texts([2 * straight])[0]}))"), "→"
    one, two = texts([straight, turned])
    return f"g·({one}) + conj(g)·({two})", "→"


def _badge(key: str, tone: Tone = "good") -> Badge:
    return Badge(say(f"receipt.{key}"), tone)


def _common(badges: Sequence[Badge]) -> tuple[Badge, ...]:
    """The badge of a card with several bills: what holds for all of them."""
    worst = max(badges, key=lambda badge: badge.tone != "good")
    if worst.tone == "good" and len(set(badges)) > 1:  # what is said of each tells which of them are rounded
        return (_badge("all_add_up"),)
    if worst.tone != "good" and len(set(badges)) > 1:
        return (Badge(say("receipt.some_badge", badge=worst.text), worst.tone),)
    return (worst,)


def _size(value: Any) -> float:
    size = abs(value)
    return math.inf if size != size else float(size)


def _largest(flat: Any) -> int:
    return (
        max(range(flat.numel()), key=lambda k: (_size(flat[k].item()), -k))
        if flat.numel() <= 4096
        else int(flat.abs().argmax().item())
    )


def _finite(value: Any) -> bool:
    return math.isfinite(abs(value))


def _sum(values: Any) -> Any:
    listed = list(values)
    if not all(map(_finite, listed)):
        return sum(listed)
    if any(isinstance(v, complex) for v in listed):
        return complex(math.fsum(v.real for v in listed), math.fsum(v.imag for v in listed))
    return math.fsum(listed)
