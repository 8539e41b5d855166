"""What may be wrong without any error: a `.grad` that is None or larger than expected,
an optimizer beside the point."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Set
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any

from ..prose import code
from ..words import say
from . import reasons
from .astray import astray
from .callers import LIBRARIES
from .cuts import Diagnosis, cut, of_gradient, unrecording
from .failing import parsed, resolve, statements
from .feeders import nodes_below
from .firing import of_inspectors
from .graph import edge_of
from .kinds import attribute, is_a, is_module, is_tensor
from .mistakes import because
from .names import Names, Space, dotted, variable_of
from .origins import Origin, origin
from .samples import KEPT
from .tensors import hook_names

__all__ = ["doubts", "is_optimizer", "of_module", "of_optimizer"]

#: how many parameters of a module are looked at, and how many names one sentence lists at most
PARAMETERS, LISTED, FEW = 40, 12, 4


def doubts(tensor: Any, name: str, names: Names, space: Space) -> list[Diagnosis]:
    """Everything that can be said about a tensor's gradient, the most important first."""
    found = []
    grad = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    if grad is None:
        found += _without(tensor, name, names, space)
    else:
        found += _of_gradient(tensor, grad, name, space)
    for optimizer, params in _optimizers(space):
        if tensor.is_leaf and tensor.requires_grad and not any(p is tensor for p in params):
            stale = [p for p in params if names.of(p) is None and p.shape == tensor.shape]
            if stale:
                found.append(_stale(optimizer, name, space))
    return found


def _without(tensor: Any, name: str, names: Names, space: Space) -> list[Diagnosis]:
    """Why there is no gradient; of a leaf also whether a backward has passed it by, and where its way ends."""
    reason = reasons.grad_reason(tensor, names, space, name)
    first = because(reason, name, origin(name, space, writes=tensor.grad_fn is not None))
    if reason.kind not in ("no_backward", "off_path", "unused"):
        return [first]
    used: Set[str] = frozenset()
    if (passed := _passed_by(tensor, space)) is not None:
        backward, result, where = passed
        fields = {"name": name, "backward": backward, "result": result, "lead": reasons.lead(reason)}
        first = Diagnosis("passed_by", fields, where)
        used = _used(result, space)
    elif reason.kind == "no_backward":
        return [first]
    left = list(_left(name, space, used))
    unrecorded = _unrecorded(tensor, name, space, used) if used or reason.kind == "unused" else None
    if unrecorded is not None:
        left = [unrecorded]
    if left and (unrecorded is not None or reason.kind != "unused"):  # what is to be done is to leave that out
        first = replace(first, fields={**first.fields, "todo": ""})
    return [first, *left]


def _unrecorded(leaf: Any, name: str, space: Space, used: Set[str]) -> Diagnosis | None:
    """A result that was computed from a leaf where nothing is recorded, or by way of what has no derivative. Where
    it is known what was used, one of that; else one that looks as if it were to be learned from."""
    owner = variable_of(name)
    for result, value in space.items():
        if not is_tensor(value) or result == name or (used and result not in used):
            continue
        if not used and (value.requires_grad or not value.is_floating_point()):
            continue
        if any(getattr(node, "variable", None) is leaf for node in nodes_below(value.grad_fn)):
            continue
        made = origin(result, space)
        block = None if made is None or value.requires_grad else unrecording(made.within)
        if made is not None and block is not None and name in _computing(made.source):
            return Diagnosis("left_block", {"name": name, "result": result, "block": block}, made)
        counts = "" if made is None else reasons.without_gradient(made.source, space)
        if counts and owner in _computing(counts):
            return Diagnosis("left_counts", {"name": name, "result": result, "counts": counts}, made)
    return None


def _computing(source: str) -> set[str]:
    """The variables that an expression computes with; a look at a `.grad` is none."""
    tree = parsed(source) or ast.Module([], [])
    looked = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == "grad"}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in looked}


def _passed_by(leaf: Any, space: Space) -> tuple[str, str, Origin] | None:
    """The last backward that has run, if it and all others started from results whose graphs do not lead to a leaf:
    the call, what it started from, and where it is."""
    found = None
    for node, where, _ in statements(space):
        for call in ast.walk(node):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            root = _started(call.func.value, space)
            below = _below(root, space) if call.func.attr == "backward" else []
            if below is None:
                return None
            leaves = [n.variable for n in below if hasattr(n, "variable")]
            if any(t is leaf for t in leaves):
                return None
            if any(t.grad is not None for t in leaves) or any(map(reasons.is_freed, below)):
                found = found or (ast.unparse(call), ast.unparse(root), where)
    return found


def _started(root: ast.expr, space: Space) -> ast.expr:
    """What a backward starts from: of `rec.step(loss)`, by which a training is recorded, the loss."""
    match root:
        case ast.Call(func=ast.Attribute(value=of, attr="step"), args=[loss]) if of_inspectors(resolve(of, space)):
            return loss
    return root


def _below(root: ast.expr, space: Space) -> list[Any] | None:
    """The Nodes below what a backward is called on: of an expression, which is gone, those below what it computes with.
    None if that cannot be told: a function of the learner may use what is not written there."""
    nodes: dict[Any, None] = {}
    waiting: list[ast.AST] = [root]
    while waiting:
        part = waiting.pop()
        held = resolve(part, space)
        if is_module(held):
            edges = [edge_of(parameter) for parameter in held.parameters() if parameter.requires_grad]
        elif is_tensor(held):
            edges = [edge_of(held)] if held.requires_grad else []
        elif is_a(held, FunctionType) and str(held.__module__).split(".")[0] not in LIBRARIES:
            return None
        else:
            waiting += ast.iter_child_nodes(part)
            continue
        nodes |= dict.fromkeys(node for edge in edges for node in nodes_below(edge[0]))
    return list(nodes)


def _used(result: str, space: Space) -> Set[str]:
    """The variables that a result, or an expression, was computed from, by the lines that made them."""
    used = {n.id for n in ast.walk(parsed(result) or ast.Module([], [])) if isinstance(n, ast.Name)}
    waiting = list(used)
    while waiting:
        made = origin(waiting.pop(), space)
        tree = parsed(made.source) if made is not None else None
        new = {n.id for n in ast.walk(tree or ast.Module([], [])) if isinstance(n, ast.Name)} - used
        used |= new
        waiting += new
    return used


def _left(name: str, space: Space, used: Set[str]) -> Iterator[Diagnosis]:
    """The last line of the code, in functions and Modules too, that takes a tensor out of the graph. Where it is known
    what was used, a line that makes some of that, or else one by which a function returns."""
    found = None
    for node, where, _ in statements(space):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        made = {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}
        sure = bool(made & used) if used else True
        if not sure and (found is not None or made):
            continue
        out = _OUT if made & used else _OUT[:2]  # numbers are taken for a look at them as well
        for inner in ast.walk(node.value):
            if isinstance(inner, ast.Attribute) and inner.attr in out and not of_gradient(inner):
                spelled = ".data" if inner.attr == "data" else f".{inner.attr}()"
                found = Diagnosis("left", {"name": name, "cut": spelled}, where)
                break
        if sure and found is not None and found.cause is where:
            break
    if found is not None:
        yield found


#: attributes by which a line takes a tensor, or its numbers, out of the graph
_OUT = ("detach", "data", "item", "numpy", "tolist")


def _of_gradient(tensor: Any, grad: Any, name: str, space: Space) -> Iterator[Diagnosis]:
    held = grad.detach()
    if getattr(held, "is_sparse", False):
        held = held.coalesce().values()
    size = held.numel()
    few = held if size <= KEPT else held.reshape(-1)[:: -(-size // KEPT)]
    strange = True
    if size and bool((few != few).any()):
        yield Diagnosis("nan", {"name": name})
    elif size and bool((few.abs() == math.inf).any()):
        yield Diagnosis("inf", {"name": name})
    elif size and bool((few == 0).all()):
        yield Diagnosis("zero", {"name": name})
    else:
        strange = False
    calls = list(_backwards(space))
    many = len(calls) > 1 or any(again == "loop" for _, again in calls)
    if many and not _zeroed(name, space):
        often = sum(1 for _ in calls)
        kind = "doubled_loop" if any(again == "loop" for _, again in calls) else "doubled"
        yield Diagnosis(kind, {"name": name, "count": str(often)}, calls[0][0])
    elif strange:
        return
    elif _by_hand(tensor, space):
        yield Diagnosis("changed", {"name": name})
    elif len(calls) == 1 and not calls[0][1]:
        hooks = say("common.list").join(map(code, hook_names(tensor)))
        fields = {"name": name, "hooks": hooks} if hooks else {"name": name}
        yield Diagnosis("once_hooked" if hooks else "once", fields, calls[0][0])
    else:
        yield Diagnosis("present", {"name": name})


def _backwards(space: Space) -> Iterator[tuple[Origin, str]]:
    """Where backward was called, the last place first; and "loop" or "function" if that can be more than once."""
    for node, where, around in statements(space):
        if any(map(_is_backward, ast.walk(node))):
            yield where, around


def _is_backward(node: ast.AST) -> bool:
    """Whether it is the call of a backward, or of the stepper that commits one."""
    match node:
        case ast.Call(func=ast.Attribute(attr="backward")):
            return True
        case ast.Call(func=ast.Attribute(attr="step") | ast.Name(id="step"), keywords=given):
            return any(
                k.arg == "commit" and not (isinstance(k.value, ast.Constant) and not k.value.value) for k in given
            )
    return False


def _zeroed(name: str, space: Space) -> bool:
    """Whether the code has anything that changes `.grad` by hand."""
    for node, _, _ in statements(space):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute):
                if inner.attr == "zero_grad" or (inner.attr == "grad" and isinstance(inner.ctx, ast.Store)):
                    return True
                if (
                    inner.attr.endswith("_")
                    and isinstance(inner.value, ast.Attribute)
                    and inner.value.attr in ("grad", "data")
                ):
                    return True
        if isinstance(node, (ast.AugAssign, ast.Assign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(".grad" in ast.unparse(t) for t in targets):
                return True
    return False


def _by_hand(tensor: Any, space: Space) -> bool:
    """Whether the code changes a `.grad` otherwise than to zeros or None, in place, by another one or by clipping,
    that may be the one of a tensor."""
    for node, _, around in statements(space):
        for inner in ast.walk(node):
            match inner:
                case ast.Call(func=ast.Attribute(value=ast.Attribute(value=of, attr="grad"), attr=changed)):
                    if not changed.endswith("_") or changed in ("zero_", "detach_", "requires_grad_"):
                        continue
                case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called), args=[of, *_]):
                    if "clip_grad_" not in called:
                        continue
                case ast.AugAssign(target=ast.Attribute(value=of, attr="grad")):
                    pass
                case ast.Assign(targets=[ast.Attribute(value=of, attr="grad")], value=given):
                    if isinstance(given, ast.Constant) and given.value is None:
                        continue
                case _:
                    continue
            if around or not _others(of, tensor, space):
                return True
    return False


def _others(of: ast.expr, tensor: Any, space: Space) -> bool:
    """Whether it is known that an expression means other tensors than this one."""
    match of:
        case ast.Call(func=ast.Attribute(value=module, attr="parameters")) if is_module(resolve(module, space)):
            held = list(resolve(module, space).parameters())
        case _:
            found = resolve(of, space)
            held = list(found) if is_a(found, (list, tuple)) else [found]
    return bool(held) and all(is_tensor(t) and t is not tensor for t in held)


# -- modules -----------------------------------------------------------------------------------------------------------


def of_module(module: Any, name: str, names: Names, space: Space) -> list[Diagnosis]:
    """What can be said about the gradients of a module's parameters: once for all of which the same can be said."""
    parameters = sorted(
        module.named_parameters(), key=lambda pair: pair[1].grad is not None
    )  # what has none comes first
    looked = {path for path, _ in parameters[:PARAMETERS]}
    said = []
    for path, parameter in (pair for pair in module.named_parameters() if pair[0] in looked):
        spelled = names.of(parameter) or f"{name}.{path}"
        said.append((spelled, doubts(parameter, spelled, names, space)))
    lost = say("common.list").join(map(code, astray(module, name)))
    found = [Diagnosis("astray", {"name": name, "names": lost})] if lost else []
    found += _not_stepped(module, name, space)
    found += _grouped(said)
    if len(parameters) > PARAMETERS:
        found.append(Diagnosis("not_looked_at", {"count": str(len(parameters) - PARAMETERS)}))
    return found or [Diagnosis("no_parameters", {"name": name})]


def _not_stepped(module: Any, name: str, space: Space) -> Iterator[Diagnosis]:
    """Parameters that no optimizer has, where one has others of the same module."""
    held = {id(parameter) for _, parameters in _optimizers(space) for parameter in parameters}
    paths = [(path, id(p)) for path, p in module.named_parameters() if p.requires_grad]
    left = [dotted(name, path) for path, parameter in paths if parameter not in held]
    if left and len(left) < len(paths):
        listed = say("common.list").join(map(code, left[:FEW]))
        more = len(left) - FEW
        names = say("common.names_more", names=listed, count=more) if more > 0 else listed
        yield Diagnosis("not_stepped", {"names": names})


def _grouped(said: list[tuple[str, list[Diagnosis]]]) -> Iterator[Diagnosis]:
    """What is to be said of each of several tensors: once for all of which the same is."""
    alike: dict[Any, tuple[list[Diagnosis], list[str]]] = {}
    for spelled, of_one in said:
        key = tuple((d.kind, *(v.replace(spelled, "") for v in d.fields.values())) for d in of_one)
        alike.setdefault(key, (of_one, []))[1].append(spelled)
    for of_one, spelled_alike in alike.values():
        first, *others = spelled_alike
        yield Diagnosis("of_parameter", {"name": first})
        yield from of_one
        if others:
            listed = say("common.list").join(map(code, others[:LISTED]))
            more = len(others) - LISTED
            yield Diagnosis("likewise_more" if more > 0 else "likewise", {"names": listed, "more": str(more)})


# -- optimizers --------------------------------------------------------------------------------------------------------


def is_optimizer(thing: Any) -> bool:
    return isinstance(attribute(thing, "param_groups"), list) and attribute(thing, "zero_grad") is not None


def _optimizers(space: Space) -> Iterator[tuple[str, list[Any]]]:
    for name, thing in list(space.items()):
        if not is_a(thing, (type, ModuleType)) and is_optimizer(thing):
            yield name, [p for group in thing.param_groups for p in group["params"]]


def _stale(optimizer: str, name: str, space: Space) -> Diagnosis:
    made = origin(name, space, False)
    renewed = origin(optimizer, space)
    cure = f"{optimizer} = {renewed.source}" if renewed is not None else f"{optimizer} = SGD([{name}], lr=...)"
    return Diagnosis("optimizer_old", {"optimizer": optimizer, "name": name, "cure": cure}, made)


def of_optimizer(optimizer: Any, name: str, names: Names, space: Space) -> list[Diagnosis]:
    """What an optimizer holds that it should not."""
    found: list[Diagnosis] = []
    without: list[tuple[str, list[Diagnosis]]] = []
    params = [p for group in optimizer.param_groups for p in group["params"] if is_tensor(p)]
    made = origin(name, space)
    groups = list(enumerate(optimizer.param_groups))
    spelled_of = {
        id(p): f"{name}.param_groups[{g}]['params'][{k}]" for g, group in groups for k, p in enumerate(group["params"])
    }
    for param in params:
        if names.of(param) is None and made is not None:
            written = {n.id for n in ast.walk(parsed(made.source) or ast.Module([], [])) if isinstance(n, ast.Name)}
            alike = (n for n, t in names if t is not param and t.shape == param.shape)
            other = next((n for n in alike if variable_of(n) in written), None)
            if other is not None:
                found.append(_stale(name, other, space))
                continue
        if param.grad is None:
            spelled = names.of(param) or spelled_of[id(param)]
            reason = reasons.grad_reason(param, names, space, spelled)
            without.append((spelled, [because(reason, spelled, origin(spelled, space))]))
    found += _grouped(without)
    return found or [Diagnosis("optimizer_fine", {"optimizer": name, "count": str(len(params))})]


def of_number(name: str, space: Space) -> Diagnosis | None:
    """Why a number is not a tensor: what took it out of one."""
    found = cut(parsed(name), space, name)
    return found if found.kind in ("numbers", "cut") else None
