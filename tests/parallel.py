"""pytest on all cores, where pytest-xdist is installed, and one line at the end that says what was skipped and why.

``pytest`` and ``pytest FOLDER`` start a worker for each core and one more, since those that have browsers and notebooks
wait for pages and kernels, and each computes in one thread: more would wait for each other. ``pytest FILE`` and
``pytest -n 0`` run in one process. A unit of work, which one worker runs in order, is a file: a notebook's cells depend
on each other, and a module's fixtures are made once. The tests that open JupyterLab in a browser are one unit, since
they share a server. Files of many independent tests are several.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

MOST_WORKERS = 8
MORE_WORKERS = 1
#: in how many threads the numerical libraries of a worker, and of all that it starts, compute
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
#: what takes longest begins first, so that no core is left with it at the end
FIRST = ("tests/browser/", "tests/lab/test_validation.py", "tests/lessons/", "tests/test_wheel.py")
#: one unit, though they are several files
TOGETHER = ("tests/browser/",)
#: but these, which have pages of their own
ALONE = tuple(f"tests/browser/test_{name}.py" for name in ("cards_whole", "inspector_page", "lite", "site", "stepper"))
#: files whose tests stand for themselves, in so many units
PARTS = 16
APART = (
    "tests/ops/test_ops.py",
    "tests/ops/test_goldens.py",
    "tests/fuzz/test_operations.py",
    "tests/test_programs.py",
    "tests/lessons/test_parity.py",
    "tests/lessons/test_try.py",
)
#: why tests were left out, and how many
LEFT_OUT = pytest.StashKey[Counter[str]]()


def unit(nodeid: str) -> str:
    """The unit of work that a test belongs to."""
    file, _, test = nodeid.partition("::")
    if file in APART:
        return f"{file}::{zlib.crc32(test.encode()) % PARTS}"
    if file in ALONE:
        return file
    return next((folder for folder in TOGETHER if file.startswith(folder)), file)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """As many workers as cores, unless the command line says how many or names only files."""
    option = config.option
    asked = getattr(option, "numprocesses", 0) is not None or option.usepdb or option.collectonly
    if asked or "PYTEST_XDIST_WORKER" in os.environ:
        return
    if any(Path(argument.partition("::")[0]).is_dir() for argument in config.args):
        option.numprocesses = "auto"
        option.maxprocesses = option.maxprocesses or MOST_WORKERS
        for name in THREADS:
            os.environ.setdefault(name, "1")


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """The cores as pytest-xdist counts them, and some more."""
    return (yield) + MORE_WORKERS


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    config.option.loadscopereorder = False  # in the order of pytest_collection_modifyitems
    return Units(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        return next((at for at, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST))

    items.sort(key=place)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash.get(LEFT_OUT, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker has left out the same tests."""
    node.config.stash[LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if skipped := skips(terminalreporter.stats.get("skipped", []), config.stash.get(LEFT_OUT, Counter())):
        terminalreporter.write_line(skipped, yellow=True)


def skips(reports: list[Any], left_out: Counter[str]) -> str:
    """One line: how many tests were skipped or left out, for what reasons."""
    reasons = left_out + Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    return (
        f"skipped: {'; '.join(f'{count} since {reason}' for reason, count in reasons.most_common())}" if reasons else ""
    )
