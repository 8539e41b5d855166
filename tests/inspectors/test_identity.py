"""A tensor has one mark in all cards, whatever they are, and a mark keeps nothing alive."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from autogradlab import inspectors as lab
from autogradlab.inspectors.parts import Drawing
from autogradlab.inspectors.snapshot import identity


def marks(view: Any) -> set[str]:
    items = [item for block in view.card.blocks if isinstance(block, Drawing) for item in block.items]
    return {found for found in [view.card.tensor, *(item.tensor for item in items)] if found}


def test_the_same_tensor_has_the_same_mark(torch: Any):
    w = torch.tensor([1.0], requires_grad=True)
    x = torch.tensor([1.0], requires_grad=True)
    y = w * x
    (of_w,), (of_x,) = marks(lab.show(w)), marks(lab.show(x))
    assert of_w != of_x
    assert {of_w, of_x} <= marks(lab.step(y))
    assert {of_w, of_x} <= marks(lab.graph(y))
    assert marks(lab.show(y)) <= marks(lab.graph(y))
    w = torch.tensor([1.0], requires_grad=True)
    assert marks(lab.show(w)) != {of_w}, "another tensor in the variable"


def test_marks_keep_nothing_alive(torch: Any):
    w = torch.tensor([1.0], requires_grad=True)
    lab.show(w)
    place, there = id(w), weakref.ref(w)
    assert place in identity._marks
    del w
    gc.collect()
    assert there() is None
    assert place not in identity._marks
