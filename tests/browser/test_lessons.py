"""Every lesson, from the cleared copy that the command makes, run from top to bottom in a real JupyterLab."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from autogradlab.lab.author import book
from tests.browser.labdrive import cells, open_notebook, run_all, shoot, show_top

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: every lesson in one of the two languages, whose code is the same, by turns: each takes some seconds
SHOWN = [p for p in book.lesson_files() if p.parent.name == ("zh" if int(p.stem[:2]) % 3 == 0 else "en")]


@pytest.mark.turns(10)
@pytest.mark.parametrize("path", SHOWN, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_lesson_runs(path: Path, request: pytest.FixtureRequest, tab: Any):
    page = tab
    open_notebook(
        page,
        request.getfixturevalue("lab_zh" if path.parent.name == "zh" else "lab"),
        f"{path.parent.name}/{path.name}",
    )
    fresh = cells(page)
    assert fresh
    assert all(cell["count"] is None and cell["outputs"] == [] for cell in fresh), "the copy shows answers"

    run_all(page)
    stored = {cell.id: cell for cell in book.read(path).cells}
    for cell in cells(page):
        assert failed(cell) == ("raises-exception" in cell["tags"]), cell
        assert book.texts(cell) == book.texts(stored[cell["id"]]), cell["id"]

    if "AUTOGRADLAB_SHOTS" in os.environ:
        show_top(page)
        shoot(page, f"{path.parent.name}-{path.stem}")
    assert (page.off_host, page.broken) == ([], [])


def failed(cell: dict[str, Any]) -> bool:
    return any(output["output_type"] == "error" for output in cell["outputs"])
