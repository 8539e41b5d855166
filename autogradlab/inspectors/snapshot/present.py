"""What can be said of a `.grad` that is there: whether it is a sum, and where its zeros, nans and infinities come
from."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from typing import Any

import numpy as np

from ...ops.table.symbols import results_of, steady_result
from ..prose import code
from ..words import say
from . import reasons
from .callers import line_of
from .cuts import Diagnosis
from .failing import parsed, resolve, statements
from .flows import metadata
from .graph import class_name, saved_live
from .kinds import held_by, is_a, is_module, is_tensor, version_of
from .lines import Spot, note_of
from .names import Names, Space
from .origins import Origin
from .rules import as_arrays, inputs_of, rules_of
from .samples import KEPT
from .tensors import SEARCHED, hook_names

__all__ = ["backwards", "of_gradient"]


#: the Nodes of losses that take scores and make probabilities of them, and those that make such
SCORES = ("LogSoftmaxBackward0", "BinaryCrossEntropyWithLogitsBackward0")
SQUASHED = ("SoftmaxBackward0", "SigmoidBackward0")

#: Nodes up to which what each does at its values is calculated
NODES = 200


def of_gradient(tensor: Any, grad: Any, name: str, names: Names, space: Space) -> Iterator[Diagnosis]:
    """What is strange about its numbers, and whether it is the gradient of one backward."""
    held = grad.detach()
    if getattr(held, "is_sparse", False):
        held = held.coalesce().values()
    size = held.numel()
    few = held if size <= KEPT else held.reshape(-1)[:: -(-size // KEPT)]
    calls = list(backwards(space))
    many = len(calls) > 1 or any(again == "loop" for _, again in calls)
    zeroed = _zeroed(tensor, space)
    ways = _Ways(tensor, names)
    strange = True
    if size and bool((few != few).any()):
        yield _nan(tensor, name, ways if zeroed or not many else None)
    elif size and bool((few.abs() == math.inf).any()):
        yield Diagnosis("inf", {"name": name})
    elif size and bool((few == 0).all()):
        yield _zero(tensor, name, ways)
    else:
        strange = False
    if many and not zeroed:
        often = sum(1 for _ in calls)
        kind = "doubled_loop" if any(again == "loop" for _, again in calls) else "doubled"
        yield Diagnosis(kind, {"name": name, "count": str(often)}, calls[0][0])
    elif strange:
        return
    elif _by_hand(tensor, space):
        yield Diagnosis("changed", {"name": name})
    elif (twice := ways.squashed_twice()) is not None:
        yield twice
    elif len(calls) == 1 and not calls[0][1]:
        hooks = ways.hooks(tensor, name)
        yield Diagnosis("once_hooked" if hooks else "once", {"name": name, **hooks}, calls[0][0])
    else:
        yield Diagnosis("present", {"name": name})


# -- how the gradient came here ----------------------------------------------------------------------------------------


class _Ways:
    """The Nodes by way of which a gradient comes from a result that has a name to a tensor. Lives as long as one
    question."""

    def __init__(self, tensor: Any, names: Names) -> None:
        graph = reasons.Below(names)
        self.names = names
        self.sink = graph.sink(tensor)
        self.nodes = graph.above(self.sink) if self.sink is not None else {}
        self.leading = graph.below  # Node -> the Nodes that lead to it
        found: tuple[str, Any] = graph.root_of(self.nodes) or ("", None)
        self.root, self.result = found

    def hooks(self, tensor: Any, name: str) -> dict[str, str]:
        """The learner's hooks on the tensor, and on others that have a name on the way to it, and which these are."""
        held = [(n, t) for n, t in self.names if t is not tensor and getattr(t, "grad_fn", None) in self.nodes]
        found = {n: hook_names(t) for n, t in [(name, tensor), *held] if is_tensor(t) and hook_names(t)}
        hooks = dict.fromkeys(code(hook) for named in found.values() for hook in named)
        return {"hooks": say("common.list").join(hooks), "owners": ", ".join(found)} if found else {}

    def squashed_twice(self) -> Diagnosis | None:
        """That the loss takes scores and was given what a softmax or sigmoid made of them."""
        for node in self.nodes:
            inner = node.next_functions[0][0] if class_name(node) in SCORES and node.next_functions else None
            if inner is not None and class_name(inner) in SQUASHED:
                fields = {"loss": class_name(node), "made": class_name(inner)}
                return Diagnosis("squashed_twice", fields, _line_of(inner))
        return None

    def flat(self, *also: Callable[[Any], bool]) -> list[Any]:
        """Nodes that hand on 0 whatever they get, if no way leads past all of them; also those of which it is true for
        another reason."""
        stops = [_hands_on_zeros, *(also if len(self.nodes) <= NODES else ())]
        flat = {node for node in self.nodes if node is not self.sink and any(stop(node) for stop in stops)}
        if not flat or self.result is None:
            return []
        seen: Set[Any] = {self.sink}
        waiting = [self.sink]
        while waiting:
            node = waiting.pop()
            if node is self.result.grad_fn and node not in flat:
                return []
            following = [n for n in self.leading.get(node, ()) if n not in seen and n not in flat]
            seen = seen | set(following)
            waiting += following
        return [node for node in self.nodes if node in flat]


def _hands_on_zeros(node: Any) -> bool:
    """Whether a Node's rules are 0 throughout, as those of `round` and `sign` are: nothing that it saved is needed to
    know that."""
    found = rules_of(class_name(node), node, node.next_functions, ())
    known = [rule for rule, (target, _) in zip(found, node.next_functions, strict=True) if target is not None]
    return bool(known) and all(rule is not None and rule.text({}) == "0" for rule in known)


def _zeros_here(node: Any, named: Mapping[str, Any]) -> bool:
    """Whether a Node makes zeros of a gradient without any, by what it saved; what it no longer holds may be a tensor
    that has a name."""
    grads = metadata(node)
    if len(grads) != 1 or math.prod(grads[0].shape) not in range(1, SEARCHED):
        return False
    saved = [(name, _kept(node, name, named) if error else value, None) for name, value, error in saved_live(node)]
    values = {name: array for name, value, _ in saved if isinstance(array := as_arrays(value), np.ndarray)}
    values["g"] = np.random.default_rng(0).uniform(0.5, 1.5, tuple(grads[0].shape))
    rules = zip(rules_of(class_name(node), node, node.next_functions, saved), node.next_functions, strict=True)
    asked = [rule for rule, (target, _) in rules if target is not None]
    made = [rule.calculated(values) if rule is not None and rule.complete else None for rule in asked]
    return bool(made) and all(numbers is not None and numbers.size and not numbers.any() for numbers in made)


def _steady(node: Any) -> bool:
    """Whether what a Node's operation made is the same whatever it was given."""
    edges = [(target, number) for target, number in node.next_functions if target is not None]
    known = metadata(edges[0][0])[edges[0][1] :] if len(edges) == 1 else []
    if not known or math.prod(known[0].shape) not in range(1, SEARCHED):
        return False
    saved = {name: as_arrays(value) for name, value, error in saved_live(node) if error is None}
    return steady_result(class_name(node), saved, tuple(known[0].shape)) is not None


def _kept(node: Any, name: str, named: Mapping[str, Any]) -> Any:
    """The tensor that a Node had saved under a name, if a variable holds it and it is as it was."""
    tensors = [t for t in named.values() if is_tensor(t) and t.requires_grad]
    if name in results_of(class_name(node), tuple(key for key, *_ in saved_live(node))):
        return next((t for t in tensors if t.grad_fn is node), None)
    for key, (target, number) in zip(inputs_of(class_name(node)), node.next_functions, strict=False):
        if key == name and target is not None:
            first = getattr(target, "variable", None)
            if first is not None:
                return first if version_of(first) == 0 else None
            return next((t for t in tensors if t.grad_fn is target and t.output_nr == number), None)
    return None


def _nan(tensor: Any, name: str, ways: _Ways | None) -> Diagnosis:
    """Whether the tensor or the result had a nan already; else its backward must have brought them."""
    own = tensor.detach()
    if own.numel() <= SEARCHED and bool((own != own).any()):
        return Diagnosis("nan_itself", {"name": name})
    if ways is not None and ways.result is not None and ways.result.numel() <= SEARCHED:
        fields = {"name": name, "root": ways.root}
        held = ways.result.detach()
        if bool((held != held).any()):
            return Diagnosis("nan_forward", fields)
        if not bool((held.abs() == math.inf).any()):
            return Diagnosis("nan_backward", fields)
    return Diagnosis("nan", {"name": name})


def _zero(tensor: Any, name: str, ways: _Ways) -> Diagnosis:
    """Why it is all zeros, where that is certain; else what may be the reason."""
    here = partial(_zeros_here, named=dict(ways.names))
    for kind, also in (("zero_flat", ()), ("zero_steady", (_steady,)), ("zero_here", (_steady, here))):
        if flat := ways.flat(*also):
            listed = say("common.list").join(dict.fromkeys(code(class_name(node)) for node in flat))
            made = _line_of(flat[0])
            kind = "zero_overwritten" if kind == "zero_flat" and made is not None and _writes(made.computed) else kind
            return Diagnosis(kind, {"name": name, "root": ways.root, "nodes": listed}, made)
    if hooks := ways.hooks(tensor, name):
        return Diagnosis("zero_hooked", {"name": name, **hooks})
    small = str(tensor.dtype).endswith(".float16")
    return Diagnosis("zero_small" if small else "zero", {"name": name})


def _writes(source: str) -> bool:
    """Whether a line writes into a tensor in place: `y[:] = 0.`, `y.zero_()`."""
    match parsed(source):
        case ast.Module(body=[ast.Assign(targets=[ast.Subscript()])]):
            return True
        case ast.Module(body=[ast.Expr(value=ast.Call(func=ast.Attribute(attr=called)))]):
            return called.endswith("_")
    return False


def _line_of(node: Any) -> Origin | None:
    """The line that made a Node, if it is known."""
    spots = [step for step in note_of(node) if isinstance(step, Spot)]
    return line_of(spots[-1].code.co_filename, spots[-1].span[0]) if spots else None


# -- the code ----------------------------------------------------------------------------------------------------------


def backwards(space: Space) -> Iterator[tuple[Origin, str]]:
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


def _zeroed(tensor: Any, space: Space) -> bool:
    """Whether the code has anything that sets back or changes a `.grad` that may be the one of a tensor."""
    for node, _, around in statements(space):
        for inner in ast.walk(node):
            match inner:
                case ast.Attribute(attr="zero_grad", value=of):
                    held = [] if around == "function" else held_by(resolve(of, space))
                    if not held or any(t is tensor for t in held):
                        return True
                case ast.Attribute(attr="grad", ctx=ast.Store()):
                    return True
                case ast.Attribute(attr=changed, value=ast.Attribute(attr="grad" | "data")) if changed.endswith("_"):
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
            known = not around or (around == "loop" and _of_one_module(of, space))
            if not (known and _others(of, tensor, space)):
                return True
    return False


def _of_one_module(of: ast.expr, space: Space) -> bool:
    """Whether an expression in a loop is the parameters of a module that got its name outside of loops: no other one
    may have had it in an earlier turn."""
    match of:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="parameters")):
            made = [around for node, _, around in statements(space) if _gives(node, name)]
            return bool(made) and not any(made)
    return False


def _gives(node: ast.stmt, name: str) -> bool:
    """Whether a statement gives something this name."""
    return any(
        isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Store)
        for inner in ast.walk(node)
    )


def _others(of: ast.expr, tensor: Any, space: Space) -> bool:
    """Whether it is known that an expression means other tensors than this one."""
    match of:
        case ast.Call(func=ast.Attribute(value=module, attr="parameters")) if is_module(resolve(module, space)):
            held = list(resolve(module, space).parameters())
        case _:
            found = resolve(of, space)
            held = list(found) if is_a(found, (list, tuple)) else [found]
    return bool(held) and all(is_tensor(t) and t is not tensor for t in held)
