"""Ceilings on what the benchmarks' workloads do: calls of Python and of C functions, and blocks of memory kept.

Times are noisy, counts are not, so that what makes a workload slower fails here on any machine. A ceiling is lowered by
hand when a workload needs less; `python -m tests.test_counts` prints what each needs now.
"""

from __future__ import annotations

import gc
import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.benchmarks.cases import CASES
from tests.benchmarks.everyday import WORKLOADS

#: what versions of Python and NumPy, and a check more, may differ by
SLACK = 1.1

#: workload: calls of Python functions, calls of C functions, blocks of memory that its results keep
CEILINGS: dict[str, tuple[int, int, int]] = {
    "three_ops": (71, 68, 64),
    "chain_forward": (2003, 3000, 6006),
    "chain_backward": (6043, 10031, 4535),
    "chain_no_grad": (1013, 2013, 8),
    "double_backward": (219, 400, 114),
    "mlp_small": (171, 196, 95),
    "view": (401, 400, 19),
    "view_plain": (300, 300, 10),
    "view_t": (601, 300, 16),
    "view_t_plain": (500, 200, 9),
    "view_index": (401, 300, 17),
    "view_index_plain": (300, 200, 8),
    "view_slice": (2102, 2200, 34),
    "view_slice_plain": (400, 200, 9),
    "view_backward": (77, 93, 67),
    "inplace_plain": (350, 550, 7),
    "inplace_recorded": (1703, 1239, 492),
    "inplace_view": (121, 57, 79),
    "index_array": (7, 4, 11),
    "index_rows": (7, 4, 11),
    "index_mask": (59, 47, 43),
    "index_assign": (4, 0, 2),
    "index_select": (6, 9, 15),
    "gather": (15, 10, 15),
    "sum": (7, 7, 12),
    "sum_rows": (8, 7, 13),
    "mean_columns": (9, 8, 14),
    "max": (5, 8, 11),
    "argmax": (6, 8, 21),
    "std": (14, 26, 22),
    "cumsum": (10, 11, 12),
    "sort": (33, 20, 25),
    "argsort": (22, 17, 37),
    "einsum_matrix": (43, 44, 43),
    "einsum_batch": (47, 50, 40),
    "einsum_scalar": (37, 42, 41),
    "conv2d": (222, 147, 89),
    "conv2d_backward": (195, 137, 87),
    "small_tensor": (10, 4, 11),
    "small_cat": (6, 6, 8),
    "small_stack": (8, 11, 10),
    "small_where": (13, 17, 13),
    "small_clamp": (16, 14, 15),
    "small_unsqueeze": (5, 4, 12),
    "small_expand": (7, 7, 16),
    "small_out": (33, 26, 12),
    "small_softmax": (7, 12, 16),
    "small_cross_entropy": (28, 34, 24),
    "train_sgd": (188, 182, 89),
    "train_momentum": (220, 230, 90),
    "train_adam": (269, 287, 99),
    "train_adamw": (269, 291, 99),
    "linear_regression": (116, 145, 69),
    "logistic_regression": (72, 73, 51),
    "cross_entropy": (75, 95, 57),
    "softmax": (54, 52, 44),
    "log_softmax": (54, 52, 44),
    "mse_loss": (68, 57, 43),
    "relu": (48, 36, 43),
    "gelu": (71, 64, 49),
    "max_dim": (102, 116, 58),
    "mean_std": (149, 207, 68),
    "norm": (90, 98, 60),
    "view_flat": (52, 42, 43),
    "reshape_transposed": (73, 69, 50),
    "index_row": (46, 40, 41),
    "cat_split": (128, 142, 80),
    "stack": (67, 71, 53),
    "where": (72, 76, 48),
    "clamp": (64, 58, 44),
    "batched_matmul": (146, 176, 83),
    "einsum": (254, 295, 127),
    "attention": (95, 108, 60),
    "max_pool": (136, 120, 74),
    "avg_pool": (127, 97, 65),
    "layer_norm": (97, 96, 58),
    "batch_norm": (125, 126, 61),
    "batch_norm_images": (125, 126, 62),
    "lstm": (279, 293, 94),
    "gru": (3887, 4954, 1906),
    "embedding": (62, 62, 44),
    "topk": (33, 21, 24),
    "eval_mode": (21, 17, 14),
    "linspace": (8, 6, 15),
    "tensor_of_list": (10, 9, 14),
    "rand_1000": (15, 14, 12),
    "randn_1000": (13, 11, 15),
    "randperm_1000": (25, 42, 15),
    "custom_function": (117, 144, 54),
    "hooks": (95, 128, 58),
    "accumulated_in_place": (299, 127, 116),
    "hessian": (711, 1279, 137),
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


@pytest.mark.parametrize("name", CEILINGS)
def test_a_workload_needs_no_more_than_it_did(name: str) -> None:
    found, allowed = counts(name), CEILINGS[name]
    for what, now, most in zip(("Python calls", "C calls", "blocks kept"), found, allowed, strict=True):
        assert now <= most * SLACK + 3, f"{name}: {now} {what}, not {most}"


def test_every_workload_has_a_ceiling() -> None:
    small = [case.name for case in CASES if not case.name.startswith(("big", "mlp_large", "inplace_big"))]
    assert set(CEILINGS) == {*small, *WORKLOADS}


def test_ceilings_are_not_far_above() -> None:
    """A ceiling that has become twice what is needed guards nothing."""
    for name in ("three_ops", "chain_backward", "double_backward", "mlp_small"):
        found, allowed = counts(name), CEILINGS[name]
        assert 2 * found[0] + 10 >= allowed[0], f"lower the ceiling of {name} to {found}"


if __name__ == "__main__":
    for workload in CEILINGS:
        print(f"    {workload!r}: {counts(workload)},")
