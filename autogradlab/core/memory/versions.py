"""Version counters: how often the memory of a tensor was changed in place. Tensors that share memory share the counter.

`t._counter` is UNSHARED until somebody changes the tensor or takes a view of it, then a list of one number, so that
making tensors costs nothing; INFERENCE for tensors made in inference mode, which have no versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime import errors, modes

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

__all__ = ["INFERENCE", "UNSHARED", "counter", "increment_version"]

#: the version counter of a tensor that was never changed in place and shares memory with no other, see `counter`
UNSHARED = (0,)


class _InferenceVersion:
    """Takes the place of the version counter on tensors made in inference mode."""

    def __getitem__(self, index: int) -> int:
        raise RuntimeError(errors.INFERENCE_SAVED)


INFERENCE = _InferenceVersion()


def counter(t: Tensor) -> Any:
    """The version counter of `t` as an object that may be shared and counted up."""
    version = t._counter
    if version is UNSHARED:
        version = t._counter = [0]
    return version


def increment_version(t: Tensor) -> None:
    """Count one change of the memory of `t`."""
    version = t._counter
    if version is UNSHARED:
        t._counter = [1]
    elif version is not INFERENCE:
        version[0] += 1
    elif not modes.current().inference:
        raise RuntimeError(errors.INFERENCE_INPLACE)
