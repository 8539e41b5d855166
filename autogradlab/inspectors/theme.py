"""Colours and fonts of the inspectors: one table of tones, for pictures and widgets, light and dark.

`ink` is for text: at least 4.5 : 1 on the card, on its bars and on the tone's own tint (WCAG AA). `line` is for
outlines and bars: at least 3 : 1 on the card. The hues are those that colour-blind readers tell apart (Okabe and Ito),
and nothing is said by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the wheel is built with this file alone
    from .parts import Tone

__all__ = ["DARK", "LIGHT", "MONO", "SANS", "Palette", "css", "darker", "mix"]

SANS = (
    "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', "
    "sans-serif"
)
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme. paper: the card; bar: its title bar; edge: borders; quiet: lines that nothing runs
    along; go and on_go: the button that goes on, and what is written on it."""

    paper: str
    bar: str
    edge: str
    quiet: str
    focus: str
    go: str
    on_go: str
    tint_share: float
    tones: dict[Tone, tuple[str, str]]

    def ink(self, tone: Tone) -> str:
        return self.tones[tone][0]

    def line(self, tone: Tone) -> str:
        return self.tones[tone][1]

    def tint(self, tone: Tone) -> str:
        """A pale ground in the tone's hue; the tone's ink and plain ink are both read on it."""
        return mix(self.line(tone), self.paper, self.tint_share)


LIGHT = Palette(
    paper="#ffffff",
    bar="#f6f8fa",
    edge="#d0d7de",
    quiet="#8c959f",
    focus="#b35900",
    go="#0068a5",
    on_go="#ffffff",
    tint_share=0.14,
    tones={
        "plain": ("#1b1f24", "#57606a"),
        "muted": ("#57606a", "#8c959f"),
        "leaf": ("#006e50", "#009e73"),
        "node": ("#005f96", "#0072b2"),
        "gradient": ("#a84600", "#d55e00"),
        "hook": ("#8f3380", "#aa4499"),
        "saved": ("#6e5600", "#a58400"),
        "warning": ("#b3261e", "#d1372c"),
        "good": ("#0f6e32", "#1f9d4d"),
        "accent": ("#7a4d00", "#c27c00"),
    },
)

DARK = Palette(
    paper="#111418",
    bar="#1b2028",
    edge="#363d47",
    quiet="#6e7681",
    focus="#ffb454",
    go="#56b4e9",
    on_go="#0b1620",
    tint_share=0.22,
    tones={
        "plain": ("#e6edf3", "#9aa4b0"),
        "muted": ("#a3adb8", "#7d8590"),
        "leaf": ("#4fd3a7", "#3fc79a"),
        "node": ("#79c4f2", "#56b4e9"),
        "gradient": ("#ff9d66", "#ff8a4c"),
        "hook": ("#e0a3d8", "#d78fce"),
        "saved": ("#e0c65a", "#cdb040"),
        "warning": ("#ff8f85", "#f2685c"),
        "good": ("#6fdc93", "#4cc276"),
        "accent": ("#f5bb3d", "#e69f00"),
    },
)


def mix(colour: str, ground: str, share: float) -> str:
    """`share` of a colour, the rest of the ground: "#rrggbb" all three."""
    pairs = [(int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(c * share + g * (1 - share)):02x}" for c, g in pairs)


def darker() -> dict[str, str]:
    """For each colour of the light theme that of the dark one."""
    found = {getattr(LIGHT, name): getattr(DARK, name) for name in ("quiet", "edge", "bar", "focus")}
    for tone in LIGHT.tones:
        found |= {LIGHT.line(tone): DARK.line(tone), LIGHT.tint(tone): DARK.tint(tone)}
    found |= {LIGHT.ink(tone): DARK.ink(tone) for tone in LIGHT.tones}  # what is read goes before what is drawn
    return found | {LIGHT.paper: DARK.paper}


#: Who says that the page is dark (or light): JupyterLab and Notebook, VS Code (of high contrast, too), Colab, marimo,
#: and pages with a theme attribute.
_HOSTS = {
    "light": (
        '[data-jp-theme-light="true"]',
        *(".vscode-light", ".vscode-high-contrast-light"),
        *("[theme=light]", ".light-theme", "[data-theme=light]"),
    ),
    "dark": (
        '[data-jp-theme-light="false"]',
        *(".vscode-dark", ".vscode-high-contrast:not(.vscode-high-contrast-light)"),
        *("[theme=dark]", ".dark-theme", "[data-theme=dark]"),
    ),
}


def css(root: str = ".agl") -> str:
    """The palettes as CSS variables of `root`: the page's theme decides, else the reader's system."""
    dark = f"{{ {_variables(DARK)} color-scheme: dark; }}"
    light = f"{{ {_variables(LIGHT)} color-scheme: light; }}"
    rules = [
        f"{root} {light}",
        f"@media (prefers-color-scheme: dark) {{ {root} {dark} }}",
        ", ".join(f"{host} {root}" for host in _HOSTS["light"]) + " " + light,
        ", ".join(f"{host} {root}" for host in _HOSTS["dark"]) + " " + dark,
        *(
            f"{root} .agl-{tone} {{ --ink: var(--{tone}-ink); --line: var(--{tone}-line); --tint: "
            f"var(--{tone}-tint); }}"
            for tone in LIGHT.tones
        ),
    ]
    return "\n".join(rules) + "\n"


#: What a notebook's theme says goes before what is said here: a card then sits on its page as other outputs do.
_THEIRS = {"paper": "--jp-layout-color0", "edge": "--jp-border-color2", "plain-ink": "--jp-content-font-color1"}


def _variables(palette: Palette) -> str:
    named = {
        name.replace("_", "-"): getattr(palette, name)
        for name in ("paper", "bar", "edge", "quiet", "focus", "go", "on_go")
    }
    for tone in palette.tones:
        named |= {
            f"{tone}-ink": palette.ink(tone),
            f"{tone}-line": palette.line(tone),
            f"{tone}-tint": palette.tint(tone),
        }
    values = {name: f"var({_THEIRS[name]}, {value})" if name in _THEIRS else value for name, value in named.items()}
    return " ".join(f"--{name}: {value};" for name, value in values.items())
