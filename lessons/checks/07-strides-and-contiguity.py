"""What judges the exercise of lesson 7: contiguity, from shape and strides."""


def in_order(in_order, torch):
    def asks(t):
        return in_order(tuple(t.shape), t.stride())

    x = torch.arange(24).view(2, 3, 4)
    yield "plain", asks(x) is True and asks(torch.arange(5)) is True, asks(x), True

    def refused(name, tensors, mistake=None):
        shown = next((t for t in tensors if asks(t) is not False), tensors[0])
        found = asks(shown)
        return name, found is False, f"in_order({tuple(shown.shape)}, {shown.stride()}) -> {found}", False, mistake

    yield refused("turned", [torch.ones(2, 3).t(), x.transpose(0, 1)])
    yield refused("gaps", [x[:, :, 0], torch.arange(6)[::2], x[:, :2]], "sorted" if asks(x[:, :2]) else None)
    yield (
        "ones",
        in_order((1, 3), (99, 1)) is True and in_order((3, 1), (1, 77)) is True,
        in_order((1, 3), (99, 1)),
        True,
        "length_one",
    )
