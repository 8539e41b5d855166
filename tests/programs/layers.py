"""Modules, losses and optimizers as PyTorch's own unit tests try them: hooks, state, errors."""

import pickle
import warnings
import weakref
from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.utils import _ntuple, _pair, _reverse_repeat_tuple, consume_prefix_in_state_dict_if_present
from torch.nn.utils import parametrize, prune

from tests.scenarios.show import attempt


def t(call, *args, **kwargs):
    attempt(lambda: call(*args, **kwargs))


# % layers-backward-hooks-return: what backward hooks may give back
x = torch.ones(2, 2, requires_grad=True)


def too_few(module, grad_input, grad_output):
    return grad_input[:-1]


def too_many(module, grad_input, grad_output):
    return (*grad_input, torch.ones(2, 2))


hooks = [too_few, too_many, lambda m, gi, go: torch.ones(2, 2), lambda m, gi, go: [torch.ones(2, 2)]]
hooks += [lambda m, gi, go: (torch.ones(3),), lambda m, gi, go: (None,), lambda m, gi, go: "a"]
for register in "register_full_backward_hook", "register_backward_hook":
    for hook in hooks:
        layer = nn.Sigmoid()
        x.grad = None
        with getattr(layer, register)(hook):
            attempt(lambda: layer(x).sum().backward())
        print(x.grad)

# % layers-backward-pre-hooks: gradients of outputs replaced before a layer's backward
a = torch.ones(2, requires_grad=True)
layer = nn.Linear(2, 2)
handle = layer.register_full_backward_pre_hook(lambda m, g: (g[0] * 0,))
layer(a).sum().backward()
print(a.grad, layer.bias.grad)
handle.remove()
layer.register_full_backward_pre_hook(lambda m, g: g[0] * 2)
attempt(lambda: layer(a).sum().backward())

# % layers-backward-hooks-warn: outputs that hooks cannot see


class Named(nn.Module):
    def forward(self, x):
        return {"x": x * 2}


class Listed(nn.Module):
    def forward(self, x):
        return [x, x * 2]


seen = []
for layer in Named(), Listed():
    layer.register_full_backward_hook(lambda *a: seen.append(1))
    layer(torch.ones(2, requires_grad=True))
print(seen)
layer = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
layer.register_backward_hook(lambda *a: print(len(a)))
layer(torch.ones(1, 2)).sum().backward()
named = Named()
named.register_backward_hook(lambda *a: None)
named(torch.ones(1, requires_grad=True))

# % layers-hooks-hold-no-module: hooks with their module in front do not keep it
layer = nn.Linear(2, 2)
seen = weakref.ref(layer)
layer._register_load_state_dict_pre_hook(t, True)
layer.register_load_state_dict_pre_hook(t)
del layer
print(seen())

# % layers-state-dict-before-init: a module whose __init__ did not run


class Empty(nn.Module):
    def __init__(self):
        self.value = 3


attempt(lambda: Empty().state_dict())
attempt(lambda: Empty()(1))
t(nn.Sequential(nn.ReLU()).set_submodule, "0", 3)

# % layers-attention-shapes: what does not fit in attention
m = nn.MultiheadAttention(4, 2)
q = torch.ones(3, 1, 4)
for args in [(q, q, q[:2]), (q, q, q[..., :3]), (q[..., :3], q, q), (q[0, 0], q, q), (q[:, 0], q, q)]:
    attempt(lambda: m(*args))
bools = torch.zeros(3, 3).bool()
for name, mask in [
    ("key_padding_mask", torch.ones(3, 1, 1).bool()),
    ("key_padding_mask", torch.ones(1, 3).long()),
    ("key_padding_mask", torch.ones(2, 3).bool()),
    ("attn_mask", torch.ones(2, 2)),
    ("attn_mask", torch.ones(3, 3, 3)),
    ("attn_mask", torch.ones(3)),
    ("attn_mask", torch.ones(3, 3).byte()),
]:
    attempt(lambda: m(q, q, q, **{name: mask}))
attempt(lambda: m(q, q, q, is_causal=True))
m(q, q, q, key_padding_mask=torch.zeros(1, 3), attn_mask=bools)

# % layers-attention-graph: the Nodes of attention, with and without weights


def nodes(tensor):
    found, known = [tensor.grad_fn], {None, tensor.grad_fn}
    for node in found:
        for after, _ in node.next_functions:
            if after not in known:
                known.add(after)
                found.append(after)
    return [node.name().rsplit("::")[-1] for node in found]


for kwargs in [{}, {"kdim": 3, "vdim": 5}, {"add_bias_kv": True, "add_zero_attn": True}, {"bias": False}]:
    m = nn.MultiheadAttention(4, 2, **kwargs)
    q = torch.ones(3, 2, 4, requires_grad=True)
    k = torch.ones(3, 2, kwargs.get("kdim", 4))
    v = torch.ones(3, 2, kwargs.get("vdim", 4))
    print(nodes(m(q, k, v)[0]))
    print(nodes(m(q, k, v, need_weights=False)[0]))
    if not kwargs:
        print(nodes(m(q, q, q)[0]), nodes(m(q, k, k)[0]))
        print(nodes(m(q[:, 0], q[:, 0], q[:, 0])[0]))

# % layers-attention-function: what scaled dot product attention refuses
q = torch.ones(1, 2, 3)
t(F.scaled_dot_product_attention, q, q.double(), q)
t(F.scaled_dot_product_attention, q[0, 0], q[0, 0], q[0, 0])
t(F.scaled_dot_product_attention, q, q, q, torch.ones(2, 2).long())
t(F.scaled_dot_product_attention, q, q, q, torch.ones(2, 2).double())
for order in (0, 1, 2, 3), (2, 0, 1, 3), (0, 2, 1, 3):
    x = torch.ones(2, 3, 4, 5).permute(order)
    print(F.scaled_dot_product_attention(x, x, x).stride())
for shape in (3, 2, 1, 4), (1, 2, 3, 4):  # its gradients lie with the heads behind the rows, those of one row too
    inputs = [torch.ones(shape, requires_grad=True) for _ in range(3)]
    F.scaled_dot_product_attention(*inputs, is_causal=True).sum().backward()
    print([x.grad.stride() for x in inputs])
q, k = torch.ones(1, 1, 3, 2), torch.ones(1, 1, 3, 2)
k[..., 2, :] = float("nan")
print(F.scaled_dot_product_attention(q, k, q, is_causal=True))
print(F.scaled_dot_product_attention(q, q, q, is_causal=True, scale=0.0))
print(F.scaled_dot_product_attention(q, q, q, attn_mask=torch.eye(3)[1:2] > 0))
print(F.scaled_dot_product_attention(q, q, q, attn_mask=torch.eye(3)[:, :1].expand(3, 3) > 0))

# % layers-recurrent-refusals: recurrent layers and their arguments
for make in nn.RNN, nn.LSTM, nn.GRU:
    for args in [(0, 3), (3, 0), (3, 4, 0), (3, 4.0), (3,)]:
        attempt(lambda: make(*args))
    t(make, 3, 4, proj_size=5)
    m = make(3, 4, 2)
    for shape in [(5,), (1, 1, 1, 1), (5, 2, 4), (0, 2, 3)]:
        attempt(lambda: m(torch.ones(shape)))
    print(m._flat_weights_names, len(m._flat_weights), m.get_expected_hidden_size(torch.ones(5, 2, 3), None))
    attempt(lambda: m.check_input(torch.ones(2, 3), None))
    t(make, 3, 4, dropout=2)
    for options in [{"bias": 0}, {"bias": "a"}, {"batch_first": 1}, {"input_size": 3.5, "hidden_size": 4}]:
        t(make, **{"input_size": 3, "hidden_size": 4, **options})
t(nn.RNNBase, "X", 3, 4)
t(nn.RNN, 3, 4, 1, "relu", False)
t(nn.RNN, 3, 4, nonlinearity="x")

# % layers-sequences-refusals: sequences of different lengths
R = nn.utils.rnn
x = torch.ones(3, 2, 2)
t(R.pad_sequence, [x], padding_side="x")
t(R.pad_sequence, [])
t(R.pad_sequence, 3)
t(R.pad_sequence, [torch.ones(2, 2), torch.ones(1, 3)])
for lengths in [[3], [], torch.tensor([[3, 2]]), 3, [3, 0], [2, 3]]:
    t(R.pack_padded_sequence, x, lengths)
t(R.pack_padded_sequence, x[:, 0, 0], [3])
packed = R.pack_padded_sequence(x, [3, 1])
print([getattr(packed, name)().data.dtype for name in ("char", "byte", "short", "int", "long", "half", "double")])

# % layers-loss-weights: weights of losses
x = torch.tensor([[0.1, 0.5], [0.3, 0.2]], requires_grad=True)
y = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
for loss in F.mse_loss, F.l1_loss, F.huber_loss:
    for weight in torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2):
        for reduction in "mean", "sum", "none", "other":
            t(loss, x, y, weight=weight, reduction=reduction)
for shape in [(3,), (3, 2), (2, 2, 2), (1, 3), (2, 1)]:
    t(F.binary_cross_entropy, x, y, torch.ones(shape))
    t(F.binary_cross_entropy_with_logits, x, y, torch.ones(shape))
    t(F.binary_cross_entropy_with_logits, x, y, pos_weight=torch.ones(shape))
t(F.binary_cross_entropy, x, y - 1)
t(F.huber_loss, x, y.double())
t(F.soft_margin_loss, x, y.double())

# % layers-class-losses: classes, labels and margins
x = torch.tensor([[0.1, 0.5], [0.3, 0.2]])
classes = torch.tensor([0, 1])
for smoothing in -1.0, 2.0, 1.5:
    t(F.cross_entropy, x, classes, label_smoothing=smoothing)
t(F.cross_entropy, x, x, ignore_index=1)
for target in torch.ones(2, 3), torch.ones(2), torch.ones(2, 2), torch.ones(3):
    t(F.nll_loss, x, target)
t(F.multi_margin_loss, x.double(), classes, weight=torch.ones(2))
t(nn.MultiMarginLoss, 3)
t(nn.MultiMarginLoss, weight=torch.ones(2, 2))
sets = torch.tensor([[0, -1], [1, 0]])
for target in sets.float(), sets.int(), sets * 5, sets - 5:
    t(F.multilabel_margin_loss, x, target)
t(F.multilabel_soft_margin_loss, x, x, reduction="other")
t(F.one_hot, classes, -2)
t(nn.HuberLoss, delta=1j)
for shape in (2,), (1, 1, 1, 4):
    t(nn.CircularPad1d(1), torch.ones(shape))
print(nn.TripletMarginWithDistanceLoss(), nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(3.0)))

# % layers-ctc-lengths: lengths and targets that do not fit
logs = torch.zeros(5, 2, 3)
rows = torch.tensor([[1, 2], [1, 1]])
for targets, inputs, lengths in [
    (torch.tensor([1, 2, 1]), (5, 5), (2, 5)),
    (torch.tensor([1, 2, 1]), (5, 5), (1, 1)),
    (rows, (5, 6), (2, 2)),
    (rows, (5, -1), (2, 2)),
    (rows, (5, 5), (2, -2)),
    (rows, (5, 5), (2, 3)),
    (rows[:1], (5, 5), (2, 2)),
    (rows[None], (5, 5), (2, 2)),
]:
    t(F.ctc_loss, logs, targets, inputs, lengths)
t(F.ctc_loss, logs[0, 0], torch.tensor([1]), torch.tensor(5), torch.tensor(1))

# % layers-bags-pretrained: bags of given vectors
table = torch.arange(6.0).view(3, 2)
bag = nn.EmbeddingBag.from_pretrained(table, mode="max", padding_idx=1)
print(bag, bag.weight.requires_grad, bag(torch.tensor([[0, 1], [1, 2]])))
print(nn.EmbeddingBag.from_pretrained(table, freeze=False).weight.requires_grad)
t(nn.EmbeddingBag.from_pretrained, table[0])

# % layers-optimizers-complex: complex parameters move as pairs of reals
for name in [
    "SGD",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "RAdam",
    "RMSprop",
    "Adagrad",
    "Adadelta",
    "Rprop",
    "ASGD",
    "LBFGS",
    "Adafactor",
]:
    p = nn.Parameter(torch.tensor([[1 + 2j, 3.0], [-1j, 0.5 - 1j]], dtype=torch.complex128))
    optimizer = getattr(torch.optim, name)([p], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = ((p - 1).abs() ** 2 * torch.tensor([1.0, 3.0])).sum()
        loss.backward()
        return loss

    for _ in range(3):
        t(lambda: round(optimizer.step(closure).item(), 8))
    print(name, p)
    print({k: v.dtype for k, v in optimizer.state[p].items() if isinstance(v, torch.Tensor)})

# % layers-optimizers-older-files: options and counts that older files lack
later = [
    "amsgrad",
    "maximize",
    "foreach",
    "capturable",
    "differentiable",
    "decoupled_weight_decay",
    "fused",
    "nesterov",
    "centered",
]
for name in ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta", "Rprop", "ASGD"]:
    p = nn.Parameter(torch.ones(2))
    optimizer = getattr(torch.optim, name)([p], lr=0.1)
    p.grad = torch.ones(2)
    optimizer.step()
    older = optimizer.state_dict()
    older["param_groups"] = [{k: v for k, v in older["param_groups"][0].items() if k not in later}]
    for state in older["state"].values():
        for key in "step", "eta", "mu":
            if key in state:
                state[key] = state[key].item()
    optimizer.load_state_dict(older)
    optimizer.step()
    print(name, p, optimizer.state_dict())

# % layers-optimizers-refusals: rates that are tensors
p = nn.Parameter(torch.ones(2))
for options in [
    {"lr": torch.tensor(0.1), "foreach": True},
    {"betas": (torch.tensor(0.9), 0.99)},
    {"betas": (0, 0.99)},
    {"betas": (torch.tensor(0.9), torch.tensor(0.99)), "foreach": True},
    {"betas": (torch.tensor([0.9, 0.8]), torch.tensor(0.99)), "capturable": True},
    {"betas": (torch.tensor([0.9]), torch.tensor(0.99))},
]:
    t(torch.optim.Adam, [p], **options)
sgd = torch.optim.SGD([p], 0.1)
t(torch.optim.swa_utils.SWALR, sgd, 0.1, anneal_strategy="x")
t(torch.optim.swa_utils.SWALR, sgd, [0.1, 0.2])
t(torch.optim.lr_scheduler.ChainedScheduler, [torch.optim.lr_scheduler.StepLR(sgd, 1), 3])

# % layers-windows-refused: what folding, pooling and resampling refuse
x, c = torch.ones(1, 1, 4, 4), torch.ones(1, 4, 9)
ones = torch.ones
steps = [{"dilation": 0}, {"padding": -1}, {"stride": 0}]
for options in [{"kernel_size": 0}, {"kernel_size": (2, -1)}, *({"kernel_size": 2, **s} for s in steps)]:
    t(F.unfold, x, **options)
    t(F.fold, c, (4, 4), **options)
t(F.unfold, x, 5)
for size in (4, 4), (0, 1, 4, 4), (1, 0, 4, 4), (1, 1, 0, 4), (1, 1, 1, 4, 4), (1, 4, 4):
    t(lambda: F.unfold(ones(size), 2).shape)
for size in (4,), (4, 9), (0, 4, 9), (1, 0, 9), (1, 4, 0), (1, 4, 9, 1), (1, 4, 8):
    t(lambda: F.fold(ones(size), (4, 4), 2).shape)
for size, kernel in ((4, 4), 3), ((4, 4), (2, 1)), ((0, 4), 2), ((2, 2), 3), ((1, 1), 2):
    t(F.fold, c, size, kernel)
for n in 1, 2, 3:
    lines, several = ones((1, 1) + (4,) * n), (1,) * (n - 1) + (-1,)
    t(getattr(nn, f"MaxUnpool{n}d")(2), ones((1, 1) + (1,) * n), torch.full((1, 1) + (1,) * n, 99))
    for stride in -1, 0, several:
        for kind in "Avg", "Max":
            t(getattr(nn, f"{kind}Pool{n}d")(2, stride=stride), lines)
    for kind in "Avg", "Max":
        t(getattr(nn, f"Adaptive{kind}Pool{n}d")(2), ones(4))
    for mode in "linear", "bilinear", "trilinear":
        t(lambda: F.interpolate(lines, 3, mode=mode).shape)
for size in [20], [1, 7], [1, 2, 3, 4], [1, 1, 8], [7]:
    t(lambda: nn.ConvTranspose1d(1, 1, 3, stride=2)(ones(1, 1, 3), output_size=size).shape)
    t(lambda: nn.ConvTranspose1d(1, 1, 3, stride=2)(ones(1, 3), output_size=size).shape)

# % layers-words: warnings and refusals of layers in their present words
t(nn.Hardtanh, 1, 0)
t(lambda: nn.Hardtanh(min_value=-2.0, max_value=1.0))
t(nn.Bilinear, 0, 3, 4)
t(nn.Unflatten, "a", 3)
for drop in F.dropout1d, F.dropout2d, F.dropout3d:
    torch.manual_seed(0)
    for size in (2,), (2, 3), (1, 2, 2, 2, 2, 2):
        t(lambda: drop(torch.ones(size)).shape)
t(nn.ParameterDict().update, [(1, 2, 3)])
t(nn.ParameterDict().update, [3])
t(nn.ModuleDict().update, [(1,)])
t(nn.utils.vector_to_parameters, 3, [])
a = torch.arange(1.0, 7).reshape(3, 2)
t(nn.utils.rnn.pack_padded_sequence, a, [5, 2])
t(nn.utils.rnn.pad_packed_sequence, 3)

# % layers-hook-handles: handles of hooks are pickled with what they belong to; a hook that is public stays so
kept = OrderedDict()
handle = torch.utils.hooks.RemovableHandle(kept, extra_dict=kept)
kept[handle.id] = "a hook"
again, copy = pickle.loads(pickle.dumps((kept, handle)))
print(copy.id == handle.id, list(again.values()))
copy.remove()
print(len(kept), len(again))
pickle.loads(pickle.dumps(handle)).remove()
layer = nn.Linear(1, 1)


def after(module, state, prefix, metadata):
    print("after", list(state))


layer.register_state_dict_post_hook(after)
t(layer._register_state_dict_hook, after)
layer.state_dict()
print(prune.BasePruningMethod.__abstractmethods__)
schedules = torch.optim.lr_scheduler
print(issubclass(schedules.MultiplicativeLR, schedules.LambdaLR), schedules._LRScheduler is schedules.LRScheduler)
print(schedules._LRScheduler)

# % layers-fusion: layers with the normalization after them written into them, in other memory formats, names
torch.manual_seed(0)
x = torch.randn(2, 2, 3, 3)
for bias in True, False:
    for layer, transpose in (nn.Conv2d(2, 3, 2, bias=bias), False), (nn.ConvTranspose2d(2, 3, 2, bias=bias), True):
        norm = nn.BatchNorm2d(3)
        norm(torch.randn(4, 3, 2, 2))
        pair = nn.Sequential(layer, norm).eval()
        fused = nn.utils.fuse_conv_bn_eval(*pair, transpose=transpose)
        print(fused, torch.allclose(fused(x), pair(x), atol=1e-6), fused.bias.requires_grad)
layer, norm = nn.Linear(2, 3), nn.BatchNorm1d(3)
t(nn.utils.fuse_linear_bn_eval, layer, norm)
pair = nn.Sequential(layer, norm).eval()
fused = nn.utils.fuse_linear_bn_eval(*pair)
print(torch.allclose(fused(x[0, 0, :, :2]), pair(x[0, 0, :, :2]), atol=1e-6))
t(nn.utils.fuse_linear_bn_eval, layer, nn.BatchNorm1d(2).eval())
t(nn.utils.fuse_conv_bn_eval, nn.Conv1d(1, 1, 1).eval(), nn.BatchNorm1d(1, track_running_stats=False).eval())
made = nn.utils.convert_conv2d_weight_memory_format(nn.Sequential(nn.Conv2d(2, 2, 2)), torch.channels_last)
print(made[0].weight.stride())
print(_pair(1), _pair([1, 2, 3]), _ntuple(4)(7), _reverse_repeat_tuple((1, 2), 2))
state = nn.Sequential(nn.Linear(1, 1)).state_dict(prefix="module.")
consume_prefix_in_state_dict_if_present(state, "module.")
print(list(state), dict(state._metadata))


class Plus(nn.Module):
    def forward(self, x):
        return x + 1


class Two(nn.Module):
    def forward(self, a, b):
        return a + b

    def right_inverse(self, x):
        return x / 2, x / 2


for kind in Plus, Two:
    one, other = nn.Linear(2, 2), nn.Linear(2, 2)
    parametrize.register_parametrization(one, "weight", kind())
    print(parametrize.transfer_parametrizations_and_params(one, other))
    print(torch.equal(one.weight, other.weight), list(other.state_dict()))

# % layers-interpolate-sizes: sizes and factors of interpolate, and what is refused
picture = torch.arange(35.0).reshape(1, 1, 5, 7)
three = torch.tensor([3], dtype=torch.int32)
for size in ([three, three], (three, 6), [torch.tensor(3.0), 3], torch.tensor([3, 3]), [3.0, 3], "a", 3.0, (0, 3), -1):
    for mode in ("bilinear", "nearest", "area", "nearest-exact"):
        t(lambda size, mode: F.interpolate(picture, size=size, mode=mode).shape, size, mode)
for factor in ([torch.tensor(2.0)] * 2, 2, (0.5, 1.5), "a", [None, 2], 0.0, 0.01):
    for mode in ("bicubic", "nearest"):
        t(lambda factor, mode: F.interpolate(picture, None, factor, mode, None, True).shape, factor, mode)
        t(lambda factor, mode: F.interpolate(picture, scale_factor=factor, mode=mode).shape, factor, mode)
for options in (
    {"mode": "lanczos"},
    {"mode": "lanczos", "antialias": True, "align_corners": True},
    {"mode": "nearest", "antialias": True},
    {"mode": "bilinear", "recompute_scale_factor": True},
    {"mode": "linear"},
    {"mode": "none"},
):
    t(F.interpolate, picture, 3, **options)
for shape in ((1, 0, 4, 5), (1, 2, 0), (1, 2, 3, 0, 2)):
    t(F.interpolate, torch.zeros(shape), 2)
t(F.interpolate, picture.half(), 2, mode="bicubic", antialias=True)
print(F.interpolate(picture.requires_grad_(), (2, 3), mode="lanczos", antialias=True))

# % layers-no-tensor: what is no tensor is refused where PyTorch first asks it for something
for make in (
    lambda: torch.nn.BatchNorm1d(3),
    lambda: torch.nn.BatchNorm2d(3),
    lambda: torch.nn.InstanceNorm1d(3),
    lambda: torch.nn.AdaptiveAvgPool2d(1),
    lambda: torch.nn.AdaptiveMaxPool2d(1),
    lambda: torch.nn.Flatten(),
    lambda: torch.nn.Unflatten(1, (1, 3)),
    lambda: torch.nn.RNNCell(3, 2),
    lambda: torch.nn.Softmax(1),
    lambda: torch.nn.Softmin(1),
    lambda: torch.nn.LogSoftmax(1),
    lambda: torch.nn.Upsample(scale_factor=2),
    lambda: torch.nn.CircularPad1d(1),
    lambda: torch.nn.Linear(3, 2),
    lambda: torch.nn.ReLU(),
):
    for given in ([[1.0, 2.0, 3.0]], 1.0, np.ones((2, 3), np.float32)):
        try:
            print(make()(given))
        except (AttributeError, TypeError) as error:
            print(type(error).__name__, error)

# % layers-gradients-of-convolutions: the gradients of convolutions, each by one call
for n in (1, 2, 3):
    x = torch.arange(2.0 * 4 * 5**n).view(2, 4, *(5,) * n) % 7
    w = torch.arange(6.0 * 2 * 2**n).view(6, 2, *(2,) * n) % 5
    conv = getattr(torch.nn.functional, f"conv{n}d")
    for options in ({"groups": 2}, {"groups": 2, "stride": 2, "padding": 1}, {"groups": 2, "dilation": (2,) * n}):
        y = conv(x, w, **options)
        by_input = getattr(torch.nn.grad, f"conv{n}d_input")(x.shape, w, torch.ones_like(y), **options)
        by_weight = getattr(torch.nn.functional.grad, f"conv{n}d_weight")(x, w.shape, torch.ones_like(y), **options)
        print(by_input.shape, by_input.sum(), by_weight.shape, by_weight.sum())

# % layers-empty-convolutions: channels that are not there, and weights that groups do not divide
for n in (1, 2, 3):
    for make in (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)[n - 1 : n]:
        layer = make(0, 4, 3)
        x = torch.ones(2, 0, *(5,) * n, requires_grad=True)
        y = layer(x)
        y.sum().backward()
        print(y.shape, x.grad.shape, layer.weight.grad.shape, layer.bias.grad)
        print([g.shape for g in torch.autograd.grad(layer(x).sum(), (x, layer.weight, layer.bias), create_graph=True)])
        print(layer(x[:0]).shape, layer(x[0]).shape, layer.double()(x.double()).shape)
    transposed = getattr(F, f"conv_transpose{n}d")
    for channels, groups in ((0, 1), (1, 2), (3, 2)):
        t(transposed, torch.ones(1, 4, *(3,) * n), torch.ones(channels, 2, *(3,) * n), groups=groups)
    for given in ({"output_padding": 1}, {"output_padding": 2, "stride": 2}, {"output_padding": 3, "dilation": 2}):
        t(transposed, torch.ones(1, 2, *(3,) * n), torch.ones(2, 2, *(3,) * n), **given)
t(F.conv2d, torch.ones(2, 2, 0, 5), torch.ones(4, 2, 3, 3), padding=2)

# % layers-pools-refused: images smaller than their windows, planes without the right number of dimensions
for kernel, padding in ((5, 0), (5, 1), (5, 2), (5, 4), ((1, 7, 2), (0, 2, 1))):
    for mode in (False, True):
        t(F.avg_pool3d, torch.ones(1, 4, 4, 4), kernel, padding=padding, ceil_mode=mode)
for shape in ((2,), (2, 2), (2, 2, 2), (2, 2, 2, 2), (2, 2, 2, 2, 2), (2, 0, 2), (0, 2, 2, 2), (2, 2, 0, 2, 1)):
    for unpool in (F.max_unpool1d, F.max_unpool2d, F.max_unpool3d):
        for indices in (torch.zeros(shape).long(), torch.zeros(shape[:2]).long(), torch.zeros(shape)):
            t(lambda x, i, k, unpool=unpool: unpool(x, i, k).shape, torch.ones(shape), indices, 2)

# % layers-negative-padding: more taken away than there is
for padding in ((-3, 1), (-3, 0), (-2, 0), (-1, -2), (-3, 5), (1, -3), (1, -4), (0, -3)):
    t(F.pad, torch.ones(2), padding)
t(F.pad, torch.ones(2, 2), (-3, 2, -1, -1))

# % layers-grouped-queries: heads of keys and values that divide those of queries, and others
for heads in ((3, 2, 2), (4, 2, 1), (4, 3, 3), (4, 2, 2), (2, 4, 4), (4, 1, 1), (4, 2, 4)):
    q, k, v = (torch.ones(1, h, 2, 2, requires_grad=True) for h in heads)
    for mask in (None, torch.ones(2, 2)):
        t(lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True).shape)
for shape in ((2, 2), (1, 2, 2)):
    x = torch.ones(shape)
    t(lambda: F.scaled_dot_product_attention(x, x, x, enable_gqa=True).shape)


# % layers-order: the order in which the Nodes of cells and of casts run
def run_order(name, module, result):
    """The Nodes of a backward in the order in which they run, with the parameters that they lead to."""
    called = {id(p): path for path, p in module.named_parameters()}
    seen, order, waiting = set(), [], [result.grad_fn]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        below = [n for n, _ in node.next_functions if n is not None]
        leads = [called[id(n.variable)] for n in below if hasattr(n, "variable")]
        said = " ".join([node.name(), *leads])
        node.register_hook(lambda gi, go, said=said: order.append(said))
        waiting += [n for n in below if not hasattr(n, "variable")]
    result.backward()
    print(name, order)


for kind in (nn.RNNCell, nn.GRUCell, nn.LSTMCell):
    cell = kind(2, 3)
    made = cell(torch.ones(1, 2))
    run_order(kind.__name__, cell, (made if kind is not nn.LSTMCell else made[0]).sum())
plain = nn.Linear(2, 2)
with torch.autocast("cpu", dtype=torch.bfloat16):
    cast = plain(torch.ones(1, 2)).sum()
run_order("autocast", plain, cast)

# % layers-gradients-of-their-own: a gradient is no view, however many dimensions are normalized
for shape, sizes in (((2, 2, 3), (2, 3)), ((2, 3, 4), (4,)), ((2, 3), (3,))):
    x = torch.rand(shape, requires_grad=True)
    (g,) = torch.autograd.grad(F.layer_norm(x, sizes), x, torch.ones(shape))
    print(g._is_view(), g.stride())
for shape in ((2, 2, 3), (2, 1, 3), (2, 2, 2, 2), (4, 2)):
    x = torch.rand(shape, requires_grad=True)
    (g,) = torch.autograd.grad(F.batch_norm(x, None, None, torch.ones(shape[1]), training=True), x, torch.ones(shape))
    print(g._is_view(), g.stride())

# % layers-pieces: the cross entropy of a linear map in pieces: what it gives, and how often backward runs
options = nn.LinearCrossEntropyOptions
print(options(), options(batch_chunk_size=2)._adjust(10, 3, 20, torch.float32))
print(options()._adjust(10, 3, 20, torch.bfloat16, torch.device("cpu")))
for bad in (
    {"acc_policy": "best"},
    {"chunking_method": "rows"},
    {"chunking_method": "aspect_ratio:0"},
    {"batch_chunk_size": 0},
    {"acc_dtype": torch.int32},
):
    attempt(lambda bad=bad: options(**bad))
attempt(lambda: options(batch_chunk_size=7, chunking_method="aspect_ratio")._adjust(10, 3, 20, torch.float64))
x = torch.tensor([[0.5, 1, 2], [1, -1, 0], [0, 3, 1], [2, 2, -2]], requires_grad=True)
w, b = torch.eye(3, requires_grad=True), torch.tensor([0.5, 0, 1], requires_grad=True)
target, weight = torch.tensor([0, 2, 1, 1]), torch.tensor([1.0, 2, 0.5])


def pieces(reduction="mean", rows=x, wanted=target, **given):
    return F.linear_cross_entropy(rows, w, wanted, linear_bias=b, reduction=reduction, **given)


for reduction in ("mean", "sum", "none"):
    for ignored in (None, 1, 9):
        found = pieces(reduction, options=options(batch_chunk_size=3), weight=weight, ignore_index=ignored)
        whole = pieces(reduction, weight=weight, ignore_index=-100 if ignored == 9 else ignored)
        print(found.grad_fn.name(), found.shape, torch.allclose(found, whole))
        mine, its = [torch.autograd.grad(y.sum(), (x, w, b), retain_graph=True) for y in (found, whole)]
        print([torch.allclose(g, h, atol=1e-6) for g, h in zip(mine, its, strict=True)])
        attempt(lambda found=found: torch.autograd.grad(found.sum(), x, retain_graph=True)[0].shape)
y = pieces(options=options(allow_retain_graph=True))
for _ in range(2):
    print([round(g.abs().sum().item(), 4) for g in torch.autograd.grad(y, (w, b), retain_graph=True)])
print(pieces(rows=x[0], wanted=target[0], options=options()).grad_fn.name(), pieces(rows=x[:0], wanted=target[:0]))
print(
    pieces(rows=x[:0], wanted=target[:0], options=options()), pieces(wanted=torch.full((4,), -100), options=options())
)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(
        pieces(options=options(), label_smoothing=0.5).grad_fn.name(),
        pieces(wanted=torch.ones(4, 3), options=options()).shape,
    )
print(*[w_.message for w_ in told], sep="\n")
attempt(lambda: pieces(options=options(acc_dtype=torch.float64)))
attempt(lambda: pieces(wanted=target[:3], options=options(batch_chunk_size=2)))
layer = nn.LinearCrossEntropyLoss(3, 4, options=options(batch_chunk_size=2))
print(layer, pickle.loads(pickle.dumps(layer)).options == layer.options)
