"""Operators that are defined by a schema and get their kernels later: `torch.library.Library`, `define`, `impl`."""

import warnings

import torch

from tests.scenarios.show import attempt

Library, define, impl = torch.library.Library, torch.library.define, torch.library.impl


def leaf(value=0.0):
    return torch.tensor([value], requires_grad=True)


# % defining-library: a library defines operators and gives them kernels
lib = Library("lesson", "DEF")
print(lib, lib.ns, lib.kind, lib.define("bar(Tensor x, int n=2) -> Tensor"), lib.define("baz.over(Tensor x) -> Tensor"))
print(torch.ops.lesson.bar, repr(torch.ops.lesson.bar.default), torch.ops.lesson.bar.default._schema)
print(
    lib.impl("bar", lambda x, n=2: x * n, "CPU"),
    torch.ops.lesson.bar(torch.ones(2)),
    torch.ops.lesson.bar(leaf(1.0), 3),
)
lib.impl("baz.over", lambda x: x + 1, "CompositeImplicitAutograd")
print(torch.ops.lesson.baz(leaf()), torch.ops.lesson.baz.overloads(), torch.ops.lesson.baz.over.name())
lib.define("baz(Tensor x, Tensor y) -> Tensor")
lib.impl("baz", lambda x, y: x - y, "CPU")
print(torch.ops.lesson.baz(leaf()), torch.ops.lesson.baz(leaf(), leaf(1.0)), torch.ops.lesson.baz.overloads())
attempt(lambda: torch.ops.lesson.bar("a"))
attempt(lambda: lib.impl("bar", 3))
attempt(lambda: Library("lesson2", "XXX"))
attempt(lambda: Library("prim", "DEF"))
for call in (lambda: lib.define("bar(Tensor x) -> Tensor"), lambda: Library("lesson", "DEF")):
    try:
        call()
    except RuntimeError as error:
        print(str(error).partition("egistration")[0])

# % defining-decorators: the forms that are decorators
more = Library("lesson7", "FRAGMENT")


@define(more, "twice(Tensor x) -> Tensor")
def twice(x):
    return x * 2


more.define("thrice(Tensor x) -> Tensor")


@impl(more, "thrice", "CPU")
def thrice(x):
    return x * 3


print(torch.ops.lesson7.twice(torch.ones(1)), torch.ops.lesson7.thrice(leaf(1.0)), thrice(2))
attempt(lambda: torch.ops.lesson7.thrice(torch.ones(1, device="meta")))

# % defining-names: operators by their full names, with a derivative and a form without contents
define("lesson3::sine", "(Tensor x) -> Tensor")
try:
    torch.ops.lesson3.sine(torch.ones(1))
except NotImplementedError as error:
    print(str(error)[:60])
impl("lesson3::sine", "cpu", lambda x: x.sin())
x = leaf(1.0)
print(torch.ops.lesson3.sine(torch.zeros(1)), torch.ops.lesson3.sine(x))
torch.library.register_autograd("lesson3::sine", lambda ctx, g: g * 5)
torch.library.register_fake("lesson3::sine", lambda x: torch.empty_like(x))
y = torch.ops.lesson3.sine(x)
y.backward()
print(y, x.grad, torch.ops.lesson3.sine(torch.zeros(2, device="meta")))
impl("lesson3::early", "default", lambda x: x + 7)
define("lesson3::early", "(Tensor x) -> Tensor")
print(torch.ops.lesson3.early(torch.zeros(1)), torch.ops.lesson3.early(torch.zeros(1, device="meta")))
define("lesson3::change", "(Tensor(a!) x) -> ()")
impl("lesson3::change", ("cpu", "cuda"), lambda x: x.add_(1) and None)
t = torch.zeros(1)
print(torch.ops.lesson3.change(t), t, t._version, torch.ops.lesson3.change.default._schema.is_mutable)
attempt(lambda: define("lesson3", "(Tensor x) -> Tensor"))
attempt(lambda: impl("lesson3::sine", "xyz", lambda x: x))

# % defining-autograd: a kernel in the place of autograd
lib = Library("lesson5", "DEF")
lib.define("seven(Tensor x) -> Tensor")


class Seven(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch._C._AutoDispatchBelowAutograd():
            return torch.ops.lesson5.seven(x)

    @staticmethod
    def backward(ctx, g):
        return g * 7


lib.impl("seven", lambda x: x * 2, "CPU")
lib.impl("seven", Seven.apply, "Autograd")
lib.impl("seven", torch.library.fallthrough_kernel, "Meta")
x = leaf(3.0)
y = torch.ops.lesson5.seven(x)
y.backward()
print(y, x.grad, torch.ops.lesson5.seven(torch.ones(1)))

# % defining-destroyed: what a library has defined goes with it
with torch.library._scoped_library("lesson4", "FRAGMENT") as scoped:
    scoped.define("plus(Tensor x) -> Tensor")
    scoped.impl("plus", lambda x: x + 1, "CPU")
    print(torch.ops.lesson4.plus(torch.ones(1)))
attempt(lambda: torch.ops.lesson4.plus)
lib = Library("lesson6", "DEF")
lib.define("bar(Tensor x) -> Tensor")
lib._destroy()
attempt(lambda: torch.ops.lesson6.bar)
print(Library("lesson6", "DEF").define("bar() -> Tensor"))

# % defining-fallback: backward through an operator without a kernel for autograd says so
lib = Library("lesson8", "DEF")
kernels = {
    "one": lambda x: torch.ones(1),
    "two": lambda x: x * 2,
    "same": lambda x: x,
    "quiet": lambda x: x.detach() * 2,
}
for name, kernel in kernels.items():
    lib.define(f"{name}(Tensor x) -> Tensor")
    lib.impl(name, kernel, "CPU")
lib.impl("quiet", torch.library.fallthrough_kernel, "Autograd")
for name in kernels:
    x = leaf(1.0)
    y = getattr(torch.ops.lesson8, name)(x)
    print(y, y.requires_grad)
    if y.requires_grad:
        print(y.grad_fn and y.grad_fn.name())
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            y.sum().backward()
        print([str(one.message) for one in given], x.grad)
with torch.no_grad():
    print(torch.ops.lesson8.one(leaf()))
print(torch._C._get_autograd_fallback_mode())
torch._C._set_autograd_fallback_mode("nothing")
print(torch.ops.lesson8.one(leaf()))
torch._C._set_autograd_fallback_mode("warn")

# % defining-kept: what a library has registered goes with it
held = Library("lesson9", "FRAGMENT")
held.define("plus(Tensor x) -> Tensor")
held.impl("plus", lambda x: x + 1, "CPU")
print(torch.ops.lesson9.plus(torch.ones(1)))
del held
attempt(lambda: torch.ops.lesson9.plus)
