"""What was timed, what came out, and how times are written (mirrors `torch.utils.benchmark.utils.common`)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from textwrap import indent
from typing import Any, TypeVar

from ....core.runtime.settings import get_num_threads, set_num_threads
from ....core.types.dtypes import float64
from ....ops.first.create import tensor

__all__ = [
    "Measurement",
    "TaskSpec",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "trim_sigfig",
    "unit_to_english",
]

T = TypeVar("T", bound=Hashable)

#: units by the power of a thousand, their seconds and their names
_UNITS = {"ns": (-3, 1e-9, "nanosecond"), "us": (-2, 1e-6, "microsecond"), "ms": (-1, 1e-3, "millisecond")}
_SECOND = ("s", 1)
_WIDE, _VERY_WIDE = 0.1, 0.25
_SPREAD = "  WARNING: Interquartile range is {:.1f}% of the median measurement.\n           {}"
_SYSTEM = "This could indicate system fluctuation."
_SURROUNDINGS = "This suggests significant environmental influence."


@dataclass(repr=False, frozen=True)
class TaskSpec:
    """What a Timer was told, except for its globals.

    Example:
        >>> from autogradlab.utils.benchmark import TaskSpec
        >>> print(TaskSpec("x + 1", "x = 2", sub_label="int", num_threads=4).summarize())
        x + 1: int
        setup: x = 2

    Mirrors `torch.utils.benchmark.TaskSpec`.
    """

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement, with the sub_label."""
        if self.label is None and "\n" in self.stmt:
            more = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{more}\n{indent(self.stmt, '  ')}"
        more = f": {self.sub_label}" if self.sub_label else ""
        return (self.stmt if self.label is None else self.label) + more

    def setup_str(self) -> str:
        """The setup, in words; nothing for none."""
        if self.setup in ("", "pass"):
            return ""
        return f"setup:\n{indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup, one below the other; an empty line follows what takes several lines."""
        parts = (self.title, self.description, self.setup_str())
        return "\n".join(part + "\n" * ("\n" in part) for part in parts if part)


@dataclass(repr=False)
class Measurement:
    """Times of a statement, each of `number_per_run` runs, and what they say: `times` of one run, their `median`, their
    `mean` and their interquartile range `iqr`. The fields of its TaskSpec are its own too.

    Example:
        >>> from autogradlab.utils.benchmark import Measurement, TaskSpec
        >>> m = Measurement(10, [2e-5, 4e-5, 3e-5], TaskSpec("f(x)", "pass", num_threads=2))
        >>> print(f"{m.median:.1e} {m.iqr:.1e}", m.num_threads)
        3.0e-06 1.0e-06 2
        >>> for line in str(m).splitlines()[1:]:
        ...     print(line)
        ...
        f(x)
          Median: 3.00 us
          3 measurements, 10 runs per measurement, 2 threads
          WARNING: Interquartile range is 33.3% of the median measurement.
                   This suggests significant environmental influence.

    Mirrors `torch.utils.benchmark.Measurement`.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in _TOLD:
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @cached_property
    def _sorted_times(self) -> tuple[float, ...]:
        return tuple(sorted(self.times))

    @cached_property
    def _quartiles(self) -> tuple[float, float, float]:
        if not self._sorted_times:
            return -1.0, -1.0, -1.0
        times = tensor(self._sorted_times, dtype=float64)
        low, middle, high = (times.quantile(q).item() for q in (0.25, 0.5, 0.75))
        return low, middle, high

    @property
    def times(self) -> list[float]:
        """The seconds of one run."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def median(self) -> float:
        """The middle one of the times."""
        return self._quartiles[1]

    @cached_property
    def mean(self) -> float:
        """The average of the times."""
        return float(tensor(self._sorted_times, dtype=float64).mean().item()) if self._sorted_times else -1.0

    @property
    def iqr(self) -> float:
        """The distance between the first and the third quartile of the times."""
        low, _, high = self._quartiles
        return high - low

    @property
    def significant_figures(self) -> int:
        """How many digits of the median mean something, 1 to 4, by the spread of the middle half of the times."""
        n = len(self._sorted_times)
        middle = tensor(self._sorted_times[n // 4 : -(-3 * n // 4)])
        error = 1.645 * middle.std(correction=0).item() / tensor(middle.numel()).sqrt().item()
        digits = tensor(self.median / max(error, 25e-9)).log10().floor().item()
        return min(max(int(digits), 1), 4)

    @property
    def has_warnings(self) -> bool:
        """Whether the times differ too much."""
        return bool(self._warning)

    @cached_property
    def _warning(self) -> str:
        if not self._sorted_times or self.meets_confidence(_WIDE):
            return ""
        why = _SYSTEM if self.meets_confidence(_VERY_WIDE) else _SURROUNDINGS
        return _SPREAD.format(self.iqr / self.median * 100, why)

    def meets_confidence(self, threshold: float = _WIDE) -> bool:
        """Whether the interquartile range is less than this part of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        """The label, or the statement, with the sub_label."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """What a row of a table is called."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __repr__(self) -> str:
        n, threads = len(self._sorted_times), self.task_spec.num_threads
        unit, scale = select_unit(self.median)
        low, median, high = (time / scale for time in self._quartiles)
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if n > 1 else ''}{median:.2f} {unit}")
        if n >= 4:
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        measured = f"{n} measurements" if n > 1 else f"{n} measurement"
        runs = "runs per measurement" if n > 1 else "runs "
        lines.append(f"  {measured}, {self.number_per_run} {runs}, {threads} thread{'s' if threads > 1 else ''}")
        return "\n".join([*lines, self._warning]).strip()

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One Measurement for each task, with the times of a run of all those that are given of it."""
        found: dict[TaskSpec, list[float]] = {}
        for one in measurements:
            found.setdefault(one.task_spec, []).extend(one.times)
        return [Measurement(1, times, task) for task, times in found.items()]


_TOLD = frozenset(field.name for field in fields(TaskSpec))


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time has one to three digits before the point, and its seconds.

    Example:
        >>> from autogradlab.utils.benchmark import select_unit
        >>> select_unit(0.02)
        ('ms', 0.001)

    Mirrors `torch.utils.benchmark.select_unit`.
    """
    thousands = int(tensor(t).log10().item() // 3)
    return next(((unit, seconds) for unit, (power, seconds, _) in _UNITS.items() if power == thousands), _SECOND)


def unit_to_english(u: str) -> str:
    """The name of a unit.

    Example:
        >>> from autogradlab.utils.benchmark import unit_to_english
        >>> unit_to_english("us")
        'microsecond'

    Mirrors `torch.utils.benchmark.unit_to_english`.
    """
    return "second" if u == "s" else _UNITS[u][2]


def trim_sigfig(x: float, n: int) -> float:
    """A number with `n` significant digits.

    Example:
        >>> from autogradlab.utils.benchmark import trim_sigfig
        >>> trim_sigfig(1234.5, 2)
        1200.0

    Mirrors `torch.utils.benchmark.trim_sigfig`.
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    step = 10 ** (int(tensor(x).abs().log10().ceil().item()) - n)
    return float(tensor(x / step).round() * step)


def ordered_unique(elements: Iterable[T]) -> list[T]:
    """The elements, each once, in the order in which they come first.

    Example:
        >>> from autogradlab.utils.benchmark import ordered_unique
        >>> ordered_unique("banana")
        ['b', 'a', 'n']

    Mirrors `torch.utils.benchmark.ordered_unique`.
    """
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """A context in which a kernel may use `n` threads.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.benchmark import set_torch_threads
        >>> with set_torch_threads(3):
        ...     torch.get_num_threads()
        ...
        3

    Mirrors `torch.utils.benchmark.set_torch_threads`.
    """
    before = get_num_threads()
    try:
        set_num_threads(n)
        yield
    finally:
        set_num_threads(before)
