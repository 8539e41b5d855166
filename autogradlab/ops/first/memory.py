"""Copies, casts, fills, and what a tensor says of its memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arguments.mismatch import refuse_all
from ...core.graph.node import NO_EDGE, leads
from ...core.memory.absent import is_absent, require_contents
from ...core.memory.casting import cast_array, real_with_warning
from ...core.memory.layout import channels_last, filled_channels_last, like, row_by_row
from ...core.memory.layout import formatted as in_order_of
from ...core.memory.overlap import check_apart, check_written
from ...core.memory.rows import Rows
from ...core.memory.storage import address, owner, resize, storage_of
from ...core.memory.strided import placed, window
from ...core.memory.versions import UNSHARED, apart, increment_version, of_inference
from ...core.recording.detached import note_detached
from ...core.recording.inplace import History, check_inplace, commit, commit_number, refuse_captured
from ...core.recording.record import RAW, TENSORS, finish, make_node_class, start_node
from ...core.runtime import errors, modes
from ...core.tensor.dispatching import hollow, instead
from ...core.tensor.edges import made_by
from ...core.tensor.tensor import INFERENCE, Tensor, counter, gradient_edge, requires_grad, wrap
from ...core.types import dtypes
from ...core.types.device import CPU, is_meta, require_cpu
from ...core.types.device import device as Device
from ...core.types.dims import shape_arg, wrap_dim
from ...core.types.dtypes import dtype as Dtype
from ...core.types.layouts import FORMATS
from ...core.values.building import scalar_array
from ...core.values.promotion import broadcast_shapes, is_number, wrap_number
from ..table.arguments import reject
from ..table.asking import Operator, asked_detach, at, changed, tell, written
from ..table.calls import ByCopy
from ..table.creation import bind
from ..table.inplace import recorded_edges, refuse_rows_as, rows_beyond, write_in_place
from ..table.memoryless import empty as emptied
from ..table.opdef import OPS, Op, composite, op
from ..table.signatures import explain

_CANNOT_RESIZE = "cannot resize variables that require grad"
_CONTIGUOUS, _PRESERVE = FORMATS["contiguous_format"], FORMATS["preserve_format"]
#: the dtypes that NumPy casts to floats as PyTorch does, and as fast as may be
_REALS = "?bhilqBHILQfd"
#: the format with the channels last, by the number of dimensions
_CHANNELS = {4: FORMATS["channels_last"], 5: FORMATS["channels_last_3d"]}


@op(
    "clone(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor",
    vjp={"input": lambda F, grad: F.view_grad(grad)},
    reads="late",
    inner_writes=ByCopy(1),
)
def clone(input: np.ndarray, *, memory_format: Any = None) -> np.ndarray:
    """A copy that stays in the graph: its gradient goes to input.

    Shapes: input's.
    Dtypes: input's.

    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> y = x.clone()
    >>> y
    tensor([1., 2.], grad_fn=<CloneBackward0>)
    """
    return formatted(input, memory_format)


def formatted(x: np.ndarray, memory_format: Any = None) -> np.ndarray:
    """A copy in the memory order that a memory format asks for."""
    if memory_format is None or memory_format is _PRESERVE:
        if x.flags.c_contiguous and 0 not in x.shape:
            r = x.copy()
            if 1 not in x.shape or r.strides == x.strides:
                return r
        r = like(x, x.dtype, zero=False)
        r[...] = x
        return r
    if memory_format is _CONTIGUOUS or memory_format == "contiguous":
        return row_by_row(x)
    if isinstance(x, Rows):
        raise RuntimeError(errors.ROWS_CLONE.format(memory_format.name.title().replace("_", "").replace("3D", "3d")))
    wanted = {"channels_last": 4, "channels_last_3d": 5}.get(memory_format.name)
    if wanted is None or x.ndim != wanted:
        raise RuntimeError(f"required rank {wanted} tensor to use {memory_format.name} format")
    if not x.size:
        return in_order_of(x.shape, x.dtype, memory_format)
    return np.array(x.transpose(0, *range(2, wanted), 1), order="C").transpose(0, wanted - 1, *range(1, wanted - 1))


def _in_format(x: np.ndarray, memory_format: Any) -> bool:
    """Whether elements lie as a memory format says."""
    if memory_format is None or memory_format is _CONTIGUOUS or memory_format is _PRESERVE:
        return bool(x.flags.c_contiguous)
    if isinstance(x, Rows):
        raise RuntimeError(errors.ROWS_FORMAT)
    wanted = {"channels_last": 4, "channels_last_3d": 5}[memory_format.name]
    if x.ndim != wanted:
        return False
    return bool(x.transpose(0, *range(2, wanted), 1).flags.c_contiguous) if x.size else filled_channels_last(x)


def _suggested(x: np.ndarray, memory_format: Any) -> bool:
    """Whether a memory format is that which an array goes on with: its strides need not be without gaps for that."""
    if memory_format is None or memory_format is _PRESERVE:
        return True
    if isinstance(x, Rows):
        return _in_format(x, memory_format)
    wanted = {4: "channels_last", 5: "channels_last_3d"}.get(x.ndim, "") if channels_last(x) else "contiguous_format"
    return bool(memory_format.name == wanted)


@composite(
    "contiguous(Tensor input, *, MemoryFormat memory_format=contiguous_format) -> Tensor|view",
    function=False,
    reads="late",
)
def contiguous(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor itself if its elements lie in memory row by row, else a copy in that order.

    Shapes: input's.
    ~same-dtype

    >>> x = torch.tensor([[1, 2], [3, 4]]).T
    >>> x.contiguous().stride()
    (2, 1)
    """
    if memory_format is None:
        return input if input._array.flags.c_contiguous else TENSORS.clone(input, memory_format=_CONTIGUOUS)
    if _in_format(input._array, memory_format):
        return input
    if memory_format is _PRESERVE:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return TENSORS.clone(input, memory_format=memory_format)


def _copied_back(F: Any, grad: Any, numpy: Any) -> Any:
    """The gradient of a copy in another dtype, in the one of what was copied."""
    if numpy.kind != "c" and F.is_complex(grad):
        grad = F.real_part(grad)
        if not isinstance(grad, Tensor) or grad._array.dtype is numpy:
            return grad
    return F._to_copy(grad, numpy)


@op(
    "_to_copy",
    node="ToCopyBackward0",
    vjp={"input": lambda F, grad, input_dtype: _copied_back(F, grad, input_dtype)},
    reads="itself",
    inner_writes=ByCopy(1),
    operator=Operator(
        "(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
        "bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
        more={
            "dtype": lambda v: dtypes.from_numpy(v["numpy"]),
            "layout": lambda v: v["input"].layout if modes.LOCAL.state.formula else None,
            "device": lambda v: v["input"].device if modes.LOCAL.state.formula else None,
            "pin_memory": None,
            "non_blocking": False,
        },
        lost={"numpy": lambda v: (v.get("dtype") or v["input"].dtype).numpy},
    ),
)
def _to_copy(input: Any, numpy: Any, memory_format: Any = None) -> np.ndarray:
    if numpy is input.dtype:
        return formatted(input, memory_format)
    if memory_format is None and not (input.flags.c_contiguous and input.size and 1 not in input.shape):
        r = like(input, numpy)
        r[...] = cast_array(input, numpy)
        return r
    r = input.astype(numpy) if numpy.kind == "f" and input.dtype.char in _REALS else cast_array(input, numpy)
    return r if memory_format is None and r is not input else formatted(r, memory_format)


@composite(
    """
    to(Tensor input, Device device=None, ScalarType dtype=None, bool non_blocking=False, bool copy=False, *,
        MemoryFormat? memory_format=None) -> Tensor|numbers|.device|view
    to(Tensor input, ScalarType dtype, bool non_blocking=False, bool copy=False, *,
        MemoryFormat? memory_format=None) -> Tensor|numbers|.dtype|view
    to(Tensor input, Tensor tensor, bool non_blocking=False, bool copy=False, *,
        MemoryFormat? memory_format=None) -> Tensor|numbers|python
    """,
    function=False,
    reads="late",
)
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """
    main: 2
    The tensor with another dtype or on another device; itself, if nothing changes and copy is not True.

    Errors: AssertionError for a device that this build does not support.

    >>> torch.tensor([1, 2]).to(torch.float32)
    tensor([1., 2.])
    >>> x = torch.ones(1)
    >>> x.to('cpu') is x
    True
    """
    if len(args) == 1 and not kwargs:
        given = args[0]
        kind = type(given)
        if kind is Dtype:
            return input if given.numpy is input._array.dtype else _converted(input, given, None)
        here = given is CPU or (kind is str and given == "cpu") or (kind is Device and given == CPU)
        if here and (input._array.base is None or not is_absent(input._array)):
            return input
    device, wanted, _, copy, memory_format = parse_to(args, kwargs)
    where = None if device is None else is_meta(device)
    absent = is_absent(input._array)
    if where is not None and where != absent:
        if absent:
            require_contents("", input._array)
        return emptied(_converted(input, wanted or input.dtype, memory_format))
    if (wanted is None or wanted.numpy is input._array.dtype) and not copy and _suggested(input._array, memory_format):
        return input
    return _converted(input, wanted or input.dtype, memory_format)


def _converted(input: Tensor, wanted: Dtype, memory_format: Any) -> Tensor:
    real_with_warning(input._array, wanted.numpy)
    if input._array.dtype.kind not in "fcV" and wanted.numpy.kind not in "fcV" and input._edge is not NO_EDGE:
        input = TENSORS.detach(input)  # from integers to integers nothing is recorded
    return TENSORS._to_copy(input, wanted.numpy, memory_format)


def parse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool, bool, Any]:
    """Device, dtype, non_blocking, copy and memory format that the forms to(device, dtype), to(dtype), to(other) ask
    for; None for what is not said."""
    _, found = bind("to", args, kwargs, "Tensor")
    wanted, where, other = found.get("dtype"), found.get("device"), found.get("tensor")
    if other is not None:
        like = wrap_number(other) if is_number(other) else other
        wanted, where = like.dtype, like.device
    return where, wanted, found["non_blocking"], found["copy"], found["memory_format"]


def _converter(declaration: str, wanted: Dtype, doc: str) -> None:
    def convert(input: Tensor, memory_format: Any = None) -> Tensor:
        numpy = input._array.dtype
        if wanted.numpy is numpy and _suggested(input._array, memory_format):
            return input
        floats = numpy.kind == "f" or wanted.numpy.kind == "f"
        if numpy.kind != "c" and (floats or input._edge is NO_EDGE):  # as `_converted` finds
            found: Tensor = TENSORS._to_copy(input, wanted.numpy, memory_format)
            return found
        return _converted(input, wanted, memory_format)

    convert.__doc__ = doc
    composite(declaration, function=False)(convert)


_converter(
    "bool(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.bool,
    """
    The tensor as bool: False for 0.

    >>> torch.tensor([0., 2.]).bool()
    tensor([False,  True])
    """,
)
_converter(
    "byte(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.uint8,
    """
    The tensor as uint8.

    >>> torch.tensor([1.7]).byte()
    tensor([1], dtype=torch.uint8)
    """,
)
_converter(
    "char(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.int8,
    """
    The tensor as int8.

    >>> torch.tensor([1.7]).char()
    tensor([1], dtype=torch.int8)
    """,
)
_converter(
    "float(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.float32,
    """
    The tensor as float32.

    >>> torch.tensor([1]).float()
    tensor([1.])
    """,
)
_converter(
    "double(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.float64,
    """
    The tensor as float64.

    >>> torch.tensor([1]).double()
    tensor([1.], dtype=torch.float64)
    """,
)
_converter(
    "half(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.float16,
    """
    The tensor as float16.

    >>> torch.tensor([1]).half()
    tensor([1.], dtype=torch.float16)
    """,
)
_converter(
    "int(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.int32,
    """
    The tensor as int32.

    >>> torch.tensor([1.7, -1.7]).int()
    tensor([ 1, -1], dtype=torch.int32)
    """,
)
_converter(
    "long(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.int64,
    """
    The tensor as int64.

    >>> torch.tensor([1.7, -1.7]).long()
    tensor([ 1, -1])
    """,
)
_converter(
    "short(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.int16,
    """
    The tensor as int16.

    >>> torch.tensor([1.7]).short()
    tensor([1], dtype=torch.int16)
    """,
)
_converter(
    "cfloat(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.complex64,
    """
    The tensor as complex64.

    >>> torch.tensor([1.]).cfloat()
    tensor([1.+0.j])
    """,
)
_converter(
    "cdouble(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.complex128,
    """
    The tensor as complex128.

    >>> torch.tensor([1.]).cdouble()
    tensor([1.+0.j], dtype=torch.complex128)
    """,
)
_converter(
    "bfloat16(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python",
    dtypes.bfloat16,
    """
    The tensor as bfloat16: 8 bits of exponent, 8 of precision.

    Errors: ImportError where the package ml_dtypes is missing.

    >>> torch.tensor([1.]).bfloat16().dtype
    torch.bfloat16
    """,
)


@composite("type_as(Tensor input, Tensor other) -> Tensor", function=False, reads="late")
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor with the dtype of another one, on its device.

    >>> torch.tensor([1.7]).type_as(torch.tensor([1]))
    tensor([1])
    """
    if is_absent(input._array) != is_absent(other._array):
        return to(input, other)
    return to(input, other.dtype)


@composite("cpu(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor|python", function=False, reads="late")
def cpu(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor on the CPU: itself, unless it lies in another format than is asked for.

    >>> x = torch.ones(1)
    >>> x.cpu() is x
    True
    """
    if input._array.base is not None:
        require_contents("", input._array)
    return input if memory_format is None else to(input, memory_format=memory_format)


@composite(
    """
    cuda(Tensor input, Device? device=None, bool non_blocking=False, *,
        MemoryFormat? memory_format=None) -> Tensor|python
    cuda(Tensor input, Device? device=None, bool async=False, *,
        MemoryFormat? memory_format=None) -> Tensor|deprecated
    """,
    function=False,
)
def cuda(input: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """The tensor on a GPU.

    Errors: AssertionError: this build has no CUDA.

    >>> torch.cuda.is_available()
    False
    """
    where = Device("cuda" if device is None else device)
    if where.type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    require_cpu(where)
    return input


# -- without history ---------------------------------------------------------------------------------------------------


@composite("detach(Tensor input) -> Tensor|view", reads="itself")
@instead(lambda call, args, kwargs: asked_detach(*args))
def detach(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The same memory without history: a leaf that does not require grad. Changes in place are seen in both.

    Shapes: any; the result has input's shape.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> (w * 2).detach()
    tensor([2., 4.])

    In place:
    Cuts the tensor itself off from its history.

    Shapes: any.

    Errors: RuntimeError for a view.
    >>> y = torch.tensor([1.], requires_grad=True) * 2
    >>> y.detach_()
    tensor([2.])
    """
    if args or kwargs:
        refuse_all("TensorBase.detach", args, kwargs)
    try:
        t = wrap(input._array)
    except AttributeError:
        reject("detach", (input,), {})
    t._counter = apart(input) if of_inference(input) else counter(input)
    t._storage = input._storage
    return t


@composite(reads="late")
def detach_(input: Tensor) -> Tensor:
    """Detach this tensor from its history, in place."""
    if modes.current().inference:
        return input  # autograd does not see it
    if modes.FLAGS.unusual:
        refuse_captured(input, "detach_")
    if input._view is not None:
        raise RuntimeError(errors.DETACH_VIEW)
    if made_by(input) is not None:
        note_detached(input)
    input._edge = NO_EDGE
    return input


# -- copies into -------------------------------------------------------------------------------------------------------

CopyBackwards = make_node_class("CopyBackwards", (), (), False)
CopyBackwards.run = lambda self, grad, F: _copied(self, grad)
CopyBackwards.run_recorded = lambda self, grad, F: _copied(self, grad)
CopyBackwards.name = lambda self: "torch::autograd::CopyBackwards"
CopyBackwards.in_place = "copy_"


@instead(lambda call, args, kwargs: at("zeros_like", input=args[0], memory_format=_CONTIGUOUS))
def _zeros_beside(grad: Tensor) -> Tensor:
    found: Tensor = TENSORS.zeros_of(grad, grad._array.shape)
    return found


def _copied(node: Any, grad: Any) -> tuple[Any, ...]:
    """The gradient of copy_: zeros for the values that were overwritten, all for those that took their place."""
    if grad is None:
        return (None, None)
    old, new = node._edges
    nothing = None
    if leads(old):
        nothing = _zeros_beside(grad) if isinstance(grad, Tensor) else np.zeros_like(grad)
    return (nothing, grad if leads(new) else None)


#: copy_ as torch.ops knows it
OPS["copy_"] = Op(
    "copy_",
    lambda input, other: other,
    "input other",
    operator=Operator("(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", {"src": "other"}),
)


def _asked_copy(input: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """copy_ while a mode is to be asked."""
    if is_number(other):
        other = wrap(np.asarray(other))
    local = modes.LOCAL.state
    history = None
    floats = input._array.dtype.kind in "fcV"
    if local.record and (requires_grad(input) or (floats and requires_grad(other))):
        if modes.FLAGS.unusual:
            refuse_captured(input, "copy_")
        check_inplace(input)
        edges = (gradient_edge(input), gradient_edge(other) if floats else NO_EDGE)
        history = History(input, start_node(CopyBackwards, edges, input._array.shape, input._array.dtype, ()))
    return written(input, tell("copy_", {"input": input, "other": other, "non_blocking": non_blocking}), history)


#: stands for an argument that was not given
_MISSING: Any = object()


@composite(
    """
    copy_(Tensor input, Tensor other, bool non_blocking=False) -> Tensor|numbers|python
    copy_(Tensor input, Tensor other, bool async=False) -> Tensor|numbers|deprecated
    """,
    function=False,
    reads="itself",
)
@instead(lambda call, args, kwargs: _asked_copy(*args, **kwargs))
def copy_(input: Tensor, other: Any = _MISSING, non_blocking: Any = False) -> Tensor:
    """Writes the values of another tensor into this one, cast and broadcast.

    Shapes: other broadcasts to this tensor.
    Errors: RuntimeError where it does not.

    >>> x = torch.zeros(2, 2)
    >>> x.copy_(torch.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    if type(non_blocking) is not bool:
        reject("copy_", (input, other, non_blocking), {})
    if (
        type(other) is Tensor
        and not modes.FLAGS.unusual
        and (input._edge is NO_EDGE or not requires_grad(input))
        and (other._edge is NO_EDGE or not requires_grad(other))
    ):
        target, x = input._array, other._array
        apart = _ordinary(target) and _ordinary(x)
        if apart and input._counter is not UNSHARED is not other._counter:
            root, source = owner(target), owner(x)
            apart = root.base is None is source.base and root is not source
        if apart and x.dtype is target.dtype and x.shape == target.shape and 0 not in target.strides:
            commit(input, x)
            return input
    if not isinstance(other, Tensor):
        if other is _MISSING or not is_number(other):
            reject("copy_", (input,) if other is _MISSING else (input, other), {})
        other = wrap(np.asarray(other))
    if modes.FLAGS.rows and rows_beyond((input, other))[1]:
        refuse_rows_as("inplace arithmetic")
    if other._array.base is not None and not is_absent(input._array):
        require_contents("", other._array)
    local = modes.LOCAL.state
    floats = input._array.dtype.kind in "fcV"
    recording = local.record and (requires_grad(input) or (floats and requires_grad(other)))
    if recording:
        if modes.FLAGS.unusual:
            refuse_captured(input, "copy_")
        check_inplace(input)
    target, x = input._array, other._array
    same = (
        x.dtype is target.dtype
        and x.shape == target.shape
        and x.strides == target.strides
        and address(x) == address(target)
    )
    parts = other._counter is not UNSHARED is not input._counter and (x.base is not None or target.base is not None)
    if not same and (parts or 0 in target.strides):
        check_written(input, (other,))
    if x.shape != target.shape:
        shape = broadcast_shapes(target.shape, x.shape)
        if shape != target.shape:
            raise RuntimeError(
                f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(shape)}"
            )
    if x.dtype is not target.dtype:
        x = real_with_warning(x, target.dtype) if target.size else x
        x = modes.quiet(cast_array, x, target.dtype)
    history = None
    if recording:
        edges = (gradient_edge(input), gradient_edge(other) if floats else NO_EDGE)
        node = start_node(CopyBackwards, edges, target.shape, target.dtype, ())
        if not local.plain:
            finish(node, local)
        history = History(input, node)
    commit(input, x, history)
    return input


def _ordinary(x: np.ndarray) -> bool:
    """Whether an array is known to have its elements in memory of NumPy's own."""
    if type(x) is not np.ndarray:
        return False
    base = x.base
    return base is None or (type(base) is np.ndarray and base.base is None)


def _fill(input: np.ndarray, value: np.ndarray) -> np.ndarray:
    r = like(input, input.dtype, zero=False)
    r[...] = value
    return r


def _fill_tensor(input: np.ndarray, value: np.ndarray) -> np.ndarray:
    return _fill(input, cast_array(value, input.dtype))


_nothing = {"input": lambda F, grad: F.nought(grad)}
_everything = {"input": lambda F, grad: F.nought(grad), "value": lambda F, grad: grad.sum()}
#: fill in its four forms: out of place and in place, with a number and with a tensor
_FILLS = [
    Op("fill", _fill, "input", vjp=_nothing, node="FillBackward0"),
    Op("fill", _fill_tensor, "input value", vjp=_everything, node="FillBackward1", in_rows="own"),
    Op("fill", _fill, "input", vjp=_nothing, node="FillBackward2"),
    Op("fill", _fill_tensor, "input value", vjp=_everything, node="FillBackward3", in_rows="own"),
]
OPS["fill"] = _FILLS[0]
_ZERO = OPS["zero"] = Op("zero", lambda input: np.zeros(input.shape, input.dtype), vjp=_nothing)


def _value(name: str, input: Tensor, value: Any) -> Any:
    """What to fill with: a 0-dim tensor, or a number as an array of the dtype of `input`."""
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
            )
        return value
    if not is_number(value):
        explain(name, (value,), {}, "Tensor")
    return scalar_array(value, input.dtype)


@composite(
    """
    fill(Tensor input, Tensor value) -> Tensor|.Tensor|looped
    fill(Tensor input, Scalar value) -> Tensor|.Scalar|looped
    """,
    method=False,
)
def fill(input: Tensor, value: Any) -> Tensor:
    """A copy of input with one value everywhere.

    Shapes: input's shape; value is a number or a 0-dim tensor.
    Dtypes: any; the result has input's.

    >>> torch.fill(torch.zeros(2), 7.)
    tensor([7., 7.])

    In place:
    Writes one value everywhere.

    Shapes: any; value is a number or a 0-dim tensor.

    >>> torch.zeros(2).fill_(3)
    tensor([3., 3.])
    """
    found = _value("fill", input, value)
    return _FILLS[isinstance(found, Tensor)].call(input, found)


def _asked_fill(input: Tensor, value: Any) -> Tensor:
    entry = _FILLS[2 + isinstance(value, Tensor)]
    return changed(entry, [input, value], tell("fill_", {"input": input, "value": value}))


@composite("fill_", reads="late")
@instead(lambda call, args, kwargs: _asked_fill(*args, **kwargs))
def fill_(input: Tensor, value: Any) -> Tensor:
    """Fill in place with one value, a number or a 0-dim tensor."""
    kind = type(value)
    usual = (kind is float or kind is int) and -100 <= value <= 100
    if usual and input._edge is NO_EDGE and input._counter is not INFERENCE:
        array = input._array
        if (array.dtype.kind == "f" or (kind is int and array.dtype.kind == "i")) and 0 not in array.strides:
            if modes.FLAGS.unusual:
                refuse_captured(input, "fill_.Scalar")
            commit_number(input, value)
            return input
    if modes.FLAGS.unusual:
        refuse_captured(input, "fill_.Tensor" if isinstance(value, Tensor) else "fill_.Scalar")
    if isinstance(value, Tensor):
        recorded_edges(_FILLS[3], [input, value])
    found = _value("fill_", input, value)
    if isinstance(found, Tensor):
        check_apart(input._array)
    return write_in_place(_FILLS[2 + isinstance(found, Tensor)], [input, found], _fill_into, repeatable=True)


def _fill_into(target: np.ndarray, value: np.ndarray) -> None:
    value = real_with_warning(value, target.dtype) if target.size else value
    target[...] = value if value.dtype is target.dtype else cast_array(value, target.dtype)


@composite("zero_(Tensor input) -> Tensor", reads="late")
@instead(lambda call, args, kwargs: changed(_ZERO, [args[0]], tell("zero_", {"input": args[0]})))
def zero_(input: Tensor) -> Tensor:
    """Writes 0 everywhere.

    Shapes: any.

    >>> torch.ones(2).zero_()
    tensor([0., 0.])
    """
    if input._edge is NO_EDGE and input._counter is not INFERENCE and 0 not in input._array.strides:
        if modes.FLAGS.unusual:
            refuse_captured(input, "zero_")
        commit_number(input, 0)
        return input
    return write_in_place(_ZERO, [input], _zero_into, repeatable=True)


def _zero_into(target: np.ndarray) -> None:
    target[...] = 0


# -- what memory looks like --------------------------------------------------------------------------------------------


@composite("stride(Tensor input, int? dim=None) -> tuple[int, ...] | int|python", function=False, reads="late")
def stride(input: Tensor, dim: Any = None) -> Any:
    """The distance in memory, in elements, between neighbours along each dimension, or along one.

    Shapes: any.

    >>> x = torch.zeros(2, 3)
    >>> x.stride(), x.T.stride()
    ((3, 1), (1, 3))
    """
    x = input._array
    size = x.itemsize
    steps = tuple([s // size for s in (x if x.size else placed(x)).strides])
    if dim is None:
        return steps
    return steps[wrap_dim(dim, input._array.ndim, scalar_ok=False)]


@composite("storage_offset(Tensor input) -> int", function=False, reads="late")
def storage_offset(input: Tensor) -> int:
    """The index in its storage of the tensor's first element.

    Shapes: any.

    >>> torch.arange(5)[2:].storage_offset()
    2
    """
    x = input._array
    if type(x) is not np.ndarray and isinstance(x, Rows):
        return (address(x) - address(owner(x))) // x.itemsize
    storage = storage_of(input)
    first = address(storage.buffer) if storage.nbytes() else address(owner(x))
    return (address(x) - first) // x.itemsize


@composite("data_ptr(Tensor input) -> int|python", function=False, reads="late")
def data_ptr(input: Tensor) -> int:
    """The address of its first element.

    >>> x = torch.arange(4)
    >>> x[1:].data_ptr() - x.data_ptr()
    8
    """
    if isinstance(input._array, Rows) or modes.current().lifts(input):
        raise RuntimeError(errors.ROWS_POINTER)
    return address(input._array) if input._array.size and not is_absent(input._array) and not hollow(input) else 0


@composite("untyped_storage(Tensor input) -> UntypedStorage|python", function=False, reads="late")
def untyped_storage(input: Tensor) -> Any:
    """The memory under it, which views share.

    >>> x = torch.arange(4)
    >>> x.untyped_storage().data_ptr() == x[2:].untyped_storage().data_ptr()
    True
    >>> x[2:].untyped_storage().nbytes()
    32
    """
    return storage_of(input)


@composite(
    "is_contiguous(Tensor input, *, MemoryFormat memory_format=contiguous_format) -> bool|.memory_format",
    function=False,
    reads="late",
)
def is_contiguous(input: Tensor, *, memory_format: Any = None) -> bool:
    """Whether the elements lie in memory row by row without gaps, or as a memory format has them.

    Shapes: any.

    >>> x = torch.zeros(2, 3)
    >>> x.is_contiguous(), x.T.is_contiguous()
    (True, False)
    """
    return input._array.flags.c_contiguous if memory_format is None else _in_format(input._array, memory_format)


@composite("numel(Tensor input) -> int", reads="late")
def numel(input: Tensor) -> int:
    """The number of elements.

    Shapes: any.

    >>> torch.numel(torch.zeros(2, 3))
    6
    """
    return input._array.size


@composite("nelement(Tensor input) -> int|python", function=False, reads="late")
def nelement(input: Tensor) -> int:
    """Another name of numel."""
    return input._array.size


@composite("dim(Tensor input) -> int", function=False, reads="itself")
def dim(input: Tensor, *args: Any, **kwargs: Any) -> int:
    """The number of dimensions.

    Shapes: any.

    >>> torch.zeros(2, 3).dim()
    2
    """
    if args or kwargs:
        refuse_all("TensorBase.dim", args, kwargs)
    return input._array.ndim


@composite("ndimension(Tensor input) -> int|python", function=False, reads="late")
def ndimension(input: Tensor) -> int:
    """Another name of dim."""
    return input._array.ndim


@composite("element_size(Tensor input) -> int", function=False, reads="late")
def element_size(input: Tensor) -> int:
    """The bytes of one element.

    >>> torch.ones(1).element_size()
    4
    """
    return input._array.itemsize


@composite("is_pinned(Tensor input, Device? device=None) -> bool", function=False)
def is_pinned(input: Tensor, device: Any = None) -> bool:
    """Whether its memory is pinned for a GPU: never here.

    >>> torch.ones(1).is_pinned()
    False
    """
    return False


@composite("is_shared -> bool", function=False, reads="itself")
def is_shared(input: Tensor) -> bool:
    """Whether share_memory_() was called on its memory.

    >>> torch.ones(1).is_shared()
    False
    """
    return storage_of(input).shared


is_shared.__qualname__ = "Tensor.is_shared"  # PyTorch writes it in Python, whose errors say this


@composite(
    "resize_(Tensor input, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor",
    function=False,
    reads="late",
)
def resize_(input: Tensor, *size: Any, **options: Any) -> Tensor:
    """Changes the shape in place; new elements have whatever is in memory.

    Errors: RuntimeError if it requires grad.

    >>> torch.arange(4).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if options or not size:
        _, values = bind("resize_", size, options, "Tensor")
        size = (tuple(values["size"]),)
    if modes.FLAGS.unusual:
        refuse_captured(input, "resize_")
    if requires_grad(input) and not of_inference(input) and not modes.LOCAL.state.inference:
        raise RuntimeError(_CANNOT_RESIZE)
    shape = shape_arg(size)
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    order = options.get("memory_format")
    if order is _PRESERVE:
        raise RuntimeError("Unsupported memory formatPreserve")
    if shape != input._array.shape:
        if input._counter is INFERENCE and not modes.LOCAL.state.inference:
            raise RuntimeError(errors.INFERENCE_INPLACE)
        resize(input, shape)
        increment_version(input)
    if order is not None:
        steps = in_order_of(shape, input._array.dtype, order).strides
        input._array = window(input._array, shape, steps)
    return input


@composite(
    "resize_as_(Tensor input, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor",
    reads="late",
)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """resize_ to the shape of another tensor.

    Shapes: the_template's.
    Errors: RuntimeError if it requires grad.

    >>> torch.arange(4).resize_as_(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    seen = not (of_inference(input) and of_inference(the_template)) and not modes.LOCAL.state.inference
    if seen and requires_grad(input):
        raise RuntimeError(_CANNOT_RESIZE)
    shape = the_template._array.shape
    if memory_format is not _PRESERVE:
        return resize_(input, shape, **({} if memory_format is None else {"memory_format": memory_format}))
    last = _CHANNELS[len(shape)] if channels_last(the_template._array) else _CONTIGUOUS
    return resize_(input, shape, memory_format=last)


@composite("is_signed(Tensor input) -> bool", reads="late")
def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers.

    >>> torch.ones(1, dtype=torch.uint8).is_signed()
    False
    """
    return input.dtype.is_signed


@composite("is_floating_point(Tensor input) -> bool", reads="late")
def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is float.

    >>> torch.is_floating_point(torch.tensor([1])), torch.tensor([1.]).is_floating_point()
    (False, True)
    """
    return input.dtype.is_floating_point


@composite("is_complex(Tensor input) -> bool", reads="late")
def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex.

    >>> torch.is_complex(torch.tensor([1j]))
    True
    """
    return input.dtype.is_complex


RAW.to = lambda x, wanted: x if wanted.numpy is x.dtype else cast_array(x, wanted.numpy)
