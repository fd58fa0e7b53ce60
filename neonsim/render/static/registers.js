// The register file: one row per register, one cell per lane; what the last step read and wrote is marked.

import { byHand } from "./change.js";
import { elementOf, h, setText } from "./dom.js";
import { CHOICES, TYPES, inOrder, laneText, lanesText, printable, widthOf } from "./format.js";
import { UNWRITTEN, hatched, isWritten, unwrittenText, unwrittenWords } from "./written.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./state.js").Replay} Replay
 * @typedef {import("./state.js").RegisterPlace} RegisterPlace
 * @typedef {import("./flow.js").Flow} Flow
 * @typedef {{place: RegisterPlace, used: boolean, vector: boolean, lanes: HTMLElement, cells: HTMLElement[], type: string,
 *   lane0: string, button: HTMLElement, select: HTMLSelectElement|null, element: HTMLElement}} RegisterRow
 */

const FLAGS = [{ name: "n", bit: 8 }, { name: "z", bit: 4 }, { name: "c", bit: 2 }, { name: "v", bit: 1 }];

export class RegistersPane {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    const { replay } = app;
    /** @type {Map<string, string>} */
    this.own = new Map(); // location -> type chosen for this register alone
    this.global = "auto";
    this.usedTypes = autoTypes(app);
    const touched = new Set(replay.columns.write_location);
    for (const instruction of app.header.instructions) {
      for (const [, register] of [...instruction.reads, ...instruction.writes]) {
        const place = app.placeOf(register);
        if (place) touched.add(place.index);
      }
    }
    this.all = false;
    /** @type {RegisterRow[]} */
    this.rows = [];
    /** @type {RegisterRow[]} */
    this.shown = [];
    /** @type {HTMLElement|null} */
    this.first = null; // that changed
    this.ready = false;
    const longest = Math.max(0, ...Object.values(app.header.names).map((name) => name.length));
    this.body = h("div", { class: "nsim-scroll", tabindex: "0", role: "group", "aria-label": "registers and lanes",
      style: longest ? `--names: ${3.3 + 0.5 * Math.min(longest, 12)}em` : undefined, onkeydown: (event) => this.key(event),
      onpointerover: (event) => this.readings(elementOf(event)) });
    /** @param {string} value */
    const option = (value, text = value) => h("option", { value }, text);
    this.typeSelect = h("select", { "aria-label": "element type of all registers", onchange: () => app.choose("type", this.typeSelect.value) },
      ...CHOICES.map((type) => option(type, type === "auto" ? "type: as used" : type)));
    this.orderSelect = h("select", { "aria-label": "lane order", onchange: () => app.choose("lane0", this.orderSelect.value) },
      option("right", "lane 0 right"), option("left", "lane 0 left"));
    this.legend = h("p", { class: "nsim-legend", "aria-hidden": "true" },
      h("span", { class: "nsim-cell nsim-read" }, "read"), h("span", { class: "nsim-cell nsim-write" }, "written"), h("span", { class: "nsim-cell nsim-read nsim-write" }, "both"), " by the last step");
    this.allBox = h("input", { type: "checkbox", onchange: () => { this.all = this.allBox.checked; this.showUsed(); app.changed(); } });
    this.flags = h("span", { class: "nsim-flags", role: "group", "aria-label": "flags" });
    this.flagCells = [...FLAGS.map(({ name }) => name), "qc"].map((name) => {
      const cell = h("span", { class: "nsim-flag", "data-flag": name });
      this.flags.append(cell);
      return cell;
    });
    this.element = h("section", { class: "nsim-pane nsim-registers", "aria-label": app.called("registers") },
      h("header", {}, h("h3", {}, "Registers"), this.flags, this.typeSelect, this.orderSelect,
        h("label", {}, this.allBox, "all")),
      this.body);
    for (const place of replay.locations) {
      if (place.bytes === 1) continue; // flags have their own line
      this.rows.push(this.makeRow(place, touched.has(place.index)));
    }
    this.showUsed();
  }

  /** @param {RegisterPlace} place @param {boolean} used @returns {RegisterRow} */
  makeRow(place, used) {
    const vector = place.bytes === 16, name = this.app.nameOf(place.name);
    const lanes = h("span", { class: "nsim-cells", role: "none" });
    const button = h("button", { type: "button", class: "nsim-name", tabindex: "-1", "aria-label": `${place.name}${name ? " " + name : ""}: find what writes it`,
      onclick: () => this.app.finder.choose({ index: place.index, name: place.name }) }, place.name, name ? h("small", {}, name) : "");
    /** @type {HTMLSelectElement|null} */
    const select = vector ? h("select", { "aria-label": `element type of ${place.name}`, tabindex: "-1",
      onchange: () => { this.setOwn(place.name, select?.value ?? ""); this.app.refresh(); this.app.changed(); } },
      ...CHOICES.map((type) => h("option", { value: type }, type === "auto" ? "·" : type))) : null;
    const element = h("div", { class: vector ? "nsim-reg" : "nsim-reg nsim-core", "data-register": place.name, role: "row" },
      h("span", { role: "rowheader" }, button), h("span", { role: "cell" }, select ?? h("span")), lanes);
    return { place, used, vector, lanes, cells: [], type: "", lane0: "", button, select, element };
  }

  /** Set the type of one register. @param {string} name @param {string} type */
  setOwn(name, type) {
    const row = this.rows.find((one) => one.vector && one.place.name === name);
    if (!row?.select || !CHOICES.includes(type)) return;
    this.own.set(name, type);
    row.select.value = type;
  }

  showUsed() {
    const shown = this.rows.filter((row) => this.all || row.used);
    /** @param {boolean} vector */
    const group = (vector) => h("div", { class: vector ? "nsim-vectors" : "nsim-cores", role: "table",
      "aria-label": vector ? "vector registers, lane by lane" : "general registers" }, ...shown.filter((row) => row.vector === vector).map((row) => row.element));
    this.body.replaceChildren(group(true), group(false), this.legend);
    this.shown = shown;
    for (const row of this.rows) row.button.tabIndex = row === shown[0] ? 0 : -1; // one stop for Tab, then up and down
    if (this.ready) this.update();
  }

  /** Up and down go from register to register, t to the type of the one that has the focus. @param {KeyboardEvent} event */
  key(event) {
    const at = this.shown.findIndex((row) => row.element.contains(elementOf(event))), row = this.shown[at];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const select = elementOf(event).tagName === "SELECT", way = Number(event.key === "ArrowDown") - Number(event.key === "ArrowUp"), next = this.shown[at + way];
    if (select ? event.key === "Escape" || event.key === "Enter" : way && next) {
      const to = select ? row : next;
      for (const one of this.shown) one.button.tabIndex = one === to ? 0 : -1;
      to.button.focus();
    } else if (event.key === "t" && row.select && !select) row.select.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The tip of a lane: its bits in all readings. Made when it is pointed at. @param {HTMLElement} cell */
  readings(cell) {
    const row = this.shown.find((one) => one.vector && one.cells.includes(cell));
    if (!row) return;
    const size = TYPES[row.type], lane = Number(cell.dataset.lane), at = row.place.at + lane * size, { nowView } = this.app.replay;
    if (this.app.hidden) return;
    const all = Object.keys(TYPES).filter((type) => TYPES[type] === size).map((type) => `${type} ${laneText(nowView, at, type)}`);
    const first = cell.title.split("\n")[0];
    cell.title = [...(/was|other run/.test(first) ? [first] : []), `${row.place.name} lane ${lane}: ${all.join(", ")}`,
      `0x${laneText(nowView, at, row.type, "hex")}, 0b${laneText(nowView, at, row.type, "bin")}`].join("\n");
  }

  /** Element type a register is shown in now. @param {RegisterRow} row @returns {[string, false|"hex"|"bin"]} */
  typeOf(row) {
    let choice = this.own.get(row.place.name) ?? "auto";
    if (choice === "auto") choice = this.global;
    const used = this.usedTypes.at(this.app.replay.step, row.place.index);
    if (choice === "auto") return [used, false];
    return choice === "hex" || choice === "bin" ? [used, choice] : [choice, false];
  }

  update() {
    this.ready = true;
    const { replay, flows } = this.app;
    const flow = replay.pc >= 0 ? flows.of(replay.pc) : null;
    const written = new Set(replay.written().map((place) => place.name));
    let first = null;
    for (const row of this.shown) {
      const changed = written.has(row.place.name);
      if (row.vector) this.updateLanes(row, flow, changed);
      else this.updateCore(row, flow, changed);
      row.element.classList.toggle("nsim-changed", changed);
      if (changed && row.vector) first ??= row.element;
    }
    this.first = first;
    this.updateFlags(written);
  }

  /** What should be in sight: the first register that changed. @returns {[HTMLElement, HTMLElement|null]} */
  place() {
    return [this.body, this.first];
  }

  /** @param {RegisterRow} row @param {Flow|null} flow @param {boolean} changed */
  updateLanes(row, flow, changed) {
    const { replay, lane0, header } = this.app;
    const [type, hex] = this.typeOf(row), size = TYPES[type], count = 16 / size;
    if (row.type !== type || row.lane0 !== lane0) {
      if (row.cells.length !== count) {
        row.cells = Array.from({ length: count }, () => h("span", { class: "nsim-cell", role: "cell" }));
        row.lanes.style.setProperty("--lanes", String(count));
        row.lanes.dataset.lanes = String(count);
      }
      row.lanes.replaceChildren(...inOrder(row.cells, lane0));
      row.cells.forEach((cell, lane) => { cell.dataset.lane = String(lane); });
      row.type = type;
      row.lane0 = lane0;
      if (row.select) row.select.options[0].textContent = type;
    }
    const reads = replay.executed ? flow?.reads.get(row.place.name) : undefined;
    const writes = changed ? flow?.writes.get(row.place.name) : undefined;
    const { other } = this.app, there = other?.registerAt(row.place.index) ?? -1;
    for (let lane = 0; lane < count; lane++) {
      const at = row.place.at + lane * size, cell = row.cells[lane];
      const isRead = touches(reads, lane * size, size);
      const changes = changed && (touches(writes, lane * size, size) || differs(replay, at, size));
      const isNew = changes && !this.app.veiled, text = laneText(replay.nowView, at, type, hex);
      setText(cell, changes ? this.app.veil(text, () => laneText(replay.pastView, at, type, hex)) : text);
      const apart = other && there >= 0 && differsFrom(replay, at, other.theirs, there + lane * size, size);
      const hand = byHand(header.changes, replay.step, row.place.index, lane * size, size);
      const seen = changes && this.app.veiled ? replay.pastView : replay.nowView, open = unwrittenWords(seen, at, size);
      const mark = "nsim-cell" + hatched(cell, seen, at, size) + (hand ? " nsim-byhand" : "") + (isRead ? " nsim-read" : "") + (isNew ? " nsim-write" : "") + (apart ? " nsim-differs" : "");
      if (cell.className !== mark) cell.className = mark;
      // A lane that took part says so to a screen reader; the others are read as they stand.
      const said = open || isRead || isNew ? `${open || cell.textContent}${isRead ? ", read" : ""}${isNew ? ", written" : ""}` : "";
      if (said) cell.setAttribute("aria-label", said);
      else if (cell.hasAttribute("aria-label")) cell.removeAttribute("aria-label");
      const was = (open ? `${open} ` : "") + (isNew ? `lane ${lane}: was ${laneText(replay.pastView, at, type, hex)} ` : "")
        + (apart ? `in the other run ${laneText(other.theirs.nowView, there + lane * size, type, hex)}` : "");
      if (cell.title !== was) cell.title = was;
    }
  }

  /** @param {RegisterRow} row @param {Flow|null} flow @param {boolean} changed */
  updateCore(row, flow, changed) {
    const { replay } = this.app;
    if (!row.cells.length) {
      row.cells = [h("span", { class: "nsim-cell", role: "cell" }), h("small", { role: "cell" })];
      row.lanes.append(...row.cells);
    }
    const [cell, pointer] = row.cells;
    const value = replay.number(row.place), open = unwrittenWords(replay.nowView, row.place.at, row.place.bytes);
    const small = (value ?? 0n) < 1000000n;
    const hex = this.global === "hex" || !small;
    const secret = changed && (this.app.hidden || this.app.veiled);
    setText(cell, secret ? (this.app.hidden ? "?" : "…") : value === undefined ? unwrittenText(replay.nowView, row.place.at, row.place.bytes, false)
      : this.global === "bin" ? "0b" + value.toString(2) : hex ? "0x" + value.toString(16) : value.toString());
    setText(pointer, secret || value === undefined ? "" : this.app.pointerText(value));
    const read = replay.executed && flow?.reads.has(row.place.name);
    const apart = this.app.other?.register(row.place.index);
    cell.className = "nsim-cell" + hatched(cell, replay.nowView, row.place.at, row.place.bytes) + (read ? " nsim-read" : "") + (changed ? " nsim-write" : "") + (apart ? " nsim-differs" : "")
      + (byHand(this.app.header.changes, replay.step, row.place.index, 0, 8) ? " nsim-byhand" : "");
    if (open) cell.setAttribute("aria-label", open);
    else cell.removeAttribute("aria-label");
    cell.title = open;
  }

  /** What a location holds, in words, lanes in the order of the page. @param {string} name */
  text(name) {
    const place = this.app.replay.places.get(name), row = this.rows.find((one) => one.place === place);
    if (!place) return "";
    if (!row?.vector) return row ? this.coreText(place) : String(this.app.replay.nowView.getUint8(place.at));
    const [type, hex] = this.typeOf(row), size = TYPES[type];
    return lanesText(Array.from({ length: 16 / size }, (_, lane) => [lane, laneText(this.app.replay.nowView, place.at + lane * size, type, hex)]), this.app.lane0);
  }

  /** @param {RegisterPlace} place */
  coreText({ at, bytes }) {
    const { replay } = this.app, value = replay.number({ name: "", index: 0, at, bytes });
    if (value === undefined) return unwrittenWords(replay.nowView, at, bytes);
    return this.app.pointerText(value) || (value < 1000000n ? String(value) : `0x${value.toString(16)}`);
  }

  /** @param {Set<string>} written */
  updateFlags(written) {
    const { replay } = this.app;
    const nzcv = replay.places.get("nzcv"), qc = replay.places.get("qc");
    const was = nzcv ? replay.past[nzcv.at] : 0, now = nzcv ? replay.now[nzcv.at] : 0;
    this.flagCells.forEach((cell, k) => {
      const isQc = k === 4;
      const bit = isQc ? Number(qc ? replay.now[qc.at] !== 0 : 0) : Number((now & FLAGS[k].bit) !== 0);
      const changed = isQc ? qc && replay.past[qc.at] !== replay.now[qc.at] : ((was ^ now) & FLAGS[k].bit) !== 0;
      const place = isQc ? qc : nzcv, open = place && !isWritten(replay.nowView, place.at, 1);
      setText(cell, `${cell.dataset.flag} ${open ? UNWRITTEN : bit}`);
      cell.classList.toggle("nsim-unknown", Boolean(open));
      cell.title = open ? "not written yet" : "";
      cell.classList.toggle("nsim-set", bit === 1 && !open);
      cell.classList.toggle("nsim-write", Boolean(changed));
    });
    this.flags.classList.toggle("nsim-touched", written.has("nzcv") || written.has("qc"));
  }
}

/** @param {Uint8Array|undefined} mask @param {number} from @param {number} size */
function touches(mask, from, size) {
  if (!mask) return false;
  for (let b = from; b < from + size; b++) if (mask[b]) return true;
  return false;
}

/** @param {Replay} replay @param {number} at @param {Replay} other @param {number} there @param {number} size */
function differsFrom(replay, at, other, there, size) {
  for (let b = 0; b < size; b++) if (replay.now[at + b] !== other.now[there + b] && (replay.registersKnown[at + b] || other.registersKnown[there + b])) return true;
  return false;
}

/** @param {Replay} replay @param {number} at @param {number} size */
function differs(replay, at, size) {
  for (let b = at; b < at + size; b++) if (replay.now[b] !== replay.past[b]) return true;
  return false;
}

/**
 * The type each register is used in: what the instructions say, not what the reader has to guess.
 * A register that was just written is shown in the type it will be read in, when that has the same width: USUBL writes
 * u16, but SMLAL reads the differences as s16. Loads and moves (x8) leave it open: the next reader decides.
 * `at(step, index)` = type of a location after `step` steps.
 * @param {Stepper} app
 */
function autoTypes(app) {
  const { replay, flows } = app;
  /** @type {{step: number, type: string, read: boolean}[][]} for each location */
  const uses = replay.locations.map(() => []);
  for (let step = 1; step <= replay.steps; step++) {
    const flow = flows.of(replay.pcOf(step - 1));
    for (const { types, read } of [{ types: flow.readAs, read: true }, { types: flow.writtenAs, read: false }]) {
      for (const [location, type] of types) {
        const place = replay.places.get(location);
        if (place) uses[place.index].push({ step, type, read });
      }
    }
  }
  const changes = uses.map((list) => {
    for (let k = list.length - 2; k >= 0; k--) {
      const next = list[k + 1], open = list[k].type[0] === "x"; // a load or a move: any type may come of it
      if (next.read && next.type[0] !== "x" && (open || widthOf(next.type) === widthOf(list[k].type))) list[k].type = next.type;
    }
    const steps = [0], types = [printable(list[0]?.type ?? "u8")];
    for (const { step, type } of list) {
      const last = types[types.length - 1], same = type[0] === "x" && widthOf(last) === widthOf(type);
      if (same || printable(type) === last) continue;
      steps.push(step);
      types.push(printable(type));
    }
    return { steps, types };
  });
  return {
    /** @param {number} step @param {number} index */
    at(step, index) {
      const { steps, types } = changes[index];
      let low = 0, high = steps.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (steps[middle] <= step) low = middle; else high = middle - 1;
      }
      return types[low];
    },
  };
}
