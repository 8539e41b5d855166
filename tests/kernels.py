"""Jupyter kernels that start at once: on Linux, each kernel that pytest itself starts is forked from a process that has
imported Jupyter, NumPy and matplotlib before (`tests/kernel_server.py`).

Most of what a short notebook costs are these imports. autogradlab is not among them: each kernel imports it anew.
The JupyterLabs of the browser tests fork their kernels, too (`configuration`). Kernels that other programs start
are ordinary ones. Where the environment has other variables that Python or the imported packages read when they start,
the first kernel is an ordinary one and those after it have a process of their own to be forked from.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from tests.servers import stop

#: comma-separated modules that kernels with this variable find imported too
PRELOADED = "AUTOGRADLAB_TESTS_PRELOADED"
#: beginnings of the names of variables that may differ between kernels: they are read after the fork
LATE = ("AUTOGRADLAB_", "JPY_", "JUPYTER_", "IPYTHON", "PYTEST_", "PYDEVD_")
#: seconds in which the server imports everything or forks; after them kernels are ordinary ones
ANSWER = 90.0
LAUNCHER = [sys.executable, "-m", "ipykernel_launcher"]


class Forked:
    """A kernel's process as jupyter_client wants it: the part of `subprocess.Popen` that it uses."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._fd: int | None = None
        with contextlib.suppress(ProcessLookupError):
            self._fd = os.pidfd_open(pid)

    def poll(self) -> int | None:
        if self.returncode is None:
            if self._fd is not None:
                ended = select.poll()
                ended.register(self._fd, select.POLLIN)
                if not ended.poll(0):
                    return None
                os.close(self._fd)
                self._fd = None
            self.returncode = 0  # it is the server's child: nobody else learns more
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired(LAUNCHER, timeout or 0)
            time.sleep(0.01)
        return self.returncode or 0

    def send_signal(self, number: int) -> None:
        if self.poll() is None and self._fd is not None:
            signal.pidfd_send_signal(self._fd, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def early(env: dict[str, str]) -> dict[str, str]:
    """The variables that have to be those of the process that forks."""
    return {name: value for name, value in env.items() if not name.startswith(LATE)}


class Server:
    """The process that forks kernels of one environment."""

    def __init__(self, env: dict[str, str]) -> None:
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel.settimeout(ANSWER)
        program = Path(__file__).with_name("kernel_server.py")
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", program.read_text("utf-8"), str(theirs.fileno()), env.get(PRELOADED, "")],
                env=env,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )

    def fork(self, cmd: list[str], env: dict[str, str], cwd: str, quiet: list[int]) -> Forked:
        asked = {"argv": cmd[len(LAUNCHER) :], "env": env, "cwd": cwd, "quiet": quiet}
        self.channel.send(json.dumps(asked).encode())
        return Forked(int(self.channel.recv(64)))

    def close(self) -> None:
        self.channel.close()
        stop(self.process, 10)


#: by their surroundings; None where one kernel was asked for
_servers: dict[tuple[object, ...], Server | None] = {}
#: how many kernels are to be ordinary ones yet
_ordinary = 0


def forked(cmd: list[str], kwargs: dict[str, Any]) -> Forked | None:
    """A kernel for a command, or None where it has to be an ordinary one."""
    global _ordinary
    if _ordinary:
        _ordinary -= 1
        return None
    env = {**(kwargs.get("env") or os.environ), "JPY_PARENT_PID": str(os.getpid())}
    if cmd[:3] != LAUNCHER or not set(kwargs) <= {"env", "cwd", "stdin", "stdout", "stderr", "independent"}:
        return None
    surroundings = (env.get(PRELOADED, ""), *sorted(early(env).items()))
    server = _servers.get(surroundings)
    if server is None:
        if _servers and surroundings not in _servers:
            _servers[surroundings] = None  # of most other surroundings there is one kernel: a server would not pay
            return None
        server = _servers[surroundings] = Server(env)
    quiet = [number for number, name in ((1, "stdout"), (2, "stderr")) if kwargs.get(name) == subprocess.DEVNULL]
    try:
        return server.fork(cmd, env, os.path.abspath(kwargs.get("cwd") or ""), quiet)
    except (OSError, ValueError):  # it has ended, or does not answer: it is not asked again
        server.close()
        return None


def configuration(ordinary: int = 0) -> str:
    """What lets a Jupyter server fork its kernels, too, after so many ordinary ones: a jupyter_server_config.py."""
    return f"""\
import sys

sys.path.append({str(Path(__file__).parents[1])!r})
from tests.kernels import install

install({ordinary})
"""


def install(ordinary: int = 0) -> None:
    """Let this process fork the kernels that it starts, where that can be done, but for the first ones."""
    global _ordinary
    _ordinary = ordinary
    if sys.platform != "linux":
        return
    try:
        from jupyter_client.provisioning import KernelProvisionerFactory
    except ImportError:
        return
    factory = KernelProvisionerFactory.instance()
    factory.provisioners["forked"] = EntryPoint("forked", "tests.provisioner:Provisioner", "tests")
    factory.default_provisioner_name = "forked"


def pytest_configure() -> None:
    install()


def pytest_unconfigure() -> None:
    while _servers:
        if server := _servers.popitem()[1]:
            server.close()
