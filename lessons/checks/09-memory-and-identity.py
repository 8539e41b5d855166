"""What judges the exercise of lesson 9: three questions about two tensors."""


def same(same, torch):
    x = torch.arange(6.0)
    yield "self", tuple(same(x, x)) == (True, True, True), same(x, x), (True, True, True)
    yield (
        "windows",
        tuple(same(x[:3], x[3:])) == (False, True, False),
        same(x[:3], x[3:]),
        (False, True, False),
        "addresses" if tuple(same(x[:3], x[3:])) == (False, False, False) else None,
    )
    copy = x.clone()
    yield "copy", tuple(same(x, copy)) == (False, False, True), same(x, copy), (False, False, True)
    yield "shapes", tuple(same(x, x.view(2, 3))) == (False, True, False), same(x, x.view(2, 3)), (False, True, False)
