"""The text of tensors: recorded from PyTorch (no torch needed), by rule, and side by side with live PyTorch."""

from __future__ import annotations

import contextlib
import math
import timeit
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from autogradlab.core.tensor.printing import (
    PRINT_OPTS,
    PrinterOptions,
    get_printoptions,
    parameter_repr,
    printoptions,
    set_printoptions,
    size_repr,
    tensor_format,
    tensor_repr,
)
from tests.conftest import need

inf, nan = math.inf, math.nan


def of_type(code: str) -> Callable[[Any], npt.NDArray[Any]]:
    return lambda values: np.array(values, dtype=code)


f2, f4, f8, i1, i4, i8 = map(of_type, ("f2", "f4", "f8", "i1", "i4", "i8"))
u1, b1, c8, c16 = map(of_type, ("u1", "b1", "c8", "c16"))


@pytest.fixture(autouse=True)
def _default_options() -> Iterator[None]:
    with printoptions(profile="default"):
        yield


@pytest.fixture(scope="session")
def torch() -> Iterator[Any]:
    """The real PyTorch."""
    torch = need("torch")
    yield torch
    torch.set_printoptions(profile="default")


def MulBackward0() -> Any:
    return type("MulBackward0", (), {})()


def make(array: npt.NDArray[Any], kind: str = "Tensor", module: str = "torch", **attributes: Any) -> Any:
    """A stand-in that has the public attributes of a tensor, of a class of the given name and module."""
    members = {"shape": array.shape, "dtype": f"torch.{array.dtype}", "grad_fn": None, "requires_grad": False}
    return type(kind, (), members | {"_array": array, "__module__": module} | attributes)()


def show(array: npt.NDArray[Any], kind: str = "Tensor", **attributes: Any) -> str:
    return tensor_repr(make(array, kind, **attributes), default_dtype="torch.float32")


# fmt: off
# name, values, how the tensor is made, print options, text as recorded from PyTorch 2.13
GOLDENS: list[tuple[str, npt.NDArray[Any], str, dict[str, Any], str]] = [
    ("int_mode", f4([1.0, 2.0, 3.0]), "", {}, "tensor([1., 2., 3.])"),
    ("zero_dim_whole", f4(1.0), "", {}, "tensor(1.)"),
    ("zero_dim_fraction", f4(-0.1), "", {}, "tensor(-0.1000)"),
    ("zero_dim_nan", f4(nan), "", {}, "tensor(nan)"),
    ("zeros_only", f4([0.0, -0.0]), "", {}, "tensor([0., -0.])"),
    ("zeros_wrap_by_width_one", f4(np.zeros(26)), "", {}, """
tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.,
        0., 0.])"""),
    ("negative_zero_is_wider", f4([-0.0, 0.5]), "", {}, "tensor([-0.0000, 0.5000])"),
    ("only_nonfinite", f4([nan, inf, -inf]), "", {}, "tensor([nan, inf, -inf])"),
    ("nonfinite_in_int_mode", f4([1.0, nan, -inf, 1000.0]), "", {}, "tensor([   1.,   nan,  -inf, 1000.])"),
    ("nonfinite_among_fractions", f4([0.5, nan, inf, -inf]), "", {}, "tensor([0.5000,    nan,    inf,   -inf])"),
    ("ratio_1000_is_fixed", f4([1.0, 1000.0, 0.0]), "", {}, "tensor([   1., 1000.,    0.])"),
    ("ratio_above_1000_is_sci", f4([1.0, 1001.0]), "", {}, "tensor([1.0000e+00, 1.0010e+03])"),
    ("ratio_barely_above_1000_is_sci", f8([1.0, 1000.0625]), "", {},
     "tensor([1.0000e+00, 1.0001e+03], dtype=torch.float64)"),
    ("ratio_fraction_is_sci", f4([0.5, 501.0, nan]), "", {}, "tensor([5.0000e-01, 5.0100e+02,        nan])"),
    ("1e8_is_fixed", f4([1e8]), "", {}, "tensor([100000000.])"),
    ("above_1e8_is_sci", f4([100000008.0]), "", {}, "tensor([1.0000e+08])"),
    ("1e-4_float32_is_sci", f4([1e-4]), "", {}, "tensor([1.0000e-04])"),
    ("1e-4_float64_is_fixed", f8([1e-4]), "", {}, "tensor([0.0001], dtype=torch.float64)"),
    ("below_1e-4_is_sci", f4([9e-5, -9e-5]), "", {}, "tensor([ 9.0000e-05, -9.0000e-05])"),
    ("three_digit_exponents", f8([1e-300, 1e300]), "", {}, "tensor([1.0000e-300, 1.0000e+300], dtype=torch.float64)"),
    ("sci_with_zero_and_nan", f4([0.0, nan, -1e10]), "", {}, "tensor([ 0.0000e+00,         nan, -1.0000e+10])"),
    ("sci_forced_on_zeros", f4([0.0, nan]), "", {"sci_mode": True}, "tensor([0., nan])"),
    ("sci_forbidden", f4([1e-5, 1e9]), "", {"sci_mode": False}, "tensor([         0.0000, 1000000000.0000])"),
    ("precision_two", f4([3.14159, 2.0]), "", {"precision": 2}, "tensor([3.14, 2.00])"),
    ("precision_zero", f4([0.5, 1.5]), "", {"precision": 0}, "tensor([0, 2])"),
    ("precision_ten", f4([0.1]), "", {"precision": 10}, "tensor([0.1000000015])"),
    ("int64", i8([1, -20, 300]), "", {}, "tensor([  1, -20, 300])"),
    ("int32", i4([[1, -20], [300, 4]]), "", {}, """
tensor([[  1, -20],
        [300,   4]], dtype=torch.int32)"""),
    ("int8_zero_dim", i1(-7), "", {}, "tensor(-7, dtype=torch.int8)"),
    ("uint8", u1([0, 255]), "", {}, "tensor([  0, 255], dtype=torch.uint8)"),
    ("bool", b1([True, False]), "", {}, "tensor([ True, False])"),
    ("float64_default", f8([0.1]), "default64", {}, "tensor([0.1000])"),
    ("float32_under_float64", f4([0.1]), "default64", {}, "tensor([0.1000], dtype=torch.float32)"),
    ("complex64_under_float64", c8([1j]), "default64", {}, "tensor([0.+1.j], dtype=torch.complex64)"),
    ("complex128_under_float64", c16([1j]), "default64", {}, "tensor([0.+1.j])"),
    ("float16", f2([0.1, 65504.0]), "", {}, "tensor([9.9976e-02, 6.5504e+04], dtype=torch.float16)"),
    ("complex_own_columns", c8([100 + 0.5j, 2 - 10j]), "", {}, "tensor([100.+0.5000j,   2.-10.0000j])"),
    ("complex_nonfinite", c8([complex(nan, inf), complex(-inf, nan), complex(0.0, -0.0)]), "", {},
     "tensor([nan+infj, -inf+nanj, 0.-0.j])"),
    ("complex128_zero_dim", c16(1.5 - 1e-9j), "", {}, "tensor(1.5000-1.0000e-09j, dtype=torch.complex128)"),
    ("complex_wraps", c8(np.arange(9) * (1 + 0.5j)), "", {}, """
tensor([0.+0.0000j, 1.+0.5000j, 2.+1.0000j, 3.+1.5000j, 4.+2.0000j, 5.+2.5000j,
        6.+3.0000j, 7.+3.5000j, 8.+4.0000j])"""),
    ("empty", f4([]), "", {}, "tensor([])"),
    ("empty_matrix", f4(np.zeros((0, 3))), "", {}, "tensor([], size=(0, 3))"),
    ("empty_bool", b1(np.zeros((2, 0))), "", {}, "tensor([], size=(2, 0), dtype=torch.bool)"),
    ("empty_float64_under_float64", f8(np.zeros((1, 0, 2))), "default64", {}, "tensor([], size=(1, 0, 2))"),
    ("matrix", f4([[1.0, 2.0], [-3.0, 4.5]]), "", {}, """
tensor([[ 1.0000,  2.0000],
        [-3.0000,  4.5000]])"""),
    ("four_dims", i8(np.arange(8).reshape(2, 2, 1, 2)), "", {}, """
tensor([[[[0, 1]],

         [[2, 3]]],


        [[[4, 5]],

         [[6, 7]]]])"""),
    ("wraps_at_80", f4(np.arange(20) / 8), "", {}, """
tensor([0.0000, 0.1250, 0.2500, 0.3750, 0.5000, 0.6250, 0.7500, 0.8750, 1.0000,
        1.1250, 1.2500, 1.3750, 1.5000, 1.6250, 1.7500, 1.8750, 2.0000, 2.1250,
        2.2500, 2.3750])"""),
    ("narrow_lines", f4([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]]), "", {"linewidth": 24}, """
tensor([[0.5000, 1.5000,
         2.5000],
        [3.5000, 4.5000,
         5.5000]])"""),
    ("line_too_narrow_for_one", i8([10, 20]), "", {"linewidth": 1}, """
tensor([10,
        20])"""),
    ("summary", i8(np.arange(1001)), "", {}, "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    ("summary_matrix", f4(np.arange(1200).reshape(30, 40) / 8), "", {"precision": 2, "edgeitems": 2}, """
tensor([[0.00e+00, 1.25e-01,  ..., 4.75e+00, 4.88e+00],
        [5.00e+00, 5.12e+00,  ..., 9.75e+00, 9.88e+00],
        ...,
        [1.40e+02, 1.40e+02,  ..., 1.45e+02, 1.45e+02],
        [1.45e+02, 1.45e+02,  ..., 1.50e+02, 1.50e+02]])"""),
    ("summary_long_short", i8(np.arange(1002).reshape(501, 2)), "", {"edgeitems": 1}, """
tensor([[   0,    1],
        ...,
        [1000, 1001]])"""),
    ("summary_three_dims", i8(np.arange(1331).reshape(11, 11, 11)), "", {"edgeitems": 1}, """
tensor([[[   0,  ...,   10],
         ...,
         [ 110,  ...,  120]],

        ...,

        [[1210,  ..., 1220],
         ...,
         [1320,  ..., 1330]]])"""),
    ("summary_hides_large_number", f4(np.where(np.arange(1001) == 500, 1e10, 1.0)), "", {},
     "tensor([1., 1., 1.,  ..., 1., 1., 1.])"),
    ("summary_wraps", f4(np.arange(30) / 8), "", {"threshold": 5, "edgeitems": 6, "linewidth": 40}, """
tensor([0.0000, 0.1250, 0.2500, 0.3750,
        0.5000, 0.6250,  ..., 3.0000,
        3.1250, 3.2500, 3.3750, 3.5000,
        3.6250])"""),
    ("summary_of_zero_dim", f4(2.0), "", {"threshold": 0}, "tensor(2.)"),
    ("edgeitems_zero", f4(np.arange(6).reshape(2, 3)), "", {"threshold": 5, "edgeitems": 0},
     "tensor([...], size=(2, 3))"),
    ("edgeitems_zero_of_zero_dim", f4(2.0), "", {"threshold": 0, "edgeitems": 0}, "tensor(2., size=())"),
    ("edgeitems_zero_not_summarised", f4([1.0, 2.0]), "", {"edgeitems": 0}, "tensor([1., 2.], size=(2,))"),
    ("profile_short", f4(np.arange(1001) / 8), "", {"profile": "short"},
     "tensor([  0.00,   0.12,  ..., 124.88, 125.00])"),
    ("requires_grad", f4([1.0]), "requires_grad", {}, "tensor([1.], requires_grad=True)"),
    ("requires_grad_empty", f8(np.zeros((0, 2))), "requires_grad", {},
     "tensor([], size=(0, 2), dtype=torch.float64, requires_grad=True)"),
    ("grad_fn", f4([[1.0, 2.0], [3.0, 4.0]]), "grad_fn", {}, """
tensor([[1., 2.],
        [3., 4.]], grad_fn=<MulBackward0>)"""),
    ("grad_fn_zero_dim_complex", c8(1 + 1j), "grad_fn", {}, "tensor(1.+1.j, grad_fn=<MulBackward0>)"),
    ("suffix_fits_exactly", f4([1.25, 2.5]), "grad_fn", {"linewidth": 49},
     "tensor([1.2500, 2.5000], grad_fn=<MulBackward0>)"),
    ("suffix_moves_to_new_line", f4([1.25, 2.5]), "grad_fn", {"linewidth": 48}, """
tensor([1.2500, 2.5000],
       grad_fn=<MulBackward0>)"""),
    ("suffixes_on_two_lines", f8([1.25, 2.5]), "grad_fn", {"linewidth": 30}, """
tensor([1.2500, 2.5000],
       dtype=torch.float64,
       grad_fn=<MulBackward0>)"""),
    ("second_suffix_just_does_not_fit", f8([1.25, 2.5]), "grad_fn", {"linewidth": 69}, """
tensor([1.2500, 2.5000], dtype=torch.float64,
       grad_fn=<MulBackward0>)"""),
    ("second_suffix_just_fits_on_its_line", f8([1.25, 2.5, 3.0]), "grad_fn", {"linewidth": 50}, """
tensor([1.2500, 2.5000, 3.0000],
       dtype=torch.float64, grad_fn=<MulBackward0>)"""),
    ("parameter", f4([[1.0, 2.0]]), "parameter", {}, """
Parameter containing:
tensor([[1., 2.]], requires_grad=True)"""),
]
# fmt: on
golden = pytest.mark.parametrize(
    ("array", "how", "options", "text"),
    [pytest.param(*case[1:-1], case[-1].removeprefix("\n"), id=case[0]) for case in GOLDENS],
)


@golden
def test_golden(array: npt.NDArray[Any], how: str, options: dict[str, Any], text: str) -> None:
    set_printoptions(**options)
    default = "torch.float64" if how == "default64" else "torch.float32"
    tensor = make(
        array,
        requires_grad=how in ("requires_grad", "grad_fn", "parameter"),
        grad_fn=MulBackward0() if how == "grad_fn" else None,
    )
    write = parameter_repr if how == "parameter" else tensor_repr
    assert write(tensor, default_dtype=default) == text


@pytest.mark.parity
@golden
def test_golden_is_what_torch_prints(
    torch: Any, array: npt.NDArray[Any], how: str, options: dict[str, Any], text: str
) -> None:
    tensor = torch.from_numpy(array)
    if how in ("requires_grad", "grad_fn"):
        tensor.requires_grad_()
    if how == "grad_fn":
        tensor = tensor * 1
    if how == "parameter":
        tensor = torch.nn.Parameter(tensor)
    default = torch.get_default_dtype()
    try:
        torch.set_printoptions(profile="default")
        torch.set_printoptions(**options)
        if how == "default64":
            torch.set_default_dtype(torch.float64)
        assert repr(tensor) == text
    finally:
        torch.set_default_dtype(default)
        torch.set_printoptions(profile="default")


# ----------------------------------------------------------------------------------------------- options


def test_options_as_at_the_start() -> None:
    assert PRINT_OPTS == PrinterOptions(precision=4, threshold=1000, edgeitems=3, linewidth=80, sci_mode=None)


@pytest.mark.parametrize(
    ("profile", "values"), [("default", (4, 1000, 3, 80)), ("short", (2, 1000, 2, 80)), ("full", (4, inf, 3, 80))]
)
def test_profile(profile: str, values: tuple[float, ...]) -> None:
    set_printoptions(precision=9, threshold=9, edgeitems=9, linewidth=9, sci_mode=True)
    set_printoptions(profile=profile)
    assert tuple(get_printoptions().values()) == (*values, None)


def test_arguments_override_the_profile_and_keep_the_rest() -> None:
    set_printoptions(profile="short", precision=7, sci_mode=False)
    assert PRINT_OPTS == PrinterOptions(precision=7, threshold=1000, edgeitems=2, linewidth=80, sci_mode=False)
    set_printoptions(profile="tiny", linewidth=100)  # an unknown profile is passed over; sci_mode is always reset
    assert PRINT_OPTS == PrinterOptions(precision=7, threshold=1000, edgeitems=2, linewidth=100, sci_mode=None)


def test_printoptions_restores_after_an_error() -> None:
    set_printoptions(precision=6, sci_mode=True)
    with contextlib.suppress(KeyError), printoptions(precision=1):
        assert show(f4([1.25])) == "tensor([1.2])"
        raise KeyError
    assert (PRINT_OPTS.precision, PRINT_OPTS.sci_mode) == (6, True)


def test_unknown_option() -> None:
    with pytest.raises(TypeError, match="digits"):
        with printoptions(digits=3):
            pass


def test_impossible_precision_fails_when_printing() -> None:
    set_printoptions(precision=-1)
    assert show(f4([1.0])) == "tensor([1.])"
    with pytest.raises(ValueError, match="Format specifier missing precision"):
        show(f4([1.5]))


def test_threshold() -> None:
    assert "..." not in show(np.arange(1000))
    assert "..." in show(np.arange(1001))
    set_printoptions(profile="full")
    assert "..." not in show(np.arange(1001))


# ----------------------------------------------------------------------------------------------- the frame


@pytest.mark.parametrize("module", ["torch", "torch.nn.parameter", "autogradlab.core.tensor.tensor"])
def test_library_classes_are_plain(module: str) -> None:
    assert show(f4([1.0]), module=module) == "tensor([1.])"
    assert show(f4([1.0]), "Parameter", module=module) == "tensor([1.])"


def test_subclass_name_and_indentation() -> None:
    assert show(f4([[1.0], [2.0]]), "Masked", module="lesson") == "Masked([[1.],\n        [2.]])"
    assert show(f4([[1.0], [2.0]]), "T", module="lesson") == "T([[1.],\n   [2.]])"
    assert show(f4([1.0]), "Tensor", module="__main__") == "Tensor([1.])"


def test_subclass_of_parameter() -> None:
    parameter = type("Parameter", (), {"__module__": "torch.nn.parameter"})
    weight = type("Weight", (parameter,), dict(vars(type(make(f4([1.0]), requires_grad=True)))))()
    weight.__class__.__module__ = "lesson"
    text = "Parameter(Weight([1.], requires_grad=True))"
    assert tensor_repr(weight, default_dtype="torch.float32") == text
    assert parameter_repr(weight, default_dtype="torch.float32") == "Parameter containing:\n" + text
    assert show(f4([1.0]), "Masked", module="lesson", _is_param=True) == "Parameter(Masked([1.]))"


def test_grad_fn_names() -> None:
    named = type("CppFunction", (), {"name": lambda self: "torch::autograd::CppNode<Square>"})()
    assert show(f4([1.0]), grad_fn=named) == "tensor([1.], grad_fn=<CppNode<Square>>)"
    named = type("ExpBackward", (), {})()
    assert show(f4([1.0]), grad_fn=named, requires_grad=True) == "tensor([1.], grad_fn=<ExpBackward>)"


def test_grad_fn_that_raises() -> None:
    def refuse(self: Any) -> None:
        raise RuntimeError("the view's history is lost")

    assert show(f4([2.0]), grad_fn=property(refuse)) == "tensor([2.], grad_fn=<Invalid>)"


def test_contents_and_tangent() -> None:
    tensor = make(f4([2.0]), requires_grad=True)
    assert tensor_repr(tensor, tensor_contents="[?]", default_dtype="torch.float64") == (
        "tensor([?], dtype=torch.float32, requires_grad=True)"
    )
    assert tensor_repr(tensor, tangent="tensor([1.])", default_dtype="torch.float32") == (
        "tensor([2.], requires_grad=True, tangent=tensor([1.]))"
    )


def test_meta_tensor_has_no_values() -> None:
    device = type("device", (), {"type": "meta", "__str__": lambda self: "meta"})()
    meta = make(i8(np.zeros((2, 3))), device=device, _array=None, __str__=lambda self: "its str")
    text = "tensor(..., device='meta', size=(2, 3), dtype=torch.int64)"
    assert tensor_repr(meta, default_dtype="torch.float32") == text
    assert tensor_format(meta, "") == "its str"


def test_bfloat16() -> None:
    pytest.importorskip("ml_dtypes")
    array = f4([0.1, -2.0]).astype("bfloat16")
    assert show(array) == "tensor([ 0.1001, -2.0000], dtype=torch.bfloat16)"
    assert tensor_format(make(array[0].reshape(())), ".5f") == "0.10010"


def test_default_dtype_is_asked_for_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["torch.float32", "torch.float64"])
    monkeypatch.setattr("autogradlab.core.tensor.printing.get_default_dtype", lambda: next(names))
    tensor = make(f8([0.5]))
    assert tensor_repr(tensor) == "tensor([0.5000], dtype=torch.float64)"
    assert tensor_repr(tensor) == "tensor([0.5000])"


def test_given_array_takes_the_place_of_the_tensors_own() -> None:
    assert tensor_repr(make(f4([1.0])), f4([2.0]), default_dtype="torch.float32") == "tensor([2.])"


def test_format() -> None:
    assert tensor_format(make(f4(0.5), requires_grad=True), ".3f") == "0.500"
    assert tensor_format(make(f4(0.5)), "") == "0.5"
    assert tensor_format(make(i8(7)), "03d") == "007"
    assert tensor_format(make(b1(True)), "") == "True"
    assert tensor_format(make(c8(1 + 2j)), ".1f") == "1.0+2.0j"
    with pytest.raises(ValueError, match="Unknown format code 'd' for object of type 'float'"):
        tensor_format(make(f4(0.5)), "d")


def test_format_of_what_is_not_a_number() -> None:
    text: dict[str, Any] = {"__str__": lambda self: "its str"}
    for tensor in (make(f4([0.5]), **text), make(f4(0.5), "Parameter", **text), make(f4(0.5), "Masked", "a", **text)):
        assert tensor_format(tensor, "") == "its str"
        with pytest.raises(TypeError, match=f"unsupported format string passed to {type(tensor).__name__}.__format__"):
            tensor_format(tensor, ".3f")


def test_size() -> None:
    assert [size_repr(()), size_repr((3,)), size_repr([2, 0, 1])] == [
        "torch.Size([])",
        "torch.Size([3])",
        "torch.Size([2, 0, 1])",
    ]


def test_small_tensors_print_fast_and_summaries_do_not_read_everything() -> None:
    small, large = make(f4([1.0, 2.5, -3.0])), make(np.zeros((2000, 2000), dtype="f4"))
    for tensor, limit in ((small, 60e-6), (large, 600e-6)):
        run = timeit.Timer(lambda tensor=tensor: tensor_repr(tensor, default_dtype="torch.float32"))
        assert min(run.repeat(20, 10)) / 10 < limit
