"""What judges the exercise of lesson 1: a chessboard."""


def board(board, torch):
    yield "shape", isinstance(board, torch.Tensor) and board.shape == (8, 8), getattr(board, "shape", board), (8, 8)
    yield (
        "kind",
        board.dtype == torch.int64,
        board.dtype,
        "torch.int64",
        "floats" if board.is_floating_point() else None,
    )
    yield (
        "corner",
        board[0, 0].item() == 0,
        board[0, 0],
        0,
        "inverted" if board[0, 0] == 1 and board[0, 1] == 0 else None,
    )
    down, right = board[1:] + board[:-1], board[:, 1:] + board[:, :-1]
    yield "alternates", bool((down == 1).all()) and bool((right == 1).all()), board
