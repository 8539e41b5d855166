"""What a backward pass reaches: the Nodes that run, how many gradients each waits for, and which lane will do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph.node import Edge, Node
from .leaves import is_plain

__all__ = ["Reach"]


class Reach:
    """The Nodes below the roots of a pass, looked at once before it begins.

    roots: edges at which gradients enter; inputs: if given, only what leads to them runs, and their gradients are
    accumulated or, if not `accumulate`, captured.
    """

    __slots__ = ("capture_at", "captured", "needed", "plain", "roots", "shared")

    def __init__(self, roots: Sequence[Edge], inputs: Sequence[Edge] | None, accumulate: bool) -> None:
        self.roots = roots
        #: how many edges are still to bring a gradient, for each Node that several gradients reach
        self.shared: dict[Node, int] = {}
        #: whether every Node can go the short lanes (plain.py): no hooks and no code of the user
        self.plain = True
        #: under `inputs`: the Nodes on a path to one, and whether they run or only have their gradient captured
        self.needed: dict[Node, bool] | None = None
        #: which outputs of a Node are captured, and the places of their gradients in `captured`
        self.capture_at: dict[Node, list[tuple[int, int]]] = {}
        self.captured: dict[int, Any] = {}
        if inputs is None:
            self._count()
        else:
            self._trace(inputs, accumulate)

    def first(self) -> list[Node]:
        """The Nodes that run first: roots to which no other Node leads."""
        nodes = dict.fromkeys(node for node, _ in self.roots)
        return [node for node in nodes if node is not None and node not in self.shared]

    def _count(self) -> None:
        """Count the edges that lead to each Node below the roots."""
        shared = self.shared = {node: 0 for node, _ in self.roots if node is not None}
        stack = list(shared)
        seen = set(stack)
        roots = tuple(stack)
        pop, push, note, count = stack.pop, stack.append, seen.add, shared.get
        while stack:
            made = pop()
            if made.hooks is not None or not made.simple:
                self.plain = self.plain and made.accumulates and is_plain(made)
            for node, _ in made.next_functions:
                if node is not None:
                    if node in seen:
                        shared[node] = count(node, 1) + 1
                    else:
                        note(node)
                        if not node.accumulates:
                            push(node)
                        elif self.plain:
                            self.plain = is_plain(node)
        for root in roots:
            if not shared[root]:
                del shared[root]

    def _trace(self, inputs: Sequence[Edge], accumulate: bool) -> None:
        """Find the Nodes on a path from a root to `inputs`, and count the edges between them."""
        # edges lead to older Nodes: what was made before every captured input leads to none of them
        oldest = 0 if accumulate else min((0 if n is None or n.accumulates else n._seq for n, _ in inputs), default=0)
        above: dict[Node, list[Node]] = {node: [] for node, _ in self.roots if node is not None}
        roots = tuple(above)
        stack = list(roots)
        pop, push, get = stack.pop, stack.append, above.get
        while stack:
            made = pop()
            for node, _ in made.next_functions:
                if node is not None:
                    known = get(node)
                    if known is not None:
                        known.append(made)
                    else:
                        above[node] = [made]
                        if not node.accumulates and node._seq >= oldest:
                            push(node)
        needed: dict[Node, bool] = {}
        for i, (node, nr) in enumerate(inputs):
            if node is None:
                continue
            push(node)
            if accumulate:
                needed[node] = True
            else:
                self.capture_at.setdefault(node, []).append((nr, i))
        while stack:
            for node in get(pop(), ()):
                if node not in needed:
                    needed[node] = True
                    push(node)
        for node in self.capture_at:
            needed.setdefault(node, False)
        self.needed = needed
        for node in needed:
            count = len(get(node, ()))
            if count > 1 or (count and node in roots):
                self.shared[node] = count
        self.plain = all(
            is_plain(node) if node.accumulates else node.hooks is None and (node.simple or not runs)
            for node, runs in needed.items()
        )
