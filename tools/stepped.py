"""Draws docs/step.gif, the README's example stepped through on its real card: one picture for each step, by Chromium.

python tools/stepped.py            needs IPython, Playwright, Chromium and Pillow
"""

from __future__ import annotations

import io
from pathlib import Path

import lookat

ROOT = Path(__file__).resolve().parents[1]
MADE = ROOT / "docs" / "step.gif"
WIDE = 960
PACE = 1700  # milliseconds that a step is shown
COLOURS = 48
CELL = """w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = torch.mul(w, x)
b = torch.add(w, 1)
y = torch.mul(a, b)"""


def main() -> None:
    from PIL import Image

    start = "import autogradlab as torch\nfrom autogradlab import inspectors as lab"
    view = lookat.notebook(start, CELL, "lab.step(y)")
    pictures, high = [], 0
    with lookat.chromium() as page:
        page.set_viewport_size({"width": WIDE, "height": 500})
        page.emulate_media(reduced_motion="reduce")
        lookat.mount(page, view, "light")
        page.evaluate("() => { document.body.style.margin = 0; document.querySelector('.agl').style.margin = 0; }")
        page.mouse.move(WIDE - 1, 499)
        page.evaluate("() => document.querySelector('.agl-card').style.setProperty('outline', 'none')")
        for _ in view.card.frames:
            page.wait_for_timeout(120)
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            pictures.append(picture)
            page.keyboard.press("ArrowRight")
            high = max(high, page.evaluate("() => document.querySelector('.agl-card').offsetHeight"))
    cut = [picture.crop((0, 0, WIDE, min(high + 2, 500))) for picture in pictures]
    palette = cut[len(cut) // 2].quantize(COLOURS)
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in cut]
    pace = [PACE] * (len(frames) - 1) + [2 * PACE]
    frames[0].save(MADE, save_all=True, append_images=frames[1:], duration=pace, loop=0, optimize=True)
    print(f"{MADE.relative_to(ROOT)}: {len(frames)} steps, {MADE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
