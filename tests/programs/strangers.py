"""Programs as strangers write them: small tutorials, and the mistakes that are made in them."""

# ruff: noqa: B007, B905, C408, E402, E711, E741, UP031

import copy
import math
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from tests.scenarios.show import attempt


def t(call, *args, **kwargs):
    attempt(lambda: call(*args, **kwargs))


# % stranger-linear-by-hand: a line fitted by hand
torch.manual_seed(42)
X = torch.linspace(-3, 3, 50).unsqueeze(1)
y = 2.5 * X - 1.2 + 0.3 * torch.randn(50, 1)
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.05
for epoch in range(40):
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad
        w.grad.zero_()
        b.grad.zero_()
    if epoch % 10 == 0:
        print(f"epoch {epoch:3d} loss {loss.item():.5f} w {w.item():.4f} b {b.item():.4f}")
print(w, b, loss)
print("R2:", (1 - ((X @ w + b - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()).item())


# % stranger-spirals: a classifier of spirals, with loaders and a schedule
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)


def spirals(n):
    t = torch.sqrt(torch.rand(n)) * 3 * math.pi
    d1 = torch.stack([-torch.cos(t) * t, torch.sin(t) * t], 1) + torch.rand(n, 2)
    return torch.cat([d1, -d1]) / 10, torch.cat([torch.zeros(n), torch.ones(n)]).long()


ds = TensorDataset(*spirals(60))
train, test = random_split(ds, [100, 20], generator=torch.Generator().manual_seed(1))
print(len(train), train.indices[:5], ds[3])
model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
print(model)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
opt = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-4)
print(opt)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=5, gamma=0.5)
crit = nn.CrossEntropyLoss(label_smoothing=0.1)
for ep in range(12):
    model.train()
    tot = 0.0
    for xb, yb in DataLoader(train, batch_size=16, shuffle=True, drop_last=True):
        opt.zero_grad()
        l = crit(model(xb), yb)
        l.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        tot += l.item() * len(xb)
    sched.step()
    if ep % 4 == 3:
        model.eval()
        with torch.no_grad():
            acc = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, batch_size=8)) / len(test)
        print(ep, round(tot / 96, 4), acc, sched.get_last_lr())
for n, p in model.named_parameters():
    print(n, tuple(p.shape), f"{p.grad.norm():.3f}")
print(opt.state_dict()["param_groups"], list(opt.state_dict()["state"][0]))


# % stranger-small-cnn: a convolutional network and its mistakes
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3, stride=2)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout2d(0.25)
        self.fc = nn.Linear(8 * 3 * 3, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.bn(self.conv1(x))))
        x = F.relu(self.conv2(x))
        x = self.drop(x)
        x = torch.flatten(x, 1)
        return F.log_softmax(self.fc(x), dim=1)


torch.manual_seed(1)
net = Net()
print(net)
x = torch.randn(6, 1, 16, 16)
y = torch.randint(0, 10, (6,))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
shapes = {}
hs = [
    m.register_forward_hook(lambda m, i, o, n=n: shapes.__setitem__(n, tuple(o.shape)))
    for n, m in net.named_modules()
    if n
]
for i in range(5):
    opt.zero_grad(set_to_none=True)
    out = net(x)
    loss = F.nll_loss(out, y)
    loss.backward()
    opt.step()
    print(i, f"{loss.item():.4f}")
[h.remove() for h in hs]
print(shapes)
net.eval()
print(net.bn.running_mean, net.bn.num_batches_tracked)
print(list(net.state_dict().keys()))
try:
    net.fc(torch.randn(2, 5))
except RuntimeError as e:
    print(e)
try:
    net(torch.randn(2, 3, 16, 16))
except RuntimeError as e:
    print(e)
try:
    net(torch.randn(1, 1, 16, 8))
except RuntimeError as e:
    print(e)
print(net.load_state_dict(torch.nn.Module.state_dict(net)))
sd = net.state_dict()
del sd["fc.bias"]
sd["extra"] = torch.ones(1)
try:
    net.load_state_dict(sd)
except RuntimeError as e:
    print(e)
print(net.load_state_dict(sd, strict=False))


# % stranger-char-rnn: letters by a recurrent network
text = "hello world, hello autograd. "
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])


class CharRNN(nn.Module):
    def __init__(self, n, h=24):
        super().__init__()
        self.emb = nn.Embedding(n, 8)
        self.rnn = nn.GRU(8, h, batch_first=True, num_layers=2)
        self.out = nn.Linear(h, n)

    def forward(self, x, h=None):
        e = self.emb(x)
        o, h = self.rnn(e, h)
        return self.out(o), h


torch.manual_seed(3)
m = CharRNN(len(chars))
opt = torch.optim.AdamW(m.parameters(), 1e-2)
for step in range(30):
    x, y = data[:-1][None], data[1:][None]
    logits, h = m(x)
    loss = F.cross_entropy(logits.view(-1, len(chars)), y.view(-1))
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(m.parameters(), 0.5)
    opt.step()
    if step % 10 == 0:
        print(step, f"{loss.item():.3f}")
print(logits.shape, h.shape, h.grad_fn, logits.grad_fn)


@torch.no_grad()
def sample(n):
    i = torch.tensor([[stoi["h"]]])
    h = None
    s = "h"
    for _ in range(n):
        l, h = m(i, h)
        i = l[:, -1].argmax(-1, keepdim=True)
        s += chars[i.item()]
    return s


print(sample(12))
print(m)


# % stranger-packed: packed sequences
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
seqs = [torch.randn(n, 3) for n in (5, 3, 2)]
p = pad_sequence(seqs, batch_first=True)
print(p.shape, p[2, 2:])
pk = pack_padded_sequence(p, torch.tensor([5, 3, 2]), batch_first=True)
print(pk.batch_sizes, pk.data.shape, type(pk).__name__)
lstm = nn.LSTM(3, 4, bidirectional=True, batch_first=True)
o, (h, c) = lstm(pk)
print(type(o).__name__)
u, l = pad_packed_sequence(o, batch_first=True)
print(u.shape, l, h.shape, c.sum())
u.sum().backward()
print(lstm.weight_hh_l0.grad.norm(), [n for n, _ in lstm.named_parameters()])
print(pack_sequence(seqs).data.shape)
try:
    pack_padded_sequence(p, torch.tensor([2, 3, 5]), batch_first=True)
except RuntimeError as e:
    print(e)
print(pack_padded_sequence(p, torch.tensor([2, 3, 5]), batch_first=True, enforce_sorted=False))
try:
    lstm(torch.randn(2, 3, 7))
except RuntimeError as e:
    print(e)
print(nn.LSTMCell(3, 2)(torch.ones(1, 3)))
print(nn.RNN(2, 2, nonlinearity="relu"))


# % stranger-vae: a variational autoencoder
torch.manual_seed(5)


class VAE(nn.Module):
    def __init__(self, d=8, h=16, z=2):
        super().__init__()
        self.enc = nn.Linear(d, h)
        self.mu = nn.Linear(h, z)
        self.lv = nn.Linear(h, z)
        self.d1 = nn.Linear(z, h)
        self.d2 = nn.Linear(h, d)

    def encode(self, x):
        h = F.relu(self.enc(x))
        return self.mu(h), self.lv(h)

    def reparam(self, mu, lv):
        std = torch.exp(0.5 * lv)
        eps = torch.randn_like(std)
        return mu + eps * std

    def forward(self, x):
        mu, lv = self.encode(x)
        z = self.reparam(mu, lv)
        return torch.sigmoid(self.d2(F.relu(self.d1(z)))), mu, lv


def elbo(r, x, mu, lv):
    return F.binary_cross_entropy(r, x, reduction="sum") - 0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())


x = (torch.rand(32, 8) > 0.5).float()
v = VAE()
opt = torch.optim.RMSprop(v.parameters(), lr=5e-3)
for e in range(6):
    opt.zero_grad()
    l = elbo(*[v(x)[0]] + [x] + list(v.encode(x)))
    l.backward()
    opt.step()
    print(e, f"{l.item() / 32:.4f}")
try:
    F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0]))
except RuntimeError as e:
    print(e)


# % stranger-gan: two networks against each other
torch.manual_seed(11)
G = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Linear(16, 1))


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_normal_(m.weight)
        nn.init.constant_(m.bias, 0.01)


G.apply(init)
D.apply(init)
bce = nn.BCEWithLogitsLoss()
og = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.999))
od = torch.optim.Adam(D.parameters(), 1e-3, betas=(0.5, 0.999))
for it in range(5):
    real = torch.randn(16, 2) * 0.5 + 2
    fake = G(torch.randn(16, 4))
    ld = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    od.zero_grad()
    ld.backward()
    od.step()
    lg = bce(D(fake), torch.ones(16, 1))
    og.zero_grad()
    lg.backward()
    og.step()
    print(f"[{it}] D {ld.item():.4f} G {lg.item():.4f}")
print(G[0].weight.grad.abs().mean())
print(D)
try:
    bce(torch.ones(2), torch.ones(2, 1))
except ValueError as e:
    print(e)


# % stranger-own-functions: Functions of one's own
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta=1.0):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s)
        ctx.beta = beta
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        return g * (s + ctx.beta * x * s * (1 - s)), None


x = torch.linspace(-2, 2, 5, dtype=torch.double, requires_grad=True)
y = Swish.apply(x, 2.0)
print(y, y.grad_fn)
y.sum().backward()
print(x.grad)
print(torch.autograd.gradcheck(lambda t: Swish.apply(t, 2.0), x))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        return g * 2


try:
    torch.autograd.gradcheck(Wrong.apply, x)
except Exception as e:
    print(type(e).__name__, str(e)[:150])


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-1, 1)


w = torch.tensor([0.3, -0.2], requires_grad=True)
l = (Sign.apply(w) - torch.tensor([1.0, 1.0])).pow(2).sum()
l.backward()
print(w.grad)


# % stranger-hooks-debugging: looking into a model by hooks
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.Linear(4, 4), nn.Sigmoid(), nn.Linear(4, 1))
acts, grads = {}, {}
for n, m in model.named_children():
    m.register_forward_hook(lambda m, i, o, n=n: acts.update({n: (o.mean().item(), o.std().item())}))
    m.register_full_backward_hook(lambda m, gi, go, n=n: grads.update({n: (gi[0] is None, go[0].norm().item())}))
x = torch.randn(8, 3)
model(x).sum().backward()
for n in acts:
    print(n, "%.4f %.4f" % acts[n], grads[n][0], round(grads[n][1], 4))
h = model[2].weight.register_hook(lambda g: g.clamp(max=0.01))
model.zero_grad()
model(x).sum().backward()
print(model[2].weight.grad.max())
h.remove()


def pre(m, args):
    print(type(m).__name__, len(args))
    return (args[0] * 2,)


hh = model[4].register_forward_pre_hook(pre)
model(x)
hh.remove()


def kw(m, args, kwargs, out):
    print(kwargs)
    return out


class K(nn.Module):
    def forward(self, x, *, scale=1):
        return x * scale


k = K()
k.register_forward_hook(kw, with_kwargs=True)
k(torch.ones(1), scale=3)
k.register_forward_pre_hook(lambda m, a, kw: (a, {"scale": 10}), with_kwargs=True)
print(k(torch.ones(1), scale=3))
model[0].register_full_backward_pre_hook(lambda m, g: (g[0] * 0,))
model.zero_grad()
model(x).sum().backward()
print(model[0].weight.grad.abs().sum())
t(model[0].register_backward_hook, lambda m, gi, go: None)


# % stranger-checkpointing: checkpoints
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(0)
calls = []


class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.d = nn.Dropout(0.5)

    def forward(self, x):
        calls.append(1)
        return torch.relu(self.d(self.l(x)))


b = nn.Sequential(*[B() for _ in range(3)])
x = torch.randn(2, 4, requires_grad=True)
y = checkpoint(b, x, use_reentrant=False)
y.sum().backward()
print(len(calls), x.grad)
x.grad = None
calls.clear()
y = checkpoint(b, x, use_reentrant=True)
y.sum().backward()
print(len(calls), x.grad)
y = checkpoint_sequential(b, 2, x, use_reentrant=False)
print(y.grad_fn)
y.sum().backward()
y = checkpoint(b, x)
try:
    checkpoint(b, x, use_reentrant=True, foo=1)
except Exception as e:
    print(type(e).__name__, e)


# % stranger-maml: learning to learn with functional transforms
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    jacrev,
    stack_module_state,
    vjp,
    vmap,
)

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
params = dict(net.named_parameters())


def loss_fn(p, x, y):
    return F.mse_loss(functional_call(net, p, (x,)), y)


def inner(p, x, y, lr=0.1):
    g = grad(loss_fn)(p, x, y)
    return {k: p[k] - lr * g[k] for k in p}


def task(a):
    x = torch.linspace(-1, 1, 6)[:, None]
    return x, torch.sin(a * x)


meta = torch.optim.Adam(net.parameters(), 1e-2)
for it in range(4):
    total = 0
    for a in (1.0, 2.0, 3.0):
        x, y = task(a)
        total = total + loss_fn(inner(params, x, y), x, y)
    meta.zero_grad()
    total.backward()
    meta.step()
    print(it, f"{total.item():.5f}")
x, y = task(2.0)
pg = vmap(grad(loss_fn), in_dims=(None, 0, 0))(params, x, y)
print({k: tuple(v.shape) for k, v in pg.items()})
print(jacrev(torch.sin)(torch.ones(2)))
v, f = vjp(torch.sin, torch.tensor(1.0))
print(v, f(torch.tensor(2.0)))
print(grad_and_value(lambda x: x * x)(torch.tensor(3.0)))


# % stranger-schedules: schedules
def run(make, n=8):
    p = torch.nn.Parameter(torch.zeros(1))
    o = torch.optim.SGD([p], lr=0.1)
    s = make(o)
    r = []
    for _ in range(n):
        o.step()
        r.append(round(o.param_groups[0]["lr"], 5))
        s.step()
    print(type(s).__name__, r, getattr(s, "last_epoch", None), s.state_dict().get("_step_count"))


L = torch.optim.lr_scheduler
run(lambda o: L.StepLR(o, 3))
run(lambda o: L.MultiStepLR(o, [2, 5], 0.5))
run(lambda o: L.ExponentialLR(o, 0.9))
run(lambda o: L.CosineAnnealingLR(o, 5, 0.01))
run(lambda o: L.LambdaLR(o, lambda e: 1 / (e + 1)))
run(lambda o: L.OneCycleLR(o, 0.5, total_steps=9))
run(lambda o: L.CyclicLR(o, 0.01, 0.1, step_size_up=3))
run(lambda o: L.CosineAnnealingWarmRestarts(o, 3, 2))
run(lambda o: L.LinearLR(o))
run(lambda o: L.ConstantLR(o))
run(lambda o: L.PolynomialLR(o, 5))
run(lambda o: L.MultiplicativeLR(o, lambda e: 0.95))
run(lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)], [3]))
run(lambda o: L.ChainedScheduler([L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)]))
p = nn.Parameter(torch.zeros(1))
o = torch.optim.SGD([p], 0.1)
s = L.ReduceLROnPlateau(o, patience=1, factor=0.5)
for v in (1.0, 1.0, 1.0, 1.0, 0.5, 0.6, 0.7):
    s.step(v)
    print(o.param_groups[0]["lr"], s.num_bad_epochs)
o = torch.optim.SGD([p], 0.1)
s = L.StepLR(o, 1)
s.step()
s.step(3)
print(s.get_lr() if False else s.get_last_lr())
print(L.StepLR(o, 2).state_dict())
try:
    L.StepLR(3, 1)
except TypeError as e:
    print(e)
try:
    L.OneCycleLR(o, 0.1)
except ValueError as e:
    print(e)
try:
    L.ExponentialLR(torch.optim.SGD([p], 0.1), 0.9, last_epoch=4)
except KeyError as e:
    print(e)


# % stranger-ensembles: several models at once
from torch.func import functional_call, replace_all_batch_norm_modules_, stack_module_state, vmap

torch.manual_seed(0)
ms = [nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).eval() for _ in range(3)]
p, b = stack_module_state(ms)
print(
    {k: (tuple(v.shape), v.requires_grad, v.is_leaf) for k, v in p.items()},
    {k: (tuple(v.shape), v.dtype) for k, v in b.items()},
)
base = copy.deepcopy(ms[0])
x = torch.randn(4, 2)
print(vmap(lambda p, b, x: functional_call(base, (p, b), (x,)), in_dims=(0, 0, None))(p, b, x).shape)
t(stack_module_state, [])
t(stack_module_state, [nn.Linear(1, 1), nn.ReLU()])
t(stack_module_state, [nn.Linear(1, 1), nn.Linear(1, 1).eval()])
t(stack_module_state, [nn.Linear(1, 1), nn.Linear(1, 1).requires_grad_(False)])
print(replace_all_batch_norm_modules_(ms[1]) is ms[1], ms[1][1].running_mean, ms[1][1].track_running_stats)


# % stranger-words: vectors of words
torch.manual_seed(0)
corpus = ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "the", "fox"]
vocab = sorted(set(corpus))
ix = {w: i for i, w in enumerate(vocab)}
pairs = [(ix[corpus[i]], ix[corpus[j]]) for i in range(len(corpus)) for j in (i - 1, i + 1) if 0 <= j < len(corpus)]
emb = nn.Embedding(len(vocab), 5, padding_idx=0, sparse=False)
out = nn.Linear(5, len(vocab))
opt = torch.optim.Adagrad(list(emb.parameters()) + list(out.parameters()), lr=0.3)
for ep in range(10):
    x, y = map(torch.tensor, zip(*pairs))
    l = F.cross_entropy(out(emb(x)), y)
    opt.zero_grad()
    l.backward()
    opt.step()
print(f"{l.item():.4f}", emb(torch.tensor(0)), emb.weight.grad[0])
print(F.cosine_similarity(emb.weight[1:2], emb.weight[2:], dim=1).argmax())
print(emb, nn.EmbeddingBag(4, 3, mode="sum"))
try:
    emb(torch.tensor([99]))
except IndexError as e:
    print(e)
try:
    emb(torch.tensor([1.0]))
except RuntimeError as e:
    print(e)
print(
    nn.Embedding.from_pretrained(torch.eye(3))(torch.tensor([2, 0])),
    nn.Embedding(3, 2, max_norm=1.0)(torch.tensor([1])).norm() <= 1.0001,
)


# % stranger-loaders: datasets, samplers and loaders
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    random_split,
)


class DS(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError
        return {
            "x": torch.tensor([float(i), i * 2.0]),
            "y": i,
            "name": f"n{i}",
            "np": np.ones(2) * i,
            "t": (i, float(i)),
        }


torch.manual_seed(0)
d = DS(5)
for b in DataLoader(d, batch_size=2):
    print(b)
dl = DataLoader(d, batch_size=2, shuffle=True)
print(len(dl), [b["y"].tolist() for b in dl], [b["y"].tolist() for b in dl])
print([b["y"].tolist() for b in DataLoader(d, 2, shuffle=True, generator=torch.Generator().manual_seed(7))])
print([s.indices for s in random_split(d, [0.5, 0.5], torch.Generator().manual_seed(0))])
print([s.indices for s in random_split(d, [3, 2])])
try:
    random_split(d, [3, 3])
except ValueError as e:
    print(e)
print(
    list(WeightedRandomSampler([0.1, 0.9, 0.5], 6)),
    list(RandomSampler(d)),
    list(RandomSampler(d, replacement=True, num_samples=3)),
    list(BatchSampler(SequentialSampler(d), 2, True)),
    list(SubsetRandomSampler([1, 3])),
)
print(len(ConcatDataset([d, d])), (d + d)[7]["y"], Subset(d, [4, 1])[0]["y"], ConcatDataset([d, d]).cumulative_sizes)


class It(IterableDataset):
    def __iter__(self):
        return iter(range(5))


print(list(DataLoader(It(), batch_size=2)))
try:
    DataLoader(It(), shuffle=True)
except ValueError as e:
    print(e)
try:
    len(DataLoader(It()))
except TypeError as e:
    print(e)
for kw in (
    dict(batch_size=0),
    dict(batch_size=2, batch_sampler=BatchSampler(SequentialSampler(d), 2, True)),
    dict(shuffle=True, sampler=SequentialSampler(d)),
    dict(batch_size=None, drop_last=True),
    dict(num_workers=-1),
    dict(timeout=-1),
    dict(prefetch_factor=2),
):
    try:
        DataLoader(d, **kw)
        print("ok")
    except Exception as e:
        print(type(e).__name__, e)
print(
    [x["y"] for x in DataLoader(d, batch_size=None)][:2],
    default_collate([1, 2]),
    default_collate([1.5, 2]),
    default_collate(["a", "b"]),
    default_collate([torch.ones(2), torch.zeros(2)]),
    default_collate([[1, 2], [3, 4]]),
    default_collate([{"a": 1}, {"a": 2}]),
)
try:
    default_collate([torch.ones(2), torch.ones(3)])
except RuntimeError as e:
    print(e)
try:
    default_collate([object()])
except TypeError as e:
    print(e)
try:
    default_collate([[1], [1, 2]])
except RuntimeError as e:
    print(e)
print(list(DataLoader(list(range(7)), batch_size=3, collate_fn=lambda b: sum(b))))
dl = DataLoader(d, 2)
print(dl.batch_size, dl.dataset is d, type(dl.sampler).__name__, dl.drop_last, dl.num_workers)
try:
    dl.batch_size = 3
except ValueError as e:
    print(e)
print(TensorDataset(torch.arange(3), torch.ones(3))[1:])
try:
    TensorDataset(torch.ones(2), torch.ones(3))
except AssertionError as e:
    print("A", e)
print(len(StackDataset(torch.arange(3), torch.ones(3))), StackDataset(a=torch.arange(3))[1])


# % stranger-mixed-dtypes: dtypes that meet, and what they say
x = torch.ones(3, dtype=torch.float16)
y = torch.ones(3, dtype=torch.bfloat16)
print((x + y).dtype, (x * 2.5), x.sum(), (x @ x), y.mean(), (x / 3), torch.tensor([65504.0], dtype=torch.float16) * 2)
print(
    torch.arange(3) / 2,
    torch.arange(3) // 2,
    torch.tensor([-7]) // 2,
    torch.tensor([-7]) % 3,
    torch.tensor([7.5]) // 2,
    torch.tensor(5) ** 2,
    torch.tensor(2) ** -1 if False else "",
    torch.tensor([1, 2]) * 1.5,
    torch.tensor([1, 2], dtype=torch.int8) * 200,
    torch.tensor([1], dtype=torch.uint8) - 2,
)
m = nn.Linear(2, 2)
for f in (
    lambda: m(torch.ones(1, 2).double()),
    lambda: m(torch.ones(1, 2, dtype=torch.long)),
    lambda: torch.ones(2) @ torch.ones(2).double(),
    lambda: torch.mm(torch.ones(2, 2), torch.ones(2, 2).long()),
    lambda: torch.tensor([1]).mean(),
    lambda: torch.tensor([True]) - torch.tensor([True]),
    lambda: -torch.tensor([True]),
    lambda: torch.tensor([1.5]) & 1,
    lambda: torch.ones(2).long().add_(1.5),
    lambda: F.softmax(torch.arange(3), 0),
    lambda: nn.CrossEntropyLoss()(torch.ones(1, 2), torch.ones(1)),
    lambda: nn.CrossEntropyLoss()(torch.ones(1, 2), torch.tensor([5])),
    lambda: nn.MSELoss()(torch.ones(2), torch.ones(3)),
    lambda: nn.MSELoss()(torch.ones(2), torch.ones(2, 1)),
    lambda: F.one_hot(torch.tensor([1.0]), 2),
    lambda: torch.bincount(torch.tensor([-1])),
    lambda: torch.cat([torch.ones(2), torch.ones(2, 2)]),
    lambda: torch.stack([torch.ones(2), torch.ones(3)]),
    lambda: torch.ones(2, 3).view(4),
    lambda: torch.ones(2, 3) + torch.ones(2),
    lambda: torch.ones(2, 3).reshape(-1, 4),
    lambda: torch.ones(2).expand(3, 3),
    lambda: torch.ones(2, 2).squeeze(5),
    lambda: torch.ones(2, 3).permute(0, 0),
    lambda: torch.ones(2, 3).transpose(0, 3),
    lambda: torch.ones(2, 2).item(),
    lambda: bool(torch.ones(2)),
    lambda: int(torch.ones(2)),
    lambda: [1, 2][torch.tensor(1)],
    lambda: len(torch.tensor(1)),
    lambda: list(torch.tensor(1)),
    lambda: torch.ones(2).to("cuda"),
    lambda: torch.ones(2).cuda(),
    lambda: torch.device("foo"),
    lambda: torch.ones(2).foo,
    lambda: torch.foo,
    lambda: torch.randn(2, 3).matmul(torch.randn(2, 3)),
    lambda: torch.linalg.inv(torch.zeros(2, 2)),
    lambda: torch.linalg.cholesky(-torch.eye(2)),
    lambda: torch.ones(3).numpy(force=True),
    lambda: torch.tensor([1, 2]).requires_grad_(),
    lambda: torch.split(torch.ones(4), [1, 2]),
    lambda: torch.einsum("ij,jk", torch.ones(2, 3), torch.ones(2, 3)),
    lambda: torch.where(torch.ones(2), 1, 0),
    lambda: torch.ones(2).clamp(),
    lambda: torch.topk(torch.ones(2), 3),
    lambda: torch.argmax(torch.empty(0)),
    lambda: torch.max(torch.empty(0)),
    lambda: nn.Conv2d(3, 4, 5)(torch.ones(1, 3, 2, 2)),
    lambda: nn.Linear(2, 3, foo=1),
    lambda: nn.BatchNorm1d(2)(torch.ones(1, 2)),
    lambda: nn.LayerNorm(3)(torch.ones(2)),
    lambda: nn.Dropout(1.5),
    lambda: torch.optim.SGD([], 0.1),
    lambda: torch.optim.SGD([torch.ones(1)], -1),
    lambda: torch.optim.Adam(3),
    lambda: torch.optim.Adam([torch.ones(1) * 2], betas=(1.1, 0)),
    lambda: torch.optim.SGD([nn.Parameter(torch.ones(1)) * 2], 0.1),
):
    t(f)
print(
    m.double()(torch.ones(1, 2).double()).dtype,
    m.half().weight.dtype,
    m.to(torch.bfloat16).bias.dtype,
    m.float().weight.dtype,
)


# % stranger-parametrized: parametrizations, norms and pruning
import torch.nn.utils.parametrize as P


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).T

    def right_inverse(self, A):
        return A.triu()


torch.manual_seed(0)
l = nn.Linear(3, 3)
P.register_parametrization(l, "weight", Sym())
print(l)
print(l.weight, l.parametrizations.weight.original.shape, P.is_parametrized(l), P.is_parametrized(l, "bias"))
print(list(l.state_dict()))
l.weight = torch.ones(3, 3)
print(l.weight)
with P.cached():
    print(l.weight is l.weight)
P.remove_parametrizations(l, "weight")
print(l, l.weight.requires_grad)
w = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
print(w, list(w.state_dict()))
w(torch.ones(1, 2)).sum().backward()
print(w.parametrizations.weight.original0.grad.shape)
o = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
print(torch.dist(o.weight.T @ o.weight, torch.eye(3)) < 1e-5)
s = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2))
print(list(s.state_dict()))
ow = nn.utils.weight_norm(nn.Linear(2, 2))
print(list(ow.state_dict()), ow)
nn.utils.remove_weight_norm(ow)
print(list(ow.state_dict()))
import torch.nn.utils.prune as prune

m = nn.Linear(4, 2)
prune.l1_unstructured(m, "weight", amount=3)
print(list(m.state_dict()), m.weight_mask.sum(), m.weight.grad_fn)
prune.remove(m, "weight")
print((m.weight == 0).sum())
prune.random_unstructured(m, "bias", 0.5)
print(m.bias_mask)
print(prune.is_pruned(m))
prune.ln_structured(m, "weight", 1, n=2, dim=0)
prune.global_unstructured([(m, "weight")], prune.L1Unstructured, amount=0.2)
v = nn.utils.parameters_to_vector(m.parameters())
print(v.shape)
nn.utils.vector_to_parameters(v * 0, m.parameters())
print(nn.utils.get_total_norm([torch.ones(4)]), nn.utils.clip_grad_norm_([], 1.0))
try:
    nn.utils.clip_grad_norm_([nn.Parameter(torch.ones(1))], 1.0, error_if_nonfinite=True)
except Exception as e:
    print(e)
t(P.register_parametrization, nn.Linear(2, 2), "foo", Sym())
t(P.register_parametrization, nn.Linear(2, 3), "weight", Sym())


# % stranger-numpy-bridge: to NumPy and back
a = np.arange(3.0)
x = torch.from_numpy(a)
x[0] = 9
print(a, x.dtype, x.numpy() is a, np.shares_memory(x.numpy(), a))
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # NumPy's own, which depend on its version
    print(
        np.sin(torch.ones(2)),
        np.asarray(torch.ones(2)),
        torch.tensor(np.float32(3)),
        torch.tensor(np.array([1, 2], dtype=np.int16)),
        torch.as_tensor(a) is x,
        torch.tensor(np.bool_(True)),
        np.array(torch.ones(2, 2)).sum(),
        torch.ones(2).__array__().dtype,
    )
t(lambda: torch.from_numpy(np.array(["a"])))
t(lambda: torch.tensor(np.array(["a"])))
t(lambda: torch.from_numpy(3))
t(lambda: torch.tensor([np.ones(2), np.ones(2)]))
t(lambda: np.add(torch.ones(2, requires_grad=True), 1))
t(lambda: torch.tensor(np.uint16(3)).dtype)
t(lambda: float(np.float64(2) * torch.tensor(3.0)))
t(lambda: np.float64(2) * torch.tensor([3.0], requires_grad=True))
t(lambda: np.array([1.0, 2.0]) * torch.ones(2))
t(lambda: np.array([1.0, 2.0]) @ torch.ones(2))
t(lambda: torch.ones(2).numpy().flags.writeable)
r = np.ones(2)
r.flags.writeable = False
t(lambda: torch.from_numpy(r))
t(lambda: max(torch.tensor([1, 3, 2])))
t(lambda: sum(torch.ones(3)))
t(lambda: sorted(torch.tensor([3, 1])))
t(lambda: torch.tensor(3) in torch.tensor([1, 3]))
t(lambda: "a" in torch.ones(2))
t(lambda: {torch.tensor(1): 2}.popitem()[1])
t(lambda: round(torch.tensor(2.567), 1))
t(lambda: divmod(torch.tensor(7), 2))
t(lambda: abs(torch.tensor(-1)))
t(lambda: math.floor(torch.tensor(2.5)))
t(lambda: range(torch.tensor(3)))
t(lambda: [0] * torch.tensor(2))
t(lambda: torch.tensor(2).__index__())
t(lambda: 2 @ torch.ones(2))
t(lambda: torch.ones(2) < "a")
t(lambda: torch.ones(2) == "a")
t(lambda: torch.ones(2) == None)
t(lambda: torch.ones(2) + None)
t(lambda: torch.ones(2) + [1, 2])
t(lambda: not torch.ones(0))
t(lambda: torch.ones(2).shape == (2,))
t(lambda: torch.ones(2, 3).size(-1))
t(lambda: torch.Size([1]) + (2,))
t(lambda: torch.ones(2, 3).shape.numel())
t(lambda: torch.ones(1).new_tensor([1, 2]))
t(lambda: torch.ones(2).type())
t(lambda: torch.ones(2).type("torch.LongTensor"))
t(lambda: torch.typename(torch.ones(1)))
t(lambda: torch.is_tensor(3))
t(lambda: torch.numel(torch.ones(3)))
t(lambda: torch.is_floating_point(torch.ones(1)))


# % stranger-muon: orthogonal steps
torch.manual_seed(0)
for options in ({}, {"nesterov": False, "adjust_lr_fn": "match_rms_adamw"}, {"weight_decay": 0.0, "ns_steps": 3}):
    p, q = nn.Parameter(torch.randn(3, 2)), nn.Parameter(torch.randn(2, 4))
    optimizer = torch.optim.Muon([p, q], lr=0.1, **options)
    for _ in range(3):
        optimizer.zero_grad()
        ((p @ q) ** 2).sum().backward()
        optimizer.step()
    print(p.data, q.data, list(optimizer.state[p]), p._version)
print(optimizer)
t(torch.optim.Muon, [nn.Parameter(torch.ones(2))])
t(torch.optim.Muon, [p], lr=-1.0)
t(torch.optim.Muon, [p], momentum=-1.0)
t(torch.optim.Muon, [p], weight_decay=-1.0)
t(torch.optim.Muon, [p], adjust_lr_fn="twice")

# % stranger-rounded-once: sums and products that are rounded together
torch.manual_seed(0)
a, b, c = (torch.rand(50) + 0.5 for _ in range(3))  # no sum is near 0, where rounding twice costs many digits
for r in (
    torch.add(a, b, alpha=0.3),
    torch.sub(a, b, alpha=0.3),
    torch.addcmul(a, b, c, value=0.3),
    torch.addcdiv(a, b, c, value=0.3),
    torch.lerp(a, b, 0.3),
    torch.lerp(a, b, 0.8),
    torch.lerp(a, b, c),
    torch.addmm(a[:9].view(3, 3).half(), b[:9].view(3, 3).half(), c[:9].view(3, 3).half(), beta=0.6, alpha=0.3),
    torch.baddbmm(a[:9].view(1, 3, 3).bfloat16(), b[:9].view(1, 3, 3).bfloat16(), c[:9].view(1, 3, 3).bfloat16()),
):
    print(r.tolist())

# % strangers-drawn: what a check of second gradients draws, strings in a batch, methods without out=
torch.manual_seed(0)
x = torch.rand(2, dtype=torch.float64, requires_grad=True)
for strided in (False, True):
    print(torch.autograd.gradgradcheck(torch.sin, x, gen_non_contig_grad_outputs=strided), torch.rand(1))
print(torch.autograd.gradgradcheck(lambda x: torch.complex(x, x * x), x), torch.rand(1))
print(torch.utils.data.default_collate([(1, "x"), (2, "y")]), torch.utils.data.default_collate([["x"], ["y"]]))
print(next(iter(torch.utils.data.DataLoader([("cat", 1.0), ("dog", 2.0)], batch_size=2))))
from torch.nn.utils import prune

pruned = prune.l1_unstructured(torch.nn.Linear(2, 1), "weight", 1)
print([str(hook).split(" object")[0] for hook in pruned._forward_pre_hooks.values()])
for call in (
    lambda: np.sum(x.detach()),
    lambda: np.mean(x.detach()),
    lambda: x.sum(out=None),
    lambda: x.sum(0, out=torch.empty(0)),
    lambda: torch.sum(x.detach(), 0, out=None) > 0,
):
    try:
        print(call())
    except TypeError as e:
        print(e)


# % stranger-named-by-a-class: functions of torch as attributes of a class of modules
class Named(nn.Module):
    hidden = torch.tanh
    out = F.gelu
    product = torch.linalg.vector_norm
    written = F.relu
    squashed = F.sigmoid
    parts = torch.split

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2, dtype=torch.float64)

    def forward(self, x):
        return self.product(self.out(self.hidden(self.lin(x))))


torch.manual_seed(0)
named = Named()
y = named(torch.tensor([1.0, -2.0], dtype=torch.float64))
y.backward()
print(y, named.lin.bias.grad, Named.hidden(torch.zeros(1)))
t(named.written, torch.ones(2))
t(named.squashed, torch.ones(2))
t(named.parts, torch.ones(2))


class Named2(Named):
    hidden = staticmethod(torch.sin)
    out = lambda self, x: x * 2


print(Named2()(torch.zeros(2, dtype=torch.float64)).item(), "lin" in vars(Named2()))


# % stranger-transform-module: a transform of distributions that has parameters
from torch.distributions import Normal, Transform, TransformedDistribution, constraints


class Scale(Transform, nn.Module):
    domain = codomain = constraints.real
    bijective = True

    def __init__(self, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.log_scale = nn.Parameter(torch.zeros(2, dtype=torch.float64))

    def __hash__(self):
        return nn.Module.__hash__(self)

    def _call(self, x):
        return x * self.log_scale.exp()

    def _inverse(self, y):
        return y / self.log_scale.exp()

    def log_abs_det_jacobian(self, x, y):
        return self.log_scale.expand(x.shape)


flow = Scale()
opt = torch.optim.SGD(flow.parameters(), lr=0.1)
data = torch.tensor([[2.0, 0.5], [-2.0, 0.25], [1.0, -0.5]], dtype=torch.float64)
for step in range(3):
    opt.zero_grad()
    base = Normal(torch.zeros(2, dtype=torch.float64), 1.0)
    loss = -TransformedDistribution(base, [flow]).log_prob(data).sum(-1).mean()
    loss.backward()
    opt.step()
    print(f"{loss.item():.12f}", flow.log_scale.grad)
print(dict(flow.state_dict()), flow.training, flow.inv.bijective)
t(Scale, cache_size=2)


# % stranger-internals: what libraries ask of a tensor and of the process
from torch.utils.data.dataloader import _collate_fn_t, _worker_init_fn_t

a = torch.ones(2)
print(a._cdata == a._cdata, a._cdata == a[:]._cdata, type(a._cdata))
t(setattr, a, "_cdata", 1)
print(torch._C._get_tracing_state(), torch._C._are_functorch_transforms_active())
torch.vmap(lambda x: print(torch._C._are_functorch_transforms_active()) or x)(a)
print(_worker_init_fn_t, len(_collate_fn_t.__args__))


# % stranger-wraps-an-optimizer: a class of optimizers that does not call the __init__ of its base
class Wrapping(torch.optim.Optimizer):
    def __init__(self, base):
        self.base = base
        self.param_groups = base.param_groups
        self.state = base.state

    def step(self, closure=None):
        return self.base.step(closure)


p = nn.Parameter(torch.ones(2))
opt = Wrapping(torch.optim.SGD([p], lr=0.1))
(p * p).sum().backward()
opt.step()
print(p, hasattr(Wrapping.step, "hooked"))
t(opt.zero_grad)
opt.step()
opt.defaults = opt.base.defaults
opt.zero_grad()
print(p.grad, hasattr(Wrapping.step, "hooked"))
t(opt.step)
print(opt.base._zero_grad_profile_name, opt._zero_grad_profile_name)


# % stranger-narrow-channels-last: channels last in memory where sizes of 1 leave more than one way to read the strides
def strides(name, fn, x):
    x = x.detach().requires_grad_()
    y = fn(x)
    y.square().sum().backward()
    print(name, y.stride(), x.grad.stride())


def last(*shape):
    return torch.arange(float(math.prod(shape))).reshape(shape).to(memory_format=torch.channels_last)


for shape in (4, 8, 1, 1), (4, 1, 4, 4), (1, 8, 1, 1):
    x = last(*shape)
    print(shape, x.stride(), x.is_contiguous(), x.is_contiguous(memory_format=torch.channels_last))
    c = shape[1]
    strides("max", lambda x: F.max_pool2d(x, 1), x)
    strides("mean", lambda x: F.adaptive_avg_pool2d(x, 2), x)
    strides("resized", lambda x: F.interpolate(x, scale_factor=2), x)
    strides("joined", lambda x: torch.cat([x, x], 0), x)
    strides("groups", lambda x: F.group_norm(x, 1), x)
    if shape[0] > 1:
        strides("batch", lambda x: F.batch_norm(x, None, None, training=True), x)
    strides("convolved", lambda x, c=c: F.conv2d(x, torch.ones(3, c, 3, 3), padding=1), x)
weight = torch.ones(6, 8, 1, 1).to(memory_format=torch.channels_last).requires_grad_()
x = torch.ones(2, 8, 4, 4, requires_grad=True)
y = F.conv2d(x, weight)
y.sum().backward()
print(y.stride(), x.grad.stride(), weight.grad.stride())
small = nn.Conv2d(1, 1, 1)
small(torch.ones(2, 1, 3, 3)).sum().backward()
print(small.weight.grad.stride())

# % stranger-laid-out: what optimizers keep lies as parameters do, and Jacobians of forward mode lie by columns
for kind in "Adam", "AdamW", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD", "NAdam":
    p = nn.Parameter(torch.ones(2, 8, 1, 1).to(memory_format=torch.channels_last))
    p.grad = torch.ones(2, 8, 1, 1)
    opt = getattr(torch.optim, kind)([p])
    opt.step()
    kept = opt.state[p].items()
    print(kind, p.stride(), {name: v.stride() for name, v in kept if isinstance(v, torch.Tensor)})
forward = {"strategy": "forward-mode", "vectorize": True}
for fn, shape in ((torch.tanh, (2, 3)), (torch.sum, (2, 3)), (lambda x: x[0], (1, 4)), (torch.exp, ())):
    found = torch.autograd.functional.jacobian(fn, torch.ones(shape), **forward)
    print(found.shape, found.stride(), found)
found = torch.autograd.functional.jacobian(
    lambda x, y: (x * y.sum(), x[:2].tanh()), (torch.ones(3), torch.ones(2, 2)), **forward
)
print([[(block.shape, block.stride()) for block in row] for row in found])

# % stranger-transforms-space: a spatial transformer begins at the identity, whose samples lie on the elements' borders
theta = torch.eye(2, 3)[None]
for n in 12, 28, 7:
    line = torch.linspace(-1, 1, n)
    grid = F.affine_grid(theta, (1, 2, n, n), align_corners=True)
    print(n, torch.equal(grid[0, 1, :, 0], line), torch.equal(grid[0, :, 1, 1], line))
    grid, line = F.affine_grid(theta, (1, 2, n, n), align_corners=False), line * (n - 1) / n
    print(n, torch.equal(grid[0, 1, :, 0], line), torch.equal(grid[0, :, 1, 1], line))

# % stranger-misread: what methods say of arguments that they do not take
x = torch.ones(2, 3)
t(lambda: x.stride(0, 1))
t(lambda: x.stride("0"))
t(lambda: x.stride(axis=0))
t(lambda: x.get_device(0))
t(lambda: x.get_device(device=0))
t(lambda: torch.get_device())
t(lambda: x.untyped_storage(1))
t(lambda: x.untyped_storage(dtype=1))
t(lambda: x.is_pinned("cuda", 1))
t(lambda: x.is_pinned(dev="cuda"))
t(lambda: x.is_shared(True))
t(lambda: x.storage(True))
t(lambda: x.storage_type(True))
t(lambda: torch.set_float32_matmul_precision(2))
print(x.stride(), x.stride(-1), x.get_device(), torch.get_device(x), x.is_pinned(), x.is_shared())

# % stranger-collected: a defaultdict is read with weights_only=False alone, and a class derived from dict is a tree
import io
from collections import defaultdict

import torch.utils._pytree as pytree

lists = defaultdict(list, a=[torch.ones(2)])
file = io.BytesIO()
torch.save(lists, file)
file.seek(0)
t(lambda: torch.load(file))
file.seek(0)
with torch.serialization.safe_globals([defaultdict]):
    t(lambda: torch.load(file))
file.seek(0)
again = torch.load(file, weights_only=False)
print(again, again["b"])


class Output(dict):
    pass


pytree.register_pytree_node(
    Output,
    pytree._dict_flatten,
    lambda values, context: Output(pytree._dict_unflatten(values, context)),
    flatten_with_keys_fn=pytree._dict_flatten_with_keys,
)
leaves, spec = pytree.tree_flatten(Output(loss=torch.tensor(1.0), scores=[2, 3]))
print(leaves, type(pytree.tree_unflatten(leaves, spec)).__name__, pytree.tree_leaves_with_path(Output(a=1, b=(2, 3))))


# % stranger-seeds-everywhere: programs seed and ask every kind of device
def seeded(seed):
    torch.manual_seed(seed)
    for kind in torch.cuda, torch.xpu, torch.mtia:
        kind.manual_seed(seed)
        kind.manual_seed_all(seed)
    torch.mps.manual_seed(seed)


seeded(3)
print(torch.rand(2))
for kind in torch.cuda, torch.mps, torch.xpu, torch.mtia, torch.cpu:
    print(kind.is_available(), kind.device_count())
print(torch.xpu.is_initialized(), torch.xpu.is_bf16_supported(), torch.xpu.memory_allocated(), torch.xpu.empty_cache())
t(torch.mps.empty_cache)
t(torch.mps.synchronize)
t(torch.mps.current_allocated_memory)
t(torch.xpu.synchronize)
t(torch.xpu.current_device)
t(torch.xpu.get_device_name, 0)
