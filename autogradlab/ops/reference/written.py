"""What PyTorch writes in Python, where most of its functions are compiled."""

from __future__ import annotations

from types import FunctionType
from typing import Any

__all__ = ["IN_PYTHON", "is_compiled"]

_ROOT = __name__.partition(".")[0]
#: functions and methods that PyTorch writes in Python, by their namespaces: they tell objects all arguments, those with
#: defaults by name
IN_PYTHON = {
    "torch.functional": """atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod cdist
        chain_matmul einsum lu meshgrid norm split stft tensordot unique unique_consecutive""",
    "torch": "lobpcg pca_lowrank svd_lowrank",
    "torch.nn.functional": """adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
        adaptive_max_pool3d affine_grid alpha_dropout batch_norm binary_cross_entropy binary_cross_entropy_with_logits
        celu cosine_embedding_loss cross_entropy ctc_loss dropout dropout1d dropout2d dropout3d elu embedding
        embedding_bag feature_alpha_dropout fold fractional_max_pool2d fractional_max_pool3d gaussian_nll_loss glu
        grid_sample group_norm gumbel_softmax hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss
        instance_norm interpolate kl_div layer_norm leaky_relu linear_cross_entropy local_response_norm log_softmax
        lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d
        max_unpool3d mish mse_loss multi_head_attention_forward multi_margin_loss multilabel_margin_loss
        multilabel_soft_margin_loss nll_loss normalize pad poisson_nll_loss relu relu6 rms_norm rrelu selu silu
        smooth_l1_loss soft_margin_loss softmax softmin softsign tanhshrink threshold triplet_margin_loss
        triplet_margin_with_distance_loss unfold""",
    "torch.nn.init": "constant_ kaiming_uniform_ normal_ uniform_",
    "torch.Tensor": """__array__ __array_wrap__ __contains__ __deepcopy__ __dlpack__ __dlpack_device__ __floordiv__
        __format__ __ipow__ __len__ __pow__ __rdiv__ __repr__ __reversed__ __rfloordiv__ __rlshift__
        __rmatmul__ __rmod__ __rpow__ __rrshift__ __rsub__ __rtruediv__ backward dim_order is_shared
        istft lu module_load norm register_hook register_post_accumulate_grad_hook resize resize_as
        share_memory_ split stft storage storage_type unflatten unique unique_consecutive""",
    "torch.autograd": "backward grad",
}
#: those of torch.nn.functional that hand on what they are given, and tell nobody
_HANDING_ON = "l1_loss sigmoid tanh upsample upsample_bilinear upsample_nearest"
#: namespaces of functions that are compiled, all of them
_COMPILED = {f"{_ROOT}.{space}" for space in ("linalg", "fft", "special", "nn.namespace")}


def is_compiled(function: Any) -> bool:
    """Whether PyTorch has compiled a function of this package: one that becomes no method of a class that names it."""
    if type(function) is not FunctionType:
        return False
    module, name = function.__module__ or "", function.__name__.lstrip("_")
    if module.startswith(f"{_ROOT}.nn.functions."):
        return name not in f"{IN_PYTHON['torch.nn.functional']} {_HANDING_ON}".split()
    if module == "torch":
        return name not in f"{IN_PYTHON['torch.functional']} {IN_PYTHON['torch']}".split()
    return module in _COMPILED
