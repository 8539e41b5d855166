"""One term for one thing, in both languages and everywhere that somebody reads."""

from __future__ import annotations

from typing import Any

import pytest

from autogradlab.lab.author import glossary
from tests.conftest import ROOT

TERMS = glossary.terms()
GUIDES = {
    "en": [
        ROOT / "README.md",
        *(ROOT / "docs" / f"{name}.md" for name in ("instructors", "authors", "class", "hosts")),
    ],
    "zh": [ROOT / "docs" / "instructors.zh.md", ROOT / "autogradlab" / "lab" / "author" / "skeleton.py"],
}


def lesson_prose(language: str) -> dict[str, str]:
    """The words of each lesson, its questions included."""
    found: dict[str, str] = {}
    for where, text in glossary.surfaces(language):
        stem = where.removeprefix(f"{language}/").partition("#")[0].partition(".")[0]
        if not where.startswith("words/"):
            found[stem] = f"{found.get(stem, '')}\n{text}"
    return found


def test_there_are_terms_enough():
    assert len(TERMS) >= 60
    assert all({"en", "zh", "lesson"} <= set(term) for term in TERMS.values())
    assert len({term["en"] for term in TERMS.values()}) == len({term["zh"] for term in TERMS.values()}) == len(TERMS)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_surface_says_a_term_another_way(language: str):
    texts = list(glossary.surfaces(language, GUIDES[language]))
    places = {where.partition("/")[0] for where, _ in texts}
    assert {language, "words"} <= places and len(texts) > 1500
    assert glossary.forbidden(iter(texts), language, TERMS) == []


def test_stored_outputs_say_the_terms():
    texts = list(glossary.stored())
    assert len(texts) > 300
    assert glossary.forbidden(iter(texts), "zh", TERMS) == []


def test_lessons_have_their_terms_in_both_languages():
    chinese = lesson_prose("zh")
    pairs = [(stem, text, chinese[stem]) for stem, text in lesson_prose("en").items()]
    assert len(pairs) == 25
    assert glossary.unpaired(pairs, TERMS) == []


def test_the_other_name_of_accumulation_is_met_once():
    """Texts say 梯度累积 for gradient accumulation over batches: lesson 16 tells of it, beside 梯度累加."""
    said = [where for where, text in glossary.surfaces("zh", GUIDES["zh"]) for _ in range(text.count("梯度累积"))]
    assert said == ["zh/16-accumulation-and-zeroing#purpose-text"]


TERM: dict[str, dict[str, Any]] = {
    "leaf": {
        "en": "leaf",
        "match": "leaf|leaves",
        "zh": "叶子",
        "lesson": "01",
        "never": ["叶节点"],
        "never_en": ["roads?"],
    }
}


def test_the_guard_sees():
    assert glossary.unpaired([("01-a", "two leaves", "两个叶子")], TERM) == []
    assert "never says" in glossary.unpaired([("01-a", "two leaves", "两个")], TERM)[0]
    assert "lesson 01 does not say" in glossary.unpaired([("01-a", "trees", "树")], TERM)[0]
    assert "'叶节点'" in glossary.forbidden(iter([("here", "叶子，叶节点")]), "zh", TERM)[0]
    assert "'roads'" in glossary.forbidden(iter([("here", "two roads")]), "en", TERM)[0]
    assert glossary.forbidden(iter([("here", "broadcast")]), "en", TERM) == []
    assert glossary.table("zh", TERM).splitlines()[2] == "| 叶子 | leaf | 01 |"
