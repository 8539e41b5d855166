"""Modes that are asked for the result of every operation below autograd (mirrors `torch.utils._python_dispatch`).

What they are told, and who tells it, is in `core/tensor/dispatching.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core.memory.storage import address
from ..core.runtime import modes
from ..core.tensor import dispatching
from ..core.tensor.mode_stack import ModeStack
from ..core.tensor.tensor import Tensor
from ._pytree import tree_map_only

__all__ = ["BaseTorchDispatchMode", "TorchDispatchMode"]


_MODES = ModeStack("dispatch_modes", lambda: dispatching.on_first_mode.arm())


class TorchDispatchMode:
    """A context in which every operation goes to `__torch_dispatch__` of the mode, as PyTorch's operators: when the
    function that was called has been taken apart into them, and autograd has made its Node.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils._python_dispatch import TorchDispatchMode
        >>> class Tell(TorchDispatchMode):
        ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        ...         print(func)
        ...         return func(*args, **(kwargs or {}))
        ...
        >>> with Tell():
        ...     _ = torch.nn.functional.linear(torch.ones(1, 2), torch.ones(3, 2), torch.ones(3))
        ...
        aten.ones.default
        aten.ones.default
        aten.ones.default
        aten.t.default
        aten.addmm.default

    Mirrors `torch.utils._python_dispatch.TorchDispatchMode`.
    """

    def __init__(self, _dispatch_key: Any = None) -> None:
        if _dispatch_key is not None:
            raise NotImplementedError("autogradlab has no dispatch keys")

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        _MODES.push(self)
        return self

    def __exit__(self, *error: object) -> None:
        _MODES.pop()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """The old way to make one."""
        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether it is one of PyTorch's own that are asked after all others."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that carries operations out as they are."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is entered."""
    return bool(modes.current().dispatch_modes)


_get_current_dispatch_mode = _MODES.innermost
_get_current_dispatch_mode_stack = _MODES.all
_push_mode = _MODES.push
_pop_mode = _MODES.pop
_pop_mode_temporarily = _MODES.paused


@contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """A context without any mode."""
    state = modes.current()
    before, state.dispatch_modes = state.dispatch_modes, []
    try:
        yield before
    finally:
        state.dispatch_modes = before


# -- classes of tensors that hold other tensors ------------------------------------------------------------------------


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether tensors of a class can be taken apart into the tensors that they hold, and put together again."""
    if t is Tensor or not issubclass(t, Tensor):
        return False
    return hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether an object is a tensor of such a class."""
    return is_traceable_wrapper_subclass_type(type(t))


def transform_subclass(
    t: Any, callback: Callable[[str, Any], Any], outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """A tensor like `t`, of what `callback` makes of each tensor that it holds, by the attribute's name.

    Errors: AssertionError if it is not of the size and strides that are asked for; by default those of `t`.
    """
    outer_size = t.size() if outer_size is None else outer_size
    outer_stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    parts = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(parts, context, outer_size, outer_stride)
    if made.shape != outer_size:
        raise AssertionError(
            f"Expected return value from {type(t)}__tensor_unflatten__() to have shape equal to {outer_size}, but got: "
            f"{made.shape}"
        )
    if made.stride() != outer_stride:
        raise AssertionError(
            f"Expected return value from {type(t)}__tensor_unflatten__() to have stride equal to {outer_stride}, but "
            f"got: {made.stride()}"
        )
    return made


def return_and_correct_aliasing(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> Any:
    """What `__torch_dispatch__` of a class is to return that has made new tensors for the results of an operator: for
    a result that is an argument, this argument; others that lie in the memory of an argument get its storage."""
    schema = func._schema
    given = {a.name: value for a, value in zip(schema.arguments, args, strict=False)} | kwargs
    written: dict[str, Any] = {}
    for a in schema.arguments:
        if a.alias_info is None or a.name not in given:
            continue
        if a.mutated:
            written[next(iter(a.alias_info.before_set), a.name)] = given[a.name]
        elif isinstance(given[a.name], Tensor):
            for r in schema.returns:
                many = r.type.startswith("List[")
                if many or (r.alias_info is not None and r.alias_info.before_set & a.alias_info.before_set):
                    _lay_in(given[a.name], out if len(schema.returns) == 1 else out[schema.returns.index(r)])
    if not written:
        return out
    letters = [next(iter(r.alias_info.before_set), "") if r.alias_info is not None else "" for r in schema.returns]
    if len(letters) == 1:
        return written.get(letters[0], out)
    results = [written.get(letter, value) for letter, value in zip(letters, out, strict=True)]
    return type(out)(results)


def _lay_in(source: Tensor, results: Any) -> None:
    """Let tensors lie in the memory of another, each with the sizes, strides and offset that it has."""

    def lay(t: Tensor) -> Tensor:
        if t is not source and dispatching.hollow(t) and t._array.base is not source._array.base:
            x: Any = t._array
            offset = address(x) - address(x.base)
            t._array = np.ndarray(x.shape, x.dtype, source._array.base, offset, x.strides)
            t._storage = source._storage
        return t

    if dispatching.hollow(source):
        tree_map_only(Tensor, lay, results)
