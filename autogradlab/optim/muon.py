"""Muon: steps of momentum whose matrices are made orthogonal before they are taken."""

from __future__ import annotations

import math
from typing import Any

from ..core.recording.record import TENSORS as F
from ..core.tensor.tensor import wrap
from ..core.types.dtypes import ALL
from .arrays import Array, Changes, fma, lerp, number, rate
from .optimizer import Optimizer, stepping

__all__ = ["Muon"]

_ADJUSTMENTS = (None, "original", "match_rms_adamw")


class Muon(Optimizer):
    """Steps along running means of gradients, each a matrix that is replaced by the nearest orthogonal one,
    approximately, by some steps of a Newton-Schulz iteration in bfloat16.

    Errors: ValueError for parameters that are not matrices, for negative lr, momentum or weight_decay.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.eye(2))
        >>> optimizer = torch.optim.Muon([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> list(optimizer.state[w])
        ['momentum_buffer']

    Mirrors `torch.optim.Muon`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if not 0.0 <= rate(lr):
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not momentum >= 0.0:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in _ADJUSTMENTS:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "nesterov": nesterov,
                "ns_coefficients": ns_coefficients,
                "eps": eps,
                "ns_steps": ns_steps,
                "adjust_lr_fn": adjust_lr_fn,
            },
        )
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    @stepping
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            lr, momentum = number(group["lr"]), group["momentum"]
            for p, x, g in changes.gradients(group):
                if p._array.dtype.kind == "c":
                    raise RuntimeError("Muon does not support complex parameters")
                if g.ndim != 2:
                    raise ValueError("Param gradient must be a 2D matrix")
                state = changes.state(p) or changes.begin(p, {"momentum_buffer": F.zeros_like(wrap(g))})
                mean = changes.write(
                    state["momentum_buffer"], lerp(changes.array(state["momentum_buffer"]), g, 1 - momentum)
                )
                update = lerp(g, mean, momentum) if group["nesterov"] else mean
                update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
                x = x * x.dtype.type(1 - lr * group["weight_decay"])
                changes.write(p, fma(x, update, -_adjusted(lr, group["adjust_lr_fn"], x.shape)), 2)


def _orthogonal(g: Array, coefficients: tuple[float, float, float], steps: int, eps: float) -> Array:
    """The matrix with its singular values moved towards 1, each step a polynomial of fifth degree of them."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    u = F.to(wrap(g), ALL["bfloat16"])
    tall = g.shape[0] > g.shape[1]
    if tall:
        u = F.t(u)
    u = u / F.clamp(F.norm(u), min=eps)
    for _ in range(steps):
        gram = u @ F.t(u)
        change = F.addmm(gram, gram, gram, beta=b, alpha=c)
        u = F.addmm(u, change, u, beta=a)
    if tall:
        u = F.t(u)
    found: Array = F.to(u, ALL["float32"])._array.astype(g.dtype)
    return found


def _adjusted(lr: float, how: str | None, shape: tuple[int, ...]) -> float:
    """The learning rate for a matrix of this shape."""
    if how == "match_rms_adamw":
        return lr * 0.2 * math.sqrt(max(shape[:2]))
    return lr * math.sqrt(max(1, shape[0] / shape[1]))
