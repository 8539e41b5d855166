"""What judges the exercise of lesson 14: a derivative by hand."""


def by_hand(by_hand, torch):
    found = by_hand(2.0, 3.0)
    yield "pair", isinstance(found, (tuple, list)) and len(found) == 2, found
    for a, b in ((2.0, 3.0), (-1.0, 0.5), (0.0, 4.0)):
        w, x = torch.tensor(a, requires_grad=True), torch.tensor(b, requires_grad=True)
        ((w * x + 1) ** 2).backward()
        dw, dx = by_hand(a, b)
        yield "dw", abs(float(dw) - w.grad.item()) < 1e-6, f"by_hand({a}, {b}) -> {dw}, {dx}"
        yield "dx", abs(float(dx) - x.grad.item()) < 1e-6, f"by_hand({a}, {b}) -> {dw}, {dx}"
