"""The film of a border: what it shows is what the model says, and its words and pictures stand without a page."""

from __future__ import annotations

import base64
import math
from pathlib import Path
from typing import Any

import pytest

from autogradlab.lab.film import Film, border, moons


def test_the_border_is_where_the_sign_changes():
    size = 21
    circle = [[(c - 10) ** 2 + (r - 10) ** 2 - 36.0 for c in range(size)] for r in range(size)]
    ends = [end for pair in border(circle) for end in pair]
    assert len(ends) > 40
    assert all(abs(math.hypot(c - 10, r - 10) - 6) < 0.1 for c, r in ends)
    assert border([[1.0, 2.0], [3.0, 4.0]]) == []
    assert border([[-1.0, 3.0], [-1.0, 3.0]]) == [((0.25, 0.0), (0.25, 1.0))]


def test_a_film(torch: Any, sample: Path):
    x, t = moons()
    assert (tuple(x.shape), t.sum().item(), x.requires_grad) == ((60, 2), 30, False)
    film = Film(x, t)
    model = torch.nn.Linear(2, 1)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1.0, 0.0]]))
        model.bias.zero_()
    film.take(model, "upright")
    film.take(lambda places: places[:, 1:] * 0 + 1, "<none>")
    assert film.text.splitlines()[1:] == ["upright", "<none>"]
    first, last = (base64.b64decode(f["src"].partition(",")[2]).decode() for f in film.frames)
    steps = first.partition('d="')[2].partition('"')[0].split("M")[1:]
    assert len({step.split()[0] for step in steps}) == 1, "a line straight up"
    assert 'd=""' in last
    assert first.count("<circle") == first.count("<rect x=") == 30
    assert "&lt;none&gt;" in film.html
    assert model.weight.grad is None


def test_moons_are_the_same_in_both_libraries(torch: Any):
    def ours() -> Any:
        import autogradlab as torch  # noqa: F401

        return moons()[0].tolist()

    for one, other in zip(moons()[0].tolist(), ours(), strict=True):
        assert one == pytest.approx(other, abs=1e-5)
