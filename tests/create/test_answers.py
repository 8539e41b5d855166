"""Lists of expressions answered by autogradlab as PyTorch answers them: values, dtypes, errors, warnings.

Beside `name.txt` lies `name.golden`, PyTorch's own text, which `python tools/record.py answers` makes anew. Each list
runs in a process of its own, forked from one that has imported the module, since it changes defaults and uses up
warnings given once.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import recorded
from tests.scenarios import blocks as programs

HERE = Path(__file__).parent
LISTS = sorted([*HERE.glob("*.txt"), *(HERE.parent / "random_ops").glob("*.txt")])
VERSION = "2.13"


def answers(module: str, path: Path) -> list[str]:
    """What `module` says to a list, a text for each expression."""
    source = f"from tests.create.speak import speak\nprint(speak({module!r}, {str(path)!r}), end='')"
    said = programs.run(module, programs.Block(path.stem, "a list of expressions", path, "", source))
    assert not said.failure, said.failure
    return blocks(said.stdout)


def blocks(text: str) -> list[str]:
    return ("\n" + (text if numpy_minds() else NUMPYS.sub("", text))).split("\n>>> ")[1:]


def golden(path: Path) -> list[str]:
    return blocks(path.with_suffix(".golden").read_text(encoding="utf-8"))


#: What NumPy says of an `__array__` that takes no `copy`, as that of PyTorch's tensors: older versions more rarely.
NUMPYS = re.compile(r"\n    DeprecationWarning: __array__ implementation doesn't accept a copy keyword.*")


@cache
def numpy_minds() -> bool:
    """Whether this NumPy says it."""

    class Old:
        def __array__(self, dtype: Any = None) -> np.ndarray:
            return np.zeros(1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.array(Old())
    return bool(caught)


def settled(module: str, path: Path) -> list[str]:
    """The answers, those that differ from the recorded ones only by the processor taken for the same."""
    said = zip_longest(answers(module, path), golden(path), fillvalue="")
    return [recorded.settled(a, b, "answers", f"{path.stem} {number}") for number, (a, b) in enumerate(said, 1)]


@pytest.mark.parametrize("path", LISTS, ids=lambda p: p.stem)
def test_answers(path: Path):
    expected = golden(path)
    assert len(expected) > 100
    assert settled("autogradlab", path) == expected


@pytest.mark.parity
@pytest.mark.parametrize("path", LISTS, ids=lambda p: p.stem)
def test_golden_is_what_torch_says(path: Path, torch):
    assert torch.__version__.startswith(VERSION)
    assert settled("torch", path) == golden(path)


def test_a_wrong_answer_is_seen(tmp_path: Path):
    path = tmp_path / "one.txt"
    path.write_text("----\ntorch.zeros(2)\n!raise KeyError(torch.ones(1).item())\n", encoding="utf-8")
    assert answers("autogradlab", path) == [
        "torch.zeros(2)\ntensor([0., 0.]) of torch.float32",
        "!raise KeyError(torch.ones(1).item())\nKeyError: 1.0\n",
    ]
