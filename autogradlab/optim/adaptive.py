"""Optimizers that scale each step by earlier gradients: RMSprop, Adagrad, Adadelta, Rprop; and ASGD."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor.tensor import Tensor
from .arrays import (
    Changes,
    addcdiv,
    addcmul,
    check_rate,
    chosen,
    copied,
    direction,
    filled,
    fma,
    lerp,
    number,
    refuse_negative,
    scalar_state,
    with_decay,
    zeros,
)
from .optimizer import LATER, Optimizer, stepping

__all__ = ["ASGD", "Adadelta", "Adagrad", "RMSprop", "Rprop"]


def _squares(changes: Changes, held: Tensor, g: Any, decay: float) -> Any:
    """The running mean of squares, to which those of `g` are added."""
    square = changes.array(held) * g.dtype.type(decay)
    return changes.write(held, addcmul(square, g, g, 1 - decay), 2)


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

    _later_options = {"momentum": 0, "centered": False, **LATER, "capturable": False}
    _captured_xla = (True, True)

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
        check_rate(lr)
        refuse_negative(eps, "epsilon value")
        refuse_negative(momentum, "momentum value")
        refuse_negative(weight_decay, "weight_decay value")
        refuse_negative(alpha, "alpha value")
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
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            lr, alpha, momentum = number(group["lr"]), group["alpha"], group["momentum"]
            names = ["square_avg", *["momentum_buffer"] * (momentum > 0), *["grad_avg"] * bool(group["centered"])]
            for p, x, g in changes.bundles(group, keeps=True):
                state = changes.state_or_zeros(p, *names)
                changes.count(state)
                g = with_decay(x, g, group["weight_decay"])
                kind = x.dtype.type
                square = _squares(changes, state["square_avg"], g, alpha)
                if group["centered"]:
                    mean = changes.write(state["grad_avg"], lerp(changes.array(state["grad_avg"]), g, 1 - alpha))
                    square = square - mean * mean
                root = np.sqrt(square) + kind(group["eps"])
                if momentum > 0:
                    held = state["momentum_buffer"]
                    buffer = changes.write(held, addcdiv(changes.array(held) * kind(momentum), g, root, 1.0), 2)
                    changes.write(p, fma(x, buffer, -lr))
                else:
                    changes.write(p, addcdiv(x, g, root, -lr))


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

    _later_options = {**LATER, "fused": None}

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
        check_rate(lr)
        refuse_negative(lr_decay, "lr_decay value")
        refuse_negative(weight_decay, "weight_decay value")
        refuse_negative(initial_accumulator_value, "initial_accumulator_value value")
        refuse_negative(eps, "epsilon value")
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
        self._check_fused(fused, foreach, differentiable)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["step"] = scalar_state(0.0)
                self.state[p]["sum"] = filled(p, initial_accumulator_value)

    @stepping
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            for p, x, g in changes.bundles(group, keeps=True):
                state = changes.state(p)
                step = changes.count(state)
                g = with_decay(x, g, group["weight_decay"])
                decayed = number(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
                total = changes.write(state["sum"], addcmul(changes.array(state["sum"]), g, g, 1.0))
                changes.write(p, addcdiv(x, g, np.sqrt(total) + x.dtype.type(group["eps"]), -decayed))


class Adadelta(Optimizer):
    """Gradients times the root of the running mean of squared steps, divided by that of squared gradients.

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

    _later_options = {**LATER, "capturable": False}
    _captured_xla = (False, False)

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
        check_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        refuse_negative(eps, "epsilon value")
        refuse_negative(weight_decay, "weight_decay value")
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

    def _writes_reals(self, group: dict[str, Any]) -> bool:
        return False

    @stepping
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            rho, eps = group["rho"], group["eps"]
            for p, x, g in changes.bundles(group, keeps=True):
                state = changes.state_or_zeros(p, "square_avg", "acc_delta")
                changes.count(state)
                g = with_decay(x, g, group["weight_decay"])
                kind = x.dtype.type
                square = _squares(changes, state["square_avg"], g, rho)
                before = changes.array(state["acc_delta"])
                delta = np.sqrt(before + kind(eps)) / np.sqrt(square + kind(eps)) * g
                _squares(changes, state["acc_delta"], delta, rho)
                changes.write(p, fma(x, delta, -number(group["lr"])))


class Rprop(Optimizer):
    """Steps whose direction is the sign of the gradient; their size grows while the sign stays, and shrinks when it
    changes.

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

    _later_options = {**LATER, "capturable": False}
    _captured_xla = (True, True)

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
        check_rate(lr)
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
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            shorter, longer = group["etas"]
            low, high = group["step_sizes"]
            for p, x, g in changes.bundles(group, keeps=True):
                state = changes.state(p) or changes.begin(
                    p, {"step": scalar_state(0.0), "prev": zeros(p), "step_size": filled(p._grad, number(group["lr"]))}
                )
                changes.count(state)
                kind = x.dtype.type
                sign = direction(g * changes.array(state["prev"]))
                factor = chosen(sign < 0, shorter, chosen(sign > 0, longer, np.abs(sign) * kind(0) + kind(1)))
                size = np.clip(changes.array(state["step_size"]) * factor, kind(low), kind(high))
                changes.write(state["step_size"], size, 2)
                g = chosen(sign < 0, 0, g)
                changes.write(p, addcmul(x, direction(g), size, -1))
                changes.write(state["prev"], copied(g), 2 + group["maximize"] if group["foreach"] else 1)


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

    _later_options = {**LATER, "capturable": False}
    _captured = ("params, mus, etas, and state_steps", "params, mus, etas, and state_steps")

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
        check_rate(lr)
        refuse_negative(weight_decay, "weight_decay value")
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
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            lr, lambd = number(group["lr"]), group["lambd"]
            for p, x, g in changes.gradients(group):
                state = changes.state_or_zeros(p, "ax", eta=lr, mu=1.0)
                step = changes.count(state)
                g = with_decay(x, g, group["weight_decay"])
                eta, mu, mean = (changes.array(state[name]) for name in ("eta", "mu", "ax"))
                x = fma(x * x.dtype.type(1 - lambd * float(eta)), g, -float(eta))
                changes.write(p, x, 1 if group["foreach"] else 2)
                changes.write(state["eta"], np.asarray(lr / ((1 + lambd * lr * step) ** group["alpha"])))
                changes.write(state["mu"], np.asarray(1 / max(1, step - group["t0"])))
                changes.write(state["ax"], x if mu == 1 else mean + (x - mean) * x.dtype.type(mu))
