"""What runs for `a * b` and for `.backward()`, in order, in a process where nobody has made operations ask for classes
and modes: prints a JSON object of lists of (file, function)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import autogradlab


def calls(act: Callable[[], Any]) -> list[tuple[str, str]]:
    """The functions of the package that run, each with its file, in order."""
    package = str(Path(autogradlab.__file__).parent)
    found: list[tuple[str, str]] = []

    def note(frame: Any, event: str, arg: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(package):
            found.append((Path(code.co_filename).relative_to(package).as_posix(), code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    return found


def leaves() -> list[Any]:
    return [autogradlab.tensor([n], requires_grad=True) for n in (2.0, 3.0)]


def main() -> None:
    a, b = leaves()
    y, one = a * b, autogradlab.ones(1)
    y.backward(one, retain_graph=True)  # loads what is loaded late
    a.grad = b.grad = None
    later, backward = calls(lambda: a * b), calls(lambda: y.backward(one))
    assert a.grad.item() == 3.0
    c, d = leaves()  # which have no AccumulateGrad yet
    print(json.dumps({"first": calls(lambda: c * d), "later": later, "backward": backward}))


if __name__ == "__main__":
    main()
