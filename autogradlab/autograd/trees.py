"""Nested tuples, lists and dicts of tensors, which functional transforms take and give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["flat", "like", "sketch", "spread_over", "structure"]


def flat(tree: Any) -> list[Any]:
    """The leaves of nested tuples, lists and dicts, in order."""
    if isinstance(tree, dict):
        return [t for key in sorted(tree) for t in flat(tree[key])]
    if isinstance(tree, (tuple, list)):
        return [t for item in tree for t in flat(item)]
    return [tree]


def like(tree: Any, leaves: Any) -> Any:
    """The same nesting with other leaves, taken from an iterator."""
    if isinstance(tree, dict):
        made = {key: like(tree[key], leaves) for key in sorted(tree)}
        return type(tree)((key, made[key]) for key in tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(like(item, leaves) for item in tree))
    if isinstance(tree, (tuple, list)):
        return type(tree)([like(item, leaves) for item in tree])
    return next(leaves)


class _Leaf:
    def __repr__(self) -> str:
        return "*"


def _leaves() -> Iterator[_Leaf]:
    while True:
        yield _Leaf()


def sketch(tree: Any) -> str:
    """The nesting as Python writes it, with a star for each leaf."""
    return repr(like(tree, _leaves()))


def structure(tree: Any, indent: int = 0) -> str:
    """The nesting as PyTorch's messages write it: ``TreeSpec(tuple, None, [*])``."""
    if isinstance(tree, dict):
        about, children = str(sorted(tree)), [tree[key] for key in sorted(tree)]
    elif isinstance(tree, (tuple, list)):
        about, children = "None", list(tree)
    else:
        return "*"
    indent += 2
    inner = (",\n" + " " * indent).join(structure(child, indent) for child in children)
    return f"TreeSpec({type(tree).__name__}, {about}, [{inner}])"


def spread_over(tree: Any, other: Any) -> list[Any] | None:
    """A leaf of `tree` for each leaf of `other`, where one may stand for a whole branch; None where they do not fit."""
    if not isinstance(tree, (dict, tuple, list)):
        return [tree] * len(flat(other))
    if type(tree) is not type(other) or len(tree) != len(other):
        return None
    pairs: list[tuple[Any, Any]]
    if isinstance(tree, dict):
        if set(tree) != set(other):
            return None
        pairs = [(tree[key], other[key]) for key in sorted(tree)]
    else:
        pairs = list(zip(tree, other, strict=True))
    found: list[Any] = []
    for one, part in pairs:
        leaves = spread_over(one, part)
        if leaves is None:
            return None
        found += leaves
    return found
