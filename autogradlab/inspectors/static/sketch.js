// Blocks and drawings of a card as elements. All words become text nodes: nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";
const READABLE = 0.6; // below this scale a drawing starts nearer, at its root
const NEAR = 0.8; // the scale of that start: most of a small network, and every word can be read

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
const plain = (text) => prose(text).map((node) => (typeof node === "string" ? node : node.textContent)).join("");
const fill = (words, fields) => words.replace(/\{(\w+)\}/g, (all, name) => (name in fields ? fields[name] : all));
const tone = (part) => `agl-${part.tone ?? "plain"}`;

// -- blocks ----------------------------------------------------------------------------------------------------------

const BLOCKS = {
  note: (b) => h("p", { class: `agl-note ${tone(b)}` }, b.lead ? [h("strong", { class: "agl-lead" }, prose(b.lead)), " "] : null, prose(b.text)),
  facts: (b) => h("dl", { class: `agl-facts${b.rows.length < 3 || b.rows.some(([, value]) => value.length > 34) ? " agl-few" : ""}` }, b.rows.map(([label, value]) => h("div", {}, h("dt", {}, prose(label)), h("dd", {}, value)))),
  grid: (b) => {
    const shade = (i, j) => {
      const heat = b.heat?.[i]?.[j];
      return Number.isFinite(heat) ? { style: `--heat: ${Math.max(0, Math.min(1, heat))}`, class: "agl-heat" } : {};
    };
    const rows = b.rows.map((row, i) =>
      h("tr", {}, b.heads?.length ? h("th", { scope: "row" }, b.heads[i] ?? "") : null, row.map((cell, j) => h("td", shade(i, j), cell))));
    return h("div", { class: `agl-grid ${tone(b)}${b.heat ? " agl-heated" : ""}` },
      b.caption ? h("div", { class: "agl-caption" }, prose(b.caption)) : null,
      h("div", { class: "agl-scroll" }, h("table", { "aria-label": b.caption ? plain(b.caption) : null }, h("tbody", {}, rows))),
      b.more ? h("p", { class: "agl-more" }, b.more) : null);
  },
  table: (b) => h("div", {}, b.caption ? h("div", { class: "agl-caption" }, prose(b.caption)) : null,
    h("div", { class: "agl-scroll" }, h("table", { class: "agl-table", "aria-label": b.caption ? plain(b.caption) : null },
      h("thead", {}, h("tr", {}, b.columns.map((name) => h("th", { scope: "col" }, prose(name))))),
      h("tbody", {}, b.rows.map((row, i) => h("tr", { class: `agl-${b.tones?.[i] ?? "plain"}` }, row.map((cell) => h("td", {}, prose(cell))))))))),
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
    made.push(block.is === "drawing" ? draw(block) : BLOCKS[block.is](block));
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
    "text-anchor": p.anchor ?? "middle", "font-size": p.size ?? 12, "data-slot": p.slot || null,
  }, p.text ?? "")],
};

function extent(item) {
  let box = null;
  for (const p of item.shapes) {
    const [l, t, r, b] = p.is === "rect" ? [p.x, p.y, p.x + p.width, p.y + p.height]
      : p.is === "ellipse" ? [p.x - p.rx, p.y - p.ry, p.x + p.rx, p.y + p.ry] : [];
    if (l !== undefined) box = box ? [Math.min(box[0], l), Math.min(box[1], t), Math.max(box[2], r), Math.max(box[3], b)] : [l, t, r, b];
  }
  if (box) return box;
  const points = item.shapes.flatMap((p) => (p.is === "path" ? p.points : p.is === "text" ? [[p.x, p.y]] : []));
  const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
  return points.length ? [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] : null;
}
const centre = ([l, t, r, b]) => [(l + r) / 2, (t + b) / 2];

/** One drawing: built once; frames, folds, search and zoom change attributes. */
class Sketch {
  constructor(drawing, words, signal) {
    Object.assign(this, { drawing, words, entries: new Map(), slots: new Map(), folded: new Set(), states: new Map(), texts: new Map() });
    this.svg = s("svg", { class: "agl-svg", role: "group", "aria-label": plain(drawing.label || words.drawing), "data-zoom": drawing.zoom });
    const order = [...drawing.items].sort((a, b) => this.connects(b) - this.connects(a));
    for (const item of order) this.svg.append(this.item(item));
    (drawing.folds ?? []).forEach((fold, index) => this.fold(fold, index));
    this.home = { x: 0, y: 0, width: drawing.width, height: drawing.height };
    this.frame = h("div", { class: "agl-frame" }, this.svg);
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
    const group = s("g", { class: "agl-item", "data-item": item.id, ...role }, item.label ? s("title", {}, plain(item.label)) : null);
    for (const p of item.shapes) group.append(...SHAPES[p.is](p).filter(Boolean));
    for (const text of group.querySelectorAll("[data-slot]")) this.slots.set(text.dataset.slot, { text, first: text.textContent, shown: text.textContent });
    const box = extent(item);
    this.entries.set(item.id, { item, group, box, opens, find: `${item.find ?? ""} ${item.label ?? ""}`.toLowerCase() });
    return group;
  }

  fold(fold, index) {
    const at = this.entries.get(fold.at);
    if (!at?.box) return;
    const [, top, right] = at.box;
    const sign = s("text", { x: right, y: top + 3.8, class: "agl-text agl-plain agl-bold", "text-anchor": "middle", "font-size": 12 });
    const count = s("text", { x: centre(at.box)[0], y: top - 12, class: "agl-text agl-muted", "text-anchor": "middle", "font-size": 10.5 });
    const group = s("g", { class: "agl-fold", role: "button", tabindex: -1, "data-fold": index }, s("title"), s("circle", { cx: right, cy: top, r: 8 }), sign, count);
    this.entries.set(`fold ${index}`, { group, fold, sign, count, box: [right - 8, top - 8, right + 8, top + 8], opens: true, find: "" });
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

  /** States and texts of a frame: only what differs is touched. */
  apply(states, texts) {
    let hidden = false;
    for (const [id, entry] of this.entries) {
      const [was, now] = [this.states.get(id), states.get(id)];
      if (was === now || entry.fold) continue;
      now === undefined ? entry.group.removeAttribute("data-state") : entry.group.setAttribute("data-state", now);
      hidden ||= was === "hidden" || now === "hidden";
    }
    for (const [slot, place] of this.slots) {
      const now = texts.get(slot) ?? place.first;
      if (place.shown !== now) place.text.textContent = place.shown = now;
    }
    [this.states, this.texts] = [states, texts];
    if (hidden) this.arrange();
    if (this.drawing.zoom) this.follow([...states].filter(([, state]) => state === "active" || state === "failed").map(([id]) => id));
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
    entry.group.focus({ preventScroll: true });
    this.follow([entry.item?.id ?? `fold ${entry.group.dataset.fold}`]);
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
    } else return false;
    return true;
  }

  search(sought) {
    const words = sought.trim().toLowerCase();
    const hits = words ? [...this.entries.values()].filter((entry) => entry.item && entry.find.includes(words)) : [];
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
    return h("div", { class: "agl-tools" }, this.box, this.count, h("span", { class: "agl-space" }),
      button("out", w.zoom_out, "−"), button("in", w.zoom_in, "+"), button("fit", w.fit, w.fit));
  }

  // -- what part of it is seen ----------------------------------------------------------------------------------------

  look(view) {
    this.view = view;
    this.svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].map(round).join(" "));
  }

  /** Called when the drawing's width on the page is known or changes: its height, and at first, how much is seen. */
  resize(wide) {
    const { width, height } = this.drawing;
    if (!wide) return;
    const scale = Math.min(1.25, wide / width);
    const near = this.drawing.zoom && scale < READABLE;
    const high = !this.drawing.zoom ? height * scale : Math.min(Math.max(height * (near ? NEAR : scale), 120), 460);
    this.svg.style.height = `${Math.ceil(high)}px`;
    this.size = { wide, high };
    if (!this.drawing.zoom || this.touched) return;
    this.fit();
    if (near || high / height < READABLE) {
      const boxes = this.drawing.items.map((item) => this.entries.get(item.id)?.box).filter(Boolean);
      const [x, y] = centre(boxes.reduce((root, box) => (box[2] > root[2] ? box : root), [0, 0, 0, 0])); // the root is at the right
      this.look({ x: x - wide / NEAR / 2, y: y - high / NEAR / 2, width: wide / NEAR, height: high / NEAR });
      this.keep(0);
    }
  }

  fit() {
    const { wide, high } = this.size ?? { wide: this.home.width, high: this.home.height };
    const scale = Math.min(1.25, wide / this.home.width, high / this.home.height);
    const [width, height] = [wide / scale, high / scale];
    this.look({ x: (this.home.width - width) / 2, y: (this.home.height - height) / 2, width, height });
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
    const { x, y, width, height } = this.view;
    const hold = (at, size, whole) => (size >= whole ? (whole - size) / 2 : Math.max(-size * slack, Math.min(at, whole - size * (1 - slack))));
    this.look({ x: hold(x, width, this.home.width), y: hold(y, height, this.home.height), width, height });
  }

  /** Moves the window, only if need be, so that these items are in it. */
  follow(ids) {
    const boxes = ids.map((id) => this.entries.get(id)).filter((entry) => entry?.box && !entry.away).map((entry) => entry.box);
    if (!this.drawing.zoom || !this.size || !boxes.length) return;
    const [l, t] = [Math.min(...boxes.map((b) => b[0])), Math.min(...boxes.map((b) => b[1]))];
    const [r, b] = [Math.max(...boxes.map((b) => b[2])), Math.max(...boxes.map((b) => b[3]))];
    const v = this.view;
    if (l >= v.x && t >= v.y && r <= v.x + v.width && b <= v.y + v.height) return;
    this.look({ ...v, x: (l + r) / 2 - v.width / 2, y: (t + b) / 2 - v.height / 2 });
    this.keep();
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
    this.element.addEventListener("click", (event) => {
      const look = event.target.closest("[data-look]")?.dataset.look;
      if (look === "fit") this.touched = true;
      if (look) look === "fit" ? this.fit() : this.zoom(look === "in" ? 1.25 : 0.8);
    }, { signal });
    this.box.addEventListener("input", () => this.search(this.box.value), { signal });
  }

  /** A key within the search box; whether it meant something. */
  typed(event) {
    if (event.key === "Enter") this.next();
    else if (event.key === "Escape" && this.box.value) this.search((this.box.value = ""));
    else return false;
    return true;
  }
}

export { Sketch, blocks, fill, h, plain, prose, s };
