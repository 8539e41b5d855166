"""How often `.grad` counts as written, and whether it stays the same tensor: every way to accumulate, beside torch."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest

import autogradlab
from tests.conftest import need

FORMS: dict[str, Any] = {
    "product": lambda T, w: w * w,
    "sum": lambda T, w: w + 1,
    "shared": lambda T, w: w * 2 + w * 3,
    "three times": lambda T, w: w * 2 + w * 3 + w * w,
    "broadcast": lambda T, w: w * T.ones(2, *w.shape),
    "transposed": lambda T, w: w.t() * T.ones(tuple(w.shape)[::-1]),
    "viewed": lambda T, w: w.view(-1) * 2,
    "indexed": lambda T, w: w[0] * 2,
    "left factor": lambda T, w: w @ T.ones(w.shape[1], 2),
    "right factor": lambda T, w: T.ones(2, w.shape[0]) @ w,
    "negative": lambda T, w: -w,
    "cloned": lambda T, w: w.clone(),
    "expanded": lambda T, w: w.expand(2, *w.shape),
    "joined": lambda T, w: T.cat([w, w]),
    "stacked": lambda T, w: T.stack([w, w * 2]).mul(2),
}


def leaf(T: Any) -> Any:
    return T.arange(6.0).reshape(2, 3).clone().requires_grad_()


class Log:
    """What happens to the gradient of one leaf."""

    def __init__(self, T: Any) -> None:
        self.lines: list[Any] = []
        self.w, self.T = leaf(T), T

    def go(self, form: Any, **options: Any) -> None:
        before = self.w.grad
        try:
            form(self.T, self.w).sum().backward(**options)
        except RuntimeError as error:
            self.lines.append(re.sub("[.] .*", "", str(error)))
        g = self.w.grad
        self.lines.append((g.tolist(), g._version, g.requires_grad, g.grad_fn is None, tuple(g.stride()), g is before))
        if before is not None:
            self.lines.append((before.tolist(), before._version))


def thrice(log: Log, form: Any) -> None:
    for _ in range(3):
        log.go(form)


def recorded(log: Log, form: Any) -> None:
    log.go(form, create_graph=True)
    log.go(form, create_graph=True)
    log.go(form)


def set_by_hand(log: Log, form: Any) -> None:
    log.w.grad = log.T.zeros(2, 3)
    log.go(form)
    log.go(form, create_graph=True)


def set_with_history(log: Log, form: Any) -> None:
    log.w.grad = log.T.zeros(2, 3, requires_grad=True) * 1
    log.go(form)


def set_to_a_leaf(log: Log, form: Any) -> None:
    log.w.grad = log.T.zeros(2, 3, requires_grad=True)
    log.go(form)


def set_expanded(log: Log, form: Any) -> None:
    log.w.grad = log.T.zeros(1).expand(2, 3)
    log.go(form)


def hooked(log: Log, form: Any) -> None:
    log.w.register_hook(lambda g: None)
    thrice(log, form)


def replaced_by_a_hook(log: Log, form: Any) -> None:
    log.w.register_hook(lambda g: g * 2)
    thrice(log, form)


def kept_by_a_hook(log: Log, form: Any) -> None:
    kept: list[Any] = []
    log.w.register_hook(kept.append)
    thrice(log, form)
    log.lines += [(g.tolist(), g._version, g.data_ptr() == log.w.grad.data_ptr()) for g in kept]


def hooked_afterwards(log: Log, form: Any) -> None:
    log.w.register_post_accumulate_grad_hook(lambda t: log.lines.append(t.grad._version))
    thrice(log, form)


def with_a_hook_above(log: Log, form: Any) -> None:
    def inner(T: Any, w: Any) -> Any:
        y = form(T, w * 2)
        y.register_hook(lambda g: None)
        return y + w.sum()

    thrice(log, inner)


def shared_result(log: Log, form: Any) -> None:
    """The gradient of a result that several Nodes use, as its hook sees it."""

    def inner(T: Any, w: Any) -> Any:
        y = form(T, w)
        y.register_hook(lambda g: seen.append((g.tolist(), g._version)))
        return y * 2 + y * 3

    seen: list[Any] = []
    thrice(log, inner)
    log.lines = seen


def captured(log: Log, form: Any) -> None:
    y = form(log.T, log.w)
    (g,) = log.T.autograd.grad((y * 2 + y * 3).sum(), y)
    log.lines.append((g.tolist(), g._version))


def without_grad_mode(log: Log, form: Any) -> None:
    with log.T.no_grad():
        with log.T.enable_grad():
            y = form(log.T, log.w).sum()
        y.backward(create_graph=True)
    log.lines.append((log.w.grad.requires_grad, log.w.grad._version))


WAYS = [
    thrice, recorded, set_by_hand, set_with_history, set_to_a_leaf, set_expanded, hooked, replaced_by_a_hook,
    kept_by_a_hook, hooked_afterwards, with_a_hook_above, shared_result, captured, without_grad_mode,
]  # fmt: skip


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("form", FORMS)
def test_gradients_are_written_as_in_torch(form: str, way: Any):
    found, expected = Log(autogradlab), Log(need("torch"))
    for log in (found, expected):
        way(log, FORMS[form])
    assert found.lines == expected.lines


def test_a_second_backward_writes_into_the_first_gradient():
    w = autogradlab.ones(2, requires_grad=True)
    (w * 3).sum().backward()
    g = w.grad
    assert g._version == 0
    (w * 4).sum().backward()
    assert w.grad is g
    assert (g.tolist(), g._version) == ([7.0, 7.0], 1)
    (w * w).sum().backward()
    assert g._version == 2


@pytest.mark.parametrize("strides", [(3, 1), (1, 2)])
def test_inference_mode_of_another_thread_is_its_own(strides: tuple[int, int]):
    T = autogradlab
    entered, left = threading.Event(), threading.Event()

    def elsewhere() -> None:
        with T.inference_mode():
            entered.set()
            left.wait(10)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    entered.wait(10)
    try:
        w = T.empty_strided((2, 3), strides).fill_(1).requires_grad_()
        (w * T.ones(2, 3)).sum().backward()
        assert not w.grad.is_inference() and w.grad._version in (0, 1)
        (w * 2).sum().backward()
        assert w.grad.tolist() == [[3.0] * 3] * 2
    finally:
        left.set()
        thread.join()
