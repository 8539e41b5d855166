"""A class at a glance: from returned notebooks and progress files, who did what, and which wrong answers how often."""

from __future__ import annotations

import csv
import html
import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autogradlab.inspectors.words import language, say
from autogradlab.lab import bank, copying, face, memory, records
from autogradlab.lab.answers import shown
from autogradlab.lab.predictions import LETTERS, Asked, label

__all__ = ["Class", "Radar", "gather"]

#: The columns of the table of learners: the kind of thing, and which states count as reached.
KINDS = {"predict": {"right", "wrong"}, "recall": {"right"}, "exercise": {"done"}, "parsons": {"done"}}


@dataclass
class Radar:
    """What a class answered to one prediction at its first try."""

    key: str
    question: str
    answered: int = 0
    right: int = 0
    skipped: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    why: dict[str, str] = field(default_factory=dict)  # a wrong answer, and the words that its learner was told


@dataclass
class Class:
    """The learners of a folder: for each, by question, the kind, the state, and the answers in order."""

    learners: dict[str, dict[str, dict[str, Any]]]

    def anonymous(self) -> Class:
        """The same class, its learners numbered in an order that does not follow their names."""
        order = sorted(self.learners, key=lambda name: json.dumps(self.learners[name], sort_keys=True))
        return Class({say("lab.class_learner", number=n): self.learners[name] for n, name in enumerate(order, 1)})

    def rows(self) -> list[tuple[str, dict[str, int], int]]:
        """For each learner how many of each kind are reached, and how many predictions were right at once."""
        found = []
        for name, answers in sorted(self.learners.items()):
            counts = {
                kind: sum(a["kind"] == kind and a["state"] in done for a in answers.values())
                for kind, done in KINDS.items()
            }
            at_once = sum(
                a["kind"] == "predict" and a["state"] == "right" and len(a["given"]) < 2 for a in answers.values()
            )
            found.append((name, counts, at_once))
        return found

    def radar(self) -> list[Radar]:
        """Every prediction that somebody answered, those with the most wrong answers first."""
        found: dict[str, Radar] = {}
        for answers in self.learners.values():
            for key, answer in answers.items():
                entry = _entry(key) if answer["kind"] == "predict" else None
                if entry is None:
                    continue
                one = found.setdefault(key, Radar(key, entry.say("question")))
                if not answer["given"]:
                    one.skipped += 1
                    continue
                one.answered += 1
                if answer["state"] == "right" and len(answer["given"]) < 2:
                    one.right += 1
                else:
                    words = _words(entry, answer["given"][0])
                    one.wrong[words] += 1
                    one.why[words] = _feedback(entry, answer["given"][0])
        return sorted(found.values(), key=lambda r: (-sum(r.wrong.values()), r.key))

    @property
    def text(self) -> str:
        rows = self.rows()
        width = max([len(name) for name, _, _ in rows], default=0)
        lines = [say("lab.class_count", count=len(rows)), ""]
        for name, counts, at_once in rows:
            done = counts["exercise"] + counts["parsons"]
            lines.append(
                f"{name:{width}}  "
                + say("lab.class_row", predict=counts["predict"], right=at_once, recall=counts["recall"], exercise=done)
            )
        radar = self.radar()
        lines += ["", say("lab.class_radar" if radar else "lab.class_unanswered")]
        for one in radar:
            lines += ["", f"{one.key}: {face.dressed(one.question)}", "  " + _tally(one)]
            for words, count in one.wrong.most_common():
                lines.append(f"  {count:>3} × {face.dressed(words)}")
                lines += [f"        {face.dressed(one.why[words])}"] * bool(one.why[words])
        return "\n".join(lines) + "\n"

    @property
    def html(self) -> str:
        heads = "".join(f"<th>{html.escape(say(f'lab.class_{name}'))}</th>" for name in ("name", *KINDS, "at_once"))
        body = "".join(
            f"<tr><td>{html.escape(name)}</td>"
            + "".join(f"<td>{counts[k]}</td>" for k in KINDS)
            + f"<td>{at_once}</td></tr>"
            for name, counts, at_once in self.rows()
        )
        radar = ""
        for one in self.radar():
            bars = "".join(
                f'<tr><td>{count}</td><td><span class="bar" style="width:{8 * count / one.answered:.1f}em"></span></td>'
                f"<td>{face.marks(words)}</td><td>{face.marks(one.why[words])}</td></tr>"
                for words, count in one.wrong.most_common()
            )
            table = f"<table>{bars}</table>" * bool(bars)
            lead = f"<h3>{html.escape(one.key)}</h3><p>{face.marks(one.question)}</p><p>{html.escape(_tally(one))}</p>"
            radar += f"<section>{lead}{table}</section>"
        title = html.escape(say("lab.class_title"))
        second = _line("h2", "lab.class_radar") if radar else _line("p", "lab.class_unanswered")
        lang = "zh-CN" if language() == "zh" else "en"
        return (
            f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>'
            f"<style>{STYLE}</style></head>\n"
            f"<body><main><h1>{title}</h1><table><tr>{heads}</tr>{body}</table>{second}{radar}</main></body></html>\n"
        )

    @property
    def csv(self) -> str:
        """One line for each answer: learner, question, kind, state, tries, first answer."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["learner", "question", "kind", "state", "tries", "first"])
        for name, answers in sorted(self.learners.items()):
            for key, a in sorted(answers.items()):
                first = a["given"][0] if a["given"] and a["kind"] in {"predict", "recall"} else ""
                writer.writerow(
                    [name, key, a["kind"], a["state"], max(len(a["given"]), a.get("tries", 0)), _plain(first)]
                )
        return out.getvalue()


STYLE = """\
body { font: 15px/1.5 system-ui, "Noto Sans CJK SC", sans-serif; color: #1b1f24;
  max-width: 60em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: .6em 0; }
td, th { border: 1px solid #d0d7de; padding: 2px 10px; text-align: left; }
.bar { display: inline-block; height: .8em; background: #c44e00; }
section { break-inside: avoid; } code { background: #f6f7f9; }
"""


def gather(folder: Path) -> Class:
    """The class whose work lies below a folder: `NAME/…` for each learner, or files called `NAME-LESSON.ipynb`."""
    if not folder.is_dir():
        raise copying.LessonError(say("cli.no_folder", folder=folder))
    learners: dict[str, dict[str, dict[str, Any]]] = {}
    for path in sorted(folder.rglob("*")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        if path.name == records.NAME:
            noted = _noted(path)
            mine = learners.setdefault(_learner(path, folder), {})
            learners[_learner(path, folder)] = noted | mine  # what a notebook says comes first
        elif path.suffix == ".ipynb":
            try:
                answers = memory.answers_of(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, AttributeError, TypeError):
                continue
            mine = learners.setdefault(_learner(path, folder), {})
            mine |= {key.split(" ")[-1]: answer for key, answer in answers.items() if "kind" in answer}
    if not learners:
        raise copying.LessonError(say("cli.nothing_returned", folder=folder))
    return Class(learners)


def _learner(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder).parts
    if len(parts) > 1:
        return parts[0]
    stems = sorted({lesson.path.stem for lesson in copying.lessons()}, key=len, reverse=True)
    for stem in stems:
        if path.stem.endswith(stem):
            return path.stem.removesuffix(stem).rstrip("-_ ") or path.stem
    return path.stem


def _noted(path: Path) -> dict[str, dict[str, Any]]:
    """A progress file's entries, in the form of answers."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["entries"].items()
        return {
            str(key): {
                "kind": str(e["kind"]),
                "state": str(e["state"]),
                "given": ([e["first"]] if "first" in e else []) * (2 if e.get("tries", 1) > 1 else 1),
                "tries": int(e.get("tries", 1)),
            }
            for key, e in entries
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _entry(key: str) -> bank.Entry | None:
    try:
        return bank.find(key, *bank.ASKED)
    except bank.LessonFault:
        return None


def _words(entry: bank.Entry, given: Any) -> str:
    """What an answer says: a choice by its words."""
    if entry.kind == "choice" and isinstance(given, str) and given in LETTERS:
        rows = Asked(entry, None, None).choices
        if LETTERS.index(given) < len(rows):
            return f"{given}) {label(rows[LETTERS.index(given)])}"
    if entry.kind == "order" and isinstance(given, list):
        said = {row["key"]: bank.in_language(row) for row in entry.rows("items")}
        return "; ".join(f"{n}. {said.get(key, key)}" for n, key in enumerate(given, 1))
    return f"`{_plain(given)}`"


def _feedback(entry: bank.Entry, given: Any) -> str:
    """What the learner was told after this answer, in a line: the misconception, as far as it was foreseen."""
    asked = Asked(entry, None, None)
    asked.given, asked.right = given, False
    try:
        return " ".join(" ".join(block["text"].split()) for block in asked.feedback())
    except (IndexError, ValueError, TypeError):  # the question has changed since
        return ""


def _line(tag: str, key: str) -> str:
    return f"<{tag}>{html.escape(say(key))}</{tag}>"


def _plain(given: Any) -> str:
    return (
        " ".join(map(str, given)) if isinstance(given, Sequence) and not isinstance(given, str) else str(shown(given))
    )


def _tally(one: Radar) -> str:
    said = say("lab.class_tally", answered=one.answered, right=one.right)
    return said + (say("lab.class_skipped", skipped=one.skipped) if one.skipped else "")
