"""backward() and grad() with good and bad arguments; hooks that fail."""

from collections import OrderedDict

import torch

from tests.scenarios.show import t

# % frontend-backward-args: backward args
x = torch.ones(2, requires_grad=True)
y = x * 2
B = torch.autograd.backward
Gr = torch.autograd.grad
t(lambda: y.backward())
t(lambda: B(y))
t(lambda: B([y, y], [torch.ones(2)]))
t(lambda: B([], []))
t(lambda: B(()))
t(lambda: B(3))
t(lambda: B([3]))
t(lambda: B(None))
t(lambda: B([None]))
t(lambda: B(y, 3))
t(lambda: B(y, [3]))
t(lambda: B(y, torch.ones(3)))
t(lambda: B(y, torch.ones(2, 1)))
t(lambda: B(y, torch.tensor(1.0)))
t(lambda: B(y.sum(), torch.ones(1)))
t(lambda: B(torch.ones(1)))
t(lambda: B([y.sum(), torch.ones(1)]))
t(lambda: torch.ones(2).backward())
t(lambda: y.sum().backward(torch.tensor(1.0), inputs=[]))
t(lambda: y.sum().backward(inputs=[3]))
t(lambda: y.sum().backward(inputs=3))
t(lambda: y.sum().backward(inputs=[torch.ones(2)]))
t(lambda: y.sum().backward(inputs=torch.ones(2)))
t(lambda: y.sum().backward(inputs=[None]))
y = x * 2
t(lambda: y.sum().backward(inputs=[y]))
print(y.grad, x.grad, y.retains_grad)
y = x * 2
t(lambda: y.sum().backward(inputs=y))
t(lambda: y.grad)
t(lambda: y.sum().backward(inputs=y))
t(lambda: y.grad)
y = x * x
z = torch.ones(2, requires_grad=True)
t(lambda: y.sum().backward(inputs=[z]))
print(z.grad, x.grad)
t(lambda: y.sum().backward(inputs=[x]))
print(x.grad)
t(lambda: y.backward(torch.ones(2, dtype=torch.float64)))
t(lambda: (x * 1).backward(torch.ones(2, dtype=torch.int64)))
t(lambda: (x * 1).backward(torch.ones(2, dtype=torch.complex64)))
t(lambda: (x * 1).backward("a"))
t(lambda: (x * 1).backward([1.0, 1.0]))
t(lambda: (x * 1).backward((torch.ones(2),)))
t(lambda: (x * 1).backward(torch.ones(2, dtype=torch.bool)))
t(lambda: (x * 1).sum().backward(None))
t(lambda: (x * 1).sum().backward(True))
t(lambda: (x * 1).sum().backward(1.0))
t(lambda: (x * 1).backward(grad=1))
t(lambda: (x * 1).sum().backward(retain_graph="a"))
t(lambda: (x * 1).sum().backward(retain_graph=1))
t(lambda: (x * 1).sum().backward(create_graph=1))
t(lambda: (x * 1).sum().backward(create_graph=None))
t(lambda: B(y, torch.ones(2), False, False, torch.ones(2)))
t(lambda: B((x * 1), grad_variables=torch.ones(2)))
c = torch.ones(2, dtype=torch.complex64, requires_grad=True)
t(lambda: c.sum().backward())
t(lambda: c.sum().backward(torch.tensor(1.0)))
t(lambda: c.sum().backward(torch.tensor(1.0 + 0j)))
print(c.grad)
t(lambda: B(y for _ in range(1)))
t(lambda: B([y.detach(), y], [torch.ones(2)] * 2))
t(lambda: B({"a": y}))
i = torch.ones(2, dtype=torch.int64)
t(lambda: i.sum().backward())
t(lambda: (x > 0).sum().backward())
e = torch.empty(0, requires_grad=True)
t(lambda: (e * 2).backward())
t(lambda: (e * 2).sum().backward())
print(e.grad)
n = torch.ones(1, 1, requires_grad=True)
t(lambda: (n * 2).backward())
print(n.grad)
x.grad = None
t(lambda: x.backward(torch.ones(2)))
print(x.grad)
t(lambda: x.sum().backward())
print(x.grad)
s = torch.tensor(2.0, requires_grad=True)
t(lambda: s.backward())
print(s.grad)
with torch.no_grad():
    y = x * 2
t(lambda: y.sum().backward())

# % frontend-grad-args: grad args
x = torch.ones(2, requires_grad=True)
y = x * x
Gr = torch.autograd.grad
z = torch.ones(2, requires_grad=True)
t(lambda: Gr(y, x))
t(lambda: Gr(y.sum(), 3))
t(lambda: Gr(y.sum(), [3]))
t(lambda: Gr(y.sum(), []))
t(lambda: Gr([], x))
t(lambda: Gr(3, x))
t(lambda: Gr(None, x))
t(lambda: Gr(y.sum(), None))
t(lambda: Gr(y.sum(), torch.ones(2)))
t(lambda: Gr(y.sum(), z))
y = x * x
t(lambda: Gr(y.sum(), z, allow_unused=True))
y = x * x
t(lambda: Gr(y.sum(), [x, z], materialize_grads=True))
y = x * x
t(lambda: Gr(y.sum(), [x, z], create_graph=True, materialize_grads=True))
t(lambda: Gr(y.sum(), z, materialize_grads=True, allow_unused=False))
y = x * x
t(lambda: Gr(y, x, torch.ones(3)))
t(lambda: Gr(y, x, [torch.ones(2), torch.ones(2)]))
t(lambda: Gr([y, y], x, [torch.ones(2), None]))
t(lambda: Gr(y, x, 3))
t(lambda: Gr(y, x, [3]))
y = x * x
t(lambda: Gr(y.sum(), x, only_inputs=False))
t(lambda: Gr(y.sum(), x))
t(lambda: Gr(y.sum(), y))
y = x * x
t(lambda: Gr(y.sum(), (x, y), retain_graph=True))
t(lambda: Gr(y.sum(), [y, x, x]))
t(lambda: Gr(x.sum(), x))
t(lambda: Gr(x, x, torch.ones(2)))
t(lambda: Gr(x.sum(), [x for _ in range(1)]))
y = x * x
t(lambda: Gr(y, x, torch.eye(2), is_grads_batched=True))
y = x * x
t(lambda: Gr(y, x, torch.ones(2), is_grads_batched=True))
t(lambda: Gr(y, x, torch.ones(3, 3), is_grads_batched=True))
t(lambda: Gr(y.sum(), x, is_grads_batched=True))
y = x * x
t(lambda: Gr(y, x, (torch.ones(3, 2),), is_grads_batched=True, create_graph=True)[0].requires_grad)
t(lambda: Gr((y, y.sum()), (x, z), (torch.ones(3, 2), torch.ones(3)), is_grads_batched=True, allow_unused=True))
y = x * x
t(lambda: Gr((y, y.sum()), (x, z), (torch.ones(3, 2), torch.ones(2)), is_grads_batched=True, allow_unused=True))
t(lambda: Gr((y, y.sum()), (x,), (torch.ones(3, 2), None), is_grads_batched=True, allow_unused=True))
t(lambda: Gr(y.sum(), x, create_graph=True, retain_graph=False))
t(lambda: Gr(y.sum(), (i for i in [x])))
t(lambda: Gr((i for i in [y.sum()]), x))
t(lambda: Gr(x))
t(lambda: Gr((x * x).sum(), {"a": x}))
t(lambda: Gr(torch.ones(1), x))
t(lambda: Gr((y > 0).sum(), x))
t(lambda: Gr(x * 2, x, torch.ones(2, dtype=torch.complex64)))
p = torch.ones(2, requires_grad=True)
q = p * 2
t(lambda: Gr(q.sum(), [p, q]))
t(lambda: Gr(q.sum(), [q, p], allow_unused=True))
print(p.grad)

# % frontend-hooks-raising: hooks raising
x = torch.ones(2, requires_grad=True)


def bad(g):
    raise KeyError("hook")


y = x * 2
y.register_hook(bad)
t(lambda: y.sum().backward())
print(torch.is_grad_enabled(), x.grad)


def kb(g):
    raise KeyboardInterrupt


y = x * 2
y.register_hook(kb)
t(lambda: y.sum().backward())
print(torch.is_grad_enabled(), x.grad)
t(lambda: y.sum().backward())
for r in (3, "a", (torch.ones(2),), torch.ones(3), torch.ones(2, dtype=torch.float64), [torch.ones(2)]):
    y = x * 2
    y.register_hook(lambda g: r)
    t(lambda: y.sum().backward())
y = x * 2
t(lambda: y.register_hook(3))
t(lambda: y.sum().backward())
t(lambda: y.register_hook(None))
t(lambda: torch.ones(1).register_hook(lambda g: g))
t(lambda: y.register_post_accumulate_grad_hook(lambda g: None))
t(lambda: torch.ones(1).register_post_accumulate_grad_hook(lambda g: None))
h = x.register_post_accumulate_grad_hook(lambda p: 3)
t(lambda: (x * 2).sum().backward())
h.remove()
h = x.register_post_accumulate_grad_hook(lambda p: print(p is x, p.grad))
t(lambda: (x * 2).sum().backward())
h.remove()
y = x * 2
y.grad_fn.register_hook(lambda a, b: 3)
t(lambda: y.sum().backward())
y = x * 2
y.grad_fn.register_hook(lambda a, b: (1,))
t(lambda: y.sum().backward())
y = x * 2
y.grad_fn.register_hook(lambda a, b: (torch.ones(2), None))
t(lambda: y.sum().backward())
y = x * 2
y.grad_fn.register_hook(lambda a, b: ())
t(lambda: y.sum().backward())
y = x * 2
y.grad_fn.register_prehook(lambda a: 3)
t(lambda: y.sum().backward())
y = x * 2
y.grad_fn.register_prehook(lambda a: (torch.ones(3),))
t(lambda: y.sum().backward())
y = x * 2
y.grad_fn.register_prehook(lambda a: (None,))
t(lambda: y.sum().backward())
print(x.grad)
y = x * 2
y.grad_fn.register_prehook(lambda a: torch.ones(2))
t(lambda: y.sum().backward())
y = x * 2
y.grad_fn.register_prehook(lambda a: (torch.ones(2), torch.ones(2)))
t(lambda: y.sum().backward())
y = x * 2
y.register_hook(lambda g: y.register_hook(lambda g: print("late", g)) and None)
y.sum().backward()
y = x * 2
h1 = y.register_hook(lambda g: h1.remove())
y.sum().backward(retain_graph=True)
y.sum().backward()
t(lambda: y.register_hook())
t(lambda: y.grad_fn.register_hook(3))


class Cls:
    def __call__(self, g):
        return g * 2, 3


y = x * 2
y.register_hook(Cls())
t(lambda: y.sum().backward())
acc = (x * 1).grad_fn.next_functions[0][0]
acc.register_hook(lambda a, b: print("post", a, b))
acc.register_prehook(lambda b: print("pre", b))
x.register_hook(lambda g: print("tensor", g))
x.register_post_accumulate_grad_hook(lambda p: print("pa", p.grad))
x.grad = None
(x * 5).sum().backward()

# % frontend-dicts: inputs in a dict
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)


def f():
    return (x * x * y).sum()


print(torch.autograd.grad(f(), {"x": x, 2: y}))
t(lambda: torch.autograd.grad(f(), OrderedDict(x=x)))
t(lambda: torch.autograd.grad(f(), {}))
torch.autograd.backward(f(), inputs={"x": x})
print(x.grad, y.grad)
f().backward(inputs={"y": y})
print(x.grad, y.grad)
t(lambda: f().backward(inputs=OrderedDict(x=x)))
t(lambda: f().backward(inputs={}))
