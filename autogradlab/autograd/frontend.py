"""backward() and grad(): checks of what they are given, then one walk of the engine."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..engine import Task
from ..node import Edge, Node
from ..tensor import Tensor, gradient_edge, requires_grad, wrap

__all__ = ["backward", "grad"]

_warned = False


def _root_gradients(outputs: Sequence[Tensor], grads: Sequence[Any], create_graph: bool) -> list[Tensor | None]:
    """The gradients at the roots: those given, checked, and ones where none is given for a scalar."""
    if len(outputs) != len(grads):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    found: list[Tensor | None] = []
    for i, (out, g) in enumerate(zip(outputs, grads, strict=True)):
        if isinstance(g, Tensor):
            if g._array.shape != out._array.shape:
                raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape "
                                   f"of {out.shape}.")  # fmt: skip
            if out.dtype.is_complex != g.dtype.is_complex:
                raise RuntimeError(
                    f"For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
                    f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {out.dtype}."
                )
            found.append(g)
        elif g is None:
            if requires_grad(out):
                if out._array.size != 1:
                    raise RuntimeError(errors.GRAD_IMPLICIT)
                if not out.dtype.is_floating_point:
                    raise RuntimeError(errors.GRAD_IMPLICIT_REAL.format(out.dtype))
                found.append(wrap(np.ones_like(out._array)))
            else:
                found.append(None)
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    return found


def _roots(outputs: Sequence[Tensor]) -> list[Edge]:
    edges = []
    for i, out in enumerate(outputs):
        edge = gradient_edge(out)
        if edge[0] is None:
            raise RuntimeError(errors.NO_GRAD_FN.format(i))
        edges.append(edge)
    return edges


def _root_checked(edges: Sequence[Edge], grads: Sequence[Tensor | None]) -> list[Tensor | None]:
    """Root gradients against the metadata of the Nodes they enter, which `.data` may have left behind."""
    from ..validate import checked

    found = []
    for i, ((node, nr), g) in enumerate(zip(edges, grads, strict=True)):
        if g is not None and node is not None:
            shape, numpy = (node.shape[nr], node.dtype[nr]) if node.multi else (node.shape, node.dtype)
            if g._array.shape != shape or g._array.dtype is not numpy:
                g = checked(None, i, g, shape, numpy)
        found.append(g)
    return found


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
             grad_variables: Any = None, inputs: Any = None) -> None:  # fmt: skip
    """Add the gradients of `tensors` with respect to the graph's leaves to their `.grad`.

    >>> import autogradlab as torch
    >>> w = torch.tensor([1.], requires_grad=True)
    >>> torch.autograd.backward([w * 3]); w.grad
    tensor([3.])
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please "
                               "only use `grad_tensors`.")  # fmt: skip
        grad_tensors = grad_variables
    if inputs is not None:
        if not isinstance(inputs, (Tensor, tuple, list)) and hasattr(inputs, "__iter__"):
            inputs = list(inputs)
        inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    outputs = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    if isinstance(grad_tensors, Tensor):
        given: tuple[Any, ...] = (grad_tensors,)
    elif grad_tensors is None:
        given = (None,) * len(outputs)
    else:
        given = tuple(grad_tensors)
    grads = _root_gradients(outputs, given, create_graph)
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph:
        _warn_cycle()
    roots = _roots(outputs)
    targets: list[Edge] | None = None
    if inputs is not None:
        targets = []
        for i, t in enumerate(inputs):
            if not requires_grad(t):
                raise RuntimeError(f"One of the differentiated Tensors given as 'inputs' to backward does not require grad")
            t.retain_grad()
            targets.append(gradient_edge(t))
    Task(roots, _root_checked(roots, grads), keep, create_graph, targets, accumulate=True).run()


def _warn_cycle() -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(errors.CREATE_GRAPH_CYCLE + " (Triggered internally at torch/csrc/autograd/engine.cpp:1298.)",
                      UserWarning, stacklevel=4)  # fmt: skip


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
         only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False,
         materialize_grads: bool = False) -> tuple[Tensor | None, ...]:  # fmt: skip
    """The gradients of `outputs` with respect to `inputs`, as a tuple; `.grad` is left alone.

    >>> import autogradlab as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x ** 2, x)
    (tensor(6.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")  # fmt: skip
    if allow_unused is None:
        allow_unused = materialize_grads
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
                      "other parts of the graph, please use torch.autograd.backward.", FutureWarning, stacklevel=2)  # fmt: skip
    outs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    ins = (inputs,) if isinstance(inputs, Tensor) or not isinstance(inputs, (tuple, list)) else tuple(inputs)
    if grad_outputs is None:
        given: tuple[Any, ...] = (None,) * len(outs)
    else:
        given = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        return _batched(outs, ins, given, allow_unused, materialize_grads, create_graph)
    grads = _root_gradients(outs, given, create_graph)
    roots = _roots(outs)
    targets: list[Edge] = []
    for t in ins:
        if not requires_grad(t):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        targets.append(gradient_edge(t))
    captured = Task(roots, _root_checked(roots, grads), keep, create_graph, targets, accumulate=False).run()
    found: list[Tensor | None] = []
    for i, t in enumerate(ins):
        g = captured.get(i)
        if g is None and not allow_unused:
            raise RuntimeError(errors.UNUSED.format(i))
        if g is None and materialize_grads:
            g = t.new_zeros(t.shape) if not create_graph else t.new_zeros(t.shape).requires_grad_()
        found.append(g if g is None or isinstance(g, Tensor) else wrap(g))
    return tuple(found)


def _batched(outs: Any, ins: Any, given: Any, allow_unused: bool, materialize: bool, create_graph: bool) -> tuple[Any, ...]:
    """A gradient for each of a batch of grad_outputs, stacked."""
    from ..record import TENSORS

    size = next(g for g in given if g is not None)._array.shape[0]
    rows = [
        grad(outs, ins, [None if g is None else g[i] for g in given], True, create_graph, True, allow_unused,
             materialize_grads=materialize)
        for i in range(size)
    ]  # fmt: skip
    return tuple(None if column[0] is None else TENSORS.stack(column) for column in zip(*rows, strict=True))


def _method(self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
            inputs: Any = None) -> None:  # fmt: skip
    """Add the gradient of this tensor with respect to the graph's leaves to their `.grad`."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_method.__name__ = "backward"
_method.__qualname__ = "Tensor.backward"
Tensor.backward = _method  # type: ignore[attr-defined]
_types: Any = Node
