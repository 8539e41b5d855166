"""The schedule that watches a metric."""

from __future__ import annotations

import math
import warnings
from typing import Any

from .lr_base import EPOCH_DEPRECATION_WARNING, LRScheduler, checked, set_rate
from .optimizer import Optimizer

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """The learning rate times factor when a metric has not improved for `patience` epochs: step(metric).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
        >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
        >>> for loss in (1., 1., 1.):
        ...     schedule.step(loss)
        ...     print(optimizer.param_groups[0]['lr'])
        ...
        0.5
        0.25
        0.125

    Mirrors `torch.optim.lr_scheduler.ReduceLROnPlateau`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        self.optimizer = checked(optimizer)
        n = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != n:
                raise ValueError(f"expected {n} min_lrs, got {len(min_lr)}")
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * n
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = self._rates()
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Note the metric, and reduce the rates if it has stopped improving."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._rates()

    def _reduce_lr(self, epoch: int) -> None:
        self._count_groups()
        for i, group in enumerate(self.optimizer.param_groups):
            old = float(group["lr"])
            new = max(old * self.factor, self.min_lrs[i])
            if old - new > self.eps:
                set_rate(group, new)

    def _count_groups(self) -> None:
        """Bring the least rates up to as many as there are groups now."""
        n = len(self.optimizer.param_groups)
        if n == len(self.min_lrs):
            return
        if self.default_min_lr is None:
            raise RuntimeError(
                f"The number of param groups in the `optimizer` ({n}) differs from when `ReduceLROnPlateau` was "
                f"initialized ({len(self.min_lrs)}), usually due to a new param group being added to the optimizer. "
                "Please modify the `min_lrs` field to match the length of the `optimizer` param groups."
            )
        self.min_lrs = [self.default_min_lr] * n

    @property
    def in_cooldown(self) -> bool:
        """Whether rates were reduced less than `cooldown` steps ago."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        down = self.mode == "min"
        if self.threshold_mode == "rel":
            return a < best * (1.0 - self.threshold) if down else a > best * (self.threshold + 1.0)
        return a < best - self.threshold if down else a > best + self.threshold

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` gave. Errors: ValueError for an unknown mode."""
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
