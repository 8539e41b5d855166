"""Stored lessons: reading them, running them, the one canonical form in which they are kept, what a reader reads in them."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, KernelManager, NbvalKernelspecManager

LESSONS = Path(__file__).resolve().parents[1] / "lessons"
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


def execute(notebook: Any, folder: Path, rewrite: Callable[[str], str] | None = None, language: str = "en") -> Any:
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
        with environment(language):
            client.execute(stderr=subprocess.DEVNULL)
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
        if manager.has_kernel:
            manager.shutdown_kernel(now=True)
    return notebook


def installed() -> bool:
    """Whether an autogradlab is installed; where none is, the checkout stands in for it, in the kernels too."""
    try:
        importlib.metadata.version("autogradlab")
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@contextlib.contextmanager
def environment(language: str = "en") -> Iterator[None]:
    """The environment of kernels that run lessons: one language, whatever the locale, and no progress is noted."""
    before = dict(os.environ)
    os.environ.update(AUTOGRADLAB_LANG=language, AUTOGRADLAB_NO_PROGRESS="1")
    if not installed():
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(LESSONS.parent), before.get("PYTHONPATH")]))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


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
    return as_stored(notebook)


def as_stored(notebook: Any) -> str:
    """A notebook as a file holds it."""
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
        output.data.pop("application/vnd.jupyter.widget-view+json", None)  # a number of this run, and no state with it
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
