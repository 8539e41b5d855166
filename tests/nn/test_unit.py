"""Single calls of functions, Modules and hooks that PyTorch's unit tests make: what they give or refuse, as there."""

from __future__ import annotations

import re
import warnings
from collections import OrderedDict, namedtuple
from typing import Any

import pytest

import autogradlab

CALLS = """
nn.Fold((4, 5), (2, 2), dilation=8)(torch.ones(1, 12, 12))
F.max_unpool3d(cube, cube.long(), [3, 3, 3], [1, 1])
F.max_unpool3d(cube, cube.long(), [3, 3, 3], [1, 1, 1], [1, 1])
F.max_unpool3d(cube, cube.long(), [3, 3])
F.max_unpool3d(cube, cube.long() * 0, 3, 0)
F.max_unpool2d(plane, plane.long(), 3, 1, 3)
F.max_unpool2d(plane, plane.long(), [3], 1)
F.max_unpool2d(torch.ones(0, 3, 1, 1), torch.ones(0, 3, 1, 1).long(), 2)
F.max_pool2d(torch.ones(0, 3, 4, 4, requires_grad=True), 2).sum().backward()
F.adaptive_avg_pool2d(plane, 0).sum().backward()
F.adaptive_avg_pool3d(plane, 0).sum().backward()
F.adaptive_max_pool2d(plane, 0).sum().backward()
F.adaptive_max_pool3d(plane, 0).sum().backward()
F.adaptive_avg_pool2d(torch.ones(2, 3, 6, 6).contiguous(memory_format=torch.channels_last), 1).stride()
F.fractional_max_pool2d(plane, kernel_size=(1,), output_size=(3, 3))
F.fractional_max_pool2d(plane, kernel_size=1, output_size=())
F.fractional_max_pool3d(cube, kernel_size=1, output_size=(2,))
F.embedding_bag(torch.tensor([[-1, 1]]), rows, mode="sum")
F.embedding_bag(torch.tensor([[-1, 1]]), rows, mode="sum", padding_idx=0)
F.embedding_bag(torch.tensor([[1, 10]]), rows.half(), mode="mean")
F.embedding_bag(torch.tensor([[1, 10]]), rows.double(), mode="mean")
grad_of_rows(F.embedding_bag(torch.tensor([1, 2, 2]), rows.bfloat16(), torch.tensor([0, 1]), mode="max"))
grad_of_rows(F.embedding_bag(nothing, rows, torch.tensor([0, 0]), mode="sum"))
grad_of_rows(F.embedding_bag(nothing, rows, torch.tensor([0, 0]), mode="max"))
grad_of_rows(F.embedding(nothing, rows))
nn.GroupNorm(1, 3).double()(plane)
nn.GroupNorm(1, 3).half()(plane)
nn.BatchNorm2d(3).double()(plane)
nn.InstanceNorm2d(3, affine=True).double()(torch.ones(1, 3, 2, 2))
nn.BatchNorm2d(2).eval()(torch.arange(6.0).reshape(1, 3, 2, 1).permute(0, 2, 1, 3)).stride()
torch.empty(0, 3, 2, 2).is_contiguous(memory_format=torch.channels_last)
torch.empty(2, 0, 2, 2).is_contiguous(memory_format=torch.channels_last)
reparametrized(lambda w: w.to("meta"))
reparametrized(lambda w: w * 1, lambda w: (w, w))
reparametrized(lambda w: w * 1, lambda w: w.bool())
reparametrized(lambda w: w * 1, lambda w: w[:-1])
reparametrized(lambda w: (w, w), lambda w: w * 1)
hooked_everywhere()
named_outputs()
loaded_into_meta(False)
loaded_into_meta(True)
torch.backends.cudnn.flags(foo=1)
switched()
frozen()
F.threshold(torch.tensor([[0.2, 0.8]]).expand(3, 2), 0.5, 0.5, inplace=True)
F.interpolate(torch.ones(2, 3, 8, 8, dtype=torch.uint8), size=(5, 6), mode="bilinear").stride()
F.interpolate(torch.ones(2, 3, 8, 8, dtype=torch.uint8)[:, :, 1:], size=(5, 6), mode="bicubic").stride()
hidden_everywhere(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True))
hidden_everywhere(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, norm_first=True))
hidden_everywhere(nn.TransformerEncoderLayer(4, 2, 8))
hidden_everywhere(nn.TransformerEncoderLayer(4, 1, 8, batch_first=True))
F.batch_norm(torch.ones(2, 3), torch.ones(3, requires_grad=True), torch.ones(3))
""".strip().splitlines()


class Helpers:
    """What the calls name besides torch."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.rows = torch.arange(30.0).reshape(10, 3).requires_grad_()

    def grad_of_rows(self, result: Any) -> Any:
        result.sum().backward()
        return self.rows.grad

    def hidden_everywhere(self, layer: Any) -> Any:
        """Which numbers there are where nothing may be attended to, without and with gradients, and in training."""
        hidden = self.torch.tensor([[False, True], [True, True]])
        given = self.torch.ones(2, 2, 4)
        with self.torch.no_grad():
            found = [layer.eval()(given, src_key_padding_mask=hidden).isnan().tolist()]
        found.append(layer(given, src_key_padding_mask=hidden).isnan().any().item())
        found.append(layer.train()(given, src_key_padding_mask=hidden).isnan().any().item())
        return found

    def reparametrized(self, *inverses: Any) -> Any:
        nn = self.torch.nn
        layer = nn.Linear(2, 2)
        for inverse in inverses:
            made = nn.Identity()
            made.right_inverse = inverse
            nn.utils.parametrize.register_parametrization(layer, "weight", made)
        return layer

    def hooked_everywhere(self) -> Any:
        place, seen = self.torch.nn.modules.module, []
        handle = place.register_module_forward_hook(lambda *given: seen.append(len(given)), always_call=True)
        counts = [len(place._global_forward_hooks), len(place._global_forward_hooks_always_called)]
        self.torch.nn.ReLU()(self.torch.ones(1))
        place._global_forward_hooks = OrderedDict()
        self.torch.nn.ReLU()(self.torch.ones(1))
        handle.remove()
        return seen, counts, len(place._global_forward_hooks_always_called)

    def named_outputs(self) -> Any:
        Pair = namedtuple("Pair", "a b")

        class Two(self.torch.nn.Module):
            def forward(self, x: Any) -> Any:
                return Pair(x * 2, x * 3)

        module, seen = Two(), []
        module.register_full_backward_hook(lambda _, by_input, by_output: seen.append((by_input, by_output)))
        made = module(self.torch.ones(2, requires_grad=True))
        (made.a + made.b).sum().backward()
        return type(made).__name__, seen

    def loaded_into_meta(self, swap: bool) -> Any:
        torch = self.torch
        layer = torch.nn.Linear(2, 2, device="meta")
        state = {"weight": torch.ones(2, 2), "bias": torch.ones(2, device="meta")}
        torch.__future__.set_swap_module_params_on_conversion(swap)
        try:
            layer.load_state_dict(state)
        finally:
            torch.__future__.set_swap_module_params_on_conversion(False)

    def switched(self) -> Any:
        cudnn = self.torch.backends.cudnn
        with cudnn.flags(enabled=False, deterministic=True):
            inside = cudnn.enabled, cudnn.deterministic
        return inside, cudnn.enabled, cudnn.deterministic

    def frozen(self) -> Any:
        utils = self.torch.testing._utils
        with utils.freeze_rng_state():
            first = self.torch.rand(2)
        seeded = utils.wrapper_set_seed(self.torch.rand, 2)
        return self.torch.equal(first, self.torch.rand(2)), seeded


def seen(torch: Any, call: str) -> str:
    torch.manual_seed(0)
    helpers = Helpers(torch)
    names = {name: getattr(helpers, name) for name in dir(helpers) if not name.startswith("__")}
    names |= {"nn": torch.nn, "F": torch.nn.functional, "nothing": torch.tensor([], dtype=torch.int64)}
    names["plane"] = torch.ones(1, 3, 4, 4, requires_grad=True)
    names["cube"] = torch.ones(1, 3, 2, 2, 2)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = repr(eval(call, names))
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    return re.sub(r"0x[0-9a-f]+", "0x", found) + "".join(f"\n{warning.message}" for warning in heard)


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_calls_of_unit_tests_are_torchs(torch: Any, call: str):
    assert seen(autogradlab, call).replace("autogradlab", "torch") == seen(torch, call)


@pytest.mark.parametrize("kind", ["bool", "int64"])
def test_a_refused_batch_changes_no_statistics(kind: str) -> None:
    layer = autogradlab.nn.BatchNorm1d(3)
    with pytest.raises(NotImplementedError, match="not implemented for"):
        layer(autogradlab.ones(2, 3, dtype=getattr(autogradlab, kind)))
    assert layer.running_mean.tolist() == [0, 0, 0] and layer.running_var.tolist() == [1, 1, 1]
