"""Schedules that raise and lower the learning rate: warm restarts, cycles, one cycle; momentum changes in the opposite
direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from .lr_base import LRScheduler, checked, one_each, set_rate
from .optimizer import Optimizer

__all__ = ["CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the start rate to eta_min, repeated; each repetition is T_mult times as long as the one
    before.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
        >>> schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.25]

    Mirrors `torch.optim.lr_scheduler.CosineAnnealingWarmRestarts`.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.eta_min = eta_min
        self.T_cur: Any = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates on a cosine that starts again every T_i steps."""
        self._warn_get_lr_called_within_step()
        by = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (b - self.eta_min) * by for b in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Go to the next step, or to `epoch`, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            if epoch < self.T_0:
                self.T_i, self.T_cur = self.T_0, epoch
            elif self.T_mult == 1:
                self.T_cur = epoch % self.T_0
            else:
                n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
                self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
                self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            set_rate(group, lr)
        self._get_lr_called_within_step = False
        self._last_lr = self._rates()


def _uses_betas(optimizer: Optimizer) -> bool:
    """Whether the momentum of the optimizer is the first of its betas. Errors: ValueError if it has none."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


class CyclicLR(LRScheduler):
    """The learning rate goes up and down between base_lr and max_lr.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5, momentum=0.9)
        >>> schedule = torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.25, max_lr=0.75, step_size_up=2)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.5]

    Mirrors `torch.optim.lr_scheduler.CyclicLR`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Any = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = checked(optimizer)
        base_lrs = one_each("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_rate(group, lr)
        self.max_lrs = one_each("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = float(step_size_down) if step_size_down is not None else up
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _uses_betas(optimizer)
            self.base_momentums = one_each("base_momentum", optimizer, base_momentum)
            self.max_momentums = one_each("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                _start_momentum(optimizer, self.max_momentums, self.base_momentums)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> Any:
        """The factor of the amplitude in a cycle or at an iteration."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return self._scale_fn_ref(x)

    def _init_scale_fn(self) -> None:
        """Take the function of the mode, unless another was given."""
        if self._scale_fn_custom is not None:
            return
        self._scale_fn_ref: Callable[[float], float]
        if self.mode == "triangular":
            self._scale_fn_ref, self.scale_mode = self._triangular_scale_fn, "cycle"
        elif self.mode == "triangular2":
            self._scale_fn_ref, self.scale_mode = self._triangular2_scale_fn, "cycle"
        elif self.mode == "exp_range":
            self._scale_fn_ref, self.scale_mode = partial(self._exp_range_scale_fn, self.gamma), "iterations"

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def get_lr(self) -> list[Any]:
        """The rates between base_lr and max_lr; sets the momentum too."""
        self._warn_get_lr_called_within_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        by = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            ):
                _set_momentum(group, high - (high - low) * height * by)
        return [low + (high - low) * height * by for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of a scale_fn that is an object its attributes, of a function nothing."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        scale = state.pop("_scale_fn_custom")
        plain = scale is None or isinstance(scale, FunctionType)
        state["_scale_fn_custom"] = None if plain else scale.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` gave, which loses its scale_fn; that stays the one that was given here."""
        attributes = state_dict.pop("_scale_fn_custom")
        super().load_state_dict(state_dict)
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()


def _set_momentum(group: dict[str, Any], value: float) -> None:
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def _start_momentum(optimizer: Optimizer, high: list[Any], low: list[Any]) -> None:
    """Begin each group with its largest momentum."""
    for group, most, least in zip(optimizer.param_groups, high, low, strict=True):
        _set_momentum(group, most)
        group["max_momentum"] = most
        group["base_momentum"] = least


def _phases(total_steps: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """The phases of a cycle: when each ends, and between which rates and momenta it goes."""
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    up = (float(pct_start * total_steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if three_phase:
        down = (float(2 * pct_start * total_steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum")
        rows = [up, down, (total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
    else:
        rows = [up, (total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    return [dict(zip(names, row, strict=True)) for row in rows]


class OneCycleLR(LRScheduler):
    """The learning rate goes up to max_lr and down to almost 0, once.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5, momentum=0.9)
        >>> schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1., total_steps=10)
        >>> round(schedule.get_last_lr()[0], 4)
        0.04

    Mirrors `torch.optim.lr_scheduler.OneCycleLR`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = checked(optimizer)
        if total_steps is not None:
            if total_steps <= 0 or not isinstance(total_steps, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
            self.total_steps = total_steps
        elif epochs is not None and steps_per_epoch is not None:
            if not isinstance(epochs, int) or epochs <= 0:
                raise ValueError(f"Expected positive integer epochs, but got {epochs}")
            if not isinstance(steps_per_epoch, int) or steps_per_epoch <= 0:
                raise ValueError(f"Expected positive integer steps_per_epoch, but got {steps_per_epoch}")
            self.total_steps = epochs * steps_per_epoch
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, one_each("max_lr", optimizer, max_lr), strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _uses_betas(optimizer)
            high, low = (
                one_each("max_momentum", optimizer, max_momentum),
                one_each("base_momentum", optimizer, base_momentum),
            )
            if last_epoch == -1:
                _start_momentum(optimizer, high, low)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, share: float) -> float:
        if not hasattr(self, "_anneal_func_type"):  # the state of older versions has the function itself
            legacy: Any = self.__dict__["anneal_func"]
            return float(legacy(start, end, share))
        anneal = self._annealing_cos if self._anneal_func_type == "cos" else self._annealing_linear
        return anneal(start, end, share)

    @staticmethod
    def _annealing_cos(start: float, end: float, share: float) -> float:
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    @staticmethod
    def _annealing_linear(start: float, end: float, share: float) -> float:
        return (end - start) * share + start

    def get_lr(self) -> list[Any]:
        """The rates of this phase of the cycle; sets the momentum too."""
        self._warn_get_lr_called_within_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        rates = []
        for group in self.optimizer.param_groups:
            start: float = 0
            for phase in self._schedule_phases:
                if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                    break
                start = phase["end_step"]
            share = (step - start) / (phase["end_step"] - start)
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                low, high = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._between(low, high, share))
        return rates
