"""The *_copy operations: what views show, as tensors of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.recording.record import NOT_IMPLEMENTED, TENSORS, no_derivative
from ...core.tensor.tensor import Tensor, wrap
from ..first.shape import SQUEEZES
from ..table.calls import make_call
from ..table.opdef import OPS, Op, composite, op, publish
from ..table.outputs import EXPECTED, Out, same_dtype


def _copy_of(view: Op) -> Callable[..., Any]:
    """The call of an operation that copies what a view operation shows."""
    (formula,) = view.formulas
    vjp = {"input": formula.fn}
    entry = Op(
        view.name + "_copy",
        view.kernel,
        multi=view.multi,
        vjp=vjp,
        node=view.node_name + "_copy",
        check_out=same_dtype(),
    )
    invoke = entry.invoke

    def copied(*args: Any) -> Any:
        r = invoke(*args)
        return [np.array(a, order="C") for a in r] if entry.multi else np.array(r, order="C")

    entry.invoke = copied
    entry.call = make_call(entry)
    OPS[entry.name] = entry
    return entry.call


def _copy(declaration: str, view: Op, *, doc: str, out: Any = None, sizes: bool = False) -> None:
    """The function that copies what a view operation shows. sizes: it takes one list of sizes or dimensions."""
    name = declare(declaration, doc, out)
    call = _copy_of(view)
    form = (lambda input, sizes, **options: call(input, tuple(sizes), **options)) if sizes else None
    publish(name, form or (lambda *args, **kwargs: call(*args, **kwargs)), False, True, f"{view.name}() as a copy.")


_copy(
    "select_copy -> Tensor",
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
    "slice_copy -> Tensor",
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
    "alias_copy -> Tensor",
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
    "unsqueeze_copy -> Tensor",
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
    "t_copy -> Tensor",
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
    "transpose_copy -> Tensor",
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
    "unfold_copy -> Tensor",
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
    "split_copy -> Tensor[]",
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
    "split_with_sizes_copy -> Tensor[]",
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
    "unbind_copy -> Tensor[]",
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
    "view_copy -> Tensor",
    OPS["view"],
    doc="""
    sig: (input, size)
    Tensor.view as a copy.

    Shapes: any with equally many elements.
    ~same-dtype

    >>> torch.view_copy(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """,
    sizes=True,
)
_copy(
    "permute_copy -> Tensor",
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
    sizes=True,
)
_copy(
    "expand_copy -> Tensor",
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
    sizes=True,
)
_SQUEEZED = [_copy_of(entry) for entry in SQUEEZES]


@composite("squeeze_copy -> Tensor", method=False)
def squeeze_copy(input: Tensor, dim: Any = None) -> Tensor:
    """
    sig: (input, dim=None)
    squeeze as a copy.

    Shapes: input's without sizes 1.
    ~same-dtype

    >>> torch.squeeze_copy(torch.zeros(1, 2)).shape
    torch.Size([2])
    """
    if dim is None:
        return _SQUEEZED[0](input)
    return _SQUEEZED[2 if isinstance(dim, (tuple, list)) else 1](input, dim)


@op(
    "narrow_copy -> Tensor",
    vjp={
        "input": lambda F, grad, input_shape, dim, start, length: F.slice_backward(
            grad, input_shape, dim, start, start + length, 1
        ),
    },
)
def narrow_copy(input, dim, start, length):
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
    return np.array(TENSORS.narrow(_plain(input), dim, start, length)._array, order="C")


def _plain(x: np.ndarray) -> Tensor:
    return wrap(x)


@op(
    "detach_copy -> Tensor",
    method=False,
    node=NOT_IMPLEMENTED,
    vjp={"input": no_derivative("detach_copy")},
    check_out=same_dtype(),
)
def detach_copy(input):
    """
    sig: (input)
    A copy of the tensor, without history.

    Shapes: input's.
    ~same-dtype

    >>> torch.detach_copy(torch.ones(2, requires_grad=True)).requires_grad
    True
    """
    return np.array(input, order="C")
