"""Scaling of losses, so that gradients of float16 do not vanish (mirrors `torch.amp.grad_scaler`)."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor
from ..core.types.dtypes import float32

__all__ = ["GradScaler"]

_READY, _UNSCALED, _STEPPED = range(3)


class _Stage:
    """What a scaler has done with an optimizer since the last update."""

    def __init__(self) -> None:
        self.number = _READY
        self.overflowed: bool | None = None


class GradScaler:
    """Scales losses up, so that gradients of float16 do not vanish, and the gradients down before each step; skips
    steps whose gradients are infinite or NaN.

    Example:
        >>> import autogradlab as torch
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> scaler.scale(w.sum()).backward()
        >>> w.grad
        tensor([4.])
        >>> scaler.step(optimizer)
        >>> w
        tensor([0.5000], requires_grad=True)
        >>> scaler.update()

    Mirrors `torch.amp.GradScaler`.
    """

    __module__ = "torch.amp.grad_scaler"

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled and device == "cpu"
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Any = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._stages: dict[int, _Stage] = defaultdict(_Stage)

    def _require(self, action: str) -> None:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {action} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def scale(self, outputs: Any) -> Any:
        """A loss, or losses in lists and tuples, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._scale = TENSORS.tensor(self._init_scale, dtype=float32)
            return outputs * self._scale
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = [self.scale(each) for each in outputs]
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else iter(scaled)

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the scale; remember whether one is not finite."""
        if not self._enabled:
            return
        self._require("unscale_")
        stage = self._stages[id(optimizer)]
        if stage.number == _UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage.number == _STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = TENSORS.reciprocal(self._scale.double()).float()
        with no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is None:
                        continue
                    finite = bool(TENSORS.isfinite(parameter.grad).all())
                    stage.overflowed = bool(stage.overflowed) or not finite
                    parameter.grad.mul_(inverse)
        stage.number = _UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimizer, if all gradients are finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._require("step")
        stage = self._stages[id(optimizer)]
        if stage.number == _STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if stage.number == _READY:
            self.unscale_(optimizer)
        if stage.overflowed is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if stage.overflowed else optimizer.step(*args, **kwargs)
        stage.number = _STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """A smaller scale after a step that was skipped, a larger one after many that were not; or a given one."""
        if not self._enabled:
            return
        self._require("update")
        with no_grad():
            if new_scale is not None:
                self._scale.fill_(new_scale)
            else:
                self._adapt()
        self._stages.clear()

    def _adapt(self) -> None:
        found = [stage.overflowed for stage in self._stages.values() if stage.overflowed is not None]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        if any(found):
            self._scale.mul_(self._backoff_factor)
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            if math.isfinite(self._scale.item() * self._growth_factor):
                self._scale.mul_(self._growth_factor)
            self._growth_tracker = 0

    def get_scale(self) -> float:
        """The scale; 1 if scaling is off."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.item())

    def is_enabled(self) -> bool:
        """Whether losses are scaled."""
        return self._enabled

    def get_growth_factor(self) -> float:
        """The factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """The factor of the scale after a step that was skipped."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor of the scale after a step that was skipped."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """The number of steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps the scale grows."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """The state, to be saved; empty if scaling is off."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
