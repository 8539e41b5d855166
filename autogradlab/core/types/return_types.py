"""Results with named fields (mirrors `torch.return_types`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["named"]


class Named(tuple[Any, ...]):
    """A tuple whose fields have names; it prints as PyTorch's do."""

    __slots__ = ()
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        inner = ",\n".join(f"{n}={v!r}" for n, v in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{inner})"

    @classmethod
    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    @property
    def n_fields(self) -> int:
        return len(self)

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


def _field(i: int) -> property:
    return property(lambda self: self[i])


def named(name: str, fields: Sequence[str]) -> type[Named]:
    """The class of a function's results; made once, then found again."""
    found = globals().get(name)
    if found is None:
        found = type(
            name,
            (Named,),
            {
                "__slots__": (),
                "__module__": "torch.return_types",
                "fields": tuple(fields),
                **{f: _field(i) for i, f in enumerate(fields)},
            },
        )
        globals()[name] = found
    return found
