"""Every inspector on every program of the browser tests, on pages of several widths: what is written can be read, and
graphs are seen whole."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.browser.programs import CARDS
from tests.browser.stations import stations, try_keys
from tests.conftest import ROOT, need

sys.path.append(str(ROOT / "tools"))
import lookat

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.turns(3, 0)]

NARROW, PROJECTOR = 700, 960
#: in a JupyterLab of 700 pixels a card has this width
IN_LAB = 560
COLUMN = 400

#: the next frame of a step, without a picture of the one before it: what real keys do is tested elsewhere
NEXT = """document.querySelector('.agl-card')
  .dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))"""
#: letters that are too small, and how wide the page is
WRITTEN = """() => {
  const card = document.querySelector('.agl-card'), small = [];
  for (const e of card.querySelectorAll('*')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (!e.checkVisibility() || e.closest('.agl-live, .agl-map')) continue;
    const svg = e.closest('svg'), scale = svg ? e.getScreenCTM().a : 1;
    const size = scale * parseFloat(getComputedStyle(e).fontSize);
    if (size < (svg ? 12 : 13) - 0.05) small.push(`${size.toFixed(1)}: ${e.textContent.slice(0, 20)}`);
  }
  return { small, wide: document.documentElement.scrollWidth };
}"""
#: boxes and texts of drawings that are cut off, and how high the card is
DRAWN = """() => {
  const card = document.querySelector('.agl-card'), cut = [];
  for (const svg of card.querySelectorAll('.agl-svg[data-zoom]')) {
    if (!svg.checkVisibility() || svg.closest('.agl-map')) continue;
    const room = svg.getBoundingClientRect();
    for (const e of svg.querySelectorAll('.agl-item text, .agl-box')) {
      const b = e.getBoundingClientRect();
      if (!b.width || !e.checkVisibility()) continue;
      const sides = b.left < room.left - 1 || b.right > room.right + 1;
      const ends = b.top < room.top - 1 || b.bottom > room.bottom + 1;
      if (sides || ends) cut.push(e.textContent || e.closest('.agl-item').dataset.item);
    }
  }
  for (const frame of card.querySelectorAll('.agl-frame')) {
    if (frame.checkVisibility() && frame.scrollWidth > frame.clientWidth + 1) cut.push(frame.textContent);
  }
  const [numbers, foot] = ['.agl-beside', '.agl-foot'].map(what => card.querySelector(what)?.getBoundingClientRect());
  if (numbers && foot && numbers.bottom > foot.top + 1) cut.push('the numbers run into the foot');
  const outside = b => b.width && (b.bottom > numbers.bottom || b.right > numbers.right);
  const hidden = [...card.querySelectorAll('.agl-beside td')]
    .filter(e => !e.closest('[data-small] .agl-either') && outside(e.getBoundingClientRect()));
  return { cut, height: card.getBoundingClientRect().height, numbers: hidden.map(e => e.textContent) };
}"""

#: what has to be scrolled sideways to be read
SIDEWAYS = """() => [...document.querySelectorAll('.agl-card :is(.agl-scroll, .agl-code)')]
  .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 60))"""
#: of the numbers that are worked out, names that are not seen where they are
UNSEEN = """() => {
  const room = document.querySelector('.agl-beside').getBoundingClientRect();
  return [...document.querySelectorAll('.agl-beside figcaption')]
    .filter(e => e.getBoundingClientRect().bottom > room.bottom).map(e => e.textContent);
}"""


#: the same in every frame of a step, from the one that is shown
EVERY = f"""() => {{
  const drawn = {DRAWN}, seen = [], last = Number(document.querySelector('.agl-card .agl-range').max);
  for (let at = 0; at <= last; at += 1) {{
    seen.push({{ at: document.querySelector('.agl-card').dataset.at, ...drawn() }});
    {NEXT};
  }}
  return seen;
}}"""
#: no margins, and sizes are known: what is told of them comes with a frame
SETTLED = """async () => {
  document.body.style.margin = document.querySelector('.agl').style.margin = 0;
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}"""

#: cells of tables that run into the next one, and drawings that reach out of their frames
CLIPPED = """() => {
  const cells = [...document.querySelectorAll('.agl-card .agl-table td')].filter(e => e.checkVisibility());
  const frames = [...document.querySelectorAll('.agl-card .agl-frame')].filter(e => e.checkVisibility());
  return [...cells, ...frames].filter(e => e.scrollWidth > e.clientWidth + 2).map(e => e.textContent);
}"""

#: how far down the middles of boxes are
MIDDLES = """() => [...document.querySelectorAll('.agl-drawing:not([hidden]) .agl-item .agl-box')]
  .map(e => e.getBoundingClientRect()).filter(b => b.height).map(b => b.top + b.height / 2)"""


def cards_of(*which: str, kind: str = "cards") -> dict[str, Any]:
    need("IPython")
    need("anywidget")
    command = [sys.executable, "-m", "tests.browser.programs", kind, *which]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(ran.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def cards() -> dict[str, Any]:
    return cards_of()


@pytest.fixture(scope="module")
def torch_cards() -> dict[str, Any]:
    need("torch")
    return cards_of("torch", "step")


@pytest.fixture(scope="module")
def hooked() -> dict[str, Any]:
    return cards_of(kind="hooked")


@pytest.fixture(scope="module")
def page(bare: Any) -> Any:
    bare.emulate_media(reduced_motion="reduce")
    return bare


def mount(page: Any, made: dict[str, Any], width: int, keys: str | None = None) -> None:
    if page.viewport_size["width"] != width:
        page.set_viewport_size({"width": width, "height": 900 if width < PROJECTOR else 500})
    lookat.mount_packed(page, made["card"], "light")
    page.evaluate(SETTLED)
    for key in (made["keys"] if keys is None else keys).split():
        page.keyboard.press(key)


def test_all_that_is_written_can_be_read_in_a_narrow_column(page: Any, cards: dict[str, Any]):
    for name, made in cards.items():
        mount(page, made, COLUMN)
        assert page.evaluate(WRITTEN) == {"small": [], "wide": COLUMN}, name


#: what is seen of the frames of a card's graph, by the card and the width of the page
SEEN: dict[tuple[str, int], list[dict[str, Any]]] = {}


def passes(page: Any, made: dict[str, Any], width: int) -> list[dict[str, Any]]:
    """What is seen of the graph of a step in each of its frames; several tests ask it of one."""
    if (made["card"], width) not in SEEN:
        mount(page, made, width, "g")
        SEEN[made["card"], width] = page.evaluate(EVERY)
    return SEEN[made["card"], width]


@pytest.mark.parametrize("width", [PROJECTOR, NARROW])
@pytest.mark.parametrize("program", ["first", "mlp", "rnn", "attention", "double", "custom", "nan"])
def test_the_graph_of_a_step_is_seen_whole(page: Any, cards: dict[str, Any], program: str, width: int):
    for at, seen in enumerate(passes(page, cards[f"{program}-step"], width)):
        assert seen["at"] == str(at)
        assert seen["cut"] == [], at
        assert seen["height"] <= (500 if width == PROJECTOR else NARROW), at


@pytest.mark.parametrize("program", ["first", "mlp", "rnn", "custom"])
def test_it_is_in_a_notebook_that_is_700_pixels_wide(page: Any, cards: dict[str, Any], program: str):
    assert [seen["cut"] for seen in passes(page, cards[f"{program}-step"], IN_LAB) if seen["cut"]] == []


def test_tables_and_code_fit_a_notebook_that_is_700_pixels_wide(page: Any, cards: dict[str, Any]):
    for name, made in cards.items():
        if name.rpartition("-")[2] in {"step", "end", "watch", "storage", "hooks"}:
            mount(page, made, IN_LAB)
            assert page.evaluate(SIDEWAYS) == [], name


@pytest.mark.parametrize("program", ["first", "mlp", "rnn"])
def test_what_is_worked_out_there_is_named_where_it_is_seen(page: Any, cards: dict[str, Any], program: str):
    mount(page, cards[f"{program}-step"], IN_LAB)
    assert page.evaluate(UNSEEN) == []


@pytest.mark.parametrize("width", [NARROW, 860])
@pytest.mark.parametrize("program", ["first", "mlp", "rnn"])
def test_the_numbers_below_a_graph_are_whole(page: Any, cards: dict[str, Any], program: str, width: int):
    assert [seen["numbers"] for seen in passes(page, cards[f"{program}-step"], width) if seen["numbers"]] == []


@pytest.mark.parametrize("width", [NARROW, PROJECTOR, 1130])
@pytest.mark.parametrize("program", ["first", "mlp", "rnn", "attention", "nan"])
def test_the_numbers_beside_code_are_whole(page: Any, cards: dict[str, Any], program: str, width: int):
    mount(page, cards[f"{program}-step"], width, "")
    seen = page.evaluate(EVERY)[:-1]  # at the end the code has the room
    assert [(one["at"], one["numbers"]) for one in seen if one["numbers"]] == []


def test_what_has_no_room_beside_a_result_is_a_picture(page: Any, cards: dict[str, Any]):
    """Its numbers are those of the chosen element, and what a screen reader and a pointer find."""
    mount(page, cards["attention-step"], NARROW)
    factors = page.locator(".agl-either")
    assert [factors.nth(k).locator("svg").is_visible() for k in range(factors.count())] == [True, True]
    assert page.locator(".agl-spelled").inner_text() == "0.0417 · 2 · 0.8243 = 0.0687"
    assert factors.last.locator("rect.agl-lit").count() == 1
    assert factors.last.get_attribute("title").splitlines()[0].startswith("0.8243  4.3968")
    mount(page, cards["mlp-step"], NARROW)
    assert page.locator(".agl-either svg").first.is_hidden()


def test_the_end_shows_gradients_in_numbers(page: Any, cards: dict[str, Any]):
    mount(page, cards["mlp-end"], PROJECTOR + 200)
    names = page.locator(".agl-beside [data-edge]").all_inner_texts()
    assert names == [f"net.fc{k}.{part}.grad" for k in (2, 1) for part in ("bias", "weight")]
    page.locator(".agl-beside [data-edge]").nth(1).click()
    assert page.locator(".agl-beside tr").count() == 2


def test_a_tensor_s_card_ends_where_its_words_end(page: Any, cards: dict[str, Any]):
    """Numbers beside more than one list of facts take the rows that these have, and none more."""
    empty = """() => { const body = document.querySelector('.agl-main');
        return body.getBoundingClientRect().bottom
          - Math.max(...[...body.children].map(e => e.getBoundingClientRect().bottom)); }"""
    for name, made in cards.items():
        if name.endswith(("-show", "-changed")):
            mount(page, made, 1120)
            assert page.evaluate(empty) < 20, name


def test_the_bars_of_a_ledger_are_whole(page: Any, cards: dict[str, Any]):
    for name, made in cards.items():
        if name.endswith("long_accumulation"):
            mount(page, made, IN_LAB)
            frame = page.locator(".agl-frame").first
            assert frame.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), name


@pytest.mark.parametrize("program", ["mlp", "attention"])
def test_at_the_end_long_code_has_the_room_of_the_numbers(page: Any, cards: dict[str, Any], program: str):
    mount(page, cards[f"{program}-end"], IN_LAB)
    code, numbers = page.locator(".agl-code"), page.locator(".agl-beside")
    assert code.bounding_box()["height"] > 250
    assert not numbers.is_visible()
    height = page.locator(".agl-card").bounding_box()["height"]
    page.locator(".agl-code .agl-tensor").last.click()
    page.keyboard.press("ArrowLeft")
    assert numbers.is_visible()
    assert page.locator(".agl-card").bounding_box()["height"] <= height + 100


@pytest.mark.parametrize("program", ["first", "mlp", "double", "custom", "nan"])
def test_pytorch_s_graph_is_seen_whole(page: Any, torch_cards: dict[str, Any], program: str):
    assert [seen["cut"] for seen in passes(page, torch_cards[f"{program}-step"], PROJECTOR) if seen["cut"]] == []


@pytest.mark.parametrize("program", ["first", "mlp", "rnn", "attention", "double", "custom", "nan"])
def test_a_drawn_graph_is_seen_whole(page: Any, cards: dict[str, Any], program: str):
    for kind in ("graph", "what_if"):
        mount(page, cards[f"{program}-{kind}"], PROJECTOR)
        assert page.evaluate(DRAWN)["cut"] == [], kind


@pytest.mark.parametrize("program", ["mlp", "rnn"])
def test_no_box_stands_alone_in_a_row(page: Any, cards: dict[str, Any], program: str) -> None:
    mount(page, cards[f"{program}-graph"], 1060)
    heights = page.evaluate(MIDDLES)
    last = max(heights)
    assert sum(abs(height - last) < 6 for height in heights) >= 2


@pytest.mark.parametrize("kind", ["receipt", "long_receipt"])
@pytest.mark.parametrize("program", ["rnn", "attention", "mlp"])
def test_a_bill_stands_beside_its_numbers_in_a_notebook_on_a_projector(
    page: Any, cards: dict[str, Any], program: str, kind: str
):
    """What a notebook takes on both sides leaves less than the page is wide."""
    mount(page, cards[f"{program}-{kind}"], PROJECTOR - 60)
    seen = page.evaluate(DRAWN)
    assert page.evaluate(WRITTEN) == {"small": [], "wide": PROJECTOR - 60}
    assert (seen["cut"], seen["height"] <= 500) == ([], True)


@pytest.mark.parametrize("program", ["rnn", "mlp", "nan"])
def test_beside_few_columns_of_numbers_it_does_in_jupyterlab_s_own_window(
    page: Any, cards: dict[str, Any], program: str
):
    """Of 1280 pixels JupyterLab's side bar leaves a card 848."""
    mount(page, cards[f"{program}-receipt"], 848)
    numbers, bill = (
        page.locator(f".agl-in-receipt {part}").first.bounding_box() for part in (".agl-grid", ".agl-svg:visible")
    )
    assert numbers["x"] + numbers["width"] < bill["x"] and bill["y"] < numbers["y"] + numbers["height"]
    assert page.evaluate(WRITTEN) == {"small": [], "wide": 848}
    assert page.evaluate(DRAWN)["cut"] == []


@pytest.mark.parametrize(("width", "height"), [(PROJECTOR, 500), (NARROW, NARROW)])
def test_every_card_fits_a_projector_and_a_narrow_page(page: Any, cards: dict[str, Any], width: int, height: int):
    for name, made in cards.items():
        mount(page, made, width)
        assert page.evaluate(WRITTEN) == {"small": [], "wide": width}, name
        seen = page.evaluate(DRAWN)
        assert (seen["cut"], seen["height"] <= height) == ([], True), name


@pytest.mark.parametrize(("width", "height"), [(PROJECTOR, 500), (NARROW, NARROW)])
def test_cards_of_hooks_that_fired_often_fit_too(page: Any, hooked: dict[str, Any], width: int, height: int):
    for name, made in hooked.items():
        mount(page, made, width)
        assert page.evaluate(WRITTEN) == {"small": [], "wide": width}, name
        assert page.evaluate("() => document.querySelector('.agl-card').offsetHeight") <= height, name
        assert page.evaluate(CLIPPED) == [], name


def test_what_a_step_added_has_as_many_columns_as_there_is_room_for(page: Any, cards: dict[str, Any]):
    shown = """() => {
      const grids = [...document.querySelectorAll('.agl-sum .agl-grid')];
      const columns = [...grids.at(-1).querySelectorAll('tr:first-child td')].filter(e => e.checkVisibility()).length;
      const [first, last] = [grids[0], grids.at(-1)].map(e => e.getBoundingClientRect());
      return [columns, last.top < first.bottom - 4];
    }"""
    found = []
    for width in (1130, IN_LAB, COLUMN, PROJECTOR - 130):
        mount(page, cards["attention-training"], width)
        found.append(page.evaluate(shown))
    assert found == [[4, True], [3, True], [2, True], [4, False]]


@pytest.mark.parametrize(
    ("program", "said"),
    [("rnn", "The shape is (3, 3)."), ("attention", "The first numbers; the shape is (6, 6).")],
)
def test_numbers_are_called_the_first_where_there_are_more(page: Any, cards: dict[str, Any], program: str, said: str):
    mount(page, cards[f"{program}-training"], 1130)
    assert page.locator(".agl-sum .agl-shape").text_content() == said


def test_the_cursor_of_a_training_crosses_no_words(page: Any, cards: dict[str, Any]):
    mount(page, cards["rnn-training"], PROJECTOR)
    crossed = """() => {
      const all = what => document.querySelectorAll(`.agl-timeline [data-item=${what}`);
      const at = what => [...all(what)].map(e => e.getBoundingClientRect());
      const [words] = at('caption] text');
      return at('cursor] path').filter(r => r.bottom > words.top && r.top < words.bottom).length;
    }"""
    for _ in range(6):
        assert page.evaluate(crossed) == 0
        page.keyboard.press("ArrowRight")


def test_a_folded_graph_unfolds(page: Any, cards: dict[str, Any]):
    mount(page, cards["mlp-graph"], PROJECTOR)
    drawn = "() => [...document.querySelectorAll('.agl-drawing:not([hidden]) .agl-item')].map(g => g.dataset.item)"
    folded = page.evaluate(drawn)
    assert {"k1", "k2"} <= set(folded)
    page.keyboard.press("f")
    whole = page.evaluate(drawn)
    assert len(whole) > len(folded)
    assert not any(item.startswith("k") for item in whole)
    page.get_by_role("button", name="⊟ fold (f)").click()
    assert page.evaluate(drawn) == folded


@pytest.mark.parametrize("name", ["first-drawn", "nan-drawn", "mlp-graph", "nan-what_if", "nan-storage"])
def test_pagedown_comes_to_every_shape(page: Any, cards: dict[str, Any], name: str):
    """Arrow keys go to what is nearest on their side, and an edge between boxes may be nearest to none."""
    mount(page, cards[name], PROJECTOR)
    shown = "e => e.checkVisibility() && !e.closest('.agl-drawing[hidden]')"
    shapes = page.evaluate(f"() => [...document.querySelectorAll('.agl-item[tabindex]')].filter({shown}).length")
    page.evaluate(f"() => [...document.querySelectorAll('.agl-item[tabindex=\"0\"]')].find({shown}).focus()")
    for _ in range(shapes):
        page.keyboard.press("PageUp")
    seen = []
    for _ in range(shapes):
        seen.append(page.evaluate("() => document.activeElement.dataset.item"))
        page.keyboard.press("PageDown")
    assert len(set(seen)) == shapes > 2
    page.keyboard.press("PageUp")
    assert page.evaluate("() => document.activeElement.dataset.item") == seen[-2]


def test_keys_reach_the_shapes_of_a_folded_graph(page: Any, cards: dict[str, Any]):
    """Tab comes to one of them, arrows go on, Enter opens what is in it, Escape comes back."""
    mount(page, cards["mlp-graph"], PROJECTOR)
    at = "() => document.activeElement.closest('.agl-drawing:not([hidden]) .agl-item')?.dataset.item ?? null"
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate(at):
            break
    seen = [page.evaluate(at)]
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        seen.append(page.evaluate(at))
    assert {"k2", "n2"} <= set(seen), seen
    while page.evaluate(at) != "k2":
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert "Nodes in it\nTBackward0, AddmmBackward0" in page.locator(".agl-details").inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate(at) == "k2"


#: words that run out of their cells, and what a script wrote where there was nothing
RUN_OUT = """() => {
  const which = '.agl-card :is(.agl-table td, .agl-note, .agl-facts dd, .agl-heading, .agl-code)';
  const cells = [...document.querySelectorAll(which)];
  const wide = cells.filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1);
  const tabs = [...document.querySelectorAll('.agl-worked button[data-edge]')];
  return {
    wide: wide.map(e => e.textContent.slice(0, 60)),
    begun: tabs.every(e => e.title && e.scrollLeft === 0),
    odd: document.querySelector('.agl-card').innerText.match(/undefined|\\[object|null/g),
  };
}"""


@pytest.fixture(scope="module")
def odd_cards() -> dict[str, Any]:
    return cards_of(kind="odd")


@pytest.mark.parametrize("width", [NARROW, PROJECTOR, 1130])
def test_cards_of_odd_tensors_are_whole(page: Any, odd_cards: dict[str, Any], width: int):
    """Names as long as a line, with marks in them, tensors too large to be shown, without elements, with numbers that
    float32 does not hold. (A graph with such names may be larger than its window, which has a map then.)"""
    for name, made in odd_cards.items():
        mount(page, made, width)
        assert page.evaluate(RUN_OUT) == {"wide": [], "begun": True, "odd": None}, name
        assert page.evaluate(WRITTEN) == {"small": [], "wide": width}, name
        seen = page.evaluate(DRAWN)
        if not page.locator(".agl-map:visible").count():
            assert seen["cut"] == [], name
        if width == PROJECTOR and name != "names-storage":  # three names of two lines, each twice
            assert seen["height"] <= 502, name


@pytest.mark.parametrize("width", [NARROW, PROJECTOR, 1130])
@pytest.mark.parametrize("program", ["large", "empty", "extreme"])
def test_the_numbers_of_odd_tensors_are_whole(page: Any, odd_cards: dict[str, Any], program: str, width: int):
    mount(page, odd_cards[f"{program}-step"], width, "")
    seen = page.evaluate(EVERY)[:-1]
    assert [(one["at"], one["numbers"]) for one in seen if one["numbers"]] == []


@pytest.fixture(scope="module")
def large_cards() -> dict[str, Any]:
    return cards_of(kind="large")


#: by how much the page, and the card, are wider than their places; tables and their cells that are, and what else is,
#: does not scroll there and does not tell the rest when it is pointed at; and how high the card is
PLACED = """() => {
  const card = document.querySelector('.agl-card'), page = document.documentElement;
  const seen = [...card.querySelectorAll('*')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1);
  const cut = seen.filter(e => {
    const { overflowX, display } = getComputedStyle(e), scrolls = ['auto', 'scroll'].includes(overflowX);
    if (e.matches('td, th') || (scrolls && e.querySelector('.agl-table'))) return true;
    if (!e.clientWidth || e.title || display === 'inline' || scrolls) return false;
    return !e.closest('svg, .agl-live, .agl-scroll, .agl-code');
  }).map(e => e.textContent.slice(0, 60));
  return [page.scrollWidth - page.clientWidth, card.scrollWidth - card.clientWidth, cut, card.offsetHeight];
}"""
#: of a window of 1000 pixels, JupyterLab leaves a notebook this height
IN_WINDOW = 880


@pytest.mark.parametrize("which", ["cards", "odd_cards", "large_cards", "hooked"])
def test_in_a_notebook_that_is_700_pixels_wide_nothing_is_wider_than_its_place(
    page: Any, request: pytest.FixtureRequest, which: str
) -> None:
    """Words wrap, in tables too; numbers and code that are wider than the card scroll inside of it; and a card is seen
    whole in a window."""
    for name, made in request.getfixturevalue(which).items():
        mount(page, made, IN_LAB)
        beyond, inside, cut, high = page.evaluate(PLACED)
        assert (beyond, inside, cut) == (0, 0, []), name
        assert high <= IN_WINDOW, name


def test_cards_of_an_engineer_s_programs_fit_a_projector(page: Any, large_cards: dict[str, Any]):
    """A Transformer block, a network of 40 layers, an RNN whose weights all turns share, two networks that play against
    each other."""
    for name, made in large_cards.items():
        mount(page, made, PROJECTOR)
        assert page.evaluate(WRITTEN) == {"small": [], "wide": PROJECTOR}, name
        seen = page.evaluate(DRAWN)
        assert (seen["height"] <= 502, seen["numbers"]) == (True, []), name
        assert seen["cut"] == [], name


@pytest.mark.parametrize("program", ["transformer", "deep", "shared", "gan"])
def test_a_model_is_drawn_as_its_parts(page: Any, large_cards: dict[str, Any], program: str):
    """Each with its leaves, what joins them between; leaves that several of them share stand together."""
    mount(page, large_cards[f"{program}-graph"], PROJECTOR)
    drawn = page.locator(".agl-drawing:not([hidden]) .agl-item").all_text_contents()
    parts = {
        "shared": ("block.parameters()leaves: 4", "t = 4 … 5 × 222 Nodes"),
        "gan": ("block.parameters()leaves: 4", "GNodes: 5, leaves: 4", "block10 Nodes"),
        "transformer": ("norm1Nodes: 1, leaves: 2", "Block.attend(…)Nodes: 37, leaves: 4", "addAddBackward0"),
        "deep": (
            "blocks[18 … 20] × 3Nodes: 15, leaves: 12",
            "blocks[39]Nodes: 5, leaves: 4",
            "headNodes: 2, leaves: 2",
        ),
    }
    assert [part for part in parts[program] if not any(part in one for one in drawn)] == []


def test_the_map_covers_nothing_that_runs(page: Any, large_cards: dict[str, Any]):
    mount(page, large_cards["shared-drawn"], PROJECTOR)
    page.keyboard.press("f")  # every Node
    covered = """() => {
      const [map, box] = ['.agl-map:not([hidden])', '.agl-item[data-state=active] .agl-box'].map(which =>
        [...document.querySelectorAll(which)].find(e => e.checkVisibility())?.getBoundingClientRect());
      if (!map || !box) return null;
      return map.left < box.right && map.right > box.left && map.top < box.bottom && map.bottom > box.top;
    }"""
    seen = []
    for _ in range(20):
        seen.append(page.evaluate(covered))
        page.keyboard.press("ArrowRight")
    assert seen.count(False) > 5, seen
    assert True not in seen


#: a button before the card, which has focus, and one behind it
FRAMED = """() => {
  document.querySelectorAll('body > button').forEach(e => e.remove());
  document.body.prepend(document.createElement('button'));
  document.body.append(document.createElement('button'));
  document.querySelector('button').focus();
  window.tried = () => document.querySelector('.agl-card');
}"""
#: cards whose stations are those of another one
AGAIN = {"end", "drawn", "long_accumulation", "long_receipt", "changed"}


@pytest.mark.parametrize("card", [name for name in CARDS if name not in AGAIN])
def test_each_card_by_keyboard(page: Any, cards: dict[str, Any], card: str):
    """Tab reaches each station, which has a name and a ring; arrows, Home, End, Enter and Escape do what they do there,
    and focus stays in the card, on something that is seen."""
    mount(page, {**cards[f"mlp-{card}"], "keys": ""}, PROJECTOR)
    page.evaluate(FRAMED)
    walked = stations(page)
    assert walked, card
    try_keys(page, walked)
