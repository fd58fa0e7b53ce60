// What the last step did, in words and numbers.

import { Counters } from "./counters.js";
import { coloured } from "./code.js";
import { h, setText } from "./dom.js";
import { laneValue } from "./flow.js";
import { TYPES, laneText, locate } from "./format.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./flow.js").Flow} Flow
 * @typedef {import("./payload.js").Use} Use
 */

/** @type {Object<string, string>} */
const ROLES = { d: "result", a: "accumulator", n: "first source", m: "second source", t: "data", base: "address",
  offset: "offset", cond: "condition", nzcv: "flags", qc: "saturation" };
const FPSR = [{ name: "invalid", bit: 1 }, { name: "division by zero", bit: 2 }, { name: "overflow", bit: 4 },
  { name: "underflow", bit: 8 }, { name: "inexact", bit: 16 }, { name: "denormal input", bit: 128 }];

export class ExplainPane {
  /** @param {Stepper} app */
  constructor(app) {
    this.app = app;
    this.where = h("span", { class: "nsim-where" });
    this.text = h("code", { class: "nsim-instruction" });
    this.doc = h("span", { class: "nsim-doc" });
    this.formula = h("code", { class: "nsim-rule" });
    this.cycles = h("span", { class: "nsim-where" });
    this.operands = h("div", { class: "nsim-operands", role: "list" });
    this.message = h("p", { class: "nsim-message", role: "status" });
    this.counters = new Counters(app);
    this.page = h("pre", { class: "nsim-page", tabindex: "0", "aria-label": "manual page" });
    this.manual = h("details", { class: "nsim-manual" }, h("summary", {}, "manual page"), this.page);
    this.warnings = h("ul", { class: "nsim-warnings", "aria-label": "warnings of this run" }, ...(app.header.warnings ?? []).map(([pc, text]) =>
      h("li", {}, h("button", { type: "button", class: "nsim-small", onclick: () => app.runTo(app.code.lineOf[pc]) }, `line ${app.header.instructions[pc].line}`), ` ${text}`)));
    this.element = h("section", { class: "nsim-pane nsim-explain", "aria-label": "the last step" },
      h("p", { class: "nsim-what" }, this.where, this.text, this.doc, this.formula, this.cycles), this.operands, this.message, this.warnings,
    this.counters.element, this.manual);
  }

  /** @param {string} text */
  note(text) {
    setText(this.message, text);
  }

  update() {
    const { replay, header } = this.app;
    setText(this.message, "");
    this.counters.update();
    const instruction = header.instructions[replay.pc];
    this.manual.hidden = !instruction;
    if (!instruction) {
      setText(this.where, "start");
      setText(this.text, header.instructions[replay.nextPc]?.text ?? "");
      setText(this.doc, replay.steps ? "comes first. Nothing has been executed yet." : "Nothing was recorded.");
      setText(this.formula, "");
      setText(this.cycles, "");
      this.operands.replaceChildren();
      return;
    }
    setText(this.where, `line ${instruction.line}`);
    if (this.text.textContent !== instruction.text) this.text.replaceChildren(...coloured(instruction.text));
    setText(this.doc, replay.executed ? instruction.doc : `Not executed: condition ${instruction.condition} does not hold.`);
    setText(this.formula, replay.executed ? instruction.rule : "");
    setText(this.cycles, this.modelled());
    setText(this.page, header.manual[instruction.manual] ?? "");
    this.operands.replaceChildren(...(replay.executed ? this.rows(instruction) : []));
  }

  /** When the model lets the step wait, execute and finish. */
  modelled() {
    const { timing } = this.app.header, { columns, step } = this.app.replay, k = step - 1;
    if (!timing) return "";
    const start = columns.start_cycle[k], issue = columns.issue_cycle[k], done = columns.done_cycle[k];
    const unit = timing.units[columns.unit[k]], reason = timing.reasons[columns.reason[k]];
    const wait = issue > start ? `waits ${issue - start}${reason ? ` (${reason})` : ""}, ` : "";
    return `modelled: ${wait}issues in cycle ${issue}${unit ? ` on ${unit}` : ""}, result in cycle ${done}`;
  }

  /** @param {import("./payload.js").Instruction} instruction */
  rows(instruction) {
    const { replay } = this.app, flow = this.app.flows.of(replay.pc);
    return [...this.side(instruction.reads, flow, true), ...this.side(instruction.writes, flow, false),
      ...replay.touched().map(({ buffer, offset, bytes, store }) => this.row(!store, store ? "stores to" : "loads from", "",
        buffer ? `${buffer.name} + ${buffer.skipped + offset}, ${bytes} bytes` : `${bytes} bytes outside the buffers`))];
  }

  /** @param {boolean} past @param {string} role @param {string} register @param {string} text */
  row(past, role, register, text, was = "") {
    const value = past || !register ? text : this.app.veil(text, () => "not written yet");
    const name = this.app.nameOf(register);
    // No dl: notebooks style that element.
    return h("div", { class: past ? "nsim-in" : "nsim-out", role: "listitem" },
      h("span", { class: "nsim-term" }, role, " ", h("b", {}, name ? `${register} ${name}` : register)),
      h("span", { class: "nsim-value" }, value), was && !this.app.hidden ? h("small", { class: "nsim-before" }, `was ${was}`) : "");
  }

  /**
   * The registers that are read (past) or written: lanes as the instruction names them, then what has no lanes.
   * @param {Use[]} uses @param {Flow} flow @param {boolean} past
   */
  side(uses, flow, past) {
    const { replay } = this.app, a32 = replay.a32, covered = new Set();
    /** @type {HTMLElement[]} */
    const rows = [];
    const lanes = flow.lanes.flatMap((to) => (past ? to.drawn : [to]).map((item) => ({ ...item, type: this.app.typeOf(item, to) })))
      .filter(({ register }) => /^[vqdshb]\d/.test(register));
    for (const key of new Set(lanes.map(({ register, type }) => `${register} ${type}`))) {
      const [register, type] = key.split(" "), { location, offset, bytes } = locate(register, a32);
      covered.add(location);
      const use = uses.find(([, other]) => {
        const at = locate(other, a32);
        return at.location === location && at.offset < offset + bytes && offset < at.offset + at.bytes;
      });
      const numbers = [...new Set(lanes.filter((lane) => `${lane.register} ${lane.type}` === key).map(({ lane }) => lane))];
      numbers.sort((x, y) => x - y);
      /** @param {boolean} then */
      const line = (then) => numbers.map((lane) => laneValue(replay, { register, type, lane }, then)).join("  ");
      const values = line(past), old = past || lanes.some((lane) => lane.register === "mem") ? "" : line(true);
      const all = numbers.length * TYPES[type] === bytes;
      const which = all ? "" : numbers.length === 1 ? ` [${numbers[0]}]` : ` [${numbers[0]}–${numbers.at(-1)}]`;
      rows.push(this.row(past, past ? ROLES[use?.[0] ?? ""] ?? "source" : "→", register, `${type}${which}  ${values}`, old === values ? "" : old));
    }
    for (const [role, register] of uses) {
      const { location } = locate(register, a32);
      if (covered.has(location)) continue;
      covered.add(location);
      rows.push(this.row(past, past ? ROLES[role] ?? role : "→", register, this.plain(location, past)));
    }
    return rows;
  }

  /** A general register or the flags. @param {string} location @param {boolean} past */
  plain(location, past) {
    const { replay } = this.app, place = replay.places.get(location), view = past ? replay.pastView : replay.nowView;
    if (!place) return "";
    if (location.endsWith("nzcv")) {
      const flags = view.getUint8(place.at);
      return ["n", "z", "c", "v"].map((f, k) => `${f}=${(flags >> (3 - k)) & 1}`).join(" ");
    }
    if (location === "qc") return view.getUint8(place.at) ? "1 (something saturated)" : "0";
    if (location === "fpsr") {
      const raised = FPSR.filter(({ bit }) => view.getUint8(place.at) & bit);
      return raised.map(({ name }) => name).join(", ") || "nothing raised";
    }
    if (place.bytes === 1) return String(view.getUint8(place.at));
    if (place.bytes === 16) return laneText(view, place.at + 8, "u64", "hex") + laneText(view, place.at, "u64", "hex");
    const number = place.bytes === 8 ? view.getBigUint64(place.at, true) : BigInt(view.getUint32(place.at, true));
    return this.app.pointerText(number) || (number < 1000000n ? String(number) : "0x" + number.toString(16));
  }
}
