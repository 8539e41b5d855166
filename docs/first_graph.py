"""Draws the README's picture, the graph of its example, as docs/first-graph.svg:  python docs/first_graph.py"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot as plt
from matplotlib.patches import Ellipse, FancyArrowPatch, FancyBboxPatch

INK, LEAF, OP, GRAD = "#1f2328", "#009e73", "#0072b2", "#c8500a"
VALUES = {
    "w": (1.1, 3.2, "w = [1.]", "leaf"),
    "x": (1.1, 0.8, "x = [2.]", "leaf"),
    "a": (6.2, 3.2, "a = [2.]", "non-leaf"),
    "b": (6.2, 0.8, "b = [2.]", "non-leaf"),
    "y": (10.7, 2.0, "y = [4.]", "root"),
}
OPS = {
    "mul": (3.9, 3.2, "mul", "MulBackward0"),
    "add": (3.9, 0.8, "add", "AddBackward0"),
    "last": (8.5, 2.0, "mul", "MulBackward0"),
}
#: (from, to, gradient, where its label stands): backward walks from y to the leaves
EDGES = [
    ("y", "last", "1", (9.56, 2.2)),
    ("last", "a", "2 = g·b", (7.72, 3.0)),
    ("last", "b", "2 = g·a", (7.72, 0.98)),
    ("a", "mul", "2", (5.02, 3.4)),
    ("b", "add", "2", (5.02, 1.0)),
    ("mul", "w", "4 = g·x", (2.55, 3.4)),
    ("mul", "x", "2 = g·w", (1.5, 1.78)),
    ("add", "w", "2", (3.28, 1.62)),
]


def main() -> None:
    plt.rcParams.update({"svg.hashsalt": "first-graph", "font.family": "DejaVu Sans", "svg.fonttype": "path"})
    figure, axes = plt.subplots(figsize=(10.6, 3.9))
    axes.set(xlim=(0, 11.8), ylim=(0, 4.2), aspect="equal")
    axes.axis("off")
    shapes = {}
    for name, (x, y, value, kind) in VALUES.items():
        leaf = kind == "leaf"
        edge, width = (LEAF, 2.4) if leaf else (INK, 1.2)
        shapes[name] = axes.add_patch(Ellipse((x, y), 1.75, 0.95, fc="white", ec=edge, lw=width, zorder=3))
        label(axes, x, y, value, kind)
    for name, (x, y, operation, node) in OPS.items():
        box = FancyBboxPatch((x - 0.72, y - 0.34), 1.44, 0.68, "round,pad=0.04,rounding_size=0.08")
        box.set(fc="#eef5fb", ec=OP, lw=1.6, zorder=3)
        shapes[name] = axes.add_patch(box)
        label(axes, x, y, operation, node)
    places = {k: v[:2] for k, v in {**VALUES, **OPS}.items()}
    for start, end, gradient, (x, y) in EDGES:
        arrow = FancyArrowPatch(places[start], places[end], arrowstyle="-|>", shrinkA=2, shrinkB=2)
        arrow.set(patchA=shapes[start], patchB=shapes[end], mutation_scale=14, color=GRAD, lw=1.5, zorder=2)
        axes.add_patch(arrow)
        axes.text(x, y, gradient, color=GRAD, size=9.5, ha="center", va="center", weight="bold", zorder=4)
    axes.text(1.1, 3.92, "w.grad = 4 + 2 = [6.]", color=GRAD, size=10, ha="center", weight="bold")
    axes.text(1.1, 0.12, "x.grad = [2.]", color=GRAD, size=10, ha="center", weight="bold")
    axes.text(10.7, 1.28, "y.backward() starts here", color=INK, size=8.5, ha="center")
    figure.patch.set_facecolor("white")
    target = Path(__file__).with_name("first-graph.svg")
    figure.savefig(target, bbox_inches="tight", pad_inches=0.08, metadata={"Date": None})
    text = target.read_text(encoding="utf-8").replace("<svg ", '<svg role="img" ', 1)
    target.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8", newline="\n")


def label(axes: plt.Axes, x: float, y: float, first: str, second: str) -> None:
    """Two centred lines: what it is, and of which kind."""
    axes.text(x, y + 0.12, first, color=INK, size=10.5, ha="center", va="center", zorder=4)
    axes.text(x, y - 0.16, second, color=INK, size=8, ha="center", va="center", zorder=4)


if __name__ == "__main__":
    main()
