"""Find the functions and Nodes of which modes with `__torch_dispatch__` can be told what PyTorch tells them.

    python tools/traces.py            write autogradlab/ops/operators/traced.txt
    python tools/traces.py --show     and say how the others differ

Every sample of every operation runs on both libraries under a mode that notes what it is asked, forward and backward,
and so do the programs of tests/ops/traces.txt. A function or a Node goes into the list if what it was part of gave the
same operators, with the same arguments, in the same order; where something differs, the rarest names that were part of
it are left out. Where a call is refused, nothing false is told, and no name is left out.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]
LIST = ROOT / "autogradlab" / "ops" / "operators" / "traced.txt"
PROGRAMS = ROOT / "tests" / "ops" / "traces.txt"
#: what a library gives for one program: the calls that a mode was told of, and the error if there was one
Trace = tuple[list[str], str]


def shown(lib: Any, x: Any) -> str:
    """A value in a call: dtype, sizes and whether it requires grad of a tensor."""
    if isinstance(x, lib.Tensor):
        return f"{str(x.dtype).removeprefix('torch.')}{list(x.shape)}{'g' if x.requires_grad else ''}"
    if isinstance(x, (list, tuple)):
        return f"{type(x).__name__[0]}({', '.join(shown(lib, v) for v in x)})"
    return repr(x)


def noting(lib: Any) -> Any:
    """A mode that notes the calls that it is told of."""
    dispatch = importlib.import_module(f"{lib.__name__}.utils._python_dispatch")

    class Noting(dispatch.TorchDispatchMode):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.calls: list[str] = []

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            given = [shown(lib, v) for v in args] + [f"{k}={shown(lib, v)}" for k, v in (kwargs or {}).items()]
            result = func(*args, **(kwargs or {}))
            found = shown(lib, result) if isinstance(result, (lib.Tensor, tuple, list)) else ""
            self.calls.append(f"{func}({', '.join(given)}) -> {found}")
            return result

    return Noting()


def trace(lib: Any, program: Callable[[Any], None]) -> Trace:
    """What a mode is told of while a program runs."""
    lib.manual_seed(0)
    with warnings.catch_warnings(), noting(lib) as mode:
        warnings.simplefilter("ignore")
        try:
            program(lib)
        except Exception as error:
            return mode.calls, f"{type(error).__name__}: {str(error)[:100]}"
    return mode.calls, ""


def of_samples() -> Iterator[tuple[str, Callable[[Any], Callable[[Any], None]]]]:
    """Each sample as a program, by what it is called: a function that makes its arguments first."""
    harness: Any = importlib.import_module("tests.ops.harness")
    for module in pkgutil.iter_modules([str(ROOT / "tests" / "ops")]):
        if module.name.startswith("samples_"):
            importlib.import_module(f"tests.ops.{module.name}")

    def made(entry: Any, case: Any, back: bool, lib: Any) -> Callable[[Any], None]:
        leaves: list[Any] = []
        args, kwargs = harness.arguments(lib, entry, case, leaves if back else None)
        function = entry.function(lib)

        def run(lib: Any) -> None:
            outs = [t for t in harness.tensors(function(*args, **kwargs)) if t.requires_grad]
            if back and outs:
                lib.autograd.grad([t.sum() for t in outs], leaves, allow_unused=True)

        return run

    for entry in harness.REGISTRY.values():
        for case in entry.cases:
            for back in (False, True) if case.first else (False,):
                yield (
                    f"{entry.path}{case}{' backward' if back else ''}",
                    lambda lib, e=entry, c=case, b=back: made(e, c, b, lib),  # type: ignore[misc]
                )


def of_programs() -> Iterator[tuple[str, Callable[[Any], Callable[[Any], None]]]]:
    """The programs of the list, a line each; they find the names that the lines before the first empty one make."""
    before, _, rest = PROGRAMS.read_text(encoding="utf-8").partition("\n\n")

    def made(line: str, lib: Any) -> Callable[[Any], None]:
        names = {"torch": lib, "nn": lib.nn, "F": importlib.import_module(f"{lib.__name__}.nn.functional")}
        lib.manual_seed(0)
        exec(before, names)
        return lambda lib: exec(line, names)

    for line in filter(None, rest.split("\n")):
        yield line, lambda lib, text=line: made(text, lib)  # type: ignore[misc]


def compared() -> Iterator[tuple[str, bool, set[str], Trace, Trace]]:
    """Each program, whether both libraries tell the same of it, what ours called, and both traces."""
    import torch

    import autogradlab
    from autogradlab.core.tensor.dispatching import known

    for what, make in (*of_samples(), *of_programs()):
        theirs = trace(torch, make(torch))
        if theirs[1]:
            continue
        program = make(autogradlab)
        known.called = set()
        try:
            ours = trace(autogradlab, program)
            called = known.called
        finally:
            known.called = None
        yield what, ours == theirs, called, ours, theirs


def find(show: bool) -> list[str]:
    """The names that go into the list."""
    good: dict[str, int] = {}
    failed: list[set[str]] = []
    for what, same, called, ours, theirs in compared():
        if same:
            for name in called:
                good[name] = good.get(name, 0) + 1
            continue
        if ours[1].startswith("Unseen"):  # refused
            continue
        failed.append(called)
        if show:
            print(f"{what} {ours[1]} {sorted(called)}")
            print(*difflib.unified_diff(theirs[0], ours[0], lineterm="", n=0), sep="\n")
    bad: dict[str, int] = {}
    for called in failed:
        for name in called:
            bad[name] = bad.get(name, 0) + 1
    blamed: set[str] = set()
    for called in failed:  # the rarest of its names: what many programs use is not what differs
        used = {name: good.get(name, 0) + bad[name] for name in called}
        rarest = {name for name in called if used[name] == min(used.values())}
        blamed |= {name for name in rarest if "Backward" in name} or rarest
    return sorted(good.keys() - blamed)


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="say how others differ")
    names = find(parser.parse_args().show)
    LIST.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    print(f"{len(names)} names")


if __name__ == "__main__":
    main()
