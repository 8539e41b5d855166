"""The comparisons of gradcheck: Jacobians element by element, or in the fast mode times a random direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.random.generator import Generator
from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor, requires_grad, wrap
from .jacobians import (
    GradcheckError,
    analytical,
    as_tuple,
    differentiable,
    directional,
    forward,
    forward_jacobian,
    numerical,
    steady,
)

__all__ = ["compare", "compare_forward"]

_IN_FAST_MODE = (
    "\nThe above quantities relating the numerical and analytical jacobians are computed \n"
    "in fast mode. See: https://github.com/pytorch/pytorch/issues/53876 for more background \n"
    "about fast mode. Below, we recompute numerical and analytical jacobians in slow mode:\n\n"
    "Numerical:\n {}\nAnalytical:\n{}\n\nThe max per-element difference (slow mode) is: {}.\n"
)
_SLOW_WOULD_DO = (
    "Fast gradcheck failed but element-wise differences are small. This means that the\n"
    "test might've passed in slow_mode!\n\n"
    "If you are adding a new operator, please file an issue and then use one of the\n"
    "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck:\n\n"
    "If the test\n"
    "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n"
    "  with `fast_mode=False` as a keyword argument.\n"
    "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n"
    "  to have `gradcheck_fast_mode=False`\n"
    "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
    "  module_test entry to have `gradcheck_fast_mode=False`"
)


class _Place(NamedTuple):
    """Which Jacobian is compared, and how errors call it."""

    output: int
    input: int
    #: "real" or "imaginary" where that part of complex outputs, forward of complex inputs, is looked at
    part: str = ""
    forward: bool = False

    def mismatch(self, n: Any, a: Any) -> str:
        """What the error says of two Jacobians, or products with them, that differ."""
        whose = "inputs" if self.forward else "outputs"
        start = f"While considering the {self.part} part of complex {whose} only, " if self.part else ""
        mode = "computed with forward mode " if self.forward else ""
        return (
            f"{start}Jacobian {mode}mismatch for output {self.output} with respect to input {self.input},\n"
            f"numerical:{wrap(np.asarray(n))}\nanalytical:{wrap(np.asarray(a))}\n"
        )


def compare(
    func: Callable[..., Any],
    inputs: Sequence[Any],
    made: Any,
    options: dict[str, Any],
    part: str = "",
    complex_outputs: Sequence[int] = (),
) -> None:
    """Jacobians by differences and by backward of a function with real outputs, which are `made`.

    Errors: GradcheckError where they differ.
    """
    every = [t for t in as_tuple(made) if isinstance(t, Tensor)]
    outputs = [t for t in every if requires_grad(t)]
    fast = _Directions(inputs, outputs) if options["fast_mode"] else None
    table = numerical(func, inputs, every, options["eps"]) if fast is None else fast.products(func, options["eps"])
    if not outputs:
        most = 0 if fast is None else options["nondet_tol"]
        if fast is None:  # of integers nothing is asked
            table = [row for row, t in zip(table, every, strict=True) if t.is_floating_point() or t.is_complex()]
        if any(np.any(np.abs(n) > most) for row in table for n in row):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    table = [row for row, t in zip(table, every, strict=True) if requires_grad(t)]
    for i, (o, row) in enumerate(zip(outputs, table, strict=True)):
        found = steady(inputs, o, options, None if fast is None else fast.weights[i].reshape(o._array.shape))
        for j, (a, n) in enumerate(zip(found, row, strict=True)):
            place = _Place(i, j, part if i in complex_outputs else "")
            if fast is not None:
                a, n = fast.along(a, j), (fast.weights[i] * n).sum()
                if not np.allclose(a, n, options["rtol"], options["atol"] * fast.scale(j, i)):
                    whole = numerical(func, inputs, every, options["eps"])
                    slow = [r for r, t in zip(whole, every, strict=True) if requires_grad(t)][i][j]
                    raise GradcheckError(
                        place.mismatch(n, a) + _slowly(slow, analytical(inputs, o, False)[0][j], options)
                    )
            elif not np.allclose(a, n, options["rtol"], options["atol"]):
                raise GradcheckError(place.mismatch(n, a))


def compare_forward(func: Callable[..., Any], inputs: Sequence[Any], made: Any, options: dict[str, Any]) -> None:
    """Jacobians by differences and by tangents of dual tensors, of a function whose outputs are `made`.

    Of complex inputs one part is varied while the other stays what it is.

    Errors: GradcheckError where they differ.
    """
    complexes = [i for i, t in enumerate(inputs) if isinstance(t, Tensor) and t._array.dtype.kind == "c"]
    if not complexes:
        _compare_tangents(func, inputs, made, options)
        return
    for name, word in (("imag", "imaginary"), ("real", "real")):
        part, given = _of_parts(func, inputs, complexes, name)
        _compare_tangents(part, given, part(*given), options, word, complexes)


def _of_parts(
    func: Callable[..., Any], inputs: Sequence[Any], complexes: Sequence[int], name: str
) -> tuple[Callable[..., Any], list[Any]]:
    """The function of the real, or of the imaginary, parts of its complex inputs; and these parts in their places."""
    given = list(inputs)
    for i in complexes:
        part = wrap(getattr(inputs[i]._array, name).copy())
        given[i] = part.requires_grad_() if requires_grad(inputs[i]) else part

    def taken(*parts: Any) -> tuple[Any, ...]:
        whole = list(parts)
        for i in complexes:
            other = wrap(inputs[i]._array)
            whole[i] = parts[i] + TENSORS.imag(other) * 1j if name == "real" else TENSORS.real(other) + parts[i] * 1j
        return as_tuple(func(*whole))

    return taken, given


def _compare_tangents(
    func: Callable[..., Any],
    inputs: Sequence[Any],
    made: Any,
    options: dict[str, Any],
    part: str = "",
    complex_inputs: Sequence[int] = (),
) -> None:
    every = [t for t in as_tuple(made) if isinstance(t, Tensor)]
    fast = _Directions(inputs) if options["fast_mode"] else None
    if fast is None:
        table = numerical(func, inputs, every, options["eps"])
        found = forward_jacobian(func, inputs, table)
    else:
        table = fast.products(func, options["eps"])
        found = fast.tangents(func, table)
    for i, (o, mine, row) in enumerate(zip(every, found, table, strict=True)):
        for j, (a, n) in enumerate(zip(mine, row, strict=True)):
            scale = 1.0 if fast is None else fast.scale(j)
            if not requires_grad(o) or np.allclose(a, n, options["rtol"], options["atol"] * scale):
                continue
            text = _Place(i, j, part if j in complex_inputs else "", forward=True).mismatch(n, a)
            if fast is not None:
                whole = numerical(func, inputs, every, options["eps"])
                text += _slowly(whole[i][j], forward_jacobian(func, inputs, whole)[i][j], options)
            raise GradcheckError(text)


def _slowly(n: np.ndarray, a: np.ndarray, options: dict[str, Any]) -> str:
    """What the fast mode says beside: the two Jacobians, and whether they are close, element by element."""
    text = _IN_FAST_MODE.format(wrap(n), wrap(a), wrap(np.asarray(np.abs(n - a).max())))
    return text + _SLOW_WOULD_DO if np.allclose(a, n, options["rtol"], options["atol"]) else text


class _Directions:
    """Random directions of the inputs, and random weights of the outputs if there are any, of length 1. They are the
    same in each check: the numbers that are drawn elsewhere stay what they are."""

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Tensor] = ()) -> None:
        generator = Generator()

        def drawn(t: Tensor) -> np.ndarray:
            made = TENSORS.rand(t._array.size, generator=generator).to(t.dtype.to_real())
            made /= made.norm()
            found: np.ndarray = made._array
            return found

        self.inputs = inputs
        self.directions: list[Any] = [
            (drawn(t), drawn(t)) if t._array.dtype.kind == "c" else drawn(t) for t in differentiable(inputs)
        ]
        self.weights = [drawn(o) for o in outputs]

    def products(self, func: Callable[..., Any], eps: float) -> list[list[np.ndarray]]:
        """For each output, for each input, the Jacobian by differences times the direction."""
        pairs = zip(differentiable(self.inputs), self.directions, strict=True)
        columns = [directional(func, self.inputs, t, direction, eps) for t, direction in pairs]
        return [list(row) for row in zip(*columns, strict=True)]

    def tangents(self, func: Callable[..., Any], table: list[list[np.ndarray]]) -> list[list[np.ndarray]]:
        """The same by tangents; zeros, as in `table`, where there is none."""
        found = [[np.zeros_like(n) for n in row] for row in table]
        for j, direction in enumerate(self.directions):
            for i, tangent in enumerate(forward(func, self.inputs, j, direction)):
                if tangent is not None:
                    found[i][j] = tangent
        return found

    def along(self, gradient: np.ndarray, j: int) -> Any:
        """A gradient of an input times its direction."""
        g, direction = gradient.reshape(-1), self.directions[j]
        if isinstance(direction, tuple):
            return g.real @ direction[0] + 1j * (g.imag @ direction[1])
        return g @ direction

    def scale(self, j: int, i: int | None = None) -> float:
        """By how much more the product with a direction of an input, and a weight, may differ than an element."""
        direction = self.directions[j]
        parts = direction if isinstance(direction, tuple) else (direction,)
        return float(sum(p.sum() for p in parts)) * (1.0 if i is None else float(self.weights[i].sum()))
