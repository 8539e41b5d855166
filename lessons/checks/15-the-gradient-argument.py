"""What judges the exercise of lesson 15: one row of a Jacobian."""


def row(row, torch):
    v = torch.tensor([1.0, 2.0, 3.0])
    found = row(lambda t: t**2, v, 0)
    yield (
        "first",
        isinstance(found, torch.Tensor) and found.tolist() == [2.0, 0.0, 0.0],
        found,
        torch.tensor([2.0, 0.0, 0.0]),
        "ones" if isinstance(found, torch.Tensor) and found.tolist() == [2.0, 4.0, 6.0] else None,
    )
    found = row(lambda t: torch.stack([t.sum(), t[0] * t[2]]), v, 1)
    yield "mixed", found.tolist() == [3.0, 0.0, 1.0], found, torch.tensor([3.0, 0.0, 1.0])
    yield "kept", not v.requires_grad and v.grad is None and v.tolist() == [1.0, 2.0, 3.0], v
