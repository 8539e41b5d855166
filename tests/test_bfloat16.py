"""What is there without the package ml_dtypes, which is an extra: all but bfloat16."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT

PROGRAM = """
import sys
sys.modules["ml_dtypes"] = None
import autogradlab as torch
from autogradlab.nn import functional as F
assert not hasattr(torch, "bfloat16")
print(torch.tensor([1 + 2j]).dtype, torch.full((1,), 1j).dtype, torch.tensor([1, 2j]).dtype)
x = torch.eye(2, requires_grad=True)
for q in (x, x.half(), x[None]):
    y = F.scaled_dot_product_attention(q, q, q)
    print(tuple(y.shape), y.dtype, y.grad_fn.name())
try:
    torch.optim.Muon([x])
except ImportError as error:
    print(error)
"""


def test_complex_numbers_and_attention_do_not_ask_for_it() -> None:
    """`dtypes.bfloat16` is no attribute there, so dtypes are told apart by their names."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "torch.complex64 torch.complex64 torch.complex64",
        "(2, 2) torch.float32 MmBackward0",
        "(2, 2) torch.float16 ToCopyBackward0",
        "(1, 2, 2) torch.float32 UnsafeViewBackward0",
        "Muon computes in bfloat16, which is here with the package ml_dtypes alone",
    ]
