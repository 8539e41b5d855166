"""The text of tensors side by side with live PyTorch: values, layouts and options by chance."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy.typing as npt
import pytest

from autogradlab.core.tensor.printing import (
    get_printoptions,
    parameter_repr,
    set_printoptions,
    size_repr,
    tensor_format,
    tensor_repr,
)
from tests.test_printing import _default_options, torch  # noqa: F401

inf, nan = math.inf, math.nan

DTYPES = [
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "complex64",
    "complex128",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
]
NOTABLE = [0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 1000.0, 1001.0, 1e8, 1e-4, 9.9e-5, 0.99995, 9.99995, 1e30, 5e-324]


def draw_floats(rng: random.Random, count: int) -> list[float]:
    style = rng.randrange(6)
    unit = [rng.uniform(-1, 1) for _ in range(count)]
    scale = 10.0 ** rng.randint(-6, 9)
    values = [
        unit,
        [float(round(10 * u)) for u in unit],
        [scale * u for u in unit],
        [math.copysign(10 ** (8 * u), rng.random() - 0.3) for u in unit],
        [float(round(scale * u)) for u in unit],
        [rng.choice(NOTABLE) for _ in unit],
    ][style]
    if rng.random() < 0.3:
        values = [rng.choice(NOTABLE) if rng.random() < 0.2 else value for value in values]
    return values


def draw_tensor(torch: Any, rng: random.Random) -> Any:
    dtype = getattr(torch, rng.choice(DTYPES))
    shape = [rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 7, 12)) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 4, 5)))]
    if (not shape and rng.random() < 0.5) or math.prod(shape) > 150:
        shape = [rng.randint(8, 40)]
    count = math.prod(shape)
    if dtype.is_complex:
        values = torch.complex(*(torch.tensor(draw_floats(rng, count), dtype=torch.float64) for _ in range(2)))
    elif dtype.is_floating_point:
        values = torch.tensor(draw_floats(rng, count), dtype=torch.float64)
    else:
        high = 10 ** rng.randint(0, 12)
        values = torch.tensor([rng.randint(-high, high) for _ in range(count)], dtype=torch.int64)
    tensor = values.to(dtype).reshape(shape)
    if shape and rng.random() < 0.3:
        tensor = rng.choice([lambda: tensor.flip(0), lambda: tensor[..., ::2], lambda: tensor.transpose(0, -1)])()
    if dtype.is_complex and rng.random() < 0.2:
        tensor = rng.choice([lambda: tensor.conj(), lambda: tensor.conj().imag])()
    if tensor.is_floating_point() or tensor.is_complex():
        history = rng.randrange(6)
        if history == 0:
            tensor = tensor.detach().requires_grad_()
        elif history == 1:
            tensor = tensor.detach().requires_grad_().clone()
        elif history == 2:
            tensor = torch.nn.Parameter(tensor.detach())
    return tensor


def draw_options(rng: random.Random) -> dict[str, Any]:
    choices: dict[str, list[Any]] = {
        "precision": [0, 1, 2, 3, 6, 8],
        "threshold": [0, 3, 10, 40, inf],
        "edgeitems": [0, 1, 2, 3, 4, -1],
        "linewidth": [1, 12, 25, 40, 60, 79, 81, 120],
        "profile": ["default", "short", "full"],
        "sci_mode": [True, False],
    }
    chance = rng.choice((0.0, 0.2, 0.5))
    return {name: rng.choice(values) for name, values in choices.items() if rng.random() < chance}


def values_of(torch: Any, tensor: Any) -> npt.NDArray[Any]:
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype is torch.bfloat16:
        tensor = tensor.double()  # torch makes no NumPy array of it; the values are the same
    array: npt.NDArray[Any] = tensor.numpy()
    return array


def outcome(write: Any, *arguments: Any) -> str:
    try:
        return str(write(*arguments))
    except (RuntimeError, OverflowError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


def compare(torch: Any, rng: random.Random) -> None:
    """One random tensor under random options: both texts, or both errors, must be the same."""
    tensor, options = draw_tensor(torch, rng), draw_options(rng)
    default_dtype = torch.float32 if rng.random() < 0.7 else rng.choice([torch.float64, torch.float16])
    array = values_of(torch, tensor)
    ours = parameter_repr if type(tensor) is torch.nn.Parameter else tensor_repr
    try:
        for setter in (set_printoptions, torch.set_printoptions):
            setter(profile="default")
            setter(**options)
        torch.set_default_dtype(default_dtype)
        assert get_printoptions() == torch._tensor_str.get_printoptions()
        expected = outcome(repr, tensor)
        actual = outcome(lambda: ours(tensor, array, default_dtype=str(default_dtype)))
        assert actual == expected, (array, options, default_dtype)
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")
    if tensor.dim() == 0:
        spec = rng.choice(["", ".3f", "10.2e", "d", ">8", "%", "z"])
        expected = outcome(format, tensor, spec)
        if "object at 0x" not in expected:
            if type(tensor) is torch.nn.Parameter and not spec:
                return  # format() then asks torch itself for str()
            assert outcome(tensor_format, tensor, spec, array) == expected, (array, spec)


@pytest.mark.parity
@pytest.mark.parametrize("seed", range(8))
def test_same_text_as_torch(torch: Any, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(400):
        compare(torch, rng)


@pytest.mark.parity
def test_same_text_as_torch_at_the_suffix_limit(torch: Any) -> None:
    """Every line width around the place where suffixes start a new line, for one line and for several."""
    tensors = [torch.rand(3).double().requires_grad_() * 1, torch.rand(2, 3).half(), torch.ones(0, 2).int()]
    for linewidth, tensor in itertools.product(range(20, 90), tensors):
        torch.set_printoptions(linewidth=linewidth)
        set_printoptions(linewidth=linewidth)
        assert tensor_repr(tensor, values_of(torch, tensor), default_dtype="torch.float32") == repr(tensor)


@pytest.mark.parity
def test_same_text_as_torch_of_special_tensors(torch: Any) -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    class Masked(torch.Tensor):
        pass

    class Weight(torch.nn.Parameter):
        pass

    leaf = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        lost = leaf[:]
        lost *= 2
    base = leaf.clone()
    view = base[:1]
    base.mul_(2)
    base[0] = 3
    with torch.inference_mode():
        inference = torch.rand(2, requires_grad=True)
    masked = torch.arange(3.0).as_subclass(Masked)
    meta = torch.empty(2, 0, device="meta", dtype=torch.float16)
    for tensor in (Square.apply(leaf), lost, base, view, inference, masked, torch.nn.Parameter(masked), meta):
        array = None if tensor.is_meta else values_of(torch, tensor)
        assert tensor_repr(tensor, array, default_dtype="torch.float32") == repr(tensor)
    weight = Weight(torch.ones(2, 2))
    assert parameter_repr(weight, values_of(torch, weight), default_dtype="torch.float32") == repr(weight)
    assert tensor_format(meta, "") == format(meta, "")
    for shape in ((), (3,), (2, 0, 5)):
        assert size_repr(torch.Size(shape)) == repr(torch.Size(shape)) == str(torch.Size(shape))
