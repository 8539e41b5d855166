"""torch.func: views, strides, versions and Nodes of its results; linearize and functionalize."""

import warnings

import torch
from torch.func import functional_call, functionalize, grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from torch.nn import functional as F

from tests.scenarios.show import attempt

warnings.simplefilter("ignore")


def tell(name, tree):
    for t in tree if isinstance(tree, (tuple, list)) else [tree]:
        node = None if t.grad_fn is None else t.grad_fn.name()
        print(name, tuple(t.shape), t.stride(), t._version, t._is_view(), node, t.requires_grad)


def pulled(f, *args):
    value, pull = vjp(f, *args)
    return value, *pull(torch.ones_like(value))


x = torch.arange(9.0).view(3, 3) / 7
W = torch.arange(9.0).view(3, 3).cos()
ones = torch.ones(3, 3)

# % func-results-flags: results of jvp and vjp: the primal is another tensor on its memory, a view stays one
for y in (x, x.clone().requires_grad_()):
    for f in (torch.sin, lambda x: x, lambda x: x.view(-1), lambda x: x.detach(), lambda x: torch.ones(2)):
        tell("jvp", jvp(f, (y,), (ones,))[0])
    tell("jvp", jvp(torch.sin, (y,), (ones,)))
    for f in (torch.sin, lambda x: x, lambda x: x.view(-1), lambda x: x.t()):
        tell("vjp", pulled(f, y))
    print(vjp(lambda x: x, y)[0] is y)
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(y, ones)
    for t in (dual, dual.sin()):
        primal = torch.autograd.forward_ad.unpack_dual(t).primal
        print(type(primal.grad_fn).__name__, primal.grad_fn.name(), primal._is_view())

# % func-results-order: the order of elements in memory: that of the result, whatever the formula gives
for f in (
    lambda x: x @ W,
    lambda x: W @ x,
    torch.clone,
    torch.t,
    lambda x: x.t().sin(),
    lambda x: x.softmax(-1),
    lambda x: x.sum(0),
    lambda x: torch.cat([x, x], -1),
    lambda x: x.mean(-1),
    lambda x: x.cumsum(0),
):
    print(jacfwd(f)(x).stride(), jacrev(f)(x).stride(), hessian(f)(x).stride(), jacfwd(f)(x.t()).stride())
    print(vmap(jacfwd(f))(torch.stack([x, x])).stride(), vmap(jacrev(f))(torch.stack([x, x])).stride())
    tell("vmap(grad)", vmap(grad(lambda x, f=f: f(x).sum()))(torch.stack([x, x])))

# % func-results-linear: F.linear inside of transforms, and Nodes of operations on rows
w, b = W[:2].clone().requires_grad_(), torch.ones(2, requires_grad=True)
names = []


def shown(x):
    made = F.linear(x, w, b)
    node = made.grad_fn
    names.append([made._version])
    while node is not None and len(names[-1]) < 4 and "Accumulate" not in node.name():
        names[-1].append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return made.sum()


for y in (x[0], x, torch.stack([x, x])):
    grad(shown)(y)
print(names)
tell("rows", vmap(lambda x: F.linear(x, w, b))(x))
tell("rows", vmap(lambda w: w.t())(torch.ones(2, 3, 3, requires_grad=True)))
tell("rows", vmap(lambda w: w.squeeze(-1))(torch.ones(2, 3, 1, requires_grad=True)))
attempt(lambda: F.linear(torch.tensor(1.0), w, b))
attempt(lambda: vmap(lambda x: F.linear(x, w, b))(torch.ones(3)))
attempt(lambda: grad(lambda x: F.linear(x, w).sum())(torch.tensor(1.0)))
m = torch.nn.Linear(3, 2)
tell("call", jacrev(lambda p: functional_call(m, p, (x[0],)))(dict(m.named_parameters()))["bias"])

# % func-results-linearize: the function is called twice when the derivative is made, and not for its products
calls = []


def counted(x):
    calls.append(1)
    return {"a": x.sin() * x.sum(), "b": [x * 2], "n": 3.0}


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    out, slope = linearize(counted, x)
print(len(calls), [str(w.message)[:52] for w in caught if w.category is UserWarning])
for t in (ones, torch.eye(3)):
    found = slope(t)
    print(found, len(calls))
    print(torch.allclose(found["a"], jvp(lambda x: x.sin() * x.sum(), (x,), (t,))[1]))
t = torch.ones(3, 3, requires_grad=True)
print(torch.autograd.grad(slope(t)["a"].sum(), t), slope.__name__)
print(vmap(lambda t: slope(t)["a"])(torch.stack([ones, ones])).shape)
for y in (x, x.clone().requires_grad_()):
    for f in (torch.sin, torch.exp, lambda x: torch.ones(2), lambda x: x.int()):
        value, slope = linearize(f, y)
        tell("value", value)
        tell("slope", slope(ones))
    tell("identity", linearize(lambda x: x, y)[1](t))
for action in (
    lambda: linearize(torch.sin, x)[1](ones[0]),
    lambda: linearize(lambda x: x * 2, 3.0),
    lambda: linearize(lambda x: x * 2, torch.tensor(3)),
    lambda: linearize(jacfwd(torch.sin), x),
    lambda: jvp(lambda x: linearize(torch.sin, x)[1](x), (x,), (ones,)),
    lambda: vmap(lambda x: linearize(torch.sin, x)[1](x))(x),
):
    attempt(action)
with torch.autograd.forward_ad.dual_level():
    attempt(lambda: jvp(torch.sin, (x,), (ones,)))

# % func-results-functionalize: what a function changes in place is written into its arguments at its end


def changes(x):
    y = x * 2
    y.add_(1)
    y[0] = 5
    return y


def writes(x):
    x.add_(1)
    return x * 2


for requires_grad in (False, True):
    for f in (torch.sin, lambda x: x.view(-1), writes, lambda x: x.clone().add_(1), lambda x: (x, x.t())):
        y = x.clone().requires_grad_(requires_grad)
        attempt(lambda: tell("result", functionalize(f)(y)))
        attempt(lambda: tell("copies", functionalize(f, remove="mutations_and_views")(y)))
        print(y.detach(), y._version)
        y = x.clone().requires_grad_(requires_grad) * 1
        tell("of a result", functionalize(f)(y))
        tell("argument", y)
print(functionalize(changes)(x), grad(lambda x: functionalize(changes)(x).sum())(x))
print(functionalize(vmap(torch.sin))(x), vmap(functionalize(changes))(x))
print(functionalize(lambda x, y: y.add_(x))(ones, y=torch.ones(3, 3)), functionalize(lambda x: 3)(x))
print(functionalize(lambda x: x)(x) is x)
attempt(lambda: functionalize(torch.sin, remove="all"))


class Apart(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Together(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


for kind in (Apart, Together):
    attempt(lambda kind=kind: functionalize(kind.apply)(x))
    attempt(lambda kind=kind: torch.func.grad(functionalize(lambda x, kind=kind: kind.apply(x).sum()))(x))
print(Apart.apply(torch.ones(1)), Together.apply(torch.ones(1)))

# % func-results-numbers: rows without dimensions: what picks an element has a derivative, what moves one is refused
y = torch.tensor([3.0, -1.0, 2.0])
for f in (
    lambda x: x.sort(-1)[0],
    lambda x: x.topk(1)[0],
    lambda x: x.max(-1)[0],
    lambda x: x.cummax(0)[0],
    lambda x: x.median(-1)[0],
    lambda x: x.mode(-1)[0],
    lambda x: x.kthvalue(1, -1)[0],
):
    print(vmap(grad(f))(y), vmap(hessian(f))(y), hessian(f)(y[0]))
for f in (
    lambda x: x.flip(-1),
    lambda x: x.roll(1, 0),
    lambda x: torch.cat([x, x]),
    lambda x: x.select(0, 0),
    lambda x: x.unbind(0)[0],
    lambda x: x.split(1)[0],
    lambda x: x.unique(),
    lambda x: F.linear(x, W),
):
    attempt(lambda: vmap(f)(y))
print(vmap(lambda x: x.flip(()))(y), vmap(lambda x: x.expand(1))(y).stride())
for f in (float, bool, int, lambda x: x.item(), lambda x: f"{x:.1f}"):
    attempt(lambda: vmap(f)(y))
    attempt(lambda: vmap(grad(lambda x: x * f(x)))(y))
    attempt(lambda: vmap(lambda x: jvp(lambda x: x * f(x), (x,), (x,)))(y))
attempt(lambda: vmap(lambda x: x.item())(x))
print(torch.allclose(jvp(lambda x: torch.logcumsumexp(x, 0), (y,), (torch.ones(3),))[1], torch.ones(3)))
print(torch.allclose(jacfwd(lambda x: x.logcumsumexp(0))(y), jacrev(lambda x: x.logcumsumexp(0))(y)))

# % func-results-memory: the memory of tensors that transforms stand for is out of reach
for f in (lambda x: x.numpy(), lambda x: x.data_ptr(), lambda x: x.detach().numpy(), lambda x: torch.ones(2).numpy()):
    attempt(lambda: jvp(f, (x,), (ones,)))
    attempt(lambda: grad(f)(x))
    attempt(lambda: jacfwd(f)(x))
    attempt(lambda: hessian(f)(x))
for f in (lambda y: x.numpy() is None, lambda y: x.data_ptr() > 0, lambda y: x[0].tolist()):
    attempt(lambda: grad(lambda y: print(f(y)) or y)(torch.tensor(1.0)))
    attempt(lambda: vmap(lambda y: print(f(y)) or y)(torch.ones(1)))


# % func-results-products: products of rows are recorded as those of the whole tensors
def nodes(node, depth=0):
    if node is None or depth > 5:
        return None
    name = node.name().rpartition("::")[2].replace("Backward", "")
    return name, [nodes(below, depth + 1) for below, _ in node.next_functions if below is not None]


b = torch.arange(6.0).view(2, 3).cos().requires_grad_()
a = torch.arange(40.0).view(2, 4, 5).sin().requires_grad_()
w = torch.arange(30.0).view(2, 5, 3).cos().requires_grad_()
for f, dims in (
    (lambda a, w, b: a @ w, (0, 0, None)),
    (lambda a, w, b: a @ w[0], (0, None, None)),
    (lambda a, w, b: a[0] @ w, (None, 0, None)),
    (lambda a, w, b: a[0] @ w, (0, 0, None)),
    (lambda a, w, b: a[None] @ w, (0, 0, None)),
    (lambda a, w, b: F.linear(a, w[0].t(), b[0]), (0, None, None)),
    (lambda a, w, b: F.linear(a, w.t()), (0, 0, None)),
    (lambda a, w, b: vmap(lambda row: row[None] @ w)(a), (0, 0, None)),
):
    made = vmap(f, in_dims=dims)(a, w, b)
    print(nodes(made.grad_fn), made.stride(), made._version)
    print([g is not None for g in torch.autograd.grad(made.sum(), (a, w, b), allow_unused=True)])
made = vmap(lambda a, w, b: F.linear(a, w.t(), b))(a, w, b)
print(nodes(made.grad_fn), made.shape)

# % captured-writes: what a transformed function has from outside is not changed in it, in whatever way
v, w = torch.ones(3), torch.ones(3, requires_grad=True)
for name, write in {
    "number": lambda x: v.__setitem__(0, 1),
    "mask": lambda x: v.__setitem__(v > 0, 1),
    "copy_": lambda x: v.copy_(x),
    "fill_": lambda x: v.fill_(1),
    "fill_ of a tensor": lambda x: v.fill_(x[0]),
    "zero_": lambda x: v.zero_(),
    "add_": lambda x: v.add_(x),
    "normal_": lambda x: v.normal_(),
    "t_": lambda x: v.t_(),
    "unsqueeze_": lambda x: v.unsqueeze_(0),
    "resize_": lambda x: v.resize_(3),
    "detach_": lambda x: v.detach_(),
    "leaf, add_": lambda x: w.add_(1),
    "leaf, fill_": lambda x: w.fill_(1),
    "leaf, normal_": lambda x: w.normal_(),
    "leaf, copy_": lambda x: w.copy_(x),
    "init": lambda x: torch.nn.init.zeros_(w),
}.items():
    print(name, end=" ")
    attempt(lambda: torch.func.grad(lambda x: (write(x), x.sum())[1])(torch.ones(3)))
print(v, w)


class Doubling(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output): ...

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, 3, requires_grad=True)
y = torch.func.vmap(Doubling.apply)(x)
print(y, y.grad_fn.name(), torch.func.vmap(torch.func.vmap(Doubling.apply))(x), torch.autograd.grad(y.sum(), x))

# % libraries-refuse: definitions and keys that are none
library = torch.library.Library("tests_refusing", "DEF")
for schema in ("bad",):
    attempt(lambda: library.define(schema))
library.define("one(Tensor x) -> Tensor")
for key in ("FOO", "cpu"):
    attempt(lambda: library.impl("one", lambda x: x, key))
