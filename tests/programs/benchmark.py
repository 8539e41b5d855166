"""torch.utils.benchmark, by clocks that go as the program says: what runs how often, and how it is written."""

import pickle
import re

import torch
import torch.utils.benchmark as benchmark
from torch.utils.benchmark import Compare, Measurement, TaskSpec, Timer
from torch.utils.benchmark.utils.common import select_unit

from tests.scenarios.show import attempt


def t(call, *args, **kwargs):
    attempt(lambda: call(*args, **kwargs))


def show(m):
    print(re.sub("0x[0-9a-f]+", "0x", repr(m)))


class Clock:
    """A clock that goes on when it is told."""

    def __init__(self, *seconds):
        self.now, self.runs, self.seconds = 0.0, 0, seconds

    def __call__(self):
        return self.now

    def work(self):
        self.now += self.seconds[self.runs % len(self.seconds)]
        self.runs += 1


def timer(*seconds, **kwargs):
    clock = Clock(*seconds)
    return Timer("work()", timer=clock, globals={"work": clock.work}, **kwargs), clock


# % benchmark-runs: how often a statement runs, and what is kept of it
for seconds in (1e-3, 0.02, 0.3), (2e-3,), (4.0,):
    timed, clock = timer(*seconds)
    m = timed.timeit(300)
    print(clock.runs, m.number_per_run, m.raw_times, m.times, m.mean, m.median, m.iqr, m.has_warnings)
    show(m)
    heard = []
    m = timed.blocked_autorange(lambda *args: heard.append(args), min_run_time=0.5)
    print(clock.runs, heard == [(m.number_per_run, time) for time in m.raw_times], len(heard))
    show(m)
    m = timed.adaptive_autorange(max_run_time=6)
    print(clock.runs, m.meets_confidence(), m.meets_confidence(1e-9), m.significant_figures)
    show(m)
timed, clock = timer(0.1, 0.2, 0.4, 0.8)
show(timed.adaptive_autorange(0.5, min_run_time=2, callback=print))
torch.set_num_threads(2)
threads = []
Timer("seen.append(torch.get_num_threads())", globals={"seen": threads}, num_threads=3).timeit(1)
print(set(threads), len(threads), torch.get_num_threads())
seen = {"n": 1}
Timer("n += k; torch.ones(1)", "global n; k = 2", globals=seen).timeit(3)
print(seen)

# % benchmark-measurements: what measurements say
task = TaskSpec("torch.add(x, 1)", "x = torch.ones(3)", "", "add", "float", "n=1", num_threads=2)
TIMES = (
    [3e-6],
    [1e-3, 2e-3],
    [1e-9, 1.2e-9, 1.1e-9, 1.3e-9],
    [0.5, 0.51, 0.52, 0.5, 0.9],
    [10.0, 20.0, 90.0, 95.0],
    [7e-4] * 9,
)
for times in TIMES:
    m = Measurement(10, times, task)
    show(m)
    print(m.median, m.mean, m.iqr, m.times, m.significant_figures, m.has_warnings, m.title, m.as_row_name)
print(m.stmt, m.setup, m.label, m.sub_label, m.description, m.env, m.num_threads, m.metadata, m.global_setup)
t(lambda: m.other)
t(hash, m)
print(m == Measurement(10, times, task), m == Measurement(1, times, task), hash(task) == hash(m.task_spec))
again = pickle.loads(pickle.dumps(m))
print(again == m, again.median == m.median, str(pickle.loads(pickle.dumps(Compare([m])))) == str(Compare([m])))
t(setattr, task, "label", "other")
empty = Measurement(1, [], task)
print(empty.median, empty.mean, empty.iqr, empty.has_warnings, empty.times)
t(lambda: Measurement(1, [0.0], task).has_warnings)
for spec in (
    TaskSpec("a\nb", "pass"),
    TaskSpec("a\nb", "c\nd", sub_label="s", description="of it"),
    TaskSpec("a", "c", sub_label="s"),
    TaskSpec("a", "", label="l", sub_label=""),
):
    print(repr(spec.title), repr(spec.setup_str()), repr(spec.summarize()))
    show(Measurement(1, [1e-6], spec))
indented = Timer(
    """
    y = x + 1
    y.sum()
    """,
    setup="""
        x = torch.ones(1)
    """,
)
print(repr(indented._task_spec.stmt), repr(indented._task_spec.setup))
merged = Measurement.merge([m, again, empty, Measurement(2, [1.0, 4.0], indented._task_spec)])
print([(one.number_per_run, one.raw_times, one.stmt, one.metadata) for one in merged])


# % benchmark-tables: tables of measurements
def made(label, sub, description, times, **more):
    return Measurement(2, times, TaskSpec(f"{label}({sub})", "pass", "", label, sub, description, **more))


results = [
    made("dot", "[64, 64]", "mul/sum", [2e-5, 3e-5, 2.5e-5, 9e-5]),
    made("dot", "[64, 64]", "bmm", [2.1e-5, 2.11e-5, 2.12e-5, 2.1e-5]),
    made("dot", "[1024, 1024]", "mul/sum", [4e-3] * 5),
    made("dot", "[1024, 1024]", "bmm", [1.01e-3, 1.0e-3]),
    made("dot", "[64, 64]", "mul/sum", [1.5e-5] * 4, num_threads=4),
    made("dot", "[64, 64]", "bmm", [1.45e-5, 1.4e-5], num_threads=4),
    made("dot", None, "a longer description", [1.2345e-5, 1.2346e-5, 1.2e-5, 1.25e-5], num_threads=4),
    made("dot", "[64, 64]", "bmm", [2.7e-5, 2.8e-5]),
    made("other", "", "", [1.0, 2.0, 3.0, 4.0]),
]
for envs in None, ("master", "branch"):
    if envs:
        cells = [(k, env, sub, n) for k, env in enumerate(envs) for sub in "ab" for n in ("x", "yy")]
        results = [made("dot", sub, n, [k * 2e-6 + 1e-6 * len(n)] * 3, env=env) for k, env, sub, n in cells]
    table = Compare(results[:2])
    table.extend_results(results[2:])
    print(table)
    table.trim_significant_figures()
    table.print()
    table.highlight_warnings()
    table.print()
    table.colorize()
    print(repr(str(table)))
    table.colorize(rowwise=True)
    print(repr(str(table)))

# % benchmark-refused: what is refused, and small helpers
print(str(Compare([])) == "")
t(Compare, [3])
t(Timer, lambda: 1)
t(Timer, "1", language="zz")
t(Timer, "1", global_setup="x")
t(Timer, "1", 3)
t(Timer, "x = (")
t(Timer("[][0]").timeit, 1)
t(Timer("1", num_threads=0).timeit, 1)
t(Timer("1").timeit, 0)
t(Timer("1").timeit, 1.5)
t(Timer("1").repeat)
t(Timer("1").autorange)
print([select_unit(x) for x in (1e-12, 1e-9, 9.99e-7, 1e-6, 3e-4, 1e-3, 0.5, 1.0, 5e4)])
t(select_unit, 0.0)
print([benchmark.unit_to_english(u) for u in ("ns", "us", "ms", "s")])
t(benchmark.unit_to_english, "m")
print([benchmark.trim_sigfig(x, n) for x in (3.14159, -271.8, 0.00123, 99.9) for n in (1, 2, 4)])
t(benchmark.trim_sigfig, 1.0, 1.5)
print(benchmark.ordered_unique([3, 1, 3, 2, 1]), benchmark.Language.PYTHON, benchmark.Colorize("rowwise"))
before = torch.get_num_threads()
with benchmark.set_torch_threads(before + 1):
    print(torch.get_num_threads() - before)
print(torch.get_num_threads() - before, benchmark.timer() <= benchmark.timer())
