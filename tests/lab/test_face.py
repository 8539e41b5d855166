"""What is shown: the same in text, HTML and widget; hostile words stay words; no widget is needed."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from autogradlab import lab
from autogradlab.inspectors import set_language
from autogradlab.lab import check, exercises, face, memory, parsons, predict, progress, quiz, solution
from tests.conftest import need

BAD = "<img src=x onerror=alert(1)> **<b>** `</code>` &amp;"


class Tags(HTMLParser):
    """The tags of a page and its text; it raises on tags that are not closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


class Hostile(face.Face):
    kind = "hint"

    def tasks(self) -> list[dict[str, Any]]:
        rows = [{"key": "a", "text": BAD}]
        return [
            face.task(
                "x",
                BAD,
                code=BAD,
                status=BAD,
                state="open",
                blocks=[face.block(BAD), face.code(BAD)],
                input={"is": kind, "rows": rows, "picked": "", "locked": False},
            )
            for kind in ("choice", "order", "lines")
        ]


def test_hostile_words_stay_words():
    page = Tags(Hostile().html)
    assert set(page.seen) <= {"div", "p", "strong", "code", "pre", "ol", "ul", "li", "span", "em", "br"}
    assert page.words.count("<img src=x onerror=alert(1)>") == 18
    assert page.words.count("&amp;") == 18


def test_characters_that_turn_or_hide_are_shown_by_their_numbers(torch: Any):
    def zero(w: Any) -> None:
        raise ValueError("a\u202eb\x00c\x1b[31m")

    made = check("zero-it", zero)
    for shown in (made.text, made.html, repr(made.view())):
        assert "a‹U+202E›b�c�[31m" in shown
    asked = predict("how-much")
    asked.asked.given = "\u202e1"
    assert asked.view()["tasks"][0]["input"]["value"] == "\u202e1"  # in the field: as it was typed


@pytest.mark.parametrize(
    "make",
    [
        lambda: predict("doubled"),
        lambda: predict("firing"),
        lambda: quiz("recall"),
        lambda: parsons("descend"),
        lambda: check("zero-it"),
        lambda: solution("zero-it"),
        progress,
    ],
)
def test_html_says_what_the_text_says(sample: Path, make: Any):
    shown = make()
    said = "".join(Tags(shown.html).words.split())
    for line in shown.text.replace("`", "").splitlines():
        words = line.split(") ", 1)[-1] if line.startswith("  ") else line
        assert "".join(words.split()) in said or "".join(words.split()[1:]) in said


def test_without_anywidget_there_are_words(sample: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "autogradlab.lab.widget", raising=False)
    monkeypatch.delattr("autogradlab.lab.widget", raising=False)  # where another test has loaded it
    bundle = predict("doubled")._repr_mimebundle_()
    assert sorted(bundle) == ["text/html", "text/plain"]


@pytest.mark.skipif(importlib.util.find_spec("anywidget") is None, reason="anywidget is missing: pip install anywidget")
def test_a_widget_shows_and_answers(sample: Path):
    need("anywidget")
    from autogradlab.lab.widget import VIEW

    prediction = predict("doubled")
    bundle, metadata = prediction._repr_mimebundle_(include=None, exclude=None)
    assert metadata == {}
    assert set(bundle) == {"text/html", "text/plain", VIEW, memory.CARD}
    (widget,) = prediction._widgets
    assert repr(widget) == "LabWidget(predict)"
    assert widget.view["tasks"][0]["state"] == "open"
    assert "6" not in str(widget.view["tasks"][0].get("blocks"))
    for message in ("hello", None, [], {"do": "dance"}, {"do": "submit", "value": "q"}):
        widget._handle_custom_msg(message, [])
    assert widget.view["tasks"][0]["state"] == "open"
    assert "q is not one of the choices" in widget.view["tasks"][0]["blocks"][0]["text"]
    widget._handle_custom_msg({"do": "submit", "task": "doubled", "value": "b"}, [])
    assert prediction.state == "right"
    assert widget.view["tasks"][0]["state"] == "right"


def test_marks_in_text_and_html(sample: Path):
    shown = predict("doubled", guess="b")
    assert shown.text.endswith("Each `backward()` adds to `.grad`.")
    assert shown.html.endswith("<p>Each <code>backward()</code> <strong>adds</strong> to <code>.grad</code>.</p></div>")


@pytest.mark.parametrize("module", ["exercises", "film", "predictions", "puzzles", "quizzes", "records"])
def test_examples_print_what_they_say(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRADLAB_NO_PROGRESS", "1")
    memory.clear()
    for remembered in (exercises._hints, exercises._tries, exercises._asked):
        remembered.clear()
    set_language("en")
    try:
        found = doctest.testmod(importlib.import_module(f"autogradlab.lab.{module}"), globs={"__name__": "__main__"})
    finally:
        set_language(None)
    assert found.attempted >= 2 and found.failed == 0


def test_every_name_has_an_example() -> None:
    assert [name for name in lab.__all__ if ">>>" not in (getattr(lab, name).__doc__ or "")] == []
