"""A learner's traceback ends in the learner's own line: what runs inside of autogradlab is left out.

In PyTorch these frames are C++, and no traceback has them. Functions of the learner's that autogradlab calls, hooks for
example, stay. With ``%xmode Verbose`` everything is shown.
"""

from __future__ import annotations

import os
import types
from pathlib import Path
from typing import Any

from ..inspectors.snapshot.names import notebook

__all__ = ["shorten", "trimmed"]

PACKAGE = str(Path(__file__).parents[1]) + os.sep


def trimmed(trace: types.TracebackType | None) -> types.TracebackType | None:
    """The traceback without the frames of autogradlab; the first frame stays, so that there is one."""
    frames: list[types.TracebackType] = []
    while trace is not None:
        if not frames or not trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
            frames.append(trace)
        trace = trace.tb_next
    following: types.TracebackType | None = None
    for frame in reversed(frames):
        following = types.TracebackType(following, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return following


def shorten() -> None:
    """Show short tracebacks in the running IPython, if there is one and nobody else has a say in its tracebacks."""
    shell = notebook()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _show)


def _show(
    shell: Any, kind: type[BaseException], error: BaseException, trace: Any, tb_offset: int | None = None
) -> None:
    if str(getattr(shell.InteractiveTB, "mode", "")) == "Verbose":
        return shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    # IPython takes the tracebacks of what led to the error from the exceptions themselves; afterwards they are as they
    # were
    chain = _behind(error)
    whole = [e.__traceback__ for e in chain]
    try:
        for e in chain:
            e.__traceback__ = trimmed(e.__traceback__)
        shell.showtraceback((kind, error, trimmed(trace)), tb_offset=tb_offset)
    finally:
        for e, full in zip(chain, whole, strict=True):
            e.__traceback__ = full


def _behind(error: BaseException) -> list[BaseException]:
    """The exceptions that an exception was raised from or during."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting:
        e = waiting.pop()
        for earlier in (e.__cause__, e.__context__):
            if earlier is not None and earlier is not error and earlier not in found:
                found.append(earlier)
                waiting.append(earlier)
    return found
