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
import atexit
import contextlib
import functools
import gc
import importlib
import io
import json
import linecache
import os
import re
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = re.compile(r"^# ?% ([a-z0-9_-]+): (\S.*)$")  # the space is what formatters put there
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
TRIGGERED = re.compile(r"\s*\(Triggered internally at .*?\)(?=\s*$|\n)", re.DOTALL)
SECONDS = 30  # for one block
# This module in a new interpreter. The checkout comes last there (-P, append): an installed autogradlab is found first.
COMMAND = [
    *(sys.executable, "-P", "-c"),
    f"import sys; sys.path.append({str(ROOT)!r}); from tests.scenarios.blocks import main; main()",
]
# What a process imports that runs programs on PyTorch in forks: the first optimizer of each would import the second of
# these, its first dual tensor the third, which takes longer than the program.
TORCH = ("torch", "torch._dynamo", "torch._decomp.decompositions_for_jvp")
# The same of autogradlab, which loads most of itself when it is first asked for; besides, all families of operations.
LATE = ("distributions", "inspectors", "ops.reference.texts", "overrides")
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
    "func",
    "functional",
    "linalg",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.parameter",
    "nn.utils.parametrize",
    "nn.utils.prune",
    "nn.utils.rnn",
    "optim",
    "optim.lr_scheduler",
    "random",
    "special",
    "testing",
    "utils",
    "utils.benchmark",
    "utils.benchmark.utils",
    "utils.benchmark.utils.common",
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


def write_golden(path: Path, results: Mapping[str, str]) -> None:
    """Record what the blocks of one file printed, in the order of the file."""
    text = "".join(f"#% {block.id}\n{results[block.id]}" for block in read(path))
    path.with_suffix(".out").write_text(text, encoding="utf-8", newline="\n")


class Runner:
    """An interpreter with a module in torch's place. Blocks are given to it one after the other; each runs in a fork of
    the fresh interpreter, so that the module is imported once and nothing of a block is left for the next. With
    `whole`, what a block would load late is loaded once, too: a third of the time."""

    def __init__(self, module: str, variables: Mapping[str, str] | None = None, whole: bool = False) -> None:
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1", **(variables or {})}
        environment.pop("PYTHONWARNINGS", None)
        self.module = module
        self.broken = ""
        self.errors = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")  # noqa: SIM115 closed by close
        self.process = subprocess.Popen(
            [*COMMAND, "--serve", "--module", module, *(["--whole"] if whole else [])],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            encoding="utf-8",
        )

    def run(self, block: Block) -> Result:
        """What a block prints. Raises RuntimeError if the interpreter fails as a whole, as when there is no such
        module; once it has failed it is not tried again."""
        if not self.broken:
            stdin, stdout = self.process.stdin, self.process.stdout
            assert stdin is not None and stdout is not None
            try:
                stdin.write(json.dumps([block.id, block.title, str(block.path), block.head, block.source]) + "\n")
                stdin.flush()
                answer = stdout.readline()
            except BrokenPipeError:
                answer = ""
            if answer:
                return Result(*json.loads(answer))
            self.process.wait(SECONDS)
            self.errors.seek(0)
            self.broken = f"the runner failed for {self.module}:\n{self.errors.read()[-3000:]}"
        raise RuntimeError(self.broken)

    def close(self) -> None:
        """End the interpreter."""
        with contextlib.suppress(BrokenPipeError):
            self.process.communicate()
        self.errors.close()


@functools.cache
def runner(module: str, whole: bool = False) -> Runner:
    """The one runner of this process for a module."""
    made = Runner(module, whole=whole)
    atexit.register(made.close)
    return made


def run(module: str, block: Block, whole: bool = False) -> Result:
    """What one block prints with `module` as torch."""
    return runner(module, whole).run(block)


# ---- from here on: inside the runner's process ----


def _install(name: str, whole: bool = False) -> None:
    """Import a module and let it and its submodules answer to the name torch; of autogradlab, all of it if `whole`."""
    module = importlib.import_module(name)
    if name == "torch":
        for part in TORCH:
            importlib.import_module(part)
        return
    if any(key.split(".")[0] == "torch" for key in sys.modules):
        raise ImportError(f"{name} imports the real torch")
    for part in SUBMODULES:
        try:
            sys.modules[f"torch.{part}"] = importlib.import_module(f"{name}.{part}")
        except ModuleNotFoundError:
            continue
    if whole:
        for part in LATE:
            importlib.import_module(f"{name}.{part}")
        importlib.import_module(f"{name}.ops.table.families").load_all()
        importlib.import_module("tests.scenarios.show")
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
            keep = line.startswith('  File "<') and not line.startswith(('  File "<frozen', '  File "<string>'))
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
    command = [*COMMAND, "--module", module, "--here", block.id, str(block.path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=2 * SECONDS)
    return Result(*json.loads(done.stdout)) if done.returncode == 0 else Result("", done.stderr)


_apart = _forked if hasattr(os, "fork") else _spawned


def _serve(module: str) -> None:
    """Read blocks from stdin, a JSON list on a line each; answer each with a line, [stdout, failure]."""
    asked, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a block that reads or writes past sys.stdin and sys.stdout disturbs no other
    os.dup2(2, 1)
    gc.collect()
    gc.freeze()  # a fork that collects garbage would copy all that was imported
    for line in asked:
        block_id, title, path, head, source = json.loads(line)
        result = _apart(Block(block_id, title, Path(path), head, source), module)
        answers.write(json.dumps([result.stdout, result.failure]) + "\n")
        answers.flush()


def main() -> None:
    """Command line of the runner; see the head of this file."""
    parser = argparse.ArgumentParser(description="run blocks with a module in the place of torch")
    parser.add_argument("--module", default="autogradlab")
    parser.add_argument("--serve", action="store_true", help="read blocks from stdin (see Runner)")
    parser.add_argument("--whole", action="store_true", help="load everything before the first block (see Runner)")
    parser.add_argument("--here", metavar="ID", help="run this block alone, without a process of its own")
    parser.add_argument("--only", default="", help="only blocks whose id starts so")
    parser.add_argument("paths", nargs="*", type=Path)
    args = parser.parse_args()
    _install(args.module, args.whole)
    if args.serve:
        _serve(args.module)
        return
    blocks = [block for path in args.paths for block in read(path) if block.id.startswith(args.only)]
    if args.here:
        block = next(b for b in blocks if b.id == args.here)
        real, sys.stdout = sys.stdout, io.StringIO()
        failure = _execute(block)
        printed, sys.stdout = _masked(sys.stdout.getvalue(), args.module), real
        print(json.dumps([printed, failure]))
        return
    for block in blocks:
        result = _apart(block, args.module)
        print(f"#% {block.id}\n{result.stdout}{result.failure}", end="")


if __name__ == "__main__":
    main()
