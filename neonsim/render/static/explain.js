// What the last step did, in words and numbers: a card of fixed height. What does not fit scrolls inside or has a tip.

import { changedAt } from "./change.js";
import { colored } from "./color.js";
import { h, setText } from "./dom.js";
import { laneValue } from "./flow.js";
import { laneCells, laneText, locate } from "./format.js";
import { isWritten, unwrittenWords } from "./written.js";

/**
 * @typedef {import("./stepper.js").Stepper} Stepper
 * @typedef {import("./flow.js").Flow} Flow
 * @typedef {import("./payload.js").Use} Use
 * @typedef {[lane: number, value: string]} ShownLane
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
    this.source = h("code", { class: "nsim-source", tabindex: "0", role: "group", "aria-label": "the line of the program" });
    this.formula = h("code", { class: "nsim-rule" });
    this.cycles = h("span", { class: "nsim-where" });
    this.operands = h("div", { class: "nsim-operands", role: "list", tabindex: "0", "aria-label": "what the step read and wrote" });
    this.message = h("p", { class: "nsim-message", role: "status" });
    this.status = h("span", { class: "nsim-status" });
    /** @param {string} tab @param {string} text */
    const link = (tab, text) => h("button", { type: "button", class: "nsim-small nsim-link", onclick: () => app.choose("tab", tab) }, text);
    const warnings = app.header.warnings?.length ?? 0;
    this.element = h("section", { class: "nsim-pane nsim-explain", "aria-label": app.called("the last step") },
      h("p", { class: "nsim-what" }, this.where, this.text, this.doc, warnings ? link("warnings", `${warnings} warning${warnings > 1 ? "s" : ""}`) : "", link("manual", "manual page")),
      this.source, this.formula, this.operands, ...(app.header.timing ? [h("p", { class: "nsim-when" }, this.cycles, this.status)] : []), this.message);
  }

  /** @param {string} text */
  note(text) {
    setText(this.message, text);
  }

  update() {
    const { replay, header } = this.app;
    setText(this.message, changedAt(header.changes, replay.step));
    setText(this.status, this.clock());
    const instruction = header.instructions[replay.pc];
    this.show(instruction ? replay.pc : replay.nextPc);
    if (!instruction) {
      setText(this.where, "start");
      this.text.replaceChildren(...colored(header.instructions[replay.nextPc]?.text ?? ""));
      this.put(this.doc, replay.steps ? "comes first. Nothing has been executed yet." : "Nothing was recorded.");
      this.put(this.formula, "");
      setText(this.cycles, "");
      this.operands.replaceChildren();
      return;
    }
    setText(this.where, `line ${instruction.line}`);
    if (this.text.textContent !== instruction.text) this.text.replaceChildren(...colored(instruction.text));
    this.put(this.doc, replay.executed ? instruction.doc : `Not executed: condition ${instruction.condition} does not hold.`);
    this.put(this.formula, replay.executed ? instruction.rule : "");
    setText(this.cycles, this.modeled());
    this.operands.replaceChildren(...(replay.executed ? this.rows(instruction) : []));
  }

  /** The whole line of an instruction, with its comment. @param {number} pc */
  show(pc) {
    const { lineOf } = this.app.code, { code, instructions } = this.app.header, text = (code[lineOf[pc]]?.text ?? instructions[pc]?.text ?? "").trim();
    if (this.source.textContent !== text) this.source.replaceChildren(...colored(text));
  }

  /** Text that is cut where its place ends: the tip has it all. @param {HTMLElement} place @param {string} text */
  put(place, text) {
    setText(place, text.replaceAll("\n", " · "));
    if (place.title !== text) place.title = text;
  }

  /** Where the run is in the model's time. */
  clock() {
    const { timing } = this.app.header, { step, columns } = this.app.replay;
    return timing ? `cycle ${step ? columns.issue_cycle[step - 1] : 0} of ${timing.cycles} (modelled, ${timing.core})` : "";
  }

  /** When the model lets the step wait, execute and finish. */
  modeled() {
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

  /**
   * `text`: what the register holds, or its lanes in the order of the page; `was` likewise.
   * @param {boolean} past @param {string} role @param {string} register @param {string|ShownLane[]} text @param {string|ShownLane[]} [was]
   */
  row(past, role, register, text, was = "", type = "") {
    const secret = !past && register && (this.app.hidden || this.app.veiled);
    const value = secret ? this.app.veil("", () => "not written yet") : text, name = this.app.nameOf(register);
    /** @param {string|ShownLane[]} shown */
    const cells = (shown) => (typeof shown === "string" ? [shown] : laneCells(shown, this.app.lane0));
    // No dl: notebooks style that element.
    return h("div", { class: past ? "nsim-in" : "nsim-out", role: "listitem" },
      h("span", { class: "nsim-term" }, role, " ", h("b", {}, name ? `${register} ${name}` : register)),
      h("span", { class: "nsim-value" }, type ? h("i", {}, type) : "", ...cells(value)), was && !this.app.hidden ? h("small", { class: "nsim-before" }, "was ", ...cells(was)) : "");
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
      /** @param {boolean} then @returns {ShownLane[]} */
      const line = (then) => numbers.map((lane) => [lane, laneValue(replay, { register, type, lane }, then)]);
      const values = line(past), old = past || lanes.some((lane) => lane.register === "mem") ? [] : line(true);
      const same = old.every(([, value], k) => value === values[k][1]);
      rows.push(this.row(past, past ? ROLES[use?.[0] ?? ""] ?? "source" : "→", register, values, same ? "" : old, type));
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
    const { replay } = this.app, place = replay.places.get(location), view = past ? replay.pastView : replay.madeView;
    if (!place) return "";
    if (!isWritten(view, place.at, place.bytes)) return unwrittenWords(view, place.at, place.bytes);
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
