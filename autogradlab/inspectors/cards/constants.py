"""Constants of the program in the boxes of a graph: `+ 1` says more than `add`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from ..snapshot.graph import Graph

__all__ = ["with_constants"]

_SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "pow": "^"}  # signs as mathematics writes them
_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}


def with_constants(graph: Graph, code: Mapping[str, str]) -> Graph:
    """The graph with the constants that the expressions of its Nodes name."""
    nodes = [replace(node, op=_named(code.get(node.id, ""), node.op)) for node in graph.nodes]
    return replace(graph, nodes=tuple(nodes))


def _named(code: str, op: str) -> str:
    try:
        tree = ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return op
    match tree:
        case ast.BinOp(left, kind, right):
            name, first, second = _OPERATORS.get(type(kind), ""), left, right
        case ast.Call(ast.Attribute(_, attr=called), [first, second]) | ast.Call(ast.Name(called), [first, second]):
            name = called
        case ast.Call(ast.Attribute(first, called), [second]):
            name = called
        case _:
            return op
    if name not in _SIGNS or op not in (name, f"r{name}"):
        return op
    after, before = _number(second), _number(first)
    if after is not None:
        return f"{_SIGNS[name]} {after}"
    return f"{before} {_SIGNS[name]}" if before is not None else op


def _number(tree: ast.expr) -> str | None:
    """A number as it was written."""
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        inner = _number(tree.operand)
        return f"-{inner}" if inner is not None else None
    if isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float)) and not isinstance(tree.value, bool):
        return f"{tree.value:g}"
    return None
