"""The tool that keeps the lessons: a second run changes no byte, and the guard sees each kind of damage."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autogradlab.lab import cli
from autogradlab.lab.author import book, guard

CELLS = {
    "an-address": "object()",
    "a-warning": "import warnings\nprint('before')\nwarnings.warn('look out')\nprint('after')",
    "an-error": "import json\njson.loads('[')",
    "a-number": "6 * 7",
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small notebook, executed and stored by the tool."""
    path = tmp_path_factory.mktemp("kit") / "01-small.ipynb"
    notebook = nbformat.v4.new_notebook()
    for name, source in CELLS.items():
        cell = nbformat.v4.new_code_cell(source)
        cell["id"] = name
        cell.metadata["tags"] = ["raises-exception"] if name == "an-error" else []
        notebook.cells.append(cell)
    nbformat.write(notebook, path)
    assert cli.main(["lessons", "execute", str(path)]) == 0
    return path


def test_second_run_changes_no_byte(ran: Path, capsys: pytest.CaptureFixture[str]):
    before = ran.read_bytes()
    assert cli.main(["lessons", "execute", str(ran)]) == 0
    assert ran.read_bytes() == before
    assert "unchanged" in capsys.readouterr().out


#: what NumPy finds beyond its baseline; where that is nothing, it says nothing of it
FOUND = {
    (): {},
    ("X86_V3",): {},
    ("NEON", "NEON_FP16"): {},
    ("X86_V3", "X86_V4", "AVX512_ICL"): {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"},
    ("SSE42", "AVX2", "AVX512F", "AVX512_SKX"): {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512_SKX"},
}


@pytest.mark.parametrize("found", FOUND, ids=" ".join)
def test_what_is_stored_does_not_depend_on_the_processor(found: tuple[str, ...], monkeypatch: pytest.MonkeyPatch):
    extensions = {"baseline": ["X86_V2"], **({"found": list(found)} if found else {})}
    monkeypatch.setattr(book.np, "show_config", lambda mode: {"SIMD Extensions": extensions})
    wanted = FOUND[found] and {"OPENBLAS_CORETYPE": "Haswell", "ATEN_CPU_CAPABILITY": "avx2", **FOUND[found]}
    assert book.usual_processor() == wanted
    monkeypatch.delenv("NPY_DISABLE_CPU_FEATURES", raising=False)
    cell = nbformat.v4.new_code_cell("import os\nprint(os.environ.get('NPY_DISABLE_CPU_FEATURES'))")
    ran = book.execute(nbformat.v4.new_notebook(cells=[cell]), Path.cwd())
    assert book.texts(ran.cells[0]) == [("stdout", f"{wanted.get('NPY_DISABLE_CPU_FEATURES')}\n")]


def test_stored_outputs_name_no_place_of_this_machine(ran: Path):
    cells = {c.id: c for c in book.read(ran).cells}
    assert book.texts(cells["an-address"]) == [("text/plain", "<object at 0x7f0000000000>")]
    assert book.texts(cells["a-warning"]) == [
        ("stdout", "before\nafter\n"),
        ("stderr", "<cell>:3: UserWarning: look out\n  warnings.warn('look out')\n"),
    ]
    (error,) = cells["an-error"].outputs
    assert error.ename == "JSONDecodeError"
    plain = book.ANSI.sub("", "\n".join(error.traceback))
    assert "----> 2 json.loads('[')" in plain  # the learner's own line stays
    assert "File " not in plain  # the library's frames do not
    assert str(ran.parent) not in ran.read_text()
    assert not re.search(r"ipykernel_\d", ran.read_text())


DAMAGES: dict[str, tuple[str, Callable[[Any], None]]] = {
    "stripped": ("execution count None", lambda nb: [c.update(outputs=[], execution_count=None) for c in nb.cells]),
    "out of order": ("execution count 3 where 1", lambda nb: nb.cells[0].update(execution_count=3)),
    "error lost": ("tagged raises-exception but no error", lambda nb: nb.cells[2].update(outputs=[])),
    "tag lost": ("an error, untagged", lambda nb: nb.cells[2].metadata.update(tags=[])),
    "random id": ("no word-with-words", lambda nb: nb.cells[0].update(id="3f2a9c1d")),
    "numbered id": ("no word-with-words", lambda nb: nb.cells[0].update(id="cell-3")),
    "same id": ("used twice", lambda nb: nb.cells[0].update(id="a-number")),
    "widget state": ("widget state", lambda nb: nb.metadata.update(widgets={"state": {}})),
    "old format": ("format is 4.4", lambda nb: nb.update(nbformat_minor=4)),
    "exempt": ("exempt from nbval", lambda nb: nb.cells[0].update(source="# NBVAL_SKIP\nobject()")),
    "exempt by tag": ("exempt from nbval", lambda nb: nb.cells[0].metadata.update(tags=["nbval-ignore-output"])),
    "empty cell": ("is empty", lambda nb: nb.cells[3].update(source=" ")),
    "no code": ("no code", lambda nb: nb.update(cells=[])),
    "learner's copy": ("a learner's copy", lambda nb: nb.metadata.update(autogradlab={"copied": {"digest": "0"}})),
    "timings": ("canonical form", lambda nb: nb.cells[0].metadata.update(execution={"iopub.status.busy": "12:00"})),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_guard_sees(ran: Path, damage: str):
    words, harm = DAMAGES[damage]
    notebook = book.read(ran)
    assert guard.problems(notebook) == []
    harm(notebook)
    assert any(words in problem for problem in guard.problems(notebook))


def test_guard_fails_the_command(ran: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    stripped = tmp_path / "01-stripped.ipynb"
    notebook = book.read(ran)
    DAMAGES["stripped"][1](notebook)
    stripped.write_text(nbformat.v4.writes(notebook))
    assert cli.main(["lessons", "check", str(stripped)]) == 1
    assert "01-stripped.ipynb: an-address: execution count None where 1 is due" in capsys.readouterr().out


def test_sanitiser_masks_addresses_and_cell_files_only():
    plain = "tensor([0x1234, 3.]) <AddBackward0> <Figure size 640x480 with 1 Axes> line 12 /srv/a.py:3"
    assert book.sanitise(plain) == plain
    assert book.sanitise("<X object at 0x7fe3280a1160>") == "<X object at 0x7f0000000000>"
    for folder in ("/var/t/ipykernel_812/", "C:\\Temp\\ipykernel_812\\"):
        assert book.sanitise(f"{folder}123456.py:3: UserWarning: w") == "<cell>:3: UserWarning: w"


def test_the_sanitiser_reaches_into_pictures():
    def page(words: str) -> str:
        return f'<img src="data:image/svg+xml;base64,{b64encode(words.encode()).decode()}" alt="a">'

    drawn = page("<svg><text>&lt;X object at 0x7fe3280a1160&gt; 叶子</text></svg>")
    assert book.sanitise(drawn) == page("<svg><text>&lt;X object at 0x7f0000000000&gt; 叶子</text></svg>")
    other = '<img src="data:image/svg+xml;base64,/w==" alt="no words at all">'
    assert book.sanitise(other) == other


def test_streams_are_joined_however_the_kernel_cuts_them():
    def stream(name: str, text: str) -> Any:
        return nbformat.v4.new_output("stream", name=name, text=text)

    cell = nbformat.v4.new_code_cell("…")
    cell.outputs = [stream("stderr", "w"), stream("stdout", "a"), stream("stdout", "b"), stream("stderr", "v")]
    assert book.texts(cell) == [("stdout", "ab"), ("stderr", "wv")]
