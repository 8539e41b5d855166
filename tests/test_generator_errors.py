"""The errors and warnings of random numbers: PyTorch's exception types and its words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autogradlab.core.random import distributions as dist
from autogradlab.core.random import streams
from autogradlab.core.random.generator import Generator, manual_seed

E = np.empty
F32, I64 = np.dtype("float32"), np.dtype("int64")
#: (what PyTorch runs, what we run)
ERRORS: list[tuple[str, Callable[[], Any]]] = [
    ("torch.Generator().manual_seed(2**64)", lambda: Generator().manual_seed(2**64)),
    ("torch.Generator().manual_seed(-2**63-1)", lambda: Generator().manual_seed(-(2**63) - 1)),
    ("torch.Generator().manual_seed(1.5)", lambda: Generator().manual_seed(1.5)),  # type: ignore[arg-type]
    ("torch.Generator().manual_seed(True)", lambda: Generator().manual_seed(True)),
    ("torch.manual_seed('a')", lambda: manual_seed("a")),
    ("torch.manual_seed(None)", lambda: manual_seed(None)),
    ("torch.manual_seed(2**64)", lambda: manual_seed(2**64)),
    ("torch.Generator('cuda')", lambda: Generator("cuda")),
    ("torch.Generator('foo')", lambda: Generator("foo")),
    ("torch.Generator(3)", lambda: Generator(3)),
    ("torch.Generator('meta')", lambda: Generator("meta")),
    ("torch.Generator().set_state(5)", lambda: Generator().set_state(5)),  # type: ignore[arg-type]
    ("torch.Generator().set_state(torch.zeros(5))", lambda: Generator().set_state(np.zeros(5))),
    ("torch.Generator().set_state(torch.zeros(5, dtype=torch.uint8))", lambda: Generator().set_state(E(5, np.uint8))),
    (
        "torch.Generator().set_state(torch.zeros(5056, dtype=torch.uint8))",
        lambda: Generator().set_state(np.zeros(5056, np.uint8)),
    ),
    (
        "torch.Generator().set_state(torch.zeros(10112, dtype=torch.uint8)[::2])",
        lambda: Generator().set_state(np.zeros(10112, np.uint8)[::2]),
    ),
    ("torch.Generator().get_offset()", lambda: Generator().get_offset()),
    ("torch.Generator().set_offset(3)", lambda: Generator().set_offset(3)),
    ("torch.Generator().graphsafe_get_state()", lambda: Generator().graphsafe_get_state()),
    ("torch.empty(3).uniform_(2, 1)", lambda: streams.uniform_(E(3, F32), 2, 1)),
    ("torch.empty(0).uniform_(2.5, 1e-7)", lambda: streams.uniform_(E(0, F32), 2.5, 1e-7)),
    ("torch.empty(3).uniform_(0, 1e39)", lambda: streams.uniform_(E(3, F32), 0, 1e39)),
    ("torch.empty(3).uniform_(float('nan'), 1)", lambda: streams.uniform_(E(3, F32), math.nan, 1)),
    ("torch.empty(3).uniform_(-3e38, 3e38)", lambda: streams.uniform_(E(3, F32), -3e38, 3e38)),
    ("torch.empty(3, dtype=torch.float16).uniform_(0, 7e4)", lambda: streams.uniform_(E(3, np.float16), 0, 7e4)),
    ("torch.rand(3, dtype=torch.int64)", lambda: streams.rand((3,), I64)),
    ("torch.empty(1).expand(3).uniform_()", lambda: streams.uniform_(np.broadcast_to(E(1, F32), 3))),
    ("torch.randn(3, dtype=torch.int64)", lambda: streams.randn((3,), I64)),
    ("torch.empty(3, dtype=torch.bool).normal_()", lambda: streams.normal_(E(3, bool))),
    ("torch.empty(0).normal_(0, -1)", lambda: streams.normal_(E(0, F32), 0, -1)),
    ("torch.empty(3).normal_(0, float('nan'))", lambda: streams.normal_(E(3, F32), 0, math.nan)),
    ("torch.empty(1).expand(20).normal_()", lambda: streams.normal_(np.broadcast_to(E(1, F32), 20))),
    ("torch.normal(torch.zeros(3), -1.)", lambda: streams.normal_tensor(np.zeros(3), -1.0)),
    ("torch.normal(0., torch.tensor([-1.]))", lambda: streams.normal_tensor(0.0, np.array([-1.0]))),
    ("torch.normal(torch.zeros(3), torch.zeros(2))", lambda: streams.normal_tensor(np.zeros(3), np.zeros(2))),
    ("torch.normal(torch.zeros(3), torch.tensor([1+1j]))", lambda: streams.normal_tensor(np.zeros(3), np.array([1j]))),
    ("torch.normal(torch.zeros(3, dtype=torch.int64), 1.)", lambda: streams.normal_tensor(np.zeros(3, I64), 1.0)),
    ("torch.randint(5, 5, (3,))", lambda: streams.randint(5, 5, (3,))),
    ("torch.randint(5, 2, (0,))", lambda: streams.randint(5, 2, (0,))),
    ("torch.randint(0, 300, (3,), dtype=torch.uint8)", lambda: streams.randint(0, 300, (3,), np.dtype("u1"))),
    ("torch.randint(-1, 3, (3,), dtype=torch.uint8)", lambda: streams.randint(-1, 3, (3,), np.dtype("u1"))),
    ("torch.randint(0, 3, (3,), dtype=torch.bool)", lambda: streams.randint(0, 3, (3,), np.dtype(bool))),
    ("torch.randint(0, 3, (3,), dtype=torch.complex64)", lambda: streams.randint(0, 3, (3,), np.dtype("c8"))),
    ("torch.randint(0, 70000, (3,), dtype=torch.float16)", lambda: streams.randint(0, 70000, (3,), np.dtype("f2"))),
    ("torch.randint(0, 2**40, (3,), dtype=torch.int32)", lambda: streams.randint(0, 2**40, (3,), np.dtype("i4"))),
    ("torch.randint(0, 2**63, (3,))", lambda: streams.randint(0, 2**63, (3,))),
    ("torch.empty(3).random_(0)", lambda: streams.random_(E(3, F32), 0)),
    ("torch.empty(3, dtype=torch.uint8).random_(256, None)", lambda: streams.random_(E(3, np.uint8), 256, None)),
    ("torch.empty(3).random_(2**25, None)", lambda: streams.random_(E(3, F32), 2**25, None)),
    ("torch.empty(3, dtype=torch.half).random_(65503, 65504)", lambda: streams.random_(E(3, np.float16), 65503, 65504)),
    ("torch.empty(3, dtype=torch.int32).random_(-2**63, None)", lambda: streams.random_(E(3, "i4"), -(2**63), None)),
    ("torch.empty(3, dtype=torch.half).random_(-2**63, None)", lambda: streams.random_(E(3, "f2"), -(2**63), None)),
    ("torch.empty(3, dtype=torch.cfloat).random_()", lambda: streams.random_(E(3, "c8"))),
    ("torch.empty(3, dtype=torch.cfloat).random_(0, 5)", lambda: streams.random_(E(3, "c8"), 0, 5)),
    ("torch.empty(3, dtype=torch.cfloat).random_(0, None)", lambda: streams.random_(E(3, "c8"), 0, None)),
    ("torch.randperm(-1)", lambda: streams.randperm(-1)),
    ("torch.randperm(257, dtype=torch.uint8)", lambda: streams.randperm(257, np.dtype("u1"))),
    ("torch.randperm(129, dtype=torch.int8)", lambda: streams.randperm(129, np.dtype("i1"))),
    ("torch.randperm(3, dtype=torch.bool)", lambda: streams.randperm(3, np.dtype(bool))),
    ("torch.randperm(3000, dtype=torch.float16)", lambda: streams.randperm(3000, np.dtype("f2"))),
    ("torch.empty(0).bernoulli_(1.5)", lambda: dist.bernoulli_(E(0, F32), 1.5)),
    ("torch.empty(3).bernoulli_(float('nan'))", lambda: dist.bernoulli_(E(3, F32), math.nan)),
    ("torch.empty(3, dtype=torch.cfloat).bernoulli_()", lambda: dist.bernoulli_(E(3, "c8"))),
    ("torch.bernoulli(torch.tensor([.5, -1.]))", lambda: dist.bernoulli(np.array([0.5, -1.0], F32))),
    ("torch.bernoulli(torch.tensor([1, 0]))", lambda: dist.bernoulli(np.array([1, 0]))),
    ("torch.empty(3).exponential_(0)", lambda: dist.exponential_(E(3, F32), 0)),
    ("torch.empty(3, dtype=torch.int64).exponential_()", lambda: dist.exponential_(E(3, I64))),
    ("torch.empty(3).geometric_(1)", lambda: dist.geometric_(E(3, F32), 1)),
    ("torch.empty(3, dtype=torch.bool).geometric_(.5)", lambda: dist.geometric_(E(3, bool), 0.5)),
    ("torch.empty(3).cauchy_(0, 0)", lambda: dist.cauchy_(E(3, F32), 0, 0)),
    ("torch.empty(3, dtype=torch.int64).cauchy_()", lambda: dist.cauchy_(E(3, I64))),
    ("torch.empty(3).log_normal_(0, -1)", lambda: dist.log_normal_(E(3, F32), 0, -1)),
    ("torch.empty(3, dtype=torch.int64).log_normal_()", lambda: dist.log_normal_(E(3, I64))),
    ("torch.poisson(torch.tensor([-1.]))", lambda: dist.poisson(np.array([-1.0]))),
    ("torch.poisson(torch.tensor([1]))", lambda: dist.poisson(np.array([1]))),
    ("torch.binomial(torch.tensor([1]), torch.tensor([.5]))", lambda: dist.binomial(np.array([1]), np.array([0.5]))),
    ("torch.binomial(torch.ones(1), torch.ones(1).double())", lambda: dist.binomial(np.ones(1, F32), np.ones(1))),
    ("torch.binomial(torch.ones(1).half(), torch.ones(1).half())", lambda: dist.binomial(*[np.ones(1, "f2")] * 2)),
    ("torch.multinomial(torch.tensor([1., 2]), 3)", lambda: dist.multinomial(np.array([1.0, 2]), 3)),
    ("torch.multinomial(torch.tensor([1., 2]), 0)", lambda: dist.multinomial(np.array([1.0, 2]), 0)),
    ("torch.multinomial(torch.tensor([1, 2]), 1)", lambda: dist.multinomial(np.array([1, 2]), 1)),
    ("torch.multinomial(torch.ones(1, 1, 1), 1)", lambda: dist.multinomial(np.ones((1, 1, 1)), 1)),
    ("torch.multinomial(torch.tensor([-1., 2]), 1)", lambda: dist.multinomial(np.array([-1.0, 2]), 1)),
    ("torch.multinomial(torch.tensor([-1., 2]), 2, True)", lambda: dist.multinomial(np.array([-1.0, 2]), 2, True)),
    (
        "torch.multinomial(torch.tensor([float('inf'), 2]), 2, True)",
        lambda: dist.multinomial(np.array([math.inf, 2]), 2, True),
    ),
    ("torch.multinomial(torch.tensor([float('nan'), 0]), 1)", lambda: dist.multinomial(np.array([math.nan, 0]), 1)),
    ("torch.multinomial(torch.tensor([0., 0]), 2)", lambda: dist.multinomial(np.array([0.0, 0]), 2)),
    ("torch.multinomial(torch.tensor([0., 0]), 2, True)", lambda: dist.multinomial(np.array([0.0, 0]), 2, True)),
    ("torch.multinomial(torch.empty(2, 0), 1, True)", lambda: dist.multinomial(E((2, 0)), 1, True)),
]


@pytest.mark.parity
@pytest.mark.parametrize(("code", "run"), ERRORS, ids=[code for code, _ in ERRORS])
def test_errors(torch: Any, code: str, run: Callable[[], Any]) -> None:
    with pytest.raises(Exception) as theirs:
        eval(code, {"torch": torch})
    with pytest.raises(type(theirs.value)) as ours:
        run()
    assert str(ours.value) == str(theirs.value)
    assert type(ours.value) is type(theirs.value)


@pytest.mark.parity
def test_precision_warnings(torch: Any) -> None:
    with pytest.warns(UserWarning, match="out of bounds") as theirs:
        want = torch.empty(3).random_(-(2**25), 2**40, generator=torch.Generator().manual_seed(0))
    with pytest.warns(UserWarning, match="out of bounds") as ours:
        got = streams.random_(np.empty(3, F32), -(2**25), 2**40, generator=Generator().manual_seed(0))
    np.testing.assert_array_equal(got, want.numpy())
    assert [str(w.message) for w in ours] == [str(w.message) for w in theirs]


@pytest.mark.parity
def test_a_bad_probability_stops_where_torch_stops(torch: Any) -> None:
    p = np.array([0.5, 0.5, 2.0, 0.5])
    ours, theirs = Generator().manual_seed(0), torch.Generator().manual_seed(0)
    with pytest.raises(RuntimeError):
        torch.bernoulli(torch.from_numpy(p), generator=theirs)
    with pytest.raises(RuntimeError):
        dist.bernoulli(p, ours)
    np.testing.assert_array_equal(ours.get_state(), theirs.get_state().numpy())
