"""Dictionaries whose keys are objects themselves, not what they equal, and do not live by them (mirrors
`torch.utils.weak`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any
from weakref import ref

from ..core.tensor.tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(ref[Any]):
    """A weak reference that equals those of the same object.

    Mirrors `torch.utils.weak.WeakIdRef`.
    """

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        self._id = id(key)
        super().__init__(key, callback)  # type: ignore[call-arg]

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine, theirs = self(), other() if isinstance(other, ref) else None
        if mine is not None and theirs is not None:
            return mine is theirs
        return self is other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary by the identity of its keys, which end as if they were not in it.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.weak import WeakIdKeyDictionary
        >>> x = torch.ones(2)
        >>> found = WeakIdKeyDictionary({x: 1})
        >>> x in found, torch.ones(2) in found
        (True, False)
        >>> del x
        >>> len(found)
        0

    Mirrors `torch.utils.weak.WeakIdKeyDictionary`.
    """

    def __init__(self, dict: Any = None, ref_type: type = WeakIdRef) -> None:
        self.data: dict[Any, Any] = {}
        self.ref_type = ref_type
        data = ref(self)

        def remove(key: Any) -> None:
            owner = data()
            if owner is not None:
                owner.data.pop(key, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        for kept in list(self.data):
            key = kept()
            if key is not None:
                yield key

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return {id(k): v for k, v in self.items()} == {id(k): v for k, v in other.items()}

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Any) -> WeakIdKeyDictionary:
        if not isinstance(other, Mapping):
            return NotImplemented
        found = self.copy()
        found.update(other)
        return found

    def __ror__(self, other: Any) -> WeakIdKeyDictionary:
        if not isinstance(other, Mapping):
            return NotImplemented
        found = type(self)(other)
        found.update(self)
        return found

    def __ior__(self, other: Any) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def copy(self) -> WeakIdKeyDictionary:
        """The same keys and values in another dictionary."""
        return type(self)(self)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> WeakIdKeyDictionary:
        from copy import deepcopy

        found = type(self)()
        for key, value in self.items():
            found[key] = deepcopy(value, memo)
        return found

    def keyrefs(self) -> list[Any]:
        """Weak references to the keys."""
        return list(self.data)

    def popitem(self) -> tuple[Any, Any]:
        """The key and value that came last, which are taken out."""
        while True:
            kept, value = self.data.popitem()
            key = kept()
            if key is not None:
                return key, value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key, which is put in if it is not there."""
        return self.data.setdefault(self.ref_type(key, self._remove), default)

    def update(self, dict: Any = None, **kwargs: Any) -> None:  # type: ignore[override]
        """Put in the keys and values of another."""
        for source in (dict or {}, kwargs):
            for key, value in source.items():
                self[key] = value


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor. Errors: AssertionError for another object.

    Mirrors `torch.utils.weak.TensorWeakRef`.
    """

    ref: WeakIdRef

    def __init__(self, tensor: Tensor) -> None:
        assert isinstance(tensor, Tensor), f"expected torch.Tensor, got {type(tensor)}."
        self.ref = WeakIdRef(tensor)

    def __call__(self) -> Tensor | None:
        found: Tensor | None = self.ref()
        return found
