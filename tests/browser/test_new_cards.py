"""training on a bare page: by keyboard and pointer, said to a screen reader, light and dark."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import autogradlab as torch
from autogradlab import inspectors as lab
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import lookat

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(bare: Any) -> Iterator[Any]:
    lab.set_language("en")
    yield bare
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


def test_where_no_backward_is_kept_none_is_offered(page: Any) -> None:
    w = torch.tensor([3.0], requires_grad=True)
    rec = lab.training(w)
    loss = (w * w).sum()
    loss.backward()
    rec.step(loss)
    rec.refresh()
    lookat.mount(page, rec, "light")
    page.locator(".agl-sum").wait_for(timeout=5000)
    assert page.locator("[data-do=backward]").evaluate_all("found => found.map(one => one.offsetWidth)") == [0]


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


#: boxes and their texts that are cut off by the picture's edge, and lines that do not begin where a row begins
CUT = """() => {
  const svg = document.querySelector('.agl-svg'), room = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('.agl-item')].filter(g => g.querySelector('.agl-box')).filter(g => {
    const b = g.getBoundingClientRect();
    return b.left < room.left - 1 || b.right > room.right + 1 || b.top < room.top - 1 || b.bottom > room.bottom + 1;
  }).map(g => g.textContent);
}"""


def test_nan_does_not_add_up(page: Any) -> None:
    w = torch.tensor([0.0, 4.0], requires_grad=True)
    rec = lab.training(w)
    loss = (w.sqrt() * 0.0 / w).sum()
    rec.step(loss).backward()
    rec.refresh()
    lookat.mount(page, rec, "light")
    said = page.locator(".agl-sum").inner_text()
    assert "not finite" in said and "adds up" not in said
    assert page.locator(".agl-sum .agl-good").count() == 0


@pytest.mark.parametrize("width", [1100, 640])
def test_a_graph_that_is_too_wide_is_wrapped_into_rows(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    torch.manual_seed(0)
    x, W, b = torch.ones(2, 3), torch.randn(3, 4, requires_grad=True), torch.randn(4, requires_grad=True)
    h = torch.relu(x @ W + b)
    y = (h - 1).pow(2).mean()
    lookat.mount(page, lab.graph(y), "light")
    page.wait_for_timeout(150)
    drawing = page.locator(".agl-svg")
    assert page.evaluate(CUT) == []
    small = page.evaluate("""() => { const svg = document.querySelector('.agl-svg');
        return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width; }""")
    assert small >= 0.93, "text of 13 px is 12 at least"
    tracks = "all => all.map(p => p.getAttribute('d'))"
    lines = drawing.locator(".agl-line").evaluate_all(tracks)
    assert any(d.count("M") > 1 for d in lines), "a line that leaves a row goes on in the next"
    page.evaluate("document.querySelector('.agl-card').style.maxWidth = 'none'")
    page.set_viewport_size({"width": 1900, "height": 800})
    # with room for it, it is one row again
    page.wait_for_function(
        """() => [...document.querySelectorAll('.agl-svg .agl-line')]
        .every(p => p.getAttribute('d').split('M').length === 2)""",
        timeout=5000,
    )
    assert page.evaluate(CUT) == []


def test_pointer_and_keys_reach_edges(page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    w, x = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
    y = (w * x) * (w + 1)
    lookat.mount(page, lab.graph(y), "light")
    where = "() => [document.activeElement.dataset.item, document.activeElement.getAttribute('aria-label')]"
    page.locator(".agl-svg [tabindex='0']").focus()
    seen = []
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
        seen.append(page.evaluate(where))
    edges = [label for item, label in seen if item.startswith("e")]
    assert any(label.startswith("MulBackward0 · next_functions[") and " → " in label for label in edges), seen
    assert "g·" not in " ".join(edges), "what it multiplies by may be asked for"
    page.locator(".agl-reach").first.hover(force=True)
    page.locator("[data-item=e1] .agl-reach").dispatch_event("click")
    assert "next_functions[0]" in page.locator(".agl-details").inner_text()
