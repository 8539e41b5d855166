"""Adam and its relatives (mirrors `torch.optim.Adam`, `AdamW`, `Adamax`, `NAdam`, `RAdam`, `SparseAdam`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.tensor.tensor import Tensor
from .arrays import (
    Changes,
    addcdiv,
    addcmul,
    check_rate,
    copied,
    fma,
    lerp,
    number,
    rate,
    refuse_negative,
    root,
    scalar,
    with_decay,
)
from .optimizer import LATER, Optimizer, evaluate, stepping

__all__ = ["Adam", "AdamW", "Adamax", "NAdam", "RAdam", "SparseAdam"]


def _check(lr: Any, eps: float, betas: Any, weight_decay: float) -> None:
    check_rate(lr)
    refuse_negative(eps, "epsilon value")
    _check_range(betas)
    refuse_negative(weight_decay, "weight_decay value")


def _check_range(betas: Any) -> None:
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def _check_betas(betas: Any, capturable: bool, foreach: bool | None) -> tuple[Any, Any]:
    """Adam's betas, which are both numbers or both tensors of one element; these come back 0-dim."""
    if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)):
        raise ValueError("betas must be either both floats or both Tensors")
    if not isinstance(betas[0], Tensor):
        return tuple(betas)
    for i, beta in enumerate(betas):
        if foreach and not capturable:
            raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
        if beta.numel() != 1:
            raise ValueError(f"Tensor betas[{i}] must be 1-element")
    return tuple(beta.squeeze() if beta.ndim else beta for beta in betas)


def _decayed(group: dict[str, Any], x: Any, g: Any, lr: float) -> tuple[Any, Any, int]:
    """The weights made smaller by decoupled weight decay, or the gradient with the other kind; and how many operations
    on the weights that was."""
    decay = group["weight_decay"]
    if decay != 0 and group.get("decoupled_weight_decay"):
        return x * x.dtype.type(1 - lr * decay), g, 1
    return x, with_decay(x, g, decay), 0


def _moments(changes: Changes, state: dict[str, Any], g: Any, beta1: float, beta2: float) -> tuple[Any, Any]:
    """The running means of the gradient and of its square."""
    mean = changes.write(state["exp_avg"], lerp(changes.array(state["exp_avg"]), g, 1 - beta1))
    square = changes.array(state["exp_avg_sq"]) * g.dtype.type(beta2)
    return mean, changes.write(state["exp_avg_sq"], addcmul(square, g, g, 1 - beta2), 2)


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

    _later_options = {
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }
    _refused = ("capturable", "differentiable")
    _lerps = True

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
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        _check(lr, eps, betas, weight_decay)
        betas = _check_betas(betas, capturable, foreach)
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
        self._check_fused(fused, foreach, differentiable)

    def _writes_reals(self, group: dict[str, Any]) -> bool:
        return not (group["decoupled_weight_decay"] and group["weight_decay"] != 0)

    @stepping
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            lr = number(group["lr"])
            beta1, beta2 = map(number, group["betas"])
            for p, x, g in changes.bundles(group, keeps=True):
                names = ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else []))
                state = changes.state_or_zeros(p, *names)
                step = changes.count(state)
                x, g, times = _decayed(group, x, g, lr)
                mean, square = _moments(changes, state, g, beta1, beta2)
                if group["amsgrad"]:
                    largest = state["max_exp_avg_sq"]
                    square = changes.write(largest, copied(np.maximum(changes.array(largest), square)))
                left = 1 - beta2**step
                bias = x.dtype.type(math.sqrt(left) if left.__class__ is float else root(left))
                denominator = np.sqrt(square) / bias + x.dtype.type(group["eps"])
                changes.write(p, addcdiv(x, mean, denominator, -(lr / (1 - beta1**step))), times + 1)


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

    _later_options = {**Adam._later_options, "decoupled_weight_decay": True}

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

    _lerps = True
    _later_options = {**LATER, "capturable": False}

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
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p, x, g in changes.bundles(group, keeps=True):
                state = changes.state_or_zeros(p, "exp_avg", "exp_inf")
                step = changes.count(state)
                g = with_decay(x, g, group["weight_decay"])
                mean = changes.write(state["exp_avg"], lerp(changes.array(state["exp_avg"]), g, 1 - beta1))
                before = changes.array(state["exp_inf"]) * x.dtype.type(beta2)
                largest = copied(np.maximum(before, np.abs(g) + x.dtype.type(group["eps"])))
                changes.write(state["exp_inf"], largest, 2)
                changes.write(p, addcdiv(x, mean, largest, -number(group["lr"]) / (1 - beta1**step)))


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

    _lerps = True
    _later_options = {
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
    }
    _captured = ("params, mu_products and state_steps", "params, mu_products, and state_steps")

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
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            lr = number(group["lr"])
            beta1, beta2 = group["betas"]
            for p, x, g in changes.gradients(group):
                state = changes.state_or_zeros(p, "exp_avg", "exp_avg_sq", mu_product=1.0)
                step = changes.count(state)
                x, g, times = _decayed(group, x, g, lr)
                mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
                mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
                held = changes.array(state["mu_product"])
                product = scalar(changes.write(state["mu_product"], held * held.dtype.type(mu)))
                mean, square = _moments(changes, state, g, beta1, beta2)
                denominator = np.sqrt(square / x.dtype.type(1 - beta2**step)) + x.dtype.type(group["eps"])
                x = addcdiv(x, g, denominator, -lr * (1.0 - mu) / (1.0 - product))
                x = addcdiv(x, mean, denominator, (-lr * mu_next) / (1.0 - product * mu_next))
                changes.write(p, x, times + 2)


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

    _lerps = True
    _later_options = {**LATER, "decoupled_weight_decay": False, "capturable": False}

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
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            lr = number(group["lr"])
            beta1, beta2 = group["betas"]
            for p, x, g in changes.bundles(group, keeps=True):
                state = changes.state_or_zeros(p, "exp_avg", "exp_avg_sq")
                step = changes.count(state)
                x, g, times = _decayed(group, x, g, lr)
                mean, square = _moments(changes, state, g, beta1, beta2)
                move = mean / x.dtype.type(1 - beta1**step) * x.dtype.type(lr)
                left = 1 - beta2**step
                rho_inf = 2 / (1 - beta2) - 1
                rho = rho_inf - 2 * step * beta2**step / left
                if rho > 5.0:
                    factor = root((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho))
                    scale = x.dtype.type(root(left)) / (np.sqrt(square) + x.dtype.type(group["eps"]))
                    move = move * scale * x.dtype.type(factor)
                changes.write(p, fma(x, move, -1.0), times + 1)


class SparseAdam(Optimizer):
    """Adam for gradients in a sparse layout. Tensors here have dense ones, which it refuses to step with.

    Errors: RuntimeError of `step` where a parameter has a gradient; ValueError for complex parameters and for numbers
    out of range.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> torch.optim.SparseAdam([nn.Parameter(torch.tensor([1.]))]).defaults["betas"]
        (0.9, 0.999)

    Mirrors `torch.optim.SparseAdam`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        rate(lr)
        for value, name in ((lr, "learning rate"), (eps, "epsilon value")):
            if not 0.0 < value:
                raise ValueError(f"Invalid {name}: {value}")
        _check_range(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        complex_ones = [
            [i, j] for i, group in enumerate(self.param_groups) for j, p in enumerate(group["params"]) if p.is_complex()
        ]
        if complex_ones:
            raise ValueError(
                f"Complex params at indices {complex_ones}: SparseAdam does not support complex parameters"
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        loss = evaluate(closure)
        if any(p.grad is not None for group in self.param_groups for p in group["params"]):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        return loss
