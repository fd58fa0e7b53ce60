// The program: the line executed last, the next one, loops, how often each line has run.

import { colored } from "./color.js";
import { h, reveal, setText } from "./dom.js";

/** @typedef {import("./stepper.js").Stepper} Stepper */

export class CodePane {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    this.cursor = -1;
    this.now = -1; // rows
    this.next = -1;
    /** @type {number[]} */
    this.lineOf = new Array(app.header.instructions.length).fill(-1);
    const indents = app.header.code.filter(({ pcs }) => pcs.length).map(({ text }) => text.search(/\S/));
    const cut = new RegExp(`^\\s{0,${Math.max(0, Math.min(...indents) - 2)}}`); // what all lines have is no information
    this.lines = app.header.code.map(({ number, text, pcs }, row) => {
      for (const pc of pcs) this.lineOf[pc] = row;
      const count = h("span", { class: "nsim-count" });
      const element = h("div", { class: "nsim-line", role: "option", id: `${app.id}-line-${row}`, "data-line": number,
        "aria-selected": "false", "aria-disabled": pcs.length ? undefined : "true", "aria-label": text.trim() ? undefined : `line ${number}, empty` },
      h("span", { class: "nsim-lineno", "aria-hidden": "true", title: pcs.length ? "breakpoint (b)" : undefined,
        onclick: (event) => { event.stopPropagation(); this.toggleBreak(row); } }, String(number)), count, h("span", { class: "nsim-loop", "aria-hidden": "true" }), h("code", {}, ...colored(text.replace(cut, ""))));
      if (pcs.length) element.addEventListener("click", () => { this.point(row); app.runTo(row); });
      return { element, pcs, count, number };
    });
    this.body = h("div", { class: "nsim-scroll nsim-listing", role: "listbox", tabindex: "0",
      "aria-label": "program; Enter runs to the chosen line", onkeydown: (event) => this.key(event) },
    ...this.lines.map((line) => line.element));
    this.followBox = h("input", { type: "checkbox", checked: true,
      onchange: () => { app.follow = this.followBox.checked; app.refresh(); app.changed(); } });
    this.wholeButton = h("button", { type: "button", class: "nsim-small nsim-to-whole", "data-act": "whole", "aria-pressed": "false", title: "the program over the whole width",
      onclick: () => app.division.widen(!app.division.whole) }, "whole width");
    this.element = h("section", { class: "nsim-pane nsim-code", "aria-label": app.called("program") },
      h("header", {}, h("h3", {}, "Program"), h("span", { class: "nsim-hint" }, "click a line to run to it, its number to stop there"),
        h("label", {}, this.followBox, "follow"), app.editor.button, this.wholeButton), app.editor.element, this.body);
    this.drawLoops();
    this.counts = executionCounts(app.replay);
    for (const { step } of app.header.changes) {
      const line = this.lines[this.lineOf[app.replay.pcOf(step)]];
      line?.element.classList.add("nsim-byhand");
      if (line) line.count.title = `before it, a value was changed by hand (step ${step})`;
    }
  }

  /** A bracket beside every backward branch, from its target to itself. */
  drawLoops() {
    this.app.header.instructions.forEach(({ target }, pc) => {
      if (target === null || target > pc) return;
      const from = this.lineOf[target], to = this.lineOf[pc];
      for (let row = from; row <= to; row++) {
        const mark = this.lines[row].element.children[2];
        mark.append(h("i", { class: row === from ? "nsim-first" : row === to ? "nsim-last" : "" }));
      }
    });
  }

  /** Set or clear a breakpoint: running stops before the line. @param {number} row */
  toggleBreak(row) {
    const line = this.lines[row];
    if (line?.pcs.length) this.app.breakpoints.toggleLine(line.number);
  }

  /** Mark the lines that a run stops before. @param {Set<number>} numbers */
  showBreaks(numbers) {
    for (const { element, pcs, number } of this.lines) {
      const on = pcs.length > 0 && numbers.has(number);
      if (on === element.classList.contains("nsim-break")) continue;
      element.classList.toggle("nsim-break", on);
      element.setAttribute("aria-description", on ? "breakpoint" : "");
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "b") {
      this.toggleBreak(this.cursor >= 0 ? this.cursor : this.lineOf[this.app.replay.pc]);
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const move = Number(event.key === "ArrowDown") - Number(event.key === "ArrowUp");
    if (move) {
      let row = (this.cursor < 0 ? this.lineOf[Math.max(this.app.replay.pc, 0)] : this.cursor) + move;
      while (this.lines[row] && !this.lines[row].pcs.length) row += move;
      if (this.lines[row]) this.point(row);
    } else if (event.key === "Enter" && this.cursor >= 0) this.app.runTo(this.cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} row */
  point(row) {
    this.lines[this.cursor]?.element.classList.remove("nsim-cursor");
    this.cursor = row;
    this.lines[row].element.classList.add("nsim-cursor");
    this.body.setAttribute("aria-activedescendant", this.lines[row].element.id);
    reveal(this.body, this.lines[row].element);
  }

  update() {
    const { replay } = this.app;
    const now = this.lineOf[replay.pc] ?? -1, next = this.lineOf[replay.nextPc] ?? -1;
    for (const { name, row, shown } of [{ name: "nsim-current", row: now, shown: this.now }, { name: "nsim-next", row: next, shown: this.next }]) {
      if (shown >= 0) this.lines[shown].element.classList.remove(name);
      if (row >= 0) this.lines[row].element.classList.add(name);
    }
    if (this.now >= 0) this.lines[this.now].element.setAttribute("aria-selected", "false");
    if (now >= 0) {
      this.lines[now].element.setAttribute("aria-selected", "true");
      this.lines[now].element.classList.toggle("nsim-skipped", !replay.executed);
    }
    (this.now = now, this.next = next);
    this.counts.goto(replay.step, (pc, count) => {
      const row = this.lineOf[pc];
      if (row >= 0) setText(this.lines[row].count, count ? `${count}×` : "");
    });
  }

  /** What should be in sight. @returns {[HTMLElement, HTMLElement|undefined]} */
  place() {
    return [this.body, this.lines[this.now >= 0 ? this.now : this.next]?.element];
  }
}

/**
 * How often each instruction has been executed up to the step shown; only what changed is reported.
 * @param {import("./state.js").Replay} replay
 */
function executionCounts(replay) {
  const counts = new Uint32Array(replay.header.instructions.length);
  let at = 0;
  return {
    /** @param {number} step @param {(pc: number, count: number) => void} report */
    goto(step, report) {
      const changed = new Set(), by = step > at ? 1 : -1;
      for (let k = Math.min(at, step); k < Math.max(at, step); k++) {
        counts[replay.pcOf(k)] += by;
        changed.add(replay.pcOf(k));
      }
      at = step;
      for (const pc of changed) report(pc, counts[pc]);
    },
  };
}
