"""What a learner meets first: one line in the terminal, the first lesson in their language, to be read before
JupyterLab shows it, its kernel begun before the page asks, and nothing in its way, nor anything asked of the server
that lessons have no use for."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

from tests.browser.labdrive import READY

pytestmark = [pytest.mark.browser, pytest.mark.slow]

UNASKED = ("/lsp/", "/lab/api/build", "/lab/api/extensions", "/lab/api/news")
SHOWN = """() => ({
  open: window.jupyterapp.shell.currentWidget.context.path,
  heading: document.querySelector('.jp-NotebookPanel h1')?.textContent,
  lists: [...document.querySelectorAll('.jp-SideBar .lm-mod-current')].map(n => n.dataset.id),
  paragraphs: [...document.querySelectorAll('.jp-NotebookPanel .jp-RenderedMarkdown p')].map(n => n.textContent),
  before: globalThis.before,
  left: !!document.getElementById('autogradlab-beginning'),
  toasts: [...document.querySelectorAll('.Toastify__toast, .jp-Dialog')].map(n => n.textContent),
})"""
#: keeps what stands on the page before JupyterLab has loaded
WATCH = """new MutationObserver(() => {
  const page = document.getElementById('autogradlab-beginning');
  if (page) globalThis.before ??= {
    early: !document.querySelector('.jp-NotebookPanel'),
    lang: page.lang,
    heading: page.querySelector('h1').textContent,
    paragraphs: [...page.querySelectorAll('p')].map(n => n.textContent),
    code: page.querySelectorAll('pre').length,
  };
}).observe(document, {childList: true, subtree: true});"""


def chinese_jupyterlab() -> bool:
    try:
        version("jupyterlab-language-pack-zh-CN")
    except PackageNotFoundError:
        return False
    return True


@pytest.mark.turns(2)
@pytest.mark.parametrize(("lang", "stop"), [("en", "Ctrl-C stops them"), ("zh", "按 Ctrl-C 停止")])
def test_the_first_screen(lang: str, stop: str, request: pytest.FixtureRequest, page: Any):
    lab = request.getfixturevalue({"en": "lab", "zh": "lab_zh"}[lang])
    assert lab.begun == [f"{lang}/00-welcome.ipynb"]
    (line,) = lab.log.read_text(encoding="utf-8").strip().splitlines()
    assert stop in line
    assert str(lab.folder) in line
    found = re.search(r"http://\S+", line)
    assert found
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(lab.url)))
    page.add_init_script(WATCH)
    page.goto(found[0], wait_until="domcontentloaded")
    page.wait_for_function(READY, timeout=60_000)
    menu = "运行" if lang == "zh" and chinese_jupyterlab() else "Run"
    page.get_by_role("menuitem", name=menu, exact=True).wait_for()
    page.wait_for_timeout(2000)  # the question whether one wants news comes a second after the page
    shown = page.evaluate(SHOWN)
    assert shown["open"] == f"{lang}/00-welcome.ipynb"
    assert shown["heading"]
    before = shown["before"]
    assert (before["early"], before["lang"], shown["left"]) == (True, {"en": "en", "zh": "zh-CN"}[lang], False)
    assert shown["heading"].startswith(before["heading"])  # JupyterLab adds a link
    assert before["paragraphs"][:4] == shown["paragraphs"][:4]
    assert before["code"] > 2
    assert shown["lists"] == []
    assert shown["toasts"] == []
    assert [path for path in asked if path.startswith(UNASKED)] == []
    assert page.errors == []
    assert page.broken == []
    assert page.off_host == []
