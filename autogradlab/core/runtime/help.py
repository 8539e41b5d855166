"""Help texts on demand: what stands as `__doc__` and `__wrapped__` of a published function until somebody looks at it.

A published function has one `Help` as its `__doc__` and its `__wrapped__`: a string that knows its name only, and reads
the rest when somebody looks at it. So the texts cost nothing at import. Who puts them together is handed in:
`Help.reader`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any, ClassVar

__all__ = ["Help", "attach"]

#: flags of a function's code that takes *args or **kwargs
_ANYTHING = 0x0C
_METHODS = (MethodDescriptorType, WrapperDescriptorType)


class Help(str):
    """The text of a name, on demand; `inspect.signature` finds the signature here.

    As a string it is its path, for `inspect.getdoc` takes nothing but strings; every method of a string answers for the
    text (`_of_text`).
    """

    __slots__ = ("plain",)
    plain: str
    #: gives the module `ops/reference/describing.py`, which is loaded with all it needs when somebody looks
    reader: ClassVar[Callable[[], Any]]

    def __new__(cls, path: str, plain: str = "") -> Help:
        made = str.__new__(cls, path)
        made.plain = plain
        return made

    @property
    def __signature__(self) -> Any:
        return Help.reader().signature(str.__str__(self))

    @property
    def __wrapped__(self) -> Any:
        found = Help.reader().source(str.__str__(self))
        if found is None:
            raise AttributeError("__wrapped__")
        return found

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return _text(self) == (_text(other) if isinstance(other, Help) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(_text(self))

    def __radd__(self, other: str) -> str:
        return other + _text(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return str, (_text(self),)


def _text(help: Help) -> str:
    text: str = Help.reader().describe(str.__str__(help), help.plain)
    return text


def _of_text(method: Any) -> Callable[..., Any]:
    """A method of strings, asked of the text of a Help."""

    def ask(self: Help, *args: Any, **kwargs: Any) -> Any:
        return method(_text(self), *args, **kwargs)

    return ask


for _name, _method in vars(str).items():
    if isinstance(_method, _METHODS) and _name not in vars(Help) and _name != "__getattribute__":
        setattr(Help, _name, _of_text(_method))


def attach(space: str, members: Mapping[str, Any]) -> None:
    """Attach Help to functions, classes and properties whose own docstring is not the complete help text.

    `members` are the names of a module (those that it lists in `__all__`, if it has one) or of Tensor.
    """
    for name in members.get("__all__", members):
        value = members.get(name)
        if name[0] == "_" or not isinstance(value, (FunctionType, type, property)):
            continue
        if (
            isinstance(value, type) and value.__doc__ is None
        ):  # the old types: torch.FloatTensor has no text in PyTorch either
            continue
        if type(value.__doc__) is not Help and "Mirrors `torch." not in (value.__doc__ or ""):
            value.__doc__ = text = Help(f"{space}.{name}" if space else name, value.__doc__ or "")
            if (
                type(value) is FunctionType
                and value.__code__.co_flags & _ANYTHING
                and "__wrapped__" not in value.__dict__
            ):
                value.__dict__["__wrapped__"] = text
