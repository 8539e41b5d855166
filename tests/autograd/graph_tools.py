"""Hooks on saved tensors, gradient edges, hooks on several gradients."""

import torch
from torch.autograd import Function

from tests.scenarios.show import t

# % graph-tools-hooks: hooks
G = torch.autograd.graph
x = torch.ones(2, requires_grad=True)


def pack(v):
    print("pack", v, v.requires_grad, v is x, torch.is_grad_enabled())
    return v.detach().clone() * 3


def unpack(v):
    print("unpack", v, torch.is_grad_enabled())
    return v


with G.saved_tensors_hooks(pack, unpack):
    y = x * x
    e = x.exp()
    s = x + 1
y.sum().backward()
print(x.grad)
t(lambda: e.grad_fn._saved_result)
t(lambda: y.grad_fn._saved_self)
t(lambda: G.saved_tensors_hooks(1, 2))


def en(a, b):
    with G.saved_tensors_hooks(a, b):
        return x * x


t(lambda: en(1, 2))
t(lambda: en(lambda v: v, lambda v: 3).sum().backward())
t(lambda: en(lambda v: 1 / 0, lambda v: 3).sum().backward())
t(lambda: (x * x).sum().backward())
t(lambda: en(lambda v: v, lambda v: 1 / 0).sum().backward())
with G.saved_tensors_hooks(lambda v: v * 2, lambda v: v):
    with G.saved_tensors_hooks(lambda v: v * 10, lambda v: v):
        y = x * x
    z = x * x
x.grad = None
y.sum().backward()
print(x.grad)
x.grad = None
z.sum().backward()
print(x.grad)
with G.disable_saved_tensors_hooks("no hooks please"):
    t(lambda: en(lambda v: v, lambda v: v))
    with G.disable_saved_tensors_hooks("inner"):
        t(lambda: en(lambda v: v, lambda v: v))
    t(lambda: en(lambda v: v, lambda v: v))
t(lambda: en(lambda v: v, lambda v: v))


def dis():
    with G.disable_saved_tensors_hooks("A"):
        pass


with G.saved_tensors_hooks(pack, unpack):
    t(dis)
y = x * x
t(lambda: y.grad_fn._raw_saved_self)
t(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda v: v * 4, lambda v: v))
t(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda v: v * 4, lambda v: v))
t(lambda: y.grad_fn._saved_self)
t(lambda: y.grad_fn._raw_saved_self.register_hooks(3, lambda v: v))
t(lambda: (x + 1).grad_fn._raw_saved_self)
with G.save_on_cpu():
    y = x * x
print(y.grad_fn._saved_self)
y.sum().backward()
t(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda v: v * 4, lambda v: v))


def inpl(v):
    v.mul_(2)
    return v


t(lambda: en(inpl, lambda v: v))
y = x * 2


def pk(v):
    v.add_(1)
    return v


def en2():
    with G.saved_tensors_hooks(pk, lambda v: v):
        return y * y


t(en2)
with G.saved_tensors_hooks(lambda v: (v, v._version), lambda p: p[0]):
    y = x * 1
    w = y * y
    y.add_(1)
t(lambda: w.sum().backward())
t(lambda: isinstance(x, G.Node))
t(lambda: isinstance(y.grad_fn, G.Node))
t(lambda: isinstance((x * 2).grad_fn.next_functions[0][0], G.Node))
t(lambda: G.Node)
t(lambda: issubclass(type(y.grad_fn), G.Node))
t(lambda: G.Node())

# % graph-tools-fn-hooks: fn + hooks
G = torch.autograd.graph


class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        print(x, y)
        return g * 2 * x


x = torch.ones(2, requires_grad=True)
with G.saved_tensors_hooks(lambda v: print("pack", v) or v, lambda v: print("unpack", v) or v):
    y = F.apply(x)
y.sum().backward()
y = F.apply(x)
for s in y.grad_fn._raw_saved_tensors:
    s.register_hooks(lambda v: v * 3, lambda v: v)
t(lambda: y.grad_fn.saved_tensors)
y.sum().backward()
t(lambda: y.grad_fn._raw_saved_tensors)

# % graph-tools-gradient-edge: gradient edge
G = torch.autograd.graph
x = torch.ones(2, requires_grad=True)
y = x * 2
e = G.get_gradient_edge(y)
print(type(e), e._fields, e.output_nr, e.node is y.grad_fn, isinstance(e, tuple))
t(lambda: G.get_gradient_edge(torch.ones(1)))
t(lambda: G.get_gradient_edge(3))
ex = G.get_gradient_edge(x)
print(ex.node)
t(lambda: torch.autograd.grad(y.sum(), e))
t(lambda: torch.autograd.grad(e, x, torch.ones(2)))
t(lambda: torch.autograd.grad(e, x))
t(lambda: torch.autograd.grad(e, ex, grad_outputs=torch.ones(2)))
t(lambda: torch.autograd.grad((e, y), (ex, x), grad_outputs=(torch.ones(2), torch.ones(2))))
y = x * 2
e = G.get_gradient_edge(y)
t(lambda: torch.autograd.backward(e, torch.ones(2)))
print(x.grad)
t(lambda: torch.autograd.backward([e], [torch.ones(2)], inputs=[x]))
print(x.grad)
t(lambda: torch.autograd.backward([y], [torch.ones(2)], inputs=[ex]))
print(x.grad)
y = x * 2
e = G.get_gradient_edge(y)
s = y.sum()
t(lambda: torch.autograd.backward(s, inputs=[e]))
t(lambda: torch.autograd.backward(s, inputs=e))
v = torch.ones(2)
vv = v.view(-1)
vv.requires_grad_()
t(lambda: G.get_gradient_edge(vv).node)

# % graph-tools-multi-grad-hook: multi grad hook
G = torch.autograd.graph
ts = [torch.rand(2, requires_grad=True) for _ in range(3)]
calls = []
h = G.register_multi_grad_hook(ts, lambda gs: calls.append([g is None for g in gs]))
(ts[0] * 2 + ts[2]).sum().backward()
print(calls)
(ts[0] * 2).sum().backward()
print(calls)
(ts[0] * ts[1] * ts[2]).sum().backward()
print(calls)
h.remove()
(ts[0] * 2).sum().backward()
print(calls)
h = G.register_multi_grad_hook(ts, lambda g: calls.append(g), mode="any")
(ts[0] * ts[1] * ts[2]).sum().backward()
print(calls[-1].shape, len(calls))
h.remove()
t(lambda: G.register_multi_grad_hook(ts, lambda g: 1, mode="x"))
t(lambda: G.register_multi_grad_hook([torch.ones(1)], lambda g: 1))
print(type(h))

# % graph-tools-mutation: mutation
G = torch.autograd.graph
a = torch.ones(2, requires_grad=True)
with G.allow_mutation_on_saved_tensors() as ctx:
    b = a.clone()
    out = (b**2).sum()
    b.sin_()
    out.backward()
    print(a.grad)

    def nest():
        with G.allow_mutation_on_saved_tensors():
            pass

    t(nest)
b = a.clone()
with G.allow_mutation_on_saved_tensors() as ctx:
    o = (b * b).sum()
b.add_(1)
t(lambda: o.backward())

# % graph-tools-freed: what can be read of a Node that backward has freed


def look(node):
    for name in sorted(n for n in dir(node) if n.startswith("_saved_")):
        try:
            found = getattr(node, name)
        except RuntimeError as error:
            found = type(error).__name__ + " " + str(error)[:50]
        print("   ", name, "a tensor" if isinstance(found, torch.Tensor) else found)


F = torch.nn.functional
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
c = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
index = torch.tensor([[0, 1, 0], [1, 0, 1]])
for make in (
    lambda: x * c,
    lambda: c * x,
    lambda: x * x,
    lambda: x / c,
    lambda: c / x,
    lambda: x**2,
    lambda: x**c,
    lambda: c**x,
    lambda: 2**x,
    lambda: x @ c.t(),
    lambda: c @ x.t(),
    lambda: torch.addmm(torch.ones(2, 2), x, c.t(), beta=2, alpha=3),
    lambda: x[0].dot(c[0]),
    lambda: x @ c[0],
    lambda: x.exp(),
    lambda: x.clamp(2, 4),
    lambda: x.max(1)[0],
    lambda: x.mean(),
    lambda: x.mean(-1, keepdim=True),
    lambda: x.sum(1),
    lambda: x.softmax(-1),
    lambda: x.cumsum(1),
    lambda: x.index_select(1, torch.tensor([0])),
    lambda: torch.where(c > 2, x, c),
    lambda: x.var(),
    lambda: torch.hypot(x, c),
    lambda: torch.maximum(x, c),
    lambda: F.leaky_relu(x),
    lambda: F.smooth_l1_loss(x, c),
    lambda: x.as_strided((2, 2), (1, 2)),
    lambda: x.unbind(0)[0],
    lambda: x.masked_fill(c > 2, 0),
):
    y = make()
    print(y.grad_fn.name())
    look(y.grad_fn)
    y.sum().backward()
    print("  after backward")
    look(y.grad_fn)

# % graph-tools-saved-inputs: gather and index_add save tensors of which they need the shape alone
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
z = x * 1
y = z.gather(1, torch.tensor([[0, 1, 0]]))
print(y.grad_fn._saved_self is None, y.grad_fn._saved_dim, y.grad_fn._saved_sparse_grad)
z.add_(1)
t(lambda: y.sum().backward())
for name in ("index_add", "index_copy"):
    y = getattr(torch.ones(2, 3), name)(0, torch.tensor([1, 0]), x)
    node = y.grad_fn
    print(node.name(), node._saved_source.shape, node._saved_source_dim, [n for n in dir(node) if "_saved" in n])
    y.sum().backward(create_graph=True)
    y = getattr(x, name)(0, torch.tensor([1, 0]), torch.ones(2, 3))
    print(y.grad_fn._saved_source, y.grad_fn._saved_source_dim)
print((x + 1).grad_fn._saved_alpha, (x - x).grad_fn._saved_alpha, torch.add(x, x, alpha=3).grad_fn._saved_alpha)
for y in (x.amax(1), x.amin((0, 1)), x.logsumexp(1), x.prod(1), x.sum(1), x.mean(-1), x.softmax(-1), x.norm(2, 1)):
    print(y.grad_fn.name(), y.grad_fn._saved_dim)


# % graph-tools-none: a leaf that gets no gradient has its hooks called all the same
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return None


def leaf(replace=None):
    x = torch.ones(2, requires_grad=True)
    node = torch.autograd.graph.get_gradient_edge(x).node
    x.register_hook(lambda g: print("tensor", g) or (torch.ones(2) if replace == "tensor" else None))
    node.register_prehook(lambda gs: print("pre", gs) or ((torch.ones(2),) if replace == "pre" else None))
    x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
    node.register_hook(lambda inputs, outputs: print("post", inputs, outputs))
    return x, node


x, node = leaf()
Nothing.apply(x).sum().backward()
print(x.grad)
x, node = leaf()
Nothing.apply(x).sum().backward()
x.grad = torch.ones(2)
Nothing.apply(x).sum().backward()
(Nothing.apply(x).sum() + x.sum()).backward()
print(x.grad)
for replace in ("tensor", "pre"):
    x, node = leaf(replace)
    t(lambda: Nothing.apply(x).sum().backward())
    print(x.grad)

# % graph-tools-arguments: arguments that are no tensors, no sizes, no dimensions
x = torch.tensor([[1.0, 0.0], [3.0, 4.0]])
print(torch.add(2, 3), torch.sub(2.0, 3), torch.mul(True, 3), torch.div(1, 4), torch.floor_divide(7, 2))
for name in ("bitwise_and", "bitwise_or", "bitwise_left_shift", "remainder", "xlogy"):
    t(lambda: getattr(torch, name)(2, 3))
t(lambda: x.sum(True))
t(lambda: x.mean(True))
print(x.any(dim=[]), x.all(dim=()), torch.any(torch.zeros(2, 0), dim=[]), torch.all(torch.tensor(3.0), dim=[]))
t(lambda: x.expand())
t(lambda: torch.tensor(3.0).expand())
print(torch.tensor(3.0).expand(()), torch.tensor(3.0).expand([]))
t(lambda: x.repeat())
V = torch.autograd.Variable
print(V(x, name="x").name, V(x).name, (V(x, requires_grad=True, name="y") * 2).name, x.name)
t(lambda: V(x, name=3))


# % graph-final-callbacks: functions that the engine calls when the pass is over
engine = torch.autograd.Variable._execution_engine
w = torch.ones(1, requires_grad=True)
w.register_hook(lambda g: engine.queue_callback(lambda: print("over, grad is", w.grad)))
(w * 2).backward()
print(torch.autograd.grad(w * 3, w))


def nested(g):
    engine.queue_callback(lambda: print("outer"))
    with torch.enable_grad():
        v = torch.ones(1, requires_grad=True)
        v.register_hook(lambda g: engine.queue_callback(lambda: (print("inner"), engine.queue_callback(last))))
        (v * 2).backward()
    print("the inner pass is over")


def last():
    print("queued by a callback")


def fail():
    raise ValueError("in a callback")


x = torch.ones(1, requires_grad=True)
x.register_hook(nested)
(x * 2).backward()
y = torch.ones(1, requires_grad=True)
y.register_hook(lambda g: engine.queue_callback(fail))
try:
    (y * 2).backward()
except ValueError as error:
    print(error, y.grad)
try:
    engine.queue_callback(last)
except RuntimeError as error:
    print(error)


# % graph-saved-tensor-places: what a SavedTensor shows before and after hooks
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
place = y.grad_fn._raw_saved_result
print(type(place).__name__, place.data, place.unpack_hook, place == y.grad_fn._raw_saved_result)
for ask in (lambda: place.unpack(), lambda: type(place)(), lambda: type(place)(3), lambda: place.unpack(1)):
    try:
        print(ask())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)
place.register_hooks(lambda t: (t.clone(), "packed"), lambda kept: kept[0])
print(place.data[1], callable(place.unpack_hook))
z = x * x
print(z.grad_fn._raw_saved_self.unpack() is x, z.grad_fn._raw_saved_self.data)
(y.sum() + z.sum()).backward()
print(place.data, place.unpack_hook, x.grad)
try:
    z.grad_fn._raw_saved_self.unpack()
except RuntimeError as error:
    print(error)

# % graph-tools-any-again: a hook on any of several gradients, in each of several passes
G = torch.autograd.graph
a, b = (torch.ones(2, requires_grad=True) for _ in "ab")
handle = G.register_multi_grad_hook([a, b], lambda grad: print("any", grad), mode="any")
for factor in (2, 3, 4):
    (a * b * factor).sum().backward()
