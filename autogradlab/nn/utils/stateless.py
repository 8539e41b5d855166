"""Calls of Modules with other parameters, under its old name (mirrors `torch.nn.utils.stateless`)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core.tensor.tensor import Tensor
from ..modules.module import Module
from ..parallel import DataParallel

__all__ = ["called", "functional_call", "reparametrized"]


_ABSENT: Any = object()


@contextmanager
def reparametrized(
    module: Any, parameters_and_buffers: dict[str, Any], tie_weights: bool = False, strict: bool = False
) -> Iterator[None]:
    """A context in which a module has other parameters, buffers and attributes, by their names. What stands there at
    its end, which `forward` may have assigned, is put into the dict."""
    given = _tied(module, parameters_and_buffers) if tie_weights else parameters_and_buffers
    if strict:
        _check_names(module, given)
    before: list[tuple[str, Any, str, Any]] = []
    try:
        for path, value in given.items():
            where, _, name = path.rpartition(".")
            owner = _inside(module, where)
            before.append((path, owner, name, _swapped(owner, name, value)))
        yield
    finally:
        after = {path: _swapped(owner, name, value) for path, owner, name, value in before}
        parameters_and_buffers.update({path: after[path] for path in parameters_and_buffers if path in after})


def _inside(module: Any, path: str) -> Any:
    """The submodule at a path. Errors: AttributeError for none, TypeError for what is no Module."""
    if not path:
        return module
    where, _, name = path.rpartition(".")
    owner = _inside(module, where)
    found = getattr(owner, name, _ABSENT)
    if found is _ABSENT:
        raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
    if not isinstance(found, Module):
        raise TypeError(f"submodule `{path}`: {found} is not an instance of torch.nn.Module")
    return found


def _swapped(owner: Any, name: str, value: Any) -> Any:
    """Put a tensor in the place of a parameter, buffer or attribute, or take that away for _ABSENT; gives what was
    there before."""
    if value is not _ABSENT and value is not None and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for table in (owner._parameters, owner._buffers):
        if name in table:
            found = table[name]
            if value is _ABSENT:
                del table[name]
            else:
                table[name] = value
            return found
    found = getattr(owner, name, _ABSENT)
    if found is not _ABSENT and found is not None and not isinstance(found, Tensor):
        raise TypeError(f"attribute `{name}`: {found} is not an instance of torch.Tensor")
    if value is not _ABSENT:
        setattr(owner, name, value)
    elif found is not _ABSENT:
        delattr(owner, name)
    return found


def _own(module: Any) -> list[tuple[str, Tensor]]:
    """All parameters and buffers by name, those that have several names under each."""
    return [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]


def _tied(module: Any, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """What is given for one name of a parameter that has several, for all of them."""
    names: dict[int, list[str]] = {}
    for name, t in _own(module):
        names.setdefault(id(t), []).append(name)
    found = dict(given)
    for tied in names.values():
        told = [name for name in tied if name in given]
        if len({id(given[name]) for name in told}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. Consider using "
                "tie_weights=False"
            )
        for name in tied if told else ():
            found[name] = given[told[0]]
    return found


def _check_names(module: Any, given: dict[str, Tensor]) -> None:
    """Refuse names that the module has not, and ask for all that it has."""
    own = {name for name, _ in _own(module)}
    lines = []
    for words, names in (("Unexpected", given.keys() - own), ("Missing", own - given.keys())):
        if names:
            lines.append(f"{words} key(s): {', '.join(map(repr, sorted(names)))}.")
    if lines:
        what = "\n\t".join([f"Error(s) in reparametrizing for {type(module).__name__}:", *lines])
        raise RuntimeError(what)


def called(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """What the module gives with these in place of its own."""
    if isinstance(module, DataParallel):
        raise RuntimeError("The stateless API can't be used with nn.DataParallel module")
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with reparametrized(module, parameters_and_buffers, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


def functional_call(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with other parameters in place of its own; `torch.func.functional_call` is the new name.

    Mirrors `torch.nn.utils.stateless.functional_call`.
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    parameters_and_buffers.keys()  # one dict only
    return called(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


# PyTorch's names
_functional_call = called
_reparametrize_module = reparametrized
