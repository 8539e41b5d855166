"""Every public name has a help text with a signature and an example that prints what it says."""

from __future__ import annotations

import ast
import atexit
import inspect
import json
import pydoc
import subprocess
import sys
from typing import Any

import pytest

import autogradlab
from autogradlab.core.runtime.help import Help
from autogradlab.ops.reference import describing, texts
from autogradlab.ops.table.families import FUNCTIONS
from tests import recorded
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import helptexts

PUBLIC = helptexts.public(autogradlab)
for more in helptexts.MORE:
    place = helptexts.owner(autogradlab, more)
    PUBLIC.update({f"{more}.{name}": getattr(place, name) for name in place.__all__})
ENTRIES = sorted({entry.path: entry for entry in texts.entries().values()}.items())
#: namespaces whose texts say what shapes go in and come out
TENSOR_SPACES = ("fft", "nn.functional")


def test_every_public_name_has_a_text():
    assert helptexts.missing(autogradlab) == []


def test_every_public_name_shows_its_text():
    """What `help` reads is the text, with a signature wherever the name is a function."""
    wrong = []
    for path, value in helptexts.public(autogradlab).items():
        doc = inspect.getdoc(value) or ""
        if ">>> import autogradlab as torch" not in doc or "Mirrors `torch." not in doc:
            wrong.append(path)
        elif inspect.isfunction(value) and "(*args, **kwargs)" in str(inspect.signature(value)):
            wrong.append(f"{path}{inspect.signature(value)}")
    assert wrong == []


def space(path: str) -> str:
    return path.rpartition(".")[0]


def differing(lib: Any, namespace: str) -> list[str]:
    """Where the example of a name of this namespace prints something else than its text says."""
    wrong = []
    for path, value in PUBLIC.items():
        example = helptexts.example(inspect.getdoc(value) or "") if space(path) == namespace else ""
        got = recorded.settled(helptexts.run(example, lib), example, "examples", path)
        if got != example:
            wrong.append(f"{path}\n--- says\n{example}\n--- prints\n{got}")
    return wrong


@pytest.mark.parametrize("namespace", [*helptexts.SPACES, *helptexts.MORE])
def test_examples_print_what_they_say(namespace: str):
    assert (apart if namespace == "masked" else differing_here)(namespace) == []


def differing_here(namespace: str) -> list[str]:
    return differing(autogradlab, namespace)


def apart(namespace: str) -> list[str]:
    """The same in a process of its own: from the first MaskedTensor on, every operation asks whom it is given."""
    program = (
        f"import json, sys; sys.path.append({str(ROOT)!r}); from tests.docs.test_docs import differing_here; "
        f"print(json.dumps(differing_here({namespace!r})))"
    )
    told = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    found: list[str] = json.loads(told.stdout)
    return found


@pytest.mark.parity
@pytest.mark.parametrize("namespace", [*helptexts.SPACES, *helptexts.MORE])
def test_examples_print_the_same_on_torch(namespace: str, torch: Any):
    assert differing(torch, namespace) == []


def test_a_wrong_example_is_noticed():
    assert helptexts.run(">>> torch.ones(2)\ntensor([1., 2.])", autogradlab) == ">>> torch.ones(2)\ntensor([1., 1.])"
    assert "ZeroDivisionError" in helptexts.run(">>> 1 / 0", autogradlab)


def test_an_example_that_raises_unsaid_stays_as_it_is():
    raising: list[str] = []
    meant = ">>> 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: division by zero"
    assert helptexts.renewed(meant, autogradlab, raising) == meant
    assert helptexts.renewed(">>> 1 + 1", autogradlab, raising) == ">>> 1 + 1\n2"
    assert raising == []
    assert helptexts.renewed(f"{meant}\n>>> 2 + 2\n>>> nothing\n4", autogradlab, raising).endswith(
        "2 + 2\n>>> nothing\n4"
    )
    assert raising == ["NameError: name 'nothing' is not defined"]


def test_texts_are_of_names_that_exist():
    known = set(helptexts.public(autogradlab))
    for space in helptexts.SPACES:
        known |= {f"{space}.{name}" if space else name for name in dir(helptexts.owner(autogradlab, space))}
    assert sorted(set(texts.entries()) - known) == []


def test_texts_are_complete():
    wrong = []
    for path, entry in ENTRIES:
        if not entry.text and texts.base(path) is None:
            wrong.append(f"{path} says nothing")
        elif (
            entry.text and path in FUNCTIONS and "Tensor" in (entry.result or "Tensor") and "Shapes: " not in entry.text
        ):
            wrong.append(f"{path} says nothing of shapes")
        if not entry.example.startswith(">>> ") or not any(out for _, out in helptexts.statements(entry.example)):
            wrong.append(f"{path} has no example that prints")
    assert wrong == []


@pytest.mark.parametrize("package", ["nn", "optim"])
def test_every_public_class_and_function_has_a_docstring(package: str):
    """Methods too, forward and extra_repr included."""
    missing = []

    def look(body: list[ast.stmt], path: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                if ast.get_docstring(node) is None:
                    missing.append(f"{path}:{node.name}")
                if isinstance(node, ast.ClassDef):
                    look(node.body, f"{path}:{node.name}")

    files = sorted((ROOT / "autogradlab" / package).rglob("*.py"))
    assert files
    for file in files:
        look(ast.parse(file.read_text(encoding="utf-8")).body, str(file.relative_to(ROOT)))
    assert missing == []


def test_functions_of_tensors_say_their_shapes():
    docs = {path: inspect.getdoc(value) or "" for path, value in PUBLIC.items() if space(path) in TENSOR_SPACES}
    assert len(docs) > 100
    assert [path for path, doc in docs.items() if "Shapes: " not in doc] == []


def test_no_name_has_two_texts():
    heads = [name for _, entry in ENTRIES for name in entry.names]
    assert len(heads) > 500
    assert sorted(name for name in set(heads) if heads.count(name) > 1) == []


# -- signatures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("gather", "(input, dim, index, *, sparse_grad=False, out=None) -> Tensor"),
        ("sort", "(input, dim=-1, descending=False, *, out=None) -> (values, indices)"),
        (
            "Tensor.new_zeros",
            "(self, /, *size, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False) -> Tensor",
        ),
        ("linalg.det", "(A, *, out=None) -> Tensor"),
        ("median", "(input) -> Tensor"),
    ],
)
def test_signatures(path: str, expected: str):
    space, _, name = path.rpartition(".")
    assert str(inspect.signature(getattr(helptexts.owner(autogradlab, space), name))) == expected


def test_a_bound_method_has_the_signature_without_its_tensor():
    assert str(inspect.signature(autogradlab.ones(2).gather)).startswith("(dim, index, *, sparse_grad=False")


# -- how it is seen ----------------------------------------------------------------------------------------------------


def test_all_overloads_are_shown():
    heads = (autogradlab.max.__doc__ or "").split("\n\n")[0].split("\n")
    assert heads == [
        "max(input, *, out=None) -> Tensor",
        "max(input, other, *, out=None) -> Tensor",
        "max(input, dim, keepdim=False, *, out=None) -> (values, indices)",
        "Tensor.max() -> Tensor",
        "Tensor.max(other) -> Tensor",
        "Tensor.max(dim, keepdim=False) -> (values, indices)",
    ]


def test_help_shows_signature_text_and_example():
    shown = pydoc.plain(pydoc.render_doc(autogradlab.gather))
    for part in (
        "gather(input, dim, index, *, sparse_grad=False, out=None) -> Tensor",
        "Tensor.gather(dim, index,",
        "The elements along dim",
        "Shapes:",
        "tensor([[1, 1],",
        "GatherBackward0",
        "Mirrors `torch.gather`.",
    ):
        assert part in shown


def test_a_notebook_shows_it():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    atexit.unregister(shell.atexit_operations)  # at exit it would search the whole process for garbage
    found = shell.inspector.info(autogradlab.gather, "torch.gather", detail_level=1)
    assert found["definition"] == "torch.gather(input, dim, index, *, sparse_grad=False, out=None) -> Tensor"
    assert "The elements along dim" in found["docstring"]
    assert "index" in found["source"]


def test_completion_shows_it():
    jedi = pytest.importorskip("jedi")
    (found,) = jedi.Interpreter("torch.gather(", [{"torch": autogradlab}]).get_signatures()
    assert found.to_string() == "gather(input, dim, index, *, sparse_grad=False, out=None) -> Tensor"


def test_the_text_is_a_string():
    text = autogradlab.gather.__doc__
    plain = describing.describe("gather")
    assert isinstance(text, str)
    assert (str(text), f"{text}", text.upper(), len(text), text + "!", "!" + text) == (
        plain,
        plain,
        plain.upper(),
        len(plain),
        plain + "!",
        "!" + plain,
    )
    assert text == plain == text[:] == "".join(text)
    assert "elements along dim" in text
    assert hash(text) == hash(plain)
    assert repr(text) == repr(plain)


def test_an_unknown_name_has_its_own_words():
    def no_such_name() -> None: ...

    no_such_name.__doc__ = Help("no_such_name", "Own words.")
    assert inspect.getdoc(no_such_name) == "Own words.\n\nMirrors `torch.Tensor.no_such_name`."


def test_texts_are_read_only_when_somebody_looks():
    code = (
        "import autogradlab, sys; print('autogradlab.ops.reference.texts' in sys.modules); "
        "autogradlab.gather.__doc__.strip(); print('autogradlab.ops.reference.texts' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "True"]
