"""Operands with the channels last in memory: strides of results and gradients; what pools refuse; as in PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import autogradlab

PLANES = """
F.avg_pool2d(x, 2, 1)
F.avg_pool2d(x, 2, 1, padding=1, ceil_mode=True, count_include_pad=False)
F.adaptive_avg_pool2d(x, 2)
F.adaptive_max_pool2d(x, 2)
F.adaptive_max_pool2d(x, 2, return_indices=True)[1] * x[0, 0, 0, 0]
F.max_pool2d(x, 2, 1)
F.lp_pool2d(x, 2, 2)
F.fractional_max_pool2d(x, 2, output_size=2)
F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)
F.group_norm(x, 2)
F.group_norm(x, 1, torch.ones(2), torch.zeros(2))
F.batch_norm(x, None, None, training=True)
F.batch_norm(x, torch.zeros(2), torch.ones(2))
F.pad(x, (1, 1, 1, 1), "reflect")
F.pad(x, (1, 1, 1, 1), "replicate")
F.interpolate(x, scale_factor=2)
F.interpolate(x, scale_factor=2, mode="bilinear")
F.interpolate(x, scale_factor=2, mode="bicubic")
F.conv2d(x, torch.ones(2, 2, 2, 2))
F.conv_transpose2d(x, torch.ones(2, 2, 2, 2))
F.prelu(x, torch.ones(2))
F.channel_shuffle(x, 2)
F.pixel_shuffle(F.pad(x, (0, 0, 0, 0, 1, 1)), 2)
F.pixel_unshuffle(F.interpolate(x, size=(4, 4)), 2)
F.rms_norm(x.detach(), (4,)) * x[0, 0, 0, 0]
F.glu(x.detach(), 1) * x[0, 0, 0, 0]
""".strip().splitlines()
VOLUMES = """
F.avg_pool3d(x, 2, 1)
F.adaptive_avg_pool3d(x, 2)
F.adaptive_max_pool3d(x, 2)
F.max_pool3d(x, 2, 1)
F.group_norm(x, 2)
F.batch_norm(x, None, None, training=True)
F.pad(x, (0, 1, 1, 1, 1, 1), "reflect")
F.pad(x, (1, 1, 1, 1, 1, 1), "replicate")
F.interpolate(x, scale_factor=2)
F.interpolate(x, scale_factor=2, mode="trilinear")
F.conv3d(x, torch.ones(2, 2, 2, 2, 2))
F.conv3d(x.repeat(2, 1, 1, 1, 1).contiguous(memory_format=torch.channels_last_3d), torch.ones(2, 2, 2, 2, 2))
F.conv_transpose3d(x, torch.ones(2, 2, 2, 2, 2))
""".strip().splitlines()
_POOLS = "AvgPool{}d(2)", "MaxPool{}d(2)", "AdaptiveAvgPool{}d(2)", "AdaptiveMaxPool{}d(2)", "LPPool{}d(2, 2)"
POOLS = [pool.format(n) for n in (1, 2, 3) for pool in _POOLS]
POOLS += [f"FractionalMaxPool{n}d(2, output_size=2)" for n in (2, 3)]


def strides(torch: Any, expression: str, shape: tuple[int, ...]) -> list[Any]:
    """The strides of a result, and of the gradients for three gradients that are laid out differently."""
    last = torch.channels_last if len(shape) == 4 else torch.channels_last_3d
    torch.manual_seed(0)
    x = torch.randn(shape).contiguous(memory_format=last).requires_grad_()
    y = eval(expression, {"torch": torch, "F": torch.nn.functional, "x": x})
    given = [torch.ones(()).expand_as(y), torch.ones(y.shape), torch.ones(y.shape).contiguous(memory_format=last)]
    grads = [torch.autograd.grad(y, x, g, retain_graph=True)[0] for g in given]
    return [y.stride(), *(g.stride() for g in grads), y.detach().double().sum().item()]


@pytest.mark.parity
@pytest.mark.parametrize("expression", PLANES + VOLUMES)
def test_strides_of_channels_last_are_torchs(torch: Any, expression: str):
    shape = (1, 2, 3, 4) if expression in PLANES else (1, 2, 3, 4, 2)
    ours, theirs = strides(autogradlab, expression, shape), strides(torch, expression, shape)
    assert ours[:-1] == theirs[:-1]
    assert ours[-1] == pytest.approx(theirs[-1], rel=1e-5, abs=1e-4)


def shape_or_error(torch: Any, pool: str, shape: tuple[int, ...]) -> str:
    try:
        return str(tuple(eval(f"torch.nn.{pool}", {"torch": torch})(torch.ones(shape)).shape))
    except (RuntimeError, IndexError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parity
@pytest.mark.parametrize("pool", POOLS)
def test_pools_of_nothing_are_torchs(torch: Any, pool: str):
    whole = (3, 2, 4, 4, 4)[: int(pool[pool.index("d(") - 1]) + 2]
    shapes = [whole[:i] + (0,) + whole[i + 1 :] for i in range(len(whole))]
    shapes += [shape[1:] for shape in shapes[1:]] + [whole[2:], (*whole, 2)]
    assert [shape_or_error(autogradlab, pool, s) for s in shapes] == [shape_or_error(torch, pool, s) for s in shapes]


@pytest.mark.parity
def test_the_last_nan_is_the_largest(torch: Any):
    def seen(torch: Any) -> list[Any]:
        F, nan = torch.nn.functional, float("nan")
        x = torch.tensor([[[nan, 1.0, nan, 2.0], [0.0, nan, 3.0, 1.0], [1.0, 2.0, 3.0, 4.0], [4.0, nan, 2.0, 1.0]]])
        found = F.adaptive_max_pool2d(x, 2, return_indices=True)
        samples = torch.full((1, 1, 2), 0.3)
        found += F.fractional_max_pool2d(x, 2, output_size=2, return_indices=True, _random_samples=samples)
        said = []
        for call in (
            lambda: F.adaptive_max_pool1d(torch.empty(2, 2, 2), 0x3FFFFFFFFFFFFFFF),
            lambda: F.max_unpool2d(torch.ones(1, 1, 2), torch.tensor([[[0, 7]]]), 1, 1),
        ):
            with pytest.raises(RuntimeError) as refusal:
                call()
            said.append(str(refusal.value))
        return [str(t) for t in found] + said

    assert seen(autogradlab) == seen(torch)


LINEAR_CROSS = """
nn.LinearCrossEntropyLoss(5, 4, out_features=(3,), bias=True)(torch.ones(2, 5), torch.ones(2, 3, dtype=torch.int64))
nn.LinearCrossEntropyLoss(5, 4)(torch.ones(5), torch.tensor(3))
nn.LinearCrossEntropyLoss(5, 4, ignore_index=2, reduction="none")(torch.ones(3, 5), torch.tensor([3, 2, 1]))
nn.LinearCrossEntropyLoss(5, 4, label_smoothing=0.1, weight=torch.ones(4))(torch.ones(3, 5), torch.ones(3, 4))
nn.LinearCrossEntropyLoss(5, 4, out_features=(2,), bias=True)
nn.LinearCrossEntropyLoss(5, 4, ignore_index=2)(torch.ones(3, 5), torch.ones(3, 4))
nn.LinearCrossEntropyLoss(5, 4, weight=torch.ones(9))
nn.LinearCrossEntropyLoss(5, 4, label_smoothing=2.0)
F.linear_cross_entropy(torch.ones(2, 2, 2), torch.ones(2, 2), torch.ones(2))
F.linear_cross_entropy(torch.ones(2, 2), torch.ones(2), torch.ones(2))
F.linear_cross_entropy(torch.ones(2, 2), torch.ones(2, 3), torch.ones(2))
F.linear_cross_entropy(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2), linear_bias=torch.ones(3))
F.linear_cross_entropy(torch.ones(2), torch.ones(2, 2, 2), torch.ones(2))
""".strip().splitlines()


@pytest.mark.parity
@pytest.mark.parametrize("expression", LINEAR_CROSS)
def test_linear_cross_entropy_is_torchs(torch: Any, expression: str):
    def seen(torch: Any) -> str:
        torch.manual_seed(0)
        try:
            found = eval(expression, {"torch": torch, "nn": torch.nn, "F": torch.nn.functional})
        except RuntimeError as error:
            return str(error)
        return repr(found)

    assert seen(autogradlab) == seen(torch)
