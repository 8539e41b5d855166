"""One JupyterLab, started by the ``autogradlab`` command itself, and one Chromium for it. Loopback only."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import kernels
from tests.conftest import need
from tests.servers import free_port, stop

FLAGS = [
    "--no-sandbox",  # containers that run as root have no user namespaces to sandbox with
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
]
START_SECONDS = 90
WINDOW: Any = {"width": 1280, "height": 900}
#: the Python whose JupyterLab is started: that of another environment, to test another JupyterLab
PYTHON = os.environ.get("AUTOGRADLAB_LAB_PYTHON") or sys.executable


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab on a folder of cleared lessons."""

    url: str
    token: str
    folder: Path
    log: Path  #: what the command has said
    begun: list[str]  #: the notebooks that had a kernel before any page was there


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The command's JupyterLab, in English. Its kernels are forked, as those of tests are."""
    with served(tmp_path_factory, "en", kernels.configuration()) as running:
        yield running


@pytest.fixture(scope="session")
def lab_zh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The same in Chinese. The kernel of the first lesson is an ordinary one."""
    with served(tmp_path_factory, "zh", kernels.configuration(ordinary=1)) as running:
        yield running


@contextmanager
def served(tmp_path_factory: pytest.TempPathFactory, lang: str, configuration: str = "") -> Iterator[Lab]:
    """``autogradlab lab --no-browser --lang L --port N --dir D``, with a home folder of its own."""
    home = tmp_path_factory.mktemp("home")
    (home / "config").mkdir()
    (home / "config" / "jupyter_server_config.py").write_text(configuration, encoding="utf-8")
    folder = tmp_path_factory.mktemp("work") / "lessons of mine"
    places = {
        "HOME": "",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "MPLCONFIGDIR": "matplotlib",
    }
    port, token, log = free_port(), secrets.token_hex(16), home / "lab.log"
    command = [
        *(PYTHON, "-m", "autogradlab", "lab", "--no-browser", "--lang", lang),
        *("--port", str(port), "--dir", str(folder)),
        # the rest goes to JupyterLab as it is
        *("--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0"),
        f"--IdentityProvider.token={token}",
        "--LabApp.expose_app_in_browser=True",
    ]
    env = dict(os.environ, **{name: str(home / place) for name, place in places.items()})
    if PYTHON != sys.executable:  # nothing of this environment
        env = {name: value for name, value in env.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV", "JUPYTER_PATH"}}
    with open(log, "wb") as file:
        server = subprocess.Popen(command, env=env, cwd=home, stdout=file, stderr=subprocess.STDOUT)
    running = Lab(f"http://127.0.0.1:{port}", token, folder, log, [])
    try:
        wait_until_up(running, server, log)
        yield running
    finally:
        stop(server, 15)


def wait_until_up(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    """Until it answers, and has begun the first lesson's kernel."""
    end = time.monotonic() + START_SECONDS
    while not lab.begun:
        try:
            with urllib.request.urlopen(f"{lab.url}/api/sessions?token={lab.token}", timeout=5) as answer:
                lab.begun.extend(session["path"] for session in json.load(answer))
        except (OSError, urllib.error.URLError):
            if server.poll() is not None:
                break
        if time.monotonic() > end:
            break
        time.sleep(0.1)
    else:
        return
    pytest.fail(f"JupyterLab did not start, or no kernel for the first lesson:\n{log.read_text()[-3000:]}")


@pytest.fixture(scope="package")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The Chromium of all tests of this folder, with a profile of its own. It ends with the folder: while it runs,
    Playwright keeps an event loop running in this thread, which the notebooks' kernels would trip over."""
    program = need("browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")),
            executable_path=program,
            args=FLAGS,
            viewport=WINDOW,
            locale="en-US",
        )
        yield context
        context.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page of its own."""
    page = noting(chromium)
    yield page
    page.close()


@pytest.fixture(scope="module")
def bare(chromium: Any) -> Iterator[Any]:
    """A page for a module's cards, without a notebook, in which no script may fail."""
    need("anywidget")
    page = noting(chromium)
    yield page
    assert page.broken == []
    page.close()


@pytest.fixture(scope="package")
def kept(chromium: Any) -> Any:
    """The page that tests hand on: JupyterLab takes seconds to load."""
    return noting(chromium)


@pytest.fixture
def tab(kept: Any) -> Any:
    """That page, as the test before it left it, in a window of the usual size, with nothing noted yet. Nothing moves
    there but in the tests of motion: to draw it takes longer than all the rest."""
    kept.off_host, kept.broken, kept.errors = [], [], []
    kept.set_viewport_size(WINDOW)
    kept.emulate_media(reduced_motion="reduce")
    return kept


def noting(chromium: Any) -> Any:
    """A page that notes requests to other hosts (``off_host``), uncaught errors (``broken``), and what the console
    calls errors (``errors``)."""
    page = chromium.new_page()
    page.off_host, page.broken, page.errors = [], [], []
    page.on("pageerror", lambda error: page.broken.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    page.on("request", lambda r: page.off_host.append(r.url) if is_off_host(r.url) else None)
    page.on("websocket", lambda w: page.off_host.append(w.url) if is_off_host(w.url) else None)
    return page


def is_off_host(url: str) -> bool:
    scheme, _, rest = url.partition("://")
    return scheme in {"http", "https", "ws", "wss"} and not rest.startswith("127.0.0.1")
