"""A lesson to begin with: it runs, asks, checks and passes at once; the author replaces its subject by theirs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from autogradlab.inspectors.words import say
from autogradlab.lab.copying import LANGUAGES, LessonError

from .book import execute, lesson_files, normalise, read
from .pairs import pack, packed, store, synced
from .wording import tables

__all__ = ["begin"]

#: The code of the lesson; `{lesson}` is its number. Cells are in every language the same.
CODE = {
    "setup": """\
import autogradlab as torch
from autogradlab import inspectors as lab
from autogradlab.lab import check, predict, quiz""",
    "guess": 'predict("{lesson}/slope")',
    "slope": """\
w = torch.tensor([3.], requires_grad=True)
y = w * w
y.backward()
print(w.grad)""",
    "look": """\
w = torch.tensor([3.], requires_grad=True)
y = w * w
lab.step(y)""",
    "write": """\
def slope(w):
    ...""",
    "check": 'check("{lesson}/slope-of-cube")',
    "recall": 'quiz("{lesson}/recall")',
    "asserts": """\
w = torch.tensor([3.], requires_grad=True)
(w * w).backward()
assert w.grad.item() == 6.""",
}
ROLES = {
    "setup": "setup", "guess": "predict", "slope": "run", "look": "look", "write": "exercise", "check": "check",
    "recall": "recall", "asserts": "assert",
}  # fmt: skip
#: The prose, in the order of the lesson, around the code cells named in between.
ORDER = ["goals", "setup", "guess-first", "guess", "slope", "look-closer", "look", "exercise", "write", "check",
         "recall-it", "recall", "sure", "asserts"]  # fmt: skip
PROSE = {
    "en": {
        "goals": (
            "# {number} · {title}\n\n"
            "After this lesson you can say what `backward()` leaves in `w.grad`.\n\n**10 minutes.**"
        ),
        "guess-first": "## Predict\n\nCommit to an answer before you run what follows.",
        "look-closer": "## Look\n\nThe same backward pass, one Node at a time. Use the arrow keys.",
        "exercise": "## Exercise\n\nWrite `slope(w)`, then run the check.",
        "recall-it": "## Recall",
        "sure": "## To be sure\n\nIf this cell is silent, all that the lesson says is so.",
    },
    "zh": {
        "goals": (
            "# {number} · {title}\n\n学完这一课，你能说出 `backward()` 在 `w.grad` 里留下什么。\n\n**约 10 分钟。**"
        ),
        "guess-first": "## 预测\n\n先给出答案，再运行下面的单元格。",
        "look-closer": "## 看一看\n\n同一次反向传播，一次一个节点。用方向键走。",
        "exercise": "## 练习\n\n写出 `slope(w)`，然后运行检查。",
        "recall-it": "## 回想",
        "sure": "## 最后确认\n\n这个单元格没有输出，就说明这一课说的都对。",
    },
}
#: The questions: `{text:…}` is said in each of the lesson's languages.
QUESTIONS = '''\
# The questions of this lesson. The guide says what each kind can have: docs/authors.md.

[slope]
kind = "number"
{question}
answer = """
w = torch.tensor([3.], requires_grad=True)
(w * w).backward()
w.grad
"""
{why}
[[slope.wrong]]
value = 9
{nine}

[recall]
kind = "quiz"
questions = ["who-adds", "what-shape", "{third}"]

[who-adds]
kind = "choice"
{who}
[[who-adds.choices]]
{who_sum}
right = true
[[who-adds.choices]]
{who_last}
{who_last_feedback}

[what-shape]
kind = "choice"
{shape}
[[what-shape.choices]]
{shape_root}
{shape_root_feedback}
[[what-shape.choices]]
{shape_leaf}
right = true

{which_leaf}[slope-of-cube]
kind = "exercise"
{write}
stub = """
def slope(w):
    ...
"""
solution = """
def slope(w):
    (w ** 3).sum().backward()
    return w.grad
"""
{success}
{right}
[[slope-of-cube.hints]]
{hint_one}
[[slope-of-cube.hints]]
{hint_two}
[[slope-of-cube.hints]]
{hint_three}
'''
#: The third question of the recall, in a course's first lesson; a later one asks again what an earlier lesson asked.
WHICH_LEAF = """\
[which-leaf]
kind = "text"
{leaf}
answer = "(torch.ones(1, requires_grad=True) * 2).is_leaf"

"""
WORDS: dict[str, tuple[str, str, str]] = {
    "question": (
        "question.{lang}",
        "What is `w.grad` of `y = w * w` at `w = 3`?",
        "`w = 3` 时，`y = w * w` 的 `w.grad` 是多少？",
    ),
    "why": ("why.{lang}", "Two ways lead from `y` to `w`, and each brings 3.", "从 `y` 到 `w` 有两条路，每条带来 3。"),
    "nine": ("{lang}", "9 is `y` itself.", "9 是 `y` 本身。"),
    "who": (
        "question.{lang}",
        "Two ways lead from the root to a leaf. Its gradient is …",
        "从根到一个叶子有两条路。这个叶子的梯度是……",
    ),
    "who_sum": ("{lang}", "the sum of what both bring", "两条路带来的梯度之和"),
    "who_last": ("{lang}", "what the last one brings", "后到的那一条路带来的梯度"),
    "who_last_feedback": ("feedback.{lang}", "Nothing is overwritten on the way.", "路上没有什么会被覆盖。"),
    "shape": ("question.{lang}", "Which shape does `w.grad` have?", "`w.grad` 是什么形状？"),
    "shape_root": ("{lang}", "that of the root", "根的形状"),
    "shape_root_feedback": ("feedback.{lang}", "The root is often one number.", "根常常只是一个数。"),
    "shape_leaf": ("{lang}", "that of `w`", "`w` 的形状"),
    "leaf": ("question.{lang}", "What does `(w * 2).is_leaf` say?", "`(w * 2).is_leaf` 是什么？"),
    "write": (
        "question.{lang}",
        "Write `slope(w)`, which returns the gradient of `w ** 3` at `w`.",
        "写出 `slope(w)`：返回 `w ** 3` 在 `w` 处的梯度。",
    ),
    "success": ("success.{lang}", "That is 3w².", "这就是 3w²。"),
    "right": ("properties.right.{lang}", "It is 3w².", "结果是 3w²。"),
    "hint_one": ("{lang}", "Which call fills `.grad`?", "哪个调用会填上 `.grad`？"),
    "hint_two": ("{lang}", "`backward()` begins at one number.", "`backward()` 从一个数开始。"),
    "hint_three": ("{lang}", "`(w ** 3).sum().backward()`", "`(w ** 3).sum().backward()`"),
}  # fmt: skip
CHECKS = '''\
"""What judges the exercises of this lesson: each yields (property, whether it holds, what was found)."""


def slope_of_cube(slope, torch):
    for value in (1.0, 2.0, -3.0):
        w = torch.tensor([value], requires_grad=True)
        found = slope(w)
        yield "right", found is not None and found.item() == 3 * value**2, found
'''


def begin(title: str, course: Path, languages: Sequence[str]) -> list[Path]:
    """Write a new lesson of that title into a course; the files made, the notebooks run."""
    if not title.strip():
        raise LessonError(say("cli.new_untitled"))
    if unknown := [lang for lang in languages if lang not in LANGUAGES]:
        raise LessonError(say("cli.new_language", given=", ".join(unknown), known=", ".join(LANGUAGES)))
    languages = [lang for lang in LANGUAGES if lang in languages]  # the first is the original
    number = 1 + max((int(p.stem[:2]) for p in lesson_files(course) if p.stem[:2].isdecimal()), default=0)
    stem = f"{number:02}-{_kebab(title) or 'lesson'}"
    fields = {"number": number, "title": title, "lesson": f"{number:02}"}
    notebooks = [course / lang / f"{stem}.ipynb" for lang in languages]
    files = {
        course / "questions" / f"{stem}.toml": _questions(languages, _asked_before(course)),
        course / "checks" / f"{stem}.py": CHECKS,
    }
    if there := [path for path in (*notebooks, *files) if path.exists()]:
        raise LessonError(say("cli.new_there", path=there[0]))
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    for lang, path in zip(languages, notebooks, strict=True):
        if path == notebooks[0]:
            store(path, normalise(pack(_draft(lang, fields))))
            store(path, normalise(execute(read(path), path.parent, language=lang)))
        else:
            store(path, packed(_draft(lang, fields, code=False), path))
            store(path, synced(path))  # its cards in its own language
    return [*notebooks, *files]


def _kebab(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))


def _draft(lang: str, fields: dict[str, object], code: bool = True) -> str:
    """The lesson in plain text; a translation has the prose alone."""
    parts = []
    for name in ORDER:
        if name in CODE:
            if code:
                parts.append(
                    f"%% {name} code role={ROLES[name]}\n{CODE[name].replace('{lesson}', str(fields['lesson']))}\n"
                )
        else:
            role = "goals" if name == "goals" else "prose"
            parts.append(f"%% {name} markdown role={role}\n{PROSE[lang][name].format(**fields)}\n")
    return "\n".join(parts)


def _asked_before(course: Path) -> str:
    """A question of an earlier lesson that a recall can ask again, or "": there is none."""
    for stem, entries in reversed(tables(course).items()):
        for name, entry in entries.items():
            answered = "answer" in entry or any("right" in row for row in entry.get("choices", []))
            if entry.get("kind") in {"choice", "number", "tensor", "text"} and answered:
                return f"{stem}/{name}"
    return ""


def _questions(languages: Sequence[str], earlier: str) -> str:
    said = {}
    for name, (key, *words) in WORDS.items():
        rows = [(lang, text) for lang, text in zip(LANGUAGES, words, strict=True) if lang in languages]
        said[name] = "\n".join(f'{key.format(lang=lang)} = "{text}"' for lang, text in rows)
    which_leaf = "" if earlier else WHICH_LEAF.format(**said)
    return QUESTIONS.format(third=earlier or "which-leaf", which_leaf=which_leaf, **said)
