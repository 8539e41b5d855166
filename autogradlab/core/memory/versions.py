"""Version counters: how often the memory of a tensor was changed in place. Tensors that share memory share the counter.

`t._counter` is UNSHARED until somebody changes the tensor or takes a view of it, then a list of one number, so that
making tensors costs nothing; INFERENCE for tensors made in inference mode, which have no versions, and an
InferenceVersions for those that `.data` or `detach()` made of them outside of it, which have some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime import errors, modes

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

__all__ = [
    "INFERENCE",
    "UNSHARED",
    "InferenceVersion",
    "InferenceVersions",
    "apart",
    "counter",
    "increment_version",
    "of_inference",
]

#: the version counter of a tensor that was never changed in place and shares memory with no other, see `counter`
UNSHARED = (0,)


class InferenceVersion:
    """Takes the place of the version counter on tensors made in inference mode."""

    def __getitem__(self, index: int) -> int:
        raise RuntimeError(errors.INFERENCE_SAVED)


class InferenceVersions(InferenceVersion):
    """The version counter of a tensor of inference mode that has one: it may not be saved for backward either."""

    __slots__ = ("number",)

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def __setitem__(self, index: int, number: int) -> None:
        self.number = number


INFERENCE = InferenceVersion()


def of_inference(t: Tensor) -> bool:
    """Whether a tensor was made in inference mode."""
    return isinstance(t._counter, InferenceVersion)


def apart(t: Tensor) -> Any:
    """The counter of a tensor on the same memory as `t`, which is of inference mode: outside of it a new one."""
    return INFERENCE if modes.current().inference else InferenceVersions()


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
    elif type(version) is list:
        version[0] += 1
    elif type(version) is InferenceVersions:
        version.number += 1
    elif not modes.current().inference:
        raise RuntimeError(errors.INFERENCE_INPLACE)
