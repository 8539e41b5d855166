"""Who owns a tensor: counts of owners, what frees it, whom swap_tensors refuses, saved tensors that are read once."""

import contextlib
import gc
import weakref

import torch
from torch.autograd import Function
from torch.autograd.graph import get_gradient_edge, saved_tensors_hooks

from tests.scenarios.show import t


def counts(*tensors):
    return [one._use_count() for one in tensors]


# % owners-leaf: a leaf, by its AccumulateGrad, as long as a graph lives
a = torch.ones(2, requires_grad=True)
seen = [counts(a)]
b = a * 2
seen.append(counts(a, b))
b.sum().backward(retain_graph=True)
seen.append(counts(a, b, a.grad))
del b
seen.append(counts(a, a.grad))
node = get_gradient_edge(a).node
seen.append(counts(a, node.variable))
del node
print(*seen, counts(a))
first, second = (a * 2).split(1)
seen = [counts(a)]
del first
seen.append(counts(a))
del second
print(*seen, counts(a))
# % owners-saved: places where Nodes have saved a tensor, views, lists of tensors
a = torch.ones(2, requires_grad=True)
b = a.clone()
for make in (
    lambda: b * b,
    lambda: b**3,
    lambda: b.exp(),
    lambda: b.view(-1),
    lambda: b.detach(),
    lambda: torch.stack([b, b]),
    lambda: torch.cat([b, b]).prod(),
    lambda: b[torch.tensor([0, 1])],
    lambda: b.unbind(),
    lambda: [b, {"b": b}],
):
    made = make()
    held = counts(b)
    del made
    print(held, counts(b), end=" ")
print()
index = torch.tensor([0, 1])
rows = b[index], a[index]
print(counts(index), counts(a, b))
with saved_tensors_hooks(lambda x: x, lambda x: x):
    packed = b * b
print(counts(b))


class Twice(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y, x)
        ctx.own = x
        return x * y

    @staticmethod
    def backward(ctx, g):
        return g, g


made = Twice.apply(b, a)
print(counts(a, b))
# % owners-swap: swap_tensors wants tensors that nobody else owns
x = torch.ones(2, requires_grad=True)


def saved():
    y = x.clone()
    return y, y * y


def of_leaf():
    leaf = torch.ones(2, requires_grad=True)
    return leaf, leaf * leaf


def with_view():
    base = torch.ones(2)
    return base, base[:1]


def a_view():
    base = torch.ones(2)
    return base[:1], None


def a_grad():
    leaf = torch.ones(2, requires_grad=True)
    leaf.sum().backward()
    return leaf.grad, leaf


def a_leaf_viewed():
    leaf = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        return leaf, leaf[:1]


def swapped(pair):
    torch.utils.swap_tensors(pair[0], torch.zeros(3))
    return pair


for make in (saved, of_leaf, with_view, a_view, a_grad, a_leaf_viewed):
    t(lambda make=make: swapped(make()))
leaf, other = torch.ones(2, requires_grad=True), torch.zeros(1)
node = get_gradient_edge(leaf).node
torch.utils.swap_tensors(leaf, other)
print(node.variable is other, leaf, other)
# % owners-view: a Function that changes a view in place and saves it is freed, and finds its own output
x = torch.ones(2, requires_grad=True)
log = []


class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        log.append((type(x.grad_fn).__name__, x._is_view(), x._version))
        return g * x


def gone():
    x = torch.ones(3, requires_grad=True).clone()[:2]
    y = Doubled.apply(x)
    y.sum().backward(retain_graph=True)
    return weakref.ref(x)


gc.disable()
print(gone()() is None, log)
gc.enable()
base = torch.ones(3, requires_grad=True).clone()
Doubled.apply(base[:2])
base.mul_(3)
t(lambda: base.sum().backward())


class Added(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class AddedTwo(Added):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x, x * 2

    @staticmethod
    def backward(ctx, g, h):
        return g + h


for mode in (torch.no_grad, torch.inference_mode, contextlib.nullcontext):
    for view in (lambda x: x.view(2), lambda x: x.unbind()[0], lambda x: x.detach()):
        for changed in (Added, AddedTwo):
            for source in (x, x.clone()):
                with mode():
                    seen = view(source)
                t(lambda changed=changed, seen=seen: changed.apply(seen))
# % owners-once: saved tensors that are read once
x = torch.ones(2, requires_grad=True)


class Once(Function):
    clear_saved_tensors_on_access = True
    reads = 1

    @classmethod
    def forward(cls, ctx, x):
        ctx.save_for_backward(x)
        return x.clone()

    @classmethod
    def backward(cls, ctx, g):
        for _ in range(cls.reads):
            ctx.saved_tensors
        return g


class Never(Once):
    reads = 0


class Again(Once):
    reads = 2


for kind in (Once, Never):
    for keep in (False, True):
        y = kind.apply(x)
        y.sum().backward(retain_graph=keep)
        t(lambda: y.grad_fn.saved_tensors)
        t(lambda: y.grad_fn.saved_tensors)
        t(lambda: len(y.grad_fn._raw_saved_tensors))
t(lambda: Again.apply(x).sum().backward())
y = Once.apply(x)
Once.clear_saved_tensors_on_access = False
print(len(y.grad_fn.saved_tensors))
t(lambda: y.grad_fn.saved_tensors)
y = Once.apply(x)
print(len(y.grad_fn.saved_tensors), len(y.grad_fn.saved_tensors))
for wrong in (1, None, "yes"):
    Once.clear_saved_tensors_on_access = wrong
    t(lambda: Once.apply(x))
Once.clear_saved_tensors_on_access = False
Once.boxed_grads_call = 1
t(lambda: Once.apply(x))


class InForward(Function):
    clear_saved_tensors_on_access = True

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        print(ctx.saved_tensors)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


class InSetup(Function):
    @staticmethod
    def forward(x):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(ctx.saved_tensors)
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
        print(ctx.saved_tensors)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


t(lambda: InForward.apply(x).sum().backward())
t(lambda: InSetup.apply(x).sum().backward())
# % owners-output: a saved output belongs to its Node
x = torch.ones(2, requires_grad=True)
made = x * 2
kept = torch._C._autograd._make_saved_tensor(made, is_output=True)
t(lambda: kept.unpack())
gone = weakref.ref(made)
del made
print(gone() is None)
kept = torch._C._autograd._make_saved_tensor(x, is_output=True)
print(kept.unpack() is x)
kept = torch._C._autograd._make_saved_tensor(torch.ones(2), is_output=False)
kept.register_hooks(lambda x: x * 2, lambda x: x + 1)
print(kept.unpack(), kept.data)

# % owners-hooked: what a hook keeps of a gradient shares the memory of `.grad`, unless it keeps the Tensor itself
kept = []


def keeping(make, of):
    def hook(g):
        r = make(g)
        kept.append(of(r))
        return r

    return hook


def told(name, w, grad):
    shared = [grad.data_ptr() == k.data_ptr() for k in kept]
    print(name, grad.tolist(), grad._version, [k._version for k in kept], shared)
    kept.clear()


made = {
    "new": lambda g: g * 2,
    "view": lambda g: (g * 2).view(-1),
    "same": lambda g: g,
    "detached": lambda g: g.detach(),
    "copied": lambda g: g.clone(),
}
held = {"the Tensor": lambda r: r, "detached": lambda r: r.detach(), "a view": lambda r: r[:1]}
for how, make in made.items():
    for what, of in held.items():
        for name, f in {"mul": lambda w: w * w, "sum": lambda w: w, "scaled": lambda w: w * 3}.items():
            w = torch.ones(3, requires_grad=True)
            w.register_hook(keeping(make, of))
            f(w).sum().backward()
            told((how, what, name), w, w.grad)
w = torch.ones(3, requires_grad=True)
w.register_hook(lambda g: kept.append(g.detach()))
(w * 3).sum().backward()
(w * 2).sum().backward()
print(kept, w.grad)
kept.clear()
other = torch.ones(4)
w = torch.ones(3, requires_grad=True)
w.register_hook(lambda g: other[1:])
(w * 3).sum().backward()
w.grad.add_(1)
print(other, other._version, w.grad._version, w.grad._base is None)

# % owners-overlap: gradients of what overlaps
base = torch.zeros(6, requires_grad=True)
for seen in (base.as_strided((3, 3), (1, 1)), (base * 1).as_strided((3, 3), (1, 1)), base.unfold(0, 3, 1)):
    base.grad = None
    (seen * torch.arange(1.0, 1 + seen.numel()).view(seen.shape)).sum().backward()
    print(base.grad)
