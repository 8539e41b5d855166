"""Corners in which few programs come: operands of several dtypes, powers by numbers, forms with out=."""

import copy
import io
import pickle
import warnings

import numpy as np
import torch
from torch.func import grad
from torch.nn.utils.rnn import pack_sequence
from torch.utils import _pytree

from tests.scenarios.show import attempt

# % corners-mixed-formulas: formulas of operands of several dtypes compute in the dtype of the result
for name in ("mul", "div", "atan2", "hypot", "logaddexp", "sub", "xlogy", "copysign"):
    for number in (torch.tensor(0.3, dtype=torch.float64, requires_grad=True), torch.tensor(3)):
        x = torch.tensor([0.1, 0.7, 1.3], requires_grad=True)
        weights = torch.tensor([0.37, 1.1, -0.9])
        for y in (getattr(torch, name)(x, number), getattr(torch, name)(number, x)):
            (y * weights).sum().backward()
            print(name, y.dtype, x.grad.tolist(), number.grad)
x = torch.tensor([0.1, 0.7, 1.3], requires_grad=True)
number = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
(x * 1).div_(number).mul(torch.tensor([0.37, 1.1, -0.9])).sum().backward()
print(x.grad.tolist(), number.grad.item())

# % corners-bools-beside: what PyTorch computes forward of a bool, and refuses on the way back
bools = torch.tensor([True, False])
for name in ("logaddexp", "logaddexp2"):
    for other in (bools, bools.long()):
        x = torch.tensor([0.5, 2.0], requires_grad=True)
        for y in (getattr(torch, name)(x, other), getattr(torch, name)(other, x)):
            print(y)
            attempt(lambda y=y, x=x: torch.autograd.grad(y.sum(), x, retain_graph=True))
            attempt(lambda y=y, x=x: torch.autograd.grad(y.sum(), x, create_graph=True))

# % corners-ldexp: memory of the first operand's shape is resized, which PyTorch says where it had elements
for shape, beside in (
    ((1,), (3,)),
    ((2, 1), (3,)),
    ((), (2,)),
    ((2, 3), (3,)),
    ((0,), (1,)),
    ((1, 0), (2, 1)),
    ((2,), (3,)),
):
    for dtype in (torch.float32, torch.int64):
        for exponent in (torch.int64, torch.float32, torch.bool):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                x, y = torch.ones(shape, dtype=dtype), torch.ones(beside, dtype=exponent)
                for call in (torch.ldexp, torch.Tensor.ldexp):
                    attempt(lambda c=call, x=x, y=y: c(x, y).shape)
            print(shape, beside, [str(w.message).split(",")[0] for w in told])
x = torch.ones(1, requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    y = torch.ldexp(x, torch.tensor([1, 2]))
print(y, torch.autograd.grad(y.sum(), x))

# % corners-power-rest: what vectors leave over of a power by a number is computed in double
x = torch.linspace(0.2, 3, 21)
for exponent in (3.3, 0.7, 1.7, 2.6):
    few = x[:5].clone().requires_grad_()
    (few**exponent).sum().backward()
    print((few**exponent).tolist(), few.grad.tolist())
    print((x**exponent)[16:].tolist(), (x.view(3, 7).t() ** exponent).flatten()[-3:].tolist())
    print((torch.stack([x, x], 1)[:, 0] ** exponent)[:4].tolist())

# % corners-steps: arange and range say what is wrong with a step
nan, inf = float("nan"), float("inf")
for bounds in ((0, 1, nan), (0, 1, inf), (0, 1, 1e-320), (nan, 1, 0), (0, 1, 0)):
    attempt(lambda: torch.arange(*bounds))
    attempt(lambda: torch.arange(*bounds, dtype=torch.int64))
    attempt(lambda: torch.arange(*bounds, out=torch.empty(0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attempt(lambda: torch.range(*bounds))

# % corners-out: bytes are written to bools, softmax of special knows no out=, sizes while a dimension is kept
u = torch.tensor([1, 0, 2], dtype=torch.uint8)
for kind in (torch.bool, torch.uint8, torch.float32):
    attempt(lambda: torch.all(u, out=torch.empty((), dtype=kind)))
    attempt(lambda: torch.any(u, 0, out=torch.empty((), dtype=kind)))
    attempt(lambda: torch.all(u.bool(), out=torch.empty((), dtype=kind)))
for function in (torch.special.softmax, torch.special.log_softmax):
    attempt(lambda: function(torch.ones(3), 0, out=torch.empty(3)))
    attempt(lambda: function(torch.ones(3)))
x = torch.arange(6.0).view(2, 3)
for name, extra in (("mode", ()), ("kthvalue", (1,)), ("max", ()), ("median", ())):
    for dim in (0, 1):
        for shape in ((5,), (4, 4), (2, 1), (1, 3)):
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                into = torch.empty(shape), torch.empty(shape, dtype=torch.int64)
                values, indices = getattr(torch, name)(x, *extra, dim, out=into)
            print(name, dim, shape, values, indices, [str(w.message)[40:150] for w in heard])

# % corners-out-mapped: vmap names the overload that it has no rule for
x = torch.arange(6.0).view(2, 3)
into = torch.empty(3)
for name in ("pow", "lt", "add", "eq", "fmod", "mul", "maximum", "xlogy"):
    attempt(lambda: torch.vmap(lambda t: getattr(torch, name)(t, t, out=into))(x))
    attempt(lambda: torch.vmap(lambda t: getattr(torch, name)(t, 2, out=into))(x))

# % corners-out-overlap: what is written to while it is read
for action in (
    lambda a, z, i: torch.aminmax(a, dim=0, out=(a[0], a[1])),
    lambda a, z, i: torch.aminmax(a, out=(a[0, 0], a[1, 0])),
    lambda a, z, i: torch.kron(z[:2], z[:1], out=z[1:]),
    lambda a, z, i: torch.scatter(z, 0, i, z, out=z),
    lambda a, z, i: torch.scatter(z, 0, i, torch.ones(3), out=z),
    lambda a, z, i: torch.scatter_add(z, 0, i, z, out=z),
    lambda a, z, i: torch.scatter_reduce(z, 0, i, z, "sum", out=z),
    lambda a, z, i: torch.index_add(z, 0, i, z, out=z),
    lambda a, z, i: torch.index_copy(z, 0, i, z, out=z),
    lambda a, z, i: torch.addmv(z[:1], torch.ones(2, 2), torch.ones(2), out=z[:2]),
):
    a, z, i = torch.arange(6.0).view(2, 3), torch.arange(3.0), torch.tensor([2, 1, 0])
    attempt(lambda: action(a, z, i))
    print(a, z)

# % corners-captured: a view of what the function has from outside is not written to
leaf = torch.ones(3, requires_grad=True)


def writes(x):
    leaf[:2].mul_(2)
    return (x * x).sum()


def unrecorded(x):
    with torch.no_grad():
        leaf[:2].mul_(2)
    return (x * x).sum()


attempt(lambda: grad(writes)(torch.ones(3)))
attempt(lambda: grad(unrecorded)(torch.ones(3)))
print(leaf)

# % corners-matrix-exp: the exponential of a matrix is the polynomial that its norm takes
for kind in (torch.float32, torch.float64):
    for scale in (1e-8, 1e-4, 0.03, 0.3, 0.7):
        A = (torch.arange(9, dtype=kind).view(3, 3).sin() * (scale / 2)).requires_grad_()
        exponential = torch.matrix_exp(A)
        exponential.pow(2).sum().backward()
        print(exponential, A.grad)
spiral = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
print(torch.stack([torch.tensor([2.0, 0.0]) @ torch.matrix_exp(spiral * t) for t in torch.linspace(0, 1, 5)]))
print(torch.matrix_exp(torch.stack([spiral * 0.001, spiral])), torch.matrix_exp(torch.tensor([[2.0]])))

# % corners-complex-sums: complex numbers are added up in the lanes of PyTorch
for count in (3, 5, 9, 17, 33, 100, 1200):
    x = torch.complex(torch.arange(count) * 37 % 101 / 7, torch.arange(count) * 53 % 97 / 11)
    print(x.sum().item(), x.mean().item(), x.to(torch.complex128).sum().item())
    rows = torch.stack([x, x * 2, x.conj()], 1)
    print(rows.sum(0).tolist(), rows.t().sum(1).tolist(), rows.t().contiguous().sum(1).tolist())

# % corners-arrays: comparing with arrays that are no tensors; copying what is none
x = torch.ones(3)
for array in (np.array([None] * 3), np.array(["a"] * 3), np.zeros(3, dtype=[("a", int)]), np.arange(3.0)):
    attempt(lambda: x == array)
    attempt(lambda: x != array)
attempt(lambda: x == np.array([1, 2, 3], dtype=">f4"))
attempt(lambda: x.copy_())
attempt(lambda: x.copy_(x, 1))
attempt(lambda: x.copy_([1]))
attempt(lambda: x.copy_(x, non_blocking=True))

# % corners-normed: what is said of dtypes that group_norm does not take, and parameters without contents in a vector
for weight in (None, torch.ones(4), torch.ones(4).double()):
    for kind in (torch.int64, torch.bool, torch.complex64):
        attempt(lambda: torch.nn.functional.group_norm(torch.ones(2, 4).to(kind), 2, weight, weight))
attempt(lambda: torch.nn.utils.parameters_to_vector(torch.nn.Linear(2, 2, device="meta").parameters()))

# % corners-empty-bytes: the bytes of nothing, read as another type, lie where they lay
for empty in (torch.arange(4.0)[4:], torch.tensor([0.5]).narrow(0, 0, 0), torch.arange(8.0).view(2, 4)[:, 2:2]):
    for kind in (torch.complex64, torch.int32, torch.float64, torch.int8):
        seen = empty.view(kind)
        print(seen.shape, seen.stride(), seen.storage_offset())

# % corners-root-hooks: a hook on several leaves, one of which is the root itself
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.ones(2, requires_grad=True)
torch.autograd.graph.register_multi_grad_hook([y, x], lambda grads: print("all", grads))
print(torch.autograd.grad(x, [x], torch.ones(2)))
torch.autograd.graph.register_multi_grad_hook([y, x], lambda grads: print("any", grads), mode="any")
print(torch.autograd.grad(x, [x], torch.ones(2)))
attempt(lambda: torch.autograd.grad(x * 2, [x], torch.ones(2)))
x.backward(torch.ones(2))

# % corners-diagonals: what diag_embed says of an offset that is none
for offset in (torch.ones(1), True, "1", 1.5, None):
    attempt(lambda: torch.diag_embed(torch.ones(2), offset, 7))

# % corners-c-layers: functions of layers under the name that C++ gives them
layers, public = torch._C._nn, torch.nn.functional
print(layers.gelu is public.gelu, layers.log_sigmoid is public.logsigmoid, layers.linear is public.linear)
print(layers.softplus(torch.tensor([0.0, 1.0])), layers.one_hot(torch.tensor([1, 0])))
attempt(lambda: layers.nothing)

# % corners-zeros: sums begin with 0, so that none is -0
for shape in ((1,), (3,), (2, 3), (7, 2), (40,), (5, 40)):
    for kind in (torch.float32, torch.float64, torch.complex64, torch.float16, torch.bfloat16):
        zeros = -torch.zeros(shape, dtype=kind)
        print(shape, kind, zeros.sum(), zeros.t().sum() if len(shape) > 1 else zeros[::2].sum(), zeros.mean())
        print(zeros.cumsum(0).reshape(-1)[:3], zeros.sum(-1).reshape(-1)[:3])


# % corners-twice: backward runs again where its Node needed no tensor, and keeps what several formulas ask for
def twice(f, *needs):
    operands = [(torch.arange(1.0, 5.0).view(2, 2) / 4).requires_grad_(need) for need in needs]
    result = f(*operands)
    for _ in range(2):
        attempt(lambda: result.backward(torch.ones_like(result)))
    print([None if x.grad is None else x.grad.tolist() for x in operands])
    node = f(*operands).grad_fn
    saved = [name for name in dir(node) if name.startswith("_saved_")]
    print(node.name(), [name for name in saved if isinstance(getattr(node, name), torch.Tensor)])


for two in (torch.remainder, torch.fmod, torch.copysign, torch.ldexp, torch.mul):
    twice(two, True, False)
    twice(two, False, True)
for three in (torch.addcmul, torch.addcdiv, torch.lerp, torch.addmm):
    twice(three, True, False, False)
    twice(three, False, False, True)
twice(lambda bias, x, weight: torch.nn.functional.linear(x, weight, bias[0]), True, False, False)
twice(lambda bias, x, weight: torch.nn.functional.linear(x[None], weight, bias[0]), True, False, False)
twice(lambda a, b: a.index_add(0, torch.tensor([1, 0]), b), True, False)
twice(lambda a, b: a.scatter_add(0, torch.tensor([[1, 0]]), b), True, False)
x = torch.ones(2, 2, requires_grad=True)
y = torch.addmm(x, torch.eye(2), torch.eye(2), beta=3)
for _ in range(2):
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=False)
    print(g)
    attempt(lambda: torch.autograd.grad(y, x, torch.ones(2, 2, requires_grad=True), create_graph=True)[0])

# % corners-mode-nan: the mode of lines with NaN, which is neither less nor greater than any number
torch.manual_seed(3)
for n in (5, 16, 17, 24, 40):
    line = torch.randint(0, 4, (6, n)).float()
    line[line == 3] = float("nan")
    found = line.mode()
    print(found.values.tolist(), found.indices.tolist(), line.double().t().mode(0).indices.tolist())

# % corners-outputs-alone: gradients of single outputs, which may be none
torch.manual_seed(0)
A = torch.rand(3, 3, dtype=torch.float64, requires_grad=True)
for number in (0, 1):
    result = torch.linalg.slogdet(A)[number]
    print(torch.autograd.grad(result, A, allow_unused=True)[0] is None)
for rows in (2, 3, 4):
    A = torch.rand(rows, 3, dtype=torch.float64, requires_grad=True)
    b = torch.rand(rows, 2, dtype=torch.float64, requires_grad=True)
    for part in torch.linalg.lstsq(A, b)[:2]:
        found = torch.autograd.grad(part, (A, b), torch.ones_like(part), allow_unused=True, retain_graph=True)
        print(rows, tuple(part.shape), [None if g is None else round(g.sum().item(), 4) + 0.0 for g in found])
x, weight, bias = (torch.rand(*shape, dtype=torch.float64).requires_grad_() for shape in ((2, 4, 3), (4,), (4,)))
for chosen in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
    parts = torch.native_group_norm(x, weight, bias, 2, 4, 3, 2, 1e-5)
    total = sum(parts[number].pow(2).sum() for number in chosen)
    found = torch.autograd.grad(total, (x, weight, bias), allow_unused=True)
    print(chosen, [None if g is None else round(g.pow(2).sum().item(), 4) for g in found])

# % corners-variance: the parts of complex numbers vary apart, and what is not finite stays in its own
x = torch.tensor([[1.0, torch.nan, 3.0], [4.0, 5.0, torch.inf]]) + 1j
print(torch.var(x, 0, correction=2), torch.std(x, 0), torch.var_mean(x, dim=1)[1], torch.std_mean(x)[1], sep="\n")
print(torch.tensor([[1 + 2j, 3 - 1j]], dtype=torch.complex128).var(1))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.ones(2, 0, 3).std(0, correction=-1)
    print(len(caught))
    torch.ones(2, 0, 3).std(0)
    print(len(caught))

# % corners-words: devices in capitals, lists before sizes, subclasses of what is no tensor
for action in (
    lambda: torch.device("CPU"),
    lambda: torch.device("cpu_x:1"),
    lambda: torch.device("cpu1"),
    lambda: [2] + torch.Size([1]),
    lambda: (2,) + torch.Size([1]),
    lambda: torch.Tensor._make_subclass(int, torch.ones(1)),
    lambda: torch.ones(1).as_subclass(int),
    lambda: torch.empty_permuted((1, 0, 5, 1), (0, 1, 3, 2)).stride(),
    lambda: torch.empty_permuted((2, 3, 4), (2, 0, 1)).stride(),
    lambda: torch.aminmax(torch.tensor([1j]), dim=2),
):
    attempt(action)


class Named(torch.Tensor):
    pass


named = torch.ones(2, requires_grad=True).as_subclass(Named)
named.tag = "kept"
for made in (copy.copy(named), copy.copy(named.detach()), copy.copy(torch.ones(2, requires_grad=True))):
    print(type(made).__name__, made.is_leaf, made.requires_grad, made.grad_fn is not None, vars(made))

# % corners-formats: stack, cat, cpu and resize_ keep or make the memory format, without elements too
last, plain = torch.channels_last, torch.contiguous_format
x = torch.arange(120.0).view(2, 3, 4, 5).to(memory_format=last)
for dim in range(-5, 5):
    print(torch.stack([x, x], dim).stride(), torch.stack([x, x.double()], dim).stride(), end=" ")
    print(torch.stack([x, x.contiguous()], dim).stride())
    print(torch.stack([x, x], dim).equal(torch.stack([x.contiguous(), x.contiguous()], dim)))
print(torch.cat([x, x.double()]).stride(), torch.cat([x.contiguous(), x.double()]).stride())
print(
    x.cpu(memory_format=plain).stride(), x.cpu(memory_format=last) is x, x.contiguous().cpu(memory_format=last).stride()
)
print(x.clone().resize_(x.shape, memory_format=plain).stride(), x.clone().resize_(x.shape).stride())
for form in (plain, last, torch.preserve_format):
    print(x.clone().resize_as_(x.contiguous(), memory_format=form).stride(), end=" ")
    print(x.contiguous().resize_as_(x, memory_format=form).stride())
for size in ((0, 3, 2, 2), (2, 0, 3, 4), (2, 3, 0, 4), (1, 0, 1, 1)):
    y = torch.empty(size, memory_format=last)
    print(y.stride(), torch.empty(size).contiguous(memory_format=last).stride(), end=" ")
    print(y.is_contiguous(memory_format=last), torch.empty(size).is_contiguous(memory_format=last))

# % corners-gradients: what a transposed convolution gives back lies plainly
w = torch.ones(2, 1, 3, 3)
x = torch.ones(1, 2, 4, 4, requires_grad=True)
torch.nn.functional.conv_transpose2d(x, w, stride=1, output_padding=1, dilation=2).sum().backward()
print(x.grad.stride(), x.grad.sum())

# % corners-set: what set_ says of sizes, strides and offsets that are none
memory = torch.arange(6.0).untyped_storage()
for arguments in ((-1, (2,), (1,)), (0, (2,), (-1,)), (0, (-2,), (1,)), (0, (2, 2), (1,)), (1, (2,), (2,))):
    attempt(lambda: torch.empty(0).set_(memory, *arguments))

# % corners-devices: what is said of devices that a build for the CPU lacks
for kind in ("cuda", "xpu", "mtia", "hpu", "privateuseone"):
    attempt(lambda: torch.ones(1, device=kind))
    attempt(lambda: torch.ones(1).to(kind))
    attempt(lambda: torch.nn.Linear(1, 1).to(kind))
for name in ("xpu", "mtia", "ipu"):
    attempt(lambda: getattr(torch.nn.Linear(1, 1), name)())
print(repr(torch._tensor_str.PRINT_OPTS))

# % corners-probabilities: the probability of a dropout may be a tensor; complex numbers have no order
F = torch.nn.functional
one, matrix = torch.ones(4), torch.ones(2, 3)
torch.manual_seed(0)
for p in (torch.tensor(0.5), torch.tensor(1), torch.tensor([0.5]), np.float32(0.5), 1, True):
    attempt(lambda: F.dropout(one, p))
    attempt(lambda: F.alpha_dropout(one, p, True))
    attempt(lambda: F.feature_alpha_dropout(matrix, p, True))
    attempt(lambda: F.dropout1d(matrix, p))
attempt(lambda: F.dropout(one, torch.tensor([0.5, 0.5])))
attempt(lambda: F.dropout(one, torch.tensor(0.5, requires_grad=True)))
attempt(lambda: torch.nn.Dropout(torch.tensor(0.5))(one))
attempt(lambda: torch.nn.init.trunc_normal_(torch.ones(3, dtype=torch.complex64)))
print(torch.nn.init.trunc_normal_(torch.ones(3)))

# % corners-keywords: arguments of a Function by their names
x = torch.ones(1, requires_grad=True)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y=2, *more, z=3, **named):
        print(y, more, z, named)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None


class Apart(torch.autograd.Function):
    @staticmethod
    def forward(x, y, *, z=1):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs)

    @staticmethod
    def backward(ctx, grad):
        return grad, None


for call in (
    lambda: Scaled.apply(x, y=3),
    lambda: Scaled.apply(x, z=3),
    lambda: Scaled.apply(x, more=3),
    lambda: Scaled.apply(x, named=3),
    lambda: Scaled.apply(x, q=3),
    lambda: Apart.apply(x, y=2),
    lambda: Apart.apply(x, 2, z=2),
    lambda: Apart.apply(x),
):
    attempt(call)

# % corners-pickles: what is said of functions that cannot be found again, and of other protocols
nameless = (lambda: 1,)
attempt(lambda: torch.save(nameless, io.BytesIO()))
for protocol in (2, 3):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        attempt(lambda: torch.load(io.BytesIO(pickle.dumps({"a": 1}, protocol))))
    print([str(one.message) for one in heard])

# % corners-classes: classes that programs print and pickle
packed = pack_sequence([torch.ones(2, 1), torch.ones(1, 1)])
leaves, structure = _pytree.tree_flatten({"a": [1, (2, 3)]})
key = _pytree.MappingKey("a")
bounds = torch.distributions.constraints.interval(0.0, 1.0)
for thing in (packed, structure, key, bounds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)
    print(type(thing), *again)
with torch.autograd.forward_ad.dual_level():
    print(type(torch.autograd.forward_ad.unpack_dual(torch.ones(1))))
print(torch.overrides.TorchFunctionMode, type(torch.autograd.Function), torch.library.Library, torch.cuda.Event)

# % corners-subclasses: batches of tensors of a class are of that class; operators with a number in front


class Kept(torch.Tensor):
    pass


class Telling(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


kept = torch.ones(2).as_subclass(Kept)
collate = torch.utils.data.default_collate
print(collate([kept, kept]), collate([torch.ones(2), kept]), collate([{"x": kept}] * 2), collate([torch.ones(2)] * 2))
for batch in torch.utils.data.DataLoader([(kept, 1), (kept, 2)], batch_size=2):
    print(batch)
whole = torch.tensor([1, 6]).as_subclass(Telling)
for made in (1 & whole, 1 | whole, 1 ^ whole, whole & 1, whole | whole, whole ^ 3, 1 << whole, torch.tensor(3) & whole):
    print(made.as_subclass(torch.Tensor))

# % corners-masked-fill: masks that are spread, and numbers of any size
x = torch.arange(6.0).view(2, 3)
for mask in ([[True], [False]], [True, False, True], [[[True, False, False]]], True):
    for number in (-float("inf"), float("nan"), 7, 2**70, 1e39, 2**60 + 1):
        attempt(lambda: x.masked_fill(torch.tensor(mask), number))
for mask in ([True, False], [[True]] * 3):
    attempt(lambda: x.masked_fill(torch.tensor(mask), 7))
attempt(lambda: x[0].masked_fill(x > 1, 9.0))
attempt(lambda: x.masked_fill(torch.tensor([1, 0, 1]), 9.0))
weight = x.clone().requires_grad_()
weight.masked_fill(torch.tensor([True, False, True]), -float("inf")).backward(torch.ones(2, 3))
print(weight.grad)

# % sizes-times: a Size is repeated by whole numbers alone
sizes = torch.ones(2, 3).shape
for call in (
    lambda: sizes * sizes,
    lambda: sizes * (1, 2),
    lambda: (1, 2) * sizes,
    lambda: [1] * sizes,
    lambda: sizes * 1.5,
    lambda: 1.5 * sizes,
    lambda: print(sizes * 2, 2 * sizes, sizes * torch.tensor(2)),
):
    attempt(call)

# % corners-index-order: what is read at index arrays lies in the order of their elements
torch.manual_seed(0)
ORDERS = (
    lambda n, *shape: torch.randint(n, shape),
    lambda n, *shape: torch.randint(n, shape[::-1]).permute(*range(len(shape) - 1, -1, -1)),
    lambda n, *shape: torch.randint(n, (*shape[:-1], shape[-1] * 2))[..., ::2],
    lambda n, *shape: torch.randint(n, (shape[0], *(1,) * (len(shape) - 1))).expand(shape),
    lambda n, *shape: torch.randint(n, shape).int().transpose(0, -1).contiguous().transpose(0, -1),
)
cube = torch.rand(4, 4, 4)
for x in (torch.rand(6), torch.rand(6, 6), cube, cube.permute(2, 0, 1), torch.rand(4, 1, 4)):
    n = x.shape[0]
    for order in ORDERS:
        for shape in ((2, 3), (3, 1), (2, 1, 3)):
            i = order(n, *shape)
            found = [x[i], x[..., i]]
            if x.dim() == 3:
                found += [x[i, :, i], x[i, None, ..., i[-1]]]
            if x.dim() == 2:
                found += [x[i, order(n, *shape[-2:])] for order in ORDERS]
            print(*(f"{tuple(y.shape)} {y.stride()} {y.sum().item():.3f}" for y in found), sep="; ")

# % corners-histogram: edges that are given do for short floats too, which have no kernel that looks for the range
x = torch.tensor([0.0, 1.0, 2.0, 5.0])
for kind in (torch.float16, torch.bfloat16, torch.int32, torch.bool, torch.complex64):
    y, edges = x.to(kind), torch.tensor([0.0, 1.0, 3.0]).to(kind)
    for call in (
        lambda: print(torch.histogram(y, edges), torch.histogram(y, edges, weight=y, density=True)),
        lambda: print(torch.histogram(y, 3, range=(0.0, 3.0)), torch.histogram(y[:0], 2)),
        lambda: print(torch.histogram(y, 3)),
        lambda: print(torch.histogramdd(y.view(2, 2), [edges, edges])),
        lambda: print(torch.histogramdd(y.view(2, 2), [2, 2])),
        lambda: print(torch.histogramdd(y[:, None], [2], range=(0.0, 3.0))),
    ):
        attempt(call)
matrix = torch.ones(2, 2, requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    product = torch.chain_matmul(matrix)
print(product, product is matrix)

# % corners-cast-operands: an operand that is broadcast and of another dtype is cast before results are laid out
base = torch.arange(1.0, 25).view(2, 3, 4)
turned, spread = base.transpose(0, 1).contiguous().transpose(0, 1), base[:1].expand(2, 3, 4)
for x in (base, turned, spread):
    for y in (base.double(), turned.double(), spread.long(), turned):
        for z in (turned, turned.double()):
            print(
                torch.addcmul(x, y, z).stride(),
                torch.addcdiv(x, y.double(), z).stride(),
                torch.clamp(x, y, z).stride(),
                torch.clamp(x, max=y).stride(),
                torch.add(x, y, alpha=2).stride(),
                torch.sub(x, y, alpha=2).stride(),
                torch.rsub(x, y).stride(),
                torch.where(y > 0, x, z).stride(),
                torch.where(x > 0, z, y).stride(),
                torch.div(x, y, rounding_mode="floor").stride(),
                torch.nn.functional.mse_loss(x, y, reduction="none").stride(),
                torch.nn.functional.smooth_l1_loss(x, y, reduction="none").stride(),
            )
print(torch.rsub(base, turned).stride(), torch.rsub(turned, base, alpha=2).stride(), torch.polar(turned, base).stride())

# % corners-expanded-order: along an expanded dimension all elements are one, and keep their order at any size
same = torch.tensor([5.0]).expand(2000)
print(same.argsort()[:4], same.sort(descending=True).indices[-3:], torch.full((2000,), 5.0).argsort()[:4])
print(
    torch.tensor([[5.0, 6.0]]).expand(300, 2).sort(0).indices[:3],
    torch.tensor([[3.0], [1]]).expand(2, 40).argsort(1)[:, -3:],
)

# % corners-view-copy: a copy of a view reads elements row by row where the strides allow no view
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
y = torch.view_copy(x.t(), (6,))
y.backward(torch.arange(6.0))
print(y, x.grad, torch.view_copy(x.t(), (-1, 2)))
attempt(lambda: torch.view_copy(x.t(), (4,)))
print(torch.vmap(lambda row: torch.view_copy(row, (4,)), in_dims=1)(torch.arange(8.0).reshape(2, 2, 2)))

# % corners-negative-memory: layers read what an imaginary part of a conjugate shows, with sizes of 1 too
z = torch.view_as_complex(torch.arange(12.0).reshape(1, 2, 3, 2)).conj().imag.requires_grad_()
layers = (
    torch.nn.functional.instance_norm,
    lambda z: torch.nn.functional.layer_norm(z, (2, 3)),
    lambda z: torch.nn.functional.batch_norm(z[:, :, :1], None, None, training=True),
)
for layer in layers:
    attempt(lambda layer=layer: layer(z))
