"""What is there without the package ml_dtypes, which is an extra: all but tensors of bfloat16."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT

PROGRAM = """
import sys
sys.modules["ml_dtypes"] = None
import autogradlab as torch
from autogradlab.nn import functional as F
chosen = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}["float32"]
print(chosen, torch.bfloat16, torch.finfo(torch.float32).eps, torch.get_autocast_dtype("cpu"))
print(torch.tensor([1 + 2j]).dtype, torch.full((1,), 1j).dtype, torch.tensor([1, 2j]).dtype)
x = torch.eye(2, requires_grad=True)
for q in (x, x.half(), x[None]):
    y = F.scaled_dot_product_attention(q, q, q)
    print(tuple(y.shape), y.dtype, y.grad_fn.name())
def muon():
    x.grad = torch.ones(2, 2)
    torch.optim.Muon([x]).step()
def cast():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        x @ x
for call in (x.bfloat16, lambda: torch.zeros(1, dtype=torch.bfloat16), lambda: x.to(torch.bfloat16), muon, cast):
    try:
        call()
    except ImportError as error:
        print(error)
print(x.tolist())
"""


def test_its_name_is_there_and_nothing_else_asks_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "torch.float32 torch.bfloat16 1.1920928955078125e-07 torch.float16",
        "torch.complex64 torch.complex64 torch.complex64",
        "(2, 2) torch.float32 MmBackward0",
        "(2, 2) torch.float16 ToCopyBackward0",
        "(1, 2, 2) torch.float32 UnsafeViewBackward0",
        *["tensors of torch.bfloat16 need the package ml_dtypes"] * 5,
        "[[1.0, 0.0], [0.0, 1.0]]",
    ]
