"""Large arrays, views and in-place operations.

``T`` is torch or autogradlab, ``A`` is HIPS autograd, ``N`` is numpy; each gets the same inputs.

The NumPy side is what one would write by hand who knows the derivative: the same arithmetic, no graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .harness import LARGE, Array, Case, Thunk

MANY = 100
BIG = (2_000_000,)
THREE = ((3,), (3,))
PAIR = (BIG, BIG)
VIEWS = ("torch", 0.55)  # their goal


# --- two million elements -------------------------------------------------------------------------------------------
# Intermediate results have names on the NumPy side too: without, NumPy would reuse their memory, which is one array
# less to fill than for a library whose user may keep each of them.
def big_forward(T: Any, a: Array, b: Array) -> Thunk:
    ta, tb = T.tensor(a, requires_grad=True), T.tensor(b, requires_grad=True)
    return lambda: (ta * tb + ta,)


def big_no_grad(T: Any, a: Array, b: Array) -> Thunk:
    ta, tb = T.tensor(a), T.tensor(b)
    return lambda: (ta * tb + ta,)


def big_forward_autograd(A: Any, a: Array, b: Array) -> Thunk:
    record = A.make_vjp(lambda a, b: a * b + a, (0, 1))
    return lambda: (record(a, b)[1],)


def big_forward_numpy(N: Any, a: Array, b: Array) -> Thunk:
    def run() -> Any:
        product = a * b
        y = product + a
        return (y,)

    return run


def big_backward(T: Any, a: Array, b: Array) -> Thunk:
    ta, tb = T.tensor(a, requires_grad=True), T.tensor(b, requires_grad=True)
    g = T.ones(BIG)

    def run() -> Any:
        ta.grad = tb.grad = None
        y = ta * tb + ta
        y.backward(g)
        return y, ta.grad, tb.grad

    return run


def big_backward_autograd(A: Any, a: Array, b: Array) -> Thunk:
    record = A.make_vjp(lambda a, b: a * b + a, (0, 1))
    g = np.ones(BIG, np.float32)

    def run() -> Any:
        vjp, y = record(a, b)
        return y, *vjp(g)

    return run


def big_backward_numpy(N: Any, a: Array, b: Array) -> Thunk:
    g = N.ones(BIG, N.float32)

    def run() -> Any:
        product = a * b
        y = product + a
        ga = g * b
        ga += g
        return y, ga, g * a

    return run


def big_tanh(T: Any, a: Array) -> Thunk:
    ta = T.tensor(a, requires_grad=True)
    g = T.ones(BIG)

    def run() -> Any:
        ta.grad = None
        y = T.tanh(ta)
        y.backward(g)
        return y, ta.grad

    return run


def big_tanh_autograd(A: Any, a: Array) -> Thunk:
    record = A.make_vjp(A.numpy.tanh)
    g = np.ones(BIG, np.float32)

    def run() -> Any:
        vjp, y = record(a)
        return y, vjp(g)

    return run


def big_tanh_numpy(N: Any, a: Array) -> Thunk:
    g = N.ones(BIG, N.float32)

    def run() -> Any:
        y = N.tanh(a)
        slope = y * y
        N.subtract(1, slope, out=slope)
        slope *= g
        return y, slope

    return run


# --- views: the same one a hundred times ----------------------------------------------------------------------------
def views(make: Callable[[Any], Any], recorded: bool = True) -> Callable[..., Thunk]:
    def build(T: Any, x: Array) -> Thunk:
        tx = T.tensor(x, requires_grad=recorded)

        def run() -> Any:
            for _ in range(MANY):
                y = make(tx)
            return (y,)

        return run

    return build


def views_autograd(make: Callable[[Any], Any]) -> Callable[..., Thunk]:
    def many(x: Any) -> Any:
        for _ in range(MANY):
            y = make(x)
        return y

    def build(A: Any, x: Array) -> Thunk:
        record = A.make_vjp(many)
        return lambda: (record(x)[1],)

    return build


def views_numpy(make: Callable[[Any], Any]) -> Callable[..., Thunk]:
    def build(N: Any, x: Array) -> Thunk:
        def run() -> Any:
            for _ in range(MANY):
                y = make(x)
            return (y,)

        return run

    return build


def view_cases() -> list[Case]:
    kinds: tuple[tuple[str, str, Callable[[Any], Any], Callable[[Any], Any]], ...] = (
        ("view", "x.view(6, 4)", lambda x: x.view(6, 4), lambda x: x.reshape(6, 4)),
        ("view_t", "x.t()", lambda x: x.t(), lambda x: x.T),
        ("view_index", "x[1]", lambda x: x[1], lambda x: x[1]),
        ("view_slice", "x[1:3, ::2]", lambda x: x[1:3, ::2], lambda x: x[1:3, ::2]),
    )
    cases = []
    for name, text, make, plain in kinds:
        for recorded in (True, False):
            cases.append(
                Case(
                    name=name if recorded else name + "_plain",
                    about=f"{text}, {MANY} times, " + ("recorded" if recorded else "nothing requires grad"),
                    shapes=((4, 6),),
                    tensor=views(make, recorded),
                    numpy=views_numpy(plain),
                    autograd=views_autograd(plain) if recorded else None,
                    ops=MANY,
                    goal=VIEWS,
                )
            )
    return cases


def view_backward(T: Any, x: Array) -> Thunk:
    tx = T.tensor(x, requires_grad=True)

    def run() -> Any:
        tx.grad = None
        y = tx.view(6, 4).t()[1][2:5].sum()
        y.backward()
        return y, tx.grad

    return run


def view_backward_autograd(A: Any, x: Array) -> Thunk:
    step = A.value_and_grad(lambda x: A.numpy.sum(x.reshape(6, 4).T[1][2:5]))
    return lambda: step(x)


def view_backward_numpy(N: Any, x: Array) -> Thunk:
    def run() -> Any:
        y = x.reshape(6, 4).T[1][2:5].sum()
        gx = N.zeros_like(x)
        gx.reshape(6, 4).T[1][2:5] = 1
        return y, gx

    return run


# --- in-place -------------------------------------------------------------------------------------------------------
def inplace_plain(T: Any, x: Array) -> Thunk:
    tx = T.tensor(x)

    def run() -> Any:
        for _ in range(MANY // 2):
            tx.mul_(0.5)
            tx.add_(1)
        return (tx,)

    return run


def inplace_plain_numpy(N: Any, x: Array) -> Thunk:
    def run() -> Any:
        for _ in range(MANY // 2):
            N.multiply(x, 0.5, out=x)
            N.add(x, 1, out=x)
        return (x,)

    return run


def inplace_recorded(T: Any, w: Array, x: Array) -> Thunk:
    tw, tx = T.tensor(w, requires_grad=True), T.tensor(x, requires_grad=True)
    g = T.ones(3)

    def run() -> Any:
        tw.grad = tx.grad = None
        h = tw + 1
        for _ in range(MANY // 2):
            h.add_(tx)
            h.mul_(0.5)
        h.backward(g)
        return h, tw.grad, tx.grad

    return run


def inplace_recorded_numpy(N: Any, w: Array, x: Array) -> Thunk:
    def run() -> Any:
        h = w + 1
        for _ in range(MANY // 2):
            h += x
            h *= 0.5
        g = N.ones(3, N.float32)
        gx = N.zeros_like(g)
        for _ in range(MANY // 2):
            g = g * 0.5
            gx = gx + g
        return h, g, gx

    return run


def inplace_view(T: Any, x: Array) -> Thunk:
    tx = T.tensor(x, requires_grad=True)
    g = T.ones(4, 6)

    def run() -> Any:
        tx.grad = None
        h = tx * 2
        row = h[1]
        row.mul_(3)
        h.backward(g)
        return h, row, tx.grad

    return run


def inplace_view_numpy(N: Any, x: Array) -> Thunk:
    g = N.ones((4, 6), N.float32)

    def run() -> Any:
        h = x * 2
        row = h[1]
        row *= 3
        gh = g.copy()
        gh[1] *= 3
        return h, row, gh * 2

    return run


def inplace_big(T: Any, a: Array, b: Array) -> Thunk:
    ta, tb = T.tensor(a), T.tensor(b)

    def run() -> Any:
        ta.add_(tb)
        ta.mul_(0.5)
        return (ta,)

    return run


def inplace_big_numpy(N: Any, a: Array, b: Array) -> Thunk:
    def run() -> Any:
        N.add(a, b, out=a)
        N.multiply(a, 0.5, out=a)
        return (a,)

    return run


MEMORY: tuple[Case, ...] = (
    Case(
        "big_no_grad",
        "a * b + a, 2 M elements, nothing requires grad",
        PAIR,
        big_no_grad,
        big_forward_numpy,
        None,
        2,
        LARGE,
    ),
    Case(
        "big_forward",
        "a * b + a, 2 M elements, recorded",
        PAIR,
        big_forward,
        big_forward_numpy,
        big_forward_autograd,
        2,
        LARGE,
    ),
    Case(
        "big_backward",
        "a * b + a, 2 M elements, forward and backward",
        PAIR,
        big_backward,
        big_backward_numpy,
        big_backward_autograd,
        2,
        LARGE,
    ),
    Case(
        "big_tanh",
        "tanh, 2 M elements, forward and backward",
        (BIG,),
        big_tanh,
        big_tanh_numpy,
        big_tanh_autograd,
        1,
        LARGE,
    ),
    *view_cases(),
    Case(
        "view_backward",
        "view, t, index, slice, sum, backward",
        ((4, 6),),
        view_backward,
        view_backward_numpy,
        view_backward_autograd,
        5,
        VIEWS,
    ),
    Case(
        "inplace_plain",
        "mul_ and add_ with a number, nothing requires grad",
        ((3,),),
        inplace_plain,
        inplace_plain_numpy,
        None,
        MANY,
        ("torch", 0.80),
    ),
    Case(
        "inplace_recorded",
        "add_ and mul_ on a non-leaf, backward",
        THREE,
        inplace_recorded,
        inplace_recorded_numpy,
        None,
        MANY,
        ("torch", 0.80),
    ),
    Case(
        "inplace_view",
        "mul_ on a row of a non-leaf, backward",
        ((4, 6),),
        inplace_view,
        inplace_view_numpy,
        None,
        3,
        ("torch", 1.00),
    ),
    Case("inplace_big", "add_ and mul_, 2 M elements", PAIR, inplace_big, inplace_big_numpy, None, 2, LARGE),
)
