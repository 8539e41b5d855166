"""Modules, and what torch.nn.utils does to them, at the edges that PyTorch's own unit tests go along."""

import copy
import gc
import pickle
import warnings
from collections import UserDict

import torch
import torch.nn.functional as F
import torch.nn.grad
import torch.nn.utils.stateless
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils import prune
from torch.nn.utils.rnn import pack_padded_sequence
from torch.optim import lr_scheduler as S
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import (
    ChainDataset,
    ConcatDataset,
    DataLoader,
    IterableDataset,
    RandomSampler,
    WeightedRandomSampler,
    default_collate,
    random_split,
)
from torch.utils.data._utils.collate import collate, default_collate_fn_map
from torch.utils.module_tracker import ModuleTracker

from tests.scenarios.show import attempt


def t(call, *args, **kwargs):
    attempt(lambda: call(*args, **kwargs))


def graph(tensor):
    seen, left = [], [(tensor.grad_fn, 0)]
    while left:
        node, depth = left.pop()
        print(" " * depth + (node.name() if node else "None") + " again" * (node in seen))
        if node and node not in seen:
            seen.append(node)
            left += [(n, depth + 1) for n, _ in reversed(node.next_functions)]


# % modules-to: what Module.to and Tensor.to take
net, cpu, half = nn.Sequential(nn.Linear(2, 1)), torch.device("cpu"), torch.float16
for args, kwargs in [
    ((cpu, True), {}),
    ((None, True), {}),
    (([],), {}),
    ((), {"dtype": 3}),
    ((), {"unknown": 1}),
    ((cpu, torch.tensor(3)), {"non_blocking": True}),
    ((torch.tensor(3),), {}),
    ((cpu, half, False, True), {}),
    ((cpu,), {"copy": True}),
    ((torch.preserve_format,), {}),
]:
    t(net.to, *args, **kwargs)
    t(torch._C._nn._parse_to, *args, **kwargs)
x = torch.ones(1)
for args, kwargs in [((cpu, half), {"dtype": half}), ((half,), {"dtype": half}), ((half,), {"device": "cpu"})]:
    t(x.to, *args, **kwargs)
t(net.type, torch.int32)
print(net[0].weight.dtype, torch._C._nn._parse_to(x), net.to_empty(device="meta")[0].weight.device)
t(net.to, "cpu")

# % modules-share-memory: which memory was shared
net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
print(net[0].weight.is_shared(), net.share_memory() is net, [b.is_shared() for b in net.buffers()])
print(net[0].weight.untyped_storage().is_shared(), net[0].weight.view(1).is_shared(), torch.ones(1).is_shared())
print(torch.ones(2).untyped_storage().share_memory_().is_shared())

# % modules-buffers: buffers that become persistent, replace what is there, or are refused
m = nn.Module()
m.b = nn.Buffer(torch.ones(1), persistent=False)
print(isinstance(m.b, nn.Buffer), isinstance(torch.ones(1), nn.Buffer), dict(m.state_dict()))
m.b = nn.Buffer(torch.ones(1))
print(dict(m.state_dict()))
m.b = torch.zeros(1)
print(dict(m.state_dict()), m.b.persistent if isinstance(m.b, nn.Buffer) else None)
m.a = 5
t(setattr, m, "a", nn.Buffer(torch.ones(1)))


class Old(nn.Linear):
    def register_buffer(self, name, value):
        super().register_buffer(name, value, True)


old = Old(1, 1)
old.b = nn.Buffer(torch.ones(1))
print(list(old.state_dict()))
t(setattr, old, "c", nn.Buffer(torch.ones(1), persistent=False))


class Early(nn.Module):
    def __init__(self):
        self.b = nn.Buffer(torch.ones(1))


t(Early)
t(nn.ModuleList(), torch.ones(1), a=1)
t(nn.Module().set_submodule, 3, nn.ReLU())

# % modules-replicas: copies that refer to the parameters of another module
for module in nn.ParameterList([torch.ones(1)]), nn.ParameterDict({"p": torch.ones(1)}):
    replica = module._replicate_for_data_parallel()
    print(replica._parameters, replica._is_replica)
    for name, p in module.named_parameters():
        setattr(replica, name, p.view_as(p))
        print(replica, getattr(replica, name)._base is p)
    replica.zero_grad()
t(lambda: {"k": torch.ones(1)} | nn.ParameterDict({"p": torch.ones(1)}))

# % modules-swapped: a module changed between forward and backward
torch.__future__.set_swap_module_params_on_conversion(True)
m = nn.Linear(2, 3)
out, weight = m(torch.ones(1, 2)), m.weight
print(m.half().weight is weight, weight.dtype)
t(out.sum().backward)
m(torch.ones(1, 2).half()).sum().backward()
print(m.float().weight.grad)
torch.__future__.set_swap_module_params_on_conversion(False)

# % modules-weight-norm: norms over all dimensions but one
for norm in nn.utils.weight_norm, nn.utils.parametrizations.weight_norm:
    for dim in 0, 1, 2, None, -1:
        m = norm(nn.Conv1d(2, 3, 2), dim=dim)
        print(dim, [tuple(p.shape) for p in m.parameters()])
        graph(m.weight)
t(nn.utils.weight_norm, nn.LazyLinear(2))
lstm = nn.utils.weight_norm(nn.LSTM(2, 2), "weight_ih_l0")
print(lstm(torch.ones(3, 1, 2))[0].shape, [isinstance(w, nn.Parameter) for w in lstm._flat_weights])
t(nn.LSTMCell(2, 2), torch.ones(1, 2), torch.ones(1, 2))

# % modules-spectral-norm-files: state of older forms, and of modules whose norm was removed
m = nn.Linear(2, 3)
with torch.no_grad():
    m.weight.copy_(torch.arange(1.0, 7).view(3, 2))
m = nn.utils.spectral_norm(m)
with torch.no_grad():
    m.weight_u.copy_(torch.tensor([0.2298, 0.5247, 0.8196]))
    m.weight_v.copy_(torch.tensor([0.6196, 0.7849]))
m.eval()(torch.ones(1, 2))
state = {k: v.clone() for k, v in m.state_dict().items()}
print(m.load_state_dict(state))
print(m.load_state_dict({k: state[k] for k in ("bias", "weight_u")}, strict=False))
old = {"bias": state["bias"], "weight_orig": state["weight_orig"], "weight_u": state["weight_u"]}
print(m.load_state_dict({**old, "weight": m.weight.detach().clone()}), (m.weight_v * 100).round())
m = nn.utils.remove_spectral_norm(m)
print(len(m._state_dict_hooks))
t(m.load_state_dict, nn.Linear(2, 3).state_dict())

# % modules-padding: sizes and modes that do not go together, memory of what is cut off
for size, pad in [((2,), (1, 1)), ((2, 2), ()), ((2, 2), (1, 1, 1, 1)), ((1, 1, 2, 2), (1, 1)), ((1,) * 6, (0,) * 8)]:
    for mode in "reflect", "circular", "replicate":
        t(F.pad, torch.ones(size), pad, mode)
x = torch.arange(6.0).view(2, 3)
for a, pad in [(x, (-1, 0, 0, -2)), (x.t(), (-1, 0)), (x.t(), (0, 0)), (x, (-1, 1))]:
    print(F.pad(a, pad), F.pad(a, pad).stride())
t(F.normalize, torch.ones(2, requires_grad=True), dim=0, out=torch.empty(2))
t(nn.utils.parameters_to_vector, nn.ReLU)

# % modules-recurrent: what is asked and refused of recurrent layers and cells
for layer in nn.LSTM(4, 3, proj_size=2), nn.GRU(4, 3), nn.RNN(4, 3):
    x = torch.ones(2, 3, 4)
    t(layer)
    t(layer, 3)
    t(layer, [x])
    t(layer, x, 3)
    t(lambda: layer(x, torch.zeros(1, 3, 3))[0].shape)
    t(layer, x, (torch.zeros(1, 3, 9), torch.zeros(1, 3, 9)))
    print(layer.get_expected_hidden_size(x, None), layer.permute_hidden(3, None))
    t(layer.check_hidden_size, torch.zeros(1, 2), (1, 3))
padded = torch.arange(8.0).view(4, 2, 1)
print(nn.utils.rnn.unpad_sequence(padded, torch.tensor([4, 2])), padded.shape)
log_probs = torch.full((4, 1, 3), 0.25).log().requires_grad_()
target, lengths = torch.tensor([[1, 2]]), (torch.tensor([4]), torch.tensor([2]))
print([round(F.ctc_loss(log_probs, target, *lengths, blank=b).item(), 4) for b in (0, 1, 2)])

# % modules-transformers: hints, masks and padding that layers hand on
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)
x, padding = torch.arange(24.0).view(2, 3, 4).sin(), torch.tensor([[False, False, True], [False] * 3])
t(layer, x, is_causal=True)
t(layer, x, src_mask=torch.ones(3, 3, dtype=torch.int))
t(layer, x, src_key_padding_mask=torch.ones(2, 3, dtype=torch.int))
t(nn.TransformerDecoderLayer, 4, 2, activation="x")
causal = nn.Transformer.generate_square_subsequent_mask(3)
print(torch.equal(layer(x, causal), layer(x, causal, is_causal=True)))
encoder = nn.TransformerEncoder(layer, 2).eval()
print((encoder(x, src_key_padding_mask=padding) == 0).sum().item())
with torch.no_grad():
    print((encoder(x, src_key_padding_mask=padding) == 0).sum().item(), encoder(x, mask=causal).shape)
t(nn.TransformerEncoder(layer, 0), x)
print(nn.MultiheadAttention(4, 2).merge_masks(causal, padding.float(), x)[0].shape)

# % modules-uninitialized: what parameters without a shape refuse, and the few things they may be asked
for p in nn.UninitializedParameter(), nn.UninitializedBuffer():
    for call in [
        lambda: p.sum(),
        lambda: p.requires_grad_(False),
        lambda: p.numel(),
        lambda: p.new_zeros(2),
        lambda: nn.init.zeros_(p),
        lambda: p.shape,
        lambda: (p.size(), p.ndim, p.dtype, p.device, p.is_leaf, p.cpu() is p, p.float() is p, p.grad),
    ]:
        attempt(call)
    for call in lambda: p + 1, lambda: p[0], lambda: F.linear(torch.ones(1), p), lambda: torch.empty_like(p):
        try:
            call()
        except ValueError as error:
            print(str(error)[:46])
layer = nn.LazyLinear(3)
print(layer.half().weight, layer.weight.dtype, layer.load_state_dict(nn.LazyLinear(3).state_dict()))
t(torch.optim.SGD, layer.parameters(), lr=0.1)
layer.load_state_dict(nn.Linear(5, 3).state_dict())
print(layer.in_features, layer(torch.ones(1, 5).half()).shape, layer.in_features)
print(isinstance(nn.LazyBatchNorm1d(), nn.BatchNorm1d))

# % modules-states: keys that do not belong, flags of assigned parameters, pruning's limits
t(nn.Linear(1, 1, bias=False).load_state_dict, nn.Linear(1, 1).state_dict())
t(nn.InstanceNorm1d(1).load_state_dict, nn.InstanceNorm1d(1, track_running_stats=True).state_dict())
t(nn.InstanceNorm1d(1).load_state_dict, {"running_mean": torch.ones(1)})
frozen = nn.Linear(1, 1).requires_grad_(False)
frozen.load_state_dict({k: nn.Parameter(v) for k, v in frozen.state_dict().items()}, assign=True)
print(frozen.weight.requires_grad)
t(prune._validate_pruning_amount, 5, 3)
t(prune._validate_pruning_amount_init, 1.5)
print(prune._compute_nparams_toprune(0.5, 5), prune._compute_norm(torch.ones(2, 3), 1, 0))
t(prune._validate_structured_pruning, torch.ones(2))
t(prune.custom_from_mask, nn.Linear(2, 1), "weight", torch.ones(3))
t(prune.PruningContainer, 3)

# % modules-windows: sizes that pools and convolutions refuse
x = torch.arange(16.0).view(1, 1, 4, 4)
for pool in F.max_pool2d, F.avg_pool2d:
    for options in (
        {"kernel_size": (2, 2, 2)},
        {"kernel_size": 2, "stride": (1, 1, 1)},
        {"kernel_size": 2, "padding": ()},
    ):
        t(pool, x, **options)
t(F.avg_pool1d, x[0], (2, 2))
t(F.max_pool3d, x[None], (2, 2))
for p in float("inf"), -float("inf"):
    print(F.lp_pool2d(-x, p, 2), F.lp_pool1d(-x[0], p, 4).shape)
t(F.fractional_max_pool2d, x, 2, output_size=4)
t(F.fractional_max_pool2d, x, 2, output_size=2, _random_samples=torch.ones(1, 1, 3))
t(nn.MaxUnpool2d(2), *F.max_pool2d(x, 2, return_indices=True), output_size=(9, 4))
for layer in nn.Conv2d(1, 1, 0), nn.Conv1d(1, 1, 0), nn.ConvTranspose2d(1, 1, 1, padding="same"):
    t(layer, x if layer.weight.ndim == 4 else x[0, :, 0])
t(F.conv2d, x.double(), torch.ones(1, 1, 2, 2))
t(nn.ConvTranspose2d(1, 1, 3, 3), x, output_size=(1, 1))
print(nn.Conv2d(1, 1, (1, 2), padding="same", padding_mode="reflect")._reversed_padding_repeated_twice)
print(nn.Conv2d(1, 1, 1)._conv_forward(x, torch.ones(1, 1, 1, 1), None).equal(x))

# % modules-methods: whose methods errors name
for make in (
    nn.Conv2d(1, 1, 1),
    nn.MaxPool2d(1),
    nn.Dropout(),
    nn.ReflectionPad1d(1),
    nn.BatchNorm1d(1),
    nn.AvgPool3d(1),
):
    t(make)
for kind in nn.BatchNorm2d, nn.ConvTranspose1d, nn.ZeroPad2d, nn.ConstantPad1d, nn.MaxUnpool1d, nn.LazyConv2d:
    t(kind)
print(isinstance(nn.AvgPool3d(1), nn.AvgPool2d), isinstance(nn.ZeroPad1d(1), nn.ConstantPad1d), nn.CrossMapLRN2d(2))
net = nn.Sequential(nn.BatchNorm1d(2), nn.Sequential(nn.BatchNorm2d(1, affine=False)), nn.ReLU())
made = nn.SyncBatchNorm.convert_sync_batchnorm(net)
print(made, made[0].weight is net[0].weight, made[0](torch.eye(2)).shape)

# % modules-antialias: pictures made smaller by means of what falls together
x = torch.arange(36.0).view(1, 1, 6, 6).requires_grad_()
for mode in "bilinear", "bicubic", "lanczos":
    made = F.interpolate(x, size=(2, 3), mode=mode, antialias=True)
    print(made)
    print(torch.autograd.grad((made**2).sum(), x)[0].sum(3).mul(100).round())
print(F.interpolate(x, scale_factor=0.4, mode="bilinear", antialias=True, align_corners=True))
t(F.interpolate, x, size=2, antialias=True)
t(F.interpolate, x, size=2, mode="lanczos")
t(F.interpolate, x, size=0)
t(F.affine_grid, torch.eye(2, 3)[None], (2, 1, 2, 2), align_corners=True)
t(F.affine_grid, torch.eye(2, 3)[None], (1, 1, 1, 2), align_corners=True)

# % modules-tracker: which modules run, forwards and backwards
net, seen = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU())), []
with ModuleTracker() as tracker:
    for m in net[0], net[1][0]:
        m.register_forward_hook(lambda *_: seen.append((sorted(tracker.parents), tracker.is_bw)))
    y = net(torch.ones(1, 1, requires_grad=True))
    y.register_hook(lambda _: seen.append((sorted(tracker.parents), tracker.is_bw)))
    y.sum().backward()
print(seen, tracker.parents)

# % modules-averages: averages of buffers, optimizers and schedules as files
net = nn.BatchNorm1d(1)
mean = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.5), use_buffers=True)
for n in 1, 4:
    net.running_mean.fill_(n)
    net.num_batches_tracked.fill_(n)
    mean.update_parameters(net)
print(mean.module.running_mean, mean.module.num_batches_tracked)
for kind in torch.optim.Adagrad, torch.optim.SGD, torch.optim.Adafactor:
    optimizer = kind([nn.Parameter(torch.ones(2, 2))], lr=0.5)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for made in pickle.loads(pickle.dumps(optimizer)), copy.deepcopy(optimizer):
        print(type(made) is kind, made.state_dict()["param_groups"] == optimizer.state_dict()["param_groups"])
    print(pickle.loads(pickle.dumps(schedule)).get_last_lr())
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
t(torch.optim.lr_scheduler.ChainedScheduler, [schedule, plateau])
t(torch.optim.lr_scheduler.CosineAnnealingWarmRestarts, optimizer, 1, eta_min="a")

# % modules-once-more: complex spectral norms, directions in bfloat16, what is packed, cycles that loading leaves
torch.manual_seed(0)
for dtype in (torch.float32, torch.complex64):
    line = nn.Linear(2, 2, dtype=dtype)
    with torch.no_grad():
        diagonal = torch.diagonal(line.weight)
        line.weight = nn.Parameter(torch.diag(diagonal))
    nn.utils.parametrizations.spectral_norm(line, n_power_iterations=9)
    print((line.weight - torch.diag(diagonal / diagonal.abs().max())).abs().max().item() < 0.05)
for dim in (0, 1, None):
    line = nn.Linear(9, 2, dtype=torch.bfloat16)
    nn.utils.parametrizations.weight_norm(line, dim=dim)
    line(torch.ones(9, dtype=torch.bfloat16)).sum().backward()
    print(line.weight.tolist())
    print([p.grad.tolist() for p in line.parametrizations.weight.parameters()])
x = torch.arange(12.0).reshape(3, 2, 2)
for padded, lengths, options in (
    (x, torch.tensor([[3, 2]]), {}),
    (x, torch.tensor([[3.0, 2.0]]), {}),
    (x, torch.tensor([[3, 2]]), {"enforce_sorted": False}),
    (x[:0], torch.zeros(2, 2), {}),
    (x, 3, {}),
):
    t(pack_padded_sequence, padded, lengths, **options)
layers = nn.Sequential(nn.LSTM(2, 2), nn.ModuleList([nn.Linear(2, 2)]))
gc.collect()
layers.load_state_dict(copy.deepcopy(layers).state_dict())
print(gc.collect())
names = ("MultiheadAttention", "Fold", "Unfold", "ChannelShuffle", "PixelShuffle", "Conv2d")
print([getattr(nn, name).__module__ for name in names])
print(type(nn.MultiheadAttention(2, 1).out_proj))

# % modules-halves: normalizations and activations of half types, rounded where PyTorch rounds
for dtype in torch.bfloat16, torch.float16:
    for layer in nn.GroupNorm(2, 4), nn.BatchNorm2d(4), nn.BatchNorm2d(4).eval(), nn.InstanceNorm2d(4, affine=True):
        torch.manual_seed(1)
        x = torch.randn(2, 4, 3, 3).to(dtype).requires_grad_()
        layer.to(dtype)
        with torch.no_grad():
            for p in layer.parameters():
                p.copy_(torch.randn(p.shape))
        y = layer(x)
        y.backward(torch.randn(y.shape).to(dtype))
        print(layer, y.flatten()[:5].tolist(), x.grad.flatten()[:5].tolist(), layer.weight.grad.tolist())
    x = torch.linspace(-3, 3, 9).to(dtype).requires_grad_()
    for call in torch.sigmoid, torch.tanh, F.silu, F.mish, F.tanhshrink, F.gelu:
        print(call.__name__, torch.autograd.grad(call(x), x, torch.linspace(1, 2, 9).to(dtype))[0].tolist())

# % modules-refusals: grids of other sizes, batches of nothing, sizes beyond numbers, slopes in place
x, grid = torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2)
for args in [
    (x[0], grid),
    (x[0], torch.ones(1, 3, 1)),
    (x[0, 0], torch.ones(1, 1)),
    (x, torch.zeros(1, 1, 2)),
    (x, torch.zeros(2, 1, 1, 2)),
    (x, grid.double()),
    (x.long(), grid.long()),
    (x[None], torch.zeros(1, 1, 1, 1, 3)),
    (x[:, :, :0], grid),
]:
    t(F.grid_sample, *args, align_corners=False)
t(F.grid_sample, torch.ones(1, 1, 2, 2, 2), torch.zeros(1, 1, 1, 1, 3), "bicubic", align_corners=False)
for factor in -1e20, 1e20, float("nan"):
    t(F.interpolate, x, scale_factor=factor, mode="bilinear")
for shape, first in ((0, 5, 8), True), ((5, 0, 8), False):
    for layer in (
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=first),
        nn.Transformer(8, 2, 1, 1, 16, batch_first=first),
    ):
        x = torch.rand(shape, requires_grad=True)
        y = layer(x) if isinstance(layer, nn.TransformerEncoderLayer) else layer(x, x)
        y.sum().backward()
        print(y.shape, x.grad.shape, {p.grad.abs().sum().item() for p in layer.parameters()})
x = torch.tensor([-1.0, 1.0], requires_grad=True)
for training in False, True:
    t(lambda: F.rrelu_(x.clone(), -5.0, 1.0, training).sum().backward())

# % modules-kernels: which kernels attention may take, gradients of convolutions as functions
q = torch.linspace(-1, 1, 24).view(1, 2, 3, 4).requires_grad_()


def attended(backend):
    with sdpa_kernel(backend):
        print([getattr(torch.backends.cuda, f"{name}_sdp_enabled")() for name in ("flash", "math", "mem_efficient")])
        graph(F.scaled_dot_product_attention(q, q, q))


for backend in *SDPBackend.__members__.values(), [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], [], [1], 3, None:
    print(backend)
    t(attended, backend)
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    t(F.scaled_dot_product_attention, q, q, q, dropout_p=0.5)
torch.backends.cuda.enable_flash_sdp(False)
print(F.scaled_dot_product_attention(q, q, q).grad_fn.name(), torch.backends.cuda.flash_sdp_enabled())
torch.backends.cuda.enable_flash_sdp(True)
x, w = torch.arange(50.0).view(1, 2, 5, 5), torch.ones(4, 1, 3, 3, requires_grad=True)
g = torch.arange(36.0).view(1, 4, 3, 3).requires_grad_()
print(torch.nn.grad.conv2d_input(x.shape, w, g, groups=2))
print(torch.nn.grad.conv2d_weight(x, w.shape, g, groups=2).grad_fn.name())
print(torch.nn.grad.conv1d_input((1, 1, 4), torch.ones(1, 1, 2), torch.ones(1, 1, 3)))
print(
    torch.nn.grad.conv3d_weight(torch.ones(1, 1, 3, 3, 3), [1, 1, 2, 2, 2], torch.ones(1, 1, 2, 2, 2), stride=(1, 1, 1))
)
t(torch.nn.grad.conv2d_input, (2, 4, 5), w, g)
print([nn._reduction.get_enum(word) for word in ("none", "mean", "sum")])


# % modules-reparametrized: functional_call with attributes, None, what forward assigns, tied names
class Swapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(1, 1)
        self.tied = self.line.bias
        self.count = nn.Buffer(torch.zeros(1))
        self.plain, self.number = torch.ones(1), 3

    def forward(self, x):
        self.count = self.count + 1
        return self.line(x) * 0 + self.count + self.plain + getattr(self, "extra", 10), len(list(self.parameters()))


net, x = Swapped(), torch.ones(1)
for given in [
    {"count": torch.tensor([5.0])},
    {"plain": torch.tensor([7.0]), "extra": torch.tensor([2.0])},
    {"line.bias": None},
    {"line.weight": 3},
    {"number": torch.ones(1)},
    {"nothing.here": torch.ones(1)},
    {"line.bias": torch.ones(1), "tied": torch.zeros(1)},
    {"line.bias": torch.ones(1)},
    ({"count": torch.ones(1)}, {"plain": torch.zeros(1)}),
    [{"count": torch.ones(1)}, {"count": torch.zeros(1)}],
]:
    for call in torch.func.functional_call, torch.nn.utils.stateless.functional_call:
        if isinstance(given, dict) or call is torch.func.functional_call:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)
                t(call, net, given, x)
            print(given, net.count, net.plain, hasattr(net, "extra"))
t(torch.func.functional_call, nn.DataParallel(net), {}, x)
t(torch.func.functional_call, net, {"extra": x}, x, strict=True)


# % module-load: what is swapped with a parameter
class Loads(torch.Tensor):
    given = "twice"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is not torch.Tensor.module_load:
            return super().__torch_function__(func, types, args, kwargs or {})
        print([type(a).__name__ for a in args], kwargs)
        if cls.given == "twice":
            return (args[1] * 2).as_subclass(torch.Tensor).detach()
        return args[cls.given]


torch.__future__.set_swap_module_params_on_conversion(True)
net = nn.Linear(2, 1, bias=False)
w = net.weight
for Loads.given in ("twice", 0, 1):
    attempt(lambda: net.load_state_dict({"weight": torch.ones(1, 2).as_subclass(Loads)}))
    print(net.weight, net.weight is w)
net.requires_grad_(False)
for assign in (False, True):
    net.load_state_dict({"weight": torch.full((1, 2), 3.0)}, assign=assign)
    print(net.weight, net.weight is w)
torch.__future__.set_swap_module_params_on_conversion(False)
x, y = torch.zeros(2), torch.ones(2, requires_grad=True)
print(x.module_load(y, assign=True), x)
with torch.no_grad():
    print(x.module_load(y), x, x.module_load(y) is x)
attempt(lambda: x.module_load(torch.ones(3)))


# % modules-recurrent-weights: which weights a recurrent layer goes on with when some are replaced or deleted
def weights(layer):
    print([None if w is None else (type(w).__name__, w is layer._parameters.get(n)) for n, w in pairs(layer)])


def pairs(layer):
    return zip(layer._flat_weights_names, layer._flat_weights, strict=True)


one = torch.ones(1, 1, 2)
torch.manual_seed(1)
lstm = nn.LSTM(2, 3)
kept = lstm.weight_hh_l0
del lstm.weight_hh_l0
weights(lstm)
print(lstm(one)[0])
t(lambda: lstm.all_weights)
lstm.weight_hh_l0 = kept
lstm._parameters["bias_ih_l0"] = nn.Parameter(torch.ones(12))
weights(lstm)
print(lstm(one)[0])
weights(lstm)
lstm.bias_hh_l0 = None
weights(lstm)
t(lstm, one)
lstm = nn.LSTM(2, 3)
for change in (
    lambda: lstm.double().float(),
    lambda: lstm.load_state_dict({k: torch.ones_like(v) for k, v in lstm.state_dict().items()}, assign=True),
    lambda: prune.l1_unstructured(lstm, "weight_ih_l0", 0.5),
    lambda: prune.remove(lstm, "weight_ih_l0"),
    lambda: nn.utils.parametrizations.orthogonal(lstm, "weight_hh_l0"),
):
    change()
    weights(lstm)
lstm = nn.LSTM(2, 3)
older = pickle.loads(pickle.dumps(lstm)).__dict__
del older["proj_size"]
found = nn.LSTM(2, 3)
found.__setstate__(older)
print(torch.equal(found(one)[0], lstm(one)[0]))
cell = nn.LSTMCell(2, 3)
print(
    [h.shape for h in cell(torch.ones(2), torch.ones(2, 3))], [h.shape for h in cell(torch.ones(2), torch.ones(3, 3))]
)


# % modules-classes-without-weight: what they add to a loss, and what is said of reductions that are none
for size in ((2, 2), (2, 2, 1, 1)):
    x = torch.full(size, float("-inf"), requires_grad=True)
    label = torch.zeros(size[:1] + size[2:], dtype=torch.long)
    label[1] = 1
    for reduction in ("none", "sum", "mean"):
        for kwargs in ({"weight": torch.tensor([0.0, 1.0])}, {"ignore_index": 0}, {"weight": torch.zeros(2)}):
            loss = F.nll_loss(x, label, reduction=reduction, **kwargs)
            print(loss, torch.autograd.grad(loss.sum(), x)[0])
one = torch.ones(1, 2)
for reduction in (None, 3, True, "elementwise_mean", b"mean"):
    for call in (
        lambda: F.gaussian_nll_loss(one, one, one, reduction=reduction),
        lambda: F.multilabel_soft_margin_loss(one[0], one[0], reduction=reduction),
        lambda: F.l1_loss(one, one, reduction=reduction),
        lambda: F.triplet_margin_with_distance_loss(one, one, one, reduction=reduction),
        lambda: F.kl_div(one, one, reduction=reduction),
    ):
        t(call)
t(F.ctc_loss, torch.rand(0, 0, 4), torch.tensor([], dtype=torch.long), (), ())
t(F.ctc_loss, torch.rand(3, 2, 0), torch.ones(2, 2).long(), (3, 3), (1, 1))
print(F.GRID_SAMPLE_INTERPOLATION_MODES, F.GRID_SAMPLE_PADDING_MODES)
with torch.device("meta"):
    norm = nn.BatchNorm2d(3)
norm.load_state_dict({}, assign=True, strict=False)
print(norm.num_batches_tracked)

# % modules-drawn: what leaves the numbers of the program as they are
v = torch.tensor([1.0, -1.0], requires_grad=True, dtype=torch.double)
for call in (
    lambda: F.rrelu(v, training=True, inplace=True),
    lambda: F.rrelu_(v, training=True),
    lambda: torch.autograd.gradcheck(lambda x: x * x, [v], check_forward_ad=True),
    lambda: torch.autograd.gradcheck(lambda x: x * x, [v], check_forward_ad=True, check_backward_ad=False),
):
    torch.manual_seed(0)
    t(call)
    print(torch.rand(1))


# % modules-nested: what parametrizes a parameter parametrized in its turn; conversions of classes of one's own
class Skew(nn.Module):
    def forward(self, x):
        return x.tril(-1) - x.tril(-1).T


torch.manual_seed(0)
layer = nn.Linear(3, 3)
nn.utils.parametrize.register_parametrization(layer, "weight", Skew())
inner = layer.parametrizations.weight
nn.utils.parametrize.register_parametrization(inner, "original", Skew())
print(layer, layer.weight, [name for name, _ in layer.named_parameters()], len(inner))
nn.utils.parametrize.remove_parametrizations(inner, "original", leave_parametrized=False)
print(type(inner), [name for name, _ in layer.named_parameters()])


class Mine(nn.Parameter):
    pass


layer = nn.Linear(2, 2)
layer.weight = Mine(torch.ones(2, 2))
print(type(layer.double().weight), type(layer.to("meta").weight))
lazy = nn.LazyBatchNorm1d().double()
print(lazy.running_mean, lazy.running_mean.dtype, lazy.running_mean.data, lazy(torch.ones(2, 3).double()).dtype)
print(nn.LazyLinear(3).to("meta").weight)
t(lambda: nn.LazyLinear(2).weight[0])
t(lambda: bool(nn.UninitializedBuffer()))
t(lambda: F.linear(torch.ones(1, 2), nn.LazyLinear(2).weight))

# % modules-schedules-state: what schedules keep in their attributes and what of it is in their state


def rates(momentum=0.9):
    return torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5, momentum=momentum)


def attempt(what):
    try:
        print(what())
    except Exception as error:
        print(type(error).__name__, error)


restarts = S.CosineAnnealingWarmRestarts(rates(), T_0=3)
for at in (8, 9, 10):
    restarts.T_cur = at
    restarts.step()
    print(restarts.T_cur, restarts.T_i)

for mode in ("triangular", "triangular2", "exp_range"):
    cyclic = S.CyclicLR(rates(), 0.1, 0.9, 2, mode=mode, gamma=0.5)
    state = cyclic.state_dict()
    print(sorted(set(cyclic.__dict__) - set(state)), state["_scale_fn_custom"], cyclic.scale_mode, cyclic.scale_fn(3))
    other = S.CyclicLR(rates(), 0.1, 0.9, 2)
    other.load_state_dict(state)
    print("_scale_fn_custom" in state, other.scale_fn(3), other.get_last_lr())
print(S.CyclicLR(rates(), 0.1, 0.9, 2, scale_fn=lambda x: torch.tensor(2)).scale_fn(1))

swa = SWALR(rates(), 0.25, 4)
print(swa.anneal_func(0.5), "anneal_func" in swa.state_dict())
line = SWALR(rates(), 0.25, 4, "linear")
swa.load_state_dict(line.state_dict())
print(swa.anneal_func(0.5))

plateau = S.ReduceLROnPlateau(rates(), patience=0)
attempt(lambda: plateau.load_state_dict({"mode": "sideways"}))
attempt(lambda: S.SequentialLR(rates(), None, [1]))
attempt(lambda: S.ChainedScheduler(None))


class Loud(S.ReduceLROnPlateau):
    def _reduce_lr(self, epoch):
        print("reduced at", epoch)
        super()._reduce_lr(epoch)


loud = Loud(rates(), patience=0)
for metric in (1.0, 2.0):
    loud.step(metric)
print(loud.get_last_lr())

# % modules-odds: what is said first of two mistakes, and pinned sequences
t(nn.init.kaiming_normal_, torch.ones(3), 0, "fan_in", "bent")
t(lambda: nn.utils.rnn.pack_sequence([torch.ones(2)]).pin_memory())

# % modules-called-with-others: names of parameters that lead nowhere

model = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
model.note = 3
for names in (
    {"": torch.ones(1)},
    {"0.": torch.ones(1)},
    {"0.weight.more": torch.ones(1)},
    {"note.more": torch.ones(1)},
    {"far.more": torch.ones(1)},
    {"0.far.more": torch.ones(1)},
):
    try:
        print(torch.func.functional_call(model, names, torch.ones(1, 1)))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


# % modules-samples-and-batches: refusals of data sets and samplers, and batches of a type of one's own
class Few(IterableDataset):
    def __iter__(self):
        return iter(range(2))

    def __len__(self):
        return 2


class Money:
    def __init__(self, cents):
        self.cents = cents


def attempt(what):
    try:
        print(what())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


attempt(lambda: len(ChainDataset([Few(), [1, 2]])))
attempt(lambda: len(ChainDataset([Few(), Few()])))
attempt(lambda: random_split([1, 2, 3, 4], [2.0, 2.0]))
attempt(lambda: next(iter(DataLoader([1, 2], generator=3))))
attempt(lambda: len(RandomSampler([1, 2], num_samples=True)))
attempt(lambda: WeightedRandomSampler(["a"], 1))
weights = torch.tensor([1.0, 2.0], dtype=torch.float64)
print(WeightedRandomSampler(weights, 1).weights is weights)
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    print(ConcatDataset([[1], [2, 3]]).cummulative_sizes)
print([(w.category.__name__, str(w.message)) for w in heard])


def purse(batch, *, collate_fn_map=None):
    return sum(money.cents for money in batch)


attempt(lambda: default_collate([Money(1), Money(2)]))
attempt(lambda: collate([Money(1), Money(2)], collate_fn_map={Money: purse}))
attempt(
    lambda: collate(
        [(Money(1), 5), (Money(2), 6)], collate_fn_map={Money: purse, int: lambda batch, *, collate_fn_map: list(batch)}
    )
)
attempt(lambda: collate([1, 2]))
default_collate_fn_map[Money] = purse
attempt(lambda: default_collate([{"a": Money(1)}, {"a": Money(2)}]))
print(default_collate([UserDict(a=1), UserDict(a=2)]).data)
del default_collate_fn_map[Money]

# what hooks of all modules hear of what is None
hooks = torch.nn.modules.module
handles = [
    hooks.register_module_buffer_registration_hook(lambda m, name, b: print("buffer", name, b)),
    hooks.register_module_module_registration_hook(lambda m, name, child: print("module", name, child)),
    hooks.register_module_parameter_registration_hook(lambda m, name, p: print("parameter", name, p is None)),
]
holder = torch.nn.Module()
holder.register_buffer("b", torch.ones(1))
holder.b = None
holder.child = torch.nn.ReLU()
holder.child = None
holder.register_parameter("p", None)
torch.nn.BatchNorm1d(1, affine=False, track_running_stats=False)
for handle in handles:
    handle.remove()

# pruning of what is no parameter
for method in (torch.nn.utils.prune.identity, lambda m, n: torch.nn.utils.prune.l1_unstructured(m, n, 1)):
    attempt(lambda call=method: call(torch.nn.LSTMCell(3, 3), "bias"))
    attempt(lambda call=method: call(torch.nn.Linear(3, 3, bias=False), "bias"))

# how often was written
layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3))
print([(name, b._version) for name, b in layer.named_buffers()])
weight = torch.ones(2, requires_grad=True)
scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
scaler.scale((weight * weight).sum()).backward()
before = weight.grad._version
scaler.unscale_(torch.optim.SGD([weight], 0.1))
print(weight.grad, weight.grad._version - before)
found = torch.zeros(1)
torch._amp_foreach_non_finite_check_and_unscale_([torch.tensor([float("inf")])], found, torch.tensor(0.5))
print(found, found._version)
attempt(
    lambda: torch._amp_foreach_non_finite_check_and_unscale_(
        [torch.ones(1).expand(3)], torch.zeros(1), torch.tensor(0.5)
    )
)

# what is fused divides by the scale itself: without gradients the step does nothing, and only the update notices
for kind in (torch.optim.SGD, torch.optim.Adam):
    for fused in (True, False):
        weight = torch.ones(2, requires_grad=True)
        optimizer, scaler = kind([weight], lr=0.1, fused=fused), torch.amp.GradScaler("cpu")
        scaler.scale(torch.ones(()))
        attempt(lambda s=scaler, o=optimizer: s.step(o))
        attempt(lambda s=scaler: s.update())
        print(weight)

# % modules-started-by-mistake: what is no tensor has no start values
for name in ("kaiming_uniform_", "kaiming_normal_", "trunc_normal_", "eye_", "dirac_", "orthogonal_", "xavier_normal_"):
    for given in (None, True, 3, [1.0]):
        attempt(lambda: getattr(nn.init, name)(given))
attempt(lambda: nn.init.sparse_(None, 0.5))


# % modules-pruned-again: each pruning of a tensor chooses among what the others left
def pruned(*actions):
    layer = nn.Linear(4, 3, bias=False)
    layer.weight.data = torch.arange(-5.0, 7.0).view(3, 4)
    for action in actions:
        action(layer)
    print(layer.weight_mask.int().tolist(), [type(m).__name__ for m in next(iter(layer._forward_pre_hooks.values()))])


for dims in ((0, 0), (0, 1), (1, 0), (-1, -2), (-2, 1)):
    pruned(*(lambda layer, dim=dim: prune.ln_structured(layer, "weight", 1, 2, dim) for dim in dims))
pruned(
    lambda layer: prune.ln_structured(layer, "weight", 0.5, 1, 1),
    lambda layer: prune.l1_unstructured(layer, "weight", 0.5),
    lambda layer: prune.custom_from_mask(layer, "weight", torch.tensor([[1, 1, 0, 1]] * 3)),
)
pruned(
    lambda layer: prune.identity(layer, "weight"),
    lambda layer: prune.global_unstructured([(layer, "weight")], prune.L1Unstructured, amount=4),
    lambda layer: prune.l1_unstructured(layer, "weight", 2, importance_scores=torch.arange(12.0).view(3, 4)),
)

# % modules-gains: of each nonlinearity, what init multiplies by; decays at the ends of what is allowed
for name in ("linear", "conv1d", "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "gelu"):
    t(nn.init.calculate_gain, name)
    t(nn.init.calculate_gain, name, 0.5)
for slope in (True, 2, "a"):
    t(nn.init.calculate_gain, "leaky_relu", slope)
for decay in (0.0, 1.0, -0.1, 1.1):
    for make in (torch.optim.swa_utils.get_ema_avg_fn, get_ema_multi_avg_fn):
        t(lambda make=make, decay=decay: make(decay).__name__)

# % modules-packed-twice: second gradients through packing and padding, batches first and last
for first in (True, False):
    x = torch.arange(12.0).view(2, 3, 2) if first else torch.arange(12.0).view(2, 3, 2).transpose(0, 1).contiguous()
    x.requires_grad_()
    packed = nn.utils.rnn.pack_padded_sequence(x, [3, 2], batch_first=first)
    (grad,) = torch.autograd.grad((packed.data**3).sum(), x, create_graph=True)
    print(grad, grad.grad_fn.name())
    print(torch.autograd.grad(grad.sum(), x)[0])
    padded, lengths = nn.utils.rnn.pad_packed_sequence(packed, batch_first=first, padding_value=-1.0, total_length=4)
    print(padded, lengths)

# % modules-refused-sequences: arguments are looked at in PyTorch's order
rnn = nn.utils.rnn
matrix = torch.arange(6.0).view(3, 2)
for lengths in ([3, 2], 3, torch.tensor([[2, 1]]), []):
    for x in (matrix, torch.ones(2), torch.tensor(1.0), torch.empty(0, 2), [1, 2]):
        for first in (False, True):
            t(rnn.pack_padded_sequence, x, lengths, first)
t(rnn.pack_padded_sequence, [1, 2], [2, 1], enforce_sorted=False)
for sequences in ([torch.tensor(1.0)], [1, 2], "ab"):
    t(rnn.pack_sequence, sequences)
t(rnn.pad_packed_sequence, rnn.pack_sequence([matrix]), padding_value="a")
for order in (torch.tensor([1.0, 0.0]), torch.tensor([[1, 0]]), [1, 0], torch.tensor([5])):
    t(rnn.invert_permutation, order)
for lengths in ([3, 1], None, torch.tensor([1])):
    t(rnn.unpad_sequence, matrix.clone(), lengths)
t(prune.is_pruned, None)
t(prune.l1_unstructured, nn.Linear(2, 1), "weight", True)


class Halved(nn.Module):
    def forward(self, x):
        return x.half()


for name in ("weight", "kept"):
    layer = nn.Linear(2, 1)
    layer.register_buffer("kept", torch.ones(2))
    nn.utils.parametrize.register_parametrization(layer, name, Halved(), unsafe=True)
    t(nn.utils.parametrize.remove_parametrizations, layer, name)
    print(nn.utils.parametrize.is_parametrized(layer, name))

# % modules-steps-kept: how much LBFGS keeps of its steps, and a scaler's counts before and after its first scale
from torch.amp import GradScaler  # noqa: E402

w = torch.tensor([-1.5, 2.0, 0.5], dtype=torch.double, requires_grad=True)
lbfgs = torch.optim.LBFGS([w], lr=0.1, max_iter=3, history_size=2)


def bent():
    lbfgs.zero_grad()
    loss = ((1 - w) ** 2).sum() + ((w[1:] - w[:-1] ** 2) ** 2).sum()
    loss.backward()
    return loss


for _ in range(3):
    print(f"{lbfgs.step(bent).item():.6f}")
    state = lbfgs.state[w]
    print([len(state[name]) for name in ("old_dirs", "old_stps", "ro")], [f"{r.item():.4f}" for r in state["ro"]])
    print([f"{d.norm().item():.5f}" for d in state["old_dirs"]])
scaler = GradScaler("cpu", init_scale=4.0, growth_interval=2)
print(scaler._get_growth_tracker(), scaler.get_scale(), GradScaler("cpu", enabled=False)._get_growth_tracker())
for _ in range(3):
    w.grad = torch.ones_like(w) * 4
    scaler.scale(torch.ones(1))
    sgd = torch.optim.SGD([w], lr=0.0)
    scaler.step(sgd)
    scaler.update()
    print(scaler._get_growth_tracker(), scaler.get_scale())
