// The learner's side: shows a view (plain data from Python) and says what the learner did. No words of its own, no HTML
// from strings: every text goes through `marks`, which makes text nodes.

const PATIENCE = 5000; // milliseconds until an answer that does not come is worth a word
let widgets = 0; // ids and radio groups must not meet those of another widget on the page

/** What was answered in each open notebook, by question: a kernel that has started anew is told what its notebook's file
 * does not hold yet. Each widget loads this module for itself, so the page keeps it. */
const notebooks = (globalThis.autogradlabAnswers ??= new WeakMap());
function answersOf(el) {
  const notebook = el.closest(".jp-Notebook");
  if (!notebook) return null;
  if (!notebooks.has(notebook)) notebooks.set(notebook, new Map());
  return notebooks.get(notebook);
}

/** An element with attributes and children; a child that is a string becomes text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** `code` and **strong** of a sentence as elements, all else as text. */
function marks(text) {
  const out = document.createDocumentFragment();
  for (const part of String(text).split(/(`[^`]+`|\*\*.+?\*\*)/)) {
    if (/^`[^`]+`$/.test(part)) out.append(make("code", {}, part.slice(1, -1)));
    else if (/^\*\*.+\*\*$/.test(part)) out.append(make("strong", {}, marks(part.slice(2, -2))));
    else if (part) out.append(part);
  }
  return out;
}

const plain = (text) => String(text).replace(/\*\*|`/g, "");

/** Read aloud, what stands in lines of its own needs its pauses. */
const sentences = (parts, stop) => parts.filter(Boolean).map((part) => (/[.:;!?。：；！？][)）”」]?\s*$/.test(part) ? part : part + stop)).join(" ");

function render({ model, el }) {
  const number = ++widgets;
  const drafts = {}; // task id -> what the learner has prepared but not yet sent
  const shown = {}; // task id -> the arrangement that Python last sent
  const root = make("div", { class: "agl-lab", role: "group", "data-lm-suppress-shortcuts": "true" });
  const body = make("div");
  const late = make("p", { class: "agl-late agl-warning", role: "alert" });
  const live = make("div", { class: "agl-live", "aria-live": "polite" });
  root.append(body, late, live);
  el.append(root);
  // The notebook's own keys must not act on what is typed here (two d would delete the cell). What leads out: Escape
  // to the cell, Shift+Enter to the next one. It does not run this one again, which would ask anew.
  root.addEventListener("keydown", (event) => {
    const cell = root.closest(".jp-Cell");
    const on = event.key === "Enter" && event.shiftKey;
    if (cell && (on || event.key === "Escape")) {
      event.preventDefault();
      const next = cell.nextElementSibling;
      (on && next?.matches(".jp-Cell") ? next : cell).focus();
    }
    event.stopPropagation();
  });

  // Shift+Tab comes in from behind, where the buttons are; whoever comes in is to answer the first question that is open,
  // not to press "Just show me"; where nothing is to be answered, the first button is the mildest.
  let placing = false;
  root.addEventListener("focusin", (event) => {
    const button = event.target.closest("button:not(.agl-line)");
    if (placing || !button?.matches(":focus-visible") || root.contains(event.relatedTarget)) return;
    const open = root.querySelector("input:enabled, .agl-line:enabled")?.closest(".agl-task");
    if (open) (open.querySelector("input:enabled:checked") ?? answerable(open)).focus();
    else button.closest(".agl-task")?.querySelector("button").focus();
  });

  const answerable = (task) => task.querySelector("input:enabled, .agl-line:enabled");
  const words = () => model.get("view").words ?? {};
  let waiting = 0;
  /** Tells Python; if nothing comes back, says what may be the matter. */
  function send(task, action, value) {
    clearTimeout(waiting);
    const deaf = () => (late.textContent = plain(words().late ?? ""));
    waiting = setTimeout(deaf, PATIENCE);
    try {
      model.send({ do: action, task: task.id, value });
    } catch {
      deaf(); // the kernel is known to be gone
    }
  }
  const heard = () => {
    clearTimeout(waiting);
    late.textContent = "";
  };

  function draw() {
    const view = model.get("view");
    if (!view || !view.tasks) return;
    const focused = body.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    root.lang = view.lang === "zh" ? "zh-CN" : "en";
    root.setAttribute("aria-label", view.label);
    const open = view.tasks.find((task) => task.input && !task.input.locked);
    const keys = make("span", { class: "agl-keys" }, view.words?.[`keys_${open?.input.is}`] ?? view.words?.keys_on);
    body.replaceChildren(make("div", { class: "agl-bar" }, make("span", {}, view.label), keys), ...view.tasks.map(drawTask));
    if (focused) focus(focused);
  }

  function focus(...names) {
    placing = true;
    focused(names)?.focus();
    placing = false;
  }

  function focused(names) {
    for (const name of names) {
      const found = body.querySelector(`[data-focus="${CSS.escape(name)}"]`);
      if (found && !found.disabled) return found;
    }
    // what had the focus is gone or locked (an answer was given): stay in the task instead of falling back to the page
    const task = body.querySelector(`[data-task="${CSS.escape(names[0].split(" ")[0])}"]`);
    return task && (answerable(task) ?? task);
  }

  function drawTask(task) {
    const box = make("fieldset", { class: "agl-task", "data-task": task.id, tabindex: "-1" });
    box.append(make("legend", {}, marks(task.question)));
    if (task.code) box.append(make("pre", { tabindex: "0", role: "group", "aria-label": "code" }, task.code));
    if (task.frames) box.append(film(task));
    const read = task.input ? inputs[task.input.is](task, box) : () => null;
    const status = make("p", { class: `agl-status agl-${task.state || "plain"}` }, marks(task.status || ""));
    if (task.state && task.state !== "open") box.append(status);
    const blocks = make("div", { class: "agl-blocks" });
    for (const block of task.blocks || []) {
      if ("code" in block) blocks.append(make("pre", { tabindex: "0", role: "group", "aria-label": "code" }, block.code));
      else blocks.append(make("p", { class: `agl-${block.tone}` }, marks(block.text)));
    }
    if (task.state === "untried" && !task.blocks) blocks.append(make("p", { class: "agl-muted" }, marks(words().untried_how ?? "")));
    box.append(blocks, make("p", { class: "agl-remark agl-warning" }));
    if (task.buttons) {
      const row = make("div", { class: "agl-buttons" });
      for (const button of task.buttons) {
        const press = () => {
          const value = button.do === "submit" ? read() : null;
          if (button.do === "anew") for (const key of Object.keys(model.get("view").answers ?? {})) answersOf(root)?.delete(key);
          if (button.do === "submit" && (value == null || value === "")) return lacks(task);
          send(task, button.do, value);
        };
        row.append(
          make(
            "button",
            { type: "button", class: button.primary && "agl-primary", "data-focus": `${task.id} ${button.do}`, onclick: press },
            button.text,
          ),
        );
      }
      box.append(row);
    }
    return box;
  }

  /** Pictures to be scrubbed: a slider, and a button that plays them. They stand in the view, so no kernel is asked. */
  function film(task) {
    const { frames, words } = task;
    const at = Math.min(drafts[task.id] ?? frames.length - 1, frames.length - 1);
    const picture = make("img", { alt: "", width: 420, style: "max-width: 100%; display: block" });
    const caption = make("output", { class: "agl-caption" });
    const slider = make("input", {
      type: "range",
      min: 0,
      max: frames.length - 1,
      step: 1,
      "aria-label": words.film_step,
      "data-focus": `${task.id} slider`,
      oninput: () => (stop(), show(Number(slider.value))),
    });
    const show = (number) => {
      drafts[task.id] = number;
      slider.value = number;
      slider.setAttribute("aria-valuetext", frames[number].text);
      picture.src = frames[number].src;
      caption.textContent = frames[number].text;
    };
    let playing = 0;
    const stop = () => {
      clearInterval(playing);
      playing = 0;
      button.textContent = words.film_play;
    };
    const next = () => {
      const number = Number(slider.value) + 1;
      if (number >= frames.length || !picture.isConnected) return stop();
      show(number);
    };
    const play = () => {
      if (playing) return stop();
      if (Number(slider.value) === frames.length - 1) show(0);
      playing = setInterval(next, 350);
      button.textContent = words.film_stop;
    };
    const button = make("button", { type: "button", class: "agl-primary", "data-focus": `${task.id} play`, onclick: play }, words.film_play);
    show(at);
    return make("div", { class: "agl-film" }, picture, make("div", { class: "agl-buttons" }, button, slider, caption));
  }

  function complain(box, said) {
    box.querySelector(".agl-remark").textContent = said;
    if (said) live.textContent = said;
  }

  /** There is no answer yet: says so, and leads to where it is given. */
  function lacks(task) {
    const box = body.querySelector(`[data-task="${CSS.escape(task.id)}"]`);
    complain(box, words()[`lacks_${task.input?.is}`] ?? "");
    box.querySelector("input:checked, input, .agl-line")?.focus();
  }

  const submit = (task) => {
    const button = body.querySelector(`[data-focus="${CSS.escape(task.id)} submit"]`);
    if (button) button.click();
  };

  const inputs = {
    choice(task, box) {
      const { rows, picked, locked } = task.input;
      const chosen = locked ? picked : (drafts[task.id] ?? picked);
      for (const row of rows) {
        const radio = make("input", {
          type: "radio",
          name: `agl-${number}-${task.id}`,
          value: row.key,
          checked: row.key === chosen,
          disabled: locked,
          "data-focus": `${task.id} choice ${row.key}`,
          onchange: () => ((drafts[task.id] = row.key), complain(box, "")),
          onkeydown: (event) => event.key === "Enter" && !event.shiftKey && submit(task),
        });
        const label = make("label", { class: `agl-answer${locked && row.key === picked ? " agl-picked" : ""}` }, radio);
        label.append(make("span", { class: "agl-key" }, `${row.key})`), make("span", {}, marks(row.text)));
        box.append(label);
      }
      // the letter of a choice chooses it
      box.addEventListener("keydown", (event) => {
        if (locked || event.ctrlKey || event.metaKey || event.altKey) return;
        const radio = [...box.querySelectorAll("input")].find((one) => one.value === event.key.toLowerCase());
        if (!radio) return;
        event.preventDefault();
        radio.click();
        radio.focus();
      });
      return () => drafts[task.id] ?? picked;
    },

    field(task, box) {
      const field = make("input", {
        type: "text",
        value: drafts[task.id] ?? task.input.value,
        disabled: task.input.locked,
        autocomplete: "off",
        spellcheck: "false",
        "data-focus": `${task.id} field`,
        onfocus: () => field.value === task.input.value && field.select(), // typing replaces what was answered before
        oninput: () => ((drafts[task.id] = field.value), complain(box, "")),
        onkeydown: (event) => event.key === "Enter" && !event.shiftKey && submit(task),
      });
      box.append(make("label", {}, task.input.words.label, field));
      return () => field.value.trim();
    },

    order(task, box) {
      const { rows, locked, words } = task.input;
      const keys = locked ? rows.map((row) => row.key) : (drafts[task.id] ??= rows.map((row) => row.key));
      const texts = Object.fromEntries(rows.map((row) => [row.key, row.text]));
      const move = (key, by) => {
        const at = keys.indexOf(key);
        if (at < 0 || at + by < 0 || at + by >= keys.length) return;
        [keys[at], keys[at + by]] = [keys[at + by], keys[at]];
        live.textContent = `${at + by + 1}. ${plain(texts[key])}`;
        draw();
        focus(`${task.id} line ${key}`);
      };
      const list = make("ol", { class: "agl-list" });
      keys.forEach((key, at) => {
        const line = lineButton(task, key, keys, at, {
          alt: { ArrowUp: () => move(key, -1), ArrowDown: () => move(key, 1) },
          locked,
          words: true,
        });
        line.append(make("span", { class: "agl-key" }, `${at + 1}.`), make("span", {}, marks(texts[key])));
        list.append(make("li", {}, line));
      });
      box.append(list);
      if (!locked) {
        const row = make("div", { class: "agl-buttons" });
        row.append(tool(words.up, () => move(current(task, keys), -1)), tool(words.down, () => move(current(task, keys), 1)));
        box.append(row, make("p", { class: "agl-hint" }, words.keys_order));
      }
      return () => keys;
    },

    lines(task, box) {
      const { rows, placed, indent, words } = task.input;
      const program = (drafts[task.id] ??= placed.map((line) => ({ ...line })));
      const texts = Object.fromEntries(rows.map((row) => [row.key, row.text]));
      const pool = rows.map((row) => row.key).filter((key) => !program.some((line) => line.key === key));
      const order = program.map((line) => line.key);
      const say = (key) => {
        const at = program.findIndex((line) => line.key === key);
        live.textContent = at < 0 ? `${words.lines_pool}: ${texts[key]}` : `${words.lines_program} ${at + 1}: ${texts[key]}`;
      };
      const again = (key, next) => {
        draw();
        focus(next ? `${task.id} line ${next}` : `${task.id} line ${key}`);
        say(key);
      };
      const put = (key) => {
        const at = pool.indexOf(key);
        program.push({ key, depth: program.at(-1)?.depth ?? 0 });
        again(key, pool[at + 1] ?? pool[at - 1]);
      };
      const take = (key) => {
        const at = order.indexOf(key);
        if (at < 0) return;
        program.splice(at, 1);
        again(key, order[at + 1] ?? order[at - 1]);
      };
      const move = (key, by) => {
        const at = order.indexOf(key);
        if (at < 0 || at + by < 0 || at + by >= program.length) return;
        [program[at], program[at + by]] = [program[at + by], program[at]];
        again(key);
      };
      const shift = (key, by) => {
        const line = program.find((one) => one.key === key);
        if (!line || !indent) return;
        line.depth = Math.min(6, Math.max(0, line.depth + by));
        again(key);
      };
      const column = (title, keys, press, alt) => {
        const list = make("ol", { class: "agl-list", "aria-label": title });
        keys.forEach((key, at) => {
          const line = lineButton(task, key, keys, at, { press: () => press(key), alt: alt(key), list: title });
          line.append(make("span", { class: "agl-key" }, `${key})`));
          const depth = program.find((one) => one.key === key)?.depth ?? 0;
          const code = (indent ? "    ".repeat(depth) : "") + texts[key];
          const hang = `${code.search(/\S|$/) + 4}ch`; // what does not fit goes on further in than it began
          line.append(make("span", { style: `padding-left: ${hang}; text-indent: -${hang}` }, code));
          list.append(make("li", {}, line));
        });
        if (!keys.length) list.append(make("li", { class: "agl-muted" }, words.empty));
        return make("div", {}, make("div", { class: "agl-muted", "aria-hidden": "true" }, title), list);
      };
      const columns = make("div", { class: "agl-columns" });
      const keys = (key) => ({
        ArrowUp: () => move(key, -1),
        ArrowDown: () => move(key, 1),
        ArrowLeft: () => shift(key, -1),
        ArrowRight: () => shift(key, 1),
      });
      columns.append(column(words.lines_pool, pool, put, () => ({})), column(words.lines_program, order, choose, keys));
      function choose(key) {
        take(key);
      }
      const row = make("div", { class: "agl-buttons" });
      const act = (action, ...rest) => () => order.length && action(current(task, order), ...rest);
      row.append(tool(words.up, act(move, -1)), tool(words.down, act(move, 1)));
      if (indent) row.append(tool(words.left, act(shift, -1)), tool(words.right_indent, act(shift, 1)));
      box.append(columns, row, make("p", { class: "agl-hint" }, words.keys_lines));
      return () => (program.length ? program : null);
    },
  };

  const selected = {}; // task id -> the line that the buttons act on
  const current = (task, keys) => (keys.includes(selected[task.id]) ? selected[task.id] : keys.at(-1));

  /** A line of a list: arrow keys walk the list, Alt with arrows acts, Enter or a click presses. One tab stop a list. */
  function lineButton(task, key, keys, at, { press, alt = {}, locked = false, words = false }) {
    const here = keys.includes(selected[task.id]) ? selected[task.id] === key : at === 0;
    return make("button", {
      type: "button",
      class: `agl-line${words ? " agl-words" : ""}`,
      disabled: locked,
      tabindex: here ? "0" : "-1",
      "aria-current": selected[task.id] === key ? "true" : false,
      "data-focus": `${task.id} line ${key}`,
      onfocus: (event) => {
        selected[task.id] = key;
        for (const other of event.target.closest(".agl-list").querySelectorAll("button")) {
          other.tabIndex = other === event.target ? 0 : -1;
          other.toggleAttribute("aria-current", false);
        }
        event.target.setAttribute("aria-current", "true");
      },
      onclick: press ?? (() => {}),
      onkeydown: (event) => {
        if (event.altKey && alt[event.key]) {
          event.preventDefault();
          alt[event.key]();
        } else if (!event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
          event.preventDefault();
          const next = keys[at + (event.key === "ArrowUp" ? -1 : 1)];
          if (next) focus(`${task.id} line ${next}`);
        } else if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !press) {
          event.preventDefault();
          submit(task);
        }
      },
    });
  }

  const tool = (text, action) => make("button", { type: "button", onclick: action, "data-focus": `tool ${text}` }, text);

  /** What a task says apart from its question: its state, then its feedback. */
  const told = (task) => [
    ...(task.state && task.state !== "open" ? [task.status ?? ""] : []),
    ...(task.blocks || []).map((block) => block.text ?? block.code),
  ].map(plain);
  const stop = (view) => (view.lang === "zh" ? "。" : ".");
  const allTold = (view) => (view.tasks || []).flatMap((task) => told(task).map((text) => [task.id, text]));
  let before = [];

  /** What this card was answered, for a later card of the same questions; or what an earlier one was. */
  function remember(arriving) {
    const kept = answersOf(root);
    if (!kept) return;
    const { answers = {}, asks = [] } = model.get("view") ?? {};
    for (const [key, answer] of Object.entries(answers)) kept.set(key, answer);
    const missing = asks.filter((key) => !(key in answers) && kept.has(key)).map((key) => [key, kept.get(key)]);
    if (!arriving || !missing.length) return;
    try {
      model.send({ do: "recall", value: Object.fromEntries(missing) });
    } catch {
      // a stored card: there is nobody to tell
    }
  }

  function changed() {
    const view = model.get("view");
    remember(false);
    for (const task of view.tasks || []) {
      const placed = JSON.stringify(task.input?.placed ?? null);
      if (placed !== shown[task.id] && task.input?.placed?.length) delete drafts[task.id]; // arranged from a cell
      shown[task.id] = placed;
    }
    draw();
    // who keeps the notebook (labextension/cards.js) is told what to keep
    el.dispatchEvent(new CustomEvent("autogradlab:state", { bubbles: true, detail: { view } }));
    // a screen reader hears what is new, not all of it again
    const now = allTold(view);
    const fresh = now.filter(([id, text]) => !before.some((one) => one[0] === id && one[1] === text));
    before = now;
    if (fresh.length) live.textContent = sentences(fresh.map(([, text]) => text), stop(view));
  }

  /** Its cell has just been run: the question comes into sight, unless the learner is elsewhere by now. */
  function comes() {
    const cell = root.closest(".jp-Cell");
    const mine = [cell, cell?.nextElementSibling].some((one) => one?.matches(".jp-mod-active"));
    const room = root.closest(".jp-WindowedPanel-outer")?.getBoundingClientRect();
    const { top, bottom, height } = root.getBoundingClientRect();
    if (!mine || !room || root.contains(document.activeElement) || (top >= room.top && bottom <= room.bottom)) return;
    root.scrollIntoView({ block: height > room.height ? "start" : "nearest" });
  }

  /** What has just come onto the page is said once, not again when the page is loaded anew. */
  function arrived() {
    const view = model.get("view");
    remember(true);
    if (!view?.tasks || model.get("heard")) return;
    comes();
    model.set("heard", true);
    model.save_changes();
    const asks = view.tasks.find((task) => task.input && !task.input.locked);
    const first = asks ? [plain(asks.question), view.words?.enter] : view.tasks.flatMap((task) => [plain(task.question), ...told(task)]);
    live.textContent = sentences([view.label, ...first], stop(view));
  }

  draw();
  before = allTold(model.get("view") ?? {});
  const arriving = setTimeout(arrived, 300); // a live region must be there before its words
  model.on("change:view", changed);
  model.on("msg:custom", heard);
  return () => {
    clearTimeout(arriving);
    clearTimeout(waiting);
    model.off("change:view", changed);
    model.off("msg:custom", heard);
  };
}

export default { render };
