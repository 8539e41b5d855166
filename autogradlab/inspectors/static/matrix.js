// Tensors on a page: a few numbers as numbers, more of them as a signed picture (squares above zero, dots below it), with
// the numbers on hover and focus; and products in which the chosen element lights what it was made of.

import { h, s } from "./sketch.js";

const GAP = "…";
const FEW = 3; // elements that stand in a line
const LITTLE = 4; // elements that are never a picture beside a result in numbers
const size = (grid) => [grid.rows.length, Math.max(0, ...grid.rows.map((row) => row.length))];
const number = (text) => (text === "True" ? 1 : text === "False" ? 0 : Number.parseFloat(text));

/** The largest of the finite numbers, by which the others are shaded. */
function top(grid) {
  let most = 0;
  for (const row of grid.rows) for (const cell of row) if (Number.isFinite(number(cell))) most = Math.max(most, Math.abs(number(cell)));
  return most;
}

/** A number in few letters: three digits that count. */
function brief(text) {
  const value = Number.parseFloat(text);
  if (!Number.isFinite(value) || text.length <= 5 || text.includes("j")) return text;
  const [size, whole] = [Math.abs(value), Number.isInteger(value)];
  if (value === 0) return "0";
  if (size >= 1e5 || size < 1e-3) return value.toExponential(0).replace("e+", "e");
  return whole ? `${value}.` : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

/** All numbers of a small tensor in a line: `2.`, `[0.5, -1.]`. */
function inline(grid) {
  const [rows, columns] = size(grid);
  if (rows !== 1 || columns > FEW || grid.rows[0].includes(GAP)) return null;
  return columns === 1 ? grid.rows[0][0] : `[${grid.rows[0].map(brief).join(", ")}]`;
}

/** What a screen reader says of a grid: its size and its first numbers. */
function spoken(grid, name) {
  const [rows, columns] = size(grid);
  const first = grid.rows.slice(0, 3).map((row) => row.slice(0, 4).join(" ")).join("; ");
  return `${name} ${rows} × ${columns}: ${first}`;
}

/** A picture of signed numbers: the ground is zero, squares are positive, dots negative; a cross is no number. */
function picture(grid, tall, wide = 120, most_side = 9) {
  const [rows, columns] = size(grid);
  const side = Math.max(2.5, Math.min(most_side, tall / rows, wide / columns));
  const svg = s("svg", { class: "agl-thumb", "data-side": side, width: Math.ceil(side * columns) + 1, height: Math.ceil(side * rows) + 1, "aria-hidden": "true" });
  const most = top(grid) || 1;
  svg.append(s("rect", { x: 0.5, y: 0.5, width: side * columns, height: side * rows, class: "agl-thumb-ground" }));
  grid.rows.forEach((row, i) => row.forEach((cell, j) => {
    const value = number(cell);
    const [x, y] = [0.5 + j * side, 0.5 + i * side];
    if (cell === GAP) svg.append(s("circle", { cx: x + side / 2, cy: y + side / 2, r: 0.7, class: "agl-thumb-gap" }));
    else if (Number.isNaN(value)) svg.append(s("path", { d: `M${x + 1} ${y + 1}l${side - 2} ${side - 2}M${x + side - 1} ${y + 1}l${2 - side} ${side - 2}`, class: "agl-thumb-nan" }));
    else if (value !== 0) {
      const share = Math.max(0.18, Math.min(1, Math.abs(value) / most)).toFixed(2);
      svg.append(value > 0 ? s("rect", { x, y, width: side, height: side, class: "agl-plus", "fill-opacity": share })
        : s("circle", { cx: x + side / 2, cy: y + side / 2, r: side * 0.42, class: "agl-minus", "fill-opacity": share }));
    }
  }));
  return svg;
}

/** What marks an element of a picture. */
function frame(svg, i, j) {
  const side = Number(svg.dataset.side);
  return s("rect", { x: 0.5 + j * side, y: 0.5 + i * side, width: side, height: side, class: "agl-lit" });
}

/** A tensor in a cell of a table. */
function small(grid, name) {
  const line = inline(grid);
  if (line !== null) return h("span", { class: "agl-number", title: `[${grid.rows[0].join(", ")}]` }, line);
  const [rows, columns] = size(grid);
  if (!rows) return h("span", { class: "agl-none" }, grid.more ?? "");
  const few = rows <= 2 && columns <= 2 && !grid.heads?.length;
  const shown = few ? h("span", { class: "agl-four" }, grid.rows.flat().map((cell) => h("span", {}, brief(cell))), ) : picture(grid, 30);
  if (few) shown.style.gridTemplateColumns = `repeat(${columns}, auto)`;
  const made = h("span", { class: "agl-tensor", tabindex: 0, role: "img", "aria-label": spoken(grid, name) }, shown);
  made.grid = grid;
  return made;
}

/** The numbers of a grid as a table; `choose` is called with row and column of an element that is pointed at. */
function table(grid, name, choose) {
  const cell = (text, i, j) => {
    const value = number(text);
    const share = Number.isFinite(value) && top_ ? Math.abs(value) / top_ : 0;
    return h("td", { "data-at": `${i} ${j}`, class: value < 0 ? "agl-minus" : "agl-plus", style: `--heat: ${share.toFixed(2)}`, tabindex: choose && i + j === 0 ? 0 : choose ? -1 : null, title: text },
      brief(text));
  };
  if (!grid.rows.length) return h("span", { class: "agl-none" }, grid.more ?? "");
  const top_ = top(grid);
  const made = h("table", { class: "agl-matrix", "aria-label": spoken(grid, name) },
    h("tbody", {}, grid.rows.map((row, i) => h("tr", {}, row.map((text, j) => cell(text, i, j))))));
  if (!choose) return made;
  const pick = (event) => {
    const at = event.target.closest?.("td")?.dataset.at;
    if (at) choose(...at.split(" ").map(Number));
  };
  made.addEventListener("pointerover", pick);
  made.addEventListener("focusin", pick);
  made.walk = (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const [i, j] = (event.target.dataset.at ?? "").split(" ").map(Number);
    const step = (k) => made.querySelector(`[data-at="${i + k * by[0]} ${j + k * by[1]}"]`);
    let k = 1;
    while (by && step(k)?.getClientRects().length === 0) k += 1; // past those that have no room
    by && step(k)?.focus({ preventScroll: true });
    return Boolean(by);
  };
  return made;
}

/** A gradient worked out: `g @ Wᵀ = out`, with what an element was made of lit. */
function product(worked, words) {
  const label = (name, made) => h("figure", { class: "agl-factor" }, h("figcaption", {}, /^-?[\d.]+$/.test(name) ? "\u00a0" : name), made); // numbers name themselves
  const operands = worked.operands.map(([name, grid]) => table(grid, name));
  const pictures = worked.operands.map(([, grid]) => (grid.rows.flat().length > LITTLE ? picture(grid, 60, 60, 12) : null));
  const spelled = h("p", { class: "agl-spelled" });
  const at = (made, i, j) => made.querySelectorAll("td")[0] && [...made.querySelectorAll("td")].filter((td) => {
    const [r, c] = td.dataset.at.split(" ").map(Number);
    return (i === null || r === i) && (j === null || c === j);
  });
  const bound = (grid, i, j) => [grid.rows.length === 1 ? 0 : i, (grid.rows[0]?.length ?? 1) === 1 ? 0 : j];
  const choose = (i, j) => {
    for (const td of box.querySelectorAll("td.agl-lit")) td.classList.remove("agl-lit");
    for (const mark of box.querySelectorAll("rect.agl-lit")) mark.remove();
    const lit = (made, r, c) => {
      const found = at(made, r, c) ?? [];
      for (const td of found) td.classList.add("agl-lit");
      pictures[operands.indexOf(made)]?.append(...found.map((td) => frame(pictures[operands.indexOf(made)], ...td.dataset.at.split(" ").map(Number))));
      return found.map((td) => td.title);
    };
    const [result] = lit(out, i, j);
    if (result === undefined) return; // there are no elements
    if (worked.how === "matmul") {
      const [rows, columns] = [lit(operands[0], i, null), lit(operands[1], null, j)];
      const terms = rows.map((value, k) => (value === GAP ? GAP : `${value}·${columns[k]}`));
      spelled.textContent = `${(terms.length > 5 ? [...terms.slice(0, 4), GAP] : terms).join(" + ")} = ${result}`;
    } else if (worked.how === "each" && operands.length === 1) {
      lit(operands[0], ...bound(worked.operands[0][1], i, j));
      spelled.textContent = ""; // the same number twice
    } else if (worked.how === "each") {
      const parts = worked.operands.map(([, grid], k) => lit(operands[k], ...bound(grid, i, j))[0]);
      spelled.textContent = `${parts.map((part, k) => (k ? ` ${worked.signs[k - 1]} ` : "") + part).join("")} = ${result}`;
    } else if (worked.how === "same") {
      const parts = worked.operands.map(([name, grid], k) => `${name} = ${lit(operands[k], ...bound(grid, i, j))[0]}`);
      spelled.textContent = `${parts.join(", ")} → ${result}`;
    } else if (worked.how === "columns") {
      const parts = lit(operands[0], null, j);
      spelled.textContent = `${(parts.length > 6 ? [...parts.slice(0, 5), GAP] : parts).join(" + ")} = ${result}`;
    } else spelled.textContent = "";
  };
  const out = table(worked.out, goal(worked, words), choose);
  const line = [];
  operands.forEach((made, k) => {
    if (worked.signs[k - 1]) line.push(h("span", { class: "agl-sign" }, worked.signs[k - 1]));
    const factor = label(worked.operands[k][0], made);
    if (pictures[k]) {
      factor.append(pictures[k]);
      factor.classList.add("agl-either");
      factor.title = worked.operands[k][1].rows.map((row) => row.join("  ")).join("\n");
    }
    line.push(factor);
  });
  const way = { columns: words.column_sums }[worked.how];
  if (operands.length) line.push(h("span", { class: "agl-sign" }, ["matmul", "each", "columns"].includes(worked.how) ? "=" : "→"));
  line.push(operands.length ? label(goal(worked, words), out) : out); // alone it is named above
  const box = h("div", { class: "agl-product" }, h("p", { class: "agl-formula" }, worked.plain ? worked.formula : h("code", {}, worked.formula), way ? ` ${way}` : ""),
    h("div", { class: "agl-scroll" }, h("div", { class: "agl-equation" }, line)), spelled);
  choose(...(nan(worked.out) ?? [0, 0]));
  return box;
}

/** Where a gradient goes: to a tensor, or into its `.grad`. */
function goal(worked, words) {
  return !worked.to || worked.to.endsWith(".grad") ? worked.to : `${words.to} ${worked.to}`;
}

/** The place of the first NaN among numbers; null if there is none. */
function nan(grid) {
  const i = grid.rows.findIndex((row) => row.includes("nan"));
  return i < 0 ? null : [i, grid.rows[i].indexOf("nan")];
}

export { brief, goal, inline, nan, product, small, spoken, table };
