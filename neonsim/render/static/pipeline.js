// The modelled pipeline around the last step: when each instruction could have issued, issued, and had its result.

import { h, s, setText } from "./dom.js";
import { Overview } from "./overview.js";
import { issuedBy } from "./iterations.js";

/**
 * A run beside this one. `counterpart`: where in it a step of this one is; `way`: how the two are stepped together: by
 * "cycle" both are drawn on the same axis, else so that the steps at which they stand end above each other; `now`: its step.
 * @typedef {{replay: import("./state.js").Replay, timing: import("./payload.js").Timing, side: string,
 *   counterpart: (step: number) => number, way: () => string, now: () => number}} Beside
 * @typedef {import("./stepper.js").Stepper} Stepper
 */

// Instructions, their height, and how many cycles lie side by side: from near to far.
const PIPE_ZOOMS = [{ rows: 8, high: 22, cycles: 18 }, { rows: 16, high: 17, cycles: 36 }, { rows: 32, high: 12, cycles: 72 }, { rows: 72, high: 6, cycles: 180 }];
const PIPE_USUAL = 1, PIPE_LETTERED = 10; // rows lower than this have no text of their own
const PIPE_WIDE = 396, PIPE_TOP = 16, PIPE_LABEL = 190, PIPE_LETTERS = 30, PIPE_LEAD = 1 / 3, PIPE_BEFORE = 0.45;

export class PipelinePane {
  tab = "pipeline";
  title = "Pipeline";
  /** @type {{wait: SVGElement, work: SVGElement, waited: SVGElement, worked: SVGElement, title: SVGElement, label: SVGElement, back: SVGElement, over: SVGElement}[]} */
  rows = [];
  /** @type {{cycle: number, text: SVGElement}[]} */
  ticks = [];
  first = 0; // step of the first row
  /** @type {Beside|null} */
  other = null;
  compared = ""; // the way of stepping together for which the overview shows the other run

  /** @param {Stepper} app @param {import("./payload.js").Timing} timing */
  constructor(app, timing) {
    this.app = app;
    this.timing = timing;
    this.zoom = PIPE_USUAL;
    this.picture = h("div", { class: "nsim-pipe", tabindex: "0", role: "group", "aria-label": "picture of the pipeline; + and - zoom",
      onkeydown: (event) => {
        const way = "+=".includes(event.key) ? -1 : Number(event.key === "-");
        if (!way || event.ctrlKey || event.metaKey) return;
        this.scale(way);
        event.preventDefault();
        event.stopPropagation();
      } });
    /** @param {number} way @param {string} text @param {string} label */
    const button = (way, text, label) => h("button", { type: "button", "aria-label": label, title: label, onclick: () => this.scale(way) }, text);
    this.buttons = [button(1, "−", "pipeline: more cycles"), button(-1, "+", "pipeline: fewer cycles, larger")];
    this.reason = h("p", { class: "nsim-hint" });
    this.overview = new Overview(app.replay, (step) => { app.pause(); app.goto(step); });
    this.totals = h("p", { class: "nsim-hint nsim-pipe-totals", hidden: true });
    this.otherBox = h("input", { type: "checkbox", checked: true, onchange: () => { this.draw(); this.update(); } });
    this.otherLabel = h("label", { hidden: true }, this.otherBox, h("span", { class: "nsim-cell nsim-key-other" }, "the other run"));
    this.element = h("section", { class: "nsim-pane nsim-pipeline", "aria-label": "pipeline" },
      h("header", {}, h("h3", {}, "Pipeline"), h("span", { class: "nsim-hint" }, `modelled, ${timing.core}`), ...this.buttons,
        h("span", { class: "nsim-legend", "aria-hidden": "true" }, h("span", { class: "nsim-cell nsim-key-wait" }, "waits"),
          h("span", { class: "nsim-cell nsim-key-work" }, "executes")), this.otherLabel,
        h("span", { class: "nsim-hint" }, "click a row to go there")), this.overview.element, this.overview.words, this.totals, this.picture, this.reason);
    this.draw();
  }

  /** Nearer (-1) or farther (1). @param {number} way */
  scale(way) {
    const zoom = Math.min(Math.max(this.zoom + way, 0), PIPE_ZOOMS.length - 1);
    if (zoom === this.zoom) return;
    this.zoom = zoom;
    this.draw();
    this.update();
    this.app.changed();
  }

  /** Show another run's cycles as well. @param {Beside} other */
  beside(other) {
    this.other = other;
    this.otherLabel.hidden = this.totals.hidden = false;
    this.draw();
  }

  /** The other run, if it is to be seen. */
  get drawn() {
    return this.otherBox.checked ? this.other : null;
  }

  draw() {
    const { rows, high, cycles } = PIPE_ZOOMS[this.zoom], width = PIPE_LABEL + PIPE_WIDE, bottom = rows * high + PIPE_TOP, app = this.app;
    this.rows = Array.from({ length: rows }, (_, k) => {
      const y = k * high + PIPE_TOP, gap = high > PIPE_LETTERED ? 2 : 0.5;
      /** @param {string} name */
      const part = (name) => s("rect", { class: name, y: y + gap, height: (high - 2 * gap) * (this.drawn ? 0.55 : 1), rx: gap });
      /** @param {string} name */
      const below = (name) => s("rect", { class: name, y: y + gap + (high - 2 * gap) * 0.6, height: (high - 2 * gap) * 0.4, rx: gap / 2 });
      const title = s("title", {});
      return { wait: part("nsim-waiting"), work: part("nsim-working"), waited: below("nsim-waiting nsim-of-other"), worked: below("nsim-working nsim-of-other"), title,
        label: s("text", { x: 4, y: y + high / 2 + 4, style: high < PIPE_LETTERED ? "display:none" : `font-size:${Math.min(10, high - 3)}px` }),
        back: s("rect", { class: "nsim-pipe-now", x: 0, y, width, height: high }),
        over: s("rect", { class: "nsim-pipe-row", x: 0, y, width, height: high, onclick: () => this.first + k < app.replay.steps && app.goto(this.first + k + 1) }, title) };
    });
    const every = 10 * Math.ceil(cycles / 40), tens = Array.from({ length: Math.ceil(cycles / every) }, (_, k) => k * every);
    this.ticks = tens.map((cycle) => ({ cycle, text: s("text", { x: this.place(cycle) + 2, y: 11 }) }));
    const lines = s("path", { class: "nsim-pipe-grid", d: tens.map((cycle) => `M${this.place(cycle)} ${PIPE_TOP - 2}V${bottom}`).join("") });
    this.picture.replaceChildren(s("svg", { viewBox: `0 0 ${width} ${bottom + 2}`, role: "img", style: `max-width:${1.3 * width}px;min-width:${0.8 * width}px`,
      "aria-label": "instructions around this step against cycles; those of this step are written out above" },
    ...this.rows.map((row) => row.back), lines, ...this.rows.flatMap((row) => [row.label, row.wait, row.work, ...(this.drawn ? [row.waited, row.worked] : [])]), ...this.ticks.map(({ text }) => text),
    ...this.rows.map((row) => row.over)));
    this.buttons[0].disabled = this.zoom === PIPE_ZOOMS.length - 1;
    this.buttons[1].disabled = this.zoom === 0;
  }

  /** Where a cycle of the picture begins. @param {number} cycle */
  place(cycle) {
    return PIPE_LABEL + cycle * PIPE_WIDE / PIPE_ZOOMS[this.zoom].cycles;
  }

  update() {
    const { replay, header } = this.app, { columns, steps } = replay, { timing } = this, { rows, cycles } = PIPE_ZOOMS[this.zoom];
    const now = Math.max(replay.step - 1, 0);
    this.first = Math.max(0, Math.min(now - Math.floor(rows * PIPE_BEFORE), steps - rows));
    const base = steps ? Math.max(0, columns.issue_cycle[now] - Math.floor(cycles * PIPE_LEAD)) : 0;
    /** @param {Element} rect @param {number} from @param {number} to */
    const bar = (rect, from, to) => {
      const x0 = this.place(Math.max(0, from - base)), x1 = this.place(Math.min(cycles, to - base));
      rect.setAttribute("x", String(x0));
      rect.setAttribute("width", String(Math.max(0, x1 - x0)));
    };
    this.rows.forEach((row, k) => {
      const step = this.first + k, there = step < steps, text = there ? header.instructions[columns.pc[step]].text : "";
      setText(row.label, text.length > PIPE_LETTERS ? text.slice(0, PIPE_LETTERS - 1) + "…" : text);
      row.back.classList.toggle("nsim-on", there && step === replay.step - 1);
      const start = there ? columns.start_cycle[step] : 0, issue = there ? columns.issue_cycle[step] : 0;
      bar(row.wait, start, issue);
      bar(row.work, issue, there ? Math.max(columns.done_cycle[step], issue + 1) : 0);
      setText(row.title, there ? `step ${step + 1}: ${text}; could issue in cycle ${start}, issues in ${issue}, result in ${columns.done_cycle[step]}` : "");
    });
    this.overlay(bar);
    this.overview.update(this.first, rows);
    for (const { cycle, text } of this.ticks) setText(text, String(base + cycle));
    const why = replay.step ? timing.reasons[columns.reason[now]] : "";
    setText(this.reason, why ? `The last step waited: ${why}.` : " ");
  }

  /** The other run's cycles. @param {(rect: Element, from: number, to: number) => void} bar draws from one cycle to another */
  overlay(bar) {
    const { drawn: other, rows, first, app: { replay } } = this;
    const way = other ? other.way() : "", sameCycles = way === "cycle";
    if (way !== this.compared) this.overview.compare(null);
    if (!this.other) return;
    const { replay: theirs, timing, side, counterpart, now } = this.other, own = issuedBy(replay), their = issuedBy(theirs);
    /** Cycles that are over when a step has issued. @param {Uint32Array} list @param {number} step */
    const over = (list, step) => (step ? list[step - 1] + 1 : 0);
    const there = now(), [mine, yours] = [over(own, replay.step), over(their, there)];
    /** @param {number} by */
    const than = (by) => (by ? `${Math.abs(by)} ${by < 0 ? "fewer" : "more"}` : "as many");
    setText(this.totals, `Cycles (modelled): up to here ${mine}, ${side} ${yours} (${than(yours - mine)}) at its step ${there}; in all ${this.timing.cycles}, ${side} ${timing.cycles} (${than(timing.cycles - this.timing.cycles)}); ${sameCycles ? "drawn at the same cycles" : "drawn with these two steps above each other"}.`);
    const { compared: drawn } = this;
    this.compared = way;
    if (!other) return;
    const { columns, header } = theirs, shift = sameCycles ? 0 : mine - yours;
    const off = sameCycles ? 0 : there - counterpart(replay.step); // each may stand by itself
    rows.forEach((row, k) => {
      const step = counterpart(first + k + 1) + off - 1, known = first + k < replay.steps && step >= 0 && step < theirs.steps;
      const issue = known ? columns.issue_cycle[step] + shift : 0;
      bar(row.waited, known ? columns.start_cycle[step] + shift : 0, issue);
      bar(row.worked, issue, known ? Math.max(columns.done_cycle[step] + shift, issue + 1) : 0);
      if (known) row.title.append(`; ${side} step ${step + 1}: ${header.instructions[columns.pc[step]].text}; issues in ${columns.issue_cycle[step]}, result in ${columns.done_cycle[step]}`);
    });
    if (way === drawn) return;
    const { edges } = this.overview;
    this.overview.compare(edges.slice(1).map((edge, k) => Math.max(0, over(their, counterpart(edge)) - over(their, counterpart(edges[k])))));
  }
}
