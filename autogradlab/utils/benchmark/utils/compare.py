"""Tables of measurements (mirrors `torch.utils.benchmark.utils.compare`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from typing import Any

from ....ops.first.create import tensor
from .common import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

__all__ = ["Colorize", "Compare"]

_BOLD, _END = "\033[1m", "\033[0m"
_BEST, _GOOD, _WORST, _BAD = "\033[92m" + _BOLD, "\033[34m" + _BOLD, "\033[31m" + _BOLD, "\033[2m\033[91m"
_VARIANCE = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"


class Colorize(Enum):
    """Which times a colour compares. Mirrors `torch.utils.benchmark.Colorize`."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def _coloured(text: str, time: float, best: float) -> str:
    """Text in the colour of a time beside the best one."""
    if time <= best * 1.01 or time <= best + 100e-9:
        return _BEST + text + _END * 2
    if time <= best * 1.1:
        return _GOOD + text + _END * 2
    if time >= best * 5:
        return _WORST + text + _END * 2
    return _BAD + text + _END * 2 if time >= best * 2 else text


@dataclass
class _Column:
    """How the times of a column are written: as wide as the longest needs, with the digits that all of them have."""

    times: list[Measurement]
    scale: float
    trims: bool
    warns: bool

    def __post_init__(self) -> None:
        before = [int(tensor(m.median / self.scale).log10().ceil()) for m in self.times]
        known = (max(m.significant_figures - digits, 0) for m, digits in zip(self.times, before, strict=True))
        after = min(known) if self.trims else 1
        self._form = f"{max(before) + after + bool(after)}.{after}f"
        self._more = 7 if self.warns and any(m.has_warnings for m in self.times) else 0

    def text(self, m: Measurement | None) -> str:
        """A time; spaces for none."""
        if m is None:
            return " " * (len(format(1, self._form)) + self._more)
        time = m.median / self.scale
        if self.trims:
            time = trim_sigfig(time, m.significant_figures)
        spread = f" (! {m.iqr / m.median * 100:.0f}%)" if self._more and m.has_warnings else ""
        return format(time, self._form) + spread.rjust(self._more)


Row = tuple[int, str | None, str]


class _Table:
    """The measurements of one label: rows by threads, env and sub_label, columns by description."""

    def __init__(self, results: list[Measurement], colours: Colorize, trims: bool, warns: bool) -> None:
        self.results, self.colours, self.warns = results, colours, warns
        self.unit, self.scale = select_unit(min(m.median for m in results))
        self.cells = {(self.row_of(m), m.description): m for m in results}
        self.rows = sorted(ordered_unique(map(self.row_of, results)), key=lambda row: row[:2])
        self.names: list[Any] = ordered_unique(m.description for m in results)
        self.columns = [
            _Column([m for row in self.rows if (m := self.cells.get((row, name)))], self.scale, trims, warns)
            for name in self.names
        ]

    @staticmethod
    def row_of(m: Measurement) -> Row:
        return m.num_threads, m.env, m.as_row_name

    def firsts(self) -> list[str]:
        """What stands before the times: the env where it changes, and the name of the row."""
        envs = ordered_unique(env for _, env, _ in self.rows)
        wide = 4 + (max(map(len, envs)) if len(envs) > 1 else 0)  # type: ignore[arg-type]
        out = []
        for _, rows in groupby(self.rows, lambda row: row[0]):
            before: str | None = ""
            for _, env, name in rows:
                shown = f"({env})" if len(envs) > 1 and env != before else ""
                out.append(f"  {shown.ljust(wide)}{name}")
                before = env
        return out

    def best(self, row: Row, name: str) -> float:
        """The least time that a cell is compared with: that of its row, or of its column with as many threads."""
        if self.colours is Colorize.ROWWISE:
            return min(m.median for (where, _), m in self.cells.items() if where == row)
        return min(m.median for (where, of), m in self.cells.items() if where[0] == row[0] and of == name)

    def cell(self, row: Row, name: str, text: str) -> str:
        m = self.cells.get((row, name))
        if m is None or self.colours is Colorize.NONE:
            return text
        return _coloured(text, m.median, self.best(row, name))

    def render(self) -> str:
        """The table, its unit below."""
        named = zip(self.names, self.columns, strict=True)
        texts = [[column.text(self.cells.get((row, name))) for row in self.rows] for name, column in named]
        firsts = self.firsts()
        first = max(map(len, firsts))
        widths = [max(len(name), *map(len, column)) for name, column in zip(self.names, texts, strict=True)]
        head = [" " * first, *(name.center(wide) for name, wide in zip(self.names, widths, strict=True))]
        lines = ["  |  ".join(head)]
        across, threads = len(lines[0]), None
        for row, begin, *times in zip(self.rows, firsts, *texts, strict=True):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(across, "-"))
            cells = zip(self.names, times, widths, strict=True)
            lines.append("  |  ".join([begin.ljust(first), *(self.cell(row, n, t.center(w)) for n, t, w in cells)]))
        title = f" {self.results[0].label or ''} ".center(across - 2, "-")
        note = _VARIANCE if self.warns and any(m.has_warnings for m in self.results) else ""
        return "\n".join([f"[{title}]", *lines, "", f"Times are in {unit_to_english(self.unit)}s ({self.unit}).", note])


class Compare:
    """A table for each label of the Measurements: a row for each sub_label, by threads and env; a column for each
    description. Several Measurements of one task count as one. `str` gives it, `print()` prints it.

    Errors: ValueError for what is no Measurement.

    Example:
        >>> from autogradlab.utils.benchmark import Compare, Measurement, TaskSpec
        >>> tasks = [TaskSpec("f(x)", "", label="f", sub_label=kind, description="n=1") for kind in ("float", "int")]
        >>> Compare([Measurement(1, [3e-6 * n], task) for n, task in enumerate(tasks, 1)]).print()
        [------- f -------]
                     |  n=1
        1 threads: --------
              float  |  3.0
              int    |  6.0

        Times are in microseconds (us).

    Mirrors `torch.utils.benchmark.Compare`.
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trim_significant_figures = False
        self._colorize = Colorize.NONE
        self._highlight_warnings = False

    def __str__(self) -> str:
        labels: dict[Any, list[Measurement]] = {}
        for one in Measurement.merge(self._results):
            labels.setdefault(one.label, []).append(one)
        how = self._colorize, self._trim_significant_figures, self._highlight_warnings
        return "\n".join(_Table(results, *how).render() for results in labels.values())

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add Measurements to those that are here."""
        results = list(results)
        for one in results:
            if not isinstance(one, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(one)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Write no more digits of a time than mean something."""
        self._trim_significant_figures = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colour times by the best one of their column, or of their row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Mark the times that differ too much between runs."""
        self._highlight_warnings = True

    def print(self) -> None:
        """Print the tables."""
        print(str(self))
