"""Everything that is generated from the entries of operations, brought up to date by one command.

    python tools/renew.py            after an operation was added or changed
    python tools/renew.py --check    say what is stale, write nothing

In this order: the copies of small functions on the ways that every operation takes, the names of the families that are
loaded late, what the examples of the help texts print, the stubs, the list of names that are not here, and PyTorch's
results for new samples of the tests. Examples and samples ask PyTorch, under the settings of tools/record.py; where it
is missing they stay as they are.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
sys.path.append(str(TOOLS))

from record import PINNED  # noqa: E402

#: the tools and their arguments, and whether they ask PyTorch
STEPS: tuple[tuple[str, list[str], bool], ...] = (
    ("unroll.py", [], False),
    ("families.py", [], False),
    ("helptexts.py", ["record"], True),
    ("stubs.py", [], False),
    ("inventory.py", ["--absent"], False),
    ("goldens.py", ["--new"], True),
)


def has_torch() -> bool:
    """Whether PyTorch can be asked."""
    try:
        importlib.import_module("torch")
    except ImportError:
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say what is stale, write nothing")
    check = ["--check"] if parser.parse_args(arguments).check else []
    failed = 0
    for tool, words, asks in STEPS:
        if asks and not has_torch():
            print(f"{tool}: left as it is, PyTorch is not installed")
            continue
        done = subprocess.run(
            [sys.executable, str(TOOLS / tool), *words, *check], env={**os.environ, **PINNED}, check=False
        )
        failed |= done.returncode
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
