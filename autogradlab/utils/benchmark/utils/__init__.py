"""The parts of `torch.utils.benchmark`, whose objects print under the names that PyTorch has for them."""

from __future__ import annotations

from ....core.runtime.naming import by_name, place
from . import common, compare, timer

__all__ = ["common", "compare", "timer"]

for _made in (common.Measurement, common.TaskSpec, compare.Compare, timer.Timer):
    place(_made, "torch.utils.benchmark.utils." + _made.__module__.rpartition(".")[2])
    _made.__reduce_ex__ = by_name  # type: ignore[method-assign]
