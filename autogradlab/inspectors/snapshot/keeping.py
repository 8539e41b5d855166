"""A preview leaves no trace: values, versions and `.grad` that the learner's hooks change while it runs are put back.

`Keeper` keeps copies of the tensors that were alive before the pass. `previewing()` tells other inspectors
that what comes by now is not a backward of the learner's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .kinds import library

__all__ = ["Keeper", "alike", "preview", "previewing"]

#: bytes of tensors that are copied; of what goes beyond, a change is seen but not put back
BUDGET = 64 * 2**20

_previews = 0


def previewing() -> bool:
    """Whether a preview is running."""
    return _previews > 0


@contextmanager
def preview() -> Iterator[None]:
    """Mark a preview: what it does is no event for inspectors that watch."""
    global _previews
    _previews += 1
    try:
        yield
    finally:
        _previews -= 1


@dataclass(slots=True)
class _Kept:
    """A tensor as it was. `alias` shows its memory of that time; `cells`, each cell of it once; copy: of these, None
    where they were too large."""

    tensor: Any
    alias: Any
    cells: Any
    copy: Any
    version: int
    grad: Any
    requires_grad: bool


class Keeper:
    """Tensors of a library as they were before a pass; the first of them get copies before others."""

    def __init__(self, root: Any, tensors: Sequence[Any]) -> None:
        self.library = library(root)
        found = {id(t): t for t in tensors}
        self.kept: list[_Kept] = []
        self.spent = 0
        self.copies: dict[tuple[Any, ...], Any] = {}
        for tensor in found.values():
            try:
                self.kept.append(self._keep(tensor))
            except Exception:  # sparse, meta, inference: nothing that a hook could write to unseen
                continue

    def _keep(self, tensor: Any) -> _Kept:
        version = int(tensor._version)
        alias = tensor.detach()
        cells = _cells(alias)
        read = cells.is_conj(), cells.is_neg()  # the same memory, other numbers
        place = cells.data_ptr(), tuple(cells.shape), cells.stride(), str(cells.dtype), read
        if place not in self.copies:
            size = cells.numel() * cells.element_size()
            self.spent += size
            self.copies[place] = cells.clone() if self.spent <= BUDGET else None
        return _Kept(tensor, alias, cells, self.copies[place], version, _grad(tensor), bool(tensor.requires_grad))

    def put_back(self, passed: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Put everything back; returns what was restored, and what was changed and could not be.

        `passed`: the tensors whose `.grad` the pass itself sets.
        """
        own = {id(t) for t in passed}
        back, left = [], []
        for kept in self.kept:
            done, lost = self._restore(kept, id(kept.tensor) in own)
            back += [kept.tensor] * done
            left += [kept.tensor] * lost
        for kept in self.kept:  # after all values: tensors that share memory share the counter
            self._version(kept)
        self.kept.clear()
        self.copies.clear()
        return back, left

    def _restore(self, kept: _Kept, passed: bool) -> tuple[bool, bool]:
        tensor, changed, lost = kept.tensor, False, False
        if kept.copy is not None and not _equal(kept.cells, kept.copy):
            changed = True
            kept.cells.data.copy_(kept.copy)
        elif kept.copy is None and tensor._version != kept.version:
            lost = True
        if tensor.data_ptr() != kept.alias.data_ptr() or tuple(tensor.shape) != tuple(kept.alias.shape):
            changed = True
            tensor.data = kept.alias
        if tensor.is_leaf and bool(tensor.requires_grad) is not kept.requires_grad:
            changed = True
            tensor.requires_grad_(kept.requires_grad)
        if _grad(tensor) is not kept.grad:
            changed |= not passed
            tensor.grad = kept.grad
        return changed, lost

    def _version(self, kept: _Kept) -> None:
        if kept.copy is not None and kept.tensor._version != kept.version:
            guard = self.library.autograd._unsafe_preserve_version_counter((kept.tensor,))
            guard.prev_versions = (kept.version,)
            guard.__exit__(None, None, None)


def _cells(alias: Any) -> Any:
    """The memory of a tensor without repetition: what is expanded, or windows that overlap, cannot be written to."""
    for dim, stride in enumerate(alias.stride()):
        alias = alias.narrow(dim, 0, 1) if stride == 0 and alias.shape[dim] > 1 else alias
    extent = 1 + sum((size - 1) * stride for size, stride in zip(alias.shape, alias.stride(), strict=True))
    return alias.as_strided((extent,), (1,)) if alias.numel() > extent else alias


def _grad(tensor: Any) -> Any:
    """`.grad` without the warning that PyTorch gives for non-leaf tensors."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def alike(a: Any, b: Any) -> bool:
    """Whether two gradients, or None, are the same but for what they are stored in."""
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and a.dtype == b.dtype and _equal(a, b)


def _equal(a: Any, b: Any) -> bool:
    """Whether two tensors hold the same numbers, NaN where the other has NaN."""
    return bool(((a == b) | ((a != a) & (b != b))).all()) if a.numel() else True
