"""torch.ops.aten has PyTorch's overloads and schemas, but for those that operators.txt lists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import autogradlab
from autogradlab.core.arguments.declared import ALIASES, DECLARED
from autogradlab.nn import namespace
from autogradlab.ops.table.families import load_all

#: overloads whose schema PyTorch writes otherwise, most of them since Python's function gives one of several things
OTHERS = Path(__file__).with_name("operators.txt")


def schemas() -> Iterator[tuple[str, str, str]]:
    """The schema of each overload, with the names of operator and overload."""
    load_all()
    for name in namespace.NAMES:
        getattr(autogradlab, name)
    names = {*DECLARED, *ALIASES, *(f"{name}_" for name in DECLARED if not name.endswith("_"))}
    for name in sorted(n for n in names if hasattr(autogradlab.ops.aten, n)):
        packet = getattr(autogradlab.ops.aten, name)
        for overload in packet:
            yield name, overload, str(getattr(packet, overload)._schema)


def test_most_operations_are_operators():
    assert len({name for name, _, _ in schemas()}) > 750


@pytest.mark.parity
def test_schemas_are_those_of_pytorch(torch: Any):
    differing = []
    for name, overload, schema in schemas():
        there = getattr(getattr(torch.ops.aten, name, None), overload, None)
        if there is None or str(there._schema) != schema:
            differing.append(f"{name}.{overload}")
    assert differing == OTHERS.read_text(encoding="utf-8").split()
