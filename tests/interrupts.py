"""KeyboardInterrupt at chosen points, and other failures at the n-th call, for tests that ask what is left."""

from __future__ import annotations

import dis
import functools
import sys
from types import CodeType
from typing import Any


@functools.cache
def signal_points(code: CodeType) -> frozenset[int]:
    """The bytecodes before which Python looks for signals: where a function or another turn of a loop begins, and after
    each call, but not between the `__enter__` of a `with` and its block."""
    found = list(dis.get_instructions(code))
    names = [instruction.opname for instruction in found]
    return frozenset(
        found[i].offset
        for i, name in enumerate(names)
        if name in ("RESUME", "JUMP_BACKWARD")
        or (i and names[i - 1].startswith("CALL") and "LOAD_SPECIAL" not in names[max(0, i - 5) : i])
    )


@functools.cache
def call_points(code: CodeType) -> frozenset[int]:
    """The bytecodes that call something, but not `__exit__` where the block of a `with` has ended: locks are let go."""
    found = [i for i in dis.get_instructions(code) if i.opname != "PRECALL"]
    ends = [all(b.opname == "LOAD_CONST" and b.argval is None for b in found[i - 3 : i]) for i in range(len(found))]
    return frozenset(
        i.offset for i, end in zip(found, ends, strict=True) if i.opname.startswith("CALL") and not (end and i.offset)
    )


class Interruption:
    """A trace function that raises KeyboardInterrupt at one of the points where a signal may, in files of `within`; or
    another `error` in the place of a call."""

    def __init__(
        self, at: int, within: tuple[str, ...] = ("",), error: type[BaseException] = KeyboardInterrupt
    ) -> None:
        self.at = at
        self.within = within
        self.error = error
        self.points = signal_points if error is KeyboardInterrupt else call_points
        self.count = 0

    def __call__(self, frame: Any, event: str, arg: Any) -> Any:
        if event == "call" and not any(part in frame.f_code.co_filename for part in self.within):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        if event == "opcode":
            if frame.f_lasti in self.points(frame.f_code):
                self.count += 1
                if self.count == self.at:
                    raise self.error
        return self


def traced(
    act: Any, at: int, within: tuple[str, ...] = ("",), error: type[BaseException] = KeyboardInterrupt
) -> tuple[int, bool]:
    """Run `act`, interrupted at point `at`: how many there were, and whether it was interrupted."""
    watch = Interruption(at, within, error)
    before = sys.gettrace()
    sys.settrace(watch)
    try:
        act()
        return watch.count, False
    except error:
        return watch.count, True
    except Exception:
        return watch.count, False
    finally:
        sys.settrace(before)
