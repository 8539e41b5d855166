"""Ceilings on what the benchmarks' workloads do: calls of Python and of C functions, and blocks of memory kept.

Times are noisy, counts are not, so that what makes a workload slower fails here on any machine. A ceiling is lowered by
hand when a workload needs less; `python -m tests.test_counts` prints what each needs now.
"""

from __future__ import annotations

import gc
import importlib
import json
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.benchmarks.cases import CASES
from tests.benchmarks.everyday import WORKLOADS
from tests.conftest import ROOT

#: what versions of Python and NumPy, and a check more, may differ by
SLACK = 1.1

#: workload: calls of Python functions, calls of C functions, blocks of memory that its results keep
CEILINGS: dict[str, tuple[int, int, int]] = {
    "three_ops": (51, 58, 26),
    "chain_forward": (1004, 2000, 3503),
    "chain_backward": (2025, 6019, 2006),
    "chain_no_grad": (1011, 2005, 4),
    "double_backward": (160, 218, 31),
    "mlp_small": (136, 131, 26),
    "view": (302, 200, 8),
    "view_plain": (300, 200, 5),
    "view_t": (402, 100, 8),
    "view_t_plain": (400, 100, 5),
    "view_index": (302, 100, 8),
    "view_index_plain": (300, 100, 5),
    "view_slice": (701, 200, 10),
    "view_slice_plain": (400, 100, 5),
    "view_backward": (56, 40, 15),
    "inplace_plain": (250, 500, 1),
    "inplace_recorded": (1328, 822, 209),
    "inplace_view": (81, 36, 19),
    "index_array": (7, 4, 4),
    "index_rows": (7, 4, 4),
    "index_mask": (41, 28, 9),
    "index_assign": (4, 0, 1),
    "index_select": (6, 9, 5),
    "gather": (11, 7, 4),
    "sum": (7, 14, 4),
    "sum_rows": (9, 13, 5),
    "mean_columns": (10, 12, 4),
    "max": (6, 8, 5),
    "argmax": (6, 8, 6),
    "std": (19, 33, 5),
    "cumsum": (7, 9, 4),
    "sort": (19, 14, 4),
    "argsort": (18, 13, 9),
    "einsum_matrix": (20, 29, 10),
    "einsum_batch": (20, 29, 10),
    "einsum_scalar": (18, 29, 10),
    # 111 and 99 C calls before samples came a few at a time, which halves the time of a residual block
    "conv2d": (149, 111, 11),
    "conv2d_backward": (134, 111, 12),
    "small_tensor": (9, 4, 4),
    "small_cat": (5, 3, 4),
    "small_stack": (6, 7, 4),
    "small_where": (12, 16, 4),
    "small_clamp": (10, 10, 4),
    "small_unsqueeze": (5, 3, 5),
    "small_expand": (6, 4, 5),
    "small_out": (13, 11, 6),
    "small_add_out": (11, 9, 6),
    "small_quantile": (54, 51, 9),
    "small_softmax": (7, 12, 6),
    "small_cross_entropy": (20, 32, 5),
    "train_sgd": (161, 141, 23),
    "train_momentum": (182, 175, 24),
    "train_adam": (206, 210, 23),
    "train_adamw": (205, 211, 21),
    "linear_regression": (88, 101, 29),
    "logistic_regression": (67, 52, 9),
    "cross_entropy": (60, 65, 10),
    "softmax": (32, 27, 10),
    "log_softmax": (36, 36, 10),
    "mse_loss": (42, 31, 9),
    "relu": (22, 20, 8),
    "gelu": (44, 24, 9),
    "max_dim": (43, 41, 9),
    "mean_std": (103, 133, 14),
    "norm": (39, 43, 16),
    "view_flat": (23, 16, 9),
    "reshape_transposed": (59, 35, 15),
    "index_row": (23, 18, 8),
    "cat_split": (81, 89, 18),
    "stack": (40, 34, 10),
    "where": (42, 42, 9),
    "clamp": (33, 25, 7),
    "batched_matmul": (91, 69, 20),
    "einsum": (164, 147, 39),
    "attention": (70, 61, 10),
    "max_pool": (59, 67, 10),
    "avg_pool": (40, 29, 8),
    "layer_norm": (57, 53, 11),
    "batch_norm": (84, 69, 11),
    "batch_norm_images": (95, 86, 12),
    "lstm": (230, 205, 30),
    "gru": (2538, 3578, 602),
    "embedding": (38, 39, 9),
    "topk": (8, 26, 4),
    "eval_mode": (22, 23, 4),
    "linspace": (8, 6, 5),
    "tensor_of_list": (9, 9, 4),
    "rand_1000": (13, 10, 5),
    "randn_1000": (12, 11, 5),
    "randperm_1000": (16, 26, 5),
    "custom_function": (100, 103, 13),
    "hooks": (94, 99, 18),
    "accumulated_in_place": (210, 94, 22),
    "hessian": (429, 416, 21),
}


def work_of(name: str) -> Callable[[], Any]:
    ours = importlib.import_module("autogradlab")
    if name in WORKLOADS:
        ours.manual_seed(0)
        return WORKLOADS[name](ours)
    work = next(case for case in CASES if case.name == name).build("ours", ours)
    assert work is not None
    return work


def counts(name: str) -> tuple[int, int, int]:
    """Calls of Python and of C functions of a workload that is warm, and blocks that its results keep."""
    work = work_of(name)
    found = {"call": 0, "c_call": 0}

    def note(frame: Any, event: str, arg: Any) -> None:
        if event in found:
            found[event] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            work()
        gc.collect()
        gc.disable()
        try:
            work()  # what Python keeps for reuse, and collecting gave back, is there again
            before = sys.getallocatedblocks()
            kept = work()
            blocks = sys.getallocatedblocks() - before
            del kept
            sys.setprofile(note)
            try:
                work()
            finally:
                sys.setprofile(None)
        finally:
            gc.enable()
    return found["call"] - 1, found["c_call"] - 1, blocks  # without those of this function itself


@pytest.fixture(scope="module")
def found() -> dict[str, list[int]]:
    """What each workload needs in a new interpreter: once a process has had a vmap, a mode or a class of the user's,
    calls ask for them."""
    code = f"import json, sys; sys.path.append({str(ROOT)!r}); from tests import test_counts as counting; "
    code += "print(json.dumps({name: counting.counts(name) for name in counting.CEILINGS}))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told: dict[str, list[int]] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("name", CEILINGS)
def test_a_workload_needs_no_more_than_it_did(name: str, found: dict[str, list[int]]) -> None:
    for what, now, most in zip(("Python calls", "C calls", "blocks kept"), found[name], CEILINGS[name], strict=True):
        assert now <= most * SLACK + 3, f"{name}: {now} {what}, not {most}"


def test_every_workload_has_a_ceiling() -> None:
    small = [case.name for case in CASES if not case.name.startswith(("big", "mlp_large", "inplace_big"))]
    assert set(CEILINGS) == {*small, *WORKLOADS}


def test_ceilings_are_not_far_above(found: dict[str, list[int]]) -> None:
    """A ceiling that has become twice what is needed guards nothing."""
    for name in ("three_ops", "chain_backward", "double_backward", "mlp_small"):
        assert 2 * found[name][0] + 10 >= CEILINGS[name][0], f"lower the ceiling of {name} to {found[name]}"


def test_operations_that_take_turns_are_specialized() -> None:
    """CPython knows the class of the Nodes that an operator makes, though others are made of the same lines."""
    code = """
import dis
import autogradlab as torch
from autogradlab.ops.table.opdef import OPS
x = torch.ones(3, requires_grad=True)
h = x * 1
for _ in range(100):
    h = (h * x + x - x) / x
for name in ("mul", "add", "sub", "div"):
    found = dis.get_instructions(OPS[name].core, adaptive=True)
    print(*sorted(i.argval for i in found if i.opname == "STORE_ATTR_SLOT"))
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        assert {"_seq", "_edges", "hooks", "shape", "dtype", "saved"} <= set(line.split())


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="how memory is kept is another allocator's matter")
def test_memory_of_freed_arrays_is_used_again() -> None:
    """A loop that makes megabytes of arrays and frees them all asks the system for no page after its first steps."""
    code = f"""
import resource
import autogradlab as torch
def step():
    kept = [torch.ones({1 << 18}) for _ in range(24)]
def pages():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(3):
    step()
before = pages()
for _ in range(10):
    step()
print(pages() - before)
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 600  # of 61,440; some 6,000 a step where all is given back


if __name__ == "__main__":
    for workload in CEILINGS:
        print(f"    {workload!r}: {counts(workload)},")
