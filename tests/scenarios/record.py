"""Record the goldens of the program files from real torch.

    python -m tests.scenarios.record                       all files of tests/scenarios and tests/programs
    python -m tests.scenarios.record tests/scenarios/graph.py

A block that raises is reported and nothing is written for its file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.scenarios import blocks

FOLDERS = ("scenarios", "programs")


def main(arguments: list[str]) -> int:
    """Record the given files (all, if none is given); the number of files that could not be recorded."""
    paths = [Path(a).resolve() for a in arguments]
    paths = paths or [path for name in FOLDERS for path in blocks.files(blocks.ROOT / "tests" / name)]
    if empty := [path.name for path in paths if not blocks.read(path)]:
        print(f"no blocks in {', '.join(empty)}")
        return len(empty)
    results = blocks.run("torch", tuple(paths))
    failed = 0
    for path in paths:
        broken = [block for block in blocks.read(path) if results[block.id].failure]
        for block in broken:
            print(f"{path.name}: {block.id}\n{results[block.id].stdout}{results[block.id].failure}")
        if broken:
            failed += 1
        else:
            blocks.write_golden(path, results)
    print(f"{len(paths) - failed} files recorded, {failed} not")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
