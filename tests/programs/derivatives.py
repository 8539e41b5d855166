"""Derivatives as the unit tests of PyTorch ask for them: parts of complex numbers, tangents, contexts that are kept."""

import torch
import torch.autograd.forward_ad

from tests.scenarios.show import attempt

# % checks-forward-of-parts: of complex inputs one part is varied, and errors say which
bent_by = 1.1


def bent(x, y):
    if torch.autograd.forward_ad._current_level >= 0:
        primal, tangent = torch.autograd.forward_ad.unpack_dual(y)
        y = torch.autograd.forward_ad.make_dual(primal, tangent * bent_by)
    return x + y, y


for first, second in ((torch.double, torch.double), (torch.cdouble, torch.double), (torch.cdouble, torch.cdouble)):
    x = torch.tensor([0.5, 1.0], dtype=first, requires_grad=True)
    y = torch.tensor([2.0, 3.0], dtype=second, requires_grad=True)
    print(torch.autograd.gradcheck(lambda x, y: (x + y, y), (x, y), check_forward_ad=True))
    attempt(lambda: torch.autograd.gradcheck(bent, (x, y), check_forward_ad=True))
z = torch.tensor([0.5 + 1j, 1.0 - 2j], dtype=torch.cdouble, requires_grad=True)
for fast in (False, True):
    print(torch.autograd.gradcheck(lambda z: (z * z.conj(), z.abs()), (z,), check_forward_ad=True, fast_mode=fast))

# % jacobians-of-tangents: what is no tuple, and the dtype of outputs
x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
mode = {"strategy": "forward-mode", "vectorize": True}
print(torch.autograd.functional.jacobian(lambda x: x * x, x, **mode))
print(torch.autograd.functional.jacobian(lambda x: x * x, (x,), **mode))
print(torch.autograd.functional.jacobian(lambda x: (x, x.sum()), x, **mode))
print(torch.autograd.functional.jacobian(lambda x, y: x + y, (x, y), **mode))
print(torch.autograd.functional.jacobian(lambda x, y: (x, (x + y).double()), (x, y), **mode))
mode = {"outer_jacobian_strategy": "forward-mode", "vectorize": True}
hessian = torch.autograd.functional.hessian(lambda x, y: (x * x * y).sum(), (x, y), **mode)
print(type(hessian), [(type(row), [block.detach() for block in row]) for row in hessian])

# % contexts-that-outlive-their-graph: what was saved is there as long as the ctx is
contexts = []


class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.word = "kept"
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        contexts.append(ctx)
        return grad


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Kept.apply(x).sum()
y.backward(retain_graph=True)
del y
(ctx,) = contexts
print(ctx.saved_tensors[0] is x, ctx.word, ctx.name(), len(ctx.next_functions), ctx.needs_input_grad)
Kept.apply(x).sum().backward()
attempt(lambda: contexts[-1].saved_tensors)
print(contexts[-1].word, contexts[-1].name())

# % pure-views: Functions that only look at their input may be changed in place


class Head(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, pure, other=None):
        ctx._is_pure_view = pure
        return x[:2]

    @staticmethod
    def backward(ctx, grad):
        print("backward")
        return torch.cat((grad, torch.zeros(1))), None, None


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
for pure in (True, False):
    base = x.clone()
    view = Head.apply(base, pure)
    print(view, view._base is base)
    attempt(lambda: view.mul_(3))
    print(view.grad_fn, base)
    base.sum().backward()
    print(x.grad)
    attempt(lambda: Head.apply(x, pure).mul_(3))
    attempt(lambda: Head.apply(x, pure, torch.ones(1)))
    attempt(lambda: Head.apply(x, pure, 1))
attempt(lambda: Head.apply(x, 1))


class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        attempt(lambda: ctx._is_pure_view)
        ctx._is_pure_view = True
        return x[:2], 1


attempt(lambda: Two.apply(x))

# % inference-views-in-place: outside of inference mode, where autograd does not see them
with torch.inference_mode():
    leaf, plain = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
for t in (leaf, plain):
    for change in (
        lambda t: t.t_(),
        lambda t: t.squeeze_(),
        lambda t: t.unsqueeze_(0),
        lambda t: t.swapaxes_(0, 1),
        lambda t: t.as_strided_((2,), (1,)),
        lambda t: t.normal_(),
        lambda t: t.add_(2),
        lambda t: t.relu_(),
    ):
        attempt(lambda: change(t))

# % nodes-by-hand: they take no keywords
y = torch.tensor([1.0], requires_grad=True) * 2
attempt(lambda: y.grad_fn(torch.ones(1), k=1))
attempt(lambda: y.grad_fn.next_functions[0][0](torch.ones(1), k=1))

# % products-of-others: what `vjp` differentiates by is a constant to other transforms
x, y = torch.tensor([0.5, 1.0]), torch.tensor([2.0, 3.0])
out, pull = torch.func.vjp(torch.sin, x)
print(torch.func.grad(lambda y: pull(y)[0].sum())(y))
out, second = torch.func.vjp(lambda x: pull(x)[0], x)
print(out, second(y))
print(torch.func.jacrev(lambda y: pull(y)[0])(y))


def composed(x, y):
    _, pull = torch.func.vjp(torch.func.grad(lambda x: -torch.cos(x).sum()), x)
    return torch.func.grad(lambda y: pull(y)[0].sum())(y)


print(composed(x, y))
z = x.clone().requires_grad_()
print(composed(z, y), torch.autograd.grad(composed(z, y).sum(), z))

# % views-made-again: after a change in place, where strides do not say what a view is, or views are tracked
x = torch.tensor([[1 + 1j, 2 - 1j], [3 + 0j, 4j]], requires_grad=True)


def names(node):
    return "None" if node is None else f"{node.name()}({', '.join(names(n) for n, _ in node.next_functions)})"


def changed(view_of):
    x.grad = None
    base = x.clone()
    view = view_of(base)
    view.mul_(2)
    print(names(view.grad_fn))
    view.add_(1)
    print(names(view.grad_fn))
    base.abs().pow(2).sum().backward()
    print(x.grad)
    base = x.clone()
    view = view_of(base)
    view.retain_grad()
    base.mul_(3)
    print(names(view.grad_fn))
    view.abs().sum().backward()
    print(view.grad.shape)


def parts(t):
    return torch.view_as_complex(torch.view_as_real(t))


for view_of in (torch.view_as_real, parts, lambda t: t[0], lambda t: t.t()[0]):
    changed(view_of)
with torch.autograd._force_original_view_tracking(True):
    for view_of in (torch.view_as_real, parts, lambda t: t[0], lambda t: torch.view_as_real(t.t())[..., 0], torch.imag):
        changed(view_of)

# % tangents-that-are-let-go: a level keeps no dual tensor
with torch.autograd.forward_ad.dual_level():
    tangent = torch.ones(2)
    reference = torch._C._WeakTensorRef(tangent)
    dual = torch.autograd.forward_ad.make_dual(torch.ones(2), tangent)
    product = dual * 2
    del tangent, dual
    print(torch.autograd.forward_ad.unpack_dual(product * 2).tangent)
    del product
    print(reference.expired())
