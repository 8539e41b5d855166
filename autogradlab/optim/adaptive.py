"""Optimizers that scale each step by what the gradients were: RMSprop, Adagrad, Adadelta, Rprop; and ASGD."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor.tensor import wrap
from .arrays import add_, addcdiv_, addcmul_, changed, gradients, lerp_, number, scalar_state, zeros
from .optimizer import Optimizer, stepping

__all__ = ["ASGD", "Adadelta", "Adagrad", "RMSprop", "Rprop"]


def _at_least(value: Any, words: str) -> None:
    if not number(value) >= 0.0:
        raise ValueError(f"Invalid {words}: {value}")


def _with_decay(group: dict[str, Any], x: Any, g: Any) -> Any:
    if group["weight_decay"] == 0:
        return g
    g = g.copy()
    add_(g, x, group["weight_decay"])
    return g


class RMSprop(Optimizer):
    """Gradients divided by the root of the running mean of their squares.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.RMSprop([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([5.9605e-08], requires_grad=True)

    Mirrors `torch.optim.RMSprop`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _at_least(lr, "learning rate")
        _at_least(eps, "epsilon value")
        _at_least(momentum, "momentum value")
        _at_least(weight_decay, "weight_decay value")
        _at_least(alpha, "alpha value")
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            lr, alpha = number(group["lr"]), group["alpha"]
            for p, x, g, state in gradients(self, group):
                if not state:
                    state["step"] = scalar_state(0.0)
                    state["square_avg"] = zeros(p)
                    if group["momentum"] > 0:
                        state["momentum_buffer"] = zeros(p)
                    if group["centered"]:
                        state["grad_avg"] = zeros(p)
                state["step"]._array += 1
                g = _with_decay(group, x, g)
                kind = x.dtype.type
                square = state["square_avg"]._array
                square *= kind(alpha)
                addcmul_(square, g, g, 1 - alpha)
                if group["centered"]:
                    mean = state["grad_avg"]._array
                    lerp_(mean, g, 1 - alpha)
                    root = np.sqrt(square - mean * mean) + kind(group["eps"])
                else:
                    root = np.sqrt(square) + kind(group["eps"])
                if group["momentum"] > 0:
                    held = state["momentum_buffer"]._array
                    held *= kind(group["momentum"])
                    held += g / root
                    add_(x, held, -lr)
                else:
                    addcdiv_(x, g, root, -lr)
                changed(p)


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares so far: steps become smaller.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Adagrad([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.9000], requires_grad=True)

    Mirrors `torch.optim.Adagrad`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _at_least(lr, "learning rate")
        _at_least(lr_decay, "lr_decay value")
        _at_least(weight_decay, "weight_decay value")
        _at_least(initial_accumulator_value, "initial_accumulator_value value")
        _at_least(eps, "epsilon value")
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["step"] = scalar_state(0.0)
                self.state[p]["sum"] = wrap(np.full_like(p._array, initial_accumulator_value))

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            for p, x, g, state in gradients(self, group):
                state["step"]._array += 1
                g = _with_decay(group, x, g)
                rate = number(group["lr"]) / (1 + (float(state["step"]._array) - 1) * group["lr_decay"])
                total = state["sum"]._array
                addcmul_(total, g, g, 1.0)
                addcdiv_(x, g, np.sqrt(total) + x.dtype.type(group["eps"]), -rate)
                changed(p)


class Adadelta(Optimizer):
    """Gradients scaled by how large steps and gradients have been of late.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Adadelta([w])
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.9968], requires_grad=True)

    Mirrors `torch.optim.Adadelta`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _at_least(lr, "learning rate")
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        _at_least(eps, "epsilon value")
        _at_least(weight_decay, "weight_decay value")
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "capturable": capturable,
                "foreach": foreach,
                "differentiable": differentiable,
            },
        )

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            rho, eps = group["rho"], group["eps"]
            for p, x, g, state in gradients(self, group):
                if not state:
                    state.update(step=scalar_state(0.0), square_avg=zeros(p), acc_delta=zeros(p))
                state["step"]._array += 1
                g = _with_decay(group, x, g)
                kind = x.dtype.type
                square, deltas = state["square_avg"]._array, state["acc_delta"]._array
                square *= kind(rho)
                addcmul_(square, g, g, 1 - rho)
                delta = np.sqrt(deltas + kind(eps)) / np.sqrt(square + kind(eps)) * g
                deltas *= kind(rho)
                addcmul_(deltas, delta, delta, 1 - rho)
                add_(x, delta, -number(group["lr"]))
                changed(p)


class Rprop(Optimizer):
    """Steps by the sign of the gradient alone, which grow while it stays and shrink when it changes.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Rprop([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.9000], requires_grad=True)

    Mirrors `torch.optim.Rprop`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _at_least(lr, "learning rate")
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            shorter, longer = group["etas"]
            low, high = group["step_sizes"]
            for p, x, g, state in gradients(self, group):
                if not state:
                    state.update(
                        step=scalar_state(0.0), prev=zeros(p), step_size=wrap(np.full_like(g, number(group["lr"])))
                    )
                state["step"]._array += 1
                kind = x.dtype.type
                previous, size = state["prev"]._array, state["step_size"]._array
                sign = np.sign(g * previous)
                factor = np.where(sign > 0, kind(longer), np.where(sign < 0, kind(shorter), kind(1)))
                size *= factor
                np.clip(size, kind(low), kind(high), out=size)
                g = np.where(sign < 0, kind(0), g)
                x += -(np.sign(g) * size)
                previous[...] = g
                changed(p)


class ASGD(Optimizer):
    """SGD, which also keeps the mean of the parameters.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.ASGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.8000], requires_grad=True)

    Mirrors `torch.optim.ASGD`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _at_least(lr, "learning rate")
        _at_least(weight_decay, "weight_decay value")
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            lr, lambd = number(group["lr"]), group["lambd"]
            for p, x, g, state in gradients(self, group):
                if not state:
                    state.update(step=scalar_state(0.0), eta=scalar_state(lr), mu=scalar_state(1.0), ax=zeros(p))
                state["step"]._array += 1
                step = float(state["step"]._array)
                g = _with_decay(group, x, g)
                eta, mu, mean = float(state["eta"]._array), float(state["mu"]._array), state["ax"]._array
                x *= x.dtype.type(1 - lambd * eta)
                add_(x, g, -eta)
                if mu != 1:
                    mean += (x - mean) * x.dtype.type(mu)
                else:
                    mean[...] = x
                state["eta"]._array[...] = lr / ((1 + lambd * lr * step) ** group["alpha"])
                state["mu"]._array[...] = 1 / max(1, step - group["t0"])
                changed(p)
