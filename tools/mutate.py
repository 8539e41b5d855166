"""Random faults in the sources, one at a time: which of them do the quick tests notice?

    python tools/mutate.py 200 --seed 1                    200 mutants, in all areas alike
    python tools/mutate.py 20 --seed 1 --only getitem      20 in one area
    python tools/mutate.py 0 --again survivors.json        once more those that a run wrote down (--to survivors.json)

A mutant is the tree with one place changed: an operator or a comparison, a number, True for False, a condition negated,
two arguments swapped, a statement removed. The tests run in a copy of the tree, in this process's children: one run of
all of them notes which functions each enters, then each mutant meets those that enter its function, the quickest first,
until one fails or takes too long: the recorded programs (tests/test_programs.py), without pytest, then the tests.
Survivors are printed as diffs; each is a test that is missing, or means the same as what stood there. Tests that need
PyTorch are left out.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import py_compile
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORE_TESTS = (
    "tests/test_engine_lanes.py",
    "tests/test_engine_reach.py",
    "tests/test_gradient_writes.py",
    "tests/test_interrupts.py",
    "tests/test_leaks.py",
    "tests/test_counts.py",
    "tests/test_commit.py",
    "tests/test_detached.py",
    "tests/ops/test_goldens.py",
    "tests/ops/test_inplace.py",
    "tests/ops/test_mapped.py",
    "tests/ops/test_hypothesis_views.py",
    "tests/ops/test_adding.py",
    "tests/ops/test_bits.py",
    "tests/ops/test_ways.py",
    "tests/fuzz/test_mended.py",
    "tests/test_kernels.py",
    "tests/test_user_errors.py",
    "tests/test_rows.py",
)
#: what is mutated, by area, and the tests that are asked
AREAS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "engine": (("core/backward/engine.py", "core/backward/validate.py", "core/backward/anomaly.py"), CORE_TESTS),
    "firing": (("core/backward/firing.py", "core/graph/node.py"), CORE_TESTS),
    "leaves": (("core/backward/leaves.py", "core/tensor/edges.py"), CORE_TESTS),
    "saved": (("core/recording/record.py",), CORE_TESTS),
    "views": (("core/recording/views.py", "core/graph/slices.py", "core/memory/", "ops/first/shape.py"), CORE_TESTS),
    "inplace": (("core/recording/inplace.py", "ops/table/inplace.py"), CORE_TESTS),
    "getitem": (("ops/first/getitem.py", "ops/first/index.py"), CORE_TESTS),
    "snapshot": (("inspectors/snapshot/",), ("tests/inspectors",)),
    "lab": (("lab/*.py",), ("tests/lab",)),
}
MARKS = "not slow and not browser and not parity"
#: seconds of tests that a mutant meets at most, and of processor time that it may take beyond what they took
MOST_SECONDS, GRACE = 25.0, 10.0

OTHER: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """One changed place: the bytes from `start` to `end` of a file become `text`."""

    area: str
    path: str
    function: str
    line: int
    start: int
    end: int
    text: str

    def apply(self, source: bytes) -> bytes:
        """The file with the change."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def diff(self, source: bytes) -> str:
        """The change as a reader sees it."""
        old, new = (text.decode().splitlines() for text in (source, self.apply(source)))
        return "\n".join([*difflib.unified_diff(old, new, self.path, self.path, lineterm="", n=2)][2:])


def changed(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The changes of one node: what is replaced, and by which text."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in OTHER:
            yield node, ast.unparse(ast.BinOp(left, OTHER[type(op)](), right))
        case ast.Compare(left, [op], rights):
            yield node, ast.unparse(ast.Compare(left, [OTHER[type(op)]()], rights))
        case ast.BoolOp(op, values):
            yield node, "(" + ast.unparse(ast.BoolOp(OTHER[type(op)](), values)) + ")"
        case ast.Constant(bool() as value):
            yield node, str(not value)
        case ast.Constant(int() | float() as value):
            yield node, str(value + 1)
        case ast.UnaryOp(ast.Not(), operand):
            yield node, ast.unparse(operand)
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield test, f"(not ({ast.unparse(test)}))"
        case ast.Call(function, [first, second, *rest], keywords) if not isinstance(first, ast.Starred):
            if not isinstance(second, ast.Starred) and ast.dump(first) != ast.dump(second):
                yield node, ast.unparse(ast.Call(function, [second, first, *rest], keywords))
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield node, "pass"
        case ast.Assign([ast.Attribute() | ast.Subscript()]) | ast.Delete():
            yield node, "pass"


def below(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the function runs: no annotations, no docstrings, no assertions, no inner functions."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "args", "decorator_list") and not isinstance(node, ast.Call):
            continue
        for child in value if isinstance(value, list) else [value]:
            inner = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assert))
            if isinstance(child, ast.AST) and not inner:
                yield child
                yield from below(child)


def functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions of a file by the names by which Python knows them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + child.name, child
            yield from functions(child, f"{prefix}{child.name}.<locals>.")
        else:
            yield from functions(child, f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix)


def mutants(area: str, path: str, source: bytes) -> list[Mutant]:
    """All mutants of one file, in its functions."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for name, function in functions(ast.parse(source)):
        for node in below(function):
            for place, text in changed(node):
                assert isinstance(place, (ast.expr, ast.stmt)) and place.end_lineno and place.end_col_offset
                start = starts[place.lineno - 1] + place.col_offset
                end = starts[place.end_lineno - 1] + place.end_col_offset
                found.append(Mutant(area, path, name, place.lineno, start, end, text))
    return found


def files(area: str, root: Path) -> list[Path]:
    """The sources of an area."""
    found = []
    for pattern in AREAS[area][0]:
        where = root / "autogradlab"
        found += sorted(where.glob(pattern + "*.py" if pattern.endswith("/") else pattern))
    return found


def chosen(areas: Sequence[str], count: int, seed: int, root: Path) -> list[Mutant]:
    """So many mutants by chance, the same number of each area; no two at the same place."""
    drawn: list[Mutant] = []
    for i, area in enumerate(areas):
        every = [m for path in files(area, root) for m in mutants(area, str(path.relative_to(root)), path.read_bytes())]
        share = count // len(areas) + (i < count % len(areas))
        drawn += random.Random(f"{seed} {area}").sample(every, min(share, len(every)))
    return drawn


# -- running tests in children

#: by the test's name: its seconds, and the functions that it enters, by file and name
Tests = dict[str, tuple[float, list[tuple[str, str]]]]


class Entered:
    """A pytest plugin: which functions below a folder each test enters, and how long it takes."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.now: set[tuple[str, str]] = set()
        self.tests: Tests = {}

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.folder):
            self.now.add((code.co_filename.removeprefix(self.folder), code.co_qualname))

    def pytest_runtest_protocol(self, item: Any) -> None:
        self.now = set()
        sys.settrace(self)
        threading.settrace(self)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.tests[report.nodeid] = (report.duration, [])
        elif report.when == "teardown" and report.nodeid in self.tests:
            self.tests[report.nodeid][1].extend(self.now)


class Only:
    """A pytest plugin: these tests and no others, in this order."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self.order = {name: i for i, name in enumerate(wanted)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda i: self.order[i.nodeid])


def in_child(act: Callable[[], int], seconds: float) -> int | None:
    """What `act` gives, as the exit code of a child that prints to `child.log`; None where it took too long."""
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        log = os.open("child.log", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        for stream in (0, 1, 2):
            os.dup2(log, stream)
        code = 99
        try:
            code = int(act())
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + 20 * seconds  # a lock that nobody lets go takes no processor time
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def pytest_run(arguments: Sequence[str], plugin: object) -> int:
    """pytest in this process."""
    import pytest

    return int(
        pytest.main(["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", MARKS, *arguments], plugins=[plugin])
    )


def entered(tests: Sequence[str], copy: Path, kept: Path | None) -> Tests:
    """The run that notes what each test enters, in a child; or what an earlier one has `kept` in a folder."""
    to = (kept or copy) / f"entered-{tests[-1].replace('/', '-')}.json"

    def act() -> int:
        plugin = Entered(f"{copy}/")
        code = pytest_run([*tests, "--maxfail=1000"], plugin)
        to.write_text(json.dumps(plugin.tests), encoding="utf-8")
        return code

    if not to.exists() and in_child(act, 3000) not in (0, 1):  # 1: a test that does not bear to be traced is left out
        sys.exit(f"the tests do not run\n{Path('child.log').read_text(encoding='utf-8')}")
    return {
        name: (took, [(f, n) for f, n in where])
        for name, (took, where) in json.loads(to.read_text(encoding="utf-8")).items()
    }


def quickest(tests: Tests) -> list[str]:
    """Tests in the order in which a mutant meets them: the quickest of each file, the next of each file ..., for so
    many seconds at most."""
    ranked: list[tuple[int, float, str]] = []
    by_file: dict[str, int] = defaultdict(int)
    for name in sorted(tests, key=lambda name: tests[name][0]):
        file = name.partition("::")[0]
        ranked.append((by_file[file], tests[name][0], name))
        by_file[file] += 1
    order, total = [], 0.0
    for _, took, name in sorted(ranked):
        total += took
        if total > MOST_SECONDS:
            break
        order.append(name)
    return order


def programs() -> dict[str, Any]:
    """The recorded programs by name, in a process that has `autogradlab` in torch's place from now on."""
    from tests import recorded
    from tests.scenarios import blocks

    del sys.modules["torch"]
    blocks._install("autogradlab")
    found = [(name, path) for name in recorded.PROGRAMS for path in blocks.files(Path("tests", name).resolve())]
    return {f"{name}/{block.id}": block for name, path in found for block in blocks.read(path)}


def entered_by_programs(copy: Path, kept: Path | None) -> Tests:
    """What `entered` says of tests, of the programs; each runs in a child of a child, and leaves nothing behind."""
    to = (kept or copy) / "entered-programs.json"

    def one(block: Any, note: Path) -> int:
        from tests.scenarios import blocks

        plugin = Entered(f"{copy}/")
        start = time.perf_counter()
        sys.settrace(plugin)
        threading.settrace(plugin)
        blocks._execute(block)
        sys.settrace(None)
        note.write_text(json.dumps([time.perf_counter() - start, sorted(plugin.now)]), encoding="utf-8")
        return 0

    def act() -> int:
        found = {}
        for name, block in programs().items():
            note = copy / "note.json"
            if in_child(lambda block=block, note=note: one(block, note), 20) == 0:  # type: ignore[misc]
                found[name] = json.loads(note.read_text(encoding="utf-8"))
        to.write_text(json.dumps(found), encoding="utf-8")
        return 0

    if not to.exists() and in_child(act, 3000) != 0:
        sys.exit(f"the programs do not run\n{Path('child.log').read_text(encoding='utf-8')}")
    return {
        name: (took, [(f, n) for f, n in where])
        for name, (took, where) in json.loads(to.read_text(encoding="utf-8")).items()
    }


def differs(names: Sequence[str]) -> int:
    """1 if one of these programs prints something else than what is recorded."""
    from tests import recorded
    from tests.scenarios import blocks

    every = programs()
    for name in names:
        block = every[name]
        result, stored = blocks._forked(block, "autogradlab"), blocks.golden(block.path)[block.id]
        if result.failure or recorded.settled(result.stdout, stored, "programs", block.id) != stored:
            return 1
    return 0


def killed(mutant: Mutant, runs: Tests, tests: Tests, copy: Path) -> bool:
    """Whether a program or a test notices the mutant."""
    early, order = quickest(runs), quickest(tests)
    path = copy / mutant.path
    source = path.read_bytes()
    compiled = Path(cache_from_source(str(path)))

    def by_programs() -> int:
        sys.dont_write_bytecode = True
        return differs(early)

    def by_tests() -> int:
        sys.dont_write_bytecode = True
        return pytest_run(sorted({name.partition("::")[0] for name in order}), Only(order))

    def allowed(names: Sequence[str], known: Tests) -> float:
        return GRACE + 4 * sum(known[name][0] for name in names)

    path.write_bytes(mutant.apply(source))
    compiled.unlink(missing_ok=True)
    try:
        if early and in_child(by_programs, allowed(early, runs)) != 0:
            return True
        return bool(order) and in_child(by_tests, allowed(order, tests)) != 0
    finally:
        path.write_bytes(source)
        py_compile.compile(str(path))


def copied(to: Path) -> Path:
    """A copy of the tree that is tested, from now on the one that `import autogradlab` finds, without PyTorch."""
    copy = to / "tree"
    leave = shutil.ignore_patterns(".git", "__pycache__", ".*_cache", "site", "build", "dist")
    shutil.copytree(ROOT, copy, ignore=leave, symlinks=True)
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    os.environ["PYTHONPATH"] = str(copy)
    sys.modules["torch"] = None  # type: ignore[assignment]  # as where it is not installed
    import numpy
    import pytest

    del numpy, pytest  # loaded once, for all children
    return copy


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=AREAS, default=list(AREAS))
    parser.add_argument("--again", type=Path, help="the survivors of an earlier run, as --to wrote them")
    parser.add_argument("--map", type=Path, help="a folder that keeps, for the next run, what each test enters")
    parser.add_argument("--to", type=Path, help="where to write the survivors")
    options = parser.parse_args()
    to, kept = (path.resolve() if path else None for path in (options.to, options.map))
    found = [Mutant(**m) for m in json.loads(options.again.read_text(encoding="utf-8"))] if options.again else []
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        found += chosen(options.only, options.count, options.seed, copy)
        survivors = []
        for tests in dict.fromkeys(AREAS[m.area][1] for m in found):
            known = entered(tests, copy, kept)
            runs = entered_by_programs(copy, kept)
            for mutant in (m for m in found if AREAS[m.area][1] == tests):
                place = (mutant.path, mutant.function)
                first, then = ({name: t for name, t in some.items() if place in t[1]} for some in (runs, known))
                gone = killed(mutant, first, then, copy)
                print("killed  " if gone else "SURVIVES", f"{mutant.area:8} {mutant.path}:{mutant.line}", flush=True)
                if not gone:
                    diff = mutant.diff((copy / mutant.path).read_bytes())
                    print(f"by {len(first)} programs, {len(then)} tests\n{diff}\n", flush=True)
                    survivors.append(mutant)
                    if to:
                        to.write_text(json.dumps([asdict(m) for m in survivors], indent=1), encoding="utf-8")
    print(f"{len(found) - len(survivors)} of {len(found)} killed, seed {options.seed}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
