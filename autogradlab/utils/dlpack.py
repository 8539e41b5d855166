"""Memory shared with other libraries (mirrors `torch.utils.dlpack`)."""

from __future__ import annotations

import enum

from ..ops.table.families import FUNCTIONS

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

from_dlpack = FUNCTIONS["from_dlpack"]
to_dlpack = FUNCTIONS["to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """The kinds of devices that the protocol knows."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
