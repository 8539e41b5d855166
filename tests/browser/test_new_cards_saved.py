"""training, receipt, what_if, why, explain and broadcast in JupyterLab: the kernel is asked for a backward; without it
all is there again."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbformat import v4

from tests.browser.conftest import Lab
from tests.browser.labdrive import close, open_notebook, run_all, save
from tests.browser.test_saved_cards import seen, without_kernels

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.turns(3, 0)]

NAME = "new cards.ipynb"
SOURCES = [
    """\
import autogradlab as torch
from autogradlab import inspectors as lab
w = torch.tensor([3., 4.], requires_grad=True)""",
    """\
rec = lab.training(w)
for k in range(12):
    if k != 6:
        w.grad = None
    loss = (w * w).sum()
    rec.step(loss)
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
rec""",
    "a = w * 2\ny = (a * w).sum()\nlab.receipt(w, y)",
    "lab.what_if(y, cut=a)",
    "lab.why(a)",
    """\
y.backward()
try:
    y.backward()
except RuntimeError as error:
    told = lab.explain(error)
told""",
    "lab.broadcast(torch.ones(3, 1), torch.ones(4))",
]
CARDS = 6


def test_live_saved_and_reopened_without_a_kernel(lab: Lab, tab: Any, page: Any) -> None:
    made = v4.new_notebook(cells=[v4.new_code_cell(source, id=f"c{i}") for i, source in enumerate(SOURCES)])
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, lab.folder / NAME)
    for each in (tab, page):
        each.set_viewport_size({"width": 1280, "height": 3600})
    open_notebook(tab, lab, NAME)
    run_all(tab)
    assert seen(tab, live=CARDS, drawn=CARDS) == {"live": CARDS, "stored": 0, "drawn": CARDS, "errors": False}

    training = tab.locator("[data-kind=training]").first
    training.get_by_role("slider").focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        tab.keyboard.press(key)
    assert training.locator(".agl-moment").inner_text().startswith("Step 3")
    training.get_by_role("button", name="the backward of step 3").click()  # the card holds those of steps 1, 7 and 12
    opened = tab.locator("[data-kind=training] .agl-opened .agl-step").first
    opened.wait_for(timeout=15_000)
    assert "backward of step 3" in opened.inner_text()
    assert tab.locator(".jp-Notebook .jp-Cell").count() == len(SOURCES), "no key reached the notebook"

    save(tab)
    close(tab)
    without_kernels(lab, page, NAME)
    assert seen(page, stored=CARDS, drawn=CARDS) == {"live": 0, "stored": CARDS, "drawn": CARDS, "errors": False}
    refused = page.locator("dialog.jp-Dialog .jp-mod-accept")  # says, sooner or later, that no kernel could be started
    page.add_locator_handler(refused.last, lambda accept: accept.click(), no_wait_after=True)

    training = page.locator("[data-kind=training]").first
    slider = training.get_by_role("slider")
    for key in ("Home", "n"):
        slider.press(key)
    assert training.locator(".agl-noticed").inner_text().startswith("! Not zeroed before this backward")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        slider.press(key)
    training.get_by_role("button", name="the backward of step 3").click()
    opened = training.locator(".agl-opened .agl-step")
    opened.get_by_role("button", name="One step on").click()
    assert opened.get_attribute("data-at") == "1"

    picks = page.locator("[data-kind=receipt]").first.get_by_role("radio")
    picks.first.click()
    assert "w.grad[0]" in page.locator("[data-kind=receipt] .agl-option:visible").first.text_content()
    assert "nothing" not in page.locator("[data-kind=what_if] table").first.inner_text()
    assert "✂" in page.locator("[data-kind=what_if]").first.text_content()
    assert "a.retain_grad()" in page.locator("[data-kind=why]").first.inner_text()
    assert "freed what its Nodes had saved" in page.locator("[data-kind=explain]").first.inner_text()
    broadcast = page.locator("[data-kind=broadcast]").first
    broadcast.focus()
    broadcast.press("ArrowRight")
    assert "ones go on its left" in broadcast.inner_text()
