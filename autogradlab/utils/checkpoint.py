"""Less memory for more time: parts of a model that are computed again in backward (mirrors `torch.utils.checkpoint`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, no_grad
from ..core.random.generator import default_generator
from ..core.tensor.tensor import Tensor

__all__ = ["checkpoint", "checkpoint_sequential"]


class CheckpointFunction(Function):
    """Runs a function without recording it, and again with recording when its gradient is wanted."""

    __module__ = "torch.utils.checkpoint"

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        ctx.function = function
        ctx.state = default_generator.get_state() if preserve else None
        ctx.args = args
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        from ..autograd.frontend import backward

        inputs = [a.detach().requires_grad_(a.requires_grad) if isinstance(a, Tensor) else a for a in ctx.args]
        now = default_generator.get_state()
        if ctx.state is not None:
            default_generator.set_state(ctx.state)
        try:
            with enable_grad():
                outs = ctx.function(*inputs)
        finally:
            default_generator.set_state(now)
        outs = outs if isinstance(outs, tuple) else (outs,)
        pairs = [(o, g) for o, g in zip(outs, grads, strict=True) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(i.grad if isinstance(i, Tensor) else None for i in inputs))


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args), whose saved values are not kept but computed again in backward."""
    if kwargs:
        inner = function

        def function(*given: Any) -> Any:
            return inner(*given, **kwargs)

    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """A Sequential in `segments` parts, all but the last checkpointed."""
    layers = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(layers) // segments

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def run(x: Any) -> Any:
            for layer in layers[start : end + 1]:
                x = layer(x)
            return x

        return run

    end = -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = checkpoint(part(start, end), input, use_reentrant=use_reentrant)
    return part(end + 1, len(layers) - 1)(input)
