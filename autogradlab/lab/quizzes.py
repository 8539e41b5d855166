"""`quiz`: questions to recall what lessons said, with a word on each wrong choice, and another try."""

from __future__ import annotations

import re
from typing import Any

from autogradlab.inspectors.words import say
from autogradlab.lab import bank, face, memory, records, running
from autogradlab.lab.predictions import Asked

__all__ = ["Quiz", "quiz"]


def quiz(name: str) -> Quiz:
    """Ask the questions that the entry `name` lists, of this lesson and earlier ones.

    Example:
        >>> from autogradlab.lab import quiz
        >>> questions = quiz("recall-14")
        >>> questions.answer(2, "a").score
        (1, 3)
    """
    entry = bank.find(name, "quiz")
    torch = running.library(running.caller())
    asked = []
    for question in entry.rows("questions"):
        full = question if "/" in question else f"{entry.lesson}/{question}"
        asked.append(Asked(bank.find(full, "choice", "number", "text", "tensor"), None, torch))
    return Quiz(entry, asked).again()


class Quiz(face.Face):
    """Some questions, as `quiz` gives them. `answer(number, choice)` answers one of them, as often as it takes; `score`
    counts.

    Example:
        >>> from autogradlab.lab import quiz
        >>> questions = quiz("recall-12")
        >>> questions.score
        (0, 3)
    """

    kind = "quiz"

    def __init__(self, entry: bank.Entry, asked: list[Asked]) -> None:
        super().__init__()
        self.entry = entry
        self.asked = asked
        self._faults: dict[int, str] = {}
        self._recalled = False

    @property
    def score(self) -> tuple[int, int]:
        """How many questions are answered rightly, and how many there are."""
        return sum(a.right is True for a in self.asked), len(self.asked)

    def answer(self, number: int, given: Any) -> Quiz:
        """Answer question `number` (1, 2, 3)."""
        if not 1 <= int(number) <= len(self.asked):
            raise ValueError(say("lab.no_such_question", number=number, count=len(self.asked)))
        asked = self.asked[int(number) - 1]
        if not asked.right:
            asked.commit(given)
            asked.compare()
            state = "right" if asked.right else "wrong"
            memory.keep(self._key(asked), "recall", state, list(asked.tries))
            records.note(asked.entry.key, "recall", state, asked.tries)
            self.refresh()
        return self

    def again(self) -> Quiz:
        """As it was answered in this notebook, if this is not the first time that it is asked."""
        for number, asked in enumerate(self.asked):
            kept = memory.recall(self._key(asked))
            if kept is None or asked.given is not None:
                continue
            try:
                for given in kept["given"]:
                    asked.commit(given)
                asked.compare()
                self._recalled = True
            except (ValueError, bank.LessonFault):
                self.asked[number] = Asked(asked.entry, None, asked._torch)
        return self

    def _key(self, asked: Asked) -> str:
        """A question that an earlier lesson asked, too, is asked anew here."""
        return f"{self.entry.key} {asked.entry.key}"

    def asks(self) -> list[str]:
        return [self._key(asked) for asked in self.asked]

    def answers(self) -> dict[str, Any]:
        found = {self._key(a): memory.recall(self._key(a)) for a in self.asked if a.given is not None}
        return {key: kept for key, kept in found.items() if kept}

    def receive(self, message: dict[str, Any]) -> None:
        if message.get("do") == "recall":
            self._take(message)
        if message.get("do") == "anew":
            for number, asked in enumerate(self.asked):
                memory.forget(self._key(asked))
                self.asked[number] = Asked(asked.entry, None, asked._torch)
            self._recalled = False
        if message.get("do") != "submit" or not str(message.get("task", "")).isdecimal():
            return
        number = int(message["task"])
        self._faults.pop(number, None)
        try:
            self.answer(number, message.get("value"))
        except (ValueError, bank.LessonFault) as error:
            self._faults[number] = str(error)

    def tasks(self) -> list[dict[str, Any]]:
        made = []
        for number, asked in enumerate(self.asked, 1):
            blocks = asked.feedback()
            if asked.right and (why := asked.entry.say("why")):
                blocks.append(face.block(why))
            if number in self._faults:
                blocks.append(face.block(self._faults[number], "warning"))
            state = "open" if asked.right is None else "right" if asked.right else "wrong"
            status = {
                "open": say("lab.open_quiz", number=number),
                "right": say("lab.right"),
                "wrong": say("lab.try_again", given=asked.given),
            }[state]
            question = asked.entry.say("question")
            if lesson := _earlier(asked.entry, self.entry.lesson):
                question = say("lab.from_lesson", question=question, lesson=lesson)
            question = f"**{number}.** {question}"
            buttons = [] if asked.right else [face.button("submit", say("lab.check_answer"), True)]
            if self._recalled and number == len(self.asked):
                buttons.append(face.button("anew", say("lab.anew_all")))
            made.append(
                face.task(
                    str(number),
                    question,
                    code=asked.entry.data.get("code", ""),
                    input=asked.input(bool(asked.right)),
                    status=status,
                    state=state,
                    blocks=blocks,
                    buttons=buttons,
                )
            )
        return made


def _earlier(entry: bank.Entry, lesson: str) -> str:
    """The number of the earlier lesson whose idea a question asks, or "": "09-memory-and-identity" is lesson 9."""
    asks = str(entry.data.get("recalls", "")) or (entry.key if entry.lesson != lesson else "")
    number = re.split("[-/]", asks)[0]
    return number.lstrip("0") or number
