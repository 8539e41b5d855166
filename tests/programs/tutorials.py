"""What public tutorials and packages write: compiled modules, old names of automatic precision, checkpoints by hand."""

# ruff: noqa: E402 imports stand where such programs have them

import copy
import warnings

import torch
from torch import nn

from tests.scenarios.show import attempt

# % tutorial-compiled-modules: a module in another one, its names and attributes
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
compiled = torch.compile(model, backend="eager")
print(compiled, type(compiled), isinstance(compiled, nn.Module), compiled._orig_mod is model)
print(compiled(torch.ones(1, 2)), list(compiled.state_dict()), [n for n, _ in compiled.named_modules()])
print(compiled.eval() is compiled, model.training, compiled.training, compiled.train().training, model.training)
compiled.note = 3
print(
    model.note, compiled.note, "note" in vars(compiled), compiled._get_name(), [p.shape for p in compiled.parameters()]
)
attempt(lambda: compiled.absent)
print(compiled.load_state_dict(compiled.state_dict()), copy.deepcopy(compiled))
compiled(torch.ones(1, 2)).sum().backward()
print(model[0].weight.grad, model.compile(backend="eager"), model)

# % tutorial-compiled-functions: with and without arguments, and what is refused


def double(x):
    """Twice."""
    print("runs")
    return 2 * x


fast = torch.compile(double, backend="eager")
print(fast.__name__, fast.__doc__, fast.__wrapped__ is double, torch.compile(double, disable=True) is double)
x = torch.ones(2, requires_grad=True)
y = torch.compile(backend="eager")(double)(x)
print(y, y.grad_fn.name())
for options in (
    {"backend": "nope"},
    {"mode": "nope"},
    {"mode": "max-autotune", "options": {}},
    {"word": 1},
):
    attempt(lambda options=options: torch.compile(double, **options))
attempt(lambda: torch.compile(3, backend="eager"))

# % tutorial-old-precision: torch.cuda.amp and torch.cpu.amp as modules
from torch.cuda.amp import GradScaler, autocast, custom_bwd, custom_fwd

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    scaler = GradScaler()
    with autocast():
        print(nn.Linear(2, 2)(torch.ones(1, 2)).dtype, scaler.scale(torch.ones(1)), torch.cuda.amp.autocast is not None)


def twice():
    class Twice(torch.autograd.Function):
        @staticmethod
        @custom_fwd
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        @custom_bwd
        def backward(ctx, grad):
            return 2 * grad

    return Twice


with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    twice()
print([f"{w.category.__name__}: {w.message}" for w in said])
x = torch.ones(2, requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    twice().apply(x).sum().backward()
print(x.grad)

# % tutorial-states: states of generators by hand, as reversible layers keep them
from torch.utils.checkpoint import get_device_states, set_device_states

print(get_device_states(torch.ones(1)), set_device_states([], []), torch.cuda._initialized)

# % tutorial-gather-inside: many elements along an inner dimension, as attention by buckets gathers them
torch.manual_seed(0)
x = torch.randn(2, 3, 40, 5, requires_grad=True)
x.gather(2, torch.randint(0, 40, (2, 3, 40, 5))).sum().backward()
print(x.grad.sum(), x.grad[0, 0, :6])
x = torch.zeros(3, 100, 2)
print(x.scatter_add(1, torch.randint(0, 100, (3, 90, 2)), torch.ones(3, 90, 2)).sum((0, 2)).tolist()[:12])

# % tutorial-old-grid: meshgrid without indexing warns
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    print(torch.meshgrid(torch.arange(2), torch.arange(2)))
print([str(w.message) for w in said])
