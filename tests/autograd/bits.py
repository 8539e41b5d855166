"""Views with the conjugate bit and the negative bit."""

import copy
import io
import pickle

import numpy as np
import torch

from tests.scenarios.show import t


def chain(x):
    """The Nodes from a tensor on, along their first edges."""
    names, node = [], x.grad_fn
    while node is not None:
        names.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return names


def fresh():
    return torch.tensor([[1 + 2j, 3 - 4j], [2 + 5j, -1 - 1j]])


# % bits-views: which views have them
x = fresh()
views = {
    "conj": x.conj(),
    "conj conj": x.conj().conj(),
    "mH": x.mH,
    "H": x.H,
    "adjoint": x.adjoint(),
    "row": x.conj()[0],
    "part": x.conj()[..., ::2],
    "flat": x.conj().reshape(-1),
    "copied": x.mH.reshape(-1),
    "real": x.conj().real,
    "imag": x.conj().imag,
    "imag of imag": x.imag,
    "detached": x.conj().detach(),
    "data": x.conj().data,
    "clone": x.conj().clone(),
    "resolved": x.conj().resolve_conj(),
    "contiguous": x.conj().contiguous(),
    "strided": x.conj().as_strided((2,), (1,), 1),
    "expanded": x.conj().expand(2, 2, 2),
    "unbound": x.conj().unbind()[1],
    "picked": x.conj()[[0]],
    "cast": x.conj().to(torch.complex128),
    "like": torch.zeros_like(x.conj()),
    "sum": x.conj() + 0,
    "physical": torch.conj_physical(x),
    "real numbers": x.real.conj(),
    "parameter": torch.nn.Parameter(x.conj()),
}
for name, v in views.items():
    base = v._base is x
    print(name, v.is_conj(), v.is_neg(), v._is_view(), base, v.data_ptr() - x.data_ptr() if base else "", v.stride())
print(views["mH"], views["imag"], views["parameter"])
print(views["conj"].tolist(), views["row"][0].item(), complex(views["row"][1]))

# % bits-writes: what is written through them is in the memory
for write in (
    lambda c: c.add_(1j),
    lambda c: c.mul_(2j),
    lambda c: c.copy_(torch.tensor([1j, 2])),
    lambda c: c.zero_(),
    lambda c: c.fill_(2 - 1j),
    lambda c: c.__setitem__((0, 0), 7j),
    lambda c: c.__setitem__([0], 1j),
    lambda c: c.imag.fill_(3),
    lambda c: c.imag[0].mul_(2),
    lambda c: c.real.zero_(),
    lambda c: c.conj().mul_(1j),
    lambda c: c.index_add_(0, torch.tensor([1]), torch.ones(1, 2) * 1j),
    lambda c: c.masked_fill_(c.abs() > 2, 1j),
    lambda c: c.scatter_(0, torch.tensor([[1, 0]]), 1j),
    lambda c: c.cumsum_(0),
    lambda c: c.exp_(),
    lambda c: c.conj_physical_(),
    lambda c: torch.add(c, 1j, out=c),
    lambda c: torch.mm(fresh(), fresh(), out=c),
    lambda c: c.resize_(1),
    lambda c: c.t_(),
    lambda c: c.set_(torch.tensor([1j])),
):
    for view in (lambda x: x.conj(), lambda x: x.mH, lambda x: x[:, :2].adjoint()):
        x = fresh()
        c = view(x)
        t(lambda write=write, c=c: write(c))
        print(x, x._version, c._version, c.is_conj())
x = fresh()
x.copy_(x.conj())
print(x)
x.conj().imag.expand(2, 2, 2).sum()
t(lambda: x.conj().expand(2, 2, 2).zero_())

# % bits-graph: histories
for change in (lambda z, c: z.mul_(2j), lambda z, c: c.mul_(2)):
    for view in (
        lambda z: z.conj(),
        lambda z: z.mH,
        lambda z: z.conj()[0],
        lambda z: z[0].conj(),
    ):
        y = fresh().requires_grad_()
        z = y * 1
        c = view(z)
        print(chain(c), end=" ")
        change(z, c)
        print(chain(c), chain(z))
        ((c * c.conj()).real.sum() + z.imag.sum()).backward()
        print(y.grad)
y = fresh().requires_grad_()
z = y * 1
z.conj().imag.mul_(3)
(first,) = torch.autograd.grad((z * z.conj()).real.sum(), y, create_graph=True)
print(first.detach())
print(torch.autograd.grad((first * first.conj()).real.sum(), y))
print(chain(y.conj().imag), chain(y.conj().real), chain(y.conj().resolve_conj()), chain(torch.conj_physical(y)))
t(lambda: y.conj().add_(1))
t(lambda: y.mH.imag.zero_())
with torch.no_grad():
    y.conj().add_(1j)
print(y)
optimizer = torch.optim.SGD([p := torch.nn.Parameter(fresh().conj())], lr=0.25)
(p * p.conj()).real.sum().backward()
optimizer.step()
print(p, p.grad, p.is_conj())

# % bits-out: out of tensors, and back
x = fresh()
c = x.conj()
t(lambda: c.numpy())
t(lambda: c.imag.numpy())
t(lambda: np.asarray(c))
t(lambda: c.numpy(force=True))
t(lambda: torch.view_as_real(c))
t(lambda: c.view(torch.float32))
t(lambda: c.imag.view(torch.int32))
t(lambda: torch.from_dlpack(c))
t(lambda: torch.from_dlpack(c.imag))
for back in (copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))):
    print(back(c), back(c).is_conj(), back(c.imag), back(c.imag).is_neg())
file = io.BytesIO()
torch.save([c, c[0], torch.nn.Parameter(c)], file)
file.seek(0)
for back in torch.load(file):
    print(back, back.is_conj(), back._is_view())

# % bits-second: second derivatives where an operation in place on a view has saved its result
for view in (lambda z: z.t(), lambda z: z[0], lambda z: z[:, 1:], lambda z: z.conj(), lambda z: z.mH[0]):
    for numbers in ([[1.0, 2.0], [4.0, 0.5]], [[2j, 1.0], [0.5, -2j]]):
        a = torch.tensor(numbers, dtype=torch.complex128 if isinstance(numbers[0][0], complex) else torch.float64)
        a.requires_grad_()
        z = a * 1
        view(z).reciprocal_()
        (first,) = torch.autograd.grad((z * z * z).real.sum(), a, create_graph=True)
        (second,) = torch.autograd.grad((first * first.conj()).real.sum(), a)
        print((first.detach() + 0).resolve_conj(), (second + 0).resolve_conj())

# % pickled-views: a pickled view keeps the whole memory in which it lies
base = torch.arange(6.0)
for view in (base[2:4], base[2:6].view(2, 2).t(), base[::2]):
    copied = pickle.loads(pickle.dumps(view))
    print(copied, copied.stride(), copied.storage_offset(), copied.untyped_storage().nbytes())
one, other = pickle.loads(pickle.dumps((base, base[2:4])))
one[2] = 100
print(other)
