"""Calls one function in both libraries with the same numbers and compares values, graphs, gradients and errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def _made(x: Any, lib: Any, leaves: list[Any], grad: bool) -> Any:
    if not isinstance(x, np.ndarray):
        return x
    t = lib.from_numpy(x.copy())
    if grad and x.dtype.kind == "f":
        t.requires_grad_()
        leaves.append(t)
    return t


def graph(t: Any) -> str:
    """The Nodes behind a tensor as nested names."""

    def node(f: Any) -> str:
        if f is None:
            return "-"
        name = f.name().split("::")[-1]
        return "A" if name == "AccumulateGrad" else f"{name}({','.join(node(n) for n, _ in f.next_functions)})"

    return node(t.grad_fn)


def call(
    lib: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], grad: bool, second: bool
) -> dict[str, Any]:
    """What a call gives: values, graph, gradients and second gradients, or the error."""
    lib.manual_seed(7)
    leaves: list[Any] = []
    given = [_made(x, lib, leaves, grad) for x in args]
    named = {k: _made(x, lib, leaves, grad) for k, x in kwargs.items()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = getattr(lib.nn.functional, name)(*given, **named)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    outs = out if isinstance(out, tuple) else (out,)
    found: dict[str, Any] = {"value": [o.detach().numpy() for o in outs], "graph": graph(outs[0])}
    if grad and outs[0].requires_grad:
        rng = np.random.default_rng(3)
        weight = lib.from_numpy(np.asarray(rng.standard_normal(tuple(outs[0].shape))))
        weight.requires_grad_()
        grads = lib.autograd.grad(outs[0], leaves, weight, create_graph=second, allow_unused=True)
        found["grad"] = [None if g is None else g.detach().numpy() for g in grads]
        if second:
            live = [g for g in grads if g is not None and g.requires_grad]
            if live:
                total = sum((g * lib.from_numpy(np.asarray(rng.standard_normal(tuple(g.shape))))).sum() for g in live)
                more = lib.autograd.grad(total, [*leaves, weight], allow_unused=True)
                found["grad2"] = [None if g is None else g.detach().numpy() for g in more]
    return found


def assert_same(ours: dict[str, Any], theirs: dict[str, Any], tolerance: float = 1e-9) -> None:
    """Equal names and texts, arrays within the tolerance; None and zeros are the same gradient."""
    assert ours.get("error") == theirs.get("error")
    assert set(ours) == set(theirs)
    for key in ("value", "grad", "grad2"):
        for a, b in zip(ours.get(key, ()), theirs.get(key, ()), strict=True):
            if a is None or b is None:
                assert not np.any(b if a is None else a), key
                continue
            assert (a.dtype, a.shape) == (b.dtype, b.shape), key
            np.testing.assert_allclose(a, b, tolerance, tolerance, err_msg=key)
