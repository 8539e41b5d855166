"""Numbers in a row, matrices with a pattern, windows: arange, linspace, logspace, eye, tril_indices, hann_window …"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.rows import Rows, each
from ...core.runtime import modes
from ...core.runtime.warn import warn
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.types.device import default_device
from ...core.types.dtypes import cxx_name, get_default_dtype
from ...core.types.dtypes import dtype as Dtype
from ...core.values.building import scalar_array
from ..table.asking import whole
from ..table.creation import bind, check_out, check_sizes, default, finished, into, options, placed, quick, quick_shape
from ..table.opdef import composite

_OUT_COUNT = (
    "The number of elements in the out tensor of shape {} is {} which does not match the computed number of elements "
    "{}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
    "({},)."
)
_RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)
_INT64 = "value cannot be converted to type int64_t without overflow"
_SYMBOLIC = f"IntArrayRef contains an int that cannot be represented as a SymInt: {-(1 << 63)}"
#: more elements than a size can be
_MANY = 1 << 62
_LACKING = ("uint16", "uint32", "uint64")

#: whole numbers below need no look at what their difference overflows
_FAR = 1 << 40

# -- arange and range --------------------------------------------------------------------------------------------------


def _default(*values: Any) -> Dtype:
    return get_default_dtype() if any(isinstance(v, (float, complex)) for v in values) else dtypes.int64


def _check_bounds(start: Any, end: Any, step: Any, zero: type[Exception] = RuntimeError) -> None:
    if step == 0 or step != step:
        raise zero("step must be nonzero")
    for v in (start, end, step):
        if isinstance(v, complex):
            raise RuntimeError("value cannot be converted to type double without overflow")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def _steps(start: Any, step: Any, count: int, kind: Dtype) -> np.ndarray:
    """start, start + step, … in the arithmetic of PyTorch's kernel for the dtype."""
    if kind._category <= dtypes.INTEGER:
        first, by = int(start), int(step)
        return (first + np.arange(count, dtype=np.int64) * by).astype(kind.numpy)
    start, step = float(start), float(step)
    i = np.arange(count)
    if kind.itemsize > 2 and count < 64 // kind.itemsize:  # too few for two vectors: each is computed alone
        return _fused(i, step, start, kind).astype(kind.numpy)
    block, alone = _blocks(i, kind)
    if kind.itemsize == 2:  # computed in float32, but a vector begins at a number of the dtype
        start, step = float(np.float32(start)), float(np.float32(step))
        base = _fused(block, step, start, kind).astype(np.float32)
        base = np.where(alone, base, base.astype(kind.numpy).astype(np.float32))
        return _fused(i - block, step, base.astype(np.float64), kind).astype(np.float32).astype(kind.numpy)
    base = _fused(block, step, start, kind)
    if kind.itemsize == 4:
        base = np.where(alone, base, base.astype(np.float32))
    return _fused(i - block, step, base, kind).astype(kind.numpy)


def _fused(x: np.ndarray, a: float, b: Any, kind: Dtype) -> np.ndarray:
    """`x * a + b` rounded once, for small whole numbers `x`: the product's lost part is added to the sum's."""
    x = x.astype(np.float64)
    product = x * a
    if kind.itemsize < 8:  # what is lost cannot be seen in the dtype
        short: np.ndarray = product + b
        return short
    t = 134217729.0 * a
    high = t - (t - a)
    lost = (x * high - product) + x * (a - high)  # exact: x has few digits
    total = product + b
    back = total - product
    result: np.ndarray = total + (lost + ((product - (total - back)) + (b - back)))
    return result


def _blocks(i: np.ndarray, kind: Dtype) -> tuple[np.ndarray, np.ndarray]:
    """Where the vector begins in which PyTorch computes each element, and which ones it computes alone, at the end."""
    lanes = 32 // kind.itemsize
    alone = i >= len(i) // (2 * lanes) * (2 * lanes)
    return np.where(alone, i, i - i % lanes), alone


@composite(
    """
    arange(Scalar end, *, Tensor out=None, $options) -> Tensor
    arange(Scalar start, Scalar end, *, $options) -> Tensor|.start
    arange(Scalar start, Scalar end, Scalar step=1, *, Tensor out=None, $options) -> Tensor|.start_step|.start_out
    """,
    method=False,
)
@instead(whole(method=False))
def arange(*args: Any, **kwargs: Any) -> Tensor:
    """
    sig: (start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False)
    Numbers from start (0, if only the end is given) up to, but not including, end.

    Shapes: one dimension, ceil((end - start) / step) elements.
    Dtypes: int64 for ints, else the default dtype.
    Errors: RuntimeError if step is 0 or goes the wrong way.

    >>> torch.arange(5)
    tensor([0, 1, 2, 3, 4])
    >>> torch.arange(1, 2, 0.5)
    tensor([1.0000, 1.5000])
    """
    if not kwargs and 0 < len(args) < 4 and default_device() is None:
        start, end, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        plain = type(start) is type(end) is type(step) is int and -_FAR < start < _FAR and -_FAR < end < _FAR
        if plain and (0 < step < _FAR and start <= end or -_FAR < step < 0 and end <= start):
            return finished(np.arange(start, end, step, np.int64))
        kinds = {type(start), type(end), type(step)}
        if float in kinds and kinds <= {float, int}:
            return finished(_arange(start, end, step, get_default_dtype()))
    _, values = bind("arange", args, kwargs)
    start, end, step = values.get("start", 0), values["end"], values.get("step", 1)
    out = values.get("out")
    kind = options(values)
    if out is not None:
        check_out("arange", out, kind)
        kind = out.dtype
    kind = kind or _default(start, end, step)
    array = _arange(start, end, step, kind)
    if out is None:
        return placed(array, values)
    if out._array.size != array.size and out._array.size:
        warn(
            _OUT_COUNT.format(list(out.shape), out._array.size, array.size, array.size),
            at="aten/src/ATen/native/RangeFactories.cpp:199",
        )
    return _into_row("arange", out, array, values)


def _into_row(name: str, out: Tensor, array: np.ndarray, values: dict[str, Any]) -> Tensor:
    """Write a row into an out= tensor, which keeps its shape where it has so many elements."""
    fits = out._array.size == array.size
    return into(name, out, array.reshape(out._array.shape) if fits else array, grad=values["requires_grad"])


def _arange(start: Any, end: Any, step: Any, kind: Dtype) -> np.ndarray:
    if kind is dtypes.bool or kind.is_complex or kind.name in _LACKING:
        _check_bounds(start, end, step)
        raise dtypes.unsupported("arange_cpu", kind.numpy)
    if kind is dtypes.int64:
        if any(
            not isinstance(v, float) and not -(1 << 63) <= v < 1 << 63
            for v in (start, end, step)
            if not isinstance(v, complex)
        ):
            raise RuntimeError(_INT64)
        _check_bounds(start, end, step)
        if math.isinf(step):
            raise RuntimeError(_INT64)
        if int(step) == 0:
            raise ValueError("step must be nonzero")
        start, end, step = int(start), int(end), int(step)
        count = max(0, -((start - end) // step))
    else:
        _check_bounds(start, end, step)
        steps = (end - start) / step
        count = _MANY if math.isinf(steps) else math.ceil(steps)
    if count >= _MANY:
        raise RuntimeError("invalid size, possible overflow?")
    return _steps(start, step, count, kind)


@composite(
    "range(Scalar start, Scalar end, Scalar step=1, *, Tensor out=None, $options) -> Tensor|.step|.out", method=False
)
@instead(whole(method=False))
def range_(*args: Any, **kwargs: Any) -> Tensor:
    """Numbers from start up to and including end. Deprecated: arange is like Python's range.

    Shapes: one dimension.
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.range(1, 3)
    tensor([1., 2., 3.])
    """
    _, values = bind("range", args, kwargs)
    warn(_RANGE)
    start, end, step, out = values["start"], values["end"], values["step"], values["out"]
    kind = (out.dtype if out is not None else options(values)) or get_default_dtype()
    _check_bounds(start, end, step)
    if kind is dtypes.bool or kind.is_complex or kind.name in _LACKING:
        raise dtypes.unsupported("range_cpu", kind.numpy)
    if kind._category <= dtypes.INTEGER:
        start, end, step = int(start), int(end), int(step)
    steps = (end - start) / step
    if math.isinf(steps):
        raise RuntimeError(_SYMBOLIC)
    array = modes.quiet(_steps, start, step, int(steps) + 1, kind)
    return placed(array, values) if out is None else _into_row("range", out, array, values)


# -- linspace and logspace ---------------------------------------------------------------------------------------------


def _dimensions(which: str, value: Tensor) -> str:
    return f"{which} with {value._array.ndim} dimension(s)"


_REAL = (int, float)
#: up to how many numbers a row is written sooner in Python
_FEW = 24
_TAME = 1e30  # with bounds below it no number of a row is infinite, in float32 either


def _bound(name: str, which: str, value: Any) -> Any:
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {_dimensions(which, value)}."
            )
        return value._array if isinstance(value._array, Rows) else value.item()
    return value


def _between(run: Callable[[Any, Any], np.ndarray], start: Any, end: Any) -> Any:
    """A row of numbers; for bounds that vmap hands over one row for each of them."""
    if type(start) is not Rows and type(end) is not Rows:
        return modes.quiet(run, start, end)

    def one(start: Any, end: Any) -> np.ndarray:
        return run(*[x.item() if isinstance(x, np.ndarray) else x for x in (start, end)])

    return each(one, (start, end))


def _spaced(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, int, Dtype, dict[str, Any]]:
    _, values = bind(name, args, kwargs)
    start, end = values["start"], values["end"]
    if isinstance(start, Tensor) and isinstance(end, Tensor) and (start.ndim or end.ndim):
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got {_dimensions('start', start)} and "
            f"{_dimensions('end', end)}."
        )
    start, end = _bound(name, "start", start), _bound(name, "end", end)
    steps, out = values["steps"], values["out"]
    kind = options(values)
    if out is not None:
        check_out(name, out, kind)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if isinstance(start, complex) or isinstance(end, complex):
        whole = get_default_dtype().to_complex()
        if kind is not None and not kind.is_complex:
            raise RuntimeError(
                f"torch.{name}(): inferred dtype c10::complex<"
                f"{'float' if whole.itemsize == 8 else 'double'}> can't be safely cast to passed dtype "
                f"{dtypes.scalar_name(kind)}"
            )
        kind = kind or whole
    kind = (out.dtype if out is not None else kind) or get_default_dtype()
    if kind is not dtypes.bool and kind.name not in _LACKING:
        start = _held(start, kind) if steps > (name == "logspace") else start
        end = _held(end, kind) if steps > 1 else end
    return start, end, steps, kind, values


def _held(bound: Any, kind: Dtype) -> Any:
    """A bound as an integer type holds it; PyTorch's error where it does not fit into the dtype."""
    if isinstance(bound, Rows):
        return bound
    array = scalar_array(bound, kind)
    return int(array) if array.dtype.kind in "iu" else bound


@composite(
    """
    linspace(Tensor start, Tensor end, int steps, *, Tensor out=None, $options) -> Tensor|.Tensor_Tensor
    linspace(Scalar start, Tensor end, int steps, *, Tensor out=None, $options) -> Tensor|.Scalar_Tensor
    linspace(Tensor start, Scalar end, int steps, *, Tensor out=None, $options) -> Tensor|.Tensor_Scalar
    linspace(Scalar start, Scalar end, int steps, *, Tensor out=None, $options) -> Tensor
    """,
    method=False,
)
@instead(whole(method=False))
def linspace(*args: Any, **kwargs: Any) -> Tensor:
    """
    sig: (start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False)
    `steps` evenly spaced numbers from start to end, both included.

    Shapes: (steps,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    if not kwargs and len(args) == 3 and default_device() is None:
        start, end, steps = args
        if type(steps) is int and steps >= 0 and type(start) in _REAL and type(end) in _REAL:
            kind = get_default_dtype()
            if kind.itemsize >= 4 and -_TAME < start < _TAME and -_TAME < end < _TAME:
                row = spaced(start, end, steps, kind)
                return finished(row if row.dtype is kind.numpy else row.astype(kind.numpy))
    start, end, steps, kind, values = _spaced("linspace", args, kwargs)
    if (kind is dtypes.bool or kind.name in _LACKING) and steps > 1:
        raise dtypes.unsupported("linspace_cpu", kind.numpy)
    array = _between(lambda start, end: spaced(start, end, steps, kind).astype(kind.numpy), start, end)
    out = values["out"]
    return placed(array, values) if out is None else _into_row("linspace", out, array, values)


def spaced(start: Any, end: Any, steps: int, kind: Dtype) -> np.ndarray:
    """Counted up from the start in the first half and down from the end in the second, rounded once a step."""
    if steps == 0:
        return np.empty(0)
    if steps == 1:
        return np.array([start])
    half = steps // 2
    if kind.is_floating_point and kind.itemsize == 4:
        a, b = np.float32(start), np.float32(end)
        step = float((b - a) / (steps - 1))
        if steps <= _FEW:
            first, last = float(a), float(b)
            up = [first + i * step for i in range(half)]
            return np.array(up + [last - i * step for i in range(steps - half - 1, -1, -1)], np.float32)
        row = np.empty(steps, np.float32)
        row[:half] = _line(float(a), step, half)
        row[: half - 1 : -1] = _line(float(b), -step, steps - half)
        return row
    i = np.arange(steps)
    if kind._category <= dtypes.INTEGER:
        first, last = int(start), int(end)
        by = (float(last) - float(first)) / (steps - 1)
        up, down = _fused(i, by, float(first), dtypes.float64), _fused(steps - i - 1, -by, float(last), dtypes.float64)
        return np.trunc(np.where(i < half, up, down))
    if kind.is_complex:
        real, imag = (
            spaced(a, b, steps, kind.to_real())
            for a, b in ((complex(start).real, complex(end).real), (complex(start).imag, complex(end).imag))
        )
        return real + 1j * imag
    numpy = kind.numpy
    a, b = np.array(start, numpy), np.array(end, numpy)
    step = np.asarray((b - a) / np.array(steps - 1, numpy))
    if kind.itemsize == 2:
        return np.where(i < half, a + step * i.astype(numpy), b - step * (steps - i - 1).astype(numpy))
    row = np.empty(steps, numpy)
    row[:half] = _fused(i[:half], float(step), float(a), kind)
    row[half:] = _fused(i[: steps - half][::-1], -float(step), float(b), kind)
    return row


def _line(start: float, step: float, count: int) -> np.ndarray:
    """start + i * step in float64, of numbers that are float32: so the products are exact and it is rounded once."""
    if step and math.isfinite(step) and start + step - start == step:  # then np.arange finds the step again
        return np.arange(start, start + step * (count - 0.5), step)
    line = np.arange(float(count))
    line *= step
    line += start
    return line


@composite(
    """
    logspace(Tensor start, Tensor end, int steps, float base=10.0, *, Tensor out=None,
        $options) -> Tensor|.Tensor_Tensor
    logspace(Scalar start, Tensor end, int steps, float base=10.0, *, Tensor out=None,
        $options) -> Tensor|.Scalar_Tensor
    logspace(Tensor start, Scalar end, int steps, float base=10.0, *, Tensor out=None,
        $options) -> Tensor|.Tensor_Scalar
    logspace(Scalar start, Scalar end, int steps, float base=10.0, *, Tensor out=None, $options) -> Tensor
    """,
    method=False,
)
@instead(whole(method=False))
def logspace(*args: Any, **kwargs: Any) -> Tensor:
    """
    sig: (start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False)
    Powers of base with evenly spaced exponents from start to end.

    Shapes: (steps,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    start, end, steps, kind, values = _spaced("logspace", args, kwargs)
    if (kind is dtypes.bool or kind.name in _LACKING) and steps > 1:
        raise dtypes.unsupported("logspace_cpu", kind.numpy)
    base = values["base"]
    array = _between(lambda start, end: _powers(base, start, end, steps, kind).astype(kind.numpy), start, end)
    out = values["out"]
    return placed(array, values) if out is None else _into_row("logspace", out, array, values)


def _powers(base: float, start: Any, end: Any, steps: int, kind: Dtype) -> np.ndarray:
    """The difference of the ends is taken in the dtype, all else in float64."""
    if steps < 2 or kind.is_complex:
        return np.power(
            np.array(base, np.complex128 if kind.is_complex else np.float64), spaced(start, end, steps, kind)
        )
    if kind._category <= dtypes.INTEGER:
        a, b = start, end
    else:
        a, b = (np.array(v, kind.numpy) for v in (start, end))
    by = float(b - a) / (steps - 1)
    i = np.arange(steps)
    exponents = np.where(i < steps // 2, float(a) + by * i, float(b) - by * (steps - i - 1))
    result: np.ndarray = np.power(float(base), exponents)
    return result


# -- matrices with a pattern -------------------------------------------------------------------------------------------


@composite(
    """
    eye(SymInt n, *, Tensor out=None, $options) -> Tensor|uint_eye
    eye(SymInt n, SymInt m, *, Tensor out=None, $options) -> Tensor|.m|uint_eye
    """,
    method=False,
)
@instead(whole(method=False))
def eye(*args: Any, **kwargs: Any) -> Tensor:
    """1 on the diagonal, 0 elsewhere.
    main: 2

    Shapes: (n, m), (n, n) without m.
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if 0 < len(args) < 3 and (not kwargs or quick(kwargs)) and all(type(n) is int for n in args):
        shape = quick_shape(args if len(args) == 2 else args * 2)
        if shape is not None and (kwargs or default_device() is None):
            return finished(
                _identity(shape[0], shape[1], default(kwargs.get("dtype"))), kwargs.get("requires_grad", False)
            )
    _, values = bind("eye", args, kwargs)
    n = values["n"]
    m = values.get("m", n)
    kind, out = options(values), values["out"]
    for name, size in (("n", n), ("m", m)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    if out is not None:
        check_out("eye", out, kind)
        return into("eye", out, _identity(n, m, out._array.dtype), grad=values["requires_grad"])
    check_sizes((n, m))
    return placed(_identity(n, m, default(kind)), values)


def _identity(n: int, m: int, numpy: np.dtype[Any]) -> np.ndarray:
    """`np.eye`, which takes longer to begin."""
    array = np.zeros((n, m), numpy)
    array.reshape(-1)[: m * min(n, m) : m + 1] = 1
    return array


def _triangle(declaration: str, keep: Any, doc: str = "") -> None:
    name = declare(declaration, doc)

    def indices(*args: Any, **kwargs: Any) -> Tensor:
        _, values = bind(name, args, kwargs)
        rows, cols = values["row"], values["col"]
        for which, size in (("row", rows), ("col", cols)):
            if size < 0:
                raise RuntimeError(f"{which} must be non-negative, got{size}")
        kind = options(values) or dtypes.int64
        if kind not in (dtypes.int64, dtypes.int32):
            raise dtypes.unsupported(name, kind.numpy)
        first, last = keep(np.arange(rows) + min(max(values["offset"], -rows), cols), cols)
        return placed(_runs(np.clip(first, 0, cols), np.clip(last, 0, cols), kind.numpy), values)

    indices.__doc__ = f"{name}(row, col, offset=0): where the {name[:4]} of a matrix lies, shape (2, count)."
    composite(name, method=False)(indices)


def _runs(first: np.ndarray, last: np.ndarray, numpy: np.dtype[Any]) -> np.ndarray:
    """For numbered runs of columns, each from a first one up to a last one that is not in it: rows and columns."""
    counts = last - first
    found = np.empty((2, int(counts.sum())), numpy)
    found[0] = np.arange(len(counts)).repeat(counts)
    found[1] = np.arange(found.shape[1])
    found[1] -= (counts.cumsum() - last).repeat(counts).astype(numpy, copy=False)
    return found


_triangle(
    "tril_indices(int row, int col, int offset=0, *, $options) -> Tensor",
    lambda diagonal, columns: (np.zeros_like(diagonal), diagonal + 1),
    doc="""
    Rows and columns of the lower triangle of a matrix, as two rows.

    Shapes: (2, number of places).
    Dtypes: int64, if not said otherwise.

    >>> rows, columns = torch.tril_indices(2, 2)
    >>> torch.tensor([[1, 2], [3, 4]])[rows, columns]
    tensor([1, 3, 4])
    """,
)
_triangle(
    "triu_indices(int row, int col, int offset=0, *, $options) -> Tensor",
    lambda diagonal, columns: (diagonal, np.full_like(diagonal, columns)),
    doc="""
    Rows and columns of the upper triangle of a matrix, as two rows.

    Shapes: (2, number of places).
    Dtypes: int64, if not said otherwise.

    >>> torch.triu_indices(2, 3, offset=1)
    tensor([[0, 0, 1],
            [1, 2, 2]])
    """,
)

# -- windows -----------------------------------------------------------------------------------------------------------


def _cosine(length: int, numpy: Any, alpha: float, beta: float) -> np.ndarray:
    x = np.arange(length).astype(numpy) * numpy.type(2 * math.pi / (length - 1))
    return np.cos(x) * numpy.type(-beta) + numpy.type(alpha)


def _blackman(length: int, numpy: Any, values: dict[str, Any]) -> np.ndarray:
    x = np.arange(length).astype(numpy) * numpy.type(math.pi / (length - 1))
    four, two = np.cos(x * numpy.type(4)) * numpy.type(0.08), np.cos(x * numpy.type(2)) * numpy.type(0.5)
    return four - two + numpy.type(0.42)


def _bartlett(length: int, numpy: Any, values: dict[str, Any]) -> np.ndarray:
    window = np.arange(length).astype(numpy) * numpy.type(2.0 / (length - 1))
    half = (length - 1 >> 1) + 1
    window[half:] = window[half:] * numpy.type(-1) + numpy.type(2)
    return window


def _kaiser(length: int, numpy: Any, values: dict[str, Any]) -> np.ndarray:
    beta = values.get("beta", 12.0)
    x = np.arange(length, dtype=np.float64) * 2 / (length - 1) - 1
    window: np.ndarray = (np.i0(beta * np.sqrt(np.maximum(1 - x * x, 0))) / np.i0(beta)).astype(numpy)
    return window


def _window(declaration: str, make: Any, doc: str = "") -> None:
    name = declare(declaration, doc)

    def window(*args: Any, **kwargs: Any) -> Tensor:
        _, values = bind(name, args, kwargs)
        length = values["window_length"]
        kind = options(values) or get_default_dtype()
        if not (kind.is_floating_point or kind.is_complex):
            raise RuntimeError(
                f"{name} expects floating point dtypes, got: TensorOptions(dtype={cxx_name(kind)}, "
                "device=cpu, layout=Strided (default), requires_grad=false (default), "
                "pinned_memory=false, memory_format=(nullopt))"
            )
        if length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
        if length < 2:
            return placed(np.ones(length, kind.numpy), values)
        if kind.is_complex:
            raise dtypes.unsupported("arange_cpu", kind.numpy)
        periodic = values.get("periodic", True)
        array = make(length + bool(periodic), kind.numpy, values)
        return placed(array[:length], values)

    window.__doc__ = f"{name}(window_length, periodic=True): the window function's values."
    composite(name, method=False)(window)


_window(
    """
    hann_window(int window_length, *, $options) -> Tensor
    hann_window(int window_length, bool periodic, *, $options) -> Tensor|.periodic
    """,
    lambda n, numpy, values: _cosine(n, numpy, 0.5, 0.5),
    doc="""
    main: 2
    The Hann window: a raised cosine from 0 to 1 and back.

    Shapes: (window_length,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """,
)
_window(
    """
    hamming_window(int window_length, *, $options) -> Tensor
    hamming_window(int window_length, bool periodic, *, $options) -> Tensor|.periodic
    hamming_window(int window_length, bool periodic, float alpha, *, $options) -> Tensor|.periodic_alpha
    hamming_window(int window_length, bool periodic, float alpha, float beta, *,
        $options) -> Tensor|.periodic_alpha_beta
    """,
    lambda n, numpy, v: _cosine(n, numpy, v.get("alpha", 0.54), v.get("beta", 0.46)),
    doc="""
    main: 4
    The Hamming window: alpha - beta * cos, 0.54 and 0.46 if not said otherwise.

    Shapes: (window_length,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """,
)
_window(
    """
    blackman_window(int window_length, *, $options) -> Tensor
    blackman_window(int window_length, bool periodic, *, $options) -> Tensor|.periodic
    """,
    _blackman,
    doc="""
    main: 2
    The Blackman window: 0.42 - 0.5 cos + 0.08 cos.

    Shapes: (window_length,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.blackman_window(4)
    tensor([-2.9802e-08,  3.4000e-01,  1.0000e+00,  3.4000e-01])
    """,
)
_window(
    """
    bartlett_window(int window_length, *, $options) -> Tensor
    bartlett_window(int window_length, bool periodic, *, $options) -> Tensor|.periodic
    """,
    _bartlett,
    doc="""
    main: 2
    A triangle from 0 to 1 and back. Periodic windows leave out the last point.

    Shapes: (window_length,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """,
)
_window(
    """
    kaiser_window(int window_length, *, $options) -> Tensor
    kaiser_window(int window_length, bool periodic, *, $options) -> Tensor|.periodic
    kaiser_window(int window_length, bool periodic, float beta, *, $options) -> Tensor|.beta
    """,
    _kaiser,
    doc="""
    main: 3
    The Kaiser window of form beta.

    Shapes: (window_length,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.kaiser_window(4, True, 5.)
    tensor([0.0367, 0.5529, 1.0000, 0.5529])
    """,
)
