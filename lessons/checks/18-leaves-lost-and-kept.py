"""What judges the exercise of lesson 18: gradient descent, mended."""


def descend(descend, torch):
    start = torch.tensor(0.0, requires_grad=True)
    found = descend(start, 4)
    yield "same", found is start, found, start, "rebound" if found is not start and found is not None else None
    yield "leaf", start.is_leaf and start.requires_grad, start
    yield "value", start.item() == 3.75, start, 3.75, "adding" if start.item() > 3.75 else None
    yield "empty", start.grad is None, start.grad
