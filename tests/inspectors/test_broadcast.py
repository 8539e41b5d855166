"""`broadcast`: how shapes meet. The library itself is the judge: of shapes, of errors,
of what gradients are summed over."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autogradlab
from autogradlab import inspectors as lab
from autogradlab.inspectors import words
from autogradlab.inspectors.parts import Drawing, Grid, Note, Rect, Table
from autogradlab.inspectors.snapshot.shapes import insertions, meet, sum_back

shapes = st.lists(st.sampled_from([1, 1, 2, 3]), max_size=4).map(tuple)


@given(st.lists(shapes, min_size=1, max_size=3))
def test_the_rules_are_numpys(given_shapes: list[tuple[int, ...]]):
    try:
        expected = np.broadcast_shapes(*given_shapes)
    except ValueError:
        expected = None
    assert meet(given_shapes).result == expected


@given(shapes, shapes)
def test_the_message_is_the_librarys(a: tuple[int, ...], b: tuple[int, ...]):
    shown = lab.broadcast(a, b)
    said = None
    try:
        autogradlab.zeros(a) + autogradlab.zeros(b)
    except RuntimeError as error:
        said = str(error)
    assert ("The result has the shape" in shown.text) == (said is None)
    assert (f"PyTorch says: `{said}`" in shown.text) == (said is not None)


@pytest.mark.parametrize(
    ("a", "b"), [((2, 3), (2,)), ((2, 3), (3, 4)), ((2, 3, 4), (4, 3)), ((5, 1), (2, 3, 4, 2)), ((0,), (2,))]
)
def test_the_message_is_pytorchs(torch: Any, a: tuple[int, ...], b: tuple[int, ...]):
    with pytest.raises(RuntimeError) as caught:
        torch.zeros(a) + torch.zeros(b)
    assert str(caught.value) in lab.broadcast(torch.zeros(a), torch.zeros(b)).text


@given(shapes, shapes)
def test_gradients_are_summed_as_it_says(a: tuple[int, ...], b: tuple[int, ...]):
    result = meet([a, b]).result
    if result is None:
        return
    x, y = (autogradlab.ones(s, requires_grad=True) for s in (a, b))
    out = x * y
    g = autogradlab.arange(float(np.prod(result))).reshape(result)
    out.backward(g)
    for leaf, shape in ((x, a), (y, b)):
        summed = eval(sum_back(shape, result), {"g": g})
        assert summed.reshape(shape).tolist() == leaf.grad.tolist()
        assert summed.shape == leaf.grad.shape or summed.numel() == leaf.grad.numel()


@given(shapes, shapes)
def test_what_to_write_instead_fits(a: tuple[int, ...], b: tuple[int, ...]):
    for index in insertions(b, a):
        wide = eval(f"array{index}", {"array": np.zeros(b)})
        assert np.broadcast_shapes(a, wide.shape)


def test_two_that_fit(torch: Any):
    x, b = torch.arange(6.0).reshape(2, 3), torch.tensor([10.0, 20.0, 30.0])
    assert lab.broadcast(x, b).text.split("\n") == [
        "`x`, `b` · (2, 3) with (3,)",
        "`x`: (2, 3)",
        "`b`: (3,)",
        "0. The shapes are written one below the other, aligned to the right.",
        "   The result so far: `(?, ?)`",
        "1. `b` has fewer dimensions: ones go on its left, so (3,) counts as (1, 3).",
        "   The result so far: `(?, ?)`",
        "2. Dimension 1: 3 and 3 are equal, so the result has 3.",
        "   The result so far: `(?, 3)`",
        "3. Dimension 0: 2 and 1: the 1 is repeated to 2.",
        "   The result so far: `(2, 3)`",
        "4. The result has the shape (2, 3).",
        "   Backward: g has the shape (2, 3); what was repeated is summed",
        "   operand  shape   repeated along  its gradient",
        "   `x`      (2, 3)  —               `g` as it is",
        "   `b`      (3,)    0               `g.sum(0)`",
        "   `x` as the operation sees it",
        "   0.  1.  2.",
        "   3.  4.  5.",
        "   `b` as the operation sees it",
        "   10.  20.  30.",
        "   10.  20.  30.",
    ]


def test_whether_they_fit_is_not_told_before_the_end(torch: Any):
    for other, answer in ((torch.zeros(3), "The result has the shape"), (torch.zeros(2), "PyTorch says")):
        view = lab.broadcast(torch.zeros(2, 3), other)
        before = [" ".join(ET.fromstring(view.svg(k)).itertext()) for k in range(len(view.card.frames))]
        assert answer in before.pop()
        boxes = [item for item in view.card.blocks[0].items if re.fullmatch(r"o\dd\d", item.id)]
        assert {shape.tone for item in boxes for shape in item.shapes if isinstance(shape, Rect)} <= {"node", "muted"}
        assert not any("repeated" in item.label for item in boxes)
        for said in before:
            assert not any(word in said for word in (answer, "does not fit", "✗", "→", "Backward", "sees it"))


def test_two_that_do_not(torch: Any):
    x, y = torch.zeros(2, 3), torch.zeros(2)
    text = lab.broadcast(x, y).text
    assert "Instead: `y[:, None]` gives `y` a dimension of size 1 where `x` has another one." in text
    assert "\n2. Dimension 1: 3 and 2 differ, and neither is 1: this does not fit.\n   PyTorch says: " in text
    z = torch.zeros(3, 2)
    assert (
        "`z.T` fits, if the dimensions are only in the other order. `x @ z` is the matrix product"
        in lab.broadcast(x, z).text
    )
    assert "take a part of the longer one" in lab.broadcast((2,), (3,)).text
    assert "`(x + 1)[:, :, None]`" in lab.broadcast(torch.zeros(2, 3, 4), x + 1).text


def test_the_trap_of_a_column_and_a_row(torch: Any):
    target, predicted = torch.zeros(3), torch.zeros(3, 1)
    text = lab.broadcast(predicted, target).text
    assert "Both are repeated, so every element of `predicted` meets every element of `target`: (3, 3)." in text
    assert "In place (`predicted += target`) it would fail" in text
    with pytest.raises(RuntimeError):
        predicted += target
    assert "In place" not in lab.broadcast(torch.zeros(3, 3), target).text


def test_frames_show_what_is_not_there_yet(torch: Any):
    card = lab.broadcast((2, 3), (3,)).card
    drawing = next(b for b in card.blocks if isinstance(b, Drawing))
    ids = {item.id for item in drawing.items}
    assert all(item in ids for frame in card.frames for item, _ in frame.states)
    assert dict(card.frames[0].states) == {"o1d0": "hidden", "o1d0x": "hidden", "r0": "hidden", "r1": "hidden"}
    shown = {item for frame in card.frames for item, state in frame.states if state != "hidden"}
    assert shown == {"o0d0", "o0d1", "o1d0", "o1d0x", "o1d1", "r0", "r1"}


def test_what_has_no_gradient_and_what_has_a_real_one(torch: Any):
    w, z = torch.zeros(2, 1, requires_grad=True), torch.zeros(3, dtype=torch.complex64)

    def rows(*things: Any) -> list[str]:
        tables = [b for b in lab.broadcast(*things).card.frames[-1].panel if isinstance(b, Table)]
        return [row[3] for table in tables for row in table.rows]

    assert rows(w, z) == ["`g.sum(1, keepdim=True).real`", "`g.sum(0)`"]
    assert rows(w, 1j) == ["`g.real`"]
    result = w + z
    result.sum().abs().backward()
    assert w.grad.dtype == torch.float32
    assert rows(torch.zeros(2, dtype=torch.int64), np.zeros(2), True) == []


def test_every_element_meets_every_other_only_where_no_dimension_is_shared(torch: Any):
    def said(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return "every element of" in lab.broadcast(torch.zeros(a), torch.zeros(b)).text

    assert said((3, 1), (4,)) and said((3, 1, 1), (1, 2, 5))
    assert not said((2, 1, 3), (4, 3)), "those of one column meet those of the same column"


def test_operands_of_all_kinds(torch: Any):
    a = torch.zeros(2)
    text = lab.broadcast(a, 2.5, (3, 1), torch.Size([1]), np.zeros(2)).text
    assert text.startswith("`a`, `2.5`, `b`, `c`, `np.zeros(2)` · (2,), (), (3, 1), (1,), (2,)")
    assert not [b for b in lab.broadcast((2,), (2,)).card.frames[-1].panel if isinstance(b, Grid)]
    rows = next(b for b in lab.broadcast(a, 2.5).card.frames[-1].panel if isinstance(b, Table)).rows
    assert [row[0] for row in rows] == ["`a`"]  # a number has no gradient
    assert "`c` " not in lab.broadcast(a, 1).text


@pytest.mark.parametrize(
    ("things", "said"),
    [
        ((), "Nothing was given"),
        ((None,), "of type `NoneType`"),
        (("<img src=x onerror=alert(1)>", (2,)), "of type `str`"),
        (((2, -1), (2,)), "of type `tuple`"),
        (((2.5,),), "of type `tuple`"),
        (((),), "The result has the shape ()."),
        (((2, 3),), "The result has the shape (2, 3)."),
        (((0, 1), (1, 2)), "The result has the shape (0, 2)."),
        (((1,) * 20, (2,) * 3), "The result has the shape (1, 1,"),
    ],
)
def test_anything_gives_a_card(things: tuple[Any, ...], said: str):
    shown = lab.broadcast(*things)
    assert said in shown.text
    assert "<img src=x" not in shown.svg() + shown.html()


def test_large_operands_are_not_expanded(torch: Any):
    big = torch.zeros(1000, 1000)
    assert not [b for b in lab.broadcast(big, torch.zeros(1000)).card.frames[-1].panel if isinstance(b, Grid)]


def test_ones_among_three_are_no_reason(torch: Any):
    text = lab.broadcast(torch.ones(3, 1), torch.ones(2, 4, 1), torch.ones(4)).text
    assert "Dimension 2: 1, 1, 4: each 1 is repeated to 4." in text
    assert "Dimension 1: 3 and 4 differ, and neither is 1: this does not fit." in text
    assert "Dimension 0: 2, 3, 4 differ, and none of them is 1" in lab.broadcast((2,), (3,), (4,)).text


def test_chinese(torch: Any):
    lab.set_language("zh")
    shown = lab.broadcast((2, 3), (2,))
    assert "第 1 维：3 和 2 不相等，又都不是 1：对不上。" in shown.text
    assert any(isinstance(b, Note) and b.lead == "可以改成：" for b in shown.card.frames[-1].panel)


def test_both_languages_have_the_same_fields():
    for key, entry in words.catalogue("broadcast").items():
        assert set(entry) == {"en", "zh"}, key
        assert set(re.findall(r"{(\w+)}", entry["en"])) == set(re.findall(r"{(\w+)}", entry["zh"])), key
