"""Tensors that no memory has room for."""

import torch

from tests.scenarios.show import attempt

N = 10**15
big = torch.ones(1).expand(N)
x = torch.ones(3)

# % oversized-new: made
for make in (
    lambda: torch.empty(N),
    lambda: torch.zeros(N, requires_grad=True),
    lambda: torch.ones(N, dtype=torch.int64),
    lambda: torch.full((N,), 3.0),
    lambda: torch.rand(N),
    lambda: torch.randn((N,), generator=torch.Generator()),
    lambda: torch.randperm(N),
    lambda: torch.arange(N),
    lambda: torch.eye(10**8),
    lambda: torch.empty_strided((2,), (N,)),
    lambda: torch.zeros_like(big),
    lambda: torch.full_like(big, 2),
    lambda: torch.rand_like(big),
    lambda: torch.randint_like(big, 3),
    lambda: x.new_empty(N),
    lambda: x.new_full((N,), 1),
    lambda: torch.Tensor(N),
    lambda: torch.UntypedStorage(N),
    lambda: x.clone().resize_(N),
    lambda: torch.nn.Linear(10**8, 10**8),
):
    attempt(make)

# % oversized-results: computed
for action in (
    lambda: big + 1,
    lambda: big.mul(torch.ones(1, requires_grad=True)),
    lambda: big > 0,
    lambda: big.exp(),
    lambda: big.relu(),
    lambda: big.clone(),
    lambda: big.double(),
    lambda: big.flip(0),
    lambda: big.softmax(0),
    lambda: x.repeat(N),
    lambda: torch.cat([big, big]),
    lambda: torch.stack([big]),
    lambda: torch.ones(1).expand(10**8, 1) + torch.ones(1).expand(1, 10**8),
    lambda: torch.ones(1, 1).expand(10**8, 1) @ torch.ones(1, 1).expand(1, 10**8),
    lambda: torch.nn.functional.dropout(big),
    lambda: torch.normal(0.0, 1.0, (N,)),
):
    attempt(action)
