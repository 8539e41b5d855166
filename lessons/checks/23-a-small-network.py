"""What judges the exercise of lesson 23: a training from memory."""


def fit(fit, x, t, torch):
    model = fit(x, t, 300)
    parameters = list(model.parameters()) if isinstance(model, torch.nn.Module) else []
    yield "model", len(parameters) == 4, model
    with torch.no_grad():
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), t).item()
    yield "loss", loss < 0.3, loss, "< 0.3", "untrained" if loss > 0.6 else None
    yield "leaves", all(p.is_leaf and p.requires_grad for p in parameters), [p.is_leaf for p in parameters]
    yield "empty", all(p.grad is None for p in parameters), [p.grad is None for p in parameters]
