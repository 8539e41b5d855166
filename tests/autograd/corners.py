"""Corners of autograd: undefined gradients, views between dtypes, who owns a gradient, what a Node tells of itself."""

import torch
from torch.autograd import Function
from torch.autograd.graph import Node, get_gradient_edge, register_multi_grad_hook, saved_tensors_hooks

from tests.scenarios.show import t


class Stop(Function):
    """Passes no gradient on."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return None


class Two(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        print("gets", a, b)
        return a * 2 + b * 3


def assign(tensor, name, value):
    setattr(tensor, name, value)
    return getattr(tensor, name)


# % undefined-several: a Function of several outputs of which none gets a gradient
x = torch.ones(2, requires_grad=True)
a, b = Two.apply(x)
(Stop.apply(a) + Stop.apply(b)).sum().backward()
print(x.grad)
print(torch.autograd.gradcheck(lambda x: Two.apply(x), torch.ones(1, dtype=torch.float64, requires_grad=True)))

# % undefined-hooks: prehooks and posthooks of such a Node
x = torch.ones(2, requires_grad=True)
a, b = Two.apply(x)
a.grad_fn.register_prehook(lambda grads: print("pre", grads))
a.grad_fn.register_hook(lambda ins, outs: print("post", ins, outs))
Stop.apply(b).sum().backward()
v, m = torch.var_mean(x)
v.grad_fn.register_prehook(lambda grads: print("pre", grads))
v.grad_fn.register_hook(lambda ins, outs: print("post", ins, outs))
Stop.apply(m).backward()

# % view-parts-inplace: a complex tensor changed through its real parts
z = torch.tensor([[1 + 2j, 3 - 1j], [0.5j, 2 + 0j]], requires_grad=True)
c = z.clone()
r = torch.view_as_real(c)
r.mul_(torch.arange(8.0).view(2, 2, 2))
print(c._base, r._base is c, c.grad_fn.name())
c.backward(torch.tensor([[1 + 1j, 2 - 1j], [1j, 3 + 0j]]))
print(z.grad)
z.grad = None
c = z.clone()
part = torch.view_as_real(c).transpose(0, 1)[..., 0]
part += 1
part.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
print(z.grad)
z.grad = None
c = z.clone()
c.imag.copy_(c.real * 2)
(g,) = torch.autograd.grad((c * c).sum().abs(), z, create_graph=True)
print(g.detach())
g.abs().sum().backward()
print(z.grad.real.round(), z.grad.imag)

# % view-whole-inplace: real parts changed through the complex tensor
x = torch.arange(8.0).view(2, 2, 2).requires_grad_()
y = x * 2
torch.view_as_complex(y)[0] *= 3j
y.backward(torch.arange(8.0).view(2, 2, 2))
print(y)
print(x.grad)
x.grad = None
y = x * 2
w = torch.view_as_complex(y)
y.mul_(2)
(g,) = torch.autograd.grad(w.abs().sum(), x, create_graph=True)
print(g)
g.sum().backward()
print(x.grad)

# % leaf-posthook-owner: the gradient that a posthook of a leaf gets is the one that the leaf keeps
w = torch.ones(3, requires_grad=True)
acc = w.view_as(w).grad_fn.next_functions[0][0]
w.register_hook(lambda g: g - 2)
acc.register_prehook(lambda grads: (grads[0] / 5,))
w.register_post_accumulate_grad_hook(lambda w: print(w.grad.add_(0.5)))
acc.register_hook(lambda ins, outs: print(ins, outs))
w.sum().backward()
print(w.grad)
kept = []
w = torch.ones(3, requires_grad=True)
w.register_hook(lambda g: kept.append(g * 2) or kept[-1])
w.register_post_accumulate_grad_hook(lambda w: print(w.grad.add_(1)))
w.sum().backward()
print(kept, w.grad)

# % leaf-set: set_ makes a leaf that requires grad another leaf
x = torch.tensor([1.0, 2.0], requires_grad=True)
edge = get_gradient_edge(x)
y = x * 2
t(lambda: x.set_(torch.zeros(2)))
with torch.no_grad():
    x.set_(torch.zeros(2))
print(x)
t(lambda: torch.autograd.grad(y.sum(), x))
t(lambda: torch.autograd.grad(y.sum(), edge))

# % numpy-no-grad: numpy() of a tensor that requires grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
t(x.numpy)
with torch.no_grad():
    t(x.numpy)
with torch.inference_mode():
    t(x.numpy)

# % grad-dtype: the dtype of a leaf's gradient
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x.grad_dtype)
x.grad_dtype = torch.float16
(x * 2).sum().backward()
print(x.grad)

t(lambda: assign(x, "grad_dtype", torch.float64))
x.grad_dtype = None
print(x.grad_dtype, x.grad)
t(lambda: assign(x, "grad", torch.ones(2, dtype=torch.float64)))
x.grad = None
y = x * 2
t(lambda: y.grad_dtype)


class Widened(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.to(torch.float64)


Widened.apply(x).sum().backward()
print(x.grad)
late = torch.tensor([1.0], requires_grad=True)
y = Widened.apply(late)
late.grad_dtype = None
y.backward()
print(late.grad)

# % node-tells: metadata of gradients, calls by hand
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
(about,) = y.grad_fn._input_metadata
print(about.shape, about.dtype, about.device, about.is_nested_tensor)
v, m = torch.var_mean(x, dim=0)
print([about.shape for about in v.grad_fn._input_metadata])
t(lambda: y.grad_fn())
t(lambda: y.grad_fn(torch.ones(2, 3), torch.ones(2, 3)))
t(lambda: y.grad_fn("ones"))
t(lambda: v.grad_fn(torch.ones(3)))
t(lambda: y.grad_fn(torch.ones(2, 3))[0])

# % node-private: what cannot be set or deleted
x = torch.ones(2, requires_grad=True)
y = x * 2


def delete(tensor, name):
    delattr(tensor, name)


for name in ("_grad_fn", "_backward_hooks", "T", "mT", "data", "is_leaf"):
    t(lambda: delete(y, name))
t(lambda: assign(y, "_grad_fn", 3))
t(lambda: assign(y, "T", 3))
t(lambda: assign(y, "_grad_fn", None))
print(y.requires_grad, y._grad_fn)
print("volatile" in dir(y), "shape" in dir(y))

# % indices-freed: indices are saved, so a second backward is an error
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
for y in (x[[0, 2]], x[torch.tensor([True, False, True])], torch.zeros(3).index_put((torch.tensor([0]),), x[:1])):
    y.sum().backward()
    t(lambda: y.sum().backward())
    t(lambda: y.grad_fn._saved_indices)

# % hooks-numbers: numbers do not go through hooks on saved tensors
x = torch.tensor([1.0, 2.0], requires_grad=True)
with saved_tensors_hooks(lambda s: print("packed", s) or s, lambda s: s):
    for y in (x * 3, 3 * x, x / 2, x * torch.tensor(3.0), x + 1, x * 2.5j):
        print(y)

# % hooks-raw: registering hooks on one saved tensor
x = torch.tensor([1.0], requires_grad=True)
y = x * x


def first_line(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


first_line(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda s: s))
first_line(lambda: y.grad_fn._raw_saved_self.register_hooks(1, 2))
y.grad_fn._raw_saved_self.register_hooks(lambda s: s * 2, lambda s: s)
y.backward()
print(x.grad)

# % hooks-multi-inputs: a hook on several tensors waits for those only that backward reaches
a = torch.ones(2, requires_grad=True) * 2
b = torch.ones(2, requires_grad=True) * 3
c = torch.ones(2, requires_grad=True) * 4
register_multi_grad_hook((a, b, c), lambda grads: print([g is not None for g in grads]))
out = (b * c).sum()
for inputs in ((b, c), (a,), (a, c)):
    print("inputs", len(inputs))
    out.backward(inputs=inputs, retain_graph=True)


# % ctx-node: a ctx is a Node
class Once(Function):
    clear_saved_tensors_on_access = True

    @staticmethod
    def forward(ctx, x):
        print(isinstance(ctx, Node))
        ctx.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        print(isinstance(ctx, Node), ctx.saved_tensors)
        t(lambda: ctx.saved_tensors)
        return g


x = torch.ones(1, requires_grad=True)
y = Once.apply(x)
y.backward()
print(x.grad, issubclass(Node, Node), isinstance(Node, Node))
made = torch._C._functions
print([issubclass(kind, Node) for kind in (made.AccumulateGrad, made.DelayedError, made.UndefinedGrad, int)])
print(issubclass(torch.autograd.function.BackwardCFunction, Node), isinstance(made.DelayedError("", 1), Node))


# % dirty-views: changed inputs that are views of many, or none
class Changed(Function):
    @staticmethod
    def forward(ctx, x, own):
        x = x.clone().view_as(x) if own else x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
first, second = x.split(1)
t(lambda: Changed.apply(first, False))
t(lambda: Changed.apply(x.clone(), True))
y = x.clone().view_as(x)
print(Changed.apply(y, False) is y, y.grad_fn, y._base.grad_fn)


# % grad-of-result: a gradient may be assigned to a result too
x = torch.ones(2, requires_grad=True)
y = x * 2
y.grad = torch.ones(2)
y.retain_grad()
y.sum().backward()
print(y.grad, x.grad)
t(lambda: assign(y, "grad", torch.ones(2, dtype=torch.float64)))

# % gradcheck-unsteady: outputs whose shape or dtype depends on values
x = torch.ones(1, dtype=torch.float64, requires_grad=True)
t(lambda: torch.autograd.gradcheck(lambda x: torch.cat([x, x]) if torch.all(x >= 1) else x, x))
t(lambda: torch.autograd.gradcheck(lambda x: x.float() if torch.all(x >= 1) else x, x))

# % corners-complex-exponent: a negative base and a complex exponent
e = torch.tensor([0.3 + 1j, -0.7 + 0.25j], dtype=torch.cdouble, requires_grad=True)
for base in (torch.tensor([-1.0, 2.0], dtype=torch.double), torch.tensor([-2.0, -0.5]), -1, -2.0):
    (g,) = torch.autograd.grad(torch.pow(base, e).sum(), e, torch.tensor(1 + 0j, dtype=torch.cdouble))
    print(g)

# % corners-layout-of-grad: a gradient of a leaf with gaps is contiguous
root = torch.ones(2, 3, 2).select(2, 1).t().requires_grad_(True)
x = root.clone()
x.narrow(0, 0, 1).narrow(1, 1, 1).mul_(2)
x.sum().backward()
print(root.grad, root.grad.stride(), root.stride())

# % corners-inference-resize: a tensor of inference mode may be resized
with torch.inference_mode():
    x = torch.ones(2, 3, requires_grad=True)
    print(x.resize_(3, 2).shape, x.requires_grad)

# % corners-root-gradient: hooks at the root, and a Function there, get the very tensor that was given as gradient
v, x = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        print("backward", g is v, g.requires_grad)
        return g * 2


for make in (lambda: x * 2, lambda: Twice.apply(x)):
    for create in (False, True):
        y = make()
        y.register_hook(lambda g: print("hook", g is v, g.requires_grad, g.is_leaf))
        y.grad_fn.register_prehook(lambda g: print("prehook", g[0] is v))
        y.grad_fn.register_hook(lambda gi, g: print("posthook", g[0] is v, gi[0].requires_grad))
        print(torch.autograd.grad(y, x, v, create_graph=create, retain_graph=True)[0].requires_grad)
        torch.autograd.backward([y, y], [v, 2 * v])
        print(x.grad)
        x.grad = None

# % corners-layout-of-complex-power: laid out as its operands are
s, c = torch.ones(3, 3).t(), torch.ones(2, 1, 3, dtype=torch.cfloat)
s.t_().mul_(2)
s = s.contiguous().t()
print(c.pow(s).stride(), s.pow(c).stride(), torch.float_power(c, s).stride(), (c * s).stride())
