"""Elementwise arithmetic and mathematics: one entry each, kernel and derivative side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.recording.record import RAW, TENSORS
from ...core.tensor.tensor import Tensor
from ...core.values.promotion import is_number, result_dtype
from ..table.factories import binary, unary
from ..table.opdef import OPS, Op, alias, op, publish
from .kinds import align, floated, in_both_worlds, numbered, refuse, single

F = TENSORS


def conj(x):  # type: ignore[no-untyped-def]
    """The complex conjugate; real values are returned as they are."""
    return x.conjugate() if x.dtype.kind == "c" else x


RAW.conj = conj

# -- arithmetic ----------------------------------------------------------------------------------------------------------


def _no_bool_sub(x, y):  # type: ignore[no-untyped-def]
    if (x if isinstance(x, np.dtype) else x.dtype).kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )


def no_mixed_bool_sub(input: Any, other: Any) -> None:
    """A bool tensor is not subtracted from or by anything else, either."""
    for one in (input, other):
        if isinstance(one, bool) or (isinstance(one, Tensor) and one._array.dtype.kind == "b"):
            both = all(
                isinstance(o, bool) or (isinstance(o, Tensor) and o._array.dtype.kind == "b") for o in (input, other)
            )
            if both:
                return  # the kernel's own check says so
            raise RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
                "use the `~` or `logical_not()` operator instead."
            )


binary(
    "add",
    np.add,
    {
        "input": lambda F, grad: grad,
        "other": lambda F, grad: grad,
    },
    constants={"alpha": 1},
    doc="input + other, element by element.",
)
binary(
    "sub",
    np.subtract,
    {
        "input": lambda F, grad: grad,
        "other": lambda F, grad: -grad,
    },
    constants={"alpha": 1},
    check=_no_bool_sub,
    doc="input - other, element by element.",
)
binary(
    "mul",
    np.multiply,
    {
        "input": lambda F, grad, other: grad * F.conj(other),
        "other": lambda F, grad, input: grad * F.conj(input),
    },
    doc="input * other, element by element.",
)
binary(
    "div",
    np.true_divide,
    {
        "input": lambda F, grad, other: grad / F.conj(other),
        "other": lambda F, grad, input, other: -grad * F.conj((input / other) / other),
    },
    result="float",
    doc="input / other, element by element; integers give floats.",
)


def _with_alpha(name: str, sign: int) -> None:
    """`add` and `sub` with a factor: input + alpha * other. The Node is that of the plain form."""

    def kernel(input, other, alpha):  # type: ignore[no-untyped-def]
        x, y = align(input, other)
        return plain_kernel(x, y * numbered(y, alpha) if y.dtype.kind != "b" else y & bool(alpha))

    plain_kernel = np.add if sign > 0 else np.subtract
    entry = Op(
        name,
        kernel,
        "input other",
        vjp={
            "input": lambda F, grad: grad,
            "other": lambda F, grad, alpha: grad * (np.conj(alpha).item() * sign),
        },
    )
    OPS[name + ".alpha"] = entry
    plain, plain_ = TENSORS.__dict__[name], TENSORS.__dict__[name + "_"]
    OPS[name].node_class._saved_alpha = 1  # type: ignore[attr-defined]

    def operands(input: Any, other: Any, alpha: Any) -> tuple[Tensor, Tensor]:
        if not (isinstance(input, Tensor) and (isinstance(other, Tensor) or is_number(other))):
            OPS[name].reject((input, other), {"alpha": alpha})
        wanted = result_dtype((input, other))
        if sign < 0:
            _no_bool_sub(wanted.numpy, None) if wanted._category == 0 else no_mixed_bool_sub(input, other)
        if isinstance(alpha, bool):
            if not wanted._category == 0:
                raise RuntimeError("Boolean alpha only supported for Boolean results.")
        elif wanted._category < 2 and isinstance(alpha, (float, complex)):
            raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
        elif wanted._category < 3 and isinstance(alpha, complex):
            raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
        if not isinstance(other, Tensor):
            other = F.scalar_tensor(other, dtype=wanted)
        return input, other

    def forward(*args: Any, alpha: Any = None, out: Any = None, **names: Any) -> Any:
        if sign < 0 and len(args) == 2 and not names:
            no_mixed_bool_sub(*args)
        if len(args) == 3:
            return deprecated(name, args, names if out is None else {**names, "out": out})
        if alpha is None or (type(alpha) is int and alpha == 1):
            return plain(*args, **names) if out is None else plain(*args, **names, out=out)
        if len(args) + len(names) != 2:
            return OPS[name].reject(args, {**names, "alpha": alpha})
        input = args[0] if args else names.pop("input")
        other = args[1] if len(args) > 1 else names.pop("other")
        if is_number(input) and isinstance(other, Tensor):
            input = F.scalar_tensor(input, dtype=result_dtype((input, other)))
        return entry.call(*operands(input, other, alpha), alpha, **({} if out is None else {"out": out}))

    def deprecated(called: str, args: tuple[Any, ...], names: dict[str, Any]) -> Any:
        from ..table.arguments import old_form

        found = old_form(called, args, names)
        if found is None:
            return OPS[name].reject(args, names, called)
        return TENSORS.__dict__[called](*found[0], **found[1])

    def forward_(input: Tensor, *args: Any, alpha: Any = None, **names: Any) -> Any:
        if len(args) == 2:
            return deprecated(name + "_", (input, *args), names)
        other = args[0] if args else names.get("other")
        if sign < 0:
            no_mixed_bool_sub(input, other)
        if alpha is None or (type(alpha) is int and alpha == 1):
            return plain_(input, *args, **names)
        from ...core.values.promotion import check_cast

        input, other = operands(input, other, alpha)
        check_cast(result_dtype((input, other)).numpy, input._array.dtype)
        return entry.call_(input, other, alpha)

    doc = f"input {'+' if sign > 0 else '-'} alpha * other, element by element."
    publish(name, forward, _signature_alpha, True, True, doc)
    publish(name + "_", forward_, _signature_alpha, True, False, f"In-place version of :meth:`{name}`.")


def _signature_alpha(input, other, *, alpha=1, out=None): ...  # type: ignore[no-untyped-def]


_with_alpha("add", 1)
_with_alpha("sub", -1)


def _real_in_place(name: str) -> None:
    """abs of a complex tensor is real: there is no room for it in place."""
    plain = TENSORS.__dict__[name]

    def abs_(input: Any, *extra: Any, **unknown: Any) -> Any:
        if isinstance(input, Tensor) and input._array.dtype.kind == "c":
            raise RuntimeError("In-place abs is not supported for complex tensors.")
        return plain(input, *extra, **unknown)

    publish(name, abs_, None, True, True, "In-place version of :meth:`abs`.")


def _neg(x):  # type: ignore[no-untyped-def]
    if x.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )
    return np.negative(x)


def _positive(x):  # type: ignore[no-untyped-def]
    if x.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return x


def _abs(x):  # type: ignore[no-untyped-def]
    refuse(x, "abs_cpu", "b")
    return np.abs(x)


def _sign(x):  # type: ignore[no-untyped-def]
    if x.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )
    return _sgn(x)


def _sgn(x):  # type: ignore[no-untyped-def]
    if x.dtype.kind == "b":
        return x.copy()
    if x.dtype.kind == "c":
        return np.sign(x)
    return np.where(np.isnan(x), np.zeros((), x.dtype), np.sign(x)) if x.dtype.kind in "fV" else np.sign(x)


@in_both_worlds
def sgn_backward(F, grad, input, result):  # type: ignore[no-untyped-def]
    """Only the direction of a complex number changes with it: what is left is across that direction."""
    if not F.is_complex(input):
        return F.nought(grad)
    along = F.real_part(grad * F.conj(result)) * result
    return F.only(F.abs(input) != 0, (grad - along) / F.abs(input))


unary("neg", _neg, lambda F, grad: -grad, promotes=False, doc="-input")
unary(
    "reciprocal",
    lambda x: np.true_divide(1, x, dtype=None if x.dtype.kind in "biu" else x.dtype),
    lambda F, grad, result: -grad * F.conj(result * result),
    doc="1 / input",
)
unary("abs", _abs, lambda F, grad, input: grad * F.sgn(input), promotes=False, doc="The absolute value.")
_real_in_place("abs_")
unary(
    "sgn",
    _sgn,
    lambda F, grad, input, result: F.sgn_backward(grad, input, result),
    promotes=False,
    doc="The sign; of a complex number its direction.",
)
unary("sign", _sign, lambda F, grad: F.nought(grad), promotes=False, doc="-1, 0 or 1.")


def positive(input: Tensor) -> Tensor:
    """+input: the tensor itself."""
    if not isinstance(input, Tensor):
        from ..table.arguments import reject

        reject("positive", (input,), {})
    _positive(input._array)
    return input


publish("positive", positive, None, True, True, positive.__doc__ or "")

# -- exponentials and logarithms -------------------------------------------------------------------------------------------


def _expm1(x):  # type: ignore[no-untyped-def]
    return np.expm1(x)


unary("exp", np.exp, lambda F, grad, result: grad * F.conj(result), doc="e to the power of input.")
unary("exp2", np.exp2, lambda F, grad, result: grad * F.conj(result) * math.log(2), doc="2 to the power of input.")
unary("expm1", _expm1, lambda F, grad, result: grad * (F.conj(result) + 1), doc="exp(input) - 1, exact near 0.")
unary("log", np.log, lambda F, grad, input: grad / F.conj(input), doc="The natural logarithm.")
unary("log2", np.log2, lambda F, grad, input: grad / F.conj(input * math.log(2)), doc="The logarithm to base 2.")
unary("log10", np.log10, lambda F, grad, input: grad / F.conj(input * math.log(10)), doc="The logarithm to base 10.")
unary(
    "log1p",
    np.log1p,
    lambda F, grad, input: grad / F.conj(input + 1),
    node="Log1PBackward0",
    doc="log(1 + input), exact near 0.",
)
unary("sqrt", np.sqrt, lambda F, grad, result: grad / (2 * F.conj(result)), doc="The square root.")
unary(
    "rsqrt",
    single(lambda x: 1 / np.sqrt(x)),
    lambda F, grad, result: -0.5 * grad * F.conj(F.pow(result, 3)),
    doc="1 / sqrt(input)",
)

# -- trigonometry ----------------------------------------------------------------------------------------------------------

unary("sin", np.sin, lambda F, grad, input: grad * F.conj(F.cos(input)), doc="The sine.")
unary("cos", np.cos, lambda F, grad, input: grad * -F.conj(F.sin(input)), doc="The cosine.")
unary("tan", np.tan, lambda F, grad, result: grad * F.conj(1 + result * result), doc="The tangent.")
unary("asin", np.arcsin, lambda F, grad, input: grad * F.conj(F.rsqrt(1 - input * input)), doc="The inverse sine.")
unary("acos", np.arccos, lambda F, grad, input: grad * -F.conj(F.rsqrt(1 - input * input)), doc="The inverse cosine.")
unary("atan", np.arctan, lambda F, grad, input: grad / F.conj(input * input + 1), doc="The inverse tangent.")
unary("sinh", np.sinh, lambda F, grad, input: grad * F.conj(F.cosh(input)), doc="The hyperbolic sine.")
unary("cosh", np.cosh, lambda F, grad, input: grad * F.conj(F.sinh(input)), doc="The hyperbolic cosine.")
unary("tanh", np.tanh, lambda F, grad, result: F.tanh_backward(grad, result), doc="The hyperbolic tangent.")
unary(
    "asinh",
    np.arcsinh,
    lambda F, grad, input: grad * F.conj(F.rsqrt(input * input + 1)),
    doc="The inverse hyperbolic sine.",
)
unary(
    "acosh",
    np.arccosh,
    lambda F, grad, input: grad * F.conj(F.rsqrt(input * input - 1)),
    doc="The inverse hyperbolic cosine.",
)
unary(
    "atanh", np.arctanh, lambda F, grad, input: grad / F.conj(1 - input * input), doc="The inverse hyperbolic tangent."
)


def _angle_unit(name: str, factor: float, doc: str) -> None:
    def kernel(x):  # type: ignore[no-untyped-def]
        if x.dtype.kind == "c":
            raise RuntimeError(f"{name} is not supported for complex tensors.")
        x = floated(x)
        return x * np.asarray(factor, x.dtype)

    unary(name, kernel, lambda F, grad: grad * factor, doc=doc, node=f"{name[:3].title()}2{name[4:].title()}Backward0")


_angle_unit("deg2rad", math.pi / 180, "Degrees as radians.")
_angle_unit("rad2deg", 180 / math.pi, "Radians as degrees.")

for _name in ("asin", "acos", "atan", "asinh", "acosh", "atanh"):
    for _end in ("", "_"):
        alias(_name.replace("a", "arc", 1) + _end, _name + _end)
for _new, _old in (("multiply", "mul"), ("subtract", "sub"), ("negative", "neg"), ("absolute", "abs")):
    for _end in ("", "_"):
        alias(_new + _end, _old + _end, function=_end == "" or _old == "neg")


def _overloaded(names: str) -> None:
    """PyTorch has the in-place form of these as an overload of its own, without a derivative."""

    def refused(name: str) -> Any:
        def run(self: Any, *args: Any) -> Any:
            raise NotImplementedError(f"the derivative for 'inplace version of {name}' is not implemented.")

        return run

    for name in names.split():
        entry = OPS[name]
        own = {"__slots__": (), "__module__": "builtins", "run": refused(name), "run_recorded": refused(name)}
        entry.inplace_class = type(entry.node_name[:-1] + "1", (entry.node_class,), own)


_overloaded("asinh acosh atanh")

# -- activations -----------------------------------------------------------------------------------------------------------


def _sigmoid(x):  # type: ignore[no-untyped-def]
    r = np.exp(np.negative(floated(x)))
    r += 1
    return np.true_divide(1, r)  # where exp overflows it is 0, as in PyTorch


unary(
    "sigmoid", single(_sigmoid), lambda F, grad, result: F.sigmoid_backward(grad, result), doc="1 / (1 + exp(-input))"
)


def _relu(x):  # type: ignore[no-untyped-def]
    if x.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if x.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    return np.maximum(x, x.dtype.type(0))


unary(
    "relu",
    _relu,
    lambda F, grad, result: F.threshold_backward(grad, result, 0),
    promotes=False,
    doc="input where it is positive, else 0.",
)


# -- quotients that are rounded (`pairs`) --------------------------------------------------------------------------------------

_div, _div_ = F.div, F.div_
RAW.div = lambda input, other, rounding_mode=None: (
    OPS["div"].kernel(input, other) if rounding_mode is None else RAW.div_rounded(input, other, rounding_mode)
)


def _signature_div(input, other, *, rounding_mode=None, out=None): ...  # type: ignore[no-untyped-def]


def div(*args: Any, **options: Any) -> Any:
    """input / other; with rounding_mode "floor" or "trunc" rounded down or towards zero."""
    return F.div_rounded(*args, **options) if "rounding_mode" in options else _div(*args, **options)


def div_(input: Tensor, *args: Any, **options: Any) -> Any:
    """In-place version of :meth:`div`."""
    return F.div_rounded_(input, *args, **options) if "rounding_mode" in options else _div_(input, *args, **options)


publish("div", div, _signature_div, True, True, div.__doc__ or "")
publish("div_", div_, _signature_div, True, False, div_.__doc__ or "")
for _new in ("divide", "true_divide"):
    alias(_new, "div")
    alias(_new + "_", "div_", function=False)


# -- the derivatives that PyTorch itself has as operations -----------------------------------------------------------------


@op(
    "sigmoid_backward",
    "grad_output output",
    method=False,
    function=False,
    vjp={
        "grad_output": lambda F, grad, output: F.sigmoid_backward(grad, F.conj(output)),
        "output": lambda F, grad, grad_output, output: F.conj(grad) * grad_output * F.conj(1 - 2 * output),
    },
)
def sigmoid_backward(grad_output, output):  # type: ignore[no-untyped-def]
    return grad_output * conj(output * (1 - output))


@op(
    "tanh_backward",
    "grad_output output",
    method=False,
    function=False,
    vjp={
        "grad_output": lambda F, grad, output: F.tanh_backward(grad, F.conj(output)),
        "output": lambda F, grad, grad_output, output: F.conj(grad) * grad_output * F.conj(-2 * output),
    },
)
def tanh_backward(grad_output, output):  # type: ignore[no-untyped-def]
    return grad_output * conj(1 - output * output)


@op(
    "threshold_backward",
    "grad_output input",
    method=False,
    function=False,
    vjp={
        "grad_output": lambda F, grad, input, threshold: F.threshold_backward(grad, input, threshold),
        "input": lambda F, grad: F.nought(grad),
    },
)
def threshold_backward(grad_output, input, threshold):  # type: ignore[no-untyped-def]
    return np.where(input <= threshold, np.zeros((), grad_output.dtype), grad_output)
