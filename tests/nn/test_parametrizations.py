"""Orthogonal weights, and weights as direction and length, beside PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

SHAPES = ((3, 3), (2, 4), (4, 2))
MAPS = (None, "matrix_exp", "cayley", "householder")


def orthogonal(library: str, shape: tuple[int, int], kind: str | None, trivial: bool) -> list[Any]:
    """What a layer with an orthogonal weight shows, before and after a weight is assigned."""
    torch = importlib.import_module(library)
    made = importlib.import_module(library + ".nn.utils.parametrizations")
    torch.manual_seed(1)
    layer = torch.nn.Linear(*shape)
    made.orthogonal(layer, orthogonal_map=kind, use_trivialization=trivial)
    y = layer(torch.ones(1, shape[0]))
    (y * y.detach() + y).sum().backward()
    seen = [list(layer.state_dict()), repr(layer), layer.weight.flatten().tolist()]
    seen.append(layer.parametrizations.weight.original.grad.flatten().tolist())
    try:
        layer.weight = torch.eye(*layer.weight.shape)
        seen.append(layer.weight.flatten().tolist())
    except NotImplementedError as error:
        seen.append(str(error))
    return seen


@pytest.mark.parity
@pytest.mark.parametrize("trivial", [True, False])
@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("shape", SHAPES)
def test_orthogonal_is_pytorchs(torch: Any, shape: tuple[int, int], kind: str | None, trivial: bool):
    ours, theirs = orthogonal("autogradlab", shape, kind, trivial), orthogonal("torch", shape, kind, trivial)
    assert ours[:2] == theirs[:2]
    for a, b in zip(ours[2:], theirs[2:], strict=True):
        assert a == (b if isinstance(b, str) else pytest.approx(b, abs=2e-4))


@pytest.mark.parametrize(("name", "kind"), [("bias", None), ("nope", None), ("weight", "other")])
def test_what_cannot_be_orthogonal(name: str, kind: str | None):
    import autogradlab as torch

    with pytest.raises(ValueError, match=r"Expected a matrix|no parameter or buffer|orthogonal_map has to be"):
        torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 2), name, kind)


@pytest.mark.parametrize("library", ["autogradlab", pytest.param("torch", marks=pytest.mark.parity)])
@pytest.mark.parametrize(("dim", "node"), [(0, "WeightNormInterfaceBackward0"), (None, "MulBackward0")])
def test_weight_norm_is_one_node(library: str, dim: int | None, node: str):
    torch = importlib.import_module(library)
    made = importlib.import_module(library + ".nn.utils.parametrizations")
    layer = made.weight_norm(torch.nn.Linear(3, 2).double(), dim=dim)
    assert layer.weight.grad_fn.name() == node
    g, v = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1

    def weight(g: Any, v: Any) -> Any:
        return layer.parametrizations.weight[0](g, v)

    assert torch.autograd.gradcheck(weight, (g, v))  # the second derivative is PyTorch's, which is not right


@pytest.mark.parametrize("library", ["autogradlab", pytest.param("torch", marks=pytest.mark.parity)])
def test_a_parametrization_without_an_inverse_refuses_assignment(library: str):
    torch = importlib.import_module(library)
    parametrize = importlib.import_module(library + ".nn.utils.parametrize")

    class Half(torch.nn.Module):
        def forward(self, w: Any) -> Any:
            return w / 2

    layer = parametrize.register_parametrization(torch.nn.Linear(2, 2), "weight", Half())
    with pytest.raises(RuntimeError, match=r"parametrization Half does not implement right_inverse\."):
        layer.weight = torch.ones(2, 2)
