"""Linear maps, dropout, embeddings, distances and channel shuffling as functions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...core.memory.layout import like
from ...core.memory.rows import Rows, all_rows, draw_into, place_to_draw
from ...core.memory.versions import INFERENCE, increment_version
from ...core.random.generator import default_generator
from ...core.random.streams import fill
from ...core.recording.inplace import commit_by
from ...core.recording.record import TENSORS
from ...core.runtime import errors, modes
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, requires_grad, wrap
from ...core.types.dtypes import get_default_dtype, int64, promote, scalar_name, tensor_type, unsupported
from ...core.values.promotion import check_cast
from ...ops.first.kinds import COMPLEX, FLOATS
from ...ops.first.matmul import level_below
from ...ops.first.products import written as into
from ...ops.nn import embedding as _kernels  # noqa: F401 (fills the table)
from ...ops.table.arguments import reject
from ...ops.table.asking import at, options_of, tell, written
from ...ops.table.outputs import EXPECTED
from ...ops.table.publishing import inner, reading

__all__ = [
    "alpha_dropout",
    "bilinear",
    "channel_shuffle",
    "cosine_similarity",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "linear",
    "normalize",
    "one_hot",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
]

_ndarray = np.ndarray


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias.

    Shapes: input (..., in), weight (out, in), bias (out,) give (..., out).
    Dtypes: float, all the same.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.linear(torch.tensor([1., 2.]), torch.tensor([[1., 1.], [0., 3.]]), torch.tensor([0., 1.]))
        tensor([3., 7.])

    Mirrors `torch.nn.functional.linear`.
    """
    if out is not None:
        return into(linear(input, weight, bias), out, "linear", exact=EXPECTED)
    try:
        n = input._array.ndim
        m = weight._array.ndim
        b = 0 if bias is None else bias._array.ndim
    except AttributeError:
        reject("linear", (input, weight) if bias is None else (input, weight, bias), {})
    if bias is None:
        if n and m:
            return TENSORS.matmul(input, TENSORS.t(weight))
        return _refuse_numbers(n, m)
    if not n or not m:
        return _refuse_numbers(n, m)
    if m != 2:
        if n == m == 1 and b == 0:
            return TENSORS.matmul(input, TENSORS.t(weight)).add_(bias)
        TENSORS.t(weight)  # refuses more than two dimensions
        raise RuntimeError(f"mat2 must be a matrix, got {m}-D tensor")
    if n == 2:
        turned = TENSORS.t(weight)
        if modes.FLAGS.rows and level_below(bias, input, weight):
            added = TENSORS.mul_number(bias, 1)
            if b == 1 and isinstance(bias._array, Rows):
                added = TENSORS.view(added, (1, *bias._array.shape))
            return TENSORS.add(added, TENSORS.matmul(input, turned))
        return TENSORS.addmm(bias, input, turned)
    local = modes.LOCAL.state
    fused = b == 1 and (n == 3 or not local.transformed)
    if fused and input._array.flags.c_contiguous and bias._array.flags.c_contiguous:
        shape = input._array.shape
        flat = TENSORS.addmm(bias, TENSORS.view(input, (math.prod(shape[:-1]), shape[-1])), TENSORS.t(weight))
        return TENSORS.view(flat, (*shape[:-1], flat._array.shape[1]))
    made = TENSORS.matmul(input, TENSORS.t(weight))
    return made.add(bias) if local.mapped else made.add_(bias)


def _refuse_numbers(n: int, m: int) -> NoReturn:
    """Refuse tensors without dimensions; functional transforms ask for a product of matrices."""
    name = "matmul" if modes.LOCAL.state.transformed else "linear"
    raise RuntimeError(f"both arguments to {name} need to be at least 1D, but they are {n}D and {m}D")


@reading("bilinear")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T A x2 + b, with a matrix A for each output feature.

    Shapes: (..., n1), (..., n2), weight (out, n1, n2), bias (out,) give (..., out).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> torch.bilinear(torch.ones(1, 2), torch.ones(1, 2), torch.ones(3, 2, 2))
        tensor([[4., 4., 4.]])

    Mirrors `torch.nn.functional.bilinear`.
    """
    found: Tensor = TENSORS.bilinear(input1, input2, weight, bias)
    return found


# -- dropout -----------------------------------------------------------------------------------------------------------


def _check_p(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _fitting(check: Callable[..., None], input: Tensor, p: float, training: bool) -> float:
    """The probability as a number, which a tensor of one element may be, after a check of the arguments."""
    if type(p) is not float or type(training) is not bool or not isinstance(input, Tensor):
        check(input, p, training)
    return float(p)


def _noise(x: np.ndarray, p: float, feature: bool) -> _ndarray:
    """1 where an element is kept: drawn in the order of the memory of `x`, or one for each channel (`feature`)."""
    if x.dtype.kind == "c":
        raise unsupported("bernoulli_scalar_cpu_", x.dtype)
    if feature and x.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if modes.LOCAL.state.mapped:
        noise = place_to_draw((*x.shape[:2], *(1,) * (x.ndim - 2)) if feature else x.shape, x.dtype)
        draw_into(lambda a: fill(a, default_generator.uniform53(a.size) < 1 - p), noise)
        return noise
    noise = np.empty((*x.shape[:2], *(1,) * (x.ndim - 2)), x.dtype) if feature else like(x, x.dtype, zero=False)
    return fill(noise, default_generator.uniform53(noise.size) < 1 - p)


def _asked_dropped(input: Tensor, p: float, inplace: bool, feature: bool = False) -> Tensor:
    """The same while a mode is to be asked, by the operators of which it consists."""
    x = input._array
    if p == 0 or not x.size:
        return input
    if p == 1:
        zero = at("zeros", size=[], **options_of(input))
        return input.mul_(zero) if inplace else input * zero
    if feature:
        noise = at("new_empty", input=input, size=[*x.shape[:2], *(1,) * (x.ndim - 2)])
    else:
        noise = at("empty_like", input=input)
    noise.bernoulli_(1 - p)
    written(noise, tell("div_", {"input": noise, "other": 1 - p}, True))
    return input.mul_(noise) if inplace else TENSORS.mul(input, noise)


@instead(lambda call, args, kwargs: _asked_dropped(*args, **kwargs))
def _dropped(input: Tensor, p: float, inplace: bool, feature: bool = False) -> Tensor:
    """input * noise; the noise is of one number for each channel if `feature`."""
    x = input._array
    if p == 0 or not x.size:
        return input
    if p == 1:
        zero = TENSORS.from_numpy(np.zeros((), x.dtype))
        return input.mul_(zero) if inplace else input * zero
    if x.dtype.kind == "c":
        raise unsupported("bernoulli_scalar_cpu_", x.dtype)
    noise = modes.quiet(_noise, x, p, feature)
    if x.dtype.kind in "biu":  # the noise is divided in place
        check_cast(get_default_dtype().numpy, x.dtype)
    noise /= x.dtype.type(1 - p)
    by = wrap(noise)
    return input.mul_(by) if inplace else TENSORS.mul(input, by)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element 0 with probability p, the rest divided by 1 - p.

    Shapes: any; the result has input's shape.
    Dtypes: float.
    Note: training=False returns input as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> _ = torch.manual_seed(0)
        >>> F.dropout(torch.ones(5), 0.5)
        tensor([0., 0., 2., 0., 0.])
        >>> F.dropout(torch.ones(2), training=False)
        tensor([1., 1.])

    Mirrors `torch.nn.functional.dropout`.
    """
    _check_p(p)
    p = _fitting(_dropout_ if inplace else _dropout, input, p, training)
    return _dropped(input, p, inplace) if training else input


_P = "(Tensor input, float p, bool train) -> Tensor|input"
_dropout, _dropout_ = inner("dropout" + _P), inner("dropout_" + _P)
_feature_dropout, _feature_dropout_ = inner("feature_dropout" + _P), inner("feature_dropout_" + _P)
_alpha_dropout, _alpha_dropout_ = inner("alpha_dropout" + _P), inner("alpha_dropout_" + _P)
_feature_alpha_dropout = inner("feature_alpha_dropout" + _P)
_feature_alpha_dropout_ = inner("feature_alpha_dropout_" + _P)


def _channels(input: Tensor, p: float, training: bool, inplace: bool, sizes: tuple[int, int], name: str) -> Tensor:
    p = _fitting(_feature_dropout_ if inplace else _feature_dropout, input, p, training)
    n = input.dim()
    batched = n == sizes[1]
    if not batched and name != "2d":
        made = input.unsqueeze_(0) if inplace else TENSORS.unsqueeze(input, 0)
        dropped = _dropped(made, p, inplace, True) if training else made
        return dropped.squeeze_(0) if inplace else TENSORS.squeeze(dropped, 0)
    if not training:
        return input
    return _dropped(input, p, inplace, True)


def _warn_channels(given: int, spatial: int) -> None:
    """Warn of an input that has no channels to drop, or more dimensions than there can be."""
    fewest, most = spatial + 1, spatial + 2
    if given not in (fewest, most):
        name = f"dropout{spatial}d"
        warnings.warn(
            f"{name}: Received a {given}-D input to {name}, which is deprecated and will result in an "
            "error in a future release. To retain the behavior and silence this warning, please use dropout instead. "
            f"Note that {name} exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a "
            f"channel dimension, and an optional batch dimension (i.e. {fewest}D or {most}D inputs).",
            stacklevel=3,
        )


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout of whole channels.

    Shapes: (N, C, L) or (C, L).
    Dtypes: float.
    Note: training=False returns input as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> _ = torch.manual_seed(0)
        >>> F.dropout1d(torch.ones(1, 3, 2), 0.5)
        tensor([[[0., 0.],
                 [0., 0.],
                 [2., 2.]]])

    Mirrors `torch.nn.functional.dropout1d`.
    """
    _check_p(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    return _channels(input, p, training, inplace, (2, 3), "1d")


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout of whole channels.

    Shapes: (N, C, H, W) or (C, H, W).
    Dtypes: float.
    Note: training=False returns input as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> _ = torch.manual_seed(0)
        >>> F.dropout2d(torch.ones(1, 3, 1, 2), 0.5)
        tensor([[[[0., 0.]],

                 [[0., 0.]],

                 [[2., 2.]]]])

    Mirrors `torch.nn.functional.dropout2d`.
    """
    _check_p(p)
    _warn_channels(input.dim(), 2)
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will "
            "change in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, "
            "W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _channels(input, p, training, inplace, (3, 4), "2d")


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout of whole channels.

    Shapes: (N, C, D, H, W) or (C, D, H, W).
    Dtypes: float.
    Note: training=False returns input as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> _ = torch.manual_seed(0)
        >>> F.dropout3d(torch.ones(1, 3, 1, 1, 2), 0.5)
        tensor([[[[[0., 0.]]],


                 [[[0., 0.]]],


                 [[[2., 2.]]]]])

    Mirrors `torch.nn.functional.dropout3d`.
    """
    _check_p(p)
    _warn_channels(input.dim(), 3)
    return _channels(input, p, training, inplace, (4, 5), "3d")


_ALPHA = 1.7580993408473766


def _alpha(input: Tensor, p: float, inplace: bool, feature: bool) -> Tensor:
    x = input._array
    if p == 0 or not x.size:
        return input
    if p == 1:
        zero = TENSORS.from_numpy(np.zeros((), x.dtype))
        return input.mul_(zero) if inplace else input * zero
    if x.dtype.kind in "biu":  # the noise is divided in place
        check_cast(get_default_dtype().numpy, x.dtype)
    noise = modes.quiet(_noise, x, p, feature)
    a = 1.0 / np.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    kind = x.dtype.type
    shift = (noise - kind(1)) * kind(_ALPHA * a) + kind(_ALPHA * a * p)
    factors: list[Any] = [n if type(n) is Rows else np.asarray(n) for n in (noise * kind(a), shift)]
    by, plus = map(wrap, factors)
    if inplace:
        return input.mul_(by).add_(plus)
    return (input * by).add_(plus)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """dropout that keeps mean 0 and variance 1, for networks with selu.

    Shapes: any; the result has input's shape.
    Dtypes: float.
    Note: training=False returns input as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.alpha_dropout(torch.ones(2), training=False)
        tensor([1., 1.])

    Mirrors `torch.nn.functional.alpha_dropout`.
    """
    _check_p(p)
    p = _fitting(_alpha_dropout_ if inplace else _alpha_dropout, input, p, training)
    return _alpha(input, p, inplace, False) if training else input


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """alpha_dropout of whole channels.

    Shapes: any; the result has input's shape.
    Dtypes: float.
    Note: training=False returns input as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.feature_alpha_dropout(torch.ones(1, 2), training=False)
        tensor([[1., 1.]])

    Mirrors `torch.nn.functional.feature_alpha_dropout`.
    """
    _check_p(p)
    p = _fitting(_feature_alpha_dropout_ if inplace else _feature_alpha_dropout, input, p, training)
    return _alpha(input, p, inplace, True) if training else input


# -- embeddings --------------------------------------------------------------------------------------------------------


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of weight at the indices in input.

    Shapes: input (*), weight (n, d) give (*, d).
    Dtypes: input int64 or int32; the result has weight's.
    Errors: IndexError for a number outside of [0, n).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> table = torch.tensor([[0., 0.], [1., 10.], [2., 20.]])
        >>> F.embedding(torch.tensor([2, 1]), table)
        tensor([[ 2., 20.],
                [ 1., 10.]])

    Mirrors `torch.nn.functional.embedding`.
    """
    if padding_idx is not None:
        if (padding_idx > 0 and padding_idx >= weight.size(0)) or (padding_idx < 0 and padding_idx < -weight.size(0)):
            raise AssertionError("Padding_idx must be within num_embeddings")
        if padding_idx < 0:
            padding_idx += weight.size(0)
    else:
        padding_idx = -1
    if max_norm is not None:
        _renormed(weight, input.contiguous(), max_norm, norm_type)
    _embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
    if not weight.dim() and modes.current().grad and requires_grad(weight):  # its Node asks for the number of rows
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return TENSORS.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


_embedding = inner("embedding")
_embedding_bag = inner("embedding_bag")
_embedding_renorm_ = inner("embedding_renorm_(Tensor input, Tensor indices, float max_norm, float norm_type) -> Tensor")


def _renormed(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """The rows that are named made shorter where they are longer than max_norm."""
    _embedding_renorm_(weight.detach(), indices, max_norm, norm_type)
    w = weight._array
    if indices._array.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #2 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{tensor_type(indices)} instead (while checking arguments for embedding_renorm_)"
        )
    if w.dtype.kind not in FLOATS + COMPLEX:
        kind = scalar_name(w)
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind} instead.")
    rows = np.unique(indices._array)
    norms = np.linalg.norm(w[rows], norm_type, axis=1)
    long = norms > max_norm
    rows = rows[long]
    shorter = w[rows] * (max_norm / (norms[long] + 1e-7))[:, None].astype(w.dtype)
    commit_by(weight, w.__setitem__, rows, shorter)


def _number_of_mode(mode: str, scale_grad_by_freq: bool, sparse: bool) -> int:
    """What the function in C calls a mode of embedding_bag."""
    numbers = {"sum": 0, "mean": 1, "max": 2}
    if mode not in numbers:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        raise ValueError(
            "max mode does not support "
            + ("scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights")
        )
    return numbers[mode]


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of the rows of weight at bags of indices; offsets says where bags begin in a flat
    input.

    Shapes: input (b, n), or (n,) with offsets (b,); weight (m, d) gives (b, d).
    Dtypes: input int64 or int32; the result has weight's.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> table = torch.tensor([[0., 0.], [1., 10.], [2., 20.]])
        >>> F.embedding_bag(torch.tensor([[1, 2]]), table, mode='sum')
        tensor([[ 3., 30.]])

    Mirrors `torch.nn.functional.embedding_bag`.
    """
    if weight.dtype is int64 and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    rows = weight._array.shape[0]
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        n, width = input._array.shape
        kind = input._array.dtype
        offsets = TENSORS.from_numpy(np.arange(n).astype(kind) * width if kind.kind in "iu" else np.zeros(n, kind))
        input = TENSORS.reshape(input, -1)
        if per_sample_weights is not None:
            per_sample_weights = TENSORS.reshape(per_sample_weights, -1)
        include_last_offset = False
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    number = _number_of_mode(mode, scale_grad_by_freq, sparse)
    if max_norm is not None:
        _renormed(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    bags = weight, input, offsets, scale_grad_by_freq, number, sparse, per_sample_weights, include_last_offset
    _embedding_bag(*bags, padding_idx)
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got {padding_idx}"
        )
    skipped = -1 if padding_idx is None else padding_idx % rows
    return TENSORS.embedding_bag(*bags, skipped)[0]


@reading("nn.one_hot(Tensor input, int num_classes=-1) -> Tensor")
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """A row of zeros with a one at the index, for each integer.

    Shapes: (*) gives (*, num_classes); -1 takes the largest number + 1.
    Dtypes: int64.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.one_hot(torch.tensor([0, 2]))
        tensor([[1, 0, 0],
                [0, 0, 1]])

    Mirrors `torch.nn.functional.one_hot`.
    """
    x = input._array
    if num_classes <= 0 and isinstance(x, Rows):
        raise RuntimeError(errors.ROWS_ONE_HOT)
    if x.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not x.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return TENSORS.from_numpy(np.zeros((*x.shape, num_classes), np.int64))
    every = all_rows(x)
    if every.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(x.max()) + 1
    elif every.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    made = wrap((x[..., None] == np.arange(num_classes)).astype(np.int64, order="C"))
    if modes.current().inference:
        made._counter = INFERENCE
        return made
    for _ in ("zero_", "scatter_"):  # which is how PyTorch writes it
        increment_version(made)
    return made


# -- distances ---------------------------------------------------------------------------------------------------------


@reading("cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along dim.

    Shapes: both broadcast; the result is without dim.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.cosine_similarity(torch.tensor([[1., 0.]]), torch.tensor([[1., 1.]]))
        tensor([0.7071])

    Mirrors `torch.nn.functional.cosine_similarity`.
    """
    if eps < 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    wanted = x1.dtype if x1.dtype is x2.dtype else promote(x1.dtype, x2.dtype)
    if not wanted.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {scalar_name(wanted)}")
    x1, x2 = (TENSORS.to(t, wanted) if t._array.dtype.kind in "biu" else t for t in (x1, x2))
    a, b = (x1, x2) if x1._array.shape == x2._array.shape else TENSORS.broadcast_tensors(x1, x2)

    norms = [TENSORS.clone(TENSORS.linalg_vector_norm(x, 2, dim, True)) for x in (a, b)]
    for norm in norms:
        r = norm._array
        np.maximum(r, np.array(eps, r.dtype), out=r)  # a bound, not an operation: its gradient goes on to the norm
    second = b / norms[1]  # which PyTorch computes first
    return (a / norms[0] * second).sum(dim)


@reading(
    "pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor|uint_add_stub"
)
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension.

    Shapes: (..., d) and (..., d) give (...), or (..., 1) if keepdim.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.pairwise_distance(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]))
        tensor([5.0000])

    Mirrors `torch.nn.functional.pairwise_distance`.
    """
    if not (isinstance(x1, Tensor) and isinstance(x2, Tensor)):
        reject("pairwise_distance", (x1, x2), {})
    return TENSORS.norm_along(TENSORS.add_number(x1 - x2, eps), float(p), (max(x1.ndim, x2.ndim) - 1,), keepdim)


@reading("pdist")
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all pairs of rows, each pair once.

    Shapes: (n, d) gives (n * (n - 1) / 2,).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.pdist(torch.tensor([[0., 0.], [3., 4.], [0., 1.]]))
        tensor([5.0000, 1.0000, 4.2426])

    Mirrors `torch.nn.functional.pdist`.
    """
    return TENSORS.pdist(input, p)


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """input divided by its p-norm along dim, or by eps where that is larger.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.normalize(torch.tensor([[3., 4.]]))
        tensor([[0.6000, 0.8000]])

    Mirrors `torch.nn.functional.normalize`.
    """
    norms: Any = input.norm(p, dim, keepdim=True)
    norms = TENSORS.expand_as(norms.clamp_min(eps), input)
    return input / norms if out is None else TENSORS.div(input, norms, out=out)


# -- channels and pixels -----------------------------------------------------------------------------------------------


@reading("pixel_shuffle")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Groups of r² channels rearranged into an image with r times the height and width.

    Shapes: (..., C r², H, W) gives (..., C, H r, W r).
    Dtypes: any.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.pixel_shuffle(torch.arange(4.).reshape(1, 4, 1, 1), 2)
        tensor([[[[0., 1.],
                  [2., 3.]]]])

    Mirrors `torch.nn.functional.pixel_shuffle`.
    """
    return TENSORS.pixel_shuffle(input, upscale_factor)


@reading("pixel_unshuffle")
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """An image rearranged into r² times the channels: the reverse of pixel_shuffle.

    Shapes: (..., C, H r, W r) gives (..., C r², H, W).
    Dtypes: any.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.pixel_unshuffle(torch.arange(4.).reshape(1, 1, 2, 2), 2).shape
        torch.Size([1, 4, 1, 1])

    Mirrors `torch.nn.functional.pixel_unshuffle`.
    """
    return TENSORS.pixel_unshuffle(input, downscale_factor)


@reading("channel_shuffle")
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of all groups interleaved.

    Shapes: (N, C, …); groups divides C.
    Dtypes: any.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.channel_shuffle(torch.arange(4.).reshape(1, 4, 1, 1), 2).flatten()
        tensor([0., 2., 1., 3.])

    Mirrors `torch.nn.functional.channel_shuffle`.
    """
    return TENSORS.channel_shuffle(input, groups)
