"""The stepper on a page of a class projector: what runs is in view, every frame has numbers, nothing is told too
early."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.browser.labdrive import axe
from tests.conftest import ROOT, need

sys.path.append(str(ROOT / "tools"))
import lookat

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.turns(3, 2)]

NARROW, PROJECTOR = 700, 960


@pytest.fixture(scope="module")
def cards() -> dict[str, Any]:
    need("IPython")
    need("anywidget")
    command = [sys.executable, "-m", "tests.browser.programs"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(ran.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def page(bare: Any) -> Any:
    return bare


@pytest.fixture
def shown(page: Any, cards: dict[str, Any]) -> Any:
    """Shows a program's card on a page of a width, without motion unless it is asked for."""

    def show(name: str, width: int = PROJECTOR, theme: str = "light", motion: str = "reduce", height: int = 500) -> Any:
        page.emulate_media(reduced_motion=motion)
        page.set_viewport_size({"width": width, "height": height})
        lookat.mount_packed(page, cards[name]["card"], theme)
        page.evaluate("() => { document.body.style.margin = 0; document.querySelector('.agl').style.margin = 0; }")
        page.wait_for_timeout(60)  # sizes are known
        return page.locator(".agl-card")

    return show


def last(card: Any) -> int:
    return int(card.locator(".agl-range").get_attribute("max"))


#: frames in which something that runs is not wholly in the window of the picture
OUT = """() => {
  const card = document.querySelector('.agl-card'), lost = [];
  const last = Number(card.querySelector('.agl-range').max);
  for (let at = 0; at <= last; at += 1) {
    const picture = card.querySelector('.agl-graph:not([hidden]) .agl-drawing:not([hidden]) .agl-svg');
    const runs = [...picture.querySelectorAll('[data-state="active"], [data-state="failed"]')]
      .filter(g => g.querySelector('.agl-box'));
    const nodes = runs.filter(g => /^[nk]/.test(g.dataset.item)), wanted = nodes.length ? nodes : runs;
    const room = picture.getBoundingClientRect();
    const seen = g => {
      const b = g.querySelector('.agl-box').getBoundingClientRect();
      return b.left >= room.left - 1 && b.right <= room.right + 1
        && b.top >= room.top - 1 && b.bottom <= room.bottom + 1;
    };
    if (wanted.length ? !wanted.some(seen) || (nodes.length && !nodes.every(seen)) : at > 0 && at < last) lost.push(at);
    card.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  }
  return lost;
}"""


@pytest.mark.parametrize("whole", [False, True], ids=["folded", "whole"])
@pytest.mark.parametrize("name", ["rnn", "attention", "chain", "mlp"])
def test_what_runs_is_in_view_in_every_frame_of_the_graph(shown: Any, page: Any, name: str, whole: bool):
    card = shown(name, NARROW)
    page.keyboard.press("g")
    if whole and card.locator("[data-do=whole]").count():
        page.keyboard.press("f")
    assert card.locator(".agl-graph").is_visible()
    assert page.evaluate(OUT) == []
    smallest = """() => { const svg = document.querySelector('.agl-drawing:not([hidden]) .agl-svg');
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return Math.min(...[...svg.querySelectorAll('.agl-item text')]
          .filter(t => t.textContent).map(t => scale * t.getAttribute('font-size'))); }"""
    assert page.evaluate(smallest) >= 12


@pytest.mark.parametrize(
    ("name", "width", "height"),
    [
        ("named", NARROW, 820),
        ("named", PROJECTOR, 500),
        ("named", 1280, 820),
        ("forked", NARROW, 820),
        ("forked", PROJECTOR, 500),
        ("forked", 1280, 820),
    ],
)
def test_a_short_graph_whose_values_all_have_names_is_seen_whole(
    shown: Any, page: Any, name: str, width: int, height: int
):
    """Six or seven Nodes are more than two thousand pixels in one row. They stand in several, closer together and
    level if need be, and where that is not enough, results are named in their Nodes: nothing has to be moved into view,
    every word can be read, and so can the numbers."""
    card = shown(name, width, height=height)
    page.keyboard.press("g")
    short = (name, width) == ("forked", PROJECTOR)
    assert ("exp → p" in card.locator(".agl-drawing:not([hidden])").inner_text()) == short
    outside = """() => { const svg = document.querySelector('.agl-drawing:not([hidden]) .agl-svg');
        const room = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('.agl-item :is(.agl-box, text)')]
          .filter(e => e.tagName !== 'text' || e.textContent).map(e => [e, e.getBoundingClientRect()])
          .filter(([, b]) => b.left < room.left - 1 || b.right > room.right + 1
            || b.top < room.top - 2 || b.bottom > room.bottom + 2)
          .map(([e]) => e.parentElement.dataset.item); }"""
    scale = """() => { const svg = document.querySelector('.agl-drawing:not([hidden]) .agl-svg');
        const box = svg.getBoundingClientRect();
        return Math.min(box.width / svg.viewBox.baseVal.width, box.height / svg.viewBox.baseVal.height); }"""
    for _ in range(last(card) + 1):
        assert page.evaluate(outside) == []
        assert 13 * page.evaluate(scale) >= 12
        below = page.evaluate("() => (n => n.scrollHeight - n.clientHeight)(document.querySelector('.agl-beside'))")
        assert below <= 1
        page.keyboard.press("ArrowRight")
    assert card.bounding_box()["height"] <= height
    if short:  # who wants to see the whole graph sees it, on any page
        page.keyboard.press("f")
        assert "(2,)" in card.locator(".agl-drawing:not([hidden])").inner_text()
        page.set_viewport_size({"width": PROJECTOR - 1, "height": height})
        page.wait_for_timeout(100)
        assert "exp → p" not in card.locator(".agl-drawing:not([hidden])").inner_text()


#: frames in which no line that runs is wholly in the window of the code; lines come into sight with a picture
UNLIT = """async () => {
  const card = document.querySelector('.agl-card'), lost = [];
  const last = Number(card.querySelector('.agl-range').max);
  for (let at = 0; at <= last; at += 1) {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const room = document.querySelector('.agl-code').getBoundingClientRect();
    const lit = [...document.querySelectorAll('.agl-lines tr[data-state=active]')].map(r => r.getBoundingClientRect());
    const hidden = !lit.length || lit.some(b => b.top < room.top - 1 || b.bottom > room.bottom + 1);
    if (hidden && at > 0 && at < last) lost.push(at);
    card.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  }
  return lost;
}"""


@pytest.mark.parametrize("name", ["rnn", "attention", "chain", "mlp", "first"])
def test_the_line_that_runs_is_in_view_in_every_frame(shown: Any, page: Any, name: str):
    shown(name, NARROW)
    assert page.evaluate(UNLIT) == []


@pytest.mark.parametrize("name", ["mlp", "attention", "rnn"])
def test_every_frame_shows_numbers(shown: Any, page: Any, name: str):
    card = shown(name)
    without = []
    for at in range(1, last(card) + 1):
        page.keyboard.press("ArrowRight")
        numbers = card.locator(".agl-worked td").count()
        if not numbers or not any(c.isdigit() for c in card.locator(".agl-say").inner_text()):
            without.append(at)
    assert [at for at in without if at != last(card)] == []


@pytest.mark.parametrize("name", ["first", "mlp", "rnn", "attention", "chain", "custom", "nan", "double"])
def test_it_fits_a_projector_and_a_narrow_page(shown: Any, page: Any, name: str):
    for width in (PROJECTOR, NARROW):
        card = shown(name, width)
        tall = []
        for _ in range(min(last(card), 12) + 1):
            size = card.bounding_box()
            tall.append(size["height"])
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width
            page.keyboard.press("ArrowRight")
        assert max(tall) <= (500 if width == PROJECTOR else 560), (width, tall)
    small = """() => [...document.querySelectorAll('.agl-card *')]
        .filter(e => !e.closest('svg, .agl-live') && e.offsetWidth)
        .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
        .filter(e => parseFloat(getComputedStyle(e).fontSize) < 13)
        .map(e => e.className + ': ' + e.textContent.slice(0, 30))"""
    assert page.evaluate(small) == []
    talk = page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('.agl-say')).fontSize)")
    assert 18 <= talk <= 20


@pytest.mark.parametrize("width", [640, 480, 320], ids=["200 %", "267 %", "400 %"])
@pytest.mark.parametrize("name", ["first", "mlp", "rnn"])
def test_a_page_zoomed_in_is_whole(shown: Any, page: Any, name: str, width: int):
    """A page of 1280 pixels at 200 % is one of 640: nothing runs out of it, and every control is there."""
    card = shown(name, width)
    for key in ("ArrowRight", "ArrowRight", "g", "ArrowRight", "p"):
        page.keyboard.press(key)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, key
        lost = """() => [...document.querySelectorAll('.agl-controls :is(button, input), .agl-say, .agl-foot summary')]
            .filter(e => e.getClientRects().length).map(e => [e.textContent, e.getBoundingClientRect()])
            .filter(([, b]) => b.right > window.innerWidth + 1 || b.left < -1 || b.width < 8).map(([text]) => text)"""
        assert page.evaluate(lost) == [], key
    assert card.is_visible()


def test_what_runs_is_told_without_colour(shown: Any, page: Any):
    """What runs, Nodes and edges, is drawn at least half as thick again as what is done."""
    card = shown("first")
    page.keyboard.press("g")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    widths = page.evaluate("""() => Object.fromEntries(['active', 'done'].flatMap(state => ['box', 'line'].map(part =>
        [`${state} ${part}`, [...document.querySelectorAll(`.agl-item[data-state="${state}"] .agl-${part}`)]
          .map(e => parseFloat(getComputedStyle(e).strokeWidth))])))""")
    for part in ("box", "line"):
        assert min(widths[f"active {part}"]) >= 1.5 * max(widths[f"done {part}"]), widths
    page.keyboard.press("g")
    signs = card.locator(".agl-lines tr").evaluate_all(
        "all => all.map(r => getComputedStyle(r.querySelector('.agl-ln'), '::after').content)"
    )
    assert {'"◂"', '"✓"'} <= set(signs)
    named = "all => all.map(r => r.getAttribute('aria-label'))"
    said = card.locator(".agl-lines tr[data-row]").evaluate_all(named)
    assert "line 4, b = torch.add(w, 1), value 2., ∂y/∂b 2., runs now" in said
    assert "line 5, y = torch.mul(a, b), value 4., ∂y/∂y 1., has run" in said


def test_nothing_is_green_after_a_nan_and_lines_that_wrap_anew_stay_in_view(shown: Any, page: Any):
    def colours(at: str) -> set[str]:
        page.keyboard.press(at)
        done = card.locator(".agl-lines tr[data-state=done] .agl-ln")
        return set(done.evaluate_all("all => all.map(e => getComputedStyle(e, '::after').color)"))

    card = shown("first")
    green = colours("End")
    assert len(green) == 1
    card = shown("nan")
    assert green.isdisjoint(colours("End"))
    card = shown("rnn", 1280)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.set_viewport_size({"width": NARROW, "height": 500})
    page.wait_for_timeout(200)
    room = page.locator(".agl-code").bounding_box()
    row = card.locator(".agl-lines tr[data-state=active]").first.bounding_box()
    assert room["y"] <= row["y"]
    assert row["y"] + row["height"] <= room["y"] + room["height"] + 1


def test_the_end_stays_where_the_last_gradient_went(shown: Any, page: Any):
    card = shown("first", NARROW)
    page.keyboard.press("g")
    page.keyboard.press("End")
    seen = """() => {
        const room = document.querySelector('.agl-svg').getBoundingClientRect();
        const leaves = [...document.querySelectorAll('[data-item^=v]')].filter(g => g.textContent.includes('.grad'));
        const boxes = leaves.map(g => g.querySelector('.agl-box').getBoundingClientRect());
        return boxes.some(b => b.left >= room.left && b.right <= room.right);
    }"""
    page.keyboard.press("Home")
    for _ in range(last(card)):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(40)
    assert page.evaluate(seen)


@pytest.mark.parametrize("view", ["code", "graph"])
def test_what_has_not_run_is_not_on_the_page(shown: Any, page: Any, cards: dict[str, Any], view: str):
    card = shown("first")
    if view == "graph":
        page.keyboard.press("g")
    card.get_by_text("more", exact=True).click()
    for at in range(last(card) + 1):
        text = page.evaluate("() => document.querySelector('.agl').textContent")
        attributes = page.evaluate("() => document.querySelector('.agl').innerHTML")
        for later in range(at + 1, last(card) + 1):
            for sentence in (cards["first"]["frames"][later], plain(cards["first"]["said"][later])):
                assert not sentence or (sentence not in text and sentence not in attributes), (at, later)
        page.keyboard.press("ArrowRight")


def plain(sentence: str) -> str:
    return sentence.replace("**", "").replace("`", "")


def test_predicting_inside_the_step(shown: Any, page: Any):
    card = shown("first")
    step = card.locator(".agl-do-step")
    step.click()
    page.keyboard.press("p")
    assert card.get_by_role("switch").get_attribute("aria-checked") == "true"
    step.click()
    ask = card.locator(".agl-ask")
    assert "runs next" in ask.inner_text()
    assert card.get_attribute("data-at") == "1"
    card.locator("tr", has_text="b = torch.add(w, 1)").click()  # wrong: line 5 runs first
    assert "What goes on to a?" in ask.inner_text()
    assert "It is MulBackward0." in ask.inner_text()
    ask.get_by_role("textbox").fill("2")
    page.keyboard.press("Enter")
    assert card.get_attribute("data-at") == "2"
    assert card.locator(".agl-verdict").all_inner_texts() == ["✗ it is MulBackward0", "✓ 2"]
    step.click()
    card.locator("tr", has_text="b = torch.add(w, 1)").click()
    ask.get_by_role("button", name="2", exact=True).click()  # 2. × 1 goes on, not 2. × 2
    assert card.locator(".agl-verdict").all_inner_texts() == ["✓", "✗ 2 · it is [2.]"]
    assert card.get_by_role("switch").inner_text() == "predict 2/4"
    step.click()
    ask.get_by_role("button", name="show it").click()
    assert (card.get_attribute("data-at"), card.locator(".agl-verdict").count()) == ("4", 0)
    page.keyboard.press("ArrowLeft")
    assert card.locator(".agl-verdict").count() == 2, "answers are kept"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "w.grad" in ask.inner_text()
    page.keyboard.type("6.0")
    page.keyboard.press("Enter")
    assert card.locator(".agl-verdict").all_inner_texts() == ["✓ 6.0"]


def test_a_product_lights_what_an_element_was_made_of(shown: Any, page: Any):
    card = shown("rnn")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    product = card.locator(".agl-product")
    assert product.locator("figcaption").all_inner_texts() == ["g", "Wᵀ", "to h, t = 3"]
    product.locator("table").nth(2).locator("td").nth(4).hover()
    lit = [product.locator("table").nth(k).locator(".agl-lit").count() for k in range(3)]
    assert lit == [3, 3, 1]
    spelled = product.locator(".agl-spelled").inner_text()
    left, _, right = spelled.partition(" = ")
    total = sum(float(a) * float(b) for a, b in (term.split("·") for term in left.split(" + ")))
    assert total == pytest.approx(float(right), abs=1e-3)
    product.locator("table").nth(2).locator("td").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.dataset.at") == "1 0"
    assert card.get_attribute("data-at") == "6"


def test_where_nan_begins_it_is_what_is_worked_out(shown: Any, page: Any):
    card = shown("nan")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "NaN appears here first" in card.locator(".agl-say").inner_text()
    assert card.locator(".agl-worked [aria-pressed=true]").inner_text() == "to x"
    assert card.locator(".agl-worked .agl-spelled").inner_text().endswith("nan")


def test_the_formula_can_be_read(shown: Any, page: Any):
    card = shown("rnn")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    card.get_by_text("read the formula").click()
    source = card.locator(".agl-source")
    assert source.locator(".agl-place").inner_text() == "autogradlab/ops/first/products.py"
    assert source.locator("code").inner_text().startswith("lambda F, grad, ")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    card.locator(".agl-source[open]").wait_for(timeout=5_000)  # it stays open from step to step
    assert card.locator(".agl-source[open]").count() == 1


def hits(card: Any, where: str) -> list[str]:
    """What a search marks in the lines or in the graph."""
    if where == "code":
        return list(card.locator("tr.agl-hit .agl-text").all_inner_texts())
    return list(
        card.locator(".agl-drawing:not([hidden]) .agl-item.agl-hit").evaluate_all("all => all.map(g => g.dataset.item)")
    )


def test_search_finds_lines_modules_and_nan(shown: Any, page: Any):
    card = shown("mlp")
    box = card.locator(".agl-lines .agl-search")
    box.fill("line 8")
    assert hits(card, "code") == ["h = torch.relu(self.fc1(x))", "fc1"]
    box.fill("line 1")
    assert "pred = net(x)" not in " ".join(hits(card, "code")), "line 12 is not line 1"
    box.fill("fc1")
    assert {"h = torch.relu(self.fc1(x))", "fc1"} <= set(hits(card, "code"))
    lit = card.locator("tr.agl-hit").first.bounding_box()
    room = card.locator(".agl-code").bounding_box()
    assert room["y"] <= lit["y"] <= room["y"] + room["height"], "what is found is in sight"
    page.keyboard.press("Escape")
    assert hits(card, "code") == []
    assert card.get_attribute("data-at") == "0", "keys of the box are the box's"
    card.focus()
    page.keyboard.press("g")
    page.keyboard.press("f")
    box = card.locator(".agl-foot .agl-tools:not([hidden]) .agl-search")
    for sought in ("fc2", "line 9"):
        box.fill(sought)
        assert any(item.startswith("n") for item in hits(card, "graph")), sought
    card = shown("nan")
    page.keyboard.press("g")
    box = card.locator(".agl-foot .agl-tools:not([hidden]) .agl-search")
    box.fill("nan")
    before = len(hits(card, "graph"))
    assert before >= 1
    card.focus()
    page.keyboard.press("End")
    box.fill("na")
    box.fill("nan")
    assert len(hits(card, "graph")) > before, "gradients count when they are there"


@pytest.mark.parametrize("view", ["code", "graph"])
def test_a_card_is_copied_as_words_and_pictures(shown: Any, page: Any, view: str, tmp_path: Any):
    import xml.etree.ElementTree as ET

    card = shown("rnn")
    for key in [*(["g"] if view == "graph" else []), *["ArrowRight"] * 4]:
        page.keyboard.press(key)
    card.get_by_text("more", exact=True).click()
    made = {}
    for kind in ("svg", "png", "txt"):  # a page without a clipboard of its own gets files
        with page.expect_download() as found:
            card.locator(f"[data-copy={kind}]").click()
        made[kind] = tmp_path / found.value.suggested_filename
        found.value.save_as(made[kind])
    assert made["png"].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert made["png"].stat().st_size > 20_000
    picture = ET.parse(made["svg"]).getroot()
    inside = "".join(picture.itertext())
    assert ("foreignObject" in made["svg"].read_text(encoding="utf-8")) is (view == "code")
    assert ("tanh" in inside) and "var(--" not in made["svg"].read_text(encoding="utf-8")
    if view == "graph":  # in rows, it is as high as these
        beyond = """text => { const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
            document.body.append(svg);
            const { x, y, width, height } = svg.getBBox(), room = svg.viewBox.baseVal;
            svg.remove();
            return [x + 1, y + 1, room.width - x - width + 1, room.height - y - height + 1].filter(v => v < 0); }"""
        assert page.evaluate(beyond, made["svg"].read_text(encoding="utf-8")) == []
    told = made["txt"].read_text(encoding="utf-8").splitlines()
    assert told[0] == "y.backward()"
    assert any("h = torch.tanh(xs[t] @ U + h @ W)" in line for line in told)
    assert [line.split(".")[0] for line in told if line[:1].isdigit()] == ["0", "1", "2", "3", "4"], (
        "nothing of later steps"
    )


def test_signs_are_told_apart_without_colour(shown: Any, page: Any):
    card = shown("rnn")
    thumb = card.locator(".agl-v .agl-thumb").first
    assert thumb.locator("rect.agl-plus").count() > 0
    assert thumb.locator("circle.agl-minus").count() > 0
    card.locator(".agl-v .agl-tensor").first.focus()
    assert card.locator(".agl-tip td").count() == 9


def test_a_key_is_quick_in_a_long_chain(shown: Any, page: Any):
    """Milliseconds of processor time that a key takes the page's thread: scripts, styles, layout and painting. What
    else the machine does meanwhile is not counted."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"]) * 1000

    for view in ("", "g", "g f"):  # the code, the folded graph, all of it
        shown("chain", motion="no-preference")
        for key in view.split():
            page.keyboard.press(key)
        took = []
        for _ in range(60):
            before = spent()
            page.evaluate("""async () => {
                const card = document.querySelector('.agl-card');
                card.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
                for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
            }""")
            took.append(spent() - before)
        took.sort()
        assert took[0] > 0
        assert took[30] <= 50, (view, took)
        assert took[57] <= 120, (view, took)
    devtools.detach()


def test_of_a_large_graph_only_what_is_near_the_window_is_laid_out(shown: Any, page: Any, tmp_path: Any):
    """It costs no more than a small one; keys, search and copies reach all of it."""
    card = shown("chain")
    page.keyboard.press("g")
    page.keyboard.press("f")
    there = """() => [...document.querySelectorAll('.agl-drawing:not([hidden]) .agl-svg .agl-item')]
        .filter(g => [...g.children].some(e => e.getClientRects().length)).map(g => g.dataset.item)"""
    all_items = card.locator(".agl-drawing:not([hidden]) .agl-svg .agl-item").count()
    assert all_items > 900
    box = card.locator(".agl-foot .agl-tools:not([hidden]) .agl-search")
    box.fill("w =")
    seen = page.evaluate(there)
    hit = "() => document.querySelector('.agl-drawing:not([hidden]) .agl-hit').dataset.item"
    assert page.evaluate(hit) in seen
    page.keyboard.press("Enter")
    focused = "() => document.activeElement.dataset.item"
    assert page.evaluate(focused) == page.evaluate(hit)
    for _ in range(12):  # from Node to Node, farther than the window
        page.keyboard.press("ArrowRight")
        assert page.evaluate(focused) in page.evaluate(there)
    card.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        assert 3 < len(page.evaluate(there)) < 80
    card.get_by_text("more", exact=True).click()
    with page.expect_download() as found:
        card.locator("[data-copy=svg]").click()
    found.value.save_as(tmp_path / "chain.svg")
    assert (tmp_path / "chain.svg").read_text(encoding="utf-8").count("<text") > 1_200
    assert len(page.evaluate(there)) < 80


def calls(devtools: Any) -> int:
    """How many functions of scripts were called since this was asked last."""
    scripts = devtools.send("Profiler.takePreciseCoverage")["result"]
    return sum(function["ranges"][0]["count"] for script in scripts for function in script["functions"])


#: calls of functions in a step: a chain of 300 Nodes takes some 3,150, most of them one for each row or item
MOST_CALLS = 4000


@pytest.mark.parametrize("keys", ["", "g", "g f"])
@pytest.mark.parametrize("name", ["chain", "forked"])
def test_a_step_does_no_more_than_it_did(shown: Any, page: Any, name: str, keys: str):
    """What a step of a large graph calls, and of one whose rows are sought again and again where nothing keeps them.
    It says the same on any machine, however busy."""
    shown(name)
    for key in keys.split():
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Profiler.enable")
    devtools.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
    steps = []
    for _ in range(9):
        page.keyboard.press("ArrowRight")
        page.evaluate("() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
        steps.append(calls(devtools))
    devtools.detach()
    assert 0 < max(steps[1:]) < MOST_CALLS, steps  # what is found once is found by the first


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", ["code", "graph", "ask"])
def test_axe_finds_nothing(shown: Any, page: Any, theme: str, view: str):
    need("axe_playwright_python")
    for name in ("first", "rnn", "nan"):
        card = shown(name, theme=theme)
        for key in {"code": [], "graph": ["g"], "ask": ["p"]}[view] + ["ArrowRight"] * 6:
            page.keyboard.press(key)
        assert axe(page, ".agl") == []
        assert card.is_visible()
