"""The web page's sources: every lesson, guide and namespace; cards without a kernel. Building it needs Sphinx."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, need

sys.path.append(str(ROOT / "tools"))
import address
import webpage


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("anywidget")
    folder = tmp_path_factory.mktemp("source")
    webpage.write(folder)
    return folder


def test_everything_is_there(source: Path):
    front = (source / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^((?:en|zh|guides|reference)/\S+|gallery|changelog)$", front, re.MULTILINE))
    for name in listed:
        assert any((source / f"{name}{end}").is_file() for end in (".md", ".ipynb")), name
    lessons = {f"{p.parent.name}/{p.stem}" for p in ROOT.glob("lessons/*/*.ipynb")}
    assert lessons <= listed
    assert {f"guides/{name.removesuffix('.md')}" for name in webpage.GUIDES} <= listed
    assert "mybinder.org/v2/gh/" + "/".join(address.address()) in front


def test_cards_are_drawn_without_a_kernel(source: Path):
    assert (source / "index.md").read_text(encoding="utf-8").count("data-agl-card") == 1
    gallery = (source / "gallery.md").read_text(encoding="utf-8")
    assert gallery.count("data-agl-card") == len(webpage.GALLERY)
    assert gallery.count("<noscript><figure") == len(webpage.GALLERY)
    assert (source / "_static" / "inspector.js").is_file()


def test_cards_name_tensors_as_the_lines_do():
    words = webpage.card_of("lab.step(y)")
    assert words.title == "y.backward()"
    assert "space" not in str(words)


def test_the_reference_says_what_help_says(source: Path):
    text = (source / "reference" / "torch.md").read_text(encoding="utf-8")
    assert re.search(r"^## gather\n\n````text\ngather\(", text, re.MULTILINE)
    assert text.count("\n## ") > 300


def test_lessons_hold_nothing_that_a_page_cannot_draw(source: Path):
    for path in source.glob("*/*.ipynb"):
        outputs = [o for c in json.loads(path.read_text(encoding="utf-8"))["cells"] for o in c.get("outputs", [])]
        assert not [k for o in outputs for k in o.get("data", {}) if k.startswith("application/vnd.")]


def test_what_a_page_would_fetch_is_seen(tmp_path: Path):
    (tmp_path / "a.html").write_text(
        '<script src="https://cdn.example/x.js"></script><a href="https://fine.example">x</a><img src="b.png">',
        encoding="utf-8",
    )
    assert len(webpage.fetched(tmp_path)) == 1


def test_guides_link_into_the_project():
    owner, name = address.address()
    text = webpage.guide("[a](authors.md) [b](class/values.yaml) [c](../lessons/README.md) [d](#e)")
    blob = f"https://github.com/{owner}/{name}/blob/main"
    assert text == f"[a](authors.md) [b]({blob}/docs/class/values.yaml) [c]({blob}/lessons/README.md) [d](#e)"
