"""The lanes of a layered drawing: their order within the columns, and their heights."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence

__all__ = ["Lane", "crossings", "order", "settle", "straighten"]

#: Room between a box and what is above or below it, and between two lines that pass.
BETWEEN = 22.0
PASSING = 12.0


class Lane:
    """A box in its column, or the straight piece of a line that passes the column (`box` is None)."""

    __slots__ = ("box", "column", "height", "lefts", "out", "place", "rights", "width", "y")

    def __init__(
        self, column: int, width: float = 0.0, height: float = 0.0, box: str | None = None, out: float = 0.0
    ) -> None:
        self.column = column
        self.width = width
        self.height = height
        self.box = box
        self.out = out  #: where lines leave, from the middle
        self.y = 0.0  #: the middle
        self.place = 0
        #: neighbours in the next column, each with the offset and the number of the port where the line arrives
        self.rights: list[tuple[Lane, float, int]] = []
        self.lefts: list[tuple[Lane, float, int]] = []

    def join(self, right: Lane, offset: float, port: int) -> None:
        self.rights.append((right, offset, port))
        right.lefts.append((self, offset, port))

    def arrivals(self) -> list[float]:
        """The heights at which lines from here arrive in the next column."""
        return [lane.y + offset for lane, offset, _ in self.rights]


Columns = Sequence[list[Lane]]


def effort(columns: Columns, most: int) -> int:
    """How often to improve: less often where there are many lanes, so that the time stays below a second."""
    lanes = sum(map(len, columns))
    return most if lanes < 2500 else most // 2 if lanes < 8000 else max(most // 4, 1)


# -- order -------------------------------------------------------------------------------------------------------------


def order(columns: Columns) -> None:
    """Reduce crossings: start from a walk from the right, then sort by the mean place of neighbours, forth and back."""
    _walk(columns)
    best, kept = crossings(columns), [list(lanes) for lanes in columns]
    since = 0
    for sweep in range(effort(columns, 12)):
        if not best or since > 3:
            break
        since += 1
        run = columns if sweep % 2 else columns[::-1]
        for lanes in run[1:]:
            _sort(lanes, _from_left if sweep % 2 else _from_right)
        now = crossings(columns)
        if now < best:
            best, kept, since = now, [list(lanes) for lanes in columns], 0
    for lanes, saved in zip(columns, kept, strict=True):
        _number(lanes, saved)
    if best:
        _swap(columns)


def _number(lanes: list[Lane], new: Sequence[Lane]) -> None:
    lanes[:] = new
    for place, lane in enumerate(lanes):
        lane.place = place


def _walk(columns: Columns) -> None:
    """Order each column by a walk from the right, depth first, upper ports first."""
    seen: set[Lane] = set()
    orders: list[list[Lane]] = [[] for _ in columns]
    for lanes in columns[::-1]:
        for start in lanes:
            stack = [] if start.rights else [start]
            while stack:
                lane = stack.pop()
                if lane in seen:
                    continue
                seen.add(lane)
                orders[lane.column].append(lane)
                stack.extend(left for left, _, _ in sorted(lane.lefts, key=lambda edge: -edge[2]))
    for lanes, new in zip(columns, orders, strict=True):
        _number(lanes, new)


def _from_right(lane: Lane) -> float:
    if not lane.rights:
        return float(lane.place)
    return sum(right.place + 0.1 * min(port, 8) for right, _, port in lane.rights) / len(lane.rights)


def _from_left(lane: Lane) -> float:
    if not lane.lefts:
        return float(lane.place)
    return sum(left.place for left, _, _ in lane.lefts) / len(lane.lefts)


def _sort(lanes: list[Lane], key: Callable[[Lane], float]) -> None:
    if len(lanes) > 1:
        _number(lanes, sorted(lanes, key=key))


def crossings(columns: Columns) -> int:
    """How often lines cross, all gaps together."""
    return sum(_inversions([r for lane in lanes for r in _ends(lane)]) for lanes in columns[:-1])


def _ends(lane: Lane) -> list[tuple[int, int]]:
    return sorted((right.place, port) for right, _, port in lane.rights)


def _inversions(ends: Sequence[tuple[int, int]]) -> int:
    seen: list[tuple[int, int]] = []
    count = 0
    for end in ends:
        count += len(seen) - bisect_right(seen, end)
        insort(seen, end)
    return count


def _swap(columns: Columns) -> None:
    """Exchange neighbours in a column wherever that saves crossings."""
    for _ in range(4):
        better = False
        for lanes in columns:
            if len(lanes) > 60:
                continue
            for i in range(len(lanes) - 1):
                upper, lower = lanes[i], lanes[i + 1]
                if _between(lower, upper) < _between(upper, lower):
                    lanes[i], lanes[i + 1] = lower, upper
                    lower.place, upper.place = i, i + 1
                    better = True
        if not better:
            return


def _between(upper: Lane, lower: Lane) -> int:
    """How often the lines of two neighbours cross if they lie in this order."""
    lefts = ([left.place for left, _, _ in lane.lefts] for lane in (upper, lower))
    return _pairs(*([(place, 0) for place in places] for places in lefts)) + _pairs(_ends(upper), _ends(lower))


def _pairs(upper: Sequence[tuple[int, int]], lower: Sequence[tuple[int, int]]) -> int:
    return sum(a > b for a in upper for b in lower)


# -- heights -----------------------------------------------------------------------------------------------------------


def settle(columns: Columns) -> None:
    """Heights: every lane wants to be level with its neighbours; in a column the order and the distances are kept."""
    for lanes in columns:
        y = 0.0
        for above, lane in zip([None, *lanes], lanes, strict=False):
            y += 0.0 if above is None else _distance(above, lane)
            lane.y = y
        middle = (lanes[0].y + lanes[-1].y) / 2 if lanes else 0.0
        for lane in lanes:
            lane.y -= middle
    rounds = effort(columns, 8)
    for number in range(rounds):
        both = number >= rounds // 2
        for lanes in columns[::-1]:
            _place(lanes, [_wish(lane, right=True, left=both) for lane in lanes])
        for lanes in columns:
            _place(lanes, [_wish(lane, right=both, left=True) for lane in lanes])


def _distance(above: Lane, lane: Lane) -> float:
    room = PASSING if above.box is None or lane.box is None else BETWEEN
    return (above.height + lane.height) / 2 + room


def _weight(left: Lane, right: Lane) -> float:
    """Lines that only pass are to be straight; what is computed follows what is computed, and leaves give way."""
    if left.box is None or right.box is None:
        return 40.0 if left.box is right.box else 0.15
    return 1.0 if left.lefts else 0.2


def _wish(lane: Lane, right: bool, left: bool) -> tuple[float, float]:
    """The height a lane wants, and how strongly; where nothing pulls it, it stays."""
    total = weight = 0.0
    if right:
        for other, offset, _ in lane.rights:
            w = _weight(lane, other)
            total += w * (other.y + offset - lane.out)
            weight += w
    if left:
        for other, offset, _ in lane.lefts:
            w = _weight(other, lane)
            total += w * (other.y + other.out - offset)
            weight += w
    return (total / weight, weight) if weight else (lane.y, 0.2)


def _place(lanes: Sequence[Lane], wishes: Sequence[tuple[float, float]]) -> None:
    """The heights nearest to all wishes (least squares) that keep order and distances: pool adjacent violators."""
    base = 0.0
    bases = []
    pools: list[tuple[float, float, int]] = []  # sum of weight * wish, weight, members
    for i, (lane, (wish, weight)) in enumerate(zip(lanes, wishes, strict=True)):
        base += _distance(lanes[i - 1], lane) if i else 0.0
        bases.append(base)
        total, members = weight * (wish - base), 1
        while pools and pools[-1][0] / pools[-1][1] > total / weight:
            before = pools.pop()
            total, weight, members = total + before[0], weight + before[1], members + before[2]
        pools.append((total, weight, members))
    i = 0
    for total, weight, members in pools:
        for _ in range(members):
            lanes[i].y = total / weight + bases[i]
            i += 1


def straighten(columns: Columns) -> None:
    """Make level what nearly is: first the long lines as a whole, then boxes with one neighbour beside them."""
    for _ in range(effort(columns, 3)):
        for lanes in columns:
            for lane in lanes:
                if lane.box is None and lane.lefts[0][0].box is not None:
                    _level(columns, lane)
    for lanes in (*columns[::-1], *columns):
        for lane in lanes:
            if lane.box is not None:
                low, high = _slack(columns, lane)
                near = (y for y in _levels(lane) if abs(y - lane.y) < 10 and low <= y <= high)
                lane.y = next(near, lane.y)


def _levels(lane: Lane) -> list[float]:
    """The heights at which one of the lane's own lines would be level."""
    wants = [other.y + offset - lane.out for other, offset, _ in lane.rights]
    return wants + [other.y + other.out - offset for other, offset, _ in lane.lefts]


def _slack(columns: Columns, lane: Lane) -> tuple[float, float]:
    """Between which heights a lane can move without touching the ones above and below it."""
    lanes, place = columns[lane.column], lane.place
    low, high = float("-inf"), float("inf")
    if place:
        low = lanes[place - 1].y + _distance(lanes[place - 1], lane)
    if place + 1 < len(lanes):
        high = lanes[place + 1].y - _distance(lane, lanes[place + 1])
    return low, high


def _level(columns: Columns, first: Lane) -> None:
    """Bring all lanes of a long line to one height: its source's or its target's if that is free, else the mean.

    What is in the way moves a little, if there is room for it.
    """
    line = [first]
    while further := [right for right, _, _ in line[-1].rights if right.box is None]:
        line.append(further[0])
    slacks = [_slack(columns, lane) for lane in line]
    low, high = max(s[0] for s in slacks), min(s[1] for s in slacks)
    source, _, _ = first.lefts[0]
    wants = [source.y + source.out, *(right.y + offset for right, offset, _ in line[-1].rights)]
    mean = sum(lane.y for lane in line) / len(line)
    if low <= high:
        y = next((w for w in wants if low <= w <= high), min(max(mean, low), high))
    elif low - high < 30 and all(_make_room(columns, lane, (low + high) / 2) for lane in line):
        y = (low + high) / 2
    else:
        return
    for lane in line:
        lane.y = y


def _make_room(columns: Columns, lane: Lane, y: float) -> bool:
    """Push boxes above or below away, so that the lane can lie at y; lines are not pushed."""
    lanes = columns[lane.column]
    step = -1 if y < lane.y else 1
    place, edge, moved = lane.place, y, []
    below = lane
    while 0 <= (place := place + step) < len(lanes):
        other = lanes[place]
        gap = _distance(below, other) if step > 0 else _distance(other, below)
        wanted = edge + step * gap
        if (other.y - wanted) * step >= 0:
            break
        if other.box is None:
            return False
        moved.append((other, wanted))
        below, edge = other, wanted
    for other, wanted in moved:
        other.y = wanted
    return True
