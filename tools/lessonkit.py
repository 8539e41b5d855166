"""Keeps the lessons: runs them, writes them in one canonical form, checks them, and lists the scenarios they show.

    python tools/lessonkit.py execute [FILE ...]     run and store; a second run changes no byte
    python tools/lessonkit.py execute --torch ...    the same on the real PyTorch, whose outputs are the measure
    python tools/lessonkit.py check [FILE ...]       say what is wrong with the stored lessons
    python tools/lessonkit.py catalog [--check]      write lessons/catalog.toml from the cells' metadata

Without files: every lesson below lessons/. It needs the ``test`` extra.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, KernelManager, NbvalKernelspecManager

LESSONS = Path(__file__).resolve().parents[1] / "lessons"
CATALOG = LESSONS / "catalog.toml"
CATALOG_HEAD = "# scenario id -> the lesson cells that show it. Generated: python tools/lessonkit.py catalog\n"
CELL_SECONDS = 60
ANSI = re.compile(r"\x1b\[[0-9;]*m")
#: Cell ids are links into a lesson, so they are words: not the eight hex digits that Jupyter makes up.
CELL_ID = re.compile(r"(?!cell-?\d)(?![0-9a-f]{8}$)[a-z][a-z0-9]*(-[a-z0-9]+)*")

#: Ours alone: these read tensors by their public attributes, so they stay and look at real torch tensors.
OWN = {"inspectors", "lab"}
IMPORT = re.compile(r"^(\s*)import autogradlab((?:\.\w+)*)(?: as (\w+))?(\s*(?:#.*)?)$")
FROM = re.compile(r"^(\s*)from autogradlab((?:\.\w+)*) import (.+)$")


def lesson_files() -> list[Path]:
    """Every stored lesson, in every language."""
    return [p for p in sorted(LESSONS.glob("*/*.ipynb")) if not p.name.startswith(".")]


def sanitizers(file: Path = LESSONS / "sanitize.cfg") -> list[tuple[re.Pattern[str], str]]:
    """The rules of sanitize.cfg, in nbval's format of ``regex:`` and ``replace:`` lines."""
    text = file.read_text(encoding="utf-8")
    pairs = re.findall(r"^regex:[ \t]*(.+?)[ \t]*\nreplace:[ \t]*(.*?)[ \t]*$", text, re.MULTILINE)
    return [(re.compile(regex), replace) for regex, replace in pairs]


def sanitise(text: str) -> str:
    """``text`` with everything replaced that sanitize.cfg says may differ."""
    for pattern, replacement in sanitizers():
        text = pattern.sub(replacement, text)
    return text


def read(path: Path) -> Any:
    """The notebook as stored; format problems are for ``problems`` to tell."""
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def execute(notebook: Any, folder: Path, rewrite: Callable[[str], str] | None = None) -> Any:
    """A copy of the notebook, run from top to bottom in a kernel of this Python; ``rewrite`` may change the code."""
    notebook = nbformat.from_dict(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = rewrite(cell.source) if rewrite else cell.source
            cell.outputs, cell.execution_count = [], None
    manager = KernelManager(kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=NbvalKernelspecManager())
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=CELL_SECONDS,
        store_widget_state=False,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute(stderr=subprocess.DEVNULL)
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
        if manager.has_kernel:
            manager.shutdown_kernel(now=True)
    return notebook


def on_torch(source: str) -> str:
    """The code of a cell with torch in the place of autogradlab, the inspectors excepted."""
    return "".join(_line_on_torch(line) for line in source.splitlines(keepends=True))


def _line_on_torch(line: str) -> str:
    text, end = (line[:-1], "\n") if line.endswith("\n") else (line, "")
    if (found := IMPORT.match(text)) and found[2].lstrip(".").split(".")[0] not in OWN:
        indent, module, alias, rest = found.groups()
        alias = "" if alias in (None, "torch") and not module else f" as {alias}" if alias else ""
        return f"{indent}import torch{module}{alias}{rest}{end}"
    if found := FROM.match(text):
        indent, module, names = found.groups()
        own = (module.lstrip(".").split(".")[0] if module else names.split(" as ")[0].strip()) in OWN
        return line if own else f"{indent}from torch{module} import {names}{end}"
    return line


def execute_on_torch(notebook: Any, folder: Path) -> Any:
    """The notebook with its own code and the outputs that the real PyTorch gives."""
    ran = execute(notebook, folder, rewrite=on_torch)
    for cell, stored in zip(ran.cells, notebook.cells, strict=True):
        cell.source = stored.source
    return ran


def normalise(notebook: Any) -> str:
    """The canonical text of an executed notebook: what is left out or replaced here differs between two runs."""
    notebook = nbformat.from_dict(notebook)
    own = {k: v for k, v in notebook.metadata.get("autogradlab", {}).items() if k != "copied"}
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
            **({"autogradlab": own} if own else {}),
        }
    )
    for cell in notebook.cells:
        for passing in ("execution", "collapsed", "scrolled", "jp-MarkdownHeadingCollapsed"):
            cell.metadata.pop(passing, None)
        if cell.cell_type == "code":
            cell.outputs = [_normal_output(o) for o in _merge_streams(cell.outputs)]
    return _dump(notebook)


def _dump(notebook: Any) -> str:
    return str(nbformat.v4.writes(notebook)) + "\n"


def _merge_streams(outputs: Sequence[Any]) -> list[Any]:
    """Neighbouring streams as one each, stdout first: where the kernel cuts them is chance."""
    merged: list[Any] = []
    for output in outputs:
        if output.output_type == "stream":
            at = len(merged)
            while at and merged[at - 1].output_type == "stream":
                at -= 1
            same = [o for o in merged[at:] if o.name == output.name]
            if same:
                same[0].text += output.text
            else:
                merged.insert(at if output.name == "stdout" else len(merged), output)
        else:
            merged.append(output)
    return merged


def _normal_output(output: Any) -> Any:
    if output.output_type == "stream":
        output.text = sanitise(output.text)
    elif output.output_type == "error":
        output.evalue = sanitise(output.evalue)
        # Frames outside the cells name a path of this machine and change with every edit of the library.
        frames = [f for f in output.traceback if not ANSI.sub("", f).lstrip().startswith("File ")]
        output.traceback = [sanitise(f) for f in frames]
    else:
        for kind, value in output.data.items():
            if kind.startswith("text/") and isinstance(value, str):
                output.data[kind] = sanitise(value)
    return output


def texts(cell: Any) -> list[tuple[str, str]]:
    """What a reader can read in the outputs of a cell, sanitised: (kind, text) pairs; tracebacks by their last line."""
    result = []
    for output in _merge_streams([nbformat.from_dict(o) for o in cell.get("outputs", [])]):
        if output.output_type == "stream":
            result.append((output.name, sanitise(output.text)))
        elif output.output_type == "error":
            result.append(("error", sanitise(f"{output.ename}: {output.evalue}")))
        else:
            result += [(k, sanitise(v)) for k, v in sorted(output.data.items()) if k.startswith("text/")]
    return result


def problems(notebook: Any) -> list[str]:
    """What is wrong with a stored lesson, one line each; nbval alone would pass a notebook stripped of its outputs."""
    found = []
    if (version := (notebook.nbformat, notebook.nbformat_minor)) != (4, 5):
        found.append(f"the notebook format is {version[0]}.{version[1]}, not 4.5")
    if "widgets" in notebook.metadata:
        found.append("widget state is stored in the notebook")
    if "copied" in notebook.metadata.get("autogradlab", {}):
        found.append("this is a learner's copy, not a lesson")
    ids = [cell.get("id", "") for cell in notebook.cells]
    found += [f"{i}: the cell id is used twice" for i in sorted({i for i in ids if ids.count(i) > 1})]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not code:
        found.append("there is no code")
    for cell in notebook.cells:
        if not CELL_ID.fullmatch(cell.get("id", "")):
            found.append(f"{cell.get('id')!r}: the cell id is no word-with-words")
        if not cell.source.strip():
            found.append(f"{cell.get('id')}: the cell is empty")
    for number, cell in enumerate(code, 1):
        if cell.execution_count != number:
            found.append(f"{cell.get('id')}: execution count {cell.execution_count} where {number} is due")
        wanted = "raises-exception" in cell.metadata.get("tags", [])
        if wanted != any(o.output_type == "error" for o in cell.outputs):
            fault = "tagged raises-exception but no error" if wanted else "an error, untagged"
            found.append(f"{cell.get('id')}: {fault}")
        tags = " ".join(cell.metadata.get("tags", []))
        if "nbval" in tags.lower() or re.search(r"^\s*#\s*NBVAL_", cell.source, re.MULTILINE):
            found.append(f"{cell.get('id')}: it is exempt from nbval")
    if normalise(notebook) != _dump(notebook):
        found.append("not in canonical form; python tools/lessonkit.py execute writes it")
    return found


def catalog() -> str:
    """The text of catalog.toml: every scenario that a cell of an English lesson says it shows."""
    cells: dict[str, list[str]] = {}
    for path in lesson_files():
        if path.parent.name == "en":
            for cell in read(path).cells:
                for scenario in cell.metadata.get("autogradlab", {}).get("scenarios", []):
                    cells.setdefault(scenario, []).append(f"{path.stem}#{cell.id}")
    rows = [f'{name} = [{", ".join(f"{c!r}" for c in where)}]\n' for name, where in sorted(cells.items())]
    return CATALOG_HEAD + "".join(rows).replace("'", '"')


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("action", choices=["execute", "check", "catalog"])
    parser.add_argument("--torch", action="store_true", help="execute: store what the real PyTorch says instead")
    parser.add_argument("--check", action="store_true", help="catalog: write nothing, fail if it is out of date")
    parser.add_argument("files", nargs="*", type=Path)
    args = parser.parse_intermixed_args(argv)
    status = 0
    if args.action == "catalog":
        text = catalog()
        stale = not CATALOG.is_file() or CATALOG.read_text(encoding="utf-8") != text
        if stale and not args.check:
            CATALOG.write_text(text, encoding="utf-8", newline="\n")
        print(f"{CATALOG.name}: {'out of date' if stale and args.check else 'written' if stale else 'up to date'}")
        return int(stale and args.check)
    for path in args.files or lesson_files():
        if args.action == "execute":
            before = path.read_bytes()
            run = execute_on_torch if args.torch else execute
            after = normalise(run(read(path), path.parent)).encode()
            path.write_bytes(after)
            print(f"{path.name}: {'unchanged' if before == after else 'written'}", flush=True)
        for problem in problems(read(path)):
            print(f"{path.name}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
