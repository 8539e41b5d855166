"""Samples: functions of neural networks, for their derivatives;
tests/nn compares their arguments and errors with torch."""

from __future__ import annotations

import numpy as np

from tests.ops.harness import A, Case, D, case, samples

X, WIDE = A(2, 3), A(2, 4, low=0.3, high=2.0)
IMAGE, SIGNAL, VOLUME = A(1, 2, 4, 4), A(2, 2, 6), A(1, 1, 3, 3, 3)
CLASSES = A(values=[2, 0], dtype="int64")
TARGET = A(2, 3, low=0.1, high=0.9, grad=False)
SIGNS = A(values=[1.0, -1.0], dtype="float64", grad=False)


def network(name: str, *cases: Case) -> None:
    """Cases of a function of nn.functional."""
    samples(f"F_{name}", *cases, path=f"nn.functional.{name}", method=False, inplace=False, out=False)


for _name in (
    "elu",
    "celu",
    "selu",
    "gelu",
    "silu",
    "mish",
    "leaky_relu",
    "relu6",
    "hardtanh",
    "hardswish",
    "hardshrink",
    "softshrink",
    "tanhshrink",
    "softplus",
    "softsign",
    "logsigmoid",
    "relu",
):
    network(_name, case(A(2, 3, low=0.6, high=0.9)), case(A(2, 3, low=-0.45, high=-0.1)), case(X).but(smooth=False))
network(
    "hardsigmoid", case(A(2, 3, low=0.6, high=0.9)).but(second=False, smooth=False)
)  # torch's 1/6 is a float32, and it has no second
network("gelu", case(X, approximate="tanh"))
network("glu", case(WIDE), case(A(4, 3), 0))
network("prelu", case(X, A(1)), case(X, A(3)))
network("threshold", case(A(3, low=0.2, high=1.0), 0.1, 5.0), case(A(3, low=-1.0, high=0.0), 0.1, 5.0))
network("softmax", case(X, dim=1), case(X, dim=0), case(A(3), dim=0))
for _name in ("_softmax_backward_data", "_log_softmax_backward_data"):
    samples(_name, *(case(X, A(2, 3), d, D("float64")) for d in (0, 1)), method=False)
samples("_softmax_backward_data", case(X, A(3), 0, D("float64")), method=False)
samples(
    "_safe_softmax",
    case(X, 1),
    case(A(values=[[-np.inf, -np.inf], [0.0, 1.0]], grad=False), 1),
    case(A(2, 3, dtype="int64"), 0, D("float32")),
    method=False,
    covers="safe_softmax",
)
samples("native_dropout", case(X, 0.5, False), case(X, 1.0, True), case(X, 2.0, True), method=False)
samples(
    "native_dropout_backward",
    case(X, A(2, 3, dtype="bool"), 2.0),
    path="ops.aten.native_dropout_backward",
    method=False,
)
samples("native_channel_shuffle", case(A(1, 4, 3), 2), case(A(1, 4, 3), 3), case(A(4, 3), 2), method=False)
network("softmin", case(X, dim=1))
network("log_softmax", case(X, dim=1), case(X, dim=-2))
network("linear", case(X, A(4, 3)), case(X, A(4, 3), A(4)), case(A(3), A(4, 3), A(4)), case(A(2, 2, 3), A(4, 3)))
network("bilinear", case(X, A(2, 2), A(4, 3, 2)), case(X, A(2, 2), A(4, 3, 2), A(4)))
network(
    "embedding",
    case(A(values=[[0, 2], [1, 2]], dtype="int64"), A(3, 2)),
    case(CLASSES, A(3, 2), padding_idx=0).but(smooth=False),
)
BAGS = A(values=[0, 2, 2, 1, 0], dtype="int64")
STARTS = A(values=[0, 2, 2], dtype="int64")
for _mode in ("sum", "mean", "max"):
    network(
        "embedding_bag",
        *(
            c.but(second=False)
            for c in (
                case(A(values=[[0, 2], [1, 2]], dtype="int64"), A(3, 2), mode=_mode),
                case(BAGS, A(3, 2), STARTS, mode=_mode),
                case(BAGS, A(3, 2), STARTS, mode=_mode, padding_idx=-1),
                case(BAGS, A(3, 2), A(values=[0, 3, 5], dtype="int64"), mode=_mode, include_last_offset=True),
                case(BAGS, A(3, 2), A(values=[1], dtype="int64"), mode=_mode),
                case(BAGS, A(3, 2), A(values=[0, 9], dtype="int64"), mode=_mode),
            )
        ),
    )
network(
    "embedding_bag",
    *(
        c.but(second=False)
        for c in (
            case(
                A(values=[[0, 2], [1, 2]], dtype="int64"),
                A(3, 2),
                mode="sum",
                per_sample_weights=A(2, 2),
                padding_idx=2,
            ),
            case(A(values=[[0, 2], [1, 2]], dtype="int64"), A(3, 2), mode="sum", scale_grad_by_freq=True).but(
                smooth=False
            ),
            case(A(values=[[0, 3]], dtype="int64"), A(3, 2)),
            case(A(values=[[0, 3]], dtype="int64"), A(3, 2, dtype="float32")),
            case(A(values=[[0, 1]], dtype="int64"), A(3, 2), padding_idx=3),
        )
    ),
)
network(
    "rrelu", case(A(2, 3, low=0.6)), case(A(2, 3, low=-0.9, high=-0.3)), case(X, 0.3, 0.1), case(X, 0.1, float("inf"))
)
network("softshrink", case(X, -0.5), case(A(2, dtype="float16"), -0.5), case(A(2, dtype="int64")))
for _name in ("dropout1d", "dropout3d"):
    network(_name, case(A(2, 3) if _name == "dropout1d" else A(2, 3, 2, 2), training=False))
network("normalize", case(A(2, 3, low=0.5)), case(A(2, 3, low=0.5), 1.0, 0))
network("cosine_similarity", case(A(2, 3, low=0.5), A(2, 3, low=0.5)))
network("pairwise_distance", case(X, A(2, 3, low=3, high=5)), case(X, A(2, 3, low=3, high=5), 1.0))
network(
    "scaled_dot_product_attention",
    case(A(2, 3), A(4, 3), A(4, 2)),
    case(A(1, 2, 3), A(1, 2, 3), A(1, 2, 3), is_causal=True),
    case(A(2, 3), A(4, 3), A(4, 2), A(2, 4)),
    case(A(2, 3), A(4, 3), A(4, 2), scale=0.3),
)
Q, K = A(2, 2, 3, 4), A(2, 2, 5, 4)
PART = A(values=[[True, False, True, True, False], [False] * 5, [True] * 5], dtype="bool")
network(
    "scaled_dot_product_attention",
    *(
        c.but(second=False)
        for c in (
            case(Q, K, K),
            case(Q, Q, Q, is_causal=True),
            case(Q, K, K, scale=0.3),
            case(Q, K, K, A(3, 5, grad=False)),
            case(Q, K, K, PART),
            case(Q, K, K, A(2, 1, 3, 5, grad=False)),
            case(A(2, 2, 3, 4, layout="transposed"), K, K),
            case(Q, K, K, A(3, 5)),
            case(Q, K, A(2, 2, 5, 3)),
            case(Q, K, K, is_causal=True),
            case(Q, K, K, A(2, 3, 5, grad=False)),
        )
    ),
)

# -- losses ------------------------------------------------------------------------------------------------------------
for _reduction in ("mean", "sum", "none"):
    for _name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        network(
            _name,
            case(A(2, 3, low=1.2, high=1.8), A(2, 3, low=0.0, high=1.0), reduction=_reduction),
            case(A(2, 3, low=4.2, high=4.8), A(2, 3, low=0.0, high=1.0), reduction=_reduction),
        )
    network(
        "cross_entropy",
        case(X, CLASSES, reduction=_reduction),
        case(X, CLASSES, A(3, low=0.2, grad=False), reduction=_reduction),
        case(X, TARGET, reduction=_reduction),
        case(X, CLASSES, label_smoothing=0.2, reduction=_reduction),
    )
    network(
        "nll_loss",
        case(X, CLASSES, reduction=_reduction),
        case(X, CLASSES, ignore_index=0, reduction=_reduction),
        case(A(2, 3, 2), A(values=[[0, 2], [1, 1]], dtype="int64"), reduction=_reduction),
    )
    network("binary_cross_entropy", case(A(2, 3, low=0.2, high=0.8), TARGET, reduction=_reduction))
    network(
        "binary_cross_entropy_with_logits",
        case(X, TARGET, reduction=_reduction),
        case(X, TARGET, pos_weight=A(3, low=0.5, grad=False), reduction=_reduction),
    )
    network("kl_div", case(X, TARGET, reduction=_reduction), case(X, TARGET, log_target=True, reduction=_reduction))
    network(
        "poisson_nll_loss",
        case(X, TARGET, reduction=_reduction),
        case(A(2, 3, low=0.3), TARGET, log_input=False, reduction=_reduction),
    )
    network("gaussian_nll_loss", case(X, TARGET, A(2, 3, low=0.5, high=2.0), reduction=_reduction))
    network("soft_margin_loss", case(A(2), SIGNS, reduction=_reduction))
    network("hinge_embedding_loss", case(A(2, low=0.2, high=0.8), SIGNS, reduction=_reduction))
    network("margin_ranking_loss", case(A(2, low=2, high=3), A(2, low=0, high=1), SIGNS, reduction=_reduction))
    network("cosine_embedding_loss", case(A(2, 3, low=0.5), A(2, 3, low=0.5), SIGNS, reduction=_reduction))
    network("triplet_margin_loss", case(X, A(2, 3, low=3, high=4), A(2, 3, low=2, high=3), reduction=_reduction))
    network(
        "multi_margin_loss",
        case(A(2, 3, low=0.1, high=0.5), CLASSES, reduction=_reduction).but(second=False),
        case(A(2, 3, low=0.1, high=0.5), CLASSES, p=2, reduction=_reduction).but(second=False),
    )
    network(
        "multi_margin_loss",
        case(A(2, 0), CLASSES),
        case(X, A(2)),
        case(X, A(values=[1], dtype="int64")),
        case(A(2, 3, 2), CLASSES),
        case(X, CLASSES, weight=A(4, grad=False)),
    )
    network("multilabel_soft_margin_loss", case(X, TARGET, reduction=_reduction))

# -- convolutions, pooling, normalization ------------------------------------------------------------------------------
network(
    "conv1d",
    case(SIGNAL, A(3, 2, 3)),
    case(SIGNAL, A(3, 2, 2), A(3), stride=2, padding=1),
    case(SIGNAL, A(4, 1, 2), groups=2),
    case(SIGNAL, A(3, 2, 3), padding="same"),
    case(SIGNAL, A(3, 2, 2), dilation=2),
)
samples(
    "conv_tbc",
    case(A(4, 2, 3), A(2, 3, 2), A(2)),
    case(A(4, 2, 3), A(3, 3, 2), A(2), 1),
    case(A(2, 1, 3), A(5, 3, 2), A(2), pad=2),
    case(A(5, 2, 3), A(2, 3, 2), A(2), -1),
    case(A(4, 2, 3, dtype="float32"), A(2, 3, 2, dtype="float32"), A(2, dtype="float64")).but(first=False),
    case(A(4, 2, 3, dtype="int64"), A(2, 3, 2, dtype="int64"), A(2, dtype="int64")),
    case(A(2, 3), A(2, 3, 2), A(2)),
    case(A(4, 2, 3), A(3, 2), A(2)),
    case(A(4, 2, 3), A(2, 3, 2), A(1, 2)),
    case(A(4, 2, 3), A(2, 2, 2), A(2)),
    case(A(4, 2, 3), A(2, 3, 2), A(3)),
    case(A(1, 2, 3), A(4, 3, 2), A(2)),
    case(A(4, 2, 3, dtype="float32"), A(2, 3, 2), A(2)),
    case(A(4, 2, 3, dtype="complex128"), A(2, 3, 2, dtype="complex128"), A(2, dtype="complex128")),
)
network(
    "conv2d",
    case(IMAGE, A(3, 2, 2, 2)),
    case(IMAGE, A(2, 2, 3, 3), A(2), stride=2, padding=1),
    case(IMAGE, A(2, 1, 2, 2), groups=2),
    case(IMAGE, A(1, 2, 2, 2), dilation=2),
    case(A(2, 4, 4), A(1, 2, 3, 2)),
)
network(
    "conv2d",
    *(
        case(IMAGE, w, b, **o)
        for w, b, o in (
            (A(1, 2, 2), None, {}),
            (A(1, 2, 2), None, {"padding": "same"}),
            (A(1, 2), None, {}),
            (A(1, 2, 2, 2, 2), None, {}),
            (A(1, 2, 2, 2), None, {"groups": 0}),
            (A(1, 1, 2, 2), None, {"groups": 2}),
            (A(1, 2, 2, 2), None, {"dilation": 0}),
            (A(1, 2, 2, 2), None, {"dilation": -1}),
        )
    ),
    case(A(1, 2, 4, 4, dtype="complex128"), A(1, 2, 2, 2, dtype="complex128"), A(1, dtype="complex128")),
)
network("conv3d", case(VOLUME, A(2, 1, 2, 2, 2)), case(VOLUME, A(1, 1, 2, 2, 2), A(1), stride=2, padding=1))
network(
    "conv_transpose1d", case(SIGNAL, A(2, 3, 3)), case(SIGNAL, A(2, 1, 2), A(2), stride=2, groups=2, output_padding=1)
)
network("conv_transpose2d", case(IMAGE, A(2, 1, 2, 2)), case(IMAGE, A(2, 2, 3, 3), A(2), stride=2, padding=1))
network("conv_transpose3d", case(VOLUME, A(1, 1, 2, 2, 2)))
network("unfold", case(IMAGE, 2), case(IMAGE, (2, 3), stride=2, padding=1))
network("fold", case(A(1, 4, 4), (3, 3), 2), case(A(1, 8, 4), (4, 4), 2, stride=2))
for _d, _x in (("1d", SIGNAL), ("2d", IMAGE), ("3d", VOLUME)):
    network(f"max_pool{_d}", case(_x, 0), case(_x, 0, 1), case(_x, 2), case(_x, 3, stride=1, padding=1))
    network(
        f"avg_pool{_d}",
        case(_x, 0),
        case(_x, 2),
        case(_x, 3, stride=1, padding=1),
        case(_x, 3, stride=1, padding=1, count_include_pad=False),
    )
for _d, _x in (("1d", SIGNAL), ("2d", IMAGE)):
    network(f"adaptive_avg_pool{_d}", case(_x, 2), case(_x, 3))
    network(f"adaptive_max_pool{_d}", case(_x, 2), case(_x, 3))
network(
    "max_pool1d",
    *(case(SIGNAL, *a) for a in ((0,), (2, 0), (2, 2, -1), (2, 2, 2), (2, 2, 0, 0), ((2, 2),), (2, (1, 1)), (9,))),
    *(
        case(SIGNAL, *a, return_indices=True)
        for a in ((0,), (2, 0), (2, 2, -1), (2, 2, 2), (2, 2, 0, 0), ((2, 2),), (9,), (2,))
    ),
)
network("max_pool3d", case(A(1, 1, 2, 0, 2), 1), case(A(0, 1, 2, 2), 1))
network("adaptive_avg_pool2d", case(IMAGE, ()), case(IMAGE, (-1, 2)))
network("adaptive_avg_pool3d", case(VOLUME, (-1, 2, 1)))
network("adaptive_max_pool2d", case(IMAGE, ()), case(IMAGE, (-1, 2)))
network("lp_pool1d", case(A(1, 2, 6, low=0.5), 2, 2))
network("lp_pool2d", case(A(1, 1, 4, 4, low=0.5), 3, 2))
for _mode in ("constant", "reflect", "replicate", "circular"):
    network("pad", case(SIGNAL, (2, 1), mode=_mode), case(IMAGE, (1, 2, 2, 1), mode=_mode))
network(
    "interpolate",
    case(IMAGE, scale_factor=2),
    case(IMAGE, size=(3, 5)),
    case(SIGNAL, size=4, mode="linear"),
    case(IMAGE, scale_factor=2, mode="bilinear"),
    case(IMAGE, size=(3, 7), mode="bilinear", align_corners=True),
)
network("layer_norm", case(X, (3,)), case(X, (3,), A(3), A(3)), case(A(2, 2, 3), (2, 3)))
network("group_norm", case(A(2, 4, 3), 2), case(A(2, 4, 3), 2, A(4), A(4)))
network(
    "batch_norm",
    case(A(4, 2), None, None, A(2), A(2), training=True),
    case(A(2, 2, 3), None, None, training=True),
    case(A(4, 2), A(2, grad=False), A(2, low=0.5, grad=False), A(2), A(2)),
)
network("instance_norm", case(A(2, 2, 5)), case(A(2, 2, 5), None, None, A(2), A(2)))
network("rms_norm", case(X, (3,)), case(X, (3,), A(3)))
network("local_response_norm", case(A(1, 3, 2), 2))
network("pixel_shuffle", case(A(1, 4, 2, 2), 2))
network("pixel_unshuffle", case(A(1, 1, 4, 4), 2))
network("channel_shuffle", case(A(1, 4, 2, 2), 2))
network("pdist", case(A(3, 2)).but(second=False))

# -- three dimensions, resampling --------------------------------------------------------------------------------------
for _mode in ("constant", "reflect", "replicate"):
    network("pad", case(VOLUME, (1, 1, 0, 1, 1, 0), mode=_mode))
network(
    "interpolate",
    case(SIGNAL, size=4),
    case(VOLUME, size=2),
    case(VOLUME, scale_factor=2, mode="trilinear"),
    case(IMAGE, scale_factor=2, mode="bicubic"),
    *(case(IMAGE, size=(3, 6), mode=m, antialias=True) for m in ("bilinear", "bicubic", "lanczos")),
    case(IMAGE, scale_factor=(0.6, 1.7), mode="bilinear", antialias=True, align_corners=True),
    case(IMAGE, scale_factor=0.6, mode="bicubic", antialias=True, recompute_scale_factor=True),
    *(case(x, scale_factor=2, mode="nearest-exact") for x in (SIGNAL, IMAGE, VOLUME)),
)
network("adaptive_avg_pool3d", case(VOLUME, 2), case(VOLUME, 1))
network("adaptive_max_pool3d", case(VOLUME, 2))
network("lp_pool3d", case(A(1, 1, 4, 4, 4, low=0.5), 2, 2))
PLACES = A(values=[[[[0, 3], [9, 14]]]], dtype="int64")
network("max_unpool2d", case(A(1, 1, 2, 2), PLACES, 2))
network(
    "affine_grid",
    case(A(1, 2, 3), (1, 1, 2, 3), align_corners=True),
    case(A(1, 2, 3), (1, 1, 2, 3), align_corners=False),
)
for _padding in ("zeros", "border"):
    network(
        "grid_sample",
        case(IMAGE, A(1, 2, 3, 2, low=-0.7, high=0.7), padding_mode=_padding, align_corners=True).but(second=False),
        case(VOLUME, A(1, 2, 1, 2, 3, low=-0.7, high=0.7), padding_mode=_padding, align_corners=False).but(
            second=False
        ),
    )
network(
    "multilabel_margin_loss",
    case(A(2, 3, low=0.1, high=0.5), A(values=[[1, -1, 0], [0, 2, -1]], dtype="int64")).but(second=False),
)
network("layer_norm", case(X, (2,)), case(X, ()), case(A(0, 3), (3,)))
network("group_norm", case(A(0, 2), 1), case(A(0, 2), 2, A(2), A(2)))
network("rms_norm", case(X, (3,), A(3)), case(X, ()), case(X, (2, 3), A(2)), case(X, (2,), A(2)), case(X, (4, 2, 3)))
network("soft_margin_loss", case(A(5, 4), A(5, grad=False)))
network("triplet_margin_loss", case(A(3), A(2, 3), A(2, 3)))
