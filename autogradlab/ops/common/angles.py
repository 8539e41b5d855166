"""Functions of angles, hyperbolic ones, and their inverses; sin, cos and tanh are in `first`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ..first.kinds import floated
from ..kernels.rounded import rounded
from ..table.calls import ByOut
from ..table.factories import unary
from ..table.opdef import alias

unary(
    "tan(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.tan),
    lambda F, grad, result: grad * F.conj(F.add_number(F.pow(result, 2), 1)),
    doc="""
    The tangent of an angle in radians.

    ~elementwise-float

    >>> torch.tan(torch.tensor([0., torch.pi / 4]))
    tensor([0., 1.])

    In place:
    >>> x = torch.tensor([0., torch.pi / 4])
    >>> x.tan_()
    tensor([0., 1.])
    >>> x
    tensor([0., 1.])
    """,
)
unary(
    "asin(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.arcsin),
    lambda F, grad, input: grad * F.conj(F.rsqrt(F.add_number(-input * input, 1))),
    doc="""
    The angle, in [-pi/2, pi/2], whose sine is input; nan outside of [-1, 1].

    ~elementwise-float

    >>> torch.asin(torch.tensor([0., 1., -1., 2.]))
    tensor([ 0.0000,  1.5708, -1.5708,     nan])
    """,
)
unary(
    "acos(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.arccos),
    lambda F, grad, input: grad * -F.conj(F.rsqrt(F.add_number(-input * input, 1))),
    doc="""
    The angle, in [0, pi], whose cosine is input; nan outside of [-1, 1].

    ~elementwise-float

    >>> torch.acos(torch.tensor([1., 0., -1., 2.]))
    tensor([0.0000, 1.5708, 3.1416,    nan])

    In place:
    >>> x = torch.tensor([1., 0., -1., 2.])
    >>> x.acos_()
    tensor([0.0000, 1.5708, 3.1416,    nan])
    >>> x
    tensor([0.0000, 1.5708, 3.1416,    nan])
    """,
)
unary(
    "atan(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.arctan),
    lambda F, grad, input: grad / F.conj(F.add_number(input * input, 1)),
    doc="""
    The angle, in (-pi/2, pi/2), whose tangent is input.

    ~elementwise-float

    >>> torch.atan(torch.tensor([0., 1., float('inf')]))
    tensor([0.0000, 0.7854, 1.5708])
    """,
)
unary(
    "sinh(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.sinh),
    lambda F, grad, input: grad * F.conj(F.cosh(input)),
    doc="""
    The hyperbolic sine, (exp(x) - exp(-x)) / 2.

    ~elementwise-float

    >>> torch.sinh(torch.tensor([0., 1., -1.]))
    tensor([ 0.0000,  1.1752, -1.1752])

    In place:
    >>> x = torch.tensor([0., 1., -1.])
    >>> x.sinh_()
    tensor([ 0.0000,  1.1752, -1.1752])
    >>> x
    tensor([ 0.0000,  1.1752, -1.1752])
    """,
)
unary(
    "cosh(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.cosh),
    lambda F, grad, input: grad * F.conj(F.sinh(input)),
    doc="""
    The hyperbolic cosine, (exp(x) + exp(-x)) / 2.

    ~elementwise-float

    >>> torch.cosh(torch.tensor([0., 1., -1.]))
    tensor([1.0000, 1.5431, 1.5431])

    In place:
    >>> x = torch.tensor([0., 1., -1.])
    >>> x.cosh_()
    tensor([1.0000, 1.5431, 1.5431])
    >>> x
    tensor([1.0000, 1.5431, 1.5431])
    """,
)
unary(
    "asinh(Tensor input, *, Tensor out=None) -> Tensor",
    np.arcsinh,
    lambda F, grad, input: grad * F.conj(F.rsqrt(F.add_number(F.pow(input, 2), 1))),
    inplace_derivative=False,
    doc="""
    The inverse of sinh.

    ~elementwise-float

    >>> torch.asinh(torch.tensor([0., 1., -1.]))
    tensor([ 0.0000,  0.8814, -0.8814])
    """,
)
unary(
    "acosh(Tensor input, *, Tensor out=None) -> Tensor",
    np.arccosh,
    lambda F, grad, input: (
        grad * F.conj(F.rsqrt(F.add_number(input, 1)) * F.rsqrt(F.sub_number(input, 1)))
        if F.is_complex(input)
        else grad * F.rsqrt(F.sub_number(input * input, 1))
    ),
    inplace_derivative=False,
    doc="""
    The inverse of cosh, not negative; nan below 1.

    ~elementwise-float

    >>> torch.acosh(torch.tensor([1., 2., 0.5]))
    tensor([0.0000, 1.3170,    nan])

    In place:
    >>> x = torch.tensor([1., 2., 0.5])
    >>> x.acosh_()
    tensor([0.0000, 1.3170,    nan])
    >>> x
    tensor([0.0000, 1.3170,    nan])
    """,
)
unary(
    "atanh(Tensor input, *, Tensor out=None) -> Tensor",
    np.arctanh,
    lambda F, grad, input: F.mul_number(grad, 1) / F.conj(1 - F.pow(input, 2)),
    inplace_derivative=False,
    doc="""
    The inverse of tanh; infinite at -1 and 1, nan beyond.

    ~elementwise-float

    >>> torch.atanh(torch.tensor([0., 0.5, 1.]))
    tensor([0.0000, 0.5493,    inf])
    """,
)


def _angle_unit(declaration: str, factor: float, doc: str) -> None:
    name = declare(declaration, doc)

    def kernel(x: np.ndarray) -> Any:
        if x.dtype.kind == "c":
            raise RuntimeError(f"{name} is not supported for complex tensors.")
        x = floated(x)
        return x * np.asarray(factor, x.dtype)

    node = f"{name[:3].title()}2{name[4:].title()}Backward0"
    unary(name, kernel, lambda F, grad: F.mul_number(grad, factor), doc=doc, node=node, inner_writes=ByOut(name))


_angle_unit(
    "deg2rad(Tensor input, *, Tensor out=None) -> Tensor",
    math.pi / 180,
    """
    Degrees as radians.

    ~elementwise-real

    >>> torch.deg2rad(torch.tensor([0., 90., 180.]))
    tensor([0.0000, 1.5708, 3.1416])

    In place:
    >>> x = torch.tensor([0., 90., 180.])
    >>> x.deg2rad_()
    tensor([0.0000, 1.5708, 3.1416])
    >>> x
    tensor([0.0000, 1.5708, 3.1416])
    """,
)
_angle_unit(
    "rad2deg(Tensor input, *, Tensor out=None) -> Tensor",
    180 / math.pi,
    """
    Radians as degrees.

    ~elementwise-real

    >>> torch.rad2deg(torch.tensor([0., torch.pi]))
    tensor([  0., 180.])

    In place:
    >>> x = torch.tensor([0., torch.pi])
    >>> x.rad2deg_()
    tensor([  0., 180.])
    >>> x
    tensor([  0., 180.])
    """,
)
alias("arcsin", "asin")
alias("arcsin_", "asin_")
alias("arccos", "acos")
alias("arccos_", "acos_")
alias("arctan", "atan")
alias("arctan_", "atan_")
alias("arcsinh", "asinh")
alias("arcsinh_", "asinh_")
alias("arccosh", "acosh")
alias("arccosh_", "acosh_")
alias("arctanh", "atanh")
alias("arctanh_", "atanh_")
