"""Cards as stand-alone SVG: heading, blocks, drawings and the list of what happens, laid out without a browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from . import theme
from .parts import (
    Badge,
    Block,
    Card,
    Choice,
    Drawing,
    Facts,
    Frame,
    Grid,
    Note,
    Program,
    State,
    Table,
    Timeline,
    Tone,
    stilled,
)
from .prose import Run, added, clean, fit, led, plain, runs, width, wrap
from .sketch import Sheet, moment, number
from .strips import Strip, strips, windows
from .theme import MONO, SANS, Palette

__all__ = ["render"]

PAD = 14.0
BAR = 38.0
ROOM = 700.0  #: of a card's content, where its drawings do not ask for more
WIDEST = 920.0  #: for a table of many columns
BODY, SMALL, SAID = 13.0, 13.0, 17.0
LEADING = 19.0
GAP = 12.0


def render(card: Card, frame: int | None = None, dark: bool | None = False) -> str:
    """The card as an SVG document. `frame` counts from 0; without it, the last one: all that happens has happened.

    With dark=None it is light or dark as the reader's system is: a rule for each colour stands in it.
    """
    page = _Page(theme.DARK if dark else theme.LIGHT)
    wide, high = page.card(card, 0.5, 0.5, _chosen(card, frame))
    label = escape(clean(plain(f"{card.title} {card.subtitle}".strip())))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(wide + 1)}" height="{number(high + 1)}" '
        f'viewBox="0 0 {number(wide + 1)} {number(high + 1)}" xml:space="preserve" role="img" '
        f'aria-label="{label}" lang="{escape(card.lang)}" font-family="{escape(SANS)}"><title>{label}</title>'
    )
    return "".join([head, _by_scheme(page) if dark is None else "", *page.elements, "</svg>"])


def _by_scheme(page: _Page) -> str:
    """A style element that turns the light colours that are used into the dark ones, where the reader's system is dark.
    It needs no more than the attributes, so whoever leaves it out shows the light picture."""
    dark = theme.darker() | page.mixed
    used = dict.fromkeys(re.findall(r' (fill|stroke)="(#[0-9a-f]{6})"', "".join(page.elements)))
    rules = "".join(f'[{name}="{colour}"]{{{name}:{dark[colour]}}}' for name, colour in used if colour in dark)
    return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"


def _chosen(card: Card, frame: int | None) -> int:
    if not card.frames:
        return 0
    last = len(card.frames) - 1
    if frame is None:
        return last
    if not -len(card.frames) <= frame <= last:
        raise IndexError(f"svg: frame {frame} of a card with {len(card.frames)} frames")
    return frame % len(card.frames)


def content_width(card: Card) -> float:
    """How wide what is inside the card would like to be."""
    whole = [block for block in card.blocks if isinstance(block, Drawing) and not block.groups]
    texts = moment(card.frames, len(card.frames) - 1)[1]
    drawn = [right - left for block in whole for left, right in windows(block, texts)]
    inner = [content_width(c) + 2 * PAD for c in card.cards]
    tables = [min(added(_wants(block)), WIDEST) for block in card.blocks if isinstance(block, Table)]
    prose = [460.0] if any(not isinstance(block, Drawing) for block in card.blocks) else []
    return max([ROOM, *inner, *drawn, *tables, *prose])


def _wants(table: Table) -> list[float]:
    """How wide each column would like to be."""
    return [
        max([width(plain(table.columns[j]), SMALL), *(_cell_width(row[j]) for row in table.rows if j < len(row))]) + 20
        for j in range(len(table.columns))
    ]


class _Page(Sheet):
    """A sheet that lays out blocks from top to bottom; each method draws and returns the height that it took."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette)
        self.mixed: dict[str, str] = {}  #: grounds that are shaded by a number, and what they are on a dark page

    def card(self, card: Card, x: float, y: float, at: int, room: float | None = None) -> tuple[float, float]:
        """A card with its corner at (x, y); its width and height."""
        room = room or content_width(card)
        wide = room + 2 * PAD
        frame = card.frames[at] if card.frames else None
        mark = len(self.elements)
        top = self._heading(card, frame, x, y, wide)
        down = top
        if frame is not None:
            down += PAD
            ink = self.palette.ink(frame.tone if frame.tone in ("warning", "good") else "plain")
            down += self._prose(frame.sentence, x + PAD, y + down, room, ink, SAID)
        notes = tuple(block for block in card.blocks if frame is not None and isinstance(block, Note))
        if len(notes) < len(card.blocks):
            down += PAD
            down += self._blocks(card, x + PAD, y + down, room, at, notes)
        for block in (*(frame.panel if frame is not None else ()), *notes):
            down += GAP
            down += self._block(block, x + PAD, y + down, room)
        if card.cards:
            down += PAD
            down += self._inner(card.cards, x + PAD, y + down, room)
        if down > top:
            down += PAD
        ground = Sheet(self.palette)
        ground.add(
            "rect", x=x, y=y, width=wide, height=down, rx=10.0, fill=self.palette.paper, stroke=self.palette.edge
        )
        self.elements[mark:mark] = ground.elements
        return wide, down

    def _inner(self, cards: tuple[Card, ...], x: float, y: float, room: float) -> float:
        """Cards side by side, two in a row where both fit."""
        down, half = 0.0, (room - GAP) / 2
        queue = list(cards)
        while queue:
            pair = queue[:2] if len(queue) > 1 and all(_narrow(c, half - 2 * PAD) for c in queue[:2]) else queue[:1]
            place = (half if _narrow(pair[0], half - 2 * PAD) else room) - 2 * PAD
            highs = [
                self.card(c, x + i * (half + GAP), y + down, max(0, len(c.frames) - 1), place)[1]
                for i, c in enumerate(pair)
            ]
            down += max(highs) + GAP
            del queue[: len(pair)]
        return down - GAP

    def _heading(self, card: Card, frame: Frame | None, x: float, y: float, wide: float) -> float:
        """The bar: title, what it is about, badges at the right or below where there is no room."""
        palette = self.palette
        badges = [(b, width(b.text, SMALL) + 18) for b in card.badges]
        total = added(w + 6 for _, w in badges)
        right = x + wide - PAD
        title = [Run(r.text, r.style or "strong") for r in runs(card.title)]
        title_width = added(width(r.text, 13 if r.style == "code" else 14, r.style == "code", True) for r in title)
        subtitle = " · ".join(filter(None, [card.subtitle, frame.heading if frame else ""]))
        needed = title_width + 10 + width(plain(subtitle), BODY)
        below = bool(badges) and needed + total + 20 > wide - 2 * PAD
        rows = _badge_rows(badges, wide - 2 * PAD) if below else [badges] if badges else []
        high = BAR + (len(rows) * 26 if below else 0)
        x0, y0, x1, y1, r = x, y, x + wide, y + high, 10.0
        if card.blocks or card.frames or card.cards:
            corners = (
                f"V{number(y0 + r)}A{r} {r} 0 0 1 {number(x0 + r)} {number(y0)}H{number(x1 - r)}",
                f"A{r} {r} 0 0 1 {number(x1)} {number(y0 + r)}V{number(y1)}Z",
            )
            shape = f"M{number(x0)} {number(y1)}" + "".join(corners)
            self.add("path", d=shape, fill=palette.bar, stroke=palette.edge)
        lines = wrap(title, wide - 2 * PAD, 14, bold=True)
        self._runs(
            x + PAD,
            y + 24,
            [Run(fit("".join(r.text for r in lines[0]), wide - 2 * PAD, 14, False, True), "strong")]
            if len(lines) > 1
            else title,
            palette.ink("plain"),
            14.0,
            bold=True,
        )
        if subtitle:
            room = (right - (0 if below else total)) - (x + PAD + title_width + 10)
            self._runs(
                x + PAD + title_width + 10, y + 24, [Run(fit(plain(subtitle), room, BODY))], palette.ink("muted"), BODY
            )
        for number_, row in enumerate(rows):
            at = x + PAD if below else right - total + 6
            base = y + 8 + (number_ * 26 + 28 if below else 0)
            for badge, w in row:
                self._badge(badge, at, base, w)
                at += w + 6
        return high

    def _badge(self, badge: Badge, x: float, y: float, wide: float) -> None:
        palette = self.palette
        self.add(
            "rect", x=x, y=y, width=wide, height=21.0, rx=10.5, fill=palette.paper, stroke=palette.line(badge.tone)
        )
        self.words(x + wide / 2, y + 14.5, badge.text, palette.ink(badge.tone), SMALL, anchor="middle")

    # -- blocks --------------------------------------------------------------------------------------------------------

    def _blocks(self, card: Card, x: float, y: float, room: float, at: int, apart: tuple[Block, ...] = ()) -> float:
        """All blocks but those that stand apart."""
        states, texts = moment(card.frames, at)
        down = 0.0
        blocks = [block for block in stilled(card.blocks) if not isinstance(block, Program) and block not in apart]
        blocks = [
            block for block in blocks if not isinstance(block, Drawing) or not block.groups
        ]  # the whole graph is there
        while blocks:
            if down:
                down += GAP
            block = blocks.pop(0)
            if isinstance(block, Drawing):
                made = strips(block, moment(card.frames, len(card.frames) - 1)[1])  # the same in all frames
                down += self._strips(made, x, y + down, room, states, texts)
            elif isinstance(block, Grid):
                row = [block]
                while blocks and isinstance(following := blocks[0], Grid):
                    row.append(following)
                    del blocks[0]
                down += self._grids(row, x, y + down, room)
            else:
                down += self._block(block, x, y + down, room)
        return down

    def _strips(
        self, made: list[Strip], x: float, y: float, room: float, states: Mapping[str, State], texts: Mapping[str, str]
    ) -> float:
        """A drawing, or of a wide one its strips, each in a window of its own."""
        if len(made) == 1:
            self.drawing(made[0].drawing, x + max(0.0, (room - made[0].width) / 2), y, states, texts)
            return made[0].height
        down = 0.0
        for strip in made:
            wide, high = number(strip.width), number(strip.height)
            place = f'x="{number(x)}" y="{number(y + down)}" width="{wide}" height="{high}"'
            view = f'viewBox="{number(strip.left)} {number(strip.top)} {wide} {high}"'
            self.elements.append(f"<svg {place} {view}>")
            self.drawing(strip.drawing, 0.0, 0.0, states, texts)
            self.elements.append("</svg>")
            down += strip.height + GAP
        return down - GAP

    def _block(self, block: Block, x: float, y: float, room: float) -> float:
        match block:
            case Note():
                return self._note(block, x, y, room)
            case Facts():
                return self._facts(block, x, y, room)
            case Grid():
                return self._grids([block], x, y, room)
            case Table():
                return self._table(block, x, y, room)
            case Drawing():
                self.drawing(block, x, y, {}, {})
                return block.height
            case Program() | Timeline() | Choice():
                return 0.0  # said step by step; put in its place, still

    def _runs(
        self, x: float, y: float, line: list[Run], fill: str, size: float, *, bold: bool = False, mono: bool = False
    ) -> None:
        """One line of runs in their styles."""
        inside = []
        for run in line:
            text = escape(clean(run.text), quote=False)
            if run.style == "code" and not mono:
                inside.append(f'<tspan font-family="{escape(MONO)}" font-size="{number(size * 0.93)}">{text}</tspan>')
            elif run.style == "strong" and not bold:
                inside.append(f'<tspan font-weight="600">{text}</tspan>')
            else:
                inside.append(text)
        self.add(
            "text",
            "".join(inside),
            x=x,
            y=y,
            fill=fill,
            font_size=size,
            font_weight="600" if bold else None,
            font_family=MONO if mono else None,
        )

    def _prose(
        self,
        text: str,
        x: float,
        y: float,
        room: float,
        fill: str,
        size: float = BODY,
        *,
        lead: str = "",
        lead_fill: str = "",
        bold: bool = False,
        mono: bool = False,
    ) -> float:
        """A paragraph; y is its top. The words of `lead` stand before it, in bold."""
        leading = LEADING * size / BODY
        start = [Run(r.text, r.style or "strong") for r in runs(lead)]
        body = [Run(text)] if mono else runs(text)
        pieces = [*start, *([Run(" ")] if led(lead) != lead else []), *body]
        lines = wrap(pieces, room, size, bold, mono)
        left = sum(len(r.text.replace(" ", "")) for r in start)  # how much of the lead is still to be drawn
        for i, line in enumerate(lines):
            base = y + (i + 0.76) * leading
            if left <= 0:
                self._runs(x, base, line, fill, size, bold=bold, mono=mono)
                continue
            inside = []
            for run in line:
                here = left > 0
                left -= len(run.text.replace(" ", ""))
                family = (
                    f' font-family="{escape(MONO)}" font-size="{number(size * 0.93)}"' if run.style == "code" else ""
                )
                colour = (
                    f' font-weight="600" fill="{lead_fill}"'
                    if here
                    else ' font-weight="600"'
                    if run.style == "strong"
                    else ""
                )
                inside.append(f"<tspan{family}{colour}>{escape(clean(run.text), quote=False)}</tspan>")
            self.add("text", "".join(inside), x=x, y=base, fill=fill, font_size=size)
        return len(lines) * leading

    def _note(self, note: Note, x: float, y: float, room: float) -> float:
        palette = self.palette
        tone: Tone = "plain" if note.tone in {"plain", "muted"} else note.tone
        fill = palette.ink("muted" if note.tone == "muted" else "plain")
        if note.tone in {"plain", "muted"}:
            return self._prose(note.text, x, y, min(room, 640.0), fill, lead=note.lead, lead_fill=palette.ink(tone))
        mark = len(self.elements)
        high = (
            self._prose(
                note.text, x + 14, y + 6, min(room, 640.0) - 26, fill, lead=note.lead, lead_fill=palette.ink(tone)
            )
            + 12
        )
        ground = Sheet(palette)
        ground.add("rect", x=x, y=y, width=min(room, 640.0), height=high, rx=6.0, fill=palette.tint(tone))
        ground.add("rect", x=x, y=y, width=4.0, height=high, rx=2.0, fill=palette.line(tone))
        self.elements[mark:mark] = ground.elements
        return high

    def _facts(self, facts: Facts, x: float, y: float, room: float) -> float:
        palette = self.palette
        label = max([74.0, *(width(plain(name), SMALL) for name, _ in facts.rows)]) + 16
        widest = max((width(value, SMALL, True) for _, value in facts.rows), default=0.0)
        paired = len(facts.rows) > 2 and 2 * (label + widest) + 28 <= room
        column = (
            (min(room, 2 * max(label + widest, 240.0) + 28) - 28) / 2
            if paired
            else min(room, max(label + widest, 300.0))
        )
        down = 0.0
        for i in range(0, len(facts.rows), 2 if paired else 1):
            high = 0.0
            for j, (name, value) in enumerate(facts.rows[i : i + (2 if paired else 1)]):
                left = x + j * (column + 28)
                self.words(left, y + down + 17.3, plain(name), palette.ink("muted"), SMALL)
                high = max(
                    high,
                    self._prose(
                        value,
                        left + label,
                        y + down + 4,
                        max(column - label, 60.0),
                        palette.ink("plain"),
                        SMALL,
                        mono=True,
                    ),
                )
            down += high + 8
            across = 2 * column + 28 if paired else column
            self.add(
                "path", d=f"M{number(x)} {number(y + down - 0.5)}h{number(across)}", stroke=palette.edge, fill="none"
            )
        return down

    def _grids(self, grids: list[Grid], x: float, y: float, room: float) -> float:
        """Grids side by side, as far as there is room; below each other after that."""
        down, left, high = 0.0, 0.0, 0.0
        for grid in grids:
            wide, tall = _grid_size(grid)
            if left and left + wide > room:
                down, left, high = down + high + GAP, 0.0, 0.0
            self._grid(grid, x + left, y + down)
            left, high = left + wide + 22, max(high, tall)
        return down + high

    def _grid(self, grid: Grid, x: float, y: float) -> None:
        palette, top = self.palette, y
        if grid.caption:
            self._runs(x, top + 13, runs(grid.caption), palette.ink("muted"), SMALL)
            top += 22
        cells, heads = _cell_widths(grid), _heads_width(grid)
        for i, row in enumerate(grid.rows):
            left = x + heads
            if i < len(grid.heads):
                self.words(left - 8, top + 17, grid.heads[i], palette.ink("muted"), SMALL, mono=True, anchor="end")
            for j, text in enumerate(row):
                ground = palette.paper
                if i < len(grid.heat) and j < len(grid.heat[i]) and grid.heat[i][j] == grid.heat[i][j]:
                    tone: Tone = "node" if text.startswith("-") else "gradient"  # as in every signed picture
                    share = 0.32 * max(0.0, min(1.0, grid.heat[i][j]))
                    ground = theme.mix(palette.line(tone), palette.paper, share)
                    self.mixed[ground] = theme.mix(theme.DARK.line(tone), theme.DARK.paper, share)
                self.add("rect", x=left, y=top, width=cells[j], height=26.0, fill=ground, stroke=palette.edge)
                self.words(
                    left + cells[j] - 9,
                    top + 17,
                    text,
                    palette.ink("plain" if grid.heat else grid.tone),
                    SMALL,
                    mono=True,
                    anchor="end",
                )
                left += cells[j]
            top += 26
        if grid.more:
            self.words(x, top + 15, plain(grid.more), palette.ink("muted"), 11.0)

    def _table(self, table: Table, x: float, y: float, room: float) -> float:
        palette, down = self.palette, 0.0
        if table.caption:
            down += self._prose(table.caption, x, y, room, palette.ink("muted"), SMALL) + 4
        wants = _wants(table)
        spare = room - added(wants)
        if spare < 0:  # the widest columns give up what is missing
            ceiling = _ceiling(wants, room)
            wants = [min(want, ceiling) for want in wants]
        across = min(room, added(wants))
        self.add("path", d=f"M{number(x)} {number(y + down + 26)}h{number(across)}", stroke=palette.quiet, fill="none")
        left = x
        for name, want in zip(table.columns, wants, strict=True):
            self._runs(left + 8, y + down + 18, [Run(fit(plain(name), want - 10, SMALL))], palette.ink("muted"), SMALL)
            left += want
        down += 28
        for i, row in enumerate(table.rows):
            tone: Tone = table.tones[i] if i < len(table.tones) else "plain"
            left, high = x, 0.0
            for text, want in zip(row, wants, strict=False):
                high = max(high, self._prose(text, left + 8, y + down + 4, want - 16, palette.ink(tone), SMALL))
                left += want
            down += max(high, LEADING) + 8
            self.add(
                "path", d=f"M{number(x)} {number(y + down - 0.5)}h{number(across)}", stroke=palette.edge, fill="none"
            )
        return down


def _narrow(card: Card, room: float) -> bool:
    """Whether the card is fine in a column of this width."""
    drawn = max((b.width for b in card.blocks if isinstance(b, Drawing)), default=0.0)
    tables = any(isinstance(b, Table) and len(b.columns) > 3 for b in card.blocks)
    grids = max((_grid_size(b)[0] for b in card.blocks if isinstance(b, Grid)), default=0.0)
    return not card.cards and not card.frames and not tables and max(drawn, grids) <= room


def _badge_rows(badges: list[tuple[Badge, float]], room: float) -> list[list[tuple[Badge, float]]]:
    rows: list[list[tuple[Badge, float]]] = [[]]
    used = 0.0
    for badge, w in badges:
        if rows[-1] and used + w > room:
            rows.append([])
            used = 0.0
        rows[-1].append((badge, w))
        used += w + 6
    return rows


def _cell_widths(grid: Grid) -> list[float]:
    count = max((len(row) for row in grid.rows), default=0)
    return [max([24.0, *(width(row[j], SMALL, True) + 18 for row in grid.rows if j < len(row))]) for j in range(count)]


def _heads_width(grid: Grid) -> float:
    return max((width(head, SMALL, True) + 9 for head in grid.heads), default=0.0)


def _grid_size(grid: Grid) -> tuple[float, float]:
    wide = max(
        _heads_width(grid) + added(_cell_widths(grid)), width(plain(grid.caption), SMALL), width(plain(grid.more), 11.0)
    )
    return wide, 26.0 * len(grid.rows) + (22 if grid.caption else 0) + (20 if grid.more else 0)


def _cell_width(text: str) -> float:
    return added(
        width(r.text, SMALL * (0.93 if r.style == "code" else 1), r.style == "code", r.style == "strong")
        for r in runs(text)
    )


def _ceiling(wants: list[float], room: float) -> float:
    """The width that no column may exceed so that all of them fit."""
    low, high = 40.0, max(wants)
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if added(min(w, middle) for w in wants) <= room else (low, middle)
    return low
