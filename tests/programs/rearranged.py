"""torch.func.rearrange: dimensions by name, the Nodes that it leaves, and what it refuses."""

import warnings

import torch
from torch.func import rearrange

from tests.scenarios.show import attempt

# % rearranged-orders: dimensions in another order, split and joined
x = torch.arange(48.0).reshape(2, 4, 6)
for pattern, sizes in (
    ("a b c -> c a b", {}),
    ("a b c -> (a b) c", {}),
    ("a b c -> (c a) b", {}),
    ("a (b d) c -> a b c d", {"b": 2}),
    ("a (b d) c -> d (a b) c", {"d": 2}),
    ("a (b b1) (c c1) -> a b c b1 c1", {"b1": 2, "c1": 3}),
    ("... c -> c ...", {}),
    ("a b ... -> a (b ...)", {}),
    ("a b c -> 1 a () b c", {}),
    ("a b c->(a b c)", {}),
):
    y = rearrange(x, pattern, **sizes)
    print(pattern, tuple(y.shape), y.stride(), y._is_view(), y.flatten()[:7].tolist())
print(rearrange(x, "... -> ...") is x)
print(rearrange([x, x], "n a b c -> a (n b) c").shape, rearrange(torch.ones(3), "a -> 1 a").shape)
print(torch.vmap(lambda t: rearrange(t, "b c -> (c b)"))(x).shape)

# % rearranged-nodes: what is recorded, and gradients
x = torch.arange(6.0).reshape(2, 1, 3).clone().requires_grad_()
for pattern in (
    "a b c -> a b c",
    "a b c -> c a b",
    "a 1 c -> c a",
    "a 1 c -> (c a)",
    "a ... -> a ...",
    "a 1 c -> (a 1 c)",
):
    node = y = rearrange(x, pattern)
    names = []
    node = y.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    (grad,) = torch.autograd.grad((y * torch.arange(6.0).view_as(y)).sum(), x)
    print(pattern, names, grad.flatten().tolist())

# % rearranged-errors: patterns that are none, and sizes that do not fit
x = torch.arange(48.0).reshape(2, 4, 6)
for action in (
    lambda: rearrange(x, "a b -> b a"),
    lambda: rearrange(x, "a (b d) c -> a b c d"),
    lambda: rearrange(x, "a (b d) c -> a b c d", b=3),
    lambda: rearrange(x, "a (b d) c -> a b c d", b=2, d=3),
    lambda: rearrange(x, "a b c -> a b c", b=3),
    lambda: rearrange(x, "a b c -> a b"),
    lambda: rearrange(x, "a b c -> a b c", e=3),
    lambda: rearrange(x, "a b c -> a b c", b="4"),
    lambda: rearrange(x, "a b 2 -> a b 2"),
    lambda: rearrange(x, "a b 0 -> a b 0"),
    lambda: rearrange(x, "a b c"),
    lambda: rearrange(x, "a b c -> a (b (c))"),
    lambda: rearrange(x, "a b c -> a b c)"),
    lambda: rearrange(x, "a b c -> (a b c"),
    lambda: rearrange(x, "a b b -> a b"),
    lambda: rearrange(x, "a .. c -> a c"),
    lambda: rearrange(x, "... a ... -> ... a"),
    lambda: rearrange(x, "a b c -> a b ..."),
    lambda: rearrange(x, "a (... b) -> a b ..."),
    lambda: rearrange(x, "a b c d ... -> a b c d ..."),
    lambda: rearrange(x, "_a b c -> _a b c"),
    lambda: rearrange(x, "a b c- -> a b c"),
    lambda: rearrange(x, "1a b c -> 1a b c"),
    lambda: rearrange(x, "a b c -> a b c", **{"\u2026": 3}),
    lambda: rearrange(torch.ones(6), "(a b) -> a b", a=2),
    lambda: rearrange(torch.ones(4, 1, 5), "a 1 b -> b a 1"),
    lambda: rearrange(torch.ones(0, 3), "(a d) b -> a d b", d=0),
    lambda: rearrange(3, "a -> a"),
):
    attempt(action)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    rearrange(torch.ones(2, 3), "axis for -> for axis")
print(*sorted(f"{w.category.__name__}: {w.message}" for w in caught), sep="\n")
