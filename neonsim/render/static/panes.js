// How the page is divided among the panes: what each could use, said once for a run, and bars between them for the reader.

import { h } from "./dom.js";

/**
 * A bar between two panes. `across`: it stands upright and is moved sideways; `before`, `behind`: the panes on its two sides;
 * `usual`: where it says it stands until it is moved, in per cent.
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {{name: "width"|"code"|"registers", label: string, across: boolean, before: string, behind: string}} Kind
 */

/** @type {Kind[]} */
const BARS = [{ name: "width", label: "width of the program", across: true, before: "code", behind: "body" },
  { name: "code", label: "height of the program", across: false, before: "code", behind: "below" },
  { name: "registers", label: "height of the registers", across: false, before: "registers", behind: "lanes" }];
const LEAST = 20, MOST = 80, STRIDE = 2; // per cent
const REMEMBERED = "neonsim-panes";
const PANES = /^(\d{2})?,(\d{2})?,(\d{2})?(,whole)?$/; // as a link says it: per cent of the three bars

export class Panes {
  /** @param {Stepper} app @param {HTMLElement} body what the panes are in */
  constructor(app, body) {
    this.app = app;
    this.body = body;
    /** @type {Map<string, number>} where the reader has put a bar, in per cent */
    this.moved = new Map();
    this.whole = false; // whether the program has the whole width, where there are two columns
    this.bars = BARS.map((kind) => h("div", { class: `nsim-bar nsim-bar-${kind.name}`, role: "separator", tabindex: "0", "aria-label": kind.label,
      "aria-orientation": kind.across ? "vertical" : "horizontal", "aria-valuemin": LEAST, "aria-valuemax": MOST, "aria-valuenow": 50,
      title: `${kind.label}: drag it, or arrow keys; a double click or Enter puts it back`,
      onpointerdown: (event) => this.drag(event, kind), ondblclick: () => this.put(kind, null), onkeydown: (event) => this.key(event, kind),
      onfocus: () => this.say(kind) }));
    body.append(...this.bars);
    this.take(recalled());
  }

  /** The bars as a link and the browser keep them; "" while none was moved. */
  get text() {
    const places = BARS.map(({ name }) => this.moved.get(name) ?? "").join();
    return this.moved.size || this.whole ? places + (this.whole ? ",whole" : "") : "";
  }

  /** @param {string} text as `text` is; another one is left alone */
  take(text) {
    const found = PANES.exec(text);
    if (!found) return;
    BARS.forEach(({ name }, k) => {
      const place = Number(found[k + 1]);
      if (place >= LEAST && place <= MOST) this.moved.set(name, place);
    });
    this.whole = Boolean(found[4]);
    this.draw();
  }

  /** The program over the whole width, or beside the registers. @param {boolean} on */
  widen(on) {
    this.whole = on;
    this.keep();
  }

  /** @param {Kind} kind @param {number|null} place in per cent; null: where it was before it was moved */
  put({ name }, place) {
    if (place === null) this.moved.delete(name);
    else this.moved.set(name, Math.round(Math.min(MOST, Math.max(LEAST, place))));
    this.keep();
  }

  keep() {
    this.draw();
    try {
      localStorage.setItem(REMEMBERED, this.text);
    } catch {
      // A page inside a sandboxed frame has no store: then the link alone keeps it.
    }
    this.app.changed();
  }

  draw() {
    const { style } = this.body, high = "var(--fit)";
    for (const { name, across } of BARS) {
      const place = this.moved.get(name);
      if (place === undefined) style.removeProperty(`--moved-${name}`);
      else style.setProperty(`--moved-${name}`, across ? `${place}%` : `calc(${place / 100} * ${high})`);
    }
    this.body.classList.toggle("nsim-whole", this.whole);
    this.app.code.wholeButton.setAttribute("aria-pressed", String(this.whole));
    BARS.forEach((kind, k) => { if (this.moved.has(kind.name)) this.bars[k].setAttribute("aria-valuenow", String(this.moved.get(kind.name))); });
  }

  /** Where a bar stands, in per cent of the two panes. @param {Kind} kind */
  place({ across, before, behind }) {
    const one = this.box(before), two = this.box(behind);
    return across ? 100 * one.width / two.width : 100 * one.height / (one.height + two.height);
  }

  /** @param {Kind} kind */
  say(kind) {
    this.bars[BARS.indexOf(kind)].setAttribute("aria-valuenow", String(Math.round(this.place(kind))));
  }

  /** @param {string} name of a pane, or "body" */
  box(name) {
    return (name === "body" ? this.body : /** @type {HTMLElement} */ (this.body.querySelector(`:scope > .nsim-${name}`))).getBoundingClientRect();
  }

  /** @param {PointerEvent} event @param {Kind} kind */
  drag(event, kind) {
    const bar = this.bars[BARS.indexOf(kind)], { across, before, behind } = kind, first = this.box(before), last = this.box(behind);
    const [from, span] = across ? [last.left, last.width] : [first.top, first.height + last.height];
    const ends = new AbortController(), { signal } = ends;
    bar.setPointerCapture(event.pointerId);
    bar.addEventListener("pointermove", (move) => this.put(kind, 100 * ((across ? move.clientX : move.clientY) - from) / span), { signal });
    for (const end of ["pointerup", "pointercancel"]) bar.addEventListener(end, () => ends.abort(), { signal });
    event.preventDefault();
    bar.focus();
  }

  /** @param {KeyboardEvent} event @param {Kind} kind */
  key(event, kind) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const way = kind.across ? Number(event.key === "ArrowRight") - Number(event.key === "ArrowLeft") : Number(event.key === "ArrowDown") - Number(event.key === "ArrowUp");
    /** @type {Object<string, number|null>} */
    const to = { Home: LEAST, End: MOST, Enter: null };
    if (!way && !(event.key in to)) return;
    this.put(kind, way ? this.place(kind) + way * STRIDE : to[event.key]);
    this.say(kind);
    event.preventDefault();
    event.stopPropagation();
  }
}

/** What the browser remembers of an earlier page. */
function recalled() {
  try {
    return localStorage.getItem(REMEMBERED) ?? "";
  } catch {
    return "";
  }
}
