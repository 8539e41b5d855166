"""Batch normalization layers."""

from __future__ import annotations

from typing import Any, cast

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import int64
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .lazy import LazyModuleMixin, empty_buffer, empty_parameter
from .module import Module, named
from .utils import empty, ones, zeros

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]


class _NormBase(Module):
    """Weight, bias and running statistics of a normalization by channels."""

    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(
                name, Parameter(empty(num_features, device=device, dtype=dtype)) if wanted else None
            )
        if track_running_stats:
            self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", TENSORS.tensor(0, dtype=int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1 and the count of batches to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the weight to 1, the bias to 0, and reset the running statistics."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                count = self.num_batches_tracked
                state_dict[key] = TENSORS.tensor(0, dtype=int64) if count is None or count.is_meta else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def _tensors(self) -> tuple[Any, ...]:
        """Its parameters and buffers, from where they are registered: to ask for each attribute takes longer."""
        own = self.__dict__
        parameters, buffers = own["_parameters"], own["_buffers"]
        try:
            learnt = parameters["weight"], parameters["bias"]
            return (*learnt, buffers["running_mean"], buffers["running_var"], buffers["num_batches_tracked"])
        except KeyError:  # one of them is set by a hook, or assigned
            return self.weight, self.bias, self.running_mean, self.running_var, self.num_batches_tracked


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        """The input, normalized over the batch."""
        self._check_input_dim(input)
        weight, bias, mean, var, count = self._tensors()
        training, tracks, momentum = self.training, self.track_running_stats, self.momentum
        factor = 0.0 if momentum is None else momentum
        if training and tracks and count is not None:
            count.add_(1)
            factor = 1.0 / float(count) if momentum is None else momentum
        batch = training or (mean is None and var is None)
        if training and not tracks:
            mean = var = None
        return F.batch_norm(input, mean, var, weight, bias, batch, factor, self.eps)


named(_BatchNorm, "__init__")


class BatchNorm1d(_BatchNorm):
    """Each feature normalized to mean 0 and variance 1 over the batch, then scaled and shifted by learnt weights; in
    eval() with the running mean and variance.

    Shapes: (N, C) or (N, C, L).
    Errors: ValueError in training for only one value per channel.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.BatchNorm1d(2)
        >>> layer(torch.tensor([[1., 10.], [3., 30.]]))
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]], grad_fn=<NativeBatchNormBackward0>)
        >>> layer.running_mean
        tensor([0.2000, 2.0000])

    Mirrors `torch.nn.BatchNorm1d`.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """BatchNorm1d for images: each channel over batch, height and width.

    Shapes: (N, C, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.BatchNorm2d(1)
        >>> layer(torch.tensor([[[[1., 3.]]]]))
        tensor([[[[-1.0000,  1.0000]]]], grad_fn=<NativeBatchNormBackward0>)

    Mirrors `torch.nn.BatchNorm2d`.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """BatchNorm1d for volumes.

    Shapes: (N, C, D, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.BatchNorm3d(1)(torch.tensor([[[[[1., 3.]]]]]))
        tensor([[[[[-1.0000,  1.0000]]]]], grad_fn=<NativeBatchNormBackward0>)

    Mirrors `torch.nn.BatchNorm3d`.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class SyncBatchNorm(_BatchNorm):
    """BatchNorm over several GPUs; convert_sync_batchnorm makes one of a BatchNorm.

    Shapes: (N, C, …).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.SyncBatchNorm(2)
        SyncBatchNorm(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)

    Mirrors `torch.nn.SyncBatchNorm`.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalized over the batch."""
        self._check_input_dim(input)
        if not input.shape[1]:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")
        return super().forward(input)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with a SyncBatchNorm in the place of each BatchNorm, of the same parameters and buffers."""
        made: Any = module
        if isinstance(module, _BatchNorm):
            made = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                made.weight, made.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked", "training"):
                setattr(made, name, getattr(module, name))
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return cast(Module, made)


class _LazyNormBase(LazyModuleMixin):
    """A normalization that learns num_features from its first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight: Any = empty_parameter(device, dtype)
            if bias:
                self.bias: Any = empty_parameter(device, dtype)
        if track_running_stats:
            self.running_mean: Any = empty_buffer(device, dtype)
            self.running_var: Any = empty_buffer(device, dtype)
            self.num_batches_tracked = TENSORS.tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Give the parameters new initial values."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:
        """Learn the sizes from the first input."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for value in (self.weight, self.bias, self.running_mean, self.running_var):
                if value is not None:
                    value.materialize((self.num_features,))
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """BatchNorm1d, whose num_features are those of its first input.

    Shapes: (N, C, L) gives the same.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LazyBatchNorm1d()
        >>> _ = layer(torch.rand(2, 3, 4))
        >>> layer.num_features
        3

    Mirrors `torch.nn.LazyBatchNorm1d`.
    """

    cls_to_become = BatchNorm1d
    _check_input_dim = BatchNorm1d._check_input_dim


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """BatchNorm2d, whose num_features are those of its first input.

    Shapes: (N, C, H, W) gives the same.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LazyBatchNorm2d()
        >>> _ = layer(torch.rand(2, 3, 4, 4))
        >>> layer.num_features
        3

    Mirrors `torch.nn.LazyBatchNorm2d`.
    """

    cls_to_become = BatchNorm2d
    _check_input_dim = BatchNorm2d._check_input_dim


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """BatchNorm3d, whose num_features are those of its first input.

    Shapes: (N, C, D, H, W) gives the same.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LazyBatchNorm3d()
        >>> _ = layer(torch.rand(2, 3, 4, 4, 4))
        >>> layer.num_features
        3

    Mirrors `torch.nn.LazyBatchNorm3d`.
    """

    cls_to_become = BatchNorm3d
    _check_input_dim = BatchNorm3d._check_input_dim
