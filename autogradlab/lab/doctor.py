"""`autogradlab doctor`: what the lessons need, whether it is there, and how to get it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autogradlab.lab import copying

__all__ = ["Finding", "examine", "report"]

PYTHON = (3, 11)
LAB = 'pip install "autogradlab[lab]"'
#: The packages: name, oldest version, what it is for, whether the lessons need it, how to get it.
PACKAGES = [
    ("numpy", "2.0", "the arrays under every tensor", True, "pip install -U numpy"),
    ("jupyterlab", "4.2", "where the lessons are opened", True, LAB),
    ("ipykernel", "6.29", "runs the cells", True, LAB),
    ("ipywidgets", "8.1", "what moves in a lesson", True, LAB),
    ("anywidget", "0.9", "questions to answer and pictures to step through", True, LAB),
    ("matplotlib", "3.9", "plots", True, LAB),
    ("ml_dtypes", "0.5", "torch.bfloat16", True, LAB),
    ("torch", "2.13", "only to compare with the real PyTorch", False, "pip install 'torch==2.13.*'"),
]
#: What JupyterLab must have to draw widgets, below share/jupyter/labextensions.
EXTENSIONS = {"@jupyter-widgets/jupyterlab-manager": "ipywidgets", "anywidget": "anywidget"}


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, what was found, whether that is well, what to do else."""

    what: str
    found: str
    well: bool
    cure: str = ""
    needed: bool = True


def examine(folder: Path) -> Iterator[Finding]:
    """Everything in turn; `folder` is where the learner's copies are or would be."""
    here = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, PYTHON))
    yield Finding("Python", here, sys.version_info >= PYTHON, f"install Python {wanted} or later")
    yield Finding("autogradlab", copying.version(), True)
    for name, oldest, use, needed, cure in PACKAGES:
        found = _version(name)
        well = found is not None and _numbers(found) >= _numbers(oldest)
        said = found if well or found is None else f"{found}, older than {oldest}"
        yield Finding(f"{name} ({use})", said or "missing", well, cure, needed)
    yield from _extensions()
    yield _kernel()
    yield _lessons()
    yield _folder(folder)


def report(folder: Path) -> tuple[str, bool]:
    """The findings as text, and whether all that is needed is there."""
    lines, well = [], True
    for finding in examine(folder):
        mark = "ok " if finding.well else "-- " if finding.needed else "no "
        lines.append(f"{mark} {finding.what}: {finding.found}")
        if not finding.well and finding.cure:
            lines.append(f"      {'to get it' if finding.needed else 'not needed; to get it'}:  {finding.cure}")
        well &= finding.well or not finding.needed
    lines.append(
        "All that the lessons need is here." if well else "Something that the lessons need is missing; see above."
    )
    return "\n".join(lines), well


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version.split("+")[0])[:3])


def _data_folders() -> list[Path]:
    """Where JupyterLab looks for its extensions, the first first."""
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:
        return [Path(sys.prefix) / "share" / "jupyter"]
    return [Path(p) for p in jupyter_path()]


def _extensions() -> Iterator[Finding]:
    for name, package in EXTENSIONS.items():
        found = ""
        for data in _data_folders():
            try:
                described = json.loads((data / "labextensions" / name / "package.json").read_text(encoding="utf-8"))
                found = str(described.get("version", "there"))
                break
            except (OSError, ValueError):
                continue
        cure = f"pip install --force-reinstall {package}   in the Python that runs JupyterLab, then reload the page"
        yield Finding(f"front end of {package} in JupyterLab", found or "missing", bool(found), cure)


def _kernel() -> Finding:
    """A kernel of another Python would not find autogradlab."""
    cure = f'"{sys.executable}" -m ipykernel install --sys-prefix'
    for data in _data_folders():
        try:
            argv = json.loads((data / "kernels" / "python3" / "kernel.json").read_text(encoding="utf-8"))["argv"]
        except (OSError, ValueError, KeyError):
            continue
        program = str(argv[0])
        same = program in {"python", "python3"} or os.path.realpath(program) == os.path.realpath(sys.executable)
        prefix = Path(program).parent == Path(sys.executable).parent
        return Finding("kernel python3", program, same or prefix, cure)
    return Finding("kernel python3", "that of this Python", _version("ipykernel") is not None, cure)


def _lessons() -> Finding:
    try:
        found = copying.lessons()
    except copying.LessonError as error:
        return Finding("lessons", "missing", False, str(error).splitlines()[-1])
    counts = [f"{sum(x.key.startswith(lang) for x in found)} {lang}" for lang in copying.LANGUAGES]
    return Finding("lessons", ", ".join(counts), True)


def _folder(folder: Path) -> Finding:
    there = folder.expanduser().resolve()
    while not there.exists():
        there = there.parent
    well = there.is_dir() and os.access(there, os.W_OK)
    return Finding("working folder", str(folder), well, "choose another one with --dir")
