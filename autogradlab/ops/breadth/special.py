"""Special functions: the error function and its kin, gamma and polygamma functions,
Bessel functions of order 0 and 1."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ...core.arguments.declared import name_of
from ...core.memory.layout import contiguous, iterated
from ...core.memory.rows import laid_by
from ...core.recording.record import RAW, TENSORS, not_implemented
from ...core.tensor.tensor import Tensor, wrap
from ...core.values.promotion import is_number
from ..common.pairs import with_number
from ..first.kinds import COMPLEX, double, floated, on_both_backends, refuse, refusing, single
from ..kernels import special as K
from ..kernels import tables
from ..kernels.incomplete import igamma
from ..kernels.rounded import MANY
from ..kernels.tables import many
from ..table.factories import binary, unary
from ..table.opdef import OPS, alias, composite, op
from ..table.outputs import Out
from ..table.overloads import Arguments, Called

F = TENSORS
_ROOT_PI = math.sqrt(math.pi)


def real_only(kernel: Any, name: str, halves: bool = True, quick: Any = None) -> Any:
    """A kernel in float64 of a function that PyTorch has for real numbers, `halves` included or not; `quick` is one
    for many elements that are rounded to float32 or less."""
    wide = double(kernel)
    short = wide if quick is None else double(many(quick, kernel))

    def run(x: np.ndarray) -> np.ndarray:
        refuse(x, name, COMPLEX)
        if not halves and x.dtype.itemsize == 2 and x.dtype.kind in "fV":
            refuse(x, name, "fV")
        return (wide if x.dtype.itemsize == 8 else short)(x)

    return run


_ERF = real_only(K.erf, "erf_vml_cpu")
_ERF_SHORT = real_only(K.erf_short, "erf_vml_cpu")


def _erf(x: np.ndarray) -> Any:
    if type(x) is np.ndarray and x.dtype == np.float32 and x.size > MANY:
        return K.erf_many(x)
    return _ERF(x) if x.dtype.itemsize == 8 else _ERF_SHORT(x)


unary(
    "erf(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    _erf,
    lambda F, grad, input: (2 / _ROOT_PI) * F.exp(-F.pow(input, 2)) * grad,
    doc="""
    The error function: the chance that a normal number of variance 1/2 lies within [-x, x].

    ~elementwise-real

    >>> torch.erf(torch.tensor([0., 0.5, 3.]))
    tensor([0.0000, 0.5205, 1.0000])

    In place:
    >>> x = torch.tensor([0., 0.5, 3.])
    >>> x.erf_()
    tensor([0.0000, 0.5205, 1.0000])
    >>> x
    tensor([0.0000, 0.5205, 1.0000])
    """,
)
alias("special_erf", "erf", method=False)
unary(
    "erfc(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    real_only(K.erfc, "erfc_vml_cpu", quick=tables.erfc),
    lambda F, grad, input: (-2 / _ROOT_PI) * F.exp(-F.pow(input, 2)) * grad,
    doc="""
    1 - erf(x), exact where erf is close to 1.

    ~elementwise-real

    >>> torch.erfc(torch.tensor([0., 1., 5.]))
    tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])

    In place:
    >>> x = torch.tensor([0., 1., 5.])
    >>> x.erfc_()
    tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
    >>> x
    tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
    """,
)
alias("special_erfc", "erfc", method=False)
unary(
    "erfinv(Tensor input, *, Tensor out=None) -> Tensor",
    real_only(K.erfinv, "erfinv_vml_cpu", quick=tables.erfinv),
    lambda F, grad, input: 0.5 * _ROOT_PI * F.exp(F.square(F.erfinv(input))) * grad,
    doc="""
    The inverse of erf on (-1, 1); infinite at the ends, nan beyond.

    ~elementwise-real

    >>> torch.erfinv(torch.tensor([0., 0.5, 1., 2.]))
    tensor([0.0000, 0.4769,    inf,    nan])

    In place:
    >>> x = torch.tensor([0., 0.5, 1., 2.])
    >>> x.erfinv_()
    tensor([0.0000, 0.4769,    inf,    nan])
    >>> x
    tensor([0.0000, 0.4769,    inf,    nan])
    """,
    inplace_function=False,
)
alias("special_erfinv", "erfinv", method=False)
unary(
    "lgamma(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    real_only(K.lgamma, "lgamma_vml_cpu", quick=tables.lgamma),
    lambda F, grad, input: grad * F.digamma(input),
    doc="""
    The logarithm of the absolute value of the gamma function; lgamma(n) = log((n - 1)!).

    ~elementwise-real

    >>> torch.lgamma(torch.tensor([1., 2., 5.]))
    tensor([0.0000, 0.0000, 3.1781])

    In place:
    >>> x = torch.tensor([1., 2., 5.])
    >>> x.lgamma_()
    tensor([0.0000, 0.0000, 3.1781])
    >>> x
    tensor([0.0000, 0.0000, 3.1781])
    """,
    inplace_function=False,
)
alias("special_gammaln", "lgamma", method=False)
unary(
    "digamma(Tensor input, *, Tensor out=None) -> Tensor",
    real_only(K.digamma, "digamma", quick=tables.digamma),
    lambda F, grad, input: grad * F.polygamma(1, input),
    doc="""
    The derivative of lgamma.

    ~elementwise-real

    >>> torch.digamma(torch.tensor([1., 2., 0.5]))
    tensor([-0.5772,  0.4228, -1.9635])

    In place:
    >>> x = torch.tensor([1., 2., 0.5])
    >>> x.digamma_()
    tensor([-0.5772,  0.4228, -1.9635])
    >>> x
    tensor([-0.5772,  0.4228, -1.9635])
    """,
    inplace_function=False,
)
alias("special_psi", "digamma", method=False)
alias("special_digamma", "digamma", method=False)
unary(
    "i0(Tensor input, *, Tensor out=None) -> Tensor",
    real_only(partial(K.bessel_i, 0, scaled=False), "i0_vml_cpu", quick=partial(tables.bessel_i, 0, scaled=False)),
    lambda F, grad, input: grad * F.special_i1(input),
    doc="""
    The modified Bessel function of the first kind of order 0.

    ~elementwise-real

    >>> torch.i0(torch.tensor([0., 1., 2.]))
    tensor([1.0000, 1.2661, 2.2796])

    In place:
    >>> x = torch.tensor([0., 1., 2.])
    >>> x.i0_()
    tensor([1.0000, 1.2661, 2.2796])
    >>> x
    tensor([1.0000, 1.2661, 2.2796])
    """,
)
alias("special_i0", "i0", method=False)


@on_both_backends
def sinc_backward(F: Any, grad: Any, input: Any) -> Any:
    x, square = input * math.pi, input * input * math.pi
    slope = F.conj((x * F.cos(x) - F.sin(x)) / square)
    return F.where(square == 0, F.zero_dim(grad), grad * slope)


def _sinc(x: np.ndarray) -> np.ndarray:
    x = floated(x)
    y = x * np.asarray(np.pi, x.dtype)
    return np.where(x == 0, np.ones((), x.dtype), np.sin(y) / y)


unary(
    "sinc(Tensor input, *, Tensor out=None) -> Tensor",
    single(_sinc),
    lambda F, grad, input: F.sinc_backward(grad, input),
    holomorphic=True,
    doc="""
    sin(pi x) / (pi x), 1 at 0.

    ~elementwise-float

    >>> torch.sinc(torch.tensor([0., 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])

    In place:
    >>> x = torch.tensor([0., 0.5, 1.5])
    >>> x.sinc_()
    tensor([ 1.0000,  0.6366, -0.2122])
    >>> x
    tensor([ 1.0000,  0.6366, -0.2122])
    """,
)
alias("special_sinc", "sinc", method=False)


_trigamma = single(K.trigamma)


def _tensor_first(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """The arguments as (input, n): the function has n first."""
    _, values = called.bind(args, kwargs)
    out = {} if values.get("out") is None else {"out": values["out"]}
    return (values["input"], values["n"]), out


@op(
    "polygamma(int n, Tensor input, *, Tensor out=None) -> Tensor",
    vjp={"input": lambda F, grad, input, n: grad * F.polygamma(n + 1, input)},
    binds=_tensor_first,
    inplace=True,
    inplace_function=False,
    inplace_overload=True,
    out=Out(overlap="part"),
)
def polygamma(input: np.ndarray, n: int) -> np.ndarray:
    """
    The n-th derivative of digamma.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers; n is an int, 0 or more.

    >>> torch.polygamma(1, torch.tensor([1., 2.]))
    tensor([1.6449, 0.6449])

    In place:
    >>> x = torch.tensor([1., 2.])
    >>> x.polygamma_(0)
    tensor([-0.5772,  0.4228])
    >>> x
    tensor([-0.5772,  0.4228])
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    refuse(input, ("digamma", "trigamma", "polygamma")[min(n, 2)], COMPLEX)
    if n == 1:
        return iterated(_trigamma(floated(input)), input)
    return iterated(double(K.digamma if n == 0 else partial(K.polygamma, n))(input), input)


alias("special_polygamma", "polygamma", method=False)
RAW.polygamma = lambda n, x: polygamma(x, n)  # formulas call it as the function


@op(
    "mvlgamma(Tensor input, int p, *, Tensor out=None) -> Tensor",
    inplace=True,
    vjp={"input": lambda F, grad, input, p: grad * F.mvdigamma(input, p)},
    inplace_function=False,
)
@laid_by(iterated)
def mvlgamma(input: np.ndarray, p: int) -> np.ndarray:
    """The logarithm of the multivariate gamma function in p dimensions.

    Shapes: any; the result has input's shape.
    Dtypes: float; every element is larger than (p - 1) / 2.

    >>> torch.mvlgamma(torch.tensor([2., 3.]), p=2)
    tensor([0.4516, 1.5502])

    In place:
    sig: (self, p)
    >>> x = torch.tensor([2., 3.])
    >>> x.mvlgamma_(p=2)
    tensor([0.4516, 1.5502])
    >>> x
    tensor([0.4516, 1.5502])
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if input.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    refuse(input, "arange_cpu", COMPLEX)
    log = K.lgamma if input.dtype.itemsize == 8 else many(tables.lgamma, K.lgamma)
    value = double(lambda x: sum(log(x - j / 2) for j in range(p)) + p * (p - 1) / 4 * math.log(math.pi))(input)
    return contiguous(value)  # a sum of arrays with a dimension more


alias("special_multigammaln", "mvlgamma", method=False)


@on_both_backends
def mvdigamma(F: Any, input: Any, p: int) -> Any:
    return F.sum(F.digamma(F.halves(input, p) + F.unsqueeze(input, -1)), -1)


def _halves(x: Any, p: int) -> np.ndarray:
    return (np.arange(1 - p, 1) / 2).astype(x.dtype)


#: from (1 - p) / 2 to 0, in the dtype of x
RAW.halves = _halves
TENSORS.halves = lambda x, p: wrap(_halves(x._array, p))


@op(
    "logit(Tensor input, float? eps=None, *, Tensor out=None) -> Tensor",
    inplace=True,
    vjp={"input": lambda F, grad, input, eps: F.logit_backward(grad, input, eps)},
    elementwise=True,
    out=Out(overlap="part", once=True),
)
def logit(input: np.ndarray, eps: float | None = None) -> Any:
    """log(x / (1 - x)), the inverse of sigmoid; eps keeps x within [eps, 1 - eps].

    ~elementwise-real

    >>> torch.logit(torch.tensor([0.5, 0.9]))
    tensor([0.0000, 2.1972])
    >>> torch.logit(torch.tensor([0., 1.]), eps=0.1)
    tensor([-2.1972,  2.1972])

    In place:
    >>> x = torch.tensor([0.5, 0.9])
    >>> x.logit_()
    tensor([0.0000, 2.1972])
    >>> x
    tensor([0.0000, 2.1972])
    """
    refuse(input, "logit_cpu", COMPLEX)
    return iterated(_logit(floated(input), eps), input)


alias("special_logit", "logit", method=False)


def _logit(x: np.ndarray, eps: float | None) -> Any:
    if eps is not None:
        least = np.asarray(eps, x.dtype)
        most = x.dtype.type(1) - least
        x = np.where(x < least, least, np.minimum(x, most))
    return np.log(x / (x.dtype.type(1) - x))  # of a Python 1, NumPy 2.0 makes float32 of bfloat16


@on_both_backends
def logit_backward(F: Any, grad: Any, input: Any, eps: float | None) -> Any:
    slope = grad / (input * (1 - input))
    if eps is None or eps < 0:
        return F.where((input >= 0) & (input <= 1), slope, math.nan)
    return F.where((input < eps) | (input > 1 - eps), 0.0, slope)


# -- torch.special's own -----------------------------------------------------------------------------------------------


def special(
    declaration: str,
    kernel: Any,
    vjp: Any = None,
    *,
    halves: bool = True,
    quick: Any = None,
    node: str | None = None,
    doc: str = "",
) -> None:
    """A function of torch.special that torch itself has not."""
    name = name_of(declaration).removeprefix("special_")
    unary(declaration, real_only(kernel, name + "_cpu", halves, quick), vjp, node=node, inplace=False, doc=doc)


special(
    "special_i0e(Tensor input, *, Tensor out=None) -> Tensor",
    partial(K.bessel_i, 0, scaled=True),
    lambda F, grad, input, result: grad * (F.special_i1e(input) - F.sgn(input) * result),
    quick=partial(tables.bessel_i, 0, scaled=True),
    node="SpecialI0EBackward0",
    doc="""
    i0(x) exp(-|x|), which does not overflow.

    ~elementwise-real

    >>> torch.special.i0e(torch.tensor([0., 1., 100.]))
    tensor([1.0000, 0.4658, 0.0399])
    """,
)


def _near_zero(F: Any, input: Any, slope: Any) -> Any:
    """The slope of a Bessel function of order 1: 0.5 at 0 and next to it."""
    eps = F.epsilon(input)
    far = F.abs(input) > eps
    return F.where(far, slope(F.where(far, input, eps)), 0.5)


def _epsilon(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.finfo(x.dtype).eps, x.dtype)


RAW.epsilon, TENSORS.epsilon = _epsilon, lambda x: wrap(_epsilon(x._array))
special(
    "special_i1(Tensor input, *, Tensor out=None) -> Tensor",
    partial(K.bessel_i, 1, scaled=False),
    lambda F, grad, input, result: grad * _near_zero(F, input, lambda x: F.i0(x) - result * F.reciprocal(x)),
    quick=partial(tables.bessel_i, 1, scaled=False),
    doc="""
    The modified Bessel function of the first kind of order 1.

    ~elementwise-real

    >>> torch.special.i1(torch.tensor([0., 1., 2.]))
    tensor([0.0000, 0.5652, 1.5906])
    """,
)
special(
    "special_i1e(Tensor input, *, Tensor out=None) -> Tensor",
    partial(K.bessel_i, 1, scaled=True),
    lambda F, grad, input, result: (
        grad * _near_zero(F, input, lambda x: F.special_i0e(x) - result * (F.sgn(x) + F.reciprocal(x)))
    ),
    quick=partial(tables.bessel_i, 1, scaled=True),
    node="SpecialI1EBackward0",
    doc="""
    i1(x) exp(-|x|), which does not overflow.

    ~elementwise-real

    >>> torch.special.i1e(torch.tensor([0., 1., 100.]))
    tensor([0.0000, 0.2079, 0.0397])
    """,
)
special(
    "special_entr(Tensor input, *, Tensor out=None) -> Tensor",
    K.entr,
    lambda F, grad, input: grad * -F.add_number(F.log(input), 1),
    doc="""
    -x log(x): 0 at 0, -inf below. Its sum is the entropy of probabilities.

    ~elementwise-real

    >>> p = torch.tensor([0.5, 0.5, 0.])
    >>> torch.special.entr(p)
    tensor([0.3466, 0.3466, 0.0000])
    >>> torch.special.entr(p).sum()
    tensor(0.6931)
    """,
)
special(
    "special_erfcx(Tensor input, *, Tensor out=None) -> Tensor",
    K.erfcx,
    lambda F, grad, input, result: (2 * input * result - 2 / _ROOT_PI) * grad,
    halves=False,
    doc="""
    exp(x²) erfc(x), which does not vanish for large x.

    ~elementwise-real

    >>> torch.special.erfcx(torch.tensor([0., 1., 30.]))
    tensor([1.0000, 0.4276, 0.0188])
    """,
)
special(
    "special_ndtri(Tensor input, *, Tensor out=None) -> Tensor",
    K.ndtri,
    lambda F, grad, result: grad * math.sqrt(2 * math.pi) * F.exp(F.square(result) / 2),
    quick=tables.ndtri,
    halves=False,
    doc="""
    The inverse of ndtr: the point with this share to its left.

    ~elementwise-real

    >>> torch.special.ndtri(torch.tensor([0.5, 0.975]))
    tensor([0.0000, 1.9600])
    """,
)
special(
    "special_log_ndtr(Tensor input, *, Tensor out=None) -> Tensor|looped",
    K.log_ndtr,
    lambda F, grad, input, result: grad / math.sqrt(2 * math.pi) * F.exp(-(result + F.square(input) / 2)),
    halves=False,
    doc="""
    The logarithm of ndtr, exact far on the left.

    ~elementwise-real

    >>> torch.special.log_ndtr(torch.tensor([0., -3., -20.]))
    tensor([  -0.6931,   -6.6077, -203.9172])
    """,
)
special(
    "special_bessel_j0(Tensor input, *, Tensor out=None) -> Tensor",
    partial(K.bessel_j, 0),
    quick=partial(tables.bessel_j, 0),
    halves=False,
    doc="""
    The Bessel function of the first kind of order 0.

    ~elementwise-real

    >>> torch.special.bessel_j0(torch.tensor([0., 1., 5.]))
    tensor([ 1.0000,  0.7652, -0.1776])
    """,
)
special(
    "special_bessel_j1(Tensor input, *, Tensor out=None) -> Tensor",
    partial(K.bessel_j, 1),
    quick=partial(tables.bessel_j, 1),
    halves=False,
    doc="""
    The Bessel function of the first kind of order 1.

    ~elementwise-real

    >>> torch.special.bessel_j1(torch.tensor([0., 1., 5.]))
    tensor([ 0.0000,  0.4401, -0.3276])
    """,
)
special(
    "special_modified_bessel_i0(Tensor input, *, Tensor out=None) -> Tensor",
    partial(K.bessel_i, 0, scaled=False),
    quick=partial(tables.bessel_i, 0, scaled=False),
    halves=False,
    doc="""
    The modified Bessel function of the first kind of order 0.

    ~elementwise-real

    >>> torch.special.modified_bessel_i0(torch.tensor([0., 1.]))
    tensor([1.0000, 1.2661])
    """,
)
special(
    "special_modified_bessel_i1(Tensor input, *, Tensor out=None) -> Tensor",
    partial(K.bessel_i, 1, scaled=False),
    quick=partial(tables.bessel_i, 1, scaled=False),
    halves=False,
    doc="""
    The modified Bessel function of the first kind of order 1.

    ~elementwise-real

    >>> torch.special.modified_bessel_i1(torch.tensor([0., 1.]))
    tensor([0.0000, 0.5652])
    """,
)
special(
    "special_spherical_bessel_j0(Tensor x, *, Tensor out=None) -> Tensor",
    lambda x: np.where(x == 0, 1, np.where(np.isinf(x), 0, np.sin(x) / x)) if x.size else x,
    halves=False,
    doc="""
    sin(x) / x, 1 at 0.

    ~elementwise-real

    >>> torch.special.spherical_bessel_j0(torch.tensor([0., 1.]))
    tensor([1.0000, 0.8415])
    """,
)


@composite("special_ndtr(Tensor input, *, Tensor out=None) -> Tensor", method=False)
def special_ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """The share of a standard normal distribution to the left of x.

    ~elementwise-real

    >>> torch.special.ndtr(torch.tensor([-1., 0., 2.]))
    tensor([0.1587, 0.5000, 0.9772])
    """
    r = F.mul_number(F.add_number(F.erf(F.mul_number(input, 1 / math.sqrt(2))), 1), 0.5)
    return r if out is None else F.mul(r, 1, out=out)


@composite("special_round(Tensor input, *, int decimals=0, Tensor out=None) -> Tensor", method=False)
def special_round(input: Tensor, *, decimals: int = 0, out: Any = None) -> Tensor:
    """torch.round under the name of the special functions.

    ~elementwise-real

    >>> torch.special.round(torch.tensor([0.5, 1.6]))
    tensor([0., 2.])
    """
    return F.round(input, decimals=decimals, out=out)


# -- of two arguments --------------------------------------------------------------------------------------------------

_in_double = double(lambda x, y: K.zeta(x, y))


def _zeta_kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.itemsize == 2 and x.dtype.kind in "fV":
        refuse(x, "zeta_cpu", "fV")
    return _in_double(x, y)


_no_first = not_implemented("zeta")


binary(
    """
    special_zeta(Tensor input, Tensor other, *, Tensor out=None) -> Tensor
    special_zeta(Scalar self, Tensor other, *, Tensor out=None) -> Tensor|.self_scalar
    special_zeta(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.other_scalar
    """,
    _zeta_kernel,
    {
        "input": _no_first,
        "other": lambda F, grad, input, other: grad * -input * F.special_zeta(input + 1, other),
    },
    result="float",
    inplace=False,
    forwardless="special_zeta",
    check=refusing(COMPLEX, "zeta_cpu"),
    overloads=with_number(
        "special_zeta",
        _zeta_kernel,
        ("SpecialZetaBackward2", "SpecialZetaBackward1"),
        _no_first,
        lambda F, grad, input, other: grad * -input * F.special_zeta(input + 1, other),
        check=refusing(COMPLEX, "zeta_cpu"),
        floats=True,
    ),
    doc="""
    The Hurwitz zeta function: the sum of 1 / (k + other)**input over k = 0, 1, ….

    ~pair-computed

    >>> torch.special.zeta(torch.tensor([2., 3.]), torch.tensor(1.))
    tensor([1.6449, 1.2021])
    """,
)
RAW.special_zeta = lambda x, y: OPS["special_zeta"].kernel(np.asarray(x, y.dtype) if is_number(x) else x, y)


def _igamma(declaration: str, upper: bool, doc: str) -> None:
    name = name_of(declaration)
    kernel = double(lambda a, x: igamma(a, x, upper))
    sign = -1 if upper else 1

    def slope(F: Any, grad: Any, input: Any, other: Any) -> Any:
        return grad * sign * F.exp((input - 1) * F.log(other) - other - F.lgamma(input))

    no_first = not_implemented(f"{name}: input")
    formulas = {"input": no_first, "other": slope}
    binary(declaration, kernel, formulas, check=refusing("biuc", name + "_cpu"), doc=doc, forwardless=name)


_igamma(
    "igamma(Tensor input, Tensor other, *, Tensor out=None) -> Tensor",
    upper=False,
    doc="""
    The regularised lower incomplete gamma function of order input, at other.

    ~pair-float

    >>> torch.igamma(torch.tensor([1., 2.]), torch.tensor([1., 1.]))
    tensor([0.6321, 0.2642])

    In place:
    >>> x = torch.tensor([1., 2.])
    >>> x.igamma_(torch.tensor([1., 1.]))
    tensor([0.6321, 0.2642])
    >>> x
    tensor([0.6321, 0.2642])
    """,
)
alias("special_gammainc", "igamma", method=False)
_igamma(
    "igammac(Tensor input, Tensor other, *, Tensor out=None) -> Tensor",
    upper=True,
    doc="""
    The regularised upper incomplete gamma function: 1 - igamma.

    ~pair-float

    >>> torch.igammac(torch.tensor([1., 2.]), torch.tensor([1., 1.]))
    tensor([0.3679, 0.7358])

    In place:
    >>> x = torch.tensor([1., 2.])
    >>> x.igammac_(torch.tensor([1., 1.]))
    tensor([0.3679, 0.7358])
    >>> x
    tensor([0.3679, 0.7358])
    """,
)
alias("special_gammaincc", "igammac", method=False)
