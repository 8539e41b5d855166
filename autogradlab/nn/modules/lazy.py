"""Layers that learn their sizes from their first input."""

from __future__ import annotations

import itertools
from typing import Any

from ..parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__: list[str] = []


def empty_parameter(device: Any = None, dtype: Any = None) -> Any:
    """A parameter without a shape."""
    return UninitializedParameter(device=device, dtype=dtype)


def empty_buffer(device: Any = None, dtype: Any = None) -> Any:
    """A buffer without a shape."""
    return UninitializedBuffer(device=device, dtype=dtype)


class LazyModuleMixin:
    """A layer with uninitialized parameters: before the first forward it learns their shapes and changes its class."""

    cls_to_become: Any = None
    #: of the Module that it is mixed into
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    register_forward_pre_hook: Any
    _register_load_state_dict_pre_hook: Any
    _get_name: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer is still uninitialized."""
        values = itertools.chain(self._parameters.values(), self._buffers.values())
        return any(is_lazy(v) for v in values)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Learn the sizes from the first input."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _lazy_load_hook(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        for name, param in itertools.chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if given is not None and is_lazy(param) and not is_lazy(given):
                param.materialize(given.shape)

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook
        del module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
