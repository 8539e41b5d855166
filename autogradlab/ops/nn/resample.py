"""Resampling to another size, dimension by dimension."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.layout import keeping_channels
from ..first.kinds import INTEGERS, refuse, typed
from ..table.opdef import op
from .pool import along

Array = np.ndarray[Any, Any]


# -- resampling --------------------------------------------------------------------------------------------------------


def _positions(n: int, o: int, align: bool, factor: float | None) -> Array:
    """The position of each output element between the inputs."""
    if align:
        return np.arange(o) * ((n - 1) / (o - 1) if o > 1 else 0.0)
    return (np.arange(o) + 0.5) * (1 / factor if factor else n / o) - 0.5


def _nearest(n: int, o: int, factor: float | None, exact: bool) -> Array:
    step = np.float32(1 / factor if factor else n / o)
    i = np.arange(o, dtype=np.float32)
    found = np.floor((i + np.float32(0.5)) * step if exact else i * step).astype(np.intp)
    return np.minimum(found, n - 1)


def _cubic(t: Array, a: float = -0.75) -> Array:
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0))


#: for each kind of smoothing: how far its curve reaches, and the curve
_CURVES: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "linear-aa": (1, lambda t: np.maximum(1 - np.abs(t), 0)),
    "cubic-aa": (2, lambda t: _cubic(t, -0.5)),
    "lanczos-aa": (3, lambda t: np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0)),
}


def _smoothing(mode: str, n: int, o: int, align: bool, factor: float | None) -> Array:
    """The matrix (o, n) of means over all inputs that an output stands for, weighted by a curve."""
    reach, curve = _CURVES[mode]
    step = (((n - 1) / (o - 1)) if o > 1 else 0.0) if align else 1 / factor if factor else n / o
    wide = max(step, 1.0)
    m = np.zeros((o, n))
    for i in range(o):
        middle = step * (i + 0.5)
        low, high = max(int(middle - reach * wide + 0.5), 0), min(int(middle + reach * wide + 0.5), n)
        weights = curve((np.arange(low, high) - middle + 0.5) / wide)
        m[i, low:high] = weights / weights.sum()
    return m


def matrix(mode: str, n: int, o: int, align: bool, factor: float | None, dtype: Any) -> Array:
    """The matrix (o, n) that resamples n elements to o."""
    if mode in _CURVES:
        return _smoothing(mode, n, o, align, factor).astype(dtype)
    m = np.zeros((o, n), dtype)
    rows = np.arange(o)
    if mode in ("nearest", "nearest-exact"):
        m[rows, _nearest(n, o, factor, mode != "nearest")] = 1
    elif mode == "linear":
        at = np.maximum(_positions(n, o, align, factor), 0)
        low = np.minimum(np.floor(at).astype(np.int64), n - 1)
        share = at - low
        np.add.at(m, (rows, low), 1 - share)
        np.add.at(m, (rows, np.minimum(low + 1, n - 1)), share)
    else:
        at = _positions(n, o, align, factor)
        low = np.floor(at).astype(np.int64)
        for k in range(-1, 3):
            np.add.at(m, (rows, np.clip(low + k, 0, n - 1)), _cubic(at - (low + k)))
    return m


def _refuse_integers(x: Any, name: str) -> None:
    if x.dtype != np.uint8:
        refuse(x, name, "iu")


def _scales(nd: int) -> dict[str, Any]:
    """The factors by PyTorch's names: `scales` of one dimension, `scales_h` and `scales_w` of two."""
    names = ["scales"] if nd == 1 else [f"scales_{d}" for d in "dhw"[-nd:]]
    return {name: lambda node, i=i: node.field("scales")[i] for i, name in enumerate(names)}


def _resampler(declaration: str, node: str, mode: str, nd: int, doc: str = "") -> None:
    name = declare(declaration, doc)

    def check(input: Array, output_size: Any) -> None:
        for sizes in (input.shape[2:], output_size):
            if min(sizes) <= 0:
                shown = [
                    ", ".join(f"{d}: {n}" for d, n in zip("DHW"[-nd:], each, strict=True))
                    for each in (input.shape[2:], output_size)
                ]
                raise RuntimeError(
                    f"Input and output sizes should be greater than 0, but got input ({shown[0]}) "
                    f"{'and ' if nd == 1 else ''}output ({shown[1]})"
                )

    def matrices(sizes: Any, output_size: Any, align: bool, scales: Any, dtype: Any) -> list[Array]:
        factors = scales if isinstance(scales, (tuple, list)) else (scales,)  # of lines it is one
        return [matrix(mode, n, o, align, s, dtype) for n, o, s in zip(sizes, output_size, factors, strict=True)]

    if mode.startswith("nearest"):

        @typed("compute_indices_weights_nearest", "bc")
        def kernel(input: np.ndarray, output_size: tuple[int, ...], align_corners: bool, scales: Any) -> np.ndarray:
            check(input, output_size)
            _refuse_integers(input, "compute_indices_weights_nearest")
            out = input
            for i, (o, s) in enumerate(zip(output_size, scales, strict=True)):
                out = np.take(out, _nearest(input.shape[2 + i], o, s, mode != "nearest"), axis=2 + i)
            return np.ascontiguousarray(out)

    else:
        missing = (
            "upsample_bilinear2d_channels_last" if name == "upsample_bilinear2d" else f"compute_indices_weights_{mode}"
        )

        @typed(missing, "bc")
        def kernel(input: np.ndarray, output_size: tuple[int, ...], align_corners: bool, scales: Any) -> np.ndarray:
            check(input, output_size)
            if input.dtype == np.uint8 and nd == 2:
                found = along(
                    input.astype(np.float32), matrices(input.shape[2:], output_size, align_corners, scales, np.float32)
                )
                return np.clip(np.floor(found + 0.5), 0, 255).astype(np.uint8)
            refuse(input, missing, INTEGERS)
            return along(input, matrices(input.shape[2:], output_size, align_corners, scales, input.dtype))

    @typed(name, "")
    def kernel_backward(
        input: Any, shape: tuple[int, ...], output_size: tuple[int, ...], align_corners: bool, scales: Any
    ) -> np.ndarray:
        return along(input, [m.T for m in matrices(shape[2:], output_size, align_corners, scales, input.dtype)])

    op(
        name,
        method=False,
        function=False,
        node=node,
        vjp={
            "input": lambda F, grad, input_shape, output_size, align_corners, scales: getattr(F, name + "_backward")(
                grad, tuple(input_shape), output_size, align_corners, scales
            ),
        },
        shown={"scales": "", **({"align_corners": ""} if "bool align_corners" not in declaration else {})},
        constants=_scales(nd),
    )(keeping_channels(kernel))
    op(
        name + "_backward",
        method=False,
        function=False,
        node=node.removesuffix("0") + "Backward0",
        vjp={
            "input": lambda F, grad, output_size, align_corners, scales: getattr(F, name)(
                grad, output_size, align_corners, scales
            ),
        },
    )(kernel_backward)


_resampler(
    """
    nn.upsample_nearest1d(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
    nn.upsample_nearest1d(Tensor input, SymInt[1] output_size, float? scales=None, *, Tensor out=None) -> Tensor
    """,
    "UpsampleNearest1DBackward0",
    "nearest",
    1,
)
_resampler(
    """
    nn.upsample_nearest2d(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
    nn.upsample_nearest2d(Tensor input, SymInt[2] output_size, float? scales_h=None, float? scales_w=None, *,
        Tensor out=None) -> Tensor
    """,
    "UpsampleNearest2DBackward0",
    "nearest",
    2,
)
_resampler(
    "upsample_nearest3d",
    "UpsampleNearest3DBackward0",
    "nearest",
    3,
)
_resampler(
    "upsample_nearest_exact1d",
    "UpsampleNearestExact1DBackward0",
    "nearest-exact",
    1,
)
_resampler(
    "upsample_nearest_exact2d",
    "UpsampleNearestExact2DBackward0",
    "nearest-exact",
    2,
)
_resampler(
    "upsample_nearest_exact3d",
    "UpsampleNearestExact3DBackward0",
    "nearest-exact",
    3,
)
_resampler(
    """
    nn.upsample_linear1d(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
    nn.upsample_linear1d(Tensor input, SymInt[1] output_size, bool align_corners, float? scales=None, *,
        Tensor out=None) -> Tensor
    """,
    "UpsampleLinear1DBackward0",
    "linear",
    1,
)
_resampler(
    """
    nn.upsample_bilinear2d(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
    nn.upsample_bilinear2d(Tensor input, SymInt[2] output_size, bool align_corners, float? scales_h=None,
        float? scales_w=None, *, Tensor out=None) -> Tensor
    """,
    "UpsampleBilinear2DBackward0",
    "linear",
    2,
)
_resampler("upsample_trilinear3d", "UpsampleTrilinear3DBackward0", "linear", 3)
_resampler(
    """
    nn.upsample_bicubic2d(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
    nn.upsample_bicubic2d(Tensor input, SymInt[2] output_size, bool align_corners, float? scales_h=None,
        float? scales_w=None, *, Tensor out=None) -> Tensor
    """,
    "UpsampleBicubic2DBackward0",
    "cubic",
    2,
)
_resampler(
    """
    nn._upsample_bilinear2d_aa(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors)
        -> Tensor
    nn._upsample_bilinear2d_aa(Tensor input, SymInt[2] output_size, bool align_corners, float? scales_h=None,
        float? scales_w=None, *, Tensor out=None) -> Tensor
    """,
    "UpsampleBilinear2DAaBackward0",
    "linear-aa",
    2,
)
_resampler(
    """
    nn._upsample_bicubic2d_aa(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors)
        -> Tensor
    nn._upsample_bicubic2d_aa(Tensor input, SymInt[2] output_size, bool align_corners, float? scales_h=None,
        float? scales_w=None, *, Tensor out=None) -> Tensor
    """,
    "UpsampleBicubic2DAaBackward0",
    "cubic-aa",
    2,
)
_resampler(
    """
    nn._upsample_lanczos2d_aa(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors)
        -> Tensor
    nn._upsample_lanczos2d_aa(Tensor input, SymInt[2] output_size, bool align_corners, float? scales_h=None,
        float? scales_w=None, *, Tensor out=None) -> Tensor
    """,
    "UpsampleLanczos2DAaBackward0",
    "lanczos-aa",
    2,
)


def scaled_size(n: int, factor: float) -> int:
    """The size after multiplication with a scale factor."""
    return math.floor(float(n) * factor)
