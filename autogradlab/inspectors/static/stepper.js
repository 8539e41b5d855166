// Steps through the frames of a card without asking the kernel: controls, one sentence, then the picture: the learner's lines
// or the graph. What has not run yet is not to be read anywhere. Before a step the learner may be asked what it will bring.

import { Sketch, announced, blocks, fill, h, icon, kept, kindle, leave, plain, prose } from "./sketch.js";
import { Lines, goto } from "./lines.js";
import { copy, copying } from "./copy.js";
import { goal, nan, product } from "./matrix.js";

const TALL = 268; // pixels of the graph's window where it cannot be seen whole
const LIST = 202; // pixels of the code where the numbers stand below it
const WIDE = 860; // pixels from which on the numbers stand beside the picture
const STAGE = 330; // pixels that picture and numbers may take, so that the card is as high as a projector's page at most
const HIGHER = [454, 530, 560]; // the same on a narrow page, or on one that is high enough: what is enough
const NUMBERS = 116; // pixels of the numbers below a graph
const AROUND = 16; // pixels around the graph's window
const REST = 1400; // milliseconds between two steps at speed 1

class Stepper {
  constructor(card, words, signal, was, keep) {
    Object.assign(this, { card, words, signal, frames: card.frames, at: -1, speed: was?.speed ?? 1, keep });
    this.answers = was?.answers ?? keep?.answers ?? {};
    this.predicting = was?.predicting ?? Boolean(card.predict);
    const program = card.blocks.find((block) => block.is === "program");
    const drawings = card.blocks.filter((block) => block.is === "drawing"); // the whole graph, then folded, if it is large
    this.lines = program ? new Lines(program, words) : null;
    this.sketches = drawings.map((drawing) => new Sketch(drawing, words, signal));
    const longest = new Map(); // how many letters frames write into each slot
    for (const [slot, text] of this.frames.flatMap((frame) => frame.texts ?? [])) longest.set(slot, Math.max(longest.get(slot) ?? 0, text.length));
    for (const sketch of this.sketches) sketch.longest = longest;
    this.whole = was?.whole ?? drawings.length < 2;
    // a second drawing in which nothing is folded stands for the whole one where that has no room
    this.spare = drawings.length > 1 && !drawings[1].items.some(({ id }) => /^k\d/.test(id));
    this.wanted = was?.wanted ?? false; // the learner has chosen one of the two
    this.looks = was?.looks ?? (program && program.complete !== false ? "code" : "graph");
    this.say = h("p", { class: "agl-say" });
    this.question = h("form", { class: "agl-ask", hidden: true });
    this.worked = h("div", { class: "agl-worked" });
    this.details = h("div", { class: "agl-details", role: "group", "aria-label": words.details, hidden: true });
    for (const sketch of this.sketches) this.place(sketch);
    this.graph = h("div", { class: "agl-graph" }, this.sketches.map((sketch) => sketch.element));
    this.unfolding = drawings.length > 1 ? this.sketches.map((sketch) => {
      const button = h("button", { type: "button", class: "agl-button", "data-do": "whole" });
      sketch.bar.prepend(button);
      return button;
    }) : [];
    const numbers = this.lines || this.frames.some((frame) => frame.worked?.length || frame.panel?.length) || drawings.some((one) => one.items.some((item) => item.details?.length));
    const broad = (card.frames ?? []).some(({ worked = [] }) => worked.some(({ operands, out }) => operands?.length > 1 && out.rows[0]?.length > 4));
    this.numbers = broad ? 42 : 38; // percent of a wide card beside code: two matrices of six columns stand side by side
    this.stage = h("div", { class: "agl-stage", "data-alone": numbers ? null : "" }, this.lines?.element, this.graph, h("div", { class: "agl-beside" }, this.worked, this.details));
    this.live = h("p", { class: "agl-live", role: "status", "aria-live": "polite" });
    this.element = h("div", { class: "agl-card agl-step", role: "group", "data-kind": card.kind, lang: card.lang ?? "en", "aria-label": plain(card.title), tabindex: -1 },
      this.controls(), h("div", { class: "agl-talk" }, this.say, this.question), this.stage, this.foot(), this.live);
    this.inner = [];
    this.plan();
    this.listen();
    this.look(this.looks, true);
    // who stood at the end of a pass that is still going on stands at its new end
    const on = was && was.at === was.frames.length - 1 && was.frames.length < this.frames.length;
    this.show(on && was.asked_for !== "next" ? this.frames.length - 1 : Math.min((was?.at ?? 0) + (on ? 1 : 0), this.frames.length - 1), !on);
    if (was?.timer && this.frames.length > this.at + 1) this.start();
  }

  controls() {
    const { words } = this;
    const button = (name, label, ...inside) => h("button", { type: "button", class: `agl-button agl-do-${name}`, "data-do": name, title: label, "aria-label": label }, inside);
    this.play = button("play", words.play, icon("play"));
    this.range = h("input", { type: "range", class: "agl-range", min: 0, max: this.frames.length - 1, step: 1, "aria-label": words.scrub });
    this.where = h("span", { class: "agl-where" });
    const sides = this.lines && this.sketches.length ? h("span", { class: "agl-sides", role: "group", "aria-label": words.picture },
      [["code", words.code, words.show_code], ["graph", words.graph, words.show_graph]].map(([name, label, title]) =>
        h("button", { type: "button", class: "agl-button", "data-look-at": name, "aria-pressed": "false", title }, label))) : null;
    this.asking = h("button", { type: "button", class: "agl-button", role: "switch", "aria-checked": "false", "data-do": "predict", title: words.predict_help }, words.predict);
    this.pace = h("select", { class: "agl-pace", "aria-label": words.speed, title: words.speed },
      [0.5, 1, 2, 4].map((speed) => h("option", { value: speed, selected: speed === this.speed }, `${speed}×`)));
    return h("div", { class: "agl-bar agl-controls", role: "group", "aria-label": words.controls },
      button("back", words.back, icon("back")), button("step", words.next, words.step, icon("step")), button("last", this.card.live ? `${words.last} · ${words.run_rest}` : words.last, icon("last")), this.play,
      this.range, this.where, sides, this.card.live || this.frames.some((frame) => frame.asks?.length) ? this.asking : null);
  }

  /** What is not needed at each step: whose backward this is, what it leaves unchanged, the sentences so far, keys. */
  foot() {
    const { words, card } = this;
    const notes = card.blocks.filter((block) => block.is !== "drawing" && block.is !== "program");
    this.story = h("ol", { class: "agl-story", start: 0 });
    const badges = (card.badges ?? []).map((badge) => h("span", { class: `agl-badge agl-${badge.tone ?? "plain"}` }, badge.text));
    const more = h("details", { class: "agl-more-of" }, h("summary", {}, words.more), h("div", { class: "agl-more-in" }, ...blocks(notes),
      h("p", { class: "agl-keys" }, words.keys_help), h("div", { class: "agl-foot-line" }, h("label", { class: "agl-speed" }, words.speed, " ", this.pace), copying(this, words)),
      h("div", { class: "agl-heading" }, words.happened), this.story));
    const inner = (card.cards ?? []).map((one) => h("details", {}, h("summary", {}, plain(one.title)), h("div", { class: "agl-second" }, this.second(one))));
    return h("div", { class: "agl-foot" }, h("div", { class: "agl-foot-line" }, h("span", { class: "agl-title" }, prose(card.title)), badges), this.sketches.map((sketch) => sketch.bar), more, inner);
  }

  /** A search in the graph finds Nodes by their lines, turns and Modules too. */
  place(sketch) {
    const inside = new Map((sketch.drawing.groups ?? []).map(({ at, items }) => [at, items]));
    for (const [id, entry] of sketch.entries) {
      const rows = (inside.get(id) ?? [id]).flatMap((node) => this.lines?.rows.get(this.lines.marks.get(node)?.row) ?? []);
      entry.find += [...new Set(rows)].map((row) => ` ${this.lines.sought(row)}`).join("");
    }
  }

  /** The drawing that is seen, if one is. */
  seen() {
    return this.looks === "graph" ? this.sketches[this.whole ? 0 : this.sketches.length - 1] : null;
  }

  second(card) {
    return blocks(card.blocks, (drawing) => {
      const sketch = new Sketch(drawing, this.words, this.signal);
      (this.others ??= []).push(sketch);
      return sketch.element;
    });
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

  /** Which picture is shown: "code" or "graph". */
  look(what, quiet) {
    this.looks = this.lines && what === "code" ? "code" : "graph";
    if (this.lines) this.lines.element.hidden = this.looks !== "code";
    this.graph.hidden = this.looks !== "graph";
    this.reveal();
    for (const button of this.element.querySelectorAll("[data-look-at]")) button.setAttribute("aria-pressed", String(button.dataset.lookAt === this.looks));
    if (quiet) return;
    this.paint(null);
    this.resize();
    this.speak();
    this.lines?.scroll();
  }

  /** Of two drawings the one that is wanted. */
  reveal() {
    for (const sketch of this.sketches) {
      sketch.element.hidden = this.sketches.length > 1 && this.whole !== (sketch === this.sketches[0]);
      if (sketch.bar) sketch.bar.hidden = sketch !== this.seen();
    }
    const { words } = this;
    const [less, more] = this.spare ? [words.bare_graph, words.full_graph] : [words.fold_graph, words.unfold_graph];
    for (const button of this.unfolding) button.textContent = this.whole ? less : more;
  }

  /** What the frame says, in the words of the picture. */
  sentence(frame = this.frames[this.at]) {
    return (this.looks === "code" && frame.said) || frame.sentence;
  }

  show(at, quiet) {
    const to = Math.max(0, Math.min(this.frames.length - 1, at));
    this.ask(null);
    if (to === this.at) return;
    const on = to > this.at && this.at >= 0;
    const [states, texts, grids] = on ? [this.states, this.texts, this.grids].map((held) => new Map(held)) : [new Map(this.idle), new Map(), new Map()];
    const passed = this.frames.slice(on ? this.at + 1 : 0, to + 1); // a jump passes several
    for (const frame of passed) {
      for (const [id, state] of frame.states ?? []) states.set(id, state);
      for (const [slot, text] of frame.texts ?? []) texts.set(slot, text);
      for (const [row, grid] of frame.grids ?? []) grids.set(row, grid);
    }
    Object.assign(this, { at: to, states, texts, grids });
    const frame = this.frames[to];
    const active = [...states].filter(([, state]) => state === "active" || state === "failed").map(([id]) => id);
    this.active = active;
    const touched = passed.flatMap(({ states: s = [], texts: t = [], grids: g = [] }) => [...s, ...t, ...g].map(([id]) => id));
    this.paint(on ? new Set(touched) : null, !quiet);
    this.scrolling ??= requestAnimationFrame(() => {
      this.scrolling = undefined;
      this.lines?.scroll();
    });
    this.work(frame);
    this.spread();
    this.speak();
    const where = fill(this.card.live ? this.words.step_so_far : this.words.step_title, { step: to, last: this.frames.length - 1 });
    this.element.dataset.at = to;
    this.element.dataset.tone = frame.tone ?? "plain";
    this.element.toggleAttribute("data-ill", this.frames.slice(0, to + 1).some(({ tone }) => tone === "warning"));
    this.where.textContent = `${to} / ${this.frames.length - 1}${this.card.live ? " …" : ""}`;
    this.range.value = to;
    this.range.setAttribute("aria-valuetext", announced(this.card.lang, where, frame.heading || frame.sentence));
    for (const button of this.element.querySelectorAll(".agl-controls [data-do]")) {
      const over = to === this.frames.length - 1 && !this.card.live;
      const end = { back: to === 0, step: over, last: over }[button.dataset.do];
      if (end !== undefined) button.setAttribute("aria-disabled", String(end));
    }
    if (!quiet) this.live.textContent = announced(this.card.lang, where, this.sentence());
    if (to === this.frames.length - 1 && !this.card.live) this.stop();
    this.element.dispatchEvent(new CustomEvent("autogradlab:at", { bubbles: true, detail: to }));
  }

  /** The picture that is seen; `changed` are the ids that a step on has changed, null for all. */
  paint(changed, moves) {
    if (this.looks === "code") this.lines.apply(this.states, this.texts, this.grids, this.active, this.fresh === "code" ? changed : null);
    else {
      const sketch = this.seen();
      sketch?.apply(this.states, this.texts, this.active, moves, this.fresh === sketch ? changed : null);
      this.fresh = sketch;
      return;
    }
    this.fresh = "code";
  }

  speak() {
    const frame = this.frames[this.at];
    this.say.replaceChildren(...prose(this.sentence(frame)), ...this.verdicts());
    this.say.className = `agl-say agl-${frame.tone ?? "plain"}`;
    if (this.story.closest("details").open) this.tell_story();
  }

  tell_story() {
    this.story.replaceChildren(...this.frames.slice(0, this.at + 1).map((frame, k) =>
      h("li", {}, h("button", { type: "button", class: "agl-event", "data-frame": k }, prose(this.sentence(frame))))));
  }

  /** The gradients of this step in numbers: one is shown, the others are a click away. */
  work(frame) {
    const all = frame.worked ?? [];
    this.close();
    const pick = (k) => {
      const tabs = all.length < 2 ? [] : all.map((one, i) => h("button", { type: "button", class: "agl-button", title: goal(one, this.words), "data-edge": i, "aria-pressed": String(i === k) }, goal(one, this.words)));
      this.worked.replaceChildren(...(all.length ? [h("div", { class: "agl-heading" }, tabs.length ? tabs : goal(all[k], this.words)), product(all[k], this.words), this.formula(all[k])] : []).filter(Boolean));
      this.edge = k;
      this.fit();
    };
    this.pick = pick;
    if (!all.length && frame.panel?.length) return this.worked.replaceChildren(...blocks(frame.panel));
    if (!all.length && frame.grids?.length) {
      const [row, grid] = frame.grids.at(-1);
      const name = this.lines?.rows.get(row)?.name || this.lines?.rows.get(row)?.text || "";
      return this.worked.replaceChildren(h("div", { class: "agl-heading" }, name), product({ to: "", formula: "", how: "", operands: [], signs: [], out: grid }, this.words));
    }
    return pick(Math.max(0, frame.tone === "warning" ? all.findIndex((one) => nan(one.out)) : 0));
  }

  /** Where the rule of an edge comes from: the formula in the op table, as it is written there. */
  formula(edge) {
    const found = this.card.formulas?.[edge.source - 1];
    if (!found) return null;
    const opened = h("details", { class: "agl-source" }, h("summary", {}, this.words.read_formula),
      h("p", { class: "agl-place" }, found.file), h("pre", { class: "agl-scroll" }, h("code", {}, found.code)));
    opened.open = Boolean(this.reading); // who reads formulas reads the next one too
    opened.addEventListener("toggle", () => (this.reading = opened.open), { signal: this.signal });
    return opened;
  }

  // -- questions -----------------------------------------------------------------------------------------------------

  /** Goes on by one; where the learner wants to be asked, a question comes first. */
  next() {
    if (this.at === this.frames.length - 1) return this.go_on("next");
    const asks = this.frames[this.at + 1]?.asks ?? [];
    const open = this.predicting && !this.answers[this.at + 1] && asks.length;
    return open ? this.ask(0) : this.show(this.at + 1);
  }

  /** At the last frame of a pass that pauses: lets the kernel run one Node, or all that are left. */
  go_on(what) {
    if (!this.card.live || this.asked_for) return; // the answer is a new card, and a new stepper
    this.asked_for = what;
    if (this.keep?.ask(what)) return;
    this.stop();
    this.say.replaceChildren(this.words.no_kernel);
    this.live.textContent = this.words.no_kernel;
  }

  /** Shows question number k of the next frame; null takes it away. */
  ask(k) {
    this.asked = k;
    if (k === null) this.pending = null;
    const ask = k === null ? null : this.frames[this.at + 1]?.asks?.[k];
    this.question.hidden = !ask;
    this.element.toggleAttribute("data-asks", Boolean(ask));
    if (!ask) return;
    const { words } = this;
    const before = k > 0 ? `${fill(words.it_was, { what: this.frames[this.at + 1].asks[k - 1].shown })} ` : "";
    const parts = [h("span", { class: "agl-question" }, before, ...prose(ask.text))];
    if (ask.choices) parts.push(...(ask.start ? [h("span", { class: "agl-start" }, ask.start)] : []),
      ...ask.choices.map(([text, right]) => h("button", { type: "button", class: "agl-button agl-choice", "data-answer": text, "data-right": right ? "yes" : "no" }, h("code", {}, text))));
    if (ask.kind !== "next") {
      this.box = h("input", { class: "agl-typed", type: "text", inputmode: "text", size: 9, "aria-label": plain(ask.text), placeholder: words.type_it, autocomplete: "off" });
      parts.push(this.box, h("button", { type: "submit", class: "agl-button" }, words.answer));
    }
    parts.push(h("button", { type: "button", class: "agl-button agl-skip", "data-do": "skip" }, words.skip));
    this.question.replaceChildren(...parts);
    this.live.textContent = plain(ask.text);
    if (ask.kind !== "next") this.box.focus({ preventScroll: true });
  }

  /** An answer, judged by what the engine did; then the next question, or the step itself. */
  answer(given, right) {
    const [k, to] = [this.asked, this.at + 1];
    const asks = this.frames[to].asks;
    if (given !== null) (this.pending ??= []).push({ kind: asks[k].kind, text: asks[k].text, given, right, shown: asks[k].shown });
    if (k + 1 < asks.length && given !== null) return this.ask(k + 1);
    this.answers[to] = this.pending ?? [];
    this.keep?.save(this.answers);
    this.show(to);
    const told = this.answers[to].map((one) => (one.right ? this.words.right : fill(this.words.wrong, { shown: one.shown }))).join(" ");
    if (told) this.live.textContent = `${told} ${this.live.textContent}`;
    return this.element.querySelector(".agl-do-step").focus({ preventScroll: true });
  }

  typed() {
    const ask = this.frames[this.at + 1].asks[this.asked];
    const given = this.box.value.trim();
    if (!given) return this.answer(null);
    const numbers = given.replace(/[[\]()]/g, " ").split(/[\s,;，]+/).filter(Boolean).map(Number);
    const close = (one, other) => Math.abs(one - other) <= 1e-3 * Math.max(1, Math.abs(other)) || (Number.isNaN(one) && Number.isNaN(other));
    const wanted = ask.answers.map(Number);
    return this.answer(given, numbers.length === wanted.length && numbers.every((one, i) => close(one, wanted[i])));
  }

  /** What was answered before this frame. */
  verdicts() {
    const all = this.answers[this.at] ?? [];
    const score = Object.values(this.answers).flat();
    this.asking.textContent = score.length ? `${this.words.predict} ${score.filter((one) => one.right).length}/${score.length}` : this.words.predict;
    this.asking.setAttribute("aria-checked", String(this.predicting));
    return all.map((one) => h("span", { class: `agl-verdict agl-${one.right ? "good" : "warning"}` },
      one.right ? `✓ ${one.kind === "next" ? "" : one.given}` : `✗ ${one.kind === "next" ? "" : `${one.given} · `}${fill(this.words.wrong, { shown: one.shown })}`));
  }

  // -- time ----------------------------------------------------------------------------------------------------------

  start() {
    const last = this.frames.length - 1;
    if (this.at === last && !this.card.live) this.show(0);
    this.timer = setInterval(() => (this.at < last ? this.show(this.at + 1) : this.go_on("next")), REST / this.speed);
    this.playing();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing();
  }

  playing() {
    const label = this.timer ? this.words.pause : this.words.play;
    this.play.replaceChildren(icon(this.timer ? "pause" : "play"));
    this.play.title = label;
    this.play.setAttribute("aria-label", label);
  }

  act(what) {
    if (what !== "play") this.stop();
    if (what === "play") this.timer ? this.stop() : this.start();
    else if (what === "step") this.asked === null || this.asked === undefined ? this.next() : this.answer(null);
    else if (what === "skip") this.answer(null);
    else if (what === "predict") {
      this.predicting = !this.predicting;
      if (!this.predicting) this.ask(null);
      this.speak();
    } else if (what === "whole") {
      this.whole = !this.whole;
      this.wanted = true;
      this.look("graph");
    } else if (what === "last" && this.at === this.frames.length - 1) this.go_on("run");
    else this.show({ first: 0, back: this.at - 1, last: this.frames.length - 1 }[what]);
  }

  // -- items ---------------------------------------------------------------------------------------------------------

  /** A row or shape was chosen: it answers a question, or leads to where it runs next. */
  choose(id, also = []) {
    if (this.asked !== null && this.frames[this.at + 1]?.asks?.[this.asked]?.kind === "next") {
      const ask = this.frames[this.at + 1].asks[this.asked];
      return this.answer(id, [id, ...also].some((one) => ask.answers.includes(one)));
    }
    const turns = this.turns.get(id);
    if (!turns) return undefined;
    const past = turns.filter((k) => k <= this.at);
    this.stop();
    if (this.predicting) return past.length ? this.show(past.at(-1)) : undefined;
    return this.show(turns.find((k) => k > this.at) ?? turns[0]);
  }

  open(sketch, group) {
    if (group.dataset.fold !== undefined) return sketch.toggle(Number(group.dataset.fold));
    const entry = sketch.entries.get(group.dataset.item);
    const asks = this.asked !== null;
    this.choose(entry.item.id);
    if (!entry.opens || asks) return undefined;
    this.close();
    sketch.opened = entry;
    entry.group.setAttribute("aria-pressed", "true");
    sketch.rove(entry);
    const close = h("button", { type: "button", class: "agl-button", "data-close": true, "aria-label": this.words.close, title: this.words.close }, "×");
    const heading = h("div", { class: "agl-heading" }, h("span", {}, plain(entry.item.label || entry.item.id)));
    this.details.replaceChildren(heading, ...blocks(entry.item.details));
    this.details.hidden = false;
    this.live.textContent = `${this.words.details}: ${this.details.innerText ?? this.details.textContent}`;
    return heading.append(close); // its sign is no word to be said
  }

  close() {
    for (const sketch of this.sketches) {
      if (!sketch.opened) continue;
      sketch.opened.group.removeAttribute("aria-pressed");
      if (this.details.contains(document.activeElement)) sketch.focus(sketch.opened);
      sketch.opened = null;
    }
    this.details.hidden = true;
    this.details.replaceChildren();
  }

  /** The numbers of a picture, beside it while it is pointed at or has the focus. */
  peek(tensor) {
    if (this.tip?.of === tensor) return;
    this.tip?.remove();
    this.tip = null;
    if (!tensor) return;
    const rows = tensor.grid.rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell))));
    this.tip = h("div", { class: "agl-tip", "aria-hidden": "true" }, h("table", {}, h("tbody", {}, rows)));
    this.tip.of = tensor;
    this.element.append(this.tip);
    const [card, box] = [this.element.getBoundingClientRect(), tensor.getBoundingClientRect()];
    const room = this.element.clientWidth - this.tip.offsetWidth - 8;
    this.tip.style.left = `${Math.max(4, Math.min(box.left - card.left, room))}px`;
    const below = box.bottom - card.top + 4;
    const up = below + this.tip.offsetHeight > this.element.clientHeight && box.top - card.top > this.tip.offsetHeight;
    this.tip.style.top = `${up ? box.top - card.top - this.tip.offsetHeight - 4 : below}px`;
  }

  /** One listener of a kind for the whole card. */
  listen() {
    const on = (kind, act) => this.element.addEventListener(kind, act, { signal: this.signal });
    for (const way of ["click", "focusin"]) on(way, (event) => kindle(event.target));
    on("click", (event) => {
      const find = (what) => event.target.closest(what);
      const group = find("[data-item], [data-fold]");
      const sketch = group && this.sketches.find((one) => one.svg.contains(group));
      if (find("[data-answer]")) this.answer(find("[data-answer]").dataset.answer, find("[data-answer]").dataset.right === "yes");
      else if (find("[data-do]")) this.act(find("[data-do]").dataset.do);
      else if (find("[data-look-at]")) this.look(find("[data-look-at]").dataset.lookAt);
      else if (find("[data-edge]")) this.pick(Number(find("[data-edge]").dataset.edge)), this.worked.querySelector("[aria-pressed=true]")?.focus({ preventScroll: true });
      else if (find("[data-frame]")) this.stop(), this.show(Number(find("[data-frame]").dataset.frame));
      else if (find("[data-unfold]")) this.lines.toggle(find("[data-unfold]").dataset.unfold);
      else if (find("[data-line]")) goto(this.element, find("[data-line]").dataset.cell, Number(find("[data-line]").dataset.line)) || (this.live.textContent = this.words.no_line);
      else if (find("[data-close]")) this.close();
      else if (find("[data-copy]")) copy(this, find("[data-copy]").dataset.copy);
      else if (find("[data-row]")) this.lines.rove(this.lines.rows.get(find("[data-row]").dataset.row)), this.choose(find("[data-row]").dataset.row);
      else if (sketch && !sketch.dragged) this.open(sketch, group);
    });
    on("submit", (event) => {
      event.preventDefault();
      this.typed();
    });
    on("input", (event) => {
      if (event.target === this.range) this.stop(), this.show(Number(this.range.value));
      else if (event.target === this.lines?.box) this.lines.search(this.lines.box.value);
    });
    on("change", (event) => {
      if (event.target !== this.pace) return;
      this.speed = Number(this.pace.value);
      if (this.timer) this.stop(), this.start();
    });
    this.story.closest("details").addEventListener("toggle", () => this.tell_story(), { signal: this.signal });
    // what is opened below the stage is no limit's: a sign of it on the card costs less than a style that looks for it
    const opened = () => this.element.toggleAttribute("data-opened", Boolean(this.element.querySelector(":scope > .agl-foot details[open]")));
    this.element.addEventListener("toggle", opened, { signal: this.signal, capture: true });
    const focused = () => this.element.getRootNode().activeElement?.closest(".agl-tensor");
    on("focusin", (event) => this.peek(event.target.closest(".agl-tensor")));
    on("pointerover", (event) => this.peek(event.target.closest(".agl-tensor") ?? focused()));
    on("pointerleave", () => this.peek(focused()));
    on("focusout", () => this.peek(null));
    // Notebook 7 takes keys on their way down, before they reach the card: so the card takes them at the window.
    const key = (event) => {
      const [target] = event.composedPath();
      if (target instanceof Element && target.closest(".agl-card") === this.element) this.key(event, target);
    };
    window.addEventListener("keydown", key, { signal: this.signal, capture: true });
    on("focusin", (event) => {
      if (!this.element.contains(event.relatedTarget) && event.target.matches(":focus-visible")) this.come();
    });
    on("keydown", key); // where a host's closed shadow tree hides from the window what was meant
  }

  /** Whoever comes by Tab sees all of the card. */
  come() {
    requestAnimationFrame(() => {
      const room = this.element.closest(".jp-WindowedPanel-outer")?.clientHeight ?? window.innerHeight;
      if (this.element.offsetHeight <= room) this.element.scrollIntoView({ block: "nearest" });
    });
  }

  /** What has come onto the page, in a sentence or two. */
  tell() {
    this.live.textContent = announced(this.card.lang, this.card.title, this.sentence());
  }

  /** Keys that mean something here do it and go no further; of the others those that a control keeps are the browser's,
   * the rest the notebook's. Escape leads back to the cell, Shift+Enter to the next one: to run this one again would
   * begin anew, and may call backward twice. */
  key(event, target) {
    const { key } = event;
    const done = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (key === "Enter" && event.shiftKey && leave(this.element, true)) return done();
    const sketch = [...this.sketches, ...(this.others ?? [])].find((one) => one.has(target));
    const group = target.closest("[data-item], [data-fold]");
    const press = target.matches("button, summary, a");
    if (target.matches(".agl-typed")) {
      if (key === "Escape") this.answer(null), done();
      return event.stopPropagation();
    }
    const steps = { ArrowLeft: "back", ArrowRight: "step", Home: "first", End: "last", " ": "play" };
    if (target === this.range) Object.assign(steps, { ArrowDown: "back", ArrowUp: "step" });
    if (target.matches("input[type=search], select")) {
      const found = target === this.lines?.box ? this.lines : sketch;
      if (found?.typed(event) || (key === "Escape" && leave(this.element))) event.preventDefault();
      return event.stopPropagation();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (press && (key === "Enter" || key === " ")) return event.stopPropagation();
    if (target.closest(".agl-matrix")?.walk?.(event)) return done();
    if (group && (key === "Enter" || key === " ") && this.sketches.includes(sketch)) this.open(sketch, group);
    else if (target.matches("[data-row]") && key === "Enter") this.choose(target.dataset.row);
    else if (target.matches("[data-row]") && (key === "ArrowUp" || key === "ArrowDown") && this.lines.move(key === "ArrowUp" ? -1 : 1)) this.stop();
    else if (sketch?.svg.contains(target) && sketch.key(event)) this.stop();
    else if (key === "Escape" && this.asked !== null && this.asked !== undefined) this.answer(null);
    else if (key === "Escape" && !this.details.hidden) this.close();
    else if (key === "g" && this.lines && this.sketches.length) this.look(this.looks === "code" ? "graph" : "code");
    else if (key === "p") this.act("predict");
    else if (key === "f" && this.unfolding.length && this.looks === "graph") this.act("whole");
    else if (steps[key]) this.act(steps[key]);
    else if (kept(key) && target !== this.element) return event.stopPropagation();
    else if (key !== "Escape" || !leave(this.element)) return undefined;
    return done();
  }

  /** Where a graph may stand, the best place first: beside its numbers, beside fewer of them, or above them; as high as a
   * projector's page if that is enough, else as high as this page has room for. */
  places(wide) {
    const room = wide - AROUND;
    const numbers = this.stage.hasAttribute("data-alone") ? 0 : NUMBERS;
    const below = (stage) => ({ room, tall: stage - AROUND - numbers, stage, below: true });
    if (wide < WIDE) return HIGHER.map(below);
    const beside = (stage) => (numbers ? [38, 30] : []).map((part) => ({ room: wide * (1 - part / 100) - AROUND, tall: stage - AROUND, stage, numbers: part }));
    const page = this.element.closest(".jp-WindowedPanel-outer")?.clientHeight ?? window.innerHeight;
    const most = page - (this.element.offsetHeight - this.stage.offsetHeight);
    return [STAGE, ...HIGHER.filter((stage) => stage <= most)].flatMap((stage) => [...beside(stage), below(stage)]);
  }

  /** The whole graph where there is a place for all of it, else the drawing that stands for it. */
  roomy(wide) {
    const whole = this.places(wide).some(({ room, tall }) => this.sketches[0].fits(room, tall));
    if (whole === this.whole) return;
    this.whole = whole;
    this.reveal();
    this.paint(null);
  }

  /** Where numbers have no room, what they are made of becomes pictures; the result and the chosen element stay numbers,
   *  of a large result the first and the last of each row and column. */
  fit() {
    const product = this.worked.querySelector(".agl-product");
    const over = (box) => box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
    if (!product) return;
    const ways = ["data-small", "data-corners", "data-fewer"];
    for (const less of ways) product.removeAttribute(less);
    for (const less of ways) {
      if (this.worked.isConnected && (over(this.worked.parentElement) || over(product.querySelector(".agl-scroll")))) product.setAttribute(less, "");
    }
  }

  /** At the end, and where nothing is worked out, long code has the room of the numbers below it. */
  spread() {
    const over = this.at === this.frames.length - 1 && !this.card.live;
    const rows = this.looks === "code" && (over || !this.worked.childElementCount) ? this.lines.element.scrollHeight : 0;
    this.stage.toggleAttribute("data-roomy", rows > LIST);
  }

  /** Widths have changed: drawings are sized, and what can be scrolled can be focused. */
  resize() {
    const wide = this.element.clientWidth;
    if (this.spare && !this.wanted && this.seen()) this.roomy(wide);
    const place = this.seen() ? this.places(wide).find(({ room, tall }) => this.seen().fits(room, tall)) : null;
    for (const one of [this.stage, this.element]) one.toggleAttribute("data-below", Boolean(place?.below || (this.seen() && wide < WIDE)));
    this.element.toggleAttribute("data-high", place?.stage === HIGHER.at(-1));
    this.stage.style.setProperty("--stage", `${place?.stage ?? STAGE}px`);
    this.stage.style.setProperty("--numbers", `${place?.numbers ?? (this.looks === "code" ? this.numbers : 38)}%`);
    const sought = wide < WIDE ? this.words.search.split(/[:：]/)[0] : this.words.search;
    for (const { box } of this.sketches) if (box) box.placeholder = sought;
    for (const sketch of this.sketches) sketch.tall = place && sketch === this.seen() ? place.tall : wide < WIDE ? TALL - 30 : TALL;
    for (const sketch of [...this.sketches, ...(this.others ?? [])]) sketch.resize(sketch.frame.clientWidth);
    this.spread();
    this.fit();
    for (const box of this.element.querySelectorAll(".agl-scroll, .agl-code")) {
      box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1 ? box.setAttribute("tabindex", "0") : box.removeAttribute("tabindex");
    }
    if (wide !== this.wide) this.lines?.scroll(); // lines wrap anew
    this.wide = wide;
  }
}

export { Stepper };
