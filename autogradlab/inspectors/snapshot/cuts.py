"""Why a result has no history: followed back from variable to variable through the code that made them."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from ..prose import code
from ..words import say
from .called import Called, called, hooks_of
from .callers import line_of
from .failing import parsed, resolve, statements
from .kinds import is_array, is_module, is_tensor
from .names import Space
from .origins import Origin, of_several, origin

__all__ = [
    "Diagnosis",
    "called_in",
    "copied",
    "cut",
    "gradient_in",
    "grouped",
    "in_place_instead",
    "instead",
    "learns",
    "names_itself",
    "leaves_by",
    "left_in",
    "of_gradient",
    "unrecorded",
    "unrecording",
    "was_to_learn",
    "with_keyword",
    "with_points",
]

#: attributes of a tensor whose results have left the graph, and functions that make a number of it
LEAVING = ("detach", "detach_", "data", "item", "numpy", "tolist")
NUMBERS = ("float", "int", "bool", "complex")

#: how names of parameters begin, where one of several inputs must be meant
LIKELY = ("w", "b", "theta", "param", "a", "x")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong, as a key of words/why.toml (or of another file there) with its fields, and where its cause is."""

    kind: str
    fields: Mapping[str, str] = field(default_factory=dict)
    cause: Origin | None = None
    words: str = "why"


def cut(expression: ast.AST | None, space: Space, result: str) -> Diagnosis:
    """Why the value of an expression does not require grad. `result` is what it is called."""
    leaves: list[tuple[str, Any, Origin | None]] = []
    found = _follow(expression, space, result, None, leaves, set())
    if found is not None:
        return found
    tensors = [(n, t, o) for n, t, o in leaves if is_tensor(t) and not t.requires_grad and t.grad_fn is None]
    whole = [leaf for leaf in tensors if not (leaf[1].is_floating_point() or leaf[1].is_complex())]
    real = [leaf for leaf in tensors if leaf not in whole]
    if not real and whole:
        name, tensor, made = whole[0]
        return Diagnosis(
            "integer",
            {"name": name, "dtype": str(tensor.dtype).removeprefix("torch."), "cure": _floats(name, made)},
            made,
        )
    if expression is not None and was_to_learn(expression, space):
        return unrecorded(expression, space, {"name": result, "source": ast.unparse(expression)}, None)
    frozen, bare = _not_learning(expression, space)
    if frozen:
        names = say("common.list").join(map(code, frozen))
        call = "; ".join(f"{name}.requires_grad_()" for name in frozen)
        return Diagnosis("frozen_module", {"result": result, "names": names, "call": call}, _made(result, space))
    if bare:
        names = say("common.list").join(map(code, bare))
        return Diagnosis("bare_module", {"result": result, "names": names}, _made(result, space))
    if real:
        name, _, made = min(
            real, key=lambda leaf: next((i for i, p in enumerate(LIKELY) if leaf[0].lower().startswith(p)), 99)
        )
        if made is not None and _is_gradient(made.computed):
            kind = "gradient_itself" if name == result else "gradient"
            return Diagnosis(kind, {"result": result, "name": name, "source": made.source}, made)
        others = ", ".join(map(code, dict.fromkeys(n for n, _, _ in tensors)))
        kind = "forgotten" if "," in others else "forgotten_itself" if name == result else "forgotten_one"
        return Diagnosis(
            kind,
            {"result": result, "names": others, "name": name, "cure": _required(name, made)},
            made,
        )
    return Diagnosis("no_history", {"result": result}, _made(result, space))


def _made(result: str, space: Space) -> Origin | None:
    return origin(result, space) if result.isidentifier() else None


def _not_learning(expression: ast.AST | None, space: Space) -> tuple[list[str], list[str]]:
    """The Modules by which an expression was computed of which no parameter requires grad; and those of the learner
    that have none."""
    frozen: dict[str, None] = {}
    bare: dict[str, None] = {}
    waiting, seen = [expression], set[str]()
    while waiting:
        for node in ast.walk(waiting.pop() or ast.Module([], [])):
            module: Any = resolve(node.func, space) if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and is_module(module):
                learning = [parameter.requires_grad for parameter in module.parameters()]
                if learning and not any(learning):
                    frozen[ast.unparse(node.func)] = None
                elif not learning and called(module) is not None:
                    bare[ast.unparse(node.func)] = None
            if isinstance(node, ast.Name) and node.id not in seen and is_tensor(space.get(node.id)):
                seen.add(node.id)
                made = origin(node.id, space)
                waiting.append(parsed(made.computed) if made is not None else None)
    return list(frozen), list(bare)


def _follow(
    node: ast.AST | None,
    space: Space,
    name: str,
    made: Origin | None,
    leaves: list[tuple[str, Any, Origin | None]],
    seen: set[str],
) -> Diagnosis | None:
    """The first cut on the way back from an expression; on the way the variables that it ends in are collected."""
    if node is None:
        return None
    for inner in () if of_several(node) else ast.walk(node):
        left = leaves_by(inner, space)
        if left is not None and not (isinstance(inner, ast.Attribute) and of_gradient(inner)):
            kind, spelled = left
            source, whole = ast.unparse(node), instead(node, space)
            statement = isinstance(node, ast.Module) and not isinstance(node.body[0], ast.Expr)
            cure = whole if made is None or statement else f"{name} = {whole}"
            by_numpy = spelled == ".numpy()" and _by_numpy(node, space)
            told = {"todo": say("why.numpy_cure")} if by_numpy else {"cure": cure}
            return Diagnosis(kind, {"name": name, "source": source, "cut": spelled, **told}, made)
    if looked := gradient_in(node, space):
        kind = "gradient_itself" if looked == name else "gradient"
        return Diagnosis(kind, {"result": name, "name": looked}, made)
    for variable, value in _variables(node, space):
        if variable in seen:
            continue
        seen.add(variable)
        if is_tensor(value) and value.requires_grad:
            continue
        number = type(value) in (int, float, list, tuple) or type(value).__module__ == "numpy"
        if not (is_tensor(value) or is_array(value) or number):
            continue
        came = origin(variable, space)
        if came is not None:
            block = unrecording(came.within)
            if block is not None and names_itself(came, variable):
                fields = {"name": variable, "source": came.source, "block": block}
                instead_of = in_place_instead(variable, came.computed)
                told = fields | ({"cure": instead_of} if instead_of else {})
                return Diagnosis("rebound_block", told, came, "reasons")
            if block is not None and _made_of_tensors(came, space, variable):
                return Diagnosis("no_grad", {"name": variable, "block": block}, came)
            count = len(leaves)
            tree = parsed(came.computed)
            found = _follow(tree, space, variable, came, leaves, seen)
            if found is not None:
                return found
            real = is_tensor(value) and (value.is_floating_point() or value.is_complex())
            if real and not _is_gradient(came.computed) and was_to_learn(tree, space):
                return unrecorded(tree, space, {"name": variable, "source": came.source}, came)
            if len(leaves) > count:
                continue  # it is made of those
        if (found := _put_into(variable, value, space)) is not None:
            return found
        leaves.append((variable, value, came))
    return None


def _variables(node: ast.AST, space: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The variables that an expression names, and what they hold; of `pair[0]` that tensor, by its own variable if it
    has one, and not the whole `pair`."""
    waiting: deque[ast.AST] = deque([node])
    while waiting:
        inner = waiting.popleft()
        held = resolve(inner, space) if isinstance(inner, ast.Subscript) else None
        if is_tensor(held):
            yield next((name for name, value in space.items() if value is held), ast.unparse(inner)), held
        else:
            if isinstance(inner, ast.Name):
                yield inner.id, space.get(inner.id)
            waiting.extend(ast.iter_child_nodes(inner))


def _by_numpy(node: ast.AST, space: Mapping[str, Any]) -> bool:
    """Whether an expression calls a function of NumPy, which takes no tensor in the place of an array."""
    modules = (space.get(n.id) for n in ast.walk(node) if isinstance(n, ast.Name))
    return any(isinstance(module, ModuleType) and module.__name__ == "numpy" for module in modules)


def _put_into(name: str, held: Any, space: Space) -> Diagnosis | None:
    """What was put into a list by lines such as `losses.append(loss.item())`, or into a tensor by `out[i] = y.item()`,
    if that has left the graph."""
    if not (type(held) is list or is_tensor(held)):
        return None
    for node, where, _ in statements(space):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=into), attr="append"), args=[given])):
                wanted = type(held) is list
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=into))], value=given):
                wanted = is_tensor(held) and learns(_whole(given), space)
            case _:
                continue
        left = (leaves_by(inner, space) for inner in ast.walk(given)) if wanted and into == name else ()
        if (spelled := next((found for found in left if found is not None), None)) is not None:
            fields = {"name": name, "source": ast.unparse(given), "cut": spelled[1], "cure": instead(node, space)}
            return Diagnosis(spelled[0], fields, where)
    return None


def _whole(node: ast.expr) -> ast.AST:
    """An expression without what leaves the graph at its outside: of `y.item()` that is `y`."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr=attr)) if attr in LEAVING:
            return _whole(of)
        case ast.Attribute(value=of, attr=attr) if attr in LEAVING:
            return _whole(of)
    return node


def unrecording(within: Iterable[str]) -> str | None:
    """The outermost of some `with` statements in which nothing is recorded."""
    return next((w for w in within if "no_grad" in w or "inference_mode" in w or "grad_enabled(False)" in w), None)


def leaves_by(node: ast.AST, space: Mapping[str, Any], unknown: bool = False) -> tuple[str, str] | None:
    """By what a part of an expression leaves the graph, "cut" or "numbers", and how it is spelled; None if it stays.
    `unknown`: not every name in it is one of the space."""
    match node:
        case ast.Attribute(attr=attr) if attr in LEAVING:
            kind = "cut" if attr in ("detach", "detach_", "data") else "numbers"
            return kind, f".{attr}" if attr == "data" else f".{attr}()"
        case ast.Call(func=ast.Name(id=name), args=[of], keywords=[]) if name in NUMBERS:
            if not unknown and any(isinstance(n, ast.Name) and is_tensor(space.get(n.id)) for n in ast.walk(of)):
                return "numbers", f"{name}(...)"
        case ast.Call(func=ast.Attribute(attr="Parameter") as maker, args=[of, *_]) if learns(ast.Expr(of), space):
            return "cut", f"{ast.unparse(maker)}(...)"
        case ast.Call(func=ast.Attribute() as maker, args=[of, *_]) if _copies(maker, of):
            return ("numbers", f"{ast.unparse(maker)}(...)") if learns(ast.Expr(of), space) else None
    return None


def _copies(maker: ast.Attribute, of: ast.expr) -> bool:
    """Whether a call makes a new tensor of the numbers in others: `torch.tensor(x)`, `torch.as_tensor([x, y])`."""
    listed = isinstance(of, (ast.List, ast.Tuple)) and (maker.attr == "as_tensor" or maker.attr.endswith("Tensor"))
    return maker.attr in ("tensor", "new_tensor") or listed


def copied(spelled: str) -> bool:
    """Whether that is how `leaves_by` spells it."""
    return spelled.endswith("ensor(...)")


def instead(node: ast.AST, space: Mapping[str, Any]) -> str:
    """An expression or statement without what leaves the graph in it."""
    return ast.unparse(_Uncut(space).visit(ast.parse(ast.unparse(node))))


def _plain(part: ast.expr) -> bool:
    """Whether it is written in numbers alone."""
    return not any(isinstance(inner, (ast.Name, ast.Call)) for inner in ast.walk(part))


def _joined(part: ast.expr, torch: ast.expr, space: Mapping[str, Any]) -> ast.expr:
    """What `torch.tensor(...)` takes numbers of, so that gradients go through it."""
    stack = ast.Attribute(torch, "stack", ast.Load())
    match part:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            whole = ast.List([_joined(inner, torch, space) for inner in parts], ast.Load())
            return ast.Call(stack, [whole], [])
        case ast.ListComp():
            return ast.Call(stack, [part], [])
        case ast.Constant():
            return ast.Call(ast.Attribute(torch, "tensor", ast.Load()), [part], [])
    return ast.Call(stack, [part], []) if _of_tensors(resolve(part, space)) else part


class _Uncut(ast.NodeTransformer):
    """Takes `.detach()`, `.item()`, `float(...)` and their like out of an expression; `torch.tensor([...])` becomes
    `torch.stack([...])`."""

    def __init__(self, space: Mapping[str, Any]) -> None:
        self.space = space

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute() as maker, args=[part, *_]) if _copies(maker, part) and not _plain(part):
                torch = ast.Name("torch") if maker.attr == "new_tensor" else maker.value
                return _joined(part, torch, self.space)
        if isinstance(node.func, ast.Name) and node.func.id in NUMBERS and len(node.args) == 1:
            return node.args[0]
        leaves = isinstance(node.func, ast.Attribute) and node.func.attr in LEAVING
        return node.func.value if leaves and isinstance(node.func, ast.Attribute) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return node.value if node.attr == "data" else node


def _is_gradient(source: str) -> bool:
    """Whether an expression asks for a gradient: `torch.autograd.grad(...)` or `w.grad`."""
    match parsed(source):
        case ast.Module(body=[ast.Expr(value=ast.Attribute(attr="grad") | ast.Call(func=ast.Attribute(attr="grad")))]):
            return True
    return False


def of_gradient(node: ast.Attribute) -> bool:
    """`w.grad.data` says nothing about `w`."""
    return isinstance(node.value, ast.Attribute) and node.value.attr == "grad"


def gradient_in(node: ast.AST, space: Mapping[str, Any]) -> str:
    """The `.grad` without a graph that an expression computes with, as written; "" for none. That of which numbers were
    taken on purpose, `w.grad.data`, is none."""
    taken = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr in LEAVING}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr == "grad" and id(inner) not in taken:
            held = resolve(inner, space)
            if is_tensor(held) and not held.requires_grad:
                return ast.unparse(inner)
    return ""


#: attributes and calls that say something about a tensor and take none of its numbers, and functions likewise
_ABOUT = ("shape", "dtype", "device", "layout", "ndim", "grad", "is_leaf", "requires_grad")
_ASKED = ("size", "dim", "numel", "stride", "state_dict", "len", "type", "isinstance", "range")


#: functions in functions that are looked into
_DEEPEST = 4


def learns(node: ast.AST | None, space: Mapping[str, Any], deep: int = 0) -> bool:
    """Whether an expression computes with a tensor that requires grad, or calls a Module of which something does, or a
    function of the learner that does."""
    if node is None or of_several(node):
        return False
    match node:
        case ast.Attribute(attr=attr) if attr in _ABOUT or attr in LEAVING:
            return False
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if (
            name in _ASKED or name.endswith("_like") or name.startswith("new_")
        ):
            return False
        case ast.Call(func=of) if is_module(module := resolve(of, space)):
            if any(parameter.requires_grad for parameter in module.parameters()):
                return True
        case ast.Call(func=name) if deep < _DEEPEST and (function := called(resolve(name, space))) is not None:
            if any(learns(statement, function.outside, deep + 1) for statement in function.body.body):
                return True
    held = resolve(node, space)
    if is_tensor(held):
        return bool(held.requires_grad)
    if _of_tensors(held) and any(bool(t.requires_grad) for t in held if is_tensor(t)):
        return True
    return any(learns(inner, space, deep) for inner in ast.iter_child_nodes(node))


def _of_tensors(held: Any) -> bool:
    """Whether it is a list or tuple that has tensors in it, such as the losses of a loop."""
    return type(held) in (list, tuple) and any(map(is_tensor, held))


def unrecorded(node: ast.AST | None, space: Mapping[str, Any], told: dict[str, str], made: Origin | None) -> Diagnosis:
    """That an expression computes with what requires grad and has no graph; with the one thing in what it calls that
    keeps it from having one, if there is just one."""
    found = {(function.file, line, spelled): function for function, spelled, line in left_in(node, space)}
    if len(found) != 1:
        return Diagnosis("unrecorded", told, made, "reasons")
    (((_, line, spelled), function),) = found.items()
    fields = {**told, "function": function.name, "cut": spelled}
    return Diagnosis("unrecorded_in", fields, line_of(function.file, line), "reasons")


def was_to_learn(node: ast.AST | None, space: Mapping[str, Any]) -> bool:
    """Whether an expression computes with what requires grad, or calls a function that takes some out of the graph."""
    return learns(node, space) or any(
        isinstance(inner, ast.Attribute) and inner.attr in LEAVING and learns(inner.value, function.outside)
        for function in called_in(node, space)
        for inner in ast.walk(function.body)
    )


def called_in(node: ast.AST | None, space: Mapping[str, Any]) -> Iterator[Called]:
    """The functions of the learner that an expression calls; of a Module of a library, such as an `nn.Sequential`,
    those of the Modules in it; and forward hooks."""
    calls = (n for n in ast.walk(node or ast.Module([], [])) if isinstance(n, ast.Call))
    for held in [resolve(call.func, space) for call in calls]:
        found = called(held)
        if found is None and is_module(held):
            yield from filter(None, map(called, list(held.modules())))
        elif found is not None:
            yield found
        if is_module(held):
            yield from hooks_of(held)


def left_in(node: ast.AST | None, space: Mapping[str, Any], deep: int = 0) -> Iterator[tuple[Called, str, int]]:
    """What in the functions that an expression calls, and in those that they call, leaves the graph or records nothing,
    and its line."""
    for function in called_in(node, space):
        if deep < _DEEPEST:
            yield from left_in(function.body, function.outside, deep + 1)
        for decorator in function.body.decorator_list:
            if unrecording([ast.unparse(decorator)]):
                yield function, f"@{ast.unparse(decorator)}", decorator.lineno
        for inner in (n for statement in function.body.body for n in ast.walk(statement)):
            if isinstance(inner, ast.With) and (block := unrecording(ast.unparse(i) for i in inner.items)):
                yield function, f"with {block}:", inner.lineno
            kept = inner.value if isinstance(inner, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)) else None
            for part in ast.walk(kept) if kept is not None else ():
                left = leaves_by(part, function.outside, unknown=True)
                if left is not None and isinstance(part, ast.expr):
                    yield function, left[1], part.lineno


def names_itself(made: Origin, name: str) -> bool:
    """Whether a variable was given another value that is computed from the one it had, as by `w = w + 1`."""
    tree = parsed(made.computed)
    body = tree.body if tree is not None else []
    return any(isinstance(n, ast.Name) and n.id == name for s in body if isinstance(s, ast.Expr) for n in ast.walk(s))


def _made_of_tensors(made: Origin, space: Space, name: str) -> bool:
    tree = parsed(made.computed)
    return tree is not None and any(
        isinstance(n, ast.Name) and n.id != name and is_tensor(resolve(n, space)) or isinstance(n, ast.Call)
        for n in ast.walk(tree)
    )


def _creation(made: Origin | None) -> ast.Call | None:
    """The call that made a leaf, if its source is one plain call such as `torch.tensor(1.)`."""
    tree = parsed(made.computed) if made is not None else None
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return None
    call = tree.body[0].value
    makers = ("tensor", "zeros", "ones", "rand", "randn", "full", "arange", "linspace", "eye", "empty")
    return (
        call
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in makers
        else None
    )


def with_keyword(call: ast.Call) -> str:
    """The call with requires_grad=True."""
    kept = [k for k in call.keywords if k.arg != "requires_grad"]
    return ast.unparse(ast.Call(call.func, call.args, [*kept, ast.keyword("requires_grad", ast.Constant(True))]))


class _Points(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(float(node.value)) if type(node.value) is int else node


def with_points(call: ast.Call) -> str:
    """The call with floating point numbers in its data: `1` becomes `1.0`; other dtypes are left out."""
    call = deepcopy(call)
    call.keywords = [k for k in call.keywords if k.arg not in ("dtype", "requires_grad")]
    if call.args and isinstance(call.func, ast.Attribute) and call.func.attr == "tensor":
        call.args[0] = _Points().visit(call.args[0])
        return with_keyword(call)
    dtype = ast.parse(f"{ast.unparse(call.func).rpartition('.')[0]}.float32", mode="eval").body
    return with_keyword(ast.Call(call.func, call.args, [*call.keywords, ast.keyword("dtype", dtype)]))


def _required(name: str, made: Origin | None) -> str:
    call = _creation(made)
    return f"{name}.requires_grad_()" if call is None else f"{name} = {with_keyword(call)}"


def _floats(name: str, made: Origin | None) -> str:
    call = _creation(made)
    return f"{name} = {name}.float().requires_grad_()" if call is None else f"{name} = {with_points(call)}"


def grouped(node: ast.expr) -> str:
    """The source of an expression so that a method can be called on it: `(w * 2)`."""
    text = ast.unparse(node)
    plain = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
    return text if isinstance(node, plain) else f"({text})"


def in_place_instead(name: str, source: str) -> str | None:
    """What keeps the leaf where `name = source` lost it: `with torch.no_grad(): w -= 0.1 * w.grad`; None if unclear."""
    tree = parsed(source)
    value = tree.body[0].value if tree is not None and tree.body and isinstance(tree.body[0], ast.Expr) else None
    match value:
        case ast.BinOp(left=ast.Name(id=left), op=op, right=right) if left == name:
            return f"with torch.no_grad(): {ast.unparse(ast.AugAssign(ast.Name(name, ast.Store()), op, right))}"
        case ast.Call(func=ast.Attribute(attr="to" | "float" | "double" | "half" | "cuda" | "cpu" | "type")):
            return f"{name} = {source}.detach().requires_grad_()"
    return None
