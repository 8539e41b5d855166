"""Rounding and what goes with it: piecewise constant, so the derivative is 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.layout import iterated
from ..first.kinds import chosen, laid_out, like_input, refuse, single
from ..table.calls import ByOut
from ..table.factories import unary
from ..table.opdef import OPS, Op, alias, op
from ..table.outputs import FOUND, Out
from ..table.overloads import Overload, read


def _rounded(declaration: str, ufunc: Any, doc: str, out: Any = None) -> None:
    name = declare(declaration, doc, out)

    def real(x: np.ndarray) -> None:
        if x.dtype.kind == "c":
            raise NotImplementedError(f"{name} is not supported for complex inputs")

    def kernel(x: np.ndarray) -> Any:
        refuse(x, f"{name}_vml_cpu", "b")
        real(x)
        return x.copy() if x.dtype.kind in "iu" else ufunc(x)

    unary(
        name,
        kernel,
        lambda F, grad: F.nought(grad),
        promotes=False,
        doc=doc,
        refuses_in_place=real,
        inner_writes=lambda x: x.dtype.kind in "iu",  # which are copied
    )


_rounded(
    "floor(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    np.floor,
    """
    The next integer downwards, as a number of the same dtype. Its derivative is 0.

    ~elementwise

    >>> torch.floor(torch.tensor([-1.5, 0.2, 2.]))
    tensor([-2.,  0.,  2.])

    In place:
    >>> x = torch.tensor([-1.5, 0.2, 2.])
    >>> x.floor_()
    tensor([-2.,  0.,  2.])
    >>> x
    tensor([-2.,  0.,  2.])
    """,
    out=Out(exact=FOUND),
)
_rounded(
    "ceil(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    np.ceil,
    """
    The next integer upwards, as a number of the same dtype. Its derivative is 0.

    ~elementwise

    >>> torch.ceil(torch.tensor([-1.5, 0.2, 2.]))
    tensor([-1.,  1.,  2.])

    In place:
    >>> x = torch.tensor([-1.5, 0.2, 2.])
    >>> x.ceil_()
    tensor([-1.,  1.,  2.])
    >>> x
    tensor([-1.,  1.,  2.])
    """,
    out=Out(exact=FOUND),
)
_rounded(
    "trunc(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    np.trunc,
    """
    The integer part: the next integer towards 0. Its derivative is 0.

    ~elementwise

    >>> torch.trunc(torch.tensor([-1.7, 1.7]))
    tensor([-1.,  1.])
    """,
    out=Out(exact=FOUND),
)
alias("fix", "trunc")
alias("fix_", "trunc_")


def _frac(x: np.ndarray) -> Any:
    refuse(x, "frac_cpu", "biuc")
    return x - np.trunc(x)


def _round(x: np.ndarray) -> Any:
    refuse(x, "round_vml_cpu", "bc")
    return x.copy() if x.dtype.kind in "iu" else np.rint(x)


def _decimals(x: np.ndarray, places: int) -> np.ndarray:
    power = np.asarray(10.0 ** abs(places), x.dtype)
    return np.rint(x * power) / power if places > 0 else np.rint(x / power) * power


def _round_decimals(input: np.ndarray, decimals: int) -> Any:
    refuse(input, "round_cpu" if decimals else "round_vml_cpu", "biuc")
    return iterated(np.rint(input) if decimals == 0 else single(_decimals)(input, decimals), input)


unary(
    "frac(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    _frac,
    lambda F, grad: grad,
    promotes=False,
    doc="""
    What trunc takes away: the fractional part, with the sign of input.

    ~elementwise-real

    >>> torch.frac(torch.tensor([1.5, -2.25]))
    tensor([ 0.5000, -0.2500])

    In place:
    >>> x = torch.tensor([1.5, -2.25])
    >>> x.frac_()
    tensor([ 0.5000, -0.2500])
    >>> x
    tensor([ 0.5000, -0.2500])
    """,
    out=Out(exact=FOUND),
)
OPS["round.decimals"] = Op(
    "round", _round_decimals, node="RoundBackward1", vjp={"input": lambda F, grad: F.nought(grad)}
)
unary(
    """
    round(Tensor input, *, Tensor out=None) -> Tensor
    round(Tensor input, *, int decimals, Tensor out=None) -> Tensor|foreach|.decimals
    """,
    _round,
    lambda F, grad: F.nought(grad),
    promotes=False,
    inner_writes=lambda x: x.dtype.kind in "iu",  # which are copied
    overloads=[Overload(OPS["round.decimals"], keywords=frozenset(("decimals",)), takes=read)],
    doc="""
    The nearest integer, of two equally near ones the even one; with decimals, the nearest number with so many
    digits after the point.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers; decimals for float only. The derivative is 0.

    >>> torch.round(torch.tensor([0.5, 1.5, -1.2]))
    tensor([ 0.,  2., -1.])
    >>> torch.round(torch.tensor([1.2345, 67.891]), decimals=1)
    tensor([ 1.2000, 67.9000])

    In place:
    >>> x = torch.tensor([0.5, 1.5, -1.2])
    >>> x.round_()
    tensor([ 0.,  2., -1.])
    >>> x
    tensor([ 0.,  2., -1.])
    """,
    out=Out(exact=FOUND, overlap="part"),
)


@op(
    "nan_to_num(Tensor input, float? nan=None, float? posinf=None, float? neginf=None, *, Tensor out=None) -> Tensor",
    vjp={"input": lambda F, grad, input: grad * F.isfinite(input)},
    real=True,
    inplace=True,
    out=Out(exact="nan_to_num: dtype of out: {1} should be same as input: {0}", overlap="part"),
    inner_writes=ByOut("nan_to_num"),
)
@laid_out(like_input)
def nan_to_num(
    input: np.ndarray, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> np.ndarray:
    """nan, inf and -inf replaced by numbers: 0 and the largest and smallest numbers of the dtype, if not said
    otherwise.

    ~elementwise

    >>> torch.nan_to_num(torch.tensor([float('nan'), 1., float('-inf')]), nan=9., neginf=-1.)
    tensor([ 9.,  1., -1.])

    In place:
    >>> x = torch.tensor([float('nan'), 1., float('-inf')])
    >>> x.nan_to_num_(nan=9., neginf=-1.)
    tensor([ 9.,  1., -1.])
    >>> x
    tensor([ 9.,  1., -1.])
    """
    if input.dtype.kind in "biu":
        return input.copy(order="K")
    if input.dtype.kind == "c":
        r = np.empty_like(input)
        r.real, r.imag = (nan_to_num(part, nan, posinf, neginf) for part in (input.real, input.imag))
        return r
    if input.dtype.kind == "f" and type(finite := np.isfinite(input)) is np.ndarray and finite.all():
        return np.positive(input)
    limits = _limits(input.dtype)
    r = chosen(np.isnan(input), np.asarray(nan or 0, input.dtype), input)
    r = chosen(input == np.inf, np.asarray(limits if posinf is None else posinf, input.dtype), r)
    return chosen(input == -np.inf, np.asarray(-limits if neginf is None else neginf, input.dtype), r)


def _limits(d: np.dtype[Any]) -> float:
    return 3.3895313892515355e38 if d.kind == "V" else float(np.finfo(d).max)
