"""Seeding and saving the default generator (mirrors `torch.random`)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .core.random.generator import default_generator, initial_seed, manual_seed, seed
from .core.types.device import device, require_cpu
from .ops.common.random import get_rng_state, set_rng_state

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@contextlib.contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Restore the state of the default generator at the end of the block.

    >>> import autogradlab as torch
    >>> _ = torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    ...     _ = torch.rand(3)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    if device_type == "meta":
        yield
        return
    kind = device(device_type).type
    if not enabled:
        yield
        return
    if devices:
        require_cpu(kind)
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
