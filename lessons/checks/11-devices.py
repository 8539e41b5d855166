"""What judges the exercise of lesson 11: a tensor made like another."""


def like(like, torch):
    t = torch.tensor([1, 2], dtype=torch.int16)
    made = like(t, [3, 4, 5])
    yield (
        "values",
        isinstance(made, torch.Tensor) and made.tolist() == [3, 4, 5],
        repr(made),
        repr(t.new_tensor([3, 4, 5])),
    )
    yield (
        "kind",
        made.dtype == torch.int16 and like(torch.zeros(1, dtype=torch.float64), [1]).dtype == torch.float64,
        made.dtype,
    )
    away = like(torch.ones(1, device="meta"), [1.0])  # a device without memory, which every computer has
    yield (
        "place",
        made.device == t.device and away.device.type == "meta",
        f'like(torch.ones(1, device="meta"), [1.]).device -> {away.device}',
        "meta",
        "here" if away.device.type == "cpu" else None,
    )
    asking = like(torch.ones(1, requires_grad=True), [1.0])
    yield "fresh", made is not t and not asking.requires_grad, asking
