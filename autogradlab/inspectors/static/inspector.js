// Inspectors in the browser: shows the card that Python sends as JSON (parts.py says what is in it), and steps through
// its frames without asking the kernel. Several views of one card are independent of each other.

import { Sketch, blocks, fill, h, plain, prose, s } from "./sketch.js";

const REST = 1400; // milliseconds between two steps at speed 1
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", step: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z",
  play: "M4 2.5v11l9-5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
};
const icon = (name) => s("svg", { viewBox: "0 0 16 16", width: 13, height: 13, class: "agl-icon", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

/** A card on the page; `at` is the frame that is shown. */
class View {
  constructor(card, words, signal, at) {
    Object.assign(this, { card, words, signal, sketches: [], frames: card.frames ?? [], at: -1, speed: 1 });
    const draw = (drawing) => {
      const sketch = new Sketch(drawing, words, signal);
      this.sketches.push(sketch);
      return sketch.element;
    };
    const body = h("div", { class: "agl-main" }, blocks(card.blocks, draw));
    if (this.sketches.some((sketch) => [...sketch.entries.values()].some((entry) => entry.opens && entry.item))) {
      this.details = h("div", { class: "agl-details", role: "group", "aria-label": words.details }, h("p", { class: "agl-hint" }, words.hint));
      if (!this.frames.length) body.append(this.details);
    }
    this.inner = (card.cards ?? []).map((inner) => new View(inner, words, signal, 0));
    if (this.inner.length) body.append(h("div", { class: "agl-cards" }, this.inner.map((view) => view.element)));
    this.live = h("p", { class: "agl-live", role: "status", "aria-live": "polite" });
    const wide = this.sketches.some(({ drawing }) => drawing.width > 640 && drawing.width > 1.8 * drawing.height);
    this.element = h("div", { class: `agl-card${wide ? " agl-wide" : ""}`, role: "group", "data-kind": card.kind, lang: card.lang ?? "en", "aria-label": plain(card.title), tabindex: -1 },
      this.heading(), h("div", { class: "agl-body" }, body, this.side()), this.frames.length ? this.controls() : null, this.live);
    this.element.classList.toggle("agl-bare", !body.hasChildNodes() && !this.frames.length);
    this.plan();
    this.listen();
    if (this.frames.length) this.show(Math.min(at ?? 0, this.frames.length - 1), true);
  }

  heading() {
    this.subtitle = h("span", { class: "agl-subtitle" }, prose(this.card.subtitle));
    const badges = (this.card.badges ?? []).map((badge) => h("span", { class: `agl-badge agl-${badge.tone ?? "plain"}` }, badge.text));
    return h("div", { class: "agl-bar" }, h("span", { class: "agl-title" }, prose(this.card.title)), this.subtitle,
      h("span", { class: "agl-space" }), badges.length ? h("span", { class: "agl-badges" }, badges) : null);
  }

  /** What happens, the frame's own blocks, and the details of the item that was opened; without frames these are below. */
  side() {
    const { words } = this;
    if (!this.frames.length) return null;
    this.events = this.frames.map((frame, k) =>
      h("button", { type: "button", class: `agl-event agl-${frame.tone ?? "plain"}`, "data-frame": k, tabindex: -1 }, h("span", {}, prose(frame.sentence))));
    this.list = h("ol", { class: "agl-events", start: 0 }, this.events.map((event) => h("li", {}, event)));
    this.panel = h("div", { class: "agl-panel" });
    return h("div", { class: "agl-side" }, h("div", { class: "agl-happens" }, h("div", { class: "agl-heading" }, words.happens), this.list),
      h("div", { class: "agl-beside" }, this.panel, this.details));
  }

  controls() {
    const { words } = this;
    const button = (name, label, ...inside) => h("button", { type: "button", class: `agl-button agl-do-${name}`, "data-do": name, title: label, "aria-label": label }, inside);
    this.play = button("play", words.play, icon("play"));
    this.range = h("input", { type: "range", class: "agl-range", min: 0, max: this.frames.length - 1, step: 1, "aria-label": words.scrub });
    this.pace = h("select", { class: "agl-pace", "aria-label": words.speed, title: words.speed },
      [0.5, 1, 2, 4].map((speed) => h("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
    this.where = h("span", { class: "agl-where" });
    return h("div", { class: "agl-bar agl-controls", role: "group", "aria-label": words.controls },
      button("first", words.first, icon("first")), button("back", words.back, icon("back")),
      button("step", words.next, words.step, icon("step")), this.play, button("last", words.last, icon("last")),
      this.range, this.where, this.pace, h("span", { class: "agl-keys", title: words.keys_help }, words.keys));
  }

  /** In which frames an item is active: where a click on it leads. */
  plan() {
    this.turns = new Map();
    this.idle = this.frames.flatMap((frame) => (frame.states ?? []).map(([id]) => [id, "idle"]));
    this.frames.forEach((frame, k) => {
      for (const [id, state] of frame.states ?? []) {
        if (state === "active" || state === "failed") this.turns.set(id, [...(this.turns.get(id) ?? []), k]);
      }
    });
  }

  show(at, quiet) {
    const to = Math.max(0, Math.min(this.frames.length - 1, at));
    if (to === this.at) return;
    const [states, texts] = to > this.at && this.at >= 0 ? [new Map(this.states), new Map(this.texts)] : [new Map(this.idle), new Map()];
    for (const frame of this.frames.slice(to > this.at ? this.at + 1 : 0, to + 1)) {
      for (const [id, state] of frame.states ?? []) states.set(id, state);
      for (const [slot, text] of frame.texts ?? []) texts.set(slot, text);
    }
    const frame = this.frames[to];
    for (const sketch of this.sketches) sketch.apply(states, texts);
    for (let k = Math.max(0, Math.min(to, this.at)); k < Math.max(to, this.at); k += 1) this.events[k].classList.toggle("agl-past", k < to);
    const [before, event] = [this.events[this.at], this.events[to]];
    before?.removeAttribute("aria-current");
    before?.setAttribute("tabindex", "-1");
    event.setAttribute("aria-current", "step");
    event.setAttribute("tabindex", "0");
    Object.assign(this, { at: to, states, texts });
    this.scrolling ??= requestAnimationFrame(() => this.scroll());
    this.panel.replaceChildren(...blocks(frame.panel, (drawing) => new Sketch(drawing, this.words, this.signal).element));
    const where = fill(this.words.step_title, { step: to, last: this.frames.length - 1 });
    this.subtitle.replaceChildren(...prose([this.card.subtitle, frame.heading].filter(Boolean).join(" · ")));
    this.where.textContent = where;
    this.range.value = to;
    this.range.setAttribute("aria-valuetext", `${where}. ${plain(frame.heading || frame.sentence)}`);
    for (const button of this.element.querySelectorAll(".agl-controls [data-do]")) {
      const end = { first: to === 0, back: to === 0, step: to === this.frames.length - 1, last: to === this.frames.length - 1 }[button.dataset.do];
      button.setAttribute("aria-disabled", String(Boolean(end)));
    }
    if (!quiet) this.live.textContent = `${where}. ${plain(frame.sentence)}`;
    if (to === this.frames.length - 1) this.stop();
    this.element.dispatchEvent(new CustomEvent("autogradlab:at", { bubbles: true, detail: to }));
  }

  /** The current line of the list into sight, without moving the page. */
  scroll() {
    this.scrolling = undefined;
    const line = this.events[this.at].parentElement;
    const [top, bottom] = [line.offsetTop, line.offsetTop + line.offsetHeight]; // the list is positioned
    if (top < this.list.scrollTop) this.list.scrollTop = top - 8;
    else if (bottom > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = bottom - this.list.clientHeight + 8;
  }

  start() {
    if (this.at === this.frames.length - 1) this.show(0);
    this.timer = setInterval(() => this.show(this.at + 1), REST / this.speed);
    this.playing();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing();
    for (const view of this.inner) view.frames.length && view.stop();
  }

  playing() {
    if (!this.play) return;
    const label = this.timer ? this.words.pause : this.words.play;
    this.play.replaceChildren(icon(this.timer ? "pause" : "play"));
    this.play.title = label;
    this.play.setAttribute("aria-label", label);
  }

  act(what) {
    if (what !== "play") this.stop();
    if (what === "play") this.timer ? this.stop() : this.start();
    else this.show({ first: 0, back: this.at - 1, step: this.at + 1, last: this.frames.length - 1 }[what]);
  }

  /** Opens an item: its details, and the frame in which it is active (the next one, if it is shown already). */
  open(sketch, group) {
    if (group.dataset.fold !== undefined) return sketch.toggle(Number(group.dataset.fold));
    const entry = sketch.entries.get(group.dataset.item);
    if (entry.opens) {
      for (const other of this.sketches) {
        if (other.opened) other.opened.group.removeAttribute("aria-pressed");
        other.opened = null;
      }
      sketch.opened = entry;
      entry.group.setAttribute("aria-pressed", "true");
      sketch.rove(entry);
      const close = h("button", { type: "button", class: "agl-button", "data-close": true, "aria-label": this.words.close, title: this.words.close }, "×");
      const heading = h("div", { class: "agl-heading" }, h("span", {}, plain(entry.item.label || entry.item.id)));
      this.details.replaceChildren(heading,
        ...blocks(entry.item.details, (drawing) => new Sketch(drawing, this.words, this.signal).element));
      this.details.classList.add("agl-open");
      this.live.textContent = `${this.words.details}: ${this.details.innerText ?? this.details.textContent}`;
      heading.append(close); // its sign is no word to be said
    }
    const turns = this.turns.get(entry.item.id);
    if (!turns) return undefined;
    this.stop();
    return this.show(turns.find((k) => k > this.at) ?? turns[0], true);
  }

  close() {
    for (const sketch of this.sketches) {
      if (!sketch.opened) continue;
      sketch.opened.group.removeAttribute("aria-pressed");
      if (this.details.contains(document.activeElement)) sketch.focus(sketch.opened);
      sketch.opened = null;
    }
    this.details?.classList.remove("agl-open");
    this.details?.replaceChildren(h("p", { class: "agl-hint" }, this.words.hint));
  }

  /** One listener of a kind for the whole card. */
  listen() {
    const on = (kind, act) => this.element.addEventListener(kind, act, { signal: this.signal });
    const mine = (event) => event.target.closest(".agl-card") === this.element;
    on("click", (event) => {
      if (!mine(event)) return;
      const find = (what) => event.target.closest(what);
      const group = find("[data-item], [data-fold]");
      const sketch = group && this.sketches.find((one) => one.svg.contains(group));
      if (find("[data-do]")) this.act(find("[data-do]").dataset.do);
      else if (find("[data-frame]")) this.stop(), this.show(Number(find("[data-frame]").dataset.frame));
      else if (find("[data-close]")) this.close();
      else if (sketch && !sketch.dragged) this.open(sketch, group);
    });
    on("input", (event) => event.target === this.range && (this.stop(), this.show(Number(this.range.value))));
    on("change", (event) => {
      if (event.target !== this.pace) return;
      this.speed = Number(this.pace.value);
      if (this.timer) this.stop(), this.start();
    });
    // Notebook 7 takes keys on their way down, before they reach the card: so the card takes them at the window.
    const key = (event) => {
      const [target] = event.composedPath();
      if (target instanceof Element && target.closest(".agl-card") === this.element) this.key(event, target);
    };
    window.addEventListener("keydown", key, { signal: this.signal, capture: true });
    on("focusin", (event) => {
      if (mine(event) && !this.element.contains(event.relatedTarget) && event.target.matches(":focus-visible")) this.come();
    });
    on("keydown", key); // where a host's closed shadow tree hides from the window what was meant
  }

  /** Whoever comes by Tab sees all of the card: the keys of its last row move the picture in its first. */
  come() {
    requestAnimationFrame(() => {
      const room = this.element.closest(".jp-WindowedPanel-outer")?.clientHeight ?? window.innerHeight;
      if (this.element.offsetHeight <= room) this.element.scrollIntoView({ block: "nearest" });
    });
  }

  /** What has come onto the page, in a sentence or two. */
  tell() {
    const note = (this.card.blocks ?? []).find((block) => block.is === "note");
    const first = this.frames[this.at]?.sentence ?? [note?.lead, note?.text].filter(Boolean).join(" ");
    this.live.textContent = [plain(this.card.title), plain(this.card.subtitle), plain(first)].filter(Boolean).join(this.card.lang === "zh" ? "。" : ". ");
  }

  /** Back to the notebook's cell, where there is one; or on to the next. */
  leave(on = false) {
    const cell = this.element.closest(".jp-Cell");
    const next = cell?.nextElementSibling;
    (on && next?.matches(".jp-Cell") ? next : cell)?.focus();
    return Boolean(cell);
  }

  /** Keys that mean something here do it and go no further; the others are the notebook's, apart from letters on a
   * control: to type two d at a button is no wish to delete the cell. Escape leads back to the cell, Shift+Enter to the
   * next one: to run this one again would begin anew, and may call backward twice. */
  key(event, target) {
    const { key } = event;
    if (key === "Enter" && event.shiftKey && this.leave(true)) {
      event.preventDefault();
      return event.stopPropagation();
    }
    const sketch = this.sketches.find((one) => one.element.contains(target));
    const group = target.closest("[data-item], [data-fold]");
    const press = target.matches("button, summary, a");
    const steps = { ArrowLeft: "back", ArrowRight: "step", Home: "first", End: "last", " ": "play" };
    if (target === this.range) Object.assign(steps, { ArrowDown: "back", ArrowUp: "step" });
    if (target.matches("input[type=search], select")) {
      if (sketch?.typed(event) || (key === "Escape" && this.leave())) event.preventDefault();
      return event.stopPropagation();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (press && (key === "Enter" || key === " ")) return event.stopPropagation();
    if (group && (key === "Enter" || key === " ")) this.open(sketch, group);
    else if (sketch?.svg.contains(target) && sketch.key(event)) this.stop();
    else if (key === "Escape" && this.details?.querySelector("[data-close]")) this.close();
    else if (target.matches(".agl-event") && (key === "ArrowUp" || key === "ArrowDown")) {
      this.act(key === "ArrowUp" ? "back" : "step");
      this.events[this.at].focus({ preventScroll: true });
    } else if (this.frames.length && steps[key]) this.act(steps[key]);
    else if (/^\S$/.test(key) && target !== this.element) return event.stopPropagation();
    else if (key !== "Escape" || !this.leave()) return undefined;
    event.preventDefault();
    return event.stopPropagation();
  }

  /** Widths have changed: drawings are sized, and what can be scrolled can be focused. */
  resize() {
    for (const sketch of this.sketches) sketch.resize(sketch.frame.clientWidth);
    for (const box of this.element.querySelectorAll(".agl-scroll, .agl-events")) {
      const scrolls = box.scrollWidth > box.clientWidth + 1;
      if (box.matches(".agl-scroll")) scrolls ? box.setAttribute("tabindex", "0") : box.removeAttribute("tabindex");
    }
    for (const view of this.inner) view.resize();
  }
}

/** The card as Python packed it: JSON, deflated, in base64. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

async function render({ model, el }) {
  let [view, life, drawn, gone, arriving] = [null, null, 0, false, 0];
  const watcher = new ResizeObserver(() => view.resize());
  const clear = () => {
    watcher.disconnect();
    life?.abort();
    view?.stop();
  };
  const draw = async () => {
    const mine = (drawn += 1);
    const card = await unpack(model.get("_card"));
    if (gone || mine !== drawn) return; // the page has gone on
    clear();
    life = new AbortController();
    view = new View(card, model.get("_words"), life.signal, view?.at);
    const place = h("div", { class: "agl" }, view.element);
    el.replaceChildren(place);
    view.resize();
    watcher.observe(place);
  };
  // who keeps the notebook (labextension/cards.js) is told what to keep, and at which step to go on
  const changed = async () => {
    await draw();
    const detail = { _card: model.get("_card"), _words: model.get("_words") };
    el.dispatchEvent(new CustomEvent("autogradlab:state", { bubbles: true, detail }));
  };
  const go = ({ detail }) => view.show(detail, true);
  model.on("change:_card", changed);
  el.addEventListener("autogradlab:go", go);
  await draw();
  // said once to who does not see it: not when the card changes, nor when the page is loaded anew
  if (!model.get("_heard")) {
    arriving = setTimeout(() => {
      if (gone) return;
      if (view && !view.live.textContent) view.tell(); // who has gone on meanwhile hears that
      model.set("_heard", true);
      model.save_changes();
    }, 300); // a live region must be there before its words
  }
  return () => {
    gone = true;
    clearTimeout(arriving);
    model.off("change:_card", changed);
    el.removeEventListener("autogradlab:go", go);
    clear();
  };
}

export default { render };
