"""What may be wrong without any error: a `.grad` that is None (of one that is there, present.py knows), an optimizer
beside the point."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any

from ..prose import code
from ..words import say
from . import reasons
from .astray import astray, astray_with
from .callers import LIBRARIES, line_of
from .cuts import (
    Diagnosis,
    called_in,
    copied,
    cut,
    grouped,
    instead,
    learns,
    leaves_by,
    left_in,
    of_gradient,
    unrecorded,
    unrecording,
)
from .failing import parsed, resolve, statements
from .feeders import nodes_below
from .firing import of_inspectors
from .graph import edge_of
from .kinds import held_by, is_a, is_module, is_optimizer, is_parameter, is_tensor
from .mistakes import because, shares
from .modes import switched_off
from .names import Names, Space, dotted, variable_of
from .origins import Origin, origin
from .present import of_gradient as of_present

__all__ = ["doubts", "of_module", "of_number", "of_optimizer"]

#: how many parameters of a module are looked at, and how many names one sentence lists at most
PARAMETERS, LISTED, FEW = 40, 12, 4


def doubts(tensor: Any, name: str, names: Names, space: Space) -> list[Diagnosis]:
    """Everything that can be said about a tensor's gradient, the most important first."""
    found = _of_one(tensor, name, names, space)
    held = list(_optimizers(space))
    if tensor.is_leaf and tensor.requires_grad and (lost := astray_with(tensor, space)) is not None:
        found.append(Diagnosis("astray", {"name": lost[0], "names": code(lost[1])}))
    elif is_parameter(tensor) and tensor.requires_grad and held and not any(d.kind == "optimizer_old" for d in found):
        if not any(parameter is tensor for _, parameters in held for parameter in parameters):
            listed = say("common.list").join(code(optimizer) for optimizer, _ in held[:FEW])
            found.append(Diagnosis("not_held", {"names": code(name), "optimizers": listed}))
    return [*found, *_growing(space, lambda held: held is tensor or _leads_to(held, [tensor]))]


def _of_one(tensor: Any, name: str, names: Names, space: Space) -> list[Diagnosis]:
    """What can be said of a tensor whose optimizers are told of elsewhere, but for one that has lost it."""
    found = []
    grad = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    if grad is None:
        found += _without(tensor, name, names, space)
    else:
        found += of_present(tensor, grad, name, names, space)
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
    if reason.kind in ("unused", "off_path", "unrecorded", "unrecorded_in", "through_counts") and (
        off := switched_off(space)
    ):
        return [replace(first, fields={**first.fields, "todo": ""}), off]
    if reason.kind == "cleared" and (taken := _taken(tensor, reason, name, space)) is not None:
        known = say("reasons.cleared_since", **reason.fields)
        return [replace(first, fields={**first.fields, "sentence": known, "todo": ""}), taken]
    if reason.kind not in ("no_backward", "off_path", "unused"):
        return [first]
    if reason.kind == "unused" and (ran := _ran(tensor, first, name, space)):
        return ran
    used: Set[str] = frozenset()
    if (passed := _passed_by(tensor, space)) is not None:
        backward, result, where, reached = passed
        fields = {"name": name, "backward": backward, "result": result, "lead": reasons.lead(reason)}
        first = _reached(tensor, fields, reached, names, where)
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
        if made is not None and block is not None and name in _computing(made.computed):
            return Diagnosis("left_block", {"name": name, "result": result, "block": block}, made)
        tree = None if made is None else parsed(made.computed)
        if made is not None and not value.requires_grad:
            if any(_holds(t, leaf) for function in called_in(tree, space) for t in function.outside.values()):
                return unrecorded(tree, space, {"name": result, "source": made.source}, made)
        counts = "" if made is None else reasons.without_gradient(made.computed, space)
        if counts and owner in _computing(counts):
            return Diagnosis("left_counts", {"name": name, "result": result, "counts": counts}, made)
        if used or value.requires_grad:
            continue
        if (left := _cut_off(name, result, owner, space)) is not None:
            return left
        if made is not None and tree is not None and learns(tree, space) and _uses(tree, leaf, space):
            return unrecorded(tree, space, {"name": result, "source": made.source}, made)
    return None


def _cut_off(name: str, result: str, owner: str, space: Space) -> Diagnosis | None:
    """What takes a result that is computed from a leaf out of its graph: a line that names the leaf's variable."""
    found = cut(parsed(result), space, result)
    kind = {"cut": "left", "numbers": "left_numbers"}.get(found.kind)
    if kind is None or found.cause is None or owner not in _computing(found.cause.computed):
        return None
    return Diagnosis(kind, {"name": name, "cut": found.fields["cut"]}, found.cause)


def _holds(thing: Any, leaf: Any) -> bool:
    """Whether that is a leaf, or a Module that has it."""
    return thing is leaf or (is_module(thing) and any(parameter is leaf for parameter in thing.parameters()))


def _computing(source: str) -> set[str]:
    """The variables that an expression computes with; a look at a `.grad` is none."""
    tree = parsed(source) or ast.Module([], [])
    looked = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == "grad"}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in looked}


def _reached(tensor: Any, fields: dict[str, str], reached: list[Any], names: Names, where: Origin) -> Diagnosis:
    """That a backward came past, with the leaves that it did come to; one of them may have the same memory."""
    known = {id(t): n for n, t in reversed(list(names)) if any(t is one for one in reached)}
    spelled = list(reversed(known.values()))
    twin = next((known[id(t)] for t in reached if shares(t, tensor) and id(t) in known), None)
    if twin is not None:
        return Diagnosis("passed_by_twin", {**fields, "twin": twin}, where)
    if not spelled:
        return Diagnosis("passed_by", fields, where)
    listed, more = say("common.list").join(map(code, spelled[:FEW])), len(reached) - min(len(spelled), FEW)
    told = say("common.names_more", names=listed, count=more) if more > 0 else listed
    return Diagnosis("passed_by_to", {**fields, "names": told}, where)


def _taken(tensor: Any, reason: reasons.Reason, name: str, space: Space) -> Diagnosis | None:
    """What in the code has set a gradient back to None since, or took it elsewhere: the last such line, if no plain
    backward stands behind it."""
    root = reason.fields["root"]
    for node, where, _ in statements(space):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=of, attr="grad")], value=ast.Constant(value=None)):
                if resolve(of, space) is tensor:
                    return Diagnosis("taken_zeroed", {"call": where.source}, where)
        for call in (inner for inner in ast.walk(node) if isinstance(inner, ast.Call)):
            match call:
                case ast.Call(func=ast.Attribute(value=of, attr="zero_grad"), args=[], keywords=[]):
                    if any(t is tensor for t in held_by(resolve(of, space))):
                        return Diagnosis("taken_zeroed", {"call": ast.unparse(call)}, where)
                case ast.Call(func=ast.Attribute(value=of, attr="backward"), keywords=given):
                    if ast.unparse(of) != root or not any(k.arg == "inputs" for k in given):
                        return None
                    return Diagnosis("taken_inputs", {"call": ast.unparse(call), "name": name}, where)
                case ast.Call(func=ast.Attribute(attr="grad") | ast.Name(id="grad"), args=[ast.Name(id=asked), *_]):
                    if asked == root:
                        start = f"{root}.backward()"
                        return Diagnosis("taken_grad", {"call": ast.unparse(call), "start": start}, where)
    return None


def _ran(leaf: Any, first: Diagnosis, name: str, space: Space) -> list[Diagnosis]:
    """What can be said where the last backward started from an expression that is computed from a leaf, and is gone."""
    for node, where, around in statements(space):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=root, attr="backward")) as call) if not around:
                pass
            case _:
                continue
        if isinstance(root, (ast.Name, ast.Attribute, ast.Subscript)) or not _uses(root, leaf, space):
            continue
        spelled = ast.unparse(root)
        function = _stopping(root, leaf, space)
        if function:
            told = reasons.Reason("stopped", {"name": name, "root": spelled, "functions": code(function)})
            return [because(told, name, None)]
        fields = {**first.fields, "sentence": say("reasons.gone", backward=ast.unparse(call)), "todo": ""}
        if (taken := _taken(leaf, reasons.Reason("gone", {"root": spelled}), name, space)) is not None:
            return [replace(first, fields=fields), taken]
        return [replace(first, fields={**fields, "todo": say("reasons.gone_cure", root=spelled)}, cause=where)]
    return []


def _uses(node: ast.AST, leaf: Any, space: Space) -> bool:
    """Whether an expression computes with a leaf or a Module that has it, as it is written."""
    return any(_holds(resolve(part, space), leaf) for part in ast.walk(node))


def _stopping(root: ast.expr, leaf: Any, space: Space) -> str:
    """The learner's Function in an expression whose backward surely returns None for what is computed from a leaf."""
    for call in ast.walk(root):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="apply"), args=given):
                places = [place for place, part in enumerate(given) if _uses(part, leaf, space)]
                backward = getattr(space.get(name), "backward", None)
                if places and all(reasons.always_none(backward, place) for place in places):
                    return f"{name}.backward"
    return ""


def _passed_by(leaf: Any, space: Space) -> tuple[str, str, Origin, list[Any]] | None:
    """The last backward that has run, if it and all others started from results whose graphs do not lead to a leaf:
    the call, what it started from, where it is, and the leaves to which it leads."""
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
                found = found or (ast.unparse(call), ast.unparse(root), where, leaves)
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
        tree = parsed(made.computed) if made is not None else None
        new = {n.id for n in ast.walk(tree or ast.Module([], [])) if isinstance(n, ast.Name)} - used
        used |= new
        waiting += new
    return used


def _left(name: str, space: Space, used: Set[str]) -> Iterator[Diagnosis]:
    """The last line of the code, in functions and Modules too, that takes a tensor out of the graph. Where it is known
    what was used, a line that makes some of that, or else one by which a function returns."""
    found = None
    for node, where, _ in statements(space):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(t is not None and ast.unparse(t) == name for t in targets):
            continue  # it is made there
        made = {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}
        sure = bool(made & used) if used else True
        if not sure and (found is not None or made):
            continue
        for inner in ast.walk(node.value):
            kind, spelled = leaves_by(inner, space, unknown=True) or ("", "")
            if not kind or (isinstance(inner, ast.Attribute) and of_gradient(inner)):
                continue
            if not made & used and (kind == "numbers" or spelled.endswith("Parameter(...)")):
                continue  # they are taken for a look at them as well, and parameters made of what there was
            fields = {"name": name, "cut": spelled}
            if copied(spelled):
                kind, fields["cure"] = "copied", instead(node, space)
            found = Diagnosis({"cut": "left", "numbers": "left_numbers", "copied": "left_copied"}[kind], fields, where)
            break
        if sure and found is not None and found.cause is where:
            break
    if found is not None:
        yield found
        return
    made_by = [origin(result, space) for result in used]
    inside = [one for made_at in made_by if made_at is not None for one in left_in(parsed(made_at.computed), space)]
    lines = {(function.file, line): (function.name, spelled) for function, spelled, line in inside}
    if len(lines) == 1:
        ((file, line), (function, spelled)) = lines.popitem()
        kind = "left_function" if spelled.startswith(("@", "with ")) else "left"
        yield Diagnosis(kind, {"name": name, "cut": spelled, "function": function}, line_of(file, line))


def _growing(space: Space, wanted: Callable[[Any], bool]) -> Iterator[Diagnosis]:
    """What a loop adds to or puts into a list in each round, graph and all, although backward has run in the rounds."""
    for node, where, around in statements(space):
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                cure = f"{name} += {grouped(value)}.detach()"
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=added), op=ast.Add(), right=value)
            ) if added == name:
                cure = f"{name} = {name} + {grouped(value)}.detach()"
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value])):
                cure = f"{name}.append({grouped(value)}.detach())"
            case _:
                continue
        held: Any = space.get(name)
        kept: list[Any] = [t for t in held if is_tensor(t)] if type(held) is list else [held] if is_tensor(held) else []
        if around != "loop" or not any(t.grad_fn is not None and wanted(t) for t in kept) or _started_from(name, space):
            continue
        nodes = {node for t in kept for node in nodes_below(t.grad_fn)}
        if sum(map(reasons.is_freed, nodes)) > 1:
            yield Diagnosis("growing", {"name": name, "count": str(len(nodes)), "cure": cure}, where)
            return


def _leads_to(result: Any, leaves: Sequence[Any]) -> bool:
    """Whether one of some leaves is below a result."""
    return any(getattr(node, "variable", None) is leaf for node in nodes_below(result.grad_fn) for leaf in leaves)


def _started_from(name: str, space: Space) -> bool:
    """Whether a backward was called on what a variable holds, or on what is computed from it there."""
    for node, _, _ in statements(space):
        for call in ast.walk(node):
            match call:
                case ast.Call(func=ast.Attribute(value=root, attr="backward")):
                    if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(root)):
                        return True
    return False


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
        said.append((spelled, _of_one(parameter, spelled, names, space)))
    lost = say("common.list").join(map(code, astray(module, name)))
    found = [Diagnosis("astray", {"name": name, "names": lost})] if lost else []
    found += _not_stepped(module, name, space)
    found += _grouped(said)
    if len(parameters) > PARAMETERS:
        found.append(Diagnosis("not_looked_at", {"count": str(len(parameters) - PARAMETERS)}))
    learning = [parameter for _, parameter in parameters[:PARAMETERS]]
    found += _growing(space, lambda held: _leads_to(held, learning))
    return found or [Diagnosis("no_parameters", {"name": name})]


def _not_stepped(module: Any, name: str, space: Space) -> Iterator[Diagnosis]:
    """Parameters that no optimizer has, where there are optimizers."""
    optimizers = [optimizer for optimizer, _ in _optimizers(space)]
    held = {id(parameter) for _, parameters in _optimizers(space) for parameter in parameters}
    paths = [(path, id(p)) for path, p in module.named_parameters() if p.requires_grad]
    left = [dotted(name, path) for path, parameter in paths if parameter not in held]
    if left and optimizers:
        listed = say("common.list").join(map(code, left[:FEW]))
        more = len(left) - FEW
        names = say("common.names_more", names=listed, count=more) if more > 0 else listed
        told = say("common.list").join(map(code, optimizers[:FEW]))
        kind = "not_stepped" if len(left) < len(paths) else "not_held"
        yield Diagnosis(kind, {"names": names, "optimizers": told})


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


def _optimizers(space: Space) -> Iterator[tuple[str, list[Any]]]:
    for name, thing in list(space.items()):
        if not is_a(thing, (type, ModuleType)) and is_optimizer(thing):
            yield name, held_by(thing)


def _stale(optimizer: str, name: str, space: Space) -> Diagnosis:
    made = origin(name, space, False)
    renewed = origin(optimizer, space)
    made_anew = renewed is not None and renewed.computed
    cure = f"{optimizer} = {made_anew}" if made_anew else f"{optimizer} = SGD([{name}], lr=...)"
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
            written = {n.id for n in ast.walk(parsed(made.computed) or ast.Module([], [])) if isinstance(n, ast.Name)}
            alike = (n for n, t in names if t is not param and t.shape == param.shape)
            other = next((n for n in alike if variable_of(n) in written), None)
            if other is not None:
                found.append(_stale(name, other, space))
                continue
        if param.grad is None:
            spelled = names.of(param) or spelled_of[id(param)]
            without.append((spelled, _without(param, spelled, names, space)))
    found += _grouped(without)
    for owner, module in list(space.items()):
        if is_module(module) and any(p is param for p in module.parameters() for param in params[:1]):
            lost = say("common.list").join(map(code, astray(module, owner)))
            found += [Diagnosis("astray", {"name": owner, "names": lost})] if lost else []
    return found or [Diagnosis("optimizer_fine", {"optimizer": name, "count": str(len(params))})]


def of_number(name: str, space: Space) -> Diagnosis | None:
    """Why a number is not a tensor: what took it out of one."""
    found = cut(parsed(name), space, name)
    return found if found.kind in ("numbers", "cut") else None
