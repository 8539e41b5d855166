"""Pooling as functions; the one-dimensional forms go by way of the two-dimensional ones, as in PyTorch."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ...core.memory.layout import channels_last, contiguous, with_channels_last
from ...core.memory.versions import increment_version
from ...core.recording.record import TENSORS
from ...core.runtime import modes
from ...core.tensor.dispatching import concerned
from ...core.tensor.tensor import Tensor, requires_grad, wrap_result
from ...ops.first.kinds import refuse
from ...ops.nn import pool as _kernels
from ...ops.table.opdef import OPS
from ...ops.table.outputs import refuse_recorded
from ...ops.table.publishing import inner, reading

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

F = TypeVar("F", bound=Callable[..., Any])


def _sizes(value: Any, n: int) -> tuple[int, ...]:
    if type(value) is int:
        return (value,) * n
    given = value if isinstance(value, (tuple, list)) else (value,)
    sizes = tuple([v if type(v) is int or not hasattr(v, "__index__") else operator.index(v) for v in given])
    return sizes if len(sizes) == n else sizes * n


_ONE = {
    "kernel_size": "must either be a single int, or a tuple of {} ints",
    "stride": "must either be omitted, a single int, or a tuple of {} ints",
    "padding": "must either be a single int, or a tuple of {} ints",
    "dilation": "must be either a single int, or a tuple of {} ints",
}


#: the types of options that are ints alone
INT = frozenset((int,))


def _windows(name: str, n: int, **given: Any) -> list[tuple[int, ...]]:
    """Options of windows over n dimensions as tuples of n. Errors: RuntimeError for lists of other lengths."""
    if INT.issuperset(map(type, given.values())):  # the usual case
        return [(value,) * n for value in given.values()]
    for what, value in given.items():
        if isinstance(value, (tuple, list)) and len(value) not in (1, n):
            if n == 1:
                raise RuntimeError(f"{name}() argument '{what}' should contain one int (got {len(value)})")
            words = _ONE[what].replace("either ", "" if name == "avg_pool3d" else "either ")
            raise RuntimeError(f"{name}: {what} " + words.format("two" if n == 2 else "three"))
    return [_sizes(value, n) for value in given.values()]


def _stride(stride: Any, kernel_size: Any) -> Any:
    """The stride: if none is given, the size of the windows."""
    return kernel_size if _missing(stride) else stride


def _missing(stride: Any) -> bool:
    """Whether no stride is given; a Node then shows none."""
    return stride is None or stride in ((), [])


def _max_pool(name: str, n: int, mark: str = "") -> Any:
    """The check of the arguments of a max_pool function over n dimensions."""
    size = f"int[{n}]"
    return inner(
        f"{name}(Tensor input, {size} kernel_size, {size} stride=None, {size} padding=0, {size} dilation=1, "
        f"bool ceil_mode=False) -> Tensor{mark}"
    )


_max_pool1d, _max_pool2d = _max_pool("max_pool1d", 1), _max_pool("max_pool2d", 2)
_max_pool3d = _max_pool("max_pool3d", 3, "|fp32")
_max_pool1d_with_indices = _max_pool("max_pool1d_with_indices", 1)
_adaptive_max_pool1d = inner("adaptive_max_pool1d(Tensor input, int[1] output_size) -> Tensor")
_max_pool2d_with_indices, _max_pool3d_with_indices = inner("max_pool2d_with_indices"), inner("max_pool3d_with_indices")
_adaptive_avg_pool2d = inner(
    "nn.adaptive_avg_pool2d(Tensor input, SymInt[2] output_size, *, Tensor out=None) -> Tensor"
)
_adaptive_avg_pool3d = inner(
    "nn.adaptive_avg_pool3d(Tensor input, SymInt[3] output_size, *, Tensor out=None) -> Tensor|fp32"
)
_adaptive_max_pool2d, _adaptive_max_pool3d = inner("adaptive_max_pool2d"), inner("adaptive_max_pool3d")
_fractional_max_pool2d, _fractional_max_pool3d = inner("fractional_max_pool2d"), inner("fractional_max_pool3d")


def _returning_indices(with_indices: Any, place: int) -> Callable[[F], F]:
    """Decorator for a function that returns maxima alone: if the argument return_indices, the one at `place`, is true,
    another function is called, as in PyTorch."""

    def register(alone: F) -> F:
        @functools.wraps(alone)
        def chosen(*args: Any, **kwargs: Any) -> Any:
            wanted = args[place] if len(args) > place else kwargs.get("return_indices")
            return (with_indices if wanted else alone)(*args, **kwargs)

        alone.__name__ = alone.__qualname__ = "_" + alone.__name__  # the name in Python's errors
        return cast(F, chosen)

    return register


def _max_windows(n: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any) -> list[tuple[int, ...]]:
    stride = _stride(stride, kernel_size)
    return _windows(f"max_pool{n}d", n, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)


def _max(n: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """Maxima and indices of windows over n dimensions."""
    sizes = _max_windows(n, kernel_size, stride, padding, dilation)
    if _missing(stride):
        sizes[1] = ()
    return getattr(TENSORS, f"max_pool{n}d_with_indices")(input, *sizes, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool2d and the indices of the maxima in the flattened plane.

    Shapes: (N, C, H, W) or (C, H, W); both results as for max_pool2d.
    Dtypes: real numbers; the indices are int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.max_pool2d_with_indices(torch.arange(4.).reshape(1, 1, 2, 2), 2)[1]
        tensor([[[[3]]]])

    Mirrors `torch.nn.functional.max_pool2d_with_indices`.
    """
    _max_pool2d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
    return _max(2, input, kernel_size, stride, padding, dilation, ceil_mode)


@_returning_indices(max_pool2d_with_indices, 6)
def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of an image; return_indices=True gives its index too.

    Shapes: (N, C, H, W) or (C, H, W) gives the same with H' and W' as L' in max_pool1d.
    Dtypes: real numbers.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.max_pool2d(torch.arange(16.).reshape(1, 1, 4, 4), 2)
        tensor([[[[ 5.,  7.],
                  [13., 15.]]]])

    Mirrors `torch.nn.functional.max_pool2d`.
    """
    _max_pool2d(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
    return _max(2, input, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool3d and the indices of the maxima in the flattened volume.

    Shapes: (N, C, D, H, W) or (C, D, H, W); both results as for max_pool3d.
    Dtypes: real numbers; the indices are int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.max_pool3d_with_indices(torch.arange(8.).reshape(1, 1, 2, 2, 2), 2)[1]
        tensor([[[[[7]]]]])

    Mirrors `torch.nn.functional.max_pool3d_with_indices`.
    """
    _max_pool3d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
    return _max(3, input, kernel_size, stride, padding, dilation, ceil_mode)


@_returning_indices(max_pool3d_with_indices, 6)
def max_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of a volume; return_indices=True gives its index too.

    Shapes: (N, C, D, H, W) or (C, D, H, W) gives the same with D', H' and W' as L' in max_pool1d.
    Dtypes: real numbers.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.max_pool3d(torch.arange(8.).reshape(1, 1, 2, 2, 2), 2)
        tensor([[[[[7.]]]]])

    Mirrors `torch.nn.functional.max_pool3d`.
    """
    _max_pool3d(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
    return _max(3, input, kernel_size, stride, padding, dilation, ceil_mode)[0]


def _check_line(input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> None:
    """Refuse windows that do not fit, with the messages of PyTorch's max_pool1d without indices."""
    found = []
    for name, value, kinds in (
        ("kernel_size", kernel_size, "an int, list of ints or tuple of ints"),
        ("stride", stride, "None, an int, list of ints, or tuple of ints"),
        ("padding", padding, "an int, list of ints, or tuple of ints"),
        ("dilation", dilation, "an int, list of ints or tuple of ints"),
    ):
        if isinstance(value, (tuple, list)):
            if len(value) != 1:
                raise RuntimeError(f"max_pool1d() {name} must be {kinds} of size 1 but got size {len(value)}")
            value = value[0]
        found.append(value)
    kernel, step, pad, spread = found
    for name, value in (("kernel_size", kernel), ("stride", step), ("dilation", spread), ("padding", pad)):
        if name == "padding" and value < 0:
            raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {value}")
        if name != "padding" and value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if pad > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={pad} and "
            f"kernel_size={kernel}"
        )
    size = _kernels.pooled_size(input._array.shape[-1], kernel, step, pad, spread, ceil_mode)
    if size <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool1d and the indices of the maxima.

    Shapes: (N, C, L) or (C, L); both results as for max_pool1d.
    Dtypes: real numbers; the indices are int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.max_pool1d_with_indices(torch.tensor([[[1., 3., 2., 5.]]]), 2)
        (tensor([[[3., 5.]]]), tensor([[[1, 3]]]))

    Mirrors `torch.nn.functional.max_pool1d_with_indices`.
    """
    _max_pool1d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for max_pool1d)"
        )
    if 0 in input._array.shape[-2:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{[*input.shape[:-1], 1, input.shape[-1]]}"
        )
    (k,), (s,), (p,), (d,) = _max_windows(1, kernel_size, stride, padding, dilation)
    found = _max(2, TENSORS.unsqueeze(input, -2), (1, k), (1, s), (0, p), (1, d), ceil_mode)
    return TENSORS.squeeze(found[0], -2), TENSORS.squeeze(found[1], -2)


@_returning_indices(max_pool1d_with_indices, 6)
def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window; return_indices=True gives its index too.

    Shapes: (N, C, L) or (C, L) gives the same with L' = (L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1,
        rounded down, or up with ceil_mode; stride is kernel_size, if not given.
    Dtypes: real numbers.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.max_pool1d(torch.tensor([[[1., 3., 2., 5.]]]), 2)
        tensor([[[3., 5.]]])

    Mirrors `torch.nn.functional.max_pool1d`.
    """
    _max_pool1d(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
    if input.ndim not in (2, 3) or 0 in input._array.shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )
    _check_line(input, kernel_size, _stride(stride, kernel_size), padding, dilation, ceil_mode)
    if not (requires_grad(input) and modes.current().grad):
        return _maxima(input, kernel_size, stride, padding, dilation, ceil_mode)
    return max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)[0]


def _maxima(input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Tensor:
    """max_pool1d where nothing is recorded: there PyTorch has another kernel, whose result is not a view."""
    x = input._array
    if x.dtype.kind not in "fV":
        refuse(x, "max_pool1d_impl", x.dtype.kind)
    best = None
    if not concerned(input):
        kernel, step, pads, spread = _max_windows(1, kernel_size, stride, padding, dilation)
        best = _kernels.maxima(x, kernel, step, pads, spread, ceil_mode)
    if best is not None:
        made = wrap_result(contiguous(best))
    else:
        found = max_pool1d_with_indices(input.detach(), kernel_size, stride, padding, dilation, ceil_mode)[0]
        made = TENSORS.contiguous(TENSORS.clone(found))
    if input.ndim == 2:
        increment_version(made)  # PyTorch adds a batch and takes it away in place
    return made


def _avg(
    n: int,
    input: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    include: bool,
    divisor: Any,
    out: Tensor | None = None,
) -> Tensor:
    entry = OPS[f"avg_pool{n}d"]
    if out is not None:
        refuse_recorded(entry, (input,), out)
    kernel, step, pads = _windows(
        f"avg_pool{n}d", n, kernel_size=kernel_size, stride=_stride(stride, kernel_size), padding=padding
    )
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    given = input, kernel, () if _missing(stride) else step, pads, ceil_mode, include, divisor
    found: Tensor = entry.call(*given) if out is None else entry.call(*given, out=out)
    return found


@reading("avg_pool2d")
def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of each window of an image; divisor_override divides the sum by another number.

    Shapes: (N, C, H, W) or (C, H, W) gives the same with H' and W' as L' in avg_pool1d.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.avg_pool2d(torch.arange(16.).reshape(1, 1, 4, 4), 2)
        tensor([[[[ 2.5000,  4.5000],
                  [10.5000, 12.5000]]]])

    Mirrors `torch.nn.functional.avg_pool2d`.
    """
    return _avg(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, out)


@reading("avg_pool3d")
def avg_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of each window of a volume; divisor_override divides the sum by another number.

    Shapes: (N, C, D, H, W) or (C, D, H, W) gives the same with D', H' and W' as L' in avg_pool1d.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.avg_pool3d(torch.arange(8.).reshape(1, 1, 2, 2, 2), 2)
        tensor([[[[[3.5000]]]]])

    Mirrors `torch.nn.functional.avg_pool3d`.
    """
    return _avg(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, out)


@reading(
    """
    avg_pool1d(Tensor input, int[1] kernel_size, int[1] stride=None, int[1] padding=0, bool ceil_mode=False,
        bool count_include_pad=True) -> Tensor
    """
)
def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window, padding included unless count_include_pad=False.

    Shapes: (N, C, L) or (C, L) gives the same with L' = (L + 2 padding - kernel_size) / stride + 1, rounded down, or up
        with ceil_mode; stride is kernel_size, if not given.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.avg_pool1d(torch.tensor([[[1., 3., 2., 6.]]]), 2)
        tensor([[[2., 4.]]])

    Mirrors `torch.nn.functional.avg_pool1d`.
    """
    _lines(input, "avg_pool1d")
    (k,), (s,), (p,) = _windows(
        "avg_pool1d", 1, kernel_size=kernel_size, stride=_stride(stride, kernel_size), padding=padding
    )
    out = _avg(2, TENSORS.unsqueeze(input, -2), (1, k), (1, s), (0, p), ceil_mode, count_include_pad, None)
    return TENSORS.squeeze(out, -2)


def _lines(input: Tensor, name: str) -> None:
    """Refuse input of other shapes than (N, C, L) and (C, L)."""
    n = input._array.ndim
    if n not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {n}-dimensional tensor for argument #1 'self' (while checking "
            f"arguments for {name})"
        )


def _adaptive_sizes(output_size: Any, shape: Any) -> Any:
    """The output size, with that of the input where None is given."""
    if isinstance(output_size, int):
        return output_size
    n = len(output_size)
    if len(shape) <= n:
        raise ValueError(f"Input dimension should be at least {n + 1}")
    return [size if wanted is None else wanted for wanted, size in zip(output_size, shape[-n:], strict=False)]


def _adaptive_size(kind: str, n: int, check: Any, input: Tensor, output_size: Any) -> tuple[int, ...]:
    """The output size of an adaptive pooling ("avg" or "max") over n dimensions, after PyTorch's checks of it."""
    sizes = _adaptive_sizes(output_size, input.size())
    name, shape = f"adaptive_{kind}_pool{n}d", input._array.shape
    check(input, sizes)
    found = tuple(map(int, sizes)) if isinstance(sizes, list) else (sizes,) * n
    if kind == "max":
        _check_adaptive(name, input, n)
        if len(found) != n:
            raise RuntimeError(f"{name}(): internal error: output_size.size() must be {n}")
        if min(found) < 0:
            made = [*shape[: len(shape) - n], *found]
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(found)}: {made}")
        return found
    if len(found) != n:
        raise RuntimeError(f"{name}: output_size must be {n}")
    if min(found) < 0:
        numbers = ", ".join(map(str, found[:-1])) + (", " if n == 2 else ",") + str(found[-1])
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{numbers}}}"
        )
    if any(size != 1 for size in found):  # otherwise it is a mean, which an empty input has too
        _check_adaptive(name, input, n)
    return found


def _check_adaptive(name: str, input: Tensor, n: int) -> None:
    shape = input._array.shape
    if len(shape) not in (n + 1, n + 2):
        got = "got:" if "max" in name else "got"
        raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but {got} {list(shape)}")
    for i in range(1 if "max" in name or n == 3 else len(shape) - n, len(shape)):
        if not shape[i]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(shape)} with dimension {i} being empty"
            )


def _one(output_size: Any, name: str) -> int:
    if isinstance(output_size, (tuple, list)):
        if len(output_size) != 1:
            raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(output_size)})")
        return output_size[0]
    return output_size


def _laid_as(input: Tensor, means: Tensor) -> Tensor:
    """New means, with the channels last in memory where the input has them."""
    if channels_last(input._array):
        means._array = with_channels_last(means._array)
    return means


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, H, W) or (C, H, W) gives the same with the last sizes output_size; None in it keeps a size.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_avg_pool2d(torch.arange(16.).reshape(1, 1, 4, 4), 1)
        tensor([[[[7.5000]]]])

    Mirrors `torch.nn.functional.adaptive_avg_pool2d`.
    """
    size = _adaptive_size("avg", 2, _adaptive_avg_pool2d, input, output_size)
    if size == (1, 1):
        return _laid_as(input, TENSORS.mean(input, (-1, -2), True))
    return TENSORS._adaptive_avg_pool2d(input, size)


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, D, H, W) or (C, D, H, W) gives the same with the last sizes output_size; None in it keeps a size.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_avg_pool3d(torch.arange(8.).reshape(1, 1, 2, 2, 2), 1)
        tensor([[[[[3.5000]]]]])

    Mirrors `torch.nn.functional.adaptive_avg_pool3d`.
    """
    size = _adaptive_size("avg", 3, _adaptive_avg_pool3d, input, output_size)
    if size == (1, 1, 1):
        return _laid_as(input, TENSORS.mean(input, (-1, -2, -3), True))
    return TENSORS._adaptive_avg_pool3d(input, size)


@reading("adaptive_avg_pool1d(Tensor input, int[1] output_size) -> Tensor")
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, L) or (C, L) gives the same with last size output_size.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_avg_pool1d(torch.tensor([[[1., 3., 2., 6.]]]), 2)
        tensor([[[2., 4.]]])

    Mirrors `torch.nn.functional.adaptive_avg_pool1d`.
    """
    _lines(input, "adaptive_avg_pool1d")
    size = _one(output_size, "adaptive_avg_pool1d")
    if size == 1:  # means, also of nothing
        return TENSORS.squeeze(TENSORS.mean(TENSORS.unsqueeze(input, -2), (-1, -2), True), -2)
    return TENSORS.squeeze(adaptive_avg_pool2d(TENSORS.unsqueeze(input, -2), (1, size)), -2)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """adaptive_max_pool2d and the indices of the maxima in the flattened plane.

    Shapes: (N, C, H, W) or (C, H, W); both results with the last 2 sizes output_size.
    Dtypes: float; the indices are int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_max_pool2d_with_indices(torch.arange(4.).reshape(1, 1, 2, 2), 1)
        (tensor([[[[3.]]]]), tensor([[[[3]]]]))

    Mirrors `torch.nn.functional.adaptive_max_pool2d_with_indices`.
    """
    size = _adaptive_size("max", 2, _adaptive_max_pool2d, input, output_size)
    return TENSORS.adaptive_max_pool2d(input, size)


@_returning_indices(adaptive_max_pool2d_with_indices, 2)
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, H, W) or (C, H, W) gives the same with the last sizes output_size; None in it keeps a size.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_max_pool2d(torch.arange(16.).reshape(1, 1, 4, 4), 2)
        tensor([[[[ 5.,  7.],
                  [13., 15.]]]])

    Mirrors `torch.nn.functional.adaptive_max_pool2d`.
    """
    return adaptive_max_pool2d_with_indices(input, output_size)[0]


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """adaptive_max_pool3d and the indices of the maxima in the flattened volume.

    Shapes: (N, C, D, H, W) or (C, D, H, W); both results with the last 3 sizes output_size.
    Dtypes: float; the indices are int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_max_pool3d_with_indices(torch.arange(8.).reshape(1, 1, 2, 2, 2), 1)[1]
        tensor([[[[[7]]]]])

    Mirrors `torch.nn.functional.adaptive_max_pool3d_with_indices`.
    """
    size = _adaptive_size("max", 3, _adaptive_max_pool3d, input, output_size)
    return TENSORS.adaptive_max_pool3d(input, size)


@_returning_indices(adaptive_max_pool3d_with_indices, 2)
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, D, H, W) or (C, D, H, W) gives the same with the last sizes output_size; None in it keeps a size.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_max_pool3d(torch.arange(8.).reshape(1, 1, 2, 2, 2), 1)
        tensor([[[[[7.]]]]])

    Mirrors `torch.nn.functional.adaptive_max_pool3d`.
    """
    return adaptive_max_pool3d_with_indices(input, output_size)[0]


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """adaptive_max_pool1d and the indices of the maxima.

    Shapes: (N, C, L) or (C, L); both results with last size output_size.
    Dtypes: float; the indices are int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_max_pool1d_with_indices(torch.tensor([[[1., 3., 2., 6.]]]), 2)
        (tensor([[[3., 6.]]]), tensor([[[1, 3]]]))

    Mirrors `torch.nn.functional.adaptive_max_pool1d_with_indices`.
    """
    _adaptive_max_pool1d(input, output_size)
    _lines(input, "adaptive_max_pool1d")
    size = _one(output_size, "adaptive_max_pool1d")
    _check_adaptive("adaptive_max_pool1d", input, 1)
    found = adaptive_max_pool2d_with_indices(TENSORS.unsqueeze(input, -2), (1, size))
    return TENSORS.squeeze(found[0], -2), TENSORS.squeeze(found[1], -2)


@_returning_indices(adaptive_max_pool1d_with_indices, 2)
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, L) or (C, L) gives the same with last size output_size.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.adaptive_max_pool1d(torch.tensor([[[1., 3., 2., 6.]]]), 2)
        tensor([[[3., 6.]]])

    Mirrors `torch.nn.functional.adaptive_max_pool1d`.
    """
    return adaptive_max_pool1d_with_indices(input, output_size)[0]


def _fractional(
    n: int, input: Tensor, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Tensor | None
) -> Any:
    if output_size is None and output_ratio is None:
        raise ValueError(f"fractional_max_pool{n}d requires specifying either an output_size or an output_ratio")
    if output_size is None:
        if n == 2 and len(output_ratio) > n:
            raise ValueError(
                f"fractional_max_pool{n}d requires output_ratio to either be a single Int or tuple of Ints."
            )
        output_size = [int(input.size(d - n) * ratio) for d, ratio in enumerate(_sizes(output_ratio, n))]
    if samples is None:
        batch = 1 if input.dim() == n + 1 else input.size(0)
        samples = TENSORS.rand(batch, input.size(-n - 1), n, dtype=input.dtype)
    (_fractional_max_pool2d if n == 2 else _fractional_max_pool3d)(input, kernel_size, output_size, samples)
    kernel, size = (tuple(v) if isinstance(v, (tuple, list)) else (v,) * n for v in (kernel_size, output_size))
    ints = " Ints" if n == 2 else " three Ints"
    for name, value in (("kernel_size", kernel), ("output_size", size)):
        if len(value) != n:
            raise RuntimeError(f"fractional_max_pool{n}d: {name} must either be a single Int or tuple of{ints}")
    if samples.dtype is not input.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    _check_fractional(n, input, samples, kernel, size)
    return getattr(TENSORS, f"fractional_max_pool{n}d")(input, samples, kernel, size)


def _check_fractional(n: int, input: Any, samples: Any, kernel: tuple[int, ...], size: tuple[int, ...]) -> None:
    """Refuse windows larger than the input, and samples that are not one number for each plane and dimension."""
    function = "fractional_max_pool2d()" if n == 2 else "fractional_max_pool3d_out()"
    shape = list(input.shape)
    if len(shape) not in (n + 1, n + 2):
        raise RuntimeError(f"{function}: Expected {n + 1}D or {n + 2}D tensor, but got: {shape}")
    for i in range(1, len(shape)):
        if not shape[i]:
            raise RuntimeError(
                f"{function}: Expected input to have non-zero size for non-batch dimensions, but got{shape} "
                f"with dimension {i} being empty."
            )
    for name, whole, k, o in zip(("time", "height", "width")[3 - n :], input.shape[-n:], kernel, size, strict=True):
        if o + k - 1 > whole or (n == 3 and o + k - 1 == whole):
            raise RuntimeError(f"{function}: pool {name} {k} too large relative to input {name} {whole}")
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    if samples.shape[0] < (input.shape[0] if input.ndim == n + 2 else 1):
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != input.shape[-n - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != n:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {n}; got {samples.shape[2]}.")


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """fractional_max_pool2d and the indices of the maxima in the flattened plane.

    Shapes: (N, C, H, W) or (C, H, W); both results with the last 2 sizes output_size.
    Dtypes: float; the indices are int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> samples = torch.tensor([[[0.5, 0.5]]])
        >>> F.fractional_max_pool2d_with_indices(torch.arange(16.).reshape(1, 1, 4, 4), 2, output_size=2,
        ... _random_samples=samples)[1]
        tensor([[[[ 5,  7],
                  [13, 15]]]])

    Mirrors `torch.nn.functional.fractional_max_pool2d_with_indices`.
    """
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)


@_returning_indices(fractional_max_pool2d_with_indices, 4)
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest element of windows at pseudo-random positions; their number is output_size, or output_ratio times the
    size of the input.

    Shapes: (N, C, H, W) or (C, H, W) gives the same with the last sizes output_size; None in it keeps a size.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> samples = torch.tensor([[[0.5, 0.5]]])
        >>> F.fractional_max_pool2d(torch.arange(16.).reshape(1, 1, 4, 4), 2, output_size=2, _random_samples=samples)
        tensor([[[[ 5.,  7.],
                  [13., 15.]]]])

    Mirrors `torch.nn.functional.fractional_max_pool2d`.
    """
    return fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """fractional_max_pool3d and the indices of the maxima in the flattened volume.

    Shapes: (N, C, D, H, W) or (C, D, H, W); both results with the last 3 sizes output_size.
    Dtypes: float; the indices are int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> samples = torch.tensor([[[0.5, 0.5, 0.5]]])
        >>> F.fractional_max_pool3d_with_indices(torch.arange(27.).reshape(1, 1, 3, 3, 3), 2, output_size=1,
        ... _random_samples=samples)[1]
        tensor([[[[[26]]]]])

    Mirrors `torch.nn.functional.fractional_max_pool3d_with_indices`.
    """
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)


@_returning_indices(fractional_max_pool3d_with_indices, 4)
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest element of windows at pseudo-random positions in a volume; their number is output_size, or
    output_ratio times the size of the input.

    Shapes: (N, C, D, H, W) or (C, D, H, W) gives the same with the last sizes output_size; None in it keeps a size.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> samples = torch.tensor([[[0.5, 0.5, 0.5]]])
        >>> F.fractional_max_pool3d(torch.arange(27.).reshape(1, 1, 3, 3, 3), 2, output_size=1, _random_samples=samples)
        tensor([[[[[26.]]]]])

    Mirrors `torch.nn.functional.fractional_max_pool3d`.
    """
    return fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


def _lp_pool(
    maxima: Any, means: Any, count: Any, input: Any, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Any:
    """The norms of windows of `count` elements by way of two other poolings: maxima of magnitudes for order inf, minima
    for -inf, and means of powers."""
    if norm_type == math.inf:
        return maxima(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -math.inf:
        return -maxima(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    mean = means(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (TENSORS.sign(mean) * TENSORS.relu(TENSORS.abs(mean))).mul(count).pow(1.0 / norm_type)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The norm of order norm_type of each window of an image.

    Shapes: (N, C, H, W) or (C, H, W); sizes as for avg_pool2d.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.lp_pool2d(torch.ones(1, 1, 2, 2), 2, 2)
        tensor([[[[2.]]]])

    Mirrors `torch.nn.functional.lp_pool2d`.
    """
    width, height = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * 2
    return _lp_pool(max_pool2d, avg_pool2d, width * height, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The norm of order norm_type of each window.

    Shapes: (N, C, L) or (C, L); sizes as for avg_pool1d.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.lp_pool1d(torch.tensor([[[3., 4., 0., 1.]]]), 2, 2)
        tensor([[[5., 1.]]])

    Mirrors `torch.nn.functional.lp_pool1d`.
    """
    return _lp_pool(max_pool1d, avg_pool1d, kernel_size, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The norm of order norm_type of each window of a volume.

    Shapes: (N, C, D, H, W) or (C, D, H, W); sizes as for avg_pool3d.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.lp_pool3d(torch.ones(1, 1, 2, 2, 2), 2, 2)
        tensor([[[[[2.8284]]]]])

    Mirrors `torch.nn.functional.lp_pool3d`.
    """
    width, height, depth = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * 3
    return _lp_pool(max_pool3d, avg_pool3d, width * height * depth, input, norm_type, kernel_size, stride, ceil_mode)


_UNPOOLED = {
    1: "There should be exactly two elements (height, width) in output_size, but got {} elements.",
    2: "There should be exactly two elements (height, width) in output_size, but got {} elements.",
    3: "There should be exactly three elements (depth, height, width) in output_size, but got {} elements.",
}


def _unpool(
    n: int, input: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    given = (kernel_size, kernel_size if stride is None else stride, padding)
    kernel, step, pads = (tuple(v) if isinstance(v, (tuple, list)) else (v,) * n for v in given)
    shape = input.size()[-len(kernel) :]
    if min(len(step), len(pads), len(shape)) < len(kernel):
        raise IndexError("tuple index out of range")
    sizes = tuple((m - 1) * s + k - 2 * p for m, s, k, p in zip(shape, step, kernel, pads, strict=False))
    if output_size is not None:
        wanted = output_size[2:] if len(output_size) == n + 2 else output_size
        if len(wanted) != n:
            raise ValueError(
                f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
                f"'{len(output_size)}'"
            )
        for d, (w, m, s) in enumerate(zip(wanted, sizes, step, strict=True)):
            if not m - s < w < m + s:
                raise ValueError(f'invalid output_size "{wanted}" (dim {d} must be between {m - s} and {m + s})')
        sizes = tuple(wanted)
    for d, size in enumerate(sizes):
        if size < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{d}]={size}"
            )
    if len(sizes) != n:
        raise RuntimeError(_UNPOOLED[n].format(len(sizes)))
    if n == 3 and min(step) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(step)}")
    if n == 1:
        out = TENSORS.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), (*sizes, 1))
        return TENSORS.squeeze(out, -1)
    return getattr(TENSORS, f"max_unpool{n}d")(input, indices, sizes)


def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """The maxima of max_pool1d at their indices, 0 elsewhere.

    Shapes: (N, C, L') or (C, L') gives (N, C, L) or (C, L).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> y, indices = F.max_pool1d(torch.tensor([[[1., 3., 2., 5.]]]), 2, return_indices=True)
        >>> F.max_unpool1d(y, indices, 2)
        tensor([[[0., 3., 0., 5.]]])

    Mirrors `torch.nn.functional.max_unpool1d`.
    """
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """The maxima of max_pool2d at their indices, 0 elsewhere.

    Shapes: (N, C, H', W') or (C, H', W') gives (N, C, H, W) or (C, H, W).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> y, indices = F.max_pool2d(torch.arange(4.).reshape(1, 1, 2, 2), 2, return_indices=True)
        >>> F.max_unpool2d(y, indices, 2)
        tensor([[[[0., 0.],
                  [0., 3.]]]])

    Mirrors `torch.nn.functional.max_unpool2d`.
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """The maxima of max_pool3d at their indices, 0 elsewhere.

    Shapes: (N, C, D', H', W') or (C, D', H', W') gives (N, C, D, H, W) or (C, D, H, W).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> y, indices = F.max_pool3d(torch.arange(8.).reshape(1, 1, 2, 2, 2), 2, return_indices=True)
        >>> F.max_unpool3d(y, indices, 2)
        tensor([[[[[0., 0.],
                   [0., 0.]],

                  [[0., 0.],
                   [0., 7.]]]]])

    Mirrors `torch.nn.functional.max_unpool3d`.
    """
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)
