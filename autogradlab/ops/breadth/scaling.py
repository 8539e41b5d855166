"""What scaling of losses is made of: gradients divided by the scale, and the scale of the next step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor, wrap
from ..table.opdef import composite

__all__ = ["check_and_unscale", "update_scale"]


@composite(
    "_amp_foreach_non_finite_check_and_unscale_(Tensor[] self, Tensor found_inf, Tensor inv_scale) -> ()", method=False
)
def check_and_unscale(self: Any, found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiplies tensors in place by inv_scale; found_inf becomes 1 if one of them has a number that is not finite.

    Shapes: any; one number for found_inf and inv_scale.

    >>> grads, found = [torch.tensor([2., 4.])], torch.zeros(1)
    >>> torch._amp_foreach_non_finite_check_and_unscale_(grads, found, torch.tensor([0.5]))
    >>> grads, found
    ([tensor([1., 2.])], tensor([0.]))
    """
    for grad in self:
        if not np.isfinite(grad._array).all():
            found_inf._array.fill(1)
        TENSORS.mul_(wrap(grad._array), inv_scale)  # the tensor itself counts no write, as in PyTorch


@composite(
    """
    _amp_update_scale_(Tensor input, Tensor growth_tracker, Tensor found_inf, float scale_growth_factor,
        float scale_backoff_factor, int growth_interval) -> Tensor
    """,
    method=False,
)
def update_scale(
    input: Tensor,
    growth_tracker: Tensor,
    found_inf: Tensor,
    scale_growth_factor: float,
    scale_backoff_factor: float,
    growth_interval: int,
) -> Tensor:
    """The scale of the next step, in place: smaller after infinite gradients, larger after growth_interval steps
    without, unless it would be infinite itself.

    Shapes: one number each.

    >>> scale, steps = torch.tensor([4.]), torch.zeros(1, dtype=torch.int32)
    >>> torch._amp_update_scale_(scale, steps, torch.zeros(1), 2.0, 0.5, 1)
    tensor([8.])
    """
    if found_inf.item():
        TENSORS.mul_(input, scale_backoff_factor)
        steps = 0
    else:
        steps = int(growth_tracker.item()) + 1
        if steps == growth_interval:
            grown = input * scale_growth_factor
            if np.isfinite(grown._array).all():
                TENSORS.copy_(input, grown)
            steps = 0
    TENSORS.fill_(growth_tracker, steps)
    return input
