"""Pickles of PyTorch's files, read by a stack machine that makes what it knows and calls nothing that a file names."""

from __future__ import annotations

import io
import os
import struct
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable
from pickle import UnpicklingError
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from ..core.memory.storage import Storage, StorageBase
from ..core.recording.record import TENSORS
from ..core.runtime.warn import warn
from ..core.tensor.copying import rebuild_absent, rebuild_tensor
from ..core.tensor.tensor import Size, Tensor, set_requires_grad
from ..core.types import dtypes, layouts
from ..core.types.device import device as Device
from ..ops.breadth.typed_storage import TypedStorage
from .archive import Archive, damaged
from .names import TRUSTED, give_state, loaded, may_call, own
from .places import default_restore_location
from .writing import STORAGES

__all__ = [
    "Reader",
    "add_safe_globals",
    "clear_safe_globals",
    "content_of",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "remove_safe_globals",
    "safe_globals",
]

_DTYPES = {name: kind for kind, name in STORAGES.items()}
_NO_STORAGE = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)\n"
    "Argument 'wrap_storage' must be UntypedStorage, but got {}"
)
_UNSUPPORTED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps "
    "only if you trust the source of the checkpoint\x1b[0m. \n"
    "\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` "
    "to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source.\n"
    "\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error "
    "message.\n"
    "\tWeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{0}])` or the `torch.serialization.safe_globals([{0}])` context manager "
    "to allowlist this global if you trust this class/function.\n"
    "\n"
    "Check the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)

_PROTOCOL = (
    "Detected pickle protocol {} in the checkpoint, which was not the default pickle protocol used by `torch.load` "
    "(2). The weights_only Unpickler might not support all instructions implemented by this protocol, please file an "
    "issue for adding support if you encounter this."
)

_UNKNOWN = (
    "Weights only load failed. In PyTorch 2.6, we changed the default value of the `weights_only` argument in "
    "`torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely "
    "succeed, but it can result in arbitrary code execution. Do it only if you got the file from a trusted source.\n"
    "Please file an issue with the following so that we can make `weights_only=True` compatible with your use case: "
    "WeightsUnpickler error: \n\nUnsupported operand {}\n\n"
    "Check the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)

# -- what is allowed by hand ------------------------------------------------------------------------------------------

_safe: list[Any] = []


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Allow `load` these classes and functions.

    Mirrors `torch.serialization.add_safe_globals`.
    """
    _safe.extend(safe_globals)


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` allowed.

    Mirrors `torch.serialization.get_safe_globals`.
    """
    return list(_safe)


def clear_safe_globals() -> None:
    """Allow nothing but what is always allowed.

    Mirrors `torch.serialization.clear_safe_globals`.
    """
    _safe.clear()


def remove_safe_globals(safe_globals: list[Any]) -> None:
    """Take back what `add_safe_globals` allowed."""
    _safe[:] = [one for one in _safe if one not in safe_globals]


class safe_globals:
    """Within it, `load` is allowed these classes and functions.

    Mirrors `torch.serialization.safe_globals`.
    """

    __module__ = "torch.serialization"

    def __init__(self, safe_globals: list[Any]) -> None:
        self.given = safe_globals

    def __enter__(self) -> None:
        self.before = get_safe_globals()
        add_safe_globals(self.given)

    def __exit__(self, *exc: object) -> None:
        _safe[:] = self.before


def _given() -> list[Any]:
    """What the user allowed, without the names that were given with it."""
    return [one[0] if isinstance(one, tuple) else one for one in _safe]


def _name(x: Any) -> str:
    """The name under which a file has what the user allowed. Errors, as PyTorch's: for what has no name."""
    try:
        if not isinstance(x, tuple):
            return f"{x.__module__}.{x.__qualname__}"
        if len(x) != 2:
            raise ValueError(
                f"Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {len(x)}"
            )
        if type(x[1]) is not str:
            raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(x[1])}")
        return x[1]
    except (AttributeError, TypeError, ValueError) as error:
        raise _Raised(error) from None


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names in a file that `load` does not allow unless `add_safe_globals` has been given them.

    Errors: ValueError for what no file of `save` is.

    Mirrors `torch.serialization.get_unsafe_globals_in_checkpoint`.
    """
    from pickletools import genops

    content = content_of(f)[0]
    if not content.startswith(b"PK"):
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    found: dict[str, None] = {}
    with Archive(content) as archive:
        reader = Reader(archive, None, True)
        for code, arg, _ in genops(archive.read("data.pkl")):
            if code.name == "GLOBAL":
                module, _, name = str(arg).partition(" ")
                try:
                    reader.named(module, name)
                except UnpicklingError:
                    module, name = _modern(module, name)
                    found[f"{module}.{name}"] = None
                except _Raised as error:
                    raise error.args[0] from None
    return list(found)


def _modern(module: str, name: str) -> tuple[str, str]:
    """A name of Python 2 as Python 3 has it."""
    return NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))


def content_of(f: Any) -> tuple[bytes, int]:
    """The bytes of a path or a binary file, and where in it they begin."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return file.read(), 0
    try:
        seek = f.seek  # asked for first, as PyTorch does
        start = f.tell()
        seek(start)
    except (AttributeError, io.UnsupportedOperation) as error:
        raise type(error)(
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a "
            "buffer like io.BytesIO and try to load from it instead."
        ) from None
    if isinstance(f, io.IOBase) or not hasattr(f, "readinto"):
        return f.read(), start
    found, part = bytearray(), bytearray(1 << 20)
    while n := f.readinto(part):
        found += part[:n]
    return bytes(found), start


# -- the machine -------------------------------------------------------------------------------------------------------


class _Global:
    """A name that stands in a file; `make` is what a call of it does here."""

    def __init__(self, name: str, make: Callable[..., Any] | None) -> None:
        self.name = name
        self.make = make


class _Mark:
    pass


_MARK = _Mark()
#: what takes no attributes
_NO_OBJECT = (_Global, StorageBase, TypedStorage, _Mark, type, FunctionType, BuiltinFunctionType)


#: what a step of a pickle that nobody wrote so may raise
_BROKEN = (IndexError, KeyError, TypeError, ValueError, AttributeError, OverflowError, RuntimeError, struct.error)


class _Raised(Exception):
    """What is not the file's fault: what `map_location` raised, a class that is not there."""


class Reader:
    """Makes the object that an archive describes."""

    def __init__(self, archive: Any, map_location: Any, weights_only: bool, encoding: str = "utf-8") -> None:
        self.archive = archive
        self.encoding = encoding
        self.map_location = map_location
        self.weights_only = weights_only
        self.memory: dict[str, Storage] = {}
        #: what stands for each memory, so that one object of a file is one object again
        self.storages: dict[tuple[str, str], TypedStorage] = {}
        #: what calls may still make beyond what the file itself holds
        self.left = 16 * archive.length + (1 << 20)
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.at = 0
        self.data = b""

    def load(self) -> Any:
        """The object. Errors: UnpicklingError for everything that cannot be read."""
        self.data = self.archive.read("data.pkl")
        return self.run()

    def run(self) -> Any:
        """What the pickle at this place makes."""
        try:
            while True:
                code = self._take(1)[0]
                if code == 0x2E:  # STOP
                    return self._result()
                step = _STEPS.get(code)
                if step is None:
                    if self.weights_only:
                        raise UnpicklingError(_UNKNOWN.format(code))
                    raise damaged(f"its pickle has an operation that is not known here ({code})")
                step(self)
        except _Raised as error:
            raise error.args[0] from None
        except RecursionError as error:
            raise damaged("its pickle is nested too deeply") from error
        except _BROKEN as error:
            raise damaged(f"its pickle is damaged ({type(error).__name__}: {error})") from error

    def _result(self) -> Any:
        if len(self.stack) != 1 or isinstance(self.stack[0], (_Global, _Mark)):
            raise damaged("its pickle leaves no object")
        self.memo.clear()
        return self.stack.pop()

    def _take(self, n: int) -> bytes:
        found = self.data[self.at : self.at + n]
        if len(found) != n:
            raise damaged("its pickle ends too early")
        self.at += n
        return found

    def _line(self) -> str:
        end = self.data.index(b"\n", self.at)
        line = self.data[self.at : end].decode("utf-8")
        self.at = end + 1
        return line

    def _number(self, form: str) -> int:
        return int(struct.unpack("<" + form, self._take(struct.calcsize(form)))[0])

    def _marked(self) -> list[Any]:
        """What lies above the last mark."""
        for at in range(len(self.stack) - 1, -1, -1):
            if self.stack[at] is _MARK:
                found = self.stack[at + 1 :]
                del self.stack[at:]
                return found
        raise damaged("its pickle has no mark where one belongs")

    def spend(self, n: int) -> None:
        """Count memory that a call makes. Errors: UnpicklingError if a small file would fill a large memory."""
        self.left -= n
        if self.left < 0:
            raise damaged("it would fill far more memory than it holds")

    # -- names -----------------------------------------------------------------------------------------------------

    def named(self, module: str, name: str) -> Any:
        """What stands for a name of the file. Errors: UnpicklingError for one that is not allowed."""
        written = module
        module, name = _modern(module, name)
        path = f"{module}.{name}"
        if module == "torch" and name in dtypes.ALL:
            return dtypes.ALL[name]
        if module in ("torch", "torch.storage") and (name in _DTYPES or name == "UntypedStorage"):
            return _Global(path, None)
        made = _KNOWN.get(path)
        if made is not None:
            return _Global(path, lambda *args: made(self, *args))
        found = self._allowed(module, name, path)
        if found is None:
            raise _unsupported(path.replace("builtins.", "exceptions.") if written == "exceptions" else path)
        return found

    def _allowed(self, module: str, name: str, path: str) -> Any:
        """What the user allows: what `add_safe_globals` was given; with weights_only=False the classes and functions
        of this package, and those that the program has loaded."""
        for one in _safe:
            if _name(one) == path:
                return one[0] if isinstance(one, tuple) else one
        if self.weights_only:
            return None
        trusted = TRUSTED.get(path)
        if trusted is not None:
            return _Global(path, trusted)
        try:
            return own(module, name) if module.split(".")[0] == "torch" else loaded(module, name)
        except AttributeError as error:
            raise _Raised(error) from None

    # -- operations ------------------------------------------------------------------------------------------------

    def protocol(self) -> None:
        """PROTO"""
        (found,) = self._take(1)
        if found != 2 and self.weights_only:
            warn(_PROTOCOL.format(found))

    def call(self) -> None:
        """REDUCE"""
        args, make = self.stack.pop(), self.stack.pop()
        if isinstance(make, _Global):
            make = make.make
        elif not any(make is one for one in _given()) and (self.weights_only or not may_call(make)):
            make = None
        if make is None or not isinstance(args, tuple):
            raise damaged("its pickle calls something that cannot be called")
        self.stack.append(make(*args))

    def new(self) -> None:
        """NEWOBJ"""
        args, make = self.stack.pop(), self.stack.pop()
        if not isinstance(make, type):
            raise damaged("its pickle makes an object of something that is no allowed class")
        self.stack.append(make.__new__(make, *args))

    def build(self) -> None:
        """BUILD"""
        state, x = self.stack.pop(), self.stack[-1]
        if isinstance(x, OrderedDict):
            x.__dict__.update(state)
        elif isinstance(x, Tensor) and isinstance(state, tuple) and len(state) == 4:  # as PyTorch 0.1 wrote them
            kind = state[0].dtype.name if isinstance(state[0], TypedStorage) else ""
            x.set_(_rebuilt(state[0], kind, *state[1:], False, None))
        elif isinstance(x, Tensor):
            x.__dict__.update(_attributes(state))
        elif any(type(x) is one for one in _given()) or not (self.weights_only or isinstance(x, _NO_OBJECT)):
            give_state(x, state)
        else:
            raise damaged(f"its pickle gives attributes to a {type(x).__name__}")

    def persistent(self) -> None:
        """BINPERSID: memory, by its number."""
        given = self.stack.pop()
        what, kind, key, location, size = (_word(part) for part in given[:5])
        words = isinstance(key, str) and isinstance(location, str)
        if what != "storage" or not isinstance(kind, _Global) or not words or not isinstance(size, int):
            raise damaged("its pickle refers to something that is no memory")
        name = kind.name.rpartition(".")[2]
        dtype = _DTYPES.get(name)
        if dtype is not None and dtype not in dtypes.ALL:
            raise damaged(f"it holds a tensor of a dtype that is not known here: {dtype}")
        numbers = dtypes.uint8 if dtype is None else dtypes.ALL[dtype]
        itemsize = numbers.itemsize
        if key not in self.memory:
            memory = self.archive.memory(key, size, numbers)
            try:
                self.memory[key] = self._placed(memory, location)
            except Exception as error:  # the user's mistake, not the file's
                raise _Raised(error) from None
        if size * itemsize > self.memory[key].nbytes():
            raise damaged(f"memory {key} is shorter than its pickle says")
        found = self.storages.get((key, numbers.name))
        if found is None:
            found = TypedStorage(wrap_storage=self.memory[key], dtype=numbers, _internal=True)
            self.storages[key, numbers.name] = found
        if len(given) > 5 and given[5] is not None:
            found = self._part(found, key, *given[5])
        self.stack.append(found)

    def _part(self, whole: TypedStorage, key: str, name: Any, offset: int, size: int) -> TypedStorage:
        """Part of a memory, as files of PyTorch 0.3 have them by a name of their own."""
        known = (f"{key}/{_word(name)}", whole.dtype.name)
        if known not in self.storages:
            itemsize = whole.dtype.itemsize
            if not 0 <= offset <= offset + size <= self.memory[key].nbytes() // itemsize:
                raise damaged(f"part of memory {key} reaches outside it")
            memory = self.memory[key].buffer[offset * itemsize : (offset + size) * itemsize]
            self.storages[known] = TypedStorage(wrap_storage=Storage.over(memory), dtype=whole.dtype, _internal=True)
        return self.storages[known]

    def _placed(self, memory: np.ndarray, location: str) -> Storage:
        """The memory of a tensor that was saved on a device, where `map_location` wants it."""
        to = self.map_location
        storage = Storage.over(memory)
        if isinstance(to, dict):
            location = to.get(location, location)
        elif isinstance(to, (str, Device)):
            location = str(to)
        elif to is not None:
            found = to(storage, location)
            if found is not None:
                return _storage(found)
        return _storage(default_restore_location(storage, location))

    def append_all(self) -> None:
        """APPENDS"""
        items = self._marked()
        found = self.stack[-1]
        if not isinstance(found, (list, deque)):
            raise damaged("its pickle appends to something that is no list")
        found.extend(items)

    def set_all(self, items: list[Any]) -> None:
        """SETITEMS"""
        found = self.stack[-1]
        if not isinstance(found, dict) or len(items) % 2:
            raise damaged("its pickle sets items of something that is no dict")
        for key, value in zip(items[::2], items[1::2], strict=True):
            found[key] = value

    def remember(self, number: int) -> None:
        """BINPUT"""
        self.memo[number] = self.stack[-1]


def _storage(found: Any) -> Storage:
    """What `map_location` or a place gives. Errors: TypeError for what is no storage."""
    if not isinstance(found, Storage):
        raise TypeError(_NO_STORAGE.format(type(found)))
    return found


def _word(value: Any) -> Any:
    """A text, which Python 2 wrote as bytes."""
    return value.decode("ascii") if isinstance(value, bytes) else value


def _unsupported(path: str) -> Exception:
    return UnpicklingError(_UNSUPPORTED.format(path.removeprefix("builtins.")))


def _attributes(state: Any) -> dict[str, Any]:
    if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
        raise damaged("a tensor has attributes that are none")
    return state


# -- the calls that are known ------------------------------------------------------------------------------------------


def _tensor(
    reader: Reader,
    storage: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires: Any = False,
    hooks: Any = None,
    metadata: Any = None,
) -> Tensor:
    kind = storage.dtype.name if isinstance(storage, TypedStorage) else ""
    return _rebuilt(storage, kind, offset, size, stride, requires, metadata)


def _tensor_of_dtype(
    reader: Reader,
    storage: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires: Any,
    hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Tensor:
    return _rebuilt(storage, dtype.name, offset, size, stride, requires, metadata)


def _rebuilt(storage: Any, kind: Any, offset: Any, size: Any, stride: Any, requires: Any, metadata: Any) -> Tensor:
    if not isinstance(storage, TypedStorage) or kind not in dtypes.ALL:
        raise damaged("a tensor has no memory of a known dtype")
    if type(offset) is not int or any(type(n) is not int for n in (*size, *stride)):
        raise damaged("a tensor has a shape that cannot be")
    if any(s < 0 for s in stride) or len(size) != len(stride):
        raise damaged("a tensor has strides that cannot be")
    itemsize = dtypes.ALL[kind].itemsize
    conj, neg = (bool(metadata and metadata.get(bit)) for bit in ("conj", "neg"))
    if (conj and not dtypes.ALL[kind].is_complex) or (neg and kind == "bool"):
        raise damaged("a tensor has a bit that its dtype cannot have")
    try:
        memory = storage._untyped_storage.buffer
        made = rebuild_tensor(memory, kind, offset * itemsize, tuple(size), tuple(stride), False, conj, neg)
    except RuntimeError:
        raise damaged("a tensor reaches outside its memory") from None
    if requires:
        set_requires_grad(made, True, "method")
    return made


def _parameter(reader: Reader, data: Any, requires: Any, hooks: Any, state: Any = None) -> Any:
    from ..nn.parameter import Parameter

    if not isinstance(data, Tensor):
        raise damaged("a parameter is no tensor")
    made = Parameter(data, bool(requires))
    if state is not None:
        made.__dict__.update(_attributes(state))
    return made


def _of_type(reader: Reader, make: Any, cls: Any, args: Any, state: Any) -> Any:
    made = make.make(*args)
    if isinstance(cls, type) and issubclass(cls, Tensor):
        made = made.as_subclass(cls)
    values = state[0] if isinstance(state, tuple) else state
    made.__dict__.update(_attributes(values or {}))
    return made


def _encoded(reader: Reader, text: str, encoding: str) -> bytes:
    if encoding != "latin1":
        raise damaged("bytes are written in an unknown way")
    reader.spend(len(text))
    return text.encode("latin1")


def _bytearray(reader: Reader, data: Any = b"", encoding: Any = None) -> bytearray:
    if not isinstance(data, (bytes, bytearray)):
        data = _encoded(reader, data, encoding)
    reader.spend(len(data))
    return bytearray(data)


def _collected(make: Callable[..., Any]) -> Callable[..., Any]:
    """A container of what is given in one list or dict."""

    def collect(reader: Reader, items: Iterable[Any] = ()) -> Any:
        if not isinstance(items, (list, tuple, dict, set)):
            raise damaged("a container is made of something else")
        reader.spend(64 * len(items) + 64)
        return make(items)

    return collect


def _complex(reader: Reader, real: float, imag: float) -> complex:
    return complex(real, imag)


def _absent(reader: Reader, kind: Any, size: Any, stride: Any, grad: bool) -> Tensor:
    numbers = all(type(n) is int and n >= 0 for n in (*size, *stride))
    if not isinstance(kind, dtypes.dtype) or len(size) != len(stride) or not numbers:
        raise damaged("a tensor on meta is made of something else")
    try:
        return rebuild_absent(kind.name, tuple(size), tuple(stride), bool(grad))
    except (ValueError, OverflowError, OSError):
        raise damaged("a tensor on meta is larger than memory can be") from None


def _device(reader: Reader, kind: str, index: int | None = None) -> Any:
    return Device(kind) if index is None else Device(kind, index)


def _layout(reader: Reader, name: str) -> Any:
    return layouts.LAYOUTS[name.removeprefix("torch.")]


_KNOWN: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_meta_tensor_no_storage": _absent,
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor_of_dtype,
    "torch._utils._rebuild_parameter": _parameter,
    "torch._utils._rebuild_parameter_with_state": _parameter,
    "torch._tensor._rebuild_from_type_v2": _of_type,
    "torch.nn.parameter.Parameter": lambda reader, data, requires=True: _parameter(reader, data, requires, None),
    "torch.Tensor": lambda reader, *args: _refuse("torch.Tensor") if args else _no_numbers(),
    "torch.Size": _collected(Size),
    "torch.device": _device,
    "torch.serialization._get_layout": _layout,
    "collections.OrderedDict": _collected(OrderedDict),
    "collections.Counter": _collected(Counter),
    "_codecs.encode": _encoded,
    "builtins.bytearray": _bytearray,
    "builtins.set": _collected(set),
    "builtins.complex": _complex,
}


def _no_numbers() -> Tensor:
    return TENSORS.empty((0,), dtype=dtypes.float32)


def _refuse(what: str) -> Any:
    raise damaged(f"its pickle calls {what}")


# -- operations by their code ------------------------------------------------------------------------------------------


def _constant(value: Any) -> Callable[[Reader], None]:
    return lambda r: r.stack.append(value)


def _tuple_of(n: int) -> Callable[[Reader], None]:
    def make(r: Reader) -> None:
        if len(r.stack) < n:
            raise damaged("its pickle takes more than there is")
        found = tuple(r.stack[-n:])
        del r.stack[-n:]
        r.stack.append(found)

    return make


def _text(form: str) -> Callable[[Reader], None]:
    return lambda r: r.stack.append(r._take(r._number(form)).decode("utf-8", "surrogatepass"))


def _bytes_text(form: str) -> Callable[[Reader], None]:
    """A text as Python 2 wrote it: bytes, which are read in the encoding that the caller of `load` names."""

    def read(r: Reader) -> None:
        data = r._take(r._number(form))
        try:
            r.stack.append(data if r.encoding == "bytes" else data.decode(r.encoding))
        except UnicodeDecodeError as error:  # the caller's mistake
            raise _Raised(error) from None

    return read


_STEPS: dict[int, Callable[[Reader], Any]] = {
    0x80: Reader.protocol,
    ord("("): _constant(_MARK),
    ord("N"): _constant(None),
    0x88: _constant(True),
    0x89: _constant(False),
    ord(")"): _constant(()),
    ord("]"): lambda r: r.stack.append([]),
    ord("}"): lambda r: r.stack.append({}),
    0x85: _tuple_of(1),
    0x86: _tuple_of(2),
    0x87: _tuple_of(3),
    ord("t"): lambda r: r.stack.append(tuple(r._marked())),
    ord("K"): lambda r: r.stack.append(r._take(1)[0]),
    ord("M"): lambda r: r.stack.append(r._number("H")),
    ord("J"): lambda r: r.stack.append(r._number("i")),
    0x8A: lambda r: r.stack.append(int.from_bytes(r._take(r._take(1)[0]), "little", signed=True)),
    ord("G"): lambda r: r.stack.append(struct.unpack(">d", r._take(8))[0]),
    ord("X"): _text("I"),
    0x8C: _text("B"),
    ord("U"): _bytes_text("B"),
    ord("T"): _bytes_text("I"),
    ord("q"): lambda r: r.remember(r._take(1)[0]),
    ord("r"): lambda r: r.remember(r._number("I")),
    ord("h"): lambda r: r.stack.append(r.memo[r._take(1)[0]]),
    ord("j"): lambda r: r.stack.append(r.memo[r._number("I")]),
    ord("c"): lambda r: r.stack.append(r.named(r._line(), r._line())),
    ord("R"): Reader.call,
    0x81: Reader.new,
    ord("b"): Reader.build,
    ord("Q"): Reader.persistent,
    ord("e"): Reader.append_all,
    ord("a"): lambda r: r.stack[-2].append(r.stack.pop()) if isinstance(r.stack[-2], list) else _refuse("append"),
    ord("s"): lambda r: r.set_all([r.stack.pop(-2), r.stack.pop()]),
    ord("u"): lambda r: r.set_all(r._marked()),
}
