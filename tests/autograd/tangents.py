"""Forward mode: tangents through Functions with a `jvp`, and derivatives of tangents."""

import warnings

import torch
from torch.autograd import forward_ad

from tests.scenarios.show import caught


class Square(torch.autograd.Function):
    """Its jvp is ten times the right one, so that one sees that it was used."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return 20 * x * tangent


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, y, factor):
        return x * y * factor, x + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y, ctx.factor = inputs
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)

    @staticmethod
    def backward(ctx, first, second):
        x, y = ctx.saved_tensors
        return first * y * ctx.factor + second, first * x * ctx.factor + second, None

    @staticmethod
    def jvp(ctx, x_t, y_t, factor_t):
        x, y = ctx.saved_tensors
        print(factor_t)
        return (x_t * y + x * y_t) * ctx.factor, x_t + y_t


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def dual(values=(1.0, 2.0), tangent=(1.0, 1.0)):
    return forward_ad.make_dual(torch.tensor(values), torch.tensor(tangent))


with warnings.catch_warnings():  # the first tangent makes PyTorch load deprecated parts of its own
    warnings.simplefilter("ignore")
    with forward_ad.dual_level():
        dual()


# % function-tangent: a Function's jvp gives the tangent, its backward the gradient
with forward_ad.dual_level():
    d = dual()
    print(forward_ad.unpack_dual(Square.apply(d)))
    print(forward_ad.unpack_dual(Square.apply(d * 2) * 3).tangent)
x = torch.tensor([1.0, 2.0], requires_grad=True)
Square.apply(x).sum().backward()
print(x.grad)

# % function-func: func.jvp and several inputs and outputs
x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
print(torch.func.jvp(lambda a, b: Scaled.apply(a, b, 2), (x, y), (torch.ones(2), torch.zeros(2))))
print(torch.func.jvp(lambda a: Scaled.apply(a, y, 2), (x,), (torch.ones(2),)))
print(torch.func.grad(lambda a: Scaled.apply(a, y, 2)[0].sum())(x))

# % function-without: a Function without a jvp refuses tangents, and only these
with forward_ad.dual_level():
    d = dual()
    with caught():
        Double.apply(d)
    with caught():
        Double.apply(d + 1)
    print(Double.apply(torch.ones(1)), Double.apply(torch.ones(1, requires_grad=True)))


# % function-checks: what jvp returns is checked
class TwoForOne(Double):
    @staticmethod
    def jvp(ctx, tangent):
        return tangent, tangent


class Shrunk(Double):
    @staticmethod
    def jvp(ctx, tangent):
        return tangent.sum()


class Number(Double):
    @staticmethod
    def jvp(ctx, tangent):
        return 3


for cls in (TwoForOne, Shrunk, Number):
    with forward_ad.dual_level(), caught():
        forward_ad.unpack_dual(cls.apply(dual()))


# % function-none: without materialized gradients, inputs without a tangent give None
class Left(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x + y

    @staticmethod
    def jvp(ctx, x_t, y_t):
        print(y_t)
        return x_t


with forward_ad.dual_level():
    print(forward_ad.unpack_dual(Left.apply(dual(), torch.ones(2))).tangent)

# % tangent-gradient: a tangent can be differentiated by what requires grad outside
w = torch.tensor([1.0, 2.0], requires_grad=True)
with forward_ad.dual_level():
    d = forward_ad.make_dual(w, torch.ones(2))
    tangent = forward_ad.unpack_dual(d**3).tangent
    print(tangent.requires_grad, torch.autograd.grad(tangent.sum(), w))
    d = dual()
    tangent = forward_ad.unpack_dual((d * w).sin()).tangent
    print(forward_ad.unpack_dual(d * d))
    print(forward_ad.unpack_dual(Square.apply(forward_ad.make_dual(w, torch.ones(2)))).tangent.requires_grad)
print(torch.autograd.grad(tangent.sum(), w))


# % tangent-printed: a dual tensor prints its tangent, and not what is recorded for it
p = torch.nn.Parameter(torch.ones(2))
with forward_ad.dual_level():
    x = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([0.5, 1.0]))
    print(x, x * 2, str(x.sum()), [x > 1], sep="\n")
    print(forward_ad.make_dual(p, torch.ones(2)))
    print(torch.ones(2), p, p * 2, sep="\n")
print(x)

# % dual-in-place: a dual tensor may be changed, also through a view, and tensors that it is written into become dual
with forward_ad.dual_level():
    d = dual()
    print(d.is_leaf, d.requires_grad, d.grad_fn, (d * 2).requires_grad)
    print(forward_ad.unpack_dual(d.mul_(3)))
    d.view(2, 1).mul_(2)
    print(d)
    into = torch.zeros(2, 2)
    into[0] = d
    print(forward_ad.unpack_dual(into).tangent)
    row = into[1]
    row.add_(d)
    print(forward_ad.unpack_dual(into).tangent, forward_ad.unpack_dual(row).tangent)
    print(d.numpy(), d.clone().detach())
    with caught():
        torch.add(d, d, out=torch.empty(2))
    with caught():
        forward_ad.make_dual(torch.ones(2), torch.ones(2), level=5)
    with caught():
        forward_ad.unpack_dual(3)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    both = forward_ad.make_dual(w, torch.ones(2)) * d
    print(both.requires_grad, both.grad_fn.name(), forward_ad.unpack_dual(both).tangent.tolist())
print(d.requires_grad, d)

# % jvp-in-place: the function may change its argument
x = torch.tensor([1.0, 2.0])
print(torch.func.jvp(lambda a: a.mul_(3).sin_(), (x.clone(),), (torch.ones(2),)))
print(torch.func.jvp(lambda a: a.fill_(1.0), (x.clone(),), (torch.ones(2),)))

# % tangent-without-recording: what is computed under no_grad has a tangent, and no history
w = torch.ones(2, requires_grad=True)
with forward_ad.dual_level():
    d = forward_ad.make_dual(torch.ones(2), torch.ones(2))
    with torch.no_grad():
        w.sub_(0.1)
        y = d * w
        print(y, forward_ad.unpack_dual(y))
        y.add_(d)
        print(forward_ad.unpack_dual(y), (w * 2).requires_grad)
        d.mul_(2)
        v = d[0]
        v.zero_()
        print(forward_ad.unpack_dual(v), forward_ad.unpack_dual(d))
    print(y.requires_grad, y.grad_fn, y.is_leaf)
    (y * w).sum().backward()
    print(w.grad)
    with torch.no_grad():
        o = torch.nn.Linear(2, 2)(d)
        print(forward_ad.unpack_dual(o).tangent.requires_grad, o.requires_grad)
    with torch.inference_mode():
        print(forward_ad.unpack_dual(d.exp()), forward_ad._is_fwd_grad_enabled())
    z = d * 3
    with forward_ad._set_fwd_grad_enabled(False):
        print(forward_ad._is_fwd_grad_enabled(), forward_ad.unpack_dual(d))
        s = d * 2
    print(forward_ad.unpack_dual(s), forward_ad.unpack_dual(s * d), forward_ad._is_fwd_grad_enabled())
print(z, z.requires_grad, y, o.requires_grad)

# % tangent-of-functions: jvp is called when the Function is applied, and what it returns is checked then


class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        print("forward", torch.is_grad_enabled(), forward_ad._is_fwd_grad_enabled())
        return x**k

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k * ctx.saved_tensors[0] ** (ctx.k - 1), None

    @staticmethod
    def jvp(ctx, t, k):
        print("jvp", t, k, torch.is_grad_enabled(), ctx.saved_tensors)
        return t * ctx.k * ctx.saved_tensors[0] ** (ctx.k - 1)


x = torch.tensor(2.0, requires_grad=True)
with forward_ad.dual_level():
    d = forward_ad.make_dual(torch.tensor(3.0), torch.tensor(1.0))
    y = Power.apply(d, 3)
    print("applied", forward_ad.unpack_dual(y), forward_ad.unpack_dual(y * 2))
    with torch.no_grad():
        print(forward_ad.unpack_dual(Power.apply(d, 3)))
    Power.apply(torch.tensor(3.0), 3)
    y = Power.apply(forward_ad.make_dual(x, torch.tensor(1.0)), 3)
    print(forward_ad.unpack_dual(y))
    forward_ad.unpack_dual(y).tangent.backward(retain_graph=True)
    y.backward()


def function(forward, jvp):
    return type("Made", (torch.autograd.Function,), {"forward": staticmethod(forward), "jvp": staticmethod(jvp)})


def dirty(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


def flags(ctx, x):
    y = x > 0
    ctx.mark_non_differentiable(y)
    return x * 2, y


for forward, jvp in (
    (lambda ctx, x: x * 2, lambda ctx, t: (t, t)),
    (lambda ctx, x: x * 2, lambda ctx, t: 3.0),
    (lambda ctx, x: x * 2, lambda ctx, t: t[:1]),
    (lambda ctx, x: x * 2, lambda ctx, t: t.double()),
    (lambda ctx, x: x.view_as(x), lambda ctx, t: t.view_as(t)),
    (lambda ctx, x: x.view_as(x), lambda ctx, t: t.clone()),
    (lambda ctx, x: x, lambda ctx, t: t),
    (lambda ctx, x: x.clone(), lambda ctx, t: t),
    (dirty, lambda ctx, t: t.mul_(2)),
    (dirty, lambda ctx, t: t * 2),
    (flags, lambda ctx, t: (t * 2, None)),
    (flags, lambda ctx, t: (t * 2, t)),
    (lambda ctx, x: ctx.save_for_forward(3), lambda ctx, t: t),
):
    with caught(), forward_ad.dual_level():
        made = function(forward, jvp).apply(forward_ad.make_dual(torch.ones(2), torch.ones(2)))
        made = made if isinstance(made, tuple) else (made,)
        print("applied", [forward_ad.unpack_dual(t) for t in made])

# % function-tangents: tangents in other memory, of views that a Function returns, and what gradcheck asks of them
fw = forward_ad
calls = []


class Narrow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, kind):
        ctx.kind = kind
        return x.narrow(0, 0, 2)

    @staticmethod
    def jvp(ctx, t, _):
        found = t.narrow(0, 0, 2)
        if ctx.kind != "view":
            found = found.clone()
        return found.view_as(found) if ctx.kind == "other" else found


class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        calls.append((x.requires_grad, y.requires_grad))
        return x.clone(), y.clone()

    @staticmethod
    def jvp(ctx, x, y):
        calls.append((x, y) == (None, None) or y is None)
        return x, y


for kind in ("view", "copy", "other"):
    for again in (False, True):
        with fw.dual_level():
            x = fw.make_dual(torch.arange(3.0), torch.ones(3))
            x = x.view_as(x) if again else x
            print(caught(lambda x=x, kind=kind: fw.unpack_dual(Narrow.apply(x, kind)).tangent))
with fw.dual_level():
    x = fw.make_dual(torch.ones(2), torch.ones(2))
    print(Both.apply(x, torch.tensor(3))[1], calls)
for primal, tangent in (
    (torch.ones(2, 3), torch.ones(3, 2).T),
    (torch.ones(3, 2).T, torch.ones(2, 3)),
    (torch.ones(5)[:4], torch.ones(4)),
    (torch.ones(4), torch.ones(1).expand(4)),
    (torch.ones(2, 3), torch.ones(2, 3)),
):
    with fw.dual_level():
        found = fw.unpack_dual(fw.make_dual(primal, tangent)).tangent
        print(found is tangent, found.stride(), found.storage_offset())
x, y = (torch.tensor([0.5], dtype=torch.float64, requires_grad=True) for _ in range(2))
for undefined, batched in ((False, False), (True, False), (True, True)):
    calls.clear()
    torch.autograd.gradcheck(
        Both.apply,
        (x, y),
        check_forward_ad=True,
        check_backward_ad=False,
        check_undefined_grad=undefined,
        check_batched_forward_grad=batched,
    )
    print(sum(type(call) is bool for call in calls), calls[-2:])


class Added(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.add_(y)

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


def placed(a, b):
    c = a.clone()
    Added.apply(c.narrow(1, 1, 2).narrow(0, 1, 2), b)
    Added.apply(c.narrow(1, 0, 2).narrow(0, 1, 2), b)
    return c


a, b = (torch.ones(n, n, dtype=torch.float64, requires_grad=True) for n in (3, 2))
print(torch.autograd.gradcheck(placed, (a, b)), torch.autograd.gradgradcheck(placed, (a, b)))

# % tangent-in-place: what is changed in place changes its tangent in place, and nothing that was computed before
for change in (
    lambda t: t.mul_(3),
    lambda t: t.sin_(),
    lambda t: t.copy_(torch.ones(3)),
    lambda t: t.zero_(),
    lambda t: t.__setitem__(0, 5.0),
    lambda t: t[1:].mul_(7),
):
    with forward_ad.dual_level():
        given = torch.ones(3)
        dual = forward_ad.make_dual(torch.full((3,), 0.5), given)
        before = dual * 3
        change(dual)
        print(given, given._version, forward_ad.unpack_dual(dual), forward_ad.unpack_dual(dual).tangent is given)
        print(forward_ad.unpack_dual(before).tangent, forward_ad.unpack_dual(dual * dual).tangent)
        dual.add_(dual)
        print(given, forward_ad.unpack_dual(dual).tangent is given)
with forward_ad.dual_level():
    given = torch.ones(3, requires_grad=True)
    dual = forward_ad.make_dual(torch.ones(3), given)
    with caught():
        dual.mul_(2)
x, v = torch.ones(2), torch.ones(2)
print(torch.func.jvp(lambda t: t.mul_(2) * 1, (x,), (v,)), x, v)

# % tangent-of-leaf: a dual tensor that becomes a leaf keeps its tangent
with forward_ad.dual_level():
    dual = forward_ad.make_dual(torch.tensor([0.5, 1.0]), torch.tensor([1.0, 2.0]))
    before = dual * 2
    dual.requires_grad_()
    y = (dual * dual * before).sum()
    print(dual.is_leaf, forward_ad.unpack_dual(dual).tangent, forward_ad.unpack_dual(y).tangent)
    print(forward_ad.unpack_dual(torch.autograd.grad(y, dual)[0]).primal)
    before.requires_grad = True
    y = (before * before).sum()
    print(before.is_leaf, forward_ad.unpack_dual(before).tangent, forward_ad.unpack_dual(y).tangent)

# % function-tangent-in-place: a jvp of a Function that changes its input changes the tangent in place and returns it


def doubling(jvp):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    Doubled.jvp = staticmethod(jvp)
    return Doubled


for jvp in (
    lambda ctx, t: t,
    lambda ctx, t: t * 2,
    lambda ctx, t: None,
    lambda ctx, t: t.mul_(2),
    lambda ctx, t: t.mul_(2).view_as(t),
):
    with forward_ad.dual_level():
        given = torch.ones(2)
        dual = forward_ad.make_dual(torch.ones(2), given)
        with caught():
            made = doubling(jvp).apply(dual)
            print(made is dual, forward_ad.unpack_dual(made), forward_ad.unpack_dual(made).tangent is given)

# % function-subclass: an input of a subclass that a Function returns


class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is not torch.Tensor.__repr__:
            print("asked", func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


for x in (torch.ones(2), torch.ones(2, requires_grad=True), torch.nn.Parameter(torch.ones(2))):
    given = x if isinstance(x, torch.nn.Parameter) else x.as_subclass(Told)
    y = Same.apply(given)
    print(type(y), y is given, y.requires_grad)
    if y.requires_grad:
        y.sum().backward()
        print(type(x.grad), x.grad)

# % tangent-missing: operations that have no formula for forward mode
functional = torch.nn.functional
with forward_ad.dual_level(), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    dual = forward_ad.make_dual(torch.tensor([0.5, 1.5, 2.0]), torch.ones(3))
    rows, square, plain = torch.ones(2, 3) * dual, torch.eye(3) * dual, torch.ones(3)
    for action in (
        lambda: torch.igamma(plain, dual),
        lambda: torch.igamma(dual, plain),
        lambda: dual.igammac(dual),
        lambda: (dual * 1).igamma_(plain),
        lambda: torch.special.zeta(dual + 1, dual),
        lambda: torch.cholesky(square),
        lambda: torch.unique(dual),
        lambda: torch.unique(dual, dim=0),
        lambda: torch.unique_consecutive(dual),
        lambda: torch.geqrf(square),
        lambda: torch.ormqr(square, dual, square),
        lambda: torch.pdist(rows),
        lambda: torch.cdist(rows, rows, p=1),
        lambda: torch.cdist(torch.ones(30, 3) * dual, torch.ones(30, 3)),
        lambda: functional.embedding_bag(torch.tensor([[0]]), rows),
        lambda: rows.index_reduce(0, torch.tensor([0]), torch.ones(1, 3), "prod"),
        lambda: functional.ctc_loss(
            torch.ones(3, 1, 3) * dual, torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1])
        ),
        lambda: functional.multi_margin_loss(rows, torch.tensor([0, 1])),
        lambda: functional.multilabel_margin_loss(rows, torch.tensor([[0, 1, -1], [0, 1, -1]])),
        lambda: functional.grid_sample(torch.ones(1, 1, 2, 2) * dual[0], torch.zeros(1, 1, 1, 2)),
        lambda: functional.grid_sample(torch.ones(1, 1, 2, 2, 2) * dual[0], torch.zeros(1, 1, 1, 1, 3)),
        lambda: torch.segment_reduce(dual, "sum", lengths=torch.tensor([3])),
        lambda: torch._standard_gamma(dual),
        lambda: torch.linalg.cholesky(square),
        lambda: functional.embedding(torch.tensor([0]), rows),
    ):
        with caught():
            print(forward_ad.unpack_dual(action()).tangent is not None)
with caught():
    torch.func.jvp(lambda t: torch.cdist(t, t), (torch.ones(2, 2),), (torch.ones(2, 2),))
print(torch.igamma(plain, plain), torch.cdist(torch.ones(1, 2, requires_grad=True), torch.ones(1, 2)).grad_fn.name())

# % tangent-learned: PyTorch multiplies each tensor by the tangents of those beside it, be these zero, and so they
# require grad
functional = torch.nn.functional
m, v = torch.ones(2, 2), torch.tensor([1.0, 2.0])
signal, kernel, image = torch.ones(1, 1, 4), torch.ones(1, 1, 2), torch.ones(1, 1, 3, 3)


def tangent_requires_grad(function, given, duals, learned):
    leaves = [t.clone().requires_grad_(r) for t, r in zip(given, learned, strict=True)]
    with forward_ad.dual_level():
        args = [forward_ad.make_dual(t, torch.ones_like(t)) if d else t for t, d in zip(leaves, duals, strict=True)]
        tangent = forward_ad.unpack_dual(function(*args)).tangent
        if tangent is None or not tangent.requires_grad:
            return "no"
        wanted = [t for t in leaves if t.requires_grad]
        found = torch.autograd.grad(tangent.sum(), wanted, allow_unused=True)
        return [None if g is None else (g + 0).flatten().tolist() for g in found]


for name, function, given in (
    ("mul", torch.mul, (v, v)),
    ("by a number", lambda t, _: 2 * t, (v, v)),
    ("in place", lambda s, t: s.clone().mul_(t), (v, v)),
    ("div", torch.div, (v, v)),
    ("add", torch.add, (v, v)),
    ("maximum", torch.maximum, (v, v + 1)),
    ("where", lambda s, t: torch.where(v > 1, s, t), (v, v)),
    ("mm", torch.mm, (m, m)),
    ("mv", torch.mv, (m, v)),
    ("matmul", torch.matmul, (torch.ones(2, 2, 2), m)),
    ("einsum", lambda s, t: torch.einsum("ij,j->i", s, t), (m, v)),
    ("addmm", torch.addmm, (m, m, m)),
    ("lerp", torch.lerp, (v, v, v)),
    ("linear", functional.linear, (m, m, v)),
    ("index_add", lambda s, t: s.index_add(0, torch.tensor([0, 1]), t), (v, v)),
    ("conv1d", functional.conv1d, (signal, kernel, torch.ones(1))),
    ("conv2d", functional.conv2d, (image, torch.ones(1, 1, 2, 2))),
    ("mse_loss", functional.mse_loss, (v, v)),
):
    n = len(given)
    for dual in range(n):
        print(
            name,
            *[
                tangent_requires_grad(function, given, *[[k == i for k in range(n)] for i in (dual, own)])
                for own in range(n)
            ],
            tangent_requires_grad(function, given, [k == dual for k in range(n)], [True] * n),
        )

# % tangent-of-layers: what was computed inside of a layer is followed too, and refused where there is no formula
functional = torch.nn.functional
q = torch.ones(1, 1, 2, 2)
attention = torch.nn.MultiheadAttention(2, 1, batch_first=True)
for action in (
    lambda t: functional.scaled_dot_product_attention(t, q, q),
    lambda t: attention(t[0], q[0], q[0], need_weights=False)[0],
    lambda t: torch.func.grad(lambda s: functional.scaled_dot_product_attention(s, q, q).sum())(t),
    lambda t: torch.nn.LSTM(2, 2)(t[0])[0],
    lambda t: functional.scaled_dot_product_attention(t[0, 0], q[0, 0], q[0, 0]),
):
    with caught():
        print(torch.func.jvp(action, (q,), (q,))[1].shape)
with forward_ad.dual_level():
    hidden = attention(forward_ad.make_dual(q[0], q[0]), q[0], q[0])[0]
    with torch.no_grad():
        hidden.mul_(2)

# % tangent-of-copies: the tangent of a copy is no tangent that was given, and may be changed
given = torch.tensor([3.0], requires_grad=True)
with forward_ad.dual_level():
    dual = forward_ad.make_dual(torch.tensor([2.0]), given)
    copied = forward_ad.unpack_dual(dual.clone()).tangent
    viewed = forward_ad.unpack_dual(dual.view_as(dual)).tangent
    print(copied is given, copied.is_leaf, viewed is given, viewed.is_leaf)
    copied.add_(1)
    print(given, copied)

# % tangents-at-once: a call has its tangent when it returns: what is changed afterwards, and hooks, do not matter
w, s = torch.tensor([3.0, 4.0]), torch.tensor([1.0, 2.0], requires_grad=True)
with forward_ad.dual_level():
    x = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 5.0]))
    products, e, c = x * w, x.exp(), x.clone()
    e.register_hook(lambda grad: print("never", grad)) if e.requires_grad else None
    squares, twice = c * c, e * 2
    w.add_(1)
    e.add_(1)
    c.zero_()
    for t in (products, e, twice, squares, c):
        print(forward_ad.unpack_dual(t).tangent)
    with caught():
        forward_ad.make_dual(twice, torch.ones(2))
    with caught():
        forward_ad.make_dual(torch.ones(2), twice)
    hooked = forward_ad.make_dual(s, torch.ones(2)).exp()
    hooked.register_hook(lambda grad: print("never", grad))
    print(forward_ad.unpack_dual(hooked * hooked).tangent)

# % tangents-at-poles: where a gradient would divide by zero, tangents of elementwise operations choose as gradients do
z = torch.tensor([0.0, 1.0, 2.0])
for function in (
    lambda t: torch.logit(t),
    lambda t: torch.sinc(t),
    lambda t: torch.pow(t, torch.zeros(3)),
    lambda t: torch.renorm(t.reshape(3, 1), 3, 0, 1.0).T,
    lambda t: torch.std(t[:1].expand(2)),
    lambda t: torch.dist(t, t.detach(), 3),
    lambda t: torch.linalg.vector_norm(t[:1], 0),
    lambda t: torch.nn.functional.max_unpool1d(t.reshape(1, 3), torch.tensor([[1, 1, 0]]), 1),
):
    print(torch.func.jvp(function, (z,), (torch.tensor([1.0, 2.0, 3.0]),))[1])

# % tangent-under-no-grad: what is computed without recording has a tangent without history
given = torch.tensor([3.0], requires_grad=True)
with forward_ad.dual_level():
    dual = forward_ad.make_dual(torch.tensor([2.0], requires_grad=True), given)
    with torch.no_grad():
        tripled = dual * 3
    again = tripled * dual
    for result in (tripled, again):
        primal, tangent = forward_ad.unpack_dual(result)
        print(primal.requires_grad, tangent.requires_grad, tangent.detach())
