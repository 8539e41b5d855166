"""The families of operations in autogradlab/ops/__init__.py: which names a family offers, so that they can be known unloaded.

    python tools/families.py            write the names down anew, after operations were added to a family
    python tools/families.py --check    say what is wrong, write nothing

The families themselves are chosen by hand: a module of `ops` that stands in LATE is loaded late, `name=""` adds one.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "autogradlab" / "ops" / "__init__.py"
_ENTRIES = re.compile(r"(?<=^LATE = \{\n).*?(?=^\})", re.MULTILINE | re.DOTALL)


def offered() -> tuple[dict[str, str], list[str]]:
    """For each late family the names that it offers, as `announce` reads them; and what is wrong between families."""
    from autogradlab.core.recording.record import RAW, TENSORS
    from autogradlab.core.tensor.tensor import Tensor
    from autogradlab.ops import LATE
    from autogradlab.ops.table.families import FUNCTIONS, OPS, Late

    spaces = {
        "torch": FUNCTIONS,
        "Tensor": Tensor.__dict__,
        "RAW": RAW.__dict__,
        "TENSORS": TENSORS.__dict__,
        "OPS": OPS,
    }

    def state() -> dict[tuple[str, str], Any]:
        return {(s, n): v for s, names in spaces.items() for n, v in dict(names).items() if type(v) is not Late}

    owners: dict[tuple[str, str], str] = {}
    faults: list[str] = []
    running = [""]
    seen = state()

    def account() -> None:
        nonlocal seen
        now = state()
        for key, value in now.items():
            if seen.get(key) is not value:
                owner = owners.setdefault(key, running[-1])
                if key in seen and owner != running[-1]:
                    faults.append(
                        f"{key[1]}: {running[-1]} changes what {owner or 'a family that is always loaded'} made"
                    )
        seen = now

    plain = SourceFileLoader.exec_module

    def exec_module(self: SourceFileLoader, module: ModuleType) -> None:
        account()
        running.append(module.__name__.removeprefix("autogradlab.ops."))
        try:
            plain(self, module)
            account()
        finally:
            running.pop()

    SourceFileLoader.exec_module = exec_module  # type: ignore[assignment,method-assign]
    try:
        for family in LATE:
            __import__(f"autogradlab.ops.{family}")
    finally:
        SourceFileLoader.exec_module = plain  # type: ignore[method-assign]
    found: dict[str, str] = {}
    for family in LATE:
        own: dict[str, set[str]] = {}
        for (space, name), owner in owners.items():
            if owner == family:
                own.setdefault(name, set()).add(space)
        if not own:
            faults.append(f"{family}: loaded always, since a family that is always loaded imports it")
        found[family] = " ".join(sorted(word(name, places) for name, places in own.items() if places != {"OPS"}))
    return found, faults


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
        rows = textwrap.wrap(head + words, 116, subsequent_indent='    "', break_on_hyphens=False)
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
