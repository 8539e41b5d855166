"""What was answered in this notebook. The notebook itself keeps it: in the cards that its outputs hold.

A card (`inspectors.labextension`) is stored with its answers under a MIME type of ours. When a kernel has started anew,
they are read from the notebook's file; the page hands over what it has not saved yet (`lab.js`).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from autogradlab.inspectors.labextension import CARD
from autogradlab.inspectors.snapshot.names import notebook

__all__ = ["CARD", "answers_of", "clear", "forget", "keep", "recall"]


#: By the question's key: `kind`, `state`, and `given`, a list with the answer of each try.
_kept: dict[str, dict[str, Any]] = {}
_read = False


def keep(key: str, kind: str, state: str, given: list[Any]) -> None:
    """Remember an answer for as long as this process runs; the card on the page keeps it for longer."""
    _load()
    _kept[key] = {"kind": kind, "state": state, "given": given}


def forget(key: str) -> None:
    _load()
    _kept.pop(key, None)


def recall(key: str) -> dict[str, Any] | None:
    """What was answered to a question in this notebook, if it was."""
    _load()
    return _kept.get(key)


def clear() -> None:
    """As in a kernel that has just started."""
    global _read
    _kept.clear()
    _read = False


def answers_of(document: Any) -> dict[str, dict[str, Any]]:
    """The answers that a notebook's outputs hold; `document` is its JSON."""
    found: dict[str, dict[str, Any]] = {}
    for cell in document.get("cells", []):
        for output in cell.get("outputs", []) if cell.get("cell_type") == "code" else []:
            card = (output.get("data") or {}).get(CARD)
            view = card.get("state", {}).get("view", {}) if isinstance(card, dict) else {}
            found |= {k: v for k, v in (view.get("answers") or {}).items() if valid(v)}
    return found


def valid(answer: Any) -> bool:
    """Whether an answer that comes from a file or a page has the form of one."""
    return isinstance(answer, dict) and isinstance(answer.get("given"), list) and isinstance(answer.get("state"), str)


def _load() -> None:
    """Once in a process, read what the notebook's file holds; answers of this process come first."""
    global _read
    if _read:
        return
    _read = True
    path = _file()
    if path is None or os.environ.get("AUTOGRADLAB_NO_PROGRESS"):
        return
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = answers_of(document)
    except (OSError, ValueError, AttributeError, TypeError):
        return  # the file is for the front end to judge
    for key, answer in found.items():
        _kept.setdefault(key, answer)


def _file() -> Path | None:
    """The file of the notebook whose kernel this is: Jupyter's server and VS Code say it, each in its way."""
    shell = notebook()
    if shell is None:
        return None
    named = shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    return Path(named) if named and str(named).endswith(".ipynb") else None
