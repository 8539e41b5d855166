// Inspectors in the browser: shows the card that Python sends as JSON (parts.py says what is in it). Cards in which things
// happen are the stepper's. Several views of one card are independent of each other.

import { Choice } from "./choice.js";
import { Sketch, announced, arrive, blocks, h, kept, kindle, leave, led, plain, prose } from "./sketch.js";
import { copy, copying } from "./copy.js";
import { goto } from "./lines.js";
import { Stepper } from "./stepper.js";
import { Timeline } from "./timeline.js";
import { WORDS } from "./words.js";

/** A card on the page in which nothing moves by itself. */
class View {
  constructor(card, words, signal, was, keep, inside) {
    Object.assign(this, { card, words, signal, inside, sketches: [], choices: [] });
    const draw = (drawing) => {
      if (drawing.is === "timeline") {
        this.timeline = new Timeline(drawing, words, signal, {
          draw: (inner) => made(inner, words, signal), ask: (what) => keep?.ask?.(what), tell: (sentence) => (this.live.textContent = sentence) });
        this.sketches.push(this.timeline.sketch);
        return this.timeline.element;
      }
      if (drawing.is === "choice") {
        const choice = new Choice(drawing, draw, signal, () => this.resize());
        this.choices.push(choice);
        return choice.element;
      }
      const sketch = new Sketch(drawing, words, signal);
      this.sketches.push(sketch);
      return sketch.element;
    };
    const body = h("div", { class: `agl-main agl-in-${card.kind}` }, blocks(card.blocks, draw));
    this.pair(words);
    if (this.sketches.some((sketch) => [...sketch.entries.values()].some((entry) => entry.opens && entry.item))) {
      this.details = h("div", { class: "agl-details", role: "group", "aria-label": words.details }, h("p", { class: "agl-hint" }, words.hint));
      body.append(this.details);
    }
    this.inner = (card.cards ?? []).map((inner) => made(inner, words, signal, null, null, true));
    if (this.inner.length) body.append(h("div", { class: "agl-cards" }, this.inner.map((view) => view.element)));
    this.live = h("p", { class: "agl-live", role: "status", "aria-live": "polite" });
    this.element = h("div", { class: "agl-card", role: "group", "data-kind": card.kind, lang: card.lang ?? "en", "aria-label": plain(card.title), tabindex: -1 },
      this.heading(), h("div", { class: "agl-body" }, body), this.live);
    this.element.classList.toggle("agl-bare", !body.hasChildNodes());
    this.listen();
    if (this.timeline && was?.timeline) this.timeline.after(was.timeline);
  }

  /** A graph that comes folded, too, is shown so at first. */
  pair(words) {
    const small = this.sketches.find((sketch) => sketch.drawing.groups?.length);
    if (!small) return;
    const whole = this.sketches[this.sketches.indexOf(small) - 1];
    for (const [sketch, sign] of [[small, words.unfold_graph], [whole, words.fold_graph]]) {
      sketch.bar.prepend(h("button", { type: "button", class: "agl-button", "data-do": "whole" }, sign));
    }
    this.turn = (focus) => {
      const [from, to] = small.element.hidden ? [whole, small] : [small, whole];
      [from.element.hidden, to.element.hidden] = [true, false];
      this.close();
      this.resize();
      if (focus) to.bar.firstChild.focus();
    };
    whole.element.hidden = true;
  }

  heading() {
    const badges = (this.card.badges ?? []).map((badge) => h("span", { class: `agl-badge agl-${badge.tone ?? "plain"}` }, badge.text));
    return h("div", { class: "agl-bar" }, h("span", { class: "agl-title", "data-tensor": this.card.tensor || null, ...(this.card.tensor ? { role: "button", tabindex: 0 } : {}) }, prose(this.card.title)), h("span", { class: "agl-subtitle" }, prose(this.card.subtitle)),
      h("span", { class: "agl-space" }), this.inside ? null : copying(this, this.words), badges.length ? h("span", { class: "agl-badges" }, badges) : null);
  }

  stop() {
    for (const view of this.inner) view.stop();
    this.timeline?.stop();
  }

  /** The drawing that stands for the card, if one does. */
  seen() {
    return this.sketches.find((sketch) => !sketch.element.hidden) ?? null;
  }

  /** Opens an item: its details. */
  open(sketch, group) {
    if (group.dataset.fold !== undefined) {
      sketch.toggle(Number(group.dataset.fold));
      return;
    }
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
    for (const way of ["click", "focusin"]) on(way, (event) => mine(event) && kindle(event.target));
    on("click", (event) => {
      if (!mine(event)) return;
      const find = (what) => event.target.closest(what);
      const group = find("[data-item], [data-fold]");
      const sketch = group && this.sketches.find((one) => one.svg.contains(group));
      if (find("[data-close]")) this.close();
      else if (find("[data-do=whole]")) this.turn(true);
      else if (find("[data-line]")) goto(this.element, find("[data-line]").dataset.cell, Number(find("[data-line]").dataset.line)) || (this.live.textContent = this.words.no_line);
      else if (find("[data-copy]")) copy(this, find("[data-copy]").dataset.copy);
      else if (sketch && !sketch.dragged) this.open(sketch, group);
    });
    // Notebook 7 takes keys on their way down, before they reach the card: so the card takes them at the window.
    const key = (event) => {
      const [target] = event.composedPath();
      if (target instanceof Element && target.closest(".agl-card") === this.element) this.key(event, target);
    };
    window.addEventListener("keydown", key, { signal: this.signal, capture: true });
    on("keydown", key); // where a host's closed shadow tree hides from the window what was meant
  }

  /** What has come onto the page, in a sentence or two. */
  tell() {
    const note = (this.card.blocks ?? []).find((block) => block.is === "note");
    const first = note ? led(note.lead) + note.text : "";
    this.live.textContent = announced(this.card.lang, this.card.title, this.card.subtitle, first);
  }

  /** Keys that mean something here do it and go no further; of the others those that a control keeps are the browser's,
   * the rest the notebook's. Escape leads back to the cell, Shift+Enter to the next one: to run this one again would
   * begin anew, and may call backward twice. */
  key(event, target) {
    const { key } = event;
    if (key === "Enter" && event.shiftKey && leave(this.element, true)) {
      event.preventDefault();
      return event.stopPropagation();
    }
    const sketch = this.sketches.find((one) => one.has(target));
    const group = target.closest("[data-item], [data-fold]");
    const press = target.matches("button, summary, a");
    if (target.matches("input[type=search], select")) {
      if (sketch?.typed(event) || (key === "Escape" && leave(this.element))) event.preventDefault();
      return event.stopPropagation();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (this.timeline?.key(event, target) || this.choices.some((choice) => choice.key(event, target))) {
      event.preventDefault();
      return event.stopPropagation();
    }
    if (press && (key === "Enter" || key === " ")) return event.stopPropagation();
    if (group && (key === "Enter" || key === " ")) this.open(sketch, group);
    else if (sketch?.svg.contains(target) && (sketch.key(event) || sketch.ends(key))) {
      // moved within the drawing
    } else if (key === "f" && this.turn) this.turn();
    else if (key === "Escape" && this.details?.querySelector("[data-close]")) this.close();
    else if (kept(key) && target !== this.element) return event.stopPropagation();
    else if (key !== "Escape" || !leave(this.element)) return undefined;
    event.preventDefault();
    return event.stopPropagation();
  }

  /** Widths have changed: drawings are sized, and what can be scrolled can be focused. */
  resize() {
    for (const sketch of this.sketches) sketch.resize(sketch.frame.clientWidth);
    for (const box of this.element.querySelectorAll(".agl-scroll")) {
      box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1 ? box.setAttribute("tabindex", "0") : box.removeAttribute("tabindex");
    }
    for (const view of this.inner) view.resize();
    this.timeline?.resize();
  }
}

/** The view of a card; `was` is the one that it takes the place of, `keep` what remembers answers. */
const made = (card, words, signal, was, keep, inside) =>
  (card.frames?.length ? new Stepper(card, words, signal, was instanceof Stepper ? was : null, keep) : new View(card, words, signal, was, keep, inside));

/** The card as Python packed it: JSON, deflated, in base64. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

async function render({ model, el }) {
  let [view, life, drawn, gone, arriving] = [null, null, 0, false, 0];
  const keep = {
    answers: model.get("_answers") ?? {},
    save(answers) {
      model.set("_answers", { ...answers });
      model.save_changes();
      tell();
    },
    /** Asks the kernel for something; whether there was one to ask. */
    ask(what) {
      try {
        model.send({ do: what });
        return true;
      } catch {
        return false;
      }
    },
  };
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
    view = made(card, WORDS[card.lang] ?? WORDS.en, life.signal, view, keep);
    const place = h("div", { class: "agl" }, view.element);
    const had = el.contains(el.getRootNode().activeElement) ? el.getRootNode().activeElement.dataset.do ?? "" : null;
    el.replaceChildren(place);
    if (had !== null) (place.querySelector(`[data-do="${had}"]`) ?? view.element).focus({ preventScroll: true });
    view.resize();
    watcher.observe(place);
  };
  // who keeps the notebook (labextension/cards.js) is told what to keep, and at which step to go on
  const tell = () => {
    const detail = { _card: model.get("_card"), _answers: model.get("_answers") ?? {} };
    el.dispatchEvent(new CustomEvent("autogradlab:state", { bubbles: true, detail }));
  };
  const changed = async () => {
    await draw();
    tell();
  };
  const go = ({ detail }) => view.show?.(detail, true);
  model.on("change:_card", changed);
  el.addEventListener("autogradlab:go", go);
  await draw();
  // said once to who does not see it: not when the card changes, nor when the page is loaded anew
  if (!model.get("_heard")) {
    arriving = setTimeout(() => {
      if (gone) return;
      if (view && !view.live.textContent) view.tell(); // who has gone on meanwhile hears that
      view && arrive(view.element);
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
