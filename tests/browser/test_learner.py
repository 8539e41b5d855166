"""Predictions, recall, puzzles and exercises answered by keyboard alone in a real JupyterLab,
and looked over by axe."""

from __future__ import annotations

import ast
import itertools
from typing import Any

import nbformat
import pytest

from tests.browser.labdrive import CELLS as CELLS_NOW
from tests.browser.labdrive import axe, cells, open_notebook, run_all, shoot, themes
from tests.conftest import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.turns(3, 1)]

SAMPLE = ROOT / "tests" / "lab" / "sample"
NUMBERS = itertools.count()  # a notebook of the same name would meet the kernel of the test before
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

FIRST_CELL = """() => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = 0;
  notebook.activeCell.node.focus();
}"""


@pytest.fixture
def page(tab: Any) -> Any:
    return tab


def notebook(lab: Any, name: str, cells: list[str]) -> str:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata["kernelspec"] = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    nbformat.write(made, lab.folder / name)
    return name


def start(page: Any, lab: Any, lang: str = "en", cells: list[str] = CELLS) -> None:
    sources = [cells[0].replace("LANG", repr(lang)), *cells[1:]]
    open_notebook(page, lab, notebook(lab, f"learner-{next(NUMBERS)}.ipynb", sources))
    run_all(page)
    page.locator(".agl-lab").first.wait_for()


def tab_to(page: Any, label: str) -> None:
    """Press Tab until the focus is on the control of that name, as somebody without a mouse does."""
    seen = []
    for _ in range(120):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "() => { const e = document.activeElement; return e.closest('.agl-lab') ? (e.closest('label') ?? "
            "e).textContent.trim() : ''; }"
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


def test_all_by_keyboard(lab: Any, page: Any):
    start(page, lab)
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0; }")
    page.set_viewport_size({"width": 1000, "height": 2600})
    page.wait_for_timeout(800)
    shoot(page, "learner-before")
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
    assert value(page, "f.state") == "'again'", "what is typed may be tried twice"
    assert focused(page) == "how-much field"
    page.keyboard.type("12")  # in place of the 8
    page.keyboard.press("Enter")
    wait_for_words(page, 1, "✓ Right.")

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
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    wait_for_words(page, 5, "Hint · 3 of 3")
    assert "Hint · 1 of 3" in say(page, 5), "hints stay as others come"
    assert "Next hint" not in say(page, 5), "there is none"
    assert focused(page) == "zero-it", "the focus stays when its button goes"

    shoot(page, "learner-after")
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


def focused(page: Any) -> str:
    """The question that has the focus itself, else the place within it."""
    return str(page.evaluate("() => document.activeElement.dataset.task ?? document.activeElement.dataset.focus ?? ''"))


def active(page: Any) -> tuple[int, str, bool]:
    """The notebook's active cell, its mode, and whether that cell has the focus itself."""
    number, mode, here = page.evaluate(
        "() => { const n = window.jupyterapp.shell.currentWidget.content;"
        " return [n.activeCellIndex, n.mode, document.activeElement === n.activeCell.node]; }"
    )
    return number, mode, here


def counts(page: Any) -> list[int | None]:
    return [cell["count"] for cell in cells(page)]


def hear(page: Any, number: int, words: str) -> str:
    """Wait until a screen reader is told these words; all that it is told."""
    live = page.locator(".agl-lab").nth(number).locator(".agl-live")
    live.filter(has_text=words).wait_for(state="attached", timeout=10_000)
    return str(live.text_content())


def run_cell(page: Any, number: int) -> None:
    """Run one cell by keys, and wait for its widget."""
    page.evaluate(
        "(n) => { const c = window.jupyterapp.shell.currentWidget.content; c.activeCellIndex = n; "
        "c.activeCell.node.focus(); }",
        number,
    )
    before = counts(page)[number]
    page.keyboard.press("Control+Enter")
    page.wait_for_function(f"() => ({CELLS_NOW})()[{number}].count !== {before or 'null'}", timeout=20_000)
    page.wait_for_timeout(600)


@pytest.mark.parametrize("shown", ["predict('firing')", "lab.graph(y)", "lab.step(y)"])
def test_what_a_cell_shows_comes_into_sight(lab: Any, page: Any, shown: str):
    """JupyterLab goes on to the next cell before there is an output; then that pushes itself below the window."""
    program = "w = torch.ones(2, requires_grad=True)\ny = (w * w).sum()\nfrom autogradlab import inspectors as lab"
    sources = [SETUP.replace("LANG", "'en'"), program + "\n" * 10, shown, "pass", "pass"]
    open_notebook(page, lab, notebook(lab, f"learner-{next(NUMBERS)}.ipynb", sources))
    page.set_viewport_size({"width": 1280, "height": 640})
    page.evaluate(FIRST_CELL)
    for _ in range(3):
        page.keyboard.press("Shift+Enter")
    made = page.locator(".agl-lab, .agl-card").first
    made.wait_for()
    page.wait_for_timeout(900)
    room, box = page.locator(".jp-WindowedPanel-outer").bounding_box(), made.bounding_box()
    assert room["y"] - 1 <= box["y"]
    assert box["y"] + box["height"] <= room["y"] + room["height"] + 1


def test_keys_lead_in_and_out(lab: Any, page: Any):
    """No focus is lost, none is trapped, and no letter reaches the notebook."""
    start(page, lab)
    before = counts(page)
    run_cell(page, 0)
    tab_to(page, "That is my answer")
    page.keyboard.press("Enter")
    assert hear(page, 0, "Choose one first") == "Choose one first: by its letter, or with ↑ ↓."
    assert "Choose one first" in say(page, 0)
    assert focused(page) == "doubled choice a"
    for key in "ddxa":
        page.keyboard.press(key)
    assert page.locator(".agl-lab").nth(0).locator("input:checked").get_attribute("value") == "a"
    assert page.locator(".agl-lab").nth(0).locator(".agl-remark").inner_text() == ""
    page.keyboard.press("Enter")
    assert "That would be so" in hear(page, 0, "✗ That is not right. You said a)")
    assert focused(page) == "doubled", "choices are locked now: the question has the focus"
    page.keyboard.press("Escape")
    assert active(page) == (1, "command", True)

    tab_to(page, "Your answer, a number")
    page.keyboard.press("Enter")
    hear(page, 1, "Type your answer first.")
    page.keyboard.type("dd six")
    page.keyboard.press("Enter")
    wait_for_words(page, 1, "dd six cannot be read as a number.")
    hear(page, 1, "dd six cannot be read as a number.")
    assert (value(page, "f.state"), focused(page)) == ("'open'", "how-much field")
    page.keyboard.press("Shift+Enter")
    assert active(page) == (3, "command", True), "on to the next cell"
    assert counts(page)[1:] == before[1:], "nothing was run again"
    assert len(before) == len(counts(page)) == len(CELLS)


def test_shift_tab_comes_to_where_one_answers(lab: Any, page: Any):
    """From the next cell back into a question: its choices or its field, and not the button that gives the answer away.
    A card of the inspectors on the same page changes nothing of how a question looks."""
    start(page, lab, cells=[*CELLS, "pass"])
    for number, wanted in ((1, "doubled choice"), (2, "how-much field"), (4, "1 choice"), (7, "zero-it hint")):
        run_cell(page, number)
        page.evaluate(
            "(n) => { const c = window.jupyterapp.shell.currentWidget.content; c.activeCellIndex = n; "
            "c.activeCell.node.focus(); }",
            number + 1,
        )
        page.keyboard.press("Shift+Tab")
        page.wait_for_timeout(200)
        assert focused(page).startswith(wanted)
    tab_to(page, "Your answer, a number")
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    wait_for_words(page, 1, "You said 6.")
    page.keyboard.type("12")  # the second try replaces the first
    page.keyboard.press("Enter")
    wait_for_words(page, 1, "✓ Right. You said 12.")
    style = (ROOT / "autogradlab" / "inspectors" / "static" / "inspector.css").read_text(encoding="utf-8")
    added = page.add_style_tag(content=style)
    option = page.locator(".agl-lab").nth(0).locator("label").first
    assert option.evaluate("e => getComputedStyle(e).flexDirection") == "row"
    added.evaluate("e => e.remove()")


def test_a_cell_that_runs_again_shows_what_was_answered(lab: Any, page: Any):
    start(page, lab)
    run_cell(page, 1)
    assert hear(page, 0, "Predict. ").endswith("Shift+Tab takes you into it, Escape out of it.")
    tab_to(page, "a)")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    wait_for_words(page, 0, "✗ That is not right. You said a)")
    assert "Ask me again" not in say(page, 0)
    run_cell(page, 1)
    assert "You said a)" in hear(page, 0, "Predict. ")
    tab_to(page, "Ask me again")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('.agl-lab input:enabled')", timeout=10_000)
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    wait_for_words(page, 0, "✓ Right.")


def test_the_verdict_waits_and_the_notebook_remembers(lab: Any, page: Any):
    """Commit, run, compare; then the kernel starts anew, and the answer is still there."""
    cells = [CELLS[0], "p = predict('doubled'); p", "1 + 1", "c = check('zero-it'); c"]
    open_notebook(
        page, lab, notebook(lab, f"learner-{next(NUMBERS)}.ipynb", [cells[0].replace("LANG", "'en'"), *cells[1:]])
    )
    run_cell(page, 0)
    run_cell(page, 1)
    tab_to(page, "a)")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    wait_for_words(page, 0, "Now run the cell below")
    assert "overwritten" not in say(page, 0)
    run_cell(page, 2)
    wait_for_words(page, 0, "✗ That is not right. You said a)")
    kernel = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    page.evaluate(f"() => {kernel}.restart()")
    page.wait_for_function(f"() => {kernel}.status === 'idle' && {kernel}.connectionStatus === 'connected'")
    run_all(page)
    wait_for_words(page, 0, "✗ That is not right. You said a)")
    assert value(page, "p.state") == "'wrong'"


def test_where_python_does_not_answer(lab: Any, page: Any):
    """After a restart of the kernel the widget is deaf, and says so instead of nothing."""
    start(page, lab)
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    tab_to(page, "a)")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    page.locator(".agl-late").filter(has_text="If the kernel was restarted").wait_for(timeout=15_000)
    page.keyboard.press("Enter")
    assert page.broken == []
    assert focused(page) == "doubled choice a"


def test_an_exercise_that_was_not_begun(lab: Any, page: Any):
    start(
        page,
        lab,
        cells=[CELLS[0], "def zero(w):\n    ...", "c = check('zero-it'); c", "del zero", "d = check('zero-it'); d"],
    )
    assert "Not attempted yet." in say(page, 0)
    assert "run that cell, then run this one again" in say(page, 0)
    assert "There is no zero here yet." in say(page, 1)


#: of each line of a puzzle that goes on in a second row: where its code begins, and where the second row does
ROWS = """() => [...document.querySelectorAll('.agl-line > span:last-child')].map(span => {
  const text = span.firstChild, range = document.createRange();
  range.setStart(text, text.data.search(/\\S/));
  range.setEnd(text, text.data.length);
  const [first, ...others] = range.getClientRects();
  return others.length ? [first.left, others[0].left] : null;
}).filter(Boolean)"""


def test_lines_of_a_puzzle_hang_where_they_have_no_room(lab: Any, page: Any):
    """What goes on in a second row stands further in than the line, as deep as it may be."""
    start(page, lab, cells=[SETUP, "s = parsons('descend'); s"])
    page.evaluate("() => { document.querySelector('.agl-list').style.width = '190px'; }")
    hanging = page.evaluate(ROWS)
    assert hanging
    for begins, goes_on in hanging:
        assert goes_on > begins + 8


def test_hostile_text_stays_text(lab: Any, page: Any):
    names = (
        f"from autogradlab.lab.face import Face, task, block, code\nBAD = {HOSTILE!r}\nclass Mean(Face):\n"
        "    kind = 'hint'"
    )
    body = """
    def tasks(self):
        rows = [{'key': 'a', 'text': BAD}]
        return [task(BAD, BAD, code=BAD, status=BAD, state='right',
                     blocks=[block('**' + BAD + '** `' + BAD + '`'), code(BAD)],
                     input={'is': 'choice', 'rows': rows, 'picked': '', 'locked': False})]
Mean()"""
    start(page, lab, cells=[CELLS[0], names + body])
    page.wait_for_timeout(500)
    assert page.locator(".agl-lab img, .autogradlab-lab img").count() == 0
    assert page.evaluate("() => document.body.dataset.hurt") is None
    assert say(page, 0).count("onerror") >= 5
    assert (page.off_host, page.broken) == ([], [])


@pytest.mark.turns(2)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_axe_finds_nothing(lab: Any, page: Any, lang: str):
    wrong = "p.answer('a'); q.answer(1, 'a').answer(3, 'b'); s.arrange('a'); f.reveal();"
    start(page, lab, lang, [*CELLS, wrong])
    page.set_viewport_size({"width": 1000, "height": 3200})
    for theme in themes(page):
        page.wait_for_timeout(1000)
        shoot(page, f"learner-{lang}-{theme}")
        assert axe(page, ".agl-lab") == [], theme
