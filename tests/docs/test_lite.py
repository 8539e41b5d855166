"""What `python tools/lite.py` makes of a lock file, a wheel and JupyterLite's queue; tests/browser tests the site."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import lite

QUEUE = (
    "const a=async s=>{try{await h.runExclusive((async()=>{await r.ready,await r.handleMessage(e)}))}catch(e){}};"
    '"execute_reply"===e.header.msg_type&&"error"===e.content.status&&h.cancel(),t.send(n)'
)


def test_all_that_a_package_needs():
    packages = {"a": {"depends": ["b"]}, "b": {"depends": ["c-d"]}, "c-d": {"depends": ["a"]}, "e": {"depends": []}}
    assert lite.needed(packages, ["A"]) == ["a", "b", "c-d"]


def test_what_is_not_pyodides_is_refused(tmp_path: Path):
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    (tmp_path / "from" / "x.whl").write_bytes(b"x")
    lock = {"packages": {"x": {"file_name": "x.whl", "sha256": hashlib.sha256(b"x").hexdigest()}}}
    lite.distributed(tmp_path / "to", lock, ["x"], tmp_path / "from", tmp_path)
    assert (tmp_path / "to" / "x.whl").read_bytes() == b"x"
    (tmp_path / "from" / "x.whl").write_bytes(b"y")
    with pytest.raises(SystemExit, match=r"x\.whl is not Pyodide's"):
        lite.distributed(tmp_path / "to", lock, ["x"], tmp_path / "from", tmp_path)


def test_a_wheel_in_the_lock_file(tmp_path: Path):
    wheel = tmp_path / "pyodide_kernel-0.6.1-py3-none-any.whl"
    wheel.write_bytes(b"")
    key, said = lite.entry(wheel)
    assert (key, said["imports"], said["version"]) == ("pyodide-kernel", ["pyodide_kernel"], "0.6.1")
    assert said["sha256"] == hashlib.sha256(b"").hexdigest()
    assert "ipython" in said["depends"]


def test_what_is_preloaded_is_there():
    own = {lite.canonical(line.partition("==")[0]) for line in lite.PURE}
    own |= {"autogradlab", "piplite", "pyodide-kernel", "ipykernel", "widgetsnbextension"}
    assert {lite.canonical(name) for name in lite.PRELOADED} <= own | set(lite.WANTED)
    assert "https://" not in json.dumps(lite.CONFIG)


def test_what_nobody_asks_for_is_left_out(tmp_path: Path):
    wheel = tmp_path / "matplotlib-3.8.4-cp312.whl"
    fonts = [f"matplotlib/mpl-data/fonts/ttf/DejaVuSans{kind}.ttf" for kind in ("", "Mono", "Mono-Bold")]
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in (*fonts, "matplotlib/mpl-data/sample_data/a.png", "matplotlib/pyplot.py"):
            archive.writestr(name, "")
    assert lite.left_out(wheel) == [fonts[2], "matplotlib/mpl-data/sample_data/a.png"]
    assert lite.left_out(Path(shutil.copy(wheel, tmp_path / "other-1-py3.whl"))) == []
    assert set(lite.UNASKED["matplotlib"]) & set(lite.PRELOADED) == set()


def test_the_page_asks_for_what_the_kernel_needs(tmp_path: Path):
    for folder in ("lab", "static/pyodide"):
        (tmp_path / folder).mkdir(parents=True)
    known = {lite.canonical(name): {"file_name": f"{name}.whl", "depends": []} for name in lite.PRELOADED}
    known["numpy"]["depends"] = ["blas"]
    known |= {name: {"file_name": f"{name}.whl", "depends": []} for name in ("blas", "matplotlib")}
    (tmp_path / "static/pyodide/pyodide-lock.json").write_text(json.dumps({"packages": known}), encoding="utf-8")
    page = tmp_path / "lab" / "index.html"
    page.write_text("<html><head></head><body></body></html>", encoding="utf-8")
    lite.ahead(tmp_path)
    asked = set(re.findall(r'<link rel="prefetch" href="\.\./static/pyodide/(.+)">', page.read_text("utf-8")))
    assert asked == {*lite.CORE, *(f"{name}.whl" for name in (*lite.PRELOADED, "blas"))}
    page.write_text("nothing", encoding="utf-8")
    with pytest.raises(SystemExit, match="no head"):
        lite.ahead(tmp_path)


def test_run_all_goes_on_behind_a_cell_that_is_meant_to_fail(tmp_path: Path):
    (tmp_path / "build").mkdir()
    path = tmp_path / "build" / "100.js"
    path.write_text(QUEUE, encoding="utf-8")
    lite.go_on(tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "h.goesOn=!1===e.content.stop_on_error,await r.ready,await r.handleMessage(e)" in text
    assert '"error"===e.content.status&&!h.goesOn&&h.cancel()' in text
    path.write_text(QUEUE.replace("cancel", "stop"), encoding="utf-8")
    with pytest.raises(SystemExit, match="not where it was"):
        lite.go_on(tmp_path)


def test_what_is_missing_is_said_before_anything_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As in an environment that borrows packages: the extensions of JupyterLab lie in the other one."""
    monkeypatch.setattr(lite, "EXTENSIONS", tmp_path)
    monkeypatch.setattr(lite.shutil, "which", lambda name: f"/bin/{name}")
    with pytest.raises(SystemExit, match=r"has no @jupyter-widgets/.*, anywidget, .*--system-site-packages"):
        lite.main([])
    monkeypatch.setattr(lite.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="cannot be built without node and npm"):
        lite.main([])
