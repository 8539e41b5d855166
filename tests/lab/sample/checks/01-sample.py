"""Checks of the sample: each yields (property, whether it holds, what was found)."""


def zero_it(zero, torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    before = w.grad
    zero(w)
    yield "zeros", w.grad is not None and not w.grad.any(), w.grad
    yield "same", w.grad is before
