"""Memory shared with other libraries (mirrors `torch.utils.dlpack`)."""

from __future__ import annotations

from ..ops.first.conversion import DLDeviceType as DLDeviceType
from ..ops.table.families import FUNCTIONS

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

from_dlpack = FUNCTIONS["from_dlpack"]
to_dlpack = FUNCTIONS["to_dlpack"]
