"""Which cells of the notebook have run: a verdict waits for the code that it is about,
a cell that failed defines nothing."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autogradlab.inspectors.snapshot.names import notebook

__all__ = ["Cell", "broken", "cells", "first_shown", "has_run", "number", "on_run", "watch"]

#: A cell that asks or judges is not the code that a question is about.
ASKS = re.compile(r"^\s*(?:\w+\s*=\s*)?(?:predict|quiz|parsons|check|hint|solution|progress)\(", re.MULTILINE)
#: The names that a cell's lines define, read without parsing: the cell may be one that cannot be parsed.
DEFINES = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A cell that has run in this process; `id` where the front end says which one it was."""

    number: int
    id: str | None
    source: str
    error: BaseException | None

    @property
    def asks(self) -> bool:
        return bool(ASKS.search(self.source))

    @property
    def names(self) -> set[str]:
        """The names that it defines at its left margin."""
        return {one or other for one, other in DEFINES.findall(self.source)}


cells: list[Cell] = []
_begun = 0
_shown: dict[str, int] = {}
_shell: Any = None
_waiting: weakref.WeakSet[Any] = weakref.WeakSet()


def watch() -> None:
    """Follow the cells of the running IPython, if there is one."""
    global _shell
    shell = notebook()
    if shell is not None and shell is not _shell:
        _shell = shell
        shell.events.register("pre_run_cell", _before)
        shell.events.register("post_run_cell", _after)


def number() -> int:
    """The number of the cell that runs now, or ran last; 0 where there are no cells."""
    return _begun


def first_shown(key: str) -> int:
    """The number of the cell that was the first to show what is called `key`; a later one changes nothing in it."""
    return _shown.setdefault(key, _begun)


def has_run(wanted: str | None, since: int) -> bool:
    """Whether the cell with the id `wanted` has run; where ids say nothing,
    any cell after number `since` that asks nothing.

    Without a notebook nothing is waited for.
    """
    if _shell is None:
        return True
    if wanted is not None and any(cell.id is not None for cell in cells):
        return any(cell.id == wanted for cell in cells)
    return any(cell.number > since and not cell.asks for cell in cells)


def broken(name: str) -> Cell | None:
    """The last cell that defines `name`, if it could not be read as Python and so has defined nothing."""
    for cell in reversed(cells):
        if name in cell.names:
            return cell if isinstance(cell.error, SyntaxError) else None
    return None


def on_run(who: Any) -> None:
    """Call `who.cell_has_run()` after each cell from now on, as long as it lives."""
    _waiting.add(who)


def _before(_: Any) -> None:
    global _begun
    _begun += 1


def _after(result: Any) -> None:
    info = result.info
    error = result.error_before_exec or result.error_in_exec
    cells.append(Cell(_begun, getattr(info, "cell_id", None), str(info.raw_cell or ""), error))
    for who in list(_waiting):
        done: Callable[[], bool] = who.cell_has_run
        if done():
            _waiting.discard(who)
