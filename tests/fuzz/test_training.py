"""Random training programs agree with PyTorch; python -m tests.fuzz.training runs any number of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz import training


def known(source: str, difference: str) -> str:
    """Why a difference is known; "" if it is not."""
    reasons = {
        "vmap: inplace arithmetic": "captured tensors may still be changed in place within vmap",
        "doesn't match the broadcast shape": "captured tensors may still be changed in place within vmap",
        "torch::autograd::CopySlices": "as_strided has a derivative with a Node of its own, PyTorch records its steps",
    }
    found = next((why for words, why in reasons.items() if words in difference), "")
    if not found and (
        not training.compare(source, dtype="float64")
        or ("Norm" in source and not training.compare(source, tolerance=0.05))
    ):
        found = "rounding of float32, made larger by a norm layer or by steps that follow signs"
    if not found and "Rprop" in source and "Norm" in source:
        found = "Rprop steps by the sign of a gradient which before a norm layer is nothing but rounding"
    return found


def test_a_seed_gives_one_program():
    assert training.generate(3) == training.generate(3)
    assert len({training.generate(seed)[1] for seed in range(50)}) == 50
    assert {training.generate(seed)[0] for seed in range(60)} == set(training.KINDS)


@pytest.mark.parity
def test_a_difference_is_seen(torch: Any):
    found = training.compare("see('one', 1 if torch.__name__ == 'torch' else 2)")
    assert len(found) == 1
    assert found[0].startswith("one")


@pytest.mark.parity
@pytest.mark.parametrize("start", range(0, 200, 25))
def test_programs_agree_with_pytorch(torch: Any, start: int):
    wrong = []
    for seed in range(start, start + 25):
        kind, source = training.generate(seed)
        differences = training.compare(source)[:1]
        wrong += [f"seed {seed}, {kind}: {found}" for found in differences if not known(source, found)]
    assert wrong == []
