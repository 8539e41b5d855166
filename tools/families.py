"""The families of operations in autogradlab/ops/__init__.py: which names a family offers,
so that they can be known unloaded.

    python tools/families.py            write the names down anew, after operations were added to a family
    python tools/families.py --check    say what is wrong, write nothing

Every module of the rooms common, linalg, nn and breadth is a family.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OPS = ROOT / "autogradlab" / "ops"
TABLE = OPS / "__init__.py"
#: folders whose modules are loaded when one of their names is first asked for
ROOMS = ("common", "linalg", "nn", "breadth")
_ENTRIES = re.compile(r"(?<=^LAZY = \{\n).*?(?=^\})", re.MULTILINE | re.DOTALL)


def families() -> list[str]:
    """The modules of the rooms that are loaded late, those in front that they import from.

    So whatever appears while one of them is imported is its own.
    """
    modules = {f"{room}.{p.stem}": p for room in ROOMS for p in sorted((OPS / room).glob("[!_]*.py"))}
    found: list[str] = []

    def visit(family: str) -> None:
        if family in found or family not in modules:
            return
        room = family.partition(".")[0]
        for node in ast.parse(modules[family].read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.level in (1, 2):
                source = node.module or ""
                names = [source] if source else [alias.name for alias in node.names]
                for name in names:
                    visit(f"{room}.{name}" if node.level == 1 else name)
        found.append(family)

    for family in modules:
        visit(family)
    return found


def offered() -> tuple[dict[str, str], list[str]]:
    """For each lazy family the names that it offers, as `register_lazy` reads them; and what is wrong between
    families."""
    from autogradlab.core.recording.record import RAW, TENSORS
    from autogradlab.core.tensor.tensor import Tensor
    from autogradlab.ops.table.families import FUNCTIONS, OPS, LazyName

    spaces = {
        "torch": FUNCTIONS,
        "Tensor": Tensor.__dict__,
        "RAW": RAW.__dict__,
        "TENSORS": TENSORS.__dict__,
        "OPS": OPS,
    }

    def state() -> dict[tuple[str, str], Any]:
        return {(s, n): v for s, names in spaces.items() for n, v in dict(names).items() if type(v) is not LazyName}

    def loaded() -> set[str]:
        return {name.removeprefix("autogradlab.ops.") for name in sys.modules if name.startswith("autogradlab.ops.")}

    owners: dict[tuple[str, str], str] = {}
    faults: list[str] = []
    found: dict[str, str] = {}
    known = families()
    before = loaded()
    seen = state()
    for family in known:
        if family in before:  # typed storages: users name their classes
            continue
        importlib.import_module(f"autogradlab.ops.{family}")
        now, also = state(), (loaded() - before - {family}) & set(known)
        faults += [f"{family}: loads {name} while it is loaded; import from it" for name in sorted(also)]
        own: dict[str, set[str]] = {}
        for (space, name), value in now.items():
            if seen.get((space, name)) is not value:
                if (space, name) in owners:
                    faults.append(f"{name}: {family} changes what {owners[space, name]} made")
                owners[space, name] = family
                own.setdefault(name, set()).add(space)
        found[family] = " ".join(sorted(word(name, places) for name, places in own.items() if places != {"OPS"}))
        before, seen = loaded(), now
    return {family: words for family, words in sorted(found.items()) if words}, faults


def word(name: str, places: set[str]) -> str:
    """A name with the place where it is offered."""
    if {"torch", "Tensor"} <= places:
        return name
    return f"{'torch' if 'torch' in places else 'Tensor' if 'Tensor' in places else 'F'}.{name}"


def entries(found: dict[str, str]) -> str:
    """The table as it stands in the file."""
    lines = []
    for family, words in found.items():
        head = f'    "{family}": "'
        width = 118 if len(head + words) <= 118 else 116  # what fits into one line is one string, as ruff has it
        rows = textwrap.wrap(head + words, width, subsequent_indent='    "', break_on_hyphens=False)
        lines += [f'{row} "' for row in rows[:-1]] + [f'{rows[-1]}",']
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="say what is wrong, write nothing")
    check = parser.parse_args(arguments).check
    sys.path.insert(0, str(ROOT))
    found, faults = offered()
    text = TABLE.read_text(encoding="utf-8")
    fresh = _ENTRIES.sub(lambda _: entries(found), text)
    if check and fresh != text:
        faults.append("the names in autogradlab/ops/__init__.py are stale: python tools/families.py")
    elif not check:
        TABLE.write_text(fresh, encoding="utf-8")
    for fault in faults:
        print(fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
