"""Which kernels scaled_dot_product_attention may take (mirrors `torch.nn.attention`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum

from ..core.runtime.settings import ATTENTION, kernels_of_attention

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(Enum):
    """A kernel of attention: on the CPU there are MATH, several operations, and FLASH_ATTENTION, a single one.

    Mirrors `torch.nn.attention.SDPBackend`.
    """

    __module__ = "torch.nn.attention"

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return int(self.value)


_SWITCHES = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """The kernels that may be taken."""
    return [backend for name, backend in _SWITCHES.items() if ATTENTION[name]]


@contextmanager
def sdpa_kernel(backends: SDPBackend | Sequence[SDPBackend], set_priority: bool = False) -> Iterator[None]:
    """Within it, scaled_dot_product_attention takes these kernels only.

    Errors: AssertionError for what is no SDPBackend; RuntimeError by the attention itself if none of them fits.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn.attention import SDPBackend, sdpa_kernel
        >>> x = torch.ones(1, 1, 2, 2, requires_grad=True)
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).grad_fn.name()
        'UnsafeViewBackward0'

    Mirrors `torch.nn.attention.sdpa_kernel`.
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    wanted = [backends] if isinstance(backends, SDPBackend) else backends
    with kernels_of_attention({name: backend in wanted for name, backend in _SWITCHES.items()}):
        yield
