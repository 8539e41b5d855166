"""Optimizers and schedules of their learning rates (mirrors `torch.optim`)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..core.runtime.naming import place
from .adafactor import Adafactor
from .adam import Adam, Adamax, AdamW, NAdam, RAdam, SparseAdam
from .adaptive import ASGD, Adadelta, Adagrad, RMSprop, Rprop
from .lbfgs import LBFGS
from .muon import Muon
from .optimizer import Optimizer
from .sgd import SGD

if TYPE_CHECKING:
    from . import lr_scheduler as lr_scheduler
    from . import swa_utils as swa_utils

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]

for _cls in (ASGD, LBFGS, SGD, Adadelta, Adagrad, Adam, AdamW, Adamax, NAdam, RAdam, RMSprop, Rprop, SparseAdam):
    _own = sys.modules[_cls.__module__]
    _file = "sparse_adam" if _cls is SparseAdam else _cls.__name__.lower()
    sys.modules.setdefault(f"{__name__}.{_file}", _own)  # `from torch.optim.adamw import AdamW`
    place(_cls, f"torch.optim.{_file}")
Adafactor.__module__ = Muon.__module__ = "torch.optim"
place(Optimizer, "torch.optim.optimizer")


def __getattr__(name: str) -> Any:
    if name in ("lr_scheduler", "swa_utils"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.optim' has no attribute '{name}'")
