"""Weights divided by their largest singular value, by a hook; the older form of parametrizations.spectral_norm."""

from __future__ import annotations

from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.recording.record import TENSORS
from ...core.runtime.naming import by_name
from ...core.tensor.tensor import Tensor
from ..functions.linear import normalize
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..parameter import Parameter, is_lazy

__all__ = ["remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The forward pre-hook that divides the weight by its largest singular value, which power iteration estimates."""

    __reduce_ex__ = by_name
    __module__ = "torch.nn.utils.spectral_norm"
    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Any) -> Any:
        """The weight as a matrix, with a row for each output."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Tensor:
        """The normalized weight; with do_power_iteration the vectors are updated first."""
        weight, u, v = (getattr(module, self.name + suffix) for suffix in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(TENSORS.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(normalize(TENSORS.mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()  # the graph keeps the vectors of this pass
        return weight / TENSORS.dot(u, TENSORS.mv(matrix, v))

    def remove(self, module: Any) -> None:
        """The weight as it is now, as a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def take_old(self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: list[str], *_: Any) -> None:
        """Before loading: the vector that the files of the first form lack, from the weight that they have."""
        version = metadata.get("spectral_norm", {}).get(self.name + ".version")
        if version is not None and version >= 1:
            return
        key = prefix + self.name
        if version is None and key not in state_dict and all(key + s in state_dict for s in ("_orig", "_u", "_v")):
            return
        absent = [key + suffix for suffix in ("_orig", "", "_u") if key + suffix not in state_dict]
        if absent:
            missing += absent if strict else ()
            return
        with no_grad():
            weight, u = state_dict[key + "_orig"], state_dict[key + "_u"]
            sigma = (weight / state_dict.pop(key)).mean()
            matrix = self.reshape_weight_to_matrix(weight)
            v = TENSORS.mm(TENSORS.linalg_pinv(TENSORS.mm(matrix.t(), matrix)), TENSORS.mv(matrix.t(), u)[:, None])
            v = v.squeeze(1)
            state_dict[key + "_v"] = v.mul_(sigma / TENSORS.dot(u, TENSORS.mv(matrix, v)))

    def note_version(self, module: Any, state_dict: Any, prefix: str, local_metadata: dict[str, Any]) -> None:
        """Write into the metadata of a state_dict which form it has."""
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self._version


def _refuse(module: Any, name: str) -> Any:
    """The parameter, if it can be normalised."""
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `SpectralNorm` can't have uninitialized parameters. "
            "Make sure to run the dummy forward before applying spectral normalization"
        )
    return weight


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """A module whose weight is divided by its largest singular value before each forward pass.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.utils.spectral_norm(nn.Linear(2, 3))
        >>> list(layer.state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']

    Mirrors `torch.nn.utils.spectral_norm`.
    """
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    weight = _refuse(module, name)
    hook = SpectralNorm(name, n_power_iterations, dim, eps)
    with no_grad():
        rows, columns = hook.reshape_weight_to_matrix(weight).size()
        u = normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
        v = normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    module._register_state_dict_hook(hook.note_version)
    module._register_load_state_dict_pre_hook(hook.take_old)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Undo spectral_norm: one weight again.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.utils.remove_spectral_norm(nn.utils.spectral_norm(nn.Linear(2, 3)))
        >>> list(layer.state_dict())
        ['bias', 'weight']

    Mirrors `torch.nn.utils.remove_spectral_norm`.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for key, made in list(module._state_dict_hooks.items()):
        if isinstance(getattr(made, "__self__", None), SpectralNorm) and made.__self__.name == name:
            del module._state_dict_hooks[key]
    return module
