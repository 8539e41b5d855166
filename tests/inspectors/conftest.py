"""Every inspector shows the same for tensors of autogradlab and of PyTorch: `torch` is one, then the other."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from typing import Any

import pytest

import autogradlab
from autogradlab.inspectors import set_language
from autogradlab.inspectors.snapshot.lines import unwatch, watch
from tests.conftest import need


@pytest.fixture(params=["autogradlab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return autogradlab if request.param == "autogradlab" else need("torch")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """The texts in the tests are English, whatever the environment says; a test may switch."""
    set_language("en")
    yield
    set_language(None)


@pytest.fixture
def shell(torch: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Any]:
    """A running IPython in which `torch` is the library of the test. Each `shell.run(cell)` is a cell, from [1] on.

    `shell.left_behind()`: what is called after each cell, but for what notes the lines of Nodes."""
    need("IPython")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    # tracebacks in colours, which nobody reads here, cost more than the tests
    config.InteractiveShell.xmode = "Minimal"
    # pytest may be of another environment than the shell it was called in
    config.InteractiveShell.warn_venv = False
    running = InteractiveShell.instance(config=config)
    running.user_ns["torch"] = torch
    watch()

    def run(cell: str) -> Any:
        done = running.run_cell(cell, store_history=True)
        done.raise_error()
        return done.result

    running.run = run
    noting = list(running.events.callbacks["post_run_cell"])
    running.left_behind = lambda: [c for c in running.events.callbacks["post_run_cell"] if c not in noting]
    yield running
    unwatch()
    # not its own reset(), here or at exit: that searches the whole process for garbage, seconds each time
    atexit.unregister(running.atexit_operations)
    running.user_ns.clear()
    InteractiveShell.clear_instance()
