"""Functions of neural networks that PyTorch offers as `torch.name`, some with other arguments than in nn.functional."""

from __future__ import annotations

from functools import wraps
from typing import Any

from ..core.random.generator import Generator, default_generator
from ..core.tensor.tensor import Tensor
from ..ops.table.opdef import FUNCTIONS
from ..ops.table.publishing import reading
from . import functional as F
from .functions.activations import _rrelu_with
from .functions.layers import gru, lstm, rnn_relu, rnn_tanh
from .functions.linear import _dropped
from .functions.losses import ranked
from .functions.normalizations import batch_normed, group_normed, instance_normed
from .functions.recurrent import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from .functions.sampling import grid_sampler
from .functions.weights import norm_except

__all__ = ["NAMES", "find"]

_WORDS = ("none", "mean", "sum")
_REDUCED: dict[int, Any] = {1: Tensor.mean, 2: Tensor.sum}
#: the same function under both names
_SAME = (
    "adaptive_avg_pool1d",
    "avg_pool1d",
    "bilinear",
    "celu_",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_similarity",
    "pairwise_distance",
    "pdist",
    "rrelu_",
    "selu_",
    "threshold_",
)
#: functions in C that take what the one of nn.functional takes, which is written in Python
_IN_C = ("max_pool1d", "max_pool2d", "max_pool3d", "rms_norm")
#: losses whose reduction is a number, and its place among their arguments
_LOSSES = {
    "cosine_embedding_loss": 4,
    "hinge_embedding_loss": 3,
    "kl_div": 2,
    "triplet_margin_loss": 7,
}
#: operations of the table that are published by themselves
_TABLE = (
    "celu",
    "channel_shuffle",
    "convolution",
    "embedding",
    "hardshrink",
    "log_softmax",
    "native_batch_norm",
    "native_group_norm",
    "native_layer_norm",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prelu",
    "selu",
    "softmax",
    "threshold",
)


def _probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")


@reading("dropout")
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """nn.functional.dropout with all arguments: each element 0 with probability p, the rest divided by 1 - p,
    if train.

    Shapes: any; the result has input's shape.

    Example:
        >>> import autogradlab as torch
        >>> torch.dropout(torch.ones(2), 0.5, False)
        tensor([1., 1.])

    Mirrors `torch.dropout`.
    """
    _probability(p)
    return F.dropout(input, p, train)


@reading("dropout_")
def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In place: the tensor itself gets the values of `dropout`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> _ = torch.manual_seed(0)
        >>> x = torch.ones(5)
        >>> torch.dropout_(x, 0.5, True)
        tensor([0., 0., 2., 0., 0.])
        >>> x
        tensor([0., 0., 2., 0., 0.])

    Mirrors `torch.dropout_`.
    """
    _probability(p)
    return F.dropout(input, p, train, True)


@reading("alpha_dropout")
def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """nn.functional.alpha_dropout with all arguments.

    Shapes: any; the result has input's shape.

    Example:
        >>> import autogradlab as torch
        >>> torch.alpha_dropout(torch.ones(2), 0.5, False)
        tensor([1., 1.])

    Mirrors `torch.alpha_dropout`.
    """
    _probability(p)
    return F.alpha_dropout(input, p, train)


@reading("feature_alpha_dropout")
def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """nn.functional.feature_alpha_dropout with all arguments.

    Shapes: any; the result has input's shape.

    Example:
        >>> import autogradlab as torch
        >>> torch.feature_alpha_dropout(torch.ones(1, 2), 0.5, False)
        tensor([[1., 1.]])

    Mirrors `torch.feature_alpha_dropout`.
    """
    _probability(p)
    return F.feature_alpha_dropout(input, p, train)


@reading("alpha_dropout_(Tensor input, float p, bool train) -> Tensor")
def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In place: the tensor itself gets the values of `alpha_dropout`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.alpha_dropout_(torch.ones(3), 0.5, True)
        tensor([-0.7792, -0.7792,  1.6656])

    Mirrors `torch.alpha_dropout_`.
    """
    _probability(p)
    return F.alpha_dropout(input, p, train, True)


@reading("feature_alpha_dropout_(Tensor input, float p, bool train) -> Tensor")
def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In place: the tensor itself gets the values of `feature_alpha_dropout` and keeps its shape and dtype.
    Errors: RuntimeError for a leaf that requires grad.

    Shapes: (N, C, …); the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.feature_alpha_dropout_(torch.ones(1, 3), 0.5, True)
        tensor([[-0.7792, -0.7792,  1.6656]])

    Mirrors `torch.feature_alpha_dropout_`.
    """
    _probability(p)
    return F.feature_alpha_dropout(input, p, train, True)


@reading("feature_dropout(Tensor input, float p, bool train) -> Tensor|input")
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Whole channels 0 with probability p, the rest divided by 1 - p, if train.

    Shapes: (N, C, …); the result has input's shape.

    Example:
        >>> import autogradlab as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.feature_dropout(torch.ones(1, 3, 2), 0.5, True)
        tensor([[[0., 0.],
                 [0., 0.],
                 [2., 2.]]])

    Mirrors `torch.feature_dropout`.
    """
    _probability(p)
    return _dropped(input, p, False, True) if train else input


@reading("feature_dropout_(Tensor input, float p, bool train) -> Tensor")
def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In place: the tensor itself gets the values of `feature_dropout`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    Shapes: (N, C, …); the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.feature_dropout_(torch.ones(1, 3), 0.5, True)
        tensor([[0., 0., 2.]])

    Mirrors `torch.feature_dropout_`.
    """
    _probability(p)
    return _dropped(input, p, True, True) if train else input


@reading("norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor")
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norms of the slices along `dim`, of all else: the lengths that weight_norm keeps. -1 is one norm of all.

    Shapes: the result has size 1 in every other dimension; () for -1.

    Example:
        >>> import autogradlab as torch
        >>> torch.norm_except_dim(torch.tensor([[3., 4.], [0., 2.]]))
        tensor([[5.],
                [2.]])

    Mirrors `torch.norm_except_dim`.
    """
    return norm_except(v, dim, pow)


@reading("margin_ranking_loss")
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """max(0, -target * (input1 - input2) + margin); reduction is 0 (none), 1 (mean) or 2 (sum).

    Shapes: all three broadcast.

    Example:
        >>> import autogradlab as torch
        >>> torch.margin_ranking_loss(torch.tensor([1., 2.]), torch.tensor([2., 1.]), torch.tensor([1., 1.]))
        tensor([1., 0.])

    Mirrors `torch.margin_ranking_loss`.
    """
    return ranked(input1, input2, target, margin, reduction)


@reading("ctc_loss")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """nn.functional.ctc_loss; reduction is 0 (none), 1 (mean) or 2 (sum).

    Shapes: log_probs (T, N, C), targets (N, S), lengths (N,).

    Example:
        >>> import autogradlab as torch
        >>> log_p = torch.log(torch.tensor([[[0.5, 0.5]], [[0.5, 0.5]]]))
        >>> torch.ctc_loss(log_p, torch.tensor([[1]]), [2], [1], reduction=2)
        tensor(0.2877)

    Mirrors `torch.ctc_loss`.
    """
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _WORDS[reduction], zero_infinity)


@reading("batch_norm")
def batch_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """Each channel normalized to mean 0 and variance 1 over the batch, then scaled and shifted.

    Shapes: input (N, C, …); the others (C,).
    Note: all arguments are given; nn.functional has the form with defaults.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[1., 10.], [3., 30.]])
        >>> torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])

    Mirrors `torch.batch_norm`.
    """
    return batch_normed(input, weight, bias, running_mean, running_var, training, momentum, eps)


@reading("instance_norm")
def instance_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """Each channel of each sample normalized to mean 0 and variance 1.

    Shapes: input (N, C, …); the others (C,).
    Note: all arguments are given; nn.functional has the form with defaults.

    Example:
        >>> import autogradlab as torch
        >>> torch.instance_norm(torch.tensor([[[1., 3.]]]), None, None, None, None, True, 0.1, 1e-5, False)
        tensor([[[-1.0000,  1.0000]]])

    Mirrors `torch.instance_norm`.
    """
    return instance_normed(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


@reading("layer_norm")
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """The last dimensions normalized to mean 0 and variance 1, then scaled and shifted.

    Shapes: input (..., *normalized_shape); weight and bias normalized_shape.

    Example:
        >>> import autogradlab as torch
        >>> torch.layer_norm(torch.tensor([[1., 3.]]), (2,))
        tensor([[-1.0000,  1.0000]])

    Mirrors `torch.layer_norm`.
    """
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


@reading("group_norm")
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Groups of channels of each sample normalized to mean 0 and variance 1, then scaled and shifted.

    Shapes: input (N, C, …); weight and bias (C,).

    Example:
        >>> import autogradlab as torch
        >>> torch.group_norm(torch.tensor([[1., 3., 10., 50.]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])

    Mirrors `torch.group_norm`.
    """
    return group_normed(input, num_groups, weight, bias, eps)


@reading("rrelu")
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """leaky_relu, whose slope is drawn for each element from [lower, upper] in training, and is their mean otherwise.

    Shapes: any; the result has input's shape.

    Example:
        >>> import autogradlab as torch
        >>> torch.rrelu(torch.tensor([-1., 2.]))
        tensor([-0.2292,  2.0000])

    Mirrors `torch.rrelu`.
    """
    return _rrelu_with(generator or default_generator, input, lower, upper, training, False)


@reading("adaptive_max_pool1d")
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest element of each window and its index, with windows chosen so that the output has a given size.

    Shapes: (N, C, L) gives (N, C, output_size), twice.

    Example:
        >>> import autogradlab as torch
        >>> torch.adaptive_max_pool1d(torch.tensor([[[1., 3., 2., 6.]]]), 2)
        (tensor([[[3., 6.]]]), tensor([[[1, 3]]]))

    Mirrors `torch.adaptive_max_pool1d`.
    """
    return F.adaptive_max_pool1d(input, output_size, True)


@reading("poisson_nll_loss")
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """exp(input) - target * input, with all arguments; reduction is 0 (none), 1 (mean) or 2 (sum).

    Shapes: input and target alike.

    Example:
        >>> import autogradlab as torch
        >>> torch.poisson_nll_loss(torch.tensor([0., 1.]), torch.tensor([1., 3.]), True, False, 1e-8, 1)
        tensor(0.3591)

    Mirrors `torch.poisson_nll_loss`.
    """
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_WORDS[reduction])


_OWN = {
    f.__name__: f
    for f in (
        dropout,
        dropout_,
        alpha_dropout,
        alpha_dropout_,
        feature_alpha_dropout,
        feature_alpha_dropout_,
        feature_dropout,
        feature_dropout_,
        norm_except_dim,
        margin_ranking_loss,
        ctc_loss,
        batch_norm,
        instance_norm,
        layer_norm,
        group_norm,
        rrelu,
        grid_sampler,
        adaptive_max_pool1d,
        poisson_nll_loss,
        lstm,
        gru,
        rnn_tanh,
        rnn_relu,
        lstm_cell,
        gru_cell,
        rnn_tanh_cell,
        rnn_relu_cell,
    )
}
NAMES = frozenset((*_SAME, *_IN_C, *_LOSSES, *_TABLE, *_OWN))


def _loss(name: str) -> Any:
    """The loss whose reduction is a number; PyTorch reads a missing one as 0, for none."""
    function, place = getattr(F, name), _LOSSES[name]

    def loss(*args: Any, reduction: int = 0, **kwargs: Any) -> Any:
        if len(args) > place:
            args, reduction = args[:-1], args[-1]
        losses = function(*args, reduction="none", **kwargs)
        return _REDUCED[reduction](losses) if reduction in _REDUCED else losses

    loss.__name__ = loss.__qualname__ = name
    loss.__doc__ = function.__doc__
    return reading(name)(loss)


def find(name: str) -> Any:
    """The function that is `torch.name`. Errors: AttributeError for a name that is not in NAMES."""
    if name in _OWN:
        return _OWN[name]
    if name in _SAME:
        return getattr(F, name)
    if name in _IN_C:
        function = getattr(F, name)
        return reading(name)(wraps(function)(lambda *args, **kwargs: function(*args, **kwargs)))
    if name in _LOSSES:
        return _loss(name)
    if name in _TABLE:
        return FUNCTIONS[name]
    raise AttributeError(f"module 'torch' has no attribute '{name}'")
