"""Makes plain ``pytest`` run everything: the tests and, with the plugin of the wheel, the lessons.

What is tested is the autogradlab of the environment: the wheel that is installed there, or the checkout of
``pip install -e``. Only where none is installed does this folder stand in, for the kernels of the lessons too.
"""

from __future__ import annotations

import gc
import importlib.metadata
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
sys.path.append(str(ROOT))  # last, so that `tests` is found here and an installed autogradlab where it is installed
try:
    importlib.metadata.version("autogradlab")
except importlib.metadata.PackageNotFoundError:
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

# Each worker has a core: threads that share one wait for each other in loops. It is read when libraries are loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

#: An installed autogradlab brings it along; an entry point of the same name, so it is there once.
pytest_plugins = ["pytest_autogradlab", "tests.parallel", "tests.turns", "tests.kernels"]


def pytest_configure() -> None:
    """What tests say does not depend on the reader's locale, and running them is nobody's progress."""
    os.environ.update(AUTOGRADLAB_LANG="en", AUTOGRADLAB_NO_PROGRESS="1")


def pytest_collection_finish() -> None:
    """What lives as long as the run (modules, the tests themselves) is out of the garbage collector's sight: tests that
    count garbage, previews and IPython's shells search the rest a hundred times."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """The same after each file, for the modules that its tests were the first to import."""
    yield
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def pytest_report_header() -> str:
    return f"autogradlab: {tested_package()}"


def tested_package() -> Path | None:
    """The folder of the autogradlab that ``import autogradlab`` finds, without importing it."""
    import importlib.util

    spec = importlib.util.find_spec("autogradlab")
    return Path(spec.origin).resolve().parent if spec and spec.origin else None
