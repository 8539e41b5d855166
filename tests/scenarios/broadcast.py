"""How two shapes meet."""

import numpy as np
import torch

from tests.scenarios.show import attempt, caught

# % broadcast-01-automatic: (3, 2) and (2, 3, 1) give (2, 3, 2)
total = torch.ones(3, 2) + torch.zeros(2, 3, 1)
print(total.shape)
print(total)

# % broadcast-02-manual: the same with unsqueeze or view, and expand
a, b = torch.ones(3, 2), torch.zeros(2, 3, 1)
by_unsqueeze = a.unsqueeze(0).expand(2, 3, 2) + b.expand(2, 3, 2)
by_view = a.view(1, 3, 2).expand(2, 3, 2) + b.expand(2, 3, 2)
print(by_unsqueeze, by_view, sep="\n")
print(torch.equal(a + b, by_unsqueeze), torch.equal(a + b, by_view))

# % broadcast-03-rule-pad-with-ones: the shorter shape gets ones in front
for left, right in (((3, 2), (2, 3, 2)), ((2,), (3, 2)), ((), (2, 2)), ((4,), (3, 1, 4)), ((1,), (5, 1))):
    print(left, "+", right, "=", (torch.ones(left) + torch.ones(right)).shape)
print(torch.zeros(3, 2) + torch.tensor([10.0, 20.0]))

# % broadcast-04-rule-equal-or-one: sizes agree, or one of them is 1
for left, right in (
    ((3, 2), (3, 1)),
    ((3, 2), (1, 2)),
    ((3, 1), (1, 2)),
    ((3, 2), (2, 3)),
    ((3,), (2,)),
    ((2, 3), (3, 2, 1, 4)),
):
    attempt(lambda: (torch.ones(left) + torch.ones(right)).shape)
with caught("in place the left side cannot grow"):
    torch.ones(3).add_(torch.ones(2, 3))

# % broadcast-05-rule-repeat: a size of 1 is repeated
column, row = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([[10.0, 20.0]])
print(column.expand(3, 2), row.expand(3, 2), column + row, sep="\n")
print(torch.equal(column + row, column.expand(3, 2) + row.expand(3, 2)))

# % broadcast-06-expand-takes-no-memory: expand repeats with stride 0, repeat copies
column = torch.tensor([[1.0], [2.0]])
wide = column.expand(2, 4)
print(wide, wide.stride(), wide.untyped_storage().nbytes(), "of", wide.numel() * wide.element_size(), "bytes")
column[0, 0] = 9.0
print(wide[0], wide.data_ptr() == column.data_ptr(), column.expand(3, -1, 2).shape)
copied = column.repeat(1, 4)
print(copied.data_ptr() == column.data_ptr(), copied.untyped_storage().nbytes())
with caught():
    column.expand(3, 4)
with caught():
    column.expand(2)

# % broadcast-07-expand-as: the shape is taken from another tensor
column, model = torch.tensor([[1.0], [2.0], [3.0]]), torch.zeros(2, 3, 2)
like = column.expand_as(model)
print(like, like.stride(), like.data_ptr() == column.data_ptr(), torch.equal(like, column.expand(2, 3, 2)), sep="\n")


# % broadcast-08-numpy-rule: NumPy and torch agree, on failures too
def shape_of(add):
    try:
        return tuple(add().shape)
    except (ValueError, RuntimeError) as error:
        return type(error).__name__


for left, right in (
    ((3, 2), (2, 3, 1)),
    ((3, 1), (2,)),
    ((4, 1, 5), (3, 1)),
    ((), (2,)),
    ((2,), (3,)),
    ((3, 2), (2, 3)),
):
    print(
        left,
        right,
        shape_of(lambda: np.ones(left) + np.ones(right)),
        shape_of(lambda: torch.ones(left) + torch.ones(right)),
    )
