"""Lessons as pages to print: run in their own language, pictures inside, no script, nothing fetched, no kernel."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter
from pygments.styles import get_style_by_name

from autogradlab.inspectors.words import say
from autogradlab.lab.copying import LessonError
from autogradlab.lab.mathml import typeset

from .book import execute, figures, language_of, normalise, read

__all__ = ["index", "language_of_page", "page", "rendered", "title"]

STYLE = """\
@page { margin: 18mm 15mm; }
body { font: 16px/1.6 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; color: #1b1f24;
  background: #fff; max-width: 820px; margin: 24px auto; padding: 0 16px; }
h1, h2, h3 { line-height: 1.3; break-after: avoid; }
pre, code { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
p code, li code, td code { background: #f6f7f9; padding: 0 3px; border-radius: 3px; }
.code_cell { margin: 14px 0; }
.input_area { background: #f6f7f9; border-left: 4px solid #0072b2; padding: 6px 12px; }
.input_area pre, .output_area pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.input_area .highlight { background: none; }
.output_area { padding: 4px 16px; }
.output_stderr { background: #fff3ec; }
.prompt, .anchor-link { display: none; }
.autogradlab-lab { border: 1px solid #d0d7de; border-radius: 8px; padding: 4px 14px; margin: 8px 0;
  break-inside: avoid; }
img, svg { max-width: 100%; height: auto; }
figure { margin: 8px 0; break-inside: avoid; }
table { border-collapse: collapse; margin: 10px 0; }
td, th { border: 1px solid #d0d7de; padding: 3px 10px; text-align: left; }
blockquote { border-left: 4px solid #d0d7de; margin: 8px 0; padding: 0 12px; }
details > *:not(summary) { margin-left: 12px; }
.answers { display: none; }
@media print { .answers { display: block; break-before: page; } }
"""
#: How a lesson's Markdown folds an answer away, and the heading under which paper has it.
ANSWER = re.compile(r"<details><summary>(Answer|答案)</summary>(.*?)</details>", re.DOTALL)
ANSWERS = {"en": "Answers", "zh": "答案"}


def page(path: Path) -> str:
    """The page of a lesson, run in its own language."""
    notebook = read(path)
    language = language_of_page(notebook, path)
    return rendered(execute(notebook, path.parent, language=language), language, path.stem)


def language_of_page(notebook: Any, path: Path) -> str:
    """The language that a page is in: that of the lesson's folder, or that of its cards."""
    folder = path.resolve().parent.name
    return folder if folder in ANSWERS else language_of(notebook, path)


def rendered(notebook: Any, language: str, name: str) -> str:
    """The page of a notebook that has run."""
    notebook = nbformat.reads(normalise(notebook), as_version=4)
    for cell, words in figures(notebook.cells):
        for output in cell.outputs:
            output.get("metadata", {}).setdefault("image/png", {})["alt"] = words
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = typeset(cell.source)
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    body = re.sub(r"<script\b.*?</script>|<style\b.*?</style>", "", body, flags=re.DOTALL)
    if elsewhere := re.findall(r'<img\b[^>]*\bsrc="(?!data:)([^"]*)"', body):
        raise LessonError(say("author.pictures_elsewhere", name=name, files=", ".join(elsewhere)))
    body = answers_last(body, language)
    colours = HtmlFormatter(style=get_style_by_name("default")).get_style_defs(".highlight")
    return (
        f'<!doctype html>\n<html lang="{"zh-CN" if language == "zh" else language}">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title(notebook, name))}</title>\n<style>\n{STYLE}{colours}\n</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n"
        "</body>\n</html>\n"
    )


def answers_last(body: str, language: str) -> str:
    """The page with its answers numbered; paper, on which nothing unfolds, has them at the end."""
    kept: list[str] = []

    def numbered(answer: re.Match[str]) -> str:
        kept.append(answer[2])
        return f"<details><summary>{answer[1]} {len(kept)}</summary>{answer[2]}</details>"

    body = ANSWER.sub(numbered, body)
    if not kept:
        return body
    rows = "\n".join(f"<li>{answer}</li>" for answer in kept)
    return f'{body}\n<section class="answers">\n<h2>{ANSWERS[language]}</h2>\n<ol>\n{rows}\n</ol>\n</section>'


def title(notebook: Any, name: str) -> str:
    """The first heading, or the name."""
    headings = (re.search(r"^# +(.+)", c.source, re.MULTILINE) for c in notebook.cells if c.cell_type == "markdown")
    return next((found[1].strip() for found in headings if found), name)


def index(language: str, titles: list[tuple[str, str]]) -> str:
    """A page with links to the pages of all lessons."""
    heading = {"en": "autogradlab: the lessons", "zh": "autogradlab 课程"}[language]
    rows = "\n".join(f'<li><a href="{html.escape(file)}">{html.escape(title)}</a></li>' for file, title in titles)
    return (
        f'<!doctype html>\n<html lang="{"zh-CN" if language == "zh" else language}">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{heading}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{heading}</h1>\n<ul>\n"
        f"{rows}\n</ul>\n"
        "</main>\n</body>\n</html>\n"
    )
