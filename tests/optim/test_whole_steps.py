"""A step of an optimizer is whole or has not happened, wherever it is interrupted; counts of changes are PyTorch's."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import autogradlab

#: optimizers with options that change what they keep
OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9, "weight_decay": 0.1, "nesterov": True}),
    ("SGD", {"momentum": 0.9, "fused": True}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
    ("Adam", {"fused": True}),
    ("AdamW", {}),
    ("Adamax", {}),
    ("NAdam", {"decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("RAdam", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adadelta", {}),
    ("Rprop", {}),
    ("Rprop", {"foreach": True}),
    ("ASGD", {"t0": 2}),
    ("ASGD", {"foreach": True}),
    ("Adafactor", {"weight_decay": 0.1}),
]
IDS = [f"{name}-{'-'.join(options)}" for name, options in OPTIMIZERS]


def started(torch: Any, name: str, options: dict[str, Any], steps: int = 1) -> tuple[Any, list[Any]]:
    values = (
        torch.ones(3, 2),
        torch.tensor([2.0, -1.0]),
        torch.tensor([0.5]),
    )  # so many that some steps take them as one
    params = [torch.nn.Parameter(value) for value in values]
    optimizer = getattr(torch.optim, name)(params, **options)
    for _ in range(steps):
        step(optimizer, params)
    return optimizer, params


def step(optimizer: Any, params: list[Any]) -> None:
    optimizer.zero_grad()
    sum((p * p).sum() for p in params).backward()  # type: ignore[union-attr]
    optimizer.step()


def seen(optimizer: Any, params: list[Any]) -> str:
    """Everything that a step changes."""
    state = [
        {k: (v.tolist(), v._version) for k, v in optimizer.state[p].items()} if p in optimizer.state else None
        for p in params
    ]
    return repr(([(p.tolist(), p._version) for p in params], state))


class Interrupt:
    """Raises KeyboardInterrupt at the n-th call or return within the optimizers."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self, frame: Any, event: str, arg: Any) -> Any:
        if "/optim/" not in frame.f_code.co_filename:
            return None
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self

    def __enter__(self) -> Interrupt:
        sys.settrace(self)
        return self

    def __exit__(self, *exc: object) -> None:
        sys.settrace(None)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=IDS)
@pytest.mark.parametrize("steps", [0, 2])
def test_an_interrupted_step_is_whole_or_undone(name: str, options: dict[str, Any], steps: int):
    optimizer, params = started(autogradlab, name, options, steps)
    sum((p * p).sum() for p in params).backward()  # type: ignore[union-attr]
    before = seen(optimizer, params)
    optimizer.step()
    after = seen(optimizer, params)
    ends = set()
    for n in range(1, 10_000):
        optimizer, params = started(autogradlab, name, options, steps)
        sum((p * p).sum() for p in params).backward()  # type: ignore[union-attr]
        try:
            with Interrupt(n) as interrupt:
                optimizer.step()
        except KeyboardInterrupt:
            pass
        found = seen(optimizer, params)
        ends.add(found)
        assert found in (before, after), f"at event {n}"
        if interrupt.left > 0:
            break
    assert ends == {before, after}


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_an_interrupted_lbfgs_goes_back(line_search: str | None):
    w = autogradlab.nn.Parameter(autogradlab.tensor([3.0, -2.0]))
    optimizer = autogradlab.optim.LBFGS([w], max_iter=5, line_search_fn=line_search)
    calls = 0

    def closure() -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        optimizer.zero_grad()
        loss = (w * w * w * w).sum()
        loss.backward()
        return loss

    with pytest.raises(KeyboardInterrupt):
        optimizer.step(closure)
    assert w.tolist() == [3.0, -2.0]
    assert not optimizer.state[w]


def counted(torch: Any, name: str, options: dict[str, Any]) -> Any:
    optimizer, params = started(torch, name, options, 3)
    state = optimizer.state
    return [(p._version, {k: v._version for k, v in state[p].items()} if p in state else {}) for p in params]


@pytest.mark.parity
@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=IDS)
def test_changes_are_counted_as_in_pytorch(torch: Any, name: str, options: dict[str, Any]):
    assert counted(autogradlab, name, options) == counted(torch, name, options)


def lbfgs_state(torch: Any, **options: Any) -> Any:
    torch.manual_seed(0)
    w = torch.nn.Parameter(torch.tensor([3.0, -2.0]))
    optimizer = torch.optim.LBFGS([w], max_iter=4, history_size=3, **options)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (w * w * torch.tensor([3.0, 1.0])).sum() + (w**4).sum() / 10
        loss.backward()
        return loss

    found = []
    for _ in range(2):
        optimizer.step(closure)
        state = optimizer.state_dict()["state"][0]
        found.append([(k, type(v).__name__, len(v) if isinstance(v, list) else 0) for k, v in state.items()])
    return found, w._version, [round(x, 3) for x in w.tolist()]


@pytest.mark.parity
@pytest.mark.parametrize("options", [{}, {"line_search_fn": "strong_wolfe"}])
def test_lbfgs_keeps_what_pytorch_keeps(torch: Any, options: dict[str, Any]):
    assert lbfgs_state(autogradlab, **options) == lbfgs_state(torch, **options)


def hooked(torch: Any) -> Any:
    optimizer, _ = started(torch, "SGD", {})
    found: list[Any] = []
    optimizer.register_step_pre_hook(lambda o, args, kwargs: found.append((len(args), args[0] is o, kwargs)))
    optimizer.register_step_post_hook(lambda o, args, kwargs: found.append((len(args), args[0] is o, kwargs)))
    optimizer.step()
    optimizer.step(lambda: torch.ones(1))
    optimizer.step(closure=lambda: torch.ones(1))
    return repr([(n, same, sorted(kwargs)) for n, same, kwargs in found])


@pytest.mark.parity
def test_step_hooks_get_the_optimizer(torch: Any):
    assert hooked(autogradlab) == hooked(torch)


def shared(torch: Any) -> Any:
    optimizer, params = started(torch, "Adam", {})
    other = torch.optim.Adam(params)
    state = optimizer.state_dict()
    other.load_state_dict(state)
    kept = state["state"][0]
    return {k: other.state[params[0]][k] is v for k, v in kept.items()}


@pytest.mark.parity
def test_loaded_state_shares_its_tensors(torch: Any):
    assert shared(autogradlab) == shared(torch) == {"step": True, "exp_avg": True, "exp_avg_sq": True}


def refused(torch: Any, **options: Any) -> str:
    try:
        torch.optim.Adam([torch.nn.Parameter(torch.ones(1))], **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parity
@pytest.mark.parametrize(
    "options", [{"fused": True, "foreach": True}, {"fused": True, "differentiable": True}, {"fused": True}]
)
def test_fused_is_refused_where_pytorch_does(torch: Any, options: dict[str, Any]):
    assert refused(autogradlab, **options) == refused(torch, **options)
