"""Ways to make a tensor."""

import numpy as np
import torch

from tests.scenarios.show import caught

# % create-01-tensor-ranks: scalar, vector, matrix and further
for data in (3.5, [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]], [[[1.0], [2.0]], [[3.0], [4.0]]]):
    t = torch.tensor(data)
    print(t.dim(), t.ndim, t.shape, np.array(data).shape)
    print(t)
print(torch.tensor(3.5).item(), torch.tensor(3.5).device)

# % create-02-from-list: Tensor(list) is float32, tolist gives Python numbers back
t = torch.Tensor([[1, 2, 3], [4, 5, 6]])
print(t, t.dtype, t.tolist())

# % create-03-from-shape: Tensor(2, 3) has six elements without a value
t = torch.Tensor(2, 3)
print(t.shape, t.size(), t.dtype, t.numel(), t.nelement())
print(t.size(0), t.size(-1), t.shape[1], t.size() == t.shape, isinstance(t.shape, tuple))

# % create-04-size-or-tuple: a Size is a shape, a tuple is data
t = torch.Tensor(2, 3)
print(torch.Tensor(t.size()).shape, torch.Tensor(torch.Size([2, 3])).dtype)
print(torch.Tensor((2, 3)), torch.Tensor([2, 3]))

# % create-05-from-tensor: Tensor(tensor) shares memory; a lone number is a size
source = torch.Tensor([1, 2, 3])
alias = torch.Tensor(source)
alias[0] = 100
print(alias is source, alias.data_ptr() == source.data_ptr(), source)
print(torch.Tensor([[1, 2], [3, 4]]).shape, torch.Tensor(4, 5).shape, torch.Tensor().shape, torch.Tensor([True, False]))
print(torch.Tensor(3).shape, torch.tensor(3).shape, torch.tensor(3), torch.Tensor([1, 2, 3]).dtype)
with caught(first_line=True):
    torch.Tensor(3.5)

# % create-06-empty-and-rand: empty promises nothing, rand lies in [0, 1)
print(torch.empty(4, 3).shape, torch.empty(4, 3).dtype)
torch.manual_seed(6)
u = torch.rand(2, 3)
print(u, u.dtype, bool((u >= 0).all() and (u < 1).all()))

# % create-07-zeros-arange-eye: zeros, arange with a step, an eye that is not square
print(torch.zeros(2, 3), torch.arange(1, 6, 2), torch.eye(2, 3), sep="\n")

# % create-08-torch-zero-does-not-exist: a slip of the pen and its message
with caught():
    torch.zero(2, 3)
print(hasattr(torch, "zero"), hasattr(torch, "zeros"), hasattr(torch.Tensor, "zero_"))

# % create-09-allocation: memory is taken at once, for an empty tensor none
for t in (torch.Tensor(2, 3), torch.empty(2, 3), torch.zeros(2, 3), torch.Tensor()):
    print(t.numel(), t.element_size(), t.untyped_storage().nbytes(), t.data_ptr() == 0)

# % create-10-table-tensor-constructors: Tensor(*sizes) and tensor(data)
print(torch.Tensor(2, 3).shape, torch.Tensor(2, 3).dtype, torch.Tensor([1, 2]).dtype)
for data in ([[1, 2], [3, 4]], [1, 2], [1.0, 2.0], [True], 1, (2, 3), [], np.array([1, 2]), np.array([1.0, 2.0])):
    t = torch.tensor(data)
    print(t, t.dtype, t.shape)
print(torch.tensor([1, 2], dtype=torch.float64))
with caught():
    torch.tensor(2, 3)
with caught():
    torch.tensor([[1, 2], [3]])

# % create-11-table-ones-zeros-eye: ones, zeros, eye and their likes
print(torch.ones(2, 3), torch.zeros(2, 3), torch.eye(3), torch.eye(3, 2), sep="\n")
print([tuple(torch.ones(s).shape) for s in ((2, 3), [2], torch.Size([1, 2]))])
print(torch.ones(2, dtype=torch.int32), torch.zeros(2, dtype=torch.bool))
print(torch.eye(2, dtype=torch.int64))
model = torch.tensor([[1, 2], [3, 4]])
print(torch.ones_like(model), torch.zeros_like(model))

# % create-12-table-arange-linspace-logspace: ranges by step and by count
print(torch.arange(5), torch.arange(1, 6, 2), torch.arange(1.0, 2.0, 0.25), torch.arange(5, 0, -2))
print(torch.linspace(1, 10, 4), torch.linspace(0, 1, steps=5))
print(torch.logspace(0, 3, 4), torch.logspace(0, 4, 5, base=2))
print(torch.arange(3).dtype, torch.arange(3.0).dtype, torch.linspace(0, 1, 2).dtype)

# % create-13-table-rand-randn: uniform and normal numbers, and the seed
torch.manual_seed(0)
print(torch.rand(3), torch.randn(3))
u, n = torch.rand(100, 100), torch.randn(100, 100)
print(u.dtype, bool((u >= 0).all() and (u < 1).all()), abs(u.mean().item() - 0.5) < 0.05)
print(n.dtype, abs(n.mean().item()) < 0.1, abs(n.std().item() - 1) < 0.1, bool((n < 0).any()))
torch.manual_seed(7)
once, again = torch.rand(3), torch.rand(3)
torch.manual_seed(7)
print(torch.equal(once, torch.rand(3)), torch.equal(again, torch.rand(3)), torch.equal(once, again))

# % create-14-table-normal-uniform: normal with tensors or numbers, uniform_ and normal_ in place
torch.manual_seed(0)
for n in (
    torch.normal(torch.full((5000,), 3.0), torch.full((5000,), 2.0)),
    torch.normal(3.0, 2.0, (50, 100)),
    torch.Tensor(50, 100).normal_(3, 2),
):
    print(n.shape, n.dtype, abs(n.mean().item() - 3) < 0.3, abs(n.std().item() - 2) < 0.3)
t = torch.Tensor(50, 100)
u = t.uniform_(-1, 2)
print(u is t, bool((u >= -1).all() and (u < 2).all()), abs(u.mean().item() - 0.5) < 0.1, hasattr(torch, "uniform"))

# % create-15-table-randperm: the numbers 0..n-1 in some order
torch.manual_seed(3)
p = torch.randperm(6)
print(p, p.dtype, p.shape, torch.sort(p)[0], p.sort().values.tolist() == list(range(6)))
