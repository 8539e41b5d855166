"""What the core has to get right where few programs look: each block is where a fault in it was not noticed once."""

import warnings

import torch


def values(x):
    """What a tensor holds, without its history."""
    return x.tolist()


# % modified-types: the error for a saved tensor that was changed names the type as PyTorch's engine does
for dtype in (torch.complex64, torch.bfloat16, torch.float16, torch.float64):
    w = torch.ones(2, dtype=dtype, requires_grad=True)
    a = w * 2
    y = a * a
    a.mul_(2)
    try:
        y.sum().backward(torch.ones((), dtype=dtype))
    except RuntimeError as error:
        print(str(error).split("operation: ")[1].split(".")[0:2])

# % modified-in-a-list: one tensor of a list that a Node saves is changed
w = torch.ones(2, 2, requires_grad=True)
a, b = w * 2, w * 3
y = torch.linalg.multi_dot([a, b, w])
b.add_(1)
try:
    y.sum().backward()
except RuntimeError as error:
    print(str(error)[:120])

# % posthooks-mode: the grad mode that hooks of an AccumulateGrad see
for create in (False, True):
    w = torch.ones(2, requires_grad=True)
    y = w * w
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(lambda grads: print("pre", torch.is_grad_enabled()))
    node.register_hook(lambda inputs, grads: print("post", torch.is_grad_enabled(), inputs, values(grads[0])))
    w.register_hook(lambda g: print("hook", torch.is_grad_enabled(), g.requires_grad))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y.sum().backward(create_graph=create)

# % frozen-leaf: a leaf that stopped requiring a gradient after it was used
for create in (False, True):
    w = torch.ones(2, requires_grad=True)
    w.register_hook(lambda g: print("hook", g.tolist(), torch.is_grad_enabled()))
    y = w * 3
    y.grad_fn.next_functions[0][0].register_hook(lambda inputs, grads: print("post", inputs, values(grads[0])))
    w.requires_grad_(False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y.sum().backward(create_graph=create)
    print(w.grad)

# % retained-after-write: a view keeps its retained gradient when its base is changed
w = torch.ones(2, 3, requires_grad=True)
a = w * 2
v = a[0]
v.retain_grad()
a.mul_(3)
(v * 2).sum().backward()
print(values(v.grad), values(w.grad), v.retains_grad)

# % not-implemented: Nodes without a derivative
w = torch.ones(2, requires_grad=True)
for y in (torch.detach_copy(w), torch.nextafter(w, torch.zeros(2)), torch.nextafter(torch.zeros(2), w)):
    print(y.grad_fn.name(), [n and n.name() for n, _ in y.grad_fn.next_functions])
    try:
        y.sum().backward()
    except (RuntimeError, NotImplementedError) as error:
        print(type(error).__name__, error)

# % layouts: new tensors that are laid out like others
for x in (
    torch.empty_strided((1, 3), (7, 1)),
    torch.empty_strided((3, 1), (1, 5)),
    torch.ones(2, 1, 3).transpose(0, 1),
    torch.ones(2, 3)[:, ::2],
    torch.ones(2, 3).expand(4, 2, 3),
    torch.ones(1, 1),
    torch.ones(2, 0, 3),
):
    print(
        torch.zeros_like(x).stride(),
        (x + 1).stride(),
        (x.clone() * x).stride(),
        torch.ones_like(x, dtype=torch.int8).stride(),
    )
for shape in ((2, 3, 4, 5), (2, 3, 4, 5, 6), (3, 2, 2, 2)):
    kind = torch.channels_last if len(shape) == 4 else torch.channels_last_3d
    x = torch.ones(shape).to(memory_format=kind)
    print(x.stride(), (x + 1).stride(), torch.relu(x).stride(), x.is_contiguous(memory_format=kind))

# % places: nothing lies at the end of memory, or beyond it
x = torch.arange(6.0)
for v in (x[6:], x[3:3], x.as_strided((0,), (1,), 6), x.view(2, 3)[2:], x.view(2, 3)[:, 3:], x.view(3, 2)[3:, 1:]):
    print(v.shape, v.stride(), v.storage_offset(), v.sum(), (v + 1).shape)

# % memory-of-views: a write into a view of a view, its gradient, and what lies beside it
w = torch.arange(6.0, requires_grad=True)
a = (w * 1).view(2, 3)
v = a[1:, 1:].t()
v.mul_(10)
v[0].add_(1)
print(values(a), values(v), v.storage_offset(), v.stride())
(a * torch.arange(6.0).view(2, 3)).sum().backward()
print(values(w.grad))

# % overlap: memory that is shared in part and as a whole, with the same start or the same end
x = torch.zeros(6)
for out, other in (
    (x[:4], x[:3]),
    (x[2:], x[3:]),
    (x[:3], x[3:]),
    (x[:4], x[2:]),
    (x, x),
    (x[::2], x[1::2]),
    (x[:2], x[:2]),
):
    try:
        print(torch.index_fill(other, 0, torch.tensor([0]), 1.0).shape, torch.add(other, 1, out=out).shape, x.tolist())
    except RuntimeError as error:
        print(str(error)[:60])
    x = torch.zeros(6)

# % sizes-in-place: results that do not fit what they are written to
for f in (
    lambda: torch.ones(1).add_(torch.ones(3)),
    lambda: torch.ones(2, 1).mul_(torch.ones(2, 3)),
    lambda: torch.ones(1).addcmul_(torch.ones(3), torch.ones(3)),
    lambda: torch.ones(1).lerp_(torch.ones(3), torch.ones(3)),
    lambda: torch.ones(1).where(torch.ones(3) > 0, torch.ones(3)),
    lambda: torch.ones(2).clamp_(torch.ones(2, 2)),
    lambda: torch.ones(2).pow_(torch.ones(2, 2)),
    lambda: torch.ones(2).addcdiv_(torch.ones(2, 2), torch.ones(2)),
):
    try:
        print(f().shape)
    except RuntimeError as error:
        print(error)

# % one-memory: operands that share the memory which an operation in place changes
w = torch.ones(4, requires_grad=True)
for f in (
    lambda a: a[:2].mul_(a[2:]),
    lambda a: a.mul_(a),
    lambda a: a[:2].addcmul_(a[2:], a[2:]),
    lambda a: a[:2].copy_(a[2:]),
    lambda a: a.addcmul_(torch.ones(4), torch.full((4,), 2.0)),
    lambda a: a[1].mul_(a[0]),
):
    a = w * 2
    try:
        f(a)
        print(a.tolist(), a._version)
        print(values(torch.autograd.grad((a * a).sum(), w)[0]))
    except RuntimeError as error:
        print(str(error)[:130])

# % large-in-place: an operation in place on much memory, with a history and without one, of a view and of a leaf
for n in (10, 20_000):
    w = torch.full((n,), 2.0, requires_grad=True)
    a = w * 1
    v = a[: n // 2]
    a.retain_grad()
    v.mul_(3)
    a.add_(w)
    v.mul_(w[: n // 2])
    print(a._version, a.grad_fn.name(), v.grad_fn.name(), a.sum())
    a.sum().backward()
    print(values(w.grad[:2]), values(w.grad[-2:]), values(a.grad[:2]))
    b = torch.zeros(n)
    b.add_(1)
    b[:3].mul_(5)
    b.mul_(b)
    print(b._version, b.sum())

# % selects: numbers, slices and masks as an index
x = torch.arange(6.0).view(2, 3)
for f in (
    lambda: torch.tensor(1.0)[0],
    lambda: torch.tensor(1.0)[1],
    lambda: x[:: torch.tensor(2)],
    lambda: x[::0],
    lambda: x[::-1],
    lambda: x[torch.tensor(1)],
    lambda: x[torch.tensor(1, dtype=torch.uint8)],
    lambda: x[torch.tensor(-1), torch.tensor(2)],
    lambda: x[torch.tensor(True)],
    lambda: x[0, torch.tensor(1, dtype=torch.int8)],
    lambda: x[2],
    lambda: x[2**70],
    lambda: x[torch.tensor([1, 0], dtype=torch.uint8)],
    lambda: x[:, [True, False, True]],
):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            r = f()
            print(r, r._is_view(), len(seen))
        except (IndexError, ValueError, TypeError, RuntimeError) as error:
            print(type(error).__name__, str(error)[:90])

# % assigns: what is written by an index
for index, value in (
    ((0,), 5.0),
    ((torch.tensor(1),), 5.0),
    ((torch.tensor(1, dtype=torch.uint8),), 5.0),
    ((torch.tensor([True, False]),), 2 + 0j),
    ((torch.tensor([True, False]),), torch.tensor(2 + 1j)),
    ((torch.tensor([True, False]),), torch.tensor(2 + 0j)),
    ((torch.tensor([True, False]),), torch.tensor(3)),
    ((torch.tensor([0, 1]),), torch.tensor([[[1.0, 2.0, 3.0]]])),
    ((torch.tensor([0, 1]),), torch.tensor([[1.0, 2.0, 3.0]])),
    ((torch.tensor([0]), slice(1, None)), torch.tensor([7.0, 8.0])),
    ((torch.tensor([[True, False, True], [False, True, False]]),), torch.tensor([[1.0, 2.0, 3.0]])),
    ((slice(None), [0, 2]), torch.tensor([[1.0], [2.0]])),
    ((Ellipsis, None, 0), 9.0),
):
    x = torch.arange(6.0).view(2, 3)
    try:
        x[index] = value
        print(x.tolist(), x._version)
    except (IndexError, RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error)[:110])

# % weights-that-require-grad: losses without a derivative by what weighs them
weight = torch.ones(2, requires_grad=True)
functional = torch.nn.functional
rows, classes = torch.rand(3, 2), torch.tensor([0, 1, 1])
for loss in (
    lambda: functional.nll_loss(rows, classes, weight),
    lambda: functional.cross_entropy(rows, classes, weight=weight),
    lambda: functional.nll_loss(rows[:, :, None], classes[:, None], weight),
    lambda: functional.multi_margin_loss(rows, classes, weight=weight),
    lambda: functional.binary_cross_entropy(rows, rows, weight),
    lambda: functional.binary_cross_entropy_with_logits(rows, rows, weight),
    lambda: functional.binary_cross_entropy_with_logits(rows, rows, pos_weight=weight),
    lambda: functional.soft_margin_loss(rows, weight),
    lambda: functional.batch_norm(rows, weight, torch.ones(2)),
):
    try:
        loss()
    except RuntimeError as error:
        print(error)
    with torch.no_grad():
        print(loss().requires_grad)

# % index-written-to: gather may write to its index, and to nothing else that it reads
numbers = torch.arange(12).reshape(3, 4)
places = torch.tensor([[0, 1, 2, 0], [1, 2, 0, 0]])
print(torch.gather(numbers, 0, places, out=places), places)
places = torch.tensor([[0, 1, 2, 0], [1, 2, 0, 0]])
for out in (numbers[:2, :2], places[:, :2]):
    try:
        torch.gather(numbers, 0, places[:, 1:3], out=out)
    except RuntimeError as error:
        print(str(error)[:60])

# % warns-once: the variance of few numbers warns once for all rows
for function in (torch.var, torch.std, torch.var_mean):
    for numbers in (torch.ones(3), torch.ones(3, 1)):
        with warnings.catch_warnings(record=True) as caught_warnings:
            warnings.simplefilter("always")
            print(torch.func.vmap(function)(numbers), len(caught_warnings))

# % alpha-dropout-of-rows: each row gets its own noise, or all the same
for randomness in ("different", "same"):
    torch.manual_seed(0)
    print(
        torch.func.vmap(
            lambda row: torch.nn.functional.alpha_dropout(torch.ones_like(row), 0.5, training=True),
            randomness=randomness,
        )(torch.zeros(2, 3))
    )
