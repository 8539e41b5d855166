"""Matrices."""

import numpy as np
import torch

from tests.scenarios.show import caught

# % linalg-01-transpose-contiguous: t() leaves the memory as it is
a = torch.Tensor(2, 3)
turned = a.t()
for t in (a, turned, turned.contiguous()):
    print(t.shape, t.dtype, t.is_contiguous())

# % linalg-02-transpose-known-values: values, strides, shared memory
a = torch.Tensor([[1, 2, 3], [4, 5, 6]])
turned = a.t()
packed = turned.contiguous()
for t in (a, turned, packed):
    print(t, t.stride(), t.is_contiguous(), t.data_ptr() == a.data_ptr())
turned[0, 0] = 100
print(a[0, 0], packed[0, 0], a.contiguous() is a, turned.t().is_contiguous())

# % linalg-03-contiguous-needed: view wants it, reshape copies by itself
turned = torch.Tensor([[1, 2, 3], [4, 5, 6]]).t()
with caught():
    turned.view(6)
print(turned.contiguous().view(6), turned.reshape(6))

# % linalg-04-trace-diag: diagonals read and made
a = torch.arange(1.0, 10.0).view(3, 3)
print(torch.trace(a), a.trace(), torch.trace(torch.tensor([[1, 2, 3], [4, 5, 6]])))
print(torch.diag(a), a.diag(1), a.diag(-1))
print(torch.diag(torch.tensor([1, 2])), torch.diag(torch.tensor([1, 2]), 1))
with caught():
    torch.trace(torch.ones(2))

# % linalg-05-triu-tril: triangles
a = torch.arange(1, 10).view(3, 3)
print(torch.triu(a), torch.tril(a), a.triu(1), a.tril(-1), a.triu(-1), sep="\n")

# % linalg-06-mm-bmm: one product, a batch of them, and shapes that do not fit
a, b = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
print(torch.mm(a, b), torch.equal(a.mm(b), a @ b), torch.equal(torch.matmul(a, b), a @ b))
x, y = torch.arange(12.0).view(2, 2, 3), torch.ones(2, 3, 2)
print(torch.bmm(x, y), torch.equal(x.bmm(y)[1], x[1] @ y[1]))
for wrong in (lambda: a.mm(a), lambda: a.mm(torch.ones(3)), lambda: x.bmm(x)):
    with caught():
        wrong()

# % linalg-07-addmm-family: a product added to something
m, n, v = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.tensor([1.0, 10.0])
ms, ns, one = torch.stack([m, m * 2]), torch.stack([n, n]), torch.ones(2, 2)
print("addmm", torch.addmm(one, m, n), torch.equal(one.addmm(m, n), one + m @ n))
print("beta, alpha", torch.addmm(one, m, n, beta=10, alpha=2))
print("addmv", torch.addmv(torch.ones(2), m, v))
print("addr", torch.addr(one, v, v))
print("addbmm", torch.addbmm(one, ms, ns))
print("baddbmm", torch.baddbmm(torch.ones(2, 2, 2), ms, ns))

# % linalg-08-t: for at most two dimensions
a = torch.tensor([[1, 2, 3], [4, 5, 6]])
print(torch.t(a), torch.equal(a.t(), a.T), torch.equal(a.t(), a.transpose(0, 1)), torch.tensor([1, 2]).t())
with caught():
    torch.ones(2, 2, 2).t()

# % linalg-09-dot-cross: products of vectors; cross without dim warns once
a, b = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0])
print(torch.dot(a, b), a.dot(b))
print(torch.cross(a, b))
print(torch.cross(a, b, dim=0), a.cross(b, dim=-1))
with caught():
    torch.dot(a, torch.ones(2))
with caught():
    torch.dot(torch.ones(2, 2), torch.ones(2, 2))
with caught():
    torch.dot(a, torch.tensor([1, 2, 3]))
with caught():
    torch.cross(torch.ones(2), torch.ones(2), dim=0)

# % linalg-10-inverse: and where there is none
print(torch.inverse(torch.tensor([[2.0, 0.0], [0.0, 4.0]])))
a = torch.tensor([[4.0, 7.0], [2.0, 6.0]])
print(torch.allclose(a @ a.inverse(), torch.eye(2), atol=1e-5))
with caught():
    torch.ones(2, 3).inverse()
with caught():
    torch.zeros(2, 2).inverse()

# % linalg-11-svd: thin and full
a = torch.tensor([[3.0, 0.0], [4.0, 5.0], [0.0, 0.0]])
u, s, v = torch.svd(a)
print(s, [tuple(t.shape) for t in (u, s, v)], [tuple(t.shape) for t in torch.svd(a, some=False)])
for product, wanted in ((u @ torch.diag(s) @ v.t(), a), (u.t() @ u, torch.eye(2)), (v.t() @ v, torch.eye(2))):
    print(torch.allclose(product, wanted, atol=1e-5))
named = a.svd()
print(named.S, torch.allclose(named.U @ torch.diag(named.S) @ named.V.t(), a, atol=1e-5))

# % linalg-12-agrees-with-numpy: function by function
n = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 5.0]])
t = torch.from_numpy(n)
pairs = {
    "mm": (t.mm(t), n @ n),
    "inverse": (t.inverse(), np.linalg.inv(n)),
    "svd": (t.svd()[1], np.linalg.svd(n)[1]),
    "trace": (t.trace(), np.trace(n)),
    "diag": (t.diag(), np.diag(n)),
    "triu": (t.triu(), np.triu(n)),
    "tril": (t.tril(-1), np.tril(n, -1)),
    "dot": (t[0].dot(t[1]), np.dot(n[0], n[1])),
    "cross": (torch.cross(t[0], t[1], dim=0), np.cross(n[0], n[1])),
}
for name, (ours, theirs) in pairs.items():
    print(name, np.allclose(ours.numpy(), theirs))
