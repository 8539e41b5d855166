"""How samples become a batch."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ....core.recording.record import TENSORS
from ....core.tensor.tensor import Tensor
from ....core.types.dtypes import float64

__all__ = ["default_collate", "default_convert"]


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples as one batch: tensors stacked, numbers as a tensor, tuples and dicts part by part.
    Errors: TypeError for samples of another type; RuntimeError for samples that differ in size.

    Example:
        >>> import autogradlab as torch
        >>> torch.utils.data.default_collate([(1, 2.), (3, 4.)])
        [tensor([1, 3]), tensor([2., 4.], dtype=torch.float64)]

    Mirrors `torch.utils.data.default_collate`.
    """
    first = batch[0]
    kind = type(first)
    if isinstance(first, Tensor):
        return TENSORS.stack(batch, 0)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":
            raise TypeError(
                "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
                f"{first.dtype}"
            )
        return TENSORS.stack([TENSORS.as_tensor(b) for b in batch], 0)
    if isinstance(first, np.generic):
        return TENSORS.as_tensor(np.array(batch))
    if isinstance(first, float):
        return TENSORS.tensor(batch, dtype=float64)
    if isinstance(first, int):
        return TENSORS.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _like(first, {key: default_collate([b[key] for b in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(default_collate(s) for s in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(b) != len(first) for b in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(s) for s in zip(*batch, strict=True)]
        return columns if isinstance(first, tuple) else _like(first, columns)
    raise TypeError(f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}")


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
