"""The pytest plugin as a stranger uses it: in another folder, with another configuration, in any surroundings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest

from autogradlab import inspectors
from autogradlab.lab import copying
from autogradlab.lab.author import book
from tests.conftest import ROOT

#: A notebook with every inspector and every kind of question, as a teacher would write it, errors and warnings
#: included.
STRANGER = [
    (
        "import warnings\n\nimport autogradlab as torch\nfrom autogradlab import inspectors as lab\n"
        "from autogradlab.lab import *"
    ),
    (
        "w = torch.tensor([1.], requires_grad=True)\nx = torch.tensor([2.], requires_grad=True)\na = w * x\n"
        "y = a * (w + 1)"
    ),
    "lab.show(a)",
    "lab.graph(y)",
    "lab.step(y)",
    "lab.receipt(w, y)",
    "lab.what_if(y, cut=a)",
    (
        "v = torch.tensor([1.], requires_grad=True)\noptimizer = torch.optim.SGD([v], lr=0.25)\nrec = lab.training(v)\n"
        "for _ in range(3):\n    optimizer.zero_grad()\n    loss = (v * x - 3).pow(2).sum()\n    rec.step(loss)\n"
        "    loss.backward()\n    optimizer.step()\nrec"
    ),
    "board = lab.watch(w, x)\nboard",
    "with lab.accumulation(w) as ledger:\n    y.backward(retain_graph=True)\n    y.backward()\nledger",
    (
        "def halve(grad):\n    return grad / 2\n\n\nz = w * 3\nz.register_hook(halve)\nlog = lab.hooks(z, w)\n"
        "z.backward()\nlog"
    ),
    "m = torch.arange(6.).view(2, 3)\nlab.storage(m, m.t(), m[1])",
    "lab.broadcast(m, torch.ones(3))",
    "lab.why(a)",
    "y.backward()",
    "lab.explain()",
    "print(a.grad)",
    "warnings.warn('look out')\nobject()",
    "w.register_hook(lambda g: g)\ny.grad_fn",
    "import matplotlib.pyplot as plt\n\nfigure, axes = plt.subplots()\naxes.plot([1, 2]);",
    *(f'predict("{name}")' for name in ("doubled", "which-error", "how-much", "whole-gradient", "node-name", "firing")),
    'quiz("recall")',
    'parsons("descend")',
    'def zero(w):\n    ...\n\n\ncheck("zero-it")',
    'hint("zero-it")',
    'solution("zero-it")',
    "progress()",
]
ERRORS = {"y.backward()"}
#: Surroundings that change nothing: language, time zone, hash seed, width, the backend of pictures, colours.
SURROUNDINGS = [
    {"LC_ALL": "zh_CN.UTF-8", "LANG": "zh_CN.UTF-8"},
    {"TZ": "Asia/Shanghai", "PYTHONHASHSEED": "1", "COLUMNS": "40"},
    {"LC_ALL": "de_DE.UTF-8", "PYTHONHASHSEED": "2", "COLUMNS": "300", "LINES": "10"},
    {"AUTOGRADLAB_LANG": "zh", "MPLBACKEND": "Agg", "NO_COLOR": "1"},
    {"LC_ALL": "C", "TZ": "America/St_Johns", "PYTHONWARNINGS": "error"},
]


#: Programs without the grammar of addresses that jsonschema loads where it finds it: a second of each run.
BARE = "import sys; sys.modules['rfc3987_syntax'] = None; "
PYTEST = BARE + "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
NBCONVERT = BARE + "from nbconvert.nbconvertapp import main; main()"


def validate(
    folder: Path, *options: str, env: dict[str, str] | None = None, plugins: Sequence[str] | None = ("nbval.plugin",)
) -> subprocess.CompletedProcess[str]:
    """pytest in a folder that is not this repository, with our plugin and these; with None, with all that there are,
    which takes seconds to load."""
    named = [word for name in ("no:cacheprovider", "pytest_autogradlab", *(plugins or ())) for word in ("-p", name)]
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOGRADLAB_", "LC_", "LANG", "PYTEST_"))}
    alone = {} if plugins is None else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, "-c", PYTEST, "-q", *named, *options],
        cwd=folder,
        env={**kept, **alone, **(env or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def stranger(path: Path, lang: str) -> Path:
    """The teacher's notebook, run by stock tools with the language of the environment, and stored as they store it."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in STRANGER])
    for cell in notebook.cells:
        cell.metadata["tags"] = ["raises-exception"] if cell.source in ERRORS else []
    nbformat.write(notebook, path)
    run = [sys.executable, "-c", NBCONVERT, "--to", "notebook", "--execute", "--inplace", path.name]
    env = {**os.environ, "AUTOGRADLAB_LANG": lang, "AUTOGRADLAB_NO_PROGRESS": "1"}
    subprocess.run(run, cwd=path.parent, env=env, check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with questions of the teacher's own and a shipped lesson."""
    folder = tmp_path_factory.mktemp("their course")
    for own in ("questions", "checks"):
        shutil.copytree(ROOT / "tests" / "lab" / "sample" / own, folder / own)
    shutil.copy(copying.lessons_folder() / "zh" / "19-gradients-of-non-leaves.ipynb", folder / "ours.ipynb")
    return folder


def test_the_stranger_uses_every_inspector():
    calls = "\n".join(STRANGER)
    assert [n for n in inspectors.__all__ if n[0].islower() and "language" not in n and f"lab.{n}(" not in calls] == []


@pytest.mark.slow
@pytest.mark.turns(5)
@pytest.mark.parametrize("surroundings", SURROUNDINGS, ids=lambda s: next(iter(s.values())))
def test_a_strangers_notebook_and_a_copied_lesson(theirs: Path, surroundings: dict[str, str]):
    lang = ("en", "zh")[SURROUNDINGS.index(surroundings) % 2]
    names = [f"theirs-{lang}.ipynb", "ours.ipynb"]
    if not (theirs / names[0]).exists():
        stranger(theirs / names[0], lang)
    made = validate(theirs, "--autogradlab", "--autogradlab-guards", *names, env=surroundings)
    assert made.returncode == 0, made.stdout[-6000:]
    code = sum(c.cell_type == "code" for name in names for c in book.read(theirs / name).cells)
    assert f"{code + 2} passed" in made.stdout  # a guard a notebook
    assert book.language_of(book.read(theirs / names[0]), theirs / "x.ipynb") == lang


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook whose card says in which cell a tensor was made, run with a cell that is gone since."""
    folder = tmp_path_factory.mktemp("small")
    sources = [
        "1",
        "import autogradlab as torch\nfrom autogradlab import inspectors as lab",
        "a = torch.ones(2)",
        "lab.show(a)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{'abcd'[number]}"
    ran = book.execute(notebook, folder)
    del ran.cells[0]
    nbformat.write(ran, folder / "small.ipynb")
    return folder / "small.ipynb"


@pytest.fixture
def small(made_once: Path, tmp_path: Path) -> Path:
    """A copy of that notebook, to change."""
    return Path(shutil.copy(made_once, tmp_path))


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_cells_have_the_numbers_that_they_are_stored_with(small: Path):
    assert "cell [3], line 1" in small.read_text(encoding="utf-8")
    guarded = validate(small.parent, "--autogradlab-guards")
    assert "1 failed, 3 passed" in guarded.stdout  # the cells are as they are stored, the notebook is not whole
    assert "cell-b: execution count 2 where 1 is due" in guarded.stdout


def test_what_is_wrong_is_seen(small: Path):
    """A value that differs, and a picture that does."""
    wrong, picture = small.with_name("wrong.ipynb"), small.with_name("picture.ipynb")
    shutil.copy(small, wrong)
    change(wrong, "torch.ones(2)", "torch.zeros(2)")
    notebook = book.read(small)
    page = notebook.cells[2].outputs[0].data["text/html"]
    head, mark, rest = page.partition("base64,")
    notebook.cells[2].outputs[0].data["text/html"] = (
        head + mark + ("B" if rest[300] != "B" else "C").join([rest[:300], rest[301:]])
    )
    nbformat.write(notebook, picture)
    made = validate(small.parent, "--autogradlab")
    assert made.returncode == 1
    assert "Cell outputs differ" in made.stdout
    assert sorted(set(FAILED.findall(made.stdout))) == ["picture", "wrong"]


FAILED = re.compile(r"^FAILED (\w+)\.ipynb", re.MULTILINE)
GUARDED = {
    "untagged": ('"tags": []', '"tags": ["raises-exception"]', "tagged raises-exception but no error"),
    "exempt": ('"tags": []', '"tags": ["nbval-skip"]', "it is exempt from nbval"),
    "stripped": ('"execution_count": 1', '"execution_count": null', "execution count None where 1 is due"),
}


def test_guards(tmp_path: Path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("6 * 7", metadata={"tags": []})])
    nbformat.write(book.execute(notebook, tmp_path), tmp_path / "whole.ipynb")
    for name, (before, after, _) in GUARDED.items():
        change(Path(shutil.copy(tmp_path / "whole.ipynb", tmp_path / f"{name}.ipynb")), before, after)
    made = validate(tmp_path, "--autogradlab-guards")
    assert sorted(set(FAILED.findall(made.stdout))) == sorted(GUARDED)
    for _, _, words in GUARDED.values():
        assert words in made.stdout


@pytest.mark.parity
def test_on_torch(small: Path):
    made = validate(small.parent, "--autogradlab-torch")
    assert (made.returncode, "3 passed" in made.stdout) == (0, True), made.stdout
    change(small, "torch.ones(2)", "torch.tensor(torch.__name__ == 'torch')")  # what only PyTorch says
    assert validate(small.parent, "--autogradlab-torch").returncode == 1


def test_nothing_to_run_on_torch_is_said(tmp_path: Path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("6 * 7")])
    nbformat.write(book.execute(notebook, tmp_path), tmp_path / "a.ipynb")
    made = validate(tmp_path, "--autogradlab-torch", "-rs")
    assert "1 skipped" in made.stdout
    assert "no cell imports autogradlab" in made.stdout


def test_the_configuration_asks_too(small: Path):
    (small.parent / "pytest.ini").write_text("[pytest]\nautogradlab = nbval\n", encoding="utf-8")
    assert "3 passed" in validate(small.parent).stdout
    (small.parent / "pytest.ini").write_text("[pytest]\nautogradlab = nbvals\n", encoding="utf-8")
    made = validate(small.parent)
    assert made.returncode == 4
    assert "autogradlab = nbvals: there are nbval, guards, torch" in made.stderr


def test_nothing_happens_unasked(small: Path):
    (small.parent / "test_one.py").write_text(
        "import sys\n\ndef test_one():\n    assert not [m for m in sys.modules if m.split('.')[0] == 'autogradlab']\n",
        encoding="utf-8",
    )
    assert "1 passed" in validate(small.parent).stdout
    lax = validate(small.parent, "--autogradlab", "--nbval-lax")
    assert "leave --nbval-lax out" in lax.stdout + lax.stderr


def test_plain_nbval_that_fails_is_told_of_the_plugin(small: Path):
    change(small, "torch.ones(2)", "torch.zeros(2)")
    hint = "autogradlab: pytest --autogradlab gives each cell its stored number"
    made = validate(small.parent, "--nbval")
    assert (made.returncode, made.stdout.count(hint)) == (1, 1), made.stdout
    assert hint not in validate(small.parent, "--autogradlab").stdout


def test_each_notebook_is_collected_once(small: Path):
    assert "3 passed" in validate(small.parent, "--nbval", "--autogradlab", plugins=None).stdout


def test_without_nbval_it_says_so_only_when_asked(small: Path):
    (small.parent / "test_one.py").write_text("def test_one():\n    pass\n", encoding="utf-8")
    assert "1 passed" in validate(small.parent, plugins=()).stdout
    made = validate(small.parent, "--autogradlab", plugins=())
    assert made.returncode != 0
    assert 'pip install "autogradlab[author]"' in made.stdout + made.stderr


def test_our_conftest_only_names_the_plugin():
    text = (ROOT / "conftest.py").read_text(encoding="utf-8")
    assert 'pytest_plugins = ["pytest_autogradlab", ' in text
    assert "nbval" not in text
