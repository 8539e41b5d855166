"""Whatever is interrupted, and wherever: modes are what they were, gradients and writes are whole or not there.

Each workload is interrupted at every point where Python takes signals (or at many of them, evenly), and once more by
signals that a timer sends.
"""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

import autogradlab as torch
from autogradlab import inspectors as lab
from autogradlab.amp import autocast_mode
from autogradlab.autograd.frontend import running
from autogradlab.autograd.function import transforms
from autogradlab.core.memory.storage import _FIXED
from autogradlab.core.recording.detached import DETACHED
from autogradlab.core.runtime import modes
from tests.interrupts import traced


def modes_now() -> dict[str, Any]:
    """All modes of this thread, what the process derives from them, and the backward pass that is at work."""
    local = modes.current()
    found = {name: getattr(local, name) for name in modes.State.__slots__}
    found = {name: list(value) if isinstance(value, list) else value for name, value in found.items()}
    found["casts"] = (  # the object that holds them is made with the first question
        autocast_mode.is_autocast_enabled("cpu"),
        autocast_mode.get_autocast_dtype("cpu"),
        autocast_mode.is_autocast_cache_enabled(),
        autocast_mode._casting().settings.nesting,
    )
    return {**found, "transforms": (transforms.depth, transforms.mapping), "pass": running()}


def shown(*tensors: Any) -> list[Any]:
    """Values, versions and gradients of tensors."""
    return [
        (t.detach().tolist(), t._version, None if t.grad is None else (t.grad.detach().tolist(), t.grad._version))
        for t in tensors
    ]


class Work:
    """What is interrupted, and the things that it changes: each of them may change as a whole or not at all."""

    #: the files in which it is interrupted, and at how many points at most
    within: tuple[str, ...] = ("",)
    most = 60

    def __init__(self, act: Callable[[], Any], *things: Callable[[], Any]) -> None:
        self.act = act
        self.things = things

    def look(self) -> list[Any]:
        """Each of the things as it is."""
        return [thing() for thing in self.things]


def leaves() -> tuple[Any, Any]:
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([0.5, -1.0, 2.0], requires_grad=True)


def gradients(*tensors: Any) -> list[Callable[[], Any]]:
    return [lambda t=t: shown(t) for t in tensors]


def plain() -> Work:
    w, v = leaves()
    loss = (w * v).exp().sum() + w.sum()
    return Work(loss.backward, *gradients(w, v))


def added() -> Work:
    w, v = leaves()
    (w * v).sum().backward()
    loss = (w * v * v).sum()
    return Work(loss.backward, *gradients(w, v))


def hooked() -> Work:
    w, v = leaves()
    w.register_hook(lambda g: g * 1.0)
    v.register_post_accumulate_grad_hook(lambda t: None)
    a = w * v
    a.register_hook(lambda g: g + 0)
    a.grad_fn.register_prehook(lambda gs: None)
    a.grad_fn.register_hook(lambda gi, go: None)
    a.retain_grad()
    loss = a.exp().sum()
    return Work(loss.backward, *gradients(w, v))


def recorded() -> Work:
    w, v = leaves()
    loss = (w**3 * v).sum()
    return Work(lambda: torch.autograd.grad(loss, (w, v), create_graph=True), *gradients(w, v))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 2 + 0 * x


def function() -> Work:
    w, v = leaves()

    def act() -> None:
        (Double.apply(w) * v).sum().backward()

    return Work(act, *gradients(w, v))


def in_place() -> Work:
    w, v = leaves()
    a = w * 2
    part = a[1:]
    return Work(lambda: part.mul_(v[1:]), lambda: (a.tolist(), a._version, type(a.grad_fn), type(part.grad_fn)))


def forward() -> Work:
    w, v = leaves()
    return Work(lambda: torch.softmax((w * v).view(3, 1) @ v.view(1, 3), 1).sum().item(), *gradients(w, v))


def saved_hooks() -> Work:
    w, v = leaves()

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t * 1):
        loss = (w * v).exp().sum()
    return Work(loss.backward, *gradients(w, v))


def packing() -> Work:
    w, v = leaves()
    node = (w * v).grad_fn
    return Work(lambda: node._raw_saved_other.register_hooks(lambda t: t * 1, lambda t: t * 1), *gradients(w, v))


def checkpointed() -> Work:
    w, v = leaves()
    from autogradlab.utils.checkpoint import checkpoint

    loss = checkpoint(lambda a: (a * v).exp(), w, use_reentrant=False).sum()
    return Work(loss.backward, *gradients(w, v))


def transformed() -> Work:
    w, v = (t.detach() for t in leaves())
    return Work(lambda: torch.func.vmap(torch.func.grad(lambda x: (x * v).sum()))(w.expand(2, 3)), *gradients(w, v))


def norm_layer() -> Work:
    layer = torch.nn.BatchNorm1d(3)
    x = torch.arange(12.0).reshape(4, 3)
    state = lambda: [(name, t.tolist(), t._version) for name, t in layer.named_buffers()]
    return Work(lambda: layer(x), lambda: state()[0], lambda: state()[1], lambda: state()[2])


def loaded() -> Work:
    torch.manual_seed(0)
    layer, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    state = other.state_dict()
    return Work(lambda: layer.load_state_dict(state), *(lambda t=t: t.tolist() for t in layer.parameters()))


def trained() -> Work:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(), torch.nn.ReLU())
    return Work(lambda: net.eval(), *(lambda m=m: m.training for m in net.modules()))


def swapped() -> Work:
    w, v = leaves()
    b = torch.ones(2, dtype=torch.int64)
    b.label = "b"  # type: ignore[attr-defined]
    (w * v).sum().backward()
    both = lambda: [(*shown(t), t.requires_grad, vars(t).copy()) for t in (v, b)]
    return Work(lambda: torch.utils.swap_tensors(v, b), both)


#: the inspectors are interrupted where they touch the library and what they look at
_TOUCHED = ("/core/", "/autograd/", "/inspectors/snapshot/recording.py", "/inspectors/snapshot/lines.py")


def stepped() -> Work:
    w, v = leaves()
    loss = (w * v).exp().sum()
    work = Work(lambda: lab.step(loss), *gradients(w, v))
    work.within, work.most = _TOUCHED, 6
    return work


def listed() -> Work:
    w, v = leaves()
    cards: list[Any] = []  # what nobody holds is closed at once, and what is raised in a __del__ goes nowhere
    work = Work(lambda: cards.append(lab.hooks((w * v).sum())), *gradients(w, v))
    work.within = _TOUCHED
    return work


def watched() -> Work:
    w, v = leaves()
    loss = (w * v).sum()

    def act() -> None:
        lab.training(torch.nn.Linear(2, 1))
        loss.backward()

    work = Work(act, *gradients(w, v))
    work.within = _TOUCHED
    return work


WORK = [
    in_place,
    packing,
    plain,
    added,
    hooked,
    recorded,
    function,
    forward,
    saved_hooks,
    checkpointed,
    transformed,
    norm_layer,
    loaded,
    trained,
    swapped,
    stepped,
    listed,
    watched,
]


def after_all() -> None:
    """The next forward and backward are right."""
    z = torch.tensor([2.0], requires_grad=True)
    with torch.no_grad():
        assert not (z * z).requires_grad
    assert not modes.FLAGS.unusual  # an interruption may leave a thread in it until modes change again
    q = z * z
    assert q.requires_grad
    q.backward()
    assert z.grad.tolist() == [4.0]  # type: ignore[union-attr]


def left_behind(make: Callable[[], Work], error: type[BaseException] = KeyboardInterrupt) -> list[str]:
    """What is wrong after a workload was interrupted, point by point."""
    for _ in range(2):  # loads what is loaded late, and what is remembered of a first call is
        make().act()
    work = make()
    before = work.look()
    gc.collect()  # what it frees has callbacks, and those have points too: the collector rests while points are counted
    gc.disable()
    try:
        points, _ = traced(work.act, 0, work.within, error)
        after = work.look()
        ats = range(1, points + 1, max(1, points // work.most))
        return interrupted_at(ats, make, error, before, after)
    finally:
        gc.enable()


def interrupted_at(
    ats: range, make: Callable[[], Work], error: type[BaseException], before: list[Any], after: list[Any]
) -> list[str]:
    usual = modes_now()
    wrong = []
    missed = 0
    for at in ats:
        work = make()
        _, interrupted = traced(work.act, at, work.within, error)
        missed += not interrupted  # weak references that die on the way call back at one run and not at the next
        now = modes_now()
        if now != usual:
            wrong.append(f"{at}: modes { ({k: (v, usual[k]) for k, v in now.items() if v != usual[k]}) }")
            modes.LOCAL.state.__init__()  # type: ignore[misc]
            modes.LOCAL.state.refresh()
            transforms.depth = transforms.mapping = 0
        for then, found, done in zip(before, work.look(), after, strict=True):
            if found not in (then, done):
                wrong.append(f"{at}: {found} is neither {then} nor {done}")
        after_all()
    assert error is not KeyboardInterrupt or missed <= 2 + len(ats) // 20
    return wrong


@pytest.mark.turns(2)
@pytest.mark.parametrize("make", WORK, ids=lambda f: f.__name__)
def test_interrupted_at_every_point(make: Callable[[], Work]):
    assert left_behind(make) == []


@pytest.mark.turns(3)
@pytest.mark.parametrize("error", [MemoryError, RecursionError])
@pytest.mark.parametrize("make", [f for f in WORK if f is not stepped], ids=lambda f: f.__name__)
def test_any_call_may_fail(make: Callable[[], Work], error: type[BaseException]):
    assert left_behind(make, error) == []


def signalled(seconds: float, interval: float) -> tuple[int, list[str]]:
    """Real alarms into training steps with hooks: how many, and what was wrong afterwards."""
    kinds = [plain, added, hooked, recorded, function, in_place]
    usual = modes_now()
    sent, rung, wrong = 0, 0, []
    things: list[Any] = []

    def stop(*_: Any) -> None:
        nonlocal rung
        rung += 1
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            make = kinds[sent % len(kinds)]
            work = make()
            first, things = work.look(), []

            def steps() -> None:
                """A function, since Python 3.13 leaves the jump back of a loop at the end of a `try` out of it."""
                nonlocal things
                while rung == sent:  # Python drops what is raised in a callback of the garbage collector
                    work = make()
                    things = work.things
                    work.act()

            try:
                signal.setitimer(signal.ITIMER_REAL, interval * (0.2 + sent % 17 / 10))
                steps()
            except KeyboardInterrupt:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                sent = rung
            if modes_now() != usual:
                wrong.append(f"{make.__name__}: {modes_now()}")
                modes.LOCAL.state.__init__()  # type: ignore[misc]
            if things:
                done = make()
                done.act()
                for then, thing, after in zip(first, things, done.look(), strict=True):
                    if thing() not in (then, after):
                        wrong.append(f"{make.__name__}: {thing()}")
            after_all()
    finally:
        signal.signal(signal.SIGALRM, before)
    return sent, wrong


def test_what_is_known_of_memory_goes_with_it_in_one_step():
    """An interruption within a callback of a weak reference is lost, and what the callback should forget stays."""
    array = torch.ones(3).numpy()
    result = torch.ones(3, requires_grad=True) * 2
    result.detach_()
    kept, before = [torch.ones(3), result], (len(_FIXED), len(DETACHED))
    kept[0].numpy()
    assert len(_FIXED) == before[0] + 1
    del result
    points, _ = traced(kept.clear, 0, within=("autogradlab",))
    assert (len(_FIXED), len(DETACHED), points) == (before[0], before[1] - 1, 0)
    assert array.sum() == 3


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers that send signals")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what Python drops, see `signalled`
def test_signals():
    def looked(phase: str, info: dict[str, Any]) -> None:
        """As hypothesis, which times the collector: a Python function that an alarm may fall into."""

    gc.callbacks.append(looked)
    try:
        sent, wrong = signalled(seconds=2.0, interval=0.0004)
    finally:
        gc.callbacks.remove(looked)
    assert wrong == []
    assert sent > 50
