"""`Film`: how a classifier's border bends while it is trained; its pictures can be scrubbed without a kernel."""

from __future__ import annotations

import base64
import html
from typing import Any

from autogradlab.inspectors.words import language, say
from autogradlab.lab import face, running

__all__ = ["Film", "moons"]

WIDTH, HEIGHT, MARGIN = 420, 280, 0.35
COLUMNS, ROWS = 60, 40  # the grid on which a model is asked for its border
COLOURS = ("#0072b2", "#c44e00")


def moons(n: int = 60, seed: int = 3) -> tuple[Any, Any]:
    """Two crescents of points, locked into each other, and the class of each point, 0 or 1.

    Shapes: (n, 2) and (n, 1), both float32.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.lab import moons
        >>> points, classes = moons()
        >>> points.shape, classes.shape
        (torch.Size([60, 2]), torch.Size([60, 1]))
    """
    torch = running.library(running.caller())
    torch.manual_seed(seed)
    angle = torch.rand(n) * 3.14159
    lower = (torch.arange(n) % 2).float()
    across = torch.cos(angle) * (1 - 2 * lower) + lower
    up = torch.sin(angle) * (1 - 2 * lower) + 0.5 * lower
    return torch.stack([across, up], dim=1) + 0.08 * torch.randn(n, 2), lower.unsqueeze(1)


class Film(face.Face):
    """Pictures of a model with two inputs and one output, over points and their classes.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.lab import Film, moons
        >>> film = Film(*moons())
        >>> film.take(torch.nn.Linear(2, 1), "before training")
        >>> film
        Film · The border between the two classes during training
        before training
    """

    kind = "film"

    def __init__(self, points: Any, classes: Any) -> None:
        super().__init__()
        self._torch = running.library(running.caller())
        self._points = [(row[0], row[1]) for row in points.detach().tolist()]
        self._classes = [int(value > 0.5) for value in classes.detach().flatten().tolist()]
        across, up = zip(*self._points, strict=True)
        self._left, self._right = min(across) - MARGIN, max(across) + MARGIN
        self._low, self._high = min(up) - MARGIN, max(up) + MARGIN
        self._dots = "".join(self._dot(p, k) for p, k in zip(self._points, self._classes, strict=True))
        self.frames: list[dict[str, str]] = []

    def take(self, model: Any, caption: str) -> None:
        """Add a picture of the border, the line on which the model's output is 0, as it is now."""
        torch = self._torch
        columns = torch.linspace(self._left, self._right, COLUMNS)
        rows = torch.linspace(self._low, self._high, ROWS)
        places = torch.stack([columns.repeat(ROWS), rows.repeat_interleave(COLUMNS)], dim=1)
        with torch.no_grad():
            out = model(places).view(ROWS, COLUMNS).tolist()
        self.frames.append({"src": self._picture(border(out)), "text": str(caption)})
        self.refresh()

    def tasks(self) -> list[dict[str, Any]]:
        words = {name: say(f"lab.{name}") for name in ("film_play", "film_stop", "film_step")}
        return [face.task("film", say("lab.film_title"), frames=self.frames, words=words)]

    @property
    def text(self) -> str:
        return "\n".join([f"{say('lab.film')} · {say('lab.film_title')}", *(f["text"] for f in self.frames)])

    @property
    def html(self) -> str:
        shown = [self.frames[0], self.frames[-1]] if len(self.frames) > 1 else self.frames
        pictures = "".join(
            f'<figure><img src="{f["src"]}" alt="{html.escape(say("lab.film_alt", text=f["text"]))}" width="{WIDTH}">'
            f"<figcaption>{html.escape(f['text'])}</figcaption></figure>"
            for f in shown
        )
        lang = "zh-CN" if language() == "zh" else "en"
        title = html.escape(say("lab.film_title"))
        return f'<div class="autogradlab-lab" lang="{lang}"><p><strong>{title}</strong></p>{pictures}</div>'

    def _at(self, across: float, up: float) -> tuple[int, int]:
        x = (across - self._left) / (self._right - self._left) * WIDTH
        y = (self._high - up) / (self._high - self._low) * HEIGHT
        return round(x), round(y)

    def _dot(self, point: tuple[float, float], kind: int) -> str:
        x, y = self._at(*point)
        if kind:
            return f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8" fill="{COLOURS[1]}"/>'
        return f'<circle cx="{x}" cy="{y}" r="4.5" fill="{COLOURS[0]}"/>'

    def _picture(self, line: list[tuple[tuple[float, float], tuple[float, float]]]) -> str:
        """An SVG as a data URI; the line's ends are in columns and rows of the grid."""
        path = ""
        for one, other in line:
            ends = [
                (round(c / (COLUMNS - 1) * WIDTH), round(HEIGHT - r / (ROWS - 1) * HEIGHT)) for c, r in (one, other)
            ]
            if ends[0] != ends[1]:
                path += "M{} {}L{} {}".format(*ends[0], *ends[1])
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>{self._dots}'
            f'<path d="{path}" fill="none" stroke="#1b1f24" stroke-width="2.5" stroke-linecap="round"/></svg>'
        )
        return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def border(values: list[list[float]]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where a grid of numbers crosses 0: short lines, one or two in each square, as (column, row)."""
    line = []
    for r in range(len(values) - 1):
        for c in range(len(values[0]) - 1):
            corners = [(c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1)]
            crossed = []
            for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
                a, b = values[one[1]][one[0]], values[other[1]][other[0]]
                if (a > 0) != (b > 0):
                    part = a / (a - b)
                    crossed.append((one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1])))
            line += [(crossed[k], crossed[k + 1]) for k in range(0, len(crossed) - 1, 2)]
    return line
