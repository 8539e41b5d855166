"""What ``import autogradlab`` adds to ``import numpy``, in new interpreters; the numpy column is numpy's own import.

In time of the processor, as everywhere: what other programs do at the same time does not count.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

from .harness import Row, Sample, measure

NAME = "import"
ABOUT = "import after numpy, in a new interpreter; the numpy column is numpy itself"
LIMIT = 0.030
UNWANTED = ("ipywidgets", "matplotlib", "anywidget", "IPython", "torch")

_AFTER_NUMPY = "import numpy, time; start = time.process_time(); import {name}; print(time.process_time() - start)"
_NUMPY = "import time; start = time.process_time(); import numpy; print(time.process_time() - start)"
_LOADED = "import sys, {name}; print(*(name for name in {unwanted!r} if name in sys.modules))"


_CACHE = tempfile.TemporaryDirectory(prefix="pycache-")


def _python(code: str) -> str:
    # compiled modules are kept between runs, as an installation keeps them, whatever this environment says
    env = {**os.environ, "PYTHONPYCACHEPREFIX": _CACHE.name}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise RuntimeError(f"a new interpreter could not run {code!r}:\n{done.stderr}")
    return done.stdout.strip()


def loads(name: str, unwanted: Iterable[str] = UNWANTED) -> list[str]:
    """Which of the unwanted modules come along when ``name`` is imported."""
    return _python(_LOADED.format(name=name, unwanted=tuple(unwanted))).split()


def sampler(name: str) -> Sample:
    """Seconds to import one module, the mean of ``n`` new interpreters."""
    code = _NUMPY if name == "numpy" else _AFTER_NUMPY.format(name=name)
    return lambda n: sum(float(_python(code)) for _ in range(n)) / n


def run(modules: Mapping[str, Any], seconds: float, rounds: int = 7) -> Row:
    """Time the imports; raises AssertionError where ours loads what a lesson's first line must not wait for."""
    names = {role: module.__name__ if role == "ours" else role for role, module in modules.items()}
    came = [name for name in loads(names["ours"]) if name != names["ours"]]
    if came:
        raise AssertionError(f"import {names['ours']} also loads {', '.join(came)}")
    return Row(NAME, ABOUT, 1, None, measure({role: sampler(name) for role, name in names.items()}, seconds, rounds))
