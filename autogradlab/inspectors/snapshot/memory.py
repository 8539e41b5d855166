"""Memory under tensors and NumPy arrays: which bytes they look at, and who looks at the same ones.

Addresses are compared here and never shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Any

import numpy as np

from .kinds import attribute, is_array, is_tensor
from .names import Names

__all__ = ["Strip", "Window", "contents", "contiguous", "extent", "sharing", "strips", "turned"]


#: elements up to which a window is walked through one by one
WALKED = 4096


@dataclass(frozen=True, slots=True)
class Window:
    """A tensor or array over a strip of memory. Offset and strides are in bytes, the offset from the strip's start."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    itemsize: int
    dtype: str
    array: bool

    def places(self, limit: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Indices and byte offsets of the elements, in the order of the indices, at most `limit` of them."""
        for number in range(min(self.size(), limit)):
            index: list[int] = []
            for n in reversed(self.shape):
                number, i = divmod(number, n)
                index.append(i)
            index.reverse()
            yield tuple(index), self.offset + sum(i * s for i, s in zip(index, self.strides, strict=True))

    def size(self) -> int:
        return prod(self.shape)

    def at(self, byte: int) -> tuple[list[tuple[int, ...]], int]:
        """The first indices whose element begins at this byte, and how many there are.

        Windows of many elements are not walked: of elements that overlap in them, the first is found.
        """
        if self.size() <= WALKED:
            found = [index for index, place in self.places(WALKED) if place == byte]
            return found[:3], len(found)
        rest, index = byte - self.offset, [0] * len(self.shape)
        rest -= sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True) if s < 0)
        for k in sorted(range(len(self.shape)), key=lambda k: -abs(self.strides[k])):
            step, last = abs(self.strides[k]), self.shape[k] - 1
            steps = min(rest // step, last) if step and rest > 0 else 0
            rest -= steps * step
            index[k] = last - steps if self.strides[k] < 0 else steps
        if rest:
            return [], 0
        return [tuple(index)], prod(n for n, s in zip(self.shape, self.strides, strict=True) if s == 0)

    def span(self) -> tuple[int, int]:
        """First byte and the one after the last that the window can reach; the same if it is empty."""
        steps = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        if self.size() == 0:
            return self.offset, self.offset
        first = self.offset + sum(min(0, s) for s in steps)
        return first, self.offset + sum(max(0, s) for s in steps) + self.itemsize


@dataclass(frozen=True, slots=True)
class Strip:
    """A piece of memory: its size, the bytes of a cell, and the windows on it in the order in which they were given."""

    nbytes: int
    unit: int
    windows: tuple[Window, ...]
    members: tuple[int, ...]  #: which of the given objects they are


def _array_span(array: Any) -> tuple[int, int]:
    first = array.__array_interface__["data"][0]
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    if array.size == 0:
        return first, first
    return first + sum(min(0, s) for s in steps), first + sum(max(0, s) for s in steps) + array.itemsize


def extent(thing: Any) -> tuple[int, int] | None:
    """First byte and the one after the last of the memory that a tensor or array lies in;
    None if it cannot be asked."""
    try:
        if is_tensor(thing):
            if any("FakeTensor" in cls.__name__ for cls in type(thing).__mro__):
                return None  # it has no memory, and warns of being asked
            storage = thing.untyped_storage()
            start = storage.data_ptr()
            return (start, start + storage.nbytes()) if start or storage.nbytes() == 0 else None
        if is_array(thing):
            while is_array(thing.base):
                thing = thing.base
            return _array_span(thing)
    except Exception:  # sparse, nested, inside of vmap, a parameter without a shape yet: each refuses in its own way
        return None
    return None


def sharing(thing: Any, names: Names) -> list[str]:
    """Names of the other tensors and arrays that lie in the same memory."""
    mine = extent(thing)
    if mine is None or mine[0] == mine[1]:
        return []
    found = []
    for name, other in names:
        theirs = extent(other) if other is not thing else None
        if theirs is not None and theirs[0] < mine[1] and mine[0] < theirs[1]:
            found.append(name)
    return found


def contiguous(thing: Any) -> bool:
    return bool(thing.flags.c_contiguous if is_array(thing) else thing.is_contiguous())


def _first_byte(thing: Any) -> int:
    return int(thing.__array_interface__["data"][0] if is_array(thing) else thing.data_ptr())


def _window(name: str, thing: Any, start: int) -> Window:
    array = is_array(thing)
    size = int(thing.itemsize if array else thing.element_size())
    strides = tuple(thing.strides) if array else tuple(int(s) * size for s in thing.stride())
    if not array and prod(thing.shape) == 0:  # an empty tensor has no address
        offset = int(thing.storage_offset()) * size
    else:
        offset = _first_byte(thing) - start
    kind = str(thing.dtype).removeprefix("torch.")
    return Window(name, tuple(int(n) for n in thing.shape), strides, offset, size, kind, array)


def strips(things: Sequence[tuple[str, Any]]) -> list[Strip]:
    """The pieces of memory under these objects, in order of appearance, each with the windows on it."""
    groups: list[tuple[int, int, list[int]]] = []
    for number, (_, thing) in enumerate(things):
        span = extent(thing)
        if span is None:
            continue
        low, high, members = *span, [number]
        for group in [g for g in groups if g[0] < high and low < g[1]]:
            groups.remove(group)
            low, high, members = min(low, group[0]), max(high, group[1]), group[2] + members
        groups.append((low, high, sorted(members)))
    made = []
    for low, high, members in sorted(groups, key=lambda g: g[2][0]):
        windows = tuple(_window(*things[m], low) for m in members)
        made.append(Strip(high - low, _unit(windows), windows, tuple(members)))
    return made


def _unit(windows: Iterable[Window]) -> int:
    """The largest number of bytes of which everything is a multiple: four for float32."""
    unit = 0
    for w in windows:
        unit = gcd(unit, w.itemsize, w.offset, *(s for s, n in zip(w.strides, w.shape, strict=True) if n > 1))
    return unit or 1


def contents(strip: Strip, things: Sequence[tuple[str, Any]], cells: Sequence[int]) -> dict[int, Any]:
    """The numbers in some of the strip's cells, also in those that no window shows;
    those that nobody can read are left out."""
    found: dict[int, Any] = {}
    for window, member in zip(strip.windows, strip.members, strict=True):
        if window.itemsize == strip.unit:
            read = _array_numbers if window.array else _tensor_numbers
            try:
                read_now = read(things[member][1], window, [c * strip.unit for c in cells if c not in found])
            except (RuntimeError, TypeError, ValueError, NotImplementedError):
                continue
            found |= {byte // strip.unit: value for byte, value in read_now}
    return found


def turned(tensor: Any) -> str:
    """How a tensor reads its memory: "conj", "neg", or "" where it reads what is there."""
    for way in ("conj", "neg"):
        if is_tensor(tensor) and attribute(tensor, f"is_{way}") is not None and getattr(tensor, f"is_{way}")():
            return way
    return ""


def _raw(tensor: Any, places: Sequence[int]) -> list[Any]:
    """The numbers that lie at some bytes of a tensor's memory, whatever the tensor makes of them."""
    kept, size = tensor.untyped_storage(), tensor.element_size()
    numbers = (bytes(int(kept[k]) for k in range(place, place + size)) for place in places)
    return [np.frombuffer(number, str(tensor.dtype).removeprefix("torch."))[0].item() for number in numbers]


def _tensor_numbers(tensor: Any, window: Window, places: Sequence[int]) -> list[tuple[int, Any]]:
    size = window.itemsize
    start = window.offset - int(tensor.storage_offset()) * size
    end = start + int(tensor.untyped_storage().nbytes())
    plain = tensor.detach()
    reached = [p for p in places if start <= p and p + size <= end]
    if turned(tensor):  # what is read through it is not what is there
        return list(zip(reached, _raw(tensor, [p - start for p in reached]), strict=True))
    return [(p, plain.as_strided((1,), (1,), (p - start) // size).item()) for p in reached]


def _array_numbers(array: Any, window: Window, places: Sequence[int]) -> list[tuple[int, Any]]:
    root = array
    while is_array(root.base):
        root = root.base
    if not (root.flags.c_contiguous or root.flags.f_contiguous):
        inside = {place: index for index, place in window.places(WALKED)}
        return [(p, array[inside[p]].item()) for p in places if p in inside]
    start = window.offset - (_first_byte(array) - _first_byte(root))
    raw = root.ravel(order="K").view("u1")
    reached = [p - start for p in places if 0 <= p - start and p - start + window.itemsize <= raw.size]
    return [(p + start, raw[p : p + window.itemsize].view(array.dtype)[0].item()) for p in reached]
