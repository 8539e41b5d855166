"""gradcheck and gradgradcheck: gradients of backward against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.graph.node import Node, node_class
from ..core.random.generator import Generator
from ..core.recording.record import TENSORS
from ..core.runtime import modes
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad, wrap
from .comparing import compare, compare_forward
from .frontend import grad, mapped
from .jacobians import GradcheckError, analytical, as_tuple, differentiable, numerical, part_of, pushed

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "gradcheck",
    "gradgradcheck",
    "undefined",
]

_UNDEFINED = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


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
                stacklevel=3,
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


def _check_undefined_tangents(func: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """Check that an input without a tangent counts as one whose tangent is zero."""
    wanted = differentiable(inputs)
    drawing = Generator()  # the program's numbers stay as they are
    tangents: list[Tensor | None] = [wrap(_direction_of(t, drawing)) for t in wanted]
    for i, t in enumerate(wanted):
        zero, none = ([*tangents[:i], missing, *tangents[i + 1 :]] for missing in (TENSORS.zeros_like(t), None))
        pairs = zip(pushed(func, inputs, zero), pushed(func, inputs, none), strict=True)
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


def _direction_of(t: Tensor, drawing: Generator | None = None) -> np.ndarray:
    """Random numbers in the shape and dtype of a tensor."""
    drawn: np.ndarray = TENSORS.randn_like(t.detach(), generator=drawing)._array
    return drawn


def _check_batched_tangents(func: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """Check that two tangents at once give what each gives alone."""
    wanted = differentiable(inputs)
    for j, t in enumerate(wanted):
        drawn = [wrap(_direction_of(t)) for _ in range(2)]

        def tangents(tangent: Tensor | None, j: int = j) -> list[Tensor]:
            directions = [tangent if i == j else None for i in range(len(wanted))]
            return [TENSORS.zeros_like(o) if d is None else d for o, d in pushed(func, inputs, directions)]

        for i, text in _different_together(tangents, drawn, _BATCHED_FORWARD):
            raise GradcheckError(f"For output {i} and input {i}:\n\n{text}")


def _check_batched(inputs: Sequence[Any], output: Tensor, number: int) -> None:
    """Check that two gradients of an output at once give what each gives alone."""
    wanted = differentiable(inputs)

    def gradients(weight: Tensor | None) -> list[Tensor]:
        found = grad(output, wanted, weight, retain_graph=True, allow_unused=True)
        return [TENSORS.zeros_like(t) if g is None else g for g, t in zip(found, wanted, strict=True)]

    drawn = [wrap(_direction_of(output)) for _ in range(2)]
    for j, text in _different_together(gradients, drawn, _BATCHED):
        raise GradcheckError(f"For output {number} and input {j}:\n\n{text}")


def _different_together(
    func: Callable[[Tensor | None], list[Tensor]], drawn: list[Tensor], advice: str
) -> Iterator[tuple[int, str]]:
    """The results of a function that differ for two arguments at once from those for each alone: number and words."""
    expected = [TENSORS.stack(column) for column in zip(*map(func, drawn), strict=True)]
    try:
        found = mapped(lambda rows: func(rows[0]), [TENSORS.stack(drawn)], 2)
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{advice}") from error
    for i, (got, want) in enumerate(zip(found, expected, strict=True)):
        if got is not None and not np.allclose(got._array, want._array):
            yield i, f"{advice}\n\nGot:\n{got}\n\nExpected:\n{want}"


_BATCHED = """gradcheck or gradgradcheck failed while testing batched gradient computation.
This could have been invoked in a number of ways (via a test that calls
gradcheck/gradgradcheck directly or via an autogenerated test).

If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.
If the test
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `check_batched_grad=False` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `check_batched_grad=False` and/or `check_batched_gradgrad=False`.

If you're modifying an existing operator that supports batched grad computation,
or wish to make a new operator work with batched grad computation, please read
the following.

To compute batched grads (e.g., jacobians, hessians), we vmap over the backward
computation. The most common failure case is if there is a 'vmap-incompatible
operation' in the backward pass. Please see
NOTE: [How to write vmap-compatible backward formulas]
in the codebase for an explanation of how to fix this."""
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
    wanted = differentiable(inputs)
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
    wanted = differentiable(inputs)
    cases = [[undefined(o) for o in differentiable(func(*inputs))]]
    if len(cases[0]) > 1:
        for k in range(len(outputs)):
            cases.append([undefined(o) if i == k else o for i, o in enumerate(differentiable(func(*inputs)))])
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
        stacklevel=4,
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
    options["fast_mode"] = fast_mode
    given = as_tuple(inputs)
    try:
        _check_inputs(given)
        made = func(*given)
        outputs = [t for t in as_tuple(made) if t.requires_grad]
        if check_backward_ad:
            _compare_backward(func, given, made, options)
        if check_forward_ad:
            compare_forward(func, given, made, options)
            if check_undefined_grad:
                _check_undefined_tangents(func, given)
            if check_batched_forward_grad:
                _check_batched_tangents(func, given)
        if check_backward_ad:
            for i, o in enumerate(outputs if check_batched_grad else ()):
                _check_batched(given, o, i)
            _check_scaled(outputs, given)
            if check_undefined_grad:
                _check_undefined(func, outputs, given)
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
    given = as_tuple(inputs)
    wanted = None if target is None else differentiable(target)
    first = [t for t in as_tuple(fn(given)) if isinstance(t, Tensor)]
    (row, *_) = numerical(lambda *args: fn(args), given, first, eps, wanted)
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
    found, types_ok, sizes_ok = analytical(as_tuple(inputs), output, True)
    again, _, _ = analytical(as_tuple(inputs), output, True)
    reentrant = all(np.allclose(a, b, 0.0, nondet_tol) for a, b in zip(found, again, strict=True))
    return tuple(wrap(a) for a in found), reentrant, sizes_ok, types_ok


def _compare_backward(func: Callable[..., Any], inputs: tuple[Any, ...], made: Any, options: dict[str, Any]) -> None:
    """Compare the Jacobians of backward, those of the two parts of complex outputs apart."""
    outputs = differentiable(made)
    complexes = [i for i, o in enumerate(outputs) if o._array.dtype.kind == "c"]
    if complexes:
        for name, word in (("imag", "imaginary"), ("real", "real")):
            part = part_of(func, name)
            compare(part, inputs, part(*inputs), options, word, complexes)
    else:
        compare(func, inputs, made, options)


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
    given = as_tuple(inputs)
    if grad_outputs is None:
        seeds = tuple(_seed(o, gen_non_contig_grad_outputs) for o in differentiable(func(*given)))
    else:
        seeds = as_tuple(grad_outputs)
    count = len(seeds)

    wanted = [isinstance(t, Tensor) and requires_grad(t) for t in given + seeds]

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        args = tuple(_requiring_grad(t) if again else t for t, again in zip(args, wanted, strict=True))
        args, weights = args[: len(args) - count], args[len(args) - count :]
        found = grad(differentiable(func(*args)), differentiable(args), weights, create_graph=True, allow_unused=True)
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
    from . import forward_ad

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
