"""gradcheck and gradgradcheck: gradients of backward against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.graph.node import Node, node_class
from ..core.recording.record import TENSORS
from ..core.runtime import modes
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad, wrap
from ..core.types.dtypes import from_numpy
from ..core.types.size import Size
from . import forward_ad
from .frontend import grad, mapped

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "gradcheck",
    "gradgradcheck",
    "undefined",
]

_UNDEFINED = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
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


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _differentiable(values: Any) -> list[Tensor]:
    return [t for t in _tuple(values) if isinstance(t, Tensor) and requires_grad(t)]


def _check_inputs(inputs: Sequence[Any]) -> None:
    found = False
    for i, t in enumerate(inputs):
        if not (isinstance(t, Tensor) and requires_grad(t)):
            continue
        if t._array.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                UserWarning,
                stacklevel=4,
            )
        if any(s == 0 and n > 1 for s, n in zip(t.stride(), t.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                ".contiguous on the input before passing it to gradcheck."
            )
        found = True
    if not found:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _values(func: Callable[..., Any], inputs: Sequence[Any]) -> list[np.ndarray]:
    return [np.array(t._array) for t in _tuple(func(*inputs)) if isinstance(t, Tensor)]


def _differences(
    func: Callable[..., Any], inputs: Sequence[Any], cell: Any, step: complex, eps: float
) -> list[np.ndarray]:
    """The central difference of the outputs in one element of one input, whose value is then restored."""
    array, index = cell
    kept = array[index]
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
        start = (
            f"Expected `func` to return outputs with the same {{}} when inputs are perturbed on index {index} by {eps}"
        )
        if a.shape != b.shape:
            raise AssertionError(f"{start.format('shape')}, but got: shapes {Size(a.shape)} and {Size(b.shape)}.")
        if a.dtype != b.dtype:
            kinds = from_numpy(a.dtype), from_numpy(b.dtype)
            raise AssertionError(f"{start.format('dtype')}, but got: dtypes {kinds[0]} and {kinds[1]}.")
    return [(b - a) / (2 * eps) for a, b in zip(low, high, strict=True)]


def _numerical(
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
    for t in _differentiable(inputs) if targets is None else targets:
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


def _analytical(inputs: Sequence[Any], output: Tensor, typed: bool) -> tuple[list[np.ndarray], bool, bool]:
    """Jacobians by backward, and whether dtypes and sizes of the gradients were right."""
    wanted = _differentiable(inputs)
    jacobians = [np.zeros((t._array.size, output._array.size), t._array.dtype) for t in wanted]
    types_ok = sizes_ok = True
    for column, index in enumerate(np.ndindex(output._array.shape)):
        seed = np.zeros_like(output._array)
        seed[index] = 1
        for jacobian, t, g in zip(
            jacobians, wanted, grad(output, wanted, wrap(seed), retain_graph=True, allow_unused=True), strict=True
        ):
            if g is None:
                continue
            types_ok &= not typed or g._array.dtype == t._array.dtype
            if g._array.shape != t._array.shape:
                sizes_ok = False
                continue
            jacobian[:, column] = g._array.reshape(-1)
    return jacobians, types_ok, sizes_ok


def _close(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> bool:
    return bool(np.allclose(a, b, rtol, atol))


def _compare(
    func: Callable[..., Any],
    inputs: Sequence[Any],
    options: dict[str, Any],
    part: str = "",
    complex_outputs: Sequence[int] = (),
) -> None:
    """Both Jacobians of a function with real outputs."""
    every = [t for t in _tuple(func(*inputs)) if isinstance(t, Tensor)]
    outputs = [t for t in every if requires_grad(t)]
    table = _numerical(func, inputs, every, options["eps"])
    if not outputs:
        if any(np.any(n != 0) for row in table for n in row):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    table = [row for row, t in zip(table, every, strict=True) if requires_grad(t)]
    for i, (o, row) in enumerate(zip(outputs, table, strict=True)):
        found, types_ok, sizes_ok = _analytical(inputs, o, options["check_grad_dtypes"])
        again, _, _ = _analytical(inputs, o, False)
        if not types_ok:
            raise GradcheckError("Gradient has dtype mismatch")
        if not sizes_ok:
            raise GradcheckError("Analytical gradient has incorrect size")
        tolerance = options["nondet_tol"]
        if not all(_close(a, b, 0.0, tolerance) for a, b in zip(found, again, strict=True)):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient.The tolerance for "
                f"nondeterminism was {tolerance}." + _NONDETERMINISTIC
            )
        for j, (a, n) in enumerate(zip(found, row, strict=True)):
            if not _close(a, n, options["rtol"], options["atol"]):
                start = f"While considering the {part} part of complex outputs only, " if i in complex_outputs else ""
                raise GradcheckError(
                    f"{start}Jacobian mismatch for output {i} with respect to input {j},\n"
                    f"numerical:{wrap(n)}\nanalytical:{wrap(a)}\n"
                )


def _compare_forward(func: Callable[..., Any], inputs: Sequence[Any], options: dict[str, Any]) -> None:
    """Tangents of dual tensors beside the numerical Jacobian, one direction after the other."""
    wanted = _differentiable(inputs)
    parts = ("real", "imag") if any(t._array.dtype.kind == "c" for t in _differentiable(func(*inputs))) else ("",)
    for name in parts:
        part = _part(func, name) if name else func
        every = [t for t in _tuple(part(*inputs)) if isinstance(t, Tensor)]
        table = _numerical(part, inputs, every, options["eps"])
        found = [[np.zeros_like(n) for n in row] for row in table]
        for j, t in enumerate(wanted):
            for place, index in enumerate(np.ndindex(t._array.shape)):
                for step in (1.0, 1j) if t._array.dtype.kind == "c" else (1.0,):
                    directions = [np.zeros_like(x._array) for x in wanted]
                    directions[j][index] = step
                    for i, (_, tangent) in enumerate(_pushed(part, inputs, [wrap(d) for d in directions])):
                        if tangent is not None:
                            found[i][j][place] += tangent._array.reshape(-1) * step
        for i, (o, mine, row) in enumerate(zip(every, found, table, strict=True)):
            for j, (a, n) in enumerate(zip(mine, row, strict=True)):
                if requires_grad(o) and not _close(a, n, options["rtol"], options["atol"]):
                    word = {"imag": "imaginary"}.get(name, name)
                    start = f"While considering the {word} part of complex outputs only, " if name else ""
                    raise GradcheckError(
                        f"{start}Jacobian computed with forward mode mismatch for output {i} with respect to "
                        f"input {j},\n"
                        f"numerical:{wrap(n)}\nanalytical:{wrap(a)}\n"
                    )


def _pushed(
    func: Callable[..., Any], inputs: Sequence[Any], tangents: Sequence[Tensor | None]
) -> list[tuple[Tensor, Tensor | None]]:
    """(value, tangent) of each output, where the inputs that require grad have these tangents, or none."""
    directions = iter(tangents)
    with forward_ad.dual_level():
        given = []
        for t in inputs:
            if isinstance(t, Tensor) and requires_grad(t):
                direction = next(directions)
                t = t.detach() if direction is None else forward_ad.make_dual(t.detach(), direction)
            given.append(t)
        outputs = [o for o in _tuple(func(*given)) if isinstance(o, Tensor)]
        return [(o, forward_ad.unpack_dual(o).tangent) for o in outputs]


def _check_undefined_tangents(func: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """Check that an input without a tangent counts as one whose tangent is zero."""
    wanted = _differentiable(inputs)
    tangents: list[Tensor | None] = [wrap(_direction_of(t)) for t in wanted]
    for i, t in enumerate(wanted):
        zero, none = ([*tangents[:i], missing, *tangents[i + 1 :]] for missing in (TENSORS.zeros_like(t), None))
        pairs = zip(_pushed(func, inputs, zero), _pushed(func, inputs, none), strict=True)
        for k, ((_, expected), (_, got)) in enumerate(pairs):
            if expected is None or got is None or np.allclose(expected._array, got._array):
                continue
            raise GradcheckError(
                "Mismatch in tangent values for output with index: ",
                k,
                " when input: ",
                t,
                " has an undefined tangent value. ",
                " Got: ",
                expected,
                " but expected: ",
                got,
            )


def _direction_of(t: Tensor) -> np.ndarray:
    """Random numbers in the shape and dtype of a tensor."""
    drawn: np.ndarray = TENSORS.randn_like(t.detach())._array
    return drawn


def _check_batched_tangents(func: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """Check that two tangents at once give what each gives alone."""
    wanted = _differentiable(inputs)
    for j, t in enumerate(wanted):
        drawn = [wrap(_direction_of(t)) for _ in range(2)]

        def pushed(tangent: Tensor | None, j: int = j) -> list[Tensor]:
            directions = [tangent if i == j else None for i in range(len(wanted))]
            return [TENSORS.zeros_like(o) if d is None else d for o, d in _pushed(func, inputs, directions)]

        expected = [TENSORS.stack(column) for column in zip(*map(pushed, drawn), strict=True)]
        try:
            found = mapped(lambda rows: pushed(rows[0]), [TENSORS.stack(drawn)], 2)
        except RuntimeError as error:
            raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{_BATCHED_FORWARD}") from error
        for i, (got, want) in enumerate(zip(found, expected, strict=True)):
            if got is not None and not np.allclose(got._array, want._array):
                raise GradcheckError(
                    f"For output {i} and input {i}:\n\n{_BATCHED_FORWARD}\n\nGot:\n{got}\n\nExpected:\n{want}"
                )


def _part(func: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`func` with the real or the imaginary part of its complex outputs."""

    def taken(*inputs: Any) -> tuple[Any, ...]:
        outputs = [t for t in _tuple(func(*inputs)) if isinstance(t, Tensor)]
        return tuple(getattr(TENSORS, name)(o) if o._array.dtype.kind == "c" else o for o in outputs)

    return taken


_BATCHED_FORWARD = """
gradcheck failed while testing batched gradient computation with forward-mode AD.
This test is enabled automatically when both `check_batched_grad=True`
and `check_forward_ad=True`, but can be disabled in the following ways
dependong on how the test was invoked (via a test that calls gradcheck
directly or via an autogenerated test).

If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.
If the test
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `check_batched_forward_grad=False` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `check_batched_forward_grad=False`
"""


def _check_scaled(outputs: list[Tensor], inputs: Sequence[Any]) -> None:
    """Check that gradients of zeros are zeros, of the right dtype and size."""
    wanted = _differentiable(inputs)
    zeros = [wrap(np.zeros(o._array.shape, o._array.dtype)) for o in outputs]
    for g, t in zip(grad(outputs, wanted, zeros, retain_graph=True, allow_unused=True), wanted, strict=True):
        if g is None:
            continue
        if np.any(g._array != 0):
            raise GradcheckError("backward not multiplied by grad_output")
        if g._array.dtype != t._array.dtype:
            raise GradcheckError("grad is incorrect type")
        if g._array.shape != t._array.shape:
            raise GradcheckError("grad is incorrect size")


class _Undefined(Node):
    """A Node that returns undefined gradients."""

    __slots__ = ()

    def name(self) -> str:
        """The Node's name in PyTorch."""
        return "torch::autograd::UndefinedGradBackward"

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on arrays."""
        return (None,)

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on tensors, recorded."""
        return (None,)


_UndefinedGradBackward = node_class("UndefinedGradBackward", _Undefined)


def undefined(t: Tensor) -> Tensor:
    """The same values behind a Node whose backward gives no gradient."""
    if not (requires_grad(t) and modes.current().record):
        return t.detach()
    node = _UndefinedGradBackward()
    node._edges = (gradient_edge(t),)
    node.shape, node.dtype = t._array.shape, t._array.dtype
    made = wrap(t._array)
    made._edge = node
    return made


def _check_undefined(func: Callable[..., Any], outputs: list[Tensor], inputs: Sequence[Any]) -> None:
    """Check that backward accepts outputs without a gradient."""
    wanted = _differentiable(inputs)
    cases = [[undefined(o) for o in _differentiable(func(*inputs))]]
    if len(cases[0]) > 1:
        for k in range(len(outputs)):
            cases.append([undefined(o) if i == k else o for i, o in enumerate(_differentiable(func(*inputs)))])
    for case in cases:
        zeros = [wrap(np.zeros(o._array.shape, o._array.dtype)) for o in case]
        try:
            found = grad(case, wanted, zeros, allow_unused=True)
        except RuntimeError as error:
            _warn_undefined()
            raise GradcheckError(
                f"Expected backward function to handle undefined output grads. {_UNDEFINED}"
            ) from error
        if any(g is not None and np.any(g._array != 0) for g in found):
            _warn_undefined()
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                + _UNDEFINED
            )


def _warn_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        UserWarning,
        stacklevel=5,
    )


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the derivatives of a function agree with finite differences; raises GradcheckError where not.

    Dtypes: inputs should be float64 or complex128.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([0.5, 2.], dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradcheck(torch.sin, (x,))
        True

    Mirrors `torch.autograd.gradcheck`.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    options = {"eps": eps, "atol": atol, "rtol": rtol, "nondet_tol": nondet_tol, "check_grad_dtypes": check_grad_dtypes}
    try:
        if check_backward_ad:
            _gradcheck(func, _tuple(inputs), options, check_undefined_grad)
        if check_forward_ad:
            _check_inputs(_tuple(inputs))
            _compare_forward(func, _tuple(inputs), options)
            if check_undefined_grad:
                _check_undefined_tangents(func, _tuple(inputs))
            if check_batched_forward_grad:
                _check_batched_tangents(func, _tuple(inputs))
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _warn_private(name: str, grad_out: float) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be "
        "removed in a future version of PyTorch. If you have a specific use for this or feature request for this to be "
        "a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """The Jacobians of the first output of fn(inputs) by finite differences, for each input, or for `target`.

    Mirrors `torch.autograd.gradcheck.get_numerical_jacobian`.
    """
    _warn_private("get_numerical_jacobian", grad_out)
    given = _tuple(inputs)
    wanted = None if target is None else _differentiable(target)
    first = [t for t in _tuple(fn(given)) if isinstance(t, Tensor)]
    (row, *_) = _numerical(lambda *args: fn(args), given, first, eps, wanted)
    return tuple(wrap(n) for n in row)


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobians of an output by backward; whether a second pass gives the same, and whether sizes and dtypes are
    those of the inputs.

    Mirrors `torch.autograd.gradcheck.get_analytical_jacobian`.
    """
    _warn_private("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return "
            "complex outputs."
        )
    found, types_ok, sizes_ok = _analytical(_tuple(inputs), output, True)
    again, _, _ = _analytical(_tuple(inputs), output, True)
    reentrant = all(_close(a, b, 0.0, nondet_tol) for a, b in zip(found, again, strict=True))
    return tuple(wrap(a) for a in found), reentrant, sizes_ok, types_ok


def _gradcheck(func: Callable[..., Any], inputs: tuple[Any, ...], options: dict[str, Any], undefined: bool) -> None:
    _check_inputs(inputs)
    outputs = [t for t in _tuple(func(*inputs)) if t.requires_grad]
    complexes = [i for i, o in enumerate(outputs) if o._array.dtype.kind == "c"]
    if complexes:
        _compare(_part(func, "imag"), inputs, options, "imaginary", complexes)
        _compare(_part(func, "real"), inputs, options, "real", complexes)
    else:
        _compare(func, inputs, options)
    _check_scaled(outputs, inputs)
    if undefined:
        _check_undefined(func, outputs, inputs)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the second derivatives of a function agree with finite differences.

    Dtypes: inputs should be float64 or complex128.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([0.5, 2.], dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradgradcheck(torch.sin, (x,))
        True

    Mirrors `torch.autograd.gradgradcheck`.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    given = _tuple(inputs)
    if grad_outputs is None:
        seeds = tuple(_seed(o, gen_non_contig_grad_outputs) for o in _differentiable(func(*given)))
    else:
        seeds = _tuple(grad_outputs)
    count = len(seeds)

    wanted = [isinstance(t, Tensor) and requires_grad(t) for t in given + seeds]

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        args = tuple(_requiring_grad(t) if again else t for t, again in zip(args, wanted, strict=True))
        args, weights = args[: len(args) - count], args[len(args) - count :]
        found = grad(_differentiable(func(*args)), _differentiable(args), weights, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients,
        given + seeds,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _requiring_grad(t: Tensor) -> Tensor:
    """The tensor; of a detached one, as forward mode is asked of, a copy that requires grad and has its tangent."""
    if t.requires_grad:
        return t
    primal, tangent = forward_ad.unpack_dual(t)
    primal = primal.detach().requires_grad_()
    return primal if tangent is None else forward_ad.make_dual(primal, tangent)


def _seed(o: Tensor, strided: bool) -> Tensor:
    """A gradient for an output, of numbers that torch's own generator draws between -1 and 1."""
    shape = list(o._array.shape)
    doubled = strided and o._array.size > 1
    if doubled:
        shape[-1] *= 2
    t = TENSORS.empty(shape, dtype=o.dtype)
    (TENSORS.view_as_real(t) if o.dtype.is_complex else t).uniform_(-1, 1)
    return (t[..., 1::2] if doubled else t).requires_grad_()
