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

from autogradlab.inspectors.words import language
from autogradlab.lab import copying
from autogradlab.lab.speaking import told

__all__ = ["Finding", "examine", "installed", "numbers", "oldest", "report"]

PYTHON = (3, 11)
LAB = 'pip install "autogradlab[lab]"'
#: The packages: name, oldest version, whether the lessons need it, how to get it. What it is for is said by cli.toml.
PACKAGES = [
    ("numpy", "2.0", True, "pip install -U numpy"),
    ("jupyterlab", "4.2", True, LAB),
    ("ipykernel", "6.29", True, LAB),
    ("ipywidgets", "8.1", True, LAB),
    ("anywidget", "0.9", True, LAB),
    ("matplotlib", "3.9", True, LAB),
    ("ml_dtypes", "0.5", True, LAB),
    ("torch", "2.13", False, "pip install 'torch==2.13.*'"),
]
#: What only those need who read JupyterLab in Chinese.
LANGUAGE_PACK = ("jupyterlab-language-pack-zh-CN", "4.2")
#: What JupyterLab must have to draw widgets, and stored cards without a kernel, below share/jupyter/labextensions.
EXTENSIONS = {
    "@jupyter-widgets/jupyterlab-manager": "ipywidgets",
    "anywidget": "anywidget",
    "autogradlab": "autogradlab",
}


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
    yield Finding("Python", here, sys.version_info >= PYTHON, told("doctor_python", wanted=wanted))
    yield Finding("autogradlab", copying.version(), True)
    for name, least, needed, cure in PACKAGES:
        yield _package(name, name, least, needed, cure)
    if language() == "zh":
        yield _package("language_pack", *LANGUAGE_PACK, needed=True, cure=LAB)
    yield from _extensions()
    yield _kernel()
    yield _lessons()
    yield _folder(folder)


def _package(word: str, name: str, least: str, needed: bool, cure: str) -> Finding:
    found = installed(name)
    well = found is not None and numbers(found) >= numbers(least)
    said = found if well or found is None else told("doctor_older", found=found, oldest=least)
    what = told("doctor_package", name=name, use=told(f"doctor_{word}"))
    return Finding(what, said or told("doctor_missing"), well, cure, needed)


def oldest(name: str) -> str:
    """The oldest version of a package that the lessons work with."""
    return next(least for package, least, *_ in PACKAGES if package == name)


def report(folder: Path) -> tuple[str, bool]:
    """The findings as text, and whether all that is needed is there."""
    lines, well = [], True
    for finding in examine(folder):
        mark = "ok " if finding.well else "-- " if finding.needed else "no "
        lines.append(told("doctor_line", mark=mark, what=finding.what, found=finding.found))
        if not finding.well and finding.cure:
            key = "doctor_cure" if finding.needed else "doctor_cure_optional"
            lines.append(f"      {told(key, cure=finding.cure)}")
        well &= finding.well or not finding.needed
    lines.append(told("doctor_well" if well else "doctor_ill"))
    return "\n".join(lines), well


def installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def numbers(version: str) -> tuple[int, ...]:
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
                found = str(described.get("version", told("doctor_there")))
                break
            except (OSError, ValueError):
                continue
        cure = told("doctor_front_cure", name=package) if installed(package) else LAB
        yield Finding(told("doctor_front", name=package), found or told("doctor_missing"), bool(found), cure)


def _kernel() -> Finding:
    """A kernel of another Python would not find autogradlab."""
    if installed("ipykernel") is None:
        return Finding(told("doctor_kernel"), told("doctor_missing"), False, LAB)
    cure = f'"{sys.executable}" -m ipykernel install --sys-prefix'
    for data in _data_folders():
        try:
            argv = json.loads((data / "kernels" / "python3" / "kernel.json").read_text(encoding="utf-8"))["argv"]
        except (OSError, ValueError, KeyError):
            continue
        program = str(argv[0])
        same = program in {"python", "python3"} or os.path.realpath(program) == os.path.realpath(sys.executable)
        prefix = Path(program).parent == Path(sys.executable).parent
        return Finding(told("doctor_kernel"), program, same or prefix, cure)
    return Finding(told("doctor_kernel"), told("doctor_this_python"), True)


def _lessons() -> Finding:
    try:
        found = copying.lessons()
    except copying.LessonError as error:
        return Finding(told("doctor_lessons"), told("doctor_missing"), False, str(error).splitlines()[-1])
    counts = [f"{sum(x.key.startswith(lang) for x in found)} {lang}" for lang in copying.LANGUAGES]
    return Finding(told("doctor_lessons"), ", ".join(counts), True)


def _folder(folder: Path) -> Finding:
    there = folder.expanduser().resolve()
    while not there.exists():
        there = there.parent
    well = there.is_dir() and os.access(there, os.W_OK)
    return Finding(told("doctor_folder"), str(folder), well, told("doctor_folder_cure"))
