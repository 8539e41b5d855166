"""What judges the exercise of lesson 16: gradients zeroed by hand."""


def empty_gradients(empty, torch):
    def some():
        a, b = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
        (a * 3).backward()
        return a, b

    a, b = some()
    empty([a, b], True)
    yield "none", a.grad is None, a.grad, "None"
    a, b = some()
    place = a.grad
    empty([a, b], False)
    yield (
        "zeros",
        a.grad is not None and a.grad.tolist() == [0.0],
        a.grad,
        torch.tensor([0.0]),
        "thrown" if a.grad is None else None,
    )
    yield "place", a.grad is place, a.grad
    yield "absent", b.grad is None, b.grad
