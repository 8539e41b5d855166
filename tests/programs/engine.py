"""backward() and autograd.grad(): options, errors, modes, anomalies."""

import copy
import pickle
import warnings

import torch
import torch.nn.functional as F

from tests.scenarios.show import attempt, caught

# % engine-backward-errors: every way to call backward wrongly
w = torch.tensor([1.0, 2.0], requires_grad=True)
for action in (
    lambda: w.backward(),
    lambda: (w * 2).backward(torch.ones(3)),
    lambda: (w * 2).backward(torch.ones(2, dtype=torch.int64)),
    lambda: (w * 2).backward(5),
    lambda: (w * 2).backward("ones"),
    lambda: torch.ones(2).sum().backward(),
    lambda: torch.autograd.backward([]),
    lambda: torch.autograd.backward([w.sum(), w.sum()], [None]),
    lambda: torch.autograd.backward(w.sum(), inputs=[]),
    lambda: w.sum().backward(inputs=w * 2),
    lambda: w.sum().backward(inputs=[torch.ones(2)]),
    lambda: torch.autograd.backward(3.0),
    lambda: torch.autograd.backward((w.sum(), torch.ones(()))),
    lambda: w.sum().backward(torch.tensor(2.0, dtype=torch.float64)),
    lambda: (w * 1j).sum().backward(),
    lambda: w.argmax().backward(),
    lambda: (w > 0).sum().backward(),
):
    w.grad = None
    attempt(action)
    print("   ", w.grad)

# % engine-inputs-argument: accumulate into some leaves only
a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
c = a * b
out = c * c
out.backward(inputs=[a], retain_graph=True)
print(a.grad, b.grad)
out.backward(inputs=b, retain_graph=True)
print(a.grad, b.grad)
out.backward(inputs=(c,))
print(c.grad, a.grad)

# % engine-grad-options: allow_unused, materialize_grads, grad_outputs, several outputs
x, y, unused = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(3))
z = x * x * y
print(torch.autograd.grad(z.sum(), (x, y), retain_graph=True))
print(torch.autograd.grad(z, x, grad_outputs=torch.tensor([1.0, 10.0]), retain_graph=True))
print(torch.autograd.grad([z, x * 3], [x], grad_outputs=[torch.ones(2), torch.ones(2) * 100], retain_graph=True))
print(torch.autograd.grad(z.sum(), (x, unused), allow_unused=True, retain_graph=True))
print(torch.autograd.grad(z.sum(), (x, unused), materialize_grads=True, retain_graph=True))
print(torch.autograd.grad(x, x, torch.ones(2)), torch.autograd.grad(z, z, torch.ones(2), retain_graph=True))
print(
    {
        name: g.tolist()
        for name, g in zip(
            "xy", torch.autograd.grad(z.sum(), {"x": x, "y": y}.values(), retain_graph=True), strict=True
        )
    }
)
for action in (
    lambda: torch.autograd.grad(z.sum(), unused, retain_graph=True),
    lambda: torch.autograd.grad(z, x, retain_graph=True),
    lambda: torch.autograd.grad(z.sum(), x, allow_unused=False, materialize_grads=True),
    lambda: torch.autograd.grad(z.sum(), torch.ones(2), retain_graph=True),
    lambda: torch.autograd.grad(z.sum(), []),
    lambda: torch.autograd.grad(z, x, torch.ones(3)),
    lambda: torch.autograd.grad(z.sum(), x, only_inputs=False),
    lambda: torch.autograd.grad(z.sum(), "x"),
    lambda: torch.autograd.grad([], x),
):
    attempt(action)

# % engine-batched-grads: is_grads_batched runs a batch of vectors at once
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2 * x.sum()
rows = torch.autograd.grad(y, x, grad_outputs=torch.eye(3), is_grads_batched=True, retain_graph=True)
print(rows)
print(torch.stack([torch.autograd.grad(y[k], x, retain_graph=True)[0] for k in range(3)]))
with caught():
    torch.autograd.grad(y, x, grad_outputs=torch.ones(3), is_grads_batched=True)
print(torch.autograd.functional.jacobian(lambda t: t**2 * t.sum(), x.detach()))
print(torch.autograd.functional.hessian(lambda t: (t**3).sum(), x.detach()))

# % engine-double-backward: gradients of gradients of common functions
x = torch.tensor([0.5, 1.5], requires_grad=True)
for name, f in {
    "sin": torch.sin,
    "exp": torch.exp,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "1/x": lambda t: 1 / t,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "x**x": lambda t: t**t,
    "prod": lambda t: t.prod(),
    "matmul": lambda t: t @ t,
    "relu": torch.relu,
}.items():
    (g,) = torch.autograd.grad((f(x) * torch.arange(1.0, 3.0)).sum(), x, create_graph=True)
    second = torch.autograd.grad(g.sum(), x, allow_unused=True)[0] if g.requires_grad else "constant"
    print(name, g, second)

# % engine-gradient-penalty: a gradient inside of a loss
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
x = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
(g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
penalty = ((g.norm(dim=1) - 1) ** 2).mean()
penalty.backward()
for name, p in net.named_parameters():
    print(name, p.grad)
print(f"{penalty.item():.4f}", x.grad.shape)

# % engine-accumulation-and-aliasing: which tensor ends up in .grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
g = torch.tensor([1.0, 1.0])
w.backward(g)
print(w.grad, w.grad is g)
kept = w.grad
w.backward(g)
print(kept, w.grad is kept, g)
w.grad = None
(w.sum() + w.sum()).backward()
print(w.grad, w.grad.stride())
w.grad = None
w.expand(3, 2).sum().backward(create_graph=True)
print(w.grad, w.grad.requires_grad)
held = w.grad
(w * w).sum().backward(create_graph=True)
print(w.grad is held, w.grad)
w.grad = None

# % engine-no-grad-modes: as block, decorator with and without brackets, on generators
w = torch.ones(2, requires_grad=True)


@torch.no_grad()
def plain(t):
    return (t * 2).requires_grad


@torch.no_grad
def bare(t):
    return (t * 2).requires_grad


@torch.enable_grad()
def wanting(t):
    return (t * 2).requires_grad


@torch.set_grad_enabled(False)
def off(t):
    return (t * 2).requires_grad


@torch.no_grad()
def stream():
    yield torch.is_grad_enabled()
    yield torch.is_grad_enabled()


print(plain(w), bare(w), wanting(w), off(w), torch.is_grad_enabled())
for inside in stream():
    print(inside, torch.is_grad_enabled())
with torch.no_grad():
    print(wanting(w), torch.is_grad_enabled())
torch.set_grad_enabled(False)
print((w * 2).requires_grad)
with torch.set_grad_enabled(True):
    print((w * 2).requires_grad)
print(torch.is_grad_enabled())
torch.set_grad_enabled(True)
try:
    with torch.no_grad():
        raise ValueError
except ValueError:
    print(torch.is_grad_enabled())
print(plain.__name__, wanting.__name__)

# % engine-inference-mode: tensors that autograd will not touch again
w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    t = w * 2
    print(t.requires_grad, t.is_inference(), torch.is_inference_mode_enabled(), torch.is_grad_enabled())
    t.add_(1)
print(t, w.is_inference())
for action in (
    lambda: t.add_(1),
    lambda: t * w,
    lambda: t._version,
    lambda: t.requires_grad_(),
    lambda: t.view(2, 1).add_(1),
    lambda: t.clone().is_inference(),
    lambda: (t + 1).is_inference(),
    lambda: w.mul_(t),
):
    attempt(action)
with torch.inference_mode(False):
    print((w * 2).requires_grad)


@torch.inference_mode()
def infer(v):
    return v.is_inference(), (v * 2).is_inference()


print(infer(w), infer(t))

# % engine-anomaly-mode: nan in backward, and where it came from
x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.detect_anomaly():
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    y = (torch.sqrt(x) * 0).sum()
    with caught():
        y.backward()
print(torch.is_anomaly_enabled())
(torch.sqrt(x) * 0).sum().backward()
print(x.grad)
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    z = torch.sqrt(x * 0).sum()
    z.backward()
    print(x.grad)
    b = x * 2
    c = b * b
    b.add_(1)
    with caught():
        c.sum().backward()

# % engine-node-attributes: names, edges, saved values, metadata
x, v = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)
for t in (
    x * x,
    x**2,
    x.sum(),
    x.sum(1, keepdim=True),
    x.t(),
    x[0],
    x[:, 1:],
    x.view(4),
    x @ v,
    x @ x,
    x.max(),
    x.max(1)[0],
    x.clamp(1, 2),
    x.relu(),
    x.tanh(),
    torch.cat([x, x]),
    torch.stack([v, v]),
    x.unsqueeze(0),
    x.permute(1, 0),
    x.expand(3, 2, 2),
    torch.where(x > 1, x, 0.0),
    x.var(),
    x.prod(),
    x.cumsum(0),
):
    node = t.grad_fn
    print(node.name(), [(n.name(), k) if n else (None, k) for n, k in node.next_functions])
    for name in sorted(n for n in dir(node) if n.startswith("_saved_")):
        value = getattr(node, name)
        print("   ", name, value.tolist() if isinstance(value, torch.Tensor) else value)
node = (x * x).grad_fn
node.metadata["seen"] = 1
print(node.metadata, (x * x).grad_fn.metadata, node._sequence_nr() < (x * x).grad_fn._sequence_nr())
y = x * x
y.sum().backward()
for attribute in ("_saved_self", "_saved_other", "_raw_saved_self", "nothing"):
    attempt(lambda: type(getattr(y.grad_fn, attribute)).__name__)


# % engine-gradcheck-texts: what gradcheck says when it fails
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(torch.sin, (x,)), torch.autograd.gradgradcheck(torch.sin, (x,)))
print(torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False))
with caught():
    torch.autograd.gradcheck(Wrong.apply, (x,))
with caught():
    torch.autograd.gradcheck(torch.sin, (x.detach(),))
with caught():
    torch.autograd.gradcheck(lambda t: t.detach() * 1, (x,))
with caught():
    torch.autograd.gradcheck(lambda t: t > 0, (x,))
single = torch.tensor([1.0, 2.0], requires_grad=True)
with caught(first_line=True):
    torch.autograd.gradcheck(torch.exp, (single,))
torch.manual_seed(0)
with caught(first_line=True):
    torch.autograd.gradcheck(Wrong.apply, (x,), fast_mode=True)

# % engine-second-graph-order: Nodes of a gradient's own graph are made in the order of PyTorch's formulas
x = torch.tensor(2.0, requires_grad=True)
m = torch.eye(2, requires_grad=True)


def print_order(last):
    """The Nodes from here in the order in which they were made, and where their edges lead."""
    todo, seen = [last], {}
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen[node] = node.name()
            todo += [n for n, _ in node.next_functions]
    made = sorted((n for n in seen if "AccumulateGrad" not in seen[n]), key=lambda n: n._sequence_nr())
    print(
        [
            (seen[n], [None if a is None else made.index(a) if a in made else "leaf" for a, _ in n.next_functions])
            for n in made
        ]
    )


for root in (
    x * x * (x + 1),
    torch.sin(x) / x,
    (m @ m).sum(),
    torch.addmm(m, m, m * 2).sum(),
    torch.where(m > 0, m * x, m).sum(),
):
    (first,) = torch.autograd.grad(root, x if root.grad_fn.name() != "SumBackward0" else m, create_graph=True)
    print_order(first.grad_fn)
print_order(torch.nn.functional.cross_entropy(m, torch.tensor([0, 1]), label_smoothing=0.1).grad_fn)

# % engine-nodes-from-outside: Nodes are not copied; an AccumulateGrad is called with one gradient; what losses save
w = torch.tensor([1.0, 2.0], requires_grad=True)
node = (w * 2).grad_fn
leaf = node.next_functions[0][0]
for action in (
    lambda: copy.deepcopy(node),
    lambda: pickle.dumps(leaf),
    lambda: leaf(),
    lambda: leaf(3),
    lambda: leaf(torch.ones(2)),
    lambda: torch.autograd.set_detect_anomaly(3),
):
    attempt(action)
print(w.grad)
w.data = w.data.double()
w.grad = None
(w * 1).sum().backward()
print(w.grad)
scores = torch.zeros(2, 3, requires_grad=True)
print(torch.nn.functional.nll_loss(scores, torch.tensor([1, 0])).grad_fn._saved_total_weight)
print(torch.fft.fft(w).grad_fn._saved_self is w)
w.register_hook(print)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    pickle.dumps(w)
print([str(one.message)[:13] for one in seen])

# % engine-mutable-saved: copies of saved tensors are counted once the tensors are changed
with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = a.clone()
    out = b**2
    print(len(context.cloned), len(context.original))
    b.sin_()
    print(len(context.cloned), len(context.original))
    out.sum().backward()
    print(len(context.cloned), len(context.original), a.grad)
    lost = b.exp()
    context.clear()
    attempt(lambda: lost.sum().backward())
handle = torch.autograd.graph.register_multi_grad_hook((a,), print)
print(isinstance(handle, torch.utils.hooks.RemovableHandle))

# % engine-inference-leaf: what a leaf of inference mode still records, since kernels make tensors of their own
with torch.inference_mode():
    v = torch.tensor([[0.5, 0.25], [0.75, 0.3]], requires_grad=True)
    whole = torch.tensor([1, 2])
for call in (
    lambda: v % 2,
    lambda: torch.fmod(v, 0.2),
    lambda: v.remainder(3),
    lambda: 1 - v,
    lambda: torch.rsub(v, 3, alpha=2),
    lambda: v.clone(),
    lambda: v.t().clone(),
    lambda: v.double(),
    lambda: v.to(torch.int64),
    lambda: v.t().contiguous(),
    lambda: 1 - whole,
    lambda: whole % 2.5,
):
    for mode in (torch.enable_grad(), torch.no_grad()):
        with mode:
            made = call()
            print(made, made.requires_grad, made.is_inference(), made._version)
            if made.requires_grad:
                made.sum().backward()
                print(v.grad)

# % engine-conjugate-gradients: the gradient of what was conjugated is conjugated when it is read
start = torch.tensor([[1 + 2j, 3 - 1j], [0.5j, 2.0]])
for call in (
    lambda z: (z.conj() * 2).sum(),
    lambda z: (z.conj() * z).sum(),
    lambda z: z.mH.sum(),
    lambda z: (z.mH @ start).sum(),
    lambda z: (z.conj() + z.conj()).sum(),
    lambda z: z.conj().reshape(4).mul(2).sum(),
    lambda z: (-z.conj()).sum(),
    lambda z: z.conj().exp().sum(),
    lambda z: z.t().conj().t().mul(3).sum(),
    lambda z: z.conj().imag.mul(2).sum() + z.real.sum(),
    lambda z: z.conj().conj().mul(2).sum(),
):
    z, bits = start.clone().requires_grad_(), []
    z.register_hook(lambda g: bits.append((g.is_conj(), g.is_neg(), g.stride(), g._version)))
    for _ in range(2):
        y = call(z)
        y.backward(torch.tensor(1 - 2j) if y.is_complex() else None)
        print(bits.pop(), z.grad.is_conj(), z.grad._version, z.grad)
    with caught():
        print(z.grad.numpy())

# % engine-inference-operands: outside of the mode autograd sees what kernels write that are given its tensors alone
with torch.inference_mode():
    v = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    whole = torch.tensor([[1, 2], [2, 1]])
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
for call in (
    lambda x: v.new_ones(2),
    lambda x: v.new_ones(2, dtype=torch.int64, device="cpu"),
    lambda x: v.new_zeros(0),
    lambda x: v.new_full((2,), 3),
    lambda x: v.new_empty(2),
    lambda x: v.diff(n=0),
    lambda x: whole.diff(n=0),
    lambda x: torch.logical_or(v, x),
    lambda x: torch.logical_and(x, v),
    lambda x: torch.logical_xor(whole, x),
    lambda x: torch.complex(v, x),
    lambda x: torch.polar(v, x),
    lambda x: torch.complex(leaf, leaf),
    lambda x: torch.isreal(v),
    lambda x: torch.isreal(whole),
    lambda x: torch.poisson(v),
    lambda x: torch.bernoulli(v, 0.5),
    lambda x: torch.normal(v, x),
    lambda x: torch.normal(v, 1.0),
    lambda x: torch.normal(1.0, v),
    lambda x: torch.multinomial(v, 1),
    lambda x: torch.multinomial(v, 2),
    lambda x: torch.multinomial(v, 2, replacement=True),
    lambda x: torch.multinomial(leaf, 1),
    lambda x: torch.block_diag(v, x, v),
    lambda x: torch.slice_scatter(v, x),
    lambda x: torch.select_scatter(v, x[0], 0, 1),
    lambda x: torch.diagonal_scatter(v, x[0]),
    lambda x: torch.as_strided_scatter(v, x[0], (2,), (1,)),
    lambda x: 2**v,
    lambda x: torch.pow(1, leaf),
    lambda x: torch.pow(2, leaf),
    lambda x: torch.var(leaf, 0),
    lambda x: torch.std(leaf, -1, keepdim=True, unbiased=False),
):
    for other in (v, torch.ones(2, 2)):
        for mode in (torch.enable_grad(), torch.no_grad(), torch.inference_mode()):
            with caught(), mode:
                made = call(other)
                print(made.is_inference(), "" if made.is_inference() else made._version, made.requires_grad)

# % engine-gradients-with-history: what passes a given gradient on, or a view of it, passes on its history
x = torch.ones(2, requires_grad=True)
g = torch.ones(2, requires_grad=True)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print("Function", g, g._is_view())
        return g


for make in (torch.frac, torch.clone, lambda t: t + 1, lambda t: t.view(2), torch.neg, lambda t: t[:], Doubled.apply):
    y = make(x)
    handles = (
        x.register_hook(lambda grad: print("x", grad)),
        y.grad_fn.register_hook(lambda ins, outs: print("Node", ins[0].requires_grad, outs[0].requires_grad)),
    )
    print("grad", torch.autograd.grad(y, x, g * 3, retain_graph=True))
    y.backward(g)
    print(x.grad, x.grad.requires_grad)
    for handle in handles:
        handle.remove()
    x.grad = None
Doubled.apply(x).sum().backward()
Doubled.apply(x).view(1, 2).backward(torch.ones(1, 2))

# % engine-inputs-without-a-formula: what leads to no input is not asked for its gradient
x = torch.tensor([3.0, 1.0, 3.0], requires_grad=True)
found = x.unique()
(found * 2).sum().backward(inputs=[found])
print(found.grad)
attempt(lambda: x.unique().sum().backward())

# % engine-filled-expanded-views: the gradient of an expanded view that was filled has no place to be written to
for fill in (lambda t: t.fill_(1.0), lambda t: t.zero_()):
    for options in ({}, {"create_graph": True}):
        v = (torch.ones(3, requires_grad=True) * 1).expand(2, 3)
        with caught():
            fill(v)
        attempt(lambda v=v, options=options: v.sum().backward(**options))

# % engine-second-pass-of-derivatives: the Nodes of a backward pass keep what they were given, whatever is wanted
for function in (F.softshrink, F.hardshrink, F.relu6, F.leaky_relu, lambda t: F.threshold(t, 0.5, 1.0), F.relu):
    x = torch.tensor([0.7, -0.6, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    for _ in range(2):
        attempt(lambda g=g, x=x: print(torch.autograd.grad(g.sum(), x)))

# % engine-indices-modified: a saved output that has no gradient is not called the output of anything
x = torch.rand(3, 3, requires_grad=True)
for choose in (lambda: x.max(0), lambda: x.sort(0), lambda: x.topk(1), lambda: torch.linalg.eigh(x)):
    values, others = choose()
    with torch.no_grad():
        others.mul_(1)
    attempt(lambda values=values: values.sum().backward())
