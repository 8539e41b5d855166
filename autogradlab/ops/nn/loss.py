"""Losses that PyTorch has as operations; `reduction` is 0 none, 1 mean, 2 sum."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.adding import stepwise, total
from ...core.memory.layout import iterated, like
from ...core.memory.places import at_places, inside, places_of_classes, put_at_places
from ...core.memory.rows import Rows, all_rows
from ...core.memory.together import folded, unfolded
from ...core.memory.together import reduced as reduced_in_rows
from ...core.recording.record import NOT_IMPLEMENTED, RAW, TENSORS, no_derivative, says, writes, zeros
from ...core.runtime import errors
from ...core.runtime.modes import quiet
from ...core.tensor.dispatching import instead
from ...core.types.dtypes import from_numpy, get_default_dtype, promote, scalar_name, unsupported
from ...core.values.promotion import broadcast_shapes, check_cast
from ..first.kinds import (
    BOOL,
    COMPLEX,
    HALF,
    INTEGERS,
    chosen,
    in_single,
    is_half,
    like_input,
    limited,
    refuse,
    signed_as,
    single,
    typed,
)
from ..kernels.rounded import exp, log, log1p
from ..table.asking import Operator, tell, written
from ..table.calls import ByOut
from ..table.opdef import op
from . import activation as _activation  # noqa: F401 (F.pick)


def common(*arrays: np.ndarray) -> list[np.ndarray]:
    """The arrays in their promoted dtype."""
    first = arrays[0].dtype
    if (len(arrays) == 2 and arrays[1].dtype is first) or all(a.dtype is first or a.dtype == first for a in arrays):
        return list(arrays)
    kind = from_numpy(first)
    for a in arrays[1:]:
        kind = promote(kind, from_numpy(a.dtype))
    return [_cast(a, kind.numpy) for a in arrays]


def _cast(a: np.ndarray, numpy: np.dtype[Any]) -> np.ndarray:
    """An array in another dtype, laid out as PyTorch lays it out."""
    r = a.astype(numpy, copy=False)
    if 0 not in a.strides or r is a or not a.size:
        return r
    laid = like(a, numpy, zero=False)
    laid[...] = r
    return laid


def reduced(values: np.ndarray, reduction: int, *operands: np.ndarray) -> Any:
    """The values, laid out by the operands that are named, or their mean or their sum."""
    if reduction == 0:
        return iterated(values, *operands) if operands else values
    if is_half(values):
        return (RAW.mean if reduction == 1 else RAW.sum)(values)
    s = total(values, values.dtype)
    if reduction == 2:
        return s
    return (
        np.asarray(s / values.dtype.type(values.size), values.dtype)
        if values.size
        else np.full((), complex(np.nan, np.nan) if values.dtype.kind == "c" else np.nan, values.dtype)
    )


def each_first(name: str, place: int) -> Callable[..., Any]:
    """What vmap calls in the place of a loss whose `reduction` stands at `place`: that of each element, reduced."""

    def mapped(*args: Any) -> Any:
        if not args[place]:
            return None
        values = getattr(TENSORS, name)(*args[:place], 0, *args[place + 1 :])
        return (TENSORS.mean if args[place] == 1 else TENSORS.sum)(values)

    return mapped


def within(reduction: int, values: np.ndarray, *operands: np.ndarray) -> Any:
    """The same for losses that PyTorch reduces into the memory of the values: its storage remains as large."""
    found = reduced(values, reduction, *operands)
    if reduction == 0 or values.size < 2 or type(values) is not np.ndarray:
        return found
    place: Any = (*(0,) * values.ndim, ...)
    first = values[place]
    first[...] = found
    return first


def scale(reduction: int, count: int) -> float:
    """The factor of each element's derivative."""
    return 1.0 / count if reduction == 1 and count else 1.0


def _n(x: Any, *others: Any) -> int:
    """How many elements x has, broadcast against the others."""
    shape = tuple(x.shape)
    for o in others:
        if tuple(o.shape) != shape:
            shape = np.broadcast_shapes(shape, tuple(o.shape))
    return math.prod(shape)


def averaged(value: Any, reduction: int, count: int) -> Any:
    """A loss's gradient for each element: of a mean that over their number."""
    return value / count if reduction == 1 and count else value


def _smoothed_kernels(
    refused: str, value: Any, slope: Any, keeps: bool, stepwise_in: str, backward: Any
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The kernels of such a loss, and of its gradient."""

    def of_difference(x: np.ndarray, y: np.ndarray, beta: float) -> Any:
        d = x - y
        return value(d, d.dtype.type(beta))

    def kernel(input: np.ndarray, target: np.ndarray, reduction: int = 1, beta: Any = 1.0) -> Any:
        x, y = common(input, target)
        if keeps:
            check_cast(x.dtype, input.dtype)
        refuse(x, refused, "biuc")
        if is_half(x) and x.dtype.kind != stepwise_in:
            found = in_single(of_difference, x, y, beta=beta)
        else:
            found = of_difference(x, y, beta)
        found = found.astype(input.dtype if keeps else x.dtype, copy=False)
        if keeps and not reduction and found.shape == input.shape:
            return like_input(found, input)
        return reduced(found, reduction, x, y) if keeps else within(reduction, found, x, y)

    def aligned(input: np.ndarray, target: np.ndarray, reduction: int = 1, beta: Any = 1.0) -> Any:
        x, y = common(input, target)
        return kernel(x, y, reduction, beta)

    @single
    def weighed(grad_output: Any, input: np.ndarray, target: np.ndarray, reduction: int, beta: Any) -> Any:
        d = slope(RAW, input - target, beta)
        return d * np.array(scale(reduction, d.size), grad_output.dtype) * grad_output

    def kernel_backward(grad_output: Any, input: np.ndarray, target: np.ndarray, reduction: int, beta: Any) -> Any:
        if keeps:
            _one_dtype(input, target)
        if backward is not None:
            d = input - target
            return backward(d, grad_output.dtype.type(scale(reduction, d.size)), grad_output, beta)
        return weighed(grad_output, input, target, reduction, beta)

    return kernel if keeps else aligned, kernel_backward


def _of_one_number(input: np.ndarray, target: np.ndarray, reduction: int = 1, *_: Any) -> int:
    """The inner writes of a loss that is made in memory of its own, then reduced into the result."""
    return 2 if reduction else 0


def _smoothed(
    declaration: str,
    value: Any,
    slope: Any,
    curve: Any,
    doc: str,
    shown: dict[str, str] | None = None,
    inner_writes: int | Callable[..., int] = 0,
    keeps: bool = False,
    stepwise_in: str = "f",
    backward: Any = None,
) -> None:
    """A loss of input - target: `value(d, beta)` and its derivatives; entries `name` and `name_backward`.

    keeps: the result has the dtype of the input, whatever that of the target. stepwise_in: the kind of the half type
    that PyTorch rounds after each step; the other is computed in float32. backward: its kernel for the gradient of
    each element, where that is not `slope` times the others: of d, the factor of a mean, the gradient and beta.
    """
    name = declare(declaration, doc)
    back = name + "_backward"
    own = "beta" if name == "smooth_l1_loss" else "delta"
    kernel, kernel_backward = _smoothed_kernels(
        name.removesuffix("_loss") + "_cpu", value, slope, keeps, stepwise_in, backward
    )

    def curved(F: Any, grad: Any, grad_output: Any, input: Any, target: Any, reduction: int, beta: Any) -> Any:
        return grad * grad_output * curve(F, input - target, beta) * scale(reduction, _n(input, target))

    op(
        name,
        "input target",
        method=False,
        function=False,
        doc=doc,
        shown=shown,
        vjp={
            "input": says(("g times the error, clipped where it is large", "g 乘以误差，误差大处截断"))(
                lambda F, grad, input, target, reduction, beta: getattr(F, back)(grad, input, target, reduction, beta)
            ),
            "target": says(("-g times the error, clipped where it is large", "-g 乘以误差，误差大处截断"))(
                lambda F, grad, input, target, reduction, beta: getattr(F, back)(grad, target, input, reduction, beta)
            ),
        },
        inner_writes=inner_writes,
        mapped=each_first(name, 2),
        operator=Operator(f"(Tensor self, Tensor target, int reduction=1, float {own}=1.) -> Tensor", {own: "beta"}),
    )(kernel)
    op(
        back,
        "grad_output input target",
        method=False,
        function=False,
        shown=shown,
        vjp={
            "grad_output": lambda F, grad, input, target, reduction, beta: (
                grad * slope(F, input - target, beta) * scale(reduction, _n(input, target))
            ),
            "input": lambda F, grad, grad_output, input, target, reduction, beta: curved(
                F, grad, grad_output, input, target, reduction, beta
            ),
            "target": lambda F, grad, grad_output, input, target, reduction, beta: (
                -curved(F, grad, grad_output, input, target, reduction, beta)
            ),
        },
        operator=Operator(
            f"(Tensor grad_output, Tensor self, Tensor target, int reduction, float {own}) -> Tensor", {own: "beta"}
        ),
    )(kernel_backward)


# -- squared error -----------------------------------------------------------------------------------------------------


@op(
    "nn.mse_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, *, Tensor out=None) -> Tensor|fp32",
    vjp={
        "input": lambda F, grad, input, target, reduction: F.mse_loss_backward(grad, input, target, reduction),
        "target": lambda F, grad, input, target, reduction: F.mse_loss_backward(grad, target, input, reduction),
    },
    inner_writes=_of_one_number,
    mapped=each_first("mse_loss", 2),
)
def mse_loss(input: np.ndarray, target: np.ndarray, reduction: int = 1) -> Any:
    """The square of input - target."""
    x, y = common(input, target)
    refuse(x, "mse_cpu", "biuc")
    d = x - y
    return within(reduction, d * d, x, y)


@op(
    "mse_loss_backward",
    "grad_output input target",
    vjp={
        "grad_output": lambda F, grad, input, target, reduction: (
            grad * (input - target) * (2.0 * scale(reduction, _n(input, target)))
        ),
        "input": lambda F, grad, grad_output, input, target, reduction: (
            grad * grad_output * (2.0 * scale(reduction, _n(input, target)))
        ),
        "target": lambda F, grad, grad_output, input, target, reduction: (
            grad * grad_output * (-2.0 * scale(reduction, _n(input, target)))
        ),
    },
    operator=Operator("(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor"),
)
def mse_loss_backward(grad_output: Any, input: np.ndarray, target: np.ndarray, reduction: int) -> Any:
    d = input - target
    return d * np.array(2.0 * scale(reduction, d.size), grad_output.dtype) * grad_output


# -- smooth absolute error ---------------------------------------------------------------------------------------------


def _smooth(d: Any, beta: float) -> Any:
    a = np.abs(d)
    half = a.dtype.type(0.5)
    if beta == 0:
        return a
    near = half * a
    near *= a
    return chosen(a < beta, near if beta == 1 else near / beta, a - half * beta)


def _smooth_slope(F: Any, d: Any, beta: float) -> Any:
    if beta > 0 and type(d) is np.ndarray:  # the same in fewer steps
        one = np.ones((), d.dtype)
        return limited(d if beta == 1 else d / beta, -one, one)
    s = F.sign(d)
    return s if beta == 0 else F.pick(F.abs(d) >= beta, s, d / beta)


def _smooth_curve(F: Any, d: Any, beta: float) -> Any:
    return F.nought(d) if beta == 0 else F.only(F.abs(d) < beta, F.ones_of(d)) * (1.0 / beta)


def _huber(d: Any, delta: float) -> Any:
    a = np.abs(d)
    half = a.dtype.type(0.5)
    return chosen(a < delta, half * a * a, delta * (a - half * delta))


def _huber_backward(d: Any, factor: Any, grad: Any, delta: float) -> Any:
    """The gradient in the order of PyTorch's kernel: what is left of its vectors is multiplied by delta in double."""
    kind = d.dtype.type
    far = factor * grad * kind(delta)
    rest = d.size % (64 // d.dtype.itemsize)
    if rest and float(kind(delta)) != delta:
        far = np.array(np.broadcast_to(far, d.shape))
        last = np.broadcast_to(factor * grad, d.shape).reshape(-1)[-rest:]
        far.reshape(-1)[-rest:] = (last.astype(np.float64) * delta).astype(d.dtype)
    return chosen(np.abs(d) >= kind(delta), signed_as(d, np.ones((), d.dtype)) * far, factor * d * grad)


def _huber_slope(F: Any, d: Any, delta: float) -> Any:
    return F.pick(F.abs(d) >= delta, F.sign(d) * delta, d)


def _huber_curve(F: Any, d: Any, delta: float) -> Any:
    return F.only(F.abs(d) < delta, F.ones_of(d))


_smoothed(
    """
    nn.smooth_l1_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, float beta=1.0, *,
        Tensor out=None) -> Tensor|fp32
    """,
    _smooth,
    _smooth_slope,
    _smooth_curve,
    "The absolute difference, squared and halved below beta.",
    inner_writes=_of_one_number,
)
_smoothed(
    """
    nn.huber_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, float delta=1.0, *,
        Tensor out=None) -> Tensor|fp32
    """,
    _huber,
    _huber_slope,
    _huber_curve,
    "Half the squared difference below delta, linear above.",
    {"beta": "delta", "input": "self"},
    keeps=True,
    stepwise_in="V",
    backward=_huber_backward,
)


# -- cross entropies ---------------------------------------------------------------------------------------------------


def _one_dtype(input: np.ndarray, target: np.ndarray) -> None:
    if input.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {scalar_name(target)} but expected {scalar_name(input)}")


_BITS_OF_ONE: dict[np.dtype[Any], Any] = {
    np.dtype(kind): (np.dtype(words), kind(1).view(words).item())
    for kind, words in ((np.float32, np.uint32), (np.float64, np.uint64))
}


def _check_probabilities(x: np.ndarray, name: str) -> None:
    kind, one = _BITS_OF_ONE.get(x.dtype, (None, 0)) if x.size and type(x) is np.ndarray else (None, 0)
    if kind is not None:  # the bits of negative numbers and of NaN are larger
        bits = x.view(kind)
        if bits.item(bits.argmax()) <= one:
            return
    if x.size and not (x.min() >= 0 and x.max() <= 1):  # nor where one is no number
        raise RuntimeError(f"all elements of {name} should be between 0 and 1")


def _weighted(value: Any, weight: Any) -> Any:
    return value if weight is None else value * weight


def _weighted_in_place(value: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The same as PyTorch writes it: the terms keep their dtype, whichever the weights have."""
    return value if weight is None else (value * weight).astype(value.dtype, copy=False)


#: what keeps the quotients of binary_cross_entropy finite where a probability is 0 or 1
_TINY = 1e-12


def _bce_target(F: Any, grad: Any, input: Any, weight: Any, reduction: int) -> Any:
    return averaged(_weighted(-F.logit(input) * grad, weight), reduction, _n(input))


def _bce_twice(F: Any, grad: Any, grad_output: Any, input: Any, target: Any, weight: Any, reduction: int) -> Any:
    curve = (input * input - 2 * input * target + target) / ((input + _TINY) ** 2 * (1 - input + _TINY) ** 2)
    return averaged(_weighted(curve * (grad * grad_output), weight), reduction, _n(input))


def _bce_twice_target(F: Any, grad: Any, grad_output: Any, input: Any, weight: Any, reduction: int) -> Any:
    slope = -grad * grad_output / ((input + _TINY) * (1 - input + _TINY))
    return averaged(_weighted(slope, weight), reduction, _n(input))


def _bce_twice_grad(F: Any, grad: Any, input: Any, target: Any, weight: Any, reduction: int) -> Any:
    slope = (input - target) / ((input + _TINY) * (1 - input + _TINY)) * grad
    return averaged(_weighted(slope, weight), reduction, _n(input))


@op(
    """
    nn.binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, int reduction=at::Reduction::Mean, *,
        Tensor out=None) -> Tensor|fp32
    """,
    vjp={
        "input": lambda F, grad, input, target, weight, reduction: F.binary_cross_entropy_backward(
            grad, input, target, weight, reduction
        ),
        "target": lambda F, grad, input, target, weight, reduction: _bce_target(F, grad, input, weight, reduction),
    },
    without_grad=("weight",),
    inner_writes=lambda input, target, weight, reduction: _of_one_number(input, target, reduction),
    mapped=each_first("binary_cross_entropy", 3),
)
def binary_cross_entropy(
    input: np.ndarray, target: np.ndarray, weight: np.ndarray | None = None, reduction: int = 1
) -> Any:
    """-(target * log(input) + (1 - target) * log(1 - input)) for probabilities; logarithms are at least -100."""
    _one_dtype(input, target)
    refuse(input, "binary_cross_entropy", "biuc")
    _check_probabilities(input, "input")
    _check_probabilities(target, "target")
    one, low = np.array(1, input.dtype), np.array(-100, input.dtype)
    value = (target - one) * np.maximum(log1p(-input), low) - target * np.maximum(log(input), low)
    value = _weighted_in_place(value, weight)
    return within(reduction, value) if reduction or value.shape != input.shape else like_input(value, input)


@op(
    "binary_cross_entropy_backward",
    "grad_output input target weight",
    vjp={
        "grad_output": lambda F, grad, input, target, weight, reduction: _bce_twice_grad(
            F, grad, input, target, weight, reduction
        ),
        "input": lambda F, grad, grad_output, input, target, weight, reduction: _bce_twice(
            F, grad, grad_output, input, target, weight, reduction
        ),
        "target": lambda F, grad, grad_output, input, weight, reduction: _bce_twice_target(
            F, grad, grad_output, input, weight, reduction
        ),
    },
    operator=Operator(
        "(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor"
    ),
)
def binary_cross_entropy_backward(
    grad_output: Any, input: np.ndarray, target: np.ndarray, weight: np.ndarray | None, reduction: int
) -> Any:
    one, tiny = np.array(1, input.dtype), np.array(_TINY, input.dtype)
    slope = grad_output * (input - target) / np.maximum((one - input) * input, tiny)
    return averaged(_weighted(slope, weight), reduction, _n(input))


def _logits_slope(F: Any, grad: Any, input: Any, target: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    s = F.sigmoid(input)
    if pos_weight is None:
        slope = s - target
    else:
        t = pos_weight * target
        slope = (t + 1 - target) * s - t
    value = _weighted(slope * grad, weight)
    return F.shared_among(value, _n(input, target)) if reduction == 1 else value


RAW.shared_among = lambda value, count: averaged(value, 1, count)


@instead(lambda call, args, kwargs: written(args[0], tell("div_", {"input": args[0], "other": args[1]}, True)))
def _shared_among(value: Any, count: int) -> Any:
    return averaged(value, 1, count)


TENSORS.shared_among = _shared_among


def _logits_writes(times: int, node: Any) -> int:
    """How often PyTorch writes in place: so many times, and what it multiplies and divides for what it was given."""
    saved, place = node.saved, node.fields.index
    more, weighted = saved[place("pos_weight")] is not None, saved[place("weight")] is not None
    return times + 2 * more + weighted + (saved[place("reduction")] == 1)


def _logits_target(F: Any, grad: Any, input: Any, weight: Any, pos_weight: Any, reduction: int) -> Any:
    if pos_weight is None:
        slope = -input
    else:
        slope = F.log_sigmoid(-input) - F.log_sigmoid(input) * pos_weight
    return averaged(_weighted(slope * grad, weight), reduction, _n(input))


@op(
    """
    binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, Tensor? pos_weight=None,
        int reduction=at::Reduction::Mean) -> Tensor|fp32
    """,
    method=False,
    vjp={
        "input": writes(partial(_logits_writes, 2), recorded=lambda node: int(node.field("reduction") == 1))(
            lambda F, grad, input, target, weight, pos_weight, reduction: _logits_slope(
                F, grad, input, target, weight, pos_weight, reduction
            )
        ),
        "target": writes(partial(_logits_writes, 0))(
            lambda F, grad, input, target, weight, pos_weight, reduction: _logits_target(
                F, grad, input, weight, pos_weight, reduction
            )
        ),
    },
    without_grad=("weight", "pos_weight"),
    inner_writes=lambda input, target, weight, pos_weight, reduction: 0 if reduction else 4,
    together=reduced_in_rows(4),
)
def binary_cross_entropy_with_logits(
    input: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None = None,
    pos_weight: np.ndarray | None = None,
    reduction: int = 0,
) -> Any:
    """binary_cross_entropy of sigmoid(input), without overflow; pos_weight multiplies the terms of positive targets.

    Shapes: input and target alike (they broadcast with a warning); 0-dim, or their shape with reduction='none'.
    Dtypes: float.
    Note: reduction is 'mean', 'sum' or 'none'; size_average and reduce are its old form.

    >>> F.binary_cross_entropy_with_logits(torch.tensor([2., -3.]), torch.tensor([1., 0.]))
    tensor(0.0878)
    """
    refuse(input, "log_sigmoid_cpu", "biuc")
    if pos_weight is not None and pos_weight.dtype.kind == "b":  # PyTorch computes pos_weight - 1, then 1 - target
        raise RuntimeError(errors.BOOL_SUB_ONE)
    if target.dtype.kind == "b":
        raise RuntimeError(errors.BOOL_SUB_BOTH)
    shape = broadcast_shapes(target.shape, input.shape)
    if shape != target.shape:
        raise RuntimeError(errors.OUT_BROADCAST.format(list(target.shape), list(shape)))
    for factor, turned in ((pos_weight, False), (weight, True)):
        pair = () if factor is None else (factor.shape, input.shape)
        if pair and broadcast_shapes(*(pair[::-1] if turned else pair)) != input.shape:
            raise RuntimeError(errors.OUT_BROADCAST.format(list(input.shape), list(broadcast_shapes(*pair))))
    one: Any = np.array(1, target.dtype) if target.dtype is input.dtype else 1
    log_s = np.minimum(input, np.array(0, input.dtype)) - log1p(exp(-np.abs(input)))
    if pos_weight is None:
        value = (one - target) * input - log_s
    else:
        value = (one - target) * input - ((pos_weight - 1) * target + 1) * log_s
    if input.dtype is not target.dtype:
        check_cast(input.dtype, target.dtype)  # PyTorch computes it in place of 1 - target
    value = value.astype(target.dtype, copy=False)
    if not reduction and value.strides != target.strides:
        value = iterated(value, np.array(1, target.dtype), target)
    return reduced(_weighted_in_place(value, weight), reduction)


# -- negative log likelihood -------------------------------------------------------------------------------------------


def _nll_parts(input: Any, target: Any, weight: Any, ignore_index: int) -> tuple[Any, Any, Any]:
    """Safe classes, the weight of each sample (0 where ignored), and which count; input (N, C, ...),
    target (N, ...)."""
    kept = target != ignore_index
    classes = input.shape[1]
    if target.size:
        bad = kept & ((target < 0) | (target >= classes))
        if bad.any():
            raise IndexError(f"Target {int(target[bad].reshape(-1)[0])} is out of bounds.")
    safe = chosen(kept, target, 0).astype(np.int64, copy=False)
    w = kept.astype(input.dtype) if weight is None else weight[safe] * kept
    return safe, w, kept


def _each_counts(shape: tuple[int, ...], target: Any, weight: Any, dtype: Any, ignore_index: int) -> np.ndarray | None:
    """The places in memory of what is picked from a contiguous (N, C, ...) input, if every target counts: none is
    ignored. None too where something is to be refused, and for half types where targets have several dimensions or
    classes have weights."""
    if (
        len(shape) >= 2
        and type(target) is np.ndarray
        and (target.shape == shape[:1] if len(shape) == 2 else target.shape == (shape[0], *shape[2:]))
        and target.size > 0
        and target.dtype == np.int64
        and not 0 <= ignore_index < shape[1]
        and (
            (len(shape) == 2 or dtype.itemsize > 2)
            if weight is None
            else type(weight) is np.ndarray
            and weight.dtype is dtype
            and weight.shape == shape[1:2]
            and dtype.itemsize > 2
        )
    ):
        return places_of_classes(shape, target)
    return None


#: by how many there are: the first after all others, where these are up to 16
_FIRST_LAST = [np.array([*range(1, n), 0][:n]) for n in range(18)]


def _in_turn(values: np.ndarray) -> Any:
    """The sum of all as PyTorch's loop over the targets makes it: the first is added last, the others in steps."""
    line = values.reshape(-1)
    n = line.size
    if n < 3:
        return np.add.reduce(line)
    if n < len(_FIRST_LAST) and type(line) is np.ndarray:  # the others are one step
        return np.add.accumulate(line.take(_FIRST_LAST[n]))[-1]
    return stepwise(line[1:]) + line[0]


def _nll(input: np.ndarray, target: np.ndarray, weight: np.ndarray | None, reduction: int, ignore_index: int) -> Any:
    kind = input.dtype
    places = _each_counts(input.shape, target, weight, kind, ignore_index)
    if places is not None:
        picked = input.reshape(-1)[places]
        if weight is None:
            values = -picked
            weight_of_all = np.array(target.size, kind)
        else:
            w = weight[target]
            values = -w * picked
            weight_of_all = np.asarray(_in_turn(w), kind)
        if reduction == 0:
            return values, weight_of_all * 0
        s = _in_turn(values)
        if input.ndim > 2:
            s = s + kind.type(0)  # this kernel begins at 0: no sum is -0
        return np.asarray(s if reduction == 2 else s / weight_of_all, kind), weight_of_all
    _nll_check(input, target, weight)
    single = input.ndim == 1
    x, t = (input[None], target.reshape(1)) if single else (input, target)
    safe, w, kept = _nll_parts(x, t, weight, ignore_index)
    picked = at_places(x, safe, 1)
    values = -w * picked
    values = chosen(kept, values, values.dtype.type(0))
    weight_of_all = np.asarray(_in_turn(w.astype(np.float32) if is_half(w) else w), x.dtype)
    if reduction == 0:
        return (values.reshape(()) if single else values), weight_of_all * 0
    s = _in_turn(values)
    if x.ndim > 2:
        s = s + values.dtype.type(0)  # this kernel begins at 0: no sum is -0
    return np.asarray(s if reduction == 2 else s / weight_of_all, x.dtype), weight_of_all


def _nll_check(input: np.ndarray, target: np.ndarray, weight: Any) -> None:
    if input.ndim == 1:
        if target.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    elif input.ndim == 2 and target.ndim != 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    elif input.shape[0] != target.shape[0] and input.ndim == 2:
        raise RuntimeError(f"size mismatch (got input: {list(input.shape)}, target: {list(target.shape)})")
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_name(target)}")
    if input.ndim == 1 and target.ndim == 1 and target.size != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.size}")
    if weight is not None and (weight.ndim != 1 or weight.shape[0] != input.shape[min(1, input.ndim - 1)]):
        if input.ndim > 2:
            raise RuntimeError("weight tensor should be defined either for all or no classes")
        raise RuntimeError(
            f"weight tensor should be defined either for all {input.shape[min(1, input.ndim - 1)]} classes or no "
            f"classes but got weight tensor of shape: {list(weight.shape)}"
        )
    if weight is not None and weight.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(input)} but found {scalar_name(weight)}")


def _nll_backward(
    grad_output: Any,
    input: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None,
    reduction: int,
    ignore_index: int,
    total_weight: Any = None,
) -> np.ndarray:
    shape = input.shape
    kind = grad_output.dtype
    places = _each_counts(shape, target, weight, kind, ignore_index)
    if places is not None:
        out = np.zeros(shape, kind)
        g = -grad_output
        w = None if weight is None else weight[target]
        if reduction == 1:
            if w is None:
                total_weight = np.array(target.size, kind)
            elif total_weight is None:
                total_weight = np.add.reduce(w, axis=None)
            g = g / total_weight
        out.reshape(-1)[places] = g if w is None else w * g
        return out
    single = len(shape) == 1
    full = (1, *shape) if single else shape
    t = target.reshape(1) if single else target
    like = np.empty(full, grad_output.dtype)
    safe, w, kept = _nll_parts(like, t, weight, ignore_index)
    g = -grad_output
    if reduction == 1:
        g = g / (np.add.reduce(w, axis=None) if total_weight is None else total_weight)
    g = chosen(kept, w * g, w.dtype.type(0))
    out = np.zeros(full, grad_output.dtype)
    put_at_places(out, safe, g.astype(out.dtype, copy=False), 1)
    return out.reshape(shape)


def _like_samples(input: Any, target: Any, weight: Any, ignore_index: int) -> bool:
    """Whether all samples of many rows (N, C) and their targets (N,) count alike."""
    known = input.ndim == 2 and target.ndim == 1 and input.shape[0] == target.shape[0] and weight is None
    return known and input.size > 0 and input.dtype.itemsize > 2 and not (all_rows(target) == ignore_index).any()


def _nll_together(run: Any, args: Any, levels: Any, lanes: Any) -> Any:
    """The losses of many rows: those of all samples, and of each row their sum or mean."""
    input, target, weight, reduction, ignore_index = args
    if not _like_samples(input, target, weight, ignore_index) or (reduction and input.shape[0] >= len(_FIRST_LAST)):
        return None
    x, t = (folded(a, levels, lanes) for a in (input, target))
    each, _ = quiet(run, x, t, None, 0, ignore_index)
    values, n = each.reshape(*lanes, -1), each.dtype.type(input.shape[0])
    if reduction == 0:
        return Rows(values, levels), Rows(np.zeros(lanes, values.dtype), levels)
    s = np.add.accumulate(values.take(_FIRST_LAST[input.shape[0]], -1), -1)[..., -1]
    return Rows(s if reduction == 2 else s / n, levels), Rows(np.full(lanes, n), levels)


def _nll_backward_together(run: Any, args: Any, levels: Any, lanes: Any) -> Any:
    """The gradients of many rows: a gradient of all samples."""
    grad, input, target, weight, reduction, ignore_index, *_ = args
    if not _like_samples(input, target, weight, ignore_index):
        return None
    x, t = (folded(a, levels, lanes) for a in (input, target))
    if reduction:
        grad = np.broadcast_to(folded(grad, levels, lanes, False)[:, None], (math.prod(lanes), input.shape[0]))
        g = (grad / grad.dtype.type(input.shape[0]) if reduction == 1 else grad).reshape(-1)
    else:
        g = folded(grad, levels, lanes)
    return unfolded(quiet(run, g, x, t, None, 0, ignore_index), levels, lanes)


def _at_targets(weight: Any, reduction: int) -> tuple[str, str]:
    """Words for the gradient of a loss that picks the target's element: a mean is shared among n targets."""
    weighed = weight is not None
    part = "-g" + "·w" * weighed + ("/Σw" if weighed else "/n") * (reduction == 1)
    n = " (n targets)", "（n 个目标）"
    en, zh = (" (w: its {weight})", "（w：该类的 {weight}）") if weighed else n if reduction == 1 else ("", "")
    return f"{part} at each target class, 0 elsewhere{en}", f"每个目标类别处的 {part}，其余为 0{zh}"


def _register_nll(name: str, node: str) -> None:
    back = f"{name}_backward"
    kernel = f"{name}_out_frame" if name == "nll_loss" else f"{name}_forward_out_frame"

    def forward(
        input: np.ndarray,
        target: np.ndarray,
        weight: np.ndarray | None = None,
        reduction: int = 1,
        ignore_index: int = -100,
    ) -> Any:
        if input.dtype.kind not in "fV":
            _nll_check(np.empty(input.shape, np.float32), target, weight)
            raise unsupported(kernel, input.dtype)
        return _nll(input, target, weight, reduction, ignore_index)

    op(
        f"{name}_forward",
        "input target weight",
        method=False,
        function=False,
        node=f"{node}0",
        outputs=("output", "total_weight"),
        differentiable=1,
        without_grad=("weight",),
        vjp={
            "input": says(_at_targets)(
                lambda F, grad, input, target, weight, reduction, ignore_index, total_weight: getattr(F, back)(
                    grad, input, target, weight, reduction, ignore_index, total_weight
                )
            ),
        },
        operator=Operator(
            "(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, "
            "Tensor total_weight)"
        ),
        together=_nll_together,
    )(forward)
    op(
        back,
        "grad_output input target weight total_weight",
        method=False,
        function=False,
        node=f"{node}Backward0",
        vjp={
            "grad_output": lambda F, grad, target, weight, reduction, ignore_index: getattr(F, f"{name}_forward")(
                grad, target, weight, reduction, ignore_index
            )[0],
            "input": zeros,
        },
        operator=Operator(
            "(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, "
            "Tensor total_weight) -> Tensor"
        ),
        together=_nll_backward_together,
    )(_nll_backward)


_register_nll("nll_loss", "NllLossBackward")
_register_nll("nll_loss2d", "NllLoss2DBackward")


_NEGATION = (
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)
# -- margins -----------------------------------------------------------------------------------------------------------


@op(
    """
    nn.soft_margin_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, *,
        Tensor out=None) -> Tensor|fp32|looped
    """,
    vjp={
        "input": lambda F, grad, input, target, reduction: F.soft_margin_loss_backward(grad, input, target, reduction),
    },
    inner_writes=ByOut("soft_margin_loss"),
    real=True,
    without_grad=("target",),
)
def soft_margin_loss(input: np.ndarray, target: np.ndarray, reduction: int = 1) -> Any:
    """log(1 + exp(-target * input))"""
    if input.dtype.kind == "b":
        raise RuntimeError(_NEGATION)
    shape = broadcast_shapes(input.shape, target.shape)
    x, y = common(input, target)
    if shape != input.shape:
        raise RuntimeError(errors.OUT_BROADCAST.format(list(input.shape), list(shape)))
    check_cast(x.dtype, input.dtype)
    if x.dtype.kind in "iu":  # the exponentials are computed in place
        check_cast(get_default_dtype().numpy, input.dtype)
    return within(reduction, log1p(exp(-x * y)).astype(input.dtype, copy=False), x, y)


def _soft_margin_twice(F: Any, grad: Any, grad_output: Any, input: Any, target: Any, reduction: int) -> Any:
    s = F.sigmoid(-target * input)
    return averaged(grad * grad_output * target * target * s * (1 - s), reduction, _n(input, target))


@op(
    "soft_margin_loss_backward",
    "grad_output input target",
    vjp={
        "grad_output": lambda F, grad, input, target, reduction: averaged(
            grad * (-target * F.sigmoid(-target * input)), reduction, _n(input, target)
        ),
        "input": lambda F, grad, grad_output, input, target, reduction: _soft_margin_twice(
            F, grad, grad_output, input, target, reduction
        ),
    },
    operator=Operator("(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor"),
)
def soft_margin_loss_backward(grad_output: Any, input: np.ndarray, target: np.ndarray, reduction: int) -> Any:
    if target.dtype.kind == "b":
        raise RuntimeError(_NEGATION)
    z = exp(-target * input)
    return target * z * input.dtype.type(-scale(reduction, z.size)) / (z + 1) * grad_output


def _margins(input: np.ndarray, target: np.ndarray, margin: float) -> tuple[Any, Any, Any]:
    x = input if input.ndim == 2 else input.reshape(1, -1)
    t = target.reshape(-1)
    if t.size and not inside(t, x.shape[1]):
        raise RuntimeError("target out of range")
    rows = np.arange(x.shape[0])
    z = margin - x[rows, t][:, None] + x
    z[rows, t] = 0
    return x, (rows, t), np.maximum(z, 0)


def _check_margins(input: np.ndarray, target: np.ndarray, weight: Any) -> None:
    shape = input.shape
    if not (input.ndim == 2 and shape[1] or input.ndim <= 1 and input.size):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )
    rows, classes = shape if input.ndim == 2 else (1, input.size)
    if target.ndim > 1 or target.size != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{rows}], but got {list(target.shape)}. Input has shape {list(shape)}."
        )
    if weight is not None and weight.size != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(target)}")
    if weight is not None and weight.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(input)} but found {scalar_name(weight)}")


@op(
    """
    nn.multi_margin_loss(Tensor input, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None,
        int reduction=at::Reduction::Mean, *, Tensor out=None) -> Tensor|fp32|looped
    """,
    forwardless="multi_margin_loss",
    vjp={
        "input": lambda F, grad, input, target, weight, p, margin, reduction: F.multi_margin_loss_backward(
            grad, input, target, weight, p, margin, reduction
        ),
    },
    without_grad=("weight",),
)
@typed("multi_margin_loss_cpu_kernel", BOOL + INTEGERS + COMPLEX + HALF)
def multi_margin_loss(
    input: np.ndarray,
    target: np.ndarray,
    p: int = 1,
    margin: float = 1.0,
    weight: np.ndarray | None = None,
    reduction: int = 1,
) -> Any:
    """How far other classes come within `margin` of the right one."""
    _check_margins(input, target, weight)
    x, (_, t), z = _margins(input, target, margin)
    z = z if p == 1 else z * z
    if weight is not None:
        z = z * weight[t][:, None]
    values = z.sum(1) / x.shape[1]
    return values.reshape(target.shape) if reduction == 0 else reduced(values, reduction)


@op(
    "multi_margin_loss_backward",
    "grad_output input target weight",
    node=NOT_IMPLEMENTED,
    vjp={name: no_derivative("multi_margin_loss_backward") for name in ("grad_output", "input")},
)
def multi_margin_loss_backward(
    grad_output: Any, input: np.ndarray, target: np.ndarray, weight: Any, p: int, margin: float, reduction: int
) -> Any:
    x, (rows, t), z = _margins(input, target, margin)
    g = (z > 0).astype(x.dtype) if p == 1 else 2 * z
    if weight is not None:
        g = g * weight[t][:, None]
    g[rows, t] = 0 - g.sum(1)  # which is not -0
    g = (g * x.dtype.type(scale(reduction, x.shape[0]) / x.shape[1])).reshape(input.shape)
    return g * (grad_output[:, None] if grad_output.ndim and input.ndim == 2 else grad_output)
