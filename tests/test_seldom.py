"""Corners of backward that no program of the other tests turns; changes of single places in the sources found them.
PyTorch gives the same answers."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import need

LIBRARIES = ["autogradlab", pytest.param("torch", marks=pytest.mark.parity)]


@pytest.fixture(params=LIBRARIES)
def torch(request: pytest.FixtureRequest) -> Any:
    return importlib.import_module("autogradlab") if request.param == "autogradlab" else need("torch")


def leaf(torch: Any) -> Any:
    return torch.ones(2, requires_grad=True)


def accumulates(y: Any) -> Any:
    """The AccumulateGrad two Nodes below the root."""
    return y.grad_fn.next_functions[0][0].next_functions[0][0]


def test_a_gradient_whose_elements_share_memory_takes_no_other(torch: Any):
    w = leaf(torch)
    w.grad = torch.ones(1).expand(2)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        (w * 2).sum().backward()
    assert w.grad.tolist() == [1.0, 1.0]


def test_a_leaf_that_wants_no_gradient_any_more_gets_none(torch: Any):
    w = leaf(torch)
    y = (w * 2).sum()
    w.requires_grad_(False)
    y.backward()
    assert w.grad is None and w.is_leaf


@pytest.mark.parametrize("create_graph", [False, True])
def test_its_hooks_run_all_the_same(torch: Any, create_graph: bool):
    w = leaf(torch)
    seen: list[Any] = []
    w.register_hook(lambda g: seen.append("tensor"))
    w.register_post_accumulate_grad_hook(lambda p: seen.append("accumulated"))
    y = (w * 2).sum()
    accumulates(y).register_prehook(lambda g: seen.append(("before", len(g))))
    accumulates(y).register_hook(lambda a, b: seen.append(("after", len(a), len(b))))
    w.requires_grad_(False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's of create_graph
        y.backward(create_graph=create_graph)
    assert w.grad is None
    assert seen == ["tensor", ("before", 1), "accumulated", ("after", 0, 1)]


def test_code_of_saved_tensors_hooks_warns_as_it_would_elsewhere(torch: Any):
    """With a hook on the Node too, which takes the full lane of the engine."""

    def unpack(x: Any) -> Any:
        np.ones(1) / np.zeros(1)
        return x

    w = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpack):
        y = w * w
    y.register_hook(lambda g: None)
    with pytest.warns(RuntimeWarning, match="divide by zero") as caught:
        y.sum().backward()
    assert len(caught) == 2


#: operations in place, and what is packed of them: values and versions
PACKED: dict[str, tuple[Callable[[Any, Any], Any], list[Any]]] = {
    "result": (lambda a, t: a.exp_().round_(), [([2.72, 2.72], 1)]),
    "operand": (lambda a, t: a.mul_(t), [([1.0, 1.0], 0), ([1.0, 1.0], 0)]),
    "both": (lambda a, t: a.sigmoid_().mul_(t), [([0.73, 0.73], 1), ([1.0, 1.0], 0), ([0.73, 0.73], 0)]),
    "indices": (lambda a, t: a.max(0)[0], [(0, 0)]),
}


@pytest.mark.parametrize("name", PACKED)
def test_what_is_packed_of_operations_in_place(torch: Any, name: str):
    act, expected = PACKED[name]
    packed: list[Any] = []

    def pack(x: Any) -> Any:
        values = x.tolist()
        packed.append(([round(v, 2) for v in values] if isinstance(values, list) else values, x._version))
        return x

    w = leaf(torch)
    a = w * 1
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        act(a, w)
    assert packed == expected


def test_versions_of_gradients_that_lie_in_each_other(torch: Any):
    def version(f: Callable[[Any], Any]) -> int:
        w = leaf(torch)
        f(w * 1).sum().backward()
        return int(w.grad._version)

    assert version(lambda a: a + a.view(2) * 2 + a.exp()) == 0
    assert version(lambda a: a.view(2) * 2 + a) == 0


def test_versions_of_what_is_kept(torch: Any):
    def kept(name: str, act: Callable[[Any], Any]) -> int:
        node = act(leaf(torch) * 1).grad_fn  # PyTorch's SavedTensor does not keep it alive, and crashes without it
        return int(getattr(node, f"_raw_saved_{name}").data._version)

    assert kept("result", lambda a: a.exp()) == 0
    assert kept("result", lambda a: a.exp_()) == 1
    assert kept("result", lambda a: a.exp_().mul_(2).sigmoid_()) == 3


#: views that PyTorch makes of memory with gaps: base shape, how to see it, the new shape, and the strides or None
VIEWS: list[tuple[tuple[int, ...], Callable[[Any], Any], tuple[int, ...], tuple[int, ...] | None]] = [
    ((2, 2, 3), lambda a: a.transpose(0, 1), (4, 3), None),
    ((2, 2, 3), lambda a: a.transpose(0, 1), (12,), None),
    ((2, 2, 3), lambda a: a.transpose(1, 2), (2, 6), None),
    ((2, 1, 6), lambda a: a.transpose(0, 1), (1, 12), (12, 1)),
    ((6, 2), lambda a: a[:, :1], (2, 3), (6, 2)),
    ((2, 6), lambda a: a[:, :3], (6,), None),
    ((2, 6), lambda a: a[:, :3], (2, 3, 1), (6, 1, 1)),
    ((2, 2, 3), lambda a: a[:, :, :2], (4, 2), (3, 1)),
    ((2, 2, 3), lambda a: a[:, :1], (6,), None),
    ((2, 1, 2, 3), lambda a: a.transpose(0, 2), (4, 3), None),
    ((2, 1, 2, 3), lambda a: a.transpose(1, 2), (4, 3), (3, 1)),
]


@pytest.mark.parametrize(("base", "see", "shape", "strides"), VIEWS)
def test_views_of_dimensions_that_lie_in_no_line(torch: Any, base: Any, see: Any, shape: Any, strides: Any):
    seen = see(torch.arange(12).view(base))
    if strides is None:
        with pytest.raises(RuntimeError, match="at least one dimension spans across two contiguous subspaces"):
            seen.view(shape)
    else:
        assert seen.view(shape).stride() == strides
        assert seen.view(shape).flatten().tolist() == seen.flatten().tolist()


def test_complex_numbers_become_real_without_numpys_warning():
    import autogradlab as torch

    x = torch.tensor([1 + 2j, 3 - 1j])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch's own, once
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        assert x.to(torch.float32).tolist() == x.half().tolist() == [1.0, 3.0]
        assert x.long().tolist() == torch.zeros(2).copy_(x).tolist() == [1, 3]
        assert x.bool().tolist() == [True, True]


#: what is like a tensor with gaps has its dimensions in the same order: the order of `permute`, and the strides
ORDERS = {(0, 1, 2): (6, 2, 1), (2, 0, 1): (1, 6, 2), (1, 2, 0): (2, 1, 6), (2, 1, 0): (1, 2, 6), (1, 0, 2): (2, 6, 1)}


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_what_is_like_a_tensor_with_gaps_has_its_order(torch: Any, order: tuple[int, ...]):
    x = torch.arange(24.0).view(2, 3, 4)[:, :, ::2].permute(order)
    for made in (x.clone(), torch.empty_like(x), x.double(), x.exp()):
        assert made.stride() == ORDERS[order]


def test_empty_windows_may_begin_anywhere(torch: Any):
    x = torch.arange(3)
    for made in (x[3:], x[1:][2:], x[:0], torch.as_strided(x, (0,), (1,), 2), x.view(3, 1)[3:].t()):
        assert made.numel() == 0 and made.tolist() in ([], [[]])
    assert x[3:].storage_offset() == 3


#: operations in place with an operand in the same memory, and what the error calls it
OVERWRITTEN: dict[str, tuple[Callable[[Any, Any, Any], Any], str]] = {
    "itself": (lambda torch, y, w: y.mul_(y), "which is output 0 of Mul, is at version 1; expected version 0"),
    "its base": (
        lambda torch, y, w: y.view(2).mul_(y),
        "which is output 0 of torch::autograd::CopySlices, is at version 1; expected version 0",
    ),
    "its view": (
        lambda torch, y, w: y.mul_(y.view(2)),
        "which is output 0 of AsStrided, is at version 1; expected version 0",
    ),
}


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_what_an_overwritten_operand_is_called(torch: Any, name: str):
    act, words = OVERWRITTEN[name]
    w = leaf(torch)
    y = w * 1
    act(torch, y, w)
    with pytest.raises(RuntimeError, match=rf"\[torch.FloatTensor \[2\]\], {words}"):
        y.sum().backward()


def test_a_write_that_fails_counts_as_none(torch: Any):
    x = torch.zeros(3)
    x.add_(1)
    with pytest.raises(IndexError, match="index 9 is out of bounds for dimension 0 with size 3"):
        x[torch.tensor([9, 0])] = 5.0
    with pytest.raises(IndexError):
        x[9] = 5.0
    assert x._version == 1
    assert x.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("n", [3, 200_000])
def test_large_and_small_tensors_in_place_are_the_same(torch: Any, n: int):
    """Kernels write into the memory of a large tensor themselves."""
    w = torch.ones(n, requires_grad=True)
    a = w * 1
    a.retain_grad()
    a.mul_(w)
    part = a[1:]
    part.add_(w[1:])
    assert (a._version, part._version, a.grad_fn.name()) == (2, 2, "torch::autograd::CopySlices")
    a.sum().backward()
    assert w.grad[:3].tolist() == [2.0, 3.0, 3.0]
    assert a.grad[:3].tolist() == [1.0, 1.0, 1.0]
    with torch.inference_mode():
        x = torch.ones(n)
        x.mul_(2).add_(x)
    assert x[:2].tolist() == [4.0, 4.0] and x.is_inference()
    y = torch.ones(n)
    y.mul_(y).add_(1)
    assert y._version == 2


def test_indices_of_two_dimensions_with_others_behind_them(torch: Any):
    x = torch.arange(24).view(2, 3, 4)
    i = torch.tensor([[0, 1]])
    assert x[i, 1].tolist() == [[[4, 5, 6, 7], [16, 17, 18, 19]]]
    assert x[i, :, 2].tolist() == [[[2, 6, 10], [14, 18, 22]]]
    assert x[i, None, i].shape == (1, 2, 1, 4)
    assert x[..., i, 0].tolist() == [[[0, 4]], [[12, 16]]]
    x[i, 1] = 0
    assert x.sum().item() == 276 - 22 - 70


def test_index_nothing_and_numpys_numbers(torch: Any):
    with pytest.raises(IndexError, match="index 0 is out of bounds for dimension 0 with size 0"):
        torch.zeros(0)[0]
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        torch.tensor(1.0)[0]
    x = torch.arange(6).view(2, 3)
    assert x[np.array(1)].tolist() == [3, 4, 5]
    assert x[np.array(True)].tolist() == [[[0, 1, 2], [3, 4, 5]]]
    assert x[np.array([1, 0]), np.array(2)].tolist() == [5, 2]


def test_results_of_functions_keep_a_history_where_their_backward_reaches_a_tensor_of_others(torch: Any):
    outside = torch.tensor([3.0, 1.0], requires_grad=True)

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * outside

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * outside

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

    x, y = torch.tensor([1.0, 2.0]), torch.tensor(2.0)
    by_x, by_y = torch.func.grad(lambda x, y: Square.apply(x).sum() * y, argnums=(0, 1))(x, y)
    assert (by_x.tolist(), by_x.requires_grad) == ([4.0, 8.0], False)
    assert (by_y.tolist(), by_y.requires_grad) == (5.0, False)
    slope, value = torch.func.grad_and_value(lambda x: Scaled.apply(x).sum())(x)
    assert slope.grad_fn is not None
    assert not value.requires_grad
