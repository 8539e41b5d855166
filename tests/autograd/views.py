"""Views and in-place operations."""

import torch
from torch.autograd import Function

from tests.scenarios.show import t

# % views-creation: creation
w = torch.ones(2, requires_grad=True)
p = torch.ones(2, 2)
a, b = p.unbind()
t(lambda: a.mul_(w))
print(a)
t(lambda: b.add_(1))
with torch.no_grad():
    v = p.view(-1)
t(lambda: v[:2].mul_(w))
t(lambda: v.add_(1))


class Same(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 10


v = Same.apply(p)
t(lambda: v.mul_(torch.ones(2, 2, requires_grad=True)))
x = torch.ones(2, 2, requires_grad=True) * 1
with torch.no_grad():
    v = x.view(-1)
u = v[:2]
t(lambda: u.grad_fn)
t(lambda: u.mul_(2))
x.add_(1)
t(lambda: u.grad_fn)
t(lambda: u * 2)
t(lambda: u)
y = torch.ones(2, 2, requires_grad=True) * 1
v = y[0]
u = v[0:1]
y.add_(1)
t(lambda: v.grad_fn)
t(lambda: u.grad_fn)
u.mul_(2)
t(lambda: y)
t(lambda: v.grad_fn)
with torch.no_grad():
    v.add_(1)
t(lambda: v)
t(lambda: v._version)
t(lambda: y.grad_fn)
p = torch.ones(2, 2)
v = p[0]
v.mul_(w)
t(lambda: p)
t(lambda: v)
z = p.sum()
z.backward()
print(w.grad)
t(lambda: p.grad_fn.next_functions)
with torch.inference_mode():
    q = torch.ones(2, 2)
v = q[0]
t(lambda: v.mul_(w))
t(lambda: v.requires_grad_())
print(y.grad_fn.name(), type(y.grad_fn).__name__)

# % views-opt: opt
x = torch.ones(2, 2, requires_grad=True)
with torch.no_grad():
    v = x.view(-1)
    x.add_(1)
t(lambda: v.grad_fn)
t(lambda: v.requires_grad)
t(lambda: v * 2)
t(lambda: v)
a, b = x.unbind()
with torch.no_grad():
    x.add_(1)
t(lambda: a.grad_fn)
t(lambda: a)
v = x.view(-1)
with torch.no_grad():
    x.add_(1)
t(lambda: v.grad_fn)
t(lambda: v)
p = torch.ones(2, 2)
a, b = p.unbind()
p.add_(1)
t(lambda: a.grad_fn)
t(lambda: a.add_(1))
p.requires_grad_()
t(lambda: a.grad_fn)
t(lambda: a.requires_grad)


# % views-entries: each entry of an index has its Node, which saves what it was given
def told(fn):
    while fn is not None:
        names = [n for n in dir(fn) if n.startswith("_saved_")]
        print(fn.name(), [getattr(fn, n) for n in names], fn._input_metadata[0].shape, end=" | ")
        fn = fn.next_functions[0][0] if fn.next_functions else None
    print()


m = torch.arange(24.0).view(2, 3, 4).requires_grad_()
for index in (
    (slice(1, 3), slice(None, None, 2)),
    (1, slice(0, 2)),
    (slice(0, 2), 1),
    (..., 1, slice(2)),
    (0, ..., -1),
    (-1, 2, -4),
    (slice(None), slice(-2, None), slice(None)),
    (slice(None), slice(0, 9), slice(1, 9, 3)),
    (slice(0, 2, 1), slice(-3, -1)),
    (slice(2, 1), 0),
    (slice(None), slice(None)),
    (0, 0, 0, ...),
):
    y = m[index]
    print(y.shape, y.stride(), y.storage_offset(), y._base is m, y._version)
    told(y.grad_fn)
for index in ((2, 0), (0, 0, 0, 0), (0, slice(None, None, -1)), (..., slice(None), 4), (slice(3), 0, 5)):
    try:
        m[index]
    except (IndexError, ValueError) as error:
        print(error)
h = m.clone()
part = h[1, 1:]
part.mul_(2)
h[0, :, 1:3].sum().backward()
print(m.grad)

# % views-not-looked-up: a view whose base has changed since, before anything asked for its Node


def changed_since(kind):
    w = torch.ones(2, requires_grad=True)
    if kind == "plain":
        base = torch.ones(2)
        v = base.view(-1)
    elif kind == "unrecorded":
        base = w * 2
        with torch.no_grad():
            v = base.view(-1)
    elif kind == "inference":
        base = w * 2
        with torch.inference_mode():
            v = base.view(-1)
    elif kind == "several":
        base = w * 2
        v = base.view(2, 1).unbind(1)[0]
    else:
        base = w * 2
        v = base.view(-1)
    base.mul_(w)
    return v


QUESTIONS = (
    lambda v: v.retain_grad(),
    lambda v: v.requires_grad_(),
    lambda v: v.requires_grad_(False),
    lambda v: v.grad,
    lambda v: v._backward_hooks,
    lambda v: v.is_leaf,
    lambda v: v.mul_(2),
    lambda v: v.sin_(),
    lambda v: v.copy_(torch.ones(2)),
    lambda v: v.masked_fill_(v > 0, 2.0),
    lambda v: v.unsqueeze_(0),
    lambda v: v.set_(torch.ones(2)),
    lambda v: (v.grad_fn, v.retain_grad(), v.mul_(2)),
)
for kind in ("plain", "unrecorded", "inference", "several", "one"):
    for question in QUESTIONS:
        t(lambda: question(changed_since(kind)))
