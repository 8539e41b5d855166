"""Whether new memory is filled where deterministic algorithms are asked for (mirrors `torch.utils.deterministic`)."""

from __future__ import annotations

import sys
import types

from ..core.runtime.deterministic import get_fill_uninitialized, set_fill_uninitialized


class _Deterministic(types.ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether `torch.empty` and `resize_` fill new memory under `torch.use_deterministic_algorithms(True)`.

        Floating-point elements become NaN, integers the largest of their dtype, bools True. Errors: RuntimeError if it
        is set to something else than a bool.

        Example:
            >>> import autogradlab as torch
            >>> torch.utils.deterministic.fill_uninitialized_memory
            True
            >>> torch.use_deterministic_algorithms(True)
            >>> torch.empty(2)
            tensor([nan, nan])
            >>> torch.use_deterministic_algorithms(False)

        Mirrors `torch.utils.deterministic.fill_uninitialized_memory`.
        """
        return get_fill_uninitialized()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        set_fill_uninitialized(mode)


sys.modules[__name__].__class__ = _Deterministic
