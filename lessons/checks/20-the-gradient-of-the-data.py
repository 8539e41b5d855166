"""What judges the exercise of lesson 20: the gradients of a linear layer."""


def linear_layer(layer, torch):
    w = torch.tensor([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]])
    x, g = torch.tensor([1.0, 4.0, -2.0]), torch.tensor([0.5, 2.0])
    asking_w, asking_x = w.clone().requires_grad_(), x.clone().requires_grad_()
    (asking_w @ asking_x).backward(g)
    found = layer(w, x, g)
    yield "w", torch.allclose(found[0], asking_w.grad), found[0]
    yield "x", torch.allclose(found[1], asking_x.grad), found[1]
    yield "shapes", found[0].shape == w.shape and found[1].shape == x.shape, (found[0].shape, found[1].shape)
