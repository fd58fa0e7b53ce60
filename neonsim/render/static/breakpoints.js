// The list of breakpoints: lines, conditions, writes and reads to stop at, each with the times it is reached.

import { h, messageOf, setText } from "./dom.js";
import { parseStop, places } from "./stops.js";

/**
 * A breakpoint in the list. `at`: 1 for each step that it stops at, as far as `known`.
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./stops.js").Stop & {on: boolean, at: Uint8Array|null, dead: boolean, element: HTMLElement,
 *   box: HTMLInputElement, count: HTMLElement, go: HTMLButtonElement}} Breakpoint
 */

const MOST_BREAKPOINTS = 32, WORK_SLICE = 8; // milliseconds of work before the page may answer
const GRAMMAR = [["x2 == 8", "where a condition begins to hold; && || ! and brackets join several"],
  ["line 12 if x2 < 4", "before a line, when the condition holds"], ["write c[0,3]", "behind each step that writes a cell, c: any of its bytes"],
  ["write v3.s[1]", "behind each step that writes a register or a lane"], ["read a[0] if v0.h[3] > 127", "behind each step that reads it"],
  ["step, pc, line", "steps executed; the instruction that comes next, from 0; its line"],
  ["v0.h[3]  v0.u8[3]  c[0,3]  nzcv.z", "b h s d are signed lanes; sum, min, max and abs take several values"]];

export class BreakpointsPane {
  tab = "stops";
  title = "Stops";

  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    /** @type {Breakpoint[]} */
    this.list = [];
    /** @type {(() => void)[]} */
    this.waiting = []; // for all that is worked out
    this.error = h("p", { class: "nsim-error", role: "alert" });
    this.box = h("input", { type: "text", "aria-label": "stop at", spellcheck: "false", autocomplete: "off",
      placeholder: "x2 == 8   write c[0,3]   line 12 if x2 < 4", onkeydown: (event) => { if (event.key === "Enter") this.add(this.box.value); } });
    this.items = h("ul", { class: "nsim-stops", "aria-label": "breakpoints" });
    this.grammar = h("dl", { class: "nsim-grammar" }, ...GRAMMAR.flatMap(([text, what]) => [h("dt", {}, h("code", {}, text)), h("dd", {}, what)]));
    this.element = h("section", { class: "nsim-pane nsim-stopping", "aria-label": "breakpoints and bookmarks" }, h("div", { class: "nsim-breakpoints" },
      h("header", {}, h("h3", {}, "Breakpoints"), this.box, h("button", { type: "button", class: "nsim-small", onclick: () => this.add(this.box.value) }, "add"),
        h("button", { type: "button", class: "nsim-small", "data-act": "break-back", title: "back to the one before (shift c)", onclick: () => this.go(-1) }, "‹ stop"),
        h("button", { type: "button", class: "nsim-small", "data-act": "break-next", title: "on to the next (c)", onclick: () => this.go(1) }, "stop ›")),
      this.error, this.items, h("details", {}, h("summary", {}, "what can be written here"), this.grammar)), app.bookmarks.element);
  }

  /** From text. @param {string} text @returns {boolean} whether it could be added; if not, the pane says why. */
  add(text, on = true) {
    try {
      if (this.list.length >= MOST_BREAKPOINTS) throw new Error(`${MOST_BREAKPOINTS} breakpoints are the limit. Remove one`);
      const stop = parseStop(text, this.app.replay), there = this.list.find((one) => one.text === stop.text);
      if (there) this.turn(there, on);
      else this.insert(stop, on);
      setText(this.error, "");
      this.box.value = "";
      return true;
    } catch (problem) {
      setText(this.error, `${text.trim().slice(0, 60)}: ${messageOf(problem)}`);
      return false;
    }
  }

  /** Out of a link, ~ before what is switched off; what this run does not have is left out. @param {string} text */
  take(text) {
    this.add(text.replace(/^~/, ""), !text.startsWith("~"));
    setText(this.error, "");
  }

  /** @param {import("./stops.js").Stop} stop @param {boolean} on */
  insert(stop, on) {
    const count = h("small", {}), element = h("li");
    const box = h("input", { type: "checkbox", checked: on, onchange: () => this.turn(made, box.checked) });
    const go = h("button", { type: "button", class: "nsim-small", title: "on to the next time", "aria-label": `to the next: ${stop.text}`,
      onclick: () => this.go(1, [made]) }, "›");
    const drop = h("button", { type: "button", class: "nsim-small", "aria-label": `remove ${stop.text}`, title: "remove", onclick: () => this.remove(made) }, "×");
    /** @type {Breakpoint} */
    const made = { ...stop, on, at: null, dead: false, element, box, count, go };
    element.append(h("label", {}, box, h("code", {}, stop.text)), count, go, drop);
    this.list.push(made);
    this.items.append(element);
    this.work(made);
    this.changed();
  }

  /** Works out where it stops, in slices so that long runs do not freeze the page. @param {Breakpoint} one */
  work(one) {
    const { replay, flows } = this.app, work = places(one, replay, flows);
    const slice = () => {
      const until = performance.now() + WORK_SLICE;
      let found = work.next();
      for (let k = 1; !found.done && (k % 8 || performance.now() < until); k++) found = work.next();
      if (one.dead) return;
      if (found.done) {
        one.at = found.value;
        const times = one.at.reduce((sum, bit) => sum + bit, 0);
        setText(one.count, times === 0 ? "never" : times === 1 ? "once" : `${times} times`);
        this.settled();
      } else {
        setText(one.count, `looking: ${Math.floor(100 * found.value / replay.steps)} %`);
        setTimeout(slice);
      }
    };
    slice();
  }

  settled() {
    if (this.list.some(({ on, at }) => on && !at)) return;
    for (const act of this.waiting.splice(0)) act();
  }

  /** @param {Breakpoint} one @param {boolean} on */
  turn(one, on) {
    one.on = one.box.checked = on;
    this.changed();
    this.settled();
  }

  /** @param {Breakpoint} one */
  remove(one) {
    one.dead = true;
    this.list.splice(this.list.indexOf(one), 1);
    one.element.remove();
    this.changed();
    this.settled();
  }

  /** A line of the listing: set or clear. @param {number} line */
  toggleLine(line) {
    const there = this.list.find((one) => one.text === `line ${line}`);
    if (there?.on) this.remove(there);
    else if (there) this.turn(there, true);
    else this.add(`line ${line}`);
  }

  changed() {
    this.app.code.showBreaks(new Set(this.list.filter(({ on }) => on).map(({ line }) => line ?? -1)));
    this.app.changed();
  }

  /** The breakpoint that a run stops at. @param {number} step */
  at(step) {
    return this.list.find(({ on, at }) => on && at?.[step]);
  }

  /** On to the next place to stop at (way 1), or back to the one before. @param {number} way @param {Breakpoint[]} [some] these alone */
  go(way, some) {
    const { app } = this, { step, steps } = app.replay, list = some ?? this.list.filter(({ on }) => on);
    if (!list.length) return app.explain.note("There is no breakpoint: click the number of a line, press b on it, or write one in the tab Stops.");
    if (list.some(({ at }) => !at)) {
      app.explain.note("Looking for the place ...");
      this.waiting.push(() => { if (app.replay.step === step) this.go(way, some); });
      return;
    }
    for (let k = step + way; k >= 0 && k <= steps; k += way) {
      const found = list.find(({ at }) => at?.[k]);
      if (!found) continue;
      app.goto(k);
      this.say(found);
      return;
    }
    app.explain.note(`No breakpoint is reached ${way > 0 ? "after" : "before"} here.`);
  }

  /** Says why a run stands still; a plain line says so itself. @param {Breakpoint} one */
  say({ text, line, condition }) {
    if (line === undefined || condition) this.app.explain.note(`Stopped: ${text}`);
  }

  update() {
    this.app.bookmarks.update();
  }
}
