"""Help texts, in docstrings and in the entries of operations: their examples' results, and the names that have none.

    python tools/helptexts.py record [FILE ...]    run the examples, write what they print; with --check only compare
    python tools/helptexts.py missing              public names without a text, by namespace

Results come from the real PyTorch where it is installed, since autogradlab has to print the same.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import re
import sys
import textwrap
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autogradlab"
sys.path.append(str(ROOT))

from autogradlab.core.arguments.declared import DECLARED  # noqa: E402
from autogradlab.ops.table.families import load_all  # noqa: E402

#: the namespaces whose names are documented, as attributes of the torch module
SPACES = (
    "",
    "Tensor",
    "linalg",
    "fft",
    "special",
    "masked",
    "nn.functional",
    "nn",
    "nn.init",
    "nn.utils",
    "optim",
    "optim.lr_scheduler",
    "utils.data",
    "autograd",
    "autograd.functional",
    "autograd.graph",
    "autograd.forward_ad",
    "func",
    "nn.utils.rnn",
    "nn.utils.parametrize",
    "nn.utils.parametrizations",
    "nn.utils.prune",
    "optim.swa_utils",
    "testing",
)
#: further modules, some of whose names have an example
MORE = ("utils.benchmark", "utils.checkpoint")
#: what is not meant for users: types of Python, and forms that other operations are made of
SKIPPED = {"annotations", "FunctionType"}


def owner(lib: Any, space: str) -> Any:
    """The module, or Tensor, that a namespace is."""
    found = lib
    for part in space.split(".") if space else ():
        found = getattr(found, part, None) or importlib.import_module(f"{lib.__name__}.{space}")
    return found


def public(lib: Any) -> dict[str, Any]:
    """Every documented name by its path: functions, classes, methods and properties. A method that is the function of
    the same name stands under the function's."""
    load_all()
    found: dict[str, Any] = {}
    seen: set[int] = set()
    for space in SPACES:
        place = owner(lib, space)
        names = dir(place) if space in ("", "Tensor", "special") else getattr(place, "__all__", None) or dir(place)
        for name in sorted(set(names)):
            if name.startswith("_") or name in SKIPPED:
                continue
            value = vars(lib.Tensor).get(name) if space == "Tensor" else getattr(place, name)
            documented = isinstance(value, (FunctionType, type)) or (space == "Tensor" and isinstance(value, property))
            if not documented or id(value) in seen or _is_type_of_elements(value):
                continue
            seen.add(id(value))
            found[f"{space}.{name}" if space else name] = value
    return found


def _is_type_of_elements(value: Any) -> bool:
    """torch.FloatTensor and torch.FloatStorage: one text for all of them would say nothing."""
    return (
        isinstance(value, type)
        and value.__name__.endswith(("Tensor", "Storage"))
        and value.__name__ not in ("Tensor", "TypedStorage", "UntypedStorage")
    )


def statements(example: str) -> Iterator[tuple[str, str]]:
    """(code, what it prints) of each statement of an example."""
    code: list[str] = []
    out: list[str] = []
    for line in example.split("\n"):
        if line.startswith(">>> "):
            if code:
                yield "\n".join(code), "\n".join(out).strip("\n")
            code, out = [line[4:]], []
        elif line.startswith("...") and not out and (line == "..." or line[3] == " "):
            code.append(line[4:])
        else:
            out.append(line.rstrip())
    if code:
        yield "\n".join(code), "\n".join(out).strip("\n")


def run(example: str, lib: Any) -> str:
    """The example with what its statements print with `lib` as torch."""
    import numpy

    names = {
        "torch": lib,
        "nn": importlib.import_module(f"{lib.__name__}.nn"),
        "np": numpy,
        "F": importlib.import_module(f"{lib.__name__}.nn.functional"),
        "optim": importlib.import_module(f"{lib.__name__}.optim"),
    }
    for module in (*SPACES, *MORE):
        owner(lib, module)
    lines: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for code, _ in statements(example):
            lines += [f"{'... ' if at else '>>> '}{line}".rstrip() for at, line in enumerate(code.split("\n"))]
            buffer = io.StringIO()
            source = re.sub(r"^(from|import) autogradlab\b", rf"\1 {lib.__name__}", code) + "\n" * ("\n" in code)
            with contextlib.redirect_stdout(buffer):
                try:
                    exec(compile(source, "<example>", "single"), names)
                except Exception as error:
                    print(f"{_TRACEBACK}\n" + traceback.format_exception_only(error)[-1])
            printed = buffer.getvalue().rstrip("\n")
            lines += [line.rstrip() for line in printed.split("\n")] if printed else []
    return "\n".join(lines)


def library() -> Any:
    """The real PyTorch where there is one, else autogradlab."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError:
        return importlib.import_module("autogradlab")


#: how an error stands in an example, with its own line below
_TRACEBACK = "Traceback (most recent call last):"
#: the imports with which examples begin; `run` provides these names of either library
_IMPORT = re.compile(r">>> (import autogradlab as torch|from autogradlab(\.nn)? import .*|import numpy as np)$")


def example(doc: str) -> str:
    """The example of a help text, without indentation and imports; "" if it has none."""
    lines: list[str] = []
    for line in textwrap.dedent(doc.partition("Example:\n")[2]).split("\n"):
        if line and not line.startswith(("    ", ">>>", "...")) and not lines:
            break
        if line and not line[0].isspace() and line.startswith(("Mirrors `", "Other names: ")):
            break
        lines.append(line)
    code = textwrap.dedent("\n".join(lines)).strip("\n")
    return "\n".join(line for line in code.split("\n") if not _IMPORT.match(line))


def renewed(example: str, lib: Any, raising: list[str]) -> str:
    """An example with its results; as it stands, with its error in `raising`, if it raises where it says that it does
    not.
    """
    result = run(example, lib)
    pairs = zip(statements(example), statements(result), strict=True)
    new = [after for (_, before), (_, after) in pairs if (_TRACEBACK in after) > (_TRACEBACK in before)]
    raising += [said.partition(f"{_TRACEBACK}\n")[2] for said in new[:1]]
    return example if new else result


def recorded_docstrings(source: str, lib: Any, raising: list[str]) -> str:
    """The source of a module with the results of the examples of its docstrings."""
    for block in re.findall(r"^ +Example:\n(?: .*\n|\n)+?(?=\n *(?:Mirrors|Other names))", source, re.MULTILINE):
        body = textwrap.dedent(block.partition("\n")[2]).strip("\n")
        imports = [line for line in body.split("\n") if _IMPORT.match(line)]
        result = renewed(example(textwrap.dedent(block)), lib, raising)
        indent = block[: len(block) - len(block.lstrip())] + "    "
        head = block.partition("\n")[0]
        made = head + "\n" + textwrap.indent("\n".join([*imports, result]), indent) + "\n"
        source = source.replace(block, made)
    return source


def declared_examples() -> list[str]:
    """The examples of declarations, as they are indented in the sources: of operations and of their in-place forms."""
    load_all()
    found = []
    for declaration in DECLARED.values():
        for part in declaration.help.partition("In place:\n")[::2]:
            if ">>> " in part:
                start = part.index(">>> ")
                found.append(part[part.rfind("\n", 0, start) + 1 :].rstrip())
    return found


def recorded_declarations(source: str, examples: Sequence[str], lib: Any, raising: list[str]) -> str:
    """The source of a module with the results of the examples of its declarations."""
    for block in examples:
        if block in source:
            indent = block[: len(block) - len(block.lstrip())]
            result = renewed(textwrap.dedent(block), lib, raising)
            source = source.replace(block, textwrap.indent(result, indent))
    return source


def record(files: Sequence[Path], lib: Any, check: bool = False) -> int:
    """Write the results of the examples of these files, or only say where others stand; returns how many raise, and
    so stay as they are, or are stale."""
    failed = 0
    examples = declared_examples()
    for file in files:
        source = file.read_text(encoding="utf-8")
        raising: list[str] = []
        made = recorded_declarations(recorded_docstrings(source, lib, raising), examples, lib, raising)
        for error in raising:
            failed += 1
            print(f"{file.relative_to(ROOT)}: an example stays as it is, since it raises {error}")
        if made != source and check:
            failed += 1
            print(f"{file.relative_to(ROOT)}: examples print something else than it says")
        elif made != source:
            file.write_text(made, encoding="utf-8")
    return failed


def missing(lib: Any) -> list[str]:
    """Public names whose help says nothing, names no PyTorch original, or has no example that prints."""
    found = []
    for path, value in public(lib).items():
        doc = inspect.getdoc(value) or ""
        shown = example(doc)
        if "Mirrors `torch." not in doc or doc.startswith("Example:") or not any(out for _, out in statements(shown)):
            found.append(path)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "missing"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true", help="say what is stale, write nothing")
    given = parser.parse_args(arguments)
    if given.what == "record":
        files = [file.resolve() for file in given.files] or sorted(PACKAGE.rglob("*.py"))
        return 1 if record(files, library(), given.check) else 0
    names = missing(importlib.import_module("autogradlab"))
    for space in SPACES:
        mine = [n.rpartition(".")[2] for n in names if n.rpartition(".")[0] == space]
        if mine:
            print(f"{space or 'torch'} ({len(mine)}): {' '.join(mine)}\n")
    return 1 if names else 0


if __name__ == "__main__":
    raise SystemExit(main())
