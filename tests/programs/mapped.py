"""torch.func: what vmap draws, refuses and hands back, its graph, and Jacobians by forward mode."""

import warnings

import torch
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap
from torch.nn import functional as F

from tests.scenarios.show import attempt, caught

warnings.filterwarnings("ignore", message="`torch.jit")  # of decompositions, with the first call of jvp
warnings.filterwarnings("ignore", message="An output with one or more")  # of a bernoulli_ that is refused


def shape_of(t):
    """Sizes, strides, Nodes, and whether it is a view."""
    node = t.grad_fn
    following = [] if node is None else [None if n is None else n.name() for n, _ in node.next_functions]
    return tuple(t.shape), t.stride(), node and node.name(), following, t._base is not None


# % mapped-graph: Nodes, bases and identity of results
x, w = torch.arange(6.0).view(3, 2).requires_grad_(), torch.ones(2, requires_grad=True)
for result in (
    vmap(lambda t: t.sin())(x),
    vmap(lambda t: t * w)(x),
    vmap(lambda t: w)(x),
    vmap(lambda t: t)(x),
    vmap(lambda t: t.view(2, 1))(x),
    vmap(lambda t: t.sin(), 0, 1)(x),
    vmap(lambda t: t, 1)(x),
    vmap(vmap(lambda t: t.sin()))(x),
    vmap(lambda t: t[0])(x),
    vmap(lambda t: t.clone().mul_(2))(x),
):
    print(shape_of(result))
print(vmap(lambda t: t)(x) is x, vmap(lambda t: t, 1, 1)(x) is x, vmap(vmap(lambda t: t))(x) is x)
print(vmap(lambda t: t.contiguous())(x) is x, vmap(lambda t: w, out_dims=None)(x) is w)
attempt(lambda: vmap(lambda t: w, 0, 1)(x))
heard = []
y = vmap(lambda t: t.sin())(x)
y.retain_grad()
y.register_hook(lambda g: heard.append(tuple(g.shape)))
y.mul_(2).sum().backward()
print(heard, shape_of(y), x.grad.sum())
z = torch.ones(3, 2)
print(vmap(lambda t: t.mul_(3))(z) is z, z._version, z.sum())
both = vmap(lambda t: (t.exp(), t.exp(), torch.stack([t, t])))(x)
print([shape_of(t) for t in both[:2]])

# % mapped-forward: Jacobians by forward mode, their strides and graphs
x = torch.tensor([0.5, 1.0, 1.5])


def stopped(t):
    with torch.no_grad():
        c = t**2
    return t - c


def silent(t):
    with torch.no_grad():
        return t**2


with torch.no_grad():
    for result in (jacfwd(torch.sin)(x), jacrev(torch.sin)(x), hessian(lambda t: t.sin().sum())(x)):
        print(result, result.stride())
with torch.inference_mode():
    print(jacfwd(torch.sin)(x))
for f in (stopped, silent):
    print(jacfwd(f)(x), jacrev(f)(x))
one = torch.ones((), requires_grad=True)
print(jacfwd(lambda t: t**3)(one).grad_fn.name(), jacrev(lambda t: t**3)(one).grad_fn.name())
print(jacrev(lambda t: t**3)(x.clone().requires_grad_()).grad_fn.next_functions[0][0].name())
print(jacfwd(lambda a, b: ({"p": a * b}, a.sum()), argnums=(1, 0), has_aux=True)(x, 2 * x))
print(jacrev(lambda a, b: {"p": a * b, "q": a.sum()}, argnums=(1, 0))(x, 2 * x))
for size in (1, 2, 5):
    print(jacrev(lambda a: (a**2, a.sum()), chunk_size=size)(x))
attempt(lambda: jacfwd(lambda a: a * 2, argnums=3)(x))
attempt(lambda: jacfwd(lambda a: a * 2)(x, b=1))

# % mapped-draws: random numbers inside of vmap and of forward mode
rows, last, plain = torch.ones(3, 2, 2), torch.ones(2, 2, 3), torch.ones(2, 2)


def drawn(name, function, dims, *args, randomness):
    torch.manual_seed(3)
    attempt(lambda: print(name, randomness, vmap(function, dims, randomness=randomness)(*args).flatten()))


for randomness in ("same", "different"):
    for dims, t in ((0, rows), (-1, last), (None, plain)):
        given = t, torch.ones(3)
        drawn("normal_std", lambda t, _: torch.normal(0.0, t), (dims, 0), *given, randomness=randomness)
        drawn("normal_mean", lambda t, _: torch.normal(t, 1.0), (dims, 0), *given, randomness=randomness)
        drawn("rand_like", lambda t, _: torch.rand_like(t), (dims, 0), *given, randomness=randomness)
        drawn("randint_like", lambda t, _: torch.randint_like(t, 20), (dims, 0), *given, randomness=randomness)
    for dims, p in ((0, rows), (None, plain)):
        each = plain, p - 0.5, torch.ones(3)
        drawn("binomial", lambda t, p, _: torch.binomial(t, p), (None, dims, 0), *each, randomness=randomness)
        if dims is None or randomness == "same":
            drawn("bernoulli_", lambda t, p, _: t.bernoulli_(p), (None, dims, 0), *each, randomness=randomness)
        each = rows.clone(), p - 0.5, torch.ones(3)
        drawn("bernoulli_", lambda t, p, _: t.bernoulli_(p), (0, dims, 0), *each, randomness=randomness)
    drawn("gumbel", lambda t: F.gumbel_softmax(t, dim=0), 0, torch.ones(2, 3), randomness=randomness)
    torch.manual_seed(0)
    print(jacfwd(lambda t: t * torch.rand(2), randomness=randomness)(torch.ones(2)))
for size in (1, 2, 3):
    torch.manual_seed(0)
    print(vmap(lambda t: t + torch.rand_like(t), randomness="same", chunk_size=size)(torch.zeros(3, 2)))
v = torch.ones(3)
attempt(lambda: vmap(lambda t: torch.randn(3, out=v), randomness="same")(v))
attempt(lambda: vmap(lambda t: torch.rrelu(t), randomness="same")(v))
attempt(lambda: jacfwd(torch.bernoulli)(v))

# % mapped-refused: what is refused for many rows
m, v = torch.arange(6.0).view(3, 2), torch.tensor([1.0, 2.0, 3.0])
for action in (
    lambda: vmap(lambda t: t.clone(memory_format=torch.channels_last))(m),
    lambda: vmap(lambda t: t.contiguous(memory_format=torch.channels_last_3d))(m),
    lambda: vmap(lambda t: t.as_strided([1, 1, 1], [1, 1]))(m),
    lambda: vmap(lambda t: t.as_strided([2], [1], 1))(m),
    lambda: vmap(lambda t: t.as_strided([2], [1], 1), 1)(torch.ones(2, 2, 3)[1]),
    lambda: vmap(lambda t: t.as_strided([3], [1]))(torch.ones(3, 0, 3)),
    lambda: print(vmap(lambda t: t.as_strided([2, 2], [0, 1]))(torch.arange(8.0).view(4, 2)[1:])),
    lambda: vmap(torch.bmm)(torch.ones(2, 2, 2, 2), torch.ones(2, 2)),
    lambda: vmap(torch.mm, (0, None))(m, m),
    lambda: vmap(torch.mv)(torch.ones(3, 2, 2), torch.ones(3, 2, 2)),
    lambda: vmap(torch.dot, (0, None))(m, m),
    lambda: vmap(lambda t: t.squeeze(1))(v),
    lambda: vmap(lambda t: t.squeeze((0, 1)))(v),
    lambda: vmap(F.one_hot)(torch.tensor([0, 1])),
    lambda: vmap(torch.where)(m),
    lambda: vmap(torch.equal)(m, m),
    lambda: vmap(torch.allclose)(m, m),
    lambda: vmap(lambda t, a, b: F.batch_norm(t, a, b, training=True), (0, None, None))(torch.ones(2, 4, 3), v, v),
):
    attempt(action)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(vmap(torch.argwhere)(m + 1))
    attempt(lambda: vmap(torch.argwhere)(m))
print([str(each.message).partition(" (Triggered")[0] for each in seen])

# % mapped-hooks: saved-tensor hooks and retained gradients inside of transforms
x = torch.tensor([0.5, 1.0])


def total(t):
    return t.sin().sum()


def packed(t):
    with torch.autograd.graph.save_on_cpu():
        return total(t)


def kept(t):
    y = t.sin()
    y.retain_grad()
    return y.sum()


for transform in (
    grad,
    grad_and_value,
    jacrev,
    jacfwd,
    hessian,
    vmap,
    lambda f: lambda t: vjp(f, t)[0],
    lambda f: lambda t: jvp(f, (t,), (t,)),
):
    attempt(lambda transform=transform: print(transform(packed)(x)))
    attempt(lambda transform=transform: print(transform(kept)(x)))
    with torch.autograd.graph.save_on_cpu():
        attempt(lambda transform=transform: print(transform(total)(x)))
linear = torch.nn.Linear(2, 1)
print(grad(lambda p: functional_call(linear, p, x).sum())(dict(linear.named_parameters()))["bias"])

# % mapped-escaped: tensors that outlive the vmap whose rows they are
kept = []
x = torch.ones(3, 2)
vmap(lambda t: kept.extend((t, t * 2)) or t)(x)
for escaped in kept:
    print(escaped, escaped.shape, escaped.dtype)
    for action in (
        lambda t: t.sin(),
        lambda t: t + 1,
        lambda t: torch.ones(2) * t,
        lambda t: t.sum(),
        lambda t: t.amax(),
        lambda t: t.view(2, 1),
        lambda t: t[0],
        lambda t: t.clone(),
        lambda t: torch.zeros_like(t),
        lambda t: t @ t,
    ):
        attempt(lambda: action(escaped))
leaf = torch.ones(3, 2, requires_grad=True)
rows = vmap(lambda t: kept.append(t.exp()) or kept[-1] * t.sum())(leaf)
rows.sum().backward()
print(leaf.grad)
attempt(lambda: kept[-1].exp())

# % mapped-printed: tensors as they print inside of vmap along other dimensions, and of transforms that differentiate
x = torch.ones(3, 2)


def show(*tensors):
    print(*tensors, sep="\n")
    return tensors[0].sum()


vmap(lambda t: show(t, t * 2, t.sum()), in_dims=1)(torch.arange(4.0).view(1, 4))
vmap(vmap(lambda t: show(t, t + 1), in_dims=1), in_dims=2)(torch.arange(6.0).view(1, 2, 3))
vmap(grad(lambda t: show(t, t * 2)), in_dims=1)(torch.ones(1, 2))
grad(lambda t: show(t, t * 2, torch.ones(2), x))(torch.ones(3))
grad(grad(lambda t: show(t**2, t, torch.tensor(1.0))))(torch.tensor(3.0))
torch.func.vjp(lambda t: show(t, t * 2), torch.ones(2))
torch.func.jvp(lambda t: show(t, t * 2), (torch.ones(2),), (torch.ones(2),))
grad(lambda t: vmap(lambda row: show(row, row * 2))(t).sum())(torch.ones(2, 1))
jacrev(lambda t: show(t, t * 2))(torch.ones(2))

# % mapped-places: a Function's own vmap is told the dimension of its arguments


class Told(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, dims, a, b):
        print(info, dims, a.shape, b.shape)
        return a.movedim(dims[0], 0), 0


a, b = torch.ones(3, 4, 2), torch.ones(4)
print(vmap(Told.apply, in_dims=(1, 0))(a, b).shape)
print(vmap(Told.apply, in_dims=(-1, None))(a, b).shape)
print(vmap(lambda a, b: Told.apply(a * 1, b), in_dims=(2, None))(a, b).shape)
print(vmap(vmap(Told.apply, in_dims=(1, None)), in_dims=(1, 0))(a, b).shape)

# % mapped-recorded: whether products with Jacobians are recorded is decided where they are asked for
x = torch.ones(3, 2)
leaf = torch.tensor(3.0, requires_grad=True)
value, pull = torch.func.vjp(lambda t: t**3, leaf)
with torch.no_grad():
    silent, quiet = torch.func.vjp(lambda t: t**3, leaf)
    print(value, pull(torch.tensor(1.0)), silent, quiet(torch.tensor(1.0)))
    print(grad(lambda t: t**3)(leaf), jacrev(torch.sin)(leaf), torch.func.jvp(torch.sin, (leaf,), (leaf,)))
print([t.requires_grad for t in (value, silent, *pull(torch.tensor(1.0)), *quiet(torch.tensor(1.0)))])
print(torch.autograd.grad(quiet(torch.tensor(1.0)), leaf))
attempt(lambda: vmap(lambda t: torch.autograd.forward_ad.make_dual(t, t))(x))
with torch.autograd.forward_ad.dual_level():
    attempt(lambda: vmap(lambda t: torch.autograd.forward_ad.make_dual(t, t))(x))
options = {"strategy": "forward-mode", "vectorize": True}
with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="There is a performance drop")
    attempt(lambda: vmap(lambda t: torch.autograd.functional.jacobian(torch.sin, t, **options))(x))

# % mapped-into-place: Jacobians whose rows are written into one tensor
x = torch.tensor([1.0, 2.0, 3.0])
for size in (None, 1, 2, 5):
    made = jacrev(lambda t: (t**2, {"sum": t.sum()}), chunk_size=size, _preallocate_and_copy=True)(x)
    print(made, made[0].stride())
print(jacrev(jacrev(lambda t: t**3, chunk_size=1, _preallocate_and_copy=True), _preallocate_and_copy=True)(x[:2]))

# % not-mapped: in place on a tensor that vmap does not map, with others that it does: whose words, and before which
# other errors
plain, rows = torch.tensor([1.0, 2.0, 3.0]), torch.arange(1.0, 7.0).reshape(2, 3)
first = torch.tensor([0, 1])
for short in (
    "add",
    "sub",
    "mul",
    "div",
    "true_divide",
    "floor_divide",
    "remainder",
    "fmod",
    "pow",
    "atan2",
    "copysign",
    "hypot",
    "xlogy",
    "eq",
    "lt",
    "logical_and",
    "bitwise_or",
    "bitwise_left_shift",
    "gcd",
    "clamp_min",
    "clamp",
    "copy",
    "addcmul",
    "addcdiv",
    "lerp",
):
    for kind in (torch.float32, torch.int64, torch.bool):
        for depth, transform in enumerate((vmap, lambda f: grad(lambda t: vmap(f)(t).sum()))):
            if depth and kind is not torch.float32:
                continue
            with caught():
                made = plain.to(kind)
                extra = {"addcmul": 2, "addcdiv": 2}.get(short, 1)
                given = {"lerp": (0.5,)}.get(short, ())
                transform(lambda t, m=made, s=short, n=extra, g=given: getattr(m, s + "_")(*[t] * n, *g))(rows.to(kind))
for action in (
    lambda t: plain.clone().add_(t, alpha=2),
    lambda t: plain.clone().sub_(t, alpha=2),
    lambda t: plain.clone().div_(t, rounding_mode="floor"),
    lambda t: plain.clone().add_(t[0]),
    lambda t: plain.clone().mul_(t.expand(2, 3)),
    lambda t: plain.clone().add_(t.expand(2, 3)),
    lambda t: plain.clone().fill_(t[0]),
    lambda t: plain.clone().index_add_(0, first, t[:2]),
    lambda t: plain.clone().index_copy_(0, first, t[:2]),
    lambda t: plain.clone().index_fill_(0, first, t[0]),
    lambda t: plain.clone().index_put_((first,), t[:2]),
    lambda t: plain.clone().scatter_(0, first, t[:2]),
    lambda t: plain.clone().scatter_add_(0, first, t[:2]),
    lambda t: plain.clone().masked_fill_(plain > 1, t[0]),
    lambda t: plain.clone().masked_fill_(t > 1, 1.0),
    lambda t: plain.clone().masked_scatter_(plain > 1, t),
    lambda t: plain.clone().put_(first, t[:2]),
    lambda t: torch.ones(3, 3).addr_(t, t),
    lambda t: plain.clone().__setitem__(0, t[0]),
    lambda t: plain.clone().__setitem__(first, t[:2]),
    lambda t: plain.clone().__setitem__(t > 1, 1.0),
    lambda t: vmap(lambda s: t.clone().mul_(s))(rows),
    lambda t: vmap(lambda s: t.clone().pow_(s))(rows),
    lambda t: vmap(lambda s: s.clone().pow_(t))(rows),
):
    with caught():
        print(vmap(action)(rows).shape)

# % no-rule: layers and functions of several operations for which vmap has no rule
rows = torch.arange(1.0, 7.0).reshape(2, 3)
for layer in (torch.nn.LSTM(3, 2), torch.nn.GRU(3, 2), torch.nn.RNN(3, 2), torch.nn.RNN(3, 2, nonlinearity="relu")):
    with caught():
        vmap(lambda t, layer=layer: layer(t[None])[0])(rows)
with caught():
    vmap(torch.nn.LSTMCell(3, 2))(rows)
with caught():
    vmap(lambda t: torch.nn.utils.rnn.pad_sequence([t, t[:2]]))(rows)

# % mapped-rows-of-numbers: linspace and logspace between bounds of each row, repeats of each, splits at a tensor
ends, rows = torch.tensor([1.0, 2.0, 3.0]), torch.arange(12.0).view(2, 6)
for call in (
    lambda s: torch.linspace(0, s, 4),
    lambda s: torch.linspace(s, s + 1, 3, dtype=torch.float64),
    lambda s: torch.linspace(s, s * 2, 1),
    lambda s: torch.logspace(0, s, 3),
):
    attempt(lambda call=call: torch.vmap(call)(ends))
attempt(lambda: torch.vmap(lambda a, b: torch.linspace(a, b, 3), in_dims=(0, None))(ends, torch.tensor(9)))
attempt(lambda: torch.vmap(torch.vmap(lambda a: torch.linspace(a, 9, 3)))(torch.arange(6.0).view(2, 3)))
times = torch.tensor([[1, 2], [2, 1]])
for call in (
    lambda s, r: s.repeat_interleave(r, output_size=3),
    lambda s, r: s.repeat_interleave(r + torch.arange(2) * r),
    lambda s, r: torch.repeat_interleave(r),
):
    attempt(lambda call=call: torch.vmap(call)(rows[:, :2], times))
attempt(lambda: torch.vmap(lambda s: torch.tensor_split(s, torch.tensor([1, 3])))(rows))

# % mapped-signs-of-zero: a product of matrices begins with 0.0 where there are many of them
g, x = torch.tensor([[-1.0, -2.0]]), torch.tensor([[0.0, 3.0]])
print(torch.vmap(lambda a, b: torch.mm(a[:, None], b[None]))(g, x))
print(torch.vmap(lambda a: torch.mm(a[:, None], x))(g))
print(torch.vmap(lambda b: torch.mm(g.T, b[None]))(x))
print(torch.mm(g.T, x))
print(torch.vmap(torch.func.grad(lambda w, x: -F.linear(x, w).sum()), in_dims=(None, 0))(torch.ones(2, 2), x))

# % mapped-masks-of-numbers: a mask of one number is refused like any other
for call in (lambda x: x[x > 0].sum(), lambda x: x[x > 0]):
    attempt(lambda call=call: torch.vmap(call)(torch.ones(3)))
    attempt(lambda call=call: torch.vmap(torch.vmap(call))(torch.ones(2, 2)))

# % mapped-as-in-its-rules: what vmap's rules give back, refuse and warn of
m, x = torch.tensor([[1.0, 2.0], [2.0, 4.0]]), torch.tensor([0.0, 1.0])
print([vmap(f)(x) is x for f in (lambda t: t.transpose(0, -1), lambda t: t.t(), lambda t: t.swapaxes(0, 0))])
print(vmap(lambda t: t.new_empty_strided((0, 2), (1, 1)))(x).stride())
print(vmap(torch.linalg.matrix_rank)(torch.stack([m, m @ m, m + x])))
print(vmap(lambda t: torch.linalg.matrix_rank(t, hermitian=True, atol=5.5))(torch.stack([m, m @ m])))
print(vmap(torch.linalg.ldl_factor)(torch.stack([m + 1, m - 3])))
attempt(lambda: vmap(torch.linalg.ldl_factor)(torch.stack([m, m * 0])))


def written(t, mask):
    t[mask] = 1.0
    return t


attempt(lambda: vmap(written)(m.clone(), m > 1))
attempt(lambda: vmap(lambda t, mask: torch.ops.aten.index_put(t, [None, mask], x[0]))(m.view(2, 1, 2), m > 1))
held = []
vmap(lambda t: (held.append(t), t)[1])(m)
for action in (
    lambda: held[0].copy_(x),
    lambda: held[0].squeeze(),
    lambda: held[0].new_zeros(2),
    lambda: held[0].new_full((2,), 1.0),
):
    attempt(action)
print(m)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(vmap(lambda t: t.quantile(0.5))(m), vmap(lambda t: t.nanquantile(x))(m), vmap(torch.argwhere)(m))
    attempt(lambda: vmap(lambda t, q: t.quantile(q))(m, m))
    attempt(lambda: vmap(lambda t, other: t.hypot_(other), (None, 0))(x.clone(), m))
print([str(each.message).partition("/__w/pytorch")[2] for each in seen], [str(each.message)[60:140] for each in seen])

# % mapped-looped: operations for which PyTorch's vmap has no rule, alone and where another transform lies within
x, y = torch.arange(12.0).view(3, 4) / 12, torch.ones(3, 4) / 2
q = torch.arange(24.0).view(2, 1, 1, 3, 4) / 24
few = torch.tensor([0, 1])


def looped(function, *given):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = function(*given)
    names = [str(one.message).partition("aten::")[2].partition(" Please")[0] for one in heard]
    print(names, found if found.numel() < 20 else found.shape)


for function in (
    lambda t: torch.isclose(t, y[0]),
    lambda t: torch.nn.functional.kl_div(t, t, reduction="sum"),
    lambda t: torch.take(t, few),
    lambda t: t.take(few),
    lambda t: t.put(few, t[:2]),
    lambda t: t.masked_scatter(t > 0.5, y),
    lambda t: torch.histc(t, 2, 0, 1),
    lambda t: torch.bincount(few + t[0].long()),
    lambda t: torch.searchsorted(t, 0.5),
    lambda t: torch.isin(t, y[0]),
    lambda t: torch.isin(0.5, t),
    lambda t: torch.special.airy_ai(t),
    lambda t: torch.special.log_ndtr(t),
    lambda t: torch.special.chebyshev_polynomial_t(t, 2),
    lambda t: torch.special.chebyshev_polynomial_t(t, t),
    lambda t: t.view(2, 2).renorm(1, 0, 1.0),
    lambda t: torch.nn.functional.soft_margin_loss(t, t),
    lambda t: torch.nn.functional.margin_ranking_loss(t, t, t),
    lambda t: torch.nn.functional.multi_margin_loss(t, few[1]),
    lambda t: torch.diagflat(t),
    lambda t: torch.argwhere(t >= 0),
    lambda t: t.quantile(0.5),
    lambda t: torch.nanquantile(t, y[0, :1]),
    lambda t: torch.pdist(t.view(2, 2)),
    lambda t: torch.t_copy(t.view(2, 2)),
    lambda t: torch.fill(t, 2.0),
    lambda t: torch.hash_tensor(t).long(),
    lambda t: torch.take(y, few) + t[0],
):
    looped(vmap(function), x)
looped(vmap(torch.isclose), x, y)
looped(vmap(lambda t: F.scaled_dot_product_attention(t, t, t)), q)
looped(vmap(grad(lambda t: F.scaled_dot_product_attention(t, t, t).sum())), q)
looped(vmap(grad(lambda t: t.take(few).sum())), x)
looped(vmap(grad(lambda t: F.kl_div(t, y[0], reduction="sum"))), x)
looped(vmap(grad(lambda t: (torch.isclose(t, t) + t).sum())), x)
looped(grad(lambda t: vmap(lambda row: torch.isclose(row, row).sum() + row.sum())(t).sum()), x)
# sizes that do not fit: messages count the dimensions of the vmaps, which come first
for function, *arguments in (
    (lambda t: t + torch.ones(4), torch.ones(2, 3)),
    (vmap(lambda t: t * torch.ones(4)), torch.ones(2, 5, 3)),
    (lambda t: torch.where(t > 0, t, torch.ones(4)), torch.ones(2, 3)),
    (lambda s, t: s > t, torch.ones(2, 3, 2), torch.ones(2, 4)),
    (lambda t: torch.broadcast_tensors(t, torch.ones(4)), torch.ones(2, 3)),
    (lambda t: t.expand(4, 5), torch.ones(2, 3)),
    (vmap(lambda t: t.expand(5)), torch.ones(2, 4, 3)),
    (lambda t: t.expand(2), torch.ones(2, 4, 3)),
    (lambda t: t.view(-1, 5), torch.ones(2, 3)),
    (lambda t: t.view(2, -2), torch.ones(2, 3)),
    (lambda t: t.reshape(5), torch.ones(2, 3)),
    (lambda t: t.t().reshape(5), torch.ones(2, 3, 2)),
    (lambda t: torch.cat([t, torch.ones(2, 2)]), torch.ones(2, 3)),
    (lambda t: torch.cat([t, torch.ones(2, 2)]), torch.ones(2, 3, 3)),
    (lambda t: torch.stack([t, torch.ones(2)]), torch.ones(2, 3)),
    (lambda t: t @ torch.ones(4), torch.ones(2, 3)),
    (lambda t: torch.ones(4) @ t, torch.ones(2, 3)),
    (lambda s, t: s @ t, torch.ones(2, 3), torch.ones(2, 4)),
    (lambda t: t @ torch.ones(4), torch.ones(2, 5, 3)),
    (lambda t: torch.ones(5, 4) @ t, torch.ones(2, 3)),
    (lambda t: t @ torch.ones(4, 5), torch.ones(2, 7, 3)),
    (lambda t: torch.ones(7, 3) @ t, torch.ones(2, 4, 5)),
    (lambda t: F.linear(t, torch.ones(5, 4), torch.ones(5)), torch.ones(2, 3)),
    (lambda t: torch.addmm(torch.ones(5), t, torch.ones(4, 5)), torch.ones(2, 7, 3)),
    (lambda t: torch.bmm(t, torch.ones(6, 4, 5)), torch.ones(2, 6, 7, 3)),
    (vmap(lambda t: t @ torch.ones(4, 5)), torch.ones(2, 6, 3)),
):
    attempt(lambda f=function, a=arguments: print(vmap(f)(*a)))

# % mapped-no-columns: Jacobians with respect to tensors without elements, which have no row to compute
for function, shape in (
    (lambda a: a.sum(1), (3, 0)),
    (lambda a: torch.linalg.vecdot(a, a), (2, 0)),
    (torch.logdet, (2, 0, 0)),
    (lambda a: torch.cat([torch.ones(2, 2), a], 1), (2, 0)),
):
    print(torch.func.jacfwd(function)(torch.ones(shape)))

# % mapped-memory: where the dimension that counts rows lies in memory, there it stays, as strides of results show
x = (torch.arange(24.0) / 24).view(2, 3, 4)  # the second one counts rows
c = torch.tensor([1.0, 2.0])
for results in (
    lambda t: (
        t + 1,
        t * t[0],
        t > 0,
        t.sin(),
        t.isinf(),
        t.logical_not(),
        t.nan_to_num(),
        t.clone(),
        t.to(torch.int64),
    ),
    lambda t: (
        torch.lerp(t, t, 0.5),
        torch.addcmul(t, t, t),
        torch.rsub(t, t),
        torch.polar(t, t),
        t[:, :1] * c[:, None],
    ),
    lambda t: (
        torch.zeros_like(t),
        torch.full_like(t, 2.0),
        t.floor_divide(2),
        t.clamp(0, 1),
        t.masked_fill(t > 0, 1.0),
    ),
    lambda t: (t.sum(0), t.sum(0, keepdim=True), t.amax(1, keepdim=True), t.mean(), t.cumsum(0), t.cumprod(1)),
    lambda t: (t @ t.T, t @ torch.ones(4), torch.stack([t, t], -1), torch.cat([t, t]), t.contiguous()),
    lambda t: (
        t.mT,
        t[0],
        t[None],
        t.expand(2, 2, 4),
        F.softmax(t, 0),
        F.gelu(t),
        t.flip(0),
        t.tril(),
        F.glu(t),
        t.diagonal_scatter(c),
    ),
):
    print([r.stride() for r in vmap(results, in_dims=1)(x)])
print(vmap(lambda t, s: t * s, in_dims=(1, 0))(x, torch.ones(3, 4)).stride())
print(vmap(vmap(lambda t: t.cos(), in_dims=1), in_dims=1)(x).stride())
warnings.filterwarnings(
    "ignore", message="There is a performance drop"
)  # rows that are computed one by one are stacked
print(
    vmap(lambda t: torch.special.airy_ai(t), in_dims=1)(x).stride(), vmap(lambda t: t.isclose(t), in_dims=1)(x).stride()
)

# % mapped-matrices: the product of one matrix with many vectors is that of two matrices, and lies in memory so
A, b = torch.arange(12.0).view(4, 3), torch.arange(15.0).view(5, 3)
print([vmap(lambda v: A @ v, in_dims=d)(t).stride() for d, t in ((0, b), (1, b.mT.contiguous()))])
print(vmap(torch.mv, in_dims=(None, 0))(A, b).stride(), vmap(lambda v: v @ A.mT)(b).stride())
print(vmap(vmap(lambda v: A @ v))(b[None].expand(2, 5, 3)).stride(), vmap(lambda v: A @ v)(b))
print(hessian(lambda t: torch.relu(t).sum())(b[0]).mul_(2))
