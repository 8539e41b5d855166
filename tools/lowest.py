"""The lowest versions that pyproject.toml allows, as constraints for pip: `python tools/lowest.py > lowest.txt`.

NumPy's first version with wheels for a Python may be later than the lowest one; the matrix takes the lowest Python for
it.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def lowest() -> list[str]:
    """`name==version` for each dependency of the core and of what learners and authors install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["lab"], *extras["author"]]
    pairs = (re.match(r"([\w.-]+)>=([\w.]+)", line) for line in wanted)
    return sorted({f"{found[1]}~={found[2]}" + ".0" * (found[2].count(".") < 2) for found in pairs if found})


if __name__ == "__main__":
    print(*lowest(), sep="\n")
