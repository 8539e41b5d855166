"""Pictures of inspectors, to look at them: what a Python file makes, as PNGs in light and dark, by Chromium.

python tools/lookat.py FILE.py OUT              every Inspector (or Card) in a variable of FILE: OUT/name-light.png ...
python tools/lookat.py FILE.py OUT --frame 2    the picture of step 2
python tools/lookat.py FILE.py OUT --html       the static HTML
python tools/lookat.py FILE.py OUT --widget     the widget, on a page without a notebook; --press "ArrowRight Tab" keys
"""

from __future__ import annotations

import argparse
import io
import os
import runpy
import shutil
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from autogradlab.inspectors.inspector import Inspector
from autogradlab.inspectors.parts import Card

PAGE = (
    "<!doctype html><html data-theme={theme}><meta charset=utf-8><body "
    "style='margin:20px;background:{ground}'>{body}</body></html>"
)
#: What anywidget does for a module, as far as a picture needs it: the page gets it once, and then one card after the
#: other. Of the card before nothing is left but what it forgets to take along.
LOAD = """async ([source, style]) => {
  document.head.append(Object.assign(document.createElement('style'), {textContent: style}));
  window.widget = (await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})))).default;
}"""
MOUNT = """async card => {
  window.leave?.();
  const state = {_card: card}, main = document.createElement('main');
  const set = (name, value) => { state[name] = value; };
  const model = {get: name => state[name], set, save_changes() {}, on() {}, off() {}};
  document.body.replaceChildren(main);
  window.scrollTo(0, 0);
  window.leave = await widget.render({model, el: main});
  document.querySelector('.agl-card').focus();
}"""
LOADED = "theme => !!window.widget && document.documentElement.dataset.theme === theme"
GROUND = {"light": "#ffffff", "dark": "#0b0d10"}


def found(file: str) -> dict[str, Inspector]:
    """The inspectors among a file's variables; bare cards count, and dictionaries of cards too."""
    values = runpy.run_path(file)
    for name, value in list(values.items()):
        if isinstance(value, dict) and not name.startswith("_"):
            values |= {f"{name}-{key}": inner for key, inner in value.items()}
    cards = {name: Inspector(value) if isinstance(value, Card) else value for name, value in values.items()}
    return {name: view for name, view in cards.items() if isinstance(view, Inspector) and not name.startswith("_")}


def notebook(*cells: str) -> Any:
    """What the last of some cells shows, run as a notebook in English runs them: so lines and names are known."""
    from traitlets.config import Config

    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, IPYTHONDIR=folder):
        os.environ.pop("VIRTUAL_ENV", None)  # IPython looks into it, and warns if another Python runs this
        from IPython.core.interactiveshell import InteractiveShell

        from autogradlab.inspectors import set_language
        from autogradlab.inspectors.snapshot.lines import unwatch, watch

        config = Config()
        config.HistoryManager.enabled = False
        shell: Any = InteractiveShell.instance(config=config)
        try:
            watch()
            set_language("en")
            for cell in cells:
                with redirect_stdout(io.StringIO()):
                    done = shell.run_cell(cell, store_history=True)
                done.raise_error()
            return done.result
        finally:
            set_language(None)
            unwatch()
            InteractiveShell.clear_instance()


def mount(page: Any, view: Inspector, theme: str) -> None:
    """The view as a live widget on a bare page."""
    from autogradlab.inspectors.stored import packed

    mount_packed(page, packed(view.card), theme)


def mount_packed(page: Any, card: str, theme: str) -> None:
    """The same for a card as a page gets it."""
    from autogradlab.inspectors.widgets.view import module, style

    if not page.evaluate(LOADED, theme):
        page.set_content(PAGE.format(theme=theme, ground=GROUND[theme], body=""))
        page.evaluate(LOAD, [module(), style()])
    page.evaluate(MOUNT, card)


def pages(view: Inspector, arguments: argparse.Namespace) -> dict[str, str]:
    bodies = {}
    for theme in GROUND:
        body = view.html() if arguments.html else view.svg(arguments.frame, dark=theme == "dark")
        bodies[theme] = PAGE.format(theme=theme, ground=GROUND[theme], body=body)
    return bodies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("out", type=Path)
    parser.add_argument("--frame", type=int)
    parser.add_argument("--html", action="store_true")
    parser.add_argument("--widget", action="store_true")
    parser.add_argument("--press", default="")
    parser.add_argument("--width", type=int, default=1100)
    arguments = parser.parse_args()
    views = found(arguments.file)
    if not views:
        raise SystemExit(f"{arguments.file} leaves no Inspector in a variable")
    arguments.out.mkdir(parents=True, exist_ok=True)
    with chromium() as page:
        page.set_viewport_size({"width": arguments.width, "height": 80})
        for name, view in views.items():
            for theme, content in pages(view, arguments).items():
                if arguments.widget:
                    mount(page, view, theme)
                    for key in arguments.press.split():
                        page.keyboard.press(key)
                    page.wait_for_timeout(250)
                else:
                    page.set_content(content)
                path = arguments.out / f"{name}-{theme}.png"
                page.screenshot(path=path, full_page=True)
                print(path)


def browser() -> str | None:
    """The Chromium on the PATH; None for the one that Playwright brought."""
    return os.environ.get("AUTOGRADLAB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


class chromium:
    """A page in a Chromium of its own: the one on the PATH, or the one that Playwright brought."""

    def __enter__(self) -> Any:
        from playwright.sync_api import sync_playwright

        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path=browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        return self.browser.new_page()

    def __exit__(self, *error: object) -> None:
        self.browser.close()
        self.playwright.stop()


if __name__ == "__main__":
    main()
