"""What PyTorch gives for every sample, recorded: the judge where PyTorch itself is not installed.

``goldens.npz`` holds, under ``index``, a JSON text that names each sample by a hash of its operation and arguments and
describes its result, and the numbers of all results, one array for each dtype. ``python tools/record.py samples``
records it, and ``tests/recorded.toml`` tells under which conditions.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.ops.harness import Case, Entry, Failure, arguments, array, attempt

FILE = Path(__file__).with_name("goldens.npz")


def name(key: str, case: Case) -> str:
    """The name of a sample: the same as long as its operation and arguments are."""
    return hashlib.blake2b(f"{key} {case.args} {case.kwargs}".encode(), digest_size=6).hexdigest()


def result(lib: Any, entry: Entry, case: Case) -> Any:
    """What a sample gives, with gradients wanted as in the other tests."""
    args, kwargs = arguments(lib, entry, case, [])
    return attempt(entry.function(lib), *args, **kwargs)


class Golden:
    """A recorded tensor, as far as `compare` looks at one."""

    def __init__(
        self, values: np.ndarray, dtype: str, strides: list[int], node: str | None, requires_grad: bool
    ) -> None:
        self.values = values
        self.dtype = f"torch.{dtype}"
        self.shape = values.shape
        self.strides = strides
        self.requires_grad = requires_grad
        self.grad_fn = None if node is None else GoldenNode(node)

    def stride(self) -> list[int]:
        return self.strides

    def numel(self) -> int:
        return self.values.size

    def detach(self) -> Golden:
        return self

    float = detach

    def is_complex(self) -> bool:
        return False

    def numpy(self) -> np.ndarray:
        return self.values


class GoldenNode:
    def __init__(self, node: str) -> None:
        self.node = node

    def name(self) -> str:
        return self.node


class Recorder:
    """Gathers results into one JSON text and one array for each dtype."""

    def __init__(self) -> None:
        self.index: dict[str, Any] = {}
        self.numbers: dict[str, list[np.ndarray]] = {}
        self.sizes: dict[str, int] = {}

    def describe(self, value: Any) -> Any:
        if isinstance(value, Failure):
            return ["!", value.kind, value.text]
        if hasattr(value, "grad_fn"):
            values = array(value)
            kind = values.dtype.str
            at = self.sizes.get(kind, 0)
            self.numbers.setdefault(kind, []).append(values.reshape(-1))
            self.sizes[kind] = at + values.size
            node = value.grad_fn.name() if value.grad_fn is not None else None
            return [
                "t",
                str(value.dtype).removeprefix("torch."),
                list(value.shape),
                list(value.stride()),
                node,
                value.requires_grad,
                kind,
                at,
            ]
        if isinstance(value, (list, tuple)):
            return ["s", type(value).__name__, [self.describe(v) for v in value]]
        return ["v", type(value).__name__, str(value)]

    def add(self, sample: str, value: Any) -> None:
        self.index[sample] = self.describe(value)

    def keep(self, sample: str) -> None:
        """Take over what was recorded before."""
        index, numbers = recorded()

        def moved(what: Any) -> Any:
            if what[0] == "s":
                return [*what[:2], [moved(v) for v in what[2]]]
            if what[0] != "t":
                return what
            kind, at, count = what[6], what[7], int(np.prod(what[2]))
            start = self.sizes.get(kind, 0)
            self.numbers.setdefault(kind, []).append(numbers[kind][at : at + count])
            self.sizes[kind] = start + count
            return [*what[:7], start]

        self.index[sample] = moved(index[sample])

    def write(self, file: Path) -> None:
        text = json.dumps(self.index, separators=(",", ":"), sort_keys=True).encode()
        joined = {kind: np.concatenate(parts) for kind, parts in self.numbers.items()}
        np.savez_compressed(file, index=np.frombuffer(text, np.uint8), **joined)


@cache
def recorded(file: Path = FILE) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with np.load(file) as stored:
        return json.loads(stored["index"].tobytes()), {kind: stored[kind] for kind in stored.files if kind != "index"}


class Sequence(list[Any]):
    """A recorded tuple or list; `kind` is the name of its type."""


def golden(sample: str, file: Path = FILE) -> Any:
    """The recorded result of a sample. Errors: KeyError where there is none."""
    index, numbers = recorded(file)

    def rebuilt(what: Any) -> Any:
        if what[0] == "!":
            return Failure(what[1], what[2])
        if what[0] == "t":
            _, dtype, shape, strides, node, requires_grad, kind, at = what
            values = numbers[kind][at : at + int(np.prod(shape))].reshape(shape)
            return Golden(values, dtype, strides, node, requires_grad)
        if what[0] == "s":
            return type(what[1], (Sequence,), {})(map(rebuilt, what[2]))
        return type(what[1], (Value,), {})(what[2])

    return rebuilt(index[sample])


class Value:
    """A recorded object that is no tensor: the name of its type, and its text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __float__(self) -> float:
        return float(self.text)
