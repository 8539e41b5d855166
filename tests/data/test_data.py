"""Batches in PyTorch's order for the same seed; files that keep what was saved and run nothing."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from typing import Any

import pytest

import autogradlab


def orders(torch: Any) -> list[Any]:
    data = torch.utils.data
    torch.manual_seed(0)
    ds = data.TensorDataset(torch.arange(10), torch.arange(10) * 2)
    loader = data.DataLoader(ds, 3, shuffle=True)
    found: list[Any] = [[b[0].tolist() for b in loader] for _ in range(2)]
    found.append(torch.rand(1).item())
    found.append(
        [list(s.indices) for s in data.random_split(ds, [7, 3])]
        + [list(s.indices) for s in data.random_split(ds, [0.5, 0.5])]
    )
    own = data.DataLoader(ds, 3, shuffle=True, generator=torch.Generator().manual_seed(3), drop_last=True)
    found += [[b[1].tolist() for b in own], len(own)]
    found.append([b[0].tolist() for b in data.DataLoader(ds, 4)])
    found += [
        list(data.WeightedRandomSampler([0.1, 0.9], 5)),
        list(data.RandomSampler(range(5), replacement=True, num_samples=40)),
    ]
    found += [list(data.SubsetRandomSampler([4, 5, 6])), torch.rand(1).item()]
    return found


@pytest.mark.parity
def test_orders_as_pytorch(torch: Any):
    assert orders(autogradlab) == orders(torch)


def test_order_of_a_seed():
    assert orders(autogradlab)[0] == [[6, 7, 1], [4, 2, 0], [9, 8, 3], [5]]


def test_save_keeps_values_types_and_sharing(tmp_path: Any):
    torch = autogradlab
    a = torch.arange(6.0).view(2, 3)
    given = {
        "a": a,
        "t": a.t(),
        "row": a[1],
        "n": 3,
        "l": [1, 2.5, None, (True, "x")],
        "o": OrderedDict(k=torch.tensor(1)),
        "p": torch.nn.Parameter(torch.ones(2)),
        "d": torch.float64,
        "inf": float("inf"),
        "empty": torch.zeros(0, 2),
    }
    torch.save(given, tmp_path / "f.pt")
    found = torch.load(tmp_path / "f.pt")
    assert repr(found) == repr(given)
    assert found["t"].stride() == (1, 3)
    found["a"][1, 0] = 50
    assert found["row"][0] == found["t"][0, 1] == 50
    assert a[1, 0] == 3


@pytest.mark.parametrize("content", [b"", b"abc", pickle.dumps({"a": 1})])
def test_foreign_files_are_refused(content: bytes):
    with pytest.raises((pickle.UnpicklingError, EOFError)):
        autogradlab.load(io.BytesIO(content))


def test_a_hostile_pickle_runs_nothing(tmp_path: Any):
    class Hostile:
        def __reduce__(self):
            return (open, (str(tmp_path / "was here"), "w"))

    with pytest.raises(pickle.UnpicklingError, match="loads no pickles"):
        autogradlab.load(io.BytesIO(pickle.dumps(Hostile())))
    assert not (tmp_path / "was here").exists()


def test_what_cannot_be_saved_is_said():
    with pytest.raises(TypeError, match="cannot save an object of type"):
        autogradlab.save(autogradlab.nn.Linear(1, 1), io.BytesIO())


def test_a_damaged_file_is_refused():
    import zipfile

    buffer = io.BytesIO()
    autogradlab.save(autogradlab.ones(2), buffer)
    with zipfile.ZipFile(buffer) as archive:
        described = archive.read("data.json").decode().replace('"shape": [2]', '"shape": [99]')
    damaged = io.BytesIO()
    with zipfile.ZipFile(damaged, "w") as archive:
        archive.writestr("data.json", described)
        archive.writestr("storages/0", bytes(8))
    damaged.seek(0)
    with pytest.raises(RuntimeError, match="reaches outside its memory"):
        autogradlab.load(damaged)
