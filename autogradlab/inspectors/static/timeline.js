// A training to go through: its picture with a cursor, what one step is about, and the numbers of one gradient in it. All of
// it is in the card; the kernel is asked only for a backward that the card does not hold.

import { Sketch, fill, h, icon, plain, prose } from "./sketch.js";

class Timeline {
  /** `draw` makes the view of a card, `ask` asks the kernel for one, `tell` says a sentence to who does not see it. */
  constructor(block, words, signal, { draw, ask, tell }) {
    Object.assign(this, { block, draw, ask, tell, at: -1, chosen: null, opened: null });
    this.words = { ...words, ...Object.fromEntries(block.words) };
    const w = this.words;
    this.sketch = new Sketch(block.drawing, words, signal);
    this.sketch.svg.setAttribute("role", "img");
    this.range = h("input", { type: "range", class: "agl-range", min: 0, max: block.moments.length - 1, step: 1, "aria-label": w.scrub, title: w.keys });
    const button = (name, label, ...inside) => h("button", { type: "button", class: "agl-button", "data-time": name, title: label, "aria-label": label }, inside);
    this.marking = block.marks.length ? [button("p", w.back_mark, "‹ !"), button("n", w.next_mark, "! ›")] : [];
    this.bar = h("div", { class: "agl-tools agl-scrub", role: "group", "aria-label": w.scrub },
      button("back", w.back, icon("back")), button("step", w.next, icon("step")), this.range, this.marking);
    this.say = h("p", { class: "agl-moment" });
    this.events = h("ul", { class: "agl-noticed" });
    this.select = h("select", { class: "agl-pace", "aria-label": w.parameter }, block.names.map((name, k) => h("option", { value: k }, name)));
    this.sum = h("div", { class: "agl-sum" });
    this.opener = h("button", { type: "button", class: "agl-button", "data-time": "open", "data-do": "backward" });
    this.asked = h("p", { class: "agl-note agl-muted", role: "status" });
    this.place = h("div", { class: "agl-opened" });
    const side = h("div", { class: "agl-of-step" }, this.say, this.events, h("div", { class: "agl-of-one" }, h("div", { class: "agl-tools" }, this.select, this.opener), this.sum), this.asked);
    this.element = h("div", { class: "agl-timeline" }, this.bar, h("div", { class: "agl-two" }, this.sketch.element, side), this.place);
    this.cursor = this.sketch.entries.get("cursor").group;
    this.start = block.moments[block.at].x;
    this.listen(signal);
    this.show(block.at, true);
  }

  listen(signal) {
    const on = (target, kind, act) => target.addEventListener(kind, act, { signal });
    on(this.range, "input", () => this.show(Number(this.range.value)));
    on(this.select, "change", () => this.choose(Number(this.select.value)));
    on(this.element, "click", (event) => {
      const act = event.target.closest("[data-time]");
      if (act && !this.place.contains(act)) this.press(act.dataset.time);
    });
    const seek = (event) => {
      const row = event.target.closest("[data-item]")?.dataset.item ?? "";
      if (event.type === "pointerdown" && /^p\d/.test(row)) this.choose(Number(row.slice(1)));
      const { left, width } = this.sketch.svg.getBoundingClientRect();
      const x = ((event.clientX - left) / width) * this.sketch.drawing.width;
      const far = (moment) => Math.abs(moment.x - x);
      const { moments } = this.block;
      if (x > moments[0].x - 20) this.show(moments.reduce((best, moment, k) => (far(moment) < far(moments[best]) ? k : best), 0));
    };
    on(this.sketch.svg, "pointerdown", (event) => {
      this.sketch.svg.setPointerCapture(event.pointerId);
      seek(event);
    });
    on(this.sketch.svg, "pointermove", (event) => event.buttons && seek(event));
  }

  press(name) {
    if (name === "open") this.toggle();
    else this.show({ back: this.at - 1, step: this.at + 1, n: this.next(1), p: this.next(-1) }[name]);
  }

  /** The next moment, on or back, at which something is to be noticed; where there is none, this one. */
  next(way) {
    const marks = way > 0 ? this.block.marks : [...this.block.marks].reverse();
    return marks.find((mark) => (mark - this.at) * way > 0) ?? this.at;
  }

  /** A key on the card; whether it meant something. */
  key(event, target) {
    if (target.matches("select") || this.place.contains(target)) return false;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.block.moments.length - 1,
      PageUp: this.at - 10, PageDown: this.at + 10, n: this.next(1), p: this.next(-1) }[event.key];
    if (to === undefined) return false;
    this.show(to);
    return true;
  }

  show(at, quiet) {
    const { moments, marks } = this.block;
    const to = Math.max(0, Math.min(moments.length - 1, at));
    if (to === this.at) return;
    this.at = to;
    const moment = moments[to];
    this.cursor.setAttribute("transform", `translate(${Math.round((moment.x - this.start) * 100) / 100} 0)`);
    moment.sizes.forEach((size, k) => (this.sketch.slots.get(`r${k}`).text.textContent = size));
    this.range.value = to;
    this.range.setAttribute("aria-valuetext", plain(moment.sentence));
    this.say.replaceChildren(...prose(moment.sentence));
    this.events.replaceChildren(...moment.said.map((sentence) => h("li", {}, h("span", { "aria-hidden": "true" }, "! "), prose(sentence))));
    for (const button of this.marking) button.setAttribute("aria-disabled", String(this.next(button.dataset.time === "n" ? 1 : -1) === to));
    if (this.chosen === null || (marks.includes(to) && !quiet)) this.chosen = this.telling(moment);
    this.add();
    this.asked.textContent = "";
    this.offer();
    if (!quiet) this.tell([moment.sentence, ...moment.said].map(plain).join(" "));
  }

  /** The parameter whose numbers tell most: one that had something left over, else the one of most numbers. */
  telling(moment) {
    const known = moment.sums.map((sum, k) => [k, sum]).filter(([, sum]) => sum);
    const [first] = known.find(([, sum]) => sum.left.flat().some((number) => Number(number) !== 0)) ?? [];
    return first ?? known.reduce((best, [k, sum]) => (best === null || sum.added.length > moment.sums[best].added.length ? k : best), null) ?? 0;
  }

  choose(number) {
    this.chosen = number;
    this.add();
  }

  /** Left over + added = now, in the first numbers of the chosen gradient. */
  add() {
    const { words } = this;
    const moment = this.block.moments[this.at];
    this.select.value = String(this.chosen ?? 0);
    this.block.names.forEach((_, k) => this.sketch.entries.get(`p${k}`).group.toggleAttribute("data-chosen", k === this.chosen));
    const sum = moment.sums[this.chosen ?? 0];
    const [name, shape] = this.block.names[this.chosen ?? 0].split(/ (?=\([^(]*$)/);
    const size = moment.sizes[this.chosen ?? 0];
    if (!sum) {
      this.sum.replaceChildren(h("p", { class: "agl-note agl-muted" }, size === "None" ? fill(words.no_gradient, { name }) : words.not_kept));
      return;
    }
    const table = (caption, rows) => h("div", { class: "agl-grid agl-gradient" }, h("div", { class: "agl-caption" }, prose(caption)),
      rows.length ? h("div", { class: "agl-scroll" }, h("table", {}, h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell))))))) : h("code", {}, words.was_none));
    const behind = (sign, ...made) => h("div", { class: "agl-sum-part" }, h("span", { class: "agl-sign" }, sign), made);
    const up = h("span", { class: `agl-badge agl-${sum.up && !sum.odd ? "good" : "warning"}` }, sum.odd ? words.not_finite : sum.up ? words.adds_up : words.differs);
    this.sum.replaceChildren(table(words.short_left, sum.left), behind("+", table(words.short_added, sum.added)), behind(sum.up ? "=" : "≠", table(words.short_now, sum.now.length ? sum.now : sum.added)),
      h("p", { class: "agl-more" }, h("span", { class: "agl-shape", "data-shape": shape }), " ", up));
    this.beside();
  }

  /** The three stand side by side, with three or two columns each where more have no room; else below each other. Whether
   * all numbers are seen is said. */
  beside() {
    const grids = [...this.sum.querySelectorAll(".agl-grid")];
    const apart = () => grids.length && grids.at(-1).getBoundingClientRect().top > grids[0].getBoundingClientRect().bottom - 4;
    this.sum.removeAttribute("data-columns");
    for (const few of [3, 2]) if (apart()) this.sum.dataset.columns = few;
    if (apart()) this.sum.removeAttribute("data-columns");
    const said = this.sum.querySelector(".agl-shape"); // cards that were saved earlier have but one way of saying it
    if (!said) return;
    const all = (said.dataset.shape.match(/\d+/g) ?? []).reduce((product, length) => product * Number(length), 1);
    const cells = [...grids[1].querySelectorAll("td")].filter((cell) => getComputedStyle(cell).display !== "none");
    said.textContent = fill(cells.length < all ? this.words.parts : this.words.whole ?? this.words.parts, { shape: said.dataset.shape });
  }

  // -- the backward of a step --------------------------------------------------------------------------------------------

  /** The moment whose backward is nearest to this one. */
  nearest() {
    const far = (k) => Math.abs(k - this.at);
    return this.block.known.reduce((best, k) => (best === null || far(k) < far(best) ? k : best), null);
  }

  offer() {
    const near = this.nearest();
    this.opener.hidden = near === null;
    if (near === null) return;
    const { step } = this.block.moments[near];
    const shut = this.opened && this.opened.step === step;
    this.opener.textContent = fill(shut ? this.words.shut : near === this.at ? this.words.open : this.words.near, { step });
    this.opener.setAttribute("aria-expanded", String(Boolean(shut)));
  }

  toggle() {
    const near = this.nearest();
    const { step } = this.block.moments[near];
    if (this.opened?.step === step) this.shut();
    else {
      const held = this.block.backwards.find(([k]) => k === near);
      if (held) {
        this.shut();
        this.opened = { step, view: this.draw(held[1]) };
        this.place.replaceChildren(this.opened.view.element);
        this.opened.view.resize();
        this.opened.view.element.scrollIntoView?.({ block: "nearest" });
      } else if (this.ask(`backward ${step}`)) this.wanted = step;
      else this.asked.replaceChildren(...prose(fill(this.words.asks, { step })));
    }
    this.offer();
  }

  shut() {
    this.opened?.view.stop();
    this.opened = null;
    this.place.replaceChildren();
  }

  /** Goes on where the view that this one takes the place of stood; a backward that was asked for is opened. */
  after(was) {
    const at = this.block.moments.findIndex((moment) => moment.step === was.block.moments[was.at].step);
    this.chosen = was.chosen;
    this.show(at < 0 ? this.at : at, true);
    const wanted = was.opened?.step ?? was.wanted;
    if (wanted !== undefined && this.block.backwards.some(([k]) => this.block.moments[k].step === wanted)) {
      const here = this.at;
      this.at = this.block.moments.findIndex((moment) => moment.step === wanted);
      this.toggle();
      this.at = here;
      this.offer();
    }
  }

  resize() {
    this.beside();
    this.opened?.view.resize();
  }

  stop() {
    this.opened?.view.stop();
  }
}

export { Timeline };
