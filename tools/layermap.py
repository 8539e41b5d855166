"""The map of the package, autogradlab/README.md: its table of layers is the rule that imports keep.

    python tools/layermap.py            bring the tables up to date: new modules, first sentences, late imports
    python tools/layermap.py --check    say what is wrong, write nothing

A module may import, when it is loaded, from its own layer and those above it in the table. An import inside a function
that reaches further down is a late import; the few that there are stand in a table of their own, each with its reason.
What each module holds is the first line of its docstring; the layer and the reasons are written by hand.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "autogradlab"
MAP = PACKAGE / "README.md"
WHY = "(say why)"
LAYER_ROW = re.compile(r"^\| *(\d+) *\| *`([^`]+)` *\| *(\S.*?) *\|$", re.MULTILINE)
LAYER_HEAD = "| layer | module | what it holds |\n|---|---|---|\n"
LATE_HEAD = "| module | imports late | why |\n|---|---|---|\n"
LATE_ROW = re.compile(r"^\| *`([^`]+\.py)` *\| *`([^`]+\.py)` *\| *(\S.*?) *\|$", re.MULTILINE)


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """Every module by its path below the package, as in ``ops/reduce.py``."""
    return {p.relative_to(package).as_posix(): p for p in sorted(package.rglob("*.py")) if "_lessons" not in p.parts}


def layers(text: str) -> dict[str, int]:
    """The layer of each module that the table lists."""
    return {name: int(number) for number, name, _ in LAYER_ROW.findall(text)}


def late(text: str) -> dict[tuple[str, str], str]:
    """The late imports that the second table allows, and why."""
    return {(importer, imported): why for importer, imported, why in LATE_ROW.findall(text)}


def first_line(source: str) -> str:
    """What the module says it holds."""
    return (ast.get_docstring(ast.parse(source)) or "").split("\n")[0].replace("|", "\\|")


def imports(name: str, source: str, known: set[str]) -> Iterator[tuple[str, bool]]:
    """The modules of the package that a module imports, and whether late; TYPE_CHECKING blocks do not count."""

    def visit(node: ast.AST, inside: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
                for other in child.orelse:
                    yield from visit(other, inside)
                continue
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield from ((n, inside) for n in resolve(alias.name.split("."), []))
            elif isinstance(child, ast.ImportFrom):
                base = name.removesuffix("/__init__.py").removesuffix(".py").split("/")
                base = base if name.endswith("__init__.py") and "/" in name else base[:-1]
                start = ["autogradlab", *base[: len(base) - child.level + 1]] if child.level else []
                start += child.module.split(".") if child.module else []
                yield from ((n, inside) for n in resolve(start, [a.name for a in child.names]))
            yield from visit(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))

    def resolve(parts: list[str], names: list[str]) -> Iterator[str]:
        if parts[:1] != ["autogradlab"]:
            return
        path = "/".join(parts[1:])
        if f"{path}.py" in known:
            yield f"{path}.py"
            return
        folder = f"{path}/" if path else ""
        inner = [n for n in names if f"{folder}{n}.py" in known or f"{folder}{n}/__init__.py" in known]
        for n in inner:
            yield f"{folder}{n}.py" if f"{folder}{n}.py" in known else f"{folder}{n}/__init__.py"
        if len(inner) < max(len(names), 1) and f"{folder}__init__.py" in known:
            yield f"{folder}__init__.py"

    yield from visit(ast.parse(source), False)


def faults(sources: dict[str, str], text: str) -> list[str]:
    """Every import against the map, every module that it lacks, and every line of it that is out of date."""
    order, allowed = layers(text), late(text)
    said = {name: words for _, name, words in LAYER_ROW.findall(text)}
    used = set()
    found = [f"{name}: not in the table of layers" for name in sources if name not in order]
    found += [f"{name}: in the table of layers, but there is no such module" for name in order if name not in sources]
    for name, source in sources.items():
        if not first_line(source):
            found.append(f"{name}: its docstring does not say what it holds")
        elif name in said and said[name] != first_line(source):
            found.append(f"{name}: the table says something else than its docstring")
        for imported, inside in imports(name, source, set(sources)):
            if order.get(imported, 0) <= order.get(name, 0):
                continue
            used.add((name, imported))
            if not inside:
                found.append(f"{name} imports {imported}, which is in a later layer")
            elif (name, imported) not in allowed:
                found.append(f"{name} imports {imported} late, which the table of late imports does not list")
    found += [f"{a} no longer imports {b} late" for a, b in sorted(set(allowed) - used)]
    found += [f"{a} imports {b} late: the table does not say why" for (a, b), why in allowed.items() if why == WHY]
    return sorted(set(found))


def updated(sources: dict[str, str], text: str) -> str:
    """The map with a row for each module, in its docstring's words, and one for each late import that there is."""
    order, reasons = layers(text), late(text)
    order = {name: layer for name, layer in order.items() if name in sources}
    new = [name for name in sources if name not in order]
    for name in new:  # beside its neighbours, and not above what it imports
        folder = name.rpartition("/")[0]
        order[name] = max([1, *(layer for other, layer in order.items() if folder and other.startswith(f"{folder}/"))])
    for _ in new:
        for name in new:
            needed = [order[i] for i, inside in imports(name, sources[name], set(sources)) if not inside]
            order[name] = max([order[name], *needed])
    reaching = {
        (name, imported)
        for name, source in sources.items()
        for imported, inside in imports(name, source, set(sources))
        if inside and order[imported] > order[name]
    }
    rows = [(layer, name) for name, layer in order.items()]
    table = "".join(f"| {layer} | `{name}` | {first_line(sources[name])} |\n" for layer, name in sorted(rows))
    second = "".join(f"| `{a}` | `{b}` | {reasons.get((a, b), WHY)} |\n" for a, b in sorted(reaching))
    return _replace(_replace(text, LAYER_HEAD, table), LATE_HEAD, second)


def _replace(text: str, head: str, rows: str) -> str:
    before, after = text.split(head)
    return before + head + rows + re.sub(r"\A(?:\|.*\n)*", "", after)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool; 1 if anything is wrong with the imports or the map."""
    parser = argparse.ArgumentParser(description="Keeps the map of the package's layers.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args(argv)
    sources = {name: path.read_text(encoding="utf-8") for name, path in modules().items()}
    text = MAP.read_text(encoding="utf-8")
    if not args.check:
        text = updated(sources, text)
        MAP.write_text(text, encoding="utf-8", newline="\n")
    found = faults(sources, text)
    print("\n".join(found) or "the imports keep to the map")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
