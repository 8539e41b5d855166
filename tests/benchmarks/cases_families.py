"""Indexing, reductions, sorting, einsum, convolution, and the small calls of lessons.

``T`` is torch or autogradlab, ``N`` is numpy; each gets the same inputs. Large arrays are compared with the NumPy call
that does the work, convolution with PyTorch; the small calls have no goal of their own, their ratios are there to be
seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .harness import Array, Builder, Case, Thunk

CALL = ("numpy", 1.5)  # the goal where one NumPy call does the work
CONV = ("torch", 1.2)
LONG = (1_000_000,)
SQUARE = (1000, 1000)
PICKED = 100_000


def one(call: Callable[[Any, Any], Any]) -> Builder:
    """A case of one call on one tensor or array: `call(module, x)`."""

    def build(module: Any, x: Array) -> Thunk:
        t = x if module is np else module.tensor(x)
        return lambda: (call(module, t),)

    return build


def both(call: Callable[[Any, Any, Any], Any]) -> Builder:
    """The same of two tensors or arrays."""

    def build(module: Any, x: Array, y: Array) -> Thunk:
        a, b = (x, y) if module is np else (module.tensor(x), module.tensor(y))
        return lambda: (call(module, a, b),)

    return build


def picking(call: Callable[[Any, Any, Any], Any]) -> Builder:
    """A case with places in the first dimension: `call(module, x, places)`."""

    def build(module: Any, x: Array) -> Thunk:
        i = np.random.default_rng(1).integers(0, len(x), min(len(x), PICKED))
        a, b = (x, i) if module is np else (module.tensor(x), module.tensor(i))
        return lambda: (call(module, a, b),)

    return build


def assigned(module: Any, x: Any, i: Any) -> Any:
    x[i] = 0.75
    return x


# --- convolution ----------------------------------------------------------------------------------------------------
def conv(T: Any, x: Array, w: Array) -> Thunk:
    tx, tw = T.tensor(x), T.tensor(w)
    return lambda: (T.nn.functional.conv2d(tx, tw, padding=1),)


def conv_backward(T: Any, x: Array, w: Array) -> Thunk:
    tx, tw = T.tensor(x, requires_grad=True), T.tensor(w, requires_grad=True)

    def run() -> Any:
        tx.grad = tw.grad = None
        y = T.nn.functional.conv2d(tx, tw, padding=1)
        y.sum().backward()
        return y, tx.grad, tw.grad

    return run


def windows(N: Any, x: Array) -> Array:
    """Each 3 by 3 window of the padded images, as a row: (n * h * w, channels * 9)."""
    padded = N.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = N.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    rows: Array = seen.transpose(0, 2, 3, 1, 4, 5).reshape(-1, x.shape[1] * 9)
    return rows


def conv_numpy(N: Any, x: Array, w: Array) -> Thunk:
    n, _, h, width = x.shape

    def run() -> Any:
        y = windows(N, x) @ w.reshape(len(w), -1).T
        return (N.ascontiguousarray(y.reshape(n, h, width, -1).transpose(0, 3, 1, 2)),)

    return run


def conv_backward_numpy(N: Any, x: Array, w: Array) -> Thunk:
    n, c, h, width = x.shape
    o = len(w)

    def run() -> Any:
        rows = windows(N, x)
        y = N.ascontiguousarray((rows @ w.reshape(o, -1).T).reshape(n, h, width, o).transpose(0, 3, 1, 2))
        g = N.ones_like(y)
        gw = g.transpose(0, 2, 3, 1).reshape(-1, o).T @ rows
        turned = w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3).reshape(c, -1)
        gx = windows(N, g) @ turned.T
        return y, N.ascontiguousarray(gx.reshape(n, h, width, c).transpose(0, 3, 1, 2)), gw.reshape(w.shape)

    return run


IMAGES = ((8, 3, 32, 32), (16, 3, 3, 3))


# --- small calls ----------------------------------------------------------------------------------------------------
def softmax(N: Any, x: Array) -> Array:
    e = N.exp(x - x.max(1, keepdims=True))
    result: Array = e / e.sum(1, keepdims=True)
    return result


def entropy(N: Any, x: Array) -> Array:
    s = x - x.max(1, keepdims=True)
    logs = s - N.log(N.exp(s).sum(1, keepdims=True))
    return N.asarray(-logs[N.arange(len(x)), N.arange(len(x)) % x.shape[1]].mean())


def cross_entropy(T: Any, x: Array) -> Thunk:
    t, y = T.tensor(x), T.tensor([i % x.shape[1] for i in range(len(x))])
    return lambda: (T.nn.functional.cross_entropy(t, y),)


def small() -> tuple[Case, ...]:
    """Calls on few elements, where the library's own work is all that counts."""
    few, rows = ((3,),), ((32, 10),)
    calls: tuple[tuple[str, str, Any, Builder, Builder], ...] = (
        (
            "tensor",
            "tensor of a list",
            few,
            one(lambda T, x: T.tensor([1.0, 2.0, 3.0])),
            one(lambda N, x: N.array([1.0, 2.0, 3.0], N.float32)),
        ),
        ("cat", "cat of two", few, one(lambda T, x: T.cat([x, x])), one(lambda N, x: N.concatenate([x, x]))),
        ("stack", "stack of two", few, one(lambda T, x: T.stack([x, x])), one(lambda N, x: N.stack([x, x]))),
        (
            "where",
            "where with a number",
            few,
            one(lambda T, x: T.where(x > 0.7, x, 0.0)),
            one(lambda N, x: N.where(x > 0.7, x, N.float32(0))),
        ),
        (
            "clamp",
            "clamp between numbers",
            few,
            one(lambda T, x: x.clamp(0.6, 0.8)),
            one(lambda N, x: N.clip(x, 0.6, 0.8)),
        ),
        ("unsqueeze", "unsqueeze", few, one(lambda T, x: x.unsqueeze(0)), one(lambda N, x: x[None])),
        ("expand", "expand", few, one(lambda T, x: x.expand(2, 3)), one(lambda N, x: N.broadcast_to(x, (2, 3)))),
        (
            "out",
            "exp with out= of no size yet",
            few,
            one(lambda T, x: T.exp(x, out=T.empty(0))),
            one(lambda N, x: N.exp(x)),
        ),
        (
            "add_out",
            "add with out= of its size",
            few,
            one(lambda T, x: T.add(x, x, out=T.empty(3))),
            one(lambda N, x: N.add(x, x)),
        ),
        (
            "quantile",
            "quantile",
            few,
            one(lambda T, x: T.quantile(x, 0.3)),
            one(lambda N, x: N.asarray(N.quantile(x, N.float32(0.3)))),
        ),
        ("softmax", "softmax of 32 rows of 10", rows, one(lambda T, x: T.softmax(x, 1)), one(softmax)),
        ("cross_entropy", "cross_entropy of 32 samples, 10 classes", rows, cross_entropy, one(entropy)),
    )
    return tuple(Case("small_" + n, f"{about}, small", shapes, ours, numpy) for n, about, shapes, ours, numpy in calls)


def call(name: str, about: str, shape: tuple[int, ...], ours: Builder, numpy: Builder, rtol: float = 1e-5) -> Case:
    return Case(name, about, (shape,), ours, numpy, None, 1, CALL, rtol)


FAMILIES: tuple[Case, ...] = (
    call("index_array", "x[places], 100 k of 1 M", LONG, picking(lambda T, x, i: x[i]), picking(lambda N, x, i: x[i])),
    call("index_rows", "x[places] of rows", (1000, 100), picking(lambda T, x, i: x[i]), picking(lambda N, x, i: x[i])),
    call("index_mask", "x[x > 0.75], 1 M", LONG, one(lambda T, x: x[x > 0.75]), one(lambda N, x: x[x > 0.75])),
    call("index_assign", "x[places] = number, 100 k of 1 M", LONG, picking(assigned), picking(assigned)),
    call(
        "index_select",
        "index_select of columns",
        SQUARE,
        picking(lambda T, x, i: x.index_select(1, i)),
        picking(lambda N, x, i: N.take(x, i, 1)),
    ),
    call(
        "gather",
        "gather, 100 k of 1 M",
        LONG,
        picking(lambda T, x, i: x.gather(0, i)),
        picking(lambda N, x, i: N.take_along_axis(x, i, 0)),
    ),
    call("sum", "sum of 1 M", LONG, one(lambda T, x: x.sum()), one(lambda N, x: N.asarray(x.sum()))),
    call("sum_rows", "sum over dim 0, 1000 x 1000", SQUARE, one(lambda T, x: x.sum(0)), one(lambda N, x: x.sum(0))),
    call(
        "mean_columns", "mean over dim 1, 1000 x 1000", SQUARE, one(lambda T, x: x.mean(1)), one(lambda N, x: x.mean(1))
    ),
    call("max", "max of 1 M", LONG, one(lambda T, x: x.max()), one(lambda N, x: N.asarray(x.max()))),
    call("argmax", "argmax of 1 M", LONG, one(lambda T, x: x.argmax()), one(lambda N, x: N.asarray(x.argmax()))),
    call("std", "std of 1 M", LONG, one(lambda T, x: x.std()), one(lambda N, x: N.asarray(x.std(ddof=1))), 1e-4),
    call(
        "cumsum",
        "cumsum of 1 M",
        LONG,
        one(lambda T, x: x.cumsum(0)),
        one(lambda N, x: N.cumsum(x, dtype=N.float64).astype(N.float32)),
    ),
    call(
        "sort", "sort of 1 M", LONG, one(lambda T, x: x.sort().values), one(lambda N, x: x[N.argsort(x, stable=True)])
    ),
    call(
        "argsort",
        "stable argsort of 1 M",
        LONG,
        one(lambda T, x: x.argsort(stable=True)),
        one(lambda N, x: N.argsort(x, stable=True)),
    ),
    Case(
        "einsum_matrix",
        "ij,jk->ik, 300 x 300",
        ((300, 300), (300, 300)),
        both(lambda T, a, b: T.einsum("ij,jk->ik", a, b)),
        both(lambda N, a, b: N.einsum("ij,jk->ik", a, b, optimize=True)),
        None,
        1,
        CALL,
        1e-4,
    ),
    Case(
        "einsum_batch",
        "bij,bjk->bik, 10 x 80 x 80",
        ((10, 80, 80), (10, 80, 80)),
        both(lambda T, a, b: T.einsum("bij,bjk->bik", a, b)),
        both(lambda N, a, b: N.matmul(a, b)),
        None,
        1,
        CALL,
        1e-4,
    ),
    Case(
        "einsum_scalar",
        "ij,ij->, 1000 x 1000",
        (SQUARE, SQUARE),
        both(lambda T, a, b: T.einsum("ij,ij->", a, b)),
        both(lambda N, a, b: N.asarray(N.vdot(a, b))),
        None,
        1,
        CALL,
        1e-4,
    ),
    Case("conv2d", "3 x 3, 8 images of 32 x 32, 3 to 16 channels", IMAGES, conv, conv_numpy, None, 1, CONV, 1e-4),
    Case(
        "conv2d_backward",
        "the same, forward and backward",
        IMAGES,
        conv_backward,
        conv_backward_numpy,
        None,
        1,
        CONV,
        1e-3,
    ),
    *small(),
)
