"""One step of recurrent networks, by functions of all their weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.memory.rows import refuse_among
from ...core.recording.record import TENSORS
from ...core.runtime import modes
from ...core.tensor.tensor import Tensor
from ...ops.table.publishing import reading
from .linear import linear

__all__ = ["gru_cell", "gru_gates", "lstm_cell", "lstm_step", "rnn_relu_cell", "rnn_step", "rnn_tanh_cell"]


def rnn_step(act: str, h: Any, x: Any) -> Any:
    """The next state of a plain network; h and x are the state and the input times their weights."""
    return getattr(TENSORS, act)(h + x)


def lstm_step(h: Any, x: Any, c: Any, w_proj: Any = None) -> Any:
    """The next state and cell state of an LSTM; h and x are the state and the input times their weights. All gates
    come before what is made of them: a backward runs the Nodes in the opposite order."""
    i, f, g, o = TENSORS.unsafe_chunk(h + x, 4, 1)
    i, f, g, o = TENSORS.sigmoid(i), TENSORS.sigmoid(f), TENSORS.tanh(g), TENSORS.sigmoid(o)
    c = (f * c).add_(i * g)
    h = o * TENSORS.tanh(c)
    return (h if w_proj is None else linear(h, w_proj)), c


def gru_gates(x: Any, h: Any, w: Any, b: Any) -> tuple[Any, Any]:
    """The update gate, and the candidate for the new state."""
    xr, xz, xn = TENSORS.unsafe_chunk(x, 3, 1)
    hr, hz, hn = TENSORS.unsafe_chunk(linear(h, w, b), 3, 1)
    r, z = TENSORS.sigmoid(hr + xr), TENSORS.sigmoid(hz + xz)
    return z, TENSORS.tanh(xn + hn * r)


def _check(x: Tensor, states: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, gates: int) -> None:
    """Refuse sizes that do not fit together."""
    if x.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {x.size(1)} expected {w_ih.size(1)}")
    hidden = w_hh.size(1)
    for i, h in enumerate(states):
        if x.size(0) != h.size(0):
            raise RuntimeError(f"Input batch size {x.size(0)} doesn't match hidden{i} batch size {h.size(0)}")
        if h.size(1) != hidden:
            raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {h.size(1)}, expected {hidden}")
    for name, w in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if w.size(0) != gates * hidden:
            raise RuntimeError(
                f"{name} first dim must be {gates} * hidden_size = {gates * hidden}, but got {w.size(0)}"
            )


@reading(
    "lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None)"
    " -> (Tensor, Tensor)|input"
)
def lstm_cell(
    input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM with given weights: the next h and c.

    Shapes: input (N, in), hx a pair of (N, hidden), w_ih (4 hidden, in), w_hh (4 hidden, hidden), biases (4 hidden,).
    Errors: RuntimeError for sizes that do not fit.

    Example:
        >>> import autogradlab as torch
        >>> h = torch.zeros(1, 1)
        >>> torch.lstm_cell(torch.ones(1, 2), (h, h), torch.ones(4, 2), torch.ones(4, 1))
        (tensor([[0.6083]]), tensor([[0.8491]]))

    Mirrors `torch.lstm_cell`.
    """
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    _check(input, hx, w_ih, w_hh, 4)
    if modes.LOCAL.state.levels:
        refuse_among("lstm_cell", (input, *hx, *(t for t in (w_ih, w_hh, b_ih, b_hh) if t is not None)))
    h, c = lstm_step(linear(hx[0], w_hh, b_hh), linear(input, w_ih, b_ih), hx[1])
    return h, c


_CELL = "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor|input"


@reading("gru_cell" + _CELL)
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of a GRU with given weights: the next h.

    Shapes: input (N, in), hx (N, hidden), w_ih (3 hidden, in), w_hh (3 hidden, hidden), biases (3 hidden,).
    Errors: RuntimeError for sizes that do not fit.

    Example:
        >>> import autogradlab as torch
        >>> torch.gru_cell(torch.ones(1, 2), torch.zeros(1, 1), torch.ones(3, 2), torch.ones(3, 1))
        tensor([[0.1149]])

    Mirrors `torch.gru_cell`.
    """
    _check(input, (hx,), w_ih, w_hh, 3)
    z, n = gru_gates(linear(input, w_ih, b_ih), hx, w_hh, b_hh)
    made: Tensor = (hx - n).mul_(z).add_(n)
    return made


@reading("rnn_tanh_cell" + _CELL)
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of a plain recurrent network with given weights: tanh(w_ih x + b_ih + w_hh h + b_hh).

    Shapes: input (N, in), hx (N, hidden), w_ih (hidden, in), w_hh (hidden, hidden), biases (hidden,).
    Errors: RuntimeError for sizes that do not fit.

    Example:
        >>> import autogradlab as torch
        >>> torch.rnn_tanh_cell(torch.ones(1, 2), torch.zeros(1, 1), torch.ones(1, 2), torch.ones(1, 1))
        tensor([[0.9640]])

    Mirrors `torch.rnn_tanh_cell`.
    """
    _check(input, (hx,), w_ih, w_hh, 1)
    made: Tensor = rnn_step("tanh", linear(hx, w_hh, b_hh), linear(input, w_ih, b_ih))
    return made


@reading("rnn_relu_cell" + _CELL)
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """The same with relu in place of tanh.

    Shapes: input (N, in), hx (N, hidden), w_ih (hidden, in), w_hh (hidden, hidden), biases (hidden,).
    Errors: RuntimeError for sizes that do not fit.

    Example:
        >>> import autogradlab as torch
        >>> torch.rnn_relu_cell(torch.ones(1, 2), torch.zeros(1, 1), torch.ones(1, 2), torch.ones(1, 1))
        tensor([[2.]])

    Mirrors `torch.rnn_relu_cell`.
    """
    _check(input, (hx,), w_ih, w_hh, 1)
    made: Tensor = rnn_step("relu", linear(hx, w_hh, b_hh), linear(input, w_ih, b_ih))
    return made
