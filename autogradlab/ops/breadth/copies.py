"""The *_copy operations: what views show, as tensors of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.layout import contiguous
from ...core.memory.lazy import bits
from ...core.recording.record import NOT_IMPLEMENTED, TENSORS, no_derivative
from ...core.tensor.tensor import Tensor, wrap
from ..first.conversion import parse_type
from ..first.shape import SQUEEZES
from ..table.calls import make_call
from ..table.opdef import OPS, Op, composite, op, publish
from ..table.outputs import COPIED, EXPECTED, Out, write


def _copy_of(view: Op, parts: bool = False, kernel: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The call of an operation that copies what a view operation shows. parts: real numbers as complex ones or the
    other way round, so that out= tensors have another dtype than the input. kernel: instead of that of the view."""
    (formula,) = view.formulas
    vjp = {"input": formula.fn}
    entry = Op(
        view.name + "_copy",
        (lambda input: view.kernel(np.array(input) if any(bits(input)) else input)) if parts else kernel or view.kernel,
        multi=view.multi,
        vjp=vjp,
        node=view.node_name + "_copy",
        shown={"input_shape": ""} if view.name == "unbind" else None,
        real=parts,
        inner_writes=1,
    )
    invoke = entry.invoke

    def copied(*args: Any) -> Any:
        r = invoke(*args)
        return [np.array(a, order="C") for a in r] if entry.multi else np.array(r, order="C")

    entry.invoke = copied
    entry.call = make_call(entry)
    OPS[entry.name] = entry
    return entry.call


def _copy(declaration: str, view: Op, *, doc: str, out: Any = None, sizes: str = "", parts: bool = False) -> None:
    """The function that copies what a view operation shows. sizes: what its one list of sizes is called."""
    name = declare(declaration, doc, out or (None if view.multi else COPIED))
    call = _copy_of(view, parts)

    def with_sizes(input: Tensor, *args: Any, implicit: bool = False, **options: Any) -> Tensor:
        given = args[0] if args else options.pop(sizes)
        found: Tensor = call(input, tuple(given), **options)
        return found

    def without(*args: Any, **options: Any) -> Any:
        found = call(*args, **options)
        return None if view.multi and options.get("out") is not None else found

    form = with_sizes if sizes else without
    publish(name, form, False, True, f"{view.name}() as a copy.", reads="first")


_copy(
    "select_copy(Tensor input, int dim, SymInt index, *, Tensor out=None) -> Tensor|.int|looped",
    OPS["select"],
    doc="""
    sig: (input, dim, index)
    select as a copy.

    Shapes: input's without dim.
    ~same-dtype

    >>> torch.select_copy(torch.tensor([[1, 2], [3, 4]]), 1, 0)
    tensor([1, 3])
    """,
)
_copy(
    """
    slice_copy(Tensor input, int dim=0, SymInt? start=None, SymInt? end=None,
        SymInt step=1, *, Tensor out=None) -> Tensor|.Tensor|looped
    """,
    OPS["slice"],
    doc="""
    x[start:end:step] along dim as a copy.
    sig: (input, dim=0, start=None, end=None, step=1)

    Shapes: input's with the part's size at dim.
    ~same-dtype

    >>> torch.slice_copy(torch.arange(5), 0, 1, 3)
    tensor([1, 2])
    """,
)
_copy(
    "alias_copy(Tensor input, *, Tensor out=None) -> Tensor",
    OPS["alias"],
    doc="""
    sig: (input)
    A copy of the tensor.

    Shapes: input's.
    ~same-dtype

    >>> torch.alias_copy(torch.tensor([1, 2]))
    tensor([1, 2])
    """,
)
_copy(
    "unsqueeze_copy(Tensor input, int dim, *, Tensor out=None) -> Tensor|looped",
    OPS["unsqueeze"],
    doc="""
    sig: (input, dim)
    unsqueeze as a copy.

    Shapes: one dimension more than input's.
    ~same-dtype

    >>> torch.unsqueeze_copy(torch.tensor([1, 2]), 0)
    tensor([[1, 2]])
    """,
)
_copy(
    "t_copy(Tensor input, *, Tensor out=None) -> Tensor|looped",
    OPS["t"],
    doc="""
    sig: (input)
    t as a copy.

    Shapes: (m, n) gives (n, m).
    ~same-dtype

    >>> torch.t_copy(torch.tensor([[1, 2]]))
    tensor([[1],
            [2]])
    """,
)
_copy(
    "transpose_copy(Tensor input, int dim0, int dim1, *, Tensor out=None) -> Tensor|.int|looped",
    OPS["transpose"],
    doc="""
    sig: (input, dim0, dim1)
    transpose as a copy.

    Shapes: input's with two sizes exchanged.
    ~same-dtype

    >>> torch.transpose_copy(torch.tensor([[1, 2]]), 0, 1)
    tensor([[1],
            [2]])
    """,
)
_copy(
    "unfold_copy(Tensor input, int dimension, int size, int step, *, Tensor out=None) -> Tensor",
    OPS["unfold"],
    doc="""
    sig: (input, dimension, size, step)
    Tensor.unfold as a copy.

    Shapes: as unfold gives it.
    ~same-dtype

    >>> torch.unfold_copy(torch.arange(4), 0, 2, 2)
    tensor([[0, 1],
            [2, 3]])
    """,
)
_copy(
    "split_copy(Tensor input, SymInt split_size, int dim=0, *, Tensor[] out=None) -> Tensor[]|.Tensor",
    OPS["split"],
    doc="""
    sig: (input, split_size, dim=0)
    split as copies.

    Shapes: as split gives them.
    ~same-dtype

    >>> torch.split_copy(torch.arange(3), 2)
    (tensor([0, 1]), tensor([2]))
    """,
)
_copy(
    "split_with_sizes_copy(Tensor input, SymInt[] split_sizes, int dim=0, *, Tensor[] out=None) -> Tensor[]",
    OPS["split_with_sizes"],
    doc="""
    sig: (input, split_sizes, dim=0)
    split_with_sizes as copies.

    Shapes: as split_with_sizes gives them.
    ~same-dtype

    >>> torch.split_with_sizes_copy(torch.arange(3), [1, 2])
    (tensor([0]), tensor([1, 2]))
    """,
    out=Out(exact=EXPECTED),
)
_copy(
    "unbind_copy(Tensor input, int dim=0, *, Tensor[] out=None) -> Tensor[]|.int",
    OPS["unbind"],
    doc="""
    sig: (input, dim=0)
    unbind as copies.

    Shapes: input's without dim.
    ~same-dtype

    >>> torch.unbind_copy(torch.tensor([1, 2]))
    (tensor(1), tensor(2))
    """,
    out=Out(exact=EXPECTED),
)
_copy(
    "view_as_real_copy(Tensor input, *, Tensor out=None) -> Tensor|looped",
    OPS["view_as_real"],
    doc="""
    sig: (input)
    view_as_real as a copy.

    Shapes: (...) gives (..., 2).
    Dtypes: complex; complex64 gives float32.

    >>> torch.view_as_real_copy(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """,
    parts=True,
)
_copy(
    "view_as_complex_copy(Tensor input, *, Tensor out=None) -> Tensor|looped",
    OPS["view_as_complex"],
    doc="""
    sig: (input)
    view_as_complex as a copy.

    Shapes: (..., 2) gives (...).
    Dtypes: float32 gives complex64, float64 complex128.

    >>> torch.view_as_complex_copy(torch.tensor([[1., 2.]]))
    tensor([1.+2.j])
    """,
    parts=True,
)
#: elements are read row by row where the strides do not allow a view, as by reshape
_view_copy = _copy_of(OPS["view"], kernel=lambda input, size: OPS["view"].kernel(contiguous(input), size))


@composite(
    """
    view_copy(Tensor input, ScalarType dtype, *, Tensor out=None) -> Tensor|.dtype
    view_copy(Tensor input, SymInt[] size, *, Tensor out=None) -> Tensor
    """,
    method=False,
    out=COPIED,
)
def view_copy(input: Tensor, *args: Any, out: Any = None, **options: Any) -> Tensor:
    """
    sig: (input, size)
    Tensor.view as a copy.

    Shapes: any with equally many elements.
    ~same-dtype

    >>> torch.view_copy(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    (given,) = args or options.values()
    if isinstance(given, (tuple, list)):
        found: Tensor = _view_copy(input, tuple(given), out=out)
        return found
    array = np.array(TENSORS.view_as_dtype(input.detach(), parse_type(given))._array, order="C")
    if out is None:
        return wrap(array)
    written: Tensor = write(OPS["view_copy"], out, array, [input])
    return written


_copy(
    "permute_copy(Tensor input, int[] dims, *, Tensor out=None) -> Tensor|looped",
    OPS["permute"],
    doc="""
    sig: (input, dims)
    permute as a copy.

    Shapes: as permute gives it.
    ~same-dtype

    >>> torch.permute_copy(torch.tensor([[1, 2], [3, 4]]), (1, 0))
    tensor([[1, 3],
            [2, 4]])
    """,
    sizes="dims",
)
_copy(
    "expand_copy(Tensor input, SymInt[] size, *, bool implicit=False, Tensor out=None) -> Tensor",
    OPS["expand"],
    doc="""
    sig: (input, size, *, implicit=False)
    expand as a copy.

    Shapes: as expand gives it.
    ~same-dtype

    >>> torch.expand_copy(torch.tensor([[1], [2]]), (2, 2))
    tensor([[1, 1],
            [2, 2]])
    """,
    sizes="size",
)
_SQUEEZED = [_copy_of(entry) for entry in SQUEEZES]


@composite(
    """
    squeeze_copy(Tensor input, *, Tensor out=None) -> Tensor|looped
    squeeze_copy(Tensor input, int dim, *, Tensor out=None) -> Tensor|.dim|looped
    squeeze_copy(Tensor input, int[] dim, *, Tensor out=None) -> Tensor|.dims|looped
    """,
    method=False,
    out=COPIED,
)
def squeeze_copy(input: Tensor, dim: Any = None, *, out: Any = None) -> Tensor:
    """
    sig: (input, dim=None)
    squeeze as a copy.

    Shapes: input's without sizes 1.
    ~same-dtype

    >>> torch.squeeze_copy(torch.zeros(1, 2)).shape
    torch.Size([2])
    """
    if dim is None:
        return _SQUEEZED[0](input, out=out)
    return _SQUEEZED[2 if isinstance(dim, (tuple, list)) else 1](input, dim, out=out)


@op(
    "narrow_copy(Tensor input, int dim, SymInt start, SymInt length, *, Tensor out=None) -> Tensor",
    vjp={
        "input": lambda F, grad, input_shape, dim, start, length: F.slice_backward(
            grad, input_shape, dim, start, start + length, 1
        ),
    },
    out=Out(
        exact="Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be "
        "improved?  If so, please report an enhancement request to PyTorch.)"
    ),
)
def narrow_copy(input: np.ndarray, dim: int, start: int, length: int) -> np.ndarray:
    """
    sig: (input, dim, start, length)
    narrow as a copy: it shares no memory with input.

    Shapes: input's shape with `length` at dim.
    ~same-dtype

    >>> x = torch.tensor([1, 2, 3])
    >>> part = x.narrow_copy(0, 0, 2)
    >>> part[0] = 9
    >>> x
    tensor([1, 2, 3])
    """
    if input.ndim and dim >= input.ndim:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if input.ndim and length < 0:
        TENSORS.narrow(_plain(input), dim, start, 0)  # which has something to say of start
        start += input.shape[dim] if start < 0 else 0
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({input.shape[dim]}).")
    return np.array(TENSORS.narrow(_plain(input), dim, start, length)._array, order="C")


def _plain(x: np.ndarray) -> Tensor:
    return wrap(x)


@op(
    "detach_copy(Tensor input, *, Tensor out=None) -> Tensor|looped",
    out=COPIED,
    method=False,
    node=NOT_IMPLEMENTED,
    vjp={"input": no_derivative("detach_copy")},
)
def detach_copy(input: np.ndarray) -> np.ndarray:
    """
    sig: (input)
    A copy of the tensor, without history.

    Shapes: input's.
    ~same-dtype

    >>> torch.detach_copy(torch.ones(2, requires_grad=True)).requires_grad
    True
    """
    return np.array(input, order="C")
