"""Which tensors of several cards are one and the same: a mark for each, by the order in which cards showed them."""

from __future__ import annotations

import weakref
from itertools import count
from typing import Any

__all__ = ["mark"]

_numbers = count(1)
_marks: dict[int, tuple[weakref.ref[Any], int]] = {}


def mark(tensor: Any, name: str | None) -> str:
    """The mark of a tensor with a name: "w 3"; "" for one without.

    Its name is in it, so that cards which were stored by different kernels do not take each other's numbers for theirs.
    """
    if not name or tensor is None:
        return ""
    place = id(tensor)
    known = _marks.get(place)
    if known is None or known[0]() is not tensor:

        def forget(gone: weakref.ref[Any]) -> None:
            if place in _marks and _marks[place][0] is gone:
                del _marks[place]

        try:
            known = _marks[place] = weakref.ref(tensor, forget), next(_numbers)
        except TypeError:  # what takes no weak reference
            return ""
    return f"{name} {known[1]}"
