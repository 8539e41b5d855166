"""What judges the exercise of lesson 5: one-hot vectors."""


def one_hot(one_hot, torch):
    target = torch.tensor([2, 0, 1, 1])
    table = one_hot(target, 4)
    yield "shape", isinstance(table, torch.Tensor) and table.shape == (4, 4), getattr(table, "shape", table)
    wanted = [[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    yield "ones", table.tolist() == wanted, table
    yield "kind", table.is_floating_point(), table.dtype
    yield "kept", target.tolist() == [2, 0, 1, 1], target
