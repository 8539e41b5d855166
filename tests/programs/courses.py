"""Programs of courses on deep learning: generative models, policies, mixed precision, norms of weights."""

import warnings

import torch
import torch.nn.functional as F
from torch import nn, optim

from tests.scenarios.show import attempt


def warned(make):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        make()
    print([f"{w.category.__name__}: {w.message}" for w in heard])


# % course-gan: two networks against each other, the discriminator with spectral norm
torch.manual_seed(0)
generator = nn.Sequential(
    nn.Linear(4, 16), nn.BatchNorm1d(16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 8), nn.Tanh()
)
first = nn.utils.spectral_norm(nn.Linear(8, 16))
discriminator = nn.Sequential(first, nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Linear(16, 1), nn.Sigmoid())
criterion = nn.BCELoss()
of_g = optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
of_d = optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
print(discriminator, list(discriminator.state_dict()))
for _ in range(4):
    discriminator.zero_grad()
    real = criterion(discriminator(torch.randn(6, 8)).view(-1), torch.ones(6))
    fake = generator(torch.randn(6, 4))
    false = criterion(discriminator(fake.detach()).view(-1), torch.zeros(6))
    (real + false).backward()
    of_d.step()
    generator.zero_grad()
    loss = criterion(discriminator(fake).view(-1), torch.ones(6))
    loss.backward()
    of_g.step()
    print(f"D {(real + false).item():.4f} G {loss.item():.4f}")
attempt(lambda: nn.utils.spectral_norm(first))
attempt(lambda: nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0))
attempt(lambda: nn.utils.spectral_norm(nn.LazyLinear(2)))
attempt(lambda: nn.utils.remove_spectral_norm(nn.Linear(2, 2)))
print(list(nn.utils.remove_spectral_norm(first).state_dict()))

# % course-vae: a variational autoencoder with distributions
torch.manual_seed(1)
encoder, mean, log_variance = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2)
decoder = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 6))
parts = nn.ModuleList([encoder, mean, log_variance, decoder])
optimizer = optim.Adam(parts.parameters(), lr=1e-2)
x = torch.rand(16, 6)
prior = torch.distributions.Normal(0.0, 1.0)
for _ in range(5):
    h = F.relu(encoder(x))
    q = torch.distributions.Normal(mean(h), (0.5 * log_variance(h)).exp())
    z = q.rsample()
    likelihood = torch.distributions.Independent(
        torch.distributions.Bernoulli(logits=decoder(z), validate_args=False), 1
    )
    divergence = torch.distributions.kl_divergence(q, prior).sum(-1)
    loss = (divergence - likelihood.log_prob(x)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.3f} {divergence.mean().item():.3f}")
print(q, prior, z.grad_fn)

# % course-policy: a policy gradient and a critic
torch.manual_seed(2)
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
optimizer = optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.1)
state = torch.randn(5, 4)
for _ in range(3):
    policy = torch.distributions.Categorical(logits=actor(state))
    action = policy.sample()
    reward = (action == 1).float()
    advantage = reward - critic(state).squeeze(-1)
    loss = (
        -(policy.log_prob(action) * advantage.detach()).mean()
        + advantage.pow(2).mean()
        - 0.01 * policy.entropy().mean()
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(action.tolist(), policy, f"{loss.item():.4f}")
attempt(lambda: policy.log_prob(torch.tensor(3)))
attempt(lambda: torch.distributions.Normal(torch.zeros(2), torch.tensor([1.0, -1.0])))

# % course-scaler: losses scaled up, a step skipped, the scale adapted; autocast that is off
scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = optim.SGD([w], lr=0.1)
for factor in (1.0, 1.0, float("inf"), 1.0):
    optimizer.zero_grad()
    with torch.autocast("cpu", enabled=False):
        loss = (w * w).sum() * factor
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_([w], 1.0)
    scaler.step(optimizer)
    scaler.update()
    print(w.detach(), norm, scaler.get_scale())
print(scaler.state_dict(), scaler.is_enabled())
scaler.unscale_(optimizer)
attempt(lambda: scaler.unscale_(optimizer))
attempt(lambda: torch.amp.GradScaler("cpu").step(optimizer))
attempt(lambda: torch.amp.GradScaler("cpu").update())
attempt(lambda: torch.amp.GradScaler("cpu").load_state_dict({}))
attempt(lambda: torch.amp.GradScaler("cpu", growth_factor=1.0))
for make in (
    lambda: torch.amp.GradScaler(),
    lambda: torch.cuda.amp.GradScaler(),
    lambda: torch.autocast("cuda"),
    lambda: torch.autocast("cpu", dtype=torch.float32),
):
    warned(make)

# % course-autocast: mixed precision: which dtypes, which Nodes, whose gradients; a Function that casts
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
x, target = torch.randn(2, 4), torch.tensor([0, 1])
with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    y = net(x)
    loss = F.cross_entropy(y, target)
    print(y.dtype, loss, [n.name() for n, _ in y.grad_fn.next_functions if n is not None])
    for made in (
        x @ x.T,
        x + x,
        y.exp(),
        y.prod(),
        torch.einsum("ij,kj->ik", x, x),
        F.layer_norm(y, (2,)),
        torch.cat([y, x], 1),
    ):
        print(made.dtype, end=" ")
    print(nn.GRU(4, 3)(x)[0].dtype, nn.Conv1d(2, 1, 2)(x).dtype, torch.cov(x).dtype)
    with torch.autocast("cpu", enabled=False):
        print(net(x).dtype, torch.is_autocast_enabled("cpu"))
    print(torch.is_autocast_enabled("cpu"), (x.double() @ x.double().T).dtype)
loss.backward()
print(net[2].weight.grad.dtype, net[2].bias.grad, net(x).dtype, torch.get_autocast_dtype("cpu"))


class Gram(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x @ x.T

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        print(grad.dtype, torch.is_autocast_enabled("cpu"))
        return (grad + grad.T) @ ctx.saved_tensors[0]


w = torch.ones(2, 2, requires_grad=True)
with torch.autocast("cpu"):
    out = Gram.apply(w.bfloat16())
out.sum().backward()
print(out.dtype, w.grad)
torch.autocast("cpu", dtype=torch.float16)(lambda: print((x @ x.T).dtype))()
attempt(lambda: torch.autocast("nothing"))
attempt(lambda: torch.autocast(1))
attempt(lambda: torch.autocast("cpu")(1))
attempt(lambda: torch.set_autocast_enabled("cpu", 1))
warned(lambda: torch.get_autocast_gpu_dtype())
warned(lambda: torch.get_autocast_gpu_dtype())
warned(lambda: torch.set_autocast_cpu_enabled(False))
attempt(lambda: warned(lambda: torch.set_autocast_xla_enabled(0)))
with torch.autocast("cpu"):
    square = torch.ones(2, 2)
    print(torch.linalg.matmul(square, square).dtype, square.__rmatmul__(square).dtype)
    print(torch.concat([square, square.half()]).dtype, F.nll_loss(square.half(), torch.tensor([0, 1])).dtype)
    print(F.l1_loss(square.half(), square.half()).dtype, F.max_pool3d(torch.ones(1, 2, 2, 2).half(), 2).dtype)
    print(F.grid_sample(torch.ones(1, 1, 2, 2).half(), torch.ones(1, 1, 1, 2).half(), align_corners=True).dtype)

# % course-lists: one operation on all parameters, as averages and optimizers use it
a, b = [torch.tensor([1.0, -2.0]), torch.tensor([[3.0]])], [torch.tensor([4.0, 5.0]), torch.tensor([[6.0]])]
print(torch._foreach_add(a, b, alpha=2), torch._foreach_mul(a, [2, 3]), torch._foreach_pow(2, a))
print(torch._foreach_norm(a, 1), torch._foreach_maximum(a, 0), torch._foreach_lerp(a, b, 0.5), torch._foreach_sqrt(b))
average = torch._foreach_neg(a)
print(torch._foreach_lerp_(average, b, 0.1) is average, average, average[0]._version)
torch._foreach_addcdiv_(average, a, b, value=-0.5)
torch._foreach_minimum_(average, [0.0, 1.0])
print(average, torch._foreach_copy_(average, b), torch._foreach_zero_(a))
attempt(lambda: torch._foreach_add([], 1))
attempt(lambda: torch._foreach_sub(a, b[:1]))
attempt(lambda: torch._foreach_addcmul(a, b, b, [1.0]))
attempt(lambda: torch._foreach_div(a, "x"))
attempt(lambda: torch._foreach_exp_(1))
attempt(lambda: torch._foreach_mul(a, []))
attempt(lambda: torch._foreach_pow_(2, a))
attempt(lambda: torch._foreach_addcmul(a, b, b, torch.ones(1)))
attempt(lambda: torch._foreach_addcdiv(a, b, b, torch.tensor(1.0)))
attempt(lambda: torch._foreach_mm(a, a[:1]))
print(
    torch._foreach_powsum(b, 3),
    torch._foreach_norm(b, 2, torch.float64),
    torch._foreach_mm([b[0].outer(b[0])], [b[0][:, None]]),
)
print(
    torch._foreach_clone(b, memory_format=torch.contiguous_format),
    torch._foreach_addcmul(a, b, b, torch.tensor([1.0, 2.0])),
)
print([hasattr(torch, f"_foreach_{n}") for n in ("zero", "copy", "clone_", "max_", "relu", "zero__", "round_", "frac")])

# % course-seldom: classes in clusters, layers that nobody draws, tensors that change places, several GPUs
torch.manual_seed(0)
layer = nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[3, 6], div_value=2.0)
rows = torch.randn(5, 4, requires_grad=True)
found = layer(rows, torch.tensor([0, 4, 9, 2, 6]))
found.loss.backward()
print(layer, found, rows.grad[0], layer.predict(rows), layer.log_prob(rows).exp().sum(1))
attempt(lambda: layer(rows, torch.tensor([0, 1, 2, 3, 10])))
attempt(lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 20]))
before = torch.get_rng_state()
print(nn.utils.skip_init(nn.Linear, 3, 4), torch.equal(before, torch.get_rng_state()))
attempt(lambda: nn.utils.skip_init(nn.Dropout, 0.5))
one, other = torch.tensor([1.0, 2.0]), torch.tensor([[3]])
one.mark = 1
torch.utils.swap_tensors(one, other)
print(one, other, other.mark, hasattr(one, "mark"))
print(nn.DataParallel(nn.Linear(2, 1)), nn.DataParallel(nn.Linear(2, 1))(torch.ones(1, 2)).shape)

# % course-fast-path: what a TransformerEncoder warns of
for options in (
    {},
    {"batch_first": True},
    {"batch_first": True, "norm_first": True},
    {"batch_first": True, "bias": False},
    {"batch_first": True, "activation": torch.tanh},
    {"batch_first": True, "nhead": 1},
):
    layer = nn.TransformerEncoderLayer(**{"d_model": 4, "nhead": 2, "dim_feedforward": 8, **options})
    print(options.keys(), nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).use_nested_tensor)
    warned(lambda layer=layer: nn.TransformerEncoder(layer, 1))
print(nn.Transformer(4, 2, 1, 1, 8, custom_encoder=nn.Sequential()).encoder)

# % course-unbatched: recurrent layers of a sequence without a batch, a variance for all samples
torch.manual_seed(3)
for kind in (nn.RNN, nn.GRU, nn.LSTM):
    for batch_first in (False, True):
        out, last = kind(2, 3, batch_first=batch_first)(torch.ones(4, 2))
        print(kind.__name__, out.shape, out.stride(), out.grad_fn.name(), out.grad_fn.next_functions[0][0].name())
print(F.gaussian_nll_loss(torch.zeros(4, 3), torch.ones(4, 3), torch.full((1, 3), 2.0)))
attempt(lambda: F.gaussian_nll_loss(torch.zeros(4, 3), torch.ones(4, 3), torch.ones(2, 3)))
