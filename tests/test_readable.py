"""What keeps the package readable, as far as a program can tell: short functions, entries that speak for themselves."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from autogradlab.ops.table.families import OPS, load_all
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import unroll

PACKAGE = ROOT / "autogradlab"
#: lines that a function may have; its docstring is not counted, and what `tools/unroll.py` writes out as the call it is
MOST = 80
#: functions that are longer, and why
LONG = {
    "core/backward/engine.py walk": "one loop over the Nodes: a call where gradients meet takes 4 % of such a pass",
}


@cache
def modules() -> list[tuple[str, ast.Module]]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return [(path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def folded_modules() -> Iterator[tuple[str, ast.Module]]:
    """The same with calls in the place of copies of what they call."""
    copied = {path.relative_to(PACKAGE).as_posix(): path for path in unroll.files()}
    for name, tree in modules():
        yield name, ast.parse(unroll.folded(copied[name])) if name in copied else tree


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without its docstring."""
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None and first.end_lineno is not None:
        lines -= first.end_lineno - first.lineno + 1
    return lines


def test_functions_are_short() -> None:
    long = {
        f"{name} {node.name}": length(node)
        for name, tree in folded_modules()
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and length(node) > MOST
    }
    assert {name: lines for name, lines in long.items() if name not in LONG} == {}


def test_docstrings_are_not_counted() -> None:
    (function,) = ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n').body
    assert isinstance(function, ast.FunctionDef)
    assert length(function) == 2


# -- lists of operations by name ---------------------------------------------------------------------------------------

#: places where four or more operations stand in a list by their names, and why
LISTS = {
    "_C.py": "which functions of layers PyTorch's C++ has in a module of its own, a fact of that module",
    "ops/__init__.py": "the families that are loaded late; tools/families.py writes it",
    "inspectors/cards/constants.py": "signs of mathematics",
    "masked/__init__.py": "the public names of a namespace",
    "masked/maskedtensor.py": "operators of which a class says itself what they do",
    "nn/functions/activations.py": "the public names of a namespace",
    "nn/namespace.py": "the public names of a namespace",
    "ops/common/scatter.py": "values of the argument reduce=",
    "ops/breadth/segments.py": "values of the argument reduce=",
    "ops/symbolic.py": "functions of Python's math, of which PyTorch has some",
    "ops/table/symbols.py": "operators of Python on symbols",
    "ops/table/terms.py": "how words name places",
}


def words(node: ast.AST) -> Iterator[str]:
    """The names in a list, tuple or set, in the keys of a dict, in the first places of rows, in a string of words."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for item in node.elts:
            first = item.elts[0] if isinstance(item, ast.Tuple) and item.elts else item
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value
    elif isinstance(node, ast.Dict):
        yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if re.fullmatch(r"[\w.]+(\s+[\w.]+)+", node.value.strip()):
            yield from (word.rpartition(".")[2] for word in node.value.split())


def lists(tree: ast.AST, known: set[str]) -> list[set[str]]:
    """The lists of a module in which four or more names, and most of them, are operations."""
    found = []
    for node in ast.walk(tree):
        names = list(words(node))
        operations = {name for name in names if name.removesuffix("_") in known}
        if len(operations) >= 4 and len(operations) * 2 > len(names):
            found.append(operations)
    return found


@pytest.fixture(scope="module")
def known() -> set[str]:
    load_all()
    return {name for name in OPS if "." not in name}


def test_operations_are_not_listed_by_name(known: set[str]) -> None:
    """What is to be said of an operation is said in its entry; the reasons are of lists that are there."""
    assert {name for name, tree in modules() if lists(tree, known)} == set(LISTS)


@pytest.mark.parametrize(
    "text",
    [
        '{"mul": 1, "add": 2, "sub": 3, "div": 4}',
        '"mul add sub_ div"',
        '[("mul", 1), ("add", 2), "sub", "div"]',
    ],
)
def test_a_list_is_found(text: str, known: set[str]) -> None:
    assert lists(ast.parse(text), known) == [{"mul", "add", "sub_" if "sub_" in text else "sub", "div"}]


# -- loops over names of operations ------------------------------------------------------------------------------------

#: loops that make entries, and why they do
LOOPS = {
    "ops/breadth/typed_storage.py": "a method for each dtype",
    "ops/table/symbols.py": "operators of Python on symbols",
}


def test_entries_are_not_made_in_loops() -> None:
    """Each operation has an entry where a reader greps for it; a formula for several of them says so here."""
    found = {
        name
        for name, tree in modules()
        if name.startswith("ops/") and any(isinstance(node, ast.For) for node in tree.body)
    }
    assert found == set(LOOPS)


def test_every_name_is_of_a_file() -> None:
    named = {name.partition(" ")[0] for name in (*LONG, *LISTS, *LOOPS)}
    assert [name for name in sorted(named) if not Path(PACKAGE / name).is_file()] == []
