"""A program as a learner writes it; test_stubs.py type-checks it, and runs it."""

from __future__ import annotations

from typing import assert_type

import autogradlab as torch
from autogradlab import nn, optim
from autogradlab.nn import functional as F

w = torch.tensor([1.0], requires_grad=True)
(w * 2).sum().backward()
assert_type(w, torch.Tensor)
assert_type(w.grad, torch.Tensor | None)
assert_type(w * 2, torch.Tensor)
assert_type(2 * w - w / 3 + w**2, torch.Tensor)
assert_type(w == 1, torch.Tensor)
assert_type(w.shape, torch.Size)
assert_type(w.dtype, torch.dtype)
assert_type(w.is_leaf, bool)
assert_type(w[0], torch.Tensor)
assert_type((w * 2).sum(), torch.Tensor)
assert_type(w.detach().add_(1), torch.Tensor)
assert_type(w.max(), torch.Tensor)
assert_type(w.max(dim=0).indices, torch.Tensor)
assert_type(torch.zeros(2, 3), torch.Tensor)
assert_type(torch.zeros((2, 3), dtype=torch.float64), torch.Tensor)
assert_type(torch.sort(w).values, torch.Tensor)
assert_type(torch.gather(w, 0, torch.tensor([0])), torch.Tensor)
assert_type(torch.split(w, 1), tuple[torch.Tensor, ...])
assert_type(torch.equal(w, w), bool)
assert_type(torch.pi, float)
assert_type(torch.linalg.eigh(torch.eye(2)).eigenvalues, torch.Tensor)
assert_type(torch.linalg.inv(torch.eye(2)), torch.Tensor)
assert_type(torch.fft.fft(torch.ones(4)), torch.Tensor)
assert_type(torch.special.entr(w), torch.Tensor)
assert_type(F.relu(w), torch.Tensor)

x = torch.randn(3, 4)
y = torch.cat([x, x], dim=1).mean(0)
torch.where(x > 0, x, 0.0).clamp(min=0.5).std(dim=0)
torch.einsum("ij,kj->ik", x, x) @ x
x.permute(1, 0).contiguous().view(-1).tolist()
x.to("cpu").to(torch.float64).to(device="cpu")
x.sum(1, keepdim=True).reshape(-1).argmax(dim=0)
(torch.arange(3), torch.arange(0, 3), torch.linspace(0, 1, 5), torch.full((2,), 3.0), x.topk(2), x.norm())


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 2), nn.ReLU(), nn.Linear(2, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.layers(x)
        return result


model = Model()
optimizer = optim.SGD(model.parameters(), lr=0.1)
schedule = optim.lr_scheduler.StepLR(optimizer, 1)
data = torch.utils.data.TensorDataset(x, torch.ones(3, 1))
for inputs, targets in torch.utils.data.DataLoader(data, batch_size=2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
schedule.step()
with torch.no_grad():
    w -= 0.1
