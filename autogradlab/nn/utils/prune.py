"""Pruning: weights are multiplied by a mask of zeros and ones before each forward pass (mirrors
`torch.nn.utils.prune`)."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ...core.recording.record import TENSORS
from ...core.runtime.naming import by_name
from ...core.tensor.tensor import Tensor
from ..modules.module import Module
from .convert_parameters import parameters_to_vector

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


class BasePruningMethod(ABC):
    """A forward pre-hook that multiplies a tensor of a module by its mask; a subclass says with `compute_mask` which
    mask, and with PRUNING_TYPE what it chooses among: 'unstructured' elements, 'structured' channels, or 'global'.

    `apply` prunes: name_orig is the parameter then, name_mask a buffer, name their product.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Negative(nn.utils.prune.BasePruningMethod):
        ...     def compute_mask(self, t, default_mask):
        ...         return default_mask * (t >= 0)
        ...
        >>> layer = nn.Linear(2, 2)
        >>> _ = layer.weight.data.copy_(torch.tensor([[1., -5.], [2., 3.]]))
        >>> _ = Negative.apply(layer, 'weight')
        >>> layer.weight
        tensor([[1., -0.],
                [2., 3.]], grad_fn=<MulBackward0>)
        >>> layer.weight_mask
        tensor([[1., 0.],
                [1., 1.]])

    Mirrors `torch.nn.utils.prune.BasePruningMethod`.
    """

    __reduce_ex__ = by_name
    PRUNING_TYPE = "unstructured"
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The new mask for a tensor to which `default_mask` applies already."""
        raise NotImplementedError

    def apply_mask(self, module: Module) -> Any:
        """The original times the mask."""
        mask, original = (getattr(module, f"{self._tensor_name}_{what}") for what in ("mask", "orig"))
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Module, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prune a tensor of a module; of one that is pruned already, prune the remaining elements."""
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        before = _hooks(module, name)
        for number, _ in before:
            del module._forward_pre_hooks[number]
        if before:
            method = _joined(before[0][1], method)
        value = getattr(module, name)
        scores = value if importance_scores is None else importance_scores
        if importance_scores is not None and scores.shape != value.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got {scores.shape} vs "
                f"{value.shape}"
            )
        if before:
            mask = TENSORS.clone(getattr(module, name + "_mask").detach())
        else:
            module.register_parameter(name + "_orig", value)
            del module._parameters[name]
            mask = TENSORS.ones_like(value)
        try:
            module.register_buffer(name + "_mask", method.compute_mask(scores, default_mask=mask))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not before:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A tensor times the mask that this method computes for it; no module changes."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        mask = TENSORS.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=mask)

    def remove(self, module: Module) -> None:
        """Make the pruned weight a parameter again, with its zeros."""
        name = self._tensor_name
        if not hasattr(module, name):
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original: Any = module._parameters[name + "_orig"]
        original.data = weight.data
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


def _hooks(module: Module, name: str) -> list[tuple[int, Any]]:
    """The pruning methods of a tensor."""
    found = module._forward_pre_hooks.items()
    return [(n, h) for n, h in found if isinstance(h, BasePruningMethod) and h._tensor_name == name]


def _joined(before: Any, method: Any) -> PruningContainer:
    container = before if isinstance(before, PruningContainer) else PruningContainer(before)
    container.add_pruning_method(method)
    return container


class PruningContainer(BasePruningMethod):
    """Several pruning methods of one tensor, each applied to what the others left. A second pruning of a tensor makes
    it.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Linear(2, 2)
        >>> _ = layer.weight.data.copy_(torch.tensor([[1., -5.], [2., 3.]]))
        >>> _ = nn.utils.prune.l1_unstructured(layer, 'weight', amount=1)
        >>> _ = nn.utils.prune.l1_unstructured(layer, 'weight', amount=1)
        >>> layer.weight
        tensor([[ 0., -5.],
                [ 0.,  3.]], grad_fn=<MulBackward0>)
        >>> (hook,) = layer._forward_pre_hooks.values()
        >>> type(hook).__name__, [type(method).__name__ for method in hook]
        ('PruningContainer', ['L1Unstructured', 'L1Unstructured'])

    Mirrors `torch.nn.utils.prune.PruningContainer`.
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method of the same tensor."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask of the last method, computed for the elements or channels that are left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            chosen: Any = mask == 1
        elif method.PRUNING_TYPE == "structured":
            ndim = t.ndim
            dim = method.dim + ndim if method.dim < 0 else method.dim
            others = [d for d in range(ndim) if d != dim]
            left = TENSORS.sum(mask, others) != 0
            chosen = (slice(None),) * dim + (left,)
        elif method.PRUNING_TYPE == "global":
            chosen = (slice(None),) * t.ndim
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        partial = method.compute_mask(t[chosen], default_mask=mask[chosen])
        new = TENSORS.clone(mask)
        new[chosen] = partial.to(mask.dtype)
        return new


class Identity(BasePruningMethod):
    """A mask of ones: the parameters get their pruned names, nothing is pruned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.utils.prune.Identity().prune(torch.tensor([[1., -5.], [2., 3.]]))
        tensor([[ 1., -5.],
                [ 2.,  3.]])

    Mirrors `torch.nn.utils.prune.Identity`.
    """

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask as it is."""
        return default_mask


def _validate_pruning_amount_init(amount: Any) -> None:
    """Refuse an amount that is neither a count nor a fraction."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 if isinstance(amount, numbers.Integral) else not 0.0 <= float(amount) <= 1.0:
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    """Refuse to prune more elements than there are."""
    if isinstance(amount, numbers.Integral) and int(amount) > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> Any:
    """The number of elements that an amount stands for."""
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_structured_pruning(t: Any) -> None:
    """Refuse a tensor without channels."""
    if t.ndim <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.ndim} dims"
        )


def _validate_pruning_dim(t: Any, dim: int) -> None:
    """Refuse a dimension that is not there."""
    if dim >= t.ndim:
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Any, n: Any, dim: int) -> Any:
    """The n-norm of each channel along a dimension."""
    dims = list(range(t.ndim))
    del dims[dim]
    return TENSORS.norm(t, n, dims)


class _Amount(BasePruningMethod):
    """Prunes a number, or a fraction, of the elements or channels."""

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount: Any = amount

    def _number(self, size: int) -> int:
        _validate_pruning_amount(self.amount, size)
        return _compute_nparams_toprune(self.amount, size)


class RandomUnstructured(_Amount):
    """Prunes elements at random: amount is a number of them (int), or a fraction (float from 0 to 1).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.utils.prune.RandomUnstructured(amount=2).prune(torch.ones(2, 3))
        tensor([[1., 0., 1.],
                [1., 1., 0.]])

    Mirrors `torch.nn.utils.prune.RandomUnstructured`.
    """

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask with zeros at random positions."""
        return _without(default_mask, self._number(t.numel()), lambda: TENSORS.rand_like(t), True)


class L1Unstructured(_Amount):
    """Prunes the elements of smallest magnitude: amount is a number of them (int), or a fraction (float from 0 to 1).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.utils.prune.L1Unstructured(amount=2).prune(torch.tensor([[1., -5.], [2., 3.]]))
        tensor([[ 0., -5.],
                [ 0.,  3.]])

    Mirrors `torch.nn.utils.prune.L1Unstructured`.
    """

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask with zeros where the magnitude is smallest."""
        return _without(default_mask, self._number(t.numel()), lambda: TENSORS.abs(t), False)


def _without(default_mask: Any, n: int, scores: Any, largest: bool) -> Any:
    """The mask with zeros where the n largest, or smallest, scores are."""
    mask = TENSORS.clone(default_mask).contiguous()
    if n:
        mask.view(-1)[TENSORS.topk(scores().reshape(-1), k=n, largest=largest)[1]] = 0
    return mask


class _Channels(_Amount):
    """Prunes whole channels along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _checked(self, t: Any) -> int:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        return self._number(t.shape[self.dim])

    def _masked(self, t: Any, default_mask: Any, channels: Any) -> Any:
        mask = TENSORS.zeros_like(t)
        place: list[Any] = [slice(None)] * t.ndim
        place[self.dim] = channels
        mask[tuple(place)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask


class RandomStructured(_Channels):
    """Prunes channels along dimension dim at random: amount is a number of them (int), or a fraction (float from 0 to
    1).

    Errors: ValueError for a tensor of fewer than two dimensions, IndexError for a dimension that is not there.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.utils.prune.RandomStructured(amount=1, dim=1).prune(torch.ones(2, 3))
        tensor([[1., 1., 0.],
                [1., 1., 0.]])

    Mirrors `torch.nn.utils.prune.RandomStructured`.
    """

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask without channels chosen at random."""
        n = self._checked(t)
        if not n:
            return default_mask
        chances = TENSORS.rand_like(t.new_empty(t.shape[self.dim]))
        return self._masked(t, default_mask, chances > TENSORS.kthvalue(chances, n)[0])


class LnStructured(_Channels):
    """Prunes the channels along dimension dim whose n-norm is smallest: amount is a number of them (int), or a fraction
    (float from 0 to 1).

    Errors: ValueError for a tensor of fewer than two dimensions, IndexError for a dimension that is not there.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.utils.prune.LnStructured(amount=1, n=2, dim=0).prune(torch.tensor([[1., -5.], [2., 3.]]))
        tensor([[ 1., -5.],
                [ 0.,  0.]])

    Mirrors `torch.nn.utils.prune.LnStructured`.
    """

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask without the channels of smallest norm."""
        pruned = self._checked(t)
        if not pruned:
            return default_mask
        dim = self.dim % t.ndim
        norms = _compute_norm(t, self.n, dim)
        kept = TENSORS.topk(norms, t.shape[dim] - pruned)[1]
        return self._masked(t, default_mask, kept)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given, of the shape of the tensor.

    Errors: AssertionError for a mask of another shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.utils.prune.CustomFromMask(torch.tensor([[1, 0], [0, 1]])).prune(torch.tensor([[1., -5.], [2., 3.]]))
        tensor([[1., -0.],
                [0., 3.]])

    Mirrors `torch.nn.utils.prune.CustomFromMask`.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Both masks together."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Module, name: str) -> Module:
    """Give a parameter its pruned names without pruning it. Returns the module.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Linear(2, 2)
        >>> _ = nn.utils.prune.identity(layer, 'weight')
        >>> layer.weight_mask
        tensor([[1., 1.],
                [1., 1.]])
        >>> sorted(layer.state_dict())
        ['bias', 'weight_mask', 'weight_orig']

    Mirrors `torch.nn.utils.prune.identity`.
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: Any) -> Module:
    """Prune elements at random: a number of them (int), or a fraction (float). Returns the module.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> layer = nn.Linear(2, 2)
        >>> _ = nn.utils.prune.random_unstructured(layer, 'weight', amount=0.5)
        >>> int(layer.weight_mask.sum())
        2

    Mirrors `torch.nn.utils.prune.random_unstructured`.
    """
    RandomUnstructured.apply(module, name, amount=amount)
    return module


def l1_unstructured(module: Module, name: str, amount: Any, importance_scores: Any = None) -> Module:
    """Prune the elements of smallest magnitude: a number of them, or a fraction.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Linear(2, 1)
        >>> _ = layer.weight.data.copy_(torch.tensor([[1., -5.]]))
        >>> _ = nn.utils.prune.l1_unstructured(layer, 'weight', amount=1)
        >>> layer.weight
        tensor([[ 0., -5.]], grad_fn=<MulBackward0>)
        >>> sorted(layer.state_dict())
        ['bias', 'weight_mask', 'weight_orig']

    Mirrors `torch.nn.utils.prune.l1_unstructured`.
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: Any, dim: int) -> Module:
    """Prune channels along a dimension at random: a number of them (int), or a fraction (float). Returns the module.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> layer = nn.Linear(2, 2)
        >>> _ = nn.utils.prune.random_structured(layer, 'weight', amount=1, dim=0)
        >>> layer.weight_mask.sum(1).sort().values
        tensor([0., 2.])

    Mirrors `torch.nn.utils.prune.random_structured`.
    """
    RandomStructured.apply(module, name, amount=amount, dim=dim)
    return module


def ln_structured(module: Module, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None) -> Module:
    """Prune the channels along a dimension whose n-norm, or importance score, is smallest: a number of them (int), or a
    fraction (float). Returns the module.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Linear(2, 2)
        >>> _ = layer.weight.data.copy_(torch.tensor([[1., -5.], [2., 3.]]))
        >>> _ = nn.utils.prune.ln_structured(layer, 'weight', amount=1, n=2, dim=0)
        >>> layer.weight
        tensor([[ 1., -5.],
                [ 0.,  0.]], grad_fn=<MulBackward0>)

    Mirrors `torch.nn.utils.prune.ln_structured`.
    """
    LnStructured.apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Any) -> Module:
    """Prune by a mask of the shape of the tensor. Returns the module.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Linear(2, 2)
        >>> _ = layer.weight.data.copy_(torch.tensor([[1., -5.], [2., 3.]]))
        >>> _ = nn.utils.prune.custom_from_mask(layer, 'weight', mask=torch.tensor([[1, 0], [0, 1]]))
        >>> layer.weight
        tensor([[1., -0.],
                [0., 3.]], grad_fn=<MulBackward0>)

    Mirrors `torch.nn.utils.prune.custom_from_mask`.
    """
    CustomFromMask.apply(module, name, mask=mask)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prune the elements of several tensors together: what is smallest among all of them goes, wherever it is.

    parameters: pairs of module and name; importance_scores: scores by such pairs, in place of the values; other
    arguments go to the method. Errors: TypeError for a method that prunes channels.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> small, large = nn.Linear(2, 1), nn.Linear(2, 1)
        >>> _ = small.weight.data.copy_(torch.tensor([[1., 2.]]))
        >>> _ = large.weight.data.copy_(torch.tensor([[30., 40.]]))
        >>> pairs = [(small, 'weight'), (large, 'weight')]
        >>> nn.utils.prune.global_unstructured(pairs, nn.utils.prune.L1Unstructured, amount=0.5)
        >>> small.weight
        tensor([[0., 0.]], grad_fn=<MulBackward0>)
        >>> large.weight
        tensor([[30., 40.]], grad_fn=<MulBackward0>)

    Mirrors `torch.nn.utils.prune.global_unstructured`.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs = list(parameters)
    given = {} if importance_scores is None else importance_scores
    if not isinstance(given, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    values = [getattr(module, name) for module, name in pairs]
    scores = parameters_to_vector([given.get(pair, value) for pair, value in zip(pairs, values, strict=True)])
    masks = [getattr(m, f"{n}_mask", TENSORS.ones_like(v)) for (m, n), v in zip(pairs, values, strict=True)]
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} '
            f"of type {method.PRUNING_TYPE}"
        )
    container = PruningContainer(method)
    final: Tensor = container.compute_mask(scores, parameters_to_vector(masks))
    start = 0
    for (module, name), value in zip(pairs, values, strict=True):
        custom_from_mask(module, name, mask=final[start : start + value.numel()].view_as(value))
        start += value.numel()


def remove(module: Module, name: str) -> Module:
    """Make a pruned weight a parameter again, with its zeros. Returns the module.

    Errors: ValueError for one that is not pruned.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Linear(2, 2)
        >>> _ = layer.weight.data.copy_(torch.tensor([[1., -5.], [2., 3.]]))
        >>> _ = nn.utils.prune.l1_unstructured(layer, 'weight', amount=1)
        >>> _ = nn.utils.prune.remove(layer, 'weight')
        >>> layer.weight
        Parameter containing:
        tensor([[ 0., -5.],
                [ 2.,  3.]], requires_grad=True)

    Mirrors `torch.nn.utils.prune.remove`.
    """
    found = _hooks(module, name)
    if not found:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    number, hook = found[0]
    hook.remove(module)
    del module._forward_pre_hooks[number]
    return module


def is_pruned(module: Module) -> bool:
    """Whether a module, or one inside it, has a pruned weight.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> model = nn.Sequential(nn.Linear(2, 2))
        >>> nn.utils.prune.is_pruned(model)
        False
        >>> _ = nn.utils.prune.identity(model[0], 'weight')
        >>> nn.utils.prune.is_pruned(model)
        True

    Mirrors `torch.nn.utils.prune.is_pruned`.
    """
    every = (hook for _, part in module.named_modules() for hook in part._forward_pre_hooks.values())
    return any(isinstance(hook, BasePruningMethod) for hook in every)


for _name in __all__[: __all__.index("custom_from_mask")]:
    globals()[_name].__module__ = "torch.nn.utils.prune"
