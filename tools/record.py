"""Record anew all that tests compare with and that comes from the real PyTorch, in one command.

    python tools/record.py                    everything
    python tools/record.py programs answers   some kinds: programs, answers, examples, samples, draws
    python tools/record.py programs --only tests/programs/hooks.py

programs: what the program files print; answers: what PyTorch says to the lists of expressions; examples: what the
examples of the help texts print; samples: PyTorch's results for the samples of every operation; draws: first numbers
and states of the generator. PyTorch runs under the settings of PINNED. Texts are made under other settings too, by
PyTorch and by autogradlab: which of them differ there in the last place is written to tests/recorded.toml
(tests/recorded.py).
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT)]
VERSION = "2.13."

#: the settings under which PyTorch is recorded: kernels for AVX2, the same on every processor that has it
PINNED = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "COMPATIBLE", "OMP_NUM_THREADS": "1"}
#: other settings, which tell what depends on the processor
OTHER: dict[str, dict[str, dict[str, str]]] = {
    "torch": {
        "PyTorch without AVX2": {**PINNED, "ATEN_CPU_CAPABILITY": "default"},
        "PyTorch with AVX-512": {**PINNED, "ATEN_CPU_CAPABILITY": "avx512"},
        "PyTorch with its fastest MKL": {**PINNED, "MKL_CBWR": "AUTO"},
        "PyTorch with oneDNN for AVX2": {**PINNED, "ONEDNN_MAX_CPU_ISA": "AVX2"},
    },
    "autogradlab": {
        "NumPy without AVX2": {
            "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
            "OPENBLAS_CORETYPE": "Prescott",
        },
        "NumPy with AVX2": {
            "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
            "OPENBLAS_CORETYPE": "Haswell",
        },
        "NumPy with AVX-512": {"OPENBLAS_CORETYPE": "SkylakeX"},
    },
}
#: which of them only a processor with AVX-512 can run
ONLY_AVX512 = ("PyTorch with AVX-512", "NumPy with AVX-512")
Texts = dict[str, str]


# ---- what a module says: run in a process of its own, by `said` ----


def programs(module: str, only: Sequence[Path]) -> Texts:
    """Output by id. A program that does not run to its end ends the recording."""
    blocks: Any = importlib.import_module("tests.scenarios.blocks")
    found = {}
    for path in only or program_files():
        for block in blocks.read(path):
            result = blocks.run(module, block)
            if result.failure and module == "torch":
                raise SystemExit(f"{path.name}: {block.id}\n{result.stdout}{result.failure}")
            found[block.id] = result.stdout + result.failure
    return found


def answers(module: str, only: Sequence[Path]) -> Texts:
    """Answers by list and number."""
    test: Any = importlib.import_module("tests.create.test_answers")
    return {
        f"{path.stem} {number}": text
        for path in only or test.LISTS
        for number, text in enumerate(test.answers(module, path), 1)
    }


def examples(module: str, only: Sequence[Path]) -> Texts:
    """Examples of the help texts by name, with what they print."""
    helptexts: Any = importlib.import_module("helptexts")
    lib = importlib.import_module(module)
    names = helptexts.public(importlib.import_module("autogradlab"))
    shown = {name: helptexts.example(inspect.getdoc(value) or "") for name, value in names.items()}
    return {name: helptexts.run(text, lib) for name, text in shown.items() if text}


def draws(module: str, only: Sequence[Path]) -> dict[str, Any]:
    """The state after some calls of each distribution and the first values, by name."""
    test: Any = importlib.import_module("tests.test_generator")
    return {name: test.drawn(name, importlib.import_module(module)) for name in test.CALLS}


SAID: dict[str, Callable[[str, Sequence[Path]], dict[str, Any]]] = {
    "programs": programs,
    "answers": answers,
    "examples": examples,
    "draws": draws,
}


def program_files() -> list[Path]:
    recorded: Any = importlib.import_module("tests.recorded")
    blocks: Any = importlib.import_module("tests.scenarios.blocks")
    return [path for folder in recorded.PROGRAMS for path in blocks.files(ROOT / "tests" / folder)]


def said(kind: str, module: str, settings: dict[str, str], only: Sequence[Path]) -> Texts:
    """What a module says under some settings."""
    command = [sys.executable, __file__, kind, "--say", module]
    if only:
        command += ["--only", *map(str, only)]
    done = subprocess.run(
        command, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True
    )
    return dict(json.loads(done.stdout))


# ---- writing down ----


def write_programs(texts: Texts, only: Sequence[Path]) -> None:
    blocks: Any = importlib.import_module("tests.scenarios.blocks")
    for path in only or program_files():
        blocks.write_golden(path, texts)


def write_answers(texts: Texts, only: Sequence[Path]) -> None:
    test: Any = importlib.import_module("tests.create.test_answers")
    for path in only or test.LISTS:
        found = [text for name, text in texts.items() if name.split()[0] == path.stem]
        joined = ">>> " + "\n>>> ".join(found)
        path.with_suffix(".golden").write_text(joined.rstrip("\n") + "\n", encoding="utf-8", newline="\n")


def write_draws(found: dict[str, Any]) -> None:
    test: Any = importlib.import_module("tests.test_generator")
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
    test.DRAWS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")


def write_examples(texts: Texts, only: Sequence[Path]) -> None:
    """The results of examples stand in the help texts themselves: their own tool writes them."""
    run_tool(["helptexts.py", "record", *map(str, only)])


def run_tool(arguments: Sequence[str]) -> None:
    command = [sys.executable, str(ROOT / "tools" / arguments[0]), *arguments[1:]]
    subprocess.run(command, env={**os.environ, **PINNED}, check=True, stdout=sys.stderr)


WRITERS: dict[str, Callable[[Texts, Sequence[Path]], None]] = {
    "programs": write_programs,
    "answers": write_answers,
    "examples": write_examples,
}


def varying(kind: str, stored: Texts, only: Sequence[Path]) -> Texts:
    """Which texts differ in the last place on other processors, and where that was seen."""
    recorded: Any = importlib.import_module("tests.recorded")
    found: Texts = {}
    absent = not_here()
    for module, settings in OTHER.items():
        texts = {
            where: said(kind, module, variables, only) for where, variables in settings.items() if where not in absent
        }
        for name, text in stored.items():
            seen = {where: other[name] for where, other in texts.items()}
            if module == "autogradlab" and len(set(seen.values())) == 1:
                continue  # the same everywhere: what differs from PyTorch then is no matter of processors
            wheres = [where for where, other in seen.items() if other != text]
            if wheres and not all(recorded.near(seen[where], text) for where in wheres):
                print(f"{kind}: {name}: more than the last place differs: {', '.join(wheres)}", file=sys.stderr)
            elif wheres:
                found[name] = ", ".join(filter(None, [found.get(name), *wheres]))
    return found


def not_here() -> Sequence[str]:
    """The settings that this processor cannot run: it would stop at an instruction that it does not have."""
    hardware: Any = importlib.import_module("tests.hardware")
    return () if hardware.numpy_level() == "AVX512" else ONLY_AVX512


def kept(old: Texts, new: Texts, only: Sequence[Path]) -> Texts:
    """What varies by all that is known: what was seen now, and what was seen before of texts that were not made now,
    or where they cannot be made now."""
    absent, found = not_here(), dict(new)
    for name, wheres in old.items():
        seen = [where for where in wheres.split(", ") if where in absent or (only and name not in new)]
        if seen:
            found[name] = ", ".join(filter(None, [new.get(name), *seen]))
    return found


def record(kind: str, only: Sequence[Path]) -> Texts | None:
    """Record one kind; returns what varies, None for numbers, which are compared with tolerances anyway."""
    if kind == "samples":
        run_tool(["goldens.py"])
        return None
    if kind == "draws":
        write_draws(said(kind, "torch", PINNED, ()))
        return None
    if kind == "examples":
        write_examples({}, only)
        only = ()
    stored = said(kind, "torch", PINNED, only)
    if kind != "examples":
        WRITERS[kind](stored, only)
    print(f"{len(stored)} {kind} recorded", file=sys.stderr)
    return varying(kind, stored, only)


def write_conditions(made: dict[str, Any]) -> None:
    """tests/recorded.toml: a table for each kind, its settings and what varies."""
    recorded: Any = importlib.import_module("tests.recorded")
    lines = [
        "# How the recordings of the tests were made; tools/record.py writes this file, tests/recorded.py tells it."
    ]
    for kind, table in sorted(made.items()):
        lines += ["", f"[{kind}]"] + [f"{key} = {json.dumps(table[key])}" for key in sorted(table) if key != "varies"]
        if table.get("varies"):
            lines += ["", f"[{kind}.varies]"]
            lines += [f"{json.dumps(name)} = {json.dumps(where)}" for name, where in sorted(table["varies"].items())]
    recorded.FILE.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    kinds = [*SAID, "samples"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(kinds))
    parser.add_argument(
        "--only", nargs="+", type=Path, default=[], metavar="FILE", help="only these program files or lists"
    )
    parser.add_argument("--say", metavar="MODULE", help="print what a module says as JSON and write nothing")
    given = parser.parse_args(arguments)
    if wrong := set(given.kinds) - set(kinds):
        parser.error(f"no such kind: {', '.join(sorted(wrong))}")
    only = [path.resolve() for path in given.only]
    if given.say:
        print(json.dumps(SAID[given.kinds[0]](given.say, only)))
        return 0
    version = importlib.import_module("torch").__version__
    if not version.startswith(VERSION):
        parser.error(f"PyTorch {VERSION}* is the reference, {version} is installed")
    recorded: Any = importlib.import_module("tests.recorded")
    made = tomllib.loads(recorded.FILE.read_text(encoding="utf-8")) if recorded.FILE.exists() else {}
    if absent := not_here():
        print(f"this processor has no AVX-512; what varies there stays as it was: {', '.join(absent)}", file=sys.stderr)
    for kind in given.kinds or kinds:
        varies = record(kind, only)
        conditions = {"torch": version.partition("+")[0], **PINNED}
        if varies is not None:
            conditions["varies"] = kept(made.get(kind, {}).get("varies", {}), varies, only)
        made[kind] = conditions
        write_conditions(made)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
