"""Starts a Jupyter server without what it has no use for: `python -P light.py jupyterhub.singleuser ARGUMENTS`.

A file on its own: a server that starts by it loads nothing of autogradlab and no NumPy.
"""

from __future__ import annotations

import importlib
import runpy
import sys
from contextlib import suppress
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["GRAMMAR", "lighten", "without_node"]

#: Builds the grammar of international addresses as it is imported, which takes longer than all the rest of the server.
GRAMMAR = "rfc3987_syntax"


def lighten() -> None:
    """Let jsonschema, which Jupyter imports, load the grammar of international addresses when one is checked: Jupyter
    checks none. It is a second and 16 MB for each server.
    """
    if GRAMMAR in sys.modules or find_spec(GRAMMAR) is None:
        return

    def is_valid_syntax(term: str, value: str) -> bool:
        if sys.modules.get(GRAMMAR) is light:
            del sys.modules[GRAMMAR]
        return bool(importlib.import_module(GRAMMAR).is_valid_syntax(term, value))

    light = ModuleType(GRAMMAR)
    vars(light)["is_valid_syntax"] = is_valid_syntax
    sys.modules[GRAMMAR] = light


def without_node() -> None:
    """Let JupyterLab name the usual registry for what it might build, where Node is there to be asked for another: at
    each start, for two thirds of a second of a processor, and nobody builds a JupyterLab here.
    """
    with suppress(ImportError):
        commands: Any = importlib.import_module("jupyterlab.commands")
        if hasattr(commands, "_yarn_config"):
            commands._yarn_config = lambda logger: {"yarn config": {}, "npm config": {}}


if __name__ == "__main__":
    del sys.argv[0]
    lighten()
    without_node()
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
