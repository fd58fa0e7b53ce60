// The program as text to change: run again where there is a machine (a notebook), copied where there is none (a file).

import { h, setText } from "./dom.js";

/** @typedef {import("./stepper.js").Stepper} Stepper */

const NO_MACHINE = "This page replays a recorded run; there is no machine in it. Copy the text, save it as kernel.S and record "
  + "it anew: neonsim trace kernel.S --html steps.html, or in a notebook %%neon.";

export class EditPane {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    this.area = h("textarea", { "aria-label": "text of the program", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
      wrap: "off", rows: 16 });
    this.said = h("pre", { class: "nsim-problem", role: "alert" });
    /** @param {string} name @param {string} text @param {() => void} act */
    const button = (name, text, act) => h("button", { type: "button", class: "nsim-small", "data-act": name, onclick: act }, text);
    const run = app.machine ? button("rerun", "run (ctrl Enter)", () => this.run()) : button("copy", "copy the text", () => this.copy());
    this.hint = h("p", { class: "nsim-hint" }, app.machine ? "Same arguments, same memory as in the recorded call." : app.noMachine ?? NO_MACHINE);
    this.element = h("div", { class: "nsim-edit", hidden: true }, this.area, h("p", {}, run, " ",
      button("as-run", "as it was run", () => { this.area.value = sourceOf(app.header); this.say(""); }), " ", button("edit-close", "close", () => this.show(false))),
    this.hint, this.said);
    this.button = h("button", { type: "button", class: "nsim-small", "data-act": "edit", "aria-expanded": "false",
      onclick: () => this.show(this.button.getAttribute("aria-expanded") !== "true") }, "edit");
    this.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && app.machine) {
        this.run();
        event.preventDefault();
      } else if (event.key === "Escape") {
        this.show(false);
        event.preventDefault();
      }
      event.stopPropagation(); // keys belong to the text
    });
  }

  /** @param {boolean} on */
  show(on) {
    this.element.hidden = !on;
    this.button.setAttribute("aria-expanded", String(on));
    if (on && !this.area.value) this.area.value = sourceOf(this.app.header);
    (on ? this.area : this.button).focus({ preventScroll: true });
  }

  run() {
    this.app.pause();
    this.say("Running ... (waits while the kernel is busy)");
    this.app.machine?.run(this.area.value);
  }

  /** @param {string} text */
  say(text, wrong = false) {
    setText(this.said, text);
    this.said.classList.toggle("nsim-error", wrong);
  }

  /** The machine's answer. @param {{problem: string, line?: number, said?: string}} answer */
  answer({ problem, line, said }) {
    this.say(problem || said || "", Boolean(problem));
    if (!problem || !line) return;
    const rows = this.area.value.split("\n"), from = rows.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(from, from + (rows[line - 1] ?? "").length);
    const high = this.area.scrollHeight / Math.max(rows.length, 1);
    this.area.scrollTop = Math.max(0, (line - 4) * high);
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.area.value);
      this.say("Copied.");
    } catch {
      this.area.focus();
      this.area.select();
      this.say("The text is selected: press Ctrl C (on a Mac: Command C) to copy it.");
    }
  }
}

/**
 * The text that the run's program was assembled from, or a listing that assembles to it.
 * @param {import("./payload.js").Header} header
 */
function sourceOf({ source, code }) {
  if (source) return source;
  return "\n".repeat(Math.max(0, (code[0]?.number ?? 1) - 1)) + code.map(({ text }) => text).join("\n") + "\n";
}
