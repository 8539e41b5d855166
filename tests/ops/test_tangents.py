"""Tangents of the operations whose entries have formulas of their own for them: against live torch, and by finite
differences without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autogradlab
from tests.ops.harness import (
    REGISTRY,
    Case,
    Entry,
    Failure,
    arguments,
    array,
    attempt,
    compare,
    like,
    replace_leaves,
    tensors,
)
from tests.ops.test_ops import every_operation, report

#: operations whose tangents are not those of finite differences: PyTorch's take that of a matrix as it is where the
#: operation reads a triangle of it, and lose numbers that are far below the greatest of a line
_OTHERWISE = ("cholesky", "cholesky_ex", "cholesky_inverse", "triangular_solve", "logcumsumexp")


def replaced(value: Any, by: dict[int, Any]) -> Any:
    """Arguments with others in the place of some tensors."""
    if type(value) in (list, tuple):
        return type(value)(replaced(v, by) for v in value)
    return by.get(id(value), value)


def tangents(lib: Any, entry: Entry, case: Case) -> tuple[Any, list[Any], list[Any]]:
    """The tangents of what a case gives (or a Failure), what it is differentiated by, and in which directions."""
    leaves: list[Any] = []
    args, kwargs = arguments(lib, entry, case, leaves)
    ad = lib.autograd.forward_ad
    ways = like(lib, leaves, 3, False)

    def duals() -> Any:
        with ad.dual_level():
            by = {id(t): ad.make_dual(t.detach().clone(), way) for t, way in zip(leaves, ways, strict=True)}
            result = entry.function(lib)(*replaced(args, by), **{k: replaced(v, by) for k, v in kwargs.items()})
            return tuple(ad.unpack_dual(t).tangent for t in tensors(result))

    return attempt(duals), leaves, ways


def pushed(entry: Entry) -> list[Case]:
    """The cases of an operation that record a Node with formulas for tangents."""

    def has_formulas(case: Case) -> bool:
        args, kwargs = arguments(autogradlab, entry, case, [])
        result = attempt(entry.function(autogradlab), *args, **kwargs)
        made = [] if isinstance(result, Failure) else list(tensors(result))
        return case.first and any(getattr(t.grad_fn, "jvps", ()) for t in made)

    return [case for case in entry.cases if has_formulas(case)]


def triangular(lib: Any, entry: Entry, case: Case) -> bool:
    """Whether the first argument of a case is a triangular matrix."""
    x = array(arguments(lib, entry, case)[0][0])
    return bool((np.tril(x) == x).all() or (np.triu(x) == x).all())


@pytest.mark.parity
@every_operation
def test_tangents_are_torchs(key: str, torch: Any):
    entry = REGISTRY[key]
    found = []
    for case in pushed(entry):
        ours, theirs = tangents(autogradlab, entry, case)[0], tangents(torch, entry, case)[0]
        if isinstance(theirs, Failure) or "dtype" in case.kwargs:  # which PyTorch forgets of tangents
            continue
        if entry.short == "cholesky_inverse" and not triangular(autogradlab, entry, case):
            continue
        loose = 10 * case.tolerance if case.tolerance else None
        found += [(case, what) for what in compare(ours, theirs, "tangent", loose, names=False, strides=False)]
    report(entry, found)


@every_operation
def test_tangents_are_those_of_finite_differences(key: str):
    entry = REGISTRY[key]

    def check(case: Case) -> list[str]:
        found, leaves, ways = tangents(autogradlab, entry, case)
        if not case.smooth or any(str(t.dtype) not in ("torch.float64", "torch.complex128") for t in leaves):
            return []

        def moved(step: float) -> list[np.ndarray]:
            arrays = [array(t) + step * array(way) for t, way in zip(leaves, ways, strict=True)]
            args, kwargs = arguments(autogradlab, entry, replace_leaves(case, iter(arrays)))
            return [array(t) for t in tensors(entry.function(autogradlab)(*args, **kwargs))]

        wrong = []
        for ahead, behind, tangent in zip(moved(1e-6), moved(-1e-6), found, strict=True):
            expected = (ahead - behind) / 2e-6
            if tangent is not None and not np.allclose(array(tangent), expected, rtol=2e-4, atol=2e-5):
                wrong.append(f"{array(tangent).tolist()} instead of {expected.tolist()}"[:600])
        return wrong

    if entry.short not in _OTHERWISE:
        report(entry, [(case, what) for case in pushed(entry) for what in check(case)])


def test_some_operations_have_formulas_of_their_own():
    assert sum(bool(pushed(entry)) for entry in REGISTRY.values()) > 12
