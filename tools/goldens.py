"""Record what the real PyTorch gives for every sample of tests/ops: ``python tools/goldens.py``."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))


def main() -> int:
    torch: Any = importlib.import_module("torch")
    samples: Any = importlib.import_module("tests.ops.test_ops")
    goldens: Any = importlib.import_module("tests.ops.goldens")
    recorder = goldens.Recorder()
    for key, entry in sorted(samples.REGISTRY.items()):
        for case in entry.cases:
            recorder.add(goldens.name(key, case), goldens.result(torch, entry, case))
    recorder.write(goldens.FILE)
    print(f"{len(recorder.index)} samples of {len(samples.REGISTRY)} operations with torch {torch.__version__}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
