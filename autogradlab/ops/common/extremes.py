"""The largest and smallest elements: over everything, along a dimension with their indices, or both at once."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.layout import contiguous
from ...core.memory.places import at_places, put_at_places
from ...core.memory.together import along
from ...core.recording.record import RAW, TENSORS, says, writes
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types.dims import all_dims, wrap_dim
from ...core.types.dtypes import scalar_name
from ...core.types.return_types import named
from ..first.kinds import extreme_half, on_both_backends, refuse
from ..table.asking import at, options_of
from ..table.opdef import OPS, Op, op
from ..table.outputs import EXPECTED, Out, apart, same_dtype
from ..table.overloads import Arguments, Called, Overload

F = TENSORS

# -- one element of each line: how its gradient finds its way back -----------------------------------------------------


@op(
    "put_at",
    "grad_output indices",
    node="ScatterBackward0",
    vjp={"grad_output": lambda F, grad, dim, indices, keepdim: F.take_at(grad, dim, indices, keepdim)},
)
def put_at(grad_output: Any, dim: int, indices: np.ndarray, input_shape: tuple[int, ...], keepdim: bool) -> np.ndarray:
    """Zeros of a shape with values at indices along a dimension; an index that comes twice gets the sum."""
    if not input_shape:
        return np.asarray(grad_output).copy().reshape(())
    r = np.zeros(input_shape, grad_output.dtype)
    d = wrap_dim(dim, len(input_shape))
    if not keepdim or indices.shape[d] <= 1:
        put_at_places(r, indices, grad_output, d)
        return r
    grid = list(np.ix_(*(np.arange(n) for n in indices.shape)))
    grid[d] = indices
    np.add.at(r, tuple(grid), grad_output)
    return r


@op(
    "take_at",
    "input indices",
    node="GatherBackward0",
    vjp={
        "input": lambda F, grad, dim, indices, keepdim, input_shape: F.put_at(grad, dim, indices, input_shape, keepdim)
    },
)
def take_at(input: Any, dim: Any, indices: Any, keepdim: Any) -> Any:
    """The elements at indices along a dimension."""
    if not input.ndim:
        return input.copy().reshape(indices.shape)
    d = wrap_dim(dim, input.ndim)
    return at_places(input, indices, d)


def _recorded_put_at(grad: Tensor, dim: int, indices: Tensor, input_shape: Any, keepdim: bool) -> Tensor:
    """put_at as PyTorch records it: scattered into zeros."""
    if not keepdim and input_shape:
        grad, indices = F.unsqueeze(grad, dim), F.unsqueeze(indices, dim)
    return _scattered(grad, dim, indices, input_shape)


@instead(lambda call, args, kwargs: F.scatter(at("new_zeros", input=args[0], size=list(args[3])), *args[1:3], args[0]))
def _scattered(grad: Tensor, dim: int, indices: Tensor, input_shape: Any) -> Tensor:
    found: Tensor = F.scatter_(F.zeros_of(grad, input_shape, indices), dim, indices, grad)
    return found


@instead(
    lambda call, args, kwargs: F.scatter_add(
        at("zeros", size=list(args[3]), **options_of(args[0])), args[1], args[2], args[0]
    )
)
def _recorded_sums_at(grad: Tensor, dim: int, indices: Tensor, input_shape: Any) -> Tensor:
    """The same where an index may come twice."""
    found: Tensor = F.scatter_add_(F.zeros_of(grad, input_shape, indices), dim, indices, grad)
    return found


TENSORS.put_at = _recorded_put_at
RAW.sums_at = lambda grad, dim, indices, input_shape: put_at(grad, dim, indices, input_shape, True)
TENSORS.sums_at = _recorded_sums_at

# -- over everything ---------------------------------------------------------------------------------------------------

#: the dtypes of which a place is found, and its number read, in half the time of a reduction, of so few numbers
_QUICK, _FEW = frozenset(map(np.dtype, (np.float32, np.float64, np.int64))), 1 << 12


@on_both_backends
def share_evenly(F: Any, grad: Any, input: Any, result: Any) -> Any:
    """The gradient of an extreme over everything: shared evenly by the elements that attain it."""
    hit = (input == result) | (F.isnan(input) & F.isnan(result))
    return F.masked_fill(F.zeros_of(grad, tuple(input.shape)), hit, grad / _in_dtype_of(grad, F.sum(hit)))


def _in_dtype_of(grad: Any, count: Any) -> Any:
    """A number of elements by which a gradient is divided: NumPy would make float64 of float32 and int64."""
    return count.astype(grad.dtype) if isinstance(count, np.ndarray | np.generic) else count


@on_both_backends
def evenly(F: Any, grad: Any, input: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The same along dimensions (amax, amin)."""
    shape = tuple(input.shape)
    dims = all_dims(dim, len(shape))
    if not keepdim:
        given = () if dim is None else dim if isinstance(dim, tuple | list) else (dim,)
        kept = tuple(1 if d in dims else n for d, n in enumerate(shape)) if shape else (1,) * len(given)
        grad, result = (F.reshape(t, kept if given else ()) for t in (grad, result))
    hit = input == result
    count = F.sum(hit, dims, True) if shape else F.sum(hit)
    return (grad / count) * hit


def _of_all(name: str, ufunc: Any) -> Any:
    called, reduce = f"{name}_all", ufunc.reduce
    place: Any = np.ndarray.argmax if ufunc is np.maximum else np.ndarray.argmin

    def kernel(input: np.ndarray) -> Any:
        numpy = input.dtype
        if numpy in _QUICK and type(input) is np.ndarray and 0 < input.size <= _FEW:
            found: Any = input.item(place(input))
            if found and found == found:  # which of several zeros or NaNs is found, the reduction says
                return np.array(found, numpy)
        if not input.size:
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                "reduction dim with the 'dim' argument."
            )
        refuse(input, called, "c")
        found = extreme_half(ufunc, input) if numpy.char == "e" else None
        return reduce(input, None) if found is None else found

    return kernel


def one_line(x: np.ndarray, dim: Any, keepdim: bool, find: Any) -> tuple[np.ndarray, np.ndarray]:
    """Values and int64 indices of what `find` picks along a dimension."""
    if not x.ndim:
        wrap_dim(dim, 0)
        return x.copy(), np.zeros((), np.int64)
    d = wrap_dim(dim, x.ndim)
    places = np.asarray(find(x, d), np.int64)
    values = np.asarray(at_places(x, places, d))
    if keepdim:
        kept = (*x.shape[:d], 1, *x.shape[d + 1 :])
        return values.reshape(kept), places.reshape(kept)
    return values, places


def not_empty(called: str, x: np.ndarray, dim: Any) -> None:
    if not x.size and x.ndim and x.shape[wrap_dim(dim, x.ndim)] == 0:
        raise IndexError(f"{called}: Expected reduction dim {wrap_dim(dim, x.ndim)} to have non-zero size.")


def _along(name: str, find: Any) -> Op:
    called = f"{name}()"

    def kernel(input: np.ndarray, dim: int, keepdim: bool = False) -> tuple[np.ndarray, np.ndarray]:
        if not input.size:
            not_empty(called, input, dim)
        wrap_dim(dim, input.ndim)
        if input.dtype.kind == "c":
            raise RuntimeError(f"{name}(): does not support complex input")
        return one_line(np.asarray(input), dim, keepdim, find)

    return Op(
        name,
        kernel,
        outputs=("values", "indices"),
        differentiable=1,
        returns=named(name, ("values", "indices")),
        node=name.title() + "Backward0",
        check_out=apart,
        together=along(),
        inner_writes=lambda x, dim, keepdim: 0 if x.ndim and keepdim else 2 if x.ndim else 1,
        vjp={
            "input": writes(2)(
                lambda F, grad, dim, indices, input_shape, keepdim: F.put_at(grad, dim, indices, input_shape, keepdim)
            ),
        },
    )


def _two_tensors(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
    other = kwargs.get("other") if len(args) < 2 else args[1]
    return (args, kwargs) if isinstance(other, Tensor) and len(args) < 3 else None


def _one_dim(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
    if len(args) == 2 and not kwargs and type(args[1]) is int and isinstance(args[0], Tensor):
        return args, kwargs
    if len(args) == 1 == len(kwargs) and type(dim := kwargs.get("dim")) is int and isinstance(args[0], Tensor):
        return (args[0], dim, False), {}
    form, given = called.bind(args, kwargs)
    if form != 2:
        return None
    out = {} if given.get("out") is None else {"out": given["out"]}
    return (given["input"], given["dim"], given["keepdim"]), out


OPS["max.dim"] = _along("max", np.ndarray.argmax)
OPS["min.dim"] = _along("min", np.ndarray.argmin)
op(
    """
    max(Tensor input, *, Tensor out=None) -> Tensor|.default|.unary_out|uint_max_all
    max(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.other|.out|uint_maximum_cpu
    max(Tensor input, int dim, bool keepdim=False, *, Tensor[2] out=None) -> (Tensor values,
        Tensor indices)|.dim|.dim_max|uint_max_cpu
    """,
    node="MaxBackward1",
    vjp={
        "input": writes(1)(
            says(("g shared equally among the elements that equal {result}", "平分给等于 {result} 的元素的 g"))(
                lambda F, grad, input, result: F.share_evenly(grad, input, result)
            )
        )
    },
    inner_writes=1,
    counts=(1,),
    overloads=[
        Overload(lambda *args, **kwargs: F.maximum(*args, **kwargs), takes=_two_tensors),
        Overload(OPS["max.dim"], takes=_one_dim),
    ],
    doc="""
    The largest of all elements; with dim, the largest ones along it and their places; with a second tensor,
    maximum.

    ~dim
    ~real-indices

    >>> x = torch.tensor([[1., 5.], [7., 2.]])
    >>> x.max()
    tensor(7.)
    >>> x.max(dim=1)
    torch.return_types.max(
    values=tensor([5., 7.]),
    indices=tensor([1, 0]))
    >>> torch.max(torch.tensor([1, 4]), torch.tensor([3, 2]))
    tensor([3, 4])
    """,
    out=Out(exact=EXPECTED, unless=lambda inputs, out: True),
)(_of_all("max", np.maximum))
op(
    """
    min(Tensor input, *, Tensor out=None) -> Tensor|.default|.unary_out|uint_min_all
    min(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.other|.out|uint_minimum_cpu
    min(Tensor input, int dim, bool keepdim=False, *, Tensor[2] out=None) -> (Tensor values,
        Tensor indices)|.dim|.dim_min|uint_min_cpu
    """,
    node="MinBackward1",
    vjp={
        "input": writes(1)(
            says(("g shared equally among the elements that equal {result}", "平分给等于 {result} 的元素的 g"))(
                lambda F, grad, input, result: F.share_evenly(grad, input, result)
            )
        )
    },
    inner_writes=1,
    counts=(1,),
    overloads=[
        Overload(lambda *args, **kwargs: F.minimum(*args, **kwargs), takes=_two_tensors),
        Overload(OPS["min.dim"], takes=_one_dim),
    ],
    doc="""
    The smallest of all elements; with dim, the smallest ones along it and their places; with a second tensor,
    minimum.

    ~dim
    ~real-indices

    >>> torch.tensor([[1., 5.], [7., 2.]]).min(dim=0)
    torch.return_types.min(
    values=tensor([1., 2.]),
    indices=tensor([0, 1]))
    """,
    out=Out(exact=EXPECTED, unless=lambda inputs, out: True),
)(_of_all("min", np.minimum))


def _amx(declaration: str, ufunc: Any, doc: str = "", out: Any = None) -> None:
    name = declare(declaration, doc, out)

    def kernel(input: np.ndarray, dim: Any = (), keepdim: bool = False) -> Any:
        if not input.size:
            if dim is None or dim == () or dim == []:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                    "reduction dim with the 'dim' argument."
                )
            for d in dim if isinstance(dim, (tuple, list)) else (dim,):
                if not input.shape[wrap_dim(d, input.ndim)]:
                    raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
        dims = all_dims(dim, input.ndim)
        refuse(input, f"{name[1:]}_values_cpu", "c")
        return contiguous(ufunc.reduce(input, axis=dims, keepdims=keepdim))

    kernel.__name__ = name
    op(
        name,
        doc=f"The {name[1:]}imum along dimensions; equal ones share its gradient.",
        inner_writes=lambda x, *_: name == "amax" or x.dtype.kind not in "iu",
        check_out=same_dtype(
            "Expected the dtype for input and out to match, but got {0} for input's dtype and {1} for out's dtype."
        ),
        vjp={
            "input": says(
                ("g shared equally among the elements that equal {result}", "平分给等于 {result} 的元素的 g")
            )(lambda F, grad, input, result, dim, keepdim: F.evenly(grad, input, result, dim, keepdim)),
        },
    )(kernel)
    OPS[name].node_class.dim_list = True


_amx(
    "amax(Tensor input, int[1] dim=None, bool keepdim=False, *, Tensor out=None) -> Tensor|uint_max_values_cpu",
    np.maximum,
    doc="""
    The largest elements along dims. Equal ones share the gradient.

    ~dims
    Dtypes: real numbers and bool.

    >>> x = torch.tensor([3., 1., 3.], requires_grad=True)
    >>> x.amax().backward()
    >>> x.grad
    tensor([0.5000, 0.0000, 0.5000])
    """,
)
_amx(
    "amin(Tensor input, int[1] dim=None, bool keepdim=False, *, Tensor out=None) -> Tensor|uint_min_values_cpu",
    np.minimum,
    doc="""
    The smallest elements along dims. Equal ones share the gradient.

    ~dims
    Dtypes: real numbers and bool.

    >>> torch.amin(torch.tensor([[3, 1], [2, 4]]), dim=1)
    tensor([1, 2])
    """,
)


@op(
    """
    aminmax(Tensor input, *, int? dim=None, bool keepdim=False, Tensor[2] out=None) -> (Tensor min,
        Tensor max)|uint_aminmax_cpu
    """,
    outputs=("min", "max"),
    returns=named("aminmax", ("min", "max")),
    vjp={
        "input": says(("g[0] at the smallest element, g[1] at the largest", "最小元素处的 g[0]，最大元素处的 g[1]"))(
            lambda F, grads, input, min, max, dim, keepdim: F.aminmax_back(grads, input, min, max, dim, keepdim)
        ),
    },
    out=Out(exact=EXPECTED, overlap="dim"),
    inner_writes=lambda x, dim, keepdim: 2 if x.ndim and dim is not None else 1,
)
def aminmax(input: np.ndarray, *, dim: int | None = None, keepdim: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest element at once, of all or along one dim.

    ~dim
    Dtypes: real numbers and bool.

    >>> torch.aminmax(torch.tensor([3., 1., 2.]))
    torch.return_types.aminmax(
    min=tensor(1.),
    max=tensor(3.))
    """
    if dim is None and not input.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if dim is not None and not input.ndim and input.dtype.kind == "c":
        raise RuntimeError(f"aminmax not implemented for {scalar_name(input)}")
    dims = all_dims(dim, input.ndim)
    refuse(input, "aminmax_cpu", "c")
    if dim is not None:
        not_empty("aminmax", input, dim)
    least, most = (u.reduce(input, axis=dims, keepdims=keepdim) for u in (np.minimum, np.maximum))
    return np.asarray(contiguous(least)), np.asarray(contiguous(most))


@on_both_backends
def aminmax_back(F: Any, grads: list[Any], input: Any, low: Any, high: Any, dim: int | None, keepdim: bool) -> Any:
    total = None
    for grad, result in zip(grads, (low, high), strict=True):
        if grad is not None:
            g = F.evenly(grad, input, result, dim, keepdim)
            total = g if total is None else total + g
    return total


# -- places ------------------------------------------------------------------------------------------------------------


def _index_reduce(name: str, find: Any) -> Any:
    called = f"{name}()"

    def kernel(input: np.ndarray, dim: int | None = None, keepdim: bool = False) -> Any:
        kind = input.dtype.kind
        if kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        if kind == "c":
            raise RuntimeError(f"{name}(): does not support complex input")
        # the method of an array, which the function would look for
        sought: Any = getattr(input, name) if type(input) is np.ndarray else partial(find, input)
        if dim is None:
            if not input.size:
                raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
            found = np.int64(sought())
            return np.full((1,) * input.ndim, found) if keepdim else found
        if not input.ndim:
            wrap_dim(dim, 0)
            return np.zeros((), np.int64)
        if not input.size:
            not_empty(called, input, dim)
        d = wrap_dim(dim, input.ndim)
        return np.asarray(sought(axis=d, keepdims=True) if keepdim else sought(d), np.int64)

    kernel.__name__ = name
    return kernel


op(
    "argmax(Tensor input, int? dim=None, bool keepdim=False, *, Tensor out=None) -> Tensor|uint_argmax_cpu",
    doc="""
    The place of the largest element, in the flattened input or along dim; of several the first.

    ~dim
    Dtypes: real numbers; the result is int64.

    >>> x = torch.tensor([[1., 5.], [7., 2.]])
    >>> x.argmax(), x.argmax(dim=1)
    (tensor(2), tensor([1, 0]))
    """,
    inner_writes=lambda x, dim, keepdim: dim is not None and x.ndim > 0 and x.shape[dim] == 1,
    out=Out(exact=EXPECTED),
    together=along(),
)(_index_reduce("argmax", np.argmax))
op(
    "argmin(Tensor input, int? dim=None, bool keepdim=False, *, Tensor out=None) -> Tensor|uint_argmin_cpu",
    doc="""
    The place of the smallest element, in the flattened input or along dim; of several the first.

    ~dim
    Dtypes: real numbers; the result is int64.

    >>> torch.argmin(torch.tensor([3., 1., 2.]))
    tensor(1)
    """,
    inner_writes=lambda x, dim, keepdim: dim is not None and x.ndim > 0 and x.shape[dim] == 1,
    out=Out(exact=EXPECTED),
    together=along(),
)(_index_reduce("argmin", np.argmin))
