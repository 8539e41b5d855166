"""Small trainings and models, as tutorials write them."""

import collections
import math
import random

import numpy as np
import torch
from torch import nn

from tests.scenarios.show import attempt, caught

# % training-polynomial: sine fitted by a cubic, by hand
x = torch.linspace(-math.pi, math.pi, 50)
y = torch.sin(x)
a, b, c, d = (torch.tensor(v, requires_grad=True) for v in (0.1, 0.2, -0.1, 0.05))
for step in range(60):
    loss = (a + b * x + c * x**2 + d * x**3 - y).pow(2).mean()
    if step % 20 == 0:
        print(step, f"{loss.item():.4f}", loss)
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 1e-3 * p.grad
            p.grad = None
print(*(f"{p.item():.4f}" for p in (a, b, c, d)))

# % training-optimizers: the same three steps with several optimizers
makers = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "decay": lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.1),
    "adam": lambda p: torch.optim.Adam(p, lr=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.1),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
}
for name, make in makers.items():
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    optimizer = make([w])
    for _ in range(3):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
    print(name, w, w.grad)
print(torch.optim.SGD([w], lr=0.1))
for action in (
    lambda: torch.optim.SGD([], lr=0.1),
    lambda: torch.optim.SGD([w * 2], lr=0.1),
    lambda: torch.optim.SGD(w, lr=0.1),
    lambda: torch.optim.SGD([w], lr=-1),
    lambda: torch.optim.SGD([3.0], lr=0.1),
):
    with caught():
        action()


# % training-module: parameters, state_dict, train and eval, printing
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 2, bias=False)
        self.register_buffer("scale", torch.tensor(2.0))
        self.gain = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.second(torch.relu(self.first(x))) * self.gain * self.scale


torch.manual_seed(1)
net = Net()
print(net)
for name, p in net.named_parameters():
    print(name, tuple(p.shape), p.requires_grad, p.is_leaf)
print(list(net.state_dict()), sum(p.numel() for p in net.parameters()), net.training, net.eval().training)
out = net(torch.ones(1, 3))
print(out.shape, out.grad_fn.name(), out)
net.first.requires_grad_(False)
net(torch.ones(1, 3)).sum().backward()
print([p.grad is None for p in net.parameters()], net.gain.grad)
net.zero_grad()
print(net.gain.grad)
with caught():
    net(torch.ones(1, 5))
with caught():
    net.third
with caught(first_line=True):
    net.load_state_dict({})

# % training-losses: functional losses and their gradients
from torch.nn import functional as F  # noqa: E402

scores = torch.tensor([[1.0, 2.0, 0.5], [0.1, 0.2, 3.0]], requires_grad=True)
target = torch.tensor([1, 2])
for name, make in {
    "cross_entropy": lambda: F.cross_entropy(scores, target),
    "nll": lambda: F.nll_loss(F.log_softmax(scores, dim=1), target),
    "mse": lambda: F.mse_loss(scores, torch.zeros(2, 3)),
    "l1": lambda: F.l1_loss(scores, torch.ones(2, 3)),
    "bce": lambda: F.binary_cross_entropy(torch.sigmoid(scores), torch.ones(2, 3)),
    "bce logits": lambda: F.binary_cross_entropy_with_logits(scores, torch.ones(2, 3)),
    "smooth": lambda: F.smooth_l1_loss(scores, torch.zeros(2, 3)),
    "sum": lambda: F.mse_loss(scores, torch.zeros(2, 3), reduction="sum"),
    "broadcast": lambda: F.mse_loss(scores, torch.zeros(3)),
}.items():
    scores.grad = None
    loss = make()
    loss.backward()
    print(name, loss, scores.grad)
with caught():
    F.cross_entropy(scores, torch.tensor([1, 5]))
with caught():
    F.cross_entropy(scores, torch.tensor([1, 2, 0]))
with caught():
    F.mse_loss(scores, torch.zeros(2, 4))

# % training-classifier: seeded data, a small network, accuracy
torch.manual_seed(0)
points = torch.randn(40, 2)
labels = (points[:, 0] * points[:, 1] > 0).long()
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
losses = []
for _ in range(30):
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(net(points), labels)
    loss.backward()
    optimizer.step()
    losses.append(round(loss.item(), 2))
print(losses[0], losses[-1] < losses[0], labels.sum())
print(net, points[:2])

# % training-frozen-and-clipped: part of a model without gradients, and clipped ones
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
for p in net[0].parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=1.0)
loss = (net(torch.ones(3, 2)) - 5).pow(2).sum()
loss.backward()
print([None if p.grad is None else tuple(p.grad.shape) for p in net.parameters()])
total = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
after = torch.sqrt(sum((p.grad**2).sum() for p in net.parameters() if p.grad is not None))
print(total > 1, f"{after.item():.3f}", loss.grad_fn.name())

# % training-truncated-time: detach between steps, and the error without it
for cut in (True, False):
    w, state = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0)
    with caught(f"detached: {cut}"):
        for _ in range(3):
            state = torch.tanh(w * (state.detach() if cut else state) + 1)
            state.backward()
            print(w.grad)

# % training-stop-gradient: detach, no_grad and item inside of a loss
x = torch.tensor([1.0, 2.0], requires_grad=True)
for name, make in {
    "all": lambda: (x * x).sum(),
    "detach": lambda: (x * x.detach()).sum(),
    "clone": lambda: (x * x.clone()).sum(),
    "item": lambda: x.sum() * x[0].item(),
    "numpy": lambda: (x * torch.from_numpy(x.detach().numpy())).sum(),
}.items():
    x.grad = None
    loss = make()
    loss.backward()
    print(name, loss, x.grad)
with caught():
    x.numpy()
with caught():
    torch.tensor(x * 2).sum().backward()
with caught():
    print(torch.tensor(x), x.new_tensor(x))


# % training-workers: what workers of a DataLoader have of their own
class Noise(torch.utils.data.Dataset):
    seen = 0

    def __len__(self):
        return 5

    def __getitem__(self, i):
        info = torch.utils.data.get_worker_info()
        self.seen += 1
        drawn = torch.rand(1).item(), random.random(), np.random.rand()
        return i, *drawn, -1 if info is None else info.id, torch.initial_seed() % 1000


class Share(torch.utils.data.IterableDataset):
    def __init__(self, n):
        self.start, self.end = 0, n

    def __iter__(self):
        return iter(range(self.start, self.end))


def divide(worker_id):
    info = torch.utils.data.get_worker_info()
    share = info.dataset
    each = (share.end - share.start) // info.num_workers
    share.start, share.end = share.start + worker_id * each, share.start + (worker_id + 1) * each


for count, options in (0, {}), (2, {}), (2, {"batch_size": 2}), (2, {"persistent_workers": True, "shuffle": True}):
    torch.manual_seed(3)
    data = Noise()
    random.seed(0), np.random.seed(0)
    loader = torch.utils.data.DataLoader(data, num_workers=count, **options)
    for _ in range(2):
        for batch in loader:
            print([part.tolist() for part in batch])
    print(data.seen, torch.rand(1), random.random(), np.random.rand(), torch.utils.data.get_worker_info())
for count in 1, 2:
    share = Share(8)
    loader = torch.utils.data.DataLoader(share, num_workers=count, worker_init_fn=divide, batch_size=2)
    print([batch.tolist() for batch in loader], share.start, share.end)
    print(list(torch.utils.data.DataLoader(Share(3), num_workers=count, batch_size=None)))


class Broken(Noise):
    def __getitem__(self, i):
        raise {0: KeyError, 1: ValueError}[i]("no sample")


for first in 0, 1:
    try:
        list(torch.utils.data.DataLoader(Broken(), sampler=[first], num_workers=1))
    except (KeyError, ValueError) as error:
        print(type(error).__name__, str(error).splitlines()[:2], str(error).splitlines()[-1])
for count, context in (0, "fork"), (1, "bad"):
    attempt(lambda n=count, c=context: torch.utils.data.DataLoader(Noise(), num_workers=n, multiprocessing_context=c))
stack = torch.utils.data.StackDataset(a=[1, 2, 3], b=torch.utils.data.Subset(["x", "y", "z"], [2, 1, 0]))
print(stack.__getitems__([0, 2]), list(torch.utils.data.DataLoader(stack, batch_size=2)))
print(torch.utils.data.default_collate([collections.defaultdict(int, a=1), {"a": 2}]), torch.utils.data.DataLoader[int])
print(torch.utils.data.default_convert(range(2)), torch.utils.data.default_collate([range(2), range(2)]))

# % training-groups-without-names: what is wrong with a group of parameters, in PyTorch's order
w, b = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(1))
for groups in ([("w", w), ("b", b)], [w, b]):
    opt = torch.optim.SGD(groups, lr=0.1)
    for more in ([w], [("w", w)], [torch.nn.Parameter(torch.ones(1))]):
        attempt(lambda more=more, opt=opt: opt.add_param_group({"params": more}))


# % training-written-states: how often optimizers have written to their states; a leaf that is a view is called one
def loss(p, optimizer):
    optimizer.zero_grad()
    value = (p**4).sum()
    value.backward()
    return value


p = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))
optimizer = torch.optim.LBFGS([p], max_iter=3)
for _ in range(2):
    optimizer.step(lambda: loss(p, optimizer))
    state = optimizer.state_dict()["state"][0]
    print([(name, value._version) for name, value in state.items() if isinstance(value, torch.Tensor)])
p = torch.nn.Parameter(torch.tensor([1.0, -2.0], dtype=torch.bfloat16))
optimizer = torch.optim.LBFGS([p], max_iter=3)
optimizer.step(lambda: loss(p, optimizer))
state = optimizer.state_dict()["state"][0]
print(state["H_diag"].dtype, [value.dtype for value in state["al"] if value is not None])
for maximize in (False, True):
    for foreach in (False, True):
        p = torch.ones(3, requires_grad=True)
        optimizer = torch.optim.Rprop([p], maximize=maximize, foreach=foreach)
        p.grad = torch.ones(3)
        optimizer.step()
        print([(name, value._version) for name, value in optimizer.state[p].items()])
for p in (torch.ones(4).reshape(2, 2).requires_grad_(), torch.ones(2, 2).requires_grad_()):
    p.grad = torch.ones(2, 2)
    try:
        torch.optim.SGD([p], lr=0.1, differentiable=True).step()
    except RuntimeError as error:
        print(error)
