"""uint16, uint32 and uint64: PyTorch lacks most kernels for them, and says which."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

import autogradlab
from autogradlab import overrides
from autogradlab.core.arguments.declared import DECLARED
from tests.ops.harness import REGISTRY, A, Case, Entry, Failure, arguments, attempt, compare
from tests.ops.test_ops import report

#: which kernel they lack depends on shapes and numbers
_SEVERAL = frozenset(
    ("bilinear", "index_add", "index_reduce", "inner", "lu_unpack", "matmul", "scatter_reduce", "tensordot")
)
#: what is tried with each operation that lacks a kernel
_FEW = 3
_LACKING = re.compile(r"\"\w+\" not implemented for 'UInt(16|32|64)'")


def lacks(entry: Entry) -> bool:
    declared = DECLARED.get(entry.name)
    return declared is not None and "|uint_" in declared.text


def unsigned(value: Any, dtype: str) -> Any:
    """The same argument with whole numbers of a dtype; indices and masks stay."""
    if isinstance(value, A) and value.dtype in ("float64", "float32"):
        return A(*value.shape, dtype=dtype, low=1, high=3, layout=value.layout)
    if type(value) in (list, tuple):
        return type(value)(unsigned(v, dtype) for v in value)
    return value


def tried(entry: Entry, dtype: str) -> Iterator[Case]:
    for case in entry.cases:
        args = tuple(unsigned(a, dtype) for a in case.args)
        right = not isinstance(attempt_all(autogradlab, entry, case)[0], Failure)
        if right and args != case.args and all(not isinstance(a, A) or all(a.shape) for a in args):
            yield Case(args, case.kwargs)


@pytest.mark.parity
@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_kernels_that_are_lacking_are_torchs(dtype: str, torch: Any) -> None:
    """Each operation whose declaration names one, by function and, where it has them, by method and in place."""
    assert autogradlab.ones(1, dtype=getattr(autogradlab, dtype)).dtype.name == dtype
    overrides.arm()  # another file's tests may have been before, whose gates were taken away
    known = [entry for entry in REGISTRY.values() if lacks(entry)]
    assert len(known) > 90
    said = 0
    for entry in known:
        found = []
        for case in islice(tried(entry, dtype), _FEW):
            theirs, ours = (attempt_all(lib, entry, case) for lib in (torch, autogradlab))
            for form, a, b in zip(("function", "method", "in place"), ours, theirs, strict=True):
                if isinstance(b, Failure) and _LACKING.fullmatch(b.text):
                    said += 1
                    if entry.name in _SEVERAL and isinstance(a, Failure) and a.kind == b.kind:
                        continue
                    found += [(case, f"{form}: {what}") for what in compare(a, b)]
        report(entry, found)
    assert said > 200


def attempt_all(lib: Any, entry: Entry, case: Case) -> list[Any]:
    """What the function gives, the method, and the form in place."""
    results = []
    for function in (
        entry.function(lib),
        getattr(lib.Tensor, entry.short, None),
        getattr(lib.Tensor, entry.short + "_", None),
    ):
        args, kwargs = arguments(lib, entry, case)
        results.append(None if function is None else attempt(function, *args, **kwargs))
    return results


def test_others_compute() -> None:
    """What PyTorch has kernels for: copies, views, products, quotients, sums, comparisons for equality."""
    x = autogradlab.tensor([3, 1, 2], dtype=autogradlab.uint16)
    assert (x * 2).tolist() == [6, 2, 4] and (x / 2).dtype is autogradlab.float32
    assert (x == 1).tolist() == [False, True, False] and x.sum().item() == 6
    assert x[1:].tolist() == [1, 2] and x.sort().values.tolist() == [1, 2, 3]
    assert (x + 0.5).tolist() == [3.5, 1.5, 2.5]
    assert autogradlab.cat([x, x]).dtype is autogradlab.uint16


#: calls whose shapes, memory or dtype= decide whether there is a kernel
_DECIDED = (
    "plane.index_select(0, ones)",
    "plane[0].index_select(0, ones)",
    "plane.flip(0)",
    "plane.flip(1)",
    "plane.T.flip(0)",
    "plane.T.flip(1)",
    "plane[:, :1].flip(0)",
    "plane[:, :1].flip(1)",
    "torch.rot90(plane)",
    "plane.sum(dtype=kind)",
    "floats.sum(0, dtype=kind)",
    "floats.nansum(dtype=kind)",
    "floats[:0].sum(dtype=kind)",
    "floats.prod(dtype=kind)",
    "floats.prod(1, dtype=kind)",
    "floats.cumsum(0, dtype=kind)",
    "floats.cumprod(0, dtype=kind)",
    "torch.div(plane, 2, rounding_mode='trunc')",
    "torch.searchsorted(plane[0], plane[0])",
    "torch.searchsorted(plane[0], 3)",
    "torch.nn.functional.pad(plane, (1, 1), mode='reflect')",
    "torch.nn.functional.pad(plane, (1, 1), mode='replicate')",
    "torch.nn.functional.pad(plane, (1, 1))",
    "plane.histc()",
)


@pytest.mark.parity
@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_what_shapes_and_dtypes_decide(dtype: str, torch: Any) -> None:
    for call in _DECIDED:
        results = []
        for lib in (torch, autogradlab):
            kind = getattr(lib, dtype)
            plane = lib.tensor([[1, 2, 3], [4, 5, 6]]).to(kind)
            names = {"torch": lib, "kind": kind, "plane": plane, "floats": lib.ones(2, 2), "ones": lib.tensor([1, 1])}
            try:
                found = eval(call, names)
                results.append((str(found.dtype), found.tolist()))
            except NotImplementedError as error:
                results.append(str(error))
        assert results[0] == results[1], call
