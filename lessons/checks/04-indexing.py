"""What judges the exercise of lesson 4: outliers clipped by a mask."""


def clip(clip, torch):
    a = torch.tensor([1.0, 7.0, -3.0, 4.5])
    result = clip(a, 4.0)
    yield (
        "values",
        isinstance(result, torch.Tensor) and result.tolist() == [1.0, 4.0, -3.0, 4.0],
        result,
        torch.tensor([1.0, 4.0, -3.0, 4.0]),
    )
    yield (
        "kept",
        a.tolist() == [1.0, 7.0, -3.0, 4.5] and clip(a, 9.0).data_ptr() != a.data_ptr(),
        a,
        torch.tensor([1.0, 7.0, -3.0, 4.5]),
        "written" if result is a or a.tolist() == result.tolist() else None,
    )
    table = clip(torch.tensor([[9, 1], [2, 8]]), 5)
    yield "dims", table.tolist() == [[5, 1], [2, 5]], table, torch.tensor([[5, 1], [2, 5]])
