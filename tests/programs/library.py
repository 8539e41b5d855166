"""torch.library: operators made of functions, their schemas, errors, derivatives, and what transforms make of them."""

import warnings
from collections.abc import Sequence

import torch
from torch import Tensor

from tests.scenarios.show import caught

warnings.filterwarnings("ignore", message="There is a performance drop")
warnings.filterwarnings("ignore", category=DeprecationWarning)

x = torch.tensor([1.0, 2.0], requires_grad=True)
plain = torch.ones(2)

# % derivatives: an operator without and with a derivative, in transforms, without contents


@torch.library.custom_op("mylib::sine", mutates_args=())
def sine(x: Tensor) -> Tensor:
    print("kernel", type(x).__name__, x.requires_grad, x.is_leaf)
    return torch.tensor([t.sin().item() for t in x.flatten()]).reshape(x.shape)


print(sine, sine._qualname, torch.ops.mylib.sine, torch.ops.mylib.sine.default, torch.ops.mylib)
print(repr(torch.ops.mylib.sine), repr(torch.ops.mylib.sine.default), torch.ops.mylib.sine.default.name())
y = sine(x)
print(y, y.grad_fn.name())
with caught():
    y.sum().backward()
print(torch.ops.mylib.sine(x.detach()))


def setup_context(ctx, inputs, output):
    print("setup", type(inputs), inputs[0] is x, type(ctx).__name__, torch.is_grad_enabled())
    ctx.save_for_backward(inputs[0])


def backward(ctx, grad):
    (saved,) = ctx.saved_tensors
    print("backward", ctx.needs_input_grad)
    return grad * saved.cos()


sine.register_autograd(backward, setup_context=setup_context)
y = sine(x)
print(y, [c.__name__ for c in type(y.grad_fn).__mro__][:2])
y.sum().backward()
print(x.grad)
with torch.no_grad():
    print(sine(x))
with caught():
    torch.func.grad(lambda t: sine(t).sum())(torch.tensor([1.0]))
print(torch.func.vmap(sine)(torch.ones(2, 2)))
print(torch.func.jvp(sine, (torch.ones(2),), (torch.ones(2),)))


@sine.register_vmap
def _(info, in_dims, x):
    print(info, in_dims, type(x).__name__, x.shape)
    return sine(x), in_dims[0]


print(torch.func.vmap(sine)(torch.ones(2, 2)))
print(torch.func.vmap(sine, in_dims=1)(torch.arange(4.0).reshape(2, 2)))
with caught():
    torch.func.vmap(torch.func.grad(lambda t: sine(t).sum()))(torch.ones(2, 2))


@sine.register_fake
def _(x):
    return torch.empty_like(x)


print(sine(torch.empty(2, device="meta")))
for args, kwargs in (((3,), {}), ((), {}), ((x, x), {}), ((), {"y": x})):
    with caught():
        sine(*args, **kwargs)


# % calls: how arguments are read, converted and refused; operators that change theirs


@torch.library.custom_op("mylib::two", mutates_args=())
def two(
    x: Tensor,
    n: int,
    s: float = 2.0,
    other: Tensor | None = None,
    *,
    flag: bool = False,
    k: Sequence[int] | None = None,
) -> tuple[Tensor, Tensor]:
    print(n, s, flag, other, k)
    return x * n, x * s


print(two._opoverload._schema, two(x, 2), two(x, n=3, flag=True))
for given in ((x,), (x, 2.5), (x, "a"), (x, 2, 3), (x, True)):
    with caught():
        two(*given)


@torch.library.custom_op("mylib::inc", mutates_args={"x"})
def inc(x: Tensor) -> None:
    x.add_(1)


print(inc._opoverload._schema)
for z in (torch.ones(2), torch.ones(2, requires_grad=True), x * 1):
    print(inc(z), z, z._version)
with caught():
    inc.register_autograd(lambda ctx, grad: grad)


@torch.library.custom_op("mylib::number", mutates_args=())
def number(x: Tensor) -> Tensor:
    return 3


with caught():
    number(torch.ones(2))


@torch.library.custom_op("mylib::many", mutates_args=())
def many(
    x: Tensor,
    o: Tensor | None,
    ts: list[Tensor],
    ints: list[int],
    f: float,
    b: bool,
    s: str,
    k: int | float | bool,
    d: torch.dtype,
    v: torch.device,
    oi: int | None = None,
    fl: float = 0.5,
    st: str = "hi",
    e: float = 1e-5,
) -> list[Tensor]:
    print([type(a).__name__ for a in (ts, ints, f, b, s, k, d, v, oi)])
    return [x.clone(), ts[0].clone()]


print(many._opoverload._schema)
usual = {"x": plain, "o": None, "ts": [plain], "ints": [1], "f": 1.0, "b": True, "s": "a", "k": 2}
usual |= {"d": torch.float32, "v": torch.device("cpu")}
print(many(**usual))
for key, bad in (
    ("o", 3), ("ts", 3), ("ts", [3]), ("ts", (plain, plain)), ("ints", 1.5), ("ints", ["a"]), ("ints", (1, 2)),
    ("f", 1), ("f", "a"), ("b", 1), ("b", None), ("s", 3), ("k", "z"), ("k", True), ("v", "cpu"), ("v", 3), ("oi", "a"),
):  # fmt: skip
    with caught():
        many(**{**usual, key: bad})
with caught():
    many(**usual, zz=3)
with caught():
    many(plain, x=plain)


# % registered: formulas, kernels and shapes that are registered by name; lists of tensors


@torch.library.custom_op("mylib::copied", mutates_args=())
def copied(x: Tensor) -> Tensor:
    return x.clone()


with caught():
    copied(torch.empty(2, device="meta"))
for op in ("mylib::none", 3):
    with caught():
        torch.library.register_autograd(op, lambda ctx, grad: grad)
for formula in (
    lambda ctx, grad: grad * 3,
    lambda ctx, grad: (grad, grad),
    lambda ctx, grad: (grad, None),
    lambda ctx, grad: None,
):
    torch.library.register_autograd("mylib::copied", formula)
    x.grad = None
    with caught():
        copied(x).sum().backward()
    print(x.grad)


@torch.library.custom_op("mylib::scaled", mutates_args=())
def scaled(x: Tensor, *, by: float) -> Tensor:
    return x * by


def keep(ctx, inputs, keyword_only_inputs, output):
    print(inputs, keyword_only_inputs)
    ctx.by = keyword_only_inputs["by"]


scaled.register_autograd(lambda ctx, grad: grad * ctx.by, setup_context=keep)
x.grad = None
scaled(x, by=3.0).sum().backward()
print(x.grad)
with caught():
    torch.autograd.gradcheck(lambda t: scaled(t, by=2.0), (torch.ones(2, dtype=torch.double, requires_grad=True),))


@torch.library.custom_op("mylib::product", mutates_args=())
def product(xs: Sequence[Tensor], n: int = 2) -> Tensor:
    return xs[0] * xs[1] * n


def keep_both(ctx, inputs, output):
    print(inputs)
    ctx.save_for_backward(*inputs[0])
    ctx.n = inputs[1]


def product_backward(ctx, grad):
    a, b = ctx.saved_tensors
    print(ctx.needs_input_grad)
    return [grad * b * ctx.n, grad * a * ctx.n]


product.register_autograd(product_backward, setup_context=keep_both)
x.grad = None
w = torch.full((2,), 3.0, requires_grad=True)
y = product([x, w])
print(y)
y.sum().backward()
print(x.grad, w.grad)
product.register_autograd(lambda ctx, grad: ([grad], None), setup_context=keep_both)
with caught():
    product([x, w]).sum().backward()


@torch.library.custom_op("mylib::pair", mutates_args=())
def pair(x: Tensor) -> list[Tensor]:
    return [x.clone(), x.clone() + 1]


pair.register_autograd(lambda ctx, grads: (print(grads), grads[0])[1])
x.grad = None
made = pair(x)
print(made)
made[0].sum().backward()
print(x.grad)
given = torch.library.custom_op("mylib::given", mutates_args=(), schema="(Tensor x, int n=2) -> Tensor")(
    lambda x, n=2: x * n
)
print(given._opoverload._schema, given(x), given(x, 3))
torch.library.register_kernel("mylib::copied", "cpu")(lambda x: x * 100)
print(copied(x.detach()))
torch.library.register_fake("mylib::copied")(lambda x: torch.empty_like(x))
print(copied(torch.empty(2, device="meta")))


# % schemas: what annotations say, and which are refused


def unannotated(x):
    return x


def returns_nothing_said(x: Tensor):
    return x


def starred(*x: Tensor) -> Tensor:
    return x


def spelled(x: "Tensor", n: "int" = 2) -> "Tensor":
    return x


def mixed(x: Tensor, y: list[Tensor], d: torch.dtype = torch.float32, k: int | float | bool = 3) -> tuple[Tensor, int]:
    return x, 3


for function, mutated in (
    (unannotated, ()), (returns_nothing_said, ()), (starred, ()), (spelled, ()), (spelled, "unknown"), (mixed, {"y"}),
    (spelled, {"n"}), (spelled, {"q"}), (spelled, "x"),
):  # fmt: skip
    with caught():
        print(torch.library.infer_schema(function, mutates_args=mutated))
with caught():
    torch.library.custom_op("noname", mutates_args=())(spelled)
with caught():
    torch.library.custom_op("mylib::late", mutates_args=(), schema="(Tensor x, *, Tensor q) -> Tensor")(spelled)
with caught():
    torch.library.custom_op("mylib::other", mutates_args=("x",), schema="(Tensor x) -> Tensor")(spelled)
with caught():
    torch.ops.mylib.nothing
