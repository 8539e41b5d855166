"""What judges the exercise of lesson 1: a chessboard."""


def board(board, torch):
    yield "shape", isinstance(board, torch.Tensor) and board.shape == (8, 8), getattr(board, "shape", board)
    yield "kind", board.dtype == torch.int64, board.dtype
    yield "corner", board[0, 0].item() == 0, board[0, 0]
    down, right = board[1:] + board[:-1], board[:, 1:] + board[:, :-1]
    yield "alternates", bool((down == 1).all()) and bool((right == 1).all()), board
