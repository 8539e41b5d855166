"""Stored lessons: reading them, running them, the one canonical form in which they are kept,
what a reader reads in them."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import ipykernel.kernelspec
import nbformat
import numpy as np
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from autogradlab.inspectors.words import say
from autogradlab.lab import copying

__all__ = [
    "ANSI",
    "CELL_ID",
    "CPP_PLACE",
    "as_stored",
    "execute",
    "execute_on_torch",
    "figures",
    "kernel_environment",
    "language_of",
    "lesson_files",
    "normalise",
    "on_torch",
    "read",
    "root_of",
    "sanitise",
    "texts",
]

CELL_SECONDS = 60
ANSI = re.compile(r"\x1b\[[0-9;]*m")
#: Cell ids are links into a lesson, so they are words: not the eight hex digits that Jupyter makes up.
CELL_ID = re.compile(r"(?!cell-?\d)(?![0-9a-f]{8}$)[a-z][a-z0-9]*(-[a-z0-9]+)*")

#: Ours alone: these read tensors by their public attributes, so they stay and look at real torch tensors.
OWN = {"inspectors", "lab"}
IMPORT = re.compile(r"^(\s*)import autogradlab((?:\.\w+)*)(?: as (\w+))?(\s*(?:#.*)?)$")
FROM = re.compile(r"^(\s*)from autogradlab((?:\.\w+)*) import (.+)$")
#: The place in PyTorch's C++ sources where a warning was made differs from build to build.
CPP_PLACE = re.compile(r" \(Triggered internally at [^)]*\)")
#: How a lesson's Markdown tells the figure of the cell below it.
IN_WORDS = re.compile(r"\*\*(?:In words:|用文字说：)\*\* *(.+?)(?:\n\n|\Z)", re.DOTALL)
#: A picture inside of a card's HTML.
PICTURE = re.compile(r"(data:image/svg\+xml;base64,)([A-Za-z0-9+/=]+)")
#: What a card says of its language, in HTML.
CARD_LANGUAGE = re.compile(r'<(?:figure|div class="autogradlab-lab") lang="(\w+)')
#: What a shell or a test run sets for itself, and a notebook opened by a reader does not have.
PASSING = ("MPLBACKEND", "COLUMNS", "LINES", "PYTHONWARNINGS", "PYTEST_CURRENT_TEST")


def figures(cells: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    """Each cell whose output is an image, below Markdown that tells in words what it shows; and these words."""
    told = None
    for cell in cells:
        if cell["cell_type"] == "markdown":
            told = IN_WORDS.search("".join(cell["source"]))
        elif told and any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
            yield cell, " ".join(re.sub(r"[*`$]", "", told[1]).split())
            told = None


def lesson_files(folder: Path | None = None) -> list[Path]:
    """The stored lessons of a course, in every language; without a folder, of the lessons that are shipped."""
    folder = folder or copying.lessons_folder()
    found = [p for lang in copying.LANGUAGES for p in (folder / lang).glob("*.ipynb")] or list(folder.glob("*.ipynb"))
    return [p for p in sorted(found) if not p.name.startswith(".")]


def root_of(path: Path) -> Path:
    """The folder of the course that a lesson belongs to: beside its languages, or where it stands itself."""
    folder = path.resolve().parent
    return folder.parent if folder.name in copying.LANGUAGES else folder


@cache
def sanitizers(file: Path) -> list[tuple[re.Pattern[str], str]]:
    """The rules of sanitize.cfg, in nbval's format of ``regex:`` and ``replace:`` lines."""
    text = file.read_text(encoding="utf-8")
    pairs = re.findall(r"^regex:[ \t]*(.+?)[ \t]*\nreplace:[ \t]*(.*?)[ \t]*$", text, re.MULTILINE)
    return [(re.compile(regex), replace) for regex, replace in pairs]


def sanitise(text: str) -> str:
    """``text`` with everything replaced that sanitize.cfg says may differ, the words in its pictures too."""
    return PICTURE.sub(_sanitised_picture, _sanitised(text))


def _sanitised(text: str) -> str:
    for pattern, replacement in sanitizers(copying.lessons_folder() / "sanitize.cfg"):
        text = pattern.sub(replacement, text)
    return text


def _sanitised_picture(found: re.Match[str]) -> str:
    try:
        drawn = b64decode(found[2], validate=True).decode()
    except ValueError:  # no picture of ours
        return found[0]
    return found[1] + b64encode(_sanitised(drawn).encode()).decode()


def read(path: Path) -> Any:
    """The notebook as stored; format problems are for ``problems`` to tell."""
    try:
        return nbformat.read(path, as_version=nbformat.NO_CONVERT)
    except (nbformat.reader.NotJSONError, UnicodeDecodeError) as error:
        raise copying.LessonError(say("cli.no_notebook", path=path, reason=str(error).partition("\n")[0])) from error


def language_of(notebook: Any, path: Path) -> str:
    """The language of a lesson's cards: as its metadata says, else as its stored cards are, else that of its folder."""
    stated = notebook.metadata.get("autogradlab", {}).get("language")
    if stated in copying.LANGUAGES:
        return str(stated)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            page = output.get("data", {}).get("text/html", "")
            if found := CARD_LANGUAGE.search(page if isinstance(page, str) else "".join(page)):
                return "zh" if found[1].startswith("zh") else "en"
    folder = path.resolve().parent.name
    return folder if folder in copying.LANGUAGES else "en"


class ThisPython(KernelSpecManager):  # Jupyter's classes are Any to mypy
    """Kernels of the Python that runs, whatever is registered under its name."""

    def get_kernel_spec(self, kernel_name: str) -> Any:
        described = ipykernel.kernelspec.get_kernel_dict()
        return self.kernel_spec_class(resource_dir=ipykernel.kernelspec.RESOURCES, **described)


def execute(notebook: Any, folder: Path, rewrite: Callable[[str], str] | None = None, language: str = "en") -> Any:
    """A copy of the notebook, run from top to bottom in a kernel of this Python; ``rewrite`` may change the code."""
    notebook = nbformat.from_dict(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = rewrite(cell.source) if rewrite else cell.source
            cell.outputs, cell.execution_count = [], None
    manager = KernelManager(kernel_name="python3", kernel_spec_manager=ThisPython())
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=CELL_SECONDS,
        store_widget_state=False,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute(stderr=subprocess.DEVNULL, env=usual_processor() | kernel_environment(language))
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


def usual_processor() -> dict[str, str]:
    """What lets a kernel compute as on a processor without AVX-512, where this one has it: the last digits, and what a
    training makes of them, are stored with cards, and are to be the same whoever runs the lesson."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", ())
    wider = [name for name in found if name.startswith(("AVX512", "X86_V4"))]
    if not wider:
        return {}
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(wider),
        "OPENBLAS_CORETYPE": "Haswell",
        "ATEN_CPU_CAPABILITY": "avx2",
    }


def kernel_environment(language: str = "en") -> dict[str, str]:
    """The environment of kernels that run lessons: one language, whatever the locale, and no progress is noted."""
    own = {k: v for k, v in os.environ.items() if k not in PASSING}
    own.update(AUTOGRADLAB_LANG=language, AUTOGRADLAB_NO_PROGRESS="1")
    if not installed():
        own["PYTHONPATH"] = os.pathsep.join(filter(None, [str(copying.PACKAGE.parent), own.get("PYTHONPATH")]))
    return own


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
