"""Adam and its relatives (mirrors `torch.optim.Adam`, `AdamW`, `Adamax`, `NAdam`, `RAdam`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .arrays import add_, addcdiv_, addcmul_, changed, gradients, lerp_, number, scalar_state, zeros
from .optimizer import Optimizer, stepping

__all__ = ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"]


def _check(lr: Any, eps: float, betas: Any, weight_decay: float) -> None:
    if not number(lr) >= 0.0:
        raise ValueError(f"Invalid learning rate: {lr}")
    if not eps >= 0.0:
        raise ValueError(f"Invalid epsilon value: {eps}")
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
    if not weight_decay >= 0.0:
        raise ValueError(f"Invalid weight_decay value: {weight_decay}")


def _start(state: dict[str, Any], p: Any, *names: str, **scalars: float) -> None:
    """The state of a parameter at its first step."""
    if not state:
        state["step"] = scalar_state(0.0)
        for name, value in scalars.items():
            state[name] = scalar_state(value)
        for name in names:
            state[name] = zeros(p)
    state["step"]._array += 1


def _decayed(group: dict[str, Any], x: Any, g: Any, lr: float) -> Any:
    """The gradient with weight decay, or the weights themselves made smaller by it."""
    decay = group["weight_decay"]
    if decay == 0:
        return g
    if group.get("decoupled_weight_decay"):
        x *= x.dtype.type(1 - lr * decay)
        return g
    g = g.copy()
    add_(g, x, decay)
    return g


class Adam(Optimizer):
    """Steps of lr in the direction of the running mean of the gradients, divided by the root of the running
    mean of their squares.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1., 5.]))
        >>> optimizer = torch.optim.Adam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.9000, 4.9000], requires_grad=True)

    Mirrors `torch.optim.Adam`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        _check(lr, eps, betas, weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay,
            },
        )

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            lr = number(group["lr"])
            beta1, beta2 = map(number, group["betas"])
            for p, x, g, state in gradients(self, group):
                _start(state, p, "exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else []))
                g = _decayed(group, x, g, lr)
                step = float(state["step"]._array)
                mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
                lerp_(mean, g, 1 - beta1)
                square *= x.dtype.type(beta2)
                addcmul_(square, g, np.conjugate(g), 1 - beta2)
                if group["amsgrad"]:
                    largest = state["max_exp_avg_sq"]._array
                    np.maximum(largest, square, out=largest)
                    square = largest
                root = x.dtype.type(math.sqrt(1 - beta2**step))
                denominator = np.sqrt(square) / root + x.dtype.type(group["eps"])
                addcdiv_(x, mean, denominator, -(lr / (1 - beta1**step)))
                changed(p)


class AdamW(Adam):
    """Adam, whose weight_decay shrinks the parameters themselves instead of entering the gradient.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.5)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.8500], requires_grad=True)

    Mirrors `torch.optim.AdamW`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )


class Adamax(Optimizer):
    """Adam, which divides by the largest recent gradient.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Adamax([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.9000], requires_grad=True)

    Mirrors `torch.optim.Adamax`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _check(lr, eps, betas, weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
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
            beta1, beta2 = group["betas"]
            for p, x, g, state in gradients(self, group):
                _start(state, p, "exp_avg", "exp_inf")
                g = _decayed(group, x, g, 0.0)
                mean, largest = state["exp_avg"]._array, state["exp_inf"]._array
                lerp_(mean, g, 1 - beta1)
                np.maximum(largest * x.dtype.type(beta2), np.abs(g) + x.dtype.type(group["eps"]), out=largest)
                addcdiv_(x, mean, largest, -number(group["lr"]) / (1 - beta1 ** float(state["step"]._array)))
                changed(p)


class NAdam(Optimizer):
    """Adam with Nesterov's momentum.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.NAdam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.8944], requires_grad=True)

    Mirrors `torch.optim.NAdam`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, eps, betas, weight_decay)
        if not momentum_decay >= 0.0:
            raise ValueError(f"Invalid momentum_decay value: {momentum_decay}")
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            lr = number(group["lr"])
            beta1, beta2 = group["betas"]
            for p, x, g, state in gradients(self, group):
                _start(state, p, "exp_avg", "exp_avg_sq", mu_product=1.0)
                g = _decayed(group, x, g, lr)
                step = float(state["step"]._array)
                mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
                mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
                mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
                state["mu_product"]._array *= mu
                product = float(state["mu_product"]._array)
                lerp_(mean, g, 1 - beta1)
                square *= x.dtype.type(beta2)
                addcmul_(square, g, g, 1 - beta2)
                denominator = np.sqrt(square / x.dtype.type(1 - beta2**step)) + x.dtype.type(group["eps"])
                addcdiv_(x, g, denominator, -lr * (1.0 - mu) / (1.0 - product))
                addcdiv_(x, mean, denominator, (-lr * mu_next) / (1.0 - product * mu_next))
                changed(p)


class RAdam(Optimizer):
    """Adam, which begins carefully, as long as the mean of the squares rests on few gradients.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.RAdam([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> w
        Parameter containing:
        tensor([0.8000], requires_grad=True)

    Mirrors `torch.optim.RAdam`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, eps, betas, weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "decoupled_weight_decay": decoupled_weight_decay,
                "differentiable": differentiable,
            },
        )

    @stepping
    def step(self) -> None:
        for group in self.param_groups:
            lr = number(group["lr"])
            beta1, beta2 = group["betas"]
            for p, x, g, state in gradients(self, group):
                _start(state, p, "exp_avg", "exp_avg_sq")
                g = _decayed(group, x, g, lr)
                step = float(state["step"]._array)
                mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
                lerp_(mean, g, 1 - beta1)
                square *= x.dtype.type(beta2)
                addcmul_(square, g, g, 1 - beta2)
                corrected = mean / x.dtype.type(1 - beta1**step)
                left = 1 - beta2**step
                rho_inf = 2 / (1 - beta2) - 1
                rho = rho_inf - 2 * step * beta2**step / left
                if rho > 5.0:
                    factor = math.sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho))
                    scale = x.dtype.type(math.sqrt(left)) / (np.sqrt(square) + x.dtype.type(group["eps"]))
                    add_(x, corrected * x.dtype.type(lr) * scale * x.dtype.type(factor), -1.0)
                else:
                    add_(x, corrected * x.dtype.type(lr), -1.0)
                changed(p)
