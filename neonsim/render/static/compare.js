// Two runs side by side, stepped together.

import { Difference, nextDifference } from "./differ.js";
import { h, setText } from "./dom.js";
import { Passes, byCycle } from "./passes.js";
import { Stepper } from "./stepper.js";

const SHARED = ["type", "lane0", "size", "theme"]; // settings that both sides have in common
const SECOND = "Only the run on the left is run again. Copy the text, close here, and change that one.";
const ALIKE = 0.5; // programs that share half of their instructions: then what differs is worth a mark

export class Compare {
  /**
   * @param {HTMLElement} el empty element to draw in
   * @param {[any, any]} payloads two recorded runs
   * @param {{step?: number, view?: URLSearchParams, onstep?: (step: number) => void, onview?: () => void, machine?: any}} [options]
   *   as of Stepper; `step` is that of the first run
   */
  constructor(el, payloads, { step = 0, view, onstep = () => {}, onview = () => {}, machine, noMachine } = {}) {
    this.onstep = onstep;
    this.onview = () => {};
    this.el = el;
    el.classList.add("nsim-pair");
    const roots = payloads.map(() => h("div"));
    const bar = h("div", { class: "nsim nsim-together", role: "region", "aria-label": "two runs together" });
    el.replaceChildren(bar, h("div", { class: "nsim-sides" }, ...roots));
    this.steppers = roots.map((root, side) => new Stepper(root, payloads[side], { view: side ? undefined : view,
      onmove: () => this.moved(side), onstep: () => this.onstep(this.replay.step), onview: () => this.shared(side),
      machine: side ? undefined : machine, noMachine: side ? SECOND : noMachine, heading: true }));
    const replays = this.steppers.map(({ replay }) => replay);
    this.passes = replays.map((replay) => new Passes(replay));
    this.differences = [new Difference(replays[0], replays[1]), new Difference(replays[1], replays[0])];
    this.ways = [["step", "by step"], ...(this.passes.every(({ count }) => count) ? [["pass", "by pass of the loop"]] : []),
      ...(replays.every(({ header }) => header.timing) ? [["cycle", "by modelled cycle"]] : []), ["apart", "each by itself"]];
    const same = likeness(replays);
    this.together = same === 1 || !this.passes.every(({ count }) => count) ? "step" : "pass";
    bar.append(this.toolbar());
    bar.dataset.lmSuppressShortcuts = "true";
    bar.addEventListener("focusin", (event) => { event.target.dataset.lmSuppressShortcuts = "true"; });
    el.addEventListener("keydown", (event) => this.key(event));
    if (view) this.apply(view);
    this.mark(view?.has("marks") ? view.get("marks") === "1" : same >= ALIKE);
    this.shared(0);
    this.steppers[0].goto(step, false);
    const beside = Number(view?.get("beside") ?? NaN);
    if (this.together === "apart" && Number.isFinite(beside)) this.steppers[1].goto(beside, false);
    this.onview = onview;
  }

  /** The first run's replay: what `step` counts. */
  get replay() {
    return this.steppers[0].replay;
  }

  /** The text that can be changed is the first run's. */
  get editor() {
    return this.steppers[0].editor;
  }

  get theme() {
    return this.steppers[0].theme;
  }

  get view() {
    const view = this.steppers[0].view;
    view.set("together", this.together);
    view.set("marks", this.marks.checked ? "1" : "0");
    if (this.together === "apart") view.set("beside", String(this.steppers[1].replay.step));
    return view;
  }

  toolbar() {
    this.select = h("select", { "aria-label": "how the two are stepped together", onchange: () => this.choose(this.select.value) },
      ...this.ways.map(([value, text]) => h("option", { value, selected: value === this.together || undefined }, text)));
    this.marks = h("input", { type: "checkbox", onchange: () => { this.mark(this.marks.checked); this.onview(); } });
    this.status = h("span", { class: "nsim-status", role: "status" });
    this.found = h("span", { class: "nsim-found", role: "status" });
    const find = (kind, title, key) => h("button", { type: "button", "data-act": `difference-${kind}`, title: `${title} (${key})`,
      onclick: () => this.find(kind) }, title);
    return h("div", { class: "nsim-toolbar", role: "group", "aria-label": "stepping together" }, h("label", {}, "together ", this.select),
      find("registers", "next difference in registers", "d"), find("memory", "in memory", "m"),
      h("label", {}, this.marks, "mark what differs"), this.status, this.found);
  }

  /** How a step of one is a step of the other. */
  choose(way) {
    if (!this.ways.some(([value]) => value === way)) return;
    this.together = this.select.value = way;
    this.steppers[0].goto(this.replay.step);
    this.onview();
  }

  apply(view) {
    const way = view.get("together");
    if (way && this.ways.some(([value]) => value === way)) this.together = this.select.value = way;
  }

  mark(on) {
    this.marks.checked = on;
    this.steppers.forEach((stepper, side) => {
      stepper.other = on ? this.differences[side] : null;
      stepper.refresh();
    });
  }

  /** Where the other side has to stand when one side stands at a step. */
  counterpart(side, step) {
    const { replay: mine } = this.steppers[side], { replay: theirs } = this.steppers[1 - side];
    switch (this.together) {
      case "pass": return this.passes[1 - side].counterpart(this.passes[side], step);
      case "cycle": return byCycle(theirs, mine, step);
      case "apart": return theirs.step;
      default: return step;
    }
  }

  /** One side has moved: the other follows, before either is drawn. */
  moved(side) {
    const other = this.steppers?.[1 - side];
    if (!other || !this.passes) return; // still being built
    setText(this.found, "");
    other.replay.goto(this.counterpart(side, this.steppers[side].replay.step));
    other.refresh();
    setText(this.status, this.steppers.map(({ replay }, k) =>
      `${k ? "right" : "left"}: step ${replay.step}${this.passes[k].count ? `, ${this.passes[k].say(replay.step)}` : ""}`).join("; "));
  }

  /** A setting that both have in common was changed on one side. */
  shared(side) {
    const [from, to] = [this.steppers?.[side], this.steppers?.[1 - side]];
    if (!from || !to || this.sharing) return;
    this.sharing = true;
    for (const name of SHARED) {
      const value = name === "type" ? from.registers.global : from[name];
      if ((name === "type" ? to.registers.global : to[name]) !== value) to.choose(name, value);
    }
    this.el.style.colorScheme = from.theme === "auto" ? "" : from.theme;
    this.sharing = false;
    this.onview();
  }

  /** On to the next step at which registers, or memory, begin to differ. */
  find(kind) {
    for (const stepper of this.steppers) stepper.pause();
    const [left, right] = this.steppers, from = left.replay.step;
    const way = this.together === "apart" ? (step) => right.replay.step + step - from : (step) => this.counterpart(0, step);
    const found = nextDifference([left.replay, right.replay], way, kind, from);
    if (!found) return setText(this.found, `No ${kind === "registers" ? "register" : "byte of memory"} begins to differ after here.`);
    left.replay.goto(found.step);
    right.replay.goto(found.other);
    right.refresh();
    left.goto(found.step);
    if (right.replay.step !== found.other) (right.replay.goto(found.other), right.refresh());
    setText(this.found, `${found.what} begins to differ here: ${this.values(found.what, kind)}`);
  }

  values(what, kind) {
    if (kind !== "registers") {
      const [name, offset] = what.split(" + ");
      const [x, y] = this.steppers.map(({ replay }) => {
        const buffer = replay.buffers.find((one) => one.name === name);
        return replay.memory[buffer.at + Number(offset) - buffer.skipped];
      });
      return `byte ${x} left, ${y} right`;
    }
    const [x, y] = this.steppers.map((stepper) => stepper.registers.text(what));
    return `left ${x}, right ${y}`;
  }

  key(event) {
    const { tagName, type } = event.target;
    if (event.altKey || event.ctrlKey || event.metaKey || tagName === "SELECT" || tagName === "TEXTAREA") return;
    if (tagName === "INPUT" && (type === "number" || type === "text")) return;
    const kind = { d: "registers", m: "memory" }[event.key];
    if (kind) this.find(kind);
    else if (this.el.firstChild.contains(event.target) && this.steppers[0].key(event) !== true) return;
    else if (!kind) return;
    event.preventDefault();
    event.stopPropagation();
  }

  goto(step, tell = true) {
    this.steppers[0].goto(step, tell);
  }

  close() {
    for (const stepper of this.steppers) stepper.close();
  }
}

/** Share of the instructions that two runs' programs have in common, 0 to 1. */
function likeness(replays) {
  const [mine, theirs] = replays.map(({ header }) => header.instructions.map(({ text }) => text));
  const left = new Map();
  for (const text of theirs) left.set(text, (left.get(text) ?? 0) + 1);
  let common = 0;
  for (const text of mine) {
    const count = left.get(text) ?? 0;
    if (count) (common++, left.set(text, count - 1));
  }
  return common / Math.max(mine.length, theirs.length, 1);
}
