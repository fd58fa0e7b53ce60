// The whole run on one strip: how many cycles its steps take, and how many of those nothing issues in. Modelled.

import { h, s, setText } from "./dom.js";
import { issuedBy } from "./iterations.js";

/** @typedef {import("./state.js").Replay} Replay */

const BINS = 300, OVER_HIGH = 34, OVER_CLIP = 6; // strips at most; height of the picture; times the median that is drawn whole

/**
 * A run in equal parts of its steps. The cycles of a part are those from the last issue before it to its own last one;
 * together they are all cycles up to the last issue. `busy`: those in which an instruction issues.
 * @param {Replay} replay @returns {{edges: number[], cycles: number[], busy: number[]}} edges: steps, one more than parts
 */
export function parts(replay) {
  const { steps, columns } = replay, last = issuedBy(replay), count = Math.min(BINS, steps);
  const some = new Uint32Array(steps ? last[steps - 1] + 2 : 1); // some[c + 1]: cycles up to c in which one issues
  for (let k = 0; k < steps; k++) some[columns.issue_cycle[k] + 1] = 1;
  for (let c = 1; c < some.length; c++) some[c] += some[c - 1];
  const edges = Array.from({ length: count + 1 }, (_, k) => Math.round(k * steps / Math.max(count, 1)));
  const ends = edges.map((edge) => (edge ? last[edge - 1] + 1 : 0)); // cycles that are over by then
  return { edges, cycles: edges.slice(1).map((_, k) => ends[k + 1] - ends[k]), busy: edges.slice(1).map((_, k) => some[ends[k + 1]] - some[ends[k]]) };
}

export class Overview {
  /**
   * @param {Replay} replay @param {(step: number) => void} go to a step
   */
  constructor(replay, go) {
    this.replay = replay;
    this.go = go;
    this.rows = 1; // steps that the picture below shows, from `first` on
    const { steps } = replay, { edges, cycles, busy } = parts(replay);
    this.edges = edges;
    const median = [...cycles].sort((a, b) => a - b)[cycles.length >> 1] ?? 1, most = Math.max(1, ...cycles);
    const whole = Math.min(most, OVER_CLIP * Math.max(median, 1)); // what is taller is cut off, with a mark
    this.scale = (OVER_HIGH - 3) / whole;
    this.total = { cycles: cycles.reduce((sum, n) => sum + n, 0), busy: busy.reduce((sum, n) => sum + n, 0) };
    /** @param {(k: number) => [number, number]} span from and to, in cycles */
    const bars = (span) => cycles.map((_, k) => {
      const [low, high] = span(k).map((n) => OVER_HIGH - Math.min(n * this.scale, OVER_HIGH - 3));
      return low - high > 0.05 ? `M${this.x(edges[k])} ${low.toFixed(1)}V${high.toFixed(1)}H${this.x(edges[k + 1])}V${low.toFixed(1)}Z` : "";
    }).join("");
    const clipped = cycles.map((n, k) => (n > whole ? `M${this.x(edges[k])} 1.5H${this.x(edges[k + 1])}` : "")).join("");
    this.other = s("path", { class: "nsim-over-other" });
    this.window = s("rect", { class: "nsim-over-window", y: 0.5, height: OVER_HIGH - 1 });
    this.here = s("path", { class: "nsim-here" });
    this.element = h("div", { class: "nsim-over", role: "slider", tabindex: "0", "aria-label": "the whole run: cycles of its steps; arrows move along it",
      "aria-valuemin": 0, "aria-valuemax": steps, onkeydown: (event) => this.key(event) },
    s("svg", { viewBox: `0 0 1000 ${OVER_HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      s("path", { class: "nsim-over-busy", d: bars((k) => [0, busy[k]]) }), s("path", { class: "nsim-over-idle", d: bars((k) => [busy[k], cycles[k]]) }),
      this.other, s("path", { class: "nsim-over-clip", d: clipped }), this.window, this.here));
    this.element.addEventListener("pointerdown", (event) => this.grab(event));
    this.element.addEventListener("pointermove", (event) => { if (this.element.hasPointerCapture(event.pointerId)) this.drag(event); });
    this.words = h("span", { class: "nsim-hint" });
    setText(this.words, `whole run: ${steps} steps, last issue in cycle ${Math.max(this.total.cycles - 1, 0)}; something issues in ${this.total.busy} cycles (█), nothing in ${this.total.cycles - this.total.busy} (▒)${most > whole ? "; a red end: longer than drawn" : ""}`);
  }

  /** Where a step stands, of 1000. @param {number} step */
  x(step) {
    return (1000 * step / Math.max(this.replay.steps, 1)).toFixed(1);
  }

  /** Another run's cycles for the same parts of this one, as a line. @param {number[]|null} cycles one a part */
  compare(cycles) {
    this.other.setAttribute("d", (cycles ?? []).map((n, k) => {
      const y = Math.max(1.5, OVER_HIGH - n * this.scale).toFixed(1);
      return `${k ? "L" : "M"}${this.x(this.edges[k])} ${y}H${this.x(this.edges[k + 1])}`;
    }).join(""));
  }

  /** @param {number} first step shown below @param {number} rows */
  update(first, rows) {
    const { step, steps } = this.replay, left = Number(this.x(first));
    this.rows = rows;
    this.window.setAttribute("x", String(Math.min(left, 994)));
    this.window.setAttribute("width", String(Math.max(6, Math.min(Number(this.x(Math.min(first + rows, steps))), 1000) - left)));
    this.here.setAttribute("d", `M${this.x(Math.max(step - 0.5, 0))} 0V${OVER_HIGH}`);
    this.element.setAttribute("aria-valuenow", String(step));
    this.element.setAttribute("aria-valuetext", `step ${step} of ${steps}${step ? `, issued in cycle ${this.replay.columns.issue_cycle[step - 1]}` : ""}`);
  }

  /** @param {PointerEvent} event */
  grab(event) {
    if (event.button) return;
    this.element.setPointerCapture(event.pointerId);
    this.drag(event);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const { left, width } = this.element.getBoundingClientRect(), { steps } = this.replay;
    this.go(Math.min(steps, Math.max(0, Math.round((event.clientX - left) / Math.max(width, 1) * steps))));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { step, steps } = this.replay, part = Math.max(1, Math.round(steps / BINS));
    /** @type {Object<string, number>} */
    const to = { ArrowRight: step + part, ArrowUp: step + part, ArrowLeft: step - part, ArrowDown: step - part,
      PageUp: step + this.rows, PageDown: step - this.rows, Home: 0, End: steps };
    if (!(event.key in to)) return;
    this.go(to[event.key]);
    event.preventDefault();
    event.stopPropagation();
  }
}
