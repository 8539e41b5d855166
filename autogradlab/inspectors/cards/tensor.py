"""The card of one tensor or NumPy array, as `show` and `watch` have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..parts import Badge, Block, Card, Facts, Note, Tone
from ..prose import code
from ..snapshot.identity import mark
from ..snapshot.names import Names
from ..snapshot.origins import Origin, place
from ..snapshot.reasons import advice, lead
from ..snapshot.tensors import ArrayFacts, TensorFacts, array_facts, tensor_facts
from ..values import grid
from ..words import language, say

__all__ = ["array_card", "tensor_card", "yes"]

#: a source expression longer than this is cut
LONG = 72


def yes(answer: bool) -> str:
    return "✓" if answer else "✗"


def _cut(source: str) -> str:
    return source if len(source) <= LONG else source[: LONG - 1].rstrip() + "…"


def _made(made: Origin | None, name: str) -> tuple[Facts, ...]:
    """Where something was made: below the other facts, since expressions are long. An argument is made elsewhere."""
    if made is None or made.source == name:
        return ()
    return (Facts(((say("show.made_by"), _cut(made.source)), (say("show.made_at"), place(made)))),)


def tensor_card(tensor: Any, name: str, names: Names, space: Mapping[str, Any] | None, brief: bool = False) -> Card:
    """The card; a brief one leaves out what is in its heading, and what is as it mostly is."""
    facts = tensor_facts(tensor, name, names, space)
    return Card(
        "show",
        title=code(name),
        subtitle=" ".join(filter(None, ["" if facts.kind == "Tensor" else facts.kind, facts.dtype, facts.shape])),
        badges=_badges(facts),
        blocks=tuple(_blocks(tensor, facts, brief)),
        lang=language(),
        tensor=mark(tensor, name),
    )


def _badges(facts: TensorFacts) -> tuple[Badge, ...]:
    badges = [
        Badge(f"is_leaf {yes(facts.is_leaf)}", "leaf" if facts.is_leaf and facts.requires_grad else "muted"),
        Badge(f"requires_grad {yes(facts.requires_grad)}", "node" if facts.requires_grad else "muted"),
        Badge(f"grad_fn {facts.node}", "node" if facts.node else "muted"),
    ]
    if facts.retains_grad:
        badges.append(Badge("retains_grad ✓", "saved"))
    if facts.hooks:
        badges.append(Badge(say("show.hook_count", count=len(facts.hooks)), "hook"))
    return tuple(badges)


def _blocks(tensor: Any, facts: TensorFacts, brief: bool) -> list[Block]:
    """What one asks first comes first: the values, the gradient or why there is none; then the rest."""
    blocks: list[Block] = [grid(tensor, say("show.values"))]
    if facts.has_grad:
        blocks.append(grid(tensor.grad, say("show.grad"), "gradient"))
    if facts.odd:
        blocks.append(Note(say("show.not_finite", odd=_odd(facts.odd)), "warning"))
    if facts.grad_odd:
        blocks.append(Note(say("show.grad_not_finite", odd=_odd(facts.grad_odd)), "warning"))
    if not facts.has_grad:
        blocks.append(_why(facts))
    return [*blocks, Facts(tuple(_rows(facts, brief))), *_made(facts.made, facts.name)]


def _odd(counts: tuple[tuple[str, int], ...]) -> str:
    """How many elements are not finite, of each kind that there is."""
    kinds = [say("show.odd", count=f"{count:,}", kind=kind) for kind, count in counts]
    return say("common.list").join(kinds)


def _why(facts: TensorFacts) -> Note:
    """Why `.grad` is None, and the cure; loud only where a gradient could be expected."""
    tone: Tone = "gradient" if facts.requires_grad or facts.made is not None and facts.reason.kind in _CUT else "muted"
    return Note(advice(facts.reason), tone, lead(facts.reason))


_CUT = ("detached", "numbers", "outside", "no_grad", "inference")


def _rows(facts: TensorFacts, brief: bool) -> list[tuple[str, str]]:
    rows = [] if brief else [(say("show.shape"), facts.shape), (say("show.dtype"), facts.dtype)]
    if facts.strides is not None:
        kept = say("show.contiguous" if facts.contiguous else "show.not_contiguous")
        rows.append((say("show.stride"), f"{facts.strides} {kept}"))
    if facts.version is not None:
        rows.append((say("show.version"), str(facts.version)))
    if facts.nbytes is not None:
        rows.append((say("show.storage"), _storage(facts)))
        if facts.shares or not brief:
            rows.append((say("show.shares"), _names(facts.shares)))
    if facts.base is not None:
        rows.append((say("show.view_of"), facts.base if facts.base else say("show.nameless")))
    if facts.device != "cpu" or not brief:
        rows.append((say("show.device"), facts.device))
    if facts.hooks:
        rows.append((say("show.hooks"), ", ".join(facts.hooks)))
    return rows


def _storage(facts: TensorFacts) -> str:
    own = say("show.own" if not facts.shares and facts.base is None else "show.shared", bytes=f"{facts.nbytes:,}")
    return own if not facts.offset else say("show.with_offset", storage=own, offset=facts.offset)


def _names(names: tuple[str, ...]) -> str:
    return say("common.list").join(names) if names else say("show.nobody")


def array_card(array: Any, name: str, names: Names, space: Mapping[str, Any] | None) -> Card:
    facts = array_facts(array, name, names, space)
    return Card(
        "show",
        title=code(name),
        subtitle=f"numpy.ndarray {facts.dtype} {facts.shape}",
        badges=(Badge(say("show.no_autograd"), "muted"),),
        blocks=(
            grid(array, say("show.values")),
            _array_note(facts),
            Facts(tuple(_array_rows(facts))),
            *_made(facts.made, facts.name),
        ),
        lang=language(),
    )


def _array_rows(facts: ArrayFacts) -> list[tuple[str, str]]:
    kept = say("show.contiguous" if facts.contiguous else "show.not_contiguous")
    return [
        (say("show.shape"), facts.shape),
        (say("show.dtype"), facts.dtype),
        (say("show.byte_strides"), f"{facts.strides} {kept}"),
        (
            say("show.storage"),
            say("show.own" if facts.owns and not facts.shares else "show.shared", bytes=f"{facts.nbytes:,}"),
        ),
        (say("show.shares"), _names(facts.shares)),
        (say("show.writeable"), yes(facts.writeable)),
    ]


def _array_note(facts: ArrayFacts) -> Note:
    return Note(say("show.array_shared" if facts.shares else "show.array"), "muted")
