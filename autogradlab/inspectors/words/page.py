"""The words of buttons, hints and labels as an ES module: a page has them once, in every language, and cards none.

It imports nothing of the package, so that the build can run it (hatch_build.py).
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

__all__ = ["module"]


def module() -> str:
    """`words.js`: `WORDS` by language and key; fields in braces are filled in by the page."""
    with (Path(__file__).parent / "common.toml").open("rb") as file:
        entries = tomllib.load(file)
    words: dict[str, list[str]] = {}
    for key, said in entries.items():
        for lang, text in said.items():
            words.setdefault(lang, []).append(f"{key}:{json.dumps(text, ensure_ascii=False)}")
    languages = ",".join(f"{lang}:{{{','.join(texts)}}}" for lang, texts in words.items())
    return f"const WORDS = {{{languages}}};\n\nexport {{ WORDS }};\n"
