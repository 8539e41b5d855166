"""Predictions, recall, puzzles and exercises answered by keyboard alone in a real JupyterLab, and looked over by axe."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.browser.labdrive import open_notebook, run_all
from tests.conftest import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SAMPLE = ROOT / "tests" / "lab" / "sample"
HOSTILE = "<img src=x onerror=\"document.body.dataset.hurt='1'\">"
SETUP = f"""\
import os
os.environ['AUTOGRADLAB_LESSONS'] = {str(SAMPLE)!r}
import autogradlab as torch
from autogradlab.inspectors import set_language
from autogradlab.lab import *
set_language(LANG)"""
CELLS = [
    SETUP,
    "p = predict('doubled'); p",
    "f = predict('how-much'); f",
    "o = predict('firing'); o",
    "q = quiz('recall'); q",
    "s = parsons('descend'); s",
    "def zero(w):\n    w.grad = w.grad + 1",
    "c = check('zero-it'); c",
]


def notebook(lab: Any, name: str, cells: list[str]) -> str:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata["kernelspec"] = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    nbformat.write(made, lab.folder / name)
    return name


def start(page: Any, lab: Any, lang: str = "en", cells: list[str] = CELLS) -> None:
    sources = [cells[0].replace("LANG", repr(lang)), *cells[1:]]
    open_notebook(page, lab, notebook(lab, f"learner-{lang}-{len(cells)}.ipynb", sources))
    run_all(page)
    page.locator(".agl-lab").first.wait_for()


def tab_to(page: Any, label: str) -> None:
    """Press Tab until the focus is on the control of that name, as somebody without a mouse does."""
    seen = []
    for _ in range(120):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "() => { const e = document.activeElement; return e.closest('.agl-lab') ? "
            "(e.closest('label') ?? e).textContent.trim() : ''; }"
        )
        seen.append(name)
        if name.startswith(label):
            return
    raise AssertionError(f"no {label!r} by Tab: {[s for s in seen if s]}")


def value(page: Any, expression: str) -> str:
    """What an expression is in the notebook's kernel."""
    return str(
        page.evaluate(
            """async (code) => {
              const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
              const future = kernel.requestExecute({ code: '', silent: true, user_expressions: { v: code } });
              const reply = await future.done;
              return reply.content.user_expressions.v.data?.['text/plain'] ?? JSON.stringify(reply.content);
            }""",
            expression,
        )
    )


def say(page: Any, number: int) -> str:
    return str(page.locator(".agl-lab").nth(number).inner_text())


def wait_for_words(page: Any, number: int, words: str) -> None:
    shown = page.locator(".agl-lab").nth(number).locator(".agl-status, .agl-blocks p")
    shown.filter(has_text=words).first.wait_for(timeout=10_000)


def test_all_by_keyboard(lab: Any, page: Any, tmp_path: Path):
    start(page, lab)
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0; }")
    shots = Path(os.environ.get("AUTOGRADLAB_SHOTS", tmp_path))
    shots.mkdir(parents=True, exist_ok=True)
    page.set_viewport_size({"width": 1000, "height": 2600})
    page.wait_for_timeout(800)
    page.screenshot(path=shots / "learner-before.png")
    cells_before = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length")

    tab_to(page, "a)")  # predict: radio buttons; the arrow key chooses the next, Enter commits
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wait_for_words(page, 0, "✓ Right.")
    assert value(page, "p.state") == "'right'"

    tab_to(page, "Your answer, a number")
    page.keyboard.type("8")
    page.keyboard.press("Enter")
    wait_for_words(page, 1, "8 is y itself.")
    assert value(page, "f.state") == "'wrong'"

    tab_to(page, "1.the hook on w")
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Enter")
    wait_for_words(page, 2, "✓ Right.")
    assert value(page, "o.asked.given") == "['root', 'leaf']"

    tab_to(page, "a)backward(), when it begins")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    wait_for_words(page, 3, "It only ever adds.")
    page.keyboard.press("ArrowDown")  # the focus stayed where it was
    page.keyboard.press("Enter")
    wait_for_words(page, 3, "Nobody but you.")
    assert value(page, "q.score") == "(1, 3)"

    arrange(page)
    wait_for_words(page, 4, "✓ Done.")
    assert value(page, "s.state") == "'done'"

    tab_to(page, "Next hint")
    page.keyboard.press("Enter")
    wait_for_words(page, 5, "Where is the gradient kept?")

    page.screenshot(path=shots / "learner-after.png")
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length") == cells_before
    assert (page.off_host, page.broken) == ([], [])


def arrange(page: Any) -> None:
    """The lines of the puzzle, put in with Enter and indented with Alt and an arrow; then run."""
    known = ast.literal_eval(value(page, "s.known"))
    focused = "() => document.activeElement.textContent.trim()[0]"
    tab_to(page, "a)" + ast.literal_eval(value(page, "s.lines"))["a"])
    for key, _ in known:
        for _ in range(10):
            if (at := page.evaluate(focused)) == key:
                break
            page.keyboard.press("ArrowDown" if at < key else "ArrowUp")
        page.keyboard.press("Enter")
    tab_to(page, f"{known[-1][0]})")  # the line put in last is where Tab enters the program
    for _, depth in reversed(known):
        for _ in range(depth):
            page.keyboard.press("Alt+ArrowRight")
        page.keyboard.press("ArrowUp")
    tab_to(page, "Run these lines")
    page.keyboard.press("Enter")


def test_hostile_text_stays_text(lab: Any, page: Any):
    names = f"from autogradlab.lab.face import Face, task, block, code\nBAD = {HOSTILE!r}\nclass Mean(Face):\n    kind = 'hint'"
    body = """
    def tasks(self):
        rows = [{'key': 'a', 'text': BAD}]
        return [task(BAD, BAD, code=BAD, status=BAD, state='right', blocks=[block('**' + BAD + '** `' + BAD + '`'), code(BAD)],
                     input={'is': 'choice', 'rows': rows, 'picked': '', 'locked': False})]
Mean()"""
    start(page, lab, cells=[CELLS[0], names + body])
    page.wait_for_timeout(500)
    assert page.locator(".agl-lab img, .autogradlab-lab img").count() == 0
    assert page.evaluate("() => document.body.dataset.hurt") is None
    assert say(page, 0).count("onerror") >= 5
    assert (page.off_host, page.broken) == ([], [])


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_axe_finds_nothing(lab: Any, page: Any, tmp_path: Path, theme: str, lang: str):
    from axe_playwright_python.sync_playwright import Axe

    wrong = "p.answer('a'); q.answer(1, 'a').answer(3, 'b'); s.arrange('a'); f.reveal();"
    start(page, lab, lang, [*CELLS, wrong])
    page.evaluate("(name) => window.jupyterapp.commands.execute('apputils:change-theme', { theme: name })", theme)
    dark = "Dark" in theme
    page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{str(not dark).lower()}'")
    page.set_viewport_size({"width": 1000, "height": 3200})
    page.wait_for_timeout(1000)
    page.evaluate("() => { document.body.style.height = '100vh'; }")  # else axe finds no background to compare with
    found = Axe().run(page, context={"include": [[".agl-lab"]]})
    faults = [(v["id"], [n["html"] for n in v["nodes"]][:3]) for v in found.response["violations"]]
    shots = Path(os.environ.get("AUTOGRADLAB_SHOTS", tmp_path))
    page.screenshot(path=shots / f"learner-{lang}-{'dark' if dark else 'light'}.png")
    assert faults == []
    assert "color-contrast" in {p["id"] for p in found.response["passes"]}
