"""Recurrent layers: RNN, LSTM, GRU and their cells."""

from __future__ import annotations

import math
import numbers
import warnings
import weakref
from collections.abc import Iterable
from typing import Any

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from .. import init
from ..functions.layers import FUNCTIONS
from ..functions.recurrent import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from ..parameter import Parameter
from .module import Module
from .utils import empty

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _initialize(parameters: Iterable[Parameter], hidden_size: int) -> None:
    """Fill the parameters with numbers uniform within 1 / sqrt(hidden_size) of 0."""
    bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for p in parameters:
        init.uniform_(p, -bound, bound)


class RNNBase(Module):
    """What RNN, LSTM and GRU share: their weights and how these are named.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> [name for name, _ in nn.RNNBase('RNN_TANH', 2, 3).named_parameters()]
        ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0']

    Mirrors `torch.nn.RNNBase`.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        given = {"bias": bias, "batch_first": batch_first, "input_size": input_size}
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int)):
            if not isinstance(given[name], kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(given[name]).__name__}")
        if input_size <= 0:
            raise ValueError("input_size must be greater than zero")
        if not isinstance(hidden_size, int):
            raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        gates = _GATES[mode] * hidden_size
        real = proj_size or hidden_size
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for direction in range(2 if bidirectional else 1):
                wide = input_size if layer == 0 else real * (2 if bidirectional else 1)
                end = f"_l{layer}" + ("_reverse" if direction else "")
                shapes: list[tuple[str, Any]] = [("weight_ih" + end, (gates, wide)), ("weight_hh" + end, (gates, real))]
                if bias:
                    shapes += [("bias_ih" + end, (gates,)), ("bias_hh" + end, (gates,))]
                if proj_size:
                    shapes.append(("weight_hr" + end, (proj_size, hidden_size)))
                names = [name for name, _ in shapes]
                for name, shape in shapes:
                    setattr(self, name, Parameter(empty(shape, device=device, dtype=dtype)))
                self._flat_weights_names += names
                self._all_weights.append(names)
        self._init_flat_weights()
        self.reset_parameters()

    def _init_flat_weights(self) -> None:
        self._flat_weights: list[Any] = [getattr(self, name, None) for name in self._flat_weights_names]
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]

    def _update_flat_weights(self) -> None:
        """Take the weights anew if one is another than when they were taken; one that was deleted stays in use."""
        for ref, name in zip(self._flat_weight_refs, self._flat_weights_names, strict=True):
            weight = getattr(self, name, None)
            if weight is not None and ref is not None and ref() is not weight:
                self._init_flat_weights()
                return

    def __getstate__(self) -> dict[str, Any]:
        self._update_flat_weights()
        return {name: value for name, value in self.__dict__.items() if name != "_flat_weight_refs"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("proj_size", 0)  # not in the files of PyTorch before 1.8
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("_flat_weights_names", ()) and "_flat_weights" in self.__dict__:
            self._flat_weights[self._flat_weights_names.index(name)] = value
        super().__setattr__(name, value)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        made = super()._apply(fn, recurse)
        self._init_flat_weights()
        return made

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape that an initial state must have."""
        batch = input.size(0 if self.batch_first else 1) if batch_sizes is None else int(batch_sizes[0])
        return self.num_layers * (2 if self.bidirectional else 1), batch, self.proj_size or self.hidden_size

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Refuse an input of another dtype or size than the weights'."""
        weight = self._flat_weights[0]
        if input.dtype is not weight.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        wanted = 3 if batch_sizes is None else 2
        if input.ndim != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.ndim}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def flatten_parameters(self) -> None:
        """Nothing to do on the CPU."""

    def reset_parameters(self) -> None:
        """Give the parameters new initial values."""
        _initialize(self.parameters(), self.hidden_size)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text

    def _forward_packed(self, input: Any, hx: Any) -> Any:
        data, batch_sizes, order, back = input
        sizes = [int(n) for n in batch_sizes._array]
        lstm = self.mode == "LSTM"
        if hx is None:
            count = self.num_layers * (2 if self.bidirectional else 1)
            h = data.new_zeros((count, sizes[0], self.proj_size or self.hidden_size))
            hx = (h, data.new_zeros((count, sizes[0], self.hidden_size))) if lstm else h
        else:
            hx = self.permute_hidden(hx, order)
        self.check_forward_args(data, hx, batch_sizes)
        data, *ends = FUNCTIONS[self.mode](data, batch_sizes, hx, self._flat_weights, *self._options)
        last = self.permute_hidden(tuple(ends) if lstm else ends[0], back)
        return type(input)(data, batch_sizes, order, back), last

    @property
    def _options(self) -> tuple[Any, ...]:
        return self.bias, self.num_layers, self.dropout, self.training, self.bidirectional

    def _start(self, x: Any, hx: Any, batched: bool) -> Any:
        """The first state of each layer: zeros, or what is given, which has to fit the input."""
        count = self.num_layers * (2 if self.bidirectional else 1)
        batch = x.shape[0 if self.batch_first else 1]
        if hx is None:
            h = x.new_zeros((count, batch, self.proj_size or self.hidden_size))
            hx = (h, x.new_zeros((count, batch, self.hidden_size))) if self.mode == "LSTM" else h
        elif self.mode == "LSTM":
            dims = hx[0].dim(), hx[1].dim()
            wanted = 3 if batched else 2
            if dims != (wanted, wanted):
                raise RuntimeError(
                    f"For {'' if batched else 'un'}batched {wanted}-D input, hx and cx should also be {wanted}-D but "
                    f"got ({dims[0]}-D, {dims[1]}-D) tensors"
                )
            hx = hx if batched else (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
        else:
            wanted = 3 if batched else 2
            if hx.dim() != wanted:
                raise RuntimeError(
                    f"For {'' if batched else 'un'}batched {wanted}-D input, hx should also be {wanted}-D but got "
                    f"{hx.dim()}-D tensor"
                )
            hx = hx if batched else hx.unsqueeze(1)
        self.check_forward_args(x, hx, None)
        return hx

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input or a state of another size."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Refuse a state of another size."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with its sequences in another order."""
        return hx if permutation is None else TENSORS.index_select(hx, 1, permutation)

    def _run(self, input: Any, hx: Any) -> Any:
        """The outputs, and the state after the last step."""
        self._update_flat_weights()
        if isinstance(input, tuple) and hasattr(input, "batch_sizes"):
            return self._forward_packed(input, hx)
        x: Any = input
        if x.dim() not in (2, 3):
            kind = " tensor" if self.mode.startswith("RNN") else ""
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {x.dim()}D{kind} instead")
        batched = x.dim() == 3
        if not batched:
            x = x.unsqueeze(0 if self.batch_first else 1)
        start = self._start(x, hx, batched)
        options = (*self._options, self.batch_first)
        x, *ends = FUNCTIONS[self.mode](x, start, self._flat_weights, *options)
        last: Any = tuple(ends) if self.mode == "LSTM" else ends[0]
        if not batched:
            x = x.squeeze(0 if self.batch_first else 1)
            last = tuple(t.squeeze(1) for t in ends) if self.mode == "LSTM" else last.squeeze(1)
        return x, last


def _refuse_projection(kwargs: dict[str, Any]) -> None:
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """A recurrent layer: h = tanh(W x + U h + b), step by step along a sequence; several layers, both
    directions.

    Shapes: input (L, N, in), or (N, L, in) with batch_first; output (L, N, hidden), and the last h (layers,
        N, hidden).
    Note: the initial values are PyTorch's own after the same manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.RNN(2, 3)
        >>> out, h = layer(torch.ones(5, 1, 2))
        >>> out.shape, h.shape
        (torch.Size([5, 1, 3]), torch.Size([1, 1, 3]))

    Mirrors `torch.nn.RNN`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection(kwargs)
        modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        nonlinearity = args[3] if len(args) > 3 else kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in modes:
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self.nonlinearity = nonlinearity
        super().__init__(modes[nonlinearity], *args[:3], *args[4:], **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The outputs, and the state after the last step."""
        return self._run(input, hx)


class LSTM(RNNBase):
    """A recurrent layer with gates and a cell state: it returns the outputs, and the last h and c.

    Shapes: input (L, N, in), or (N, L, in) with batch_first; output (L, N, hidden), h and c (layers, N,
        hidden).
    Note: the initial values are PyTorch's own after the same manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LSTM(2, 3, num_layers=2)
        >>> out, (h, c) = layer(torch.ones(5, 1, 2))
        >>> out.shape, h.shape, c.shape
        (torch.Size([5, 1, 3]), torch.Size([2, 1, 3]), torch.Size([2, 1, 3]))

    Mirrors `torch.nn.LSTM`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape that an initial cell state must have."""
        layers, batch, _ = self.get_expected_hidden_size(input, batch_sizes)
        return layers, batch, self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input or a state of another size."""
        self.check_input(input, batch_sizes)
        sizes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        for i, size in enumerate(sizes):
            self.check_hidden_size(hidden[i], size, f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with its sequences in another order."""
        return hx if permutation is None else tuple(TENSORS.index_select(s, 1, permutation) for s in (hx[0], hx[1]))

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The outputs, and the state after the last step."""
        return self._run(input, hx)


class GRU(RNNBase):
    """A recurrent layer with gates.

    Shapes: input (L, N, in), or (N, L, in) with batch_first; output (L, N, hidden), and the last h (layers,
        N, hidden).
    Note: the initial values are PyTorch's own after the same manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.GRU(2, 3, batch_first=True)
        >>> out, h = layer(torch.ones(1, 5, 2))
        >>> out.shape, h.shape
        (torch.Size([1, 5, 3]), torch.Size([1, 1, 3]))

    Mirrors `torch.nn.GRU`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The outputs, and the state after the last step."""
        return self._run(input, hx)


class RNNCellBase(Module):
    """What RNNCell, LSTMCell and GRUCell share.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.RNNCellBase(2, 3, True, 4).weight_ih.shape
        torch.Size([12, 2])

    Mirrors `torch.nn.RNNCellBase`.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self.weight_ih = Parameter(empty((num_chunks * hidden_size, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((num_chunks * hidden_size, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(
                name,
                Parameter(empty(num_chunks * hidden_size, device=device, dtype=dtype)) if bias else None,
            )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Give the parameters new initial values."""
        _initialize(self.parameters(), self.hidden_size)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else text + f", nonlinearity={nonlinearity}"

    def _whole(self, input: Tensor, hx: Any, names: tuple[str, ...] = ("hidden",)) -> tuple[Any, Any, bool]:
        """Input and states (zeros where none are given) with a batch dimension, and whether they came with it."""
        for name, t in (("input", input), *(zip(names, hx, strict=False) if hx is not None else ())):
            if t.dim() not in (1, 2):
                raise ValueError(f"{type(self).__name__}: Expected {name} to be 1D or 2D, got {t.dim()}D instead")
        batched = input.ndim == 2
        x = input if batched else TENSORS.unsqueeze(input, 0)
        if hx is None:
            return x, [x.new_zeros((x.shape[0], self.hidden_size))] * len(names), batched
        return x, hx if batched else [hx[i].unsqueeze(0) for i in range(len(names))], batched

    @property
    def _weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


class RNNCell(RNNCellBase):
    """One step of an RNN: the next h.

    Shapes: input (N, in) and h (N, hidden) give (N, hidden).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.RNNCell(2, 3)(torch.ones(1, 2)).shape
        torch.Size([1, 3])

    Mirrors `torch.nn.RNNCell`.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Any = None) -> Tensor:
        """The next hidden state."""
        x, (h,), batched = self._whole(input, None if hx is None else (hx,))
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        made = (rnn_tanh_cell if self.nonlinearity == "tanh" else rnn_relu_cell)(x, h, *self._weights)
        return made if batched else made.squeeze(0)


class LSTMCell(RNNCellBase):
    """One step of an LSTM: the next h and c.

    Shapes: input (N, in), h and c (N, hidden).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> h, c = nn.LSTMCell(2, 3)(torch.ones(1, 2))
        >>> h.shape, c.shape
        (torch.Size([1, 3]), torch.Size([1, 3]))

    Mirrors `torch.nn.LSTMCell`.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Tensor]:
        """The next hidden state and cell state."""
        x, state, batched = self._whole(input, hx, ("hx[0]", "hx[1]"))
        h, c = lstm_cell(x, state, *self._weights)
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a GRU: the next h.

    Shapes: input (N, in) and h (N, hidden) give (N, hidden).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.GRUCell(2, 3)(torch.ones(1, 2)).shape
        torch.Size([1, 3])

    Mirrors `torch.nn.GRUCell`.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> Tensor:
        """The next hidden state."""
        x, (h,), batched = self._whole(input, None if hx is None else (hx,))
        made = gru_cell(x, h, *self._weights)
        return made if batched else made.squeeze(0)
