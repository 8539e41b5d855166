"""Where an operation has a shorter way for the usual case, it gives what the long way gives."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import autogradlab as torch
from autogradlab.core.random.generator import Generator

ZEROS_AND_OTHERS = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]


def same(a: Any, b: Any) -> bool:
    """Whether numbers are the same, the signs of zeros too."""
    return repr(a.tolist()) == repr(b.tolist())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_extremes_of_all_elements(dtype: Any) -> None:
    """By the place of the extreme, or by a reduction: `amax` and `amin` know the latter only."""
    values = [v for v in ZEROS_AND_OTHERS if dtype.is_floating_point or math.isfinite(v)]
    for some in itertools.product(values, repeat=3):
        x = torch.tensor(some, dtype=dtype)
        assert same(x.max(), x.amax())
        assert same(x.min(), x.amin())
    assert torch.zeros(2, 3).T.max().shape == ()


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x.T, lambda x: x[:, ::2], lambda x: x[0, 0], lambda x: x[:0]])
def test_truths_and_counts_of_bools(make: Any) -> None:
    for density in (0.0, 0.5, 1.0):
        x = make(torch.rand(3, 5) < density)
        whole = x.to(torch.int64)
        assert same(x.any(), whole.any())
        assert same(x.all(), whole.all())
        assert same(x.sum(), whole.sum())
        assert x.sum().dtype is torch.int64


def test_a_nought_keeps_its_sign_and_its_kind() -> None:
    x = torch.tensor([2.0])
    for _ in range(2):  # numbers are kept for the next time
        assert [repr((x * n).item()) for n in (0, 0.0, -0.0)] == ["0.0", "0.0", "-0.0"]
    w = torch.tensor([2.0], requires_grad=True)
    assert [str((w * n).grad_fn._saved_other) for n in (0, 0.0)] == ["tensor(0)", "tensor(0., dtype=torch.float64)"]


def test_deviations_of_few_numbers_are_rounded_once() -> None:
    for n in (2, 3, 17, 1000):
        x = torch.linspace(-3, 7, n)
        assert same(x.std(), x.double().std().float())
        assert same(x.var(correction=0), x.double().var(correction=0).float())
    assert math.isnan(torch.tensor([1.0, math.inf]).std().item())
    x = torch.linspace(-3, 7, 60).reshape(3, 4, 5)
    for dim in range(-3, 3):
        assert same(x.std(dim), x.double().std(dim).float())
        assert x.var(dim).stride() == x.sum(dim).stride()


def test_copies_between_views() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    version = x._version
    x[:, 0] = torch.tensor([7.0, 8.0, 9.0])[1:]
    assert x.tolist() == [[8.0, 1.0, 2.0], [9.0, 4.0, 5.0]]
    x[:, 1] = x[:, 2]
    assert x.tolist() == [[8.0, 2.0, 2.0], [9.0, 5.0, 5.0]]
    assert x._version == version + 2
    with pytest.raises(RuntimeError, match="single memory location"):
        x.view(-1)[1:] = x.view(-1)[:-1]
    w = torch.ones(3, requires_grad=True)
    y = torch.zeros(2, 3)
    y[0] = w
    y.sum().backward()
    assert w.grad is not None and w.grad.tolist() == [1.0, 1.0, 1.0]


def test_rows_by_an_index() -> None:
    x = torch.arange(12.0).reshape(4, 3)
    for whole in (x, torch.arange(12.0).reshape(3, 4).T):  # of the second NumPy takes no rows
        picked = whole[torch.tensor([[0, -1], [2, 2]])]
        assert picked.tolist() == [[whole[0].tolist(), whole[3].tolist()], [whole[2].tolist(), whole[2].tolist()]]
        with pytest.raises(IndexError, match="index 4 is out of bounds for dimension 0 with size 4"):
            whole[torch.tensor([0, 4])]
    assert x[torch.tensor([0, 1]), torch.tensor([2, 0])].tolist() == [2.0, 3.0]
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 1 with size 3"):
        x[torch.tensor([0]), torch.tensor([3])]


def test_arrays_that_cannot_be_memory() -> None:
    with pytest.raises(ValueError, match="negative"):
        torch.from_numpy(np.arange(6.0)[::-1])
    fields = np.zeros(2, [("a", np.float32), ("b", np.int8)])
    with pytest.raises(ValueError, match="not a multiple of the element byte size"):
        torch.from_numpy(fields["a"])


def test_probabilities_are_between_0_and_1() -> None:
    target = torch.tensor([0.0, 1.0])
    for dtype in (torch.float32, torch.float64):
        good = torch.tensor([-0.0, 1.0], dtype=dtype)
        assert torch.nn.functional.binary_cross_entropy(good, target.to(dtype)).item() == 0.0
        for bad in (-1e-30, 1.0000002, math.nan, math.inf):
            x = torch.tensor([0.5, bad], dtype=dtype)
            with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
                torch.nn.functional.binary_cross_entropy(x, target.to(dtype))


def test_a_tensor_that_is_there_goes_nowhere() -> None:
    x = torch.ones(2)
    for where in ("cpu", torch.device("cpu"), x.device):
        assert x.to(where) is x
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
            torch.ones(2, device="meta").to(where)


def test_joined_tensors_that_are_recorded() -> None:
    w = torch.ones(1, 2, requires_grad=True)
    for joined in (torch.cat([w, torch.zeros(1, 2)], dim=-1), torch.stack([torch.zeros(1, 2), w], dim=1)):
        w.grad = None
        joined.sum().backward()
        assert w.grad is not None and w.grad.tolist() == [[1.0, 1.0]]
    with pytest.raises(RuntimeError, match="Sizes of tensors must match"):
        torch.cat([w, torch.zeros(2, 3)])


def test_a_twister_serves_again() -> None:
    """The generator of one that is gone begins at its own seed, wherever the other stood."""
    first = Generator().manual_seed(3).random32(5).tolist()
    for taken in (1, 700, 5000):
        gone = Generator().manual_seed(11)
        gone.random32(taken)
        del gone
        assert Generator().manual_seed(3).random32(5).tolist() == first
    living = [Generator().manual_seed(3) for _ in range(20)]
    assert [g.random32(5).tolist() for g in living] == [first] * 20


def test_results_go_where_tensors_have_views() -> None:
    memory = torch.arange(6.0)
    low, high, apart = memory[:3], memory[3:], torch.tensor([1.0, 4.0, 9.0])
    shared = apart.view(3)
    for call in (torch.sqrt, lambda x, out: torch.add(x, high, out=out)):
        out = torch.empty(3)
        assert call(apart, out=out) is out
        assert same(out, call(shared.clone(), out=torch.empty(3)))
        assert out._version == 1
    assert torch.sqrt(apart, out=shared) is shared  # the same places are no overlap
    assert apart.tolist() == [1, 2, 3]
    assert apart._version == 1
    before = memory.tolist()
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        torch.sqrt(memory[1:4], out=low)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        torch.add(low, memory[1:4], out=low)
    assert memory.tolist() == before
    with pytest.raises(TypeError):
        torch.add(low, None, out=torch.empty(3))  # type: ignore[call-overload]


def test_one_argument_by_keyword_alone() -> None:
    x = torch.arange(6.0).view(2, 3).t().requires_grad_()
    y = x.clone(memory_format=torch.contiguous_format)
    assert y.is_contiguous()
    assert same(y, x)
    assert y.grad_fn is not None and y.grad_fn.name() == "CloneBackward0"
    assert x.clone(memory_format=None).stride() == x.stride()
    with pytest.raises(TypeError):
        x.clone(memory_format=float)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        x.clone(format=None)  # type: ignore[call-arg]
