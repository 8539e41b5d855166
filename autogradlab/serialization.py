"""Files of tensors: `save` and `load`.

`save` writes a ZIP archive: `data.json` describes the object, `storages/N` hold the bytes of each memory block once, so
tensors that shared memory share it again. `load` reads nothing but data: no code runs, whatever the file says.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections import OrderedDict
from typing import Any, BinaryIO

import numpy as np

from .core.memory.storage import owner
from .core.tensor.copying import rebuild_tensor, whole
from .core.tensor.tensor import Size, Tensor, requires_grad, wrap
from .core.types import dtypes
from .core.types.device import device as Device
from .core.types.dtypes import dtype as Dtype

__all__ = ["load", "save"]

_FORMAT = "autogradlab 1"
_FOREIGN = (
    "Weights only load failed. This file is no archive of autogradlab's: {} autogradlab loads no pickles, since loading one "
    "can run any code that its writer put there."
)


# -- files -----------------------------------------------------------------------------------------------------------------

_SIMPLE = (str, int, float, bool, type(None))


class _Writer:
    """Turns objects into JSON and collects the memory of their tensors."""

    def __init__(self) -> None:
        self.roots: dict[int, tuple[int, np.ndarray]] = {}
        self.active: set[int] = set()

    def value(self, x: Any) -> Any:
        if type(x) in (str, bool, type(None)):
            return x
        if type(x) is int:
            return x if abs(x) < 2**53 else {"int": str(x)}
        if type(x) is float:
            return {"float": x.hex()} if x != x or x in (float("inf"), float("-inf")) else x
        if isinstance(x, Tensor):
            return self.tensor(x)
        found = self._special(x)
        if found is not None:
            return found
        if id(x) in self.active:
            raise TypeError("cannot save an object that contains itself")
        self.active.add(id(x))
        try:
            return self._container(x)
        finally:
            self.active.discard(id(x))

    def _special(self, x: Any) -> Any:
        if isinstance(x, Dtype):
            return {"dtype": x.name}
        if isinstance(x, Device):
            return {"device": str(x)}
        if isinstance(x, Size):
            return {"size": list(x)}
        if isinstance(x, complex):
            return {"complex": [x.real.hex(), x.imag.hex()]}
        if isinstance(x, (bytes, bytearray)):
            return {"bytes": bytes(x).hex()}
        if isinstance(x, np.generic):
            return {"scalar": [x.dtype.str, np.asarray(x).tobytes().hex()]} if x.dtype.kind in "biufc" else None
        if isinstance(x, np.ndarray) and x.dtype.kind in "biufc":
            return {"array": self.tensor(wrap(np.array(x, order="C")))["tensor"], "numpy": x.dtype.str}
        return None

    def _container(self, x: Any) -> Any:
        if type(x) is list:
            return [self.value(v) for v in x]
        if type(x) is tuple:
            return {"tuple": [self.value(v) for v in x]}
        if type(x) in (set, frozenset):
            return {type(x).__name__: [self.value(v) for v in x]}
        if type(x) in (dict, OrderedDict) or isinstance(x, OrderedDict):
            pairs = [[self.value(k), self.value(v)] for k, v in x.items()]
            name = "dict" if type(x) is dict else "ordered"
            made: dict[str, Any] = {name: pairs}
            extra = getattr(x, "_metadata", None)
            if extra is not None:
                made["metadata"] = self.value(extra)
            return made
        if isinstance(x, dict):
            return {"dict": [[self.value(k), self.value(v)] for k, v in x.items()]}
        raise TypeError(
            f"cannot save an object of type {type(x).__module__}.{type(x).__qualname__}: autogradlab saves tensors, numbers, strings "
            "and lists, tuples, sets and dicts of them. Save model.state_dict() instead of a model."
        )

    def tensor(self, t: Tensor) -> dict[str, Any]:
        array = t._array
        root = owner(array)
        key = id(root)
        if key not in self.roots:
            self.roots[key] = (len(self.roots), root)
        offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0] if array.size else 0
        kind = "parameter" if getattr(type(t), "__name__", "") == "Parameter" else "tensor"
        made = {
            "storage": self.roots[key][0],
            "dtype": "numpy" if t._array.dtype not in dtypes._FROM_NUMPY else t.dtype.name,
            "offset": offset,
            "shape": list(array.shape),
            "stride": [s // array.itemsize for s in array.strides],
            "requires_grad": requires_grad(t),
        }
        return {kind: made}


def save(
    obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2, _use_new_zipfile_serialization: bool = True
) -> None:
    """Writes tensors, and lists, tuples, dicts of them, to a file (or a file-like object).

    Shapes: any.
    Errors: TypeError for an object of another type (of a model, save the `state_dict()`).

    Example:
        >>> import autogradlab as torch
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save({'w': torch.tensor([1., 2.])}, file)
        >>> _ = file.seek(0)
        >>> torch.load(file)
        {'w': tensor([1., 2.])}

    Mirrors `torch.save`.
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, but got {type(f)}"
        )
    writer = _Writer()
    described = json.dumps({"format": _FORMAT, "object": writer.value(obj)}, ensure_ascii=False)
    if isinstance(f, (str, os.PathLike)):
        parent = os.path.dirname(os.fspath(f))
        if parent and not os.path.isdir(parent):
            raise RuntimeError(f"Parent directory {parent} does not exist.")
        with open(f, "wb") as file:
            _write(file, described, writer)
    else:
        _write(f, described, writer)


def _write(file: BinaryIO, described: str, writer: _Writer) -> None:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("data.json", described)
        for number, root in writer.roots.values():
            archive.writestr(f"storages/{number}", whole(root).view(np.uint8).tobytes() if root.size else b"")
    file.write(body.getvalue())


class _Reader:
    """Makes objects of the JSON; every form is known here, nothing is looked up by name elsewhere."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.blocks: dict[int, np.ndarray] = {}

    def block(self, number: Any) -> np.ndarray:
        if not isinstance(number, int):
            raise RuntimeError("the file is damaged: a tensor names no memory")
        if number not in self.blocks:
            self.blocks[number] = np.frombuffer(self.archive.read(f"storages/{number}"), np.uint8).copy()
        return self.blocks[number]

    def value(self, x: Any) -> Any:
        if isinstance(x, _SIMPLE):
            return x
        if isinstance(x, list):
            return [self.value(v) for v in x]
        if not isinstance(x, dict) or not x:
            raise RuntimeError("the file is damaged: its description cannot be read")
        name, given = next(iter(x.items()))
        make = getattr(self, "make_" + name, None) if name in _FORMS else None
        if make is None:
            raise RuntimeError(f"the file holds something that this version does not know: {name}")
        made = make(given)
        if name == "ordered" and "metadata" in x:
            made._metadata = self.value(x["metadata"])
        if name == "array":
            return made._array.view(np.dtype(str(x["numpy"])))
        return made

    def make_int(self, given: Any) -> int:
        return int(given)

    def make_float(self, given: Any) -> float:
        return float.fromhex(given)

    def make_complex(self, given: Any) -> complex:
        return complex(float.fromhex(given[0]), float.fromhex(given[1]))

    def make_bytes(self, given: Any) -> bytes:
        return bytes.fromhex(given)

    def make_scalar(self, given: Any) -> Any:
        return np.frombuffer(bytes.fromhex(given[1]), np.dtype(given[0]))[0]

    def make_dtype(self, given: Any) -> Any:
        return dtypes.ALL[given]

    def make_device(self, given: Any) -> Any:
        return Device(given)

    def make_size(self, given: Any) -> Any:
        return Size(int(n) for n in given)

    def make_tuple(self, given: Any) -> Any:
        return tuple(self.value(v) for v in given)

    def make_set(self, given: Any) -> Any:
        return {self.value(v) for v in given}

    def make_frozenset(self, given: Any) -> Any:
        return frozenset(self.value(v) for v in given)

    def make_dict(self, given: Any) -> Any:
        return {self.value(k): self.value(v) for k, v in given}

    def make_ordered(self, given: Any) -> Any:
        return OrderedDict((self.value(k), self.value(v)) for k, v in given)

    def make_tensor(self, given: Any) -> Tensor:
        if given["dtype"] not in dtypes.ALL:
            raise RuntimeError(f"the file holds a tensor of a dtype that is not known here: {given['dtype']}")
        return rebuild_tensor(
            self.block(given["storage"]),
            given["dtype"],
            given["offset"],
            given["shape"],
            given["stride"],
            bool(given["requires_grad"]),
        )

    make_array = make_tensor

    def make_parameter(self, given: Any) -> Tensor:
        from .nn.parameter import Parameter

        flag = bool(given["requires_grad"])
        return Parameter(self.make_tensor({**given, "requires_grad": False}), flag)


_FORMS = frozenset(name[5:] for name in dir(_Reader) if name.startswith("make_"))


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> object:
    """Reads what save wrote. It runs no code from the file: a hostile one is refused.

    Shapes: any.
    Errors: UnpicklingError for a file that `save` of this package did not write; FileNotFoundError.

    Example:
        >>> import autogradlab as torch
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save([torch.tensor([1, 2])], file)
        >>> _ = file.seek(0)
        >>> torch.load(file)
        [tensor([1, 2])]

    Mirrors `torch.load`.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return _read(file.read())
    if not hasattr(f, "read"):
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. Please "
            "pre-load the data into a buffer like io.BytesIO and try to load from it instead."
        )
    return _read(f.read())


def _read(content: bytes) -> Any:
    if not content:
        raise EOFError("Ran out of input")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        names = archive.namelist()
    except zipfile.BadZipFile:
        raise _refused("it is not a ZIP archive.") from None
    if "data.json" not in names:
        foreign = any(n.endswith("data.pkl") for n in names)
        raise _refused("it was written by PyTorch, as a pickle." if foreign else "it has no description.")
    with archive:
        described = json.loads(archive.read("data.json"))
        if not isinstance(described, dict) or described.get("format") != _FORMAT:
            raise _refused("its format is not known.")
        return _Reader(archive).value(described["object"])


def _refused(why: str) -> Exception:
    from pickle import UnpicklingError

    return UnpicklingError(_FOREIGN.format(why))
