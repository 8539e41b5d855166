"""torch.backends, and torch.mps, torch.xpu, torch.cpu: what the build has. A CPU build without GPUs answers as this."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .amp.old import OLD


def _no() -> bool:
    return False


def _none() -> None:
    return None


def _flags(**values: Any) -> SimpleNamespace:
    return SimpleNamespace(**values)


mps = _flags(is_available=_no, is_built=_no, is_macos_or_newer=lambda major, minor: False)
cuda = _flags(
    is_built=_no,
    matmul=_flags(
        allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
    ),
)
cudnn = _flags(
    is_available=_no,
    version=_none,
    enabled=True,
    benchmark=False,
    deterministic=False,
    allow_tf32=True,
    benchmark_limit=10,
)
mkl = _flags(is_available=_no)
mkldnn = _flags(is_available=_no, enabled=False)
openmp = _flags(is_available=_no)
cpu = _flags(get_cpu_capability=lambda: "DEFAULT")

#: torch.mps and its like
DEVICES: dict[str, SimpleNamespace] = {
    "mps": _flags(is_available=_no, device_count=lambda: 0, manual_seed=lambda seed: None, empty_cache=_none),
    "xpu": _flags(is_available=_no, device_count=lambda: 0, manual_seed=lambda seed: None, empty_cache=_none),
    "mtia": _flags(is_available=_no, device_count=lambda: 0),
    "cpu": _flags(
        is_available=lambda: True,
        device_count=lambda: 1,
        current_device=lambda: "cpu",
        synchronize=lambda device=None: None,
        amp=OLD["cpu"],
    ),
}
