"""Small graphs, chains, second derivatives and training steps.

``T`` is torch or autogradlab, ``A`` is HIPS autograd, ``N`` is numpy; each gets the same inputs.

The NumPy side is what one would write by hand who knows the derivative: the same arithmetic, no graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .harness import LARGE, Array, Case, Thunk

CHAIN = 1000
THREE = ((3,), (3,))


# --- the three-op graph of the first text ---------------------------------------------------------------------------
def three_ops(T: Any) -> Thunk:
    def run() -> Any:
        w = T.tensor([1.0], requires_grad=True)
        x = T.tensor([2.0], requires_grad=True)
        a = T.mul(w, x)
        b = T.add(w, 1)
        y = T.mul(a, b)
        y.backward()
        return y, w.grad, x.grad

    return run


def three_ops_autograd(A: Any) -> Thunk:
    N = A.numpy

    def f(w: Any, x: Any) -> Any:
        a = N.multiply(w, x)
        b = N.add(w, 1)
        return N.multiply(a, b)

    def run() -> Any:
        w = np.array([1.0], np.float32)
        x = np.array([2.0], np.float32)
        vjp, y = A.make_vjp(f, (0, 1))(w, x)
        return y, *vjp(np.ones_like(y))

    return run


def three_ops_numpy(N: Any) -> Thunk:
    def run() -> Any:
        w = N.array([1.0], N.float32)
        x = N.array([2.0], N.float32)
        a = w * x
        b = w + 1
        y = a * b
        g = N.ones_like(y)
        ga, gb = g * b, g * a
        return y, ga * x + gb, ga * w

    return run


# --- chains: h = h * w + x, again and again, on three elements ------------------------------------------------------
def chain_forward(T: Any, w: Array, x: Array) -> Thunk:
    tw, tx = T.tensor(w, requires_grad=True), T.tensor(x, requires_grad=True)

    def run() -> Any:
        h = tx
        for _ in range(CHAIN // 2):
            h = h * tw + tx
        return (h,)

    return run


def chain_no_grad(T: Any, w: Array, x: Array) -> Thunk:
    forward = chain_forward(T, w, x)

    def run() -> Any:
        with T.no_grad():
            return forward()

    return run


def chain_backward(T: Any, w: Array, x: Array) -> Thunk:
    tw, tx = T.tensor(w, requires_grad=True), T.tensor(x, requires_grad=True)
    g = T.ones(3)

    def run() -> Any:
        tw.grad = tx.grad = None
        h = tx
        for _ in range(CHAIN // 2):
            h = h * tw + tx
        h.backward(g)
        return h, tw.grad, tx.grad

    return run


def _chain(w: Any, x: Any) -> Any:
    h = x
    for _ in range(CHAIN // 2):
        h = h * w + x
    return h


def chain_forward_autograd(A: Any, w: Array, x: Array) -> Thunk:
    record = A.make_vjp(_chain, (0, 1))
    return lambda: (record(w, x)[1],)


def chain_backward_autograd(A: Any, w: Array, x: Array) -> Thunk:
    record = A.make_vjp(_chain, (0, 1))
    g = np.ones(3, np.float32)

    def run() -> Any:
        vjp, h = record(w, x)
        return h, *vjp(g)

    return run


def chain_forward_numpy(N: Any, w: Array, x: Array) -> Thunk:
    return lambda: (_chain(w, x),)


def chain_backward_numpy(N: Any, w: Array, x: Array) -> Thunk:
    def run() -> Any:
        h, saved = x, []
        for _ in range(CHAIN // 2):
            saved.append(h)
            h = h * w + x
        g = N.ones(3, N.float32)
        gw, gx = N.zeros_like(g), N.zeros_like(g)
        for before in reversed(saved):
            gx = gx + g
            gw = gw + g * before
            g = g * w
        return h, gw, gx + g

    return run


# --- double backward of sum(tanh(x) * x * x) ------------------------------------------------------------------------
def double_backward(T: Any, x: Array) -> Thunk:
    tx = T.tensor(x, requires_grad=True)

    def run() -> Any:
        y = (T.tanh(tx) * tx * tx).sum()
        (first,) = T.autograd.grad(y, tx, create_graph=True)
        (second,) = T.autograd.grad(first.sum(), tx)
        return first, second

    return run


def double_backward_autograd(A: Any, x: Array) -> Thunk:
    N = A.numpy
    record = A.make_vjp(A.grad(lambda v: N.sum(N.tanh(v) * v * v)))
    ones = np.ones(3, np.float32)

    def run() -> Any:
        vjp, first = record(x)
        return first, vjp(ones)

    return run


def double_backward_numpy(N: Any, x: Array) -> Thunk:
    def run() -> Any:
        t = N.tanh(x)
        s = 1 - t * t
        xx = x * x
        first = s * xx + 2 * x * t
        second = (4 * x - 2 * t * xx) * s + 2 * t
        return first, second

    return run


# --- one training step of a two-layer net, parameters by hand -------------------------------------------------------
RATE = 0.01


def mlp(relu: bool) -> Callable[..., Thunk]:
    def build(T: Any, *arrays: Array) -> Thunk:
        inputs, wanted = T.tensor(arrays[0]), T.tensor(arrays[1])
        activation = T.relu if relu else T.tanh
        weights = [T.tensor(array, requires_grad=True) for array in _small(arrays[2:])]
        w1, b1, w2, b2 = weights

        def run() -> Any:
            hidden = activation(inputs @ w1 + b1)
            loss = ((hidden @ w2 + b2 - wanted) ** 2).mean()
            loss.backward()
            with T.no_grad():
                for weight in weights:
                    weight -= RATE * weight.grad
                    weight.grad = None
            return loss, *weights

        return run

    return build


def mlp_autograd(relu: bool) -> Callable[..., Thunk]:
    def build(A: Any, inputs: Array, wanted: Array, *arrays: Array) -> Thunk:
        N = A.numpy
        weights = _small(arrays)

        def loss_of(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
            z = N.dot(inputs, w1) + b1
            hidden = N.maximum(z, 0) if relu else N.tanh(z)
            return N.mean((N.dot(hidden, w2) + b2 - wanted) ** 2)

        step = A.value_and_grad(loss_of, (0, 1, 2, 3))

        def run() -> Any:
            loss, grads = step(*weights)
            for weight, grad in zip(weights, grads, strict=True):
                weight -= RATE * grad
            return loss, *weights

        return run

    return build


def mlp_numpy(relu: bool) -> Callable[..., Thunk]:
    def build(N: Any, inputs: Array, wanted: Array, *arrays: Array) -> Thunk:
        weights = _small(arrays)
        w1, b1, w2, b2 = weights

        def run() -> Any:
            z = inputs @ w1 + b1
            hidden = N.maximum(z, 0) if relu else N.tanh(z)
            error = hidden @ w2 + b2 - wanted
            loss = (error * error).mean()
            g = error * (2 / error.size)
            gh = g @ w2.T
            gz = gh * (z > 0) if relu else gh * (1 - hidden * hidden)
            for weight, grad in zip(weights, (inputs.T @ gz, gz.sum(0), hidden.T @ g, g.sum(0)), strict=True):
                weight -= RATE * grad
            return loss, *weights

        return run

    return build


def _small(arrays: tuple[Array, ...]) -> list[Array]:
    """Start values around zero, small enough that many steps stay finite."""
    return [(array - np.float32(0.75)) * np.float32(0.2) for array in arrays]


def net(batch: int, wide: int, hidden: int, out: int) -> tuple[tuple[int, ...], ...]:
    return (batch, wide), (batch, out), (wide, hidden), (hidden,), (hidden, out), (out,)


# --- the list -------------------------------------------------------------------------------------------------------
def plain(builder: Callable[..., Thunk]) -> Callable[..., Thunk]:
    """HIPS autograd without a gradient asked for: its own numpy functions on plain arrays."""
    return lambda A, *arrays: builder(A.numpy, *arrays)


def chain_plain(N: Any, w: Array, x: Array) -> Thunk:
    def run() -> Any:
        h = x
        for _ in range(CHAIN // 2):
            h = N.add(N.multiply(h, w), x)
        return (h,)

    return run


GRAPH: tuple[Case, ...] = (
    Case(
        "three_ops",
        "make w and x, three ops, backward",
        (),
        three_ops,
        three_ops_numpy,
        three_ops_autograd,
        3,
        ("torch", 0.50),
    ),
    Case(
        "chain_forward",
        "1,000 ops, recorded",
        THREE,
        chain_forward,
        chain_forward_numpy,
        chain_forward_autograd,
        CHAIN,
        ("torch", 0.50),
    ),
    Case(
        "chain_backward",
        "1,000 ops forward and backward",
        THREE,
        chain_backward,
        chain_backward_numpy,
        chain_backward_autograd,
        CHAIN,
        ("torch", 0.42),
    ),
    Case(
        "chain_no_grad",
        "1,000 ops under no_grad",
        THREE,
        chain_no_grad,
        chain_forward_numpy,
        plain(chain_plain),
        CHAIN,
        ("torch", 0.42),
    ),
    Case(
        "double_backward",
        "second derivative through create_graph",
        ((3,),),
        double_backward,
        double_backward_numpy,
        double_backward_autograd,
        goal=("torch", 0.80),
    ),
    Case(
        "mlp_small",
        "training step 4-16-1, batch 8",
        net(8, 4, 16, 1),
        mlp(False),
        mlp_numpy(False),
        mlp_autograd(False),
        goal=("torch", 0.60),
        rtol=1e-4,
    ),
    Case(
        "mlp_large",
        "training step 784-512-10, batch 256",
        net(256, 784, 512, 10),
        mlp(True),
        mlp_numpy(True),
        mlp_autograd(True),
        goal=LARGE,
        rtol=1e-4,
    ),
)
