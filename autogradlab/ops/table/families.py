"""Families of operations that are loaded when one of their names is first asked for.

A family is a module of `ops`. `register_lazy` puts a `LazyName` in the place of each of its names: on Tensor, and in
the two backends of the formulas; OPS and FUNCTIONS know the names too. Asking for one imports the family, whose table
entries then put the functions themselves there (`attach`), so nothing is slower the second time.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from ...core.arguments.declared import declare
from ...core.recording.record import RAW, TENSORS
from ...core.runtime.help import attach as document
from ...core.tensor.tensor import Tensor, read_only

__all__ = [
    "FUNCTIONS",
    "NODES",
    "OPS",
    "LazyName",
    "Table",
    "attach",
    "attribute",
    "load_all",
    "method",
    "operation",
    "register_lazy",
]


class Table(dict[str, Any]):
    """A dict that loads the family of a name it does not have yet. Iteration shows what is loaded: see `load_all`."""

    def __init__(self) -> None:
        #: names that are still to come, and their families
        self.late: dict[str, str] = {}

    def __missing__(self, name: str) -> Any:
        if name in self.late:
            import_module(self.late[name])
            if dict.__contains__(self, name):  # a composite is a function without an entry
                return dict.__getitem__(self, name)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or name in self.late

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default


F = TypeVar("F", bound=Callable[..., Any])
#: every operation by name
OPS = Table()
#: every entry with a derivative by the name of its Node; overloads can share one
NODES: dict[str, list[Any]] = {}
#: what `torch.` offers: functions by name
FUNCTIONS = Table()
#: the modules of families that are loaded late
_FAMILIES: list[str] = []
#: methods that are still to come
METHODS: set[str] = set()


class LazyName:
    """Stands for what a family will put in its place."""

    __slots__ = ("family", "name", "space")

    def __init__(self, space: Any, name: str, family: str) -> None:
        self.space, self.name, self.family = space, name, family

    def found(self) -> Any:
        """What it stands for, its family loaded."""
        value = self.space.__dict__.get(self.name, self)
        if value is self:
            import_module(self.family)
            value = self.space.__dict__.get(self.name, self)
        if value is self:  # the family is being loaded, or has no such name
            raise AttributeError(f"{self.family} has no {self.name!r}")
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.found()(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.found().__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        self.found()
        setattr(instance, self.name, value)

    def __delete__(self, instance: Any) -> None:
        self.found()
        delattr(instance, self.name)


def register_lazy(package: str, families: dict[str, str]) -> None:
    """Name what families offer without loading them.

    `name` is a function and a method, `torch.name` only a function, `Tensor.name` only a method, `F.name` is for
    formulas.
    """
    for family, words in families.items():
        module = f"{package}.{family}"
        _FAMILIES.append(module)
        for word in words.split():
            space, _, name = word.rpartition(".")
            if space != "F":
                OPS.late[name] = module
                if space != "Tensor":
                    FUNCTIONS.late[name] = module
                if space != "torch":
                    METHODS.add(name)
                    setattr(Tensor, name, LazyName(Tensor, name, module))
            for backend in (RAW, TENSORS):
                backend.__dict__.setdefault(name, LazyName(backend, name, module))


def operation(name: str) -> Any:
    """The function on Tensors of that name, its family loaded."""
    fn = TENSORS.__dict__[name]
    return fn.found() if type(fn) is LazyName else fn


def attach(name: str, value: Any) -> None:
    """Make something a method of Tensor, unless a user has put another in the place of one that was not loaded yet."""
    if name in METHODS and type(Tensor.__dict__.get(name)) is not LazyName:
        return
    METHODS.discard(name)
    document("Tensor", {name: value})
    setattr(Tensor, name, value)


def method(name: str) -> Callable[[F], F]:
    """Decorator for a method of Tensor that PyTorch writes in Python: Python's errors call it Tensor.name."""

    def register(fn: F) -> F:
        fn.__name__, fn.__qualname__ = name, f"Tensor.{name}"
        attach(name, fn)
        return fn

    return register


def attribute(declaration: str) -> Callable[[F], F]:
    """Decorator for what an attribute of Tensor reads. Its docstring is the help text."""

    def register(fn: F) -> F:
        fn.__name__ = name = declare(declaration, fn.__doc__ or "")
        attach(name, read_only(fn, doc=fn.__doc__))
        return fn

    return register


def load_all() -> None:
    """Load every family, for whoever wants to see the whole table."""
    for family in _FAMILIES:
        import_module(family)
