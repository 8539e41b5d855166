"""`tools/mutate.py`: which mutants it makes of a source, which tests they meet, and that a child that hangs ends."""

from __future__ import annotations

import ast
import sys
import time

import pytest

from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
mutate = pytest.importorskip("mutate", reason="it runs where processes fork", exc_type=ModuleNotFoundError)

SOURCE = b'''"""A docstring with 3 and True."""

class Sum:
    @property
    def total(self, many: int = 3) -> float:
        """How many: 4."""
        assert many > 0
        if many < 2 and self.on:
            self.count += 1
        return add(many, self.first) * 2

def outer():
    def inner(x):
        raise ValueError(not x)
    return inner
'''


def texts(source: bytes) -> list[tuple[str, str, str]]:
    found = mutate.mutants("engine", "a.py", source)
    return sorted((m.function, source[m.start : m.end].decode(), m.text) for m in found)


def test_what_is_changed():
    assert texts(SOURCE) == [
        ("Sum.total", "1", "2"),
        ("Sum.total", "2", "3"),
        ("Sum.total", "2", "3"),
        ("Sum.total", "add(many, self.first)", "add(self.first, many)"),
        ("Sum.total", "add(many, self.first) * 2", "add(many, self.first) + 2"),
        ("Sum.total", "many < 2", "many <= 2"),
        ("Sum.total", "many < 2 and self.on", "(many < 2 or self.on)"),
        ("Sum.total", "many < 2 and self.on", "(not (many < 2 and self.on))"),
        ("Sum.total", "self.count += 1", "pass"),
        ("outer.<locals>.inner", "not x", "x"),
        ("outer.<locals>.inner", "raise ValueError(not x)", "pass"),
    ]


def test_names_of_functions_are_those_that_python_gives():
    names = {m.function for m in mutate.mutants("engine", "a.py", SOURCE)}
    space: dict[str, object] = {}
    exec(SOURCE, space)
    total = vars(space["Sum"])["total"].fget
    inner = space["outer"]()  # type: ignore[operator]
    assert names == {total.__code__.co_qualname, inner.__code__.co_qualname}


def test_every_mutant_is_another_program():
    count = 0
    for area in mutate.AREAS:
        for path in mutate.files(area, ROOT):
            source = path.read_bytes()
            tree = ast.dump(ast.parse(source))
            for mutant in mutate.mutants(area, path.name, source)[::80]:
                assert ast.dump(ast.parse(mutant.apply(source))) != tree, mutant
                count += 1
    assert count > 100


def test_the_same_seed_draws_the_same():
    first = mutate.chosen(["engine", "leaves"], 5, 1, ROOT)
    assert first == mutate.chosen(["engine", "leaves"], 5, 1, ROOT) != mutate.chosen(["engine", "leaves"], 5, 2, ROOT)
    assert [m.area for m in first] == ["engine"] * 3 + ["leaves"] * 2


def test_quick_tests_come_first_from_each_file():
    tests = {"a::slow": (2.0, []), "a::fast": (0.1, []), "b::one": (0.5, []), "b::endless": (100.0, [])}
    assert mutate.quickest(tests) == ["a::fast", "b::one", "a::slow"]


def test_a_child_that_hangs_is_ended(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert mutate.in_child(lambda: 3, 5.0) == 3
    assert mutate.in_child(lambda: 1 // 0, 5.0) == 99
    assert mutate.in_child(lambda: time.sleep(60) or 0, 0.05) is None
