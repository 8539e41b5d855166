"""Every inspector shows the same for tensors of autogradlab and of PyTorch: `torch` is one, then the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import autogradlab
from autogradlab.inspectors import set_language
from tests.conftest import need


@pytest.fixture(params=["autogradlab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return autogradlab if request.param == "autogradlab" else need("torch")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """The texts in the tests are English, whatever the environment says; a test may switch."""
    set_language("en")
    yield
    set_language(None)
