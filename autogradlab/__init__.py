"""autogradlab: PyTorch's tensors and autograd on NumPy, to learn with. `import autogradlab as torch`.

>>> import autogradlab as torch
>>> w = torch.tensor([1., 2.], requires_grad=True)
>>> (w * w).sum().backward()
>>> w.grad
tensor([2., 4.])
"""

from __future__ import annotations

from importlib import import_module as _import_module
from math import e, inf, nan, pi

from . import ops as _ops  # the op tables give Tensor its methods

# isort: split
from . import autograd, version
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .core.arguments.mismatch import types as _types
from .core.memory.storage import Storage as UntypedStorage
from .core.random.generator import Generator as _Generator
from .core.runtime import settings as _settings
from .core.runtime import warn as _warn
from .core.runtime.help import Help as _Help
from .core.runtime.help import attach as _attach
from .core.runtime.warn import is_always as is_warn_always_enabled
from .core.runtime.warn import set_always as set_warn_always
from .core.tensor import copying as _copying  # gives Tensor deepcopy and pickle
from .core.tensor import dispatching as _dispatching
from .core.tensor import overriding as _overriding
from .core.tensor import printing as _tensor_str
from .core.tensor.printing import set_printoptions
from .core.tensor.tensor import Size, Tensor
from .core.types import dtypes as _dtypes
from .core.types import info as _info
from .core.types import layouts as _layout
from .core.types.device import device
from .core.types.dtypes import dtype, get_default_dtype
from .core.types.info import finfo, iinfo
from .core.types.layouts import layout, memory_format
from .ops import asserting as _asserting
from .ops import inquiry as _inquiry
from .ops import legacy as _legacy
from .ops import symbolic as _symbolic
from .ops.breadth import typed_storage as _typed_storage
from .ops.breadth.typed_storage import TypedStorage
from .ops.legacy import get_default_device, set_default_device, set_default_dtype, set_default_tensor_type
from .ops.table.families import FUNCTIONS as _FUNCTIONS
from .version import __version__

newaxis = None

#: how the functions of torch.special begin in the table; torch itself has no such names
_SPECIAL = "special_"
globals().update((name, fn) for name, fn in _FUNCTIONS.items() if not name.startswith(_SPECIAL))
globals().update(_dtypes.ALL)
globals().update(_dtypes.ALIASES)
globals().update(_layout.LAYOUTS)
globals().update(_layout.FORMATS)
globals().update(_legacy.TYPES)
globals().update(_typed_storage.STORAGES)
globals().update(_settings.PUBLIC)
globals().update(_inquiry.PUBLIC)
globals().update(_asserting.PUBLIC)
globals().update(_symbolic.PUBLIC)

_tensor_classes = set(_legacy.TYPES.values())
_storage_classes = {UntypedStorage, TypedStorage, *_typed_storage.STORAGES.values()}

_types.tensor, _types.dtype, _types.device, _types.size = Tensor, dtype, device, Size
_types.generator, _types.layout, _types.memory_format = _Generator, layout, memory_format
_types.storage = (UntypedStorage, TypedStorage)
_types.of_python = _dtypes.OF_PYTHON
_types.on_deprecated = _warn.warn_deprecated

_Help.reader = staticmethod(lambda: _import_module(f"{__name__}.ops.reference.describing"))
_attach("Tensor", vars(Tensor))
_attach("", globals())

#: submodules that are imported when they are first asked for
_MODULES = (
    "__config__",
    "__future__",
    "_utils",
    "_C",
    "_VF",
    "accelerator",
    "amp",
    "backends",
    "compiler",
    "cuda",
    "distributions",
    "fft",
    "func",
    "functional",
    "hub",
    "jit",
    "library",
    "linalg",
    "masked",
    "nn",
    "optim",
    "profiler",
    "quasirandom",
    "random",
    "return_types",
    "signal",
    "special",
    "storage",
    "types",
    "utils",
    "serialization",
    "testing",
    "overrides",
    "lab",
    "inspectors",
)
#: names that other modules define, and these modules; as for the functions of `ops`, whose families come as late
_ELSEWHERE = {
    "Generator": "ops.common.random",
    "vmap": "func",
    "compile": "nn.compiling",
    "GradScaler": "amp",
    "AcceleratorError": "accelerator",
    "OutOfMemoryError": "accelerator",
    **dict.fromkeys(("SymBool", "SymFloat", "SymInt"), "types"),
    **dict.fromkeys(
        (
            "autocast",
            "autocast_decrement_nesting",
            "autocast_increment_nesting",
            "clear_autocast_cache",
            "get_autocast_dtype",
            "is_autocast_cache_enabled",
            "is_autocast_enabled",
            "set_autocast_cache_enabled",
            "set_autocast_dtype",
            "set_autocast_enabled",
        ),
        "amp.autocast_mode",
    ),
    **dict.fromkeys(
        (
            "get_autocast_cpu_dtype",
            "get_autocast_gpu_dtype",
            "get_autocast_ipu_dtype",
            "get_autocast_xla_dtype",
            "is_autocast_cpu_enabled",
            "is_autocast_ipu_enabled",
            "is_autocast_xla_enabled",
            "set_autocast_cpu_dtype",
            "set_autocast_cpu_enabled",
            "set_autocast_gpu_dtype",
            "set_autocast_ipu_dtype",
            "set_autocast_ipu_enabled",
            "set_autocast_xla_dtype",
            "set_autocast_xla_enabled",
        ),
        "amp.old",
    ),
    **dict.fromkeys(("save", "load"), "serialization"),
    **dict.fromkeys(
        ("default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"), "random"
    ),
}
_DEVICES = ("mps", "xpu", "mtia", "cpu")


def __getattr__(name: str) -> object:
    if name in _FUNCTIONS and not name.startswith(_SPECIAL):
        found = _FUNCTIONS[name]
    elif name in _MODULES:
        try:
            return _import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'") from None
    elif name in _ELSEWHERE:
        found = getattr(_import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)
    elif name == "Storage":  # that of the default dtype
        return _typed_storage.STORAGES[_typed_storage.storage_name(_dtypes.get_default_dtype())]
    elif name in _DEVICES:
        return _import_module(f"{__name__}.backends").DEVICES[name]
    elif name in ("load_ipython_extension", "unload_ipython_extension"):  # %load_ext autogradlab
        return getattr(_import_module(f"{__name__}.inspectors.extension"), name)
    elif name == "torch":  # PyTorch's module imports itself
        found = _import_module(__name__)
    elif name == "__all__":
        return [n for n in __dir__() if not n.startswith("_")]
    elif name.startswith("_"):
        found = _import_module(f"{__name__}.ops.foreach").find(name) if name.startswith("_foreach_") else None
        if found is None:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    else:
        found = _import_module(f"{__name__}.nn.namespace").find(name)
    _attach("", {name: found})
    globals()[name] = found
    return found


_types.find = __getattr__
_types.operator = lambda name: _import_module(f"{__name__}.library.aten").find(name)
_overriding.on_first_override.arm = lambda: _import_module(f"{__name__}.overrides").arm()
_dtypes.on_first_bare = lambda: _import_module(f"{__name__}.ops.table.kernelless").arm()
_dispatching.on_first_mode.arm = lambda: _import_module(f"{__name__}.ops.table.asking").arm()


def __dir__() -> list[str]:
    from importlib.util import find_spec

    names = _import_module(f"{__name__}.nn.namespace").NAMES
    functions = (n for n in (*_FUNCTIONS, *_FUNCTIONS.late) if not n.startswith(_SPECIAL))
    return sorted(
        {
            *globals(),
            "Storage",
            *functions,
            *_ELSEWHERE,
            *_DEVICES,
            *names,
            *(m for m in _MODULES if find_spec(f"{__name__}.{m}")),
        }
    )
