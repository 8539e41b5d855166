"""What happens in a backward pass, event by event, as plain facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..parts import Grid
from ..values import corner, grid, has_nan, shape, short
from .samples import whole

__all__ = ["Accumulated", "Amount", "Event", "Failed", "HookRan", "NodeRan", "RootEnters", "Summed", "amount"]

#: numbers of a gradient that are kept with its text, to calculate with; rows and columns of its picture
KEPT, MOST = 1024, 12


@dataclass(frozen=True, slots=True)
class Amount:
    """A gradient at one moment: its text, its shape, its numbers if they are few, and as rows and columns."""

    text: str
    shape: str
    numbers: tuple[Any, ...] | None = None
    nan: bool = False  #: whether a NaN is among its numbers
    grid: Grid | None = None

    @property
    def count(self) -> int:
        product = 1
        for size in self.shape.strip("(),").split(","):
            product *= int(size) if size.strip() else 1
        return product

    @property
    def rank(self) -> int:
        return sum(bool(size.strip()) for size in self.shape.strip("()").split(","))


@dataclass(frozen=True, slots=True)
class RootEnters:
    """The gradient of a root enters input `number` of `node`. given: it was passed, not the implicit 1."""

    root: str
    node: str
    number: int
    amount: Amount
    given: bool


@dataclass(frozen=True, slots=True)
class HookRan:
    """A hook ran. kind: "tensor", "post_accumulate"; "pre" and "post" of a Node ("post_leaf" of an AccumulateGrad),
    told where they changed something; "node" for one that could not be listed. `number`: of an output of the Node;
    for "post", of an edge.
    """

    kind: str
    node: str
    number: int
    owner: str
    name: str
    before: Amount | None
    after: Amount | None  #: None: it returned None and changed nothing, or cleared `.grad`
    cleared: bool = False  #: it set `.grad` to None, or let nothing go on
    alike: bool = False  #: what it returned are the same numbers


@dataclass(frozen=True, slots=True)
class NodeRan:
    """A Node turned the gradients of its outputs into those of its inputs. frees: the tensors that it lets go."""

    node: str
    incoming: tuple[Amount | None, ...]
    outgoing: tuple[Amount | None, ...]
    frees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summed:
    """All gradients of one tensor have arrived and are added up."""

    node: str
    number: int
    parts: tuple[Amount, ...]
    total: Amount


@dataclass(frozen=True, slots=True)
class Accumulated:
    """`.grad` got what arrived: a leaf's by its AccumulateGrad; a non-leaf's (`retained`) before its Node runs."""

    node: str
    before: Amount | None
    incoming: Amount | None
    after: Amount | None
    number: int = 0
    retained: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The pass stopped with an error. node: where, None if it had not begun. during: "node" or "hook"."""

    node: str | None
    error: str
    message: str
    during: str = "node"
    hook: str = ""


Event = RootEnters | HookRan | NodeRan | Summed | Accumulated | Failed


def amount(tensor: Any) -> Amount:
    plain = whole(tensor)
    numbers = None
    if plain.numel() <= KEPT:
        try:
            numbers = tuple(plain.reshape(-1).tolist())
        except Exception:  # sparse and the like: the text says its shape
            numbers = None
    rows = grid(plain, "", most=MOST, heated=False)
    text = short(plain)
    if plain.numel() and text.startswith(shape(plain)):
        text = corner(rows, text, len(plain.shape))
    return Amount(text, shape(plain), numbers, has_nan(plain), rows)
