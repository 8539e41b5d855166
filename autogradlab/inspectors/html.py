"""Cards as HTML for pages without a front end: pictures as images, the words below; no scripts, no styles, no raw SVG.

GitHub, nbviewer, nbconvert and untrusted notebooks strip `<svg>`, `<style>` and `<script>` but keep an image whose
source is a data URI. What a step does is said in words; it has a picture of its own while all the pictures together
stay small.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from html import escape

from . import svg, text
from .parts import Card, Drawing
from .prose import clean, plain, runs
from .strips import crowded
from .words import say_in

__all__ = ["BUDGET", "render"]

#: how many characters all pictures of a card may take together
BUDGET = 225_000
#: how many the one picture may take if there is but one: a thousand Nodes would make a notebook heavy that shows little
MOST = 600_000
#: items of a drawing that take more than that for certain
ITEMS = 2200


def render(card: Card, budget: int = BUDGET) -> str:
    """The card as a fragment of HTML: a figure, one `<details>` for each step, and everything in words."""
    picture = _picture(card)
    if not picture:
        picture = _picture(_folded(card)) or f"<p>{_marked(say_in(card.lang, 'common.too_large'))}</p>"
    parts = [f'<figure lang="{escape(card.lang)}">{picture}</figure>']
    steps = (
        [_image(card, k, plain(frame.sentence)) for k, frame in enumerate(card.frames)]
        if _affordable(card, picture, budget)
        else []
    )
    if len(picture) + sum(map(len, steps)) > budget:
        steps = []
    for k, frame in enumerate(card.frames):
        inside = steps[k] if steps else "".join(_pre("\n".join(text.block_lines(b))) for b in frame.panel)
        parts.append(f"<details><summary>{k}. {_marked(frame.sentence)}</summary>{inside}</details>")
    parts.append(
        f"<details><summary>{escape(say_in(card.lang, 'common.in_words'))}</summary>{_pre(text.render(card))}</details>"
    )
    return "\n".join(parts)


def _picture(card: Card) -> str:
    """The picture of a card, of a step its end; "" if it is too large."""
    drawings = [block for block in card.blocks if isinstance(block, Drawing) and not block.groups]
    if any(crowded(drawing, {}, ITEMS) for drawing in drawings):
        return ""
    made = _image(card, None, plain(f"{card.title} {card.subtitle}".strip()))
    return made if len(made) <= MOST else ""


def _folded(card: Card) -> Card:
    """The same with the folded drawing in the place of the whole one. What frames write is about the whole one."""
    small = [replace(block, groups=()) for block in card.blocks if isinstance(block, Drawing) and block.groups]
    if not small or card.frames:
        return card
    return replace(card, blocks=(*small, *(block for block in card.blocks if not isinstance(block, Drawing))))


def _affordable(card: Card, picture: str, budget: int) -> bool:
    """Whether it is worth drawing all the steps to see how large they are: each is about as large as the last."""
    return picture.startswith("<img") and len(picture) * (len(card.frames) * 0.6 + 1) <= budget


def _image(card: Card, frame: int | None, alt: str) -> str:
    data = b64encode(svg.render(card, frame, dark=None).encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(clean(alt))}">'


def _pre(lines: str) -> str:
    return f"<pre>{escape(clean(lines))}</pre>"


def _marked(sentence: str) -> str:
    """A sentence with its marks as elements."""
    tags = {"code": "code", "strong": "strong"}
    return "".join(
        f"<{tags[run.style]}>{escape(clean(run.text))}</{tags[run.style]}>" if run.style else escape(clean(run.text))
        for run in runs(sentence)
    )
