"""show, watch, storage and broadcast in a real JupyterLab: watched cards follow the cells, pictures answer,
axe is content."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import test_inspectors as base
from tests.browser.labdrive import axe, shoot, themes
from tests.browser.test_inspectors import card, opened, page  # noqa: F401  # two are fixtures
from tests.conftest import need

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.turns(3, 0)]

base.CELLS.update(
    {
        "tensors": "import autogradlab as torch\nfrom autogradlab import inspectors as lab\n"
        "w = torch.tensor([[1., 2.], [0., 2.]], requires_grad=True)\nx = torch.ones(2, 2)\nlab.show(w)",
        "watching": "view = lab.watch(w, x)\nview",
        "backward": "loss = (w * x).pow(2).sum()\nloss.backward()",
        "deleted": "del x",
        "strip": "lab.storage(w, w.t(), w.detach().numpy())",
        "meeting": "lab.broadcast(w, (2,))",
        "unfit": "lab.broadcast(w, (3,))",
        "nothing": "lab.show(None)",
    }
)
EXPECT = 10_000


def test_watched_cards_follow_the_cells(opened: Any, page: Any):
    opened("tensors", "watching", "backward", "deleted")
    shown = card(page, 2)
    shown.get_by_text("after cell [5]", exact=True).wait_for(timeout=EXPECT)
    text = shown.inner_text()
    assert "is deleted: nothing has this name now." in text
    assert "[2] line" not in text
    # the card that was only shown stays as it was
    assert "no result that has a name has a graph that leads back to" in card(page, 1).inner_text()


def test_what_changed_is_said(opened: Any, page: Any):
    opened("tensors", "watching", "backward")
    shown = card(page, 2)
    shown.get_by_text("after cell [4]", exact=True).wait_for(timeout=EXPECT)
    assert "grad None → [[2., 4.], [0., 4.]]" in " ".join(shown.inner_text().split())


def test_pictures_answer(opened: Any, page: Any):
    opened("tensors", "strip", "meeting")
    strip, meeting = card(page, 2), card(page, 3)
    strip.locator('[data-item="m1w2"] text').first.click()
    assert "(1, 2)" in strip.inner_text()
    assert base.current(meeting) == 0
    assert base.state(meeting, "r1") == "hidden"
    meeting.get_by_role("button", name="One step on").click()
    base.press(page, "End")
    assert base.state(meeting, "r1") != "hidden"


def test_facts_stand_in_columns_as_on_a_page(opened: Any, page: Any):
    """JupyterLab has styles of its own for lists in outputs, each term floating above what is said of it."""
    opened("tensors")
    rows = """() => [...document.querySelectorAll('.agl-facts > div')].map(row => {
      const [label, value] = [...row.children].map(e => e.getBoundingClientRect());
      return value.left > label.left + 50 && Math.abs(value.top - label.top) < 4; })"""
    found = page.evaluate(rows)
    assert len(found) > 6 and all(found)
    lists = page.locator(".agl-facts")
    assert {lists.nth(k).evaluate("e => getComputedStyle(e).display") for k in range(lists.count())} == {"grid"}


def test_axe_finds_nothing(opened: Any, page: Any):
    need("axe_playwright_python")
    page.set_viewport_size({"width": 1280, "height": 4200})
    opened("tensors", "watching", "strip", "meeting", "unfit", "nothing", "backward")
    for theme in themes(page):
        page.wait_for_timeout(500)
        shoot(page, f"inspectors-tensors-{theme}")
        assert axe(page, ".agl") == [], theme
