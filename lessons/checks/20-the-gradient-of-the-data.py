"""What judges the exercise of lesson 20: the gradients of a linear layer."""


def linear_layer(layer, torch):
    w = torch.tensor([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]])
    x, g = torch.tensor([1.0, 4.0, -2.0]), torch.tensor([0.5, 2.0])
    asking_w, asking_x = w.clone().requires_grad_(), x.clone().requires_grad_()
    (asking_w @ asking_x).backward(g)
    found = layer(w, x, g)
    yield (
        "w",
        found[0].shape == w.shape and torch.allclose(found[0], asking_w.grad),
        found[0],
        asking_w.grad,
        "turned" if found[0].shape == (3, 2) else None,
    )
    yield "x", found[1].shape == x.shape and torch.allclose(found[1], asking_x.grad), found[1], asking_x.grad
    yield "shapes", found[0].shape == w.shape and found[1].shape == x.shape, (found[0].shape, found[1].shape)
