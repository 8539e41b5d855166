"""What can be wrong with a stored lesson: nbval alone would pass a notebook stripped of its outputs."""

from __future__ import annotations

import re
from typing import Any

from .book import CELL_ID, as_stored, normalise

__all__ = ["problems", "unfaithful"]


def unfaithful(notebook: Any) -> list[str]:
    """Why a stored notebook is not what a reader who runs it from top to bottom would see, one line each."""
    found = []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not code:
        found.append("there is no code")
    for number, cell in enumerate(code, 1):
        if cell.execution_count != number:
            found.append(f"{_name(cell, number)}: execution count {cell.execution_count} where {number} is due")
        wanted = "raises-exception" in cell.metadata.get("tags", [])
        if wanted != any(o.output_type == "error" for o in cell.outputs):
            fault = "tagged raises-exception but no error" if wanted else "an error, untagged"
            found.append(f"{_name(cell, number)}: {fault}")
        tags = " ".join(cell.metadata.get("tags", []))
        if "nbval" in tags.lower() or re.search(r"^\s*#\s*(NBVAL|PYTEST_VALIDATE)_", cell.source, re.MULTILINE):
            found.append(f"{_name(cell, number)}: it is exempt from nbval")
    return found


def _name(cell: Any, number: int) -> str:
    return str(cell.get("id") or f"code cell {number}")


def problems(notebook: Any) -> list[str]:
    """What is wrong with a stored lesson, one line each."""
    found = []
    if (version := (notebook.nbformat, notebook.nbformat_minor)) != (4, 5):
        found.append(f"the notebook format is {version[0]}.{version[1]}, not 4.5")
    if "widgets" in notebook.metadata:
        found.append("widget state is stored in the notebook")
    if "copied" in notebook.metadata.get("autogradlab", {}):
        found.append("this is a learner's copy, not a lesson")
    ids = [cell.get("id", "") for cell in notebook.cells]
    found += [f"{i}: the cell id is used twice" for i in sorted({i for i in ids if ids.count(i) > 1})]
    for cell in notebook.cells:
        if not CELL_ID.fullmatch(cell.get("id", "")):
            found.append(f"{cell.get('id')!r}: the cell id is no word-with-words")
        if not cell.source.strip():
            found.append(f"{cell.get('id')}: the cell is empty")
    found += unfaithful(notebook)
    if normalise(notebook) != as_stored(notebook):
        found.append("not in canonical form; autogradlab lessons execute writes it")
    return found
