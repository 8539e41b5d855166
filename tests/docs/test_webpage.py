"""The web page's sources: every lesson, guide and namespace; cards without a kernel. Building it needs Sphinx."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from autogradlab import inspectors
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
    listed = set(re.findall(r"^((?:en|zh|guides|reference)/\S+|gallery|differences|changelog)$", front, re.MULTILINE))
    for name in listed:
        assert any((source / f"{name}{end}").is_file() for end in (".md", ".ipynb")), name
    lessons = {f"{p.parent.name}/{p.stem}" for p in ROOT.glob("lessons/*/*.ipynb")}
    assert lessons <= listed
    assert {f"guides/{name.removesuffix('.md')}" for name in webpage.GUIDES} <= listed
    assert "mybinder.org/v2/gh/" + "/".join(address.address()) in front


def test_who_shortens_an_address_finds_what_is_there(source: Path):
    for folder, ends in {"en": ".ipynb", "zh": ".ipynb", "guides": ".md", "reference": ".md"}.items():
        index = (source / folder / "index.md").read_text(encoding="utf-8")
        found = {f"{folder}/{name}" for name in re.findall(rf"\]\((?:\.\./{folder}/)?([^/)]+)\)", index)}
        assert found == {f"{folder}/{p.name}" for p in source.glob(f"{folder}/*{ends}") if p.stem != "index"}
    assert "[梯度" in (source / "zh" / "index.md").read_text(encoding="utf-8").replace("16 · ", "")
    both = (source / "lessons" / "index.md").read_text(encoding="utf-8")
    assert re.search(r"^- \[16 · .*\]\(\.\./en/16-.*\) · \[16 · .*\]\(\.\./zh/16-.*\)$", both, re.MULTILINE)


def test_pages_have_an_icon(source: Path):
    (icon,) = re.findall(r'html_favicon = "(.+)"', (source / "conf.py").read_text(encoding="utf-8"))
    assert (source / icon).read_text(encoding="utf-8").startswith("<svg")


def test_nothing_is_left_beside_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def sphinx(command: list[str]) -> subprocess.CompletedProcess[str]:
        built = Path(command[-1])
        for made in (built, built.parent / "jupyter_execute"):
            made.mkdir()
        (built / "index.html").write_text(WELL, encoding="utf-8")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(webpage, "write", lambda folder: None)
    monkeypatch.setattr(webpage.subprocess, "run", sphinx)
    assert webpage.main(["--to", str(tmp_path / "site")]) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["site"]
    assert [p.name for p in (tmp_path / "site").glob("4*")] == ["404.html"]


def test_cards_are_drawn_without_a_kernel(source: Path):
    assert (source / "index.md").read_text(encoding="utf-8").count("data-agl-card") == 1
    gallery = (source / "gallery.md").read_text(encoding="utf-8")
    assert gallery.count("data-agl-card") == len(webpage.GALLERY)
    assert gallery.count("<noscript><figure") == len(webpage.GALLERY)
    assert (source / "_static" / "inspector.js").is_file()


def test_cards_name_tensors_as_the_lines_do():
    words = webpage.card_of("lab.step(y)")
    assert words.title == "y.backward()"
    assert "a = torch.mul(w, x)" in str(words)  # it is stepped through line by line
    assert "space" not in str(words)


def test_the_reference_says_what_help_says(source: Path):
    text = (source / "reference" / "torch.md").read_text(encoding="utf-8")
    assert re.search(r"^## gather\n\n````text\ngather\(", text, re.MULTILINE)
    assert text.count("\n## ") > 300
    text = (source / "reference" / "torch.nn.functional.md").read_text(encoding="utf-8")
    assert "## l1_loss\n\n````text\nl1_loss(input, target, size_average=None, reduce=None, reduction='mean'" in text
    assert "## wrap\n" not in (source / "reference" / "torch.func.md").read_text(encoding="utf-8")
    pages = {path: (source / "reference" / f"{path}.md").read_text(encoding="utf-8") for path in webpage.REFERENCE}
    assert [path for path, text in pages.items() if "\n## " not in text] == []
    assert set(inspectors.__all__) <= set(re.findall("^## (.+)$", pages["autogradlab.inspectors"], re.MULTILINE))


def test_lessons_lead_to_themselves_and_to_the_other_language(source: Path):
    cell = json.loads((source / "zh" / "14-backward.ipynb").read_text(encoding="utf-8"))["cells"][0]["source"]
    assert '<a href="../lite/lab/index.html?path=zh/14-backward.ipynb">' in cell
    assert "[English](../en/14-backward.ipynb)" in cell


def test_lessons_hold_nothing_that_a_page_cannot_draw(source: Path):
    for path in source.glob("*/*.ipynb"):
        outputs = [o for c in json.loads(path.read_text(encoding="utf-8"))["cells"] for o in c.get("outputs", [])]
        assert not [k for o in outputs for k in o.get("data", {}) if k.startswith("application/vnd.")]


def test_figures_have_words(source: Path):
    for path in sorted(source.glob("*/[0-9]*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        shown = [c for c in cells if any("image/png" in o.get("data", {}) for o in c.get("outputs", []))]
        assert all(len(c["metadata"]["mystnb"]["image"]["alt"]) > 20 for c in shown), path


def test_every_inspector_is_in_the_gallery(source: Path):
    from autogradlab import inspectors

    shown = {name for name, _, _ in webpage.GALLERY}
    assert shown == set(inspectors.__all__) - {"Inspector", "language", "set_language"}
    for name, _, lines in webpage.GALLERY:
        assert f"lab.{name}(" in lines


def test_what_differs_is_a_page(source: Path):
    page = (source / "differences.md").read_text(encoding="utf-8")
    known = tomllib.loads((ROOT / "tests" / "docs" / "differences.toml").read_text(encoding="utf-8"))["difference"]
    assert page.count("\n## ") == len(known) + 1
    assert "### torch.nn\n" in page
    assert "`DataParallel`" in page
    assert '<a href="lite/lab/index.html?path=zh/00-welcome.ipynb">' in (source / "index.md").read_text(
        encoding="utf-8"
    )


WELL = '<html lang="en"><h1>A</h1><h2 id="b">B</h2><a href="#b">down</a><img src="x.png" alt="x"></html>'


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        (' lang="en"', "", "it is in no language"),
        ("<h2", "<h3", "a heading skips from 1 to 3"),
        ("<h1>A</h1>", "", "it has not one title"),
        (' alt="x"', "", "a picture without words: x.png"),
        ("#b", "#c", "#c: there is no such mark"),
        ("#b", "away.html", "nothing is at away.html"),
        ("#b", "https://nobody.example/x", "an unknown host: https://nobody.example/x"),
        (">down<", "><", "a link that says nothing, to #b"),
        ("x.png", "https://cdn.example/x.png", "fetched from elsewhere: https://cdn.example/x.png"),
        ("#b", "https://github.com/{}/{}/blob/main/no/such.py", "nothing is at https://github.com/{}/{}/blob/main/no"),
    ],
)
def test_what_is_wrong_with_a_page_is_seen(before: str, after: str, fault: str, tmp_path: Path):
    (tmp_path / "index.html").write_text(WELL, encoding="utf-8")
    assert webpage.faults(tmp_path) == []
    own = address.address()
    (tmp_path / "index.html").write_text(WELL.replace(before, after.format(*own)), encoding="utf-8")
    (found,) = webpage.faults(tmp_path)
    assert found.startswith(f"index.html: {fault.format(*own)}")


def test_a_folder_without_a_first_page_is_seen(tmp_path: Path):
    for name in ("index.html", "zh/a.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(WELL, encoding="utf-8")
    assert webpage.faults(tmp_path) == ["zh: it has no first page"]


def test_pages_are_finished(tmp_path: Path):
    for name in ("zh/a.html", "en/a.html", "guides/b.zh.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(WELL, encoding="utf-8")
    webpage.finish(tmp_path)
    spoken = {
        p.relative_to(tmp_path).as_posix(): webpage.Page(p.read_text("utf-8")).language
        for p in tmp_path.rglob("*.html")
    }
    assert spoken == {"zh/a.html": "zh", "en/a.html": "en", "guides/b.zh.html": "zh"}
    (tmp_path / "en" / "a.html").write_text(
        '<th class="head"><p></p></th><th class="head"><p>x</p></th>', encoding="utf-8"
    )
    webpage.finish(tmp_path)
    assert (tmp_path / "en" / "a.html").read_text("utf-8") == '<td></td><th class="head"><p>x</p></th>'


def test_what_stands_around_a_chinese_page_is_chinese(tmp_path: Path):
    text = (
        '<html class="no-js" lang="en"><a class="skip">Skip to content</a><input placeholder="Search">'
        '<p class="caption"><span>Lessons</span></p><li><a href="a.html">Welcome</a></li>'
        '<article id="main"><h1>Search<a title="Link to this heading">¶</a></h1><code>Next</code></article>'
        '<div class="context"><span>Next</span></div><div>\n Made with <a>Furo</a></div></html>'
    )
    for folder in ("zh", "en"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.html").write_text(text, encoding="utf-8")
    webpage.finish(tmp_path)
    assert (tmp_path / "en" / "a.html").read_text("utf-8") == text
    assert (tmp_path / "zh" / "a.html").read_text("utf-8") == (
        '<html class="no-js" lang="zh"><a class="skip">跳到正文</a><input placeholder="搜索">'
        '<p class="caption"><span>英文课程</span></p><li><a href="a.html">Welcome</a></li>'
        '<article id="main"><h1>Search<a title="本节的链接">¶</a></h1><code>Next</code></article>'
        '<div class="context"><span>下一页</span></div><div>\n 制作： <a>Furo</a></div></html>'
    )


def test_guides_link_into_the_project():
    owner, name = address.address()
    text = webpage.guide("[a](authors.md) [b](class/values.yaml) [c](../lessons/README.md) [d](#e)")
    blob = f"https://github.com/{owner}/{name}/blob/main"
    assert text == f"[a](authors.md) [b]({blob}/docs/class/values.yaml) [c]({blob}/lessons/README.md) [d](#e)"
