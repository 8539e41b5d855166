"""Numbers as tuples, and names of a state_dict without a prefix (mirrors `torch.nn.modules.utils`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...ops.table.families import FUNCTIONS

__all__ = ["consume_prefix_in_state_dict_if_present"]


#: of which the first values of Parameters and buffers are made: as programs call them, so that modes hear of it
empty, zeros, ones = (FUNCTIONS[name] for name in ("empty", "zeros", "ones"))


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """The function that takes an iterable as it is, and any other value n times."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Any, n: int) -> tuple[Any, ...]:
    """From the last to the first, each n times, as F.pad takes paddings."""
    return tuple(x for x in reversed(t) for _ in range(n))


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Takes a prefix off the names of a state_dict, in place, as `module.` of one that DataParallel has saved.

    Example:
        >>> from autogradlab.nn.modules.utils import consume_prefix_in_state_dict_if_present
        >>> names = {'module.weight': 1, 'bias': 2}
        >>> consume_prefix_in_state_dict_if_present(names, 'module.')
        >>> names
        {'bias': 2, 'weight': 1}

    Mirrors `torch.nn.modules.utils.consume_prefix_in_state_dict_if_present`.
    """
    for name in [n for n in state_dict if n.startswith(prefix)]:
        state_dict[name.removeprefix(prefix)] = state_dict.pop(name)
    metadata: dict[str, Any] = getattr(state_dict, "_metadata", {})
    for name in [n for n in metadata if n and (n == prefix.replace(".", "") or n.startswith(prefix))]:
        metadata[name[len(prefix) :]] = metadata.pop(name)
