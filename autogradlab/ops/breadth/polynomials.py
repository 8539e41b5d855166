"""Orthogonal polynomials, and Bessel functions of the second kind: torch.special's functions without derivatives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core.arguments.declared import name_of
from ...core.memory.layout import iterated
from ...core.memory.rows import plain_rows
from ...core.runtime.modes import quiet
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dtypes import FLOATING, get_default_dtype
from ...core.values.promotion import broadcast_shapes, is_number, result_dtype
from ..first.kinds import align, double, refuse
from ..kernels import polynomials as K
from ..kernels import tables
from ..table.arguments import reject
from ..table.factories import unary
from ..table.opdef import composite
from ..table.outputs import Composed, before_kernel, write

__all__: list[str] = []

_REFUSED = "cV"


def _real(x: np.ndarray, kernel: str) -> None:
    """Refuse what these kernels lack: complex numbers and halves."""
    refuse(x, kernel, _REFUSED)
    if x.dtype.itemsize == 2 and x.dtype.kind == "f":
        refuse(x, kernel, "f")


def _polynomial(name: str, kernel: Callable[[Any, Any], Any], what: str, example: str) -> None:
    def call(x: Any = None, n: Any = None, *, out: Any = None) -> Tensor:
        given = tuple(v for v in (x, n) if v is not None)
        numbers = [is_number(v) for v in given]
        if (
            len(given) < 2
            or all(numbers)
            or not all(a or isinstance(v, Tensor) for a, v in zip(numbers, given, strict=True))
        ):
            reject(f"special_{name}", given, {})
        wanted = result_dtype((x, n))
        if wanted._category < FLOATING:
            wanted = get_default_dtype()
        arrays = [t._array if isinstance(t, Tensor) else np.asarray(t, wanted.numpy) for t in (x, n)]
        try:
            _real(np.empty(0, wanted.numpy), f"{name}_cpu")
        except NotImplementedError:
            if out is not None:
                before_kernel(call, out, broadcast_shapes(*(a.shape for a in arrays)), wanted.numpy)
            raise
        place, degree = np.broadcast_arrays(*align(*(a.astype(wanted.numpy, copy=False) for a in arrays)))
        found = plain_rows(quiet(kernel, place, degree))
        made = wrap(iterated(found, *arrays) if found.ndim > 1 else found)
        return made if out is None else write(Composed(name), out, made._array, (), True)

    call.__doc__ = f"""
    {what}

    Shapes: input and n broadcast together.
    Dtypes: float32 and float64; integers give floats. The degrees n are cut to integers.
    Note: it has no derivative.

    >>> torch.special.{name}(torch.tensor([0.5, 2.]), 3)
    {example}
    """
    composite(
        f"""
        special_{name}(Tensor x, Tensor n, *, Tensor out=None) -> Tensor|looped
        special_{name}(Scalar x, Tensor n, *, Tensor out=None) -> Tensor|.x_scalar|looped
        special_{name}(Tensor x, Scalar n, *, Tensor out=None) -> Tensor|.n_scalar|looped
        """,
        method=False,
    )(call)


def _at_twice(letter: str, x: np.ndarray, n: np.ndarray) -> np.ndarray:
    return K.chebyshev(letter, x + x - 1, n)


_polynomial(
    "chebyshev_polynomial_t",
    partial(K.chebyshev, "t"),
    "The Chebyshev polynomial T of degree n.",
    "tensor([-1., 26.])",
)
_polynomial(
    "shifted_chebyshev_polynomial_t",
    partial(_at_twice, "t"),
    "The Chebyshev polynomial T of degree n at 2 x - 1.",
    "tensor([-0., 99.])",
)
_polynomial(
    "chebyshev_polynomial_u",
    partial(K.chebyshev, "u"),
    "The Chebyshev polynomial U of degree n.",
    "tensor([-1., 56.])",
)
_polynomial(
    "shifted_chebyshev_polynomial_u",
    partial(_at_twice, "u"),
    "The Chebyshev polynomial U of degree n at 2 x - 1.",
    "tensor([ -0., 204.])",
)
_polynomial(
    "chebyshev_polynomial_v",
    partial(K.chebyshev, "v"),
    "The Chebyshev polynomial V of degree n.",
    "tensor([-1., 41.])",
)
_polynomial(
    "shifted_chebyshev_polynomial_v",
    partial(_at_twice, "v"),
    "The Chebyshev polynomial V of degree n at 2 x - 1.",
    "tensor([  1., 169.])",
)
_polynomial(
    "chebyshev_polynomial_w",
    partial(K.chebyshev, "w"),
    "The Chebyshev polynomial W of degree n.",
    "tensor([-1., 71.])",
)
_polynomial(
    "shifted_chebyshev_polynomial_w",
    partial(_at_twice, "w"),
    "The Chebyshev polynomial W of degree n at 2 x - 1.",
    "tensor([ -1., 239.])",
)
_polynomial(
    "hermite_polynomial_h",
    lambda x, n: K.hermite(True, x, n),
    "The Hermite polynomial of degree n, as physics has it.",
    "tensor([-5., 40.])",
)
_polynomial(
    "hermite_polynomial_he",
    lambda x, n: K.hermite(False, x, n),
    "The Hermite polynomial of degree n, as probability theory has it.",
    "tensor([-1.3750,  2.0000])",
)
_polynomial("laguerre_polynomial_l", K.laguerre, "The Laguerre polynomial of degree n.", "tensor([-0.1458, -0.3333])")
_polynomial("legendre_polynomial_p", K.legendre, "The Legendre polynomial of degree n.", "tensor([-0.4375, 17.0000])")


def _function(declaration: str, kernel: Callable[[Any], Any], doc: str, quick: Any = None) -> None:
    """A function of real numbers without a derivative, computed in float64; `quick` is the kernel for many elements
    that are rounded to float32."""
    name = name_of(declaration).removeprefix("special_")
    wide = double(kernel)
    short = wide if quick is None else double(tables.many(quick, kernel))

    def run(x: np.ndarray) -> np.ndarray:
        _real(x, f"{name}_cpu")
        return (wide if x.dtype.itemsize == 8 else short)(x)

    unary(declaration, run, None, inplace=False, doc=doc)


_function(
    "special_airy_ai(Tensor x, *, Tensor out=None) -> Tensor|looped",
    K.airy_ai,
    """
    The Airy function Ai, which solves y'' = x y.

    ~elementwise-real

    >>> torch.special.airy_ai(torch.tensor([0., 1.]))
    tensor([0.3550, 0.1353])
    """,
    tables.airy_ai,
)
_function(
    "special_bessel_y0(Tensor input, *, Tensor out=None) -> Tensor",
    lambda x: K.bessel_y(0, x),
    """
    The Bessel function of the second kind of order 0.

    ~elementwise-real

    >>> torch.special.bessel_y0(torch.tensor([1., 2.]))
    tensor([0.0883, 0.5104])
    """,
    partial(tables.bessel_y, 0),
)
_function(
    "special_bessel_y1(Tensor input, *, Tensor out=None) -> Tensor",
    lambda x: K.bessel_y(1, x),
    """
    The Bessel function of the second kind of order 1.

    ~elementwise-real

    >>> torch.special.bessel_y1(torch.tensor([1., 2.]))
    tensor([-0.7812, -0.1070])
    """,
    partial(tables.bessel_y, 1),
)
_function(
    "special_modified_bessel_k0(Tensor input, *, Tensor out=None) -> Tensor",
    lambda x: K.bessel_k(0, x, scaled=False),
    """
    The modified Bessel function of the second kind of order 0.

    ~elementwise-real

    >>> torch.special.modified_bessel_k0(torch.tensor([1., 2.]))
    tensor([0.4210, 0.1139])
    """,
)
_function(
    "special_modified_bessel_k1(Tensor input, *, Tensor out=None) -> Tensor",
    lambda x: K.bessel_k(1, x, scaled=False),
    """
    The modified Bessel function of the second kind of order 1.

    ~elementwise-real

    >>> torch.special.modified_bessel_k1(torch.tensor([1., 2.]))
    tensor([0.6019, 0.1399])
    """,
)
_function(
    "special_scaled_modified_bessel_k0(Tensor x, *, Tensor out=None) -> Tensor",
    lambda x: K.bessel_k(0, x, scaled=True),
    """
    modified_bessel_k0(x) exp(x), which does not underflow.

    ~elementwise-real

    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([1., 100.]))
    tensor([1.1445, 0.1252])
    """,
)
_function(
    "special_scaled_modified_bessel_k1(Tensor x, *, Tensor out=None) -> Tensor",
    lambda x: K.bessel_k(1, x, scaled=True),
    """
    modified_bessel_k1(x) exp(x), which does not underflow.

    ~elementwise-real

    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([1., 100.]))
    tensor([1.6362, 0.1258])
    """,
)
