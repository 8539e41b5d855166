"""linspace and logspace refuse tensors that are no numbers, in the words of live torch."""

from __future__ import annotations

from typing import Any

import pytest

import autogradlab


@pytest.mark.parity
@pytest.mark.parametrize("name", ["linspace", "logspace"])
@pytest.mark.parametrize("ends", ["[1., 1.], [1., 1.]", "1., [1.]", "[1.], 1.", "[1.], None", "None, [1.]"])
def test_ends_have_no_dimensions(torch: Any, name: str, ends: str):
    said = []
    for lib in (torch, autogradlab):
        start, end = (1 if e is None else lib.tensor(e) for e in eval(ends))
        with pytest.raises(RuntimeError) as caught:
            getattr(lib, name)(start, end, 2)
        said.append(str(caught.value))
    assert said[0] == said[1]
