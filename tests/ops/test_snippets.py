"""Lines of code, run on both libraries: what they give, its layout and sharing, versions, Nodes, gradients and errors.

The files in `snippets/` hold one case a line: statements and, last, the expression that is looked at. `n(2, 3)` is a
tensor of 1., 2., … of that size, `x(2, 3)` the same and requiring grad, `z(2)` zeros of int64, `i` the index 0, 1, 0
and `T` makes tensors.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autogradlab
from tests.ops.harness import tidy

FILES = sorted((Path(__file__).parent / "snippets").glob("*.txt"))


def made(lib: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
    t = lib.from_numpy(np.arange(1.0, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape))
    return t if dtype is None else t.to(dtype)


def rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [rounded(v) for v in value]
    if isinstance(value, complex):
        return complex(round(value.real, 3) + 0, round(value.imag, 3) + 0)
    return round(value, 3) + 0.0 if isinstance(value, float) else value


def described(lib: Any, value: Any) -> str:
    """All that can be seen of a result."""
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}[{'; '.join(described(lib, v) for v in value)}]"
    if not isinstance(value, lib.Tensor):
        return f"{type(value).__name__} {value!r}"
    node = value.grad_fn
    edges = [] if node is None else [n and n.name() for n, _ in node.next_functions]
    layout = (
        (tuple(value.shape), tuple(value.stride()), value.storage_offset()) if value.numel() else tuple(value.shape)
    )
    return (
        f"{layout} {value.dtype} view={value._is_view()} version={value._version} {node and node.name()} {edges} "
        f"{rounded(value.detach().tolist())}"
    )


def gradients(lib: Any, value: Any, leaves: list[Any], create: bool) -> Any:
    outs = [
        t
        for t in (value if isinstance(value, (list, tuple)) else [value])
        if isinstance(t, lib.Tensor) and t.requires_grad
    ]
    if not outs:
        return None

    def waves(ts: list[Any], wave: Any) -> list[Any]:
        return [
            lib.from_numpy(wave(np.arange(1.0, 1 + t.numel(), dtype=np.float32)).reshape(tuple(t.shape))).to(t.dtype)
            for t in ts
        ]

    cotangents = [c.requires_grad_(create) for c in waves(outs, np.cos)]
    found = lib.autograd.grad(outs, leaves, cotangents, create_graph=create, allow_unused=True, retain_graph=True)
    shown: Any = [None if g is None else rounded(g.detach().tolist()) for g in found]
    again = [g for g in found if g is not None and g.requires_grad]
    if create and again:
        second = lib.autograd.grad(again, [*leaves, *cotangents], waves(again, np.sin), allow_unused=True)
        shown = shown, [None if g is None else rounded(g.detach().tolist()) for g in second]
    return shown


def run(lib: Any, line: str) -> list[str]:
    leaves: list[Any] = []

    def x(*shape: int, dtype: Any = None) -> Any:
        leaves.append(made(lib, shape, dtype).requires_grad_())
        return leaves[-1]

    names = {
        "torch": lib,
        "np": np,
        "x": x,
        "n": lambda *shape, dtype=None: made(lib, shape, dtype),
        "T": lib.tensor,
        "i": lib.tensor([0, 1, 0]),
        "z": lambda *shape: lib.from_numpy(np.zeros(shape, np.int64)),
    }
    *statements, last = line.split(";")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for statement in statements:
                exec(statement.strip(), names)
            value = eval(last.strip(), names)
        except Exception as error:
            return [f"{type(error).__name__}: {tidy(str(error))}"]
        seen = [described(lib, value)]
        for create in (False, True):
            try:
                seen.append(str(gradients(lib, value, leaves, create)))
            except Exception as error:
                seen.append(f"{type(error).__name__}: {tidy(str(error))}")
    return seen


@pytest.mark.parity
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_snippets_do_the_same(file: Path, torch: Any):
    wrong = []
    lines = [line for line in file.read_text().splitlines() if line.strip()]
    assert lines
    for line in lines:
        theirs, ours = run(torch, line), run(autogradlab, line)
        if ours != theirs:
            differing = next((a, b) for a, b in zip([*ours, ""], [*theirs, ""], strict=False) if a != b)
            wrong.append(f"{line}\n  torch {differing[1][:300]}\n  here  {differing[0][:300]}")
    assert not wrong, "\n".join(wrong[:10]) + f"\n({len(wrong)} of {len(lines)})"
