"""gather takes elements by index, scatter_ puts them back."""

import torch

from tests.scenarios.show import caught

square = torch.arange(16).view(4, 4)

# % gather-01-diagonal: along dim 0, one row of indices
print(square, square.gather(0, torch.LongTensor([[0, 1, 2, 3]])), sep="\n")

# % gather-02-antidiagonal-column: along dim 1, one column of indices
print(square.gather(1, torch.LongTensor([[3, 2, 1, 0]]).t()))

# % gather-03-antidiagonal-row: along dim 0 the antidiagonal is a row
print(square.gather(0, torch.LongTensor([[3, 2, 1, 0]])))

# % gather-04-two-diagonals: two columns of indices, two diagonals
print(square.gather(1, torch.LongTensor([[0, 1, 2, 3], [3, 2, 1, 0]]).t()))

# % gather-05-scatter_-puts-back: into zeros, at the places they came from
index = torch.LongTensor([[0, 1, 2, 3], [3, 2, 1, 0]]).t()
print(torch.zeros(4, 4, dtype=torch.long).scatter_(1, index, square.gather(1, index)))

# % gather-06-scatter_-is-the-inverse: nearly the inverse, since the rest is lost
index = torch.LongTensor([[0, 1, 2, 3], [3, 2, 1, 0]]).t()
taken = square.gather(1, index)
board = torch.zeros(4, 4, dtype=torch.long)
print(board.scatter_(1, index, taken) is board, torch.equal(board.gather(1, index), taken), torch.equal(board, square))
print(torch.equal(torch.zeros(4, 4, dtype=torch.long).scatter(1, index, taken), board))
print(torch.zeros(2, 4).scatter_(1, torch.tensor([[2], [0]]), 1.5))

# % gather-07-scatter_-pseudocode: what goes wrong without values, room or the right dtype
index = torch.LongTensor([[0, 1, 2, 3], [3, 2, 1, 0]]).t()
taken = square.gather(1, index)
with caught("no values", first_line=True):
    torch.zeros(4, 4).scatter_(1, index)
with caught("no room"):
    torch.Tensor().scatter_(1, index, taken.float())
with caught("other dtype"):
    torch.zeros(4, 4).scatter_(1, index, taken)

# % gather-08-rules: the result has the shape of the index; what an index must be
for dim, index in ((0, torch.tensor([[0, 1], [2, 3], [0, 0]])), (1, torch.tensor([[0, 1, 2], [3, 3, 3]]))):
    taken = torch.gather(square, dim, index)
    print(taken, taken.shape == index.shape)
columns = [3, 0, 1, 2]
print([square[row, column].item() for column, row in enumerate(columns)], square.gather(0, torch.tensor([columns])))
for wrong in (torch.tensor([0, 1]), torch.tensor([[4]]), torch.tensor([[-1]]), torch.tensor([[0.0]])):
    with caught():
        square.gather(0, wrong)
