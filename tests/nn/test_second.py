"""Gradients that are themselves recorded: their graphs are PyTorch's, and their derivatives are right."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import autogradlab

TENSORS = """
x = torch.tensor([[.3, -1.2, .7], [.9, .1, -.4], [-.6, .2, 1.5], [-.2, -.8, .45]])
y = x.flip(0) * .7 + .1
p = torch.tensor([[.3, .2, .7], [.9, .1, .4], [.6, .25, .5], [.2, .8, .45]])
q = p.flip(0)
above, signs, sides = p + 1, x.sign(), torch.tensor([1., -1., 1., -1.])
classes, several = torch.tensor([0, 2, 1, 1]), torch.tensor([[0, 2, -1], [1, -1, 0], [2, 1, 0], [0, -1, 1]])
z = torch.cat([x, y[:, :1]], 1)
w1, w3, w4, w2 = torch.tensor([.2]), torch.tensor([.5, 1.5, -.7]), torch.tensor([.5, 1.5, -.7, .3]), torch.ones(2) * .5
b3, b4, b2 = torch.tensor([.1, .2, .3]), torch.tensor([.1, .2, .3, .4]), torch.tensor([.1, .2])
m3, v3, m2, v2 = b3 * 2, torch.tensor([1., .5, .7]), b2 * 2, torch.tensor([1., .5])
image = torch.arange(64.).reshape(2, 2, 4, 4).sin()
rows = torch.arange(18.).reshape(2, 3, 3).cos()
W = torch.arange(9.).reshape(3, 3).sin()
K, T, E = torch.arange(24.).reshape(3, 2, 2, 2).sin(), torch.arange(24.).reshape(2, 3, 2, 2).cos(), rows[:, :, :2] * .5
"""
ACTIVATIONS = [
    "relu",
    "relu6",
    "tanh",
    "sigmoid",
    "gelu",
    "elu",
    "leaky_relu",
    "silu",
    "softplus",
    "hardtanh",
    "selu",
    "celu",
    "mish",
    "logsigmoid",
    "softsign",
    "tanhshrink",
    "hardsigmoid",
    "hardswish",
    "hardshrink",
    "softshrink",
]
#: expressions, and their tensors that require grad
CASES = {
    "F.mse_loss(x, y)": "x y",
    "F.mse_loss(x, y, reduction='none')": "x y",
    "F.mse_loss(x, y, reduction='sum')": "x y",
    "F.smooth_l1_loss(x, y)": "x y",
    "F.smooth_l1_loss(x, y, beta=0.5, reduction='sum')": "x y",
    "F.huber_loss(x, y)": "x y",
    "F.huber_loss(x, y, delta=.5, reduction='sum')": "x y",
    "F.binary_cross_entropy(p, q)": "p q",
    "F.binary_cross_entropy(p, q, reduction='sum')": "p q",
    "F.binary_cross_entropy(p, q, reduction='none', weight=above)": "p q",
    "F.binary_cross_entropy_with_logits(x, p)": "x p",
    "F.binary_cross_entropy_with_logits(x, p, pos_weight=above[0], reduction='sum')": "x p",
    "F.binary_cross_entropy_with_logits(x, p, weight=above, pos_weight=above[0])": "x p",
    "F.soft_margin_loss(x, signs)": "x",
    "F.soft_margin_loss(x, signs, reduction='none')": "x",
    "F.hinge_embedding_loss(x, signs)": "x",
    "F.poisson_nll_loss(x, p)": "x p",
    "F.poisson_nll_loss(p, q, log_input=False)": "p q",
    "F.multilabel_soft_margin_loss(x, p)": "x p",
    "F.cross_entropy(x, classes)": "x",
    "F.cross_entropy(x, classes, label_smoothing=.1, weight=above[0])": "x",
    "F.cross_entropy(x, p)": "x p",
    "F.multi_margin_loss(x, classes)": "x",
    "F.cosine_embedding_loss(x, y, sides)": "x y",
    "F.triplet_margin_loss(x, y, p)": "x y p",
    "F.pairwise_distance(x, y)": "x y",
    "F.normalize(x)": "x",
    **{f"F.{name}(x)": "x" for name in ACTIVATIONS},
    "F.gelu(x, approximate='tanh')": "x",
    "F.softplus(x, beta=2)": "x",
    "F.softmax(x, -1)": "x",
    "F.log_softmax(x, -1)": "x",
    "F.prelu(x, w1)": "x w1",
    "F.prelu(x, w3)": "x w3",
    "F.prelu(x, w3.detach())": "x",
    "F.glu(z)": "z",
    "F.layer_norm(x, (3,))": "x",
    "F.layer_norm(x, (3,), w3, b3)": "x w3 b3",
    "F.layer_norm(x, (3,), w3, b3.detach())": "w3",
    "F.layer_norm(x, (4, 3))": "x",
    "F.batch_norm(x, None, None, w3, b3, True)": "x w3 b3",
    "F.batch_norm(x, None, None, None, None, True)": "x",
    "F.batch_norm(x, m3, v3, w3, b3, False)": "x w3",
    "F.batch_norm(image, None, None, w2, b2, True)": "image w2 b2",
    "F.batch_norm(image, m2, v2, w2, b2, False)": "image w2 b2",
    "F.group_norm(z, 2, w4, b4)": "z w4 b4",
    "F.group_norm(z, 1)": "z",
    "F.group_norm(image, 2, w2, b2)": "image w2 b2",
    "F.instance_norm(image, weight=w2, bias=b2)": "image w2 b2",
    "F.rms_norm(x, (3,), w3)": "x w3",
    "F.local_response_norm(image, 2)": "image",
    "F.linear(x, W, b3)": "x W b3",
    "F.linear(rows, W)": "rows W",
    "F.conv2d(image, K)": "image K",
    "F.conv2d(image, K[:, :, :1, :1], b3, padding='same')": "image K b3",
    "F.conv2d(image, K, b3, stride=2, dilation=2)": "image K b3",
    "F.conv1d(rows, E)": "rows E",
    "F.conv_transpose2d(image, T, b3, stride=2, output_padding=1)": "image T b3",
    "F.max_pool2d(image, 2)": "image",
    "F.avg_pool2d(image, 2)": "image",
    "F.adaptive_avg_pool2d(image, (2, 1))": "image",
    "F.adaptive_avg_pool2d(image, 1)": "image",
    "F.max_pool1d(rows, 2)": "rows",
    "F.lp_pool2d(image, 2, 2)": "image",
    "F.interpolate(image, scale_factor=2, mode='bilinear')": "image",
    "F.embedding(classes, W)": "W",
    "F.scaled_dot_product_attention(rows, rows, rows)": "rows",
    "x ** 3 / 2 - 1": "x",
    "(1 - x) * 2": "x",
    "2 / p": "p",
    "x.mean(1)": "x",
    "p.sqrt()": "p",
    "x.norm(dim=1)": "x",
}
#: what PyTorch has no second derivative of
ONCE = ("F.multi_margin_loss(x, classes)", "F.hardsigmoid(x)")


def expression(node: Any, leaves: dict[int, str], seen: dict[Any, int]) -> str:
    """The graph behind a tensor in one line; a Node that was met before is its number."""
    if node is None:
        return "None"
    if node.name().endswith("AccumulateGrad"):
        return leaves[id(node.variable)]
    if node in seen:
        return f"#{seen[node]}"
    seen[node] = len(seen)
    below = [expression(n, leaves, seen) + (f"/{nr}" if nr else "") for n, nr in node.next_functions]
    return f"{node.name()}({', '.join(below)})"


def twice(library: str, source: str, wanted: str) -> tuple[list[str], list[Any]]:
    """The graphs of the gradients of an expression, and the numbers of first and second derivatives."""
    torch = importlib.import_module(library)
    names: dict[str, Any] = {"torch": torch, "F": importlib.import_module(library + ".nn.functional")}
    exec(TENSORS, names)
    leaves = [names[name].requires_grad_() for name in wanted.split()]
    found = eval(source, names)
    v = (torch.arange(1.0, found.numel() + 1).reshape(found.shape) / 3).requires_grad_()
    grads = torch.autograd.grad(found, leaves, v, create_graph=True)
    called = {id(v): "v", **{id(leaf): name for leaf, name in zip(leaves, wanted.split(), strict=True)}}
    graphs = [expression(g.grad_fn, called, {}) for g in grads]
    numbers = [g.detach().flatten().tolist() for g in grads]
    total = sum((g * g).sum() for g in grads)
    try:
        second = torch.autograd.grad(total, [*leaves, v], allow_unused=True)
    except RuntimeError as error:
        return graphs, [*numbers, str(error)]
    return graphs, [*numbers, *(None if g is None else g.flatten().tolist() for g in second)]


@pytest.mark.parity
@pytest.mark.parametrize("source", CASES)
def test_recorded_gradients_are_pytorchs(torch: Any, source: str):
    graphs, numbers = twice("autogradlab", source, CASES[source])
    wanted_graphs, wanted_numbers = twice("torch", source, CASES[source])
    assert graphs == wanted_graphs
    assert len(numbers) == len(wanted_numbers)
    for ours, theirs in zip(numbers, wanted_numbers, strict=True):
        assert ours == (theirs if isinstance(theirs, (str, type(None))) else pytest.approx(theirs, rel=1e-3, abs=1e-4))


@pytest.mark.parametrize("source", [source for source in CASES if source not in ONCE])
def test_recorded_gradients_have_the_right_derivatives(source: str):
    torch = autogradlab
    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    exec(TENSORS, names)
    given = CASES[source].split()
    for name, value in names.items():
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            names[name] = value.double()

    def function(*values: Any) -> Any:
        return eval(source, {**names, **dict(zip(given, values, strict=True))})

    leaves = [names[name].detach().requires_grad_() for name in given]
    assert torch.autograd.gradgradcheck(function, leaves, fast_mode=True)


def test_a_number_in_a_formula_is_a_scalar_and_in_a_hook_a_tensor():
    x = autogradlab.tensor([2.0], requires_grad=True)
    seen = []

    def hook(g: Any) -> None:
        seen.append((g * 2).grad_fn.name())

    y = x**2
    y.register_hook(hook)
    (g,) = autogradlab.autograd.grad((y**2).sum(), x, create_graph=True)
    assert seen == ["MulBackward0"]
    assert [n.name() for n, _ in g.grad_fn.next_functions] == ["MulBackward0", "MulBackward1"]
    assert (x * 2).grad_fn.name() == "MulBackward0"
