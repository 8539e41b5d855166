"""`predict`: the learner commits to an answer, then the code runs and says what is so."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from autogradlab.inspectors.words import say
from autogradlab.lab import bank, face, records, running
from autogradlab.lab.answers import Raised, plain, read, same, shown, single

__all__ = ["Prediction", "predict"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
NOTHING: Any = object()


def predict(name: str, answer: Callable[[], Any] | None = None, *, guess: Any = NOTHING) -> Prediction:
    """Ask the learner for a prediction, then run the code and tell.

    name: the question, in lessons/questions. answer: a callable that computes what is right, on tensors of its own; it
    runs after the learner has committed. Without it the entry's own `answer` code is run. guess: the learner's answer,
    for those who type rather than click.

    >>> predict("accumulate-twice", answer=lambda: twice().grad)          # doctest: +SKIP
    Predict · What does `w.grad` hold after the second `backward()`?
      a) 3, as after the first
      b) 6
    Not answered yet: choose here, or run `_.answer("a")`.
    """
    entry = bank.find(name, *bank.ASKED)
    prediction = Prediction(entry, answer, running.library(running.caller()))
    return prediction.again() if guess is NOTHING else prediction.answer(guess)


class Asked:
    """A question with choices, a field to type into, or things to put in order; and the answer that is computed."""

    def __init__(self, entry: bank.Entry, answer: Callable[[], Any] | None, torch: Any) -> None:
        self.entry = entry
        self._answer = answer
        self._torch = torch
        self.given: Any = None  # what the learner said: a choice's letter, a value, a list of keys
        self.right: bool | None = None
        self.truth: Any = None
        self.tries = 0

    # -- the answer ------------------------------------------------------------------------------------------------

    def compute(self) -> Any:
        """What is right, by running the code; a choice's row where there are choices that say it."""
        if self._answer is not None:
            value = running.compute(self._answer, self._torch)
        elif "answer" in self.entry.data:
            ran = running.run(self.entry.data["answer"], self._torch)
            value = ran.value if ran.error is None else Raised(f"{type(ran.error).__name__}: {ran.error}")
        else:
            return None
        errors_meant = any("error" in row for row in self.choices) or self.entry.data.get("error")
        if isinstance(value, Raised) and not errors_meant:
            raise bank.LessonFault(say("lab.no_truth", error=value))
        return value

    @property
    def choices(self) -> list[dict[str, Any]]:
        return self.entry.rows("choices")

    def is_right(self, row: dict[str, Any], truth: Any) -> bool:
        """Whether a choice (or a row of `wrong`) says the computed answer."""
        if "error" in row:
            return isinstance(truth, Raised) and row["error"] in truth
        if "value" in row:
            return not isinstance(truth, Raised) and same(read(row["value"]), read(plain(truth)))
        return bool(row.get("right"))

    def letter(self, given: Any) -> str:
        """The letter of the choice that an answer means: its letter, its words, or its value."""
        rows = self.choices
        if isinstance(given, str) and given.strip().lower().rstrip(")") in LETTERS[: len(rows)] and given.strip():
            return given.strip().lower().rstrip(")")
        for letter, row in zip(LETTERS, rows, strict=False):
            if label(row) == given or ("value" in row and same(read(row["value"]), read(given))):
                return letter
        raise ValueError(say("lab.no_such_choice", given=shown(given), letters=", ".join(LETTERS[: len(rows)])))

    def commit(self, given: Any) -> None:
        """Take the learner's answer, compute the right one, and compare."""
        if self.entry.kind == "choice":
            self.given = self.letter(given)
        elif self.entry.kind == "order":
            keys = [row["key"] for row in self.entry.rows("items")]
            self.given = [str(g) for g in (given.replace(",", " ").split() if isinstance(given, str) else given)]
            if sorted(self.given) != sorted(keys):
                raise ValueError(say("lab.no_such_order", keys=", ".join(keys)))
        else:
            if self.entry.kind != "text" and isinstance(read(given), str):
                raise ValueError(say(f"lab.no_{self.entry.kind}", given=shown(given)))
            self.given = given
        self.tries += 1
        self.truth = self.compute()
        if self.entry.kind == "choice":
            right = [self.is_right(row, self.truth) for row in self.choices]
            if right.count(True) != 1:
                raise bank.LessonFault(f"{self.entry.key}: {right.count(True)} choices say {shown(plain(self.truth))}")
            self.right = right[LETTERS.index(self.given)]
        else:
            self.right = same(read(self.given), read(plain(self.truth)))

    # -- what is shown ---------------------------------------------------------------------------------------------

    def input(self, locked: bool) -> dict[str, Any]:
        kind = self.entry.kind
        if kind == "choice":
            rows = [{"key": k, "text": label(row)} for k, row in zip(LETTERS, self.choices, strict=False)]
            return {"is": "choice", "rows": rows, "picked": self.given or "", "locked": locked}
        if kind == "order":
            rows = [{"key": row["key"], "text": bank.in_language(row)} for row in self.entry.rows("items")]
            by_key = {row["key"]: row for row in rows}
            rows = [by_key[k] for k in self.given] if self.given else rows
            words = {name: say(f"lab.{name}") for name in ("up", "down", "keys_order")}
            return {"is": "order", "rows": rows, "locked": locked, "words": words}
        words = {"label": say(f"lab.field_{kind}")}
        return {"is": "field", "value": "" if self.given is None else str(self.given), "locked": locked, "words": words}

    def feedback(self) -> list[dict[str, Any]]:
        """Why this answer: the words for the choice that was made, else for a wrong answer that was foreseen."""
        if self.given is None:
            return []
        if self.entry.kind == "choice":
            said = bank.in_language(self.choices[LETTERS.index(self.given)].get("feedback", ""))
        else:
            rows = [r for r in self.entry.rows("wrong") if same(read(r["value"]), read(self.given))]
            said = bank.in_language(rows[0]) if rows and not self.right else ""
        return [face.block(said, "plain")] if said else []

    def truth_text(self) -> str:
        if self.entry.kind == "choice":
            at = [self.is_right(row, self.truth) for row in self.choices].index(True)
            return f"{LETTERS[at]}) {label(self.choices[at])}"
        if self.entry.kind == "order":
            by_key = {row["key"]: bank.in_language(row) for row in self.entry.rows("items")}
            return "; ".join(f"{n}. {by_key.get(str(k), k)}" for n, k in enumerate(plain(self.truth), 1))
        if self.entry.kind == "number":
            return f"`{shown(single(plain(self.truth)))}`"
        text = str(self.truth) if hasattr(self.truth, "tolist") else shown(plain(self.truth))
        return f"`{text}`" if "\n" not in text else f"\n{text}"


def label(row: dict[str, Any]) -> str:
    """The words of a choice; without words, its value as code."""
    return bank.in_language(row) if "en" in row else f"`{row.get('value', row.get('error', ''))}`"


class Prediction(face.Face):
    """A question, the learner's answer, and what is so. `answer(...)` commits, `reveal()` gives up and shows."""

    kind = "predict"

    def __init__(self, entry: bank.Entry, answer: Callable[[], Any] | None, torch: Any) -> None:
        super().__init__()
        self.asked = Asked(entry, answer, torch)
        self.revealed = False
        self._fault = ""
        self._recalled = False

    @property
    def state(self) -> str:
        """open, right, wrong, or revealed."""
        if self.revealed:
            return "revealed"
        return "open" if self.asked.right is None else "right" if self.asked.right else "wrong"

    def answer(self, given: Any) -> Prediction:
        """Commit to an answer: a choice's letter or value, a number, a tensor or its text, a list of keys."""
        if self.state == "open":
            self.asked.commit(given)
            records.note(self.asked.entry.key, "predict", self.state)
            self.refresh()
        return self

    def reveal(self) -> Prediction:
        """Show what is so without an answer of one's own."""
        if self.state == "open":
            self.asked.truth = self.asked.compute()
            self.revealed = True
            records.note(self.asked.entry.key, "predict", "revealed")
            self.refresh()
        return self

    def again(self) -> Prediction:
        """As it was answered on the page, if this is not the first time that it is asked."""
        if (given := face.answered.get(self._key, NOTHING)) is not NOTHING:
            with contextlib.suppress(ValueError, bank.LessonFault):  # what it needs is not there (any more): ask anew
                if given is None:
                    self.asked.truth = self.asked.compute()
                else:
                    self.asked.commit(given)
                self.revealed = given is None
                self._recalled = True
        return self

    @property
    def _key(self) -> str:
        return f"predict {self.asked.entry.key}"

    def receive(self, message: dict[str, Any]) -> None:
        self._fault = ""
        try:
            if message.get("do") == "submit":
                self.answer(message.get("value"))
                face.answered[self._key] = self.asked.given
            elif message.get("do") == "reveal":
                self.reveal()
                face.answered.setdefault(self._key, None)
            elif message.get("do") == "anew":
                face.answered.pop(self._key, None)
                self.asked = Asked(self.asked.entry, self.asked._answer, self.asked._torch)
                self.revealed = self._recalled = False
        except (ValueError, bank.LessonFault) as error:
            self._fault = str(error)

    def tasks(self) -> list[dict[str, Any]]:
        asked, entry = self.asked, self.asked.entry
        state = self.state
        example = {"choice": '"a"', "order": "[…]"}.get(entry.kind, "…")
        status = say("lab.open", example=example) if state == "open" else say(f"lab.{state}")
        blocks = [face.block(self._fault, "warning")] if self._fault else []
        if state in {"right", "wrong"} and entry.kind not in {"choice", "order"}:
            status += " " + say("lab.you_said", given=shown(asked.given))
        elif state == "wrong" and entry.kind == "choice":
            status += " " + say("lab.you_said", given=f"{asked.given})")
        if state != "open":
            blocks += asked.feedback()
            if state != "right" or entry.kind not in {"choice", "order"}:
                blocks.append(face.block(say("lab.it_is", truth=asked.truth_text())))
            blocks += [face.block(entry.say("why"))] if entry.say("why") else []
        buttons = [face.button("anew", say("lab.anew"))] if self._recalled else []
        if state == "open":
            buttons = [face.button("submit", say("lab.commit"), True), face.button("reveal", say("lab.show_me"))]
        return [
            face.task(
                entry.name,
                entry.say("question"),
                code=entry.data.get("code", ""),
                input=asked.input(state != "open"),
                status=status,
                state=state,
                blocks=blocks,
                buttons=buttons,
            )
        ]
