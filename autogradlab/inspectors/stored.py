"""The state of a card as a page gets it, from a live widget or stored in an output."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from typing import Any

from .labextension import stored
from .parts import Card, to_json
from .prose import clean, cleaned

__all__ = ["bundle", "packed"]


def packed(card: Card) -> str:
    """The card's JSON, deflated, in base64. A graph repeats itself: packed it is a tenth as large."""
    data = to_json(card)
    text = _json(data)
    if clean(text) != text or "\\u" in text:  # seldom; text by text is slow
        text = _json(cleaned(data))
    return b64encode(zlib.compress(text.encode("utf-8", "replace"))).decode("ascii")


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def bundle(card: Card) -> dict[str, Any]:
    """The card as part of a MIME bundle, for front ends without its kernel. It was heard when it was first shown."""
    return stored("inspector", {"_card": packed(card), "_heard": True})
