"""Choosing and mixing element by element: where, clamp, lerp, addcmul, addcdiv."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory.layout import iterated, iterating, read_as
from ...core.memory.rows import Rows
from ...core.recording.record import RAW, TENSORS
from ...core.runtime import errors
from ...core.runtime.modes import quiet
from ...core.runtime.warn import warn_once
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dtypes import cxx_name, from_numpy, scalar_name
from ...core.values.building import number_in, scalar_array
from ...core.values.promotion import can_cast, cast, is_number, number, plain_number, result_dtype
from ..first.kinds import (
    align,
    chosen,
    fused,
    into,
    is_half,
    limited,
    numbered,
    on_both_backends,
    refuse,
    shared,
    single,
)
from ..table.asking import at, options_of
from ..table.inplace import recorded_edges
from ..table.opdef import OPS, Op, alias, op
from ..table.outputs import FOUND, Out
from ..table.overloads import Arguments, Called, Overload, Rule

F = TENSORS

# -- where -------------------------------------------------------------------------------------------------------------


_BYTES = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead."
)


#: types of operands that need no look at the signatures
_PLAIN = frozenset((Tensor, float, int, bool))


@instead(lambda call, args, kwargs: at("scalar_tensor", s=args[0], **options_of(call(*args))))
def _fitting(value: Any, numpy: np.dtype[Any]) -> Tensor:
    """A number as a tensor of a dtype; PyTorch's error where it does not fit, but for halves, which become infinite."""
    if numpy.kind == "f" and (type(value) is float or type(value) is int) and -65504 <= value <= 65504:
        return wrap(np.array(value, numpy))
    return wrap(
        scalar_array(value, from_numpy(numpy))
        if numpy.itemsize > 2 or numpy.kind in "iu"
        else quiet(number, value, numpy)
    )


def _places(condition: Tensor) -> Any:
    """The places where a condition holds, as a tensor for each dimension."""
    if isinstance(condition._array, Rows):
        raise RuntimeError(errors.ROWS_DYNAMIC.format("where"))
    return F.nonzero(condition, as_tuple=True)


@instead(lambda call, args, kwargs: _in_one_dtype(*args))
def _alike(condition: Tensor, input: Tensor, other: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The operands as they are; where a mode is to be asked, it is told how they are brought to one dtype."""
    return condition, input, other


def _in_one_dtype(condition: Tensor, input: Tensor, other: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    wanted = result_dtype((input, other))
    return condition, F.to(input, wanted), F.to(other, wanted)


def _three(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """The arguments as (condition, input, other), numbers made tensors. A method is called on the second of them."""
    out, fits = kwargs, len(args) == 3 and not kwargs
    if fits:
        condition, input, other = three = (args[1], args[0], args[2]) if called.as_method else args
        if type(condition) is type(input) is type(other) is Tensor:
            return _alike(*three), kwargs
        fits = type(condition) is Tensor and _PLAIN.issuperset((type(input), type(other)))
    if not fits:
        _, values = called.bind(args, kwargs)
        condition, other = values["condition"], values["other"]
        input = values["input"] if "input" in values else values["self"]
        out = {} if values.get("out") is None else {"out": values["out"]}
    first, second = isinstance(input, Tensor), isinstance(other, Tensor)
    if not (first and second):
        wanted = result_dtype((input, other)).numpy
        other = other if second else _fitting(other, wanted)
        input = input if first else _fitting(input, wanted)
    condition, input, other = _alike(condition, input, other)
    return (condition, input, other), out


@instead(lambda call, args, kwargs: args[0])
def _widened(input: Tensor, given: Any) -> Tensor:
    """The tensor that is clamped in the dtype of the result; modes are told of it as it is."""
    return into(input, *given)


def _alone(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
    one = not called.as_method and len(args) + len(kwargs) == 1
    return (args, kwargs) if one and isinstance(args[0] if args else kwargs.get("condition"), Tensor) else None


@op(
    """
    where(Tensor condition) -> Tensor
    where(Tensor condition, Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.self
    where(Tensor condition, Scalar self, Tensor other) -> Tensor|.ScalarSelf
    where(Tensor condition, Tensor input, Scalar other) -> Tensor|.ScalarOther
    where(Tensor condition, Scalar self, Scalar other) -> Tensor|.Scalar
    """,
    "condition input other",
    numbers=True,
    vjp={
        "input": lambda F, grad, condition: F.kept(condition, grad),
        "other": lambda F, grad, condition: F.where(condition, F.zero_dim(grad), grad),
    },
    counts=(3,),
    binds=_three,
    overloads=[Overload(_places, takes=_alone)],
    out=Out(exact="Expected out type to be {0} but got {1}", overlap="part"),
)
def where(condition: np.ndarray, input: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Chooses element by element: input where condition is True, other elsewhere. With condition alone it is
    nonzero(as_tuple=True).
    main: 2

    Shapes: all three broadcast together.
    Dtypes: condition is bool; the others may differ and are promoted, and may be numbers.

    >>> x = torch.tensor([-1., 2., -3.])
    >>> torch.where(x > 0, x, 0.)
    tensor([0., 2., 0.])
    >>> torch.where(torch.tensor([True, False, True]))
    (tensor([0, 2]),)
    """
    if condition.dtype.kind == "b" and input.dtype is other.dtype:
        try:
            r = chosen(condition, input, other)
            return r if r.ndim < 2 else iterated(r, condition, input, other)
        except ValueError:
            pass
    if condition.dtype.kind != "b":
        if condition.dtype != np.uint8:
            raise RuntimeError(
                f"where expected condition to be a boolean tensor, but got a tensor with dtype {scalar_name(condition)}"
            )
        warn_once(_BYTES, at="aten/src/ATen/native/TensorCompare.cpp:621")
    numpy = shared(input, other)
    holds = condition.astype(bool, copy=False)
    align(holds, *(np.broadcast_to(np.empty((), bool), a.shape) for a in (input, other)))
    r = chosen(holds, cast(input, numpy), cast(other, numpy))
    return iterated(r, read_as(condition, holds.dtype), read_as(input, numpy), read_as(other, numpy))


def _raw_where(mask: Any, a: Any, b: Any) -> np.ndarray:
    if type(a) is np.ndarray and type(b) is np.ndarray:
        return chosen(mask, a, b)
    a, b = (np.asarray(v) if isinstance(v, np.generic) else v for v in (a, b))
    return chosen(mask, numbered(b, a), numbered(a, b))


RAW.where = _raw_where

# -- clamp -------------------------------------------------------------------------------------------------------------


def _real(x: np.ndarray) -> None:
    """PyTorch's error for complex numbers."""
    if x.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


def _limited(x: np.ndarray, low: np.ndarray | None, high: np.ndarray | None) -> Any:
    """NaN stays NaN; where low is above high, high it is."""
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


@on_both_backends
def clamp_backward(F: Any, grad: Any, input: Any, min: Any, max: Any) -> Any:
    if min is None:
        return F.kept(input <= max, grad)
    if max is None:
        return F.kept(input >= min, grad)
    return F.kept((input >= min) & (input <= max), grad)


@on_both_backends
def clamp_min_backward(F: Any, grad: Any, input: Any, min: Any, max: Any) -> Any:
    return F.kept(input < min if max is None else (min < max) & (input < min), grad)


@on_both_backends
def clamp_max_backward(F: Any, grad: Any, input: Any, min: Any, max: Any) -> Any:
    return F.kept(input > max if min is None else (input > max) | (max < min), grad)


@iterating
def _clamp_numbers(input: np.ndarray, min: float | None, max: float | None) -> Any:
    if input.dtype.kind != "f":
        _real(input)
        refuse(input, f"clamp{'_min' if max is None else '_max' if min is None else ''}_scalar_cpu", "b")
    if min != min or max != max:
        return np.full_like(input, np.nan) if input.dtype.kind in "fV" else input.copy()
    d = input.dtype  # for which NumPy takes its time to find an array
    return limited(input, None if min is None else number_in(min, d), None if max is None else number_in(max, d))


@iterating
def _clamp_tensors(input: np.ndarray, min: np.ndarray | None = None, max: np.ndarray | None = None) -> np.ndarray:
    given = [a for a in (input, min, max) if a is not None]
    if len(given) == 2:  # PyTorch takes the larger, or the smaller, of both
        _real(input)
        x, y = align(*given)
        refuse(x, "maximum_cpu" if max is None else "minimum_cpu", "c")
        return _limited(x, None if min is None else y, None if max is None else y)
    if input is None:
        raise TypeError("the input is no Tensor")
    _real(input)
    arrays = iter(align(*given))
    x = next(arrays)
    refuse(x, "clamp_cpu", "bc")
    return _limited(x, None if min is None else next(arrays), None if max is None else next(arrays))


def _of_numbers(name: str, *words: str) -> Rule:
    """What takes calls of the clamp family whose limits are numbers; the tensor is cast to the dtype that it has
    together with them, in place it must have it."""

    count, known = len(words), frozenset((*words, "input", "out"))

    def takes(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        if not kwargs and len(args) == count + 1 and isinstance(args[0], Tensor):
            for v in args[1:]:
                if type(v) is not float and type(v) is not int:
                    break
            else:
                if args[0]._array.dtype.kind == "f":  # the usual case
                    return args, kwargs
        elif count == 2 and len(args) == 1 == len(kwargs) and isinstance(args[0], Tensor) and not called.in_place:
            low, high = kwargs.get("min"), kwargs.get("max")
            kind = type(high if low is None else low)
            if (kind is float or kind is int) and args[0]._array.dtype.kind == "f":
                return (args[0], low, high), {}
        limits = args[1:]
        input = args[0] if args else kwargs.get("input")
        if len(limits) != count or kwargs:
            limits += tuple(map(kwargs.get, words[len(limits) :]))
            if len(limits) > count or not kwargs.keys() <= known or (args and "input" in kwargs):
                return None
        if not isinstance(input, Tensor):
            return None
        numbers = tensors = plain = 0
        for v in limits:
            kind = type(v)
            if kind is float or kind is int:
                plain += 1
            elif isinstance(v, Tensor):
                tensors += 1
            elif v is not None:
                if not is_number(v):
                    return None
                numbers += 1
        if not (numbers or tensors or plain) and count == 2:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        if tensors and (numbers or plain):  # beside a number a tensor without dimensions is one as well
            limits = tuple(map(plain_number, limits))
            if any(isinstance(v, Tensor) for v in limits):
                return None
            numbers += tensors
        elif tensors or not (numbers or plain):
            return None
        out = {"out": kwargs["out"]} if kwargs.get("out") is not None else {} if kwargs else kwargs
        x = input._array
        if not called.in_place and not numbers and x.dtype.kind == "f":
            return (args if len(args) > count else (input, *limits)), out
        given = [v for v in limits if v is not None]
        if count == 2 and x.dtype.kind in "fV" and any(isinstance(v, complex) and v.imag for v in given):
            raise RuntimeError("value cannot be converted to type double without overflow")
        if not called.in_place:
            _real(np.empty((), result_dtype((input, *given)).numpy))
            return (_widened(input, given), *limits), out
        recorded_edges(OPS[name], [input])  # the tensor is checked before its dtype
        _real(x)
        found = result_dtype((input, *given)).numpy
        if count == 1:
            _real(np.empty((), found))
        if not can_cast(found, x.dtype):
            raise RuntimeError(errors.CAST.format(scalar_name(found), cxx_name(x)))
        return (input, *limits), out

    return takes


#: limits that are numbers ask for the very dtype of the result
_OF_CLAMP = Out(
    exact=FOUND,
    unless=lambda inputs, out: any(isinstance(v, Tensor) for v in inputs[1:]),
    overlap="part",
)
OPS["clamp.numbers"] = Op(
    "clamp",
    _clamp_numbers,
    node="ClampBackward1",
    vjp={"input": lambda F, grad, input, min, max: F.clamp_backward(grad, input, min, max)},
)
op(
    """
    clamp(Tensor input, Tensor? min=None, Tensor? max=None, *, Tensor out=None) -> Tensor|.Tensor|uint_clamp_cpu
    clamp(Tensor input, Scalar? min=None, Scalar? max=None, *, Tensor out=None) -> Tensor|uint_clamp_scalar_cpu
    """,
    node="ClampBackward0",
    overload="Tensor",
    vjp={
        "input": lambda F, grad, input, min, max: F.clamp_backward(grad, input, min, max),
        "min": lambda F, grad, input, min, max: F.clamp_min_backward(grad, input, min, max),
        "max": lambda F, grad, input, min, max: F.clamp_max_backward(grad, input, min, max),
    },
    inplace=True,
    overloads=[Overload(OPS["clamp.numbers"], takes=_of_numbers("clamp.numbers", "min", "max"))],
    reads="late",
    out=_OF_CLAMP,
    doc="""
    input, but not below min nor above max; each may be a number, a tensor or None. The gradient of what was clamped
    is 0.

    Shapes: input and tensor bounds broadcast together.
    Dtypes: real numbers.
    Errors: RuntimeError if both bounds are None.

    >>> x = torch.tensor([-2., 0.5, 3.], requires_grad=True)
    >>> torch.clamp(x, -1, 1)
    tensor([-1.0000,  0.5000,  1.0000], grad_fn=<ClampBackward1>)
    >>> x.clamp(min=0).sum().backward()
    >>> x.grad
    tensor([0., 1., 1.])

    In place:
    >>> x = torch.tensor([-2., 0.5, 3.])
    >>> x.clamp_(-1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    >>> x
    tensor([-1.0000,  0.5000,  1.0000])
    """,
)(_clamp_tensors)
alias("clip", "clamp")
alias("clip_", "clamp_")


@iterating
def _min_number(input: np.ndarray, min: float) -> np.ndarray:
    _real(input)
    refuse(input, "clamp_min_scalar_cpu", "b")
    return np.maximum(input, number_in(min, input.dtype))


@iterating
def _max_number(input: np.ndarray, max: float) -> np.ndarray:
    _real(input)
    refuse(input, "clamp_max_scalar_cpu", "b")
    return np.minimum(input, number_in(max, input.dtype))


OPS["clamp_min.number"] = Op(
    "clamp_min",
    _min_number,
    node="ClampMinBackward0",
    vjp={"input": lambda F, grad, input, min: F.kept(input >= min, grad)},
)
OPS["clamp_max.number"] = Op(
    "clamp_max",
    _max_number,
    node="ClampMaxBackward0",
    vjp={"input": lambda F, grad, input, max: F.kept(input <= max, grad)},
)


@op(
    """
    clamp_min(Tensor input, Tensor min, *, Tensor out=None) -> Tensor|.Tensor|uint_maximum_cpu
    clamp_min(Tensor input, Scalar min, *, Tensor out=None) -> Tensor|uint_clamp_min_scalar_cpu
    """,
    node="ClampMinBackward1",
    overload="Tensor",
    vjp={
        "input": lambda F, grad, input, min: F.kept(input >= min, grad),
        "min": lambda F, grad, input, min: F.kept(input < min, grad),
    },
    inplace=True,
    overloads=[Overload(OPS["clamp_min.number"], takes=_of_numbers("clamp_min.number", "min"))],
    reads="late",
    out=_OF_CLAMP,
    in_rows="arithmetic",
)
@iterating
def clamp_min(input: np.ndarray, min: np.ndarray) -> np.ndarray:
    """input, but not below min.

    Shapes: input and a tensor bound broadcast together.
    Dtypes: real numbers.

    >>> torch.clamp_min(torch.tensor([-2., 0.5]), 0)
    tensor([0.0000, 0.5000])

    In place:
    >>> x = torch.tensor([-2., 0.5])
    >>> x.clamp_min_(0)
    tensor([0.0000, 0.5000])
    >>> x
    tensor([0.0000, 0.5000])
    """
    x, y = align(input, min)
    refuse(x, "maximum_cpu", "c")
    return np.maximum(x, y)


@op(
    """
    clamp_max(Tensor input, Tensor max, *, Tensor out=None) -> Tensor|.Tensor|uint_minimum_cpu
    clamp_max(Tensor input, Scalar max, *, Tensor out=None) -> Tensor|uint_clamp_max_scalar_cpu
    """,
    node="ClampMaxBackward1",
    overload="Tensor",
    vjp={
        "input": lambda F, grad, input, max: F.kept(input <= max, grad),
        "max": lambda F, grad, input, max: F.kept(input > max, grad),
    },
    inplace=True,
    overloads=[Overload(OPS["clamp_max.number"], takes=_of_numbers("clamp_max.number", "max"))],
    reads="late",
    out=_OF_CLAMP,
    in_rows="arithmetic",
)
@iterating
def clamp_max(input: np.ndarray, max: np.ndarray) -> np.ndarray:
    """input, but not above max.

    Shapes: input and a tensor bound broadcast together.
    Dtypes: real numbers.

    >>> torch.clamp_max(torch.tensor([-2., 0.5]), 0)
    tensor([-2.,  0.])

    In place:
    >>> x = torch.tensor([-2., 0.5])
    >>> x.clamp_max_(0)
    tensor([-2.,  0.])
    >>> x
    tensor([-2.,  0.])
    """
    x, y = align(input, max)
    refuse(x, "minimum_cpu", "c")
    return np.minimum(x, y)


# -- mixtures ----------------------------------------------------------------------------------------------------------


@single
def lerped(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> Any:
    near = abs(w) < 0.5
    gap = y - x
    if not isinstance(near, np.ndarray) or not near.ndim:
        return fused(gap, w, x) if near else fused(-gap, 1 - w, y)
    return chosen(near, fused(w, gap, x), fused(-gap, 1 - w, y))


def _lerp_kernel(name: str) -> Any:
    @iterating
    def kernel(input: np.ndarray, end: np.ndarray, weight: Any) -> np.ndarray:
        numpy = input.dtype
        if type(weight) is float and numpy.kind == "f" and numpy.itemsize > 2:
            if end.dtype is numpy and end.shape == input.shape:  # the usual case, in which nothing is to be refused
                return np.asarray(lerped(input, end, number(weight, numpy)))
        together = end.dtype is input.dtype and isinstance(weight, np.ndarray) and not weight.ndim
        if together and weight.dtype is not input.dtype:  # the one tensor that may be of another dtype
            numpy = shared(input, end, weight)
            input, end, weight = input.astype(numpy), end.astype(numpy), weight.astype(numpy)
        for a in (end, weight):
            if isinstance(a, np.ndarray) and a.dtype is not input.dtype and a.dtype != input.dtype:
                what = "end" if a is end else "weight"
                raise RuntimeError(f"expected dtype {cxx_name(input)} for `{what}` but got dtype {cxx_name(a)}")
        align(*[a for a in (input, end, weight) if isinstance(a, np.ndarray)])
        refuse(input, name, "biu")
        if isinstance(weight, complex):
            weight = scalar_array(weight, from_numpy(input.dtype))
        if not isinstance(weight, np.ndarray):
            weight = np.asarray(weight, np.float32) if is_half(input) else numbered(input, weight)
        r: np.ndarray = lerped(input, end, weight)
        return r

    return kernel


OPS["lerp.number"] = Op(
    "lerp",
    _lerp_kernel("lerp_kernel_scalar"),
    "input end",
    node="LerpBackward0",
    overload="Scalar",
    vjp={
        "input": lambda F, grad, weight: grad * (1 - np.conj(weight)).item(),
        "end": lambda F, grad, weight: grad * np.conj(weight).item(),
    },
)


op(
    """
    lerp(Tensor input, Tensor end, Tensor weight, *, Tensor out=None) -> Tensor|.Tensor
    lerp(Tensor input, Tensor end, Scalar weight, *, Tensor out=None) -> Tensor|.Scalar
    """,
    node="LerpBackward1",
    overload="Tensor",
    vjp={
        "input": lambda F, grad, weight: grad * F.conj(1 - weight),
        "end": lambda F, grad, weight: grad * F.conj(weight),
        "weight": lambda F, grad, input, end: grad * F.conj(end - input),
    },
    inplace=True,
    inplace_function=False,
    overloads=[Overload(OPS["lerp.number"], number="weight")],
    doc="""
    The point at `weight` of the way from input to end: input + weight * (end - input).

    Shapes: input, end and a tensor weight broadcast together.
    Dtypes: float and complex, the same for all.

    >>> torch.lerp(torch.tensor([0., 10.]), torch.tensor([4., 20.]), 0.25)
    tensor([ 1.0000, 12.5000])

    In place:
    >>> x = torch.tensor([0., 10.])
    >>> x.lerp_(torch.tensor([4., 20.]), 0.25)
    tensor([ 1.0000, 12.5000])
    >>> x
    tensor([ 1.0000, 12.5000])
    """,
    out=Out(
        exact=FOUND, unless=lambda inputs, out: not isinstance(inputs[2], Tensor) or not inputs[2].ndim, overlap="part"
    ),
)(_lerp_kernel("lerp_kernel_tensor"))


@op(
    """
    addcmul(Tensor input, Scalar value, Tensor tensor1, Tensor tensor2, *, Tensor out=None) -> Tensor|deprecated
    addcmul(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1,
        Tensor out=None) -> Tensor|uint_addcmul_cpu_out
    """,
    inplace=True,
    vjp={
        "input": lambda F, grad: grad,
        "tensor1": lambda F, grad, tensor2, value: grad * F.conj(tensor2 * value),
        "tensor2": lambda F, grad, tensor1, value: grad * F.conj(tensor1 * value),
    },
    out=Out(overlap="part"),
    inplace_function=False,
)
@iterating
def addcmul(input: np.ndarray, tensor1: np.ndarray, tensor2: np.ndarray, *, value: Any = 1) -> np.ndarray:
    """input + value * tensor1 * tensor2.

    Shapes: all three broadcast together.
    Dtypes: any but bool.

    >>> torch.addcmul(torch.ones(2), torch.tensor([1., 2.]), torch.tensor([3., 4.]), value=0.5)
    tensor([2.5000, 5.0000])

    In place:
    >>> x = torch.ones(2)
    >>> x.addcmul_(torch.tensor([1., 2.]), torch.tensor([3., 4.]), value=0.5)
    tensor([2.5000, 5.0000])
    >>> x
    tensor([2.5000, 5.0000])
    """
    x, a, b = align(input, tensor1, tensor2)
    refuse(x, "addcmul_cpu_out", "b")
    return _add_product(x, a, b, _factor(x, value))


def _factor(x: np.ndarray, value: Any) -> np.ndarray:
    """The factor of addcmul and addcdiv in the dtype of their input."""
    value = plain_number(value)
    return number(value, np.dtype(np.float32)) if is_half(x) else number_in(value, x.dtype)


_add_product = single(lambda x, a, b, value: fused(value.astype(x.dtype, copy=False) * a, b, x))


@op(
    """
    addcdiv(Tensor input, Scalar value, Tensor tensor1, Tensor tensor2, *, Tensor out=None) -> Tensor|deprecated
    addcdiv(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor out=None) -> Tensor
    """,
    inplace=True,
    vjp={
        "input": lambda F, grad: grad,
        "tensor1": lambda F, grad, tensor2, value: grad * F.conj(value / tensor2),
        "tensor2": lambda F, grad, tensor1, tensor2, value: -grad * F.conj((value * tensor1) / (tensor2 * tensor2)),
    },
    out=Out(overlap="part"),
    inplace_function=False,
)
@iterating
def addcdiv(input: np.ndarray, tensor1: np.ndarray, tensor2: np.ndarray, *, value: Any = 1) -> np.ndarray:
    """input + value * tensor1 / tensor2.

    Shapes: all three broadcast together.
    Dtypes: float and complex.

    >>> torch.addcdiv(torch.ones(2), torch.tensor([1., 2.]), torch.tensor([2., 4.]), value=10)
    tensor([6., 6.])

    In place:
    >>> x = torch.ones(2)
    >>> x.addcdiv_(torch.tensor([1., 2.]), torch.tensor([2., 4.]), value=10)
    tensor([6., 6.])
    >>> x
    tensor([6., 6.])
    """
    if tensor1.dtype.kind in "biu" and tensor2.dtype.kind in "biu":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + "
            "value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * "
            "tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: "
            "(input + value * tensor1 / tensor2), for all dtypes."
        )
    x, a, b = align(input, tensor1, tensor2)
    return _add_quotient(x, a, b, _factor(x, value))


_add_quotient = single(lambda x, a, b, value: x + value.astype(x.dtype) * a / b)
