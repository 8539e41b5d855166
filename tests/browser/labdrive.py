"""Drives a JupyterLab page as a person would: open a notebook, run all cells, look at the outputs.

It needs JupyterLab's ``--LabApp.expose_app_in_browser``. Whether the kernel is up is asked of the session and not read
off the page: just after loading, the page shows an idle kernel before there is one.
"""

from __future__ import annotations

import importlib.resources
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

# synchronous on purpose: the promise that an async predicate returns would count as true
READY = """() => {
  const widget = window.jupyterapp?.shell?.currentWidget, session = widget?.sessionContext;
  const kernel = session?.session?.kernel;
  return !!(widget?.context?.isReady && session.isReady && kernel?.status === 'idle'
    && kernel.connectionStatus === 'connected' && document.querySelector('.jp-NotebookPanel .jp-Cell'));
}"""
CELLS = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
  .filter(c => c.type === 'code').map(c => ({
  id: c.id, count: c.executionCount, tags: c.getMetadata('tags') ?? [],
  outputs: [...Array(c.outputs.length).keys()].map(i => c.outputs.get(i).toJSON())}))"""
DONE = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const cells = [...panel.content.model.cells].filter(c => c.type === 'code');
  return panel.sessionContext.session.kernel.status === 'idle' && cells.every(c => c.executionCount != null)
    && ![...document.querySelectorAll('.jp-InputPrompt')].some(n => n.textContent.includes('*'));
}"""

#: a cell that has run before is to run again before it counts as done
FORGET = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
  .filter(c => c.type === 'code').forEach(c => { c.executionCount = null; })"""

#: milliseconds between two looks: to ask at every frame, as Playwright does, lets the page draw sixty of them a second
POLLING = 100


#: closes the notebook or console that is open, and its kernel unless it is to go on
CLOSE = """async goesOn => {
  const panel = window.jupyterapp.shell.currentWidget;
  if (!goesOn) await panel?.sessionContext?.shutdown();
  panel?.dispose();
}"""
OPEN = "path => window.jupyterapp.commands.execute('docmanager:open', { path, factory: 'Notebook' }).then(() => null)"
LOADED = "() => !!window.jupyterapp?.shell && !document.querySelector('.jp-Dialog')"


def open_notebook(page: Any, lab: Any, name: str, timeout: int = 60_000) -> None:
    """Open a notebook, given by its path below the lab's folder, and wait for its kernel. Where this JupyterLab is open
    already, the notebook takes the place of the one before."""
    if is_loaded(page, lab):
        close(page)
        page.evaluate(OPEN, name)
    else:
        page.goto(f"{lab.url}/lab/tree/{quote(name)}?token={lab.token}&reset", wait_until="domcontentloaded")
    page.wait_for_function(READY, timeout=timeout, polling=POLLING)


def is_loaded(page: Any, lab: Any) -> bool:
    """Whether the page is that of this JupyterLab, and nothing stands in the way."""
    return bool(page.url.startswith(f"{lab.url}/lab") and page.evaluate(LOADED))


def close(page: Any, goes_on: bool = False) -> None:
    """Close the notebook or console that is open, and end its kernel unless it goes on."""
    page.evaluate(CLOSE, goes_on)


def run_all(page: Any, timeout: int = 120_000) -> None:
    """Run > Run All Cells, by the menu, in whichever language it is, and wait until each cell has run."""
    page.evaluate(FORGET)
    page.get_by_role("menuitem", name=re.compile("^(Run|运行)$")).click()
    page.locator('li[data-command="runmenu:run-all"]').click()
    page.wait_for_function(DONE, timeout=timeout, polling=POLLING)


def cells(page: Any) -> list[dict[str, Any]]:
    """The code cells as JupyterLab holds them: id, count, tags, outputs."""
    return list(page.evaluate(CELLS))


def show_top(page: Any, height: int = 1800) -> None:
    """A tall window with the notebook's first cell at its top, for a picture."""
    page.set_viewport_size({"width": 1280, "height": height})
    page.evaluate("() => { const n = window.jupyterapp.shell.currentWidget.content; n.activeCellIndex = 0; }")
    page.evaluate("async () => { await window.jupyterapp.shell.currentWidget.content.scrollToItem(0, 'start'); }")
    page.wait_for_timeout(500)


def save(page: Any, tries: int = 120) -> None:
    """Save the notebook, again where an output came after it: a card follows what later cells change."""
    for _ in range(tries):
        page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        if not page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.dirty"):
            return
        page.wait_for_timeout(250)
    raise AssertionError("the notebook is never whole on the disk: something changes it all the time")


def shoot(seen: Any, name: str) -> None:
    """A picture of a page or of a part of it, to be looked at afterwards, where AUTOGRADLAB_SHOTS names a folder for
    them: drawing them takes the longest of all."""
    if folder := os.environ.get("AUTOGRADLAB_SHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        seen.screenshot(path=Path(folder) / f"{name}.png")


def themes(page: Any) -> Iterator[str]:
    """JupyterLab in its dark theme, then in the light one, which it keeps."""
    for theme in ("dark", "light"):
        name = f"JupyterLab {theme.title()}"
        page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{str(theme == 'light').lower()}'")
        yield theme


def axe(page: Any, selector: str) -> list[tuple[str, list[str]]]:
    """What axe finds in these parts of a page, on which it must have looked at text."""
    source = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    # its UMD wrapper stays off AMD loaders
    page.evaluate("() => { window.kept = window.define; window.define = undefined; }")
    page.evaluate(source)
    # JupyterLab's body is 0 px high and clips: axe would take all text in it for invisible, and pass it unseen
    page.evaluate("() => { window.define = window.kept; document.body.style.height = '100vh'; }")
    found = page.evaluate("([s]) => axe.run({include: [[s]]})", [selector])
    page.evaluate("() => { document.body.style.height = ''; }")
    assert "color-contrast" in {rule["id"] for part in ("passes", "violations") for rule in found[part]}, "no text seen"
    return [(v["id"], [n["html"][:160] for n in v["nodes"]]) for v in found["violations"]]
