"""The widget from Python's side: what it sends, what it costs, what it is without a front end."""

from __future__ import annotations

import errno
import json
import re
import subprocess
import sys
import time
import tomllib
import zlib
from base64 import b64decode
from importlib.resources import files
from pathlib import Path
from string import Formatter

import pytest

from autogradlab.inspectors import words
from autogradlab.inspectors.inspector import Inspector, present
from autogradlab.inspectors.labextension import CARD
from autogradlab.inspectors.parts import Card, Drawing, Item, Rect, to_json
from autogradlab.inspectors.prose import cleaned
from tests.conftest import ROOT, need
from tests.inspectors import sample_cards
from tests.inspectors.sample_cards import CARDS

STATIC = (
    "sketch.js",
    "matrix.js",
    "copy.js",
    "lines.js",
    "stepper.js",
    "timeline.js",
    "choice.js",
    "inspector.js",
    "inspector.css",
)
INSPECTORS = ROOT / "autogradlab" / "inspectors"


@pytest.fixture
def view():
    need("anywidget")
    from autogradlab.inspectors.widgets.view import module

    assert "export default" in module()
    return lambda card: present(card)


@pytest.mark.parametrize(
    ("sheet", "root"), [("inspectors/static/inspector.css", ".agl"), ("lab/static/lab.css", ".agl-lab")]
)
def test_styles_stay_inside_of_what_is_ours(sheet: str, root: str):
    """A notebook's page has the styles of both on it, and those of others."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "autogradlab" / sheet).read_text(encoding="utf-8"), flags=re.DOTALL)
    selectors = [s for s in re.findall(r"([^{};]+)\{", text) if not s.lstrip().startswith("@")]
    parts = [part.strip() for s in selectors for part in re.split(r",(?![^(]*\))", s)]
    assert len(parts) > 40
    inside = re.compile(
        rf"((\[[^]]+\]|\.[\w-]+(:not\([^)]+\))?) )?(:where\({re.escape(root)}\)|{re.escape(root)}(?![\w-]))"
    )
    assert [part for part in parts if not inside.match(part)] == []


def unpacked(made) -> dict:
    return json.loads(zlib.decompress(b64decode(made.get_state()["_card"])))


def test_importing_inspectors_loads_no_widget_package():
    code = "import sys, autogradlab.inspectors; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert "autogradlab.inspectors" in loaded
    assert {n.split(".")[0] for n in loaded} & {
        "ipywidgets",
        "anywidget",
        "traitlets",
        "IPython",
        "torch",
        "matplotlib",
    } == set()


def test_without_anywidget_it_is_static():
    code = (
        "import sys; sys.modules['anywidget'] = None\nfrom importlib import util\nfound = util.find_spec\n"
        "util.find_spec = lambda name, *a: None if name == 'anywidget' else found(name, *a)\n"
        "from tests.inspectors.sample_cards import show_card\nfrom autogradlab.inspectors.inspector import present\n"
        "view = present(show_card()); print(type(view).__name__, sorted(view._repr_mimebundle_())); print(view)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    first, _, rest = ran.stdout.partition("\n")
    assert first == "Inspector ['application/vnd.autogradlab.card.v1+json', 'text/html', 'text/plain']"
    assert rest.rstrip("\n") == Inspector(sample_cards.show_card()).text


@pytest.mark.parametrize("name", CARDS)
def test_widget_is_an_inspector_with_a_view_beside(view, name: str):
    card = CARDS[name]()
    made, plain = view(card), Inspector(card)
    assert (repr(made), made.text, made.svg(), made.html()) == (plain.text, plain.text, plain.svg(), plain.html())
    data, _ = made._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json", CARD}
    assert data["text/plain"] == plain.text
    assert data["text/html"] == plain.html()
    assert unpacked(made) == cleaned(json.loads(json.dumps(to_json(card), allow_nan=False).encode("utf-8", "replace")))
    made.close()


def test_widget_goes_into_a_box_and_shows_another_card(view):
    import ipywidgets

    made = view(sample_cards.show_card())
    box = ipywidgets.VBox([made])
    assert box.children == (made,)
    made.show_card(sample_cards.chinese_card())
    assert made.text == Inspector(sample_cards.chinese_card()).text
    assert (unpacked(made)["title"], unpacked(made)["lang"]) == ("`损失`", "zh")
    box.close()
    made.close()


def test_closing_tells_who_wanted_to_know(view):
    for made in (view(sample_cards.show_card()), Inspector(sample_cards.show_card())):
        told: list[int] = []
        made.on_close(lambda told=told: told.append(1))
        made.close()
        made.close()
        assert told == [1]


def test_a_hundred_nodes_are_small_and_quick(view):
    card = sample_cards.big_card(100)
    view(card).close()
    start = time.process_time()
    made = view(card)
    took = time.process_time() - start
    assert took < 0.15
    assert len(json.dumps(made.get_state())) < 172_500, "all of it: card, words, module and style sheet"
    written = [(INSPECTORS / "static" / name).read_text(encoding="utf-8") for name in STATIC]
    assert all(line.count("`") % 2 == 0 for text in written for line in text.splitlines()), (
        "indentation and ends of lines are taken off those of templates"
    )
    made.close()


# -- words -------------------------------------------------------------------------------------------------------------

CATALOGUES = sorted(p.name.removesuffix(".toml") for p in files(words.__name__).iterdir() if p.name.endswith(".toml"))


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("name", CATALOGUES)
def test_every_entry_has_both_languages_and_the_same_fields(name: str):
    for key, entry in words.catalogue(name).items():
        assert set(entry) == set(words.LANGUAGES), key
        assert any(entry.values()), key
        assert fields(entry["en"]) == fields(entry["zh"]), key


def sources() -> str:
    return "\n".join(
        p.read_text(encoding="utf-8")
        for p in (ROOT / "autogradlab").rglob("*.py")
        if "_lessons" not in p.parts and p.parent.name != "words"
    )


def test_every_word_that_is_asked_for_is_there():
    """Calls of `say` with a literal key; keys that are put together begin with a literal prefix that some entry has."""
    known = {f"{name}.{key}" for name in CATALOGUES for key in words.catalogue(name)}
    asked = set(re.findall(r"""\bsay(?:_in)?\(\s*(?:[\w.]+,\s*)?(?<!f)["']([a-z_]+\.\w+)["']""", sources()))
    assert asked
    assert asked - known == set()


@pytest.mark.parametrize("name", [name for name in CATALOGUES if name != "common"])
def test_every_entry_is_used(name: str):
    """By its key in full, or by an f-string whose field takes a value that stands in quotes somewhere.

    The command's own words are asked for without the catalogue's name (lab/speaking.py).
    """
    code = sources()
    start = rf"{name}\." if name != "cli" else r"(?:cli\.)?"
    patterns = [(head, tail) for head, tail in re.findall(rf"""f["']{start}(\w*)\{{[^}}]+\}}(\w*)["']""", code)]
    quoted = set(re.findall(r"""["'](\w+)["']""", code)) | {
        w for words in re.findall(r"""["']([\w ]+)["']\.split""", code) for w in words.split()
    }
    quoted |= set(errno.errorcode.values())  # what `reason` asks for is a name of the system's
    made = {head + value + tail for head, tail in patterns for value in quoted}
    assert [key for key in words.catalogue(name) if f"{name}.{key}" not in code and key not in made] == []


def test_the_pages_words_are_all_used():
    """An entry of common.toml is used by the page's module or by Python. (A timeline brings words of its own.)"""
    page = "".join(
        (INSPECTORS / "static" / name).read_text(encoding="utf-8")
        for name in STATIC
        if name.endswith(".js") and name != "timeline.js"
    )
    used = set(re.findall(r"\b(?:words|w)\.(\w+)", page)) | set(re.findall(r"common\.(\w+)[\"']", sources()))
    assert set(words.catalogue("common")) - used == set()
    from_page = set(re.findall(r"(?<!/)\bwords\.(\w+)(?!\()\b", page))
    assert from_page - set(words.catalogue("common")) == set()


def test_static_files_travel_with_the_package():
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    assert hatch["only-include"] == ["autogradlab", "pytest_autogradlab.py"]
    assert {p.name for p in Path(INSPECTORS / "static").iterdir()} == set(STATIC)
    ignored = subprocess.run(
        ["git", "-C", str(ROOT), "check-ignore", *map(str, (INSPECTORS / "static").iterdir())], capture_output=True
    )
    assert ignored.stdout == b""


# -- colours -----------------------------------------------------------------------------------------------------------


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_colours_are_readable(dark: bool):
    from autogradlab.inspectors import theme

    palette = theme.DARK if dark else theme.LIGHT
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    for tone in palette.tones:
        for ground in (palette.paper, palette.bar, palette.tint(tone)):
            assert contrast(palette.ink(tone), ground) >= 4.5, tone
        assert contrast(palette.line(tone), palette.paper) >= 3, tone
        assert contrast(palette.ink("plain"), palette.tint(tone)) >= 4.5, tone
        assert contrast(palette.ink("plain"), theme.mix(palette.line(tone), palette.paper, 0.32)) >= 4.5, tone
    assert contrast(palette.on_go, palette.go) >= 4.5
    assert contrast(palette.focus, palette.paper) >= 3
    assert contrast(palette.quiet, palette.paper) >= 3


def test_json_of_a_card_is_plain():
    import numpy as np

    drawing = Drawing(np.float64(10.25), 20, (Item("n1", (Rect(1 / 3, float("inf"), 2, np.float64(3)),)),), ())
    rect = {"is": "rect", "x": 0.33, "y": None, "width": 2, "height": 3.0}
    made = to_json(drawing)
    assert made == {
        "is": "drawing",
        "width": 10.25,
        "height": 20,
        "items": [{"is": "item", "id": "n1", "shapes": [rect]}],
        "words": [],
    }
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    with pytest.raises(TypeError, match="a card holds no object"):
        to_json(Card("show", object()))
