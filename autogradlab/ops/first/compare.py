"""Comparisons: they give bools and have no derivative."""

from __future__ import annotations

import numpy as np

from ...core.memory.absent import require_contents
from ...core.memory.rows import refuse_among
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ..table.arguments import reject
from ..table.asking import whole
from ..table.factories import binary
from ..table.opdef import alias, composite
from .kinds import align, refusing

binary(
    """
    eq(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor
    eq(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar
    """,
    np.equal,
    result="bool",
    arrays=True,
    doc="""
    Whether elements are equal. The operator ==.

    ~pair-bool

    >>> torch.eq(torch.tensor([1, 2, 3]), torch.tensor([1, 5, 3]))
    tensor([ True, False,  True])

    In place:
    >>> x = torch.tensor([1, 2, 3])
    >>> x.eq_(torch.tensor([1, 5, 3]))
    tensor([1, 0, 1])
    >>> x
    tensor([1, 0, 1])
    """,
)
binary(
    """
    ne(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor
    ne(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar
    """,
    np.not_equal,
    result="bool",
    doc="""
    Whether elements differ. The operator !=.

    ~pair-bool

    >>> torch.ne(torch.tensor([1, 2]), 2)
    tensor([ True, False])

    In place:
    >>> x = torch.tensor([1, 2])
    >>> x.ne_(2)
    tensor([1, 0])
    >>> x
    tensor([1, 0])
    """,
)
binary(
    """
    lt(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|uint_lt_cpu
    lt(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar|uint_lt_cpu
    """,
    np.less,
    result="bool",
    check=refusing("c", "lt_cpu"),
    doc="""
    Whether elements are smaller than those of other. The operator <.

    ~pair-bool

    >>> torch.lt(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """,
)
binary(
    """
    le(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|uint_le_cpu
    le(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar|uint_le_cpu
    """,
    np.less_equal,
    result="bool",
    check=refusing("c", "le_cpu"),
    doc="""
    Whether elements are not larger than those of other. The operator <=.

    ~pair-bool

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])

    In place:
    >>> x = torch.tensor([1, 2, 3])
    >>> x.le_(2)
    tensor([1, 1, 0])
    >>> x
    tensor([1, 1, 0])
    """,
)
binary(
    """
    gt(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|uint_gt_cpu
    gt(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar|uint_gt_cpu
    """,
    np.greater,
    result="bool",
    check=refusing("c", "gt_cpu"),
    doc="""
    Whether elements are larger than those of other. The operator >.

    ~pair-bool

    >>> torch.gt(torch.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """,
)
binary(
    """
    ge(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|uint_ge_cpu
    ge(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar|uint_ge_cpu
    """,
    np.greater_equal,
    result="bool",
    check=refusing("c", "ge_cpu"),
    doc="""
    Whether elements are not smaller than those of other. The operator >=.

    ~pair-bool

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])

    In place:
    >>> x = torch.tensor([1, 2, 3])
    >>> x.ge_(2)
    tensor([0, 1, 1])
    >>> x
    tensor([0, 1, 1])
    """,
)
alias("not_equal", "ne")
alias("not_equal_", "ne_", function=False)
alias("less", "lt")
alias("less_", "lt_", function=False)
alias("less_equal", "le")
alias("less_equal_", "le_", function=False)
alias("greater", "gt")
alias("greater_", "gt_", function=False)
alias("greater_equal", "ge")
alias("greater_equal_", "ge_", function=False)


@composite("equal(Tensor input, Tensor other) -> bool")
@instead(whole(plain=True))
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements, as one Python bool.

    Shapes: any.
    Dtypes: any; they must be the same.

    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    >>> torch.equal(torch.ones(2), torch.ones(2, 1))
    False
    """
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        reject("equal", (input, other), {})
    refuse_among("equal", (input, other))
    require_contents("aten::equal", input._array, other._array)
    if input._array.dtype is not other._array.dtype and input.dtype is not other.dtype:
        x, y = align(input._array, other._array) if input.shape == other.shape else (input._array, other._array)
        return x.shape == y.shape and bool(np.array_equal(x, y))
    x, y = np.asarray(input._array), np.asarray(other._array)
    return x.shape == y.shape and not np.count_nonzero(x != y)
