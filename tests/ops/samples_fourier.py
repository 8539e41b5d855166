"""Samples: discrete Fourier transforms, what they give and how it lies in memory."""

from __future__ import annotations

from tests.ops.harness import A, Case, case, samples

REAL, WIDE = A(4), A(3, 4, 5)
COMPLEX, CUBE = A(4, dtype="complex128"), A(3, 4, 5, dtype="complex128")
NORMS = ("backward", "ortho", "forward")
LINE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SPACE = ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2", "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")
TO_COMPLEX = ("rfft", "ihfft")


def fourier(name: str, *cases: Case) -> None:
    samples(f"fft_{name}", *cases, path=f"fft.{name}", method=False, inplace=False, out=False)


def inputs(name: str) -> tuple[A, ...]:
    return (REAL, WIDE, A(2, 3, 4, layout="transposed")) + (() if name.startswith(TO_COMPLEX) else (COMPLEX, CUBE))


for _name in LINE:
    fourier(
        _name,
        *(case(x) for x in inputs(_name)),
        *(case(x, norm=n) for x in inputs(_name)[::2] for n in NORMS),
        *(case(x, n, d) for x in inputs(_name)[1:] if len(x.shape) == 3 for n in (2, 6, None) for d in (0, 1, -1)),
        case(A(4, dtype="int64")),
        case(A(4, dtype="float32")).but(tolerance=2e-6, second=False),
        case(A()),
        case(REAL, 0),
        case(A(0)),
        case(REAL, norm="x"),
        case(REAL, None, 1),
        case(COMPLEX),
    )
for _name in SPACE:
    fourier(
        _name,
        *(case(x) for x in inputs(_name) if len(x.shape) == 3),
        *(case(WIDE, dim=d) for d in ((0, 1), (1, 0), (0,), (2, 0))),
        *(case(x, (2, 6), (0, 2), "ortho") for x in inputs(_name) if len(x.shape) == 3),
        case(WIDE, dim=()),
        case(A()),
        case(WIDE, (2,), (0, 1)),
        case(REAL),
        case(A(2, 2, dtype="complex128")),
    )
for _name in ("fftshift", "ifftshift"):
    fourier(_name, case(A(5)), case(WIDE), case(WIDE, 1), case(WIDE, (0, -1)), case(A()), case(A(), 0))
for _name in ("fftfreq", "rfftfreq"):
    fourier(_name, case(5), case(4, 0.5), case(1))
WINDOW, SIGNAL = A(4, low=0.5, high=2.0), A(2, 12)
samples(
    "stft",
    case(SIGNAL, 4, window=WINDOW, return_complex=True),
    case(A(12), 4, 2, window=WINDOW, center=False, return_complex=True),
    case(SIGNAL, 6, 2, 4, window=WINDOW, normalized=True, return_complex=True, pad_mode="constant"),
    case(SIGNAL, 4, window=WINDOW, onesided=False, return_complex=True),
    case(A(12, dtype="complex128"), 4, window=WINDOW),
    case(A(12), 6, 2, 4, window=WINDOW, center=False, align_to_window=True, return_complex=True),
    case(SIGNAL, 4, window=WINDOW),
    case(SIGNAL, 4, 0, window=WINDOW, return_complex=True),
    case(SIGNAL, 4, 1, 3, window=WINDOW, return_complex=True),
    case(A(4), 6, window=WINDOW, center=False, return_complex=True),
    case(A(2, 2, 9), 4, window=WINDOW, return_complex=True),
    case(A(12, dtype="int64"), 4, window=WINDOW, return_complex=True),
    inplace=False,
    out=False,
)
SPECTRUM = A(2, 3, 7, dtype="complex128")
samples(
    "istft",
    case(SPECTRUM, 4, window=WINDOW),
    case(A(3, 7, dtype="complex128"), 4, 2, window=WINDOW, center=False),
    case(SPECTRUM, 4, window=WINDOW, length=5),
    case(SPECTRUM, 4, window=WINDOW, normalized=True),
    case(A(4, 7, dtype="complex128"), 4, window=WINDOW, onesided=False),
    case(SPECTRUM, 6, window=WINDOW),
    case(A(3, 7), 4, window=WINDOW),
    case(A(4, 7, dtype="complex128"), 4, window=WINDOW, onesided=False, return_complex=True),
    case(SPECTRUM, 4, 5, window=WINDOW),
    case(SPECTRUM, 4, window=WINDOW, return_complex=True),
    inplace=False,
    out=False,
)
