"""Objects as pickles in PyTorch's words: its names for tensors, storages and dtypes, whatever this package is
called."""

from __future__ import annotations

import copyreg
import struct
import sys
from _compat_pickle import REVERSE_IMPORT_MAPPING, REVERSE_NAME_MAPPING
from collections import OrderedDict
from pickle import PicklingError
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from ..core.memory.absent import is_absent
from ..core.memory.lazy import bits, memory_of
from ..core.memory.storage import Storage, owner
from ..core.random.generator import Generator
from ..core.runtime.naming import again, called, new_object
from ..core.tensor.copying import warn_of_hooks, whole
from ..core.tensor.tensor import Size, Tensor, requires_grad, wrap
from ..core.types.device import CPU
from ..core.types.device import device as Device
from ..core.types.dtypes import dtype as Dtype
from ..core.types.layouts import layout as Layout
from ..core.types.return_types import Named
from ..ops.breadth.typed_storage import TypedStorage
from .names import public
from .places import location_tag

__all__ = ["STORAGES", "Writer"]

#: PyTorch's names for memory of a dtype; memory of other dtypes is UntypedStorage
STORAGES = {
    "float32": "FloatStorage",
    "float64": "DoubleStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "int16": "ShortStorage",
    "int8": "CharStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
    "complex64": "ComplexFloatStorage",
    "complex128": "ComplexDoubleStorage",
}
_BATCH = 1000


class Writer:
    """Writes a pickle of protocol 2 and collects the memory of the tensors in it."""

    def __init__(self, numbered: bool = True) -> None:
        self.out = bytearray()
        #: whether memories go into records of their own
        self.numbered = numbered
        #: by the id of the owner of the memory: the bytes of a number in it
        self.widths: dict[int, int] = {}
        #: by the id of an object: its number in the pickle, and the object, so that it lives
        self.memo: dict[int, tuple[int, Any]] = {}
        #: by the id of the owner of the memory: its number, and the memory as bytes
        self.memories: dict[int, tuple[int, np.ndarray[Any, Any]]] = {}
        self.kinds: dict[int, str] = {}
        self.alive: list[Any] = []

    def described(self, obj: Any) -> bytes:
        """The pickle of an object."""
        self.out += b"\x80\x02"
        self.put(obj)
        return bytes(self.out) + b"."

    # -- values ----------------------------------------------------------------------------------------------------

    def put(self, x: Any) -> None:
        """Write a value."""
        if x is None or x is True or x is False:
            self.out += {None: b"N", True: b"\x88", False: b"\x89"}[x]
            return
        kind = type(x)
        if kind is int:
            self._int(x)
        elif kind is float:
            self.out += b"G" + struct.pack(">d", x)
        elif id(x) in self.memo:
            number = self.memo[id(x)][0]
            self.out += b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number)
        elif kind is str:
            data = x.encode("utf-8", "surrogatepass")
            self.out += b"X" + struct.pack("<I", len(data)) + data
            self._remember(x)
        elif kind is tuple:
            self._tuple(x)
        elif kind is list:
            self.out += b"]"
            self._remember(x)
            self._items(x)
        elif kind is dict:
            self.out += b"}"
            self._remember(x)
            self._pairs(x)
        else:
            self._object(x)

    def _remember(self, x: Any) -> None:
        number = len(self.memo)
        self.memo[id(x)] = number, x
        self.out += b"q" + bytes([number]) if number < 256 else b"r" + struct.pack("<I", number)

    def _int(self, x: int) -> None:
        if 0 <= x < 256:
            self.out += b"K" + bytes([x])
        elif 0 <= x < 65536:
            self.out += b"M" + struct.pack("<H", x)
        elif -(2**31) <= x < 2**31:
            self.out += b"J" + struct.pack("<i", x)
        else:
            data = x.to_bytes(x.bit_length() // 8 + 1, "little", signed=True)
            if len(data) > 255:
                raise OverflowError("cannot save an integer of more than 2039 bits")
            self.out += b"\x8a" + bytes([len(data)]) + data

    def _tuple(self, x: tuple[Any, ...]) -> None:
        if not x:
            self.out += b")"
            return
        if len(x) > 3:
            self.out += b"("
        for item in x:
            self.put(item)
        self.out += (b"", b"\x85", b"\x86", b"\x87")[len(x)] if len(x) <= 3 else b"t"
        self._remember(x)

    def _items(self, items: Any) -> None:
        items = list(items)
        for start in range(0, len(items), _BATCH):
            self.out += b"("
            for item in items[start : start + _BATCH]:
                self.put(item)
            self.out += b"e"

    def _pairs(self, pairs: Any) -> None:
        pairs = list(pairs.items())
        for start in range(0, len(pairs), _BATCH):
            self.out += b"("
            for key, value in pairs[start : start + _BATCH]:
                self.put(key)
                self.put(value)
            self.out += b"u"

    def _name(self, module: str, name: str) -> None:
        """Refer to something by its module and name, with the modules' names of protocol 2."""
        module, name = REVERSE_NAME_MAPPING.get((module, name), (REVERSE_IMPORT_MAPPING.get(module, module), name))
        self.out += f"c{module}\n{name}\n".encode()

    def _call(self, module: str, name: str, *args: Any) -> None:
        self._name(module, name)
        self._tuple(args)
        self.out += b"R"

    # -- objects -----------------------------------------------------------------------------------------------------

    def _object(self, x: Any) -> None:
        if isinstance(x, _Memory):
            self._memory(x)
            return
        if isinstance(x, (Storage, TypedStorage)):
            self._storage(x)
            return
        if isinstance(x, Tensor):
            self._tensor(x)
        elif isinstance(x, Dtype):
            self._name("torch", x.name)
        elif isinstance(x, Device):
            self._call("torch", "device", *(x.type,) if x.index is None else (x.type, x.index))
        elif isinstance(x, Layout):
            self._call("torch.serialization", "_get_layout", str(x))
        elif isinstance(x, Size):
            self._call("torch", "Size", tuple(x))
        elif type(x) is complex:
            self._call("builtins", "complex", x.real, x.imag)
        elif type(x) in (bytes, bytearray):
            self._bytes(x)
        elif type(x) in (set, frozenset):
            self._call("builtins", type(x).__name__, list(x))
        elif isinstance(x, (type, FunctionType, BuiltinFunctionType)):
            self._definition(x)
            return
        elif type(x) is OrderedDict:
            self._call("collections", "OrderedDict")
            self._remember(x)
            self._pairs(x)
            self._build(vars(x))
            return
        else:
            self._reduced(x)
            return
        self._remember(x)

    def _bytes(self, x: bytes | bytearray) -> None:
        if isinstance(x, bytearray):
            self._call("builtins", "bytearray", bytes(x))
        else:
            self._call("_codecs", "encode", x.decode("latin1"), "latin1")

    def _definition(self, x: Any) -> None:
        """A class or function, by its name."""
        if x in _NAMELESS:
            self._call("builtins", "type", _NAMELESS[x])
            return
        module, name = public(x)
        if "<locals>" in name:
            raise AttributeError(f"Can't pickle local object '{name}'")
        known: Any = sys.modules.get(module)
        for part in name.split("."):
            known = getattr(known, part, None)
        if known is not x and not module.startswith("torch"):
            wrong = (
                f"attribute lookup {name} on {module} failed"
                if known is None
                else f"it's not the same object as {module}.{name}"
            )
            raise PicklingError(f"Can't pickle {x!r}: {wrong}")
        self._name(module, name)

    def _reduced(self, x: Any) -> None:
        """Any other object: its class, what it was made of, its attributes."""
        if isinstance(x, Generator):
            self._generator(x)
            return
        if isinstance(x, Named):
            found = x.__reduce__()
        elif type(x) in copyreg.dispatch_table:
            found = copyreg.dispatch_table[type(x)](x)
        else:
            found = x.__reduce_ex__(2)
        if isinstance(found, str):
            self._name(getattr(x, "__module__", "builtins"), found)
            return
        make, args, state, items, pairs = (*found, None, None, None)[:5]
        if make in (again, called):  # its class is written by the name that it has
            args = (type(x), *args[2:])
        if make in (new_object, again):
            self.put(args[0])
            self._tuple(tuple(args[1:]))
            self.out += b"\x81"
        else:
            if make is called:
                make, *args = args
            self.put(make)
            self._tuple(tuple(args))
            self.out += b"R"
        self._remember(x)
        if items is not None:
            self._items(items)
        if pairs is not None:
            self._pairs(dict(pairs))
        self._build(state)

    def _generator(self, x: Generator) -> None:
        seed, offset, state = x.__reduce__()[2]
        self._call("torch._C", "Generator", CPU)
        self._remember(x)
        self._build((seed, offset, wrap(state) if isinstance(state, np.ndarray) else state))

    def _build(self, state: Any) -> None:
        if state:
            self.put(state)
            self.out += b"b"

    # -- tensors -----------------------------------------------------------------------------------------------------

    def _tensor(self, t: Tensor) -> None:
        attributes = dict(t.__dict__)
        if type(t).__name__ == "Parameter":
            state = (attributes,) if attributes else ()
            name = "_rebuild_parameter_with_state" if attributes else "_rebuild_parameter"
            self._call("torch._utils", name, t.detach(), requires_grad(t), OrderedDict(), *state)
            return
        if type(t) is not Tensor and type(t).__reduce_ex__ is not Tensor.__reduce_ex__:
            self._reduced(t)
            return
        warn_of_hooks(t)
        name, args = self._rebuilding(t)
        if not attributes and type(t) is Tensor:
            self._call("torch._utils", name, *args)
            return
        self._name("torch._tensor", "_rebuild_from_type_v2")
        self.out += b"("
        self._name("torch._utils", name)
        self.put(type(t))
        self._tuple(args)
        self.put(attributes)
        self.out += b"tR"

    def _rebuilding(self, t: Tensor) -> tuple[str, tuple[Any, ...]]:
        """The function that makes a tensor again, and its arguments."""
        conj, neg = bits(t._array)
        array = memory_of(t._array)
        if is_absent(array):
            steps = tuple(s // array.itemsize for s in array.strides)
            return "_rebuild_meta_tensor_no_storage", (t.dtype, tuple(array.shape), steps, requires_grad(t))
        if min(array.strides, default=0) < 0:
            array = np.array(array, order="C")
        typed = STORAGES.get(t.dtype.name)
        memory = _Memory(array, typed)
        start = memory.offset // array.itemsize
        strides = tuple(s // array.itemsize for s in array.strides)
        args: tuple[Any, ...] = (memory, start, tuple(array.shape), strides, requires_grad(t), OrderedDict())
        name, args = ("_rebuild_tensor_v2", args) if typed else ("_rebuild_tensor_v3", (*args, t.dtype))
        metadata = {bit: True for bit, is_set in (("conj", conj), ("neg", neg)) if is_set}
        return name, (*args, metadata) if metadata else args

    def _storage(self, x: Storage | TypedStorage) -> None:
        memory = x if isinstance(x, Storage) else x._untyped_storage
        kind = None if isinstance(x, Storage) else x.dtype
        self._memory(_Memory(memory.buffer, None if kind is None else STORAGES.get(kind.name), kind))

    def _memory(self, memory: _Memory) -> None:
        """Refer to memory by its number."""
        root = memory.root
        kind = memory.kind or "UntypedStorage"
        known = self.memories.get(id(root))
        if known is None:
            data = whole(root).view(np.uint8) if root.size else np.empty(0, np.uint8)
            known = self.memories[id(root)] = len(self.memories), data
            self.alive.append(root)
        if self.kinds.setdefault(id(root), kind) != kind and root.nbytes:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        width = self.widths[id(root)] = memory.itemsize if memory.kind else 1
        size = known[1].nbytes // width
        self.out += b"("
        self.put("storage")
        self._name("torch" if memory.kind else "torch.storage", kind)
        for part in (str(known[0]), location_tag(Storage.over(root)), size):
            self.put(part)
        if not self.numbered:
            self.put(None)  # what is part of another memory
        self.out += b"tQ"


#: classes that stand in no module, by their one object
_NAMELESS = {type(x): x for x in (None, Ellipsis, NotImplemented)}


class _Memory:
    """The memory of an array, and where the array begins in it."""

    def __init__(self, array: np.ndarray[Any, Any], kind: str | None, dtype: Dtype | None = None) -> None:
        self.root = owner(array)
        self.kind = kind
        self.itemsize = array.itemsize if dtype is None else dtype.itemsize
        begin, base = (a.__array_interface__["data"][0] for a in (array, self.root))
        self.offset = begin - base if 0 <= begin - base <= self.root.nbytes else 0
