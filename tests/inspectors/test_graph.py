"""`lab.graph`: the same picture and the same words for autogradlab and for PyTorch."""

from __future__ import annotations

from typing import Any

from autogradlab import inspectors as lab


def leaves(torch: Any) -> tuple[Any, Any]:
    return torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)


def test_the_graph_of_the_documents(torch: Any):
    w, x = leaves(torch)
    a = w * x
    b = w + 1
    y = a * b
    assert lab.graph(y).text.split("\n")[:-1] == [
        "Graph of y · Nodes: 3, leaves: 2",
        "w = [1.] · leaf, requires_grad, .grad: None",
        "x = [2.] · leaf, requires_grad, .grad: None",
        "a = mul(w, x) = [2.] · MulBackward0, saved self=w other=x",
        "b = add(w) = [2.] · AddBackward0",
        "y = mul(a, b) = [4.] · MulBackward0, saved self=a other=b · the root",
    ]


def test_results_without_a_name_are_told_apart_by_their_numbers(torch: Any):
    f = torch.ones(1, 4, requires_grad=True) * 1
    o = (lambda s, t: s * t + t)(*f.split(2, 1))
    assert "n2 = mul(n3[0], n3[1])" in lab.graph(o).text and "o = add(n2, n3[1])" in lab.graph(o).text


def test_data_and_unnamed_values(torch: Any):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    w = torch.ones(2, 2, requires_grad=True)
    loss = ((x @ w).tanh() - 2 * x).pow(2).mean()
    assert lab.graph(loss).text.split("\n")[:-1] == [
        "Graph of loss · Nodes: 5, leaves: 1",
        "x = [[1., 2.], [3., 4.]] · data, no gradient",
        "w = [[1., 1.], [1., 1.]] · leaf, requires_grad, .grad: None",
        "n5 = mm(x, w) · MmBackward0, saved self=x",
        "n4 = tanh(n5) · TanhBackward0, saved result",
        "n3 = sub(n4) · SubBackward0",
        "n2 = pow(n3) · PowBackward0, saved self",
        "loss = mean(n2) = 21.0099 · MeanBackward0 · the root",
    ]


def test_a_leaf_without_dimensions_is_called_a_scalar_where_a_box_lists_its_leaves(torch: Any) -> None:
    class Scaled(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(2, 2)
            self.gain = torch.nn.Parameter(torch.tensor(2.0))

        def forward(self, x: Any) -> Any:
            return self.inner(x).tanh() * self.gain

    net = torch.nn.Sequential(*[Scaled() for _ in range(6)])
    assert "net[0].gain (scalar)" in str(lab.graph(net(torch.ones(1, 2)).sum()).card)
