"""What judges the exercise of lesson 14: a derivative by hand."""


def _near(found, wanted):
    return abs(float(found) - float(wanted)) < 1e-6


def _slip(found, wanted, inner):
    """Which usual mistake a derivative of inner² is, if any."""
    if _near(found, wanted / 2):
        return "outer"
    return "inner" if _near(found, 2 * inner) else None


def by_hand(by_hand, torch):
    found = by_hand(2.0, 3.0)
    yield "pair", isinstance(found, (tuple, list)) and len(found) == 2, found, "(…, …)"
    for a, b in ((2.0, 3.0), (-1.0, 0.5), (0.0, 4.0)):
        w, x = torch.tensor(a, requires_grad=True), torch.tensor(b, requires_grad=True)
        ((w * x + 1) ** 2).backward()
        dw, dx = by_hand(a, b)
        right, call = (w.grad.item(), x.grad.item()), f"by_hand({a}, {b}) ="
        for key, one, wanted in (("dw", dw, right[0]), ("dx", dx, right[1])):
            yield key, _near(one, wanted), f"{call} {(dw, dx)}", f"{call} {right}", _slip(one, wanted, a * b + 1)
