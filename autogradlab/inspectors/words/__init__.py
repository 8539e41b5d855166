"""All words of the inspectors and of the learner's side, English and Chinese, from one catalogue: the .toml files here.

    [leaf]        # in show.toml: say("show.leaf")
    en = "leaf"
    zh = "叶子"

One file for each inspector; a key is the file's name and the entry's. Fields in braces are filled by `say`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

__all__ = ["LANGUAGES", "catalogue", "language", "say", "say_in", "set_language", "unmarked"]

LANGUAGES = ("en", "zh")
_chosen: str | None = None


def language() -> str:
    """The language of all inspectors, "en" or "zh": as `set_language` said, else by AUTOGRADLAB_LANG, else that of the
    lessons' folder (en or zh) in which the notebook is, else by the locale's variables.

    Example:
        >>> from autogradlab.inspectors import language, set_language
        >>> set_language("en")
        >>> language()
        'en'
        >>> set_language(None)
    """
    if _chosen is not None:
        return _chosen
    folder = os.path.basename(os.getcwd())
    here = folder if folder in LANGUAGES else ""
    for value in (os.environ.get("AUTOGRADLAB_LANG"), here, *map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))):
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def set_language(lang: str | None) -> None:
    """Choose "en" or "zh" for all inspectors that are made from now on; None goes back to the environment's.

    Errors: ValueError for another language.

    Example:
        >>> from autogradlab.inspectors import language, set_language
        >>> set_language("zh")
        >>> language()
        'zh'
        >>> set_language(None)
    """
    global _chosen
    if lang is not None and lang not in LANGUAGES:
        raise ValueError(f"set_language: {lang!r} is none of {', '.join(map(repr, LANGUAGES))}")
    _chosen = lang


@cache
def catalogue(name: str) -> dict[str, dict[str, str]]:
    """The entries of one file: key -> language -> words."""
    with (files(__package__) / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def say(key: str, /, **fields: object) -> str:
    """The words for a key "file.entry" in the chosen language, with its fields filled in."""
    return say_in(language(), key, **fields)


def say_in(chosen: str, key: str, /, **fields: object) -> str:
    """As `say`, in the language of a card that has been made."""
    name, _, entry = key.partition(".")
    words = catalogue(name)[entry][chosen]
    if not fields:
        return words
    if chosen == "zh":
        words = _joined(words, fields)
    quoted = _quoted(words)
    return words.format(
        **{key: str(v).replace("`", "′") if key in quoted else unmarked(v) for key, v in fields.items()}
    )


#: two asterisks that stand as the marks of **strong** do, not as those of a power
_STARS = re.compile(r"(?<![A-Za-z0-9_)\]*])\*\*(?=[^\s*])|(?<=[^\s*])\*\*(?![A-Za-z0-9_(\[*])")


def unmarked(value: object) -> object:
    """Text that is put into a sentence, so that its own asterisks are no marks; within backquotes nothing is one."""
    if not isinstance(value, str) or "**" not in value:
        return value
    pieces = value.split("`")
    pieces[::2] = [_STARS.sub("∗∗", piece) for piece in pieces[::2]]
    return "`".join(pieces)


#: a Chinese character or mark, and a field that stands a blank behind or before one
_CHINESE = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
_BEHIND, _BEFORE = re.compile(f"(?<={_CHINESE}) {{(\\w+)}}"), re.compile(f"{{(\\w+)}} (?={_CHINESE})")
_STARTS, _ENDS = re.compile(_CHINESE), re.compile(f"{_CHINESE}$")


def _joined(words: str, fields: Mapping[str, object]) -> str:
    """Chinese words without the blank that parts them from a field, where that is filled with Chinese words too."""
    words = _BEHIND.sub(lambda m: f"{{{m[1]}}}" if _STARTS.match(str(fields.get(m[1]))) else m[0], words)
    return _BEFORE.sub(lambda m: f"{{{m[1]}}}" if _ENDS.search(str(fields.get(m[1]))) else m[0], words)


@cache
def _quoted(words: str) -> frozenset[str]:
    """The fields that stand within code, whose own backquotes would end it: they become primes."""
    return frozenset(field for piece in words.split("`")[1::2] for field in re.findall(r"\{(\w+)", piece))
