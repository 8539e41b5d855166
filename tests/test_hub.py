"""Weights from an address, loaded once: with the words and the folders of PyTorch."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from typing import Any

import pytest

import autogradlab

WARNED = "TORCH_HUB is deprecated, please use env TORCH_HOME instead"


def check(library: Any, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    hub, zoo = (importlib.import_module(f"{library.__name__}.{name}") for name in ("hub", "utils.model_zoo"))
    monkeypatch.delenv("TORCH_HUB", raising=False)
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    assert hub.get_dir() == str(tmp_path / "home" / "hub")
    there, kept = tmp_path / "there", tmp_path / "home" / "hub" / "checkpoints"
    there.mkdir()
    library.save({"weight": library.ones(1, 2)}, there / "net.pth")
    data = (there / "net.pth").read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    good, bad = there / f"net-{digest[:8]}.pth", there / "net-00000000.pth"
    for file in (good, bad):
        file.write_bytes(data)
    for _ in range(2):  # the second time from the folder
        assert hub.load_state_dict_from_url(good.as_uri(), check_hash=True)["weight"].tolist() == [[1.0, 1.0]]
    said = capsys.readouterr()
    assert said.out == f'Downloading: "{good.as_uri()}" to {kept / good.name}\n'
    assert "100" in said.err
    with pytest.raises(RuntimeError) as refused:
        hub.load_state_dict_from_url(bad.as_uri(), check_hash=True, progress=False)
    assert str(refused.value) == f'invalid hash value (expected "00000000", got "{digest}")'
    assert [file.name for file in kept.iterdir()] == [good.name]
    loaded = zoo.load_url(bad.as_uri(), str(tmp_path / "zoo"), progress=False, file_name="mine.pth", weights_only=True)
    assert loaded["weight"].tolist() == [[1.0, 1.0]]
    assert [file.name for file in (tmp_path / "zoo").iterdir()] == ["mine.pth"]
    hub.download_url_to_file(bad.as_uri(), str(tmp_path / "copy"), "", progress=False)
    assert (tmp_path / "copy").read_bytes() == data
    monkeypatch.setenv("TORCH_HUB", "old")
    with pytest.warns(UserWarning, match=WARNED):
        hub.get_dir()


def test_weights_are_loaded_once(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    check(autogradlab, tmp_path, capsys, monkeypatch)


@pytest.mark.parity
def test_torch_loads_them_so(torch: Any, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    check(torch, tmp_path, capsys, monkeypatch)


def test_the_folder_can_be_chosen(monkeypatch: Any) -> None:
    monkeypatch.delenv("TORCH_HUB", raising=False)
    monkeypatch.setattr(autogradlab.hub, "_chosen", [])
    autogradlab.hub.set_dir("weights")
    assert autogradlab.hub.get_dir() == "weights"
