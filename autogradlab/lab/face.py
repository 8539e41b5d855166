"""What the learner sees of a question or exercise: one view as plain data, rendered as text,
as HTML and as a widget."""

from __future__ import annotations

import html
import re
from typing import Any

from autogradlab.inspectors.prose import cleaned
from autogradlab.inspectors.words import language, say
from autogradlab.lab import memory

__all__ = ["Face", "block", "button", "code", "dressed", "marks", "sentences", "task"]

#: Words that the page alone needs: keys, what is missing in an answer, what to do when Python does not answer.
PAGE = (
    "keys_choice",
    "keys_field",
    "keys_on",
    "lacks_choice",
    "lacks_field",
    "lacks_lines",
    "late",
    "enter",
    "untried_how",
)


def block(text: str, tone: str = "plain") -> dict[str, Any]:
    """A paragraph; tones: plain, good, warning, muted."""
    return {"text": text, "tone": tone}


def code(source: str) -> dict[str, Any]:
    return {"code": source.strip("\n")}


def sentences(*said: str) -> str:
    """Sentences one after the other: Chinese has no space between them."""
    return ("" if language() == "zh" else " ").join(filter(None, said))


def button(do: str, text: str, primary: bool = False) -> dict[str, Any]:
    return {"do": do, "text": text, "primary": primary}


def task(id: str, question: str, **fields: Any) -> dict[str, Any]:
    """One thing to do: question, code, input, blocks, buttons, state and the word for it."""
    return {"id": id, "question": question, **{k: v for k, v in fields.items() if v not in (None, "", [], ())}}


class Face:
    """Base of all that lessons put before a learner. `repr` is `text`,
    so notebooks compare and read without widgets."""

    kind = "face"

    def __init__(self) -> None:
        self._widgets: list[Any] = []

    def view(self) -> dict[str, Any]:
        """All that is shown, as plain data."""
        words = {name: say(f"lab.{name}") for name in PAGE}
        return {
            "kind": self.kind,
            "lang": language(),
            "label": say(f"lab.{self.kind}"),
            "words": words,
            "tasks": [_shown(one) for one in self.tasks()],
            "asks": self.asks(),
            "answers": self.answers(),
        }

    def tasks(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def asks(self) -> list[str]:
        """The keys of what is asked here."""
        return []

    def answers(self) -> dict[str, Any]:
        """What the learner has answered here, by the question's key: the card takes it along in the notebook."""
        return {}

    def again(self) -> Face:
        """As it was answered in this notebook."""
        return self

    def _take(self, message: dict[str, Any]) -> None:
        """Answers that the page remembers and the notebook's file does not have yet."""
        given = message.get("value")
        for key, answer in given.items() if isinstance(given, dict) else ():
            if memory.valid(answer) and memory.recall(key) is None:
                memory.keep(key, str(answer.get("kind", "")), answer["state"], answer["given"])
        self.again()

    def receive(self, message: dict[str, Any]) -> None:
        """What the learner did in the widget: `do`, `task`, `value`."""

    def refresh(self) -> None:
        """Show the present state wherever this is shown."""
        for widget in self._widgets:
            widget.view = self.view()

    @property
    def text(self) -> str:
        """Everything that is shown, in words."""
        view = self.view()
        lines: list[str] = []
        for number, one in enumerate(view["tasks"]):
            lines += [""] * bool(number) + _text(one, view["label"] if not number else "")
        return "\n".join(lines)

    @property
    def html(self) -> str:
        """The same for pages without a front end: no style, no script, nothing that a page would strip."""
        view = self.view()
        inner = "".join(_html(one, view["label"] if not number else "") for number, one in enumerate(view["tasks"]))
        return f'<div class="autogradlab-lab" lang="{"zh-CN" if view["lang"] == "zh" else "en"}">{inner}</div>'

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **_: Any) -> Any:
        bundle: dict[str, Any] = {"text/plain": self.text, "text/html": self.html}
        try:
            from autogradlab.lab import widget
        except ImportError:  # no anywidget here: the words are enough, and methods answer
            return bundle
        live, metadata = widget.view_of(self)
        return {**bundle, **live}, metadata


def _shown(one: dict[str, Any]) -> dict[str, Any]:
    """A task whose characters can all be seen; what the learner has typed stays as it was typed."""
    typed = one.get("input", {}).get("value")
    clean: dict[str, Any] = cleaned(one)
    if typed is not None:
        clean["input"]["value"] = typed
    return clean


def _text(one: dict[str, Any], label: str) -> list[str]:
    lines = (f"{label} · " * bool(label) + dressed(one["question"])).splitlines()
    lines += [f"    {line}" for line in one.get("code", "").splitlines()]
    given = one.get("input", {})
    for row in given.get("rows", []):
        lines.append(
            f"  {row['key']}) {dressed(row['text'])}" if given["is"] == "choice" else f"  {row['key']}  {row['text']}"
        )
    if one.get("status"):
        lines.append(one["status"])
    for part in one.get("blocks", []):
        lines += [f"    {line}" for line in part["code"].splitlines()] if "code" in part else [dressed(part["text"])]
    return [line.rstrip() for line in lines]


def dressed(text: str) -> str:
    """Sentences as text: **strong** loses its stars, `code` keeps its backquotes."""
    return re.sub(r"\*\*(.+?)\*\*", r"\1", text)


def _html(one: dict[str, Any], label: str) -> str:
    parts = [
        f"<p><strong>{_esc(label)}</strong> · " * bool(label) + "<p>" * (not label) + f"{marks(one['question'])}</p>"
    ]
    if one.get("code"):
        parts.append(f"<pre>{_esc(one['code'])}</pre>")
    given = one.get("input", {})
    rows = given.get("rows", [])
    if rows and given["is"] == "choice":
        parts.append('<ol type="a">' + "".join(f"<li>{marks(r['text'])}</li>" for r in rows) + "</ol>")
    elif rows:
        tag = "pre" if given["is"] == "lines" else "span"
        parts.append(
            "<ul>"
            + "".join(f"<li><{tag}>{marks(r['text']) if tag == 'span' else _esc(r['text'])}</{tag}></li>" for r in rows)
            + "</ul>"
        )
    if one.get("status"):
        parts.append(f"<p><em>{_esc(one['status'])}</em></p>")
    for part in one.get("blocks", []):
        parts.append(f"<pre>{_esc(part['code'])}</pre>" if "code" in part else f"<p>{marks(part['text'])}</p>")
    return "".join(parts)


def _esc(text: str) -> str:
    return html.escape(str(text))


def marks(text: str) -> str:
    """Sentences as HTML: `code` and **strong** as elements, all else escaped."""
    made = re.sub(r"`([^`]+)`", r"<code>\1</code>", _esc(text))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", made).replace("\n", "<br>")
