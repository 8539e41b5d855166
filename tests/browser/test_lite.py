"""*Try now*: lessons in JupyterLite, as `python tools/lite.py` builds it, run to their end with the stored text.

AUTOGRADLAB_LITE is the folder of a built site; without it these tests are skipped. A sample of the lessons is run;
with AUTOGRADLAB_LITE_ALL set, every lesson in both languages.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import io
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autogradlab.lab.author import book
from tests.browser.labdrive import READY, cells, run_all
from tests.conftest import need

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SAMPLE = {"en/00-welcome", "zh/14-backward", "en/24-for-the-record"}
LESSONS = [
    p for p in book.lesson_files() if "AUTOGRADLAB_LITE_ALL" in os.environ or f"{p.parent.name}/{p.stem}" in SAMPLE
]


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves a folder as static hosts do, texts and WebAssembly gzipped, and notes what it sends."""

    protocol_version = "HTTP/1.1"
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}
    sent: list[tuple[str, int]] = []
    zipped: dict[str, bytes] = {}
    missing: list[str] = []

    def log_message(self, *_: Any) -> None:
        pass

    def send_error(self, code: int, *more: Any, **named: Any) -> None:
        self.missing.append(self.path)
        super().send_error(code, *more, **named)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if (
            path.suffix not in {".js", ".mjs", ".json", ".css", ".html", ".wasm", ".svg", ".ipynb"}
            or not path.is_file()
        ):
            return super().do_GET()
        modified = self.date_time_string(path.stat().st_mtime)
        if self.headers["If-Modified-Since"] == modified:  # a run of all lessons outlasts what max-age allows
            self.send_response(304)
            return self.end_headers()
        data = self.zipped.get(str(path)) or self.zipped.setdefault(str(path), gzip.compress(path.read_bytes(), 6))
        self.send_response(200)
        for name, value in (
            ("Content-Type", self.guess_type(str(path))),
            ("Content-Encoding", "gzip"),
            ("Last-Modified", modified),
            ("Content-Length", str(len(data))),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.copyfile(io.BytesIO(data), self.wfile)

    def copyfile(self, source: Any, outputfile: Any) -> None:
        data = source.read()
        self.sent.append((self.path, len(data)))
        outputfile.write(data)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of the built site."""
    folder = need("lite")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_lesson_runs_in_the_browser(path: Path, site: str, page: Any):
    began = time.monotonic()
    name = f"{path.parent.name}/{path.name}"
    page.goto(f"{site}/lab/index.html?path={name}", wait_until="domcontentloaded")
    page.wait_for_function(READY, timeout=120_000)
    ready = time.monotonic()
    run_all(page, timeout=300_000)
    asked = Counter(at for at, _ in Files.sent if "/static/pyodide/" in at)
    assert [at for at, count in asked.items() if count > 1] == []  # neither by page and kernel, nor at a later visit
    sent = sum(size for _, size in Files.sent) / 2**20
    assert sent < 30 or path != LESSONS[0]
    print(f"{name}: kernel {ready - began:.1f} s, cells {time.monotonic() - ready:.1f} s, sent so far {sent:.1f} MiB")
    stored = {cell.id: cell for cell in book.read(path).cells}
    for cell in cells(page):
        kinds = [output["output_type"] for output in cell["outputs"]]
        assert ("error" in kinds) == ("raises-exception" in cell["tags"]), cell
        if "progress()" in stored[cell["id"]].source:  # here it is kept: these are a learner's copies
            assert "autogradlab-progress.json" in str(said(cell))
        else:
            assert said(cell) == said(stored[cell["id"]]), cell["id"]
    assert (page.off_host, page.broken) == ([], [])


def said(cell: Any) -> list[tuple[str, str]]:
    """What a reader reads below a cell. To a kernel in the browser the name of an error is the repr of its class, and
    addresses are shorter, so that IPython does not break the line behind them."""
    found = []
    for kind, text in book.texts(cell):
        text = re.sub(r"^<class '(?:\w+\.)*(\w+)'>", r"\1", text) if kind == "error" else text
        found.append((kind, re.sub(r"(0x7f0+>[^\n]*)\n +", r"\1 ", text)))
    return found
