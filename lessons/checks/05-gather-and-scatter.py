"""What judges the exercise of lesson 5: one-hot vectors."""


def one_hot(one_hot, torch):
    target = torch.tensor([2, 0, 1, 1])
    table = one_hot(target, 4)
    wide = one_hot(torch.tensor([1, 0]), 5)
    yield (
        "shape",
        isinstance(table, torch.Tensor) and table.shape == (4, 4) and wide.shape == (2, 5),
        f"one_hot(tensor([1, 0]), 5).shape -> {getattr(wide, 'shape', wide)}",
        (2, 5),
    )
    wanted = [[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    yield (
        "ones",
        table.tolist() == wanted,
        table,
        torch.tensor(wanted),
        "turned" if table.t().tolist() == wanted else None,
    )
    yield "kind", table.is_floating_point(), table.dtype, "torch.float32"
    yield "kept", target.tolist() == [2, 0, 1, 1], target
