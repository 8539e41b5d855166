"""Every in-place form with its own memory among its inputs, and interrupted at every point, beside live torch."""

from __future__ import annotations

from typing import Any

import pytest

import autogradlab
from tests.interrupts import traced
from tests.ops.harness import A, Case, Entry, Failure, arguments, attempt, case, compare
from tests.ops.test_ops import REGISTRY, report

#: methods that change no values, or only those that a function of the user or another tensor's memory says
APART = {"apply_", "detach_", "map_", "map2_", "requires_grad_", "resize_", "resize_as_", "set_", "share_memory_"}
#: calls of methods that are no operation's in-place form, or whose operation has other arguments
CALLS = {
    **{key: [case(A(3), 0.5)] for key in ("bernoulli_", "cauchy_", "exponential_", "geometric_")},
    **{key: [case(A(3, 1))] for key in ("log_normal_", "normal_", "random_", "squeeze_", "uniform_", "zero_")},
    **{key: [case(A(2, 3), 0, 1)] for key in ("swapaxes_", "swapdims_", "transpose_")},
    "copy_": [case(A(3), A(3)), case(A(2, 3), A(3)), case(A(3), A(3, dtype="float32"))],
    "fill_": [case(A(2, 3), A()), case(A(2, 3), 2.0)],
    "fill_diagonal_": [case(A(3, 3), 2.0)],
    "polygamma_": [case(A(3, low=0.5), 1)],
    "t_": [case(A(2, 3))],
    "unsqueeze_": [case(A(3), 0)],
}


def cases_of(name: str) -> list[Case]:
    """The samples of an in-place method: those of the operation, or the calls above."""
    entries = [e for e in REGISTRY.values() if e.path in (name[:-1], f"Tensor.{name[:-1]}", f"Tensor.{name}")]
    found = [c for e in entries for c in e.cases if c.args and isinstance(c.args[0], A)]
    return CALLS.get(name) or found


NAMES = sorted(
    name
    for name in dir(autogradlab.Tensor)
    if name.endswith("_") and not name.startswith("_") and getattr(autogradlab.Tensor, name).__name__ == name
    if name not in APART
)
every_in_place = pytest.mark.parametrize("name", NAMES)


@every_in_place
def test_there_are_samples(name: str):
    assert cases_of(name), "of its operation, or above"


def places(case: Case) -> list[Any]:
    """Where other tensors stand among the arguments: numbers of positions and names."""
    found: list[Any] = [i for i, a in enumerate(case.args) if i and isinstance(a, A)]
    return found + [k for k, a in case.kwargs.items() if isinstance(a, A)]


def named(name: str) -> Entry:
    return Entry(name, name, [])


def apart(t: Any) -> Any:
    return t.detach().clone()


SHARED = {
    "itself": lambda t: t,
    "detached": lambda t: t.detach(),
    "a view": lambda t: t[...],
    "the mask of itself": lambda t: t != 0,
}


def changed(lib: Any, name: str, case: Case, place: Any, share: Any, viewed: bool) -> Any:
    """The in-place form on a result, or on a view of one, with the same memory as one of its inputs; then backward."""
    leaves: list[Any] = []
    args, kwargs = arguments(lib, named(name), case, leaves)
    base = args[0].clone()
    target = base[...] if viewed else base
    other = share(base if viewed else target)
    given = args if isinstance(place, int) else kwargs
    if given[place].shape != other.shape or given[place].dtype != other.dtype:
        return None
    given[place] = other
    before = target._version
    result = attempt(getattr(target, name), *args[1:], **kwargs)
    if isinstance(result, Failure):
        return [str(result), target._version - before]
    grads: Any = ()
    if leaves and base.requires_grad and case.first:
        grads = attempt(lib.autograd.grad, base, leaves, lib.ones_like(base), allow_unused=True)
        grads = str(grads) if isinstance(grads, Failure) else tuple(grads)
    return [base.detach(), target._version - before, type(base.grad_fn).__name__, grads]


#: what torch does with it depends on the order in which its loops read and write
UNDEFINED = ("masked_scatter_",)


@pytest.mark.parity
@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNDEFINED])
def test_own_memory_as_input_is_torchs(name: str, torch: Any):
    def check(case: Case) -> list[str]:
        wrong: list[str] = []
        for place in places(case):
            for viewed in (False, True):
                alone = [changed(lib, name, case, place, apart, viewed) for lib in (autogradlab, torch)]
                if compare(*alone, "", case.tolerance, names=False, strides=False):
                    continue  # what the operation does with these numbers is judged by its own tests
                for how, share in SHARED.items():
                    ours = changed(autogradlab, name, case, place, share, viewed)
                    theirs = changed(torch, name, case, place, share, viewed)
                    if theirs and str(theirs[0]).startswith("Failure(kind='TypeError'"):
                        continue  # no call of this method
                    what = f"argument {place} is {how}{' of the base' if viewed else ''}"
                    wrong += compare(ours, theirs, what, case.tolerance, names=False, strides=False)
        return wrong

    found = [(case, what) for case in cases_of(name) for what in check(case)]
    report(named(name), found)


# -- interrupted -------------------------------------------------------------------------------------------------------


def state(base: Any, target: Any) -> Any:
    """What can be seen of a tensor and its base: values, version, origin."""
    shown = base.detach().clone()._array.tobytes()
    return shown, base._version, type(base.grad_fn).__name__, type(target.grad_fn).__name__, target.shape


@pytest.mark.turns(4)
@every_in_place
def test_an_interruption_leaves_all_or_nothing(name: str):
    case = next((c for c in cases_of(name) if c.inplace), cases_of(name)[0])

    def one(at: int, viewed: bool) -> tuple[int, bool, Any, Any]:
        args, kwargs = arguments(autogradlab, named(name), case, [])
        base = args[0].clone()
        target = base[...] if viewed else base
        method = getattr(target, name)
        autogradlab.manual_seed(0)
        before = state(base, target)
        count, interrupted = traced(lambda: method(*args[1:], **kwargs), at)
        return count, interrupted, before, state(base, target)

    for viewed in (False, True):
        one(0, viewed)  # loads what is loaded late
        count, _, before, after = one(0, viewed)
        tail = 32 if count < 5000 else 8  # kernels of many steps are slow to trace; what is shown is shown at the end
        points = sorted({*range(1, count, max(1, count // 8)), *range(max(1, count - tail), count)})
        for at in points:
            _, interrupted, _, found = one(at, viewed)
            assert interrupted
            assert found in (before, after), f"{name}{case}, point {at} of {count}: {found}"
