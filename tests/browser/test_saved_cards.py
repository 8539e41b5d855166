"""Cards outlive their kernel: a notebook is run, saved, and opened again without one; its cards are there and step."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import nbformat
import pytest
from nbformat import v4

from autogradlab.inspectors.labextension import CARD
from tests.browser.conftest import Lab
from tests.browser.labdrive import cells, close, is_loaded, open_notebook, run_all, save

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.turns(3, 2)]

NAME = "saved cards.ipynb"
GRAPH = """\
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
y = torch.mul(torch.add(w, x), torch.add(w, 1))
lab.step(y)"""
SOURCES = [
    "import autogradlab as torch\nfrom autogradlab import inspectors as lab\nfrom autogradlab.lab import predict",
    GRAPH,
    "lab.watch('w')",
    "predict('scalar-dim')",
    "held = lab.step(y)\nheld",
    "import ipywidgets\nipywidgets.VBox([lab.show(w), ipywidgets.HBox([lab.step(y)])])",
    "w.data.mul_(3)",
]
CARDS = 5  # a box of them is one
SEEN = """() => {
  const shown = [...document.querySelectorAll('[data-card]')].filter(n => n.offsetParent);
  return {
    live: shown.filter(n => n.dataset.card === 'live').length,
    stored: shown.filter(n => n.dataset.card === 'stored').length,
    drawn: shown.filter(n => n.querySelector('.agl-card, .agl-lab')?.getBoundingClientRect().height > 40).length,
    errors: document.body.innerText.includes('Error displaying widget'),
  };
}"""

#: Two steps in the stored card as soon as it is there: the live one comes a moment later.
STEP_TWICE = """new MutationObserver((_, observer) => {
  const button = document.querySelector('[data-card=stored] .agl-do-step');
  if (!button) return;
  observer.disconnect();
  button.click();
  button.click();
  window.stepped = button.closest('.agl-card').querySelector('.agl-where').textContent;
}).observe(document, { childList: true, subtree: true });"""

#: how wide each card is
WIDTHS = "() => [...document.querySelectorAll('.agl-card')].map(n => n.getBoundingClientRect().width)"

CONSOLE = """async () => {
  await window.jupyterapp.restored;
  await window.jupyterapp.commands.execute('console:create', { kernelPreference: { name: 'python3' } });
}"""
CONSOLE_READY = """() =>
  window.jupyterapp.shell.currentWidget?.console?.sessionContext?.session?.kernel?.status === 'idle'"""


def ask(lab: Lab, path: str, method: str = "GET") -> Any:
    request = urllib.request.Request(
        f"{lab.url}/api/{path}", method=method, headers={"Authorization": f"token {lab.token}"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or "null")


def seen(page: Any, **wanted: int) -> dict[str, Any]:
    """What is on the page, once `wanted` is; the last look if it never comes."""
    for _ in range(60):
        found: dict[str, Any] = page.evaluate(SEEN)
        if all(found[name] == count for name, count in wanted.items()):
            break
        page.wait_for_timeout(250)
    return found


@pytest.fixture(scope="module")
def book(lab: Lab) -> str:
    made = v4.new_notebook(cells=[v4.new_code_cell(source, id=f"c{i}") for i, source in enumerate(SOURCES)])
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, lab.folder / NAME)
    return NAME


def without_kernels(lab: Lab, page: Any, book: str) -> None:
    """End every kernel, and open a notebook on a page that is given none."""
    for session in ask(lab, "sessions"):
        ask(lab, f"sessions/{session['id']}", "DELETE")
    page.route("**/api/sessions*", lambda r: r.abort() if r.request.method == "POST" else r.continue_())
    page.goto(f"{lab.url}/lab/tree/{book}?token={lab.token}&reset", wait_until="domcontentloaded")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell")


def test_saved_cards_are_there_without_a_kernel_and_step(lab: Lab, book: str, tab: Any, page: Any):
    for each in (tab, page):
        each.set_viewport_size({"width": 1200, "height": 2600})
    open_notebook(tab, lab, book)
    run_all(tab)
    assert seen(tab, live=CARDS, drawn=CARDS) == {"live": CARDS, "stored": 0, "drawn": CARDS, "errors": False}

    tab.locator(".agl-lab input").first.fill("0")
    tab.locator(".agl-lab button.agl-primary").first.click()
    tab.wait_for_function("() => !document.querySelector('.agl-lab button.agl-primary')")
    save(tab)
    answered = tab.locator(".agl-lab > div").first.inner_text()
    watched = tab.locator("[data-kind=watch] .agl-subtitle").first.inner_text()
    assert "[7]" in watched  # the watch has seen the change that the last cell made
    stored = [o["data"][CARD]["module"] for c in cells(tab) for o in c["outputs"] if CARD in o.get("data", {})]
    assert stored == ["inspector", "inspector", "lab", "inspector", "box"]

    close(tab)
    without_kernels(lab, page, book)
    assert seen(page, stored=CARDS, drawn=CARDS) == {"live": 0, "stored": CARDS, "drawn": CARDS, "errors": False}
    assert page.locator(".agl-lab > div").first.inner_text() == answered
    assert page.locator("[data-kind=watch] .agl-subtitle").first.inner_text() == watched

    dialog = page.locator("dialog.jp-Dialog .jp-mod-accept").last
    while page.locator("dialog.jp-Dialog").count():  # that no kernel could be started
        dialog.click()
        page.wait_for_timeout(200)
    for number in (0, 2):  # by itself, and in the box
        at = page.locator(".agl-where").nth(number)
        before = at.inner_text()
        page.locator(".agl-do-step").nth(number).click()
        assert at.inner_text() != before
    stepped = page.locator(".agl-where").first.inner_text()
    page.locator(".agl-do-step").first.focus()
    page.keyboard.press("Enter")  # a button's own, and not the notebook's, which would edit the cell
    assert page.locator(".agl-where").first.inner_text() != stepped
    assert page.evaluate("() => document.activeElement.dataset.do") == "step"
    assert not page.locator(".jp-Notebook.jp-mod-editMode").count()


def test_a_running_kernel_takes_over_at_the_same_step(lab: Lab, book: str, tab: Any, page: Any):
    for each in (tab, page):
        each.set_viewport_size({"width": 1200, "height": 2600})
    open_notebook(tab, lab, book)
    run_all(tab)
    seen(tab, live=CARDS)
    save(tab)
    close(tab, goes_on=True)
    page.add_init_script(STEP_TWICE)
    page.goto(f"{lab.url}/lab/tree/{book}?token={lab.token}&reset", wait_until="domcontentloaded")
    page.wait_for_function("() => window.stepped", timeout=90_000)
    assert seen(page, live=CARDS)["live"] == CARDS
    assert page.locator("[data-card=live] .agl-where").first.inner_text() == page.evaluate("() => window.stepped")
    where = page.locator(".agl-where").nth(1)
    page.locator(".agl-do-step").nth(1).click()
    before = where.inner_text()
    page.evaluate("""() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel
        .requestExecute({ code: "held.close()" }).done""")
    assert seen(page, live=CARDS - 1, drawn=CARDS) == {"live": CARDS - 1, "stored": 1, "drawn": CARDS, "errors": False}
    assert where.inner_text() == before
    assert page.broken == []


def test_run_again_they_are_live(lab: Lab, book: str, tab: Any):
    page = tab
    page.set_viewport_size({"width": 1200, "height": 2600})
    open_notebook(page, lab, book)
    run_all(page)
    seen(page, live=CARDS)
    save(page)
    open_notebook(page, lab, book)  # a new kernel, which knows nothing of these cards
    assert seen(page, stored=CARDS, drawn=CARDS) == {"live": 0, "stored": CARDS, "drawn": CARDS, "errors": False}
    run_all(page)
    assert seen(page, live=CARDS, drawn=CARDS) == {"live": CARDS, "stored": 0, "drawn": CARDS, "errors": False}


def test_cards_step_in_a_console(lab: Lab, tab: Any) -> None:
    page = tab
    page.set_viewport_size({"width": 1200, "height": 1400})
    if is_loaded(page, lab):
        close(page)
    else:
        page.goto(f"{lab.url}/lab?token={lab.token}&reset", wait_until="domcontentloaded")
        page.wait_for_function("() => window.jupyterapp?.commands?.hasCommand('console:create')")
    page.evaluate(CONSOLE)
    page.wait_for_function(CONSOLE_READY, timeout=60_000)
    for source in (SOURCES[0], GRAPH, SOURCES[5]):
        page.evaluate("source => window.jupyterapp.shell.currentWidget.console.inject(source).then(() => null)", source)
    assert seen(page, live=2, drawn=2) == {"live": 2, "stored": 0, "drawn": 2, "errors": False}
    for number in (0, 1):  # by itself, and in a box
        at = page.locator(".agl-where").nth(number)
        before = at.inner_text()
        page.locator(".agl-do-step").nth(number).click()
        assert at.inner_text() != before
    assert page.broken == []


def test_cards_side_by_side_share_the_width(lab: Lab, tab: Any) -> None:
    page = tab
    box = "ipywidgets.HBox([lab.show(w), lab.step(y), ipywidgets.Button(description='more')])"
    sources = [SOURCES[0], GRAPH.rpartition("\n")[0], f"import ipywidgets\n{box}"]
    made = v4.new_notebook(cells=[v4.new_code_cell(source, id=f"c{i}") for i, source in enumerate(sources)])
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, lab.folder / "side by side.ipynb")
    page.set_viewport_size({"width": 1280, "height": 900})
    open_notebook(page, lab, "side by side.ipynb")
    run_all(page)
    assert seen(page, live=1, drawn=1) == {"live": 1, "stored": 0, "drawn": 1, "errors": False}
    live = page.evaluate(WIDTHS)
    save(page)
    open_notebook(page, lab, "side by side.ipynb")
    assert seen(page, stored=1, drawn=1) == {"live": 0, "stored": 1, "drawn": 1, "errors": False}
    for widths in (live, page.evaluate(WIDTHS)):
        assert len(widths) == 2
        assert min(widths) > 300, widths
        assert sum(widths) < 1000
