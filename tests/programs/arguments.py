"""Numbers that are complex where real ones are wanted, bools for sizes, tensors for integers, None for a tensor."""

import torch
import torch.nn.functional as F

from tests.scenarios.show import attempt

x, i = torch.ones(2, 2), torch.tensor([1, 2])
b = torch.tensor([True, False])

# % arguments-complex: real numbers are wanted
for action in (
    lambda: F.leaky_relu(x, 1j),
    lambda: F.leaky_relu(x.double(), 1j),
    lambda: F.leaky_relu_(x.clone(), 1j),
    lambda: F.elu(x, 1j),
    lambda: F.hardshrink(x, 1j),
    lambda: F.threshold(x, 1j, 0),
    lambda: F.threshold(x, 0, 1j),
    lambda: F.softplus(x, 1j),
    lambda: torch.addmm(x, x, x, alpha=1j),
    lambda: torch.addmv(x[0], x, x[0], beta=1j),
    lambda: torch.baddbmm(x[None], x[None], x[None], beta=1j),
    lambda: torch.dist(x, x, 1j),
    lambda: torch.renorm(x, 1j, 0, 1),
    lambda: torch.renorm(x, 2, 0, 1j),
):
    attempt(action)

# % arguments-bools: for sizes and dimensions
for action in (
    lambda: torch.broadcast_to(x, (True, 2)),
    lambda: x.permute(True, False),
    lambda: x.permute((True, False)),
    lambda: x.reshape(True),
    lambda: x.reshape(True, 4),
    lambda: x.reshape((True, 4)),
    lambda: x.view(True, 4),
    lambda: x.view((True, 4)),
    lambda: x.view(-1, True),
    lambda: x.expand(True, 2, 2),
    lambda: torch.movedim(x, True, False),
    lambda: torch.unflatten(x, 0, (True, 2)),
    lambda: x.unfold(0, True, 1),
    lambda: torch.narrow(x, 0, False, True),
    lambda: torch.diag(x[0], True),
    lambda: torch.swapaxes(x, True, False),
):
    attempt(action)

# % arguments-others: None for a dimension or a tensor, tensors for sizes of windows, bools for numbers
for action in (
    lambda: torch.squeeze(x, None),
    lambda: x.squeeze(None),
    lambda: x.squeeze(dim=None),
    lambda: torch.bmm(x, None),
    lambda: F.max_pool1d(x, torch.tensor(1)),
    lambda: F.max_pool2d(x[None], (torch.tensor(1), torch.tensor([2]))),
    lambda: F.avg_pool1d(x, torch.tensor(2)),
    lambda: torch.isin(x, True),
    lambda: torch.isin(True, i),
    lambda: torch.isin(x, 1j),
    lambda: torch.ldexp(x, b),
    lambda: x.clone().ldexp_(b),
    lambda: torch.ldexp(i, b),
):
    attempt(action)
