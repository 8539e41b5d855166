"""Variance, standard deviation and covariance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.memory.adding import added
from ...core.memory.layout import contiguous
from ...core.memory.rows import Rows
from ...core.recording.record import TENSORS, says
from ...core.runtime.warn import warn
from ...core.tensor.overriding import cast_within
from ...core.tensor.tensor import Tensor
from ...core.types.dims import all_dims
from ...core.types.dtypes import get_default_dtype, scalar_name, unsupported
from ..first.kinds import along, is_half, on_both_backends
from ..first.reduce import count_of
from ..table.calls import ByOut
from ..table.opdef import composite, op
from ..table.overloads import Arguments, Called

F = TENSORS
#: from more elements on the variance is computed in the dtype of the input
_MANY = 1 << 15
_SINGLE = np.dtype(np.float32)
_AT = "aten/src/ATen/native/ReduceOps.cpp:1861"

# -- variance ----------------------------------------------------------------------------------------------------------


def _same(x: Any) -> Any:
    return x


_reduce: Any = np.add.reduce


def _summed(x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    """The sums along dimensions, in NumPy's order."""
    return _reduce(x, dims, None, None, keepdim)


def _parts_by(x: Any, n: int) -> Any:
    """Complex numbers over a number: both parts, so that what is not finite stays in its own."""
    r = np.empty_like(x)
    r.real, r.imag = x.real / n, x.imag / n
    return r


def _of_few(x: np.ndarray, dim: Any, taken: Any) -> Any:
    """The variance of a few numbers of float32, all of them or along one dimension, in double as below; None where it
    is to be computed there."""
    if not x.flags.c_contiguous or not 0 < x.size <= _MANY or type(taken) is not int:
        return None
    if dim is None:
        n = x.size
        off = x.reshape(-1).astype(np.float64)
        off -= _reduce(off) / n
    elif type(dim) is int and -x.ndim <= dim < x.ndim:
        n = x.shape[dim]
        off = x.astype(np.float64)
        off -= _reduce(off, dim, None, None, True) / np.array(n, np.float64)
    else:
        return None
    if n - taken < 1:
        return None
    if dim is None:
        return float(off.dot(off)) / (n - taken)
    return np.vecdot(off, off, axis=dim) / np.array(n - taken, np.float64)


def _varied(name: str, root: bool, mean: bool) -> Any:
    what = name if mean else "std and var"

    def kernel(
        input: Any, dim: tuple[int, ...] | None = None, correction: int | None = None, keepdim: bool = False
    ) -> Any:
        if not (keepdim or mean) and input.dtype is _SINGLE and type(input) is np.ndarray:
            found = _of_few(input, dim, 1 if correction is None else correction)
            if found is not None:
                sqrt: Any = math.sqrt if type(found) is float else np.sqrt
                return np.asarray(sqrt(found) if root else found, _SINGLE)
        if input.dtype.kind not in "fcV":
            raise RuntimeError(f"{what} only support floating point and complex dtypes")
        x = input.astype(np.float32) if is_half(input) else input
        array = _same if type(x) is Rows else np.asarray  # where NumPy gives a number
        sums = added
        if x.size <= _MANY:  # PyTorch adds up in double, which takes long for many
            if x.itemsize < 8:  # and rounds once, so that it does not matter in which order
                sums = _summed
            x = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, copy=False)
        dims = all_dims(dim, x.ndim)
        shape = x.shape
        count = 1
        for d in dims:
            count *= shape[d]
        taken = 1 if correction is None else correction
        free = max(count - taken, 0)
        kept = [1 if d in dims else n for d, n in enumerate(shape)]
        if (0 if 0 in kept else count) <= taken:
            for _ in range(2 if input.dtype.kind == "c" else 1):  # of the real and the imaginary parts
                warn(
                    f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
                    "factor (input numel divided by output numel).",
                    at=_AT,
                )
        if not count:
            middle = np.full(kept, np.nan)
        else:
            total = sums(x, dims, True)
            apart = total.dtype.kind == "c" and type(total) is not Rows
            middle = _parts_by(total, count) if apart else total / np.array(count, total.dtype)
        off = x - middle
        v: Any = None
        for part in (off.real, off.imag) if off.dtype.kind == "c" else (off,):
            squares = np.multiply(part, part, out=part) if part.ndim else part * part
            total = array(contiguous(sums(squares, dims, keepdim)))
            spread = array(total / np.array(free, total.dtype))
            v = spread if v is None else v + spread
        if count == 0:
            v = v * np.nan
        v = array(np.sqrt(v)) if root else v
        v = v.astype(input.real.dtype if input.dtype.kind == "c" else input.dtype)
        if not mean:
            return v
        m = middle if keepdim or not x.ndim else np.squeeze(array(middle), dims)
        return v, array(contiguous(m)).astype(input.dtype)

    return kernel


@on_both_backends
def var_back(F: Any, grad: Any, input: Any, dim: tuple[int, ...] | None, correction: int | None, keepdim: bool) -> Any:
    shape = tuple(input.shape)
    free = count_of(shape, dim) - (1 if correction is None else correction)
    if not shape or dim is None:
        middle = F.mean(input)
        if free <= 0:
            return grad * F.pick(input == middle, np.nan, np.inf)
        return F.mul_number(grad, 2 / free) * (input - middle)
    if len(shape) > 1:
        grad = F.restored(grad, shape, dim, keepdim)
    factor = 2 / free if free else np.inf
    return F.mul_number(grad, factor) * (input - F.mean(input, all_dims(dim, len(shape)), True))


@on_both_backends
def std_back(
    F: Any, grad: Any, input: Any, result: Any, dim: tuple[int, ...] | None, correction: int | None, keepdim: bool
) -> Any:
    return F.var_back(F.over_size(grad, F.mul_number(result, 2), result), input, dim, correction, keepdim)


def _std_along(
    F: Any, tangent: Any, input: Any, result: Any, dim: tuple[int, ...] | None, correction: int | None, keepdim: bool
) -> Any:
    """The tangent of a standard deviation: half of that of the variance, by the deviation."""
    slope = F.var_back(F.ones_like(F.restored(result, tuple(input.shape), dim, keepdim)), input, dim, correction, True)
    return F.over_size(along(F, slope, tangent, dim, keepdim), F.mul_number(result, 2), result)


@on_both_backends
def mean_part(F: Any, grad: Any, input: Any, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    shape = tuple(input.shape)
    whole = F.expand(grad, shape) if dim is None else F.spread(grad, shape, dim, keepdim)
    return F.div_number(whole, max(count_of(shape, dim), 1))


def _pair(*terms: Any) -> Any:
    kept = [t for t in terms if t is not None]
    return kept[0] if len(kept) == 1 else kept[0] + kept[1]


def _var_mean_back(
    F: Any, grads: list[Any], input: Any, dim: tuple[int, ...] | None, correction: int | None, keepdim: bool
) -> Any:
    first, second = grads
    return _pair(
        None if first is None else F.var_back(first, input, dim, correction, keepdim),
        None if second is None else F.mean_part(second, input, dim, keepdim),
    )


def _std_mean_along(
    F: Any,
    tangent: Any,
    input: Any,
    result0: Any,
    dim: tuple[int, ...] | None,
    correction: int | None,
    keepdim: bool,
) -> tuple[Any, Any]:
    dims = all_dims(dim, len(input.shape))
    return _std_along(F, tangent, input, result0, dim, correction, keepdim), F.mean(tangent, dims, keepdim)


def _std_mean_back(
    F: Any,
    grads: list[Any],
    input: Any,
    result0: Any,
    dim: tuple[int, ...] | None,
    correction: int | None,
    keepdim: bool,
) -> Any:
    first, second = grads
    return _pair(
        None if first is None else F.std_back(first, input, result0, dim, correction, keepdim),
        None if second is None else F.mean_part(second, input, dim, keepdim),
    )


def _correction(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """The arguments as (input, dim, correction, keepdim): unbiased=True is a correction of 1."""
    if (
        not kwargs
        and args
        and isinstance(args[0], Tensor)
        and (args[1:] == () or (len(args) == 2 and type(args[1]) is int))
    ):
        return (args[0], args[1] if len(args) == 2 else None, None, False), kwargs
    if len(args) == 1 == len(kwargs) and type(dim := kwargs.get("dim")) is int and isinstance(args[0], Tensor):
        return (args[0], dim, None, False), {}
    _, given = called.bind(args, kwargs)
    dim = given.get("dim")
    correction = given.get("correction") if "unbiased" not in given else int(given["unbiased"])
    out = {} if given.get("out") is None else {"out": given["out"]}
    return (given["input"], None if dim == () else dim, correction, given.get("keepdim", False)), out


def _from_mean(correction: Any, form: str) -> tuple[str, str]:
    """A formula with n - correction in it, for words of either language."""
    less = 1 if correction is None else correction
    text = form.format(n=f"(n-{less:g})" if less else "n")
    return text, text


def _as_one(input: np.ndarray, dim: Any, *_: Any) -> int:
    """The inner writes of a variance: complex numbers are taken apart, and float numbers that are all reduced have a
    kernel that is called with out=."""
    whole = len(all_dims(dim, input.ndim)) == input.ndim
    if whole and input.dtype.kind == "f" and input.itemsize > 2:
        return ByOut("sum") if input.size else 1
    return int(input.dtype.kind == "c")


def _reals(input: Tensor, outs: Sequence[Tensor]) -> None:
    """Deviations of reals are not written as complex numbers."""
    if not input.is_complex() and outs[0].is_complex():
        raise unsupported("std_cpu", outs[0])


op(
    """
    var(Tensor input, int[1]? dim, bool unbiased=True, bool keepdim=False, *, Tensor out=None) -> Tensor|.dim|.out
    var(Tensor input, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False,
        Tensor out=None) -> Tensor|.correction
    var(Tensor input, bool unbiased=True) -> Tensor
    """,
    vjp={
        "input": says(lambda correction: _from_mean(correction, "g·2·({{self}}-mean)/{n}"))(
            lambda F, grad, input, dim, correction, keepdim: F.var_back(grad, input, dim, correction, keepdim)
        )
    },
    inner_writes=_as_one,
    binds=_correction,
    check_out=_reals,
    doc="""
    The variance: squared distances from the mean, divided by n - correction (1, if not said otherwise).
    main: 2

    ~dims
    ~floats

    >>> x = torch.tensor([1., 2., 3., 4.])
    >>> x.var(), x.var(correction=0)
    (tensor(1.6667), tensor(1.2500))
    """,
)(_varied("var", root=False, mean=False))
op(
    """
    std(Tensor input, int[1]? dim, bool unbiased=True, bool keepdim=False, *, Tensor out=None) -> Tensor|.dim|.out
    std(Tensor input, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False,
        Tensor out=None) -> Tensor|.correction
    std(Tensor input, bool unbiased=True) -> Tensor
    """,
    vjp={
        "input": says(lambda correction: _from_mean(correction, "g·({{self}}-mean)/({n}·{{result}})"))(
            lambda F, grad, input, result, dim, correction, keepdim: F.std_back(
                grad, input, result, dim, correction, keepdim
            )
        )
    },
    jvp={"input": _std_along},
    inner_writes=lambda x, *given: 2 if x.dtype.kind == "c" else _as_one(x, *given),
    binds=_correction,
    check_out=_reals,
    doc="""
    The standard deviation: the root of var.
    main: 2

    ~dims
    ~floats

    >>> torch.std(torch.tensor([[1., 3.], [2., 6.]]), dim=1)
    tensor([1.4142, 2.8284])
    """,
)(_varied("std", root=True, mean=False))
op(
    """
    var_mean(Tensor input, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)|.dim
    var_mean(Tensor input, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor,
        Tensor)|.correction
    var_mean(Tensor input, bool unbiased=True) -> (Tensor, Tensor)
    """,
    vjp={"input": _var_mean_back},
    outputs=("result0", "result1"),
    method=False,
    binds=_correction,
    doc="""
    Variance and mean.
    main: 2

    ~dims
    ~floats

    >>> torch.var_mean(torch.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
    """,
)(_varied("var_mean", root=False, mean=True))
op(
    """
    std_mean(Tensor input, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)|.dim
    std_mean(Tensor input, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor,
        Tensor)|.correction
    std_mean(Tensor input, bool unbiased=True) -> (Tensor, Tensor)
    """,
    vjp={"input": _std_mean_back},
    jvp={"input": _std_mean_along},
    outputs=("result0", "result1"),
    method=False,
    binds=_correction,
    doc="""
    Standard deviation and mean.
    main: 2

    ~dims
    ~floats

    >>> torch.std_mean(torch.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
    """,
)(_varied("std_mean", root=True, mean=True))

# -- covariance --------------------------------------------------------------------------------------------------------


@composite("cov(Tensor input, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor")
def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariances of variables, one for each row of input; fweights and aweights weigh the observations.

    Shapes: (n, observations) gives (n, n); (observations,) gives 0-dim.
    ~floats

    >>> torch.cov(torch.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.dim() > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions"
        )
    if input._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input.reshape(1, -1) if input.dim() < 2 else input
    if input._array.dtype.kind in "iu":
        x = x.to(get_default_dtype())
    for name, w, kinds, wanted in (
        ("fweights", fweights, "biu", "integral"),
        ("aweights", aweights, "fV", "floating point"),
    ):
        if w is None:
            continue
        if w.dim() > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with {w.dim()} dimensions"
            )
        if w._array.dtype.kind not in kinds:
            raise RuntimeError(
                f"cov(): expected {name} to have {wanted} dtype but got {name} with {scalar_name(w._array)} dtype"
            )
        if w._array.size != x.shape[1]:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but got "
                f"{w._array.size} != {x.shape[1]}"
            )
        if (w._array < 0).any():
            raise RuntimeError(f"cov(): {name} cannot be negative")
    weights = None
    if fweights is not None or aweights is not None:
        weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total = x.shape[1] if weights is None else weights.sum()
    if weights is None:
        mean = x.sum(1) / total
        free: Any = x.shape[1] - correction
    else:
        mean = (x * weights).sum(1) / total
        free = total
        if aweights is None:
            free = total - correction
        elif correction:
            free = total - F.mul_number((weights * aweights).sum(), correction) / total
    off = x - mean.unsqueeze(1)
    scaled = off if weights is None else off * weights
    c = cast_within(F).matmul(off, scaled.t().conj())
    none_left = bool((free._array if isinstance(free, Tensor) else free) <= 0)
    if none_left:
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            at="aten/src/ATen/native/Correlation.cpp:129",
        )
        free = free.zero_() if isinstance(free, Tensor) else 0
    return F.div(c, free).squeeze()


@composite("corrcoef(Tensor input) -> Tensor")
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables, one for each row of input.

    Shapes: (n, observations) gives (n, n); (observations,) gives 0-dim.
    ~floats

    >>> torch.corrcoef(torch.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.dim() > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions"
        )
    c = cov(input)
    if not c.dim():
        return c / c
    variances = F.diagonal(c)
    s = F.sqrt(F.real(variances) if c.is_complex() else variances)
    r = c / s.view(-1, 1) / s.view(1, -1)
    if r.is_complex():
        return F.complex(F.clamp(F.real(r), -1, 1), F.clamp(F.imag(r), -1, 1))
    return F.clamp(r, -1, 1)
