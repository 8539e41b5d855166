"""Schedules of learning rates (mirrors `torch.optim.lr_scheduler`)."""

from __future__ import annotations

from .lr_base import EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING
from .lr_base import LRScheduler
from .lr_composed import ChainedScheduler, SequentialLR
from .lr_cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from .lr_formulas import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from .lr_plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


class _LRScheduler(LRScheduler):
    """The old name of LRScheduler."""


for _name in (*__all__, "_LRScheduler"):
    globals()[_name].__module__ = "torch.optim.lr_scheduler"
