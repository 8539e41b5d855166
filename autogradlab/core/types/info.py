"""Limits of number types (mirrors `torch.finfo` and `torch.iinfo`)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..arguments.signature import Signatures
from . import dtypes
from .dtypes import dtype
from .native import Native

__all__ = ["finfo", "iinfo"]

_NO_FLOAT = "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
_SIGNATURES = {
    "finfo": Signatures("finfo", "finfo(ScalarType type)", "finfo()"),  # without a type: the default dtype
    "iinfo": Signatures("iinfo", "iinfo(ScalarType type)"),
}


def _given(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dtype:
    _, values = _SIGNATURES[name].bind(args, kwargs)
    found: dtype = values["type"]
    return found


class _Info(metaclass=Native):
    __slots__ = ("_numpy", "_of", "bits", "dtype", "max", "min")
    __module__ = "torch"

    _numpy: Any
    _of: dtype
    bits: int
    dtype: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Info) and type(other) is type(self) and other._of is self._of

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: 'torch.{type(self).__name__}'")

    def __setattr__(self, name: str, value: Any) -> None:
        kind = f"torch.{type(self).__name__}"
        if not hasattr(self, name):
            raise AttributeError(f"'{kind}' object has no attribute '{name}'")
        raise AttributeError(f"attribute '{name}' of '{kind}' objects is not writable")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle 'torch.{type(self).__name__}' object")

    def _hold(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


class finfo(_Info, final=True):
    """The limits of a float dtype: eps, max, min, tiny, resolution, bits.
    Errors: TypeError for other types.

    Example:
        >>> import autogradlab as torch
        >>> torch.finfo(torch.float32).eps
        1.1920928955078125e-07
        >>> torch.finfo(torch.float16).max
        65504.0

    Mirrors `torch.finfo`.
    """

    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")
    __module__ = "torch"

    eps: float
    max: float
    min: float
    resolution: float
    smallest_normal: float
    tiny: float

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kind = _given("finfo", args, kwargs) if args or kwargs else dtypes.get_default_dtype()
        if not (kind.is_floating_point or kind.is_complex):
            raise TypeError(_NO_FLOAT)
        kind = kind.to_real()
        largest, least, eps, tiny, resolution = _limits(kind)
        self._hold(
            _of=kind,
            bits=8 * kind.itemsize,
            dtype=kind.name,
            max=largest,
            min=least,
            eps=eps,
            smallest_normal=tiny,
            tiny=tiny,
            resolution=resolution,
        )

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{n}={getattr(self, n):g}' for n in names)}, dtype={self.dtype})"


@cache
def _limits(kind: dtype) -> tuple[float, ...]:
    """max, min, eps, tiny and resolution of a float dtype."""
    limits: Any
    if kind.name != "bfloat16":
        limits = np.finfo(kind.numpy)
    else:
        import ml_dtypes

        limits = ml_dtypes.finfo(kind.numpy)
    largest, least, eps, tiny = map(float, (limits.max, limits.min, limits.eps, limits.tiny))
    return largest, least, eps, tiny, float(f"{float(limits.resolution):.1e}")


class iinfo(_Info, final=True):
    """The limits of an integer dtype: max, min, bits.

    Example:
        >>> import autogradlab as torch
        >>> torch.iinfo(torch.int8).max
        127

    Mirrors `torch.iinfo`.
    """

    __slots__ = ()
    __module__ = "torch"

    max: int
    min: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kind = _given("iinfo", args, kwargs)
        if kind is dtypes.bool:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if kind._category != dtypes.INTEGER:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        limits = np.iinfo(kind.numpy)
        self._hold(_of=kind, bits=8 * kind.itemsize, dtype=kind.name, max=int(limits.max), min=int(limits.min))

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
