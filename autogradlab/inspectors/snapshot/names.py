"""Names: which variable of the caller holds a tensor.

A `Space` is what the caller can name, for as long as one inspector call lasts; `Names` remembers names by identity and
refers to the tensors weakly. Neither should be kept longer than the call.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from inspect import CO_OPTIMIZED
from types import FrameType, MappingProxyType
from typing import Any

from .kinds import is_a, is_array, is_module, is_tensor

__all__ = [
    "VARIABLE",
    "Names",
    "Place",
    "Space",
    "dotted",
    "locals_of",
    "names_of",
    "namespace",
    "namespace_names",
    "notebook",
    "tensors",
    "variable_of",
]

#: What IPython keeps in the user's namespace for itself.
_HIDDEN = re.compile(r"_i+|_i?\d+|_[iod]h|__\w+__")
#: names for what nobody means to use, and IPython's for the last results
_THROWN = re.compile(r"_+")
_IPYTHON = frozenset({"In", "Out", "exit", "quit", "get_ipython", "open"})

#: a variable in code: no attribute, no number
VARIABLE = re.compile(r"(?<![\w.])[^\W\d]\w*")

_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})

#: Containers longer than this are not searched for names.
MANY = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """Where the caller stands: `function` is "<module>" outside of functions, `first` the line where that begins."""

    file: str
    line: int
    function: str = "<module>"
    first: int = 1


class Space(Mapping[str, Any]):
    """The caller's variables, locals before globals; `place` says where the caller is, `cells` what a notebook ran.

    `source` is the dictionary of the globals itself: whose it is tells whether a notebook is meant.
    """

    def __init__(
        self, inner: Mapping[str, Any], outer: Mapping[str, Any], place: Place | None, cells: Sequence[str] = ()
    ) -> None:
        self.local = frozenset(inner)
        self.source = outer
        self.place = place
        self.cells = tuple(cells)
        # IPython's own: `_` too, unless somebody set it, and its first values, which stay where a builtin is named _
        own = {"_": "", "__": "", "___": "", **getattr(notebook(), "user_ns_hidden", {})} if cells else {}
        self._held = {name: value for name, value in inner.items() if not _hidden(name)}
        for name, value in outer.items():
            if name not in self._held and not _hidden(name) and not (cells and own.get(name, self) is value):
                self._held[name] = value

    def __getitem__(self, name: str) -> Any:
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


def _hidden(name: str) -> bool:
    return not name.isidentifier() or name in _IPYTHON or _HIDDEN.fullmatch(name) is not None


def notebook() -> Any:
    """The running IPython shell, or None; IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None


def namespace(depth: int = 1) -> Space:
    """The variables of a caller: of the function that calls this at depth 0, of its caller (the user) at depth 1, …"""
    frame: FrameType | None = sys._getframe(1)
    for _ in range(depth):
        frame = frame.f_back if frame is not None else None
    if frame is None:
        return Space({}, {}, None)
    own: dict[str, Any] = {}
    while frame.f_code.co_name in _COMPREHENSIONS and frame.f_back is not None:  # before Python 3.12 they have frames
        own = {**locals_of(frame), **own}
        frame = frame.f_back
    code, outer = frame.f_code, frame.f_globals
    inner = {} if code.co_name == "<module>" and frame.f_locals is outer else locals_of(frame)
    top = code.co_name == "<module>"
    place = Place(code.co_filename, frame.f_lineno, code.co_name, 1 if top else code.co_firstlineno)
    shell = notebook()
    cells = list(shell.user_ns.get("In", ())) if shell is not None and shell.user_ns is outer else ()
    return Space({**inner, **{name: value for name, value in own.items() if name not in inner}}, outer, place, cells)


def locals_of(frame: FrameType) -> dict[str, Any]:
    """A copy of a frame's variables.

    Before Python 3.13 the frame of a function keeps the dictionary that it was asked for, and with it whatever a
    variable held at that time: it is emptied, unless somebody else has it.
    """
    asked = frame.f_locals
    copied = dict(asked)
    function = frame.f_code.co_flags & CO_OPTIMIZED
    if sys.version_info < (3, 13) and function and sys.getrefcount(asked) <= 3:  # the frame, this name, the call
        asked.clear()
    return copied


# -- which names hold tensors ------------------------------------------------------------------------------------------


def namespace_names() -> Iterator[Any]:
    """What variables of the notebook hold, and items of lists and dicts that they hold; IPython's own are left out."""
    shell = notebook()
    for name, value in list({} if shell is None else shell.user_ns.items()):
        if _hidden(name) or _THROWN.fullmatch(name):
            continue
        yield value
        if type(value) in (list, tuple) and len(value) <= MANY:
            yield from value
        elif type(value) is dict and len(value) <= MANY:
            yield from list(value.values())


def tensors(space: Mapping[str, Any], arrays: bool = False) -> Iterator[tuple[str, Any]]:
    """Every tensor that has a name, with that name: variables first, then `model.weight`, `params[0]`, what loops left
    in their variables, `params["layers"][0]`, `w.grad`, at last `_`.

    With `arrays` NumPy's arrays too. A tensor with two names comes twice.
    """
    wanted = (lambda value: is_tensor(value) or is_array(value)) if arrays else is_tensor
    thrown = [(name, value) for name, value in list(space.items()) if _THROWN.fullmatch(name)]
    direct = [(name, value) for name, value in list(space.items()) if wanted(value) and not _THROWN.fullmatch(name)]
    near = [(name, value, list(_inside(name, value))) for name, value in list(space.items())]
    within = [found for _, _, inner in near for found in inner if wanted(found[1])]
    held = {id(value) for _, value in within}
    turned = _turned(space) if any(id(value) in held for _, value in direct) else frozenset()
    left = [found for found in direct if found[0] in turned and id(found[1]) in held]
    yield from (found for found in direct if all(found is not one for one in left))
    yield from within
    yield from left
    for name, value, inner in near:
        yield from ((path, thing) for path, thing in _deeper(name, value, inner) if wanted(thing))
    for name, value in direct:
        if is_tensor(value) and _grad(value) is not None:
            yield f"{name}.grad", _grad(value)
    yield from ((name, value) for name, value in thrown if wanted(value))


def _turned(space: Mapping[str, Any]) -> frozenset[str]:
    """The variables that get values from loops alone: `for p in model.parameters()` leaves the last one in `p`."""
    if not isinstance(space, Space) or space.place is None:
        return frozenset()
    sources = space.cells or ("".join(linecache.getlines(space.place.file)),)
    found = [_bound(source) for source in sources]
    return frozenset[str]().union(*(loops for loops, _ in found)).difference(*(others for _, others in found))


@lru_cache(maxsize=1024)
def _bound(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that get values from `for` in a source, and those that get them in other ways."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset(), frozenset()
    loops = [node.target for node in nodes if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension))]
    turned = {id(name): name.id for target in loops for name in ast.walk(target) if isinstance(name, ast.Name)}
    stored = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in turned)
    others = [name.id for name in stored] + [node.arg for node in nodes if isinstance(node, ast.arg)]
    return frozenset(turned.values()), frozenset(others)


def _grad(tensor: Any) -> Any:
    """`.grad` without the warning that PyTorch gives for non-leaf tensors."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def _inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What one level below a variable can be named: items of lists and dicts, attributes, all tensors of a Module."""
    kind = type(value)
    if kind in (list, tuple) and len(value) <= MANY:
        yield from ((f"{name}[{index}]", held) for index, held in enumerate(value))
    elif kind is dict and len(value) <= MANY:
        yield from ((f"{name}[{key!r}]", held) for key, held in list(value.items()) if isinstance(key, (str, int)))
    elif is_module(value):
        for kept in (value.named_parameters, value.named_buffers):
            yield from ((dotted(name, path), held) for path, held in kept())
        yield from _attributes(name, value)
    elif is_a(value, type):
        if type.__getattribute__(value, "__module__") == "__main__":  # the learner's own class
            yield from _attributes(name, value)
    elif not (is_tensor(value) or is_array(value) or kind.__module__ == "builtins"):
        yield from _attributes(name, value)


def _attributes(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    own = type if is_a(value, type) else object
    try:
        held = own.__getattribute__(value, "__dict__")  # its own dictionary: no code of the user's is run
    except AttributeError:
        return
    if is_a(held, (dict, MappingProxyType)) and len(held) <= MANY:
        yield from ((f"{name}.{key}", inner) for key, inner in list(held.items()) if not key.startswith("__"))


def _deeper(name: str, value: Any, inner: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The same one level further down, in the containers and Modules that were found within a variable; of a Module
    itself nothing, whose Modules' tensors are known."""
    left = MANY
    for path, held in () if is_module(value) else inner:
        if type(held) not in (list, tuple, dict) and not is_module(held):
            continue
        if path.removeprefix(name).startswith("._"):  # an object's own affairs
            continue
        for found in _inside(path, held):
            yield found
            left -= 1
            if not left:
                return


def variable_of(name: str) -> str:
    """The variable that a spelled name begins with: `h` of `h[3]`, `fc1` of `fc1.weight`."""
    return re.split(r"[.\[]", name, maxsplit=1)[0]


def dotted(name: str, path: str) -> str:
    """`model` and "0.weight" as one writes them: `model[0].weight`."""
    return name + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in path.split("."))


class Names:
    """The names of tensors and arrays, by identity."""

    def __init__(self, found: Iterator[tuple[str, Any]]) -> None:
        self._names: dict[int, tuple[weakref.ref[Any], list[str]]] = {}
        for name, tensor in found:
            known = self._names.get(id(tensor))
            if known is None or known[0]() is not tensor:
                self._names[id(tensor)] = weakref.ref(tensor), [name]
            elif name not in known[1]:
                known[1].append(name)

    def of(self, tensor: Any) -> str | None:
        """The variable that holds exactly this tensor; None if nothing does."""
        return next(iter(self.all(tensor)), None)

    def all(self, tensor: Any) -> list[str]:
        """All names of this tensor, the shortest way first."""
        known = self._names.get(id(tensor))
        return list(known[1]) if known is not None and known[0]() is tensor else []

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """First names and the tensors that still live."""
        for reference, names in list(self._names.values()):
            if (tensor := reference()) is not None:
                yield names[0], tensor


def names_of(space: Mapping[str, Any]) -> Names:
    """The names of all tensors and NumPy arrays in a namespace."""
    return Names(tensors(space, arrays=True))
