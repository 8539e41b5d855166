"""Which Modules run at this moment (mirrors `torch.utils.module_tracker`)."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable
from typing import Any

from ..autograd.frontend import running
from ..autograd.graph import register_multi_grad_hook
from ..core.tensor.tensor import Tensor
from ..nn.modules.hooks import register_module_forward_hook, register_module_forward_pre_hook
from ..nn.modules.module import Module
from ._pytree import tree_leaves

__all__ = ["ModuleTracker"]

_log = logging.getLogger("torch.utils.module_tracker")


class ModuleTracker:
    """A context in which `parents` has the dotted names of the Modules that run, forwards or backwards, and "Global".

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.module_tracker import ModuleTracker
        >>> layer = torch.nn.Sequential(torch.nn.ReLU())
        >>> with ModuleTracker() as tracker:
        ...     handle = layer[0].register_forward_hook(lambda *_: print(sorted(tracker.parents)))
        ...     _ = layer(torch.ones(1))
        ...
        ['Global', 'Sequential']

    Mirrors `torch.utils.module_tracker.ModuleTracker`.
    """

    parents: set[str]

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._known_modules: weakref.WeakKeyDictionary[Module, str] = weakref.WeakKeyDictionary()
        self._seen_modules: weakref.WeakSet[Module] = weakref.WeakSet()
        self._has_callback = False
        self._hooks: list[Any] = []

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass runs."""
        return running() is not None

    def _get_mod_name(self, mod: Module) -> str:
        name = self._known_modules.setdefault(mod, type(mod).__name__)
        if mod not in self._seen_modules:
            for child, module in mod.named_children():
                self._known_modules[module] = f"{name}.{child}"
                self._get_mod_name(module)
            self._seen_modules.add(mod)
        return name

    def _entered(self, name: str, backwards: bool) -> Callable[..., None]:
        def enter(*_: Any) -> None:
            task = running()
            if backwards and not self._has_callback and task is not None:
                self._has_callback = True
                task.callbacks.append(self._left)
            if name in self.parents:
                _log.info(
                    "The module hierarchy tracking seems to be broken as this Module was already entered. %s during %s",
                    name,
                    "backward" if backwards else "forward",
                )
            self.parents.add(name)

        return enter

    def _left(self) -> None:
        self.parents = {"Global"}
        self._has_callback = False

    def _left_by(self, name: str, backwards: bool) -> Callable[..., None]:
        def leave(*_: Any) -> None:
            if name not in self.parents:
                _log.info(
                    "The Module hierarchy tracking is confused as we're exiting a Module that was never entered. %s "
                    "during %s",
                    name,
                    "backward" if backwards else "forward",
                )
            self.parents.discard(name)

        return leave

    def _watch(self, values: Any, call: Callable[..., None]) -> None:
        tensors = [t for t in tree_leaves(values) if isinstance(t, Tensor) and t.requires_grad]
        if tensors:
            self._hooks.append(register_multi_grad_hook(tensors, call))

    def _before(self, mod: Module, input: Any) -> None:
        name = self._get_mod_name(mod)
        self._entered(name, False)()
        self._watch(input, self._left_by(name, True))

    def _after(self, mod: Module, input: Any, output: Any) -> None:
        name = self._get_mod_name(mod)
        self._left_by(name, False)()
        self._watch(output, self._entered(name, True))

    def __enter__(self) -> ModuleTracker:
        self._handles = register_module_forward_pre_hook(self._before), register_module_forward_hook(self._after)
        return self

    def __exit__(self, *_: object) -> None:
        for handle in (*self._handles, *self._hooks):
            handle.remove()
        self._hooks.clear()
