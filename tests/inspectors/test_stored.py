"""What is stored of a card in an output, and that the extension's files ask for nothing from outside."""

from __future__ import annotations

import json
import re
import sys
import types
import zlib
from base64 import b64decode
from typing import Any

import ipywidgets
import pytest

import autogradlab as torch
from autogradlab import inspectors as lab
from autogradlab.inspectors import words
from autogradlab.inspectors.inspector import Inspector
from autogradlab.inspectors.labextension import CARD
from autogradlab.inspectors.parts import to_json
from autogradlab.inspectors.widgets.boxes import bundle
from autogradlab.inspectors.words import page
from autogradlab.lab import predict
from autogradlab.lab.widget import VIEW
from tests.conftest import ROOT


def data(shown: Any) -> dict[str, Any]:
    bundle = shown._repr_mimebundle_()
    return bundle[0] if isinstance(bundle, tuple) else bundle


def test_a_card_is_stored_beside_its_static_forms():
    view = lab.show(torch.ones(2, requires_grad=True))
    stored = data(view)[CARD]
    assert stored["module"] == "inspector"
    assert json.loads(zlib.decompress(b64decode(stored["state"]["_card"]))) == json.loads(
        json.dumps(to_json(view.card))
    )
    assert data(Inspector(view.card))[CARD] == stored  # where anywidget is not installed
    assert set(stored["state"]) == {"_card", "_heard"}, "no words of buttons: a page has them once"
    assert len(json.dumps(stored)) < 1_000
    view.close()
    assert data(view)[CARD] == stored


def test_a_question_is_stored_as_it_stands():
    asked = predict("scalar-dim")
    stored = data(asked)[CARD]
    assert stored["module"] == "lab"
    assert stored["state"]["view"] == json.loads(json.dumps(asked.view()))


def test_a_box_brings_its_cards():
    w = torch.ones(2, requires_grad=True)
    shown, stepped = lab.show(w), lab.step((w * w).sum())
    box = ipywidgets.HBox([shown, ipywidgets.IntSlider(), ipywidgets.VBox([stepped])])
    made, _ = bundle(box)
    assert made[CARD] == {
        "module": "box",
        "state": {"cards": [data(shown)[CARD], data(stepped)[CARD]], "across": True},
    }
    assert made["text/html"] == data(shown)["text/html"] + "\n" + data(stepped)["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in made
    plain = ipywidgets.VBox([ipywidgets.IntSlider()])
    assert bundle(plain) == plain._repr_mimebundle_(), "a box without cards is none of our business"


def test_colab_is_told_who_manages_the_widgets(monkeypatch: pytest.MonkeyPatch):
    """Colab shows a widget that is none of its own only where the output's metadata says so, a box of cards too."""
    output = types.ModuleType("google.colab.output")
    output.enable_custom_widget_manager = lambda: None
    output._widgets = types.SimpleNamespace(_installed_url="https://manager.example/1")
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    told = {VIEW: {"colab": {"custom_widget_manager": {"url": "https://manager.example/1"}}}}
    shown = lab.show(torch.ones(2))
    assert shown._repr_mimebundle_()[1] == told
    assert lab.watch(shown)._repr_mimebundle_()[1] == told
    assert predict("scalar-dim")._repr_mimebundle_()[1] == told
    assert bundle(ipywidgets.VBox([ipywidgets.HBox([shown])]))[1] == told


def test_a_box_is_displayed_with_its_cards(shell: Any):
    shell.user_ns["lab"] = lab
    box = shell.run("import ipywidgets\nipywidgets.VBox([lab.show(torch.ones(1))])")
    shown, _ = shell.display_formatter.format(box)
    assert shown[CARD]["module"] == "box" and "<figure" in shown["text/html"]


def test_the_extension_asks_for_nothing_from_outside():
    for path in (ROOT / "autogradlab" / "inspectors" / "labextension").glob("*.js"):
        assert not re.search(r"https?:|innerHTML|eval\(", path.read_text(encoding="utf-8"))


def test_a_page_has_the_words_of_every_language():
    written = page.module().removeprefix("const WORDS = ").rpartition(";\n\nexport")[0]
    said = json.loads(re.sub(r"(?<=[{,])(\w+)(?=:[{\"])", r'"\1"', written))  # names of what JSON quotes
    assert set(said) == set(words.LANGUAGES)
    for lang in words.LANGUAGES:
        assert said[lang] == {key: entry[lang] for key, entry in words.catalogue("common").items()}
