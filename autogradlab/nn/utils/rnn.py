"""Sequences of different lengths in one tensor, packed or padded."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ...core.memory.rows import refuse_among
from ...core.memory.versions import increment_version
from ...core.recording.record import RAW, TENSORS
from ...core.runtime.naming import by_name
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dtypes import int64, scalar_name
from ...ops.table.opdef import op
from ...ops.table.publishing import inner

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another, both int64 of shape (N); None for None.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.utils.rnn import invert_permutation
        >>> order = torch.tensor([2, 0, 1])
        >>> back = invert_permutation(order)
        >>> back
        tensor([1, 2, 0])
        >>> order[back]
        tensor([0, 1, 2])

    Mirrors `torch.nn.utils.rnn.invert_permutation`.
    """
    if permutation is None:
        return None
    found: Tensor = TENSORS.empty_like(permutation)
    return found.scatter_(0, permutation, TENSORS.arange(found.numel()))


class PackedSequence(_Packed):
    """Sequences of different lengths without padding: all first elements, then all second ones, …,
    the longest sequence first. `pack_sequence` and `pack_padded_sequence` make it, recurrent layers take and give it.

    data: the elements (sum of the lengths, ...); batch_sizes: how many sequences have a first, second, … element,
    int64; sorted_indices: which sequence went where, unsorted_indices the way back; both are None where nothing was
    sorted.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.utils.rnn import pack_sequence
        >>> packed = pack_sequence([torch.tensor([1., 2.]), torch.tensor([3., 4., 5.])], enforce_sorted=False)
        >>> packed.data
        tensor([3., 1., 4., 2., 5.])
        >>> packed.batch_sizes
        tensor([2, 2, 1])
        >>> packed.sorted_indices
        tensor([1, 0])

    Mirrors `torch.nn.utils.rnn.PackedSequence`.
    """

    __module__ = "torch.nn.utils.rnn"
    __reduce_ex__ = by_name

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    @property
    def is_cuda(self) -> bool:
        """False: there is only the CPU."""
        return False

    def is_pinned(self) -> bool:
        """Whether the memory is pinned: it never is."""
        return False

    def pin_memory(self) -> PackedSequence:
        """The same in pinned memory. Errors: RuntimeError, as there is no accelerator."""
        data = self.data.pin_memory()
        order, back = (None if t is None else t.pin_memory() for t in self[2:])
        return type(self)(data, self.batch_sizes, order, back)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with data of another dtype; itself if nothing changes."""
        data: Any = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence itself."""
        return self

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence on a GPU.

        Errors: AssertionError: this build has no CUDA.
        """
        self.data[:0].to(*args, **kwargs)  # refuses what `to` refuses
        return self.to(*args, **{**kwargs, "device": "cuda"})

    def double(self) -> PackedSequence:
        """The sequence in float64."""
        return type(self)(self.data.double(), *self[1:])

    def float(self) -> PackedSequence:
        """The sequence in float32."""
        return type(self)(self.data.float(), *self[1:])

    def half(self) -> PackedSequence:
        """The sequence in float16."""
        return type(self)(self.data.half(), *self[1:])

    def long(self) -> PackedSequence:
        """The sequence in int64."""
        return type(self)(self.data.long(), *self[1:])

    def int(self) -> PackedSequence:
        """The sequence in int32."""
        return type(self)(self.data.int(), *self[1:])

    def short(self) -> PackedSequence:
        """The sequence in int16."""
        return type(self)(self.data.short(), *self[1:])

    def char(self) -> PackedSequence:
        """The sequence in int8."""
        return type(self)(self.data.char(), *self[1:])

    def byte(self) -> PackedSequence:
        """The sequence in uint8."""
        return type(self)(self.data.byte(), *self[1:])


@op(
    "_pack_rows",
    "input",
    method=False,
    function=False,
    node="PackPaddedSequenceBackward0",
    vjp={
        "input": lambda F, grad, input_shape, sizes, batch_first: F._unpack_rows(
            grad, tuple(input_shape), sizes, batch_first
        ),
    },
)
def _pack_rows(input: Any, rows: Any, sizes: Any, batch_first: bool) -> Any:
    x = input.swapaxes(0, 1) if batch_first else input
    return x.reshape(-1, *x.shape[2:])[rows]


def _unpacked(data: Any, padded: Any, sizes: Any) -> Any:
    """Packed rows in the tensor or array for padded ones (L, N, ...), a copy for each run of steps that as many
    sequences have."""
    done = start = 0
    for step in range(1, len(sizes) + 1):
        size = int(sizes[start])
        if step == len(sizes) or sizes[step] != size:
            count = size * (step - start)
            rows = data[done : done + count].reshape(step - start, size, *data.shape[1:])
            yield padded[start:step, :size], rows
            done, start = done + count, step


def _unpack_arrays(grad: Any, shape: tuple[int, ...], sizes: Any, batch_first: bool) -> Any:
    padded = np.zeros((shape[1], shape[0], *shape[2:]) if batch_first else shape, grad.dtype)
    for place, rows in _unpacked(grad, padded, sizes):
        place[...] = rows
    return padded.swapaxes(0, 1) if batch_first else padded


def _unpack_tensors(grad: Any, shape: tuple[int, ...], sizes: Any, batch_first: bool) -> Any:
    padded: Any = TENSORS.zeros((shape[1], shape[0], *shape[2:]) if batch_first else shape, dtype=grad.dtype)
    increment_version(padded)
    done = 0
    for step, size in enumerate(sizes.tolist()):
        padded[step, :size].copy_(grad[done : done + size])
        done += size
    return padded.transpose(0, 1) if batch_first else padded


def _padded(data: Any, shape: tuple[int, ...], sizes: Any, value: float, batch_first: bool) -> Any:
    """Packed rows in a new tensor (L, N, ...)."""
    padded: Any = TENSORS.full(shape, value, dtype=data.dtype)
    increment_version(padded)  # PyTorch fills it in place
    for place, rows in _unpacked(data, padded, sizes):
        place.copy_(rows)
    return padded.transpose(0, 1) if batch_first else padded


RAW._unpack_rows, TENSORS._unpack_rows = _unpack_arrays, _unpack_tensors


def _rows(lengths: list[int], batch: int) -> tuple[Any, Any]:
    """The rows of a flattened (L, N, ...) in packed order, for lengths that fall,
    and how many there are at each step."""
    sizes = np.array([sum(n > t for n in lengths) for t in range(max(lengths))], np.int64)
    return np.concatenate([t * batch + np.arange(k) for t, k in enumerate(sizes)]), sizes


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The sequences in a padded tensor, without the padding.

    input: (L, N, ...), or (N, L, ...) if batch_first; lengths: the N lengths, a list or an int64 tensor, falling unless
    enforce_sorted=False sorts them. The gradient of the padding is zero. Errors: RuntimeError for an empty input, for a
    number of lengths other than N, and for lengths that rise or are 0.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.utils.rnn import pack_padded_sequence
        >>> x = torch.tensor([[1., 2., 3.], [4., 5., 0.]], requires_grad=True)
        >>> packed = pack_padded_sequence(x, [3, 2], batch_first=True)
        >>> packed.data
        tensor([1., 4., 2., 5., 3.], grad_fn=<PackPaddedSequenceBackward0>)
        >>> packed.batch_sizes
        tensor([2, 2, 1])
        >>> packed.data.sum().backward()
        >>> x.grad
        tensor([[1., 1., 1.],
                [1., 1., 0.]])

    Mirrors `torch.nn.utils.rnn.pack_padded_sequence`.
    """
    lengths = TENSORS.as_tensor(lengths, dtype=int64)
    x: Any = input
    order = None
    if not enforce_sorted:
        lengths, order = TENSORS.sort(lengths, descending=True)
        x = TENSORS.index_select(x, 0 if batch_first else 1, order.to(input.device))
    _pack_padded_sequence(x, lengths, batch_first)
    if batch_first and x._array.ndim < 2:
        TENSORS.transpose(x, 0, 1)  # which is refused
    if not x._array.size:
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths._array.ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths._array.ndim}D cpu "
            f"{scalar_name(lengths)} tensor"
        )
    batch, steps = x.size(int(not batch_first)), x.size(int(batch_first))
    counts = [int(n) for n in lengths._array]
    if len(counts) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={batch})"
        )
    if counts[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(a < b for a, b in itertools.pairwise(counts)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if "
            "you do not need ONNX exportability."
        )
    rows, sizes = _rows(counts, batch)
    rows = rows[rows < steps * batch]  # PyTorch packs the steps that exist, even where lengths say more
    return PackedSequence(TENSORS._pack_rows(x, rows, sizes, batch_first), wrap(sizes), order, None)


_pack_padded_sequence = inner(
    "_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)"
)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The sequences of a PackedSequence, padded with padding_value to the longest or to total_length, in the order in
    which they were packed: (L, N, ...), or (N, L, ...) if batch_first; and their lengths, int64 of shape (N).

    Errors: ValueError where total_length is less than the longest.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.utils.rnn import pack_sequence, pad_packed_sequence
        >>> packed = pack_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4., 5.])])
        >>> padded, lengths = pad_packed_sequence(packed, batch_first=True)
        >>> padded
        tensor([[1., 2., 3.],
                [4., 5., 0.]])
        >>> lengths
        tensor([3, 2])

    Mirrors `torch.nn.utils.rnn.pad_packed_sequence`.
    """
    sizes = sequence.batch_sizes._array
    data, back = sequence.data, sequence.unsorted_indices
    steps, batch = len(sizes), int(sizes[0])
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    _pad_packed_sequence(data, sequence.batch_sizes, batch_first, padding_value, steps)
    counts = np.array([(sizes > i).sum() for i in range(batch)], np.int64)
    padded = _padded(data, (steps, batch, *data._array.shape[1:]), sizes, padding_value, batch_first)
    lengths = wrap(counts)
    if back is not None:
        return TENSORS.index_select(padded, 0 if batch_first else 1, back), TENSORS.index_select(lengths, 0, back)
    return padded, lengths


_pad_packed_sequence = inner(
    "_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int total_length)"
    " -> (Tensor, Tensor)"
)


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Tensors (L_i, ...) as one PackedSequence.

    Errors: RuntimeError where they are not sorted by falling length, unless enforce_sorted=False.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.utils.rnn import pack_sequence
        >>> packed = pack_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4., 5.])])
        >>> packed.data
        tensor([1., 4., 2., 5., 3.])
        >>> packed.batch_sizes
        tensor([2, 2, 1])

    Mirrors `torch.nn.utils.rnn.pack_sequence`.
    """
    lengths = TENSORS.as_tensor([t.size(0) for t in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences in a PackedSequence, a list of tensors (L_i, ...) in the order in which they were packed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.utils.rnn import pack_sequence, unpack_sequence
        >>> packed = pack_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4., 5.])])
        >>> unpack_sequence(packed)
        [tensor([1., 2., 3.]), tensor([4., 5.])]

    Mirrors `torch.nn.utils.rnn.unpack_sequence`.
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Tensors (L_i, ...) in one (L, N, ...), or (N, L, ...) if batch_first, the shorter ones padded with padding_value
    at the right or, with padding_side='left', at the left; the dtype is that of the first.

    Errors: RuntimeError for what is no iterable, for no tensors, and for sizes behind the first that differ.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.utils.rnn import pad_sequence
        >>> pad_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4.])], batch_first=True)
        tensor([[1., 2., 3.],
                [4., 0., 0.]])
        >>> pad_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4.])], padding_value=-1.)
        tensor([[ 1.,  4.],
                [ 2., -1.],
                [ 3., -1.]])

    Mirrors `torch.nn.utils.rnn.pad_sequence`.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    tensors = list(sequences)
    _pad_sequence(tensors, batch_first, padding_value, padding_side)
    if not tensors:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    refuse_among("pad_sequence", tensors)
    first = tensors[0]
    if not first._array.ndim:
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    lengths = [t.size(0) for t in tensors]
    longest = max(lengths)
    shape = (len(tensors), longest) if batch_first else (longest, len(tensors))
    padded: Tensor = TENSORS.empty((*shape, *first._array.shape[1:]), dtype=first.dtype).fill_(padding_value)
    for i, (t, length) in enumerate(zip(tensors, lengths, strict=True)):
        start = 0 if padding_side == "right" else longest - length
        row = TENSORS.select(padded, 0 if batch_first else 1, i)
        TENSORS.narrow(row, 0, start, length).copy_(t)
    return padded


_pad_sequence = inner(
    "nn.pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.0, str padding_side='right')"
    " -> Tensor"
)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences that `pad_sequence` put into one tensor (L, N, ...), or (N, L, ...) if batch_first: a list of
    tensors (L_i, ...), whose lengths are given. Without batch_first the given tensor is transposed in place.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.utils.rnn import pad_sequence, unpad_sequence
        >>> padded = pad_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4.])], batch_first=True)
        >>> unpad_sequence(padded, torch.tensor([3, 1]), batch_first=True)
        [tensor([1., 2., 3.]), tensor([4.])]

    Mirrors `torch.nn.utils.rnn.unpad_sequence`.
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)  # PyTorch turns the tensor that it was given
    steps: Any = TENSORS.arange(padded_sequences.shape[1], device=lengths.device)
    return [row[steps < n] for row, n in zip(padded_sequences, lengths, strict=True)]
