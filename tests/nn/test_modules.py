"""Layers against PyTorch: text, start values from the same seed, output, gradients, state_dict; Module's own rules."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import autogradlab

IMAGE = np.linspace(-2, 3, 2 * 3 * 8 * 8, dtype=np.float32).reshape(2, 3, 8, 8)
ROWS = np.linspace(-1, 1, 5 * 2 * 3, dtype=np.float32).reshape(5, 2, 3)
LAYERS = [
    "Linear(8,2)",
    "Linear(8,2,bias=False)",
    "LazyLinear(3)",
    "Identity()",
    "Conv2d(3,4,3)",
    "Conv2d(3,4,3,padding=1,stride=2)",
    "Conv2d(3,3,3,groups=3)",
    "Conv2d(3,4,3,padding='same',padding_mode='reflect')",
    "ConvTranspose2d(3,4,3,stride=2,output_padding=1)",
    "LazyConv2d(4,3)",
    "LazyConvTranspose2d(4,3,stride=2)",
    "LazyConvTranspose2d(4,3,bias=False,groups=1)",
    "LazyBatchNorm2d()",
    "LazyBatchNorm2d(affine=False)",
    "LazyBatchNorm2d(track_running_stats=False,bias=False)",
    "LazyInstanceNorm2d()",
    "LazyInstanceNorm2d(affine=False,track_running_stats=False)",
    "FractionalMaxPool2d(2,output_size=3)",
    "FractionalMaxPool2d((2,3),output_ratio=(.5,.6))",
    "MaxPool2d(2)",
    "AvgPool2d(2)",
    "AdaptiveAvgPool2d((2,3))",
    "AdaptiveMaxPool2d(2)",
    "BatchNorm2d(3)",
    "BatchNorm2d(3,affine=False)",
    "BatchNorm2d(3,momentum=None)",
    "InstanceNorm2d(3)",
    "GroupNorm(3,3)",
    "LayerNorm(8)",
    "RMSNorm(8)",
    "Dropout(.3)",
    "Dropout2d(.3)",
    "Flatten()",
    "Unflatten(1,(3,1))",
    "ZeroPad2d(1)",
    "ConstantPad2d(1,3.)",
    "Upsample(scale_factor=2)",
    "PixelUnshuffle(2)",
    "Softmax(dim=1)",
    "LogSoftmax(1)",
    "LeakyReLU()",
    "LeakyReLU(.2,True)",
    "ELU()",
    "GELU()",
    "PReLU(3)",
    "SELU()",
    "SiLU()",
    "Mish()",
    "Hardtanh()",
    "ReLU6()",
    "Softplus()",
    "Softshrink()",
    "Threshold(.1,20)",
    "GLU()",
    "Sigmoid()",
    "Tanh()",
    "LogSigmoid()",
    "CELU()",
    "Hardswish()",
    "Hardsigmoid()",
    "ReLU(inplace=True)",
    "Sequential(torch.nn.Flatten(),torch.nn.Linear(192,4),torch.nn.ReLU())",
]
VOLUMES = np.linspace(-2, 3, 2 * 3 * 4 * 4 * 4, dtype=np.float32).reshape(2, 3, 4, 4, 4)
OF_VOLUMES = [
    "AdaptiveAvgPool3d((2,None,3))",
    "AdaptiveMaxPool3d(2)",
    "LPPool3d(2,2)",
    "FractionalMaxPool3d(2,output_size=2)",
    "LazyConv3d(2,3)",
    "LazyConvTranspose3d(2,2)",
    "LazyBatchNorm3d()",
    "LazyInstanceNorm3d()",
]
OF_ROWS = ["LazyConvTranspose1d(2,2)", "LazyBatchNorm1d()", "LazyInstanceNorm1d()"]
RECURRENT = [
    "RNN(3,4)",
    "LSTM(3,4)",
    "GRU(3,4)",
    "LSTM(3,4,2,bidirectional=True)",
    "GRU(3,4,bias=False,bidirectional=True)",
    "LSTM(3,4,proj_size=2)",
    "RNN(3,4,2,batch_first=True,nonlinearity='relu')",
    "TransformerEncoderLayer(3,1,5,dropout=0.)",
]


def outcome(torch: Any, made: str, values: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    layer = eval(f"torch.nn.{made}", {"torch": torch})
    text = repr(layer)
    out = layer(torch.from_numpy(values.copy()))
    out = out[0] if isinstance(out, tuple) else out
    grads = []
    if out.requires_grad:
        (out * out).sum().backward()
        grads = [p.grad.numpy() for p in layer.parameters() if p.grad is not None]
    state = {k: v.numpy() for k, v in layer.state_dict().items()}
    return {"text": (text, repr(layer), list(state)), "arrays": [out.detach().numpy(), *grads, *state.values()]}


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("made", "values"),
    [(m, IMAGE) for m in LAYERS] + [(m, ROWS) for m in RECURRENT + OF_ROWS] + [(m, VOLUMES) for m in OF_VOLUMES],
    ids=LAYERS + RECURRENT + OF_ROWS + OF_VOLUMES,
)
def test_layer_as_pytorch(torch: Any, made: str, values: Any):
    ours, theirs = outcome(autogradlab, made, values), outcome(torch, made, values)
    assert ours["text"] == theirs["text"]
    for a, b in zip(ours["arrays"], theirs["arrays"], strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=2e-3 if "Norm" in made or "Transformer" in made else 1e-5)


@pytest.mark.parity
@pytest.mark.parametrize(
    "name",
    [
        "uniform_",
        "normal_",
        "xavier_uniform_",
        "xavier_normal_",
        "kaiming_uniform_",
        "kaiming_normal_",
        "trunc_normal_",
        "eye_",
    ],
)
def test_init_as_pytorch(torch: Any, name: str):
    found = []
    for lib in (autogradlab, torch):
        lib.manual_seed(3)
        found.append(getattr(lib.nn.init, name)(lib.empty(3, 5)).numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=2e-6, atol=1e-7)


WRONG = [
    "m.load_state_dict(torch.nn.Linear(3, 1).state_dict())",
    "m.load_state_dict({'x': torch.zeros(1)})",
    "m.load_state_dict(3)",
    "m.load_state_dict({'weight': 1, 'bias': torch.zeros(1)})",
    "m.foo",
    "m(torch.zeros(3, 3))",
    "m.to(torch.int32)",
    "setattr(m, 'weight', torch.zeros(1))",
    "setattr(m, 'weight', 3)",
    "torch.nn.Sequential(3)",
    "torch.nn.Parameter(torch.arange(3))",
    "m.add_module('a.b', torch.nn.ReLU())",
    "m.add_module('weight', torch.nn.ReLU())",
    "m.add_module(3, torch.nn.ReLU())",
    "m.register_parameter('q', torch.zeros(1))",
    "m.register_parameter('forward', None)",
    "m.register_buffer('q', 3)",
    "torch.nn.Module()(1)",
    "torch.nn.Module(3)",
    "m.get_parameter('zz')",
    "m.get_submodule('zz')",
    "m.get_buffer('weight')",
    "m.train(3)",
    "torch.nn.UninitializedParameter().shape",
    "torch.nn.Conv2d(3, 4, 3, groups=2)",
    "torch.nn.Dropout(2)",
    "torch.nn.Linear(1, 1).cuda()",
    "torch.nn.LazyBatchNorm1d()(torch.ones(3))",
    "torch.nn.LazyBatchNorm2d()(torch.ones(3, 4))",
    "torch.nn.LazyInstanceNorm2d(affine=True)(torch.ones(3, 4, 2))",
    "torch.nn.LazyConvTranspose2d(4, 3, groups=2)(torch.ones(1, 3, 5, 5))",
    "torch.nn.FractionalMaxPool2d(2)",
    "torch.nn.FractionalMaxPool3d(2, 2, .5)",
    "torch.nn.GroupNorm(2, 3)",
    "torch.nn.Softmax2d()(torch.ones(2))",
]


@pytest.mark.parity
@pytest.mark.parametrize("code", WRONG)
def test_errors_as_pytorch(torch: Any, code: str):
    def said(lib: Any) -> str:
        with pytest.raises(Exception) as caught:
            eval(code, {"torch": lib, "m": lib.nn.Linear(2, 1)})
        return f"{caught.type.__name__}: {caught.value}"

    assert said(autogradlab) == said(torch)


def hooked(torch: Any) -> list[Any]:
    log: list[Any] = []
    m = torch.nn.Linear(2, 2)
    m.register_forward_pre_hook(lambda m, a: log.append(("pre", len(a))))
    m.register_forward_hook(lambda m, a, o: log.append(("forward", tuple(o.shape))))
    m.register_full_backward_pre_hook(lambda m, go: log.append(("backward pre", len(go))))
    handle = m.register_full_backward_hook(
        lambda m, gi, go: log.append(("backward", [tuple(g.shape) for g in gi], len(go)))
    )
    x = torch.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    handle.remove()
    m(x).sum().backward()
    log.append(m(x).grad_fn.name())
    return log


HOOKS = [
    ("pre", 1),
    ("forward", (1, 2)),
    ("backward pre", 1),
    ("backward", [(1, 2)], 1),
    ("pre", 1),
    ("forward", (1, 2)),
    ("backward pre", 1),
    ("pre", 1),
    ("forward", (1, 2)),
    "BackwardHookFunctionBackward",
]


def test_hooks():
    assert hooked(autogradlab) == HOOKS


@pytest.mark.parity
def test_hooks_as_pytorch(torch: Any):
    assert [h if h != "torch::autograd::BackwardHookFunctionBackward" else HOOKS[-1] for h in hooked(torch)] == HOOKS


def test_copies_are_independent():
    torch = autogradlab
    m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    for twin in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert repr(twin) == repr(m)
        assert torch.equal(twin[0].weight, m[0].weight)
        with torch.no_grad():
            twin[0].weight.add_(1)
        assert not torch.equal(twin[0].weight, m[0].weight)
        assert twin[0].weight.requires_grad
        assert isinstance(twin[0].weight, torch.nn.Parameter)


def test_registration():
    torch = autogradlab

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)
            self.register_buffer("kept", torch.ones(1))
            self.register_buffer("passing", torch.ones(1), persistent=False)
            self.p = torch.nn.Parameter(torch.zeros(2))

    net = Net()
    assert list(net.state_dict()) == ["p", "kept", "layer.weight", "layer.bias"]
    assert [k for k, _ in net.named_parameters()] == ["p", "layer.weight", "layer.bias"]
    assert [k for k, _ in net.named_buffers()] == ["kept", "passing"]
    net.double()
    assert net.layer.weight.dtype is net.kept.dtype is torch.float64
    assert not net.eval().layer.training
    del net.layer
    assert repr(net) == "Net()"


@pytest.mark.parity
@pytest.mark.parametrize(
    "code",
    [
        "nn.CTCLoss(zero_infinity=True)(x.log_softmax(2), torch.tensor([[1, 2], [2, 2]]), (4, 4), (2, 1))",
        (
            "nn.CTCLoss(2, 'none')(x.log_softmax(2), torch.tensor([[1, 0], [0, 0]]), torch.tensor([4, 3]), "
            "torch.tensor([2, 1]))"
        ),
        "nn.MultiLabelMarginLoss()(x[0], torch.tensor([[1, -1, 0], [2, 0, -1]]))",
        "nn.MultiLabelMarginLoss(reduction='none')(x[0], torch.tensor([[1, -1, 0], [2, 0, -1]]))",
        "nn.MaxUnpool3d(2)(*nn.MaxPool3d(2, return_indices=True)(x.reshape(1, 1, 2, 3, 4)))",
    ],
)
def test_losses_and_unpooling_as_pytorch(torch: Any, code: str):
    def found(lib: Any) -> list[Any]:
        x = (lib.arange(24.0).reshape(4, 2, 3) / 7).sin().requires_grad_()
        y = eval(code, {"torch": lib, "nn": lib.nn, "x": x})
        (y * y).sum().backward()
        return [y.detach().numpy(), x.grad.numpy()]

    for a, b in zip(found(autogradlab), found(torch), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parity
def test_nllloss2d_as_pytorch(torch: Any):
    def said(lib: Any) -> list[str]:
        with pytest.warns(FutureWarning) as caught:
            layer = lib.nn.NLLLoss2d(reduction="sum")
        return [repr(layer), layer.reduction, str(caught[0].message)]

    assert said(autogradlab) == said(torch)


def test_pickle_finds_this_package_s_classes_where_there_is_no_torch() -> None:
    """Their `__module__` is PyTorch's name, by which pickle would import PyTorch."""
    code = """
import copy, pickle, sys
sys.modules["torch"] = None
import autogradlab as torch
from autogradlab import nn
from autogradlab.nn.utils import prune
from autogradlab.utils import data

layer = lambda: nn.Linear(2, 3)
whole = [1, 2, 3]
made = [
    layer(),
    nn.LazyLinear(3),
    nn.UninitializedBuffer(),
    nn.utils.spectral_norm(layer()),
    nn.utils.weight_norm(layer()),
    prune.ln_structured(prune.l1_unstructured(layer(), "weight", 1), "weight", 1, 2, 0),
    data.DataLoader(data.TensorDataset(torch.ones(3)), shuffle=True),
    data.ConcatDataset([data.Subset(whole, [0]), whole]),
    data.BatchSampler(data.RandomSampler(whole), 2, False),
    torch.no_grad(),
    torch.autocast("cpu"),
    torch.amp.GradScaler("cpu"),
    torch.optim.SGD(layer().parameters(), 0.1),
    torch.distributions.TransformedDistribution(
        torch.distributions.Normal(0.0, 1.0), [torch.distributions.ExpTransform()]
    ),
    nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2])(torch.ones(1, 4), torch.tensor([1])),
]
for x in made:
    for protocol in (2, 5):
        again = pickle.loads(pickle.dumps(x, protocol))
        assert type(again) is type(x), (x, again)
for x in made[:2] + made[6:-1]:
    assert type(copy.deepcopy(x)) is type(x), x
kept = layer()
handle = kept.register_forward_hook(print)
kept, handle = pickle.loads(pickle.dumps((kept, handle)))
assert list(kept._forward_hooks) == [handle.id]
handle.remove()
kept.register_load_state_dict_pre_hook(print)
(hook,) = pickle.loads(pickle.dumps(kept))._load_state_dict_pre_hooks.values()
assert hook.hook is print
assert not kept._forward_hooks
found = pickle.loads(pickle.dumps(made[3]))
assert found.weight_u.equal(made[3].weight_u)
found(torch.ones(2))
assert not found.weight_u.equal(made[3].weight_u)
"""
    done = subprocess.run([sys.executable, "-P", "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
