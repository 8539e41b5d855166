"""The ways from a root to one element of a tensor: of each the local derivatives, exactly as the Nodes calculate them.

What flows into every Node is calculated once (`flows`). Then, from the element backwards, the ways are told apart:
which elements of the Nodes before it lead there is found by gradients that are zero but for some elements, the largest
share first. What has not been told apart when enough is listed is the rest; its share is known exactly, since it is one
such gradient too. All this asks of a Node is that it is linear over the real numbers, so it holds for complex ones.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .flows import Flows, metadata
from .graph import Walk, edge_of
from .kinds import library

__all__ = ["Factor", "Local", "Way", "Ways"]

#: calls of Nodes that one receipt may take
CALLS = 1500


@dataclass(frozen=True, slots=True)
class Local:
    """What becomes of a gradient g between two elements: straight * g + turned * conj(g); of real numbers, a factor.

    On complex numbers PyTorch multiplies by the conjugate of the derivative; a Node can conjugate g itself, too.
    """

    straight: Any = 1.0
    turned: Any = 0.0

    def __call__(self, grad: Any) -> Any:
        return self.straight * grad + self.turned * grad.conjugate() if self.turned else self.straight * grad

    def after(self, first: Local) -> Local:
        """The two as one."""
        if not (self.turned or first.turned):
            return Local(self.straight * first.straight)
        straight, turned = first.straight, first.turned
        return Local(
            self.straight * straight + self.turned * turned.conjugate(),
            self.straight * turned + self.turned * straight.conjugate(),
        )

    @property
    def plain(self) -> bool:
        """Whether the gradient is handed on as it is."""
        return bool(self.straight == 1 and not self.turned)

    @classmethod
    def of(cls, run: Callable[[Any], Any], of_complex: bool) -> Local:
        """What a function that is linear over the real numbers does, told by what it makes of 1 (and of 1j)."""
        one = run(1.0)
        if not of_complex:
            return cls(one)
        turned = run(1j) * -1j
        return cls((one + turned) / 2, (one - turned) / 2)


@dataclass(frozen=True, slots=True)
class Factor:
    """One step of a way: from output `at` of a Node to its input `index`, element `into`."""

    node: str
    output: int
    at: int
    index: int
    into: int
    local: Local


@dataclass(frozen=True, slots=True)
class Way:
    """One way, from the root: what the root starts with, its factors, and their product."""

    root: int
    start: Any
    factors: tuple[Factor, ...]
    product: Any


#: the factors behind a place, the next one and those behind it: ways share their ends
_Behind = tuple[Factor, Any] | None


@dataclass(slots=True)
class _Group:
    """Elements first..last of an output of a Node that all lead through `index` to the same element."""

    node: Any
    output: int
    index: int
    into: int
    first: int
    last: int
    scale: Local
    behind: _Behind
    share: Any = 0.0
    whole: bool = False  #: zero times infinity or NaN is in every part of it: these cannot be told apart


class Ways:
    """What flows from the roots of a walk towards a tensor, and the ways to one element of it after the other."""

    def __init__(self, walk: Walk, target: Any) -> None:
        self.walk = walk
        self.torch = library(target)
        self.place = edge_of(target)
        self.sources: dict[tuple[Any, int], list[tuple[Any, int]]] = {}
        self.between = self._find()
        self.stream = Flows(walk, self.between)
        self.flows = self.stream.at
        #: whether an input is known to be worked on element by element: one that is NaN is no way to the others
        self.each: Callable[[Any, int], bool] = lambda node, index: False

    @property
    def reached(self) -> bool:
        """Whether any way leads to the tensor."""
        return self.place in self.flows

    def stops(self) -> list[Any]:
        """The Nodes between root and tensor that something came to, and that handed nothing on towards the tensor."""
        came = {node for node, _ in self.flows if node in self.between}
        gave = {node for node, _ in self.stream.on}
        return [node for node in self.walk.nodes if node in came - gave and node is not self.place[0]]

    def total(self) -> Any:
        """The gradient of the tensor, as it comes from all roots together."""
        return self.flows[self.place]

    def _find(self) -> set[Any]:
        """The Nodes between the roots and the tensor."""
        walk = self.walk
        before: dict[Any, list[Any]] = {}
        for node, nexts in zip(walk.nodes, walk.nexts, strict=False):
            for index, (follower, number) in enumerate(nexts):
                if follower is not None:
                    before.setdefault(follower, []).append(node)
                    self.sources.setdefault((follower, number), []).append((node, index))
        between = {self.place[0]} if self.place[0] in walk.ids else set()
        waiting = list(between)
        while waiting:
            for node in before.get(waiting.pop(), []):
                if node not in between:
                    between.add(node)
                    waiting.append(node)
        return between

    # -- ways ----------------------------------------------------------------------------------------------------------

    def of(self, element: int, most: int) -> tuple[list[Way], list[Any]]:
        """At most `most` ways to an element, and the shares of what is left together."""
        with self.torch.no_grad():
            return self._of(element, most)

    def _of(self, element: int, most: int) -> tuple[list[Way], list[Any]]:
        found: list[Way] = []
        whole: list[_Group] = []
        heap: list[tuple[float, int, _Group | Way]] = []
        order = 0
        self.stream.calls = 0
        items: list[_Group | Way] = list(self._before(self.place, element, Local(), None))
        while (items or heap) and len(found) < most and self.stream.calls <= CALLS:
            for item in items:
                order += 1
                heapq.heappush(heap, (-_size(item.product if isinstance(item, Way) else item.share), order, item))
            if not heap:
                break
            now: _Group | Way | None = heapq.heappop(heap)[2]
            items = []
            while isinstance(now, _Group):  # straight on to a root, by the largest share each time
                if now.whole:
                    whole.append(now)
                    now = None
                    break
                parts = self._through(now) if now.first == now.last else list(self._halves(now))
                parts.sort(key=lambda part: _size(part.product if isinstance(part, Way) else part.share))
                now = parts.pop() if parts else None
                items += parts
            if now is not None:
                found.append(now)
        left = [*items, *(item for _, _, item in sorted(heap, key=lambda entry: entry[1]))]
        found += [item for item in left if isinstance(item, Way)]
        found.sort(key=lambda way: -_size(way.product))
        groups = [item.share for item in (*left, *whole) if isinstance(item, _Group)]
        return found[:most], groups + [way.product for way in found[most:]]

    def _before(self, place: tuple[Any, int], element: int, scale: Local, behind: _Behind) -> Iterator[_Group | Way]:
        """What leads to an element: a root that it is, and groups of elements of the Nodes before it."""
        for number, start in self.stream.starts.get(place, []):
            yield Way(number, start, tuple(_factors(behind)), self._share(scale, start))
        for node, index in self.sources.get(place, []):
            if node not in self.between:
                continue
            for output in range(max(1, len(metadata(node)))):
                flow = self.flows.get((node, output))
                if flow is not None and flow.numel():
                    alone = self.each(node, index) and flow.shape == self.flows[place].shape
                    first, last = (element, element) if alone else (0, flow.numel() - 1)
                    group = _Group(node, output, index, element, first, last, scale, behind)
                    if self._weigh(group):
                        group.whole = not alone and not math.isfinite(abs(group.share)) and self._mixed(group)
                        yield group

    def _mixed(self, group: _Group) -> bool:
        """Whether what its elements bring is NaN even where they bring nothing."""
        flow = self.flows[group.node, group.output].reshape(-1)
        nothing = self._entry(group, flow.new_zeros(flow.shape))
        return flow.numel() > 1 and bool(nothing != nothing)

    def _weigh(self, group: _Group) -> bool:
        """The share of a group: what its elements bring together. Whether there is anything in it."""
        flow = self.flows[group.node, group.output].reshape(-1)
        part = flow.new_zeros(flow.shape)
        part[group.first : group.last + 1] = flow[group.first : group.last + 1]
        entry = self._entry(group, part)
        group.share = self._share(group.scale, entry)
        if group.share != group.share and not entry and not self._leads(group):
            return False
        if group.share or group.first == group.last:
            return bool(group.share) or group.share != group.share
        signs = part.clone()
        signs[group.first : group.last + 1 : 2] *= -0.5  # shares may cancel: not with other weights
        signs[group.first : group.last + 1 : 3] *= 0.25
        return bool(self._entry(group, signs))

    def _leads(self, group: _Group) -> bool:
        """Whether any of its elements leads to the element at all, be it with a factor of 0: NaN would come through,
        or it is the one at the same place."""
        flow = self.flows[group.node, group.output].reshape(-1)
        if group.first <= group.into <= group.last and flow.numel() == self._inputs(group):
            return True
        part = flow.new_ones(flow.shape)
        before = self._entry(group, part)
        part[group.first : group.last + 1] = math.nan
        after = self._entry(group, part)
        return bool(after != after and before == before)

    def _inputs(self, group: _Group) -> int:
        """How many elements the input has that it leads to."""
        place = dict(zip(self.walk.nodes, self.walk.nexts, strict=False))[group.node][group.index]
        return int(self.flows[place].numel())

    def _share(self, scale: Local, grad: Any) -> Any:
        """What the element gets of a gradient further up: a real number, if it is one."""
        share = scale(grad)
        return share.real if isinstance(share, complex) and not self.flows[self.place].is_complex() else share

    def _entry(self, group: _Group, part: Any) -> Any:
        flow = self.flows[group.node, group.output]
        made = self.stream.run(group.node, {group.output: part.reshape(flow.shape)})[group.index]
        return 0.0 if made is None else made.reshape(-1)[group.into].item()

    def _halves(self, group: _Group) -> Iterator[_Group | Way]:
        middle = (group.first + group.last) // 2
        for first, last in ((group.first, middle), (middle + 1, group.last)):
            half = _Group(group.node, group.output, group.index, group.into, first, last, group.scale, group.behind)
            if self._weigh(half):
                yield half

    def _through(self, group: _Group) -> list[_Group | Way]:
        """Past a single element: its local derivative is a factor."""
        flow = self.flows[group.node, group.output].reshape(-1)

        def run(number: Any) -> Any:
            only = flow.new_zeros(flow.shape)
            only[group.first] = number
            return self._entry(group, only)

        local = Local.of(run, flow.is_complex())
        factor = Factor(self.walk.ids[group.node], group.output, group.first, group.index, group.into, local)
        place = group.node, group.output
        return list(self._before(place, group.first, group.scale.after(local), (factor, group.behind)))


def _factors(behind: _Behind) -> Iterator[Factor]:
    while behind is not None:
        factor, behind = behind
        yield factor


def _size(value: Any) -> float:
    size = abs(value)
    return math.inf if size != size else float(size)
