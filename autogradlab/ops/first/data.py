"""The old `.data` attribute: the same memory without history and with a version counter of its own."""

from __future__ import annotations

from typing import Any

from ...core.arguments.mismatch import typename
from ...core.memory.absent import is_absent
from ...core.memory.rows import Rows
from ...core.memory.versions import InferenceVersions, apart, of_inference
from ...core.recording.record import TENSORS
from ...core.runtime import errors, modes
from ...core.tensor.dispatching import instead
from ...core.tensor.edges import NO_REFERENCE
from ...core.tensor.tensor import Tensor, counter, requires_grad, wrap
from ..table.arguments import reject
from ..table.opdef import composite


@instead(lambda call, args, kwargs: TENSORS.detach(*args))
def _get_data(self: Tensor) -> Tensor:
    """The same memory without history, and without a common version counter: changes go unnoticed by
    autograd. detach() is safer.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> w.data *= 10
        >>> w
        tensor([10., 20.], requires_grad=True)

    Mirrors `torch.Tensor.data`.
    """
    if isinstance(self._array, Rows):
        raise RuntimeError(errors.DATA_ROWS.format("accessing `data`"))
    counter(self)  # from now on, it is not alone on its memory
    t = wrap(self._array)
    t._storage = self._storage
    t._counter = apart(self) if of_inference(self) else [0]
    return t


def _set_data(self: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(errors.DATA_TYPE.format(typename(value)))
    if isinstance(self._array, Rows):
        raise RuntimeError(errors.DATA_ROWS.format("mutating directly with `.data`") + ".")
    if modes.FLAGS.unusual and modes.current().transformed:
        raise RuntimeError("mutating directly with `.data` inside functorch transform is not allowed.")
    if is_absent(value._array) is not is_absent(self._array):
        raise RuntimeError(errors.DATA_DEVICE)
    if requires_grad(self) and not (value.dtype.is_floating_point or value.dtype.is_complex):
        raise RuntimeError(errors.DATA_FLOAT)
    counter(value)
    version = counter(self)
    if of_inference(value) and type(version) is list and self._view is None:
        self._counter = InferenceVersions(version[0])
    if self._meta is not None and value._array.dtype != self._array.dtype:
        self._meta.accumulate = NO_REFERENCE  # the next graph gets a Node that wants gradients of the new dtype
    self._array = value._array
    self._storage = value._storage


def _delete_data(self: Tensor) -> None:
    raise RuntimeError(errors.DATA_DELETE)


Tensor.data = property(_get_data, _set_data, _delete_data)


@composite("get_device(Tensor input) -> int", reads="late")
def get_device(input: Tensor) -> int:
    """The number of its device: -1 on the CPU.

    >>> torch.ones(1).get_device()
    -1
    """
    if not isinstance(input, Tensor):
        reject("get_device", (input,), {})
    return -1
