"""What a teacher hands out or shows: a worksheet with blanks, and slides; both one file, with nothing fetched."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autogradlab.inspectors.words import language, say
from autogradlab.lab import bank, copying, face, running
from autogradlab.lab.answers import Raised, plain, shown
from autogradlab.lab.mathml import typeset
from autogradlab.lab.predictions import LETTERS, Asked, label

__all__ = ["slides", "worksheet"]

STYLE = """\
.anchor-link { display: none; }
body { font: 15px/1.5 system-ui, "Noto Sans CJK SC", "PingFang SC", sans-serif; color: #1b1f24; }
pre, code { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { background: #f6f7f9; padding: 6px 10px; white-space: pre-wrap; }
p code, li code, td code { background: #f6f7f9; padding: 0 3px; } table { border-collapse: collapse; }
td, th { border: 1px solid #d0d7de; padding: 2px 8px; text-align: left; } img, svg { max-width: 100%; height: auto; }
"""
PAPER = """\
@page { margin: 16mm; } body { max-width: 46em; margin: 1em auto; padding: 0 1em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 1.4em; } .name { display: flex; gap: 2em; }
.name span { flex: 1; border-bottom: 1px solid #1b1f24; }
section { break-inside: avoid; } ol.choices { list-style: none; padding-left: 0; }
.line { border-bottom: 1px solid #8c959f; height: 2em; } .box { border: 1px solid #8c959f; height: 9em; }
.answers { break-before: page; } .box + p, .line + p { margin-top: .6em; }
"""
SCREEN = """\
html, body { height: 100%; margin: 0; } body { font-size: 22px; } pre { font-size: 18px; }
code { font-size: 0.82em; }
section { display: none; box-sizing: border-box; min-height: 100%; padding: 4vh 6vw 8vh; }
section.now { display: block; }
h1 { font-size: 2em; } h2 { font-size: 1.5em; } .later { visibility: hidden; } .later.shown { visibility: visible; }
footer { position: fixed; right: 1em; bottom: .4em; color: #57606a; font-size: 14px; }
.out pre { background: none; border-left: 4px solid #0072b2; }
@page { size: A4 landscape; margin: 10mm; }
@media print { section { display: block; break-after: page; padding: 0; zoom: 0.62 !important; }
  .later { visibility: visible; } footer { display: none; } }
"""
SCRIPT = """\
const slides = [...document.querySelectorAll('section')], count = document.querySelector('footer');
let at = Math.min(Number(location.hash.slice(1)) || 0, slides.length - 1);
function fit(slide) { slide.style.zoom = 1;  // what is taller than the screen gets smaller, down to a half
  slide.style.zoom = Math.max(0.5, Math.min(1, innerHeight / slide.scrollHeight)); }
function show() { slides.forEach((s, n) => s.classList.toggle('now', n === at)); fit(slides[at]);
  count.textContent = `${at + 1} / ${slides.length}`;
  history.replaceState(null, '', '#' + at); scrollTo(0, 0); }
function next() { const hidden = slides[at].querySelector('.later:not(.shown)');
  if (hidden) { hidden.classList.add('shown'); hidden.scrollIntoView({ block: 'nearest' }); }
  else if (at < slides.length - 1) { at++; show(); } }
function back() { const shown = [...slides[at].querySelectorAll('.later.shown')].pop();
  if (shown) shown.classList.remove('shown'); else if (at) { at--; show(); } }
addEventListener('keydown', (e) => {
  if (['ArrowRight', 'PageDown', ' ', 'Enter'].includes(e.key)) { e.preventDefault(); next(); }
  else if (['ArrowLeft', 'PageUp', 'Backspace'].includes(e.key)) { e.preventDefault(); back(); }
  else if (e.key === 'Home') { at = 0; show(); } else if (e.key === 'End') { at = slides.length - 1; show(); } });
addEventListener('resize', () => fit(slides[at]));
addEventListener('click', (e) => { if (!e.target.closest('a, summary, button')) next(); });
show();
"""
PREDICT = re.compile(r"""^predict\(\s*["']([^"']+)["']""")


def worksheet(path: Path) -> str:
    """A lesson on paper: questions with room to answer, the code they are about, graphs to draw; answers last."""
    notebook = copying.read_notebook(path)
    parts, answers = [], []
    cells = notebook["cells"]
    for number, cell in enumerate(cells):
        found = PREDICT.match(source(cell)) if cell["cell_type"] == "code" else None
        if found:
            entry = bank.find(f"{path.stem}/{found[1].rpartition('/')[2]}", *bank.ASKED)
            code = next((source(c) for c in cells[number + 1 :] if c["cell_type"] == "code"), "")
            code = "\n".join(line for line in code.splitlines() if not line.startswith("lab.")).rstrip()
            answers.append(answer(entry))
            parts.append(question(entry, len(answers), code))
        elif ("lab.graph(" in source(cell) or "lab.step(" in source(cell)) and cell["cell_type"] == "code":
            lead, code = html.escape(say("lab.sheet_graph")), html.escape(built(cells, number))
            parts.append(f"<section><p>{lead}</p><pre>{code}</pre>"
                         '<div class="box"></div></section>')  # fmt: skip
    heading = title(notebook, path.stem)
    rows = "".join(f"<li>{one}</li>" for one in answers)
    return paged(
        heading,
        STYLE + PAPER,
        f"<main><h1>{html.escape(heading)}</h1><p class='name'>{html.escape(say('lab.sheet_name'))} <span></span> "
        f"{html.escape(say('lab.sheet_date'))} <span></span></p>{''.join(parts)}"
        f"<section class='answers'><h2>{html.escape(say('lab.sheet_answers'))}</h2><ol>{rows}</ol></section></main>",
    )


def question(entry: bank.Entry, number: int, code: str) -> str:
    """A question with room for its answer, and the code that it is about."""
    asked = Asked(entry, None, None)
    if entry.kind == "choice":
        rows = "".join(f"<li>☐ {k}) {face.marks(label(r))}</li>" for k, r in zip(LETTERS, asked.choices, strict=False))
        room = f'<ol class="choices">{rows}</ol>'
    elif entry.kind == "order":
        room = (
            '<ol class="choices">'
            + "".join(f"<li>__ {face.marks(bank.in_language(r))}</li>" for r in entry.rows("items"))
            + "</ol>"
        )
    else:
        room = '<div class="line"></div>'
    shown_code = f"<pre>{html.escape(code)}</pre>" if code else ""
    return f"<section><h2>{number}. {face.marks(entry.say('question'))}</h2>{shown_code}{room}</section>"


def answer(entry: bank.Entry) -> str:
    """The right answer, computed, and why."""
    asked = Asked(entry, None, running.library({}))
    try:
        asked.truth = asked.compute()
        told = asked.truth_text()
    except (bank.LessonFault, ValueError):  # it is computed in the lesson itself
        told = ""
    if isinstance(asked.truth, Raised) and entry.kind != "choice":
        told = f"`{shown(plain(asked.truth))}`"
    return f"{face.marks(told)}<br>{face.marks(entry.say('why'))}" if told else face.marks(entry.say("why"))


def slides(path: Path) -> str:
    """A lesson on the screen, one idea a slide: a key shows the next thing, code, then output, then the answer."""
    from nbconvert.filters import markdown2html

    notebook = copying.read_notebook(path)
    made: list[list[str]] = []
    told, asked = "", False  # the answer to the question above, shown when its code has run
    full = True  # code with its output fills a slide, and text after a question begins another
    for cell in notebook["cells"]:
        role = cell["metadata"].get("autogradlab", {}).get("role")
        text = source(cell)
        if role in {"setup", "assert", "recall", "check"} or "progress(" in text:
            continue
        if cell["cell_type"] == "markdown":
            if full or re.match(r"#{1,2} ", text) or role == "predict":
                made.append([])
            made[-1].append(markdown2html(typeset(without_links(text))))
            full, asked = False, False
            continue
        if full and not asked:
            made.append([])
        if found := PREDICT.match(text):
            entry = bank.find(f"{path.stem}/{found[1].rpartition('/')[2]}", *bank.ASKED)
            made[-1].append(voted(entry))
            told = answer(entry)
        else:
            outputs = "".join(displayed(cell))
            made[-1].append(f"<pre>{html.escape(text)}</pre>")
            made[-1].append(f'<div class="later out">{outputs}</div>' if outputs else "")
            made[-1].append(f'<div class="later">{told}</div>' if told else "")
            told = ""
        full, asked = True, bool(found)
    body = "".join(f"<section>{''.join(parts)}</section>" for parts in made)
    return paged(
        title(notebook, path.stem), STYLE + SCREEN, f"<main>{body}</main><footer></footer><script>{SCRIPT}</script>"
    )


def voted(entry: bank.Entry) -> str:
    """A question to vote on; its answer is there at the next key."""
    asked = Asked(entry, None, None)
    rows = "".join(f"<li>{k}) {face.marks(label(r))}</li>" for k, r in zip(LETTERS, asked.choices, strict=False))
    rows += "".join(f"<li>{face.marks(bank.in_language(r))}</li>" for r in entry.rows("items"))
    return f'<p><strong>{face.marks(entry.say("question"))}</strong></p><ul style="list-style: none">{rows}</ul>'


def displayed(cell: dict[str, Any]) -> Iterator[str]:
    """What a cell shows, as HTML without scripts."""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "text/html" in data:
            yield "".join(data["text/html"])
        elif "image/png" in data:
            yield f'<img alt="" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
        elif output["output_type"] == "error":
            yield f"<pre>{html.escape(output['ename'] + ': ' + output['evalue'])}</pre>"
        elif text := "".join(output.get("text", data.get("text/plain", ""))):
            yield f"<pre>{html.escape(text)}</pre>"


def built(cells: list[dict[str, Any]], at: int) -> str:
    """The code before a graph that makes what is drawn: its own cell, and the last one that runs code above."""
    own = "\n".join(line for line in source(cells[at]).splitlines() if "lab." not in line).strip()
    if own:
        return own
    above = (source(c) for c in reversed(cells[:at]) if c["cell_type"] == "code" and "predict(" not in source(c))
    return next(above, "")


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def without_links(text: str) -> str:
    """Markdown whose links to other notebooks are words alone."""
    return re.sub(r"\[([^\]]+)\]\([\w-]+\.ipynb\)", r"<span>\1</span>", text)


def title(notebook: dict[str, Any], name: str) -> str:
    found = re.search(
        r"^# +(.+)", "\n".join(source(c) for c in notebook["cells"] if c["cell_type"] == "markdown"), re.MULTILINE
    )
    return found[1] if found else name


def paged(heading: str, style: str, body: str) -> str:
    lang = "zh-CN" if language() == "zh" else "en"
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(heading)}</title><style>{style}</style></head>\n<body>{body}</body></html>\n"
    )
