"""Limited-memory BFGS (mirrors `torch.optim.LBFGS`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import changed, number
from .optimizer import Optimizer, evaluate

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """A quasi-Newton method: step(closure) evaluates the loss several times.
    Errors: ValueError for more than one group; RuntimeError for a line search other than "strong_wolfe".

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([5.]))
        >>> optimizer = torch.optim.LBFGS([w], lr=0.5)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (w * w).sum()
        ...     loss.backward()
        ...     return loss
        ...
        >>> optimizer.step(closure)
        tensor(25., grad_fn=<SumBackward0>)
        >>> w.abs() < 1e-3
        tensor([True])

    Mirrors `torch.optim.LBFGS`.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if number(lr) < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _gradient(self) -> Any:
        return np.concatenate(
            [(np.zeros_like(p._array) if p._grad is None else p._grad._array).reshape(-1) for p in self._params]
        )

    def _move(self, t: float, direction: Any) -> None:
        start = 0
        for p in self._params:
            n = p._array.size
            p._array += direction[start : start + n].reshape(p._array.shape) * p._array.dtype.type(t)
            changed(p)
            start += n

    def _at(self, closure: Callable[[], Any], start: list[Any], t: float, direction: Any) -> tuple[float, Any]:
        """Loss and gradient at `t` along the direction; the parameters stay where they were."""
        self._move(t, direction)
        loss = number(evaluate(closure))
        gradient = self._gradient()
        for p, x in zip(self._params, start, strict=True):
            p._array[...] = x
            changed(p)
        return loss, gradient

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Up to max_iter iterations; gives the loss before them."""
        group = self.param_groups[0]
        lr, wolfe = number(group["lr"]), group["line_search_fn"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        original = evaluate(closure)
        loss, evaluations = number(original), 1
        state["func_evals"] += 1
        gradient = self._gradient()
        if np.abs(gradient).max(initial=0) <= group["tolerance_grad"]:
            return original
        d, t, before, loss_before = (state.get(k) for k in ("d", "t", "prev_flat_grad", "prev_loss"))
        old_y, old_s, scale = state.get("old_dirs") or [], state.get("old_stps") or [], state.get("H_diag")
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d, old_y, old_s, scale = -gradient, [], [], 1.0
            else:
                y, s = gradient - before, d * t
                ys = float(y @ s)
                if ys > 1e-10:
                    if len(old_y) == group["history_size"]:
                        old_y.pop(0), old_s.pop(0)
                    old_y.append(y), old_s.append(s)
                    scale = ys / float(y @ y)
                d = _direction(gradient, old_y, old_s, scale)
            before, loss_before = gradient.copy(), loss
            t = min(1.0, 1.0 / float(np.abs(gradient).sum())) * lr if state["n_iter"] == 1 else lr
            slope = float(gradient @ d)
            if slope > -group["tolerance_change"]:
                break
            count = 0
            if wolfe is not None:
                if wolfe != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                from .wolfe import strong_wolfe

                start = [p._array.copy() for p in self._params]
                loss, gradient, t, count = strong_wolfe(
                    lambda a, d=d, start=start: self._at(closure, start, a, d),  # type: ignore[misc]
                    t,
                    d,
                    loss,
                    gradient,
                    slope,
                )
                self._move(t, d)
            else:
                self._move(t, d)
                if iteration != group["max_iter"]:
                    loss = number(evaluate(closure))
                    gradient = self._gradient()
                    count = 1
            evaluations += count
            state["func_evals"] += count
            if (
                iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or np.abs(gradient).max() <= group["tolerance_grad"]
                or np.abs(d * t).max() <= group["tolerance_change"]
                or abs(loss - loss_before) < group["tolerance_change"]
            ):
                break
        state.update(
            d=d, t=t, old_dirs=old_y, old_stps=old_s, H_diag=scale, prev_flat_grad=before, prev_loss=loss_before
        )
        return original


def _direction(gradient: Any, old_y: list[Any], old_s: list[Any], scale: Any) -> Any:
    """The two-loop recursion: the inverse Hessian's estimate times the negative gradient."""
    q = -gradient
    kept = []
    for y, s in zip(reversed(old_y), reversed(old_s), strict=True):
        ro = 1.0 / float(y @ s)
        a = float(s @ q) * ro
        q = q - y * q.dtype.type(a)
        kept.append((a, ro))
    q = q * q.dtype.type(scale)
    for (a, ro), y, s in zip(reversed(kept), old_y, old_s, strict=True):
        q = q + s * q.dtype.type(a - float(y @ q) * ro)
    return q
