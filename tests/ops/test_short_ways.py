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


@pytest.mark.parametrize("name", ["add", "sub"])
def test_a_factor_beside_two_tensors_of_one_shape(name: str) -> None:
    """Of one dtype and shape there is nothing to look at; by their names, or where one has other sizes, all is."""
    x, y = torch.linspace(-3, 7, 6).reshape(2, 3), torch.linspace(0.1, 0.9, 6).reshape(2, 3)
    for alpha in (0.1, -3, 0.0, math.inf):
        found = getattr(torch, name)(x, y, alpha=alpha)
        assert same(found, getattr(torch, name)(input=x, other=y, alpha=alpha))
        assert same(found, getattr(torch, name)(x, y[None], alpha=alpha)[0])
        changed = x.clone()
        assert getattr(changed, name + "_")(y, alpha=alpha) is changed and same(changed, found)
        assert changed._version == 1
    with pytest.raises(RuntimeError, match="Boolean alpha"):
        getattr(torch, name)(x, y, alpha=True)
    with pytest.raises(RuntimeError, match="must not be a complex number"):
        getattr(torch, name)(x, y, alpha=1j)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(x.clone().requires_grad_(), name + "_")(y, alpha=0.5)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(x.clone().requires_grad_()[0], name + "_")(y[0], alpha=0.5)


def test_products_and_sums_that_are_rounded_once() -> None:
    x, y, z = (torch.linspace(a, 7, 12).reshape(3, 4) for a in (-3, 0.1, 1))
    number = torch.tensor(0.1)
    for value in (1, 0.1):
        wide = x.double() + torch.tensor(value).item() * y.double() * z.double()
        found = torch.addcmul(x, y, z, value=value)
        assert same(found, torch.addcmul(x[None], y, z, value=value)[0])
        assert value != 1 or same(found, wide.float())
    near, far = torch.lerp(x, y, 0.1), torch.lerp(x, y, 0.9)
    assert same(near, (x.double() + number.double() * (y - x).double()).float())
    assert same(near, torch.lerp(x, y, number.expand(3, 4))) and same(near, torch.lerp(x[None], y, 0.1)[0])
    assert same(far, torch.lerp(x, y, torch.full((3, 4), 0.9)))
    assert same(torch.lerp(x[0, 0], y[0, 0], 0.1), near[0, 0])


def test_remainders_by_one_number() -> None:
    """A positive one is added where less than 0 is left, others where the signs are not the same."""
    x = torch.tensor([*ZEROS_AND_OTHERS, 7.5, -7.5, -4.0, 4.0, 1e30])
    for y in (2.0, 0.5, math.inf, -2.0, 0.0, math.nan):
        assert same(x % y, x % torch.full_like(x, y))
        assert all(same(a % y, b) for a, b in zip(x, x % y, strict=True))
    i = torch.tensor([7, -7, 0, 1])
    for n in (3, -3):
        assert same(i % n, i % torch.full_like(i, n)) and same(i // n, i // torch.full_like(i, n))
        assert (i % n).dtype is torch.int64 and (i.to(torch.uint8) % abs(n)).dtype is torch.uint8
    for bad in (lambda: i % 0, lambda: i // 0, lambda: i % torch.tensor([1, 2, 0, 3])):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            bad()
    assert (i[:0] % 0).tolist() == [] and (i / 2).tolist() == [3.5, -3.5, 0.0, 0.5]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.uint8])
@pytest.mark.parametrize("largest", [True, False])
def test_the_largest_of_a_few_numbers(dtype: Any, largest: bool) -> None:
    """Of few lines in lists, of many by NumPy; equal ones and NaN as by PyTorch's kernel in any case."""
    few = torch.tensor([[3, 1, 4, 15, 9, 2, 6], [2, 7, 1, 8, 28, 18, 45]], dtype=dtype)
    many = few.repeat(10, 1)
    for k in range(1, 8):
        turned = few.T.topk(k, 0, largest)
        for a, b, c in zip(few.topk(k, largest=largest), many.topk(k, largest=largest), turned, strict=True):
            assert a.dtype is b.dtype and a.is_contiguous() and same(a, b[:2]) and same(a, c.T)
    alike = torch.tensor([[1, 1, 1, 0], [0, 1, 0, 1]], dtype=dtype)
    for a, b in zip(alike.topk(2, largest=largest), alike.repeat(20, 1).topk(2, largest=largest), strict=True):
        assert same(a, b[:2])
    if dtype.is_floating_point:
        special = torch.tensor([[math.nan, 1.0, -0.0, 0.0], [math.inf, -math.inf, 2.0, math.nan]], dtype=dtype)
        for a, b in zip(special.topk(3, largest=largest), special.repeat(20, 1).topk(3, largest=largest), strict=True):
            assert same(a, b[:2])
    assert few[None].topk(2).values.shape == (1, 2, 2) and few.topk(0).values.shape == (2, 0)


def test_addresses_by_the_buffer_or_by_the_interface() -> None:
    base = torch.zeros(4, 6)
    start = base.data_ptr()
    assert (
        base[1].data_ptr() == start + 24 and base[:, 1].data_ptr() == start + 4 and base.t()[2].data_ptr() == start + 8
    )
    assert torch.zeros(0).data_ptr() == 0
    for dtype in (torch.float16, torch.complex64, torch.bool):
        x = torch.zeros(3, dtype=dtype)
        assert x.data_ptr() == x._array.__array_interface__["data"][0]
        assert x[1:].data_ptr() - x.data_ptr() == x.element_size()


def test_complex_cross_products_of_one_line_are_those_of_its_numbers() -> None:
    torch.manual_seed(0)
    for _ in range(10):
        a, b = torch.randn(2, 3, dtype=torch.complex64)
        x, y = [*a.numpy()], [*b.numpy()]
        expected = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
        assert torch.linalg.cross(a, b).tolist() == [complex(n) for n in expected]
