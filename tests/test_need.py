"""``need``: a missing thing skips a test with the cure, and fails it where AUTOGRADLAB_REQUIRE names it."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from tests import conftest
from tests.conftest import need

MISSING = "autogradlab_there_is_no_such_module"


def test_what_is_there_is_given():
    import json

    assert need("json") is json


def test_missing_skips_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOGRADLAB_REQUIRE", "torch")
    with pytest.raises(pytest.skip.Exception, match=f"{MISSING} is missing: pip install {MISSING}"):
        need(MISSING)


@pytest.mark.parametrize("required", [MISSING, f"torch, {MISSING}"])
def test_missing_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch, required: str):
    monkeypatch.setenv("AUTOGRADLAB_REQUIRE", required)
    with pytest.raises(pytest.fail.Exception, match="AUTOGRADLAB_REQUIRE names it"):
        need(MISSING)


def test_browser_is_a_program(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib, "import_module", lambda name: object())
    monkeypatch.setenv("AUTOGRADLAB_CHROMIUM", "a-browser")
    assert need("browser") == "a-browser"
    monkeypatch.delenv("AUTOGRADLAB_CHROMIUM")
    monkeypatch.delenv("AUTOGRADLAB_REQUIRE", raising=False)
    monkeypatch.setattr(conftest.shutil, "which", lambda name: None)
    with pytest.raises(pytest.skip.Exception, match="install Chromium"):
        need("browser")


def test_marked_tests_need_no_fixture(monkeypatch: pytest.MonkeyPatch):
    class Item:
        def get_closest_marker(self, name: str) -> Any:
            return name == "parity"

    asked: list[str] = []
    monkeypatch.setattr(conftest, "need", asked.append)
    conftest.pytest_runtest_setup(Item())  # type: ignore[arg-type]
    assert asked == ["torch"]
