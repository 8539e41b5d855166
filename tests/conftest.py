"""What the tests share: ``need`` for things that may be missing, and hypothesis' settings."""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from tests import parallel

ROOT = Path(__file__).resolve().parents[1]

# No deadline: a shared machine stalls now and then. Derandomised: a red run can be run again.
settings.register_profile("autogradlab", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "autogradlab"))

#: How to get what a test may need and a learner's machine may lack.
CURES = {
    "torch": "pip install 'torch==2.13.*'",
    "browser": "install Chromium (Debian: apt-get install chromium fonts-wqy-microhei) and pip install playwright, "
    "or set AUTOGRADLAB_CHROMIUM to the program",
    "lite": "python tools/lite.py --to FOLDER, then AUTOGRADLAB_LITE=FOLDER",
    "site": "python tools/webpage.py --to FOLDER, then AUTOGRADLAB_SITE=FOLDER",
    "hub": "as root: pip install 'jupyterhub>=5,<7'; npm install -g configurable-http-proxy; AUTOGRADLAB_HUB=1",
}
#: What is no module but a folder that a tool has built, named by a variable.
BUILT = {"lite", "site"}
#: What starts servers and makes system users, and therefore has to be asked for by a variable.
ASKED = {"hub"}


def required() -> set[str]:
    """What AUTOGRADLAB_REQUIRE, a comma list, says must be there: its tests fail where others would skip."""
    return {name.strip() for name in os.environ.get("AUTOGRADLAB_REQUIRE", "").split(",") if name.strip()}


def chromium() -> str | None:
    """The Chromium to drive, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("AUTOGRADLAB_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def need(name: str) -> Any:
    """The module ``name``, or for ``"browser"`` the path of Chromium, for ``"lite"`` and ``"site"`` the folder of a
    built JupyterLite and web page, for ``"hub"`` whether AUTOGRADLAB_HUB asks for one.

    Where it is missing the test is skipped with the words that say how to get it, and fails instead if
    AUTOGRADLAB_REQUIRE names it.
    """
    found: Any = None
    if name in BUILT:
        folder = os.environ.get(f"AUTOGRADLAB_{name.upper()}", "")
        found = Path(folder).resolve() if folder else None
    elif name in ASKED:
        found = os.environ.get(f"AUTOGRADLAB_{name.upper()}") or None
    else:
        module = "playwright.sync_api" if name == "browser" else name
        new = module not in sys.modules
        with contextlib.suppress(ModuleNotFoundError):
            found = importlib.import_module(module)
        if new and found is not None:  # as at the end of the collection: PyTorch is most of what lives here
            gc.collect()
            gc.freeze()
    if name == "browser" and found is not None:
        found = chromium()
    if found is not None:
        return found
    if name in required():
        pytest.fail(f"{absence(name)} (AUTOGRADLAB_REQUIRE names it)", pytrace=False)
    pytest.skip(absence(name))


def absence(name: str) -> str:
    """That it is missing, and how to get it."""
    return f"{name} is missing: {CURES.get(name, f'pip install {name}')}"


@pytest.fixture
def torch() -> Any:
    """The real PyTorch, by ``need``."""
    return need("torch")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Classes with `__torch_function__` that a file's tests made cost the next file's nothing."""
    yield
    overrides = sys.modules.get("autogradlab.overrides")
    if overrides is not None and (nextitem is None or nextitem.path != item.path):
        overrides.disarm()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish() -> None:
    """Hypothesis makes its generator with its first example, and asks the garbage collector who holds it: from Python
    3.14 on, that is a dict which it does not see any more after the freeze of the conftest above."""
    given(strategies.none())(lambda _: None)()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked ``parity`` or ``browser`` need no fixture to be skipped or failed."""
    for marker, name in (("parity", "torch"), ("browser", "browser")):
        if item.get_closest_marker(marker):
            need(name)


def wants(item: Any) -> str | None:
    """What a test is known to need before it runs: PyTorch, a browser, or nothing. Where the fixture `torch` has
    parameters, they say which library it is."""
    if item.get_closest_marker("browser"):
        return "browser"
    given = item.callspec.params.get("torch") if hasattr(item, "callspec") else None
    ours = getattr(item, "_fixtureinfo", None) and item._fixtureinfo.name2fixturedefs.get("torch", [None])[-1]
    return "torch" if item.get_closest_marker("parity") or given == "torch" or ours and ours.baseid == "tests" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of which it is known that something is missing are counted here and not run, nor skipped one by one: that
    would be thousands of reports. If nothing else is to run, they are skipped."""
    modules = {"torch": "torch", "browser": "playwright"}
    there = {name for name, module in modules.items() if name in required() or importlib.util.find_spec(module)}
    if chromium() is None and "browser" not in required():
        there.discard("browser")
    kept, left_out = [], Counter[str]()
    for item in items:
        name = wants(item)
        if name is None or name in there:
            kept.append(item)
        else:
            left_out[absence(name)] += 1
    if kept and left_out:
        config.stash[parallel.LEFT_OUT] = left_out
        items[:] = kept
