"""Shapes that meet: the rules of broadcasting, worked out for any number of operands; plain arithmetic on tuples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

__all__ = ["Meeting", "fits", "insertions", "meet", "sum_back"]

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """How shapes meet. `result` is None where they do not fit; `clash` is the dimension then, counted from the left,
    and `pair` the two sizes that PyTorch's message names."""

    padded: tuple[Shape, ...]
    result: Shape | None
    clash: int | None = None
    pair: tuple[int, int] = (0, 0)


def meet(shapes: Sequence[Shape]) -> Meeting:
    """Pad with ones on the left; each dimension must be equal or one."""
    rank = max((len(s) for s in shapes), default=0)
    padded = tuple((1,) * (rank - len(s)) + s for s in shapes)
    so_far: Shape = (1,) * rank
    for one in padded:  # two at a time, as a + b + c is computed
        for k in reversed(range(rank)):
            if so_far[k] != one[k] and 1 not in (so_far[k], one[k]):
                return Meeting(padded, None, k, (so_far[k], one[k]))
        so_far = tuple(b if a == 1 else a for a, b in zip(so_far, one, strict=True))
    return Meeting(padded, so_far)


def fits(*shapes: Shape) -> bool:
    return meet(shapes).result is not None


def sum_back(shape: Shape, result: Shape) -> str:
    """The expression that brings a gradient `g` of the result's shape to an operand's: "g.sum(0)"."""
    extra = len(result) - len(shape)
    if extra and not shape:
        return "g.sum()"
    kept = [k for k, n in enumerate(shape) if n == 1 and result[k + extra] != 1]
    code = "g"
    if extra:
        code += f".sum({_dims(list(range(extra)))})"
    if kept:
        code += f".sum({_dims(kept)}, keepdim=True)"
    return code


def _dims(dims: list[int]) -> str:
    return str(dims[0]) if len(dims) == 1 else f"({', '.join(map(str, dims))})"


def insertions(shape: Shape, other: Shape) -> Iterator[str]:
    """Indices with None that make a shape fit another one: "[:, None]".
    First those that leave the other's shape as it is."""
    rank = len(other)
    found = []
    for more in range(1, max(0, rank - len(shape)) + 1):
        total = len(shape) + more
        for places in combinations(range(total), more):
            sizes = iter(shape)
            wide = tuple(1 if k in places else next(sizes) for k in range(total))
            made = meet([other, wide]).result
            if made is not None:
                index = ", ".join("None" if k in places else ":" for k in range(total))
                found.append((made != other, more, index))
    for _, _, index in sorted(found, key=lambda f: f[:2]):
        yield f"[{index}]"
