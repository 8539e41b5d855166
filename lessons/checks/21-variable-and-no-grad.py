"""What judges the exercise of lesson 21: an old function in today's words."""

import warnings


def evaluate(evaluate, torch):
    w, x = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    saved = []

    def pack(t):
        saved.append(t)
        return t

    # a product that is recorded saves its factors, and these hooks see it
    with warnings.catch_warnings(record=True) as caught, torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        warnings.simplefilter("always")
        found = evaluate(w, x)
    yield (
        "value",
        type(found) is float and found == 11.0,
        found,
        11.0,
        "tensor" if isinstance(found, torch.Tensor) else None,
    )
    yield "unrecorded", not saved, len(saved)
    yield "recording", torch.is_grad_enabled() and (w * x).requires_grad, torch.is_grad_enabled()
    yield "silent", not caught, [str(w.message)[:40] for w in caught]
