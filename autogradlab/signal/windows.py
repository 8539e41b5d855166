"""Windows of spectral analysis (mirrors `torch.signal.windows`): weights that decrease towards both ends."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..core.recording.record import TENSORS as F
from ..core.tensor.tensor import Tensor
from ..core.types import dtypes
from ..core.types.layouts import strided

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


_WORDS = ("sym", "dtype", "layout", "device", "requires_grad")


def _known(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """What every window takes by name; Python's TypeError for another word."""
    for word in options:
        if word not in _WORDS:
            raise TypeError(f"{name}() got an unexpected keyword argument '{word}'")
    return options


class _Options:
    """What every window takes: whether it is symmetric or one period of a periodic one, and how its tensor is made."""

    def __init__(self, name: str, M: Any, options: dict[str, Any]) -> None:
        _known(name, options)
        self.symmetric: bool = options.get("sym", True)
        kind = options.get("dtype")
        if kind is None:
            kind = dtypes.get_default_dtype()
        layout = options.get("layout", strided)
        self.grad: bool = options.get("requires_grad", False)
        self.device: Any = options.get("device")
        if M < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if kind not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
        self.M, self.dtype = M, kind

    def empty(self) -> Tensor:
        """The window of no elements."""
        return F.empty((0,), dtype=self.dtype, device=self.device, requires_grad=self.grad)

    def row(self, start: float, step: float) -> Tensor:
        """M numbers that begin at `start`, `step` apart."""
        return self.between(start, start + (self.M - 1) * step)

    def between(self, start: Any, end: Any) -> Tensor:
        """M numbers from `start` to `end`."""
        options = {"dtype": self.dtype, "layout": strided, "device": self.device, "requires_grad": self.grad}
        return F.linspace(start=start, end=end, steps=self.M, **options)

    def steps(self) -> int:
        """The number of steps from one end to the other."""
        return self.M - 1 if self.symmetric and self.M > 1 else self.M


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, **options: Any) -> Tensor:
    """exp(-|n - center| / tau): it falls from the middle by the same factor at every step.

    Errors: ValueError for a tau that is not positive, or a center of a symmetric window.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.exponential(4)
        tensor([0.2231, 0.6065, 0.6065, 0.2231])

    Mirrors `torch.signal.windows.exponential`.
    """
    given = _Options("exponential", M, options)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if given.symmetric and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if M == 0:
        return given.empty()
    if center is None:
        center = (M if not given.symmetric and M > 1 else M - 1) / 2.0
    return F.exp(-F.abs(given.row(-center / tau, 1 / tau)))


def cosine(M: int, **options: Any) -> Tensor:
    """Half a wave: sin(pi (n + 1/2) / M).

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.cosine(4)
        tensor([0.3827, 0.9239, 0.9239, 0.3827])

    Mirrors `torch.signal.windows.cosine`.
    """
    given = _Options("cosine", M, options)
    if M == 0:
        return given.empty()
    step = math.pi / (M + 1 if not given.symmetric and M > 1 else M)
    return F.sin(given.row(0.5 * step, step))


def gaussian(M: int, *, std: float = 1.0, **options: Any) -> Tensor:
    """exp(-(n / std)**2 / 2), where n counts from the middle.

    Errors: ValueError for a standard deviation that is not positive.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.gaussian(4)
        tensor([0.3247, 0.8825, 0.8825, 0.3247])

    Mirrors `torch.signal.windows.gaussian`.
    """
    given = _Options("gaussian", M, options)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return given.empty()
    step = 1 / (std * math.sqrt(2))
    start = -(M if not given.symmetric and M > 1 else M - 1) / 2.0
    return F.exp(-(given.row(start * step, step) ** 2))


def kaiser(M: int, *, beta: float = 12.0, **options: Any) -> Tensor:
    """I0(beta sqrt(1 - t**2)) / I0(beta), where t goes from -1 to 1.

    Errors: ValueError for a negative beta.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.kaiser(3, beta=2.)
        tensor([0.4387, 1.0000, 0.4387])

    Mirrors `torch.signal.windows.kaiser`.
    """
    given = _Options("kaiser", M, options)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 0:
        return given.empty()
    if M == 1:
        return F.ones((1,), dtype=given.dtype, device=given.device, requires_grad=given.grad)
    wide = F.scalar_tensor(beta, dtype=given.dtype, device="cpu")
    start = -wide
    step = 2.0 * wide / (M if not given.symmetric else M - 1)
    end = F.minimum(wide, start + (M - 1) * step)
    row = given.between(start, end)
    return F.i0(F.sqrt(wide * wide - F.pow(row, 2))) / F.i0(wide)


def bartlett(M: int, **options: Any) -> Tensor:
    """A triangle from 0 to 1 and back.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.bartlett(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])

    Mirrors `torch.signal.windows.bartlett`.
    """
    given = _Options("bartlett", M, options)
    if M == 0:
        return given.empty()
    if M == 1:
        return F.ones((1,), dtype=given.dtype, device=given.device, requires_grad=given.grad)
    return 1 - F.abs(given.row(-1, 2 / given.steps()))


def general_cosine(M: int, *, a: Iterable[float], **options: Any) -> Tensor:
    """A sum of cosines with the coefficients `a`, with signs that alternate.

    Errors: TypeError or ValueError for coefficients that are not a list or empty.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.general_cosine(3, a=[0.5, 0.5])
        tensor([0., 1., 0.])

    Mirrors `torch.signal.windows.general_cosine`.
    """
    given = _Options("general_cosine", M, options)
    if M == 0:
        return given.empty()
    if M == 1:
        return F.ones((1,), dtype=given.dtype, device=given.device, requires_grad=given.grad)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    row = given.row(0, 2 * math.pi / given.steps())
    signed = [-w if i % 2 else w for i, w in enumerate(a)]
    made = {"dtype": given.dtype, "device": given.device, "requires_grad": given.grad}
    factors, orders = F.tensor(signed, **made), F.arange(len(signed), **made)
    return F.sum(F.unsqueeze(factors, -1) * F.cos(F.unsqueeze(orders, -1) * row), 0)


def general_hamming(M: int, *, alpha: float = 0.54, **options: Any) -> Tensor:
    """general_cosine with the coefficients alpha and 1 - alpha.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.general_hamming(3, alpha=0.5)
        tensor([0., 1., 0.])

    Mirrors `torch.signal.windows.general_hamming`.
    """
    return general_cosine(M, a=[alpha, 1.0 - alpha], **_known("general_hamming", options))


def hamming(M: int, **options: Any) -> Tensor:
    """general_hamming with alpha 0.54.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.hamming(3)
        tensor([0.0800, 1.0000, 0.0800])

    Mirrors `torch.signal.windows.hamming`.
    """
    return general_hamming(M, **_known("hamming", options))


def hann(M: int, **options: Any) -> Tensor:
    """general_hamming with alpha 0.5: a raised cosine.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.hann(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])

    Mirrors `torch.signal.windows.hann`.
    """
    return general_hamming(M, alpha=0.5, **_known("hann", options))


def blackman(M: int, **options: Any) -> Tensor:
    """general_cosine with the coefficients 0.42, 0.5 and 0.08.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.blackman(5).shape
        torch.Size([5])

    Mirrors `torch.signal.windows.blackman`.
    """
    _Options("blackman", M, dict(options))
    return general_cosine(M, a=[0.42, 0.5, 0.08], **options)


def nuttall(M: int, **options: Any) -> Tensor:
    """general_cosine with four coefficients, whose sidelobes are low.

    Example:
        >>> import autogradlab as torch
        >>> torch.signal.windows.nuttall(3)
        tensor([3.6280e-04, 1.0000e+00, 3.6280e-04])

    Mirrors `torch.signal.windows.nuttall`.
    """
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], **_known("nuttall", options))
