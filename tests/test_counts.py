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
    "three_ops": (56, 58, 60),
    "chain_forward": (1004, 2000, 6006),
    "chain_backward": (2029, 6019, 4529),
    "chain_no_grad": (1013, 2013, 8),
    "double_backward": (185, 383, 112),
    "mlp_small": (157, 165, 91),
    "view": (302, 200, 19),
    "view_plain": (300, 200, 10),
    "view_t": (402, 100, 16),
    "view_t_plain": (400, 100, 9),
    "view_index": (302, 100, 17),
    "view_index_plain": (300, 100, 8),
    "view_slice": (701, 200, 28),
    "view_slice_plain": (400, 100, 9),
    "view_backward": (70, 70, 61),
    "inplace_plain": (250, 500, 6),
    "inplace_recorded": (1431, 822, 484),
    "inplace_view": (116, 41, 78),
    "index_array": (7, 4, 11),
    "index_rows": (7, 4, 11),
    "index_mask": (41, 30, 36),
    "index_assign": (4, 0, 2),
    "index_select": (6, 9, 15),
    "gather": (14, 10, 15),
    "sum": (10, 16, 16),
    "sum_rows": (12, 20, 18),
    "mean_columns": (13, 19, 20),
    "max": (7, 9, 16),
    "argmax": (6, 8, 21),
    "std": (27, 45, 23),
    "cumsum": (8, 10, 12),
    "sort": (24, 14, 20),
    "argsort": (20, 16, 37),
    "einsum_matrix": (43, 44, 43),
    "einsum_batch": (47, 50, 40),
    "einsum_scalar": (37, 42, 41),
    "conv2d": (222, 146, 88),
    "conv2d_backward": (195, 130, 86),
    "small_tensor": (10, 4, 11),
    "small_cat": (5, 3, 7),
    "small_stack": (7, 8, 10),
    "small_where": (12, 16, 13),
    "small_clamp": (10, 14, 18),
    "small_unsqueeze": (5, 3, 12),
    "small_expand": (6, 4, 15),
    "small_out": (21, 20, 12),
    "small_softmax": (7, 12, 16),
    "small_cross_entropy": (24, 31, 23),
    "train_sgd": (188, 156, 80),
    "train_momentum": (220, 200, 81),
    "train_adam": (269, 253, 90),
    "train_adamw": (269, 257, 90),
    "linear_regression": (106, 125, 65),
    "logistic_regression": (70, 68, 47),
    "cross_entropy": (63, 83, 54),
    "softmax": (38, 34, 38),
    "log_softmax": (38, 34, 38),
    "mse_loss": (52, 42, 39),
    "relu": (25, 20, 32),
    "gelu": (55, 43, 46),
    "max_dim": (47, 52, 47),
    "mean_std": (132, 185, 65),
    "norm": (71, 82, 57),
    "view_flat": (33, 22, 34),
    "reshape_transposed": (60, 43, 47),
    "index_row": (26, 21, 34),
    "cat_split": (95, 106, 74),
    "stack": (45, 46, 49),
    "where": (51, 53, 42),
    "clamp": (40, 44, 37),
    "batched_matmul": (121, 125, 73),
    "einsum": (235, 230, 111),
    "attention": (83, 91, 58),
    "max_pool": (115, 116, 73),
    "avg_pool": (109, 81, 65),
    "layer_norm": (77, 91, 55),
    "batch_norm": (105, 107, 60),
    "batch_norm_images": (113, 147, 62),
    "lstm": (279, 293, 90),
    "gru": (3581, 3972, 1903),
    "embedding": (40, 51, 43),
    "topk": (17, 30, 21),
    "eval_mode": (21, 17, 14),
    "linspace": (8, 6, 13),
    "tensor_of_list": (10, 9, 14),
    "rand_1000": (15, 14, 12),
    "randn_1000": (13, 11, 15),
    "randperm_1000": (22, 30, 13),
    "custom_function": (116, 140, 51),
    "hooks": (95, 121, 58),
    "accumulated_in_place": (299, 96, 113),
    "hessian": (473, 612, 115),
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
