"""What arrives where: versions, strides and dtypes of gradients, modes of hooks, layouts of results."""

import itertools
import warnings

import torch

from tests.scenarios.show import attempt, caught


# % arrival-versions: how often a sum of gradients was written, seen by a Function and behind it
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print("Twice:", g._version)
        return g * 2


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print("Same:", g._version)
        return g


for function in (Twice, Same):
    for n in (3, 2000):
        w = torch.ones(n, requires_grad=True)
        a = w * 1
        a.register_hook(lambda g: print("a:", g._version))
        y = function.apply(a)
        (y * 2 + y * 3 + y * 4).sum().backward()
        print("w:", w.grad._version)

# % arrival-dtypes: a .grad of another dtype than the gradients that come
for old, new in ((torch.int64, torch.float32), (torch.float32, torch.float64), (torch.float64, torch.float32)):
    x = torch.ones(2, dtype=new, requires_grad=True)
    x.grad_dtype = None
    x.grad = torch.ones(2, dtype=old)
    attempt(lambda: x.exp().sum().backward())
    print(x.grad, x.grad._version)

# % arrival-after: what hooks that run after accumulation may return
x = torch.ones(2, requires_grad=True)
for result in (torch.ones(1), torch.ones(2), torch.ones(2, dtype=torch.float64), 3, (torch.ones(2),)):
    handle = x.register_post_accumulate_grad_hook(lambda t: result)
    attempt(lambda: x.sum().backward())
    print(x.grad)
    handle.remove()

# % arrival-recorded: a plain backward after one that was recorded
x = torch.ones(2, requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    (x**3).sum().backward(create_graph=True)
first = x.grad
(x * 2).sum().backward()
print(x.grad, x.grad._version, x.grad is first)

# % arrival-strides: strides and versions of .grad where sizes are 1
makers = (
    lambda: torch.ones(2, 3),
    lambda: torch.ones(3, 2).t(),
    lambda: torch.ones(1, 3),
    lambda: torch.ones(3, 1),
    lambda: torch.ones(3, 1).t(),
    lambda: torch.empty_strided((1, 3), (0, 1)).fill_(1),
    lambda: torch.empty_strided((3, 1), (1, 0)).fill_(1),
    lambda: torch.empty_strided((3, 1), (1, 7)).fill_(1),
)
uses = (
    lambda x: x.sum(),
    lambda x: x.squeeze().sum(),
    lambda x: (x * 2).sum(0).sum(),
    lambda x: x.expand(4, 3, 3).sum() if 1 in x.shape else x.expand(4, *x.shape).sum(),
    lambda x: x.sum(1).sum(),
    lambda x: x.t().exp().sum(),
    lambda x: (x.flip(0) * 2).sum(),
    lambda x: x.flip(1).flip(0).sum(),
    lambda x: (x.rot90() * 2).sum(),
)
for make in makers:
    for use in uses:
        x = make().requires_grad_()
        use(x).backward()
        print(x.grad.stride(), x.grad._version, end=" ")
    print()

# % arrival-layouts: strides of sums of tensors that lie in different orders
for shape in ((2, 2, 1), (2, 2, 3), (2, 1, 2, 2), (1, 2, 2, 3)):
    plain = torch.zeros(shape)
    for order in itertools.permutations(range(len(shape))):
        back = [order.index(d) for d in range(len(shape))]
        x = torch.arange(1.0, plain.numel() + 1).view([shape[d] for d in order]).permute(back)
        for y in (x + plain, plain + x, x + x, x.exp(), x.clone() + plain[..., :1]):
            print(*y.stride(), end=" ")
        print((y == x).all().item(), torch.zeros_like(x).stride())

# % arrival-squares: strides of results of two dimensions, of operands that are broadcast and turned
square, line = torch.arange(4.0).view(2, 2), torch.arange(2.0)
operands = (
    square,
    square.t(),
    line,
    line[:, None],
    line[None].expand(2, 2),
    line[:, None].expand(2, 2),
    line[None].t(),
)
for one, other in itertools.product(operands, operands):
    for y in (one + other, torch.where(one > 1, one, other), one.clone().addcmul(other, one)):
        print(*y.shape, *y.stride(), y.tolist(), end="; ")
    print()

# % arrival-channels: which strides pass for channels last
for strides in ((12, 1, 6, 3), (99, 1, 6, 3), (12, 1, 7, 3), (1, 1, 6, 3), (3, 1, 6, 3), (12, 1, 3, 6), (6, 1, 6, 3)):
    x = torch.empty_strided((2, 3, 2, 2), strides)
    print(strides, x.is_contiguous(memory_format=torch.channels_last), torch.zeros_like(x).stride(), end=" ")
    print(torch.nn.functional.max_pool2d(x, 1).stride(), torch.nn.functional.interpolate(x, size=2).stride(), end=" ")
    print(x.as_strided((1, 3, 2, 2), strides).exp().stride(), x.as_strided((2, 1, 2, 2), strides).exp().stride())

# % arrival-turned: in-place views of views, and what the gradient passes
for turn in (
    lambda v: v.t_(),
    lambda v: v.transpose_(0, 1),
    lambda v: v.unsqueeze_(0),
    lambda v: v.squeeze_(),
    lambda v: v.t_().mul_(2),
    lambda v: v.swapdims_(0, 1).unsqueeze_(1),
):
    w = torch.arange(6.0, requires_grad=True)
    base = w * 1
    v = base.view(2, 3)
    turn(v)
    print(v.grad_fn, tuple(v.shape), v.stride(), v._version, base.grad_fn, v._base is base)
    (v * torch.arange(1.0, v.numel() + 1).view(v.shape)).sum().backward()
    print(w.grad)

# % arrival-rows: hooks of what a vmapped function captures
w = torch.tensor([1.0, 2.0], requires_grad=True)
rows = torch.arange(6.0).view(3, 2)
w.register_hook(lambda g: print("w:", g) or g * 10)
a = w * 2
a.register_hook(lambda g: print("a:", g))
y = torch.vmap(lambda x: (x * a).sum() * w.sum())(rows)
y.sum().backward()
print(w.grad)
b = w * 2
(g,) = torch.autograd.grad(torch.vmap(lambda x: (x * b).sum() ** 2)(rows).sum(), w, create_graph=True)
print(g)

# % arrival-written: numbers that do not fit, by masks and by indices
for dtype in (torch.int8, torch.uint8, torch.bool, torch.float16):
    for value in (torch.tensor(300.0), torch.tensor(-1), torch.tensor(2.5), torch.tensor(1 + 2j), torch.tensor(1e6)):
        for index in (torch.tensor([True, False]), torch.tensor([0]), 0, slice(None)):
            x = torch.zeros(2, dtype=dtype)
            with caught(f"{dtype} {value.item()} {type(index).__name__}"):
                x[index] = value
                print(x.tolist(), end=" ")

# % arrival-operations: how often the gradients of operations with several inputs were written
operations = (
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: x**y,
    lambda x, y: torch.atan2(x, y),
    lambda x, y: torch.maximum(x, y),
    lambda x, y: torch.fmod(x, y),
    lambda x, y: torch.hypot(x, y),
    lambda x, y: torch.logaddexp(x, y),
    lambda x, y: torch.lerp(x, y, 0.25),
    lambda x, y: torch.where(x > y, x, y),
    lambda x, y: torch.addcmul(x, x, y),
    lambda x, y: torch.addcdiv(x, x, y),
    lambda x, y: torch.outer(x[0], y[0]),
    lambda x, y: x @ y.t(),
    lambda x, y: torch.addmm(x, x, y.t() @ y),
    lambda x, y: torch.baddbmm(x[None], x[None], (y.t() @ y)[None]),
    lambda x, y: torch.dot(x[0], y[1]),
    lambda x, y: torch.mv(x, y[0]),
    lambda x, y: torch.cdist(x, y),
    lambda x, y: torch.dist(x, y),
    lambda x, y: torch.cross(x, y, dim=1),
    lambda x, y: torch.linalg.solve(x[:, :2], y),
    lambda x, y: torch.einsum("ij,kj->ik", x, y),
    lambda x, y: torch.nn.functional.mse_loss(x, y),
    lambda x, y: torch.nn.functional.smooth_l1_loss(x, y),
    lambda x, y: torch.nn.functional.kl_div(x, y),
    lambda x, y: torch.nn.functional.cosine_similarity(x, y),
    lambda x, y: torch.nn.functional.linear(x, y, y[:, 0]),
    lambda x, y: torch.nn.functional.layer_norm(x, (3,), y[0], y[1]),
    lambda x, y: torch.nn.functional.prelu(x - 1, y[0, :1]),
    lambda x, y: torch.nn.functional.conv1d(x[None], y[:, :, None].expand(2, 3, 2)[:, :2]),
    lambda x, y: torch.nn.functional.batch_norm(x, None, None, y[0], y[1], training=True),
    lambda x, y: torch.cat([x, y]).cumprod(0),
    lambda x, y: torch.stack([x, y]).logsumexp(0),
    lambda x, y: x.masked_scatter(x > y, y),
    lambda x, y: x.index_add(0, torch.tensor([1, 0]), y),
    lambda x, y: x.scatter(0, torch.tensor([[0, 1, 0]]), y),
    lambda x, y: x.index_put((torch.tensor([0]),), y[0]),
    lambda x, y: torch.complex(x, y).abs(),
    lambda x, y: torch.polar(x, y).real,
)
for operation in operations:
    x = torch.tensor([[1.0, 2.0, -0.5], [0.5, 3.0, 1.5]], requires_grad=True)
    y = torch.tensor([[2.0, 1.0, 0.5], [1.5, 0.25, 2.0]], requires_grad=True)
    with caught():
        result = operation(x.abs() if operation is operations[2] else x, y)
        result.backward(torch.ones_like(result))
        print(*[(g._version, g.stride()) for g in (x.grad, y.grad)], end=" ")
        x2, y2 = torch.autograd.grad(operation(x.abs(), y).sum(), (x, y))
        print(x2._version, y2._version, end=" ")

# % arrival-chosen: gradients of numbers that were chosen go where they were
x = torch.tensor([[1.0, 3.0], [4.0, 2.0]], requires_grad=True)
weights = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
for dim in (0, 1):
    for choose in (
        lambda t: t.topk(2, dim)[0] * weights,
        lambda t: t.topk(1, dim)[0] * 7,
        lambda t: t.sort(dim)[0] * weights,
        lambda t: t.kthvalue(1, dim)[0] * weights[0],
        lambda t: t.max(dim, keepdim=True)[0] * 5,
        lambda t: t.median(dim)[0] * weights[1],
        lambda t: t.mode(dim)[0] * weights[1],
        lambda t: t.cummax(dim)[0] * weights,
        lambda t: t.gather(dim, torch.tensor([[1, 0], [0, 0]])) * weights,
        lambda t: t.take_along_dim(t.argsort(dim), dim) * weights,
    ):
        print(torch.autograd.grad(choose(x).sum(), x)[0].tolist())

# % arrival-itself: writes of tensors that are their own arguments, and into nothing
b = torch.tensor([True, False, True])
i = torch.tensor([2, 0, 1])
for write in (
    lambda: b.masked_fill_(b, False),
    lambda: i.index_add_(0, torch.tensor([0, 1, 2]), i),
    lambda: i.scatter_(0, torch.tensor([0, 1, 2]), i),
    lambda: i.copy_(i.flip(0)),
    lambda: i.add_(i),
    lambda: i.mul_(1.5),
    lambda: i.clamp_(0.5),
    lambda: i.addcmul_(i, i),
    lambda: torch.zeros(0, 3).__setitem__(torch.tensor([0]), 1.0),
    lambda: torch.zeros(0, 3)[torch.tensor([0])],
    lambda: torch.zeros(0, 3).index_put_((torch.tensor([0]),), torch.tensor(1)),
    lambda: torch.zeros(0, 3).index_put_((torch.zeros(0, dtype=torch.int64),), torch.tensor(1.0)),
    lambda: torch.zeros(0, 3)[:, torch.tensor([1])].shape,
    lambda: torch.zeros(2, 0)[torch.tensor([1]), torch.tensor([0])],
):
    attempt(write)
    print(b.tolist(), i.tolist(), i._version)

# % arrival-truths: True and False among indices
x = torch.arange(6.0).view(2, 3).requires_grad_()
for take in (
    lambda t: t[True],
    lambda t: t[False],
    lambda t: t[:, True],
    lambda t: t[0, False],
    lambda t: t[..., True, None],
    lambda t: t[True, torch.tensor([1, 0])],
    lambda t: t[:, torch.tensor([2]), True],
    lambda t: t[True, True, 1],
    lambda t: t[None, True, :, 1:],
):
    found = take(x)
    print(tuple(found.shape), found.grad_fn.name(), found.tolist(), end=" ")
    print(torch.autograd.grad(found.sum(), x)[0].tolist())
for place in (True, False, (slice(None), True), (0, True), (True, torch.tensor([1])), (Ellipsis, False)):
    y = torch.zeros(2, 3)
    with caught(str(place)):
        y[place] = 5.0
        print(y.tolist(), end=" ")

# % arrival-post-accumulate-returns: a post-accumulate hook may return the leaf, and nothing else; the next one gets it
w = torch.zeros(3, requires_grad=True)
w.register_post_accumulate_grad_hook(lambda p: p.add_(p.grad, alpha=-0.1))
w.register_post_accumulate_grad_hook(lambda p: print("second", p is w))
w.backward(torch.tensor([1.0, 2.0, 3.0]))
print(w, w.grad)
w = torch.zeros(3, requires_grad=True)
w.register_post_accumulate_grad_hook(lambda p: p.grad * 2)
w.register_post_accumulate_grad_hook(lambda p: print("second", p is w, p))
try:
    w.backward(torch.tensor([1.0, 2.0, 3.0]))
except RuntimeError as error:
    print(error)

# % arrival-cleared: a gradient with a graph is made zero, and has none then
p = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([p], lr=0.1)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    (p**3).sum().backward(create_graph=True)
before = p.grad
print(before)
optimizer.zero_grad(set_to_none=False)
print(p.grad is before, p.grad, p.grad.requires_grad, p.grad._version)
p.grad = torch.ones(2, requires_grad=True)
optimizer.zero_grad(set_to_none=False)
print(p.grad)

# % arrival-hooked: how often a gradient was written, seen by a hook of the leaf and in .grad
for n in (3, 2000):
    a = torch.ones(n, requires_grad=True)
    a.register_hook(lambda g: print("a:", g._version))
    (a * 2 + a * 3 + a * 4).backward(torch.ones(n))
    print(a.grad._version)
    b = torch.ones(n, requires_grad=True)
    c = (b + 1).view(-1)  # both hand on what they get
    c.register_hook(lambda g: print("c:", g._version))
    (c * 2 + c * 3 + c * 4).backward(torch.ones(n))
    print(b.grad._version)
for hook in (lambda g: None, lambda g: g.mul_(2), lambda g: g * 2, lambda g: (g * 2).mul_(3), lambda g: g.view(-1)):
    for before in (False, True):
        b = torch.ones(3, requires_grad=True)
        c = b + 1
        if before:
            c.grad_fn.register_prehook(lambda grads, hook=hook: None if (r := hook(grads[0])) is None else (r,))
            c.grad_fn.register_prehook(lambda grads: print("before:", grads[0]._version))
        else:
            c.register_hook(hook)
        (c * 2 + c * 3 + c * 4).backward(torch.ones(3))
        print(b.grad._version, b.grad.tolist())


class Written(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        first = g * 2
        first.mul_(2)
        return first, first.clone()


a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
Written.apply(a, b).sum().backward()
print(a.grad._version, b.grad._version)

# % arrival-permuted: the strides of a permuted leaf, also of its dimensions of size 1
for dtype in (torch.float32, torch.float64):
    for leaf in (
        torch.zeros(3, 1, 2, dtype=dtype).transpose(0, 2),
        torch.zeros(2, 1, 1, 3, dtype=dtype).permute(3, 1, 2, 0),
        torch.zeros(1, 3, dtype=dtype).t().contiguous().t(),
    ):
        x = leaf.requires_grad_()
        for function in (torch.exp, torch.Tensor.double, torch.Tensor.float, lambda t: t * 2):
            x.grad = None
            function(x).sum().backward()
            print(x.stride(), x.grad.stride())

# % arrival-index-layouts: the order of dimensions that an index gives
for x in (
    torch.arange(6.0).view(2, 3).t(),
    torch.arange(6.0).view(2, 1, 3),
    torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1),
    torch.zeros(0, 3),
    torch.zeros(3, 0, 2),
    torch.zeros(3, 1, 1),
):
    for index in (
        ([0, 1],),
        (slice(None), [0]),
        (torch.tensor([[0], [1]]),),
        ([],),
        (torch.zeros(x.shape[:1], dtype=torch.bool),),
        (None, [0, 0]),
        (slice(None), None, torch.zeros(x.shape[1:2], dtype=torch.bool)),
        (torch.zeros(x.shape[:2], dtype=torch.bool),),
    ):
        with caught():
            r = x[index]
            print(tuple(r.shape), r.stride())


# % arrivals-in-memory-of-others: .grad lies in the memory of a gradient that views alone have led to a leaf
def leaf(*size):
    return torch.ones(*size, requires_grad=True)


def lies(t, g):
    one, other = t.grad.untyped_storage(), g.untyped_storage()
    return one.data_ptr() == other.data_ptr(), t.grad.storage_offset(), one.nbytes()


for name, make in {
    "view": lambda a: a.view(6),
    "views": lambda a: a.view(6).unflatten(0, (3, 2)).unsqueeze(0),
    "reshape": lambda a: a.reshape(3, 2) + 1,
    "transposed": lambda a: a.t(),
    "cat": lambda a: torch.cat([torch.zeros(1, 3), a]),
    "stack": lambda a: torch.stack([torch.zeros(2, 3), a]),
    "sum over one": lambda a: a.view(1, 6).sum(0),
    "added": lambda a: a + 0,
    "expanded": lambda a: a.expand(2, 2, 3),
    "multiplied": lambda a: a * 2,
    "slice": lambda a: a[:1],
}.items():
    a = leaf(2, 3)
    y = make(a)
    g = torch.arange(1.0, y.numel() + 1).reshape(y.shape)
    y.backward(g, retain_graph=True)
    print(name, *lies(a, g), a.grad.stride(), a.grad._version, a.grad.flatten().tolist())
    y.backward(g)
    print(" ", a.grad.flatten().tolist(), g.flatten().tolist())


# % arrivals-two-leaves-in-one-memory: two leaves may get one memory, so that a second pass adds to both twice
def leaf(*size):
    return torch.ones(*size, requires_grad=True)


a, b = leaf(6), leaf(6)
loss = ((a.view(2, 3) + b.view(2, 3)) * 2).sum()
loss.backward(retain_graph=True)
print(a.grad, b.grad, a.grad.data_ptr() == b.grad.data_ptr())
loss.backward()
print(a.grad, b.grad)
a.grad.zero_()
print(b.grad)

a, b = leaf(2), leaf(3)
(torch.cat([a, b]) * torch.arange(5.0)).sum().backward()
print(a.grad, b.grad, b.grad.storage_offset(), b.grad.untyped_storage().nbytes())

seen = []
a = leaf(2, 3)
y = a.view(6)
y.register_hook(lambda g: seen.append(g))
(y * 2).sum().backward()
seen[0].add_(1)
print(a.grad)

a = leaf(2, 3)
y = a.view(6)
y.retain_grad()
(y * 2).sum().backward()
a.grad.zero_()
print(y.grad)
