"""Contact sheets: every inspector on every program of the browser tests, in JupyterLab, from an installed wheel.

python tools/sheets.py OUT                       needs the wheel with [test], Playwright, Chromium and Pillow
python tools/sheets.py OUT --only mlp nan --looks 1280-light-en 700-dark-zh
python tools/sheets.py OUT --library torch       the same on PyTorch

OUT/LOOK/PROGRAM-CARD.png are the cards, OUT/LOOK-PROGRAM.png all of a program's on one sheet.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))  # behind what is installed

import nbformat
from nbformat import v4

from tests.browser.conftest import FLAGS, Lab, served
from tests.browser.labdrive import cells, open_notebook, run_all
from tests.browser.programs import CARDS, PARTS, PYTORCH, START, calls

LOOKS = ("1280-light-en", "1280-dark-zh", "700-dark-en", "700-light-zh")
#: the learner's cards, which are of no program
LEARNER = {
    "predict": ("from autogradlab.lab import check, parsons, predict, quiz\npredict('scalar-dim')", ""),
    "quiz": ("quiz('recall-14')", ""),
    "parsons": ("parsons('training-step')", ""),
    "check": ("check('descend')", ""),
}


class Places:
    """What pytest's tmp_path_factory is to the tests' JupyterLab."""

    def mktemp(self, name: str) -> Path:
        return Path(tempfile.mkdtemp(prefix=name))


def sources(program: str, lang: str, library: str) -> dict[str, str]:
    """The cells of a program's notebook, by what they show."""
    learner = {"start": START.format(lang=lang)} | {name: source for name, (source, _) in LEARNER.items()}
    made = learner if program == "learner" else calls(program, lang)
    return {name: source.replace(*PYTORCH) if library == "torch" else source for name, source in made.items()}


def notebook(folder: Path, program: str, lang: str, library: str) -> str:
    cells = sources(program, lang, library).items()
    book = v4.new_notebook(cells=[v4.new_code_cell(source, id=name) for name, source in cells])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, folder / f"{program}-{lang}.ipynb")
    return f"{program}-{lang}.ipynb"


def pictures(
    page: Any, lab: Lab, program: str, library: str, looks: list[tuple[int, str, str]], out: Path
) -> Iterator[Path]:
    """One notebook of one language, in each of its looks."""
    keys = {**CARDS, **LEARNER}
    for first, (width, theme, lang) in enumerate(looks):
        page.set_viewport_size({"width": width, "height": 1000})
        if not first:
            open_notebook(page, lab, notebook(lab.folder, program, lang, library))
            page.evaluate("() => jupyterapp.commands.execute('application:toggle-left-area')")
            run_all(page)
        name = f"JupyterLab {theme.title()}"
        page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", name)
        page.wait_for_timeout(1500)
        for number, cell in enumerate(c["id"] for c in cells(page)):
            if cell in ("start", "program"):
                continue
            page.evaluate("n => jupyterapp.shell.currentWidget.content.scrollToItem(n, 'start')", number)
            shown = page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".agl-card, .agl-lab, .jp-OutputArea")
            page.wait_for_timeout(250)
            if not first and keys[cell][1]:
                shown.locator(".agl-card").first.focus()
                for key in keys[cell][1].split():
                    page.keyboard.press(key)
                page.wait_for_timeout(400)
            place = out / f"{width}-{theme}-{lang}" / f"{program}-{cell}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            shown.first.screenshot(path=place)
            yield place


def sheet(places: list[Path], path: Path, columns: int) -> None:
    """The pictures in columns, each with its name."""
    from PIL import Image, ImageDraw

    opened = [(place.stem, Image.open(place).convert("RGB")) for place in places]
    wide = max(picture.width for _, picture in opened) + 16
    heights = [0] * columns
    spots = []
    for name, picture in opened:
        column = heights.index(min(heights))
        spots.append((name, picture, column * wide + 8, heights[column]))
        heights[column] += picture.height + 34
    whole = Image.new("RGB", (wide * columns, max(heights)), "#8a8f98")
    pen = ImageDraw.Draw(whole)
    for name, picture, x, y in spots:
        pen.text((x, y + 6), name, fill="white", font_size=18)
        whole.paste(picture, (x, y + 28))
    whole.save(path)


def main() -> None:
    from lookat import browser
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="*", default=[*PARTS, "learner"])
    parser.add_argument("--looks", nargs="*", default=LOOKS)
    parser.add_argument("--library", choices=["autogradlab", "torch"], default="autogradlab")
    arguments = parser.parse_args()
    looks = [(int(width), theme, lang) for width, theme, lang in (look.split("-") for look in arguments.looks)]
    with served(Places(), "en") as lab, sync_playwright() as playwright:  # type: ignore[arg-type]
        profile = tempfile.mkdtemp()
        chromium = playwright.chromium.launch_persistent_context(profile, executable_path=browser(), args=FLAGS)
        for program in arguments.only:
            for lang in dict.fromkeys(look[2] for look in looks):
                page = chromium.new_page()
                made: dict[str, list[Path]] = {}
                of_lang = [look for look in looks if look[2] == lang]
                for place in pictures(page, lab, program, arguments.library, of_lang, arguments.out):
                    made.setdefault(place.parent.name, []).append(place)
                page.close()
                for look, places in made.items():
                    path = arguments.out / f"{look}-{program}.png"
                    sheet(places, path, 2 if look.startswith("1280") else 3)
                    print(path, flush=True)
        chromium.close()


if __name__ == "__main__":
    main()
