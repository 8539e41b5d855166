"""Views: other shapes and strides over the same memory."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.arguments.mismatch import typename
from ...core.backward.validate import expandable, reduce_to
from ...core.memory.rows import Rows, lanes_of
from ...core.memory.strided import laid_out_anew, placed, view_strides, window
from ...core.recording.record import RAW, TENSORS
from ...core.runtime import errors
from ...core.runtime.modes import FLAGS
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types.dims import int_arg, of_list, shape_arg, wrap_dim, wrap_dims
from ...core.types.dtypes import OF_PYTHON, dtype, from_numpy, tensor_type
from ...core.types.size import size_of
from ..table.asking import Operator, at, whole
from ..table.calls import view_of
from ..table.families import method
from ..table.opdef import OPS, Op, composite, publish
from ..table.signatures import explain


def infer_size(shape: tuple[int, ...], count: int, front: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The sizes with a -1 worked out; PyTorch's errors if they do not hold `count` elements. front: how many rows there
    are of each vmap, sizes that the errors name too."""
    known = 1
    unknown = None
    for i, n in enumerate(shape):
        if n == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = i
        elif n < 0:
            raise RuntimeError(f"invalid shape dimension {n} at index {len(front) + i} of shape {[*front, *shape]}")
        else:
            known *= n
    if unknown is None:
        if known == count:
            return shape
    elif known and count % known == 0:
        return (*shape[:unknown], count // known, *shape[unknown + 1 :])
    elif not known and not count:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    raise RuntimeError(f"shape '{[*front, *shape]}' is invalid for input of size {math.prod(front) * count}")


# -- view and reshape --------------------------------------------------------------------------------------------------


def _view(input: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    size = infer_size(tuple(size), input.size, lanes_of(input.shape))
    if input.size and input.flags.c_contiguous and laid_out_anew(input):
        return input.reshape(size)
    strides = view_strides(input, size)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return window(input, size, strides)


def _back(F: Any, grad: Any, input_shape: Any) -> Any:
    return F.reshape(grad, input_shape)


_VIEW = OPS["view"] = Op("view", _view, view=True, vjp={"input": _back})
_UNSAFE_VIEW = OPS["_unsafe_view"] = Op(
    "_unsafe_view",
    _view,
    node="UnsafeViewBackward0",
    vjp={"input": _back},
    operator=Operator("(Tensor self, SymInt[] size) -> Tensor"),
)
_ALIAS = OPS["_reshape_alias"] = Op(
    "_reshape_alias", _view, view=True, node="ReshapeAliasBackward0", vjp={"input": _back}
)
RAW._unsafe_view = _view


def _known(size: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes that a formula gives, one by one or as a tuple: they are integers."""
    return size[0] if len(size) == 1 and type(size[0]) is tuple else shape_arg(size)


RAW.view = RAW.reshape = lambda x, *size: x.reshape(_known(size))


def _sizes(name: str, input: Tensor, size: tuple[Any, ...], options: dict[str, Any], keyword: str) -> tuple[int, ...]:
    """The sizes of view(2, 3), view((2, 3)), view(size=(2, 3)); PyTorch's TypeError for anything else."""
    if options and options.keys() == {keyword} and not size and isinstance(options[keyword], (tuple, list)):
        size = (options.pop(keyword),)
    if size and not options:
        given = size[0] if len(size) == 1 and type(size[0]) is tuple else size
        for n in given:
            if type(n) is not int:
                break
        else:
            return given
        first = size[0][0] if type(size[0]) in (tuple, list) and size[0] else size[0]
        try:
            if type(first) is not bool:  # PyTorch looks at the first one
                return shape_arg(size)
        except TypeError:
            pass
    explain(name, size, options, "Tensor")
    raise TypeError(f"{name}(): wrong sizes {size}")


@composite(
    """
    view(Tensor input, ScalarType dtype) -> Tensor|.dtype
    view(Tensor input, SymInt[] size) -> Tensor
    """,
    function=False,
    reads="itself",
)
@instead(lambda call, args, kwargs: _asked_view(call, args, kwargs))
def view(input: Tensor, *size: Any, **options: Any) -> Tensor:
    """The same memory in another shape; one size may be -1. With a dtype, the same bytes read as that dtype.

    Shapes: any with equally many elements.
    ~view
    Errors: RuntimeError where the strides do not allow a view: use reshape.

    >>> x = torch.arange(6)
    >>> y = x.view(2, 3)
    >>> y[0, 0] = 9
    >>> x
    tensor([9, 1, 2, 3, 4, 5])
    """
    x = input._array
    shape = x.shape
    if not options and 0 not in shape and x.flags.c_contiguous and (1 not in shape or laid_out_anew(x)):
        try:
            r = x.reshape(*size)
        except (TypeError, ValueError):
            pass
        else:
            first = size[0] if size else 0
            wanted: Any = size
            if type(first) is not int:
                wanted = first if isinstance(first, tuple) and (not first or type(first[0]) is not bool) else (None,)
            if r.shape == wanted or (-1 in wanted and min(wanted) == -1):
                return view_of(input, r, _VIEW, (shape, None))
    given = size[0] if size else options.get("dtype")
    if isinstance(given, type):
        given = OF_PYTHON.get(given, given)
    if type(given) is dtype and len(size) + len(options) == 1:
        return TENSORS.view_as_dtype(input, given)
    sizes = _sizes("view", input, size, options, "size")
    return view_of(input, _view(x, sizes), _VIEW, (x.shape, None))


publish("_unsafe_view", lambda input, size: _UNSAFE_VIEW.call(input, size), False, False, "")


_whole_view = whole(_VIEW)


def _asked_view(call: Any, args: Any, kwargs: Any) -> Any:
    """view while a mode is to be asked."""
    given = args[1] if len(args) > 1 else kwargs.get("dtype")
    if type(given) is dtype:
        return TENSORS.detach(at("view", input=args[0], dtype=given))
    return _whole_view(call, args, kwargs)


def _asked_reshape(input: Tensor, *shape: Any, **options: Any) -> Tensor:
    """reshape while a mode is to be asked: as view, where the tensor is contiguous, of the sizes as they are given."""
    x = input._array
    sizes = _sizes("reshape", input, shape, options, "shape")
    return view(input, sizes) if x.flags.c_contiguous else _reshaped(input, infer_size(sizes, x.size))


@composite("reshape(Tensor input, SymInt[] shape) -> Tensor|view", one_list=True, reads="itself")
@instead(lambda call, args, kwargs: _asked_reshape(*args, **kwargs))
def reshape(input: Tensor, *shape: Any, **options: Any) -> Tensor:
    """The same elements in another shape, read row by row; one size may be -1. A view where the strides allow it, else
    a copy.

    Shapes: any with equally many elements.
    ~same-dtype
    Errors: RuntimeError if the number of elements differs.

    >>> x = torch.arange(6)
    >>> torch.reshape(x, (2, 3))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    >>> x.reshape(3, -1)
    tensor([[0, 1],
            [2, 3],
            [4, 5]])
    """
    x = input._array
    sizes = x.shape
    if not options and 0 not in sizes and x.flags.c_contiguous and (1 not in sizes or laid_out_anew(x)):
        try:
            r = x.reshape(*shape)
        except (TypeError, ValueError):
            pass
        else:
            first = shape[0] if shape else 0
            wanted: Any = shape
            if type(first) is not int:
                wanted = first if isinstance(first, tuple) and (not first or type(first[0]) is not bool) else (None,)
            if r.shape == wanted or (-1 in wanted and min(wanted) == -1):
                return view_of(input, r, _VIEW, (sizes, None))
    sizes = _sizes("reshape", input, shape, options, "shape")
    return _reshaped(input, infer_size(sizes, x.size, lanes_of(x.shape) if x.flags.c_contiguous else ()))


def _asked_reshaped(input: Tensor, size: tuple[int, ...]) -> Tensor:
    x = input._array
    if view_strides(x, size) is not None:  # of a tensor that asks, PyTorch makes no other alias than this
        return view(input, size)
    return TENSORS._unsafe_view(TENSORS.clone(input, memory_format="contiguous"), size)


@instead(lambda call, args, kwargs: _asked_reshaped(*args))
def _reshaped(input: Tensor, size: tuple[int, ...]) -> Tensor:
    x = input._array
    found = _viewed(x, size)
    if found is None:
        return _UNSAFE_VIEW.call(TENSORS.clone(input, memory_format="contiguous"), size)
    return view_of(input, *found, (x.shape, None))


def _viewed(x: np.ndarray, size: tuple[int, ...]) -> tuple[np.ndarray, Op] | None:
    """A view of an array in another shape, and the entry of its Node; None if it takes a copy."""
    shape = x.shape
    if 0 not in shape and x.flags.c_contiguous and (1 not in shape or laid_out_anew(x)):
        return x.reshape(size), _VIEW
    strides = view_strides(x, size)
    if strides is None:
        return None
    same = strides == x.strides and size == shape and type(x) is np.ndarray
    return x[...] if same else window(x, size, strides), _VIEW if x.flags.c_contiguous else _ALIAS


@composite("flatten(Tensor input, int start_dim=0, int end_dim=-1) -> Tensor|.using_ints|view", reads="late")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions start_dim to end_dim merged into one. A view where the strides allow it.

    Shapes: (a, b, c, …) gives (a, b*c*…) for start_dim=1; 0-dim gives (1,).
    ~same-dtype

    >>> torch.flatten(torch.ones(2, 3, 4), start_dim=1).shape
    torch.Size([2, 12])
    """
    shape = input._array.shape
    ndim = len(shape)
    first, last = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if ndim == 0:
        return _reshaped(input, (1,))
    if first == last:
        return input
    count = 1
    for n in shape[first : last + 1]:
        count *= n
    return _reshaped(input, (*shape[:first], count, *shape[last + 1 :]))


@composite("ravel(Tensor input) -> Tensor|view", reads="late")
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension. A view where the strides allow it.

    Shapes: any gives (n,).
    ~same-dtype

    >>> torch.ravel(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    return view(TENSORS.contiguous(input), -1) if input._array.size else view(TENSORS.contiguous(input), 0)


_UNEXPECTED = "unflatten got an unexpected error:\n"


@composite("unflatten(Tensor input, int dim, SymInt[] sizes) -> Tensor|.int|view", method=False)
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """One dimension split into several; one size may be -1.

    Shapes: (…, n, …) gives (…, *sizes, …) with the product n.
    ~same-dtype

    >>> torch.unflatten(torch.arange(6), 0, (2, 3))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    shape = input._array.shape
    d = wrap_dim(dim, len(shape))
    parts = shape_arg((sizes,)) if isinstance(sizes, (tuple, list)) else sizes
    if not isinstance(parts, tuple):
        raise TypeError(f"unflatten(): argument 'sizes' (position 2) must be tuple of ints, not {typename(sizes)}")
    if not parts:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not shape:
        raise RuntimeError(_UNEXPECTED + f"Dimension specified as {d} but tensor has no dimensions")
    if -1 in parts and 0 in parts and not shape[d]:
        raise RuntimeError(
            f"{_UNEXPECTED}cannot reshape tensor of 0 elements into shape {list(parts)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    try:
        inferred = infer_size(parts, shape[d])
    except RuntimeError as error:
        if "only one" in str(error):
            raise RuntimeError(_UNEXPECTED + str(error)) from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(parts)} don't multiply up to the size of dim {d} "
            f"({shape[d]}) in the input tensor"
        ) from None
    return view(input, (*shape[:d], *inferred, *shape[d + 1 :]))


_INT = frozenset((int,))


@method("unflatten")
def _unflattened(self: Tensor, dim: int, sizes: Any) -> Tensor:
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if type(dim) is not int or type(sizes) is not tuple or not _INT.issuperset(map(type, sizes)):
        explain("unflatten", (dim, sizes), {}, "Tensor")
    return unflatten(self, dim, sizes)


# -- the order of dimensions -------------------------------------------------------------------------------------------


def _t(input: np.ndarray) -> np.ndarray:
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return (input if input.size else placed(input)).T


_T = OPS["t"] = Op("t", _t, view=True, vjp={"input": lambda F, grad: F.t(grad)})
RAW.t = _t


@composite("t(Tensor input) -> Tensor", reads="late")
@instead(whole(_T))
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors stay as they are.

    Shapes: (m, n) gives (n, m). At most two dimensions.
    ~view

    >>> torch.t(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])

    In place:
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> x.t_()
    tensor([[1, 3],
            [2, 4]])
    >>> x
    tensor([[1, 3],
            [2, 4]])
    """
    x = input._array
    if x.ndim == 2 and x.size:
        if FLAGS.rows and isinstance(x, Rows):  # what PyTorch's rule for vmap calls
            return TENSORS.transpose(input, 0, 1)
        return view_of(input, x.T, _T, ())
    if not x.ndim and isinstance(x, Rows):
        return input  # PyTorch's rule for vmap
    return view_of(input, _t(x), _T, ())


def _transpose(input: np.ndarray, dim0: int, dim1: int) -> np.ndarray:
    n = input.ndim
    if not input.size:
        input = placed(input)
    if type(dim0) is not int or type(dim1) is not int:
        dim0, dim1 = int_arg(dim0), int_arg(dim1)
    try:
        return input.swapaxes(dim0, dim1)
    except ValueError:
        wrap_dim(dim0, n)
        wrap_dim(dim1, n)
        return input[...]


_TRANSPOSE = OPS["transpose"] = Op(
    "transpose", _transpose, view=True, vjp={"input": lambda F, grad, dim0, dim1: F.transpose(grad, dim0, dim1)}
)
RAW.transpose = _transpose


@composite("transpose(Tensor input, int dim0, int dim1) -> Tensor|.int|_default", reads="late")
@instead(whole(_TRANSPOSE))
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged.

    Shapes: input's with two sizes exchanged.
    ~view

    >>> torch.transpose(torch.tensor([[1, 2, 3], [4, 5, 6]]), 0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])

    In place:
    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> x.transpose_(0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    >>> x
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
    array = _transpose(input._array, dim0, dim1)
    if not array.ndim and isinstance(array, Rows):
        return input  # PyTorch's rule for vmap
    return view_of(input, array, _TRANSPOSE, (dim0, dim1, None, None))


def _permute(input: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    if len(dims) != input.ndim:
        front = len(lanes_of(input.shape))
        for d in dims if front else ():
            wrap_dim(d, input.ndim)
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {front + input.ndim} is not equal to len(dims) = "
            f"{front + len(dims)}"
        )
    if not input.size:
        input = placed(input)
    try:
        return input.transpose(dims)
    except ValueError:
        for d in dims:
            wrap_dim(d, input.ndim)
        raise RuntimeError("permute(): duplicate dims are not allowed.") from None


@lru_cache(maxsize=256)
def _inverse(dims: tuple[int, ...]) -> tuple[int, ...]:
    n = len(dims)
    found = [0] * n
    for i, d in enumerate(dims):
        found[d % n] = i
    return tuple(found)


_PERMUTE = OPS["permute"] = Op(
    "permute", _permute, view=True, vjp={"input": lambda F, grad, dims: F.permute(grad, _inverse(dims))}
)
RAW.permute = _permute


@composite("permute(Tensor input, int[] dims) -> Tensor", one_list=True, reads="itself")
@instead(whole(_PERMUTE))
def permute(input: Tensor, *dims: Any, **options: Any) -> Tensor:
    """The dimensions in another order.

    Shapes: the result's size i is input's size dims[i].
    ~view
    Errors: RuntimeError if a dimension is missing or named twice.

    >>> torch.permute(torch.zeros(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """
    if len(dims) == 1 and not options and type(dims[0]) is tuple:
        dims = dims[0]
    else:
        dims = _sizes("permute", input, dims, options, "dims")
    try:
        r = _permute(input._array, dims)
    except TypeError:
        explain("permute", (dims,), {}, "Tensor")
        raise
    return view_of(input, r, _PERMUTE, (dims, None))


# -- dimensions of size 1 ----------------------------------------------------------------------------------------------


def _squeeze_all(input: np.ndarray) -> np.ndarray:
    return (input if input.size else placed(input)).squeeze()


def _squeeze_dim(input: np.ndarray, dim: int) -> np.ndarray:
    d = wrap_dim(of_list(dim), input.ndim)
    if not input.size:
        input = placed(input)
    return input.squeeze(d) if input.ndim and input.shape[d] == 1 else input[...]


def _squeeze_dims(input: np.ndarray, dim: tuple[int, ...]) -> np.ndarray:
    dims = wrap_dims(dim, input.ndim)
    if not input.ndim:
        return input[...]
    if not input.size:
        input = placed(input)
    return input.squeeze(tuple(d for d in dims if input.shape[d] == 1))


def _squeezed_back(F: Any, grad: Any, input_shape: tuple[int, ...], dim: Any = None) -> Any:
    """Dimensions come back one by one; where there was none of size 1 the gradient stays what it is."""
    ndim = len(input_shape)
    if grad.ndim == ndim:
        return grad
    dims = range(ndim) if dim is None else sorted(wrap_dims(dim if isinstance(dim, tuple) else (dim,), ndim))
    for d in dims:
        if input_shape[d] == 1:
            grad = F.unsqueeze(grad, d)
    return grad


_SQUEEZE_KERNELS: tuple[Any, ...] = (_squeeze_all, _squeeze_dim, _squeeze_dims)
SQUEEZES = [
    Op(
        "squeeze",
        kernel,
        view=True,
        node=f"SqueezeBackward{i}",
        vjp={"input": (lambda F, grad, input_shape: _squeezed_back(F, grad, input_shape)) if not i else _squeezed_back},
    )
    for i, kernel in enumerate(_SQUEEZE_KERNELS)
]


#: stands for no dimension named
_EVERY: Any = object()


@composite(
    """
    squeeze(Tensor input) -> Tensor
    squeeze(Tensor input, int dim) -> Tensor|.dim
    squeeze(Tensor input, int[] dim) -> Tensor|.dims
    """,
    reads="late",
)
@instead(whole(lambda values: SQUEEZES[1 + isinstance(values["dim"], tuple) if "dim" in values else 0]))
def squeeze(input: Tensor, dim: Any = _EVERY) -> Tensor:
    """Without dimensions of size 1: all of them, or those that dim names.

    Shapes: input's without sizes 1.
    ~view

    >>> x = torch.zeros(1, 3, 1)
    >>> x.squeeze().shape
    torch.Size([3])
    >>> torch.squeeze(x, 0).shape
    torch.Size([3, 1])

    In place:
    >>> x = torch.zeros(1, 3, 1)
    >>> x.squeeze_().shape
    torch.Size([3])
    >>> x.shape
    torch.Size([3])
    """
    x = input._array
    if isinstance(x, Rows) and dim is not _EVERY:
        dims = [dim] if isinstance(dim, int) else [*dim]
        if not x.ndim and any(dims):
            raise RuntimeError(errors.ROWS_SQUEEZE.format(-1, 0, dims))
        dim = dims  # PyTorch's rule for vmap takes all alike
    if dim is _EVERY:
        return view_of(input, _squeeze_all(x), SQUEEZES[0], (x.shape, None))
    if isinstance(dim, (tuple, list)):
        return view_of(input, _squeeze_dims(x, tuple(dim)), SQUEEZES[2], (x.shape, tuple(dim), None, None))
    return view_of(input, _squeeze_dim(x, dim), SQUEEZES[1], (x.shape, dim, None, None))


OPS["squeeze"] = SQUEEZES[0]
RAW.squeeze = lambda x, dim=None: (
    x.squeeze() if dim is None else _squeeze_dims(x, dim if isinstance(dim, tuple) else (dim,))
)


def _unsqueeze(input: Any, dim: int) -> np.ndarray:
    shape = input.shape
    n = len(shape)
    d = dim if type(dim) is int and 0 <= dim <= n else wrap_dim(dim, n + 1)
    if shape and 0 not in shape and 1 not in shape and input.flags.c_contiguous:
        return input.reshape((*shape[:d], 1, *shape[d:]))
    input = placed(input)
    strides = input.strides
    step = shape[d] * strides[d] if d < len(shape) else input.itemsize
    return window(input, (*shape[:d], 1, *shape[d:]), (*strides[:d], step, *strides[d:]))


_UNSQUEEZE = OPS["unsqueeze"] = Op(
    "unsqueeze", _unsqueeze, view=True, vjp={"input": lambda F, grad, dim: F.squeeze(grad, dim)}
)
RAW.unsqueeze = _unsqueeze


@composite("unsqueeze(Tensor input, int dim) -> Tensor", reads="late")
@instead(whole(_UNSQUEEZE))
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a new dimension of size 1 at dim.

    Shapes: one dimension more than input's.
    ~view

    >>> torch.unsqueeze(torch.tensor([1, 2]), 1)
    tensor([[1],
            [2]])

    In place:
    >>> x = torch.tensor([1, 2])
    >>> x.unsqueeze_(1)
    tensor([[1],
            [2]])
    >>> x
    tensor([[1],
            [2]])
    """
    return view_of(input, _unsqueeze(input._array, dim), _UNSQUEEZE, (dim, None))


# -- expanding ---------------------------------------------------------------------------------------------------------


def expanded(shape: tuple[int, ...], size: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes that expand() gives, -1 meaning the old size; PyTorch's errors."""
    lead = len(size) - len(shape)
    front = lanes_of(shape)
    own = [*front, *(1,) * lead, *shape] if front else [*shape]
    result = []
    for i in range(len(size) - 1, -1, -1):
        n = size[i]
        old = shape[i - lead] if i >= lead else None
        if n == -1:
            if not shape:
                raise RuntimeError("numel: integer multiplication overflow")
            if old is None:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
                )
            n = old
        elif old not in (None, 1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({old}) at non-singleton "
                f"dimension {len(front) + i}.  Target sizes: {[*front, *size]}.  Tensor sizes: {own}"
            )
        result.append(n)
    if min(result, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(reversed(result))


def _expand(input: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    if not input.size:
        input = placed(input)
    old, steps = input.shape, input.strides
    lead = len(size) - len(old)
    if lead < 0:
        d = from_numpy(input.dtype)
        given = "" if isinstance(input, Rows) else f"({tensor_type(d)}{{{list(old)}}}, size={list(size)})"
        raise RuntimeError(
            f"expand{given}: the number of sizes provided ({len(size)}) must be "
            f"greater or equal to the number of dimensions in the tensor ({len(old)})"
        )
    if size == old:
        return input[...]
    front = size[:lead]
    if size[lead:] == old and 1 not in front and (not front or min(front) >= 0):
        return window(input, size, (0,) * lead + steps)
    shape = list(size)
    strides = [0] * len(shape)
    for i in range(len(old) - 1, -1, -1):
        n, m = size[lead + i], old[i]
        if n == m or n == -1:
            shape[lead + i] = m
            strides[lead + i] = steps[i]
        elif m != 1 or n < 0:
            expanded(old, size)
    for i in range(lead - 1, -1, -1):
        # a new dimension of size 1 keeps the step that a contiguous one would have
        if size[i] == 1 and (old or isinstance(input, Rows)):
            strides[i] = shape[i + 1] * strides[i + 1] if i + 1 < len(shape) else input.itemsize
        elif size[i] < 0:
            expanded(old, size)
    return window(input, tuple(shape), tuple(strides))


EXPAND = OPS["expand"] = Op(
    "expand", _expand, view=True, vjp={"input": lambda F, grad, input_shape: F.sum_to_size(grad, input_shape)}
)


@composite("expand(Tensor input, SymInt[] size, *, bool implicit=False) -> Tensor", function=False, reads="itself")
@instead(whole(EXPAND))
def expand(input: Tensor, *size: Any, implicit: bool = False, **options: Any) -> Tensor:
    """Dimensions of size 1 repeated without copying: their stride is 0. -1 keeps a size; new dimensions go in front.

    Shapes: (…, 1, …) gives (…, n, …).
    ~view

    >>> x = torch.tensor([[1], [2]])
    >>> x.expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> x.expand(2, 3).stride()
    (1, 0)
    """
    x = input._array
    sizes = _sizes("expand", input, size, options, "size")
    return view_of(input, _expand(x, sizes), EXPAND, (x.shape, None))


RAW.expand = lambda x, *size: _expand(x, _known(size))


def in_one_batch(input: Tensor, batch: tuple[int, ...], n: int) -> Tensor:
    """Batches of matrices, expanded to a batch of `n`, as one batch."""
    x = input._array
    matrix = x.shape[-2:]
    wide = x[...] if x.shape[:-2] == batch else _expand(x, (*batch, *matrix))
    return _reshaped(view_of(input, wide, EXPAND, (x.shape, None)), (n, *matrix))


@composite("expand_as(Tensor input, Tensor other) -> Tensor|view", function=False, reads="late")
@instead(lambda call, args, kwargs: expand(args[0], args[1]._array.shape))
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """expand to the shape of another tensor.

    Shapes: other's.
    ~view

    >>> torch.tensor([1, 2]).expand_as(torch.zeros(2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return view_of(input, _expand(input._array, other._array.shape), EXPAND, (input._array.shape, None))


@composite("broadcast_to(Tensor input, SymInt[] size) -> Tensor|view", one_list=True)
def broadcast_to(input: Tensor, *size: Any, **options: Any) -> Tensor:
    """expand to a shape, as arithmetic does it.

    Shapes: the given one; sizes 1 are repeated, new dimensions go in front.
    ~view

    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(input, _sizes("broadcast_to", input, size, options, "size"))


@composite("view_as(Tensor input, Tensor other) -> Tensor|view", function=False, reads="late")
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """view in the shape of another tensor.

    Shapes: any with equally many elements.
    ~view

    >>> torch.arange(4).view_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return view(input, other._array.shape)


@composite("reshape_as(Tensor input, Tensor other) -> Tensor|view", function=False, reads="late")
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """reshape in the shape of another tensor.

    Shapes: any with equally many elements.
    ~same-dtype

    >>> torch.arange(4).reshape_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return reshape(input, other._array.shape)


@composite("sum_to_size(Tensor input, SymInt[] size) -> Tensor", function=False)
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sums that bring the tensor to a shape from which it could have been expanded: the reverse of broadcasting.

    Shapes: the given one.
    Dtypes: any; the result has the same.

    >>> torch.ones(3, 2).sum_to_size(1, 2)
    tensor([[3., 3.]])
    """
    shape = shape_arg(size)
    if not expandable(shape, tuple(input._array.shape)):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(input.shape)}}}.")
    if shape == input._array.shape and shape:
        return input
    result: Tensor = reduce_to(input, shape)
    return result


def _raw_sum_to_size(x: Any, *size: Any) -> Any:
    shape = _known(size)
    return x if x.shape == shape else reduce_to(x, shape)


RAW.sum_to_size = _raw_sum_to_size


@composite("size(Tensor input, int? dim=None) -> Size | int|python", function=False, reads="itself")
def size(self: Tensor, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The sizes of all dimensions, or of one.

    Shapes: any.

    >>> x = torch.zeros(2, 3)
    >>> x.size(), x.size(1)
    (torch.Size([2, 3]), 3)
    """
    if args or kwargs:
        explain("size", (dim, *args), kwargs, "Tensor")
    if dim is None:
        return size_of(self._array.shape)
    try:
        return self._array.shape[wrap_dim(dim, self._array.ndim, scalar_ok=False)]
    except TypeError:
        raise TypeError(f"size(): argument 'dim' (position 1) must be int, not {typename(dim)}") from None
