"""What judges the exercise of lesson 8: distances without a loop."""


def distances(distances, torch):
    p, q = torch.tensor([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]]), torch.tensor([[0.0, 0.0], [3.0, 0.0]])
    table = distances(p, q)
    yield "shape", isinstance(table, torch.Tensor) and table.shape == (3, 2), getattr(table, "shape", table), (3, 2)
    wanted = torch.tensor([[0.0, 3.0], [5.0, 4.0], [2**0.5, 5**0.5]])
    yield (
        "values",
        torch.allclose(table, wanted, atol=1e-5),
        table,
        wanted,
        "squared" if torch.allclose(table, wanted**2, atol=1e-4) else None,
    )
    yield "zero", distances(p, p).diagonal().abs().max().item() == 0, distances(p, p)
