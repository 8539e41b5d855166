"""Initial values of parameters, with PyTorch's own random numbers (mirrors `torch.nn.init`)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.grad_mode import no_grad
from ..core.memory.versions import increment_version
from ..core.random import distributions, streams
from ..core.random.generator import Generator
from ..core.recording.inplace import commit
from ..core.runtime.modes import LOCAL
from ..core.tensor.dispatching import instead
from ..core.tensor.overriding import overrides
from ..core.tensor.tensor import Tensor
from ..ops.table.signatures import explain

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
_EMPTY = "Initializing zero-element tensors is a no-op"


def _asked(tensor: Tensor, draw: Callable[..., Any], a: float, b: float, generator: Any = None) -> Tensor:
    """The same while modes or a class are to be asked, by the method of that name."""
    with no_grad():
        found: Tensor = getattr(tensor, draw.__name__)(a, b, generator=generator)
    return found


@instead(lambda call, args, kwargs: _asked(*args))
def _drawn(tensor: Tensor, draw: Callable[..., Any], *args: Any) -> Tensor:
    """Fill the tensor from a stream of random numbers, as an in-place operation that is not recorded."""
    if draw is not distributions.trunc_normal_ and (LOCAL.state.function_modes or overrides(type(tensor))):
        return _asked(tensor, draw, *args)
    try:
        fresh = streams.copy_to_fill(tensor._array)
        draw(fresh, *args)
    except (AttributeError, TypeError, ValueError):
        if draw is not distributions.trunc_normal_:  # the others stand for methods
            getattr(tensor, draw.__name__)
            explain(draw.__name__, args[:-1], {"generator": args[-1]}, "Tensor")
        raise
    commit(tensor, fresh)
    return tensor


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The gain recommended for the initial weights before an activation: it keeps the scale of values.
    Errors: ValueError for an unknown name or a slope that is not a number.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.init.calculate_gain('tanh')
        1.6666666666666667

    Mirrors `torch.nn.init.calculate_gain`.
    """
    if nonlinearity in _LINEAR or nonlinearity == "sigmoid":
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Filled with numbers uniform in [a, b).

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.init.uniform_(torch.empty(2))
        tensor([0.4963, 0.7682])

    Mirrors `torch.nn.init.uniform_`.
    """
    return _drawn(tensor, streams.uniform_, a, b, generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Filled with normal numbers.

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.init.normal_(torch.empty(2))
        tensor([ 1.5410, -0.2934])

    Mirrors `torch.nn.init.normal_`.
    """
    return _drawn(tensor, streams.normal_, mean, std, generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Filled with normal numbers truncated to [a, b].

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.init.trunc_normal_(torch.empty(3)).abs().max() <= 2
        tensor(True)

    Mirrors `torch.nn.init.trunc_normal_`.
    """
    times = 1 if tensor.is_meta or not tensor._array.size else 2
    return _writes(_drawn(tensor, distributions.trunc_normal_, mean, std, a, b, generator), times)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Filled with a number.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.init.constant_(torch.empty(2), 0.5)
        tensor([0.5000, 0.5000])

    Mirrors `torch.nn.init.constant_`.
    """
    return _filled(tensor, val)


def _filled(tensor: Tensor, val: float) -> Tensor:
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Filled with 1.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.init.ones_(torch.empty(2))
        tensor([1., 1.])

    Mirrors `torch.nn.init.ones_`.
    """
    return _filled(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Filled with 0.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.init.zeros_(torch.empty(2))
        tensor([0., 0.])

    Mirrors `torch.nn.init.zeros_`.
    """
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """A matrix filled with the identity.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.init.eye_(torch.empty(2, 2))
        tensor([[1., 0.],
                [0., 1.]])

    Mirrors `torch.nn.init.eye_`.
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _written(tensor, np.eye(*tensor.shape))


def _written(tensor: Tensor, values: Any, times: int = 1) -> Tensor:
    """times: how often PyTorch writes until the values are there."""
    commit(tensor, values)
    return _writes(tensor, times)


def _writes(tensor: Tensor, times: int) -> Tensor:
    """The tensor, once written, as PyTorch counts its writes."""
    for _ in range(times - 1):
        increment_version(tensor)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """The weights of a convolution filled so that it returns its input.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.init.dirac_(torch.empty(1, 1, 3))
        tensor([[[0., 1., 0.]]])

    Mirrors `torch.nn.init.dirac_`.
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups:
        raise ValueError("dim 0 must be divisible by groups")
    shape = tuple(tensor.shape)
    values = np.zeros(shape)
    per = shape[0] // groups
    middle = tuple(n // 2 for n in shape[2:])
    for g in range(groups):
        for d in range(min(per, shape[1])):
            values[(g * per + d, d, *middle)] = 1
    return _written(tensor, values, 1 + groups * min(per, shape[1]))


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    into, out_of = tensor.size(1), tensor.size(0)  # asked for one by one, as a mode hears it
    field = math.prod(tensor.shape[2:]) if tensor.dim() > 2 else 1
    return into * field, out_of * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Filled with uniform numbers of variance gain² * 2 / (fan_in + fan_out).

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.init.xavier_uniform_(torch.empty(2, 2))
        tensor([[-0.0092,  0.6570],
                [-1.0080, -0.9013]])

    Mirrors `torch.nn.init.xavier_uniform_`.
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    a = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return _drawn(tensor, streams.uniform_, -a, a, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Filled with normal numbers of variance gain² * 2 / (fan_in + fan_out).

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.init.xavier_normal_(torch.empty(2, 2))
        tensor([[ 1.0896, -0.2075],
                [-1.5406,  0.4019]])

    Mirrors `torch.nn.init.xavier_normal_`.
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return _drawn(tensor, streams.normal_, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Filled with uniform numbers of variance gain² / fan_in (or fan_out), for layers before a relu.

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.init.kaiming_uniform_(torch.empty(2, 2))
        tensor([[-0.0130,  0.9291],
                [-1.4256, -1.2747]])

    Mirrors `torch.nn.init.kaiming_uniform_`.
    """
    if 0 in tensor.shape:
        warnings.warn(_EMPTY, stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return _drawn(tensor, streams.uniform_, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Filled with normal numbers of variance gain² / fan_in (or fan_out), for layers before a relu.

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.init.kaiming_normal_(torch.empty(2, 2))
        tensor([[ 1.5410, -0.2934],
                [-2.1788,  0.5684]])

    Mirrors `torch.nn.init.kaiming_normal_`.
    """
    if 0 in tensor.shape:
        warnings.warn(_EMPTY, stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    return _drawn(tensor, streams.normal_, 0, std, generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Filled with a random matrix whose rows, or columns, are orthonormal.

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> Q = nn.init.orthogonal_(torch.empty(2, 2))
        >>> torch.allclose(Q @ Q.T, torch.eye(2), atol=1e-6)
        True

    Mirrors `torch.nn.init.orthogonal_`.
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor._array.size:
        return tensor
    rows = tensor._array.shape[0]
    cols = tensor._array.size // rows
    flat = streams.normal((rows, cols), tensor._array.dtype, 0.0, 1.0, generator)
    q, r = np.linalg.qr(flat.T if rows < cols else flat)
    q = q * np.sign(np.diag(r))
    return _written(tensor, (q.T if rows < cols else q).reshape(tensor._array.shape) * gain, 2)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Filled with normal numbers, a fraction of each column with 0.

    Note: the numbers are PyTorch's own after the same manual_seed. The tensor is changed in place and
        returned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> (nn.init.sparse_(torch.empty(4, 2), 0.5) == 0).sum(0)
        tensor([2, 2])

    Mirrors `torch.nn.init.sparse_`.
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, cols = tensor._array.shape
    zeros = math.ceil(sparsity * rows)
    _drawn(tensor, streams.normal_, 0, std, generator)
    for col in range(cols):
        tensor._array[streams.randperm(rows)[:zeros], col] = 0
    return _writes(tensor, 1 + cols)


#: what copies of layers call where PyTorch fills without a record
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = _filled, zeros_


def _deprecated(new: Callable[..., Any]) -> Callable[..., Any]:
    name = new.__name__

    def old(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.", FutureWarning, stacklevel=2
        )
        return new(*args, **kwargs)

    old.__name__ = name[:-1]
    old.__doc__ = f"The old name of `{name}`."
    return old


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
