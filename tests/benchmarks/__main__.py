"""Command line: ``python -m tests.benchmarks [--quick] [--only NAME] [--json FILE] [--stress]``."""

from __future__ import annotations

import os

# One thread for everybody; the libraries under NumPy read this when they are loaded.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_variable] = "1"

from tests.benchmarks.run import main  # noqa: E402

raise SystemExit(main())
