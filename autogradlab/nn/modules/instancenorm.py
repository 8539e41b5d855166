"""Instance normalization layers."""

from __future__ import annotations

import warnings
from typing import Any

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from .. import functional as F
from .batchnorm import _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


def _quoted(key: str) -> str:
    return f'"{key}"'


class _InstanceNorm(_NormBase):
    _n = 1

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        old = local_metadata.get("version") is None and not self.track_running_stats
        found = [key for key in (prefix + "running_mean", prefix + "running_var") if old and key in state_dict]
        if found:  # files of PyTorch before 0.4 have them always
            kind = type(self).__name__
            rest[-1].append(  # error_msgs
                f"Unexpected running stats buffer(s) {' and '.join(map(_quoted, found))} for {kind} with "
                "track_running_stats=False. If state_dict is a checkpoint saved before 0.4.0, this may be expected "
                f"because {kind} does not track running stats by default since 0.4.0. Please remove these keys from "
                "state_dict. If the running stats are actually needed, instead set track_running_stats=True in "
                f"{kind} to enable them. See the documentation of {kind} for details."
            )
            for key in found:
                state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def _get_no_batch_dim(self) -> int:
        return self._n + 1

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (self._n + 1, self._n + 2):
            raise ValueError(f"expected {self._n + 1}D or {self._n + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalized channel by channel."""
        self._check_input_dim(input)
        single = input.ndim == self._get_no_batch_dim()
        dim = input.ndim - self._get_no_batch_dim()
        if input.shape[dim] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features "
                    f"({self.num_features}), but got: {input.shape[dim]}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing "
                "in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        x = TENSORS.unsqueeze(input, 0) if single else input
        weight, bias, mean, var, _ = self._tensors()
        out = F.instance_norm(
            x,
            mean,
            var,
            weight,
            bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return TENSORS.squeeze(out, 0) if single else out


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each sample normalized to mean 0 and variance 1.

    Shapes: (N, C, L) or (C, L).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.InstanceNorm1d(2)(torch.tensor([[[1., 3.], [10., 50.]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])

    Mirrors `torch.nn.InstanceNorm1d`.
    """


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each sample normalized to mean 0 and variance 1.

    Shapes: (N, C, H, W) or (C, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.InstanceNorm2d(1)(torch.tensor([[[[1., 3.]]]]))
        tensor([[[[-1.0000,  1.0000]]]])

    Mirrors `torch.nn.InstanceNorm2d`.
    """

    _n = 2


class InstanceNorm3d(_InstanceNorm):
    """Each channel of each sample normalized to mean 0 and variance 1.

    Shapes: (N, C, D, H, W) or (C, D, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.InstanceNorm3d(1)(torch.tensor([[[[[1., 3.]]]]]))
        tensor([[[[[-1.0000,  1.0000]]]]])

    Mirrors `torch.nn.InstanceNorm3d`.
    """

    _n = 3


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm1d, whose num_features are those of its first input.

    Shapes: (N, C, L) gives the same.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LazyInstanceNorm1d()
        >>> _ = layer(torch.rand(2, 3, 4))
        >>> layer.num_features
        3

    Mirrors `torch.nn.LazyInstanceNorm1d`.
    """

    cls_to_become = InstanceNorm1d
    _n = 1


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm2d, whose num_features are those of its first input.

    Shapes: (N, C, H, W) gives the same.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LazyInstanceNorm2d()
        >>> _ = layer(torch.rand(2, 3, 4, 4))
        >>> layer.num_features
        3

    Mirrors `torch.nn.LazyInstanceNorm2d`.
    """

    cls_to_become = InstanceNorm2d
    _n = 2


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm3d, whose num_features are those of its first input.

    Shapes: (N, C, D, H, W) gives the same.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LazyInstanceNorm3d()
        >>> _ = layer(torch.rand(2, 3, 4, 4, 4))
        >>> layer.num_features
        3

    Mirrors `torch.nn.LazyInstanceNorm3d`.
    """

    cls_to_become = InstanceNorm3d
    _n = 3
