"""Opens JupyterLab at a lesson: its defaults for learners, one line with the address, the server in this process."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from autogradlab.lab.light import lighten, without_node
from autogradlab.lab.speaking import told, warned

__all__ = ["QUIET", "SETTINGS", "prepare", "start", "taken"]

#: Defaults of JupyterLab for learners, below what anybody sets in its settings: for all languages, and for one. They
#: show no news, and start nothing that lessons have no use for: language servers, the debugger, the manager of
#: extensions, the question whether JupyterLab has to be built anew.
SETTINGS = Path(__file__).resolve().parent / "jupyter"
#: The arrangement of windows at a learner's first visit: both side bars are shut, so that the lesson is all there is.
FIRST = {
    "data": {"layout-restorer:data": {side: {"collapsed": True, "widgets": []} for side in ("left", "right")}},
    "metadata": {"id": "default"},
}
#: The server's own lines stay away, but for errors; Ctrl-C is not asked back; extensions are not looked for.
QUIET = ["--Application.log_level=ERROR", "--ServerApp.answer_yes=True", "--LabApp.extension_manager=readonly"]


def prepare(lang: str) -> None:
    """Let JupyterLab show no news and, in Chinese, speak Chinese; what a user has chosen in its settings stays.

    Which notebooks are open is remembered apart from the user's other JupyterLabs: theirs would be opened here, and
    be forgotten there.
    """
    from jupyter_core.paths import jupyter_config_dir

    place = os.environ.setdefault("JUPYTERLAB_WORKSPACES_DIR", os.path.join(jupyter_config_dir(), "lab", "autogradlab"))
    arranged = Path(place, "default-37a8.jupyterlab-workspace")
    with suppress(OSError):  # who may not write there sees the list of files, and nothing else is lost
        if not arranged.exists():
            arranged.parent.mkdir(parents=True, exist_ok=True)
            arranged.write_text(json.dumps(FIRST), encoding="utf-8")
    folders = [str(SETTINGS / "all"), str(SETTINGS / lang), os.environ.get("JUPYTER_CONFIG_PATH")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, folders))


def taken(port: int) -> bool:
    """Whether something listens on a port of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("localhost", port))
        except OSError:
            return True
    return False


def start(command: list[str], folder: Path) -> int:
    """JupyterLab in this process, so that Ctrl-C and signals reach its own handlers and nobody else's."""
    lighten()
    without_node()
    from jupyterlab.labapp import LabApp

    loops: list[asyncio.AbstractEventLoop] = []

    class Lessons(LabApp):  # type: ignore[misc]  # JupyterLab's classes are Any to mypy
        """Says where it is, once it is there."""

        @classmethod
        def get_extension_package(cls) -> str:
            """What the server is to load: not the package of this class. In environments that borrow JupyterLab from
            another one, no configuration names it."""
            return "jupyterlab"

        @classmethod
        def initialize_server(cls, argv: Any = None, load_other_extensions: bool = True, **more: Any) -> Any:
            server = super().initialize_server(argv, load_other_extensions, **more)
            loops.append(server.io_loop.asyncio_loop)
            if not server.allow_root and getattr(os, "geteuid", lambda: None)() == 0:
                server.exit(warned("as_root"))  # the server would say so where nobody looks, see below
            # comes after the callback that binds the port, which may be another than the one that was asked for
            server.io_loop.add_callback(_up, server, folder)
            if "--debug" not in command:
                _log_to(Path(server.runtime_dir) / "autogradlab-lab.log")
            return server

    sys.argv[0] = "jupyter-lab"
    result = Lessons.launch_instance(command)
    for loop in loops:
        _end(loop)
    return result if isinstance(result, int) else 0


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """End what a server that was stopped has left half done: the threads that wait for such a task would keep the
    process alive for ever."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=10))


async def _up(server: Any, folder: Path) -> None:
    """Say where it is; while the browser opens, do what the page will ask for, the lesson's kernel above all."""
    print(told("opened", url=_address(server), folder=folder), flush=True)
    lesson = server.default_url.partition("/lab/tree/")[2]
    if not lesson.endswith(".ipynb"):
        return
    with suppress(Exception):  # what fails here will fail when the page asks, which says so
        await _ask(server, "lab/api/translations")
        asked = await _ask(server, f"api/contents/{lesson}?type=notebook&content=1")
        kernel = {"name": asked["content"]["metadata"]["kernelspec"]["name"]}
        session = {"path": unquote(lesson), "name": "", "type": "notebook", "kernel": kernel}
        await _ask(server, "api/sessions", method="POST", body=json.dumps(session))
    # JupyterLab asks, once it has shown the lesson, what it can export; the server would stop for this import
    threading.Thread(target=importlib.import_module, args=["nbconvert.exporters"], daemon=True).start()


async def _ask(server: Any, path: str, **more: Any) -> Any:
    """What the server itself answers."""
    from tornado.httpclient import AsyncHTTPClient

    headers = {"Authorization": f"token {server.identity_provider.token}"}
    answer = await AsyncHTTPClient().fetch(server.connection_url + path, headers=headers, **more)
    return json.loads(answer.body)


def _log_to(file: Path) -> None:
    """What the server and its kernels write on stderr from now on goes into a file: to a learner it says nothing."""
    sys.stderr.flush()
    with open(file, "w", encoding="utf-8") as log:
        os.dup2(log.fileno(), 2)


def _address(server: Any) -> str:
    """Where the first lesson is, with the token that lets a browser in."""
    address = f"{server.connection_url.rstrip('/')}{server.default_url.removeprefix(server.base_url.rstrip('/'))}"
    token = server.identity_provider.token
    return f"{address}?token={token}" if token else address
