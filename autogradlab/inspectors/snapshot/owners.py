"""Which Module a Node belongs to where no line tells: the one whose parameters alone go into it."""

from __future__ import annotations

from .graph import Graph

__all__ = ["modules_of"]


def modules_of(facts: Graph) -> dict[str, tuple[tuple[str, str], ...]]:
    """For each Node that has parameters of one Module: that Module, as its path and its last name.

    `net.fc1.weight` is a parameter of `net.fc1`. It goes into a Node directly, or through Nodes that nothing else goes
    into (the transposition of a weight).
    """
    leaves = {value.of: value.name or "" for value in facts.values if value.kind == "leaf" and value.of is not None}
    inputs: dict[str, list[tuple[str, int]]] = {}
    for edge in facts.edges:
        inputs.setdefault(edge.source, []).append((edge.target, edge.number))
    found: dict[str, str] = {}
    only: set[str] = set()  # Nodes into which nothing but parameters goes
    for node in sorted((n for n in facts.nodes if not n.accumulates), key=lambda n: n.order):
        paths = []
        for target in inputs.get(node.id, []):
            if target in leaves:
                paths.append(leaves[target].rpartition(".")[0])
            elif target[0] in only:
                paths.append(found[target[0]])
            else:
                continue
        if len(set(paths)) == 1 and paths[0]:
            found[node.id] = paths[0]
            if len(paths) == node.inputs:
                only.add(node.id)
    return {node: ((path, path.rpartition(".")[2]),) for node, path in found.items()}
