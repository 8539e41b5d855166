"""What is left when code of the user raises, wherever the library calls it: modes as they were, gradients and versions
those that PyTorch leaves, and the next backward is right."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import autogradlab
from tests.test_interrupts import after_all, modes_now

#: a program gets the library and what it has to call somewhere, and tells how to look at what it worked on
Program = Callable[[Any, Callable[..., Any]], Callable[[], Any]]
PROGRAMS: dict[str, Program] = {}


def program(act: Program) -> Program:
    PROGRAMS[act.__name__] = act
    return act


def leaves(torch: Any) -> tuple[Any, Any]:
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([0.5, -1.0, 2.0], requires_grad=True)


def shown(*tensors: Any) -> list[Any]:
    return [
        (t.detach().tolist(), t._version, None if t.grad is None else (t.grad.detach().tolist(), t.grad._version))
        for t in tensors
    ]


def backward_with(register: Callable[[Any, Any, Any, Any, Any], Any]) -> Program:
    """A backward over two leaves and three Nodes, with a hook that `register` puts somewhere."""

    def act(torch: Any, boom: Callable[..., Any]) -> Callable[[], Any]:
        w, v = leaves(torch)
        (w * v).sum().backward()
        a = w * v
        register(torch, boom, w, v, a)
        boom.start(lambda: ((a * a).sum() + w.sum()).backward(), lambda: shown(w, v))  # type: ignore[attr-defined]
        return lambda: (torch.is_grad_enabled(), (w * 2).requires_grad)

    return act


HOOKED: dict[str, Callable[[Any, Any, Any, Any, Any], Any]] = {
    "hook_of_a_leaf": lambda torch, boom, w, v, a: w.register_hook(boom),
    "hook_of_a_result": lambda torch, boom, w, v, a: a.register_hook(boom),
    "after_accumulation": lambda torch, boom, w, v, a: w.register_post_accumulate_grad_hook(boom),
    "before_a_node": lambda torch, boom, w, v, a: a.grad_fn.register_prehook(boom),
    "after_a_node": lambda torch, boom, w, v, a: a.grad_fn.register_hook(boom),
    "before_accumulation": lambda torch, boom, w, v, a: (w * 1).grad_fn.next_functions[0][0].register_prehook(boom),
    "kept_and_hooked": lambda torch, boom, w, v, a: (a.retain_grad(), a.register_hook(boom)),
    "many_grads": lambda torch, boom, w, v, a: torch.autograd.graph.register_multi_grad_hook((w, v), boom),
    "mode_changed": lambda torch, boom, w, v, a: a.register_hook(lambda g: (torch.set_grad_enabled(True), boom(g))[1]),
}
for name, register in HOOKED.items():
    PROGRAMS[name] = backward_with(register)


def function_of(torch: Any, forward: Any, backward: Any) -> Any:
    def run(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        forward(x)
        return x * 2

    def back(ctx: Any, g: Any) -> Any:
        backward(g)
        return g * 2

    return type("Double", (torch.autograd.Function,), {"forward": staticmethod(run), "backward": staticmethod(back)})


@program
def forward_of_a_function(torch: Any, boom: Any) -> Any:
    w, v = leaves(torch)
    double = function_of(torch, boom, lambda g: None)
    boom.start(lambda: double.apply(w), lambda: shown(w, v))
    return lambda: (torch.is_grad_enabled(), (w * 2).requires_grad)


@program
def backward_of_a_function(torch: Any, boom: Any) -> Any:
    w, v = leaves(torch)
    y = (function_of(torch, lambda x: None, boom).apply(w) * v).sum()
    boom.start(y.backward, lambda: shown(w, v))
    return lambda: torch.is_grad_enabled()


@program
def backward_of_a_function_recorded(torch: Any, boom: Any) -> Any:
    w, v = leaves(torch)
    y = (function_of(torch, lambda x: None, boom).apply(w) * v).sum()
    boom.start(lambda: torch.autograd.grad(y, w, create_graph=True), lambda: shown(w, v))
    return lambda: torch.is_grad_enabled()


@program
def packing(torch: Any, boom: Any) -> Any:
    w, v = leaves(torch)

    def act() -> None:
        with torch.autograd.graph.saved_tensors_hooks(boom, lambda t: t):
            w * v

    boom.start(act, lambda: shown(w, v))
    return lambda: (w * v).grad_fn._saved_self.tolist()


@program
def unpacking(torch: Any, boom: Any) -> Any:
    w, v = leaves(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, boom):
        y = (w * v).exp().sum()
    boom.start(y.backward, lambda: shown(w, v))
    return lambda: torch.is_grad_enabled()


@program
def checkpointed(torch: Any, boom: Any) -> Any:
    w, v = leaves(torch)
    calls: list[int] = []

    def run(x: Any) -> Any:
        calls.append(1)
        if len(calls) > 1:
            boom(x)
        return (x * v).exp()

    checkpoint = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    y = checkpoint(run, w, use_reentrant=False).sum()
    boom.start(y.backward, lambda: shown(w, v))
    return lambda: torch.is_grad_enabled()


@program
def transformed(torch: Any, boom: Any) -> Any:
    x = torch.ones(2, 3)
    boom.start(lambda: torch.func.vmap(torch.func.grad(lambda t: boom(t) or (t * t).sum()))(x), lambda: shown(x))
    return lambda: torch.func.vmap(torch.func.grad(lambda t: (t * t).sum()))(x).tolist()


@program
def jacobian(torch: Any, boom: Any) -> Any:
    x = torch.ones(3)
    boom.start(lambda: torch.autograd.functional.hessian(lambda t: boom(t) or (t * t).sum(), x), lambda: shown(x))
    return lambda: torch.is_grad_enabled()


class Number:
    """An object that says its value when it is asked."""

    def __init__(self, boom: Any) -> None:
        self.boom = boom

    def __index__(self) -> int:
        self.boom()
        return 1

    def __float__(self) -> float:
        self.boom()
        return 1.0


def changed_by(change: Callable[[Any, Any, Any], Any]) -> Program:
    """Something done to the result of an operation, with an object whose methods are the user's."""

    def act(torch: Any, boom: Any) -> Any:
        w, v = leaves(torch)
        a = w * v
        boom.start(lambda: change(torch, a, boom), lambda: [*shown(w, v), a.tolist(), a._version, a.grad_fn.name()])
        return lambda: (torch.is_grad_enabled(), a.sum().backward(), shown(w, v))

    return act


CHANGED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "index": lambda torch, a, boom: a[Number(boom)],
    "index_written": lambda torch, a, boom: a.__setitem__(Number(boom), 5.0),
    "value_written": lambda torch, a, boom: a.__setitem__(0, Number(boom)),
    "size": lambda torch, a, boom: a.view(3, Number(boom)),
    "data": lambda torch, a, boom: torch.tensor([1.0, Number(boom)]),
    "applied": lambda torch, a, boom: a.detach().apply_(lambda x: boom(x) or 1.0),
    "mapped": lambda torch, a, boom: a.detach().map_(torch.ones(3), lambda x, y: boom(x) or 1.0),
}
for name, change in CHANGED.items():
    PROGRAMS[name] = changed_by(change)


@program
def closure(torch: Any, boom: Any) -> Any:
    w, _ = leaves(torch)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    boom.start(lambda: optimizer.step(boom), lambda: shown(w))
    return lambda: (torch.is_grad_enabled(), dict(optimizer.state))


@program
def hook_of_an_optimizer(torch: Any, boom: Any) -> Any:
    w, v = leaves(torch)
    (w * v).sum().backward()
    optimizer = torch.optim.Adam([w], lr=0.1)
    optimizer.register_step_post_hook(lambda *_: boom())
    boom.start(optimizer.step, lambda: shown(w))
    return lambda: (torch.is_grad_enabled(), len(optimizer.state))


@program
def hooks_of_a_module(torch: Any, boom: Any) -> Any:
    layer = torch.nn.Linear(3, 1)
    for p in layer.parameters():  # numbers that no processor rounds
        torch.nn.init.constant_(p, 0.5)
    layer.register_full_backward_hook(lambda *_: boom())
    x = torch.ones(2, 3, requires_grad=True)
    y = layer(x).sum()
    boom.start(y.backward, lambda: shown(x, *layer.parameters()))
    return lambda: (torch.is_grad_enabled(), layer.training)


#: where the library says an error of its own, in place of the user's, as PyTorch does
REPLACED = {"value_written": "TypeError", "data": "RuntimeError"}
#: PyTorch takes an `__index__` that raises for none at all
INDICES = {"index", "index_written", "size"}


class Boom:
    """Raises when it is called, but only while the act that was announced runs."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error
        self.on = False
        self.seen: list[Any] = []

    def __call__(self, *args: Any) -> Any:
        if self.on:
            raise self.error("by the user")
        return None

    def start(self, act: Callable[[], Any], look: Callable[[], Any]) -> None:
        self.on = True
        try:
            act()
        except BaseException as error:
            self.seen.append(type(error).__name__)
        finally:
            self.on = False
        self.seen.append(look())


def outcome(library: str, name: str, error: type[BaseException]) -> list[Any]:
    """The error that came out, what it left, and what can still be done."""
    boom = Boom(error)
    rest = PROGRAMS[name](importlib.import_module(library), boom)
    return [*boom.seen, rest()]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError, RecursionError, SystemExit])
@pytest.mark.parametrize("name", PROGRAMS)
def test_modes_are_what_they_were(name: str, error: type[BaseException]):
    usual = modes_now()
    found = outcome("autogradlab", name, error)
    assert found[0] == REPLACED.get(name, error.__name__)
    assert modes_now() == usual
    after_all()


@pytest.mark.parity
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in INDICES])
def test_what_is_left_is_what_pytorch_leaves(torch: Any, name: str):
    torch.set_grad_enabled(True)
    assert outcome("autogradlab", name, ValueError) == outcome("torch", name, ValueError)
    assert torch.is_grad_enabled() and autogradlab.is_grad_enabled()
