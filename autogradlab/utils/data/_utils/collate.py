"""How samples become a batch."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ....core.recording.record import TENSORS
from ....core.tensor.tensor import Tensor
from ....core.types.dtypes import float64
from ....ops.table.families import FUNCTIONS

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

_FOUND = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
#: which function makes a batch of samples of a type, or of one of several types
Collators = dict[Any, Callable[..., Any]]


def collate(batch: Sequence[Any], *, collate_fn_map: Collators | None = None) -> Any:
    """Samples as one batch: those of a type in the map by its function, tuples and dicts part by part.
    Errors: TypeError for samples of another type; RuntimeError for samples that differ in size.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.data._utils.collate import collate
        >>> def longest(batch, *, collate_fn_map=None):
        ...     return max(batch, key=len)
        ...
        >>> collate([('a', 'bc'), ('def', 'g')], collate_fn_map={str: longest})
        ['def', 'bc']

    Mirrors `torch.utils.data._utils.collate.collate`.
    """
    first = batch[0]
    kind = type(first)
    table = {} if collate_fn_map is None else collate_fn_map
    if kind in table:
        return table[kind](batch, collate_fn_map=collate_fn_map)
    for types, make in table.items():
        if isinstance(first, types):
            return make(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _like(first, {key: collate([b[key] for b in batch], collate_fn_map=collate_fn_map) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(collate(s, collate_fn_map=collate_fn_map) for s in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(b) != len(first) for b in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(s, collate_fn_map=collate_fn_map) for s in zip(*batch, strict=True)]
        return columns if isinstance(first, tuple) else _like(first, columns)
    raise TypeError(_FOUND.format(kind))


def collate_tensor_fn(batch: Sequence[Any], *, collate_fn_map: Collators | None = None) -> Any:
    """Tensors stacked, by the function that asks their classes."""
    return FUNCTIONS["stack"](batch, 0, out=None)


def collate_numpy_array_fn(batch: Sequence[Any], *, collate_fn_map: Collators | None = None) -> Any:
    """Arrays as tensors, and these as a batch. Errors: TypeError for arrays of texts or objects."""
    if batch[0].dtype.kind in "SUO":
        raise TypeError(_FOUND.format(batch[0].dtype))
    return collate([TENSORS.as_tensor(b) for b in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Sequence[Any], *, collate_fn_map: Collators | None = None) -> Any:
    """Numbers of NumPy as a tensor."""
    return TENSORS.as_tensor(np.array(batch))


def collate_float_fn(batch: Sequence[Any], *, collate_fn_map: Collators | None = None) -> Any:
    """Floats as a tensor of float64."""
    return TENSORS.tensor(batch, dtype=float64)


def collate_int_fn(batch: Sequence[Any], *, collate_fn_map: Collators | None = None) -> Any:
    """Integers as a tensor."""
    return TENSORS.tensor(batch)


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: Collators | None = None) -> Any:
    """Texts as they are."""
    return batch


#: what default_collate does with samples of each type; a program may add its own
default_collate_fn_map: Collators = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples as one batch: tensors stacked, numbers as a tensor, tuples and dicts part by part.
    Errors: TypeError for samples of another type; RuntimeError for samples that differ in size.

    Example:
        >>> import autogradlab as torch
        >>> torch.utils.data.default_collate([(1, 2.), (3, 4.)])
        [tensor([1, 3]), tensor([2., 4.], dtype=torch.float64)]

    Mirrors `torch.utils.data.default_collate`.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def default_convert(data: Any) -> Any:
    """The arrays of a sample as tensors; the rest stays.

    Example:
        >>> import autogradlab as torch
        >>> import numpy as np
        >>> torch.utils.data.default_convert([np.array([1, 2]), 'a'])
        [tensor([1, 2]), 'a']

    Mirrors `torch.utils.data.default_convert`.
    """
    if isinstance(data, Tensor):
        return data
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind not in "SUO":
        return TENSORS.as_tensor(data)
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple):
        return (
            type(data)(*map(default_convert, data)) if hasattr(data, "_fields") else [default_convert(d) for d in data]
        )
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like(data, [default_convert(d) for d in data])
    return data


def _like(given: Any, made: Any) -> Any:
    """What was made of a container, in one of its type where that takes it."""
    try:
        if isinstance(given, MutableMapping):
            found: Any = copy.copy(given)
            found.update(made)
            return found
        if isinstance(given, MutableSequence):
            found = copy.copy(given)
            for i, value in enumerate(made):
                found[i] = value
            return found
        return type(given)(made)
    except TypeError:
        return made
