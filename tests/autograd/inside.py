"""What programs ask of the pass that runs, by torch._C; classes of Nodes by name."""

import gc
import weakref

import torch
import torch.utils.checkpoint
from torch.autograd import Function
from torch.autograd.gradcheck import get_analytical_jacobian, get_numerical_jacobian

from tests.scenarios.show import t

# % inside-execution: which Nodes a pass comes to
C = torch._C
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c = a * b
d = c.sin()
e = c.cos()
nodes = [c.grad_fn, d.grad_fn, e.grad_fn]
c.register_hook(lambda g: print([C._will_engine_execute_node(n) for n in nodes]))
out = d.sum()
out.backward(retain_graph=True)
torch.autograd.backward(out, inputs=[c], retain_graph=True)
leaf = c.grad_fn.next_functions[0][0]
c.register_hook(lambda g: C._will_engine_execute_node(leaf))
t(lambda: torch.autograd.grad(out, a, retain_graph=True))
t(lambda: C._will_engine_execute_node(leaf))
t(lambda: C._will_engine_execute_node(out))

# % inside-order: in which order, and as which pass
threads = torch.autograd.set_multithreading_enabled
a = torch.ones((), requires_grad=True)
b = a * 2
outs = b.sin(), b.cos(), b.cos() + a
numbers = []


def order(g):
    numbers.append(torch._C._current_graph_task_id())
    print([n.name() for n in torch._C._current_graph_task_execution_order()])


outs[2].register_hook(order)
with threads(False):
    print(torch._C._is_multithreading_enabled())
    torch.autograd.grad(outs, a, retain_graph=True)
    outs[2].backward(inputs=[b], retain_graph=True)
print(numbers[1] - numbers[0], torch._C._current_graph_task_id(), torch._C._is_multithreading_enabled())
t(lambda: outs[2].backward())
t(torch._C._current_graph_task_execution_order)

# % inside-node: the Node that runs, as hooks see it
a = torch.rand(3, 3, requires_grad=True)


def unpack(v):
    node = torch._C._current_autograd_node()
    print(node.name())
    node.register_hook(lambda gradients, received: print(len(gradients), received))
    return v


with torch.autograd.graph.saved_tensors_hooks(lambda v: v, unpack):
    b = a.exp()
b.register_hook(lambda g: print("hook in", torch._C._current_autograd_node()))
b.grad_fn.register_prehook(lambda g: print("prehook in", torch._C._current_autograd_node().name()))
b.sum().backward()
print(torch._C._current_autograd_node())


# The Node of a leaf runs its hooks, captured gradients run those of theirs; a pass inside of another has its own.
def told(tag):
    node = torch._C._current_autograd_node()
    print(tag, node and node.name())


class Nested(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            inner = torch.ones(2, requires_grad=True)
            inner.register_hook(lambda g: told("inner leaf"))
            (inner * inner).sum().backward()
        told("after the inner pass")
        return grad * 2, None, None  # gradients beyond the inputs may be None


leaf = torch.ones(2, requires_grad=True)
middle = leaf * 3
leaf.register_hook(lambda g: told("leaf"))
leaf.register_post_accumulate_grad_hook(lambda p: told("after accumulation"))
middle.register_hook(lambda g: told("middle"))
Nested.apply(middle).sum().backward(retain_graph=True)
torch.autograd.grad(middle.exp().sum(), (middle, leaf), retain_graph=True)
middle.exp().sum().backward(inputs=[leaf])
told("outside")

# % inside-functions: Nodes that fail, Nodes that give nothing
F = torch._C._functions
x = torch.ones(2, requires_grad=True)
y = F.DelayedError("refused", 1)(x * 2)
print(y, y.grad_fn.name(), y.grad_fn.next_functions[0][0].name(), y._is_view())
t(lambda: y.sum().backward())
z = F.UndefinedGrad()(x * 2)
print(z, z.grad_fn.name())
z.sum().backward()
print(x.grad)
print([v.grad_fn.name() for v in F.DelayedError("refused", 2)(x, x)])
t(lambda: F.DelayedError("refused", 2)(x))
t(lambda: F.DelayedError("refused", 1)(3))
t(lambda: F.UndefinedGrad()(3))
t(lambda: F.DelayedError("refused", 1)(torch.ones(2)))
print(
    type((x * x).grad_fn) is F.MulBackward0, type(torch.linalg.inv(torch.eye(2) * x).grad_fn) is F.LinalgInvExBackward0
)
t(lambda: F.NoSuchBackward0)

# % inside-saved: saved tensors and references
A = torch._C._autograd
x = torch.ones(2, requires_grad=True)
saved = A._make_saved_tensor(x, is_output=False)
print(isinstance(saved, A.SavedTensor), saved.unpack() is x)
with torch.autograd.graph.saved_tensors_hooks(lambda v: print("pack") or v * 2, lambda v: print("unpack") or v):
    saved = A._make_saved_tensor(x, is_output=False)
print(saved.unpack())
print(saved.unpack())
with torch.autograd.graph.disable_saved_tensors_hooks("no"):
    print(A._saved_tensors_hooks_is_enabled())
print(A._saved_tensors_hooks_is_enabled(), A._get_current_graph_task_keep_graph())
y = x * 2
y.register_hook(lambda g: print(A._get_current_graph_task_keep_graph()))
y.sum().backward(retain_graph=True)
y.sum().backward()
y.add_(1)
A._unsafe_set_version_counter((y,), (0,))
print(y._version)
t(lambda: A._unsafe_set_version_counter((y,), (-1,)))
kept = [x * 2]
ref = torch._C._WeakTensorRef(kept[0])
print(ref.expired())
kept.clear()
print(ref.expired())

# % inside-early-stop: what a recomputation has made is not kept


refs = []


class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.clone()
        ctx.save_for_backward(y)
        refs.append(weakref.ref(y))
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


gc.disable()
x = torch.ones(2, requires_grad=True)
torch.utils.checkpoint.checkpoint(Kept.apply, x, use_reentrant=False).sum().backward()
print([ref() is None for ref in refs], x.grad)
gc.enable()

# % saved-indices: indices are saved tensors: checked, packed by hooks, freed
x, i, j = torch.ones(3, requires_grad=True), torch.tensor([0, 1]), torch.tensor([True, False, True])


def written(i):
    y = x.clone()
    y[i] = x[:2] * 2
    return y


def changed(make, index, change):
    index = index.clone()
    y = make(index)
    change(index)
    t(lambda: y.sum().backward())


for make in (lambda i: x[i], lambda i: x.index_put((i,), torch.ones(2)), written, lambda i: x[None, i]):
    changed(make, i, lambda i: i.add_(1))
changed(lambda j: x[j], j, lambda j: j.zero_())
y = x[None, i]
raw = y.grad_fn._raw_saved_indices
print(type(raw), [type(k).__name__ for k in raw], y.grad_fn._saved_indices, raw[1].data is i)
t(lambda: raw[0].register_hooks(lambda v: v, lambda v: v))
raw[1].register_hooks(lambda v: (print("pack", v), v)[1], lambda v: (print("unpack", v), v)[1])
t(lambda: raw[1].register_hooks(lambda v: v, lambda v: v))
y.sum().backward()
t(lambda: y.grad_fn._raw_saved_indices)
with torch.autograd.graph.saved_tensors_hooks(lambda v: (print("pack", v), v)[1], lambda v: (print("un", v), v)[1]):
    x[i].sum().backward()
    x.index_put((i,), torch.ones(2)).sum().backward()
    written(i).sum().backward()
    (g,) = torch.autograd.grad(x[i].sum(), x, create_graph=True)
    print(g)

# % nodes-from-outside: what of a Node cannot be set, its names, edges with an owner, which Nodes a pass comes to
x = torch.ones(2, requires_grad=True)
y = x * 2
for name in ("metadata", "next_functions", "requires_grad", "_input_metadata"):
    t(lambda: setattr(y.grad_fn, name, 3))
    t(lambda: delattr(y.grad_fn, name))
print("variable" in dir(y.grad_fn.next_functions[0][0]))


class Same(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g


print(Function.clear_saved_tensors_on_access, Function.boxed_grads_call)
edge = torch.autograd.graph.get_gradient_edge(Same.apply(x))
print(edge)
t(lambda: torch.autograd.grad(y, x, grad_outputs=edge))
y.register_hook(lambda g: print(torch._C._will_engine_execute_node(y.grad_fn)))
torch.autograd.grad(y.sum(), y)
for value in (torch.float16, None, 3):
    t(lambda: setattr(y, "grad_dtype", value))


class Says(Same):
    @staticmethod
    def backward(ctx, g):
        print("the warning comes when the pass is over")
        return g


Says.apply(x).sum().backward(create_graph=True)
x.grad = None
print(torch.nn.InstanceNorm1d(2)(torch.ones(1, 1, 2)))

# % inside-deprecated-jacobians: Jacobians by the old functions of gradcheck

a = torch.ones(2, 2, requires_grad=True, dtype=torch.float64)
b = torch.full((2, 2), 2.0, requires_grad=True, dtype=torch.float64)


def pair(inputs):
    x, y = inputs
    return 2 * x + y, x + 2 * y


def rounded(found):
    return [j.round(decimals=4) for j in found]


t(lambda: rounded(get_numerical_jacobian(pair, (a, b), target=a, eps=1e-6)))
t(lambda: rounded(get_numerical_jacobian(pair, (a, b), eps=1e-6)))
t(lambda: get_numerical_jacobian(pair, (a, b), grad_out=2.0))
t(lambda: get_analytical_jacobian((a, b), pair((a, b))[0]))
t(lambda: get_analytical_jacobian((a,), pair((a, b))[0], grad_out=2.0))
t(lambda: get_analytical_jacobian((a,), pair((a, b))[0] * 1j))

# % inside-labels: labels for a profiler, streams, numbers of Nodes
with torch.autograd.profiler.record_function("a label") as label:
    print(type(label).__name__, label.name)


@torch.profiler.record_function("another")
def plus(x):
    """Adds one."""
    return x + 1


print(plus(2), plus.__name__, plus.__doc__)
t(lambda: torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(True))
y = torch.ones(1, requires_grad=True) * 2
t(lambda: y.grad_fn._set_sequence_nr("a"))
y.grad_fn._set_sequence_nr(5)
print(y.grad_fn._sequence_nr())
with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
    square = (y * 1) ** 2
    print(len(context.tid_to_weakhandle))
    context.clear()
    print(len(context.tid_to_weakhandle))

# % inside-zeros-twice: reductions by products that meet several zeros cannot be differentiated twice
i = torch.tensor([1.0], requires_grad=True)
s = torch.tensor([0.0, 0.0], requires_grad=True)
one = torch.tensor([0.0, 2.0], requires_grad=True)
where = torch.tensor([0, 0])
for reduce in torch.scatter_reduce, torch.index_reduce:
    for source in s, one:
        y = reduce(i, 0, where, source, "prod")
        print(torch.autograd.grad(y, (i, source), retain_graph=True))
        first = torch.autograd.grad(y, (i, source), create_graph=True)
        t(lambda: torch.autograd.grad(sum(f.sum() for f in first), (i, source), allow_unused=True))

# % inside-parts-written: real and imaginary part given by what is no tensor
z = torch.ones(2, dtype=torch.cfloat)
for part in "real", "imag":
    for value in None, "a", 3, 2.5, True, [1, 2], torch.ones(3):
        t(lambda: setattr(z, part, value))
        print(z)

# % checkpoints-in-checkpoints: the arguments of an inner call are computed again with the outer one
counts = []


def inner(x):
    counts.append("inner")
    return x.sin()


def outer(x):
    counts.append("outer")
    return torch.utils.checkpoint.checkpoint(inner, x, use_reentrant=False) * 2


for early_stop in (True, False):
    counts.clear()
    x = torch.ones(2, requires_grad=True)
    with torch.utils.checkpoint.set_checkpoint_early_stop(early_stop):
        y = torch.utils.checkpoint.checkpoint(outer, x, use_reentrant=False)
        y.sum().backward(retain_graph=True)
        print(counts, x.grad)
        y.sum().backward()
        print(counts, x.grad)
packed = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t.shape) or t, lambda t: t):
    torch.utils.checkpoint.checkpoint(inner, x, use_reentrant=False)
print(packed)

# % inside-nothing: gradients that are None, in passes that are recorded or heard by a mode
TorchDispatchMode = torch.utils._python_dispatch.TorchDispatchMode


class Log(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print("  ", func, [tuple(a.shape) for a in args if isinstance(a, torch.Tensor)])
        return func(*args, **(kwargs or {}))


class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return None


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 + 0 * x


for create in (False, True):
    print("recorded" if create else "plain")
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    a, b = x.exp().unbind()
    for y in (Stop.apply(a), Stop.apply(a) + Twice.apply(b), Stop.apply(a) + Stop.apply(b), a * Twice.apply(b)):
        print(torch.autograd.grad(y.sum(), x, create_graph=create, allow_unused=True, retain_graph=True))
    with Log():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = Twice.apply(x.sin()).sum()
        print("backward")
        g = torch.autograd.grad(y, x, create_graph=create)
        if create:
            print("backward of the backward")
            torch.autograd.grad((g[0] * g[0]).sum(), x)
        y = (Stop.apply(x.sin()) + Twice.apply(x.cos())).sum()
        print("backward with a gradient that is None")
        y.backward(create_graph=create)
    print(x.grad)
