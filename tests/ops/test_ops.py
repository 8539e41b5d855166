"""Every sample of every operation: against live torch, and by finite differences without it."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

import autogradlab
from tests import ops
from tests.hardware import fused, torch_level
from tests.ops.harness import (
    REGISTRY,
    A,
    Case,
    Entry,
    Failure,
    arguments,
    array,
    attempt,
    case,
    compare,
    finite_differences,
    gradients,
    near,
    tensors,
)

for _module in pkgutil.iter_modules(ops.__path__):
    if _module.name.startswith("samples_"):
        importlib.import_module(f"tests.ops.{_module.name}")

#: operations whose out= of other dtypes is tried too
WRONG_OUT = ("neg", "add", "sort")

every_operation = pytest.mark.parametrize("key", sorted(REGISTRY))


def report(entry: Entry, found: list[tuple[Case, str]]) -> None:
    assert not found, "\n".join(f"{entry.path}{case}: {what}" for case, what in found[:12]) + f"\n({len(found)} in all)"


def found_in(entry: Entry, check: Any) -> list[tuple[Case, str]]:
    return [(case, what) for case in entry.cases for what in check(case)]


def without_zeros(grads: Any) -> Any:
    """Gradients, None for those that are zero: torch has some operations of networks depend on inputs that do not
    matter."""
    if not isinstance(grads, (list, tuple)):
        return grads
    return tuple(None if g is None or not array(g).any() else g for g in grads)


def settled(entry: Entry, grads: Any, torch: Any) -> Any:
    """Gradients as far as processors agree on them. PyTorch's kernel for AVX-512 gives the pole of logit at -0.0 the
    other sign: there, the sign of infinities is left out."""
    if entry.short != "logit" or torch_level(torch) != "AVX512" or not isinstance(grads, (list, tuple)):
        return grads
    return tuple(g if g is None else g.detach().where(~g.isinf(), g.detach().abs()) for g in grads)


def unsigned(result: Any, torch: Any) -> Any:
    """An error without the sign of its nan, which PyTorch's kernels set for AVX2 and AVX-512 only."""
    if not isinstance(result, Failure) or fused(torch):
        return result
    return dataclasses.replace(result, text=result.text.replace("-nan", "nan"))


@pytest.mark.parity
@every_operation
def test_value_and_gradients_are_torchs(key: str, torch: Any):
    entry = REGISTRY[key]

    def check(case: Case) -> list[str]:
        second = case.second and case.first
        ours = gradients(autogradlab, entry, case, second, entry.function(autogradlab))
        theirs = gradients(torch, entry, case, second, entry.function(torch))
        wrong = compare(unsigned(ours[0], torch), unsigned(theirs[0], torch), tolerance=case.tolerance)
        if wrong or not case.first or isinstance(theirs[0], Failure):
            return wrong
        loose = 10 * case.tolerance if case.tolerance else None
        for what, a, b in zip(("gradient", "second gradient"), ours[1:], theirs[1:], strict=True):
            if isinstance(b, Failure) and isinstance(a, Failure) and a.kind == b.kind:
                continue
            if entry.origin == "networks" and what == "second gradient":
                a, b = without_zeros(a), without_zeros(b)
            a, b = settled(entry, a, torch), settled(entry, b, torch)
            wrong += compare(
                tuple(a) if isinstance(a, list) else a,
                tuple(b) if isinstance(b, list) else b,
                what,
                loose,
                names=False,
                strides=False,
            )
        return wrong

    report(entry, found_in(entry, check))


@every_operation
def test_method_and_function_agree(key: str):
    entry = REGISTRY[key]
    method = getattr(autogradlab.Tensor, entry.short, None)
    if not entry.method or "." in entry.path or method is None:
        return

    def check(case: Case) -> list[str]:
        args, kwargs = arguments(autogradlab, entry, case)
        if not args or not isinstance(args[0], autogradlab.Tensor):
            return []
        by_function = attempt(entry.function(autogradlab), *args, **kwargs)
        if isinstance(by_function, Failure):
            return []
        by_method = attempt(method, *args, **kwargs)
        if isinstance(by_method, Failure):
            return [f"the method raises {by_method}"]
        pairs = zip(tensors(by_method), tensors(by_function), strict=True)
        return ["the method differs" for a, b in pairs if not near(array(a), array(b), "float64")]

    report(entry, found_in(entry, check))


@pytest.mark.parity
@every_operation
def test_methods_are_torchs(key: str, torch: Any):
    entry = REGISTRY[key]
    if not entry.method or "." in entry.path:
        return
    where = [lib.__name__ for lib in (torch, autogradlab) if hasattr(lib.Tensor, entry.short)]
    assert len(where) != 1, f"Tensor.{entry.short} is only in {where[0]}"


@pytest.mark.parity
@every_operation
def test_in_place_is_torchs(key: str, torch: Any):
    entry = REGISTRY[key]
    name = entry.short + "_"
    if not entry.inplace or name.startswith("_") or "." in entry.path or not hasattr(torch.Tensor, name):
        return

    def run(lib: Any, case: Case) -> Any:
        leaves: list[Any] = []
        args, kwargs = arguments(lib, entry, case, leaves)
        target = args[0].clone()
        before = target._version
        result = attempt(getattr(target, name), *args[1:], **kwargs)
        if isinstance(result, Failure):
            return result
        grads: Any = ()
        if leaves and result.requires_grad and case.first:
            grads = attempt(lib.autograd.grad, result, leaves, lib.ones_like(result), allow_unused=True)
        return (
            result,
            result is target,
            target._version - before,
            0 if isinstance(grads, Failure) else settled(entry, tuple(grads), torch),
        )

    def check(case: Case) -> list[str]:
        if not case.inplace or not isinstance(case.args[0], A):
            return []
        return compare(run(autogradlab, case), run(torch, case), "in place", case.tolerance, strides=False)

    report(entry, found_in(entry, check))


@pytest.mark.parity
@every_operation
def test_out_is_torchs(key: str, torch: Any):
    entry = REGISTRY[key]
    if not entry.out or entry.path.startswith("Tensor."):
        return

    def run(lib: Any, case: Case, wanted: Any, shapes: Any) -> Any:
        args, kwargs = arguments(lib, entry, case)
        outs = [lib.empty(s, dtype=getattr(lib, d)) for d, s in zip(wanted, shapes, strict=True)]
        result = attempt(entry.function(lib), *args, **kwargs, out=outs[0] if len(outs) == 1 else tuple(outs))
        if isinstance(result, Failure):
            return result
        return list(tensors(result)), [r is o for r, o in zip(tensors(result), outs, strict=True)]

    def check(case: Case) -> list[str]:
        args, kwargs = arguments(torch, entry, case)
        result = attempt(entry.function(torch), *args, **kwargs)
        if isinstance(result, Failure) or not case.out or not list(tensors(result)):
            return []
        own = [str(t.dtype).removeprefix("torch.") for t in tensors(result)]
        wrong = []
        others = (
            (["bool"] * len(own), ["float64"] * len(own)) if entry.name in WRONG_OUT and case is entry.cases[0] else ()
        )
        for wanted in (own, *others):
            # an empty tensor is resized
            shapes = [(0,) if case is entry.cases[0] else tuple(t.shape) for t in tensors(result)]
            theirs = run(torch, case, wanted, shapes)
            if isinstance(theirs, Failure) and theirs.kind == "TypeError":
                continue  # has no out=
            wrong += compare(
                run(autogradlab, case, wanted, shapes), theirs, f"out={wanted}", case.tolerance, strides=False
            )
        return wrong

    plain = [case for case in entry.cases if case.out][:8]
    report(entry, [(case, what) for case in plain for what in check(case)])


@every_operation
def test_gradients_are_those_of_finite_differences(key: str):
    entry = REGISTRY[key]

    def check(case: Case) -> list[str]:
        if not (case.first and case.smooth):
            return []
        wrong = finite_differences(autogradlab, entry, case, second=False)
        if case.second and not wrong:
            wrong = [f"second {w}" for w in finite_differences(autogradlab, entry, case, second=True)]
        return wrong

    report(entry, found_in(entry, check))


def test_a_wrong_derivative_of_one_element_is_seen(monkeypatch: pytest.MonkeyPatch):
    entry, one = REGISTRY["pointwise-sin"], case(A(2, 3))
    assert finite_differences(autogradlab, entry, one, second=True) == []
    last = autogradlab.tensor([[0.0, 0, 0], [0, 0, 1]])
    monkeypatch.setattr(autogradlab, "sin", lambda x: x.sin() + (x * last).detach())
    (wrong,) = finite_differences(autogradlab, entry, one, second=False)
    assert wrong.startswith("gradient 0: ")
    cube = lambda x: 3 * x.detach() ** 2 * x - 2 * x.detach() ** 3  # as x³ but for the second derivative
    monkeypatch.setattr(autogradlab, "sin", lambda x: x.sin() + last * cube(x))
    assert finite_differences(autogradlab, entry, one, second=False) == []
    assert finite_differences(autogradlab, entry, one, second=True) != []


@every_operation
def test_gradients_of_a_batch_are_those_of_each(key: str):
    """Many gradients go back together, with the number of the row in front, as each does alone."""
    entry, rows = REGISTRY[key], 3

    def check(case: Case) -> list[str]:
        if not case.first:
            return []
        leaves: list[Any] = []
        args, kwargs = arguments(autogradlab, entry, case, leaves)
        made = attempt(entry.function(autogradlab), *args, **kwargs)
        outs = [t for t in tensors(made) if t.requires_grad] if not isinstance(made, Failure) else []
        if not outs:
            return []
        draws = np.random.default_rng(0)
        given = [autogradlab.stack([t.detach() * float(draws.normal()) for _ in range(rows)]) for t in outs]

        def grads(weights: list[Any], **options: Any) -> Any:
            return autogradlab.autograd.grad(outs, leaves, weights, retain_graph=True, allow_unused=True, **options)

        together = attempt(grads, given, is_grads_batched=True)
        each = [attempt(grads, [g[i] for g in given]) for i in range(rows)]
        if isinstance(each[0], Failure):
            return [] if isinstance(together, Failure) and together.kind == each[0].kind else [f"{together}, {each[0]}"]
        if isinstance(together, Failure):
            return [f"{together}"]
        wrong = []
        for i, g in enumerate(together):
            alone = [found[i] for found in each]
            if g is None or alone[0] is None:
                wrong += [] if g is None and alone[0] is None else [f"gradient {i} is missing"]
            else:
                wrong += compare(g, autogradlab.stack(alone), f"gradient {i}", names=False, strides=False)
        return wrong

    report(entry, found_in(entry, check))
