"""Which line made a Node of PyTorch: its engine tells nobody when it makes one, but it numbers them.

While a cell runs, the interpreter calls back before each instruction of the user's code; where the number that the
next Node gets has grown, the instruction before it made those in between. Nodes are not touched, and nothing that the
program prints, warns or raises is another. Python's `settrace` does it: where somebody else has it (a debugger), it is
theirs.
"""

from __future__ import annotations

import sys
import sysconfig
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from .callers import LIBRARIES

__all__ = ["Tracer", "noted", "start", "stop"]

#: instructions of a cell that are looked at; a loop that goes on and on then runs at its own pace
EVENTS = 400_000
#: notes that are kept: the latest
MOST = 20_000

#: the first Node's number of each note, the number after its last Node's, and what was noted
_firsts: list[int] = []
_ends: list[int] = []
_notes: list[tuple[Any, ...]] = []


def noted(node: Any) -> tuple[Any, ...]:
    """What was noted when a Node of PyTorch was made; () if nothing was."""
    torch = sys.modules.get("torch")
    if not _firsts or torch is None or not isinstance(node, torch.autograd.graph.Node):
        return ()
    number = node._sequence_nr()
    at = bisect_right(_firsts, number) - 1
    return _notes[at] if at >= 0 and number < _ends[at] else ()


def start(steps: Callable[[FrameType, int], tuple[Any, ...]]) -> None:
    """Watch this thread, in which a cell runs or is about to; `steps` says what is noted of a frame at an
    instruction."""
    torch = sys.modules.get("torch")
    peek = getattr(getattr(getattr(torch, "_C", None), "_autograd", None), "_get_sequence_nr", None)
    stop()
    if torch is None or peek is None or sys.gettrace() is not None:
        return
    tracer = Tracer(peek, torch.nn.Module._call_impl.__code__, steps)
    sys.settrace(tracer.call)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:  # the cell that has just imported the inspectors
        if _is_user(frame.f_code, str(frame.f_globals.get("__name__", ""))):
            tracer.enter(frame)
        frame = frame.f_back


def stop() -> None:
    """The cell has run."""
    if isinstance(getattr(sys.gettrace(), "__self__", None), Tracer):
        sys.settrace(None)


class Tracer:
    """Notes what makes Nodes while it is the thread's trace function."""

    def __init__(self, peek: Callable[[], int], module: CodeType, steps: Callable[[FrameType, int], Any]) -> None:
        self.peek = peek
        self.module = module
        self.steps = steps
        self.last = peek()
        self.left = EVENTS

    def call(self, frame: FrameType, event: str, arg: Any) -> Any:
        """A function begins: the user's own is followed instruction by instruction, a call of a Module to its end."""
        user = _is_user(frame.f_code, str(frame.f_globals.get("__name__", "")))
        if not user and frame.f_code is not self.module:
            return None
        if frame.f_back is not None:
            self.grown(frame.f_back, frame.f_back.f_lasti)
        return self.enter(frame) if user else self.until_end(frame)

    def enter(self, frame: FrameType) -> Any:
        at = frame.f_lasti

        def local(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal at
            self.left -= 1
            if self.left < 0:
                frame.f_trace_opcodes = False
                stop()
                return None
            self.grown(frame, at)
            at = frame.f_lasti
            return local

        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        frame.f_trace = local
        return local

    def until_end(self, frame: FrameType) -> Any:
        def local(frame: FrameType, event: str, arg: Any) -> Any:
            if event == "return":
                self.grown(frame, frame.f_lasti)
            return local

        frame.f_trace_lines = False
        return local

    def grown(self, frame: FrameType, instruction: int) -> None:
        """Whatever Nodes there are more than a moment ago, this instruction made."""
        now = self.peek()
        if now == self.last:
            return
        if len(_firsts) >= 2 * MOST:
            for kept in (_firsts, _ends, _notes):
                del kept[:MOST]
        _firsts.append(self.last)
        _ends.append(now)
        _notes.append(self.steps(frame, instruction))
        self.last = now


_PLACES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


@lru_cache(maxsize=4096)
def _is_user(code: CodeType, module: str) -> bool:
    """Whether code is the user's own: a cell's, or that of a module which is not installed."""
    file = code.co_filename
    if module == "__main__":
        return True
    return not (module.split(".", 1)[0] in LIBRARIES or file.startswith(("<", *_PLACES)))
