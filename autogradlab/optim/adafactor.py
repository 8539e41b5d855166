"""Adafactor: Adam-like steps whose second moments of matrices are kept as a row and a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor.tensor import wrap
from ..core.types.dtypes import from_numpy
from ..core.types.info import finfo
from .arrays import Array, Changes, fma, lerp, number, rate, scalar_state
from .optimizer import Optimizer, stepping

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """Steps scaled by running means of squared gradients; of a matrix only the means of rows and columns are kept.

    Errors: ValueError for negative lr, eps or weight_decay, for beta2_decay above 0 and for d below 1.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.ones(2, 3))
        >>> optimizer = torch.optim.Adafactor([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> optimizer.step()
        >>> optimizer.state[w]['row_var'].shape, optimizer.state[w]['col_var'].shape
        (torch.Size([2, 1]), torch.Size([1, 3]))

    Mirrors `torch.optim.Adafactor`.
    """

    _later_options = {"foreach": None}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if not 0.0 <= rate(lr):
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
            },
        )

    @stepping
    def step(self, changes: Changes) -> None:
        """One step; `closure`, if given, computes the loss anew, which is returned."""
        for group in self.param_groups:
            lr, decay, (eps1, eps2) = number(group["lr"]), group["weight_decay"], group["eps"]
            for p, x, g in changes.gradients(group):
                if p._array.dtype.kind == "c":
                    raise RuntimeError("Adafactor does not support complex parameters")
                least = finfo(from_numpy(x.dtype)).eps if eps1 is None else eps1
                state = changes.state(p) or changes.begin(p, _start(g))
                step = changes.count(state)
                size = max(eps2, float(np.linalg.norm(x)) / x.size**0.5)
                alpha = size * min(lr, 1 / step**0.5)
                if decay != 0:
                    x = x * x.dtype.type(1 - lr * decay)
                square = _second_moment(changes, state, g, step ** group["beta2_decay"], least)
                move = g / np.sqrt(np.maximum(square, x.dtype.type(least * least)))
                clip = max(1.0, float(np.linalg.norm(move)) / (move.size**0.5 * group["d"]))
                changes.write(p, fma(x, move, -alpha / clip), 1 + (decay != 0))


def _start(g: Array) -> dict[str, Any]:
    """The state of a parameter before its first step."""
    if g.ndim > 1:
        row = wrap(np.zeros((*g.shape[:-1], 1), g.dtype))
        return {"step": scalar_state(0.0), "row_var": row, "col_var": wrap(np.zeros_like(g[..., :1, :]))}
    return {"step": scalar_state(0.0), "variance": wrap(np.zeros_like(g))}


def _second_moment(changes: Changes, state: dict[str, Any], g: Array, weight: float, least: float) -> Array:
    """The estimate of the mean square of each element."""
    if g.ndim <= 1:
        return changes.write(state["variance"], lerp(changes.array(state["variance"]), g * g, weight))
    means = {"row_var": (g * g).mean(axis=-1, keepdims=True), "col_var": (g * g).mean(axis=-2, keepdims=True)}
    row, col = (changes.write(state[n], lerp(changes.array(state[n]), mean, weight)) for n, mean in means.items())
    return np.asarray((row @ col) / np.maximum(row.mean(axis=-2, keepdims=True), g.dtype.type(least)))
