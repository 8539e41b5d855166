"""`check`, `hint` and `solution`: an exercise is judged by what its result does, never by how it is written."""

from __future__ import annotations

import inspect
import runpy
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from autogradlab.inspectors.snapshot.kinds import is_a
from autogradlab.inspectors.words import say
from autogradlab.lab import bank, cells, copying, face, memory, records, running
from autogradlab.lab.answers import plain, shown

__all__ = ["Check", "Help", "check", "hint", "is_stub", "solution"]

#: How far each exercise has come in this process: hints seen, tries, asked for the solution.
_hints: dict[str, int] = {}
_tries: dict[str, int] = {}
_asked: dict[str, int] = {}


def check(name: str, *objects: Any, **named: Any) -> Check:
    """Check an exercise: not attempted, not yet (which property fails, with its value), or done.

    The objects are those that the check's parameters name, looked up in the notebook; give them here to check others.
    A single dictionary is taken for a namespace.

    Example:
        >>> from autogradlab.lab import check
        >>> check("descend")
        Exercise · Repair `descend(w, steps)`: it must keep the same leaf and leave no gradient at the end.
        Not attempted yet.
        There is no `descend` here yet. Run the cell in which you write it, then run this one again.
    """
    entry = bank.find(name, "exercise")
    space = running.caller()
    judge = judge_of(entry)
    if len(objects) == 1 and is_a(objects[0], dict) and not named:
        space, objects = objects[0], ()
    names = [p for p in inspect.signature(judge).parameters if p != "torch"]
    given = {**space, **dict(zip(names, objects, strict=False)), **named}
    made = Check(entry, judge, given)
    made.run()
    return made


def hint(name: str) -> Help:
    """The next of the exercise's three hints.

    Example:
        >>> from autogradlab.lab import hint
        >>> hint("descend")
        Hint · 1 of 3
        `w = …` gives the name to a new result. You want the old leaf with a new value.
    """
    entry = bank.find(name, "exercise", "parsons")
    _hints[entry.key] = min(_hints.get(entry.key, 0) + 1, len(entry.rows("hints")))
    return Help(entry, "hint", _hints[entry.key])


def solution(name: str) -> Help:
    """The exercise's solution, once it was attempted, or when asked for twice.

    Example:
        >>> from autogradlab.lab import solution
        >>> solution("descend")
        Solution · Try it first; even a wrong attempt helps. Ask once more if you want to see it anyway.
    """
    entry = bank.find(name, "exercise", "parsons")
    _asked[entry.key] = _asked.get(entry.key, 0) + 1
    return Help(entry, "solution", int(_asked[entry.key] > 1 or _tries.get(entry.key, 0) > 0))


def judge_of(entry: bank.Entry) -> Callable[..., Iterable[Any]]:
    """The function that checks an exercise: in checks/<lesson>.py of its course, of the exercise's name."""
    path = (entry.course or copying.lessons_folder()) / "checks" / f"{entry.lesson}.py"
    if not path.is_file():
        raise bank.LessonFault(say("author.no_check_file", name=entry.key, file=f"checks/{path.name}"))
    name = entry.name.replace("-", "_")
    found = runpy.run_path(str(path)).get(name)
    if not callable(found):
        raise bank.LessonFault(say("author.no_function", file=f"checks/{path.name}", name=name))
    return found


class Check(face.Face):
    """What became of an exercise, as `check` gives it: its `state` is untried, notyet or done.

    Example:
        >>> from autogradlab.lab import check
        >>> done = check("double", lambda t: t * t)
        >>> done.state
        'notyet'
        >>> print(done.text.partition(" Found: ")[0])
        Exercise · Write `double(t)`, which returns twice the tensor.
        Not yet.
        ✗ Not true yet: the values are doubled.
        >>> check("double", lambda t: t + t).state
        'done'
    """

    kind = "check"

    def __init__(self, entry: bank.Entry, judge: Callable[..., Iterable[Any]], space: Mapping[str, Any]) -> None:
        super().__init__()
        self.entry = entry
        self._judge = judge
        self._space = space
        self.state = "untried"
        self.passed: list[str] = []
        self._blocks: list[dict[str, Any]] = []
        self._hints = 0  # so many of them are shown here
        self._solution: Help | None = None

    def run(self) -> None:
        """Judge the objects as they are now."""
        wanted = list(inspect.signature(self._judge).parameters)
        torch = running.library(self._space)
        given = {n: self._space.get(n, ...) if n != "torch" else torch for n in wanted}
        names = [n for n in wanted if n != "torch"]
        self._blocks = []
        if self._unread(names):
            return
        if missing := [n for n in names if n not in self._space]:
            self._blocks.append(face.block(say("lab.not_there", names=", ".join(f"`{n}`" for n in missing))))
        if any(is_stub(given[name]) for name in names):
            self.state = "untried"
            return
        self.state = "done"
        try:
            with running.aside(torch):
                for key, holds, *found in self._judge(**given):
                    if not self._property(str(key), bool(holds), found):
                        self.state = "notyet"
                        break
        except NotImplementedError:
            self.state, self._blocks = "untried", []
            return
        except bank.LessonFault:
            raise
        except running.RAISED as error:
            self.state = "notyet"
            line = _line_of(error)
            place = say("lab.in_line", line=line) if line else ""
            self._blocks.append(face.block(say("lab.raised", place=place, error=running.told(error)), "warning"))
        _tries[self.entry.key] = _tries.get(self.entry.key, 0) + 1
        if self.state == "done" and not self.passed:
            raise bank.LessonFault(say("author.no_property", name=self.entry.key))
        if self.state == "done" and (said := self.entry.say("success")):
            self._blocks.append(face.block(said))
        memory.keep(self.entry.key, "exercise", self.state, [_tries[self.entry.key]])
        records.note(self.entry.key, "exercise", self.state)

    def _unread(self, names: list[str]) -> bool:
        """Whether the cell that defines one of these could not be read as Python: what there is, is older than it."""
        for name in names:
            if (cell := cells.broken(name)) and isinstance(cell.error, SyntaxError):
                self.state = "notyet"
                fault = f"{type(cell.error).__name__}: {cell.error.msg}"
                said = say("lab.unread", name=f"`{name}`", line=cell.error.lineno or 1, error=f"`{fault}`")
                self._blocks.append(face.block(said, "warning"))
                return True
        return False

    def _property(self, key: str, holds: bool, found: list[Any]) -> bool:
        """Say a property. After it may come what was found, what is right, and the key of the mistake that this is."""
        words = self.entry.data.get("properties", {}).get(key)
        if words is None:
            raise bank.LessonFault(say("author.no_property_words", name=self.entry.key, key=key))
        said = bank.in_language(words)
        if holds:
            if key not in self.passed:  # what is tried on several numbers is said once
                self._blocks.append(face.block(say("lab.holds", words=said), "good"))
            self.passed.append(key)
            return True
        told = say("lab.fails", words=said)
        if found:
            told = say("lab.fails_with", words=said.rstrip(".。"), value=f"`{_short(found[0])}`")
        if len(found) > 1 and found[1] is not None:
            told = face.sentences(told, say("lab.expected", value=f"`{_short(found[1])}`"))
        self._blocks.append(face.block(told, "warning"))
        if len(found) > 2 and found[2]:
            self._blocks.append(face.block(bank.in_language(self.entry.data["mistakes"][found[2]])))
        return False

    def assert_done(self) -> Check:
        """Raise unless the exercise is done: for assignments that are graded by whether a cell fails."""
        assert self.state == "done", self.text
        return self

    def answers(self) -> dict[str, Any]:
        kept = memory.recall(self.entry.key)
        return {self.entry.key: kept} if kept and self.state != "untried" else {}

    def receive(self, message: dict[str, Any]) -> None:
        if message.get("do") == "hint":
            self._hints = hint(self.entry.key).number
        elif message.get("do") == "solution":
            self._solution = solution(self.entry.key)

    def _help(self) -> list[dict[str, Any]]:
        """The hints so far, each staying as others come, then the solution."""
        blocks = []
        helps = [Help(self.entry, "hint", n + 1) for n in range(self._hints)]
        for one in [*helps, *([self._solution] if self._solution else [])]:
            said = one.tasks()[0]
            lead = f"{say('lab.hint')} · {said['question']}" if one.kind == "hint" else said["question"]
            blocks += [face.block(lead, "muted"), *said.get("blocks", [])]
        return blocks

    def tasks(self) -> list[dict[str, Any]]:
        buttons = []
        if self.state != "done" and self._hints < len(self.entry.rows("hints")):
            buttons.append(face.button("hint", say("lab.next_hint")))
        buttons.append(face.button("solution", say("lab.show_solution")))
        return [
            face.task(
                self.entry.name,
                self.entry.say("question"),
                status=say(f"lab.{self.state}"),
                state=self.state,
                blocks=self._blocks + self._help(),
                buttons=buttons,
            )
        ]


class Help(face.Face):
    """A hint or a solution, as `hint` and `solution` give it; which of the two its `kind` says.

    Example:
        >>> from autogradlab.lab import hint
        >>> found = hint("row")
        >>> found.kind, found.number
        ('hint', 1)
    """

    def __init__(self, entry: bank.Entry, kind: str, number: int) -> None:
        super().__init__()
        self.entry = entry
        self.kind = kind
        self.number = number

    def tasks(self) -> list[dict[str, Any]]:
        if self.kind == "solution":
            if not self.number:
                return [face.task(self.entry.name, say("lab.solution_later"))]
            source = self.entry.data.get("solution") or "\n".join(self.entry.rows("lines"))
            why = [face.block(self.entry.say("why"))] if self.entry.say("why") else []
            return [face.task(self.entry.name, say("lab.one_solution"), blocks=[face.code(source), *why])]
        rows = self.entry.rows("hints")
        said = bank.in_language(rows[self.number - 1]) if rows else say("lab.no_hints")
        return [
            face.task(
                self.entry.name, say("lab.hint_of", number=self.number, count=len(rows)), blocks=[face.block(said)]
            )
        ]


def is_stub(value: Any) -> bool:
    """Whether nothing has been written yet: `...`, a function whose body is `...`, a class with only such methods."""
    if value is ...:
        return True
    if is_a(value, (staticmethod, classmethod)):
        value = value.__func__
    if is_a(value, types.FunctionType):
        empty = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE", "COPY_FREE_VARS", "LOAD_SMALL_INT"}
        import dis

        steps = list(dis.get_instructions(value.__code__))
        returned = [s.argval for s in steps if s.opname in {"RETURN_CONST", "LOAD_CONST", "LOAD_SMALL_INT"}]
        return {s.opname for s in steps} <= empty and all(v is None or v is ... for v in returned)
    if is_a(value, type):
        made = [v for v in vars(value).values() if isinstance(v, (types.FunctionType, staticmethod, classmethod))]
        return bool(made) and all(is_stub(v) for v in made)
    return False


def _short(value: Any) -> str:
    """A value as text; one that cannot say what it is, is told by its type."""
    try:
        if hasattr(value, "tolist"):
            text = str(value)
        else:
            text = shown(plain(value) if isinstance(value, (list, tuple)) else value)
    except Exception as error:
        text = f"{type(value).__name__} ({say('lab.no_repr', error=type(error).__name__)})"
    return text if len(text) <= 300 else text[:297] + "..."


def _line_of(error: BaseException) -> int | None:
    """The line of the learner's cell where it went wrong."""
    found, at = None, error.__traceback__
    while at is not None:
        if "ipykernel_" in at.tb_frame.f_code.co_filename or at.tb_frame.f_code.co_filename.startswith("<ipython"):
            found = at.tb_lineno
        at = at.tb_next
    return found
