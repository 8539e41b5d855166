"""The rooms of the package and the order of imports, as the table in autogradlab/README.md has them.

    python tools/layermap.py        say what is wrong with the imports or the table

A room is a folder, or a few files; a module belongs to the room whose path is the longest beginning of its own. A
module imports from its own room and from those above it in the table, no matter whether at the top of the file or
inside of a function; within a room and between rooms there is no circle of imports. Imports inside of functions (and by
name, through `import_module`) are there to load something late: each stands in the second table with its reason.

A call can climb without an import: through the namespaces of operations, which the op table fills. So modules of the
rooms before `ops` must not look up a name in them; they hand them on.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "autogradlab"
MAP = PACKAGE / "README.md"
ROOM_HEAD = "| room | what it holds |\n|---|---|\n"
LATE_HEAD = "| module | loads late | why |\n|---|---|---|\n"
ROOM_ROW = re.compile(r"^\| (`[^|]+`) \| (\S.*?) \|$", re.MULTILINE)
LATE_ROW = re.compile(r"^\| `([^`|]+)` \| `([^`|]+)` \| (\S.*?) \|$", re.MULTILINE)
#: what holds operations by name, and the first room that may look names up there
NAMESPACES = ("RAW", "TENSORS")
OPERATIONS = "ops/"


def modules(package: Path = PACKAGE) -> dict[str, str]:
    """The source of every module by its path below the package, as in ``core/graph/node.py``."""
    found = [p for p in sorted(package.rglob("*.py")) if "_lessons" not in p.parts]
    return {p.relative_to(package).as_posix(): p.read_text(encoding="utf-8") for p in found}


def rooms(text: str) -> list[tuple[str, ...]]:
    """The rooms of the table in their order, each as the paths that belong to it."""
    table = text.split(ROOM_HEAD)[1].split("\n\n")[0] + "\n"
    return [tuple(re.findall(r"`([^`]+)`", names)) for names, _ in ROOM_ROW.findall(table)]


def late(text: str) -> dict[tuple[str, str], str]:
    """What the second table lets modules load late, and why: paths or beginnings of paths."""
    table = text.split(LATE_HEAD)[1].split("\n\n")[0] + "\n"
    return {(importer, imported): why for importer, imported, why in LATE_ROW.findall(table)}


def room_of(name: str, order: list[tuple[str, ...]]) -> int | None:
    """The number of the room of a module."""
    found = [(len(path), number) for number, paths in enumerate(order) for path in paths if name.startswith(path)]
    return max(found)[1] if found else None


def imports(name: str, source: str, known: set[str]) -> Iterator[tuple[str, bool]]:
    """The modules of the package that a module imports, and whether inside of a function; TYPE_CHECKING does not
    count."""

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


def climbs(source: str) -> list[str]:
    """The names that a module looks up in the namespaces of operations, under whatever name it holds them."""
    tree = ast.parse(source)
    held = set(NAMESPACES)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            held |= {alias.asname for alias in node.names if alias.name in NAMESPACES and alias.asname}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in held:
            held |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in held:
            found.append(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "vars") and node.args:
            if isinstance(node.args[0], ast.Name) and node.args[0].id in held:
                found.append(ast.unparse(node))
    return found


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other, directly or through others."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def walk(v: str) -> None:
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(graph.get(v, ())):
            if w not in index:
                walk(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            group = stack[stack.index(v) :]
            del stack[stack.index(v) :]
            if len(group) > 1 or v in graph.get(v, ()):
                found.append(sorted(group))

    for v in sorted(graph):
        if v not in index:
            walk(v)
    return found


def faults(sources: dict[str, str], text: str) -> list[str]:
    """What is wrong: imports against the order, circles, late imports without a reason, calls that climb, stale
    rows."""
    order, allowed = rooms(text), late(text)
    known = set(sources)
    found = [f"{name}: in no room of the table" for name in sources if room_of(name, order) is None]
    found += [
        f"{path}: a room without a module"
        for paths in order
        for path in paths
        if not any(map_.startswith(path) for map_ in known)
    ]
    operations = room_of(f"{OPERATIONS}table/", order) or 0
    graph: dict[str, set[str]] = {}
    used = set()
    for name, source in sources.items():
        own = room_of(name, order)
        if not (ast.get_docstring(ast.parse(source)) or "").strip():
            found.append(f"{name}: its docstring does not say what it holds")
        for imported, inside in imports(name, source, known):
            if imported == name:
                continue
            graph.setdefault(name, set()).add(imported)
            other = room_of(imported, order)
            if own is not None and other is not None and other > own:
                found.append(f"{name} imports {imported}, of a later room")
            if inside:
                reason = next(((a, b) for a, b in allowed if name.startswith(a) and imported.startswith(b)), None)
                if reason is None:
                    found.append(f"{name} imports {imported} late, for which the table gives no reason")
                else:
                    used.add(reason)
        if own is not None and own < operations:
            found += [f"{name} looks up {what}, which operations of a later room fill in" for what in climbs(source)]
    found += [f"a circle of imports: {', '.join(group)}" for group in circles(graph)]
    found += [f"{a} no longer loads {b} late" for a, b in sorted(set(allowed) - used)]
    return sorted(set(found))


def main() -> int:
    """Run the tool; 1 if anything is wrong."""
    found = faults(modules(), MAP.read_text(encoding="utf-8"))
    print("\n".join(found) or "the imports keep to the order of the rooms")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
