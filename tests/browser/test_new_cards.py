"""training on a bare page: by keyboard and pointer, said to a screen reader, light and dark."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import autogradlab as torch
from autogradlab import inspectors as lab
from tests.conftest import ROOT, need

sys.path.append(str(ROOT / "tools"))
import lookat

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    need("browser")
    need("anywidget")
    lab.set_language("en")
    with lookat.chromium() as page:
        page.broken = []
        page.on("pageerror", lambda error: page.broken.append(str(error)))
        yield page
        assert page.broken == []
    lab.set_language(None)


def trained(steps: int = 40) -> Any:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    for k in range(steps):
        if k != 20:
            w.grad = None
        loss = (w * w).sum()
        rec.step(loss).backward()
        with torch.no_grad():
            w -= 0.05 * w.grad
    rec.refresh()
    return rec


def test_a_training_is_gone_through_by_keyboard(page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    lookat.mount(page, trained(), "light")
    slider = page.get_by_role("slider")
    said = page.locator("[aria-live=polite]").first
    assert slider.get_attribute("aria-valuetext", timeout=5000).startswith("Step 21 · loss ")
    assert page.locator(".agl-noticed").inner_text().startswith("! Not zeroed before this backward")
    page.keyboard.press("ArrowRight")
    assert said.text_content().startswith("Step 22 · loss ")
    assert page.locator(".agl-noticed li").count() == 0
    page.keyboard.press("End")
    assert slider.input_value() == "39"
    page.keyboard.press("p")
    assert said.text_content().startswith("Step 21") and "`" not in said.text_content()
    page.keyboard.press("Home")
    assert slider.input_value() == "0"
    page.get_by_role("button", name="next to notice").click()
    assert slider.input_value() == "20"
    assert page.locator(".agl-sum table").count() == 3
    assert "adds up" in page.locator(".agl-sum").inner_text()


def test_the_picture_is_clicked_and_dragged(page: Any) -> None:
    lookat.mount(page, trained(), "dark")
    box = page.locator(".agl-svg").bounding_box()
    row = page.locator("[data-item=p0] path").first.bounding_box()
    page.mouse.click(row["x"] + 2, row["y"])
    assert page.get_by_role("slider").input_value() == "0"
    page.mouse.down()
    page.mouse.move(row["x"] + row["width"] / 2, box["y"] + 60)
    page.mouse.move(row["x"] + row["width"], box["y"] + 60)
    page.mouse.up()
    assert page.get_by_role("slider").input_value() == "39"
    assert page.locator("[data-slot=r0]").text_content() == page.evaluate(
        "document.querySelector('[data-slot=r0]').textContent"
    )


def test_a_backward_that_the_card_holds_opens_and_steps(page: Any) -> None:
    lookat.mount(page, trained(), "light")
    button = page.get_by_role("button", name="the backward of step 21")
    button.click()
    inner = page.locator(".agl-opened .agl-step")
    assert "backward of step 21" in inner.inner_text()
    inner.get_by_role("button", name="One step on").click()
    assert inner.get_attribute("data-at") == "1"
    page.keyboard.press("ArrowRight")
    assert inner.get_attribute("data-at") == "2" and page.get_by_role("slider").first.input_value() == "20"
    page.get_by_role("button", name="close the backward of step 21").click()
    assert page.locator(".agl-opened .agl-step").count() == 0


def test_without_a_kernel_other_backwards_say_what_to_do(page: Any) -> None:
    lookat.mount(page, trained(), "light")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    page.locator("[data-time=open]").click()
    assert "rec.backward(" in page.locator(".agl-of-step > .agl-muted").inner_text()


@pytest.mark.parametrize("width", [1280, 560])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_cut_off(page: Any, theme: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    lookat.mount(page, trained(), theme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.evaluate(
        """() => [...document.querySelectorAll('.agl-svg text')]
            .map(t => [t.textContent, t.getBoundingClientRect().height]).filter(([text, high]) => text && high < 12)"""
    )
    assert small == []


def test_a_receipt_is_read_by_keyboard(page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    v = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    z = (v @ torch.tensor([[1.0, -1.0], [2.0, 0.5]])).pow(2).sum()
    lookat.mount(page, lab.receipt(v, z), "light")
    chosen = page.get_by_role("radio", checked=True)
    assert chosen.get_attribute("aria-label") == "v.grad[1, 1] = 43."
    chosen.focus()
    page.keyboard.press("ArrowUp")
    assert page.get_by_role("radio", checked=True).get_attribute("aria-label") == "v.grad[0, 1] = 20."
    shown = page.locator(".agl-option:visible")
    assert "v.grad[0, 1] = 20. + 0." in shown.inner_text() or "v.grad[0, 1] = 20." in shown.text_content()
    assert page.locator(".agl-option:visible").count() == 1
    factor = shown.locator("[role=button]").first
    factor.focus()
    page.keyboard.press("Enter")
    assert "SumBackward0" in page.locator(".agl-details").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("radio").first.click()
    assert page.get_by_role("radio").first.get_attribute("aria-checked") == "true"
