"""Programs in blocks, their recorded output, and a runner that gives each block a fresh process.

A file of programs is one Python file. Its head (imports) belongs to every block; a block begins with

    #% some-id: a title in words

and is executed on its own, after the head. What it prints must equal the section of the same id in the
`.out` file beside it. Addresses are masked; warnings are printed in place, as `Category: text`.

    python -m tests.scenarios.blocks --module autogradlab tests/scenarios/graph.py     show what the blocks print

`import torch` inside a block gives the module under test: only the runner's process knows that alias.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import io
import json
import linecache
import os
import re
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = re.compile(r"^# ?% ([a-z0-9_-]+): (\S.*)$")  # the space is what formatters put there
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
TRIGGERED = re.compile(r"\s*\(Triggered internally at .*?\)(?=\s*$|\n)", re.DOTALL)
SECONDS = 30  # for one block
# submodules that texts import by name; those that the package lacks are left out
SUBMODULES = [
    "autograd",
    "autograd.anomaly_mode",
    "autograd.forward_ad",
    "autograd.function",
    "autograd.functional",
    "autograd.grad_mode",
    "autograd.gradcheck",
    "autograd.graph",
    "autograd.variable",
    "cuda",
    "linalg",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.parameter",
    "optim",
    "random",
    "special",
    "testing",
    "utils",
    "utils.checkpoint",
    "utils.data",
]


@dataclass(frozen=True)
class Block:
    """One program: `source` runs after `head`, which the whole file shares."""

    id: str
    title: str
    path: Path
    head: str
    source: str


@dataclass(frozen=True)
class Result:
    """What a block printed, and the traceback or signal that ended it ("" if it ran to its end)."""

    stdout: str
    failure: str


def files(folder: Path) -> list[Path]:
    """The program files of a folder, in order of name: those that have at least one block header."""
    return [path for path in sorted(folder.glob("*.py")) if any(map(HEADER.match, _lines(path)))]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def read(path: Path) -> list[Block]:
    """The blocks of one file. Raises ValueError for an id that comes twice."""
    head: list[str] = []
    parts: list[tuple[str, str, list[str]]] = []
    for line in _lines(path):
        match = HEADER.match(line)
        if match:
            parts.append((match[1], match[2], []))
        else:
            (parts[-1][2] if parts else head).append(line)
    ids = [part[0] for part in parts]
    if len(set(ids)) != len(ids):
        raise ValueError(f"{path.name}: an id comes twice")
    return [
        Block(i, title, path, "\n".join(head) + "\n", "\n".join(body).strip("\n") + "\n") for i, title, body in parts
    ]


def read_folder(folder: Path) -> list[Block]:
    """All blocks of a folder."""
    return [block for path in files(folder) for block in read(path)]


@functools.cache
def golden(path: Path) -> dict[str, str]:
    """Recorded output by id, from the `.out` file beside a program file (empty if there is none)."""
    found: dict[str, list[str]] = {}
    text: list[str] = []
    recorded = path.with_suffix(".out")
    if recorded.exists():
        for line in recorded.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.startswith("#% "):
                text = found.setdefault(line[3:].strip(), [])
            else:
                text.append(line)
    return {i: "".join(part) for i, part in found.items()}


def write_golden(path: Path, results: dict[str, Result]) -> None:
    """Record what the blocks of one file printed, in the order of the file."""
    text = "".join(f"#% {block.id}\n{results[block.id].stdout}" for block in read(path))
    path.with_suffix(".out").write_text(text, encoding="utf-8", newline="\n")


def run(module: str, paths: tuple[Path, ...]) -> dict[str, Result]:
    """Run every block of these files in a new interpreter with `module` as torch; results by id.

    Raises RuntimeError if the interpreter fails as a whole, as when the module cannot be imported.
    """
    printed, errors = _run(module, paths)
    if printed is None:
        raise RuntimeError(f"the runner failed for {module}:\n{errors[-3000:]}")
    return printed


@functools.cache
def _run(module: str, paths: tuple[Path, ...]) -> tuple[dict[str, Result] | None, str]:
    """`run`, done once for the same arguments: a failure too is remembered, not repeated for every test."""
    command = [sys.executable, "-m", "tests.scenarios.blocks", "--json", "--module", module, *map(str, paths)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONWARNINGS", None)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        return None, done.stderr
    return {i: Result(*pair) for i, pair in json.loads(done.stdout).items()}, done.stderr


# ---- from here on: inside the runner's process ----


def _install(name: str) -> None:
    """Import a module and let it and its submodules answer to the name torch."""
    module = importlib.import_module(name)
    if name == "torch":
        return
    if any(key.split(".")[0] == "torch" for key in sys.modules):
        raise ImportError(f"{name} imports the real torch")
    for part in SUBMODULES:
        try:
            sys.modules[f"torch.{part}"] = importlib.import_module(f"{name}.{part}")
        except ModuleNotFoundError:
            continue
    for key, value in list(sys.modules.items()):
        if key.startswith(f"{name}."):
            sys.modules["torch" + key[len(name) :]] = value
    sys.modules["torch"] = module


def _own_frames(text: str) -> str:
    """A message with a traceback inside: keep the frames of the block, drop those of the runner and the library."""
    kept: list[str] = []
    keep = True
    for line in text.splitlines():
        if line.startswith('  File "'):
            keep = line.startswith('  File "<') and not line.startswith('  File "<frozen')
        elif not line.startswith("    "):
            keep = True
        if keep and line.strip(" ~^"):
            kept.append(line)
    return "\n".join(kept)


def _print_warning(message: Warning | str, category: type[Warning], *_: object) -> None:
    print(f"{category.__name__}: {_own_frames(TRIGGERED.sub('', str(message)))}")


def _execute(block: Block) -> str:
    """Run a block in this process, printing to sys.stdout; give the traceback that ended it, or ""."""
    warnings.simplefilter("always")
    warnings.showwarning = _print_warning  # type: ignore[assignment]
    name = f"<{block.id}>"
    linecache.cache[name] = (len(block.source), None, block.source.splitlines(keepends=True), name)
    scope: dict[str, object] = {"__name__": "__main__"}
    try:
        exec(compile(block.head, str(block.path), "exec"), scope)
        exec(compile(block.source, name, "exec"), scope)
    except BaseException:
        return traceback.format_exc()
    return ""


def _masked(text: str, module: str) -> str:
    return ADDRESS.sub("0xADDRESS", text).replace(f"module '{module}'", "module 'torch'")


def _forked(block: Block, module: str) -> Result:
    """Run a block in a fork of this process, so that it leaves nothing behind."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        signal.alarm(SECONDS)
        sys.stdout = printed = io.StringIO()
        failure = _execute(block)
        with os.fdopen(writer, "w", encoding="utf-8") as pipe:
            json.dump([_masked(printed.getvalue(), module), failure], pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(pid, 0)
    if status:
        return Result("", f"ended with status {status} (after {SECONDS} s: signal {int(signal.SIGALRM)})")
    return Result(*json.loads(answer))


def _spawned(block: Block, module: str) -> Result:
    """The same where there is no fork: one more interpreter."""
    command = [sys.executable, "-m", "tests.scenarios.blocks", "--module", module, "--here", block.id, str(block.path)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=2 * SECONDS)
    return Result(*json.loads(done.stdout)) if done.returncode == 0 else Result("", done.stderr)


def _results(blocks: Iterable[Block], module: str) -> Iterator[tuple[str, Result]]:
    for block in blocks:
        yield block.id, (_forked if hasattr(os, "fork") else _spawned)(block, module)


def main() -> None:
    """Command line of the runner; see the head of this file."""
    parser = argparse.ArgumentParser(description="run blocks with a module in the place of torch")
    parser.add_argument("--module", default="autogradlab")
    parser.add_argument("--json", action="store_true", help="print one JSON object: id -> [stdout, failure]")
    parser.add_argument("--here", metavar="ID", help="run this block alone, without a process of its own")
    parser.add_argument("--only", default="", help="only blocks whose id starts so")
    parser.add_argument("paths", nargs="+", type=Path)
    args = parser.parse_args()
    _install(args.module)
    blocks = [block for path in args.paths for block in read(path) if block.id.startswith(args.only)]
    if args.here:
        block = next(b for b in blocks if b.id == args.here)
        real, sys.stdout = sys.stdout, io.StringIO()
        failure = _execute(block)
        printed, sys.stdout = _masked(sys.stdout.getvalue(), args.module), real
        print(json.dumps([printed, failure]))
    elif args.json:
        print(json.dumps({i: [r.stdout, r.failure] for i, r in _results(blocks, args.module)}))
    else:
        for i, result in _results(blocks, args.module):
            print(f"#% {i}\n{result.stdout}{result.failure}", end="")


if __name__ == "__main__":
    main()
