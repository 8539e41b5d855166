"""Local rules: what a Node does to a gradient `g`, in symbols, for each of its inputs.

They come from the derivative formulas of the op table, run on symbols; PyTorch's Nodes have the same names and save the
same values, so they have the same rules. A `·` is taken element by element, `@` is the matrix product, `ᵀ` the
transposed matrix, `g at i` zeros with g at the places i, `g added at i` where a place can come several times.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.types.dtypes import ALL
from ...ops.table import symbols
from ...ops.table.symbols import Rule
from ...ops.table.terms import whole
from ..words import LANGUAGES, language, say
from .kinds import is_a, is_tensor

__all__ = ["Plain", "Rule", "Vague", "as_arrays", "dims_of", "inner_of", "inputs_of", "op_name", "rules_of", "written"]

_BACKWARD = re.compile(r"^(.*?)Backward(\d*)(?:_copy)?$")


def op_name(name: str) -> str:
    """The operation as one writes it: `mul` for MulBackward0, `log_softmax` for LogSoftmaxBackward0."""
    found = _BACKWARD.match(name)
    head = found[1] if found is not None and found[1] else name
    return re.sub(r"(?<!^)(?<!_)(?=[A-Z][a-z])", "_", head).lower()


def inputs_of(name: str) -> tuple[str, ...]:
    """The names of a Node's inputs as in PyTorch's signatures, as far as the op table knows them."""
    return symbols.inputs_of(name)


def inner_of(by: str, name: str) -> Mapping[str, str]:
    """What PyTorch's functions make themselves, by the name under which a Node of this class saved it: the mask of a
    dropout. `by` is the function or Module that made the Node."""
    return {"other": "mask"} if "dropout" in by.lower() and name == "MulBackward0" else {}


def rules_of(
    name: str,
    node: Any,
    nexts: Sequence[tuple[Any, int]],
    saved: Sequence[tuple[str, Any, Exception | None]],
) -> tuple[Rule | None, ...]:
    """The rules of a live Node, one for each of its inputs: plain data, None for an input without gradient or rule."""
    values = {key: symbols.UNREAD if error is not None else as_arrays(value) for key, value, error in saved}
    grads = [_like(shape, dtype) for shape, dtype in _metadata(node)]
    inputs = []
    for target, number in nexts:
        known = _metadata(target)[number : number + 1] if target is not None else []
        inputs.append(_like(*known[0]) if known else None)
    wanted = [target is not None for target, _ in nexts]
    found = symbols.rules(name, len(nexts), values, grads or (None,), wanted, inputs)
    ahead = _ahead(values, grads)
    if not ahead:
        return found
    whole_of = [like if like is None else np.broadcast_to(like, ahead + like.shape) for like in (*grads, *inputs)]
    told = symbols.rules(name, len(nexts), values, whole_of[: len(grads)], wanted, whole_of[len(grads) :])
    return tuple(
        of_rows if of_rows is not None and of_rows.elementwise else rule
        for rule, of_rows in zip(found, told, strict=True)
    )


def _ahead(values: Mapping[str, Any], grads: Sequence[np.ndarray | None]) -> tuple[int, ...]:
    """The dimensions that a saved value has in front of those of the gradient: a Node of `vmap` knows the shape of one
    row, and has saved those of all. What is taken element by element is told of all of them."""
    if len(grads) != 1 or grads[0] is None:
        return ()
    row = grads[0].shape
    for value in values.values():
        if isinstance(value, np.ndarray) and value.ndim > len(row) and value.shape[value.ndim - len(row) :] == row:
            return tuple(value.shape[: value.ndim - len(row)])
    return ()


def dims_of(node: Any) -> int | None:
    """How many dimensions the gradient has that a Node with one output takes, by what the Node knows; None if it knows
    nothing of that."""
    known = _metadata(node)
    return len(known[0][0]) if len(known) == 1 else None


def _metadata(node: Any) -> list[tuple[tuple[int, ...], str]]:
    """Shape and dtype of each gradient that a Node takes."""
    try:
        return [(tuple(m.shape), str(m.dtype).removeprefix("torch.")) for m in node._input_metadata]
    except Exception:  # a Node of another kind, or one whose inputs are not known
        return []


@lru_cache(256)
def _like(shape: tuple[int, ...], dtype: str) -> np.ndarray | None:
    """An array of that shape and dtype which takes no memory."""
    try:
        return np.broadcast_to(np.ones((), np.dtype(dtype)), shape)
    except TypeError:  # others that NumPy has not, but may be told of
        known = ALL.get(dtype)
        return np.broadcast_to(np.ones((), np.float32 if known is None else known.numpy), shape)


def as_arrays(value: Any) -> Any:
    """A saved value as formulas on arrays get it."""
    if is_tensor(value):
        try:
            return value.detach().resolve_conj().clone().numpy()
        except Exception:  # bfloat16, sparse, meta and the like
            return symbols.UNREAD
    if is_a(value, (tuple, list)) and any(map(is_tensor, value)):
        parts = [as_arrays(v) for v in value]
        return symbols.UNREAD if any(p is symbols.UNREAD for p in parts) else parts
    return value


#: letters of a rule in a sentence; of signs alone, where a formula has words of its own
LONGEST, BRIEF = 72, 40
#: names of what a gradient is worked out of
MOST = 5

_CALLED = re.compile(r"\b(\w+)\(")
_NAMED = re.compile(r"\{(\w+)\}|(?<![\w{])g(?!\w)")


_AT_PLACES = re.compile(r"\w+(?: added)? at \[[^\]]*\]+")
_PUT = re.compile(r"(.+?)( added)? at (.+)")


class Plain(str):
    """Words in place of symbols."""


class Vague(Plain):
    """Words that say but of what a gradient is worked out."""


def written(rule: Rule, words: Mapping[str, str]) -> str:
    """A rule with `g` and its saved values written as `words` has them; where it has none, as their own names. What
    would be long, or call what only formulas know, is `Plain` words: the formula's own, else of what it is worked out.
    """
    text = _written(rule, words)
    put = _PUT.fullmatch(text) if language() != "en" and not isinstance(text, Plain) else None
    if put is None or not whole(put[1]):
        return text
    return Plain(say("step.added_at" if put[2] else "step.put_at", gradient=put[1], places=put[3]))


def _written(rule: Rule, words: Mapping[str, str]) -> str:
    text = rule.text(words)
    if rule.words is not None:
        clear = (rule.in_numbers and len(text) <= BRIEF) or (_AT_PLACES.fullmatch(text) and len(text) <= LONGEST)
        if rule.complete and clear:
            return text
        told = rule.words[LANGUAGES.index(language())]
        symbolic = rule.words[0] == rule.words[1]  # symbols are of no language
        found = {name: words.get(name, name) for name in {found[1] or "g" for found in _NAMED.finditer(told)}}
        if symbolic and not told.startswith("{"):
            found = {name: text if whole(text) else f"({text})" for name, text in found.items()}
        told = _NAMED.sub(lambda at: found[at[1] or "g"], told)
        return told if symbolic else Plain(told)
    if rule.complete and len(text) <= LONGEST and _public(rule.text()):
        return text
    names = [words.get(name, name) for name in rule.of]
    names = [*names[:MOST], "…"] if len(names) > MOST + 1 else names
    return Vague(say("step.made_of", names=say("common.list").join(names)))


def _public(text: str) -> bool:
    """Whether a learner can look up each function that is called."""
    return all(hasattr(np, name) or symbols.public(name) for name in _CALLED.findall(text))
