"""Exponentials and logarithms to other bases, and exact ones near 0; exp and log are in `first`."""

from __future__ import annotations

import math

import numpy as np

from ..kernels.rounded import expm1, log1p, rounded
from ..table.factories import unary
from ..table.opdef import alias

unary(
    "exp2(Tensor input, *, Tensor out=None) -> Tensor",
    rounded(np.exp2),
    lambda F, grad, result: F.mul_number(grad * F.conj(result), math.log(2)),
    doc="""
    2 to the power of input.

    ~elementwise-float

    >>> torch.exp2(torch.tensor([0., 3., -1.]))
    tensor([1.0000, 8.0000, 0.5000])

    In place:
    >>> x = torch.tensor([0., 3., -1.])
    >>> x.exp2_()
    tensor([1.0000, 8.0000, 0.5000])
    >>> x
    tensor([1.0000, 8.0000, 0.5000])
    """,
)
alias("special_exp2", "exp2", method=False)
unary(
    "expm1(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    expm1,
    lambda F, grad, result: grad * F.add_number(F.conj(result), 1),
    doc="""
    exp(x) - 1, exact for small x.

    ~elementwise-float

    >>> torch.expm1(torch.tensor([0., 1e-5, 1.]))
    tensor([0.0000e+00, 1.0000e-05, 1.7183e+00])

    In place:
    >>> x = torch.tensor([0., 1e-05, 1.])
    >>> x.expm1_()
    tensor([0.0000e+00, 1.0000e-05, 1.7183e+00])
    >>> x
    tensor([0.0000e+00, 1.0000e-05, 1.7183e+00])
    """,
)
alias("special_expm1", "expm1", method=False)
unary(
    "log2(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.log2),
    lambda F, grad, input: grad / F.conj(F.mul_number(input, math.log(2))),
    doc="""
    The logarithm to base 2.

    ~elementwise-float

    >>> torch.log2(torch.tensor([1., 8., 0.5]))
    tensor([ 0.,  3., -1.])

    In place:
    >>> x = torch.tensor([1., 8., 0.5])
    >>> x.log2_()
    tensor([ 0.,  3., -1.])
    >>> x
    tensor([ 0.,  3., -1.])
    """,
)


unary(
    "log10(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.log10),
    lambda F, grad, input: grad / F.conj(F.mul_number(input, math.log(10))),
    doc="""
    The logarithm to base 10.

    ~elementwise-float

    >>> torch.log10(torch.tensor([1., 100., 0.1]))
    tensor([ 0.,  2., -1.])

    In place:
    >>> x = torch.tensor([1., 100., 0.1])
    >>> x.log10_()
    tensor([ 0.,  2., -1.])
    >>> x
    tensor([ 0.,  2., -1.])
    """,
)
unary(
    "log1p(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    log1p,
    lambda F, grad, input: grad / F.conj(F.add_number(input, 1)),
    node="Log1PBackward0",
    doc="""
    log(1 + x), exact for small x.

    ~elementwise-float

    >>> torch.log1p(torch.tensor([0., 1e-5, 1.]))
    tensor([0.0000e+00, 9.9999e-06, 6.9315e-01])

    In place:
    >>> x = torch.tensor([0., 1e-05, 1.])
    >>> x.log1p_()
    tensor([0.0000e+00, 9.9999e-06, 6.9315e-01])
    >>> x
    tensor([0.0000e+00, 9.9999e-06, 6.9315e-01])
    """,
)
alias("special_log1p", "log1p", method=False)
