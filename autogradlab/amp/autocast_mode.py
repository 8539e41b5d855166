"""Autocast: some operations compute in a smaller dtype, others in float32 (mirrors `torch.amp.autocast_mode`).

PyTorch casts between a function and its kernel. So it is here: functions that ask (`core/tensor/overriding.py`) hand
their calls to the `Casting` of their thread, if there is one. Inside of an operation that was cast nothing is cast
again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial, wraps
from importlib.util import find_spec
from typing import Any, Literal

from ..core.arguments.declared import cast_of
from ..core.arguments.signature import Signatures
from ..core.runtime import modes
from ..core.runtime.naming import by_name
from ..core.tensor import overriding
from ..core.tensor.tensor import Tensor
from ..core.types.device import device
from ..core.types.dtypes import bfloat16, dtype, float16, float32, float64

__all__ = [
    "autocast",
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "custom_bwd",
    "custom_fwd",
    "get_autocast_dtype",
    "is_autocast_available",
    "is_autocast_cache_enabled",
    "is_autocast_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
]

#: the smaller dtype of the CPU; there are tensors of bfloat16 where the package ml_dtypes is
_SMALL = float16 if find_spec("ml_dtypes") is None else bfloat16
_DTYPES = (
    "In {0} autocast, but the target dtype is not supported. Disabling autocast.\n"
    "{0} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
)
_IS_ENABLED = Signatures("is_autocast_enabled", "is_autocast_enabled(str device_type)", "is_autocast_enabled()")
_SET_ENABLED = Signatures(
    "set_autocast_enabled",
    "set_autocast_enabled(str device_type, bool enabled)",
    "set_autocast_enabled(bool enabled)",
)
_GET_DTYPE = Signatures("get_autocast_dtype", "get_autocast_dtype(str device_type)")
_SET_DTYPE = Signatures("set_autocast_dtype", "set_autocast_dtype(str device_type, ScalarType dtype)")
#: devices that can cast, as far as PyTorch knows
_AVAILABLE = {"cpu", "cuda", "mtia", "maia", "xpu", "ipu", "hpu", "xla", "privateuseone", "mps"}
#: those whose smaller dtype is bfloat16
_SMALL_BY_DEFAULT = {"cpu", "hpu", "maia", "xla"}


#: how the names of a namespace begin where they are declared
_PREFIXES = {"torch.linalg": "linalg_", "torch.fft": "fft_", "torch.special": "special_"}


@cache
def _policy(name: str) -> str | None:
    """What is done with the arguments of a function, by its full name: "lower_precision" casts them to the smaller
    dtype, "fp32" to float32, "promote" to the widest dtype among them."""
    space, _, short = name.rpartition(".")
    return cast_of(_PREFIXES.get(space, "") + short)


class _Settings:
    """What a thread has set: for which devices autocast is on, and their dtypes."""

    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes: dict[str, dtype] = {}
        self.cache = True
        self.nesting = 0

    def dtype_of(self, kind: str) -> dtype:
        if kind not in _AVAILABLE:
            raise RuntimeError("unsupported scalarType")
        return self.dtypes.get(kind) or (_SMALL if kind in _SMALL_BY_DEFAULT else float16)


class Casting:
    """Casts the arguments of a thread's calls, while autocast is on for the CPU."""

    def __init__(self) -> None:
        self.settings = _Settings()
        #: parameters that were cast, by their id, with what they became
        self.cast: dict[int, tuple[Tensor, Tensor]] = {}

    def through(self, name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function, its arguments cast as its declaration says."""
        policy = _policy(name)
        if policy is None or kwargs.get("out") is not None:
            return call(*args, **kwargs)
        state = modes.LOCAL.state
        state.casting = None
        try:
            wanted = self._wanted(policy, args)
            # the last first, as PyTorch's compiler has it: a backward runs their Nodes in the opposite order
            kwargs = {key: self._to(kwargs[key], wanted) for key in reversed(kwargs)}
            args = tuple([self._to(arg, wanted) for arg in reversed(args)][::-1])
            return call(*args, **kwargs)
        finally:
            state.casting = self

    def over(self, namespace: Any) -> _Within:
        """A namespace of operations whose arguments are cast."""
        return _Within(self, namespace)

    def _wanted(self, policy: str, args: tuple[Any, ...]) -> dtype | None:
        if policy != "promote":
            return float32 if policy == "fp32" else self.settings.dtype_of("cpu")
        given = {t.dtype for arg in args for t in (arg if isinstance(arg, (list, tuple)) else [arg]) if _castable(t)}
        return float32 if float32 in given else None

    def _to(self, arg: Any, wanted: dtype | None) -> Any:
        if type(arg) is list or type(arg) is tuple:
            return type(arg)(self._to(each, wanted) for each in arg)
        if wanted is None or not _castable(arg) or arg.dtype is wanted:
            return arg
        keeps = self.settings.cache and wanted is not float32 and arg.dtype is float32
        if not (keeps and arg.requires_grad and arg.is_leaf and not arg._is_view()):
            return arg.to(wanted)
        if id(arg) not in self.cast:
            self.cast[id(arg)] = arg, arg.to(wanted)
        return self.cast[id(arg)][1]


class _Within:
    """The operations of a namespace, cast."""

    def __init__(self, casting: Casting, namespace: Any) -> None:
        self._casting, self._namespace = casting, namespace

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._namespace, name)
        return lambda *args, **kwargs: self._casting.through(f"torch.{name}", call, args, kwargs)


def _castable(arg: Any) -> bool:
    return isinstance(arg, Tensor) and arg.dtype.is_floating_point and arg.dtype is not float64


def _casting() -> Casting:
    """The Casting of this thread, at work or not."""
    state = modes.LOCAL.state
    if state.casts is None:
        state.casts = Casting()
    found: Casting = state.casts
    return found


class autocast:
    """Computes products, convolutions and layers made of them in a smaller dtype, losses and the like in float32.

    Note: it is a context, and a decorator of functions.

    Example:
        >>> import autogradlab as torch
        >>> with torch.autocast("cpu", dtype=torch.float16):
        ...     print((torch.ones(2, 2) @ torch.ones(2, 2)).dtype, torch.ones(2).exp().dtype)
        ...
        torch.float16 torch.float32

    Mirrors `torch.amp.autocast`.
    """

    __reduce_ex__ = by_name
    __module__ = "torch.amp.autocast_mode"

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        _require_name(device_type)
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (bfloat16, float16):
            warnings.warn(_DTYPES.format(device_type.upper()), stacklevel=2)
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        settings = _casting().settings
        self._before = settings.enabled.get(self.device, False), settings.dtype_of(self.device), settings.cache
        set_autocast_enabled(self.device, self._enabled)
        set_autocast_dtype(self.device, self.fast_dtype)
        settings.nesting += 1
        settings.cache = self._cache_enabled
        return self

    def __exit__(self, *error: Any) -> Literal[False]:
        """By assignments alone: where a call fails or is interrupted, the rest would stay as it is in the block."""
        state = modes.LOCAL.state
        casting: Casting = state.casts or _casting()  # the latter in a thread that has not entered
        settings = casting.settings
        settings.enabled[self.device], settings.dtypes[self.device], settings.cache = self._before
        settings.nesting -= 1
        if self.device == "cpu":
            state.casting = casting if settings.enabled["cpu"] else None
        if not settings.nesting:
            casting.cast = {}
        return False

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )

        @wraps(func)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return decorated


def _require_name(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def is_autocast_available(device_type: str) -> bool:
    """Whether a kind of device can cast.

    Example:
        >>> import autogradlab as torch
        >>> torch.amp.is_autocast_available("cpu")
        True

    Mirrors `torch.amp.is_autocast_available`.
    """
    return device(device_type).type in _AVAILABLE


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether operations choose their dtypes on a device; without one, on a GPU.

    Example:
        >>> import autogradlab as torch
        >>> torch.is_autocast_enabled("cpu")
        False

    Mirrors `torch.is_autocast_enabled`.
    """
    _IS_ENABLED.bind((device_type,), {})
    return _casting().settings.enabled.get(device(device_type).type, False)


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Switch autocast on or off for a device; without one, for a GPU. `torch.autocast` does it for a block.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_autocast_enabled("cpu", False)
        >>> torch.is_autocast_enabled("cpu")
        False

    Mirrors `torch.set_autocast_enabled`.
    """
    _, values = _SET_ENABLED.bind((device_type,) if enabled is None else (device_type, enabled), {})
    kind, enabled = device(values.get("device_type", "cuda")).type, values["enabled"]
    casting = _casting()
    casting.settings.enabled[kind] = enabled
    if kind == "cpu":
        if enabled:
            overriding.on_first_override.arm()
        modes.LOCAL.state.casting = casting if enabled else None


def get_autocast_dtype(device_type: str) -> dtype:
    """The smaller dtype of a device.

    Example:
        >>> import autogradlab as torch
        >>> torch.get_autocast_dtype("cpu")
        torch.bfloat16

    Mirrors `torch.get_autocast_dtype`.
    """
    _GET_DTYPE.bind((device_type,), {})
    return _casting().settings.dtype_of(device(device_type).type)


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Say which is the smaller dtype of a device. `torch.autocast` does it for a block.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
        >>> torch.get_autocast_dtype("cpu")
        torch.bfloat16

    Mirrors `torch.set_autocast_dtype`.
    """
    _SET_DTYPE.bind((device_type, dtype), {})
    _casting().settings.dtypes[device(device_type).type] = dtype


def is_autocast_cache_enabled() -> bool:
    """Whether a parameter is cast once in a block, and not at each use.

    Example:
        >>> import autogradlab as torch
        >>> torch.is_autocast_cache_enabled()
        True

    Mirrors `torch.is_autocast_cache_enabled`.
    """
    return _casting().settings.cache


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Say whether a parameter is cast once in a block.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_autocast_cache_enabled(True)
        >>> torch.is_autocast_cache_enabled()
        True

    Mirrors `torch.set_autocast_cache_enabled`.
    """
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    _casting().settings.cache = enabled


def clear_autocast_cache() -> None:
    """Forget what parameters were cast to: the block casts each again at its next use.

    Example:
        >>> import autogradlab as torch
        >>> w, x = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
        >>> with torch.autocast("cpu", dtype=torch.float16):
        ...     y = x @ w
        ...     torch.clear_autocast_cache()
        ...     print((x @ w).dtype)
        ...
        torch.float16

    Mirrors `torch.clear_autocast_cache`.
    """
    _casting().cast.clear()


def autocast_increment_nesting() -> int:
    """Enter a block of autocast; returns how many are entered.

    Example:
        >>> import autogradlab as torch
        >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
        (1, 0)

    Mirrors `torch.autocast_increment_nesting`.
    """
    settings = _casting().settings
    settings.nesting += 1
    return settings.nesting


def autocast_decrement_nesting() -> int:
    """Leave a block of autocast; returns how many are entered.

    Example:
        >>> import autogradlab as torch
        >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
        (1, 0)

    Mirrors `torch.autocast_decrement_nesting`.
    """
    settings = _casting().settings
    settings.nesting -= 1
    return settings.nesting


def _cast_inputs(value: Any, kind: str, wanted: dtype) -> Any:
    if isinstance(value, Tensor):
        return value.to(wanted) if value.device.type == kind and _castable(value) else value
    if isinstance(value, dict):
        return {_cast_inputs(k, kind, wanted): _cast_inputs(v, kind, wanted) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast_inputs(v, kind, wanted) for v in value)
    return value


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: dtype | None = None) -> Any:
    """For the forward of a Function: it runs as around it, or with its floating point inputs cast and without autocast.

    Example:
        >>> import autogradlab as torch
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        ...     def forward(ctx, x):
        ...         return x * x
        ...
        >>> Square.apply(torch.ones(2))
        tensor([1., 1.])

    Mirrors `torch.amp.custom_fwd`.
    """
    _require_name(device_type)
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        ctx, enabled = args[0], is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast_inputs(args, device_type, cast_inputs), **_cast_inputs(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """For the backward of a Function whose forward has `custom_fwd`: autocast is as it was there.

    Example:
        >>> import autogradlab as torch
        >>> torch.amp.custom_bwd(lambda ctx, grad: grad, device_type="cpu").__name__
        '<lambda>'

    Mirrors `torch.amp.custom_bwd`.
    """
    _require_name(device_type)
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return decorated
