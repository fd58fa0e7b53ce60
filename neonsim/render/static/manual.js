// What is read beside stepping: the manual page of the instruction, and the warnings of the run.

import { h, setText } from "./dom.js";

/** @typedef {import("./stepper.js").Stepper} Stepper */

export class ManualPane {
  tab = "manual";
  title = "Manual";

  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    this.page = h("pre", { class: "nsim-page" });
    this.element = h("section", { class: "nsim-pane nsim-manual", "aria-label": "manual page of the instruction" }, this.page);
  }

  update() {
    const { replay, header } = this.app, instruction = header.instructions[replay.pc] ?? header.instructions[replay.nextPc];
    setText(this.page, header.manual[instruction?.manual] ?? "No instruction was recorded.");
  }
}

export class WarningsPane {
  tab = "warnings";

  /** @param {Stepper} app */
  constructor(app) {
    const { warnings = [], instructions } = app.header;
    this.title = `Warnings (${warnings.length})`;
    this.element = h("section", { class: "nsim-pane", "aria-label": "warnings of this run" }, h("ul", { class: "nsim-warnings" }, ...warnings.map(([pc, text]) =>
      h("li", {}, h("button", { type: "button", class: "nsim-small", onclick: () => app.runTo(app.code.lineOf[pc]) }, `line ${instructions[pc].line}`), ` ${text}`))));
  }

  update() {
    // The same at every step.
  }
}
