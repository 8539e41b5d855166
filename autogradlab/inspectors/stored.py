"""The state of a card as a page gets it, from a live widget or stored in an output."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from typing import Any

from .labextension import stored
from .parts import Card, to_json
from .words import catalogue

__all__ = ["bundle", "packed", "ui_words"]


def ui_words(lang: str) -> dict[str, str]:
    """What buttons, hints and labels say; fields in braces are filled in by the page."""
    return {key: words[lang] for key, words in catalogue("common").items()}


def packed(card: Card) -> str:
    """The card's JSON, deflated, in base64. A graph repeats itself: packed it is a tenth as large."""
    text = json.dumps(to_json(card), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode("utf-8", "replace"))).decode("ascii")


def bundle(card: Card) -> dict[str, Any]:
    """The card as part of a MIME bundle, for front ends without its kernel. It was heard when it was first shown."""
    return stored("inspector", {"_card": packed(card), "_words": ui_words(card.lang), "_heard": True})
