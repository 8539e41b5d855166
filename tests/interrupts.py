"""KeyboardInterrupt at chosen points, and other failures at the n-th call, for tests that ask what is left."""

from __future__ import annotations

import dis
import functools
import gc
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any


def calls(name: str) -> bool:
    """Whether a bytecode calls a function. CALL_INTRINSIC_1 and its like are steps of Python itself, without signals:
    Python 3.14 takes one where it drops a generator."""
    return name.startswith("CALL") and not name.startswith("CALL_INTRINSIC")


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
        or (i and calls(names[i - 1]) and "LOAD_SPECIAL" not in names[max(0, i - 5) : i])
    )


@functools.cache
def call_points(code: CodeType) -> frozenset[int]:
    """The bytecodes that call something, but not `__exit__` where the block of a `with` has ended: locks are let go."""
    found = [i for i in dis.get_instructions(code) if i.opname != "PRECALL"]
    ends = [all(b.opname == "LOAD_CONST" and b.argval is None for b in found[i - 3 : i]) for i in range(len(found))]
    return frozenset(i.offset for i, end in zip(found, ends, strict=True) if calls(i.opname) and not (end and i.offset))


def traced(
    act: Any, at: int, within: tuple[str, ...] = ("",), error: type[BaseException] = KeyboardInterrupt
) -> tuple[int, bool]:
    """Run `act`, with a KeyboardInterrupt at point `at` of those where a signal may come, in files of `within`; or with
    another `error` in the place of a call. How many points there were, and whether it was interrupted."""
    points = signal_points if error is KeyboardInterrupt else call_points
    count = 0

    def instruction(code: CodeType, offset: int) -> bool:
        nonlocal count
        if offset not in points(code):
            return False
        count += 1
        if count == at:
            raise error
        return True

    stop = watch(instruction, within)
    try:
        act()
        return count, False
    except error:
        return count, True
    except Exception:
        return count, False
    finally:
        stop()


def watch(instruction: Callable[[CodeType, int], bool], within: tuple[str, ...]) -> Callable[[], None]:
    """Have `instruction` called before every bytecode of this thread in files of `within`, but not in this file, until
    what is returned is called. It says whether it wants to hear of this bytecode again."""

    # Python drops what is raised in a callback of the garbage collector, and in `__del__`
    dropped = {getattr(callback, "__code__", None) for callback in gc.callbacks}

    def asked(code: CodeType) -> bool:
        heard = code not in dropped and code.co_name != "__del__"
        return heard and code.co_filename != __file__ and any(p in code.co_filename for p in within)

    before = sys.gettrace()
    if sys.version_info >= (3, 12):  # sys.settrace misses bytecodes in Python 3.13.0
        monitoring, tool, here = sys.monitoring, sys.monitoring.DEBUGGER_ID, threading.get_ident()

        def event(code: CodeType, offset: int) -> Any:
            if threading.get_ident() != here or (asked(code) and instruction(code, offset)):
                return None
            return monitoring.DISABLE  # this bytecode, until events are started again

        def stop() -> None:
            sys.settrace(before)
            monitoring.set_events(tool, 0)
            monitoring.register_callback(tool, monitoring.events.INSTRUCTION, None)
            monitoring.free_tool_id(tool)

        monitoring.use_tool_id(tool, __name__)
        monitoring.register_callback(tool, monitoring.events.INSTRUCTION, event)
        monitoring.set_events(tool, monitoring.events.INSTRUCTION)
        monitoring.restart_events()
        sys.settrace(lambda *_: None)  # the place of the trace function is taken, as it is below
        return stop

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "call" and not asked(frame.f_code):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            instruction(frame.f_code, frame.f_lasti)
        return trace

    sys.settrace(trace)
    return lambda: sys.settrace(before)
