// The modelled pipeline around the last step: when each instruction could have issued, issued, and had its result.

import { h, s, setText } from "./dom.js";

const PIPE_BEFORE = 7, PIPE_ROWS = 16, PIPE_CYCLES = 36, PIPE_LEAD = 12, CYCLE_WIDE = 11, PIPE_ROW = 17, PIPE_TOP = 16, PIPE_LABEL = 190, PIPE_LETTERS = 30;

export class PipelinePane {
  constructor(app) {
    this.app = app;
    const { timing } = app.header;
    const width = PIPE_LABEL + PIPE_CYCLES * CYCLE_WIDE, bottom = PIPE_ROWS * PIPE_ROW + PIPE_TOP;
    this.rows = Array.from({ length: PIPE_ROWS }, (_, k) => {
      const y = k * PIPE_ROW + PIPE_TOP;
      const part = (name) => s("rect", { class: name, y: y + 2, height: PIPE_ROW - 4, rx: 2 });
      return { wait: part("nsim-waiting"), work: part("nsim-working"), label: s("text", { x: 4, y: y + 12.5 }),
        back: s("rect", { class: "nsim-pipe-now", x: 0, y, width, height: PIPE_ROW }) };
    });
    const tens = Array.from({ length: Math.ceil(PIPE_CYCLES / 10) }, (_, k) => PIPE_LABEL + k * 10 * CYCLE_WIDE);
    this.ticks = tens.map((x) => s("text", { x: x + 2, y: 11 }));
    const lines = s("path", { class: "nsim-pipe-grid", d: tens.map((x) => `M${x} ${PIPE_TOP - 2}V${bottom}`).join("") });
    const svg = s("svg", { viewBox: `0 0 ${width} ${bottom + 2}`, role: "img", style: `max-width:${1.3 * width}px;min-width:${0.8 * width}px`,
      "aria-label": "instructions around this step against cycles; those of this step are written out above" },
    ...this.rows.map((row) => row.back), lines, ...this.rows.flatMap((row) => [row.label, row.wait, row.work]), ...this.ticks);
    this.reason = h("p", { class: "nsim-hint" });
    this.element = h("section", { class: "nsim-pane nsim-pipeline", "aria-label": "pipeline" },
      h("header", {}, h("h3", {}, "Pipeline"), h("span", { class: "nsim-hint" }, `modelled, ${timing.core}`),
        h("span", { class: "nsim-legend", "aria-hidden": "true" }, h("span", { class: "nsim-cell nsim-key-wait" }, "waits"),
          h("span", { class: "nsim-cell nsim-key-work" }, "executes"))),
      h("div", { class: "nsim-pipe", tabindex: "0", role: "group", "aria-label": "picture of the pipeline" }, svg), this.reason);
  }

  update() {
    const { replay, header } = this.app, { columns, steps } = replay, { timing } = header;
    const now = Math.max(replay.step - 1, 0);
    const first = Math.max(0, Math.min(now - PIPE_BEFORE, steps - PIPE_ROWS));
    const base = steps ? Math.max(0, columns.issue_cycle[now] - PIPE_LEAD) : 0;
    const place = (rect, from, to) => {
      const x0 = Math.max(0, from - base), x1 = Math.min(PIPE_CYCLES, to - base);
      rect.setAttribute("x", String(PIPE_LABEL + x0 * CYCLE_WIDE));
      rect.setAttribute("width", String(Math.max(0, x1 - x0) * CYCLE_WIDE));
    };
    this.rows.forEach((row, k) => {
      const step = first + k, there = step < steps, text = there ? header.instructions[columns.pc[step]].text : "";
      setText(row.label, text.length > PIPE_LETTERS ? text.slice(0, PIPE_LETTERS - 1) + "…" : text);
      row.back.classList.toggle("nsim-on", there && step === replay.step - 1);
      const start = there ? columns.start_cycle[step] : 0, issue = there ? columns.issue_cycle[step] : 0;
      place(row.wait, start, issue);
      place(row.work, issue, there ? Math.max(columns.done_cycle[step], issue + 1) : 0);
    });
    this.ticks.forEach((tick, k) => setText(tick, String(base + 10 * k)));
    const why = replay.step ? timing.reasons[columns.reason[now]] : "";
    setText(this.reason, why ? `The last step waited: ${why}.` : " ");
  }
}
