"""A training while it runs: of each step its loss, what reached each `.grad`, and what is to be noticed in it.

Two hooks on each parameter write down sizes and a few numbers; parameters are held weakly, and nothing else is kept of
them. However long a training is, what is kept is bounded: of many steps every second one, then every fourth, goes on.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from .graph import Walk, saved_live
from .keeping import previewing
from .kinds import is_tensor, library, version_of
from .samples import same, sample

__all__ = ["Event", "Grown", "Size", "Step", "Trainee", "Watch"]

#: steps that are kept, of the events those that are told, and rows and columns of numbers of each gradient
MOST, TOLD, ROWS, COLUMNS = 400, 40, 3, 4
#: elements up to which sizes are calculated in float64
PRECISE = 2**20
#: a gradient this many times as large as the median of its last steps has exploded
EXPLODED, BEFORE, LOOKED = 100.0, 5, 20
#: a gradient this small beside the largest of the same step, this many steps long, has vanished
VANISHED, LASTING = 1e-5, 5
#: steps in which a unit of a ReLU gave 0 for all of the batch before it is called dead
DEAD = 20
#: Nodes up to which a graph is searched for ReLUs
SEARCHED = 500


@dataclass(frozen=True, slots=True)
class Size:
    """A gradient: its norm, its first numbers in rows and columns, how many of its elements are not finite."""

    norm: float
    rows: tuple[tuple[Any, ...], ...]
    odd: int = 0


@dataclass(frozen=True, slots=True)
class Grown:
    """What one step did to a `.grad`. left: what lay there before; now: None where a hook has cleared it."""

    left: Size | None
    added: Size
    now: Size | None
    adds_up: bool


@dataclass(frozen=True, slots=True)
class Event:
    """Something to be noticed. names: of parameters (or of layers); number, other: what the words need."""

    step: int
    kind: str
    names: tuple[str, ...] = ()
    number: float = 0.0
    other: float = 0.0


@dataclass(slots=True)
class Step:
    """A step: the loss that it began with and what reached each parameter, by its place."""

    number: int
    loss: float
    grads: dict[int, Grown] = field(default_factory=dict)
    backwards: int = 0
    silent: dict[str, tuple[frozenset[int], int]] = field(default_factory=dict)  #: ReLU -> units that gave 0; all
    asking: frozenset[int] = frozenset()  #: the parameters that required grad when it began
    spoilt: tuple[str, ...] = ()  #: those that held NaN or infinity then, where the loss is no number


@dataclass(slots=True)
class Trainee:
    """A parameter under its name."""

    name: str
    shape: str
    tensor: weakref.ref[Any]
    frozen: bool
    handles: list[Any] = field(default_factory=list)


def size_of(tensor: Any) -> Size:
    """How large a gradient is; of a sparse one, as if it were written out."""
    plain = tensor.detach()
    if str(plain.layout) != "torch.strided":
        plain = plain.to_dense()
    amounts = plain.abs() if plain.dtype.is_complex else plain
    torch = library(plain)
    amounts = amounts.to(torch.float64 if plain.numel() <= PRECISE else torch.float32)
    norm = float((amounts * amounts).sum().item()) ** 0.5
    odd = 0 if math.isfinite(norm) else int((~torch.isfinite(plain)).sum().item())
    if not math.isfinite(norm) and not odd:  # each element is finite, their squares are not
        norm = float(amounts.abs().max().item())
    return Size(norm, _rows(plain), odd)


def _rows(plain: Any) -> tuple[tuple[Any, ...], ...]:
    """Its first numbers: of more than two dimensions, the first rows of the first matrices."""
    if plain.numel() == 0:
        return ()
    if plain.dim() == 0:
        return ((plain.item(),),)
    while plain.dim() > 2:
        plain = plain[0]
    part = plain[None, :COLUMNS] if plain.dim() == 1 else plain[:ROWS, :COLUMNS]
    return tuple(tuple(row) for row in part.tolist())


class Watch:
    """Watches parameters until `close()`; `step(loss)` begins a step, `steps` and `events` are what was seen.

    hear: given a loss whose backward is still to come, begins to write that backward down (`None`: it cannot be).
    """

    def __init__(self, named: Iterable[tuple[str, Any]], hear: Callable[[Any], Any] | None = None) -> None:
        self.trainees = [Trainee(name, str(tuple(p.shape)), weakref.ref(p), not p.requires_grad) for name, p in named]
        self.steps: list[Step] = []
        self.events: list[Event] = []
        self.untold = 0
        self.count = 0
        self.stride = 1
        self.open = True
        self.heard: dict[int, Any] = {}  # step -> its backward, written down
        self._hear = hear
        self._every = 1
        self._listening: Any = None
        self._now: Step | None = None  # the step that is under way
        self._pending: dict[int, Grown] = {}  # what arrived before anybody said which step it is
        self._backwards = 0
        self._lying: dict[int, tuple[Size | None, Any, Any]] = {}  # what lies in `.grad` while a gradient arrives
        self._going: dict[tuple[str, str], int] = {}  # what was told and goes on: up to which step
        self._long: dict[str, int] = {}  # for how many steps a parameter has been small, or a ReLU silent
        self._dead: dict[str, dict[int, int]] = {}  # of each ReLU: for how many steps a unit has given 0
        self._known: dict[int, tuple[int, Any]] = {}  # of each weight its version and numbers when the step began
        self._judged = 0
        self._attach()

    # -- steps ---------------------------------------------------------------------------------------------------------

    def step(self, loss: Any) -> None:
        """A step begins (or, where its backward has run already, is over)."""
        self.look()
        if not self.open:
            return
        self._attach()
        self.count += 1
        step = Step(self.count, _number(loss), self._pending, self._backwards)
        came = bool(self._pending)
        self._pending, self._backwards = {}, 0
        step.asking = frozenset(p for p, t in self.living() if t.requires_grad)
        if not came and not math.isfinite(step.loss):
            step.spoilt = tuple(self.trainees[p].name for p, t in self.living() if _spoilt(t))
        self._weights(step, self.steps[-1] if self.steps else None)
        self.steps.append(step)
        self._thin()
        self._now = None if came else step
        if came:
            self._judge(step)
        elif is_tensor(loss) and loss.requires_grad:
            self._read(loss, step)

    def look(self) -> None:
        """The step that was under way is over as far as it has come."""
        if self._now is not None and self._now.backwards:
            self._end_listening()
            self._judge(self._now)

    def _read(self, loss: Any, step: Step) -> None:
        """What the graph of a loss tells before it runs backward."""
        walk = Walk([loss], SEARCHED)
        if walk.complete:
            step.silent = dict(self._silent(walk))
        lies = any(p.is_leaf and p.grad is not None and _any(p.grad) for _, p in self.living())
        telling = (lies and self._going.get(("left", ""), 0) < step.number - 1) or not math.isfinite(step.loss)
        if self._hear is not None and walk.complete and (telling or (step.number - 1) % self._every == 0):
            self._listening = step.number, self._hear(loss)

    def _end_listening(self) -> None:
        if self._listening is None:
            return
        (number, hearing), self._listening = self._listening, None
        if hearing is None or not hearing.end():
            return
        self.heard[number] = hearing
        while len(self.heard) > HEARD:
            self._every *= 2
            told = {event.step for event in self.events}
            kept = [n for n in self.heard if (n - 1) % self._every == 0 or n in told or n == number]
            self.heard = {n: self.heard[n] for n in kept[-HEARD:]}

    def _thin(self) -> None:
        """Of many steps every second one goes on, with those in which something was noticed."""
        told = {event.step for event in self.events}

        def stays(step: Step) -> bool:
            return (step.number - 1) % self.stride == 0 or step.number in told or step.number == self.count

        if self.stride > 1 and len(self.steps) > 1 and not stays(self.steps[-2]):
            del self.steps[-2]
        while len(self.steps) > MOST:
            self.stride *= 2
            self.steps = [step for step in self.steps if stays(step)]

    # -- what arrives --------------------------------------------------------------------------------------------------

    def living(self) -> Iterator[tuple[int, Any]]:
        """The parameters that there still are, by their places."""
        for place, trainee in enumerate(self.trainees):
            tensor = trainee.tensor()
            if tensor is not None:
                yield place, tensor

    def _attach(self) -> None:
        """Hooks on every parameter that asks for a gradient, as soon as it does."""
        me = weakref.ref(self)
        for place, tensor in self.living():
            trainee = self.trainees[place]
            if trainee.handles or not tensor.requires_grad or not tensor.is_leaf:
                continue

            def on_leaf(grad: Any, place: int = place) -> None:
                watch = me()
                if watch is not None and not previewing():
                    watch._arrives(place, grad)

            def on_grad(tensor: Any, place: int = place) -> None:
                watch = me()
                if watch is not None and not previewing():
                    watch._arrived(place, tensor)

            hooks: tuple[Any, ...] = on_leaf, on_grad
            for hook in hooks:
                hook.__torch_unserializable__ = True  # no warning when it is saved
            trainee.handles = [
                tensor.register_hook(on_leaf),
                tensor.register_post_accumulate_grad_hook(on_grad),
            ]

    def _arrives(self, place: int, grad: Any) -> None:
        tensor = self.trainees[place].tensor()
        if tensor is None or grad is None:
            return
        left = tensor.grad
        arriving = sample(grad) if left is not None else None
        before = (size_of(left), sample(left)) if left is not None else (None, None)
        self._lying[place] = (*before, (size_of(grad), arriving))

    def _arrived(self, place: int, tensor: Any) -> None:
        if place not in self._lying:
            return
        left, lay, (added, arriving) = self._lying.pop(place)
        grad = tensor.grad
        now = None if grad is None else size_of(grad)
        if grad is None:
            up = False
        elif lay is None:
            up = now == added or (now is not None and now.odd > 0 and now.odd == added.odd)
        else:
            up = same(lay.clone().add_(arriving), sample(grad))
        known = self._pending if self._now is None else self._now.grads
        before = known.get(place)
        if before is not None:  # another backward in the same step
            left, up = before.left, up and before.adds_up
            added = Size(math.hypot(before.added.norm, added.norm), _plus(before.added.rows, added.rows), added.odd)
            if now is not None and left is None:
                added = now
        known[place] = Grown(left, added, now, up)
        if self._now is None:
            self._backwards = 1
        else:
            self._now.backwards = 1

    # -- what is to be noticed -----------------------------------------------------------------------------------------

    def _judge(self, step: Step) -> None:
        """Say what is to be noticed in a step, once: what goes on is told when it begins."""
        if step.number <= self._judged:
            return
        self._judged = step.number
        names = {place: trainee.name for place, trainee in enumerate(self.trainees)}
        left = [names[p] for p, g in step.grads.items() if g.left is not None and (g.left.norm > 0 or g.left.odd)]
        kind = "left" if len(left) == len(step.grads) else "left_some"
        self._tell(step, kind, left, float(step.number - 1))
        if step.spoilt:
            self._tell(step, "loss_weights", step.spoilt, step.loss)
        elif not math.isfinite(step.loss):
            self._tell(step, "loss", ["loss"], step.loss)
        odd = [names[p] for p, g in step.grads.items() if g.added.odd]
        self._tell(step, "nan", odd)
        self._tell(step, "hooked", [names[p] for p, g in step.grads.items() if not g.adds_up])
        self._tell(step, "frozen", [names[p] for p, _ in self.living() if p not in step.asking])
        self._tell(step, "no_leaf", [names[p] for p, t in self.living() if not t.is_leaf])
        if step.grads:
            waiting = [names[p] for p, t in self.living() if p in step.asking and t.is_leaf and p not in step.grads]
            self._tell(step, "unreached", waiting)
        self._sizes(step, names)
        for name, (silent, units) in step.silent.items():
            known = self._dead.get(name, {})
            self._dead[name] = known = {unit: known.get(unit, 0) + 1 for unit in silent}
            dead = sum(count >= DEAD for count in known.values())
            if len(silent) == units:
                self._tell(step, "silent", [name], float(units))
            elif dead:
                self._tell(step, "dead", [name], float(dead), float(units))

    def _sizes(self, step: Step, names: Mapping[int, str]) -> None:
        norms = {p: g.added.norm for p, g in step.grads.items() if not g.added.odd}
        largest = max(norms.values(), default=0.0)
        first = max(norms, key=lambda p: norms[p], default=-1)
        small: list[str] = []
        none: list[str] = []
        for place, norm in sorted(norms.items()):
            earlier = [
                s.grads[place].added.norm
                for s in self.steps[-LOOKED - 1 :]
                if s.number < step.number and place in s.grads and math.isfinite(s.grads[place].added.norm)
            ]
            usual = median(earlier) if len(earlier) >= BEFORE else 0.0
            if usual and norm >= EXPLODED * usual:
                self._tell(step, "exploding", [names[place]], norm, usual, apart=True)
            key = f"size {place}"
            tiny = norm < VANISHED * largest
            self._long[key] = self._long.get(key, 0) + 1 if tiny or not norm else 0
            if self._long[key] >= LASTING:
                (small if norm else none).append(names[place])
        if small:
            least = min(norms[p] for p in norms if names[p] in small)
            self._tell(step, "vanishing", small, least, largest)
        if none and first >= 0:
            self._tell(step, "zero", none)

    def _weights(self, step: Step, earlier: Step | None) -> None:
        """Whether any weight has changed since the last step began."""
        weights = {p: (version_of(t) or 0, sample(t)) for p, t in self.living() if t.requires_grad}
        if earlier is not None and earlier.grads and weights and weights.keys() == self._known.keys():
            pairs = [(known, weights[p]) for p, known in self._known.items()]
            # what is written to `w.data` is not counted in the version
            if all(one[0] == other[0] for one, other in pairs) and all(same(one[1], other[1]) for one, other in pairs):
                self._tell(step, "still", ["weights"], float(earlier.number))
        self._known = weights

    def tell(self, kind: str, names: Sequence[str]) -> None:
        """Something that others have noticed of the parameters, at the step that is under way."""
        if self.steps:
            self._tell(self.steps[-1], kind, names)

    def _tell(
        self, step: Step, kind: str, names: Sequence[str], number: float = 0.0, other: float = 0.0, apart: bool = False
    ) -> None:
        if not names:
            return
        new = []
        for name in sorted(names, key=self._order):
            last = self._going.get((kind, name), -1)
            if last < 0 or (last < step.number - 1 and kind in AGAIN):
                new.append(name)
            self._going[kind, name] = step.number
        if not new:
            return
        self._going[kind, ""] = step.number
        if len(self.events) >= TOLD:
            self.untold += 1
        else:
            self.events.append(Event(step.number, kind, tuple(new), number, other))

    def _order(self, name: str) -> int:
        """The place of a parameter: events name them in the order in which the model has them."""
        return next((k for k, trainee in enumerate(self.trainees) if trainee.name == name), -1)

    # -- ReLUs ---------------------------------------------------------------------------------------------------------

    def _silent(self, walk: Walk) -> Iterator[tuple[str, tuple[frozenset[int], int]]]:
        """For each ReLU of a graph: which of its units gave 0 for all of the batch, and how many units it has."""
        places = {key: self.trainees[p].name for p, t in self.living() for key in (id(t), _address(t)) if key}
        for node in reversed(walk.nodes):
            if str(node.name()) != "ReluBackward0":
                continue
            try:
                result = node._saved_result.detach()
            except Exception:  # freed
                continue
            fed = _fed_by(node, places)
            if fed and result.dim() > 1 and result.numel():
                axis = 1 if result.dim() == 4 else result.dim() - 1  # of pictures the channels
                used = (result != 0).transpose(0, axis).reshape(result.shape[axis], -1).any(1).tolist()
                yield fed, (frozenset(unit for unit, lives in enumerate(used) if not lives), len(used))

    def close(self) -> None:
        """Take every hook away. What was seen stays."""
        self.look()
        self._end_listening()
        self.open = False
        for trainee in self.trainees:
            for handle in trainee.handles:
                handle.remove()
            trainee.handles = []


#: backwards that are kept whole
HEARD = 16
#: what is told again when it comes back
AGAIN = frozenset({"left", "left_some", "exploding", "still", "hooked"})


def _fed_by(node: Any, names: Mapping[int, str]) -> str:
    """The weight nearest before a ReLU, by whose name the ReLU is called: of one that is frozen, which no edge leads
    to, its operation has saved the numbers. "" if another ReLU comes first."""
    front = [target for target, _ in node.next_functions if target is not None]
    for _ in range(4):
        found = [names[id(leaf)] for near in front if id(leaf := getattr(near, "variable", None)) in names]
        found += [names[at] for near in front for _, saved, _ in saved_live(near) if (at := _address(saved)) in names]
        if found:
            weight = found[0].removesuffix("bias") + "weight"
            return weight if weight in names.values() else found[0]
        past = [near for near in front if str(near.name()) != "ReluBackward0"]
        front = [target for near in past for target, _ in near.next_functions if target is not None]
    return ""


def _address(thing: Any) -> int:
    """Where the first number of a tensor lies; 0 for what has none."""
    return int(thing.data_ptr()) if is_tensor(thing) and str(thing.layout) == "torch.strided" else 0


def _spoilt(weight: Any) -> bool:
    """Whether something in it is NaN or infinite."""
    return not bool(library(weight).isfinite(weight.detach()).all())


def _plus(rows: tuple[tuple[Any, ...], ...], others: tuple[tuple[Any, ...], ...]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(a + b for a, b in zip(x, y, strict=True)) for x, y in zip(rows, others, strict=True))


def _any(grad: Any) -> bool:
    """Whether a gradient is there that is not zero."""
    return bool((grad.detach() != 0).any()) if str(grad.layout) == "torch.strided" else True


def _number(loss: Any) -> float:
    value = loss.detach().item() if is_tensor(loss) else loss
    return float(value)
