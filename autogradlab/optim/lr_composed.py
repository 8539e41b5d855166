"""Schedules made of other schedules, one after the other or all at once."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from .lr_base import LRScheduler, set_rate
from .lr_plateau import ReduceLROnPlateau
from .optimizer import Optimizer

__all__ = ["ChainedScheduler", "SequentialLR"]


def _check(name: str, schedulers: Any, optimizer: Optimizer) -> None:
    """Check the schedules that are composed. Errors: TypeError for one without an optimizer, ValueError for one that
    watches a metric or has another optimizer."""
    for i, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(
                f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                f"specified when calling `step`, but got one at index {i} in the given schedulers sequence."
            )
        if optimizer is not scheduler.optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different from "
                f"{type(optimizer).__name__}."
            )


class SequentialLR(LRScheduler):
    """Several schedules one after the other, from given epochs on.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
        >>> first = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> second = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, [first, second], milestones=[2])
        >>> schedule.get_last_lr()
        [0.25]

    Mirrors `torch.optim.lr_scheduler.SequentialLR`.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[Any], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        _check(type(self).__name__, schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back the step that schedules take when they are made, and those within them."""
        sched = self if sched is None else sched
        if hasattr(sched, "_schedulers"):
            for each in sched._schedulers:
                self.recursive_undo(each)
        elif hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Step the schedule that the milestones choose."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; the state of each schedule."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` gave."""
        state = dict(state_dict)
        for mine, saved in zip(self._schedulers, state.pop("_schedulers"), strict=True):
            mine.load_state_dict(saved)
        self.__dict__.update(state)


class ChainedScheduler(LRScheduler):
    """Several schedules at once: each changes the rate that the one before has set.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
        >>> first = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> second = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=5)
        >>> torch.optim.lr_scheduler.ChainedScheduler([first, second]).get_last_lr()
        [0.25]

    Mirrors `torch.optim.lr_scheduler.ChainedScheduler`.
    """

    def __init__(self, schedulers: Any, optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        _check(type(self).__name__, schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = self._rates()

    def step(self) -> None:  # type: ignore[override]
        """Step every schedule."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._rates()

    state_dict = SequentialLR.state_dict
    load_state_dict = SequentialLR.load_state_dict
