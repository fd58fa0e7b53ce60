// A small editor: a textarea over the same text in colours, with numbers of lines, and mistakes beside their lines.

import { h, setText } from "./dom.js";
import { colored, commentStarts } from "./color.js";

/**
 * A mistake: where (line and column from 1), how many characters, what is wrong and what to do; `text` is the line as it
 * was. `path`: the file, when it is not this text.
 * @typedef {{path: string, line: number, column: number, width: number, text: string, message: string}} Mistake
 */

const LONG_TEXT = 800; // lines: of longer texts those out of sight are not laid out

export class Editor {
  /** @param {(event: KeyboardEvent) => void} onkeydown */
  constructor(onkeydown) {
    this.area = h("textarea", { "aria-label": "text of the program", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off",
      oninput: () => this.edited(), onkeydown });
    this.gutter = h("div", { class: "nsim-gutter", "aria-hidden": "true" });
    this.layer = h("div", { class: "nsim-layer", "aria-hidden": "true" });
    this.sheet = h("div", { class: "nsim-sheet" }, this.layer, this.area);
    this.element = h("div", { class: "nsim-editor" }, this.gutter, this.sheet);
    /** @type {number[]} columns of each row, with what stands beside it */
    this.wide = [];
    /** @type {string[]} */
    this.lines = [];
    /** @type {string[]} what each row was drawn from */
    this.drawn = [];
    /** @type {Map<number, Mistake[]>} by index of the line */
    this.mistakes = new Map();
    this.here = -1; // index of the line that is marked as the one of the step
    this.draw();
  }

  get value() {
    return this.area.value;
  }

  /** @param {string} text */
  set value(text) {
    this.area.value = text;
    this.mistakes = new Map();
    this.draw();
  }

  /** Mark these; those of other files are left out. @param {Mistake[]} list */
  mark(list) {
    this.mistakes = new Map();
    for (const one of list) {
      const at = one.line - 1;
      if (at >= 0 && at < this.lines.length && this.lines[at].trimEnd() === one.text.trimEnd()) this.mistakes.set(at, [...(this.mistakes.get(at) ?? []), one]);
    }
    this.draw();
  }

  /** The line (from 1) that the step shown belongs to; 0 for none. @param {number} line */
  point(line) {
    if (this.here === line - 1) return;
    this.gutter.children[this.here]?.classList.remove("nsim-here");
    this.here = line - 1;
    this.gutter.children[this.here]?.classList.add("nsim-here");
  }

  /** The text has been typed in: mistakes move with their lines, those of lines that changed are gone. */
  edited() {
    const before = this.lines, after = this.area.value.split("\n");
    let head = 0, tail = 0;
    while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++;
    while (tail < Math.min(before.length, after.length) - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
    const moved = new Map();
    for (const [at, list] of this.mistakes) {
      if (at < head) moved.set(at, list);
      else if (at >= before.length - tail) moved.set(at + after.length - before.length, list);
    }
    this.mistakes = moved;
    this.draw();
  }

  /** Draw the rows that are not drawn so already. */
  draw() {
    this.lines = this.area.value.split("\n");
    const inside = commentStarts(this.lines);
    this.lines.forEach((line, at) => {
      const wrong = this.mistakes.get(at) ?? [];
      const key = `${inside[at]} ${line}\n${wrong.map(({ column, width, message }) => `${column} ${width} ${message}`).join("\n")}`;
      if (this.drawn[at] === key) return;
      this.drawn[at] = key;
      const number = this.gutter.children[at] ?? this.gutter.appendChild(h("div"));
      setText(number, String(at + 1));
      number.classList.toggle("nsim-wrong-line", wrong.length > 0);
      const row = this.layer.children[at] ?? this.layer.appendChild(h("div", { class: "nsim-row" }));
      const end = columnsOf(line), beside = wrong.map(({ message }) => message.split("\n")[0]).join("  ·  ");
      this.wide[at] = end + (beside ? beside.length + 6 : 0);
      if (wrong.length) /** @type {HTMLElement} */ (row).style.setProperty("--end", String(end));
      row.replaceChildren(...(inside[at] ? [h("span", { class: "nsim-comment" }, line.slice(0, inside[at]))] : []), ...colored(line.slice(inside[at])), "\n",
        ...wrong.map((one) => h("span", { class: "nsim-squiggle" }, h("span", {}, line.slice(0, Math.max(one.column, 1) - 1)), h("u", {}, line.slice(Math.max(one.column, 1) - 1).slice(0, Math.max(one.width, 1)) || " "))),
        ...(wrong.length ? [h("span", { class: "nsim-beside" }, beside)] : []));
    });
    for (const side of [this.gutter, this.layer]) while (side.children.length > this.lines.length) side.lastElementChild?.remove();
    this.gutter.style.setProperty("--digits", String(String(this.lines.length).length));
    this.element.classList.toggle("nsim-long", this.lines.length > LONG_TEXT);
    this.drawn.length = this.wide.length = this.lines.length;
    // What stands beside a line is not in its flow: the sheet is as wide as the widest line with it.
    this.sheet.style.setProperty("--wide", String(this.wide.reduce((x, y) => Math.max(x, y), 0)));
    this.here = Math.min(this.here, this.lines.length - 1);
  }

  /** Put the caret at a place, and that place in sight. @param {number} line @param {number} column @param {number} width */
  choose(line, column, width) {
    const from = this.lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + Math.max(column - 1, 0);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(from, Math.min(from + width, from + (this.lines[line - 1] ?? "").length));
    const row = /** @type {HTMLElement|undefined} */ (this.layer.children[line - 1]);
    if (row) this.element.scrollTop = Math.max(0, row.offsetTop - this.element.clientHeight / 3);
    this.element.scrollLeft = 0;
  }
}

/** How wide a line is, with its tabs. @param {string} line */
function columnsOf(line) {
  let wide = 0;
  for (const character of line) wide += character === "\t" ? 8 - wide % 8 : 1;
  return wide;
}
