"""The pytest plugin: notebooks are validated as a reader runs them. Nothing happens unless it is asked for.

    pytest --autogradlab NOTEBOOKS             strict nbval: cells keep their numbers, what differs by chance is masked,
                                               and cards speak the language in which they are stored
    pytest --autogradlab-guards NOTEBOOKS      besides, each notebook is whole: cells numbered 1 to n, an error exactly
                                               where `raises-exception` is tagged, no cell exempt from nbval
    pytest --autogradlab-torch NOTEBOOKS       the same cells on the real PyTorch: the stored text must come out

In a configuration file: `autogradlab = nbval guards`, or `torch`. It stands outside of the package, so that a pytest
that does not ask for it imports nothing of autogradlab.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

__all__ = ["wanted"]

KINDS = ("nbval", "guards", "torch")
NO_NBVAL = 'to validate notebooks, autogradlab needs nbval: pip install "autogradlab[author]"'
HINT = "autogradlab: pytest --autogradlab gives each cell its stored number, and masks what differs by chance: {}"
CELL_SECONDS = 60.0


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("autogradlab", "lessons that show what autograd does")
    add = group.addoption
    add("--autogradlab", action="store_true", help="validate notebooks strictly, as a reader runs them (needs nbval)")
    add("--autogradlab-guards", action="store_true", help="also: counts 1 to n, errors where tagged, no cell exempt")
    add("--autogradlab-torch", action="store_true", help="run the notebooks on the real PyTorch instead")
    add("--autogradlab-lang", metavar="LANG", choices=["en", "zh"], help="let all cards speak this language")
    parser.addini("autogradlab", f"what to do with notebooks: any of {', '.join(KINDS)}", type="args", default=[])


def wanted(config: pytest.Config) -> set[str]:
    """What was asked for, on the command line or in the configuration: any of KINDS; guards and torch imply nbval."""
    named = set(config.getini("autogradlab"))
    if unknown := named - set(KINDS):
        raise pytest.UsageError(f"autogradlab = {' '.join(sorted(unknown))}: there are {', '.join(KINDS)}")
    option = config.option
    given = {"nbval": option.autogradlab, "guards": option.autogradlab_guards, "torch": option.autogradlab_torch}
    named |= {kind for kind, asked in given.items() if asked}
    return named | {"nbval"} if named else named


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    option = config.option
    if not wanted(config) or not hasattr(option, "nbval"):
        return
    if option.nbval_lax:
        raise pytest.UsageError("autogradlab validates every output: leave --nbval-lax out")
    option.nbval = False  # it would collect each notebook a second time
    option.nbval_cell_timeout = min(option.nbval_cell_timeout, CELL_SECONDS)
    if not option.nbval_kernel_name:
        option.nbval_current_env = True


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Any:
    asked = wanted(parent.config) if file_path.suffix == ".ipynb" else set()
    if not asked or file_path.name.startswith("."):
        return None
    if not hasattr(parent.config.option, "nbval"):
        raise pytest.UsageError(NO_NBVAL)
    from autogradlab.lab.author.validation import LessonFile

    return LessonFile.from_parent(parent, path=file_path)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Where plain nbval fails on notebooks with autogradlab in them, say what is made for them."""
    if wanted(config) or not getattr(config.option, "nbval", False):
        return
    failed = sorted({report.nodeid.partition("::")[0] for report in terminalreporter.stats.get("failed", ())})
    notebooks = [config.rootpath / name for name in failed if name.endswith(".ipynb")]
    ours = [p for p in notebooks if p.is_file() and b"autogradlab" in p.read_bytes()]
    if ours:
        terminalreporter.write_line(HINT.format(", ".join(p.name for p in ours)))
