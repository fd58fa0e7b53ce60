// The picture of one instruction: source lanes, arrows, destination lanes, and the arithmetic of each.

import { h, s, setText } from "./dom.js";
import { arithmetic, laneName, laneValue } from "./flow.js";
import { TYPES, locate } from "./format.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./flow.js").Flow} Flow
 * @typedef {import("./flow.js").Lane} Lane
 * @typedef {import("./flow.js").ResultLane} ResultLane
 * @typedef {{register: string, type: string, first: number, bytes: number, used: Set<number>}} LaneRow
 */

const LANES_AT_ONCE = 16; // in the list below the picture, until it is unfolded
// Pixels, at their size: letters are never drawn smaller. A byte's width follows the pane's, so that sixteen fit beside the labels;
// in a pane too narrow for that the labels stand above their rows.
const WIDEST = 16, UNITS = { most: 31, tight: 28, least: 20 }, LABEL = 84, NUMBERS = 12, GAP = 3, FALL = 34, NAMED = 12, NARROW = 470;
const MOST_OF_NAME = 13; // characters of a name beside its row

/**
 * Where the rows of a picture begin, and how high it is.
 * @param {number} sources rows @param {number} targets rows @param {number} box height of one
 * @param {boolean} above whether the labels stand above the rows
 */
function heights(sources, targets, box, above) {
  const named = above ? NAMED : 0, first = [], second = [];
  let y = NUMBERS + named;
  for (let k = 0; k < sources; k++, y += box + GAP + NUMBERS + named) first.push(y);
  if (sources) y = first[sources - 1] + box + FALL;
  for (let k = 0; k < targets; k++, y += box + GAP + NUMBERS + named) second.push(y);
  return { first, second, height: y };
}

/**
 * One row of the picture per register and role; `used` has a 1 for each byte that takes part.
 * @param {Flow} flow @param {boolean} a32
 */
function rowsOf(flow, a32) {
  /** @type {Map<string, LaneRow>[]} */
  const [sources, targets] = [new Map(), new Map()];
  /** @param {Map<string, LaneRow>} rows @param {Lane} item */
  const add = (rows, item) => {
    const memory = item.register === "mem", size = TYPES[item.type];
    const first = memory ? item.lane - (item.lane % (16 / size)) : 0; // memory: 16 bytes a row
    const key = `${item.register} ${item.type} ${first}`;
    let row = rows.get(key);
    if (!row) {
      // A64 writes v0.4h as part of v0: the row shows the whole register. A32 names the half itself (d9).
      const bytes = memory ? 0 : locate(item.register, a32).bytes;
      rows.set(key, row = { register: item.register, type: item.type, first, bytes, used: new Set() });
    }
    row.used.add(item.lane);
    if (memory) row.bytes = Math.max(row.bytes, (item.lane + 1 - first) * size);
  };
  for (const to of flow.lanes) {
    add(targets, to);
    for (const from of to.drawn) add(sources, from);
  }
  const accumulators = new Set([...targets.values()].map((row) => row.register));
  const order = [...sources.values()];
  // The accumulator stands right above its new value.
  order.sort((x, y) => Number(accumulators.has(x.register)) - Number(accumulators.has(y.register)));
  return { sources: order, targets: [...targets.values()] };
}

export class LanesPane {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    /** @type {ResultLane[]} */
    this.lanes = [];
    /** @type {{text: SVGElement, box: SVGElement, past: boolean, register: string, type: string, lane: number, item: Lane, to: ResultLane}[]} */
    this.boxes = [];
    /** @type {{label: SVGElement, item: Lane, to: ResultLane, text: string}[]} */
    this.labels = [];
    /** @type {{path: SVGElement, k: number}[]} */
    this.arrows = [];
    /** @type {HTMLElement[]} one for each lane that the list has room for */
    this.items = [];
    this.drawn = 0; // lanes in the picture
    this.whole = false; // the list, however long
    this.unfold = h("button", { type: "button", class: "nsim-small nsim-unfold", "aria-expanded": "false", onclick: () => this.fold(!this.whole) }, "more lanes");
    /** @type {SVGElement[]} the boxes of the results, one for each lane */
    this.targets = [];
    this.order = "";
    this.selected = 0;
    this.pc = -2;
    this.picture = h("div", { class: "nsim-picture" });
    this.coarse = Boolean(globalThis.matchMedia?.("(pointer: coarse)").matches); // a finger needs more room
    this.box = this.coarse ? 24 : 20;
    this.unit = UNITS.tight;
    this.above = false;
    this.formula = h("span");
    this.numbers = h("b");
    this.was = h("small");
    const output = h("output", { class: "nsim-formula" }, this.formula, h("br"), this.numbers, " ", this.was);
    this.list = h("ol", { class: "nsim-all-lanes", "aria-label": "arithmetic of every destination lane" });
    this.drawing = h("div", { class: "nsim-scroll nsim-drawn", tabindex: "0", role: "group", "aria-label": "picture of the lanes" }, app.predict.element, this.picture);
    this.listing = h("div", { class: "nsim-list", tabindex: "0", role: "group", "aria-label": "arithmetic of the lanes" }, this.list, this.unfold);
    this.element = h("section", { class: "nsim-pane nsim-lanes", "aria-label": app.called("lanes of the instruction") },
      h("header", {}, h("h3", {}, "Lanes"), app.predictBox, app.partsBox, app.partText), output, this.drawing,
      this.listing);
    /** @type {{sources: number, targets: number, lanes: number}[]} of each instruction that was executed */
    this.shapes = [...new Set(app.replay.columns.pc)].map((pc) => {
      const { sources, targets } = rowsOf(app.flows.of(pc), app.replay.a32);
      return { sources: sources.length, targets: targets.length, lanes: app.flows.of(pc).lanes.length };
    }).filter(({ lanes }) => lanes);
    this.listed = Math.min(LANES_AT_ONCE, Math.max(0, ...this.shapes.map(({ lanes }) => lanes)));
    this.sized = new ResizeObserver(([{ contentRect }]) => this.fit(contentRect.width));
    this.sized.observe(this.element); // not the place of the picture, which has a bar of its own or not
  }

  /** How high a picture of this run may be. */
  get highest() {
    return Math.max(0, ...this.shapes.map(({ sources, targets }) => heights(sources, targets, this.box, this.above).height));
  }

  /** Draw for a pane of this width; the height of its place changes only where the labels go above the rows. @param {number} width */
  fit(width) {
    if (!width) return; // not shown
    const above = width < NARROW, least = this.coarse ? 26 : UNITS.least;
    const unit = Math.min(UNITS.most, Math.max(least, (width - (above ? 0 : LABEL) - 6) / WIDEST));
    if (unit === this.unit && above === this.above) return;
    (this.unit = unit, this.above = above);
    this.app.measure();
    this.build(this.app.replay.pc >= 0 ? this.app.flows.of(this.app.replay.pc) : null);
    this.fill();
  }

  update() {
    const { replay, flows } = this.app;
    const pc = replay.pc;
    const flow = pc >= 0 ? flows.of(pc) : null;
    this.lanes = flow && replay.executed ? flow.lanes : [];
    if (pc !== this.pc) {
      this.pc = pc;
      if (this.selected >= this.lanes.length) this.selected = 0;
      this.build(flow);
    } else if (this.lanes.length !== this.drawn || this.order !== this.app.lane0) this.build(flow);
    this.fill();
  }

  /** @param {Flow|null} flow */
  build(flow) {
    this.order = this.app.lane0;
    this.drawing.classList.toggle("nsim-from-right", this.order === "right");
    this.boxes = [];
    this.labels = [];
    this.arrows = [];
    this.items = [];
    this.targets = [];
    this.picture.replaceChildren();
    this.list.replaceChildren();
    this.drawn = this.lanes.length;
    this.unfold.hidden = this.drawn <= LANES_AT_ONCE;
    const empty = this.lanes.length === 0;
    this.element.classList.toggle("nsim-empty", empty);
    if (empty || !flow) return;
    const { sources, targets } = rowsOf(flow, this.app.replay.a32);
    const { unit, box: high, above } = this, { first, second, height } = heights(sources.length, targets.length, high, above);
    const tops = new Map([...sources.map((row, k) => /** @type {[LaneRow, number]} */ ([row, first[k]])), ...targets.map((row, k) => /** @type {[LaneRow, number]} */ ([row, second[k]]))]);
    /** @param {LaneRow} row */
    const top = (row) => tops.get(row) ?? 0;
    const widest = Math.max(8, ...[...sources, ...targets].map(({ bytes }) => bytes)), left = above ? 2 : LABEL, width = left + widest * unit + 4;
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: (unit < UNITS.tight ? "nsim-tight" : "") + (above ? " nsim-above" : ""), role: "group", "aria-label": "source lanes above, result below" });
    /** @param {LaneRow} row @param {number} lane */
    const x = (row, lane) => {
      const size = TYPES[row.type] * unit, place = lane - row.first;
      return this.order === "right" ? width - 4 - (place + 1) * size : left + place * size;
    };
    const arrows = s("g", { class: "nsim-arrows", "aria-hidden": "true" });
    svg.append(arrows);
    /** @param {LaneRow} row @param {boolean} isTarget */
    const draw = (row, isTarget) => {
      const size = TYPES[row.type], name = this.app.nameOf(row.register), memory = row.register === "mem";
      const at = above ? [2, isTarget ? top(row) + high + NUMBERS + NAMED - 2 : top(row) - NUMBERS - 2] : [LABEL - 6, top(row) + high / 2 + 4];
      const label = s("text", { x: at[0], y: at[1] + (name && !above ? 6 : 0), class: "nsim-row-label" });
      if (name && !above) svg.append(s("text", { x: at[0], y: at[1] - 7, class: "nsim-row-label" }, s("title", {}, name), name.length > MOST_OF_NAME ? `${name.slice(0, MOST_OF_NAME - 1)}…` : name));
      svg.append(label);
      const inRow = (/** @type {Lane} */ lane) => lane.register === row.register && lane.type === row.type;
      const [{ to, item }] = this.lanes.flatMap((one) => (isTarget ? [one] : one.drawn).filter(inRow).map((lane) => ({ to: one, item: lane })));
      this.labels.push({ label, item, to, text: `${name && above ? name + " " : ""}${memory ? "memory" : row.register}` });
      for (let lane = row.first; (lane - row.first) * size < row.bytes; lane++) {
        const used = row.used.has(lane);
        const middle = x(row, lane) + size * unit / 2, text = s("text", { x: middle, y: top(row) + high / 2 + 4 });
        const box = s("g", { class: "nsim-box" + (isTarget ? " nsim-to" : " nsim-from") + (used ? "" : " nsim-idle") },
          s("rect", { x: x(row, lane) + 1, y: top(row), width: size * unit - 2, height: high, rx: 4 }), text,
          s("text", { x: middle, y: top(row) + (isTarget ? high + 10 : -2), class: "nsim-index", "aria-hidden": "true" }, String(lane)));
        svg.append(box);
        this.boxes.push({ text, box, past: !isTarget, register: row.register, type: row.type, lane, item, to });
        if (isTarget && used) {
          const k = this.lanes.findIndex((to) => to.register === row.register && to.lane === lane && to.type === row.type);
          this.targets[k] = box;
          for (const event of ["pointerenter", "click", "focus"]) box.addEventListener(event, () => { this.select(k); this.scroll(); });
          box.setAttribute("tabindex", "0");
          box.setAttribute("role", "button");
        }
      }
    };
    for (const row of sources) draw(row, false);
    for (const row of targets) draw(row, true);
    /** @param {LaneRow[]} rows @param {Lane} item */
    const find = (rows, item) => /** @type {LaneRow} */ (rows.find((row) => row.register === item.register
      && row.type === item.type && row.used.has(item.lane))); // rowsOf made one for each
    this.lanes.forEach((to, k) => {
      const target = find(targets, to);
      const x1 = x(target, to.lane) + TYPES[to.type] * unit / 2, y1 = top(target) - 3;
      for (const from of to.drawn) {
        const source = find(sources, from);
        const x0 = x(source, from.lane) + TYPES[from.type] * unit / 2, y0 = top(source) + high;
        const path = s("path", { d: `M${x0} ${y0}C${x0} ${y1 - 20} ${x1} ${Math.max(y0, y1 - 30)} ${x1} ${y1}`,
          class: "nsim-arrow" });
        arrows.append(path);
        this.arrows.push({ path, k });
      }
      arrows.append(s("path", { d: `M${x1 - 4} ${y1 - 5}L${x1} ${y1}L${x1 + 4} ${y1 - 5}`, class: "nsim-head" }));
    });
    this.picture.append(svg);
    this.fold(this.whole);
  }

  /** @param {boolean} whole whether the list has all lanes, or the first sixteen */
  fold(whole) {
    const count = whole ? this.drawn : Math.min(this.drawn, LANES_AT_ONCE);
    this.items = Array.from({ length: count }, (_, k) => h("li", { onpointerenter: () => this.select(k), onclick: () => this.select(k) }));
    this.list.replaceChildren(...this.items);
    setText(this.unfold, whole ? "fold" : `${this.drawn - count} more lanes`);
    this.unfold.setAttribute("aria-expanded", String(whole));
    if (whole !== this.whole) {
      this.whole = whole;
      this.fill();
    }
  }

  fill() {
    const { replay, hidden } = this.app;
    this.app.predict.ask(this.lanes);
    if (this.lanes.length === 0) {
      setText(this.numbers, "");
      setText(this.was, "");
      setText(this.formula, replay.step === 0 ? "" : replay.executed ? "No lanes: this instruction moves no vector data."
        : "Not executed: its condition did not hold.");
      return;
    }
    for (const box of this.boxes) {
      const { register, lane, item, to } = box;
      /** @param {boolean} past */
      const value = (past) => laneValue(replay, { register, lane, type: this.app.typeOf(item, to) }, past);
      setText(box.text, box.past ? value(true) : this.app.veil(value(false), () => value(true)));
      if (!box.past) box.box.classList.toggle("nsim-later", this.app.veiled);
    }
    for (const { label, item, to, text } of this.labels) setText(label, `${text} ${this.app.typeOf(item, to)}`);
    /** @type {import("./flow.js").TypeOf} */
    const typeOf = (item, to) => this.app.typeOf(item, to);
    this.items.forEach((item, k) => {
      const { name, names, values, result } = arithmetic(replay, this.lanes[k], typeOf);
      setText(item, this.app.reading ? `${name} = ${names}` : this.app.veiled ? `${name} = ${values}` : `${name} = ${values} = ${hidden ? "?" : result}`);
    });
    this.select(this.selected);
  }

  /** Bring the arithmetic of the lane that is chosen into sight. */
  scroll() {
    const item = this.items[this.selected], { listing } = this;
    if (item && (item.offsetTop < listing.scrollTop || item.offsetTop + item.offsetHeight > listing.scrollTop + listing.clientHeight)) listing.scrollTop = item.offsetTop;
  }

  /** Show the arrows and the arithmetic of one destination lane. @param {number} k */
  select(k) {
    this.selected = Math.min(Math.max(k, 0), this.lanes.length - 1);
    const to = this.lanes[this.selected], { replay, hidden } = this.app;
    const { name, names, values, result, old } = arithmetic(replay, to, (item, at) => this.app.typeOf(item, at));
    setText(this.formula, `${name} = ${names}`);
    setText(this.numbers, this.app.reading ? "" : this.app.veiled ? `= ${values}` : `= ${values} = ${hidden ? "?" : result}`);
    setText(this.was, `was ${old}`);
    for (const { path, k: of } of this.arrows) path.classList.toggle("nsim-on", of === this.selected);
    this.items.forEach((item, i) => { item.classList.toggle("nsim-on", i === this.selected); });
    this.targets.forEach((box, i) => {
      box.classList.toggle("nsim-on", i === this.selected);
      box.setAttribute("aria-pressed", String(i === this.selected));
      box.setAttribute("aria-label", `${laneName(this.lanes[i], replay.a32)} result lane`);
    });
    const chosen = new Set(to.sources.map((from) => `${from.register} ${from.type} ${from.lane}`));
    for (const box of this.boxes) {
      if (box.past) box.box.classList.toggle("nsim-on", chosen.has(`${box.register} ${box.type} ${box.lane}`));
    }
  }
}
