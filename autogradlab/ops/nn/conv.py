"""Convolutions of any number of dimensions, their transposes, unfold and fold.

Each of the three maps of `conv_maps` has derivatives that are made of the other two.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.memory.layout import channels_last, contiguous, with_channels_last
from ...core.memory.rows import Rows
from ...core.memory.together import batched, folded, unfolded
from ...core.recording.record import RAW, TENSORS, says, sizes_of
from ...core.runtime.modes import quiet
from ...core.values.promotion import check_cast
from ..first.kinds import BOOL, SHORT, refuse, typed
from ..table.asking import Operator
from ..table.opdef import op
from .conv_maps import Array, Sizes, adjoint_input, adjoint_weight, columns, convolve, out_sizes, scatter_columns
from .conv_types import check_types, takes_mkldnn

# -- the three maps as operations; `transposed` exchanges the first two ------------------------------------------------


def _check_lengths(weight: Array, stride: Sizes, padding: Sizes, dilation: Sizes) -> None:
    """Raise unless there is a number for each dimension of the windows, or one for all."""
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    n = weight.ndim - 2
    for name, values in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        if len(values) not in (1, n):
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {n} values to match the convolution "
                f"dimensions, but got {name}={list(values)}"
            )


def _dilations(dilation: list[int], transposed: bool) -> str:
    """How the error for dilations goes on: the kernel that finds a 0 says which they are, and knows no single one."""
    if len(dilation) == 1:
        dilation = [1, *dilation]
    if transposed:
        named = ("depth", "height", "width")[-len(dilation) :]
        return ", but got " + ", ".join(f"dilation_{n}: {d}" for n, d in zip(named, dilation, strict=True))
    return f", but got {dilation}"


def _check(
    input: Array,
    weight: Array,
    bias: Any,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> None:
    _check_lengths(weight, stride, padding, dilation)
    if input.dtype.kind == "c":
        check_types(input, weight)
    channels = weight.shape[0] if transposed else weight.shape[1] * groups
    shape, wanted = list(input.shape), list(weight.shape)
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if weight.shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of "
            f"size {wanted} instead"
        )
    if weight.shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{wanted}] instead"
        )
    if not transposed:
        if input.shape[1] != channels:
            raise RuntimeError(
                f"Given groups={groups}, weight of size {wanted}, expected input{shape} to have {channels} channels, "
                f"but got {input.shape[1]} channels instead"
            )
        if bias is not None and (bias.ndim != 1 or bias.shape[0] != weight.shape[0]):
            raise RuntimeError(
                f"Given weight of size {wanted}, expected bias to be 1-dimensional with {weight.shape[0]} elements, "
                f"but got bias of size {list(bias.shape)} instead"
            )
        if min(out_sizes(input.shape[2:], weight.shape[2:], (1,) * len(padding), padding, dilation)) < 1:
            sizes = [n + 2 * p for n, p in zip(input.shape[2:], padding, strict=True)]
            kernel = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)]
            raise RuntimeError(
                f"Calculated padded input size per channel: ({' x '.join(map(str, sizes))}). Kernel size: "
                f"({' x '.join(map(str, kernel))}). Kernel size can't be greater than actual input size"
            )
    else:
        if input.shape[1] != channels:
            raise RuntimeError(
                f"Given transposed=1, weight of size {wanted}, expected input{shape} to have {channels} channels, but "
                f"got {input.shape[1]} channels instead"
            )
        if bias is not None and (bias.ndim != 1 or bias.shape[0] != weight.shape[1] * groups):
            raise RuntimeError(
                f"Given transposed=1, weight of size {wanted}, expected bias to be 1-dimensional with "
                f"{weight.shape[1] * groups} elements, but got bias of size {list(bias.shape)} instead"
            )
    if 0 in weight.shape[2:]:
        raise _no_kernel(wanted[2:] if len(wanted) != 3 else [1, *wanted[2:]])
    if 0 in dilation and len(input):
        if not transposed and takes_mkldnn(input, weight, stride, dilation, groups):
            raise RuntimeError("non-positive dilation is not supported")
        raise RuntimeError("dilation should be greater than zero" + _dilations([*dilation], transposed))
    if transposed:
        _check_kind(input, weight, stride, padding, dilation, transposed)
    _check_dtypes(input, weight, bias, stride, dilation, transposed, output_padding, groups)
    if not transposed:
        _check_kind(input, weight, stride, padding, dilation, transposed)


@lru_cache(maxsize=128)
def _fits(kind: Any, input: Sizes, weight: Sizes, bias: Sizes | None, *options: Any) -> None:
    """`_check` for arrays of one dtype and these shapes, which are the same at each step of a training."""
    x, w, b = (None if shape is None else np.broadcast_to(np.empty((), kind), shape) for shape in (input, weight, bias))
    _check(x, w, b, *options)


def _no_kernel(sizes: list[int]) -> Exception:
    """The error for a kernel without elements."""
    return RuntimeError(
        "kernel size should be greater than zero, but got"
        + (f" kernel_height: {sizes[0]} kernel_width: {sizes[1]}" if len(sizes) == 2 else "")
        + (f": {' x '.join(map(str, sizes))} (TxHxW)" if len(sizes) == 3 else "")
    )


def _check_dtypes(
    input: Array,
    weight: Array,
    bias: Any,
    stride: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> None:
    """What the kernel that PyTorch would take says of other dtypes; MKLDNN is not given large output paddings."""
    if input.dtype == weight.dtype and (bias is None or bias.dtype == input.dtype):
        return
    by_mkldnn = takes_mkldnn(input, weight, stride, dilation, groups)
    if transposed and any(extra >= step for extra, step in zip(output_padding, stride, strict=True)):
        by_mkldnn = False
    check_types(input, weight, by_mkldnn)
    if bias is not None and (by_mkldnn or (transposed and input.ndim == 5)):
        check_types(input, bias, by_mkldnn, "bias")
    if bias is not None:
        check_cast(bias.dtype, input.dtype)


def _opened(
    sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes
) -> Sizes:
    """The sizes of a transposed convolution's output."""
    return tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, k, s, p, d, o in zip(sizes, kernel, stride, padding, dilation, output_padding, strict=True)
    )


def _cropped(F: Any, r: Any, shape: tuple[int, ...]) -> Any:
    """output_padding can make room for windows that no input element has."""
    if tuple(r.shape) == tuple(shape):
        return r
    for d in range(2, len(shape)):
        if r.shape[d] > shape[d]:
            r = F.slice(r, d, 0, shape[d], 1)
    return F.contiguous(r)


def _grad_input(
    F: Any,
    grad: Any,
    weight: Any,
    input_shape: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    groups: int,
) -> Any:
    weight = F.conj(weight)
    if transposed:
        return _cropped(F, F._conv(grad, weight, stride, padding, dilation, groups), input_shape)
    return F._conv_by_input(grad, weight, tuple(input_shape[2:]), stride, padding, dilation, groups)


def _grad_weight(
    F: Any,
    grad: Any,
    input: Any,
    weight_shape: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    groups: int,
) -> Any:
    kernel = tuple(weight_shape[2:])
    input = F.conj(input)
    if transposed:
        return F._conv_by_weight(input, grad, kernel, stride, padding, dilation, groups)
    return F._conv_by_weight(grad, input, kernel, stride, padding, dilation, groups)


#: words for what a convolution gives to its input and its weight, and a transposed one
_SPREAD = "g of each window times {weight}, added where windows overlap", "各窗口的 g 乘以 {weight}，重叠处相加"
_GATHERED = "each window of g times {weight}, summed", "g 的每个窗口与 {weight} 之积的和"
_BY_WINDOWS = "each window of {input} times its g, summed", "{input} 的每个窗口与其 g 之积的和"
_BY_ELEMENTS = "each element of {input} times its window of g, summed", "{input} 的每个元素与其 g 窗口之积的和"


def _conv_vjp(
    F: Any,
    grad: Any,
    input: Any,
    weight: Any,
    bias_shape: tuple[int, ...] | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    output_padding: tuple[int, ...],
    groups: int,
    needs: Any,
) -> Any:
    if F is TENSORS:
        return F.convolution_backward(
            grad, input, weight, bias_shape, stride, padding, dilation, transposed, output_padding, groups, needs
        )
    if not input.shape[1]:  # of no channels PyTorch makes none
        return [input * 0, weight * 0, F.sum(weight, tuple(range(1, weight.ndim)), False)]
    options = (stride, padding, dilation, transposed, groups)
    found = [
        _grad_input(F, grad, weight, tuple(input.shape), *options) if needs[0] else None,
        _grad_weight(F, grad, input, tuple(weight.shape), *options) if needs[1] else None,
        F.sum(grad, (0, *range(2, grad.ndim)), False) if needs[2] else None,
    ]
    if F is RAW and _channels_last(input, weight, groups):
        found[:2] = [None if g is None else with_channels_last(g) for g in found[:2]]
    return found


def _channels_last(input: np.ndarray, weight: np.ndarray, groups: int) -> bool:
    """Whether results have the channels last: in PyTorch all of planes, of volumes those that oneDNN computes."""
    if not (channels_last(input) or channels_last(weight)):
        return False
    if input.ndim == 4:
        return True
    large = input.shape[0] > 1 or min(weight.shape[-2:]) > 3 or math.prod(input.shape[:4]) > 20480
    return input.dtype == np.float32 and (groups > 1 or large)


def _conv_twice(
    F: Any,
    grads: list[Any],
    grad_output: Any,
    input: Any,
    weight: Any,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    output_padding: tuple[int, ...],
    groups: int,
) -> list[Any]:
    by_input, by_weight, by_bias = grads
    if not input.shape[1]:
        return [grad_output * 0, input * 0, weight * 0]
    options = (stride, padding, dilation, transposed, groups)

    def conv(x: Any, w: Any) -> Any:
        return F.convolution(x, w, None, stride, padding, dilation, transposed, output_padding, groups)

    parts = [] if by_input is None else [conv(by_input, weight)]
    if by_weight is not None:
        parts.append(conv(input, by_weight))
    if by_bias is not None:
        parts.append(by_bias.reshape(-1, *(1,) * (input.ndim - 2)) + grad_output * 0.0)
    by_grad = parts[0] if parts else None
    for part in parts[1:]:
        by_grad = by_grad + part
    return [
        by_grad,
        None if by_weight is None else _grad_input(F, grad_output, by_weight, tuple(input.shape), *options),
        None if by_input is None else _grad_weight(F, grad_output, by_input, tuple(weight.shape), *options),
    ]


@op(
    """
    convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation,
        bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor|input
    """,
    method=False,
    vjp={
        "input weight bias": says(
            lambda transposed: _GATHERED if transposed else _SPREAD,
            lambda transposed: _BY_ELEMENTS if transposed else _BY_WINDOWS,
            ("g, summed in each channel", "g 在各通道上的和"),
        )(_conv_vjp),
    },
    shown={"bias_shape": "bias_sym_sizes_opt", "input": "input"},
    together=lambda run, args, levels, lanes: batched(args[1].ndim, 0)(run, args, levels, lanes),
)
def convolution(
    input: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    output_padding: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    """All convolutions in one: of any number of dimensions, transposed or not.

    Shapes: input (N, C, …), weight (out, C / groups, …); transposed: (C, out / groups, …).

    >>> x = torch.tensor([[[1., 2., 4.]]])
    >>> torch.convolution(x, torch.tensor([[[-1., 1.]]]), None, (1,), (0,), (1,), False, (0,), 1)
    tensor([[[1., 2.]]])
    """
    stride, padding, dilation, output_padding = tuple(stride), tuple(padding), tuple(dilation), tuple(output_padding)
    options = stride, padding, dilation, transposed, output_padding, groups
    if input.dtype == weight.dtype and (bias is None or bias.dtype == input.dtype):
        _fits(input.dtype, input.shape, weight.shape, None if bias is None else bias.shape, *options)
    else:  # what PyTorch then says depends on the number of threads too
        _check(input, weight, bias, *options)
    return _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def _check_kind(input: Array, weight: Array, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool) -> None:
    """Refuse a dtype in the name of the kernel that PyTorch would take."""
    nd = max(input.ndim - 2, 2)
    pointwise = {*weight.shape[2:], *stride} == {1} and not any(padding)
    if transposed:
        refuse(input, f"slow_conv_transpose{nd}d_out_cpu", BOOL + SHORT)
    elif any(d != 1 for d in dilation):
        refuse(input, "slow_conv_dilated<>", BOOL + SHORT)
    else:
        refuse(
            input,
            "slow_conv2d_cpu" if nd == 2 else "slow_conv3d_cpu" if pointwise else "compute_columns3d",
            BOOL,
        )


@typed("convolution", "")
def _convolution(
    input: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> np.ndarray:
    if not input.size and all(input.shape[:2]):
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {list(input.shape)}"
        )
    if not input.shape[1]:
        sizes = out_sizes(input.shape[2:], weight.shape[2:], stride, padding, dilation)
        return np.zeros((input.shape[0], 0, *sizes), input.dtype)
    if transposed:
        sizes = _opened(input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding)
        if min(sizes) < 1 and input.shape[0]:
            given, found = [" x ".join(map(str, (1, *v) if len(v) == 1 else v)) for v in (input.shape[2:], sizes)]
            raise RuntimeError(
                f"Given input size per channel: ({given}). Calculated output size per channel: ({found}). Output size "
                "is too small"
            )
        r = adjoint_input(input, weight, sizes, stride, padding, dilation, groups)
        if r.base is not None and r.base.size != r.size:  # cut out of what the padding covers too
            r = np.array(r, order="C")
    else:
        r = convolve(input, weight, stride, padding, dilation, groups)
    if bias is not None:
        r += bias.reshape(-1, *(1,) * (r.ndim - 2))
    if r.dtype != input.dtype:
        r = r.astype(input.dtype)
    return with_channels_last(r) if _channels_last(input, weight, groups) else r


_SECOND = "ConvolutionBackwardBackward0"


def _gradients_together(run: Any, args: Any, levels: Sizes, lanes: Sizes) -> Any:
    """The gradients of many rows: their samples are taken together for the input, and their channels for the weight, of
    which each row has its own group."""
    grad, input, weight, _, stride, padding, dilation, transposed, _, groups, *_ = args
    if isinstance(weight, Rows) or not (grad.ndim == input.ndim == weight.ndim and input.shape[1]):
        return None
    g, x = (folded(a, levels, lanes) for a in (grad, input))
    n, rows = grad.shape[0], math.prod(lanes)
    kernels = rows * weight.shape[0], *weight.shape[1:]
    options = stride, padding, dilation, transposed

    def kernel() -> tuple[Array, ...]:
        by_input = _grad_input(RAW, g, weight, x.shape, *options, groups)
        beside = [a.reshape(rows, n, *a.shape[1:]).swapaxes(0, 1).reshape(n, -1, *a.shape[2:]) for a in (g, x)]
        by_weight = _grad_weight(RAW, beside[0], beside[1], kernels, *options, groups * rows)
        by_bias = np.add.reduce(g.reshape(rows, n, g.shape[1], -1), (1, 3), g.dtype)
        return by_input, by_weight, by_bias

    by_input, by_weight, by_bias = quiet(kernel)
    return (
        unfolded(by_input, levels, lanes),
        unfolded(by_weight, levels, lanes),
        unfolded(by_bias, levels, lanes, False),
    )


@op(
    "convolution_backward",
    "grad_output input weight",
    node=_SECOND,
    outputs=("grad_input", "grad_weight", "grad_bias"),
    vjp={
        "grad_output input weight": lambda F, grads, grad_output, input, weight, stride, padding, dilation, transposed, output_padding, groups: (  # noqa: E501 its parameters name what is saved
            _conv_twice(
                F, grads, grad_output, input, weight, stride, padding, dilation, transposed, output_padding, groups
            )
        ),
    },
    shown={"input": "input"},
    operator=Operator(
        "(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, "
        "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, "
        "bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
        more={"bias_sizes": lambda v: v["bias_sizes"] or [0]},
    ),
    together=_gradients_together,
)
def convolution_backward(
    grad_output: np.ndarray,
    input: np.ndarray,
    weight: np.ndarray,
    bias_sizes: tuple[int, ...] | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    output_padding: tuple[int, ...],
    groups: int,
    output_mask: Any = (True, True, True),
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(
        _conv_vjp(
            RAW,
            grad_output,
            input,
            weight,
            bias_sizes,
            stride,
            padding,
            dilation,
            transposed,
            output_padding,
            groups,
            (True,) * 3,
        )
    )


@op(
    "_conv",
    "input weight",
    node=_SECOND,
    vjp={
        "input": lambda F, grad, input_shape, weight, stride, padding, dilation, groups: F._conv_by_input(
            grad, F.conj(weight), tuple(input_shape[2:]), stride, padding, dilation, groups
        ),
        "weight": lambda F, grad, input, weight_shape, stride, padding, dilation, groups: F._conv_by_weight(
            grad, F.conj(input), tuple(weight_shape[2:]), stride, padding, dilation, groups
        ),
    },
)
@typed("convolution", "")
def _conv(
    input: Any,
    weight: np.ndarray,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    return convolve(input, weight, stride, padding, dilation, groups)


@op(
    "_conv_by_input",
    "grad_output weight",
    node=_SECOND,
    vjp={
        "grad_output": lambda F, grad, weight, stride, padding, dilation, groups: F._conv(
            grad, F.conj(weight), stride, padding, dilation, groups
        ),
        "weight": lambda F, grad, grad_output, weight_shape, stride, padding, dilation, groups: F._conv_by_weight(
            F.conj(grad_output), grad, tuple(weight_shape[2:]), stride, padding, dilation, groups
        ),
    },
)
@typed("convolution", "")
def _conv_by_input(
    grad_output: Any,
    weight: np.ndarray,
    sizes: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    return adjoint_input(grad_output, weight, sizes, stride, padding, dilation, groups)


@op(
    "_conv_by_weight",
    "grad_output input",
    node=_SECOND,
    vjp={
        "grad_output": lambda F, grad, input, grad_output_shape, stride, padding, dilation, groups: _cropped(
            F, F._conv(F.conj(input), grad, stride, padding, dilation, groups), tuple(grad_output_shape)
        ),
        "input": lambda F, grad, grad_output, input_shape, stride, padding, dilation, groups: F._conv_by_input(
            F.conj(grad_output), grad, tuple(input_shape[2:]), stride, padding, dilation, groups
        ),
    },
)
@typed("convolution", "")
def _conv_by_weight(
    grad_output: Any,
    input: Any,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    return contiguous(adjoint_weight(grad_output, input, kernel, stride, padding, dilation, groups))


# -- unfold and fold ---------------------------------------------------------------------------------------------------


def _pair(sizes: Any) -> tuple[int, int]:
    height, width = map(int, sizes)
    return height, width


def _check_pairs(**sizes: tuple[int, ...]) -> None:
    for name, values in sizes.items():
        if len(values) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(values)}")


def _check_windows(kernel: Any, dilation: Any, padding: Any, stride: Any) -> None:
    """Refuse windows that have no size, no step or less than no border."""
    for sizes, what, name, least in (
        (kernel, "kernel size", "kernel", 1),
        (dilation, "dilation", "dilation", 1),
        (padding, "padding", "pad", 0),
        (stride, "stride", "stride", 1),
    ):
        if min(sizes) < least:
            ask = "greater than zero" if least else "non-negative"
            height, width = _pair(sizes)
            raise RuntimeError(f"{what} should be {ask}, but got {name}_height: {height} {name}_width: {width}")


def _blocks(size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[int, int]:
    """How many windows there are down and across."""
    counts = [
        int((n + 2 * p - d * (k - 1) - 1) / s) + 1
        for n, k, d, p, s in zip(size, kernel, dilation, padding, stride, strict=True)
    ]
    return counts[0], counts[1]


@op(
    "im2col",
    node="Im2ColBackward0",
    vjp={
        "input": lambda F, grad, input_shape, kernel_size, dilation, padding, stride: F.col2im(
            grad, tuple(input_shape[-2:]), kernel_size, dilation, padding, stride
        ),
    },
    shown={"input_shape": ""},
    constants=sizes_of("input_shape", -2, -1),
    inner_writes=1,
)
@typed("im2col_out_cpu", "iu")
def im2col(
    input: Any,
    kernel_size: tuple[int, ...],
    dilation: tuple[int, ...],
    padding: tuple[int, ...],
    stride: tuple[int, ...],
) -> np.ndarray:
    """All windows of (N, C, H, W) as columns: (N, C * kernel, windows)."""
    _check_pairs(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    _check_windows(kernel_size, dilation, padding, stride)
    size = input.shape
    if input.ndim not in (3, 4) or 0 in size[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(size)}"
        )
    blocks = _blocks(size[-2:], kernel_size, dilation, padding, stride)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_pair(size[-2:])}, kernel_size={_pair(kernel_size)}, "
            f"dilation={_pair(dilation)}, padding={_pair(padding)}, calculated shape of the array of sliding blocks as "
            f"{blocks}, but its components must be at least one."
        )
    x = input if input.ndim == 4 else input[None]
    cols = columns(x, kernel_size, stride, padding, dilation)
    return cols if input.ndim == 4 else cols[0]


@op(
    "col2im",
    node="Col2ImBackward0",
    vjp={
        "input": lambda F, grad, kernel_size, dilation, padding, stride: F.im2col(
            grad, kernel_size, dilation, padding, stride
        ),
    },
)
@typed("col2im_out_cpu", "iu")
def col2im(
    input: Any,
    output_size: tuple[int, ...],
    kernel_size: tuple[int, ...],
    dilation: tuple[int, ...],
    padding: tuple[int, ...],
    stride: tuple[int, ...],
) -> np.ndarray:
    """Columns added up where their windows lie: the adjoint of im2col."""
    _check_pairs(output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    _check_windows(kernel_size, dilation, padding, stride)
    size = input.shape
    if input.ndim not in (2, 3) or 0 in size[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(size)}"
        )
    if size[-2] % (kernel_size[0] * kernel_size[1]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={size[-2]} and kernel_size={_pair(kernel_size)}."
        )
    rows, cols = _blocks(output_size, kernel_size, dilation, padding, stride)
    if size[-1] == rows * cols and min(rows, cols) < 1:
        raise RuntimeError(
            f"Given output_size={_pair(output_size)}, kernel_size={_pair(kernel_size)}, dilation={_pair(dilation)}, "
            f"padding={_pair(padding)}, stride={_pair(stride)}, calculated shape of the array of sliding blocks as "
            f"{_pair((rows, cols))}, which is too small (non-positive)"
        )
    if size[-1] != rows * cols:
        raise RuntimeError(
            f"Given output_size={_pair(output_size)}, kernel_size={_pair(kernel_size)}, dilation={_pair(dilation)}, "
            f"padding={_pair(padding)}, stride={_pair(stride)}, expected size of input's dimension 2 to match the "
            f"calculated number of sliding blocks {rows} * {cols} = {rows * cols}, but got input.size(2)={size[-1]}."
        )
    if min(output_size) < 1:
        raise RuntimeError(f"Expected output spatial size to be positive, but got: output_size={_pair(output_size)}.")
    x = input if input.ndim == 3 else input[None]
    out = scatter_columns(x, output_size, kernel_size, stride, padding, dilation)
    return out if input.ndim == 3 else out[0]
