"""The forked kernels that lessons run in are like those that Jupyter starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

from tests import kernels
from tests.kernels import Forked, forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server with the surroundings of now, whatever tests before have set."""
    servers: dict[tuple[object, ...], kernels.Server | None] = {}
    monkeypatch.setattr(kernels, "_servers", servers)
    yield
    for server in filter(None, servers.values()):
        server.close()


#: what may show in a lesson of the process that it runs in
FACTS = """\
import numpy, os, signal, sys, threading, warnings
facts = [sys.argv[0], sys.path, sys.flags, sorted(map(str, warnings.filters)), os.getcwd(), __name__, sys.executable,
         sorted(f"{k}={v}" for k, v in os.environ.items() if k != "JPY_PARENT_PID"),
         signal.getsignal(signal.SIGINT).__name__,
         os.getpgid(0) == os.getpid(), "autogradlab" in sys.modules, threading.active_count()]
print(*facts, sep="\\n")"""


def said(kernel: Any, code: str) -> str:
    """What a cell prints."""
    texts = []
    client = kernel.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        client.execute_interactive(code, timeout=120, output_hook=lambda m: texts.append(m["content"].get("text", "")))
    finally:
        client.stop_channels()
    return "".join(texts)


def started(folder: Path, monkeypatch: pytest.MonkeyPatch, ordinary: bool = False) -> Any:
    if ordinary:
        monkeypatch.setattr("tests.provisioner.forked", lambda cmd, kwargs: None)
    kernel = KernelManager(kernel_name="python3")
    kernel.start_kernel(cwd=str(folder), env={**os.environ, "AUTOGRADLAB_LANG": "zh"})
    return kernel


def test_a_forked_kernel_is_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    facts = []
    for ordinary in (False, True):
        kernel = started(tmp_path, monkeypatch, ordinary)
        try:
            assert isinstance(kernel.provisioner.process, Forked) is not ordinary
            facts.append(said(kernel, FACTS).splitlines())
        finally:
            kernel.shutdown_kernel(now=True)
    assert facts[0] == facts[1]


def test_it_is_interrupted_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kernel = started(tmp_path, monkeypatch)
    process = kernel.provisioner.process
    assert said(kernel, "import os; print(os.getpid())") == f"{process.pid}\n"
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    assert said(kernel, "print(1)") == "1\n"
    kernel.shutdown_kernel(now=True)
    assert process.wait(30) == 0
    end = time.monotonic() + 30
    while os.path.exists(f"/proc/{process.pid}") and time.monotonic() < end:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{process.pid}")


def test_other_surroundings_mean_an_ordinary_kernel_and_then_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    started(tmp_path, monkeypatch).shutdown_kernel(now=True)  # there is a server, with the surroundings of the tests
    cmd = [sys.executable, "-m", "ipykernel_launcher", "-f", "none.json"]
    for name in ("PYTHONHASHSEED", "LC_ALL", "TZ", "MPLBACKEND"):
        assert forked(cmd, {"env": {**os.environ, name: "C.UTF-8"}}) is None
    assert forked([sys.executable, "-c", "0"], {}) is None
    monkeypatch.setenv("TZ", "C.UTF-8")
    kernel = started(tmp_path, monkeypatch)
    assert isinstance(kernel.provisioner.process, Forked)
    assert said(kernel, "import os; print(os.environ['TZ'])") == "C.UTF-8\n"
    kernel.shutdown_kernel(now=True)


def test_a_server_with_our_configuration_forks_its_kernels():
    asked = "from jupyter_client.provisioning import KernelProvisionerFactory as factory\n"
    asked += "print(factory.instance().default_provisioner_name)"
    said = subprocess.run([sys.executable, "-P", "-c", kernels.configuration() + asked], capture_output=True, text=True)
    assert said.stdout == "forked\n", said.stderr


def test_the_first_kernels_may_be_ordinary_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernels, "_ordinary", 1)
    forks = []
    for _ in range(2):
        kernel = started(tmp_path, monkeypatch)
        forks.append(isinstance(kernel.provisioner.process, Forked))
        kernel.shutdown_kernel(now=True)
    assert forks == [False, True]
