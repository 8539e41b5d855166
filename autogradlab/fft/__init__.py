"""Discrete Fourier transforms (mirrors `torch.fft`), with derivatives.

>>> import autogradlab as torch
>>> torch.fft.fft(torch.tensor([1., 0., 0., 0.]))
tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.recording.record import TENSORS as F
from ..core.runtime import errors
from ..core.tensor.tensor import Tensor, wrap
from ..core.tensor.tensor import requires_grad as wants_grad
from ..core.types import dtypes
from ..core.types.dims import wrap_dim, wrap_dims
from ..core.types.dtypes import scalar_name
from ..ops.breadth import fourier as _table
from ..ops.first.kinds import is_half
from ..ops.first.products import written
from ..ops.table.creation import check_out, into
from ..ops.table.outputs import FOUND, refuse_to_record
from ..ops.table.publishing import reading

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_NORMS = {
    None: (_table.NONE, _table.FULL),
    "backward": (_table.NONE, _table.FULL),
    "ortho": (_table.ROOT, _table.ROOT),
    "forward": (_table.FULL, _table.NONE),
}


def _norm(norm: str | None, forward: bool) -> int:
    if norm not in _NORMS:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return _NORMS[norm][0 if forward else 1]


def _floating(x: Tensor) -> Tensor:
    if is_half(x._array):
        raise RuntimeError(f"Unsupported dtype {scalar_name(x._array)}")
    return F.to(x, dtypes.get_default_dtype()) if x._array.dtype.kind in "biu" else x


def _complex(x: Tensor) -> Tensor:
    x = _floating(x)
    return x if x._array.dtype.kind == "c" else F.to(x, dtypes.from_numpy(np.result_type(x._array.dtype, np.complex64)))


def _resized(x: Tensor, dims: tuple[int, ...], sizes: Any) -> Tensor:
    """The input cut, or filled up with zeros, to the sizes of the transform."""
    missing = [0] * (2 * x._array.ndim)
    for d, n in zip(dims, sizes, strict=True):
        if n is None or n == -1:
            continue
        have = x._array.shape[d]
        if n < have:
            x = F.slice(x, d, 0, n)
        missing[-2 * d - 1] = max(n - have, 0)
    return F.constant_pad_nd(x, tuple(missing), 0) if any(missing) else x


def _dims(x: Tensor, s: Any, dim: Any, single: bool = False) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """The dimensions and their sizes, None for as many as there are. single: of a function of one dimension."""
    ndim = x._array.ndim
    s, dim = ((one,) if isinstance(one, int) else one for one in (s, dim))
    if dim is not None and not ndim:
        for d in dim:
            raise IndexError(f"Dimension specified as {d} but tensor has no dimensions")
    if dim is not None:
        dims = tuple(wrap_dim(d, ndim) for d in dim)
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    elif s is not None and len(s) > ndim:
        raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions.")
    else:
        dims = tuple(range(ndim)) if s is None else tuple(range(ndim - len(s), ndim))
    sizes = (None,) * len(dims) if s is None else tuple(s)
    if len(sizes) != len(dims):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    for d, n in zip(dims, sizes, strict=True):
        size = x._array.shape[d] if n is None or (n == -1 and not single) else n
        if size < 1:
            raise RuntimeError(f"Invalid number of data points ({size}) specified")
    return dims, sizes


def _filled(name: str, kernel: str, r: Tensor, out: Tensor) -> Tensor:
    """The out= form: complex results need a complex tensor, real ones a real one. kernel: the operation in whose name
    autograd refuses; without one the result is the conjugate of another, which alone it looks at."""
    kind = r._array.dtype.kind
    if out._array.dtype.kind != kind:
        wanted = "complex" if kind == "c" else "floating point"
        raise RuntimeError(f"{name} expects a {wanted} output tensor, but got {dtypes.scalar_name(out)}")
    if not kernel:
        refuse_to_record("aten::conj_physical", (out,))
        return written(F.detach(r), out, exact=FOUND)
    refuse_to_record(kernel, (r, out))
    return written(wrap(np.ascontiguousarray(r._array)), out)


def _c2c(x: Tensor, s: Any, dim: Any, norm: str | None, forward: bool, out: Any, single: bool = False) -> Tensor:
    if single:
        _floating(x)
    dims, sizes = _dims(x, s, dim, single)
    x = _floating(x)
    mode = _norm(norm, forward)
    kernel = "_fft_c2c"
    if single and x._array.dtype.kind != "c":
        r = F._fft_r2c(_resized(x, dims, sizes), dims, mode, False)
        kernel = "_fft_r2c"
        if not forward:
            r, kernel = F.conj(r), ""
    else:
        r = F._fft_c2c(_resized(_complex(x), dims, sizes), dims, mode, forward)
    return r if out is None else _filled("fft" if single and forward else "ifft" if single else "fftn", kernel, r, out)


#: real transforms of one dimension, which look at the dtype before they look at sizes
_SINGLE = ("rfft", "irfft", "hfft", "ihfft")


def _axes(name: str, x: Tensor, s: Any, dim: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """The dimensions of a real transform: there must be one, since the last one is halved."""
    dims, sizes = _dims(x, s, dim, name in _SINGLE)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return dims, sizes


def _r2c(name: str, x: Tensor, s: Any, dim: Any, norm: str | None, out: Any, forward: bool = True) -> Tensor:
    """Real to half of complex; the inverse of several dimensions halves the last one, then transforms the others."""
    if x._array.dtype.kind == "c":
        kind = dtypes.scalar_name(x)
        if name == "ihfftn":
            _axes(name, x, s, dim)
            raise RuntimeError(f"Only supports floating-point dtypes, but found: {kind}")
        raise RuntimeError(
            f"{name} expects a {'real-valued' if name == 'rfftn' else 'real'} input tensor, but got {kind}"
        )
    if name in _SINGLE:
        _floating(x)
    dims, sizes = _axes(name, x, s, dim)
    mode = _norm(norm, forward)
    x = _resized(_floating(x), dims, sizes)
    r = F._fft_r2c(x, dims if forward else dims[-1:], mode, True)
    one = not forward and len(dims) == 1
    if not forward:
        r = F.conj(r) if one else F._fft_c2c(F.conj_physical(r), dims[:-1], mode, False)
    return r if out is None else _filled(name, "_fft_r2c" if forward else "" if one else "_fft_c2c", r, out)


def _c2r(name: str, x: Tensor, s: Any, dim: Any, norm: str | None, out: Any, forward: bool = False) -> Tensor:
    """Half of complex to real; forward it is the conjugate that is transformed, after the other dimensions."""
    if name in _SINGLE:
        _complex(x)
        if s is None and x._array.ndim and not x._array.shape[wrap_dim(dim, x._array.ndim)]:
            raise RuntimeError("Invalid number of data points (-2) specified")
    dims, sizes = _axes(name, x, s, dim)
    x = _complex(x)
    last = sizes[-1]
    size = 2 * (x._array.shape[dims[-1]] - 1) if last is None or last == -1 else last
    if size < 1:
        raise RuntimeError(f"Invalid number of data points ({size}) specified")
    x = _resized(x, dims, (*sizes[:-1], size // 2 + 1))
    mode = _norm(norm, forward)
    if forward and len(dims) > 1:
        x = F._fft_c2c(x, dims[:-1], mode, True)
    r = F._fft_c2r(F.conj(x), dims[-1:], mode, size) if forward else F._fft_c2r(x, dims, mode, size)
    return r if out is None else _filled(name, "_fft_c2r", r, out)


def _one(n: Any) -> Any:
    return None if n is None else (n,)


@reading("fft_fft(Tensor input, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor out=None) -> Tensor|fp32")
def fft(input: Tensor, n: Any = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Tensor:
    """The discrete Fourier transform along dim: out[k] is the sum of input[j] exp(-2 pi i j k / n).

    Shapes: any with one dimension at least; n, if given, is the size at dim to which input is cut or filled
        with 0.
    Dtypes: float and complex; norm is 'backward' (1/n in the inverse), 'ortho' (1/sqrt(n) in both) or
        'forward'.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.fft(torch.tensor([1., 2., 3., 4.]))
        tensor([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])

    Mirrors `torch.fft.fft`.
    """
    return _c2c(input, _one(n), dim, norm, True, out, True)


@reading("fft_ifft(Tensor input, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor out=None) -> Tensor|fp32")
def ifft(input: Tensor, n: Any = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of fft.

    Shapes: any with one dimension at least; n, if given, is the size at dim to which input is cut or filled
        with 0.
    Dtypes: float and complex; norm is 'backward' (1/n in the inverse), 'ortho' (1/sqrt(n) in both) or
        'forward'.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.ifft(torch.tensor([10., -2 + 2j, -2., -2 - 2j]))
        tensor([1.+0.j, 2.+0.j, 3.+0.j, 4.+0.j])

    Mirrors `torch.fft.ifft`.
    """
    return _c2c(input, _one(n), dim, norm, False, out, True)


@reading("fft_rfft(Tensor input, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor out=None) -> Tensor|fp32")
def rfft(input: Tensor, n: Any = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Tensor:
    """fft of real numbers: the first half of the result, which determines the rest.

    Shapes: any with one dimension at least; n, if given, is the size at dim to which input is cut or filled
        with 0.
    Dtypes: float; the result is complex, with n // 2 + 1 elements at dim.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.rfft(torch.tensor([1., 2., 3., 4.]))
        tensor([10.+0.j, -2.+2.j, -2.+0.j])

    Mirrors `torch.fft.rfft`.
    """
    return _r2c("rfft", input, _one(n), dim, norm, out)


@reading("fft_irfft(Tensor input, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor out=None) -> Tensor|fp32")
def irfft(input: Tensor, n: Any = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of rfft; n says whether the result has an even (by default) or odd size.

    Shapes: any with one dimension at least; n, if given, is the size at dim to which input is cut or filled
        with 0.
    Dtypes: float and complex; the result is real, with 2 * (size - 1) elements at dim.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.irfft(torch.tensor([10., -2 + 2j, -2.]))
        tensor([1., 2., 3., 4.])

    Mirrors `torch.fft.irfft`.
    """
    return _c2r("irfft", input, _one(n), dim, norm, out)


@reading(
    "fft_fftn(Tensor input, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor out=None) -> Tensor|fp32"
)
def fftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Tensor:
    """fft along several dimensions.

    Shapes: any; s, if given, are the sizes at dim to which input is cut or filled with 0.
    Dtypes: float and complex; norm is 'backward' (1/n in the inverse), 'ortho' (1/sqrt(n) in both) or
        'forward'.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.fftn(torch.ones(2, 2))
        tensor([[4.+0.j, 0.+0.j],
                [0.+0.j, 0.+0.j]])

    Mirrors `torch.fft.fftn`.
    """
    return _c2c(input, s, dim, norm, True, out)


@reading(
    "fft_ifftn(Tensor input, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor out=None) -> Tensor|fp32"
)
def ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of fftn.

    Shapes: any; s, if given, are the sizes at dim to which input is cut or filled with 0.
    Dtypes: float and complex; norm is 'backward' (1/n in the inverse), 'ortho' (1/sqrt(n) in both) or
        'forward'.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.ifftn(torch.ones(2, 2))
        tensor([[1.+0.j, 0.+0.j],
                [0.+0.j, 0.+0.j]])

    Mirrors `torch.fft.ifftn`.
    """
    return _c2c(input, s, dim, norm, False, out)


@reading(
    "fft_fft2(Tensor input, SymInt[1]? s=None, int[1] dim={-2,-1}, str? norm=None, *, Tensor out=None) -> Tensor|fp32"
)
def fft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Tensor:
    """fft along two dimensions.

    Shapes: any; s, if given, are the sizes at dim to which input is cut or filled with 0.
    Dtypes: float and complex; norm is 'backward' (1/n in the inverse), 'ortho' (1/sqrt(n) in both) or
        'forward'.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.fft2(torch.tensor([[1., 0.], [0., 1.]]))
        tensor([[2.+0.j, 0.+0.j],
                [0.+0.j, 2.+0.j]])

    Mirrors `torch.fft.fft2`.
    """
    return fftn(input, s, dim, norm, out=out)


@reading(
    "fft_ifft2(Tensor input, SymInt[1]? s=None, int[1] dim={-2,-1}, str? norm=None, *, Tensor out=None) -> Tensor|fp32"
)
def ifft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of fft2.

    Shapes: any; s, if given, are the sizes at dim to which input is cut or filled with 0.
    Dtypes: float and complex; norm is 'backward' (1/n in the inverse), 'ortho' (1/sqrt(n) in both) or
        'forward'.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.ifft2(torch.tensor([[2., 0.], [0., 2.]]))
        tensor([[1.+0.j, 0.+0.j],
                [0.+0.j, 1.+0.j]])

    Mirrors `torch.fft.ifft2`.
    """
    return ifftn(input, s, dim, norm, out=out)


@reading(
    "fft_rfftn(Tensor input, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor out=None) -> Tensor|fp32"
)
def rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Tensor:
    """rfft along the last dimension, fft along the others.

    Shapes: any; s, if given, are the sizes at dim to which input is cut or filled with 0.
    Dtypes: float; the result is complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.rfftn(torch.ones(2, 2)).shape
        torch.Size([2, 2])

    Mirrors `torch.fft.rfftn`.
    """
    return _r2c("rfftn", input, s, dim, norm, out)


@reading(
    "fft_irfftn(Tensor input, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor out=None) -> Tensor|fp32"
)
def irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of rfftn.

    Shapes: any; s, if given, are the sizes at dim to which input is cut or filled with 0.
    Dtypes: float and complex; the result is real.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.irfftn(torch.ones(2, 2))
        tensor([[1., 0.],
                [0., 0.]])

    Mirrors `torch.fft.irfftn`.
    """
    return _c2r("irfftn", input, s, dim, norm, out)


@reading(
    "fft_rfft2(Tensor input, SymInt[1]? s=None, int[1] dim={-2,-1}, str? norm=None, *, Tensor out=None) -> Tensor|fp32"
)
def rfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Tensor:
    """rfft along the last of two dimensions, fft along the other.

    Shapes: any; s, if given, are the sizes at dim to which input is cut or filled with 0.
    Dtypes: float; the result is complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.rfft2(torch.ones(2, 2))
        tensor([[4.+0.j, 0.+0.j],
                [0.+0.j, 0.+0.j]])

    Mirrors `torch.fft.rfft2`.
    """
    return rfftn(input, s, dim, norm, out=out)


@reading(
    "fft_irfft2(Tensor input, SymInt[1]? s=None, int[1] dim={-2,-1}, str? norm=None, *, Tensor out=None) -> Tensor|fp32"
)
def irfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of rfft2.

    Shapes: any; s, if given, are the sizes at dim to which input is cut or filled with 0.
    Dtypes: float and complex; the result is real.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.irfft2(torch.ones(2, 2))
        tensor([[1., 0.],
                [0., 0.]])

    Mirrors `torch.fft.irfft2`.
    """
    return irfftn(input, s, dim, norm, out=out)


@reading("fft_hfft(Tensor input, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor out=None) -> Tensor|fp32")
def hfft(input: Tensor, n: Any = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Tensor:
    """The (real) fft of a signal that equals its own conjugate in reverse, given by its first half.

    Shapes: any with one dimension at least; n, if given, is the size at dim to which input is cut or filled
        with 0.
    Dtypes: float and complex; the result is real, with 2 * (size - 1) elements at dim.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.hfft(torch.tensor([1., 2., 3.]))
        tensor([ 8., -2.,  0., -2.])

    Mirrors `torch.fft.hfft`.
    """
    return _c2r("hfft", input, _one(n), dim, norm, out, True)


@reading("fft_ihfft(Tensor input, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor out=None) -> Tensor|fp32")
def ihfft(input: Tensor, n: Any = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of hfft.

    Shapes: any with one dimension at least; n, if given, is the size at dim to which input is cut or filled
        with 0.
    Dtypes: float; the result is complex, with n // 2 + 1 elements at dim.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.ihfft(torch.tensor([8., -2., 0., -2.]))
        tensor([1.-0.j, 2.-0.j, 3.-0.j])

    Mirrors `torch.fft.ihfft`.
    """
    return _r2c("ihfft", input, _one(n), dim, norm, out, False)


@reading("fft_hfftn(Tensor input, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor out=None) -> Tensor")
def hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Tensor:
    """hfft along several dimensions: fft along all but the last of `dim`, hfft along that one.

    Shapes: any with those dimensions; the last of them becomes 2 * (size - 1).
    Dtypes: float and complex; the result is real.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.hfftn(torch.tensor([1., 2., 3.]))
        tensor([ 8., -2.,  0., -2.])

    Mirrors `torch.fft.hfftn`.
    """
    return _c2r("hfftn", input, s, dim, norm, out, True)


@reading("fft_ihfftn(Tensor input, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor out=None) -> Tensor")
def ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of hfftn.

    Shapes: any with those dimensions; the last of them becomes size // 2 + 1.
    Dtypes: float; the result is complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.ihfftn(torch.tensor([8., -2., 0., -2.]))
        tensor([1.-0.j, 2.-0.j, 3.-0.j])

    Mirrors `torch.fft.ihfftn`.
    """
    return _r2c("ihfftn", input, s, dim, norm, out, False)


@reading("fft_hfft2(Tensor input, SymInt[1]? s=None, int[1] dim={-2,-1}, str? norm=None, *, Tensor out=None) -> Tensor")
def hfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Tensor:
    """hfft along the last two dimensions, those of `dim`.

    Shapes: any with those dimensions; the last of them becomes 2 * (size - 1).
    Dtypes: float and complex; the result is real.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.hfft2(torch.ones(2, 2))
        tensor([[4., 0.],
                [0., 0.]])

    Mirrors `torch.fft.hfft2`.
    """
    return hfftn(input, s, dim, norm, out=out)


@reading(
    "fft_ihfft2(Tensor input, SymInt[1]? s=None, int[1] dim={-2,-1}, str? norm=None, *, Tensor out=None) -> Tensor"
)
def ihfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Tensor:
    """The inverse of hfft2.

    Shapes: any with those dimensions; the last of them becomes size // 2 + 1.
    Dtypes: float; the result is complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.ihfft2(torch.tensor([[4., 0.], [0., 0.]])).real
        tensor([[1., 1.],
                [1., 1.]])

    Mirrors `torch.fft.ihfft2`.
    """
    return ihfftn(input, s, dim, norm, out=out)


@reading("fft_fftshift(Tensor input, int[1]? dim=None) -> Tensor")
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The elements shifted cyclically so that frequency 0 is in the middle.

    Shapes: input's.
    Dtypes: any.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.fftshift(torch.fft.fftfreq(4))
        tensor([-0.5000, -0.2500,  0.0000,  0.2500])

    Mirrors `torch.fft.fftshift`.
    """
    dims = _shifted(input, dim)
    return F.roll(input, tuple(input._array.shape[d] // 2 for d in dims), dims)


@reading("fft_ifftshift(Tensor input, int[1]? dim=None) -> Tensor")
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The inverse of fftshift.

    Shapes: input's.
    Dtypes: any.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.ifftshift(torch.tensor([-2, -1, 0, 1]))
        tensor([ 0,  1, -2, -1])

    Mirrors `torch.fft.ifftshift`.
    """
    dims = _shifted(input, dim)
    return F.roll(input, tuple((input._array.shape[d] + 1) // 2 for d in dims), dims)


def _shifted(x: Tensor, dim: Any) -> tuple[int, ...]:
    if dim is None:
        return tuple(range(x._array.ndim))
    if not x._array.ndim:
        _dims(x, None, dim)
    return tuple(wrap_dim(d, x._array.ndim) for d in ((dim,) if isinstance(dim, int) else dim))


def _frequencies(name: str, places: np.ndarray, n: int, d: float, options: dict[str, Any]) -> Tensor:
    out = options.get("out")
    if out is not None:
        check_out(name, out, options.get("dtype"))
    wanted = (options.get("dtype") if out is None else out.dtype) or dtypes.get_default_dtype()
    if not (wanted.is_floating_point or wanted.is_complex):
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if wanted.is_complex:
        raise dtypes.unsupported("arange_cpu", wanted)
    with np.errstate(all="ignore"):
        array = (places / (np.float64(n) * d)).astype(wanted.numpy)
    if out is not None:
        return into(name, out, array, grad=bool(options.get("requires_grad")))
    t = wrap(array)
    return t.requires_grad_() if options.get("requires_grad") else t


@reading("fft_fftfreq(int n, float d=1.0, *, Tensor out=None, $options) -> Tensor")
def fftfreq(n: int, d: float = 1.0, **options: Any) -> Tensor:
    """The frequencies of fft's elements, in cycles per unit, for samples at distance d.

    Shapes: (n,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.fftfreq(4)
        tensor([ 0.0000,  0.2500, -0.5000, -0.2500])

    Mirrors `torch.fft.fftfreq`.
    """
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    places = np.arange(n)
    places[(n + 1) // 2 :] -= n
    return _frequencies("fftfreq", places, n, d, options)


@reading("fft_rfftfreq(int n, float d=1.0, *, Tensor out=None, $options) -> Tensor")
def rfftfreq(n: int, d: float = 1.0, **options: Any) -> Tensor:
    """The frequencies of rfft's elements.

    Shapes: (n // 2 + 1,).
    Dtypes: the default dtype, if dtype= does not say otherwise.

    Example:
        >>> import autogradlab as torch
        >>> torch.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000])

    Mirrors `torch.fft.rfftfreq`.
    """
    return _frequencies("rfftfreq", np.arange(max(int(n / 2) + 1, 0)), n, d, options)
