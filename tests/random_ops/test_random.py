"""Random tensors in the graph: draws stop gradients, fills in place follow the rules of in-place operations."""

from __future__ import annotations

import pytest

import autogradlab as torch

FILLS = [
    "uniform_()",
    "normal_()",
    "random_()",
    "random_(9)",
    "random_(2, 9)",
    "exponential_()",
    "geometric_(0.5)",
    "cauchy_()",
    "log_normal_()",
    "bernoulli_()",
    "bernoulli_(chance)",
]


def fill(t, call: str):
    return eval(f"t.{call}", {"t": t, "chance": torch.full((4,), 0.5)})


@pytest.mark.parametrize("call", FILLS)
def test_a_fill_passes_zeros_on(call: str):
    w = torch.ones(4, requires_grad=True)
    x = w * 2
    assert fill(x, call) is x
    assert x._version == 1
    x.sum().backward()
    assert w.grad.tolist() == [0.0] * 4


@pytest.mark.parametrize("call", FILLS)
def test_a_fill_of_a_leaf_is_refused(call: str):
    w = torch.ones(4, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        fill(w, call)
    assert w.tolist() == [1.0] * 4
    with torch.no_grad():
        fill(w, call)
    assert w.is_leaf


@pytest.mark.parametrize("call", FILLS)
def test_a_fill_of_a_view_fills_the_base(call: str):
    base = torch.full((8,), -7.0)
    fill(base[::2], call)
    assert base[1::2].tolist() == [-7.0] * 4
    assert -7.0 not in base[::2]


@pytest.mark.parametrize("draw", ["bernoulli(w)", "poisson(w)", "normal(w, 1.0)", "normal(0.0, w)", "normal(w, w)"])
def test_a_draw_passes_zeros_on(draw: str):
    w = torch.full((3,), 0.5, requires_grad=True)
    y = eval(f"torch.{draw}", {"torch": torch, "w": w})
    y.sum().backward()
    assert w.grad.tolist() == [0.0] * 3


def test_state_goes_back_and_forth():
    torch.manual_seed(5)
    state = torch.get_rng_state()
    first = torch.rand(3)
    torch.set_rng_state(state)
    assert torch.equal(first, torch.rand(3))
    with torch.random.fork_rng():
        torch.manual_seed(1)
    second = torch.rand(3)
    torch.set_rng_state(state)
    torch.rand(3)
    assert torch.equal(second, torch.rand(3))


def test_an_exception_in_fork_rng_restores_the_state():
    torch.manual_seed(5)
    with pytest.raises(KeyError), torch.random.fork_rng():
        torch.rand(3)
        raise KeyError
    after = torch.rand(2)
    torch.manual_seed(5)
    assert torch.equal(after, torch.rand(2))


@pytest.mark.parity
def test_states_are_exchanged_with_torch():
    import torch as real

    real.manual_seed(3)
    real.randn(5)
    torch.set_rng_state(torch.tensor(real.get_rng_state().tolist(), dtype=torch.uint8))
    assert torch.randn(7).tolist() == real.randn(7).tolist()
    assert torch.get_rng_state().tolist() == real.get_rng_state().tolist()


@pytest.mark.parity
@pytest.mark.parametrize("draw", ["_standard_gamma(x * 0.2)", "poisson(x)", "binomial(x.floor(), x / 40)"])
def test_numbers_of_parameters_that_repeat_are_torchs(draw: str):
    """What is drawn ahead for many tries at once is given back as far as it was not used."""
    import torch as real

    found = []
    for t in (torch, real):
        t.manual_seed(2)
        x = t.cat([t.full((n,), v) for n, v in ((300, 25.0), (3, 9.0), (70, 11.0), (200, 38.0), (1, 0.0), (90, 4.0))])
        drawn = eval(draw, {"x": x, "_standard_gamma": t._standard_gamma, "poisson": t.poisson, "binomial": t.binomial})
        found.append((drawn.tolist(), t.randn(3).tolist(), t.get_rng_state().tolist()))
    assert found[0] == found[1]
