// Numbers of which one is chosen: a click, or the arrow keys, and what stands below is about that one.

import { blocks, h, prose } from "./sketch.js";

class Choice {
  /** `draw` makes the elements of drawings, `changed` is called when another one is shown. */
  constructor(block, draw, signal, changed) {
    Object.assign(this, { block, changed, at: -1 });
    this.buttons = block.names.map((name, k) => h("button", { type: "button", class: "agl-button agl-pick", role: "radio", "data-pick": k, "aria-label": name, "aria-checked": "false", tabindex: -1 },
      block.grid.rows[block.cells[k][0]][block.cells[k][1]]));
    const cell = (text, i, j) => this.buttons[block.cells.findIndex(([row, column]) => row === i && column === j)] ?? text;
    const table = h("table", { role: "presentation" }, h("tbody", { role: "presentation" },
      block.grid.rows.map((row, i) => h("tr", { role: "presentation" }, row.map((text, j) => h("td", { role: "presentation" }, cell(text, i, j)))))));
    this.panels = block.options.map((option) => h("div", { class: "agl-option" }, blocks(option, draw)));
    this.element = h("div", { class: "agl-choice" },
      h("div", { class: "agl-grid agl-gradient", role: "radiogroup", "aria-label": block.help }, h("div", { class: "agl-caption" }, prose(block.grid.caption)), h("div", { class: "agl-scroll" }, table),
        h("p", { class: "agl-more" }, prose(block.help))), this.panels);
    this.element.addEventListener("click", (event) => {
      const picked = event.target.closest("[data-pick]");
      if (picked) this.show(Number(picked.dataset.pick));
    }, { signal });
    this.show(block.at, true);
  }

  show(at, quiet) {
    this.at = at;
    this.buttons.forEach((button, k) => {
      button.setAttribute("aria-checked", String(k === at));
      button.setAttribute("tabindex", k === at ? "0" : "-1");
    });
    this.panels.forEach((panel, k) => (panel.hidden = k !== at));
    if (quiet) return;
    this.changed();
    this.buttons[at].focus({ preventScroll: true });
  }

  /** A key on the numbers; whether it meant something. */
  key(event, target) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const end = { Home: 0, End: this.buttons.length - 1 }[event.key];
    if (!this.buttons.includes(target)) return false;
    if (!step) return end >= 0 && !this.show(end);
    const [row, column] = this.block.cells[this.at];
    const far = ([i, j]) => {
      const [along, across] = [(i - row) * step[0] + (j - column) * step[1], Math.abs((i - row) * step[1]) + Math.abs((j - column) * step[0])];
      return along > 0 ? along + 2 * across : Infinity;
    };
    const best = this.block.cells.reduce((found, place, k) => (far(place) < far(this.block.cells[found] ?? [row, column]) ? k : found), -1);
    if (best >= 0) this.show(best);
    return true;
  }
}

export { Choice };
