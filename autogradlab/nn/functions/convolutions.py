"""Convolutions, padding, unfolding and resampling as functions."""

from __future__ import annotations

import warnings
from typing import Any

from ...core.recording.record import TENSORS
from ...core.runtime import errors
from ...core.runtime.warn import warn_once
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...ops.nn import resample as _resample
from ...ops.nn.conv_types import check_bias
from ...ops.table.arguments import reject
from ...ops.table.asking import unseen
from ...ops.table.creation import bind
from ...ops.table.publishing import inner, reading

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "fold",
    "interpolate",
    "pad",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]


@reading("conv_tbc")
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """A convolution along time of sequences that are laid out as (time, batch, channels).

    Shapes: (n, batch, channels), a weight of (steps, channels, out) and a bias of (out,) give
        (n + 2 pad - steps + 1, batch, out).
    Dtypes: any but bool.

    Example:
        >>> import autogradlab as torch
        >>> import autogradlab.nn.functional as F
        >>> F.conv_tbc(torch.ones(3, 1, 2), torch.ones(2, 2, 1), torch.zeros(1)).shape
        torch.Size([2, 1, 1])

    Mirrors `torch.nn.functional.conv_tbc`.
    """
    found: Tensor = TENSORS.conv_tbc(input, weight, bias, pad)
    return found


def expanded(value: Any, n: int, name: str) -> tuple[int, ...]:
    """A number for every dimension, or a sequence of n numbers."""
    if type(value) is tuple and len(value) == n:
        for v in value:
            if type(v) is not int:
                break
        else:
            return value
    if isinstance(value, (tuple, list)):
        if len(value) == 1:
            return tuple(value) * n
        if len(value) != n:
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {n} values to match the convolution "
                f"dimensions, but got {name}={list(value)}"
            )
        return tuple(int(v) for v in value)
    return (int(value),) * n


def _batched(input: Tensor, n: int, name: str) -> tuple[Tensor, bool]:
    if not isinstance(input, Tensor):
        reject(name, (input,), {})
    if input.ndim == n + 2:
        return input, True
    if input.ndim == n + 1:
        return TENSORS.unsqueeze(input, 0), False
    raise RuntimeError(
        f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
        f"{list(input.shape)}"
    )


def _misfit(weight: Tensor, x: Tensor, stride: Any, n: int) -> None:
    """PyTorch's errors for a weight of another number of dimensions; without `stride` the input is what is counted
    first."""
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if stride is None:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight{list(weight.shape)}, but "
            f"got {x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    expanded(expanded(stride, n, "stride") if n > 1 else [stride] * 2, weight.ndim - 2, "stride")


def _convolved(x: Tensor, weight: Tensor, bias: Any, *options: Any) -> Any:
    """The operation itself; of complex numbers three of them on real ones, as in PyTorch."""
    given = [x, weight] if bias is None else [x, weight, bias]
    if not all(t.dtype.is_complex for t in given):
        return TENSORS.convolution(x, weight, bias, *options)
    return _of_real(given, options)


@instead(unseen)
def _of_real(given: list[Any], options: tuple[Any, ...]) -> Any:
    lines = [TENSORS.view_as_real(TENSORS.resolve_conj(t)) for t in given]
    real, imag = ([TENSORS.select(t, -1, part) for t in lines] for part in (0, 1))
    none = [None] * (3 - len(given))
    a = TENSORS.convolution(*real, *none, *options)
    b = TENSORS.convolution(*imag[:2], None, *options)
    c = TENSORS.convolution(*(r + i for r, i in zip(real, imag, strict=True)), *none, *options)
    return a - b + (c - a - b) * 1j


def _conv(
    n: int, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    name = f"conv{n}d"
    check_bias(input._array, None if bias is None else bias._array)
    x, batched = _batched(input, n, name)
    if weight.ndim != n + 2:
        _misfit(weight, x, stride if padding != "same" else None, n)
    stride, dilation = expanded(stride, n, "stride"), expanded(dilation, n, "dilation")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        if padding == "same":
            if any(s != 1 for s in stride):
                raise RuntimeError("padding='same' is not supported for strided convolutions")
            totals = [d * (k - 1) for d, k in zip(dilation, weight._array.shape[2:], strict=True)]
            if any(t % 2 for t in totals):
                warn_once(
                    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy "
                    "of the input be created",
                    at="aten/src/ATen/native/Convolution.cpp:1101",
                )
                extra = [v for t in reversed(totals) for v in (0, t % 2)]
                x = TENSORS.constant_pad_nd(x, extra, 0.0)
            padding = tuple(t // 2 for t in totals)
        else:
            padding = 0
    out = _convolved(x, weight, bias, stride, expanded(padding, n, "padding"), dilation, False, (0,) * n, groups)
    return out if batched else TENSORS.squeeze(out, 0)


@reading(
    """
    conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0,
        SymInt[1] dilation=1, SymInt groups=1) -> Tensor|lower_precision|input|uint_slow_conv2d_cpu
    conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, str padding="valid",
        SymInt[1] dilation=1, SymInt groups=1) -> Tensor|.padding|input|uint_slow_conv2d_cpu
    """
)
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Sliding dot products with small kernels (cross-correlation, which networks call convolution).

    Shapes: input (N, C, L) or (C, L), weight (out, C / groups, k), bias (out,) give (N, out, L').
    Dtypes: float, all the same.
    Note: padding may be 'same' or 'valid' too; groups divides the channels into as many separate
        convolutions.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([[[1., 2., 4., 7.]]])
        >>> F.conv1d(x, torch.tensor([[[-1., 1.]]]))
        tensor([[[1., 2., 3.]]])

    Mirrors `torch.nn.functional.conv1d`.
    """
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


@reading(
    """
    conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0,
        SymInt[2] dilation=1, SymInt groups=1) -> Tensor|lower_precision|input|uint_slow_conv2d_cpu
    conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str padding="valid",
        SymInt[2] dilation=1, SymInt groups=1) -> Tensor|.padding|input
    """
)
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Sliding dot products of images with small kernels.

    Shapes: input (N, C, H, W) or (C, H, W), weight (out, C / groups, kH, kW), bias (out,) give (N, out, H',
        W') with H' = (H + 2 padding - dilation (kH - 1) - 1) // stride + 1.
    Dtypes: float, all the same.
    Note: padding may be 'same' or 'valid' too; groups divides the channels into as many separate
        convolutions.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.arange(9.).reshape(1, 1, 3, 3)
        >>> F.conv2d(x, torch.ones(1, 1, 2, 2))
        tensor([[[[ 8., 12.],
                  [20., 24.]]]])
        >>> F.conv2d(x, torch.ones(1, 1, 3, 3), padding=1).shape
        torch.Size([1, 1, 3, 3])

    Mirrors `torch.nn.functional.conv2d`.
    """
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


@reading(
    """
    conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0,
        SymInt[3] dilation=1, SymInt groups=1) -> Tensor|lower_precision|input|uint_compute_columns3d
    conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, str padding="valid",
        SymInt[3] dilation=1, SymInt groups=1) -> Tensor|.padding|input|uint_compute_columns3d
    """
)
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Sliding dot products of volumes with small kernels.

    Shapes: input (N, C, D, H, W), weight (out, C / groups, kD, kH, kW), bias (out,).
    Dtypes: float, all the same.
    Note: padding may be 'same' or 'valid' too; groups divides the channels into as many separate
        convolutions.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.conv3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2))
        tensor([[[[[8.]]]]])

    Mirrors `torch.nn.functional.conv3d`.
    """
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def _transposed(
    n: int,
    input: Tensor,
    weight: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Tensor:
    x, batched = _batched(input, n, f"conv_transpose{n}d")
    if weight.ndim != n + 2:
        _misfit(weight, x, stride, n)
    options = [expanded(v, n, k) for v, k in ((stride, "stride"), (padding, "padding"), (dilation, "dilation"))]
    more = expanded(output_padding, n, "output_padding")
    if any(o >= s and o >= d for o, s, d in zip(more, options[0], options[2], strict=True)):
        lengths = {"output_padding": (more, 0), "stride": (options[0], 1), "dilation": (options[2], 1)}
        shown = [
            f"{name}_{side}: {size}"
            for name, (sizes, flat) in lengths.items()  # one dimension is computed as two, the first of them flat
            for side, size in zip(("depth", "height", "width")[-max(n, 2) :], (flat,) * (n == 1) + sizes, strict=True)
        ]
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(shown)}")
    out = _convolved(x, weight, bias, *options, True, more, groups)
    return out if batched else TENSORS.squeeze(out, 0)


@reading(
    """
    conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0,
        SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> Tensor|lower_precision|input
    """
)
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The transpose of conv1d, which is what its backward does to gradients; used to make signals longer.

    Shapes: input (N, C, L), weight (C, out / groups, k) give (N, out, (L - 1) stride - 2 padding + dilation
        (k - 1) + output_padding + 1).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.conv_transpose1d(torch.tensor([[[1., 2.]]]), torch.tensor([[[1., 10.]]]))
        tensor([[[ 1., 12., 20.]]])

    Mirrors `torch.nn.functional.conv_transpose1d`.
    """
    return _transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@reading(
    """
    conv_transpose2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0,
        SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor|lower_precision|.input|input
    """
)
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The transpose of conv2d: used to make images larger.

    Shapes: input (N, C, H, W), weight (C, out / groups, kH, kW).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.conv_transpose2d(torch.tensor([[[[1., 2.]]]]), torch.ones(1, 1, 2, 2), stride=2)
        tensor([[[[1., 1., 2., 2.],
                  [1., 1., 2., 2.]]]])

    Mirrors `torch.nn.functional.conv_transpose2d`.
    """
    return _transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


@reading(
    """
    conv_transpose3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0,
        SymInt[3] output_padding=0, SymInt groups=1, SymInt[3] dilation=1) -> Tensor|lower_precision|.input|input
    """
)
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The transpose of conv3d.

    Shapes: input (N, C, D, H, W), weight (C, out / groups, kD, kH, kW).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.conv_transpose3d(torch.ones(1, 1, 1, 1, 1), torch.ones(1, 1, 1, 1, 2))
        tensor([[[[[1., 1.]]]]])

    Mirrors `torch.nn.functional.conv_transpose3d`.
    """
    return _transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _two(value: Any) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """All blocks of an image as columns, one for each position of the kernel.

    Shapes: (N, C, H, W) gives (N, C kH kW, number of blocks).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.unfold(torch.arange(9.).reshape(1, 1, 3, 3), 2)
        tensor([[[0., 1., 3., 4.],
                 [1., 2., 4., 5.],
                 [3., 4., 6., 7.],
                 [4., 5., 7., 8.]]])

    Mirrors `torch.nn.functional.unfold`.
    """
    given = _two(kernel_size), _two(dilation), _two(padding), _two(stride)
    _im2col(input, *given)
    x = input._array
    if len(given[0]) == 2 and input.size(1):  # PyTorch asks for sizes before it counts the dimensions
        input.size(2)
    if len(given[0]) == 2 and (x.ndim not in (3, 4) or 0 in x.shape[x.ndim - 3 :]):
        raise RuntimeError(errors.NO_ROOM.format("3D or 4D", list(x.shape)))
    return TENSORS.im2col(input, *given)


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Columns put back as blocks of an image; where blocks overlap, their elements are added.

    Shapes: (N, C kH kW, number of blocks) gives (N, C, *output_size).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.fold(torch.ones(1, 4, 4), (3, 3), 2)
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])

    Mirrors `torch.nn.functional.fold`.
    """
    given = _two(output_size), _two(kernel_size), _two(dilation), _two(padding), _two(stride)
    _col2im(input, *given)
    return TENSORS.col2im(input, *given)


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """input padded before and after the last dimension, the second to last, …: with a value, or by mode 'reflect',
    'replicate' or 'circular'.

    Shapes: each size grows by its two pads; negative pads cut off.
    Dtypes: any.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.pad(torch.tensor([1, 2, 3]), (1, 2))
        tensor([0, 1, 2, 3, 0, 0])
        >>> F.pad(torch.tensor([[1., 2., 3.]]), (2, 2), mode='reflect')
        tensor([[3., 2., 1., 2., 3., 2., 1.]])

    Mirrors `torch.nn.functional.pad`.
    """
    _pad(input, pad, mode, value)
    return TENSORS._pad(input, pad, mode, value)


_pad = inner('nn.pad(Tensor input, SymInt[] pad, str mode="constant", float? value=None) -> Tensor')
_im2col = inner(
    """
    nn.im2col(Tensor input, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride, *,
        Tensor out=None) -> Tensor
    """
)
_col2im = inner(
    """
    nn.col2im(Tensor input, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding,
        int[2] stride, *, Tensor out=None) -> Tensor
    """
)


#: by mode: the function in C, the dimensions that it has, and its form with antialiasing
_MODES = {
    "nearest": ("upsample_nearest{}d", (1, 2, 3), ""),
    "nearest-exact": ("_upsample_nearest_exact{}d", (1, 2, 3), ""),
    "linear": ("upsample_linear1d", (1,), ""),
    "bilinear": ("upsample_bilinear2d", (2,), "_upsample_bilinear2d_aa"),
    "trilinear": ("upsample_trilinear3d", (3,), ""),
    "bicubic": ("upsample_bicubic2d", (2,), "_upsample_bicubic2d_aa"),
    "area": ("", (1, 2, 3), ""),
    "lanczos": ("", (2,), "_upsample_lanczos2d_aa"),
}


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, Tensor) and not value.is_floating_point())


def _size_or_factors(input: Tensor, size: Any, scale_factor: Any) -> tuple[Any, Any]:
    """What of the two was given, for each dimension; the other is None."""
    nd, sizes = input.ndim - 2, list(input._array.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is None:
        if not isinstance(scale_factor, (tuple, list)):
            return None, [scale_factor] * nd
        if len(scale_factor) != nd:
            raise ValueError(
                "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {sizes} and scale_factor of shape {scale_factor}. Please provide input tensor "
                "in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
            )
        return None, scale_factor
    if not isinstance(size, (tuple, list)):
        return [size] * nd, None
    if len(size) != nd:
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {sizes} and output size of {size}. Please provide input tensor in (N, C, d1, "
            "d2, ...,dK) format and output size in (o1, o2, ...,oK) format."
        )
    if not all(map(_is_integer, size)):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
            f"with types {[type(x) for x in size]}"
        )
    return size, None


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Images or signals made larger or smaller, to a size or by a factor; mode 'nearest', 'linear',
    'bilinear', ….

    Shapes: (N, C, …) with one to three further dimensions.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
        >>> F.interpolate(torch.tensor([[[0., 4.]]]), size=3, mode='linear', align_corners=True)
        tensor([[[0., 2., 4.]]])

    Mirrors `torch.nn.functional.interpolate`.
    """
    nd = input.dim() - 2
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
                "| trilinear"
            )
    elif align_corners is None:
        align_corners = False
    out, factors = _size_or_factors(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if factors is not None and (recompute_scale_factor or mode == "area"):
        out, factors = [int(n * f) for n, f in zip(input._array.shape[2:], factors, strict=True)], None
    plain, dims, smooth = (_MODES.get(mode) if isinstance(mode, str) else None) or ("", (), "")
    if antialias and not (smooth and nd == 2):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if nd not in dims:
        if dims and mode.endswith("linear") and 1 <= nd <= 3:
            (only,) = dims
            raise NotImplementedError(f"Got {nd + 2}D input, but {mode} mode needs {only + 2}D input")
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: nearest | "
            f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    if mode == "area":
        from . import pooling as _pooling

        return getattr(_pooling, f"adaptive_avg_pool{nd}d")(input, out)
    if mode == "lanczos":
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
    name = smooth if antialias else plain.format(nd)
    _, given = bind(name, (input, out, *([] if align_corners is None else [align_corners]), factors), {}, "nn")
    if given["output_size"] is not None:
        return getattr(TENSORS, name)(input, given["output_size"], bool(align_corners), (None,) * nd)
    scales = tuple(map(float, given["scale_factors"]))
    sizes = tuple(_resample.scaled_size(n, f) for n, f in zip(input._array.shape[2:], scales, strict=True))
    return getattr(TENSORS, name)(input, sizes, bool(align_corners), scales)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """interpolate under its old name.

    Shapes: (N, C, …) with one to three further dimensions.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.upsample(torch.tensor([[[1., 2.]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])

    Mirrors `torch.nn.functional.upsample`.
    """
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """interpolate with mode='nearest'.

    Shapes: (N, C, …) with one to three further dimensions.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.upsample_nearest(torch.tensor([[[1., 2.]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])

    Mirrors `torch.nn.functional.upsample_nearest`.
    """
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2
    )
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """interpolate with mode='bilinear' and align_corners=True.

    Shapes: (N, C, H, W).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.upsample_bilinear(torch.tensor([[[[0., 3.]]]]), size=(1, 4))
        tensor([[[[0., 1., 2., 3.]]]])

    Mirrors `torch.nn.functional.upsample_bilinear`.
    """
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
