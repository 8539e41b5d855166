"""How linear_cross_entropy computes in pieces."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...core.runtime.naming import by_name
from ...core.types.device import device as Device
from ...core.types.dtypes import bfloat16, dtype, float16, float32, float64

__all__ = ["LinearCrossEntropyOptions"]

_POLICIES = ("auto", "accurate", "balanced", "compact")
_SHORT = (float16, bfloat16)


@dataclasses.dataclass
class LinearCrossEntropyOptions:
    """Options of linear_cross_entropy: it goes through the batch in pieces, so that the logits of all rows are never
    there at once. batch_chunk_size rows make a piece; chunking_method "aspect_ratio" or "aspect_ratio:N" finds their
    number, so that the logits of a piece take about the memory of the input, or an N-th of it. acc_dtype is the dtype
    of sums, acc_policy says what else is kept in it. Without allow_retain_graph backward runs once.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> options = nn.LinearCrossEntropyOptions(batch_chunk_size=1)
        >>> x, target = torch.tensor([[1., 2.], [0., 1.]]), torch.tensor([1, 0])
        >>> nn.functional.linear_cross_entropy(x, torch.eye(2), target, options=options)
        tensor(0.8133)

    Mirrors `torch.nn.LinearCrossEntropyOptions`.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None

    __reduce_ex__ = by_name

    def __post_init__(self) -> None:
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method is not None and self.chunking_method != "auto":
            name, factor = _method(self.chunking_method)
            if name != "aspect_ratio" or not factor.isdigit() or int(factor) <= 0:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in (*_SHORT, float32, float64):
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, "
                f"got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically."
            )

    def _adjust(
        self, num_batches: int, in_features: int, num_classes: int, dtype: dtype, device: Device | None = None
    ) -> LinearCrossEntropyOptions:
        """The options for one call, with nothing left open."""
        short = device is not None and dtype in _SHORT
        policy, method, size = self.acc_policy, self.chunking_method, self.batch_chunk_size
        if policy == "auto":
            policy = "accurate" if short else "compact"
        if method == "auto":
            method = None if size is not None else "aspect_ratio" if short else "aspect_ratio:2"
        rows = num_batches if size is None else min(size, num_batches)
        if method is not None:
            rows = _rows(method, num_batches, in_features, num_classes)
            if size not in (None, rows):
                raise ValueError(
                    f"batch_chunk_size (={size}) and chunking_method ('{method}') give different chunk sizes "
                    f"({size} vs {rows}); pass only one."
                )
        wide = self.acc_dtype
        if wide is None:
            wide = float32 if short and self.acc_policy == "auto" else dtype
        known: dict[str, Any] = {"acc_policy": policy, "chunking_method": method, "acc_dtype": wide}
        return dataclasses.replace(self, batch_chunk_size=max(1, rows), **known)


def _method(text: str) -> tuple[str, str]:
    name, colon, factor = text.partition(":")
    return name, factor if colon else "1"


def _rows(method: str, batch: int, features: int, classes: int) -> int:
    """How many rows make a piece: a power of two, of which the logits are no longer than the input."""
    share = -(-batch // -(-classes // features))
    return min((1 << (share - 1).bit_length()) // int(_method(method)[1]), batch)
