// A value changed by hand at the step shown: the machine of a notebook does the run again up to there, and goes on with it.
// Changes of the run shown are listed, marked on the slider, in the program and on the lanes they went to.

import { elementOf, h, setText } from "./dom.js";
import { parseExpression } from "./expression.js";
import { TYPES, dtypeName } from "./format.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./payload.js").Change} Change
 */

const NOT_HERE = "A saved page has no machine that could go on with another value: ";

export class ChangePane {
  tab = "change";
  title = "Change";

  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    const enter = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") this.send();
      if (event.key === "Enter") event.preventDefault();
    };
    this.place = h("input", { type: "text", "aria-label": "register, flag or cell to change", spellcheck: "false", autocomplete: "off", placeholder: "v3.s[1]  x2  n  c[0,3]", onkeydown: enter });
    this.value = h("input", { type: "text", "aria-label": "new value", spellcheck: "false", autocomplete: "off", placeholder: "99", onkeydown: enter });
    this.button = h("button", { type: "button", "data-act": "change", onclick: () => this.send() }, "change");
    this.undo = h("button", { type: "button", "data-act": "undo", disabled: !app.undoable, onclick: () => this.ask({ undo: true }) }, "undo");
    this.said = h("p", { class: "nsim-problem", role: "status" });
    this.list = h("ol", { class: "nsim-changes", "aria-label": "changed by hand" }, ...app.header.changes.map((one) => h("li", {},
      h("button", { type: "button", class: "nsim-small nsim-link", onclick: () => app.goto(one.step) }, `step ${one.step}`), " ", said(one))));
    this.element = h("section", { class: "nsim-pane nsim-change", "aria-label": "change a value" }, h("header", {}, h("h3", {}, "Change a value"),
      h("label", {}, "put into ", this.place), h("label", {}, "the value ", this.value), this.button, this.undo),
    this.said, this.list, h("p", { class: "nsim-hint" }, "A double click on a lane, a flag or a cell fills in its name (key: e). The run is done again up to the step shown and goes on with the new value."));
    app.el.addEventListener("dblclick", (event) => this.pick(elementOf(event)));
  }

  /** The place that an element shows, if it is one. @param {HTMLElement} target */
  pick(target) {
    const register = target.closest("[data-register]"), flag = target.closest("[data-flag]"), cell = target.closest(".nsim-cell");
    const row = this.app.registers.rows.find((one) => one.element === register);
    if (row && cell) this.open(row.vector ? `${row.place.name}.${row.type}[${/** @type {HTMLElement} */ (cell).dataset.lane}]` : row.place.name);
    else if (flag) this.open(/** @type {HTMLElement} */ (flag).dataset.flag ?? "");
    else if (cell?.tagName === "TD" && this.app.finder.what) this.open(this.exact(this.app.finder.what.name)); // the click has chosen it
  }

  /**
   * A cell of memory as the machine names it. The page may read mere bytes as the numbers that the run makes of them:
   * then the type is part of the name, c.s32[4]. @param {string} name
   */
  exact(name) {
    const { replay, finder } = this.app, { what } = finder;
    if (/\.\w+\s*\[/.test(name)) return name; // it says its type itself
    /** @type {import("./expression.js").Target|undefined} */
    let target;
    try {
      target = what?.name === name ? what : parseExpression(name, replay).place;
    } catch {
      return name; // the machine says what is wrong with it
    }
    const { at, bytes = 0 } = target ?? {}, buffer = at === undefined ? undefined : replay.buffers.find((one) => at >= one.at && at + bytes <= one.at + one.nbytes);
    if (at === undefined || !buffer || target?.index !== undefined) return name;
    const view = this.app.matrices.views.find((one) => one.buffer === buffer), own = dtypeName(buffer.dtype);
    if (![1, 2, 4, 8].includes(bytes)) return name; // the whole buffer: the machine says what is wrong with that
    const type = view && TYPES[view.type] === bytes ? view.type : TYPES[own] === bytes ? own : `u${8 * bytes}`;
    return type === own ? name : `${buffer.name}.${type}[${(at - buffer.at + buffer.skipped) / bytes}]`;
  }

  /** Go to this tab with a place filled in. @param {string} name */
  open(name) {
    this.app.choose("tab", this.tab);
    if (name) this.place.value = name;
    (this.place.value ? this.value : this.place).focus();
    (this.place.value ? this.value : this.place).select();
  }

  /** What is filled in, for the page that takes the place of this one. */
  get state() {
    return { place: this.place.value, value: this.value.value };
  }

  /** @param {{place: string, value: string}} state */
  restore({ place, value }) {
    this.place.value = place;
    this.value.value = value;
  }

  send() {
    const name = this.place.value.trim(), value = this.value.value.trim(), { step, steps } = this.app.replay;
    if (!name || !value) return this.say("Name a place, like v3.s[1], x2, n or c[0,3], and a value.", true);
    if (step === steps) return this.say("The run ends here, so no instruction would use the value. Go to an earlier step.", true);
    this.ask({ change: { step, name: this.exact(name), value } });
  }

  /** @param {{undo: true}|{change: {step: number, name: string, value: string}}} asked */
  ask(asked) {
    const { machine, noMachine } = this.app;
    this.app.pause();
    if (!machine) return this.say(noMachine ?? NOT_HERE + `in a notebook take ns.Stepper(trace), or result.changed(${this.app.replay.step}, {"${this.place.value.trim()}": ${this.value.value.trim()}}).`, true);
    this.say("Running ... (waits while the kernel is busy)");
    machine.ask(asked);
  }

  /** @param {string} text */
  say(text, wrong = false) {
    setText(this.said, text);
    this.said.classList.toggle("nsim-error", wrong);
  }

  /** The machine's answer. @param {{problem: string, said?: string}} answer */
  answer({ problem, said: done }) {
    this.say([done, problem].filter(Boolean).join("\n"), Boolean(problem));
  }

  update() {
    setText(this.button, `change at step ${this.app.replay.step}`);
  }
}

/** @param {Change} change */
export function said({ name, was, now }) {
  return `${name} ${was} → ${now}`;
}

/** What was changed by hand at a step, in a sentence; "" if nothing. @param {Change[]} changes @param {number} step */
export function changedAt(changes, step) {
  const here = changes.filter((one) => one.step === step);
  return here.length ? `changed by hand here: ${here.map(said).join(", ")}` : "";
}

/**
 * Whether some bytes of a register were changed by hand at a step.
 * @param {Change[]} changes @param {number} step @param {number} location @param {number} from @param {number} size
 */
export function byHand(changes, step, location, from, size) {
  return changes.some((one) => one.step === step && one.location === location && one.offset < from + size && from < one.offset + one.data.length);
}
