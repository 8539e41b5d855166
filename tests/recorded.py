"""What is recorded from the real PyTorch, how it was made, and where processors differ in the last place.

``python tools/record.py`` makes all of it and writes ``recorded.toml`` beside this file: under which conditions each
recording was made, and which texts have other last digits on another processor. Those, and no others, are compared
within the last place. PyTorch's own kernels are chosen by ATEN_CPU_CAPABILITY and MKL_CBWR when it starts, NumPy's by
NPY_DISABLE_CPU_FEATURES and OPENBLAS_CORETYPE.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

#: the folders of tests/ that hold program files
PROGRAMS = ("scenarios", "autograd", "programs")
FILE = Path(__file__).with_name("recorded.toml")
#: a number with a point or an exponent; whole numbers are counts and sizes, which have no last place
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*(?:e[-+]?\d+)?|e[-+]?\d+)")
SINGLE = 2.0**-21  # four times the spacing of float32 numbers near 1


@cache
def varying(kind: str) -> dict[str, str]:
    """Names of a kind of recording ("programs", "answers", "examples") whose last digits differ between processors, and
    where they were seen to differ."""
    with FILE.open("rb") as file:
        made: dict[str, Any] = tomllib.load(file)
    return dict(made[kind].get("varies", {}))


def settled(text: str, stored: str, kind: str, name: str) -> str:
    """`stored` if `text` is the same as far as processors agree, else `text`: to be compared with `stored`."""
    return stored if name in varying(kind) and near(text, stored) else text


def near(text: str, other: str) -> bool:
    """Whether two texts are the same but for the last place of numbers, and for the columns that follow from it."""
    numbers, others = NUMBER.findall(text), NUMBER.findall(other)
    if "".join(NUMBER.sub("#", text).split()) != "".join(NUMBER.sub("#", other).split()):
        return False
    size = max((abs(float(n)) for n in [*numbers, *others]), default=0.0)
    return all(
        abs(float(a) - float(b)) <= 1.001 * max(min(last_place(a), last_place(b)), SINGLE * min(size, 1e3))
        for a, b in zip(numbers, others, strict=True)
    )


def last_place(number: str) -> float:
    """What a one is worth in the last digit that is printed; PyTorch leaves out digits of numbers that need fewer."""
    digits, _, exponent = number.partition("e")
    decimals = len(digits.partition(".")[2])
    return float(10.0 ** (int(exponent) - decimals if exponent else -max(decimals, 4)))
