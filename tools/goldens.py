"""Record what the real PyTorch gives for every sample of tests/ops.

python tools/goldens.py            all of them anew
python tools/goldens.py --new      samples that are not recorded yet; those that are gone go
python tools/goldens.py --check    say how many are missing or gone, write nothing
"""

from __future__ import annotations

import argparse
import importlib
import operator
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))


def has(lib: Any, path: str) -> bool:
    """Whether a library has what the path leads to."""
    try:
        operator.attrgetter(path)(lib)
    except AttributeError:
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--new", action="store_true", help="keep what is recorded")
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args(arguments)
    samples: Any = importlib.import_module("tests.ops.test_ops")
    goldens: Any = importlib.import_module("tests.ops.goldens")
    wanted = {
        goldens.name(key, case): (entry, case)
        for key, entry in sorted(samples.REGISTRY.items())
        for case in entry.cases
    }
    known = goldens.recorded()[0] if given.new or given.check else {}
    missing, gone = [name for name in wanted if name not in known], known.keys() - wanted.keys()
    if given.check or (given.new and not missing and not gone):
        if missing or gone:
            print(
                f"goldens: {len(missing)} samples are not recorded, {len(gone)} are gone: python tools/goldens.py --new"
            )
        return bool(missing or gone)
    torch: Any = importlib.import_module("torch")
    recorder = goldens.Recorder()
    unknown: list[str] = []
    for name, (entry, case) in wanted.items():
        if name in known:
            recorder.keep(name)
        elif has(torch, entry.path):
            recorder.add(name, goldens.result(torch, entry, case))
        else:
            unknown.append(entry.path)
    recorder.write(goldens.FILE)
    for path in sorted(set(unknown)):
        print(f"goldens: PyTorch has no {path}: its {unknown.count(path)} samples are not recorded")
    print(f"{len(missing) - len(unknown)} of {len(wanted)} samples recorded with torch {torch.__version__}")
    return bool(unknown)


if __name__ == "__main__":
    raise SystemExit(main())
