"""Hooks: on tensors, on nodes, on leaves, on what is saved."""

import torch

from tests.scenarios.show import caught


def say(label):
    def hook(*arguments):
        print(label, *arguments)

    return hook


# % hooks-order: everything that may fire in one pass
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 3
z = y.sum()
accumulate = y.grad_fn.next_functions[0][0]
w.register_hook(say("leaf tensor 1"))
w.register_hook(say("leaf tensor 2"))
y.register_hook(say("tensor"))
y.grad_fn.register_hook(say("node after"))
y.grad_fn.register_prehook(say("node before"))
accumulate.register_prehook(say("accumulate before"))
accumulate.register_hook(say("accumulate after"))
w.register_post_accumulate_grad_hook(lambda t: print("stored", t.grad))
z.register_hook(say("root"))
z.grad_fn.register_hook(say("root node after"))
y.retain_grad()
z.backward()
print(y.grad, w.grad)

# % hooks-replace-gradients: by return value, at each place
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 3
y.register_hook(lambda g: g + 1)
y.register_hook(lambda g: g * 10)
w.register_hook(lambda g: -g)
y.sum().backward()
print(w.grad)
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 3
y.grad_fn.register_prehook(lambda outs: (outs[0] * 2,))
y.grad_fn.register_hook(lambda ins, outs: (ins[0] + outs[0], None))
y.sum().backward()
print(w.grad)
w = torch.tensor([1.0, 2.0], requires_grad=True)


def step(t):
    t.data.sub_(0.1 * t.grad)
    t.grad = None


w.register_post_accumulate_grad_hook(step)
(w * w).sum().backward()
print(w, w.grad)


# % hooks-wrong-return-values: what a hook may not give back
def try_hook(hook):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w * 3
    y.register_hook(hook)
    with caught():
        y.sum().backward()
    print(w.grad)


for value in (5, "text", [1.0], torch.ones(3), torch.ones(2, dtype=torch.float64), torch.tensor(2.0), torch.ones(2, 1)):
    try_hook(lambda g: value)


def broken(g):
    raise KeyError("from the hook")


try_hook(broken)
w = torch.ones(2, requires_grad=True)
y = w * 2
y.grad_fn.register_hook(lambda ins, outs: (ins[0],))
with caught("node hook, too few"):
    y.sum().backward()
for wrong in (None, 3, "f"):
    with caught("not callable"):
        w.register_hook(wrong)
with caught():
    torch.ones(2).register_hook(print)
with caught():
    torch.ones(2).register_post_accumulate_grad_hook(print)
with caught():
    (w * 2).register_post_accumulate_grad_hook(print)

# % hooks-handles: removing, removing twice, removing as a context
w = torch.tensor(1.0, requires_grad=True)
first, second, third = (w.register_hook(say(name)) for name in "abc")
(w * 1).backward()
second.remove()
second.remove()
(w * 1).backward()
with w.register_hook(say("inside")) as handle:
    (w * 1).backward()
(w * 1).backward()
print(type(handle).__name__, w.grad)
w.register_hook(lambda g: first.remove())
(w * 1).backward()
(w * 1).backward()

# % hooks-with-autograd-grad: hooks fire there too, but not those of accumulation
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * w
w.register_hook(say("leaf"))
w.register_post_accumulate_grad_hook(say("stored"))
y.register_hook(say("y"))
print(torch.autograd.grad(y.sum(), w), w.grad)
y = w * w
y.register_hook(lambda g: g * 100)
print(torch.autograd.grad(y.sum(), y))

# % hooks-and-in-place: a hook stays with the node that it was set on
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 2
y.register_hook(say("before the change"))
y.retain_grad()
y.mul_(5)
y.register_hook(say("after the change"))
y.sum().backward()
print(y.grad, w.grad)

# % hooks-second-derivatives: with create_graph a hook sees gradients that have a history
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w**3
y.register_hook(lambda g: g * w)
(g,) = torch.autograd.grad(y.sum(), w, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), w))

# % hooks-saved-tensors: pack, unpack, nesting, and an error
log = []


def pack(t):
    log.append(f"pack {tuple(t.shape)} {t.is_leaf}")
    return t.numpy(force=True).copy()


def unpack(a):
    log.append(f"unpack {a.shape}")
    return torch.from_numpy(a)


w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = (w * w).exp().sum()
print(log)
y.backward()
print(log, w.grad)
with (
    torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t),
    torch.autograd.graph.saved_tensors_hooks(lambda t: t * 10, lambda t: t),
):
    y = w.exp()
print(y.grad_fn._saved_result)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 3, lambda t: "text"):
    y = w.exp()
with caught():
    y.grad_fn._saved_result
with caught():
    y.sum().backward()
with (
    torch.autograd.graph.disable_saved_tensors_hooks("not here"),
    caught(),
    torch.autograd.graph.saved_tensors_hooks(pack, unpack),
):
    w.exp()
with torch.autograd.graph.save_on_cpu():
    y = w.sin()
y.sum().backward()
print(w.grad)

# % hooks-on-one-saved-tensor: register_hooks of the raw saved value
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w.exp()
saved = y.grad_fn._raw_saved_result
print(type(saved).__name__)
with caught():
    y.grad_fn._raw_saved_self
saved.register_hooks(lambda t: (t, "label"), lambda pair: pair[0] + 1)
print(y.grad_fn._saved_result)
with caught():
    saved.register_hooks(lambda t: t, lambda t: t)
y.sum().backward()
print(w.grad)
with caught():
    saved.register_hooks(lambda t: t, lambda t: t)
with caught():
    y.grad_fn._saved_result

# % hooks-multi-grad: one hook for several tensors
a, b = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
c, d = a * b, a + b
handle = torch.autograd.graph.register_multi_grad_hook((c, d, a), say("all"))
(c * d).backward()
handle.remove()
c, d = a * b, a + b
with torch.autograd.graph.register_multi_grad_hook((c, d), say("any"), mode="any"):
    c.backward()
    (a * b).backward()
with caught():
    torch.autograd.graph.register_multi_grad_hook((c, d), print, mode="some")

# % hooks-without-a-gradient: an operation that none arrives at is asked for what it saved all the same
for make, change in (
    (lambda m: m * m, lambda m, y: m.mul_(2)),
    (lambda m: m**3, lambda m, y: m.mul_(2)),
    (lambda m: m.softmax(0), lambda m, y: y.mul_(2)),
    (lambda m: m.exp(), lambda m, y: None),
):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    m = w * 1
    y = make(m)
    y.grad_fn.register_prehook(lambda grads: (None,))
    y.grad_fn.register_hook(say("after"))
    change(m, y)
    with caught():
        (y * 1).sum().backward()
    print(w.grad)
w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: (print("unpacked"), t)[1]):
    y = w * w
y.grad_fn.register_prehook(lambda grads: (None,))
y.sum().backward(create_graph=True)
print(w.grad)

# % hooks-beside-a-constant: what was written into a constant gets no gradient; the hooks of an only root are called
for base in (torch.tensor([0.25, 3.0]), torch.tensor([0.25, 3.0], requires_grad=True) * 1):
    base[-1] = torch.tensor([1.5], requires_grad=True)
    base.grad_fn.register_hook(say("written"))
    base.sum().backward(create_graph=True)
v, w = torch.zeros(3, requires_grad=True), torch.zeros(3, requires_grad=True)
v.register_hook(say("root"))
print(torch.autograd.grad(v, w, torch.ones(3), allow_unused=True))
print(torch.autograd.grad([v, v], w, [torch.ones(3)] * 2, allow_unused=True), v.grad)
print(torch.autograd.grad(w, v, torch.ones(3), allow_unused=True), w.grad)
