"""Cards by keyboard alone: Tab from station to station, and at each of them the keys that mean something there. What is
tried is the card that `window.tried()` gives, on a bare page or in a notebook."""

from __future__ import annotations

from typing import Any

#: until the card has stood still for so many frames, some seconds at most: what a key has changed is drawn, and what it
#: scrolls is scrolled. The browser's own keys, such as Home at a button, scroll for a quarter of a second, and whoever
#: has gone on to the next station by then is carried along
STILL = """async frames => {
  let at = NaN;
  for (let still = 0, all = 0; still < frames && all < 300; all++) {
    await new Promise(requestAnimationFrame);
    const { top } = window.tried().getBoundingClientRect();
    still = top === at ? still + 1 : 0;
    at = top;
  }
}"""
#: what has focus, whether it is in the card and seen, and what of the card's state keys change
STATION = """() => {
  const e = document.activeElement, card = window.tried(), box = e.getBoundingClientRect();
  const room = (card.closest('.jp-WindowedPanel-outer') ?? document.documentElement).getBoundingClientRect();
  const at = e.closest('[data-item], [data-row], [data-pick]');
  return {
    inside: card.contains(e), seen: box.width > 0 && box.bottom > Math.max(0, room.top) && box.top < innerHeight,
    ring: getComputedStyle(e).outlineStyle !== 'none', at: at ? Object.values(at.dataset)[0] : '',
    kind: e.matches('[data-item]') ? 'item' : e.matches('[data-pick]') ? 'pick' : e.matches('[data-row]') ? 'row'
      : e.matches('input[type=search]') ? 'search' : e.matches('select') ? 'select' : 'control',
    frame: card.querySelector('input[type=range]')?.value ?? null, open: Boolean(card.querySelector('[data-close]')),
    named: Boolean(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length),
  };
}"""
MARK = "n => document.activeElement.setAttribute('data-station', n)"
BACK = "n => window.tried().querySelector(`[data-station='${n}']`)?.focus()"
MOST = 60
KEYS = ("Home", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "End", "Home")


def stations(page: Any) -> list[dict[str, Any]]:
    """Tab through a card, from what has focus before it to behind it: what has focus each time."""
    found: list[dict[str, Any]] = []
    for _ in range(MOST):
        page.keyboard.press("Tab")
        here = page.evaluate(STATION)
        if not here["inside"]:
            break
        page.evaluate(MARK, len(found))
        found.append(here)
    return found


def try_keys(page: Any, walked: list[dict[str, Any]], most: int = 3) -> None:
    """At each station arrows, Home, End, Enter and Escape do what they do there, and focus stays in the card, on
    something that is seen. Stations of one kind beyond `most` are walked by Tab alone."""
    assert [one for one in walked if not (one["named"] and one["ring"] and one["seen"])] == []
    tried: dict[str, int] = {}
    for number, station in reversed(list(enumerate(walked))):  # a number that is chosen changes what stands below it
        kind = station["kind"]
        tried[kind] = tried.get(kind, 0) + 1
        if tried[kind] > most or kind == "search":
            continue
        page.evaluate(BACK, number)
        scrolls = kind == "control" and station["frame"] is None  # such keys are the page's there
        seen = {}
        for key in KEYS:
            page.keyboard.press(key)
            page.evaluate(STILL, 12 if scrolls else 2)
            seen[key] = page.evaluate(STATION)
            assert seen[key]["inside"] and (scrolls or seen[key]["seen"]), (number, kind, key)
        if station["frame"] is not None and kind not in ("select", "pick"):
            last = page.evaluate("() => window.tried().querySelector('input[type=range]').max")
            assert seen["Home"]["frame"] == "0" and seen["End"]["frame"] == last, (number, kind)
            assert int(seen["ArrowRight"]["frame"]) == 1 or kind == "item", (number, kind)
        elif kind in ("item", "pick"):
            assert seen["Home"]["at"] != seen["End"]["at"], (number, kind)
        if kind == "item":
            page.keyboard.press("Enter")
            assert page.evaluate(STATION)["open"], number
            page.keyboard.press("Escape")
            assert not page.evaluate(STATION)["open"], number
    assert page.evaluate(STATION)["inside"]
