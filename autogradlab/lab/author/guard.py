"""What can be wrong with a stored lesson: nbval alone would pass a notebook stripped of its outputs."""

from __future__ import annotations

import re
from typing import Any

from autogradlab.inspectors.words import say

from .book import CELL_ID, as_stored, normalise

__all__ = ["problems", "unfaithful"]


def unfaithful(notebook: Any) -> list[str]:
    """Why a stored notebook is not what a reader who runs it from top to bottom would see, one line each."""
    found = []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not code:
        found.append(say("author.no_code"))
    for number, cell in enumerate(code, 1):
        if cell.execution_count != number:
            found.append(f"{_name(cell, number)}: {say('author.wrong_count', found=cell.execution_count, due=number)}")
        wanted = "raises-exception" in cell.metadata.get("tags", [])
        if wanted != any(o.output_type == "error" for o in cell.outputs):
            found.append(f"{_name(cell, number)}: {say('author.no_error' if wanted else 'author.untagged_error')}")
        tags = " ".join(cell.metadata.get("tags", []))
        if "nbval" in tags.lower() or re.search(r"^\s*#\s*(NBVAL|PYTEST_VALIDATE)_", cell.source, re.MULTILINE):
            found.append(f"{_name(cell, number)}: {say('author.exempt')}")
    return found


def _name(cell: Any, number: int) -> str:
    return str(cell.get("id") or say("author.code_cell", number=number))


def problems(notebook: Any) -> list[str]:
    """What is wrong with a stored lesson, one line each."""
    found = []
    if (version := (notebook.nbformat, notebook.nbformat_minor)) != (4, 5):
        found.append(say("author.wrong_format", found=f"{version[0]}.{version[1]}"))
    if "widgets" in notebook.metadata:
        found.append(say("author.widget_state"))
    if "copied" in notebook.metadata.get("autogradlab", {}):
        found.append(say("author.learners_copy"))
    ids = [cell.get("id", "") for cell in notebook.cells]
    found += [f"{i}: {say('author.id_twice')}" for i in sorted({i for i in ids if ids.count(i) > 1})]
    for cell in notebook.cells:
        if not CELL_ID.fullmatch(cell.get("id", "")):
            found.append(f"{cell.get('id')!r}: {say('author.id_words')}")
        if not cell.source.strip():
            found.append(f"{cell.get('id')}: {say('author.cell_empty')}")
    found += unfaithful(notebook)
    if normalise(notebook) != as_stored(notebook):
        found.append(say("author.not_canonical"))
    return found
