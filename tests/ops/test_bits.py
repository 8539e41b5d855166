"""Every sample of every operation on tensors that are read with the conjugate bit or the negative bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autogradlab as torch
from tests.ops.harness import REGISTRY, A, Case, Failure, arguments, attempt, compare, like, tensors
from tests.ops.test_ops import every_operation, found_in, report

#: what is_conj says is no number, and view_as_real refuses the conjugate bit
ABOUT_BITS = ("is_conj", "view_as_real")
#: strides are those of memory, and a tensor whose bit has to be resolved is copied into other memory
ABOUT_MEMORY = ("as_strided_scatter",)


def plain(t: Any) -> Any:
    """A tensor without bits, laid out as `turned` lays it out."""
    if t.is_complex():
        return t.conj_physical().conj_physical()
    return torch.complex(torch.zeros_like(t), t).imag if t.dtype in (torch.float32, torch.float64) else t


def turned(t: Any) -> Any:
    """The same numbers, whose conjugates or negatives are in memory."""
    if t.is_complex():
        return t.conj_physical().conj()
    return torch.complex(torch.zeros_like(t), -t).conj().imag if t.dtype in (torch.float32, torch.float64) else t


def each(value: Any, make: Callable[[Any], Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return make(value)
    return type(value)(each(v, make) for v in value) if type(value) in (list, tuple) else value


def outcome(key: str, case: Case, make: Callable[[Any], Any]) -> Any:
    """The result and the gradients, of arguments that went through `make`."""
    leaves: list[Any] = []
    args, kwargs = arguments(torch, REGISTRY[key], case, leaves)
    args, kwargs = each(args, make), {name: each(value, make) for name, value in kwargs.items()}
    torch.manual_seed(0)
    result = attempt(REGISTRY[key].function(torch), *args, **kwargs)
    outs = [] if isinstance(result, Failure) else [t for t in tensors(result) if t.requires_grad]
    if not outs or not leaves:
        return result, ()
    return result, attempt(torch.autograd.grad, outs, leaves, like(torch, outs, 1, False), allow_unused=True)


@pytest.mark.turns(3)
@every_operation
def test_bits_are_read(key: str):
    def check(case: Case) -> list[str]:
        (a, a_grads), (b, b_grads) = outcome(key, case, turned), outcome(key, case, plain)
        if isinstance(b, Failure) and isinstance(a, Failure) or REGISTRY[key].short in (*ABOUT_BITS, *ABOUT_MEMORY):
            return []
        wrong = compare(a, b, tolerance=case.tolerance, names=False, strides=False)
        return wrong or compare(a_grads, b_grads, "gradient", case.tolerance, names=False, strides=False)

    report(REGISTRY[key], found_in(REGISTRY[key], check))


@pytest.mark.turns(3)
@every_operation
def test_what_is_written_in_place_is_read_again(key: str):
    entry = REGISTRY[key]
    name = entry.short + "_"
    if "." in entry.path or not hasattr(torch.Tensor, name):
        return

    def run(case: Case, make: Callable[[Any], Any]) -> Any:
        args, kwargs = arguments(torch, entry, case)
        target = make(args[0])
        memory, version = target._base, target._version
        torch.manual_seed(0)
        result = attempt(getattr(target, name), *args[1:], **kwargs)
        if isinstance(result, Failure):
            return Failure
        assert target._base is memory
        return result, target._version - version, result is target

    def check(case: Case) -> list[str]:
        if not isinstance(case.args[0], A):
            return []
        return compare(run(case, turned), run(case, plain), "in place", case.tolerance, names=False, strides=False)

    report(entry, found_in(entry, check))


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_samples_have_bits(dtype: Any):
    z = torch.tensor([[1 + 2j, 3 - 4j]], dtype=dtype)
    assert turned(z).is_conj() and not plain(z).is_conj() and turned(z).equal(plain(z))
    assert turned(z.real).is_neg() and not plain(z.real).is_neg() and turned(z.real).stride() == plain(z.real).stride()
