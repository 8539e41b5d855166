"""The widget's module on a bare page: it draws what Python draws, and reads sentences as Python reads them."""

from __future__ import annotations

import math
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest

import autogradlab as torch
from autogradlab.inspectors import accumulation, broadcast, what_if
from autogradlab.inspectors.inspector import Inspector
from autogradlab.inspectors.parts import Card, Facts, Note, to_json
from autogradlab.inspectors.prose import clean, runs
from tests.conftest import ROOT
from tests.inspectors.sample_cards import CARDS

sys.path.append(str(ROOT / "tools"))
import lookat

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def page(bare: Any) -> Any:
    return bare


def numbers(d: str | None) -> list[float]:
    return [float(n) for n in NUMBERS.findall(d or "")]


@pytest.mark.parametrize("name", ["step", "ledger", "failed"])
def test_page_and_python_draw_the_same(page: Any, name: str):
    view = Inspector(CARDS[name]())
    lookat.mount(page, view, "light")
    page.keyboard.press("End")
    drawn = page.evaluate("""() => [...document.querySelectorAll('[data-item]')].map(g => [g.dataset.item,
        [...g.children].filter(e => e.tagName !== 'title')
          .map(e => [e.tagName, e.getAttribute('d'), e.textContent])])""")
    written = {g.get("id"): g for g in ET.fromstring(view.svg()).iter(SVG + "g") if g.get("id")}
    assert {item for item, _ in drawn} == set(written)
    for item, shapes in drawn:
        mine = [(e.tag.removeprefix(SVG), numbers(e.get("d")), e.text or "") for e in written[item]]
        theirs = [(tag, numbers(d), text or "") for tag, d, text in shapes if not (tag == "text" and not text)]
        assert [(tag, text) for tag, _, text in theirs] == [(tag, text) for tag, _, text in mine]
        for (_, d, _), (_, other, _) in zip(theirs, mine, strict=True):
            # the line ends where its head begins, and the head is larger where the line is drawn thicker
            assert len(d) == len(other)
            assert d == pytest.approx(other, abs=1.5)


SENTENCES = [
    "plain",
    "`a` and **b c**",
    "x**2 + y**2",
    "**`.grad` is None:** why",
    "`**kwargs`",
    "**中文**加粗，`代码`。",
    "** no **",
    "a ** b ** c",
    "``",
    "**unclosed",
    "f(**kw), g(**kw)",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_page_and_python_read_the_same_marks(page: Any, sentence: str):
    lookat.mount(page, Inspector(Card("show", "t", blocks=(Note(sentence),))), "light")
    read = page.evaluate("""() => [...document.querySelector('.agl-note').childNodes].map(n =>
        [n.textContent, {CODE: 'code', STRONG: 'strong'}[n.tagName] ?? ''])""")
    assert [tuple(r) for r in read] == [tuple(r) for r in runs(sentence)]


def test_every_part_of_a_card_has_a_place_on_the_page(page: Any):
    for name, make in CARDS.items():
        card = make()
        lookat.mount(page, Inspector(card), "dark")
        shown = page.evaluate("() => document.querySelector('.agl').textContent")
        for _ in card.frames:  # what a step says is on the page when it has come
            page.keyboard.press("ArrowRight")
            shown += page.evaluate("() => document.querySelector('.agl').textContent")
        for text in strings(to_json(card)):
            assert clean(text) in shown, (name, text)


def strings(part: Any, key: str = "") -> Iterator[str]:
    """The words of a card that are seen before anything is clicked."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name not in {
                "details",
                "panel",
                "texts",
                "states",
                "heading",
                "words",
                "folds",
                "label",
                "find",
                "id",
                "is",
                "slot",
                "tone",
                "tones",
                "kind",
                "lang",
                "anchor",
            }:
                yield from strings(value, name)
    elif isinstance(part, list):
        for value in part:
            yield from strings(value, key)
    elif isinstance(part, str):
        yield (
            "".join(run.text for run in runs(part))
            if key not in {"rows", "text"}
            else part.replace("`", "").replace("**", "")
        )


def test_two_views_and_a_narrow_page(page: Any):
    page.set_viewport_size({"width": 420, "height": 900})
    lookat.mount(page, Inspector(CARDS["step"]()), "light")
    wide = page.evaluate(
        "() => [document.documentElement.scrollWidth, document.querySelector('.agl-card').offsetWidth]"
    )
    page.set_viewport_size({"width": 1100, "height": 900})
    assert max(wide) <= 420


@pytest.mark.parametrize(
    ("lang", "title", "said"),
    [
        ("en", "Why `w.grad`?", "Why w.grad? It is the sum of two backwards."),
        ("en", "Graph of `y`", "Graph of y. It is the sum of two backwards."),
        ("zh", "`w.grad` 为什么是这样？", "w.grad 为什么是这样？It is the sum of two backwards."),
    ],
)
def test_a_question_is_announced_as_one(page: Any, lang: str, title: str, said: str) -> None:
    card = Card("why", title, blocks=(Note("It is the sum of two backwards."),), lang=lang)
    lookat.mount(page, Inspector(card), "light")
    page.wait_for_function("() => document.querySelector('.agl-live').textContent")
    assert page.locator(".agl-live").text_content() == said


def test_values_of_facts_stand_in_one_column_and_notes_apart(page: Any):
    """However long the label of one row is; and the notes that a step ends with do not touch."""
    facts = Facts((("the last backward that ran", "loss.backward()"), ("at", "line 3")))
    card = Card("why", "t", blocks=(facts, Note("x")), frames=())
    lookat.mount(page, Inspector(card), "light")
    lefts = page.evaluate(
        "() => [...document.querySelectorAll('.agl-facts dd')].map(d => d.getBoundingClientRect().left)"
    )
    assert len(lefts) == 2 and lefts[0] == lefts[1]
    lookat.mount(page, broadcast((2, 3), (2,)), "light")
    page.keyboard.press("End")
    boxes = page.evaluate(
        "() => [...document.querySelectorAll('.agl-worked .agl-note')].map(n => n.getBoundingClientRect())"
        ".map(r => [r.top, r.bottom])"
    )
    assert len(boxes) == 2 and boxes[1][0] - boxes[0][1] >= 6


CUT = """() => [...document.querySelectorAll('.agl-card :is(.agl-frame, .agl-scroll)')]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 60))"""


@pytest.mark.parametrize("width", [700, 1280])
@pytest.mark.parametrize("scale", [[1.0], [1e5], [math.inf, math.nan, 0.0, math.nan, math.inf], []])
def test_a_ledger_is_seen_whole(page: Any, width: int, scale: list[float]) -> None:
    """Its bars, and where each entry came from."""
    w = torch.ones(len(scale), requires_grad=True)
    ledger = accumulation(w)
    for _ in range(4):
        (w * torch.tensor(scale)).sum().backward()
    page.set_viewport_size({"width": width, "height": 600})
    lookat.mount(page, Inspector(ledger.make()), "light")
    assert page.evaluate(CUT) == []
    assert page.evaluate("() => document.querySelectorAll('.agl-card svg').length > 0") is bool(scale)
    ledger.close()


def test_a_long_name_leaves_room_for_what_becomes_of_a_leaf(page: Any) -> None:
    the_weight_of_the_second_layer_of_the_decoder_of_a_model_with_a_long_name = torch.ones(2, requires_grad=True)
    b = torch.ones(2, requires_grad=True)
    y = (the_weight_of_the_second_layer_of_the_decoder_of_a_model_with_a_long_name * b).sum()
    page.set_viewport_size({"width": 700, "height": 600})
    lookat.mount(page, what_if(y, frozen=b), "dark")
    assert page.evaluate(CUT) == []
