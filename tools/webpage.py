"""The project's web page, built by one command: front page, lessons in both languages, gallery, guides, reference.

    python tools/webpage.py [--to site]

Needs the `docs` extra. Everything is made from what the project has: cards are drawn by the inspectors' own module,
lessons are the stored notebooks, the reference is what `help()` says. Warnings are errors, and nothing on a page is
fetched from elsewhere.
"""

from __future__ import annotations

import argparse
import inspect
import json
import pydoc
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from html import escape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import address
from lookat import notebook

from autogradlab.lab import copying

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "autogradlab" / "inspectors" / "static"
GUIDES = ("authors.md", "instructors.md", "instructors.zh.md", "class.md", "hosts.md")
#: The namespaces of the reference: our own, then those that PyTorch has.
REFERENCE = (
    "autogradlab.inspectors", "autogradlab.lab", "torch", "torch.Tensor", "torch.autograd",
    "torch.autograd.functional", "torch.autograd.graph", "torch.autograd.forward_ad", "torch.nn",
    "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.parametrize", "torch.nn.utils.rnn",
    "torch.optim", "torch.optim.lr_scheduler", "torch.linalg", "torch.fft", "torch.special", "torch.distributions",
    "torch.random", "torch.func", "torch.utils.benchmark", "torch.utils.data", "torch.utils.checkpoint",
    "torch.amp", "torch.testing",
)  # fmt: skip
#: Sentences of help texts and messages, and commands with what is said of them, are read whole, on phones too, where
#: pictures of cards are panned: shrunk to such a page, their words would be half as high as its own. Frames of cells
#: are as quiet in the dark as in the light.
WRAPPED = """
:is(.highlight-text, .highlight-sh) pre { white-space: pre-wrap; overflow-wrap: anywhere; }
figure[lang] { overflow-x: auto; }
figure[lang] > img { min-width: 36rem; }
body { --mystnb-source-border-color: var(--color-background-border); }
"""
CONF = """\
import re

from sphinx.search import SearchEnglish, languages


class Both(SearchEnglish):
    "Words of English; of Chinese, which has no spaces between words, every two characters that are neighbours."

    js_splitter_code = r'''PAIRS'''

    def split(self, input):
        for word in re.findall(r"[\u3400-\u9fff]+|[^\\W\u3400-\u9fff]+", input):
            pairs = word[0] >= "\u3400" and len(word) > 1
            yield from (a + b for a, b in zip(word, word[1:])) if pairs else [word]


languages["en"] = Both
project = "autogradlab"
author = "The autogradlab developers"
extensions = ["myst_nb"]
html_theme = "furo"
pygments_dark_style = "a11y-high-contrast-dark"
html_title = "autogradlab"
html_static_path = ["_static"]
html_favicon = "_static/icon.svg"
html_css_files = ["theme.css", "inspector.css"]
html_js_files = ["scroll.js"]
html_show_sphinx = False
html_show_copyright = False
nb_execution_mode = "off"
nb_output_stderr = "show"
nb_mime_priority_overrides = [("html", "application/vnd.autogradlab.card.v1+json", 0)]
myst_heading_anchors = 4
myst_enable_extensions = ["fieldlist"]
nitpicky = True
exclude_patterns = []
suppress_warnings = ["mystnb.unknown_mime_type", "mystnb.mime_type", "misc.highlighting_failure"]
"""
#: What is searched for, in the pieces in which CONF puts pages into the index.
PAIRS = r"""
var splitQuery = (query) =>
  (query.match(/[\u3400-\u9fff]+|(?:(?![\u3400-\u9fff])[\p{L}\p{N}_])+/gu) ?? []).flatMap((word) =>
    word[0] < "\u3400" || word.length < 2 ? [word] : [...word.slice(1)].map((next, i) => word[i] + next));
"""
#: The door to the lessons in the visitor's browser, which tools/lite.py builds beside the pages.
LITE = "lite/lab/index.html?path="
#: What static hosts show for an address that is none, whose folder is therefore not known: all is on the page itself.
LOST = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>autogradlab</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1.1em/1.6 system-ui, sans-serif; max-width: 32em; margin: 15vh auto; padding: 0 1em; }}
</style>
<h1>Nothing is here · <span lang="zh">这里没有东西</span></h1>
<p><a href="{home}/">autogradlab</a> · <a href="{home}/en/index.html">All lessons</a> ·
<a lang="zh" href="{home}/zh/index.html">全部课程</a></p>
</html>
"""
#: Draws the cards of a page, with no kernel anywhere.
DRAW = """\
import inspector from "./inspector.js";

const still = (state) => ({
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; },
  save_changes() {}, send() {}, on() {}, off() {},
});
for (const place of document.querySelectorAll("[data-agl-card]"))
  inspector.render({ model: still(JSON.parse(place.dataset.aglCard)), el: place });
"""
#: What is too wide for its place can be scrolled by keys; of the list of pages, the part with this page is seen.
SCROLL = """\
addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector(".sidebar-scroll");
  const at = list?.querySelector(".current-page")?.getBoundingClientRect();
  if (at?.bottom > list.getBoundingClientRect().bottom)
    list.scrollTop += at.top - list.getBoundingClientRect().top - list.clientHeight / 2;
});
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("pre, figure[lang]"))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
});
"""
#: The gallery: what each inspector is for, and the lines that make its card, the last of which is it.
GALLERY = [
    ("step", "backward, one Node at a time", "lab.step(y)"),
    ("graph", "the graph behind a tensor", "lab.graph(y)"),
    ("show", "one tensor, and why its `.grad` is None", "lab.show(a)"),
    ("watch", "tensors in a table that stays up to date", "lab.watch(w, x, a)"),
    (
        "accumulation",
        "each backward is an entry of a gradient",
        "with lab.accumulation(w) as ledger:\n    y.backward(retain_graph=True)\n    y.backward()\nledger",
    ),
    (
        "hooks",
        "hooks in the order in which they fire",
        "a.register_hook(lambda grad: grad / 2)\nlog = lab.hooks(a, w)\ny.backward()\nlog",
    ),
    (
        "training",
        "a training loop, recorded",
        (
            "optimizer = torch.optim.SGD([w], lr=0.05)\nrec = lab.training(w)\nfor _ in range(6):\n"
            "    optimizer.zero_grad()\n    loss = (w * x - 3) ** 2\n    rec.step(loss)\n"
            "    loss.sum().backward()\n    optimizer.step()\nrec"
        ),
    ),
    ("why", "why this `.grad` is None, and what to write instead", "lab.why(a)"),
    ("receipt", "one number of `.grad` as an itemised bill", "lab.receipt(w, y)"),
    ("what_if", "the same backward with something cut off", "lab.what_if(y, cut=a)"),
    (
        "explain",
        "what an error means in this code",
        "try:\n    torch.ones(1).backward()\nexcept RuntimeError as error:\n    meant = lab.explain(error)\nmeant",
    ),
    ("storage", "tensors as windows on memory", "lab.storage(m, m.t())"),
    ("broadcast", "how two shapes meet", "lab.broadcast(m, torch.ones(3))"),
]
ABOUT_DIFFERENCES = """\
# Differences from PyTorch

What runs in both says the same in both: values, printing, warnings, errors. Programs, lessons and random programs are
run beside PyTorch 2.13 on the CPU. The differences below are known; each is run as a test, here and there.
"""
SETUP = """\
import autogradlab as torch
from autogradlab import inspectors as lab

w = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([2.0], requires_grad=True)
a = torch.mul(w, x)
b = torch.add(w, 1)
y = torch.mul(a, b)
m = torch.arange(6.0).view(2, 3)
"""


def card_of(lines: str) -> Any:
    """The card that lines make after SETUP, in a notebook of its own: it knows names and lines as a reader's does."""
    return notebook(SETUP, lines).card


def stepper(card: Any) -> str:
    """A card as the page draws it; where no script runs, its picture and words."""
    from autogradlab.inspectors import html
    from autogradlab.inspectors.widgets.view import packed

    state = json.dumps({"_card": packed(card), "_heard": False})
    fallback = html.render(card)
    return f'<div data-agl-card="{escape(state)}"></div>\n<noscript>{fallback}</noscript>\n'


def raw(text: str) -> str:
    return "```{raw} html\n" + text + "\n```\n"


def front() -> str:
    owner, name = address.address()
    binder = f"https://mybinder.org/v2/gh/{owner}/{name}/HEAD?urlpath=lab/tree/autogradlab-lessons"
    return (
        "# See what autograd does\n\nA tensor and autograd core on NumPy that behaves, prints, warns and fails like "
        "PyTorch, and lessons in which every step of a backward pass can be looked at.\n\n看见自动求导在做什么。\n\n"
        f'<a href="{LITE}en/00-welcome.ipynb">Try the first lesson in this browser</a> · '
        f'<a href="{LITE}zh/00-welcome.ipynb">在浏览器里试第一课</a> · '
        "[All lessons](en/index.md) · [全部课程](zh/index.md) · [The inspectors](gallery.md)\n\n"
        "```python\n"
        + SETUP.partition("m =")[0]
        + "lab.step(y)\n```\n\n"
        + raw(stepper(card_of("lab.step(y)")) + '<script type="module" src="_static/draw.js"></script>')
        + "\n## Three doors · 三扇门\n\n"
        + f'- **Try now · 马上试**, in this browser, nothing to install: <a href="{LITE}en/00-welcome.ipynb">the first '
        + f'lesson</a>, <a href="{LITE}zh/00-welcome.ipynb">中文</a>; or on Binder: '
        + f"[English]({binder}/en/00-welcome.ipynb), [中文]({binder}/zh/00-welcome.ipynb)\n"
        + '- **Install · 安装**: `pip install "autogradlab[lab]" && autogradlab lab`\n'
        + "- **Teach · 教学**: [for instructors](guides/instructors.md), [教师手册](guides/instructors.zh.md), "
        + "[a class on a machine](guides/class.md), [a lesson in five minutes](guides/authors.md)\n\n"
        + toctree("Lessons", sorted(f"en/{p.stem}" for p in ROOT.glob("lessons/en/*.ipynb")))
        + toctree("课程", sorted(f"zh/{p.stem}" for p in ROOT.glob("lessons/zh/*.ipynb")))
        + toctree(
            "Guides",
            [
                "gallery",
                "differences",
                *(f"guides/{g.removesuffix('.md')}" for g in GUIDES),
                "guides/glossary",
                "changelog",
            ],
        )
        + toctree("Reference", [f"reference/{name}" for name in spaces()])
    )


def toctree(caption: str, names: Sequence[str]) -> str:
    rows = "\n".join(names)
    return f"```{{toctree}}\n:caption: {caption}\n:hidden:\n:maxdepth: 1\n\n{rows}\n```\n\n"


def gallery() -> str:
    parts = [f"# The inspectors\n\nAfter\n\n```python\n{SETUP}```\n\nthese are drawn here without a kernel.\n"]
    for name, what, lines in GALLERY:
        parts.append(f"## {name}: {what}\n\n```python\n{lines}\n```\n\n{raw(stepper(card_of(lines)))}")
    return "\n".join(parts) + raw('<script type="module" src="_static/draw.js"></script>')


def spaces() -> dict[str, Any]:
    """The namespaces of the reference."""
    return {path: pydoc.locate(re.sub("^torch", "autogradlab", path)) for path in REFERENCE}


def reference(path: str, space: Any) -> Iterator[str]:
    """What `help()` says of every public callable of a namespace."""
    yield f"# {path}\n"
    for name in sorted(getattr(space, "__all__", None) or (n for n in dir(space) if not n.startswith("_"))):
        found = getattr(space, name, None)
        text = inspect.getdoc(found) if callable(found) and not isinstance(found, ModuleType) else None
        if text:
            yield f"## {name}\n\n````text\n{signature(name, found, text)}{text}\n````\n"


def signature(name: str, found: Any, text: str) -> str:
    """How it is called, where its own text does not begin with that."""
    if re.match(r"[\w.]+\(.*\) -> ", text):
        return ""
    try:
        how = inspect.signature(found)
    except ValueError:  # of a class of CPython's own
        return ""
    bare = [p.replace(annotation=p.empty) for p in how.parameters.values() if p.name != "self"]
    gives = "" if how.return_annotation in {how.empty, "None", "Any"} else f" -> {how.return_annotation}"
    return f"{name}{how.replace(parameters=bare, return_annotation=how.empty)}{gives}\n\n"


def differences() -> str:
    """What differs from PyTorch: what the tests run on both, and the names that they find absent."""
    tests = ROOT / "tests"
    known = tomllib.loads((tests / "docs" / "differences.toml").read_text(encoding="utf-8"))["difference"]
    parts = [ABOUT_DIFFERENCES]
    for one in known:
        rows = [(lib, one[at] or "(nothing to say: it works)") for lib, at in (("Here", "here"), ("PyTorch", "torch"))]
        said = "\n\n".join(f"{lib}:\n\n```text\n{text}\n```" for lib, text in rows)
        parts.append(f"## {one['title']}\n\n{one['why']}\n\n```python\n{one['code'].strip()}\n```\n\n{said}\n")
    spaces: dict[str, list[str]] = {}
    for line in (tests / "names" / "absent.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            space, _, name = f"torch.{line}".rpartition(".")
            spaces.setdefault(space, []).append(f"`{name}`")
    count = sum(map(len, spaces.values()))
    parts.append(f"## Names that are absent\n\nPyTorch's namespaces have {count} public names that are not here.\n")
    parts += [f"### {space}\n\n{' '.join(names)}\n" for space, names in spaces.items()]
    return "\n".join(parts)


def guide(text: str) -> str:
    """A guide of docs/ with its links to other parts of the project made absolute."""
    owner, name = address.address()

    def absolute(found: re.Match[str]) -> str:
        target = found[1]
        if target.startswith(("http", "#")) or target in GUIDES:
            return found[0]
        if target == "../lessons/glossary.toml":
            return "](glossary.md)"
        inside = target.removeprefix("../") if target.startswith("../") else f"docs/{target}"
        return f"](https://github.com/{owner}/{name}/blob/main/{inside})"

    return re.sub(r"\]\(([^)\s]+)\)", absolute, text)


def glossary() -> str:
    """The terms of the course, sorted by either language."""
    from autogradlab.lab.author import glossary

    terms = glossary.terms(ROOT / "lessons")
    return f"# Glossary · 术语表\n\n{glossary.table('en', terms)}\n## 中文 – English\n\n{glossary.table('zh', terms)}"


def lesson(path: Path) -> str:
    """A stored lesson for the site: what a page cannot draw is left out, pictures and words stay."""
    from autogradlab.lab.author.book import figures
    from autogradlab.lab.mathml import typeset

    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell, words in figures(notebook["cells"]):
        cell["metadata"]["mystnb"] = {"image": {"alt": words}}
    title, _, rest = "".join(notebook["cells"][0]["source"]).partition("\n")
    notebook["cells"][0]["source"] = f"{title}\n\n{doors(path)}\n{rest}"
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = typeset("".join(cell["source"]))
        for output in cell.get("outputs", []):
            for kind in [k for k in output.get("data", {}) if k.startswith("application/vnd.")]:
                del output["data"][kind]
    return json.dumps(notebook, ensure_ascii=False)


def doors(path: Path) -> str:
    """From the page of a lesson to the lesson itself, and to the same page in the other language."""
    other, language = {"en": ("中文", "zh"), "zh": ("English", "en")}[path.parent.name]
    run = {"en": "Run this lesson in your browser", "zh": "在浏览器里运行这一课"}[path.parent.name]
    return f"{door(path.parent.name, path.name, run)} · [{other}](../{language}/{path.name})\n"


def door(language: str, name: str, words: str) -> str:
    """To the lesson itself, in the visitor's browser, from a page of a folder."""
    return f'<a href="../{LITE}{language}/{name}">{words}</a>'


def contents() -> dict[str, str]:
    """The first page of each folder, for who shortens an address: what is there, a line each."""
    heads, tries = {"en": "Lessons", "zh": "课程"}, {"en": "run", "zh": "运行"}
    rows = {
        language: [(f"[{x.title}](../{x.key})", x.path.name) for x in copying.lessons() if x.key.startswith(language)]
        for language in heads
    }
    guides = [(ROOT / "docs" / name).read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for name in GUIDES]
    made = {
        language: (heads[language], [f"{line} · {door(language, name, tries[language])}" for line, name in found])
        for language, found in rows.items()
    }
    made["lessons"] = (
        "Lessons · 课程",
        [f"{line} · {other}" for (line, _), (other, _) in zip(rows["en"], rows["zh"], strict=True)],
    )
    made["guides"] = (
        "Guides · 手册",
        [
            *(f"[{title}]({name})" for title, name in zip(guides, GUIDES, strict=True)),
            "[Glossary · 术语表](glossary.md)",
        ],
    )
    made["reference"] = ("Reference", [f"[{path}]({path}.md)" for path in spaces()])
    return {
        f"{folder}/index.md": f"---\norphan: true\n---\n\n# {title}\n\n" + "".join(f"- {line}\n" for line in lines)
        for folder, (title, lines) in made.items()
    }


def write(source: Path) -> None:
    """The site's sources."""
    from autogradlab.inspectors import theme
    from autogradlab.inspectors.words import page as words

    pages = {
        "conf.py": CONF.replace("PAIRS", PAIRS),
        "index.md": front(),
        "gallery.md": gallery(),
        "differences.md": differences(),
    }
    pages["changelog.md"] = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    pages |= contents()
    pages |= {f"guides/{name}": guide((ROOT / "docs" / name).read_text(encoding="utf-8")) for name in GUIDES}
    pages["guides/glossary.md"] = glossary()
    pages |= {f"{p.parent.name}/{p.name}": lesson(p) for p in ROOT.glob("lessons/*/*.ipynb")}
    pages |= {f"reference/{path}.md": "\n".join(reference(path, found)) for path, found in spaces().items()}
    pages |= {f"_static/{p.name}": p.read_text(encoding="utf-8") for p in STATIC.iterdir()}
    pages |= {
        "_static/icon.svg": (ROOT / "docs" / "icon.svg").read_text(encoding="utf-8"),
        "_static/theme.css": theme.css() + WRAPPED,
        "_static/words.js": words.module(),
        "_static/draw.js": DRAW,
        "_static/scroll.js": SCROLL,
    }
    for name, text in pages.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8", newline="\n")


#: Where links may lead, besides into the site and the project: what is elsewhere cannot be asked without a network.
ELSEWHERE = {
    "anywidget.dev", "colab.research.google.com", "github.com", "mybinder.org", "numpy.org", "pradyunsg.me",
    "pytorch.org", "docs.pytorch.org", "www.sphinx-doc.org", "keepachangelog.com", "semver.org",
}  # fmt: skip


class Page(HTMLParser):
    """A built page: its language, headings, ids, links and pictures, and what it fetches from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.language = ""
        self.headings: list[int] = []
        self.ids: set[str] = set()
        self.links: list[tuple[str, str]] = []  # (where to, what a reader hears)
        self.faults: list[str] = []
        self._open: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "html":
            self.language = given.get("lang", "")
        elif re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        elif tag == "a" and "href" in given:
            self._open.append([given["href"], given.get("aria-label", given.get("title", ""))])
        elif tag == "img":
            if "alt" not in given:
                self.faults.append(f"a picture without words: {given.get('src', '')[:80]}")
            for link in self._open:
                link[1] += given.get("alt", "")
        source = given.get("src", "") if tag in {"script", "img", "iframe"} else given.get("href", "")
        if tag in {"script", "link", "img", "iframe"} and re.match("(https?:)?//", source):
            if given.get("rel") != "canonical":
                self.faults.append(f"fetched from elsewhere: {source[:160]}")

    def handle_data(self, data: str) -> None:
        for link in self._open:
            link[1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._open:
            target, heard = self._open.pop()
            self.links.append((target, heard.strip()))


def faults(site: Path) -> list[str]:
    """What is wrong with a built site: links that lead nowhere or say nothing, pictures without words, headings that
    skip a level, a page in no language, something fetched from elsewhere, a folder of pages without a first one."""
    owner, name = address.address()
    own = re.compile(
        rf"https://(?:github\.com/{owner}/{name}/(?:blob|tree)|raw\.githubusercontent\.com/{owner}/{name})/main/(.+)"
    )
    files = {p.resolve(): p for p in sorted(site.rglob("*.html")) if site / "lite" not in p.parents}
    pages = {p: Page(p.read_text(encoding="utf-8")) for p in files.values()}
    found = []
    for path, page in pages.items():
        said = list(page.faults)
        said += [] if page.language else ["it is in no language"]
        said += (
            []
            if page.headings.count(1) == 1 or path.name in {"search.html", "genindex.html"}
            else ["it has not one title"]
        )
        said += [f"a heading skips from {a} to {b}" for a, b in pairwise(page.headings) if b > a + 1]
        for target, heard in page.links:
            said += [] if heard else [f"a link that says nothing, to {target}"]
            place, _, mark = unquote(target).partition("#")
            place = place.partition("?")[0]
            if inside := own.fullmatch(place):
                said += [] if (ROOT / inside[1]).exists() else [f"nothing is at {target}"]
            elif place.startswith(("http:", "https:")):
                host = urlsplit(place).hostname
                said += (
                    [] if host in ELSEWHERE or f"{owner.lower()}.github.io" == host else [f"an unknown host: {target}"]
                )
            elif not place.startswith(("mailto:", "javascript:", "lite/", "../lite/")):
                there = (path.parent / place).resolve() if place else path.resolve()
                known = pages.get(files.get(there, path)) if there in files else None
                if known is None:
                    said += [] if there.is_file() else [f"nothing is at {target}"]
                elif mark and mark not in known.ids:
                    said.append(f"{target}: there is no such mark")
        found += [f"{path.relative_to(site)}: {fault}" for fault in said]
    bare = sorted({path.parent for path in pages} - {path.parent for path in pages if path.name == "index.html"})
    return found + [f"{folder.relative_to(site)}: it has no first page" for folder in bare]


#: What the theme says around a page, and the captions of the list of pages, in Chinese.
AROUND = {
    "Previous": "上一页", "Next": "下一页", "Home": "首页", "On this page": "本页内容", "Back to top": "回到顶部",
    "Skip to content": "跳到正文", "Search": "搜索", "Contents": "目录", "Menu": "菜单", "Expand": "展开",
    "Index": "索引", "Light mode": "浅色", "Dark mode": "深色",
    "Auto light/dark, in light mode": "自动，现为浅色", "Auto light/dark, in dark mode": "自动，现为深色",
    "Toggle site navigation sidebar": "显示或隐藏页面列表", "Toggle table of contents sidebar": "显示或隐藏本页目录",
    "Toggle Light / Dark / Auto color theme": "切换浅色、深色或自动", "Link to this heading": "本节的链接",
    "View this page": "查看本页原文", "Made with": "制作：",
    "Lessons": "英文课程", "Guides": "手册", "Reference": "参考",
}  # fmt: skip


def in_chinese(text: str) -> str:
    """A page that says it is Chinese, and in which the theme speaks Chinese: the words of a page itself are its own."""
    text = re.sub(r'(<html[^>]*\blang=")en"', r'\1zh"', text, count=1)

    def said(found: re.Match[str]) -> str:
        return found[0].replace(found[1].strip(), AROUND.get(found[1].strip(), found[1].strip()))

    parts = re.split(r"(<article\b.*</article>)", text, maxsplit=1, flags=re.DOTALL)
    for number in range(0, len(parts), 2):
        parts[number] = re.sub(r">(\s*[A-Z][^<>]*?)<", said, parts[number])
    attributes = r'\b(?:aria-label|placeholder|title)="([A-Z][^"]*)"'
    return re.sub(attributes, said, "".join(parts))


def finish(site: Path) -> None:
    """What Sphinx does not know: Chinese pages say that they are, and an empty cell of a table heads nothing."""
    chinese = {*site.glob("zh/*.html"), *site.glob("guides/*.zh.html")}
    for path in site.rglob("*.html"):
        text = before = path.read_text(encoding="utf-8")
        if path in chinese:
            text = in_chinese(text)
        text = text.replace('<th class="head"><p></p></th>', "<td></td>")
        if text != before:
            path.write_text(text, encoding="utf-8", newline="\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Build the site; 1 if anything is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--to", type=Path, default=ROOT / "site")
    target: Path = parser.parse_args(argv).to
    with tempfile.TemporaryDirectory() as folder:
        source, built = Path(folder, "source"), Path(folder, "site")  # where MyST-NB puts a folder of its own
        write(source)
        options = ["-b", "html", "-n", "-W", "--keep-going", "-q"]
        status = subprocess.run([sys.executable, "-m", "sphinx", *options, str(source), str(built)]).returncode
        if not built.is_dir():  # no Sphinx, as it has said
            return status
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(built, target)
    owner, name = address.address()
    (target / "404.html").write_text(LOST.format(home=f"https://{owner}.github.io/{name}"), encoding="utf-8")
    finish(target)
    for fault in (found := faults(target)):
        print(fault)
    return int(bool(status or found))


if __name__ == "__main__":
    sys.exit(main())
