"""assert_close: equality within tolerances, and what differs in words (mirrors `torch.testing.assert_close`)."""

from __future__ import annotations

import cmath
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor

__all__ = ["assert_allclose", "assert_close"]

#: (rtol, atol) by dtype; dtypes that are not here are compared exactly
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
Words = str | Callable[[str], str] | None


class _Different(Exception):
    """A pair that differs: the kind of error, its words, and where in the containers the pair is."""

    def __init__(self, kind: type[Exception], words: str, where: tuple[Any, ...]) -> None:
        self.kind, self.words, self.where = kind, words, where


class _Options:
    def __init__(
        self, rtol: float | None, atol: float | None, equal_nan: bool, checks: dict[str, bool], subclasses: bool
    ) -> None:
        self.rtol, self.atol, self.equal_nan, self.checks, self.subclasses = rtol, atol, equal_nan, checks, subclasses

    def tolerances(self, *names: str) -> tuple[float, float]:
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        pairs = [_TOLERANCES.get(n, (0.0, 0.0)) for n in names]
        return max(r for r, _ in pairs), max(a for _, a in pairs)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, np.number)) and not isinstance(value, (bool, np.bool_))


def _compare(actual: Any, expected: Any, o: _Options, where: tuple[Any, ...]) -> None:
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            raise _Different(
                AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", where
            )
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            _compare(a, b, o, (*where, i))
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        missing, extra = (sorted(set(x) - set(y), key=str) for x, y in ((expected, actual), (actual, expected)))
        if missing or extra:
            raise _Different(
                AssertionError,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {extra}",
                where,
            )
        for key in sorted(actual, key=str):
            _compare(actual[key], expected[key], o, (*where, key))
    else:
        _compare_one(actual, expected, o, where)


def _compare_one(actual: Any, expected: Any, o: _Options, where: tuple[Any, ...]) -> None:
    if actual is None or expected is None:
        if actual is not expected:
            raise _Different(AssertionError, f"None mismatch: {actual} is not {expected}", where)
        return
    if isinstance(actual, (bool, np.bool_)) and isinstance(expected, (bool, np.bool_)):
        if bool(actual) is not bool(expected):
            raise _Different(AssertionError, f"Booleans mismatch: {bool(actual)} is not {bool(expected)}", where)
        return
    if _number(actual) and _number(expected):
        _compare_numbers(actual, expected, o, where)
        return
    like = [isinstance(v, (Tensor, np.ndarray)) for v in (actual, expected)]
    if all(like) and (o.subclasses or type(actual) is type(expected)):
        same = type(actual) is type(expected) or (isinstance(actual, Tensor) and isinstance(expected, Tensor))
        if same:
            first, second = (v if isinstance(v, Tensor) else TENSORS.as_tensor(v) for v in (actual, expected))
            _compare_tensors(first, second, o, where)
            return
    raise _Different(
        TypeError, f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", where
    )


def _compare_numbers(actual: Any, expected: Any, o: _Options, where: tuple[Any, ...]) -> None:
    if o.checks["dtype"] and type(actual) is not type(expected):
        raise _Different(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.", where)
    names = [
        "int64" if isinstance(v, int) else "complex128" if isinstance(v, complex) else "float64"
        for v in (actual, expected)
    ]
    _check_numbers(actual, expected, *o.tolerances(*names), o.equal_nan, where)


def _check_numbers(
    actual: Any, expected: Any, rtol: float, atol: float, equal_nan: bool, where: tuple[Any, ...]
) -> None:
    if actual == expected or (equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return
    away = abs(actual - expected)
    tolerance = atol + rtol * abs(expected)
    if cmath.isfinite(away) and away <= tolerance:
        return
    exact = rtol == 0 and atol == 0
    share = float("inf") if expected == 0 else abs(away / expected)
    raise _Different(
        AssertionError,
        f"Scalars are not {'equal' if exact else 'close'}!\n\n"
        f"Expected {expected} but got {actual}.\n"
        f"Absolute difference: {away}{'' if exact else f' (up to {atol} allowed)'}\n"
        f"Relative difference: {share}{'' if exact else f' (up to {rtol} allowed)'}",
        where,
    )


def _compare_tensors(a: Any, b: Any, o: _Options, where: tuple[Any, ...]) -> None:
    for wanted, name, x, y in (
        ("always", "shape", a.shape, b.shape),
        ("layout", "layout", a.layout, b.layout),
        ("device", "device", a.device, b.device),
        ("dtype", "dtype", a.dtype, b.dtype),
        ("stride", "stride()", a.stride(), b.stride()),
    ):
        if (wanted == "always" or o.checks[wanted]) and x != y:
            raise _Different(AssertionError, f"The values for attribute '{name}' do not match: {x} != {y}.", where)
    rtol, atol = o.tolerances(a.dtype.name, b.dtype.name)
    if "meta" in (a.device.type, b.device.type):  # there are no values
        return
    if a.dtype is not b.dtype:
        wider = TENSORS.result_type(a, b) if hasattr(TENSORS, "result_type") else (a * 0 + b * 0).dtype
        a, b = a.to(wider), b.to(wider)
    if a.ndim == 0:
        _check_numbers(a.item(), b.item(), rtol, atol, o.equal_nan, where)
        return
    x, y = a.detach()._array, b.detach()._array
    if x.dtype.kind == "V":
        x, y = x.astype(np.float32), y.astype(np.float32)
    _check_arrays(x, y, rtol, atol, o.equal_nan, where)


def _check_arrays(x: Any, y: Any, rtol: float, atol: float, equal_nan: bool, where: tuple[Any, ...]) -> None:
    exact = rtol == 0 and atol == 0
    with np.errstate(all="ignore"):
        close = x == y if exact else np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)
        if exact and equal_nan and x.dtype.kind in "fc":
            close |= np.isnan(x) & np.isnan(y)
        if close.all():
            return
        if x.dtype.kind in "biu":
            x, y = x.astype(np.int64), y.astype(np.int64)
        away = np.where(close, 0, np.abs(x - y))
        parts = (away, np.abs(y)) if x.dtype.kind != "i" else (away.astype(np.float32), np.abs(y).astype(np.float32))
        share = np.where(close, 0, parts[0] / parts[1])
    bad = int(np.count_nonzero(~close))
    lines = [
        f"Tensor-likes are not {'equal' if exact else 'close'}!\n",
        f"Mismatched elements: {bad} / {x.size} ({bad / x.size:.1%})",
    ]
    for word, values, most in (("absolute", away, atol), ("relative", share, rtol)):
        at = np.unravel_index(int(np.argmax(values)), values.shape)
        value = values[at].item() if values.dtype.kind == "i" else float(values[at])
        text = f"Greatest {word} difference: {value} at index {_place(at)}"
        lines.append(text if exact else f"{text} (up to {most} allowed)")
    raise _Different(AssertionError, "\n".join(lines), where)


def _place(at: Any) -> str:
    return f"({int(at[0])},)" if len(at) == 1 else str(tuple(int(i) for i in at))


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Words = None,
) -> None:
    """Raise AssertionError unless both are close: |actual - expected| <= atol + rtol * |expected|, dtypes and shapes
    equal.

    Containers are compared item by item. Where no tolerances are given they depend on the dtype: rtol 1.3e-6 and atol
    1e-5 for float32, 1e-7 and 1e-7 for float64, 0 for integers. msg: the words of the error, or a function that makes
    them from the usual ones. Errors: ValueError where one tolerance alone is given, TypeError for what cannot be
    compared.

    Example:
        >>> import autogradlab as torch
        >>> torch.testing.assert_close(torch.tensor([1., 2.]), torch.tensor([1., 2.000001]))
        >>> torch.testing.assert_close(torch.tensor([1., 2.]), torch.tensor([1., 3.]))
        Traceback (most recent call last):
        AssertionError: Tensor-likes are not close!

        Mismatched elements: 1 / 2 (50.0%)
        Greatest absolute difference: 1.0 at index (1,) (up to 1e-05 allowed)
        Greatest relative difference: 0.3333333432674408 at index (1,) (up to 1.3e-06 allowed)

    Mirrors `torch.testing.assert_close`.
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}."
        )
    checks = {"device": check_device, "dtype": check_dtype, "layout": check_layout, "stride": check_stride}
    try:
        _compare(actual, expected, _Options(rtol, atol, equal_nan, checks, allow_subclasses), ())
    except _Different as found:
        words = found.words
        if found.where and found.kind is AssertionError:
            words += f"\n\nThe failure occurred for item {''.join(f'[{i!r}]' for i in found.where)}"
        error = found.kind(
            words if msg is None or found.kind is not AssertionError else msg(words) if callable(msg) else msg
        )
    else:
        return
    raise error


#: relative and absolute, of the old form
_OLD_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The old form of assert_close, which warns: dtypes may differ, and NaNs are equal.

    Example:
        >>> import autogradlab as torch
        >>> torch.testing.assert_allclose(torch.tensor([1., float('nan')]), torch.tensor([1., float('nan')]))
        >>> torch.testing.assert_allclose(torch.tensor([1., 2.]), torch.tensor([1., 3.]))
        Traceback (most recent call last):
        AssertionError: Tensor-likes are not close!

        Mismatched elements: 1 / 2 (50.0%)
        Greatest absolute difference: 1.0 at index (1,) (up to 1e-05 allowed)
        Greatest relative difference: 0.3333333432674408 at index (1,) (up to 0.0001 allowed)

    Mirrors `torch.testing.assert_allclose`.
    """
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    actual, expected = (v if isinstance(v, Tensor) else TENSORS.tensor(v) for v in (actual, expected))
    if rtol is None and atol is None:
        known = [_OLD_TOLERANCES.get(t.dtype.name, (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = (max(pair) for pair in zip(*known, strict=True))
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_device=True,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )
