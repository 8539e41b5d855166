"""A backward pass as it happens: the library's own engine runs once, and hooks on its Nodes write down what they see.

Without `commit` everything is put back afterwards: `.grad` of leaves and of tensors that retain it (the same objects,
the same versions), the graph (it is walked with retain_graph=True), the hooks. The user's own hooks do run; what they
wrote to tensors is put back too (`keeping`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from .events import Accumulated, Amount, Event, Failed, HookRan, NodeRan, RootEnters, Summed, amount
from .firing import of_inspectors
from .graph import Graph, Holders, Walk, describe, hook_name, saved_live
from .keeping import Keeper, alike, preview
from .kinds import attribute, is_a, is_tensor, library, living
from .samples import whole

__all__ = ["WHOLE", "LivePass", "Overheard", "Recording", "earliest", "record"]

#: of graphs of more Nodes than this only those are described that events are about
WHOLE = 1000


@dataclass(frozen=True, slots=True)
class Recording:
    """What happened. second: the graph of the gradients themselves; left_out: events that were too many to keep.

    final: what is in `.grad` at the end, by the Node and output that it belongs to; hooks of the learner can have
    changed or cleared it. committed: it was the real backward. put_back: names of tensors that hooks changed in a
    preview and that are again what they were; left: of those that are not. more: whose `.grad` a real backward set that
    is not of this graph, as a Node does that starts a backward of its own.
    """

    graph: Graph  #: of a large graph what the events are about
    events: tuple[Event, ...]
    arriving: dict[tuple[str, int], int]  #: how many gradients each input of a Node gets
    second: Graph | None = None
    left_out: int = 0
    final: tuple[tuple[str, int, Amount | None], ...] = ()
    committed: bool = False
    put_back: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    #: of a live pass: "paused" between two steps, "over" at its end, "abandoned"; "" for a pass that ran at once
    live: str = ""
    nodes: int = 0  #: how many Nodes the whole graph has
    more: tuple[str, ...] = ()


def earliest(walk: Walk, inputs: Any, limit: int) -> set[Any] | None:
    """Of a large graph the Nodes that events will be about, `limit` of them at most; None for all."""
    return walk.earliest(limit, _needed(walk, inputs)) if len(walk.nodes) > WHOLE else None


def _needed(walk: Walk, inputs: Any) -> set[str] | None:
    """With `inputs=`, the Nodes on a way to them: only these run. None: all."""
    if inputs is None:
        return None
    wanted = _listed(inputs)
    needed = {walk.ids[n] for n in walk.nodes if any(getattr(n, "variable", None) is t for t in wanted)}
    made = [t.grad_fn for t in wanted if is_tensor(t) and t.grad_fn is not None]
    needed |= {walk.ids[node] for node in made if node in walk.ids}
    sources: dict[str, list[str]] = {}
    for edge in walk.edges():
        sources.setdefault(edge.target, []).append(edge.source)
    reached = sorted(needed)
    for target in reached:  # grows while it is walked
        for source in sources.get(target, []):
            if source not in needed:
                needed.add(source)
                reached.append(source)
    return needed


def _amount(tensor: Any) -> Amount | None:
    return None if tensor is None else amount(tensor)


def _version(tensor: Any) -> int:
    return 0 if tensor is None else int(tensor._version)


def record(
    roots: Sequence[Any],
    space: Mapping[str, Any],
    gradient: Any = None,
    inputs: Any = None,
    retain_graph: bool = False,
    create_graph: bool = False,
    commit: bool = False,
    limit: int = 300,
) -> Recording:
    """Run backward from the roots and write down what happens."""
    holders = Holders(space)
    walk = Walk(roots)
    facts = describe(walk, holders, earliest(walk, inputs, limit))
    frees = not (retain_graph or create_graph)
    alive = living(library(roots[0]).Tensor)
    recorder = _Recorder(walk, facts, holders, frees, limit, _tensors_of(walk, alive))
    recorder.select(inputs)
    given = list(gradient) if is_a(gradient, (list, tuple)) else [gradient] * len(roots)
    keep = retain_graph or not commit
    try:
        with recorder.kept(alive, commit), recorder.watching():
            recorder.enter(given)
            try:
                with _quiet(commit):
                    library(roots[0]).autograd.backward(
                        list(roots),
                        given if gradient is not None else None,
                        retain_graph=keep or None,
                        create_graph=create_graph,
                        inputs=recorder.inputs(inputs, commit),
                    )
            except Exception as error:
                recorder.failed(error)
            second = recorder.second(space) if create_graph else None
            final = recorder.final()
        return Recording(
            recorder.graph(),
            tuple(recorder.events),
            recorder.arriving,
            second,
            recorder.left_out,
            final,
            commit,
            recorder.put_back,
            recorder.left,
            nodes=len(facts.nodes),
            more=recorder.more,
        )
    finally:
        recorder.forget()


@contextmanager
def _quiet(commit: bool) -> Iterator[None]:
    """Without the warning of create_graph, unless it is the user's own backward: a preview leaves no cycle behind."""
    with warnings.catch_warnings():
        if not commit:
            warnings.filterwarnings("ignore", message="Using backward\\(\\) with create_graph=True")
        yield


class LivePass:
    """The real backward of autogradlab, one Node at a time: `.grad`, hooks and variables change at that step.

    Our hooks are present only while a step runs, so what runs in between is not recorded.
    """

    def __init__(
        self,
        roots: Sequence[Any],
        space: Mapping[str, Any],
        gradient: Any = None,
        inputs: Any = None,
        retain_graph: bool = False,
        create_graph: bool = False,
        limit: int = 300,
    ) -> None:
        from ...autograd.frontend import backward_steps

        walk, holders = Walk(roots), Holders(space)
        self.facts = describe(walk, holders, earliest(walk, inputs, limit))
        others = _tensors_of(walk, living(library(roots[0]).Tensor))
        self.recorder = _Recorder(walk, self.facts, holders, not (retain_graph or create_graph), limit, others)
        self.recorder.select(inputs)
        self.state = "paused"
        self.final: tuple[tuple[str, int, Amount | None], ...] = ()
        many = is_a(gradient, (list, tuple))
        given = list(gradient) if many else [gradient] * len(roots)
        try:
            self.steps: Any = backward_steps(
                list(roots), given if gradient is not None else None, retain_graph or None, create_graph, inputs
            )
            self.recorder.enter(given)
        except Exception as error:
            self.recorder.failed(error)
            self._end("over")

    def next(self) -> bool:
        """Let one Node run; whether the pass goes on."""
        if self.state != "paused":
            return False
        try:
            with self.recorder.watching():
                next(self.steps)
        except StopIteration:
            self._end("over")
        except Exception as error:
            self.recorder.failed(error)
            self._end("over")
        return self.state == "paused"

    def abandon(self) -> None:
        """Stop here: what has run stays done."""
        if self.state == "paused":
            self._end("abandoned")

    def _end(self, state: str) -> None:
        self.state = state
        self.final = self.recorder.final()
        if hasattr(self, "steps"):
            self.steps.close()
        self.recorder.forget()

    def recording(self) -> Recording:
        """What happened so far."""
        recorder = self.recorder
        final = recorder.final() if self.state == "paused" else self.final
        events = tuple(recorder.events)
        count = len(self.facts.nodes)
        return Recording(
            recorder.graph(),
            events,
            recorder.arriving,
            None,
            recorder.left_out,
            final,
            True,
            live=self.state,
            nodes=count,
        )


class Overheard:
    """The learner's own backward of one root, written down when it comes; nothing is run here."""

    def __init__(self, walk: Walk, holders: Holders, limit: int = 300) -> None:
        self.facts = describe(walk, holders, earliest(walk, None, limit))
        named = [tensor for held in holders.made.values() for tensor in held]
        self.recorder = _Recorder(walk, self.facts, holders, True, limit, _tensors_of(walk, named))
        self.recorder.enter([None])
        self.start = walk.ids[walk.starts[0][0]]
        self.final: tuple[tuple[str, int, Amount | None], ...] | None = None
        self.watching = ExitStack()
        self.watching.enter_context(self.recorder.watching())
        for node in walk.nodes:
            if hasattr(node, "variable"):
                self.watching.callback(node.register_hook(self._accumulated).remove)

    def _accumulated(self, *_: Any) -> None:
        """With the last leaf the pass is over: what is in `.grad` now may be zeroed soon."""
        if len(self.recorder.ran) == len(self.recorder.walk.nodes):
            self.final = self.recorder.final()

    def end(self) -> Recording | None:
        """Stop listening. What happened, if it was one whole backward of this root; else None."""
        self.watching.close()
        recorder = self.recorder
        ran = [event.node for event in recorder.events if isinstance(event, NodeRan)]
        once = len(set(ran)) == len(ran) and self.start in recorder.ran
        events = tuple(recorder.events)
        if once and not self._freed():
            events = tuple(replace(e, frees=()) if isinstance(e, NodeRan) else e for e in events)
        final, arriving = self.final or recorder.final(), recorder.arriving
        count = len(self.facts.nodes)
        made = Recording(recorder.graph(), events, arriving, None, recorder.left_out, final, True, nodes=count)
        recorder.forget()
        return made if once else None

    def _freed(self) -> bool:
        """Whether what Nodes saved is gone; with retain_graph=True it is still there."""
        for node in self.recorder.walk.nodes:
            if self.recorder.saved.get(self.recorder.walk.ids[node]):
                return any(error is not None for _, _, error in saved_live(node))
        return True


class _Recorder:
    def __init__(self, walk: Walk, facts: Graph, holders: Holders, frees: bool, limit: int, others: list[Any]) -> None:
        self.walk = walk
        self.facts = facts
        self.holders = holders
        self.frees = frees
        self.limit = limit
        self.left_out = 0
        self.events: list[Event] = []
        self.arriving: dict[tuple[str, int], int] = {}
        self.arrived: dict[tuple[str, int], list[Any]] = {}
        self.running: str | None = None
        self.hook: tuple[str, str] | None = None
        self.before: dict[str, tuple[Amount | None, Amount | None]] = {}
        self.needed: set[str] | None = None
        self.ran: set[str] = set()
        self.kept_before: dict[tuple[str, int], Amount | None] = {}
        self.saved = {n.id: tuple(s.name for s in n.saved if s.state == "kept") for n in facts.nodes}
        self.others = others
        self.targets = {(edge.source, edge.index): edge.target for edge in facts.edges}
        self.keeping = {(walk.ids[t.grad_fn], t.output_nr): t for t in self.others if t.retains_grad}
        self.put_back: tuple[str, ...] = ()
        self.left: tuple[str, ...] = ()
        self.more: tuple[str, ...] = ()

    def graph(self) -> Graph:
        """What is known of the graph; of a large one, what the events are about."""
        if len(self.facts.nodes) <= WHOLE:
            return self.facts
        nodes = (getattr(event, "node", None) for event in self.events)
        return self.facts.part({node for node in nodes if node is not None})

    @contextmanager
    def kept(self, alive: Sequence[Any], commit: bool) -> Iterator[None]:
        """Put every living tensor back afterwards; in between, leaves add to copies. A real backward changes what it
        changes: whose `.grad` it set that is not of this graph is only written down."""
        leaves = self.leaves()
        passed = [*leaves, *(t for t in self.others if t.retains_grad)]
        if commit:
            own = {id(t) for t in passed}
            before = [(t, t.grad, _version(t.grad)) for t in alive if t.is_leaf and id(t) not in own]
            yield
            if not any(isinstance(event, HookRan) for event in self.events):
                more = [t for t, grad, version in before if t.grad is not grad or _version(grad) != version]
                self.more = self._named([t for t in more if self.holders.name(t)])
            return
        keeper = Keeper(self.walk.roots[0], [*passed, *alive])
        try:
            for leaf in leaves:
                if leaf.grad is not None:
                    leaf.grad = leaf.grad.detach().clone()
            with preview():
                yield
        finally:
            try:
                back, left = keeper.put_back(passed)
            except BaseException:  # Ctrl-C on the way: what is back already stays so
                keeper.put_back(passed)
                raise
            if not any(isinstance(event, HookRan) for event in self.events):  # what a Node works in has no name
                back, left = ([t for t in ts if self.holders.name(t)] for ts in (back, left))
            self.put_back, self.left = self._named(back), self._named(left)

    def _named(self, tensors: Sequence[Any]) -> tuple[str, ...]:
        """Names of tensors; what has none by its shape."""
        return tuple(dict.fromkeys(self.holders.name(t) or str(tuple(t.shape)) for t in tensors))

    def final(self) -> tuple[tuple[str, int, Amount | None], ...]:
        """What is in `.grad` of the leaves, and of tensors that retain it, now."""
        leaves = [(self.walk.ids[n], 0, n.variable) for n in self.walk.nodes if hasattr(n, "variable")]
        others = [(*place, t) for place, t in self.keeping.items() if t.retains_grad]
        return tuple((node, number, _amount(t.grad)) for node, number, t in [*leaves, *others])

    def leaves(self) -> list[Any]:
        return [node.variable for node in self.walk.nodes if hasattr(node, "variable")]

    def select(self, inputs: Any) -> None:
        """With `inputs=`, only Nodes on a way to them run."""
        self.needed = _needed(self.walk, inputs)
        for tensor in _listed(inputs) if inputs is not None else ():
            if is_tensor(tensor) and tensor.grad_fn is not None and tensor.grad_fn in self.walk.ids:
                self.keeping[self.walk.ids[tensor.grad_fn], tensor.output_nr] = tensor

    def inputs(self, inputs: Any, commit: bool) -> Any:
        """As `inputs=`, edges for non-leaf tensors: as tensors they would retain their gradient from now on."""
        if inputs is None or commit:
            return inputs
        if not is_a(inputs, (list, tuple)) and not is_tensor(inputs):
            return inputs  # the library will say what is wrong
        wanted = _listed(inputs)
        edge = library(self.walk.roots[0]).autograd.graph.get_gradient_edge
        return [edge(t) if is_tensor(t) and t.grad_fn is not None and not t.retains_grad else t for t in wanted]

    def runs(self, node: str) -> bool:
        return self.needed is None or node in self.needed

    @property
    def full(self) -> bool:
        """Whether later events are only counted."""
        return len(self.events) >= self.limit

    def note(self, event: Event) -> None:
        """Early events are kept; of a long pass, the later ones are counted, except the ends."""
        ends = isinstance(event, Accumulated) and len(self.events) < 2 * self.limit
        if not self.full or ends or isinstance(event, Failed):
            self.events.append(event)
        else:
            self.left_out += 1

    # -- the roots -----------------------------------------------------------------------------------------------------

    def enter(self, given: Sequence[Any]) -> None:
        for edge in self.walk.edges():
            if self.runs(edge.source) and self.runs(edge.target):
                place = edge.target, edge.number
                self.arriving[place] = self.arriving.get(place, 0) + 1
        starts = list(zip(self.walk.roots, self.walk.starts, self.facts.roots, strict=True))
        for _, (node, number), _ in starts:
            if node is not None:
                place = self.walk.ids[node], number
                self.arriving[place] = self.arriving.get(place, 0) + 1
        self.kept_before = {place: _amount(t.grad) for place, t in self.keeping.items() if t.retains_grad}
        for (root, (node, number), value), gradient in zip(starts, given, strict=False):
            if node is None or (gradient is None and root.numel() != 1):
                return  # the engine will say what is wrong
            tensor = root.detach().new_ones(root.shape) if gradient is None else gradient
            if not is_tensor(tensor) or tuple(tensor.shape) != tuple(root.shape):
                return
            place = self.walk.ids[node], number
            self.note(RootEnters(value, *place, amount(tensor), gradient is not None))
            self.arrive(place, tensor)

    def arrive(self, place: tuple[str, int], tensor: Any) -> None:
        parts = self.arrived.setdefault(place, [])
        if self.full:
            parts.append(tensor is not None)  # that it came is all that is asked from now on
            return
        parts.append(_copy(tensor))
        if len(parts) < self.arriving.get(place, 0):
            return
        known = [p for p in parts if p is not None]
        if len(parts) == self.arriving.get(place, 0) and len(known) > 1:
            total = known[0]
            for part in known[1:]:
                total = total + part
            self.note(Summed(*place, tuple(amount(p) for p in known), amount(total)))
            self.arrived[place] = [total]

    # -- hooks that write down -----------------------------------------------------------------------------------------

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Hooks on every Node, after the user's own; and the user's hooks wrapped, one by one."""
        handles: list[Any] = []
        wrapped = []
        try:
            for node in self.walk.nodes:
                own = node.register_prehook(self._prehook(node)), node.register_hook(self._posthook(node))
                handles += own
                for handle, kind in zip(own, ("pre", "post"), strict=True):
                    listed: Any = handle.hooks_dict_ref()
                    for key in [] if len(listed) == 1 else list(listed):
                        original = listed[key]
                        if not of_inspectors(original):
                            listed[key] = self._node_wrapper(original, kind, node)
                            wrapped.append((listed, key, original, listed[key]))
            for tensor, node, number in self._hooked():
                for kind, table in (
                    ("tensor", "_backward_hooks"),
                    ("post_accumulate", "_post_accumulate_grad_hooks"),
                ):
                    hooks: Any = getattr(tensor, table, None)
                    for key in list(() if hooks is None else hooks):
                        original = hooks[key]
                        if of_inspectors(original):
                            continue
                        hooks[key] = self._wrapper(original, kind, node, number, tensor)
                        wrapped.append((hooks, key, original, hooks[key]))
            yield
        finally:
            for hooks, key, original, wrapper in wrapped:
                if hooks.get(key) is wrapper:
                    hooks[key] = original
            for handle in handles:
                handle.remove()

    def _hooked(self) -> Iterator[tuple[Any, Any, int]]:
        seen: list[Any] = []
        for tensor, place in [(n.variable, (n, 0)) for n in self.walk.nodes if hasattr(n, "variable")] + [
            (t, (t.grad_fn, t.output_nr)) for t in self.others
        ]:
            hooks = getattr(tensor, "_backward_hooks", None)
            if hooks is None or not any(hooks is s for s in seen):
                seen.append(hooks)
                yield tensor, *place

    def _wrapper(self, hook: Callable[..., Any], kind: str, node: Any, number: int, tensor: Any) -> Callable[..., Any]:
        owner = self.holders.name(tensor) or ""
        name, ident = hook_name(hook), self.walk.ids[node]

        def wrapper(given: Any) -> Any:
            self.hook = ident, name
            if kind == "post_accumulate":
                self.accumulated(ident, given.grad)
            before = _copy(given.grad if kind == "post_accumulate" else given)
            result = hook(given)
            self.hook = None
            now = given.grad if kind == "post_accumulate" else given if result is None else result
            after = now if is_tensor(now) else None
            same = alike(before, after)
            known = None if same and result is None else _amount(after)
            cleared = kind == "post_accumulate" and before is not None and now is None
            self.note(HookRan(kind, ident, number, owner, name, _amount(before), known, cleared, same))
            if kind == "tensor" and not same and now is not None:
                self.arrived[ident, number] = [_copy(now)]
            return result

        wrapper.__name__ = attribute(hook, "__name__") or name  # PyTorch's messages name hooks
        return wrapper

    def _node_wrapper(self, hook: Callable[..., Any], kind: str, node: Any) -> Callable[..., Any]:
        name, ident = hook_name(hook), self.walk.ids[node]

        def wrapper(given: tuple[Any, ...], *incoming: tuple[Any, ...]) -> Any:
            if kind == "post":
                self._runs(node, given, *incoming)
            self.hook = ident, name
            leaf = getattr(node, "variable", None) if kind == "post" else None
            before = [_copy(g) for g in (given if leaf is None else (leaf.grad,))]
            result = hook(given, *incoming)
            self.hook = None
            now = given if result is None else result if is_a(result, (tuple, list)) else (result,)
            for number, (was, new) in enumerate(zip(before, now if leaf is None else (leaf.grad,), strict=False)):
                if not alike(was, new):
                    self._turned("post_leaf" if leaf is not None else kind, ident, number, name, was, new)
            return result

        wrapper.__name__ = attribute(hook, "__name__") or name
        return wrapper

    def _turned(self, kind: str, ident: str, number: int, name: str, was: Any, new: Any) -> None:
        """A hook of a Node has changed what came in or what goes on."""
        target = self.targets.get((ident, number)) if kind == "post" else ident
        if target is not None and self.runs(target):
            self.note(HookRan(kind, ident, number, "", name, _amount(was), _amount(new), new is None))
        if kind == "pre":
            self.arrived[ident, number] = [_copy(new)]

    def _prehook(self, node: Any) -> Callable[[Any], None]:
        ident = self.walk.ids[node]

        def prehook(grads: tuple[Any, ...]) -> None:
            self.running = ident
            self.ran.discard(ident)  # it runs again where a Function (of a checkpoint) starts a backward of its own
            for number, given in enumerate(grads):
                self._changed(ident, number, given)
                self._keep(ident, number, given)
            if hasattr(node, "variable"):
                self.before[ident] = _amount(node.variable.grad), _amount(grads[0])

        return prehook

    def _changed(self, ident: str, number: int, given: Any) -> None:
        """A hook of the Node (they cannot be listed) or of a tensor that is gone changed the gradient."""
        parts = self.arrived.get((ident, number))
        if self.full:
            return
        if parts and given is not None and parts[-1] is not None and len([p for p in parts if p is not None]) == 1:
            known = next(p for p in parts if p is not None)
            before = known.to(given.dtype)
            if not alike(before, whole(given)):
                self.note(HookRan("node", ident, number, "", "", amount(before), amount(given)))

    def _keep(self, ident: str, number: int, given: Any) -> None:
        """A tensor that retains its gradient has it by now.
        (One that is only asked for in a preview is not touched.)"""
        tensor = self.keeping.get((ident, number))
        if tensor is not None and given is not None:
            before = self.kept_before.get((ident, number))
            after = amount(tensor.grad if tensor.retains_grad and tensor.grad is not None else given)
            self.note(Accumulated(ident, before, amount(given), after, number, True))

    def _runs(self, node: Any, outs: tuple[Any, ...], grads: tuple[Any, ...]) -> None:
        """A Node has run; what it gives, before hooks of the learner change it."""
        ident = self.walk.ids[node]
        if ident in self.ran:
            return
        self.running = None
        self.ran.add(ident)
        if hasattr(node, "variable"):
            self.accumulated(ident, node.variable.grad)
        elif self.full:
            self.left_out += 1
        else:
            nexts = [(self.walk.ids.get(t), n) for t, n in node.next_functions]
            self.note(NodeRan(ident, tuple(map(_amount, grads)), self._shown(outs, nexts), self._freed(ident)))

    def _posthook(self, node: Any) -> Callable[[Any, Any], None]:
        nexts = tuple((self.walk.ids.get(t), n) for t, n in node.next_functions)

        def posthook(outs: tuple[Any, ...], grads: tuple[Any, ...]) -> None:
            self._runs(node, outs, grads)
            for out, (target, number) in zip(outs, nexts, strict=False):
                if target is not None and self.runs(target):
                    self.arrive((target, number), out)

        return posthook

    def _shown(self, outs: Sequence[Any], nexts: Sequence[tuple[str | None, int]]) -> tuple[Amount | None, ...]:
        """What goes on along each edge that leads to a Node that runs."""
        pairs = zip(outs, nexts, strict=False)
        return tuple(_amount(out) if node is not None and self.runs(node) else None for out, (node, _) in pairs)

    def _freed(self, ident: str) -> tuple[str, ...]:
        return self.saved[ident] if self.frees else ()

    def accumulated(self, ident: str, now: Any) -> None:
        """A leaf's `.grad` has been set: post-accumulate hooks come after that, and see it."""
        if ident in self.before:
            before, incoming = self.before.pop(ident)
            self.note(Accumulated(ident, before, incoming, _amount(now)))

    # -- the end -------------------------------------------------------------------------------------------------------

    def failed(self, error: Exception) -> None:
        message = str(error)
        if self.hook is not None:
            event = Failed(self.hook[0], type(error).__name__, message, "hook", self.hook[1])
        elif self.running is None and not self.ran and _in_library(error):
            self.events.clear()  # an argument was refused
            event = Failed(None, type(error).__name__, message)
        else:
            event = Failed(self.running or self._next(), type(error).__name__, message)
        self.note(event)

    def _next(self) -> str | None:
        """The Node that would have run: of those that have all gradients, the one made last; leaves first."""
        complete: dict[str, bool] = {}
        for (ident, number), expected in self.arriving.items():
            done = bool(self.arrived.get((ident, number)))
            complete[ident] = (
                complete.get(ident, True)
                and done
                and (expected == 1 or len(self.arrived[ident, number]) in (1, expected))
            )
        ready = [n for n in self.walk.nodes if complete.get(self.walk.ids[n]) and self.walk.ids[n] not in self.ran]
        if not ready or not self.events:
            return None
        return self.walk.ids[max(ready, key=lambda n: int(n._sequence_nr()))]

    def second(self, space: Mapping[str, Any]) -> Graph | None:
        """The graph of the gradients themselves."""
        roots = []
        holders = Holders(space)
        for leaf in self.leaves():
            grad = leaf.grad
            if grad is not None and grad.requires_grad:
                roots.append(grad)
                holders.named[id(grad)] = f"{self.holders.name(leaf) or 'leaf'}.grad", grad
        return describe(Walk(roots), holders) if roots else None

    def forget(self) -> None:
        """Release every live object."""
        self.arrived.clear()
        self.others = []
        self.keeping = {}
        self.walk.nodes = []
        self.walk.nexts = []
        self.walk.ids = {}
        self.walk.roots = []
        self.walk.starts = []
        self.holders.named.clear()
        self.holders.made.clear()


def _listed(inputs: Any) -> list[Any]:
    return list(inputs) if is_a(inputs, (list, tuple)) else [inputs]


def _in_library(error: BaseException) -> bool:
    """Whether the library itself raised it, not a function of the user's that it called."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = str(trace.tb_frame.f_globals.get("__name__", "")) if trace is not None else ""
    return name.split(".")[0] in ("torch", "autogradlab")


def _copy(tensor: Any) -> Any:
    return None if tensor is None else whole(tensor).clone()


def _tensors_of(walk: Walk, things: Sequence[Any]) -> list[Any]:
    """Of some objects, the non-leaf tensors of the graph that have hooks or retain their gradient."""
    root = walk.roots[0]
    kinds = {library(root).Tensor, *(type(r) for r in walk.roots)}
    found = []
    for thing in things:
        if type(thing) in kinds and not thing.is_leaf and (thing.retains_grad or thing._backward_hooks):
            try:
                node = thing.grad_fn
            except RuntimeError:
                continue
            if node in walk.ids:
                found.append(thing)
    places = {walk_place(walk, t): t for t in reversed(found)}
    return [t for _, t in sorted(places.items())]


def walk_place(walk: Walk, tensor: Any) -> tuple[int, int]:
    return int(walk.ids[tensor.grad_fn][1:]), int(tensor.output_nr)
