"""A layer of an LSTM over a whole sequence, as one Node: what PyTorch's CPU build computes with oneDNN."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.recording.record import RAW, says
from ..table.opdef import op

Array = np.ndarray[Any, Any]

#: `mode` of an LSTM in PyTorch's schema
LSTM = 2


def _order(steps: int, reverse: bool) -> range:
    return range(steps - 1, -1, -1) if reverse else range(steps)


@says(
    ("the gradients of the gates @ {weight0}, step by step", "逐步把各门的梯度 @ {weight0}"),
    ("the gradients of the gates times the inputs, summed over the steps", "各门的梯度乘以输入，对各步求和"),
    ("the gradients of the gates times the hidden states, summed over the steps", "各门的梯度乘以隐状态，对各步求和"),
    ("the gradients of the gates, summed over the steps", "各门的梯度对各步求和"),
    ("the gradients of the gates, summed over the steps", "各门的梯度对各步求和"),
    ("what goes back through all steps", "经过所有时间步传回的梯度"),
    ("what goes back through all steps", "经过所有时间步传回的梯度"),
)
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
    gates, cells, waves = _kept(workspace.view(x.dtype), steps, batch)
    i, f, g, o = (gates[:, k * hidden : (k + 1) * hidden] for k in range(4))
    # for the whole sequence at once: by what dc and dh of a step are multiplied on their way to its four gates
    slopes = gates - gates * gates
    slopes[:, 2 * hidden : 3 * hidden] = i * (1 - g * g)
    slopes[:, :hidden] *= g
    slopes[:, hidden : 2 * hidden] *= _before(cells, c0.T, reverse)
    slopes[:, 3 * hidden :] *= waves
    to_cell = o * (1 - waves * waves)
    rows = np.empty_like(gates)
    dh = np.zeros_like(cells[0]) if g_h is None else np.ascontiguousarray(g_h.T)
    dc = np.zeros_like(cells[0]) if g_c is None else np.ascontiguousarray(g_c.T)
    back = np.ascontiguousarray(w_hidden.T)
    turn = 1 if reverse else -1
    fours = (x.reshape(steps, 4, hidden, batch)[::turn] for x in (slopes, rows))
    of_cell, of_gates = ((x[:, :3], x[:, 3]) for x in fours)
    outer = [None] * steps if g_out is None else np.ascontiguousarray(g_out.swapaxes(1, 2))[::turn]
    for g_step, scale, forget, row, cell_slopes, out_slopes, cell_row, out_row in zip(
        outer, to_cell[::turn], f[::turn], rows[::turn], *of_cell, *of_gates, strict=True
    ):
        if g_step is not None:
            dh = dh + g_step
        dc = dc + dh * scale
        np.multiply(cell_slopes, dc, cell_row)
        np.multiply(out_slopes, dh, out_row)
        dh = back.dot(row)
        dc *= forget
    flat = rows.swapaxes(0, 1).reshape(4 * hidden, -1)
    bias = np.add.reduce(flat, 1) if has_biases else np.zeros(4 * hidden, x.dtype)
    return [
        (flat.T @ w_input).reshape(x.shape),
        flat @ x.reshape(-1, x.shape[2]),
        flat @ _before(out, h0, reverse).reshape(-1, hidden),
        bias,
        bias.copy(),
        np.ascontiguousarray(dh.T),
        np.ascontiguousarray(dc.T),
    ]


def _before(states: Array, start: Array, reverse: bool) -> Array:
    """The states with which the steps began, for those with which they ended."""
    first = [start[None]]
    return np.concatenate([states[1:], *first] if reverse else [*first, states[:-1]])


def _kept(workspace: Array, steps: int, batch: int) -> list[Array]:
    """The parts of the workspace: gates (steps, 4 hidden, batch), cells and their tanh (steps, hidden, batch)."""
    n = len(workspace) // 6
    parts = workspace[: 4 * n], workspace[4 * n : 5 * n], workspace[5 * n :]
    return [part.reshape(steps, -1, batch) for part in parts]


@op(
    """
    mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_,
        Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases,
        bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)|lower_precision|input
    """,
    method=False,
    outputs=("result0", "result1", "result2", "result3"),
    differentiable=3,
    vjp={"input weight0 weight1 weight2 weight3 hx_ cx_": _mkldnn_rnn_layer_vjp},
    forwardless="mkldnn_rnn_layer",
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
    gates, cells, waves = _kept(workspace, steps, batch)
    # The gates i, f, g, o through one tanh: sigmoid(x) is tanh(x / 2) / 2 + 1/2.
    factors: Array = np.empty(gates.shape[1:], input.dtype)
    factors[...] = 0.5
    factors[2 * hidden_size : 3 * hidden_size] = 1
    summands = 1 - factors
    # With the samples last the gates lie one behind the other; input, a 1 for the bias and state make one product.
    bias = weight2 + weight3 if has_biases else np.zeros(4 * hidden_size, input.dtype)
    weights = np.concatenate((weight0, bias[:, None], weight1), 1)
    weights *= factors[:, :1] if batch else 1
    seen = np.empty((steps + 1, size + 1 + hidden_size, batch), input.dtype)
    states = seen[:, size + 1 :]
    seen[:, size] = 1
    before, after = slice(reverse, steps + reverse), slice(1 - reverse, steps + 1 - reverse)
    seen[before, :size] = input.swapaxes(1, 2)
    states[-reverse] = hx_.T
    turn = -1 if reverse else 1
    fours = gates.reshape(steps, 4, hidden_size, batch)
    c = cx_.T
    added = np.empty((hidden_size, batch), input.dtype)
    for given, gate, (i, f, g, o), cell, wave, made in zip(
        *(x[::turn] for x in (seen[before], gates, fours, cells, waves, states[after])), strict=True
    ):
        weights.dot(given, gate)  # for small matrices in two thirds of the time of np.matmul
        np.tanh(gate, gate)
        np.multiply(gate, factors, gate)
        np.add(gate, summands, gate)
        np.multiply(f, c, cell)
        c = np.add(cell, np.multiply(i, g, added), cell)
        np.multiply(o, np.tanh(c, wave), made)
    out = states[after].swapaxes(1, 2).astype(kind, order="C")
    return out, out[-1 + reverse].copy(), c.T.astype(kind, order="C"), workspace.view(np.uint8)
