"""view, squeeze, unsqueeze and the resizing in place."""

import torch

from tests.scenarios.show import attempt, caught

six = torch.arange(0, 6)

# % shape-01-view-is-a-method: there is no torch.view
print(six.view(2, 3), hasattr(torch, "view"), hasattr(six, "view"))
with caught():
    torch.view(six, (2, 3))
print(torch.reshape(six, (2, 3)).shape, six.reshape(2, 3).shape)

# % shape-02-view: -1 is worked out
print(six.view(2, 3), six.view(-1, 2), sep="\n")

# % shape-03-unsqueeze: a dimension of size 1, counted from either end
grid = six.view(2, 3)
for place in (1, -2):
    print(grid.unsqueeze(place), grid.unsqueeze(place).size())

# % shape-04-squeeze: and away with it
deep = six.view(2, 3).view(1, 1, 1, 2, 3)
print(deep, deep.squeeze(0).shape)

# % shape-05-resize_: fewer elements, and more
two_rows, two_columns = six.view(2, 3), six.view(-1, 2)
print(two_rows.resize_(1, 3))
grown = two_columns.resize_(3, 3)
print(grown[:2], grown.shape, grown.dtype)

# % shape-06-view-wrong-count: the number of elements stays
for shape in ((4, 2), (7,), (-1, 4), (-1, -1), (6,), (1, 6), (3, -1), [2, 3], ((3, 2),)):
    attempt(lambda: six.view(*shape))

# % shape-07-view-shares-memory: four tensors, six numbers
grid = six.view(2, 3)
high = grid.unsqueeze(0)
low = high.squeeze(0)
print(grid is six, grid.data_ptr() == six.data_ptr(), six.shape, grid.shape)
grid[0, 0] = 100
six[5] = 500
high[0, 1, 1] = 400
print(six, grid, low, sep="\n")

# % shape-08-resize-smaller-keeps-data: what is hidden comes back
grid = six.view(2, 3)
print(grid.resize_(1, 3) is grid, grid, grid.untyped_storage().nbytes(), grid.numel() * grid.element_size())
print(grid.resize_(2, 3), grid.resize_(3, 2))

# % shape-09-resize-larger-allocates: the storage grows for all of its tensors
rows, columns = six.view(2, 3), six.view(-1, 2)
print(columns.untyped_storage().nbytes())
grown = columns.resize_(3, 3)
print(grown is columns, grown.shape, grown.untyped_storage().nbytes(), grown.flatten()[:6])
grown[0, 0] = 100
print(six, rows)

# % shape-10-resize-without-underscore: deprecated, and only for the same count
grid = six.view(2, 3)
for shape in ((1, 6), (1, 3), (3, 3)):
    attempt(lambda: grid.resize(*shape))
print(grid)

# % shape-11-squeeze-and-unsqueeze: every place, and places that do not exist
plain, ones = torch.ones(2, 3), torch.ones(1, 2, 1, 3)
print([tuple(plain.unsqueeze(place).shape) for place in (0, 1, 2, -1, -2, -3)])
print(ones.squeeze().shape, [tuple(ones.squeeze(place).shape) for place in (0, 2, -2, 1)])
for place in (3, -4):
    with caught():
        plain.unsqueeze(place)
