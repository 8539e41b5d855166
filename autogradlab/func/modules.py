"""Modules as functions of their parameters (mirrors these parts of `torch.func`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.recording.record import TENSORS as F
from ..core.tensor.tensor import Tensor, requires_grad

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with other parameters than its own.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Linear(2, 1)
        >>> torch.func.functional_call(layer, {'weight': torch.ones(1, 2), 'bias': torch.zeros(1)}, (torch.ones(2),))
        tensor([2.])

    Mirrors `torch.func.functional_call`.
    """
    from ..nn.utils.stateless import called

    return called(module, _parameters(parameter_and_buffer_dicts), args, kwargs, tie_weights=tie_weights, strict=strict)


def _parameters(dicts: Any) -> dict[str, Tensor]:
    """The parameters and buffers of a dict, or of several."""
    if not isinstance(dicts, (dict, tuple, list)):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if isinstance(dicts, dict):
        return dicts
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for d in dicts for name in d]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: t for d in dicts for name, t in d.items()}


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters, and the buffers, of several modules of one class, stacked along a new first dimension.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> parameters, buffers = torch.func.stack_module_state([nn.Linear(2, 1) for _ in range(3)])
        >>> parameters['weight'].shape
        torch.Size([3, 1, 2])

    Mirrors `torch.func.stack_module_state`.
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({bool(m.training) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return (
        {name: _stacked(name, [p[name] for p in parameters]) for name in parameters[0]},
        {name: _stacked(name, [b[name] for b in buffers]) for name in buffers[0]},
    )


def _stacked(name: str, tensors: list[Tensor]) -> Tensor:
    """A leaf that holds several tensors."""
    wanted = {requires_grad(t) for t in tensors}
    if len(wanted) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    made: Tensor = F.stack([t.detach() for t in tensors])
    return made.requires_grad_(wanted.pop())


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Lets every batch norm of a module keep no running statistics, which transforms could not change.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> torch.func.replace_all_batch_norm_modules_(nn.BatchNorm1d(2)).running_mean is None
        True

    Mirrors `torch.func.replace_all_batch_norm_modules_`.
    """
    for module in root.modules():
        if "running_mean" in module._buffers and type(module).__name__.find("BatchNorm") >= 0:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
