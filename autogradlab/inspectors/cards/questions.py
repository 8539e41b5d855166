"""What a learner may be asked before a step is shown. Answers come from what the engine did, never from a key of
ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..parts import Ask
from ..snapshot.events import Amount
from ..snapshot.rules import Plain
from ..words import say
from .worked import array, factors

__all__ = ["asked_edge", "asked_grad", "asked_next"]

#: numbers of a gradient that one types
TYPED = 3


def asked_next(node: str, items: Sequence[str], cls: str, left: int) -> list[Ask]:
    """Which Node runs next? Nothing is asked where but one is left."""
    return [Ask("next", say("step.ask_next"), tuple(items), shown=cls)] if left > 2 else []


def asked_edge(to: str, g: Amount, kept: Mapping[str, Amount], out: Amount, formula: str) -> list[Ask]:
    """What goes on along an edge: as a number, or the factor that makes it. `formula`: "" where it goes on as it is."""
    if not _typed(out):
        return []
    choices = tuple(factors(g, kept, out))
    start = f"{g.text} ×" if choices else ""
    said = f"{formula} = {out.text}" if formula else out.text
    said = say("step.plain_value", rule=formula, value=out.text) if isinstance(formula, Plain) else said
    return [Ask("edge", say("step.ask_edge", name=to), _numbers(out), choices, said, start)]


def asked_grad(name: str, after: Amount | None) -> list[Ask]:
    """What `.grad` is now."""
    if after is None or not _typed(after):
        return []
    return [Ask("grad", say("step.ask_grad", name=name), _numbers(after), shown=after.text)]


def _typed(amount: Amount) -> bool:
    found = array(amount)
    return found is not None and 0 < found.size <= TYPED and found.dtype.kind in "fiu"


def _numbers(amount: Amount) -> tuple[str, ...]:
    return tuple(repr(float(n)) for n in amount.numbers or ())
