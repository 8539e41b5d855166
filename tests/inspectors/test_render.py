"""Text, SVG and HTML of cards written by hand: well-formed, escaped, the same every time,
and with everything in them."""

from __future__ import annotations

import doctest
import importlib
import re
import time
import xml.etree.ElementTree as ET
import zlib
from base64 import b64decode
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors import theme
from autogradlab.inspectors.inspector import Inspector
from autogradlab.inspectors.parts import Card
from autogradlab.inspectors.prose import clean, plain
from autogradlab.inspectors.stored import packed
from tests.inspectors import sample_cards
from tests.inspectors.sample_cards import CARDS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=CARDS, ids=str)
def view(request: pytest.FixtureRequest) -> Inspector:
    return Inspector(CARDS[request.param]())


def frames(view: Inspector) -> list[int | None]:
    return [None, *range(len(view.card.frames))]


def test_svg_is_well_formed_and_has_unique_ids(view: Inspector):
    for frame in frames(view):
        for dark in (False, True):
            root = ET.fromstring(view.svg(frame, dark))
            assert root.tag == SVG + "svg"
            assert root.get("role") == "img"
            assert root.get("aria-label")
            ids = [e.get("id") for e in root.iter() if e.get("id")]
            assert len(ids) == len(set(ids))
            names = {e.tag.removeprefix(SVG) for e in root.iter()}
            assert names <= {"svg", "title", "g", "rect", "ellipse", "path", "text", "tspan"}
            assert not [e for e in root.iter() if any(name.startswith("on") or name == "style" for name in e.attrib)]
            assert not re.search(r"\b(nan|inf)\b", " ".join(v for e in root.iter() for v in e.attrib.values()))


@pytest.mark.parametrize("make", CARDS.values(), ids=CARDS)
def test_the_same_card_gives_the_same_picture(make: Callable[[], Card]):
    view, again = Inspector(make()), Inspector(make())
    assert (view.text, view.svg(), view.html()) == (again.text, again.svg(), again.html())


class Tags(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_picture_follows_the_readers_system(view: Inspector):
    """Each colour has a rule for dark pages, and what it says is a colour of the dark picture."""
    light, dark, both = view.svg(), view.svg(dark=True), view.svg(dark=None)
    style = re.search(r"<style>@media \(prefers-color-scheme:dark\){(.*)}</style>", both)
    assert style is not None
    assert both.replace(style[0], "") == light
    rules = re.findall(r'\[(fill|stroke)="(#\w{6})"\]{\1:(#\w{6})}', style[1])
    colours = r' (fill|stroke)="(#\w{6})"'
    assert {(name, colour) for name, colour, _ in rules} == set(re.findall(colours, light))
    known = {colour for tone in theme.DARK.tones for colour in (theme.DARK.ink(tone), theme.DARK.line(tone))}
    assert {colour for _, _, colour in rules} <= {colour for _, colour in re.findall(colours, dark)} | known


@pytest.mark.parametrize("turns", [14, 60])  # the second is wider than 9,000 pixels
def test_a_wide_drawing_is_cut_into_strips_through_lines_only(turns: int):
    import autogradlab as torch
    from autogradlab import inspectors as lab

    y = w = torch.tensor([1.0], requires_grad=True)
    for _ in range(turns):
        y = (y * w).tanh()
    for view in (lab.step(y), lab.graph(y)):
        picture = view.svg()
        assert len(picture) < 8_000 * turns  # a line is not drawn whole in each strip that it goes through
        tree = ET.fromstring(picture)
        windows = [[float(n) for n in inner.get("viewBox", "").split()] for inner in tree.iter(f"{SVG}svg")][1:]
        assert len(windows) >= 3
        assert float(tree.get("width", "0")) < 960
        drawn = [b for inner in list(tree.iter(f"{SVG}svg"))[1:] for b in inner.iter(f"{SVG}rect")]
        assert len(drawn) >= 2 * turns
        for box in drawn:
            left, wide = float(box.get("x", "0")), float(box.get("width", "0"))
            inside = [(a, a + b) for a, _, b, _ in windows if a < left + wide and left < a + b]
            assert len(inside) == 1
            assert inside[0][0] <= left < left + wide <= inside[0][1]


def test_only_what_has_happened_is_on_a_picture():
    view = Inspector(sample_cards.step_card())
    for at, frame in enumerate(view.card.frames):
        said = " ".join(ET.fromstring(view.svg(at)).itertext())
        assert plain(frame.sentence).split(" ")[0] in said
        for later in view.card.frames[at + 1 :]:
            assert plain(later.sentence) not in said


def test_html_needs_nothing_from_outside(view: Inspector):
    page = Tags(view.html())
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= {"figure", "img", "p", "details", "summary", "pre", "code", "strong"}
    assert {name for _, attributes in page.tags for name in attributes} <= {"src", "alt", "lang"}
    pictures = [attributes for tag, attributes in page.tags if tag == "img"]
    for picture in pictures:
        assert picture["alt"]
        head, _, data = (picture["src"] or "").partition(",")
        assert head == "data:image/svg+xml;base64"
        ET.fromstring(b64decode(data))
    assert b64decode((pictures[0]["src"] or "").partition(",")[2]).decode() == view.svg(dark=None)
    assert len([tag for tag, _ in page.tags if tag == "details"]) == len(view.card.frames) + 1


def test_hostile_words_are_words():
    view = Inspector(sample_cards.hostile_card())
    for source in (view.svg(), view.html()):
        assert "<img src=x" not in source
        assert "\x00" not in source
    for source in (view.svg(), view.html(), view.text):
        assert "\u202e" not in source
        assert "‹U+202E›" in source
    state = zlib.decompress(b64decode(packed(view.card))).decode()  # what the widget shows as it stands
    assert "\u202e" not in state and "\\u0000" not in state
    assert "‹U+202E›" in state and "<img src=x" in state
    shown = [t for t in ET.fromstring(view.svg()).itertext() if "<img src=x onerror=" in t]
    assert len(shown) > 5


def test_what_hides_in_a_text_is_shown():
    for hidden in "\r\x00\x1b\x7f\x85\x9b\xad\u061c\u200b\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\ufeff":
        assert hidden not in clean(f"a{hidden}b") and len(clean(f"a{hidden}b")) in (3, 10)
    for told in ("变量", "a\tb\r\nc", "\U0001f469\u200d\U0001f52c", "می\u200cخواهم"):
        assert clean(told) == told


def test_a_thousand_nodes():
    view = Inspector(sample_cards.big_card(1000))
    start = time.process_time()
    picture = view.svg()
    assert time.process_time() - start < 1
    assert picture.count("<rect") > 1000
    page = view.html()
    assert len(page) < 1_000_000
    assert page.count("<details>") == 1001


SHOW = """\
`w` · is_leaf ✓ · requires_grad ✓ · grad_fn None
shape        (2, 2)
dtype        float32
stride       (2, 1) contiguous
version      0
storage      own, 16 B
shared with  w_np
values
1.0  2.0
0.0  2.0
grad
 1.   1.
-0.  -0."""


def test_text_of_a_tensor():
    assert Inspector(sample_cards.show_card()).text == SHOW


def test_text_of_a_cube():
    lines = ["`x`", "`x`, values", " [0]   1.   2.", "[10]  30.   4.", "       5.  nan", "2 of 7 slices"]
    assert Inspector(sample_cards.cube_card()).text.splitlines() == lines


def test_text_in_chinese_is_aligned():
    lines = Inspector(sample_cards.chinese_card()).text.splitlines()
    assert lines[0] == "`损失` · 标量 · is_leaf ✗ 非叶子 · requires_grad ✓"
    assert lines[1].startswith("`.grad` 是 None，而且不会变：非叶子张量")
    assert "**" not in lines[1]
    assert lines[2:6] == [
        "形状      (2, 2)",
        "数据类型  float32",
        "由来      (y - y_pred).pow(2).mean()",
        "位置      单元格 [7] 第 3 行",
    ]
    assert lines[6:] == [
        "序号  何时                 钩子",
        "1     `PowBackward0` 之前  `<lambda>`",
        "10    累加之前             翻倍",
    ]


@pytest.mark.parametrize("name", sorted(set(lab.__all__) - {"Inspector", "explain", "language", "set_language"}))
def test_every_inspector_has_an_example_that_prints_what_it_says(name: str) -> None:
    module = importlib.import_module(f"autogradlab.inspectors.cards.{name}")
    told = doctest.NORMALIZE_WHITESPACE
    found = doctest.testmod(module, globs={"__name__": "__main__"}, optionflags=told)  # as a learner's own code
    assert found.attempted >= 3 and found.failed == 0
    assert ">>>" in (getattr(lab, name).__doc__ or "")


@pytest.mark.parametrize("module", ["rendering", "words"])
def test_cards_and_their_language_have_examples(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"autogradlab.inspectors.{module}"), globs={"__name__": "__main__"})
    assert found.attempted >= 4 and found.failed == 0
