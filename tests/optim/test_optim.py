"""Optimizers and schedules against PyTorch, step by step; and the rules that hold without it."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import autogradlab
from autogradlab.optim.arrays import Changes

OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {}),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.1}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
    ("SGD", {"maximize": True}),
    ("SGD", {"momentum": 0.9, "dampening": 0.5}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1}),
    ("Adam", {"amsgrad": True}),
    ("AdamW", {"lr": 0.1}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True}),
    ("Adagrad", {}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {"lr": 0.1}),
    ("Rprop", {}),
    ("ASGD", {}),
]
SCHEDULES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("StepLR", (2,), {}),
    ("MultiStepLR", ([2, 5],), {}),
    ("ExponentialLR", (0.9,), {}),
    ("CosineAnnealingLR", (5,), {}),
    ("LambdaLR", (lambda e: 0.5**e,), {}),
    ("MultiplicativeLR", (lambda e: 0.5,), {}),
    ("LinearLR", (), {}),
    ("ConstantLR", (), {}),
    ("PolynomialLR", (), {}),
    ("CosineAnnealingWarmRestarts", (3, 2), {}),
    ("OneCycleLR", (1.0, 12), {}),
    ("CyclicLR", (0.1, 1.0), {"step_size_up": 3, "mode": "triangular2"}),
    ("ReduceLROnPlateau", (), {"patience": 1}),
]


def trained(torch: Any, name: str, options: dict[str, Any]) -> tuple[Any, str, list[str]]:
    torch.manual_seed(1)
    m = torch.nn.Linear(3, 2)
    o = getattr(torch.optim, name)(m.parameters(), **options)
    x = torch.arange(6.0).view(2, 3)
    for _ in range(6):
        o.zero_grad()
        (m(x) ** 2).mean().backward()
        o.step()
    again = getattr(torch.optim, name)(m.parameters(), **options)
    again.load_state_dict(o.state_dict())
    return m.weight.detach().numpy(), repr(again), sorted(again.state_dict()["state"].get(0, {}))


@pytest.mark.parity
@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=str)
def test_optimizer_as_pytorch(torch: Any, name: str, options: dict[str, Any]):
    ours, theirs = trained(autogradlab, name, options), trained(torch, name, options)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=2e-6, atol=1e-7)
    assert ours[1:] == theirs[1:]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *[each for each in OPTIMIZERS if each[0] not in ("NAdam", "ASGD")],  # which keep numbers for each parameter
        ("SGD", {"momentum": 0.9, "maximize": True, "fused": True}),
    ],
    ids=str,
)
@pytest.mark.parametrize("shared", [False, True])
def test_small_parameters_go_together_as_each_by_itself(name: str, options: dict[str, Any], shared: bool):
    torch = autogradlab

    def taken(together: bool) -> tuple[int, list[Any]]:
        memory = torch.linspace(-1, 1, 30)
        shapes = [(3, 2), (4,), (), (1,), (2, 3, 2), (0,), (200, 90)]
        values = [torch.linspace(-1, 2, math.prod(shape)).reshape(shape).clone() for shape in shapes]
        values += [torch.ones(2, 3).t(), torch.ones(3, dtype=torch.float64), torch.ones(2, dtype=torch.complex64)]
        values += [memory[:20], memory[10:]] if shared else []
        params = [torch.nn.Parameter(value) for value in values]
        optimizer = getattr(torch.optim, name)([{"params": [p]} for p in params], **options)
        if together:
            optimizer.param_groups[0]["params"] = params
            del optimizer.param_groups[1:]
        for turn in range(4):
            for i, p in enumerate(params):
                p.grad = None if (i + turn) % 5 == 1 else torch.full_like(p, 0.1 * (i - 3) + turn)
            if options.get("fused"):
                params[9].grad = None
            optimizer.step()
        kept = [
            {k: None if v is None else (v.tolist(), v._version) for k, v in optimizer.state[p].items()} for p in params
        ]
        bundles = [each for group in optimizer.param_groups for each in Changes(optimizer).bundles(group, False)]
        return len(bundles), [[(p.tolist(), p._version) for p in params], kept]

    steps, one_by_one = taken(False)
    bundles, together = taken(True)
    assert together == one_by_one
    assert (bundles < steps) is not shared


@pytest.mark.parity
@pytest.mark.parametrize(("name", "args", "options"), SCHEDULES, ids=[s[0] for s in SCHEDULES])
def test_schedule_as_pytorch(torch: Any, name: str, args: Any, options: Any):
    found = []
    for lib in (autogradlab, torch):
        o = lib.optim.SGD([lib.zeros(1, requires_grad=True)], lr=0.5, momentum=0.9)
        s = getattr(lib.optim.lr_scheduler, name)(o, *args, **options)
        rates = []
        for _ in range(11):
            o.step()
            s.step(*([1.0] if name == "ReduceLROnPlateau" else []))
            rates.append((s.get_last_lr()[0], o.param_groups[0]["momentum"]))
        found.append(rates)
    assert found[0] == found[1]


def test_lbfgs_finds_the_minimum():
    torch = autogradlab
    for search in (None, "strong_wolfe"):
        w = torch.tensor([3.0, -2.0], requires_grad=True)
        o = torch.optim.LBFGS([w], line_search_fn=search)

        def closure(o: Any = o, w: Any = w) -> Any:
            o.zero_grad()
            loss = ((w - torch.tensor([1.0, 2.0])) ** 2).sum()
            loss.backward()
            return loss

        first = o.step(closure)
        assert first.item() == 20.0
        np.testing.assert_allclose(w.detach().numpy(), [1, 2], atol=1e-4)


WRONG = [
    "torch.optim.SGD([])",
    "torch.optim.SGD([3])",
    "torch.optim.SGD([p * 2])",
    "torch.optim.SGD(p)",
    "torch.optim.SGD([p], lr=-1)",
    "torch.optim.SGD([p], nesterov=True)",
    "torch.optim.Adam([p], betas=(1., .9))",
    "torch.optim.SGD([{'params': [p]}, {'params': [p]}])",
    "torch.optim.Rprop([p], etas=(2, 1))",
    "torch.optim.lr_scheduler.StepLR(3, 1)",
    "torch.optim.lr_scheduler.OneCycleLR(3, 1)",
    "torch.optim.lr_scheduler.ReduceLROnPlateau(3)",
    "torch.optim.LBFGS([p], lr=float('nan'))",
    "torch.optim.Adadelta([p], eps=torch.tensor([1.0, 2.0]))",
    "torch.optim.ASGD([p], weight_decay=torch.tensor([1.0, 2.0]))",
    "torch.optim.SGD([p], weight_decay=torch.tensor([1.0, 2.0]))",
    "torch.optim.lr_scheduler.CyclicLR(torch.optim.SGD([p]), [0.1, 0.2], 1)",
    "torch.optim.lr_scheduler.CyclicLR(torch.optim.Adagrad([p]), 0.1, 1)",
    "torch.optim.swa_utils.SWALR(torch.optim.SGD([p]), [0.1, 0.2])",
    "torch.optim.lr_scheduler.ChainedScheduler([3], torch.optim.SGD([p]))",
    "torch.optim.lr_scheduler.MultiplicativeLR(torch.optim.SGD([p]), 3)",
    "torch.optim.Adam([p], lr='a')",
]


@pytest.mark.parity
@pytest.mark.parametrize("code", WRONG)
def test_errors_as_pytorch(torch: Any, code: str):
    def said(lib: Any) -> str:
        with pytest.raises(Exception) as caught:
            eval(code, {"torch": lib, "p": lib.nn.Parameter(lib.ones(2))})
        return f"{caught.type.__name__}: {caught.value}"

    assert said(autogradlab) == said(torch)


def test_a_rate_that_is_a_tensor_is_copied_where_it_is_remembered():
    lr = autogradlab.tensor(0.5)
    o = autogradlab.optim.SGD([autogradlab.nn.Parameter(autogradlab.ones(1))], lr=lr)
    for s in (
        autogradlab.optim.lr_scheduler.ReduceLROnPlateau(o, patience=0),
        autogradlab.optim.lr_scheduler.StepLR(o, 1),
    ):
        (before,) = s.get_last_lr()
        lr.fill_(0.25)
        assert before == 0.5
        lr.fill_(0.5)


def test_schedule_before_step_warns():
    o = autogradlab.optim.SGD([autogradlab.zeros(1, requires_grad=True)], lr=0.5)
    s = autogradlab.optim.lr_scheduler.StepLR(o, 1)
    with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step\\(\\)` before `optimizer.step\\(\\)`"):
        s.step()


@pytest.mark.parametrize("name", sorted({name for name, _ in OPTIMIZERS} | {"Adafactor", "LBFGS", "Muon"}))
def test_a_learning_rate_is_one_number(name: str):
    torch = autogradlab
    w = torch.nn.Parameter(torch.ones(2, 2))
    with pytest.raises(ValueError, match="Tensor lr must be 1-element"):
        getattr(torch.optim, name)([w], lr=torch.tensor([1.0, 2.0]))
    assert getattr(torch.optim, name)([w], lr=torch.tensor([0.1])).param_groups[0]["lr"].shape == (1,)


REFUSED: list[dict[str, bool]] = [
    {"capturable": True},
    {"differentiable": True},
    {"capturable": True, "foreach": True},
    {"differentiable": True, "foreach": True},
    {"differentiable": True, "capturable": True},
    {"differentiable": True, "capturable": True, "foreach": True},
]


@pytest.mark.parity
@pytest.mark.parametrize("name", sorted({name for name, _ in OPTIMIZERS}))
def test_refused_steps_as_pytorch(torch: Any, name: str):
    def said(lib: Any, options: dict[str, bool], requires_grad: bool) -> str:
        p = lib.ones(2, requires_grad=requires_grad)
        p.grad = lib.ones(2)
        try:
            getattr(lib.optim, name)([p], **options).step()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return f"stepped to {p.tolist()}"

    for options in REFUSED:
        for requires_grad in (True, False):
            given = options, requires_grad
            assert said(autogradlab, *given) == said(torch, *given), given


@pytest.mark.parity
@pytest.mark.parametrize("name", sorted({name for name, _ in OPTIMIZERS}))
def test_complex_parameters_as_pytorch(torch: Any, name: str):
    """What is refused for them, and the state that a step leaves."""

    def said(lib: Any, options: dict[str, Any]) -> str:
        p = lib.ones(2, dtype=lib.complex64, requires_grad=True)
        p.grad = p.detach() * 2
        try:
            optimizer = getattr(lib.optim, name)([p], **options)
            optimizer.step()
        except (RuntimeError, TypeError) as error:
            return f"{type(error).__name__}: {error}"
        return repr(sorted((k, str(v)) for k, v in optimizer.state[p].items()))

    cases: list[dict[str, Any]] = [{}, {"differentiable": True}, {"fused": True}]
    cases += [{"momentum": 0.9}, {"weight_decay": 0.1, "differentiable": True}, {"decoupled_weight_decay": True}]
    for options in cases:
        assert said(autogradlab, options) == said(torch, options), options


def _rates_of_plateau(lib: Any, optimizer: Any, min_lr: Any) -> Any:
    schedule = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=min_lr)
    optimizer.add_param_group({"params": [lib.ones(1, requires_grad=True)], "lr": 1.0})
    return [(schedule.step(1.0), schedule.get_last_lr())[1] for _ in range(3)]


def _rates_of_chain(lib: Any, optimizer: Any) -> Any:
    schedules = lib.optim.lr_scheduler
    first = schedules.LinearLR(optimizer, start_factor=0.1, total_iters=5)
    chained = schedules.ChainedScheduler([first, schedules.ConstantLR(optimizer, factor=0.1, total_iters=5)])
    later = schedules.ConstantLR(optimizer, factor=0.5, total_iters=5)
    schedule = schedules.SequentialLR(optimizer, schedulers=[chained, later], milestones=[3])
    return [(optimizer.step(), schedule.step(), schedule.get_last_lr())[2] for _ in range(6)]


def _rates_of_copies(lib: Any, optimizer: Any) -> Any:
    rate = lib.tensor(0.5)
    schedule = lib.optim.swa_utils.SWALR(optimizer, swa_lr=rate)
    cycle = lib.optim.lr_scheduler.CyclicLR(optimizer, rate, rate * 2, base_momentum=rate, max_momentum=rate)
    rate.mul_(0.5)
    group = optimizer.param_groups[0]
    return group["swa_lr"], group["max_momentum"], cycle.base_lrs, schedule.get_last_lr(), cycle._scale_fn_ref(2.0)


def _rates_of_tensors(lib: Any, optimizer: Any) -> Any:
    group, least = optimizer.param_groups[0], lib.tensor([0.1])
    group["lr"] = lib.tensor([0.5])
    plateau = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=least)
    plateau.step(1.0)
    plateau.step(1.0)
    found = [group["lr"], plateau.get_last_lr()]
    group["lr"] = 0.5
    cycle = lib.optim.lr_scheduler.CyclicLR(optimizer, least, lib.tensor(0.4), step_size_up=2)
    return found + [(optimizer.step(), cycle.step(), cycle.get_last_lr())[2] for _ in range(4)] + [cycle.base_lrs]


def _rates_of_nested(lib: Any, optimizer: Any) -> Any:
    schedules = lib.optim.lr_scheduler

    def halves() -> Any:
        return schedules.ConstantLR(optimizer, factor=0.5, total_iters=2)

    inner = schedules.SequentialLR(optimizer, [halves(), schedules.ExponentialLR(optimizer, 0.9)], milestones=[2])
    outer = schedules.SequentialLR(optimizer, [inner, schedules.StepLR(optimizer, 1)], milestones=[3])
    found = [(optimizer.step(), outer.step(), outer.get_last_lr())[2] for _ in range(5)] + [outer.state_dict()]
    chained = schedules.SequentialLR(optimizer, [schedules.ChainedScheduler([halves()])], milestones=[])
    return [*found, chained.state_dict()]


def _rates_of_legacy(lib: Any, optimizer: Any) -> Any:
    schedule = lib.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=25, total_steps=10)
    del schedule._anneal_func_type
    state = schedule.state_dict()
    state["anneal_func"] = type(schedule)._annealing_linear
    schedule.load_state_dict(state)
    return [(optimizer.step(), schedule.step(), schedule.get_last_lr())[2] for _ in range(6)]


@pytest.mark.parity
@pytest.mark.parametrize(
    "rates",
    [
        lambda lib, optimizer: _rates_of_plateau(lib, optimizer, 0.1),
        lambda lib, optimizer: _rates_of_plateau(lib, optimizer, [0.1]),
        _rates_of_chain,
        _rates_of_copies,
        _rates_of_tensors,
        _rates_of_nested,
        _rates_of_legacy,
    ],
)
def test_schedules_of_unit_tests_as_pytorch(torch: Any, rates: Any):
    def said(lib: Any) -> str:
        optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=0.5, momentum=0.9)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                found = repr(rates(lib, optimizer))
            except (RuntimeError, IndexError) as error:
                found = f"{type(error).__name__}: {error}"
        return found + "".join(f"\n{warning.message}" for warning in heard)

    assert said(autogradlab) == said(torch)


@pytest.mark.parity
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam", "ASGD"])
def test_whole_numbers_are_refused_as_by_pytorch(torch: Any, name: str):
    def said(lib: Any) -> str:
        p = lib.tensor([1, 2])
        p.grad = lib.tensor([1, 1])
        with pytest.raises((RuntimeError, NotImplementedError)) as caught:
            getattr(lib.optim, name)([p], lr=0.1).step()
        return f"{caught.type.__name__}: {caught.value} {p.tolist()}"

    assert said(autogradlab) == said(torch)


@pytest.mark.parity
@pytest.mark.parametrize("max_eval", [None, 1, 3])
def test_step_lengths_of_lbfgs_as_pytorch(torch: Any, max_eval: int | None):
    """A step length that follows from gradients is a tensor; searches share max_eval."""

    def found(lib: Any, lr: float) -> tuple[list[str], list[float]]:
        x = lib.tensor([-1.0, 0.5], dtype=lib.float64, requires_grad=True)
        o = lib.optim.LBFGS([x], lr=lr, max_iter=2, max_eval=max_eval, line_search_fn="strong_wolfe")

        def closure() -> Any:
            o.zero_grad()
            loss = (x**4).sum() + (x**2).sum()
            loss.backward()
            return loss

        kinds: list[str] = []
        seen: list[float] = []
        for _ in range(3):
            o.step(closure)
            state = o.state_dict()["state"][0]
            kinds.append(type(state["t"]).__name__)
            seen += [float(state["t"]), state["func_evals"], *x.tolist()]
        return kinds, seen

    for lr in (1, 0.1, 0.001):
        (kinds, seen), (theirs, expected) = found(autogradlab, lr), found(torch, lr)
        assert kinds == theirs
        assert seen == pytest.approx(expected)
