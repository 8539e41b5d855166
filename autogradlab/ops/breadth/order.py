"""The order in which dimensions lie in memory, as a user asks for it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ...core.memory.layout import common_axes
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types.layouts import channels_last, memory_format
from ..table.families import method


@method("dim_order")
def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the one that is farthest apart in memory to the one that lies closest.

    ambiguity_check=True refuses tensors whose dimensions could stand in another order too; with a list of memory
    formats one of these, and no other, may decide.

    Example:
        >>> import autogradlab as torch
        >>> torch.zeros(2, 3).dim_order(), torch.zeros(2, 3).T.dim_order()
        ((0, 1), (1, 0))

    Mirrors `torch.Tensor.dim_order`.
    """
    listed = isinstance(ambiguity_check, list)
    if not isinstance(ambiguity_check, bool) and not (
        listed and all(isinstance(one, memory_format) for one in ambiguity_check)
    ):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    shape, steps = tuple(self.shape), TENSORS.stride(self)
    asked = listed or ambiguity_check
    if asked and (1 in shape or any(a == b for a, b in pairwise(steps))):
        formats = ambiguity_check if listed else ()
        if sum(TENSORS.is_contiguous(self, memory_format=one) for one in formats) != 1:
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
            )
    n = len(shape)
    last = n == 4 and TENSORS.is_contiguous(self, memory_format=channels_last)
    if n < 2 or TENSORS.is_contiguous(self) is not last:
        return (0, *range(2, n), 1) if last else tuple(range(n))
    order = common_axes(shape, [steps])
    if ambiguity_check and any(not 0 < steps[b] < steps[a] for a, b in pairwise(order)):
        raise RuntimeError("The tensor does not have unique dim order.")
    return tuple(order)
