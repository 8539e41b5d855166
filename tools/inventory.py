"""How much of PyTorch is here: names, operations, derivatives, tests.

python tools/inventory.py                  a table
python tools/inventory.py --names FILE     which names of a list are missing (lines ending in `torch.name` or `.name`)
python tools/inventory.py --against-torch  the same for PyTorch's own namespace, and what is here but not there
python tools/inventory.py --absent         take out of tests/names/absent.txt what is here now; with --check say it
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / "tools")]

import helptexts  # noqa: E402

import autogradlab  # noqa: E402
from autogradlab.ops.reference import texts  # noqa: E402
from autogradlab.ops.table.families import OPS, load_all  # noqa: E402


def objects(lib: Any) -> list[Any]:
    """Objects whose attributes a list of names mentions without saying whose they are."""
    nn, optim, data = lib.nn, lib.optim, importlib.import_module(f"{lib.__name__}.utils.data")
    schedules = importlib.import_module(f"{lib.__name__}.optim.lr_scheduler")
    contexts: list[Any] = []

    class Keep(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            contexts.append(ctx)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    x = lib.ones(2, requires_grad=True)
    y = x * x
    Keep.apply(x)
    layers = [
        nn.Linear(1, 1),
        nn.Conv2d(1, 1, 1),
        nn.BatchNorm2d(1),
        nn.Dropout(),
        nn.Embedding(1, 1),
        nn.LSTM(1, 1),
        nn.Sequential(),
        nn.ModuleList(),
        nn.ModuleDict(),
        nn.MSELoss(),
        nn.Transformer(4, 2, 1, 1, 4),
    ]
    optimizer = optim.SGD(layers[0].parameters(), lr=0.1)
    return [
        x,
        x.shape,
        x.dtype,
        x.device,
        y.grad_fn,
        y.exp().grad_fn,
        y.grad_fn.next_functions[0][0],
        contexts[0],
        *layers,
        optimizer,
        schedules.StepLR(optimizer, 1),
        data.DataLoader([1]),
        data.TensorDataset(x),
        lib.Generator(),
        lib.finfo(),
        lib.iinfo(lib.int8),
        x.untyped_storage(),
        lib.autograd.Function,
        x.register_hook(print),
        x.sort(),
    ]


def resolve(lib: Any, path: str) -> Any:
    """What a dotted path names, submodules loaded on the way. Errors: AttributeError."""
    found, module = lib, lib.__name__
    for part in path.split("."):
        module = f"{module}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            if not isinstance(found, ModuleType):
                raise
            try:
                found = importlib.import_module(module)
            except ImportError:
                raise AttributeError(f"no {path}") from None
    return found


def has(lib: Any, path: str, owners: Sequence[Any]) -> bool:
    """Whether a name is there: `torch.x`, or `.x` as an attribute of one of the usual objects."""
    if path.startswith("."):
        return any(hasattr(owner, path[1:]) for owner in owners)
    try:
        resolve(lib, path.removeprefix("torch."))
    except AttributeError:
        return False
    return True


def names_of(file: Path) -> list[str]:
    """The names of a list; what follows # is no name."""
    lines = [line.split("#")[0].split() for line in file.read_text(encoding="utf-8").splitlines()]
    return [words[-1] for words in lines if words]


def missing(lib: Any, names: Sequence[str]) -> list[str]:
    """The names that are not there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated names say so when one asks for them
        owners = objects(lib)
        return [name for name in names if not has(lib, name, owners)]


def renew_absent(check: bool) -> int:
    """Take the names that are here now out of the list of those that are not; with `check`, 1 if there are any."""
    file = ROOT / "tests/names/absent.txt"
    absent = {f"torch.{name}": name for name in names_of(file)}
    here = {absent[name] for name in {*absent}.difference(missing(autogradlab, list(absent)))}
    if here and not check:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(line for line in lines if line.strip() not in here), encoding="utf-8")
    if here:
        print(f"tests/names/absent.txt: {'stale' if check else 'renewed'}: {', '.join(sorted(here))}")
    return int(check and bool(here))


def ours(torch: Any) -> tuple[list[str], list[str]]:
    """(what PyTorch documents and is not here, what is here and not there), by namespace."""
    lacking, extra = [], []
    for space in helptexts.SPACES:
        here, there = helptexts.owner(autogradlab, space), helptexts.owner(torch, space)
        theirs = {
            n
            for n in (getattr(there, "__all__", None) or dir(there))
            if not n.startswith("_") and not isinstance(getattr(there, n, None), ModuleType)
        }
        mine = {
            n
            for n in (getattr(here, "__all__", None) or dir(here))
            if not n.startswith("_") and not isinstance(getattr(here, n, None), ModuleType)
        }
        prefix = f"{space}." if space else ""
        lacking += [prefix + n for n in sorted(theirs) if not hasattr(here, n)]
        extra += [prefix + n for n in sorted(mine) if not hasattr(there, n)]
    return lacking, extra


def walked(tensors: Sequence[Any]) -> set[type]:
    """The classes of all Nodes behind tensors."""
    waiting = [t.grad_fn for t in tensors if t is not None and t.grad_fn is not None]
    seen: set[Any] = set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [following for following, _ in node.next_functions if following is not None]
    return {type(node) for node in seen}


def checked_nodes() -> tuple[set[type], set[type], int]:
    """Node classes whose first, and whose second derivatives samples check by finite differences;
    how many samples there are.

    These are the Nodes in the graphs of those samples; a Node in the graph of first gradients is checked by the second
    ones.
    """
    registry: Any = importlib.import_module("tests.ops.test_ops").REGISTRY
    harness: Any = importlib.import_module("tests.ops.harness")
    first: set[type] = set()
    second: set[type] = set()
    count = 0
    for entry in registry.values():
        count += len(entry.cases)
        for case in (c for c in entry.cases if c.first and c.smooth):
            leaves: list[Any] = []
            args, kwargs = harness.arguments(autogradlab, entry, case, leaves)
            if not leaves or any(str(t.dtype) not in ("torch.float64", "torch.complex128") for t in leaves):
                continue
            result = harness.attempt(entry.function(autogradlab), *args, **kwargs)
            outs = (
                [] if isinstance(result, harness.Failure) else [t for t in harness.tensors(result) if t.requires_grad]
            )
            if not outs:
                continue
            mine = walked(outs)
            first |= mine
            if case.second:
                second |= mine
                grads = harness.attempt(
                    autogradlab.autograd.grad,
                    outs,
                    leaves,
                    harness.like(autogradlab, outs, 1, True),
                    create_graph=True,
                    allow_unused=True,
                )
                first |= set() if isinstance(grads, harness.Failure) else walked(grads)
    return first, second, count


def count_tests() -> int:
    """How many tests pytest collects."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return sum("::" in line for line in done.stdout.splitlines())


def table(with_tests: bool) -> str:
    """The table for a note, in Markdown."""
    load_all()
    public = helptexts.public(autogradlab)
    by_space: dict[str, int] = {}
    for space in helptexts.SPACES:
        place = helptexts.owner(autogradlab, space)
        listed = dir(place) if space in ("", "Tensor", "special") else getattr(place, "__all__", None) or dir(place)
        names = {n for n in listed if not n.startswith("_") and n not in helptexts.SKIPPED}
        by_space[space] = sum(not isinstance(getattr(place, n, None), ModuleType) for n in names)
    rows = [(f"names in `torch.{space}`" if space else "names in `torch`", count) for space, count in by_space.items()]
    first, second, samples = checked_nodes()
    nodes = [entry.node_class for entry in OPS.values() if entry.differentiates]
    rows += [
        ("functions, methods and classes with a help text and an example", len(public)),
        ("help texts, each with an example that runs", len({id(entry) for entry in texts.entries().values()})),
        ("entries of the op table", len(OPS)),
        ("… with a derivative formula", len(nodes)),
        ("… whose derivative samples check by finite differences", sum(node in first for node in nodes)),
        ("… whose second derivative samples check by finite differences", sum(node in second for node in nodes)),
        ("samples (each compared with PyTorch: value, gradient, second gradient, in place, out=)", samples),
    ]
    if with_tests:
        rows.append(("tests", count_tests()))
    width = max(len(name) for name, _ in rows)
    return "\n".join(
        [
            f"| {'what':{width}} | how many |",
            f"|{'-' * (width + 2)}|---------:|",
            *(f"| {name:{width}} | {count:8} |" for name, count in rows),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=Path)
    parser.add_argument("--against-torch", action="store_true")
    parser.add_argument("--absent", action="store_true")
    parser.add_argument("--check", action="store_true", help="with --absent: write nothing")
    parser.add_argument("--tests", action="store_true", help="collect the tests too and count them")
    given = parser.parse_args(arguments)
    if given.absent:
        return renew_absent(given.check)
    if given.names:
        listed = names_of(given.names)
        gone = missing(autogradlab, listed)
        with contextlib.suppress(ModuleNotFoundError):  # programs have names wrong, too
            unknown = set(missing(importlib.import_module("torch"), gone))
            listed, gone = [n for n in listed if n not in unknown], [n for n in gone if n not in unknown]
        print(
            f"{len(listed) - len(gone)} of {len(listed)} names are here"
            + (f"; missing: {' '.join(gone)}" if gone else "")
        )
        return 1 if gone else 0
    if given.against_torch:
        lacking, extra = ours(importlib.import_module("torch"))
        print(f"not here ({len(lacking)}): {' '.join(lacking)}\n\nonly here ({len(extra)}): {' '.join(extra)}")
        return 0
    print(table(given.tests))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
