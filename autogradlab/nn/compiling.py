"""torch.compile. Nothing is compiled here: programs run as they are, as under PyTorch's backend "eager"."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .modules.module import Module

__all__ = ["BACKENDS", "OptimizedModule", "compile"]

_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
#: names of backends and, of those that are not for everybody, their kind
BACKENDS = {
    **dict.fromkeys(("cudagraphs", "inductor", "openxla", "tvm"), ""),
    "openxla_eval": "experimental",
    **dict.fromkeys(
        (
            "aot_eager",
            "aot_eager_decomp_partition",
            "aot_eager_decomp_partition_crossref",
            "aot_eager_decomp_partition_with_mode",
            "aot_eager_default_partitioner",
            "aot_ts",
            "dynamo_accuracy_minifier_backend",
            "dynamo_minifier_backend",
            "eager",
            "eager_debug",
            "eager_noexcept",
            "invoke_subgraph",
            "non_leaf_compile_error_TESTING_ONLY",
            "pre_dispatch_eager",
            "relu_accuracy_error_TESTING_ONLY",
            "relu_compile_error_TESTING_ONLY",
            "relu_runtime_error_TESTING_ONLY",
            "ts",
        ),
        "debug",
    ),
}


class InvalidBackend(RuntimeError):
    """torch.compile was given a name that is no backend's."""

    __module__ = "torch._dynamo.exc"


class OptimizedModule(Module):
    """What torch.compile makes of a module: the module itself stands in it as _orig_mod, as the names in its
    state_dict say. Attributes are those of the module."""

    __module__ = "torch._dynamo.eval_frame"

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return OptimizedModule, (self._modules["_orig_mod"],)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module returns."""
        return self._modules["_orig_mod"](*args, **kwargs)

    @property
    def training(self) -> bool:
        """Whether the module is in training mode."""
        mod = self._modules.get("_orig_mod")
        return True if mod is None else mod.training

    @training.setter
    def training(self, value: bool) -> None:
        """Set the mode of the module."""
        mod = self._modules.get("_orig_mod")
        if mod is not None:
            mod.training = value

    def __getattr__(self, name: str) -> Any:
        modules = self.__dict__.get("_modules", {})
        if name == "_orig_mod" or "_orig_mod" not in modules:
            return super().__getattr__(name)
        return getattr(modules["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        modules = self.__dict__.get("_modules", {})
        if "_orig_mod" not in modules or name in self.__dict__ or name in ("training", "_orig_mod"):
            super().__setattr__(name, value)
        else:
            setattr(modules["_orig_mod"], name, value)


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """A function or module that does what model does; without model a decorator.

    PyTorch compiles here, which makes large models faster and changes last digits. autogradlab runs the program as it
    is, as PyTorch does with backend="eager", whatever backend and mode are named; so it has no graph for a backend that
    is a function. A module comes back in a new module, and its parameters' names begin with `_orig_mod`.

    Example:
        >>> import autogradlab as torch
        >>> @torch.compile(backend="eager")
        ... def double(x):
        ...     return 2 * x
        >>> double(torch.ones(2))
        tensor([2., 2.])
        >>> torch.compile(torch.nn.ReLU())
        OptimizedModule(
          (_orig_mod): ReLU()
        )

    Mirrors `torch.compile`.
    """
    if model is None:
        given: dict[str, Any] = {"backend": backend, "mode": mode, "options": options, "disable": disable}
        return lambda model: compile(model, **given)
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and backend in (None, "inductor") and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if disable:
        return model
    if isinstance(backend, str) and backend not in BACKENDS:
        raise InvalidBackend(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends."
        )
    if callable(backend):
        raise NotImplementedError("autogradlab runs programs as they are: it has no graph to give to a backend")
    if isinstance(model, Module):
        return OptimizedModule(model)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")

    @wraps(model)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        return model(*args, **kwargs)

    return compiled
