// The learner's side: shows a view (plain data from Python) and says what the learner did. No words of its own, no HTML
// from strings: every text goes through `marks`, which makes text nodes.

let widgets = 0; // ids and radio groups must not meet those of another widget on the page

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

function render({ model, el }) {
  const number = ++widgets;
  const drafts = {}; // task id -> what the learner has prepared but not yet sent
  const shown = {}; // task id -> the arrangement that Python last sent
  const root = make("div", { class: "agl-lab", role: "group", "data-lm-suppress-shortcuts": "true" });
  const body = make("div");
  const live = make("div", { class: "agl-live", "aria-live": "polite" });
  root.append(body, live);
  el.append(root);
  // the notebook's own keys must not act on what is typed here; Shift+Enter and the like still run the cell
  root.addEventListener("keydown", (event) => {
    if (!(event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey))) event.stopPropagation();
  });

  const send = (task, action, value) => model.send({ do: action, task: task.id, value });

  function draw() {
    const view = model.get("view");
    if (!view || !view.tasks) return;
    const focused = body.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    root.lang = view.lang === "zh" ? "zh-CN" : "en";
    root.setAttribute("aria-label", view.label);
    body.replaceChildren(make("div", { class: "agl-bar" }, view.label), ...view.tasks.map(drawTask));
    if (focused) focus(focused);
  }

  function focus(...names) {
    for (const name of names) {
      const found = body.querySelector(`[data-focus="${CSS.escape(name)}"]`);
      if (found) return found.focus();
    }
    // what had the focus is gone (an answer was given): stay in the task instead of falling back to the page
    const task = body.querySelector(`[data-task="${CSS.escape(names[0].split(" ")[0])}"]`);
    if (task) task.focus();
  }

  function drawTask(task) {
    const box = make("fieldset", { class: "agl-task", "data-task": task.id, tabindex: "-1" });
    box.append(make("legend", {}, marks(task.question)));
    if (task.code) box.append(make("pre", { tabindex: "0", role: "group", "aria-label": "code" }, task.code));
    const read = task.input ? inputs[task.input.is](task, box) : () => null;
    const status = make("p", { class: `agl-status agl-${task.state || "plain"}` }, marks(task.status || ""));
    if (task.state && task.state !== "open" && task.state !== "untried") box.append(status);
    const blocks = make("div", { class: "agl-blocks" });
    for (const block of task.blocks || []) {
      if ("code" in block) blocks.append(make("pre", { tabindex: "0", role: "group", "aria-label": "code" }, block.code));
      else blocks.append(make("p", { class: `agl-${block.tone}` }, marks(block.text)));
    }
    box.append(blocks);
    if (task.buttons) {
      const row = make("div", { class: "agl-buttons" });
      for (const button of task.buttons) {
        const press = () => {
          const value = button.do === "submit" ? read() : null;
          if (button.do === "submit" && (value == null || value === "")) return focusInput(task);
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

  const focusInput = (task) => body.querySelector(`[data-task="${CSS.escape(task.id)}"] input`)?.focus();

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
          onchange: () => (drafts[task.id] = row.key),
          onkeydown: (event) => event.key === "Enter" && !event.shiftKey && submit(task),
        });
        const label = make("label", { class: `agl-choice${locked && row.key === picked ? " agl-picked" : ""}` }, radio);
        label.append(make("span", { class: "agl-key" }, `${row.key})`), make("span", {}, marks(row.text)));
        box.append(label);
      }
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
        oninput: () => (drafts[task.id] = field.value),
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
          line.append(make("span", {}, (indent ? "    ".repeat(depth) : "") + texts[key]));
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

  function changed() {
    const before = body.textContent;
    for (const task of model.get("view").tasks || []) {
      const placed = JSON.stringify(task.input?.placed ?? null);
      if (placed !== shown[task.id] && task.input?.placed?.length) delete drafts[task.id]; // arranged from a cell
      shown[task.id] = placed;
    }
    draw();
    if (body.textContent === before) return;
    const task = (model.get("view").tasks || []).filter((one) => one.state && one.state !== "open");
    live.textContent = task.map((one) => [one.status, ...(one.blocks || []).map((b) => b.text ?? b.code)].map(plain).join(" ")).join(" ");
  }

  draw();
  model.on("change:view", changed);
  return () => model.off("change:view", changed);
}

export default { render };
