"""Operators as `torch.ops.NAMESPACE.NAME` gives them: packets of overloads, each with its schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .schema import Schema

__all__ = ["OpOverload", "OpOverloadPacket"]


class OpOverload:
    """One overload of an operator."""

    __module__ = "torch._ops"

    def __init__(self, namespace: str, opname: str, schema: Schema) -> None:
        self.namespace, self._opname, self._schema = namespace, opname, schema
        self._overloadname = schema.overload_name or "default"
        self.__name__ = f"{opname}.{self._overloadname}"
        self.__module__ = f"torch._ops.{namespace}"
        self.__qualname__ = self.name()
        self.overloadpacket: Any = None

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"

    @property
    def _overloadpacket(self) -> Any:
        return self.overloadpacket

    def name(self) -> str:
        """Its full name, `NAMESPACE::NAME` or `NAMESPACE::NAME.OVERLOAD`."""
        overload = self._schema.overload_name
        return f"{self.namespace}::{self._opname}" + (f".{overload}" if overload else "")

    @property
    def _name(self) -> str:
        return self.name()

    def decompose(self, *args: Any, **kwargs: Any) -> Any:
        """What it gives by other operators; NotImplemented where it does not consist of them."""
        return NotImplemented

    @property
    def is_view(self) -> bool:
        """Whether what it returns shares memory with an argument that it does not change."""
        return "(" in self._schema.returned.removeprefix("(") and not self._schema.is_mutable

    def __copy__(self) -> OpOverload:
        return self

    def __deepcopy__(self, memo: Any) -> OpOverload:
        return self

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._run(*self._schema.read(args, kwargs))

    def _run(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What it gives for arguments that are converted."""
        raise NotImplementedError


class OpOverloadPacket:
    """An operator: all its overloads."""

    __module__ = "torch._ops"

    def __init__(self, overloads: Sequence[OpOverload]) -> None:
        self._overloads = {one._overloadname: one for one in overloads}
        for one in overloads:
            one.overloadpacket = self
        self.__name__ = overloads[0]._opname
        self._namespace = overloads[0].namespace
        self.__module__ = f"torch._ops.{self._namespace}"
        self.__qualname__ = f"torch.ops.{self._namespace}.{self.__name__}"
        self._qualified_op_name = f"{self._namespace}::{self.__name__}"

    def __str__(self) -> str:
        return f"{self._namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_overloads"][name]
        except KeyError:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'") from None

    @property
    def op(self) -> OpOverloadPacket:
        """What is called for a call of the packet: here the packet."""
        return self

    def __iter__(self) -> Iterator[str]:
        return iter(self._overloads)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._overloads]

    def __deepcopy__(self, memo: Any) -> OpOverloadPacket:
        return self

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if len(self._overloads) == 1:
            return next(iter(self._overloads.values()))(*args, **kwargs)
        refused = []
        for one in self._overloads.values():
            try:
                read = one._schema.read(args, kwargs)
            except RuntimeError as error:
                refused.append(str(error))
                continue
            return one._run(*read)
        raise RuntimeError(
            "Overloaded torch operator invoked from Python failed to match any schema:\n"
            + "\n\n".join(refused)
            + "\n\n"
        )

    def overloads(self) -> list[str]:
        """The names of its overloads."""
        return list(self._overloads)
