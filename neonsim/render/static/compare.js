// Two runs side by side, stepped together.

import { Difference, nextDifference } from "./differ.js";
import { elementOf, h, reveal, setText } from "./dom.js";
import { linkButton } from "./link.js";
import { Iterations, byCycle } from "./iterations.js";
import { Stepper } from "./stepper.js";

/**
 * @typedef {import("./state.js").Replay} Replay
 * @typedef {"step"|"iteration"|"cycle"|"apart"} Way how a step of one is a step of the other
 */

/** @type {("type"|"lane0"|"size"|"theme"|"tab")[]} */
const SHARED = ["type", "lane0", "size", "theme", "tab"]; // settings that both sides have in common
const SECOND = "Only the run on the left is run again. Copy the text, close here, and change that one.";
const PAIR_KEYS = [["d, shift d", "two runs: next difference of data, the one before"], ["r, m", "two runs: next register, next byte of memory that differs at all"]];
const ALIKE = 0.5; // programs that share half of their instructions: then what differs is worth a mark

export class Compare {
  /** @type {HTMLSelectElement} */
  select;
  /** @type {HTMLInputElement} */
  marks;
  /** @type {HTMLElement} */
  status;
  /** @type {HTMLElement} */
  found;
  sharing = false;

  /**
   * @param {HTMLElement} el empty element to draw in
   * @param {(import("./payload.js").Payload|import("./payload.js").Parsed)[]} payloads two recorded runs
   * @param {import("./stepper.js").Options} [options] as of Stepper; `step` is that of the first run
   */
  constructor(el, payloads, { step = 0, view, onstep = () => {}, onview = () => {}, machine, noMachine, undoable, cells, link } = {}) {
    this.onstep = onstep;
    this.onview = () => {};
    this.link = link;
    this.el = el;
    el.classList.add("nsim-pair");
    const roots = payloads.map(() => h("div"));
    const bar = h("div", { class: "nsim nsim-together", role: "region" });
    el.replaceChildren(bar, h("div", { class: "nsim-sides" }, ...roots));
    this.steppers = roots.map((root, side) => new Stepper(root, payloads[side], { view: side ? new URLSearchParams(view?.get("right") ?? "") : view,
      onmove: () => this.moved(side), onstep: () => this.onstep(this.replay.step), onview: () => this.shared(side),
      machine: side ? undefined : machine, undoable: side ? 0 : undoable, cells: side ? undefined : cells, noMachine: side ? SECOND : noMachine, heading: true }));
    this.steppers.forEach((stepper, side) => { stepper.twin = this.steppers[1 - side]; });
    for (const stepper of this.steppers) stepper.measure();
    bar.setAttribute("aria-label", `two runs together, steppers ${this.steppers.map(({ number }) => number).join(" and ")}`);
    const replays = this.steppers.map(({ replay }) => replay);
    this.iterations = replays.map((replay) => new Iterations(replay));
    this.differences = [new Difference(replays[0], replays[1]), new Difference(replays[1], replays[0])];
    /** @type {{way: Way, text: string, there: boolean}[]} */
    const ways = [{ way: "step", text: "by step", there: true },
      { way: "iteration", text: "by iteration of the loop", there: this.iterations.every(({ count }) => count > 0) },
      { way: "cycle", text: "by modelled cycle", there: replays.every(({ header }) => header.timing !== null) },
      { way: "apart", text: "each by itself", there: true }];
    this.ways = ways.filter(({ there }) => there);
    const same = likeness(replays);
    this.together = /** @type {Way} */ (same === 1 || !this.iterations.every(({ count }) => count) ? "step" : "iteration");
    this.differs = replays[1].header.differs ?? { said: "", every: [] };
    this.place = -1; // in differs.every: the one shown last
    bar.append(this.toolbar());
    for (const { help } of this.steppers) help.append(...PAIR_KEYS.flatMap(([keys, text]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, text)]));
    this.origins();
    this.overlay();
    bar.dataset.lmSuppressShortcuts = "true";
    bar.addEventListener("focusin", (event) => { elementOf(event).dataset.lmSuppressShortcuts = "true"; });
    el.addEventListener("keydown", (event) => this.key(event));
    if (view) this.take(view.get("together"));
    this.mark(view?.has("marks") ? view.get("marks") === "1" : same >= ALIKE);
    this.shared(0);
    this.steppers[0].goto(step, false);
    const beside = Number(view?.get("beside") ?? NaN);
    if (this.together === "apart" && Number.isFinite(beside)) this.steppers[1].goto(beside, false);
    this.onview = onview;
    setText(this.found, this.differs.said);
  }

  /** The first run's replay: what `step` counts. */
  get replay() {
    return this.steppers[0].replay;
  }

  /** The text that can be changed is the first run's. */
  get editor() {
    return this.steppers[0].editor;
  }

  get change() {
    return this.steppers[0].change;
  }

  get theme() {
    return this.steppers[0].theme;
  }

  get view() {
    const view = this.steppers[0].view;
    view.set("together", this.together);
    view.set("marks", this.marks.checked ? "1" : "0");
    const right = this.steppers[1].view;
    for (const name of ["step", ...SHARED]) right.delete(name);
    if (right.size) view.set("right", String(right));
    if (this.together === "apart") view.set("beside", String(this.steppers[1].replay.step));
    return view;
  }

  toolbar() {
    this.select = h("select", { "aria-label": "how the two are stepped together", onchange: () => this.choose(this.select.value) },
      ...this.ways.map(({ way, text }) => h("option", { value: way, selected: way === this.together || undefined }, text)));
    this.marks = h("input", { type: "checkbox", onchange: () => { this.mark(this.marks.checked); this.onview(); } });
    this.status = h("span", { class: "nsim-status", role: "status" });
    this.found = h("p", { class: "nsim-found", role: "status", tabindex: "0" });
    /** @param {string} act @param {string} text @param {string} title @param {() => void} go */
    const find = (act, text, title, go) => h("button", { type: "button", "data-act": `difference-${act}`, title,
      disabled: act.startsWith("data") && !this.differs.every.length, onclick: go }, text);
    return h("div", {}, h("div", { class: "nsim-toolbar", role: "group", "aria-label": "stepping together" }, h("label", {}, "together ", this.select),
      h("span", { class: "nsim-found-data", role: "group", "aria-label": "difference of data: what reaches a result" },
        find("data-back", "‹ back", "the difference of data before this one (D)", () => this.findData(-1)),
        find("data", "difference of data ›", "on to the next difference of data: of what reaches a result (d)", () => this.findData(1))),
      h("span", {}, "of anything: ", find("registers", "in registers", "next difference in any register (r)", () => this.find("registers")),
        find("memory", "in memory", "next difference in any byte of memory (m)", () => this.find("memory"))),
      h("label", {}, this.marks, "mark what differs"), ...(this.link ? linkButton(this.link) : []), this.status), this.found);
  }

  /** How a step of one is a step of the other. @param {string} way */
  choose(way) {
    if (!this.take(way)) return;
    this.steppers[0].goto(this.replay.step);
    this.onview();
  }

  /** @param {string|null} name of a way @returns {boolean} whether these two can be stepped so */
  take(name) {
    const found = this.ways.find(({ way }) => way === name);
    if (found) this.together = this.select.value = found.way;
    return Boolean(found);
  }

  /** @param {boolean} on */
  mark(on) {
    this.marks.checked = on;
    this.steppers.forEach((stepper, side) => {
      stepper.other = on ? this.differences[side] : null;
      stepper.refresh();
    });
  }

  /** Where the other side has to stand when one side stands at a step. @param {number} side @param {number} step */
  counterpart(side, step) {
    const { replay: mine } = this.steppers[side], { replay: theirs } = this.steppers[1 - side];
    switch (this.together) {
      case "iteration": return this.iterations[1 - side].counterpart(this.iterations[side], step);
      case "cycle": return byCycle(theirs, mine, step);
      case "apart": return theirs.step;
      default: return step;
    }
  }

  /** One side has moved: the other follows, before either is drawn. @param {number} side */
  moved(side) {
    const other = this.steppers?.[1 - side];
    if (!other || !this.iterations) return; // still being built
    setText(this.found, this.differs.said);
    other.replay.goto(this.counterpart(side, this.steppers[side].replay.step));
    other.refresh();
    this.said();
  }

  /** Where the two stand. */
  said() {
    setText(this.status, this.steppers.map(({ replay }, k) =>
      `${k ? "right" : "left"}: step ${replay.step}${this.iterations[k].count ? `, ${this.iterations[k].say(replay.step)}` : ""}`).join("; "));
  }

  /** A setting that both have in common was changed on one side. @param {number} side */
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

  /** Marks beside the lines at which data begin to differ. */
  origins() {
    for (const [left, right, begins] of this.differs.every) {
      if (!begins) continue;
      for (const line of [this.lineAt(0, left), this.lineAt(1, right)]) line?.classList.add("nsim-origin");
    }
  }

  /** The pipeline of each run shows the other's cycles: iteration by iteration, where both have a loop. */
  overlay() {
    this.steppers.forEach((stepper, side) => {
      const { replay, pipeline } = this.steppers[1 - side], { timing } = replay.header;
      if (!pipeline || !timing) return;
      const loops = this.iterations.every(({ count }) => count > 0);
      stepper.pipeline?.beside({ replay, timing, side: side ? "left" : "right", way: () => this.together, now: () => replay.step,
        counterpart: (step) => Math.min(loops && this.together !== "step" ? this.iterations[1 - side].counterpart(this.iterations[side], step) : step, replay.steps) });
    });
  }

  /** The line of a step in the program. @param {number} side @param {number} step */
  lineAt(side, step) {
    const { code, replay } = this.steppers[side];
    return code.lines[code.lineOf[replay.pcOf(step - 1)]]?.element;
  }

  /** To the next place, or the one before, at which data differ. @param {number} way 1 or -1 */
  findData(way) {
    for (const stepper of this.steppers) stepper.pause();
    const { every, said } = this.differs, [left, right] = this.steppers;
    if (!every.length) return setText(this.found, said);
    const now = every[this.place], [step, other] = [left.replay.step, right.replay.step];
    const here = now?.[0] === step && now[1] === other;
    const next = here ? this.place + way : way > 0 ? every.findIndex((one) => one[0] > step) : every.findLastIndex((one) => one[0] < step);
    if (next < 0 || next >= every.length) return setText(this.found, `No data differ ${way > 0 ? "after" : "before"} here that did not ${way > 0 ? "before" : "after"}.`);
    const [mine, theirs, begins, text] = every[next];
    this.stand(mine, theirs);
    this.place = next;
    this.steppers.forEach((stepper, side) => {
      stepper.code.body.querySelector(".nsim-origin-here")?.classList.remove("nsim-origin-here");
      const line = this.lineAt(side, side ? theirs : mine);
      line?.classList.add("nsim-origin-here");
      if (line && !stepper.follow) reveal(stepper.code.body, line); // asked for, unlike following
    });
    setText(this.found, `${next + 1} of ${every.length}, ${begins ? "begins here" : "passed on"}: ${text}`);
  }

  /** Both at steps of their own. @param {number} step @param {number} other */
  stand(step, other) {
    const [left, right] = this.steppers;
    left.goto(step);
    if (right.replay.step !== other) (right.replay.goto(other), right.refresh(), left.refresh());
    this.said();
  }

  /** On to the next step at which registers, or memory, begin to differ. @param {"registers"|"memory"} kind */
  find(kind) {
    for (const stepper of this.steppers) stepper.pause();
    const [left, right] = this.steppers, from = left.replay.step;
    /** @param {number} step */
    const way = (step) => (this.together === "apart" ? right.replay.step + step - from : this.counterpart(0, step));
    const found = nextDifference([left.replay, right.replay], way, kind, from);
    if (!found) return setText(this.found, `No ${kind === "registers" ? "register" : "byte of memory"} begins to differ after here.`);
    this.stand(found.step, found.other);
    setText(this.found, `${found.what} begins to differ here: ${this.values(found.what, kind)}`);
  }

  /** @param {string} what @param {"registers"|"memory"} kind */
  values(what, kind) {
    if (kind !== "registers") {
      const [name, offset] = what.split(" + ");
      const [x, y] = this.steppers.map(({ replay }) => {
        const buffer = replay.buffers.find((one) => one.name === name);
        return buffer && replay.memory[buffer.at + Number(offset) - buffer.skipped];
      });
      return `byte ${x} left, ${y} right`;
    }
    const [x, y] = this.steppers.map((stepper) => stepper.registers.text(what));
    return `left ${x}, right ${y}`;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = elementOf(event), { tagName } = target, type = target.getAttribute("type");
    if (event.altKey || event.ctrlKey || event.metaKey || tagName === "SELECT" || tagName === "TEXTAREA") return;
    if (tagName === "INPUT" && (type === "number" || type === "text")) return;
    /** @type {Object<string, () => void>} */
    const acts = { d: () => this.findData(1), D: () => this.findData(-1), r: () => this.find("registers"), m: () => this.find("memory") };
    if (Object.hasOwn(acts, event.key)) {
      acts[event.key]();
      event.preventDefault();
      event.stopPropagation();
    } else if (!this.steppers.some((stepper) => stepper.el.contains(target))) this.steppers[0].key(event);
  }

  /** @param {number} step */
  goto(step, tell = true) {
    this.steppers[0].goto(step, tell);
  }

  close() {
    for (const stepper of this.steppers) stepper.close();
  }
}

/** Share of the instructions that two runs' programs have in common, 0 to 1. @param {Replay[]} replays */
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
