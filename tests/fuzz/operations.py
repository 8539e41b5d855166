"""Random programs of operations, run statement by statement in two worlds, PyTorch's (the judge's) and ours.

    python -m tests.fuzz.operations --seed 0 --programs 300       agreement, and the differences by class
    python -m tests.fuzz.operations --seed 0 --programs 300 --show 20      with the smallest program of 20 kinds
    python -m tests.fuzz.operations --seed 0 --only 137           one program, its first difference, shrunk
    python -m tests.fuzz.operations --mended                  statements that differed once: nothing is printed
    python -m tests.fuzz.operations --library torch               PyTorch beside itself: it must agree everywhere

Program i of seed s depends on (s, i) alone. It grows by one statement at a time, made from what the judge's variables
are at that moment, so that most statements fit; about one in nine is wild and meets errors. After every statement all
that can be observed of the two worlds is compared (tests.fuzz.worlds), and at its first difference the program ends. It
also ends, agreeing, where both refuse an in-place operation in the same words after PyTorch has half written its
memory. Variables that grow beyond 1e4, fall below 1e-5 or have more than 200 elements are deleted on both sides.

`--ignore version,warnings` leaves fields out, to see what lies behind them. Programs run in forked children: a crash
or a hang of ours is a difference, a crash of the judge drops the program. Neither library is handed an object of the
other.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import re
import signal
import sys
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.statements import Maker, too_large
from tests.fuzz.worlds import Difference, World, alarm, compare

__all__ = ["CLASSES", "Pair", "classify", "run"]

#: statements of a program
LENGTH = (6, 16)
#: programs of a child
CHUNK = 100
#: seconds after which a child ends in the middle of a program: the alarms of `World` do not reach into a deadlock
DEADLOCK = 300
#: statements that differed once, in paragraphs: a title, what comes before each of them, and the statements
MENDED = Path(__file__).with_name("mended.txt")
#: errors after which PyTorch leaves memory half written
TORN = re.compile(r"ZeroDivisionError|Inplace update to inference tensor|resize storage that is not resizable")

Statement = tuple[str, str]  # tag, source

#: the classes of differences that are known, and why each is still there
CLASSES: dict[str, str] = {
    name: known["reason"]
    for name, known in tomllib.loads(Path(__file__).with_name("differences.toml").read_text()).items()
}
_FIELDS = {
    "version": "version",
    "graph": "graph",
    "output_nr": "graph",
    "stride": "layout",
    "offset": "layout",
    "bytes": "layout",
    "warnings": "warnings",
    "log": "log",
    "values": "values",
    "repr": "values",
    "memory": "memory",
    "view": "memory",
    "base": "memory",
    "same": "memory",
    "object": "module",
}


def classify(field: str, theirs: Any, ours: Any) -> str:
    """The class of a difference: a key of CLASSES, or "crash" or "hang", which are never known."""
    if field == "crash" or (field == "outcome" and str(ours).startswith("hang")):
        return "crash" if field == "crash" else "hang"
    if field == "outcome":
        return "refuses" if theirs == "ok" else "accepts" if ours == "ok" else "words"
    return _FIELDS.get(field.removeprefix("grad."), "kind")


class Pair:
    """The judge's world and ours, side by side."""

    def __init__(self, library: str = "autogradlab", ignored: frozenset[str] = frozenset()) -> None:
        self.judge, self.ours, self.ignored = World("torch"), World(library), ignored
        self.judge.shared = self.ours.shared = library == "torch"

    def reset(self) -> None:
        self.judge.reset()
        self.ours.reset()

    def step(
        self, source: str, note: Callable[[str], None] = lambda side: None
    ) -> tuple[Difference | None, str | None]:
        """A statement in both worlds: the first difference, and the error where both say the same."""
        ran, seen = [], []
        for side, world in (("judge", self.judge), ("ours", self.ours)):
            note(side)
            ran.append(world.run(source))
            seen.append(world.observe())
        outcomes = {one["outcome"] for one in ran}
        if len(outcomes) == 1 and TORN.search(ran[0]["outcome"]):
            return None, ran[0]["outcome"]
        return compare(ran, seen, self.ignored), None

    def generate(
        self, seed: int, index: int, note: Callable[[str], None] = lambda side: None
    ) -> tuple[list[Statement], Difference | None]:
        """A random program, as far as the two agree, and where they differ."""
        rng = random.Random(f"{seed}:{index}")
        self.reset()
        maker = Maker(rng, self.judge)
        program: list[Statement] = []
        for _ in range(rng.randint(*LENGTH)):
            program.append(maker.statement())
            found, torn = self.step(program[-1][1], note)
            if found or torn:
                return program, found
            if gone := too_large(self.judge):
                program.append(("del", "del " + ", ".join(gone)))
                found, _ = self.step(program[-1][1], note)
                if found:
                    return program, found
        return program, None

    def replay(self, program: list[Statement]) -> tuple[int, Difference | None]:
        """How many statements of a given program run up to the first difference, and the difference."""
        self.reset()
        for at, (_, source) in enumerate(program):
            found, _ = self.step(source)
            if found:
                return at + 1, found
        return len(program), None

    def statements(self, path: Path = MENDED) -> list[tuple[str, Difference]]:
        """Every statement of a file, each after the first line of its paragraph, and what differs then."""
        wrong = []
        for paragraph in path.read_text().strip().split("\n\n"):
            _, setup, *rest = paragraph.split("\n")
            for source in rest:
                made = source if _is_statement(source) else f"v7 = {source}"
                _, found = self.replay([("setup", setup), ("statement", made)])
                if found:
                    wrong.append((source, found))
        return wrong

    def shrink(
        self, program: list[Statement], found: Difference, seconds: float = 6.0
    ) -> tuple[list[Statement], Difference]:
        """Statements are taken away while the same sort of difference stays at the last one."""
        goal, end, changed = bucket(program, found), time.monotonic() + seconds, True
        while changed:
            changed = False
            for at in range(len(program) - 2, -1, -1):
                if time.monotonic() > end:
                    return program, found
                less = program[:at] + program[at + 1 :]
                length, other = self.replay(less)
                if other and length == len(less) and bucket(less, other) == goal:
                    program, found, changed = less, other, True
        return program, found


def _is_statement(source: str) -> bool:
    try:
        compile(source, "<program>", "eval")
    except SyntaxError:
        return True
    return False


def bucket(program: list[Statement], found: Difference) -> str:
    """What makes two differences one: the sort of statement, the field, and for texts the words on both sides."""

    def plain(value: Any) -> str:
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        return re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "#", re.sub(r"\bv\d(\.grad)?\b", "v", text))[:160]

    field, theirs, ours = found
    tag = program[-1][0].partition("|")[0]
    said = f" · {plain(theirs)} ≠ {plain(ours)}" if field in ("outcome", "warnings") else ""
    return f"{tag} · {field}{said}"


# -- running -----------------------------------------------------------------------------------------------------------


def record(pair: Pair, seed: int, index: int, shrinking: bool, note: Callable[[str], None]) -> dict[str, Any]:
    """What is to be told of a program."""
    program, found = pair.generate(seed, index, note)
    told: dict[str, Any] = {"done": index, "length": len(program)}
    if found:
        told |= {"bucket": bucket(program, found), "class": classify(*found)}
        if shrinking:
            program, found = pair.shrink(program, found)
        told |= {"field": found[0], "judge": found[1], "ours": found[2], "program": [source for _, source in program]}
    return told


def in_child(pair: Pair, seed: int, indices: list[int], shrinking: bool, noting: bool = False) -> list[dict[str, Any]]:
    """Programs in a forked child: what it wrote before it ended."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            signal.signal(signal.SIGALRM, alarm)
            with os.fdopen(writing, "w", buffering=1) as pipe:

                def tell(what: dict[str, Any]) -> None:
                    pipe.write(json.dumps(what, default=str) + "\n")

                for index in indices:
                    faulthandler.dump_traceback_later(DEADLOCK, exit=True, file=sys.__stderr__)
                    tell(record(pair, seed, index, shrinking, lambda side: tell({"side": side}) if noting else None))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        lines = pipe.read().split("\n")[:-1]
    os.waitpid(pid, 0)
    return [json.loads(line) for line in lines]


def run(pair: Pair, seed: int, indices: list[int], shrinking: bool = False) -> dict[str, Any]:
    """How many programs ran and agree, every difference, and the numbers of the programs where the judge crashed."""
    told: list[dict[str, Any]] = []
    dropped: list[int] = []
    at = 0
    while at < len(indices):
        chunk = indices[at : at + CHUNK]
        done = in_child(pair, seed, chunk, shrinking)
        told += done
        at += len(done)
        if len(done) == len(chunk):
            continue
        # the child died in a program: once more, to learn in which world
        again = in_child(pair, seed, [indices[at]], False, noting=True)
        if again and again[-1].get("side") == "ours":
            crash = {"field": "crash", "class": "crash", "bucket": "crash", "judge": "", "ours": "", "program": []}
            told.append({"done": indices[at], "length": 0, **crash})
        else:
            dropped.append(indices[at])
        at += 1
    differences = [one for one in told if "class" in one]
    agree = len(told) - len(differences)
    return {"seed": seed, "total": len(told), "agree": agree, "dropped": dropped, "differences": differences}


def show(pair: Pair, found: dict[str, Any], most: int) -> None:
    """The most frequent sorts of difference, each with a program."""
    counts = Counter(one["bucket"] for one in found["differences"])
    for name, count in counts.most_common(most):
        same = [one for one in found["differences"] if one["bucket"] == name]
        example = min(same, key=lambda one: len(one["program"]))
        again = in_child(pair, found["seed"], [example["done"]], True)
        example = next((one for one in again if one.get("bucket") == name), example)
        print(f"\n[{count}] {name}   (--seed {found['seed']} --only {example['done']})")
        print("    " + "\n".join(example["program"]).replace("\n", "\n    "))
        print(f"    torch: {str(example['judge'])[:600]}\n    ours : {str(example['ours'])[:600]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--library", default="autogradlab")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--only", type=int, help="the number of one program")
    parser.add_argument("--json", type=Path, help="write all differences there")
    parser.add_argument("--ignore", default="", help="fields that are not compared, with commas")
    parser.add_argument("--mended", action="store_true", help="the statements that differed once, instead of programs")
    parser.add_argument("--show", type=int, default=0, help="so many sorts of difference with an example")
    given = parser.parse_args()
    sys.setrecursionlimit(3000)
    pair = Pair(given.library, frozenset(given.ignore.split(",")))
    if given.mended:
        signal.signal(signal.SIGALRM, alarm)
        for source, (field, theirs, ours) in pair.statements():
            print(f"{source}\n    {field}\n    torch: {theirs}\n    ours : {ours}")
        return
    one = given.only is not None
    found = run(pair, given.seed, [given.only] if one else list(range(given.programs)))
    show(pair, found, 1 if one else given.show)
    for name, count in Counter(each["class"] for each in found["differences"]).most_common():
        print(f"{count:5} {name}: {CLASSES.get(name, 'never known')}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1, default=str))
    print(f"{found['agree']} of {found['total']} agree (seed {given.seed}), {len(found['dropped'])} dropped")


if __name__ == "__main__":
    main()
