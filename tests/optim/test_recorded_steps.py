"""Steps with `differentiable=True`: what they leave, and the gradients through them, beside PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import autogradlab
from tests.fuzz.training import same

_ADAM = {"step": 10.0, "exp_avg": [0.3, 0.2], "exp_avg_sq": [0.3, 0.4]}
_MAX = {**_ADAM, "max_exp_avg_sq": [0.2, 0.7]}
_NADAM = {**_ADAM, "mu_product": 1.0}
#: optimizer, options, its state before the step
STEPS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("SGD", {}, {"momentum_buffer": [0.3, 0.4]}),
    ("SGD", {"momentum": 0.9}, {}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, {"momentum_buffer": [0.3, 0.4]}),
    ("Adam", {"amsgrad": True}, _MAX),
    ("Adam", {"maximize": True, "weight_decay": 0.1}, _ADAM),
    ("AdamW", {"amsgrad": True}, _MAX),
    ("RMSprop", {}, {"step": 0.0, "square_avg": [0.3, 0.5]}),
    (
        "RMSprop",
        {"maximize": True, "momentum": 0.9, "centered": True, "weight_decay": 0.1},
        {"step": 0.0, "square_avg": [0.3, 0.5], "momentum_buffer": [0.2, 0.3], "grad_avg": [0.01, 0.02]},
    ),
    ("Adadelta", {"weight_decay": 0.1}, {"step": 10.0, "square_avg": [0.3, 0.5], "acc_delta": [0.2, 0.3]}),
    ("Adagrad", {"weight_decay": 0.1}, {"step": 10.0, "sum": [0.3, 0.5]}),
    ("Adamax", {"weight_decay": 0.1}, {"step": 10.0, "exp_avg": [0.3, 0.5], "exp_inf": [0.2, 0.9]}),
    ("Rprop", {}, {"step": 10.0, "prev": [0.3, -0.5], "step_size": [0.2, 0.9]}),
    ("NAdam", {}, _NADAM),
    ("NAdam", {"decoupled_weight_decay": True, "weight_decay": 0.1}, _NADAM),
    ("RAdam", {}, _ADAM),
    ("RAdam", {"decoupled_weight_decay": True, "weight_decay": 0.1}, _ADAM),
    ("RAdam", {}, {**_ADAM, "step": 1.0}),
]
#: optimizer, the hyperparameters that are learned, its state before
LEARNED: list[tuple[str, dict[str, float], dict[str, Any]]] = [
    ("SGD", {"lr": 0.001}, {"momentum_buffer": [0.3, 0.4]}),
    ("SGD", {"weight_decay": 0.9, "lr": 0.01}, {"momentum_buffer": [0.3, 0.4]}),
    ("Adam", {"lr": 0.001}, _MAX),
    ("Adam", {"weight_decay": 0.999}, _MAX),
    ("Adam", {"beta1": 0.9, "beta2": 0.999, "lr": 0.01, "weight_decay": 0.9}, _MAX),
    ("AdamW", {"beta1": 0.9, "beta2": 0.999}, _MAX),
    ("AdamW", {"beta1": 0.9, "beta2": 0.999, "lr": 0.01, "weight_decay": 0.9}, _MAX),
]


def stepped(lib: Any, name: str, options: dict[str, Any], before: dict[str, Any]) -> list[Any]:
    """Parameter and state after a step, and the gradients of all of them in what the step began with."""
    leaves = {key: lib.tensor(value, dtype=lib.float64, requires_grad=key != "step") for key, value in before.items()}
    begun = [lib.tensor(v, dtype=lib.float64, requires_grad=True) for v in ([1.0, 2.0], [0.5, 0.25])]
    p = begun[0].clone()
    p.grad = begun[1]
    optimizer = getattr(lib.optim, name)([p], lr=0.9, differentiable=True, **options)
    optimizer.state[p].update({key: t.clone() for key, t in leaves.items()})
    optimizer.step()
    state = optimizer.state[p]
    made = [p, *(t for t in state.values() if t.requires_grad)]
    begun += [t for t in leaves.values() if t.requires_grad]
    grads = lib.autograd.grad(sum((t * t).sum() for t in made), begun, allow_unused=True)
    return [
        [p.grad_fn.name(), *(t.grad_fn.name() for t in state.values() if t.requires_grad)],
        [(key, t.requires_grad, t.tolist()) for key, t in state.items()],
        [None if g is None else g.tolist() for g in grads],
    ]


def learned(lib: Any, name: str, options: dict[str, float], before: dict[str, Any]) -> list[float]:
    """The gradients of hyperparameters through two steps."""
    params = lib.tensor([1.0, 2.0], dtype=lib.float64, requires_grad=True).clone()
    leaves = {key: lib.tensor(value, dtype=lib.float64, requires_grad=True) for key, value in options.items()}
    given: dict[str, Any] = {key: t.clone() for key, t in leaves.items()}
    if "beta1" in given:
        given["betas"] = given.pop("beta1"), given.pop("beta2")
    optimizer = getattr(lib.optim, name)([params], differentiable=True, **given)
    optimizer.state[params].update({key: lib.tensor(v, dtype=lib.float64) for key, v in before.items()})
    for _ in range(2):
        loss = (params.sum() - 2.0) ** 2
        loss.backward(inputs=(params,), create_graph=True)
        optimizer.step()
        optimizer.zero_grad()
    return [g.item() for g in lib.autograd.grad(loss, list(leaves.values()))]


@pytest.mark.parity
@pytest.mark.parametrize(("name", "options", "before"), STEPS)
def test_recorded_steps_are_torchs(torch: Any, name: str, options: dict[str, Any], before: dict[str, Any]):
    ours, theirs = stepped(autogradlab, name, options, before), stepped(torch, name, options, before)
    assert ours[0] == theirs[0]
    assert same(ours[1:], theirs[1:], 1e-6)


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize(("name", "options", "before"), LEARNED)
def test_hyperparameters_learn_as_in_torch(torch: Any, name: str, options: dict[str, Any], before: dict[str, Any]):
    ours, theirs = learned(autogradlab, name, options, before), learned(torch, name, options, before)
    assert same(ours, theirs, 1e-6)


def test_a_step_that_is_not_recorded_leaves_no_history():
    torch = autogradlab
    p = torch.ones(2, requires_grad=True)
    p.grad = torch.ones(2, requires_grad=True)
    torch.optim.Adam([p], lr=torch.tensor(0.1, requires_grad=True)).step()
    assert p.is_leaf
    assert p.tolist() == pytest.approx([0.9, 0.9])
