"""`lab.receipt`: the lines add up to the engine's gradient, on autogradlab and on PyTorch alike."""

from __future__ import annotations

import importlib
import math
import random
from typing import Any

import pytest

from autogradlab import inspectors as lab
from autogradlab.inspectors.cards.receipt import _Receipt
from autogradlab.inspectors.layout.bill import Chip, Entry, bill
from autogradlab.inspectors.parts import Choice, Drawing, Facts, Note, Text
from autogradlab.inspectors.snapshot.flows import Flows
from autogradlab.inspectors.snapshot.graph import Walk, edge_of
from autogradlab.inspectors.snapshot.ways import Ways
from autogradlab.inspectors.stored import packed


def lines(torch: Any, root: Any, leaf: Any, element: int = 0, most: int = 50) -> tuple[list[float], list[float]]:
    found, rest = Ways(Walk([root]), leaf).of(element, most)
    return [way.product for way in found], rest


def test_the_first_document(torch: Any) -> None:
    w, x = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
    a = w * x
    b = w + 1
    y = a * b
    y.backward(retain_graph=True)
    assert lab.receipt(w, y).text == (
        "Receipt for `w.grad` · from y · adds up ✓\n"
        "y → a → w: 1 × ∂y/∂a = b = 2. × ∂a/∂w = x = 2. = 4.\n"
        "y → b → w: 1 × ∂y/∂b = a = 2. × ∂b/∂w = 1. = 2.\n"
        "w.grad = 4. + 2. = 6.\n"
        "The lines add up to `w.grad`, to the last bit."
    )
    assert (w.grad.tolist(), x.grad.tolist()) == ([6.0], [2.0])


def test_one_tensor_twice(torch: Any) -> None:
    w = torch.tensor(3.0, requires_grad=True)
    y = w * w
    assert lines(torch, y, w) == ([3.0, 3.0], [])


@pytest.mark.parametrize("times", [2, 3])
def test_several_backwards_add_up(torch: Any, times: int) -> None:
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    y = (w * w).sum()
    for _ in range(times):
        y.backward(retain_graph=True)
    text = lab.receipt(w, y, at=1).text
    assert f"w.grad[1] = {times} × (3. + 3.) = {6 * times}." in text
    assert f"`w.grad[1]` is {times} times this: as much as {times} backwards bring." in text
    again = lab.receipt(w, *[y] * times, at=1).text
    assert "adds up ✓" in again and "times this" not in again
    for sign in (1, -1):
        single = (w * 3 * sign).sum()
        w.grad = None
        for _ in range(times):
            single.backward(retain_graph=True)
        one = "3." if sign > 0 else "(-3.)"
        assert f"w.grad[1] = {times} × {one} = {3 * sign * times}." in lab.receipt(w, single, at=1).text


def test_two_losses(torch: Any) -> None:
    w = torch.tensor(2.0, requires_grad=True)
    first, second = w * 3, w * w
    first.backward(retain_graph=True)
    second.backward(retain_graph=True)
    assert "w.grad = 3. + 2. + 2. = 7." in lab.receipt(w).text
    alone = lab.receipt(w, first).text
    assert "does not add up ✗" in alone and "These paths bring 3., but `w.grad` is 7." in alone


def test_a_result_that_was_not_sent_back_is_no_root(torch: Any) -> None:
    x = torch.tensor([2.0], requires_grad=True)
    f = x**3
    (g,) = torch.autograd.grad(f, x, create_graph=True)
    y = g**2
    y.backward(retain_graph=True)
    view = lab.receipt(x)
    assert view.card.subtitle == "from y" and "adds up" in view.text and "does not" not in view.text


def test_a_hook_is_not_taken_for_another_backward(torch: Any) -> None:
    w = torch.tensor([3.0], requires_grad=True)
    w.register_hook(lambda grad: grad * 2)
    y = w * w
    y.backward(retain_graph=True)
    text = lab.receipt(w, y).text
    assert "as much as 2 backwards bring" in text and "were added" not in text


def test_the_middle_of_a_very_long_path_is_one_chip(torch: Any) -> None:
    w = torch.tensor(1.01, requires_grad=True)
    y = w * 1
    for _ in range(299):
        y = y * w
    y.backward(retain_graph=True)
    view = lab.receipt(w, y)
    first = next(block for block in view.card.blocks if isinstance(block, Drawing))
    assert first.height < 600
    assert " Nodes: " in view.text and "adds up" in view.text


def test_what_was_there_before_is_no_part_of_it(torch: Any) -> None:
    w = torch.tensor(2.0, requires_grad=True)
    w.grad = torch.tensor(0.1)
    y = w * w
    y.backward(retain_graph=True)
    text = lab.receipt(w, y).text
    assert "does not add up ✗" in text and "w.grad =" not in text


def test_nan_never_adds_up(torch: Any) -> None:
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    y = (w / w).sum()
    y.backward(retain_graph=True)
    view = lab.receipt(w, y, at=0)
    assert "adds up" not in view.text and "there is no sum to check" in view.text
    assert not any(badge.tone == "good" for badge in view.card.badges)


def test_paths_that_infinity_mixes_are_not_told_apart(torch: Any) -> None:
    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    y = (x * torch.tensor([[1.0, 2.0, math.inf], [4.0, 5.0, 6.0]])).sum()
    found, rest = lines(torch, y, x, 0)  # zero times infinity is in whatever arrives from the other elements
    assert (found, rest) == ([], [math.inf])
    assert "all paths together = inf" in lab.receipt(x, y, at=(0, 0)).text
    assert sorted(lines(torch, y, x, 1)[0]) == [4.0, 5.0, 6.0]


def test_nan_is_no_way_to_other_elements(torch: Any) -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    y = (torch.sqrt(x) * 0.0 / x).sum()
    text = lab.receipt(x, y, at=0).text
    assert "[1]" not in text and "all other paths" not in text
    assert "y → div[0] → mul[0] → sqrt[0] → x[0]: 1 ×" in text
    assert "adds up ✓" in lab.receipt(x, (x * x).sum(), at=1).text


def test_an_element_of_an_expression_is_in_brackets() -> None:
    name = _Receipt._element
    assert name("h ** 2", (3, 3), 5) == "(h ** 2)[1, 2]"
    assert name("net.layers[0].weight", (2,), 1) == "net.layers[0].weight[1]"
    assert name("h[3]", (2,), 0) == "h[3][0]"


def test_matmul_has_a_line_for_each_summed_index(torch: Any) -> None:
    v = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    m = torch.tensor([[1.0, -1.0, 2.0], [2.0, 0.5, 0.0]])
    y = (v @ m).sum()
    assert lines(torch, y, v, 2) == ([2.0, -1.0, 1.0], [])
    assert lines(torch, y, v, 3) == ([2.0, 0.5], []), "a factor of zero brings nothing"


def test_views_indexing_and_reductions(torch: Any) -> None:
    v = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = v.t()[1:].reshape(-1)[[0, 3, 3]].mean() * 3 + v.max() + torch.cat([v, v]).sum()
    y.backward(retain_graph=True)
    for element in range(6):
        products, rest = lines(torch, y, v, element)
        assert sum(products) + sum(rest) == pytest.approx(v.grad.reshape(-1)[element].item())
        assert rest == []


def test_exploding_ways_leave_an_exact_rest(torch: Any) -> None:
    w = torch.tensor(2.0, requires_grad=True)
    y = w
    for _ in range(20):
        y = y + y
    products, rest = lines(torch, y, w, most=8)
    assert len(products) == 8 and all(p == 1.0 for p in products)
    assert sum(products) + sum(rest) == 2.0**20
    text = lab.receipt(w, y).text
    assert "all other paths together = 1048570." in text and "6 paths are listed" in text and "adds up ✓" in text


def test_a_batch_has_more_ways_than_are_listed(torch: Any) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    loss = (model(torch.randn(60, 2)) ** 2).mean()
    grad = torch.autograd.grad(loss, model[0].weight, retain_graph=True)[0].reshape(-1)
    for element in (0, 15):
        products, rest = lines(torch, loss, model[0].weight, element, most=8)
        assert len(products) == 8 and rest
        assert math.fsum([*products, *rest]) == pytest.approx(grad[element].item(), rel=1e-5)
    view = lab.receipt(model[0].weight, loss)
    assert "adds up" in view.text and "does not" not in view.text
    assert len(packed(view.card)) < 40_000


def test_shares_that_cancel_are_found(torch: Any) -> None:
    w = torch.tensor(1.0, requires_grad=True)
    y = (w * torch.tensor([5.0, -5.0, 7.0, -7.0])).sum()
    products, rest = lines(torch, y, w)
    assert sorted(products) == [-7.0, -5.0, 5.0, 7.0] and rest == []


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs(torch: Any, seed: int) -> None:
    """Whole numbers: no rounding, so the lines and the rest are the gradient itself."""
    chance = random.Random(seed)
    leaves = [
        torch.tensor([[1.0, -2.0], [3.0, 1.0]], requires_grad=True),
        torch.tensor([2.0, -1.0], requires_grad=True),
    ]
    known = list(leaves)
    for _ in range(6):
        a, b = chance.choice(known), chance.choice(known)
        known.append(
            chance.choice(
                [
                    lambda a=a, b=b: a + b,
                    lambda a=a, b=b: a * b,
                    lambda a=a, b=b: a - b,
                    lambda a=a, b=b: a.reshape(-1, 2) @ leaves[0],
                    lambda a=a, b=b: a.relu() + b.sum(),
                    lambda a=a, b=b: a[..., [1, 0, 0]][..., 1:],
                ]
            )()
        )
    y = known[-1].sum() + known[-2].sum()
    for leaf in leaves:
        (grad,) = torch.autograd.grad(y, leaf, retain_graph=True, allow_unused=True)
        if grad is None:
            assert "No path leads" in lab.receipt(leaf, y).text
            continue
        for element in range(leaf.numel()):
            products, rest = lines(torch, y, leaf, element, most=20)
            assert math.fsum([*products, *rest]) == grad.reshape(-1)[element].item()


def test_a_function_of_the_learners_and_hooks(torch: Any) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    fired: list[Any] = []
    w = torch.tensor(3.0, requires_grad=True)
    a = Double.apply(w)
    a.register_hook(lambda g: fired.append(g) or g * 10)
    y = a * a
    text = lab.receipt(w, y).text
    assert fired == [] and "There are hooks on the path" in text
    assert lines(torch, y, w) == ([12.0, 12.0], [])


def test_a_non_leaf_and_other_numbers(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True, dtype=torch.float64)
    a = w * 3
    y = (a * a).sum()
    assert "`a` is a non-leaf" in lab.receipt(a, y).text
    half = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    assert "adds up" in lab.receipt(half, (half * half).sum()).text


def test_complex_numbers(torch: Any) -> None:
    z = torch.tensor(1 + 2j, requires_grad=True)
    square = (z * z.conj()).real
    square.backward(retain_graph=True)
    text = lab.receipt(z).text
    assert "conj(g) = 1.+2.j" in text and "z.grad = (1.+2.j) + (1.+2.j) = 2.+4.j" in text
    assert "adds up ✓" in text and "the conjugate of its derivative" in text
    twice = z * 2
    assert "`twice` is complex, and a backward starts from a real number" in lab.receipt(z, twice).text


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs_of_complex_numbers(torch: Any, seed: int) -> None:
    """Whole numbers again: of Nodes that multiply, conjugate and drop a part, the lines are the gradient itself."""
    chance = random.Random(seed)
    leaves = [
        torch.tensor([1 - 2j, 3 + 1j], dtype=torch.complex128, requires_grad=True),
        torch.tensor([2.0, -1.0], dtype=torch.float64, requires_grad=True),
    ]
    known = [leaves[0], leaves[1] * (1 + 1j)]
    for _ in range(6):
        a, b = chance.choice(known), chance.choice(known)
        known.append(
            chance.choice(
                [
                    lambda a=a, b=b: a + b.conj(),
                    lambda a=a, b=b: a * b,
                    lambda a=a, b=b: a.imag * b,
                    lambda a=a, b=b: torch.complex(a.real, b.real * leaves[1]),
                    lambda a=a, b=b: a.sum() - b * 1j,
                    lambda a=a, b=b: torch.view_as_complex(torch.view_as_real(a)) * b.conj(),
                ]
            )()
        )
    y = known[-1].real.sum() + (known[-2] * known[-1].conj()).imag.sum()
    for leaf in leaves:
        (grad,) = torch.autograd.grad(y, leaf, retain_graph=True, allow_unused=True)
        for element in range(leaf.numel() if grad is not None else 0):
            products, rest = lines(torch, y, leaf, element, most=20)
            total, wanted = sum([*products, *rest]), grad.reshape(-1)[element].item()
            assert total == wanted
            assert all(isinstance(product, complex) is leaf.is_complex() for product in products)


def test_what_cannot_be_taken_apart_says_why(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).sum()
    y.backward()
    assert "Nodes between y and `w` have let go of what they saved" in lab.receipt(w, y).text
    many = w * 2
    assert "`many` has 2 elements" in lab.receipt(w, many).text
    other = torch.tensor(1.0, requires_grad=True) * 2
    assert "No path leads from other to `w`." in lab.receipt(w, other).text
    assert "does not require grad" in lab.receipt(torch.ones(2), y).text
    assert "No variable holds a result" in lab.receipt(torch.ones(2, requires_grad=True)).text
    with pytest.raises(IndexError, match="is no index of one element"):
        lab.receipt(w, (w * w).sum(), at=(0, 1))


def test_hooks_will_make_another_gradient_of_it(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    a = w * 3
    y = (a * a).sum()
    a.register_hook(lambda g: g * 2)
    text = lab.receipt(w, y).text
    assert "Receipt for `∂y/∂w[1]`" in text
    assert "∂y/∂w[1] = 18. + 18. = 36." in text
    assert "will put there" not in text and "will get" not in text
    y.backward()
    assert w.grad.tolist() == [36.0, 72.0]  # and not what the Nodes alone bring


def test_the_call_that_is_named_can_be_written(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    a = w * 2
    one, two = a.sum(), (a * a).sum()
    assert "what `torch.autograd.backward([one, two])` will put there" in lab.receipt(w, one, two).text
    assert "what `one.backward()` will put there" in lab.receipt(w, one).text
    assert "what `(one + two).backward()` will put there" in lab.receipt(w, one + two).text


def test_an_expression_stands_in_brackets(torch: Any, shell: Any) -> None:
    shell.run("from autogradlab import inspectors as lab")
    shell.run("x = torch.tensor([3., 3., 1.], requires_grad=True)\ny = x.max() + x.amin() + x.sum()")
    text = shell.run("lab.receipt(x, y)").text
    assert "× ∂(x.max() + x.amin())/∂x.amin() = 1." in text
    assert "∂x.max() + x.amin()" not in text


def test_a_gradient_of_another_backward_is_not_this_ones(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    w.grad = torch.tensor([5.0, 5.0])
    text = lab.receipt(w, (w * w).sum(), at=1).text
    assert "These paths bring 4., but `w.grad[1]` is 5.: it holds what other backwards brought" in text
    assert "brought, or something changed it" in text


def test_nothing_of_the_learners_is_changed(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).exp().sum()
    versions = w._version, y._version
    lab.receipt(w, y)
    assert (w._version, y._version) == versions and w.grad is None
    y.backward()
    assert w.grad is not None


def test_elements_can_be_chosen(torch: Any) -> None:
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = (w * w).sum()
    (choice,) = [block for block in lab.receipt(w, y, at=(0, 1)).card.blocks if isinstance(block, Choice)]
    assert choice.names[choice.at] == "w.grad[0, 1] = 4." and len(choice.options) == 4
    big = torch.ones(50, 40, requires_grad=True)
    view = lab.receipt(big, (big * 2).sum(), at=(49, 39))
    assert "big.grad[49, 39] = 2." in view.text
    assert isinstance(view.card.blocks[0], Drawing)


def test_both_languages(torch: Any) -> None:
    w = torch.tensor([1.0], requires_grad=True)
    y = w * 2
    lab.set_language("zh")
    view = lab.receipt(w, y)
    assert "账单" in view.text and view.card.lang == "zh" and view.svg() and view.html()


def test_a_function_that_takes_more_than_tensors(torch: Any) -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, factor: float, x: Any, fixed: Any, w: Any) -> Any:
            ctx.factor = factor
            return factor * x + fixed + 5 * w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return None, g * ctx.factor, None, g * 5

    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    y = (Scaled.apply(2.0, x, torch.ones(2), w) * x).sum()
    ahead = [lab.receipt(leaf, y).text for leaf in (x, w)]
    cut = lab.what_if(y, frozen=w).text
    y.backward()
    assert x.grad.tolist() == [20.0, 29.0] and w.grad.tolist() == [5.0, 10.0]
    assert "x.grad[1] = 25.0000 + 4.0000 = 29." in ahead[0].replace("25. + 4.", "25.0000 + 4.0000")
    assert "w.grad[1] = 10.\nThis is `w.grad[1]`, to the last bit." in ahead[1]
    assert "[20., 29.]" in cut


def test_what_a_function_does_to_tensors_is_put_back(torch: Any) -> None:
    checkpoint = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    w, x = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.5, -1.0], requires_grad=True)
    h = checkpoint(lambda x: torch.tanh(x * w), x, use_reentrant=True)  # its backward runs one of its own
    y = (h * x).sum()
    told = lab.receipt(x, y, at=0).text
    lab.what_if(y, cut=h)
    assert w.grad is None and x.grad is None
    y.backward()
    assert f"x.grad[0] = 0.4621 + 0.3932 = {x.grad[0].item():.4f}" in told


def test_paths_that_are_too_long_are_one_line(torch: Any) -> None:
    """Nothing is infinite there, and nothing is said to be."""
    w = torch.tensor(1.0001, requires_grad=True)
    y = w * 1
    for _ in range(1600):
        y = y * w
    text = lab.receipt(w, y).text
    assert "all paths together" in text and "too long to be followed" in text and "NaN" not in text


def test_a_way_of_thousands_of_nodes_is_as_short_as_others(torch: Any) -> None:
    w = torch.tensor([1.0, 0.5], requires_grad=True)
    y = w * 3
    for _ in range(2000):
        y = y * 1
    view = lab.receipt(w, y.sum())
    assert "adds up" in view.text
    chips = [item for block in view.card.blocks if isinstance(block, Drawing) for item in block.items if item.details]
    rows = [len(block.rows) for item in chips for block in item.details if isinstance(block, Facts)]
    notes = [block.text for item in chips for block in item.details if isinstance(block, Note)]
    assert max(rows) <= 12
    assert notes == ["The first 12 of 2001."]


def test_what_no_variable_holds_has_no_name_in_a_factor(torch: Any) -> None:
    w = torch.tensor([1.5], requires_grad=True)
    text = lab.receipt(w, (w * 2).exp() * (w * 3)).text
    assert "self" not in text and "other" not in text and "result" not in text
    a = w * 2
    assert "= a = 3." in lab.receipt(w, a * (w * 3)).text


def test_the_sum_below_the_paths_is_whole() -> None:
    """However many there are: it breaks in front of a sign."""
    entries = [Entry(f"y → w{k}", (Chip(f"{k}.5"),), f"{k}.5000") for k in range(8)]
    said = " + ".join(f"{k}.5000" for k in range(8))
    drawn = bill(entries, (f"net.encoder.weight.grad[1, 0] = 6 × ({said})", "= 192."), (), "")
    lines = [shape for shape in drawn.items[-1].shapes if isinstance(shape, Text)][:-1]
    assert " ".join(line.text for line in lines) == f"net.encoder.weight.grad[1, 0] = 6 × ({said})"
    assert len(lines) > 1
    assert drawn.height > max(line.y for line in lines)


def mapped(torch: Any) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Results that went through a vmap, each with the leaves it was made of."""
    torch.manual_seed(1)
    vmap = torch.func.vmap
    w, x = torch.randn(3, requires_grad=True), torch.randn(4, 3, requires_grad=True)
    m = torch.randn(3, 2, requires_grad=True)

    class Cube(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 3 * ctx.saved_tensors[0] ** 2

    def first_derivative() -> Any:
        y = vmap(lambda row: (row * w).pow(3).sum())(x).sum()
        return torch.autograd.grad(y, w, create_graph=True)[0].pow(2).sum()

    return {
        "a captured vector": (vmap(lambda row: (row * w).sin().sum())(x).sum(), (w, x)),
        "a product": (vmap(lambda row: torch.tanh(row @ m).sum() * w.sum())(x).sum(), (w, m, x)),
        "columns": (vmap(lambda column: column.sin() * 2, in_dims=1, out_dims=1)(x).pow(2).mean(), (x,)),
        "nested": (vmap(vmap(lambda a, b: a * b * w.prod(), (None, 0)), (0, None))(x[:, 0], w).sum(), (w, x)),
        "nothing of rows": (vmap(lambda row: w * 2)(x).sum(), (w,)),
        "several outputs": (vmap(lambda row: sum(part * w.sum() for part in row.unbind()))(x).sum(), (w, x)),
        "a Function": (vmap(lambda row: Cube.apply(row * w).sum())(x).sum(), (w, x)),
        "a second derivative": (first_derivative(), (w, x)),
        "a gradient inside": (vmap(torch.func.grad(lambda row: (row * w).sin().sum()))(x).sum(), (w, x)),
    }


def test_paths_lead_through_a_vmap(torch: Any) -> None:
    """Of each element the bill adds up, and what a backward gives with a leaf frozen is what the others get."""
    for name, (y, leaves) in mapped(torch).items():
        for leaf, real in zip(leaves, torch.autograd.grad(y, leaves, retain_graph=True), strict=True):
            walk = Walk([y])
            ways = Ways(walk, leaf)
            assert torch.allclose(ways.total(), real, rtol=1e-5, atol=1e-6), name
            for element, number in enumerate(real.reshape(-1).tolist()):
                found, rest = ways.of(element, 8)
                assert sum(way.product for way in found) + sum(rest) == pytest.approx(number, rel=1e-4, abs=1e-5), name
            text = lab.receipt(leaf, y).text
            assert "adds up" in text.split("\n")[0], (name, text)
            frozen = Flows(walk, cut=frozenset({edge_of(leaf)}))
            got = {node.variable: frozen.at.get((node, 0)) for node in walk.nodes if hasattr(node, "variable")}
            assert got.pop(leaf) is None and set(got) == {other for other in leaves if other is not leaf}
            for other, flow in got.items():
                assert torch.allclose(flow, torch.autograd.grad(y, other, retain_graph=True)[0], rtol=1e-5, atol=1e-6)


def test_a_vmap_reads_as_the_whole_tensors_of_pytorch(torch: Any) -> None:
    """The same bill, letter for letter, and what is cut is a tensor of all rows."""
    w, x = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    out = torch.func.vmap(lambda row: (row * w).pow(2).sum())(x)
    y = out.sum()
    first, second, total, *_ = lab.receipt(w, y).text.split("\n")[1:]
    assert first.startswith(
        "y → out[1] → pow[1, 1] → mul[1, 1] → w[1]: 1 × ∂y/∂out[1] = 1. × ∂out/∂pow = 1. × ∂pow/∂mul"
    )
    assert first.endswith(" = 16. × ∂mul/∂w = 4. = 64.")
    assert second.startswith("y → out[0] → pow[0, 1] → mul[0, 1] → w[1]: ")
    assert second.endswith("∂pow/∂mul = 8. × ∂mul/∂w = 2. = 16.")
    assert total == "w.grad[1] = 64. + 16. = 80."
    assert "`w`   [20., 80.]  nothing" in lab.what_if(y, cut=out).text
    frames = lab.step(y).card.frames
    assert frames[-1].sentence.endswith("grad = [20., 80.].")
    assert not any("hook" in frame.sentence for frame in frames)
    assert "[[1., 1.], [1., 1.]]" in frames[3].sentence


def test_more_than_the_dtype_can_hold_is_said_to_be_so(torch: Any) -> None:
    """The lines are added in double precision; infinite is not NaN."""
    x = torch.tensor([1e30, 1.0], requires_grad=True)
    view = lab.receipt(x, ((x * 1e5) ** 2).sum(), at=0)
    assert [badge.text for badge in view.card.badges] == ["some elements: infinite"]
    assert "The lines add up to 2.0000e+40, more than float32 can hold: `x.grad[0]` is inf." in view.text


def test_no_path_leads_past_an_element(torch: Any) -> None:
    """A factor of 0 between two elements that have nothing to do with each other is no path, even where infinity
    follows and makes it NaN."""
    x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
    y = x.sqrt().nan_to_num().sum()
    for at, product in (0, "nan"), (1, "inf"):
        paths = [line for line in lab.receipt(x, y, at=at).text.splitlines() if line.startswith("y →")]
        assert [line.rpartition(" = ")[2] for line in paths] == [product]


def test_where_every_factor_is_zero_it_says_so(torch: Any) -> None:
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    text = lab.receipt(x, torch.relu(x).sum(), at=0).text
    assert "x.grad[0] = 0." in text
    assert "On each path that leads here a factor is 0" in text


def test_brackets_of_a_name_are_no_index(torch: Any) -> None:
    ws = [torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)]
    total = torch.stack([ws[0] * ws[1], ws[1]]).sum()
    chips = lab.receipt(ws[1], total).text
    assert "/∂ws[1] = " in chips
    assert "/∂ws = " not in chips


def test_a_function_that_hands_on_none_is_named(torch: Any) -> None:
    class Half(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a + b

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    y = Half.apply(a, b) * 3
    said = "A path leads from y to `b`, but no gradient comes along it: HalfBackward hands on None."
    assert said in lab.receipt(b, y).text
    assert "a.grad = 3." in lab.receipt(a, y).text
    c = torch.ones((), requires_grad=True)
    assert "No path leads from y to `c`." in lab.receipt(c, y).text


def test_a_function_that_returns_too_few_has_no_bill(torch: Any) -> None:
    class Few(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a * b

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    y = Few.apply(a, b)
    with pytest.raises(RuntimeError) as raised:
        y.backward()
    assert str(raised.value) in lab.receipt(a, y).text


@pytest.mark.parametrize("kind", ["Node", "before the Node", "module", "before the module"])
def test_hooks_of_nodes_and_modules_are_seen_on_the_path(torch: Any, kind: str) -> None:
    """What hooks will make of a gradient is not promised."""

    def double(*given: Any) -> Any:
        grads = given[1] if kind == "before the module" else given[0] if "Node" in kind else given[1]
        return tuple(g * 2 for g in grads)

    net = torch.nn.Linear(1, 1, bias=False)
    x = torch.ones(1, 1, requires_grad=True)
    if kind == "module":
        net.register_full_backward_hook(double)
    if kind == "before the module":
        net.register_full_backward_pre_hook(double)
    y = net(x).sum()
    if kind == "Node":
        y.grad_fn.next_functions[0][0].register_hook(double)
    if kind == "before the Node":
        y.grad_fn.register_prehook(double)
    name = "double (Linear)" if "module" in kind else "double"
    text = lab.receipt(x, y).text
    assert "Receipt for `∂y/∂x`" in text and f"There are hooks on the path ({name}): " in text
    assert "will put there" not in text
    assert f"There are hooks on the path ({name})" in lab.what_if(y, cut=x).text
    assert [line for line in lab.step(y).text.splitlines() if f"Hook `{name}`" in line and "changes" in line]
    y.backward()
    assert x.grad.tolist() == (net.weight * 2).tolist()


def test_where_nothing_comes_there_are_no_lines(torch: Any) -> None:
    w = torch.tensor([-1.0], requires_grad=True)
    y = w.relu().sum()
    text = lab.receipt(w, y).text.splitlines()
    assert text[1] == "w.grad = 0." and "add up" not in text[2]
