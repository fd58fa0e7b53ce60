// The buffers of the run as matrices. Cells the last step loaded or stored are marked; large ones show a window.

import { h, setText } from "./dom.js";
import { TYPES, dtypeName, laneText } from "./format.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./state.js").BufferPlace} BufferPlace
 * @typedef {import("./state.js").Access} Access
 */

const FOLD = 16;

export class MemoryPane {
  tab = "memory";
  title = "Memory";

  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    this.views = app.replay.buffers.map((buffer) => new MatrixView(app, buffer));
    this.element = h("section", { class: "nsim-pane nsim-matrices", "aria-label": "memory" },
      h("header", {}, h("h3", {}, "Memory"),
        h("span", { class: "nsim-legend", "aria-hidden": "true" },
          h("span", { class: "nsim-cell nsim-read" }, "loaded"), h("span", { class: "nsim-cell nsim-write" }, "stored"),
          h("span", { class: "nsim-cell nsim-unknown" }, "·"), " not yet written")),
      h("div", { class: "nsim-grid" }, ...this.inOrder().map((view) => view.element)));
  }

  /** Matrices first, then single rows and the stack: what belongs together stands together. */
  inOrder() {
    /** @param {MatrixView} view */
    const last = (view) => Number(view.rows === 1) + 2 * Number(view.buffer.name === "stack");
    return [...this.views].sort((x, y) => last(x) - last(y));
  }

  update() {
    const touched = this.app.replay.touched();
    const pointers = this.pointing();
    const before = this.app.replay.memoryBefore();
    for (const view of this.views) view.update(touched.filter((access) => access.buffer === view.buffer), before, pointers.get(view.buffer.name));
  }

  /** What the registers that the program uses point at: buffer -> byte in it -> names. */
  pointing() {
    const { replay, registers } = this.app;
    /** @type {Map<string, Map<number, string[]>>} */
    const found = new Map();
    for (const { place, used } of registers.rows) {
      if (!used || place.bytes > 8 || place.bytes < 4 || /^(sp|r13|r15)$/.test(place.name)) continue;
      const value = Number(place.bytes === 8 ? replay.nowView.getBigUint64(place.at, true) : replay.nowView.getUint32(place.at, true));
      const home = replay.buffers.find(({ address, nbytes }) => value >= address && value < address + nbytes);
      if (!home) continue;
      const there = found.get(home.name) ?? new Map();
      found.set(home.name, there);
      there.set(value - home.address, [...(there.get(value - home.address) ?? []), place.name]);
    }
    return found;
  }
}

class MatrixView {
  /** @param {Stepper} app @param {BufferPlace} buffer */
  constructor(app, buffer) {
    this.app = app;
    this.buffer = buffer;
    this.type = dtypeName(buffer.dtype);
    this.size = TYPES[this.type];
    const total = Math.floor(buffer.nbytes / this.size);
    this.columns = Math.max(1, Math.min(buffer.columns, total || 1));
    this.rows = Math.ceil(total / this.columns);
    this.total = total;
    this.firstRow = Math.floor(buffer.skipped / this.size / this.columns); // of a large buffer only some rows are here
    this.origin = [0, 0];
    this.high = 0; // rows and columns shown
    this.wide = 0;
    /** @type {HTMLElement[]} */
    this.heads = [];
    /** @type {HTMLElement[]} */
    this.sides = [];
    /** @type {HTMLElement[][]} */
    this.cells = [];
    this.limit = FOLD;
    this.note = h("span", { class: "nsim-hint" });
    const shape = buffer.shape.length ? buffer.shape.join("×") : String(total);
    this.unfold = h("button", { type: "button", class: "nsim-small", onclick: () => this.toggle() }, "unfold");
    this.table = h("table", { "aria-label": `${buffer.name}: ${shape} ${this.type}` });
    this.element = h("figure", { "data-buffer": buffer.name },
      h("figcaption", {}, h("b", {}, buffer.name), ` ${shape} ${this.type}`, this.note,
        this.rows > FOLD || this.columns > FOLD ? this.unfold : ""),
      h("div", { class: "nsim-matrix-scroll", tabindex: "0", role: "group", "aria-label": `cells of ${buffer.name}` }, this.table));
    this.build();
  }

  toggle() {
    this.limit = this.limit === FOLD ? 4 * FOLD : FOLD;
    setText(this.unfold, this.limit === FOLD ? "unfold" : "fold");
    this.build();
    this.app.refresh();
  }

  build() {
    this.high = Math.min(this.rows, this.limit);
    this.wide = Math.min(this.columns, this.limit);
    this.heads = Array.from({ length: this.wide }, () => h("th", { scope: "col" }));
    this.sides = [];
    this.cells = [];
    const body = Array.from({ length: this.high }, () => {
      const side = h("th", { scope: "row" });
      this.sides.push(side);
      /** @type {HTMLElement[]} */
      const row = Array.from({ length: this.wide }, (_, column) => h("td", { class: "nsim-cell", onclick: () => this.choose(this.cells.indexOf(row), column) }));
      this.cells.push(row);
      return h("tr", {}, side, ...row);
    });
    this.table.replaceChildren(h("thead", {}, h("tr", {}, h("td"), ...this.heads)), h("tbody", {}, ...body));
    this.origin = [-1, -1];
    this.place(0, 0);
  }

  /** Ask who wrote a cell. @param {number} row @param {number} column */
  choose(row, column) {
    const [top, left] = this.origin, element = (top + row) * this.columns + left + column;
    if (element >= this.total) return;
    const name = this.rows > 1 ? `${this.buffer.name}[${this.firstRow + top + row},${left + column}]` : `${this.buffer.name}[${left + column}]`;
    this.app.finder.choose({ at: this.buffer.at + element * this.size, bytes: this.size, name });
  }

  /**
   * Move the window so that a cell is inside: only when it is not, so that the picture stays calm.
   * @param {number} row @param {number} column
   */
  place(row, column) {
    /** @param {number} at @param {number} from @param {number} span @param {number} count */
    const into = (at, from, span, count) => {
      if (from >= 0 && at >= from && at < from + span) return from;
      return Math.max(0, Math.min(at - (at % 4) - Math.floor(span / 4), count - span));
    };
    const origin = [into(row, this.origin[0], this.high, this.rows), into(column, this.origin[1], this.wide, this.columns)];
    if (origin[0] === this.origin[0] && origin[1] === this.origin[1]) return;
    this.origin = origin;
    this.sides.forEach((side, k) => { setText(side, String(this.firstRow + origin[0] + k)); });
    this.heads.forEach((head, k) => { setText(head, String(origin[1] + k)); });
  }

  /** @param {Access[]} touched @param {Uint8Array<ArrayBuffer>} before @param {Map<number, string[]>} [pointers] */
  update(touched, before, pointers) {
    const { replay } = this.app, { buffer, size } = this;
    const loads = new Set(), stores = new Set();
    let outside = 0, first = -1;
    for (const access of touched) {
      for (let b = access.offset; b < access.offset + access.bytes; b++) {
        if (b < 0 || b >= buffer.nbytes) { outside++; continue; }
        const element = Math.floor(b / size);
        (access.store ? stores : loads).add(element);
        if (first < 0 && element < this.total) first = element;
      }
    }
    this.element.classList.toggle("nsim-touched", touched.length > 0);
    if (first >= 0 && this.app.follow) this.place(Math.floor(first / this.columns), first % this.columns);
    const [top, left] = this.origin, points = new Map();
    for (const [byte, names] of pointers ?? []) points.set(Math.floor(byte / size), names.join(" "));
    const folded = this.rows > this.high || this.columns > this.wide || buffer.nbytes < buffer.size;
    setText(this.note, (folded ? `  rows ${this.firstRow + top}–${this.firstRow + top + this.high - 1}, columns ${left}–${left + this.wide - 1}` : "")
      + (outside ? `  ${outside} bytes outside` : ""));
    for (let r = 0; r < this.high; r++) {
      for (let c = 0; c < this.wide; c++) {
        const element = (top + r) * this.columns + left + c, cell = this.cells[r][c];
        if (element >= this.total) {
          setText(cell, "");
          continue;
        }
        const at = buffer.at + element * size;
        const known = replay.known[at];
        const text = known ? laneText(replay.memoryView, at, this.type) : "·";
        setText(cell, stores.has(element) ? this.app.veil(text, () => (known > 1 ? laneText(new DataView(before.buffer), at, this.type) : "·")) : text);
        const named = points.get(element);
        if (named !== cell.dataset.pointer) {
          if (named) cell.dataset.pointer = named;
          else delete cell.dataset.pointer;
        }
        const mark = "nsim-cell" + (known ? "" : " nsim-unknown") + (loads.has(element) ? " nsim-read" : "")
          + (stores.has(element) && !this.app.veiled ? " nsim-write" : "") + (named ? " nsim-pointed" : "") + (this.app.other?.memory(buffer, element * size, size) ? " nsim-differs" : "");
        if (cell.className !== mark) cell.className = mark;
        const was = stores.has(element) && before[at] !== undefined
          ? `was ${laneText(new DataView(before.buffer), at, this.type)}` : named ? `${named} points here` : "";
        if (cell.title !== was) cell.title = was;
      }
    }
  }
}
