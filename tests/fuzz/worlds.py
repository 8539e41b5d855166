"""Two libraries side by side: a world runs statements with its own `torch`, and says all that can be observed.

Numbers are compared approximately, by dtype; all else exactly. Addresses and "(Triggered internally at ...)" are
masked, and the name of the library counts as "torch".
"""

from __future__ import annotations

import importlib
import json
import math
import re
import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz.training import words
from tests.scenarios.blocks import TORCH

__all__ = ["NAMES", "Difference", "Hang", "World", "alarm", "compare"]

PRELUDE = Path(__file__).with_name("prelude.py")
#: the variables of a program
NAMES = [f"v{i}" for i in range(8)]
#: how far numbers may lie apart, beside the largest of the tensor
TOL = {"float16": 6e-3, "bfloat16": 4e-2, "float32": 2e-4, "float64": 1e-8, "complex64": 2e-4, "complex128": 1e-8}
#: what a statement may take
SECONDS = 10

Difference = tuple[str, Any, Any]


class Hang(BaseException):
    """A statement that does not end."""


def alarm(*_: Any) -> None:
    """What SIGALRM does while programs run."""
    raise Hang(f"no end after {SECONDS} s")


class World:
    """A library, the names that programs may use, and the variables of one program."""

    def __init__(self, name: str) -> None:
        self.torch = importlib.import_module(name)
        for sub in ("nn.functional", "optim", "autograd", "linalg"):
            importlib.import_module(f"{name}.{sub}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for part in TORCH if name == "torch" else ():  # a program would import them late, and with warnings
                importlib.import_module(part)
        self.name = name
        self.base: dict[str, Any] = {"torch": self.torch, "__name__": "prelude"}
        exec(compile(PRELUDE.read_text(), "<prelude>", "exec"), self.base)
        self.torch.set_warn_always(True)
        self.torch.set_num_threads(1)
        self.shared = False  # both worlds are one library and take turns with its random numbers: it checks the checker
        self.reset()

    def reset(self) -> None:
        """The state in which every program begins."""
        t = self.torch
        t.set_grad_enabled(True)
        t.set_default_dtype(t.float32)
        t.autograd.set_detect_anomaly(False)
        t.manual_seed(0)
        self.rng = t.get_rng_state()
        self.base["OUT"].clear()
        self.vars = dict(self.base)
        self.vars["__name__"] = "__main__"

    def mask(self, text: str) -> str:
        """A text without addresses, places in compiled code and the name of the library."""
        text = re.sub(r"\s*\(Triggered internally at [^)]*\)", "", words(text))
        return text if self.name == "torch" else text.replace(self.name, "torch")

    def run(self, source: str) -> dict[str, Any]:
        """Outcome, warnings and log of a statement."""
        out = self.base["OUT"]
        del out[:]
        if self.shared:
            self.torch.set_rng_state(self.rng)
        # again and again: what is raised in a callback of the garbage collector is lost
        signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
        try:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                try:
                    exec(compile(source, "<program>", "exec"), self.vars)
                    outcome = "ok"
                except Hang as error:
                    outcome = f"hang: {error}"
                except Exception as error:
                    outcome = f"{type(error).__name__}: {self.mask(str(error))}"
                    error.__traceback__ = None
                    del error
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if self.shared:
            self.rng = self.torch.get_rng_state()
        said = [f"{w.category.__name__}: {self.mask(str(w.message))}" for w in seen]
        logged = json.loads(self.mask(json.dumps(out, default=str)))
        return {"outcome": outcome, "warnings": said, "log": logged}

    def observe(self) -> dict[str, Any]:
        """All that can be seen of the variables, their gradients and the modes."""
        t = self.torch
        state: dict[str, Any] = {
            "modes": [
                t.is_grad_enabled(),
                t.is_inference_mode_enabled(),
                str(t.get_default_dtype()),
                t.is_anomaly_enabled(),
            ]
        }
        tensors, others = {}, {}
        for name, value in self.vars.items():
            if len(name) > 3 or not name[1:].isdigit():
                continue
            if isinstance(value, t.Tensor):
                tensors[name] = value
            else:
                others[name] = value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grads = {}
            for name, x in tensors.items():
                try:
                    g = x.grad if (x.is_leaf or x.retains_grad) else None
                except RuntimeError:
                    g = None
                if g is not None:
                    grads[name + ".grad"] = g
            everything = {**tensors, **grads}
            ids: dict[int, str] = {}
            for name in sorted(everything):
                ids.setdefault(id(everything[name]), name)
            for name, x in everything.items():
                state[name] = self.tensor(x, ids)
            state["memory"] = self.memory(everything)
            for name, x in others.items():
                state[name] = self.other(x)
        return state

    def tensor(self, x: Any, ids: dict[int, str]) -> dict[str, Any]:
        """A tensor in all its attributes; those that raise give the error."""

        def ask(f: Callable[[], Any]) -> Any:
            try:
                return f()
            except Exception as error:
                return f"{type(error).__name__}: {self.mask(str(error))}"

        dtype = str(x.dtype)
        return {
            "type": type(x).__name__,
            "same": ids[id(x)],
            "dtype": dtype,
            "shape": list(x.shape),
            "stride": list(x.stride()),
            "offset": ask(x.storage_offset),
            "bytes": ask(lambda: x.untyped_storage().nbytes() if x._is_view() else None),
            "requires_grad": ask(lambda: x.requires_grad),
            "is_leaf": ask(lambda: x.is_leaf),
            "retains": ask(lambda: x.retains_grad),
            "inference": x.is_inference(),
            "view": x._is_view(),
            "base": ask(lambda: ids.get(id(x._base), "other") if x._base is not None else None),
            "conj": [x.is_conj(), x.is_neg()],
            "version": ask(lambda: x._version),
            "output_nr": ask(lambda: x.output_nr),
            "graph": ask(lambda: self.graph(x.grad_fn)),
            "hasgrad": ask(lambda: (x.is_leaf or x.retains_grad) and x.grad is not None),
            "values": ask(lambda: self.base["values"](x)),
            "repr": ask(lambda: self.mask(repr(x))),
        }

    @staticmethod
    def graph(root: Any) -> list[Any] | None:
        """The Nodes behind a tensor with their edges, each numbered when it is first met."""
        if root is None:
            return None
        order, keep, queue = {id(root): 0}, [root], [root]
        rows: list[Any] = []
        while queue and len(rows) < 24:
            node = queue.pop(0)
            row = [node.name()]
            for f, n in node.next_functions:
                if f is None:
                    row.append(None)
                    continue
                if id(f) not in order:
                    order[id(f)] = len(order)
                    keep.append(f)
                    queue.append(f)
                row.append([order[id(f)], n])
            rows.append(row)
        return rows

    @staticmethod
    def memory(everything: dict[str, Any]) -> list[Any]:
        """Which tensors lie in one storage, and where."""
        groups: dict[int, list[Any]] = {}
        for name in sorted(everything):
            x = everything[name]
            try:
                s = x.untyped_storage()
                if not s.nbytes() or not x.numel():
                    continue
                groups.setdefault(s.data_ptr(), []).append([name, x.data_ptr() - s.data_ptr()])
            except Exception as error:
                groups.setdefault(0, []).append([name, type(error).__name__])
        return sorted(groups.values())

    def other(self, x: Any) -> Any:
        """Modules, optimizers and arrays; of all else the type."""
        t = self.torch
        show = self.base["show"]
        if isinstance(x, t.nn.Module):
            return {
                "module": type(x).__name__,
                "training": x.training,
                "params": {k: show(p) for k, p in x.named_parameters()},
                "grads": {k: show(p.grad) for k, p in x.named_parameters()},
                "buffers": {k: show(b) for k, b in x.named_buffers()},
            }
        if isinstance(x, t.optim.Optimizer):
            return {
                "optim": type(x).__name__,
                "state": [sorted(map(str, s)) for s in x.state.values()],
                "groups": [{k: str(v) for k, v in sorted(g.items()) if k != "params"} for g in x.param_groups],
            }
        if isinstance(x, np.ndarray):
            return {"array": str(x.dtype), "shape": list(x.shape), "strides": list(x.strides), "values": x.tolist()}
        return type(x).__name__


# -- comparing ---------------------------------------------------------------------------------------------------------

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?|nan|inf", re.I)


def close(a: Any, b: Any, tol: float, scale: float) -> bool:
    """Equal, floats within rounding; beyond the range of halves an infinity is a large number."""
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return a == b and type(a) is type(b)
    if isinstance(a, complex) or isinstance(b, complex):
        a, b = complex(a), complex(b)
        return close(a.real, b.real, tol, scale) and close(a.imag, b.imag, tol, scale)
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if a != a or b != b:
        return a != a and b != b
    if a == b or (abs(a) > 1e30 and abs(b) > 1e30):
        return True
    if math.isinf(a) or math.isinf(b):
        return max(min(abs(a), abs(b)), 0) > 6e4
    return abs(a - b) <= tol * max(abs(a), abs(b), scale)


def largest(x: Any) -> float:
    """The largest finite number in nested lists."""
    if isinstance(x, list):
        return max((largest(v) for v in x), default=0.0)
    return abs(x) if isinstance(x, (float, complex)) and abs(x) < 1e30 else 0.0


def same(a: Any, b: Any, tol: float, scale: float | None = None) -> bool:
    """Nested lists and dicts: floats approximately, all else exactly."""
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return False
        if len(a) == 8 and a[0] == "T":  # what `show` makes of a tensor
            tol = TOL.get(str(a[2]).split(".")[-1], tol)
            return a[1:7] == b[1:7] and same(a[7], b[7], tol, max(1.0, largest(a[7])))
        return all(same(x, y, tol, scale) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], tol, scale) for k in a)
    return close(a, b, tol, 1.0 if scale is None else scale)


def same_text(a: str, b: str, tol: float) -> bool:
    """Printed tensors: the words exactly, the numbers approximately, runs of spaces as one."""
    if a == b:
        return True
    x, y = NUMBER.findall(a), NUMBER.findall(b)
    if len(x) != len(y) or re.sub(r"\s+", " ", NUMBER.sub("#", a)) != re.sub(r"\s+", " ", NUMBER.sub("#", b)):
        return False
    numbers = [float(v) for v in x]
    scale = max([1.0, *[abs(v) for v in numbers if math.isfinite(v)]])
    return all(close(float(p), float(q), max(tol, 2e-4), scale) for p, q in zip(x, y, strict=True))


def compare(ran: list[Any], state: list[Any], ignored: frozenset[str] = frozenset()) -> Difference | None:
    """The first difference (field, the judge's, the library's), or None. `ran` and `state` are pairs."""
    for field in ("outcome", "warnings"):
        if field not in ignored and ran[0][field] != ran[1][field]:
            return field, ran[0][field], ran[1][field]
    if not same(ran[0]["log"], ran[1]["log"], 2e-4):
        return "log", ran[0]["log"], ran[1]["log"]
    theirs, ours = state
    if theirs.keys() != ours.keys():
        return "variables", sorted(theirs), sorted(ours)
    for name, x in theirs.items():
        y = ours[name]
        if isinstance(x, dict) and isinstance(y, dict) and "requires_grad" in x and "requires_grad" in y:
            key = next((key for key in x if key not in ignored and not agree(key, x, y)), None)
            if key:
                return ("grad." if name.endswith(".grad") else "") + key, [name, x[key]], [name, y[key]]
        elif not same(json.loads(json.dumps(x, default=str)), json.loads(json.dumps(y, default=str)), 2e-4):
            return (name if name in ("memory", "modes") else "object"), [name, x], [name, y]
    return None


def agree(key: str, x: dict[str, Any], y: dict[str, Any]) -> bool:
    """Whether two observed tensors agree in one of their attributes."""
    tol = TOL.get(x["dtype"].split(".")[-1], 2e-4)
    if key == "values":
        return same(x[key], y[key], tol, max(1.0, largest(x[key]) if isinstance(x[key], list) else 1.0))
    if key == "repr":
        return same_text(x[key], y[key], tol)
    return bool(x[key] == y[key])
