// The program as text to change: run again where there is a machine (a notebook), kept in a cell or on the clipboard.

import { h, setText } from "./dom.js";
import { Editor } from "./editor.js";
import { cellText } from "./notebook.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./editor.js").Mistake} Mistake
 */

const NO_MACHINE = "This page replays a recorded run; there is no machine in it. Copy the text, save it as kernel.S and record "
  + "it anew: neonsim trace kernel.S --html steps.html, or in a notebook %%neon.";

export class EditPane {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    this.editor = new Editor((event) => this.key(event));
    this.area = this.editor.area;
    this.said = h("p", { class: "nsim-problem", role: "alert" });
    this.list = h("ol", { class: "nsim-mistakes", "aria-label": "mistakes", hidden: true });
    this.cells = app.cells ?? { line: `%%neon ${app.header.isa}` };
    /** @param {string} name @param {string} text @param {string} title @param {() => void} act */
    const button = (name, text, title, act) => h("button", { type: "button", class: "nsim-small", "data-act": name, title, onclick: act }, text);
    const { insert, replace } = this.cells;
    const act = (/** @type {(text: string) => string} */ put) => () => this.say(put(this.editor.value));
    this.hint = h("p", { class: "nsim-hint" }, app.machine?.run ? "Same arguments, same memory as in the recorded call. After a run, keys step it." : app.noMachine ?? NO_MACHINE);
    this.element = h("div", { class: "nsim-edit", hidden: true },
      h("p", { class: "nsim-edit-bar" }, app.machine?.run ? button("rerun", "run (ctrl Enter)", "run this text", () => this.run()) : "",
        replace ? button("replace-cell", "replace the cell's text", `the cell becomes: ${this.cells.line} and this text`, act(replace)) : "",
        insert ? button("insert-cell", "to a new cell", `a new cell: ${this.cells.line} and this text`, act(insert)) : "",
        button("copy-cell", "copy as a cell", `to the clipboard: ${this.cells.line} and this text`, () => this.copy(cellText(this.cells.line, this.editor.value), "Copied as a cell: paste it into an empty one.")),
        button("copy", "copy the text", "to the clipboard", () => this.copy(this.editor.value, "Copied.")),
        button("as-run", "as it was run", "the text of the run shown", () => { this.editor.value = sourceOf(app.header); this.mistakes([]); this.say(""); }),
        button("edit-close", "close", "back to the program (Escape)", () => this.show(false))),
      this.said, this.editor.element, this.list, this.hint);
    this.button = h("button", { type: "button", class: "nsim-small", "data-act": "edit", "aria-expanded": "false",
      onclick: () => this.show(this.button.getAttribute("aria-expanded") !== "true") }, "edit");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.app.machine?.run) {
      this.run();
      event.preventDefault();
    } else if (event.key === "Escape") {
      this.show(false);
      event.preventDefault();
    }
    event.stopPropagation(); // keys belong to the text
  }

  /** What is typed and not run, with what is said about it, for the page that takes the place of this one. */
  get state() {
    return { text: this.editor.value, shown: !this.element.hidden };
  }

  /** @param {{text: string, shown: boolean}} state */
  restore({ text, shown }) {
    if (text) this.editor.value = text;
    if (shown) this.show(true);
  }

  /** @param {boolean} on */
  show(on) {
    this.element.hidden = !on;
    this.button.setAttribute("aria-expanded", String(on));
    if (on && !this.editor.value) this.editor.value = sourceOf(this.app.header);
    this.update();
    (on ? this.area : this.button).focus({ preventScroll: true });
  }

  /** The line of the step shown, as long as the text is the one that was run. */
  update() {
    if (this.element.hidden) return;
    const { header, replay } = this.app, line = header.source ? 0 : header.instructions[replay.pc]?.line ?? 0;
    this.editor.point(line && this.editor.value === sourceOf(header) ? line : 0);
  }

  run() {
    this.app.pause();
    this.mistakes([]);
    this.say("Running ... (waits while the kernel is busy)");
    this.app.machine?.run?.(this.editor.value);
  }

  /** @param {string} text */
  say(text, wrong = false) {
    setText(this.said, text);
    this.said.classList.toggle("nsim-error", wrong);
  }

  /** @param {Mistake[]} list */
  mistakes(list) {
    this.editor.mark(list);
    this.list.hidden = !list.length;
    this.list.replaceChildren(...list.map((one) => h("li", {},
      h("button", { type: "button", class: "nsim-small nsim-link", onclick: () => this.editor.choose(one.line, one.column, one.width) }, `line ${one.line}, column ${one.column}`),
      h("pre", {}, `${one.text.trimStart()}\n${caret(one)}`), h("p", {}, one.message))));
  }

  /** The machine's answer. @param {{problem: string, errors?: Mistake[], said?: string}} answer */
  answer({ problem, errors = [], said }) {
    const found = errors.filter(({ line }) => line > 0);
    this.mistakes(found);
    if (!found.length) {
      if (said && this.area.matches(":focus")) this.app.el.focus({ preventScroll: true }); // as a cell's: keys step the run
      return this.say(problem || said || "", Boolean(problem));
    }
    const more = /there may be more\.$/.test(problem);
    this.say(`${more ? "The first " : ""}${found.length} mistake${found.length > 1 ? "s" : ""}; nothing was run.`, true);
    this.editor.choose(found[0].line, found[0].column, found[0].width);
  }

  /** @param {string} text @param {string} done */
  async copy(text, done) {
    try {
      await navigator.clipboard.writeText(text);
      this.say(done);
    } catch {
      this.area.focus();
      this.area.select();
      this.say("The text is selected: press Ctrl C (on a Mac: Command C) to copy it.");
    }
  }
}

/** The caret below the line without its indentation. @param {Mistake} mistake */
function caret({ text, column, width }) {
  const cut = text.length - text.trimStart().length, pad = text.slice(cut, Math.max(column, 1) - 1).replace(/[^\t]/g, " ");
  return pad + "^".repeat(Math.max(width, 1));
}

/**
 * The text that the run's program was assembled from, or a listing that assembles to it.
 * @param {import("./payload.js").Header} header
 */
function sourceOf({ source, code }) {
  if (source) return source;
  return "\n".repeat(Math.max(0, (code[0]?.number ?? 1) - 1)) + code.map(({ text }) => text).join("\n") + "\n";
}
