"""assert_close: equality within tolerances, and what differs in words (mirrors `torch.testing.assert_close`)."""

from __future__ import annotations

import cmath
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """Two values that differ, or cannot be compared: the kind of error, its words, and where in the containers they
    are."""

    def __init__(self, kind: type[Exception], words: str, where: tuple[Any, ...]) -> None:
        self.kind, self.words, self.where = kind, words, where

    def said(self) -> str:
        """The words, and the place of the values."""
        return f"{self.words}\n\nThe failure occurred for item {_item(self.where)}" if self.where else self.words


def _item(where: tuple[Any, ...]) -> str:
    return "".join(f"[{i!r}]" for i in where)


class _Options:
    def __init__(
        self, rtol: float | None, atol: float | None, equal_nan: bool, checks: dict[str, bool], subclasses: bool
    ) -> None:
        self.rtol, self.atol, self.equal_nan, self.checks, self.subclasses = rtol, atol, equal_nan, checks, subclasses

    def check_tolerances(self, where: tuple[Any, ...]) -> None:
        """Refuse one tolerance without the other."""
        if (self.rtol is None) != (self.atol is None):
            missing = "rtol" if self.rtol is None else "atol"
            words = f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
            raise _Different(ValueError, words, where)

    def tolerances(self, *names: str) -> tuple[float, float]:
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        pairs = [_TOLERANCES.get(n, (0.0, 0.0)) for n in names]
        return max(r for r, _ in pairs), max(a for _, a in pairs)


#: how two values are compared, these, and where in the containers they are
_Pair = tuple[Callable[[Any, Any, _Options, tuple[Any, ...]], None], Any, Any, tuple[Any, ...]]


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _pairs(actual: Any, expected: Any, o: _Options, where: tuple[Any, ...]) -> Iterator[_Pair]:
    """The pairs of values in two containers, or the values themselves. All are found before one is compared, so that
    containers and types that do not fit are said before values that differ."""
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            raise _Different(
                AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", where
            )
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            yield from _pairs(a, b, o, (*where, i))
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
            yield from _pairs(actual[key], expected[key], o, (*where, key))
    else:
        yield _pair(actual, expected, o, where)


def _pair(actual: Any, expected: Any, o: _Options, where: tuple[Any, ...]) -> _Pair:
    """How two values are compared. Raises where there is no way, or one tolerance alone is given."""
    both = actual, expected
    if actual is None or expected is None:
        return _compare_nones, actual, expected, where
    if all(isinstance(v, (bool, np.bool_)) for v in both):
        return _compare_booleans, bool(actual), bool(expected), where
    if all(isinstance(v, (int, float, complex, np.number)) for v in both):
        if any(isinstance(v, bool) for v in both):
            raise RuntimeError(
                _NO_TOLERANCE.format(_item(where), type(actual).__name__, *both, type(expected).__name__)
            )
        o.check_tolerances(where)
        a, b = (v.item() if isinstance(v, np.number) else v for v in both)
        return _compare_numbers, a, b, where
    if all(isinstance(v, (Tensor, np.ndarray)) for v in both) and (o.subclasses or type(actual) is type(expected)):
        if type(actual) is type(expected) or all(isinstance(v, Tensor) for v in both):
            o.check_tolerances(where)
            a, b = (v if isinstance(v, Tensor) else TENSORS.as_tensor(v) for v in both)
            return _compare_tensors, a, b, where
    raise _Different(
        TypeError, f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", where
    )


#: of a bool and a number PyTorch knows no tolerance
_NO_TOLERANCE = (
    "Originating a NumberPair() at item {0} with\n\n{1}(): {2}\n\nand\n\n{4}(): {3}\n\n"
    "resulted in the unexpected exception above. If you are a user and see this message during normal operation "
    "please file an issue at https://github.com/pytorch/pytorch/issues. If you are a developer and working on the "
    "comparison functions, please except the previous error and raise an expressive `ErrorMeta` instead."
)


def _compare_nones(actual: Any, expected: Any, o: _Options, where: tuple[Any, ...]) -> None:
    if actual is not expected:
        raise _Different(AssertionError, f"None mismatch: {actual} is not {expected}", where)


def _compare_booleans(actual: Any, expected: Any, o: _Options, where: tuple[Any, ...]) -> None:
    if actual is not expected:
        raise _Different(AssertionError, f"Booleans mismatch: {actual} is not {expected}", where)


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
    checks = {"device": check_device, "dtype": check_dtype, "layout": check_layout, "stride": check_stride}
    options = _Options(rtol, atol, equal_nan, checks, allow_subclasses)
    error: Exception | None = None
    try:
        pairs = list(_pairs(actual, expected, options, ()))
    except _Different as found:
        error = found.kind(found.said())
    else:
        try:
            for compare, a, b, where in pairs:
                compare(a, b, options, where)
        except _Different as found:
            words = found.said()
            error = found.kind(words if msg is None else msg(words) if callable(msg) else msg)
    if error is not None:
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
    if not isinstance(actual, Tensor):
        actual = TENSORS.tensor(actual)
    if not isinstance(expected, Tensor):
        expected = TENSORS.tensor(expected, dtype=actual.dtype)
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
