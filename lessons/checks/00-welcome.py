"""What judges the exercise of lesson 0: doubling a tensor."""


def double(double, torch):
    t = torch.tensor([1.5, -2.0, 0.0])
    result = double(t)
    yield (
        "values",
        isinstance(result, torch.Tensor) and result.tolist() == [3.0, -4.0, 0.0],
        f"double(tensor([1.5, -2., 0.])) -> {result}",
        torch.tensor([3.0, -4.0, 0.0]),
        "nothing" if result is None else None,
    )
    yield "kept", t.tolist() == [1.5, -2.0, 0.0], t, torch.tensor([1.5, -2.0, 0.0])
