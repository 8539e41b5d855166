// Blocks and drawings of a card as elements. All words become text nodes: nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";
const READABLE = 1; // at this scale every word can be read; a drawing that does not fit then starts at its root
const LEAST = 0.93; // the smallest scale that "Fit" takes: text of 13 px is 12 then
const EDGE = 10; // pixels around what runs
const MANY = 600; // items beyond which lines are not made easier to reach
const LARGE = 240; // items beyond which only those near the window are laid out
const ALIKE = 24; // pixels by which a wrapped drawing may be higher than it must be, so that no row is left with one box
const WRAPPED = 900; // pixels that the rows of a wrapped drawing may take together
const SCREEN = 320; // pixels of a drawing in a card that is as high as a projector's page
const LONG = 60, ROW = 88; // letters of a cell or row that take two lines if narrow
const PAGE = [190, 460]; // pixels that a drawing may take whatever the page leaves it, and of a page that leaves more
const ENLARGED = 260; // pixels up to which a drawing is made larger than it was drawn
const BETWEEN = [14, 8]; // pixels between two rows, and between those in which all is drawn together
const CLOSE = [14, 26]; // pixels between two columns of a drawing that is drawn together: straight lines, lines that bend
const BENT = 0.4; // the part that is left where lines bend
const WAYS = [[false, false], [true, false], [true, true]]; // columns drawn together, and made level: as it was laid out first
const KEPT = 64; // windows of which a drawing keeps how it is cut into rows
const LETTER = 8; // pixels that a letter may be wide
const PAN = 220; // milliseconds in which the window moves after what runs

/** An element with attributes and children; null and false are left out, strings become text. */
function make(space, tag, attributes, children) {
  const made = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}
const h = (tag, attributes, ...children) => make(null, tag, attributes, children);
const s = (tag, attributes, ...children) => make(SVG, tag, attributes, children);

// The same two marks as in prose.py.
const MARKS = /`([^`]+)`|(?<![A-Za-z0-9_)\]*])\*\*(?=[^\s*])((?:(?!\*\*)[^`])+?)(?<=\S)\*\*(?![A-Za-z0-9_(\[*])/g;

/** A sentence as nodes: `code` and **strong** as elements. */
function prose(text) {
  const nodes = [];
  let last = 0;
  for (const mark of String(text ?? "").matchAll(MARKS)) {
    nodes.push(text.slice(last, mark.index), mark[1] !== undefined ? h("code", {}, mark[1]) : h("strong", {}, mark[2]));
    last = mark.index + mark[0].length;
  }
  nodes.push(String(text ?? "").slice(last));
  return nodes.filter((node) => node !== "");
}

// As origins.toml says where something was made.
const PLACE = /cell \[(\d+)\], line (\d+)|单元格 \[(\d+)\] 第 (\d+) 行/g;

/** Nodes in which each place in the notebook ("cell [2], line 3") is a link to it. */
function linked(nodes) {
  return nodes.flatMap((node) => {
    if (typeof node !== "string") return [node];
    const made = [];
    let last = 0;
    for (const found of node.matchAll(PLACE)) {
      made.push(node.slice(last, found.index), h("button", { type: "button", class: "agl-link agl-place-link", "data-cell": found[1] ?? found[3], "data-line": found[2] ?? found[4] }, found[0]));
      last = found.index + found[0].length;
    }
    return [...made, node.slice(last)].filter((part) => part !== "");
  });
}
/** First words that stand out, with what is between them and the rest: after a Chinese colon, nothing. */
const led = (lead) => (lead && !lead.endsWith("：") ? `${lead} ` : lead ?? "");
const plain = (text) => prose(text).map((node) => node.textContent ?? node).join("");
// what a screen reader is told: one thing after the other
const announced = (lang, ...all) => all.map(plain).filter(Boolean).join(lang === "zh" ? "。" : ". ").replace(/([?？])[.。]/g, "$1");
const fill = (words, fields) => words.replace(/\{(\w+)\}/g, (all, name) => (name in fields ? fields[name] : all));
const ICONS = {
  back: "M11 3v10L4 8z", step: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z",
  play: "M4 2.5v11l9-5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
};
const icon = (name) => s("svg", { viewBox: "0 0 16 16", width: 13, height: 13, class: "agl-icon", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

/** Back to the notebook's cell, where there is one; or on to the next. */
function leave(card, on = false) {
  const cell = card.closest(".jp-Cell");
  const next = cell?.nextElementSibling;
  (on && next?.matches(".jp-Cell") ? next : cell)?.focus();
  return Boolean(cell);
}
/** Keys that a control of a card keeps from the notebook: two d at a button are no wish to delete the cell, an arrow none
 * to leave the card, Enter none to edit the cell; what scrolls is scrolled. */
const kept = (key) => /^(\S|Arrow\w+|Enter)$/.test(key);
/** The cell of a card has just been run: its top comes into sight, unless the learner is elsewhere by now. */
function arrive(card) {
  const cell = card.closest(".jp-Cell");
  const mine = [cell, cell?.nextElementSibling].some((one) => one?.matches(".jp-mod-active"));
  const room = card.closest(".jp-WindowedPanel-outer")?.getBoundingClientRect();
  const { top, bottom, height } = card.getBoundingClientRect();
  if (!mine || !room || card.contains(document.activeElement) || (top >= room.top && bottom <= room.bottom)) return;
  card.scrollIntoView({ block: height > room.height ? "start" : "nearest" });
}
/** Whether a text holds the words that are sought; "line 1" is not in "line 12". */
const holds = (text, sought) => {
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    if (!/\d$/.test(sought) || !/\d/.test(text[at + sought.length] ?? "")) return true;
  }
  return false;
};
/** A tensor that was chosen in one card is lit in all that show it. */
function kindle(chosen) {
  const same = chosen?.closest?.("[data-tensor]")?.dataset.tensor;
  if (!same) return;
  for (const one of chosen.getRootNode().querySelectorAll(".agl [data-tensor]")) one.classList.toggle("agl-kin", one.dataset.tensor === same);
}
const tone = (part) => `agl-${part.tone ?? "plain"}`;

// -- blocks ----------------------------------------------------------------------------------------------------------

const BLOCKS = {
  note: (b) => h("p", { class: `agl-note ${tone(b)}` }, b.lead ? [h("strong", { class: "agl-lead" }, prose(b.lead)), led(b.lead).slice(b.lead.length)] : null, linked(prose(b.text))),
  facts: (b) => h("dl", { class: `agl-facts${b.rows.length < 3 || b.rows.some(([, value]) => value.length > 34) ? " agl-few" : ""}` }, b.rows.map(([label, value]) => h("div", {}, h("dt", {}, prose(label)), h("dd", {}, linked([value]))))),
  grid: (b) => {
    const shade = (i, j) => {
      const heat = b.heat?.[i]?.[j];
      return Number.isFinite(heat) ? { style: `--heat: ${Math.max(0, Math.min(1, heat))}`, class: `agl-heat ${b.rows[i][j].startsWith("-") ? "agl-minus" : "agl-plus"}` } : {};
    };
    const rows = b.rows.map((row, i) =>
      h("tr", {}, b.heads?.length ? h("th", { scope: "row" }, b.heads[i] ?? "") : null, row.map((cell, j) => h("td", shade(i, j), cell))));
    return h("div", { class: `agl-grid ${tone(b)}${b.heat ? " agl-heated" : ""}` },
      b.caption ? h("div", { class: "agl-caption" }, prose(b.caption)) : null,
      h("div", { class: "agl-scroll" }, h("table", { "aria-label": b.caption ? plain(b.caption) : null }, h("tbody", {}, rows))),
      b.more ? h("p", { class: "agl-more" }, b.more) : null);
  },
  table: (b) => (b.folded ? h("details", { class: "agl-folded" }, h("summary", {}, b.folded), BLOCKS.table({ ...b, folded: "" })) : h("div", {}, b.caption ? h("div", { class: "agl-caption" }, prose(b.caption)) : null,
    h("div", { class: "agl-scroll" }, h("table", { class: `agl-table${b.rows.some((row) => row.join("").length > ROW || row.some((cell) => cell.length > LONG)) ? " agl-long" : ""}`, "aria-label": b.caption ? plain(b.caption) : null },
      h("thead", {}, h("tr", {}, b.columns.map((name) => h("th", { scope: "col" }, prose(name))))),
      h("tbody", {}, b.rows.map((row, i) => h("tr", { class: `agl-${b.tones?.[i] ?? "plain"}` }, row.map((cell, j) =>
        h("td", {}, b.tensors?.[i] && j === (b.named ?? 0) ? h("button", { type: "button", class: "agl-named", "data-tensor": b.tensors[i] }, prose(cell)) : linked(prose(cell))))))))))),
};

/** Blocks as elements; grids that follow each other stand side by side. `draw` makes drawings. */
function blocks(list, draw) {
  const made = [];
  let row = null;
  for (const block of list ?? []) {
    if (block.is === "grid") {
      if (!row) made.push((row = h("div", { class: "agl-grids" })));
      row.append(BLOCKS.grid(block));
      continue;
    }
    row = null;
    made.push(block.is in BLOCKS ? BLOCKS[block.is](block) : draw(block));
  }
  return made;
}

// -- shapes ----------------------------------------------------------------------------------------------------------

const round = (value) => Math.round(value * 100) / 100;

function track(points, curve) {
  const [start, ...rest] = points.map(([x, y]) => `${round(x)} ${round(y)}`);
  if (!curve || rest.length < 3) return `M${start}${rest.map((p) => `L${p}`).join("")}`;
  let d = `M${start}`;
  for (let i = 0; i + 2 < rest.length; i += 3) d += `C${rest.slice(i, i + 3).join(" ")}`;
  return d;
}

/** The points, ending a little earlier, and the head whose tip is where they ended. */
function arrow(points, size) {
  const tip = points.at(-1);
  const from = points.slice(0, -1).reverse().find((p) => Math.hypot(p[0] - tip[0], p[1] - tip[1]) > 0.5) ?? points[0];
  const length = Math.hypot(tip[0] - from[0], tip[1] - from[1]) || 1;
  const [ux, uy] = [(tip[0] - from[0]) / length, (tip[1] - from[1]) / length];
  const [bx, by, half] = [tip[0] - ux * size, tip[1] - uy * size, size * 0.42];
  const head = track([tip, [bx - uy * half, by + ux * half], [bx + uy * half, by - ux * half]], false) + "Z";
  return [[...points.slice(0, -1), [tip[0] - ux * size * 0.8, tip[1] - uy * size * 0.8]], head];
}

const ground = (shape) => (shape.solid ? " agl-solid" : shape.fill ? " agl-tinted" : "");
const SHAPES = {
  rect: (p) => [s("rect", { x: p.x, y: p.y, width: p.width, height: p.height, rx: p.radius ?? 4, class: `agl-box ${tone(p)}${ground(p)}` })],
  ellipse: (p) => [s("ellipse", { cx: p.x, cy: p.y, rx: p.rx, ry: p.ry, class: `agl-box ${tone(p)}${ground(p)}` })],
  path: (p) => {
    const wide = p.width ?? 1.4;
    const [points, head] = p.arrow && p.points.length > 1 ? arrow(p.points, 6.5 + wide) : [p.points, null];
    const look = `${tone(p)}${p.dashed ? " agl-dashed" : ""}`;
    return [s("path", { d: track(points, p.curve), class: `agl-line ${look}`, style: `--wide: ${wide}` }), head && s("path", { d: head, class: `agl-head ${look}` })];
  },
  text: (p) => [s("text", {
    x: p.x, y: p.y, class: `agl-text ${tone(p)}${p.mono ? " agl-mono" : ""}${p.bold ? " agl-bold" : ""}`,
    "text-anchor": p.anchor ?? "middle", "font-size": p.size ?? 13, "data-slot": p.slot || null,
  }, p.text ?? "")],
};

/** What an item takes: its boxes, or `all` that is in it. */
function extent(item, all = false) {
  let box = null;
  for (const p of item.shapes) {
    const [l, t, r, b] = p.is === "rect" ? [p.x, p.y, p.x + p.width, p.y + p.height]
      : p.is === "ellipse" ? [p.x - p.rx, p.y - p.ry, p.x + p.rx, p.y + p.ry] : [];
    if (l !== undefined) box = box ? [Math.min(box[0], l), Math.min(box[1], t), Math.max(box[2], r), Math.max(box[3], b)] : [l, t, r, b];
  }
  if (box && !all) return box;
  const points = item.shapes.flatMap((p) => (p.is === "path" ? p.points : p.is === "text" ? [[p.x, p.y]] : []));
  if (box) points.push(box.slice(0, 2), box.slice(2));
  const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
  return points.length ? [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] : null;
}
const centre = ([l, t, r, b]) => [(l + r) / 2, (t + b) / 2];

/** Points that a path goes through, curves in short straight pieces. */
function along(points, curve) {
  if (!curve || points.length < 4) return points;
  const found = [points[0]];
  for (let i = 0; i + 3 < points.length; i += 3) {
    const [a, b, c, d] = points.slice(i, i + 4);
    for (let k = 1; k <= 12; k += 1) {
      const [t, u] = [k / 12, 1 - k / 12];
      found.push([0, 1].map((axis) => u ** 3 * a[axis] + 3 * u * u * t * b[axis] + 3 * u * t * t * c[axis] + t ** 3 * d[axis]));
    }
  }
  return found;
}

/** The rows of a drawing that is wrapped as text is: where each begins in the drawing as it was laid out. Each row is as high
 * as what is in it: `places` are points of the drawing. */
class Rows {
  constructor(starts, places, lift, between) {
    Object.assign(this, { starts, lift });
    const ends = starts.map(() => [Infinity, -Infinity]);
    for (const [x, y] of places) {
      const row = ends[this.row(x)];
      [row[0], row[1]] = [Math.min(row[0], y), Math.max(row[1], y)];
    }
    this.height = -between;
    this.down = ends.map(([top, bottom]) => {
      const at = this.height + between;
      this.height = at + Math.max(0, bottom - top);
      return at - (Number.isFinite(top) ? top : 0);
    });
  }

  row(x) {
    return Math.max(0, this.starts.findLastIndex((start) => start <= x));
  }

  /** How far what is at a place is moved. */
  of(x) {
    const row = this.row(x);
    return [-this.starts[row], this.down[row]];
  }

  /** A path's `d`: where it leaves a row it goes on in the next one. */
  track(points) {
    let [d, row] = ["", null];
    const put = ([x, y], [dx, dy], begins) => (d += `${begins ? "M" : "L"}${round(x + dx)} ${round(y + dy)}`);
    points.forEach((point, k) => {
      if (row === null) put(point, (row = this.of(point[0])), true);
      if (!k) return;
      const [from, right] = [points[k - 1], point[0] >= points[k - 1][0]];
      const [low, high] = [Math.min(from[0], point[0]), Math.max(from[0], point[0])];
      const cuts = this.starts.filter((start) => start > low && start < high);
      for (const cut of right ? cuts : cuts.reverse()) {
        const at = [cut, from[1] + ((point[1] - from[1]) * (cut - from[0])) / (point[0] - from[0])];
        put(at, row);
        put(at, (row = this.of(right ? cut : cut - 0.01)), true);
      }
      put(point, row);
    });
    return d;
  }
}

/** One drawing: built once; frames, folds, search and zoom change attributes. */
class Sketch {
  constructor(drawing, words, signal) {
    Object.assign(this, { drawing, words, entries: new Map(), slots: new Map(), folded: new Set(), states: new Map(), texts: new Map() });
    this.svg = s("svg", { class: "agl-svg", role: "group", "aria-label": plain(drawing.label || words.drawing), "data-zoom": drawing.zoom });
    const order = [...drawing.items].sort((a, b) => this.connects(b) - this.connects(a));
    for (const item of order) this.svg.append(this.item(item));
    (drawing.folds ?? []).forEach((fold, index) => this.fold(fold, index));
    this.home = { x: 0, y: 0, width: drawing.width, height: drawing.height };
    this.map = drawing.zoom ? this.minimap() : null;
    this.frame = h("div", { class: "agl-frame", style: `--natural: ${drawing.width}px` }, this.svg, this.map);
    this.element = h("div", { class: "agl-drawing" }, drawing.zoom ? this.tools() : null, this.frame);
    this.look({ ...this.home });
    this.arrange();
    this.rove(this.reachable()[0]);
    if (drawing.zoom) this.move(signal);
  }

  connects(item) {
    return item.shapes.some((p) => p.is === "path") ? 1 : 0;
  }

  item(item) {
    const opens = item.details?.length > 0;
    const role = opens ? { role: "button", tabindex: -1, "aria-label": plain(item.label || item.id) } : item.label ? { role: "img", "aria-label": plain(item.label) } : {};
    const group = s("g", { class: "agl-item", "data-item": item.id, "data-tensor": item.tensor || null, ...role }, item.label ? s("title", {}, plain(item.label)) : null);
    const parts = item.shapes.map((p) => [p, SHAPES[p.is](p).filter(Boolean)]);
    for (const [p, made] of parts) {
      group.append(...made);
      if (p.is !== "path" || !opens || this.drawing.items.length > MANY) continue;
      made.reach = s("path", { d: made[0].getAttribute("d"), class: "agl-reach" }); // a line is thin for a pointer
      group.append(made.reach);
    }
    for (const text of group.querySelectorAll("[data-slot]")) this.slots.set(text.dataset.slot, { text, first: text.textContent, shown: text.textContent });
    const box = extent(item);
    this.entries.set(item.id, { item, group, parts, box, laid: box, span: extent(item, true), opens, find: `${item.find ?? ""} ${item.label ?? ""}`.toLowerCase() });
    return group;
  }

  fold(fold, index) {
    const at = this.entries.get(fold.at);
    if (!at?.box) return;
    const [, top, right] = at.box;
    const sign = s("text", { x: right, y: top + 3.8, class: "agl-text agl-plain agl-bold", "text-anchor": "middle", "font-size": 13 });
    const count = s("text", { x: centre(at.box)[0], y: top - 12, class: "agl-text agl-muted", "text-anchor": "middle", "font-size": 13 });
    const group = s("g", { class: "agl-fold", role: "button", tabindex: -1, "data-fold": index }, s("title"), s("circle", { cx: right, cy: top, r: 8 }), sign, count);
    const box = [right - 8, top - 8, right + 8, top + 8];
    this.entries.set(`fold ${index}`, { group, fold, sign, count, box, laid: box, span: box, opens: true, find: "" });
    if (fold.folded) this.folded.add(index);
    this.svg.append(group);
  }

  /** Shows what is neither folded away nor hidden by the frame. */
  arrange() {
    const folds = this.drawing.folds ?? [];
    const away = new Set([...this.folded].flatMap((index) => folds[index].items));
    for (const [id, entry] of this.entries) {
      entry.away = entry.fold ? away.has(entry.fold.at) : away.has(id) || this.states.get(id) === "hidden";
      entry.group.toggleAttribute("data-away", entry.away);
      if (!entry.fold) continue;
      const closed = this.folded.has(Number(entry.group.dataset.fold));
      const label = fill(closed ? this.words.unfold : this.words.fold, { what: plain(entry.fold.label) });
      entry.sign.textContent = closed ? "+" : "−";
      entry.count.textContent = closed ? plain(entry.fold.label) : "";
      entry.group.setAttribute("aria-label", label);
      entry.group.setAttribute("aria-expanded", String(!closed));
      entry.group.firstChild.textContent = label;
    }
    if (this.current?.away) this.rove(this.reachable()[0]);
  }

  toggle(index) {
    this.folded.has(index) ? this.folded.delete(index) : this.folded.add(index);
    this.arrange();
  }

  /** The state of a group is that of what is in it: what runs, else whether all has run. */
  grouped(states) {
    if (!this.drawing.groups?.length) return states;
    const all = new Map(states);
    for (const { at, items } of this.drawing.groups) {
      const inside = items.map((id) => states.get(id) ?? "idle");
      const first = ["failed", "active"].find((state) => inside.includes(state));
      const some = inside.includes("done") || inside.includes("waiting");
      all.set(at, first ?? (inside.every((state) => state === "done") ? "done" : some ? "waiting" : "idle"));
      const runs = items.find((id) => /^n/.test(id) && states.get(id) === "active");
      const slot = this.slots.get(`in ${at}`);
      if (slot) slot.text.textContent = slot.shown = runs ? this.drawing.named?.find(([id]) => id === runs)?.[1] ?? slot.first : slot.first;
    }
    return all;
  }

  /** States and texts of a frame: only what differs is touched; `active` is what runs, `changed` the ids that a step on has
   * changed (or null: anything may have). */
  apply(given, texts, active, moves, changed) {
    const states = this.grouped(given);
    const some = this.drawing.groups?.length ? null : changed;
    let hidden = false;
    for (const id of some ?? this.entries.keys()) {
      const entry = this.entries.get(id);
      const [was, now] = [this.states.get(id), states.get(id)];
      if (!entry || was === now || entry.fold) continue;
      now === undefined ? entry.group.removeAttribute("data-state") : entry.group.setAttribute("data-state", now);
      hidden ||= was === "hidden" || now === "hidden";
    }
    for (const slot of some ?? this.slots.keys()) {
      const place = this.slots.get(slot);
      if (!place || slot.startsWith("in ")) continue; // of a group
      const now = texts.get(slot) ?? place.first;
      if (place.shown !== now) place.text.textContent = place.shown = now;
    }
    [this.states, this.texts] = [states, texts];
    if (hidden) this.arrange();
    const boxes = (this.drawing.groups ?? []).map(({ at }) => at).filter((at) => ["active", "failed"].includes(states.get(at)));
    this.runs = [...active, ...boxes].filter((id) => this.entries.has(id)).sort((a, b) => this.rank(a) - this.rank(b));
    if (this.runs.length) this.lately = this.runs; // at the end, where nothing runs, this stays in view
    if (this.drawing.zoom) this.follow(this.runs, moves);
    if (this.map) this.mark(some ?? this.dots.keys());
  }

  /** Nodes before values before edges: what has to be in the window. */
  rank(id) {
    return this.connects(this.entries.get(id).item) * 2 + (/^v/.test(id) ? 1 : 0);
  }

  // -- focus and search ----------------------------------------------------------------------------------------------

  reachable() {
    return [...this.entries.values()].filter((entry) => entry.opens && !entry.away && entry.box);
  }

  /** The one item that Tab reaches. */
  rove(entry) {
    this.current?.group.setAttribute("tabindex", "-1");
    this.current = entry;
    entry?.group.setAttribute("tabindex", "0");
  }

  focus(entry) {
    this.rove(entry);
    this.follow([entry.item?.id ?? `fold ${entry.group.dataset.fold}`]); // first: what is far from the window is not there
    entry.group.focus({ preventScroll: true });
    entry.group.scrollIntoView({ block: "nearest", inline: "nearest" }); // in a notebook a card may be partly out of sight
  }

  /** Home and End: in a graph to what was computed first and to the root, else to the first and last shape. */
  ends(key) {
    const at = { Home: 0, End: -1 }[key];
    const found = this.ordered().at(at ?? Infinity);
    return found && (this.focus(found), true);
  }

  /** The shapes one after the other: those of a graph as they were computed. Arrow keys need not come to all of them. */
  ordered() {
    return this.reachable().sort((a, b) => this.drawing.zoom && a.laid[2] - b.laid[2]);
  }

  /** A key within the drawing; whether it meant something. */
  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (this.drawing.zoom && event.shiftKey && step) this.pan(step[0] * 60, step[1] * 60);
    else if (this.drawing.zoom && "+=-_0".includes(event.key)) event.key === "0" ? this.fit() : this.zoom("+=".includes(event.key) ? 1.25 : 0.8);
    else if (step && this.current) {
      const [x, y] = centre(this.current.box);
      const far = (entry) => {
        const [dx, dy] = [centre(entry.box)[0] - x, centre(entry.box)[1] - y];
        const [along, across] = [dx * step[0] + dy * step[1], Math.abs(dx * step[1]) + Math.abs(dy * step[0])];
        return along > 1 ? along + 2 * across : Infinity;
      };
      const next = this.reachable().reduce((best, entry) => (far(entry) < best[0] ? [far(entry), entry] : best), [Infinity, null])[1];
      if (next) this.focus(next);
    } else if (["PageUp", "PageDown"].includes(event.key) && this.current) {
      const all = this.ordered(), next = all[all.indexOf(this.current) + (event.key === "PageDown" ? 1 : -1)];
      if (next) this.focus(next);
    } else return false;
    return true;
  }

  search(sought) {
    const words = sought.trim().toLowerCase();
    const hits = words ? [...this.entries.values()].filter((entry) => entry.item && (holds(entry.find, words) || holds(entry.group.textContent.toLowerCase(), words))) : [];
    for (const entry of this.entries.values()) entry.group.classList.toggle("agl-hit", hits.includes(entry));
    this.svg.classList.toggle("agl-searching", Boolean(words));
    this.hits = hits;
    this.count.textContent = words ? fill(this.words.found, { count: hits.length }) : "";
    if (hits.length) this.follow([hits[0].item.id]);
  }

  /** From hit to hit; what is folded away unfolds. */
  next() {
    if (!this.hits?.length) return;
    this.hits.push(this.hits.shift());
    const entry = this.hits.at(-1);
    (this.drawing.folds ?? []).forEach((fold, index) => fold.items.includes(entry.item.id) && this.folded.delete(index));
    this.arrange();
    this.follow([entry.item.id]);
    if (entry.opens) this.focus(entry);
  }

  tools() {
    const w = this.words;
    const button = (name, label, sign) => h("button", { type: "button", class: "agl-button", "data-look": name, title: label, "aria-label": label }, sign);
    this.count = h("span", { class: "agl-count", role: "status" });
    this.box = h("input", { type: "search", class: "agl-search", placeholder: w.search, "aria-label": w.search, spellcheck: "false" });
    this.bar = h("div", { class: "agl-tools" }, this.box, this.count, h("span", { class: "agl-space" }),
      button("out", w.zoom_out, "−"), button("in", w.zoom_in, "+"), button("fit", w.fit, w.fit));
    return this.bar;
  }

  // -- what part of it is seen ----------------------------------------------------------------------------------------

  look(view) {
    this.view = view;
    this.svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].map(round).join(" "));
    this.cull();
    if (!this.seen) return;
    for (const name of ["x", "y", "width", "height"]) this.seen.setAttribute(name, round(view[name]));
    const whole = view.width >= this.home.width - 1 && view.height >= this.home.height - 1;
    this.map.toggleAttribute("hidden", whole);
    this.bar?.toggleAttribute("data-whole", whole && !this.near);
  }

  /** Of a large drawing only what is near the window is there: each move of the window lays out all that is. `whole`: now
   * all of it is. Labels are no longer than half a window. */
  cull(whole = false) {
    if (this.entries.size <= LARGE) return;
    const { x, y, width, height } = this.view;
    const [near, far] = [0.5, 1.5].map((part) => [x - part * width, y - part * height, x + (1 + part) * width, y + (1 + part) * height]);
    const all = whole || Boolean(this.rows || this.tight);
    const within = this.around && [0, 1].every((k) => near[k] >= this.around[k] && near[k + 2] <= this.around[k + 2]);
    if (!all && within && this.around[2] - this.around[0] < 8 * width) return;
    this.around = all ? null : far;
    for (const entry of this.entries.values()) {
      const span = entry.span;
      const out = !all && Boolean(span) && (span[0] > far[2] || span[2] < far[0] || span[1] > far[3] || span[3] < far[1]);
      if (out !== Boolean(entry.out)) entry.group.toggleAttribute("data-out", (entry.out = out));
    }
  }

  /** Moves the window there, so that the eye can follow; at once for who wants no motion. */
  glide(to, moves) {
    cancelAnimationFrame(this.gliding);
    const still = !moves || window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (still) return this.look(to);
    const [from, start] = [this.view, performance.now()];
    const move = (now) => {
      const part = Math.max(0, Math.min(1, (now - start) / PAN));
      const eased = part * (2 - part);
      this.look({ ...to, x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased });
      if (part < 1) this.gliding = requestAnimationFrame(move);
    };
    this.gliding = requestAnimationFrame(move);
    return undefined;
  }

  /** The whole drawing, small, in a corner: which part is seen, and what runs. */
  minimap() {
    const { width, height } = this.home;
    const share = Math.min(170 / width, 54 / height);
    const map = s("svg", { class: "agl-map", viewBox: `0 0 ${round(width)} ${round(height)}`, width: Math.max(24, round(width * share)), height: Math.max(12, round(height * share)), preserveAspectRatio: "none", "aria-hidden": "true" });
    this.dots = new Map();
    for (const [id, { box, item }] of this.entries) {
      if (!box || !item || this.connects(item)) continue;
      const dot = s("rect", { x: round(box[0]), y: round(box[1]), width: round(box[2] - box[0]), height: round(box[3] - box[1]) });
      this.dots.set(id, dot);
      map.append(dot);
    }
    this.seen = s("rect", { class: "agl-seen" });
    map.append(this.seen);
    return map;
  }

  mark(ids) {
    for (const id of ids) {
      const [dot, state] = [this.dots.get(id), this.states.get(id)];
      if (dot && dot.getAttribute("data-state") !== (state ?? null)) state ? dot.setAttribute("data-state", state) : dot.removeAttribute("data-state");
    }
  }

  // -- rows ----------------------------------------------------------------------------------------------------------

  /** Whether all of it can be read in such a window, in one row or in several, its columns drawn together and level with each
   * other if need be. */
  fits(wide, high) {
    const { height, zoom } = this.drawing;
    return (zoom ? WAYS : WAYS.slice(0, 1)).some(([tight, level]) => {
      if (this.wide(tight) * LEAST <= wide) return height * LEAST <= high;
      return zoom && Boolean(this.cut(wide, high, tight, level));
    });
  }

  /** The parts of its width in which no box and no label stands: from, to. */
  gaps() {
    if (this.free) return this.free;
    const taken = [];
    for (const { item, laid } of this.entries.values()) {
      if (!item) continue;
      if (!this.connects(item)) taken.push([laid[0], laid[2]]);
      for (const p of item.shapes) {
        if (p.is !== "text" || !(p.text || this.longest?.has(p.slot))) continue;
        const long = LETTER * Math.max(this.longest?.get(p.slot) ?? 0, (p.text ?? "").length);
        const left = { start: 0, end: long }[p.anchor] ?? long / 2;
        taken.push([p.x - left, p.x - left + long]);
      }
    }
    taken.sort((a, b) => a[0] - b[0]);
    this.free = [];
    let end = 0;
    for (const [low, high] of taken) {
      if (low - end >= 6 && end > 0) this.free.push([end, low]);
      end = Math.max(end, high);
    }
    return this.free;
  }

  /** Where a place of the drawing is when columns are drawn together, or are not. */
  place(x, tight) {
    if (!tight) return x;
    this.less ??= this.spare();
    return x - this.less.reduce((sum, [from, to, less]) => sum + less * Math.max(0, Math.min(1, (x - from) / (to - from))), 0);
  }

  /** The gaps that are wider than need be: from, to, and by how much. */
  spare() {
    const lines = [...this.entries.values()].filter(({ item }) => item).flatMap(({ item }) => item.shapes.filter((p) => p.is === "path"));
    const bends = lines.flatMap(({ points }) => points.slice(1).flatMap((point, k) => (Math.abs(point[1] - points[k][1]) > 1 ? [[points[k][0], point[0]].sort((a, b) => a - b)] : [])));
    return this.gaps().map(([from, to]) => {
      const bent = bends.some(([low, high]) => low < to && high > from);
      const kept = bent ? Math.max(CLOSE[1], (to - from) * BENT) : CLOSE[0];
      return [from, to, Math.max(0, to - from - kept)];
    });
  }

  wide(tight) {
    return this.place(this.drawing.width, tight);
  }

  /** Where a drawing that is too wide can be cut into rows, none of them through a box or a label; [0] if it fits, or cannot
   * be cut. */
  cuts(wide, tight) {
    const width = this.wide(tight);
    if (!this.drawing.zoom || width * LEAST <= wide) return [0];
    const free = this.gaps().map(([from, to]) => (this.place(from, tight) + this.place(to, tight)) / 2);
    const starts = [0];
    while (width - starts.at(-1) > wide) {
      const next = free.findLast((x) => x <= starts.at(-1) + wide && x > starts.at(-1) + wide / 4);
      if (next === undefined) return [0];
      starts.push(next);
    }
    return starts;
  }

  /** The columns: from, to, and the top and the foot of what stands in each. */
  standing() {
    if (this.stand) return this.stand;
    const edges = this.gaps().flat();
    this.stand = [-Infinity, ...edges].flatMap((from, k) => (k % 2 ? [] : [{ from, to: edges[k] ?? Infinity, top: Infinity, foot: -Infinity }]));
    for (const [x, y] of this.inked()) {
      const column = this.stand.find(({ from, to }) => x >= from && x <= to);
      if (column) [column.top, column.foot] = [Math.min(column.top, y), Math.max(column.foot, y)];
    }
    return this.stand;
  }

  /** How far down each place goes when a row is made as high as its highest column: others are moved into its band, as little
   * as can be, and lines bend between columns. */
  level(starts, tight) {
    const columns = this.standing().filter(({ foot, top }) => foot >= top);
    const row = ({ from, to }) => starts.findLastIndex((start) => start <= this.place((Math.max(from, 0) + Math.min(to, this.drawing.width)) / 2, tight));
    const moves = new Map();
    starts.forEach((_, k) => {
      const mine = columns.filter((column) => row(column) === k);
      const high = Math.max(...mine.map(({ top, foot }) => foot - top));
      const by = ({ top, foot }, band) => Math.max(0, band - top) - Math.max(0, foot - band - high);
      const all = (band) => mine.reduce((sum, column) => sum + Math.abs(by(column, band)), 0);
      const best = mine.flatMap(({ top, foot }) => [top, foot - high]).reduce((a, b) => (all(b) < all(a) ? b : a), Infinity);
      for (const column of mine) moves.set(column, by(column, best));
    });
    return (x) => {
      const after = columns.findIndex(({ to }) => x <= to);
      const [left, right] = [columns[after - 1], columns[after] ?? columns.at(-1)];
      if (!left || x >= right.from) return moves.get(right);
      return moves.get(left) + ((moves.get(right) - moves.get(left)) * (x - left.to)) / (right.from - left.to);
    };
  }

  /** Points of a line with those where it comes to a column or leaves it. */
  bent(points) {
    const edges = this.gaps().flat();
    return points.flatMap((point, k) => {
      if (!k) return [point];
      const from = points[k - 1];
      const inside = edges.filter((x) => (x - from[0]) * (x - point[0]) < 0);
      if (point[0] < from[0]) inside.reverse();
      return [...inside.map((x) => [x, from[1] + ((point[1] - from[1]) * (x - from[0])) / (point[0] - from[0])]), point];
    });
  }

  /** The rows in which all of it has room, as large as it was drawn or a little smaller; null for one. What was found is kept:
   * the drawing stays as it was laid out, and each step asks again. */
  cut(wide, most, tight, level) {
    const asked = [wide, most, tight, level].join(" ");
    if (!this.found?.has(asked)) {
      if (!this.found || this.found.size >= KEPT) this.found = new Map();
      this.found.set(asked, this.cutting(wide, most, tight, level));
    }
    return this.found.get(asked);
  }

  cutting(wide, most, tight, level) {
    const low = Math.min(...this.standing().map(({ top, foot }) => (foot >= top ? foot - top : Infinity)));
    for (const scale of [READABLE, LEAST]) {
      const ways = [1, 0.9, 0.8, 0.7, 0.6].map((part) => this.cuts((wide / scale) * part, tight)); // the first has the fewest rows
      if (ways[0].length < 2 || ways[0].length * low * scale > most) continue;
      const places = this.inked().map(([x, y]) => [x, this.place(x, tight), y]);
      const rows = ways.filter(({ length }) => length === ways[0].length).map((starts) => {
        const lift = level ? this.level(starts, tight) : () => 0;
        return new Rows(starts, places.map(([x, at, y]) => [at, y + lift(x)]), lift, BETWEEN[Number(level)]);
      });
      const lowest = Math.min(...rows.map(({ height }) => height));
      const best = rows.findLast(({ height }) => height <= lowest + ALIKE && height * scale <= most);
      if (best) return best; // of those about as low that whose rows are most alike
    }
    return null;
  }

  /** Points that rows have to hold: the tops and feet of boxes, lines and texts. */
  inked() {
    return (this.ink ??= [...this.entries.values()].filter(({ item }) => item).flatMap(({ item, laid }) => [
      ...(this.connects(item) ? [] : [[(laid[0] + laid[2]) / 2, laid[1] - 3], [(laid[0] + laid[2]) / 2, laid[3] + 3]]),
      ...item.shapes.flatMap((p) => (p.is === "path" ? along(p.points, p.curve) : p.is === "text" ? [[p.x, p.y - 14], [p.x, p.y + 5]] : [])),
    ]));
  }

  /** Lays the drawing out in rows, or in one, its columns drawn together and level where it has no room otherwise; whether
   * that is another way than before. */
  wrap(wide, most) {
    const whole = (tight) => this.wide(tight) * LEAST <= wide && this.drawing.height * LEAST <= most;
    let rows = null;
    const [tight, level] = WAYS.find(([close, even]) => whole(close) || (rows = this.cut(wide, most, close, even))) ?? WAYS[0];
    const way = `${tight} ${level} ${rows?.starts}`;
    if (way === (this.way ?? `${WAYS[0].join(" ")} undefined`)) return false;
    Object.assign(this, { rows, way, tight, around: null });
    const starts = rows?.starts ?? [0];
    const at = (x) => this.place(x, tight);
    const shift = (x) => {
      const [right, down] = this.rows?.of(at(x)) ?? [0, 0];
      return [right + at(x) - x, down + (rows?.lift(x) ?? 0)];
    };
    const closer = (points) => (level ? this.bent(points) : points).map(([x, y]) => [at(x), y + (rows?.lift(x) ?? 0)]);
    const move = (element, [dx, dy]) => (dx || dy ? element.setAttribute("transform", `translate(${round(dx)} ${round(dy)})`) : element.removeAttribute("transform"));
    const moved = ([l, t, r, b], [dx, dy]) => [l + dx, t + dy, r + dx, b + dy];
    for (const entry of this.entries.values()) {
      if (!entry.laid) continue;
      if (!entry.item || !this.connects(entry.item)) {
        const by = shift(centre(entry.fold ? this.entries.get(entry.fold.at).laid : entry.laid)[0]);
        move(entry.group, by);
        entry.box = moved(entry.laid, by);
        continue;
      }
      for (const [p, made] of entry.parts) {
        if (p.is !== "path") made.forEach((one) => move(one, shift(p.x ?? p.cx ?? 0)));
        if (p.is !== "path") continue;
        const [line, head] = made;
        const points = head ? arrow(p.points, 6.5 + (p.width ?? 1.4))[0] : p.points;
        line.setAttribute("d", this.rows ? this.rows.track(closer(along(points, p.curve))) : track(closer(points), p.curve));
        const tip = p.points.at(-1);
        if (head) move(head, shift(tip[0]));
        made.reach?.setAttribute("d", line.getAttribute("d"));
        entry.box = this.rows || tight ? moved([tip[0] - 4, tip[1] - 4, tip[0] + 4, tip[1] + 4], shift(tip[0])) : entry.laid;
      }
    }
    const width = Math.max(...starts.map((start, k) => (starts[k + 1] ?? this.wide(tight)) - start));
    this.home = { x: 0, y: 0, width, height: rows?.height ?? this.drawing.height };
    this.map.replaceWith((this.map = this.minimap()));
    this.mark(this.dots.keys());
    this.touched = false;
    return true;
  }

  /** The pixels that the page, or the notebook in it, leaves a drawing beside the rest of its card. */
  left() {
    const card = this.element.closest(".agl-card");
    const page = this.element.closest(".jp-WindowedPanel-outer")?.clientHeight ?? window.innerHeight;
    return Math.max(PAGE[0], page - (card ? card.offsetHeight - this.frame.offsetHeight : 0));
  }

  /** Called when the drawing's width on the page is known or changes: its height, and at first, how much is seen. */
  resize(wide) {
    if (!wide) return;
    const left = this.tall ?? this.left();
    const room = this.tall ?? Math.min(SCREEN, left);
    if (this.drawing.zoom) this.wrap(wide, this.tall || this.fits(wide, room) ? room : Math.min(WRAPPED, left));
    const { width, height } = this.home;
    const most = this.tall ?? (this.rows ? Math.max(room, height) : Math.min(PAGE[1], left));
    const larger = this.rows ? 1 : Math.max(1, Math.min(1.25, ENLARGED / height));
    const scale = Math.min(larger, this.drawing.zoom ? wide / width : Math.max(wide / width, LEAST));
    const near = this.drawing.zoom && Math.min(scale, most / height) < LEAST;
    const high = !this.drawing.zoom ? height * scale : Math.min(Math.max(height * Math.max(scale, READABLE), 120), most);
    this.svg.style.height = `${Math.ceil(high)}px`;
    this.svg.style.minWidth = this.drawing.zoom ? "" : `${Math.floor(width * LEAST)}px`; // what cannot be made smaller is scrolled
    this.size = { wide, high };
    this.frame.toggleAttribute("data-whole", !near);
    this.near = near;
    if (!this.drawing.zoom) return;
    if (this.touched) return this.look(this.view);
    if (!near) return this.fit();
    const boxes = this.drawing.items.map((item) => this.entries.get(item.id)?.box).filter(Boolean);
    const [x, y] = centre(boxes.reduce((root, box) => (box[2] > root[2] ? box : root), [0, 0, 0, 0])); // the root is at the right
    this.look({ x: x - wide / READABLE / 2, y: y - high / READABLE / 2, width: wide / READABLE, height: high / READABLE });
    this.keep(0);
    if (this.lately?.length) this.follow(this.lately);
  }

  /** All of it where that can still be read; else as much as can. */
  fit() {
    const { wide, high } = this.size ?? { wide: this.home.width, high: this.home.height };
    const scale = Math.max(Math.min(1.25, wide / this.home.width, high / this.home.height), this.drawing.zoom ? LEAST : 0);
    const [width, height] = [wide / scale, high / scale];
    this.look({ x: (this.home.width - width) / 2, y: (this.home.height - height) / 2, width, height });
    if (this.lately?.length) this.follow(this.lately);
  }

  zoom(factor, at) {
    const { x, y, width, height } = this.view;
    const least = Math.min((this.size?.wide ?? width) / this.home.width, (this.size?.high ?? height) / this.home.height, 1) / 1.5;
    const scale = Math.max(least, Math.min(4, ((this.size?.wide ?? width) / width) * factor));
    const [w, t] = [(this.size?.wide ?? width) / scale, (this.size?.high ?? height) / scale];
    const [fx, fy] = at ?? [x + width / 2, y + height / 2];
    this.touched = true;
    this.look({ x: fx - ((fx - x) * w) / width, y: fy - ((fy - y) * t) / height, width: w, height: t });
    this.keep();
  }

  pan(dx, dy) {
    const scale = this.view.width / (this.size?.wide ?? this.view.width);
    this.touched = true;
    this.look({ ...this.view, x: this.view.x + dx * scale, y: this.view.y + dy * scale });
    this.keep();
  }

  /** The drawing never leaves the window altogether: `slack` is the part of the window that may be left empty at a side. */
  keep(slack = 0.1) {
    this.look(this.kept(this.view, slack));
  }

  kept({ x, y, width, height }, slack) {
    const hold = (at, size, whole) => (size >= whole ? (whole - size) / 2 : Math.max(-size * slack, Math.min(at, whole - size * (1 - slack))));
    return { x: hold(x, width, this.home.width), y: hold(y, height, this.home.height), width, height };
  }

  /** Moves the window, only if need be, so that the first of these items is in it, and the others as far as they fit. */
  follow(ids, moves) {
    const boxes = ids.map((id) => this.entries.get(id)).filter((entry) => entry?.box && !entry.away).map((entry) => entry.box);
    if (!this.drawing.zoom || !this.size || !boxes.length) return;
    const v = this.view;
    let [l, t, r, b] = boxes[0];
    for (const box of boxes.slice(1)) {
      const [x, y, right, low] = [Math.min(l, box[0]), Math.min(t, box[1]), Math.max(r, box[2]), Math.max(b, box[3])];
      if (right - x <= v.width - 2 * EDGE && low - y <= v.height - 2 * EDGE) [l, t, r, b] = [x, y, right, low];
    }
    const hold = (at, size, low, high) => (high - low > size - 2 * EDGE ? (low + high - size) / 2 : low < at + EDGE || high > at + size - EDGE ? (low + high - size) / 2 : at);
    const to = this.kept({ ...v, x: hold(v.x, v.width, l, r), y: hold(v.y, v.height, t, b) }, 0);
    this.aside(boxes[0], to);
    if (to.x !== v.x || to.y !== v.y) this.glide(to, moves);
  }

  /** The map stands at the left where it would cover this box. */
  aside([, , right, low], { x, y, width, height }) {
    const [wide, high] = ["width", "height"].map((side) => ((Number(this.map.getAttribute(side)) + 2 * EDGE) * width) / this.size.wide);
    this.map.toggleAttribute("data-left", right > x + width - wide && low > y + height - high);
  }

  /** Pointer: drag to pan, wheel with Ctrl to zoom; buttons; the search box. */
  move(signal) {
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => {
      this.dragged = false;
      if (event.button === 0) from = [event.clientX, event.clientY];
    }, { signal });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || (!this.dragged && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 4)) return;
      if (!this.dragged) this.svg.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.pan(from[0] - event.clientX, from[1] - event.clientY);
      from = [event.clientX, event.clientY];
    }, { signal });
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => (from = null), { signal });
    this.svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const rect = this.svg.getBoundingClientRect();
      const [px, py] = [(event.clientX - rect.x) / rect.width, (event.clientY - rect.y) / rect.height];
      this.zoom(Math.exp(-event.deltaY / 300), [this.view.x + px * this.view.width, this.view.y + py * this.view.height]);
    }, { signal, passive: false });
    this.bar.addEventListener("click", (event) => {
      const look = event.target.closest("[data-look]")?.dataset.look;
      if (look === "fit") this.touched = true;
      if (look) look === "fit" ? this.fit() : this.zoom(look === "in" ? 1.25 : 0.8);
    }, { signal });
    this.box.addEventListener("input", () => this.search(this.box.value), { signal });
  }

  /** Whether it is drawn there: in the picture, or among its tools, wherever these stand. */
  has(element) {
    return this.element.contains(element) || Boolean(this.bar?.contains(element));
  }

  /** A key within the search box; whether it meant something. */
  typed(event) {
    if (event.key === "Enter") this.next();
    else if (event.key === "Escape" && this.box.value) this.search((this.box.value = ""));
    else return false;
    return true;
  }
}

export { Sketch, announced, arrive, blocks, fill, h, holds, icon, kept, kindle, leave, led, plain, prose, s };
