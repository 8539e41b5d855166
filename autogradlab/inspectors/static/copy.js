// A card to be pasted elsewhere: as words, as SVG, as PNG. Nothing that has not run yet is in any of them.

import { h, led, plain } from "./sketch.js";

const SPACE = "http://www.w3.org/2000/svg";
const SHARP = 2; // pixels of a PNG for each of the page
/** What of an element's computed look goes with it, since it leaves its style sheet behind. */
const LOOK = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "text-anchor", "font-family", "font-size", "font-weight", "font-style",
  "color", "background-color", "display", "grid-template-columns", "grid-column", "gap", "flex-wrap", "flex-direction", "flex-grow", "align-items", "justify-content",
  "box-sizing", "width", "height", "min-width", "max-width", "margin", "padding", "border-top", "border-right", "border-bottom", "border-left", "border-radius", "border-collapse", "border-spacing",
  "text-align", "vertical-align", "line-height", "white-space", "overflow-wrap", "overflow", "list-style", "clip-path", "position", "left", "top", "right", "bottom",
];

/** A copy of an element that looks the same without its style sheet. */
function styled(element) {
  const copy = element.cloneNode(true);
  const [from, to] = [element, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  from.forEach((one, k) => {
    const look = getComputedStyle(one);
    to[k].setAttribute("style", LOOK.map((name) => `${name}:${look.getPropertyValue(name)}`).join(";"));
    for (const name of ["class", "tabindex", "role", "aria-label", "data-item"]) to[k].removeAttribute(name);
  });
  from.forEach((one, k) => {
    if (k && getComputedStyle(one).display === "none") to[k].remove();
  });
  return copy;
}

const wrapped = (width, height, ...inside) => {
  const svg = document.createElementNS(SPACE, "svg");
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
  svg.append(...inside);
  return svg;
};
const written = (svg) => new XMLSerializer().serializeToString(svg);
const behind = (card) => getComputedStyle(card).backgroundColor;

/** A drawing, whole, whatever part of it is seen. */
function drawn(sketch, card) {
  const { width, height } = sketch.home; // as it is wrapped
  sketch.cull(true);
  const copy = styled(sketch.svg);
  sketch.cull();
  const paper = document.createElementNS(SPACE, "rect");
  for (const [name, value] of Object.entries({ width, height, fill: behind(card) })) paper.setAttribute(name, value);
  const svg = wrapped(width, height, paper, ...copy.childNodes);
  svg.setAttribute("font-family", getComputedStyle(sketch.svg).fontFamily);
  return written(svg);
}

/** All of a card as it is seen. */
function pictured(card) {
  const [width, height] = [Math.ceil(card.offsetWidth), Math.ceil(card.offsetHeight)];
  const copy = styled(card);
  copy.style.margin = "0";
  const room = document.createElementNS(SPACE, "foreignObject");
  room.setAttribute("width", width);
  room.setAttribute("height", height);
  room.append(copy);
  return [written(wrapped(width, height, room)), width, height];
}

async function bitmap(card) {
  const [svg, width, height] = pictured(card);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = h("canvas", { width: width * SHARP, height: height * SHARP });
  const pen = canvas.getContext("2d");
  pen.scale(SHARP, SHARP);
  pen.drawImage(image, 0, 0);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
}

const cells = (grid) => grid.rows.map((row) => `  ${row.join("  ")}`);
const TOLD = {
  note: (b) => [plain(led(b.lead) + b.text)],
  facts: (b) => b.rows.map(([label, value]) => `${plain(label)}: ${value}`),
  grid: (b) => [plain(b.caption), ...cells(b), b.more].filter(Boolean),
  table: (b) => [plain(b.caption), b.columns.map(plain).join("\t"), ...b.rows.map((row) => row.map(plain).join("\t"))].filter(Boolean),
  drawing: (b) => b.words ?? [],
  program: (b) => b.rows.filter((row) => row.kind !== "cell").map((row) => `${row.line ? String(row.line).padStart(3) : "   "}  ${[row.tag, row.text].filter(Boolean).join("  ")}`),
};

/** A card in words, up to a frame. */
function told(card, at = 0) {
  const program = card.blocks?.some((block) => block.is === "program");
  const lines = [[card.title, card.subtitle].filter(Boolean).map(plain).join(" ")];
  for (const block of card.blocks ?? []) if (!(program && block.is === "drawing") && !block.groups) lines.push(...(TOLD[block.is]?.(block) ?? []));
  (card.frames ?? []).slice(0, at + 1).forEach((frame, k) => lines.push(`${k}. ${plain(frame.sentence)}`));
  for (const inner of card.cards ?? []) lines.push("", told(inner));
  return lines.join("\n");
}

/** Puts something on the clipboard; where the page may not, it becomes a file. Whether it is on the clipboard. */
async function give(kind, name, blob) {
  const type = ["image/png", "text/plain"].includes(blob.type) || globalThis.ClipboardItem?.supports?.(blob.type) ? blob.type : "text/plain";
  try {
    await navigator.clipboard.write([new ClipboardItem({ [type]: type === blob.type ? blob : new Blob([blob], { type }) })]);
    return true;
  } catch {
    const link = h("a", { href: URL.createObjectURL(blob), download: `${name}.${kind}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    return false;
  }
}

/** The buttons: `view` has the card, its element and the drawing that is seen, if one is. */
function copying(view, words) {
  const button = (kind, label) => h("button", { type: "button", class: "agl-button", "data-copy": kind }, label);
  return h("span", { class: "agl-copy", role: "group", "aria-label": words.copy }, `${words.copy} `, button("svg", "SVG"), button("png", "PNG"), button("txt", words.as_text));
}

async function copy(view, kind) {
  const seen = view.seen();
  const made = {
    svg: () => new Blob([seen ? drawn(seen, view.element) : pictured(view.element)[0]], { type: "image/svg+xml" }),
    png: () => bitmap(view.element),
    txt: () => new Blob([told(view.card, view.at)], { type: "text/plain" }),
  }[kind];
  const done = await give(kind, `${view.card.kind}-card`, await made());
  view.live.textContent = done ? view.words.copied : view.words.saved_file;
  view.element.querySelector(`[data-copy=${kind}]`)?.setAttribute("data-done", done ? "✓" : "↓");
}

export { copy, copying, told };
