"""Averages of models over training, and the schedule that goes with them (mirrors `torch.optim.swa_utils`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from ..autograd.grad_mode import no_grad
from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from .lr_base import LRScheduler, one_each
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """The exponential moving average, decay * mean + (1 - decay) * now, of lists of tensors in place: a `multi_avg_fn`
    of `AveragedModel`.

    Errors: ValueError for a decay outside of [0, 1].

    Example:
        >>> import autogradlab as torch
        >>> average = torch.optim.swa_utils.get_ema_multi_avg_fn(0.75)
        >>> mean = torch.tensor([1., 2.])
        >>> average([mean], [torch.tensor([5., 6.])], 1)
        >>> mean
        tensor([2., 3.])

    Mirrors `torch.optim.swa_utils.get_ema_multi_avg_fn`.
    """
    _check_decay(decay)

    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        with no_grad():
            for mean, now in zip(ema_param_list, current_param_list, strict=True):
                if mean.is_floating_point() or mean.is_complex():
                    mean.lerp_(now, 1 - decay)
                else:
                    mean.copy_(mean * decay + now * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """The mean of all models so far, of lists of tensors in place: a `multi_avg_fn` of `AveragedModel`, and its
    default.

    Example:
        >>> import autogradlab as torch
        >>> average = torch.optim.swa_utils.get_swa_multi_avg_fn()
        >>> mean = torch.tensor([1., 2.])
        >>> average([mean], [torch.tensor([4., 8.])], 2)
        >>> mean
        tensor([2., 4.])

    Mirrors `torch.optim.swa_utils.get_swa_multi_avg_fn`.
    """

    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        with no_grad():
            for mean, now in zip(averaged_param_list, current_param_list, strict=True):
                if mean.is_floating_point() or mean.is_complex():
                    mean.lerp_(now, 1 / (int(num_averaged) + 1))
                else:
                    mean.addcdiv_(now - mean, TENSORS.tensor(int(num_averaged) + 1))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """The exponential moving average, decay * mean + (1 - decay) * now, of one tensor: an `avg_fn` of `AveragedModel`.

    Errors: ValueError for a decay outside of [0, 1].

    Example:
        >>> import autogradlab as torch
        >>> average = torch.optim.swa_utils.get_ema_avg_fn(0.75)
        >>> average(torch.tensor([1., 2.]), torch.tensor([5., 6.]), 1)
        tensor([2., 3.])

    Mirrors `torch.optim.swa_utils.get_ema_avg_fn`.
    """
    _check_decay(decay)

    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with no_grad():
            return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Any]:
    """The mean of all values of one tensor so far: an `avg_fn` of `AveragedModel`.

    Example:
        >>> import autogradlab as torch
        >>> average = torch.optim.swa_utils.get_swa_avg_fn()
        >>> average(torch.tensor([1., 2.]), torch.tensor([4., 8.]), 2)
        tensor([2., 4.])

    Mirrors `torch.optim.swa_utils.get_swa_avg_fn`.
    """

    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with no_grad():
            return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's: call update_parameters(model) as it trains.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> model = nn.Linear(1, 1)
        >>> mean = torch.optim.swa_utils.AveragedModel(model)
        >>> for value in (1., 3.):
        ...     _ = model.weight.data.fill_(value)
        ...     mean.update_parameters(model)
        ...
        >>> mean.module.weight.item()
        2.0

    Mirrors `torch.optim.swa_utils.AveragedModel`.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[..., Any] | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", TENSORS.tensor(0))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The output of the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Include the current parameters of the model in the averages."""

        def tensors(of: Module) -> list[Any]:
            found = chain(of.parameters(), of.buffers()) if self.use_buffers else of.parameters()
            return [t.detach() for t in found]

        mine, theirs = tensors(self.module), tensors(model)
        count = self.n_averaged
        if int(count) == 0:
            for a, b in zip(mine, theirs, strict=True):
                a.copy_(b)
        elif self.avg_fn is not None:
            for a, b in zip(mine, theirs, strict=True):
                a.copy_(self.avg_fn(a, b, count))
        else:
            for kind in dict.fromkeys(a.dtype for a in mine):
                pairs = [(a, b) for a, b in zip(mine, theirs, strict=True) if a.dtype is kind]
                (self.multi_avg_fn or get_swa_multi_avg_fn())(*map(list, zip(*pairs, strict=True)), count)
        if not self.use_buffers:
            for a, b in zip(self.module.buffers(), model.buffers(), strict=True):
                a.detach().copy_(b.detach())
        count += 1


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of a model's BatchNorm layers anew, from all batches of a loader: an averaged
    model has none that fit its weights.

    loader: gives inputs, or lists and tuples that begin with them. The model is in training mode meanwhile.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> model = nn.Sequential(nn.BatchNorm1d(1))
        >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.], [3.]]), torch.tensor([[5.], [7.]])], model)
        >>> model[0].running_mean
        tensor([4.])

    Mirrors `torch.optim.swa_utils.update_bn`.
    """
    layers = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not layers:
        return
    momenta = {layer: layer.momentum for layer in layers}
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    training = model.training
    model.train()
    with no_grad():
        for batch in loader:
            model(batch[0] if isinstance(batch, (list, tuple)) else batch)
    for layer, momentum in momenta.items():
        layer.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """The learning rate goes to swa_lr in anneal_epochs steps, along half a cosine or a line, and stays there.

    Errors: ValueError for an unknown anneal_strategy or negative anneal_epochs.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
        >>> schedule = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.25, anneal_epochs=2, anneal_strategy='linear')
        >>> for epoch in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(schedule.get_last_lr())
        ...
        [0.375]
        [0.25]
        [0.25]

    Mirrors `torch.optim.swa_utils.SWALR`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        for rate, group in zip(one_each("swa_lr", optimizer, swa_lr), groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: float) -> float:
        """How far the rates have moved from the start to swa_lr at a step, from 0 to 1."""
        return self.anneal_func(max(0.0, min(1.0, step / max(1, self.anneal_epochs))))

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    def _set_anneal_func(self, anneal_strategy: str) -> None:
        self._anneal_strategy = anneal_strategy
        self.anneal_func = self._cosine_anneal if anneal_strategy == "cos" else self._linear_anneal

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and the function."""
        state = super().state_dict()
        state.pop("anneal_func", None)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` gave."""
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)

    def get_lr(self) -> list[Any]:
        """The rates between those at the start and swa_lr."""
        self._warn_get_lr_called_within_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            end, lr = group["swa_lr"], group["lr"]
            start = lr if before == 1 else (lr - before * end) / (1 - before)
            rates.append(end * now + start * (1 - now))
        return rates


AveragedModel.__module__ = SWALR.__module__ = "torch.optim.swa_utils"
