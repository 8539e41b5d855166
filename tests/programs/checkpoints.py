"""Checkpoints that keep the results of some operations, and what they tell when the second time is not as the first."""

import contextlib
import gc
import weakref
from functools import partial

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    checkpoint,
    create_selective_checkpoint_contexts,
    set_checkpoint_debug_enabled,
)

from tests.scenarios.show import caught

aten = torch.ops.aten


def attempt(function, *args, **kwargs):
    with caught():
        function(*args, **kwargs)


class Tell(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func)
        return func(*args, **(kwargs or {}))


def selective(function, *args, kept, **options):
    contexts = partial(create_selective_checkpoint_contexts, kept, **options)
    return checkpoint(function, *args, use_reentrant=False, context_fn=contexts)


# % selective-policies: what a policy is asked, once for each operation of forward
print(list(CheckpointPolicy))
context = SelectiveCheckpointContext(is_recompute=True, op_output=1)
print(context.is_recompute, context.op_output)
attempt(SelectiveCheckpointContext)


def policy(context, op, *args, **kwargs):
    print(op, args, kwargs, context.op_output, context.is_recompute)
    return CheckpointPolicy.PREFER_SAVE if op is aten.exp.default else CheckpointPolicy.PREFER_RECOMPUTE


x = torch.tensor([0.5, 1.0], requires_grad=True)
y = selective(lambda x: (x.exp() * 2).sin().sum(dim=0), x, kept=policy)
print(y)
y.backward()
print(x.grad)

# % selective-what-is-computed-again: operations of the second time, and those that a list keeps
w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
for kept in ([], [aten.mm.default], [aten.mm.default, aten.sin.default]):
    w.grad = None
    y = selective(lambda w: torch.mm(w.cos(), w).sin().sum(), w, kept=kept)
    y.backward()
    print(w.grad)
for kept in (lambda context, op, *args: op == aten.mm.default, lambda *args: CheckpointPolicy.MUST_RECOMPUTE):
    w.grad = None
    selective(lambda w: torch.mm(w.cos(), w).sin().sum(), w, kept=kept).backward()
    print(w.grad)

# % selective-errors: what is no operation, what was changed, and a second backward
attempt(create_selective_checkpoint_contexts, [2])
attempt(create_selective_checkpoint_contexts, [aten.sin])
attempt(create_selective_checkpoint_contexts, 2)
sines = [aten.sin.default]
for allowed in (False, True):
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    y = selective(lambda x: x.sin().mul_(2).cos().exp(), x, kept=sines, allow_cache_entry_mutation=allowed)
    attempt(y.sum().backward)
    print(x.grad)
y = selective(lambda x: x.sin().cos().exp(), x, kept=sines)
y.sum().backward(retain_graph=True)
attempt(y.sum().backward)
turns = []


def changing(x):
    turns.append(x)
    return x.sin().exp() if len(turns) == 1 else x.cos().exp().tan()


attempt(selective(changing, x, kept=sines).sum().backward)

# % selective-memory: nothing that was kept outlives the graph, or its use
kept_values = []


def watching(context, op, *args, **kwargs):
    kept_values.append(weakref.ref(context.op_output))
    return True


gc.disable()
x = torch.tensor([0.5], requires_grad=True)
y = selective(lambda x: x.exp().sin(), x, kept=watching)
print([value() is None for value in kept_values])
del y
print([value() is None for value in kept_values])
gc.enable()

# % selective-operators-of-ones-own: they are kept as others are, and modes hear of them alone
calls = []


@torch.library.custom_op("kept_lib::sine_and_number", mutates_args=())
def sine_and_number(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    calls.append(x)
    return x.sin(), 2


def keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def backward(ctx, grad, number):
    (x,) = ctx.saved_tensors
    return grad * x.cos()


torch.library.register_autograd("kept_lib::sine_and_number", backward, setup_context=keep)
x = torch.tensor([0.5], requires_grad=True)
for kept in ([], [torch.ops.kept_lib.sine_and_number.default]):
    calls.clear()
    y = selective(lambda x: (torch.ops.kept_lib.sine_and_number(x)[0] * x.exp()).sin(), x, kept=kept)
    print(torch.autograd.grad(y, x), len(calls))
with Tell():
    print(len(torch.ops.kept_lib.sine_and_number(torch.tensor([0.5], requires_grad=True))))
    print(len(sine_and_number(torch.tensor([0.5]))))


# % checkpoint-debug: an error tells the operations of both times
def telling(debug=False, **options):
    turns = []

    def changing(x):
        turns.append(x)
        return x.sin().exp() if len(turns) == 1 else x.sin() * torch.tensor([1.0, 2.0])

    y = checkpoint(changing, torch.ones(1, requires_grad=True), use_reentrant=False, debug=debug, **options)
    try:
        y.backward()
    except RuntimeError as error:
        lines = str(error).split("\n")
        print(len(lines) > 60, lines[:3])
        print("= torch._ops.aten.sin.default($0)   (1 of 2 in original)" in str(error))
        print([line for line in lines if "You are seeing" in line])


telling()
telling(debug=True)
with set_checkpoint_debug_enabled(True):
    telling()
    with set_checkpoint_debug_enabled(False):
        telling(debug=True)
    with set_checkpoint_debug_enabled(None):
        telling(debug=True)
attempt(telling, debug=True, context_fn=lambda: (contextlib.nullcontext(), contextlib.nullcontext()))

# % checkpoints-segments: which parts of a sequence run again, and in which order
from torch.utils.checkpoint import checkpoint_sequential  # noqa: E402


class Told(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def forward(self, x):
        print(self.name, torch.is_grad_enabled(), end="; ")
        return x * 2


for count, segments in ((5, 2), (6, 3), (3, 1), (4, 4), (3, 2)):
    for reentrant in (False, True):
        x = torch.ones(1, requires_grad=True)
        y = checkpoint_sequential([Told(i) for i in range(count)], segments, x, use_reentrant=reentrant)
        print("|", end=" ")
        y.backward()
        print(count, segments, reentrant, x.grad)
