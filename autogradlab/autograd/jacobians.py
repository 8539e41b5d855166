"""Jacobians for gradcheck: by finite differences, by backward and by forward mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor, requires_grad, wrap
from ..core.types.dtypes import from_numpy
from ..core.types.size import Size
from .frontend import grad

__all__ = [
    "GradcheckError",
    "analytical",
    "as_tuple",
    "differentiable",
    "directional",
    "forward",
    "forward_jacobian",
    "numerical",
    "part_of",
    "pushed",
    "steady",
]

_NONDETERMINISTIC = (
    "\n\nNOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
    "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\nthis failure might be "
    "expected.\n\n"
    "If you are adding a new operator, please file an issue and then use one of the\nworkarounds. The workaround "
    "depends on "
    "how your test invokes gradcheck/gradgradcheck.\nIf the test\n- manually invokes gradcheck/gradgradcheck, then "
    "call "
    "gradcheck/gradgradcheck\n  with `nondet_tol=<tol>` as a keyword argument.\n- is OpInfo-based (e.g., in "
    "test_ops_gradients.py), then modify the OpInfo for the test\n  to have `gradcheck_nondet_tol=<tol>`.\n- is a "
    "Module test (e.g., in common_nn.py), then modify the corresponding\n"
    "  module_test entry to have `gradcheck_nondet_tol=<tol>`\n"
)


class GradcheckError(RuntimeError):
    """Raised when a gradient does not agree."""

    __module__ = "torch.autograd.gradcheck"


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def differentiable(values: Any) -> list[Tensor]:
    return [t for t in as_tuple(values) if isinstance(t, Tensor) and requires_grad(t)]


def _values(func: Callable[..., Any], inputs: Sequence[Any]) -> list[np.ndarray]:
    return [np.array(t._array) for t in as_tuple(func(*inputs)) if isinstance(t, Tensor)]


def _differences(func: Callable[..., Any], inputs: Sequence[Any], cell: Any, step: Any, eps: float) -> list[np.ndarray]:
    """The central difference of the outputs in one element of one input, or in a direction of all, whose value is then
    restored."""
    array, index = cell
    kept = array[index].copy()
    try:
        array[index] = kept - step
        low = _values(func, inputs)
        array[index] = kept + step
        high = _values(func, inputs)
    finally:
        array[index] = kept
    if any(a.dtype.kind == "b" for a in low):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    for a, b in zip(low, high, strict=True):
        where = "" if index is ... else f"on index {index} "
        start = f"Expected `func` to return outputs with the same {{}} when inputs are perturbed {where}by {eps}"
        if a.shape != b.shape:
            raise AssertionError(f"{start.format('shape')}, but got: shapes {Size(a.shape)} and {Size(b.shape)}.")
        if a.dtype != b.dtype:
            kinds = from_numpy(a.dtype), from_numpy(b.dtype)
            raise AssertionError(f"{start.format('dtype')}, but got: dtypes {kinds[0]} and {kinds[1]}.")
    return [(b - a) / (2 * eps) for a, b in zip(low, high, strict=True)]


def numerical(
    func: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Tensor],
    eps: float,
    targets: Sequence[Tensor] | None = None,
) -> list[list[np.ndarray]]:
    """Jacobians by differences: for each output, for each differentiable input, (elements of input, of output).

    targets: the tensors to differentiate by, if not the inputs.
    """
    table: list[list[np.ndarray]] = [[] for _ in outputs]
    for t in differentiable(inputs) if targets is None else targets:
        array = t._array
        complexes = array.dtype.kind == "c"
        columns: list[list[np.ndarray]] = [[] for _ in outputs]
        for index in np.ndindex(array.shape):
            found = _differences(func, inputs, (array, index), eps, eps)
            if complexes:
                turned = _differences(func, inputs, (array, index), 1j * eps, eps)
                found = [a + 1j * b for a, b in zip(found, turned, strict=True)]
            for column, d in zip(columns, found, strict=True):
                column.append(d.reshape(-1))
        for rows, column, o in zip(table, columns, outputs, strict=True):
            kind = np.result_type(o._array.dtype, array.dtype) if complexes else o._array.dtype
            rows.append(np.array(column, kind).reshape(array.size, o._array.size))
    return table


def directional(
    func: Callable[..., Any], inputs: Sequence[Any], t: Tensor, direction: Any, eps: float
) -> list[np.ndarray]:
    """The Jacobian of each output by differences, times a direction of one input. direction: an array, or two for the
    real and the imaginary part of a complex input."""
    cell, shape = (t._array, ...), t._array.shape
    if not isinstance(direction, tuple):
        found = _differences(func, inputs, cell, direction.reshape(shape) * eps, eps)
    else:
        steps = [direction[0].reshape(shape) * eps, direction[1].reshape(shape) * (1j * eps)]
        pairs = zip(*[_differences(func, inputs, cell, step, eps) for step in steps], strict=True)
        found = [a + 1j * b for a, b in pairs]
    return [d.reshape(-1) for d in found]


def _units(array: np.ndarray) -> Iterator[np.ndarray]:
    """For each element an array of zeros with a one in its place."""
    for index in np.ndindex(array.shape):
        unit = np.zeros_like(array)
        unit[index] = 1
        yield unit


def analytical(
    inputs: Sequence[Any], output: Tensor, typed: bool, seed: np.ndarray | None = None
) -> tuple[list[np.ndarray], bool, bool]:
    """Jacobians by backward, and whether dtypes and sizes of the gradients were right. seed: the one gradient of the
    output that is asked for, if not each of its elements."""
    wanted = differentiable(inputs)
    columns = output._array.size if seed is None else 1
    jacobians = [np.zeros((t._array.size, columns), t._array.dtype) for t in wanted]
    types_ok = sizes_ok = True
    for column, weight in enumerate(_units(output._array) if seed is None else [seed]):
        for jacobian, t, g in zip(
            jacobians, wanted, grad(output, wanted, wrap(weight), retain_graph=True, allow_unused=True), strict=True
        ):
            if g is None:
                continue
            types_ok &= not typed or g._array.dtype == t._array.dtype
            if g._array.shape != t._array.shape:
                sizes_ok = False
                continue
            jacobian[:, column] = g._array.reshape(-1)
    return jacobians, types_ok, sizes_ok


def steady(
    inputs: Sequence[Any], output: Tensor, options: dict[str, Any], seed: np.ndarray | None = None
) -> list[np.ndarray]:
    """Jacobians by backward, or its products with one gradient, after checks of their dtypes and sizes, and whether a
    second pass gives the same.

    Errors: GradcheckError.
    """
    found, types_ok, sizes_ok = analytical(inputs, output, options["check_grad_dtypes"], seed)
    again, _, _ = analytical(inputs, output, False, seed)
    if not types_ok:
        raise GradcheckError("Gradient has dtype mismatch")
    if not sizes_ok:
        raise GradcheckError("Analytical gradient has incorrect size")
    tolerance = options["nondet_tol"]
    if not all(np.allclose(a, b, 0.0, tolerance) for a, b in zip(found, again, strict=True)):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
            "gives different values, although analytical gradient matches numerical gradient.The tolerance for "
            f"nondeterminism was {tolerance}." + _NONDETERMINISTIC
        )
    return found


def pushed(
    func: Callable[..., Any], inputs: Sequence[Any], tangents: Sequence[Tensor | None]
) -> list[tuple[Tensor, Tensor | None]]:
    """(value, tangent) of each output, where the inputs that require grad have these tangents, or none."""
    directions = iter(tangents)
    from . import forward_ad

    with forward_ad.dual_level():
        given = []
        for t in inputs:
            if isinstance(t, Tensor) and requires_grad(t):
                direction = next(directions)
                t = t.detach() if direction is None else forward_ad.make_dual(t.detach(), direction)
            given.append(t)
        outputs = [o for o in as_tuple(func(*given)) if isinstance(o, Tensor)]
        return [(o, forward_ad.unpack_dual(o).tangent) for o in outputs]


def forward(func: Callable[..., Any], inputs: Sequence[Any], number: int, direction: Any) -> list[np.ndarray | None]:
    """The tangent of each output where one input has a tangent and all others have zeros; None where it has none.
    direction: an array, or two for the real and the imaginary part of a complex input."""
    steps = [(direction, 1.0)] if not isinstance(direction, tuple) else [(direction[0], 1.0), (direction[1], 1j)]
    total: list[np.ndarray | None] = []
    for along, factor in steps:
        tangents: list[Tensor | None] = [wrap(np.zeros_like(x._array)) for x in differentiable(inputs)]
        array = differentiable(inputs)[number]._array
        tangents[number] = wrap((along.reshape(array.shape) * factor).astype(array.dtype))
        found = [None if t is None else t._array.reshape(-1) * factor for _, t in pushed(func, inputs, tangents)]
        known = total or [None] * len(found)
        total = [b if a is None else a if b is None else a + b for a, b in zip(known, found, strict=True)]
    return total


def forward_jacobian(
    func: Callable[..., Any], inputs: Sequence[Any], table: list[list[np.ndarray]]
) -> list[list[np.ndarray]]:
    """Jacobians by tangents of dual tensors, of the shapes of those in `table`: for each output, for each input."""
    found = [[np.zeros_like(n) for n in row] for row in table]
    for j, t in enumerate(differentiable(inputs)):
        for place, unit in enumerate(_units(t._array.real)):
            tangents = forward(func, inputs, j, (unit, unit) if t._array.dtype.kind == "c" else unit)
            for row, tangent in zip(found, tangents, strict=True):
                if tangent is not None:
                    row[j][place] = tangent
    return found


def part_of(func: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`func` with the real or the imaginary part of its complex outputs."""

    def taken(*inputs: Any) -> tuple[Any, ...]:
        outputs = [t for t in as_tuple(func(*inputs)) if isinstance(t, Tensor)]
        return tuple(getattr(TENSORS, name)(o) if o._array.dtype.kind == "c" else o for o in outputs)

    return taken
