"""The inspectors' widget in a real JupyterLab: steps, keys, jumps, search, folds, zoom, themes, languages, axe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.browser.conftest import WINDOW
from tests.browser.labdrive import axe, cells, is_loaded, open_notebook, run_all, save, shoot, themes
from tests.browser.stations import BACK, STILL, stations, try_keys
from tests.conftest import ROOT, need

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.turns(3, 1)]

CELLS = {
    "start": f"import sys; sys.path.append({str(ROOT)!r})\nfrom autogradlab.inspectors.inspector import present\n"
    "from tests.inspectors import sample_cards as cards",
    "step": "view = present(cards.step_card())\nview",
    "again": "view",
    "hostile": "present(cards.hostile_card())",
    "boxed": "import ipywidgets\nwatched = present(cards.watch_card())\nipywidgets.VBox([watched])",
    "chinese": "present(cards.chinese_card())",
    "large": "present(cards.big_card(1000))",
    "change": "watched.show_card(cards.hooks_card())",
}
#: Every inspector on the same small program, as a learner would call it.
PROGRAM = """import autogradlab as torch
from autogradlab import inspectors as lab
lab.set_language({lang!r})
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = w * x
y = a * (w + 1)
def double(grad): return grad * 2"""
CALLS = {
    "show": "lab.show(w)",
    "graph": "lab.graph(y)",
    "step": "lab.step(y)",
    "storage": "m = torch.arange(6.).reshape(2, 3)\nlab.storage(m, m.t(), m[0])",
    "broadcast": "lab.broadcast(torch.ones(3, 1), torch.ones(4, requires_grad=True))",
    "accumulation": "for _ in range(2): (w * 3).sum().backward()\nlab.accumulation(w)",
    "hooks": "handle = a.register_hook(double)\nfired = lab.hooks(y, a)\ny.backward()\nfired",
    "watch": "lab.watch(w, a)",
    "why": "lab.why(a)",
    "receipt": "u = w * x\nlab.receipt(w, u * (w + 1))",
    "what_if": "u = w * x\nlab.what_if(u * (w + 1), cut=u)",
    "training": "rec = lab.training(w)\nfor k in range(3): rec.step((w * w).sum()).backward()\nrec",
}
EXPECT = 10_000
#: the cells of the notebook that is open
SOURCES = """() => [...(window.jupyterapp.shell.currentWidget?.content?.model?.cells ?? [])]
  .map(c => c.sharedModel.getSource())"""


def write(folder: Path, name: str, sources: dict[str, str]) -> str:
    book = nbformat.v4.new_notebook()
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    book.cells = [nbformat.v4.new_code_cell(code, id=key) for key, code in sources.items()]
    nbformat.write(book, folder / f"{name}.ipynb")
    return f"{name}.ipynb"


@pytest.fixture
def page(tab: Any) -> Any:
    return tab


@pytest.fixture
def opened(lab: Any, page: Any) -> Iterator[Any]:
    """Runs these cells of CELLS after "start" and gives the first card. Where the notebook of the test before has the
    same cells, they run again there."""
    need("anywidget")

    def run(*keys: str, **sources: str) -> Any:
        sources = sources or {key: CELLS[key] for key in ("start", *keys)}
        if is_loaded(page, lab) and page.evaluate(SOURCES) == list(sources.values()):
            page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
        else:
            made = len(list(lab.folder.glob("inspectors-*.ipynb")))  # a new file, so that it has a kernel of its own
            page.notebook = write(lab.folder, f"inspectors-{made}", sources)
            open_notebook(page, lab, page.notebook)
        run_all(page)
        page.begun = counts(page)
        for cell in cells(page):
            assert [o for o in cell["outputs"] if o["output_type"] == "error"] == []
        return card(page, 1)

    yield run
    assert (page.off_host, page.broken) == ([], [])
    assert [e for e in page.errors if "autogradlab" in e or "anywidget" in e or "agl" in e] == []


def card(page: Any, index: int) -> Any:
    """The card that the code cell `index` of the notebook shows."""
    found = page.locator(".jp-Notebook .jp-Cell").nth(index).locator(".agl-card").first
    found.wait_for(timeout=EXPECT)
    return found


def current(shown: Any) -> int:
    return int(shown.get_attribute("data-at"))


def state(shown: Any, item: str) -> str | None:
    return shown.locator(f'[data-item="{item}"]').get_attribute("data-state")


def counts(page: Any) -> list[Any]:
    return [cell["count"] for cell in cells(page)]


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_steps_by_buttons_keys_scrubber_and_list(opened: Any, page: Any):
    page.emulate_media(reduced_motion="no-preference")
    shown = opened("step", "again")
    assert current(shown) == 0
    assert state(shown, "e1") == "idle"
    shown.get_by_role("button", name="One step on").click()
    assert current(shown) == 1
    press(page, "ArrowRight", "ArrowRight")
    assert current(shown) == 3
    assert (state(shown, "n2"), state(shown, "n1"), state(shown, "e3")) == ("active", "done", "idle")
    assert shown.locator('[data-slot="e1"]').text_content() == "4 = g·x"
    assert shown.locator(".agl-where").text_content() == "3 / 5"
    assert shown.locator(".agl-beside td").all_text_contents() == ["4.", "2."]
    assert (
        shown.locator("[aria-live=polite]").text_content() == "step 3 of 5. MulBackward0 → w: g·x = [4.], x: g·w = [2.]"
    )
    press(page, "ArrowLeft")
    assert (current(shown), state(shown, "n2"), shown.locator('[data-slot="e1"]').text_content()) == (2, "idle", "")
    press(page, "End")
    assert current(shown) == 5
    assert shown.get_by_role("button", name="One step on").get_attribute("aria-disabled") == "true"
    press(page, "Home")
    assert current(shown) == 0
    shown.locator(".agl-range").fill("4")
    assert current(shown) == 4
    shown.get_by_text("more", exact=True).click()
    shown.locator("[data-frame]").nth(4).wait_for(state="attached")  # a page hears of an opened part later
    assert shown.locator("[data-frame]").count() == 5, "what has not run yet is not to be read"
    shown.locator("[data-frame='2']").click()
    assert (current(shown), shown.locator("[data-frame]").count()) == (2, 3)
    press(page, "ArrowRight")
    # another view of the same widget is where it was, and no key reached the notebook
    assert current(card(page, 2)) == 0
    assert counts(page) == page.begun
    assert page.locator(".jp-Notebook .jp-Cell").count() == 3


def test_play_and_pause(opened: Any, page: Any):
    page.emulate_media(reduced_motion="no-preference")
    shown = opened("step")
    shown.get_by_text("more", exact=True).click()
    shown.get_by_label("Speed").select_option("4")
    shown.get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.querySelector('.agl-card').dataset.at >= 2", timeout=EXPECT)
    shown.get_by_role("button", name="Pause").click()
    at = current(shown)
    page.wait_for_timeout(900)
    assert current(shown) == at < 5
    shown.locator(".agl-title").click()  # the card has the focus: space plays
    press(page, "Home", " ")
    page.locator(".agl-card[data-at='5']").wait_for(timeout=EXPECT)
    shown.get_by_role("button", name="Play").wait_for(timeout=EXPECT)


def test_letters_and_escape_do_nothing_to_the_notebook(opened: Any, page: Any):
    shown = opened("step")
    shown.get_by_role("searchbox").click()
    page.keyboard.type("mulbbdd")
    press(page, "Escape")
    assert shown.get_by_role("searchbox").input_value() == ""
    assert page.locator(".jp-Notebook .jp-Cell").count() == 2
    assert counts(page) == page.begun


def test_letters_at_a_control_delete_nothing_and_escape_leads_to_the_cell(opened: Any, page: Any):
    shown = opened("step")
    here = "() => document.activeElement === window.jupyterapp.shell.currentWidget.content.activeCell.node"
    for name in ("One step on", "Step to show", "Play"):
        shown.get_by_label(name, exact=True).focus()
        press(page, "d", "d", "x", "b")
        assert page.locator(".jp-Notebook .jp-Cell").count() == 2
        press(page, "Escape")
        assert page.evaluate(here), name
    shown.get_by_label("Step to show", exact=True).focus()
    press(page, "ArrowUp", "ArrowUp", "ArrowDown")
    assert current(shown) == 1
    shown.locator('[data-item="n2"]').focus()
    press(page, "Enter", "Escape", "Escape")
    assert page.evaluate(here), "the first Escape closes the details, the second leaves"
    assert counts(page) == page.begun


#: the notebook's mode, active cell, cells and their counts: what its own keys change
NOTEBOOK = """() => {
  const book = window.jupyterapp.shell.currentWidget.content;
  return [book.mode, book.activeCellIndex, book.widgets.filter(cell => book.isSelected(cell)).length,
    ...book.widgets.map(({ model }) => [model.type, model.executionCount, model.sharedModel.getSource()].join(' '))];
}"""
#: the cell of a card is the active one, in command mode, at the top of the page, to which JupyterLab goes on scrolling
BEFORE = """async index => {
  const book = window.jupyterapp.shell.currentWidget.content;
  Object.assign(book, { activeCellIndex: index, mode: 'command' });
  book.activate();
  await book.scrollToItem(index, 'start');
  window.tried = () => book.widgets[index].node.querySelector('.agl-card');
}"""
#: what JupyterLab does in its command mode: moves, selects, cuts, deletes, changes, runs, edits
COMMANDS = ["ArrowUp", "ArrowDown", "Shift+ArrowDown", *"kjabxcvzddmy1lohsii00"]


def test_every_card_by_keyboard_while_the_notebook_has_keys_of_its_own(opened: Any, page: Any):
    """From the cell by Tab to each station; arrows, Home, End, Enter and Escape there; what means nothing there, the
    notebook's commands among it, changes nothing; Escape leads back to the cell."""
    opened(start=PROGRAM.format(lang="en"), **CALLS, behind="None")
    for index, kind in enumerate(CALLS, 1):
        card(page, index)
        page.evaluate(BEFORE, index)
        page.evaluate(STILL, 48)
        before = page.evaluate(NOTEBOOK)
        for _ in range(3):  # the cell's own buttons may come first
            press(page, "Tab")
            if page.evaluate("() => window.tried().contains(document.activeElement)"):
                break
        press(page, "Shift+Tab")
        walked = stations(page)
        assert walked, kind
        try_keys(page, walked, most=1)
        for station in (0, len(walked) - 1):
            if walked[station]["kind"] not in ("search", "select"):
                page.evaluate(BACK, station)
                press(page, *COMMANDS)
        assert page.evaluate(NOTEBOOK) == before, kind
        page.evaluate(BACK, 0)
        press(page, "Escape", "Escape")
        assert page.evaluate("() => document.activeElement.matches('.jp-Cell')"), kind
        assert page.evaluate(NOTEBOOK) == before, kind


def test_shift_enter_leads_on_and_runs_nothing_again(opened: Any, page: Any):
    shown = opened("step", "again")
    shown.locator(".agl-title").click()
    press(page, "ArrowRight", "ArrowRight")
    assert current(shown) == 2
    cell = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    press(page, "Shift+Enter")
    assert (page.evaluate(cell), current(shown), counts(page)) == (2, 2, page.begun)


def test_after_shift_enter_the_whole_step_is_in_view(opened: Any, page: Any):
    page.set_viewport_size({"width": 1280, "height": 720})
    tall = "print(*range(30), sep='\\n')"
    opened(start=f"{PROGRAM.format(lang='en')}\n{tall}", step="lab.step(y)", after=tall)
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0; }")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.content.activate()")
    for _ in range(2):
        press(page, "Shift+Enter")
        page.wait_for_timeout(900)
    shown = card(page, 1)
    page.wait_for_timeout(600)
    box, room = shown.bounding_box(), page.locator(".jp-WindowedPanel-outer").bounding_box()
    assert room["y"] - 1 <= box["y"]
    assert box["y"] + box["height"] <= room["y"] + room["height"] + 1
    assert shown.locator(".agl-lines").is_visible(), "the learner's own lines come first"
    shown.get_by_role("button", name="Go to line 5").click()


def test_what_is_told_of_details(opened: Any, page: Any):
    shown = opened("step")
    shown.locator('[data-item="n2"]').focus()
    press(page, "Enter")
    told = shown.locator(".agl-live").text_content()
    assert told.startswith("Details: ")
    assert "×" not in told
    assert shown.get_by_role("button", name="Close details").is_visible()


def test_a_card_is_announced_once(opened: Any, page: Any, lab: Any):
    shown = opened("step")
    told = shown.locator(".agl-live")
    told.filter(has_text=".").wait_for(state="attached", timeout=EXPECT)
    first = told.text_content()
    assert first.startswith(shown.locator(".agl-title").text_content())
    assert shown.locator(".agl-say").text_content() in first
    save(page)
    open_notebook(page, lab, page.notebook)  # the page is loaded anew; the kernel goes on
    page.locator(".agl-card").first.wait_for(timeout=EXPECT)
    page.wait_for_timeout(1500)
    assert page.locator(".agl-card").first.locator(".agl-live").text_content() == ""


def test_who_comes_by_tab_sees_the_picture(opened: Any, page: Any):
    shown = opened("step")
    page.keyboard.press("Shift+Tab")
    for _ in range(60):
        if page.evaluate("() => document.activeElement.matches('.agl-controls *')"):
            break
        page.keyboard.press("Shift+Tab")
    page.wait_for_timeout(300)
    box, top = shown.bounding_box(), page.locator(".jp-WindowedPanel-outer").bounding_box()["y"]
    assert box["y"] >= top - 1


def test_items_open_with_click_and_keys(opened: Any, page: Any):
    shown = opened("step")
    shown.locator('[data-item="n2"]').click()
    details = shown.get_by_role("group", name="Details")
    assert "MulBackward0: saved self=w other=x" in details.inner_text()
    assert current(shown) == 3, "a click on a Node leads to where it runs"
    focused = "() => document.activeElement.dataset.item ?? document.activeElement.dataset.fold"
    press(page, "ArrowRight")
    assert page.evaluate(focused) == "v_a"
    press(page, "ArrowDown", "Enter")
    assert page.evaluate(focused) == "v_b"
    assert shown.locator('[aria-pressed="true"]').get_attribute("data-item") == "v_b"
    assert "b, non-leaf" in details.inner_text()
    assert shown.locator("[data-item][tabindex='0'], [data-fold][tabindex='0']").count() == 1
    press(page, "Escape")
    assert not details.is_visible()


def test_search_fold_zoom_and_pan(opened: Any, page: Any):
    shown = opened("step")
    search = shown.get_by_role("searchbox")
    search.fill("mulbackward")
    assert shown.locator(".agl-count").text_content() == "2 found"
    assert sorted(e.get_attribute("data-item") for e in shown.locator(".agl-hit").all()) == ["n1", "n2"]
    search.press("Enter")
    assert page.evaluate("() => document.activeElement.dataset.item") == "n2"
    search.fill("")
    assert shown.locator(".agl-hit").count() == 0

    shown.get_by_role("button", name="Fold away: 5 parts").focus()
    press(page, "Enter")
    assert not shown.locator('[data-item="v_b"]').is_visible()
    shown.get_by_role("button", name="Unfold: 5 parts").focus()
    press(page, "Enter")
    assert shown.locator('[data-item="v_b"]').is_visible()
    assert current(shown) == 0

    svg = shown.locator(".agl-svg")
    whole = svg.get_attribute("viewBox")
    assert not shown.get_by_role("button", name="Zoom in").is_visible(), "all is seen"
    shown.locator('[data-item="n2"]').focus()
    press(page, "+")
    closer = svg.get_attribute("viewBox")
    assert float(closer.split()[2]) < float(whole.split()[2])
    for _ in range(3):
        shown.get_by_role("button", name="Zoom in").click()
    closer = svg.get_attribute("viewBox")
    shown.locator('[data-item="n2"]').focus()
    press(page, "Shift+ArrowRight")
    moved = svg.get_attribute("viewBox")
    assert float(moved.split()[0]) > float(closer.split()[0])
    box = svg.bounding_box()
    page.mouse.move(box["x"] + 12, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 72, box["y"] + 12, steps=4)
    page.mouse.up()
    assert float(svg.get_attribute("viewBox").split()[0]) < float(moved.split()[0])
    shown.get_by_role("button", name="Fit").click()
    assert svg.get_attribute("viewBox") == whole
    assert not shown.get_by_role("button", name="Fit").is_visible()
    assert counts(page) == page.begun


def test_hostile_words_are_text(opened: Any, page: Any):
    shown = opened("hostile")
    assert shown.locator("img, script, iframe").count() == 0
    assert shown.locator(".agl-title").text_content().startswith("<img src=x onerror=alert(1)>")


def test_boxes_and_another_card_in_the_same_place(opened: Any, page: Any):
    shown = opened("boxed", "change")
    assert shown.get_attribute("data-kind") == "hooks"
    assert shown.locator("thead th").all_text_contents() == ["#", "when", "hook", "gradient in", "returned", "effect"]
    assert page.locator(".agl-card").count() == 1


def test_a_thousand_nodes_step_smoothly(opened: Any, page: Any):
    shown = opened("large")
    took = page.evaluate("""() => {
        const card = document.querySelector('.agl-card'), took = [];
        for (let k = 0; k < 50; k += 1) {
            const start = performance.now();
            card.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
            took.push(performance.now() - start);
            card.getBoundingClientRect(); // layout, which is the browser's
        }
        return took.sort((a, b) => a - b)[25];
    }""")
    assert current(shown) == 50
    assert took < 10, "milliseconds a step, the median"


def test_views_clean_up(opened: Any, page: Any):
    page.emulate_media(reduced_motion="no-preference")
    opened("step")
    page.evaluate("""() => {
        const [set, clear] = [window.setInterval, window.clearInterval];
        [window.made, window.cleared] = [[], []];
        window.setInterval = (...all) => { const timer = set(...all); window.made.push(timer); return timer; };
        window.clearInterval = timer => { window.cleared.push(timer); clear(timer); };
    }""")
    page.get_by_role("button", name="Play", exact=True).click()
    playing = page.evaluate("() => window.made.at(-1)")
    assert playing
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    page.locator(".agl-card").wait_for(state="detached", timeout=EXPECT)
    page.wait_for_function("timer => window.cleared.includes(timer)", arg=playing, timeout=EXPECT)


# -- for everyone ------------------------------------------------------------------------------------------------------


@pytest.mark.turns(2)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_inspector_in_both_themes_and_languages(opened: Any, page: Any, lang: str):
    """Each call shows its card; axe finds nothing, also in what hostile words make, and looked at the text."""
    need("axe_playwright_python")
    page.set_viewport_size({"width": 1280, "height": 8500})
    opened(start=PROGRAM.format(lang=lang), **CALLS, hostile=f"{CELLS['start']}\n{CELLS['hostile']}")
    for index, kind in enumerate(CALLS, 1):
        shown = card(page, index)
        assert shown.get_attribute("data-kind") == kind
        assert shown.get_attribute("lang") == lang
        assert shown.locator(".agl-title").first.inner_text()
        if kind == "step":
            shown.locator(".agl-title").first.click()
            press(page, "ArrowRight", "ArrowRight", "ArrowRight")
            told = r"step 3 of \d+\. \S" if lang == "en" else r"第 3 步，共 \d+ 步。\S"
            assert re.match(told, shown.locator(".agl-live").text_content())
            assert re.match(told, shown.locator(".agl-range").get_attribute("aria-valuetext"))
            shown.get_by_text("more" if lang == "en" else "更多", exact=True).click()
    for theme in themes(page):
        page.wait_for_timeout(500)
        for index, kind in enumerate(CALLS, 1):
            shoot(card(page, index), f"{kind}-{lang}-{theme}")
        assert axe(page, ".agl") == [], theme


def test_watched_tensors_follow_the_cells(opened: Any, page: Any):
    change = "w.data.fill_(7.)\ndel a"
    shown = opened(start=PROGRAM.format(lang="en"), watch="seen = lab.watch(w, a)\nseen", change=change)
    shown = page.locator('.agl-card[data-kind="watch"]')
    shown.get_by_text("7.").first.wait_for(timeout=EXPECT)
    assert shown.count() == 1
    assert shown.locator("tbody tr").count() == 2


def test_axe_would_find_a_bad_widget(opened: Any, page: Any):
    need("axe_playwright_python")
    opened("step")
    page.evaluate("""() => document.querySelector('.agl-stage').insertAdjacentHTML('beforeend',
        '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><button></button>'
        + '<p style="color:#bbb;background:#fff">pale</p>')""")
    assert {"image-alt", "button-name", "color-contrast"} <= {name for name, _ in axe(page, ".agl")}


def test_chinese_without_motion(opened: Any, page: Any):
    shown = opened("chinese")
    assert shown.get_attribute("lang") == "zh"
    assert "非叶子张量的梯度用完就丢弃了" in shown.inner_text()
    box = shown.locator(".agl-badge").first
    assert box.inner_text() == "is_leaf ✗ 非叶子"


def test_notebook_without_a_kernel_shows_the_pictures(opened: Any, tab: Any, bare: Any, lab: Any):
    """nbconvert's HTML of a notebook as it was run, without widget state."""
    import nbconvert

    opened("step", "chinese")
    save(tab)
    path, page = lab.folder / tab.notebook, bare
    book = nbformat.reads(path.read_text(encoding="utf-8"), 4)
    assert "widgets" not in book.metadata
    html, _ = nbconvert.HTMLExporter(template_name="classic", exclude_input=True).from_notebook_node(book)
    page.set_content(html.split("</head>")[1], wait_until="domcontentloaded")
    pictures = page.locator("figure img")
    assert pictures.count() == 2
    widths = page.evaluate("() => [...document.querySelectorAll('figure img')].map(i => [i.naturalWidth, i.alt])")
    assert [alt for _, alt in widths] == ["y.backward()", "损失 标量"]
    assert all(width > 300 for width, _ in widths)
    assert page.locator("details").count() == 6 + 1 + 1
    assert json.dumps(book.cells[1].outputs[0]["data"]["text/plain"]).startswith('"`y.backward()`')


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_html_with_the_state_of_widgets_shows_the_picture_until_the_card_is_there(
    bare: Any, tmp_path: Path, template: str
):
    """nbconvert's HTML without the network, from which what draws widgets comes; then with a card in its place."""
    import nbconvert

    from autogradlab.inspectors.rendering import Inspector
    from tests.inspectors.sample_cards import step_card

    part = ROOT / "autogradlab" / "inspectors" / "labextension" / "page.j2"
    (tmp_path / template).mkdir()
    (tmp_path / template / "display_priority.j2").write_bytes(part.read_bytes())  # as the wheel lays it
    view = {"version_major": 2, "version_minor": 0, "model_id": "m"}
    data = {**Inspector(step_card())._repr_mimebundle_(), "application/vnd.jupyter.widget-view+json": view}
    output = nbformat.v4.new_output("execute_result", data, execution_count=1)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("view", execution_count=1, outputs=[output])])
    state = {"version_major": 2, "version_minor": 0, "state": {"m": {}}}
    book.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": state}
    exporter = nbconvert.HTMLExporter(template_name=template, extra_template_basedirs=[str(tmp_path)])
    html, _ = exporter.from_notebook_node(book)
    assert "widget-view+json" in html
    style, body = html[html.index("<style") : html.rindex("</style>") + 8], html.split("</head>")[1]
    bare.set_content(f"<script>window.$ = Object</script>{style}{body}", wait_until="domcontentloaded")
    picture = bare.locator("figure img")
    assert picture.is_visible()
    assert 0 < picture.bounding_box()["x"] < WINDOW["width"] / 2
    bare.evaluate("""() => document.querySelector('script[type$="widget-view+json"]').insertAdjacentHTML('beforebegin',
        '<div class=widget-subarea><div class=agl>the live card</div></div>')""")
    assert not picture.is_visible()
    assert not bare.get_by_text("in words").is_visible()


def test_a_real_backward_is_stepped_by_the_cards_keys(opened: Any, page: Any):
    page.emulate_media(reduced_motion="no-preference")
    shown = opened(
        start="import autogradlab as torch\nfrom autogradlab import inspectors as lab\n"
        "w = torch.tensor([3.], requires_grad=True)\nseen = []\nw.register_hook(lambda g: seen.append(g.item()))\n"
        "y = (w * w).sum()",
        step='view = lab.step(y, commit="live")\nview',
    )
    last = shown.locator(".agl-range")
    shown.locator(".agl-do-step").focus()
    for at in range(1, 4):
        press(page, "ArrowRight")
        page.wait_for_function(f"() => document.querySelector('.agl-card').dataset.at === '{at}'")
        assert page.evaluate("() => document.activeElement.dataset.do") == "step", "the focus stays"
    assert "…" in shown.locator(".agl-where").inner_text()
    assert last.get_attribute("aria-valuetext").startswith("step 3 of 4 so far.")
    assert "Done" not in shown.inner_text()
    press(page, "End")
    page.wait_for_timeout(100)
    press(page, "End")  # at the end of what has run: the rest
    page.wait_for_function("() => document.querySelector('.agl-say').innerText.includes('Done')")
    assert "w.grad = [6.]" in shown.locator(".agl-say").inner_text()
    assert last.get_attribute("max") == shown.get_attribute("data-at")
    assert "…" not in shown.locator(".agl-where").inner_text()
    assert "so far" not in last.get_attribute("aria-valuetext")


@pytest.mark.parametrize(("lang", "said"), [("en", "cell [1], line 5"), ("zh", "单元格 [1] 第 5 行")])
def test_where_it_was_made_leads_there(opened: Any, page: Any, lang: str, said: str):
    shown = opened(
        start="import autogradlab as torch\nfrom autogradlab import inspectors as lab\n"
        f"lab.set_language({lang!r})\nw = torch.ones(1, requires_grad=True)\na = w * 2" + "\n#" * 60,
        look="lab.show(a)",
    )
    link = shown.get_by_role("button", name=said)
    link.focus()
    press(page, "Enter")
    page.wait_for_timeout(300)
    line = page.locator(".jp-Notebook .jp-Cell").nth(0).locator(".cm-line").nth(4)
    box = line.bounding_box()
    assert line.inner_text() == "a = w * 2"
    assert box is not None
    assert 0 <= box["y"] <= 900
    assert counts(page) == page.begun, "no key reached the notebook"


def test_a_tensor_chosen_in_one_card_is_lit_in_all(opened: Any, page: Any):
    shown = opened(
        start="import autogradlab as torch\nfrom autogradlab import inspectors as lab\n"
        "w = torch.tensor([1.], requires_grad=True)\nx = torch.tensor([2.], requires_grad=True)\ny = w * x",
        step="lab.step(y)",
        show="lab.show(w)",
        watch="lab.watch(x, w)",
        storage="lab.storage(x, w)",
        hooks="handle = w.register_hook(lambda g: g)\nlab.hooks(w)",
        accumulation="lab.accumulation(w)",
    )
    lit = """() => [...document.querySelectorAll('.agl-kin')].map(e => [e.closest('.agl-card[data-kind]').dataset.kind,
        e.dataset.tensor.split(' ')[0]])"""
    assert page.evaluate(lit) == []
    shown.locator("tr", has_text="w = torch.tensor").locator(".agl-text").click()
    found = page.evaluate(lit)
    assert {name for _, name in found} == {"w"}
    assert {"step", "show", "watch", "storage", "hooks", "accumulation"} <= {kind for kind, _ in found}
    page.locator('[data-kind="watch"] .agl-named', has_text="x").focus()
    assert {name for _, name in page.evaluate(lit)} == {"x"}
