"""Makes plain ``pytest`` run everything: the tests and, under strict nbval, the lessons.

What is tested is the autogradlab of the environment: the wheel that is installed there, or the checkout of
``pip install -e``. Only where none is installed does this folder stand in, for the kernels of the lessons too.
"""

from __future__ import annotations

import gc
import importlib.metadata
import os
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent
CELL_SECONDS = 60.0
#: What the lessons say does not depend on the reader's locale, and running them is nobody's progress.
LESSONS_ENVIRONMENT = {"AUTOGRADLAB_LANG": "en", "AUTOGRADLAB_NO_PROGRESS": "1"}

sys.path.append(str(ROOT))  # last, so that `tests` is found here and an installed autogradlab where it is installed
try:
    importlib.metadata.version("autogradlab")
except importlib.metadata.PackageNotFoundError:
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    os.environ.update(LESSONS_ENVIRONMENT)
    option = config.option
    if hasattr(option, "nbval") and not option.nbval_lax:
        option.nbval = True
        option.nbval_sanitize_with = option.nbval_sanitize_with or str(ROOT / "lessons" / "sanitize.cfg")
        option.nbval_cell_timeout = min(option.nbval_cell_timeout, CELL_SECONDS)
        if not option.nbval_kernel_name:
            option.nbval_current_env = True
        keep_history()


def keep_history() -> None:
    """Let nbval run cells as Jupyter does: numbered and kept in `In`. Inspectors say in which cell a tensor was made."""
    from nbval.kernel import RunningKernel

    def execute_cell_input(self: Any, cell_input: str, allow_stdin: bool | None = None) -> str:
        if cell_input:
            options = {"store_history": True, "allow_stdin": allow_stdin, "stop_on_error": False}
            return str(self.kc.execute(cell_input, **options))
        raise ValueError("No input supplied")

    RunningKernel.execute_cell_input = execute_cell_input


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> None:
    if file_path.suffix == ".ipynb" and not hasattr(parent.config.option, "nbval"):
        raise pytest.UsageError('the lessons need nbval to be checked: pip install -e ".[test]"')


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Stored cards (autogradlab/labextension) hold the state of a page; their text and HTML stand beside them."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("application/vnd.autogradlab.card.v1+json",)


def pytest_collection_finish() -> None:
    """What lives as long as the run (modules, the tests themselves) is out of the garbage collector's sight: tests that
    count garbage, and IPython's shells, search the rest a hundred times."""
    gc.collect()
    gc.freeze()


def pytest_report_header() -> str:
    return f"autogradlab: {tested_package()}"


def tested_package() -> Path | None:
    """The folder of the autogradlab that ``import autogradlab`` finds, without importing it."""
    import importlib.util

    spec = importlib.util.find_spec("autogradlab")
    return Path(spec.origin).resolve().parent if spec and spec.origin else None
