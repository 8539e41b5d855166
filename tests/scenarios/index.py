"""Indexing and selecting."""

import numpy as np
import torch

from tests.scenarios.show import caught

values = torch.tensor(
    [[0.7942, -0.8665, 1.4201, -0.6606], [1.3923, -1.0253, -0.9995, 0.9130], [1.3881, 0.0780, -0.9674, 0.5636]]
)

# % index-01-document-values: row, column, element, mask, list of rows
for t in (
    values,
    values[0],
    values[:, 0],
    values[0][2],
    values > 0,
    values[values > 0],
    values[torch.LongTensor([0, 1])],
):
    print(t)

# % index-02-random: the same on random numbers
torch.manual_seed(2)
a = torch.randn(3, 4)
rows = a.tolist()
print(a.shape, a.dtype, a[0].tolist() == rows[0], a[:, 0].tolist() == [row[0] for row in rows])
print(a[0][2].shape, a[0][2].item() == a[0, 2].item() == rows[0][2])
positive = a[a > 0]
print(positive.dim(), positive.numel() == (a > 0).sum().item(), bool((positive > 0).all()), (a > 0).dtype)
print(torch.equal(a[torch.LongTensor([0, 1])], a[:2]), a[torch.LongTensor([0, 1])].shape)

# % index-03-comparison-dtype: comparisons give bool
mask = values > 0
print(mask.dtype, mask.type(), mask.sum(), mask.long().sum())
print(mask.byte())
print({t.dtype for t in (values == values, values < 0, values != 0, values >= 0, values.gt(0))})

# % index-04-byte-mask-deprecated: a byte mask warns, masked_select refuses it
mask = torch.ByteTensor([[1, 0, 1, 0], [1, 0, 0, 1], [1, 1, 0, 1]])
print(mask.dtype)
print(values[mask])
print(values[mask.bool()])
with caught():
    values.masked_select(mask)

# % index-05-index-shares-memory: rows, columns, elements and slices are views
a = torch.zeros(3, 4)
row, column, element, part = a[0], a[:, 0], a[0][2], a[1:, ::2]
row[1] = 1.0
column[1] = 2.0
element.fill_(3.0)
part[1, 1] = 4.0
print(a)
a[0, 0] = 5.0
print(row, column)
a[0] = 6.0
print(row, element)

# % index-06-mask-result-is-a-copy: selecting copies, assigning writes
by_index, by_name = values[values > 0], values.masked_select(values > 0)
print(torch.equal(by_index, by_name), by_index.shape)
by_index[0] = by_name[1] = 100.0
print(values[0])
values[values < 0] = 0.0
print(values)

# % index-07-long-index-is-a-copy: a list of rows copies, a slice does not
listed, sliced = values[torch.LongTensor([0, 1])], values[0:2]
print(torch.equal(listed, sliced))
for t in (listed, sliced):
    t[0, 0] = 100.0
    print(values[0, 0])
print(
    values[[0, 1]].shape,
    values[torch.tensor([2, 0, 2])].shape,
    values[torch.LongTensor([0, 1]), torch.LongTensor([2, 3])],
)

# % index-08-numpy-like-syntax: as in NumPy, but for negative steps
n, t = np.arange(12).reshape(3, 4), torch.arange(12).view(3, 4)
keys = (0, -1, (1, 2), np.s_[0:2], np.s_[:, 1], np.s_[:, 0:4:2], (..., 0), None, (0, None), [0, 2], ([0, 1], [2, 3]))
for key in keys:
    print(key, t[key].tolist() == n[key].tolist(), t[key].shape)
for key in (3, (0, 4), (0, 0, 0), np.s_[::-1]):
    with caught(str(key)):
        t[key]

# % index-09-index-select: rows or columns by a list of numbers, copied
a = torch.arange(12).view(3, 4)
print(torch.index_select(a, 0, torch.LongTensor([0, 2])))
print(a.index_select(1, torch.tensor([3, 0, 0])))
a.index_select(0, torch.tensor([0]))[0, 0] = 100
print(a[0, 0])
for dim, wrong in ((0, torch.tensor([3])), (2, torch.tensor([0])), (0, torch.tensor([[0]]))):
    with caught():
        a.index_select(dim, wrong)

# % index-10-masked-select: one dimension, and the mask is broadcast
a = torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])
print(torch.masked_select(a, a > 0), a.masked_select(a > 0), a[a > 0])
print(a.masked_select(torch.tensor([True, False, True])), a.masked_select(a > 100), a.masked_select(a > 100).shape)

# % index-11-nonzero: places as rows or as a tuple
a = torch.tensor([[0, 1, 0], [2, 0, 3]])
print(torch.nonzero(a), a.nonzero().shape, (a > 1).nonzero().tolist())
places = torch.nonzero(a, as_tuple=True)
print(places, a[places], torch.nonzero(torch.zeros(2)).shape)
with caught():
    torch.non_zero(a)
