"""The gradients of convolutions, each by one call (mirrors `torch.nn.grad`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor
from .functions.convolutions import expanded

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]

Sizes = int | Sequence[int]


def _of_input(n: int, doc: str) -> Callable[..., Tensor]:
    def conv_input(
        input_size: Sequence[int],
        weight: Tensor,
        grad_output: Tensor,
        stride: Sizes = 1,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
    ) -> Tensor:
        input = grad_output.new_empty(1).expand(input_size)
        return _gradients(n, grad_output, input, weight, stride, padding, dilation, groups)[0]

    return _named(conv_input, n, "input", doc)


def _of_weight(n: int, doc: str) -> Callable[..., Tensor]:
    def conv_weight(
        input: Tensor,
        weight_size: Sequence[int],
        grad_output: Tensor,
        stride: Sizes = 1,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
    ) -> Tensor:
        weight = grad_output.new_empty(1).expand(weight_size)
        return _gradients(n, grad_output, input, weight, stride, padding, dilation, groups)[1]

    return _named(conv_weight, n, "weight", doc)


def _gradients(
    n: int, grad_output: Tensor, input: Tensor, weight: Tensor, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """The gradients of a convolution over n dimensions by its input and by its weight."""
    if input.ndim != weight.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight {list(weight.shape)}, but "
            f"got {input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    sizes = expanded(stride, n, "stride"), expanded(padding, n, "padding"), expanded(dilation, n, "dilation")
    return TENSORS.convolution_backward(grad_output, input, weight, None, *sizes, False, (0,) * n, groups)


def _named(made: Callable[..., Tensor], n: int, of: str, doc: str) -> Callable[..., Tensor]:
    made.__name__ = made.__qualname__ = f"conv{n}d_{of}"
    made.__doc__ = doc
    return made


conv1d_input = _of_input(
    1,
    """The gradient of conv1d by its input, for the gradient of its output.

    Shapes: input_size; grad_output has the shape of the output.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.nn.grad.conv1d_input((1, 1, 3), torch.tensor([[[1., 2.]]]), torch.ones(1, 1, 2))
        tensor([[[1., 3., 2.]]])

    Mirrors `torch.nn.grad.conv1d_input`.
    """,
)
conv1d_weight = _of_weight(
    1,
    """The gradient of conv1d by its weight, for the gradient of its output.

    Shapes: weight_size; grad_output has the shape of the output.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.nn.grad.conv1d_weight(torch.tensor([[[1., 2., 4.]]]), (1, 1, 2), torch.ones(1, 1, 2))
        tensor([[[3., 6.]]])

    Mirrors `torch.nn.grad.conv1d_weight`.
    """,
)
conv2d_input = _of_input(
    2,
    """The gradient of conv2d by its input, for the gradient of its output.

    Shapes: input_size; grad_output has the shape of the output.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.nn.grad.conv2d_input((1, 1, 2, 2), torch.tensor([[[[1., 2.]]]]), torch.ones(1, 1, 2, 1))
        tensor([[[[1., 2.],
                  [1., 2.]]]])

    Mirrors `torch.nn.grad.conv2d_input`.
    """,
)
conv2d_weight = _of_weight(
    2,
    """The gradient of conv2d by its weight, for the gradient of its output.

    Shapes: weight_size; grad_output has the shape of the output.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.nn.grad.conv2d_weight(torch.tensor([[[[1., 2.], [3., 4.]]]]), (1, 1, 1, 2), torch.ones(1, 1, 2, 1))
        tensor([[[[4., 6.]]]])

    Mirrors `torch.nn.grad.conv2d_weight`.
    """,
)
conv3d_input = _of_input(
    3,
    """The gradient of conv3d by its input, for the gradient of its output.

    Shapes: input_size; grad_output has the shape of the output.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.nn.grad.conv3d_input((1, 1, 1, 1, 2), torch.tensor([[[[[1., 2.]]]]]), torch.ones(1, 1, 1, 1, 1))
        tensor([[[[[1., 2.]]]]])

    Mirrors `torch.nn.grad.conv3d_input`.
    """,
)
conv3d_weight = _of_weight(
    3,
    """The gradient of conv3d by its weight, for the gradient of its output.

    Shapes: weight_size; grad_output has the shape of the output.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.nn.grad.conv3d_weight(torch.tensor([[[[[1., 2.]]]]]), (1, 1, 1, 1, 2), torch.ones(1, 1, 1, 1, 1))
        tensor([[[[[1., 2.]]]]])

    Mirrors `torch.nn.grad.conv3d_weight`.
    """,
)
