"""Forward mode by dual numbers (mirrors `torch.autograd.forward_ad`).

A dual tensor is a leaf whose operations are recorded; `unpack_dual` differentiates what was recorded twice backward,
which gives the derivative in the direction of the tangents.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple

from ..core.graph.node import pair, reachable
from ..core.recording.record import TENSORS
from ..core.tensor import printing
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad
from .context import transforms, transposing
from .frontend import grad as gradient
from .grad_mode import enable_grad

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """The primal and the tangent of a dual tensor; without a tangent, the primal is the tensor itself."""

    primal: Tensor
    tangent: Tensor | None


#: the dual tensors of each level that is open, with their tangents
_levels: list[list[tuple[Tensor, Tensor]]] = []
#: the number of the level that is open, as programs of PyTorch read it
_current_level = -1


def enter_dual_level() -> int:
    """Open a level; only one can be open."""
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    global _current_level
    _levels.append([])
    printing.unpack_dual = unpack_dual
    _current_level = len(_levels) - 1
    return _current_level


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: its dual tensors lose their tangents."""
    if level is None:
        level = len(_levels) - 1
    if level != len(_levels) - 1:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    global _current_level
    printing.unpack_dual = None
    for dual, _ in _levels.pop():
        if dual.grad_fn is None:  # it requires grad for the tangent alone
            dual.requires_grad_(False)
    transforms.duals = ()
    _current_level = len(_levels) - 1


class dual_level:
    """A level as a block.

    >>> import autogradlab as torch
    >>> import autogradlab.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor(3.), torch.tensor(1.))
    ...     fwAD.unpack_dual(x * x).tangent
    tensor(6.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor with a tangent, the direction in which what is computed from it will be differentiated."""
    if level is None:
        level = len(_levels) - 1
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if not (tangent.is_floating_point() or tangent.is_complex()):
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
            f"not supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
    if any(dual is tensor for dual, _ in _levels[level]):
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{level} is not supported."
        )
    if any(dual is tangent for dual, _ in _levels[level]):
        raise RuntimeError(
            f"Setting a forward grad that itself has a forward gradient at the same level{level} is not supported."
        )
    with enable_grad():
        dual = tensor.view_as(tensor) if requires_grad(tensor) else tensor.detach().requires_grad_()
    _levels[level].append((dual, tangent))
    transforms.duals += (pair(gradient_edge(dual))[0],)
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> Any:
    """(primal, tangent) of a tensor; the tangent is None where it depends on no dual tensor."""
    if level is None:
        level = len(_levels) - 1
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    own = {id(dual) for dual, _ in _levels[level] if dual.grad_fn is None}
    for dual, tangent in _levels[level]:
        if dual is tensor:
            return UnpackedDualTensor(_released(tensor, own), tangent)
    if not requires_grad(tensor) or not _levels[level]:
        return UnpackedDualTensor(tensor, None)
    duals, tangents = zip(*_levels[level], strict=True)
    with enable_grad():
        dummy = TENSORS.zeros_like(tensor).requires_grad_()
        own.add(id(dummy))
        with transposing():
            firsts = gradient(tensor, duals, dummy, create_graph=True, allow_unused=True)
        pairs = [(g, t) for g, t in zip(firsts, tangents, strict=True) if g is not None]
        if not pairs:
            return UnpackedDualTensor(_released(tensor, own), None)
        linear = [(g, t) for g, t in pairs if requires_grad(g)]
        found = None
        if linear:
            made, along = zip(*linear, strict=True)
            found = gradient(made, dummy, along, create_graph=True, allow_unused=True)[0]
    if found is None:
        found = TENSORS.zeros_like(tensor)
    return UnpackedDualTensor(_released(tensor, own), _released(found, own))


def _released(t: Tensor, own: set[int]) -> Tensor:
    """A tensor without the history that ends at the level's own tensors; with it where others require grad."""
    if not requires_grad(t):
        return t
    nodes: Iterator[Any] = reachable([pair(gradient_edge(t))[0]])
    foreign = any(node.accumulates and id(node.variable) not in own for node in nodes)
    return t if foreign else TENSORS.detach(t)
