"""A class on one machine: learners log in to a hub of its own, all at once, and run a lesson; memory and latency.

    python -m tests.benchmarks.hub --learners 30 [--think 2] [--lesson 14-backward] [--torch]

It starts the hub of docs/class/jupyterhub_config.py, goes through its proxy as a browser does (login form, page of
waiting, REST, the kernel's websocket) and prints a line for the table in docs/class.md. It wants root, since learners
are system users, and `pip install "jupyterhub>=5,<7"` and configurable-http-proxy; the users that it makes go when it
ends. Memory is the proportional set size of the learners' processes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pwd
import random
import re
import secrets
import shutil
import stat
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
import websocket

from tests.servers import free_port, stop

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "docs" / "class" / "jupyterhub_config.py"
#: Where JupyterLab's page, which this does not load, has a part: cells that a learner without it would not run.
WIDGETS = re.compile(r"\b(lab|predict|check|hint|solution|quiz|parsons)\b")


def lacks() -> str:
    """What keeps a hub from starting here; nothing if it can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "a hub's learners are system users, which only root can make"
    for program in ("jupyterhub", "configurable-http-proxy"):
        if shutil.which(program, path=search_path()) is None:
            return f"{program} is missing"
    python = Path(sys.executable).resolve()
    if shut := [str(folder) for folder in python.parents if not folder.stat().st_mode & stat.S_IXOTH]:
        return f"learners cannot run this Python: {shut[-1]} is closed to them"  # their servers would never start
    return ""


def search_path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


@dataclass(frozen=True)
class Hub:
    url: str
    password: str
    log: Path


@contextlib.contextmanager
def hub(size: int) -> Iterator[Hub]:
    """A hub with so many seats, by the shipped configuration; system users that it makes are gone afterwards."""
    there = {entry.pw_name for entry in pwd.getpwall()}
    with tempfile.TemporaryDirectory() as folder:
        made = Hub(f"http://127.0.0.1:{free_port()}", secrets.token_hex(8), Path(folder) / "log")
        command = [
            *("jupyterhub", "-f", str(CONFIG), "--ip", "127.0.0.1", "--port", made.url.rpartition(":")[2]),
            f"--JupyterHub.hub_port={free_port()}",
            f"--ConfigurableHTTPProxy.api_url=http://127.0.0.1:{free_port()}",
        ]
        dropped = ("AUTOGRADLAB_", "PYTHONPATH", "PYTEST_")
        env = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        env |= {"PATH": search_path(), "CLASS_PASSWORD": made.password, "CLASS_SIZE": str(size)}
        with open(made.log, "wb") as log:
            running = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_for(made, running)
            yield made
        finally:
            stop(running, 30)
            for entry in pwd.getpwall():
                if re.fullmatch(r"learner\d+", entry.pw_name) and entry.pw_name not in there:
                    subprocess.run(["pkill", "-KILL", "-u", entry.pw_name], check=False)
                    subprocess.run(["userdel", "--remove", entry.pw_name], check=False, capture_output=True)


def _wait_for(made: Hub, running: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 120
    while True:
        with contextlib.suppress(requests.ConnectionError):
            if requests.get(f"{made.url}/hub/login", timeout=30).ok:
                return
        if running.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"the hub did not start:\n{made.log.read_text(encoding='utf-8')[-3000:]}")
        time.sleep(0.3)


@dataclass
class Learner:
    """One learner's browser, as far as the hub and the server see it."""

    hub: Hub
    name: str
    language: str = "en"
    arrived: str = ""  #: where the learner stands after the login
    seconds: list[float] = field(default_factory=list)  #: from request to reply, cell by cell
    errors: list[str] = field(default_factory=list)  #: in cells that are not meant to fail
    again: int = 0  #: how often it had to connect anew before its kernel had started

    def __enter__(self) -> Learner:
        self.http = requests.Session()
        self.http.headers["Accept-Language"] = self.language
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def log_in(self) -> None:
        """The login form, then the page of waiting until the server is there."""
        page = self.http.get(f"{self.hub.url}/hub/login", timeout=60)
        found = re.search(r'name="_xsrf" value="([^"]*)"', page.text)
        form = {"username": self.name, "password": self.hub.password, "_xsrf": found[1] if found else ""}
        answer = self.http.post(f"{self.hub.url}/hub/login", data=form, timeout=300)
        end = time.monotonic() + 300
        while f"/user/{self.name}/lab" not in answer.url or not answer.ok:
            if answer.status_code == 403 or time.monotonic() > end:
                raise RuntimeError(f"{self.name}: {answer.status_code} {answer.url}")
            time.sleep(1)
            answer = self.http.get(f"{self.hub.url}/hub/spawn", timeout=300)
        self.arrived = answer.url.partition(f"/user/{self.name}")[2].partition("?")[0]

    def run(self, lesson: str, think: float = 0.0, torch: bool = False) -> None:
        """Open a lesson and run its cells from top to bottom."""
        base = f"{self.hub.url}/user/{self.name}"
        xsrf = next(c.value for c in self.http.cookies if c.name == "_xsrf" and f"/user/{self.name}" in c.path)
        head = {"X-XSRFToken": str(xsrf)}
        book = self.http.get(f"{base}/api/contents/{lesson}", timeout=60).json()["content"]
        wanted = {"path": lesson, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
        made = self.http.post(f"{base}/api/sessions", headers=head, json=wanted, timeout=120)
        made.raise_for_status()
        kernel, session = made.json()["kernel"]["id"], uuid.uuid4().hex
        cookies = "; ".join(f"{c.name}={c.value}" for c in self.http.cookies if str(c.path) in f"/user/{self.name}/")
        address = f"{base.replace('http', 'ws', 1)}/api/kernels/{kernel}/channels?session_id={session}"
        line = self._line(address, session, {"cookie": cookies, "header": head, "timeout": 180})
        try:
            for number, cell in enumerate(c for c in book["cells"] if c["cell_type"] == "code"):
                code = cell["source"]
                if torch and number and WIDGETS.search(code):
                    continue
                code = "import torch" if torch and not number else code
                time.sleep(random.expovariate(1 / think) if think else 0)
                began = time.perf_counter()
                error = self._reply(line, session, code)
                self.seconds.append(time.perf_counter() - began)
                if error and "raises-exception" not in cell["metadata"].get("tags", []):
                    self.errors.append(error)
        finally:
            line.close()

    def _line(self, address: str, session: str, options: dict[str, Any]) -> Any:
        """The kernel's websocket, when the kernel has answered. A server hangs up on a kernel that takes a minute to
        start; a page connects anew then, up to seven times."""
        for left in reversed(range(8)):
            line = websocket.create_connection(address, **options)
            try:
                self._reply(line, session, "1 + 1")
                break
            except websocket.WebSocketConnectionClosedException:
                line.close()
                self.again += 1
                if not left:
                    raise
        return line

    def _reply(self, line: Any, session: str, code: str) -> str:
        """Run code; its error, when the reply and the idle status have both come."""
        message = uuid.uuid4().hex
        header = {"msg_id": message, "username": "", "session": session, "msg_type": "execute_request"}
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": False}
        request = {"header": {**header, "version": "5.3", "date": ""}, "parent_header": {}, "metadata": {}}
        line.send(json.dumps({**request, "channel": "shell", "buffers": [], "content": content}))
        error, replied, idle = "", False, False
        while not (replied and idle):
            got = json.loads(line.recv())
            if got["parent_header"].get("msg_id") != message:
                continue
            if got["msg_type"] == "execute_reply":
                replied = True
                if got["content"]["status"] == "error":
                    error = f"{got['content']['ename']}: {got['content']['evalue']}"
            elif got["msg_type"] == "status":
                idle = got["content"]["execution_state"] == "idle"
        return error


def memory(users: set[int]) -> dict[str, float]:
    """MiB of proportional set size of the servers and of the kernels of these users."""
    total = {"server": 0.0, "kernel": 0.0}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if folder.name.isdigit() and folder.stat().st_uid in users:
                line = (folder / "cmdline").read_text(encoding="utf-8")
                kind = "kernel" if "ipykernel" in line else "server" if "jupyterhub.singleuser" in line else ""
                if kind:
                    found = re.search(
                        r"^Pss: +(\d+)", (folder / "smaps_rollup").read_text(encoding="utf-8"), re.MULTILINE
                    )
                    total[kind] += int(found[1]) / 1024 if found else 0
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description="learners in a hub: memory and latency")
    parser.add_argument("--learners", type=int, default=5)
    parser.add_argument("--think", type=float, default=2.0, help="mean seconds between two cells")
    parser.add_argument("--lesson", default="14-backward")
    parser.add_argument("--torch", action="store_true", help="import torch instead, without the cells of widgets")
    args = parser.parse_args()
    if lack := lacks():
        sys.exit(lack)
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", file=sys.stderr)
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(hub(args.learners))
        learners = [Learner(running, f"learner{n:02}") for n in range(1, args.learners + 1)]
        pool = stack.enter_context(ThreadPoolExecutor(args.learners))
        for learner in learners:
            stack.enter_context(learner)
        began = time.perf_counter()
        list(pool.map(Learner.log_in, learners))
        print(f"all are in after {time.perf_counter() - began:.0f} s", file=sys.stderr)
        list(pool.map(lambda one: one.run(f"en/{args.lesson}.ipynb", args.think, args.torch), learners))
        users = {pwd.getpwnam(one.name).pw_uid for one in learners}
        each = {kind: total / args.learners for kind, total in memory(users).items()}
    later = sorted(seconds for one in learners for seconds in one.seconds[1:])
    print(f"errors that are not meant: {sum(len(one.errors) for one in learners)}", file=sys.stderr)
    print(f"connections made anew while kernels started: {sum(one.again for one in learners)}", file=sys.stderr)
    imports, after = statistics.median(one.seconds[0] for one in learners), later[int(0.95 * len(later))]
    row = ["PyTorch" if args.torch else "autogradlab", args.learners]
    row += [round(mb) for mb in (*each.values(), sum(each.values()))]
    row += [f"{imports:.2f}", f"{statistics.median(later):.3f} / {after:.2f}"]
    print("| | N | server | kernel | together | first import, median | other cells, median / 95th percentile |")
    print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
