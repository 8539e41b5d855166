"""Writes the bodies of small functions where they are called, on the way that every operation takes.

A call of a Python function costs some 50 ns, the making of a Tensor and of its Node together not many times that. So
`wrap`, `start_node` and `share`, the places where a Tensor, a Node and a view are made, `save_output`, by which a Node
saves its result, and `commit_values`, where an operation in place changes memory and version together, are written out
there:

    # unrolled: t = wrap(r)
    t = _new(Tensor)
    ...
    # end

The function is the truth; this tool renews the copies of its body, and a test demands that they are fresh.

    python tools/unroll.py            after such a function was changed, or a call marked
    python tools/unroll.py --check    say which copies are stale, write nothing
"""

from __future__ import annotations

import argparse
import ast
import copy
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: what is written out, and where it is defined
FUNCTIONS = {
    "wrap": "core/tensor/tensor.py",
    "known_edge": "core/tensor/edges.py",
    "start_node": "core/recording/record.py",
    "save_output": "core/recording/record.py",
    "share": "core/recording/views.py",
    "commit_values": "core/recording/inplace.py",
}
_BLOCK = re.compile(r"(?m)^( *)# unrolled: ([^\n]+)\n((?:(?!\1# end\n).*\n)*?)\1# end\n")


def files() -> Iterator[Path]:
    """The modules in which calls are marked."""
    for path in sorted((ROOT / "autogradlab").rglob("*.py")):
        if "# unrolled: " in path.read_text(encoding="utf-8"):
            yield path


def unrolled(path: Path) -> str:
    """The text of a module with every copy as it should be."""
    text = path.read_text(encoding="utf-8")

    def fresh(block: re.Match[str]) -> str:
        indent, statement = block[1], block[2]
        body = "".join(f"{indent}{line}\n" for line in _body(statement, path).splitlines())
        return f"{indent}# unrolled: {statement}\n{body}{indent}# end\n"

    return _BLOCK.sub(fresh, text)


def folded(path: Path) -> str:
    """The text of a module with the calls in place of the copies, and the imports that they need."""
    text = path.read_text(encoding="utf-8")
    called = " ".join(block[2] for block in _BLOCK.finditer(text))
    imports = [
        f"from autogradlab.{p[:-3].replace('/', '.')} import {name}\n"
        for name, p in FUNCTIONS.items()
        if f"{name}(" in called and not path.as_posix().endswith(p)
    ]
    start = text.index("\nfrom .") + 1
    return _BLOCK.sub(lambda block: f"{block[1]}{block[2]}\n", text[:start] + "".join(imports) + text[start:])


def _body(statement: str, path: Path) -> str:
    """The body of the function that a statement `name = function(...)` calls, on its arguments; or `function(...)`,
    of a function that returns nothing."""
    (call,) = ast.parse(statement).body
    if not (
        isinstance(call, (ast.Assign, ast.Expr))
        and isinstance(call.value, ast.Call)
        and isinstance(call.value.func, ast.Name)
    ):
        raise ValueError(f"{path.name}: not of the form name = function(...): {statement}")
    function = _definition(call.value.func.id)
    names = [a.arg for a in function.args.args]
    given = dict(zip(names, call.value.args, strict=False))
    given.update({k.arg: k.value for k in call.value.keywords if k.arg})
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    body = function.body[1:] if ast.get_docstring(function) else function.body
    arguments: dict[str, ast.expr] = {**defaults, **given}
    if isinstance(call, ast.Assign):
        *body, last = body
        if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Name)):
            raise ValueError(f"{function.name} does not end with `return name`")
        arguments[last.value.id] = call.targets[0]
    elif any(isinstance(node, ast.Return) for s in body for node in ast.walk(s)):
        raise ValueError(f"not of the form name = function(...), but {function.name} returns: {statement}")
    for name in names:
        uses = sum(isinstance(n, ast.Name) and n.id == name for s in body for n in ast.walk(s))
        if uses > 1 and not isinstance(arguments[name], (ast.Name, ast.Constant)):
            raise ValueError(f"{function.name} uses {name} {uses} times: give it a name in {statement}")
    return "\n".join(ast.unparse(ast.fix_missing_locations(_Put(arguments).visit(copy.deepcopy(s)))) for s in body)


class _Put(ast.NodeTransformer):
    """Puts arguments in the place of parameters."""

    def __init__(self, arguments: dict[str, ast.expr]) -> None:
        self.arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = copy.deepcopy(self.arguments.get(node.id, node))
        if isinstance(found, ast.Name):
            found.ctx = node.ctx
        return found


def _definition(name: str) -> ast.FunctionDef:
    for node in ast.parse((ROOT / "autogradlab" / FUNCTIONS[name]).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise ValueError(f"{FUNCTIONS[name]} does not define {name}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say which copies are stale, write nothing")
    check = parser.parse_args(arguments).check
    stale = [path for path in files() if unrolled(path) != path.read_text(encoding="utf-8")]
    for path in stale:
        if not check:
            path.write_text(unrolled(path), encoding="utf-8")
        said = "stale: python tools/unroll.py" if check else "renewed"
        print(f"{path.relative_to(ROOT)}: {said}")
    return int(check and bool(stale))


if __name__ == "__main__":
    raise SystemExit(main())
