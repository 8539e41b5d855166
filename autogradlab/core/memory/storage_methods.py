"""What a storage has of PyTorch's Python, beside what it has of `torch._C`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn, cast

from ..types import dtypes
from ..types.device import device as Device
from .reserved import reserve

__all__ = ["PythonStorage"]


class PythonStorage:
    """Conversions of a storage, its copies and its text.

    Mirrors `torch.storage._StorageBase`.
    """

    __slots__ = ()
    __module__ = "torch.storage"

    def __repr__(self: Any) -> str:
        rows = "..." if self.reserved else " " + "\n ".join(map(str, self.tolist()))
        kind = f"{type(self).__module__}.{type(self).__name__}".removeprefix("builtins.")
        return f"{rows}\n[{kind}(device={self.device}) of size {self.nbytes()}]"

    def __iter__(self: Any) -> Iterator[int]:
        return (self[i] for i in range(self.size()))

    def __sizeof__(self: Any) -> int:
        return object.__sizeof__(self) + cast(int, self.nbytes())

    def size(self: Any) -> int:
        """The number of bytes."""
        return cast(int, self.nbytes())

    def tolist(self: Any) -> list[int]:
        """The bytes."""
        self.require_contents()
        return cast("list[int]", self.buffer.tolist())

    def clone(self: Any) -> Any:
        """A copy of the memory."""
        return type(self).over(reserve(self.nbytes()) if self.reserved else self.buffer.copy())

    __copy__ = clone

    def byteswap(self: Any, dtype: dtypes.dtype) -> None:
        """Reverse the bytes of each number of a dtype, in place."""
        width = dtype.to_real().itemsize
        if width > 1:
            self.buffer.view(f"u{width}").byteswap(inplace=True)

    def type(self: Any, dtype: Any = None, non_blocking: bool = False) -> str:
        """The name of its class."""
        return f"{self.__class__.__module__}.{self.__class__.__name__}"

    def cpu(self: Any) -> Any:
        """The same memory: it is the processor's already."""
        self.require_data()
        return self

    def to(self: Any, *, device: Any, non_blocking: bool = False) -> Any:
        """The same memory: there is no other device."""
        found = device if isinstance(device, Device) else Device(device)
        if found.type != "cpu":
            raise AssertionError(f"{found.type.upper()} device module is not loaded")
        return self.cpu()

    def untyped(self: Any) -> Any:
        """Itself."""
        return self

    def get_device(self: Any) -> int | None:
        """The number of its device, where it has one."""
        return None

    def is_pinned(self: Any, device: Any = None) -> bool:
        """Whether a GPU could read it directly: never."""
        return False

    def pin_memory(self: Any, device: Any = None) -> NoReturn:
        """Errors: RuntimeError: there is no GPU."""
        if self.reserved:
            raise TypeError(f"cannot pin '{self.type()}' only CPU memory can be pinned")
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def share_memory_(self: Any) -> Any:
        """The memory where other processes can reach it; here the storage as it is."""
        if self.reserved:
            self._share_fd_cpu_()
        self.shared = True
        return self

    @property
    def filename(self: Any) -> str | None:
        """The file that the memory is mapped from, where changes are written to it."""
        return cast("str | None", getattr(self, "file", None))

    @property
    def is_cuda(self) -> bool:
        """Whether it is on a GPU."""
        return False

    is_hpu = is_cuda
    is_sparse = is_sparse_csr = False


PythonStorage.__name__ = PythonStorage.__qualname__ = "_StorageBase"
