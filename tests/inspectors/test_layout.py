"""The layered layout: over many random graphs, no box overlaps another and no line goes through a box."""

from __future__ import annotations

import random
import sys
import time
from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.layout.layered import Box, Link, Placed, layout
from autogradlab.inspectors.parts import Drawing, Ellipse, Path, Rect, Text

Point = tuple[float, float]
Area = tuple[float, float, float, float]


def random_graph(seed: int, count: int) -> tuple[dict[str, Box], list[Link]]:
    """Boxes of all sizes; most links are short, some reach far back."""
    chance = random.Random(seed)
    boxes: dict[str, Box] = {}
    links = []
    for i in range(count):
        inputs = 0 if i < 2 else chance.choice([0, 1, 1, 2, 2, 2, 3, 5])
        height = chance.uniform(24, 90)
        ins = tuple(height * (j + 1) / (inputs + 1) for j in range(inputs))
        boxes[f"b{i}"] = Box(chance.uniform(30, 180), height, ins, chance.choice([None, height / 3]))
        for j in range(inputs):
            back = chance.choice([1, 2, 4, i])
            links.append(Link(f"b{chance.randrange(max(0, i - back), i)}", f"b{i}", j))
    return boxes, links


def samples(points: tuple[Point, ...], curve: bool = True, steps: int = 24) -> list[Point]:
    """Points on the curve itself."""
    if not curve:
        (x0, y0), (x1, y1) = points[0], points[-1]
        return [(x0 + (x1 - x0) * t / steps, y0 + (y1 - y0) * t / steps) for t in range(steps + 1)]
    found = []
    for i in range(0, len(points) - 1, 3):
        a, b, c, d = points[i : i + 4]
        for t in (s / steps for s in range(steps + 1)):
            u = 1 - t
            weights = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
            found.append(
                (
                    sum(w * p[0] for w, p in zip(weights, (a, b, c, d), strict=True)),
                    sum(w * p[1] for w, p in zip(weights, (a, b, c, d), strict=True)),
                )
            )
    return found


def inside(point: Point, area: Area, slack: float = 0.5) -> bool:
    x, y, right, bottom = area
    return x + slack < point[0] < right - slack and y + slack < point[1] < bottom - slack


def overlap(a: Area, b: Area) -> bool:
    return a[0] < b[2] - 0.01 and b[0] < a[2] - 0.01 and a[1] < b[3] - 0.01 and b[1] < a[3] - 0.01


def areas(boxes: dict[str, Box], placed: Placed) -> dict[str, Area]:
    return {n: (*placed.at[n], placed.at[n][0] + b.width, placed.at[n][1] + b.height) for n, b in boxes.items()}


@pytest.mark.parametrize("seed", range(60))
def test_nothing_overlaps_and_no_line_crosses_a_box(seed: int):
    boxes, links = random_graph(seed, 3 + seed % 40)
    placed = layout(boxes, links)
    where = areas(boxes, placed)
    names = list(where)
    assert not [(a, b) for i, a in enumerate(names) for b in names[:i] if overlap(where[a], where[b])]
    for link, route in zip(links, placed.routes, strict=True):
        source, target = boxes[link.source], boxes[link.target]
        x, y = placed.at[link.source]
        assert route[0] == pytest.approx(
            (x + source.width, y + (source.height / 2 if source.out is None else source.out)), abs=0.02
        )
        x, y = placed.at[link.target]
        assert route[-1] == pytest.approx((x, y + target.ins[link.port]), abs=0.02)
        hit = [n for p in samples(route) for n in names if inside(p, where[n])]
        assert hit == [], (seed, link)
    assert all(0 <= a[0] and 0 <= a[1] and a[2] <= placed.width and a[3] <= placed.height for a in where.values())
    assert layout(boxes, links) == placed  # the same input, the same picture


def test_the_test_sees():
    """What the test above forbids, it finds."""
    wall = {"a": (40.0, 0.0, 60.0, 40.0)}
    assert [p for p in samples(((0, 20), (30, 20), (60, 20), (100, 20))) if inside(p, wall["a"])]
    assert overlap((0, 0, 10, 10), (9, 9, 20, 20))
    assert not overlap((0, 0, 10, 10), (10, 0, 20, 10))


def test_links_go_right_and_leaves_stand_before_what_uses_them():
    boxes, links = random_graph(7, 40)
    placed = layout(boxes, links)
    for link in links:
        assert placed.columns[link.source] < placed.columns[link.target]
    for name in boxes:
        users = [placed.columns[link.target] for link in links if link.source == name]
        assert not users or placed.columns[name] == min(users) - 1


def test_a_chain_is_straight_and_a_tree_has_no_crossings():
    chain = {f"b{i}": Box(60, 30 + i, (15 + i / 2,)) for i in range(12)}
    placed = layout(chain, [Link(f"b{i}", f"b{i + 1}") for i in range(11)])
    assert all(abs(y - route[0][1]) < 0.05 for route in placed.routes for _, y in route)
    tree = {f"b{i}": Box(60, 40, (12, 28)) for i in range(31)}
    placed = layout(tree, [Link(f"b{i}", f"b{(i - 1) // 2}", (i - 1) % 2) for i in range(1, 31)])
    assert placed.crossings == 0


def test_a_long_line_is_straight_between_its_two_bends():
    """A leaf that is used again at the end: its line passes below everything at one height."""
    boxes = {"w": Box(80, 40), **{f"b{i}": Box(80, 40, (10, 30)) for i in range(8)}}
    links = [Link("w", "b0", 0), *(Link(f"b{i}", f"b{i + 1}", 0) for i in range(7)), Link("w", "b7", 1)]
    route = layout(boxes, links).routes[-1]
    bends = sum(abs(route[i][1] - route[i + 3][1]) > 0.05 for i in range(0, len(route) - 1, 3))
    assert bends <= 2


def test_a_value_with_many_users_leaves_as_one_line():
    boxes = {"w": Box(80, 40), "b0": Box(80, 40, (10, 30)), **{f"b{i}": Box(80, 40, (10, 30)) for i in range(1, 400)}}
    links = [Link("w", f"b{i}", 0) for i in range(400)] + [Link(f"b{i}", f"b{i + 1}", 1) for i in range(399)]
    placed = layout(boxes, links)
    assert placed.crossings == 0


def test_cycles_are_refused_and_nothing_is_something():
    with pytest.raises(ValueError, match="cycle"):
        layout({"a": Box(1, 1), "b": Box(1, 1)}, [Link("a", "b"), Link("b", "a")])
    empty = layout({}, [])
    assert (empty.at, empty.routes) == ({}, ())


def test_a_thousand_boxes_take_less_than_a_second():
    """As programs make them: most results are used soon, leaves come in between, some values are used again later."""
    chance = random.Random(3)
    boxes = {f"b{i}": Box(90, 40, (10, 30)) for i in range(1000)}
    links = []
    for i in range(3, 1000):
        if i % 4:
            links.append(Link(f"b{i - (1 if (i - 1) % 4 else 2)}", f"b{i}", 0))
            links.append(Link(f"b{i - chance.randint(1, 30 if i > 30 else 2)}", f"b{i}", 1))
    start = time.process_time()
    layout(boxes, links)
    assert time.process_time() - start < 1.0


# -- the pictures ------------------------------------------------------------------------------------------------------


def box_of(shape: Rect | Ellipse) -> Area:
    if isinstance(shape, Rect):
        return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    return shape.x - shape.rx, shape.y - shape.ry, shape.x + shape.rx, shape.y + shape.ry


def text_area(text: Text, words: str) -> Area:
    width = len(words) * text.size * 0.605
    left = {"start": text.x, "middle": text.x - width / 2, "end": text.x - width}[text.anchor]
    return left, text.y - text.size * 0.75, left + width, text.y + 2


def random_expression(seed: int):
    """A random program on a few leaves, some of its results with names."""
    import autogradlab as torch

    chance = random.Random(seed)
    space = {f"w{i}": torch.tensor([1.0 + i], requires_grad=True) for i in range(3)}
    values = list(space.values())
    for i in range(chance.randrange(4, 25)):
        a, b = chance.choice(values[-6:]), chance.choice(values)
        new = chance.choice(
            [
                lambda a=a, b=b: a * b,
                lambda a=a, b=b: a + b,
                lambda a=a, b=b: a.exp() / b,
                lambda a=a, b=b: torch.stack([a, b, a]).sum(0),
                lambda a=a, b=b: 2 * a,
            ]
        )()
        values.append(new)
        if chance.random() < 0.5:
            space[f"v{i}"] = new
    return values[-1], space


@pytest.mark.parametrize("seed", range(20))
def test_labels_do_not_lie_on_boxes(seed: int):
    from autogradlab.inspectors.cards.step import step_card

    y, space = random_expression(seed)
    card = step_card(y, space)
    drawing = next(block for block in card.blocks if isinstance(block, Drawing))
    assert isinstance(drawing, Drawing)
    boxes = [(item.id, box_of(s)) for item in drawing.items for s in item.shapes if isinstance(s, (Rect, Ellipse))]
    written: dict[str, str] = {}
    for frame in card.frames:
        for slot, text in frame.texts:
            written[slot] = max(written.get(slot, ""), text, key=len)
    for item in drawing.items:
        for shape in item.shapes:
            if isinstance(shape, Text) and shape.slot:
                area = text_area(shape, written.get(shape.slot, shape.text))
                assert [n for n, box in boxes if overlap(area, box)] == [], (item.id, written.get(shape.slot))
            if isinstance(shape, Path):
                for name, box in boxes:
                    assert not any(inside(p, box, 4.0) for p in samples(shape.points, shape.curve)), (item.id, name)


def test_what_a_picture_costs_grows_with_the_graph_and_no_faster():
    """Counted in calls, which are the same on any machine."""
    import autogradlab as torch

    def calls(steps: int) -> int:
        y = w = torch.ones(1, requires_grad=True)
        for _ in range(steps):
            y = (y * w).sin()
        count = 0

        def note(frame: Any, event: str, arg: Any) -> None:
            nonlocal count
            count += event == "call"

        sys.setprofile(note)
        try:
            view = lab.graph(y)
        finally:
            sys.setprofile(None)
        assert len(view.card.blocks[0].items) > 1.8 * steps
        return count

    calls(10)  # loads what is loaded late
    assert calls(480) < 2.4 * calls(240)


def test_a_long_name_is_short_in_the_picture_and_whole_where_one_points(torch: Any):
    the_weight_matrix_of_the_first_layer = torch.ones(2, 3, requires_grad=True)
    the_weight_matrix_of_the_second_layer = torch.ones(3, 3, requires_grad=True)
    y = (the_weight_matrix_of_the_first_layer @ the_weight_matrix_of_the_second_layer).sum()
    for card, most in ((lab.step(y).card, 14), (lab.graph(y).card, 22)):
        (drawing,) = (block for block in card.blocks if isinstance(block, Drawing))
        leaves = [item for item in drawing.items if any(isinstance(s, Ellipse) for s in item.shapes) and item.details]
        names = [next(s.text for s in item.shapes if isinstance(s, Text)) for item in leaves]
        long = [name for name in names if "…" in name]
        assert len(set(long)) == 2 and max(map(len, long)) == most
        labels = " ".join(item.label for item in leaves)
        assert "the_weight_matrix_of_the_first_layer = " in labels
        assert "the_weight_matrix_of_the_second_layer = " in labels


def test_a_graph_in_which_nothing_folds_has_a_bare_drawing_where_it_is_long(torch: Any):
    """Nodes and leaves alone, results named in their Nodes; every edge stands for those of the whole drawing."""
    w, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    u = w * 3
    v = u + b
    p = torch.exp(u)
    q = v * v
    r = p * q
    s = r - 1
    y = s.sum()
    whole, bare = (block for block in lab.step(y).card.blocks if isinstance(block, Drawing))
    assert bare.width < 0.7 * whole.width
    ids = {item.id for item in whole.items}
    assert {item.id for item in bare.items if item.id[0] == "n"} == {i for i in ids if i[0] == "n"}
    assert sum(item.id[0] == "v" for item in bare.items) == 3  # w, b and y
    words = {shape.text for item in bare.items for shape in item.shapes if isinstance(shape, Text)}
    assert {"exp → p", "mul → q", "− 1 → s", "sum"} <= words
    edges = {i for i in ids if i[0] == "e"}
    stands = {member for group in bare.groups for member in group.items}
    assert stands <= edges and len(edges - stands) == 0
    (short,) = (block for block in lab.step((w * b).sum()).card.blocks if isinstance(block, Drawing))
    assert short.width < whole.width
