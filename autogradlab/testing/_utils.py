"""Contexts of tests (mirrors `torch.testing._utils`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import random

__all__ = ["freeze_rng_state", "wrapper_set_seed"]


@contextmanager
def freeze_rng_state() -> Iterator[None]:
    """After this context random numbers go on as if it had drawn none.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.testing._utils import freeze_rng_state
        >>> with freeze_rng_state():
        ...     first = torch.rand(2)
        ...
        >>> torch.equal(first, torch.rand(2))
        True
    """
    state = random.get_rng_state()
    try:
        yield
    finally:
        random.set_rng_state(state)


def wrapper_set_seed(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function with the seed 42; the random numbers after it are what they were to be.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.testing._utils import wrapper_set_seed
        >>> torch.equal(wrapper_set_seed(torch.rand, 2), wrapper_set_seed(torch.rand, 2))
        True
    """
    with freeze_rng_state():
        random.manual_seed(42)
        return op(*args, **kwargs)
