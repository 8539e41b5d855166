"""A layer of an LSTM over a whole sequence, as one Node: what PyTorch's CPU build computes with oneDNN."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.recording.record import RAW
from ..table.opdef import op

Array = np.ndarray[Any, Any]

#: `mode` of an LSTM in PyTorch's schema
LSTM = 2


def _order(steps: int, reverse: bool) -> range:
    return range(steps - 1, -1, -1) if reverse else range(steps)


def _scale(hidden: int, dtype: Any) -> tuple[Array, Array]:
    """The gates i, f, g, o through one tanh: sigmoid(x) is tanh(x / 2) / 2 + 1/2. Factors of the four, and summands."""
    factor: Array = np.full(4 * hidden, 0.5, dtype)
    factor[2 * hidden : 3 * hidden] = 1
    return factor, 1 - factor


def _mkldnn_rnn_layer_vjp(
    F: Any,
    grads: list[Any],
    input: Any,
    weight0: Any,
    weight1: Any,
    weight2: Any,
    weight3: Any,
    hx_: Any,
    cx_: Any,
    result0: Any,
    result1: Any,
    result2: Any,
    result3: Any,
    reverse: bool,
    batch_sizes: Any,
    mode: int,
    hidden_size: int,
    num_layers: int,
    has_biases: bool,
    bidirectional: bool,
    batch_first: bool,
    train: bool,
) -> list[Any]:
    """The gradients of input, weights, biases and start states. Recorded, they are made of operations step by step.

    Some parameters are named only because PyTorch's Node saves them.
    """
    if F is RAW:
        return _backward(grads, input, weight0, weight1, hx_, cx_, result0, result3, reverse, hidden_size, has_biases)
    steps, gates, cells = input.shape[0], [], []
    h, c, outs = hx_, cx_, [None] * input.shape[0]
    bias0, bias1 = (weight2, weight3) if has_biases else (None, None)
    projected = F.linear(input, weight0, bias0)
    for t in _order(steps, reverse):
        i, f, g, o = F.unsafe_chunk(F.linear(h, weight1, bias1) + projected[t], 4, 1)
        gates.append((F.sigmoid(i), F.sigmoid(f), F.tanh(g), F.sigmoid(o)))
        cells.append(c)
        c = gates[-1][1] * c + gates[-1][0] * gates[-1][2]
        outs[t] = h = gates[-1][3] * F.tanh(c)
    g_out, g_h, g_c = grads
    g_rows = [None] * steps
    dh, dc = g_h, g_c
    for t in reversed(_order(steps, reverse)):
        i, f, g, o = gates.pop()
        c_before = cells.pop()
        c = f * c_before + i * g
        tanh_c = F.tanh(c)
        parts = [p for p in (dh, None if g_out is None else g_out[t]) if p is not None]
        dh = parts[0] + parts[1] if len(parts) == 2 else parts[0] if parts else hx_ * 0
        through = dh * o * (1 - tanh_c * tanh_c)
        dc = through if dc is None else dc + through
        g_rows[t] = F.cat(
            [dc * g * i * (1 - i), dc * c_before * f * (1 - f), dc * i * (1 - g * g), dh * tanh_c * o * (1 - o)], 1
        )
        dh, dc = F.mm(g_rows[t], weight1), dc * f
    rows = F.stack(g_rows, 0)
    flat = F.reshape(rows, (-1, 4 * hidden_size))
    states = [hx_ if t == _order(steps, reverse)[0] else outs[t + (1 if reverse else -1)] for t in range(steps)]
    bias = F.sum(flat, (0,), False) if has_biases else weight2 * 0
    return [
        F.matmul(rows, weight0),
        F.mm(F.t(flat), F.reshape(input, (-1, input.shape[2]))),
        F.mm(F.t(flat), F.reshape(F.stack(states, 0), (-1, hidden_size))),
        bias,
        bias,
        dh,
        dc,
    ]


def _backward(
    grads: list[Any],
    x: Array,
    w_input: Array,
    w_hidden: Array,
    h0: Array,
    c0: Array,
    out: Array,
    workspace: Array,
    reverse: bool,
    hidden: int,
    has_biases: bool,
) -> list[Array]:
    """Back through time with what the forward kept: gates, cells and their tanh; one product a step,
    four at the end."""
    if x.dtype.itemsize < 4:
        grads = [None if grad is None else grad.astype(np.float32) for grad in grads]
        x, w_input, w_hidden, h0, c0, out = (a.astype(np.float32) for a in (x, w_input, w_hidden, h0, c0, out))
    g_out, g_h, g_c = grads
    steps, batch = x.shape[:2]
    gates, cells, waves = _kept(workspace.view(x.dtype), steps, batch, hidden)
    i, f, g, o = (gates[:, :, k * hidden : (k + 1) * hidden] for k in range(4))
    # for the whole sequence at once: by what dc and dh of a step are multiplied on their way to its four gates
    slopes = gates - gates * gates
    slopes[:, :, 2 * hidden : 3 * hidden] = i * (1 - g * g)
    slopes[:, :, :hidden] *= g
    slopes[:, :, hidden : 2 * hidden] *= _before(cells, c0, reverse)
    slopes[:, :, 3 * hidden :] *= waves
    to_cell = o * (1 - waves * waves)
    rows = np.empty_like(gates)
    dh = np.zeros_like(h0) if g_h is None else g_h
    dc = np.zeros_like(c0) if g_c is None else g_c
    turn = 1 if reverse else -1
    fours = (x.reshape(steps, batch, 4, hidden)[::turn] for x in (slopes, rows))
    of_cell, of_gates = ((x[:, :, :3], x[:, :, 3]) for x in fours)
    outer = [None] * steps if g_out is None else g_out[::turn]
    for g_step, scale, forget, row, cell_slopes, out_slopes, cell_row, out_row in zip(
        outer, to_cell[::turn], f[::turn], rows[::turn], *of_cell, *of_gates, strict=True
    ):
        if g_step is not None:
            dh = dh + g_step
        dc = dc + dh * scale
        np.multiply(cell_slopes, dc[:, None], cell_row)
        np.multiply(out_slopes, dh, out_row)
        dh = row @ w_hidden
        dc *= forget
    flat = rows.reshape(-1, 4 * hidden)
    bias = np.add.reduce(flat, 0) if has_biases else np.zeros(4 * hidden, x.dtype)
    return [
        (flat @ w_input).reshape(x.shape),
        flat.T @ x.reshape(-1, x.shape[2]),
        flat.T @ _before(out, h0, reverse).reshape(-1, hidden),
        bias,
        bias.copy(),
        dh,
        dc,
    ]


def _before(states: Array, start: Array, reverse: bool) -> Array:
    """The states with which the steps began, for those with which they ended."""
    first = [start[None]]
    return np.concatenate([states[1:], *first] if reverse else [*first, states[:-1]])


def _kept(workspace: Array, steps: int, batch: int, hidden: int) -> list[Array]:
    """The parts of the workspace: gates (steps, batch, 4 hidden), cells and their tanh (steps, batch, hidden)."""
    n = steps * batch * hidden
    parts = workspace[: 4 * n], workspace[4 * n : 5 * n], workspace[5 * n :]
    return [part.reshape(steps, batch, -1) for part in parts]


@op(
    """
    mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_,
        Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases,
        bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)|lower_precision
    """,
    method=False,
    outputs=("result0", "result1", "result2", "result3"),
    differentiable=3,
    vjp={"input weight0 weight1 weight2 weight3 hx_ cx_": _mkldnn_rnn_layer_vjp},
    shown={"input": "input"},
)
def mkldnn_rnn_layer(
    input: np.ndarray,
    weight0: np.ndarray,
    weight1: np.ndarray,
    weight2: np.ndarray,
    weight3: np.ndarray,
    hx_: np.ndarray,
    cx_: np.ndarray,
    reverse: bool,
    batch_sizes: Any,
    mode: int,
    hidden_size: int,
    num_layers: int,
    has_biases: bool,
    bidirectional: bool,
    batch_first: bool,
    train: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One layer and direction of an LSTM over a whole sequence: the outputs, the last hidden and cell state, and what
    the backward pass needs.

    Shapes: input (L, N, in); weight0 (4 hidden, in), weight1 (4 hidden, hidden), weight2 and weight3 (4 hidden,);
        hx_ and cx_ (N, hidden); the outputs (L, N, hidden).
    Dtypes: float32.

    >>> x, zeros = torch.ones(2, 1, 1), torch.zeros(1, 1)
    >>> w = torch.ones(4, 1)
    >>> out = torch.mkldnn_rnn_layer(x, w, w, w[:, 0], w[:, 0], zeros, zeros, False, (), 2, 1, 1, True, False, False,
    ... True)
    >>> out[0].flatten()
    tensor([0.7038, 0.9332])
    """
    if mode != LSTM:
        raise RuntimeError("mkldnn_rnn_layer: only the LSTM (mode 2) is computed as one operation")
    kind = input.dtype
    if kind.itemsize < 4:  # sums are of float32, as is what backward needs
        operands = (input, weight0, weight1, weight2, weight3, hx_, cx_)
        input, weight0, weight1, weight2, weight3, hx_, cx_ = (x.astype(np.float32) for x in operands)
    steps, batch, size = input.shape
    workspace = np.empty(steps * batch * 6 * hidden_size, input.dtype)
    gates, cells, waves = _kept(workspace, steps, batch, hidden_size)
    factor, summand = _scale(hidden_size, input.dtype)
    factors, summands = (np.broadcast_to(x, gates.shape[1:]).copy() for x in (factor, summand))
    np.matmul(input.reshape(-1, size), (weight0 * factor[:, None]).T, gates.reshape(-1, 4 * hidden_size))
    if has_biases:
        gates += (weight2 + weight3) * factor
    recurrent = (weight1 * factor[:, None]).T
    out = np.empty((steps, batch, hidden_size), input.dtype)
    four = gates.reshape(steps, batch, 4, hidden_size)
    h, c = hx_, cx_
    turn = -1 if reverse else 1
    for gate, (i, f, g, o), cell, wave, made in zip(
        gates[::turn], four.swapaxes(1, 2)[::turn], cells[::turn], waves[::turn], out[::turn], strict=True
    ):
        gate += h @ recurrent
        np.tanh(gate, gate)
        gate *= factors
        gate += summands
        c = np.multiply(f, c, cell)
        c += i * g
        h = np.multiply(o, np.tanh(c, wave), made)
    return out.astype(kind, copy=False), h.astype(kind), c.astype(kind), workspace.view(np.uint8)
