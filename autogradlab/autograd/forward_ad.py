"""Forward mode by dual numbers (mirrors `torch.autograd.forward_ad`).

A dual tensor leads to a hidden leaf, so that operations on it are recorded, those in place too; `unpack_dual`
differentiates what was recorded twice backward, which gives the derivative in the direction of the tangents.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple

from ..core.graph.node import NO_EDGE, pair, reachable
from ..core.recording.record import TENSORS
from ..core.tensor import printing
from ..core.tensor import tensor as tensors
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad, set_requires_grad
from .context import transforms, transposing
from .edge import place_of
from .frontend import grad as gradient
from .grad_mode import enable_grad

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """The primal and the tangent of a dual tensor; without a tangent, the primal is the tensor itself."""

    primal: Tensor
    tangent: Tensor | None


class _Dual:
    """A tensor with a tangent: where its history begins, and what tensor it was, as long as that lives."""

    __slots__ = ("hidden", "place", "tangent", "tensor")

    def __init__(self, tensor: Tensor, hidden: Tensor | None, tangent: Tensor) -> None:
        self.hidden = hidden
        self.tangent = tangent
        self.place = place_of(tensor)
        self.tensor = weakref.ref(tensor)

    def is_(self, t: Tensor) -> bool:
        """Whether a tensor still is this one, as it was made."""
        return requires_grad(t) and pair(gradient_edge(t)) == self.place[:2]

    def close(self, own: set[int]) -> None:
        """Its level ends: the tensor requires grad no longer, if it did for the tangent alone."""
        t = self.tensor()
        if t is not None and self.hidden is not None and not _reaches_others(t, own):
            t._edge = NO_EDGE


#: the dual tensors of each level that is open
_levels: list[list[_Dual]] = []
#: the number of the level that is open, as programs of PyTorch read it
_current_level = -1


def enter_dual_level() -> int:
    """Open a level; only one can be open."""
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    global _current_level
    _levels.append([])
    printing.unpack_dual = unpack_dual
    tensors.differentiated = _differentiated
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
    printing.unpack_dual = tensors.differentiated = None
    own = _own()
    for dual in _levels.pop():
        dual.close(own)
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
    if level >= len(_levels):
        raise RuntimeError("Invalid level given to _make_dual")
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
    if any(dual.is_(tensor) for dual in _levels[level]):
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{level} is not supported."
        )
    if any(dual.is_(tangent) for dual in _levels[level]):
        raise RuntimeError(
            f"Setting a forward grad that itself has a forward gradient at the same level{level} is not supported."
        )
    hidden = None
    with enable_grad():
        if requires_grad(tensor):
            dual = tensor.view_as(tensor)
        else:
            dual, hidden = leading_to_leaf(tensor)
    noted = _Dual(dual, hidden, tangent)
    _levels[level].append(noted)
    transforms.duals += (noted.place[0],)
    return dual


def leading_to_leaf(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """A tensor on the same memory whose history is a leaf of its own, so that it may be changed in place; and that
    leaf."""
    hidden = tensor.detach()
    set_requires_grad(hidden, True, "method")
    made = tensor.detach()
    made._edge = gradient_edge(hidden)
    return made, hidden


def _differentiated(t: Tensor) -> bool:
    """Whether others than the open level differentiate by a tensor."""
    return _reaches_others(t, _own())


def _reaches_others(t: Tensor, own: set[int]) -> bool:
    nodes: Iterator[Any] = reachable([pair(gradient_edge(t))[0]])
    return any(node.accumulates and id(node.variable) not in own for node in nodes)


def _own() -> set[int]:
    """The leaves of the open level, by id."""
    return {id(dual.hidden) for dual in _levels[-1]}


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> Any:
    """(primal, tangent) of a tensor; the tangent is None where it depends on no dual tensor."""
    if level is None:
        level = len(_levels) - 1
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    own = _own()
    for dual in _levels[level]:
        if dual.is_(tensor):
            return UnpackedDualTensor(_released(tensor, own), dual.tangent)
    if not requires_grad(tensor) or not _levels[level]:
        return UnpackedDualTensor(tensor, None)
    places = [dual.place for dual in _levels[level]]
    tangents = [dual.tangent for dual in _levels[level]]
    with enable_grad():
        dummy = TENSORS.zeros_like(tensor)
        set_requires_grad(dummy, True, "method")
        own.add(id(dummy))
        with transposing():
            firsts = gradient(tensor, places, dummy, create_graph=True, allow_unused=True)
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
    return t if not requires_grad(t) or _reaches_others(t, own) else TENSORS.detach(t)
