"""torch.backends, and torch.mps, torch.xpu, torch.cpu: what the build has. A CPU build without GPUs answers as this."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

from .amp.old import OLD
from .core.runtime.settings import ATTENTION, kernels_of_attention


def _no() -> bool:
    return False


def _none(*given: Any) -> None:
    return None


def _zero(device: Any = None) -> int:
    return 0


def _without_mps(call: str) -> Callable[..., NoReturn]:
    """What needs Apple's GPU, with the name by which its error calls it."""

    def refuse(*given: Any) -> NoReturn:
        raise RuntimeError(f"Cannot execute {call}() without MPS backend.")

    return refuse


def _without_xpu(*given: Any) -> NoReturn:
    raise AssertionError("Torch not compiled with XPU enabled")


def _flags(**values: Any) -> SimpleNamespace:
    return SimpleNamespace(**values)


def _module(name: str, **values: Any) -> ModuleType:
    """A module of that name beside this one, which programs import: `import torch.backends.cudnn as cudnn`."""
    module = ModuleType(f"{__name__}.{name}")
    vars(module).update(values)
    sys.modules[module.__name__] = module
    return module


def _switch(space: ModuleType, **names: Any) -> None:
    """Give a namespace its `flags(...)`: a context in which these settings, named with their defaults, have other
    values."""

    @contextmanager
    def switched(values: dict[str, Any]) -> Iterator[None]:
        before = {name: getattr(space, name) for name in names}
        vars(space).update({name: value for name, value in values.items() if value is not None})
        try:
            yield
        finally:
            vars(space).update(before)

    def flags(*args: Any, **given: Any) -> AbstractContextManager[None]:
        for name in given:
            if name not in names:
                raise TypeError(f"flags() got an unexpected keyword argument '{name}'")
        if len(args) > len(names):
            raise TypeError(f"flags() takes from 0 to {len(names)} positional arguments but {len(args)} were given")
        return switched({**names, **dict(zip(names, args, strict=False)), **given})

    vars(space)["flags"] = flags


def _attention_switches(space: ModuleType) -> None:
    """Give a namespace the functions that ask for the kernels of attention, and switch them on and off."""
    for name in ATTENTION:
        setattr(space, f"{name}_sdp_enabled", partial(ATTENTION.__getitem__, name))
        setattr(space, f"enable_{name}_sdp", partial(ATTENTION.__setitem__, name))

    @contextmanager
    def sdp_kernel(
        enable_flash: bool = True,
        enable_math: bool = True,
        enable_mem_efficient: bool = True,
        enable_cudnn: bool = True,
    ) -> Iterator[None]:
        warnings.warn(
            "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. "
            "Please see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
            FutureWarning,
            stacklevel=3,
        )
        wanted = {"flash": enable_flash, "math": enable_math, "mem_efficient": enable_mem_efficient}
        with kernels_of_attention({**wanted, "cudnn": enable_cudnn}):
            yield

    vars(space)["sdp_kernel"] = sdp_kernel


mps = _module("mps", is_available=_no, is_built=_no, is_macos_or_newer=lambda major, minor: False)
cuda = _module(
    "cuda",
    is_built=_no,
    matmul=_flags(
        allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
    ),
)
_attention_switches(cuda)
cudnn = _module(
    "cudnn",
    is_available=_no,
    version=_none,
    enabled=True,
    benchmark=False,
    deterministic=False,
    allow_tf32=True,
    benchmark_limit=10,
    fp32_precision="none",
    depthwise_kernel="auto",
)
_switch(
    cudnn,
    enabled=False,
    benchmark=False,
    benchmark_limit=10,
    deterministic=False,
    allow_tf32=True,
    fp32_precision="none",
    depthwise_kernel="auto",
)
mkl = _module("mkl", is_available=_no)
mkldnn = _module("mkldnn", is_available=_no, enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none")
_switch(mkldnn, enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none")
openmp = _module("openmp", is_available=_no)
cpu = _module("cpu", get_cpu_capability=lambda: "DEFAULT")

#: torch.mps and its like
DEVICES: dict[str, SimpleNamespace] = {
    "mps": _flags(
        is_available=_no,
        device_count=_zero,
        manual_seed=_none,
        **{
            name: _without_mps(call)
            for name, call in (
                ("seed", "getDefaultGenerator"),
                ("get_rng_state", "getDefaultGenerator"),
                ("synchronize", "deviceSynchronize"),
                ("empty_cache", "emptyCache"),
                ("current_allocated_memory", "getCurrentAllocatedMemory"),
                ("driver_allocated_memory", "getDriverAllocatedMemory"),
            )
        },
    ),
    "xpu": _flags(
        **dict.fromkeys(("is_available", "is_initialized", "is_bf16_supported"), _no),
        **dict.fromkeys(("device_count", "memory_allocated", "max_memory_allocated", "memory_reserved"), _zero),
        **dict.fromkeys(("manual_seed", "manual_seed_all", "seed", "seed_all", "empty_cache"), _none),
        **dict.fromkeys(
            ("init", "synchronize", "current_device", "get_device_name", "initial_seed", "get_rng_state"), _without_xpu
        ),
    ),
    "mtia": _flags(
        **dict.fromkeys(("is_available", "is_initialized"), _no),
        device_count=_zero,
        **dict.fromkeys(("manual_seed", "manual_seed_all", "seed", "seed_all"), _none),
    ),
    "cpu": _flags(
        is_available=lambda: True,
        device_count=lambda: 1,
        current_device=lambda: "cpu",
        synchronize=lambda device=None: None,
        amp=OLD["cpu"],
    ),
}
