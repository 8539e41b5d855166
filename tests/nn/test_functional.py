"""nn.functional against PyTorch: values, first and second gradients, error texts."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import autogradlab
from autogradlab.ops.nn import conv_maps
from tests.nn.sidebyside import assert_same, call

_rng = np.random.default_rng(0)


def r(*shape: int) -> Any:
    return _rng.standard_normal(shape)


def u(*shape: int) -> Any:
    return _rng.random(shape)


def g(*shape: int) -> Any:
    """Places of a grid, some outside."""
    return r(*shape) * 0.9


IMAGE = r(2, 3, 6, 6)
CLASSES = np.array([0, 1, 2, 1])
PLAIN = [
    "relu",
    "relu6",
    "leaky_relu",
    "elu",
    "selu",
    "celu",
    "gelu",
    "silu",
    "softplus",
    "softsign",
    "hardtanh",
    "hardswish",
    "mish",
    "logsigmoid",
    "tanhshrink",
    "softshrink",
    "hardshrink",
    "sigmoid",
    "tanh",
    "glu",
    "rrelu",
    "dropout",
]
CASES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *[(name, (r(3, 4),), {}) for name in PLAIN],
    ("rrelu", (r(3, 4),), {"training": True}),
    ("gelu", (r(3, 4),), {"approximate": "tanh"}),
    ("softplus", (r(3, 4) * 30,), {"beta": 2.0, "threshold": 5.0}),
    ("prelu", (r(2, 3, 4), r(3)), {}),
    *[(name, (r(3, 4),), {"dim": d}) for name in ("softmax", "log_softmax", "softmin") for d in (0, -1)],
    *[("linear", (r(*shape), r(4, 3), r(4)), {}) for shape in ((3,), (2, 3), (5, 2, 3))],
    ("linear", (r(5, 2, 3), r(4, 3)), {}),
    ("bilinear", (r(2, 3), r(2, 4), r(5, 3, 4), r(5)), {}),
    *[
        (name, (r(4, 3), u(4, 3)), {"reduction": red})
        for red in ("mean", "sum", "none")
        for name in (
            "mse_loss",
            "smooth_l1_loss",
            "huber_loss",
            "kl_div",
            "poisson_nll_loss",
            "binary_cross_entropy_with_logits",
        )
    ],
    *[("cross_entropy", (r(4, 3), CLASSES), {"reduction": red}) for red in ("mean", "sum", "none")],
    ("cross_entropy", (r(4, 3), CLASSES), {"label_smoothing": 0.1, "ignore_index": 1}),
    ("cross_entropy", (r(2, 3, 4, 5), np.ones((2, 4, 5), np.int64)), {}),
    ("nll_loss", (r(4, 3), CLASSES), {"ignore_index": 1}),
    ("cosine_embedding_loss", (r(4, 3), r(4, 3), np.array([1, -1, 1, 1])), {}),
    ("margin_ranking_loss", (r(4), r(4), np.array([1, -1, 1, 1])), {}),
    ("triplet_margin_loss", (r(4, 3), r(4, 3), r(4, 3)), {}),
    ("gaussian_nll_loss", (r(4, 3), r(4, 3), u(4, 3) + 0.1), {}),
    *[
        ("conv2d", (IMAGE, r(4, 3, 3, 3), r(4)), kw)
        for kw in (
            {},
            {"stride": 2},
            {"stride": (2, 1), "padding": (1, 0)},
            {"dilation": 2, "padding": 2},
            {"padding": "same"},
        )
    ],
    ("conv2d", (r(2, 4, 6, 6), r(8, 1, 3, 3), r(8)), {"groups": 4}),
    ("conv2d", (IMAGE, r(4, 3, 2, 2), r(4)), {"padding": "same"}),
    ("conv2d", (r(3, 6, 6), r(4, 3, 3, 3)), {}),
    ("conv1d", (r(2, 3, 8), r(4, 3, 3), r(4)), {"stride": 2, "padding": 1}),
    ("conv3d", (r(1, 2, 4, 4, 4), r(3, 2, 2, 2, 2), r(3)), {}),
    ("conv_transpose2d", (IMAGE, r(3, 4, 3, 3), r(4)), {"stride": 2, "padding": 1, "output_padding": 1}),
    ("conv_transpose1d", (r(2, 3, 5), r(3, 4, 3), r(4)), {"dilation": 2}),
    *[
        (name, (r(2, 3, 7, 7),), kw)
        for name in ("max_pool2d", "avg_pool2d")
        for kw in (
            {"kernel_size": 2},
            {"kernel_size": 3, "stride": 2, "padding": 1},
            {"kernel_size": 2, "stride": 3, "ceil_mode": True},
        )
    ],
    ("max_pool2d", (r(2, 3, 7, 7), 2), {"return_indices": True}),
    ("max_pool1d", (r(2, 3, 7), 2), {}),
    ("avg_pool1d", (r(2, 3, 7), 2), {}),
    ("avg_pool2d", (r(2, 3, 7, 7), 3), {"padding": 1, "count_include_pad": False}),
    *[
        (name, (r(2, 3, 7, 7), size), {})
        for name in ("adaptive_avg_pool2d", "adaptive_max_pool2d")
        for size in (1, 3, (2, 4))
    ],
    *[
        (name, (r(2, 3, 4, 5, 6), size), {})
        for name in ("adaptive_avg_pool3d", "adaptive_max_pool3d")
        for size in (1, 3, (2, 4, 3))
    ],
    ("adaptive_max_pool3d", (r(2, 4, 5, 6), (2, None, 3)), {"return_indices": True}),
    ("avg_pool3d", (r(2, 3, 4, 5, 6), 2), {}),
    ("max_pool3d", (r(2, 3, 4, 5, 6), 2), {"return_indices": True}),
    ("lp_pool3d", (u(2, 3, 4, 5, 6), 3, 2), {}),
    ("max_unpool3d", (r(1, 1, 1, 1, 2), np.array([[[[[0, 7]]]]]), 2), {}),
    *[
        ("grid_sample", (r(2, 3, 5, 4), g(2, 3, 4, 2)), {"mode": m, "padding_mode": p, "align_corners": a})
        for m in ("bilinear", "nearest", "bicubic")
        for p in ("zeros", "border", "reflection")
        for a in (False, True)
    ],
    *[
        ("grid_sample", (r(2, 3, 5, 4, 3), g(2, 2, 3, 4, 3)), {"mode": m, "padding_mode": p, "align_corners": False})
        for m in ("bilinear", "nearest")
        for p in ("zeros", "border", "reflection")
    ],
    ("affine_grid", (r(2, 2, 3), (2, 1, 3, 4)), {"align_corners": False}),
    ("affine_grid", (r(2, 3, 4), (2, 1, 3, 4, 2)), {"align_corners": True}),
    *[
        ("ctc_loss", (r(6, 2, 4) - 3, np.array([[1, 2, 2], [3, 1, 0]]), (6, 5), (3, 2)), {"reduction": m})
        for m in ("none", "mean", "sum")
    ],
    ("ctc_loss", (r(2, 2, 4), np.array([1, 1, 1, 2]), (2, 2), (3, 1)), {"zero_infinity": True, "reduction": "sum"}),
    *[
        ("multilabel_margin_loss", (r(3, 4), np.array([[3, 0, -1, 1], [0, 1, 2, 3], [-1, 0, 0, 0]])), {"reduction": m})
        for m in ("none", "mean", "sum")
    ],
    ("multilabel_margin_loss", (np.array([[1, np.nan, 2, 3]]), np.array([[0, 3, -1, 0]])), {}),
    *[("pdist", (r(4, 3),), {"p": p}) for p in (1.0, 1.5, 2.0, 3.0, float("inf"))],
    (
        "conv_transpose2d",
        (r(1, 2, 4, 4), r(2, 2, 3, 4), r(4)),
        {"stride": (3, 2), "padding": (1, 2), "output_padding": (2, 3), "groups": 2, "dilation": (4, 4)},
    ),
    ("batch_norm", (IMAGE, None, None, r(3), r(3), True), {}),
    ("layer_norm", (r(2, 3, 4), (4,), r(4), r(4)), {}),
    ("group_norm", (r(2, 6, 4, 4), 3, r(6), r(6)), {}),
    ("instance_norm", (IMAGE,), {}),
    ("local_response_norm", (IMAGE, 2), {}),
    ("embedding", (np.array([[0, 1], [2, 0]]), r(4, 3)), {"padding_idx": 0}),
    ("one_hot", (np.array([[0, 1], [2, 0]]),), {}),
    ("cosine_similarity", (r(4, 3), r(4, 3)), {}),
    ("pairwise_distance", (r(4, 3), r(4, 3)), {}),
    ("normalize", (r(4, 3),), {}),
    *[("interpolate", (IMAGE,), {"scale_factor": 2, "mode": m}) for m in ("nearest", "bilinear", "bicubic", "area")],
    ("interpolate", (IMAGE,), {"size": (4, 9), "mode": "bilinear", "align_corners": True}),
    *[("pad", (IMAGE, (1, 2, 2, 1)), {"mode": m}) for m in ("constant", "reflect", "replicate", "circular")],
    ("unfold", (IMAGE, 3), {}),
    ("fold", (r(2, 12, 9), (4, 4), 2), {}),
    ("pixel_shuffle", (r(2, 4, 3, 3), 2), {}),
    ("scaled_dot_product_attention", (r(2, 4, 6), r(2, 4, 6), r(2, 4, 6)), {}),
]
ERRORS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("mse_loss", (r(3), r(3)), {"reduction": "average"}),
    ("cross_entropy", (r(4, 3), np.array([0, 1])), {}),
    ("cross_entropy", (r(4, 3), np.array([0, 1, 3, 1])), {}),
    ("cross_entropy", (r(4, 3), np.array([0.0, 1, 2, 1])), {}),
    *[("cross_entropy", (r(4, 3), np.ones((4, 3), kind)), {}) for kind in ("bool", "uint8", "int64")],
    ("binary_cross_entropy", (r(3) * 5, u(3)), {}),
    ("binary_cross_entropy", (u(3), u(2)), {}),
    ("binary_cross_entropy_with_logits", (u(3), u(2)), {}),
    ("softmax", (np.array([1, 2]),), {"dim": 0}),
    ("softmax", (r(2, 2),), {"dim": 5}),
    ("conv2d", (r(2, 4, 6, 6), r(4, 3, 3, 3)), {}),
    ("conv2d", (IMAGE, r(4, 3, 9, 9)), {}),
    ("conv2d", (r(6, 6), r(4, 3, 3, 3)), {}),
    ("conv2d", (IMAGE, r(4, 3, 3, 3)), {"padding": "same", "stride": 2}),
    *[
        (f"conv_transpose{n}d", (r(2, 3, *[3] * n), r(3, 4, *[2] * n)), {"padding": p})
        for n in (1, 2, 3)
        for p in (2, 3)
    ],
    ("max_pool2d", (r(2, 3, 2, 2), 5), {}),
    ("max_pool2d", (r(2, 2), 2), {}),
    *[
        (f"adaptive_{kind}_pool{n}d", (r(2, 3, *[size] * n), wanted), {})
        for kind in ("avg", "max")
        for n in (1, 2, 3)
        for size, wanted in ((4, (2, 2, 2, 2)), (4, (2,) * (n % 3 + 1)), (4, -1), (0, 2), (0, -1))
    ],
    *[("lp_pool2d", (IMAGE, order, (2, 2, 2)), {}) for order in (2.0, float("inf"))],
    ("dropout", (r(5),), {"p": 2.0}),
    ("embedding", (np.array([5]), r(4, 3)), {}),
    ("one_hot", (np.array([0, 3]), 2), {}),
    ("layer_norm", (r(2, 3, 4), (3,)), {}),
    ("group_norm", (r(2, 6), 4), {}),
]


#: not differentiated twice
ONCE = ("grid_sample", "ctc_loss", "multilabel_margin_loss", "pdist")


def _id(case: tuple[str, tuple[Any, ...], dict[str, Any]]) -> str:
    return case[0] + "".join(f"-{k}={v}" for k, v in case[2].items())


@pytest.mark.parity
@pytest.mark.parametrize("case", CASES, ids=_id)
def test_as_pytorch(torch: Any, case: tuple[str, tuple[Any, ...], dict[str, Any]]):
    name, args, kwargs = case
    twice = name not in ONCE
    assert_same(call(autogradlab, name, args, kwargs, True, twice), call(torch, name, args, kwargs, True, twice))


@pytest.mark.parity
@pytest.mark.parametrize("case", ERRORS, ids=_id)
def test_errors_as_pytorch(torch: Any, case: tuple[str, tuple[Any, ...], dict[str, Any]]):
    name, args, kwargs = case
    theirs = call(torch, name, args, kwargs, False, False)
    assert "error" in theirs
    assert call(autogradlab, name, args, kwargs, False, False) == theirs


def test_gradients_of_convolution_by_finite_differences():
    """Without PyTorch: the derivative of a weighted sum agrees with differences."""
    x, w, b = r(1, 2, 4, 4), r(3, 2, 2, 2), r(3)
    weight = r(1, 3, 2, 2)

    def total(a: Any) -> Any:
        out = autogradlab.nn.functional.conv2d(a, autogradlab.from_numpy(w), autogradlab.from_numpy(b), stride=2)
        return (out * autogradlab.from_numpy(weight)).sum()

    t = autogradlab.from_numpy(x.copy()).requires_grad_()
    total(t).backward()
    step = np.zeros_like(x)
    step[0, 1, 2, 3] = 1e-6
    near = [float(total(autogradlab.from_numpy(x + s))) for s in (step, -step)]
    assert float(t.grad[0, 1, 2, 3]) == pytest.approx((near[0] - near[1]) / 2e-6, rel=1e-6)


def _by_definition(x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """A convolution, one place of its result at a time."""
    kernel = w.shape[2:]
    out = conv_maps.out_sizes(x.shape[2:], kernel, stride, padding, dilation)
    x, found = conv_maps.padded(x, padding), np.empty((len(x), len(w), *out))
    weights = w.reshape(groups, len(w) // groups, -1)
    for at in np.ndindex(*out):
        where = [
            slice(i * s, i * s + d * (k - 1) + 1, d) for i, s, d, k in zip(at, stride, dilation, kernel, strict=True)
        ]
        window = x[(..., *where)].reshape(len(x), groups, -1)
        found[(..., *at)] = np.einsum("ngi,goi->ngo", window, weights).reshape(len(x), -1)
    return found


@pytest.mark.parametrize("few", [False, True], ids=["at once", "tap by tap, a sample at a time"])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("sizes", [(9,), (6, 7), (4, 5, 4)], ids=str)
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (1, 2), (2, 1)])
def test_convolution_by_parts(
    monkeypatch: pytest.MonkeyPatch, few: bool, groups: int, sizes: tuple[int, ...], stride: int, dilation: int
):
    """Whole numbers, so the sums are exact in every order; adjoints give the same inner products."""
    if few:
        monkeypatch.setattr(conv_maps, "_MANY", 0)
        monkeypatch.setattr(conv_maps, "_CACHED", 1)
    n = len(sizes)
    for kernel, padding, channels, outputs in (
        ((3, 2, 2)[:n], 1, 6, 2),
        ((1, 3, 1)[:n], 2, 2, 4),
        ((2, 1, 3)[:n], 0, 4, 4),
    ):
        options = (stride,) * n, (padding,) * n, (dilation,) * n, groups
        x, w = (
            _rng.integers(-4, 5, shape) * 1.0
            for shape in ((3, channels, *sizes), (outputs, channels // groups, *kernel))
        )
        y = conv_maps.convolve(x, w, *options)
        assert np.array_equal(y, _by_definition(x, w, *options))
        g = _rng.integers(-4, 5, y.shape) * 1.0
        by_x, by_w = conv_maps.adjoint_input(g, w, sizes, *options), conv_maps.adjoint_weight(g, x, kernel, *options)
        assert by_x.shape == x.shape and by_w.shape == w.shape
        assert (g * y).sum() == (by_x * x).sum() == (by_w * w).sum()


def test_mse_warns_of_broadcasting():
    F = autogradlab.nn.functional
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[3\]\)\) that is different"):
        F.mse_loss(autogradlab.zeros(2, 3), autogradlab.zeros(3))


def test_names_of_the_torch_namespace():
    from autogradlab.nn.namespace import NAMES, find

    assert all(callable(find(name)) for name in NAMES)
    x = autogradlab.ones(2, 2)
    assert autogradlab.equal(find("softmax")(x, 1), x / 2)
    assert autogradlab.equal(find("dropout")(x, 0.5, False), x)
    assert find("kl_div")(x.log(), x, reduction=2).item() == 0


@pytest.mark.parity
def test_the_torch_namespace_has_these_names(torch: Any):
    from autogradlab.nn.namespace import NAMES

    assert [name for name in sorted(NAMES) if not hasattr(torch, name)] == []


def test_functions_are_pickled_by_their_names():
    F = autogradlab.nn.functional
    for name in dir(F):
        fn = getattr(F, name)
        if callable(fn) and not isinstance(fn, type) and getattr(fn, "__module__", "").startswith("autogradlab"):
            assert pickle.loads(pickle.dumps(fn)) is fn, name
