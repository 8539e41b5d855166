"""What programs from elsewhere lean on: classes that wrap others, names that copies of layers import, strides."""

# ruff: noqa: E402

import copy
import io
import pickle
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from tests.scenarios.show import attempt


def said(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(call())
        except (AttributeError, TypeError) as error:
            print(error)
    for one in caught:
        print(one.category.__name__, one.message)


# % wild-wrapping-optimizer: an Optimizer whose own __init__ is never called
class Averaged(torch.optim.Optimizer):
    def __init__(self, base, every=2):
        self.base, self.every, self.count = base, every, 0
        self.param_groups, self.defaults = base.param_groups, base.defaults
        self.slow = [p.detach().clone() for g in base.param_groups for p in g["params"]]

    def zero_grad(self):
        self.base.zero_grad()

    def step(self, closure=None):
        loss = self.base.step(closure)
        self.count += 1
        if self.count % self.every == 0:
            for p, q in zip((p for g in self.param_groups for p in g["params"]), self.slow, strict=True):
                q.lerp_(p.data, 0.5)
                p.data.copy_(q)
        return loss


w = nn.Parameter(torch.tensor([1.0, 2.0]))
averaged = Averaged(torch.optim.SGD([w], lr=0.1, momentum=0.9))
for _ in range(4):
    averaged.zero_grad()
    (w**2).sum().backward()
    averaged.step()
    print(w)
averaged._optimizer_step_pre_hooks = {0: lambda optimizer, args, kwargs: print("before", optimizer.count)}
averaged._optimizer_step_post_hooks = {}
averaged.step()  # no hook runs before its step is patched, which wrappers do by this name
averaged._patch_step_function()
averaged.step()
attempt(averaged.state_dict)
attempt(lambda: averaged.load_state_dict({}))


class Told(torch.optim.SGD):
    def step(self, closure=None):
        print("own step")
        return super().step(closure)


told = Told([w], lr=0.1)
told.register_step_pre_hook(lambda optimizer, args, kwargs: print("before", type(optimizer).__name__))
told.step()
again = copy.deepcopy(told)
again.step()
print(Told.step.hooked, torch.optim.SGD.step.hooked, len(again._optimizer_step_pre_hooks))

# % wild-old-amp: the old names of autocast and GradScaler are classes
from torch.cuda.amp import GradScaler, autocast, grad_scaler

scaler, context = GradScaler(enabled=False), autocast(enabled=False)
print(type(scaler).__mro__, type(context).__mro__)
print(isinstance(scaler, torch.amp.GradScaler), isinstance(context, torch.autocast), scaler.state_dict())


class Calm(autocast):
    def __init__(self):
        super().__init__(enabled=False)


class Fixed(GradScaler):
    def __init__(self: "GradScaler | None"):
        super().__init__(enabled=False, growth_interval=3)


print(isinstance(Calm(), autocast), isinstance(Fixed(), GradScaler), grad_scaler.OptState.READY)
kept = torch.cpu.amp.GradScaler(init_scale=4.0)
print(kept.state_dict(), type(pickle.loads(pickle.dumps(kept))))
with torch.cpu.amp.autocast():
    print((torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
attempt(lambda: torch.cpu.amp.GradScaler(1, 2, 3, 4, 5, 6))

# % wild-names-of-layers: what copies of PyTorch's layers import from its modules
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from torch.nn.init import _no_grad_fill_, _no_grad_normal_, _no_grad_trunc_normal_, _no_grad_uniform_, _no_grad_zero_
from torch.nn.modules.conv import _pair, _single, _triple
from torch.nn.modules.module import _addindent, _IncompatibleKeys
from torch.nn.modules.transformer import _get_activation_fn, _get_clones
from torch.optim.optimizer import ParamsT, required
from torch.types import _complex, _dtype, _layout

torch.manual_seed(0)
print(_get_clones(nn.Linear(2, 3), 2), _get_activation_fn("gelu")(torch.ones(2)))
attempt(lambda: _get_activation_fn("tanh"))
print(_addindent("a\nb\nc", 4), _IncompatibleKeys(["a"], []), _pair(3), _single((1,)), _triple("ab"))
p = nn.Parameter(torch.empty(2, 3))
print(_no_grad_normal_(p, 1.0, 2.0), _no_grad_uniform_(p, 0.0, 1.0), _no_grad_trunc_normal_(p, 0.0, 1.0, -1.0, 1.0))
print(_no_grad_fill_(p, 3.0), _no_grad_zero_(p))
print(_flatten_dense_tensors([torch.arange(3.0), torch.ones(2, 2).T]))
x = torch.arange(7.0, requires_grad=True)
print(*_unflatten_dense_tensors(x, [torch.zeros(3), torch.zeros(2, 0), torch.zeros(2, 2)]))
attempt(lambda: _unflatten_dense_tensors(x, [torch.zeros(3), torch.zeros(5, 2)]))
print(ParamsT, required, _complex, _dtype, _layout)


# % wild-symbolic-sizes: what isinstance asks for beside numbers; generators of devices that are not there
from torch.types import IntLikeType, py_sym_types

x = torch.ones(2, 3)
print(isinstance(x.shape[0], (int, torch.SymInt)), isinstance(x.shape[0], torch.SymInt), IntLikeType, py_sym_types)
attempt(lambda: torch.SymFloat())
import torch.cuda.random as devices

print(devices.manual_seed(0), torch.cuda.random.manual_seed_all(1), devices.get_rng_state_all())
torch.cuda.set_rng_state_all([])


# % wild-old-forms: factors before tensors, as programs of 2017 wrote them, in methods too
x, v, m = torch.ones(2), torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(v.add(2, x), v.sub(2, x))
print(v.addcmul(2, x, v), v.addcdiv(2, x, v))
print(m.addmm(2, m, m), m.addmm(2, 3, m, m), torch.addmm(2, m, 3, m, m), m.clone().addmm_(2, 3, m, m))
print(v.addmv(2, m, x), v.addmv(2, 3, m, x), m.addr(2, v, x), m.addr(2, 3, v, x))
print(m.addbmm(2, m[None], m[None]), m.addbmm(2, 3, m[None], m[None]))
print(m[None].baddbmm(2, m[None], m[None]), m[None].baddbmm(2, 3, m[None], m[None]))
attempt(lambda: v.addmv(2, 3, 4, m, x))


# % wild-strides-of-norms: gradients that lie otherwise than the input
def moved(t, order):
    return t.permute(order).contiguous().permute([order.index(d) for d in range(t.ndim)])


torch.manual_seed(0)
ORDERS = [(0, 1, 2, 3), (0, 2, 3, 1), (1, 0, 2, 3), (0, 1, 3, 2)]
for norm in (
    lambda x: F.batch_norm(x, None, None, torch.ones(3), torch.zeros(3), True),
    lambda x: F.batch_norm(x, torch.zeros(3), torch.ones(3)),
    lambda x: F.layer_norm(x, x.shape[1:]),
    lambda x: F.layer_norm(x, x.shape, torch.ones(2, 3, 4, 5)),
    lambda x: F.instance_norm(x),
    lambda x: F.group_norm(x, 3),
):
    for order in ORDERS:
        x = moved(torch.randn(2, 3, 4, 5), order).requires_grad_()
        y = norm(x)
        grads = [torch.autograd.grad(y, x, moved(torch.ones(2, 3, 4, 5), o), retain_graph=True)[0] for o in ORDERS]
        print(y.stride(), *(g.stride() for g in grads))

# % wild-parts-of-loading: names that packages import from PyTorch's inside
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data._utils.collate import default_collate

print(default_collate([(1, 2.0), (3, 4.0)]), default_collate is torch.utils.data.default_collate)
print(torch._C._log_api_usage_once("a.package"), isinstance(nn.ReLU(), DistributedDataParallel))
for given in (nn.ReLU(), nn.Linear(2, 1)):
    try:
        DistributedDataParallel(given)
    except ValueError as error:
        print(error)

# % wild-arrays-as-tensors: the old constructors take an array of their dtype as it is, and copy any other
for kind in (torch.Tensor, torch.DoubleTensor, torch.LongTensor, torch.BoolTensor, torch.ones(1).new):
    for numpy_type in (np.float32, np.float64, np.int64, np.bool_):
        array = np.ones((2, 2), dtype=numpy_type)
        x = kind(array)
        array[0, 1] = 0
        print(x.dtype, x[0, 1].item(), end=" ")
    print()
array = np.ones((3, 4), dtype=np.float32)[:, ::2]
x = torch.Tensor(array)
array[0, 0] = 5
print(x, x.stride(), torch.Tensor(array.astype(np.float64).T).stride())
w = torch.Tensor(array).requires_grad_()
(w * w).sum().backward()
torch.optim.SGD([w], lr=0.5).step()
print(array)
for given in (array[::-1], np.array(["a"]), np.float32(3)):
    try:
        print(torch.Tensor(given))
    except (TypeError, ValueError) as error:
        print(error)

# % wild-passes-of-a-loader: what iter() of a DataLoader is, and a dataset that says a wrong length


class Five(IterableDataset):
    def __iter__(self):
        return iter(range(5))

    def __len__(self):
        return 2

    def __repr__(self):
        return "Five()"


loader = DataLoader(TensorDataset(torch.arange(4)), batch_size=3)
passing = iter(loader)
print(type(passing).__name__, len(passing), next(passing), passing._num_yielded)
said(lambda: passing.next())
said(lambda: passing[0])
print(type(iter(DataLoader(Five(), num_workers=2))).__name__, type(DataLoader(Five()).sampler).__name__)
loader = DataLoader(Five(), batch_size=2)
said(lambda: list(loader))
said(lambda: (len(loader), list(loader)))
said(lambda: len(iter(loader)))

# % wild-names-of-saving: wrappers of save() pass PyTorch's own defaults on
file = io.BytesIO()
torch.save([1], file, pickle_module=torch.serialization.pickle, pickle_protocol=torch.serialization.DEFAULT_PROTOCOL)
file.seek(0)
print(torch.load(file), torch.serialization.DEFAULT_PROTOCOL)

# % wild-small-words: hooks as they are printed, initialisation of what is no tensor, a window that is missing
x = torch.ones(2, requires_grad=True)
x.register_hook(abs)
print(dict(x._backward_hooks))
said(lambda: nn.init.xavier_uniform_([1.0]))
said(lambda: torch.stft(torch.ones(8), 4, return_complex=True).shape)

# % wild-tables-of-optimizers: factories name SparseAdam beside the others; it refuses gradients that are dense
from torch.optim.sparse_adam import SparseAdam

w = nn.Parameter(torch.tensor([1.0, 2.0]))
optimizer = SparseAdam([{"params": [w], "lr": 0.1}], eps=1e-6)
print(optimizer, SparseAdam is torch.optim.SparseAdam, SparseAdam.__module__, optimizer.step(lambda: 3.0))
print(optimizer.state_dict())
(w * w).sum().backward()
for call in (
    optimizer.step,
    lambda: SparseAdam([w], lr=0),
    lambda: SparseAdam([w], eps=0.0),
    lambda: SparseAdam([w], betas=(0.5, 1.0)),
    lambda: SparseAdam([w], lr=torch.ones(2)),
    lambda: SparseAdam([nn.Parameter(torch.ones(1) * 1j)]),
    lambda: SparseAdam([]),
):
    attempt(call)
torch.optim.lr_scheduler.StepLR(optimizer, 1)
print(optimizer.param_groups[0]["initial_lr"], len(optimizer.state))

# % wild-hints-of-classes: what typing reads of classes that annotate their attributes
import typing


class Annotated(nn.Linear):
    factor: float
    mask: list


class Own(torch.optim.SGD):
    rate: float


class Shifted(torch.distributions.Normal):
    shift: int


for kind in (Annotated, Own, Shifted):
    hints = typing.get_type_hints(kind)
    print([(name, hints[name]) for name in ("factor", "mask", "rate", "shift", "training") if name in hints])


# % wild-no-channels: what a convolution without input channels draws all the same
for made in (lambda: nn.Conv2d(0, 4, 1), lambda: nn.Conv1d(3, 0, 2), lambda: nn.ConvTranspose2d(4, 0, 1)):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        layer = made()
    print(layer, layer.bias, torch.rand(2))


# % wild-single-labels: strides of labels of size 1 in einsum, recorded and not
x, y = torch.ones(2, 4, 1, 3), torch.ones(2, 4, 1, 3)
for equation in ("bihd,bjhd->bijh", "bihd,bjhd->ijbh", "bihd,bjhd->bhij"):
    for asks in (False, True):
        made = torch.einsum(equation, x.requires_grad_(asks), y)
        print(equation, asks, made.stride(), (made * 0.5).stride())


# % wild-tangents-by-jvp: tangents that a Function's jvp makes of what forward returned
import torch.autograd.forward_ad as fwAD


class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = torch.exp(x)
        return ctx.result

    @staticmethod
    def jvp(ctx, tangent):
        made = tangent * ctx.result
        print(made.requires_grad, made.grad_fn and made.grad_fn.name())
        return made


for asks in (False, True):
    with fwAD.dual_level():
        dual = fwAD.make_dual(torch.zeros(2, requires_grad=asks), torch.tensor([1.0, 2.0]))
        made = Exponential.apply(dual)
        tangent = fwAD.unpack_dual(made).tangent
        print(made, tangent, tangent.requires_grad, fwAD.unpack_dual(tangent * 2).tangent)
        print(fwAD.unpack_dual(made * made).tangent, fwAD.unpack_dual(Exponential.apply(made)).tangent)


# % wild-sparse-names: products named after sparse matrices, of dense ones, as graph networks write them
a = torch.ones(2, 3, requires_grad=True)
for product in (torch.spmm, torch.dsmm):
    print(product.__name__, product(a, torch.eye(3)))
    attempt(lambda: product(2, a))
    attempt(lambda: product(a, a))
attempt(lambda: a.spmm(a))


# % wild-tangents-go-on: what is computed from a tangent that was given out, beside dual tensors
import torch.autograd.forward_ad as fwAD

for asks in (False, True):
    x = torch.tensor([1.0, 2.0], requires_grad=asks)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, torch.tensor([1.0, 3.0]))
        primal, tangent = fwAD.unpack_dual(dual * dual)
        print(tangent * 2, fwAD.unpack_dual(tangent * dual).tangent.detach())
        print(primal * 2, fwAD.unpack_dual(primal * dual).tangent.detach())
        if asks:
            print(torch.autograd.grad((tangent * 2).sum(), x))
