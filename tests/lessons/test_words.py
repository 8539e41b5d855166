"""The guards of words: each kind of fault is seen, and the lessons have none."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

import autogradlab
from autogradlab.lab import copying
from autogradlab.lab.author import book, wording
from tests.conftest import ROOT

SAMPLE = ROOT / "tests" / "lab" / "sample"
EVERY = wording.tables(SAMPLE) | {"00-first": {"doubled": {"kind": "choice", "answer": "1"}}}
LESSONS = book.lesson_files()
GLOSSARY = tomllib.loads((copying.lessons_folder() / "glossary.toml").read_text(encoding="utf-8"))


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_words(path: Path):
    assert wording.problems(path, wording.tables()) == []
    assert wording.name_problems(book.read(path), autogradlab, set(GLOSSARY["absent"])) == []


def test_questions_and_checks_belong_to_lessons():
    stems = {p.stem for p in LESSONS}
    folder = copying.lessons_folder()
    files = [*folder.glob("questions/*"), *folder.glob("checks/*")]
    assert [f.name for f in files if f.stem not in stems and not f.name.startswith("__")] == []


# -- the guards see ----------------------------------------------------------------------------------------------------


def sample() -> dict[str, Any]:
    return copy.deepcopy(EVERY["01-sample"])


def test_the_sample_is_right():
    every = wording.tables(SAMPLE) | {"00-first": {"doubled": {"kind": "choice", "answer": "1"}}}
    entries = sample()
    assert wording.question_problems("01-sample", entries, every) == []


FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "one language": ("question is not in both languages", lambda e: e["doubled"]["question"].pop("zh")),
    "empty": ("why.zh is empty", lambda e: e["doubled"]["why"].update(zh=" ")),
    "english in chinese": ("why.zh is not Chinese", lambda e: e["doubled"]["why"].update(zh="Each of these adds")),
    "a single star": ("a single star", lambda e: e["doubled"]["question"].update(en="Is it *not* doubled?")),
    "half-width": ("half-width punctuation: 加,", lambda e: e["doubled"]["why"].update(zh="累加,不覆盖。")),
    "chinese in english": ("why.en is Chinese", lambda e: e["doubled"]["why"].update(en="累加")),
    "no feedback": ("a wrong choice has no feedback", lambda e: e["doubled"]["choices"][0].pop("feedback")),
    "feedback half": (
        "feedback of choices 1 is not in both",
        lambda e: e["doubled"]["choices"][0]["feedback"].pop("zh"),
    ),
    "unknown field": ("has no field 'hint'", lambda e: e["doubled"].update(hint="x")),
    "unknown kind": ("its kind is 'guess'", lambda e: e["doubled"].update(kind="guess")),
    "one choice": ("fewer than two choices", lambda e: e["doubled"]["choices"].__delitem__(slice(1, 3))),
    "typed answer": ("computed and typed in", lambda e: e["doubled"]["choices"][1].update(right=True)),
    "two right": ("more than one choice is right", lambda e: e["who-zeroes"]["choices"][0].update(right=True)),
    "syntax": ("answer is no Python", lambda e: e["doubled"].update(answer="1 +")),
    "two hints": ("three hints are needed, not 2", lambda e: e["zero-it"]["hints"].pop()),
    "hint half": ("hints 1 is not in both", lambda e: e["zero-it"]["hints"][0].pop("en")),
    "no solution": ("solution is missing", lambda e: e["zero-it"].pop("solution")),
    "property half": ("properties.same is not in both", lambda e: e["zero-it"]["properties"]["same"].pop("zh")),
    "quiz of two": ("three questions are needed, not 2", lambda e: e["recall"]["questions"].pop()),
    "quiz of nothing": ("no question 01-sample/who", lambda e: e["recall"]["questions"].__setitem__(0, "who")),
    "quiz of an order": ("which a quiz cannot ask", lambda e: e["recall"]["questions"].__setitem__(0, "firing")),
    "quiz without answer": ("has no answer of its own", lambda e: e["doubled"].pop("answer")),
    "quiz of today": ("none of its questions recalls an earlier lesson", lambda e: e["doubled"].pop("recalls")),
    "quiz of never": (
        "recalls 00/none, which no earlier lesson asks",
        lambda e: e["doubled"].update(recalls="00/none"),
    ),
    "name": ("no word-with-words", lambda e: e.update(Bad_Name=e["doubled"])),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_guard_of_questions_sees(fault: str, monkeypatch: pytest.MonkeyPatch):
    words, harm = FAULTS[fault]
    entries = sample()
    harm(entries)
    monkeypatch.setitem(EVERY, "01-sample", entries)
    assert any(words in said for said in wording.question_problems("01-sample", entries, EVERY))


def lesson(folder: Path, *cells: tuple[str, str]) -> Path:
    notebook = nbformat.v4.new_notebook()
    for number, (kind, source) in enumerate(cells):
        made = nbformat.v4.new_code_cell(source) if kind == "code" else nbformat.v4.new_markdown_cell(source)
        made["id"] = f"c-{'abcdefgh'[number]}"
        notebook.cells.append(made)
    path = folder / "en" / "01-sample.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)
    return path


def test_what_cells_use_is_seen(tmp_path: Path):
    every = {"01-sample": {"zero-it": sample()["zero-it"], "doubled": sample()["doubled"]}, "02-more": {"doubled": {}}}
    path = lesson(tmp_path, ("code", "%time 1\npredict('doubled'); predict('03/none'); quiz('zero-it')"))
    assert wording.used_problems(path, every) == [
        "predict('doubled'): it is in 01-sample, 02-more",
        "predict('03/none'): there is no such entry",
        "quiz('zero-it'): the entry is of the kind 'exercise'",
        "zero-it: no cell has check('zero-it')",
        "checks/01-sample.py has no function zero_it",
    ]
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "01-sample.py").write_text("def zero_it(zero): ...\ndef other(x): ...\ndef _helper(): ...\n")
    path = lesson(tmp_path, ("code", "check('zero-it')\nsolution('zero-it')"))
    assert wording.used_problems(path, every) == [
        "doubled: no cell asks it",
        "solution(...) in a cell gives help unasked; the check's card has buttons",
        "checks/01-sample.py: other checks nothing",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# One\n## Two\n### Three\n## Two\n", None),
        ("## Two\n", "level 2 after one of level 0"),
        ("# One\n### Three\n", "level 3 after one of level 1"),
        ("# One\n# Again\n", "second heading"),
        ("words\n```\n# a comment\n```\n", "there is no heading"),
    ],
)
def test_headings(tmp_path: Path, text: str, words: str | None):
    found = wording.heading_problems(book.read(lesson(tmp_path, ("markdown", text))))
    assert found == [] if words is None else any(words in f for f in found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# A b\n[here](#A-b) [there](https://pytorch.org/docs) [self](01-sample.ipynb) `[x](y)`", None),
        ("[gone](02-none.ipynb)", "there is no 02-none.ipynb"),
        ("[gone](#nowhere)", "no heading for #nowhere"),
        ("[](https://pytorch.org)", "a link without words"),
        ("![](figure.svg)", "a picture without words"),
        ('<img src="figure.svg">', "a picture without words"),
        ("[old](http://pytorch.org)", "not an https address"),
        ("![a](attachment:x.png)", "files, not attachments"),
    ],
)
def test_links(tmp_path: Path, text: str, words: str | None):
    found = wording.link_problems(lesson(tmp_path, ("markdown", text)))
    assert found == [] if words is None else any(words in f for f in found)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# 标题\n**预测。** 得到*什么*？", False),
        ("**预测**：得到 2 * 3、`a ** b`、“*引文*”。\n\n* 一\n* 二", False),
        ("**预测：**得到什么？", True),
        ("说的是*`x` 的元素*。", True),
        ("**没有结束", True),
    ],
)
def test_emphasis(tmp_path: Path, text: str, shown: bool):
    found = wording.emphasis_problems(book.read(lesson(tmp_path, ("markdown", text))))
    assert bool(found) is shown, found


def test_chinese_punctuation(tmp_path: Path):
    right = lesson(tmp_path, ("markdown", "猜一猜，`f(x),y`：[对](a.ipynb)，(2, 3)，(3,)，1,000，3.14；a, b"))
    assert wording.punctuation_problems(book.read(right)) == []
    wrong = lesson(tmp_path, ("markdown", "猜,对吗?不(对)"))
    assert len(wording.punctuation_problems(book.read(wrong))) == 4
    wrong = lesson(tmp_path, ("markdown", "*张量*(tensor)\n\n变成 0?\n\n| 变成 `6`? |\n\nw = 1,x = 2"))
    assert len(wording.punctuation_problems(book.read(wrong))) == 4


def test_code_names(tmp_path: Path):
    notebook = book.read(
        lesson(tmp_path, ("markdown", "`torch.zeros(2)`, `torch.nn.Linear`, `torch.zerros`, `torch.zero`"))
    )
    assert wording.name_problems(notebook, autogradlab, {"torch.zero"}) == ["c-a: there is no torch.zerros"]
