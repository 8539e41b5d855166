"""The layers, by family (mirrors `torch.nn.modules`)."""

from __future__ import annotations

from typing import Any

from ...core.runtime.naming import place
from . import (
    activation,
    adaptive,
    attention,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    lazy,
    linear,
    linear_cross_entropy_options,
    loss,
    module,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
    utils,
)

_FAMILIES = (
    activation,
    adaptive,
    attention,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    lazy,
    linear,
    linear_cross_entropy_options,
    loss,
    module,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
)


def _named_as_pytorch() -> dict[str, Any]:
    """All layers, with `__module__` as PyTorch prints it, whatever this package is called."""
    found: dict[str, Any] = {}
    package = __name__.partition(".")[0]
    for family in _FAMILIES:
        for value in vars(family).values():
            if isinstance(value, type) and value.__module__.startswith(package):
                place(value, "torch" + value.__module__[len(package) :])
        for name in family.__all__:
            found[name] = getattr(family, name)
    return found


_all = _named_as_pytorch()
globals().update(_all)
__all__ = [*_all]
