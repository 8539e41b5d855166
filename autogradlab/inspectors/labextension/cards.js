// Stored cards in JupyterLab 4 and Notebook 7. The card that an output holds is drawn by the module that also draws the
// live widget. Where the kernel still has that widget, it takes the stored card's place once it is drawn itself, at the
// same step; what it shows afterwards is written back into the output, so a saved notebook holds what was last seen.

const CARD = "application/vnd.autogradlab.card.v1+json";
const WIDGET = "application/vnd.jupyter.widget-view+json";
/** Milliseconds in which a live widget may come before the stored card is drawn. */
const PATIENCE = 150;
/** Milliseconds between looks for the widget manager: after a reload it registers itself late, and nobody says so. */
const AGAIN = 500;
/** The style sheets of each module that draws cards. */
const SHEETS = { inspector: ["theme.css", "inspector.css"], lab: ["lab.css"] };
/** What the drawn card of each module looks like from outside. */
const DRAWN = ".agl, .agl-lab";

const sheets = new Map();
/** Puts a style sheet on the page, once; resolves when it is there (or cannot be had). */
function sheet(name) {
  if (!sheets.has(name)) {
    const link = document.createElement("link");
    const settled = new Promise((done) => Object.assign(link, { onload: done, onerror: done }));
    Object.assign(link, { rel: "stylesheet", href: new URL(name, import.meta.url).href });
    document.head.append(link);
    sheets.set(name, settled);
  }
  return sheets.get(name);
}

/** A widget model as the drawing modules expect it, with the stored state and no kernel behind it. */
function still(state) {
  return {
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
    },
    save_changes() {},
    send() {
      throw new Error("no kernel");
    },
    on() {},
    off() {},
  };
}

/** The cards that are stored: those of a box, or the one. */
const held = (stored) => (stored.module === "box" ? stored.state.cards : [stored]);
/** The cards that are drawn below a node. */
const drawn = (node) => [...node.querySelectorAll(DRAWN)];
/** What is stored, where the state of one of its cards has changed. */
function changed(stored, number, detail) {
  if (stored.module !== "box") return { ...stored, state: { ...stored.state, ...detail } };
  return { ...stored, state: { ...stored.state, cards: stored.state.cards.map((card, k) => (k === number ? changed(card, 0, detail) : card)) } };
}

/** The plugins to register; `Panel` is Lumino's. */
export function plugins(Panel) {
  class Card extends Panel {
    /** JupyterLab calls this for each new model of the output. */
    async renderModel(model) {
      const id = model.data[WIDGET]?.model_id;
      this.model = model;
      if (this.live && id === this.id_) return; // the live widget shows its changes itself
      this.reset();
      this.id_ = id;
      this.connect();
      if (this.inner) await new Promise((done) => setTimeout(done, PATIENCE));
      if (this.model === model && !this.live && !this.isDisposed) await this.draw(model);
    }

    /** Draws the stored card, or the cards of a box. */
    async draw(model) {
      const parts = held(model.data[CARD]);
      if (!parts.every(({ module }) => Object.hasOwn(SHEETS, module))) return;
      const modules = await Promise.all(parts.map(async ({ module }) => {
        const [{ default: made }] = await Promise.all([import(`./${module}.js`), ...SHEETS[module].map(sheet)]);
        return made;
      }));
      if (this.model !== model || this.live || this.isDisposed) return;
      this.wipe();
      this.place = document.createElement("div");
      const { across } = model.data[CARD].state;
      if (across) Object.assign(this.place.style, { display: "flex", gap: "8px" });
      this.follow(this.place);
      this.node.append(this.place);
      this.node.dataset.card = "stored";
      const places = parts.map(() => this.place.appendChild(document.createElement("div")));
      if (across) for (const { style } of places) Object.assign(style, { flex: "1 1 0", minWidth: 0 });
      this.ends = await Promise.all(modules.map((made, k) => made.render({ model: still({ ...parts[k].state }), el: places[k] })));
    }

    wipe() {
      for (const end of this.ends ?? []) end?.();
      this.place?.remove();
      this.ends = this.place = undefined;
      this.at = [];
    }

    /** Asks the widget manager for the widget. The manager that comes with a kernel has a factory of its own: asked anew. */
    connect() {
      clearTimeout(this.asking);
      if (this.live || !this.id_ || !this.isAttached) return;
      let area = this.parent;
      while (area && !area.rendermime) area = area.parent;
      const factory = area?.rendermime.getFactory(WIDGET);
      if (factory && factory !== this.factory) {
        this.drop();
        this.factory = factory;
        this.inner = area.rendermime.createRenderer(WIDGET);
        this.inner.addClass("lm-mod-hidden");
        this.addWidget(this.inner);
        const count = held(this.model.data[CARD]).length;
        this.watcher = new MutationObserver(() => drawn(this.inner.node).length >= count && this.take());
        this.watcher.observe(this.inner.node, { childList: true, subtree: true });
        this.inner.renderModel(this.model);
      }
      this.asking = setTimeout(() => this.connect(), AGAIN);
    }

    /** The live widget is drawn: it goes on where the stored card was, and its changes are kept in the output. */
    take() {
      this.watcher.disconnect();
      clearTimeout(this.asking);
      const at = this.at;
      this.live = true;
      this.wipe();
      this.node.dataset.card = "live";
      this.inner.removeClass("lm-mod-hidden");
      this.send(this.inner.node, at);
      this.at = at;
      this.follow(this.inner.node);
      this.watcher = new MutationObserver(() => this.inner?.isHidden && this.leave());
      this.watcher.observe(this.inner.node, { attributes: true, attributeFilter: ["class"] });
      this.inner.node.addEventListener("autogradlab:state", ({ target, detail }) => {
        const number = drawn(this.inner.node).findIndex((one) => target.contains(one));
        this.model.setData({ data: { ...this.model.data, [CARD]: changed(this.model.data[CARD], number, detail) } });
      });
    }

    /** Keeps where each card of a node stands. */
    follow(node) {
      node.addEventListener("autogradlab:at", ({ target, detail }) => {
        const number = drawn(node).findIndex((one) => one.firstElementChild === target); // not that of a card inside
        if (number >= 0) this.at[number] = detail;
      });
    }

    /** Sends the cards of a node to where cards stood. */
    send(node, at) {
      at.forEach((detail, k) => drawn(node)[k]?.dispatchEvent(new CustomEvent("autogradlab:go", { bubbles: true, detail })));
    }

    /** Python closed the live widget, and its manager hides what it leaves: the card stays, as it was last seen. */
    async leave() {
      const at = this.at;
      this.live = false;
      this.drop();
      await this.draw(this.model);
      if (this.place) this.send(this.place, at);
    }

    drop() {
      this.watcher?.disconnect();
      this.inner?.dispose();
      this.inner = this.watcher = undefined;
    }

    reset() {
      clearTimeout(this.asking);
      this.drop();
      this.wipe();
      this.factory = undefined;
      this.live = false;
    }

    onAfterAttach(message) {
      super.onAfterAttach(message);
      this.connect();
    }

    onBeforeDetach(message) {
      clearTimeout(this.asking);
      super.onBeforeDetach(message);
    }

    dispose() {
      if (this.isDisposed) return;
      this.reset();
      super.dispose();
    }
  }
  const rendererFactory = { safe: false, mimeTypes: [CARD], createRenderer: () => new Card() };
  // rank: before the widget manager's own renderer, which would show an error where the kernel is gone
  return [{ id: "autogradlab:cards", rank: -100, dataType: "json", rendererFactory }];
}
