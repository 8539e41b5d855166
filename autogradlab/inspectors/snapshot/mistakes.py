"""What an error of autograd means in the user's code: the message says which mistake, frames and source say where."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FunctionType
from typing import Any

from . import forwards, reasons
from .called import called
from .callers import line_of
from .cuts import Diagnosis, cut, grouped, in_place_instead, with_points
from .failing import Failure, parsed, sources, statements
from .feeders import nodes_below
from .graph import class_name
from .kinds import attribute, is_array, is_module, is_tensor, version_of
from .misfits import misfit
from .modes import switched_off
from .names import Space
from .origins import Origin, origin

__all__ = ["because", "diagnose", "shares"]


def diagnose(failed: Failure) -> Diagnosis:
    """The mistake behind an error; kind "unknown" if it is none that is known here."""
    for pattern, find in KNOWN:
        match = re.search(pattern, failed.message)
        if match is not None:
            found = find(failed, match)
            if found is not None:
                return found
    return misfit(failed) or Diagnosis("unknown", {"error": type(failed.error).__name__})


# -- the root and the inputs of the failing call -----------------------------------------------------------------------


def _root(failed: Failure, number: int = 0) -> ast.expr | None:
    """What backward was called on, or grad asked of."""
    for call in failed.calls("backward", "grad"):
        head = ast.unparse(call.func)
        if head.endswith(("autograd.backward", "autograd.grad")) or head in ("grad", "backward"):
            first = next(
                (k.value for k in call.keywords if k.arg in ("tensors", "outputs")), call.args[0] if call.args else None
            )
            if isinstance(first, (ast.List, ast.Tuple)) and number < len(first.elts):
                return first.elts[number]
            return first
        if isinstance(call.func, ast.Attribute):
            return call.func.value
    return None


def _inputs(failed: Failure) -> list[tuple[str, Any]]:
    for call in failed.calls("grad"):
        second = next(
            (k.value for k in call.keywords if k.arg == "inputs"), call.args[1] if len(call.args) > 1 else None
        )
        parts = second.elts if isinstance(second, (ast.List, ast.Tuple)) else [second] if second is not None else []
        return [(ast.unparse(p), failed.value(p)) for p in parts]
    return []


def _target(failed: Failure) -> ast.expr | None:
    """What the failing statement changes in place."""
    if isinstance(failed.statement, ast.AugAssign):
        return failed.statement.target
    if isinstance(failed.statement, ast.Assign) and isinstance(failed.statement.targets[0], ast.Subscript):
        return failed.statement.targets[0]
    for node in ast.walk(failed.call or failed.statement or ast.Module([], [])):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            return node.func.value
    return None


def _base(node: ast.expr | None) -> str:
    """The variable in an expression such as `x[0]` or `x.data`."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return ast.unparse(node) if node is not None else "t"


# -- one function for each mistake -------------------------------------------------------------------------------------


def _no_history(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    root = _root(failed, int(match[1]))
    if (off := switched_off(failed.space)) is not None:
        return off
    if root is None:
        return Diagnosis("no_history_unread", {})
    found = cut(root, failed.space, ast.unparse(root))
    if found.kind in ("no_history", "integer", "forgotten", "forgotten_one", "unrecorded", "unrecorded_in"):
        counts, made = _counted(root, failed.space)
        if (
            not counts
            and found.kind == "integer"
            and found.cause
            and reasons.takes_learning(found.cause.computed, failed.space)
        ):
            counts, made = found.cause.source, found.cause
        if counts:
            return Diagnosis("no_history_counts", {"result": ast.unparse(root), "counts": counts}, made)
    return found


def _counted(root: ast.expr, space: Space) -> tuple[str, Origin | None]:
    """What has no derivative on the way to a result from something that requires grad, as written, and where."""
    waiting: list[tuple[str, Origin | None]] = [(ast.unparse(root), None)]
    seen: set[str] = set()
    while waiting:
        source, made = waiting.pop(0)
        if counts := reasons.without_gradient(source, space):
            return counts, made
        for name in (n.id for n in ast.walk(parsed(source) or ast.Module([], [])) if isinstance(n, ast.Name)):
            value: Any = space.get(name)
            if name not in seen and is_tensor(value) and not value.requires_grad:
                seen.add(name)
                if (came := origin(name, space)) is not None:
                    waiting.append((came.computed, came))
    return "", None


def _number_backward(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    for call in failed.calls("backward"):
        if isinstance(call.func, ast.Attribute):
            if (several := _several(call.func.value, failed)) is not None:
                return several
            if failed.value(of := call.func.value) is None and isinstance(of, ast.Name) and of.id in failed.space:
                return _nothing(of.id, failed)
            return cut(call.func.value, failed.space, ast.unparse(call.func.value))
    node = failed.call
    return cut(node.value, failed.space, ast.unparse(node.value)) if isinstance(node, ast.Attribute) else None


def _several(root: ast.expr, failed: Failure) -> Diagnosis | None:
    """That backward was called on a tuple or list of tensors, such as an LSTM returns."""
    held, name = failed.value(root), ast.unparse(root)
    if type(held) not in (list, tuple) or not any(map(is_tensor, held)):
        return None
    fields = {"name": name, "type": type(held).__name__}
    made = origin(name, failed.space)
    if all(is_tensor(t) and t.numel() == 1 for t in held):
        return Diagnosis("several_losses", fields, made)
    index = next(place for place, t in enumerate(held) if is_tensor(t))
    return Diagnosis("several", {**fields, "index": str(index)}, made)


def _nothing(name: str, failed: Failure) -> Diagnosis | None:
    """What gave a variable None in the place of a result: a backward, or a function without `return`."""
    made = origin(name, failed.space)
    match parsed(made.computed) if made is not None else None:
        case ast.Module(body=[ast.Expr(value=ast.Call(func=ast.Attribute(value=root, attr="backward")))]):
            cure = f"{name} = {ast.unparse(root)}; {name}.backward()"
            return Diagnosis("backward_kept", {"name": name, "cure": cure}, made)
        case ast.Module(body=[ast.Expr(value=ast.Call() as call)]):
            return Diagnosis("nothing_returned", {"name": name, "call": ast.unparse(call)}, made)
    return None


def _twice(failed: Failure, match: re.Match[str]) -> Diagnosis:
    root = _root(failed)
    result = "loss" if root is None else ast.unparse(root)
    value = failed.value(root)
    earlier = _earlier(
        failed,
        lambda node: any(
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr == "backward"
            and ast.unparse(n.func.value) == result
            for n in ast.walk(node)
        ),
    )
    for name, tensor in _within(failed, root):  # an expression is computed anew: something in it is not
        if any(reasons.is_freed(node) for node in nodes_below(tensor.grad_fn)):
            came = origin(name, failed.space)
            kind = "twice_carried" if _carried(name, came, failed) else "twice_shared"
            return Diagnosis(kind, {"result": result, "shared": name}, came)
    made = origin(result, failed.space) if result.isidentifier() else None
    if made is not None and is_tensor(value) and value.grad_fn is not None:
        inside = _in_loop(made, failed)
        if _carried(result, made, failed):
            return Diagnosis("twice_carried", {"result": result, "shared": result}, made)
        if earlier is None and not inside and (other := _other_backward(failed, result)) is not None:
            below = set(nodes_below(value.grad_fn))
            for name, tensor in failed.names:
                if (
                    tensor is not value
                    and getattr(tensor, "grad_fn", None) in below
                    and reasons.is_freed(tensor.grad_fn)
                ):
                    fields = {"result": result, "shared": name, "other": other[0]}
                    return Diagnosis("twice_other", fields, other[1])
        if inside or (earlier is not None and _after(made, earlier)):  # the root is new: something below it is not
            below = set(nodes_below(value.grad_fn))
            spent = [
                n
                for n, t in failed.names
                if t is not value and getattr(t, "grad_fn", None) in below and reasons.is_freed(t.grad_fn)
            ]
            for name in spent:
                came = origin(name, failed.space)
                if came is None:
                    continue
                if _carried(name, came, failed):
                    return Diagnosis("twice_carried", {"result": result, "shared": name}, came)
                if not (inside and _in_loop(came, failed)):
                    return Diagnosis("twice_shared", {"result": result, "shared": name}, came)
    return Diagnosis("twice", {"result": result, "code": "loss" if root is None else grouped(root)}, earlier)


def _other_backward(failed: Failure, result: str) -> tuple[str, Origin] | None:
    """What the last backward before started from, if that was another variable, and where it was called."""
    for node, where, _ in statements(failed.space):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward"))) if (
                name != result
            ):
                return name, where
    return None


def _within(failed: Failure, root: ast.expr | None) -> Iterator[tuple[str, Any]]:
    """The tensors with a history that an expression computes with, by name; none if it only looks something up."""
    if not any(isinstance(node, (ast.Call, ast.BinOp, ast.UnaryOp)) for node in ast.walk(root or ast.Module([], []))):
        return
    for node in ast.walk(root or ast.Module([], [])):
        if isinstance(node, ast.Name) and is_tensor(value := failed.value(node)) and value.grad_fn is not None:
            yield node.id, value


def _carried(name: str, came: Origin | None, failed: Failure) -> bool:
    """Whether each round of the loop that failed makes a variable of what the round before had left in it."""
    if came is None or not _in_loop(came, failed):
        return False
    tree = parsed(came.computed) or ast.Module([], [])
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(tree))


def _in_loop(where: Origin, failed: Failure) -> bool:
    loop = failed.loop
    return (
        loop is not None
        and failed.at is not None
        and where.cell == failed.at.cell
        and loop.lineno <= where.line <= (loop.end_lineno or 0)
    )


def _after(one: Origin, other: Origin) -> bool:
    return (one.cell or 0, one.line) > (other.cell or 0, other.line)


def _earlier(failed: Failure, wanted: Callable[[ast.stmt], bool]) -> Origin | None:
    """The last statement of a kind that ran, before the one that failed."""
    same = failed.at
    for node, where, _ in statements(failed.space):
        if wanted(node) and not (same is not None and same.line == where.line and same.cell == where.cell):
            return where
    return None


def _overwritten(failed: Failure, match: re.Match[str]) -> Diagnosis:
    shape = tuple(int(n) for n in match[1].replace(" ", "").split(",") if n)
    version = int(match[3])
    named = [(n, t) for n, t in failed.names if is_tensor(t) and tuple(t.shape) == shape and version_of(t) == version]
    named = forwards.saved(named, forwards.nodes_of(failed, _root(failed)), match[2], match[4], match[3])
    family = {n for n, t in failed.names if is_tensor(t) and any(shares(t, other) for _, other in named)} | {
        n for n, _ in named
    }
    for node, where, _ in statements(failed.space):
        target = _changed(node)
        if target is not None and (_base(target) in family or ast.unparse(target) in family):
            if failed.at is not None and where.line == failed.at.line and where.cell == failed.at.cell:
                continue
            name = named[0][0] if named else _base(target)
            fields = {"name": name, "change": where.source, "cure": _apart(node, _base(target))}
            return Diagnosis("overwritten", fields | {"then": match[4], "now": match[3]}, where)
    looked = forwards.viewed(forwards.nodes_of(failed, _root(failed)), _VIEWS, match[4], match[3])
    stepped = _stepped(failed, named or [(n, t) for n, t in failed.names if id(t) in looked])
    if stepped is not None:
        root = _root(failed)
        result = "loss" if root is None else ast.unparse(root)
        fields = {"result": result, "then": match[4], "now": match[3]}
        return replace(stepped, fields={**stepped.fields, **fields})
    if not named and (part := _part(failed, match)) is not None:
        return part
    if (inner := _inside(failed, match)) is not None and (not named or inner.kind == "overwritten"):
        return inner
    name = named[0][0] if named else ""
    key = "overwritten_by_somebody" if name else "overwritten_unnamed"
    return Diagnosis(
        key,
        {"name": name, "shape": str(shape), "then": match[4], "now": match[3]},
        origin(name, failed.space) if name else None,
    )


#: operations that give a part of a tensor, or another look at it
_VIEWS = ("AsStrided", "Select", "Slice", "View", "ReshapeAlias", "T", "Transpose", "Permute", "Unsqueeze", "Squeeze")


def _part(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    """What was saved is a part of a tensor, and the last line that writes into one of that version wrote elsewhere."""
    if match[2] is not None and match[2] not in _VIEWS:
        return None
    held = {n for n, t in failed.names if is_tensor(t) and version_of(t) == int(match[3])}
    for node, where, _ in statements(failed.space):
        target = _changed(node)
        if target is None or _base(target) not in held or not isinstance(target, ast.Subscript):
            continue
        fields = {"name": _base(target), "change": where.source, "then": match[4], "now": match[3]}
        return Diagnosis("overwritten_part", fields, where)
    return None


def _inside(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    """What was saved was made and changed where no variable of the program held it, as in the forward of a Module; the
    Node that made it says its line."""
    node = forwards.overwritten(forwards.nodes_of(failed, _root(failed)), match[2], match[4], match[3])
    made = None if node is None else forwards.made_of(node, failed)
    if made is None:
        return None
    for statement, where in made.later:
        target = _changed(statement)
        if target is not None and _base(target) in made.names:
            fields = {"name": _base(target), "change": where.source, "cure": _apart(statement, _base(target))}
            return Diagnosis("overwritten", fields | {"then": match[4], "now": match[3]}, where)
    fields = {"source": made.origin.source, "then": match[4], "now": match[3]}
    return Diagnosis("overwritten_result", fields, made.origin)


def _nan_made(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """Anomaly mode has stopped a backward at the first Node that hands on a nan."""
    nodes = [n for n in forwards.nodes_of(failed, _root(failed)) if class_name(n) == match[1]]
    found = [forwards.made_of(node, failed) for node in nodes]
    places = {made.origin if made is not None else None for made in found}
    return Diagnosis("nan_made", {"node": match[1]}, places.pop() if len(places) == 1 else None)


def _stepped(failed: Failure, held: list[tuple[str, Any]]) -> Diagnosis | None:
    """Whether the step of an optimizer has changed a tensor: which call, and of which it was."""
    for node, where, _ in statements(failed.space):
        for call in ast.walk(node):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "step"):
                continue
            groups = attribute(failed.value(call.func.value), "param_groups")
            params = [p for group in groups for p in group["params"]] if isinstance(groups, list) else []
            for name, tensor in held:
                if any(p is tensor or (is_tensor(p) and shares(p, tensor)) for p in params):
                    return Diagnosis("overwritten_by_step", {"name": name, "change": ast.unparse(call)}, where)
    return None


def shares(a: Any, b: Any) -> bool:
    """Whether two tensors lie in one piece of memory."""
    try:
        return bool(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() and a.numel() and b.numel())
    except RuntimeError:
        return False


def _changed(node: ast.stmt) -> ast.expr | None:
    """What a statement changes in place, if it does."""
    if isinstance(node, ast.AugAssign):
        return node.target
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return node.targets[0]
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr.endswith("_"):
            if not inner.func.attr.endswith("__") and inner.func.attr not in ("requires_grad_", "detach_"):
                return inner.func.value
    return None


def _apart(node: ast.stmt, name: str) -> str:
    """The statement so that it makes a new tensor: `x += 1` becomes `x = x + 1`."""
    match node:
        case ast.AugAssign(ast.Name() as target, op, value):
            return f"{name} = {ast.unparse(ast.BinOp(target, op, value))}"
        case ast.Expr(ast.Call(ast.Attribute(ast.Name() as of, method), args, keywords)):
            apart = method.rstrip("_")
            if apart not in ("zero", "fill", "copy", "set"):
                return f"{name} = {ast.unparse(ast.Call(ast.Attribute(of, apart), args, keywords))}"
    return f"{name} = {name}.clone(); {' '.join(ast.unparse(node).split())}"


def _leaf_changed(failed: Failure, match: re.Match[str]) -> Diagnosis:
    target = _target(failed)
    name = _base(target)
    source = " ".join(ast.unparse(failed.statement).split()) if failed.statement is not None else f"{name} -= ..."
    held: Any = failed.space.get(name)
    of_view = "a view of a leaf" in failed.message and not (is_tensor(held) and held.is_leaf)
    kind = "leaf_view_in_place" if of_view else "leaf_in_place"
    apart = _apart(failed.statement, name) if failed.statement is not None else f"{name} = {name} - ..."
    fields = {"name": name, "change": source, "apart": apart}
    return Diagnosis(kind, fields, origin(name, failed.space, False))


def _not_scalar(failed: Failure, match: re.Match[str]) -> Diagnosis:
    root = _root(failed)
    result, value = "loss" if root is None else ast.unparse(root), failed.value(root)
    shape = str(tuple(value.shape)) if is_tensor(value) else ""
    key = "not_scalar" if shape else "not_scalar_unnamed"
    key = "not_real" if "complex" in failed.message else key
    return Diagnosis(
        key,
        {"result": result, "shape": shape, "code": "loss" if root is None else grouped(root)},
        origin(result, failed.space) if result.isidentifier() else None,
    )


def _start_shape(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """The gradient that a backward was to start with has another shape than what it starts from."""
    root = _root(failed, int(match[1]))
    result = "loss" if root is None else ast.unparse(root)
    given, shape = (str(tuple(int(n) for n in found.split(",") if n.strip())) for found in (match[2], match[3]))
    kind = "start_shape" if shape != "()" else "start_shape_single"
    fields = {"result": result, "code": "loss" if root is None else grouped(root), "given": given, "shape": shape}
    return Diagnosis(kind, fields, origin(result, failed.space) if result.isidentifier() else None)


def _unused(failed: Failure, match: re.Match[str]) -> Diagnosis:
    root = _root(failed)
    result, value = "y" if root is None else ast.unparse(root), failed.value(root)
    below = set(nodes_below(value.grad_fn)) if is_tensor(value) else set()
    leaves = {id(n.variable) for n in below if hasattr(n, "variable")}
    inputs = _inputs(failed)
    if match[1] is not None and int(match[1]) < len(inputs):
        inputs = [inputs[int(match[1])]]
    for name, tensor in inputs:
        if is_tensor(tensor) and (
            tensor.grad_fn not in below if tensor.grad_fn is not None else id(tensor) not in leaves
        ):
            made, used = origin(name, failed.space), origin(result, failed.space) if result.isidentifier() else None
            later = made is not None and used is not None and _after(made, used)
            return Diagnosis("unused_rebound" if later else "unused", {"name": name, "result": result}, made)
    return Diagnosis("unused", {"name": ", ".join(n for n, _ in inputs) or "x", "result": result})


def _input_without(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    for name, tensor in _inputs(failed):
        if is_tensor(tensor) and not tensor.requires_grad:
            return Diagnosis("input_without", {"name": name}, origin(name, failed.space))
    root = _root(failed)
    return None if root is None else cut(root, failed.space, ast.unparse(root))


def _whole_numbers(failed: Failure, match: re.Match[str]) -> Diagnosis:
    call = failed.call if isinstance(failed.call, ast.Call) else None
    name = "t"
    if isinstance(failed.statement, ast.Assign):
        name = ast.unparse(failed.statement.targets[0])
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        name = ast.unparse(call.func.value)
        return Diagnosis(
            "integer_asked",
            {"name": name, "cure": f"{name} = {name}.float().requires_grad_()"},
            origin(name, failed.space),
        )
    if name.endswith(".requires_grad"):
        name = name.removesuffix(".requires_grad")
        return Diagnosis(
            "integer_asked",
            {"name": name, "cure": f"{name} = {name}.float().requires_grad_()"},
            origin(name, failed.space),
        )
    cure = f"{name} = {with_points(call)}" if call is not None else f"{name} = {name}.float().requires_grad_()"
    return Diagnosis("integer_asked", {"name": name, "cure": cure})


def _optimizer(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    held: list[tuple[str, Any]] = []
    for node in ast.walk(failed.call or failed.statement or ast.Module([], [])):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            value = failed.value(node)
            values = [(ast.unparse(node), value)] if is_tensor(value) else []
            if type(value) in (list, tuple):
                values = [
                    (failed.names.of(t) or f"{ast.unparse(node)}[{i}]", t) for i, t in enumerate(value) if is_tensor(t)
                ]
            held += values
    for name, tensor in held:
        if not tensor.is_leaf:
            made = origin(name, failed.space)
            return Diagnosis(
                "optimizer_non_leaf", {"name": name, "source": made and made.computed or tensor.grad_fn.name()}, made
            )
    lists = (arg for arg in getattr(failed.call, "args", ()) if isinstance(arg, (ast.List, ast.Tuple)))
    computed = [
        part for listed in lists for part in listed.elts if isinstance(part, (ast.BinOp, ast.UnaryOp, ast.Call))
    ]
    if len(computed) == 1:
        return Diagnosis("optimizer_computed", {"source": ast.unparse(computed[0])})
    return None


def _sizes(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """Two tensors that do not broadcast."""
    fields = {"one": match[1], "other": match[2], "dim": match[3]}
    operands = _operands(failed)
    if operands is None:
        return Diagnosis("sizes", fields)
    a, b = (ast.unparse(part) for part in operands)
    return Diagnosis("sizes_of", {**fields, "a": a, "b": b})


def _product(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """Two matrices that cannot be multiplied; what a Linear is given, where it is called by its name."""
    rows, columns, below, across = (match[k] for k in range(1, 5))
    fields = {"rows": rows, "columns": columns, "below": below, "across": across}
    match failed.call:
        case ast.Call(func=called, args=[given]):
            layer = failed.value(called)
            if is_module(layer) and str(attribute(layer, "in_features")) == below:
                return Diagnosis("features", {**fields, "layer": ast.unparse(called), "name": ast.unparse(given)})
    return Diagnosis("product" if rows == below or columns == across else "product_other", fields)


def _operands(failed: Failure) -> tuple[ast.expr, ast.expr] | None:
    """The two tensors of the call that failed, as they are written."""
    match failed.call:
        case ast.BinOp(left=a, right=b):
            return a, b
        case ast.Call(func=ast.Attribute(value=a), args=[b]) if is_tensor(failed.value(a)):
            return a, b
        case ast.Call(func=ast.Attribute(), args=[a, b]):
            return a, b
    match failed.statement:
        case ast.AugAssign(target=a, value=b):
            return a, b
    return None


def _of_inference(failed: Failure, match: re.Match[str]) -> Diagnosis:
    return Diagnosis("saved_inference")


def _to_numpy(failed: Failure, match: re.Match[str]) -> Diagnosis:
    for call in failed.calls("numpy"):
        if isinstance(call.func, ast.Attribute):
            name = ast.unparse(call.func.value)
            return Diagnosis(
                "to_numpy",
                {"name": name, "code": grouped(call.func.value)},
                origin(name, failed.space) if name.isidentifier() else None,
            )
    tensors = [
        n.id
        for n in ast.walk(failed.call or failed.statement or ast.Module([], []))
        if isinstance(n, ast.Name) and is_tensor(failed.value(n))
    ]
    name = tensors[0] if tensors else "t"
    return Diagnosis("to_numpy", {"name": name, "code": name})


def _no_gradient(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    """Something was done with a `.grad` that is None."""
    for node in _gradients(failed.statement):
        tensor = failed.value(node.value)
        if is_tensor(tensor) and (tensor.grad is None if tensor.is_leaf or tensor.retains_grad else True):
            name = ast.unparse(node.value)
            reason = reasons.grad_reason(tensor, failed.names, failed.space, name)
            if "'zero_'" in failed.message and reason.kind in ("no_backward", "off_path", "unused", "cleared"):
                return Diagnosis("zeroed_none", {"name": name, "cure": f"{name}.grad = None"})
            return because(reason, name, origin(name, failed.space))
    return None


def because(reason: reasons.Reason, name: str, made: Origin | None) -> Diagnosis:
    """The reason of a `.grad` that is None as a diagnosis, with what to write where that is clear."""
    fields = {
        "name": name,
        "sentence": reasons.sentence(reason),
        "todo": reasons.cure(reason),
        "lead": reasons.lead(reason),
    }
    again = reason.kind in ("rebound", "rebound_block") and made is not None
    code = in_place_instead(name, made.computed) if again and made is not None else None
    return Diagnosis("no_gradient", fields | ({"cure": code} if code else {}), made)


def _gradients(statement: ast.stmt | None) -> Iterator[ast.Attribute]:
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            yield node


def _hook_on_data(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    for call in failed.calls("register_hook", "retain_grad", "register_post_accumulate_grad_hook"):
        if isinstance(call.func, ast.Attribute):
            name = ast.unparse(call.func.value)
            value = failed.value(call.func.value)
            if is_tensor(value) or is_array(value):
                found = cut(call.func.value, failed.space, name)
                return None if found.kind == "no_history" else found
    return None


def _count_returned(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """The backward of a Function has returned more or fewer gradients than its forward has arguments."""
    name, expected, got = match[1], int(match[2]), int(match[3])
    kind = "returned_few" if got < expected else "returned_many"
    cure = f"return {', '.join(['grad', *['None'] * (expected - 1)])}"
    return Diagnosis(kind, {"function": name, "expected": match[2], "got": match[3], "example": cure})


def _wrong_shape(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """A Node has returned a gradient that does not fit the tensor that it is for."""
    given, wanted = (str(tuple(int(n) for n in found.split(",") if n.strip())) for found in (match[3], match[4]))
    fields = {"function": match[1], "number": str(int(match[2]) + 1), "given": given, "wanted": wanted}
    return Diagnosis("returned_shape", fields)


def _no_name(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    """A name that nothing has been given to yet: where a line does so, which has not run."""
    name = match[1] or match[2]
    for cell, file, source in sources(failed.space):
        tree = parsed(source)
        for node in ast.walk(tree) if tree is not None else ():
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if isinstance(node, ast.stmt) and any(isinstance(t, ast.Name) and t.id == name for t in targets):
                found = Origin(cell, file, node.lineno, " ".join(ast.unparse(node).split("\n", 1)[0].split()))
                return Diagnosis("not_assigned", {"name": name}, found)
    near = difflib.get_close_matches(name, [n for n, held in failed.space.items() if is_tensor(held)], 1)
    if near:
        return Diagnosis("not_known_near", {"name": name, "near": near[0]})
    return Diagnosis("not_known", {"name": name}) if any(failed.calls("backward", "grad")) else None


def _not_scalar_of(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """`torch.func.grad` of a function that returns no single number."""
    function = _transformed(failed)
    if match["got"] is not None:
        return Diagnosis("function_number", {"function": function, "type": match["got"]})
    return Diagnosis("function_many", {"function": function, "dims": match["dims"]})


def _transformed(failed: Failure) -> str:
    """The function that a transform was given, as it is written."""
    call = failed.call.func if isinstance(failed.call, ast.Call) else failed.call
    made = origin(call.id, failed.space) if isinstance(call, ast.Name) else None
    tree = parsed(made.computed) if made is not None else call
    for node in ast.walk(tree or ast.Module([], [])):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
            return node.args[0].id
    return "f"


def _in_vmap(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """What a function under vmap cannot do with one row at a time."""
    kind = "vmap_number" if match[1] else "vmap_decides" if match[2] else "vmap_random"
    return Diagnosis(kind, {"call": match[1]} if match[1] else {})


def _forward_takes(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    """The forward of a Function without a place for ctx."""
    for call in failed.calls("apply"):
        function: Any = failed.value(call.func.value) if isinstance(call.func, ast.Attribute) else None
        forward = attribute(function, "forward")
        if isinstance(forward, FunctionType) and match[1].endswith(f"{function.__name__}.forward"):
            takes = list(inspect.signature(forward).parameters)
            given = len(call.args)
            if len(takes) == given and "ctx" not in takes and int(match[2]) == given + 1:
                fields = {"function": function.__name__, "cure": f"def forward({', '.join(['ctx', *takes])}):"}
                return Diagnosis("forward_without_ctx", fields, _head(forward))
    return None


def _head(function: FunctionType) -> Origin:
    """The line of a function's `def`, below what decorates it."""
    known = called(function)
    code = function.__code__
    return line_of(code.co_filename, code.co_firstlineno if known is None else known.body.lineno)


def _function_called(failed: Failure, match: re.Match[str]) -> Diagnosis | None:
    """A Function that was made and called, where `apply` was meant."""
    match failed.call or failed.statement:
        case ast.Call(func=ast.Call(func=function), args=given):
            name = ast.unparse(function)
            cure = f"{name}.apply({', '.join(map(ast.unparse, given))})"
            return Diagnosis("function_called", {"function": name, "cure": cure})
    return Diagnosis("function_called_unread")


def _hook_turned(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """A hook has returned a gradient of another shape or dtype."""
    return Diagnosis("hook_size" if match[2] == "size" else "hook_type", {"hook": match[1]})


def _hook_no_tensor(failed: Failure, match: re.Match[str]) -> Diagnosis:
    return Diagnosis("hook_no_tensor", {"type": match[1]})


def _hook_on_result(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """A hook for what `.grad` accumulates was put on a result, which accumulates nothing."""
    for call in failed.calls("register_post_accumulate_grad_hook"):
        if isinstance(call.func, ast.Attribute):
            name = ast.unparse(call.func.value)
            return Diagnosis("hook_on_result", {"name": name}, origin(name, failed.space))
    return Diagnosis("hook_on_result", {"name": "t"})


def _hook_returned(failed: Failure, match: re.Match[str]) -> Diagnosis:
    return Diagnosis("hook_returned")


def _one_place(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """A tensor of which several elements are one cell of memory was to be changed in place."""
    return Diagnosis("one_place", {"name": _base(_target(failed))})


def _two_libraries(failed: Failure, match: re.Match[str]) -> Diagnosis:
    """A function of PyTorch was given tensors of autogradlab, or the other way round."""
    return Diagnosis("two_libraries")


def _no_device(failed: Failure, match: re.Match[str]) -> Diagnosis:
    return Diagnosis("no_device", {"cure": 'device = "cuda" if torch.cuda.is_available() else "cpu"'})


#: what a message looks like -> who looks into it
KNOWN: tuple[tuple[str, Callable[[Failure, re.Match[str]], Diagnosis | None]], ...] = (
    (r"element (\d+) of tensors does not require grad and does not have a grad_fn", _no_history),
    (r"has no attribute 'backward'", _number_backward),
    (r"Trying to backward through the graph a second time", _twice),
    (
        (
            r"inplace operation: \[[\w.]+ \[([\d, ]*)\]\]"
            r"(?:, which is output \d+ of (?:torch::autograd::)?(\w+),)?,? is at version (\d+); "
            r"expected version (\d+)"
        ),
        _overwritten,
    ),
    (r"leaf Variable that requires grad is being used in an in-place operation", _leaf_changed),
    (r"grad can be implicitly created only for (?:scalar|real scalar) outputs", _not_scalar),
    (
        (
            r"Mismatch in shape: grad_output\[(\d+)\] has a shape of torch\.Size\(\[([\d, ]*)\]\) and "
            r"output\[\d+\] has a shape of torch\.Size\(\[([\d, ]*)\]\)"
        ),
        _start_shape,
    ),
    (r"ifferentiated Tensors? (?:at index (\d+) )?appears to not have been used in the graph", _unused),
    (r"differentiated Tensors does not require grad", _input_without),
    (r"[Oo]nly Tensors of floating point (?:and complex )?dtype can require gradients", _whole_numbers),
    (r"can't optimize a non-leaf Tensor", _optimizer),
    (r"Can't call numpy\(\) on Tensor that requires grad", _to_numpy),
    (r"doesn't require gradient|that has requires_grad=False", _hook_on_data),
    (
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        _sizes,
    ),
    (r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", _product),
    (r"Function '(\w+)' returned nan values in its \d+th output", _nan_made),
    (r"Inference tensors cannot be saved for backward", _of_inference),
    (
        r"function (\w+)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)",
        _count_returned,
    ),
    (r"(\w+\.forward)\(\) takes \d+ positional arguments? but (\d+) (?:was|were) given", _forward_takes),
    (r"Legacy autograd function with non-static forward method", _function_called),
    (r"hook '(.+)' has changed the (size|type) of value", _hook_turned),
    (r"post accumulate grad hooks should return None", _hook_returned),
    (r"post accumulate grad hooks cannot be registered on non-leaf tensors", _hook_on_result),
    (r"^expected Variable, but hook returned '(.+)'", _hook_no_tensor),
    (
        (
            r"^Function (\w+)Backward returned an invalid gradient at index (\d+) - got \[([\d, ]*)\] but expected "
            r"shape compatible with \[([\d, ]*)\]"
        ),
        _wrong_shape,
    ),
    (
        (
            r"Expected f\(\*args\) to return a (?:scalar Tensor, got tensor with (?P<dims>\d+) dims|"
            r"Tensor, got <class '(?P<got>[\w.]+)'>)"
        ),
        _not_scalar_of,
    ),
    (
        (
            r"^vmap: (?:It looks like you're (?:calling (\.\w+\(\)) on a Tensor|attempting to use a Tensor in some "
            r"(data-dependent) control flow)|called random operation while in randomness error mode)"
        ),
        _in_vmap,
    ),
    (
        (
            r"^(?:name '(\w+)' is not defined|cannot access local variable '(\w+)' where it is not associated with a "
            r"value)"
        ),
        _no_name,
    ),
    (r"more than one element of the written-to tensor refers to a single memory location", _one_place),
    (r"Torch not compiled with CUDA enabled|Found no NVIDIA driver on your system", _no_device),
    (r"PyTorch and autogradlab cannot compute with tensors of each other", _two_libraries),
    (r"optimizer can only optimize Tensors, but one of the params is torch\.Tensor", _two_libraries),
    (r"'?NoneType'?", _no_gradient),
)
