"""Contenders that must agree before they are timed, and timing that interleaves them round by round."""

from __future__ import annotations

import gc
import importlib
import platform
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import get_clock_info, perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Thunk = Callable[[], Sequence[Any]]
Builder = Callable[..., Thunk]
Sample = Callable[[int], float]

ROLES = ("ours", "torch", "autograd", "numpy")
OTHERS = ROLES[1:]
LARGE = ("numpy", 1.05)  # the goal where the arrays are large

# Time of the processor, all threads of this process: what other programs do at the same time does not count.
FINE = get_clock_info("process_time").resolution <= 1e-6
clock = process_time if FINE else perf_counter


@dataclass(frozen=True)
class Case:
    """One thing to measure, written once for each kind of contender.

    A builder is called as ``builder(module, *inputs)`` and returns the function to time. Tensors that exist before the
    work begins are made in the builder; everything the returned function does is timed. It returns the values that all
    contenders must agree on, the same at each call unless the case says that it updates state.
    """

    name: str
    about: str
    shapes: tuple[tuple[int, ...], ...]
    tensor: Builder
    numpy: Builder
    autograd: Builder | None = None
    ops: int = 1
    goal: tuple[str, float] | None = None
    rtol: float = 1e-5

    def inputs(self) -> list[Array]:
        """New float32 arrays of the case's shapes, the same values at each call, from a half up to one."""
        rng = np.random.default_rng(0)
        return [rng.random(shape, np.float32) / 2 + np.float32(0.5) for shape in self.shapes]

    def build(self, role: str, module: Any) -> Thunk | None:
        """The function to time for one contender, or None where the case has nothing for it."""
        builder = {"autograd": self.autograd, "numpy": self.numpy}.get(role, self.tensor)
        return None if builder is None else builder(module, *self.inputs())


@dataclass(frozen=True)
class Row:
    """The rounds of each contender, in seconds for one call; a missing contender is absent."""

    name: str
    about: str
    ops: int
    goal: tuple[str, float] | None
    rounds: Mapping[str, Sequence[float]]

    def seconds(self, role: str, stat: str = "median") -> float | None:
        """One figure for a contender: the median of its rounds or the best of them."""
        rounds = self.rounds.get(role)
        if not rounds:
            return None
        return min(rounds) if stat == "best" else statistics.median(rounds)

    def ratio(self, role: str, stat: str = "median") -> float | None:
        """Ours divided by the other's: below 1 is faster."""
        ours, other = self.seconds("ours", stat), self.seconds(role, stat)
        return None if ours is None or not other else ours / other


def load(name: str) -> Any | None:
    """The module, or None where it is not installed; any other failure of the import is raised."""
    try:
        module = importlib.import_module(name)
        if name == "autograd":
            importlib.import_module("autograd.numpy")
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
    if name == "torch":
        module.set_num_threads(1)
    return module


def contenders(ours: str = "autogradlab") -> dict[str, Any]:
    """Role to module, for those that are installed."""
    found = {role: load(ours if role == "ours" else role) for role in ROLES}
    return {role: module for role, module in found.items() if module is not None}


def to_array(value: Any) -> Array:
    """A tensor of either library, an array or a number, as an array."""
    return np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)


def check(case: Case, modules: Mapping[str, Any]) -> dict[str, Thunk]:
    """Build every contender, demand that all return NumPy's numbers, and give the functions to time.

    Raises AssertionError, which names the case and the contender, where shape, dtype or values differ.
    """
    wanted = [np.asarray(value) for value in case.build("numpy", np)()]  # type: ignore[misc]
    if not wanted or not all(np.isfinite(value).all() for value in wanted):
        raise AssertionError(f"{case.name}: the hand-written numbers are missing or not finite")
    thunks = {}
    for role, module in modules.items():
        thunk = case.build(role, module)
        if thunk is None:
            continue
        got = [to_array(value) for value in thunk()]
        where = f"{case.name}, {getattr(module, '__name__', role)}"
        if len(got) != len(wanted):
            raise AssertionError(f"{where}: {len(got)} results, not {len(wanted)}")
        for i, (mine, numbers) in enumerate(zip(got, wanted, strict=True)):
            if (mine.shape, mine.dtype) != (numbers.shape, numbers.dtype):
                kinds = f"{mine.dtype}{mine.shape}, not {numbers.dtype}{numbers.shape}"
                raise AssertionError(f"{where}, result {i}: {kinds}")
            np.testing.assert_allclose(mine, numbers, rtol=case.rtol, atol=case.rtol, err_msg=f"{where}, result {i}")
        thunks[role] = thunk
    return thunks


def sampler(thunk: Thunk) -> Sample:
    """Seconds for one call, averaged over ``n`` calls; what a call builds is dropped, and so freed, within the time.

    A call before the clock starts finds the caches and the allocator as the contender before left them.
    """

    def sample(n: int) -> float:
        again = range(n)
        thunk()
        start = clock()
        for _ in again:
            thunk()
        return (clock() - start) / n

    return sample


def measure(samples: Mapping[str, Sample], seconds: float, rounds: int = 7) -> dict[str, list[float]]:
    """Time all contenders within ``seconds``, taking turns so that a slow moment of the machine meets them all.

    A contender that alone would use up its share gets fewer rounds, at least one.
    """
    share = seconds / max(1, len(samples))
    spent: dict[str, float] = {}
    calls: dict[str, int] = {}
    taken: dict[str, list[float]] = {}
    for role, sample in samples.items():
        start = perf_counter()
        once = sample(1)
        spent[role] = perf_counter() - start  # the wall's time: the person who waits has no other
        taken[role] = [once] if spent[role] > share else []
        calls[role] = max(1, int((share - spent[role]) / rounds / max(once, 1e-7)) - 1)
    gc.collect()
    for turn in range(rounds):
        roles = list(samples)
        if turn % 2:  # nobody is always the one who finds the caches warm
            roles.reverse()
        for role in roles:
            if taken[role] and spent[role] > share:
                continue
            start = perf_counter()
            taken[role].append(samples[role](calls[role]))
            spent[role] += perf_counter() - start
    return taken


def run_case(case: Case, modules: Mapping[str, Any], seconds: float, rounds: int = 7) -> Row:
    """Check one case, then time it."""
    samples = {role: sampler(thunk) for role, thunk in check(case, modules).items()}
    return Row(case.name, case.about, case.ops, case.goal, measure(samples, seconds, rounds))


def keep_memory() -> bool:
    """Ask glibc to keep freed memory; False where there is no glibc.

    Otherwise it hands large blocks back to the system or not as the layout of the heap happens to be, and whoever asks
    next pays for new pages: that is more than the arithmetic on two million elements, and luck decides who pays.
    """
    import ctypes

    if not sys.platform.startswith("linux"):
        return False
    trim_threshold, mmap_threshold = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(trim_threshold, 1 << 30) and mallopt(mmap_threshold, 32 << 20))


def environment(modules: Mapping[str, Any], kept: bool = False) -> dict[str, str]:
    """What the numbers depend on; nothing that identifies the machine's owner."""
    facts = {"python": f"{platform.python_implementation()} {platform.python_version()}"}
    for role, module in modules.items():
        name = module.__name__ if role == "ours" else role
        facts[name] = str(getattr(module, "__version__", None) or _installed_version(name))
    facts["machine"] = f"{platform.system()} {platform.machine()}"
    facts["threads"] = "1"
    facts["clock"] = "processor" if FINE else "wall"
    facts["freed memory"] = "kept" if kept else "as the system has it"
    facts["gc"] = "on" if gc.isenabled() else "off"
    return facts


def _installed_version(name: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "unknown"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _verdict(row: Row, stat: str) -> str:
    if row.goal is None:
        return ""
    other, limit = row.goal
    ratio = row.ratio(other, stat)
    text = f"{limit} x {other}"
    return f"{text}: -" if ratio is None else f"{text}: {'met' if ratio <= limit else 'missed'}"


def header(ours: str) -> str:
    """The heading of the table."""
    times = "".join(f"{name:>13}" for name in (ours, *OTHERS))
    return f"{'microseconds for one call':<27}{'ops':>5}{times}  |{'/torch':>8}{'/autograd':>11}{'/numpy':>8}  goal"


def line(row: Row, stat: str = "median") -> str:
    """One row of the table: microseconds for each contender, then ours divided by the other's."""
    micro = [(value := row.seconds(role, stat)) and value * 1e6 for role in ROLES]
    times = "".join(f"{_number(value, 2 if value is not None and value < 1000 else 0):>13}" for value in micro)
    widths = (8, 11, 8)
    ratios = "".join(f"{_number(row.ratio(role, stat), 2):>{w}}" for role, w in zip(OTHERS, widths, strict=True))
    return f"{row.name:<27}{row.ops:>5}{times}  |{ratios}  {_verdict(row, stat)}".rstrip()


def as_json(rows: Sequence[Row], facts: Mapping[str, str]) -> dict[str, Any]:
    """Everything measured, ready for json.dump."""

    def figures(row: Row, role: str) -> dict[str, Any] | None:
        if not row.rounds.get(role):
            return None
        micro = partial(round, ndigits=4)
        return {
            "median_us": micro((row.seconds(role) or 0.0) * 1e6),
            "best_us": micro((row.seconds(role, "best") or 0.0) * 1e6),
            "rounds_us": [micro(value * 1e6) for value in row.rounds[role]],
        }

    return {
        "environment": dict(facts),
        "cases": [
            {
                "name": row.name,
                "about": row.about,
                "ops": row.ops,
                "goal": row.goal,
                "times": {role: figures(row, role) for role in ROLES},
                "ratios": {role: row.ratio(role) for role in OTHERS},
            }
            for row in rows
        ],
    }


def progress(text: str) -> None:
    """Print at once, so that a long run can be followed through a pipe."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
