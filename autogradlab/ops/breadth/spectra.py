"""Short-time Fourier transforms: the Fourier transforms of overlapping windows, and the inverse."""

from __future__ import annotations

from typing import Any

from ...core.recording.record import TENSORS as F
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import scalar_name
from ..table.families import method
from ..table.opdef import composite
from ..table.signatures import explain
from .fourier import FULL, NONE, ROOT

_WHERE = "aten/src/ATen/native/SpectralOps.cpp:{}"


def _type_name(t: Tensor) -> str:
    """The type as C++ says it, which says the backend of complex numbers otherwise than Python does."""
    return f"CPU{scalar_name(t)}Type" if t.is_complex() else t.type()


def _described(name: str, kind: str, input: Tensor, window: Tensor | None, **rest: Any) -> str:
    """A call as PyTorch's errors of this family repeat it."""
    shown = {k: int(v) if isinstance(v, bool) else v for k, v in rest.items()}
    shown["window"] = None if window is None else f"{_type_name(window)}{{{list(window.shape)}}}"
    order = (
        "n_fft",
        "hop_length",
        "win_length",
        "window",
        "center",
        "normalized",
        "onesided",
        "length",
        "return_complex",
        "align_to_window",
    )
    return f"{name}({kind}{list(input.shape)}, " + ", ".join(f"{k}={shown[k]}" for k in order if k in shown) + ")"


def _centered(window: Tensor | None, win_length: int, n_fft: int, like: Tensor) -> Tensor:
    """The window, of ones where none was given, with zeros around it up to the size of the transform."""
    if window is None:
        window = F.ones(win_length, dtype=like.dtype)
    left = (n_fft - win_length) // 2
    return window if win_length == n_fft else F.constant_pad_nd(window, (left, n_fft - win_length - left), 0)


def _wants_complex(input: Tensor, window: Tensor | None, return_complex: bool | None) -> bool:
    """Whether stft gives complex numbers: it has to be said where the signal is real."""
    if return_complex is None:
        if not input.is_complex() and (window is None or not window.is_complex()):
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
        return True
    if not return_complex:
        warn_once(
            "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
            "tensors for all inputs, and return_complex=False will raise an error.\n"
            "Note: you can still call torch.view_as_real on the complex output to recover the old return format.",
            at=_WHERE.format(874),
        )
    return return_complex


def _check_windows(
    call: str, size: int, n_fft: int, hop: int, length: int, window: Tensor | None, told: int | None = None
) -> None:
    """told: the size that PyTorch says was given for the transform."""
    if not 0 < n_fft <= size:
        raise RuntimeError(f"{call} : expected 0 < n_fft < {size}, but got n_fft={n_fft if told is None else told}")
    if hop <= 0:
        raise RuntimeError(f"{call} : expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{call} : expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and tuple(window.shape) != (length,):
        raise RuntimeError(
            f"{call} : expected a 1D window tensor of size equal to win_length={length}, but got window with size "
            f"{list(window.shape)}"
        )


def _check_spectrum(
    call: str, found: int, n_fft: int, hop: int, width: int, window: Tensor | None, onesided: bool | None
) -> bool:
    """Whether a spectrum with `found` frequencies is that of real signals."""
    half = onesided if onesided is not None else n_fft != found
    if (n_fft // 2 + 1 if half else n_fft) != found:
        wanted = "n_fft / 2 + 1 when onesided=True" if half else "n_fft when onesided=False"
        raise RuntimeError(
            f"{call} : expected the frequency dimension (3rd to the last) of the input tensor to match {wanted}, but "
            f"got {found}"
        )
    if not 0 < hop <= width:
        raise RuntimeError(f"{call} : expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise RuntimeError(f"{call} : expected 0 < win_length <= n_fft")
    if window is not None and tuple(window.shape) != (width,):
        raise RuntimeError(f"{call} : Invalid window shape. window has to be 1D and length of `win_length`")
    return half


@composite(
    """
    stft(Tensor input, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True,
        str pad_mode="reflect", bool normalized=False, bool? onesided=None, bool? return_complex=None,
        bool? align_to_window=None) -> Tensor|fp32|.center
    stft(Tensor input, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None,
        bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor
    """,
    method=False,
    reads="itself",
)
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transforms of windows of n_fft elements that move along a signal by hop_length (a quarter of n_fft,
    if it is not given).

    center=True pads both ends by n_fft // 2, so that window t is centered at t * hop_length; window weighs the
    elements.
    Shapes: (n,) or (batch, n) gives (..., frequencies, windows); real signals have n_fft // 2 + 1 frequencies, or
    n_fft with onesided=False.
    Dtypes: float and complex; the result is complex, and return_complex=True has to be said for real signals.

    >>> signal = torch.tensor([0., 1., 0., -1., 0., 1., 0., -1.])
    >>> torch.stft(signal, 4, hop_length=4, window=torch.ones(4), center=False, return_complex=True).abs()
    tensor([[0., 0.],
            [2., 2.],
            [0., 0.]])
    """
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        ndim = input.dim()
        half = int(n_fft // 2)
        shape = [1] * (3 - ndim) + list(input.size())
        explain("pad", (input, [half, half], pad_mode), {}, "nn")
        input = F._pad(input.view(shape), [half, half], pad_mode)
        input = input.view(input.shape[-ndim:] if ndim else ())
    given = (n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)
    explain("stft", (input, *given), {}, "torch")
    if window is None:
        warn_once(
            "A window was not provided. A rectangular window will be applied,which is known to cause spectral "
            "leakage. Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce "
            "spectral leakage.To suppress this warning and use a rectangular window, explicitly set "
            "`window=torch.ones(n_fft, device=<device>)`.",
            at=_WHERE.format(835),
        )
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    call = _described(
        "stft",
        _type_name(input),
        input,
        window,
        n_fft=n_fft,
        hop_length=hop,
        win_length=length,
        normalized=normalized,
        onesided=onesided,
        return_complex=return_complex,
        align_to_window=align_to_window,
    )
    return_complex = _wants_complex(input, window, return_complex)
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(f"{call} : expected a tensor of floating point or complex values")
    if input.dim() not in (1, 2):
        raise RuntimeError(f"{call} : expected a 1D or 2D tensor")
    x = input if input.dim() == 2 else F.unsqueeze(input, 0)
    batch, size = x.shape
    aligned = not center and bool(align_to_window)
    _check_windows(call, size, n_fft, hop, length, window, length if aligned else n_fft)
    if aligned:
        x = F.constant_pad_nd(x, ((n_fft - length) // 2,) * 2, 0)
        size += n_fft - length
    step, one = x.stride(0), x.stride(1)
    x = F.as_strided(x, (batch, 1 + (size - n_fft) // hop, n_fft), (step, hop * one, one))
    if window is not None or length < n_fft:
        x = x * _centered(window, length, n_fft, x)
    mode = ROOT if normalized else NONE
    if x._array.dtype.itemsize == 2:
        raise RuntimeError(f"MKL FFT doesn't support tensors of type: {scalar_name(x)}")
    if x.is_complex():
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        r = F._fft_c2c(x, (2,), mode, True)
    else:
        r = F._fft_r2c(x, (2,), mode, onesided is None or onesided)
    r = r.transpose_(1, 2)
    if input.dim() == 1:
        r = r.squeeze_(0)
    return r if return_complex else F.view_as_real(r)


@method("stft")
def _stft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    return stft(
        self,
        n_fft,
        hop_length,
        win_length,
        window,
        center,
        pad_mode,
        normalized,
        onesided,
        return_complex=return_complex,
        align_to_window=align_to_window,
    )


@composite(
    """
    istft(Tensor input, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True,
        bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor|looped_alone
    """,
    method=False,
)
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose stft is input: windows are weighted again, added where they overlap and divided by the sum of
    their squares.

    Shapes: (frequencies, windows) or (batch, frequencies, windows) gives (..., n); length says n, which is else
    what the windows cover.
    Dtypes: complex; the result is real, complex with return_complex=True.
    Errors: RuntimeError where the windows leave gaps.

    >>> window = torch.hann_window(4)
    >>> spectrum = torch.stft(torch.arange(6.), 4, window=window, return_complex=True)
    >>> torch.istft(spectrum, 4, window=window).round().abs()
    tensor([0., 1., 2., 3., 4., 5.])
    """
    if window is None:
        warn_once(
            "A window was not provided. A rectangular window will be applied.Please provide the same window used by "
            "stft to make the inversion lossless.To suppress this warning and use a rectangular window, explicitly "
            "set `window=torch.ones(n_fft, device=<device>)`.",
            at=_WHERE.format(1035),
        )
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    call = _described(
        "istft",
        f"CPU{scalar_name(input)}Type",
        input,
        window,
        n_fft=n_fft,
        hop_length=hop,
        win_length=width,
        center=center,
        normalized=normalized,
        onesided=onesided,
        length=length,
        return_complex=return_complex,
    )
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    x = F.view_as_real(F.resolve_conj(input))
    ndim, frames, found = x.dim(), x.size(-2), x.size(-3)
    if not x.numel():
        raise RuntimeError(f"{call} : input tensor cannot be empty.")
    if ndim not in (3, 4):
        raise RuntimeError(f"{call} : expected a tensor with 3 or 4 dimensions, but got {ndim}")
    half = _check_spectrum(call, found, n_fft, hop, width, window, onesided)
    weights = _centered(window, width, n_fft, x)
    if ndim == 3:
        x = F.unsqueeze(x, 0)
    x = F.view_as_complex(F.transpose(x, 1, 2))
    mode = ROOT if normalized else FULL
    if return_complex:
        if half:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        x = F._fft_c2c(x, (2,), mode, False)
    else:
        if weights.is_complex():
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        if not half:
            x = F.narrow(x, -1, 0, n_fft // 2 + 1)
        x = F._fft_c2r(x, (2,), mode, n_fft)
    total = n_fft + hop * (frames - 1)
    start = n_fft // 2 if center else 0
    end = start + length if length else total - n_fft // 2 if center else total
    y = F.unfold_backward(x * weights.view((1, 1, n_fft)), (x.size(0), total), 1, n_fft, hop)
    envelope = F.unfold_backward(F.pow(weights, 2).expand((1, frames, n_fft)), (1, total), 1, n_fft, hop)
    y, envelope = (F.narrow(t, 1, start, min(end, total) - start) for t in (y, envelope))
    if not F.abs(envelope).min().item() > 1e-11:
        raise RuntimeError(f"{call} window overlap add min: 1\n[ CPUBoolType{{}} ]")
    y = y / envelope
    if ndim == 3:
        y = F.squeeze(y, 0)
    if end > total:
        warn_once(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the "
            "tail. Please check your center and hop_length settings.",
            at=_WHERE.format(1199),
        )
        y = F.constant_pad_nd(y, (0, end - total), 0)
    return y


@method("istft")
def _istft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    given = (self, n_fft, hop_length, win_length, window, center, normalized, onesided, length)
    explain("istft", given, {"return_complex": return_complex}, "torch")
    return istft(*given, return_complex=return_complex)
