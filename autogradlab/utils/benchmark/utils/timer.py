"""Statements that are run and timed (mirrors `torch.utils.benchmark.utils.timer`)."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from statistics import median
from textwrap import dedent
from typing import Any

from .common import Measurement, TaskSpec, set_torch_threads

__all__ = ["Language", "Timer", "timer"]

#: how many runs PyTorch's loop counts at most
_MOST = 2**31 - 1


def timer() -> float:
    """The seconds of the clock that times are read from.

    Example:
        >>> from autogradlab.utils.benchmark import timer
        >>> before = timer()
        >>> timer() >= before
        True

    Mirrors `torch.utils.benchmark.timer`.
    """
    return timeit.default_timer()


class Language(Enum):
    """What a statement is written in. Mirrors `torch.utils.benchmark.Language`."""

    PYTHON = 0
    CPP = 1


def _code(text: str) -> str:
    """A statement that is not indented, without the empty line that a string of many lines begins with."""
    return dedent(text).removeprefix("\n").rstrip()


class Timer:
    """Measures how long a statement takes: `timeit` a number of runs at once, `blocked_autorange` blocks of runs for
    `min_run_time` seconds, `adaptive_autorange` blocks until their times agree.

    stmt and setup: text, run with the names in `globals`, and `torch`. label, sub_label, description and env say what
    is measured: Compare puts those of one label into one table, in rows by sub_label and columns by description.
    num_threads: how many threads kernels may use meanwhile. timer: a clock.
    Errors: ValueError for a statement that is no text; NotImplementedError for one in C++.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.benchmark import Timer
        >>> timed = Timer("x + 1", globals={"x": torch.ones(3)}, label="one more").timeit(100)
        >>> timed.median > 0
        True
        >>> timed.title, timed.number_per_run, len(timed.times)
        ('one more', 100, 1)

    Mirrors `torch.utils.benchmark.Timer`.
    """

    _timer_cls = timeit.Timer

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in (Language.CPP, "cpp", "c++"):
            raise NotImplementedError("autogradlab times statements of Python: it compiles no C++")
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        self._language = Language.PYTHON
        self._globals = {"torch": import_module(__name__.partition(".")[0]), **(globals or {})}
        stmt, setup = _code(stmt), _code(setup)
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=dict(self._globals))
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number: int) -> float:
        """The seconds of so many runs, at least a billionth."""
        return max(self._timer.timeit(number), 1e-9)

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def timeit(self, number: int = 1000000) -> Measurement:
        """The time of `number` runs, after a hundredth as many that do not count."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return self._measured(number, [self._timeit(number)])

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Not here, as in PyTorch: see blocked_autorange."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> None:
        """Not here, as in PyTorch: see blocked_autorange."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block(self, min_run_time: float) -> int:
        """The power of ten of runs that take long enough for the clock not to matter."""
        clock = median(self._timeit(0) for _ in range(5))
        number = 1
        while number * 10 <= _MOST:
            time = self._timeit(number)
            if time > min_run_time or (time >= min_run_time / 1000 and clock / time <= 1e-4):
                return number
            number *= 10
        return number

    def _blocks(
        self,
        number: int,
        enough: Callable[[list[float]], bool],
        min_run_time: float,
        max_run_time: float,
        callback: Callable[[int, float], Any] | None,
    ) -> Measurement:
        """Blocks of `number` runs, for min_run_time at least and until they are enough, or for max_run_time."""
        times: list[float] = []
        total, done = 0.0, False
        while total < min_run_time or not done:
            time = self._timeit(number)
            times.append(time)
            total += time
            if callback:
                callback(number, time)
            done = enough(times)
            if total > max_run_time:
                break
        return self._measured(number, times)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Times of blocks of runs, for `min_run_time` seconds; `callback` hears of each, its runs and its seconds.

        A block is long enough for reading the clock not to matter.
        """
        with set_torch_threads(self._task_spec.num_threads):
            number = self._block(min_run_time)
            return self._blocks(number, lambda times: True, min_run_time, float("inf"), callback)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Times of blocks of runs, until there are four and their interquartile range is less than `threshold` of their
        median, for `max_run_time` seconds at most; `callback` hears of each, its runs and its seconds."""
        with set_torch_threads(self._task_spec.num_threads):
            number = self._block(0.05)

            def agree(times: list[float]) -> bool:
                return len(times) > 3 and self._measured(number, times).meets_confidence(threshold)

            return self._blocks(number, agree, min_run_time, max_run_time or float("inf"), callback)
