"""What may be wrong without any error: a `.grad` that is None or larger than expected,
an optimizer beside the point."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from . import reasons
from .cuts import Diagnosis, cut, of_gradient
from .failing import parsed, statements
from .kinds import attribute, is_a, is_tensor
from .mistakes import because
from .names import Names, Space
from .origins import Origin, origin
from .samples import KEPT

__all__ = ["doubts", "is_optimizer", "of_optimizer"]


def doubts(tensor: Any, name: str, names: Names, space: Space) -> list[Diagnosis]:
    """Everything that can be said about a tensor's gradient, the most important first."""
    found = []
    grad = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    if grad is None:
        reason = reasons.grad_reason(tensor, names, space, name)
        found.append(because(reason, name, origin(name, space)))
        if reason.kind in ("off_path", "unused"):
            found += _left(name, space)
    else:
        found += _of_gradient(tensor, grad, name, space)
    for optimizer, params in _optimizers(space):
        if tensor.is_leaf and tensor.requires_grad and not any(p is tensor for p in params):
            stale = [p for p in params if names.of(p) is None and p.shape == tensor.shape]
            if stale:
                found.append(_stale(optimizer, name, space))
    return found


def _left(name: str, space: Space) -> Iterator[Diagnosis]:
    """The last line of the code, in functions and Modules too, that takes a tensor out of the graph."""
    for node, where, _ in statements(space):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)) and node.value is not None:
            for inner in ast.walk(node.value):
                if isinstance(inner, ast.Attribute) and inner.attr in ("detach", "data") and not of_gradient(inner):
                    spelled = ".data" if inner.attr == "data" else ".detach()"
                    yield Diagnosis("left", {"name": name, "cut": spelled}, where)
                    return


def _of_gradient(tensor: Any, grad: Any, name: str, space: Space) -> Iterator[Diagnosis]:
    size = grad.numel()
    few = grad.detach() if size <= KEPT else grad.detach().reshape(-1)[:: -(-size // KEPT)]
    strange = True
    if size and bool((few != few).any()):
        yield Diagnosis("nan", {"name": name})
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
    elif len(calls) == 1 and not calls[0][1]:
        yield Diagnosis("once", {"name": name}, calls[0][0])
    else:
        yield Diagnosis("present", {"name": name})


def _backwards(space: Space) -> Iterator[tuple[Origin, str]]:
    """Where backward was called, the last place first; and "loop" or "function" if that can be more than once."""
    for node, where, around in statements(space):
        if any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "backward"
            for n in ast.walk(node)
        ):
            yield where, around


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


# -- optimizers --------------------------------------------------------------------------------------------------------


def is_optimizer(thing: Any) -> bool:
    return isinstance(attribute(thing, "param_groups"), list) and attribute(thing, "zero_grad") is not None


def _optimizers(space: Space) -> Iterator[tuple[str, list[Any]]]:
    for name, thing in list(space.items()):
        if not is_a(thing, type) and is_optimizer(thing):
            yield name, [p for group in thing.param_groups for p in group["params"]]


def _stale(optimizer: str, name: str, space: Space) -> Diagnosis:
    made = origin(name, space, False)
    renewed = origin(optimizer, space)
    cure = f"{optimizer} = {renewed.source}" if renewed is not None else f"{optimizer} = SGD([{name}], lr=...)"
    return Diagnosis("optimizer_old", {"optimizer": optimizer, "name": name, "cure": cure}, made)


def of_optimizer(optimizer: Any, name: str, names: Names, space: Space) -> list[Diagnosis]:
    """What an optimizer holds that it should not."""
    found: list[Diagnosis] = []
    params = [p for group in optimizer.param_groups for p in group["params"] if is_tensor(p)]
    made = origin(name, space)
    for param in params:
        if names.of(param) is None and made is not None:
            written = {n.id for n in ast.walk(parsed(made.source) or ast.Module([], [])) if isinstance(n, ast.Name)}
            other = next((n for n, t in names if t is not param and t.shape == param.shape and n in written), None)
            if other is not None:
                found.append(_stale(name, other, space))
                continue
        if param.grad is None:
            spelled = names.of(param) or "t"
            reason = reasons.grad_reason(param, names, space, spelled)
            found.append(because(reason, spelled, origin(spelled, space)))
    return found or [Diagnosis("optimizer_fine", {"optimizer": name, "count": str(len(params))})]


def of_number(name: str, space: Space) -> Diagnosis | None:
    """Why a number is not a tensor: what took it out of one."""
    found = cut(parsed(name), space, name)
    return found if found.kind in ("numbers", "cut") else None
