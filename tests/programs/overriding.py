"""Objects that stand for tensors: `__torch_function__`, subclasses of Tensor, modes."""

import copy
import pickle
import warnings

import numpy
import torch
from torch.overrides import (
    BaseTorchFunctionMode,
    _get_current_function_mode,
    _get_current_function_mode_stack,
    get_ignored_functions,
    get_overridable_functions,
    get_testing_overrides,
)

from tests.scenarios.show import caught


class Named(torch.Tensor):
    pass


def resolved(func):
    return torch.overrides.resolve_name(func)


# % subclass-survives: results of operations on objects of a subclass are of that subclass
a = Named([1.0, 2.0])
b = torch.ones(2)
print(a, type(a), type(a * 2), type(2 - a), type(b + a), type(a.sum()), type(a[0]), type(-a), type(a == b))
print(type(a.max(0)), type(a.max(0).values), [type(t) for t in a.split(1)], [type(t) for t in a], type(a.tolist()))
print(type(torch.cat([b, a])), type(torch.nn.functional.relu(a)), type(torch.linalg.norm(a)), type(a.numpy()))
print(type(a.detach()), type(a.data), type(a.view(2, 1)), type(a.shape), type(torch.tensor([1.0]) @ a[:1]))
print(type(torch.zeros_like(a)), type(a.new_ones(1)), type(a.clone()), type(torch.einsum("i,i", a, b)))


# % subclass-graph: the history of a subclass has an alias behind each operation
a = torch.ones(2, requires_grad=True).as_subclass(Named)
y = a * 2
print(a, a.is_leaf, a.grad_fn.name(), y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())
leaf = torch.Tensor._make_subclass(Named, torch.ones(2), True)
(leaf * leaf).sum().backward()
print(leaf, leaf.is_leaf, type(leaf.grad), leaf.grad, leaf.grad is leaf.grad)
print(type(torch.autograd.grad((leaf * 3).sum(), leaf)[0]))


# % subclass-of-subclass: the most special class wins; strangers do not mix
class Special(Named):
    pass


class Stranger(torch.Tensor):
    pass


print(type(Special([1.0]) + Named([1.0])), type(Named([1.0]) + Special([1.0])))
with caught():
    Named([1.0]) + Stranger([1.0])
with caught():
    torch.add(Named([1.0]), Stranger([1.0]))


# % subclass-in-place: in-place operations keep the object
a = Named([1.0, 2.0])
before = a
a += 1
a.mul_(2)[0] = 7
print(a, a is before, type(a.add_(1)), a._version)


# % subclass-attributes: attributes of the class and the object; what it cannot do
class Measured(torch.Tensor):
    unit = "m"

    def in_km(self):
        return self / 1000


m = Measured([1500.0])
print(m.in_km(), m.unit, (m * 2).unit, repr(m), f"{m[0]}")
m.source = "ruler"
with caught():
    (m * 2).source
with caught():
    m.nothing
import copy  # noqa: E402

with caught():
    copy.deepcopy(m)


# % logged: every function that a subclass hears of, under its name
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(resolved(func), [t.__name__ for t in types], len(args))
        return super().__torch_function__(func, types, args, kwargs)


x = torch.ones(2, 2).as_subclass(Logged)
_ = x + 1, 1 + x, 2 - x, x * x, x @ x, x**2, -x, x > 0, x == x, abs(x), x / 2, 2 / x, x // 2, x % 2
_ = x.sum(), torch.sum(x, dim=0), x.shape, x.dtype, x.T, x.requires_grad, x.grad, x.is_leaf, x.ndim
_ = x[0], x[:, 1], x.view(4), x.reshape(4), x.size(), x.dim(), x.numel(), x.clone(), x.detach(), len(x), bool(x[0, 0])
x[0, 0] = 5
x += 1
x.requires_grad = True
_ = torch.nn.functional.softmax(x, dim=0), torch.nn.functional.linear(x, x), torch.stack([x, x]), torch.exp(x)
_ = torch.ones_like(x), torch.special.expit(x), torch.linalg.det(x), torch.fft.fft(x), torch.is_tensor(x)
(x * 2).sum().backward()
print(torch.overrides.is_tensor_method_or_property(torch.Tensor.add), resolved(torch.Tensor.shape.__get__))


# % functions-compare: what is heard of is the function itself
heard = []


class Scalar:
    def __init__(self, value):
        self.value = value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        heard.append(func)
        if func is torch.mean:
            return args[0].value
        if func in TABLE:
            return TABLE[func](*args, **(kwargs or {}))
        return NotImplemented


TABLE = {
    torch.add: lambda a, b: "add",
    torch.Tensor.mul: lambda a, b: "mul",
    torch.nn.functional.linear: lambda *a: "linear",
}
s, t = Scalar(3), torch.ones(2)
print(torch.mean(s), torch.add(s, 1), torch.add(t, s), t * s, t.mul(s), torch.nn.functional.linear(s, s))
print(heard[:5] == [torch.mean, torch.add, torch.add, torch.Tensor.mul, torch.Tensor.mul], heard[0] is torch.mean)
with caught():
    torch.sub(t, s)
with caught():
    t.sub(s)
with caught():
    t - s
with caught():
    torch.cat([t, s])
with caught():
    t[s]
with caught():
    t.reshape(s)
print(len(heard))


# % first-is-a-method: the first object that a program shows a method
class Half:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return resolved(func)


print(torch.ones(1).add(Half()), torch.ones(1) + Half(), torch.bmm(Half(), Half()), torch.exp(Half()))


# % first-is-a-function: and a function of two operands
class Half:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return resolved(func)


print(torch.exp(Half()), torch.sin(input=Half()), torch.where(torch.ones(1) > 0, Half(), torch.ones(1)))


# % first-is-an-operator: and an operator
class Half:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return resolved(func)


t = torch.ones(1)
print(t * Half(), t @ Half(), t - Half(), t > Half(), torch.mul(t, Half()))


# % plain-method: one that is no classmethod is warned of
class Old:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return "old"


print(torch.mul(Old(), 2))
print(torch.mul(Old(), 2))


# % errors-pass: an error of the user's comes through
class Broken(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise ValueError("mine")


x = Broken([1.0])
with caught():
    x.sum()
with caught():
    x + 1
with caught():
    torch.exp(x)


# % disabled: where nobody is asked
a = Named([1.0])
with torch._C.DisableTorchFunctionSubclass():
    print(type(a * 2), torch.overrides.has_torch_function((a,)))
with torch._C.DisableTorchFunction():
    print(type(a * 2))
    guard = torch._C._EnableTorchFunction()
    inner = torch._C._EnableTorchFunction()
    del inner
    print(type(guard), type(a * 2))
    del guard
    print(type(a * 2))
    with torch._C._EnableTorchFunction():
        print(type(a * 2))
    print(type(a * 2))
print(type(a * 2), torch.overrides.has_torch_function((a,)), torch.overrides.has_torch_function((torch.ones(1),)))


class Quiet(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl


q = Quiet([1.0])
print(type(q), type(q * 2), type(q.detach()), torch.overrides.has_torch_function((q,)))


# % own-functions: functions of the user's that can be overridden
from torch.overrides import handle_torch_function, has_torch_function, wrap_torch_function  # noqa: E402


def twice(a):
    if has_torch_function((a,)):
        return handle_torch_function(twice, (a,), a)
    return a + a


@wrap_torch_function(lambda a, b: (a, b))
def both(a, b):
    return a + b


class Mine:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented if func is both else (func.__name__, len(args), kwargs)


print(twice(torch.ones(1)), twice(Mine()), both(torch.ones(1), torch.ones(1)), type(twice(Named([1.0]))))
with caught():
    both(Mine(), 1)


# % parameters: a Parameter of a subclass is of that subclass, and a Parameter
p = torch.nn.Parameter(Named([1.0, 2.0]))
print(
    type(p),
    isinstance(p, torch.nn.Parameter),
    isinstance(p, Named),
    p,
    type(p * 2),
    isinstance(p * 2, torch.nn.Parameter),
)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(Named([1.0, 2.0]))

    def forward(self, x):
        return self.weight * x


layer = Layer()
sgd = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(2)).sum().backward()
sgd.step()
print(len(list(layer.parameters())), layer.weight, type(layer.weight))
print(isinstance(torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter), isinstance(torch.ones(1), torch.nn.Parameter))


# % modes: a mode hears of functions that make tensors too
from torch.overrides import TorchFunctionMode  # noqa: E402


class Counting(TorchFunctionMode):
    def __init__(self, name):
        self.name = name

    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(self.name, resolved(func))
        return func(*args, **(kwargs or {}))


with Counting("outer") as mode:
    x = torch.ones(2)
    y = x * 2
    with Counting("inner"):
        z = y.sum()
    print(type(mode).__name__)
    print(y)
    torch.tensor([1.0])
    torch.is_grad_enabled()
print(x * 2)


class Zeros(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.ones:
            return torch.zeros(*args)
        return func(*args, **(kwargs or {}))


with Zeros():
    print(torch.ones(2), torch.full((1,), 2.0))


# % overriding-parameter-arguments: subclasses of Parameter take arguments of their own
class Scaled(torch.nn.Parameter):
    def __new__(cls, data=None, scale=1, requires_grad=True):
        made = torch.nn.Parameter.__new__(cls, data, requires_grad)
        made.scale = scale
        return made


scaled = Scaled(torch.ones(2), scale=7)
print(scaled, scaled.scale, Scaled(torch.ones(2), 8, requires_grad=False).requires_grad)
for call in (lambda: torch.nn.Parameter(torch.ones(2), True, 3), lambda: torch.nn.Parameter(torch.ones(2), scale=3)):
    try:
        call()
    except TypeError as error:
        print(error)


# % overriding-testing: the functions that tests put in the place of all that ask
table = get_testing_overrides()
print(table[torch.add](1, 2), table[torch.Tensor.add](1, 2), table[torch.nn.functional.relu](1), table[torch.stack]([]))
for call in (lambda: table[torch.add](1), lambda: table[torch.mm](1, 2, 3, 4, 5)):
    try:
        call()
    except TypeError:
        print("TypeError")
flat = [f for functions in get_overridable_functions().values() for f in functions]
for f in (torch.tensor, torch.zeros, torch.from_numpy, torch.can_cast, torch.ones_like, torch.add, torch.autograd.grad):
    print(f in flat, f in table, f in get_ignored_functions())

# % overriding-stack: the modes that are entered
print(_get_current_function_mode(), _get_current_function_mode_stack())
with BaseTorchFunctionMode() as outer, BaseTorchFunctionMode() as inner:
    print(_get_current_function_mode() is inner, _get_current_function_mode_stack() == [outer, inner])
    with torch.overrides._pop_mode_temporarily() as popped:
        print(popped is inner, torch._C._len_torch_function_stack(), torch._C._get_function_stack_at(0) is outer)


class ClassMethod(BaseTorchFunctionMode):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func(*args)


for call in (lambda: torch.ones(2) + 1, lambda: torch.nn.functional.relu(torch.ones(2))):
    try:
        with ClassMethod():
            call()
    except RuntimeError as error:
        print(error)
try:
    torch.overrides.has_torch_function(object())
except TypeError as error:
    print(error)


# % overriding-grad: autograd.grad hands on outputs and inputs as tuples, the rest by name
class Asked:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func is torch.autograd.grad, [type(a) for a in args], sorted(kwargs)


asked = Asked()
print(torch.autograd.grad(asked, asked))
print(torch.autograd.grad([asked], (asked, asked), retain_graph=True))


# % overriding-told: functions that PyTorch writes in Python tell all arguments, those with defaults by name
class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        names = [kind.__name__ for kind in types]
        print(
            " ", func.__name__, names, [type(a).__name__ for a in args], {k: str(v) for k, v in (kwargs or {}).items()}
        )
        return super().__torch_function__(func, types, args, kwargs or {})


F = torch.nn.functional
told, plain = torch.eye(4).as_subclass(Told), torch.ones(4, 4)
for call in (
    lambda: F.relu(told),
    lambda: F.softmax(told, 1),
    lambda: F.dropout(told, 0.1),
    lambda: F.linear(told, plain),
    lambda: F.mse_loss(plain, told),
    lambda: F.cross_entropy(told, plain, reduction="sum"),
    lambda: F.layer_norm(told, (4,)),
    lambda: F.embedding(torch.tensor([0, 1]), told),
    lambda: F.pad(told, (1, 1)),
    lambda: F.max_pool1d(told, 2),
    lambda: torch.norm(told),
    lambda: told.norm(),
    lambda: told.split(2),
    lambda: torch.split(told, 2, 1),
    lambda: torch.einsum("ij,jk", told, plain),
    lambda: torch.tensordot(told, plain, 1),
    lambda: torch.unique(told),
    lambda: torch.meshgrid(told[0], plain[0], indexing="ij"),
    lambda: torch.broadcast_tensors(told, plain),
    lambda: torch.nn.init.uniform_(told),
    lambda: torch.cdist(told, plain),
    lambda: told + plain,
):
    call()
leaf = torch.ones(4, requires_grad=True)
for call in (
    lambda made: torch.autograd.backward(made, torch.ones(4)),
    lambda made: made.backward(torch.ones(4)),
    lambda made: torch.autograd.backward([leaf * 2, made], [torch.ones(4)] * 2, inputs=leaf),
    lambda made: torch.autograd.grad(made, leaf, torch.ones(4)),
):
    call((leaf * 2).as_subclass(Told))
torch.autograd.backward(leaf * 2, torch.ones(4), inputs={"leaf": leaf})


class Declining(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


declining = plain.as_subclass(Declining)
for call in (
    lambda: F.relu(declining),
    lambda: declining.split(1),
    lambda: torch.split(declining, 1),
    lambda: declining.backward(),
    lambda: torch.autograd.backward(declining),
    lambda: torch.add(declining, 1),
):
    with caught(first_line=True):
        call()
for call in (lambda: F.relu(told, 1, 2), lambda: F.softmax(told, nothing=1), lambda: F.mse_loss(told)):
    with caught(first_line=True):
        call()

# % overriding-redispatch: a call is carried out, and what it calls is asked for
depth = [0]


def name_of(func):
    return getattr(func, "__name__", repr(func))


def told(func, types, args, kwargs):
    print("  " * depth[0] + name_of(func))
    depth[0] += 1
    try:
        return torch.overrides.redispatch_function(func, types, args, kwargs)
    finally:
        depth[0] -= 1


class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args, kwargs=None):
        return told(func, types, args, kwargs)


def twice_less_one(a):
    if torch.overrides.has_torch_function((a,)):
        return torch.overrides.handle_torch_function(twice_less_one, (a,), a)
    return less_one(a * 2)


def less_one(a):
    if torch.overrides.has_torch_function((a,)):
        return torch.overrides.handle_torch_function(less_one, (a,), a)
    return a - 1


def fails(a):
    raise ValueError("no")


class ToldMode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        with self:
            return told(func, types, args, kwargs)


x, y = torch.ones(2).as_subclass(Told), torch.ones(2)
for call in (
    lambda: torch.add(x, 1),
    lambda: y * x,
    lambda: torch.nn.functional.relu(x),
    lambda: twice_less_one(x),
    lambda: torch.overrides.redispatch_function(twice_less_one, (Told,), (x,), None),
    lambda: torch.overrides.redispatch_function(lambda a: a * 2, (Told,), (x,), {}),
):
    print(type(call()).__name__)
with ToldMode():
    result = twice_less_one(y)
print(result)
caught(lambda: torch.overrides.redispatch_function(fails, (Told,), (x,), {}))
print(type(x + 1).__name__)


# % modes-told: what the three kinds of functions tell a mode: those with arguments, methods without, those in Python
class Telling(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        names = [t.__name__ for t in types]
        print(resolved(func), func.__name__, names, len(args), None if kwargs is None else sorted(kwargs))
        return func(*args, **(kwargs or {}))


x, y, p = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3), torch.nn.Parameter(torch.ones(2))
with Telling():
    (
        x.shape,
        x.grad,
        x.data,
        x.T,
        p.is_leaf,
        x.dim(),
        x.numel(),
        x.nelement(),
        y.item,
        -x,
        abs(x),
        x.t(),
        x.abs(),
        x.sum(),
    )
    y.grad = None
    (x**2, 2**x, 1 - x, 2 / x, x // 2, x % 2, x.t() @ x, x == x, x + 1, x[0])
    y **= 2
    list(x), len(x), 1 in x, float(x.sum()), x.tolist(), x.detach(), x.register_hook(print), x.unflatten(0, (2, 1))
    y.neg_(), y.absolute_(), y.is_complex(), y.det, y.round(), y.bool()
with Telling():
    with torch.no_grad():
        torch.is_grad_enabled()
    with torch.set_grad_enabled(False), torch.enable_grad():
        x.exp()
    torch.nn.init.zeros_(y), torch.nn.init.xavier_uniform_(y), torch.nn.init.normal_(y)
with Telling():
    torch.nn.BatchNorm1d(2), torch.nn.PReLU()
    torch.fft.fft(y), torch.linalg.cond(y), torch.autograd.grad(x.sum(), x)


class Doubled(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.empty:
            kwargs["dtype"] = torch.float64
        return func(*args, **(kwargs or {}))


with Doubled():
    print([p.dtype for p in torch.nn.Sequential(torch.nn.Conv1d(1, 2, 2), torch.nn.LayerNorm(2)).parameters()])


# % overriding-no-keywords: of a call without keywords a handler is told none, so that its own default stands
class Keeping:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs={}):  # noqa: B006
        print(func.__name__, len(args), kwargs)
        return len(args)


class Counted(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, *rest):
        print(func.__name__, len(rest))
        return super().__torch_function__(func, types, *rest)


class CountingMode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, *rest):
        print(func.__name__, len(rest))
        return func(*rest[0], **(rest[1] if len(rest) > 1 else {}))


one, x = Keeping(), torch.ones(2)
print(torch.add(x, one), x + one, torch.sum(one), torch.sum(one, dim=0), torch.nn.functional.relu(one), x.mul(one))
counted = x.as_subclass(Counted)
print((counted + 1).sum(dim=0).shape)
with CountingMode():
    print((torch.ones(2, dtype=torch.float64) + 1).sum().dtype)

# functions of which a mode does not hear
numbers = numpy.ones(2)
with CountingMode(), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch.from_numpy(numbers), torch.frombuffer(bytearray(b"12"), dtype=torch.uint8), torch.range(0, 1)
    torch.broadcast_shapes((1,), (2,)), torch.as_tensor([1]), torch.asarray([1]), torch.tensor([1])
print([getattr(torch, name) in get_ignored_functions() for name in ("from_numpy", "frombuffer", "range", "tensor")])


# % overriding-overloads: what tests put in the place of functions takes the arguments of every overload
table = get_testing_overrides()
x = torch.ones(1)
for f, args, named in (
    (torch.sort, (x,), {"stable": True, "dim": 0, "descending": True}),
    (torch.squeeze, (x, 0), {}),
    (torch.where, (x,), {}),
    (torch.scatter, (x, 0, x, x), {"reduce": "add"}),
    (torch.gradient, (x,), {"spacing": 2.0}),
    (torch.Tensor.random_, (x, 3), {}),
    (torch.Tensor.div_, (x, x), {"rounding_mode": None}),
    (torch.nn.functional.leaky_relu, (x,), {"inplace": True}),
    (torch.Tensor.__add__, (x, x), {}),
    (torch.median, (x, 1, 2, 3, 4), {}),
):
    try:
        print(table[f](*args, **named))
    except TypeError:
        print("TypeError")
for f in (torch.Tensor.__add__, torch.Tensor.__lt__, torch.Tensor.nelement, torch.Tensor.add, torch.einsum):
    name, of = resolved(f), get_overridable_functions()
    print(
        name,
        torch.overrides.is_tensor_method_or_property(f),
        f in of[torch.Tensor],
        f in of[torch],
        f in of[torch.functional],
    )
for f in (torch.abs_, torch._neg_view):
    print(f in get_overridable_functions()[torch])


# % overriding-holder: copies of tensors whose class holds the contents are what the class gives for clone
class Holder(torch.Tensor):
    @staticmethod
    def __new__(cls, held, requires_grad=False):
        return torch.Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype, requires_grad=requires_grad)

    def __init__(self, held, requires_grad=False):
        self.held = held

    def __repr__(self):
        return f"Holder({self.held})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        print(" ", func)
        found = func(*[a.held if isinstance(a, cls) else a for a in args], **(kwargs or {}))
        return cls(found) if type(found) is torch.Tensor else found


class Loses(Holder):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return func(*[a.held if isinstance(a, cls) else a for a in args], **(kwargs or {}))


holder = Holder(torch.ones(2))
holder.note = [1]
for made in (copy.deepcopy(holder), copy.deepcopy(torch.nn.Parameter(holder)), copy.copy(holder)):
    print(made, type(made).__name__, sorted(made.__dict__), made.requires_grad, made.held is holder.held)
twice = copy.deepcopy([holder, holder, Holder(torch.zeros(1), requires_grad=True)])
print(twice[0] is twice[1], twice[2].requires_grad, twice[2].grad_fn)
again = pickle.loads(pickle.dumps(holder.held))
print(holder.data_ptr(), holder.untyped_storage().nbytes(), again)
for call in (
    lambda: copy.deepcopy(Loses(torch.ones(2))),
    lambda: holder.untyped_storage().data_ptr(),
    lambda: holder.untyped_storage().resize_(0),
    lambda: holder.untyped_storage().fill_(0),
    lambda: holder.untyped_storage().copy_(holder.untyped_storage()),
    lambda: holder.untyped_storage()._write_file("file"),
):
    try:
        call()
    except RuntimeError as error:
        print(error)

# operators beside what is neither a tensor nor a number: those that PyTorch has compiled decline before they ask
import operator  # noqa: E402
import warnings  # noqa: E402

import numpy as np  # noqa: E402


class Heard(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("   asked:", func.__name__, [type(a).__name__ for a in args], sorted(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs or {})


warnings.filterwarnings("ignore", message="__array_wrap__ must accept", category=DeprecationWarning)
heard = torch.ones(2).as_subclass(Heard)
for function in (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow),
    *(operator.matmul, operator.lt, operator.eq, operator.ne, operator.and_, operator.lshift),
    *(operator.iadd, operator.imul, operator.ior),
):
    for other in (np.ones(2), "text", None, [1.0, 2.0], 2, np.float64(2), torch.ones(2)):
        print(function.__name__, type(other).__name__)
        for pair in ((heard.as_subclass(torch.Tensor).clone().as_subclass(Heard), other), (other, heard)):
            try:
                print("   ", type(function(*pair)).__name__)
            except (TypeError, RuntimeError, NotImplementedError) as error:
                print("   ", type(error).__name__, str(error).splitlines()[0])
