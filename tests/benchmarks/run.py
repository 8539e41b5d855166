"""The command's options and its printed page."""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from . import everyday, harness, imports, stress
from .cases import CASES


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="autogradlab next to PyTorch, HIPS autograd and hand-written NumPy, one thread each.",
    )
    options.add_argument("--quick", action="store_true", help="about 15 seconds in all instead of about 60")
    options.add_argument("--seconds", type=float, metavar="S", help="time for all chosen cases together")
    options.add_argument("--only", action="append", metavar="NAME", help="a case or a pattern; may be given again")
    options.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to FILE")
    options.add_argument("--best", action="store_true", help="print the best round of each instead of the median")
    options.add_argument("--page-faults", action="store_true", help="leave freed memory to the system: real, but noisy")
    options.add_argument("--list", action="store_true", help="name the cases and stop")
    options.add_argument("--stress", action="store_true", help="check depth and memory instead of timing")
    options.add_argument("--everyday", action="store_true", help="everyday workloads next to PyTorch, and their mean")
    options.add_argument("--length", type=int, default=stress.LENGTH, metavar="N", help="ops in a chain of --stress")
    options.add_argument("--module", default="autogradlab", help="what to measure in the place of autogradlab")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all that was asked for agreed, 1 when a contender is wrong, 2 for bad options."""
    options = parser()
    asked = options.parse_args(arguments)
    about = {case.name: case.about for case in CASES} | {imports.NAME: imports.ABOUT}
    if asked.list:
        for name, text in about.items():
            harness.progress(f"{name:<27}{text}")
        return 0
    if asked.everyday:
        about = dict.fromkeys(everyday.WORKLOADS, "")
    wanted = [name for name in about if not asked.only or any(fnmatchcase(name, only) for only in asked.only)]
    for only in asked.only or ():
        if not any(fnmatchcase(name, only) for name in about):
            options.error(f"no case is called {only!r}; --list names them")
    if asked.length < 2:
        options.error("--length must be at least 2")

    kept = not (asked.stress or asked.page_faults) and harness.keep_memory()
    modules = harness.contenders(asked.module)
    if "ours" not in modules:
        options.error(f"there is no module {asked.module!r} to measure")
    facts = harness.environment(modules, kept)
    harness.progress(", ".join(f"{name} {value}" for name, value in facts.items()))
    if asked.stress:
        good = stress.run(modules["ours"], asked.length, harness.progress)
        stress.scale(modules["ours"], asked.length, harness.progress)
        return 0 if good else 1

    if asked.everyday:
        if "torch" not in modules:
            options.error("--everyday compares with PyTorch, which is not installed")
        whole = asked.seconds or (15.0 if asked.quick else 60.0)
        everyday.run(modules["ours"], modules["torch"], whole * len(wanted) / len(about), wanted, harness.progress)
        return 0

    share = 1.0 if not asked.only else len(wanted) / len(about)
    seconds = asked.seconds if asked.seconds is not None else (15.0 if asked.quick else 60.0) * max(share, 0.1)
    rounds = 5 if asked.quick else 9
    harness.progress(harness.header(asked.module))
    gc.freeze()  # what the modules made when they were loaded is not the collector's business in a measurement
    rows, wrong = [], 0
    for name in wanted:
        try:
            if name == imports.NAME:
                row = imports.run(modules, seconds / len(wanted), rounds)
            else:
                case = next(case for case in CASES if case.name == name)
                row = harness.run_case(case, modules, seconds / len(wanted), rounds)
        except Exception as error:  # the other cases are still worth their numbers
            harness.progress(f"{name:<27}FAILED: {type(error).__name__}: {error}")
            wrong += 1
            continue
        rows.append(row)
        harness.progress(harness.line(row, "best" if asked.best else "median"))
        added = row.seconds("ours")
        if name == imports.NAME and added is not None:
            verdict = "met" if added <= imports.LIMIT else "missed"
            harness.progress(f"  ours adds {added * 1e3:.1f} ms to numpy; goal {imports.LIMIT * 1e3:.0f} ms: {verdict}")
    if asked.json:
        asked.json.write_text(json.dumps(harness.as_json(rows, facts), indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0
