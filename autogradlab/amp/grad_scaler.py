"""Scaling of losses, so that gradients of float16 do not vanish (mirrors `torch.amp.grad_scaler`)."""

from __future__ import annotations

import enum
import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..core.recording.record import TENSORS
from ..core.runtime.naming import by_name
from ..core.tensor.tensor import Tensor
from ..core.types.dtypes import float16, float32, int32
from ..ops.table.families import FUNCTIONS

__all__ = ["GradScaler", "OptState"]

_PASSES_ITSELF = (
    "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near future "
    "GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let the optimizer "
    "use them directly."
)


_NO_SCALE = (
    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False."
)


class OptState(enum.Enum):
    """What a scaler has done with an optimizer since the last update."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


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

    __reduce_ex__ = by_name
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
        self._init_growth_tracker = 0
        self._growth_tracker: Any = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_refresh_per_optimizer_state)

    def _require(self, action: str) -> None:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {action} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def _lazy_init_scale_growth_tracker(self, device: Any) -> None:
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = TENSORS.tensor(self._init_scale, dtype=float32, device=device)
        self._growth_tracker = TENSORS.tensor(self._init_growth_tracker, dtype=int32, device=device)

    def scale(self, outputs: Any) -> Any:
        """A loss, or losses in lists and tuples, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            return outputs * self._scale
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = [self.scale(each) for each in outputs]
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else iter(scaled)

    def _unscale_grads_(self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool) -> Any:
        """Divide gradients by the scale; by devices, whether one is not finite."""
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if not allow_fp16 and any(grad.dtype is float16 for grad in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        with no_grad():
            FUNCTIONS["_amp_foreach_non_finite_check_and_unscale_"](grads, found_inf, inv_scale)
        return {found_inf.device: found_inf} if grads else {}

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the scale; remember whether one is not finite."""
        if not self._enabled:
            return
        self._require("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = TENSORS.reciprocal(self._scale.double()).float()
        found = TENSORS.tensor(0.0, dtype=float32)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, found, False)
        state["stage"] = OptState.UNSCALED

    def _check_inf_per_device(self, optimizer: Any) -> Any:
        """By devices, whether a gradient of an optimizer is not finite; the gradients stay as they are."""
        state = self._per_optimizer_states[id(optimizer)]
        one, found = TENSORS.tensor(1.0, dtype=float32), TENSORS.tensor(0.0, dtype=float32)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, one, found, True)
        return state["found_inf_per_device"]

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimizer, if all gradients are finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._require("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = self._step_of_one_who_unscales(optimizer, state, args, kwargs)
            state["stage"] = OptState.STEPPED
            return result
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        fused = optimizer.defaults.get("fused")  # whose gradients PyTorch's kernel divides, be there any or not
        if not state["found_inf_per_device"] and not fused:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        overflowed = any(found.item() for found in state["found_inf_per_device"].values())
        result = None if overflowed else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _step_of_one_who_unscales(self, optimizer: Any, state: dict[str, Any], args: Any, kwargs: Any) -> Any:
        """A step of an optimizer that divides by the scale itself: it is handed the scaler, or the scale."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn(_PASSES_ITSELF, FutureWarning, stacklevel=3)
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        if state["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
        found = sum(state["found_inf_per_device"].values(), start=TENSORS.tensor(0.0, dtype=float32))
        held = getattr(optimizer, "grad_scale", None)
        scale = None if state["stage"] is OptState.UNSCALED else self._scale
        optimizer.grad_scale = scale if held is None or scale is None else scale * held
        optimizer.found_inf = found
        try:
            return optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf

    def update(self, new_scale: Any = None) -> None:
        """A smaller scale after a step that was skipped, a larger one after many that were not; or a given one."""
        if not self._enabled:
            return
        self._require("update")
        with no_grad():
            if isinstance(new_scale, float):
                self._scale.fill_(new_scale)
            elif new_scale is not None:
                if not isinstance(new_scale, Tensor) or new_scale.numel() != 1 or new_scale.requires_grad:
                    raise AssertionError(_NO_SCALE)
                self._scale.copy_(new_scale)
            else:
                self._adapt()
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _adapt(self) -> None:
        states = self._per_optimizer_states.values()
        found = [each for state in states for each in state["found_inf_per_device"].values()]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        FUNCTIONS["_amp_update_scale_"](
            self._scale,
            self._growth_tracker,
            sum(found[1:], start=found[0]),
            self._growth_factor,
            self._backoff_factor,
            self._growth_interval,
        )

    def _get_scale_async(self) -> Tensor | None:
        scale: Tensor | None = self._scale
        return scale

    def _get_growth_tracker(self) -> int:
        """The number of steps without infinite gradients since the scale changed."""
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

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
            "_growth_tracker": self._get_growth_tracker(),
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
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
