"""What judges the exercise of lesson 7: contiguity, from shape and strides."""


def in_order(in_order, torch):
    def asks(t):
        return in_order(tuple(t.shape), t.stride())

    x = torch.arange(24).view(2, 3, 4)
    yield "plain", asks(x) is True and asks(torch.arange(5)) is True, asks(x), True
    yield (
        "turned",
        asks(x.transpose(0, 1)) is False and asks(torch.ones(2, 3).t()) is False,
        asks(torch.ones(2, 3).t()),
        False,
    )
    holed = [x[:, :, 0], torch.arange(6)[::2], x[:, :2]]
    shown = next((t for t in holed if asks(t) is not False), x[:, :, 0])
    yield (
        "gaps",
        all(asks(t) is False for t in holed),
        f"in_order({tuple(shown.shape)}, {shown.stride()}) -> {asks(shown)}",
        False,
        "sorted" if asks(x[:, :2]) else None,
    )
    yield (
        "ones",
        in_order((1, 3), (99, 1)) is True and in_order((3, 1), (1, 77)) is True,
        in_order((1, 3), (99, 1)),
        True,
        "length_one",
    )
