"""Layers of recurrent networks over whole sequences, by functions of all their weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, repeat
from typing import Any, NamedTuple

from ...core.arguments.declared import signatures
from ...core.memory.rows import refuse_among
from ...core.recording.record import TENSORS
from ...core.runtime import modes
from ...core.runtime.warn import warn_once
from ...core.tensor.overriding import cast_within
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import ALL
from ...ops.table.creation import bind
from .linear import dropout, linear
from .recurrent import gru_gates, lstm_step, rnn_step

__all__ = ["FUNCTIONS", "gru", "lstm", "rnn_relu", "rnn_tanh"]

#: `mode` of `torch.mkldnn_rnn_layer`
_MKLDNN_LSTM = 2
_FLOAT32 = ALL["float32"]


class _Weights(NamedTuple):
    """Those of one layer in one direction."""

    w_ih: Any
    w_hh: Any
    b_ih: Any = None
    b_hh: Any = None
    w_hr: Any = None


class _Network(NamedTuple):
    """Layers in one or both directions."""

    #: "lstm", "gru", "rnn_tanh" or "rnn_relu"
    mode: str
    weights: list[_Weights]
    has_biases: bool
    num_layers: int
    dropout: float
    train: bool
    bidirectional: bool
    batch_first: bool = False

    def step(self, x: Any, state: Any, w: _Weights) -> Any:
        """The next state; x is the input times its weight."""
        if self.mode == "lstm":
            return lstm_step(linear(state[0], w.w_hh, w.b_hh), x, state[1], w.w_hr)
        if self.mode == "gru":
            z, n = gru_gates(x, state, w.w_hh, w.b_hh)
            return (state - n) * z + n
        return rnn_step(self.mode[4:], linear(state, w.w_hh, w.b_hh), x)

    def direction(self, x: Any, state: Any, w: _Weights, backwards: bool) -> tuple[Any, Any]:
        """One layer in one direction: its output and last state."""
        steps = list(TENSORS.unbind(linear(x, w.w_ih, w.b_ih), 0))
        outs = []
        for step in reversed(steps) if backwards else steps:
            state = self.step(step, state, w)
            outs.append(state[0] if self.mode == "lstm" else state)
        return TENSORS.stack(outs[::-1] if backwards else outs, 0), state

    def fused(self, x: Any) -> bool:
        """Whether a layer is one operation, and so one Node: where PyTorch's CPU build takes oneDNN's LSTM."""
        return self.mode == "lstm" and self.weights[0].w_hr is None and x.dtype is _FLOAT32 and x.numel() > 0

    def fused_direction(self, x: Any, state: Any, w: _Weights, backwards: bool) -> tuple[Any, Any]:
        """An LSTM's layer in float32 as one operation, as PyTorch's CPU build has it from oneDNN."""
        b_ih, b_hh = w.b_ih, w.b_hh
        if b_ih is None:
            b_ih = b_hh = w.w_ih.new_zeros(w.w_ih.shape[0])
        out, h, c, _ = cast_within(TENSORS).mkldnn_rnn_layer(
            x,
            w.w_ih,
            w.w_hh,
            b_ih,
            b_hh,
            *state,
            backwards,
            (),
            _MKLDNN_LSTM,
            state[0].shape[-1],
            self.num_layers,
            self.has_biases,
            self.bidirectional,
            self.batch_first,
            self.train,
        )
        return out, (h, c)

    def packed_direction(
        self, data: Any, sizes: list[int], state: Any, w: _Weights, backwards: bool
    ) -> tuple[Any, Any]:
        """One direction over packed sequences: each step takes as many rows as sequences reach it."""
        gates, ends = linear(data, w.w_ih, w.b_ih), [*accumulate(sizes)]
        start = list(state) if self.mode == "lstm" else [state]
        now = [TENSORS.narrow(s, 0, 0, sizes[-1] if backwards else sizes[0]) for s in start]
        outs: list[Any] = []
        done: list[list[Any]] = []
        for t in reversed(range(len(sizes))) if backwards else range(len(sizes)):
            rows = now[0].shape[0]
            if sizes[t] < rows:
                done.append([TENSORS.narrow(s, 0, sizes[t], rows - sizes[t]) for s in now])
                now = [TENSORS.narrow(s, 0, 0, sizes[t]) for s in now]
            elif sizes[t] > rows:
                now = [
                    TENSORS.cat([s, TENSORS.narrow(h, 0, rows, sizes[t] - rows)], 0)
                    for s, h in zip(now, start, strict=True)
                ]
            given = TENSORS.narrow(gates, 0, ends[t] - sizes[t], sizes[t])
            found = self.step(given, tuple(now) if self.mode == "lstm" else now[0], w)
            now = list(found) if self.mode == "lstm" else [found]
            outs.append(now[0])
        if not backwards:  # even of one part
            now = [TENSORS.cat([s, *(d[i] for d in reversed(done))], 0) for i, s in enumerate(now)]
        return TENSORS.cat(outs[::-1] if backwards else outs, 0), tuple(now) if self.mode == "lstm" else now[0]

    def layers(self, x: Any, parts: Any, direction: Callable[..., Any]) -> tuple[Any, list[Any]]:
        """All layers, one after the other, their directions side by side: the output and the last states."""
        ends: list[Any] = []
        ways = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            outs = []
            for way in range(ways):
                k = layer * ways + way
                state = tuple(p[k] for p in parts) if len(parts) > 1 else parts[0][k]
                out, state = direction(x, state, self.weights[k], way == 1)
                outs.append(out)
                ends.append(state)
            x = outs[0] if ways == 1 else TENSORS.cat(outs, -1)
            if self.dropout > 0 and self.train and layer < self.num_layers - 1:
                x = dropout(x, self.dropout, True)
        return x, ends

    def run(self, x: Any, states: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs for sequences of one length, and the last states."""
        if not x.shape[1 if self.batch_first else 0]:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        if modes.LOCAL.state.levels:
            refuse_among(f"{self.mode}.input", (x, *states, *(t for w in self.weights for t in w if t is not None)))
        if self.batch_first:
            x = x.transpose(0, 1)
        if self.weights[0].w_hr is not None and x.dtype is _FLOAT32 and x.numel() > 0:
            warn_once(
                "LSTM with projections is not supported with oneDNN. Using default implementation.",
                at="aten/src/ATen/native/RNN.cpp:1512",
            )
        fused = self.fused(x)
        if fused:
            x = x.contiguous()
            parts = [[TENSORS.select(s, 0, k) for k in range(len(s))] for s in states]
        else:
            parts = [list(TENSORS.unbind(s, 0)) for s in states]
        x, ends = self.layers(x, self.enough(parts), self.fused_direction if fused else self.direction)
        lasts = self.lasts(ends, fused)
        if self.batch_first:
            x = x.transpose(0, 1) if self.mode == "lstm" else x.transpose_(0, 1)
        return x, *lasts

    def run_packed(self, data: Any, batch_sizes: Any, states: Sequence[Any]) -> tuple[Any, ...]:
        """The same for packed sequences."""
        sizes = [int(n) for n in batch_sizes._array]
        parts = [list(TENSORS.unbind(s, 0)) for s in states]

        def direction(x: Any, state: Any, w: _Weights, backwards: bool) -> tuple[Any, Any]:
            return self.packed_direction(x, sizes, state, w, backwards)

        data, ends = self.layers(data, self.enough(parts), direction)
        return data, *self.lasts(ends, False)

    def enough(self, parts: Any) -> Any:
        """The states, of which each layer in each direction needs one."""
        count = self.num_layers * (2 if self.bidirectional else 1)
        for name, given in (("hidden states", parts[0]), ("weights", self.weights)):
            if len(given) != count:
                raise RuntimeError(f"Expected more {name} in stacked_rnn")
        return parts

    def lasts(self, ends: list[Any], fused: bool) -> list[Any]:
        """The last states, stacked as the first ones are: those of an LSTM that is not fused the cells first."""
        if self.mode != "lstm":
            return [TENSORS.stack(ends, 0)]
        both = [*zip(*ends, strict=True)]
        stacked = [TENSORS.stack(states, 0) for states in (both if fused else both[::-1])]
        return stacked if fused else stacked[::-1]


def _grouped(params: Sequence[Any], stride: int, projected: bool) -> list[_Weights]:
    """The weights of each layer in each direction."""
    found = []
    for i in range(0, len(params), stride):
        own = params[i : i + stride - projected]
        b_ih, b_hh = own[2:] or (None, None)
        found.append(_Weights(own[0], own[1], b_ih, b_hh, params[i + stride - 1] if projected else None))
    return found


#: types of the last arguments for sequences of one length
_OPTIONS = (bool, int, float, bool, bool, bool)


def _read(mode: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any]:
    """The arguments in their order; PyTorch's TypeError if they do not fit. Those of layers need not be looked up."""
    if not kwargs and (*map(type, args[3:]),) == _OPTIONS and type(args[2]) is list:
        tensors = [args[0], *(args[1] if type(args[1]) is tuple else args[1:2]), *args[2]]
        if all(map(isinstance, tensors, repeat(Tensor))) and (type(args[1]) is tuple) is (mode == "lstm"):
            return args
    return [*bind(mode, args, kwargs)[1].values()]


def _run(mode: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = _read(mode, args, kwargs)
    packed = isinstance(given[1 if mode == "lstm" else 2], Tensor)
    data, batch_sizes = given[:2] if packed else (given[0], None)
    hx, params, *options = given[1 + packed :]
    states: Sequence[Any] = hx if mode == "lstm" else (hx,)
    if mode == "lstm" and len(states) != 2:
        raise RuntimeError("lstm expects two hidden states")
    if mode == "lstm" and not packed and len(data.shape) < 3:
        data.size(len(data.shape))  # refuses
    projected = mode == "lstm" and states[0].size(2) != states[1].size(2)
    stride = (4 if options[0] else 2) + projected
    if len(params) % stride:
        size = f"MatrixRef: ArrayRef size {len(params)} not divisible by stride {stride}"
        raise RuntimeError(size if mode == "lstm" else "got an incorrect number of RNN parameters")
    net = _Network(mode, _grouped(params, stride, projected), *options)
    return net.run(data, states) if batch_sizes is None else net.run_packed(data, batch_sizes, states)


_END = "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"
_TEXT = """
    {0}(Tensor data, Tensor batch_sizes, {1} hx, {2}) -> {3}|.data
    {0}(Tensor input, {1} hx, {2}, bool batch_first) -> {3}|input|.input
    """
_TWO, _THREE = "(Tensor, Tensor)", "(Tensor, Tensor, Tensor)"


@signatures(_TEXT.format("lstm", "Tensor[]", _END, _THREE))
def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Layers of an LSTM with given weights: the outputs, and the last h and c.

    Shapes: input (L, N, in), or (N, L, in) with batch_first; hx a pair of (layers, N, hidden); params the weights of
        each layer and direction as `nn.LSTM` has them.
    Errors: RuntimeError for a number of parameters that does not fit.

    Example:
        >>> import autogradlab as torch
        >>> h = torch.zeros(1, 1, 1)
        >>> weights = [torch.ones(4, 2), torch.ones(4, 1)]
        >>> torch.lstm(torch.ones(1, 1, 2), (h, h), weights, False, 1, 0.0, False, False, False)
        (tensor([[[0.6083]]]), tensor([[[0.6083]]]), tensor([[[0.8491]]]))

    Mirrors `torch.lstm`.
    """
    return _run("lstm", args, kwargs)


@signatures(_TEXT.format("gru", "Tensor", _END, _TWO))
def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of a GRU with given weights: the outputs, and the last h.

    Shapes: input (L, N, in), or (N, L, in) with batch_first; hx (layers, N, hidden); params the weights of each layer
        and direction as `nn.GRU` has them.
    Errors: RuntimeError for a number of parameters that does not fit.

    Example:
        >>> import autogradlab as torch
        >>> weights = [torch.ones(3, 2), torch.ones(3, 1)]
        >>> torch.gru(torch.ones(1, 1, 2), torch.zeros(1, 1, 1), weights, False, 1, 0.0, False, False, False)
        (tensor([[[0.1149]]]), tensor([[[0.1149]]]))

    Mirrors `torch.gru`.
    """
    return _run("gru", args, kwargs)


@signatures(_TEXT.format("rnn_tanh", "Tensor", _END, _TWO))
def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of a plain recurrent network with given weights: the outputs, and the last h.

    Shapes: input (L, N, in), or (N, L, in) with batch_first; hx (layers, N, hidden); params the weights of each layer
        and direction as `nn.RNN` has them.
    Errors: RuntimeError for a number of parameters that does not fit.

    Example:
        >>> import autogradlab as torch
        >>> weights = [torch.ones(1, 2), torch.ones(1, 1)]
        >>> torch.rnn_tanh(torch.ones(1, 1, 2), torch.zeros(1, 1, 1), weights, False, 1, 0.0, False, False, False)
        (tensor([[[0.9640]]]), tensor([[[0.9640]]]))

    Mirrors `torch.rnn_tanh`.
    """
    return _run("rnn_tanh", args, kwargs)


@signatures(_TEXT.format("rnn_relu", "Tensor", _END, _TWO))
def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """The same with relu in place of tanh.

    Shapes: input (L, N, in), or (N, L, in) with batch_first; hx (layers, N, hidden); params the weights of each layer
        and direction as `nn.RNN` has them.
    Errors: RuntimeError for a number of parameters that does not fit.

    Example:
        >>> import autogradlab as torch
        >>> weights = [torch.ones(1, 2), torch.ones(1, 1)]
        >>> torch.rnn_relu(torch.ones(1, 1, 2), torch.zeros(1, 1, 1), weights, False, 1, 0.0, False, False, False)
        (tensor([[[2.]]]), tensor([[[2.]]]))

    Mirrors `torch.rnn_relu`.
    """
    return _run("rnn_relu", args, kwargs)


#: by the `mode` of layers
FUNCTIONS: dict[str, Callable[..., Any]] = {"LSTM": lstm, "GRU": gru, "RNN_TANH": rnn_tanh, "RNN_RELU": rnn_relu}
