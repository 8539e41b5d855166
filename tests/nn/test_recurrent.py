"""Recurrent layers leave the graph that PyTorch's CPU build leaves:
a float32 LSTM is one Node a layer and direction."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

import autogradlab
from tests.conftest import need

OPTIONS: list[dict[str, Any]] = [
    {},
    {"num_layers": 2},
    {"bidirectional": True},
    {"batch_first": True},
    {"bias": False},
    {"num_layers": 2, "bidirectional": True, "batch_first": True},
]
KINDS = [("LSTM", "float32"), ("LSTM", "float64"), ("GRU", "float32"), ("RNN", "float32")]


def node_names(root: Any) -> Counter[str]:
    """How many Nodes of each name there are behind a tensor."""
    found: dict[Any, str] = {}
    left = [root.grad_fn]
    while left:
        node = left.pop()
        if node is not None and node not in found:
            found[node] = node.name()
            left += [following for following, _ in node.next_functions]
    return Counter(found.values())


def run(lib: Any, kind: str, dtype: str, options: dict[str, Any], given: bool) -> tuple[Counter[str], list[Any]]:
    """The graph of a loss over outputs and last states; outputs, first and second derivatives."""
    lib.manual_seed(0)
    number = getattr(lib, dtype)
    layer = getattr(lib.nn, kind)(4, 5, dtype=number, **options)
    x = lib.randn(6, 3, 4, dtype=number, requires_grad=True)
    layers = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    shape = (layers, 6 if options.get("batch_first") else 3, 5)
    start = [lib.randn(shape, dtype=number, requires_grad=True) for _ in range(2 if kind == "LSTM" else 1)]
    out, last = layer(x, (tuple(start) if kind == "LSTM" else start[0]) if given else None)
    lasts = last if kind == "LSTM" else (last,)
    loss = (out * out).sum() + sum((state**3).sum() for state in lasts)
    leaves = [x, *layer.parameters(), *(start if given else [])]
    first = lib.autograd.grad(loss, leaves, retain_graph=True)
    (slope,) = lib.autograd.grad((out**3).sum(), x, create_graph=True)
    second = lib.autograd.grad((slope * slope).sum(), leaves[:2])
    return node_names(loss), [t.detach().numpy() for t in (out, *lasts, *first, *second)]


@pytest.mark.parity
@pytest.mark.parametrize("given", [False, True], ids=["zeros", "given"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("kind", "dtype"), KINDS)
def test_graph_and_derivatives_are_torchs(kind: str, dtype: str, options: dict[str, Any], given: bool):
    theirs, values = run(need("torch"), kind, dtype, options, given)
    ours, found = run(autogradlab, kind, dtype, options, given)
    assert ours == theirs
    near = {"float32": 2e-5, "float64": 1e-12}[dtype]
    for mine, wanted in zip(found, values, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=near, atol=near * max(1, np.abs(wanted).max()))


@pytest.mark.parametrize(("reverse", "has_biases"), [*itertools.product([False, True], repeat=2)])
def test_the_layer_passes_gradcheck(reverse: bool, has_biases: bool):
    torch = autogradlab
    torch.manual_seed(1)
    sizes = [(3, 2, 2), (8, 2), (8, 2), (8,), (8,), (2, 2), (2, 2)]
    inputs = [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes]

    def layer(*tensors: Any) -> Any:
        if not has_biases:
            tensors = (*tensors[:3], *(b.detach() for b in tensors[3:5]), *tensors[5:])
        options = (reverse, (), 2, 2, 1, has_biases, False, False, True)
        return torch.mkldnn_rnn_layer(*tensors, *options)[:3]

    assert torch.autograd.gradcheck(layer, inputs)
    assert torch.autograd.gradgradcheck(layer, inputs)


@pytest.mark.parity
def test_the_node_saves_what_torchs_saves():
    saved = []
    for lib in (need("torch"), autogradlab):
        out, _ = lib.nn.LSTM(2, 3)(lib.ones(4, 1, 2))
        names = [name for name in dir(out.grad_fn) if name.startswith("_saved_")]
        plain = {name: getattr(out.grad_fn, name) for name in names}
        saved.append(
            {k: list(v.shape) if hasattr(v, "shape") else v for k, v in plain.items() if k != "_saved_result3"}
        )
    assert saved[0] == saved[1]


@pytest.mark.parametrize(("kind", "casts"), [("LSTM", True), ("RNN", True), ("GRU", False)])
@pytest.mark.parametrize("small", ["float16", "bfloat16"])
def test_under_autocast(kind: str, casts: bool, small: str):
    """PyTorch's LSTM asks oneDNN, which has these dtypes on some processors only: so no program runs it on both."""
    torch = autogradlab
    if small == "bfloat16":
        need("ml_dtypes")
    torch.manual_seed(0)
    layer, x = getattr(torch.nn, kind)(4, 3), torch.randn(2, 4)
    with torch.autocast("cpu", dtype=getattr(torch, small)):
        out = layer(x)[0]
    assert out.dtype is (getattr(torch, small) if casts else torch.float32)
    torch.testing.assert_close(out.float(), layer(x)[0], rtol=0.03, atol=0.01)
    out.float().sum().backward()
    assert all(p.grad.dtype is torch.float32 for p in layer.parameters())
