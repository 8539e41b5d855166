"""The ufunc that `np.clip` calls, which is not public: the function around it gives the same, later."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

clip: Any
try:
    clip = import_module("numpy._core.umath").clip
except (ImportError, AttributeError):
    clip = np.clip
