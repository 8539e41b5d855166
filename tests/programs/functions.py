"""torch.autograd.Function, as people write it."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tests.scenarios.show import caught


# % functions-exp-and-relu: the two of the tutorials, printed from all sides
class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        grad = grad.clone()
        grad[x < 0] = 0
        return grad


x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
y = Relu.apply(Exp.apply(x) - 1)
print(y, y.grad_fn.name(), type(y.grad_fn).__name__, type(y.grad_fn).__mro__[1].__name__)
print(y.grad_fn.next_functions[0][0].name(), y.grad_fn.saved_tensors, y.grad_fn.needs_input_grad)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x))
print(Relu.apply(torch.ones(2)).grad_fn)
with torch.no_grad():
    print(Relu.apply(x).grad_fn)


# % functions-needs-input-grad: which gradients are asked for
class Linear(Function):
    @staticmethod
    def forward(ctx, x, w, b=None):
        ctx.save_for_backward(x, w, b)
        out = x @ w.t()
        return out if b is None else out + b

    @staticmethod
    def backward(ctx, g):
        x, w, b = ctx.saved_tensors
        print("needed", ctx.needs_input_grad, "bias", b)
        return (
            g @ w if ctx.needs_input_grad[0] else None,
            g.t() @ x if ctx.needs_input_grad[1] else None,
            g.sum(0) if b is not None and ctx.needs_input_grad[2] else None,
        )


for x_flag, w_flag, b_flag in ((True, True, True), (False, True, None), (True, False, False)):
    x, w = torch.ones(2, 3, requires_grad=x_flag), torch.full((4, 3), 2.0, requires_grad=w_flag)
    b = None if b_flag is None else torch.zeros(4, requires_grad=b_flag)
    out = Linear.apply(x, w, b) if b is not None else Linear.apply(x, w, None)
    print(out.grad_fn.next_functions)
    out.sum().backward()
    print(x.grad, w.grad, b if b is None else b.grad, sep="\n")


# % functions-non-tensor-arguments: numbers, strings and lists get None
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor, how, sizes):
        ctx.factor, ctx.how = factor, how
        print(type(factor).__name__, how, sizes, x.requires_grad)
        return x * factor

    @staticmethod
    def backward(ctx, g):
        print("backward", ctx.how, ctx.needs_input_grad)
        return g * ctx.factor, None, None, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
Scale.apply(x, 3, "up", [1, 2]).sum().backward()
print(x.grad)
with caught():
    Scale.apply(x, factor=3, how="up", sizes=[])
with caught():
    Scale.apply(x, 3)
with caught():
    Scale()(x)


# % functions-wrong-number-of-gradients: too many, too few, wrong kinds and shapes
class Two(Function):
    answer = None

    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return Two.answer(g)


for answer in (
    lambda g: g,
    lambda g: (g, g, g),
    lambda g: (g, g, None),
    lambda g: (g, None),
    lambda g: (None, None),
    lambda g: (g, 5.0),
    lambda g: (g, torch.ones(3)),
    lambda g: (g, g.double()),
    lambda g: (g.sum(), g),
    lambda g: "text",
    lambda g: None,
    lambda g: [g, g],
    lambda g: (g[:1], g),
):
    Two.answer = answer
    a, b = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    with caught():
        Two.apply(a, b).sum().backward()
    print(a.grad, b.grad, a.grad is not None and a.grad.dtype)


# % functions-several-outputs: gradients of unused outputs are zeros, or None
class Stats(Function):
    @staticmethod
    def forward(ctx, x, materialize):
        ctx.set_materialize_grads(materialize)
        ctx.save_for_backward(x)
        return x.sum(), x.max(), x * 2

    @staticmethod
    def backward(ctx, *grads):
        print(grads)
        return sum(g.sum() for g in grads if g is not None) * torch.ones_like(ctx.saved_tensors[0]), None


for materialize in (True, False):
    x = torch.tensor([1.0, 5.0], requires_grad=True)
    total, largest, double = Stats.apply(x, materialize)
    print(total, largest, double)
    print(total.grad_fn is double.grad_fn, total.output_nr, largest.output_nr, double.output_nr)
    (largest * 3).backward()
    print(x.grad)


# % functions-mark-dirty: an in-place Function
class AddOne(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.add_(1)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.zeros(2, requires_grad=True)
y = x * 1
z = AddOne.apply(y)
print(z is y, y, y._version, y.grad_fn.name())
(y * 3).sum().backward()
print(x.grad)
with caught():
    AddOne.apply(x)
plain = torch.zeros(2)
print(AddOne.apply(plain) is plain, plain)
part = (x * 1)[0]
out = AddOne.apply(part)
print(out, out.grad_fn.name())


# % functions-mark-non-differentiable: indices beside values
class SortBoth(Function):
    @staticmethod
    def forward(ctx, x):
        values, places = x.sort()
        ctx.mark_non_differentiable(places)
        ctx.save_for_backward(places)
        return values, places

    @staticmethod
    def backward(ctx, g, unused):
        print(g, unused)
        (places,) = ctx.saved_tensors
        return torch.zeros_like(g).index_add(0, places, g)


x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
values, places = SortBoth.apply(x)
print(values, places, places.requires_grad, places.grad_fn)
(values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(x.grad)


# % functions-once-differentiable: a second derivative that must not be asked for
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print("grad mode inside", torch.is_grad_enabled())
        return 3 * x * x * g


x = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad(Cube.apply(x).sum(), x)
print(g, g.requires_grad)
(g,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
print(g, g.requires_grad)
with caught():
    g.sum().backward()


# % functions-ctx-rules: saving what may not be saved, using it twice, changing it
class Keep(Function):
    what = None

    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(Keep.what(x, y))
        return y

    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors)
        return g * 2


for what in (lambda x, y: x, lambda x, y: y, lambda x, y: None, lambda x, y: x + y, lambda x, y: 5, lambda x, y: [x]):
    Keep.what = what
    x = torch.tensor([1.0], requires_grad=True)
    with caught():
        y = Keep.apply(x)
        y.backward()
        print(x.grad)
Keep.what = lambda x, y: y
y = Keep.apply(x)
y.backward()
with caught("freed"):
    y.grad_fn.saved_tensors
with caught("twice"):
    y.backward()
y = Keep.apply(x * 1)
y.mul_(2)
with caught("changed"):
    y.sum().backward()


# % functions-setup-context: forward without ctx
class Mul(Function):
    @staticmethod
    def forward(x, y, extra):
        return x * y, extra

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(len(inputs), type(output).__name__, output[1])
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, g, _):
        x, y = ctx.saved_tensors
        return g * y, g * x, None


x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
product, extra = Mul.apply(x, y, "tag")
print(product, extra)
product.backward()
print(x.grad, y.grad)


# % functions-context-and-node: the context of a call and its Node are one to programs
class Seen(Function):
    contexts = []

    @staticmethod
    def forward(ctx, x):
        Seen.contexts.append(ctx)
        ctx.a = 1
        print(isinstance(ctx, torch.autograd.function.BackwardCFunction), ctx.saved_tensors, ctx.dirty_tensors)
        for name in ("materialize_grads", "nothing"):
            with caught():
                getattr(ctx, name)
        for name in ("saved_tensors", "next_functions", "metadata"):
            with caught():
                setattr(ctx, name, ())
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(ctx == Seen.contexts[0], ctx.a, ctx.b)
        ctx.c = 3
        return g


x = torch.ones(2, requires_grad=True)
y = Seen.apply(x)
ctx = Seen.contexts[0]
print(y.grad_fn == ctx, ctx == y.grad_fn, hash(ctx) == hash(y.grad_fn), y.grad_fn.a)
y.grad_fn.b = 2
y.sum().backward()
print(ctx.b, y.grad_fn.c, y.grad_fn.__dict__, ctx.__dict__)
print([c.__name__ for c in type(y.grad_fn).__mro__][:5], [c.__name__ for c in Seen.__mro__])
del y.grad_fn.a
with caught():
    print(ctx.a)
