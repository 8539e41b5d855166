// The beginning of a lesson, to read while JupyterLab is still loading: it shows a notebook only when it has read seven
// megabytes of its own. What stands here is the text of the learner's own file, where JupyterLab will show it, and goes
// away when JupyterLab does. It is for copies of lessons alone, and for cells that plain words and code are all of.

/** Milliseconds between looks whether JupyterLab shows the lesson, and until nobody waits for it any more. */
const AGAIN = 50;
const PATIENCE = 60000;
/** In what a notebook that JupyterLab opens at its start is to be read already. */
const SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-RenderedMarkdown :is(h1, p)";
/** What JupyterLab may show instead: a question, or something else than a notebook. */
const OTHER = ".jp-Dialog, .jp-Launcher, .jp-FileEditor, .jp-MarkdownViewer";
const DARK = "autogradlab:dark";
const STYLE = `
#autogradlab-beginning { position: fixed; inset: 0; z-index: 1001; overflow: hidden; cursor: progress; background: #fff; color: rgb(0 0 0 / 87%);
  font: 14px/1.6 system-ui, -apple-system, blinkmacsystemfont, "Segoe UI", helvetica, arial, sans-serif; }
#autogradlab-beginning > div { position: absolute; inset: 91px 76px 0 132px; padding-top: 18px; }
#autogradlab-beginning.dark { background: #111; color: rgb(255 255 255 / 87%); }
#autogradlab-beginning :is(h1, h2, h3) { font-weight: 400; line-height: 1; margin: 15px 0 20px; }
#autogradlab-beginning h1 { font-size: 29px; margin-bottom: 24px; }
#autogradlab-beginning h2 { font-size: 24px; }
#autogradlab-beginning h3 { font-size: 20px; }
#autogradlab-beginning p { margin: 0 0 14px; }
#autogradlab-beginning section { display: flow-root; margin-bottom: 4px; }
#autogradlab-beginning code { font: 13px/1.4 menlo, consolas, "DejaVu Sans Mono", monospace; background: rgb(128 128 128 / 15%); padding: 1px 5px; }
#autogradlab-beginning pre { margin: 0 0 6px -6px; padding: 5px; border: 1px solid rgb(128 128 128 / 30%); background: rgb(128 128 128 / 8%);
  font: 13px/1.4 menlo, consolas, "DejaVu Sans Mono", monospace; overflow: hidden; }
`;

/** The notebook that this page opens: its path, and where its text is to be had; null for any other page. */
function opened() {
  const config = JSON.parse(document.getElementById("jupyter-config-data")?.textContent ?? "{}");
  const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");
  if (config.litePluginSettings) { // JupyterLite, whose files lie beside the page
    const path = new URLSearchParams(location.search).get("path");
    return path?.endsWith(".ipynb") ? { path, from: new URL(`../files/${encoded(path)}`, location.href) } : null;
  }
  const asked = /\/(?:lab|doc)(?:\/workspaces\/[^/]+)?\/tree\/(.+\.ipynb)$/.exec(location.pathname);
  if (!asked || !config.baseUrl) return null;
  const path = asked[1].split("/").map(decodeURIComponent).join("/");
  return { path, from: new URL(`${config.baseUrl}api/contents/${encoded(path)}?type=notebook&content=1`, location.origin) };
}

const make = (tag, ...children) => {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
};

/** The words of a line of Markdown, or null where it has more than emphasis, code and links. */
function words(text) {
  const line = make("span");
  for (const part of text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*|(?<!!)\[[^\]]+\]\([^)]+\))/)) {
    if (/^`.+`$/s.test(part)) line.append(make("code", part.slice(1, -1)));
    else if (/^\*\*.+\*\*$/s.test(part)) line.append(make("strong", part.slice(2, -2)));
    else if (/^\*.+\*$/s.test(part)) line.append(make("em", part.slice(1, -1)));
    else if (/^\[/.test(part)) line.append(/^\[([^\]]+)\]/.exec(part)[1]);
    else if (/[$<|*`[\]]|!\[/.test(part)) return null;
    else line.append(part);
  }
  return line;
}

/** A cell as it will be shown; `whole` is false where it, or what follows, has to wait for JupyterLab. */
function drawn(cell) {
  const source = [cell.source].flat().join("");
  const made = make("section");
  if (cell.cell_type === "code") {
    made.append(make("pre", source));
    return { made, whole: !cell.outputs?.length };
  }
  for (const block of source.trim().split(/\n\s*\n/)) {
    const heading = /^(#{1,3}) +([^\n]+)$/.exec(block);
    const line = /^(?:[-*+>~]|\d+\.|```| {4}|#)/.test(block) && !/^\*\*?[^\s*]/.test(block) && !heading ? null : words(heading ? heading[2] : block);
    if (!line) return { made, whole: false };
    made.append(make(heading ? `h${heading[1].length}` : "p", ...line.childNodes));
  }
  return { made, whole: cell.cell_type === "markdown" };
}

/** Whether JupyterLab is dark, as it was seen last: it says so only when it has loaded. */
const dark = {
  get: () => localStorage.getItem(DARK) === "true",
  keep: () => localStorage.setItem(DARK, String(document.body.dataset.jpThemeLight === "false")),
};

/** Puts the beginning of the lesson on the page, if a lesson is what it opens, and takes it away when it is there. */
export async function begin() {
  const lesson = opened();
  if (!lesson || document.querySelector(SHOWN)) return;
  const token = /(?:^|; *)_xsrf=([^;]*)/.exec(document.cookie)?.[1]; // a hub asks for it, as of JupyterLab's own requests
  const answer = await fetch(lesson.from, { headers: token ? { "X-XSRFToken": token } : {} });
  if (!answer.ok) return;
  const said = await answer.json();
  const notebook = said.content ?? said;
  if (!notebook.metadata?.autogradlab?.copied) return;
  const page = make("main", make("style", STYLE), make("div"));
  Object.assign(page, { id: "autogradlab-beginning", lang: lesson.path.startsWith("zh/") ? "zh-CN" : "en", className: dark.get() ? "dark" : "" });
  page.setAttribute("aria-busy", "true");
  for (const cell of notebook.cells) {
    const { made, whole } = drawn(cell);
    page.lastChild.append(made);
    if (!whole) break;
  }
  if (document.querySelector(`${SHOWN}, ${OTHER}`)) return;
  document.body.append(page);
  const began = performance.now();
  const look = setInterval(() => {
    if (!document.querySelector(`${SHOWN}, ${OTHER}`) && performance.now() - began < PATIENCE) return;
    clearInterval(look);
    page.remove();
    dark.keep();
  }, AGAIN);
}
