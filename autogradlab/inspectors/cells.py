"""Which cell made an inspector: run again, it takes the earlier ones away, so that nothing is left behind.

Front ends keep a widget until it is closed, and hooks stay on tensors as long. An inspector is closed by `close()`,
when its cell runs again, and when the variable that held it is deleted or names something else.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from .rendering import Inspector
from .snapshot.lines import watch
from .snapshot.names import namespace_names, notebook

__all__ = ["forgotten", "keep"]


@dataclass(slots=True)
class _Run:
    """What one run of a cell made."""

    number: int
    made: list[weakref.ref[Inspector]] = field(default_factory=list)


#: by cell: its id where the front end tells it, else its text
_runs: dict[str, _Run] = {}
#: the inspectors that a variable held when they were last looked at
_bound: weakref.WeakSet[Inspector] = weakref.WeakSet()


def keep(inspector: Inspector) -> None:
    """Remember what the cell that is running makes, and close what its last run made."""
    shell = notebook()
    if shell is None:
        return
    watch()  # where the inspectors were imported before there was a notebook
    _sweep()
    cell, number = _cell(shell), int(shell.execution_count)
    run = _runs.get(cell)
    if run is None or run.number != number:
        for reference in [] if run is None else run.made:
            earlier = reference()
            if earlier is not None:
                earlier.close()
        run = _runs[cell] = _Run(number)
    run.made.append(weakref.ref(inspector))


def _sweep() -> None:
    """Close what a variable held and holds no longer; forget cells whose inspectors are gone."""
    for cell, run in list(_runs.items()):
        for reference in list(run.made):
            inspector = reference()
            if inspector is None:
                run.made.remove(reference)
            elif forgotten(inspector):
                run.made.remove(reference)
                inspector.close()
        if not run.made:
            del _runs[cell]


def forgotten(inspector: Inspector) -> bool:
    """Whether a variable of the notebook held it, and none does any more."""
    if any(held is inspector for held in namespace_names()):
        _bound.add(inspector)
        return False
    return inspector in _bound


def _cell(shell: Any) -> str:
    kernel: Any = getattr(shell, "kernel", None)
    try:
        metadata = kernel.get_parent("shell").get("metadata") or {}
    except Exception:  # no kernel, or an older one
        metadata = {}
    cells = shell.user_ns.get("In", [""])
    return str(metadata.get("cellId") or cells[-1])
