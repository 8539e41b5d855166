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
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

import address

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "autogradlab" / "inspectors" / "static"
GUIDES = ("authors.md", "instructors.md", "instructors.zh.md", "class.md", "hosts.md")
CONF = """\
project = "autogradlab"
author = "The autogradlab developers"
extensions = ["myst_nb"]
html_theme = "furo"
html_title = "autogradlab"
html_static_path = ["_static"]
html_css_files = ["theme.css", "inspector.css"]
html_show_sphinx = False
nb_execution_mode = "off"
nb_output_stderr = "show"
nb_mime_priority_overrides = [("html", "application/vnd.autogradlab.card.v1+json", 0)]
myst_heading_anchors = 4
myst_enable_extensions = ["fieldlist"]
nitpicky = True
exclude_patterns = []
suppress_warnings = ["mystnb.unknown_mime_type", "mystnb.mime_type", "misc.highlighting_failure"]
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
#: The gallery: what each inspector is for, and the lines that make its card.
GALLERY = [
    ("step", "backward, one Node at a time", "lab.step(y)"),
    ("graph", "the graph behind a tensor", "lab.graph(y)"),
    ("show", "one tensor, and why its `.grad` is None", "lab.show(a)"),
    ("why", "why this `.grad` is None, and what to write instead", "lab.why(a)"),
    ("receipt", "one number of `.grad` as an itemised bill", "lab.receipt(w, y)"),
    ("what_if", "the same backward with something cut off", "lab.what_if(y, cut=a)"),
    ("storage", "tensors as windows on memory", "lab.storage(m, m.t())"),
    ("broadcast", "how two shapes meet", "lab.broadcast(m, torch.ones(3))"),
]
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


def card_of(line: str) -> Any:
    """The card that a line makes after SETUP, in a program of its own: names are as a reader would write them."""
    space: dict[str, Any] = {}
    exec(f"{SETUP}made = {line}", space)
    return space["made"].card


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
        "```python\n"
        + SETUP.partition("m =")[0]
        + "lab.step(y)\n```\n\n"
        + raw(stepper(card_of("lab.step(y)")) + '<script type="module" src="_static/draw.js"></script>')
        + "\n## Three doors · 三扇门\n\n"
        + f"- **Try now · 马上试**: [on Binder]({binder}/en/00-welcome.ipynb), [中文]({binder}/zh/00-welcome.ipynb)\n"
        + '- **Install · 安装**: `pip install "autogradlab[lab]" && autogradlab lab`\n'
        + "- **Teach · 教学**: [for instructors](guides/instructors.md), [教师手册](guides/instructors.zh.md), "
        + "[a class on a machine](guides/class.md), [a lesson in five minutes](guides/authors.md)\n\n"
        + toctree("Lessons", sorted(f"en/{p.stem}" for p in ROOT.glob("lessons/en/*.ipynb")))
        + toctree("课程", sorted(f"zh/{p.stem}" for p in ROOT.glob("lessons/zh/*.ipynb")))
        + toctree(
            "Guides", ["gallery", *(f"guides/{g.removesuffix('.md')}" for g in GUIDES), "guides/glossary", "changelog"]
        )
        + toctree("Reference", [f"reference/{name}" for name in spaces()])
    )


def toctree(caption: str, names: Sequence[str]) -> str:
    rows = "\n".join(names)
    return f"```{{toctree}}\n:caption: {caption}\n:hidden:\n:maxdepth: 1\n\n{rows}\n```\n\n"


def gallery() -> str:
    parts = [f"# The inspectors\n\nAfter\n\n```python\n{SETUP}```\n\nthese are drawn here without a kernel.\n"]
    for name, what, line in GALLERY:
        parts.append(f"## {name}: {what}\n\n```python\n{line}\n```\n\n{raw(stepper(card_of(line)))}")
    return "\n".join(parts) + raw('<script type="module" src="_static/draw.js"></script>')


def spaces() -> dict[str, Any]:
    """The namespaces of the reference."""
    import autogradlab as torch

    return {
        "torch": torch, "torch.Tensor": torch.Tensor, "torch.autograd": torch.autograd, "torch.nn": torch.nn,
        "torch.nn.functional": torch.nn.functional, "torch.optim": torch.optim, "torch.linalg": torch.linalg,
        "torch.fft": torch.fft, "torch.special": torch.special, "torch.func": torch.func,
        "torch.utils.data": torch.utils.data,
    }  # fmt: skip


def reference(path: str, space: Any) -> Iterator[str]:
    """What `help()` says of every public callable of a namespace."""
    yield f"# {path}\n"
    for name in sorted(n for n in dir(space) if not n.startswith("_")):
        found = getattr(space, name, None)
        text = inspect.getdoc(found) if callable(found) and not isinstance(found, ModuleType) else None
        if text:
            yield f"## {name}\n\n````text\n{text}\n````\n"


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
    from autogradlab.lab.mathml import typeset

    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = typeset("".join(cell["source"]))
        for output in cell.get("outputs", []):
            for kind in [k for k in output.get("data", {}) if k.startswith("application/vnd.")]:
                del output["data"][kind]
    return json.dumps(notebook, ensure_ascii=False)


def write(source: Path) -> None:
    """The site's sources."""
    from autogradlab.inspectors import theme
    from autogradlab.inspectors.words import page as words

    pages = {"conf.py": CONF, "index.md": front(), "gallery.md": gallery()}
    pages["changelog.md"] = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    pages |= {f"guides/{name}": guide((ROOT / "docs" / name).read_text(encoding="utf-8")) for name in GUIDES}
    pages["guides/glossary.md"] = glossary()
    pages |= {f"{p.parent.name}/{p.name}": lesson(p) for p in ROOT.glob("lessons/*/*.ipynb")}
    pages |= {f"reference/{path}.md": "\n".join(reference(path, found)) for path, found in spaces().items()}
    pages |= {f"_static/{p.name}": p.read_text(encoding="utf-8") for p in STATIC.iterdir()}
    pages |= {"_static/theme.css": theme.css(), "_static/words.js": words.module(), "_static/draw.js": DRAW}
    for name, text in pages.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8", newline="\n")


FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(https?:)?//[^\"]*\"[^>]*>")


def fetched(site: Path) -> list[str]:
    """What pages would fetch from elsewhere: scripts, style sheets, pictures."""
    found = []
    for page in sorted(site.rglob("*.html")):
        for tag in FETCHED.finditer(page.read_text(encoding="utf-8")):
            if 'rel="canonical"' not in tag[0]:
                found.append(f"{page.relative_to(site)}: {tag[0][:160]}")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Build the site; 1 if anything is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--to", type=Path, default=ROOT / "site")
    target: Path = parser.parse_args(argv).to
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        shutil.rmtree(target, ignore_errors=True)
        build = [sys.executable, "-m", "sphinx", "-b", "html", "-n", "-W", "--keep-going", "-q", folder, str(target)]
        status = subprocess.run(build).returncode
    for fault in (found := fetched(target)):
        print(fault)
    return int(bool(status or found))


if __name__ == "__main__":
    sys.exit(main())
