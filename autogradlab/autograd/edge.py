"""GradientEdge: a tensor's place in the graph, apart from the tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.graph.node import Node, pair
from ..core.runtime import errors
from ..core.tensor.tensor import Tensor, gradient_edge
from .context import BackwardCFunction

__all__ = ["GradientEdge", "get_gradient_edge"]


class GradientEdge(NamedTuple):
    """A Node and which of its outputs: where a gradient arrives. autograd.grad takes it in the place of a
    tensor.

    Example:
        >>> import autogradlab as torch
        >>> y = torch.ones(1, requires_grad=True) * 2
        >>> torch.autograd.graph.get_gradient_edge(y).output_nr
        0

    Mirrors `torch.autograd.graph.GradientEdge`.
    """

    node: Node
    output_nr: int
    ownership_token: Any = None


GradientEdge.__module__ = "torch.autograd.graph"


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge to which the gradient of a tensor goes; of a leaf, to its AccumulateGrad.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.ones(1, requires_grad=True)
        >>> torch.autograd.graph.get_gradient_edge(w).node.name()
        'torch::autograd::AccumulateGrad'

    Mirrors `torch.autograd.graph.get_gradient_edge`.
    """
    if not tensor.requires_grad:
        raise RuntimeError(errors.NO_GRADIENT_EDGE)
    return place_of(tensor)


def place_of(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor that is differentiated, forward mode included."""
    node, nr = pair(gradient_edge(tensor))
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    # of a Function's Node, PyTorch's edge keeps a Node of its own, which keeps what the compiled part has
    token = tensor.view_as(tensor).grad_fn if isinstance(node, BackwardCFunction) else None
    return GradientEdge(node, nr, token)
