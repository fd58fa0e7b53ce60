// The stepper: one page; everything on it is a function of one number, the step. What changes at every step (card, code,
// registers, lanes) stands still in places of fixed height, the other panes are tabs below (tabs.js says how to add one).

import { BookmarksPane } from "./bookmarks.js";
import { BreakpointsPane } from "./breakpoints.js";
import { CachesPane } from "./caches.js";
import { ChangePane, changedAt } from "./change.js";
import { CodePane } from "./code.js";
import { Counters } from "./counters.js";
import { elementOf, h, reveal, s, setText } from "./dom.js";
import { EditPane } from "./edit.js";
import { ExplainPane } from "./explain.js";
import { Finder } from "./finder.js";
import { Flows } from "./flow.js";
import { LANE0, TYPES, locate } from "./format.js";
import { Hover } from "./hover.js";
import { LanesPane } from "./lanes.js";
import { linkButton } from "./link.js";
import { ManualPane, WarningsPane } from "./manual.js";
import { MemoryPane } from "./memory.js";
import { Panes } from "./panes.js";
import { parsePayload } from "./payload.js";
import { PipelinePane } from "./pipeline.js";
import { Predict } from "./predict.js";
import { RegistersPane } from "./registers.js";
import { Replay } from "./state.js";
import { Tabs } from "./tabs.js";
import { applyView, viewOf } from "./view.js";
import { WatchPane } from "./watch.js";

/**
 * How a run is shown. `view`: settings as viewOf() gives them; `onview` is called when they have changed, `onmove` when
 * the replay has moved and nothing is drawn yet; `machine` runs a changed text and changes values, `noMachine` says why
 * there is none; `undoable`: changes that can be undone; `cells`: see notebook.js; `heading`: show the title;
 * `link`: the address that opens this page as it is set up now, where there is one.
 * @typedef {{step?: number, view?: URLSearchParams, onstep?: (step: number) => void, onview?: () => void,
 *   onmove?: () => void, machine?: Machine, noMachine?: string, undoable?: number,
 *   cells?: ReturnType<typeof import("./notebook.js").cellsOf>, heading?: boolean, link?: () => string}} Options
 * @typedef {{run?: (text: string) => void, ask: (asked: {[what: string]: any}) => void,
 *   bar?: (app: Stepper, machine: Machine) => HTMLElement}} Machine without `run` it takes no text; `bar`: what it has to say above the run
 */

const SPEEDS = [1, 2, 4, 10, 30]; // steps a second while running
const SIZES = [["1", "text: normal"], ["1.25", "text: large"], ["1.6", "text: projector"]];
const PIXELS = ["memory", "pictures"]; // of what a run needs
const TICKS = 300; // iterations of loops that are marked on the slider at most
const KEYS = [["← →", "a step back, a step on (also p, n)"], ["shift ← →", "the same line again: an iteration of its loop"],
  ["space", "run, pause"], ["c, shift c", "on to the next breakpoint, back to the one before"], ["b", "breakpoint at the line chosen"],
  ["k", "bookmark this step"], ["j, shift j", "next bookmark, bookmark before"], ["i", "what the words of the line are, Esc closes"], ["g", "go to a step"],
  ["w, shift w", "next write, write before of what is followed"], ["f", "follow a register or a cell"], ["e", "change a value, and go on with it"],
  ["Home, End", "first, last"], ["up, down, t", "in the registers: from one to the next, its type"],
  ["+ -", "in the pipeline: nearer, farther"], ["arrows, Enter", "on a bar between panes: move it, put it back"], ["?", "these keys"]];
// Drawn, because the characters for these are missing in many fonts.
const ICONS = { first: "M3 3v10M13 3L6 8l7 5z", back: "m11 3L4 8l7 5z", next: "M5 3l7 5-7 5z", last: "M13 3v10M3 3l7 5-7 5z",
  run: "M4 3l5 5-5 5zM9 3l5 5-5 5z", pause: "M5 3v10m6-10v10" };

/** @param {string} path */
function icon(path) {
  return s("svg", { viewBox: "0 0 16 16", class: "nsim-icon", "aria-hidden": "true" }, s("path", { d: path }));
}

export class Stepper {
  /** @type {HTMLButtonElement} */
  runButton;
  /** @type {HTMLInputElement} */
  slider;
  /** @type {HTMLInputElement} */
  box;
  live = h("p", { class: "nsim-live", role: "status" });
  /** @type {HTMLElement} */
  help;
  /** @type {HTMLButtonElement} */
  helpButton;
  /** @type {Object<string, HTMLSelectElement>} by the name of the setting */
  selects = {};
  /** @type {ReturnType<typeof setInterval>|undefined} */
  timer;
  frame = 0;

  /**
   * @param {HTMLElement} el empty element to draw in
   * @param {import("./payload.js").Payload|import("./payload.js").Parsed} bytes a recorded run
   * @param {Options} [options]
   */
  constructor(el, bytes, { step = 0, view, onstep = () => {}, onview = () => {}, onmove = () => {}, machine, noMachine, undoable = 0, cells, heading = false, link } = {}) {
    const data = parsePayload(bytes);
    this.header = data.header;
    this.replay = new Replay(data);
    this.flows = new Flows(data.header);
    this.follow = true;
    this.lane0 = LANE0;
    this.speed = 4;
    this.size = "1";
    this.theme = "auto";
    this.onstep = onstep;
    this.onmove = onmove;
    this.onview = () => {};
    this.machine = machine;
    this.noMachine = noMachine;
    this.link = link;
    this.undoable = undoable;
    /** @type {Stepper|null} */
    this.twin = null; // the stepper of a run beside this one
    this.cells = cells;
    /** @type {import("./differ.js").Difference|null} */
    this.other = null; // what differs from a run beside this one
    const page = /** @type {{neonsimSteppers?: number}} */ (globalThis); // a notebook loads this module once for each stepper
    this.number = page.neonsimSteppers = (page.neonsimSteppers ?? 0) + 1;
    this.id = `nsim-${this.number}`;
    this.el = el;
    el.classList.add("nsim");
    el.setAttribute("role", "region");
    el.setAttribute("aria-label", `stepper ${this.number}: ${this.header.title}`);
    // JupyterLab listens for shortcuts before any element does, unless the focused element opts out: the one that has
    // the focus, not one around it.
    el.dataset.lmSuppressShortcuts = "true";
    el.addEventListener("focusin", (event) => { elementOf(event).dataset.lmSuppressShortcuts = "true"; });
    this.predict = new Predict(this);
    const predicting = h("input", { type: "checkbox", onchange: () => { this.predict.on = predicting.checked; this.refresh(); this.changed(); } });
    this.predictBox = h("label", {}, predicting, "predict");
    this.parts = false; // each instruction in three parts: what it reads, the arithmetic, what it writes
    this.part = 2;
    const inParts = h("input", { type: "checkbox", onchange: () => { this.parts = inParts.checked; this.part = 2; this.refresh(); this.changed(); } });
    this.partsBox = h("label", {}, inParts, "in parts");
    this.partText = h("span", { class: "nsim-hint", role: "status" });
    this.finder = new Finder(this);
    this.editor = new EditPane(this);
    this.explain = new ExplainPane(this);
    this.code = new CodePane(this);
    this.registers = new RegistersPane(this);
    this.matrices = new MemoryPane(this);
    this.lanes = new LanesPane(this);
    this.watch = new WatchPane(this);
    this.bookmarks = new BookmarksPane(this);
    this.breakpoints = new BreakpointsPane(this);
    this.hover = new Hover(this);
    this.pipeline = this.header.timing ? new PipelinePane(this, this.header.timing) : null;
    const { timing } = this.header;
    this.caches = timing?.caches ? new CachesPane(this, timing, timing.caches) : null;
    this.counters = new Counters(this);
    this.manual = new ManualPane(this);
    this.change = new ChangePane(this);
    this.tabs = new Tabs(this, [this.matrices, this.watch, this.breakpoints, ...(this.pipeline ? [this.pipeline] : []), ...(this.caches ? [this.caches] : []), this.counters, this.manual, this.change,
      ...(this.header.warnings?.length ? [new WarningsPane(this)] : [])]);
    this.panes = [this.explain, this.code, this.registers, this.lanes, this.tabs];
    this.body = h("div", { class: "nsim-body" }, ...this.panes.map((pane) => pane.element));
    this.division = new Panes(this, this.body);
    this.measure();
    el.replaceChildren(...(heading ? [h("h2", { class: "nsim-title" }, this.header.title)] : []), this.toolbar(), this.tools(),
      ...(machine?.bar ? [machine.bar(this, machine)] : []), this.body, this.live, this.hover.element);
    /** @type {Object<string, HTMLInputElement>} what is switched on and off, as a link calls it */
    this.switches = { predict: predicting, parts: inParts, all: this.registers.allBox, follow: this.code.followBox };
    this.keydown = (/** @type {KeyboardEvent} */ event) => this.key(event);
    el.addEventListener("keydown", this.keydown);
    if (view) applyView(this, view);
    this.goto(step, false);
    this.onview = onview;
  }

  /** The name of a part of this stepper, which no other part of the page has. @param {string} part */
  called(part) {
    return `${part}, stepper ${this.number}`;
  }

  /** What the panes could use: lines, rows, pixels. @returns {{[name: string]: number}} */
  needs() {
    const { code, registers, matrices, lanes, header } = this, used = registers.rows.filter((row) => row.used), vectors = used.filter((row) => row.vector).length;
    return { lines: code.lines.length, values: !vectors ? 1 : lanes.listed < 8 ? 2 : 3, vectors, scalars: Math.ceil((used.length - vectors) / 2), memory: matrices.need,
      pictures: lanes.highest, listed: lanes.listed, timed: Number(Boolean(header.timing)) };
  }

  /** Say it to the style: once for a run, so that nothing moves while it is stepped. Two runs beside each other are of one height. */
  measure() {
    const mine = this.needs(), theirs = this.twin?.needs() ?? mine;
    for (const [name, need] of Object.entries(mine)) this.body.style.setProperty(`--${name}`, `${Math.max(need, theirs[name])}${PIXELS.includes(name) ? "px" : ""}`);
  }

  /** Whether the last step's results are still to be guessed. */
  get hidden() {
    return this.predict.hidden;
  }

  /** Whether the last step is shown before its results are written. */
  get veiled() {
    return this.parts && this.part < 2 && this.replay.executed && this.flows.of(this.replay.pc).lanes.length > 0;
  }

  /** Whether it only reads as yet. */
  get reading() {
    return this.veiled && this.part === 0;
  }

  /**
   * A result as it may be shown: itself, a question mark while it is guessed, the value before while it is not written.
   * @param {string} text @param {() => string} old
   */
  veil(text, old) {
    return this.hidden ? "?" : this.veiled ? old() : text;
  }

  /** One step on or back, or one part of it. @param {number} way @returns {void} */
  move(way) {
    if (way > 0 && this.veiled) return this.toPart(this.part + 1);
    if (way < 0 && this.parts && this.part > 0 && this.flows.of(this.replay.pc)?.lanes.length) return this.toPart(this.part - 1);
    this.goto(this.replay.step + way);
    if (this.parts && way > 0) this.toPart(0);
  }

  /** @param {number} part */
  toPart(part) {
    this.part = part;
    this.refresh();
  }

  /** What a link to this page has to carry. */
  get view() {
    return viewOf(this);
  }

  changed() {
    this.onview();
  }

  toolbar() {
    const { steps } = this.replay, { first } = this.header;
    /** @param {keyof typeof ICONS} name @param {string} label @param {() => void} act */
    const button = (name, label, act) => h("button", { type: "button", "data-act": name, title: label,
      "aria-label": label, onclick: () => { this.pause(); act(); } }, icon(ICONS[name]));
    this.runButton = h("button", { type: "button", "data-act": "run", class: "nsim-run", onclick: () => this.toggle() });
    this.slider = h("input", { type: "range", min: 0, max: steps, "aria-label": "step",
      oninput: () => { this.pause(); this.goto(Number(this.slider.value)); } });
    const enter = () => { this.pause(); this.goto(Number(this.box.value)); };
    // JupyterLab takes the default action from Enter, which would be the change event.
    this.box = h("input", { type: "number", min: 0, max: steps, "aria-label": "go to step", onchange: enter,
      onkeydown: (event) => { if (event.key === "Enter") enter(); } });
    this.speedSelect = this.pick("speed", "speed", SPEEDS.map((n) => [String(n), `${n} a second`]));
    this.paintRun();
    return h("div", { class: "nsim-toolbar", role: "group", "aria-label": "run control" },
      button("first", "first (Home)", () => this.goto(0)),
      button("back", "one step back (left arrow, p)", () => this.move(-1)),
      this.runButton,
      button("next", "one step on (right arrow, n)", () => this.move(1)),
      button("last", "last (End)", () => this.goto(steps)),
      h("label", { class: "nsim-step" }, h("span", {}, "step "), this.box, ` of ${steps}`, first ? h("small", {}, `recorded from step ${first} on`) : ""),
      h("span", { class: "nsim-track" }, this.slider, this.loops(), this.bookmarks.ticks), this.speedSelect);
  }

  /** What is not needed at every step: who wrote it, settings, the list of keys. */
  tools() {
    this.help = h("dl", { class: "nsim-help", hidden: true }, ...KEYS.flatMap(([keys, text]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, text)]));
    this.helpButton = h("button", { type: "button", "data-act": "help", "aria-label": "keys (?)", title: "keys (?)", "aria-expanded": "false",
      onclick: () => this.toggleHelp() }, "?");
    return h("div", { class: "nsim-tools", role: "group", "aria-label": "tools and settings" }, this.finder.element,
      this.pick("size", "text size", SIZES), this.pick("theme", "theme", [["auto", "theme: system"], ["light", "theme: light"], ["dark", "theme: dark"]]),
      ...(this.link ? linkButton(this.link) : []), this.helpButton, this.help);
  }

  /** @param {"speed"|"size"|"theme"} name @param {string} label @param {string[][]} options */
  pick(name, label, options) {
    const select = h("select", { "aria-label": label, onchange: () => this.choose(name, select.value) },
      ...options.map(([value, text]) => h("option", { value, selected: String(this[name]) === value || undefined }, text)));
    return (this.selects[name] = select);
  }

  /** Marks under the slider: where a backward branch was taken, that is an iteration of a loop ended. */
  loops() {
    const { columns, steps } = this.replay;
    /** @type {number[]} */
    const at = [];
    for (let k = 1; k < steps && at.length <= TICKS; k++) if (columns.pc[k] <= columns.pc[k - 1]) at.push(k);
    const d = at.length > TICKS ? "" : at.map((k) => `M${(k / steps * 1000).toFixed(1)} 0V6`).join("");
    const hand = this.header.changes.map(({ step }) => `M${(step / Math.max(steps, 1) * 1000).toFixed(1)} 0V6`).join("");
    return s("svg", { viewBox: "0 0 1000 6", preserveAspectRatio: "none", class: "nsim-ticks", "aria-hidden": "true" }, s("path", { d }), s("path", { d: hand, class: "nsim-byhand" }));
  }

  toggleHelp() {
    this.help.hidden = !this.help.hidden;
    this.helpButton.setAttribute("aria-expanded", String(!this.help.hidden));
  }

  /** Show the state after `step` instructions. @param {number} step */
  goto(step, tell = true) {
    this.part = 2;
    const at = this.replay.goto(Number.isFinite(step) ? step : 0);
    this.onmove();
    this.refresh();
    if (tell) this.onstep(at);
  }

  refresh() {
    const { replay } = this;
    this.slider.value = String(replay.step);
    this.slider.setAttribute("aria-valuetext", `step ${replay.step} of ${replay.steps}`);
    if (this.box.value !== String(replay.step)) this.box.value = String(replay.step);
    this.el.dataset.step = String(replay.step);
    setText(this.partText, this.parts && this.replay.step ? ["1 of 3: it reads", "2 of 3: the arithmetic", "3 of 3: it writes"][this.veiled ? this.part : 2] : "");
    for (const pane of this.panes) pane.update();
    this.finder.update();
    this.hover.update();
    this.editor.update();
    if (!this.timer) setText(this.live, this.summary());
    if (this.follow && !this.frame) this.frame = requestAnimationFrame(() => this.scroll());
  }

  /** Scrolling asks where things are, which costs a layout: it waits for the frame that makes one anyway. */
  scroll() {
    this.frame = 0;
    for (const [pane, row] of [this.code.place(), this.registers.place()]) if (row) reveal(pane, row);
    this.lanes.scroll();
    if (this.tabs.shown === this.matrices) this.matrices.reveal();
  }

  /** The step in a sentence, for those who hear it. */
  summary() {
    const { replay, header, hidden } = this, instruction = header.instructions[replay.pc];
    if (!instruction) return `Start of ${replay.steps} steps.`;
    const results = replay.executed && !hidden ? replay.written().filter(({ bytes }) => bytes > 1).map(({ name }) => `${name} is ${this.registers.text(name)}`) : [];
    return `Step ${replay.step}: ${instruction.text}${replay.executed ? "" : ", not executed"}. ${[...results, changedAt(header.changes, replay.step)].filter(Boolean).join("; ")}`;
  }

  /** The name of the tab that is open. */
  get tab() {
    return this.tabs.name;
  }

  /** A setting of the page: type, lane0, speed, size, theme, tab. @param {string} what @param {string} value */
  choose(what, value) {
    if (what === "tab") return this.tabs.choose(value);
    const select = { ...this.selects, type: this.registers.typeSelect, lane0: this.registers.orderSelect }[what];
    if (!select || ![...select.options].some((option) => option.value === value)) return;
    select.value = value;
    if (what === "type") this.registers.global = value;
    if (what === "lane0") this.lane0 = value;
    if (what === "speed") this.speed = Number(value);
    if (what === "size") this.size = value;
    if (what === "theme") this.theme = value;
    if (what === "size") {
      this.el.style.zoom = value;
      this.el.style.setProperty("--zoom", value);
    }
    if (what === "theme") this.el.style.colorScheme = value === "auto" ? "" : value;
    if (what === "speed" && this.timer) (this.pause(), this.toggle());
    this.refresh();
    this.changed();
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.replay.step === this.replay.steps) this.goto(0);
    this.timer = setInterval(() => {
      if (!this.el.isConnected || (this.replay.step >= this.replay.steps && !this.veiled)) return this.pause();
      this.move(1);
      const stop = this.veiled ? undefined : this.breakpoints.at(this.replay.step);
      if (!stop) return;
      this.pause();
      this.breakpoints.say(stop);
    }, 1000 / this.speed);
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

  /**
   * Run to the next time one of the instructions of a line is executed; from the start again if there is none.
   * @param {number} row
   */
  runTo(row) {
    this.pause();
    const { pcs, number } = this.code.lines[row];
    /** @param {number} from */
    const search = (from) => Math.min(...pcs.map((pc) => this.replay.nextOf(pc, from)).filter((step) => step > 0));
    const onwards = search(this.replay.step), again = onwards === Infinity ? search(0) : onwards;
    if (again === Infinity) this.explain.note(`Line ${number} is never executed in this run.`);
    else {
      this.goto(again);
      if (onwards === Infinity) this.explain.note(`Line ${number} is not executed after here: this is its first time.`);
    }
  }

  /** The next (or last) time this same instruction is executed: one iteration of a loop. @param {number} way */
  again(way) {
    const { replay } = this, { step } = replay;
    const next = way > 0 ? replay.nextOf(replay.pc, step) : replay.lastOf(replay.pc, step - 1);
    if (next > 0) this.goto(next);
    else this.explain.note(`This instruction is not executed ${way > 0 ? "again" : "before"}.`);
  }

  /** @param {KeyboardEvent} event @returns {true|undefined} whether it was a key of ours */
  key(event) {
    const target = elementOf(event), { tagName } = target, type = target.getAttribute("type");
    // Inside a list or a number box the keys belong to it; on a button the space bar presses it.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (tagName === "SELECT" || tagName === "TEXTAREA" || (tagName === "INPUT" && (type === "number" || type === "text"))) return;
    if (event.key === " " && (tagName === "BUTTON" || type === "checkbox" || target.getAttribute("role") === "button")) return;
    const { steps } = this.replay;
    /** @type {Object<string, () => void>} */
    const acts = {
      ArrowRight: () => (event.shiftKey ? this.again(1) : this.move(1)), n: () => this.move(1),
      ArrowLeft: () => (event.shiftKey ? this.again(-1) : this.move(-1)), p: () => this.move(-1),
      Home: () => this.goto(0), End: () => this.goto(steps), " ": () => this.toggle(), c: () => this.breakpoints.go(1), C: () => this.breakpoints.go(-1),
      k: () => this.bookmarks.toggle(), j: () => this.bookmarks.go(1), J: () => this.bookmarks.go(-1), i: () => this.hover.next(),
      b: () => this.code.toggleBreak(this.code.lineOf[this.replay.nextPc]), g: () => (this.box.focus(), this.box.select()),
      f: () => (this.finder.box.focus(), this.finder.box.select()), e: () => this.change.open(this.finder.what?.name ?? ""), w: () => this.finder.move(1), W: () => this.finder.move(-1), "?": () => this.toggleHelp(),
    };
    const act = acts[event.key];
    if (!act) return;
    if (event.key !== " ") this.pause();
    act();
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  /** Name given to a register by the kernel's header, or "". @param {string} register */
  nameOf(register) {
    const { names } = this.header;
    const half = /^q\d/.test(register) ? 2 * Number(register.slice(1)) : -1;
    const halves = half < 0 ? [] : [names[`d${half}`], names[`d${half + 1}`]].filter(Boolean);
    return names[register] ?? names[locate(register, this.replay.a32).location] ?? halves.join(" ");
  }

  /**
   * The type to read a lane in. Results are read as the register pane shows them, and so is an accumulator. Loads,
   * stores and moves say x32: then the register's own use decides, for memory that of the arrow's other end.
   * @type {import("./flow.js").TypeOf}
   */
  typeOf(item, to) {
    if (item.said[0] !== "x" && item.register !== to.register) return item.type;
    const register = item.register === "mem" ? (item === to ? to.drawn[0] : to) : item;
    const place = register && this.placeOf(register.register);
    if (place?.bytes !== 16) return item.type;
    const used = this.registers.usedTypes.at(this.replay.step, place.index);
    return TYPES[used] === TYPES[item.type] ? used : item.type;
  }

  /** @param {string} register */
  placeOf(register) {
    return this.replay.places.get(locate(register, this.replay.a32).location);
  }

  /** "a + 16" for an address inside (or just past) a buffer. @param {bigint} value */
  pointerText(value) {
    for (const { name, address, skipped, size } of this.replay.buffers) {
      const offset = value - BigInt(address - skipped);
      if (offset >= 0n && offset <= BigInt(size)) return offset ? `${name} + ${offset}` : name;
    }
    return "";
  }

  close() {
    this.pause();
    this.hover.end();
    this.lanes.sized.disconnect();
    this.el.removeEventListener("keydown", this.keydown);
  }
}
