"""`why` and `explain`: why this `.grad` is as it is, and what the last error means here."""

from __future__ import annotations

from typing import Any

from ..inspector import Inspector, present
from ..offers import switch
from ..parts import Block, Card, Facts, Note
from ..snapshot.callers import space_now
from ..snapshot.calls import arguments, bracketed
from ..snapshot.cuts import Diagnosis
from ..snapshot.doubts import doubts, of_module, of_number, of_optimizer
from ..snapshot.failing import Failure, failure, last_error
from ..snapshot.identity import mark
from ..snapshot.kinds import is_a, is_array, is_module, is_optimizer, is_tensor, type_name
from ..snapshot.mistakes import diagnose
from ..snapshot.names import names_of
from ..snapshot.origins import place
from ..words import catalogue, language, say

__all__ = ["card_of_error", "explain", "one_line", "why"]


def why(thing: Any) -> Inspector:
    """Why the `.grad` of a tensor is None, or larger than expected; the same of the parameters of an nn Module; or what
    is wrong with what an optimizer holds.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> x = torch.ones(2)
    >>> print(lab.why(x).text.splitlines()[1])
    `.grad` is None and stays None: `x` is a leaf that does not require grad (`requires_grad=False`), so backward does
    not reach it.
    """
    if is_a(thing, BaseException):
        return present(card_of_error(thing))
    space = space_now()
    names, written = names_of(space), arguments()
    spelled = written[0] if written else "t"
    lang = language()
    if is_tensor(thing):
        known = names.all(thing)
        # of several names the first one that was given, not that of a loop; of a shared parameter the one asked for
        name = spelled if not known or ("." in spelled and spelled in known) else known[0]
        blocks = _blocks(doubts(thing, name, names, space))
        return present(
            Card("why", say("why.title", name=bracketed(name)), blocks=blocks, lang=lang, tensor=mark(thing, name))
        )
    if is_module(thing):
        name = next((n for n, held in space.items() if held is thing), spelled)
        blocks = _blocks(of_module(thing, name, names, space))
        return present(Card("why", say("why.title_module", name=name), blocks=blocks, lang=lang))
    if is_optimizer(thing):
        name = next((n for n, held in space.items() if held is thing), spelled)
        blocks = _blocks(of_optimizer(thing, name, names, space))
        return present(Card("why", say("why.title_optimizer", name=name), blocks=blocks, lang=lang))
    if type(thing) in (int, float, complex, list) or is_array(thing):
        found = of_number(spelled, space)
        if found is not None:
            return present(Card("why", say("why.title", name=bracketed(spelled)), blocks=_blocks([found]), lang=lang))
    note = Note(say("why.no_tensor", type=type_name(thing)), "warning")
    return present(Card("why", "lab.why", blocks=(note,), lang=lang))


def explain(error: BaseException | bool | None = None) -> Inspector:
    """What an error means in this code: the tensor, the line, the reason, the cure. Without an argument:
    the last error.

    In IPython `explain()` also switches on that an explanation is offered below every error that autograd raises;
    `explain(False)` switches it off, and `%load_ext autogradlab` does the same as `explain()` without explaining.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> loss = (w * w).sum()
    >>> loss.backward()
    >>> try:
    ...     loss.backward()
    ... except RuntimeError as error:
    ...     print(lab.explain(error).text.splitlines()[2])
    What to do: Compute `loss` anew before each backward, or keep the graph the first time:
    `loss.backward(retain_graph=True)`.
    """
    if is_a(error, BaseException):
        assert isinstance(error, BaseException)
        return present(card_of_error(error))
    if error is not None and not is_a(error, bool):
        note = Note(say("why.no_error_given", type=type_name(error)), "warning")
        return present(Card("explain", "lab.explain", blocks=(note,), lang=language()))
    switched = switch(error is not False, offered)
    lang = language()
    if error is False:
        return present(Card("explain", "lab.explain", blocks=(Note(say("why.off")),), lang=lang))
    last = last_error()
    if last is None:
        key = "why.no_error" if switched else "why.no_error_here"
        return present(Card("explain", "lab.explain", blocks=(Note(say(key)),), lang=lang))
    return present(card_of_error(last))


def card_of_error(error: BaseException) -> Card:
    """The card for an error; where the cause is not known, it says so."""
    failed = failure(error)
    found = diagnose(failed)
    title = say("why.title_error", error=type(error).__name__)
    blocks = list(_blocks([found]))
    facts = _place(failed)
    if isinstance(last := blocks[-1], Facts):
        del blocks[-1]
        facts = Facts((*last.rows, *facts.rows))
    return Card("explain", title, blocks=(*blocks, facts), lang=language())


def one_line(error: BaseException) -> str | None:
    """The sentence for an error; None if it is none of those that are known."""
    found = diagnose(failure(error))
    return None if found.kind == "unknown" else say("why.offer", sentence=_sentence(found))


def offered(error: BaseException) -> None:
    """Show the card of an error below its cell; of errors about which nothing is known, nothing is said."""
    from IPython.display import display

    if one_line(error) is not None:
        display(present(card_of_error(error)))


# -- words for a diagnosis ---------------------------------------------------------------------------------------------


def _sentence(found: Diagnosis) -> str:
    fields = found.fields
    if found.kind in ("cut", "numbers") and fields["name"] == fields["source"]:  # an expression without a name
        return say(f"why.{found.kind}_there", **fields)
    keys = {"misfits": f"misfits.{found.kind}", "reasons": f"reasons.{found.kind}"}
    return say(keys.get(found.words, f"why.{found.kind}"), **fields)


#: what is no warning
FINE = ("once", "once_hooked", "present", "changed", "optimizer_fine", "of_parameter", "likewise", "likewise_more")


def _blocks(found: list[Diagnosis]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for one in found:
        lead = one.fields.get("lead", "")
        fine = one.kind in FINE
        blocks.append(Note(_sentence(one), "plain" if lead or fine else "warning", lead))
        blocks += _cure(one)
        if one.cause is not None and one.cause.source != one.fields.get("name"):  # else it is an argument
            blocks.append(_cause(one))
    return tuple(blocks)


def _cure(found: Diagnosis) -> list[Block]:
    words = catalogue(found.words)
    if "cure" in found.fields:
        return [Note(f"`{found.fields['cure']}`", "good", say("why.write"))]
    if "todo" in found.fields:
        return [Note(found.fields["todo"], "good", say("why.do"))] if found.fields["todo"] else []
    if f"code_{found.kind}" in words:
        return [Note(f"`{say(f'why.code_{found.kind}', **found.fields)}`", "good", say("why.write"))]
    if f"{found.kind}_cure" in words:
        keys = {"misfits": f"misfits.{found.kind}_cure", "reasons": f"reasons.{found.kind}_cure"}
        told = say(keys.get(found.words, f"why.{found.kind}_cure"), **found.fields)
        return [Note(told, "good", say("why.do"))]
    return []


#: what the cause is called, where it is not where the tensor was made
CAUSES = {
    "overwritten": "cause_change",
    "overwritten_by_step": "cause_change",
    "overwritten_part": "cause_change",
    "nan_made": "cause_forward",
    "twice": "cause_first",
    "twice_other": "cause_first",
    "doubled": "cause_backward",
    "doubled_loop": "cause_backward",
    "once": "cause_backward",
    "once_hooked": "cause_backward",
    "passed_by": "cause_backward",
    "passed_by_to": "cause_backward",
    "passed_by_twin": "cause_backward",
    "zero_flat": "line",
    "zero_steady": "line",
    "zero_overwritten": "line",
    "squashed_twice": "line",
    "not_assigned": "cause_assigned",
    "growing": "line",
    "zero_here": "line",
    "switched_off": "line",
    "unrecorded_in": "cause_left",
    "forward_without_ctx": "line",
    "taken_zeroed": "line",
    "taken_grad": "line",
    "taken_inputs": "line",
    "left": "cause_left",
    "left_function": "cause_left",
    "left_numbers": "cause_left",
    "left_copied": "cause_left",
    "left_block": "cause_left",
    "left_counts": "cause_left",
}


def _cause(found: Diagnosis) -> Facts:
    assert found.cause is not None
    label = say(f"why.{CAUSES.get(found.kind, 'cause')}")
    return Facts(((label, found.cause.source), (say("why.cause_at"), place(found.cause))))


def _place(failed: Failure) -> Facts:
    rows = []
    if failed.at is not None:
        rows += [(say("why.line"), failed.at.source), (say("why.at"), place(failed.at))]
    first = failed.message.strip().split("\n")[0]
    rows.append((say("why.message"), first if len(first) <= 110 else first[:109] + "…"))
    return Facts(tuple(rows))
