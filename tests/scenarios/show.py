"""What the programs of this folder use to print errors: one line for each, and the program goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


def _text(error: Exception, first_line: bool) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text.splitlines()[0] if first_line and text else text}"


@contextmanager
def caught(label: str = "", *, first_line: bool = False) -> Iterator[None]:
    """Print the exception that the body raises, or that it raised none.

    `first_line` leaves out the lists of signatures that follow the first line of some messages.
    """
    prefix = f"{label} -> " if label else ""
    try:
        yield
    except Exception as error:
        print(prefix + _text(error, first_line))
    else:
        print(prefix + "no error")


def attempt(action: Callable[[], object], *, first_line: bool = False) -> None:
    """Print what `action` returns, or the exception that it raises."""
    try:
        print(action())
    except Exception as error:
        print(_text(error, first_line))


def t(call: Callable[[], object]) -> None:
    """Print the repr of what a call gives, or whatever it raises."""
    try:
        result = repr(call())
    except BaseException as error:
        result = f"{type(error).__name__}: {error}"
    print(result)
