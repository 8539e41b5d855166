"""The built web page in Chromium: cards step by keys, search finds, axe has nothing to say, light and dark.

AUTOGRADLAB_SITE is the folder that `python tools/webpage.py` has built; without it these tests are skipped.
"""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.labdrive import axe
from tests.conftest import need

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = ["index.html", "gallery.html", "differences.html", "en/14-backward.html", "zh/00-welcome.html"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(need("site")))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_has_nothing_to_say(name: str, theme: str, site: str, page: Any):
    need("axe_playwright_python")
    page.goto(f"{site}/{name}")
    page.evaluate("(theme) => { document.body.dataset.theme = theme; }", theme)
    page.wait_for_timeout(300)
    assert axe(page, "article") == []
    assert (page.off_host, page.broken) == ([], [])


def test_a_phone_pans_cards_instead_of_shrinking_them(site: str, page: Any):
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(f"{site}/en/14-backward.html", wait_until="load")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    figures = page.evaluate("""() => [...document.querySelectorAll('figure[lang]')].map(
      figure => [figure.clientWidth, figure.firstChild.clientWidth, figure.tabIndex])""")
    assert figures
    for place, picture, tab in figures:
        assert place < 360 < 570 < picture
        assert tab == 0
    assert axe(page, "article") == []


def test_the_front_page_steps_by_keys(site: str, page: Any):
    page.goto(f"{site}/index.html")
    card = page.locator("[data-agl-card] .agl").first
    card.wait_for()
    before = card.inner_text()
    card.locator("button").first.focus()
    page.keyboard.press("End")
    page.wait_for_timeout(300)
    assert card.inner_text() != before


def test_search_finds_what_differs(site: str, page: Any):
    page.goto(f"{site}/search.html?q=quantised")
    page.locator("ul.search a", has_text="Differences from PyTorch").first.wait_for(timeout=20_000)
    page.goto(f"{site}/search.html?q=gather")
    page.locator("ul.search a").first.wait_for(timeout=20_000)
    page.goto(f"{site}/search.html?q=梯度累积")  # words of Chinese stand without spaces in a sentence
    page.locator("ul.search a", has_text="16 · 梯度累加与清零").first.wait_for(timeout=20_000)
