"""`predict`: the learner commits to an answer, runs the cell below, and is then told whether it was so, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autogradlab.inspectors.words import say
from autogradlab.lab import bank, cells, face, memory, records, running
from autogradlab.lab.answers import Raised, plain, read, same, shown, single

__all__ = ["Prediction", "predict"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
NOTHING: Any = object()


def predict(name: str, answer: Callable[[], Any] | None = None, *, guess: Any = NOTHING) -> Prediction:
    """Ask the learner for a prediction; the verdict comes when the code cell below has run.

    name: the question, in lessons/questions. answer: a callable that computes what is right, on tensors of its own; it
    runs for the verdict, not before. Without it the entry's own `answer` code is run. guess: the learner's answer, for
    those who type rather than click. In a script, where there are no cells, the verdict comes at once.

    Example:
        >>> from autogradlab.lab import predict
        >>> predict("scalar-dim")
        Predict · How many dimensions does `torch.tensor(3.5)` have?
        Not answered yet: answer here, or run _.answer(…).
        >>> predict("scalar-dim", guess=1)
        Predict · How many dimensions does `torch.tensor(3.5)` have?
        ✗ That is not right. You may try once more, with the help of the output below. You said 1.
        `torch.tensor([3.5])`, with brackets, has one. Here there are none.
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
        self.tries: list[Any] = []  # what was answered, first to last

    # -- the answer ------------------------------------------------------------------------------------------------

    def compute(self) -> Any:
        """What is right, by running the code; a choice's row where there are choices that say it."""
        if self._answer is not None:
            value = running.compute(self._answer, self._torch)
        elif "answer" in self.entry.data:
            ran = running.run(self.entry.data["answer"], self._torch)
            value = ran.value if ran.error is None else Raised(running.told(ran.error))
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
        """Take the learner's answer; nothing is computed yet."""
        if self.entry.kind == "choice":
            taken: Any = self.letter(given)
        elif self.entry.kind == "order":
            keys = [row["key"] for row in self.entry.rows("items")]
            taken = [str(g) for g in (given.replace(",", " ").split() if isinstance(given, str) else given)]
            if sorted(taken) != sorted(keys):
                raise ValueError(say("lab.no_such_order", keys=", ".join(keys)))
        else:
            if self.entry.kind != "text" and isinstance(read(given), str):
                raise ValueError(say(f"lab.no_{self.entry.kind}", given=shown(given)))
            taken = given
        self.given, self.right = taken, None
        self.tries.append(taken if isinstance(taken, (str, int, float, bool, list)) else str(taken))

    def compare(self) -> None:
        """Compute the right answer, and say whether the learner's is it."""
        self.truth = self.compute()
        if self.entry.kind == "choice":
            right = [self.is_right(row, self.truth) for row in self.choices]
            if right.count(True) != 1:
                answer = shown(plain(self.truth))
                said = say("author.right_choices_of", name=self.entry.key, count=right.count(True), answer=answer)
                raise bank.LessonFault(said)
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
        if self.given is None or self.right is None:
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
    """A question, the learner's answer, and what is so, as `predict` gives it. `answer(...)` commits, `reveal()` gives
    up and shows; `state` says how far it is.

    Example:
        >>> from autogradlab.lab import predict
        >>> prediction = predict("scalar-one")
        >>> prediction.state
        'open'
        >>> prediction.reveal().state
        'revealed'
    """

    kind = "predict"

    def __init__(self, entry: bank.Entry, answer: Callable[[], Any] | None, torch: Any) -> None:
        super().__init__()
        self.asked = Asked(entry, answer, torch)
        self.revealed = False
        self._shown_in = cells.first_shown(entry.key)
        self._fault = ""
        self._recalled = False

    @property
    def state(self) -> str:
        """open; committed, while the cell below has not run; again, where one more try is due; right,
        wrong or revealed."""
        if self.revealed:
            return "revealed"
        if self.asked.right is None:
            return "open" if self.asked.given is None else "committed"
        if self.asked.right:
            return "right"
        typed = self.asked.entry.kind in {"number", "tensor", "text"}
        return "again" if typed and len(self.asked.tries) < 2 else "wrong"

    def answer(self, given: Any) -> Prediction:
        """Commit to an answer: a choice's letter or value, a number, a tensor or its text, a list of keys."""
        if self.state in {"open", "again"}:
            before = self.asked.given, self.asked.right, list(self.asked.tries)
            self.asked.commit(given)
            self._keep()
            try:
                self._wait()
            except bank.LessonFault:  # nothing can be compared: it is as if nothing had been said
                self.asked.given, self.asked.right, self.asked.tries = before
                memory.forget(self.asked.entry.key)
                raise
            self.refresh()
        return self

    def reveal(self) -> Prediction:
        """Show what is so: without an answer of one's own, or without waiting for the cell below."""
        if self.state == "committed":
            self._compare()
        elif self.state in {"open", "again"}:
            self.asked.truth = self.asked.compute()
            self.revealed = True
            self._told()
        return self

    def cell_has_run(self) -> bool:
        """A cell of the notebook has run; whether there is nothing more to wait for."""
        try:
            return self._due()
        except bank.LessonFault as fault:
            self._fault = str(fault)
            self.refresh()
            return False

    def _due(self) -> bool:
        """Say the verdict if the cell below has run by now; whether it is said."""
        if self.state == "committed" and (
            len(self.asked.tries) > 1 or cells.has_run(bank.below(self.asked.entry), self._shown_in)
        ):
            self._compare()
        return self.state != "committed"

    def _wait(self) -> None:
        if not self._due():
            cells.on_run(self)

    def _compare(self) -> None:
        self.asked.compare()
        self._told()

    def _told(self) -> None:
        self._keep()
        records.note(
            self.asked.entry.key, "predict", "wrong" if self.state == "again" else self.state, self.asked.tries
        )
        self.refresh()

    def _keep(self) -> None:
        memory.keep(self.asked.entry.key, "predict", self.state, list(self.asked.tries))

    def again(self) -> Prediction:
        """As it was answered in this notebook, if this is not the first time that it is asked."""
        kept = memory.recall(self.asked.entry.key)
        if kept is None or self.state != "open":
            return self
        try:
            for given in kept["given"]:
                self.asked.commit(given)
            if kept["state"] == "revealed":
                self.asked.truth, self.revealed = self.asked.compute(), True
            elif kept["state"] != "committed":
                self.asked.compare()
            else:
                self._wait()
            self._recalled = self.state != "open"
        except (ValueError, bank.LessonFault):  # what it needs is not there (any more): ask anew
            self.asked = Asked(self.asked.entry, self.asked._answer, self.asked._torch)
            self.revealed = False
        return self

    def receive(self, message: dict[str, Any]) -> None:
        self._fault = ""
        try:
            if message.get("do") == "submit":
                self.answer(message.get("value"))
            elif message.get("do") == "reveal":
                self.reveal()
            elif message.get("do") == "recall":
                self._take(message)
            elif message.get("do") == "anew":
                memory.forget(self.asked.entry.key)
                self.asked = Asked(self.asked.entry, self.asked._answer, self.asked._torch)
                self.revealed = self._recalled = False
        except (ValueError, bank.LessonFault) as error:
            self._fault = str(error)

    def asks(self) -> list[str]:
        return [self.asked.entry.key]

    def answers(self) -> dict[str, Any]:
        kept = memory.recall(self.asked.entry.key)
        return {self.asked.entry.key: kept} if kept and self.state != "open" else {}

    def tasks(self) -> list[dict[str, Any]]:
        asked, entry = self.asked, self.asked.entry
        state = self.state
        example = {"choice": '"a"', "order": "[…]"}.get(entry.kind, "…")
        status = say("lab.open", example=example) if state == "open" else say(f"lab.{state}")
        blocks = [face.block(self._fault, "warning")] if self._fault else []
        if entry.kind not in {"choice", "order"} and state in {"committed", "again", "right", "wrong"}:
            status = face.sentences(status, say("lab.you_said", given=shown(asked.given)))
        elif state in {"committed", "wrong"} and entry.kind == "choice":
            status = face.sentences(status, say("lab.you_said", given=f"{asked.given})"))
        if state not in {"open", "committed"}:
            blocks += asked.feedback()
        if state in {"right", "wrong", "revealed"}:
            if state != "right" or entry.kind not in {"choice", "order"}:
                blocks.append(face.block(say("lab.it_is", truth=asked.truth_text())))
            blocks += [face.block(part) for part in entry.say("why").split("\n\n") if part.strip()]
        return [
            face.task(
                entry.name,
                entry.say("question"),
                code=entry.data.get("code", ""),
                input=asked.input(state not in {"open", "again"}),
                status=status,
                state=state,
                blocks=blocks,
                buttons=self._buttons(),
            )
        ]

    def _buttons(self) -> list[dict[str, Any]]:
        if self.state in {"open", "again"}:
            return [face.button("submit", say("lab.commit"), True), face.button("reveal", say("lab.show_me"))]
        anew = face.button("anew", say("lab.other_answer" if self.state == "committed" else "lab.anew"))
        if self.state == "committed":
            return [anew, face.button("reveal", say("lab.not_wait"))]
        return [anew] if self._recalled else []
