"""Layouts and memory formats: words for how elements lie in memory (mirrors `torch.layout`, `torch.memory_format`)."""

from __future__ import annotations

from typing import Any

from .native import Native

__all__ = [
    "FORMATS",
    "LAYOUTS",
    "channels_last",
    "contiguous_format",
    "layout",
    "memory_format",
    "preserve_format",
    "strided",
]


class _Word(metaclass=Native):
    """An object that is only a name; users cannot create new ones."""

    __slots__ = ("name",)
    __module__ = "torch"
    name: str

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"'torch.{type(self).__name__}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name,)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


class layout(_Word, final=True):
    """How a tensor is laid out in memory: torch.strided, or the names of sparse layouts.

    Example:
        >>> import autogradlab as torch
        >>> torch.ones(1).layout is torch.strided
        True

    Mirrors `torch.layout`.
    """

    __slots__ = ()
    __module__ = "torch"


class memory_format(_Word, final=True):
    """The order of dimensions in memory: torch.contiguous_format, torch.channels_last, torch.preserve_format,
    …

    Example:
        >>> import autogradlab as torch
        >>> torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last).stride()
        (24, 1, 8, 2)

    Mirrors `torch.memory_format`.
    """

    __slots__ = ()
    __module__ = "torch"


def _words(cls: type, names: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in names.split():
        word: Any = object.__new__(cls)
        object.__setattr__(word, "name", name)
        made[name] = word
    return made


LAYOUTS: dict[str, Any] = _words(
    layout, "strided sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc _mkldnn jagged"
)
FORMATS: dict[str, Any] = _words(memory_format, "contiguous_format preserve_format channels_last channels_last_3d")
strided: layout = LAYOUTS["strided"]
contiguous_format: memory_format = FORMATS["contiguous_format"]
preserve_format: memory_format = FORMATS["preserve_format"]
channels_last: memory_format = FORMATS["channels_last"]


def _find(name: str) -> Any:
    return LAYOUTS.get(name) or FORMATS[name]
