"""`parsons`: lines to be put in order; judged by running them, so every order that works is right."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from autogradlab.inspectors.words import say
from autogradlab.lab import bank, face, memory, records, running

__all__ = ["Parsons", "parsons"]

INDENT = "    "


def parsons(name: str) -> Parsons:
    """Lines to put in order, some of which may not belong.

    Example:
        >>> from autogradlab.lab import parsons
        >>> puzzle = parsons("training-step")
        >>> puzzle
        Put in order · Three steps of descent towards the minimum of w², by hand. One line does not belong.
            w = torch.tensor([4.], requires_grad=True)
          a          w -= 0.25 * w.grad
          b      loss.backward()
          c  for step in range(3):
          d          w = w - 0.25 * w.grad
          e      with torch.no_grad():
          f      w.grad = None
          g      loss = (w * w).sum()
        Not tried yet: move the lines here, or run _.arrange(…) with their letters.
        >>> puzzle.arrange("c", ("g", 1), ("b", 1), ("e", 1), ("a", 2), ("f", 1)).state
        'done'
    """
    return Parsons(bank.find(name, "parsons"), running.library(running.caller())).again()


class Parsons(face.Face):
    """Lines, and the program made of them, as `parsons` gives it: its `state` is open, notyet or done. `arrange(...)`
    takes the letters of lines, with their depth where it counts, and judges the program.

    Example:
        >>> from autogradlab.lab import parsons
        >>> puzzle = parsons("column")
        >>> list(puzzle.lines.items())[:2]
        [('a', 'back = column.squeeze(1)'), ('b', 'column = a.squeeze(1)')]
        >>> puzzle.arrange("e", "c", "d", "a").state
        'done'
    """

    kind = "parsons"

    def __init__(self, entry: bank.Entry, torch: Any) -> None:
        super().__init__()
        self.entry = entry
        self._torch = torch
        lines = [str(line) for line in entry.rows("lines")]
        extra = {str(row["code"]): row for row in entry.rows("distractors")}
        every = [*lines, *extra]
        order = sorted(range(len(every)), key=lambda i: hashlib.sha256(f"{entry.key} {i}".encode()).hexdigest())
        if [every[i] for i in order][: len(lines)] == lines:
            order.reverse()
        self.indented = bool(entry.data.get("indent", False))
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.lines = {letters[n]: every[i].strip() if self.indented else every[i] for n, i in enumerate(order)}
        self._extra = {
            k: extra[line] for k, line in ((letters[n], every[i]) for n, i in enumerate(order)) if line in extra
        }
        at = {every[i]: letters[n] for n, i in enumerate(order)}
        #: An arrangement that works, the one that the lesson was written with.
        self.known = [(at[line], (len(line) - len(line.lstrip())) // len(INDENT)) for line in lines]
        self.arranged: list[tuple[str, int]] = []
        self.state = "open"
        self._blocks: list[dict[str, Any]] = []

    def source(self, arranged: Sequence[tuple[str, int]]) -> str:
        """The program that an arrangement is."""
        return "\n".join((INDENT * depth if self.indented else "") + self.lines[key] for key, depth in arranged)

    def arrange(self, *keys: str | tuple[str, int]) -> Parsons:
        """Put lines in order, by their letters, or `(letter, depth)` where lines are indented; then run them."""
        arranged = [(k, 0) if isinstance(k, str) else (k[0], int(k[1])) for k in keys]
        wrong = [k for k, _ in arranged if k not in self.lines]
        if wrong or len({k for k, _ in arranged}) < len(arranged):
            raise ValueError(say("lab.no_such_line", letters=", ".join(self.lines)))
        self.arranged = arranged
        self._judge()
        memory.keep(self.entry.key, "parsons", self.state, [list(line) for line in arranged])
        records.note(self.entry.key, "parsons", self.state)
        self.refresh()
        return self

    def again(self) -> Parsons:
        """As it was arranged in this notebook, if this is not the first time that it is asked."""
        kept = memory.recall(self.entry.key)
        if kept is not None and not self.arranged and (rows := self._rows(kept["given"])):
            self.arranged = rows
            self._judge()
        return self

    def _rows(self, given: Any) -> list[tuple[str, int]]:
        """Lines as a page or a file says them; none if these are not the lines of this puzzle."""
        try:
            rows = [(str(key), int(depth)) for key, depth in given]
        except (TypeError, ValueError):
            return []
        known = all(key in self.lines for key, _ in rows) and len(rows) == len({key for key, _ in rows})
        return rows if known else []

    def asks(self) -> list[str]:
        return [self.entry.key]

    def answers(self) -> dict[str, Any]:
        kept = memory.recall(self.entry.key)
        return {self.entry.key: kept} if kept and self.arranged else {}

    def receive(self, message: dict[str, Any]) -> None:
        value = message.get("value")
        if message.get("do") == "recall":
            self._take(message)
        elif message.get("do") == "submit" and isinstance(value, list):
            rows = self._rows((row.get("key"), row.get("depth", 0)) for row in value if isinstance(row, dict))
            if rows:
                self.arrange(*rows)

    def _judge(self) -> None:
        self._blocks = []
        ran = running.run(self.source(self.arranged) or "pass", self._torch, self._setup(), name="<your program>")
        if ran.error is not None:
            place = say("lab.in_line", line=ran.line) if ran.line else ""
            self._blocks.append(face.block(say("lab.raised", place=place, error=running.told(ran.error)), "warning"))
        else:
            for row in self.entry.rows("checks"):
                found = running.run(
                    row["expr"], self._torch, {k: v for k, v in ran.space.items() if k != "torch"} | {"out": ran.out}
                )
                if found.error is not None or not found.value:
                    self._blocks.append(face.block(say("lab.not_so", words=bank.in_language(row)), "warning"))
                    if found.error is not None:
                        self._blocks.append(face.block(f"`{running.told(found.error)}`", "muted"))
                    break
        self.state = "notyet" if self._blocks else "done"
        if self._blocks:
            used = [k for k, _ in self.arranged if k in self._extra]
            if used and (said := bank.in_language(self._extra[used[0]])) != "":
                self._blocks.append(face.block(f"`{self.lines[used[0]]}`: {said}"))
        elif said := self.entry.say("success"):
            self._blocks.append(face.block(said))

    def _setup(self) -> dict[str, Any]:
        if not self.entry.data.get("setup"):
            return {}
        ran = running.run(self.entry.data["setup"], self._torch)
        if ran.error is not None:
            raise bank.LessonFault(say("author.setup_raised", name=self.entry.key, error=repr(ran.error)))
        return {k: v for k, v in ran.space.items() if k not in {"torch", "__name__", "__builtins__"}}

    def tasks(self) -> list[dict[str, Any]]:
        names = ("lines_pool", "lines_program", "up", "down", "left", "right_indent", "take_out", "empty")
        rows = [{"key": k, "text": line} for k, line in self.lines.items()]
        placed = [{"key": k, "depth": d} for k, d in self.arranged]
        given = {
            "is": "lines",
            "rows": rows,
            "placed": placed,
            "indent": self.indented,
            "locked": False,
            "words": {n: say(f"lab.{n}") for n in names}
            | {"keys_lines": say("lab.keys_lines") + (say("lab.keys_indent") if self.indented else "")},
        }
        status = say("lab.open_lines") if self.state == "open" else say(f"lab.{self.state}")
        blocks = ([face.code(self.source(self.arranged))] if self.arranged else []) + self._blocks
        return [
            face.task(
                self.entry.name,
                self.entry.say("question"),
                code=self.entry.data.get("setup", ""),
                input=given,
                status=status,
                state=self.state,
                blocks=blocks,
                buttons=[face.button("submit", say("lab.run_it"), True)],
            )
        ]
