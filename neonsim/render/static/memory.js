// The regions of memory: their elements in the type they are of, as rows in a window that moves over a region of any size.

import { CacheState } from "./caches.js";
import { h, messageOf, setText } from "./dom.js";
import { CHOICES, TYPES, laneText } from "./format.js";
import { UNWRITTEN, hatched, isWritten, unwrittenWords } from "./written.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./state.js").BufferPlace} BufferPlace
 * @typedef {import("./state.js").Access} Access
 * @typedef {Access & {found: number}} Met `found`: where its line was, see FOUND
 */

const WIDE = 16, HIGH = 12; // elements of a row, and rows, that are there at a time
const EVERY = 64; // columns that are there when a row is unfolded
const ROW = 20, COLUMN = 30; // px that a row and a column of the region take of the scrolling
const LONGEST = 400000; // px
const HALF = 398, SIDE = 38, CAPTION = 23, ABOVE = 54, MARGIN = 6; // px: of a region's place, the names of its rows, its head; above all of them; below a row
/** @type {Object<number, number>} */
const CELLS = { 1: 27, 2: 45, 4: 75, 8: 135 }, NARROWEST = 22; // px of a cell, by the bytes of its element; of a u8; as in memory.css
const LINE = 64; // bytes of a cache line, unless the core says so
const FOUND = ["hit in L1", "on its way to L1", "miss in L1, hit in L2", "miss in L1 and L2"]; // access_found of the recording

export class MemoryPane {
  tab = "memory";
  title = "Memory";

  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    const { timing } = app.header;
    this.line = timing?.caches?.line ?? LINE;
    this.caches = timing?.caches ? new Lines(app.replay, timing.caches) : null;
    /** @type {{buffer: BufferPlace, offset: number}|null} */
    this.sought = null;
    this.addresses = false;
    this.views = app.replay.buffers.map((buffer) => new RegionView(this, buffer));
    this.box = h("input", { type: "text", "aria-label": "go to an address", spellcheck: "false", autocomplete: "off", size: "12",
      placeholder: "c + 16, x1, 0x…", onkeydown: (event) => { if (event.key === "Enter") this.seek(this.box.value); } });
    this.said = h("span", { class: "nsim-said", role: "status" });
    this.met = h("span", { class: "nsim-met" });
    const addresses = h("input", { type: "checkbox", onchange: () => { this.addresses = addresses.checked; this.redraw(); } });
    this.element = h("section", { class: "nsim-pane nsim-matrices", "aria-label": "memory" },
      h("header", {}, h("h3", {}, "Memory"), h("label", {}, "go to ", this.box), h("label", {}, addresses, "addresses"), this.said),
      h("p", { class: "nsim-met-line" }, this.met),
      h("div", { class: "nsim-grid" }, ...this.inOrder().map((view) => view.element)),
      h("p", { class: "nsim-legend", "aria-hidden": "true" },
          h("span", { class: "nsim-cell nsim-read" }, "loaded"), h("span", { class: "nsim-cell nsim-write" }, "stored"),
          h("span", { class: "nsim-cell nsim-unknown" }, UNWRITTEN), " not written yet",
          h("span", { class: "nsim-cell nsim-edge" }, "a"), ` begins a cache line, ${this.line} bytes`,
          ...(this.caches ? [h("span", { class: "nsim-cell nsim-in-l1" }, "in L1"), h("span", { class: "nsim-cell nsim-in-l2" }, "in L2"), " (modelled)"] : [])));
  }

  /** Matrices first, then single rows and the stack: what belongs together stands together. */
  inOrder() {
    /** @param {RegionView} view */
    const last = (view) => Number(view.rows === 1) + 2 * Number(view.buffer.name === "stack");
    return [...this.views].sort((x, y) => last(x) - last(y));
  }

  /** Pixels that the regions need, in rows as they stand beside each other in half a notebook. */
  get need() {
    let high = ABOVE, row = 0, left = HALF;
    for (const { wide, high: rows, size, columns, type } of this.inOrder()) {
      const width = SIDE + wide * (type === "u8" ? NARROWEST : CELLS[size]), height = CAPTION + (rows + 1) * 19 + (width > HALF || columns > wide ? 15 : 0);
      if (Math.min(width, HALF) > left) (high += row, row = 0, left = HALF);
      row = Math.max(row, height + 8);
      left -= width + 16;
    }
    return high + row;
  }

  /** Bring the row that the last step met into sight, with the head of its region where there is room. */
  reveal() {
    const row = this.app.follow ? this.views.find(({ met }) => met)?.met : undefined;
    if (!row) return;
    const pane = this.element.getBoundingClientRect(), at = row.getBoundingClientRect(), zoom = Number(this.app.size) || 1;
    if (at.top < pane.top) this.element.scrollTop -= (pane.top - at.top) / zoom + CAPTION;
    else if (at.bottom > pane.bottom) this.element.scrollTop += (at.bottom - pane.bottom) / zoom + MARGIN;
  }

  redraw() {
    for (const view of this.views) view.label();
    this.app.refresh();
  }

  update() {
    const touched = this.touched(), pointers = this.pointing();
    setText(this.met, touched.map((access) => this.inWords(access)).join("; "));
    this.app.replay.memoryBefore();
    this.caches?.goto(this.app.replay.step);
    for (const view of this.views) view.update(touched.filter((access) => access.buffer === view.buffer), pointers.get(view.buffer.name));
  }

  /** The accesses of the last step, with where the model of the caches found their lines. @returns {Met[]} */
  touched() {
    const { replay } = this.app, first = replay.step ? replay.accesses[replay.step - 1] : 0;
    return replay.touched().map((access, k) => ({ ...access, found: replay.columns.access_found?.[first + k] ?? -1 }));
  }

  /** @param {Met} access */
  inWords({ buffer, offset, bytes, store, found }) {
    const place = buffer ? `${buffer.name} + ${buffer.skipped + offset} (0x${(buffer.address + offset).toString(16)})` : "outside the regions";
    const split = buffer && Math.floor((buffer.address + offset) / this.line) !== Math.floor((buffer.address + offset + bytes - 1) / this.line);
    return `${store ? "stores" : "loads"} ${bytes} bytes, ${place}${split ? ", across a cache line" : ""}${FOUND[found] ? `: ${FOUND[found]} (modelled, ${this.app.header.timing?.core})` : ""}`;
  }

  /** What the registers that the program uses point at: buffer -> byte in it -> names. */
  pointing() {
    const { replay, registers } = this.app;
    /** @type {Map<string, Map<number, string[]>>} */
    const found = new Map();
    for (const { place, used } of registers.rows) {
      if (!used || place.bytes > 8 || place.bytes < 4 || /^(sp|r13|r15)$/.test(place.name)) continue;
      const value = Number(replay.number(place) ?? -1);
      const home = replay.buffers.find(({ address, nbytes }) => value >= address && value < address + nbytes);
      if (!home) continue;
      const there = found.get(home.name) ?? new Map();
      found.set(home.name, there);
      there.set(value - home.address, [...(there.get(value - home.address) ?? []), place.name]);
    }
    return found;
  }

  /** Show an address that the reader has typed. @param {string} text */
  seek(text) {
    try {
      const { buffer, offset } = this.sought = placeOf(text, this.app);
      const view = /** @type {RegionView} */ (this.views.find((one) => one.buffer === buffer)), at = buffer.address + offset;
      const inside = at % view.size ? `, byte ${offset % view.size} of its element` : "";
      setText(this.said, `0x${at.toString(16)} is ${buffer.name} + ${buffer.skipped + offset}${inside}`);
      view.show(offset);
      view.element.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    } catch (problem) {
      setText(this.said, messageOf(problem));
    }
  }

  /** The types that the reader has chosen, for a link. */
  get chosen() {
    return this.views.filter(({ choice }) => choice !== "auto").map(({ buffer, choice }) => `${buffer.name}:${choice}`).join();
  }

  /** @param {string} name @param {string} type */
  choose(name, type) {
    const view = this.views.find(({ buffer }) => buffer.name === name);
    if (view && TYPE_CHOICES.includes(type)) view.take(type);
  }
}

const TYPE_CHOICES = CHOICES.filter((type) => type !== "bin");

class RegionView {
  /** @param {MemoryPane} pane @param {BufferPlace} buffer */
  constructor(pane, buffer) {
    this.pane = pane;
    this.app = pane.app;
    this.buffer = buffer;
    this.rowBytes = buffer.columns * TYPES[buffer.type];
    this.choice = "auto";
    this.unfolded = false;
    this.origin = [0, 0];
    this.bars = [0, 0]; // where the scroll bars were put
    /** @type {HTMLElement|undefined} */
    this.met = undefined; // the row that the last step loaded from or stored to
    this.late = false; // they have to follow yet
    this.frame = 0;
    this.high = this.wide = this.total = this.columns = this.rows = this.size = this.firstRow = 0;
    this.type = buffer.type;
    /** @type {HTMLElement[]} */
    this.heads = [];
    /** @type {HTMLElement[]} */
    this.sides = [];
    /** @type {HTMLElement[][]} */
    this.cells = [];
    /** @type {HTMLElement[]} */
    this.texts = [];
    this.note = h("span", { class: "nsim-hint" });
    this.shape = h("span", {});
    this.unfold = h("button", { type: "button", class: "nsim-small", onclick: () => { this.unfolded = !this.unfolded; this.build(); this.app.refresh(); } });
    this.select = h("select", { "aria-label": `element type of ${buffer.name}`, onchange: () => { this.take(this.select.value); this.app.changed(); } },
      ...TYPE_CHOICES.map((type) => h("option", { value: type }, type === "auto" ? `${buffer.type}${buffer.typed ? "" : ", as used"}` : type)));
    const text = h("input", { type: "checkbox", "aria-label": `text of ${buffer.name}`, checked: this.looksLikeText() || undefined,
      onchange: () => { this.build(); this.app.refresh(); } });
    this.withText = text;
    this.table = h("table", {});
    this.extent = h("div", { class: "nsim-extent" }, this.table);
    this.scroller = h("div", { class: "nsim-matrix-scroll", tabindex: "0", role: "group", "aria-label": `cells of ${buffer.name}`,
      onscroll: () => this.scrolled() }, this.extent);
    this.element = h("figure", { "data-buffer": buffer.name },
      h("figcaption", {}, h("b", {}, buffer.name), this.shape, this.select, h("label", {}, text, "text"), this.unfold, this.note), this.scroller);
    this.build();
  }

  /** Whether the bytes that are there at first are words. */
  looksLikeText() {
    const { memory, known } = this.app.replay.columns, { at, nbytes, type } = this.buffer, some = Math.min(nbytes, 256);
    if (TYPES[type] > 1 || some < 4) return false;
    let good = 0;
    for (let b = at; b < at + some; b++) good += Number(known[b] && ((memory[b] >= 32 && memory[b] < 127) || memory[b] === 10 || memory[b] === 0));
    return good === some && memory.subarray(at, at + some).some((byte) => byte >= 65 && byte < 123);
  }

  /** @param {string} type */
  take(type) {
    this.choice = this.select.value = type;
    this.build();
    this.app.refresh();
  }

  /** Rows and columns of the type that is chosen, and the cells of the window over them. */
  build() {
    const { buffer, choice } = this, shown = this.origin[0] * this.rowBytes;
    this.type = TYPES[choice] ? choice : buffer.type;
    this.size = TYPES[this.type];
    this.total = Math.floor(buffer.nbytes / this.size);
    if (this.rowBytes % this.size) this.rowBytes = Math.max(WIDE, this.size);
    this.columns = Math.max(1, Math.min(this.rowBytes / this.size, this.total || 1));
    this.rows = Math.ceil(this.total / this.columns);
    this.firstRow = Math.floor(buffer.skipped / this.rowBytes); // of a large region only some rows are here
    this.high = Math.min(this.rows, HIGH);
    this.wide = Math.min(this.columns, this.unfolded ? EVERY : WIDE);
    this.unfold.hidden = this.columns <= WIDE;
    setText(this.unfold, this.unfolded ? "fold" : "unfold");
    const declared = buffer.shape.length && this.type === buffer.type && buffer.typed ? buffer.shape.join("×") : String(Math.floor(buffer.size / this.size));
    setText(this.shape, declared);
    this.table.setAttribute("aria-label", `${buffer.name}: ${declared} ${this.type}`);
    this.table.dataset.bytes = String(this.size);
    this.table.dataset.type = this.type;
    this.heads = Array.from({ length: this.wide }, () => h("th", { scope: "col" }));
    [this.sides, this.cells, this.texts] = [[], [], []];
    const words = this.withText.checked;
    const body = Array.from({ length: this.high }, () => {
      const side = h("th", { scope: "row" }), text = h("td", { class: "nsim-ascii" });
      this.sides.push(side);
      this.texts.push(text);
      /** @type {HTMLElement[]} */
      const row = Array.from({ length: this.wide }, (_, column) => h("td", { class: "nsim-cell", onclick: () => this.follow(this.cells.indexOf(row), column) }));
      this.cells.push(row);
      return h("tr", {}, side, ...row, ...(words ? [text] : []));
    });
    this.table.replaceChildren(h("thead", {}, h("tr", {}, h("td"), ...this.heads, ...(words ? [h("th", { scope: "col", class: "nsim-ascii" }, "text")] : []))), h("tbody", {}, ...body));
    const more = this.rows > this.high;
    this.extent.style.height = more ? `${Math.min(LONGEST, (this.rows - this.high) * ROW) + (this.high + 1) * ROW}px` : "";
    this.scroller.style.height = more ? `${(this.high + 1) * ROW + 14}px` : "";
    this.extent.style.minWidth = this.columns > this.wide ? `calc(100% + ${Math.min(LONGEST, (this.columns - this.wide) * COLUMN)}px)` : "";
    this.origin = [-1, -1];
    this.place(Math.min(Math.floor(shown / this.rowBytes), this.rows - this.high), 0);
  }

  /** Follow who wrote a cell. @param {number} row @param {number} column */
  follow(row, column) {
    const [top, left] = this.origin, byte = ((top + row) * this.columns + left + column) * this.size, size = TYPES[this.buffer.type];
    const element = Math.floor(byte / size), { columns } = this.buffer; // named by the elements that the region has
    if (byte >= this.buffer.nbytes) return;
    const skipped = Math.floor(this.buffer.skipped / size), wide = Math.max(1, Math.min(columns, Math.floor(this.buffer.nbytes / size)));
    const name = this.rows > 1 ? `${this.buffer.name}[${Math.floor((skipped + element) / wide)},${element % wide}]` : `${this.buffer.name}[${element}]`;
    this.app.finder.choose({ at: this.buffer.at + element * size, bytes: size, name });
  }

  /** Bring a byte into the window. @param {number} offset */
  show(offset) {
    const element = Math.floor(offset / this.size);
    this.place(Math.floor(element / this.columns), element % this.columns);
    this.app.refresh();
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
    this.move([into(row, this.origin[0], this.high, this.rows), into(column, this.origin[1], this.wide, this.columns)], true);
  }

  /** @param {number[]} origin @param {boolean} scroll whether the scroll bars have to follow */
  move(origin, scroll) {
    if (origin[0] === this.origin[0] && origin[1] === this.origin[1]) return false;
    this.origin = origin;
    this.label();
    if (scroll) this.late = this.rows > this.high || this.columns > this.wide;
    if (this.late) this.scrollSoon();
    return true;
  }

  /** How far the bars can go, and how far the window can. */
  spans() {
    const { scroller } = this;
    return { down: scroller.scrollHeight - scroller.clientHeight, along: scroller.scrollWidth - scroller.clientWidth,
      rows: this.rows - this.high, columns: this.columns - this.wide };
  }

  /** Where things are costs a layout: it waits for the frame that makes one anyway, and until the pane is shown. */
  scrollSoon() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.scrollTo(); });
  }

  scrollTo() {
    const { down, along, rows, columns } = this.spans(), { scroller } = this;
    if (!scroller.clientHeight) return;
    this.late = false;
    if (rows > 0) scroller.scrollTop = this.origin[0] / rows * down;
    if (columns > 0) scroller.scrollLeft = this.origin[1] / columns * along;
    this.bars = [scroller.scrollTop, scroller.scrollLeft];
  }

  /** The reader has moved a bar. */
  scrolled() {
    const { down, along, rows, columns } = this.spans(), { scrollTop, scrollLeft } = this.scroller;
    if (this.late || (scrollTop === this.bars[0] && scrollLeft === this.bars[1])) return;
    this.bars = [scrollTop, scrollLeft];
    const row = rows > 0 && down > 0 ? Math.round(scrollTop / down * rows) : this.origin[0];
    const column = columns > 0 && along > 0 ? Math.round(scrollLeft / along * columns) : this.origin[1];
    if (this.move([row, column], false)) this.pane.update();
  }

  /** The numbers of rows and columns. */
  label() {
    const [top, left] = this.origin;
    this.sides.forEach((side, k) => {
      const address = `0x${(this.buffer.address + (top + k) * this.rowBytes).toString(16)}`;
      setText(side, this.pane.addresses ? address : String(this.firstRow + top + k));
      side.title = address;
    });
    this.heads.forEach((head, k) => { setText(head, String(left + k)); });
  }

  /** @param {Met[]} touched @param {Map<number, string[]>} [pointers] */
  update(touched, pointers) {
    const { buffer, size } = this, { line } = this.pane;
    const loads = new Set(), stores = new Set(), lines = new Set(), missed = new Set();
    let outside = 0, first = -1;
    for (const access of touched) {
      for (let b = access.offset; b < access.offset + access.bytes; b++) {
        if (b < 0 || b >= buffer.nbytes) { outside++; continue; }
        const element = Math.floor(b / size);
        (access.store ? stores : loads).add(element);
        lines.add(Math.floor((buffer.address + b) / line));
        if (access.found > 1 && FOUND[access.found]) missed.add(element);
        if (first < 0 && element < this.total) first = element;
      }
    }
    this.element.classList.toggle("nsim-touched", touched.length > 0);
    if (first >= 0 && this.app.follow) this.place(Math.floor(first / this.columns), first % this.columns);
    const [top, left] = this.origin, points = new Map();
    this.met = first < 0 ? undefined : this.sides[Math.floor(first / this.columns) - top];
    for (const [byte, names] of pointers ?? []) points.set(Math.floor(byte / size), [...(points.get(Math.floor(byte / size)) ?? []), ...names]);
    const part = this.rows > this.high || this.columns > this.wide || buffer.nbytes < buffer.size;
    setText(this.note, (part ? `rows ${this.firstRow + top}–${this.firstRow + top + this.high - 1}, columns ${left}–${left + this.wide - 1}` : "")
      + (outside ? `  ${outside} bytes outside` : ""));
    if (this.late) this.scrollSoon();
    const sought = this.pane.sought?.buffer === buffer ? Math.floor(this.pane.sought.offset / size) : -1;
    for (let r = 0; r < this.high; r++) {
      const row = top + r, names = [...points].filter(([element]) => Math.floor(element / this.columns) === row).flatMap(([, some]) => some).join(" ");
      if (this.sides[r].dataset.pointers !== names) this.sides[r].dataset.pointers = names;
      for (let c = 0; c < this.wide; c++) {
        const element = (top + r) * this.columns + left + c, address = buffer.address + element * size;
        this.paint(this.cells[r][c], element, { load: loads.has(element), store: stores.has(element), names: points.get(element)?.join(" "),
          missed: missed.has(element), where: this.pane.caches?.where(Math.floor(address / line)) ?? "", edge: Math.floor((address + size - 1) / line) !== Math.floor((address - 1) / line), lit: lines.has(Math.floor(address / line)), sought: element === sought });
      }
      if (this.withText.checked) setText(this.texts[r], this.words((top + r) * this.columns + left));
    }
  }

  /** @param {number} element the first of a row in the window */
  words(element) {
    const { memory, known } = this.app.replay, from = element * this.size, end = Math.min((element + this.wide) * this.size, this.buffer.nbytes);
    let text = "";
    for (let b = this.buffer.at + from; b < this.buffer.at + end; b++) text += known[b] && memory[b] >= 32 && memory[b] < 127 ? String.fromCharCode(memory[b]) : known[b] ? "." : UNWRITTEN;
    return text;
  }

  /**
   * @param {HTMLElement} cell @param {number} element
   * @param {{load: boolean, store: boolean, names: string|undefined, missed: boolean, where: string, edge: boolean, lit: boolean, sought: boolean}} marks
   */
  paint(cell, element, { load, store, names, missed, where, edge, lit, sought }) {
    const { replay, veiled } = this.app, { buffer, size } = this, at = buffer.at + element * size, hex = this.choice === "hex" ? "hex" : false;
    if (element >= this.total) {
      setText(cell, "");
      cell.className = "nsim-cell nsim-none";
      return;
    }
    const now = store && veiled ? replay.memoryPastView : replay.memoryView, text = laneText(replay.memoryView, at, this.type, hex);
    setText(cell, store ? this.app.veil(text, () => laneText(replay.memoryPastView, at, this.type, hex)) : text);
    if (names !== cell.dataset.pointer) {
      if (names) cell.dataset.pointer = names;
      else delete cell.dataset.pointer;
    }
    const mark = "nsim-cell" + hatched(cell, now, at, size) + (load ? " nsim-read" : "") + (store && !veiled ? " nsim-write" : "") + (names ? " nsim-pointed" : "")
      + (this.app.other?.memory(buffer, element * size, size) ? " nsim-differs" : "") + (edge ? " nsim-edge" : "") + (lit ? " nsim-lit" : "")
      + where + (missed ? " nsim-missed" : "") + (sought ? " nsim-sought" : "");
    if (cell.className !== mark) cell.className = mark;
    const open = unwrittenWords(now, at, size);
    if (open) cell.setAttribute("aria-label", `${open}${load ? ", loaded" : ""}`);
    else if (cell.hasAttribute("aria-label")) cell.removeAttribute("aria-label");
    const title = [open, store && isWritten(replay.memoryPastView, at, size) ? `was ${laneText(replay.memoryPastView, at, this.type, hex)}` : "",
      names ? `${names} points here` : "", missed ? "its line was not in L1 (modelled)" : ""].filter(Boolean).join("; ");
    if (cell.title !== title) cell.title = title;
  }
}

/** Which cache a line is in, after n steps, as the model of the timing has it. */
class Lines {
  /** @param {import("./state.js").Replay} replay @param {import("./payload.js").Caches} caches */
  constructor(replay, caches) {
    this.state = new CacheState(replay, caches);
    this.second = new Set(replay.columns.first_line2);
  }

  /** @param {number} step */
  goto(step) {
    this.state.goto(step, (line, by) => { if (by > 0) this.second.add(line); else this.second.delete(line); });
  }

  /** @param {number} line @returns {string} a class of its cells */
  where(line) {
    const { lines, ways, sets } = this.state, first = line % sets * ways;
    for (let k = first; k < first + ways; k++) if (lines[k] === line) return " nsim-in-l1";
    return this.second.has(line) ? " nsim-in-l2" : "";
  }
}

const ADDRESS = /^\s*([A-Za-z_][\w.]*|0x[0-9a-f]{1,16}|\d{1,20})\s*(?:([+-])\s*(0x[0-9a-f]{1,16}|\d{1,20}))?\s*$/i;

/**
 * An address as a reader writes it: 4096, 0x1000, a region, a register, either with + or - bytes.
 * @param {string} text @param {Stepper} app @returns {{buffer: BufferPlace, offset: number}} Throws an Error in the reader's words.
 */
export function placeOf(text, app) {
  const { replay } = app, { buffers } = replay, names = buffers.map(({ name }) => name).join(", ") || "none", match = ADDRESS.exec(text);
  if (!match) throw new Error(`${text.trim() || "nothing"} is not an address. Write 4096, 0x1000, a region or a register, as c + 16 (regions: ${names})`);
  const [, base, sign, more] = match, region = buffers.find(({ name }) => name === base);
  let at;
  if (region) at = BigInt(region.address - region.skipped);
  else if (/^\d/.test(base)) at = BigInt(base);
  else {
    const place = app.placeOf(base.toLowerCase());
    if (!place || place.bytes < 4 || place.bytes > 8) throw new Error(`${base} is neither a region nor a general register of this run (regions: ${names})`);
    const value = replay.number(place);
    if (value === undefined) throw new Error(`${base} has not been written yet, so it has no address`);
    at = value;
  }
  if (more) at += (sign === "-" ? -1n : 1n) * BigInt(more);
  const home = buffers.find(({ address, skipped, size }) => at >= BigInt(address - skipped) && at < BigInt(address - skipped + size));
  const hex = at < 0n ? String(at) : `0x${at.toString(16)}`;
  if (!home) throw new Error(`${hex} is not in any region of this run (${names})`);
  const offset = Number(at - BigInt(home.address));
  if (offset < 0 || offset >= home.nbytes) {
    throw new Error(`${hex} is ${home.name} + ${offset + home.skipped}, of which only the bytes ${home.skipped} to ${home.skipped + home.nbytes - 1} were recorded`);
  }
  return { buffer: home, offset };
}
