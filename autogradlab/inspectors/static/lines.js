// The learner's own lines: a row for each, with the value that it had and the gradient that has arrived. What is called in
// a line, the turns of a loop and the parameters of a Module fold; the row that runs is always unfolded and in sight.

import { fill, h, holds } from "./sketch.js";
import { small } from "./matrix.js";

const ROOMY = 14; // rows up to which nothing is folded by itself
const BOXED = 6; // rows from which on a search is worth its room
const BESIDE = 1; // turns of a loop that are shown before and after the one that runs

const NAMED = 6; // numbers of a grid that are said where a row is named

/** The rows of a program as a table: rows are made once and taken in and out of it. */
class Lines {
  constructor(program, words) {
    Object.assign(this, { program, words, rows: new Map(), inner: new Map([["", []]]), chosen: new Map(), states: new Map() });
    for (const row of program.rows) {
      this.rows.set(row.id, { ...row });
      this.inner.set(row.id, []);
      this.inner.get(row.parent ?? "").push(row.id);
    }
    this.marks = new Map((program.marks ?? []).map((mark) => [mark.node, mark]));
    this.box = program.rows.length > BOXED ? h("input", { type: "search", class: "agl-search", placeholder: words.search_lines, "aria-label": words.search_lines, spellcheck: "false" }) : null;
    this.count = h("span", { class: "agl-count", role: "status" });
    const head = h("thead", {}, h("tr", {}, h("td", { class: "agl-ln" }), h("th", { scope: "col" }, this.title(), " ", this.box, this.count),
      h("th", { scope: "col" }, `${words.value} ↓`), h("th", { scope: "col" }, fill(words.gradient, { of: program.of ?? "" }), " ↑")));
    this.body = h("tbody");
    this.element = h("div", { class: "agl-code" }, h("table", { class: "agl-lines" }, head, this.body));
    for (const row of this.rows.values()) row.element = this.row(row);
    this.current = null;
  }

  title() {
    const cells = this.program.rows.filter((row) => row.kind === "cell" && (this.inner.get(row.id) ?? []).some((id) => this.rows.get(id).line));
    return cells.length === 1 ? cells[0].text : this.words.your_lines;
  }

  depth(row) {
    let deep = 0;
    for (let at = this.rows.get(row.parent); at; at = this.rows.get(at.parent)) deep += at.kind !== "cell" || this.several() ? 1 : 0;
    return deep;
  }

  several() {
    this.many ??= this.inner.get("").length > 1;
    return this.many;
  }

  row(row) {
    const { words } = this;
    const opens = this.inner.get(row.id).length > 0 && row.kind !== "cell";
    row.fold = opens ? h("button", { type: "button", class: "agl-unfold", "data-unfold": row.id }) : null;
    row.code = h("span", { class: "agl-text" }, row.text);
    row.value_at = h("td", { class: "agl-v" }, row.value ? small(row.value, row.name || row.text) : "");
    row.grad_at = h("td", { class: "agl-g" });
    const link = row.line && !/module|leaf/.test(row.kind)
      ? h("button", { type: "button", class: "agl-link", "data-line": row.line, "data-cell": row.cell || null, "aria-label": fill(words.go_line, { line: row.line }), title: fill(words.go_line, { line: row.line }) }, row.line) : "";
    const tag = row.tag ? h("span", { class: "agl-tag" }, row.tag) : null;
    return h("tr", { class: `agl-row agl-row-${row.kind}`, "data-row": row.id, "data-tensor": row.tensor || null, tabindex: -1 }, h("td", { class: "agl-ln" }, link),
      h("th", { scope: "row", style: `--deep: ${this.depth(row)}` }, h("span", { class: "agl-line-of" }, row.fold, tag, row.code)), row.value_at, row.grad_at);
  }

  /** The rows of a frame; `active` are the items that run, `changed` the ids that differ from the frame before (or null). */
  apply(states, texts, grids, active, changed) {
    for (const row of changed ? [...changed].map((id) => this.rows.get(id)).filter(Boolean) : this.rows.values()) {
      const [state, text, grid] = [states.get(row.id) ?? "idle", texts.get(row.id) ?? "", grids.get(row.id)];
      if (row.state === state && row.shown === text && row.grid === grid) continue;
      if (row.state !== state) row.element.dataset.state = row.state = state;
      if (row.shown !== text || row.grid !== grid) {
        const note = text ? h("span", { class: "agl-note-of" }, text) : null;
        row.grad_at.replaceChildren(...[grid ? small(grid, `∂${this.program.of ?? ""}/∂${row.name || row.text}`) : null, note].filter(Boolean));
        Object.assign(row, { shown: text, grid });
      }
      if (row.kind !== "cell") row.element.setAttribute("aria-label", this.named(row));
    }
    const marks = active.map((id) => this.marks.get(id)).filter((mark) => mark?.last);
    for (const row of this.lit ?? []) row.code.replaceChildren(row.text);
    this.lit = [];
    for (const { row: id, first = 0, last } of marks) {
      const row = this.rows.get(id);
      if (this.lit.includes(row)) continue;
      row.code.replaceChildren(row.text.slice(0, first), h("mark", {}, row.text.slice(first, last)), row.text.slice(last));
      this.lit.push(row);
    }
    this.running = active.map((id) => this.rows.get(id)).filter(Boolean);
    this.arrange();
  }

  /** A row as it is said to who comes to it by keys: its line, its code, its value and gradient, whether it has run. */
  named(row) {
    const line = row.line && !/module|leaf/.test(row.kind) ? fill(this.words.at_line, { line: row.line }) : "";
    const numbers = (grid) => (grid && grid.rows.flat().length <= NAMED ? grid.rows.flat().join(" ") : "");
    const [value, gradient] = [numbers(row.value), [numbers(row.grid), row.shown].filter(Boolean).join(" ")];
    const state = { active: this.words.row_active, done: this.words.row_done, failed: this.words.row_failed }[row.state];
    return [line, row.tag, row.text, value && `${this.words.value} ${value}`, gradient && `∂${this.program.of ?? ""}/∂${row.name || "·"} ${gradient}`, state]
      .filter(Boolean).join(", ");
  }

  /** Which rows are to be seen: all of a short program; of a longer one what leads to the row that runs. */
  arrange() {
    const path = new Set();
    for (const row of [...(this.running ?? []), this.hit]) for (let at = row; at; at = this.rows.get(at.parent)) path.add(at.id);
    const shown = [];
    const roomy = this.rows.size <= ROOMY;
    const visit = (ids) => {
      const list = this.windowed(ids, path);
      for (const id of list) {
        if (typeof id === "number") {
          shown.push(this.gap(id));
          continue;
        }
        const row = this.rows.get(id);
        const inner = this.inner.get(id);
        const open = this.chosen.get(id) ?? (/cell|loop/.test(row.kind) || roomy || path.has(id) || this.rows.get(inner[0])?.kind === "result");
        if (row.kind !== "cell" || this.several()) shown.push(row.element);
        row.element.toggleAttribute("data-path", path.has(id));
        if (row.fold) {
          row.fold.textContent = open ? "▾" : "▸";
          row.fold.setAttribute("aria-expanded", String(open));
          row.fold.setAttribute("aria-label", fill(open ? this.words.fold : this.words.unfold, { what: row.tag || row.text }));
        }
        if (open) visit(inner);
      }
    };
    visit(this.inner.get(""));
    const same = shown.length === this.body.children.length && shown.every((row, k) => row === this.body.children[k]);
    if (!same) this.body.replaceChildren(...shown);
    if (!this.current?.element.isConnected) this.rove(this.rows.get(shown.find((row) => row.dataset.row)?.dataset.row));
  }

  /** Of many turns the first, the last and those around the one that runs; a number stands for as many left out. */
  windowed(ids, path) {
    const first = this.rows.get(ids.find((id) => this.rows.get(id).kind !== "left"));
    if (ids.length <= 7 || first.kind !== "turn" && !first.tag) return ids;
    const wanted = ids.flatMap((id, k) => (path.has(id) ? [k] : []));
    const near = ids.map((id, k) => k === 0 || k === ids.length - 1 || (wanted.length ? wanted.some((at) => Math.abs(k - at) <= BESIDE) : k > ids.length - 4));
    const seen = near.map((shown, k) => shown || (near[k - 1] && near[k + 1])); // one alone takes no less room left out
    const list = [];
    ids.forEach((id, k) => {
      if (seen[k]) list.push(id);
      else if (typeof list.at(-1) === "number") list[list.length - 1] += 1;
      else list.push(1);
    });
    return list;
  }

  gap(count) {
    return h("tr", { class: "agl-gap" }, h("td"), h("td", { colspan: 3 }, fill(this.words.more_turns, { count })));
  }

  /** What a search finds a row by, as far as it is on the page: its line, its turn and Module, its numbers. */
  sought(row) {
    const around = [];
    const line = ({ line }) => (line ? fill(this.words.at_line, { line }) : "");
    for (let at = this.rows.get(row.parent); at; at = this.rows.get(at.parent)) {
      if (/module|result/.test(row.kind) && at.kind === "line") around.push(line(at)); // it has no line of its own
      else if (at.kind !== "loop" && at.kind !== "line") around.push(at.text);
    }
    const numbers = [row.value, row.grid].filter(Boolean).flatMap((grid) => grid.rows.flat());
    return [line(row), row.tag, row.text, row.name, ...around, ...numbers].filter(Boolean).join(" ").toLowerCase();
  }

  search(sought) {
    const words = sought.trim().toLowerCase();
    this.hits = words ? [...this.rows.values()].filter((row) => row.kind !== "cell" && holds(this.sought(row), words)) : [];
    for (const row of this.rows.values()) row.element.classList.toggle("agl-hit", this.hits.includes(row));
    this.count.textContent = words ? fill(this.words.found, { count: this.hits.length }) : "";
    this.lead(this.hits[0]);
  }

  /** A row that was found, unfolded and in sight. */
  lead(row) {
    this.hit = row;
    this.arrange();
    if (row) this.show(row.element);
  }

  /** A key within the search box; whether it meant something. */
  typed(event) {
    if (event.key === "Enter" && this.hits?.length) this.hits.push(this.hits.shift()), this.lead(this.hits[0]);
    else if (event.key === "Escape" && this.box.value) this.search((this.box.value = ""));
    else return false;
    return true;
  }

  toggle(id) {
    const row = this.rows.get(id);
    this.chosen.set(id, row.fold.getAttribute("aria-expanded") !== "true");
    this.arrange();
    row.fold.focus({ preventScroll: true });
  }

  rove(row) {
    this.current?.element.setAttribute("tabindex", "-1");
    this.current = row;
    row?.element.setAttribute("tabindex", "0");
  }

  /** From row to row; whether there was one. */
  move(by) {
    const seen = [...this.body.children].filter((row) => row.dataset.row);
    const next = seen[seen.indexOf(this.current?.element) + by];
    if (!next) return false;
    this.rove(this.rows.get(next.dataset.row));
    next.focus();
    return true;
  }

  /** The row that runs into sight, or where none does the one that has focus, without moving the page. */
  scroll() {
    const row = this.running?.at(-1)?.element ?? this.element.querySelector(":focus")?.closest("[data-row]");
    if (row?.isConnected) this.show(row);
  }

  show(row) {
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    const head = this.element.querySelector("thead").offsetHeight;
    if (top < this.element.scrollTop + head) this.element.scrollTop = top - head;
    else if (bottom > this.element.scrollTop + this.element.clientHeight) {
      const least = bottom - this.element.clientHeight + 4;
      let first = row; // the first one that is seen is seen whole, if need be by room below the last one
      while (first.previousElementSibling && first.previousElementSibling.offsetTop >= least + head) first = first.previousElementSibling;
      const wanted = first.offsetTop - head;
      const table = this.element.firstElementChild;
      table.style.marginBottom = `${Math.max(0, wanted + this.element.clientHeight - table.offsetHeight)}px`;
      this.element.scrollTop = wanted;
    }
  }
}

/** Leads to a line of a notebook's cell: it comes into sight and is marked for a moment. Whether it is there. */
function goto(card, cell, line) {
  const book = card.closest(".jp-Notebook");
  const found = [...(book?.querySelectorAll(".jp-CodeCell") ?? [])].find((one) => one.querySelector(".jp-InputPrompt")?.textContent.trim() === `[${cell}]:`);
  const text = found?.querySelectorAll(".cm-line")[line - 1] ?? found;
  if (!text) return false;
  text.scrollIntoView({ block: "center" });
  text.animate?.([{ outline: "3px solid var(--jp-brand-color1, #0068a5)" }, { outline: "3px solid transparent" }], { duration: 1800 });
  return true;
}

export { Lines, goto };
