"""A lesson as an nbgrader assignment: solutions between its marks, checks as locked tests, predictions travel along."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from autogradlab.lab import bank, copying

__all__ = ["assignment", "write"]

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
DOTS = re.compile(r"\.\.\.\s*(#.*)?$")
CHECK = re.compile(r"""check\(["']([\w/-]+)["']\)\s*""")


def write(lesson: copying.Lesson, folder: Path) -> tuple[Path, int]:
    """Write the assignment of a lesson into a folder (nbgrader's `source/NAME`); its path, and how many tests."""
    notebook = assignment(lesson)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / lesson.path.name
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
    return path, sum(cell["metadata"].get("nbgrader", {}).get("grade", False) for cell in notebook["cells"])


def assignment(lesson: copying.Lesson) -> dict[str, Any]:
    """The notebook: each stub takes its solution, each check becomes a locked test that raises unless done.

    nbgrader takes the solutions out when it releases the assignment; ids of cells serve as its grade ids.
    """
    notebook: dict[str, Any] = json.loads(copying.cleared(copying.read_notebook(lesson.path), lesson.key))
    stub: dict[str, Any] | None = None
    for cell in notebook["cells"]:
        role = cell["metadata"].get("autogradlab", {}).get("role")
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and role == "exercise" and "parsons(" not in source:
            stub = cell
        elif role == "check" and (name := CHECK.fullmatch(source)) and stub is not None:
            full = name[1] if "/" in name[1] else f"{lesson.path.stem}/{name[1]}"
            entry = bank.find(full, "exercise")
            stub["source"] = solved("".join(stub["source"]), entry.data["solution"])
            stub["metadata"]["nbgrader"] = marked(stub, solution=True, locked=False)
            cell["source"] = f'judged = check("{full}")\ndisplay(judged)\njudged.assert_done();'
            cell["metadata"]["nbgrader"] = marked(cell, grade=True, points=1)
            stub = None
    return notebook


def solved(stub: str, solution: str) -> str:
    """A stub with the solution between nbgrader's marks, behind the lines that the stub gives before `...`."""
    given = stub.splitlines()
    at = next((n for n, line in enumerate(given) if DOTS.search(line)), len(given))
    head = given[:at]
    if at < len(given) and (one_line := re.match(r"((?:def|class) .*:)\s*\.\.\.", given[at])):
        head = [*head, one_line[1]]
    body = [line for line in solution.strip("\n").splitlines() if not (line and line in head)]
    indent = body[0][: len(body[0]) - len(body[0].lstrip(" "))] if body else ""
    return "\n".join([*head, indent + BEGIN, *body, indent + END])


def marked(cell: dict[str, Any], **more: Any) -> dict[str, Any]:
    """nbgrader's metadata of a cell."""
    usual = {"grade": False, "solution": False, "locked": True, "task": False}
    return {"schema_version": 3, "grade_id": cell["id"], "cell_type": cell["cell_type"], **usual, **more}
