"""Operators by namespace, as `torch.ops` gives them."""
