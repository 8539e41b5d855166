"""What all learning rate schedules share (mirrors `torch.optim.lr_scheduler.LRScheduler`)."""

from __future__ import annotations

import warnings
import weakref
from functools import wraps
from typing import Any

from ..core.runtime.naming import by_name
from ..core.tensor.tensor import Tensor
from .optimizer import Optimizer

__all__ = ["EPOCH_DEPRECATION_WARNING", "LRScheduler", "checked", "one_each", "own", "set_rate"]

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make "
    "sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


def set_rate(group: dict[str, Any], rate: Any) -> None:
    """Set the learning rate of a group; one that is a tensor stays that tensor."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(rate.squeeze() if isinstance(rate, Tensor) else rate)
    else:
        group["lr"] = rate


def checked(optimizer: Any) -> Optimizer:
    """The optimizer. Errors: TypeError for anything else."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def one_each(name: str, optimizer: Optimizer, given: Any) -> list[Any]:
    """The values of an option that is given as one for all groups of parameters or as a list with one for each; copies
    of tensors. Errors: ValueError for a list of another length."""
    n = len(optimizer.param_groups)
    if not isinstance(given, (list, tuple)):
        given = [given] * n
    if len(given) != n:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(given)} values, "
            f"param_groups has {n}."
        )
    return [own(value) for value in given]


def own(rate: Any) -> Any:
    """A rate that does not change with the optimizer's: a copy where it is a tensor."""
    return rate.clone() if isinstance(rate, Tensor) else rate


class LRScheduler:
    """The base of all schedules: step() after each epoch sets the learning rates of the optimizer.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
        >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        >>> isinstance(schedule, torch.optim.lr_scheduler.LRScheduler)
        True

    Mirrors `torch.optim.lr_scheduler.LRScheduler`.
    """

    _get_lr_called_within_step: bool = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = checked(optimizer)
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", own(group["lr"]))
        else:
            for i, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(
                        f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                        "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                        "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 "
                        "for a fresh training run (not recommended)"
                    )
        self.base_lrs: list[Any] = [own(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._count_steps()
        self._initial_step()

    def _initial_step(self) -> None:
        """The step that sets the rates of the first epoch."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def _count_steps(self) -> None:
        """Make the optimizer note that `step()` was called, which `step()` of a schedule asks."""
        optimizer = self.optimizer
        if getattr(optimizer.step, "_wrapped_by_lr_sched", False):
            return
        step = type(optimizer).step
        ref: Any = weakref.ref(optimizer)

        @wraps(step)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            found = ref()
            found._opt_called = True
            return step(found, *args, **kwargs)

        vars(wrapper)["_wrapped_by_lr_sched"] = True
        vars(optimizer)["step"] = wrapper

    __reduce_ex__ = by_name

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rate of each group after the last step."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates for this step."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Set the rates for the next epoch; call it after `optimizer.step()`."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(_OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(_ORDER, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None) -> None:
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed = getattr(self, "_get_closed_form_lr", None)
                values = closed() if closed is not None else self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_rate(group, lr)
        self._last_lr = self._rates()

    def _warn_get_lr_called_within_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    def _rates(self) -> list[Any]:
        return [own(group["lr"]) for group in self.optimizer.param_groups]
