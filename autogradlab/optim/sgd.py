"""Stochastic gradient descent (mirrors `torch.optim.SGD`)."""

from __future__ import annotations

from typing import Any

from ..core.tensor.tensor import Tensor, wrap
from .arrays import Changes, fma, in_dtype_of, number, rate, with_decay
from .optimizer import Optimizer, stepping

__all__ = ["SGD"]


class SGD(Optimizer):
    """Steps of -lr times the gradient; with momentum, of a running sum of gradients; weight_decay draws
    parameters towards 0.
    Errors: ValueError for negative lr, momentum or weight_decay, and for nesterov without momentum.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.8000], requires_grad=True)
        >>> optimizer.zero_grad()
        >>> print(w.grad)
        None

    Mirrors `torch.optim.SGD`.
    """

    _later_options = {"nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False}

    _refused = ()  # its `foreach` can be recorded, and it has no `capturable`

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if rate(lr) < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        self._check_fused(fused, foreach, differentiable)

    def _writes_reals(self, group: dict[str, Any]) -> bool:
        return False

    def _refuse_integers(self, group: dict[str, Any], p: Tensor) -> None:
        """PyTorch's step adds the gradient times the learning rate, which whole numbers take if it is one."""
        if not isinstance(group["lr"], int):
            raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")

    @stepping
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            lr, momentum, decay = number(group["lr"]), group["momentum"], number(group["weight_decay"])
            for p, x, g in changes.bundles(group, keeps=momentum != 0):
                g = with_decay(x, g, decay)
                if momentum != 0:
                    g = _with_momentum(group, changes, p, g)
                changes.write(p, fma(x, g, -lr))


def _with_momentum(group: dict[str, Any], changes: Changes, p: Tensor, g: Any) -> Any:
    """The direction of a step with momentum, which begins with the first gradient."""
    momentum = group["momentum"]
    held = changes.state(p).get("momentum_buffer")
    if held is None:
        held = changes.begin(p, {"momentum_buffer": wrap(in_dtype_of(p, g.copy()))})["momentum_buffer"]
        buffer = changes.array(held)
    else:
        buffer = fma(changes.array(held) * g.dtype.type(momentum), g, 1 - group["dampening"])
        changes.write(held, buffer, 2)
    return fma(g, buffer, momentum) if group["nesterov"] else buffer
