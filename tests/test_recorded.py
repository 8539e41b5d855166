"""What is recorded says how, and the comparison within the last place sees all else."""

from __future__ import annotations

import json
import sys
import tomllib

import pytest

from tests import recorded
from tests.conftest import ROOT
from tests.create import test_answers
from tests.scenarios import blocks

sys.path.append(str(ROOT / "tools"))
import record


def test_every_recording_says_how_it_was_made():
    made = tomllib.loads(recorded.FILE.read_text(encoding="utf-8"))
    assert set(made) == {*record.SAID, "samples"}
    for kind, conditions in made.items():
        assert conditions["torch"].startswith("2.13."), kind
        assert {name: conditions[name] for name in record.PINNED} == record.PINNED, kind


def test_no_stored_text_comes_of_a_name_that_is_not_there():
    files = [path.with_suffix(".out") for path in record.program_files()]
    files += [path.with_suffix(".golden") for path in test_answers.LISTS]
    assert [path.name for path in files if "NameError" in path.read_text(encoding="utf-8")] == []


def test_what_varies_is_there():
    programs = {block.id for path in record.program_files() for block in blocks.read(path)}
    lists = {f"{p.stem} {n}" for p in test_answers.LISTS for n in range(1, 1 + len(test_answers.golden(p)))}
    assert set(recorded.varying("programs")) - programs == set()
    assert set(recorded.varying("answers")) - lists == set()
    for kind in record.WRITERS:
        assert len(recorded.varying(kind)) < 20, "few texts depend on the processor: another input will do"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("tensor([ 0.,  2., -1.])", "tensor([ 0.0000,  2.0000, -1.0000])"),
        ("tensor([0.1234, 5.0000])", "tensor([0.1235, 5.0000])"),
        ("tensor(1.2345e-05)", "tensor(1.2346e-05)"),
        ("[0.0, 3.3333332538604736]", "[2.384185791015625e-07, 3.3333334922790527]"),
        ("[0.30000000000000004]", "[0.3]"),
    ],
)
def test_the_last_place_is_let_pass(text: str, other: str):
    assert recorded.near(text, other)
    assert recorded.near(other, text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("tensor([0.1234])", "tensor([0.1236])"),
        ("tensor([0.1234])", "tensor([0.1234, 0.1234])"),
        ("tensor([1., nan])", "tensor([1., inf])"),
        ("tensor(1.2345e-05)", "tensor(1.2345e-04)"),
        ("size (2, 3)", "size (2, 4)"),
        ("shape 2", "shape 3"),
        ("tensor(1.)", "tensor(1., grad_fn=<MulBackward0>)"),
        ("True 1.0", "False 1.0"),
    ],
)
def test_all_else_is_seen(text: str, other: str):
    assert not recorded.near(text, other)


def test_only_what_varies_is_settled():
    (name, *_) = recorded.varying("examples")
    assert recorded.settled("2.0000", "2.", "examples", name) == "2."
    assert recorded.settled("2.0001", "2.", "examples", "sum") == "2.0001"
    assert recorded.settled("2.1", "2.", "examples", name) == "2.1"


def test_draws_are_of_every_distribution():
    from tests.test_generator import CALLS, DRAWS

    assert list(json.loads(DRAWS.read_text(encoding="utf-8"))) == list(CALLS)


def test_what_was_seen_on_another_processor_stays(monkeypatch: pytest.MonkeyPatch):
    old = {"log": "NumPy without AVX2, NumPy with AVX-512", "exp": "PyTorch without AVX2"}
    monkeypatch.setattr(record, "not_here", lambda: record.ONLY_AVX512)
    assert record.kept(old, {"exp": "NumPy with AVX2"}, ()) == {"log": "NumPy with AVX-512", "exp": "NumPy with AVX2"}
    monkeypatch.setattr(record, "not_here", tuple)
    assert record.kept(old, {"exp": "NumPy with AVX2"}, ()) == {"exp": "NumPy with AVX2"}
    assert record.kept(old, {}, [ROOT]) == old
