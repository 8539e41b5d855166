"""autogradlab: PyTorch's tensors and autograd on NumPy, to learn with. `import autogradlab as torch`."""

from __future__ import annotations

from . import ops as _ops
from . import autograd
from .tensor import Size, Tensor
from .device import device
from .dtypes import dtype, get_default_dtype
from . import dtypes as _dtypes
from .opdef import FUNCTIONS as _FUNCTIONS

__version__ = "0.1.0"

globals().update(_FUNCTIONS)
globals().update(_dtypes.ALL)
globals().update(_dtypes.ALIASES)
