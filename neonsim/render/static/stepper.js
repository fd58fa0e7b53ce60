// The stepper: one page, no tabs. Everything is a function of one number, the step.

import { CodePane } from "./code.js";
import { h, reveal, s, setText } from "./dom.js";
import { ExplainPane } from "./explain.js";
import { Flows } from "./flow.js";
import { TYPES, locate } from "./format.js";
import { LanesPane } from "./lanes.js";
import { MatricesPane } from "./matrices.js";
import { parsePayload } from "./payload.js";
import { RegistersPane } from "./registers.js";
import { Replay } from "./state.js";

const BEAT = 250; // milliseconds between steps while running
// Drawn, because the characters for these are missing in many fonts.
const ICONS = { first: "M3 3v10M13 3L6 8l7 5z", back: "M11 3L4 8l7 5z", next: "M5 3l7 5-7 5z", last: "M13 3v10M3 3l7 5-7 5z",
  run: "M4 3l5 5-5 5zM9 3l5 5-5 5z", pause: "M5 3v10M11 3v10" };
let instances = 0;

function icon(path) {
  return s("svg", { viewBox: "0 0 16 16", class: "nsim-icon", "aria-hidden": "true" }, s("path", { d: path }));
}

export class Stepper {
  /**
   * @param {HTMLElement} el empty element to draw in
   * @param {ArrayBuffer|DataView|Uint8Array} bytes a recorded run
   * @param {{step?: number, onstep?: (step: number) => void}} [options]
   */
  constructor(el, bytes, { step = 0, onstep = () => {} } = {}) {
    const data = parsePayload(bytes);
    this.header = data.header;
    this.replay = new Replay(data);
    this.flows = new Flows(data.header);
    this.follow = true;
    this.lane0 = "right";
    this.onstep = onstep;
    this.id = `nsim-${++instances}`;
    this.el = el;
    el.classList.add("nsim");
    el.setAttribute("role", "region");
    el.setAttribute("aria-label", `stepper: ${this.header.title}`);
    // JupyterLab listens for shortcuts before any element does, unless the focused element opts out: the one that has
    // the focus, not one around it.
    el.dataset.lmSuppressShortcuts = "true";
    el.addEventListener("focusin", (event) => { event.target.dataset.lmSuppressShortcuts = "true"; });
    this.explain = new ExplainPane(this);
    this.code = new CodePane(this);
    this.registers = new RegistersPane(this);
    this.matrices = new MatricesPane(this);
    this.lanes = new LanesPane(this);
    this.panes = [this.explain, this.code, this.registers, this.lanes, this.matrices];
    el.replaceChildren(this.toolbar(), h("div", { class: "nsim-body" }, ...this.panes.map((pane) => pane.element)));
    this.keydown = (event) => this.key(event);
    el.addEventListener("keydown", this.keydown);
    this.goto(step, false);
  }

  toolbar() {
    const { steps } = this.replay, { first } = this.header;
    const button = (name, label, act) => h("button", { type: "button", "data-act": name, title: label,
      "aria-label": label, onclick: () => { this.pause(); act(); } }, icon(ICONS[name]));
    this.runButton = h("button", { type: "button", "data-act": "run", class: "nsim-run", onclick: () => this.toggle() });
    this.slider = h("input", { type: "range", min: 0, max: steps, "aria-label": "step",
      oninput: () => { this.pause(); this.goto(Number(this.slider.value)); } });
    const enter = () => { this.pause(); this.goto(Number(this.box.value)); };
    // JupyterLab takes the default action from Enter, which would be the change event.
    this.box = h("input", { type: "number", min: 0, max: steps, "aria-label": "go to step", onchange: enter,
      onkeydown: (event) => { if (event.key === "Enter") enter(); } });
    this.status = h("span", { class: "nsim-status", role: "status" });
    this.paintRun();
    return h("div", { class: "nsim-toolbar", role: "group", "aria-label": "run control" },
      button("first", "first (Home)", () => this.goto(0)),
      button("back", "one step back (left arrow, p)", () => this.goto(this.replay.step - 1)),
      this.runButton,
      button("next", "one step on (right arrow, n)", () => this.goto(this.replay.step + 1)),
      button("last", "last (End)", () => this.goto(steps)),
      this.slider, h("label", { class: "nsim-step" }, "step ", this.box, ` of ${steps}${first ? ` (recorded from step ${first} on)` : ""}`), this.status,
      h("span", { class: "nsim-hint nsim-keys" }, "keys: ← → step, shift: same line again, space runs"));
  }

  /** Show the state after `step` instructions. */
  goto(step, tell = true) {
    const at = this.replay.goto(Number.isFinite(step) ? step : 0);
    this.refresh();
    if (tell) this.onstep(at);
  }

  refresh() {
    const { replay } = this;
    this.slider.value = String(replay.step);
    this.slider.setAttribute("aria-valuetext", `step ${replay.step} of ${replay.steps}`);
    if (this.box.value !== String(replay.step)) this.box.value = String(replay.step);
    this.el.dataset.step = String(replay.step);
    setText(this.status, this.counted());
    for (const pane of this.panes) pane.update();
    if (this.follow && !this.frame) this.frame = requestAnimationFrame(() => this.scroll());
  }

  /** Scrolling asks where things are, which costs a layout: it waits for the frame that makes one anyway. */
  scroll() {
    this.frame = 0;
    for (const [pane, row] of [this.code.place(), this.registers.place()]) if (row) reveal(pane, row);
  }

  /** Counters, each with the word that says where it comes from. */
  counted() {
    const { timing } = this.header, { step, columns } = this.replay;
    if (!timing) return "";
    const cycle = step ? columns.issue_cycle[step - 1] : 0;
    return `cycle ${cycle} of ${timing.cycles} (modelled, ${timing.core})`;
  }

  choose(what, value) {
    if (what === "type") this.registers.global = value;
    else this.lane0 = value;
    this.refresh();
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.replay.step === this.replay.steps) this.goto(0);
    this.timer = setInterval(() => {
      if (!this.el.isConnected || this.replay.step >= this.replay.steps) this.pause();
      else this.goto(this.replay.step + 1);
    }, BEAT);
    this.paintRun();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.paintRun();
  }

  paintRun() {
    const running = Boolean(this.timer), label = running ? "pause (space)" : "run (space)";
    this.runButton.replaceChildren(icon(ICONS[running ? "pause" : "run"]), running ? "pause" : "run");
    this.runButton.title = label;
    this.runButton.setAttribute("aria-pressed", String(running));
  }

  /** Run to the next time one of the instructions of a line is executed; from the start again if there is none. */
  runTo(row) {
    this.pause();
    const { pcs, number } = this.code.lines[row];
    const search = (from) => Math.min(...pcs.map((pc) => this.replay.nextOf(pc, from)).filter((step) => step > 0));
    const onwards = search(this.replay.step), again = onwards === Infinity ? search(0) : onwards;
    if (again === Infinity) this.explain.note(`Line ${number} is never executed in this run.`);
    else {
      this.goto(again);
      if (onwards === Infinity) this.explain.note(`Line ${number} is not executed after here: this is its first time.`);
    }
  }

  /** The next (or last) time this same instruction is executed: one pass of a loop. */
  again(way) {
    const { replay } = this, { step } = replay;
    const next = way > 0 ? replay.nextOf(replay.pc, step) : replay.lastOf(replay.pc, step - 1);
    if (next > 0) this.goto(next);
    else this.explain.note(`This instruction is not executed ${way > 0 ? "again" : "before"}.`);
  }

  key(event) {
    const { tagName, type } = event.target;
    // Inside a list or a number box the keys belong to it; on a button the space bar presses it.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (tagName === "SELECT" || (tagName === "INPUT" && type === "number")) return;
    if (event.key === " " && (tagName === "BUTTON" || type === "checkbox" || event.target.getAttribute("role") === "button")) return;
    const { step, steps } = this.replay;
    const act = {
      ArrowRight: () => (event.shiftKey ? this.again(1) : this.goto(step + 1)), n: () => this.goto(step + 1),
      ArrowLeft: () => (event.shiftKey ? this.again(-1) : this.goto(step - 1)), p: () => this.goto(step - 1),
      Home: () => this.goto(0), End: () => this.goto(steps), " ": () => this.toggle(),
    }[event.key];
    if (!act) return;
    if (event.key !== " ") this.pause();
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  /** Name given to a register by the kernel's header, or "". */
  nameOf(register) {
    const { names } = this.header;
    const half = /^q\d/.test(register) ? 2 * Number(register.slice(1)) : -1;
    const halves = half < 0 ? [] : [names[`d${half}`], names[`d${half + 1}`]].filter(Boolean);
    return names[register] ?? names[locate(register, this.replay.a32).location] ?? halves.join(" ");
  }

  /**
   * The type to read a lane in. Results are read as the register pane shows them, and so is an accumulator. Loads,
   * stores and moves say x32: then the register's own use decides, for memory that of the arrow's other end.
   */
  typeOf(item, to) {
    if (item.said[0] !== "x" && item.register !== to.register) return item.type;
    const register = item.register === "mem" ? (item === to ? to.drawn[0] : to) : item;
    const place = register && this.placeOf(register.register);
    if (place?.bytes !== 16) return item.type;
    const used = this.registers.usedTypes.at(this.replay.step, place.index);
    return TYPES[used] === TYPES[item.type] ? used : item.type;
  }

  placeOf(register) {
    return this.replay.places.get(locate(register, this.replay.a32).location);
  }

  /** "a + 16" for an address inside (or just past) a buffer. */
  pointerText(value) {
    for (const { name, address, skipped, size } of this.replay.buffers) {
      const offset = value - BigInt(address - skipped);
      if (offset >= 0n && offset <= BigInt(size)) return offset ? `${name} + ${offset}` : name;
    }
    return "";
  }

  close() {
    this.pause();
    this.el.removeEventListener("keydown", this.keydown);
  }
}
