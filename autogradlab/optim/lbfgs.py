"""Limited-memory BFGS (mirrors `torch.optim.LBFGS`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.grad_mode import enable_grad, no_grad
from ..core.memory.versions import increment_version
from ..core.tensor.tensor import Tensor, wrap
from .arrays import as_reals, check_rate, fma, number, put_reals
from .optimizer import Optimizer
from .wolfe import strong_wolfe

__all__ = ["LBFGS"]

Array = np.ndarray[Any, Any]


def _read(loss: Any) -> float:
    """A loss as a number; what else a closure returns is refused as Python refuses it."""
    with no_grad():
        return float(loss)


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
        check_rate(lr)
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

    def _gradient(self) -> Array:
        """The gradients of all parameters in one vector."""
        return np.concatenate(
            [as_reals(np.zeros_like(p._array) if p._grad is None else p._grad._array).reshape(-1) for p in self._params]
        )

    def _move(self, t: Any, direction: Array) -> None:
        """Go `t` along the direction."""
        start = 0
        for p in self._params:
            x = as_reals(p._array)
            n = x.size
            put_reals(p._array, fma(x, direction[start : start + n].reshape(x.shape), t))
            increment_version(p)
            start += n

    def _put_back(self, values: list[Array]) -> None:
        """Give the parameters these values."""
        for p, x in zip(self._params, values, strict=True):
            p._array[...] = x
            increment_version(p)

    def _evaluated(self, closure: Callable[[], Any], state: dict[str, Any]) -> tuple[Any, Array]:
        """The loss that the closure computes and the gradient."""
        with enable_grad():
            loss = closure()
        state["func_evals"] += 1
        return loss, self._gradient()

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # as in PyTorch, it needs the closure
        """Up to max_iter iterations; gives the loss before them. An interrupted step is undone."""
        before = [p._array.copy() for p in self._params]
        held = self.state[self._params[0]]
        state = dict(held)
        try:
            loss = self._iterate(closure, state)
            held.update(state)
        except BaseException:
            self._put_back(before)
            raise
        return loss

    def _iterate(self, closure: Callable[[], Any], state: dict[str, Any]) -> Any:
        group = self.param_groups[0]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        started = state["func_evals"]
        original, gradient = self._evaluated(closure, state)
        loss = _read(original)
        if np.abs(gradient).max(initial=0) <= group["tolerance_grad"]:
            return original
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = _new_direction(state, gradient, group["history_size"])
            loss_before = loss
            state["prev_flat_grad"] = _written(gradient.copy(), state["n_iter"] - 1)
            state["prev_loss"] = loss
            lr = group["lr"]
            t: Any = number(lr)
            if state["n_iter"] == 1:
                t = _first_length(gradient, t)
            given = isinstance(lr, Tensor) and not isinstance(t, Tensor)  # kept as it was given
            state["t"] = lr.squeeze() if given and lr.dim() else lr if given else t
            slope = gradient @ d
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                most = group["max_eval"] - (state["func_evals"] - started)
                loss, gradient, t = self._search(closure, state, t, d, loss, gradient, slope, most)
                state["t"] = wrap(np.asarray(t)) if isinstance(t, np.generic) else t
            else:
                self._move(number(t), d)
                if iteration != group["max_iter"]:
                    after, gradient = self._evaluated(closure, state)
                    loss = _read(after)
            if (
                iteration == group["max_iter"]
                or state["func_evals"] - started >= group["max_eval"]
                or np.abs(gradient).max() <= group["tolerance_grad"]
                or np.abs(d * number(t)).max() <= group["tolerance_change"]
                or abs(loss - loss_before) < group["tolerance_change"]
            ):
                break
        for name in _ORDER:  # as PyTorch's state_dict has them
            if name in state:
                state[name] = state.pop(name)
        return original

    def _search(
        self,
        closure: Callable[[], Any],
        state: dict[str, Any],
        t: Any,
        d: Array,
        loss: float,
        gradient: Array,
        slope: Any,
        most: int,
    ) -> tuple[float, Array, Any]:
        """Loss, gradient and step length where the strong Wolfe conditions hold; the parameters move there."""
        start = [p._array.copy() for p in self._params]
        settings = np.geterr()

        def at(length: float, direction: Array) -> tuple[float, Array]:
            self._move(length, direction)
            with np.errstate(**settings):
                there, slope_there = self._evaluated(closure, state)
            self._put_back(start)
            return _read(there), slope_there

        if isinstance(t, Tensor):
            t = t._array[()]
        with np.errstate(all="ignore"):
            loss, gradient, t, _ = strong_wolfe(lambda length: at(length, d), t, d, loss, gradient, slope, most)
        self._move(t, d)
        return loss, gradient, t


_ORDER = ("al", "d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


def _first_length(gradient: Array, lr: float) -> Any:
    """The length of the first step: at most lr, less where the gradient is large."""
    length = gradient.dtype.type(1) / np.abs(gradient).sum()
    return wrap(np.asarray(length * gradient.dtype.type(lr))) if length < 1 else lr


def _new_direction(state: dict[str, Any], gradient: Array, history: int) -> Array:
    """Remember how the gradient changed along the last step, and give the next direction."""
    if state["n_iter"] == 1:
        d = -gradient
        state.update(d=wrap(d), old_dirs=[], old_stps=[], ro=[], H_diag=1)
        return d
    y, s = gradient - state["prev_flat_grad"]._array, state["d"]._array * gradient.dtype.type(number(state["t"]))
    ys = y @ s
    for name in ("old_dirs", "old_stps", "ro"):
        state[name] = list(state[name])
    if ys > 1e-10:
        if len(state["old_dirs"]) == history:
            for name in ("old_dirs", "old_stps", "ro"):
                state[name].pop(0)
        for name, value in (("old_dirs", y), ("old_stps", s), ("ro", 1.0 / ys)):
            state[name].append(wrap(np.asarray(value, gradient.dtype)))
        state["H_diag"] = wrap(np.asarray(ys / (y @ y), gradient.dtype))
    state["al"] = list(state.get("al") or [None] * history)
    d = _direction(gradient, state)
    state["d"] = _written(d, len(state["old_dirs"]))
    return d


def _written(array: Array, times: int) -> Tensor:
    """A tensor that PyTorch has written to so often."""
    made = wrap(array)
    made._counter = [times]
    return made


def _direction(gradient: Array, state: dict[str, Any]) -> Array:
    """The two-loop recursion: the inverse Hessian's estimate times the negative gradient."""
    dirs, steps, ros, al = state["old_dirs"], state["old_stps"], state["ro"], state["al"]
    q = -gradient
    for i in reversed(range(len(dirs))):
        a = (steps[i]._array @ q) * ros[i]._array
        al[i] = wrap(np.asarray(a, q.dtype))
        q = fma(q, dirs[i]._array, -a)
    q = q * q.dtype.type(number(state["H_diag"]))
    for i in range(len(dirs)):
        q = fma(q, steps[i]._array, al[i]._array - (dirs[i]._array @ q) * ros[i]._array)
    return np.asarray(q)
