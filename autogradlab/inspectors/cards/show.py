"""`show`: everything about one tensor, Parameter, nn module, Node or NumPy array; of anything else, what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..inspector import Inspector, present
from ..parts import Badge, Block, Card, Facts, Note, Table, Tone
from ..prose import code
from ..snapshot.astray import astray
from ..snapshot.calls import arguments
from ..snapshot.graph import saved_live, unread
from ..snapshot.kinds import is_a, is_array, is_module, is_node, is_tensor, type_name
from ..snapshot.names import Names, names_of, namespace
from ..snapshot.reasons import advice, grad_reason, lead
from ..snapshot.tensors import has_grad
from ..values import dtype, plain_repr, shape, short, unaddressed
from ..words import language, say
from .tensor import array_card, tensor_card

__all__ = ["card_of", "show", "title_of"]

#: how many parameters of a module, and how many tensors of a list, are shown
MANY, FEW = 40, 12


def show(thing: Any, name: str | None = None) -> Inspector:
    """Everything about one tensor: what it is for autograd, where it lies, its numbers, and why its `.grad` is None.

    `thing` is a tensor of any shape and dtype; or an nn Module (its parameters), a Node such as `y.grad_fn`, a NumPy
    array, a list or dictionary of these. `name` is what to call it; without it, the variable that holds it, or what was
    written.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> w = torch.tensor([[1., 2.], [0., 2.]], requires_grad=True)
    >>> print("\\n".join(lab.show(w).text.splitlines()[:4]))
    `w` · float32 (2, 2) · is_leaf ✓ · requires_grad ✓ · grad_fn None
    values
    1.  2.
    0.  2.
    """
    if not is_a(name, (str, type(None))):
        raise TypeError(say("show.one_thing", type=type_name(name)))
    space = namespace()
    names = names_of(space)
    return present(card_of(thing, name or title_of(thing, arguments(), 0, names), names, space))


def title_of(thing: Any, written: tuple[str, ...], number: int, names: Names) -> str:
    """What to call an argument: as it was written if that names something, else by its variable, else as written."""
    source = written[number] if number < len(written) else ""
    if source in names.all(thing) or source.isidentifier():
        return source
    return names.of(thing) or source or say("show.nameless_title", type=type(thing).__name__)


def card_of(thing: Any, name: str, names: Names, space: Mapping[str, Any], brief: bool = False) -> Card:
    """The card of anything; of tensors a brief one, where there are several."""
    try:
        return _card_of(thing, name, names, space, brief)
    except Exception as error:  # a kind of tensor that refuses what tensors answer: it is said, not raised
        said = _shortened(f"{type(error).__name__}: {error}", 200)
        note = Note(say("show.refuses", type=code(type_name(thing)), error=code(said)), "warning")
        return Card("show", code(name), blocks=(note,), lang=language())


def _card_of(thing: Any, name: str, names: Names, space: Mapping[str, Any], brief: bool) -> Card:
    if is_tensor(thing):
        return tensor_card(thing, name, names, space, brief)
    if is_array(thing):
        return array_card(thing, name, names, space)
    if is_module(thing):
        return _module_card(thing, name, names)
    if is_node(thing):
        return _node_card(thing, name, names)
    if is_a(thing, (list, tuple, dict)) and (cards := _inner(thing, name, names, space)):
        title, kind = code(name), type(thing).__name__
        more = len(thing) - len(cards)
        note = (Note(say("show.more_tensors", shown=len(cards), more=more), "muted"),) if more else ()
        return Card("show", title, kind, blocks=note, cards=tuple(cards), lang=language())
    return _other_card(thing, name, names, space)


def _inner(thing: Any, name: str, names: Names, space: Mapping[str, Any]) -> list[Card]:
    """The cards of the tensors and arrays in a container."""
    pairs = thing.items() if is_a(thing, dict) else enumerate(thing)
    found = [(names.of(held) or f"{name}[{key!r}]", held) for key, held in pairs if is_tensor(held) or is_array(held)]
    return [card_of(held, title, names, space, True) for title, held in found[:FEW]]


# -- modules -----------------------------------------------------------------------------------------------------------


def _module_card(module: Any, name: str, names: Names) -> Card:
    rows: list[tuple[str, ...]] = []
    tones: list[Tone] = []
    parameters = list(module.named_parameters())
    buffers = list(module.named_buffers())
    for kind, held in (("parameter", parameters), ("buffer", buffers)):
        for path, tensor in held[: MANY - len(rows)]:
            grad = short(tensor.grad, 40) if has_grad(tensor) else "None"
            kinds = say(f"show.{kind}")
            rows.append(
                (
                    code(path),
                    kinds,
                    shape(tensor),
                    dtype(tensor),
                    f"requires_grad {'✓' if tensor.requires_grad else '✗'}",
                    grad,
                )
            )
            tones.append("leaf" if tensor.requires_grad else "muted")
    count = sum(t.numel() for _, t in parameters)
    learning = sum(t.numel() for _, t in parameters if t.requires_grad)
    without = [path for path, t in parameters if t.requires_grad and not has_grad(t)]
    blocks: list[Block] = [Facts(_module_rows(module, len(parameters), count, learning))]
    if lost := astray(module, name):
        fields = {"name": name, "names": say("common.list").join(map(code, lost))}
        words = say("reasons.both", sentence=say("why.astray", **fields), cure=say("why.astray_cure", **fields))
        blocks.append(Note(words, "warning"))
    if without:
        blocks.append(_module_note(parameters, without, names))
    if rows:
        columns = ("name", "kind", "shape", "dtype", "learns", "grad")
        blocks.append(Table(tuple(say(f"show.column_{c}") for c in columns), tuple(rows), tuple(tones)))
    if (left := len(parameters) + len(buffers) - len(rows)) > 0:
        blocks.append(Note(say("show.more_rows", left=left), "muted"))
    mode = Badge(say("show.training" if module.training else "show.evaluating"), "muted")
    return Card("show", code(name), type(module).__name__, (mode,), tuple(blocks), lang=language())


def _module_rows(module: Any, parameters: int, count: int, learning: int) -> tuple[tuple[str, str], ...]:
    children = [f"{key}: {type(child).__name__}" for key, child in module.named_children()]
    inside = ", ".join(children[:8]) + (" …" if len(children) > 8 else "")
    key = "show.parameter_count_one" if parameters == 1 else "show.parameter_count"
    rows = [(say("show.parameters"), say(key, tensors=parameters, numbers=f"{count:,}"))]
    if learning != count:
        rows.append((say("show.learning"), f"{learning:,}"))
    return tuple([*rows, (say("show.children"), inside)] if inside else rows)


def _module_note(parameters: list[tuple[str, Any]], without: list[str], names: Names) -> Note:
    """Why the first parameter without a gradient has none; and how many share its fate."""
    tensor = dict(parameters)[without[0]]
    reason = grad_reason(tensor, names, name=without[0])
    words = advice(reason)
    if len(without) > 1:
        more = say("show.others_without" if len(without) > 2 else "show.others_without_one", count=len(without) - 1)
        words = say("reasons.both", sentence=words, cure=more)
    return Note(words, "gradient", lead(reason))


# -- Nodes -------------------------------------------------------------------------------------------------------------


def _node_card(node: Any, name: str, names: Names) -> Card:
    results = [found for found, t in names if getattr(t, "grad_fn", None) is node]
    variable = getattr(node, "variable", None)
    rows = []
    if results:
        rows.append((say("show.result"), ", ".join(results)))
    if variable is not None:
        rows.append((say("show.variable"), names.of(variable) or say("show.nameless")))
    blocks: list[Block] = [Facts(tuple(rows))] if rows else []
    blocks.append(Note(say("show.accumulate_note" if variable is not None else "show.node_note"), "muted"))
    if (saved := _saved(node, names)) is None:
        blocks.append(Note(say("show.freed"), "saved"))
    elif saved:
        blocks.append(
            Table((say("show.column_saved"), say("show.column_value")), tuple(saved), caption=say("show.saved"))
        )
    edges = [(str(number), *_edge(following, names)) for number, (following, _) in enumerate(node.next_functions)]
    if edges:
        columns = ("input", "next", "name")
        blocks.append(Table(tuple(say(f"show.column_{c}") for c in columns), tuple(edges), caption=say("show.edges")))
    return Card("show", code(name), _node_name(node), (Badge("Node", "node"),), tuple(blocks), lang=language())


def _node_name(node: Any) -> str:
    return str(node.name()).removeprefix("torch::autograd::")


def _edge(following: Any, names: Names) -> tuple[str, str]:
    if following is None:
        return "None", say("show.no_gradient_needed")
    variable = getattr(following, "variable", None)
    held = [found for found, t in names if getattr(t, "grad_fn", None) is following] if variable is None else []
    name = names.of(variable) if variable is not None else next(iter(held), None)
    return _node_name(following), code(name) if name else ""


def _saved(node: Any, names: Names) -> list[tuple[str, str]] | None:
    """What the Node keeps for backward: attributes and values; None if it was freed."""
    rows = []
    for saved, value, error in saved_live(node):
        if saved.endswith("_sym_numel"):
            continue
        key = saved if saved.startswith("saved_tensors") else f"_saved_{saved}"
        if error is not None:
            if unread(error)[0] == "freed":
                return None
            said = str(error).split("\n")[0]
            told = said if is_a(error, RuntimeError) else f"{type(error).__name__}: {said}"  # of a user's unpack hook
            rows.append((code(key), _shortened(told)))
            continue
        if is_tensor(value):
            name = names.of(value)
            rows.append((code(key), f"{code(name)} = {short(value)}" if name else short(value)))
        else:
            rows.append((code(key), code(_shortened(plain_repr(value)))))
    return rows


# -- anything else -----------------------------------------------------------------------------------------------------


def _shortened(text: str, limit: int = 80) -> str:
    text = unaddressed(" ".join(text.split()))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _other_card(thing: Any, name: str, names: Names, space: Mapping[str, Any]) -> Card:
    said = _shortened(plain_repr(thing))
    blocks: list[Block] = [Note(say("show.not_a_tensor", type=code(type_name(thing))), "warning")]
    if (
        thing is None
        and name.endswith(".grad")
        and is_tensor(owner := dict(names_by_name(names)).get(name[: -len(".grad")]))
    ):
        reason = grad_reason(owner, names, space, name[: -len(".grad")])
        blocks = [Note(advice(reason), "gradient", lead(reason))]
    elif is_a(thing, (bool, int, float, complex, list, tuple)):
        blocks.append(Note(say("show.make_tensor", source=code(f"torch.tensor({_shortened(name, 40)})")), "good"))
    blocks.append(Facts(((say("show.type"), type_name(thing)), (say("show.value"), said))))
    return Card("show", code(name), say("show.no_tensor"), blocks=tuple(blocks), lang=language())


def names_by_name(names: Names) -> list[tuple[str, Any]]:
    """All names with what they hold."""
    return [(name, held) for _, held in names for name in names.all(held)]
