"""Who called: the user's frame behind a hook or an inspector, its variables,
and the cell or file that code stands in."""

from __future__ import annotations

import linecache
import os
import re
import sys
from types import CodeType, FrameType

from .names import Space, namespace, notebook
from .origins import Origin

__all__ = ["cell_number", "is_ours", "line_of", "place_of_code", "space_now", "user_frame", "user_place"]

#: packages whose frames are never the user's own code
LIBRARIES = ("autogradlab", "torch", "numpy", "IPython", "ipykernel", "ipywidgets", "traitlets", "anywidget")


#: where Python's own modules are: `copy.deepcopy` calls back into a library
_STANDARD = os.path.dirname(os.__file__) + os.sep


def is_ours(frame: FrameType) -> bool:
    """Whether the frame runs code of a library, or of Python itself, rather than of the user."""
    if str(frame.f_globals.get("__name__", "")).split(".")[0] in LIBRARIES:
        return True
    file = frame.f_code.co_filename
    return file.startswith(_STANDARD) and "site-packages" not in file


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the user's code, from `frame` outward; None if no user code is calling."""
    while frame is not None and is_ours(frame):
        if str(frame.f_globals.get("__name__", "")).startswith("IPython.core"):
            return None
        frame = frame.f_back
    return frame


def space_now() -> Space:
    """The variables of the user's code that runs now; between cells, those of the notebook."""
    frame, depth = sys._getframe(1), 1
    user = user_frame(frame)
    if user is None:
        shell = notebook()
        held = {} if shell is None else shell.user_ns
        return Space({}, held, None, list(held.get("In", ())))
    while frame is not user and frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return namespace(depth)


def user_place() -> Origin | None:
    """Where the user's code is right now."""
    frame = user_frame(sys._getframe(1))
    return None if frame is None else line_of(frame.f_code.co_filename, frame.f_lineno)


def cell_number(filename: str) -> int | None:
    """The number of the notebook cell that was compiled under this file name, if it was one."""
    compiler = getattr(notebook(), "compile", None)
    named = compiler.format_code_name(filename) if compiler is not None else None
    found = re.fullmatch(r"In\[(\d+)\]", named[1]) if named else None
    return int(found[1]) if found else None


def line_of(filename: str, line: int) -> Origin:
    """A line of a file or cell."""
    short = filename.replace("\\", "/").rsplit("/", 1)[-1]
    return Origin(cell_number(filename), short, line, linecache.getline(filename, line).strip())


def place_of_code(code: CodeType) -> Origin:
    """Where a function was written."""
    return line_of(code.co_filename, code.co_firstlineno)
