"""`lab.step`: a backward pass, one event at a time, in one picture that stays where it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Literal

from ..cells import keep
from ..inspector import Inspector, present
from ..layout.folded import bare, folded
from ..layout.picture import Labels, draw
from ..live import Live, live
from ..parts import Badge, Card, Frame, Note
from ..snapshot.calls import arguments, bracketed
from ..snapshot.events import Amount, Failed, HookRan, amount
from ..snapshot.graph import Graph, Holders, Walk, saved_live
from ..snapshot.kinds import is_a, is_tensor, library, type_name
from ..snapshot.names import namespace
from ..snapshot.owners import modules_of
from ..snapshot.program import Source, source_of
from ..snapshot.recording import LivePass, Overheard, Recording, earliest, record
from ..values import short
from ..words import language, say
from .constants import with_constants
from .frames import Story
from .graph import details_of, graph_words, named_roots, problem_card, roots_of

__all__ = ["Heard", "step", "step_card"]

#: graphs of more Nodes than this are not stepped through
MOST_NODES = 10_000
#: passes of more events are not shown to the end
MAX_EVENTS = 300


def step(
    y: Any,
    gradient: Any = None,
    inputs: Any = None,
    retain_graph: bool = False,
    create_graph: bool = False,
    commit: bool | Literal["live"] = False,
    predict: bool = False,
) -> Inspector:
    """Run backward from `y` (a tensor or a list of them) and show each event: what runs, what arrives where, and why.

    The arguments are those of `backward`. It is a preview: `.grad`, the graph, versions and hooks are afterwards what
    they were. Your own hooks do run: what they do to tensors is put back, what they do to anything else is done. With
    `commit=True` it is the real backward. With `commit="live"` it is too, and it pauses: `view.next()` lets one Node
    run, `view.run()` the rest, `view.close()` leaves it where it is; other cells can look in between. An error of
    PyTorch does not come out as an exception: the pass stops at the Node that failed, and the card says why.

    Where the lines that made the graph are known, they are shown, with the values that they had and the gradients as
    they arrive; the graph is one key away. With `predict=True` the card asks before each step what will happen.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> w, x = torch.tensor([1.], requires_grad=True), torch.tensor([2.])
    >>> y = w * x
    >>> view = lab.step(y)
    >>> print("\\n".join(frame.sentence for frame in view.card.frames[1:]))
    The root gradient [1.] enters at y: backward() of one element starts with 1.
    MulBackward0 runs: w gets g·x = [2.]. It frees what it saved: other.
    AccumulateGrad: w.grad was None and becomes [2.].
    Done: w.grad = [2.].
    >>> print(w.grad)
    None
    """
    flags = ("retain_graph", retain_graph), ("create_graph", create_graph), ("commit", commit), ("predict", predict)
    for flag, value in flags:
        if flag == "commit" and is_a(value, str) and value == "live":
            continue
        if not is_a(value, (bool, int, type(None))):
            raise TypeError(say("step.flag", flag=flag, type=type_name(value)))
    if commit == "live":
        return live_step(y, namespace(), gradient, inputs, bool(retain_graph), bool(create_graph), arguments())
    card = step_card(y, namespace(), gradient, inputs, retain_graph, create_graph, commit, arguments())
    return present(replace(card, predict=bool(predict)))


class LiveStep(Live):
    """The real backward, paused after each Node."""

    def __init__(self, running: LivePass, make: Callable[[Recording], Card]) -> None:
        self.running = running
        self._make = make
        super().__init__(self.make())
        self.on_close(running.abandon)
        keep(self)

    def make(self) -> Card:
        return self._make(self.running.recording())

    def next(self) -> LiveStep:
        """Let one Node run."""
        self.running.next()
        self.refresh()
        return self

    def run(self) -> LiveStep:
        """Let all that is left run."""
        while self.running.next():
            pass
        self.refresh()
        return self

    def asked(self, what: str) -> None:
        """A key or button of the card at its last step: "next" or "run"."""
        if what in ("next", "run"):
            getattr(self, what)()

    @property
    def over(self) -> bool:
        """Whether nothing is left to run."""
        return self.running.state != "paused"


def live_step(
    y: Any,
    space: Mapping[str, Any],
    gradient: Any,
    inputs: Any,
    retain_graph: bool,
    create_graph: bool,
    written: tuple[str, ...],
) -> Inspector:
    """A backward that pauses. PyTorch's engine cannot: there the card says so."""
    roots, problem = roots_of(y, "step")
    if problem is not None:
        return present(problem)
    if any(getattr(library(root), "__name__", "") != "autogradlab" for root in roots):
        return present(problem_card("step", say("step.live_torch")))
    holders = Holders(space)
    given = {"gradient": gradient, "inputs": inputs, "retain_graph": retain_graph, "create_graph": create_graph}
    names = named_roots(y, roots, holders, written)
    title = _title(names, holders, given)
    walk = Walk(roots)
    told = earliest(walk, inputs, MAX_EVENTS)
    source, kept = source_of(walk, holders, told), _kept(walk, told)
    running = LivePass(roots, space, gradient, inputs, retain_graph, create_graph, MAX_EVENTS)
    return live(LiveStep)(
        running, lambda made: _card(made, names, title, True, retain_graph or create_graph, source, kept)
    )


def step_card(
    y: Any,
    space: Mapping[str, Any],
    gradient: Any = None,
    inputs: Any = None,
    retain_graph: bool = False,
    create_graph: bool = False,
    commit: bool = False,
    written: tuple[str, ...] = (),
) -> Card:
    """The card for `step`, with the variables of its caller; `written` is what stands between the brackets of the
    call."""
    roots, problem = roots_of(y, "step")
    if problem is not None:
        return problem
    holders = Holders(space)
    names = named_roots(y, roots, holders, written)
    if not Walk(roots, limit=MOST_NODES).complete:
        note = Note(say("step.large", count=MOST_NODES), "warning")
        return Card("step", _title(names, holders, {}), blocks=(note,), lang=language())
    given = {"gradient": gradient, "inputs": inputs, "retain_graph": retain_graph, "create_graph": create_graph}
    title = _title(names, holders, given)
    walk = Walk(roots)
    told = earliest(walk, inputs, MAX_EVENTS)
    source, kept = source_of(walk, holders, told), _kept(walk, told)
    del holders, walk, told
    recording = record(roots, space, gradient, inputs, retain_graph, create_graph, commit, MAX_EVENTS)
    return _card(recording, names, title, commit, retain_graph or create_graph, source, kept)


class Heard:
    """A backward that the learner runs, to be shown afterwards: it is written down as it happens."""

    def __init__(self, root: Any, space: Mapping[str, Any], title: str = "") -> None:
        holders, walk = Holders(space), Walk([root])
        self.names = named_roots(root, [root], holders, ())
        self.title = title or _title(self.names, holders, {})
        told = earliest(walk, None, MAX_EVENTS)
        self.source, self.kept = source_of(walk, holders, told), _kept(walk, told)
        self._pass: Overheard | None = Overheard(walk, holders, MAX_EVENTS)
        self.made: Recording | None = None
        self._card: Card | None = None

    def end(self) -> bool:
        """It is over; whether there is something to show."""
        if self._pass is not None:
            self.made, self._pass = self._pass.end(), None
        return self.made is not None

    def card(self) -> Card:
        """The card, made once."""
        assert self.made is not None, "what did not happen has no card"
        if self._card is None:
            self._card = _card(self.made, self.names, self.title, True, False, self.source, self.kept)
        return self._card


def _kept(walk: Walk, told: Collection[Any] | None) -> dict[str, dict[str, Amount]]:
    """What Nodes saved, as numbers: the backward that comes may free it."""
    found: dict[str, dict[str, Amount]] = {}
    for node in walk.nodes if told is None else told:
        if not hasattr(node, "variable"):
            pairs = [(name, value) for name, value, error in saved_live(node) if error is None and is_tensor(value)]
            found[walk.ids[node]] = {name: amount(value) for name, value in pairs}
    return found


def _title(names: list[str], holders: Holders, arguments: Mapping[str, Any]) -> str:
    """The call that is shown; `names` are those of the roots."""
    if len(names) > 1:
        return say("step.title_many", names=", ".join(names[:4] + ["…"] * (len(names) > 4)))
    given = []
    for key, value in arguments.items():
        if value is None or value is False:
            continue
        many = list(value) if is_a(value, (list, tuple)) else [value]
        shown = ", ".join(holders.name(v) or _short(v) for v in many[:4]) if value is not True else "True"
        given.append(f"{key}=[{shown}]" if is_a(value, (list, tuple)) else f"{key}={shown}")
    return say("step.title", name=bracketed(names[0]), arguments=", ".join(given))


def _short(value: Any) -> str:
    return short(value) if is_tensor(value) else type_name(value)


def _card(
    recording: Recording,
    names: list[str],
    title: str,
    commit: bool,
    keeps: bool,
    source: Source | None,
    kept: Mapping[str, Mapping[str, Amount]],
) -> Card:
    facts = recording.graph
    story = Story(recording, source, kept)
    frames = story.frames()
    widest = _widest(frames, facts)
    # the whole graph, which is printed too, takes constants from variables alone: these are known for PyTorch as well
    written = with_constants(facts, {node.id: node.origin.computed for node in facts.nodes if node.origin is not None})
    shown = with_constants(facts, source.code) if source is not None else written
    failed = any(isinstance(event, Failed) for event in recording.events)
    drawing, notes = (
        draw(written, (), title, details_of(facts), Labels(widest)),
        [_note(recording, commit, keeps, failed)],
    )
    if len(facts.nodes) < recording.nodes:
        notes.append(Note(say("step.part", shown=len(facts.nodes), count=recording.nodes), "muted"))
    groups = (source.groups if source is not None else {}) or modules_of(facts)
    small = folded(shown, groups, drawing, title, Labels(widest)) or bare(shown, drawing, title, Labels(widest))
    drawings = [drawing] if small is None else [drawing, small]
    badges = [_kind(recording)]
    if failed:
        badges.append(Badge(say("step.fail_head"), "warning"))
    kinds = {value.id: value.kind for value in facts.values}
    data = [name for root, name in zip(facts.roots, names, strict=False) if kinds.get(root) == "data"]
    notes[:0] = [Note(say("step.not_differentiable", name=name)) for name in dict.fromkeys(data)]
    return Card(
        "step",
        title,
        badges=tuple(badges),
        blocks=(*([source.program] if source is not None else []), *drawings, *notes),
        frames=tuple(frames),
        lang=language(),
        cards=_second(recording),
        formulas=tuple(story.formulas),
        live=recording.live == "paused",
    )


def _note(recording: Recording, commit: bool, keeps: bool, failed: bool) -> Note:
    if recording.live in ("paused", "abandoned"):
        return Note(say(f"step.note_{recording.live}"), "warning" if recording.live == "abandoned" else "plain")
    if commit and not failed:
        words = say("step.note_commit", freed="" if keeps else say("step.note_freed"))
        if recording.more:
            words = say(
                "reasons.both",
                sentence=words,
                cure=say("step.note_more", names=say("common.list").join(recording.more)),
            )
        return Note(words, "muted")
    said = [] if commit else [say("step.note_preview")]
    if _hooked(recording):
        said.append(say("step.note_hooks"))
        if not commit:
            said.append(say("step.note_else"))
    put_back = "step.note_put_back" if _hooked(recording) else "step.note_ran"
    for key, names in ((put_back, recording.put_back), ("step.note_left", recording.left)):
        if names:
            said.append(say(key, names=say("common.list").join(names)))
    return Note(say("common.sentences").join(said), "warning" if recording.left else "muted")


def _hooked(recording: Recording) -> bool:
    """Whether hooks of the learner ran."""
    return any(isinstance(e, HookRan) or (isinstance(e, Failed) and e.during == "hook") for e in recording.events)


def _kind(recording: Recording) -> Badge:
    """The real backward, or a preview; that it changes nothing is said where nothing could."""
    if recording.committed:
        return Badge(say(f"step.live_{recording.live}" if recording.live else "step.commit"), "warning")
    if recording.left:
        return Badge(say("step.preview_left"), "warning")
    key = "step.preview_hooks" if _hooked(recording) or recording.put_back else "step.preview"
    return Badge(say(key), "muted")


def _widest(frames: list[Frame], facts: Graph) -> dict[str, str]:
    """For each slot the longest text that any frame writes there."""
    found: dict[str, str] = {}
    for frame in frames:
        for slot, text in frame.texts:
            if len(text) > len(found.get(slot, "")):
                found[slot] = text
    return found


def _second(recording: Recording) -> tuple[Card, ...]:
    """The graph of the gradients, where they have one."""
    facts = recording.second
    if facts is None:
        return ()
    title = say("step.second")
    return (Card("graph", title, blocks=(draw(facts, graph_words(facts), title, details_of(facts)),), lang=language()),)
