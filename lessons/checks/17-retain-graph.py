"""What judges the exercise of lesson 17: two losses that share a part."""


def both_losses(both, torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    shared = (x * x).exp()
    walked = []
    shared.grad_fn.register_prehook(lambda grads: walked.append(1))
    first, second = shared.sum(), (shared * shared).mean()
    part = (x.detach() ** 2).exp()
    both(first, second)
    wanted = 2 * x.detach() * part * (1 + part)
    yield "sums", x.grad is not None and torch.allclose(x.grad, wanted, rtol=1e-4), x.grad, wanted
    yield "once", len(walked) == 1, len(walked), 1, "twice" if len(walked) == 2 else None
    try:
        first.backward()
        freed = False
    except RuntimeError:
        freed = True
    yield "freed", freed, freed
