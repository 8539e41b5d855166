"""`training`: a training loop, to be gone through afterwards: loss, sizes of gradients, what is to be noticed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..inspector import Inspector, present
from ..layout.timeline import Line, Mark, size_text, timeline
from ..live import Live, live
from ..parts import Badge, Block, Card, Drawing, Grid, Moment, Note, Sum, Table, Timeline
from ..prose import code
from ..snapshot.astray import astray
from ..snapshot.callers import space_now
from ..snapshot.calls import arguments
from ..snapshot.events import NodeRan
from ..snapshot.kinds import attribute, is_a, is_module, is_tensor, type_name
from ..snapshot.names import names_of
from ..snapshot.training import DEAD, LASTING, Event, Grown, Size, Step, Watch
from ..values import brief, dtype, rounded, shape
from ..words import language, say
from .step import Heard

__all__ = ["Training", "training"]

#: parameters that are drawn, backwards that the card itself holds, and numbers of gradients that it holds
DRAWN, HELD, NUMBERS = 10, 3, 6000
#: names in a sentence
NAMED = 4


def training(model: Any, optimizer: Any = None) -> Training:
    """Record a training: one line before the loop, one in it, and the last to look at it.

        rec = lab.training(model)
        for x, t in batches:
            optimizer.zero_grad()
            loss = loss_of(model(x), t)
            rec.step(loss)
            loss.backward()
            optimizer.step()
        rec

    `model` is a Module, an optimizer, a tensor, or several of them. The card shows the loss and the size of each
    gradient, step by step, what was left over in a `.grad` and what the step added, and says what is to be noticed: a
    zero_grad() that did not run, the first NaN, ReLUs that are dead, gradients that explode or vanish, parameters
    that no optimizer has (those that variables hold are asked, or `optimizer`, or a list of them). `rec.backward(31)`
    is the backward of step 31 as `lab.step` shows it; `rec.figure()` draws the same with matplotlib. What is kept is
    bounded; `rec.close()` takes the hooks away.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.25)
    >>> rec = lab.training(w)
    >>> for _ in range(3):
    ...     optimizer.zero_grad()
    ...     loss = (w * w).sum()
    ...     _ = rec.step(loss)
    ...     loss.backward()
    ...     optimizer.step()
    >>> [step.loss for step in rec.steps]
    [5.0, 1.25, 0.3125]
    """
    written = arguments()
    return live(Training)(model, optimizer, space_now(), written[0] if written else "model")


class Training(Live):
    """A training as an inspector: made anew after each cell, and when it is looked at."""

    def __init__(self, model: Any, optimizer: Any, space: Mapping[str, Any], written: str) -> None:
        self._name = written
        self._optimizers = optimizer if is_a(optimizer, (list, tuple)) else [optimizer] if optimizer is not None else []
        self._asked = False
        self._opened: set[int] = set()
        self._astray = astray(model, written) if is_module(model) else []
        named = _parameters(model, space, written)
        self._refused = (
            "" if named else say("training.none" if named is None else "training.nothing", type=type_name(model))
        )
        for one in self._optimizers:
            if not _optimizes(one):
                named, self._refused = None, say("training.no_optimizer", type=type_name(one))
        self.watch: Watch | None = Watch(named, self._hear) if named else None
        super().__init__(self.make())
        if self.watch is not None:
            self.on_close(self.watch.close)
            self.watch_cells()

    @property
    def steps(self) -> list[Step]:
        """The steps that were kept."""
        if self.watch is None:
            return []
        self.watch.look()
        return list(self.watch.steps)

    @property
    def events(self) -> list[Event]:
        """What is to be noticed, in order."""
        if self.watch is None:
            return []
        self.watch.look()
        return list(self.watch.events)

    def step(self, loss: Any) -> Any:
        """Note a step, between its forward and its backward; returns the loss. (After the backward it works too; then
        there is no picture of that backward.)"""
        single = is_tensor(loss) and loss.numel() == 1 and not loss.is_complex()
        if not single and not is_a(loss, (int, float)):
            kind = f"{type_name(loss)} {dtype(loss)} {shape(loss)}" if is_tensor(loss) else type_name(loss)
            raise TypeError(say("training.loss_type", type=kind))
        if self.watch is not None:
            self.watch.step(loss)
            if not self._asked:
                self._asked = True
                self.watch.tell("astray", self._astray)
                self._ask_optimizers(space_now())
        return loss

    def backward(self, step: int) -> Inspector:
        """The backward of a step, as `lab.step` shows it."""
        heard = {} if self.watch is None else self._heard()
        if step not in heard:
            known = ", ".join(map(str, sorted(heard))) or "—"
            raise ValueError(say("training.not_heard", step=step, steps=known))
        return present(heard[step].card())

    def figure(self) -> Any:
        """The loss and the sizes of the gradients as a matplotlib Figure, for paper."""
        import matplotlib.pyplot as plt

        steps, names = self.steps, self._names()
        fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3), dpi=100, layout="constrained")
        at = [step.number for step in steps]
        left.plot(at, [step.loss for step in steps], color="#0072b2", marker="." if len(at) < 3 else None)
        left.set(title="loss", xlabel="step")
        for k, (place, name) in enumerate(names[:DRAWN]):
            sizes = [step.grads[place].added.norm if place in step.grads else math.nan for step in steps]
            right.plot(at, sizes, label=name, color=COLOURS[k % len(COLOURS)], linestyle=DASHES[k // len(COLOURS) % 2])
        if any(g.added.norm > 0 for step in steps for g in step.grads.values()):
            right.set_yscale("log")
        right.set(title="‖gradient‖ added", xlabel="step")
        if names:
            right.legend(fontsize="small")
        for axes in (left, right):
            for event in self.events:
                axes.axvline(event.step, color="#8c959f", linewidth=0.8, linestyle=":")
        plt.close(fig)  # a notebook shows what a cell ends with, and then all that is open
        return fig

    def make(self) -> Card:
        if self.watch is None:
            return Card("training", "lab.training", blocks=(Note(self._refused, "warning"),), lang=language())
        self.watch.look()
        if not self.watch.steps:
            title = say("training.title", name=self._name)
            return Card("training", title, blocks=(Note(say("training.empty"), "muted"),), lang=language())
        return _Story(self.watch, self._name, self._heard(), self._opened, self._names()).card()

    # -- what the loop does --------------------------------------------------------------------------------------------

    def _hear(self, loss: Any) -> Heard | None:
        assert self.watch is not None
        title = say("training.backward_of", step=self.watch.count)
        try:
            return Heard(loss, space_now(), title)
        except Exception:  # a graph of a kind that has no picture: the training goes on
            return None

    def _heard(self) -> dict[int, Heard]:
        assert self.watch is not None
        self.watch.look()
        return {n: h for n, h in self.watch.heard.items() if h.end()}

    def _names(self) -> list[tuple[int, str]]:
        return [] if self.watch is None else [(p, t.name) for p, t in enumerate(self.watch.trainees)]

    def asked(self, what: str) -> None:
        """The page asks for the backward of a step: "backward 31"."""
        word, _, number = what.partition(" ")
        if word == "backward" and number.isdigit() and self.watch is not None and int(number) in self.watch.heard:
            self._opened.add(int(number))
            self.refresh()

    def _ask_optimizers(self, space: Mapping[str, Any]) -> None:
        """Which parameters no optimizer has; nothing is said where none is known."""
        assert self.watch is not None
        known = self._optimizers or [v for v in list(space.values()) if _optimizes(v)]
        if not known:
            return
        held = {id(p) for one in known for group in attribute(one, "param_groups") or () for p in group["params"]}
        names = dict(self._names())
        living = [(p, t) for p, t in self.watch.living() if t.requires_grad and t.is_leaf]
        lost = [names[p] for p, t in living if id(t) not in held]
        self.watch.tell("optimizers" if len(lost) == len(living) else "optimizer", lost)


def _evenly(places: Sequence[int], most: int) -> list[int]:
    """The first, the last, and as many between them as there is room for."""
    if len(places) <= most:
        return list(places)
    return [places[round(k * (len(places) - 1) / (most - 1))] for k in range(most)]


#: colours that colour-blind readers tell apart (Okabe and Ito)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#a58400")
DASHES = ("-", "--")


def _optimizes(thing: Any) -> bool:
    module = str(type(thing).__module__).split(".")
    return module[0] in ("torch", "autogradlab") and "optim" in module and is_a(attribute(thing, "param_groups"), list)


def _variable(thing: Any, space: Mapping[str, Any]) -> str:
    """The name of a variable that holds this very object."""
    return next((name for name, held in list(space.items()) if held is thing and not name.startswith("_")), "")


def _parameters(thing: Any, space: Mapping[str, Any], written: str) -> list[tuple[str, Any]] | None:
    """The parameters that are meant, with their names; None if there is no way to take it so."""
    names = names_of(space)
    if is_module(thing):
        return list(thing.named_parameters())
    if is_tensor(thing):
        return [(names.of(thing) or written, thing)] if thing.is_floating_point() or thing.is_complex() else []
    if _optimizes(thing):
        thing = [p for group in thing.param_groups for p in group["params"]]
    if is_a(thing, dict):
        return (
            [(str(key), value) for key, value in thing.items() if is_tensor(value)]
            if all(map(is_tensor, thing.values()))
            else None
        )
    if not is_a(thing, (list, tuple, Iterator)):
        return None
    try:
        listed = list(thing)
    except Exception:  # an iterator of the user's that raises
        return None
    if listed and all(map(is_module, listed)):
        return [
            (f"{_variable(m, space) or f'{written}[{k}]'}.{key}", p)
            for k, m in enumerate(listed)
            for key, p in m.named_parameters()
        ]
    if not all(map(is_tensor, listed)):
        return None
    return [(names.of(p) or f"{written if written.isidentifier() else 'p'}[{k}]", p) for k, p in enumerate(listed)]


class _Story:
    """The card of what was watched."""

    def __init__(
        self, watch: Watch, model: str, heard: Mapping[int, Heard], opened: set[int], names: Sequence[tuple[int, str]]
    ) -> None:
        self.watch = watch
        self.model = model
        self.heard = heard
        self.opened = opened
        self.steps = watch.steps
        self.places = {step.number: k for k, step in enumerate(self.steps)}
        self.events = [event for event in watch.events if event.step in self.places]
        self.shapes = [trainee.shape for trainee in watch.trainees]
        self.names = dict(names)
        self.rows = self._drawn()

    def card(self) -> Card:
        steps, watch = self.steps, self.watch
        marks = sorted({self.places[event.step] for event in self.events})
        at = marks[0] if marks else len(steps) - 1
        drawing, xs = timeline(
            [step.loss for step in steps],
            [Line(self.names[p], tuple(_norm(step, p) for step in steps)) for p in self.rows],
            [Mark(k, " ".join([f"{steps[k].number}:", *self._said(steps[k])])) for k in marks],
            at,
            tuple(self._words()),
        )
        moments = self._moments(xs)
        known, held = self._backwards(marks)
        line = Timeline(
            drawing,
            moments,
            at,
            tuple(f"{self.names[p]} {self.shapes[p]}" for p in self.rows),
            tuple(marks),
            known,
            held,
            tuple((key, say(f"training.{key}")) for key in WORDS),
            self._still(drawing, moments[at]),
        )
        first, last = brief(steps[0].loss), brief(steps[-1].loss)
        key = "training.subtitle" if watch.count > 1 else "training.one"
        badges = [Badge(say("training.events", count=len(self.events)), "warning")] if self.events else []
        if not watch.open:
            badges.append(Badge(say("training.closed"), "muted"))
        return Card(
            "training",
            say("training.title", name=self.model),
            say(key, count=watch.count, first=first, last=last),
            tuple(badges),
            (line, *self._notes()),
            lang=language(),
        )

    def _drawn(self) -> list[int]:
        """The parameters that get a row: all if they are few; else some of those with events, and others evenly."""
        places = list(self.names)
        if len(places) <= DRAWN:
            return places
        noted = {name for event in self.events for name in event.names}
        first = [p for p in places if self.names[p] in noted]
        others = [p for p in places if p not in first]
        most = max(DRAWN // 2, DRAWN - len(others))
        first = _evenly(first, most)
        return sorted([*first, *_evenly(others, DRAWN - len(first))])

    def _notes(self) -> list[Block]:
        blocks: list[Block] = []
        if self.events:
            columns = say("training.column_step"), say("training.column_event")
            rows = tuple((str(event.step), self._sentence(event)) for event in self.events)
            folded = say("training.list", count=len(rows))
            blocks.append(Table(columns, rows, folded=folded))
        if self.watch.untold:
            blocks.append(Note(say("training.untold", count=self.watch.untold), "muted"))
        if self.watch.stride > 1:
            key = "training.every" if self.watch.stride > 2 else "training.every_second"
            blocks.append(Note(say(key, count=self.watch.count, stride=self.watch.stride), "muted"))
        if len(self.names) > len(self.rows):
            blocks.append(Note(say("training.more", count=len(self.names) - len(self.rows)), "muted"))
        return blocks

    # -- moments -------------------------------------------------------------------------------------------------------

    def _moments(self, xs: Sequence[float]) -> tuple[Moment, ...]:
        """All steps; the numbers of gradients for as many of them as a card can hold."""
        each = sum(len(row) for g in self.steps[-1].grads.values() for row in g.added.rows) or 12
        every = -(-len(self.steps) * each // NUMBERS)
        marked = {event.step for event in self.events}
        made = []
        for k, (step, x) in enumerate(zip(self.steps, xs, strict=True)):
            kept = k % every == 0 or step.number in marked or k == len(self.steps) - 1
            sums = tuple(_sum(step.grads[p]) if kept and p in step.grads else None for p in self.rows)
            sentence = say("training.step", step=step.number, loss=brief(step.loss))
            sizes = tuple(size_text(_norm(step, p)) for p in self.rows)
            made.append(Moment(x, sentence, tuple(self._said(step)), sizes, sums, step.number))
        return tuple(made)

    def _still(self, drawing: Drawing, moment: Moment) -> tuple[Block, ...]:
        """One moment, with the numbers of the parameter that changed the most."""
        blocks: list[Block] = [drawing, Note(moment.sentence), *(Note(said, "warning") for said in moment.said)]
        place = self._telling(moment)
        if place is not None:
            name, found = self.names[self.rows[place]], moment.sums[place]
            assert found is not None
            left = found.left or ((say("training.was_none"),),)
            for key, rows in (("left", left), ("added", found.added), ("now", found.now or found.added)):
                blocks.append(Grid(say(f"training.{key}", name=code(f"{name}.grad")), rows, "gradient"))
        return tuple(blocks)

    def _telling(self, moment: Moment) -> int | None:
        """The parameter whose numbers are shown first: one of which something is said, else the largest weight."""
        known = {k: len(found.added) for k, found in enumerate(moment.sums) if found is not None and found.added}
        noted = {name for event in self.events if event.step == moment.step for name in event.names}
        for k in known:
            if self.names[self.rows[k]] in noted:
                return k
        return max(known, key=known.__getitem__, default=None)

    def _backwards(self, marks: Sequence[int]) -> tuple[tuple[int, ...], tuple[tuple[int, Card], ...]]:
        """The moments whose backward is known; the cards of the most telling ones, and of those asked for."""
        known = [self.places[n] for n in sorted(self.heard) if n in self.places]
        telling = [k for k in known if k in marks][: HELD - 1]
        others = [known[-1], known[0]] if known else []
        held = list(dict.fromkeys([*telling, *others]))[:HELD]
        held += [self.places[n] for n in sorted(self.opened) if n in self.heard and n in self.places]
        cards = [(k, self.heard[self.steps[k].number].card()) for k in sorted(set(held))]
        return tuple(known), tuple(cards)

    # -- words ---------------------------------------------------------------------------------------------------------

    def _said(self, step: Step) -> list[str]:
        return [self._sentence(event) for event in self.events if event.step == step.number]

    def _sentence(self, event: Event) -> str:
        key, names = event.kind, _listed(event.names)
        fields: dict[str, Any] = {"names": names, "number": brief(event.number), "other": brief(event.other)}
        if key in ("left", "left_some") and event.number == 0:
            key = "left_first"
        if key == "optimizers":
            return say("training.optimizer_of_all")
        if key == "astray":
            return say("why.astray", name=self.model, names=names)
        if key == "nan" and (node := self._first_nan(event.step)):
            key, fields["node"] = "nan_node", node
        fields |= {"before": f"{event.number:.0f}", "lasting": LASTING, "dead": DEAD}
        return say(f"training.event_{key}", **fields)

    def _first_nan(self, number: int) -> str:
        """The Node out of which the first NaN came, where that backward was written down."""
        made = self.heard[number].made if number in self.heard else None
        for event in made.events if made is not None else ():
            if isinstance(event, NodeRan) and any(a is not None and a.nan for a in event.outgoing):
                bad = any(a is not None and a.nan for a in event.incoming)
                classes = {node.id: node.cls for node in made.graph.nodes} if made is not None else {}
                return "" if bad else classes.get(event.node, "")
        return ""

    def _words(self) -> Iterator[str]:
        steps = self.steps
        known = [step for step in steps if math.isfinite(step.loss)]
        if len(steps) > 1 and known:
            low = min(known, key=lambda step: step.loss)
            first, last = brief(steps[0].loss), brief(steps[-1].loss)
            yield say(
                "training.words_loss",
                first=first,
                last=last,
                count=steps[-1].number,
                low=brief(low.loss),
                at=low.number,
            )
        else:
            yield say("training.words_one", first=brief(steps[0].loss))
        for place in self.rows:
            name, came = self.names[place], [s for s in steps if place in s.grads]
            if not came:
                yield say("training.words_none", name=name)
                continue
            sizes = [_norm(step, place) or 0.0 for step in came]
            finite = [k for k in range(len(came)) if math.isfinite(sizes[k])]
            high = max(finite, key=lambda k: sizes[k], default=0)
            key = "row" if len(finite) == len(came) else "row_finite" if finite else "row_none"
            key = "row_one" if len(came) == 1 else key
            yield say(
                f"training.words_{key}",
                name=name,
                first=brief(sizes[0]),
                start=came[0].number,
                last=brief(sizes[-1]),
                end=came[-1].number,
                high=brief(sizes[high]),
                at=came[high].number,
            )


#: words that stand around the numbers on the page
WORDS: tuple[str, ...] = (
    "whole",
    "short_left",
    "short_added",
    "short_now",
    "was_none",
    "adds_up",
    "differs",
    "not_finite",
    "no_gradient",
    "not_kept",
)
WORDS += ("parameter", "scrub", "parts", "next_mark", "back_mark", "open", "near", "shut", "asks", "keys")


def _norm(step: Step, place: int) -> float | None:
    grown = step.grads.get(place)
    return None if grown is None else grown.added.norm


def _sum(grown: Grown) -> Sum:
    """The numbers of a gradient, one form for all three."""
    sizes = [grown.left, grown.added, grown.now]
    said = iter(rounded([number for size in sizes if size is not None for row in size.rows for number in row]))

    def written(size: Size | None) -> tuple[tuple[str, ...], ...]:
        return () if size is None else tuple(tuple(next(said) for _ in row) for row in size.rows)

    left, added, now = map(written, sizes)
    return Sum(
        left,
        added,
        () if now == added else now or ((say("training.was_none"),),),
        grown.adds_up,
        any(size is not None and size.odd > 0 for size in sizes),
    )


def _listed(names: Sequence[str]) -> str:
    shown = say("common.list").join(map(code, names[:NAMED]))
    return shown if len(names) <= NAMED else say("common.names_more", names=shown, count=len(names) - NAMED)
