"""Drafts and translations: what an author writes becomes a notebook, and a stale translation is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from autogradlab.lab import cli
from autogradlab.lab.author import book, pairs
from autogradlab.lab.author.pairs import DraftError, pack, unpack

DRAFT = """\
%% goals markdown role=goals
# 1 · Two

Two lines with `code`.

%% sum code role=run scenarios=graph-01-mul-add-chain,graph-04-mul-and-add
6 * 7

%% wrong code role=error tags=raises-exception
1 / 0
"""
CHINESE = "%% goals markdown\n# 1 · 二\n\n两行。\n"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A lesson in English, executed, and its translation."""
    draft, english, chinese = tmp_path / "d.txt", tmp_path / "en" / "01-two.ipynb", tmp_path / "zh" / "01-two.ipynb"
    draft.write_text(DRAFT, encoding="utf-8")
    assert cli.main(["lessons", "pack", str(draft), str(english)]) == 0
    assert cli.main(["lessons", "execute", str(english)]) == 0
    draft.write_text(CHINESE, encoding="utf-8")
    assert cli.main(["lessons", "pack", str(draft), str(chinese)]) == 0
    return english, chinese


def test_a_draft_becomes_a_notebook_and_back():
    notebook = pack(DRAFT)
    assert [(c["id"], c.cell_type) for c in notebook.cells] == [
        ("goals", "markdown"),
        ("sum", "code"),
        ("wrong", "code"),
    ]
    assert notebook.cells[1].metadata == {
        "autogradlab": {"role": "run", "scenarios": ["graph-01-mul-add-chain", "graph-04-mul-and-add"]}
    }
    assert notebook.cells[2].metadata == {"autogradlab": {"role": "error"}, "tags": ["raises-exception"]}
    assert unpack(notebook) == DRAFT


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        ("text\n" + DRAFT, "a draft begins with"),
        ("", "a draft begins with"),
        (DRAFT + "%% Big code\n", "begins no cell: '%% Big"),
    ],
)
def test_drafts_that_are_none(draft: str, words: str):
    with pytest.raises(DraftError, match=words):
        pack(draft)


def test_the_translation_has_the_code_and_outputs_of_the_lesson(pair: tuple[Path, Path]):
    english, chinese = map(book.read, pair)
    assert pairs.pair_problems(pair[1]) == []
    assert [c for c in english.cells if c.cell_type == "code"] == [c for c in chinese.cells if c.cell_type == "code"]
    assert "两行" in chinese.cells[0].source
    assert book.texts(chinese.cells[1]) == [("text/plain", "42")]


def test_a_stale_translation_is_seen(pair: tuple[Path, Path]):
    english, chinese = pair
    english.write_text(english.read_text(encoding="utf-8").replace("Two lines", "Three lines"), encoding="utf-8")
    stale = ["goals: the English cell has changed since it was translated"]
    assert pairs.pair_problems(chinese) == stale
    assert cli.main(["lessons", "sync", str(chinese)]) == 1  # the code is brought over, the words are not called fresh
    assert pairs.pair_problems(chinese) == stale
    assert cli.main(["lessons", "sync", "--fresh", "goals", str(chinese)]) == 0
    assert pairs.pair_problems(chinese) == []


def test_a_command_that_is_not_for_these_lessons_says_so(pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]):
    english, chinese = pair
    before = english.read_text(encoding="utf-8")
    for action, path in (("sync", english), ("sync", english.parent), ("execute", chinese), ("try", chinese.parent)):
        assert cli.main(["lessons", action, str(path)]) == 1
        assert f"{path}: `execute` and `try` are for lessons, `sync` is for" in "".join(capsys.readouterr())
    assert english.read_text(encoding="utf-8") == before


def test_code_and_outputs_that_differ_are_seen(pair: tuple[Path, Path]):
    chinese = pair[1]
    for before, after in (("6 * 7", "6 * 8"), ('"42"', '"43"'), ("graph-01-mul", "graph-02-mul")):
        text = chinese.read_text(encoding="utf-8")
        assert before in text
        chinese.write_text(text.replace(before, after), encoding="utf-8")
        assert "sum: code, metadata or printed text differ" in pairs.pair_problems(chinese)[0]
        assert cli.main(["lessons", "sync", str(chinese)]) == 0
        assert chinese.read_text(encoding="utf-8") == text


def test_cells_that_are_missing_or_more(pair: tuple[Path, Path]):
    with pytest.raises(DraftError, match="goals: not translated\nother: translates nothing"):
        pairs.packed("%% other markdown\nx\n", pair[1])
    chinese = book.read(pair[1])
    chinese.cells.pop()
    pair[1].write_text(book.normalise(chinese), encoding="utf-8")
    assert "not those of the English lesson" in pairs.pair_problems(pair[1])[0]


def test_english_left_in_a_translation_is_seen(pair: tuple[Path, Path]):
    text = pairs.packed(DRAFT.split("%% sum")[0], pair[1])
    pair[1].write_text(text, encoding="utf-8")
    assert pairs.pair_problems(pair[1]) == ["goals: not translated"]


def test_missing_partners(pair: tuple[Path, Path]):
    lessons = pair[0].parent.parent
    assert pairs.missing_translations(lessons) == []
    pair[0].rename(pair[0].with_name("02-else.ipynb"))
    assert pairs.missing_translations(lessons) == ["zh/02-else.ipynb is missing", "en/01-two.ipynb is missing"]
    assert pairs.pair_problems(pair[1]) == ["there is no English lesson of this name"]
