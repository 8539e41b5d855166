"""GradientEdge: a tensor's place in the graph, apart from the tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.graph.node import Node
from ..core.tensor.tensor import Tensor, gradient_edge

__all__ = ["GradientEdge", "get_gradient_edge"]


class GradientEdge(NamedTuple):
    """The place in the graph where a tensor's gradient enters: a Node and which of its outputs it is for.

    Stands for its tensor in `autograd.grad`, `autograd.backward` and their `inputs` (mirrors
    `torch.autograd.graph.GradientEdge`).
    """

    node: Node
    output_nr: int
    ownership_token: Any = None


GradientEdge.__module__ = "torch.autograd.graph"


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The gradient edge of a tensor that requires grad (mirrors `torch.autograd.graph.get_gradient_edge`).

    >>> import autogradlab as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x * 2)
    >>> edge.node.name(), edge.output_nr
    ('MulBackward0', 0)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, nr = gradient_edge(tensor)
    return GradientEdge(node, nr, None)  # type: ignore[arg-type]
