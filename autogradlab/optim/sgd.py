"""Stochastic gradient descent (mirrors `torch.optim.SGD`)."""

from __future__ import annotations

from typing import Any

from ..core.tensor.tensor import wrap
from .arrays import add_, changed, number
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
        if number(lr) < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if number(weight_decay) < 0.0:
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

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in (
                ("nesterov", False),
                ("maximize", False),
                ("foreach", None),
                ("differentiable", False),
                ("fused", False),
            ):
                group.setdefault(name, default)

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            lr, momentum, decay = number(group["lr"]), group["momentum"], number(group["weight_decay"])
            for p in group["params"]:
                grad = p._grad
                if grad is None:
                    continue
                x, g = p._array, grad._array
                if group["maximize"]:
                    g = -g
                if decay != 0:
                    g = g.copy()
                    add_(g, x, decay)
                if momentum != 0:
                    state = self.state[p]
                    held = state.get("momentum_buffer")
                    if held is None:
                        held = state["momentum_buffer"] = wrap(g.copy())
                    else:
                        held._array *= x.dtype.type(momentum)
                        add_(held._array, g, 1 - group["dampening"])
                        changed(held)
                    if group["nesterov"]:
                        g = g.copy()
                        add_(g, held._array, momentum)
                    else:
                        g = held._array
                add_(x, g, -lr)
                changed(p)
