"""Which Modules a Node belongs to where no line tells: those whose parameters go into it, or into both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from .graph import Graph, NodeFact

__all__ = ["modules_of"]

#: the Modules around something as they are written, outermost first: ("net", "net.blocks", "net.blocks[3]")
Path = tuple[str, ...]


def modules_of(facts: Graph) -> dict[str, tuple[tuple[str, str], ...]]:
    """For each Node the Modules that it is in, outermost first, each as it is written and as it is called there.

    `net.blocks[3].fc1.weight` is a parameter of `net.blocks[3].fc1`: the Nodes of that Module are those that it goes
    into directly, or through Nodes that nothing else goes into (the transposition of a weight). A Node without
    parameters is in the innermost Module that has such Nodes on both sides: among those that it was computed from, and
    among those computed from it. What comes after the last of them (the sum with what went past a block) may be the
    caller's, and is left to it.
    """
    nodes = sorted((n for n in facts.nodes if not n.accumulates), key=lambda n: n.order)
    inputs: dict[str, list[tuple[str, int]]] = {}
    for edge in facts.edges:
        inputs.setdefault(edge.source, []).append((edge.target, edge.number))
    paths = _owned(facts, nodes, inputs)
    numbers: dict[str, int] = {}
    for path in paths.values():
        for module in path:
            numbers.setdefault(module, len(numbers))
    own = {node: sum(1 << numbers[module] for module in path) for node, path in paths.items()}
    before = _gathered([n.id for n in nodes], {node: [t for t, _ in ins] for node, ins in inputs.items()}, own)
    users: dict[str, list[str]] = {}
    for edge in facts.edges:
        users.setdefault(edge.target, []).append(edge.source)
    after = _gathered([n.id for n in reversed(nodes)], users, own)
    modules = list(numbers)
    for node in nodes:
        if node.id not in paths:
            both = before[node.id] & after[node.id]
            paths[node.id] = _innermost([_path(modules[k]) for k in range(both.bit_length()) if both >> k & 1])
    ways = {node.id: paths[node.id] for node in nodes if paths[node.id]}
    return {node: tuple((module, module.rpartition(".")[2]) for module in path) for node, path in ways.items()}


def _owned(facts: Graph, nodes: Iterable[NodeFact], inputs: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, Path]:
    """The Modules of the Nodes that have parameters of one of them alone."""
    leaves = {value.of: value.name or "" for value in facts.values if value.kind == "leaf" and value.of is not None}
    found: dict[str, str] = {}
    only: set[str] = set()  # Nodes into which nothing but parameters goes
    for node in nodes:
        held = []
        for target in inputs.get(node.id, ()):
            if target in leaves:
                held.append(leaves[target].rpartition(".")[0])
            elif target[0] in only:
                held.append(found[target[0]])
        if len(set(held)) == 1 and held[0]:
            found[node.id] = held[0]
            looked_up = any(saved.name in ("indices", "index") and saved.state != "plain" for saved in node.saved)
            if len(held) == node.inputs and not looked_up:  # rows of a table are data
                only.add(node.id)
    return {node: _path(module) for node, module in found.items()}


def _path(module: str) -> Path:
    ends = [found.start() for found in re.finditer(r"(?!^)[.\[]", module)]
    return tuple(module[:end] for end in [*ends, len(module)])


def _gathered(order: Iterable[str], sides: Mapping[str, Iterable[str]], own: Mapping[str, int]) -> dict[str, int]:
    """For each Node all that is owned by those on one side of it, however far; `order` goes away from that side."""
    found: dict[str, int] = {}
    for node in order:
        found[node] = 0
        for side in sides.get(node, ()):
            found[node] |= found.get(side, 0) | own.get(side, 0)
    return found


def _innermost(paths: Sequence[Path]) -> Path:
    """The longest of some paths; of several that are as long, what they share."""
    most = max(map(len, paths), default=0)
    longest = [path for path in paths if len(path) == most]
    shared = takewhile(lambda modules: len(set(modules)) == 1, zip(*longest, strict=True))
    return tuple(modules[0] for modules in shared)
